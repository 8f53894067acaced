//! Progress on a terminal: lines below the other output that are redrawn in place.
//!
//! * [`LiveArea`]: draws a [`View`] ten times a second, and other output above it.
//! * [`Task`]: the progress of a command that counts something.
//! * [`LogWriter`]: writes log messages above the lines.
//!
//! Where the output is not a terminal, nothing of this is written.

mod frame;
mod live;
mod task;

pub(crate) use frame::{TerminalSize, first_that_fits};
pub use live::LogWriter;
pub(crate) use live::{LiveArea, Stream, View};
pub use task::Task;
pub(crate) use task::rough_time;
