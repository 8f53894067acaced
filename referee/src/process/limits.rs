//! What an engine may use, itself and its descendants together.

use std::fmt;

/// What an engine may use; `None` is without limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Memory that is resident and does not come from files, in
    /// [megabytes](Limits::MEGABYTE). What processes share after a fork counts
    /// for each of them.
    pub memory: Option<u64>,
    /// How many processes, the engine itself included.
    pub processes: Option<u64>,
}

impl Limits {
    /// Whether this system tells what an engine uses.
    pub const CAN_BE_KEPT: bool = cfg!(target_os = "linux");

    /// So many bytes are a megabyte here.
    pub const MEGABYTE: u64 = 1024 * 1024;
}

/// What an engine used beyond its limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overuse {
    /// Memory, in [megabytes](Limits::MEGABYTE).
    Memory {
        /// How much it had when it was looked at.
        used: u64,
        /// How much it may have.
        allowed: u64,
    },
    /// Processes.
    Processes {
        /// How many there were.
        found: u64,
        /// How many there may be.
        allowed: u64,
    },
}

impl fmt::Display for Overuse {
    /// As the end of a sentence that begins with the engine's name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Overuse::Memory { used, allowed } => {
                write!(f, "used {used} MB of memory, {allowed} MB are allowed")
            }
            Overuse::Processes { found, allowed } => {
                let verb = if *allowed == 1 { "is" } else { "are" };
                write!(f, "has {found} processes, {allowed} {verb} allowed")
            }
        }
    }
}
