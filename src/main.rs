//! The program `lodestone`: the engine on standard input and output.

use std::io::{self, Write};
use std::process::ExitCode;

use lodestone::engine::{self, Options, bench};
use lodestone::search::StopToken;
use lodestone_game::text::printable;
use lodestone_game::{games_json, logging, usage};

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
        [command @ ("solve" | "tables" | "book"), ..] => {
            let _ = writeln!(
                io::stderr(),
                "lodestone: `{command}` belongs to another program; the command is `lodestone-solver {command} …`"
            );
            ExitCode::from(2)
        }
        ["games"] => status(print(&games_json::all())),
        ["--help" | "-h"] => status(print(&usage::help())),
        ["--version" | "-V"] => status(print(&format!("lodestone {}", lodestone_game::VERSION))),
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

/// Like `println!`, but an error is returned instead of a panic.
fn print(line: &str) -> io::Result<()> {
    writeln!(io::stdout(), "{line}")
}

fn status(written: io::Result<()>) -> ExitCode {
    written.map_or(ExitCode::FAILURE, |()| ExitCode::SUCCESS)
}
