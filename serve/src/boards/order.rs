//! What a page may ask of a board.

use std::time::Duration;

use referee_core::game::clock::TimeControl;
use serde::{Deserialize, Serialize};

/// A clock for a game, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameClock {
    /// The time at the start, 1 second to 10 hours.
    pub base: u64,
    /// The increment of each move, up to an hour.
    pub increment: u64,
}

impl GameClock {
    /// It as a time control.
    pub const fn control(self) -> TimeControl {
        TimeControl::Clock {
            moves: None,
            base: Duration::from_millis(self.base),
            increment: Duration::from_millis(self.increment),
        }
    }

    /// Why it cannot be used.
    pub fn problem(self) -> Option<&'static str> {
        let is_fit = (1_000..=36_000_000).contains(&self.base) && self.increment <= 3_600_000;
        (!is_fit).then_some("a clock has 1 second to 10 hours, and an increment of at most an hour")
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewBoard {
    /// The ids of the players, the first player's first.
    pub players: [String; 2],
    /// The clock; without one, each program has its time per move.
    pub clock: Option<GameClock>,
    /// The seconds per move of programs that have no time of their own.
    pub seconds: Option<f64>,
    /// Pieces of each side, in a game with a set-up.
    pub pieces: Option<u32>,
    /// The turn limit, in a game with a set-up.
    pub turns: Option<u32>,
    /// A file with a game to continue: a saved game, PGN or a result file.
    pub saved: Option<String>,
    /// A file of the folder of results instead.
    pub file: Option<String>,
    /// The number of the game in the file.
    pub game: Option<u64>,
    /// The number of moves of the game to keep.
    pub plies: Option<usize>,
}

/// What a page asks of a board.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "do", rename_all = "lowercase")]
pub enum Order {
    /// Play a move of a person.
    Move {
        /// The move.
        #[serde(rename = "move")]
        text: String,
        /// The number of moves before it, as the page knows them.
        plies: usize,
    },
    /// Take back the last move of a person and the replies, or the end of the game.
    Undo,
    /// Give up, as the person to move or the only person.
    Resign,
    /// Drop the moves after this number of them, and go on from there.
    Continue {
        /// The number of moves to keep.
        plies: usize,
    },
    /// Change who plays.
    Players {
        /// The ids of the players.
        players: [String; 2],
    },
    /// Hold a game of two programs, or let it go on.
    Pause {
        /// Whether to hold it.
        on: bool,
    },
    /// Begin another game with the same players.
    Again,
    /// Ask a program that has failed again.
    Retry,
    /// Ask a player for a move.
    Hint {
        /// The id of the player.
        player: String,
    },
    /// Let a player analyse a position, or end the analysis.
    Analyse {
        /// The id of the player; null ends the analysis.
        player: Option<String>,
        /// The number of moves before the position.
        plies: usize,
    },
    /// Close the board.
    Close,
}
