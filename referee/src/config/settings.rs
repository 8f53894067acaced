//! The settings of one player: lists of `KEY=VALUE` behind `--engine` and `--each`.
//!
//! A list ends at the first word that is not `KEY=VALUE`, which clap cannot express.
//! So [`gather`] joins each list into one argument before clap sees it. `Settings::set` reads each key, and
//! `Settings::keys` writes it.

use std::ffi::{OsStr, OsString};
use std::fmt::Display;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use referee_core::arbiter::OnFault;
use referee_core::failure::Failure;
use referee_core::game::Ruleset;
use referee_core::game::clock::{Control, DEFAULT_MARGIN, DEFAULT_MOVE_TIME, TimeControl, parse_seconds};
use referee_core::io::as_text::Text;
pub use referee_core::io::key_values::SEPARATOR;
use referee_core::io::key_values::{KeyValues, at_least, one_of, wrong_value};
use referee_core::io::text::{printable, unknown};
use referee_core::player::{OWN_OPTIONS, Protocol};
use referee_core::process::SandboxLevel;
use referee_core::system::files::{quote, split_words};

/// The `cmd` of a person.
pub(crate) const HUMAN: &str = "human";

/// The command that runs this program, whatever PATH holds, if [`ADAPT_COMMAND`] follows.
pub(crate) const OWN_COMMAND: &str = "referee";

/// The subcommand that makes a bot of a program for people.
pub(crate) const ADAPT_COMMAND: &str = "adapt";

/// The most characters of a setting in a message.
const MAX_SHOWN: usize = 80;

/// The options that take a list of `KEY=VALUE`.
pub(crate) const LISTS: [&str; 9] = [
    "--engine",
    "--each",
    "--first",
    "--second",
    "--sprt",
    "--sprt-decide",
    "--draw",
    "--resign",
    "--prove",
];

/// The options that take a word, and then a list; and the key of the word in a table of a TOML file.
const WITH_KEYS: [(&str, &str); 6] = [
    ("--rules", "cmd"),
    ("--openings", "source"),
    ("--on-fault", "do"),
    ("--pgn", "file"),
    ("--log", "file"),
    ("--format", "name"),
];

/// The key of the word before the list of an option, in a table of a TOML file.
pub(crate) fn word_key(option: &str) -> Option<&'static str> {
    let known = WITH_KEYS.iter().find(|(known, _)| *known == option);
    known.map(|(_, key)| *key)
}

/// The group of the settings `option.NAME`.
const OPTION: &str = "option";

/// The settings that apply to people, too.
const FOR_PEOPLE: [&str; 6] = ["cmd", "name", "st", "first", "tc", "timemargin"];

/// `option.NAME` in the help and in messages.
const OPTION_KEY: &str = "option.NAME";

/// The settings of one player; `None` where the user gave none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// A path, a built-in name, or `human`.
    pub cmd: Option<String>,
    /// Arguments of the program.
    pub args: Option<Vec<String>>,
    /// The folder in which it runs.
    pub dir: Option<PathBuf>,
    /// The folder whose `run` starts the submission in the folder `cmd`.
    pub wrapper: Option<PathBuf>,
    /// Its name in the results.
    pub name: Option<String>,
    /// Its protocol.
    pub proto: Option<Protocol>,
    /// Engine options to set, in this order.
    pub options: Vec<(String, String)>,
    /// How many of them, the first ones, are those of all players.
    pub inherited: usize,
    /// The time for one move (`st`) or for several (`tc`).
    pub time: Option<TimeControl>,
    /// Another time for the first move of a game, beside `st`.
    pub first: Option<Duration>,
    /// The depth limit, in plies.
    pub depth: Option<u32>,
    /// The node limit.
    pub nodes: Option<u64>,
    /// How much later than its time an answer is accepted.
    pub margin: Option<Duration>,
    /// What its faults do.
    pub on_fault: Option<OnFault>,
    /// The time for `uciok`, and for each `readyok`.
    pub start_time: Option<Duration>,
    /// Whether each game has a new process.
    pub restart: Option<bool>,
    /// How it is restricted.
    pub sandbox: Option<SandboxLevel>,
    /// More folders that it may read in its sandbox.
    pub sandbox_read: Vec<PathBuf>,
    /// The limit on processor time of each of its processes, with their children, in seconds.
    pub cpu_time: Option<u64>,
    /// The limit on processor time for one move of all its processes.
    pub cpu_move: Option<Duration>,
    /// The limit on its memory, with that of its children, in megabytes.
    pub memory: Option<u64>,
    /// The limit on the number of its processes.
    pub max_processes: Option<u64>,
    /// The file that gets a copy of its stderr.
    pub stderr: Option<PathBuf>,
}

/// Joins each list of `KEY=VALUE` into one argument.
pub fn gather(arguments: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut gathered: Vec<OsString> = Vec::new();
    let mut in_list = false;
    // Whether the next word is the source before a list.
    let mut at_source = false;
    let mut options_end = false;
    for word in arguments {
        let is_source = std::mem::take(&mut at_source) && !word.as_encoded_bytes().starts_with(b"-");
        if is_source || (in_list && is_setting(&word)) {
            if let Some(list) = gathered.last_mut() {
                let has_value = list.as_encoded_bytes().contains(&b'=');
                list.push(if has_value { SEPARATOR } else { "=" });
                list.push(word);
            }
            continue;
        }
        options_end |= word == "--";
        in_list = !options_end && begins_list(&word);
        at_source = in_list && word.to_str().is_some_and(|word| word_key(word).is_some());
        gathered.push(word);
    }
    gathered
}

/// Whether this option takes a list; its first setting may follow an equals sign.
fn begins_list(word: &OsStr) -> bool {
    let word = word.to_str().unwrap_or_default();
    let name = word.split_once('=').map_or(word, |(name, _)| name);
    LISTS.contains(&name) || word_key(name).is_some()
}

/// Whether a word is a `KEY=VALUE` rather than a path or an option.
fn is_setting(word: &OsStr) -> bool {
    let key = word
        .to_str()
        .and_then(|word| word.split_once('='))
        .map(|(key, _)| key);
    key.is_some_and(|key| !key.is_empty() && !key.contains('/') && !key.starts_with('-'))
}

/// Whether a list may hold this key.
pub(crate) fn is_key(key: &str) -> bool {
    let is_option = key.split_once('.').is_some_and(|(group, _)| group == OPTION);
    is_option || names().contains(&key)
}

/// The names of all keys but `option.NAME`.
fn names() -> Vec<&'static str> {
    Settings::default().keys().map(|(name, _)| name).to_vec()
}

impl FromStr for Settings {
    type Err = String;

    /// Reads a gathered list. The error names the word and what would be right.
    fn from_str(list: &str) -> Result<Settings, String> {
        let mut settings = Settings::default();
        let words = list.split(SEPARATOR).filter(|_| !list.is_empty());
        for (key, value) in KeyValues::read(words)?.pairs() {
            settings.set(key, value)?;
        }
        settings.check()
    }
}

impl Settings {
    /// An engine of which only the program is given.
    pub fn of_program(cmd: &str) -> Settings {
        Settings {
            cmd: Some(cmd.to_string()),
            ..Settings::default()
        }
    }

    /// Whether these are the settings of a person.
    pub fn is_human(&self) -> bool {
        self.cmd.as_deref() == Some(HUMAN)
    }

    /// The words of the list that gives these settings.
    pub fn words(&self) -> Vec<String> {
        let options = self.options.iter();
        let options = options.map(|(name, value)| format!("{OPTION}.{name}={value}"));
        let keys = self.keys().into_iter();
        let keys = keys.filter_map(|(name, value)| Some(format!("{name}={}", value?)));
        keys.chain(options).collect()
    }

    /// Every key but `option.NAME`, in the order in which settings are written, with its value as `set` takes it.
    fn keys(&self) -> [(&'static str, Option<String>); 22] {
        let time = |key| shown(self.time.filter(|time| time.key() == Some(key)));
        let args = self.args.iter().flatten().map(String::as_str);
        let readable = std::env::join_paths(&self.sandbox_read);
        let readable = readable.ok().filter(|_| !self.sandbox_read.is_empty());
        [
            ("cmd", self.cmd.clone()),
            ("args", joined(args).ok().filter(|_| self.args.is_some())),
            ("dir", shown(self.dir.as_ref().map(|dir| dir.to_string_lossy()))),
            (
                "wrapper",
                shown(self.wrapper.as_ref().map(|folder| folder.to_string_lossy())),
            ),
            ("name", self.name.clone()),
            ("proto", shown(self.proto.map(Protocol::name))),
            ("st", time("st")),
            ("first", shown(self.first.map(TimeControl::Move))),
            ("tc", time("tc")),
            ("depth", shown(self.depth)),
            ("nodes", shown(self.nodes)),
            ("timemargin", shown(self.margin.map(|margin| margin.as_millis()))),
            ("onfault", shown(self.on_fault)),
            ("starttime", shown(self.start_time.map(TimeControl::Move))),
            (
                "restart",
                shown(self.restart.map(|is_on| if is_on { "on" } else { "off" })),
            ),
            ("sandbox", shown(self.sandbox)),
            (
                "sandbox-read",
                readable.and_then(|folders| folders.into_string().ok()),
            ),
            ("cpu-time", shown(self.cpu_time)),
            ("cpu-move", shown(self.cpu_move.map(TimeControl::Move))),
            ("memory", shown(self.memory)),
            ("max-processes", shown(self.max_processes)),
            (
                "stderr",
                shown(self.stderr.as_ref().map(|file| file.to_string_lossy())),
            ),
        ]
    }

    /// The keys of all settings, but for `option.NAME`.
    pub fn all_keys() -> impl Iterator<Item = &'static str> {
        Settings::default().keys().into_iter().map(|(key, _)| key)
    }

    /// These settings, and for the rest those of `each`. A person inherits only time, and a built-in player no
    /// arguments.
    #[must_use]
    pub fn or(self, each: &Settings) -> Settings {
        let time = self.time.or(each.time);
        // A clock is for all moves of a game.
        let is_clock = matches!(time, Some(TimeControl::Clock { .. }));
        let first = self.first.or(each.first.filter(|_| !is_clock));
        if self.is_human() {
            return Settings {
                time,
                first,
                margin: self.margin.or(each.margin),
                ..self
            };
        }
        let own = self.options;
        let is_own = |name: &str| own.iter().any(|(own, _)| own.eq_ignore_ascii_case(name));
        let inherited = each.options.iter().filter(|(name, _)| !is_own(name));
        let mut options: Vec<_> = inherited.cloned().collect();
        let inherited = options.len() + self.inherited;
        options.extend(own);
        let is_builtin = self
            .cmd
            .as_deref()
            .is_some_and(|cmd| Ruleset::all_players().contains(&cmd));
        Settings {
            cmd: self.cmd.or_else(|| each.cmd.clone()),
            args: self.args.or_else(|| each.args.clone().filter(|_| !is_builtin)),
            dir: self.dir.or_else(|| each.dir.clone()),
            wrapper: self
                .wrapper
                .or_else(|| each.wrapper.clone().filter(|_| !is_builtin)),
            name: self.name.or_else(|| each.name.clone()),
            proto: self.proto.or(each.proto),
            options,
            inherited,
            time,
            first,
            depth: self.depth.or(each.depth),
            nodes: self.nodes.or(each.nodes),
            margin: self.margin.or(each.margin),
            on_fault: self.on_fault.or(each.on_fault),
            start_time: self.start_time.or(each.start_time),
            restart: self.restart.or(each.restart),
            sandbox: self.sandbox.or(each.sandbox),
            sandbox_read: [self.sandbox_read, each.sandbox_read.clone()].concat(),
            cpu_time: self.cpu_time.or(each.cpu_time),
            cpu_move: self.cpu_move.or(each.cpu_move),
            memory: self.memory.or(each.memory),
            max_processes: self.max_processes.or(each.max_processes),
            stderr: self.stderr.or_else(|| each.stderr.clone()),
        }
    }

    /// These settings with the sandbox of `--sandbox`, unless they have their own, and the folders of
    /// `--sandbox-read`. A person has no sandbox.
    #[must_use]
    pub fn sandboxed(mut self, level: Option<SandboxLevel>, readable: &[PathBuf]) -> Settings {
        if !self.is_human() {
            self.sandbox = self.sandbox.or(level);
            self.sandbox_read.extend_from_slice(readable);
        }
        self
    }

    /// The limits of each search.
    pub fn control(&self) -> Control {
        let default = if self.is_human() {
            TimeControl::Unlimited
        } else {
            TimeControl::Move(DEFAULT_MOVE_TIME)
        };
        let time = match self.time.unwrap_or(default) {
            TimeControl::Move(each) => TimeControl::per_move(each, self.first),
            other => other,
        };
        Control {
            time,
            depth: self.depth,
            nodes: self.nodes,
            cpu: self.cpu_move,
            margin: self.margin.unwrap_or(DEFAULT_MARGIN),
        }
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        let option = key
            .strip_prefix(OPTION)
            .and_then(|option| option.strip_prefix('.'));
        if let Some(option) = option.filter(|option| !option.is_empty()) {
            // A line end would make the rest a command of its own.
            if [option, value].iter().any(|text| text.contains(char::is_control)) {
                let setting = printable(&format!("{key}={value}"), MAX_SHOWN);
                return Err(format!(
                    "`{setting}`: an option and its value are one line, without control characters"
                ));
            }
            if OWN_OPTIONS.iter().any(|own| own.eq_ignore_ascii_case(option)) {
                return Err(format!(
                    "`{}`: the referee sets this option itself, in each game; leave it out",
                    printable(key, MAX_SHOWN)
                ));
            }
            self.options.push((option.to_string(), value.to_string()));
            return Ok(());
        }
        let names = names();
        if !names.contains(&key) {
            // Options of engines usually begin with a capital letter.
            if key.starts_with(char::is_uppercase) {
                return Err(format!(
                    "unknown setting `{key}`; for an option of the engine, write `{OPTION}.{key}={value}`"
                ));
            }
            return Err(unknown("setting", key, &[&names[..], &[OPTION_KEY]].concat()));
        }
        self.set_key(key, value)
            .map_err(|why| wrong_value(key, value, &why))
    }

    /// Stores the value of a key. The error says what is expected.
    fn set_key(&mut self, key: &str, value: &str) -> Result<(), String> {
        match key {
            "cmd" => self.cmd = Some(filled(value)?),
            "args" => self.args = Some(split_words(value).ok_or("a quote is not closed")?),
            "dir" => self.dir = Some(filled(value)?.into()),
            "wrapper" => self.wrapper = Some(filled(value)?.into()),
            "name" => self.name = Some(name(value)?),
            "proto" => self.proto = Some(Text::read(value)?),
            "st" => self.set_time(TimeControl::Move(parse_seconds(value)?))?,
            "first" => self.first = Some(parse_seconds(value)?),
            "onfault" => self.on_fault = Some(Text::read(value)?),
            "tc" => self.set_time(value.parse()?)?,
            "depth" => self.depth = Some(at_least(1, value)?),
            "nodes" => self.nodes = Some(at_least(1, value)?),
            "timemargin" => {
                let margin: u32 = value.parse().map_err(|_| "expected whole milliseconds")?;
                self.margin = Some(Duration::from_millis(margin.into()));
            }
            "starttime" => self.start_time = Some(parse_seconds(value)?),
            "restart" => self.restart = Some(one_of(value, &[("on", true), ("off", false)])?),
            "sandbox" => self.sandbox = Some(value.parse()?),
            "sandbox-read" => self.sandbox_read.extend(std::env::split_paths(value)),
            "cpu-time" => self.cpu_time = Some(at_least(1, value)?),
            "cpu-move" => self.cpu_move = Some(parse_seconds(value)?),
            "memory" => self.memory = Some(at_least(1, value)?),
            "max-processes" => self.max_processes = Some(at_least(1, value)?),
            "stderr" => self.stderr = Some(filled(value)?.into()),
            _ => return Err("this setting is not read".into()),
        }
        Ok(())
    }

    fn set_time(&mut self, time: TimeControl) -> Result<(), String> {
        match self.time.replace(time) {
            Some(_) => Err("`st` and `tc` cannot be combined".into()),
            None => Ok(()),
        }
    }

    /// Checks that settings go together, and that those of a person apply to people.
    fn check(self) -> Result<Settings, String> {
        if self.first.is_some() && matches!(self.time, Some(TimeControl::Clock { .. })) {
            return Err("`first` needs `st`; a clock (`tc`) is for all moves of a game".into());
        }
        let option = (!self.options.is_empty()).then(|| (OPTION_KEY, Some(String::new())));
        let mut given = self.keys().into_iter().chain(option);
        let key = given.find(|(key, value)| value.is_some() && !FOR_PEOPLE.contains(key));
        match key.filter(|_| self.is_human()) {
            Some((key, _)) => Err(format!(
                "`{key}` does not apply to a human player; for a program with this name, write \
                 `cmd=./{HUMAN}`"
            )),
            None => Ok(self),
        }
    }
}

/// Checks that a player has a sandbox for which the folders of `--sandbox-read` are.
pub(crate) fn check_readable(folders: &[PathBuf], engines: &[Settings]) -> Result<(), Failure> {
    let has_sandbox = |engine: &Settings| engine.sandbox.is_some_and(|level| level != SandboxLevel::Off);
    if folders.is_empty() || engines.iter().any(has_sandbox) {
        return Ok(());
    }
    Err(Failure::Usage(
        "--sandbox-read needs an engine in a sandbox; --sandbox runs all of them in one".into(),
    ))
}

fn shown(value: Option<impl Display>) -> Option<String> {
    value.map(|value| value.to_string())
}

/// A value that must not be empty.
fn filled(value: &str) -> Result<String, String> {
    if value.is_empty() {
        return Err("the value is missing".into());
    }
    Ok(value.to_string())
}

/// A name without control characters.
fn name(value: &str) -> Result<String, String> {
    if value.chars().any(char::is_control) {
        return Err("a name cannot contain control characters".into());
    }
    filled(value.trim())
}

/// Words in one text, for [`split_words`].
pub(super) fn joined<'a>(words: impl Iterator<Item = &'a str>) -> Result<String, shlex::QuoteError> {
    let quoted = words.map(quote).collect::<Result<Vec<_>, _>>();
    quoted.map(|words| words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::tests::cases;

    fn parse(list: &str) -> Settings {
        list.replace(' ', SEPARATOR).parse().unwrap()
    }

    fn gathered(line: &str) -> Vec<String> {
        gather(line.split(' ').map(OsString::from))
            .into_iter()
            .map(|word| word.into_string().unwrap().replace(SEPARATOR, " "))
            .collect()
    }

    #[test]
    fn a_list_ends_at_the_first_word_that_is_not_a_setting() {
        let table = "
            match --engine cmd=a st=1 --engine=cmd=b tc=1 --each depth=3 x --games 2 -> match | --engine=cmd=a st=1 | --engine=cmd=b tc=1 | --each=depth=3 | x | --games | 2
            --each st=1 ./a=b c=d -> --each=st=1 | ./a=b | c=d
            --engine --games 2 -> --engine | --games | 2
            --openings book order=random start=5 x --openings=b plies=2 --openings -x a=b -> --openings=book order=random start=5 | x | --openings=b plies=2 | --openings | -x | a=b
            --openings a=b c=d -> --openings=a=b c=d
            -- --engine a=b -> -- | --engine | a=b
            a=b --seed 1 -> a=b | --seed | 1
        ";
        // A path is not a setting, and a list that ended does not resume.
        for (line, words) in cases(table) {
            assert_eq!(gathered(&line).join(" | "), words, "{line}");
        }
    }

    /// A list with every key except `st` and `first`, which exclude `tc`.
    const EVERY_KEY: &str = "cmd=./bot\0args=-v 'two words'\0dir=/tmp\0wrapper=w\0name=My Bot\0proto=ugi\0tc=40/60+1\0\
                             depth=7\0nodes=1000\0timemargin=20\0onfault=random:3\0starttime=30\0restart=on\0sandbox=strict\0sandbox-read=/a:b\0cpu-time=60\0cpu-move=2.5\0memory=512\0max-processes=8\0stderr=log\0\
                             option.Clear Hash=\0option.Hash=32";

    fn every_pair() -> Vec<(&'static str, &'static str)> {
        KeyValues::read(EVERY_KEY.split(SEPARATOR))
            .unwrap()
            .pairs()
            .to_vec()
    }

    #[test]
    fn the_help_lists_every_key() {
        let help = include_str!("../../help/settings.txt");
        for key in names() {
            assert!(help.contains(&format!("\n  {key}=")), "{key}");
        }
    }

    #[test]
    #[cfg(unix)] // `sandbox-read`, which needs Linux, separates its paths as the system does
    fn reads_every_key() {
        let expected = Settings {
            cmd: Some("./bot".into()),
            args: Some(vec!["-v".into(), "two words".into()]),
            dir: Some("/tmp".into()),
            wrapper: Some("w".into()),
            name: Some("My Bot".into()),
            proto: Some(Protocol::Ugi),
            options: vec![("Clear Hash".into(), String::new()), ("Hash".into(), "32".into())],
            inherited: 0,
            time: Some("40/60+1".parse().unwrap()),
            depth: Some(7),
            nodes: Some(1000),
            margin: Some(Duration::from_millis(20)),
            first: None,
            on_fault: Some(OnFault::Random { limit: Some(3) }),
            start_time: Some(Duration::from_secs(30)),
            restart: Some(true),
            sandbox: Some(SandboxLevel::Strict),
            sandbox_read: vec!["/a".into(), "b".into()],
            cpu_time: Some(60),
            cpu_move: Some(Duration::from_millis(2500)),
            memory: Some(512),
            max_processes: Some(8),
            stderr: Some("log".into()),
        };
        assert_eq!(EVERY_KEY.parse(), Ok(expected));
        let pairs = every_pair();
        for key in names() {
            let is_read = pairs.iter().any(|(name, _)| *name == key);
            assert!(is_read || ["st", "first"].contains(&key), "{key} is not tested");
        }
    }

    #[test]
    fn writes_every_key_as_it_was_read() {
        for list in [EVERY_KEY, "cmd=x\0st=0.05\0first=30"] {
            let settings: Settings = list.parse().unwrap();
            assert_eq!(settings.words().join(SEPARATOR).replace('"', "'"), list);
        }
        // Every setting, inherited by an engine without any.
        let each: Settings = EVERY_KEY.parse().unwrap();
        let inherited = Settings::default().or(&each);
        assert_eq!(inherited.words(), each.words());
        assert_eq!(inherited.inherited, each.options.len());
    }

    #[test]
    fn errors_say_what_is_wrong() {
        let table = "
            dpeth=3 -> unknown setting `dpeth`; did you mean `depth`?…
            st=1,depth=3 -> `st=1,depth=3`: expected seconds from 0.001 to 1000000, such as 3 or 0.05, found `1,depth=3`; settings are separated by spaces: `st=1 depth=3`
            Contempt=0 -> unknown setting `Contempt`; for an option of the engine, write `option.Contempt=0`
            option.=3 -> unknown setting `option.`…
            frobnicate=3 -> unknown setting `frobnicate`…
            st=1 st=2 -> `st` is given twice
            st=1 tc=2 -> `tc=2`: `st` and `tc` cannot be combined
            depth=0 -> `depth=0`: expected a whole number of at least 1
            args='a -> `args='a`: a quote is not closed
            proto=uic -> `proto=uic`: expected `uci`, `ugi`, `gtp`, `xboard`, `usi`, `ucci`, `gomocup` or `uai`
            timemargin=-1 -> `timemargin=-1`: expected whole milliseconds
            starttime=0 -> `starttime=0`: expected seconds from 0.001 to 1000000, such as 3 or 0.05, found `0`
            restart=yes -> `restart=yes`: expected `on` or `off`
            cmd= -> `cmd=`: the value is missing
            option.File=a\\nquit -> `option.File=a\\nquit`: an option and its value are one line, without control characters
            option.a\\nquit=1 -> `option.a\\nquit=1`: an option and its value are one line, without control characters
            cmd -> expected KEY=VALUE, found `cmd`
        ";
        for (list, message) in cases(table) {
            let list = list.replace(' ', SEPARATOR).replace("\\n", "\n");
            let error = list.parse::<Settings>().unwrap_err();
            // The lists of all settings are not written here.
            let is_whole = !message.ends_with([',', ';', '…']);
            let message = message.trim_end_matches('…');
            assert!(error.starts_with(message), "{error}");
            assert!(!is_whole || error == message, "{error}");
        }
    }

    #[test]
    fn settings_of_an_engine_override_those_of_each() {
        let each = parse("st=1 option.Hash=16 option.Seed=2 depth=4 proto=ugi");
        let own = parse("cmd=a tc=60 option.hash=32").or(&each);
        let all = parse("cmd=a tc=60 depth=4 proto=ugi option.Seed=2 option.hash=32");
        assert_eq!(own, Settings { inherited: 1, ..all });
        assert_eq!(parse("proto=uci").or(&each).proto, Some(Protocol::Uci));
        assert_eq!(
            Settings::default().control().time,
            TimeControl::Move(DEFAULT_MOVE_TIME)
        );
    }

    #[test]
    fn a_person_has_no_settings_of_programs_and_inherits_only_time() {
        let each = parse("st=1 option.Hash=16 depth=4 timemargin=5 starttime=20 stderr=log");
        let person = parse("cmd=human name=Ann");
        assert_eq!(person.control().time, TimeControl::Unlimited);
        assert_eq!(person.or(&each), parse("cmd=human name=Ann st=1 timemargin=5"));
        for (key, value) in every_pair().into_iter().skip(1) {
            let list = format!("cmd=human\0{key}={value}");
            assert_eq!(
                list.parse::<Settings>().is_ok(),
                FOR_PEOPLE.contains(&key),
                "{key}"
            );
        }
        assert_eq!(
            "cmd=human\0option.Hash=1".parse::<Settings>().unwrap_err(),
            "`option.NAME` does not apply to a human player; for a program with this name, write \
             `cmd=./human`"
        );
    }
}
