//! Internal commands with which the referee starts itself: the supervisor and the launcher of
//! an engine.

use std::process::ExitCode;

use crate::io::failure::Failure;
use crate::process::supervisor::internal_command;

/// Runs the internal command of this name; `None` for other names.
pub fn run(command: &str) -> Option<Result<ExitCode, Failure>> {
    let ended = internal_command(command)?;
    Some(ended.map(|()| ExitCode::SUCCESS).map_err(|error| {
        Failure::Usage(format!(
            "`{command}` is an internal command; it needs a socket as standard input: {error}"
        ))
    }))
}
