//! The files and folders of a command line. Each option that names one says here what the command does with it, so that
//! no output is also another file of the command.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use clap::{ArgMatches, Command};
use referee_core::failure::Failure;
use referee_core::io::text::ShowPath;
use referee_core::system::files::is_same_file;

use super::settings::SEPARATOR;

/// What a command does with the files or folders of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    /// Reads a file.
    Reads,
    /// Writes a file.
    Writes,
    /// Reads a folder, which exists.
    ReadsFolder,
    /// Reads a folder or a file.
    ReadsAny,
    /// Writes files into a folder.
    WritesFolder,
    /// Starts a program.
    Starts,
}

/// What the commands do with the path of each option. One with a command before it is of this command alone.
const USES: [(&str, Use); 34] = [
    ("adapt file", Use::Reads),
    ("analyze files", Use::Reads),
    ("check out", Use::WritesFolder),
    ("collect folder", Use::WritesFolder),
    ("collect inbox", Use::ReadsFolder),
    ("config", Use::Reads),
    ("csv", Use::Writes),
    ("embed_engine", Use::Reads),
    ("feedback", Use::WritesFolder),
    ("grade folder", Use::ReadsFolder),
    ("grade out", Use::WritesFolder),
    ("grade results", Use::Writes),
    ("grade rubric", Use::Reads),
    ("ladder folder", Use::ReadsFolder),
    ("faults", Use::WritesFolder),
    ("html", Use::Writes),
    ("log", Use::Writes),
    ("new-bot folder", Use::WritesFolder),
    ("new-bot rules", Use::Starts),
    ("new-rules folder", Use::WritesFolder),
    ("openings", Use::Reads),
    ("out", Use::Writes),
    ("pgn", Use::Writes),
    ("plot", Use::Writes),
    ("report faults", Use::ReadsFolder),
    ("report files", Use::Reads),
    ("results", Use::WritesFolder),
    ("rules", Use::Starts),
    ("sandbox_read", Use::ReadsFolder),
    ("save_config", Use::Writes),
    ("show file", Use::Reads),
    ("submissions", Use::ReadsAny),
    ("verify files", Use::Reads),
    ("wrapper", Use::ReadsFolder),
];

/// What a command does with the path of an option; `None` if nobody has said it.
fn use_of(command: &str, option: &str) -> Option<Use> {
    let find = |name: &str| USES.iter().find(|(known, _)| *known == name);
    let found = find(&format!("{command} {option}")).or_else(|| find(option));
    found.map(|(_, known)| *known)
}

/// A file of a command line.
struct Named {
    /// The option, or what a word without one is called.
    option: String,
    path: PathBuf,
    is_written: bool,
}

/// Checks that each file that a command writes is no other file of it, and that options name folders to read.
pub(super) fn check(command: &Command, typed: &ArgMatches) -> Result<(), Failure> {
    check_folders(command, typed)?;
    let files = files_of(command, typed);
    for (index, file) in files.iter().enumerate() {
        let others = files[..index].iter();
        let Some(other) = others
            .filter(|other| file.is_written || other.is_written)
            .find(|other| is_same_file(&file.path, &other.path))
        else {
            continue;
        };
        let (output, other) = if file.is_written {
            (file, other)
        } else {
            (other, file)
        };
        let (option, path) = (&output.option, output.path.shown());
        return Err(Failure::Usage(if other.option.starts_with("--") {
            format!(
                "{option} {path}: this is the file of {}; each needs its own file",
                other.option
            )
        } else {
            format!("{option} {path}: this is one of the files to read; use a new file")
        }));
    }
    Ok(())
}

/// Checks that the folders to read are there.
fn check_folders(command: &Command, typed: &ArgMatches) -> Result<(), Failure> {
    for option in command.get_arguments() {
        let id = option.get_id().as_str();
        let (Some(long), Some(Use::ReadsFolder)) = (option.get_long(), use_of(command.get_name(), id)) else {
            continue;
        };
        for path in typed
            .try_get_raw(id)
            .ok()
            .flatten()
            .into_iter()
            .flatten()
            .map(Path::new)
        {
            let why = match path.metadata() {
                Err(error) => error.to_string(),
                Ok(found) if found.is_dir() => continue,
                Ok(_) => "it is not a folder".into(),
            };
            return Err(Failure::Usage(format!("--{long} {}: {why}", path.shown())));
        }
    }
    Ok(())
}

/// The files of a command line, in the order of the options.
fn files_of(command: &Command, typed: &ArgMatches) -> Vec<Named> {
    let mut files = Vec::new();
    for option in command.get_arguments() {
        let id = option.get_id().as_str();
        let Ok(Some(values)) = typed.try_get_raw(id) else {
            continue;
        };
        let name = || {
            option
                .get_long()
                .map_or(id.to_string(), |long| format!("--{long}"))
        };
        let is_settings = ["engine", "each", "first", "second", "rules"].contains(&id);
        for value in values {
            if is_settings {
                files.extend(logged(&name(), value));
            }
            let is_written = match use_of(command.get_name(), id) {
                Some(Use::Writes) => true,
                Some(Use::Reads) => false,
                Some(Use::ReadsAny | Use::ReadsFolder | Use::WritesFolder | Use::Starts) | None => continue,
            };
            files.push(Named {
                option: name(),
                path: word(value).into(),
                is_written,
            });
        }
    }
    files
}

/// The word before the settings of an option such as `--pgn`.
fn word(value: &OsStr) -> &Path {
    let text = value.to_str().and_then(|text| text.split(SEPARATOR).next());
    text.map_or(Path::new(value), Path::new)
}

/// The file of the setting `stderr`.
fn logged(option: &str, value: &OsStr) -> Option<Named> {
    let path = value
        .to_str()?
        .split(SEPARATOR)
        .find_map(|word| word.strip_prefix("stderr="))?;
    Some(Named {
        option: format!("{option} stderr"),
        path: path.into(),
        is_written: true,
    })
}

#[cfg(test)]
mod tests {
    use clap::{Arg, CommandFactory, ValueHint};

    use super::*;
    use crate::config::cli::Cli;

    /// Whether an option names files or folders.
    fn is_path(option: &Arg) -> bool {
        let is_typed = option.get_value_parser().type_id() == std::any::TypeId::of::<PathBuf>();
        is_typed
            || matches!(
                option.get_value_hint(),
                ValueHint::AnyPath | ValueHint::FilePath | ValueHint::DirPath | ValueHint::ExecutablePath
            )
    }

    #[test]
    fn every_option_with_a_path_says_what_is_done_with_it() {
        let mut command = Cli::command();
        command.build();
        let mut used = Vec::new();
        for command in command.get_subcommands().filter(|one| one.get_name() != "help") {
            for option in command.get_arguments().filter(|option| is_path(option)) {
                let (name, id) = (command.get_name(), option.get_id().as_str());
                let found = use_of(name, id);
                assert!(found.is_some(), "add `{name} {id}` to USES");
                used.push(format!("{name} {id}"));
                let hint = option.get_value_hint();
                let is_folder = matches!(found, Some(Use::ReadsFolder | Use::WritesFolder));
                assert!(hint != ValueHint::DirPath || is_folder, "{name} {id}: a folder");
                assert!(hint != ValueHint::FilePath || !is_folder, "{name} {id}: a file");
            }
        }
        for (name, _) in USES {
            let is_used = |one: &String| one == name || one.split(' ').nth(1) == Some(name);
            assert!(used.iter().any(is_used), "{name} is no option with a path");
        }
    }
}
