//! Commands to an engine.

use std::fmt;

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
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Query {
    /// A question of UGI.
    State(StateQuery),
    /// `moves`: all legal moves.
    Moves,
    /// `notation [M]`: the same moves, in the same order, or this one of them, as people write them.
    Notation(Option<String>),
    /// `parse TEXT`: the legal move that people write so.
    Parse(String),
    /// `islegal M`: whether this move is legal.
    IsLegal(String),
    /// `fen`: the position as text.
    Fen,
    /// `reason`: why the game is over.
    Reason,
    /// `score`: the points of both sides.
    Score,
    /// `board`: the position as a picture.
    Board,
    /// `grid`: the cells of the position, for a drawn board.
    Grid,
    /// `highlights`: the cells that show why the game is over.
    Highlights,
    /// `note`: what a reader should know of the position beside the board.
    Note,
    /// `setup SEED`: the text of a random start.
    Setup(u64),
}

impl Query {
    /// The words after `query`, as an error message lists them.
    pub const WORDS: &str = "gameover, p1turn, result, moves, notation, parse, islegal, fen, reason, score, board, \
         grid, highlights, note or setup";

    /// The word after `query`.
    pub const fn word(&self) -> &'static str {
        match self {
            Query::State(query) => query.word(),
            Query::Moves => "moves",
            Query::Notation(_) => "notation",
            Query::Parse(_) => "parse",
            Query::IsLegal(_) => "islegal",
            Query::Fen => "fen",
            Query::Reason => "reason",
            Query::Score => "score",
            Query::Board => "board",
            Query::Grid => "grid",
            Query::Highlights => "highlights",
            Query::Note => "note",
            Query::Setup(_) => "setup",
        }
    }
}

impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "query {}", self.word())?;
        match self {
            Query::IsLegal(mv) | Query::Notation(Some(mv)) | Query::Parse(mv) => write!(f, " {mv}"),
            Query::Setup(seed) => write!(f, " {seed}"),
            _ => Ok(()),
        }
    }
}

/// A question of UGI about the state of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateQuery {
    /// `gameover`: whether the game is over.
    GameOver,
    /// `p1turn`: whether it is the first player's turn.
    FirstToMove,
    /// `result`: who has won.
    Result,
}

impl StateQuery {
    /// All questions.
    pub const ALL: [StateQuery; 3] = [StateQuery::GameOver, StateQuery::FirstToMove, StateQuery::Result];

    /// The word after `query`.
    pub const fn word(self) -> &'static str {
        match self {
            StateQuery::GameOver => "gameover",
            StateQuery::FirstToMove => "p1turn",
            StateQuery::Result => "result",
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
    /// use lodestone_game::protocol::{Command, Dialect};
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
            Command::Query(query) => query.fmt(f),
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

/// The dialect that client and engine use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// The Universal Chess Interface, of chess engines.
    #[default]
    Uci,
    /// The Universal Game Interface, for any game: players are p1 and p2, and the engine
    /// answers `query`.
    Ugi,
}

impl Dialect {
    /// All dialects.
    pub const ALL: [Dialect; 2] = [Dialect::Uci, Dialect::Ugi];

    /// The name of the dialect, which is also the client's first command.
    ///
    /// ```
    /// use lodestone_game::protocol::Dialect;
    ///
    /// assert_eq!(Dialect::Ugi.name(), "ugi");
    /// assert_eq!(Dialect::Ugi.greeted(), "ugiok");
    /// ```
    pub const fn name(self) -> &'static str {
        match self {
            Dialect::Uci => "uci",
            Dialect::Ugi => "ugi",
        }
    }

    /// The dialect of this name, if there is one.
    pub fn from_name(name: &str) -> Option<Dialect> {
        Dialect::ALL.into_iter().find(|dialect| dialect.name() == name)
    }

    /// The reply that ends the engine's announcement of its options.
    pub const fn greeted(self) -> &'static str {
        match self {
            Dialect::Uci => "uciok",
            Dialect::Ugi => "ugiok",
        }
    }

    /// The command before each game.
    pub const fn new_game(self) -> &'static str {
        match self {
            Dialect::Uci => "ucinewgame",
            Dialect::Ugi => "uginewgame",
        }
    }

    /// The words of `go` for the first and second player's clock, then for the first and
    /// second player's increment.
    pub const fn clocks(self) -> [&'static str; 4] {
        match self {
            Dialect::Uci => ["wtime", "btime", "winc", "binc"],
            Dialect::Ugi => ["p1time", "p2time", "p1inc", "p2inc"],
        }
    }
}
