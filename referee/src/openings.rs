//! Where games begin: the variant's start or a drawn placement, and perhaps
//! some random moves.

use std::fmt;
use std::str::FromStr;

use lodestone::board::Move;
use lodestone::game::{AnyPosition, Setup, Variant};
use lodestone::protocol::Start;
use lodestone::random::Random;

/// Where the moves of an opening come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpeningSource {
    /// So many random moves.
    Random(u32),
}

/// The most opening moves that can be asked for: more than any game has.
const MOST_PLIES: u32 = 1000;

impl FromStr for OpeningSource {
    type Err = String;

    fn from_str(text: &str) -> Result<OpeningSource, String> {
        let plies = text.strip_prefix("random:").and_then(|plies| plies.parse().ok());
        match plies {
            Some(plies @ 1..=MOST_PLIES) => Ok(OpeningSource::Random(plies)),
            _ => Err(format!("expected `random:PLIES` with 1 to {MOST_PLIES} plies")),
        }
    }
}

impl fmt::Display for OpeningSource {
    /// As it is read.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let OpeningSource::Random(plies) = self;
        write!(f, "random:{plies}")
    }
}

/// How a game begins.
#[derive(Clone, Debug)]
pub struct Opening {
    /// The position before the first move.
    pub position: Box<dyn AnyPosition>,
    /// The same as engines are told.
    pub start: Start,
    /// What is played before the players are asked.
    pub moves: Vec<Move>,
}

/// No opening was found that leaves anything to play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoOpening {
    plies: u32,
}

impl fmt::Display for NoOpening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} random moves from the start end the game", self.plies)
    }
}

impl std::error::Error for NoOpening {}

/// So often an opening is drawn before it is called impossible.
const MOST_DRAWS: u32 = 20_000;

/// Draws an opening in which the game does not end.
///
/// # Errors
/// Where there seems to be none.
pub fn draw(
    variant: Variant,
    setup: Setup,
    source: Option<OpeningSource>,
    random: &mut Random,
) -> Result<Opening, NoOpening> {
    let plies = source.map_or(0, |OpeningSource::Random(plies)| plies);
    for _ in 0..MOST_DRAWS {
        let start = variant.draw_start(setup, random);
        if let Some(moves) = random_moves(start.as_ref(), plies, random) {
            return Ok(Opening::new(variant, start, moves));
        }
    }
    Err(NoOpening { plies })
}

/// So many random moves, unless they end the game.
fn random_moves(start: &dyn AnyPosition, plies: u32, random: &mut Random) -> Option<Vec<Move>> {
    let mut position = start.boxed_clone();
    let mut moves = Vec::new();
    for _ in 0..plies {
        let &one = random.choose(&position.legal_moves())?;
        position.play(one);
        moves.push(one);
    }
    position.outcome().is_none().then_some(moves)
}

impl Opening {
    /// An opening that begins at `position`.
    pub fn new(variant: Variant, position: Box<dyn AnyPosition>, moves: Vec<Move>) -> Opening {
        let fen = position.fen();
        let start = if fen == variant.startpos().fen() {
            Start::Startpos
        } else {
            Start::Fen(fen)
        };
        Opening {
            position,
            start,
            moves,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opening(variant: Variant, plies: u32, turns: u32) -> Result<Opening, NoOpening> {
        let setup = Setup { pieces: 3, turns };
        let source = (plies > 0).then_some(OpeningSource::Random(plies));
        draw(variant, setup, source, &mut Random::new(1))
    }

    #[test]
    fn the_game_goes_on_behind_an_opening() {
        for variant in Variant::ALL {
            for plies in [0, 1, 8, 30] {
                let opening = opening(*variant, plies, 40).unwrap();
                assert_eq!(opening.moves.len(), plies as usize);
                let mut position = opening.position;
                for one in opening.moves {
                    assert!(position.legal_moves().contains(&one));
                    position.play(one);
                }
                assert_eq!(position.outcome(), None);
            }
        }
    }

    #[test]
    fn an_opening_that_cannot_be_is_an_error() {
        assert_eq!(
            opening(Variant::Gridlock, 6, 6).unwrap_err().to_string(),
            "6 random moves from the start end the game"
        );
        assert!(opening(Variant::Gridlock, 5, 6).is_ok());
        assert!(opening(Variant::MagneticCave, 64, 40).is_err());
    }

    #[test]
    fn engines_hear_startpos_only_where_the_game_begins_there() {
        let start = |variant| opening(variant, 2, 40).unwrap().start;
        assert_eq!(start(Variant::MagneticCave), Start::Startpos);
        assert!(matches!(start(Variant::Gridlock), Start::Fen(fen) if fen.ends_with(" x 0 40")));
    }

    #[test]
    fn a_source_is_read_and_written() {
        assert_eq!(
            "random:4".parse::<OpeningSource>().unwrap().to_string(),
            "random:4"
        );
        for text in [
            "",
            "random",
            "random:",
            "random:0",
            "random:1001",
            "random:-1",
            "book.txt",
        ] {
            assert!(text.parse::<OpeningSource>().is_err(), "{text}");
        }
    }
}
