//! The program `referee-serve`, which `referee serve` starts. For every other command it is the same
//! program as `referee`: it starts itself to play matches.

use std::process::ExitCode;

use lodestone_program::logging::Target;

fn main() -> ExitCode {
    let Ok(words) = referee_serve::system::prepare(std::env::args_os()) else {
        return ExitCode::FAILURE;
    };
    if let Some(ended) = referee::supervise(words.clone()) {
        return ended;
    }
    let output = Target::Pipe(Box::new(referee::io::progress::LogWriter));
    lodestone_program::logging::init(
        "referee",
        referee::io::terminal::arranged,
        output,
        referee::io::log_file::message,
    );
    referee::run_with(words, Some(referee_serve::run))
}
