//! The two dialects of the protocol, which differ in a few words.

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
    /// use lodestone::protocol::Dialect;
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
