//! Help on stderr for a person who starts the engine in a terminal.

use std::io::{self, IsTerminal, Write};

const GREETING: &str = "\
Lodestone plays Magnetic Cave and Gridlock. It reads commands, one per line.
Type `help` for the first commands, `quit` to leave. To play by hand, start `referee`.
";

const HELP: &str = "\
d                                  show the board
position startpos moves a8 h8      set up the position after these moves
go movetime 1000                   search for 1000 ms and answer with the best move
go infinite                        search until `stop`
stop                               end the search and answer with the best move
setoption name UCI_Variant value gridlock
                                   switch to Gridlock
uci                                list all options
quit                               leave
protocol.md describes all commands.
";

/// Whether a person uses this process: both stdin and stdout are terminals.
pub fn is_interactive() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

/// Shows the greeting.
pub fn greet() {
    show(GREETING);
}

/// Explains the first commands.
pub fn help() {
    show(HELP);
}

/// Writes to stderr, because stdout carries protocol lines only.
fn show(text: &str) {
    // A closed stderr is no reason to stop.
    let _ = io::stderr().write_all(text.as_bytes());
}
