//! A zoo of misbehaving bots: `zoo NAME`.
//!
//! They play both games with the first legal move until the moment of their
//! misbehaviour. `tests/referee/zoo.rs` has the expected outcomes.

mod animals;
mod harm;
#[cfg(unix)]
mod signals;

/// There are no signals and sessions.
#[cfg(not(unix))]
mod signals {
    pub fn ignore_sigterm() {}

    pub fn leave_session() {}
}

use std::io::{self, BufRead, Write};
use std::process::exit;

use lodestone_game::protocol::{Command, Start};
use lodestone_game::{AnyPosition, Variant};

use self::animals::{When, ZOO};

/// A bot and its current position.
struct Bot {
    position: Box<dyn AnyPosition>,
    last: Option<String>,
}

impl Bot {
    #[allow(clippy::unused_self)] // it is the bot who writes
    fn write(&self, bytes: &[u8]) {
        let mut out = io::stdout().lock();
        if out.write_all(bytes).and_then(|()| out.flush()).is_err() {
            exit(0);
        }
    }

    fn say(&self, line: &str) {
        self.write(format!("{line}\n").as_bytes());
    }

    fn first_move(&self) -> String {
        let moves = self.position.legal_moves();
        moves
            .first()
            .map_or("0000".into(), |&mv| self.position.move_text(mv))
    }

    fn good_move(&self) -> String {
        format!("bestmove {}", self.first_move())
    }

    fn last_move(&self) -> String {
        format!("bestmove {}", self.last.clone().unwrap_or("a1".into()))
    }

    /// In the middle of the board, where no brick holds and no piece can move.
    fn illegal_move(&self) -> String {
        let is_gridlock = self.position.fen().split(' ').count() > 2;
        format!("bestmove {}", if is_gridlock { "a1g7" } else { "d4" })
    }

    /// A move of the opponent, found by passing the turn.
    fn move_of_the_other_side(&self) -> String {
        let fen = self.position.fen();
        let mut words: Vec<String> = fen.split(' ').map(String::from).collect();
        words[1] = if words[1] == "x" { "o" } else { "x" }.into();
        let turned = Variant::Gridlock.parse_fen(&words.join(" "));
        let text = turned.ok().and_then(|position| {
            let moves = position.legal_moves();
            moves.first().map(|&mv| position.move_text(mv))
        });
        text.map_or_else(|| self.last_move(), |text| format!("bestmove {text}"))
    }

    /// Sets the position of a `position` command.
    fn set(&mut self, start: &Start, moves: &[String]) {
        let position = match start {
            Start::Startpos => Some(Variant::MagneticCave.startpos()),
            Start::Fen(fen) => Variant::ALL
                .iter()
                .find_map(|variant| variant.parse_fen(fen).ok()),
        };
        let Some(mut position) = position else { return };
        for text in moves {
            if let Ok(mv) = position.parse_move(text) {
                position.play(mv);
            }
        }
        self.position = position;
        self.last = moves.last().cloned();
    }
}

fn main() {
    let name = std::env::args().nth(1).unwrap_or_default();
    if harm::is_child(&name) {
        return;
    }
    let Some(&(_, when, deed)) = ZOO.iter().find(|(animal, ..)| *animal == name) else {
        for (animal, ..) in ZOO {
            println!("{animal}");
        }
        return;
    };
    let mut bot = Bot {
        position: Variant::MagneticCave.startpos(),
        last: None,
    };
    if when == When::Start {
        deed(&bot);
    }
    let mut thinks = 0;
    for line in io::stdin().lock().lines() {
        let Ok(line) = line else { return };
        match Command::parse(&line) {
            Ok(Command::Greet(_)) if when == When::Greet => deed(&bot),
            Ok(Command::Greet(dialect)) => bot.say(dialect.greeted()),
            Ok(Command::IsReady) if when == When::IsReady => deed(&bot),
            Ok(Command::IsReady) => bot.say("readyok"),
            Ok(Command::NewGame) => {
                thinks = 0;
                if when == When::NewGame {
                    deed(&bot);
                }
            }
            Ok(Command::Position { start, moves }) => bot.set(&start, &moves),
            Ok(Command::Go(_)) => {
                thinks += 1;
                if when == When::Think && thinks > 1 {
                    deed(&bot);
                    continue;
                }
                bot.say(&bot.good_move());
                if when == When::Moved {
                    deed(&bot);
                }
            }
            Ok(Command::Quit) if when == When::Quit => deed(&bot),
            Ok(Command::Quit) => return,
            _ => {}
        }
    }
    if when == When::Quit {
        deed(&bot);
    }
}
