//! How long the player `lodestone` takes for a fixed suite of positions of Magnetic
//! Cave (`suite.txt`): to a depth in openings and middle games, to the proof of the
//! result in endings; and how much longer the frozen player `plain`, searching to
//! the end of the game, takes for the smaller endings.
//!
//! ```text
//! cargo bench -p lodestone --bench suite
//! QUICK=1 cargo bench -p lodestone --bench suite
//! ```
//!
//! With `QUICK` the largest endings are left out. One thread; `HASH` megabytes of
//! table, 64 where nothing is said. Times are wall-clock.

use std::time::{Duration, Instant};

use lodestone::game::Game;
use lodestone::game::magnetic_cave::MagneticCave;
use lodestone::personality::{self, SearcherSettings};
use lodestone::score::Score;
use lodestone::search::{LastReport, Progress, SearchLimits, SearchOptions, Task};

/// Megabytes of table where `HASH` does not say.
const HASH: usize = 64;

/// The endings with at most so many empty cells are searched by `plain` too.
const PLAIN: u32 = 20;

/// Where `QUICK` is set, no endings with more empty cells than this are searched.
const QUICK: u32 = 28;

/// What is asked of a position.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Aim {
    Depth(u32),
    Proof(u32),
}

/// What a search took, and what it found.
#[derive(Clone, Copy)]
struct Cost {
    time: Duration,
    nodes: u64,
    score: Score,
}

fn main() {
    let number = |name| std::env::var(name).ok()?.parse().ok();
    let hash = number("HASH").unwrap_or(HASH);
    let quick = std::env::var_os("QUICK").is_some();
    let mut groups: Vec<(Aim, Vec<MagneticCave>)> = Vec::new();
    for (aim, position) in positions() {
        match groups.last_mut() {
            Some((last, group)) if *last == aim => group.push(position),
            _ => groups.push((aim, vec![position])),
        }
    }
    println!("| what | positions | median | longest | sum | nodes, median | nodes a second |");
    println!("|---|---|---|---|---|---|---|");
    let mut compared = Vec::new();
    for (aim, group) in groups {
        if matches!(aim, Aim::Proof(empty) if quick && empty > QUICK) {
            continue;
        }
        let costs: Vec<Cost> = group
            .iter()
            .map(|position| lodestone(position, aim, hash))
            .collect();
        print_row(aim, &costs);
        if let Aim::Proof(empty) = aim
            && empty <= PLAIN
        {
            let plain = group
                .iter()
                .zip(&costs)
                .map(|(position, cost)| plain(position, cost.score));
            let plain: Vec<Duration> = plain.collect();
            compared.push((empty, costs, plain));
        }
    }
    println!(
        "\n| empty cells | lodestone, median | plain, median | plain / lodestone, median | of the sums |"
    );
    println!("|---|---|---|---|---|");
    for (empty, own, plain) in compared {
        let own: Vec<f64> = own.iter().map(|cost| cost.time.as_secs_f64()).collect();
        let plain: Vec<f64> = plain.iter().map(Duration::as_secs_f64).collect();
        let ratios = own.iter().zip(&plain).map(|(own, plain)| plain / own);
        println!(
            "| {empty} | {:.4} s | {:.3} s | {:.0} | {:.0} |",
            median(own.iter().copied()),
            median(plain.iter().copied()),
            median(ratios),
            plain.iter().sum::<f64>() / own.iter().sum::<f64>()
        );
    }
}

/// The suite, in its order.
fn positions() -> Vec<(Aim, MagneticCave)> {
    let lines = include_str!("suite.txt").lines();
    lines
        .filter(|line| !line.starts_with('#'))
        .map(|line| {
            let (what, fen) = line.split_once(": ").expect("a colon");
            let (kind, number) = what.split_once(' ').expect("a kind and a number");
            let number = number.parse().expect("a number");
            let position = MagneticCave::from_fen(fen).expect("a FEN");
            let aim = if kind == "depth" {
                Aim::Depth(number)
            } else {
                assert_eq!(position.plies_left(), number, "{fen}");
                Aim::Proof(number)
            };
            (aim, position)
        })
        .collect()
}

/// What `lodestone` takes, with an empty memory.
fn lodestone(root: &MagneticCave, aim: Aim, hash: usize) -> Cost {
    let depth = match aim {
        Aim::Depth(depth) => Some(depth),
        Aim::Proof(_) => None,
    };
    let (time, progress) = searched(root, personality::DEFAULT, depth, hash);
    if let Aim::Proof(_) = aim {
        assert!(progress.score.is_proven(), "{}", root.fen());
    }
    Cost {
        time,
        nodes: progress.nodes,
        score: progress.score,
    }
}

/// What `plain` takes to search to the end of the game; it has to find the same.
fn plain(root: &MagneticCave, ours: Score) -> Duration {
    let (time, progress) = searched(root, "plain", Some(root.plies_left()), HASH);
    let same = match ours {
        Score::Win(_) => matches!(progress.score, Score::Win(_)),
        Score::Loss(_) => matches!(progress.score, Score::Loss(_)),
        _ => progress.score == Score::Cp(0),
    };
    assert!(same, "{}: {ours} and {}", root.fen(), progress.score);
    time
}

fn searched(root: &MagneticCave, player: &str, depth: Option<u32>, hash: usize) -> (Duration, Progress) {
    let last = LastReport::default();
    let task = Task {
        limits: SearchLimits {
            depth,
            ..SearchLimits::default()
        },
        options: SearchOptions::without_contempt(),
        ..Task::new(root.legal_moves(), &last)
    };
    let settings = SearcherSettings { hash, seed: 0 };
    let player = personality::make_searcher::<MagneticCave>(player, settings);
    let mut player = player.expect("memory").expect("a player of this game");
    let begin = Instant::now();
    player.search(root, &task);
    let time = begin.elapsed();
    (time, last.into_inner().expect("a report"))
}

fn print_row(aim: Aim, costs: &[Cost]) {
    let what = match aim {
        Aim::Depth(depth) => format!("to depth {depth}"),
        Aim::Proof(empty) => format!("to proof, {empty} empty cells"),
    };
    let times = || costs.iter().map(|cost| cost.time.as_secs_f64());
    let nodes = costs.iter().map(|cost| cost.nodes as f64);
    println!(
        "| {what} | {} | {:.3} s | {:.3} s | {:.2} s | {:.2} million | {:.2} million |",
        costs.len(),
        median(times()),
        times().fold(0.0, f64::max),
        times().sum::<f64>(),
        median(nodes.clone()) / 1e6,
        nodes.sum::<f64>() / times().sum::<f64>() / 1e6
    );
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len().is_multiple_of(2) {
        f64::midpoint(values[middle - 1], values[middle])
    } else {
        values[middle]
    }
}
