//! `referee serve`: runs the program with the web server, so that this one needs none of its libraries.

use std::process::{Command, ExitCode};

use referee_core::failure::Failure;
use referee_core::system::processes::become_program;

use crate::config::companion::SERVER;

/// Runs the server with the arguments of this process.
pub fn run() -> Result<ExitCode, Failure> {
    let mut server = Command::new(SERVER.path());
    server.args(std::env::args_os().skip(1));
    become_program(server).map_err(|error| {
        let (program, purpose, advice) = (SERVER.program, SERVER.purpose, SERVER.advice());
        Failure::Usage(format!(
            "the program `{program}` {purpose} cannot be started: {error}. {advice}"
        ))
    })
}
