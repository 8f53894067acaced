//! The lists of `KEY=VALUE` behind `--engine`, `--each` and `--sprt`.
//!
//! A list ends at the first word that is no `KEY=VALUE`, which clap cannot say
//! by itself. So [`gather`] makes each list one argument before clap sees it,
//! and [`Settings::parse`] takes it apart again.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::time::Duration;

use lodestone::protocol::Dialect;

use crate::io::suggest::unknown;
use crate::player::clock::{self, Control, DEFAULT_MOVE_TIME, TimeControl};

/// The `cmd` that stands for a person.
pub const HUMAN: &str = "human";

/// The options that take such a list.
const LISTS: [&str; 3] = ["--engine", "--each", "--sprt"];

/// The settings that stand in each other's place.
const TIMES: [&str; 2] = ["st", "tc"];

/// Stands between the words of a list in one argument. No argument of a program
/// can hold it.
pub const SEPARATOR: &str = "\0";

/// What the key of an engine's option begins with.
const OPTION: &str = "option.";

/// Every key.
const KEYS: [&str; 13] = [
    "cmd",
    "args",
    "dir",
    "name",
    "proto",
    "option.NAME",
    "st",
    "tc",
    "depth",
    "nodes",
    "timemargin",
    "starttime",
    "stderr",
];

/// What is said of one engine, or of each. What is not said is `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// A path, a built-in name, or `human`.
    pub cmd: Option<String>,
    /// Arguments of the program.
    pub args: Option<Vec<String>>,
    /// The folder in which it runs.
    pub dir: Option<PathBuf>,
    /// What it is called.
    pub name: Option<String>,
    /// How it is spoken to.
    pub proto: Option<Dialect>,
    /// Options to set.
    pub options: Vec<(String, String)>,
    /// The time for a move (`st`) or for many (`tc`).
    pub time: Option<TimeControl>,
    /// Plies to search.
    pub depth: Option<u32>,
    /// Positions to search.
    pub nodes: Option<u64>,
    /// How much later than its time an answer may come.
    pub margin: Option<Duration>,
    /// How long it may take to greet and to get ready for a game.
    pub start_time: Option<Duration>,
    /// The file that gets a copy of its stderr.
    pub stderr: Option<PathBuf>,
}

/// Joins each list of `KEY=VALUE` into one argument.
pub fn gather(arguments: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut gathered: Vec<OsString> = Vec::new();
    // Whether the last argument is a list that may go on.
    let mut in_list = false;
    let mut options_end = false;
    for word in arguments {
        if in_list && is_setting(&word) {
            if let Some(list) = gathered.last_mut() {
                let has_value = list.to_str().is_some_and(|list| list.contains('='));
                list.push(if has_value { SEPARATOR } else { "=" });
                list.push(word);
            }
            continue;
        }
        options_end |= word == "--";
        in_list = !options_end && begins_list(&word);
        gathered.push(word);
    }
    gathered
}

/// The words of a list of [`gather`].
pub fn words_of(list: &str) -> impl Iterator<Item = &str> {
    list.split(SEPARATOR)
}

/// Whether this option takes a list, with or without a first setting
/// behind an equals sign.
fn begins_list(word: &OsStr) -> bool {
    let word = word.to_str().unwrap_or_default();
    let name = word.split_once('=').map_or(word, |(name, _)| name);
    LISTS.contains(&name)
}

/// Whether a word is a `KEY=VALUE` rather than a path or an option.
fn is_setting(word: &OsStr) -> bool {
    let key = word
        .to_str()
        .and_then(|word| word.split_once('='))
        .map(|(key, _)| key);
    key.is_some_and(|key| !key.is_empty() && !key.contains('/') && !key.starts_with('-'))
}

/// Whether the option of this name, without its dashes, takes a list.
#[must_use]
pub fn is_list(name: &str) -> bool {
    LISTS.iter().any(|list| list.strip_prefix("--") == Some(name))
}

/// The keys and values of a list of [`gather`].
///
/// # Errors
/// A sentence that names a word that is no `KEY=VALUE`.
pub fn pairs(list: &str) -> Result<Vec<(String, String)>, String> {
    let owned = |(key, value): (&str, &str)| (key.to_string(), value.to_string());
    list.split(SEPARATOR).map(|word| pair(word).map(owned)).collect()
}

/// The list of [`gather`] with these keys, none of which holds an equals sign,
/// and values.
#[must_use]
pub fn joined(pairs: &[(String, String)]) -> String {
    let words: Vec<String> = pairs
        .iter()
        .map(|(key, value)| format!("{key}={value}"))
        .collect();
    words.join(SEPARATOR)
}

/// Whether what is said under one key takes the place of what is said under
/// another.
#[must_use]
pub fn replaces(one: &str, other: &str) -> bool {
    let is_same_option = || match (one.strip_prefix(OPTION), other.strip_prefix(OPTION)) {
        (Some(one), Some(other)) => one.eq_ignore_ascii_case(other),
        _ => false,
    };
    one == other || TIMES.contains(&one) && TIMES.contains(&other) || is_same_option()
}

fn pair(word: &str) -> Result<(&str, &str), String> {
    word.split_once('=')
        .ok_or_else(|| format!("expected KEY=VALUE, found `{word}`"))
}

impl Settings {
    /// What a list of [`gather`] says.
    ///
    /// # Errors
    /// A sentence that names the word and what would be right.
    pub fn parse(list: &str) -> Result<Settings, String> {
        let mut settings = Settings::default();
        let mut seen = HashSet::new();
        for word in words_of(list) {
            let (key, value) = pair(word)?;
            if !seen.insert(key) {
                return Err(format!("`{key}` is given twice for one engine"));
            }
            settings.set(key, value).map_err(|error| match error {
                Rejected::Key => unknown("setting", key, &KEYS),
                Rejected::Value(why) => format!("`{word}`: {why}"),
            })?;
        }
        Ok(settings)
    }

    /// An engine of which only the program is said.
    #[must_use]
    pub fn of_program(cmd: &str) -> Settings {
        Settings {
            cmd: Some(cmd.to_string()),
            ..Settings::default()
        }
    }

    /// Whether these are the settings of a person.
    #[must_use]
    pub fn is_human(&self) -> bool {
        self.cmd.as_deref() == Some(HUMAN)
    }

    /// The first key among these settings that means nothing for a person.
    #[must_use]
    pub fn key_of_programs(&self) -> Option<&'static str> {
        // Names every setting, so that a new one cannot be forgotten.
        let Settings {
            cmd: _,
            name: _,
            time: _,
            margin: _,
            args,
            dir,
            proto,
            options,
            depth,
            nodes,
            start_time,
            stderr,
        } = self;
        [
            ("args", args.is_some()),
            ("dir", dir.is_some()),
            ("proto", proto.is_some()),
            ("option.NAME", !options.is_empty()),
            ("depth", depth.is_some()),
            ("nodes", nodes.is_some()),
            ("starttime", start_time.is_some()),
            ("stderr", stderr.is_some()),
        ]
        .into_iter()
        .find_map(|(key, is_said)| is_said.then_some(key))
    }

    /// These settings, and those of `each` where these say nothing. A person
    /// takes over what is said of time, and nothing else.
    #[must_use]
    pub fn or(self, each: &Settings) -> Settings {
        if self.is_human() {
            return Settings {
                time: self.time.or(each.time),
                margin: self.margin.or(each.margin),
                ..self
            };
        }
        let own = self.options;
        let is_own = |name: &str| own.iter().any(|(own, _)| own.eq_ignore_ascii_case(name));
        let inherited = each.options.iter().filter(|(name, _)| !is_own(name));
        let options = inherited.cloned().chain(own.iter().cloned()).collect();
        Settings {
            cmd: self.cmd.or_else(|| each.cmd.clone()),
            args: self.args.or_else(|| each.args.clone()),
            dir: self.dir.or_else(|| each.dir.clone()),
            name: self.name.or_else(|| each.name.clone()),
            proto: self.proto.or(each.proto),
            options,
            time: self.time.or(each.time),
            depth: self.depth.or(each.depth),
            nodes: self.nodes.or(each.nodes),
            margin: self.margin.or(each.margin),
            start_time: self.start_time.or(each.start_time),
            stderr: self.stderr.or_else(|| each.stderr.clone()),
        }
    }

    /// What bounds the player's thinking.
    #[must_use]
    pub fn control(&self) -> Control {
        let default = if self.is_human() {
            TimeControl::Unlimited
        } else {
            TimeControl::Move(DEFAULT_MOVE_TIME)
        };
        Control {
            time: self.time.unwrap_or(default),
            depth: self.depth,
            nodes: self.nodes,
            margin: self.margin.unwrap_or_default(),
        }
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), Rejected> {
        if let Some(option) = key.strip_prefix(OPTION).filter(|option| !option.is_empty()) {
            self.options.push((option.to_string(), value.to_string()));
            return Ok(());
        }
        match key {
            "cmd" => self.cmd = Some(filled(value)?),
            "args" => self.args = Some(shlex::split(value).ok_or("a quote is not closed")?),
            "dir" => self.dir = Some(filled(value)?.into()),
            "name" => self.name = Some(name(value)?),
            "proto" => {
                let dialect = Dialect::from_name(value);
                self.proto = Some(dialect.ok_or("expected `uci` or `ugi`")?);
            }
            "st" => self.set_time(TimeControl::Move(clock::parse_seconds(value)?))?,
            "tc" => self.set_time(value.parse()?)?,
            "depth" => self.depth = Some(count(value)?),
            "nodes" => self.nodes = Some(count(value)?),
            "timemargin" => {
                let margin = value.parse().map_err(|_| "expected whole milliseconds")?;
                self.margin = Some(Duration::from_millis(u32::into(margin)));
            }
            "starttime" => self.start_time = Some(clock::parse_seconds(value)?),
            "stderr" => self.stderr = Some(filled(value)?.into()),
            _ => return Err(Rejected::Key),
        }
        Ok(())
    }

    fn set_time(&mut self, time: TimeControl) -> Result<(), Rejected> {
        if self.time.replace(time).is_some() {
            return Err("`st` and `tc` exclude each other".into());
        }
        Ok(())
    }
}

/// Why a setting is refused.
enum Rejected {
    /// There is no such key.
    Key,
    /// The value does not fit: why.
    Value(String),
}

impl From<&str> for Rejected {
    fn from(why: &str) -> Rejected {
        Rejected::Value(why.to_string())
    }
}

impl From<String> for Rejected {
    fn from(why: String) -> Rejected {
        Rejected::Value(why)
    }
}

/// A value that must not be empty.
fn filled(value: &str) -> Result<String, &'static str> {
    if value.is_empty() {
        return Err("the value is missing");
    }
    Ok(value.to_string())
}

/// A name that is fit to be printed.
fn name(value: &str) -> Result<String, &'static str> {
    if value.chars().any(char::is_control) {
        return Err("a name has no control characters");
    }
    filled(value.trim())
}

/// A whole number of at least 1.
fn count<T: std::str::FromStr + From<u8> + PartialOrd>(value: &str) -> Result<T, &'static str> {
    let number = value.parse().ok().filter(|number| *number >= T::from(1));
    number.ok_or("expected a whole number of at least 1")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gathered(line: &str) -> Vec<String> {
        gather(line.split(' ').map(OsString::from))
            .into_iter()
            .map(|word| word.into_string().unwrap().replace('\0', " "))
            .collect()
    }

    #[test]
    fn a_list_ends_at_the_first_word_that_is_no_setting() {
        assert_eq!(
            gathered("match --engine cmd=a st=1 --engine=cmd=b tc=1 --each depth=3 x --games 2"),
            [
                "match",
                "--engine=cmd=a st=1",
                "--engine=cmd=b tc=1",
                "--each=depth=3",
                "x",
                "--games",
                "2"
            ]
        );
        assert_eq!(
            gathered("--each st=1 ./a=b c=d"),
            ["--each=st=1", "./a=b", "c=d"],
            "a path is no setting, and a list that ended does not go on"
        );
        assert_eq!(gathered("--engine --games 2"), ["--engine", "--games", "2"]);
        assert_eq!(gathered("-- --engine a=b"), ["--", "--engine", "a=b"]);
        assert_eq!(gathered("a=b --seed 1"), ["a=b", "--seed", "1"]);
    }

    #[test]
    fn every_key_is_understood() {
        let list = "cmd=./bot\0args=-v 'two words'\0dir=/tmp\0name=My Bot\0proto=ugi\0option.Clear Hash=\0\
                    option.Hash=32\0tc=40/60+1\0depth=7\0nodes=1000\0timemargin=20\0starttime=30\0stderr=log";
        let expected = Settings {
            cmd: Some("./bot".into()),
            args: Some(vec!["-v".into(), "two words".into()]),
            dir: Some("/tmp".into()),
            name: Some("My Bot".into()),
            proto: Some(Dialect::Ugi),
            options: vec![("Clear Hash".into(), String::new()), ("Hash".into(), "32".into())],
            time: Some("40/60+1".parse().unwrap()),
            depth: Some(7),
            nodes: Some(1000),
            margin: Some(Duration::from_millis(20)),
            start_time: Some(Duration::from_secs(30)),
            stderr: Some("log".into()),
        };
        assert_eq!(Settings::parse(list), Ok(expected));
        // `st` is in the place of `tc`, and options have any name.
        for key in KEYS.iter().filter(|key| !["st", "option.NAME"].contains(key)) {
            assert!(
                list.split('\0').any(|word| word.starts_with(&format!("{key}="))),
                "{key}"
            );
        }
        for (key, _) in pairs(list).unwrap() {
            assert!(
                KEYS.contains(&key.as_str()) || key.starts_with(OPTION),
                "{key} is not in KEYS"
            );
        }
    }

    #[test]
    fn errors_say_what_is_wrong() {
        let error = |list: &str| Settings::parse(&list.replace(' ', "\0")).unwrap_err();
        assert!(
            error("dpeth=3")
                .starts_with("unknown setting `dpeth`; did you mean `depth`? The settings are cmd, ")
        );
        assert!(error("option.=3").starts_with("unknown setting `option.`;"));
        assert!(error("frobnicate=3").starts_with("unknown setting `frobnicate`; the settings are cmd, "));
        assert_eq!(error("st=1 st=2"), "`st` is given twice for one engine");
        assert_eq!(error("st=1 tc=2"), "`tc=2`: `st` and `tc` exclude each other");
        assert_eq!(
            error("depth=0"),
            "`depth=0`: expected a whole number of at least 1"
        );
        assert_eq!(error("args='a"), "`args='a`: a quote is not closed");
        assert_eq!(error("proto=xboard"), "`proto=xboard`: expected `uci` or `ugi`");
        assert_eq!(
            error("timemargin=-1"),
            "`timemargin=-1`: expected whole milliseconds"
        );
        assert_eq!(
            error("starttime=0"),
            "`starttime=0`: expected seconds from 0.001 to 1000000, such as 3 or 0.05, found `0`"
        );
        assert_eq!(error("cmd="), "`cmd=`: the value is missing");
        assert_eq!(error("cmd"), "expected KEY=VALUE, found `cmd`");
    }

    #[test]
    fn an_engines_own_settings_come_first() {
        let parse = |list: &str| Settings::parse(&list.replace(' ', "\0")).unwrap();
        let each = parse("st=1 option.Hash=16 option.Seed=2 depth=4 proto=ugi");
        let own = parse("cmd=a tc=60 option.hash=32").or(&each);
        assert_eq!(
            own,
            parse("cmd=a tc=60 depth=4 proto=ugi option.Seed=2 option.hash=32")
        );
        assert_eq!(parse("proto=uci").or(&each).proto, Some(Dialect::Uci));
        assert_eq!(
            Settings::default().control().time,
            TimeControl::Move(DEFAULT_MOVE_TIME)
        );
    }

    #[test]
    fn a_list_is_taken_apart_and_put_together() {
        let list = "cmd=a b\0option.X=1=2\0option.Y=";
        let taken = pairs(list).unwrap();
        assert_eq!(taken[1], ("option.X".to_string(), "1=2".to_string()));
        assert_eq!(joined(&taken), list);
        assert_eq!(pairs("a=1\0b").unwrap_err(), "expected KEY=VALUE, found `b`");
        assert!(is_list("each") && is_list("engine"));
        assert!(!is_list("--each") && !is_list("engines"));
    }

    #[test]
    fn a_key_takes_the_place_of_its_like() {
        for (one, other) in [
            ("st", "st"),
            ("st", "tc"),
            ("tc", "st"),
            ("option.Hash", "option.hash"),
        ] {
            assert!(replaces(one, other), "{one} {other}");
        }
        for (one, other) in [("st", "depth"), ("option.Hash", "option.Seed"), ("Name", "name")] {
            assert!(!replaces(one, other), "{one} {other}");
        }
    }

    #[test]
    fn a_person_takes_over_nothing_but_time() {
        let parse = |list: &str| Settings::parse(&list.replace(' ', "\0")).unwrap();
        let each = parse("st=1 option.Hash=16 depth=4 timemargin=5 starttime=20 stderr=log");
        let person = parse("cmd=human");
        assert_eq!(person.control().time, TimeControl::Unlimited);
        assert_eq!(person.or(&each), parse("cmd=human st=1 timemargin=5"));
        assert_eq!(parse("cmd=human name=Ann tc=60").key_of_programs(), None);
        for (setting, key) in [("option.Hash=1", "option.NAME"), ("starttime=20", "starttime")] {
            let person = parse(&format!("cmd=human {setting}"));
            assert_eq!(person.key_of_programs(), Some(key));
        }
    }
}
