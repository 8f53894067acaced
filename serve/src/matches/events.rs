//! The events of a command that plays games, and the running games that they make.

use referee::{GameView, MoveView, Record};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::Value;

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

    /// Keeps only the last board of those that the rules draw as text, which would be most of what is sent.
    fn drop_boards(&mut self) {
        let texts = self.view.grids.iter_mut().rev().skip(1);
        texts
            .filter(|board| board.is_object())
            .for_each(|board| *board = Value::Null);
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
