//! The events of a command that plays games, and the running games that they make.

use referee::{GameView, MoveView, Record};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The number of boards of a running game that are kept: the last position, and the one before it.
const BOARDS: usize = 2;

/// A running game: the fields of the event that begins it, longer by each move.
#[derive(Debug, Serialize)]
pub struct LiveGame {
    id: u64,
    players: [String; 2],
    #[serde(flatten)]
    view: GameView,
}

impl LiveGame {
    /// A game that begins.
    pub fn new(id: u64, players: [String; 2], view: GameView) -> LiveGame {
        let mut game = LiveGame { id, players, view };
        game.drop_boards();
        game
    }

    /// Adds a move.
    pub fn push(&mut self, last: MoveView) {
        self.view.push(last);
        self.drop_boards();
    }

    /// Keeps only the last boards, which spectators see: all boards of a game by a rules program would be most of
    /// what is sent.
    fn drop_boards(&mut self) {
        for board in self.view.boards.iter_mut().flatten().rev().skip(BOARDS) {
            *board = Value::Null;
        }
    }
}

/// A line of `referee analyze --json` about a game. Only games of result files have numbers.
#[derive(Deserialize)]
pub struct AnalysedGame {
    pub game: Option<u64>,
    #[serde(rename = "analysis")]
    _analysis: IgnoredAny,
}

/// A finished game.
#[derive(Clone, Debug, Serialize)]
pub struct LastGame {
    id: u64,
    first: String,
    second: String,
    result: String,
    reason: String,
    detail: String,
}

impl LastGame {
    /// The game of a record.
    pub fn new(record: &Record) -> LastGame {
        LastGame {
            id: record.id,
            first: record.first.clone(),
            second: record.second.clone(),
            result: record.result.to_string(),
            reason: record.reason.clone(),
            detail: record.detail.clone(),
        }
    }
}
