//! Processes: starting an engine, watching it, and killing it with its descendants.
//!
//! * `Tree`: an engine and the processes that it started.
//! * `ExitWatch`: becomes ready when an engine has exited.
//! * `describe`, `describe_status`: how a process ended.
//! * `available_cores`, `pin_to_core`: which cores a process may use.
//! * `own_program`, `is_root`, `is_no_program`.

mod common;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

pub(crate) use common::{Ending, LimitCheck, POLL_INTERVAL, Usage};
#[cfg(unix)]
pub use unix::*;
#[cfg(windows)]
pub use windows::*;
