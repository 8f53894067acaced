//! How the time and memory of commands grow with their input: processor time and the largest process for N, 2N
//! and 4N, and the exponents.
//!
//! ```text
//! cargo bench -p referee --bench growth
//! GAMES=1250000 PLAYERS=500 PLIES=2500 REFEREE=/another/referee cargo bench -p referee --bench growth -- report
//! ```
//!
//! Words choose among the parts: `ladder` starts all players of a new ladder, reads one in which each player is the
//! fifth version of its submission, pairs its next round, and runs once more; `report` reads random games; `players` rates
//! players of whom each has met forty others; `moves` plays games of no end by a
//! rules program. `REFEREE` is the program that is measured, which must know the pairings in the file of a
//! ladder.

#[cfg(target_os = "linux")]
mod games;
#[cfg(target_os = "linux")]
mod ladder;
#[cfg(target_os = "linux")]
mod measure;
#[cfg(target_os = "linux")]
mod moves;
#[cfg(target_os = "linux")]
mod players;

/// The parts, in the order in which they run.
#[cfg(target_os = "linux")]
const PARTS: [measure::Part; 4] = [
    measure::Part {
        name: "ladder",
        unit: "players",
        first: ("PLAYERS", 100),
        rows: &[
            "ladder: first run",
            "ladder: report",
            "ladder: pair a round",
            "ladder: no news",
        ],
        measure: ladder::start_and_pair,
    },
    measure::Part {
        name: "report",
        unit: "games",
        first: ("GAMES", 5000),
        rows: &["report", "report --html", "verify", "show --game", "results.read"],
        measure: games::read,
    },
    measure::Part {
        name: "players",
        unit: "players",
        first: ("PLAYERS", 500),
        rows: &["ratings: summary", "ratings: --csv", "ratings: --html"],
        measure: players::rate,
    },
    measure::Part {
        name: "moves",
        unit: "plies",
        first: ("PLIES", 1000),
        rows: &["match --rules"],
        measure: moves::play,
    },
];

#[cfg(target_os = "linux")]
fn main() -> measure::Outcome<()> {
    if measure::is_one_command()? {
        return Ok(());
    }
    let words: Vec<String> = std::env::args()
        .skip(1)
        .filter(|word| !word.starts_with("--"))
        .collect();
    let is_wanted = |part: &&measure::Part| words.is_empty() || words.iter().any(|word| word == part.name);
    PARTS.iter().filter(is_wanted).try_for_each(measure::Part::print)
}

#[cfg(not(target_os = "linux"))]
fn main() {
    println!("processor time is measured on Linux");
}
