//! The program `lodestone`: the engine on standard input and output.

use std::io::{self, Write};
use std::process::ExitCode;

use lodestone::engine::{self, Options, bench};
use lodestone::search::StopToken;
use lodestone::text::printable;
use lodestone_program::{book, logging, solve, tables, usage};

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
        ["book", "--help" | "-h"] => status(print(book::HELP)),
        ["book", ref arguments @ ..] => {
            let request = book::BookRequest::parse(arguments);
            run_request("book", book::HELP, request, |request| {
                request.run().map(|()| true)
            })
        }
        ["solve", "--help" | "-h"] => status(print(solve::HELP)),
        ["solve", ref arguments @ ..] => {
            let request = solve::SolveRequest::parse(arguments);
            run_request("solve", solve::HELP, request, |request| {
                request.run(&mut io::stdout())
            })
        }
        ["tables", "--help" | "-h"] => status(print(tables::HELP)),
        ["tables", ref arguments @ ..] => {
            let request = tables::Request::parse(arguments);
            run_request("tables", tables::HELP, request, |request| {
                request.run().map(|()| true)
            })
        }
        ["--help" | "-h"] => status(print(&usage::help())),
        ["--version" | "-V"] => status(print(&format!("lodestone {}", lodestone_program::VERSION))),
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

/// Runs a subcommand whose arguments were read. Its exit status is 1 if it fails or its result is
/// `false`, and 2 if an argument is wrong.
fn run_request<R>(
    name: &str,
    help: &str,
    request: Result<R, String>,
    run: impl FnOnce(R) -> Result<bool, String>,
) -> ExitCode {
    let (error, help, code) = match request.map(run) {
        Ok(Ok(true)) => return ExitCode::SUCCESS,
        Ok(Ok(false)) => return ExitCode::FAILURE,
        Ok(Err(error)) => (error, String::new(), ExitCode::FAILURE),
        Err(error) => (error, format!("\n\n{help}"), ExitCode::from(2)),
    };
    let _ = writeln!(io::stderr(), "lodestone {name}: {error}{help}");
    code
}

/// Like `println!`, but an error is returned instead of a panic.
fn print(line: &str) -> io::Result<()> {
    writeln!(io::stdout(), "{line}")
}

fn status(written: io::Result<()>) -> ExitCode {
    written.map_or(ExitCode::FAILURE, |()| ExitCode::SUCCESS)
}
