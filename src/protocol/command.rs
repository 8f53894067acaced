//! What an engine hears.

use std::fmt;

use super::dialect::Dialect;

/// One line to an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// `uci` or `ugi`: say who you are and which options you have, and speak
    /// this dialect from now on.
    Greet(Dialect),
    /// `isready`: answer `readyok` as soon as you can.
    IsReady,
    /// `ucinewgame` or `uginewgame`: what comes next belongs to another game.
    NewGame,
    /// `setoption name N [value V]`.
    SetOption {
        /// The option's name; it may hold spaces.
        name: String,
        /// The new value; `None` for a button.
        value: Option<String>,
    },
    /// `position startpos|fen F [moves …]`.
    Position {
        /// Where the moves begin.
        start: Start,
        /// All moves since then.
        moves: Vec<String>,
    },
    /// `go …`: search, and answer with `bestmove`.
    Go(Limits),
    /// `go perft N`: count the sequences of that many plies.
    Perft(u32),
    /// `query …`: say something about the position.
    Query(Query),
    /// `ponderhit`: the expected move was played; the time limits hold from now
    /// on.
    PonderHit,
    /// `stop`: answer now.
    Stop,
    /// `quit`: answer now if a search runs, then end.
    Quit,
    /// `d`: show the board.
    Display,
    /// `eval`: show what the position is worth without search.
    Eval,
    /// `bench`: do a fixed piece of work and report its speed.
    Bench,
}

/// What a client asks about the position.
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
    /// All of them.
    pub const ALL: [Query; 3] = [Query::GameOver, Query::FirstToMove, Query::Result];

    /// The word behind `query`.
    pub const fn word(self) -> &'static str {
        match self {
            Query::GameOver => "gameover",
            Query::FirstToMove => "p1turn",
            Query::Result => "result",
        }
    }
}

/// Where the moves of a `position` command begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Start {
    /// The start of the variant in force.
    Startpos,
    /// The position of this FEN.
    Fen(String),
}

/// What bounds a search: the words behind `go`. Without any, it goes on until
/// `stop`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Milliseconds for this move; nothing is left below 1.
    pub movetime: Option<i64>,
    /// Milliseconds on the first player's clock.
    pub wtime: Option<i64>,
    /// Milliseconds on the second player's clock.
    pub btime: Option<i64>,
    /// Milliseconds that the first player gains with each move.
    pub winc: Option<i64>,
    /// Milliseconds that the second player gains with each move.
    pub binc: Option<i64>,
    /// Moves until the clocks are filled again, at least 1.
    pub movestogo: Option<u32>,
    /// Plies to search, at least 1.
    pub depth: Option<u32>,
    /// Positions to search, at least 1.
    pub nodes: Option<u64>,
    /// End as soon as a win within this many own moves is proven, at least 1.
    pub mate: Option<u32>,
    /// The only moves to consider; all where empty.
    pub searchmoves: Vec<String>,
    /// Search until `stop`, whatever is found.
    pub infinite: bool,
    /// Search in the opponent's time: no answer before `ponderhit`, with which
    /// the other limits begin to hold, or `stop`.
    pub ponder: bool,
    /// Words that mean nothing; to be reported and otherwise ignored.
    pub unknown: Vec<String>,
}

impl Command {
    /// The words that begin a command, as an error message lists them.
    pub const WORDS: &str = "a command (uci, ugi, isready, ucinewgame, uginewgame, setoption, position, go, query, ponderhit, stop, \
         quit, d, eval, bench)";

    /// The command as it is said in a dialect. `Display` says it in UCI.
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
    /// The words that begin a limit, and so end `searchmoves`.
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

    /// Whether anything but `stop` ends the search. `infinite` overrules
    /// everything else.
    pub fn is_bounded(&self) -> bool {
        let unbounded = Limits {
            searchmoves: self.searchmoves.clone(),
            unknown: self.unknown.clone(),
            ponder: self.ponder,
            ..Limits::default()
        };
        !self.infinite && *self != unbounded
    }
}

/// A command that is written in a dialect; see [`Command::in_dialect`].
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
    /// Each limit with a space before it.
    fn write(&self, f: &mut fmt::Formatter<'_>, dialect: Dialect) -> fmt::Result {
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
        for (name, is_said) in [("infinite", self.infinite), ("ponder", self.ponder)] {
            if is_said {
                write!(f, " {name}")?;
            }
        }
        self.unknown.iter().try_for_each(|word| write!(f, " {word}"))?;
        if !self.searchmoves.is_empty() {
            f.write_str(" searchmoves")?;
        }
        self.searchmoves.iter().try_for_each(|mv| write!(f, " {mv}"))
    }
}
