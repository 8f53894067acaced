//! The engine `lodestone`: speaks the protocol on standard input and output.

use std::io::{self, Write};
use std::process::ExitCode;

use lodestone::engine::{self, Options, bench};
use lodestone::search::StopToken;

const HELP: &str = "\
Lodestone plays Magnetic Cave and Gridlock.

Usage: lodestone           speak the protocol on standard input and output
       lodestone bench     search fixed positions and report the speed
       lodestone --help    show this text
       lodestone --version show the version

Try: printf 'position startpos\\ngo movetime 1000\\n' | lodestone
RUST_LOG=debug makes it log to standard error.";

fn main() -> ExitCode {
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("warn")).init();
    let arguments: Vec<String> = std::env::args_os()
        .skip(1)
        .map(|argument| argument.to_string_lossy().into_owned())
        .collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => engine::run(Options::default()),
        ["bench"] => {
            // Whoever reads it may leave before the end: then the work stops.
            let stop = StopToken::default();
            bench::run(&stop, |line| {
                if print(&line).is_err() {
                    stop.set();
                }
            });
            if stop.is_set() {
                ExitCode::FAILURE
            } else {
                ExitCode::SUCCESS
            }
        }
        ["--help" | "-h"] => status(print(HELP)),
        ["--version" | "-V"] => status(print(concat!("lodestone ", env!("CARGO_PKG_VERSION")))),
        _ => {
            eprintln!("lodestone: unknown arguments: {}\n\n{HELP}", arguments.join(" "));
            ExitCode::from(2)
        }
    }
}

/// Writes a line to standard output.
fn print(line: &str) -> io::Result<()> {
    writeln!(io::stdout(), "{line}")
}

/// The exit status after writing.
fn status(written: io::Result<()>) -> ExitCode {
    written.map_or(ExitCode::FAILURE, |()| ExitCode::SUCCESS)
}
