//! The text protocol: typed commands and replies, printed and parsed.
//!
//! A [`Command`] goes to an engine, a [`Reply`] comes from it. `Display` prints the line,
//! [`Command::parse`] and [`Reply::parse`] parse it. `protocol.md` is the specification.
//!
//! ```
//! use lodestone_game::protocol::Command;
//!
//! let command = Command::parse("go  movetime 100").unwrap();
//! assert_eq!(command.to_string(), "go movetime 100");
//!
//! let error = Command::parse("position a8").unwrap_err();
//! assert_eq!(
//!     error.to_string(),
//!     "column 10: expected `startpos` or `fen`, found `a8`"
//! );
//! ```

mod command;
mod command_grammar;
mod grammar;
pub mod option_names;
mod reply;
mod reply_grammar;

pub use command::{Command, Dialect, Limits, Query, Start, StateQuery};
pub use grammar::ParseError;
pub use reply::{Info, OptionKind, OptionSpec, Reply, Response};
