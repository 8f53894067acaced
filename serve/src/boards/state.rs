//! The state of a board as pages see it, and its changes.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use referee::LineView;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::broadcast::{self, error::RecvError};

use crate::live::{CLOSED, Feed, NamedGame};

#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SeatView {
    /// The id of the player.
    pub id: String,
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

#[derive(Clone, Debug, Default, Serialize)]
#[serde(tag = "kind", rename = "board")]
pub struct BoardState {
    /// The number of the board.
    pub id: u64,
    pub game: NamedGame,
    /// All beside the game.
    #[serde(flatten)]
    pub now: Now,
}

impl BoardState {
    /// The board in a list.
    pub fn entry(&self) -> Value {
        json!({
            "id": self.id, "players": self.game.players, "moves": self.game.view.moves.len(),
            "isOver": self.now.over.is_some(), "status": self.now.status,
        })
    }
}

/// What changes beside the game.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Now {
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
    pub analysis: Option<Advice>,
    /// Whether there is something to take back.
    pub can_undo: bool,
}

/// The number of changes that a slow page may lag behind. After that it gets the whole state.
const LAG: usize = 64;

/// The state that the threads of a board share. A page that connects gets the whole state, then what changes;
/// without pages, no message is made.
#[derive(Debug)]
pub struct SharedState {
    state: Mutex<BoardState>,
    changes: broadcast::Sender<Arc<str>>,
}

impl SharedState {
    /// The first state.
    pub fn new(state: BoardState) -> Arc<SharedState> {
        Arc::new(SharedState {
            state: Mutex::new(state),
            changes: broadcast::Sender::new(LAG),
        })
    }

    /// Changes what there is beside the game, and sends it to all pages.
    pub fn update(&self, change: impl FnOnce(&mut Now)) {
        let mut state = self.state();
        change(&mut state.now);
        self.send_change(&state, None);
    }

    /// Sets the game and what there is beside it. The pages get the game, or what was added to it.
    pub fn set_game(&self, game: NamedGame, change: impl FnOnce(&mut Now)) {
        let mut state = self.state();
        let old = std::mem::replace(&mut state.game, game);
        change(&mut state.now);
        self.send_change(&state, Some(&old));
    }

    /// Whether a page follows the board.
    pub fn is_followed(&self) -> bool {
        self.changes.receiver_count() > 0
    }

    fn send_change(&self, state: &BoardState, old: Option<&NamedGame>) {
        if !self.is_followed() {
            return;
        }
        let mut message = json!(state.now);
        message["kind"] = "change".into();
        if let Some(old) = old {
            let (game, moves) = (&state.game, &old.view.moves);
            let is_same = (&game.players, &game.view.start) == (&old.players, &old.view.start);
            if is_same && game.view.moves.starts_with(moves) {
                message["added"] = game.view.since(moves.len());
            } else {
                message["game"] = json!(game);
            }
        }
        self.send(&message.to_string());
    }

    /// The state now.
    pub fn state(&self) -> MutexGuard<'_, BoardState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The state and its changes from now on, as JSON.
    pub fn follow(self: &Arc<SharedState>) -> Changes {
        let state = self.state();
        Changes {
            whole: Some(text(&state)),
            messages: self.changes.subscribe(),
            shared: Arc::downgrade(self),
        }
    }

    /// Tells all pages that the board is closed.
    pub fn close(&self) {
        self.send(CLOSED);
    }

    fn send(&self, text: &str) {
        // The last page may have gone.
        let _ = self.changes.send(text.into());
    }
}

/// The messages for a page of a board.
pub struct Changes {
    whole: Option<Arc<str>>,
    messages: broadcast::Receiver<Arc<str>>,
    shared: Weak<SharedState>,
}

impl Feed for Changes {
    async fn next(&mut self) -> Option<Arc<str>> {
        if let Some(whole) = self.whole.take() {
            return Some(whole);
        }
        match self.messages.recv().await {
            Ok(text) => Some(text),
            Err(RecvError::Lagged(_)) => {
                *self = self.shared.upgrade()?.follow();
                self.whole.take()
            }
            Err(RecvError::Closed) => None,
        }
    }
}

fn text(state: &BoardState) -> Arc<str> {
    // Nothing in it can fail: all keys are texts.
    serde_json::to_string(state).unwrap_or_default().into()
}
