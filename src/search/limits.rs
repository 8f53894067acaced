//! What ends a search: its limits, deadlines and stop token. What interrupts it: a pause.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The limits of a search. The first one reached ends it.
#[derive(Clone, Debug, Default)]
pub struct SearchLimits {
    /// Maximum depth of an iteration, in plies.
    pub depth: Option<u32>,
    /// Maximum number of nodes, over all threads.
    pub nodes: Option<u64>,
    /// Search for a proven win within this many own moves.
    pub mate: Option<u32>,
    /// Soft and hard deadlines.
    pub deadlines: Deadlines,
}

impl SearchLimits {
    /// A search that ends `time` after this call, or soon after.
    pub fn time(time: Duration) -> SearchLimits {
        let limits = SearchLimits::default();
        if let Some(end) = Instant::now().checked_add(time) {
            limits.deadlines.set(end, end);
        }
        limits
    }

    /// A search of at most `plies` plies, at least 1.
    pub fn depth(plies: u32) -> SearchLimits {
        SearchLimits {
            depth: Some(plies),
            ..SearchLimits::default()
        }
    }

    /// A search of at most `nodes` positions, at least 1.
    pub fn nodes(nodes: u64) -> SearchLimits {
        SearchLimits {
            nodes: Some(nodes),
            ..SearchLimits::default()
        }
    }
}

/// The deadlines of a search. Clones share one value, so the caller can set it while
/// the search runs: a search on the opponent's time gets its deadlines at `ponderhit`.
#[derive(Clone, Debug)]
pub struct Deadlines(Arc<Instants>);

/// Deadlines in nanoseconds since `origin`; [`NEVER`] if there is none.
#[derive(Debug)]
struct Instants {
    origin: Instant,
    soft: AtomicU64,
    hard: AtomicU64,
}

/// No deadline.
const NEVER: u64 = u64::MAX;

impl Default for Deadlines {
    /// No deadlines.
    fn default() -> Deadlines {
        Deadlines(Arc::new(Instants {
            origin: Instant::now(),
            soft: AtomicU64::new(NEVER),
            hard: AtomicU64::new(NEVER),
        }))
    }
}

impl Deadlines {
    /// Sets both deadlines.
    pub fn set(&self, soft: Instant, hard: Instant) {
        let nanoseconds = |instant: Instant| {
            let since = instant.saturating_duration_since(self.0.origin);
            u64::try_from(since.as_nanos()).unwrap_or(NEVER)
        };
        self.0.soft.store(nanoseconds(soft), Ordering::Relaxed);
        self.0.hard.store(nanoseconds(hard), Ordering::Relaxed);
    }

    /// The soft deadline: no further iteration begins after it.
    pub fn soft(&self) -> Option<Instant> {
        self.instant(&self.0.soft)
    }

    /// The hard deadline: the search must end by then.
    pub fn hard(&self) -> Option<Instant> {
        self.instant(&self.0.hard)
    }

    /// Whether the soft deadline has passed.
    pub fn is_soft_past(&self) -> bool {
        self.soft().is_some_and(|soft| Instant::now() >= soft)
    }

    /// Whether the hard deadline has passed.
    pub fn is_hard_past(&self) -> bool {
        self.hard().is_some_and(|hard| Instant::now() >= hard)
    }

    fn instant(&self, nanoseconds: &AtomicU64) -> Option<Instant> {
        match nanoseconds.load(Ordering::Relaxed) {
            NEVER => None,
            set => self.0.origin.checked_add(Duration::from_nanos(set)),
        }
    }
}

/// Stops a search from another thread. Each search has its own token, so a late `stop`
/// cannot stop the next search.
#[derive(Clone, Debug, Default)]
pub struct StopToken(Arc<AtomicBool>);

impl StopToken {
    /// Stops the search.
    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the search must stop.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// The time when a search must pause, because it shares its thread with the session.
#[derive(Debug)]
pub struct Pause {
    at: Instant,
    is_reached: AtomicBool,
}

impl Pause {
    /// A pause at this time.
    pub const fn at(at: Instant) -> Pause {
        Pause {
            at,
            is_reached: AtomicBool::new(false),
        }
    }

    /// Whether the search must pause now. From then on [`Pause::is_reached`] holds.
    pub fn is_due(&self) -> bool {
        let is_due = Instant::now() >= self.at;
        if is_due {
            self.is_reached.store(true, Ordering::Relaxed);
        }
        is_due
    }

    /// Whether the pause has interrupted the search.
    pub fn is_reached(&self) -> bool {
        self.is_reached.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_is_reached_when_it_is_noticed() {
        let now = Instant::now();
        let (past, future) = (Pause::at(now), Pause::at(now + Duration::from_hours(1)));
        assert!(!past.is_reached());
        assert!(past.is_due() && past.is_reached());
        assert!(!future.is_due() && !future.is_reached());
    }

    #[test]
    fn clones_share_exact_deadlines() {
        let deadlines = Deadlines::default();
        let clone = deadlines.clone();
        assert_eq!((deadlines.soft(), deadlines.hard()), (None, None));
        assert!(!deadlines.is_hard_past());
        let now = Instant::now();
        let [soft, hard] = [1, 2].map(|hours| now + Duration::from_hours(hours));
        clone.set(soft, hard);
        assert_eq!((deadlines.soft(), deadlines.hard()), (Some(soft), Some(hard)));
        assert!(!deadlines.is_soft_past());
        clone.set(now, hard);
        assert!(deadlines.is_soft_past() && !deadlines.is_hard_past());
        clone.set(now, now);
        assert!(deadlines.is_hard_past());
    }
}
