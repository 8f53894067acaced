//! Findings that several checks share.

use std::fmt;
use std::io;

use lodestone::game::AnyPosition;
use lodestone::protocol::Dialect;

use super::report::Finding;
use crate::player::verdict::{Fault, FaultKind};
use crate::player::{EngineSpec, Hint, StartError};
use crate::process::ExitInfo;

/// How to flush in some languages.
const HOW_TO_FLUSH: &str = "flush standard output after each line: `print(…, flush=True)` in Python, \
                            `System.out.flush()` in Java, `fflush(stdout)` in C, `std::endl` in C++";

/// When an answer came that was stuck in a buffer of the bot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stuck {
    /// After another line of input.
    UntilInput,
    /// After the end of its input.
    UntilEnd,
}

impl fmt::Display for Stuck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Stuck::UntilInput => "after more input",
            Stuck::UntilEnd => "at the end of its input",
        })
    }
}

/// An answer that is stuck in a buffer.
pub fn unflushed(name: &str, word: &str, when: Stuck) -> Finding {
    let (cause, hint) = match when {
        Stuck::UntilInput => (
            "it does not flush its output, or waits for another line",
            format!(
                "{HOW_TO_FLUSH}; in C, a `scanf` format with white space at its end waits for the next line"
            ),
        ),
        Stuck::UntilEnd => ("it does not flush its output", HOW_TO_FLUSH.to_string()),
    };
    Finding {
        problem: format!("{name} wrote `{word}` only {when}: {cause}"),
        expected: format!("`{word}` without more input"),
        hint,
        ..Finding::default()
    }
}

/// A program that the system cannot start.
pub fn not_started(spec: &EngineSpec, error: io::Error) -> Finding {
    let error = StartError::Execution {
        program: spec.launch.program.clone(),
        error,
    };
    Finding {
        problem: error.sentence(&spec.name),
        expected: "a program that the system can start".into(),
        hint: "start it by hand, and read the error".into(),
        ..Finding::default()
    }
}

/// A bot that speaks another dialect.
pub fn other_dialect(spec: &EngineSpec, other: Dialect) -> Finding {
    let name = other.name();
    Finding {
        problem: format!("{} answered `{}`", spec.name, other.greeted()),
        expected: format!("`{}`", spec.dialect.greeted()),
        hint: format!("check it with `--proto {name}`, and set `proto={name}` in a match"),
        ..Finding::default()
    }
}

/// An option that the user has set and the bot does not announce, or not with this value.
pub fn wrong_option(name: &str, why: &str) -> Finding {
    Finding {
        problem: format!("{name} {why}"),
        expected: "settings `option.NAME=VALUE` that fit the lines `option name NAME type …` of the bot"
            .into(),
        hint: "correct the setting or leave it out, or announce the option".into(),
        ..Finding::default()
    }
}

/// A word that did not come.
pub fn no_word(name: &str, cause: Option<&Hint>, request: &str, word: &str, expected: &str) -> Finding {
    Finding {
        problem: match cause {
            Some(cause) => format!("{name} did not write `{word}`; {cause}"),
            None => format!("{name} did not write `{word}`"),
        },
        expected: expected.into(),
        hint: format!("print `{word}` when the line `{request}` comes, and {HOW_TO_FLUSH}"),
        ..Finding::default()
    }
}

/// Too much output.
pub fn garbage(name: &str, what: &str, expected: &str) -> Finding {
    Finding {
        problem: format!("{name} wrote {what}"),
        expected: expected.into(),
        hint: "print only the answer, and fewer `info` lines".into(),
        ..Finding::default()
    }
}

/// A bot that has exited instead of giving this answer.
pub fn crashed(name: &str, exit: Option<ExitInfo>, expected: &str) -> Finding {
    let how = exit.as_ref().map_or("is not running", |exit| exit.how.as_str());
    let hint = match &exit {
        Some(exit) if exit.is_success() => "read lines in a loop until `quit` comes or the input ends",
        _ => "enter the lines above by hand, and read the error",
    };
    Finding {
        problem: format!("{name} {how}"),
        expected: expected.into(),
        hint: hint.into(),
        fault: Some(FaultKind::Crash),
        stderr: exit.map(|exit| exit.stderr).unwrap_or_default(),
        ..Finding::default()
    }
}

/// A fault in a position. `is_answer` says whether there was an answer at all.
pub fn of_fault(name: &str, fault: &Fault, is_answer: bool, position: &dyn AnyPosition) -> Finding {
    let moves = position.legal_moves();
    let example = moves
        .first()
        .map(|&mv| position.move_text(mv))
        .unwrap_or_default();
    let expected = match (fault, moves.len()) {
        (Fault::Time { allowed, .. } | Fault::Stall { allowed, .. }, _) => {
            format!("`bestmove` within {} ms of `go`", allowed.as_millis())
        }
        (_, 1) => format!("`bestmove {example}`, the only legal move"),
        (_, count) => format!("one of {count} legal moves, such as `bestmove {example}`"),
    };
    let hint = match fault {
        Fault::Time { .. } => "read the clock inside the search, and stop some milliseconds early",
        Fault::Stall { .. } => {
            "print `bestmove` and a move after each `go`, and flush standard output; if the search runs too long, \
             read the clock inside it"
        }
        Fault::Illegal { .. } => {
            "enter the same `position` line in `lodestone`, then `d`, and compare the board with that of the bot"
        }
        Fault::Garbage(_) if is_answer => "print `bestmove`, a space and the move, such as the one above",
        Fault::Garbage(_) => "print only the answer, and fewer `info` lines",
        Fault::Crash { .. } => "enter the lines above by hand, and read the error",
    };
    let is_about_rules = is_answer && matches!(fault, Fault::Illegal { .. } | Fault::Garbage(_));
    Finding {
        problem: fault.sentence(name),
        expected,
        hint: hint.into(),
        fen: is_about_rules.then(|| position.fen()),
        fault: Some(fault.kind()),
        ..Finding::default()
    }
}
