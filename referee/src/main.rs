//! The program `referee`. Its code is in the library of this package.

use std::process::ExitCode;

/// musl's own allocator makes a report 1.5 times slower (docs/notes/packages.md).
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;

fn main() -> ExitCode {
    if let Some(ended) = referee::supervise(std::env::args_os()) {
        return ended;
    }
    referee::init_logging();
    referee::run(std::env::args_os(), lodestone::engine::run_player)
}
