//! How many positions the helper threads have searched.

use std::sync::atomic::{AtomicU64, Ordering};

/// The positions searched by the helpers, one count for each of them, each in a
/// line of the processor's cache of its own.
#[derive(Debug, Default)]
pub struct NodeCount(Vec<Padded>);

#[derive(Debug, Default)]
#[repr(align(64))]
struct Padded(AtomicU64);

impl NodeCount {
    /// Zero for each of so many helpers.
    pub fn new(helpers: usize) -> NodeCount {
        let mut counts = Vec::new();
        counts.resize_with(helpers, Padded::default);
        NodeCount(counts)
    }

    /// Thread number `helper`, from 1, has searched so many.
    pub fn set(&self, helper: u32, nodes: u64) {
        if let Some(Padded(count)) = self.0.get(helper as usize - 1) {
            count.store(nodes, Ordering::Relaxed);
        }
    }

    /// What all of them have told.
    pub fn total(&self) -> u64 {
        let counts = self.0.iter();
        counts.map(|Padded(count)| count.load(Ordering::Relaxed)).sum()
    }
}
