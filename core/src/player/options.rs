//! The options that an engine announces, and the commands that set them.

use std::cmp::Ordering;

use lodestone_game::GameResult;
use lodestone_game::board::Side;
use lodestone_game::protocol::{Command, OptionKind, OptionSpec, ParseError, Reply, option_names};

use crate::game::{FarStarts, Ruleset};
use crate::io::text::hint;
use crate::io::text::printable;

/// The option by which an engine learns its side. One that can play only one side lists no other.
pub const SIDE: &str = "UCI_Side";

/// The option by which an engine learns the result of its game.
const RESULT: &str = "UCI_Result";

/// The options that the referee sets during a match, and nobody else.
pub const OWN_OPTIONS: [&str; 2] = [SIDE, RESULT];

/// The options that an engine announces.
#[derive(Clone, Debug, Default)]
pub struct AnnouncedOptions {
    specs: Vec<OptionSpec>,
    /// Other lines `option …`, and why they announce nothing.
    unreadable: Vec<(String, ParseError)>,
}

/// What a program announces that plays whole games from the start position alone: it chooses all its moves itself.
pub const START_ONLY: &str = "UCI_StartOnly";

/// What a program announces that knows no texts of positions: it plays from the start position and the moves of an
/// opening.
pub const NO_FEN: &str = "UCI_NoFen";

/// What chess engines announce.
pub(crate) const CHESS960: &str = "UCI_Chess960";

/// The most characters of an opening in a message.
const MAX_OPENING: usize = 120;

/// A side as a value of [`SIDE`].
pub const fn side_value(side: Side) -> &'static str {
    match side {
        Side::First => "p1",
        Side::Second => "p2",
    }
}

impl AnnouncedOptions {
    /// The only side that the program can play.
    pub fn only_side(&self) -> Option<Side> {
        let OptionKind::Combo { choices, .. } = &self.find(SIDE)?.kind else {
            return None;
        };
        let has = |side| {
            choices
                .iter()
                .any(|choice| choice.eq_ignore_ascii_case(side_value(side)))
        };
        match Side::BOTH.map(has) {
            [true, false] => Some(Side::First),
            [false, true] => Some(Side::Second),
            _ => None,
        }
    }

    /// Why the program cannot play a match with these openings, as a clause about it.
    pub fn refusal(&self, openings: &FarStarts, game: Ruleset) -> Option<String> {
        if self.announces(START_ONLY) && openings.moved.is_some() {
            let how = if game.has_random_start() {
                "`--openings FILE` with the line `startpos`"
            } else {
                "`--openings none`"
            };
            return Some(format!(
                "plays only from the start position, but the games of this match begin elsewhere; {how} lets them \
                 begin there"
            ));
        }
        let opening = openings.placed.as_ref().filter(|_| !self.takes_positions())?;
        Some(format!(
            "plays from the start position only, because it cannot be told another one, but an opening is `{}`; \
             openings of moves, `startpos moves …`, work",
            printable(opening, MAX_OPENING)
        ))
    }

    /// Whether the program can begin at a position that is given as text.
    pub fn takes_positions(&self) -> bool {
        !self.announces(NO_FEN)
    }

    /// Whether it announces this about itself.
    fn announces(&self, name: &str) -> bool {
        let option = self.find(name);
        option.is_some_and(|option| option.kind == OptionKind::Check { default: true })
    }

    /// Adds a line of the handshake, if it is about an option.
    pub(crate) fn add(&mut self, line: &str, reply: Result<Reply, ParseError>) {
        match reply {
            Ok(Reply::Option(spec)) => self.specs.push(spec),
            Err(error) if line.split_whitespace().next() == Some("option") => {
                self.unreadable.push((line.to_string(), error));
            }
            _ => {}
        }
    }

    /// The options of these lines.
    pub fn of<'a>(lines: impl IntoIterator<Item = &'a str>) -> AnnouncedOptions {
        let mut announced = AnnouncedOptions::default();
        for line in lines {
            announced.add(line, Reply::parse(line));
        }
        announced
    }

    /// All readable options.
    pub fn specs(&self) -> &[OptionSpec] {
        &self.specs
    }

    /// The option with this name, in any letter case.
    pub fn find(&self, name: &str) -> Option<&OptionSpec> {
        self.specs
            .iter()
            .find(|option| option.name.eq_ignore_ascii_case(name))
    }

    /// An unreadable line about the option `name`, as a clause about the engine.
    pub fn unreadable(&self, name: &str) -> Option<String> {
        let words = |text: &str| {
            let words: Vec<String> = text.split_whitespace().map(str::to_ascii_lowercase).collect();
            format!(" {} ", words.join(" "))
        };
        let wanted = words(name);
        let (line, error) = self
            .unreadable
            .iter()
            .find(|(line, _)| words(line).contains(&wanted))?;
        Some(format!(
            "announces option `{}` in an unreadable line: `{}`, {error}",
            printable(name, 60),
            printable(line.trim(), 120)
        ))
    }

    /// The option `name`, or why there is none: a clause about the engine, with a suggestion
    /// among the options that `fit`.
    pub(crate) fn require(
        &self,
        name: &str,
        fit: impl Fn(&OptionSpec) -> bool,
    ) -> Result<&OptionSpec, String> {
        self.find(name).ok_or_else(|| {
            let names = self.specs.iter().filter(|option| fit(option));
            let hint = hint(name, names.map(|option| option.name.as_str()));
            self.unreadable(name).unwrap_or_else(|| {
                format!(
                    "announces no option `{}`{}",
                    printable(name, 60),
                    printable(&hint, 60)
                )
            })
        })
    }

    /// The command that tells the engine which side it plays in the next game, `None` for both, if it wants
    /// to know.
    pub fn side(&self, side: Option<Side>) -> Option<Command> {
        let value = side.map_or("none", side_value);
        self.told(SIDE, value)
    }

    /// The command that tells the engine how its game has ended, if it wants to know.
    pub fn result(&self, result: GameResult) -> Option<Command> {
        let value = match result {
            GameResult::Win(Side::First) => "p1win",
            GameResult::Win(Side::Second) => "p2win",
            GameResult::Draw => "draw",
        };
        self.told(RESULT, value)
    }

    /// The command that sets one of [`OWN_OPTIONS`], if the engine announces the option and this value.
    fn told(&self, name: &str, value: &str) -> Option<Command> {
        self.find(name)?;
        self.command(name, value, None).ok()
    }

    /// The command that sets an option for a game of this variant, in the engine's spelling.
    /// The variant itself may be set even if the engine does not list it.
    pub fn command(&self, name: &str, value: &str, ruleset: Option<Ruleset>) -> Result<Command, String> {
        let option = self.require(name, |_| true)?;
        let built_in = ruleset.filter(|rules| rules.variant().is_some());
        let game = built_in.filter(|_| option.name.eq_ignore_ascii_case(option_names::VARIANT));
        let taken = match (game, spelled(&option.kind, value)) {
            (Some(ruleset), _) if !value.eq_ignore_ascii_case(ruleset.name()) => {
                Err(format!("`{ruleset}`, the game of `--variant`"))
            }
            (Some(_), spelled) => Ok(spelled.unwrap_or(value)),
            (None, spelled) => spelled.ok_or_else(|| values(&option.kind, value)),
        };
        let value = taken.map_err(|expected| {
            let (name, value) = (printable(&option.name, 60), printable(value, 60));
            format!("does not take `option.{name}={value}`: expected {expected}")
        })?;
        Ok(Command::SetOption {
            name: option.name.clone(),
            value: (option.kind != OptionKind::Button).then(|| value.to_string()),
        })
    }
}

/// A value of an option as the engine spells it; `None` if the option does not take it.
pub fn spelled<'a>(kind: &'a OptionKind, value: &'a str) -> Option<&'a str> {
    let one_of = |choices: &[&'a str]| {
        let exact = choices.iter().find(|choice| **choice == value);
        let mut similar = choices.iter().filter(|choice| choice.eq_ignore_ascii_case(value));
        exact.or_else(|| similar.next()).copied()
    };
    match kind {
        OptionKind::Check { .. } => one_of(&["true", "false"]),
        OptionKind::Combo { choices, .. } if !choices.is_empty() => {
            one_of(&choices.iter().map(String::as_str).collect::<Vec<_>>())
        }
        OptionKind::Spin { min, max, .. } => {
            let value = value.trim();
            let is_whole = value.parse::<i128>().is_ok();
            let is_number = is_whole || takes_fractions(kind) && value.parse().is_ok_and(f64::is_finite);
            let fits = is_number
                && compare(value, min) != Some(Ordering::Less)
                && compare(value, max) != Some(Ordering::Greater);
            fits.then_some(value)
        }
        OptionKind::Combo { .. } | OptionKind::Button | OptionKind::String { .. } => Some(value),
    }
}

/// Whether a spin option takes numbers that are not whole, because it announces one.
fn takes_fractions(kind: &OptionKind) -> bool {
    match kind {
        OptionKind::Spin { default, min, max } => [default, min, max]
            .iter()
            .any(|number| number.contains(['.', 'e', 'E'])),
        _ => false,
    }
}

/// Compares two numbers, whole ones exactly. `None` if one is missing.
fn compare(one: &str, other: &str) -> Option<Ordering> {
    match (one.parse::<i128>(), other.parse::<i128>()) {
        (Ok(one), Ok(other)) => Some(one.cmp(&other)),
        _ => one.parse::<f64>().ok()?.partial_cmp(&other.parse().ok()?),
    }
}

/// The values that an option takes, with the one that `wrong` may be meant as.
fn values(kind: &OptionKind, wrong: &str) -> String {
    match kind {
        OptionKind::Check { .. } => "`true` or `false`".into(),
        OptionKind::Spin { min, max, .. } => {
            let number = if takes_fractions(kind) {
                "a number"
            } else {
                "a whole number"
            };
            let [min, max] = [min, max].map(|bound| printable(bound, 40));
            match (min.is_empty(), max.is_empty()) {
                (true, true) => number.into(),
                (false, true) => format!("{number}, at least {min}"),
                (true, false) => format!("{number}, at most {max}"),
                (false, false) => format!("{number} from {min} to {max}"),
            }
        }
        OptionKind::Combo { choices, .. } => {
            let hint = hint(wrong, choices.iter().map(String::as_str));
            format!(
                "one of {}{}",
                printable(&choices.join(", "), 400),
                printable(&hint, 60)
            )
        }
        OptionKind::Button | OptionKind::String { .. } => "any text".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sentences::{assert_rows, expect};

    #[test]
    fn a_command_fits_the_announced_option() {
        let announced = AnnouncedOptions::of([
            "option name Hash type spin default 16 min 1 max 64",
            "option name Seed type spin default 1 min 1 max 18446744073709551615",
            "option name Rate type spin default 0.5 min 0 max 9",
            "option name Any type spin",
            "option name Low type spin min 1",
            "option name High type spin max 9",
            "option name Style type combo default calm var calm var Wild var wild var calm wild",
            "option name Mode type combo",
            "option name Ponder type check default false",
            "option name Clear Hash type button",
            "option name Note type string",
            "option name UCI_Variant type combo default gridlock var gridlock var Magnetic-Cave",
            "option name Skill type slider default 1",
        ]);
        let table = expect![[r#"
            hash= 64 | setoption name Hash value 64
            Hash=65 | a whole number from 1 to 64
            Hash=0 | a whole number from 1 to 64
            Hash=1.5 | a whole number from 1 to 64
            Hash=abc | a whole number from 1 to 64
            Hash= | a whole number from 1 to 64
            Seed=18446744073709551615 | setoption name Seed value 18446744073709551615
            Seed=18446744073709551616 | a whole number from 1 to 18446744073709551615
            Rate=0.25 | setoption name Rate value 0.25
            Rate=9.01 | a number from 0 to 9
            Rate=nan | a number from 0 to 9
            Any=-7 | setoption name Any value -7
            Any=many | a whole number
            Low=0 | a whole number, at least 1
            High=10 | a whole number, at most 9
            Style=CALM | setoption name Style value calm
            Style=wild | setoption name Style value wild
            Style=wlid | one of calm, Wild, wild, calm wild; did you mean `Wild`?
            Mode=x | setoption name Mode value x
            Ponder=True | setoption name Ponder value true
            Ponder=maybe | `true` or `false`
            clear hash= | setoption name Clear Hash
            Note=A b | setoption name Note value A b
            UCI_Variant=magnetic-cave | setoption name UCI_Variant value Magnetic-Cave
            UCI_Variant=gridlock | `magnetic-cave`, the game of `--variant`
        "#]];
        assert_rows(table, |[setting]| {
            let (name, value) = setting.split_once('=').unwrap();
            match announced.command(name, value, Some(Ruleset::MAGNETIC_CAVE)) {
                Ok(command) => command.to_string(),
                Err(why) => {
                    let name = &announced.find(name).unwrap().name;
                    assert!(why.contains(&format!("`option.{name}={value}`")), "{why}");
                    why
                }
            }
        });
        let missing = |name| {
            announced
                .command(name, "1", Some(Ruleset::MAGNETIC_CAVE))
                .unwrap_err()
        };
        expect! {"announces no option `Hahs`; did you mean `Hash`?"}.assert_eq(&missing("Hahs"));
        expect! {"announces option `skill` in an unreadable line: `option name Skill type slider default 1`, column 24: expected a type of option, found `slider`"}.assert_eq(&missing("skill"));
    }

    #[test]
    fn the_game_is_sent_to_an_engine_that_does_not_list_it() {
        let announced = AnnouncedOptions::of(["option name UCI_Variant type combo var chess"]);
        let command = announced.command("UCI_Variant", "gridlock", Some(Ruleset::GRIDLOCK));
        expect! {"setoption name UCI_Variant value gridlock"}.assert_eq(&command.unwrap().to_string());
    }
}
