//! Tests of the solver from outside, in one program, because each would compile the search anew.

#![allow(missing_docs)]

mod boards;
mod book;
#[path = "../../../tests/books/mod.rs"]
mod books;
mod certificates;
#[path = "../../../tests/client/mod.rs"]
mod client;
mod command_line;
#[path = "../../../tests/folder/mod.rs"]
mod folder;
#[path = "../../../tests/naive/mod.rs"]
mod naive;
mod second_solver;
mod small_boards;
mod tables;
