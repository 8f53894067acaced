//! Finds why an answer is missing or unusable, from what an engine wrote since the request. Its sentences about
//! an answer that is none are here ([`malformed_move`] and others), those of every other cause in `hint`.

use std::collections::VecDeque;
use std::time::Instant;

use super::hint::{Hint, quoted};
use crate::game::{MoveError, Position};
use crate::io::running_clock;
use crate::io::stderr::error_line;
use crate::io::untrusted::Untrusted;
use crate::process::{Channel, Effort, Process, Work};

/// Number of lines kept: more than a printed board has.
const MAX_LINES: usize = 32;

/// Longer lines are cut to this many bytes.
const MAX_LINE: usize = 200;

/// The same of an error that it reports.
const MAX_ERROR: usize = 400;

/// Most words in a line that may be a move without `bestmove`, as in "I play a4".
const MAX_WORDS: usize = 6;

/// Moves that mean "no move" in other protocols.
const NULL_MOVES: [&str; 5] = ["0000", "none", "null", "pass", "a0"];

/// The text of a line that reports an error.
pub(crate) fn reported(line: &str) -> Option<&str> {
    if !is_error(line) {
        return None;
    }
    let (_, text) = line.split_once("string")?;
    let text = text.trim();
    let rest = text
        .get("error".len()..)
        .filter(|rest| rest.starts_with([':', ' ']));
    Some(rest.unwrap_or(text).trim_start_matches([':', ' ']))
}

/// Whether a line reports an error. Engines differ in the words after `error`.
pub(crate) fn is_error(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let error = (words.next(), words.next(), words.next());
    matches!(error, (Some("info"), Some("string"), Some(word))
        if word.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("error")))
}

/// How a bridge shows a line that it has sent to its engine.
pub const SENT_BY_BRIDGE: &str = "info string > ";

/// The same of a line that its engine has written.
pub const RECEIVED_BY_BRIDGE: &str = "info string < ";

/// The same of the beginning of a line whose end does not come.
pub const UNFINISHED_BY_BRIDGE: &str = "info string <... ";

/// What an engine wrote since a request, in bounded memory.
#[derive(Debug, Default)]
pub struct Output {
    /// The last lines without those of `protocol_lines`.
    lines: VecDeque<Untrusted>,
    /// Number of all such lines.
    count: u64,
    /// Number of `info`, `id` and `option` lines.
    protocol_lines: u64,
    /// The text of the first line `info string error: …`: the others may follow from it.
    error: Option<Untrusted>,
    /// The last line that a bridge has sent to the engine.
    asked: Option<Untrusted>,
    /// What the engine behind a bridge has written since then without a newline.
    unfinished: Option<Untrusted>,
}

/// What is known of an engine, beside its output, whose answer is missing.
#[derive(Debug, Default)]
pub struct State {
    /// The beginning of a line without an end.
    pub unfinished: Option<Untrusted>,
    /// The lines on stderr since the request.
    pub stderr: Vec<String>,
    /// Whether a write to its input has failed because it had closed it.
    pub is_deaf: bool,
    /// What its processes did meanwhile.
    pub effort: Option<Effort>,
}

impl State {
    /// That of the engine of this channel, which had written `stderr_before` bytes to stderr when it was asked.
    pub fn of(channel: &Channel, stderr_before: u64, effort: Option<Effort>) -> State {
        State {
            unfinished: channel.unfinished_line(),
            stderr: channel.stderr_since(stderr_before),
            is_deaf: channel.is_deaf(),
            effort,
        }
    }
}

/// The answer to a request.
#[derive(Clone, Copy, Debug)]
pub enum Expected<'a> {
    /// `bestmove` with a move of this position.
    BestMove(&'a dyn Position),
    /// This word, such as `uciok`.
    Word(&'static str),
}

impl Output {
    /// The last line.
    pub(super) fn last(&self) -> Option<&Untrusted> {
        self.lines.back()
    }

    /// Adds a line that is not the answer. Fast, because an engine may write millions.
    pub fn push(&mut self, mut line: Untrusted) {
        let text = line.raw();
        let Some(word) = text.split_whitespace().next() else {
            return;
        };
        if self.error.is_none() {
            let error = reported(text).filter(|error| !error.is_empty());
            self.error = error.map(|error| error[..error.floor_char_boundary(MAX_ERROR)].into());
        }
        let cut = |text: &str| Some(text[..text.floor_char_boundary(MAX_LINE)].into());
        if let Some(asked) = text.strip_prefix(SENT_BY_BRIDGE) {
            (self.asked, self.unfinished) = (cut(asked), None);
            return;
        }
        if let Some(begun) = text.strip_prefix(UNFINISHED_BY_BRIDGE) {
            self.unfinished = cut(begun);
            return;
        }
        if let Some(written) = text.strip_prefix(RECEIVED_BY_BRIDGE) {
            line = written.into();
            self.unfinished = None;
        } else if matches!(word, "info" | "id" | "option") && !text.contains("bestmove") {
            return self.count_info();
        }
        if self.lines.len() == MAX_LINES {
            self.lines.pop_front();
        }
        if line.raw().len() > MAX_LINE {
            line = line.raw()[..line.raw().floor_char_boundary(MAX_LINE)].into();
        }
        self.lines.push_back(line);
        self.count += 1;
    }

    /// Counts an `info` line.
    pub(crate) const fn count_info(&mut self) {
        self.protocol_lines += 1;
    }

    /// The error that it has reported.
    pub fn reported(&self) -> Option<Hint> {
        self.error.clone().map(|error| Hint::Reported(error, None))
    }

    /// Why `word`, the answer to `request`, is missing. The program was first asked for something at `asked`.
    pub fn hint_of_missing_word(
        &self,
        process: &mut Process,
        asked: Instant,
        request: &'static str,
        word: &'static str,
        state: State,
    ) -> Option<Hint> {
        if !process.channel().has_written() {
            // It has been asked for nothing else.
            let time = running_clock::elapsed(asked);
            let effort = process.work().map(|work| work.since(&Work::default(), time));
            return Some(Hint::Unflushed(effort));
        }
        self.hint(request, Expected::Word(word), state)
    }

    /// Why there is no answer to `request`.
    pub fn hint(&self, request: &'static str, expected: Expected<'_>, state: State) -> Option<Hint> {
        if let Some(hint) = self.wrong_form(expected, &state.stderr) {
            return Some(hint);
        }
        if state.is_deaf {
            return Some(Hint::Deaf(request));
        }
        let effort = state.effort;
        let request = || self.asked.clone().unwrap_or_else(|| request.into());
        if let Some(effort) = effort.filter(Effort::is_of_busy_machine) {
            return Some(Hint::Busy(effort));
        }
        if let Some(error) = &self.error {
            return Some(Hint::Reported(
                error.clone(),
                effort.filter(Effort::is_of_program),
            ));
        }
        if let Some(line) = &self.unfinished {
            return Some(Hint::Unfinished {
                line: line.clone(),
                expected: None,
            });
        }
        if let Some(line) = state.unfinished {
            let is_answer = expected.is_spelled_in(line.raw());
            let expected = (!is_answer).then(|| expected.correction(line.raw()));
            return Some(Hint::Unfinished { line, expected });
        }
        match self.lines.back() {
            Some(last) => Some(self.beside_answer(self.count, last.raw(), expected, effort)),
            None if self.protocol_lines == 0 => Some(match error_line(&state.stderr) {
                // The output of a program behind a bridge may go there.
                Some(line) if self.asked.is_some() => self.beside_answer(1, line, expected, effort),
                Some(line) => Hint::OnlyStderr {
                    request: request(),
                    line: line.as_str().into(),
                    effort,
                },
                None => Hint::NothingSince(request(), effort),
            }),
            None => match expected {
                Expected::BestMove(_) => Some(Hint::OnlyInfo(self.protocol_lines, effort)),
                Expected::Word(_) => None,
            },
        }
    }

    /// What a program has written that has ended without an answer: an error that it reported, or its last line.
    pub(super) fn last_words(&self) -> Option<Hint> {
        if self.asked.is_some() {
            // The bridge tells how its engine has ended.
            return None;
        }
        let reported = self.error.clone().map(|error| Hint::Reported(error, None));
        reported.or_else(|| self.last().map(|line| Hint::Wrote(line.raw().trim().into())))
    }

    /// What the engine behind a bridge was asked.
    pub(super) const fn asked(&self) -> Option<&Untrusted> {
        self.asked.as_ref()
    }

    /// The line in which the engine behind a bridge wrote this move, if it has other names for it.
    pub(super) fn written_as(&self, mv: &str) -> Option<Hint> {
        let line = self.last().filter(|_| self.asked.is_some())?;
        let is_same = line.raw().to_ascii_lowercase().contains(&mv.to_ascii_lowercase());
        (!is_same).then(|| Hint::Wrote(line.clone()))
    }

    /// It has written so many lines, but no answer.
    fn beside_answer(&self, count: u64, last: &str, expected: Expected<'_>, effort: Option<Effort>) -> Hint {
        Hint::OtherLines {
            count,
            last: last.trim().into(),
            expected: match &self.asked {
                Some(asked) => format!("it was asked {}", quoted(asked)),
                None => expected.example(),
            },
            effort: effort.filter(Effort::is_of_program),
        }
    }

    /// The last line that was meant as the answer, and what it should have been.
    pub(crate) fn wrong_form(&self, expected: Expected<'_>, stderr: &[String]) -> Option<Hint> {
        if self.asked.is_some() {
            // It speaks another protocol.
            return None;
        }
        let is_spelled = |line: &&Untrusted| expected.is_spelled_in(line.raw());
        let has_move = |line: &&Untrusted| expected.move_in(line.raw()).is_some();
        let hint = |line: &Untrusted| Hint::WrongForm {
            line: line.raw().trim().into(),
            expected: expected.correction(line.raw()),
        };
        let lines = || self.lines.iter().rev();
        // An error may quote the word.
        let is_answer = |line: &&String| expected.begins(line);
        let on_stderr = || stderr.iter().rev().find(is_answer);
        lines()
            .find(is_spelled)
            .map(hint)
            .or_else(|| on_stderr().map(|line| Hint::OnStderr(line.as_str().into())))
            .or_else(|| lines().find(has_move).map(hint))
    }
}

impl Expected<'_> {
    /// Whether a line contains the word of the answer, even misspelled: `Bestmove a4`,
    /// `best move: a4`, `> bestmove a4`.
    fn is_spelled_in(self, line: &str) -> bool {
        let letters: String = line.chars().filter(char::is_ascii_alphanumeric).collect();
        let letters = letters.to_ascii_lowercase();
        match self {
            Expected::BestMove(_) => letters.contains("bestmove"),
            Expected::Word(word) => letters.contains(word),
        }
    }

    /// Whether a line begins with the word of the answer. Error messages quote indented lines of the program.
    fn begins(self, line: &str) -> bool {
        let word = line.split(char::is_whitespace).next().unwrap_or_default();
        self.is_spelled_in(word) && !word.contains(['(', '"', '\''])
    }

    /// The move in a line such as `a4`, `c2-c3` or `I play a4`; a legal one if there is
    /// one.
    fn move_in(self, line: &str) -> Option<String> {
        let Expected::BestMove(position) = self else {
            return None;
        };
        let words: Vec<String> = line
            .split(|sign: char| !sign.is_ascii_alphanumeric())
            .filter(|word| !word.is_empty() && !word.eq_ignore_ascii_case("bestmove"))
            .map(str::to_ascii_lowercase)
            .collect();
        if words.len() > MAX_WORDS {
            return None;
        }
        let pairs = words.windows(2).map(<[String]>::concat);
        let candidates: Vec<String> = words.iter().cloned().chain(pairs).collect();
        let is_legal = |text: &&String| position.parse_move(text).is_ok();
        let is_illegal = |text: &&String| matches!(position.parse_move(text), Err(MoveError::Illegal(_)));
        let found = candidates.iter().find(is_legal);
        found.or_else(|| candidates.iter().find(is_illegal)).cloned()
    }

    /// What a line should have been.
    fn correction(self, line: &str) -> String {
        let Some(mv) = self.move_in(line) else {
            return self.example();
        };
        let answer = format!("bestmove {mv}");
        let is_case = line.trim() != answer && line.trim().eq_ignore_ascii_case(&answer);
        let case = if is_case { ", in lower case" } else { "" };
        format!("an answer is `{answer}`{case}")
    }

    /// An answer that works here.
    fn example(self) -> String {
        match self {
            Expected::BestMove(position) => format!(
                "an answer is a line such as `bestmove {}`",
                example_move(position, "")
            ),
            Expected::Word(word) => format!("the answer is `{word}`"),
        }
    }
}

/// What is wrong with the move of a line `bestmove …`, as a clause that follows "which is
/// not a move".
pub(crate) fn malformed_move(position: &dyn Position, line: &str) -> String {
    let found = line.split_whitespace().nth(1).unwrap_or_default();
    let letters: String = found.chars().filter(char::is_ascii_alphanumeric).collect();
    if NULL_MOVES.contains(&letters.to_ascii_lowercase().as_str()) {
        let count = position.legal_moves().len();
        let moves = if count == 1 { "move" } else { "moves" };
        let example = example_move(position, "");
        return format!(": {count} legal {moves} can be played, such as `{example}`");
    }
    match Expected::BestMove(position).move_in(line) {
        Some(mv) => format!("; an answer is `bestmove {mv}`"),
        None => format!(
            ": a move is {}, such as `{}`",
            position.info().move_form,
            example_move(position, found)
        ),
    }
}

/// A legal move that begins with `start` if there is one, else any legal move, else the
/// game's sample move.
fn example_move(position: &dyn Position, start: &str) -> String {
    let start = start.to_ascii_lowercase();
    let moves = position.legal_moves();
    let mv = moves
        .iter()
        .find(|mv| mv.text.starts_with(&start))
        .or(moves.first());
    mv.map_or(position.info().sample_move, |mv| &mv.text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Ruleset;
    use sentences::expect;
    use std::time::Duration;

    fn output(lines: &[&str]) -> Output {
        let mut output = Output::default();
        for line in lines {
            output.push((*line).into());
        }
        output
    }

    /// The hint about these lines of Magnetic Cave as text.
    fn hint(lines: &[&str], unfinished: Option<&str>, stderr: &[&str]) -> String {
        let position = Ruleset::MAGNETIC_CAVE.startpos();
        let stderr: Vec<String> = stderr.iter().map(|line| (*line).to_string()).collect();
        let expected = Expected::BestMove(position.as_ref());
        let state = State {
            unfinished: unfinished.map(Untrusted::from),
            stderr,
            ..State::default()
        };
        output(lines).hint("go", expected, state).unwrap().to_string()
    }

    #[test]
    fn finds_the_answer_that_was_meant() {
        for (line, answer) in [
            ("a4", "an answer is `bestmove a4`"),
            ("Bestmove a4", "an answer is `bestmove a4`, in lower case"),
            ("bestmove: a4", "an answer is `bestmove a4`"),
            ("bestMove = A4", "an answer is `bestmove a4`"),
            ("I play a 4!", "an answer is `bestmove a4`"),
            ("best move (0, 3)", "an answer is a line such as `bestmove a8`"),
            ("info string bestmove h2", "an answer is `bestmove h2`"),
        ] {
            assert_eq!(hint(&[line], None, &[]), format!("it wrote `{line}`; {answer}"));
        }
        // The last such line, before all others.
        expect! {"it wrote `Bestmove a4`; an answer is `bestmove a4`, in lower case"}.assert_eq(&hint(
            &["a1", "Bestmove a4", "8 . . . . h1", "done"],
            Some("a5"),
            &["bestmove a7"],
        ));
    }

    #[test]
    fn explains_output_without_an_answer() {
        for (lines, unfinished, stderr, text) in [
            (
                &[][..],
                None,
                &[][..],
                expect! {"it has written nothing since `go`"},
            ),
            (
                &["info depth 1", "info depth 2"],
                None,
                &[],
                expect! {"it wrote 2 `info` lines but no `bestmove`: does its search end in time?"},
            ),
            (
                &["info depth 1", "info string error: no such file", "done"],
                None,
                &[],
                expect! {"it reported `no such file`"},
            ),
            (
                &[],
                Some("Enter move: "),
                &[],
                expect! {"its last line, `Enter move: `, does not end with a newline; an answer is a line such as `bestmove a8`"},
            ),
            (
                &[],
                Some("bestmove a4"),
                &[],
                expect! {"its last line, `bestmove a4`, does not end with a newline"},
            ),
            (
                &["  a b c", "8 . . x"],
                None,
                &["thinking"],
                expect! {"it wrote 2 lines, the last of them `8 . . x`; an answer is a line such as `bestmove a8`"},
            ),
            (
                &["thinking"],
                None,
                &["bestmove a4", "ValueError: no `bestmove` for you"],
                expect! {"it wrote `bestmove a4` to standard error; an answer goes to standard output"},
            ),
            (
                &["thinking"],
                None,
                &[
                    "  File \"bot.py\", line 9, in <module>",
                    "    print(\"bestmove\", choose(board), flush=True)",
                    "    bestmove = choose(board)",
                    "IndexError: list index out of range",
                ],
                expect! {"it wrote `thinking`; an answer is a line such as `bestmove a8`"},
            ),
        ] {
            text.assert_eq(&hint(lines, unfinished, stderr));
        }
    }

    #[test]
    fn says_what_a_silent_program_did() {
        let position = Ruleset::MAGNETIC_CAVE.startpos();
        let state = State {
            effort: Some(Effort {
                time: Duration::from_secs(3),
                computed: Duration::from_secs(1),
                ..Effort::default()
            }),
            ..State::default()
        };
        let hint = output(&[]).hint("go", Expected::BestMove(position.as_ref()), state);
        expect! {"it has written nothing since `go`: it used 1.0 s of processor time in 3.0 s"}
            .assert_eq(&hint.unwrap().to_string());
    }

    #[test]
    fn says_what_the_program_behind_a_bridge_was_asked_and_wrote() {
        let asked = [
            "info string > input.txt | 1",
            "info string > input.txt | 00000",
            "info string > python3 player.py",
        ];
        for (more, stderr, text) in [
            (
                &[][..],
                &[][..],
                expect! {"it has written nothing since `python3 player.py`"},
            ),
            (
                &[],
                &["depth 1", "depth 2"],
                expect! {"it wrote `depth 2`; it was asked `python3 player.py`"},
            ),
            (
                &["info string < output.txt | 9,9"],
                &["depth 2"],
                expect! {"it wrote `output.txt | 9,9`; it was asked `python3 player.py`"},
            ),
        ] {
            text.assert_eq(&hint(&[&asked, more].concat(), None, stderr));
        }
    }

    #[test]
    fn keeps_a_bounded_number_of_lines() {
        let mut output = output(&["a4"]);
        for _ in 0..1000 {
            output.push("ü".repeat(1000).into());
        }
        assert_eq!((output.lines.len(), output.count), (MAX_LINES, 1001));
        assert!(output.lines.iter().all(|line| line.as_bytes().len() <= MAX_LINE));
    }

    #[test]
    fn says_what_a_move_looks_like() {
        let cave = Ruleset::MAGNETIC_CAVE.startpos();
        let grid = Ruleset::GRIDLOCK.startpos();
        for (position, line, text) in [
            (&cave, "bestmove 0 3", ": a move is a cell, such as `a8`"),
            (&cave, "bestmove a 4", "; an answer is `bestmove a4`"),
            (
                &cave,
                "bestmove (none)",
                ": 16 legal moves can be played, such as `a8`",
            ),
            (&cave, "bestmove", ": a move is a cell, such as `a8`"),
            (
                &grid,
                "bestmove b2",
                ": a move is two cells, from and to, such as `b2a2`",
            ),
            (&grid, "bestmove C4-d4", "; an answer is `bestmove c4d4`"),
        ] {
            assert_eq!(malformed_move(position.as_ref(), line), text, "{line}");
        }
    }
}
