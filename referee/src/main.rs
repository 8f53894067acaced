//! The program `referee`. Its code is in the library of this package.

use std::process::ExitCode;

#[cfg(unix)]
use lodestone::logging::Target;

#[cfg(unix)]
fn main() -> ExitCode {
    #[cfg(target_os = "linux")]
    if let Some(ended) = referee::supervise(std::env::args_os()) {
        return ended;
    }
    let output = Target::Pipe(Box::new(referee::progress::LogWriter));
    lodestone::logging::init(
        "referee",
        referee::io::messages::arranged,
        output,
        referee::io::log_file::message,
    );
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
