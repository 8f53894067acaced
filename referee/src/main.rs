//! The program `referee`; everything it does is in the library beside it.

use std::process::ExitCode;

fn main() -> ExitCode {
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("warn")).init();
    referee::run(std::env::args_os())
}
