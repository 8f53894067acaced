//! What both systems share.

/// What ended a wait for a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyWait {
    /// Perhaps a key, a signal, or the time was over.
    Over,
    /// The terminal has gone.
    Closed,
}
