//! The program `referee`. Its code is in the library of this package.

use std::process::ExitCode;

#[cfg(unix)]
fn main() -> ExitCode {
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("warn"))
        .target(env_logger::Target::Pipe(Box::new(referee::progress::LogWriter)))
        .init();
    referee::run(std::env::args_os())
}

/// Engines need process groups, signals and pipes that do not block, as Unix has them.
#[cfg(not(unix))]
fn main() -> ExitCode {
    eprintln!(
        "referee: this system is not supported: the referee needs Unix (Linux or macOS). \
         On Windows, use it in WSL. The engine `lodestone` runs here."
    );
    ExitCode::from(3)
}
