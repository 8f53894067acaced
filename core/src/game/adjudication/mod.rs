//! Adjudication: the rules that end a game before its end. Pure functions;
//! [`crate::arbiter::adjudicator`] applies them to a game.

mod counters;
mod rules;

pub use counters::recurs_but_for_counters;
pub use rules::{DrawRule, ProveRule, ResignRule};

use lodestone_game::GameResult;
use lodestone_game::board::Side;
use lodestone_game::score::Score;
use serde::{Deserialize, Serialize};

use super::reason::OtherEnd;
use crate::io::as_text;
use crate::io::text::counted;

/// Which games are ended early, also as a part of the header of a result file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rules {
    /// The rule that ends even games (`--draw`).
    #[serde(default, skip_serializing_if = "Option::is_none", with = "as_text::optional")]
    pub draw: Option<DrawRule>,
    /// The rule that ends lost games (`--resign`).
    #[serde(default, skip_serializing_if = "Option::is_none", with = "as_text::optional")]
    pub resign: Option<ResignRule>,
    /// The rule that ends proven games (`--prove`).
    #[serde(default, skip_serializing_if = "Option::is_none", with = "as_text::optional")]
    pub prove: Option<ProveRule>,
    /// The number of moves after which a game is drawn (`--max-plies`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_plies: Option<u64>,
    /// The number of occurrences of a position that make a draw (`--repetition`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repetition: Option<u64>,
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
        /// The result that is given to the game.
        result: GameResult,
        /// The largest number of plies that the game could still last; `None` if the rules of the game knew the result.
        plies_left: Option<u32>,
    },
    /// By `--max-plies`, after this number of moves.
    Limit(u64),
    /// By `--repetition`: how often the position has occurred.
    Repetition(u64),
}

impl Adjudication {
    /// Its reason in result files.
    pub(crate) const fn reason(&self) -> OtherEnd {
        match self {
            Adjudication::Limit(_) => OtherEnd::Limit,
            Adjudication::Repetition(_) => OtherEnd::Repetition,
            Adjudication::Draw(..) | Adjudication::Resign(..) | Adjudication::Proven { .. } => {
                OtherEnd::Adjudicated
            }
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
                counted(rule.count as usize, "move")
            ),
            Adjudication::Resign(rule, loser) => {
                let (loser, winner) = (names[loser.index()], names[loser.opponent().index()]);
                let (score, count) = (rule.score, counted(rule.count as usize, "move"));
                let other = if rule.two_sided {
                    format!(", and the score of {winner} was at least {score} cp")
                } else {
                    String::new()
                };
                format!(
                    "resign rule: the score of {loser} was at most -{score} cp for {count} in a row{other}"
                )
            }
            Adjudication::Limit(plies) => {
                format!("the game was stopped after {}", counted(*plies as usize, "move"))
            }
            Adjudication::Repetition(count) => format!("the position occurred {count} times"),
            Adjudication::Proven { result, plies_left } => {
                let what = match result {
                    GameResult::Win(winner) => format!("a win of {}", names[winner.index()]),
                    GameResult::Draw => "a draw".into(),
                };
                let Some(plies_left) = *plies_left else {
                    return format!("proof rule: by the tables of the game, the position is {what}");
                };
                let plural = if plies_left == 1 { "y" } else { "ies" };
                format!(
                    "proof rule: the solver proved {what}, at most {plies_left} pl{plural} before the end"
                )
            }
        }
    }
}

/// The result that a score claims for the side to move; `None` for an evaluation.
pub(crate) const fn claimed_result(score: Score, mover: Side) -> Option<GameResult> {
    match score {
        Score::Cp(_) => None,
        Score::Win(_) => Some(GameResult::Win(mover)),
        Score::Loss(_) => Some(GameResult::Win(mover.opponent())),
        Score::Draw => Some(GameResult::Draw),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::as_text::Text as _;
    use sentences::{assert_has, expect};

    #[test]
    fn sentences_name_the_rule_and_its_numbers() {
        let draw = DrawRule::read("movenumber=20 movecount=4 score=15").unwrap();
        let names = ["one", "two"];
        let ended = Adjudication::Draw(draw, 44);
        assert_eq!(ended.result(), GameResult::Draw);
        expect! {"draw rule: both players' scores were within 15 cp of 0 for 4 moves in a row, after 44 plies"}
            .assert_eq(&ended.detail(names));
        let resign = |text: &str| ResignRule::read(text).unwrap();
        let one_sided = Adjudication::Resign(resign("movecount=1 score=600"), Side::First);
        assert_eq!(one_sided.result(), GameResult::Win(Side::Second));
        expect! {"resign rule: the score of one was at most -600 cp for 1 move in a row"}
            .assert_eq(&one_sided.detail(names));
        let two_sided = Adjudication::Resign(resign("movecount=3 score=600 twosided=true"), Side::Second);
        assert_has(
            two_sided.detail(names),
            expect! {"for 3 moves in a row, and the score of one was at least 600 cp"},
        );
        for (result, plies_left, expected) in [
            (
                GameResult::Draw,
                None,
                expect! {"by the tables of the game, the position is a draw"},
            ),
            (
                GameResult::Draw,
                Some(1),
                expect! {"proved a draw, at most 1 ply before the end"},
            ),
            (
                GameResult::Win(Side::Second),
                Some(9),
                expect! {"proved a win of two, at most 9 plies before the end"},
            ),
        ] {
            let proven = Adjudication::Proven { result, plies_left };
            assert_eq!(proven.result(), result);
            assert_has(proven.detail(names), expected);
        }
    }
}
