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

use std::collections::{BTreeMap, BTreeSet};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use referee::{Game, stored_game};
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
const MAX_BOARDS: usize = 32;

/// A board with its threads.
#[derive(Clone, Debug)]
struct Handle {
    orders: Sender<Request>,
    shared: Arc<SharedState>,
    game: Arc<Mutex<Game>>,
    hints: Arc<Adviser>,
    analysis: Arc<Adviser>,
}

/// A board of this run, or one whose programs do not run yet.
#[derive(Clone, Debug)]
enum BoardEntry {
    Running(Handle),
    Saved(Box<SavedBoard>),
}

/// All boards. A copy is another handle of the same ones.
#[derive(Clone, Debug)]
pub struct Boards(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    context: Context,
    entries: Mutex<Entries>,
}

#[derive(Debug)]
struct Entries {
    all: BTreeMap<u64, BoardEntry>,
    /// The boards whose programs are starting.
    starting: BTreeSet<u64>,
    /// The boards by the tokens of the requests that made them.
    tokens: BTreeMap<String, u64>,
    /// The number of the last board.
    last: u64,
}

/// The number for a new board, or that of an older one.
enum Begun {
    New(u64),
    Known(u64),
}

impl Entries {
    /// The number for the board of this token.
    fn begin(&mut self, token: Option<&str>) -> Reply<Begun> {
        let (all, starting) = (&self.all, &self.starting);
        self.tokens
            .retain(|_, id| all.contains_key(id) || starting.contains(id));
        match token.and_then(|token| self.tokens.get(token)) {
            Some(id) if starting.contains(id) => return Err(Refusal::wrong("this board is starting")),
            Some(id) => return Ok(Begun::Known(*id)),
            None => {}
        }
        if all.len() + starting.len() >= MAX_BOARDS {
            return Err(Refusal::too_many(format!(
                "there are {MAX_BOARDS} boards; close one"
            )));
        }
        self.last += 1;
        self.starting.insert(self.last);
        if let Some(token) = token {
            self.tokens.insert(token.into(), self.last);
        }
        Ok(Begun::New(self.last))
    }
}

impl Boards {
    /// The boards in the folder.
    pub fn open(context: Context) -> Boards {
        let all: BTreeMap<u64, BoardEntry> = context
            .folder
            .load(context.offer.rules)
            .into_iter()
            .map(|(id, saved)| (id, BoardEntry::Saved(Box::new(saved))))
            .collect();
        let last = context.folder.last();
        Boards(Arc::new(Inner {
            context,
            entries: Mutex::new(Entries {
                all,
                starting: BTreeSet::new(),
                tokens: BTreeMap::new(),
                last,
            }),
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
            BoardEntry::Running(handle) => {
                let state = handle.shared.state();
                json!({"id": id, "players": state.game.players, "moves": state.game.view.moves.len(), "isOver": state.now.over.is_some(), "status": state.now.status})
            }
            BoardEntry::Saved(saved) => {
                let status = saved.over.as_ref().map_or("Saved.".into(), |over| format!("{}.", over.text));
                json!({"id": id, "players": saved.names, "moves": saved.ms.len(), "isOver": saved.over.is_some(), "status": status})
            }
        }).collect::<Value>();
        json!({"boards": rows})
    }

    /// Makes a board, or returns the one that was made with this token; blocks until its programs have started.
    fn create(&self, new: NewBoard) -> Reply<u64> {
        let id = match self.lock().begin(new.token.as_deref())? {
            Begun::New(id) => id,
            Begun::Known(id) => return Ok(id),
        };
        let handle = self.make(id, new);
        let mut entries = self.lock();
        entries.starting.remove(&id);
        entries.all.insert(id, BoardEntry::Running(handle?));
        Ok(id)
    }

    fn make(&self, id: u64, new: NewBoard) -> Reply<Handle> {
        let times = beginning::times(&new)?;
        let (rules, setup) = (self.0.context.offer.rules, beginning::setup(&new)?);
        let stored = beginning::stored(&new, &self.0.context.offer.results, rules)?;
        let seats = Players {
            ids: new.players,
            times,
            setup,
            starts: true,
        };
        let board = Board::new(id, self.0.context.clone(), seats, |controls| match stored {
            None => beginning::new_game(rules, setup, controls),
            Some(game) => Ok(game.replayed(new.plies.unwrap_or(usize::MAX), &[], controls)),
        });
        self.run(board.map_err(Refusal::wrong)?)
    }

    /// Starts the threads of a board.
    fn run(&self, board: Board) -> Reply<Handle> {
        let (orders, received) = channel();
        let (rules, interrupt) = (self.0.context.offer.rules, &self.0.context.interrupt);
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

    /// The board with this number. Its programs start before their next moves.
    fn get(&self, id: u64) -> Reply<Handle> {
        let unknown = || Refusal::unknown(format!("there is no board {id}"));
        let saved = match self.lock().all.get(&id) {
            None => return Err(unknown()),
            Some(BoardEntry::Running(handle)) => return Ok(handle.clone()),
            Some(BoardEntry::Saved(saved)) => saved.clone(),
        };
        // The rules may take their time; the other boards do not wait.
        let board = self.load(id, &saved).map_err(Refusal::wrong)?;
        let mut entries = self.lock();
        match entries.all.get(&id) {
            None => Err(unknown()),
            Some(BoardEntry::Running(handle)) => Ok(handle.clone()),
            Some(BoardEntry::Saved(_)) => {
                let handle = self.run(board)?;
                entries.all.insert(id, BoardEntry::Running(handle.clone()));
                Ok(handle)
            }
        }
    }

    /// A board of a file.
    fn load(&self, id: u64, saved: &SavedBoard) -> Result<Board, String> {
        let context = &self.0.context;
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
            let game = stored_game::parse(&saved.text)?;
            Ok(game.replayed(usize::MAX, &saved.ms, controls))
        });
        Ok(board?.with_end(saved.over.clone()))
    }

    /// Removes a board that does not run, with its file. Returns whether there was one.
    fn remove_saved(&self, id: u64) -> bool {
        let mut entries = self.lock();
        let is_saved = matches!(entries.all.get(&id), Some(BoardEntry::Saved(_)));
        if is_saved {
            entries.all.remove(&id);
            self.0.context.folder.remove(id);
        }
        is_saved
    }
}
