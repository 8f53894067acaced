//! The root strategies of the games: what each adds to the search at the root.

mod gridlock;
mod magnetic_cave;
mod swindle;
