//! What the keys mean.
//!
//! A letter such as `n` acts at once. Quickly followed by further letters of a word, such
//! as `next`, it is the beginning of that word: its effect is taken back, and Enter
//! executes the word. So both single keys and typed words work.

use std::time::{Duration, Instant};

use crate::io::suggest::hint;
use crate::io::text::printable;

/// The keys and words, and what a mistake is.
pub const HELP: &str = "\
n, Space, Right   next move
b, Left           previous move
f, Home           start of the game
e, End            end of the game
PgDn, PgUp        ten moves
m                 next mistake
12 Enter          go to move 12
q, Ctrl-D         quit

Words with Enter: next, back, first, end, go 12, mistake, quit

A mistake costs its player 0.10 expected points (win 1, tie 0.5, loss 0) by its own \
next score, a blunder 0.15; losing a proven win is a mistake.";

/// The longest pause between two letters of a word.
const WORD_PAUSE: Duration = Duration::from_millis(500);

/// The longest line that can be typed, in characters.
const MAX_LINE: usize = 30;

/// A step through the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// This many moves on, or back if negative.
    By(isize),
    /// To the position before the first move.
    First,
    /// To the end.
    Last,
    /// To the position after this number of moves.
    GoTo(usize),
    /// To the next mistake.
    NextMistake,
    /// Shows the help.
    Help,
    /// Leaves the program.
    Quit,
}

/// A key, as far as it means something here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyPress {
    /// A character.
    Char(char),
    /// Enter.
    Enter,
    /// Backspace.
    Backspace,
    /// Escape.
    Escape,
    /// A key with a step of its own, such as an arrow.
    Step(Step),
}

/// What to do after a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reaction {
    /// Nothing but drawing the typed line.
    Draw,
    /// A step.
    Step(Step),
    /// Takes back the last step: its letter began a word.
    TakeBack,
    /// Shows a message.
    Message(String),
}

/// The keys that act at once.
const LETTERS: [(char, Step); 9] = [
    ('n', Step::By(1)),
    (' ', Step::By(1)),
    ('b', Step::By(-1)),
    ('p', Step::By(-1)),
    ('f', Step::First),
    ('e', Step::Last),
    ('m', Step::NextMistake),
    ('?', Step::Help),
    ('q', Step::Quit),
];

/// The words that Enter executes.
const WORDS: [(&str, Step); 13] = [
    ("next", Step::By(1)),
    ("back", Step::By(-1)),
    ("previous", Step::By(-1)),
    ("prev", Step::By(-1)),
    ("first", Step::First),
    ("start", Step::First),
    ("end", Step::Last),
    ("last", Step::Last),
    ("mistake", Step::NextMistake),
    ("help", Step::Help),
    ("h", Step::Help),
    ("quit", Step::Quit),
    ("exit", Step::Quit),
];

/// The words before the number of a move.
const GO_WORDS: [&str; 3] = ["go", "goto", "move"];

/// The line that is being typed.
#[derive(Clone, Debug, Default)]
pub struct TypedLine {
    text: String,
    /// The letter that acted last, and when.
    last_letter: Option<(char, Instant)>,
}

impl TypedLine {
    /// The typed text; empty unless a word or number was begun.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Handles a key that was pressed at this time.
    pub fn press(&mut self, key: KeyPress, now: Instant) -> Reaction {
        let letter = self.last_letter.take();
        match key {
            KeyPress::Char(character) if !self.text.is_empty() => {
                if self.text.chars().count() < MAX_LINE {
                    self.text.push(character);
                }
                Reaction::Draw
            }
            KeyPress::Char(character) => self.first_character(character, letter, now),
            KeyPress::Backspace if self.text.is_empty() => Reaction::Step(Step::By(-1)),
            KeyPress::Backspace => {
                self.text.pop();
                Reaction::Draw
            }
            KeyPress::Enter => {
                let line = std::mem::take(&mut self.text);
                parse(line.trim())
            }
            KeyPress::Escape => {
                self.text.clear();
                Reaction::Draw
            }
            KeyPress::Step(step) => {
                self.text.clear();
                Reaction::Step(step)
            }
        }
    }

    /// Handles a character on an empty line; `letter` is the key before it if that acted.
    fn first_character(
        &mut self,
        character: char,
        letter: Option<(char, Instant)>,
        now: Instant,
    ) -> Reaction {
        let character = character.to_ascii_lowercase();
        if let Some((first, at)) = letter {
            let word = format!("{first}{character}");
            if now.saturating_duration_since(at) <= WORD_PAUSE && begins_word(&word) {
                self.text = word;
                return Reaction::TakeBack;
            }
        }
        if let Some((_, step)) = LETTERS.iter().find(|(letter, _)| *letter == character) {
            self.last_letter = Some((character, now));
            return Reaction::Step(*step);
        }
        if character.is_ascii_digit() || begins_word(&character.to_string()) {
            self.text.push(character);
            return Reaction::Draw;
        }
        let character = printable(&character.to_string(), 1);
        Reaction::Message(format!("`{character}` does nothing; ? shows the keys"))
    }
}

fn begins_word(text: &str) -> bool {
    let words = WORDS.iter().map(|(word, _)| *word).chain(GO_WORDS);
    words.into_iter().any(|word| word.starts_with(text))
}

/// The reaction to a line.
fn parse(line: &str) -> Reaction {
    let line = line.to_lowercase();
    if line.is_empty() {
        return Reaction::Draw;
    }
    let words = WORDS.iter().find(|(word, _)| *word == line);
    let letter = LETTERS.iter().find(|(letter, _)| line == letter.to_string());
    if let Some(step) = words.map(|(_, step)| *step).or(letter.map(|(_, step)| *step)) {
        return Reaction::Step(step);
    }
    let (word, number) = match line.split_once(' ') {
        Some((word, number)) => (word, number.trim()),
        None => ("go", line.as_str()),
    };
    if let (true, Ok(number)) = (GO_WORDS.contains(&word), number.parse()) {
        return Reaction::Step(Step::GoTo(number));
    }
    if GO_WORDS.contains(&line.as_str()) || GO_WORDS.contains(&word) && line.contains(' ') {
        return Reaction::Message("Type the number of a move, such as `go 12`".into());
    }
    let known = WORDS.iter().map(|(word, _)| *word).chain(GO_WORDS);
    let hint = hint(&line, known);
    let line = printable(&line, MAX_LINE);
    Reaction::Message(if hint.is_empty() {
        format!("`{line}` is no command; ? shows them")
    } else {
        format!("`{line}` is no command{hint}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The reactions to keys with a pause before each of them, in milliseconds.
    fn reactions(keys: &[KeyPress], pause: u64) -> Vec<Reaction> {
        let start = Instant::now();
        let mut line = TypedLine::default();
        let times = (0..).map(|number| start + Duration::from_millis(number * pause));
        keys.iter()
            .zip(times)
            .map(|(&key, at)| line.press(key, at))
            .collect()
    }

    /// The keys of a text, and Enter.
    fn typed(text: &str) -> Vec<KeyPress> {
        text.chars()
            .map(KeyPress::Char)
            .chain([KeyPress::Enter])
            .collect()
    }

    /// The steps that a typed line leaves, those taken back removed.
    fn steps(text: &str) -> Vec<Step> {
        let mut steps = Vec::new();
        for reaction in reactions(&typed(text), 50) {
            match reaction {
                Reaction::Step(step) => steps.push(step),
                Reaction::TakeBack => drop(steps.pop()),
                Reaction::Draw | Reaction::Message(_) => {}
            }
        }
        steps
    }

    fn message(text: &str) -> String {
        match reactions(&typed(text), 50).pop() {
            Some(Reaction::Message(message)) => message,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn letters_act_at_once() {
        for (letter, step) in LETTERS {
            assert_eq!(reactions(&[KeyPress::Char(letter)], 0), [Reaction::Step(step)]);
        }
        assert_eq!(
            reactions(&[KeyPress::Char('N'), KeyPress::Char('N')], 0),
            [Reaction::Step(Step::By(1)), Reaction::Step(Step::By(1))]
        );
    }

    #[test]
    fn words_act_on_enter_only() {
        for (word, step) in WORDS {
            // `q` quits before the rest of `quit` is read.
            if word != "quit" {
                assert_eq!(steps(word), [step], "{word}");
            }
        }
        for (text, number) in [("12", 12), ("go 7", 7), ("goto  3", 3), ("move 0", 0), ("007", 7)] {
            assert_eq!(steps(text), [Step::GoTo(number)], "{text}");
        }
        assert_eq!(steps("n"), [Step::By(1)], "Enter after a letter adds nothing");
    }

    #[test]
    fn slow_letters_are_no_word() {
        let keys = [KeyPress::Char('n'), KeyPress::Char('e')];
        assert_eq!(
            reactions(&keys, 600),
            [Reaction::Step(Step::By(1)), Reaction::Step(Step::Last)]
        );
        assert_eq!(reactions(&keys, 100)[1], Reaction::TakeBack);
    }

    #[test]
    fn typed_line_can_be_edited() {
        let mut line = TypedLine::default();
        let now = Instant::now();
        for key in "12".chars().map(KeyPress::Char).chain([KeyPress::Backspace]) {
            assert_eq!(line.press(key, now), Reaction::Draw);
        }
        assert_eq!(line.text(), "1");
        assert_eq!(line.press(KeyPress::Escape, now), Reaction::Draw);
        assert_eq!(line.text(), "");
        assert_eq!(line.press(KeyPress::Backspace, now), Reaction::Step(Step::By(-1)));
        line.press(KeyPress::Char('1'), now);
        let last = KeyPress::Step(Step::Last);
        assert_eq!(
            (line.press(last, now), line.text()),
            (Reaction::Step(Step::Last), "")
        );
        for _ in 0..100 {
            line.press(KeyPress::Char('1'), now);
        }
        assert_eq!(line.text().len(), MAX_LINE);
    }

    #[test]
    fn explains_wrong_input() {
        assert_eq!(message("go"), "Type the number of a move, such as `go 12`");
        assert_eq!(message("go x"), "Type the number of a move, such as `go 12`");
        assert_eq!(message("firts"), "`firts` is no command; did you mean `first`?");
        assert_eq!(message("1x"), "`1x` is no command; ? shows them");
        assert_eq!(
            reactions(&[KeyPress::Char('z')], 0),
            [Reaction::Message("`z` does nothing; ? shows the keys".into())]
        );
    }
}
