//! A rules program and a bot that answer at once: a game of a fixed length in which every move is
//! always legal.

use std::io::{self, BufRead, BufReader, Write};

/// The argument that makes this program the stub; the length of the game follows.
pub const ARGUMENT: &str = "stub";

/// The legal moves, as many as in the middle of a game of Breakthrough.
pub const MOVES: &str = "a2a3 a2b3 b2a3 b2b3 b2c3 c2b3 c2c3 c2d3 d2c3 d2d3 d2e3 e2d3 e2e3 e2f3 f2e3 f2f3 f2g3 \
                         g2f3 g2g3 g2h3 h2g3 h2h3";

/// Answers until the end of the input.
pub fn run(length: usize) -> io::Result<()> {
    let mut input = BufReader::new(io::stdin().lock());
    let (mut line, mut answers) = (String::new(), String::new());
    let mut plies = 0;
    while input.read_line(&mut line)? > 0 {
        match line.trim_end() {
            "quit" => break,
            text if text.starts_with("position") => plies = plies_of(text),
            text => answers.push_str(&answer(text, plies, length)),
        }
        line.clear();
        if input.buffer().is_empty() {
            io::stdout().write_all(answers.as_bytes())?;
            io::stdout().flush()?;
            answers.clear();
        }
    }
    Ok(())
}

/// The half-moves before this position: those of its text, and its moves.
fn plies_of(position: &str) -> usize {
    let (start, moves) = position.split_once(" moves ").unwrap_or((position, ""));
    let before: usize = start
        .strip_prefix("position fen ")
        .map_or(0, |text| text.parse().unwrap_or(0));
    before + moves.split(' ').filter(|mv| !mv.is_empty()).count()
}

fn answer(line: &str, plies: usize, length: usize) -> String {
    let is_over = plies >= length;
    match line {
        "uci" => "uciok\n".into(),
        "ugi" => "ugiok\n".into(),
        "isready" => "readyok\n".into(),
        "query gameover" => format!("response {is_over}\n"),
        "query p1turn" => format!("response {}\n", plies.is_multiple_of(2)),
        "query result" => format!("response {}\n", if is_over { "draw" } else { "none" }),
        "query moves" => format!("response {}\n", if is_over { "" } else { MOVES }),
        "query fen" => format!("response {plies}\n"),
        line if line.starts_with("go ") => "bestmove a2a3\n".into(),
        _ => String::new(),
    }
}
