//! The list of the games.

use std::fmt;

use super::evaluate::{Evaluate, Yardstick};
use super::info::GameInfo;
use super::rules::Game;

/// Generic code to run for a game that is known only as a [`Variant`].
pub trait GameVisitor {
    /// The result of [`GameVisitor::visit`].
    type Output;

    /// Runs for the game `G`.
    fn visit<G: Evaluate + Yardstick>(self) -> Self::Output;
}

macro_rules! games {
    ($($(#[$doc:meta])* $variant:ident => $game:ty),* $(,)?) => {
        /// The games that Lodestone plays.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Variant {
            $($(#[$doc])* $variant),*
        }

        impl Variant {
            /// All games, the default first.
            pub const ALL: &'static [Variant] = &[$(Variant::$variant),*];

            /// The facts of this game.
            pub const fn info(self) -> &'static GameInfo {
                match self { $(Variant::$variant => &<$game as Game>::INFO),* }
            }

            /// Runs generic code for this game.
            pub fn visit<V: GameVisitor>(self, visitor: V) -> V::Output {
                match self { $(Variant::$variant => visitor.visit::<$game>()),* }
            }
        }
    };
}

games! {
    /// 8×8; five in line win.
    MagneticCave => super::magnetic_cave::MagneticCave,
    /// 7×7; the side that cannot move loses.
    Gridlock => super::gridlock::Gridlock,
}

impl Variant {
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

impl Default for Variant {
    fn default() -> Variant {
        Variant::ALL[0]
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
