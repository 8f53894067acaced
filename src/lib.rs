//! Lodestone: two board games, and a program that plays them well.
pub mod board;
pub mod engine;
pub mod game;
pub mod personality;
pub mod protocol;
pub mod random;
pub mod score;
pub mod search;
