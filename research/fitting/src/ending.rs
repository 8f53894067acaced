//! How a command ended.

use referee_core::io::interrupt::Signal;

/// How a command that can be interrupted ended.
pub enum Ending {
    /// It is complete.
    Complete,
    /// It was interrupted; what is done is saved, as this sentence says.
    Interrupted(Signal, String),
}
