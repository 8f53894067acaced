//! What the engine knows of each game beyond its rules, which are in `lodestone_game`.
//!
//! * [`Evaluate`]: what the search needs.
//! * [`Yardstick`]: what the frozen player `plain` needs.

mod evaluate;

pub use evaluate::{Contempt, Evaluate, Forced, Yardstick};

pub mod gridlock;
pub mod magnetic_cave;
