//! The command line of `lodestone`, as data: the source of its help, its man page and its
//! completions.

use crate::Variant;

/// The ways to start the program: the arguments, and what it does. The lines fit a terminal of 40
/// columns with an indentation of six.
pub const WAYS: [(&str, &str); 6] = [
    ("", "Speak the protocol on standard\ninput and output"),
    ("--single-thread", "Do the same in a single thread"),
    ("bench", "Search fixed positions and print\nthe speed"),
    ("games", "Print the facts of all games as\nJSON"),
    ("--help", "Print this text"),
    ("--version", "Print the version, the commit and\nthe target"),
];

/// Follows the ways to start the program.
pub const NOTES: &str = "\
Try:
  echo 'go movetime 1000' | lodestone

The program referee plays matches and
interactive games. lodestone-solver
computes values, tables and opening
books.

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
    let about = about().split(' ').fold(String::new(), |text, word| {
        let line = text.rsplit('\n').next().unwrap_or_default();
        let gap = match line.len() + word.len() {
            _ if text.is_empty() => "",
            0..40 => " ",
            _ => "\n",
        };
        text + gap + word
    });
    format!("{about}\n\nUsage:\n{}\n{NOTES}", ways.concat())
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
}
