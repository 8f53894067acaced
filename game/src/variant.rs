//! The list of the games.

use std::fmt;

use super::info::GameInfo;
use super::rules::Game;

/// Defines [`Variant`] and `with_game!` from the list of the games. `$d` is a dollar sign.
macro_rules! games {
    ($d:tt $($(#[$attribute:meta])* $game:ident in $module:ident;)*) => {
        /// The games that Lodestone plays.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub enum Variant {
            $($(#[$attribute])* $game,)*
        }

        impl Variant {
            /// All games in the order of the list, the default first.
            pub const ALL: &'static [Variant] = &[$(Variant::$game),*];
        }

        /// Runs generic code for a game: in the expression, the name before `=>` is the game's type.
        ///
        /// ```
        /// use lodestone_game::{Game, Variant};
        ///
        /// let moves = |game| lodestone_game::with_game!(game, G => G::startpos().legal_moves().len());
        /// assert_eq!(moves(Variant::MagneticCave), 16);
        /// ```
        #[macro_export]
        macro_rules! with_game {
            ($d variant:expr, $d name:ident => $d code:expr) => {
                match $d variant {
                    $($crate::Variant::$game => {
                        type $d name = $crate::$module::$game;
                        $d code
                    })*
                }
            };
        }
    };
}

games! { $
    /// 8×8; five in line win.
    #[default]
    MagneticCave in magnetic_cave;
    /// 7×7; the side that cannot move loses.
    Gridlock in gridlock;
}

impl Variant {
    /// The facts of this game.
    pub const fn info(self) -> &'static GameInfo {
        with_game!(self, G => &<G as Game>::INFO)
    }

    /// The value of `UCI_Variant` and `--variant`.
    pub const fn name(self) -> &'static str {
        self.info().name
    }

    /// A property of the games that have it as a list in a sentence, such as "magnetic-cave
    /// and gridlock" for their names.
    pub fn list(property: impl Fn(&GameInfo) -> &str) -> String {
        let all: Vec<&str> = Variant::ALL
            .iter()
            .map(|variant| property(variant.info()))
            .filter(|text| !text.is_empty())
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
