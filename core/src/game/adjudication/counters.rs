//! Numbers that count in the texts of positions. With them no text occurs twice, although the position does.

use std::collections::HashMap;

/// The numbers at the end of a text that may count, such as both of a FEN of chess.
const MAX_COUNTERS: usize = 4;

/// The index of the first position in a game that recurs `times` times but for numbers that count;
/// `None` if there is none. `texts` are all positions of the game.
pub fn recurs_but_for_counters(texts: &[String], times: usize) -> Option<usize> {
    let split: Vec<[Vec<&str>; 2]> = texts.iter().map(|text| pieces(text)).collect();
    let counters: Vec<usize> = (0..MAX_COUNTERS).filter(|&place| counts(&split, place)).collect();
    if counters.is_empty() {
        return None;
    }
    let mut seen: HashMap<_, (usize, usize)> = HashMap::new();
    for (index, [words, numbers]) in split.iter().enumerate() {
        let others = numbers.iter().rev().enumerate();
        let others = others.filter(|(place, _)| !counters.contains(place));
        let others: Vec<&str> = others.map(|(_, number)| *number).collect();
        let (first, count) = seen.entry((words, others)).or_insert((index, 0));
        *count += 1;
        if *count >= times {
            return Some(*first);
        }
    }
    None
}

/// What is between the numbers of a text, and the numbers.
fn pieces(text: &str) -> [Vec<&str>; 2] {
    [true, false].map(|are_words| {
        let pieces = text.split(|c: char| c.is_ascii_digit() == are_words);
        pieces.filter(|piece| !piece.is_empty()).collect()
    })
}

/// Whether the number at this place from the end, from 0, rises or falls by 1, at least every two moves.
fn counts(texts: &[[Vec<&str>; 2]], place: usize) -> bool {
    let number =
        |[_, numbers]: &[Vec<&str>; 2]| -> Option<u64> { numbers.iter().nth_back(place)?.parse().ok() };
    let numbers: Option<Vec<u64>> = texts.iter().map(number).collect();
    let Some(numbers) = numbers.filter(|numbers| numbers.len() > 2) else {
        return false;
    };
    let rises = |of: fn(u64, u64) -> bool| {
        let steps = numbers.windows(3);
        let mut steps = steps.map(|step| (step[0], step[1], step[2]));
        steps.all(|(one, two, three)| {
            let is_small = one.abs_diff(two) <= 1 && two.abs_diff(three) <= 1;
            is_small && !of(two, one) && !of(three, two) && of(one, three)
        })
    };
    rises(|one, other| one < other) || rises(|one, other| one > other)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The texts of a game of both sides that step forth and back, by the number of the move.
    fn game(text: impl Fn(usize) -> String) -> Vec<String> {
        (0..9).map(text).collect()
    }

    #[test]
    fn finds_positions_that_recur_but_for_a_counter() {
        let places = |ply: usize| format!("{} {}", ply.div_ceil(2) % 2, ply / 2 % 2);
        for texts in [
            game(|ply| format!("{} {ply}", places(ply))),
            game(|ply| format!("({}, {})", places(ply), 100 - ply)),
            game(|ply| format!("{} w {ply} {}", places(ply), 1 + ply / 2)),
        ] {
            assert_eq!(recurs_but_for_counters(&texts, 3), Some(0), "{texts:?}");
            assert_eq!(recurs_but_for_counters(&texts, 4), None, "{texts:?}");
        }
    }

    #[test]
    fn other_numbers_are_no_counters() {
        for texts in [
            // No number counts.
            game(|ply| format!("{} {}", ply % 2, ply / 2 % 2)),
            game(|ply| "x".repeat(ply)),
            // The rest never recurs.
            game(|ply| format!("{} {ply}", "x".repeat(ply))),
            // A number that begins anew, and one that does not count by 1.
            game(|ply| format!("a {}", ply % 5)),
            game(|ply| format!("a {}", 2 * ply)),
            Vec::new(),
        ] {
            assert_eq!(recurs_but_for_counters(&texts, 2), None, "{texts:?}");
        }
    }
}
