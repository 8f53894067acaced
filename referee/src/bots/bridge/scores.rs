//! What engines say of a position, in the words of the referee: a distance in plies, `win N` and `loss N`.

use lodestone_game::score::Score;

/// The plies of a win that the engine is sure of without a distance.
const UNKNOWN: u32 = 999;

/// How a protocol counts the distance of a mate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mates {
    Plies,
    /// Of the winner.
    Moves,
}

impl Mates {
    /// The score of a mate with this signed distance. `-0` is a side to move that is mated.
    fn score(self, distance: &str) -> Option<Score> {
        let (is_win, digits) = match distance.strip_prefix('-') {
            Some(digits) => (false, digits),
            None => (true, distance.trim_start_matches('+')),
        };
        if digits.is_empty() {
            return Some(won(is_win, UNKNOWN));
        }
        let count: u32 = digits.parse().ok()?;
        Some(match (self, is_win && count > 0) {
            (Mates::Plies, is_win) => won(is_win, count),
            (Mates::Moves, true) => won(true, count.saturating_mul(2).saturating_sub(1)),
            (Mates::Moves, false) => won(false, count.saturating_mul(2)),
        })
    }
}

const fn won(is_win: bool, plies: u32) -> Score {
    if is_win {
        Score::Win(plies)
    } else {
        Score::Loss(plies)
    }
}

/// The score of thinking output of `XBoard`: hundredths of a pawn, or 100000 and the moves of a mate.
pub(super) fn of_xboard(score: i64) -> Score {
    /// Where mates begin, the longest one that is believed, and the most hundredths.
    const MATE: i64 = 100_000;
    const LONGEST: u64 = 1000;
    const MOST: i64 = 30_000;
    let moves = score.unsigned_abs().checked_sub(MATE.unsigned_abs());
    match moves {
        Some(moves @ 1..=LONGEST) => {
            let sign = if score < 0 { "-" } else { "" };
            Mates::Moves
                .score(&format!("{sign}{moves}"))
                .unwrap_or(Score::Draw)
        }
        Some(0) if score < 0 => Score::Loss(0),
        Some(_) => won(score > 0, UNKNOWN),
        None => Score::Cp(score.clamp(-MOST, MOST) as i32),
    }
}

/// A line `info` of a protocol like UCI, without moves and texts, which are not those of the rules. A score without a
/// kind is one of UCCI, `cs` are the hundredths of a stone of UAI. `None` if nothing is left.
pub(super) fn info(line: &str, mates: Mates) -> Option<String> {
    let mut words = line.split_whitespace();
    let mut told = words.next()?.to_string();
    while let Some(word) = words.next() {
        match word {
            "pv" | "string" | "message" => break,
            "currmove" => {
                words.next();
            }
            "score" => {
                let kind = words.next()?;
                let score = match kind {
                    "mate" => mates.score(words.next()?).map(|score| score.to_string()),
                    "cp" | "cs" => words.next().map(|number| format!("cp {number}")),
                    number if number.parse::<i64>().is_ok() => Some(format!("cp {number}")),
                    _ => None,
                };
                told = score.map_or(told.clone(), |score| told + " score " + &score);
            }
            _ => told = told + " " + word,
        }
    }
    (told != "info").then_some(told)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_have_the_unit_of_their_protocol() {
        use Mates::{Moves, Plies};
        for (mates, line, told) in [
            (
                Plies,
                "info depth 3 score mate 3 pv 7g7f",
                Some("info depth 3 score win 3"),
            ),
            (
                Plies,
                "info score mate -4 nodes 9",
                Some("info score loss 4 nodes 9"),
            ),
            (Plies, "info score mate +5", Some("info score win 5")),
            (Plies, "info score mate +", Some("info score win 999")),
            (Plies, "info score mate -", Some("info score loss 999")),
            (Plies, "info score mate -0", Some("info score loss 0")),
            (Moves, "info score mate 3", Some("info score win 5")),
            (
                Moves,
                "info score mate -2 lowerbound",
                Some("info score loss 4 lowerbound"),
            ),
            (Moves, "info score mate 0", Some("info score loss 0")),
            (
                Plies,
                "info depth 6 score 4 pv b0c2 b9c7",
                Some("info depth 6 score cp 4"),
            ),
            (
                Moves,
                "info score cs -120 depth 2",
                Some("info score cp -120 depth 2"),
            ),
            (Plies, "info currmove 7g7f depth 4", Some("info depth 4")),
            (Plies, "info string score mate 1", None),
            (Plies, "info score banana nodes 3", Some("info nodes 3")),
        ] {
            assert_eq!(info(line, mates).as_deref(), told, "{line}");
        }
    }

    #[test]
    fn a_score_of_xboard_above_100000_is_a_mate_in_moves() {
        for (score, told) in [
            (35, Score::Cp(35)),
            (-99_999, Score::Cp(-30_000)),
            (100_003, Score::Win(5)),
            (-100_002, Score::Loss(4)),
            (-100_000, Score::Loss(0)),
            (100_000, Score::Win(UNKNOWN)),
            (1_000_000, Score::Win(UNKNOWN)),
            (i64::MIN, Score::Loss(UNKNOWN)),
        ] {
            assert_eq!(of_xboard(score), told, "{score}");
        }
    }
}
