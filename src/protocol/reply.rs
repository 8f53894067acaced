//! Replies of an engine, and their grammar.

use std::fmt;

use super::command::Query;
use super::words::{Dialect, ParseError, Words, single_spaced};
use crate::board::Side;
use crate::game::GameResult;
use crate::score::{Score, ScoreWords};

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
    /// `response …`: the answer to `query`.
    Response(Response),
    /// Any other line.
    Text(String),
}

/// The answer to a `query`.
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
    /// use lodestone::board::Side;
    /// use lodestone::protocol::{Query, Response};
    ///
    /// let answer = Response::to(Query::Result, Side::First, None);
    /// assert_eq!(answer, Response::None);
    /// ```
    pub fn to(query: Query, side_to_move: Side, result: Option<GameResult>) -> Response {
        match query {
            Query::GameOver => result.is_some().into(),
            Query::FirstToMove => (side_to_move == Side::First).into(),
            Query::Result => match result {
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
}

impl Response {
    fn of_word(word: Option<&str>) -> Option<Response> {
        Response::ALL
            .into_iter()
            .find(|response| word == Some(response.word()))
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

impl Reply {
    /// Parses one line without its line end. The grammar is lenient, because engines differ: a line
    /// that is not in the protocol is [`Reply::Text`], and unknown fields of an `info` line are skipped.
    ///
    /// # Errors
    /// The line starts like a reply but is not one, such as a `bestmove` without a move. The
    /// error names the column and what is expected there.
    pub fn parse(line: &str) -> Result<Reply, ParseError> {
        let mut words = Words::of(line);
        let mut start = words;
        Ok(match words.word().unwrap_or_default() {
            "bestmove" => Reply::BestMove {
                best: words.word().ok_or_else(|| words.error("a move"))?.to_string(),
                ponder: if words.accept("ponder") {
                    words.word().map(str::to_string)
                } else {
                    None
                },
            },
            "info" if words.accept("string") => Reply::InfoString(words.rest().to_string()),
            "info" => Reply::Info(parse_info(words)),
            "uciok" => Reply::Greeted(Dialect::Uci),
            "ugiok" => Reply::Greeted(Dialect::Ugi),
            "readyok" => Reply::ReadyOk,
            "option" => Reply::Option(parse_option(words)?),
            "id" if words.accept("name") => Reply::IdName(words.rest().to_string()),
            "id" if words.accept("author") => Reply::IdAuthor(words.rest().to_string()),
            "response" if let Some(response) = Response::of_word(words.word()) => Reply::Response(response),
            _ => Reply::Text(start.rest().to_string()),
        })
    }
}

fn parse_info(mut words: Words<'_>) -> Info {
    let mut info = Info::default();
    while let Some(word) = words.word() {
        match word {
            "depth" => info.depth = words.parsed().or(info.depth),
            "seldepth" => info.seldepth = words.parsed().or(info.seldepth),
            "multipv" => info.multipv = words.parsed().or(info.multipv),
            "nodes" => info.nodes = words.parsed().or(info.nodes),
            "nps" => info.nps = words.parsed().or(info.nps),
            "hashfull" => info.hashfull = words.parsed().or(info.hashfull),
            "time" => info.time = words.parsed().or(info.time),
            "score" => {
                let mut ahead = words;
                if let Some(score) = parse_score(&mut ahead) {
                    (info.score, words) = (Some(score), ahead);
                }
            }
            // The score is a bound, not exact. The word stands before or after the number.
            "lowerbound" | "upperbound" => info.score = None,
            "pv" => info.pv = words.all(),
            _ => {}
        }
    }
    info
}

/// `cp N`, `win N`, `loss N`, `draw 0` or `mate N`.
fn parse_score(words: &mut Words<'_>) -> Option<Score> {
    Some(match words.word()? {
        "cp" => Score::Cp(words.parsed()?),
        "win" => Score::Win(words.parsed()?),
        "loss" => Score::Loss(words.parsed()?),
        "draw" => words.word().map(|_| Score::Draw)?,
        "mate" => Score::from_mate(words.parsed()?),
        _ => return None,
    })
}

/// `name N type T …`; ignores words that the type does not have.
fn parse_option(mut words: Words<'_>) -> Result<OptionSpec, ParseError> {
    words.expect("name", "`name`")?;
    let name = single_spaced(words.until(&["type"], "the option's name")?);
    words.expect("type", "`type`")?;
    let before = words;
    let kind = match words.word().unwrap_or_default() {
        "button" => OptionKind::Button,
        "check" => OptionKind::Check {
            default: default_of(words)
                .first()
                .is_some_and(|word| word.eq_ignore_ascii_case("true")),
        },
        "spin" => parse_spin(words)?,
        "combo" => parse_combo(words),
        "string" => OptionKind::String {
            default: default_of(words).join(" "),
        },
        _ => return Err(before.error("a type of option")),
    };
    Ok(OptionSpec { name, kind })
}

/// The words after `default`.
fn default_of(words: Words<'_>) -> Vec<&str> {
    let parts = parts(words, &["default"]);
    parts.into_iter().flat_map(|(_, words)| words).collect()
}

/// The numbers after `default`, `min` and `max`. Each may be missing, with or without its word.
fn parse_spin(words: Words<'_>) -> Result<OptionKind, ParseError> {
    let parts = parts(words, &["default", "min", "max"]);
    let number = |name| {
        let part = parts.iter().find(|(key, _)| *key == name);
        let found = part.and_then(|(_, words)| words.first());
        let is_number = |found: &&str| found.parse().is_ok_and(|number: f64| !number.is_nan());
        match found.filter(|found| !is_number(found)) {
            Some(found) => Err(words.at(found).error("a number")),
            None => Ok(found.map_or(String::new(), ToString::to_string)),
        }
    };
    Ok(OptionKind::Spin {
        default: number("default")?,
        min: number("min")?,
        max: number("max")?,
    })
}

fn parse_combo(words: Words<'_>) -> OptionKind {
    let (mut default, mut choices) = (String::new(), Vec::new());
    for (key, words) in parts(words, &["default", "var"]) {
        match key {
            "default" => default = words.join(" "),
            _ if words.is_empty() => {}
            _ => choices.push(words.join(" ")),
        }
    }
    OptionKind::Combo { default, choices }
}

/// The words after each of these keys, in any order. The word right after `var` is part of its
/// value even if it is a key, and so is a key that has come before.
fn parts<'a>(mut words: Words<'a>, keys: &[&str]) -> Vec<(&'a str, Vec<&'a str>)> {
    let mut parts: Vec<(&str, Vec<&str>)> = Vec::new();
    while let Some(word) = words.word() {
        let is_new = || word == "var" || parts.iter().all(|(key, _)| *key != word);
        let is_value = matches!(parts.last(), Some(("var", words)) if words.is_empty());
        if !is_value && keys.contains(&word) && is_new() {
            parts.push((word, Vec::new()));
        } else if let Some((_, words)) = parts.last_mut() {
            words.push(word);
        }
    }
    parts
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_every_reply() {
        for line in [
            "id name Lodestone 1",
            "id author the developers",
            "option name Hash type spin default 16 min 1 max 1024",
            "option name Move Overhead type spin default 10 min 0 max 5000",
            "option name UCI_Variant type combo default magnetic-cave var magnetic-cave var gridlock",
            "option name Ponder type check default false",
            "option name Clear Hash type button",
            "option name File type string default a b",
            "uciok",
            "ugiok",
            "readyok",
            "response true",
            "response p2win",
            "info depth 3 seldepth 5 score cp -12 nodes 900 nps 1000 hashfull 3 time 9 pv a8 h8",
            "info depth 3 multipv 2 score cp 5",
            "info score win 5",
            "info score loss 4",
            "info score draw 0",
            "info string error: something",
            "bestmove a8",
            "bestmove g4g5 ponder a1a2",
            "Nodes searched: 16",
        ] {
            let reply = Reply::parse(line).unwrap();
            assert_eq!(reply.to_string(), line);
            assert_eq!(
                matches!(reply, Reply::Text(_)),
                line.starts_with("Nodes"),
                "{line}"
            );
        }
    }

    #[test]
    fn skips_unknown_info_fields() {
        let parsed =
            Reply::parse("info depth x tbhits 1 score wdl 3 nodes 17 currmove a8 score cp 4 string x");
        let expected = Info {
            nodes: Some(17),
            score: Some(Score::Cp(4)),
            ..Info::default()
        };
        assert_eq!(parsed, Ok(Reply::Info(expected)));
    }

    #[test]
    fn a_bound_is_no_score() {
        for bound in ["lowerbound", "upperbound"] {
            for score in [
                format!("cp 4 {bound}"),
                format!("{bound} cp 4"),
                format!("mate 2 {bound}"),
            ] {
                let parsed = Reply::parse(&format!("info depth 2 score {score} nodes 7 pv a8"));
                let expected = Info {
                    depth: Some(2),
                    nodes: Some(7),
                    pv: vec!["a8".into()],
                    ..Info::default()
                };
                assert_eq!(parsed, Ok(Reply::Info(expected)), "{score}");
            }
        }
    }

    #[test]
    fn parses_a_mate_in_moves_as_plies() {
        for (text, score) in [
            ("mate 1", Score::Win(1)),
            ("mate 3", Score::Win(5)),
            ("mate -3", Score::Loss(6)),
            ("mate 0", Score::Loss(0)),
            ("mate -2147483648", Score::Loss(u32::MAX)),
        ] {
            let Ok(Reply::Info(info)) = Reply::parse(&format!("info depth 2 score {text} pv a8")) else {
                panic!("{text}")
            };
            assert_eq!(
                (info.score, info.depth, info.pv.len()),
                (Some(score), Some(2), 1),
                "{text}"
            );
        }
    }

    #[test]
    fn ignores_words_after_the_move() {
        let expected = Reply::BestMove {
            best: "A8".into(),
            ponder: None,
        };
        assert_eq!(Reply::parse("  bestmove  A8 because I like it\r"), Ok(expected));
    }

    #[test]
    fn rejects_a_bestmove_without_a_move() {
        let error = Reply::parse("bestmove ").unwrap_err();
        assert_eq!(
            error.to_string(),
            "column 9: expected a move, found the end of the line"
        );
        assert_eq!(
            Reply::parse("bestmoves a8"),
            Ok(Reply::Text("bestmoves a8".into()))
        );
    }
}
