//! The referee from the outside on every system: real processes, pipes and files. On Windows, or
//! under Wine, these are the end-to-end tests.

#[allow(dead_code)] // a document uses the rest
#[path = "../referee/fates.rs"]
mod fates;
mod matches;
#[cfg(windows)]
mod programs;
mod scene;
mod survival;
mod tournament;
mod zoo;
