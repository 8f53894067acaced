//! Finds the move that people mean, by the names of the moves.

/// What may stand behind a move that people write: check, mate, and what they think of it.
const MARKS: [char; 4] = ['+', '#', '!', '?'];

/// Signs between the parts of a move, which people write or leave out.
const SEPARATORS: [char; 4] = ['x', ':', '-', '='];

/// A capture in passing, written behind the move.
const EN_PASSANT: [&str; 2] = ["e.p.", "ep"];

/// The move that a text means. Each move comes with its notation, or its name once more. The comparison is less and less
/// strict, until at least one move fits; a text that then fits several moves means none.
pub(super) fn find<'a>(text: &str, moves: &'a [(String, String)]) -> Option<&'a str> {
    let ways: [fn(&str) -> String; 4] = [str::to_string, bare, plain, |text| plain(text).to_lowercase()];
    for way in ways {
        let wanted = way(text);
        if wanted.is_empty() {
            return None;
        }
        let fits = |name: &str, written: &str| way(written) == wanted || way(name) == wanted;
        match fitting(moves, fits).as_slice() {
            [] => {}
            [mv] => return Some(mv),
            _ => return None,
        }
    }
    let text = plain(text);
    let fits = |name: &str, written: &str| says_more(&text, &plain(name), &plain(written));
    match fitting(moves, fits).as_slice() {
        [mv] => Some(mv),
        _ => None,
    }
}

/// The moves that fit.
fn fitting(moves: &[(String, String)], fits: impl Fn(&str, &str) -> bool) -> Vec<&str> {
    let fitting = moves.iter().filter(|(name, written)| fits(name, written));
    fitting.map(|(name, _)| name.as_str()).collect()
}

/// A text without marks.
fn bare(text: &str) -> String {
    text.trim_end_matches(MARKS).to_string()
}

/// A text without marks and separators, and with castling in zeros as in letters.
fn plain(text: &str) -> String {
    let bare = bare(text);
    let passing = EN_PASSANT.iter().find_map(|words| bare.strip_suffix(words));
    let signs: Vec<char> = passing.unwrap_or(&bare).chars().collect();
    let is_kept = |(at, sign): &(usize, char)| {
        let is_inside = *at > 0 && at + 1 < signs.len();
        !(is_inside && SEPARATORS.contains(sign))
    };
    let kept = signs.iter().copied().enumerate().filter(is_kept);
    kept.map(|(_, sign)| if sign == '0' { 'O' } else { sign })
        .collect()
}

/// Whether a text is the notation of a move with more of its name, as `Nge2` for `Ne2` of `g1e2`.
fn says_more(text: &str, name: &str, written: &str) -> bool {
    // The sign of the piece is no part of the name.
    let piece = text.chars().next().filter(|sign| written.starts_with(*sign));
    let behind_piece = text.strip_prefix(|sign| Some(sign) == piece).unwrap_or(text);
    is_part(written, text)
        && [text, behind_piece]
            .iter()
            .any(|rest| !rest.is_empty() && is_part(rest, name))
}

/// Whether the signs of a text are in another one, in the same order.
fn is_part(text: &str, of: &str) -> bool {
    let mut others = of.chars();
    text.chars()
        .all(|sign| others.any(|other| other.eq_ignore_ascii_case(&sign)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The move that a text means, among moves such as `g1e2=Ne2` or `e2e4`.
    fn found(text: &str, moves: &str) -> Option<String> {
        let pair = |mv: &str| {
            let (name, written) = mv.split_once('/').unwrap_or((mv, mv));
            (name.to_string(), written.to_string())
        };
        let moves: Vec<(String, String)> = moves.split(' ').map(pair).collect();
        find(text, &moves).map(str::to_string)
    }

    #[test]
    fn a_text_means_the_only_move_that_fits() {
        let knights = "g1e2/Ne2 g1h3/Nh3 e2e3/e3";
        let captures = "e5d6/exd6 b5c4/bxc4 f1c4/Bxc4+ e7e8q/e8=Q e7e8n/e8=N";
        let castling = "e1g1/O-O e1c1/O-O-O+";
        let ranks = "e8e1/Re1 a1a2/Ra2";
        for (text, moves, expected) in [
            ("Ne2", knights, Some("g1e2")),
            ("g1e2", knights, Some("g1e2")),
            ("Nge2", knights, Some("g1e2")),
            ("Ng1-e2!?", knights, Some("g1e2")),
            ("ne2", knights, Some("g1e2")),
            // The knight on c3 is pinned, and no other one comes from there.
            ("Nce2", knights, None),
            ("N2e2", knights, None),
            ("Ng1", knights, None),
            ("N", knights, None),
            ("R1e1", ranks, None),
            ("R8e1", ranks, Some("e8e1")),
            ("exd6ep", captures, Some("e5d6")),
            ("ed6e.p.", captures, Some("e5d6")),
            ("e5:d6", captures, Some("e5d6")),
            ("Bc4", captures, Some("f1c4")),
            ("BC4", captures, None),
            ("bc4", captures, Some("b5c4")),
            ("e8Q", captures, Some("e7e8q")),
            ("e7-e8=Q", captures, Some("e7e8q")),
            ("e8", captures, None),
            ("0-0", castling, Some("e1g1")),
            ("0-0-0", castling, Some("e1c1")),
            ("o-o+", castling, Some("e1g1")),
            // Names alone, as of a game without a notation.
            ("e2-e4", "e2e4 e2e3", Some("e2e4")),
            ("E2E4", "e2e4 e2e3", Some("e2e4")),
            ("112", "1-12 11-2", None),
            ("1-12", "1-12 11-2", Some("1-12")),
            ("3", "x3 x4", None),
            ("7g7f", "7g7f 7g7f+", Some("7g7f")),
            ("7g7f!", "7g7f 7g7f+", None),
            ("+", "a b", None),
            ("", "a b", None),
        ] {
            assert_eq!(found(text, moves).as_deref(), expected, "{text} in {moves}");
        }
    }
}
