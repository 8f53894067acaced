//! Pipes, and waiting for several of them at once.
//!
//! * `Source`: something that a thread can wait for.
//! * `WaitSet`: a set of sources; its `wait` returns when one of them is ready.
//! * `Reader`, `Writer`: ends of pipes that never block.
//! * `wake_pair`: a source that another thread makes ready.

mod common;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

pub(crate) use common::Interest;
#[cfg(unix)]
pub use unix::*;
#[cfg(windows)]
pub use windows::*;

/// The referee's ends of an engine's stdin, stdout and stderr.
pub(crate) type Pipes = (Option<Writer>, Option<Reader>, Option<Reader>);
