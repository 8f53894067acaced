//! Node counts of the helper threads.

use std::sync::atomic::{AtomicU64, Ordering};

/// One node count per helper, each in a cache line of its own.
#[derive(Debug, Default)]
pub struct NodeCount(Vec<Padded>);

#[derive(Debug, Default)]
#[repr(align(64))]
struct Padded(AtomicU64);

impl NodeCount {
    /// Counts of zero for this number of helpers.
    pub fn new(helpers: usize) -> NodeCount {
        let mut counts = Vec::new();
        counts.resize_with(helpers, Padded::default);
        NodeCount(counts)
    }

    /// Sets the count of thread number `helper`, from 1.
    pub fn set(&self, helper: u32, nodes: u64) {
        if let Some(Padded(count)) = self.0.get(helper as usize - 1) {
            count.store(nodes, Ordering::Relaxed);
        }
    }

    /// The sum over all helpers, as of their last updates.
    pub fn total(&self) -> u64 {
        let counts = self.0.iter();
        counts.map(|Padded(count)| count.load(Ordering::Relaxed)).sum()
    }
}
