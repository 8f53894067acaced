//! The program `referee`. Its code is in the library of this package.

use std::process::ExitCode;

use lodestone::logging::Target;

fn main() -> ExitCode {
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
