//! A terminal: its size, keys, and suspension.
//!
//! * `size`: columns and rows.
//! * `prepare`: whether escape sequences work.
//! * `Keys`: keys that are typed while no line is read.
//! * `wait_for_key`: waits for a key, a signal or the time.
//! * `wake_editor`: ends the wait of the line editor for keys.
//! * `SuspendKey`, `suspend`: Ctrl-Z.

mod common;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

pub use common::KeyWait;
#[cfg(unix)]
pub use unix::*;
#[cfg(windows)]
pub use windows::*;
