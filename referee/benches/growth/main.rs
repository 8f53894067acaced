//! How the time of commands grows with their input: processor time for N, 2N and 4N, and the exponent.
//!
//! ```text
//! cargo bench -p referee --bench growth
//! GAMES=1250000 PLAYERS=500 PLIES=2500 REFEREE=/another/referee cargo bench -p referee --bench growth -- report
//! ```
//!
//! Words choose among the parts: `ladder` reads a ladder in which each player is the fifth version of its
//! submission, and pairs its next round; `report` reads random games; `moves` plays games of no end by a
//! rules program. `REFEREE` is the program that is measured, which must know the pairings in the file of a
//! ladder.

#[cfg(target_os = "linux")]
mod linux;

#[cfg(target_os = "linux")]
fn main() -> linux::Outcome<()> {
    linux::run_all()
}

#[cfg(not(target_os = "linux"))]
fn main() {
    println!("processor time is measured on Linux");
}
