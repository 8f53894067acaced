//! What somebody said of the options of a match.

use std::ffi::OsString;

use clap::ArgMatches;
use clap::parser::ValueSource;

use super::options::{Options, Takes};
use crate::config::settings;
use crate::io::failure::Failure;

/// The option that a player named without an option is short for.
const PLAYER: &str = "engine";

/// The words of one list, as key and value.
pub type List = Vec<(String, String)>;

/// The options that were given, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Given(pub Vec<(String, Value)>);

/// What was given for one option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// Texts; none where the name of the option says everything.
    Texts(Vec<OsString>),
    /// Lists of `KEY=VALUE`.
    Lists(Vec<List>),
}

impl Given {
    /// What was typed, in the order of the help.
    ///
    /// # Errors
    /// Where a list has a word that is no `KEY=VALUE`.
    pub fn typed(matches: &ArgMatches, options: &Options) -> Result<Given, Failure> {
        let mut given = Given::default();
        for argument in options.arguments() {
            let id = argument.get_id().as_str();
            if matches.value_source(id) != Some(ValueSource::CommandLine) {
                continue;
            }
            let texts = matches.get_raw(id).into_iter().flatten().map(OsString::from);
            let Some(name) = argument.get_long() else {
                let player = |cmd: OsString| vec![("cmd".to_string(), cmd.to_string_lossy().into_owned())];
                given
                    .0
                    .push((PLAYER.into(), Value::Lists(texts.map(player).collect())));
                continue;
            };
            let value = match options.takes(name) {
                Some(Takes::Nothing) | None => Value::Texts(Vec::new()),
                Some(Takes::Text { .. }) => Value::Texts(texts.collect()),
                Some(Takes::List { .. }) => {
                    let lists = texts.map(|text| settings::pairs(&text.to_string_lossy()));
                    let lists = lists.collect::<Result<_, String>>();
                    Value::Lists(lists.map_err(|error| Failure::Usage(format!("--{name}: {error}")))?)
                }
            };
            given.0.push((name.to_string(), value));
        }
        Ok(given)
    }

    /// All of this, and of a file what this leaves open.
    #[must_use]
    pub fn over(self, file: Given, options: &Options) -> Given {
        let mut merged = Given::default();
        let mut typed = self.0;
        for (name, filed) in file.0 {
            if options.takes(&name) == Some(Takes::List { many: false }) {
                let place = typed.iter().position(|(typed, _)| *typed == name);
                let own = place.map(|place| typed.remove(place).1);
                merged.0.push((name, key_by_key(own, filed)));
            } else if !typed.iter().any(|(typed, _)| options.overrule(typed, &name)) {
                merged.0.push((name, filed));
            }
        }
        merged.0.extend(typed);
        merged
            .0
            .sort_by_key(|(name, _)| options.names().position(|known| known == name));
        merged
    }

    /// The words that say this on a command line, lists gathered.
    pub fn words(&self, options: &Options) -> Vec<OsString> {
        let words = |(name, value): &(String, Value)| words(name, value, options);
        self.0.iter().flat_map(words).collect()
    }
}

/// The words that give one option this value.
pub fn words(name: &str, value: &Value, options: &Options) -> Vec<OsString> {
    let texts = match value {
        Value::Texts(texts) => texts.clone(),
        Value::Lists(lists) => lists.iter().map(|list| settings::joined(list).into()).collect(),
    };
    if texts.is_empty() || texts.len() > 1 && !options.can_repeat(name) {
        let name = std::iter::once(format!("--{name}").into());
        return name.chain(texts).collect();
    }
    let word = |text: OsString| {
        let mut word = OsString::from(format!("--{name}="));
        word.push(text);
        word
    };
    texts.into_iter().map(word).collect()
}

/// The one list of an option, of which each key that was typed stands before
/// the same in a file.
fn key_by_key(typed: Option<Value>, filed: Value) -> Value {
    match (typed, filed) {
        (Some(Value::Lists(typed)), Value::Lists(filed)) => {
            let typed = typed.concat();
            let is_open =
                |(key, _): &(String, String)| !typed.iter().any(|(own, _)| settings::replaces(own, key));
            let rest: List = filed.concat().into_iter().filter(is_open).collect();
            Value::Lists(vec![rest.into_iter().chain(typed).collect()])
        }
        (Some(typed), _) => typed,
        (None, filed) => filed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a line, in which lists are written with commas, says.
    fn given(line: &str) -> Given {
        let options = Options::of_match();
        let words = line.split_whitespace().map(|word| word.replace(',', "\0"));
        let command =
            <crate::config::cli::MatchArgs as clap::Args>::augment_args(clap::Command::new("match"));
        let matches = command.try_get_matches_from(std::iter::once("match".to_string()).chain(words));
        Given::typed(&matches.unwrap(), &options).unwrap()
    }

    fn merged(typed: &str, file: &str) -> String {
        let options = Options::of_match();
        let words = given(typed).over(given(file), &options).words(&options);
        let words: Vec<String> = words
            .into_iter()
            .map(|word| word.into_string().unwrap())
            .collect();
        words.join(" ").replace('\0', ",")
    }

    #[test]
    fn what_is_typed_is_told_from_defaults() {
        assert_eq!(given(""), Given::default());
        let line = "--engine=cmd=a,option.X=a=b --engine=cmd=b --each=st=1 --engines=s --games=2 --ascii";
        assert_eq!(merged(line, ""), line);
        assert_eq!(
            merged("a b=c --config=x --save-config=y", ""),
            "--engine=cmd=a --engine=cmd=b=c"
        );
    }

    #[test]
    fn what_is_typed_counts_more_than_a_file() {
        for (typed, file, expected) in [
            ("--games=3", "--games=2 --seed=5", "--games=3 --seed=5"),
            ("--board", "--quiet --games=9", "--games=9 --board"),
            ("--quiet", "--board", "--quiet"),
            (
                "a b",
                "--engine=cmd=c --engines=d",
                "--engine=cmd=a --engine=cmd=b",
            ),
            (
                "--engines=a",
                "--engine=cmd=c --engines=d --seed=1",
                "--engines=a --seed=1",
            ),
            (
                "--engine=cmd=a",
                "--engine=cmd=c --each=st=1",
                "--engine=cmd=a --each=st=1",
            ),
            ("", "--engine=cmd=c --engines=d", "--engine=cmd=c --engines=d"),
        ] {
            assert_eq!(merged(typed, file), expected);
        }
    }

    #[test]
    fn the_settings_for_each_are_merged_key_by_key() {
        for (typed, file, expected) in [
            ("--each=st=1", "--each=st=2,depth=3", "--each=depth=3,st=1"),
            ("--each=tc=60", "--each=depth=3,st=2", "--each=depth=3,tc=60"),
            (
                "--each=option.hash=1",
                "--each=option.Hash=2,option.Seed=3",
                "--each=option.Seed=3,option.hash=1",
            ),
            ("", "--each=st=2", "--each=st=2"),
            ("--each=st=2", "", "--each=st=2"),
        ] {
            assert_eq!(merged(typed, file), expected);
        }
    }

    #[test]
    fn several_values_of_one_option_stand_behind_its_name() {
        let pair = clap::Arg::new("pair").long("pair").num_args(1..=2);
        let options = Options::new(clap::Command::new("other").arg(pair));
        let value = Value::Texts(vec!["a".into(), "b".into()]);
        assert_eq!(words("pair", &value, &options), ["--pair", "a", "b"]);
        assert!(options.check(&words("pair", &value, &options)).is_ok());
    }
}
