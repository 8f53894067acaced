//! All that is said of each setting of a player, in one row. The command line, files, help, forms and the manual take
//! it from here.

use std::path::PathBuf;
use std::time::Duration;

use super::fields::Settings;
use super::value::SettingValue;
use crate::arbiter::OnFault;
use crate::game::clock::{DEFAULT_MARGIN, TimeControl, parse_seconds};
use crate::io::as_text::Text;
use crate::io::key_values::{at_least, one_of};
use crate::player::{DEFAULT_START_TIME, Protocol};
use crate::process::SandboxLevel;
use crate::system::files::split_words;

use self::Purpose::{Check, Limits, Match, Pages, People, Rules};

/// A setting of a player.
pub struct Setting {
    /// Its name, as in `KEY=VALUE`.
    pub key: &'static str,
    /// What its value is, as the help writes it.
    pub value: &'static str,
    /// What it does.
    pub help: &'static str,
    pub default: Preset,
    /// What it is for, besides a program that plays.
    pub purposes: &'static [Purpose],
    /// Its value, if it is given.
    pub(super) get: fn(&Settings) -> Option<SettingValue>,
    /// Takes its value. The error says what is expected.
    pub(super) set: fn(&mut Settings, SettingValue) -> Result<(), String>,
}

/// What a setting is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// People may have it.
    People,
    /// Rules programs may have it.
    Rules,
    /// The pages of `referee serve` may set it, so it names no file.
    Pages,
    /// It is a part of what a match is, and in its header.
    Match,
    /// Reports show it among the limits of a player.
    Limits,
    /// An author who repeats a check on another machine needs it.
    Check,
}

/// The default of a setting.
pub enum Preset {
    /// It has to be given.
    Required,
    /// Nothing.
    None,
    Is(fn() -> SettingValue),
    /// What these words say.
    Says(&'static str),
}

/// `option.NAME` in the help and in messages.
pub(super) const OPTION_KEY: &str = "option.NAME";

/// The settings, in the order in which they are written.
pub static SETTINGS: [Setting; 23] = [
    Setting {
        key: "cmd",
        value: "PROGRAM",
        help: "a path (in `dir`, if the file is there), a folder with a file `run`, a built-in name or a program in \
               PATH; `human` for a human player",
        default: Preset::Required,
        purposes: &[People, Rules, Match],
        get: |from| from.cmd.as_ref().map(SettingValue::text),
        set: |to, value| put(&mut to.cmd, value.read(filled)),
    },
    Setting {
        key: "args",
        value: "'WORDS'",
        help: "arguments of the program, quoted as for a shell",
        default: Preset::None,
        purposes: &[Rules, Match],
        get: |from| from.args.clone().map(SettingValue::Words),
        set: |to, value| {
            let split = |word: &str| split_words(word).ok_or_else(|| "a quote is not closed".to_string());
            put(&mut to.args, value.list(split))
        },
    },
    Setting {
        key: "dir",
        value: "FOLDER",
        help: "its working directory, the first place for a relative `cmd`",
        default: Preset::Says("the current one"),
        purposes: &[Rules, Match],
        get: |from| from.dir.as_deref().map(SettingValue::path),
        set: |to, value| put(&mut to.dir, value.read(path)),
    },
    Setting {
        key: "wrapper",
        value: "FOLDER",
        help: "start the submission in the folder `cmd` by FOLDER's `run`; see --wrapper",
        default: Preset::None,
        purposes: &[Rules, Match],
        get: |from| from.wrapper.as_deref().map(SettingValue::path),
        set: |to, value| put(&mut to.wrapper, value.read(path)),
    },
    Setting {
        key: "name",
        value: "NAME",
        help: "its name in the results",
        default: Preset::Says("the name of the built-in player or the file"),
        // In the header it is the name that the player has in the end.
        purposes: &[People, Rules],
        get: |from| from.name.as_ref().map(SettingValue::text),
        set: |to, value| put(&mut to.name, value.read(name)),
    },
    Setting {
        key: "proto",
        value: "uci|ugi|gtp|xboard|usi|ucci|gomocup|uai",
        help: "its protocol",
        default: Preset::Is(|| SettingValue::text(Protocol::default().name())),
        purposes: &[Pages, Match, Limits, Check],
        get: |from| from.proto.map(|proto| SettingValue::text(proto.name())),
        set: |to, value| put(&mut to.proto, value.read(Text::read)),
    },
    Setting {
        key: OPTION_KEY,
        value: "VALUE",
        help: "set an option that the engine announces",
        default: Preset::None,
        purposes: &[Rules, Pages, Match, Check],
        get: |from| Some(SettingValue::Pairs(from.options.clone())).filter(|_| !from.options.is_empty()),
        set: |to, value| match value {
            SettingValue::Pairs(pairs) => {
                to.options.extend(pairs);
                Ok(())
            }
            _ => Err("expected names and values".into()),
        },
    },
    Setting {
        key: "st",
        value: "SECONDS",
        help: "time for each move",
        default: Preset::Says("3 without `tc`; no limit for a human player"),
        purposes: &[People, Pages, Match, Limits, Check],
        get: |from| time(from, "st"),
        set: |to, value| set_time(to, value.read(parse_seconds).map(TimeControl::Move)),
    },
    Setting {
        key: "first",
        value: "SECONDS",
        help: "time for the first move of a game, with `st`",
        default: Preset::Says("the same as `st`"),
        purposes: &[People, Pages, Match, Check],
        get: |from| from.first.map(SettingValue::seconds),
        set: |to, value| put(&mut to.first, value.read(parse_seconds)),
    },
    Setting {
        key: "tc",
        value: "[MOVES/]SECONDS[+INC]",
        help: "a clock instead: 60+0.5 adds 0.5 s for each move, 40/60 is 40 moves in 60 s",
        default: Preset::None,
        purposes: &[People, Pages, Match, Limits, Check],
        get: |from| time(from, "tc"),
        set: |to, value| set_time(to, value.read(str::parse)),
    },
    Setting {
        key: "depth",
        value: "N",
        help: "search at most N plies, in addition to the time limit",
        default: Preset::None,
        purposes: &[Pages, Match, Limits, Check],
        get: |from| from.depth.map(SettingValue::number),
        set: |to, value| put(&mut to.depth, value.read(|word| at_least(1, word))),
    },
    Setting {
        key: "nodes",
        value: "N",
        help: "search at most N nodes, in addition to the time limit",
        default: Preset::None,
        purposes: &[Pages, Match, Limits, Check],
        get: |from| from.nodes.map(SettingValue::number),
        set: |to, value| put(&mut to.nodes, value.read(positive)),
    },
    Setting {
        key: "timemargin",
        value: "MS",
        help: "accept an answer up to MS milliseconds late",
        default: Preset::Is(|| milliseconds(DEFAULT_MARGIN)),
        purposes: &[People, Pages, Match, Check],
        get: |from| from.margin.map(milliseconds),
        set: |to, value| put(&mut to.margin, value.read(margin)),
    },
    Setting {
        key: "onfault",
        value: "lose|random|random:N",
        help: "what a fault does; see --on-fault",
        default: Preset::Is(|| SettingValue::text(OnFault::default())),
        purposes: &[Pages, Match],
        get: |from| from.on_fault.map(SettingValue::text),
        set: |to, value| put(&mut to.on_fault, value.read(Text::read)),
    },
    Setting {
        key: "starttime",
        value: "SECONDS",
        help: "time for `uciok`, and for each `readyok`",
        default: Preset::Is(|| SettingValue::seconds(DEFAULT_START_TIME)),
        purposes: &[Rules, Pages, Match, Check],
        get: |from| from.start_time.map(SettingValue::seconds),
        set: |to, value| put(&mut to.start_time, value.read(parse_seconds)),
    },
    Setting {
        key: "restart",
        value: "on|off",
        help: "start a new process for each game",
        default: Preset::Is(|| SettingValue::Switch(false)),
        purposes: &[Pages, Match],
        get: |from| from.restart.map(SettingValue::Switch),
        set: |to, value| {
            put(
                &mut to.restart,
                value.read(|word| one_of(word, &[("on", true), ("off", false)])),
            )
        },
    },
    Setting {
        key: "sandbox",
        value: "on|strict|off",
        help: "run it in a sandbox; see --sandbox",
        default: Preset::Is(|| SettingValue::text(SandboxLevel::Off)),
        purposes: &[Rules, Match, Limits],
        get: |from| from.sandbox.map(SettingValue::text),
        set: |to, value| put(&mut to.sandbox, value.read(str::parse)),
    },
    Setting {
        key: "sandbox-read",
        value: "DIR[:DIR]",
        help: "more folders that it may read in its sandbox",
        default: Preset::None,
        purposes: &[Rules, Match],
        get: |from| Some(SettingValue::paths(&from.sandbox_read)).filter(|_| !from.sandbox_read.is_empty()),
        set: |to, value| {
            let shown = |path: PathBuf| path.to_string_lossy().into_owned();
            let folders = value.list(|word| Ok(std::env::split_paths(word).map(shown).collect()))?;
            to.sandbox_read.extend(folders.into_iter().map(PathBuf::from));
            Ok(())
        },
    },
    Setting {
        key: "cpu-time",
        value: "SECONDS",
        help: "limit on the CPU time of its processes; Linux and Windows",
        default: Preset::Says("none; 86400 in a sandbox"),
        purposes: &[Rules, Pages, Match, Limits],
        get: |from| from.limits.cpu_time.map(SettingValue::number),
        set: |to, value| put(&mut to.limits.cpu_time, value.read(positive)),
    },
    Setting {
        key: "cpu-move",
        value: "SECONDS",
        help: "limit on the CPU time of its processes for one move; Linux only",
        default: Preset::None,
        purposes: &[Pages, Match, Limits],
        get: |from| from.cpu_move.map(SettingValue::seconds),
        set: |to, value| put(&mut to.cpu_move, value.read(parse_seconds)),
    },
    Setting {
        key: "memory",
        value: "MB",
        help: "limit on the resident memory of its processes, in MiB; Linux and Windows",
        default: Preset::Says("none; in a sandbox 2048, or half of the machine's memory if that is less"),
        purposes: &[Rules, Pages, Match, Limits],
        get: |from| from.limits.memory.map(SettingValue::number),
        set: |to, value| put(&mut to.limits.memory, value.read(positive)),
    },
    Setting {
        key: "max-processes",
        value: "N",
        help: "limit on its processes at the same time; Linux and Windows",
        default: Preset::Says("none; 64 in a sandbox"),
        purposes: &[Rules, Pages, Match, Limits],
        get: |from| from.limits.processes.map(SettingValue::number),
        set: |to, value| put(&mut to.limits.processes, value.read(positive)),
    },
    Setting {
        key: "stderr",
        value: "FILE",
        help: "append its stderr to this file",
        default: Preset::None,
        purposes: &[Rules],
        get: |from| from.stderr.as_deref().map(SettingValue::path),
        set: |to, value| put(&mut to.stderr, value.read(path)),
    },
];

impl Setting {
    /// The settings for this purpose.
    pub fn of(purpose: Purpose) -> impl Iterator<Item = &'static Setting> {
        SETTINGS.iter().filter(move |setting| setting.is_for(purpose))
    }

    /// Whether it is for this purpose.
    pub fn is_for(&self, purpose: Purpose) -> bool {
        self.purposes.contains(&purpose)
    }

    pub fn find(key: &str) -> Option<&'static Setting> {
        SETTINGS.iter().find(|setting| setting.key == key)
    }

    /// The name of its field in a result file.
    pub(crate) fn field(&self) -> String {
        match self.key {
            OPTION_KEY => "options".into(),
            key => key.replace('-', "_"),
        }
    }

    pub fn default_words(&self) -> String {
        match self.default {
            Preset::Required => "required".into(),
            Preset::None => "none".into(),
            Preset::Is(value) => value().word().unwrap_or_default(),
            Preset::Says(words) => words.into(),
        }
    }

    /// Whether this is the value that holds in any case.
    pub(super) fn is_default(&self, value: &SettingValue) -> bool {
        match &self.default {
            Preset::Is(default) => default() == *value,
            Preset::Required | Preset::None | Preset::Says(_) => *value == SettingValue::Words(Vec::new()),
        }
    }
}

fn put<T>(place: &mut Option<T>, value: Result<T, String>) -> Result<(), String> {
    *place = Some(value?);
    Ok(())
}

/// The time, if it is given by this key.
fn time(from: &Settings, key: &str) -> Option<SettingValue> {
    let time = from.time.filter(|time| time.key() == Some(key));
    time.map(SettingValue::text)
}

fn set_time(to: &mut Settings, time: Result<TimeControl, String>) -> Result<(), String> {
    match to.time.replace(time?) {
        Some(_) => Err("`st` and `tc` cannot be combined".into()),
        None => Ok(()),
    }
}

fn milliseconds(time: Duration) -> SettingValue {
    SettingValue::number(time.as_millis() as u64)
}

fn margin(word: &str) -> Result<Duration, String> {
    let margin: u32 = word.parse().map_err(|_| "expected whole milliseconds")?;
    Ok(Duration::from_millis(margin.into()))
}

fn positive(word: &str) -> Result<u64, String> {
    at_least(1, word)
}

/// A value that must not be empty.
fn filled(word: &str) -> Result<String, String> {
    if word.is_empty() {
        return Err("the value is missing".into());
    }
    Ok(word.to_string())
}

fn path(word: &str) -> Result<PathBuf, String> {
    filled(word).map(PathBuf::from)
}

/// A name without control characters.
fn name(word: &str) -> Result<String, String> {
    if word.chars().any(char::is_control) {
        return Err("a name cannot contain control characters".into());
    }
    filled(word.trim())
}
