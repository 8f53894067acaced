//! What a sandbox adds to the start of an engine and to a half-move.
//!
//! Engines start at the levels `off`, `on` and `strict` as in `referee match`: from the start
//! of the supervisor to `readyok`. Half-moves are those of the benchmark `relay`, at each level.
//! All are measured in turns, so that the differences compare the same machine in the same
//! state.
//!
//! ```text
//! cargo bench -p referee --bench sandbox
//! ROUNDS=101 cargo bench -p referee --bench sandbox
//! ```

#[cfg(target_os = "linux")]
mod half_moves;
#[cfg(target_os = "linux")]
#[path = "../relay/relayed.rs"]
mod relayed;
#[cfg(target_os = "linux")]
mod series;
#[cfg(target_os = "linux")]
mod starts;
#[cfg(target_os = "linux")]
#[path = "../relay/stub.rs"]
#[expect(dead_code, reason = "the benchmark `relay` uses the rest")]
mod stub;

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    if std::env::args().nth(1).as_deref() == Some(stub::ARGUMENT) {
        return stub::main(stub::ARGUMENT);
    }
    match measure() {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("sandbox: {error}");
            std::process::ExitCode::FAILURE
        }
    }
}

/// Measures both costs and prints their tables.
#[cfg(target_os = "linux")]
fn measure() -> Result<(), Box<dyn std::error::Error>> {
    let rounds = std::env::var("ROUNDS")
        .ok()
        .and_then(|rounds| rounds.parse().ok());
    let rounds: usize = rounds.unwrap_or(31).max(1);
    let interrupt = std::sync::Arc::new(referee_core::io::interrupt::Interrupt::install()?);
    let levels = half_moves::offered_levels(&interrupt);
    starts::measure(&levels, rounds, &interrupt)?;
    half_moves::measure(&levels, rounds, &interrupt)
}

/// Engines have sandboxes on Linux only.
#[cfg(not(target_os = "linux"))]
fn main() {}
