//! One game with a program: typing lines, and waiting for text.

use std::os::fd::BorrowedFd;
use std::time::{Duration, Instant};

use lodestone::board::{Bitboard, Cell, Move, Side};
use lodestone::game::AnyPosition;
use rustix::event::{PollFd, PollFlags, Timespec};

use super::board_reader::Pieces;
use super::pattern::{Pattern, Reading, number};
use super::program::AdaptedProgram;
use super::spec::{AdapterSpec, AnswerSource, Each, TypedLine};
use crate::io::text::printable;

/// A program that has been silent for this long waits for input.
const SILENCE: Duration = Duration::from_millis(20);

/// How long to wait for a prompt that may not exist.
const PROMPT_WAIT: Duration = Duration::from_millis(200);

/// The same for the first output of a program, which may start slowly.
pub const FIRST_OUTPUT_WAIT: Duration = Duration::from_secs(2);

/// Maximum output between two lines that are typed, in bytes.
const MAX_OUTPUT: u64 = 8 << 20;

/// Maximum length of a pattern or line in a message, in characters.
const MAX_QUOTE: usize = 40;

/// What else happens while a program is used.
pub trait DialogueObserver {
    /// A descriptor to watch.
    fn input(&self) -> Option<BorrowedFd<'_>>;

    /// Reads from that descriptor. Returns whether the game goes on.
    fn on_input(&mut self) -> bool;

    /// The adapter types a line.
    fn typed(&mut self, line: &str);

    /// The program has written this.
    fn printed(&mut self, text: &str);

    /// The program's answer is late, for this reason. Returns whether the game goes on.
    fn late(&mut self, why: &str) -> bool;
}

/// Why a game with a program cannot go on.
#[derive(Debug, PartialEq, Eq)]
pub enum DialogueEnd {
    /// The program or the file that describes it is wrong.
    Problem {
        /// What happened, in one line.
        message: String,
        /// The last lines of the program.
        screen: Vec<String>,
    },
    /// The observer does not want to go on.
    Abandoned,
}

/// A game with a program that plays one side.
#[derive(Debug)]
pub struct ProgramDialogue<'a> {
    spec: &'a AdapterSpec,
    side: Side,
    program: AdaptedProgram,
    /// How much the program had written when the last line was typed.
    written_before: u64,
    last_typed: Option<String>,
    /// The last move of each side.
    last_moves: [Option<Move>; 2],
    /// Whether lines must be typed before the next move of the opponent.
    has_answered: bool,
    position: Box<dyn AnyPosition>,
}

/// The values of the placeholders of a start.
pub fn start_value(spec: &AdapterSpec, position: &dyn AnyPosition, side: Side, slot: &str) -> String {
    let pieces = position.diagram().pieces;
    let names = |side: Side| {
        let cells = pieces[side.index()].cells();
        cells
            .map(|cell| spec.cells.name(cell))
            .collect::<Vec<_>>()
            .join(" ")
    };
    let fen = position.fen();
    let turns = |place: usize| {
        fen.split(' ')
            .nth(place)
            .and_then(|text| text.parse::<u32>().ok())
    };
    match slot {
        "player" => number(side).to_string(),
        "opponent" => number(side.opponent()).to_string(),
        "pieces" => pieces[0].count().to_string(),
        "turns" => turns(3)
            .unwrap_or(0)
            .saturating_sub(turns(2).unwrap_or(0))
            .to_string(),
        "first_cells" => names(Side::First),
        "second_cells" => names(Side::Second),
        _ => fen,
    }
}

impl<'a> ProgramDialogue<'a> {
    /// Starts a game from this position, with the program on this side.
    pub fn start(
        spec: &'a AdapterSpec,
        program: AdaptedProgram,
        side: Side,
        position: Box<dyn AnyPosition>,
        observer: &mut dyn DialogueObserver,
    ) -> Result<ProgramDialogue<'a>, DialogueEnd> {
        let mut dialogue = ProgramDialogue {
            spec,
            side,
            program,
            written_before: 0,
            last_typed: None,
            last_moves: [None; 2],
            has_answered: false,
            position,
        };
        for step in &spec.start[side.index()] {
            dialogue.start_step(step, observer)?;
        }
        Ok(dialogue)
    }

    fn start_step(
        &mut self,
        step: &TypedLine,
        observer: &mut dyn DialogueObserver,
    ) -> Result<(), DialogueEnd> {
        let position = self.position.clone();
        let value = |slot: &str| start_value(self.spec, position.as_ref(), self.side, slot);
        let Some(each) = step.each else {
            let line = step.text.fill(value);
            return self.type_line(step.wait.as_ref(), &line, observer);
        };
        let cells: Vec<String> = placed(position.as_ref(), each)
            .into_iter()
            .map(|cell| {
                step.text.fill(|slot| match slot {
                    "cell" => self.spec.cells.name(cell),
                    "row" => self.spec.cells.row(cell).to_string(),
                    "column" => self.spec.cells.column(cell).to_string(),
                    slot => value(slot),
                })
            })
            .collect();
        cells
            .iter()
            .try_for_each(|line| self.type_line(step.wait.as_ref(), line, observer))
    }

    /// The position that the program has on its board.
    pub fn position(&self) -> &dyn AnyPosition {
        self.position.as_ref()
    }

    pub fn is_to_move(&self) -> bool {
        self.position.side_to_move() == self.side
    }

    /// The program and its terminal.
    pub const fn program(&mut self) -> &mut AdaptedProgram {
        &mut self.program
    }

    /// Types a legal move of the opponent.
    pub fn opponent_moves(
        &mut self,
        mv: Move,
        observer: &mut dyn DialogueObserver,
    ) -> Result<(), DialogueEnd> {
        let spec = self.spec;
        if std::mem::take(&mut self.has_answered) {
            for step in &spec.after_answer {
                let line = step.text.fill(|slot| self.side_value(slot));
                self.type_line(step.wait.as_ref(), &line, observer)?;
            }
        }
        let mut prompt = spec.prompt.as_ref();
        for step in &spec.move_steps {
            let line = step.text.fill(|slot| self.move_value(mv, slot));
            if let Some(prompt) = prompt.take() {
                self.wait_for(prompt, observer)?;
            }
            self.type_line(step.wait.as_ref(), &line, observer)?;
        }
        self.position.play(mv);
        self.last_moves[self.side.opponent().index()] = Some(mv);
        Ok(())
    }

    fn side_value(&self, slot: &str) -> String {
        let side = if slot == "player" {
            self.side
        } else {
            self.side.opponent()
        };
        number(side).to_string()
    }

    fn move_value(&self, mv: Move, slot: &str) -> String {
        let (cells, from, to) = (&self.spec.cells, mv.from(), mv.to());
        match slot {
            "from" => cells.name(from),
            "from_row" => cells.row(from).to_string(),
            "from_column" => cells.column(from).to_string(),
            "row" | "to_row" => cells.row(to).to_string(),
            "column" | "to_column" => cells.column(to).to_string(),
            "cell" | "to" => cells.name(to),
            slot => self.side_value(slot),
        }
    }

    /// Waits for the program's move. After the `allowed` time it is late.
    pub fn await_answer(
        &mut self,
        allowed: Option<Duration>,
        observer: &mut dyn DialogueObserver,
    ) -> Result<Reading, DialogueEnd> {
        let spec = self.spec;
        let wait = PatternWait {
            timeout: spec.timeout.max(allowed.unwrap_or_default() + 3 * LATE_NOTICE),
            late: allowed.map(|allowed| allowed + LATE_NOTICE),
            what: match &spec.answer {
                AnswerSource::Text(answer) => described(&answer.pattern),
                AnswerSource::Board(_) => "a board with a move of the program".to_string(),
            },
        };
        let has_typed_move = self.last_moves[self.side.opponent().index()].is_some();
        let reading = self.wait_until(&wait, observer, |dialogue, is_final| {
            if let Some(reading) = dialogue.answer(is_final) {
                return Ok(Some(reading));
            }
            if has_typed_move {
                dialogue.check_end()?;
            }
            Ok(None)
        })?;
        self.has_answered = true;
        if let Reading::Move(mv) = reading {
            self.last_moves[self.side.index()] = Some(mv);
        }
        Ok(reading)
    }

    /// Records the program's own move, if it is legal.
    pub fn program_moves(&mut self, mv: Move) {
        self.position.play(mv);
    }

    /// The answer in the output so far. What stands at its very end counts only if it
    /// `is_final`.
    fn answer(&mut self, is_final: bool) -> Option<Reading> {
        let text = self.program.screen.unread();
        let found = match &self.spec.answer {
            AnswerSource::Text(answer) => {
                let is_new = |reading: &Reading| {
                    !self
                        .last_moves
                        .iter()
                        .flatten()
                        .any(|mv| *reading == Reading::Move(*mv))
                };
                let readings = answer.readings(text, self.side).into_iter();
                readings
                    .filter(|(place, _)| is_final || place.end < text.len())
                    .find(|(_, reading)| is_new(reading))
            }
            AnswerSource::Board(reader) => {
                let before = Pieces(self.position.diagram().pieces);
                let boards = reader.boards(text, is_final).into_iter();
                let mut moves = boards.filter_map(|(place, after)| {
                    let mv = before.move_to(after, self.side)?;
                    Some((place, Reading::Move(mv)))
                });
                moves.next()
            }
        };
        let (place, reading) = found?;
        self.program.screen.consume(&place);
        Some(reading)
    }

    /// Fails if the program has rejected a move or ended the game.
    fn check_end(&self) -> Result<(), DialogueEnd> {
        let text = self.program.screen.unread();
        let line = |pattern: &Option<Pattern>| {
            let found = pattern.as_ref()?.regex(self.side).find(text)?;
            let (before, after) = text.split_at(found.start());
            let start = before.rsplit('\n').next().unwrap_or_default();
            let end = after.split('\n').next().unwrap_or_default();
            Some(printable(format!("{start}{end}").trim(), MAX_QUOTE))
        };
        if let Some(line) = line(&self.spec.refused) {
            let typed = self.last_typed.as_deref().unwrap_or_default();
            return Err(self.problem(&format!("the program rejects the legal move `{typed}`: `{line}`")));
        }
        if let Some(line) = line(&self.spec.over) {
            return Err(self.problem(&format!("the program ends a game that is not over: `{line}`")));
        }
        Ok(())
    }

    /// Types a line, after the text of a pattern or else when the program is silent.
    fn type_line(
        &mut self,
        wait: Option<&Pattern>,
        line: &str,
        observer: &mut dyn DialogueObserver,
    ) -> Result<(), DialogueEnd> {
        match wait {
            Some(pattern) => self.wait_for(pattern, observer)?,
            None => self.wait_for_silence(observer)?,
        }
        self.program.screen.consume_all();
        self.written_before = self.program.written;
        self.last_typed = Some(line.to_string());
        observer.typed(line);
        self.program.type_line(line);
        Ok(())
    }

    fn wait_for(
        &mut self,
        pattern: &Pattern,
        observer: &mut dyn DialogueObserver,
    ) -> Result<(), DialogueEnd> {
        let wait = PatternWait {
            timeout: self.spec.timeout,
            late: None,
            what: described(pattern),
        };
        let side = self.side;
        self.wait_until(&wait, observer, |dialogue, _| {
            let screen = &mut dialogue.program.screen;
            let found = pattern
                .regex(side)
                .find(screen.unread())
                .map(|found| found.range());
            if let Some(place) = &found {
                screen.consume(place);
            }
            Ok(found.map(|_| ()))
        })
    }

    /// Waits until the program has written something since the last line and is silent, or
    /// until it is likely to write nothing.
    fn wait_for_silence(&mut self, observer: &mut dyn DialogueObserver) -> Result<(), DialogueEnd> {
        let start = Instant::now();
        let most = if self.last_typed.is_none() {
            FIRST_OUTPUT_WAIT
        } else {
            PROMPT_WAIT
        };
        loop {
            self.read(observer);
            let has_prompted = self.program.written > self.written_before;
            let until = if has_prompted {
                self.program.last_output + SILENCE
            } else {
                start + most
            };
            let until = until.min(start + FIRST_OUTPUT_WAIT);
            if self.program.is_closed || Instant::now() >= until {
                return Ok(());
            }
            self.poll(until, observer)?;
        }
    }

    /// Waits until `find` finds something in the output. It learns whether the program is
    /// silent or has ended.
    fn wait_until<T>(
        &mut self,
        wait: &PatternWait,
        observer: &mut dyn DialogueObserver,
        mut find: impl FnMut(&mut ProgramDialogue<'a>, bool) -> Result<Option<T>, DialogueEnd>,
    ) -> Result<T, DialogueEnd> {
        let start = Instant::now();
        let end = start + wait.timeout;
        let mut late = wait.late.map(|late| start + late);
        // Output is searched when it arrives, and once more when nothing follows.
        let mut searched = None;
        loop {
            self.read(observer);
            let is_silent = self.program.is_closed || self.program.last_output.elapsed() >= SILENCE;
            let state = (self.program.written, is_silent);
            if searched != Some(state) {
                searched = Some(state);
                if let Some(found) = find(self, is_silent)? {
                    return Ok(found);
                }
            }
            let now = Instant::now();
            if self.program.is_closed {
                let how = self.program.finish();
                return Err(self.problem(&format!("the program {how}, without {}", wait.what)));
            }
            if self.program.written - self.written_before > MAX_OUTPUT {
                let megabytes = MAX_OUTPUT >> 20;
                return Err(self.problem(&format!("{megabytes} MiB of output without {}", wait.what)));
            }
            if now >= end {
                return Err(self.problem(&self.never_matched(wait)));
            }
            if late.take_if(|at| now >= *at).is_some() && !observer.late(&self.never_matched(wait)) {
                return Err(DialogueEnd::Abandoned);
            }
            let silent_at = (!is_silent).then_some(self.program.last_output + SILENCE);
            let until = [late, silent_at].into_iter().flatten().fold(end, Instant::min);
            self.poll(until, observer)?;
        }
    }

    fn never_matched(&self, wait: &PatternWait) -> String {
        let after = match &self.last_typed {
            Some(line) => format!(" after `{}` was typed", printable(line, MAX_QUOTE)),
            None => String::new(),
        };
        let board = self.board_problem().unwrap_or_default();
        let last = self.program.screen.last_line();
        format!(
            "no match for {}{after}; {last}{}{board}",
            wait.what,
            self.prompt_problem()
        )
    }

    /// What is wrong if the program asks for a move instead of playing one.
    fn prompt_problem(&self) -> &'static str {
        let text = self.program.screen.unread().trim_end();
        let last = text.rsplit('\n').next().unwrap_or_default();
        let is_prompt = |prompt: &Pattern| prompt.regex(self.side).is_match(last);
        if !self.spec.prompt.as_ref().is_some_and(is_prompt) {
            ""
        } else if self.last_moves == [None; 2] {
            ": it asks for a move; does the pattern differ from its text, or are `first` and `second` swapped?"
        } else {
            ": it asks for a move; does the pattern differ from its text?"
        }
    }

    /// What the last board of the program shows, if boards are compared.
    fn board_problem(&self) -> Option<String> {
        let AnswerSource::Board(reader) = &self.spec.answer else {
            return None;
        };
        let boards = reader.boards(self.program.screen.unread(), true);
        Some(match boards.last() {
            None => "; no board was recognised".to_string(),
            Some((_, board)) => {
                let count = board.differences(Pieces(self.position.diagram().pieces));
                let cells = if count == 1 { "cell" } else { "cells" };
                format!("; its last board differs from the position in {count} {cells}")
            }
        })
    }

    fn problem(&self, message: &str) -> DialogueEnd {
        DialogueEnd::Problem {
            message: message.to_string(),
            screen: self.program.screen.last_lines(),
        }
    }

    fn read(&mut self, observer: &mut dyn DialogueObserver) {
        let new = self.program.read();
        if !new.is_empty() {
            observer.printed(&new);
        }
    }

    /// Waits for output of the program, or input for the observer.
    fn poll(&mut self, until: Instant, observer: &mut dyn DialogueObserver) -> Result<(), DialogueEnd> {
        let left = until.saturating_duration_since(Instant::now());
        let timeout = Timespec::try_from(left.max(Duration::from_millis(1))).ok();
        let mut events = PollFlags::IN;
        events.set(PollFlags::OUT, self.program.has_unsent());
        let has_input = {
            let terminal = self.program.terminal();
            let input = observer.input();
            let mut set = vec![PollFd::new(&terminal, events)];
            set.extend(input.as_ref().map(|input| PollFd::new(input, PollFlags::IN)));
            // A signal ends the wait early, which is harmless.
            let _ = rustix::event::poll(&mut set, timeout.as_ref());
            set.get(1).is_some_and(|input| !input.revents().is_empty())
        };
        self.program.send();
        if has_input && !observer.on_input() {
            return Err(DialogueEnd::Abandoned);
        }
        Ok(())
    }
}

/// After a late answer the referee waits for a second. The notice must arrive before it
/// ends.
const LATE_NOTICE: Duration = Duration::from_millis(500);

/// A wait for text of the program.
struct PatternWait {
    /// When it fails.
    timeout: Duration,
    /// When the observer learns that it is late.
    late: Option<Duration>,
    what: String,
}

/// A pattern in a message.
fn described(pattern: &Pattern) -> String {
    format!("{} `{}`", pattern.origin, printable(&pattern.source, MAX_QUOTE))
}

/// The cells of these pieces, in the order in which they are typed.
fn placed(position: &dyn AnyPosition, each: Each) -> Vec<Cell> {
    let pieces = position.diagram().pieces;
    match each {
        Each::Side(side) => pieces[side.index()].cells().collect(),
        Each::InTurn => {
            let [mut first, mut second] = pieces.map(Bitboard::cells);
            let mut cells = Vec::new();
            loop {
                let pair = [first.next(), second.next()];
                if pair == [None, None] {
                    return cells;
                }
                cells.extend(pair.into_iter().flatten());
            }
        }
    }
}
