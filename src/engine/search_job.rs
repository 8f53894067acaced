//! The work of `go`: searches a position in the worker thread and reports progress.

use std::marker::PhantomData;
use std::time::{Duration, Instant};

use super::job::Reports;
use super::options::Options;
use super::pending::PublishedMove;
use super::slot::SearcherSlot;
use crate::board::{Move, MoveList};
use crate::game::{Evaluate, Game, Yardstick};
use crate::protocol::{Info, Reply};
use crate::score::ScoreWords;
use crate::search::{Observer, Progress, SearchLimits, StopToken, Task};

/// Everything that one search needs, moved into the worker thread.
pub struct SearchJob<G> {
    /// The position to search.
    pub root: G,
    /// The moves to choose from, at least one.
    pub moves: MoveList,
    /// What ends the search.
    pub limits: SearchLimits,
    /// When its `go` arrived.
    pub arrival: Instant,
    /// Where the best move so far goes.
    pub published: PublishedMove,
    /// The options in force at `go`.
    pub options: Options,
    /// Whether the searcher starts with empty memory.
    pub clears_memory: bool,
    /// Maximum time to wait for the previous search to stop.
    pub max_wait: Duration,
}

impl<G: Evaluate + Yardstick> SearchJob<G> {
    /// Searches with the searcher of the slot and publishes the best move.
    pub fn run(self, slot: &SearcherSlot<G>, stop: &StopToken, reports: &Reports) {
        let reporter = InfoReporter::<G> {
            reports,
            published: &self.published,
            arrival: self.arrival,
            shows_multipv: self.options.search.multipv > 1,
            score_words: self.options.score_words,
            game: PhantomData,
        };
        let task = Task {
            limits: self.limits,
            stop: stop.clone(),
            options: self.options.search,
            ..Task::new(self.moves, &reporter)
        };
        let best = slot.search(&self.options, (stop, self.max_wait), |searcher| {
            if self.clears_memory {
                searcher.new_game();
            }
            searcher.search(&self.root, &task)
        });
        match best {
            Ok(best) if best.is_none() || best == self.published.get().0 => {}
            Ok(best) => self.published.set(best.as_slice()),
            Err(error) => reports.push(Reply::InfoString(format!("error: {error}"))),
        }
    }
}

/// Publishes best moves and turns progress into `info` lines.
struct InfoReporter<'a, G> {
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
        self.published.set(line);
    }

    fn report(&self, progress: Progress) {
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
