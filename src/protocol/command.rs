//! Commands to an engine, and their grammar.

use std::fmt;
use std::str::FromStr;

use super::words::{Dialect, ParseError, Words, single_spaced};

/// One line to an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// `uci` or `ugi`: name yourself, announce your options, and use this dialect.
    Greet(Dialect),
    /// `debug on|off`: whether the client wants more `info string` lines.
    Debug(bool),
    /// `register …`: a registration. Engines without one ignore it.
    Register,
    /// `isready`: answer `readyok`.
    IsReady,
    /// `ucinewgame` or `uginewgame`: a new game starts.
    NewGame,
    /// `setoption name N [value V]`.
    SetOption {
        /// The option's name; may contain spaces.
        name: String,
        /// The new value; `None` for a button.
        value: Option<String>,
    },
    /// `position startpos|fen F [moves …]`.
    Position {
        /// The position before `moves`.
        start: Start,
        /// The moves to play from `start`.
        moves: Vec<String>,
    },
    /// `go …`: search, and answer with `bestmove`.
    Go(Limits),
    /// `go perft N`: count the move sequences of N plies.
    Perft(u32),
    /// `query …`: answer a question about the position.
    Query(Query),
    /// `ponderhit`: the opponent played the expected move; the time limits start.
    PonderHit,
    /// `stop`: answer now.
    Stop,
    /// `quit`: answer if a search runs, then exit.
    Quit,
    /// `d`: show the board.
    Display,
    /// `eval`: show the static evaluation of the position.
    Eval,
    /// `bench`: search fixed positions and report the speed.
    Bench,
}

/// A client's question about the position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Query {
    /// `gameover`: whether the game is over.
    GameOver,
    /// `p1turn`: whether it is the first player's turn.
    FirstToMove,
    /// `result`: who has won.
    Result,
}

impl Query {
    /// All questions.
    pub const ALL: [Query; 3] = [Query::GameOver, Query::FirstToMove, Query::Result];

    /// The word after `query`.
    pub const fn word(self) -> &'static str {
        match self {
            Query::GameOver => "gameover",
            Query::FirstToMove => "p1turn",
            Query::Result => "result",
        }
    }
}

/// The starting position of a `position` command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Start {
    /// The start position of the current variant.
    Startpos,
    /// The position with this FEN.
    Fen(String),
}

/// The limits of a search: the words after `go`. Without limits it runs until `stop`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Milliseconds for this move; negative values count as 0.
    pub movetime: Option<i64>,
    /// Milliseconds on the first player's clock.
    pub wtime: Option<i64>,
    /// Milliseconds on the second player's clock.
    pub btime: Option<i64>,
    /// The first player's increment per move, in milliseconds.
    pub winc: Option<i64>,
    /// The second player's increment per move, in milliseconds.
    pub binc: Option<i64>,
    /// Moves until the next time control, at least 1.
    pub movestogo: Option<u32>,
    /// Search depth in plies, at least 1.
    pub depth: Option<u32>,
    /// Node limit, at least 1.
    pub nodes: Option<u64>,
    /// End when a win in this many own moves is proven, at least 1.
    pub mate: Option<u32>,
    /// The moves to consider; empty for all.
    pub searchmoves: Vec<String>,
    /// Search until `stop`, even after a proven result.
    pub infinite: bool,
    /// Search in the opponent's time: no answer before `ponderhit`, which starts the time
    /// limits, or `stop`.
    pub ponder: bool,
    /// Words that are no limits, to be reported.
    pub unknown: Vec<String>,
    /// Limits without a usable value, to be reported: the text, and the value that is expected.
    pub unusable: Vec<(String, &'static str)>,
}

impl Command {
    /// The first words of all commands, as an error message lists them.
    pub const WORDS: &str = "a command (uci, ugi, debug, register, isready, ucinewgame, uginewgame, setoption, position, go, query, \
         ponderhit, stop, quit, d, eval, bench)";

    /// The command in a dialect's words. `Display` prints it in UCI.
    ///
    /// ```
    /// use lodestone::protocol::{Command, Dialect};
    ///
    /// let command = Command::parse("go wtime 1000 btime 900").unwrap();
    /// assert_eq!(
    ///     command.in_dialect(Dialect::Ugi).to_string(),
    ///     "go p1time 1000 p2time 900"
    /// );
    /// ```
    pub const fn in_dialect(&self, dialect: Dialect) -> InDialect<'_> {
        InDialect {
            command: self,
            dialect,
        }
    }
}

impl Limits {
    /// The first words of all limits. Each ends the list of `searchmoves`.
    pub const WORDS: [&str; 16] = [
        "movetime",
        "wtime",
        "btime",
        "winc",
        "binc",
        "p1time",
        "p2time",
        "p1inc",
        "p2inc",
        "movestogo",
        "depth",
        "nodes",
        "mate",
        "searchmoves",
        "infinite",
        "ponder",
    ];

    /// Whether the search ends without `stop`. `infinite` overrides all other limits.
    pub fn is_bounded(&self) -> bool {
        let unbounded = Limits {
            searchmoves: self.searchmoves.clone(),
            unknown: self.unknown.clone(),
            ponder: self.ponder,
            ..Limits::default()
        };
        !self.infinite && *self != unbounded
    }

    /// The maximum depth. It is 1 if none of the limits can end the search, such as `movestogo 5`
    /// or `depth 0` alone: every `go` but an infinite one must be answered.
    pub fn depth_limit(&self) -> Option<u32> {
        let ends_otherwise = self.movetime.or(self.wtime).or(self.btime).is_some()
            || self.nodes.is_some()
            || self.mate.is_some();
        self.depth.or((self.is_bounded() && !ends_otherwise).then_some(1))
    }
}

impl Command {
    /// Parses one line without its line end.
    ///
    /// # Errors
    /// The line is not a command; the error names the column and what is allowed there.
    pub fn parse(line: &str) -> Result<Command, ParseError> {
        let mut words = Words::of(line);
        let start = words;
        let command = match words.word().unwrap_or_default() {
            "uci" => Command::Greet(Dialect::Uci),
            "ugi" => Command::Greet(Dialect::Ugi),
            "debug" if words.accept("on") => Command::Debug(true),
            "debug" if words.accept("off") => Command::Debug(false),
            "debug" => return Err(words.error("`on` or `off`")),
            "register" => {
                words.rest();
                Command::Register
            }
            "isready" => Command::IsReady,
            "ucinewgame" | "uginewgame" => Command::NewGame,
            "setoption" => parse_set_option(&mut words)?,
            "position" => parse_position(&mut words)?,
            "go" => parse_go(&mut words)?,
            "query" => {
                let mut queries = Query::ALL.into_iter();
                let query = queries.find(|query| words.accept(query.word()));
                Command::Query(query.ok_or_else(|| words.error("gameover, p1turn or result"))?)
            }
            "ponderhit" => Command::PonderHit,
            "stop" => Command::Stop,
            "quit" => Command::Quit,
            "d" => Command::Display,
            "eval" => Command::Eval,
            "bench" => Command::Bench,
            _ => return Err(start.error(Command::WORDS)),
        };
        if words.is_end() {
            Ok(command)
        } else {
            Err(words.error("the end of the line"))
        }
    }
}

/// `name N [value V]`.
fn parse_set_option(words: &mut Words<'_>) -> Result<Command, ParseError> {
    words.expect("name", "`name`")?;
    let name = single_spaced(words.until(&["value"], "the option's name")?);
    let value = words.accept("value").then(|| words.rest().to_string());
    Ok(Command::SetOption { name, value })
}

/// `startpos|fen F [moves …]`.
fn parse_position(words: &mut Words<'_>) -> Result<Command, ParseError> {
    let start = if words.accept("startpos") {
        Start::Startpos
    } else {
        words.expect("fen", "`startpos` or `fen`")?;
        Start::Fen(words.until(&["moves"], "a FEN")?.to_string())
    };
    if !words.accept("moves") && !words.is_end() {
        return Err(words.error("`moves` or the end of the line"));
    }
    Ok(Command::Position {
        start,
        moves: words.all(),
    })
}

/// `perft N`, or any number of limits.
fn parse_go(words: &mut Words<'_>) -> Result<Command, ParseError> {
    if words.accept("perft") {
        let depth = words.parsed();
        return depth
            .map(Command::Perft)
            .ok_or_else(|| words.error("a whole number of plies"));
    }
    let mut limits = Limits::default();
    while let Some(word) = words.word() {
        match word {
            "infinite" => limits.infinite = true,
            "ponder" => limits.ponder = true,
            "searchmoves" => {
                let moves = std::iter::from_fn(|| words.next_if(is_value)).map(str::to_string);
                let before = limits.searchmoves.len();
                limits.searchmoves.extend(moves);
                if limits.searchmoves.len() == before {
                    limits.unusable.push((word.to_string(), "a move"));
                }
            }
            _ if is_value(word) => limits.unknown.push(word.to_string()),
            _ => limits.set_number(word, words.next_if(is_value)),
        }
    }
    Ok(Command::Go(limits))
}

/// Whether a word does not begin a limit.
fn is_value(word: &str) -> bool {
    !Limits::WORDS.contains(&word)
}

impl Limits {
    /// Sets a limit that is a number. If the number is missing or not allowed, the limit is unusable.
    fn set_number(&mut self, name: &str, value: Option<&str>) {
        fn set<T: FromStr + PartialOrd + Copy>(field: &mut Option<T>, value: Option<&str>, min: T) -> bool {
            let number = value
                .and_then(|value| value.parse().ok())
                .filter(|number| *number >= min);
            let is_usable = number.is_some();
            if is_usable {
                *field = number;
            }
            is_usable
        }
        let (is_usable, expected) = match name {
            "movestogo" => (
                set(&mut self.movestogo, value, 1),
                "a number of moves, at least 1",
            ),
            "mate" => (set(&mut self.mate, value, 1), "a number of moves, at least 1"),
            "depth" => (set(&mut self.depth, value, 1), "a number of plies, at least 1"),
            "nodes" => (set(&mut self.nodes, value, 1), "a number of nodes, at least 1"),
            _ => {
                let field = match name {
                    "wtime" | "p1time" => &mut self.wtime,
                    "btime" | "p2time" => &mut self.btime,
                    "winc" | "p1inc" => &mut self.winc,
                    "binc" | "p2inc" => &mut self.binc,
                    _ => &mut self.movetime,
                };
                (set(field, value, i64::MIN), "a whole number of milliseconds")
            }
        };
        if !is_usable {
            let text = value.map_or(name.to_string(), |value| format!("{name} {value}"));
            self.unusable.push((text, expected));
        }
    }
}

/// Prints a command in a dialect; see [`Command::in_dialect`].
#[derive(Clone, Copy, Debug)]
pub struct InDialect<'a> {
    command: &'a Command,
    dialect: Dialect,
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.in_dialect(Dialect::Uci).fmt(f)
    }
}

impl fmt::Display for InDialect<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.command {
            Command::Greet(dialect) => f.write_str(dialect.name()),
            Command::Debug(true) => f.write_str("debug on"),
            Command::Debug(false) => f.write_str("debug off"),
            Command::Register => f.write_str("register later"),
            Command::IsReady => f.write_str("isready"),
            Command::NewGame => f.write_str(self.dialect.new_game()),
            Command::SetOption { name, value: None } => write!(f, "setoption name {name}"),
            Command::SetOption {
                name,
                value: Some(value),
            } => {
                write!(f, "setoption name {name} value {value}")
            }
            Command::Position { start, moves } => {
                match start {
                    Start::Startpos => f.write_str("position startpos")?,
                    Start::Fen(fen) => write!(f, "position fen {fen}")?,
                }
                if !moves.is_empty() {
                    f.write_str(" moves")?;
                }
                moves.iter().try_for_each(|mv| write!(f, " {mv}"))
            }
            Command::Go(limits) => {
                f.write_str("go")?;
                limits.write(f, self.dialect)
            }
            Command::Perft(depth) => write!(f, "go perft {depth}"),
            Command::Query(query) => write!(f, "query {}", query.word()),
            Command::PonderHit => f.write_str("ponderhit"),
            Command::Stop => f.write_str("stop"),
            Command::Quit => f.write_str("quit"),
            Command::Display => f.write_str("d"),
            Command::Eval => f.write_str("eval"),
            Command::Bench => f.write_str("bench"),
        }
    }
}

impl Limits {
    /// Prints each limit after a space.
    fn write(&self, f: &mut fmt::Formatter<'_>, dialect: Dialect) -> fmt::Result {
        if self.ponder {
            // First, as most clients write it.
            f.write_str(" ponder")?;
        }
        let [time_1, time_2, increment_1, increment_2] = dialect.clocks();
        let times = [
            ("movetime", self.movetime),
            (time_1, self.wtime),
            (time_2, self.btime),
            (increment_1, self.winc),
            (increment_2, self.binc),
        ];
        for (name, time) in times {
            if let Some(time) = time {
                write!(f, " {name} {time}")?;
            }
        }
        let counts = [
            ("movestogo", self.movestogo.map(u64::from)),
            ("depth", self.depth.map(u64::from)),
            ("nodes", self.nodes),
            ("mate", self.mate.map(u64::from)),
        ];
        for (name, count) in counts {
            if let Some(count) = count {
                write!(f, " {name} {count}")?;
            }
        }
        if self.infinite {
            f.write_str(" infinite")?;
        }
        self.unknown.iter().try_for_each(|word| write!(f, " {word}"))?;
        self.unusable
            .iter()
            .try_for_each(|(text, _)| write!(f, " {text}"))?;
        if !self.searchmoves.is_empty() {
            f.write_str(" searchmoves")?;
        }
        self.searchmoves.iter().try_for_each(|mv| write!(f, " {mv}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The command after this one. Every command has an arm here, and so must be in
    /// [`Command::WORDS`].
    fn next(command: &Command) -> Option<Command> {
        Some(match command {
            Command::Greet(Dialect::Uci) => Command::Greet(Dialect::Ugi),
            Command::Greet(Dialect::Ugi) => Command::Debug(true),
            Command::Debug(true) => Command::Debug(false),
            Command::Debug(false) => Command::Register,
            Command::Register => Command::IsReady,
            Command::IsReady => Command::NewGame,
            Command::NewGame => Command::SetOption {
                name: "Ponder".into(),
                value: None,
            },
            Command::SetOption { .. } => Command::Position {
                start: Start::Startpos,
                moves: Vec::new(),
            },
            Command::Position { .. } => Command::Go(Limits::default()),
            Command::Go(_) => Command::Perft(1),
            Command::Perft(_) => Command::Query(Query::Result),
            Command::Query(_) => Command::PonderHit,
            Command::PonderHit => Command::Stop,
            Command::Stop => Command::Quit,
            Command::Quit => Command::Display,
            Command::Display => Command::Eval,
            Command::Eval => Command::Bench,
            Command::Bench => return None,
        })
    }

    #[test]
    fn the_list_of_commands_is_complete() {
        let (_, list) = Command::WORDS.split_once('(').unwrap();
        let listed: Vec<&str> = list.trim_end_matches(')').split(", ").collect();
        let commands = std::iter::successors(Some(Command::Greet(Dialect::Uci)), next);
        for command in commands {
            let text = command.to_string();
            let word = text.split(' ').next().unwrap();
            assert!(listed.contains(&word), "{word} is not listed");
            assert_eq!(Command::parse(&text), Ok(command), "{text}");
        }
    }

    fn error(line: &str) -> String {
        Command::parse(line).unwrap_err().to_string()
    }

    #[test]
    fn parses_commands_in_both_dialects() {
        for (uci, ugi) in [
            ("uci", "uci"),
            ("ugi", "ugi"),
            ("ucinewgame", "uginewgame"),
            ("debug off", "debug off"),
            ("query p1turn", "query p1turn"),
            (
                "setoption name Move Overhead value 5",
                "setoption name Move Overhead value 5",
            ),
            (
                "position fen xo5/7/7/7/7/7/5xo x 0 40 moves a1b1",
                "position fen xo5/7/7/7/7/7/5xo x 0 40 moves a1b1",
            ),
            ("go infinite", "go infinite"),
            ("go perft 4", "go perft 4"),
            (
                "go movetime 100 depth 4 nodes 1000",
                "go movetime 100 depth 4 nodes 1000",
            ),
            (
                "go ponder wtime 1000 btime -20 winc 5 binc 6 movestogo 3",
                "go ponder p1time 1000 p2time -20 p1inc 5 p2inc 6 movestogo 3",
            ),
            ("go mate 3 searchmoves a8 h8", "go mate 3 searchmoves a8 h8"),
        ] {
            let command = Command::parse(uci).unwrap();
            assert_eq!(command.to_string(), uci);
            assert_eq!(command.in_dialect(Dialect::Ugi).to_string(), ugi);
            assert_eq!(Command::parse(ugi), Ok(command));
        }
    }

    #[test]
    fn a_registration_may_have_any_words() {
        for line in ["register", "register later", "register name A B code 4359"] {
            assert_eq!(Command::parse(line), Ok(Command::Register), "{line}");
        }
    }

    #[test]
    fn ignores_white_space_around_words() {
        let spaced = Command::parse("  position \t startpos   moves a8  h8 \r");
        assert_eq!(spaced, Command::parse("position startpos moves a8 h8"));
    }

    #[test]
    fn allows_spaces_in_option_names_and_empty_values() {
        assert_eq!(
            Command::parse("setoption name Move Overhead value  two words "),
            Ok(Command::SetOption {
                name: "Move Overhead".into(),
                value: Some("two words".into())
            })
        );
        assert_eq!(
            Command::parse("setoption name Book value"),
            Ok(Command::SetOption {
                name: "Book".into(),
                value: Some(String::new())
            })
        );
    }

    #[test]
    fn ends_searchmoves_at_the_next_limit() {
        let Ok(Command::Go(limits)) = Command::parse("go searchmoves a8 h8 depth 3 searchmoves a7") else {
            panic!("not a go");
        };
        assert_eq!(limits.searchmoves, ["a8", "h8", "a7"]);
        assert_eq!(limits.depth, Some(3));
    }

    #[test]
    fn keeps_unknown_words_of_go() {
        let Ok(Command::Go(limits)) = Command::parse("go quickly movetime 10 now") else {
            panic!("not a go");
        };
        assert_eq!(limits.unknown, ["quickly", "now"]);
        assert_eq!(limits.movetime, Some(10));
    }

    /// The search goes on with the other limits; without any that ends it, it has depth 1.
    #[test]
    fn an_unusable_limit_is_kept_apart() {
        let depth = "a number of plies, at least 1";
        let nodes = "a number of nodes, at least 1";
        let moves = "a number of moves, at least 1";
        let time = "a whole number of milliseconds";
        for (line, text, expected, rest, depth_limit) in [
            ("go depth 0", "depth 0", depth, "go", Some(1)),
            ("go depth", "depth", depth, "go", Some(1)),
            ("go depth -3 depth 2", "depth -3", depth, "go depth 2", Some(2)),
            ("go depth 99999999999", "depth 99999999999", depth, "go", Some(1)),
            ("go ponder mate 0", "mate 0", moves, "go ponder", Some(1)),
            (
                "go nodes 1e6 movetime 5",
                "nodes 1e6",
                nodes,
                "go movetime 5",
                None,
            ),
            ("go infinite nodes 0", "nodes 0", nodes, "go infinite", None),
            ("go movestogo 0 wtime 9", "movestogo 0", moves, "go wtime 9", None),
            ("go wtime abc btime 9", "wtime abc", time, "go btime 9", None),
            ("go wtime btime 9", "wtime", time, "go btime 9", None),
            ("go p1inc 1.5 winc 9", "p1inc 1.5", time, "go winc 9", Some(1)),
            ("go movetime 1e3", "movetime 1e3", time, "go", Some(1)),
            (
                "go btime 99999999999999999999",
                "btime 99999999999999999999",
                time,
                "go",
                Some(1),
            ),
            (
                "go searchmoves depth 2",
                "searchmoves",
                "a move",
                "go depth 2",
                Some(2),
            ),
            ("go searchmoves", "searchmoves", "a move", "go", Some(1)),
        ] {
            let Ok(Command::Go(mut limits)) = Command::parse(line) else {
                panic!("{line}");
            };
            assert_eq!(limits.unusable, [(text.to_string(), expected)], "{line}");
            assert_eq!(limits.depth_limit(), depth_limit, "{line}");
            limits.unusable.clear();
            assert_eq!(Command::Go(limits).to_string(), rest, "{line}");
        }
        for (line, depth_limit) in [
            ("go", None),
            ("go movestogo 5", Some(1)),
            ("go winc 5 binc 5", Some(1)),
        ] {
            let Ok(Command::Go(limits)) = Command::parse(line) else {
                panic!("{line}");
            };
            assert_eq!(limits.depth_limit(), depth_limit, "{line}");
        }
    }

    #[test]
    fn errors_name_the_column_and_what_is_expected() {
        assert!(
            error("stopp").starts_with("column 1: expected a command (uci, "),
            "{}",
            error("stopp")
        );
        assert_eq!(
            error("stop now"),
            "column 6: expected the end of the line, found `now`"
        );
        assert_eq!(
            error("query winner"),
            "column 7: expected gameover, p1turn or result, found `winner`"
        );
        assert_eq!(
            error("debug"),
            "column 6: expected `on` or `off`, found the end of the line"
        );
        assert_eq!(
            error("go perft x"),
            "column 10: expected a whole number of plies, found `x`"
        );
        assert_eq!(
            error("setoption Hash"),
            "column 11: expected `name`, found `Hash`"
        );
        assert_eq!(
            error("setoption name value 3"),
            "column 16: expected the option's name, found `value`"
        );
        assert_eq!(
            error("position"),
            "column 9: expected `startpos` or `fen`, found the end of the line"
        );
        assert_eq!(
            error("position fen moves a8"),
            "column 14: expected a FEN, found `moves`"
        );
        assert_eq!(
            error("position startpos a8"),
            "column 19: expected `moves` or the end of the line, found `a8`"
        );
    }

    #[test]
    fn errors_cut_long_words() {
        assert!(error(&"x".repeat(100_000)).len() < Command::WORDS.len() + 100);
    }
}
