//! The part of the transposition table that holds the proofs of the solver, at the end of the table.
//!
//! Few buckets fit into the processor's cache, so this part is small at first. It grows with the number of nodes by
//! linear hashing (Litwin, "Linear hashing: a new tool for file and table addressing", 1980): of `2^k + s` buckets, a proof is
//! in the one that the lowest `k + 1` bits of its place name, if that exists, else in the one of the lowest `k` bits. A
//! new bucket takes over the proofs of one other bucket whose bit `k` is set, so no proof is lost.

use std::hint::black_box;
use std::sync::atomic::Ordering;

use crate::search::table::{Bound, FIRST_PROOF_BUCKETS, Slot, TableEntry, TranspositionTable, pack, read};

/// Nodes of a search per bucket: with more nodes, the part grows, up to the whole table.
const NODES_PER_BUCKET: u64 = 4;

/// Buckets that the part gains each time it grows, 64 KB.
const GROWTH: usize = 1024;

/// The bits of a proof's data that hold its tag: those of the value, most of those of the move, the lower one of the
/// bound, and the 16 bits that entries leave free. A proof is found by its tag only, so its slot holds the cells
/// instead of the key.
const TAG: u64 = 0xffff_0100_ffff_ffc0;

/// The bits of a proof's data that hold a part of its place. Where they differ, the tag need not be
/// computed, which takes longer than the probe.
const PLACE: u64 = 0x3f;

/// The lowest of these bits in the place. The bits below it are those of the first buckets' numbers.
const PLACE_SHIFT: u32 = FIRST_PROOF_BUCKETS.ilog2();

/// The bucket of a place in a part with this many buckets, at least one.
const fn bucket_of(place: u64, buckets: usize) -> usize {
    let first = 1 << buckets.ilog2();
    let bucket = place as usize & (2 * first - 1);
    if bucket < buckets { bucket } else { bucket - first }
}

/// The bits of a place that its proof's data hold.
const fn stored_place(place: u64) -> u64 {
    place >> PLACE_SHIFT & PLACE
}

impl TranspositionTable {
    /// The slots in which a proof may be stored.
    fn proof_slots(&self, place: u64) -> &[Slot] {
        self.proof_bucket(bucket_of(place, self.proof_buckets.load(Ordering::Relaxed)))
    }

    /// Gives proofs a larger part of the table if a search of this many nodes needs it.
    pub fn grow_proofs(&self, nodes: u64) {
        let before = self.proof_buckets.load(Ordering::Relaxed);
        if nodes <= NODES_PER_BUCKET * before as u64 || before >= self.bucket_count() {
            return;
        }
        let now = (before + GROWTH).min(self.bucket_count());
        let change = self
            .proof_buckets
            .compare_exchange(before, now, Ordering::Relaxed, Ordering::Relaxed);
        // Another thread may have done it.
        if change.is_ok() {
            (before..now).for_each(|bucket| self.fill_proof_bucket(bucket));
        }
    }

    /// Moves the proofs of a new bucket to it.
    fn fill_proof_bucket(&self, bucket: usize) {
        let bit = bucket.ilog2();
        // Of a larger part, the proofs of new buckets are lost.
        let Some(mask) = bit.checked_sub(PLACE_SHIFT).map(|bit| 1 << bit & PLACE) else {
            return;
        };
        let old = self.proof_bucket(bucket - (1 << bit));
        for ([old_cells, old_data], [cells, data]) in old.iter().zip(self.proof_bucket(bucket)) {
            let proof = old_data.load(Ordering::Relaxed);
            if proof & mask != 0 && self.usefulness(proof) >= self.usefulness(data.load(Ordering::Relaxed)) {
                cells.store(old_cells.load(Ordering::Relaxed), Ordering::Relaxed);
                data.store(proof, Ordering::Relaxed);
                old_data.store(0, Ordering::Relaxed);
            }
        }
    }

    /// Reads the bucket of a place into the processor's cache.
    pub(crate) fn touch_proofs(&self, place: u64) {
        if let Some([_, data]) = self.proof_slots(place).first() {
            black_box(data.load(Ordering::Relaxed));
        }
    }

    /// The first word of a proof in this place whose second word says that `tag`, called with
    /// the first word, returns the proof's tag. 43 bits of tags and 6 of the place are compared.
    pub fn find_proof(&self, place: u64, tag: impl Fn(u64) -> u64) -> Option<u64> {
        self.proof_slots(place).iter().find_map(|[cells, data]| {
            let data = data.load(Ordering::Relaxed);
            if data == 0 || (data ^ stored_place(place)) & PLACE != 0 {
                return None;
            }
            let cells = cells.load(Ordering::Relaxed);
            ((tag(cells) ^ data) & TAG == 0).then_some(cells)
        })
    }

    /// Stores a proof in the place of the least useful entry by depth and age. The tag must
    /// depend on `cells`, so that a torn slot does not match it.
    pub fn store_proof(&self, place: u64, tag: u64, cells: u64, depth: u32) {
        let least = self.proof_slots(place).iter().min_by_key(|slot| {
            let (_, data) = read(slot);
            self.usefulness(data)
        });
        if let Some([slot_cells, slot_data]) = least {
            let entry = TableEntry {
                best: None,
                value: 0,
                bound: Bound::Exact,
                depth,
            };
            let rest = pack(&entry, self.age) & !(TAG | PLACE);
            let data = rest | tag & TAG | stored_place(place);
            slot_cells.store(cells, Ordering::Relaxed);
            slot_data.store(data, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn tag(cells: u64) -> u64 {
        cells.wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    #[test]
    fn finds_a_proof_by_the_tag_of_its_cells() {
        let table = TranspositionTable::new(1).unwrap();
        for (index, cells) in [0, 5, u64::MAX].into_iter().enumerate() {
            let place = index as u64;
            assert_eq!(table.find_proof(place, tag), None);
            table.store_proof(place, tag(cells), cells, 9);
            assert_eq!(table.find_proof(place, tag), Some(cells));
            for bit in [6, 40, 63] {
                assert_eq!(table.find_proof(place, |cells| tag(cells) ^ 1 << bit), None);
            }
            assert_eq!(table.find_proof(place ^ 1 << PLACE_SHIFT, tag), None);
        }
        // Deep proofs replace shallow ones.
        for cells in 10..20 {
            table.store_proof(3, tag(cells), cells, 20 + cells as u32);
        }
        let cells_of_tag =
            |cells| table.find_proof(3, |found| if found == cells { tag(cells) } else { !tag(found) });
        assert_eq!(cells_of_tag(19), Some(19));
        assert_eq!(cells_of_tag(11), None);
    }

    #[test]
    fn keeps_all_proofs_when_it_grows() {
        // 262,143 buckets: not a power of two.
        let table = TranspositionTable::new(16).unwrap();
        let place = |cells: u64| tag(tag(cells) ^ (cells >> 7)) ^ cells << 40;
        let count = FIRST_PROOF_BUCKETS as u64 / 8;
        for cells in 1..=count {
            table.store_proof(place(cells), tag(cells), cells, 9);
        }
        let found = || {
            let is_found = |&cells: &u64| {
                table.find_proof(place(cells), |found| {
                    if found == cells { tag(cells) } else { !tag(cells) }
                }) == Some(cells)
            };
            (1..=count).filter(is_found).count()
        };
        let before = found();
        // With an eighth of a proof for each bucket, hardly any bucket is full.
        assert!(before as u64 > count - 10, "{before} of {count}");
        for nodes in (0..10_000_000).step_by(1000) {
            table.grow_proofs(nodes);
        }
        assert_eq!(table.proof_buckets.load(Ordering::Relaxed), table.bucket_count());
        assert_eq!(found(), before);
    }

    #[test]
    fn each_place_has_a_bucket() {
        for buckets in [1, 2, 3, 4, 5, 1000, 1024, 1025] {
            let mut places = vec![0; buckets];
            for place in 0..4096 {
                places[bucket_of(place, buckets)] += 1;
            }
            assert!(places.iter().all(|&count| count > 0), "{buckets}");
            assert!(
                places.iter().max() <= places.iter().min().map(|least| 2 * least + 2).as_ref(),
                "{buckets}"
            );
        }
    }
}
