//! A fixed piece of work: its node count is a checksum of the search, its
//! duration the speed of the machine.

use std::time::Instant;

use crate::game::{Evaluate, GameVisitor, Variant, Yardstick};
use crate::personality::{self, SearcherSettings};
use crate::search::{LastReport, SearchLimits, SearchOptions, StopToken, Task};

/// Memory of the table, in megabytes.
const HASH: usize = 16;

/// Searches the bench positions of all games and passes on the report line by
/// line. The last two lines hold `Nodes searched` and `Nodes/second`.
pub fn run(stop: &StopToken, mut say: impl FnMut(String)) {
    let begin = Instant::now();
    let mut nodes = 0;
    for variant in Variant::ALL {
        nodes += variant.visit(Bench { stop, say: &mut say });
    }
    if stop.is_set() {
        say("bench was stopped: what follows is not the whole".to_string());
    }
    let elapsed = begin.elapsed();
    say(format!("Total time (ms): {}", elapsed.as_millis()));
    say(format!("Nodes searched: {nodes}"));
    say(format!(
        "Nodes/second: {}",
        u128::from(nodes) * 1_000_000_000 / elapsed.as_nanos().max(1)
    ));
}

/// The bench of one game; its output is the number of nodes.
struct Bench<'a> {
    stop: &'a StopToken,
    say: &'a mut dyn FnMut(String),
}

impl GameVisitor for Bench<'_> {
    type Output = u64;

    fn visit<G: Evaluate + Yardstick>(mut self) -> u64 {
        let positions = G::INFO.bench.iter();
        positions.map(|&(fen, depth)| self.search::<G>(fen, depth)).sum()
    }
}

impl Bench<'_> {
    /// Searches one position with an empty table; the number of nodes.
    fn search<G: Evaluate + Yardstick>(&mut self, fen: &str, depth: u32) -> u64 {
        let settings = SearcherSettings { hash: HASH, seed: 0 };
        let (Ok(root), Ok(Some(mut player))) = (
            G::from_fen(fen),
            personality::make_searcher::<G>(personality::DEFAULT, settings),
        ) else {
            (self.say)(format!(
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
        (self.say)(format!(
            "{fen}: depth {depth}, {nodes} nodes, {}",
            G::move_text(best)
        ));
        nodes
    }
}
