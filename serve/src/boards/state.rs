//! The state of a board as pages see it, and its changes.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use referee::{GameView, LineView};
use serde::{Deserialize, Serialize};
use tokio::sync::watch;

/// A seat.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SeatView {
    /// The id of the player.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Whether a person plays.
    pub is_human: bool,
}

/// How a game ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Over {
    /// `1-0`, `0-1` or `1/2-1/2`.
    pub result: String,
    /// A word of result files.
    pub reason: String,
    /// A sentence.
    pub text: String,
}

/// What a program says of a position.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Advice {
    /// The id of the player who says it.
    pub player: String,
    /// The number of the question: the same answer to another one is news.
    pub number: u64,
    /// The number of moves before the position.
    pub plies: usize,
    /// Whether the search has ended.
    pub is_over: bool,
    /// The move, at the end of the search.
    #[serde(rename = "move")]
    pub text: Option<String>,
    /// Milliseconds since the search began.
    pub elapsed: u64,
    /// The depth of the search in plies.
    pub depth: Option<u32>,
    /// The score for the side to move, such as `cp 12`.
    pub score: Option<String>,
    /// The number of nodes.
    pub nodes: Option<u64>,
    /// The expected line.
    pub pv: Vec<String>,
    /// The positions of this line, as far as they are known.
    pub boards: LineView,
    /// Why there is no answer, as a sentence.
    pub failure: Option<String>,
}

impl Advice {
    /// The end of a search without an answer.
    #[must_use]
    pub fn failed(self, why: String) -> Advice {
        Advice {
            failure: Some(why),
            is_over: true,
            ..self
        }
    }
}

/// A game with what identifies it.
#[derive(Clone, Debug, Default, Serialize)]
pub struct NamedGame {
    /// The number of the board.
    pub id: u64,
    /// The names of the players.
    pub players: [String; 2],
    /// The game.
    #[serde(flatten)]
    pub view: GameView,
}

/// The state of a board.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(tag = "kind", rename = "board", rename_all = "camelCase")]
pub struct BoardState {
    /// The number of the board.
    pub id: u64,
    /// The game.
    pub game: NamedGame,
    /// Who plays.
    pub seats: [SeatView; 2],
    /// The legal moves of the last position.
    pub legal: Vec<String>,
    /// The side to move, 1 or 2.
    pub side: usize,
    /// What the program to move reports.
    pub thinking: Option<Advice>,
    /// The side whose clock runs.
    pub running: Option<usize>,
    /// Whether the game is held.
    pub is_paused: bool,
    /// How the game ended.
    pub over: Option<Over>,
    /// The state as a sentence.
    pub status: String,
    /// The dialogue with the program that lost the game by a fault.
    pub fault: Option<String>,
    /// The last hint.
    pub hint: Option<Advice>,
    /// The analysis.
    pub analysis: Option<Advice>,
    /// Whether there is something to take back.
    pub can_undo: bool,
}

/// The state that the threads of a board share.
#[derive(Debug)]
pub struct SharedState {
    state: Mutex<BoardState>,
    updates: watch::Sender<Arc<str>>,
}

impl SharedState {
    /// The first state.
    pub fn new(state: BoardState) -> Arc<SharedState> {
        let (updates, _) = watch::channel(text(&state));
        Arc::new(SharedState {
            state: Mutex::new(state),
            updates,
        })
    }

    /// Changes the state, and sends it to all pages.
    pub fn update(&self, change: impl FnOnce(&mut BoardState)) {
        let mut state = self.state();
        change(&mut state);
        self.updates.send_replace(text(&state));
    }

    /// The state now.
    pub fn state(&self) -> MutexGuard<'_, BoardState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The states from now on, as JSON.
    pub fn follow(&self) -> watch::Receiver<Arc<str>> {
        self.updates.subscribe()
    }

    /// Tells all pages that the board is closed.
    pub fn close(&self) {
        self.updates.send_replace(r#"{"kind":"closed"}"#.into());
    }
}

fn text(state: &BoardState) -> Arc<str> {
    // Nothing in it can fail: all keys are texts.
    serde_json::to_string(state).unwrap_or_default().into()
}
