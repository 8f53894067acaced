//! One game with a program: which game it has to play so that its next move answers a client's
//! position, typing lines, and waiting for text.

use std::os::fd::BorrowedFd;
use std::time::{Duration, Instant};

use lodestone_game::board::{Cell, Side};
use lodestone_game::protocol::Start;
use referee_core::failure::Stop;
use referee_core::game::{GameMove, Position};
use referee_core::io::stderr::is_headline;
use referee_core::io::text::ShowPath;
use referee_core::io::text::printable;
use referee_core::player::StartError;

use super::board_reader::Pieces;
use super::cell_names::full_name;
use super::line::Line;
use super::moves::MOVE_SLOT;
use super::pattern::{Pattern, Reading, number};
use super::program::{AdaptedProgram, wait};
use super::spec::{AdapterSpec, AnswerSource, Each, TypedLine};

/// A program that has been silent for this long waits for input.
const SILENCE: Duration = Duration::from_millis(20);

/// How long to wait for a prompt that may not exist.
const PROMPT_WAIT: Duration = Duration::from_millis(200);

/// The same for the first output of a program, which may start slowly.
pub(super) const FIRST_OUTPUT_WAIT: Duration = Duration::from_secs(2);

/// Maximum output between two lines that are typed, in bytes.
const MAX_OUTPUT: u64 = 8 << 20;

/// Maximum length of a pattern or line in a message, in characters.
const MAX_QUOTE: usize = 40;

/// Maximum length of a text that is no move, in characters.
const MAX_MOVE: usize = 20;

/// After a late answer the referee waits for a second. The notice must arrive before it
/// ends.
const LATE_NOTICE: Duration = Duration::from_millis(500);

/// What else happens while a program is used.
pub(super) trait GameObserver {
    /// A descriptor to watch.
    fn input(&self) -> Option<BorrowedFd<'_>> {
        None
    }

    /// Reads from that descriptor. Returns whether the game goes on.
    fn on_input(&mut self) -> bool {
        true
    }

    /// The adapter types a line.
    fn typed(&mut self, line: &str);

    /// The program has written this.
    fn printed(&mut self, text: &str);

    /// The program's answer is late, for this reason. Returns whether the game goes on.
    fn late(&mut self, why: &str) -> bool;
}

/// Why a game with a program cannot go on.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum GameEnd {
    /// The program or the file that describes it is wrong.
    Problem {
        /// What happened, in one line.
        message: String,
        /// The last lines of the program.
        screen: Vec<String>,
    },
    /// The observer does not want to go on.
    Abandoned,
    /// The machine is short of something that the program needs: a sentence.
    Short(String),
}

impl GameEnd {
    /// Adds the line of the program's output that names an error, or else its last line.
    fn with_error(mut self) -> GameEnd {
        if let GameEnd::Problem { message, screen } = &mut self
            && let Some(line) = screen
                .iter()
                .rfind(|line| is_headline(line))
                .or(screen.iter().rfind(|line| !line.trim().is_empty()))
        {
            let line = printable(line.trim(), MAX_QUOTE);
            *message = format!("{message}; it wrote `{line}`");
        }
        self
    }
}

/// A problem without output of the program.
pub(super) fn problem(message: String) -> GameEnd {
    let screen = Vec::new();
    GameEnd::Problem { message, screen }
}

/// How a program that plays the next move gets to the client's position: the number of moves before
/// the position from which it begins.
fn beginning(line: &Line, spec: &AdapterSpec) -> Result<usize, String> {
    if spec.takes_placement {
        // The first player moves first, from any placement.
        let back = line.position().side_to_move().index();
        return line.moves().len().checked_sub(back).ok_or_else(|| {
            "this program lets the first player move first, but the position has the second player to move"
                .to_string()
        });
    }
    if line.start == Start::Startpos {
        return Ok(0);
    }
    let name = spec.rules;
    let how = if name.info().has_setup {
        "no line of [start] tells it where the pieces are (`each`, `{first_cells}`, `{fen}`)"
    } else {
        "its matches need `--openings none`"
    };
    Err(format!(
        "this program plays {name} only from the start position: {how}"
    ))
}

/// A game with a program that plays one side, for a client.
#[derive(Debug)]
pub(super) struct AdaptedGame<'a> {
    spec: &'a AdapterSpec,
    side: Side,
    pub program: AdaptedProgram,
    /// How much the program had written when the last line was typed.
    written_before: u64,
    last_typed: Option<String>,
    /// The client's game, up to the program's own last move.
    pub game: Line,
    /// The number of moves before the program's game.
    begin: usize,
}

/// What the program has answered.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct AdaptedAnswer {
    /// The move as the protocol writes it, or what the program wrote instead.
    pub text: String,
    /// Why it cannot be played.
    pub problem: Option<String>,
}

/// Starts the program of a game.
pub(super) fn start_program(
    spec: &AdapterSpec,
    position: &dyn Position,
    side: Side,
) -> Result<AdaptedProgram, GameEnd> {
    let args = spec.args(|slot| start_value(spec, position, side, slot));
    AdaptedProgram::start(spec, args).map_err(|error| {
        let name = format!("`{}`", spec.program.shown());
        let wrong = format!("{name} cannot be started: {error}");
        match StartError::execution(&name, spec.program.clone(), error) {
            StartError::Stopped(Stop::Short(why)) => GameEnd::Short(why),
            _ => problem(wrong),
        }
    })
}

/// The values of the placeholders of a start.
fn start_value(spec: &AdapterSpec, position: &dyn Position, side: Side, slot: &str) -> String {
    let pieces = pieces_of(position).0;
    let names = |side: Side| {
        let cells = pieces[side.index()].cells();
        let names: Vec<String> = cells.map(|cell| spec.cells.name(cell)).collect();
        names.join(" ")
    };
    match slot {
        "pieces" => pieces[0].count().to_string(),
        "turns" => position.plies_left().to_string(),
        "first_cells" => names(Side::First),
        "second_cells" => names(Side::Second),
        "fen" => position.fen(),
        slot => side_value(side, slot),
    }
}

/// The pieces of a built-in game.
fn pieces_of(position: &dyn Position) -> Pieces {
    let built_in = position.built_in();
    Pieces(built_in.map_or_else(Default::default, |position| position.diagram().pieces))
}

/// The end of a game whose rules give no answer.
pub(super) fn stopped(stop: Stop) -> GameEnd {
    match stop {
        Stop::Short(why) => GameEnd::Short(why),
        stop => problem(stop.to_string()),
    }
}

/// The value of a placeholder for the program's side or its opponent's.
fn side_value(side: Side, slot: &str) -> String {
    number(if slot == "player" { side } else { side.opponent() }).to_string()
}

impl<'a> AdaptedGame<'a> {
    /// Starts a game and plays it up to the client's position. `started` is the program, if
    /// it runs already.
    pub fn start(
        spec: &'a AdapterSpec,
        started: Option<AdaptedProgram>,
        line: &Line,
        observer: &mut dyn GameObserver,
    ) -> Result<AdaptedGame<'a>, GameEnd> {
        let begin = beginning(line, spec).map_err(problem)?;
        let base = line.up_to(begin);
        let moves = line.moves().get(begin..).unwrap_or_default();
        let side = line.position().side_to_move();
        let program = match started {
            Some(program) => program,
            None => start_program(spec, base.position(), side)?,
        };
        let mut game = AdaptedGame {
            spec,
            side,
            program,
            written_before: 0,
            last_typed: None,
            game: base,
            begin,
        };
        for step in &spec.start[side.index()] {
            game.start_step(step, observer)?;
        }
        for mv in moves {
            if game.game.position().side_to_move() != side {
                game.opponent_moves(mv.clone(), observer)?;
                continue;
            }
            if game.await_reading(None, observer)? != mv.text {
                return Err(problem(format!(
                    "this program chooses all its moves itself, but the game has {} where it plays \
                     another move: its matches need `--openings none`",
                    mv.text
                )));
            }
            game.game.play(mv.clone()).map_err(stopped)?;
        }
        Ok(game)
    }

    fn start_step(&mut self, step: &TypedLine, observer: &mut dyn GameObserver) -> Result<(), GameEnd> {
        let spec = self.spec;
        let position = self.game.position();
        let value = |slot: &str| start_value(spec, position, self.side, slot);
        let lines: Vec<String> = match step.each {
            None => vec![step.text.fill(value)],
            Some(each) => {
                let line = |cell| {
                    step.text.fill(|slot| match slot {
                        "cell" => spec.cells.name(cell),
                        "row" | "column" => spec.cells.part(cell, slot),
                        slot => value(slot),
                    })
                };
                placed(position, each).into_iter().map(line).collect()
            }
        };
        lines
            .iter()
            .try_for_each(|line| self.type_line(step.wait.as_ref(), line, observer))
    }

    /// Whether the program has moved or been told a move in this game.
    fn has_moves(&self) -> bool {
        self.game.moves().len() > self.begin
    }

    /// The opponent's move that leads from here to the client's position; `None` if it is
    /// another game.
    pub fn continuation(&self, line: &Line) -> Option<GameMove> {
        let (last, before) = line.moves().split_last()?;
        self.is_at(line, before, self.game.moves()).then(|| last.clone())
    }

    /// The program's answer if this is the position that it has just answered.
    pub fn known_answer(&self, line: &Line) -> Option<GameMove> {
        let (last, before) = self.game.moves().split_last()?;
        self.is_at(line, line.moves(), before).then(|| last.clone())
    }

    fn is_at(&self, line: &Line, moves: &[GameMove], own: &[GameMove]) -> bool {
        let is_to_move = self.game.position().side_to_move() == self.side;
        self.game.start == line.start && moves == own && !is_to_move
    }

    /// Types a legal move of the opponent.
    pub fn opponent_moves(&mut self, mv: GameMove, observer: &mut dyn GameObserver) -> Result<(), GameEnd> {
        let spec = self.spec;
        if self.has_moves() {
            for step in &spec.after_answer {
                let line = step.text.fill(|slot| side_value(self.side, slot));
                self.type_line(step.wait.as_ref(), &line, observer)?;
            }
        }
        let mut prompt = spec.prompt.as_ref();
        for line in self.move_lines(&mv)? {
            if let Some(prompt) = prompt.take() {
                self.wait_for(prompt, observer)?;
            }
            let (wait, line) = line;
            self.type_line(wait, &line, observer)?;
        }
        self.game.play(mv).map_err(stopped)
    }

    /// What to type for a move, and the patterns to wait for before it.
    fn move_lines(&self, mv: &GameMove) -> Result<Vec<(Option<&'a Pattern>, String)>, GameEnd> {
        let steps = &self.spec.move_steps;
        let Some(words) = &self.spec.words else {
            let line = |step: &TypedLine| step.text.fill(|slot| self.move_value(mv, slot));
            return Ok(steps
                .iter()
                .map(|step| (step.wait.as_ref(), line(step)))
                .collect());
        };
        let slots = || steps.iter().flat_map(|step| step.text.slots()).map(full_name);
        // A special move is a line of its own.
        if let Some(text) = words
            .translation(&mv.text)
            .filter(|_| !slots().any(|slot| slot == MOVE_SLOT))
        {
            return Ok(vec![(None, text.to_string())]);
        }
        let parts = words.parts(&mv.text);
        let is_known = |slot: &str| ["player", "opponent"].contains(&slot) || parts.contains_key(slot);
        if let Some(slot) = slots().find(|slot| !is_known(slot)) {
            let mv = printable(&mv.text, MAX_QUOTE);
            return Err(problem(format!(
                "the move `{mv}` has no `{{{slot}}}`, which `send` of [move] types; `{mv} = \"…\"` in a table [words] \
                 says what to type instead"
            )));
        }
        let value = |slot: &str| match parts.get(full_name(slot)) {
            Some(text) => text.clone(),
            None => side_value(self.side, slot),
        };
        Ok(steps
            .iter()
            .map(|step| (step.wait.as_ref(), step.text.fill(value)))
            .collect())
    }

    /// The value of a placeholder for a move of a built-in game.
    fn move_value(&self, mv: &GameMove, slot: &str) -> String {
        let position = self.game.position().built_in();
        let Some(mv) = position.and_then(|position| position.parse_move(&mv.text).ok()) else {
            return String::new();
        };
        let slot = full_name(slot);
        let (end, part) = slot.split_once('_').unwrap_or((slot, ""));
        let cell = match end {
            "from" => mv.from(),
            "to" => mv.to(),
            _ => return side_value(self.side, slot),
        };
        if part.is_empty() {
            return self.spec.cells.name(cell);
        }
        self.spec.cells.part(cell, part)
    }

    /// Waits for the program's move, and plays it if it is legal. After the `allowed` time it is
    /// late.
    pub fn await_answer(
        &mut self,
        allowed: Option<Duration>,
        observer: &mut dyn GameObserver,
    ) -> Result<AdaptedAnswer, GameEnd> {
        let text = self.await_reading(allowed, observer)?;
        let problem = match self.game.position().parse_move(&text) {
            Ok(mv) => {
                self.game.play(mv).map_err(stopped)?;
                None
            }
            Err(error) => Some(error.to_string()),
        };
        Ok(AdaptedAnswer { text, problem })
    }

    /// Waits for the program's move, in the words of the protocol, or else what it wrote instead.
    fn await_reading(
        &mut self,
        allowed: Option<Duration>,
        observer: &mut dyn GameObserver,
    ) -> Result<String, GameEnd> {
        let what = match &self.spec.answer {
            AnswerSource::Text(answer) => described(&answer.pattern),
            AnswerSource::Board(_) => "a board with a move of the program".to_string(),
        };
        let late = allowed.map(|allowed| allowed + LATE_NOTICE);
        let timeout = self
            .spec
            .timeout
            .max(allowed.unwrap_or_default() + 3 * LATE_NOTICE);
        self.wait_until(&what, timeout, late, observer, |game, is_final| {
            let reading = game.answer(is_final);
            if reading.is_none() && game.has_moves() {
                game.check_end()?;
            }
            Ok(reading)
        })
    }

    /// The answer in the output so far. What stands at its very end counts only if it
    /// `is_final`.
    fn answer(&mut self, is_final: bool) -> Option<String> {
        let text = self.program.screen.unread();
        let (place, answer) = match &self.spec.answer {
            AnswerSource::Text(answer) => {
                let readings = answer.readings(text, self.side).into_iter();
                let mut complete = readings.filter(|(place, _)| is_final || place.end < text.len());
                complete.find_map(|(place, reading)| Some((place, self.read_move(reading)?)))?
            }
            AnswerSource::Board(reader) => {
                let before = pieces_of(self.game.position());
                let mut boards = reader.boards(text, is_final).into_iter();
                boards.find_map(|(place, after)| {
                    let reading = Reading::Move(before.move_to(after, self.side)?);
                    Some((place, self.read_move(reading)?))
                })?
            }
        };
        self.program.screen.consume(&place);
        Some(answer)
    }

    /// The move of a reading in the words of the protocol, or what is there instead; `None` if it is one of the last
    /// two moves, which may be printed again.
    fn read_move(&self, reading: Reading) -> Option<String> {
        let played = self.game.moves().get(self.begin..).unwrap_or_default();
        let last = played.get(played.len().saturating_sub(2)..).unwrap_or_default();
        let position = self.game.position();
        let other = |text: &str| printable(&text.to_lowercase().replace(char::is_whitespace, ""), MAX_MOVE);
        match reading {
            Reading::Move(mv) => {
                let text = position.built_in()?.move_text(mv);
                (!last.iter().any(|played| played.text == text)).then_some(text)
            }
            Reading::Parts(parts) => {
                let words = self.spec.words.as_ref()?;
                // The same words may be a move again.
                if let Some(found) = words.find(position, &parts) {
                    return Some(found);
                }
                let is_old = last.iter().any(|mv| words.agree(&mv.text, &parts));
                let texts: Vec<&str> = parts.values().map(String::as_str).collect();
                (!is_old).then(|| other(&texts.join(" ")))
            }
            Reading::Other(text) => Some(other(&text)),
        }
    }

    /// Fails if the program has rejected a move or ended the game.
    fn check_end(&self) -> Result<(), GameEnd> {
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
            return Err(self.problem(format!("the program rejects the legal move `{typed}`: `{line}`")));
        }
        if let Some(line) = line(&self.spec.over) {
            return Err(self.problem(format!("the program ends a game that is not over: `{line}`")));
        }
        Ok(())
    }

    /// Types a line, after the text of a pattern or else when the program is silent.
    fn type_line(
        &mut self,
        wait: Option<&Pattern>,
        line: &str,
        observer: &mut dyn GameObserver,
    ) -> Result<(), GameEnd> {
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

    fn wait_for(&mut self, pattern: &Pattern, observer: &mut dyn GameObserver) -> Result<(), GameEnd> {
        let timeout = self.spec.timeout;
        self.wait_until(&described(pattern), timeout, None, observer, |game, _| {
            let screen = &mut game.program.screen;
            let found = pattern.regex(game.side).find(screen.unread());
            let found = found.map(|found| found.range());
            Ok(found.map(|place| screen.consume(&place)))
        })
    }

    /// Waits until the program has written something since the last line and is silent, or
    /// until it is likely to write nothing.
    fn wait_for_silence(&mut self, observer: &mut dyn GameObserver) -> Result<(), GameEnd> {
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

    /// Waits until `find` finds something in the output, which is `what`. It learns whether the
    /// program is silent or has ended. Fails after the timeout; the observer learns that it is late.
    fn wait_until<T>(
        &mut self,
        what: &str,
        timeout: Duration,
        late: Option<Duration>,
        observer: &mut dyn GameObserver,
        mut find: impl FnMut(&mut AdaptedGame<'a>, bool) -> Result<Option<T>, GameEnd>,
    ) -> Result<T, GameEnd> {
        let start = Instant::now();
        let end = start + timeout;
        let mut late = late.map(|late| start + late);
        // Output is searched when it arrives, and once more when nothing follows.
        let mut searched = None;
        loop {
            self.read(observer);
            let is_silent = self.program.is_closed || self.program.last_output.elapsed() >= SILENCE;
            let state = (self.program.written, is_silent);
            if searched.replace(state) != Some(state)
                && let Some(found) = find(self, is_silent)?
            {
                return Ok(found);
            }
            let now = Instant::now();
            if self.program.is_closed {
                let how = self.program.finish();
                let lost = self.problem(format!("the program {how}, without {what}"));
                return Err(lost.with_error());
            }
            if self.program.written - self.written_before > MAX_OUTPUT {
                return Err(self.problem(format!("{} MiB of output without {what}", MAX_OUTPUT >> 20)));
            }
            if now >= end {
                return Err(self.problem(self.never_matched(what)));
            }
            if late.take_if(|at| now >= *at).is_some() && !observer.late(&self.never_matched(what)) {
                return Err(GameEnd::Abandoned);
            }
            let silent_at = (!is_silent).then_some(self.program.last_output + SILENCE);
            let until = [late, silent_at].into_iter().flatten().fold(end, Instant::min);
            self.poll(until, observer)?;
        }
    }

    fn never_matched(&self, what: &str) -> String {
        let after = self.last_typed.as_ref();
        let after = after.map(|line| format!(" after `{}` was typed", printable(line, MAX_QUOTE)));
        format!(
            "no match for {what}{}; {}{}{}",
            after.unwrap_or_default(),
            self.program.screen.last_line(),
            self.prompt_problem(),
            self.board_problem().unwrap_or_default()
        )
    }

    /// What is wrong if the program asks for a move instead of playing one.
    fn prompt_problem(&self) -> &'static str {
        let text = self.program.screen.unread().trim_end();
        let last = text.rsplit('\n').next().unwrap_or_default();
        let is_prompt = |prompt: &Pattern| prompt.regex(self.side).is_match(last);
        if !self.spec.prompt.as_ref().is_some_and(is_prompt) {
            ""
        } else if self.has_moves() {
            ": it asks for a move; does the pattern differ from its text?"
        } else {
            ": it asks for a move; does the pattern differ from its text, or are `first` and `second` swapped?"
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
                let count = board.differences(pieces_of(self.game.position()));
                let cells = if count == 1 { "cell" } else { "cells" };
                format!("; its last board differs from the position in {count} {cells}")
            }
        })
    }

    fn problem(&self, message: String) -> GameEnd {
        let screen = self.program.screen.last_lines();
        GameEnd::Problem { message, screen }
    }

    fn read(&mut self, observer: &mut dyn GameObserver) {
        let new = self.program.read();
        if !new.is_empty() {
            observer.printed(&new);
        }
    }

    /// Waits for output of the program, or input for the observer.
    fn poll(&mut self, until: Instant, observer: &mut dyn GameObserver) -> Result<(), GameEnd> {
        let left = until.saturating_duration_since(Instant::now());
        if wait(Some(&mut self.program), observer.input(), Some(left)) && !observer.on_input() {
            return Err(GameEnd::Abandoned);
        }
        Ok(())
    }
}

/// A pattern in a message.
fn described(pattern: &Pattern) -> String {
    format!("{} `{}`", pattern.origin, printable(&pattern.source, MAX_QUOTE))
}

/// The cells of these pieces, in the order in which they are typed.
fn placed(position: &dyn Position, each: Each) -> Vec<Cell> {
    let pieces = pieces_of(position).0;
    let sides = match each {
        Each::Side(side) => &pieces[side.index()..=side.index()],
        Each::InTurn => &pieces,
    };
    let mut cells: Vec<(usize, Cell)> = sides.iter().flat_map(|side| side.cells().enumerate()).collect();
    // The order of the sides stays.
    cells.sort_by_key(|(number, _)| *number);
    cells.into_iter().map(|(_, cell)| cell).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_quotes_the_line_that_names_an_error_or_else_the_last_one() {
        for (screen, quoted) in [
            (["ValueError: wrong", "bye"], "ValueError: wrong"),
            (["hello", "  "], "hello"),
        ] {
            let end = GameEnd::Problem {
                message: "no move".into(),
                screen: screen.map(String::from).to_vec(),
            };
            let GameEnd::Problem { message, .. } = end.with_error() else {
                panic!("{screen:?}");
            };
            assert_eq!(message, format!("no move; it wrote `{quoted}`"));
        }
    }
}
