//! What the threads of a search tell each other about a proof, besides the table: which positions
//! are searched now, and which were decided lately. A thread first searches moves that no other
//! thread searches, and leaves a position that another thread has decided. All of it is a hint; a
//! lost or wrong entry costs time, never a result.
//!
//! After Tom Kerrigan's simplified ABDADA (2015), and Weill's ABDADA (1996).

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use lodestone_game::board::Move;

/// Slots of each list. Each thread searches at most one position for each ply at a time.
const SLOTS: usize = 4096;

/// The slots in which a searched position may stand.
const WAYS: usize = 4;

/// Only positions with at least this many empty cells are shared. 10 and 16 make little
/// difference (`research/notes/magnetic-cave.md`).
const MIN_EMPTY: u32 = 12;

/// The shared state of one proof. Keys are hashes of positions and questions, never 0.
#[derive(Debug)]
pub(crate) struct SharedProof {
    threads: u64,
    searched: Vec<AtomicU64>,
    decided: Vec<AtomicU64>,
    /// The result of the root, see [`SharedProof::finish`]; 0 if it is not known.
    result: AtomicU32,
}

fn slots() -> Vec<AtomicU64> {
    let mut slots = Vec::new();
    slots.resize_with(SLOTS, AtomicU64::default);
    slots
}

impl SharedProof {
    /// The state of a proof by this number of threads.
    pub(crate) fn new(threads: usize) -> SharedProof {
        SharedProof {
            threads: threads as u64,
            searched: slots(),
            decided: slots(),
            result: AtomicU32::new(0),
        }
    }

    /// About the nodes of all threads, given those of one.
    pub(crate) fn nodes(&self, of_thread: u64) -> u64 {
        of_thread.saturating_mul(self.threads)
    }

    /// Whether positions with this many empty cells are shared.
    pub(crate) fn includes(empty: u32) -> bool {
        empty >= MIN_EMPTY
    }

    /// Where a key may stand among the searched positions.
    fn bucket(&self, key: u64) -> &[AtomicU64] {
        let index = (key >> 32) as usize % (SLOTS / WAYS);
        &self.searched[index * WAYS..][..WAYS]
    }

    /// Whether a thread searches this position.
    pub(crate) fn is_searched(&self, key: u64) -> bool {
        let mut slots = self.bucket(key).iter();
        slots.any(|slot| slot.load(Ordering::Relaxed) == key)
    }

    /// A thread begins to search this position. If there is no room, another entry is lost.
    pub(crate) fn begin(&self, key: u64) {
        let bucket = self.bucket(key);
        let free = bucket.iter().find(|slot| {
            let old = slot.load(Ordering::Relaxed);
            old == 0 || old == key
        });
        free.unwrap_or(&bucket[0]).store(key, Ordering::Relaxed);
    }

    /// A thread has ended its search of this position.
    pub(crate) fn end(&self, key: u64) {
        for slot in self.bucket(key) {
            if slot.load(Ordering::Relaxed) == key {
                slot.store(0, Ordering::Relaxed);
            }
        }
    }

    /// Where a key stands among the decided positions.
    fn decided_slot(&self, key: u64) -> &AtomicU64 {
        &self.decided[(key >> 32) as usize % SLOTS]
    }

    /// Whether a thread has decided this position lately.
    pub(crate) fn is_decided(&self, key: u64) -> bool {
        self.decided_slot(key).load(Ordering::Relaxed) == key
    }

    /// A thread has decided this position, or its proof is not in the table any more.
    pub(crate) fn set_decided(&self, key: u64, is_decided: bool) {
        let slot = self.decided_slot(key);
        if is_decided {
            slot.store(key, Ordering::Relaxed);
        } else if slot.load(Ordering::Relaxed) == key {
            slot.store(0, Ordering::Relaxed);
        }
    }

    /// Whether a thread has proven the result of the root.
    pub(crate) fn is_finished(&self) -> bool {
        self.result.load(Ordering::Relaxed) != 0
    }

    /// A thread has proven the result of the root: 1 for a win of the side to move, 0 for a draw,
    /// -1 for a loss, and a move with this result.
    pub(crate) fn finish(&self, points: i32, best: Move) {
        let result = ((points + 2) as u32) << 16 | u32::from(best.to_bits());
        self.result.store(result, Ordering::Relaxed);
    }

    /// The result of the root and a move with it, if a thread has proven it.
    pub(crate) fn result(&self) -> Option<(i32, Move)> {
        let result = self.result.load(Ordering::Relaxed);
        let best = Move::from_bits(result as u16)?;
        Some(((result >> 16) as i32 - 2, best))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_searched_until_their_search_ends() {
        let shared = SharedProof::new(2);
        // All in one bucket, one more than it holds.
        let keys = [1, 2, 3, 4, 5];
        for (index, &key) in keys.iter().enumerate() {
            assert!(!shared.is_searched(key));
            shared.begin(key);
            assert!(shared.is_searched(key), "{index}");
        }
        let found = keys.iter().filter(|&&key| shared.is_searched(key)).count();
        assert_eq!(found, WAYS);
        for key in keys {
            shared.end(key);
            assert!(!shared.is_searched(key));
        }
        shared.begin(1 << 32);
        shared.begin(1 << 32);
        shared.end(1 << 32);
        assert!(!shared.is_searched(1 << 32));
    }

    #[test]
    fn the_last_decided_position_is_known() {
        let shared = SharedProof::new(2);
        let [key, other] = [7, 8];
        shared.set_decided(key, true);
        assert!(shared.is_decided(key) && !shared.is_decided(other));
        shared.set_decided(other, false);
        assert!(shared.is_decided(key));
        shared.set_decided(key, false);
        assert!(!shared.is_decided(key));
    }

    #[test]
    fn the_nodes_of_all_threads_count() {
        assert_eq!(SharedProof::new(3).nodes(7), 21);
        assert_eq!(SharedProof::new(3).nodes(u64::MAX), u64::MAX);
    }
}
