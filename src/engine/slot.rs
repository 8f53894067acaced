//! The searcher slot: one searcher for all searches, replaced when a search does not end.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

use super::options::Options;
use crate::game::Yardstick;
use crate::personality::{self, SearcherSettings};
use crate::search::{RootStrategy, Searcher, StopToken};

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

    /// Clears the searcher's memory. Returns `false` if it is searching.
    pub(crate) fn new_game(&self) -> bool {
        let searcher = self.current();
        let cleared = searcher.try_lock().map(|mut searcher| searcher.new_game());
        cleared.is_ok()
    }

    /// Lets the searcher compute what its first search needs, unless it is searching.
    pub(crate) fn prepare(&self) {
        if let Ok(searcher) = self.current().try_lock() {
            searcher.prepare();
        }
    }

    /// The searcher's static evaluation of a position.
    pub(crate) fn evaluate(&self, position: &G) -> Result<StaticValue, Busy> {
        let searcher = self.current();
        let searcher = searcher.try_lock().map_err(|_| Busy)?;
        Ok(match searcher.exact_points(position) {
            Some(points) => StaticValue::Exact(points),
            None => match searcher.evaluate(position) {
                Some(value) if searcher.has_learned_evaluation() => StaticValue::Learned(value),
                Some(value) => StaticValue::Counted(value),
                None => StaticValue::Unknown,
            },
        })
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

/// What a searcher says of a position without a search, for the side to move.
#[derive(Clone, Copy, Debug)]
pub(crate) enum StaticValue {
    /// The exact result: 1 for a win, 0 for a draw, −1 for a loss.
    Exact(i32),
    /// The static evaluation by weights that were fitted to games, in the searcher's unit.
    Learned(i32),
    /// The static evaluation by counts, in the searcher's unit.
    Counted(i32),
    /// The searcher has no evaluation.
    Unknown,
}

/// The searcher is searching.
#[derive(Clone, Copy, Debug)]
pub struct Busy;

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
