//! Adjudication: the rules that end a game before its end, and what engines claim about
//! positions. Pure functions; [`crate::arbiter::adjudicator`] applies them to a game.

mod counters;
mod rules;

pub(crate) use counters::recurs_but_for_counters;
pub(crate) use rules::{DrawRule, ProveRule, ResignRule};

use crate::game::Position;
use lodestone::board::Side;
use lodestone::game::GameResult;
use lodestone::score::Score;
use serde::{Deserialize, Serialize};

/// The reason word of games that were ended by `--draw`, `--resign` or `--prove`.
pub const ADJUDICATED: &str = "adjudicated";

/// Which games are ended early, and whether claims are checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rules {
    pub draw: Option<DrawRule>,
    pub resign: Option<ResignRule>,
    pub prove: Option<ProveRule>,
    /// A game is drawn after this number of moves.
    pub max_plies: Option<u64>,
    /// A game is drawn when a position has occurred this number of times.
    pub repetition: Option<u64>,
    pub checks_claims: bool,
}

impl Rules {
    /// Whether a solver is needed.
    pub(crate) const fn needs_solver(&self) -> bool {
        self.prove.is_some() || self.checks_claims
    }
}

/// Why a game was ended before its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Adjudication {
    /// By `--draw`, after this number of plies.
    Draw(DrawRule, usize),
    /// By `--resign`: the player that lost.
    Resign(ResignRule, Side),
    /// By `--prove`.
    Proven {
        result: GameResult,
        /// The largest number of plies that the game could still last.
        plies_left: u32,
    },
    /// By `--max-plies`, after this number of moves.
    Limit(u64),
    /// By `--repetition`: how often the position has occurred.
    Repetition(u64),
}

impl Adjudication {
    /// The reason word of result files.
    pub(crate) const fn reason(&self) -> &'static str {
        match self {
            Adjudication::Limit(_) => "limit",
            Adjudication::Repetition(_) => "repetition",
            _ => ADJUDICATED,
        }
    }

    pub(crate) const fn result(&self) -> GameResult {
        match self {
            Adjudication::Draw(..) | Adjudication::Limit(_) | Adjudication::Repetition(_) => GameResult::Draw,
            Adjudication::Resign(_, loser) => GameResult::Win(loser.opponent()),
            Adjudication::Proven { result, .. } => *result,
        }
    }

    /// A sentence without full stop. `names` are those of the first and the second player.
    pub(crate) fn detail(&self, names: [&str; 2]) -> String {
        match self {
            Adjudication::Draw(rule, plies) => format!(
                "draw rule: both players' scores were within {} cp of 0 for {} in a row, after {plies} plies",
                rule.score,
                moves(rule.count)
            ),
            Adjudication::Resign(rule, loser) => {
                let (loser, winner) = (names[loser.index()], names[loser.opponent().index()]);
                let ResignRule {
                    count,
                    score,
                    two_sided,
                } = rule;
                let count = moves(*count);
                let other = if *two_sided {
                    format!(", and the score of {winner} was at least {score} cp")
                } else {
                    String::new()
                };
                format!(
                    "resign rule: the score of {loser} was at most -{score} cp for {count} in a row{other}"
                )
            }
            Adjudication::Limit(plies) => format!("the game was stopped after {}", moves(*plies)),
            Adjudication::Repetition(count) => format!("the position occurred {count} times"),
            Adjudication::Proven { result, plies_left } => {
                let what = match result {
                    GameResult::Win(winner) => format!("a win of {}", names[winner.index()]),
                    GameResult::Draw => "a draw".into(),
                };
                let plural = if *plies_left == 1 { "y" } else { "ies" };
                format!(
                    "proof rule: the solver proved {what}, at most {plies_left} pl{plural} before the end"
                )
            }
        }
    }
}

fn moves(count: u64) -> String {
    match count {
        1 => "1 move".into(),
        count => format!("{count} moves"),
    }
}

/// The result that a score claims for the side to move; `None` for an evaluation.
pub const fn claimed_result(score: Score, mover: Side) -> Option<GameResult> {
    match score {
        Score::Cp(_) => None,
        Score::Win(_) => Some(GameResult::Win(mover)),
        Score::Loss(_) => Some(GameResult::Win(mover.opponent())),
        Score::Draw => Some(GameResult::Draw),
    }
}

/// The verdict on what a player claimed: `win N`, `loss N` or `draw 0`.
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
pub fn by_line(score: Score, position: &dyn Position, line: &[String]) -> ClaimVerdict {
    let player = position.side_to_move();
    let mut position = position.boxed_clone();
    for text in line {
        let Ok(mv) = position.parse_move(text) else {
            return ClaimVerdict::Unverified;
        };
        match position.after(&mv) {
            Ok(after) => position = after,
            Err(_) => return ClaimVerdict::Unverified,
        }
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
pub fn first_illegal<'a>(position: &dyn Position, line: &'a [String]) -> Option<&'a str> {
    let mut position = position.boxed_clone();
    line.iter().map(String::as_str).find(|text| {
        let after = position
            .parse_move(text)
            .ok()
            .and_then(|mv| position.after(&mv).ok());
        after.map(|after| position = after).is_none()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Ruleset;

    #[test]
    fn sentences_name_the_rule_and_its_numbers() {
        let draw = "movenumber=20 movecount=4 score=15".parse::<DrawRule>().unwrap();
        let names = ["one", "two"];
        let ended = Adjudication::Draw(draw, 44);
        assert_eq!(
            (ended.detail(names), ended.result()),
            (
                "draw rule: both players' scores were within 15 cp of 0 for 4 moves in a row, after 44 plies"
                    .into(),
                GameResult::Draw
            )
        );
        let resign = |text: &str| text.parse::<ResignRule>().unwrap();
        let one_sided = Adjudication::Resign(resign("movecount=1 score=600"), Side::First);
        assert_eq!(
            (one_sided.detail(names), one_sided.result()),
            (
                "resign rule: the score of one was at most -600 cp for 1 move in a row".into(),
                GameResult::Win(Side::Second)
            )
        );
        let two_sided = Adjudication::Resign(resign("movecount=3 score=600 twosided=true"), Side::Second);
        assert!(
            two_sided
                .detail(names)
                .ends_with("for 3 moves in a row, and the score of one was at least 600 cp"),
        );
        for (result, plies_left, expected) in [
            (GameResult::Draw, 1, "proved a draw, at most 1 ply before the end"),
            (
                GameResult::Win(Side::Second),
                9,
                "proved a win of two, at most 9 plies before the end",
            ),
        ] {
            let proven = Adjudication::Proven { result, plies_left };
            assert_eq!(proven.result(), result);
            assert!(
                proven.detail(names).ends_with(expected),
                "{}",
                proven.detail(names)
            );
        }
    }

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
        let position = Ruleset::MAGNETIC_CAVE.startpos();
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
