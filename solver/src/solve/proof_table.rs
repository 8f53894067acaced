//! The table of proofs: bounded memory, the cheapest proofs are replaced first.

use std::hint::black_box;

use lodestone::board::Bitboard;

/// A proof: its tag, its cells, and the check and cost of [`ProofTable::store`]. A tag of 0 is
/// an unused place.
type Entry = [u64; 3];

/// The number of entries that share a bucket.
const BUCKET: usize = 4;

/// Proofs by the hash of their place.
#[derive(Debug)]
pub struct ProofTable {
    entries: Vec<Entry>,
    /// The number of buckets, a power of two, minus 1.
    mask: u64,
}

impl ProofTable {
    /// A table of at most this number of megabytes, at least one bucket. `None` if the memory is
    /// not available.
    pub fn new(megabytes: usize) -> Option<ProofTable> {
        let buckets = (megabytes << 20) / (BUCKET * size_of::<Entry>());
        let buckets = 1 << buckets.max(1).ilog2();
        let entries = bytemuck::allocation::try_zeroed_vec(buckets * BUCKET).ok()?;
        Some(ProofTable {
            entries,
            mask: buckets as u64 - 1,
        })
    }

    /// The cells of a proof at this place whose tag is the one that `tag` returns for its
    /// cells.
    pub fn find(&self, place: u64, tag: impl Fn(Bitboard) -> u64) -> Option<Bitboard> {
        let first = (place & self.mask) as usize * BUCKET;
        let mut bucket = self.entries[first..first + BUCKET].iter();
        let found = bucket.find(|&&[known, cells, rest]| {
            rest >> 32 == place >> 32 && known != 0 && known == tag(Bitboard(cells))
        });
        found.map(|&[_, cells, _]| Bitboard(cells))
    }

    /// Reads the entries of a place into the processor's cache.
    pub fn touch(&self, place: u64) {
        let first = (place & self.mask) as usize * BUCKET;
        for entry in [first, first + BUCKET - 1] {
            black_box(self.entries[entry][0]);
        }
    }

    /// Stores a proof that took `work` positions. The entry keeps the upper half of the place, so
    /// that [`find`](Self::find) can compare it.
    pub fn store(&mut self, place: u64, tag: u64, cells: Bitboard, work: u64) {
        let first = (place & self.mask) as usize * BUCKET;
        let bucket = &mut self.entries[first..first + BUCKET];
        let work = u32::try_from(work).unwrap_or(u32::MAX);
        let entry = [tag, cells.0, place >> 32 << 32 | u64::from(work)];
        // The last entry of a bucket takes any proof, the others take more expensive ones.
        let last = BUCKET - 1;
        let cost = |[_, _, rest]: Entry| rest as u32;
        let cheapest = (0..last).min_by_key(|&index| cost(bucket[index])).unwrap_or(last);
        if cost(bucket[cheapest]) <= work {
            bucket[last] = bucket[cheapest];
            bucket[cheapest] = entry;
        } else {
            bucket[last] = entry;
        }
    }
}
