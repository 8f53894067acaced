//! Ctrl-C and requests to end.
//!
//! * `stop_at`: notes a signal and wakes a thread.
//! * `act_at`: runs an action at each signal.
//! * `exit_at`: ends the process at a signal.
//!
//! Windows has no signals. There Ctrl-C, Ctrl-Break and the closing of the console count as
//! [`INTERRUPT`], and [`TERMINATE`] never comes.

mod common;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

pub(crate) use common::{INTERRUPT, TERMINATE};
#[cfg(unix)]
pub use unix::*;
#[cfg(windows)]
pub use windows::*;
