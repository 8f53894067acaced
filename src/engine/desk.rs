//! What the engine has on its desk: a position, and a player to think about it.
//! Generic over the game inside, one object outside, so that the choice of the
//! game costs one call a command.

use std::collections::TryReserveError;
use std::fmt::Write;
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

use super::options::Options;
use super::time::budget;
use super::work::{Courier, Job, Published};
use crate::board::{Move, MoveList};
use crate::game::{Diagram, Evaluate, Game, GameVisitor, Yardstick, perft_unless};
use crate::personality::{self, Ingredients};
use crate::protocol::{Info, Limits, Reply, Start};
use crate::search::{Bounds, Observer, Progress, StopToken, Task, Thinker};

/// A search that is ready to begin.
pub struct Search {
    /// The search itself.
    pub job: Job,
    /// Ends the search.
    pub stop: StopToken,
    /// Its best move so far.
    pub published: Published,
    /// How moves of this game are written.
    pub notation: fn(Move) -> String,
    /// When the answer must be out; `None` without a time limit.
    pub deadline: Option<Instant>,
}

/// What `go` leads to.
pub enum Go {
    /// A search.
    Search(Search),
    /// The game is over: there is no move.
    GameOver,
}

/// A position of some game, and a player to think about it. Every error is a
/// sentence for the client, and leaves everything as it was.
pub trait Desk {
    /// Takes up the position after `moves` from `start`.
    ///
    /// # Errors
    /// The FEN or one of the moves is wrong.
    fn set_position(&mut self, start: &Start, moves: &[String]) -> Result<(), String>;

    /// Calls the player that the options name.
    ///
    /// # Errors
    /// There is not enough memory for its table.
    fn set_player(&mut self, options: &Options) -> Result<(), String>;

    /// What comes next belongs to another game.
    fn new_game(&mut self);

    /// The board and its FEN, for people and scripts.
    fn describe(&self) -> String;

    /// What the player thinks of the position without search.
    fn evaluation(&self) -> String;

    /// Prepares a search whose `go` came in at `arrival`.
    ///
    /// # Errors
    /// One of the moves to search cannot be played, or there is not enough
    /// memory for another player beside one that does not end.
    fn go(&mut self, limits: &Limits, arrival: Instant, options: &Options) -> Result<Go, String>;

    /// Counts sequences of `depth` plies, move by move.
    fn perft(&self, depth: u32, stop: StopToken) -> Job;
}

/// Opens a desk for the game of the options, at its start position.
///
/// # Errors
/// There is not enough memory for the player's table.
pub fn open(options: &Options) -> Result<Box<dyn Desk>, String> {
    struct Open<'a>(&'a Options);
    impl GameVisitor for Open<'_> {
        type Output = Result<Box<dyn Desk>, String>;
        fn visit<G: Evaluate + Yardstick>(self) -> Self::Output {
            Ok(Box::new(GameDesk::<G> {
                position: G::startpos(),
                player: call_player(self.0)?,
            }))
        }
    }
    options.variant.visit(Open(options))
}

/// A player, kept by the desk and used by one search at a time.
type Player<G> = Arc<Mutex<Box<dyn Thinker<G>>>>;

struct GameDesk<G> {
    position: G,
    player: Player<G>,
}

/// How long a player may take to notice that its search was stopped: far more
/// than it needs, because on a busy machine its thread may have to wait.
const PATIENCE: Duration = Duration::from_millis(50);

/// The part of a search's time that may be spent on that.
const PATIENT_PART: u32 = 4;

/// How often it is asked meanwhile.
const ASK_AGAIN: Duration = Duration::from_micros(50);

impl<G: Evaluate + Yardstick> GameDesk<G> {
    /// The player, unless it still thinks. A search that was just answered may
    /// take a moment to end; one that does not belongs to an abandoned thread,
    /// and a player whose search panicked cannot be trusted.
    fn idle_player(&self, patience: Duration) -> Option<MutexGuard<'_, Box<dyn Thinker<G>>>> {
        let patience = Instant::now() + patience;
        loop {
            match self.player.try_lock() {
                Ok(player) => return Some(player),
                Err(TryLockError::WouldBlock) if Instant::now() < patience => thread::sleep(ASK_AGAIN),
                Err(_) => return None,
            }
        }
    }
}

fn call_player<G: Evaluate + Yardstick>(options: &Options) -> Result<Player<G>, String> {
    let ingredients = Ingredients {
        hash: options.hash,
        seed: options.seed,
    };
    let no_memory = |error: TryReserveError| format!("no memory for a table of {} MB: {error}", options.hash);
    let thinker = personality::thinker(options.personality, ingredients).map_err(no_memory)?;
    let thinker = thinker.ok_or_else(|| format!("{} does not play {}", options.personality, G::NAME))?;
    Ok(Arc::new(Mutex::new(thinker)))
}

impl<G: Evaluate + Yardstick> Desk for GameDesk<G> {
    fn set_position(&mut self, start: &Start, moves: &[String]) -> Result<(), String> {
        let mut position = match start {
            Start::Startpos => G::startpos(),
            Start::Fen(fen) => G::from_fen(fen).map_err(|error| error.to_string())?,
        };
        for (number, text) in (1..).zip(moves) {
            let one = position
                .parse_move(text)
                .map_err(|error| format!("move {number}: {error}"))?;
            position = position.play(one);
        }
        self.position = position;
        Ok(())
    }

    fn set_player(&mut self, options: &Options) -> Result<(), String> {
        self.player = call_player(options)?;
        Ok(())
    }

    fn new_game(&mut self) {
        // A player that still thinks learns nothing of it: `go` will replace it.
        if let Some(mut player) = self.idle_player(PATIENCE) {
            player.new_game();
        }
    }

    fn describe(&self) -> String {
        let mut text = format!("{}\nFen: {}", Diagram::of(&self.position), self.position.fen());
        if let Some(outcome) = self.position.outcome() {
            let _ = write!(
                text,
                "\nResult: {} ({})",
                outcome.result,
                self.position.explain(outcome)
            );
        }
        text
    }

    fn evaluation(&self) -> String {
        if self.position.outcome().is_some() {
            return "Evaluation: none, the game is over".to_string();
        }
        match self
            .player
            .try_lock()
            .map(|player| player.evaluate(&self.position))
        {
            Ok(Some(value)) => format!("Evaluation: {value} (side to move)"),
            Ok(None) => "Evaluation: none, this player has no opinion".to_string(),
            Err(_) => "Evaluation: none while the player thinks".to_string(),
        }
    }

    fn go(&mut self, limits: &Limits, arrival: Instant, options: &Options) -> Result<Go, String> {
        let root = self.position;
        let mut moves = root.legal_moves();
        if !limits.searchmoves.is_empty() {
            let wanted: Result<Vec<Move>, String> = limits
                .searchmoves
                .iter()
                .map(|text| {
                    root.parse_move(text)
                        .map_err(|error| format!("searchmoves: {error}"))
                })
                .collect();
            let wanted = wanted?;
            moves.retain(|one| wanted.contains(&one));
        }
        let Some(&first) = moves.first() else {
            return Ok(Go::GameOver);
        };
        let budget = budget(
            limits,
            root.side_to_move(),
            options.move_overhead,
            root.plies_left(),
        );
        let patience = budget.map_or(PATIENCE, |budget| PATIENCE.min(budget.hard / PATIENT_PART));
        if self.idle_player(patience).is_none() {
            log::warn!("the player of an earlier search does not end: a new one takes its place");
            self.set_player(options)?;
        }
        let bounds = Bounds {
            depth: limits.depth,
            nodes: limits.nodes,
            mate: limits.mate,
            soft: budget.map(|budget| arrival + budget.soft),
            hard: budget.map(|budget| arrival + budget.hard),
        };
        let stop = StopToken::default();
        let published = Published::new(first);
        Ok(Go::Search(Search {
            job: search_job(
                root,
                self.player.clone(),
                moves,
                bounds,
                arrival,
                stop.clone(),
                published.clone(),
            ),
            stop,
            published,
            notation: G::move_text,
            deadline: bounds.hard,
        }))
    }

    fn perft(&self, depth: u32, stop: StopToken) -> Job {
        let position = self.position;
        Box::new(move |courier| {
            let mut total = u64::from(depth == 0);
            if depth > 0 {
                for &one in position.legal_moves().iter() {
                    let Some(count) = perft_unless(&position.play(one), depth - 1, &|| stop.is_set()) else {
                        courier.say(Reply::InfoString(
                            "perft was stopped: this is not the whole".into(),
                        ));
                        break;
                    };
                    total += count;
                    courier.say(Reply::Text(format!("{}: {count}", G::move_text(one))));
                }
            }
            courier.say(Reply::Text(format!("Nodes searched: {total}")));
        })
    }
}

/// The search as something that runs by itself.
fn search_job<G: Game>(
    root: G,
    player: Player<G>,
    moves: MoveList,
    bounds: Bounds,
    begin: Instant,
    stop: StopToken,
    published: Published,
) -> Job {
    Box::new(move |courier| {
        let herald = Herald::<G> {
            courier,
            published: &published,
            begin,
            game: std::marker::PhantomData,
        };
        let task = Task {
            moves,
            bounds,
            stop,
            observer: &herald,
        };
        if let Ok(mut player) = player.lock() {
            let best = player.think(&root, &task);
            published.set(best);
        }
    })
}

/// Tells the session of a search.
struct Herald<'a, G> {
    courier: &'a Courier,
    published: &'a Published,
    begin: Instant,
    game: std::marker::PhantomData<G>,
}

impl<G: Game> Observer for Herald<'_, G> {
    fn publish(&self, best: Move) {
        self.published.set(best);
    }

    fn report(&self, progress: Progress) {
        let elapsed = self.begin.elapsed();
        let per_second = u128::from(progress.nodes) * 1_000_000_000 / elapsed.as_nanos().max(1);
        self.courier.say(Reply::Info(Info {
            depth: Some(progress.depth),
            seldepth: Some(progress.seldepth),
            score: Some(progress.score),
            nodes: Some(progress.nodes),
            nps: Some(per_second as u64),
            hashfull: progress.hashfull,
            time: Some(elapsed.as_millis() as u64),
            pv: progress.line.iter().map(|&one| G::move_text(one)).collect(),
        }));
    }
}
