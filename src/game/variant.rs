//! The list of the games.

use std::fmt;

use super::info::GameInfo;
use super::rules::Game;

/// The games that Lodestone plays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Variant {
    /// 8×8; five in line win.
    #[default]
    MagneticCave,
    /// 7×7; the side that cannot move loses.
    Gridlock,
}

/// Runs generic code for a game: in the expression, the name before `=>` is the game's type.
macro_rules! with_game {
    ($variant:expr, $game:ident => $code:expr) => {
        match $variant {
            $crate::game::Variant::MagneticCave => {
                type $game = $crate::game::magnetic_cave::MagneticCave;
                $code
            }
            $crate::game::Variant::Gridlock => {
                type $game = $crate::game::gridlock::Gridlock;
                $code
            }
        }
    };
}

pub(crate) use with_game;

impl Variant {
    /// All games, the default first.
    pub const ALL: &'static [Variant] = &[Variant::MagneticCave, Variant::Gridlock];

    /// The facts of this game.
    pub const fn info(self) -> &'static GameInfo {
        with_game!(self, G => &<G as Game>::INFO)
    }

    /// The value of `UCI_Variant` and `--variant`.
    pub const fn name(self) -> &'static str {
        self.info().name
    }

    /// A property of all games as a list in a sentence, such as "magnetic-cave
    /// and gridlock" for their names.
    pub fn list(property: impl Fn(&GameInfo) -> &str) -> String {
        let all: Vec<&str> = Variant::ALL
            .iter()
            .map(|variant| property(variant.info()))
            .collect();
        match all[..] {
            [ref first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
            _ => all.concat(),
        }
    }

    /// The game with this name, in any letter case.
    pub fn from_name(name: &str) -> Option<Variant> {
        Variant::ALL
            .iter()
            .copied()
            .find(|variant| variant.name().eq_ignore_ascii_case(name))
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
