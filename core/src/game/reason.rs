//! Why games end, as the field `reason` of records has it, and what is known of each kind of fault.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::io::as_text::{self, Text};
use crate::io::text::unknown;

/// The reason of an end, read from its word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A player lost by a fault.
    Fault(FaultKind),
    /// Neither a fault nor the rules ended the game.
    Other(OtherEnd),
    /// The rules ended the game.
    Rules,
}

impl Reason {
    /// The reason with this word.
    pub fn of(word: &str) -> Reason {
        let other = || OtherEnd::ALL.into_iter().find(|end| end.word() == word);
        let fault = FaultKind::from_word(word).map(Reason::Fault);
        fault
            .or_else(|| other().map(Reason::Other))
            .unwrap_or(Reason::Rules)
    }
}

/// An end by neither a fault nor the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OtherEnd {
    /// A player gave up.
    Resign,
    /// `--draw`, `--resign` or `--prove` ended the game.
    Adjudicated,
    /// `--max-plies` did.
    Limit,
    /// `--repetition` did.
    Repetition,
}

impl OtherEnd {
    /// All of them.
    pub const ALL: [OtherEnd; 4] = [
        OtherEnd::Resign,
        OtherEnd::Adjudicated,
        OtherEnd::Limit,
        OtherEnd::Repetition,
    ];

    /// The reason word of result files.
    pub const fn word(self) -> &'static str {
        match self {
            OtherEnd::Resign => "resign",
            OtherEnd::Adjudicated => "adjudicated",
            OtherEnd::Limit => "limit",
            OtherEnd::Repetition => "repetition",
        }
    }
}

/// Kinds of faults, in the order of tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FaultKind {
    /// See `Fault::Time`.
    Time,
    /// See `Fault::Cpu`.
    Cpu,
    /// See `Fault::Stall`.
    Stall,
    /// See `Fault::Illegal`.
    Illegal,
    /// See `Fault::Garbage` and `Fault::NoMove`.
    Garbage,
    /// See `Fault::Crash`.
    Crash,
    /// See `Verdict::Forfeit`.
    Forfeit,
}

/// What is known of a kind of fault, and said of it beside the sentence about one.
#[derive(Clone, Copy)]
pub struct AboutKind {
    /// The reason word of result files.
    pub word: &'static str,
    /// What a player did, as the end of a sentence.
    pub did: &'static str,
    /// What its author can do.
    pub advice: &'static str,
    /// The value of the tag `Termination` in PGN.
    pub termination: &'static str,
    /// What cutechess-cli says. Its arguments are the names of the winner and the loser, and the sentence of the record.
    pub in_cutechess: fn(&str, &str, &str) -> String,
    /// Whether a program that did it may not start any more: a ladder then tries it before its games.
    pub may_not_start: bool,
}

impl FaultKind {
    /// All kinds, in order.
    pub const ALL: [FaultKind; 7] = [
        FaultKind::Time,
        FaultKind::Cpu,
        FaultKind::Stall,
        FaultKind::Illegal,
        FaultKind::Garbage,
        FaultKind::Crash,
        FaultKind::Forfeit,
    ];

    /// The kind with this reason word; `None` for another end.
    pub fn from_word(word: &str) -> Option<FaultKind> {
        FaultKind::ALL.into_iter().find(|kind| kind.about().word == word)
    }

    /// What is known of it.
    pub const fn about(self) -> AboutKind {
        const TIME: &str = "time forfeit";
        const RULES: &str = "rules infraction";
        match self {
            FaultKind::Time => AboutKind {
                word: "time",
                did: "was late",
                advice: "The answer came too late. Look at the clock more often, and stop the search a little earlier.",
                termination: TIME,
                in_cutechess: on_time,
                may_not_start: false,
            },
            FaultKind::Cpu => AboutKind {
                word: "cpu",
                did: "used more processor time than allowed",
                advice: "The move used too much processor time, with all threads together. Search less, or with fewer \
                         threads.",
                termination: TIME,
                in_cutechess: on_time,
                may_not_start: false,
            },
            FaultKind::Stall => AboutKind {
                word: "stall",
                did: "sent no answer",
                advice: "No answer came, even a second later. Look for an endless loop, for a search without a clock, \
                         and for output that is not flushed.",
                termination: TIME,
                in_cutechess: |_, loser, _| format!("{loser}'s connection stalls"),
                may_not_start: true,
            },
            FaultKind::Illegal => AboutKind {
                word: "illegal",
                did: "played a move that is not legal",
                advice: "The move is not legal. Compare the board in your program with the moves of the game, one by \
                         one.",
                termination: RULES,
                in_cutechess: illegal_move,
                may_not_start: false,
            },
            FaultKind::Garbage => AboutKind {
                word: "garbage",
                did: "wrote something else",
                advice: "The answer is not a move, or it was lost in too much output. Look at what your program prints \
                         in this position.",
                termination: RULES,
                in_cutechess: illegal_move,
                may_not_start: false,
            },
            FaultKind::Crash => AboutKind {
                word: "crash",
                did: "ended",
                advice: "The program ended. If there is an error message, it names the file and the line; if not, look \
                         for a call that ends the program.",
                termination: "abandoned",
                in_cutechess: |_, loser, _| format!("{loser} disconnects"),
                may_not_start: true,
            },
            FaultKind::Forfeit => AboutKind {
                word: "forfeit",
                did: "had lost too many games of the pairing so",
                advice: "The pairing was given up after repeated faults. Fix the fault of the games before.",
                termination: "adjudication",
                in_cutechess: |winner, _, _| format!("{winner} wins by forfeit"),
                may_not_start: false,
            },
        }
    }
}

fn on_time(_: &str, loser: &str, _: &str) -> String {
    format!("{loser} loses on time")
}

fn illegal_move(_: &str, loser: &str, sentence: &str) -> String {
    format!("{loser} makes an illegal move: {sentence}")
}

impl Text for FaultKind {
    fn text(&self) -> impl fmt::Display {
        self
    }

    fn read(text: &str) -> Result<FaultKind, String> {
        let known = || unknown("fault", text, &FaultKind::ALL.map(|kind| kind.about().word));
        FaultKind::from_word(text).ok_or_else(known)
    }
}

impl Serialize for FaultKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        as_text::serialize(self, serializer)
    }
}

impl<'de> Deserialize<'de> for FaultKind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<FaultKind, D::Error> {
        as_text::deserialize(deserializer)
    }
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.about().word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The kind after this one. Every kind has an arm here, and so must be in
    /// [`FaultKind::ALL`].
    const fn next(kind: FaultKind) -> Option<FaultKind> {
        match kind {
            FaultKind::Time => Some(FaultKind::Cpu),
            FaultKind::Cpu => Some(FaultKind::Stall),
            FaultKind::Stall => Some(FaultKind::Illegal),
            FaultKind::Illegal => Some(FaultKind::Garbage),
            FaultKind::Garbage => Some(FaultKind::Crash),
            FaultKind::Crash => Some(FaultKind::Forfeit),
            FaultKind::Forfeit => None,
        }
    }

    /// The same of other ends.
    const fn next_end(end: OtherEnd) -> Option<OtherEnd> {
        match end {
            OtherEnd::Resign => Some(OtherEnd::Adjudicated),
            OtherEnd::Adjudicated => Some(OtherEnd::Limit),
            OtherEnd::Limit => Some(OtherEnd::Repetition),
            OtherEnd::Repetition => None,
        }
    }

    #[test]
    fn all_lists_every_kind() {
        let kinds = std::iter::successors(Some(FaultKind::Time), |&kind| next(kind));
        assert!(kinds.eq(FaultKind::ALL));
        let ends = std::iter::successors(Some(OtherEnd::Resign), |&end| next_end(end));
        assert!(ends.eq(OtherEnd::ALL));
    }

    #[test]
    fn a_fault_has_one_word_everywhere() {
        for kind in FaultKind::ALL {
            let word = kind.about().word;
            assert_eq!(serde_json::to_string(&kind).unwrap(), format!("\"{word}\""));
            assert_eq!(FaultKind::read(word), Ok(kind));
        }
    }
}
