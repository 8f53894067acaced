//! The command line of `lodestone`, as data: the source of its help, its man page and its
//! completions.

use lodestone::game::Variant;

use crate::{book, solve, tables};

/// The ways to start the program: the arguments, and what it does. The lines fit a terminal of 40
/// columns with an indentation of six.
pub const WAYS: [(&str, &str); 8] = [
    ("", "speak the protocol on standard\ninput and output"),
    ("--single-thread", "the same in a single thread"),
    ("bench", "search fixed positions and report\nthe speed"),
    (
        "solve --help",
        "compute the value of Magnetic Cave\non a board of any size",
    ),
    ("tables --help", "compute exact values of Gridlock"),
    ("book --help", "compute an opening book for\nMagnetic Cave"),
    ("--help", "show this text"),
    ("--version", "show the version, the commit and\nthe target"),
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

To play by hand or to run matches, use
the program referee.

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

/// The options that a command's help lists: name, value (empty for a flag).
pub fn options(help: &str) -> impl Iterator<Item = (&str, &str)> {
    let lines = help.lines().filter_map(|line| line.strip_prefix("  --"));
    lines.map(|line| {
        let mut words = line.split(' ');
        let name = words.next().unwrap_or_default();
        let value = words.next().unwrap_or_default();
        let is_value = !value.is_empty() && value.bytes().all(|b| b.is_ascii_uppercase() || b == b'/');
        (name, if is_value { value } else { "" })
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
        assert_eq!(found[0], ("pieces", "N"));
        assert!(options(solve::HELP).any(|option| option == ("shard", "K/N")));
        let flags: Vec<_> = options("Options:\n  --all  everything\n  --out FILE\n   --no").collect();
        assert_eq!(flags, [("all", ""), ("out", "FILE")]);
    }

    #[test]
    fn commands_with_options_are_ways_to_start() {
        for (command, help) in COMMANDS {
            let is_way = WAYS.iter().any(|(way, _)| way.split(' ').next() == Some(command));
            assert!(is_way && options(help).count() > 0, "{command}");
        }
    }
}
