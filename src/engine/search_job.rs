//! The work of `go`: searches a position, at once or in slices, and reports progress.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

use lodestone_game::Game;
use lodestone_game::board::Move;
use lodestone_game::protocol::{Info, Reply};
use lodestone_game::score::ScoreWords;

use super::job::{PublishedMove, Reports};
use super::options::Options;
use crate::game::Yardstick;
use crate::personality;
use crate::personality::SearcherSettings;
use crate::search::{Observer, Pause, Progress, RootStrategy, Searcher, StopToken, Task};

/// Everything that one search needs, moved into the worker.
pub(crate) struct SearchJob<G> {
    /// The position to search.
    pub(crate) root: G,
    /// What to search, without stop, pause and observer.
    pub(crate) task: Task<'static>,
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
        let is_timed = self.task.limits.deadlines.hard().is_some();
        let best = slot.search(&self.options, (stop, self.max_wait), &mut searcher, |searcher| {
            if std::mem::take(&mut self.clears_memory) {
                searcher.new_game();
            }
            can_resume = searcher.can_resume();
            let slice = slice.filter(|_| can_resume || !is_timed);
            let pause = slice.map(|slice| Pause::at(Instant::now() + slice * factor));
            let task = Task {
                stop: stop.clone(),
                pause: pause.as_ref(),
                observer: &reporter,
                ..self.task.clone()
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

// The searcher slot: one searcher for all searches, replaced when a search does not end.

/// A searcher, locked while it searches.
pub(crate) type SharedSearcher<G> = Arc<Mutex<Box<dyn Searcher<G>>>>;

/// Maximum time that a new search waits for the previous one to stop. Far more than a
/// search needs, because a busy system may not run its thread at once.
pub(crate) const MAX_WAIT: Duration = Duration::from_millis(50);

/// Interval between attempts to lock the searcher.
const RETRY_INTERVAL: Duration = Duration::from_micros(50);

/// Holds the searcher, shared by the session and the worker. Only
/// [`SearcherSlot::search`], which the worker calls, ever waits for a search.
pub(crate) struct SearcherSlot<G> {
    searcher: Mutex<SharedSearcher<G>>,
}

/// The searcher that the options name.
fn make_searcher<G: RootStrategy + Yardstick>(options: &Options) -> Result<SharedSearcher<G>, String> {
    let settings = SearcherSettings {
        hash: options.hash,
        seed: options.seed,
    };
    let searcher =
        personality::make_searcher(options.player(), settings).map_err(|error| error.to_string())?;
    let searcher = searcher.ok_or_else(|| format!("{} does not play {}", options.player(), G::INFO.name))?;
    Ok(Arc::new(Mutex::new(searcher)))
}

impl<G: RootStrategy + Yardstick> SearcherSlot<G> {
    /// A slot with the searcher that the options name.
    pub(crate) fn new(options: &Options) -> Result<SearcherSlot<G>, String> {
        Ok(SearcherSlot {
            searcher: Mutex::new(make_searcher(options)?),
        })
    }

    /// Replaces the searcher. A search that still runs keeps the old one.
    pub(crate) fn replace(&self, options: &Options) -> Result<(), String> {
        self.put(&make_searcher(options)?);
        Ok(())
    }

    /// Uses the searcher; `None` if it is searching.
    pub(crate) fn if_idle<T>(&self, use_it: impl FnOnce(&mut dyn Searcher<G>) -> T) -> Option<T> {
        let searcher = self.current();
        let mut searcher = searcher.try_lock().ok()?;
        Some(use_it(searcher.as_mut()))
    }

    /// Runs `search` with the searcher, which `held` keeps for the next call. If the previous search panicked or does not end
    /// within `max_wait`, a new searcher takes its place. Returns `None` if `stop` was set
    /// before the search began.
    pub(crate) fn search<T>(
        &self,
        options: &Options,
        (stop, max_wait): (&StopToken, Duration),
        held: &mut Option<SharedSearcher<G>>,
        search: impl FnOnce(&mut dyn Searcher<G>) -> T,
    ) -> Result<Option<T>, String> {
        let current = Arc::clone(held.get_or_insert_with(|| self.current()));
        let fresh;
        let mut searcher = match lock_within(&current, stop, max_wait) {
            Some(searcher) => searcher,
            None if stop.is_set() => return Ok(None),
            None => {
                // Not a warning: on a busy machine a move of a few milliseconds cannot wait,
                // and only the searcher's memory is lost.
                log::info!("the previous search does not end; a new searcher takes over");
                fresh = make_searcher(options)?;
                self.put(&fresh);
                *held = Some(Arc::clone(&fresh));
                fresh.lock().unwrap_or_else(PoisonError::into_inner)
            }
        };
        Ok(Some(search(searcher.as_mut())))
    }

    fn current(&self) -> SharedSearcher<G> {
        Arc::clone(&self.searcher.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn put(&self, fresh: &SharedSearcher<G>) {
        let mut searcher = self.searcher.lock().unwrap_or_else(PoisonError::into_inner);
        *searcher = Arc::clone(fresh);
    }
}

/// Locks a searcher as soon as it is free. Returns `None` once `stop` is set, after
/// `max_wait`, and if its last search panicked.
fn lock_within<'a, T>(
    searcher: &'a Mutex<T>,
    stop: &StopToken,
    max_wait: Duration,
) -> Option<MutexGuard<'a, T>> {
    let latest = Instant::now() + max_wait;
    while !stop.is_set() {
        match searcher.try_lock() {
            Ok(searcher) => return Some(searcher),
            Err(TryLockError::WouldBlock) if Instant::now() < latest => thread::sleep(RETRY_INTERVAL),
            Err(_) => return None,
        }
    }
    None
}
