//! What surrounds a program, as the cause of its end: its sandbox, limits, the file that starts it.

use std::fmt;
use std::path::Path;

use crate::io::stderr::error_line;
use crate::io::text::{ShowPath, printable};
use crate::process::{ExitInfo, Launch, SCRATCH, Sandbox, SandboxLevel, windows_script};
use crate::system::files::{free_space, is_open_to_all, is_refused};
use crate::system::processes::{inherited_limit, limit_of_processor_time};

/// Maximum length of an error that an engine reports, in characters.
pub(super) const MAX_ERROR: usize = 400;

/// A cause outside of the program's own code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Surroundings {
    /// Its sandbox refused something.
    Refused {
        /// The folder that it may not use, if that is known.
        folder: Option<String>,
        /// Whether it may have been reading: what it used is there, and the folder is none in which all users write.
        is_read: bool,
        /// What it may do.
        summary: String,
    },
    /// Its sandbox has no network.
    NoNetwork,
    /// The scratch folder of its sandbox may be full.
    ScratchFull,
    /// This folder, where it works or keeps temporary files, is on a file system without free space.
    DiskFull(String),
    /// Another program uses the port at which it wants to listen.
    PortInUse {
        /// Its number, if the program has written it.
        port: Option<u16>,
        /// Whether that may be the same bot in another game.
        is_shared: bool,
    },
    /// It met a limit that the referee has, too: a clause.
    Inherited(String),
    /// Something else than the referee has killed it; with the referee's own limit of processor time in seconds.
    KilledByOther(Option<u64>),
    /// The system has killed a program for lack of memory since it was started.
    Killed {
        /// Whether it seems to have used up the memory itself.
        is_own_doing: bool,
    },
    /// Its sandbox does not let it start a program that it has made in its scratch folder.
    OwnProgram,
    /// It starts a script with Windows line endings; a sentence about it.
    WindowsScript(String),
}

impl Surroundings {
    /// Why a program has ended that ended so.
    pub(super) fn of_end(launch: &Launch, exit: &ExitInfo) -> Option<Surroundings> {
        let killed = || {
            if exit.is_out_of_memory {
                Some(Surroundings::Killed {
                    is_own_doing: exit.leaves_memory,
                })
            } else if exit.was_killed() {
                Some(Surroundings::KilledByOther(limit_of_processor_time()))
            } else {
                None
            }
        };
        Surroundings::refusing(launch, &exit.stderr).or_else(killed)
    }

    /// What the system refused to an engine that has exited: what its sandbox forbids, or a script
    /// with Windows line endings.
    pub fn refusing(launch: &Launch, stderr: &[String]) -> Option<Surroundings> {
        let of_script = || windows_script(launch).map(Surroundings::WindowsScript);
        let of_limits = || {
            stderr
                .iter()
                .rev()
                .find_map(|line| inherited_limit(line))
                .map(Surroundings::Inherited)
        };
        of_port(launch.sandbox.as_ref(), stderr)
            .or_else(|| of_sandbox(launch.sandbox.as_ref(), stderr))
            .or_else(|| of_disk(launch.dir.as_deref(), stderr))
            .or_else(of_script)
            .or_else(of_limits)
    }
}

impl fmt::Display for Surroundings {
    /// A clause that ends a sentence.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Surroundings::Refused {
                folder: Some(folder),
                is_read,
                ..
            } => {
                let folder = printable(folder, MAX_ERROR);
                write!(f, "its sandbox does not let it use {folder}; a bot may write only to the folder in `TMPDIR`")?;
                if *is_read {
                    write!(f, "; if it may read there, `--sandbox-read {folder}` allows it")?;
                }
                Ok(())
            }
            Surroundings::Refused {
                folder: None,
                summary,
                ..
            } => write!(f, "it ran in a sandbox, and a refused call may look like this: {summary}"),
            Surroundings::NoNetwork => f.write_str("its sandbox has no network"),
            Surroundings::ScratchFull => f.write_str(
                "it ran in a sandbox, whose scratch folder holds 64 MiB at most, and may be full",
            ),
            Surroundings::DiskFull(folder) => {
                write!(f, "the disk is full: no space is left in {}", printable(folder, MAX_ERROR))
            }
            Surroundings::PortInUse { port, is_shared } => {
                let port = port.map_or(String::new(), |port| format!(" {port}"));
                if *is_shared {
                    write!(
                        f,
                        "its port{port} is in use, by another program, its opponent or this bot in another game; \
                         port 0 is a free one, and `--sandbox=strict` gives each bot its own network"
                    )
                } else {
                    write!(
                        f,
                        "another process of this bot still uses its port{port}: the bot started it earlier and did \
                         not end it"
                    )
                }
            }
            Surroundings::Inherited(limit) => f.write_str(limit),
            Surroundings::KilledByOther(limit) => {
                f.write_str("the referee did not send this signal; the bot itself, or another program or limit, did")?;
                limit.map_or(Ok(()), |limit| {
                    write!(f, "; the referee itself has a limit of {limit} s of processor time (`ulimit -t`)")
                })
            }
            Surroundings::Killed { is_own_doing } => {
                f.write_str(
                    "meanwhile the system killed a program because the memory of this machine or container was \
                     used up",
                )?;
                let own = if *is_own_doing { ", which is free again without this player" } else { "" };
                write!(f, "{own}; `memory=MB` limits each player")
            }
            Surroundings::OwnProgram => f.write_str(
                "its sandbox does not let it start a program that it has made, because `chmod` is refused; build it \
                 before the match, or use `--sandbox=strict`",
            ),
            Surroundings::WindowsScript(what) => f.write_str(&printable(what, MAX_ERROR)),
        }
    }
}

/// How languages word a port that is in use.
const PORT_IN_USE: [&str; 4] = [
    "Address already in use",
    "EADDRINUSE",
    "AddrInUse",
    "address in use",
];

/// Whether the error of a program is that its port is in use.
fn of_port(sandbox: Option<&Sandbox>, stderr: &[String]) -> Option<Surroundings> {
    let line = error_line(stderr)?;
    let is_strict = sandbox.is_some_and(|sandbox| sandbox.level == SandboxLevel::Strict);
    let is_in_use = PORT_IN_USE.iter().any(|sign| line.contains(sign));
    is_in_use.then(|| Surroundings::PortInUse {
        port: stderr.iter().rev().find_map(|line| port_of(line)),
        is_shared: !is_strict,
    })
}

/// The port in a line about one: a number such as the one in `bind(("", 4000))`, `127.0.0.1:4000` or `port 4000`.
fn port_of(line: &str) -> Option<u16> {
    let lower = line.to_ascii_lowercase();
    let is_about_port = ["bind", "listen", "port ", "in use"]
        .iter()
        .any(|word| lower.contains(word));
    let mut words = lower.split(|sign: char| !sign.is_ascii_alphanumeric() && sign != '.');
    words
        .find_map(|word| {
            let before = &lower[..word.as_ptr() as usize - lower.as_ptr() as usize];
            let before = before.trim_end();
            let is_place = before.ends_with([':', ',', '(']) || before.ends_with("port");
            let port = word.trim_end_matches('.').parse().ok();
            port.filter(|port| is_place && *port >= FIRST_PORT)
        })
        .filter(|_| is_about_port)
}

/// The first port that every user may have. Smaller numbers are lines of a file, or errors.
const FIRST_PORT: u16 = 1024;

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

/// How they word a name or an address that a network without others does not have.
const NO_NETWORK: [&str; 5] = [
    "name resolution",
    "Name or service not known",
    "Network is unreachable",
    "UnknownHostException",
    "EAI_AGAIN",
];

/// How they word a file that a separate root folder does not have.
const MISSING: [&str; 3] = ["No such file or directory", "ENOENT", "NoSuchFile"];

/// How languages word a full disk.
const FULL: [&str; 2] = ["No space left on device", "ENOSPC"];

/// Whether a line has one of these signs, and not as a part of a longer sentence.
fn speaks_of(line: &str, signs: &[&str]) -> bool {
    let goes_on = |rest: &str| {
        rest.strip_prefix(' ')
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_lowercase()))
    };
    let has = |sign: &&str| line.split_once(*sign).is_some_and(|(_, rest)| !goes_on(rest));
    signs.iter().any(has)
}

/// The folder without free space, if the last lines on stderr speak of one.
fn of_disk(dir: Option<&Path>, stderr: &[String]) -> Option<Surroundings> {
    let mut lines = stderr.iter().rev();
    lines.find(|line| speaks_of(line, &FULL))?;
    let temporary = std::env::temp_dir();
    let mut folders = dir.into_iter().chain([temporary.as_path()]);
    let full = folders.find(|folder| free_space(folder) == Some(0))?;
    Some(Surroundings::DiskFull(full.shown()))
}

/// What a sandboxed engine was refused, if its last lines on stderr show it.
fn of_sandbox(sandbox: Option<&Sandbox>, stderr: &[String]) -> Option<Surroundings> {
    let sandbox = sandbox?;
    let missing: &[&str] = match sandbox.level {
        SandboxLevel::Strict => &MISSING,
        _ => &[],
    };
    if stderr.iter().any(|line| speaks_of(line, &FULL)) && of_disk(None, stderr).is_none() {
        return Some(Surroundings::ScratchFull);
    }
    if sandbox.level == SandboxLevel::Strict
        && error_line(stderr).is_some_and(|line| NO_NETWORK.iter().any(|sign| line.contains(sign)))
    {
        return Some(Surroundings::NoNetwork);
    }
    let mut lines = stderr.iter().rev();
    let line = lines.find(|line| speaks_of(line, &SIGNS) || speaks_of(line, missing))?;
    let is_missing = !speaks_of(line, &SIGNS);
    if sandbox.level == SandboxLevel::On && !is_missing && line.contains(SCRATCH) {
        return Some(Surroundings::OwnProgram);
    }
    if paths(line).any(|path| is_refused(Path::new(path))) {
        // Nobody of this account may read it, with or without a sandbox.
        return None;
    }
    let hidden = hidden_path(line, sandbox);
    let is_read = hidden.is_some_and(|path| path.exists() && !path.parent().is_some_and(is_open_to_all));
    let folder = hidden
        .and_then(folder_of)
        .filter(|folder| Path::new(folder).exists());
    if is_missing && folder.is_none() {
        return None;
    }
    Some(Surroundings::Refused {
        is_read,
        folder,
        summary: sandbox.summary(),
    })
}

/// The absolute paths in a line.
fn paths(line: &str) -> impl Iterator<Item = &str> {
    let is_end = |c: char| c.is_whitespace() || "'\"`:,;()[]<>".contains(c);
    line.split(is_end).filter(|word| word.starts_with('/'))
}

/// The first path in a line that the engine may not read.
fn hidden_path<'a>(line: &'a str, sandbox: &Sandbox) -> Option<&'a Path> {
    let mut hidden = paths(line).filter(|path| !sandbox.allows(Path::new(path)));
    hidden.next().map(Path::new)
}

/// The folder of a path, unless it is the root.
fn folder_of(path: &Path) -> Option<String> {
    let folder = path.parent().filter(|folder| folder.parent().is_some())?;
    Some(folder.shown())
}

#[cfg(test)]
mod tests {
    use super::*;
    use sentences::{assert_has, expect};

    /// The file system of `/proc` has no space.
    #[cfg(target_os = "linux")]
    #[test]
    fn names_the_folder_on_a_full_disk() {
        let full = ["OSError: [Errno 28] No space left on device".to_string()];
        let found = of_disk(Some(Path::new("/proc")), &full);
        assert_eq!(found, Some(Surroundings::DiskFull("/proc".to_string())));
        assert_eq!(of_disk(Some(Path::new("/proc")), &["panicked".to_string()]), None);
        assert_eq!(of_disk(None, &full), None);
    }

    #[test]
    fn a_port_in_use_is_told_by_the_error() {
        let of = |lines: &[&str]| {
            let lines: Vec<String> = lines.iter().map(|line| (*line).to_string()).collect();
            of_port(None, &lines).is_some()
        };
        assert!(of(&["Traceback:", "OSError: [Errno 98] Address already in use"]));
        assert!(of(&[
            "Exception in thread \"main\" java.net.BindException: Address already in use (Bind failed)",
            "\\tat java.net.Bind(x.java:3)"
        ]));
        assert!(of(&["bind: Address already in use"]));
        // It has found another one.
        assert!(!of(&[
            "port 4000: Address already in use",
            "IndexError: list index"
        ]));
    }

    #[test]
    fn the_port_in_use_is_named() {
        for (line, port) in [
            ("    s.bind((\"127.0.0.1\", 4711))", Some(4711)),
            (
                "Error: listen EADDRINUSE: address already in use :::3000",
                Some(3000),
            ),
            (
                "OSError: [Errno 98] error while attempting to bind on address ('::1', 8000, 0, 0): in use",
                Some(8000),
            ),
            (
                "listen tcp 127.0.0.1:8080: bind: address already in use",
                Some(8080),
            ),
            ("port 4000: Address already in use", Some(4000)),
            ("OSError: [Errno 98] Address already in use", None),
            ("\tat java.net.Bind(x.java:3)", None),
            ("  File \"bot.py\", line 2048, in move: 5000", None),
        ] {
            assert_eq!(port_of(line), port, "{line}");
        }
        let lines = ["s.listen(4711)", "OSError: [Errno 98] Address already in use"].map(String::from);
        let cause = of_port(None, &lines).unwrap().to_string();
        assert_has(&cause, expect! {"its port 4711 is in use, by another program"});
    }

    #[test]
    fn names_the_folder_that_is_hidden() {
        let sandbox = |level| Sandbox {
            level,
            folder: None,
            readable: vec!["/bots/a".into()],
            writable: None,
            is_for_adapter: false,
        };
        let folder = |level, line: &str| {
            let hint = of_sandbox(Some(&sandbox(level)), &["first".into(), line.into()]);
            hint.map(|hint| match hint {
                Surroundings::Refused { folder, .. } => folder,
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
        // The bot's own words, of no call.
        let words = "ValueError: cell a1: Operation not permitted by the rules";
        assert_eq!(folder(on, words), None);
        let java = "error: error while writing Bot: could not create parent directories";
        assert_eq!(folder(on, java), Some(None));
        assert_eq!(folder(on, "panicked"), None);
        assert_eq!(of_sandbox(None, &[denied]), None);
        let made = ["sh: /tmp/referee-engine-x7/prog: Permission denied".to_string()];
        assert_eq!(
            of_sandbox(Some(&sandbox(on)), &made),
            Some(Surroundings::OwnProgram)
        );
    }
}
