//! Makes a bot of a program made for people, which asks at a menu and prints a board.
//!
//! * `spec`: the TOML file that describes the program; `toml_table` reads its tables,
//!   `template` its texts with placeholders.
//! * `cell_names`: how the program names cells.
//! * `pattern`: finds text and moves in its output; `board_reader` finds boards.
//! * `program`: the program on a pseudo-terminal; `screen_text`: its output as text.
//! * `dialogue`: types lines and waits for text.
//! * `game`: the game that leads to a client's position.
//! * `session`: the protocol; `trial`: games for a person who writes such a file.

mod board_reader;
mod cell_names;
mod dialogue;
mod game;
mod pattern;
mod program;
mod screen_text;
mod session;
mod spec;
mod template;
mod toml_table;
mod trial;

pub(crate) use dialogue::DialogueEnd;
pub(crate) use session::run as run_session;
pub(crate) use spec::AdapterSpec;
pub(crate) use trial::run as run_trial;
