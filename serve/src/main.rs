//! The program `referee-serve`, which `referee serve` starts. For every other command it is the same
//! program as `referee`: it starts itself to play matches.

use std::process::ExitCode;

use lodestone_program::logging::Target;

fn main() -> ExitCode {
    if let Some(ended) = referee::supervise(std::env::args_os()) {
        return ended;
    }
    let output = Target::Pipe(Box::new(referee::io::progress::LogWriter));
    lodestone_program::logging::init(
        "referee",
        referee::io::terminal::arranged,
        output,
        referee::io::log_file::message,
    );
    referee::run_with(std::env::args_os(), Some(referee_serve::run))
}
