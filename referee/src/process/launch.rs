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
    /// [`own_program`](crate::system::processes::own_program). `None` on systems without supervisors.
    pub supervisor: Option<PathBuf>,
}

impl Launch {
    /// All arguments. An adapter gets the sandbox and the limits of its program, too.
    pub(crate) fn all_args(&self) -> Vec<String> {
        let mut args = self.args.clone();
        let Some(sandbox) = self.sandbox.as_ref().filter(|sandbox| sandbox.is_for_adapter) else {
            return args;
        };
        args.push(format!("--sandbox={}", sandbox.level));
        let folders = sandbox.readable.iter();
        args.extend(folders.map(|folder| format!("--sandbox-read={}", folder.display())));
        let Limits {
            memory,
            processes,
            cpu_time,
        } = self.limits;
        let limits = [
            ("memory", memory),
            ("max-processes", processes),
            ("cpu-time", cpu_time),
        ];
        let limits = limits
            .into_iter()
            .filter_map(|(name, limit)| Some(format!("--{name}={}", limit?)));
        args.extend(limits);
        args
    }
}
