//! Programs, locks and names in the file system.
//!
//! * `is_executable`, `make_executable`, `program_names`: what is a program.
//! * `STARTS_SCRIPTS`, `PYTHON`, `CC`, `CXX`, `no_program`, `not_executable`, `wrong_program`: why a file is none.
//! * `has_path`: whether a command is a path rather than a name.
//! * `split_words`, `quote`: the words of a command line.
//! * `open_locked`: a result file, which only one process writes.
//! * `host_name`: the name of this machine.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub use unix::*;
#[cfg(windows)]
pub use windows::*;
