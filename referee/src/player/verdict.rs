//! How a game ended and who is to blame.

use std::fmt;
use std::time::Duration;

use lodestone::board::Side;
use lodestone::game::{GameResult, Outcome};
use lodestone::protocol::Dialect;
use serde::{Serialize, Serializer};

use crate::io::text::{milliseconds, printable, time};

/// The end of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// By the rules of the game.
    Rules {
        /// Who won, and by which rule.
        outcome: Outcome,
        /// Why, as a sentence without its full stop.
        why: String,
    },
    /// A player did what costs the game.
    Fault {
        /// Who did it.
        culprit: Side,
        /// What it was.
        fault: Fault,
    },
    /// The game was not played: its pairing was given up.
    Forfeit {
        /// Who lost game after game by faults.
        loser: Side,
        /// How many of them were enough.
        after: u64,
    },
    /// A player gave up.
    Resigned {
        /// Who did.
        loser: Side,
    },
}

/// What costs a player the game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The answer came, but after deadline and margin.
    Time {
        /// The time that there was.
        allowed: Duration,
        /// The time that it took.
        taken: Duration,
    },
    /// No answer, not even in the second after deadline and margin.
    Stall {
        /// What did not come, such as "`readyok`".
        what: &'static str,
        /// The time that there was.
        allowed: Duration,
        /// What may have kept it back.
        hint: Option<Hint>,
    },
    /// A well-formed move that cannot be played.
    Illegal {
        /// The move.
        text: String,
        /// Why it cannot.
        why: String,
    },
    /// Output that is no answer: what it was.
    Garbage(String),
    /// The process ended or closed its output without an answer.
    Crash {
        /// What happened to it, as the end of a sentence.
        how: String,
        /// The last lines of its stderr.
        stderr: Vec<String>,
    },
}

/// What may have kept an answer back that never came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hint {
    /// The process has never written anything, as one does whose output waits
    /// in a buffer.
    Unflushed,
    /// The last line, the beginning of which this is, has no end.
    NoLineEnd(String),
    /// The process has never written anything, and it was greeted in UGI, which
    /// fewer programs speak.
    Mute,
    /// The process has greeted in this dialect, and another was wanted.
    OtherDialect(Dialect),
}

impl fmt::Display for Hint {
    /// The end of a sentence.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Hint::Unflushed => f.write_str("it has written nothing at all: is its standard output flushed?"),
            Hint::NoLineEnd(line) => {
                write!(f, "its last line, `{}`, has no line end", printable(line, SHOWN))
            }
            Hint::Mute => f.write_str(
                "it has written nothing at all: does it speak UGI, and is its standard output flushed?",
            ),
            Hint::OtherDialect(dialect) => {
                let (greeted, name) = (dialect.greeted(), dialect.name());
                write!(f, "it has written `{greeted}`: does it want `proto={name}`?")
            }
        }
    }
}

/// The kinds of faults, in the order in which they are counted and shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FaultKind {
    /// See [`Fault::Time`].
    Time,
    /// See [`Fault::Stall`].
    Stall,
    /// See [`Fault::Illegal`].
    Illegal,
    /// See [`Fault::Garbage`].
    Garbage,
    /// See [`Fault::Crash`].
    Crash,
    /// See [`Verdict::Forfeit`].
    Forfeit,
}

impl FaultKind {
    /// All of them, in their order.
    pub const ALL: [FaultKind; 6] = [
        FaultKind::Time,
        FaultKind::Stall,
        FaultKind::Illegal,
        FaultKind::Garbage,
        FaultKind::Crash,
        FaultKind::Forfeit,
    ];

    /// The kind that this word of the result files names; `None` for an end by
    /// the rules.
    #[must_use]
    pub fn from_word(word: &str) -> Option<FaultKind> {
        FaultKind::ALL.into_iter().find(|kind| kind.to_string() == word)
    }
}

impl fmt::Display for FaultKind {
    /// The word of the result files.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FaultKind::Time => "time",
            FaultKind::Stall => "stall",
            FaultKind::Illegal => "illegal",
            FaultKind::Garbage => "garbage",
            FaultKind::Crash => "crash",
            FaultKind::Forfeit => "forfeit",
        })
    }
}

impl Serialize for FaultKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl Verdict {
    /// Who won.
    #[must_use]
    pub const fn result(&self) -> GameResult {
        match self {
            Verdict::Rules { outcome, .. } => outcome.result,
            Verdict::Fault { culprit: loser, .. }
            | Verdict::Forfeit { loser, .. }
            | Verdict::Resigned { loser } => GameResult::Win(loser.opponent()),
        }
    }

    /// The word of the result files for why.
    #[must_use]
    pub fn reason(&self) -> String {
        match self {
            Verdict::Rules { outcome, .. } => outcome.reason.to_string(),
            Verdict::Fault { fault, .. } => fault.kind().to_string(),
            Verdict::Forfeit { .. } => FaultKind::Forfeit.to_string(),
            Verdict::Resigned { .. } => "resign".to_string(),
        }
    }

    /// The reason as a sentence without its full stop; `names` are those of
    /// the first and the second player.
    #[must_use]
    pub fn detail(&self, names: [&str; 2]) -> String {
        match self {
            Verdict::Rules { why, .. } => why.clone(),
            Verdict::Fault { culprit, fault } => fault.sentence(names[culprit.index()]),
            Verdict::Forfeit { loser, after } => {
                let (loser, winner) = (names[loser.index()], names[loser.opponent().index()]);
                let lost = match after {
                    1 => "a game".to_string(),
                    count => format!("{count} games in a row"),
                };
                format!("{loser} lost {lost} against {winner} by faults; the rest of the pairing is given up")
            }
            Verdict::Resigned { loser } => format!("{} resigned", names[loser.index()]),
        }
    }
}

impl Fault {
    /// Which kind it is.
    #[must_use]
    pub const fn kind(&self) -> FaultKind {
        match self {
            Fault::Time { .. } => FaultKind::Time,
            Fault::Stall { .. } => FaultKind::Stall,
            Fault::Illegal { .. } => FaultKind::Illegal,
            Fault::Garbage(_) => FaultKind::Garbage,
            Fault::Crash { .. } => FaultKind::Crash,
        }
    }

    /// A sentence about `name`, without its full stop.
    #[must_use]
    pub fn sentence(&self, name: &str) -> String {
        match self {
            Fault::Time { allowed, taken } => format!(
                "{name} answered after {}, {} too late",
                milliseconds(*taken),
                milliseconds(taken.saturating_sub(*allowed))
            ),
            Fault::Stall { what, allowed, hint } => {
                let hint = hint.as_ref().map_or(String::new(), |hint| format!("; {hint}"));
                format!("{name} gave no {what} within {}{hint}", time(*allowed))
            }
            Fault::Illegal { text, why } => format!("{name} played {text}, which is illegal: {why}"),
            Fault::Garbage(what) => format!("{name} wrote {what}"),
            Fault::Crash { how, .. } => format!("{name} {how}"),
        }
    }

    /// What a crashed engine last wrote to stderr, each line indented on a line
    /// of its own; empty where that says nothing.
    #[must_use]
    pub fn last_words(&self) -> String {
        match self {
            Fault::Crash { stderr, .. } => stderr
                .iter()
                .skip(stderr.len().saturating_sub(LAST_WORDS))
                .fold(String::new(), |text, line| {
                    text + "\n  stderr: " + &printable(line, LONGEST_LAST_WORD)
                }),
            _ => String::new(),
        }
    }

    /// Garbage in place of a move.
    #[must_use]
    pub fn no_move(text: &str) -> Fault {
        Fault::Garbage(format!("`{}`, which is no move at all", printable(text, SHOWN)))
    }
}

/// How many lines of its stderr are shown of a crashed engine.
const LAST_WORDS: usize = 8;

/// How many characters of each.
const LONGEST_LAST_WORD: usize = 160;

/// How many characters of an engine's own words are repeated.
const SHOWN: usize = 60;
