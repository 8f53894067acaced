//! Options of fastchess, cutechess-cli and c-chess-cli, for users who come from these programs: the
//! table in `other_programs.md`.

use std::ffi::OsString;
use std::fmt::Write as _;

use clap::{Arg, Command};

const TABLE: &str = include_str!("other_programs.md");

/// An option of other programs.
#[derive(Debug)]
pub struct OtherOption {
    /// Its name without dash; a key of an option stands behind it, as in `engine cmd`.
    pub name: &'static str,
    /// Whether fastchess, cutechess-cli and c-chess-cli have it.
    pub programs: [bool; 3],
    /// Its counterpart here.
    pub advice: String,
}

/// All options of the table.
pub fn options() -> impl Iterator<Item = OtherOption> {
    TABLE.lines().filter_map(|line| {
        let cells: Vec<&str> = line.strip_prefix("| `-")?.split(" |").map(str::trim).collect();
        let [name, f, c, l, advice, ""] = cells[..] else {
            return None;
        };
        Some(OtherOption {
            name: name.trim_matches(['-', '`']),
            programs: [f, c, l].map(|cell| !cell.is_empty()),
            advice: advice.replace("\\|", "|"),
        })
    })
}

/// Options of other programs that are settings of a player here.
pub(super) const SETTINGS: [(&str, &str); 5] = [
    ("--time", "st"),
    ("--movetime", "st"),
    ("--hash", "option.Hash"),
    ("--threads", "option.Threads"),
    ("--option", "option.NAME"),
];

/// The setting of players that an option with this name, without dashes, probably means.
fn setting(name: &str) -> Option<&'static str> {
    let mut known = SETTINGS.iter();
    known.find_map(|(other, key)| (other.strip_prefix("--") == Some(name)).then_some(*key))
}

/// The explanation of the options in a command line that belong to these programs, or that have one dash
/// instead of two; `None` if there are none, or if the command line asks for help.
pub(crate) fn explanation(command: &Command, words: &[OsString]) -> Option<String> {
    let named = words.get(1).and_then(|word| command.find_subcommand(word));
    let here = named.or_else(|| command.find_subcommand("match"))?;
    let is_match = here.get_name() == "match";
    // The options after a bot are its own.
    let ends_at_a_word = here.get_arguments().any(Arg::is_trailing_var_arg_set);
    let ours = |name: &str| here.get_arguments().any(|option| option.get_long() == Some(name));
    let others: Vec<OtherOption> = options().collect();
    let mut found: Vec<(&str, String)> = Vec::new();
    let typed = words
        .iter()
        .skip(1 + usize::from(named.is_some()))
        .filter_map(|word| word.to_str());
    let is_ours = |word: &&str| *word != "--" && (!ends_at_a_word || word.starts_with('-'));
    for word in typed.take_while(is_ours) {
        let word = word.split('=').next().unwrap_or_default();
        if ["-h", "-help", "--help"].contains(&word) {
            return None;
        }
        let (name, is_short) = match (word.strip_prefix("--"), word.strip_prefix('-')) {
            (Some(name), _) => (name, false),
            (None, Some(name)) if name.len() > 1 => (name, true),
            _ => continue,
        };
        let other = others.iter().find(|other| other.name == name);
        let advice = match other {
            _ if !is_short && (ours(name) || name == "version") => continue,
            Some(other) if is_match => other.advice.clone(),
            _ if ours(name) => format!("--{name}"),
            None if is_short && is_match && setting(name).is_some() => {
                format!("--each {}=VALUE", setting(name).unwrap_or_default())
            }
            Some(_) if is_short => format!("not an option of `referee {}`", here.get_name()),
            _ => continue,
        };
        if !found.iter().any(|(known, _)| *known == word) {
            found.push((word, advice));
        }
    }
    if found.is_empty() {
        return None;
    }
    let mut text = String::from("options are spelled differently here:\n");
    for (word, advice) in found {
        let _ = write!(text, "\n  {word}: {advice}");
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::config::cli::Cli;
    use crate::config::command_line;

    #[test]
    fn hints_win_over_short_options() {
        let hint = |words: &[&str]| {
            let words = ["referee"].iter().chain(words).map(OsString::from);
            let error = command_line(words).err().map(|error| format!("{error:?}"));
            error.is_some_and(|error| error.contains("spelled differently"))
        };
        let mut tested = String::new();
        for command in Cli::command().get_subcommands() {
            let ours = command.get_arguments().filter_map(Arg::get_long);
            let names: Vec<&str> = options().map(|other| other.name).chain(ours).collect();
            for letter in command.get_arguments().filter_map(Arg::get_short) {
                for name in names.iter().filter(|name| name.starts_with(letter)) {
                    let word = format!("-{}", name.split(' ').next().unwrap());
                    assert!(
                        hint(&[command.get_name(), &word]),
                        "{} {word}",
                        command.get_name()
                    );
                }
                tested.push(letter);
            }
        }
        assert!(
            ["j", "o", "q"].iter().all(|letter| tested.contains(letter)),
            "{tested}"
        );
        for line in [
            "tune -rounds 2",
            "play -quick",
            "check -json ./bot",
            "match -time 3 a b",
        ] {
            assert!(hint(&line.split(' ').collect::<Vec<_>>()), "{line}");
        }
        for line in [
            "check ./bot -json",
            "match -engine cmd=a --help",
            "match -j4 -o a.jsonl -- -openings",
        ] {
            assert!(!hint(&line.split(' ').collect::<Vec<_>>()), "{line}");
        }
    }

    #[test]
    fn nothing_that_we_have_is_called_unavailable() {
        let command = Cli::command();
        let command = command.find_subcommand("match").unwrap();
        for option in command.get_arguments().filter_map(|option| option.get_long()) {
            if let Some(other) = options().find(|other| other.name == option) {
                assert!(other.advice.contains("--"), "--{option}: {}", other.advice);
            }
        }
    }

    #[test]
    fn advice_names_our_options() {
        let command = Cli::command();
        let command = command.find_subcommand("match").unwrap();
        let is_ours = |name: &str| {
            let mut options = command.get_arguments();
            ["help", "version"].contains(&name) || options.any(|option| option.get_long() == Some(name))
        };
        assert!(options().count() > 90);
        for OtherOption { name, advice, .. } in options() {
            for word in advice
                .split([' ', ',', '=', ';'])
                .filter_map(|word| word.strip_prefix("--"))
            {
                assert!(is_ours(word), "{name}: --{word}");
            }
        }
    }
}
