//! The texts below the options of each command, from the files in `referee/help`.

use clap::Command;
use referee_core::io::text::{padded, wrap};
use referee_core::settings::{Preset, SETTINGS};

/// Below the options of the short help.
const SHORT: &str = "`--help` lists all options, with details and examples.";

/// Commands whose help has the settings of players.
const WITH_SETTINGS: [&str; 4] = ["match", "ladder", "tune", "openings"];

macro_rules! text {
    ($name:literal) => {
        include_str!(concat!("../../help/", $name, ".txt"))
    };
}

macro_rules! texts {
    ($($command:literal)*) => {
        [$(($command, text!($command))),*]
    };
}

/// Notes on each command, and examples.
const TEXTS: [(&str, &str); 19] = texts![
    "referee" "match" "ladder" "tune" "play" "serve" "openings" "report" "verify" "show" "analyze" "check" "grade" "collect"
    "rules" "adapt" "new-bot" "new-rules" "completions"
];

/// What follows the options of a command in its long help.
pub fn below_options(command: &str) -> Option<String> {
    let (_, text) = TEXTS.iter().find(|(name, _)| *name == command)?;
    let has_settings = WITH_SETTINGS.contains(&command);
    let settings = if has_settings { settings() } else { String::new() };
    Some(format!("{settings}{text}\n{}", exit_statuses(command)))
}

/// The width of a line.
const WIDTH: usize = 80;

/// A row of a list: a word, and its meaning in the column `indent`, on the same line if there is room.
fn row(word: &str, indent: usize, meaning: &str) -> String {
    let text = wrap(&format!("{}{meaning}", " ".repeat(indent)), WIDTH);
    if word.len() + 4 > indent {
        return format!("  {word}\n{text}\n");
    }
    format!("{}{}\n", padded(&format!("  {word}"), indent), text.trim_start())
}

/// The settings of players.
fn settings() -> String {
    const INDENT: usize = 20;
    let mut text = "Settings of players, for --engine and --each:\n".to_string();
    for setting in &SETTINGS {
        let default = match setting.default {
            Preset::Required | Preset::None => String::new(),
            Preset::Is(_) | Preset::Says(_) => format!(" (default: {})", setting.default_words()),
        };
        let meaning = format!("{}{default}", setting.help);
        text += &row(&format!("{}={}", setting.key, setting.value), INDENT, &meaning);
    }
    text + "\n"
}

/// The exit statuses that a command can return, from lines `STATUS | COMMANDS | TEXT`. One without commands is that of
/// all.
fn exit_statuses(command: &str) -> String {
    const INDENT: usize = 12;
    let mut text = "Exit status:\n".to_string();
    for line in text!("exit-status").lines() {
        let mut cells = line.split('|').map(str::trim);
        let [status, commands, meaning] = [(); 3].map(|()| cells.next().unwrap_or_default());
        if commands.is_empty() || commands.split(' ').any(|name| name == command) {
            text += &row(status, INDENT, meaning);
        }
    }
    text
}

/// A command with its texts; unchanged if it has none.
pub fn with_texts(command: Command) -> Command {
    match below_options(command.get_name()) {
        Some(text) => command.after_help(SHORT).after_long_help(text),
        None => command,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::ffi::OsString;

    use clap::CommandFactory;
    use referee_core::results::facts::FACTS;

    use super::*;
    use crate::config::cli::Cli;
    use crate::config::{CommandLineError, command_line};

    #[test]
    fn every_visible_command_has_a_text_of_80_columns() {
        let command = Cli::command();
        let visible = command.get_subcommands().filter(|command| !command.is_hide_set());
        for name in visible.map(Command::get_name).chain(["referee"]) {
            let text = below_options(name).unwrap_or_else(|| panic!("{name} needs a text"));
            let too_long = text.lines().find(|line| line.chars().count() > 80);
            assert_eq!(too_long, None, "{name}");
        }
    }

    #[test]
    fn the_help_names_every_recorded_fact() {
        let command = Cli::command();
        let of_match = command.find_subcommand("match").unwrap();
        let record = of_match
            .get_arguments()
            .find(|option| option.get_id() == "record");
        let help = record.unwrap().get_long_help().unwrap().to_string();
        for fact in &FACTS {
            assert!(help.contains(fact.name), "{}: {help}", fact.name);
        }
    }

    #[test]
    fn help_has_the_exit_statuses_of_its_command() {
        let statuses = |name: &str| -> Vec<String> {
            let text = exit_statuses(name);
            let first = text.lines().filter_map(|line| line.strip_prefix("  "));
            let first = first.filter(|line| !line.starts_with(' '));
            first
                .map(|line| line.split("  ").next().unwrap().to_string())
                .collect()
        };
        assert_eq!(
            statuses("report"),
            ["0", "1", "2", "3", "4", "5", "10", "130, 143"]
        );
        assert_eq!(statuses("play"), ["0", "2", "3", "4", "5", "130, 143"]);
        assert_eq!(statuses("new-bot"), ["0", "2", "4"]);
        let known = |name: &str| TEXTS.iter().any(|(known, _)| *known == name);
        for line in text!("exit-status").lines() {
            let commands = line.split('|').nth(1).unwrap();
            assert!(commands.split_whitespace().all(known), "{line}");
        }
        for (name, _) in TEXTS {
            let own = statuses(name);
            let unique: BTreeSet<&String> = own.iter().collect();
            assert_eq!(unique.len(), own.len(), "{name} has two rows for a status");
            assert!(
                own.starts_with(&["0".into()]) && own.contains(&"4".into()),
                "{name}: {own:?}"
            );
        }
    }

    #[test]
    fn the_command_line_accepts_every_example() {
        for (name, text) in TEXTS {
            let joined = text.replace("\\\n", "");
            let examples: Vec<&str> = joined
                .lines()
                .filter(|line| line.starts_with("    referee"))
                .collect();
            assert!(examples.len() >= 2, "{name}");
            for example in examples {
                let words = shlex::split(example.split('>').next().unwrap()).unwrap();
                let result = command_line(words.into_iter().map(OsString::from));
                // Its files need not be there.
                assert!(
                    !matches!(result, Err(CommandLineError::Clap(_))),
                    "{example}: {result:?}"
                );
            }
        }
    }

    #[test]
    fn short_options_have_one_meaning() {
        let shorts = [("concurrency", 'j'), ("out", 'o'), ("quiet", 'q')];
        for command in Cli::command().get_subcommands() {
            for option in command.get_arguments() {
                let expected = shorts.iter().find(|(long, _)| option.get_long() == Some(long));
                let expected = expected.map(|&(_, letter)| letter);
                assert_eq!(
                    option.get_short(),
                    expected,
                    "{} {}",
                    command.get_name(),
                    option.get_id()
                );
            }
        }
        for (short, long) in [
            (
                "match a b -j 2 -q -o x",
                "match a b --concurrency 2 --quiet --out x",
            ),
            (
                "tune a --param A=1,0,2,1 -qj4 -ox",
                "tune a --param A=1,0,2,1 --quiet --concurrency 4 --out x",
            ),
            ("analyze a -j 3 -o x", "analyze a --concurrency 3 --out x"),
            ("openings -o=x", "openings --out x"),
        ] {
            let [short, long] = [short, long].map(|line| {
                let words = ["referee"].into_iter().chain(line.split(' '));
                format!("{:?}", command_line(words.map(OsString::from)).unwrap())
            });
            assert_eq!(short, long);
        }
    }

    #[test]
    fn every_option_has_a_heading() {
        let mut command = Cli::command();
        command.build();
        let visible = command.get_subcommands().filter(|command| !command.is_hide_set());
        for command in visible.filter(|command| command.get_arguments().count() > 4) {
            for option in command.get_arguments() {
                let is_exempt =
                    option.is_positional() || ["help", "version"].contains(&option.get_id().as_str());
                assert!(
                    is_exempt || option.get_help_heading().is_some(),
                    "{} {option}",
                    command.get_name()
                );
            }
        }
    }
}
