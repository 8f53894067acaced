//! Long computations with the engine `lodestone`: the program `lodestone-solver`.
//!
//! * [`solve`]: exact values of Magnetic Cave on boards of any size.
//! * [`tables`]: exact values of Gridlock with few pieces, into files.
//! * [`book`]: the making of opening books.
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
mod line_file;
pub mod solve;
pub mod tables;
