//! Games by hand: two people, or a person and a program, or two programs; several at a time.
//!
//! * [`order`]: what a page may ask; [`state`]: what it sees.
//! * [`seat`]: who plays; [`board`]: the game, in a thread; [`adviser`]: hints and analysis.
//! * [`store`]: the files of the boards.

pub mod adviser;
pub mod board;
pub mod order;
pub mod seat;
pub mod state;
pub mod store;

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path as FilePath;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use axum::extract::ws::WebSocketUpgrade;
use axum::extract::{Path, State as Shares};
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use lodestone::game::Setup;
use referee::game::clock::TimeControl;
use referee::game::{Game, Ruleset};
use referee::results::{StoredGame, game_file, stored_game};
use referee::schedule::openings::Openings;
use serde_json::{Value, json};
use tokio::sync::oneshot;
use tokio::task::spawn_blocking;

use self::adviser::{Adviser, Purpose};
use self::board::{Beginning, Board, Request, Room};
use self::order::{NewBoard, Order};
use self::seat::{Times, no_player, rand_seed};
use self::state::Shared;
use self::store::Saved;
use crate::files;
use crate::known::HUMAN;
use crate::live;
use crate::reply::{Refusal, Reply};
use crate::site::Site;

/// The most boards at a time.
const MAX_BOARDS: usize = 32;

/// The time per move of programs, if the page does not say.
const DEFAULT_TIME: Duration = Duration::from_secs(3);

/// The times per move that a page may choose, in seconds.
const TIMES: std::ops::RangeInclusive<f64> = 0.01..=3600.0;

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

/// All boards.
#[derive(Debug)]
pub struct Boards {
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
        Boards {
            room,
            entries: Mutex::new(Entries { all, last }),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Entries> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
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
    fn create(&self, new: NewBoard, results: &FilePath) -> Reply<u64> {
        let times = times(&new)?;
        let (rules, setup) = (self.room.rules, setup(&new)?);
        let stored = stored(&new, results, rules)?;
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
        let beginning = Beginning {
            players: new.players,
            times,
            setup,
        };
        let board = Board::new(id, self.room.clone(), beginning, |controls| match stored {
            None => new_game(rules, setup, controls),
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
        let (rules, interrupt) = (self.room.rules, &self.room.interrupt);
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
        let players = saved.players.clone().map(|id| match self.room.players.find(&id) {
            Some(_) => id,
            None => HUMAN.to_string(),
        });
        let beginning = Beginning {
            players,
            times,
            setup: saved.setup,
        };
        let rules = self.room.rules;
        let board = Board::new(id, self.room.clone(), beginning, |controls| {
            store::replay(rules, &saved.text, &saved.ms, controls)
        });
        let handle = self.run(board.map_err(Refusal::wrong)?.with_end(saved.over))?;
        entries.all.insert(id, Entry::Awake(handle.clone()));
        Ok(handle)
    }

    fn remove(&self, id: u64) {
        self.lock().all.remove(&id);
    }
}

fn times(new: &NewBoard) -> Reply<Times> {
    if let Some(why) = new.clock.and_then(|clock| clock.problem()) {
        return Err(Refusal::wrong(why));
    }
    let per_move = match new.seconds {
        None => DEFAULT_TIME,
        Some(seconds) if TIMES.contains(&seconds) => Duration::from_secs_f64(seconds),
        Some(_) => {
            return Err(Refusal::wrong(
                "a program can have 0.01 to 3600 seconds for a move",
            ));
        }
    };
    Ok(Times {
        clock: new.clock,
        per_move,
    })
}

fn setup(new: &NewBoard) -> Reply<(u32, u32)> {
    let default = Setup::default();
    let (pieces, turns) = (
        new.pieces.unwrap_or(default.pieces),
        new.turns.unwrap_or(default.turns),
    );
    if (1..=Setup::MAX_PIECES).contains(&pieces) && (1..=Setup::MAX_TURNS).contains(&turns) {
        return Ok((pieces, turns));
    }
    Err(Refusal::wrong(format!(
        "a side can have 1 to {} pieces, and a game 1 to {} turns",
        Setup::MAX_PIECES,
        Setup::MAX_TURNS
    )))
}

/// A new game; in a game with a set-up, with another placement each time.
fn new_game(rules: Ruleset, (pieces, turns): (u32, u32), times: [TimeControl; 2]) -> Result<Game, String> {
    let setup = Setup { pieces, turns };
    let opening = Openings::new(rules, setup, None, u64::from(rand_seed()))
        .and_then(|mut openings| openings.get(1))
        .map_err(|error| error.to_string())?;
    Ok(Game::new(&opening, times))
}

/// The game that a new board continues.
fn stored(new: &NewBoard, results: &FilePath, rules: Ruleset) -> Reply<Option<StoredGame>> {
    let game = match (&new.saved, &new.file) {
        (None, None) => return Ok(None),
        (Some(text), _) => {
            let mut file = tempfile::NamedTempFile::new().map_err(Refusal::failed)?;
            file.write_all(text.as_bytes()).map_err(Refusal::failed)?;
            let shown = file.path().display().to_string();
            // The page knows the name of the file.
            game_file::load(file.path(), new.game)
                .map_err(|why| why.replace(&format!("`{shown}`"), "the file"))
        }
        (None, Some(name)) => {
            let file = files::find(results, name);
            let file = file.ok_or_else(|| Refusal::unknown("there is no such file"))?;
            game_file::load(&file.path, new.game)
        }
    };
    let game = game.map_err(Refusal::wrong)?;
    if game.variant.name() != rules.name() {
        return Err(Refusal::wrong(format!(
            "it is a game of {}, and this server plays {rules}",
            game.variant
        )));
    }
    Ok(Some(game))
}

/// The requests about boards.
pub fn routes() -> Router<Arc<Site>> {
    Router::new()
        .route("/api/boards", get(list).post(create))
        .route("/api/boards/{id}", axum::routing::post(order))
        .route("/api/boards/{id}/file", get(file))
        .route("/live/board/{id}", get(follow))
}

async fn list(Shares(site): Shares<Arc<Site>>) -> Json<Value> {
    Json(site.boards.list())
}

async fn create(Shares(site): Shares<Arc<Site>>, Json(new): Json<NewBoard>) -> Reply {
    let made = spawn_blocking(move || site.boards.create(new, &site.folder)).await;
    let id = made.map_err(Refusal::failed)??;
    Ok(Json(json!({"id": id})))
}

/// The board of a request. Its programs may have to start.
async fn handle(site: &Arc<Site>, id: u64) -> Reply<Handle> {
    let site = Arc::clone(site);
    spawn_blocking(move || site.boards.get(id))
        .await
        .map_err(Refusal::failed)?
}

async fn order(Shares(site): Shares<Arc<Site>>, Path(id): Path<u64>, Json(order): Json<Order>) -> Reply {
    let board = handle(&site, id).await?;
    match &order {
        Order::Hint { player } => {
            let known = site
                .players
                .find(player)
                .ok_or_else(|| Refusal::unknown(no_player(player)))?;
            board.hints.ask(known, position(&board, usize::MAX));
            return Ok(Json(json!({})));
        }
        Order::Analyse { player: None, .. } => {
            board.analysis.stop();
            return Ok(Json(json!({})));
        }
        Order::Analyse {
            player: Some(player),
            plies,
        } => {
            let known = site
                .players
                .find(player)
                .ok_or_else(|| Refusal::unknown(no_player(player)))?;
            board.analysis.ask(known, position(&board, *plies));
            return Ok(Json(json!({})));
        }
        _ => {}
    }
    let closes = order == Order::Close;
    let (answer, answered) = oneshot::channel();
    let gone = || Refusal::unknown(format!("there is no board {id}"));
    board.orders.send((order, answer)).map_err(|_| gone())?;
    let result = answered.await.map_err(|_| gone())?;
    if closes {
        site.boards.remove(id);
    }
    result.map(|()| Json(json!({}))).map_err(Refusal::wrong)
}

/// The game of a board up to this number of moves.
fn position(board: &Handle, plies: usize) -> Game {
    let mut game = board.game.lock().unwrap_or_else(PoisonError::into_inner).clone();
    while game.moves().len() > plies && game.take_back() {}
    game
}

async fn file(Shares(site): Shares<Arc<Site>>, Path(id): Path<u64>) -> Reply<Response> {
    let board = handle(&site, id).await?;
    let game = position(&board, usize::MAX);
    let seats = board
        .shared
        .state()
        .seats
        .clone()
        .map(|seat| Some(if seat.is_human { HUMAN.into() } else { seat.name }));
    let text = stored_game::text(site.rules, game.first_position(), game.moves(), &seats);
    let name = format!(
        "attachment; filename=\"{}-{id}.txt\"",
        site.rules.name().replace(
            |letter: char| !letter.is_ascii_alphanumeric() && letter != '-',
            "_"
        )
    );
    Ok((
        [
            (CONTENT_TYPE, "text/plain; charset=utf-8".into()),
            (CONTENT_DISPOSITION, name),
        ],
        text,
    )
        .into_response())
}

async fn follow(
    Shares(site): Shares<Arc<Site>>,
    Path(id): Path<u64>,
    upgrade: WebSocketUpgrade,
) -> Reply<Response> {
    let board = handle(&site, id).await?;
    let updates = board.shared.follow();
    drop(board);
    let upgrade = upgrade.max_message_size(live::MAX_MESSAGE);
    Ok(upgrade.on_upgrade(move |socket| live::follow(socket, updates)))
}
