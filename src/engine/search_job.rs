//! The work of `go`: searches a position, at once or in slices, and reports progress.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use super::job::Reports;
use super::options::Options;
use super::pending::PublishedMove;
use super::slot::{SearcherSlot, SharedSearcher};
use crate::board::{Move, MoveList};
use crate::game::{Game, Yardstick};
use crate::protocol::{Info, Reply};
use crate::score::ScoreWords;
use crate::search::{
    Observer, Pause, Progress, RootStrategy, SearchLimits, ShallowOpponent, StopToken, Task,
};

/// Everything that one search needs, moved into the worker.
pub(crate) struct SearchJob<G> {
    /// The position to search.
    pub(crate) root: G,
    /// The moves to choose from, at least one.
    pub(crate) moves: MoveList,
    /// The repetition keys of the game's earlier positions.
    pub(crate) earlier: Vec<u64>,
    /// See [`Task::opponent`].
    pub(crate) opponent: ShallowOpponent,
    /// What ends the search.
    pub(crate) limits: SearchLimits,
    /// When its `go` arrived.
    pub(crate) arrival: Instant,
    /// Where the best move so far goes.
    pub(crate) published: PublishedMove,
    /// The options in force at `go`.
    pub(crate) options: Options,
    /// Whether the searcher starts with empty memory.
    pub(crate) clears_memory: bool,
    /// Maximum time to wait for the previous search to stop.
    pub(crate) max_wait: Duration,
    /// Set while the search is interrupted.
    pub(crate) interrupted: Option<Interrupted<G>>,
}

/// What a search keeps between two slices.
pub struct Interrupted<G> {
    /// Its searcher, even if the slot has another one meanwhile.
    searcher: SharedSearcher<G>,
    /// The next slice of a searcher that must begin again, as a multiple of the usual one.
    factor: u32,
    /// The deepest iteration that was reported, in plies.
    depth: u32,
}

impl<G: RootStrategy + Yardstick> SearchJob<G> {
    /// Searches with the searcher of the slot, or continues, for about the time of a slice.
    /// Publishes the best move. Returns whether the search has ended.
    ///
    /// A searcher that cannot continue searches without interruption if its time is limited.
    /// Else each of its slices takes twice as long as the one before.
    pub(crate) fn run(
        &mut self,
        slot: &SearcherSlot<G>,
        stop: &StopToken,
        reports: &Reports,
        slice: Option<Duration>,
    ) -> bool {
        let (mut searcher, factor, depth) = match self.interrupted.take() {
            Some(Interrupted {
                searcher,
                factor,
                depth,
            }) => (Some(searcher), factor, depth),
            None => (None, 1, 0),
        };
        let is_first = searcher.is_none();
        let reporter = InfoReporter::<G> {
            known_depth: depth,
            depth: AtomicU32::new(0),
            reports,
            published: &self.published,
            arrival: self.arrival,
            shows_multipv: self.options.search.multipv > 1,
            score_words: self.options.score_words,
            game: PhantomData,
        };
        let (mut is_paused, mut can_resume) = (false, false);
        let is_timed = self.limits.deadlines.hard().is_some();
        let best = slot.search(&self.options, (stop, self.max_wait), &mut searcher, |searcher| {
            if std::mem::take(&mut self.clears_memory) {
                searcher.new_game();
            }
            can_resume = searcher.can_resume();
            let slice = slice.filter(|_| can_resume || !is_timed);
            let pause = slice.map(|slice| Pause::at(Instant::now() + slice * factor));
            let task = Task {
                earlier: self.earlier.clone(),
                opponent: self.opponent,
                limits: self.limits.clone(),
                stop: stop.clone(),
                options: self.options.search,
                pause: pause.as_ref(),
                ..Task::new(self.moves.clone(), &reporter)
            };
            let best = if is_first {
                searcher.search(&self.root, &task)
            } else {
                searcher.resume(&self.root, &task)
            };
            is_paused = task.is_paused();
            best
        });
        let last_depth = reporter.depth.into_inner();
        if let Some(searcher) = searcher.filter(|_| is_paused) {
            self.interrupted = Some(Interrupted {
                searcher,
                factor: if can_resume { 1 } else { factor.saturating_mul(2) },
                depth: if can_resume { 0 } else { last_depth.max(depth) },
            });
            return false;
        }
        match best {
            Ok(best) if best.is_none() || best == self.published.get().0 => {}
            Ok(best) => self.published.set(best.as_slice()),
            Err(error) => reports.push(Reply::InfoString(format!("error: {error}"))),
        }
        true
    }
}

/// Publishes best moves and turns progress into `info` lines.
struct InfoReporter<'a, G> {
    /// Iterations up to this depth were reported before the search had to begin again.
    known_depth: u32,
    /// The depth of the last iteration of this slice that was reported.
    depth: AtomicU32,
    reports: &'a Reports,
    published: &'a PublishedMove,
    arrival: Instant,
    /// Whether `info` lines have the field `multipv`.
    shows_multipv: bool,
    score_words: ScoreWords,
    game: PhantomData<G>,
}

impl<G: Game> Observer for InfoReporter<'_, G> {
    fn publish(&self, line: &[Move]) {
        if self.depth.load(Ordering::Relaxed) >= self.known_depth {
            self.published.set(line);
        }
    }

    fn report(&self, progress: Progress) {
        self.depth.store(progress.depth, Ordering::Relaxed);
        if progress.depth <= self.known_depth {
            return;
        }
        let elapsed = self.arrival.elapsed();
        let per_second = u128::from(progress.nodes) * 1_000_000_000 / elapsed.as_nanos().max(1);
        self.reports.push(Reply::Info(Info {
            depth: Some(progress.depth),
            seldepth: Some(progress.seldepth),
            multipv: self.shows_multipv.then_some(progress.multipv as u32),
            score: Some(progress.score),
            score_words: self.score_words,
            nodes: Some(progress.nodes),
            nps: Some(per_second as u64),
            hashfull: progress.hashfull,
            time: Some(elapsed.as_millis() as u64),
            pv: progress.line.iter().map(|&mv| G::move_text(mv)).collect(),
        }));
    }
}
