//! A fixed workload: its node count is a checksum of the search, and its duration
//! measures the speed of the machine.

use std::collections::VecDeque;
use std::time::Instant;

use lodestone_game::{Variant, with_game};

use crate::search::{
    LastReport, Lodestone, RootStrategy, SearchLimits, SearchOptions, Searcher, StopToken, Task,
};

/// Size of the transposition table, in megabytes.
const HASH: usize = 16;

/// Searches the bench positions of all games. `print` gets the report line by line; the
/// last two lines hold `Nodes searched` and `Nodes/second`.
pub fn run(stop: &StopToken, mut print: impl FnMut(String)) {
    let mut bench = Bench::default();
    while !bench.step(stop, &mut print) {}
}

/// A bench that runs position by position.
pub struct Bench {
    begin: Instant,
    /// The sum of the positions searched so far.
    nodes: u64,
    /// The positions that are left, with the depth of each search in plies.
    left: VecDeque<(Variant, &'static str, u32)>,
}

impl Default for Bench {
    fn default() -> Bench {
        let positions = |variant: &Variant| {
            let variant = *variant;
            variant
                .info()
                .bench
                .iter()
                .map(move |&(fen, depth)| (variant, fen, depth))
        };
        Bench {
            begin: Instant::now(),
            nodes: 0,
            left: Variant::ALL.iter().flat_map(positions).collect(),
        }
    }
}

impl Bench {
    /// Searches the next position; after the last one, or once `stop` is set, prints the
    /// sums. `print` gets lines of the report. Returns whether the report is complete.
    pub(crate) fn step(&mut self, stop: &StopToken, print: &mut dyn FnMut(String)) -> bool {
        if !stop.is_set()
            && let Some((variant, fen, depth)) = self.left.pop_front()
        {
            self.nodes += with_game!(variant, G => search::<G>(fen, depth, stop, print));
            return false;
        }
        if stop.is_set() {
            print("bench was stopped: the figures are incomplete".to_string());
        }
        let elapsed = self.begin.elapsed();
        print(format!("Total time (ms): {}", elapsed.as_millis()));
        print(format!("Nodes searched: {}", self.nodes));
        print(format!(
            "Nodes/second: {}",
            u128::from(self.nodes) * 1_000_000_000 / elapsed.as_nanos().max(1)
        ));
        true
    }
}

/// Searches one position with an empty table. Returns the number of nodes.
fn search<G: RootStrategy>(fen: &str, depth: u32, stop: &StopToken, print: &mut dyn FnMut(String)) -> u64 {
    let (Ok(root), Ok(mut player)) = (G::from_fen(fen), Lodestone::with_hash(HASH)) else {
        print(format!(
            "{fen}: not searched, the position or the memory cannot be had"
        ));
        return 0;
    };
    let last = LastReport::default();
    let task = Task {
        limits: SearchLimits::depth(depth),
        options: SearchOptions::without_contempt(),
        stop: stop.clone(),
        ..Task::new(root.legal_moves(), &last)
    };
    let best = player.search(&root, &task);
    let nodes = last.into_inner().map_or(0, |progress| progress.nodes);
    print(format!(
        "{fen}: depth {depth}, {nodes} nodes, {}",
        G::move_text(best)
    ));
    nodes
}
