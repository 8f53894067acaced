//! The formats of tournaments: a line for each.

use std::fmt;

use super::gauntlet::GAUNTLET;
use super::knockout::KNOCKOUT;
use super::ladder_rounds::LADDER;
use super::pyramid::PYRAMID;
use super::round_robin::ROUND_ROBIN;
use super::rounds::FormatProperties;
use super::swiss::SWISS;
use crate::io::as_text::Text;
use crate::io::text::unknown;

/// Makes [`Format`] of its rows.
macro_rules! formats {
    ($($(#[$note:meta])* $name:ident = $row:ident,)*) => {
        /// The format of a tournament.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub enum Format {
            $($(#[$note])* $name,)*
        }

        impl Format {
            /// All formats, the default first.
            pub const ALL: [Format; [$(stringify!($name)),*].len()] = [$(Format::$name),*];

            /// What it is like.
            pub const fn properties(self) -> &'static FormatProperties {
                match self {
                    $(Format::$name => &$row,)*
                }
            }
        }
    };
}

formats! {
    /// Every player against every other.
    #[default]
    RoundRobin = ROUND_ROBIN,
    /// The first players, one by default, against every other.
    Gauntlet = GAUNTLET,
    /// In rounds, between players with about the same points who have not met yet.
    Swiss = SWISS,
    /// In rounds, between the players whose games say most about their ratings.
    Ladder = LADDER,
    /// In rounds, in which the winner of each pairing plays on.
    Knockout = KNOCKOUT,
    /// Every player against all players before it, in this order.
    Pyramid = PYRAMID,
}

impl Format {
    /// Whether pairings depend on earlier results.
    pub const fn follows_results(self) -> bool {
        self.properties().follows_results
    }

    /// The name that `--format` takes.
    pub const fn name(self) -> &'static str {
        self.properties().name
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Text for Format {
    fn text(&self) -> impl fmt::Display {
        self.name()
    }

    fn read(text: &str) -> Result<Format, String> {
        let found = Format::ALL.into_iter().find(|format| format.name() == text);
        found.ok_or_else(|| unknown("format", text, &Format::ALL.map(Format::name)))
    }
}
