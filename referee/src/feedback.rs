//! What students read, from facts: the same words in the feedback of a ladder, of grades and of collected submissions,
//! and in reports.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::Path;

use lodestone::game::Variant;
use referee_core::io::text::{printable, wrap};
use referee_core::player::verdict::FaultKind;
use referee_core::settings::Purpose;
use referee_core::system::files::quote;

use crate::config::cli::GameArgs;
use crate::config::settings::Settings;

/// The width of the text.
pub(crate) const WIDTH: usize = 80;

/// What to do about a fault.
pub(crate) const fn advice(kind: FaultKind) -> &'static str {
    match kind {
        FaultKind::Time => {
            "The answer came too late. Look at the clock more often, and stop the search a little earlier."
        }
        FaultKind::Cpu => {
            "The move used too much processor time, with all threads together. Search less, or with fewer threads."
        }
        FaultKind::Stall => {
            "No answer came, even a second later. Look for an endless loop, for a search without a clock, and for \
             output that is not flushed."
        }
        FaultKind::Illegal => {
            "The move is not legal. Compare the board in your program with the moves of the game, one by one."
        }
        FaultKind::Garbage => {
            "The answer is not a move, or it was lost in too much output. Look at what your program prints in this \
             position."
        }
        FaultKind::Crash => {
            "The program ended. If there is an error message, it names the file and the line."
        }
        FaultKind::Forfeit => {
            "The pairing was given up after repeated faults. Fix the fault of the games before."
        }
    }
}

/// How the line of a command begins.
pub(crate) const COMMAND: &str = "  referee ";

/// The command that checks a submission on the student's machine by the rules and with the limits of the course.
pub(crate) fn check_command(game: &GameArgs, each: Option<&Settings>, wrapper: Option<&Path>) -> String {
    let is_plain = |sign: char| sign.is_alphanumeric() || "_./=:,+-".contains(sign);
    let word = |word: &str| {
        if word.chars().all(is_plain) {
            word.to_string()
        } else {
            quote(word).unwrap_or_default()
        }
    };
    let mut text = String::from("referee check FOLDER");
    if let Some(rules) = &game.rules.settings {
        text += " --rules";
        for one in &rules.words {
            let _ = write!(text, " {}", word(one));
        }
    } else if game.variant != Variant::default().into() {
        let _ = write!(text, " --variant {}", game.variant.name());
    }
    if let Some(wrapper) = wrapper {
        let _ = write!(text, " --wrapper {}", word(&wrapper.to_string_lossy()));
    }
    // What restricts a bot is a matter of the course's machine.
    let each = each
        .map(|each| each.words_for(Purpose::Check))
        .unwrap_or_default();
    let each: Vec<String> = each.iter().map(|one| word(one)).collect();
    if !each.is_empty() {
        let _ = write!(text, " --each {}", each.join(" "));
    }
    text
}

/// Whether a bot in this folder is made with the Python package: then its author does not know the protocol.
pub(crate) fn is_of_package(folder: &Path) -> bool {
    folder.join("referee/bot.py").is_file() || folder.join("refereebot/bot.py").is_file()
}

/// The text about a submission that cannot play: why, and what its author can do.
pub(crate) fn not_playing(title: &str, why: &str, command: &str) -> String {
    let why: Vec<String> = why.lines().map(|line| printable(line, usize::MAX)).collect();
    let text = format!(
        "{}\n\nIt will be tried again when its files change. To try it on your machine, run this command with the \
         files of the course:",
        why.join("\n")
    );
    // On one line, to be copied.
    format!("{title}\n\n{}\n\n  {command}\n", wrap(&text, WIDTH))
}

/// The names of files that are used for feedback.
#[derive(Default)]
pub(crate) struct FileNames(HashSet<String>);

impl FileNames {
    /// The most characters of a name, without its ending.
    const MOST: usize = 60;

    /// The name of a file that no other submission has.
    pub fn of(&mut self, name: &str) -> String {
        let short: String = printable(name, usize::MAX).chars().take(Self::MOST).collect();
        let short = short.replace('/', "_");
        let numbered = (2..).map(|number| format!("{short}-{number}"));
        let mut names = std::iter::once(short.clone()).chain(numbered);
        let free = names.find(|name| self.0.insert(name.clone()));
        format!("{}.txt", free.unwrap_or_default())
    }
}

/// What a transcript has of one player.
pub(crate) struct OwnLines {
    /// The lines to the player, `> go …`, and from it, `< bestmove …`.
    pub dialogue: Vec<String>,
    /// The last lines on stderr.
    pub stderr: Vec<String>,
}

impl OwnLines {
    /// Those of the player of this name, without their times since the beginning.
    pub fn of(transcript: &str, name: &str) -> OwnLines {
        let signs = ["> ", "< "].map(|sign| format!(" {sign}{name}: "));
        let dialogue = transcript.lines().filter_map(|line| {
            let place = signs.iter().filter_map(|sign| line.find(sign)).min()?;
            Some(line.get(place + 1..)?.replacen(&format!("{name}: "), "", 1))
        });
        let heading = format!("Last lines of {name} on stderr:");
        let stderr = transcript.lines().skip_while(|line| *line != heading).skip(1);
        let stderr = stderr.map_while(|line| line.strip_prefix("  ")).map(String::from);
        OwnLines {
            dialogue: dialogue.collect(),
            stderr: stderr.collect(),
        }
    }

    /// What a wrapper has given its program since the last question, and the answer: `> input.txt | …`.
    pub fn notes(&self) -> Vec<&str> {
        let last = self.dialogue.iter().rposition(|line| line.starts_with("> go"));
        let since = &self.dialogue[last.unwrap_or_default()..];
        let notes = since
            .iter()
            .filter_map(|line| line.strip_prefix("< info string "));
        notes
            .filter(|note| note.starts_with("> ") || note.starts_with("< "))
            .collect()
    }
}

/// The last lines of an error message, without those that only mark a place in the line before.
pub(crate) fn error_lines(stderr: &[String]) -> Vec<&String> {
    const MOST: usize = 7;
    let is_text = |line: &&String| line.contains(|sign| !" ^~".contains(sign));
    let lines: Vec<&String> = stderr.iter().filter(is_text).collect();
    let first = lines.len().saturating_sub(MOST);
    lines[first..].to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_what_a_program_was_given_and_its_answer() {
        let said = "  1  < ann: info string > input.txt | 1\n  2  > ann: go movetime 10\n  3  < ann: info string > \
                    input.txt | 2\n  3  < ben: info string > input.txt | 3\n  4  < ann: info depth 3\n  5  < ann: \
                    info string < output.txt | PASS\nLast lines of ann on stderr:\n  a\n    ^^\n";
        let own = OwnLines::of(said, "ann");
        assert_eq!(own.notes(), ["> input.txt | 2", "< output.txt | PASS"]);
        assert_eq!(error_lines(&own.stderr), ["a"]);
    }
}
