//! A bot with spin options of which the best value is known, for the tests of `referee tune`.
//!
//! `Skill` is best at 30: the farther from it, the more moves are chosen without search.
//! `Placebo` changes nothing. The moves depend on the options and the position alone.

use std::io::{self, BufRead, Write};

use lodestone::search::{Lodestone, SearchLimits, best_move};
use lodestone_game::magnetic_cave::MagneticCave;
use lodestone_game::protocol::{Command, Start};
use lodestone_game::random::{Random, mix};
use lodestone_game::{AnyPosition, Game, Variant};

/// The best value of `Skill`.
const BEST: i64 = 30;

/// The distance from [`BEST`] at which no move is searched.
const BLIND: f64 = 60.0;

fn main() -> io::Result<()> {
    let mut skill = 50;
    let mut position = Variant::MagneticCave.startpos();
    for line in io::stdin().lock().lines() {
        let answer = match Command::parse(&line?) {
            Ok(Command::Greet(_)) => "option name Skill type spin default 50 min 0 max 100\n\
                option name Placebo type spin default 5 min 0 max 9\n\
                option name Style type string default plain\nuciok"
                .to_string(),
            Ok(Command::IsReady) => "readyok".to_string(),
            Ok(Command::SetOption { name, value }) => {
                if name == "Skill" {
                    skill = value.and_then(|value| value.parse().ok()).unwrap_or(skill);
                }
                continue;
            }
            Ok(Command::Position { start, moves }) => {
                position = set_up(&start, &moves);
                continue;
            }
            Ok(Command::Go(_)) => format!("bestmove {}", answer(position.as_ref(), skill)),
            Ok(Command::Quit) => break,
            _ => continue,
        };
        writeln!(io::stdout(), "{answer}")?;
    }
    Ok(())
}

fn set_up(start: &Start, moves: &[String]) -> Box<dyn AnyPosition> {
    let mut position = match start {
        Start::Startpos => Variant::MagneticCave.startpos(),
        Start::Fen(fen) => Variant::MagneticCave
            .parse_fen(fen)
            .unwrap_or_else(|_| Variant::MagneticCave.startpos()),
    };
    for text in moves {
        if let Ok(mv) = position.parse_move(text) {
            position.play(mv);
        }
    }
    position
}

fn answer(position: &dyn AnyPosition, skill: i64) -> String {
    let fen = position.fen();
    let seed = fen
        .bytes()
        .fold(skill as u64, |seed, byte| mix(seed ^ u64::from(byte)));
    let mut random = Random::new(seed);
    let blindness = ((skill - BEST) as f64 / BLIND).powi(2);
    let is_blind = (random.below(1000) as f64) < 1000.0 * blindness;
    let searched = || {
        let position = MagneticCave::from_fen(&fen).ok()?;
        let mut player = Lodestone::with_hash(1).ok()?;
        let best = best_move(&mut player, &position, SearchLimits::depth(2))?;
        Some(MagneticCave::move_text(best.mv))
    };
    let moves = position.legal_moves();
    let any = random.choose(&moves).map(|&mv| position.move_text(mv));
    let mv = if is_blind { any } else { searched() };
    mv.unwrap_or_else(|| "0000".into())
}
