//! Permissions, `flock`, and the files of `/proc` where the system has them.

use std::fs::{self, File, OpenOptions, Permissions, TryLockError};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::Access;
use shlex::QuoteError;

/// Whether the file at `path` is executable.
pub fn is_executable(path: &Path) -> bool {
    rustix::fs::access(path, Access::EXEC_OK).is_ok()
}

/// Whether the first line of a script names the program that runs it.
pub const STARTS_SCRIPTS: bool = true;

/// The usual name of Python.
pub const PYTHON: &str = "python3";

/// The usual name of a compiler for C.
pub const CC: &str = "cc";

/// The usual name of a compiler for C++.
pub const CXX: &str = "c++";

/// Why a file that is not executable is not started, as a clause that follows its path.
pub fn not_executable(path: &Path) -> String {
    format!("is not executable; {}", how_to_make_executable(path))
}

/// What is wrong with a folder without this program, as a clause that follows its path.
pub fn no_program(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().display();
    let then = how_to_make_executable(path);
    format!("has no file `{name}`; write one that starts the program, then {then}")
}

fn how_to_make_executable(path: &Path) -> String {
    let path = path.to_string_lossy();
    let quoted = shlex::try_quote(&path).unwrap_or_default();
    format!("`chmod +x {quoted}` makes it so")
}

/// Why an executable file is not started, as a clause that follows its path.
pub fn wrong_program() -> String {
    "is not a program for this system; a script needs a first line such as `#!/usr/bin/env python3`".into()
}

/// The words of a command line, quoted as for a shell. `None` if a quote is not closed.
pub fn split_words(line: &str) -> Option<Vec<String>> {
    shlex::split(line)
}

/// A word, quoted for a shell and for [`split_words`] where it is needed.
pub fn quote(word: &str) -> Result<String, QuoteError> {
    shlex::try_quote(word).map(Into::into)
}

/// Makes a file executable for everybody.
pub fn make_executable(path: &Path) -> io::Result<()> {
    fs::set_permissions(path, Permissions::from_mode(0o755))
}

/// Whether a command names a file rather than a program in PATH.
pub fn has_path(command: &str) -> bool {
    command.contains('/')
}

/// The files that `name` may mean, in order.
pub fn program_names(name: &Path) -> Vec<PathBuf> {
    vec![name.to_path_buf()]
}

/// Opens a file for appending, and locks it against other processes until it is closed.
pub fn open_locked(path: &Path) -> Result<File, TryLockError> {
    let file = OpenOptions::new().read(true).append(true).create(true).open(path);
    let file = file.map_err(TryLockError::Error)?;
    match file.try_lock() {
        // Some network file systems have no locks.
        Err(TryLockError::Error(error)) => log::debug!("{} cannot be locked: {error}", path.display()),
        locked => locked?,
    }
    Ok(file)
}

/// The name of this machine, if the system tells it.
pub fn host_name() -> Option<String> {
    let name = fs::read_to_string("/proc/sys/kernel/hostname").ok();
    name.or_else(|| std::env::var("HOSTNAME").ok())
}
