//! What both systems share.

/// The number of the signal that Ctrl-C sends (POSIX).
pub const INTERRUPT: i32 = 2;

/// The number of the signal that `kill` sends (POSIX).
pub const TERMINATE: i32 = 15;
