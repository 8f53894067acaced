//! Where the options and players of `referee match` come from, beside its
//! command line: `--config`, `--save-config` and `--engines`.
//!
//! * `document`: a TOML file as keys, values and lines; `toml` is nowhere else.
//! * `options`: which options there are, asked of the clap definition.
//! * `given`: what somebody said of them, at the keyboard or in a file.
//! * `reader`: from a document to what was given, and every complaint.
//! * `writer`: back to text.
//! * [`submissions`]: the players that `--engines` names.
//!
//! Nothing here knows an option by name but the few that are about files and
//! players. A file becomes words of a command line, and clap and the settings
//! judge them as they judge what is typed; so a new option needs nothing here.

pub mod cli;
mod document;
mod given;
mod options;
mod reader;
pub mod roster;
pub mod settings;
pub mod submissions;
mod writer;

use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser};

use self::document::Document;
use self::given::Given;
use self::options::Options;
use crate::config::cli::{Cli, Command, MatchArgs};
use crate::io::failure::Failure;
use crate::io::{files, suggest};

/// The subcommand that this is about.
const MATCH: &str = "match";

/// Why there is nothing to do.
#[derive(Debug)]
pub enum Refusal {
    /// What clap has to say, be it help.
    Clap(clap::Error),
    /// What is wrong with a file, or together with it.
    Config(Failure),
}

impl From<clap::Error> for Refusal {
    fn from(error: clap::Error) -> Refusal {
        Refusal::Clap(error)
    }
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Refusal {
        Refusal::Config(failure)
    }
}

/// What the words of a command line, lists gathered, ask for; the file of
/// `--config` included, of which the words are taken before it.
///
/// # Errors
/// Where the command line, the file or both together are wrong, or help is
/// asked for.
pub fn command_line(words: &[OsString]) -> Result<Cli, Refusal> {
    let mut command = Cli::command();
    let matches = typed(&command, words).map_err(|error| with_suggestion(error, &mut command, words))?;
    let Some(of_match) = matches.subcommand_matches(MATCH) else {
        return Ok(Cli::from_arg_matches(&matches)?);
    };
    let named = |id: &str| of_match.get_raw(id).and_then(|mut values| values.next());
    let (config, save) = (named("config"), named("save_config"));
    if config.is_none() && save.is_none() {
        return Ok(Cli::from_arg_matches(&matches)?);
    }
    let options = Options::of_match();
    let mut given = Given::typed(of_match, &options)?;
    let mut cli = match config {
        None => Cli::from_arg_matches(&matches)?,
        Some(config) => {
            let path = Path::new(config);
            let document = Document::read(path, "--config")?;
            let file = reader::config(&document, &options)?;
            given = given.over(file, &options);
            let mut words = given.words(&options);
            for (name, value) in [("--config=", Some(config)), ("--save-config=", save)] {
                words.extend(value.map(|value| joined(name, value)));
            }
            // The command line is fine by itself, and so is each key.
            parse(words).map_err(|error| {
                Failure::Usage(format!("{}: {}", path.display(), options::sentence(&error)))
            })?
        }
    };
    if let (Some(Command::Match(args)), Some(_)) = (&mut cli.command, save) {
        args.config_text = writer::text(&given, &options)?;
    }
    Ok(cli)
}

/// What clap makes of the words that were typed. Where only something is
/// missing that a file may have, that is no error yet.
fn typed(command: &clap::Command, words: &[OsString]) -> Result<ArgMatches, clap::Error> {
    command.clone().try_get_matches_from(words).or_else(|error| {
        if error.kind() != ErrorKind::MissingRequiredArgument {
            return Err(error);
        }
        let matches = command.clone().ignore_errors(true).try_get_matches_from(words)?;
        let has_config = matches
            .subcommand_matches(MATCH)
            .is_some_and(|of_match| of_match.contains_id("config"));
        if has_config { Ok(matches) } else { Err(error) }
    })
}

/// An error with the closest word that clap would accept instead; internal commands
/// are never suggested.
fn with_suggestion(mut error: clap::Error, command: &mut clap::Command, words: &[OsString]) -> clap::Error {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => text.clone(),
        _ => String::new(),
    };
    command.build();
    let (unknown, known, suggested) = match error.kind() {
        ErrorKind::InvalidSubcommand => {
            let visible = command.get_subcommands().filter(|command| !command.is_hide_set());
            let names = visible.map(|command| command.get_name().to_string());
            (
                ContextKind::InvalidSubcommand,
                names.collect(),
                ContextKind::SuggestedSubcommand,
            )
        }
        ErrorKind::UnknownArgument => {
            let name = words.get(1).and_then(|word| word.to_str()).unwrap_or_default();
            let command = command.find_subcommand(name).unwrap_or(command);
            let visible = command.get_arguments().filter(|argument| !argument.is_hide_set());
            let names = visible.filter_map(|argument| Some(format!("--{}", argument.get_long()?)));
            (
                ContextKind::InvalidArg,
                names.collect(),
                ContextKind::SuggestedArg,
            )
        }
        ErrorKind::InvalidValue => {
            let known = match error.get(ContextKind::ValidValue) {
                Some(ContextValue::Strings(known)) => known.clone(),
                _ => Vec::new(),
            };
            (ContextKind::InvalidValue, known, ContextKind::SuggestedValue)
        }
        _ => return error,
    };
    let known: Vec<String> = known;
    if let Some(meant) = suggest::closest(&text(unknown), known.iter().map(String::as_str)) {
        error.insert(suggested, ContextValue::String(meant.to_string()));
        // Advice to pass the word behind `--`, which is not meant then.
        error.remove(ContextKind::Suggested);
    }
    error
}

fn parse(words: Vec<OsString>) -> Result<Cli, clap::Error> {
    let start = ["referee", MATCH].map(OsString::from);
    Cli::try_parse_from(start.into_iter().chain(words))
}

fn joined(name: &str, value: &std::ffi::OsStr) -> OsString {
    let mut word = OsString::from(name);
    word.push(value);
    word
}

/// Writes the file of `--save-config`, where there is one. A file of the same
/// text is left as it is.
///
/// # Errors
/// Where it cannot be written, or there is another one of this name.
pub fn save(args: &MatchArgs) -> Result<(), Failure> {
    let Some(path) = &args.save_config else {
        return Ok(());
    };
    write_new(path, &args.config_text).map_err(|error| {
        let hint = match error.kind() {
            io::ErrorKind::AlreadyExists => "; a file with other content is never written over",
            _ => "",
        };
        Failure::Usage(format!("--save-config {}: {error}{hint}", path.display()))
    })
}

fn write_new(path: &Path, text: &str) -> io::Result<()> {
    match files::write_new(path, text) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            let old = fs::metadata(path)?;
            if !old.is_file() {
                // A device or a pipe, which may never end when it is read.
                return OpenOptions::new()
                    .write(true)
                    .open(path)?
                    .write_all(text.as_bytes());
            }
            let is_same =
                old.len() == text.len() as u64 && fs::read(path).is_ok_and(|old| old == text.as_bytes());
            if is_same { Ok(()) } else { Err(error) }
        }
        written => written,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_may_have_what_a_typed_option_needs() {
        let option = |name: &'static str| clap::Arg::new(name).long(name);
        let command = clap::Command::new("referee").subcommand(
            clap::Command::new(MATCH)
                .arg(option("out"))
                .arg(option("config"))
                .arg(option("shard").requires("out")),
        );
        let typed = |line: &str| {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            typed(&command, &words)
        };
        assert!(typed("referee match --shard 1/2").is_err());
        assert!(typed("referee match --config a --shrad 1/2").is_err());
        let matches = typed("referee match --shard 1/2 --config a").unwrap();
        let of_match = matches.subcommand_matches(MATCH).unwrap();
        assert_eq!(of_match.get_one::<String>("shard").unwrap(), "1/2");
        assert_eq!(of_match.get_one::<String>("config").unwrap(), "a");
    }

    #[test]
    fn a_file_is_written_once() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("a.toml");
        write_new(&path, "a").unwrap();
        write_new(&path, "a").unwrap();
        assert_eq!(
            write_new(&path, "b").unwrap_err().kind(),
            io::ErrorKind::AlreadyExists
        );
        assert_eq!(fs::read(&path).unwrap(), b"a");
    }
}
