//! `referee serve`: runs the program with the web server, so that this one needs none of its libraries.

use std::path::PathBuf;
use std::process::{Command, ExitCode};

use referee_core::failure::Failure;
use referee_core::system::processes::become_program;

/// The program with the web server.
const SERVER: &str = "referee-serve";

/// Runs the server with the arguments of this process: the program beside this one, or in PATH.
pub fn run() -> Result<ExitCode, Failure> {
    let beside = std::env::current_exe().ok().and_then(|own| {
        let name = format!("{SERVER}{}", std::env::consts::EXE_SUFFIX);
        Some(own.parent()?.join(name)).filter(|path| path.is_file())
    });
    let mut server = Command::new(beside.unwrap_or_else(|| PathBuf::from(SERVER)));
    server.args(std::env::args_os().skip(1));
    become_program(server).map_err(|error| {
        Failure::Usage(format!(
            "the program `{SERVER}` with the web server cannot be started: {error}. From a checkout, \
             `cargo install --locked --path serve` installs it; the packages contain it"
        ))
    })
}
