//! What is written for people on a terminal: text that fits it, and progress that is redrawn.

mod arrange;
pub mod progress;

pub use arrange::{arranged, cleaned, fitted, width};
