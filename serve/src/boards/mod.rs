//! Games by hand: two people, or a person and a program, or two programs; several at a time.
//!
//! * [`order`]: what a page may ask; [`state`]: what it sees; `requests`: the requests.
//! * [`seat`]: who plays; [`board`]: the game, in a thread; [`adviser`]: hints and analysis.
//! * [`store`]: the files of the boards; [`beginning`]: how a new one begins.

pub mod adviser;
pub mod beginning;
pub mod board;
pub mod order;
mod requests;
pub mod seat;
pub mod state;
pub mod store;

use std::collections::BTreeMap;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use referee::game::Game;
use serde_json::{Value, json};

use self::adviser::{Adviser, Purpose};
use self::board::{Board, Players, Request, Room};
use self::order::NewBoard;
use self::seat::Times;
use self::state::Shared;
use self::store::Saved;
use crate::known::HUMAN;
use crate::reply::{Refusal, Reply};

pub use self::requests::routes;

/// The most boards at a time.
const MAX_BOARDS: usize = 32;

/// A board with its threads.
#[derive(Clone, Debug)]
struct Handle {
    orders: Sender<Request>,
    shared: Arc<Shared>,
    game: Arc<Mutex<Game>>,
    hints: Arc<Adviser>,
    analysis: Arc<Adviser>,
}

/// A board of this run, or one whose programs do not run yet.
#[derive(Clone, Debug)]
enum Entry {
    Awake(Handle),
    Asleep(Box<Saved>),
}

/// All boards. A copy is another handle of the same ones.
#[derive(Clone, Debug)]
pub struct Boards(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    room: Room,
    entries: Mutex<Entries>,
}

#[derive(Debug)]
struct Entries {
    all: BTreeMap<u64, Entry>,
    last: u64,
}

impl Boards {
    /// The boards in the folder.
    pub fn open(room: Room) -> Boards {
        let all: BTreeMap<u64, Entry> = room
            .folder
            .load(room.rules)
            .into_iter()
            .map(|(id, saved)| (id, Entry::Asleep(Box::new(saved))))
            .collect();
        let last = room.folder.last();
        Boards(Arc::new(Inner {
            room,
            entries: Mutex::new(Entries { all, last }),
        }))
    }

    fn lock(&self) -> MutexGuard<'_, Entries> {
        self.0.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the threads of all boards; their files stay.
    pub fn close(&self) {
        self.lock().all.clear();
    }

    fn list(&self) -> Value {
        let rows = self.lock().all.iter().rev().map(|(id, entry)| match entry {
            Entry::Awake(handle) => {
                let state = handle.shared.state();
                json!({"id": id, "players": state.game.players, "moves": state.game.view.moves.len(), "isOver": state.over.is_some(), "status": state.status})
            }
            Entry::Asleep(saved) => {
                let status = saved.over.as_ref().map_or("Saved.".into(), |over| format!("{}.", over.text));
                json!({"id": id, "players": saved.names, "moves": saved.ms.len(), "isOver": saved.over.is_some(), "status": status})
            }
        }).collect::<Value>();
        json!({"boards": rows})
    }

    /// Makes a board; blocks until its programs have started.
    fn create(&self, new: NewBoard) -> Reply<u64> {
        let times = beginning::times(&new)?;
        let (rules, setup) = (self.0.room.rules, beginning::setup(&new)?);
        let stored = beginning::stored(&new, &self.0.room.results, rules)?;
        let id = {
            let mut entries = self.lock();
            if entries.all.len() >= MAX_BOARDS {
                return Err(Refusal::too_many(format!(
                    "there are {MAX_BOARDS} boards; close one"
                )));
            }
            entries.last += 1;
            entries.last
        };
        let seats = Players {
            ids: new.players,
            times,
            setup,
        };
        let board = Board::new(id, self.0.room.clone(), seats, |controls| match stored {
            None => beginning::new_game(rules, setup, controls),
            Some(game) => {
                let count = new.plies.unwrap_or(usize::MAX);
                let moves = game.moves.iter().take(count).map(|played| played.text.as_str());
                store::play(rules, game.position(0), moves, &[], controls)
            }
        });
        let handle = self.run(board.map_err(Refusal::wrong)?)?;
        self.lock().all.insert(id, Entry::Awake(handle));
        Ok(id)
    }

    /// Starts the threads of a board.
    fn run(&self, board: Board) -> Reply<Handle> {
        let (orders, received) = channel();
        let (rules, interrupt) = (self.0.room.rules, &self.0.room.interrupt);
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
        started.map(|_| handle).map_err(Refusal::failed)
    }

    /// The board with this number; its programs are started.
    fn get(&self, id: u64) -> Reply<Handle> {
        let unknown = || Refusal::unknown(format!("there is no board {id}"));
        let mut entries = self.lock();
        let saved = match entries.all.get(&id) {
            None => return Err(unknown()),
            Some(Entry::Awake(handle)) => return Ok(handle.clone()),
            Some(Entry::Asleep(saved)) => saved.clone(),
        };
        let times = Times {
            clock: saved.clock,
            per_move: Duration::from_millis(saved.per_move),
        };
        // A program that has gone leaves its seat to a person.
        let players = saved
            .players
            .clone()
            .map(|id| match self.0.room.players.find(&id) {
                Some(_) => id,
                None => HUMAN.to_string(),
            });
        let seats = Players {
            ids: players,
            times,
            setup: saved.setup,
        };
        let rules = self.0.room.rules;
        let board = Board::new(id, self.0.room.clone(), seats, |controls| {
            store::replay(rules, &saved.text, &saved.ms, controls)
        });
        let handle = self.run(board.map_err(Refusal::wrong)?.with_end(saved.over))?;
        entries.all.insert(id, Entry::Awake(handle.clone()));
        Ok(handle)
    }
}
