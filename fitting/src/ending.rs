//! How a command ended.

use referee::Signal;

/// How a command that can be interrupted ended.
pub enum Ending {
    /// It is complete.
    Complete,
    /// It was interrupted; what is done is saved, as this sentence says.
    Interrupted(Signal, String),
}
