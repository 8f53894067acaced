//! Extensions of programs, and files that one process writes.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::os::windows::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use shlex::QuoteError;

/// Extensions of the files that `CreateProcess` starts, `.bat` and `.cmd` through `cmd.exe`.
const EXTENSIONS: [&str; 4] = ["exe", "com", "bat", "cmd"];

/// Whether the extension of the file at `path` is one of a program.
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
pub fn not_executable(_: &Path) -> String {
    "is not a program; Windows starts files that end in .exe, .com, .bat or .cmd".into()
}

/// What is wrong with a folder without this program, as a clause that follows its path.
pub fn no_program(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().display();
    format!("has no program `{name}.exe`, `{name}.bat` or `{name}.cmd`")
}

/// Why an executable file is not started, as a clause that follows its path.
pub fn wrong_program() -> String {
    "is not a program for this version of Windows".into()
}

/// The words of a command line, quoted as for a shell of Unix, but a backslash is a character like
/// any other. `None` if a quote is not closed.
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
pub fn make_executable(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Whether a command names a file rather than a program in PATH.
pub fn has_path(command: &str) -> bool {
    command.contains(['/', '\\'])
}

/// The files that `name` may mean, in order: itself, and with each extension of programs.
pub fn program_names(name: &Path) -> Vec<PathBuf> {
    let with_extension = EXTENSIONS.iter().map(|extension| {
        let mut name = name.as_os_str().to_os_string();
        name.push(".");
        name.push(extension);
        PathBuf::from(name)
    });
    [name.to_path_buf()].into_iter().chain(with_extension).collect()
}

/// Opens a file for appending. Until it is closed, other processes may read it, not write to it.
pub fn open_locked(path: &Path) -> Result<File, TryLockError> {
    const SHARE_READ: u32 = 1;
    const SHARE_DELETE: u32 = 4;
    const SHARING_VIOLATION: i32 = 32;
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(true);
    let opened = options.share_mode(SHARE_READ | SHARE_DELETE).open(path);
    opened.map_err(|error| match error.raw_os_error() {
        Some(SHARING_VIOLATION) => TryLockError::WouldBlock,
        _ => TryLockError::Error(error),
    })
}

/// The name of this machine.
pub fn host_name() -> Option<String> {
    std::env::var("COMPUTERNAME").ok()
}
