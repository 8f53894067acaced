//! Tests of the solver from outside.

#![allow(missing_docs)]

mod boards;
mod book;
#[path = "../books/mod.rs"]
mod books;
mod certificates;
#[path = "../client/mod.rs"]
mod client;
mod command_line;
#[path = "../folder/mod.rs"]
mod folder;
mod second_solver;
mod small_boards;
mod tables;
