//! The program `referee`; everything it does is in the library beside it.

use std::process::ExitCode;

#[cfg(unix)]
fn main() -> ExitCode {
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("warn")).init();
    referee::run(std::env::args_os())
}

/// Engines are started, watched and killed by means of Unix: process groups,
/// signals, pipes that do not block. Elsewhere there is only this message.
#[cfg(not(unix))]
fn main() -> ExitCode {
    eprintln!(
        "referee: this system is not supported yet: engines are run by means of Unix (Linux, macOS). \
         The engine `lodestone` runs here; on Windows the referee runs in WSL."
    );
    ExitCode::from(3)
}
