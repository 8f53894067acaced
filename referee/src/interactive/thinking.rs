//! What a terminal shows while an engine thinks.

use std::fmt::Write as _;
use std::time::Duration;

use lodestone_game::protocol::Info;
use referee_core::failure::Stop;
use referee_core::game::{Game, Observer, score_text};
use referee_core::io::text::{columns, printable};

use super::layout;
use super::messages::Messages;
use crate::terminal::progress::{LiveLine, Stream, View};

/// The time from which on the seconds are shown.
const SECONDS_SHOWN_AFTER: Duration = Duration::from_secs(1);

/// A line that shows what an engine has found so far. It disappears when it is dropped.
pub(super) struct Thinking {
    line: Option<LiveLine<Search>>,
    messages: Messages,
    ascii: bool,
}

/// The words of the line.
struct Search {
    /// The most important first.
    facts: Vec<String>,
    /// The expected moves.
    moves: Vec<String>,
}

impl Thinking {
    /// Shows who thinks, if standard output is a terminal.
    pub fn show(who: &str, messages: &Messages, ascii: bool) -> Thinking {
        let dots = if ascii { "..." } else { "…" };
        let search = Search {
            facts: vec![layout::text(&format!("{who} thinks {dots}"), usize::MAX, ascii)],
            moves: Vec::new(),
        };
        Thinking {
            line: LiveLine::start(Stream::Stdout, search),
            messages: messages.clone(),
            ascii,
        }
    }
}

impl Observer for Thinking {
    fn asks(&mut self, _: &Game) -> bool {
        self.line.is_some()
    }

    fn thinking(&mut self, elapsed: Duration, info: &Info) -> Result<(), Stop> {
        let seconds = (elapsed >= SECONDS_SHOWN_AFTER).then(|| format!("{} s", elapsed.as_secs()));
        let depth = info.depth.map(|depth| format!("depth {depth}"));
        let score = info.score.map(|score| format!("score {}", score_text(score)));
        let shown = |text: &String| {
            let text = printable(&self.messages.shown(text), usize::MAX);
            layout::text(&text, usize::MAX, self.ascii)
        };
        let moves: Vec<String> = info.pv.iter().map(shown).collect();
        if let Some(line) = &self.line {
            line.change(|search| {
                search.facts.truncate(1);
                search.facts.extend([seconds, depth, score].into_iter().flatten());
                search.moves = moves;
            });
        }
        Ok(())
    }
}

impl View for Search {
    /// As many of the words as there is room for, none of them cut.
    fn line(&self, width: usize) -> String {
        let mut line = String::new();
        let facts = self.facts.iter().map(|fact| (" | ", fact));
        let first = self.moves.iter().take(1).map(|mv| (" | ", mv));
        let others = self.moves.iter().skip(1).map(|mv| (" ", mv));
        for (separator, word) in facts.chain(first).chain(others) {
            let separator = if line.is_empty() { "" } else { separator };
            if columns(&line) + separator.len() + columns(word) > width {
                break;
            }
            let _ = write!(line, "{separator}{word}");
        }
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_narrow_line_ends_after_a_whole_word() {
        let search = Search {
            facts: ["bot thinks …", "2 s", "depth 9"].map(String::from).into(),
            moves: ["A5", "H5"].map(String::from).into(),
        };
        for (width, line) in [
            (80, "bot thinks … | 2 s | depth 9 | A5 H5"),
            (35, "bot thinks … | 2 s | depth 9 | A5"),
            (27, "bot thinks … | 2 s"),
            (11, ""),
        ] {
            assert_eq!(search.line(width), line);
        }
    }
}
