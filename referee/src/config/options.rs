//! Which options `referee match` has, asked of the clap definition.

use std::ffi::OsString;

use clap::error::ErrorKind;
use clap::{Arg, ArgAction, Args, Command};

use crate::config::cli::MatchArgs;
use crate::config::settings;

/// The options that make no sense in a file.
const NOT_IN_FILES: [&str; 2] = ["config", "save-config"];

/// The options that name players.
const PLAYERS: [&str; 2] = ["engine", "engines"];

/// The options of a command.
#[derive(Debug)]
pub struct Options(Command);

/// What an option takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// Nothing: it is there or not.
    Nothing,
    /// Text, in one value or several.
    Text {
        /// Whether there can be several values.
        many: bool,
        /// Whether there can be none.
        none: bool,
    },
    /// A list of `KEY=VALUE`.
    List {
        /// Whether there can be several lists.
        many: bool,
    },
}

impl Options {
    /// The options of `referee match`.
    pub fn of_match() -> Options {
        Options::new(MatchArgs::augment_args(Command::new("match")))
    }

    /// The options of this command.
    pub fn new(mut command: Command) -> Options {
        command.build();
        Options(command)
    }

    /// The names of the options that a file can hold, in the order of the help.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.arguments().filter_map(Arg::get_long)
    }

    /// The arguments that a file can hold, those without a name included.
    pub fn arguments(&self) -> impl Iterator<Item = &Arg> {
        self.0.get_arguments().filter(|argument| {
            let is_help = matches!(
                argument.get_action(),
                ArgAction::Help | ArgAction::HelpShort | ArgAction::HelpLong | ArgAction::Version
            );
            let is_file = argument
                .get_long()
                .is_some_and(|name| NOT_IN_FILES.contains(&name));
            !is_help && !is_file
        })
    }

    /// Whether there is an option of this name that makes no sense in a file.
    pub fn is_kept_out(&self, name: &str) -> bool {
        self.0
            .get_arguments()
            .any(|argument| argument.get_long() == Some(name))
            && self.find(name).is_none()
    }

    /// What the option of this name takes.
    pub fn takes(&self, name: &str) -> Option<Takes> {
        let argument = self.find(name)?;
        let appends = self.can_repeat(name);
        let values = argument.get_num_args().unwrap_or_default();
        Some(if settings::is_list(name) {
            Takes::List { many: appends }
        } else if argument.get_action().takes_values() {
            Takes::Text {
                many: appends || values.max_values() > 1,
                none: values.min_values() == 0,
            }
        } else {
            Takes::Nothing
        })
    }

    /// Whether the option of this name can stand more than once.
    pub fn can_repeat(&self, name: &str) -> bool {
        self.find(name)
            .is_some_and(|argument| matches!(argument.get_action(), ArgAction::Append))
    }

    /// Whether one option, given at the keyboard, rules another out that
    /// stands in a file.
    pub fn overrule(&self, typed: &str, filed: &str) -> bool {
        if PLAYERS.contains(&typed) && PLAYERS.contains(&filed) {
            return true;
        }
        typed == filed || self.conflicts(typed, filed) || self.conflicts(filed, typed)
    }

    fn conflicts(&self, one: &str, other: &str) -> bool {
        let Some(argument) = self.find(one) else {
            return false;
        };
        let enemies = self.0.get_arg_conflicts_with(argument);
        enemies.iter().any(|enemy| enemy.get_long() == Some(other))
    }

    /// What is wrong with an option by itself, as these words give it. What it
    /// needs beside it, or bears not, is no concern here.
    pub fn check(&self, words: &[OsString]) -> Result<(), String> {
        self.judge(
            words,
            &[ErrorKind::MissingRequiredArgument, ErrorKind::ArgumentConflict],
        )
    }

    /// What is wrong with options together; others may still come.
    pub fn check_all(&self, words: &[OsString]) -> Result<(), String> {
        self.judge(words, &[ErrorKind::MissingRequiredArgument])
    }

    fn judge(&self, words: &[OsString], bearable: &[ErrorKind]) -> Result<(), String> {
        let words = std::iter::once("match".into()).chain(words.iter().cloned());
        match self.0.clone().try_get_matches_from(words) {
            Err(error) if !bearable.contains(&error.kind()) => Err(sentence(&error)),
            _ => Ok(()),
        }
    }

    fn find(&self, name: &str) -> Option<&Arg> {
        self.arguments()
            .find(|argument| argument.get_long() == Some(name))
    }
}

/// What clap says, in one line, without what it says to everything.
pub fn sentence(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let text = text.strip_prefix("error: ").unwrap_or(&text);
    let said = text.split("\n\n").next().unwrap_or_default();
    let said = said.replace('\0', " ");
    said.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Options of a kind that `referee match` does not have.
    fn others() -> Options {
        let option = |name: &'static str| Arg::new(name).long(name);
        Options::new(
            Command::new("other")
                .arg(option("plain"))
                .arg(option("some").num_args(0..=1).conflicts_with("plain"))
                .arg(option("pair").num_args(1..=2))
                .arg(option("switch").action(ArgAction::SetTrue))
                .arg(
                    option("needy")
                        .requires("plain")
                        .value_parser(clap::value_parser!(u8)),
                ),
        )
    }

    #[test]
    fn clap_says_what_an_option_takes() {
        let text = |many, none| Some(Takes::Text { many, none });
        let options = Options::of_match();
        assert_eq!(options.takes("games"), text(false, false));
        assert_eq!(options.takes("engines"), text(true, false));
        assert_eq!(options.takes("quiet"), Some(Takes::Nothing));
        assert_eq!(options.takes("each"), Some(Takes::List { many: false }));
        assert_eq!(options.takes("engine"), Some(Takes::List { many: true }));
        for name in ["config", "save-config", "help"] {
            assert_eq!(options.takes(name), None);
            assert!(options.is_kept_out(name), "{name}");
        }
        assert!(!options.is_kept_out("games") && !options.is_kept_out("gmaes"));
        let options = others();
        assert_eq!(options.takes("some"), text(false, true));
        assert_eq!(options.takes("pair"), text(true, false));
    }

    #[test]
    fn a_typed_option_rules_out_its_like_and_what_it_conflicts_with() {
        let options = Options::of_match();
        assert!(options.overrule("games", "games"));
        assert!(options.overrule("board", "quiet") && options.overrule("quiet", "board"));
        assert!(options.overrule("engine", "engines") && options.overrule("engines", "engine"));
        assert!(!options.overrule("games", "seed") && !options.overrule("engine", "each"));
        assert!(others().overrule("plain", "some"));
    }

    #[test]
    fn an_option_is_judged_by_itself() {
        let words = |line: &str| -> Vec<OsString> { line.split(' ').map(Into::into).collect() };
        assert_eq!(
            Options::of_match().check(&words("--color=blue")).unwrap_err(),
            "invalid value 'blue' for '--color <WHEN>' [possible values: auto, always, never]"
        );
        assert_eq!(others().check(&words("--needy=3")), Ok(()));
        assert!(others().check(&words("--needy=x")).is_err());
    }
}
