//! The settings of one player: what its list of `KEY=VALUE` says, and what of that is in a result file.
//!
//! A setting is a field of [`Settings`] and a row of [`SETTINGS`].

mod fields;
mod recorded;
mod table;
mod value;

use std::path::PathBuf;
use std::str::FromStr;

pub use fields::Settings;
pub use recorded::RecordedSettings;
pub use table::{Preset, Purpose, SETTINGS, Setting};
pub use value::{SettingValue, joined};

use crate::game::Ruleset;
use crate::game::clock::{Control, DEFAULT_MARGIN, DEFAULT_MOVE_TIME, TimeControl};
use crate::io::key_values::{KeyValues, SEPARATOR, wrong_value};
use crate::io::text::{printable, unknown};
use crate::player::OWN_OPTIONS;
use crate::process::SandboxLevel;

use table::OPTION_KEY;

/// The `cmd` of a person.
pub const HUMAN: &str = "human";

/// The most characters of a setting in a message.
const MAX_SHOWN: usize = 80;

/// The group of the settings `option.NAME`.
const OPTION: &str = "option";

/// Whether a list may hold this key.
pub fn is_key(key: &str) -> bool {
    let is_option = key.split_once('.').is_some_and(|(group, _)| group == OPTION);
    is_option || Setting::find(key).is_some()
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
        let keys = self.given().filter_map(|(setting, value)| {
            let word = value.word()?;
            Some(format!("{}={word}", setting.key))
        });
        keys.chain(options).collect()
    }

    /// Their words for this purpose, such as `st=0.1 depth=5`.
    pub fn words_for(&self, purpose: Purpose) -> Vec<String> {
        let mut kept = Settings::default();
        for (setting, value) in self.given().filter(|(setting, _)| setting.is_for(purpose)) {
            kept.take(setting, value);
        }
        kept.words()
    }

    /// The settings that are given, in their order.
    fn given(&self) -> impl Iterator<Item = (&'static Setting, SettingValue)> {
        let rows = SETTINGS.iter();
        rows.filter_map(|setting| Some((setting, (setting.get)(self)?)))
    }

    /// Takes a value of other settings.
    fn take(&mut self, setting: &Setting, value: SettingValue) {
        // What was read once is right.
        let _ = (setting.set)(self, value);
    }

    /// These settings, and for the rest those of `each`. A person inherits only time, and a built-in player no
    /// arguments.
    #[must_use]
    pub fn or(mut self, each: &Settings) -> Settings {
        let own = self.clone();
        let is_human = own.is_human();
        let is_builtin = own.cmd.as_deref();
        let is_builtin = is_builtin.is_some_and(|cmd| Ruleset::all_players().contains(&cmd));
        let time = own.time.or(each.time);
        let inherits = |setting: &Setting| match setting.key {
            _ if is_human && !setting.is_for(Purpose::People) => false,
            "name" => !is_human && own.name.is_none(),
            "args" => !is_builtin && own.args.is_none(),
            "wrapper" => !is_builtin && own.wrapper.is_none(),
            "st" | "tc" => own.time.is_none(),
            // A clock is for all moves of a game.
            "first" => own.first.is_none() && !matches!(time, Some(TimeControl::Clock { .. })),
            OPTION_KEY => false,
            // Both have folders.
            "sandbox-read" => true,
            _ => (setting.get)(&own).is_none(),
        };
        for (setting, value) in each.given().filter(|(setting, _)| inherits(setting)) {
            self.take(setting, value);
        }
        if !is_human {
            let is_own = |name: &str| own.options.iter().any(|(own, _)| own.eq_ignore_ascii_case(name));
            let inherited = each.options.iter().filter(|(name, _)| !is_own(name));
            self.options = inherited.cloned().collect();
            self.inherited = self.options.len() + own.inherited;
            self.options.extend(own.options);
        }
        self
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
        Control {
            time: self.time_or(default),
            depth: self.depth,
            nodes: self.nodes,
            cpu: self.cpu_move,
            margin: self.margin.unwrap_or(DEFAULT_MARGIN),
        }
    }

    /// The time control, where nothing is given this one.
    fn time_or(&self, default: TimeControl) -> TimeControl {
        match self.time.unwrap_or(default) {
            TimeControl::Move(each) => TimeControl::per_move(each, self.first),
            other => other,
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
        let Some(setting) = Setting::find(key) else {
            // Options of engines usually begin with a capital letter.
            if key.starts_with(char::is_uppercase) {
                return Err(format!(
                    "unknown setting `{key}`; for an option of the engine, write `{OPTION}.{key}={value}`"
                ));
            }
            return Err(unknown(
                "setting",
                key,
                &SETTINGS.each_ref().map(|setting| setting.key),
            ));
        };
        (setting.set)(self, SettingValue::Text(value.into())).map_err(|why| wrong_value(key, value, &why))
    }

    /// Checks that settings go together, and that those of a person apply to people.
    fn check(self) -> Result<Settings, String> {
        if self.first.is_some() && matches!(self.time, Some(TimeControl::Clock { .. })) {
            return Err("`first` needs `st`; a clock (`tc`) is for all moves of a game".into());
        }
        let foreign = |(setting, _): &(&Setting, SettingValue)| !setting.is_for(Purpose::People);
        let foreign = self.given().find(foreign).filter(|_| self.is_human());
        match foreign {
            Some((Setting { key, .. }, _)) => Err(format!(
                "`{key}` does not apply to a human player; for a program with this name, write \
                 `cmd=./{HUMAN}`"
            )),
            None => Ok(self),
        }
    }
}

#[cfg(test)]
mod tests {
    use sentences::{assert_rows, expect};
    use serde_json::{Value as Json, json};

    use super::*;
    use crate::player::Protocol;
    use crate::process::ResourceLimits;
    use crate::samples::settings as parse;

    #[test]
    fn the_value_of_proto_lists_all_protocols() {
        let names = Protocol::ALL.map(Protocol::name);
        assert_eq!(Setting::find("proto").unwrap().value, names.join("|"));
    }

    /// A value that the help would accept.
    fn sample(setting: &Setting) -> &'static str {
        match setting.value {
            "N" | "MB" | "MS" => "7",
            "SECONDS" => "2",
            "[MOVES/]SECONDS[+INC]" => "40/60+1",
            "'WORDS'" => "-v 'two words'",
            "DIR[:DIR]" => "/a:b",
            words if words.contains('|') => {
                let default = setting.default_words();
                words.split('|').find(|word| *word != default).unwrap()
            }
            _ => "./x",
        }
    }

    fn one(setting: &Setting) -> String {
        format!("{}={}", setting.key, sample(setting))
    }

    fn entry(settings: &Settings) -> Json {
        serde_json::to_value(RecordedSettings::new(settings, &settings.control())).unwrap()
    }

    #[test]
    #[cfg(unix)] // `sandbox-read`, which needs Linux, separates its paths as the system does
    fn each_setting_is_read_written_inherited_and_recorded() {
        for setting in &SETTINGS {
            let (key, word) = (setting.key, one(setting));
            let settings: Settings = word.parse().expect(&word);
            assert_eq!(settings.words(), [&*word], "{key}");
            assert_eq!(Settings::default().or(&settings).words(), [&*word], "{key}");

            let list = if key == "cmd" {
                word
            } else {
                format!("cmd=./x\0{word}")
            };
            let settings: Settings = list.parse().unwrap();
            let entry = entry(&settings);
            assert_eq!(
                entry.get(setting.field()).is_some(),
                setting.is_for(Purpose::Match),
                "{key}: {entry}"
            );
            let read: RecordedSettings = serde_json::from_value(entry.clone()).unwrap();
            assert_eq!(serde_json::to_value(&read).unwrap(), entry, "{key}");
        }
    }

    #[test]
    fn a_file_has_what_is_not_the_default_in_the_order_of_the_settings() {
        let settings = parse(
            "max-processes=8 cmd=a args=-v option.Hash=32 st=3 first=30 proto=ugi onfault=lose sandbox=off \
             restart=off starttime=10 timemargin=20 stderr=log name=x memory=512 cpu-move=0.5 option.Clear=",
        );
        let text = serde_json::to_string(&RecordedSettings::new(&settings, &settings.control())).unwrap();
        assert_eq!(
            text,
            r#"{"cmd":"a","args":["-v"],"proto":"ugi","options":[["Hash","32"],["Clear",""]],"st":"3","first":"30","#
                .to_string()
                + r#""timemargin":20,"cpu_move":"0.5","memory":512,"max_processes":8}"#
        );
        assert_eq!(
            entry(&parse("cmd=human timemargin=0")),
            json!({"cmd": "human", "timemargin": 0})
        );
        // No arguments, whatever those of all players are.
        assert_eq!(entry(&parse("cmd=a args=")), entry(&parse("cmd=a")));
        let limits = "cmd=a proto=ugi st=2 first=3 depth=5 sandbox=on";
        let settings = parse(limits);
        let limits = RecordedSettings::new(&settings, &settings.control()).limits();
        assert_eq!(limits, "proto=ugi st=2 depth=5 sandbox=on");
    }

    #[test]
    fn wrong_fields_of_a_file_are_named() {
        let table = expect![[r#"
            {"st": "1", "tc": "60"} | tc: `st` and `tc` cannot be combined
            {"tc": "60", "first": "1"} | `first` needs `st`
            {"first": "1"} | `first` needs `st`
            {"depth": 0} | depth: expected a whole number of at least 1
            {"depth": 0.5} | depth: no setting has such a value
            {"args": [1]} | args: no setting has such a value
            {"args": 1} | args: expected a list of texts
            {"options": "x"} | options: expected names and values
            {"dir": {}} | dir: no setting has such a value
            {"cmd": null} | missing field `cmd`
        "#]];
        let read = |field: &str| {
            let mut entry = json!({"cmd": "a"});
            let field: serde_json::Value = serde_json::from_str(field).unwrap();
            for (key, value) in field.as_object().unwrap() {
                entry[key] = value.clone();
            }
            serde_json::from_value::<RecordedSettings>(entry).map_err(|why| why.to_string())
        };
        assert_rows(table, |[field]| read(field).unwrap_err());
        assert!(read(r#"{"dir": "a", "args": [], "options": [], "depth": null}"#).is_ok());
    }

    #[test]
    fn an_option_may_have_any_name() {
        let keys = ["st", "option.a.b", "a.option.b", "options.a"];
        assert_eq!(keys.map(is_key), [true, true, false, false]);
    }

    #[test]
    fn pages_set_no_paths() {
        for setting in Setting::of(Purpose::Pages) {
            let is_path = |name| setting.value.contains(name);
            assert!(
                !["PROGRAM", "WORDS", "FOLDER", "FILE", "DIR"].iter().any(is_path),
                "{}",
                setting.key
            );
        }
    }

    #[test]
    fn each_default_can_be_given() {
        for setting in &SETTINGS {
            if let Preset::Is(_) = setting.default {
                let list = format!("{}={}", setting.key, setting.default_words());
                assert_eq!(list.parse::<Settings>().unwrap().words(), [list]);
            }
        }
        let default = |key| Setting::find(key).unwrap().default_words();
        assert!(default("st").starts_with(&DEFAULT_MOVE_TIME.as_secs().to_string()));
        let limits = ResourceLimits::of(true);
        for (key, limit) in [("cpu-time", limits.cpu_time), ("max-processes", limits.processes)] {
            assert_eq!(default(key), format!("none; {} in a sandbox", limit.unwrap()));
        }
    }

    #[test]
    fn errors_say_what_is_wrong() {
        let table = expect![[r#"
            dpeth=3 | unknown setting `dpeth`; did you mean `depth`?
            st=1,depth=3 | `st=1,depth=3`: expected seconds from 0.001 to 1000000, such as 3 or 0.05, found `1,depth=3`; settings are separated by spaces: `st=1 depth=3`
            Contempt=0 | unknown setting `Contempt`; for an option of the engine, write `option.Contempt=0`
            option.=3 | unknown setting `option.`
            frobnicate=3 | unknown setting `frobnicate`
            st=1 st=2 | `st` is given twice
            st=1 tc=2 | `tc=2`: `st` and `tc` cannot be combined
            depth=0 | `depth=0`: expected a whole number of at least 1
            args='a | `args='a`: a quote is not closed
            proto=uic | `proto=uic`: expected `uci`, `ugi`, `gtp`, `xboard`, `usi`, `ucci`, `gomocup` or `uai`
            timemargin=-1 | `timemargin=-1`: expected whole milliseconds
            starttime=0 | `starttime=0`: expected seconds from 0.001 to 1000000, such as 3 or 0.05, found `0`
            restart=yes | `restart=yes`: expected `on` or `off`
            cmd= | `cmd=`: the value is missing
            option.File=a\nquit | `option.File=a\nquit`: an option and its value are one line, without control characters
            option.a\nquit=1 | `option.a\nquit=1`: an option and its value are one line, without control characters
            cmd | expected KEY=VALUE, found `cmd`
        "#]];
        assert_rows(table, |[list]| {
            let list = list.replace(' ', SEPARATOR).replace("\\n", "\n");
            list.parse::<Settings>().unwrap_err()
        });
    }

    #[test]
    fn settings_of_an_engine_override_those_of_each() {
        let each = parse("st=1 option.Hash=16 option.Seed=2 depth=4 proto=ugi");
        let own = parse("cmd=a tc=60 option.hash=32").or(&each);
        let all = parse("cmd=a tc=60 depth=4 proto=ugi option.Seed=2 option.hash=32");
        assert_eq!(own, Settings { inherited: 1, ..all });
        assert_eq!(parse("proto=uci").or(&each).proto, Some(Protocol::Uci));
        // A clock has no other time for the first move.
        let each = parse("st=1 first=9");
        assert_eq!(parse("cmd=a tc=60").or(&each), parse("cmd=a tc=60"));
        assert_eq!(parse("cmd=a st=2").or(&each), parse("cmd=a st=2 first=9"));
        let each = parse("args=-x wrapper=w sandbox-read=/b");
        assert_eq!(parse("cmd=plain").or(&each), parse("cmd=plain sandbox-read=/b"));
        let own = parse("cmd=a sandbox-read=/a").or(&each);
        assert_eq!(own, parse("cmd=a args=-x wrapper=w sandbox-read=/a:/b"));
        assert_eq!(
            Settings::default().control().time,
            TimeControl::Move(DEFAULT_MOVE_TIME)
        );
    }

    #[test]
    fn a_person_has_no_settings_of_programs_and_inherits_only_time() {
        let each = parse("name=x st=1 option.Hash=16 depth=4 timemargin=5 starttime=20 stderr=log");
        let person = parse("cmd=human");
        assert_eq!(person.control().time, TimeControl::Unlimited);
        assert_eq!(person.or(&each), parse("cmd=human st=1 timemargin=5"));
        for setting in SETTINGS.iter().filter(|setting| setting.key != "cmd") {
            let list = format!("cmd=human\0{}", one(setting));
            let is_right = list.parse::<Settings>().is_ok();
            assert_eq!(is_right, setting.is_for(Purpose::People), "{list}");
        }
        expect! {"`option.NAME` does not apply to a human player; for a program with this name, write `cmd=./human`"}.assert_eq(&"cmd=human\0option.Hash=1".parse::<Settings>().unwrap_err());
    }
}
