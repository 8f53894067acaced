//! `referee stub`: an engine that takes no time, and the game that it plays.

use std::io::{self, BufRead, Write};
use std::process::ExitCode;

use lodestone::game::{AnyPosition, Variant};
use lodestone::protocol::{Command, Start};

use crate::io::failure::Failure;

/// The hidden subcommand that makes the referee the engine.
pub const COMMAND: &str = "stub";

/// The game that is played.
pub const VARIANT: Variant = Variant::MagneticCave;

/// Answers with the first legal move of the position, at once.
///
/// # Errors
/// Where it is asked for what cannot be answered, or its pipes fail.
pub fn run() -> Result<ExitCode, Failure> {
    let answered = answer(io::stdin().lock(), io::stdout().lock());
    answered
        .map(|()| ExitCode::SUCCESS)
        .map_err(|error| Failure::Output(format!("the stub cannot go on: {error}")))
}

/// Every move of the game between two stubs.
pub fn moves() -> Vec<String> {
    let mut position = VARIANT.startpos();
    let mut moves = Vec::new();
    while let Some(one) = position.legal_moves().first() {
        moves.push(position.move_text(*one));
        position.play(*one);
    }
    moves
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

fn position_after(start: &Start, moves: &[String]) -> io::Result<Box<dyn AnyPosition>> {
    let mut position = match start {
        Start::Startpos => VARIANT.startpos(),
        Start::Fen(fen) => VARIANT
            .parse_fen(fen)
            .map_err(|error| wrong(&error.to_string()))?,
    };
    for text in moves {
        let one = position.parse_move(text);
        position.play(one.map_err(|error| wrong(&error.to_string()))?);
    }
    Ok(position)
}

fn wrong(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::bench_relay::bare;

    #[test]
    fn the_stub_plays_the_moves_of_its_game() {
        let moves = moves();
        assert!(moves.len() > 8, "{moves:?}");
        let requests = bare::requests().concat();
        let mut out = Vec::new();
        answer(requests.as_bytes(), &mut out).unwrap();
        let out = String::from_utf8(out).unwrap();
        let answers: Vec<_> = out
            .lines()
            .filter_map(|line| line.strip_prefix("bestmove "))
            .collect();
        assert_eq!(answers, moves);
    }
}
