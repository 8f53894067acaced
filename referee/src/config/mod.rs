//! The options and players of the referee, from the command line, TOML files and folders.
//!
//! * [`cli`]: the command line; each match option is declared there, once.
//! * [`cpus`]: the value of `--affinity`.
//! * [`help`]: the long help of each command, and the examples in it.
//! * [`other_programs`]: options of other programs, with ours.
//! * `explain`: errors of the command line, with what was probably meant.
//! * [`settings`]: the settings of a player; each key is declared there, once.
//! * [`values`]: types of single options.
//! * [`mod@file`]: the files of `--config`, `--save-config` and `--engines`.
//! * [`submissions`]: the players of `--engines`.
//! * [`roster`]: from settings to programs that can be started.

pub mod cli;
pub(crate) mod cpus;
mod explain;
pub mod file;
pub(crate) mod help;
pub mod other_programs;
pub(crate) mod roster;
pub mod settings;
pub mod submissions;
pub(crate) mod values;
pub(crate) mod with_keys;

use std::ffi::OsString;

use clap::parser::ValueSource;
use clap::{ArgMatches, CommandFactory, FromArgMatches};

use self::cli::{Cli, Command, RunArgs};
use crate::io::failure::Failure;

/// Why a command line gives no command to run.
#[derive(Debug)]
pub enum CommandLineError {
    /// The command line is wrong, or asks for help.
    Clap(clap::Error),
    /// The file of `--config` is wrong.
    Config(Failure),
}

impl From<clap::Error> for CommandLineError {
    fn from(error: clap::Error) -> CommandLineError {
        CommandLineError::Clap(error)
    }
}

impl From<Failure> for CommandLineError {
    fn from(failure: Failure) -> CommandLineError {
        CommandLineError::Config(failure)
    }
}

/// Reads a command line, the name of the program first, and the file of `--config`.
///
/// # Errors
/// When the command line or the file is wrong, or asks for help.
pub fn command_line(arguments: impl IntoIterator<Item = OsString>) -> Result<Cli, CommandLineError> {
    let words = settings::gather(arguments);
    let mut command = Cli::command().term_width(help::width());
    let parsed = command.try_get_matches_from_mut(&words);
    let matches = parsed.map_err(|error| explain::explained(error, &mut command, &words))?;
    let mut cli = Cli::from_arg_matches(&matches)?;
    let typed = Typed::of(&matches);
    match &mut cli.command {
        Some(Command::Match(args)) => {
            explain::check_programs(&args.run.programs, &mut command)?;
            explain::check_files(&args.run, &mut command)?;
            if let Some(path) = args.run.config.take() {
                **args = file::read_match(&path)?;
                if typed.has(&["programs", "engine", "submissions"]) {
                    args.submissions.clear();
                }
                args.board &= !typed.has(&["quiet", "json"]);
                typed.replace(&mut **args, |args| &mut args.run)?;
            }
        }
        Some(Command::Tune(args)) => {
            if let Some(path) = args.run.config.take() {
                args.run = file::read_for_tuning(&path)?;
                typed.replace(&mut **args, |args| &mut args.run)?;
            }
        }
        _ => {}
    }
    Ok(cli)
}

/// What the command line gives, without defaults.
struct Typed {
    ids: Vec<String>,
    values: ArgMatches,
}

impl Typed {
    /// The options of the subcommand.
    fn of(matches: &ArgMatches) -> Typed {
        let mut values = matches
            .subcommand()
            .map_or_else(ArgMatches::default, |(_, typed)| typed.clone());
        let ids: Vec<String> = values.ids().map(|id| id.as_str().to_string()).collect();
        let is_typed = |id: &String| values.value_source(id) == Some(ValueSource::CommandLine);
        let (ids, defaults): (Vec<String>, Vec<String>) = ids.into_iter().partition(is_typed);
        for id in defaults {
            let _ = values.try_clear_id(&id);
        }
        Typed { ids, values }
    }

    fn has(&self, ids: &[&str]) -> bool {
        self.ids.iter().any(|typed| ids.contains(&&**typed))
    }

    /// Replaces the options that were typed. `run` are those of them that come from a file; a list
    /// replaces that of the file, except that settings of `--each` are added.
    fn replace<T: FromArgMatches>(
        &self,
        args: &mut T,
        run: fn(&mut T) -> &mut RunArgs,
    ) -> Result<(), clap::Error> {
        let of_file = run(args);
        if self.has(&["programs", "engine", "submissions"]) {
            of_file.engine.clear();
        }
        if self.has(&["board", "quiet", "json"]) {
            (of_file.quiet, of_file.json) = (false, false);
        }
        let each = of_file.each.take();
        args.update_from_arg_matches(&self.values)?;
        let own = &mut run(args).each;
        *own = match (own.take(), each) {
            (Some(own), Some(file)) => Some(own.or(&file)),
            (own, file) => own.or(file),
        };
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::config::cli::MatchArgs;

    /// Reads this command line after `referee match --config FILE`.
    fn read(typed: &str, file: &str) -> Result<Box<MatchArgs>, CommandLineError> {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("a.toml");
        fs::write(&path, file).unwrap();
        let line = format!("referee match --config {} {typed}", path.display());
        let cli = command_line(line.split_whitespace().map(OsString::from))?;
        match cli.command {
            Some(Command::Match(args)) => Ok(args),
            other => panic!("{typed}: {other:?}"),
        }
    }

    /// The options of a command line and a file together, without those at their defaults.
    fn combined(typed: &str, file: &str) -> String {
        let args = read(typed, file).unwrap();
        let defaults = file::to_toml(&MatchArgs::default()).unwrap();
        let text = file::to_toml(&args).unwrap();
        let lines = text.lines().filter(|line| !line.is_empty());
        let given: Vec<String> = lines
            .filter(|line| !defaults.lines().any(|default| default == *line))
            .map(|line| line.replace(' ', ""))
            .collect();
        format!("{} {}", args.run.programs.join(" "), given.join(" "))
            .trim()
            .to_string()
    }

    #[test]
    fn the_command_line_overrides_the_file() {
        for (typed, file, expected) in [
            ("--games 3", "games = 4\nseed = 5", "seed=5 games=3"),
            ("--games 2", "games = 4", ""),
            ("--board", "quiet = true\ngames = 9", "games=9 board=true"),
            ("--quiet", "board = true", "quiet=true"),
            ("--json", "quiet = true", "json=true"),
            ("--seed 7", "quiet = true", "seed=7 quiet=true"),
            ("--color never", "ascii = true", "color=\"never\" ascii=true"),
            ("--pieces 3", "turns = 7\npieces = 9", "pieces=3 turns=7"),
            ("a b", "engines = 'd'\n[[engine]]\ncmd = 'c'", "a b"),
            (
                "--engines a",
                "engines = ['d', 'e']\nseed = 3\n[[engine]]\ncmd = 'c'",
                "seed=3 engines=[\"a\"]",
            ),
            (
                "--engine cmd=a",
                "[[engine]]\ncmd = 'c'\n[each]\nst = 1",
                "[[engine]] cmd=\"a\" [each] st=1",
            ),
            (
                "",
                "engines = 'd'\n[[engine]]\ncmd = 'c'",
                "engines=[\"d\"] [[engine]] cmd=\"c\"",
            ),
        ] {
            assert_eq!(combined(typed, file), expected, "{typed}, {file}");
        }
    }

    #[test]
    fn settings_of_each_are_combined_and_other_lists_replaced() {
        for (typed, file, expected) in [
            (
                "--each st=1",
                "each = { st = 2, depth = 3 }",
                "[each] st=1 depth=3",
            ),
            (
                "--each tc=60",
                "each = { st = 2, depth = 3 }",
                "[each] tc=60 depth=3",
            ),
            (
                "--each option.hash=1",
                "each.option = { Hash = 2, Seed = 3 }",
                "[each.option] Seed=3 hash=1",
            ),
            ("", "each = { st = 2 }", "[each] st=2"),
            ("--each st=2", "", "[each] st=2"),
            (
                "--sprt elo0=0 elo1=9",
                "sprt = { elo0 = 1, elo1 = 5, alpha = 0.1 }",
                "[sprt] elo0=0 elo1=9 alpha=0.05 beta=0.05 model=\"normalized\"",
            ),
            (
                "--prove empty=9",
                "prove.nodes = 20\nresign = { score = 5, movecount = 2 }",
                "[resign] movecount=2 score=5 twosided=false [prove] empty=9 nodes=100000 result=\"both\"",
            ),
            (
                "--prove",
                "prove.st = 1",
                "[prove] empty=34 nodes=100000 result=\"both\"",
            ),
        ] {
            assert_eq!(combined(typed, file), expected, "{typed}, {file}");
        }
    }

    #[test]
    fn mutually_exclusive_options() {
        let mut command = Cli::command();
        command.build();
        let command = command.find_subcommand("match").unwrap();
        let mut pairs = 0;
        for option in command.get_arguments() {
            for other in command.get_arg_conflicts_with(option) {
                let (Some(one), Some(other)) = (option.get_long(), other.get_long()) else {
                    continue;
                };
                pairs += 1;
                let both = format!("{one} = true\n{other} = true");
                let Err(CommandLineError::Config(error)) = read("", &both) else {
                    panic!("a file with both --{one} and --{other}");
                };
                let error = error.to_string();
                assert!(error.contains("cannot be used with"), "{error}");
                assert!(read(&format!("--{one} --{other}"), "").is_err());
                let typed = combined(&format!("--{one}"), &format!("{other} = true"));
                assert_eq!(typed, format!("{one}=true"), "the command line has priority");
            }
        }
        assert!(pairs >= 3, "{pairs}");
    }

    #[test]
    fn gather_joins_every_list_of_the_command_line() {
        let mut command = Cli::command();
        command.build();
        for command in command.get_subcommands() {
            for option in command.get_arguments() {
                let names = option.get_value_names().unwrap_or_default();
                let is_list = names
                    .iter()
                    .any(|name| name.starts_with("KEY=VALUE") || *name == "WHO");
                let name = format!("--{}", option.get_long().unwrap_or_default());
                assert_eq!(settings::LISTS.contains(&name.as_str()), is_list, "{name}");
                let has_keys = names.iter().any(|name| name.ends_with(" [KEY=VALUE…]"));
                assert!(
                    !has_keys || settings::WITH_KEYS.contains(&name.as_str()),
                    "{name}"
                );
            }
        }
    }
}
