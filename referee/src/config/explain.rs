//! Errors of the command line, with what was probably meant.

use std::error::Error as _;
use std::ffi::{OsStr, OsString};
use std::path::Path;

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, Error, ErrorKind};
use clap::{Arg, Args as _, Command};
use lodestone_game::players;
use referee_core::game::Ruleset;
use referee_core::io::text;

use super::cli::MatchArgs;
use super::{other_programs, settings};

/// An error of clap, with a better message or a suggestion where there is one. Internal
/// commands are never suggested. A list of `KEY=VALUE` is shown with spaces.
pub fn explained(mut error: Error, command: &mut Command, words: &[OsString]) -> Error {
    if !error.use_stderr() {
        return error;
    }
    match error.kind() {
        ErrorKind::InvalidSubcommand => {
            if let Some(text) = meant_command(words) {
                return command.error(ErrorKind::InvalidSubcommand, text);
            }
            let names: Vec<&str> = visible(command).map(Command::get_name).collect();
            let kinds = (ContextKind::InvalidSubcommand, ContextKind::SuggestedSubcommand);
            suggest(&mut error, kinds, &names);
        }
        ErrorKind::UnknownArgument => {
            let option = text(&error, ContextKind::InvalidArg);
            let name = subcommand(command, words).get_name();
            if let Some(name) = ["tune", "ladder"].into_iter().find(|here| *here == name)
                && of_match().contains(&option)
            {
                let iterations = "; --iterations N plays N pairs of games";
                let more = if option == "--games" { iterations } else { "" };
                let text = format!("{option} does not apply to `referee {name}`{more}");
                return error_of(command, name, &text);
            }
            explain_argument(&mut error, command, words);
        }
        ErrorKind::InvalidValue => {
            let known = match error.get(ContextKind::ValidValue) {
                Some(ContextValue::Strings(known)) => known.clone(),
                _ => Vec::new(),
            };
            let known: Vec<&str> = known.iter().map(String::as_str).collect();
            let kinds = (ContextKind::InvalidValue, ContextKind::SuggestedValue);
            suggest(&mut error, kinds, &known);
        }
        ErrorKind::ValueValidation => {
            let list = text(&error, ContextKind::InvalidValue).replace(settings::SEPARATOR, " ");
            let is_program = ["--engine", "--each"]
                .iter()
                .any(|option| text(&error, ContextKind::InvalidArg).starts_with(option))
                && !list.contains('=');
            if is_program {
                let name = format!("engine {list}");
                let tip = match other_programs::options().find(|other| other.name == name) {
                    Some(other) => format!("`{list}` of other programs: {}", other.advice),
                    None => format!("a program is a setting, too: `--engine cmd={list}`"),
                };
                set_tip(&mut error, tip);
            } else if text(&error, ContextKind::InvalidArg).starts_with("--variant") {
                let tip = "the rules of other games are a program: `--rules PROGRAM`, for chess \
                           `--rules examples/rules/python_chess.py`";
                set_tip(&mut error, tip.into());
            } else if let Some(tip) = key_tip(&error) {
                set_tip(&mut error, tip);
            }
            error.insert(ContextKind::InvalidValue, ContextValue::String(list));
        }
        ErrorKind::ArgumentConflict => {
            let arguments = [ContextKind::InvalidArg, ContextKind::PriorArg].map(|kind| text(&error, kind));
            if arguments.iter().any(|argument| argument.starts_with("[ENGINE]")) {
                let tip = "give each player its own --engine, such as `--engine cmd=./mybot`";
                set_tip(&mut error, tip.into());
            }
        }
        _ => {}
    }
    if error.kind() == ErrorKind::UnknownArgument && error.get(ContextKind::Usage).is_some() {
        // As `--help` has it: clap would show only the arguments that were given.
        let usage = subcommand(command, words).clone().render_usage();
        error.insert(ContextKind::Usage, ContextValue::StyledStr(usage));
    }
    error
}

/// The error of a command line with options of other programs; `None` if there are none.
pub fn of_other_programs(command: &mut Command, words: &[OsString]) -> Option<Error> {
    let text = other_programs::explanation(command, words)?;
    let here = subcommand(command, words).get_name().to_string();
    let is_root = here == command.get_name();
    Some(error_of(command, if is_root { "match" } else { &here }, &text))
}

/// Explains an unknown option, or a word that no option takes.
fn explain_argument(error: &mut Error, command: &Command, words: &[OsString]) {
    let here = subcommand(command, words);
    let names = options(here);
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let unknown = text(error, ContextKind::InvalidArg);
    // Advice to write an option after `--`, as the name of a player.
    error.remove(ContextKind::Suggested);
    if let Some(tip) = command_tip(&unknown, command, here) {
        set_tip(error, tip);
        return;
    }
    let kinds = (ContextKind::InvalidArg, ContextKind::SuggestedArg);
    if suggest(error, kinds, &names) {
        return;
    }
    let is_player = here.get_name() == "play" && !unknown.starts_with('-');
    let player_tip = is_player.then(|| format!("give the player as an option: `--second {unknown}`"));
    if let Some(tip) = player_tip.or_else(|| setting_tip(&unknown, &names, words)) {
        set_tip(error, tip);
    }
}

/// The options of `referee match`.
pub(super) fn of_match() -> Vec<String> {
    options(&MatchArgs::augment_args(Command::new("match")))
}

fn options(command: &Command) -> Vec<String> {
    let names = command.get_arguments().filter_map(Arg::get_long);
    names.map(|name| format!("--{name}")).collect()
}

/// The commands that are not internal.
fn visible(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|command| !command.is_hide_set())
}

/// The commands that have this option, if it stands before a command.
fn command_tip(option: &str, command: &Command, here: &Command) -> Option<String> {
    if here.get_name() != command.get_name() {
        return None;
    }
    let having = visible(command).filter(|command| options(command).iter().any(|known| known == option));
    let lines: Vec<String> = having
        .map(|command| format!("`referee {} {option}`", command.get_name()))
        .collect();
    (!lines.is_empty()).then(|| format!("write it after a command: {}", lines.join(", ")))
}

/// An error with this text that shows the usage of a subcommand.
fn error_of(command: &mut Command, name: &str, text: &str) -> Error {
    // Otherwise the usage lacks the name of the program.
    command.build();
    match command.find_subcommand_mut(name) {
        Some(command) => command.error(ErrorKind::UnknownArgument, text),
        None => Error::raw(ErrorKind::UnknownArgument, text),
    }
}

/// The subcommand that the words name, or else the command itself.
fn subcommand<'a>(command: &'a Command, words: &[OsString]) -> &'a Command {
    let name = words.get(1).and_then(|word| word.to_str()).unwrap_or_default();
    command.find_subcommand(name).unwrap_or(command)
}

/// What a command line without a command probably means: a match of these players, a
/// report on this file, or a look at it.
fn meant_command(words: &[OsString]) -> Option<String> {
    let mut rest: Vec<&str> = words.iter().skip(1).filter_map(|word| word.to_str()).collect();
    let first = *rest.first()?;
    let path = Path::new(first);
    let is_builtin = first == settings::HUMAN || Ruleset::all_players().contains(&first);
    let is_list = first
        .split_once('=')
        .is_some_and(|(key, _)| settings::is_key(key));
    if !is_builtin && !is_list && !first.contains('/') && !path.is_file() {
        return None;
    }
    let (name, kind) = match path.extension().and_then(OsStr::to_str) {
        Some("jsonl") => ("report", "a file"),
        Some("pgn" | "txt") => ("show", "a file"),
        _ => ("match", "a player"),
    };
    if name == "match" && rest.len() == 1 {
        let opponents = [players::DEFAULT, "random"];
        rest.extend(opponents.into_iter().find(|opponent| *opponent != first));
    }
    let mut line = text::join(&rest);
    if is_list {
        line = line.replace("cmd=", "--engine cmd=");
    }
    Some(format!(
        "`{first}` is {kind}, not a command\n\n  tip: `referee {name} {line}`"
    ))
}

/// What to write instead of an unknown option that is a setting of players.
fn setting_tip(option: &str, known: &[&str], words: &[OsString]) -> Option<String> {
    let list = ["--each", "--engine"]
        .into_iter()
        .find(|list| known.contains(list))?;
    let name = option.strip_prefix("--")?;
    let other = other_programs::SETTINGS
        .iter()
        .find(|(other, _)| *other == option);
    let key = other.map_or(name, |(_, key)| key);
    let is_setting = other.is_some() || settings::is_key(key);
    let mut after = words.iter().skip_while(|word| *word != option).skip(1);
    let value = after.next().and_then(|word| word.to_str());
    let value = value.filter(|value| !value.starts_with('-')).unwrap_or("VALUE");
    is_setting.then(|| format!("it is a setting of players: `{list} {key}={value}`"))
}

/// What to write instead of an unknown key of a list that is one of other programs.
pub(super) fn key_tip(error: &Error) -> Option<String> {
    let argument = text(error, ContextKind::InvalidArg);
    let option = argument.trim_start_matches('-').split(' ').next()?;
    tip_on(option, &error.source()?.to_string())
}

/// The same for an option without its dashes, and what is wrong with its value.
pub(crate) fn tip_on(option: &str, why: &str) -> Option<String> {
    let key = text::unknown_word(why, &["setting", "key"])?;
    let is_player = ["engine", "each"].contains(&option);
    let place = match option {
        "pgn" => "pgnout",
        _ if is_player => "engine",
        _ => option,
    };
    let here = |(_, key): &(&str, &str)| format!("{key}=VALUE");
    let setting = || {
        other_programs::SETTINGS
            .iter()
            .find(|(other, _)| is_player && other.strip_prefix("--") == Some(key))
    };
    let advice = other_programs::options()
        .find(|other| other.name.split_once(' ') == Some((place, key)))
        .map_or_else(|| setting().map(here), |other| Some(other.advice));
    Some(format!("`{key}` of other programs: {}", advice?))
}

/// Adds the known word that is closest to the unknown one. Returns whether one is close.
fn suggest(error: &mut Error, (unknown, suggested): (ContextKind, ContextKind), known: &[&str]) -> bool {
    let word = text(error, unknown);
    let Some(meant) = text::closest(&word, known.iter().copied()) else {
        return false;
    };
    error.insert(suggested, ContextValue::String(meant.to_string()));
    // Advice to write the word after `--`, which does not fit then.
    error.remove(ContextKind::Suggested);
    true
}

fn set_tip(error: &mut Error, tip: String) {
    let tips = vec![StyledStr::from(tip)];
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(tips));
}

pub(super) fn text(error: &Error, kind: ContextKind) -> String {
    match error.get(kind) {
        Some(ContextValue::String(text)) => text.clone(),
        Some(ContextValue::Strings(texts)) => texts.join(" "),
        _ => String::new(),
    }
}
