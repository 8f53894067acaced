//! The options and players of the referee, from the command line, TOML files and folders.
//!
//! * [`cli`]: the command line; each match option is declared there, once.
//! * [`help`]: the texts below the options of each command.
//! * [`other_programs`]: options of other programs, with ours.
//! * `explain`: errors of the command line, with what was probably meant.
//! * [`settings`]: the settings of a player; each key is declared there, once.
//! * [`rules_settings`]: the settings of a rules program; [`rules_loader`]: its start.
//! * [`values`]: types of single options; [`paths`]: what is done with the file of an option.
//! * [`mod@file`]: the files of `--config` and `--engines`, `json_files`: those of other programs; [`save`]: the file of
//!   `--save-config`.
//! * [`submissions`]: the players of `--engines`; [`versions`]: those of a ladder; `own_files`: links that lead out of
//!   a submission; `prepared`: what the `prepare` of a wrapper makes of it.
//! * [`roster`]: from settings to programs that can be started.

pub mod cli;
pub(crate) mod companion;
pub(crate) mod explain;
pub mod file;
pub(crate) mod help;
mod json_files;
pub mod lookalikes;
pub mod other_programs;
pub(crate) mod own_files;
pub(crate) mod paths;
pub(crate) mod prepared;
mod proto_file;
pub mod roster;
pub(crate) mod rules_loader;
pub(crate) mod rules_settings;
pub(crate) mod save;
pub mod settings;
pub mod submissions;
pub(crate) mod values;
pub(crate) mod versions;
pub(crate) mod with_keys;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::{CommandFactory, FromArgMatches};
use referee_core::failure::Failure;
use referee_core::io::text::ShowPath;

use self::cli::{Cli, Command};
use self::file::OptionWords;
use self::settings::{SEPARATOR, Settings};

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
pub fn command_line(arguments: impl IntoIterator<Item = OsString>) -> Result<Cli, CommandLineError> {
    let mut words = settings::gather(arguments);
    join_table(&mut words);
    let mut command = Cli::command();
    // Before clap, which would read `-openings` as `-o penings`.
    if let Some(error) = explain::of_other_programs(&mut command, &words) {
        return Err(error.into());
    }
    let has_file = words
        .iter()
        .any(|word| word.as_encoded_bytes().starts_with(b"--config"));
    if has_file {
        words = with_file(&words, &mut command)?;
    }
    let parsed = command.try_get_matches_from_mut(&words);
    let matches = parsed.map_err(|error| explain::explained(error, &mut command, &words))?;
    let mut cli = Cli::from_arg_matches(&matches)?;
    if let Some((name, typed)) = matches.subcommand()
        && let Some(definition) = command.find_subcommand(name)
    {
        paths::check(definition, typed)?;
    }
    if let Some(Command::Check(args)) = &cli.command
        && let Some(words) = folder_last(&words, &args.command)
    {
        let mut cli = command_line(words)?;
        if let Some(Command::Check(args)) = &mut cli.command {
            args.command.rotate_right(1);
        }
        return Ok(cli);
    }
    if let Some(Command::Match(args)) = &mut cli.command
        && let (Some(path), Some(definition), Some((_, typed))) = (
            &args.save_config,
            command.find_subcommand("match"),
            matches.subcommand(),
        )
    {
        let text = save::to_toml(&file::typed(definition, typed), definition);
        args.saved = text.map_err(|why| Failure::Usage(format!("--save-config {}: {why}", path.shown())))?;
    }
    Ok(cli)
}

/// Takes the file after `report --csv` for the table, as with the other commands that have the option, if its name is
/// that of a table. Without a file, `report` prints the table.
fn join_table(words: &mut Vec<OsString>) {
    if words.get(1).is_none_or(|word| word != "report") {
        return;
    }
    let is_table = |word: &OsString| {
        Path::new(word)
            .extension()
            .is_some_and(|end| end.eq_ignore_ascii_case("csv"))
    };
    let found = words
        .windows(2)
        .position(|pair| pair[0] == "--csv" && is_table(&pair[1]));
    if let Some(place) = found {
        let file = words.remove(place + 1);
        words[place].push("=");
        words[place].push(file);
    }
}

/// The words of `referee check DIR OPTIONS…` with the folder at their end: a folder of submissions, or one that a
/// wrapper starts, has no arguments, so options may follow it. `None` for another bot, or where `--` ends the options.
fn folder_last(words: &[OsString], command: &[String]) -> Option<Vec<OsString>> {
    let [folder, _, ..] = command else {
        return None;
    };
    let (before, rest) = words.split_at(words.len().checked_sub(command.len())?);
    let (end, options) = (OsString::from("--"), rest.get(1..)?);
    let begin = options.first()?;
    let are_options = begin != &end && begin.as_encoded_bytes().starts_with(b"-");
    let folder = Path::new(folder);
    let is_wrapper = |word: &OsString| word.as_encoded_bytes().starts_with(b"--wrapper");
    let has_options =
        submissions::is_of_submissions(folder) || folder.is_dir() && options.iter().any(is_wrapper);
    if !are_options || before.last() == Some(&end) || !has_options {
        return None;
    }
    Some([before, options, &[end], &rest[..1]].concat())
}

/// The words of a command line together with those of the file that its `--config` names; the same words
/// where the option is that of no command.
fn with_file(words: &[OsString], command: &mut clap::Command) -> Result<Vec<OsString>, CommandLineError> {
    // The file may give what is required.
    let relaxed = command.clone();
    let mut relaxed = ["tune", "ladder"].into_iter().fold(relaxed, |command, name| {
        command.mut_subcommand(name, |one| one.mut_args(|option| option.required(false)))
    });
    let parsed = relaxed.try_get_matches_from_mut(words);
    let matches = parsed.map_err(|error| explain::explained(error, command, words))?;
    let Some((name @ ("match" | "tune" | "ladder"), typed)) = matches.subcommand() else {
        return Ok(words.to_vec());
    };
    let Some(path) = typed.get_one::<PathBuf>("config") else {
        return Ok(words.to_vec());
    };
    command.build();
    let definition = command.find_subcommand(name).cloned().unwrap_or_default();
    let file = file::read_options(path, &definition)?;
    let given = combined(file, file::typed(&definition, typed));
    // Players without an option come last.
    let (players, options): (Vec<&OptionWords>, Vec<&OptionWords>) =
        given.iter().partition(|given| given.option.is_empty());
    let program = words.first().cloned().into_iter().chain([name.into()]);
    let options = options.into_iter().flat_map(OptionWords::words);
    let players = players.into_iter().flat_map(OptionWords::words);
    Ok(program
        .chain(options)
        .chain(["--".into()])
        .chain(players)
        .collect())
}

/// The options of a file, and those that were typed. A typed option replaces that of the file; settings
/// of `--each` are added to it.
fn combined(file: Vec<OptionWords>, mut typed: Vec<OptionWords>) -> Vec<OptionWords> {
    const PLAYERS: [&str; 3] = ["", "engine", "engines"];
    const OUTPUTS: [&str; 4] = ["board", "quiet", "json", "json-moves"];
    let is_typed = |names: &[&str]| typed.iter().any(|given| names.contains(&&*given.option));
    let (players, outputs) = (is_typed(&PLAYERS), is_typed(&OUTPUTS));
    let names: Vec<String> = typed.iter().map(|given| given.option.clone()).collect();
    let each = typed.iter_mut().find(|given| given.option == "each");
    if let (Some(own), Some(file)) = (each, file.iter().find(|given| given.option == "each")) {
        let settings = |given: &OptionWords| given.values.first()?.to_str()?.parse::<Settings>().ok();
        if let (Some(mine), Some(others)) = (settings(own), settings(file)) {
            own.values = vec![mine.or(&others).words().join(SEPARATOR).into()];
        }
    }
    let is_replaced = |given: &OptionWords| {
        let name = &*given.option;
        names.iter().any(|typed| typed == name)
            || players && PLAYERS.contains(&name)
            || outputs && OUTPUTS.contains(&name)
    };
    let kept = file.into_iter().filter(|given| !is_replaced(given));
    let all = kept.chain(typed);
    all.filter(|given| given.option != "config").collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use std::fs;

    use super::*;
    use crate::config::cli::MatchArgs;

    /// The lines of a table, `INPUT -> OUTPUT` each; `\n` is a line end in the input.
    pub(crate) fn cases(table: &str) -> impl Iterator<Item = (String, &str)> {
        let lines = table.lines().map(str::trim).filter(|line| !line.is_empty());
        lines.map(|line| {
            let (input, output) = line.split_once("->").expect(line);
            (input.trim_end().replace("\\n", "\n"), output.trim_start())
        })
    }

    /// Reads this command line after `referee match --config FILE`.
    fn read(typed: &str, file: &str) -> Result<Box<MatchArgs>, CommandLineError> {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("a.toml");
        fs::write(&path, file).unwrap();
        let line = format!("referee match --config {} {typed}", path.shown());
        let cli = command_line(line.split_whitespace().map(OsString::from))?;
        match cli.command {
            Some(Command::Match(args)) => Ok(args),
            other => panic!("{typed}: {other:?}"),
        }
    }

    /// The options of a command line and a file together, as they are saved.
    fn saved(typed: &str, file: &str) -> String {
        let args = read(&format!("{typed} --save-config saved.toml"), file).unwrap();
        let lines = args.saved.lines().skip(1).filter(|line| !line.is_empty());
        lines
            .map(|line| line.replace(' ', ""))
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// Checks what is saved of lines `TYPED; FILE -> SAVED`.
    fn assert_saved(table: &str) {
        for (input, expected) in cases(table) {
            let (typed, file) = input.split_once(';').unwrap();
            assert_eq!(saved(typed, file), expected, "{input}");
        }
    }

    #[test]
    fn the_command_line_overrides_the_file() {
        assert_saved(
            r#"--games 3; games = 4\nseed = 5 -> seed=5 games=3
            --games 2; games = 4 -> games=2
            --board; quiet = true\ngames = 9 -> games=9 board=true
            --quiet; board = true -> quiet=true
            --json; quiet = true -> json=true
            --seed 7; quiet = true -> seed=7 quiet=true
            --color never; ascii = true -> color="never" ascii=true
            --format gauntlet; games = 4 -> format="gauntlet" games=4
            --pieces 3; turns = 7\npieces = 9 -> pieces=3 turns=7
            a b; engines = 'd'\n[[engine]]\ncmd = 'c' -> [[engine]] cmd="a" [[engine]] cmd="b"
            --engines a; engines = ['d', 'e']\nseed = 3\n[[engine]]\ncmd = 'c' -> seed=3 engines=["a"]
            --engine cmd=a; [[engine]]\ncmd = 'c'\n[each]\nst = 1 -> [[engine]] cmd="a" [each] st=1
            ; engines = 'd'\n[[engine]]\ncmd = 'c' -> engines=["d"] [[engine]] cmd="c""#,
        );
    }

    #[test]
    fn settings_of_each_are_combined_and_other_lists_replaced() {
        assert_saved(
            r"--each st=1; each = { st = 2, depth = 3 } -> [each] st=1 depth=3
            --each tc=60; each = { st = 2, depth = 3 } -> [each] tc=60 depth=3
            --each tc=60; each = { st = 2, first = 30 } -> [each] tc=60
            --each option.hash=1; each.option = { Hash = 2, Seed = 3 } -> [each.option] Seed=3 hash=1
            ; each = { st = 2 } -> [each] st=2
            --each st=2; -> [each] st=2
            --sprt elo0=0 elo1=9; sprt = { elo0 = 1, elo1 = 5, alpha = 0.1 } -> [sprt] elo0=0 elo1=9
            --prove empty=9; prove.nodes = 20\nresign = { score = 5, movecount = 2 } -> [resign] score=5 movecount=2 [prove] empty=9
            --prove; prove.st = 1 -> [prove]",
        );
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
                let typed = saved(&format!("--{one}"), &format!("{other} = true"));
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
                assert!(!has_keys || settings::word_key(&name).is_some(), "{name}");
            }
        }
    }
}
