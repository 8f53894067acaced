//! `referee show`: one game, step by step on a terminal, all boards elsewhere.

use std::io::{self, Write};

use super::{install_interrupt, shown};
use crate::config::cli::ShowArgs;
use crate::config::values::Positive;
use crate::display::BoardStyle;
use crate::io::failure::Failure;
use crate::io::terminal::width;
use crate::results::game_file::{self, FileContent};
use crate::results::replay::Replay;
use crate::viewer::{self, GameText, list};

/// The width of a list that does not go to a terminal, in columns.
const NO_TERMINAL: usize = 1000;

/// Shows a game, or the list of games where none is chosen.
///
/// # Errors
/// If the file has no such game or cannot be read, the output fails, or a signal ends it.
pub fn run(args: &ShowArgs) -> Result<(), Failure> {
    let file = args.file.display().to_string();
    let number = args.game.map(Positive::get);
    let text = match game_file::read(&args.file, number).map_err(Failure::Usage)? {
        FileContent::Game(game) => {
            let game = GameText::new(Replay::new(&game), &file, BoardStyle::new(args.style));
            if viewer::terminal::is_interactive() {
                return viewer::terminal::run(&game, install_interrupt()?.as_ref());
            }
            game.all_boards()
        }
        FileContent::List(games) => list::table(&file, &games, width(io::stdout()).unwrap_or(NO_TERMINAL)),
    };
    let mut out = io::stdout().lock();
    shown(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}
