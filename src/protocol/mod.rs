//! The text protocol: typed commands and replies, and their text both ways.
//!
//! [`Command`] is what an engine hears, [`Reply`] is what it says. `Display`
//! writes the line, [`Command::parse`] and [`Reply::parse`] read it. The whole
//! protocol is described in `protocol.md`.
//!
//! ```
//! use lodestone::protocol::Command;
//!
//! let command = Command::parse("go  movetime 100").unwrap();
//! assert_eq!(command.to_string(), "go movetime 100");
//!
//! let error = Command::parse("go movetime soon").unwrap_err();
//! assert_eq!(
//!     error.to_string(),
//!     "column 13: expected a whole number of milliseconds, found `soon`"
//! );
//! ```

mod command;
mod command_grammar;
mod dialect;
mod grammar;
mod reply;
mod reply_grammar;

pub use command::{Command, InDialect, Limits, Query, Start};
pub use dialect::Dialect;
pub use grammar::ParseError;
pub use reply::{Info, OptionKind, OptionSpec, Reply, Response};
