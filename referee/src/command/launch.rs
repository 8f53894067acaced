//! `referee launch`: the referee as the supervisor of one engine.

use std::process::ExitCode;

use crate::io::failure::Failure;
use crate::process::supervisor;

/// Supervises an engine to its end.
///
/// # Errors
/// When the referee did not start it.
pub fn run() -> Result<ExitCode, Failure> {
    supervisor::run().map(|()| ExitCode::SUCCESS).map_err(|error| {
        Failure::Usage(format!(
            "`{}` is an internal command; it needs a socket as standard input: {error}",
            supervisor::COMMAND
        ))
    })
}

/// Becomes a sandboxed engine.
///
/// # Errors
/// When no supervisor started it.
pub fn confine() -> Result<ExitCode, Failure> {
    supervisor::confined::run()
        .map(|()| ExitCode::SUCCESS)
        .map_err(|error| {
            Failure::Usage(format!(
                "`{}` is an internal command; it needs a socket as standard input: {error}",
                supervisor::confined::COMMAND
            ))
        })
}
