//! What the bots of the zoo do instead of signals on a system without them.

/// Does nothing.
pub fn ignore_sigterm() {}

/// Does nothing.
pub fn leave_session() {}
