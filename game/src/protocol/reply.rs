//! Replies of an engine.

use std::fmt;

use super::command::{Dialect, Query, StateQuery};
use crate::board::Side;
use crate::random::Random;
use crate::score::{Score, ScoreWords};
use crate::{AnyPosition, GameResult, Setup, Variant};

/// One line from an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// `id name …`
    IdName(String),
    /// `id author …`
    IdAuthor(String),
    /// `option name … type …`
    Option(OptionSpec),
    /// `uciok` or `ugiok`: all options have been announced.
    Greeted(Dialect),
    /// `readyok`: the answer to `isready`.
    ReadyOk,
    /// `info …`: progress of the search.
    Info(Info),
    /// `info string …`: text for people.
    InfoString(String),
    /// `bestmove M [ponder M]`: the answer to `go`.
    BestMove {
        /// The move; `0000` in a finished position.
        best: String,
        /// The expected reply of the opponent.
        ponder: Option<String>,
    },
    /// `response …`: the answer to a [`StateQuery`].
    Response(Response),
    /// `response …` with other words: the answer, or a line of it, to another [`Query`].
    ResponseText(String),
    /// Any other line.
    Text(String),
}

/// The answer to a [`StateQuery`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Response {
    /// Yes.
    True,
    /// No.
    False,
    /// The first player has won.
    FirstWins,
    /// The second player has won.
    SecondWins,
    /// The game is drawn.
    Draw,
    /// The game is not over.
    None,
}

impl Response {
    /// All answers.
    pub const ALL: [Response; 6] = [
        Response::True,
        Response::False,
        Response::FirstWins,
        Response::SecondWins,
        Response::Draw,
        Response::None,
    ];

    /// The correct answer for a position with this side to move. `result` is `None` while
    /// the game is not over.
    ///
    /// ```
    /// use lodestone_game::board::Side;
    /// use lodestone_game::protocol::{Response, StateQuery};
    ///
    /// let answer = Response::to(StateQuery::Result, Side::First, None);
    /// assert_eq!(answer, Response::None);
    /// ```
    pub fn to(query: StateQuery, side_to_move: Side, result: Option<GameResult>) -> Response {
        match query {
            StateQuery::GameOver => result.is_some().into(),
            StateQuery::FirstToMove => (side_to_move == Side::First).into(),
            StateQuery::Result => match result {
                Some(GameResult::Win(Side::First)) => Response::FirstWins,
                Some(GameResult::Win(Side::Second)) => Response::SecondWins,
                Some(GameResult::Draw) => Response::Draw,
                None => Response::None,
            },
        }
    }

    /// The word after `response`.
    pub const fn word(self) -> &'static str {
        match self {
            Response::True => "true",
            Response::False => "false",
            Response::FirstWins => "p1win",
            Response::SecondWins => "p2win",
            Response::Draw => "draw",
            Response::None => "none",
        }
    }

    /// The answer with this word after `response`.
    pub fn of_word(word: &str) -> Option<Response> {
        Response::ALL.into_iter().find(|response| response.word() == word)
    }
}

impl Reply {
    /// The correct answer to a query about this position; several lines for `board`.
    ///
    /// ```
    /// use lodestone_game::Variant;
    /// use lodestone_game::protocol::{Query, Reply};
    ///
    /// let answer = Reply::to(&Query::Reason, Variant::Gridlock.startpos().as_ref());
    /// assert_eq!(answer[0].to_string(), "response none");
    /// ```
    pub fn to(query: &Query, position: &dyn AnyPosition) -> Vec<Reply> {
        let outcome = position.outcome();
        let text = match query {
            Query::State(query) => {
                let result = outcome.map(|outcome| outcome.result);
                let response = Response::to(*query, position.side_to_move(), result);
                return vec![Reply::Response(response)];
            }
            Query::IsLegal(mv) => return vec![Reply::Response(position.parse_move(mv).is_ok().into())],
            Query::Parse(text) => match position.parse_move(text) {
                Ok(mv) => position.move_text(mv),
                Err(_) => return vec![Reply::Response(Response::None)],
            },
            Query::Reason => match outcome {
                None => return vec![Reply::Response(Response::None)],
                Some(outcome) => position.explain(outcome),
            },
            Query::Moves => {
                let moves = position.legal_moves();
                let moves: Vec<String> = moves.iter().map(|&mv| position.move_text(mv)).collect();
                moves.join(" ")
            }
            Query::Fen => position.fen(),
            // No game counts points, or has another notation.
            Query::Score | Query::Notation(_) => return Vec::new(),
            Query::Grid => position.diagram().grid(),
            Query::Highlights => {
                let cells = position.highlights().cells();
                let cells: Vec<String> = cells.map(|cell| position.cell_text(cell)).collect();
                cells.join(" ")
            }
            Query::Note => position.note(),
            Query::Setup(seed) => {
                let game = Variant::from_name(position.info().name).unwrap_or_default();
                let start = game.random_start(Setup::default(), &mut Random::new(*seed));
                start.fen()
            }
            Query::Board => {
                let board = position.diagram().to_string();
                return board
                    .lines()
                    .map(|line| Reply::ResponseText(line.to_string()))
                    .collect();
            }
        };
        vec![Reply::ResponseText(text)]
    }
}

impl From<bool> for Response {
    fn from(answer: bool) -> Response {
        if answer { Response::True } else { Response::False }
    }
}

/// The progress of a search. Absent fields are not printed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Info {
    /// Depth of the last full iteration, in plies.
    pub depth: Option<u32>,
    /// Length of the deepest line, in plies.
    pub seldepth: Option<u32>,
    /// Rank of this line in `MultiPV`, from 1, the best.
    pub multipv: Option<u32>,
    /// The exact score for the side to move. A bound of an engine is `None`.
    pub score: Option<Score>,
    /// The words of the score when it is printed. Both forms are parsed.
    pub score_words: ScoreWords,
    /// Nodes searched.
    pub nodes: Option<u64>,
    /// Nodes per second.
    pub nps: Option<u64>,
    /// Fill level of the transposition table, in thousandths.
    pub hashfull: Option<u32>,
    /// Time since `go`, in milliseconds.
    pub time: Option<u64>,
    /// The principal variation: the expected line.
    pub pv: Vec<String>,
}

/// An option that an engine announces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionSpec {
    /// Its name; may contain spaces.
    pub name: String,
    /// The values that it takes.
    pub kind: OptionKind,
}

/// The type of an option: the values that it takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionKind {
    /// `true` or `false`.
    Check {
        /// The initial value.
        default: bool,
    },
    /// A number, in the digits that the engine wrote; empty where it wrote none.
    Spin {
        /// The initial value.
        default: String,
        /// The smallest value.
        min: String,
        /// The largest value.
        max: String,
    },
    /// One of a list of values.
    Combo {
        /// The initial value.
        default: String,
        /// All values.
        choices: Vec<String>,
    },
    /// No value: setting it triggers an action.
    Button,
    /// Any text.
    String {
        /// The initial value.
        default: String,
    },
}

impl OptionKind {
    /// The initial value as text; `None` for a button.
    pub fn default_value(&self) -> Option<String> {
        match self {
            OptionKind::Check { default } => Some(default.to_string()),
            OptionKind::Spin { default, .. }
            | OptionKind::Combo { default, .. }
            | OptionKind::String { default } => Some(default.clone()),
            OptionKind::Button => None,
        }
    }
}

impl fmt::Display for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reply::IdName(name) => write!(f, "id name {name}"),
            Reply::IdAuthor(author) => write!(f, "id author {author}"),
            Reply::Option(option) => write!(f, "option {option}"),
            Reply::Greeted(dialect) => f.write_str(dialect.greeted()),
            Reply::ReadyOk => f.write_str("readyok"),
            Reply::Info(info) => write!(f, "info{info}"),
            Reply::InfoString(text) => write!(f, "info string {text}"),
            Reply::BestMove { best, ponder: None } => write!(f, "bestmove {best}"),
            Reply::BestMove {
                best,
                ponder: Some(ponder),
            } => write!(f, "bestmove {best} ponder {ponder}"),
            Reply::Response(response) => write!(f, "response {}", response.word()),
            Reply::ResponseText(text) if text.is_empty() => f.write_str("response"),
            Reply::ResponseText(text) => write!(f, "response {text}"),
            Reply::Text(text) => f.write_str(text),
        }
    }
}

impl fmt::Display for Info {
    /// Prints each field after a space.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// One field, if it has a value.
        fn field(f: &mut fmt::Formatter<'_>, name: &str, value: Option<impl fmt::Display>) -> fmt::Result {
            value.map_or(Ok(()), |value| write!(f, " {name} {value}"))
        }
        field(f, "depth", self.depth)?;
        field(f, "seldepth", self.seldepth)?;
        field(f, "multipv", self.multipv)?;
        field(
            f,
            "score",
            self.score.map(|score| score.in_words(self.score_words)),
        )?;
        field(f, "nodes", self.nodes)?;
        field(f, "nps", self.nps)?;
        field(f, "hashfull", self.hashfull)?;
        field(f, "time", self.time)?;
        if !self.pv.is_empty() {
            f.write_str(" pv")?;
        }
        self.pv.iter().try_for_each(|mv| write!(f, " {mv}"))
    }
}

impl fmt::Display for OptionSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "name {} type ", self.name)?;
        match &self.kind {
            OptionKind::Check { default } => write!(f, "check default {default}"),
            OptionKind::Spin { default, min, max } => {
                let numbers = [("default", default), ("min", min), ("max", max)];
                let mut written = numbers.iter().filter(|(_, number)| !number.is_empty());
                f.write_str("spin")?;
                written.try_for_each(|(name, number)| write!(f, " {name} {number}"))
            }
            OptionKind::Combo { default, choices } => {
                write!(f, "combo default {default}")?;
                choices.iter().try_for_each(|choice| write!(f, " var {choice}"))
            }
            OptionKind::Button => f.write_str("button"),
            OptionKind::String { default } => write!(f, "string default {default}"),
        }
    }
}
