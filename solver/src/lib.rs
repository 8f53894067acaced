//! What the program `lodestone` has beside its engine: the command line, the files that the
//! referee contains, and long computations.
//!
//! * [`files`]: the example bots, and the scripts of the page.
//! * [`solve`]: exact values of Magnetic Cave on boards of any size.
//! * [`tables`]: exact values of Gridlock with few pieces, into files.
//! * [`book`]: the making of opening books.
//! * [`logging`]: messages of the programs on standard error.
//! * [`usage`]: the command line, for its help, man page and completions.
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::todo,
        clippy::print_stdout
    )
)]

mod arguments;
pub mod book;
pub mod files;
mod line_file;
pub mod logging;
pub mod solve;
pub mod tables;
pub mod usage;

/// The version with the commit, if it is known, and the target:
/// `0.3.0 (0123456789ab, x86_64-unknown-linux-gnu)`.
pub const VERSION: &str = env!("LODESTONE_VERSION");
