//! A training sample: a position and the result of its game.

use std::fmt;
use std::str::FromStr;

use lodestone_game::board::Side;
use lodestone_game::{Game, GameResult};

/// A position of a game and the game's result. The text form is one line: FEN, points,
/// stronger side (`x`, `o` or `-`), value or `-`.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample<G> {
    /// The position.
    pub position: G,
    /// Points of the first player: 0, 0.5 or 1.
    pub points: f32,
    /// Lodestone's side in a game against a weaker opponent; `None` in a game between
    /// equals.
    pub stronger: Option<Side>,
    /// The search's value for the side to move.
    pub value: Option<i16>,
}

/// Points of the first player.
pub fn points(result: GameResult) -> f32 {
    match result {
        GameResult::Win(Side::First) => 1.0,
        GameResult::Draw => 0.5,
        GameResult::Win(Side::Second) => 0.0,
    }
}

impl<G: Game> fmt::Display for Sample<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let stronger = match self.stronger {
            Some(Side::First) => 'x',
            Some(Side::Second) => 'o',
            None => '-',
        };
        write!(f, "{} {} {stronger} ", self.position.fen(), self.points)?;
        match self.value {
            Some(value) => write!(f, "{value}"),
            None => f.write_str("-"),
        }
    }
}

impl<G: Game> FromStr for Sample<G> {
    type Err = String;

    fn from_str(line: &str) -> Result<Sample<G>, String> {
        // The FEN has several words, the others are the last three.
        let mut words = line.rsplitn(4, ' ');
        let (Some(value), Some(stronger), Some(points), Some(fen)) =
            (words.next(), words.next(), words.next(), words.next())
        else {
            return Err(format!(
                "expected FEN, points, stronger side and value, found `{line}`"
            ));
        };
        let wrong = |what: &str, found: &str| format!("expected {what}, found `{found}`");
        Ok(Sample {
            position: G::from_fen(fen).map_err(|error| error.to_string())?,
            points: match points {
                "0" => 0.0,
                "0.5" => 0.5,
                "1" => 1.0,
                _ => return Err(wrong("0, 0.5 or 1", points)),
            },
            stronger: match stronger {
                "x" => Some(Side::First),
                "o" => Some(Side::Second),
                "-" => None,
                _ => return Err(wrong("x, o or -", stronger)),
            },
            value: match value {
                "-" => None,
                _ => Some(value.parse().map_err(|_| wrong("a value or -", value))?),
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lodestone_game::gridlock::Gridlock;
    use lodestone_game::magnetic_cave::MagneticCave;

    fn assert_round_trips<G: Game>(lines: &[&str]) {
        for line in lines {
            assert_eq!(line.parse::<Sample<G>>().unwrap().to_string(), *line);
        }
    }

    #[test]
    fn sample_text_round_trips() {
        assert_round_trips::<MagneticCave>(&[
            "8/8/8/8/8/8/8/8 x 0.5 - -",
            "x6o/8/8/8/8/8/8/8 x 1 o -120",
            "x7/8/8/8/8/8/8/8 o 0 x 31990",
        ]);
        assert_round_trips::<Gridlock>(&["xo5/7/7/7/7/7/5xo x 0 40 0.5 - 31"]);
        for line in [
            "",
            "8/8/8/8/8/8/8/8 x 2 - -",
            "8/8/8/8/8/8/8/8 x 1 - 99999",
            "8 x 1 - 0",
        ] {
            assert!(line.parse::<Sample<MagneticCave>>().is_err(), "{line}");
        }
    }
}
