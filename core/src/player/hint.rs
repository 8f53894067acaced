//! Likely causes of faults, as clauses for messages.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use lodestone::board::Side;
use lodestone::protocol::Dialect;

use crate::game::Game;
use crate::io::text::ShowPath;
use crate::io::text::{counted, milliseconds, printable};
use crate::io::untrusted::Untrusted;
use crate::process::{Effort, Launch, SCRATCH, Sandbox, SandboxLevel, windows_script};
use crate::system::processes::inherited_limit;

/// A likely cause of a fault. `expected` is a clause with an answer that works.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hint {
    /// It has never written anything; its output may be stuck in a buffer. With what it did since its start.
    Unflushed(Option<Effort>),
    /// It has written nothing since this request. With what it did since then.
    NothingSince(&'static str, Option<Effort>),
    /// It has written only this many `info` lines. With what it did meanwhile.
    OnlyInfo(u64, Option<Effort>),
    /// It waited for a processor most of the time.
    Busy(Effort),
    /// It waited this long for a processor, which is longer than its answer was late.
    Starved(Duration),
    /// It is late by this little.
    SlightlyLate(Duration),
    /// Its last line, which begins like this, has no line end.
    Unfinished {
        line: Untrusted,
        /// `None` if the line is an answer.
        expected: Option<String>,
    },
    /// A line was meant as the answer, but is none.
    WrongForm { line: Untrusted, expected: String },
    /// It wrote this answer to stderr.
    OnStderr(Untrusted),
    /// It reported this error. With what it did meanwhile, if that explains a missing answer.
    Reported(Untrusted, Option<Effort>),
    /// It wrote something else.
    OtherLines {
        /// Number of lines.
        count: u64,
        last: Untrusted,
        expected: String,
        /// What it did meanwhile, if that is clear.
        effort: Option<Effort>,
    },
    /// It has written nothing to standard output, and this line names an error on stderr. With what it did meanwhile.
    OnlyStderr(Untrusted, Option<Effort>),
    /// It wrote this line beside its answers, so one of them may belong to an earlier `go`.
    ExtraAnswer(Untrusted),
    /// The move was legal earlier in the game.
    LegalEarlier,
    /// The move is one of the opponent's; this is the engine's own side and its sign.
    OtherSide(Side, char),
    /// It exited as if the match were over.
    EarlyExit,
    /// It has never written anything, and the handshake was UGI, which few programs speak.
    Mute,
    /// It did not end a search in the opponent's time.
    NoStop,
    /// It is built in, and its copy of the rules program failed.
    RulesFailed,
    /// It is built in or an adapter, and the machine is short of something.
    MachineFailed,
    /// Its sandbox refused something.
    Refused {
        /// The folder that it may not read, if that is known.
        folder: Option<String>,
        /// What it may do.
        summary: String,
    },
    /// The scratch folder of its sandbox may be full.
    ScratchFull,
    /// It met a limit that the referee has, too: a clause.
    Inherited(String),
    /// Something else than the referee has killed it; with the referee's own limit of processor time in seconds.
    KilledByOther(Option<u64>),
    /// The system has killed a program for lack of memory since it was started.
    Killed,
    /// Its sandbox does not let it start a program that it has made in its scratch folder.
    OwnProgram,
    /// It starts a script with Windows line ends; a sentence about it.
    WindowsScript(String),
    /// It answered the handshake in this protocol; the other was expected.
    OtherDialect(Dialect),
}

impl Hint {
    /// A likely cause of the illegal move `text` in this game. `extra_answer` is a line
    /// `bestmove …` that the player has written beside its answers.
    pub(super) fn for_illegal(game: &Game, text: &str, extra_answer: Option<&Untrusted>) -> Option<Hint> {
        if let Some(line) = extra_answer {
            return Some(Hint::ExtraAnswer(line.clone()));
        }
        let position = game.position();
        let mover = position.side_to_move();
        if let Some(position) = position.built_in().filter(|position| position.info().slides) {
            let diagram = position.diagram();
            let mut others = diagram.pieces[mover.opponent().index()].cells();
            if others.any(|cell| text.starts_with(&position.cell_text(cell))) {
                return Some(Hint::OtherSide(mover, diagram.signs[mover.index()]));
            }
        }
        let mut earlier = game
            .positions()
            .iter()
            .filter(|earlier| earlier.side_to_move() == mover);
        earlier
            .any(|earlier| earlier.parse_move(text).is_ok())
            .then_some(Hint::LegalEarlier)
    }

    /// What the system refused to an engine that has exited: what its sandbox forbids, or a script
    /// with Windows line ends.
    pub fn for_refused(launch: &Launch, stderr: &[String]) -> Option<Hint> {
        let of_script = || windows_script(launch).map(Hint::WindowsScript);
        let of_limits = || {
            stderr
                .iter()
                .rev()
                .find_map(|line| inherited_limit(line))
                .map(Hint::Inherited)
        };
        of_sandbox(launch.sandbox.as_ref(), stderr)
            .or_else(of_script)
            .or_else(of_limits)
    }
}

impl fmt::Display for Hint {
    /// A clause that ends a sentence.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Hint::Unflushed(effort) => {
                let said = told(effort.filter(Effort::is_clear), "is its standard output flushed?");
                write!(f, "it has written nothing at all: {said}")
            }
            Hint::NothingSince(request, None) => write!(f, "it has written nothing since `{request}`"),
            Hint::NothingSince(request, Some(effort)) => {
                write!(f, "it has written nothing since `{request}`: {effort}")
            }
            Hint::OnlyInfo(count, effort) => {
                let lines = counted(*count as usize, "`info` line");
                let said = told(*effort, "does its search end in time?");
                write!(f, "it wrote {lines} but no `bestmove`: {said}")
            }
            Hint::Busy(effort) => write!(f, "{effort}"),
            Hint::Starved(waited) => write!(
                f,
                "meanwhile it waited {} for a processor, because the machine was busy",
                milliseconds(*waited)
            ),
            Hint::SlightlyLate(late) => write!(
                f,
                "`timemargin={}` allows this, and with a clock for the game (`tc`) a search can save time for it",
                late.as_millis() / 50 * 50 + 50
            ),
            Hint::Unfinished { line, expected } => {
                write!(f, "its last line, {}, has no line end", quoted(line))?;
                match expected {
                    Some(expected) => write!(f, "; {expected}"),
                    None => Ok(()),
                }
            }
            Hint::WrongForm { line, expected } => write!(f, "it wrote {}; {expected}", quoted(line)),
            Hint::OnStderr(line) => write!(
                f,
                "it wrote {} to standard error; an answer goes to standard output",
                quoted(line)
            ),
            Hint::Reported(error, effort) => {
                write!(f, "it reported `{}`", error.cut(MAX_ERROR))?;
                effort.map_or(Ok(()), |effort| write!(f, "; meanwhile {effort}"))
            }
            Hint::OtherLines {
                count,
                last,
                effort: Some(effort),
                ..
            } => write!(f, "{effort}, and it wrote {}", lines(*count, last)),
            Hint::OtherLines {
                count,
                last,
                expected,
                effort: None,
            } => write!(f, "it wrote {}; {expected}", lines(*count, last)),
            Hint::OnlyStderr(line, effort) => {
                write!(f, "it has written nothing to standard output since `go`, and {} to standard error", quoted(line))?;
                effort.map_or(Ok(()), |effort| write!(f, ": {effort}"))
            }
            Hint::ExtraAnswer(line) => write!(
                f,
                "earlier in the game it wrote {} after its answer, so this may be the answer to an earlier \
                 `go`; each `go` takes one `bestmove`",
                quoted(line)
            ),
            Hint::LegalEarlier => f.write_str(
                "the move was legal earlier in the game: does the bot play all the moves of `position`, and \
                 does it write one `bestmove` for each `go`?",
            ),
            Hint::OtherSide(side, sign) => {
                let player = match side {
                    Side::First => "first",
                    Side::Second => "second",
                };
                write!(f, "in this game it is the {player} player, {sign}")
            }
            Hint::EarlyExit => f.write_str("a bot runs until it receives `quit`"),
            Hint::Mute => f.write_str(
                "it has written nothing at all: does it speak UGI, and is its standard output flushed?",
            ),
            Hint::RulesFailed => f.write_str("its copy of the rules program failed"),
            Hint::MachineFailed => f.write_str("the machine is short of something"),
            Hint::NoStop => f.write_str(
                "it thought in the opponent's time, and `stop` was to end that search: a `bestmove` answers it at once",
            ),
            Hint::OtherDialect(dialect) => {
                let (greeted, name) = (dialect.greeted(), dialect.name());
                write!(f, "it has written `{greeted}`: does it want `proto={name}`?")
            }
            of_surroundings => of_surroundings.fmt_surroundings(f),
        }
    }
}

impl Hint {
    /// A clause about what surrounds the program: its sandbox, limits, the file that starts it.
    fn fmt_surroundings(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Hint::Refused {
                folder: Some(folder),
                ..
            } => {
                let folder = printable(folder, MAX_ERROR);
                write!(f, "its sandbox does not let it use {folder}; `--sandbox-read {folder}` lets it read there")
            }
            Hint::Refused {
                folder: None,
                summary,
            } => write!(f, "it ran in a sandbox, and a refused call may look like this: {summary}"),
            Hint::ScratchFull => f.write_str(
                "it ran in a sandbox, whose scratch folder holds 64 MiB at most, and may be full",
            ),
            Hint::Inherited(limit) => f.write_str(limit),
            Hint::KilledByOther(limit) => {
                f.write_str("the referee did not send this signal; the bot itself, or another program or limit, did")?;
                limit.map_or(Ok(()), |limit| {
                    write!(f, "; the referee itself has a limit of {limit} s of processor time (`ulimit -t`)")
                })
            }
            Hint::Killed => f.write_str(
                "meanwhile the system killed a program because the memory of this machine or container was used up",
            ),
            Hint::OwnProgram => f.write_str(
                "its sandbox does not let it start a program that it has made, because `chmod` is refused; build it \
                 before the match, or use `--sandbox=strict`",
            ),
            Hint::WindowsScript(what) => f.write_str(&printable(what, MAX_ERROR)),
            // All others are above.
            _ => Ok(()),
        }
    }
}

/// What a program did, if that is known; a question otherwise.
fn told(effort: Option<Effort>, question: &str) -> String {
    effort.map_or(question.to_string(), |effort| effort.to_string())
}

/// This number of lines, with the last of them.
fn lines(count: u64, last: &Untrusted) -> String {
    match count {
        1 => quoted(last),
        count => format!("{count} lines, the last of them {}", quoted(last)),
    }
}

/// A quotation from an engine's output.
pub fn quoted(text: &Untrusted) -> String {
    format!("`{}`", text.cut(MAX_QUOTED))
}

/// Maximum length of an error that an engine reports, in characters.
const MAX_ERROR: usize = 400;

/// Maximum length of a quotation from an engine's output, in characters.
const MAX_QUOTED: usize = 60;

/// How languages word a refused call.
const SIGNS: [&str; 8] = [
    "Permission denied",
    "PermissionError",
    "AccessDenied",
    "Operation not permitted",
    "EACCES",
    "EPERM",
    "Read-only file system",
    // The compiler of Java, which does not say which folder.
    "could not create parent directories",
];

/// How they word a file that a root folder of its own does not have.
const MISSING: [&str; 3] = ["No such file or directory", "ENOENT", "NoSuchFile"];

/// What a sandboxed engine was refused, if its last lines on stderr show it.
fn of_sandbox(sandbox: Option<&Sandbox>, stderr: &[String]) -> Option<Hint> {
    let sandbox = sandbox?;
    let missing: &[&str] = match sandbox.level {
        SandboxLevel::Strict => &MISSING,
        _ => &[],
    };
    if sandbox.level == SandboxLevel::Strict
        && stderr.iter().any(|line| line.contains("No space left on device"))
    {
        return Some(Hint::ScratchFull);
    }
    let mut signs = SIGNS.iter().chain(missing);
    let mut lines = stderr.iter().rev();
    let line = lines.find(|line| signs.clone().any(|sign| line.contains(sign)))?;
    let is_missing = !SIGNS.iter().any(|sign| line.contains(sign)) && signs.any(|sign| line.contains(sign));
    if sandbox.level == SandboxLevel::On && !is_missing && line.contains(SCRATCH) {
        return Some(Hint::OwnProgram);
    }
    let folder = hidden_folder(line, sandbox).filter(|folder| Path::new(folder).exists());
    if is_missing && folder.is_none() {
        return None;
    }
    Some(Hint::Refused {
        folder,
        summary: sandbox.summary(),
    })
}

/// The folder of the first path in a line that the engine may not read.
fn hidden_folder(line: &str, sandbox: &Sandbox) -> Option<String> {
    let is_end = |c: char| c.is_whitespace() || "'\"`:,;()[]<>".contains(c);
    let paths = line.split(is_end).filter(|word| word.starts_with('/'));
    let mut hidden = paths.filter(|path| !sandbox.allows(Path::new(path)));
    let path = Path::new(hidden.next()?);
    let folder = path.parent().filter(|folder| folder.parent().is_some())?;
    Some(folder.shown())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_the_folder_that_is_hidden() {
        let sandbox = |level| Sandbox {
            level,
            folder: None,
            readable: vec!["/bots/a".into()],
            is_for_adapter: false,
        };
        let folder = |level, line: &str| {
            let hint = of_sandbox(Some(&sandbox(level)), &["first".into(), line.into()]);
            hint.map(|hint| match hint {
                Hint::Refused { folder, .. } => folder,
                other => panic!("{other:?}"),
            })
        };
        let [on, strict] = [SandboxLevel::On, SandboxLevel::Strict];
        let existing = tempfile::tempdir().unwrap();
        let book = existing.path().shown();
        let denied = format!("PermissionError: [Errno 13] Permission denied: '{book}/b.txt'");
        assert_eq!(folder(on, &denied), Some(Some(book.clone())));
        assert_eq!(folder(on, "socket: Operation not permitted"), Some(None));
        let own = "Error: EACCES: permission denied, open '/bots/a/log'";
        assert_eq!(folder(on, own), Some(None));
        let missing = format!("[Errno 2] No such file or directory: '{book}/b.txt'");
        assert_eq!(folder(on, &missing), None);
        assert_eq!(folder(strict, &missing), Some(Some(book)));
        // Nothing is there, with or without a sandbox.
        assert_eq!(
            folder(strict, "No such file or directory: '/no/such/b.txt'"),
            None
        );
        let java = "error: error while writing Bot: could not create parent directories";
        assert_eq!(folder(on, java), Some(None));
        assert_eq!(folder(on, "panicked"), None);
        assert_eq!(of_sandbox(None, &[denied]), None);
        let made = ["sh: /tmp/referee-engine-x7/prog: Permission denied".to_string()];
        assert_eq!(of_sandbox(Some(&sandbox(on)), &made), Some(Hint::OwnProgram));
    }
}
