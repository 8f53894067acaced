//! Names of the games.

use std::fmt;

use super::Variant;
use super::info::GameInfo;

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
