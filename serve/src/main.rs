//! The program `referee-serve`, which `referee serve` starts. For every other command it is the same
//! program as `referee`: it starts itself to play matches.

use std::process::ExitCode;

/// musl's own allocator makes a report 1.5 times slower (docs/notes/packages.md).
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;

fn main() -> ExitCode {
    let Ok(words) = referee_serve::system::prepare(std::env::args_os()) else {
        return ExitCode::FAILURE;
    };
    if let Some(ended) = referee::supervise(words.clone()) {
        return ended;
    }
    referee::init_logging();
    referee::run_with(words, Some(referee_serve::run))
}
