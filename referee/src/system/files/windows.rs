//! Extensions of programs, and processes as Windows lists them.

use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use shlex::QuoteError;
use sysinfo::{Pid, ProcessRefreshKind, ProcessesToUpdate, System};

/// Extensions of the files that `CreateProcess` starts, `.bat` and `.cmd` through `cmd.exe`.
const EXTENSIONS: [&str; 4] = ["exe", "com", "bat", "cmd"];

/// Whether the extension of the file at `path` is one of a program.
#[must_use]
pub fn is_executable(path: &Path) -> bool {
    let extension = path.extension().unwrap_or_default();
    path.is_file()
        && EXTENSIONS
            .iter()
            .any(|known| extension.eq_ignore_ascii_case(known))
}

/// Whether the first line of a script names the program that runs it.
pub const STARTS_SCRIPTS: bool = false;

/// The usual name of Python.
pub const PYTHON: &str = "python";

/// The usual name of a compiler for C.
pub const CC: &str = "gcc";

/// The usual name of a compiler for C++.
pub const CXX: &str = "g++";

/// Why a file that is not executable is not started, as a clause that follows its path.
#[must_use]
pub fn not_executable(_: &Path) -> String {
    "is not a program; Windows starts files that end in .exe, .com, .bat or .cmd".into()
}

/// What is wrong with a folder without this program, as a clause that follows its path.
#[must_use]
pub fn no_program(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().display();
    format!("has no program `{name}.exe`, `{name}.bat` or `{name}.cmd`")
}

/// Why an executable file is not started, as a clause that follows its path.
#[must_use]
pub fn wrong_program() -> String {
    "is not a program for this version of Windows".into()
}

/// The words of a command line, quoted as for a shell of Unix, but a backslash is a character like
/// any other. `None` if a quote is not closed.
#[must_use]
pub fn split_words(line: &str) -> Option<Vec<String>> {
    let mut escaped = String::with_capacity(line.len());
    let mut quote = None;
    for sign in line.chars() {
        match (sign, quote) {
            ('\\', None | Some('"')) => escaped.push('\\'),
            ('\'' | '"', None) => quote = Some(sign),
            (sign, Some(open)) if sign == open => quote = None,
            _ => {}
        }
        escaped.push(sign);
    }
    shlex::split(&escaped)
}

/// A word, quoted for a shell and for [`split_words`] where it is needed, without an escaping backslash.
///
/// # Errors
/// The word contains NUL.
pub fn quote(word: &str) -> Result<String, QuoteError> {
    let is_plain = |sign: char| sign.is_ascii_alphanumeric() || "=._-/+:,@%\\".contains(sign);
    if word.contains('\0') {
        Err(QuoteError::Nul)
    } else if !word.is_empty() && word.chars().all(is_plain) {
        Ok(word.to_string())
    } else if word.contains('"') {
        Ok(format!("'{}'", word.replace('\'', "'\"'\"'")))
    } else {
        Ok(format!("\"{word}\""))
    }
}

/// Does nothing: the extension decides.
///
/// # Errors
/// None on this system.
pub fn make_executable(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Whether a command names a file rather than a program in PATH.
#[must_use]
pub fn has_path(command: &str) -> bool {
    command.contains(['/', '\\'])
}

/// The files that `name` may mean, in order: itself, and with each extension of programs.
#[must_use]
pub fn program_names(name: &Path) -> Vec<PathBuf> {
    let with_extension = EXTENSIONS.iter().map(|extension| {
        let mut name = name.as_os_str().to_os_string();
        name.push(".");
        name.push(extension);
        PathBuf::from(name)
    });
    [name.to_path_buf()].into_iter().chain(with_extension).collect()
}

/// Does nothing: a lock of Windows would also keep programs from reading the file. The lock files
/// beside it remain.
///
/// # Errors
/// None on this system.
pub fn try_lock(_: &File) -> Result<(), TryLockError> {
    Ok(())
}

/// `None`: the clock of the standard library goes on while the machine sleeps.
#[must_use]
pub fn uptime() -> Option<Duration> {
    None
}

/// The name of this machine.
#[must_use]
pub fn host_name() -> Option<String> {
    std::env::var("COMPUTERNAME").ok()
}

/// What identifies the space of process ids; the start of a process identifies the boot.
#[must_use]
pub fn machine() -> Option<String> {
    host_name().map(|name| format!("windows {name}"))
}

/// Whether a process of this machine runs.
#[must_use]
pub fn is_running(pid: u32) -> Option<bool> {
    Some(start_of(pid).is_some())
}

/// When a process started, in seconds since 1970; `None` if it does not run.
#[must_use]
pub fn start_of(pid: u32) -> Option<u64> {
    let pid = Pid::from_u32(pid);
    let mut system = System::new().ok()?;
    let kind = ProcessRefreshKind::nothing();
    system.refresh_processes_specifics(ProcessesToUpdate::Some(&[pid]), true, kind);
    system.process(pid).map(sysinfo::Process::start_time)
}
