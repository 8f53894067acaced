//! What the engine has on its desk: a position, and a player to think about it.
//! Generic over the game inside, one object outside, so that the choice of the
//! game costs one call a command.

use std::fmt::Write;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::options::Options;
use super::player::{Busy, Chair, PATIENCE};
use super::time::{Budget, budget};
use super::work::{Job, Published, Reports};
use crate::board::{Move, MoveList};
use crate::game::{Diagram, Evaluate, Game, GameVisitor, Yardstick, perft_unless};
use crate::protocol::{Info, Limits, Query, Reply, Response, Start};
use crate::search::{Deadlines, Observer, Progress, SearchLimits, StopToken, Task, fallback_move};

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
    /// How long it may take; `None` without a time limit.
    pub budget: Option<Budget>,
    /// To be set when the time begins to count.
    pub deadlines: Deadlines,
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

    /// The player has to forget what it has learned before the next search.
    fn forget(&mut self);

    /// No search runs: what had to wait for that is done now, when it costs
    /// nobody time.
    fn rest(&mut self);

    /// The answer to a question about the position.
    fn answer(&self, query: Query) -> Response;

    /// The board and its FEN, for people and scripts.
    fn describe(&self) -> String;

    /// What the player thinks of the position without search.
    fn evaluation(&self) -> String;

    /// Prepares a search whose `go` came in at `arrival`.
    ///
    /// # Errors
    /// One of the moves to search cannot be played.
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
                chair: Arc::new(Chair::new(self.0)?),
                must_forget: false,
            }))
        }
    }
    options.variant.visit(Open(options))
}

struct GameDesk<G> {
    position: G,
    chair: Arc<Chair<G>>,
    /// The next search has to begin with an empty memory.
    must_forget: bool,
}

/// The part of a search's time that may be spent on waiting for the player.
const PATIENT_PART: u32 = 2;

impl<G: Evaluate + Yardstick> Desk for GameDesk<G> {
    fn set_position(&mut self, start: &Start, moves: &[String]) -> Result<(), String> {
        let mut position = match start {
            Start::Startpos => G::startpos(),
            Start::Fen(fen) => G::from_fen(fen).map_err(|error| error.to_string())?,
        };
        for (number, text) in (1..).zip(moves) {
            let mv = position
                .parse_move(text)
                .map_err(|error| format!("move {number}: {error}"))?;
            position = position.play(mv);
        }
        self.position = position;
        Ok(())
    }

    fn set_player(&mut self, options: &Options) -> Result<(), String> {
        self.chair.replace(options)?;
        // It has learned nothing yet.
        self.must_forget = false;
        Ok(())
    }

    fn forget(&mut self) {
        self.must_forget = true;
    }

    fn rest(&mut self) {
        if self.must_forget && self.chair.forget() {
            self.must_forget = false;
        }
    }

    fn answer(&self, query: Query) -> Response {
        let result = self.position.outcome().map(|outcome| outcome.result);
        Response::to(query, self.position.side_to_move(), result)
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
        match self.chair.evaluate(&self.position) {
            Ok(Some(value)) => format!("Evaluation: {value} (side to move)"),
            Ok(None) => "Evaluation: none, this player has no opinion".to_string(),
            Err(Busy) => "Evaluation: none while the player thinks".to_string(),
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
            moves.retain(|mv| wanted.contains(&mv));
        }
        let Some(first) = fallback_move(&root, &moves) else {
            return Ok(Go::GameOver);
        };
        let budget = budget(limits, root.side_to_move(), root.plies_left(), options);
        let limits = SearchLimits {
            depth: limits.depth,
            nodes: limits.nodes,
            mate: limits.mate,
            deadlines: Deadlines::default(),
        };
        let stop = StopToken::default();
        let published = Published::new(first);
        let deadlines = limits.deadlines.clone();
        let thought = Thought {
            root,
            moves,
            limits,
            begin: arrival,
            stop: stop.clone(),
            published: published.clone(),
            options: options.clone(),
            forgets_first: std::mem::take(&mut self.must_forget),
            patience: budget.map_or(PATIENCE, |budget| PATIENCE.min(budget.hard / PATIENT_PART)),
        };
        let chair = Arc::clone(&self.chair);
        Ok(Go::Search(Search {
            job: Box::new(move |reports| thought.think(&chair, reports)),
            stop,
            published,
            notation: G::move_text,
            budget,
            deadlines,
        }))
    }

    fn perft(&self, depth: u32, stop: StopToken) -> Job {
        let position = self.position;
        Box::new(move |reports| {
            let mut total = u64::from(depth == 0);
            if depth > 0 {
                for &mv in position.legal_moves().iter() {
                    let Some(count) = perft_unless(&position.play(mv), depth - 1, &|| stop.is_set()) else {
                        reports.say(Reply::InfoString(
                            "perft was stopped: this is not the whole".into(),
                        ));
                        break;
                    };
                    total += count;
                    reports.say(Reply::Text(format!("{}: {count}", G::move_text(mv))));
                }
            }
            reports.say(Reply::Text(format!("Nodes searched: {total}")));
        })
    }
}

/// Everything that one search needs, to be taken into another thread.
struct Thought<G> {
    root: G,
    moves: MoveList,
    limits: SearchLimits,
    /// When its `go` came in.
    begin: Instant,
    stop: StopToken,
    published: Published,
    options: Options,
    /// Whether the player begins with an empty memory.
    forgets_first: bool,
    /// How long it may wait for the player.
    patience: Duration,
}

impl<G: Evaluate + Yardstick> Thought<G> {
    /// Has the player in the chair think, and publishes the best move.
    fn think(self, chair: &Chair<G>, reports: &Reports) {
        let herald = Herald::<G> {
            reports,
            published: &self.published,
            begin: self.begin,
            tells_multipv: self.options.search.multipv > 1,
            game: PhantomData,
        };
        let task = Task {
            limits: self.limits,
            stop: self.stop,
            options: self.options.search,
            ..Task::new(self.moves, &herald)
        };
        let best = chair.think(&self.options, (&task.stop, self.patience), |player| {
            if self.forgets_first {
                player.new_game();
            }
            player.search(&self.root, &task)
        });
        match best {
            Ok(best) if best.is_none() || best == self.published.get().0 => {}
            Ok(best) => self.published.set(best.as_slice()),
            Err(why) => reports.say(Reply::InfoString(format!("error: {why}"))),
        }
    }
}

/// Tells the session of a search.
struct Herald<'a, G> {
    reports: &'a Reports,
    published: &'a Published,
    begin: Instant,
    /// Whether it says which of several lines a report is about.
    tells_multipv: bool,
    game: PhantomData<G>,
}

impl<G: Game> Observer for Herald<'_, G> {
    fn publish(&self, line: &[Move]) {
        self.published.set(line);
    }

    fn report(&self, progress: Progress) {
        let elapsed = self.begin.elapsed();
        let per_second = u128::from(progress.nodes) * 1_000_000_000 / elapsed.as_nanos().max(1);
        self.reports.say(Reply::Info(Info {
            depth: Some(progress.depth),
            seldepth: Some(progress.seldepth),
            multipv: self.tells_multipv.then_some(progress.multipv as u32),
            score: Some(progress.score),
            nodes: Some(progress.nodes),
            nps: Some(per_second as u64),
            hashfull: progress.hashfull,
            time: Some(elapsed.as_millis() as u64),
            pv: progress.line.iter().map(|&mv| G::move_text(mv)).collect(),
        }));
    }
}
