//! How to start an engine.

use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;

use super::limits::Limits;
use super::sandbox::Sandbox;

/// How to start an engine.
#[derive(Clone, Debug)]
pub struct Launch {
    /// The executable, as a path that is valid from any folder.
    pub program: PathBuf,
    /// Command-line arguments.
    pub args: Vec<String>,
    /// The working folder; the referee's own by default.
    pub dir: Option<PathBuf>,
    /// Where a copy of its stderr goes.
    pub stderr: Option<Arc<File>>,
    /// Resource limits; they need a supervisor.
    pub limits: Limits,
    /// How it is restricted; needs a supervisor.
    pub sandbox: Option<Sandbox>,
    /// The program to start as the engine's supervisor: the referee itself, see
    /// [`own_program`]. `None` on systems without supervisors.
    pub supervisor: Option<PathBuf>,
}

/// The running program, as a path from which it can be started again even if its file
/// was replaced. `None` where the system has no such path.
pub fn own_program() -> Option<PathBuf> {
    cfg!(target_os = "linux").then(|| PathBuf::from("/proc/self/exe"))
}
