//! A fuzzer for everything that lodestone and the referee read from outside.
//!
//! A [`targets::Target`] parses bytes with a part of the program and panics if a
//! property does not hold: an error message spans several lines, or printed text is not
//! parsed back to the same value. [`mutate`] changes inputs of the [`run::corpus`] at
//! random, and [`run`] keeps the inputs with a new answer.
//!
//! It needs only stable Rust. The search is guided by the answers instead of code
//! coverage: most parsers have a different message for each kind of error.

pub mod mutate;
pub mod run;
pub mod targets;
