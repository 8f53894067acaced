//! The two dialects of the protocol, which differ in a few words.

/// How client and engine speak.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// As chess engines do.
    #[default]
    Uci,
    /// The Universal Game Interface: players are p1 and p2, and the engine
    /// answers questions about the position.
    Ugi,
}

impl Dialect {
    /// Both.
    pub const ALL: [Dialect; 2] = [Dialect::Uci, Dialect::Ugi];

    /// The first word that the client says, and the dialect's name.
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

    /// The engine's answer when all of its options are announced.
    pub const fn greeted(self) -> &'static str {
        match self {
            Dialect::Uci => "uciok",
            Dialect::Ugi => "ugiok",
        }
    }

    /// What stands before each game.
    pub const fn new_game(self) -> &'static str {
        match self {
            Dialect::Uci => "ucinewgame",
            Dialect::Ugi => "uginewgame",
        }
    }

    /// What `go` calls the clocks and the increments: of the first player, of
    /// the second, and again.
    pub const fn clocks(self) -> [&'static str; 4] {
        match self {
            Dialect::Uci => ["wtime", "btime", "winc", "binc"],
            Dialect::Ugi => ["p1time", "p2time", "p1inc", "p2inc"],
        }
    }
}
