//! Options of cutechess-cli and fastchess, for users who come from these programs.

use std::ffi::OsString;
use std::fmt::Write as _;

use clap::Command;

/// Options of these programs, each with its counterpart here.
pub const OPTIONS: [(&str, &str); 32] = [
    ("engine", "--engine KEY=VALUE…"),
    ("each", "--each KEY=VALUE…"),
    (
        "quick",
        "two players without an option: referee match ./new ./old",
    ),
    ("variant", "--variant NAME"),
    (
        "tournament",
        "--format round-robin|gauntlet|swiss|knockout|pyramid",
    ),
    ("games", "--games N, with all games of a pairing (rounds × games)"),
    (
        "rounds",
        "--games N, with all games of a pairing (rounds × games)",
    ),
    ("repeat", "not needed: each opening is played with both colours"),
    (
        "openings",
        "--openings FILE order=random|sequential start=N plies=N, or --openings random:PLIES",
    ),
    ("concurrency", "--concurrency C"),
    ("use-affinity", "--affinity, or --affinity=3,5,7-11"),
    ("affinity", "--affinity"),
    ("sprt", "--sprt elo0=E elo1=E alpha=A beta=B"),
    ("pgnout", "--pgn FILE"),
    ("srand", "--seed S"),
    (
        "config",
        "--config FILE.toml, and --out FILE.jsonl to resume a match",
    ),
    (
        "log",
        "the setting stderr=FILE of a player; RUST_LOG=debug for the referee",
    ),
    (
        "recover",
        "not needed: a fresh process replaces an engine that fails",
    ),
    ("resign", "--resign movecount=N score=CP twosided=true"),
    ("draw", "--draw movenumber=N movecount=N score=CP"),
    ("maxmoves", "not needed: the rules end every game"),
    ("noswap", "--no-swap"),
    ("tb", "--prove, with the solver of the referee"),
    ("ratinginterval", "--rating-interval N"),
    ("scoreinterval", "--output cutechess --score-interval N"),
    ("output", "--output cutechess, or --json for programs"),
    ("wait", "--wait MS"),
    ("reverse", "--reverse"),
    ("seeds", "--seeds N"),
    ("event", "--event NAME"),
    ("site", "--site NAME"),
    ("epdout", "not available"),
];

/// The explanation of the options in a command line that belong to these programs, or
/// that have one dash instead of two; `None` if there are none.
pub fn explanation(command: &Command, words: &[OsString]) -> Option<String> {
    let named = words.get(1).and_then(|word| command.find_subcommand(word));
    let here = named.or_else(|| command.find_subcommand("match"))?;
    let is_match = here.get_name() == "match";
    let ours = |name: &str| here.get_arguments().any(|option| option.get_long() == Some(name));
    let mut found: Vec<(&str, String)> = Vec::new();
    let options = words.iter().skip(1).filter_map(|word| word.to_str());
    for word in options.take_while(|word| *word != "--") {
        let word = word.split('=').next().unwrap_or_default();
        let (name, is_short) = match (word.strip_prefix("--"), word.strip_prefix('-')) {
            (Some(name), _) => (name, false),
            (None, Some(name)) if name.len() > 1 => (name, true),
            _ => continue,
        };
        let other = OPTIONS.iter().find(|(other, _)| *other == name);
        let advice = match other {
            _ if !is_short && ours(name) => continue,
            Some((_, advice)) if is_match => (*advice).to_string(),
            _ if is_short && ours(name) => format!("--{name}"),
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

    #[test]
    fn nothing_that_we_have_is_called_unavailable() {
        let command = Cli::command();
        let command = command.find_subcommand("match").unwrap();
        for option in command.get_arguments().filter_map(|option| option.get_long()) {
            let other = OPTIONS.iter().find(|(other, _)| *other == option);
            if let Some((_, advice)) = other {
                assert!(advice.contains("--"), "--{option}: {advice}");
            }
        }
    }

    #[test]
    fn advice_names_our_options() {
        let command = Cli::command();
        let command = command.find_subcommand("match").unwrap();
        let is_ours = |name: &str| {
            command
                .get_arguments()
                .any(|option| option.get_long() == Some(name))
        };
        for (other, advice) in OPTIONS {
            for word in advice
                .split([' ', ',', '='])
                .filter_map(|word| word.strip_prefix("--"))
            {
                assert!(is_ours(word), "{other}: --{word}");
            }
        }
    }
}
