//! The program `lodestone-solver`: exact values, tables and opening books.

use std::io::{self, Write};
use std::process::ExitCode;

use lodestone_game::logging;
use lodestone_game::text::printable;
use lodestone_solver::{book, solve, tables};

/// The text of `--help`. Fits a terminal of 40 columns.
const HELP: &str = "\
Computes values of Magnetic Cave and
Gridlock for the engine lodestone.

Usage:
  lodestone-solver solve --help
      Compute the value of Magnetic Cave
      on a board of up to 8 by 8 cells
  lodestone-solver tables --help
      Compute exact values of Gridlock
  lodestone-solver book --help
      Compute an opening book for
      Magnetic Cave
  lodestone-solver --help
      Print this text
  lodestone-solver --version
      Print the version, the commit and
      the target

RUST_LOG=debug logs to standard error.";

fn main() -> ExitCode {
    logging::init(
        "lodestone-solver",
        str::to_string,
        logging::Target::Stderr,
        |_| (),
    );
    let arguments: Vec<String> = std::env::args_os()
        .skip(1)
        .map(|argument| argument.to_string_lossy().into_owned())
        .collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["book", "--help" | "-h"] => print(book::HELP),
        ["book", ref arguments @ ..] => {
            let request = book::BookRequest::parse(arguments);
            run_request("book", book::HELP, request, |request| {
                request.run().map(|()| true)
            })
        }
        ["solve", "--help" | "-h"] => print(solve::HELP),
        ["solve", ref arguments @ ..] => {
            let request = solve::SolveRequest::parse(arguments);
            run_request("solve", solve::HELP, request, |request| {
                request.run(&mut io::stdout())
            })
        }
        ["tables", "--help" | "-h"] => print(tables::HELP),
        ["tables", ref arguments @ ..] => {
            let request = tables::Request::parse(arguments);
            run_request("tables", tables::HELP, request, |request| {
                request.run().map(|()| true)
            })
        }
        ["--help" | "-h"] => print(HELP),
        ["--version" | "-V"] => print(&format!("lodestone-solver {}", lodestone_game::VERSION)),
        _ => {
            let message = if arguments.is_empty() {
                "expected a command".to_string()
            } else {
                format!(
                    "unknown arguments: {}",
                    printable(&arguments.join(" "), usize::MAX)
                )
            };
            let _ = writeln!(io::stderr(), "lodestone-solver: {message}\n\n{HELP}");
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
    let _ = writeln!(io::stderr(), "lodestone-solver {name}: {error}{help}");
    code
}

/// Prints a text. A closed output is a failure, not a panic.
fn print(text: &str) -> ExitCode {
    writeln!(io::stdout(), "{text}").map_or(ExitCode::FAILURE, |()| ExitCode::SUCCESS)
}
