//! The memory of a child process and of all processes below it.

use std::process::Child;

use super::supervisor::family_memory;

/// Resident memory in bytes, file pages included. A page that several processes share counts in
/// each of them, as most schedulers count it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessMemory {
    /// That of the process itself.
    pub own: u64,
    /// The sum over its descendants.
    pub descendants: u64,
}

impl ProcessMemory {
    /// The memory of a child and its descendants now; `None` where the system does not report it,
    /// or when the child has ended.
    #[must_use]
    pub fn of(child: &Child) -> Option<ProcessMemory> {
        let (own, descendants) = family_memory(child.id())?;
        Some(ProcessMemory { own, descendants })
    }
}
