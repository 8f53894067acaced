//! What the engine knows of Gridlock, whose rules are in [`lodestone_game::gridlock`].

pub(crate) mod crowded;
mod evaluation;
pub mod exact;
pub mod features;
pub mod network;
pub(crate) mod shallow;
mod yardstick;
