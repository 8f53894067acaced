//! What spectators cost: games a second of a match, with and without 100 pages that follow it.
//!
//!     cargo bench -p referee-serve --bench spectators -- [ROUNDS]
//!
//! Each round plays both, in turns; the numbers are medians. The pages run on the same machine, and their
//! work counts, too. Two random players make the most moves a second.

#![allow(missing_docs)]

#[allow(dead_code)]
#[path = "../tests/end_to_end/support.rs"]
mod support;

use std::io::Read as _;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;
use support::Server;

/// The number of pages.
const SPECTATORS: usize = 100;

/// How long the games are counted.
const TIME: Duration = Duration::from_secs(10);

/// The number of rounds, unless the command line gives another one.
const ROUNDS: usize = 3;

/// The games a second of a match that this number of pages follows.
fn games_a_second(spectators: usize) -> f64 {
    let server = Server::start(&[]);
    let players = ["builtin:random", "builtin:random"];
    let form = json!({"kind": "match", "name": "games", "players": players, "format": "round-robin", "games": 1_000_000,
        "seconds": 1, "concurrency": 1, "openings": null, "words": ""});
    assert_eq!(server.post("/api/matches", &form).status, 200);
    for _ in 0..spectators {
        let mut page = server.follow("match/games").0;
        thread::spawn(move || {
            let mut part = [0; 4096];
            while page.read(&mut part).is_ok_and(|count| count > 0) {}
        });
    }
    let played = || {
        server.get("/api/matches").json()["matches"][0]["played"]
            .as_f64()
            .unwrap()
    };
    let (before, began) = (played(), Instant::now());
    thread::sleep(TIME);
    (played() - before) / began.elapsed().as_secs_f64()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn main() {
    let rounds = std::env::args()
        .find_map(|word| word.parse().ok())
        .unwrap_or(ROUNDS);
    let [mut without, mut with] = [Vec::new(), Vec::new()];
    for _ in 0..rounds {
        without.push(games_a_second(0));
        with.push(games_a_second(SPECTATORS));
    }
    let (without, with) = (median(without), median(with));
    println!(
        "{without:.1} games a second without pages, {with:.1} with {SPECTATORS}: {:.3} times as many",
        with / without
    );
}
