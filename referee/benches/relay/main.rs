//! What the referee adds to a half-move.
//!
//! The arbiter plays a match between two [`stub`]s that answer at once, with engines,
//! pipes and supervisors as in `referee match`. A bare loop writes the same lines to
//! the same stubs, polls and reads. The two are measured in turns, so that the ratio
//! compares the same machine in the same state. So are stubs of GTP behind bridges (`proto=gtp`). Where strace is installed, it counts
//! the system calls of all processes in separate runs.
//!
//! ```text
//! cargo bench -p referee --bench relay
//! cargo bench -p referee --bench relay -- --rounds 201 --json
//! ```
//!
//! `cargo test` runs the [`check`]s instead.

mod bare;
mod calls;
mod check;
mod measure;
mod relayed;
mod stub;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let argument = std::env::args().nth(1).unwrap_or_default();
    if [stub::ARGUMENT, stub::GTP].contains(&argument.as_str()) {
        return stub::main(&argument);
    }
    let words: Vec<String> = std::env::args().skip(1).collect();
    if !words
        .iter()
        .any(|word| word == "--bench" || word.starts_with("--part"))
    {
        // As a test of this name: `cargo test NAME` passes the name to all of them.
        let mut names = words.iter().filter(|word| !word.starts_with('-')).peekable();
        if names.peek().is_none() || names.any(|name| "relay".contains(name.as_str())) {
            check::all();
        }
        return ExitCode::SUCCESS;
    }
    let args = measure::Args::parse();
    measure::run(&args).unwrap_or_else(|error| {
        eprintln!("relay: {error}");
        ExitCode::FAILURE
    })
}
