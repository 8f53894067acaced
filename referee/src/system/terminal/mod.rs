//! A terminal: its size, keys, and suspension.
//!
//! * `size`: columns and rows.
//! * `prepare`: whether escape sequences work.
//! * `Keys`: keys that are typed while no line is read.
//! * `wake_editor`: ends the wait of the line editor for keys.
//! * `SuspendKey`, `suspend`: Ctrl-Z.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub use unix::*;
#[cfg(windows)]
pub use windows::*;
