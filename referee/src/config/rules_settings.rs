//! The settings of a rules program: the words behind `--rules`, or after `referee rules`.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use lodestone_game::players;
use lodestone_game::protocol::option_names;
use referee_core::game::Ruleset;
use referee_core::game::clock::parse_seconds;
use referee_core::io::key_values::wrong_value;
use referee_core::player::Protocol;
use referee_core::rules::DEFAULT_TIMEOUT;
use referee_core::settings::{Purpose, Setting};

use super::companion::CHESS;
use super::settings::{SEPARATOR, Settings};

/// What stands for the program with the rules of chess.
pub(crate) const CHESS_RULES: &str = "chess";

/// The settings of a rules program.
#[derive(Clone, Debug, PartialEq)]
pub struct RulesSettings {
    pub settings: Settings,
    /// The time limit of an answer.
    pub timeout: Duration,
    /// More files that belong to the rules.
    pub files: Vec<PathBuf>,
    /// The words that give these settings.
    pub words: Vec<String>,
}

impl FromStr for RulesSettings {
    type Err = String;

    /// Reads a gathered list: a program, then settings.
    fn from_str(list: &str) -> Result<RulesSettings, String> {
        let words: Vec<&str> = list.split(SEPARATOR).collect();
        RulesSettings::read(&words)
    }
}

impl RulesSettings {
    /// Reads the words of one or two programs, each with its settings behind it.
    pub fn read_all(words: &[String]) -> Result<Vec<RulesSettings>, String> {
        let mut groups: Vec<Vec<&str>> = Vec::new();
        for word in words {
            let is_setting = word.split_once('=').is_some_and(|(key, _)| {
                key != "cmd" && !key.contains(['/', '.']) || key.starts_with("option.")
            });
            match groups.last_mut() {
                Some(group) if is_setting => group.push(word),
                None if is_setting => {
                    return Err(format!(
                        "`{word}` belongs to no program; begin with a program or `cmd=PROGRAM`"
                    ));
                }
                _ => groups.push(vec![word]),
            }
        }
        if groups.len() > 2 {
            let programs: Vec<&str> = groups.iter().map(|group| group[0]).collect();
            return Err(format!(
                "expected one or two programs, found {} ({}); arguments of a program are a setting: `args='…'`",
                programs.len(),
                programs.join(", ")
            ));
        }
        groups.iter().map(|group| RulesSettings::read(group)).collect()
    }

    /// Reads one program: its first word, then settings.
    pub(crate) fn read(group: &[&str]) -> Result<RulesSettings, String> {
        let (first, rest) = group
            .split_first()
            .map_or(("", group), |(first, rest)| (*first, rest));
        let command = first.strip_prefix("cmd=").unwrap_or(first);
        let (mut timeout, mut files) = (DEFAULT_TIMEOUT, Vec::new());
        let mut words = vec![format!("cmd={command}")];
        for word in rest {
            if let Some(value) = word.strip_prefix("timeout=") {
                timeout = parse_seconds(value).map_err(|why| wrong_value("timeout", value, &why))?;
            } else if let Some(value) = word.strip_prefix("files=") {
                files.extend(value.split(',').map(PathBuf::from));
            } else if let Some(key) = of_players(word) {
                let own: Vec<&str> = Setting::of(Purpose::Rules).map(|setting| setting.key).collect();
                return Err(format!(
                    "`{key}=…` is for players; a rules program has `timeout=SECONDS` for an answer, files, {}",
                    own.join(", ")
                ));
            } else {
                words.push((*word).to_string());
            }
        }
        if let Some(game) = Ruleset::ALL.iter().find(|rules| rules.name() == command) {
            words[0] = format!("cmd={}", players::DEFAULT);
            words.push(format!("option.{}={game}", option_names::VARIANT));
            if !rest.iter().any(|word| word.starts_with("name=")) {
                words.push(format!("name={game}"));
            }
        }
        if command == CHESS_RULES {
            let path = CHESS.path();
            let program = path.to_str().unwrap_or(CHESS.program);
            words[0] = format!("cmd={program}");
            if !rest.iter().any(|word| word.starts_with("name=")) {
                words.push(format!("name={CHESS_RULES}"));
            }
        }
        let mut settings: Settings = words.join(SEPARATOR).parse()?;
        settings.proto = Some(Protocol::Ugi);
        Ok(RulesSettings {
            settings,
            timeout,
            files,
            words: group.iter().map(ToString::to_string).collect(),
        })
    }
}

/// The key of a setting of players that means nothing to a rules program: it would be ignored silently.
fn of_players(word: &str) -> Option<&str> {
    let (key, _) = word.split_once('=')?;
    Setting::find(key)
        .filter(|setting| !setting.is_for(Purpose::Rules))
        .map(|setting| setting.key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::tests::cases;
    use sentences::{assert_rows, expect};

    fn read(line: &str) -> Result<Vec<String>, String> {
        let words = shlex::split(line).unwrap();
        let programs = RulesSettings::read_all(&words)?.into_iter();
        Ok(programs
            .map(|rules| format!("{} {:?}", rules.settings.words().join(" "), rules.timeout))
            .collect())
    }

    #[test]
    fn a_program_is_a_word_with_settings_behind_it() {
        let programs = "
            ./nim.py -> cmd=./nim.py proto=ugi 5s
            ./a=b/nim.py name=x -> cmd=./a=b/nim.py name=x proto=ugi 5s
            cmd=python3 'args=a.py -v' timeout=2 ./b option.size=5 -> cmd=python3 args=a.py -v proto=ugi 2s; cmd=./b proto=ugi option.size=5 5s
            gridlock cmd=magnetic-cave name=x -> cmd=lodestone name=gridlock proto=ugi option.UCI_Variant=gridlock 5s; cmd=lodestone name=x proto=ugi option.UCI_Variant=magnetic-cave 5s
        ";
        for (line, programs) in cases(programs) {
            assert_eq!(read(&line).unwrap().join("; "), programs, "{line}");
        }
        let errors = expect![[r#"
            args=x ./a | `args=x` belongs to no program; begin with a program or `cmd=PROGRAM`
            a b c | expected one or two programs, found 3 (a, b, c); arguments of a program are a setting: `args='…'`
            a timeout=0 | `timeout=0`: expected seconds from 0.001 to 1000000, such as 3 or 0.05, found `0`
        "#]];
        assert_rows(errors, |[line]| read(line).unwrap_err());
        assert!(
            read("./a st=1")
                .unwrap_err()
                .starts_with("`st=…` is for players; ")
        );
    }
}
