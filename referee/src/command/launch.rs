//! `referee launch`: the referee as the supervisor of one engine.

use std::process::ExitCode;

use crate::io::failure::Failure;
use crate::process::supervisor;

/// Supervises an engine to its end.
///
/// # Errors
/// Where it was not the referee that started this.
pub fn run() -> Result<ExitCode, Failure> {
    supervisor::run().map(|()| ExitCode::SUCCESS).map_err(|error| {
        Failure::Usage(format!(
            "`{}` is what the referee starts itself as, with a socket as standard input: {error}",
            supervisor::COMMAND
        ))
    })
}
