//! What a fault of a player does (`--on-fault`): it loses the game, or a random move takes the
//! place of the missing one.

use std::fmt::{self, Display};
use std::str::FromStr;

use lodestone::random::Random;

use crate::game::{GameMove, Position};
use crate::io::as_text::Text;

/// What a fault does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnFault {
    /// It loses the game.
    #[default]
    Lose,
    /// A random legal move is played, and the game goes on.
    Random {
        /// The fault of a player in a game that loses it all the same, counted from 1; `None` for
        /// never.
        limit: Option<u32>,
    },
}

impl Display for OnFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OnFault::Lose => f.write_str("lose"),
            OnFault::Random { limit: None } => f.write_str("random"),
            OnFault::Random { limit: Some(limit) } => write!(f, "random:{limit}"),
        }
    }
}

impl FromStr for OnFault {
    type Err = String;

    fn from_str(text: &str) -> Result<OnFault, String> {
        let wrong = || format!("expected `lose`, `random` or `random:LIMIT`, LIMIT from 1, found `{text}`");
        match text.split_once(':') {
            None if text == "lose" => Ok(OnFault::Lose),
            None if text == "random" => Ok(OnFault::Random { limit: None }),
            Some(("random", limit)) => match limit.parse() {
                Ok(limit @ 1..) => Ok(OnFault::Random { limit: Some(limit) }),
                _ => Err(wrong()),
            },
            _ => Err(wrong()),
        }
    }
}

impl Text for OnFault {
    fn text(&self) -> impl Display {
        self
    }

    fn read(text: &str) -> Result<OnFault, String> {
        text.parse()
    }
}

/// Draws the moves of one player that replace its missing ones in one game.
#[derive(Clone, Debug)]
pub struct Replacement {
    policy: OnFault,
    random: Random,
    /// The faults so far.
    faults: u32,
}

impl Replacement {
    /// Replaces moves as `policy` says; the moves depend on the seed alone.
    pub fn new(policy: OnFault, random: Random) -> Replacement {
        Replacement {
            policy,
            random,
            faults: 0,
        }
    }

    /// Whether the next fault does not lose.
    pub(crate) fn is_left(&self) -> bool {
        match self.policy {
            OnFault::Lose => false,
            OnFault::Random { limit } => limit.is_none_or(|limit| self.faults + 1 < limit),
        }
    }

    /// The move that replaces the missing one; `None` if the fault loses.
    pub(crate) fn draw(&mut self, position: &dyn Position) -> Option<GameMove> {
        if !self.is_left() {
            return None;
        }
        self.faults += 1;
        self.random.choose(&position.legal_moves()).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Ruleset;

    #[test]
    fn policies_survive_a_round_trip() {
        for text in ["lose", "random", "random:1", "random:30"] {
            assert_eq!(text.parse::<OnFault>().unwrap().to_string(), text);
        }
        for text in ["", "loose", "random:", "random:0", "random:x", "lose:3"] {
            let error = text.parse::<OnFault>().unwrap_err();
            assert!(error.ends_with(&format!("found `{text}`")), "{error}");
        }
    }

    #[test]
    fn the_fault_at_the_limit_loses() {
        let start = Ruleset::default().startpos();
        let drawn = |text: &str| {
            let mut replacement = Replacement::new(text.parse().unwrap(), Random::new(7));
            (0..4)
                .filter(|_| replacement.draw(start.as_ref()).is_some())
                .count()
        };
        assert_eq!(
            ["lose", "random:1", "random:3", "random"].map(drawn),
            [0, 0, 2, 4]
        );
    }
}
