//! A fixed workload: its node count is a checksum of the search, and its duration
//! measures the speed of the machine.

use std::time::Instant;

use crate::game::{Evaluate, GameVisitor, Variant, Yardstick};
use crate::personality::{self, SearcherSettings};
use crate::search::{LastReport, SearchLimits, SearchOptions, StopToken, Task};

/// Size of the transposition table, in megabytes.
const HASH: usize = 16;

/// Searches the bench positions of all games. `print` gets the report line by line; the
/// last two lines hold `Nodes searched` and `Nodes/second`.
pub fn run(stop: &StopToken, mut print: impl FnMut(String)) {
    let begin = Instant::now();
    let mut nodes = 0;
    for variant in Variant::ALL {
        nodes += variant.visit(Bench {
            stop,
            print: &mut print,
        });
    }
    if stop.is_set() {
        print("bench was stopped: the figures are incomplete".to_string());
    }
    let elapsed = begin.elapsed();
    print(format!("Total time (ms): {}", elapsed.as_millis()));
    print(format!("Nodes searched: {nodes}"));
    print(format!(
        "Nodes/second: {}",
        u128::from(nodes) * 1_000_000_000 / elapsed.as_nanos().max(1)
    ));
}

/// Runs the bench positions of one game. Returns the number of nodes.
struct Bench<'a> {
    stop: &'a StopToken,
    print: &'a mut dyn FnMut(String),
}

impl GameVisitor for Bench<'_> {
    type Output = u64;

    fn visit<G: Evaluate + Yardstick>(mut self) -> u64 {
        let positions = G::INFO.bench.iter();
        positions.map(|&(fen, depth)| self.search::<G>(fen, depth)).sum()
    }
}

impl Bench<'_> {
    /// Searches one position with an empty table. Returns the number of nodes.
    fn search<G: Evaluate + Yardstick>(&mut self, fen: &str, depth: u32) -> u64 {
        let settings = SearcherSettings { hash: HASH, seed: 0 };
        let (Ok(root), Ok(Some(mut player))) = (
            G::from_fen(fen),
            personality::make_searcher::<G>(personality::DEFAULT, settings),
        ) else {
            (self.print)(format!(
                "{fen}: not searched, the position or the memory cannot be had"
            ));
            return 0;
        };
        let last = LastReport::default();
        let task = Task {
            limits: SearchLimits {
                depth: Some(depth),
                ..SearchLimits::default()
            },
            options: SearchOptions::without_contempt(),
            stop: self.stop.clone(),
            ..Task::new(root.legal_moves(), &last)
        };
        let best = player.search(&root, &task);
        let nodes = last.into_inner().map_or(0, |progress| progress.nodes);
        (self.print)(format!(
            "{fen}: depth {depth}, {nodes} nodes, {}",
            G::move_text(best)
        ));
        nodes
    }
}
