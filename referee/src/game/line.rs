//! A position as the command `position` names it: a start and moves.

use std::fmt;

use lodestone::protocol::{Command, Start};

/// A position as the command `position` names it. It is kept as the text of the command, so that a game is
/// sent without being written again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PositionLine {
    text: String,
    /// The number of moves since the start.
    pub plies: usize,
}

impl PositionLine {
    /// The start position.
    pub fn start() -> PositionLine {
        PositionLine {
            text: "position startpos".into(),
            plies: 0,
        }
    }

    /// The position with this text.
    pub fn of_text(text: &str) -> PositionLine {
        PositionLine {
            text: format!("position fen {text}"),
            plies: 0,
        }
    }

    /// The position after one more move.
    #[must_use]
    pub fn after(&self, mv: &str) -> PositionLine {
        let mut line = self.clone();
        line.push(mv);
        line
    }

    /// The position that a command names.
    pub fn of(start: Start, moves: Vec<String>) -> PositionLine {
        let plies = moves.len();
        let text = Command::Position { start, moves }.to_string();
        PositionLine { text, plies }
    }

    /// The start and the moves without the words of the command, as in a line of a book.
    pub fn start_and_moves(&self) -> &str {
        let text = self.text.strip_prefix("position ").unwrap_or(&self.text);
        text.strip_prefix("fen ").unwrap_or(text)
    }

    /// Adds a move.
    pub fn push(&mut self, mv: &str) {
        self.text.push_str(if self.plies == 0 { " moves " } else { " " });
        self.text.push_str(mv);
        self.plies += 1;
    }

    /// Takes back the last move.
    pub fn pop(&mut self) {
        if self.plies > 0 {
            let ends: Vec<usize> = self.text.rmatch_indices(' ').map(|(at, _)| at).take(2).collect();
            self.plies -= 1;
            self.text.truncate(ends[usize::from(self.plies == 0)]);
        }
    }

    /// Whether it begins at the start position of the game.
    pub fn is_from_startpos(&self) -> bool {
        self.text.starts_with("position startpos")
    }

    /// Takes back all moves after the first `plies`, at which the text was `length` bytes long.
    pub fn take_back(&mut self, (plies, length): (usize, usize)) {
        self.text.truncate(length);
        self.plies = plies;
    }

    /// The number of moves and the length of the text, for [`PositionLine::take_back`].
    pub const fn mark(&self) -> (usize, usize) {
        (self.plies, self.text.len())
    }

    /// The moves that lead from an earlier position to this one; `None` if they do not.
    pub fn moves_since(&self, earlier: &PositionLine) -> Option<Vec<&str>> {
        self.continues(earlier)
            .then(|| self.moves()[earlier.plies..].to_vec())
    }

    /// The moves since the start.
    pub fn moves(&self) -> Vec<&str> {
        let words: Vec<&str> = self.text.split(' ').collect();
        words[words.len() - self.plies..].to_vec()
    }

    /// The last move; empty at the start.
    pub fn last_move(&self) -> &str {
        let last = self.text.rsplit(' ').next().filter(|_| self.plies > 0);
        last.unwrap_or_default()
    }

    /// Whether this position is reached from the other one by further moves.
    pub fn continues(&self, other: &PositionLine) -> bool {
        let rest = self.text.strip_prefix(&other.text);
        self.plies >= other.plies && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    }
}

impl fmt::Display for PositionLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_added_and_taken_back() {
        for start in [PositionLine::start(), PositionLine::of_text("8/8 x 0 40")] {
            let mut line = start.clone();
            let mut before = Vec::new();
            for mv in ["a8", "h8", "pass"] {
                before.push(line.clone());
                line.push(mv);
                assert!(line.continues(&start) && line.last_move() == mv);
            }
            assert_eq!(line.moves(), ["a8", "h8", "pass"]);
            assert!(line.start_and_moves().ends_with(" moves a8 h8 pass"));
            assert!(!line.start_and_moves().contains("position") && !line.start_and_moves().contains("fen"));
            for known in before.into_iter().rev() {
                line.pop();
                assert_eq!(line, known);
            }
            line.pop();
            assert_eq!(line, start);
        }
    }
}
