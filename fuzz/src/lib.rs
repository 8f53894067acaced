//! Tries everything that lodestone and the referee read from outside with
//! input that nobody would write on purpose.
//!
//! A [`targets::Target`] takes bytes, has a part of the program read them, and
//! panics where a promise is broken: an error that spans lines, a text that is
//! not read as it was printed. [`mutate`] changes inputs of the [`corpus`] at
//! random, and [`run`] keeps those to which a target answers something new.
//!
//! It needs nothing but stable Rust. What leads the search is not which lines of
//! code were reached but what was said of the input: most of what is read has a
//! sentence of its own for each way to be wrong.

pub mod corpus;
pub mod mutate;
pub mod run;
pub mod targets;
