//! Opening books: values of positions near the start, which the engine computes for itself.
//!
//! The command `lodestone book` makes them; the option `OwnBook` plays their moves.
//!
//! A book is a text. The first line names the game and the nodes of a search. Every other line is a
//! position: a FEN, a colon, and moves with their values for the side to move, the best first. The
//! last line is a checksum of all lines before it:
//!
//! ```text
//! lodestone book 1: magnetic-cave, 500000 nodes a search
//! 8/8/8/8/8/8/8/8 x: a6 70, a8 60, a7 31
//! checksum 0123456789abcdef
//! ```
//!
//! A position stands for all its mirror images. A value is in centipawns, or a proven result. It is
//! the value of the position after the move, if the book has that position; else it is that of a
//! search of all moves that lead out of the book.

mod file;
mod score;

pub(crate) use file::BookMove;
pub use file::{Book, ScoredMove};
pub use score::BookScore;
