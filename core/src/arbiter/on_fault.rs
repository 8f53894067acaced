//! What a fault of a player does (`--on-fault`): it loses the game, or a random move takes the
//! place of the missing one.

use std::fmt::{self, Display};

use lodestone_game::random::Random;

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

impl Text for OnFault {
    fn text(&self) -> impl Display {
        self
    }

    fn read(text: &str) -> Result<OnFault, String> {
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

/// Draws the moves of one player that replace its missing ones in one game.
#[derive(Clone, Debug)]
pub struct Replacement {
    /// [`OnFault::Random`]'s limit.
    limit: Option<u32>,
    random: Random,
    /// The faults so far.
    faults: u32,
}

impl Replacement {
    /// Replaces moves up to the limit of [`OnFault::Random`]; they depend on the seed alone.
    pub fn new(limit: Option<u32>, random: Random) -> Replacement {
        Replacement {
            limit,
            random,
            faults: 0,
        }
    }

    /// The move that replaces the missing one; `None` if the fault loses.
    pub(crate) fn draw(&mut self, position: &dyn Position) -> Option<GameMove> {
        if self.limit.is_some_and(|limit| self.faults + 1 >= limit) {
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
            assert_eq!(OnFault::read(text).unwrap().to_string(), text);
        }
        for text in ["", "loose", "random:", "random:0", "random:x", "lose:3"] {
            let error = OnFault::read(text).unwrap_err();
            assert!(error.ends_with(&format!("found `{text}`")), "{error}");
        }
    }

    #[test]
    fn the_fault_at_the_limit_loses() {
        let start = Ruleset::default().startpos();
        let drawn = |limit| {
            let mut replacement = Replacement::new(limit, Random::new(7));
            (0..4)
                .filter(|_| replacement.draw(start.as_ref()).is_some())
                .count()
        };
        assert_eq!([Some(1), Some(3), None].map(drawn), [0, 2, 4]);
    }
}
