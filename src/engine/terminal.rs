//! Help on stderr for a person who starts the engine in a terminal.

use std::io::{self, IsTerminal, Write};

use crate::game::Variant;

/// Whether a person uses this process: both stdin and stdout are terminals.
pub(crate) fn is_interactive() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

/// Shows the greeting.
pub(crate) fn greet() {
    let games = Variant::list(|info| info.title);
    show(&format!(
        "Lodestone plays {games}. It reads commands, one per line.\n\
         Type `help` for the first commands, `quit` to leave. To play by hand, start `referee`.\n"
    ));
}

/// Explains the first commands.
pub(crate) fn help() {
    let sample = Variant::default().info().sample_move;
    let games = Variant::list(|info| info.name);
    show(&format!(
        "d                                       show the board\n\
         position startpos moves {sample:<15} set up the position after these moves\n\
         go movetime 1000                        search for 1000 ms and answer with the best move\n\
         go infinite                             search until `stop`\n\
         stop                                    end the search and answer with the best move\n\
         setoption name UCI_Variant value GAME   switch the game: {games}\n\
         uci                                     list all options\n\
         quit                                    leave\n\
         protocol.md describes all commands.\n"
    ));
}

/// Writes to stderr, because stdout carries protocol lines only.
fn show(text: &str) {
    // A closed stderr is no reason to stop.
    let _ = io::stderr().write_all(text.as_bytes());
}
