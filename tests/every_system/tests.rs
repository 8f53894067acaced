//! The referee from the outside on Windows, or under Wine: real processes, pipes and files. On other
//! systems, `end_to_end` has more tests of the same.

// The tests choose the names of their files.
#![allow(clippy::disallowed_methods)]
#![cfg(windows)]

mod matches;
mod programs;
mod scene;
mod survival;
mod tournament;
mod zoo;
#[allow(dead_code)] // the other systems use the rest
#[path = "../zoo/table.rs"]
mod zoo_table;
