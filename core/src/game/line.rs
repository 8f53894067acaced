//! A position as the command `position` names it: a start and moves.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use lodestone_game::protocol::{Command, Start};

/// A position as the command `position` names it. It is kept as the text of the command, so that a game is
/// sent without being written again. The positions of one game share the text.
#[derive(Clone, Debug)]
pub struct PositionLine {
    /// This position, and what later ones of the same game have added.
    text: Arc<Mutex<String>>,
    /// The number of bytes of this position.
    length: usize,
    /// The number of moves since the start.
    pub plies: usize,
}

impl PositionLine {
    fn new(text: String, plies: usize) -> PositionLine {
        PositionLine {
            length: text.len(),
            text: Arc::new(Mutex::new(text)),
            plies,
        }
    }

    /// The start position.
    pub fn start() -> PositionLine {
        PositionLine::new("position startpos".into(), 0)
    }

    /// The position with this text.
    pub fn of_text(text: &str) -> PositionLine {
        PositionLine::new(format!("position fen {text}"), 0)
    }

    /// The position of a start as a record has it: `startpos`, perhaps with moves, or the text of a position.
    pub(crate) fn of_start(text: &str) -> PositionLine {
        let words: Vec<&str> = text.split_whitespace().collect();
        match words.as_slice() {
            ["startpos"] => PositionLine::start(),
            ["startpos", "moves", moves @ ..] => {
                let mut line = PositionLine::start();
                for mv in moves {
                    line.push(mv);
                }
                line
            }
            _ => PositionLine::of_text(text),
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
        PositionLine::new(Command::Position { start, moves }.to_string(), plies)
    }

    /// What `read` makes of the text.
    fn with<T>(&self, read: impl FnOnce(&str) -> T) -> T {
        let text = self.text.lock().unwrap_or_else(PoisonError::into_inner);
        read(&text[..self.length])
    }

    /// The start and the moves without the words of the command, as in a line of a book.
    pub fn start_and_moves(&self) -> String {
        self.with(|text| {
            let text = text.strip_prefix("position ").unwrap_or(text);
            text.strip_prefix("fen ").unwrap_or(text).to_string()
        })
    }

    /// Adds a move.
    pub fn push(&mut self, mv: &str) {
        if let Some(own) = Arc::get_mut(&mut self.text) {
            let own = own.get_mut().unwrap_or_else(PoisonError::into_inner);
            own.truncate(self.length);
        }
        let word = if self.plies == 0 { " moves " } else { " " };
        let mut text = self.text.lock().unwrap_or_else(PoisonError::into_inner);
        let other = if text.len() == self.length {
            text.extend([word, mv]);
            None
        } else {
            // Another game goes on from here.
            Some([&text[..self.length], word, mv].concat())
        };
        drop(text);
        if let Some(other) = other {
            self.text = Arc::new(Mutex::new(other));
        }
        self.length += word.len() + mv.len();
        self.plies += 1;
    }

    /// Takes back the last move.
    pub fn pop(&mut self) {
        if self.plies > 0 {
            let ends: Vec<usize> =
                self.with(|text| text.rmatch_indices(' ').map(|(at, _)| at).take(2).collect());
            self.plies -= 1;
            self.length = ends[usize::from(self.plies == 0)];
        }
    }

    /// Whether it begins at the start position of the game.
    pub fn is_from_startpos(&self) -> bool {
        self.with(|text| text.starts_with("position startpos"))
    }

    /// Takes back all moves after the first `plies`, at which the text was `length` bytes long.
    pub fn take_back(&mut self, (plies, length): (usize, usize)) {
        self.length = length;
        self.plies = plies;
    }

    /// The number of moves and the length of the text, for [`PositionLine::take_back`].
    pub const fn mark(&self) -> (usize, usize) {
        (self.plies, self.length)
    }

    /// The moves that lead from an earlier position to this one; `None` if they do not.
    pub fn moves_since(&self, earlier: &PositionLine) -> Option<Vec<String>> {
        let since = || {
            let mut moves = self.last_moves(self.plies - earlier.plies);
            moves.reverse();
            moves
        };
        self.continues(earlier).then(since)
    }

    /// The moves since the start.
    pub fn moves(&self) -> Vec<String> {
        let mut moves = self.last_moves(self.plies);
        moves.reverse();
        moves
    }

    /// The last `count` moves, the last one first.
    fn last_moves(&self, count: usize) -> Vec<String> {
        self.with(|text| text.rsplit(' ').take(count).map(str::to_string).collect())
    }

    /// The last move; empty at the start.
    pub fn last_move(&self) -> String {
        let last = self.last_moves(self.plies.min(1));
        last.into_iter().next().unwrap_or_default()
    }

    /// Whether this position is reached from the other one by further moves.
    pub fn continues(&self, other: &PositionLine) -> bool {
        if self.plies < other.plies || self.length < other.length {
            return false;
        }
        if Arc::ptr_eq(&self.text, &other.text) {
            return true;
        }
        let other = other.to_string();
        self.with(|text| {
            let rest = text.strip_prefix(&*other);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        })
    }
}

impl PartialEq for PositionLine {
    fn eq(&self, other: &PositionLine) -> bool {
        self.mark() == other.mark() && self.continues(other)
    }
}

impl fmt::Display for PositionLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.with(|text| f.write_str(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_that_share_a_text_go_their_own_ways() {
        let start = PositionLine::start().after("a1");
        let lines = ["b1", "c1", "d1"].map(|mv| start.after(mv));
        for (line, mv) in lines.iter().zip(["b1", "c1", "d1"]) {
            assert_eq!(line.to_string(), format!("position startpos moves a1 {mv}"));
            assert!(line.continues(&start) && line.moves_since(&start) == Some(vec![mv.to_string()]));
            assert_eq!(lines.iter().filter(|other| line.continues(other)).count(), 1);
        }
        let mut line = lines[0].clone();
        let before = line.mark();
        line.push("e1");
        line.take_back(before);
        line.push("f1");
        assert_eq!(line.moves(), ["a1", "b1", "f1"]);
        assert_eq!(PositionLine::of_start("startpos moves a1 b1 f1"), line);
        assert_eq!(lines[0].moves(), ["a1", "b1"]);
        assert!(!line.continues(&lines[1]) && !start.continues(&line));
    }

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
