//! Games by hand: two people, or a person and a program, or two programs; several at a time.
//!
//! * [`order`]: what a page may ask; [`state`]: what it sees; `requests`: the requests.
//! * [`seat`]: who plays; [`board`]: the game, in a thread; [`adviser`]: hints and analysis; `watcher`: a search.
//! * [`store`]: the files of the boards; [`beginning`]: how a new one begins.

pub mod adviser;
pub mod beginning;
pub mod board;
pub mod order;
mod requests;
pub mod seat;
pub mod state;
pub mod store;
mod watcher;

use std::collections::BTreeMap;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use referee_core::game::Game;
use referee_core::results::stored_game;
use serde_json::{Value, json};

use self::adviser::{Adviser, Purpose};
use self::board::{Board, Context, Players, Request};
use self::order::NewBoard;
use self::seat::Times;
use self::state::SharedState;
use self::store::SavedBoard;
use crate::reply::{Refusal, Reply};

pub use self::requests::routes;

/// The most boards at a time.
const MAX_BOARDS: usize = 128;

/// A board with its threads.
#[derive(Clone, Debug)]
struct Handle {
    orders: Sender<Request>,
    shared: Arc<SharedState>,
    game: Arc<Mutex<Game>>,
    hints: Arc<Adviser>,
    analysis: Arc<Adviser>,
}

#[derive(Debug)]
pub struct Boards {
    context: Context,
    entries: Mutex<Entries>,
}

#[derive(Debug)]
struct Entries {
    all: BTreeMap<u64, Handle>,
    /// The number of boards whose programs are starting.
    starting: usize,
    /// The number of the last board.
    last: u64,
}

impl Boards {
    /// The boards in the folder. Their games are paused.
    pub fn open(context: Context) -> Arc<Boards> {
        let saved = context.folder.load(context.offer.rules);
        let last = context.folder.last();
        let boards = Arc::new(Boards {
            context,
            entries: Mutex::new(Entries {
                all: BTreeMap::new(),
                starting: 0,
                last,
            }),
        });
        for (id, saved) in saved {
            match boards.load(id, &saved).and_then(|board| boards.run(board)) {
                Ok(handle) => {
                    boards.lock().all.insert(id, handle);
                }
                Err(why) => log::warn!("board {id} cannot be shown: {why}"),
            }
        }
        boards
    }

    fn lock(&self) -> MutexGuard<'_, Entries> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the threads of all boards; their files stay.
    pub fn close(&self) {
        self.lock().all.clear();
    }

    fn list(&self) -> Value {
        let entries = self.lock();
        let boards = entries.all.values().rev();
        json!({"boards": boards.map(|handle| handle.shared.state().entry()).collect::<Value>()})
    }

    /// Makes a board; blocks until its programs have started.
    fn create(&self, new: NewBoard) -> Reply<u64> {
        let id = {
            let mut entries = self.lock();
            if entries.all.len() + entries.starting >= MAX_BOARDS {
                return Err(Refusal::too_many(format!(
                    "there are {MAX_BOARDS} boards; close one"
                )));
            }
            entries.starting += 1;
            entries.last += 1;
            entries.last
        };
        let handle = self.make(id, new);
        let mut entries = self.lock();
        entries.starting -= 1;
        entries.all.insert(id, handle?);
        Ok(id)
    }

    fn make(&self, id: u64, new: NewBoard) -> Reply<Handle> {
        let times = beginning::times(&new)?;
        let (rules, setup) = (self.context.offer.rules, beginning::setup(&new)?);
        let stored = beginning::stored(&new, &self.context.offer.results, rules)?;
        let seats = Players {
            ids: new.players,
            times,
            setup,
            starts: true,
        };
        let board = Board::new(id, self.context.clone(), seats, |controls| match stored {
            None => beginning::new_game(rules, setup, controls),
            Some(game) => Ok(game.replayed(new.plies.unwrap_or(usize::MAX), &[], controls)),
        });
        let board = board.map_err(Refusal::wrong)?;
        self.run(board).map_err(Refusal::failed)
    }

    /// Starts the threads of a board.
    fn run(&self, board: Board) -> Result<Handle, String> {
        let (orders, received) = channel();
        let (rules, interrupt) = (self.context.offer.rules, &self.context.interrupt);
        let shared = board.shared();
        let game = Arc::new(Mutex::new(board.game().clone()));
        let handle = Handle {
            orders,
            game: Arc::clone(&game),
            hints: Arc::new(Adviser::start(Purpose::Hint, rules, &shared, interrupt)),
            analysis: Arc::new(Adviser::start(Purpose::Analysis, rules, &shared, interrupt)),
            shared,
        };
        let changed = move |now: &Game| {
            let mut game = game.lock().unwrap_or_else(PoisonError::into_inner);
            if game.moves() != now.moves() {
                *game = now.clone();
            }
        };
        let thread = thread::Builder::new().name("board".into());
        let started = thread.spawn(move || board.run(&received, changed));
        started.map(|_| handle).map_err(|error| error.to_string())
    }

    /// The board with this number.
    fn get(&self, id: u64) -> Reply<Handle> {
        let handle = self.lock().all.get(&id).cloned();
        handle.ok_or_else(|| Refusal::unknown(format!("there is no board {id}")))
    }

    /// A board of a file.
    fn load(&self, id: u64, saved: &SavedBoard) -> Result<Board, String> {
        let context = &self.context;
        let times = Times {
            clock: saved.clock,
            per_move: Duration::from_millis(saved.per_move),
        };
        let seats = Players {
            ids: saved.players.clone(),
            times,
            setup: saved.setup,
            starts: false,
        };
        let board = Board::new(id, context.clone(), seats, |controls| {
            let game = stored_game::parse(&saved.text, Some(context.offer.rules))?;
            Ok(game.replayed(usize::MAX, &saved.ms, controls))
        });
        Ok(board?.resumed(saved.over.clone()))
    }
}
