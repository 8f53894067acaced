//! The settings of one player: lists of `KEY=VALUE` behind `--engine` and `--each`.
//!
//! A list ends at the first word that is not `KEY=VALUE`, which clap cannot express.
//! So [`gather`] joins each list into one argument before clap sees it. What the settings are is in
//! [`referee_core::settings`].

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use referee_core::failure::Failure;
pub use referee_core::io::key_values::SEPARATOR;
use referee_core::process::SandboxLevel;
pub use referee_core::settings::{HUMAN, Settings, is_key};

/// The command that runs this program, whatever PATH holds, if [`ADAPT_COMMAND`] follows.
pub(crate) const OWN_COMMAND: &str = "referee";

/// The subcommand that makes a bot of a program for people.
pub(crate) const ADAPT_COMMAND: &str = "adapt";

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::tests::cases;

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
}
