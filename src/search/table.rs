//! The transposition table, shared by all threads without locks.
//!
//! A slot holds two 64-bit words: the data, and the key xor the data. Both are read and
//! written with relaxed atomics. A torn slot, half of one writer and half of another, does
//! not match its key and counts as empty (Hyatt and Mann, "A lock-less transposition table
//! implementation for parallel search", 2002).

use std::fmt;
use std::hint::black_box;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use bytemuck::allocation::try_zeroed_vec;
use lodestone_game::board::Move;
use lodestone_game::score::{Value, is_decisive};

use super::memory;

/// How a stored value relates to the true value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// The true value is at most the stored value (the search failed low).
    Upper = 1,
    /// The true value is at least the stored value (the search failed high).
    Lower = 2,
    /// The stored value is exact.
    Exact = 3,
}

impl Bound {
    /// The bound of a value that a search with this window returned.
    pub(crate) fn of(value: Value, alpha: Value, beta: Value) -> Bound {
        if value >= beta {
            Bound::Lower
        } else if value > alpha {
            Bound::Exact
        } else {
            Bound::Upper
        }
    }
}

/// An entry of the transposition table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableEntry {
    /// The best move, or the move that caused the beta cutoff.
    pub best: Option<Move>,
    /// The value; distances to a win or loss count from this position.
    pub value: Value,
    /// Whether the value is exact or a bound.
    pub bound: Bound,
    /// The search depth, in plies.
    pub depth: u32,
}

impl TableEntry {
    /// Whether the entry replaces a search to `depth` with this window: it is deep enough
    /// or proven, and its bound lies outside the window.
    pub(crate) fn allows_cutoff(&self, depth: u32, alpha: Value, beta: Value) -> bool {
        let is_reliable = self.depth >= depth || is_decisive(self.value);
        is_reliable
            && match self.bound {
                Bound::Exact => true,
                Bound::Lower => self.value >= beta,
                Bound::Upper => self.value <= alpha,
            }
    }
}

/// Converts the distance in a proven value: from counting from the root to counting from
/// a position at `ply`, so that the value is valid at any ply.
pub(crate) fn value_to_table(value: Value, ply: u32) -> Value {
    if is_decisive(value) {
        value + value.signum() * ply as Value
    } else {
        value
    }
}

/// The inverse of [`value_to_table`].
pub(crate) fn value_from_table(value: Value, ply: u32) -> Value {
    if is_decisive(value) {
        value - value.signum() * ply as Value
    } else {
        value
    }
}

/// The greatest depth that an entry can store, in plies.
pub(crate) const MAX_ENTRY_DEPTH: u32 = 255;

/// Slots per bucket: 64 bytes, one cache line.
const BUCKET: usize = 4;

/// Replacement: plies of depth that an entry loses per search since it was written.
const PLIES_PER_AGE: u32 = 4;

/// The age counts searches modulo this.
const AGES: u8 = 64;

/// The key xor the data, and the data. The data, from the lowest bit: 16 bits of move, 16
/// of value, 8 of depth, 2 of bound, 6 of age. An empty slot is zero.
pub(crate) type Slot = [AtomicU64; 2];

/// The key and the data of a slot.
pub(crate) fn read([check, data]: &Slot) -> (u64, u64) {
    let data = data.load(Ordering::Relaxed);
    (check.load(Ordering::Relaxed) ^ data, data)
}

fn write([check, slot_data]: &Slot, key: u64, data: u64) {
    check.store(key ^ data, Ordering::Relaxed);
    slot_data.store(data, Ordering::Relaxed);
}

/// Proofs use this many buckets at first, 4 MB: a power of two.
pub(crate) const FIRST_PROOF_BUCKETS: usize = 1 << 16;

/// The slots of a page of memory, 4 KB on most systems.
const PAGE: usize = 4096 / size_of::<Slot>();

/// [`TranspositionTable::reserve`] reserves at most this many slots, 1 GB: more would take seconds, and
/// no search of a second needs it.
const MAX_RESERVED: usize = (1 << 30) / size_of::<Slot>();

/// The data of an entry.
pub(crate) fn pack(entry: &TableEntry, age: u8) -> u64 {
    let best = entry.best.map_or(0, Move::to_bits);
    u64::from(best)
        | u64::from(entry.value as i16 as u16) << 16
        | u64::from(entry.depth.min(MAX_ENTRY_DEPTH)) << 32
        | (entry.bound as u64) << 40
        | u64::from(age) << 42
}

fn unpack(data: u64) -> Option<TableEntry> {
    let bound = match data >> 40 & 3 {
        1 => Bound::Upper,
        2 => Bound::Lower,
        3 => Bound::Exact,
        _ => return None,
    };
    Some(TableEntry {
        best: Move::from_bits(data as u16),
        value: Value::from((data >> 16) as u16 as i16),
        bound,
        depth: (data >> 32 & 0xff) as u32,
    })
}

fn age_of(data: u64) -> u8 {
    (data >> 42) as u8 & (AGES - 1)
}

/// Not enough memory for a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoMemory {
    megabytes: usize,
    /// Available memory in bytes, if the system says.
    available: Option<u64>,
}

impl fmt::Display for NoMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no memory for a table of {} MB", self.megabytes)?;
        match self.available {
            Some(bytes) => write!(f, ", {} MB can be had", bytes >> 20),
            None => Ok(()),
        }
    }
}

impl std::error::Error for NoMemory {}

/// A transposition table of fixed size.
#[derive(Debug)]
pub struct TranspositionTable {
    slots: Vec<Slot>,
    /// The first slot of the first bucket, at the start of a cache line.
    first: usize,
    /// The number of searches, modulo [`AGES`].
    pub(crate) age: u8,
    /// The number of buckets, at the end of the table, that hold proofs too.
    pub(crate) proof_buckets: AtomicUsize,
    /// Whether the system has assigned the memory.
    is_reserved: AtomicBool,
}

impl TranspositionTable {
    /// An empty table of at most `megabytes` (2²⁰ bytes) and at least one bucket, plus one
    /// bucket for alignment. Takes no time: the system assigns the memory on first use, or at
    /// [`TranspositionTable::reserve`].
    ///
    /// # Errors
    /// There is not enough memory.
    pub fn new(megabytes: usize) -> Result<TranspositionTable, NoMemory> {
        let available = memory::available();
        let refused = NoMemory { megabytes, available };
        let bytes = megabytes.checked_mul(1 << 20).ok_or(refused)?;
        if available.is_some_and(|available| bytes as u64 > available) {
            return Err(refused);
        }
        let buckets = (bytes / (BUCKET * size_of::<Slot>())).max(1);
        // One more bucket, so that the first can start at a cache line.
        let slots: Vec<Slot> = try_zeroed_vec((buckets + 1) * BUCKET).map_err(|()| refused)?;
        let first = slots.as_ptr().align_offset(BUCKET * size_of::<Slot>());
        Ok(TranspositionTable {
            first: first.min(BUCKET),
            slots,
            age: 0,
            proof_buckets: AtomicUsize::new(FIRST_PROOF_BUCKETS.min(buckets)),
            is_reserved: AtomicBool::new(false),
        })
    }

    /// Has the system assign the memory now, at most 1 GB of it, and keeps all entries. Otherwise each first use of a
    /// page interrupts the search, and two threads wait for each other there. Must not run
    /// during a search, which could lose entries.
    pub(crate) fn reserve(&self) {
        if self.is_reserved.swap(true, Ordering::Relaxed) {
            return;
        }
        // Proofs are at the end of the table.
        for [_, data] in self.slots.iter().rev().take(MAX_RESERVED).step_by(PAGE) {
            // Reading alone does not make the system assign a page.
            data.store(black_box(data.load(Ordering::Relaxed)), Ordering::Relaxed);
        }
    }

    /// Removes all entries.
    pub(crate) fn clear(&mut self) {
        self.slots.fill_with(Slot::default);
        self.is_reserved = AtomicBool::new(true);
        self.age = 0;
        self.proof_buckets = AtomicUsize::new(FIRST_PROOF_BUCKETS.min(self.bucket_count()));
    }

    /// Starts a new search: entries of earlier searches are replaced first.
    pub(crate) fn new_search(&mut self) {
        self.age = (self.age + 1) % AGES;
    }

    /// The slots in which `key` may be stored.
    fn bucket(&self, key: u64) -> &[Slot] {
        let index = ((u128::from(key) * self.bucket_count() as u128) >> 64) as usize;
        &self.slots[self.first + index * BUCKET..][..BUCKET]
    }

    /// The entry for a key.
    pub fn probe(&self, key: u64) -> Option<TableEntry> {
        self.bucket(key).iter().find_map(|slot| {
            let (found, data) = read(slot);
            if found == key { unpack(data) } else { None }
        })
    }

    /// Stores an entry. It replaces the entry of the same position, else the least useful
    /// entry of the bucket by depth and age.
    pub fn store(&self, key: u64, mut entry: TableEntry) {
        let mut target: Option<(&Slot, u32)> = None;
        for slot in self.bucket(key) {
            let (found, data) = read(slot);
            let old = unpack(data);
            if let Some(old) = old.filter(|_| found == key) {
                entry.best = entry.best.or(old.best);
                target = Some((slot, 0));
                break;
            }
            let usefulness = self.usefulness(data);
            if target.is_none_or(|(_, least)| usefulness < least) {
                target = Some((slot, usefulness));
            }
        }
        if let Some((slot, _)) = target {
            write(slot, key, pack(&entry, self.age));
        }
    }

    /// The number of buckets.
    pub(crate) const fn bucket_count(&self) -> usize {
        self.slots.len() / BUCKET - 1
    }

    /// The slots of a bucket, counted from the end of the table.
    pub(crate) fn proof_bucket(&self, bucket: usize) -> &[Slot] {
        &self.slots[self.first + (self.bucket_count() - 1 - bucket) * BUCKET..][..BUCKET]
    }

    /// How useful the entry with these data is, by depth and age; 0 for an empty slot.
    pub(crate) fn usefulness(&self, data: u64) -> u32 {
        unpack(data).map_or(0, |old| {
            let searches_ago = (self.age + AGES - age_of(data)) % AGES;
            1 + (PLIES_PER_AGE * u32::from(AGES) + old.depth) - PLIES_PER_AGE * u32::from(searches_ago)
        })
    }

    /// How full the table is with entries of this search, in thousandths, estimated from
    /// its first 1,000 slots.
    pub(crate) fn hashfull(&self) -> u32 {
        let sample = &self.slots[..self.slots.len().min(1000)];
        let used = sample.iter().filter(|slot| {
            let (_, data) = read(slot);
            unpack(data).is_some() && age_of(data) == self.age
        });
        (used.count() * 1000 / sample.len()) as u32
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use lodestone_game::board::Cell;
    use lodestone_game::random::Random;
    use lodestone_game::score::{MAX_EVAL, WIN, win_in};

    use super::*;

    fn entry(value: Value, depth: u32) -> TableEntry {
        let best = Some(Move::place(Cell::new(3, 4)));
        TableEntry {
            best,
            value,
            bound: Bound::Lower,
            depth,
        }
    }

    #[test]
    fn keeps_its_entries_when_it_gets_its_memory() {
        let table = TranspositionTable::new(1).unwrap();
        let keys = || (0..1000).map(|index| index << 54);
        for key in keys() {
            table.store(key, entry(0, 1));
        }
        table.reserve();
        table.reserve();
        assert!(keys().all(|key| table.probe(key) == Some(entry(0, 1))));
    }

    #[test]
    fn stores_and_probes_entries() {
        let table = TranspositionTable::new(1).unwrap();
        for value in [0, 1, -1, MAX_EVAL, -MAX_EVAL, WIN, -WIN, win_in(1000)] {
            table.store(17, entry(value, 9));
            assert_eq!(table.probe(17), Some(entry(value, 9)));
        }
        assert_eq!(table.probe(18), None);
        table.store(19, entry(5, 1000));
        assert_eq!(table.probe(19).map(|entry| entry.depth), Some(MAX_ENTRY_DEPTH));
    }

    #[test]
    fn keeps_the_move_of_an_older_entry() {
        let table = TranspositionTable::new(1).unwrap();
        table.store(17, entry(3, 4));
        table.store(
            17,
            TableEntry {
                best: None,
                ..entry(5, 6)
            },
        );
        assert_eq!(table.probe(17), Some(entry(5, 6)));
    }

    #[test]
    fn replaces_old_then_shallow_entries() {
        let mut table = TranspositionTable::new(0).unwrap();
        for key in 1..=4 {
            table.store(key, entry(0, 10 * key as u32));
        }
        table.store(5, entry(0, 1));
        assert_eq!(
            [1, 2, 3, 4, 5].map(|key| table.probe(key).is_some()),
            [false, true, true, true, true]
        );
        // Old entries are replaced first, however deep.
        for _ in 0..20 {
            table.new_search();
        }
        table.store(6, entry(0, 1));
        table.store(7, entry(0, 1));
        assert_eq!(
            [2, 3, 4, 5, 6, 7].map(|key| table.probe(key).is_some()),
            [false, true, true, false, true, true]
        );
    }

    #[test]
    fn a_table_never_answers_for_another_position() {
        let table = TranspositionTable::new(0).unwrap();
        let mut random = Random::new(2);
        for _ in 0..1000 {
            let key = random.next_u64() | 1;
            table.store(key, entry((key % 1000) as Value, 3));
            assert_eq!(table.probe(key), Some(entry((key % 1000) as Value, 3)));
            assert_eq!(table.probe(key ^ 2), None);
        }
    }

    /// The entry with this depth that all threads of the next test write for `key`.
    fn entry_of(key: u64, depth: u32) -> TableEntry {
        let value = (key.wrapping_mul(31) + 7 * u64::from(depth)) % 1000;
        entry(value as Value, depth)
    }

    #[test]
    fn threads_never_read_a_torn_entry() {
        // One bucket for many keys: all threads write the same four slots.
        let table = TranspositionTable::new(0).unwrap();
        let work = |seed| {
            let mut random = Random::new(seed);
            let mut found = 0;
            for _ in 0..300_000 {
                let (key, depth) = (1 + random.below(16), random.below(200) as u32);
                table.store(key, entry_of(key, depth));
                let key = 1 + random.below(16);
                if let Some(entry) = table.probe(key) {
                    assert_eq!(entry, entry_of(key, entry.depth));
                    found += 1;
                }
            }
            found
        };
        let found: u32 = thread::scope(|scope| {
            let workers = [1, 2, 3, 4].map(|seed| scope.spawn(move || work(seed)));
            workers.into_iter().map(|worker| worker.join().unwrap()).sum()
        });
        // A torn slot hides its entry; more cores cause more of them.
        assert!(found > 1000, "{found}");
    }

    #[test]
    fn distances_count_from_the_position() {
        for value in [win_in(7), -win_in(7), 42] {
            assert_eq!(value_from_table(value_to_table(value, 4), 4), value);
        }
        assert_eq!(value_to_table(win_in(7), 4), win_in(3));
        assert_eq!(value_from_table(-win_in(3), 4), -win_in(7));
    }

    #[test]
    fn refuses_a_table_larger_than_memory() {
        for megabytes in [1 << 20, usize::MAX >> 24, usize::MAX] {
            let error = TranspositionTable::new(megabytes).unwrap_err().to_string();
            let start = format!("no memory for a table of {megabytes} MB");
            assert!(error.starts_with(&start), "{error}");
        }
    }

    #[test]
    fn clear_removes_entries() {
        let mut table = TranspositionTable::new(1).unwrap();
        table.store(17, entry(5, 6));
        table.clear();
        assert_eq!(table.probe(17), None);
    }
}
