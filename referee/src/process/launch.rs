//! How to start an engine.

use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;

use super::limits::Limits;

/// How to start an engine.
#[derive(Clone, Debug)]
pub struct Launch {
    /// The executable, with a path that holds from any folder.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
    /// The folder in which it runs; ours where none is given.
    pub dir: Option<PathBuf>,
    /// Where a copy of its stderr goes.
    pub stderr: Option<Arc<File>>,
    /// What it may use; this takes a supervisor.
    pub limits: Limits,
    /// The referee, to be started as the engine's supervisor; `None` where
    /// there is no such thing, see [`own_program`].
    pub supervisor: Option<PathBuf>,
}

/// The program of this process, as a new process can be started from it, even
/// when its file has been replaced. `None` where the system has no such path.
pub fn own_program() -> Option<PathBuf> {
    cfg!(target_os = "linux").then(|| PathBuf::from("/proc/self/exe"))
}
