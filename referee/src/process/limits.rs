//! Resource limits for an engine and its descendants together.

use std::fmt;

/// Resource limits; `None` means unlimited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Anonymous and shared resident memory in [megabytes](Limits::MEGABYTE). Pages shared
    /// after a fork count once per process.
    pub memory: Option<u64>,
    /// Number of processes, including the engine.
    pub processes: Option<u64>,
}

impl Limits {
    /// Whether this system reports what an engine uses.
    pub const ARE_SUPPORTED: bool = cfg!(target_os = "linux");

    /// Bytes in a megabyte, for [`Limits::memory`].
    pub const MEGABYTE: u64 = 1024 * 1024;
}

/// A limit that an engine exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExceededLimit {
    /// Memory in [megabytes](Limits::MEGABYTE).
    Memory {
        /// Use when it was measured.
        used: u64,
        /// The limit.
        allowed: u64,
    },
    /// Processes.
    Processes {
        /// The number found.
        found: u64,
        /// The limit.
        allowed: u64,
    },
}

impl fmt::Display for ExceededLimit {
    /// A clause that follows the engine's name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExceededLimit::Memory { used, allowed } => {
                write!(f, "used {used} MB of memory, {allowed} MB are allowed")
            }
            ExceededLimit::Processes { found, allowed } => {
                let verb = if *allowed == 1 { "is" } else { "are" };
                write!(f, "has {found} processes, {allowed} {verb} allowed")
            }
        }
    }
}
