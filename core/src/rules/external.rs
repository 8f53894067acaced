//! The rules of a rules program, as the referee plays by them.
//!
//! The processes are a pool: a question takes one that is idle, or starts one, so there are as many as threads that ask
//! at the same time: one for each slot of a match, and one that draws boards for `--html`. A process that ends or does
//! not answer is started again once, and asked again, because each question has the whole position.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use lodestone_game::board::Side;
use lodestone_game::random::Random;
use lodestone_game::{EndReason, FenError, GameInfo, GameResult, Outcome, Setup};

use super::program::{KnownQueries, NO_MOVES, PROVES, RulesState};
use super::{RulesError, RulesProgram, SETUP_SEEDS, version_of, written};
use crate::failure::Failure;
use crate::failure::Stop;
use crate::game::PositionLine;
use crate::game::grid::Grid;
use crate::game::{ExternalProgram, GameMove, GameRules, MoveError, Position, Ruleset, STARTPOS, title_of};
use crate::io::files::digest;
use crate::io::interrupt::{self, Interrupt};
use crate::io::running_clock;
use crate::io::text::{counted, printable};
use crate::player::StartedRules;

/// The reason of an end by the rules of a program.
pub const RULES: EndReason = EndReason("rules");

/// The most moves that a message lists.
const MAX_LISTED: usize = 8;

/// The most characters of a move in a message.
const MAX_MOVE: usize = 40;

/// The beginning of a sentence about a failure.
const FAILED: &str = "the rules program failed";

/// Starts a process of the program, and makes it ready.
type Start = dyn Fn(&Arc<Interrupt>) -> Result<StartedRules, Failure> + Send + Sync;

/// The rules of a program.
pub struct ExternalRules {
    info: GameInfo,
    /// What the program calls itself, with its options.
    version: Option<String>,
    /// The same before it had them.
    greeting: Option<String>,
    source: RulesSource,
    /// The values of the options that are not set.
    defaults: Vec<(String, String)>,
    interrupt: Arc<Interrupt>,
    known: KnownQueries,
    /// The state at the start of the game.
    startpos: Arc<RulesState>,
    /// The processes that answer no question at present.
    idle: Mutex<Vec<RulesProgram>>,
    has_warned: AtomicBool,
    /// Whether a wrong answer to `query grid` was reported.
    has_wrong_grid: AtomicBool,
    /// Whether a signal has ended a question.
    was_cut: AtomicBool,
    /// The time of all answers, in nanoseconds.
    asked: AtomicU64,
    /// The number of questions.
    questions: AtomicU64,
    /// The first failure that no restart has helped.
    failure: Mutex<Option<String>>,
}

impl fmt::Debug for ExternalRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.info.name)
    }
}

/// What is needed to load the rules of a program.
pub struct RulesSource {
    /// The name of the game, as the user gave it or the program says it.
    pub name: String,
    /// The words that describe the program, as after `--rules`.
    pub words: Vec<String>,
    /// The options that are set: names and values.
    pub options: Vec<(String, String)>,
    /// The time limit of an answer.
    pub timeout: Duration,
    /// Starts a process of the program.
    pub start: Box<Start>,
}

impl ExternalRules {
    /// Starts the program. Its rules stay until the process ends.
    ///
    /// # Errors
    /// The program cannot be started, or gives no proper answer about the start of the game.
    pub fn load(source: RulesSource) -> Result<&'static ExternalRules, Failure> {
        let interrupt = Interrupt::unreachable()
            .map_err(|error| Failure::Output(format!("cannot listen for signals: {error}")))?;
        let interrupt = Arc::new(interrupt);
        let failed = |error: RulesError| match error {
            RulesError::Stopped(stop) => stop.into(),
            RulesError::Fault(fault) if fault.is_answer => Stop::Rules(format!("{FAILED}: {fault}")).into(),
            RulesError::Fault(fault) => Failure::Start(format!("--rules: {fault}")),
            RulesError::Refused(error) => {
                let name = &source.name;
                Failure::Start(format!("--rules: {name} refuses the start position: {error}"))
            }
        };
        let started = (source.start)(&interrupt).map_err(|failure| match failure {
            Failure::Start(why) => Failure::Start(format!("the rules program: {why}")),
            failure => failure,
        })?;
        let greeting = started.version.as_deref().map(version_of);
        let probed = RulesProgram::probe(source.name.clone(), started.process, source.timeout);
        let mut program = probed.map_err(failed)?;
        let is_set = |name: &str| {
            source
                .options
                .iter()
                .any(|(own, _)| own.eq_ignore_ascii_case(name))
        };
        let announced = started.announced.specs().iter();
        let defaults = announced.filter(|option| !is_set(&option.name));
        let defaults =
            defaults.filter_map(|option| Some((option.name.clone(), option.kind.default_value()?)));
        let defaults: Vec<(String, String)> = defaults.collect();
        let version = program.version(greeting.as_deref(), !source.options.is_empty());
        let version = version.map_err(failed)?;
        let startpos = program.consistent_state(&PositionLine::start()).map_err(failed)?;
        let name: &'static str = source.name.clone().leak();
        let title: &'static str = title_of(source.words.iter().map(String::as_str), name, version.as_deref())
            .to_string()
            .leak();
        Ok(Box::leak(Box::new(ExternalRules {
            info: GameInfo::of_other_game(name, title),
            version,
            greeting,
            defaults,
            source,
            interrupt,
            known: program.known().clone(),
            startpos: Arc::new(startpos),
            idle: Mutex::new(vec![program]),
            has_warned: AtomicBool::new(false),
            has_wrong_grid: AtomicBool::new(false),
            was_cut: AtomicBool::new(false),
            asked: AtomicU64::new(0),
            questions: AtomicU64::new(0),
            failure: Mutex::new(None),
        })))
    }

    /// Asks a process of the program; one that has been asked about an earlier position of the same
    /// game, if there is one.
    fn ask<T>(
        &self,
        position: &PositionLine,
        question: impl Fn(&mut RulesProgram) -> Result<T, RulesError>,
    ) -> Result<T, RulesError> {
        let begin = running_clock::now();
        if self.was_cut.load(Ordering::Relaxed) {
            // It is slow, and there may be many more questions, as for the boards of a page.
            interrupt::check().map_err(|signal| RulesError::Stopped(signal.into()))?;
        }
        let mut program = match self.take(position) {
            Some(program) => program,
            None => self.started()?,
        };
        let mut answer = question(&mut program);
        if !program.is_running()
            && let Err(RulesError::Fault(fault)) = &answer
        {
            log::warn!("{fault}\n        restarting it and asking again");
            program = self.started()?;
            answer = question(&mut program);
        }
        if program.is_running() {
            self.idle().push(program);
        }
        if matches!(answer, Err(RulesError::Stopped(Stop::Signal(_)))) {
            self.was_cut.store(true, Ordering::Relaxed);
        }
        let taken = running_clock::elapsed(begin).as_nanos() as u64;
        self.asked.fetch_add(taken, Ordering::Relaxed);
        self.questions.fetch_add(1, Ordering::Relaxed);
        answer
    }

    fn take(&self, position: &PositionLine) -> Option<RulesProgram> {
        let mut idle = self.idle();
        let earlier = |program: &RulesProgram| position.continues(program.last());
        let index = idle
            .iter()
            .rposition(earlier)
            .or_else(|| idle.len().checked_sub(1))?;
        Some(idle.swap_remove(index))
    }

    fn started(&self) -> Result<RulesProgram, RulesError> {
        let started = (self.source.start)(&self.interrupt).map_err(|failure| match failure {
            Failure::Stopped(stop) => RulesError::Stopped(stop),
            failure => RulesError::Stopped(Stop::Rules(format!("{FAILED}: {failure}"))),
        })?;
        let RulesSource { name, timeout, .. } = &self.source;
        Ok(RulesProgram::new(
            name.clone(),
            started.process,
            *timeout,
            self.known.clone(),
        ))
    }

    fn idle(&self) -> MutexGuard<'_, Vec<RulesProgram>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The position after a move that the program has listed, or at a start that it has given.
    fn state(&self, line: &PositionLine) -> Result<RulesState, Stop> {
        let state = self
            .ask(line, |program| program.consistent_state(line))
            .map_err(|error| self.failed(error))?;
        let is_early = !state.is_over && state.result.is_some();
        if is_early && !self.has_warned.swap(true, Ordering::Relaxed) {
            log::warn!(
                "{} answers `query result` before the end of the game, which does not count: {line}",
                self.info.name
            );
        }
        Ok(state)
    }

    fn knows_notation(&self) -> bool {
        self.known.knows("notation") && self.known.knows("moves")
    }

    /// Notes a failure of the rules program, and stops.
    fn failed(&self, error: RulesError) -> Stop {
        let why = match error {
            RulesError::Stopped(Stop::Rules(why)) => why,
            RulesError::Stopped(stop) => return stop,
            RulesError::Fault(fault) => format!("{FAILED}: {fault}"),
            RulesError::Refused(error) => format!("{FAILED}: {error}"),
        };
        let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        Stop::Rules(failure.get_or_insert(why).clone())
    }

    fn position(&'static self, line: PositionLine, state: RulesState) -> Box<dyn Position> {
        Box::new(RulesPosition {
            rules: self,
            line,
            state: Arc::new(state),
        })
    }
}

impl GameRules for ExternalRules {
    fn info(&'static self) -> &'static GameInfo {
        &self.info
    }

    fn startpos(&'static self) -> Box<dyn Position> {
        Box::new(RulesPosition {
            rules: self,
            line: PositionLine::start(),
            state: Arc::clone(&self.startpos),
        })
    }

    fn parse_fen(&'static self, text: &str) -> Result<Box<dyn Position>, FenError> {
        let error = |message: String| FenError {
            character: 1,
            message,
        };
        if text == STARTPOS {
            return Ok(self.startpos());
        }
        if let Some(moves) = text.strip_prefix("startpos moves ") {
            return moves
                .split_whitespace()
                .try_fold(self.startpos(), |position, text| {
                    let mv = position.parse_move(text).map_err(|why| error(why.to_string()))?;
                    position.after(&mv).map_err(|stop| error(stop.to_string()))
                });
        }
        if !self.known.knows("fen") {
            return Err(error(format!(
                "positions of {} have no text; `startpos moves …` gives the moves to a position",
                self.info.name
            )));
        }
        let line = PositionLine::of_text(&printable(text, usize::MAX));
        match self.ask(&line, |program| program.state(&line)) {
            Ok(state) if state.is_over && state.result.is_none() => {
                Err(error("the game is over there, but has no result".into()))
            }
            Ok(state) => Ok(self.position(line, state)),
            Err(RulesError::Refused(why)) => Err(error(why)),
            Err(failed) => Err(error(self.failed(failed).to_string())),
        }
    }

    fn random_start(&'static self, _: Setup, random: &mut Random) -> Result<Box<dyn Position>, Stop> {
        if !self.known.knows("setup") {
            return Ok(self.startpos());
        }
        let seed = random.below(SETUP_SEEDS);
        let start = self.ask(&PositionLine::start(), |program| program.random_start(seed));
        let start = start.map_err(|error| self.failed(error))?;
        Ok(start.map_or_else(|| self.startpos(), |(line, state)| self.position(line, state)))
    }

    fn notation(&'static self, start: &str, moves: &[&str]) -> Result<Option<Vec<String>>, Stop> {
        if !self.knows_notation() {
            return Ok(None);
        }
        let mut line = PositionLine::of_start(&printable(start, usize::MAX));
        let mut written = Vec::with_capacity(moves.len());
        for &mv in moves {
            let text = self.ask(&line, |program| program.notation_of(&line, mv));
            let text = text.map_err(|error| self.failed(error))?;
            let name = self.info.name;
            written.push(text.ok_or_else(|| {
                let mv = printable(mv, MAX_MOVE);
                Stop::Rules(format!("{name} does not list the move `{mv}` after `{line}`"))
            })?);
            line.push(mv);
        }
        Ok(Some(written))
    }

    fn reads_notation(&self) -> bool {
        self.knows_notation() || self.known.knows("parse") && self.known.knows("moves")
    }

    fn proves(&self) -> bool {
        self.known.knows(PROVES)
    }

    fn has_random_start(&'static self) -> bool {
        self.known.knows("setup")
    }

    fn program(&'static self) -> Option<&'static dyn ExternalProgram> {
        Some(self)
    }
}

impl ExternalProgram for ExternalRules {
    fn options(&self) -> &[(String, String)] {
        &self.source.options
    }

    fn defaults(&self) -> &[(String, String)] {
        &self.defaults
    }

    fn version(&self) -> Option<&str> {
        self.version.as_deref()
    }

    fn greeting(&self) -> Option<&str> {
        self.greeting.as_deref()
    }

    fn words(&self) -> &[String] {
        &self.source.words
    }

    fn time_asked(&self) -> (Duration, u64) {
        let time = Duration::from_nanos(self.asked.load(Ordering::Relaxed));
        (time, self.questions.load(Ordering::Relaxed))
    }

    fn failure(&self) -> Option<String> {
        self.failure
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    fn close(&self) {
        self.idle().drain(..).for_each(RulesProgram::dismiss);
    }
}

/// A position of a rules program's game.
#[derive(Clone, Debug)]
struct RulesPosition {
    rules: &'static ExternalRules,
    line: PositionLine,
    state: Arc<RulesState>,
}

impl Position for RulesPosition {
    fn info(&self) -> &'static GameInfo {
        &self.rules.info
    }

    fn fen(&self) -> String {
        if let Some(text) = &self.state.text {
            return text.clone();
        }
        let line = self.line.to_string();
        line.strip_prefix("position ").unwrap_or_default().to_string()
    }

    fn side_to_move(&self) -> Side {
        self.state.side_to_move()
    }

    fn outcome(&self) -> Option<Outcome> {
        let result = self.state.result.filter(|_| self.state.is_over)?;
        Some(Outcome {
            result,
            reason: RULES,
        })
    }

    fn explain(&self, outcome: Outcome) -> String {
        match (&self.state.reason, outcome.result) {
            (Some(reason), _) => reason.shown().to_string(),
            (None, GameResult::Win(Side::First)) => "the first player won".into(),
            (None, GameResult::Win(Side::Second)) => "the second player won".into(),
            (None, GameResult::Draw) => "the game is drawn".into(),
        }
    }

    fn legal_moves(&self) -> Vec<GameMove> {
        if self.state.is_over {
            return Vec::new();
        }
        self.state.moves.iter().map(|mv| named(mv)).collect()
    }

    /// A move in another letter case is accepted where it can be no other one.
    fn parse_move(&self, text: &str) -> Result<GameMove, MoveError> {
        let moves = &self.state.moves;
        if !self.state.is_over && moves.iter().any(|mv| mv == text) {
            return Ok(named(text));
        }
        if NO_MOVES.contains(&text) || text.contains(char::is_whitespace) || text.is_empty() {
            return Err(MoveError::Malformed(format!(
                "`{}` is not a move",
                printable(text, MAX_MOVE)
            )));
        }
        if self.state.is_over {
            return Err(MoveError::Illegal("the game is over".into()));
        }
        if !self.rules.known.knows("moves") {
            let is_legal = self
                .rules
                .ask(&self.line, |program| program.is_legal(&self.line, text));
            return match is_legal {
                Ok(true) => Ok(named(text)),
                Ok(false) => Err(MoveError::Illegal("it is not legal".into())),
                Err(error) => Err(MoveError::Stopped(self.rules.failed(error))),
            };
        }
        in_other_case(moves, text)
            .map(named)
            .ok_or_else(|| not_among(moves.iter()))
    }

    /// The rules are asked; what they do not read is compared with the names of the moves.
    fn parse_written(&self, text: &str) -> Result<GameMove, MoveError> {
        let known = &self.rules.known;
        let is_listed = self.state.moves.iter().any(|mv| mv == text);
        let is_word = !text.is_empty() && !text.contains(char::is_whitespace) && !NO_MOVES.contains(&text);
        if is_listed || !is_word || self.state.is_over || !known.knows("moves") {
            return self.parse_move(text);
        }
        let failed = |error| MoveError::Stopped(self.rules.failed(error));
        if known.knows("parse") {
            let read = self
                .rules
                .ask(&self.line, |program| program.parse(&self.line, &self.state, text));
            if let Some(mv) = read.map_err(failed)? {
                return Ok(named(&mv));
            }
        }
        let pairs = if known.knows("notation") {
            let pairs = self.rules.ask(&self.line, |program| program.notation(&self.line));
            pairs.map_err(failed)?
        } else {
            let moves = self.state.moves.iter();
            moves.map(|mv| (mv.clone(), mv.clone())).collect()
        };
        let found = written::find(text, &pairs).map(named);
        found.ok_or_else(|| not_among(pairs.iter().map(|(_, written)| written)))
    }

    fn after(&self, mv: &GameMove) -> Result<Box<dyn Position>, Stop> {
        let line = self.line.after(&mv.text);
        let state = self.rules.state(&line)?;
        Ok(self.rules.position(line, state))
    }

    fn symmetry_key(&self) -> u64 {
        digest([self.fen().as_str()])
    }

    fn board(&self) -> String {
        let board = self.rules.ask(&self.line, |program| program.board(&self.line));
        board.unwrap_or_default()
    }

    /// A wrong answer counts as none; the first one is a warning.
    fn grid(&self) -> Option<Grid> {
        let answer = self.rules.ask(&self.line, |program| program.grid(&self.line));
        let grid = Grid::read(&answer.ok()??.shown().to_string());
        let warn = |why: String| {
            let name = self.rules.info.name;
            if !self.rules.has_wrong_grid.swap(true, Ordering::Relaxed) {
                log::warn!("{name} answers `query grid` wrongly: {why}; no grid is drawn");
            }
        };
        grid.map_err(warn).ok()
    }

    fn points(&self) -> Option<String> {
        let points = self.state.points.as_ref()?;
        Some(points.cut(MAX_MOVE).to_string())
    }

    fn proven(&self) -> Result<Option<GameResult>, Stop> {
        if !self.rules.proves() {
            return Ok(None);
        }
        let proven = self.rules.ask(&self.line, |program| program.proven(&self.line));
        proven.map_err(|error| self.rules.failed(error))
    }

    fn boxed_clone(&self) -> Box<dyn Position> {
        Box::new(self.clone())
    }
}

/// The move that is this text in another letter case, if there is just one.
fn in_other_case<'a>(moves: &'a [String], text: &str) -> Option<&'a str> {
    let mut same = moves.iter().filter(|mv| mv.eq_ignore_ascii_case(text));
    same.next().filter(|_| same.next().is_none()).map(String::as_str)
}

/// The error of a word that is none of these moves.
fn not_among<'a>(moves: impl ExactSizeIterator<Item = &'a String>) -> MoveError {
    let count = moves.len();
    let listed: Vec<String> = moves.take(MAX_LISTED).map(|mv| printable(mv, MAX_MOVE)).collect();
    let more = if count > MAX_LISTED { " …" } else { "" };
    let listed = listed.join(" ");
    MoveError::Illegal(format!(
        "the position has {}: {listed}{more}",
        counted(count, "legal move")
    ))
}

fn named(mv: &str) -> GameMove {
    GameMove { text: mv.to_string() }
}

impl From<&'static ExternalRules> for Ruleset {
    fn from(rules: &'static ExternalRules) -> Ruleset {
        Ruleset::new(rules)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sentences::expect;

    #[test]
    fn the_error_of_a_move_lists_the_first_legal_ones() {
        let moves: Vec<String> = (1..=9).map(|number| format!("m{number}")).collect();
        expect! {"the position has 8 legal moves: m1 m2 m3 m4 m5 m6 m7 m8"}
            .assert_eq(&not_among(moves[..8].iter()).to_string());
        expect! {"the position has 9 legal moves: m1 m2 m3 m4 m5 m6 m7 m8 …"}
            .assert_eq(&not_among(moves.iter()).to_string());
    }
}
