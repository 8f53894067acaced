//! A rules program as a child process.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::fmt::Write;
use std::time::Duration;

use lodestone_game::GameResult;
use lodestone_game::board::Side;
use lodestone_game::protocol::{Dialect, Query, Response, StateQuery};

use super::version_of;
use crate::failure::Stop;
use crate::game::PositionLine;
use crate::io::interrupt;
use crate::io::lines::LONGEST_LINE;
use crate::io::running_clock;
use crate::io::stderr::excerpt;
use crate::io::text::{counted, is_printable, printable};
use crate::io::untrusted::Untrusted;
use crate::player::reported;
use crate::process::{self, MAX_OUTPUT, Process, Received};

/// Default time limit for an answer.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(5);

/// How many time limits a program has at most to read several moves at a time, one for each move: as long as it may take
/// if they come one by one.
pub const MAX_LIMITS: u32 = 10;

/// Maximum length of quoted text, in characters.
const MAX_QUOTED: usize = 200;

/// The most lines of standard error that are shown after a crash.
const MAX_STDERR: usize = 5;

/// The most moves that are shown of a list.
const MAX_MOVES: usize = 12;

/// A word that is a move of no game.
const NO_MOVE: &str = "no-move";

/// What only programs answer that know results before the end, as by tables: no query of engines.
const PROVEN: &str = "query proven";

/// Its word among the queries that a program knows.
pub(super) const PROVES: &str = "proven";

/// A query that no program knows.
const NO_QUERY: &str = "query no-query";

/// How long a question goes on after a signal: most answers come at once, and a page may need them.
const GRACE: Duration = Duration::from_millis(500);

/// What to do if Python cannot join moves to a line.
const MOVES_ARE_WORDS: &str = "moves are words, such as `str(move)` for a number";

/// Words that are no moves, but stand for the lack of one; `0000` is a pass if the rules list it.
pub(crate) const NO_MOVES: [&str; 3] = ["(none)", "none", "0000"];

/// A fault of a rules program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RulesFault {
    /// What is wrong, and what would be right.
    pub sentence: String,
    /// The position, if the fault belongs to one.
    pub position: Option<String>,
    /// The last lines on standard error of a program that ended.
    pub stderr: Vec<String>,
    /// Whether it is an answer that is none, as the protocol has them.
    pub is_answer: bool,
    /// Whether no complete answer came in time.
    pub is_late: bool,
    /// The usual cause.
    pub hint: Option<&'static str>,
}

impl fmt::Display for RulesFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence)?;
        let mut position = self.position.iter();
        position.try_for_each(|position| write!(f, "\n        {position}"))?;
        let mut stderr = self.stderr.iter();
        stderr.try_for_each(|line| write!(f, "\n        stderr: {line}"))?;
        let mut hint = self.hint.iter();
        hint.try_for_each(|hint| write!(f, "\n        {hint}"))
    }
}

/// Why there is no answer.
#[derive(Debug)]
pub enum RulesError {
    /// The program does something wrong.
    Fault(RulesFault),
    /// The program reports that it cannot use the position: its error.
    Refused(String),
    /// The referee stops.
    Stopped(Stop),
}

/// What a rules program says about a position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RulesState {
    /// Whether the game has ended.
    pub is_over: bool,
    /// Whether the first player is to move.
    pub first_to_move: bool,
    /// The result; before the end it does not count.
    pub result: Option<GameResult>,
    /// All legal moves in alphabetical order, each once. Seeds choose from this list, so they mean the
    /// same moves in each process of a program that has moves in a set.
    pub moves: Vec<String>,
    /// The position as text.
    pub text: Option<String>,
    /// Why the game has ended.
    pub reason: Option<Untrusted>,
    /// The points of both sides.
    pub points: Option<Untrusted>,
}

impl RulesState {
    /// The side to move.
    pub const fn side_to_move(&self) -> Side {
        if self.first_to_move {
            Side::First
        } else {
            Side::Second
        }
    }

    /// The first query to which two answers about a position differ, and the answers.
    pub fn difference(&self, other: &RulesState, has_texts: bool) -> Option<(&'static str, [String; 2])> {
        let both = |answer: fn(&RulesState) -> String| [answer(self), answer(other)];
        let result = |state: &RulesState| {
            let response = Response::to(StateQuery::Result, Side::First, state.result);
            response.word().to_string()
        };
        let text = |state: &RulesState| printable(state.text.as_deref().unwrap_or_default(), usize::MAX);
        Some(if self.is_over != other.is_over {
            ("gameover", both(|state| state.is_over.to_string()))
        } else if self.is_over && self.result != other.result {
            ("result", both(result))
        } else if !self.is_over && self.first_to_move != other.first_to_move {
            ("p1turn", both(|state| state.first_to_move.to_string()))
        } else if !self.is_over && self.moves != other.moves {
            ("moves", [self.moves_beside(other), other.moves_beside(self)])
        } else if has_texts && self.text != other.text {
            ("fen", both(text))
        } else {
            return None;
        })
    }

    /// The same for the reason and the points.
    pub fn other_difference(&self, other: &RulesState) -> Option<(&'static str, [String; 2])> {
        let word = |text: &Option<Untrusted>| {
            text.as_ref()
                .map_or("none".to_string(), |text| text.shown().to_string())
        };
        let pairs = [
            ("reason", &self.reason, &other.reason),
            ("score", &self.points, &other.points),
        ];
        let mut pairs = pairs.into_iter();
        let (query, one, other) = pairs.find(|(_, one, other)| one != other)?;
        Some((query, [word(one), word(other)]))
    }

    /// The number of moves, and those that are not moves of the other state.
    fn moves_beside(&self, other: &RulesState) -> String {
        let moves = counted(self.moves.len(), "move");
        let known: HashSet<&String> = other.moves.iter().collect();
        let only = self.moves.iter().filter(|mv| !known.contains(mv));
        let mut only: Vec<String> = only.map(|mv| printable(mv, 40)).collect();
        if only.is_empty() {
            return moves;
        }
        let more = only.len().saturating_sub(MAX_MOVES);
        only.truncate(MAX_MOVES);
        let more = if more > 0 {
            format!(" and {more} more")
        } else {
            String::new()
        };
        format!("{moves}; only here: {}{more}", only.join(" "))
    }
}

/// A running rules program.
#[derive(Debug)]
pub struct RulesProgram {
    /// Its name in messages.
    pub name: String,
    /// `None` after it has ended.
    process: Option<Process>,
    /// Time limit for an answer.
    timeout: Duration,
    /// The longest time for an answer after several new moves.
    pub longest: Duration,
    known: KnownQueries,
    /// The position of the last question.
    last: PositionLine,
    /// What it calls itself now, if it has said so since its options were set.
    id_name: Option<String>,
    /// Lines that belong to no answer: their number, and the first of them.
    pub strays: Option<(u64, String)>,
    /// The queries whose first answer was none, with this answer.
    pub no_answers: Vec<(Query, String)>,
    /// The longest time for an answer that was over the time limit, as it may be after several new moves, and their
    /// number.
    pub slowest: Option<(Duration, usize)>,
}

/// The queries that a program answers.
#[derive(Clone, Debug, Default)]
pub struct KnownQueries {
    /// Those about each position.
    batch: Vec<Query>,
    /// The words of those that are asked alone.
    alone: Vec<&'static str>,
}

impl KnownQueries {
    /// Whether the program answers the query with this word.
    pub fn knows(&self, word: &str) -> bool {
        self.words().contains(&word)
    }

    /// The number of queries about each position.
    pub const fn batch_size(&self) -> usize {
        self.batch.len()
    }

    /// The words of the queries.
    pub fn words(&self) -> Vec<&'static str> {
        let batch = self.batch.iter().map(Query::word);
        batch.chain(self.alone.iter().copied()).collect()
    }
}

impl RulesProgram {
    /// Asks each query once, to learn which ones the program answers. Some programs answer what they do
    /// not know, with a word such as `unknown`; a query that no program knows shows it.
    ///
    /// # Errors
    /// It does not answer a query that is required, or not in time.
    pub fn probe(name: String, process: Process, timeout: Duration) -> Result<RulesProgram, RulesError> {
        let mut program = RulesProgram::new(name, process, timeout, KnownQueries::default());
        let start = PositionLine::start();
        for query in StateQuery::ALL.map(Query::State) {
            program.require(&start, query)?;
        }
        let unknown = program.exchange(&start, &[NO_QUERY])?.0;
        // What else it wrote then is its right.
        program.strays = None;
        let mut alone = Vec::new();
        if program.offers(&start, &Query::IsLegal(NO_MOVE.into()), &unknown)? {
            alone.push(Query::IsLegal(String::new()).word());
        }
        for query in [Query::Moves, Query::Fen, Query::Reason, Query::Score] {
            if program.offers(&start, &query, &unknown)? {
                program.known.batch.push(query);
            } else if query == Query::Moves && alone.is_empty() {
                return Err(program.lacks(&query, &start));
            }
        }
        let alone_queries = [
            Query::Notation(None),
            Query::Parse(NO_MOVE.into()),
            Query::Board,
            Query::Grid,
            Query::Setup(1),
        ];
        for query in alone_queries {
            if program.offers(&start, &query, &unknown)? {
                alone.push(query.word());
            }
        }
        let (answers, _) = program.exchange(&start, &[PROVEN])?;
        let proves = |answer: &Untrusted| {
            words_of(&answers, PROVEN) != words_of(&unknown, NO_QUERY)
                && result_of(answer.raw().trim()).is_ok()
        };
        if answers.first().is_some_and(proves) {
            alone.push(PROVES);
        }
        program.known.alone = alone;
        Ok(program)
    }

    /// A program of which it is known which queries it answers.
    pub fn new(name: String, process: Process, timeout: Duration, known: KnownQueries) -> RulesProgram {
        RulesProgram {
            name,
            process: Some(process),
            timeout,
            longest: timeout.saturating_mul(MAX_LIMITS),
            known,
            last: PositionLine::start(),
            id_name: None,
            strays: None,
            no_answers: Vec::new(),
            slowest: None,
        }
    }

    /// Another process of the same program.
    pub fn sibling(&self, process: Process) -> RulesProgram {
        let name = format!("a second process of {}", self.name);
        RulesProgram::new(name, process, self.timeout, self.known.clone())
    }

    /// From now on asks only what is required about a position: no text, reason and points.
    pub fn ask_only_required(&mut self) {
        let is_required = |query: &Query| matches!(query, Query::State(_) | Query::Moves);
        self.known.batch.retain(is_required);
    }

    /// What the program calls itself now. Its name may depend on its options, which it did not have when it introduced
    /// itself with `greeting`; one that does not do so again keeps that name.
    ///
    /// # Errors
    /// It does not go on as after any question.
    pub fn version(
        &mut self,
        greeting: Option<&str>,
        has_options: bool,
    ) -> Result<Option<String>, RulesError> {
        if has_options {
            let strays = self.strays.take();
            self.exchange(&PositionLine::start(), &[Dialect::Ugi.name()])?;
            self.strays = strays;
        }
        Ok(self.id_name.as_deref().or(greeting).map(version_of))
    }

    /// The queries that it answers.
    pub const fn known(&self) -> &KnownQueries {
        &self.known
    }

    /// Whether the process is there: it has not ended, and no answer is missing.
    pub const fn is_running(&self) -> bool {
        self.process.is_some()
    }

    /// The position of the last question.
    pub const fn last(&self) -> &PositionLine {
        &self.last
    }

    /// Adds a query that each position needs.
    fn require(&mut self, start: &PositionLine, query: Query) -> Result<(), RulesError> {
        let (answers, error) = self.exchange(start, std::slice::from_ref(&query))?;
        if answers.is_empty() {
            return Err(match error {
                // The first query: what does not answer here may not know `position` either.
                Some(error) if self.known.batch.is_empty() => {
                    let problem = format!("refuses the start position: `{error}`");
                    self.fault(&problem, "no reply to `position startpos`", None)
                }
                _ => self.lacks(&query, start),
            });
        }
        self.known.batch.push(query);
        Ok(())
    }

    /// The fault of a program without this query.
    fn lacks(&self, query: &Query, start: &PositionLine) -> RulesError {
        let problem = format!("does not answer `query {}`, which is required", query.word());
        self.fault(&problem, "a line `response …` before `readyok`", Some(start))
    }

    /// Whether the program answers an optional query; `unknown` is its answer to one that it cannot know.
    fn offers(
        &mut self,
        start: &PositionLine,
        query: &Query,
        unknown: &[Untrusted],
    ) -> Result<bool, RulesError> {
        let (answers, _) = self.exchange(start, std::slice::from_ref(query))?;
        let Some(first) = answers.first() else {
            return Ok(false);
        };
        let is_answer = match query {
            Query::IsLegal(_) => ["true", "false"].contains(&first.raw().trim()),
            Query::Parse(_) if first.raw().trim() == Response::None.word() => return Ok(true),
            Query::Parse(_) => false,
            // What each program says before the end.
            Query::Reason if first.raw().trim() == "none" => return Ok(true),
            _ => true,
        };
        let asked = query.to_string();
        if is_answer && (unknown.is_empty() || words_of(&answers, &asked) != words_of(unknown, NO_QUERY)) {
            return Ok(true);
        }
        self.no_answers
            .push((query.clone(), first.cut(MAX_QUOTED).to_string()));
        Ok(false)
    }

    /// What the program says about a position.
    pub fn state(&mut self, position: &PositionLine) -> Result<RulesState, RulesError> {
        let queries = self.known.batch.clone();
        let (answers, error) = self.exchange(position, &queries)?;
        if let Some(error) = error {
            return Err(RulesError::Refused(error));
        }
        if answers.len() != queries.len() {
            let words: Vec<&str> = queries.iter().map(Query::word).collect();
            let problem = format!(
                "wrote {} lines `response …` to {} queries ({}) in one batch",
                answers.len(),
                queries.len(),
                words.join(", ")
            );
            return Err(self.fault(&problem, "one line for each, as when asked alone", Some(position)));
        }
        let mut state = RulesState::default();
        for (query, answer) in queries.iter().zip(answers) {
            if let Err(expected) = state.read(query, answer.raw()) {
                let shown = answer.cut(MAX_QUOTED);
                let problem = format!("answered `{query}` with `response {shown}`");
                let error = self.fault(&problem, &expected, Some(position));
                return Err(match error {
                    RulesError::Fault(fault) => RulesError::Fault(RulesFault {
                        is_answer: true,
                        ..fault
                    }),
                    error => error,
                });
            }
        }
        Ok(state)
    }

    /// The moves of a position in the order of the program.
    pub fn unsorted_moves(&mut self, position: &PositionLine) -> Result<Vec<String>, RulesError> {
        let (answers, _) = self.exchange(position, &[Query::Moves])?;
        let moves = answers
            .first()
            .into_iter()
            .flat_map(|text| text.raw().split_whitespace());
        Ok(moves.map(str::to_string).collect())
    }

    /// The moves of a position in the order of the program, each with its notation.
    ///
    /// # Errors
    /// No answer, or one that is not a list of as many different words.
    pub fn notation(&mut self, position: &PositionLine) -> Result<Vec<(String, String)>, RulesError> {
        let (answers, _) = self.exchange(position, &[Query::Moves, Query::Notation(None)])?;
        let words = |index: usize| answers.get(index).map_or("", Untrusted::raw).split_whitespace();
        let (moves, written) = (words(0), words(1));
        if answers.len() != 2 || moves.clone().count() != written.clone().count() {
            let (moves, written) = (counted(moves.count(), "move"), counted(written.count(), "word"));
            let problem = format!("lists {moves}, but answers `query notation` with {written}");
            return Err(self.fault(
                &problem,
                "one word for each move, in the same order",
                Some(position),
            ));
        }
        let owned = |(mv, text): (&str, &str)| (mv.to_string(), printable(text, usize::MAX));
        let pairs: Vec<(String, String)> = moves.zip(written).map(owned).collect();
        // Both words are read, so none of them may mean two moves.
        let mut meanings = HashMap::new();
        for (mv, text) in &pairs {
            for word in [mv, text] {
                if let Some(other) = meanings.insert(word, mv).filter(|other| *other != mv) {
                    let [word, mv, other] = [word, mv, other].map(|text| printable(text, 40));
                    let problem = format!("writes `{word}` for `{other}` and for `{mv}` (`query notation`)");
                    return Err(self.fault(&problem, "a word that means one move", Some(position)));
                }
            }
        }
        Ok(pairs)
    }

    /// The notation of one move of a position; `None` if the program does not list the move.
    ///
    /// # Errors
    /// No answer, or a wrong one.
    pub fn notation_of(&mut self, position: &PositionLine, mv: &str) -> Result<Option<String>, RulesError> {
        let (answers, _) = self.exchange(position, &[Query::Notation(Some(mv.to_string()))])?;
        let mut words = answers.first().map_or("", Untrusted::raw).split_whitespace();
        if let (Some(word), None) = (words.next(), words.next()) {
            return Ok(Some(printable(word, usize::MAX)));
        }
        // It reads no move behind the query.
        let pairs = self.notation(position)?;
        let found = pairs.into_iter().find(|(listed, _)| listed == mv);
        Ok(found.map(|(_, text)| text))
    }

    /// The legal move that the program reads in a text of people; `None` if there is none. `state` is that of the
    /// position.
    ///
    /// # Errors
    /// No answer, or another one than a legal move.
    pub fn parse(
        &mut self,
        position: &PositionLine,
        state: &RulesState,
        text: &str,
    ) -> Result<Option<String>, RulesError> {
        let query = Query::Parse(printable(text, MAX_QUOTED));
        let (answers, _) = self.exchange(position, std::slice::from_ref(&query))?;
        let answer = answers.first().map_or("", Untrusted::raw).trim();
        if answer.is_empty() || NO_MOVES.contains(&answer) {
            return Ok(None);
        }
        if state.moves.iter().any(|mv| mv == answer) {
            return Ok(Some(answer.to_string()));
        }
        let problem = format!("answered `{query}` with `{}`", printable(answer, MAX_QUOTED));
        Err(self.fault(&problem, "a legal move, or `none`", Some(position)))
    }

    /// What the program says about a position whose last move it has listed. An answer that contradicts
    /// another one is a fault.
    ///
    /// # Errors
    /// No answer, or a wrong one.
    pub fn consistent_state(&mut self, position: &PositionLine) -> Result<RulesState, RulesError> {
        let state = match self.state(position) {
            Err(RulesError::Refused(error)) => {
                let problem = match printable(&position.last_move(), 40) {
                    last if last.is_empty() => format!("refuses the position: `{error}`"),
                    last => format!("refuses `{last}`, a move that it has listed: `{error}`"),
                };
                return Err(self.fault(&problem, "no reply to `position`", Some(position)));
            }
            state => state?,
        };
        self.consistent(position, state)
    }

    /// The state, unless its answers contradict each other.
    pub fn consistent(&self, position: &PositionLine, state: RulesState) -> Result<RulesState, RulesError> {
        if state.is_over && state.result.is_none() {
            let problem = "answers `gameover` with `true`, but `result` with `none`";
            return Err(self.fault(problem, "`p1win`, `p2win` or `draw`", Some(position)));
        }
        if !state.is_over && state.moves.is_empty() && self.known.knows("moves") {
            let problem = "answers `gameover` with `false`, but lists no move";
            let expected =
                "a move, such as `pass` for a player who cannot move otherwise, or the end of the game";
            return Err(self.fault(problem, expected, Some(position)));
        }
        Ok(state)
    }

    /// Whether the program calls a move legal.
    ///
    /// # Errors
    /// No answer, or a wrong one.
    pub fn is_legal(&mut self, position: &PositionLine, mv: &str) -> Result<bool, RulesError> {
        let query = Query::IsLegal(mv.to_string());
        let (answers, _) = self.exchange(position, std::slice::from_ref(&query))?;
        let answer = answers.first();
        match answer.map(|answer| answer.raw().trim()) {
            Some("true") => Ok(true),
            Some("false") => Ok(false),
            _ => {
                let answer = answer.map_or("nothing".to_string(), |text| {
                    format!("`response {}`", text.cut(MAX_QUOTED))
                });
                let problem = format!("answered `{query}` with {answer}");
                Err(self.fault(&problem, "`true` or `false`", Some(position)))
            }
        }
    }

    /// Whether a word that is no move is called illegal.
    pub fn rejects_no_move(&mut self, position: &PositionLine) -> Result<bool, RulesError> {
        Ok(!self.is_legal(position, NO_MOVE)?)
    }

    /// The board as text; empty if the program has none.
    ///
    /// # Errors
    /// No answer, or a wrong one.
    pub fn board(&mut self, position: &PositionLine) -> Result<String, RulesError> {
        if !self.known.knows("board") {
            return Ok(String::new());
        }
        let (answers, _) = self.exchange(position, &[Query::Board])?;
        let lines: Vec<String> = answers
            .iter()
            .map(|line| line.cut(MAX_QUOTED).to_string())
            .collect();
        Ok(lines.join("\n"))
    }

    /// The cells of the board, as the program writes them; `None` if it has none.
    ///
    /// # Errors
    /// No answer, or a wrong one.
    pub fn grid(&mut self, position: &PositionLine) -> Result<Option<Untrusted>, RulesError> {
        self.answer(position, Query::Grid)
    }

    /// The result of a game that goes on, if both sides play perfectly; `None` if it is not known.
    pub fn proven(&mut self, position: &PositionLine) -> Result<Option<GameResult>, RulesError> {
        let (answers, _) = self.exchange(position, &[PROVEN])?;
        let answer = answers.first().cloned().unwrap_or_default();
        result_of(answer.raw().trim()).map_err(|expected| {
            let problem = format!("answered `{PROVEN}` with `response {}`", answer.cut(MAX_QUOTED));
            self.fault(&problem, expected, Some(position))
        })
    }

    /// The text of the start with this seed; `None` if all games have the same start.
    ///
    /// # Errors
    /// No answer, or a wrong one.
    pub fn setup(&mut self, seed: u64) -> Result<Option<Untrusted>, RulesError> {
        self.answer(&PositionLine::start(), Query::Setup(seed))
    }

    /// The start of a game with this seed, and what the program says about it; `None` if all games have the same
    /// start.
    ///
    /// # Errors
    /// No answer, or one that is no start of a game.
    pub fn random_start(&mut self, seed: u64) -> Result<Option<(PositionLine, RulesState)>, RulesError> {
        let Some(text) = self.setup(seed)? else {
            return Ok(None);
        };
        let text = text.shown().to_string();
        let wrong = |program: &RulesProgram, why: &str| {
            let problem = format!("answered `query setup {seed}` with `{text}`, {why}");
            program.fault(&problem, "a start of the game", None)
        };
        let line = PositionLine::of_start(&text);
        if !line.is_from_startpos() && !self.known.knows("fen") {
            return Err(wrong(
                self,
                "but does not answer `query fen`, so positions have no text",
            ));
        }
        let state = match self.state(&line) {
            Err(RulesError::Refused(error)) => {
                return Err(wrong(self, &format!("which it does not read: {error}")));
            }
            state => self.consistent(&line, state?)?,
        };
        if state.is_over {
            return Err(wrong(self, "where the game is over"));
        }
        Ok(Some((line, state)))
    }

    /// The answer to a query that is asked alone; `None` if the program has none.
    fn answer(&mut self, position: &PositionLine, query: Query) -> Result<Option<Untrusted>, RulesError> {
        if !self.known.knows(query.word()) {
            return Ok(None);
        }
        let (answers, _) = self.exchange(position, &[query])?;
        let answer = answers.first().map(|text| Untrusted::from(text.raw().trim()));
        Ok(answer.filter(|text| !text.is_empty()))
    }

    /// Sends a position and queries in one write, and reads up to `readyok`. Returns the words after
    /// `response` of each answer, and the first error that the program reports.
    fn exchange(
        &mut self,
        position: &PositionLine,
        queries: &[impl fmt::Display],
    ) -> Result<(Vec<Untrusted>, Option<String>), RulesError> {
        let Some(process) = &mut self.process else {
            return Err(self.fault("has ended", "an answer", Some(position)));
        };
        let mut request = format!("{position}\n");
        for query in queries {
            let _ = writeln!(request, "{query}");
        }
        request.push_str("isready\n");
        let unread = match position.moves_since(&self.last) {
            Some(moves) => moves.len(),
            None => position.plies,
        };
        let moves = u32::try_from(unread).unwrap_or(u32::MAX);
        let patience = self
            .timeout
            .saturating_mul(moves.max(1))
            .min(self.longest.max(self.timeout));
        self.last.clone_from(position);
        let channel = process.channel();
        channel.begin_count();
        channel.send(&request);
        let began = running_clock::now();
        let deadline = began + patience;
        let (mut answers, mut error, mut is_late) = (Vec::new(), None, false);
        loop {
            let look = deadline.min(running_clock::now() + GRACE);
            let (problem, expected) = match channel.receive(look, None) {
                // The process need not have the interrupt of the command.
                Received::Deadline if look < deadline => {
                    if let Err(signal) = interrupt::check() {
                        self.process = None;
                        return Err(RulesError::Stopped(signal.into()));
                    }
                    continue;
                }
                Received::Line { text, .. } if text.raw().contains('\u{fffd}') => (
                    format!("wrote a line that is not UTF-8 text: `{}`", text.cut(MAX_QUOTED)),
                    "UTF-8 text".to_string(),
                ),
                Received::Line { text, .. } => {
                    let line = text.raw().trim_start();
                    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
                    match word {
                        "response" => answers.push(rest.trim_end().into()),
                        "readyok" => {
                            let taken = running_clock::elapsed(began);
                            if taken > self.slowest.map_or(self.timeout, |(slowest, _)| slowest) {
                                self.slowest = Some((taken, unread));
                            }
                            return Ok((answers, error));
                        }
                        "id" if rest.trim_start().starts_with("name ") => {
                            self.id_name = Some(rest.trim_start()["name ".len()..].trim().to_string());
                        }
                        "info" => {
                            if let Some(text) = reported(line) {
                                let text = if text.is_empty() { line } else { text };
                                error.get_or_insert_with(|| printable(text, MAX_QUOTED));
                            }
                        }
                        "" => {}
                        _ => self.strays.get_or_insert((0, printable(line, 60))).0 += 1,
                    }
                    continue;
                }
                Received::Stopped(signal) => return Err(RulesError::Stopped(signal.into())),
                Received::Closed => return Err(self.crash(position)),
                Received::Deadline => {
                    let words: Vec<String> = queries.iter().map(|query| format!("`{query}`")).collect();
                    let moves = match unread {
                        0 | 1 => String::new(),
                        _ => format!("{unread} moves at a time and "),
                    };
                    is_late = true;
                    (
                        format!(
                            "did not write `readyok` within {patience:.1?} after {moves}{}",
                            words.join(", ")
                        ),
                        "the answers and `readyok`, flushed; `timeout=SECONDS` gives more time".to_string(),
                    )
                }
                Received::Overlong(_) => (
                    format!("wrote a line of more than {} KiB", LONGEST_LINE / 1024),
                    "a shorter line".to_string(),
                ),
                Received::Flood => (
                    format!("wrote more than {} MiB without `readyok`", MAX_OUTPUT >> 20),
                    "the answers and `readyok`".to_string(),
                ),
            };
            // What follows could not be told from the next answer.
            self.process = None;
            return Err(match self.fault(&problem, &expected, Some(position)) {
                RulesError::Fault(fault) => RulesError::Fault(RulesFault { is_late, ..fault }),
                error => error,
            });
        }
    }

    /// The fault of a program that has ended or closed its output.
    fn crash(&mut self, position: &PositionLine) -> RulesError {
        let exit = self.process.take().map(Process::reap);
        let (how, stderr) = exit.map_or_else(Default::default, |exit| (exit.how.to_string(), exit.stderr));
        let error = self.fault(&how, "an answer", Some(position));
        if let RulesError::Fault(mut fault) = error {
            fault.stderr = excerpt(&stderr, MAX_STDERR).to_vec();
            let joins_others = |line: &String| line.contains("expected str instance");
            fault.hint = stderr.iter().any(joins_others).then_some(MOVES_ARE_WORDS);
            return RulesError::Fault(fault);
        }
        error
    }

    /// The fault of a program that did `problem` instead of what was expected.
    pub fn fault(&self, problem: &str, expected: &str, position: Option<&PositionLine>) -> RulesError {
        RulesError::Fault(RulesFault {
            sentence: format!("{} {problem}; expected {expected}", self.name),
            position: position.map(|position| printable(&position.to_string(), usize::MAX)),
            ..RulesFault::default()
        })
    }

    /// Ends the program.
    pub fn dismiss(self) {
        // What it wrote to standard error is not asked for.
        let _ = process::shut_down(self.process.into_iter().collect());
    }
}

/// The words of answers, without those of the query, which some programs repeat.
fn words_of(answers: &[Untrusted], query: &str) -> Vec<String> {
    let without = |answer: &Untrusted| {
        // The last word first: it may hold an earlier one.
        let asked = query.rsplit(' ');
        asked.fold(answer.raw().to_string(), |text, word| text.replace(word, " "))
    };
    let words = answers.iter().map(without);
    words
        .flat_map(|text| text.split_whitespace().map(str::to_string).collect::<Vec<_>>())
        .collect()
}

impl RulesState {
    /// Stores an answer. The error says what is expected.
    fn read(&mut self, query: &Query, answer: &str) -> Result<(), String> {
        let word = answer.trim();
        let response = || Response::of_word(word);
        let text = || Some(Untrusted::from(word)).filter(|text| !text.is_empty());
        let truth = || match response() {
            Some(Response::True) => Ok(true),
            Some(Response::False) => Ok(false),
            _ => Err("`true` or `false`".to_string()),
        };
        match query {
            Query::State(StateQuery::GameOver) => self.is_over = truth()?,
            Query::State(StateQuery::FirstToMove) => self.first_to_move = truth()?,
            Query::State(StateQuery::Result) => {
                self.result = result_of(word)?;
            }
            Query::Moves => {
                self.moves = word.split_whitespace().map(str::to_string).collect();
                let can_be_played =
                    |mv: &&String| mv.chars().all(is_printable) && !NO_MOVES[..2].contains(&mv.as_str());
                if let Some(mv) = self.moves.iter().find(|mv| !can_be_played(mv)) {
                    let mv = printable(mv, 40);
                    return Err(format!("words that can be moves; `{mv}` cannot"));
                }
                // Sorting is faster than hashing the few moves of most positions.
                self.moves.sort_unstable();
                if let Some([twice, ..]) = self.moves.windows(2).find(|pair| pair[0] == pair[1]) {
                    let twice = printable(twice, 40);
                    return Err(format!("each move once; `{twice}` is listed twice"));
                }
            }
            Query::Fen if word.is_empty() || !word.chars().all(is_printable) => {
                return Err("the text of the position, without control characters".into());
            }
            Query::Fen => self.text = Some(word.to_string()),
            Query::Reason => self.reason = text().filter(|reason| *reason != "none"),
            Query::Score => self.points = text(),
            // Asked when they are needed.
            Query::Notation(_)
            | Query::Parse(_)
            | Query::IsLegal(_)
            | Query::Board
            | Query::Grid
            | Query::Highlights
            | Query::Note
            | Query::Setup(_) => {}
        }
        Ok(())
    }
}

/// The result that an answer gives; else what was expected.
fn result_of(word: &str) -> Result<Option<GameResult>, &'static str> {
    match Response::of_word(word) {
        Some(Response::FirstWins) => Ok(Some(GameResult::Win(Side::First))),
        Some(Response::SecondWins) => Ok(Some(GameResult::Win(Side::Second))),
        Some(Response::Draw) => Ok(Some(GameResult::Draw)),
        Some(Response::None) => Ok(None),
        _ => Err("`p1win`, `p2win`, `draw` or `none`"),
    }
}
