//! What engines claim about positions: `win N`, `loss N` and `draw 0`, and the lines of
//! play that they show.

use lodestone::board::Side;
use lodestone::game::{AnyPosition, GameResult};
use lodestone::score::Score;
use serde::{Deserialize, Serialize};

use super::claimed_result;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ClaimVerdict {
    /// The solver proved it, or the game ended so.
    Right,
    /// The solver disproved it, the engine's own line contradicts it, or the engine did not
    /// reach the result.
    Wrong,
    /// Neither.
    Unverified,
}

/// The claims of a game.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ClaimReport {
    /// For each move after the opening, the verdict on the claim of its player; `None`
    /// without a claim.
    pub verdicts: Vec<Option<ClaimVerdict>>,
    /// The numbers of the moves whose line has an illegal move; the first move of the game,
    /// the opening included, is number 1.
    pub illegal_lines: Vec<u64>,
    /// The first wrong claim or illegal line of each side, as a sentence that follows its
    /// name.
    pub remarks: [Option<String>; 2],
}

/// The verdict on a claim from the end of the game by the rules or by proof. `None` for a
/// game that ended otherwise.
///
/// A player that claims a win or a draw must reach it. One that claims a loss may be saved
/// by a mistake of its opponent.
pub fn by_result(score: Score, player: Side, result: Option<GameResult>) -> ClaimVerdict {
    let (Some(result), Some(claimed)) = (result, claimed_result(score, player)) else {
        return ClaimVerdict::Unverified;
    };
    if result == claimed {
        return ClaimVerdict::Right;
    }
    let lost = result == GameResult::Win(player.opponent());
    match score {
        Score::Win(_) => ClaimVerdict::Wrong,
        Score::Draw if lost => ClaimVerdict::Wrong,
        _ => ClaimVerdict::Unverified,
    }
}

/// Whether the line of a claim contradicts it: it ends the game with another result, or with
/// a win after more plies than claimed.
pub fn by_line(score: Score, position: &dyn AnyPosition, line: &[String]) -> ClaimVerdict {
    let player = position.side_to_move();
    let mut position = position.boxed_clone();
    for text in line {
        let Ok(mv) = position.parse_move(text) else {
            return ClaimVerdict::Unverified;
        };
        position.play(mv);
    }
    let (Some(outcome), Some(claimed)) = (position.outcome(), claimed_result(score, player)) else {
        return ClaimVerdict::Unverified;
    };
    let is_too_long = matches!(score, Score::Win(plies) if line.len() > plies as usize);
    if outcome.result != claimed || is_too_long {
        ClaimVerdict::Wrong
    } else {
        ClaimVerdict::Unverified
    }
}

/// The first illegal move of a line from this position.
pub fn first_illegal<'a>(position: &dyn AnyPosition, line: &'a [String]) -> Option<&'a str> {
    let mut position = position.boxed_clone();
    line.iter().map(String::as_str).find(|text| {
        let mv = position.parse_move(text);
        mv.map(|mv| position.play(mv)).is_err()
    })
}

#[cfg(test)]
mod tests {
    use lodestone::game::Variant;

    use super::*;

    fn line(text: &str) -> Vec<String> {
        text.split_whitespace().map(String::from).collect()
    }

    #[test]
    fn results_confirm_or_refute_claims() {
        use ClaimVerdict::{Right, Unverified, Wrong};
        let (won, lost, drawn) = (
            GameResult::Win(Side::Second),
            GameResult::Win(Side::First),
            GameResult::Draw,
        );
        for (score, expected) in [
            (Score::Win(7), [Right, Wrong, Wrong]),
            (Score::Loss(6), [Unverified, Right, Unverified]),
            (Score::Draw, [Unverified, Wrong, Right]),
            (Score::Cp(900), [Unverified; 3]),
        ] {
            for (result, expected) in [won, lost, drawn].into_iter().zip(expected) {
                let found = by_result(score, Side::Second, Some(result));
                assert_eq!(found, expected, "{score}, {result}");
            }
            assert_eq!(by_result(score, Side::Second, None), Unverified);
        }
    }

    #[test]
    fn lines_refute_claims() {
        let position = Variant::MagneticCave.startpos();
        let win = line("a1 h1 a2 h2 a3 h3 a4 h4 a5");
        for (score, length, expected) in [
            (Score::Win(9), 9, ClaimVerdict::Unverified),
            (Score::Win(8), 9, ClaimVerdict::Wrong),
            (Score::Win(8), 8, ClaimVerdict::Unverified),
            (Score::Draw, 9, ClaimVerdict::Wrong),
            (Score::Loss(9), 9, ClaimVerdict::Wrong),
            (Score::Cp(0), 9, ClaimVerdict::Unverified),
        ] {
            let found = by_line(score, position.as_ref(), &win[..length]);
            assert_eq!(found, expected, "{score}, {length}");
        }
        let illegal = line("a1 d4");
        let found = by_line(Score::Win(1), position.as_ref(), &illegal);
        assert_eq!(found, ClaimVerdict::Unverified);
        assert_eq!(first_illegal(position.as_ref(), &illegal), Some("d4"));
        assert_eq!(first_illegal(position.as_ref(), &win), None);
        // No move is legal after the end.
        let longer = [win, line("h5")].concat();
        assert_eq!(first_illegal(position.as_ref(), &longer), Some("h5"));
    }
}
