//! The events of a command that plays games, and the running games that they make.

use std::borrow::Cow;

use referee::game::view::{GameView, MoveView};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::records::{GameEntry, Head};

/// A running game: the fields of the event that begins it, longer by each move.
#[derive(Debug, Serialize, Deserialize)]
pub struct LiveGame {
    pub id: u64,
    players: [String; 2],
    #[serde(flatten)]
    view: GameView,
}

impl LiveGame {
    /// Adds a move.
    pub fn push(&mut self, last: MoveView) {
        self.view.push(last);
        self.drop_boards();
    }

    /// Keeps only the last board of those that the rules draw as text, which would be most of what is sent.
    pub fn drop_boards(&mut self) {
        let texts = self.view.grids.iter_mut().rev().skip(1);
        texts
            .filter(|board| board.is_object())
            .for_each(|board| *board = Value::Null);
    }
}

/// The kind of an event.
#[derive(Deserialize)]
pub struct EventKind<'a> {
    #[serde(borrow)]
    pub event: Cow<'a, str>,
}

/// A match begins or resumes.
#[derive(Deserialize)]
pub struct StartEvent {
    pub header: Head,
    pub games: u64,
    pub played: u64,
}

/// A move of a running game.
#[derive(Deserialize)]
pub struct MoveEvent {
    pub id: u64,
    #[serde(flatten)]
    pub last: MoveView,
}

/// The progress of a match.
#[derive(Deserialize)]
pub struct StatusEvent {
    pub games: u64,
    pub played: u64,
    pub seconds_left: Option<u64>,
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
    pub fn new(entry: &GameEntry<'_>) -> LastGame {
        LastGame {
            id: entry.id,
            first: entry.first.to_string(),
            second: entry.second.to_string(),
            result: entry.result.to_string(),
            reason: entry.reason.to_string(),
            detail: entry.detail.to_string(),
        }
    }
}
