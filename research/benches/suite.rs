//! Search times on a fixed suite of positions of Magnetic Cave (`suite.txt`).
//!
//! The player `lodestone` searches openings and middle games to a fixed depth, and endgames
//! until the result is proven. For comparison, the frozen player `plain` searches the
//! smaller endgames to the end of the game.
//!
//! ```text
//! cargo bench -p lodestone-engine --bench suite
//! QUICK=1 cargo bench -p lodestone-engine --bench suite
//! ```
//!
//! `QUICK` skips the largest endgames. `HASH` sets the table size in megabytes, 64 by
//! default. One thread; wall-clock times.

use std::time::{Duration, Instant};

use lodestone::personality::{self, SearcherSettings};
use lodestone::search::{LastReport, Progress, SearchLimits, SearchOptions, Task};
use lodestone_game::Game;
use lodestone_game::magnetic_cave::MagneticCave;
use lodestone_game::players;
use lodestone_game::score::Score;

/// Default table size, in megabytes.
const HASH: usize = 64;

/// `plain` searches endgames with at most this many empty cells.
const PLAIN_MAX_EMPTY: u32 = 20;

/// With `QUICK`, endgames with more empty cells are skipped.
const QUICK_MAX_EMPTY: u32 = 28;

/// The goal of a search: a depth, or a proven result with this number of empty cells.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Goal {
    Depth(u32),
    Proof(u32),
}

/// Time, nodes and score of a search.
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
    let mut groups: Vec<(Goal, Vec<MagneticCave>)> = Vec::new();
    for (goal, position) in positions() {
        match groups.last_mut() {
            Some((last, group)) if *last == goal => group.push(position),
            _ => groups.push((goal, vec![position])),
        }
    }
    println!("| what | positions | median | longest | sum | nodes, median | nodes a second |");
    println!("|---|---|---|---|---|---|---|");
    let mut compared = Vec::new();
    for (goal, group) in groups {
        if matches!(goal, Goal::Proof(empty) if quick && empty > QUICK_MAX_EMPTY) {
            continue;
        }
        let costs: Vec<Cost> = group
            .iter()
            .map(|position| lodestone(position, goal, hash))
            .collect();
        print_row(goal, &costs);
        if let Goal::Proof(empty) = goal
            && empty <= PLAIN_MAX_EMPTY
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

/// The positions of the suite, in order.
fn positions() -> Vec<(Goal, MagneticCave)> {
    let lines = include_str!("suite.txt").lines();
    lines
        .filter(|line| !line.starts_with('#'))
        .map(|line| {
            let (what, fen) = line.split_once(": ").expect("a colon");
            let (kind, number) = what.split_once(' ').expect("a kind and a number");
            let number = number.parse().expect("a number");
            let position = MagneticCave::from_fen(fen).expect("a FEN");
            let goal = if kind == "depth" {
                Goal::Depth(number)
            } else {
                assert_eq!(position.plies_left(), number, "{fen}");
                Goal::Proof(number)
            };
            (goal, position)
        })
        .collect()
}

/// A search by `lodestone` with an empty table.
fn lodestone(root: &MagneticCave, goal: Goal, hash: usize) -> Cost {
    let depth = match goal {
        Goal::Depth(depth) => Some(depth),
        Goal::Proof(_) => None,
    };
    let (time, progress) = search(root, players::DEFAULT, depth, hash);
    if let Goal::Proof(_) = goal {
        assert!(progress.score.is_proven(), "{}", root.fen());
    }
    Cost {
        time,
        nodes: progress.nodes,
        score: progress.score,
    }
}

/// The time of a search by `plain` to the end of the game, which must find the same result.
fn plain(root: &MagneticCave, ours: Score) -> Duration {
    let (time, progress) = search(root, "plain", Some(root.plies_left()), HASH);
    let same = match ours {
        Score::Win(_) => matches!(progress.score, Score::Win(_)),
        Score::Loss(_) => matches!(progress.score, Score::Loss(_)),
        _ => progress.score == Score::Cp(0),
    };
    assert!(same, "{}: {ours} and {}", root.fen(), progress.score);
    time
}

fn search(root: &MagneticCave, player: &str, depth: Option<u32>, hash: usize) -> (Duration, Progress) {
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

fn print_row(goal: Goal, costs: &[Cost]) {
    let what = match goal {
        Goal::Depth(depth) => format!("to depth {depth}"),
        Goal::Proof(empty) => format!("to proof, {empty} empty cells"),
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
