//! The transposition table: what earlier searches found out about a position.
//!
//! An entry is two 64-bit words, the data and the key xor the data, both read
//! and written relaxed. A torn entry, half of one writer and half of another,
//! does not match its key and counts as absent (Hyatt and Mann, "A lock-less
//! transposition table implementation for parallel search", 2002).

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use bytemuck::allocation::try_zeroed_vec;

use crate::board::Move;
use crate::memory;
use crate::score::{Value, is_decisive};

/// How a stored value relates to the true one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// The true value is at most this.
    Upper = 1,
    /// The true value is at least this.
    Lower = 2,
    /// The value is the true one.
    Exact = 3,
}

impl Bound {
    /// What the value that a search of a window found tells.
    pub fn of(value: Value, alpha: Value, beta: Value) -> Bound {
        if value >= beta {
            Bound::Lower
        } else if value > alpha {
            Bound::Exact
        } else {
            Bound::Upper
        }
    }
}

/// What is known of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableEntry {
    /// The best move found, or the one that refuted the position.
    pub best: Option<Move>,
    /// The value, wins and losses counted in plies from this position.
    pub value: Value,
    /// How the value is to be understood.
    pub bound: Bound,
    /// Plies that were searched below the position.
    pub depth: u32,
}

impl TableEntry {
    /// Whether the entry settles the search of a window to `depth`: it was searched
    /// as deep, or is proven, and its value is enough.
    pub fn allows_cutoff(&self, depth: u32, alpha: Value, beta: Value) -> bool {
        (self.depth >= depth || is_decisive(self.value)) && self.cuts(alpha, beta)
    }

    /// Whether the value alone settles the search of a window.
    fn cuts(&self, alpha: Value, beta: Value) -> bool {
        match self.bound {
            Bound::Exact => true,
            Bound::Lower => self.value >= beta,
            Bound::Upper => self.value <= alpha,
        }
    }
}

/// Turns a value counted from the root into one counted from a position `ply`
/// plies further on, so that it holds wherever the position is met again.
pub fn value_to_table(value: Value, ply: u32) -> Value {
    if is_decisive(value) {
        value + value.signum() * ply as Value
    } else {
        value
    }
}

/// The inverse of [`value_to_table`].
pub fn value_from_table(value: Value, ply: u32) -> Value {
    if is_decisive(value) {
        value - value.signum() * ply as Value
    } else {
        value
    }
}

/// The most plies that an entry can tell.
pub const MAX_DEPTH: u32 = 255;

/// Entries that share an index: 64 bytes, a line of the processor's cache.
const BUCKET: usize = 4;

/// An entry from a search this much older counts one ply less.
const PLIES_AN_AGE: u32 = 4;

/// Ages wrap around after this many searches.
const AGES: u8 = 64;

/// The key xor the data, and the data. The data are, from the lowest bit, 16 bits
/// of move, 16 of value, 8 of depth, 2 of bound, 6 of age. All zero is an empty
/// slot.
type Slot = [AtomicU64; 2];

/// The key and the data of a slot.
fn read([check, data]: &Slot) -> (u64, u64) {
    let data = data.load(Ordering::Relaxed);
    (check.load(Ordering::Relaxed) ^ data, data)
}

fn write([check, slot_data]: &Slot, key: u64, data: u64) {
    check.store(key ^ data, Ordering::Relaxed);
    slot_data.store(data, Ordering::Relaxed);
}

fn pack(entry: &TableEntry, age: u8) -> u64 {
    let best = entry.best.map_or(0, Move::to_bits);
    u64::from(best)
        | u64::from(entry.value as i16 as u16) << 16
        | u64::from(entry.depth.min(MAX_DEPTH)) << 32
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

/// The memory for a table cannot be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoMemory {
    megabytes: usize,
    /// How many bytes can be had, where the system says so.
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
    /// The first slot of the first bucket, where a line of the cache begins.
    first: usize,
    age: u8,
}

impl TranspositionTable {
    /// An empty table of at most `megabytes` (2²⁰ bytes), at least one bucket, and one
    /// bucket more.
    /// It is there at once; the system clears its memory when it is first used.
    ///
    /// # Errors
    /// The memory cannot be had.
    pub fn new(megabytes: usize) -> Result<TranspositionTable, NoMemory> {
        let available = memory::available();
        let refused = NoMemory { megabytes, available };
        let bytes = megabytes.checked_mul(1 << 20).ok_or(refused)?;
        if available.is_some_and(|available| bytes as u64 > available) {
            return Err(refused);
        }
        let buckets = (bytes / (BUCKET * size_of::<Slot>())).max(1);
        // One bucket more, so that the first can begin where it should.
        let slots: Vec<Slot> = try_zeroed_vec((buckets + 1) * BUCKET).map_err(|()| refused)?;
        let first = slots.as_ptr().align_offset(BUCKET * size_of::<Slot>());
        Ok(TranspositionTable {
            first: first.min(BUCKET),
            slots,
            age: 0,
        })
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.slots.fill_with(Slot::default);
        self.age = 0;
    }

    /// Tells the table that a new search begins: what is older is replaced
    /// first.
    pub fn next_search(&mut self) {
        self.age = (self.age + 1) % AGES;
    }

    /// The slots in which `key` may stand.
    fn bucket(&self, key: u64) -> &[Slot] {
        let buckets = self.slots.len() / BUCKET - 1;
        let index = ((u128::from(key) * buckets as u128) >> 64) as usize;
        &self.slots[self.first + index * BUCKET..][..BUCKET]
    }

    /// What is known of the position with this key, values counted from that
    /// position.
    pub fn probe(&self, key: u64) -> Option<TableEntry> {
        self.bucket(key).iter().find_map(|slot| {
            let (found, data) = read(slot);
            if found == key { unpack(data) } else { None }
        })
    }

    /// Remembers `entry`, its value counted from the position. Takes the place
    /// of what was known of the position, else of the least useful neighbour.
    pub fn store(&self, key: u64, mut entry: TableEntry) {
        let mut target: Option<(&Slot, u32)> = None;
        for slot in self.bucket(key) {
            let (found, data) = read(slot);
            let known = unpack(data);
            if let Some(known) = known.filter(|_| found == key) {
                entry.best = entry.best.or(known.best);
                target = Some((slot, 0));
                break;
            }
            let worth = known.map_or(0, |known| {
                let searches_ago = (self.age + AGES - age_of(data)) % AGES;
                1 + (PLIES_AN_AGE * u32::from(AGES) + known.depth) - PLIES_AN_AGE * u32::from(searches_ago)
            });
            if target.is_none_or(|(_, least)| worth < least) {
                target = Some((slot, worth));
            }
        }
        if let Some((slot, _)) = target {
            write(slot, key, pack(&entry, self.age));
        }
    }

    /// How full the table is with what this search wrote, in thousandths,
    /// judged by its first thousand slots.
    pub fn fullness(&self) -> u32 {
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

    use super::*;
    use crate::board::Cell;
    use crate::random::Random;
    use crate::score::{MAX_EVAL, WIN, win_in};

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
    fn what_is_put_in_comes_out() {
        let table = TranspositionTable::new(1).unwrap();
        for value in [0, 1, -1, MAX_EVAL, -MAX_EVAL, WIN, -WIN, win_in(1000)] {
            table.store(17, entry(value, 9));
            assert_eq!(table.probe(17), Some(entry(value, 9)));
        }
        assert_eq!(table.probe(18), None);
        table.store(19, entry(5, 1000));
        assert_eq!(table.probe(19).map(|entry| entry.depth), Some(MAX_DEPTH));
    }

    #[test]
    fn a_known_move_is_kept() {
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
    fn deep_entries_outlive_shallow_ones_of_the_same_search() {
        let mut table = TranspositionTable::new(0).unwrap();
        for key in 1..=4 {
            table.store(key, entry(0, 10 * key as u32));
        }
        table.store(5, entry(0, 1));
        assert_eq!(
            [1, 2, 3, 4, 5].map(|key| table.probe(key).is_some()),
            [false, true, true, true, true]
        );
        // Old entries go first, however deep.
        for _ in 0..20 {
            table.next_search();
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
    fn threads_never_see_half_of_another_entry() {
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
        // A torn slot may hide all that its key had; the more cores, the more of them.
        assert!(found > 1000, "{found}");
    }

    #[test]
    fn distances_are_counted_from_the_position() {
        for value in [win_in(7), -win_in(7), 42] {
            assert_eq!(value_from_table(value_to_table(value, 4), 4), value);
        }
        assert_eq!(value_to_table(win_in(7), 4), win_in(3));
        assert_eq!(value_from_table(-win_in(3), 4), -win_in(7));
    }

    #[test]
    fn memory_that_cannot_be_had_is_an_error() {
        for megabytes in [1 << 20, usize::MAX >> 24, usize::MAX] {
            let error = TranspositionTable::new(megabytes).unwrap_err().to_string();
            let start = format!("no memory for a table of {megabytes} MB");
            assert!(error.starts_with(&start), "{error}");
        }
    }

    #[test]
    fn a_cleared_table_knows_nothing() {
        let mut table = TranspositionTable::new(1).unwrap();
        table.store(17, entry(5, 6));
        table.clear();
        assert_eq!(table.probe(17), None);
    }
}
