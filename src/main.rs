//! The program `lodestone`: the engine on standard input and output.

use std::io::{self, Write};
use std::process::ExitCode;

use lodestone::engine::{self, Options, bench};
use lodestone::logging;
use lodestone::search::StopToken;
use lodestone::solve;
use lodestone::tables;
use lodestone::text::printable;
use lodestone::usage;

fn main() -> ExitCode {
    logging::init("lodestone", str::to_string, logging::Target::Stderr, |_| ());
    let arguments: Vec<String> = std::env::args_os()
        .skip(1)
        .map(|argument| argument.to_string_lossy().into_owned())
        .collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        #[cfg(not(target_family = "wasm"))]
        [] => engine::run(Options::default()),
        #[cfg(target_family = "wasm")]
        [] => engine::run_in_single_thread(Options::default()),
        ["--single-thread"] => engine::run_in_single_thread(Options::default()),
        #[cfg(target_family = "wasm")]
        ["--embedded"] => match engine::embedded::start(Options::default()) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                log::error!("{error}");
                ExitCode::FAILURE
            }
        },
        ["bench"] => {
            // Stops when the reader closes stdout.
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
        ["solve", "--help" | "-h"] => status(print(solve::HELP)),
        ["solve", ref arguments @ ..] => solve_board(arguments),
        ["tables", "--help" | "-h"] => status(print(tables::HELP)),
        ["tables", ref arguments @ ..] => make_tables(arguments),
        ["--help" | "-h"] => status(print(&usage::help())),
        ["--version" | "-V"] => status(print(&format!("lodestone {}", lodestone::VERSION))),
        _ => {
            let unknown = printable(&arguments.join(" "), usize::MAX);
            let _ = writeln!(
                io::stderr(),
                "lodestone: unknown arguments: {unknown}\n\n{}",
                usage::help()
            );
            ExitCode::from(2)
        }
    }
}

fn solve_board(arguments: &[&str]) -> ExitCode {
    let request = match solve::SolveRequest::parse(arguments) {
        Ok(request) => request,
        Err(error) => {
            let _ = writeln!(io::stderr(), "lodestone solve: {error}\n\n{}", solve::HELP);
            return ExitCode::from(2);
        }
    };
    match request.run(&mut io::stdout()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            let _ = writeln!(io::stderr(), "lodestone solve: {error}");
            ExitCode::FAILURE
        }
    }
}

fn make_tables(arguments: &[&str]) -> ExitCode {
    let request = match tables::Request::parse(arguments) {
        Ok(request) => request,
        Err(error) => {
            let _ = writeln!(io::stderr(), "lodestone tables: {error}\n\n{}", tables::HELP);
            return ExitCode::from(2);
        }
    };
    match request.run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "lodestone tables: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Like `println!`, but an error is returned instead of a panic.
fn print(line: &str) -> io::Result<()> {
    writeln!(io::stdout(), "{line}")
}

fn status(written: io::Result<()>) -> ExitCode {
    written.map_or(ExitCode::FAILURE, |()| ExitCode::SUCCESS)
}
