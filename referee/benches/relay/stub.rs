//! An engine that answers at once, and the game between two of them.

use std::io::{self, BufRead, Write};
use std::process::ExitCode;
use std::time::Duration;

use lodestone_game::protocol::{Command, Start};
use lodestone_game::{AnyPosition, Variant};

/// The argument that makes this program the engine.
pub const ARGUMENT: &str = "stub";

/// The argument that makes it one of GTP, behind a bridge.
pub const GTP: &str = "gtp-stub";

pub const VARIANT: Variant = Variant::ALL[0];

/// The time for a move, much more than a stub needs.
pub const TIME: Duration = Duration::from_secs(3);

/// Answers each request with the first legal move of the position.
pub fn main(argument: &str) -> ExitCode {
    let (input, out) = (io::stdin().lock(), io::stdout().lock());
    let answered = if argument == GTP {
        answer_gtp(input, out)
    } else {
        answer(input, out)
    };
    match answered {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("stub: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Every move of the game between two stubs.
pub fn moves() -> Vec<String> {
    let mut position = VARIANT.startpos();
    let mut moves = Vec::new();
    while let Some(mv) = position.legal_moves().first() {
        moves.push(position.move_text(*mv));
        position.play(*mv);
    }
    moves
}

/// The messages of a whole game, one for each half-move.
pub fn requests() -> Vec<String> {
    let moves = moves();
    let request = |ply| {
        let position = Command::Position {
            start: Start::Startpos,
            moves: moves.iter().take(ply).cloned().collect(),
        };
        format!("{position}\ngo movetime {}\n", TIME.as_millis())
    };
    (0..moves.len()).map(request).collect()
}

fn answer(input: impl BufRead, mut out: impl Write) -> io::Result<()> {
    let mut position = VARIANT.startpos();
    for line in input.lines() {
        match Command::parse(&line?) {
            Ok(Command::Greet(_)) => out.write_all(b"uciok\n")?,
            Ok(Command::IsReady) => out.write_all(b"readyok\n")?,
            Ok(Command::Position { start, moves }) => position = position_after(&start, &moves)?,
            Ok(Command::Go(_)) => {
                let moves = position.legal_moves();
                let first = moves.first().ok_or_else(|| wrong("the game is over"))?;
                let answer = format!("bestmove {}\n", position.move_text(*first));
                out.write_all(answer.as_bytes())?;
            }
            Ok(Command::Quit) => return Ok(()),
            _ => {}
        }
        out.flush()?;
    }
    Ok(())
}

fn answer_gtp(input: impl BufRead, mut out: impl Write) -> io::Result<()> {
    let mut position = VARIANT.startpos();
    for line in input.lines() {
        let line = line?;
        let mut words = line.split_whitespace();
        let answer = match (words.next(), words.nth(1)) {
            (Some("clear_board"), _) => {
                position = VARIANT.startpos();
                String::new()
            }
            (Some("play"), Some(mv)) => {
                let mv = position.parse_move(&mv.to_lowercase());
                position.play(mv.map_err(|error| wrong(&error.to_string()))?);
                String::new()
            }
            (Some("genmove"), _) => {
                let moves = position.legal_moves();
                let first = *moves.first().ok_or_else(|| wrong("the game is over"))?;
                let text = position.move_text(first).to_uppercase();
                position.play(first);
                text
            }
            (Some("list_commands"), _) => "play\ngenmove\nclear_board\ntime_left\ntime_settings".to_string(),
            (Some("quit"), _) => return Ok(()),
            _ => String::new(),
        };
        out.write_all(format!("= {answer}\n\n").as_bytes())?;
        out.flush()?;
    }
    Ok(())
}

fn position_after(start: &Start, moves: &[String]) -> io::Result<Box<dyn AnyPosition>> {
    let mut position = match start {
        Start::Startpos => VARIANT.startpos(),
        Start::Fen(fen) => VARIANT
            .parse_fen(fen)
            .map_err(|error| wrong(&error.to_string()))?,
    };
    for text in moves {
        let mv = position.parse_move(text);
        position.play(mv.map_err(|error| wrong(&error.to_string()))?);
    }
    Ok(position)
}

fn wrong(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why.to_string())
}

/// The stub answers with the moves of its game.
pub fn check_moves() {
    let moves = moves();
    assert!(moves.len() > 8, "{moves:?}");
    let requests = requests().concat();
    let mut out = Vec::new();
    answer(requests.as_bytes(), &mut out).expect("answers");
    let out = String::from_utf8(out).expect("text");
    let answers: Vec<_> = out
        .lines()
        .filter_map(|line| line.strip_prefix("bestmove "))
        .collect();
    assert_eq!(answers, moves);
}
