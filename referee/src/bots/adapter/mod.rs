//! Makes a bot of a program made for people, which asks at a menu and prints a board.
//!
//! * `spec`: the TOML file that describes the program.
//! * `cell_names`: how the program names cells, and texts with placeholders.
//! * `moves`: the words of the moves of a rules program.
//! * `pattern`: finds text and moves in its output; `board_reader` finds boards.
//! * `program`: the program on a pseudo-terminal, and its output as text.
//! * `line`: a game as a client describes it.
//! * `game`: types lines and waits for text, in the game that leads to a client's position.
//! * `session`: the protocol; `trial`: games for a person who writes such a file.

mod board_reader;
mod cell_names;
mod game;
mod line;
mod moves;
mod pattern;
mod program;
mod session;
mod spec;
mod trial;

pub(crate) use game::GameEnd;
pub(crate) use session::run as run_session;
pub(crate) use spec::AdapterSpec;
pub(crate) use trial::run as run_trial;
