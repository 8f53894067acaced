//! The command line of `lodestone`, as data: the source of its help, its man page and its
//! completions.

use lodestone::game::Variant;

use crate::{book, solve, tables};

/// The ways to start the program: the arguments, and what it does. The lines fit a terminal of 40
/// columns with an indentation of six.
pub const WAYS: [(&str, &str); 8] = [
    ("", "Speak the protocol on standard\ninput and output"),
    ("--single-thread", "Do the same in a single thread"),
    ("bench", "Search fixed positions and print\nthe speed"),
    (
        "solve --help",
        "Compute the value of Magnetic Cave\non a board of up to 8 by 8 cells",
    ),
    ("tables --help", "Compute exact values of Gridlock"),
    ("book --help", "Compute an opening book for\nMagnetic Cave"),
    ("--help", "Print this text"),
    ("--version", "Print the version, the commit and\nthe target"),
];

/// The commands with options, each with its help.
pub const COMMANDS: [(&str, &str); 3] = [
    ("solve", solve::HELP),
    ("tables", tables::HELP),
    ("book", book::HELP),
];

/// Follows the ways to start the program.
const NOTES: &str = "\
Try:
  echo 'go movetime 1000' | lodestone

The program referee plays matches, and
games by hand.

RUST_LOG=debug logs to standard error.";

/// What the program does, as a sentence.
pub fn about() -> String {
    format!("Plays {}.", Variant::list(|info| info.title))
}

/// The text of `--help`. Fits a terminal of 40 columns.
pub fn help() -> String {
    let ways = WAYS.map(|(arguments, text)| {
        let line = format!("  lodestone {arguments}");
        format!("{}\n      {}\n", line.trim_end(), text.replace('\n', "\n      "))
    });
    format!("{}\n\nUsage:\n{}\n{NOTES}", about(), ways.concat())
}

/// The options that a command's help lists: letter, name, value (empty for a flag).
pub fn options(help: &str) -> impl Iterator<Item = (Option<char>, &str, &str)> {
    help.lines().filter_map(|line| {
        let line = line.strip_prefix("  -")?;
        let (letter, name) = line.split_once(", -").unwrap_or(("", line));
        let mut words = name.strip_prefix('-')?.split(' ');
        let name = words.next().unwrap_or_default();
        let value = words.next().unwrap_or_default();
        let is_value = !value.is_empty() && value.bytes().all(|b| b.is_ascii_uppercase() || b == b'/');
        Some((letter.chars().next(), name, if is_value { value } else { "" }))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_lists_each_way_and_fits_a_narrow_terminal() {
        let help = help();
        for (arguments, text) in WAYS {
            let line = format!("  lodestone {arguments}");
            assert!(
                help.lines().any(|shown| shown == line.trim_end()),
                "{line}: {help}"
            );
            assert!(help.contains(text.lines().next().unwrap()), "{text}");
        }
        for line in help.lines() {
            assert!(line.len() <= 40, "{line}");
        }
    }

    #[test]
    fn options_are_read_from_the_help() {
        let found: Vec<_> = options(tables::HELP).collect();
        assert_eq!(found[..2], [(None, "pieces", "N"), (Some('o'), "out", "FILE")]);
        assert!(options(solve::HELP).any(|option| option == (None, "shard", "K/N")));
        let flags: Vec<_> = options("Options:\n  --all  everything\n  -o, --out FILE\n   --no").collect();
        assert_eq!(flags, [(None, "all", ""), (Some('o'), "out", "FILE")]);
    }

    #[test]
    fn commands_with_options_are_ways_to_start() {
        for (command, help) in COMMANDS {
            let is_way = WAYS.iter().any(|(way, _)| way.split(' ').next() == Some(command));
            assert!(is_way && options(help).count() > 0, "{command}");
        }
    }
}
