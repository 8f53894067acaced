//! What an engine hears.

use std::fmt;

/// One line to an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// `uci`: say who you are and which options you have.
    Uci,
    /// `isready`: answer `readyok` as soon as you can.
    IsReady,
    /// `ucinewgame`: what comes next belongs to another game.
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
    /// Words that mean nothing; to be reported and otherwise ignored.
    pub unknown: Vec<String>,
}

impl Command {
    /// The words that begin a command, as an error message lists them.
    pub const WORDS: &str =
        "a command (uci, isready, ucinewgame, setoption, position, go, stop, quit, d, eval, bench)";
}

impl Limits {
    /// The words that begin a limit, and so end `searchmoves`.
    pub const WORDS: [&str; 11] = [
        "movetime",
        "wtime",
        "btime",
        "winc",
        "binc",
        "movestogo",
        "depth",
        "nodes",
        "mate",
        "searchmoves",
        "infinite",
    ];

    /// Whether anything but `stop` ends the search. `infinite` overrules
    /// everything else.
    pub fn is_bounded(&self) -> bool {
        let unbounded = Limits {
            searchmoves: self.searchmoves.clone(),
            unknown: self.unknown.clone(),
            ..Limits::default()
        };
        !self.infinite && *self != unbounded
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Command::Uci => f.write_str("uci"),
            Command::IsReady => f.write_str("isready"),
            Command::NewGame => f.write_str("ucinewgame"),
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
                moves.iter().try_for_each(|one| write!(f, " {one}"))
            }
            Command::Go(limits) => write!(f, "go{limits}"),
            Command::Perft(depth) => write!(f, "go perft {depth}"),
            Command::Stop => f.write_str("stop"),
            Command::Quit => f.write_str("quit"),
            Command::Display => f.write_str("d"),
            Command::Eval => f.write_str("eval"),
            Command::Bench => f.write_str("bench"),
        }
    }
}

impl fmt::Display for Limits {
    /// Each limit with a space before it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let times = [
            ("movetime", self.movetime),
            ("wtime", self.wtime),
            ("btime", self.btime),
            ("winc", self.winc),
            ("binc", self.binc),
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
        if !self.searchmoves.is_empty() {
            f.write_str(" searchmoves")?;
        }
        self.searchmoves.iter().try_for_each(|one| write!(f, " {one}"))
    }
}
