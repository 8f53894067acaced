//! A fixed piece of work: its node count is a checksum of the search, its
//! duration the speed of the machine.

use std::time::Instant;

use crate::game::gridlock::Gridlock;
use crate::game::magnetic_cave::MagneticCave;
use crate::game::{Evaluate, Yardstick};
use crate::personality::{self, SearcherSettings};
use crate::search::{LastReport, SearchLimits, SearchOptions, StopToken, Task};

/// What is searched of Magnetic Cave, and how deep: openings, middle games with
/// threats, an ending.
const MAGNETIC_CAVE: &[(&str, u32)] = &[
    ("8/8/8/8/8/8/8/8 x", 9),
    ("8/xo6/5xxx/oo6/8/8/o7/8 x", 9),
    ("oo4xx/xo3xox/xox4x/o7/o6o/6oo/xo6/xx4xo x", 10),
    ("xo3ooo/x5xx/ooox2xx/ox4xo/x5ox/ooxo1oxx/ooxxxoox/6xo x", 13),
];

/// The same of Gridlock: few pieces and many, near the turn limit and far.
const GRIDLOCK: &[(&str, u32)] = &[
    ("4o2/1xo2x1/3x3/5o1/1ox4/4x2/2o4 x 0 40", 6),
    ("x5o/7/7/7/7/7/o5x x 0 20", 10),
    (
        "xo1xo1x/o1x1o1o/1x1o1x1/o1x1x1o/1o1x1o1/x1o1o1x/ox1o1xx o 12 60",
        6,
    ),
    ("4o2/1xo2x1/3x3/5o1/1ox4/4x2/2o4 o 33 40", 7),
];

/// Memory of the table, in megabytes.
const HASH: usize = 16;

/// Searches all positions and says how it went, line by line. The last two
/// lines hold `Nodes searched` and `Nodes/second`.
pub fn run(stop: &StopToken, mut say: impl FnMut(String)) {
    let begin = Instant::now();
    let mut nodes = 0;
    for &(fen, depth) in MAGNETIC_CAVE {
        nodes += search::<MagneticCave>(fen, depth, stop, &mut say);
    }
    for &(fen, depth) in GRIDLOCK {
        nodes += search::<Gridlock>(fen, depth, stop, &mut say);
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

/// Searches one position with an empty memory; the number of nodes.
fn search<G: Evaluate + Yardstick>(
    fen: &str,
    depth: u32,
    stop: &StopToken,
    say: &mut impl FnMut(String),
) -> u64 {
    let ingredients = SearcherSettings { hash: HASH, seed: 0 };
    let (Ok(root), Ok(Some(mut player))) = (
        G::from_fen(fen),
        personality::make_searcher::<G>(personality::DEFAULT, ingredients),
    ) else {
        say(format!(
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
        stop: stop.clone(),
        ..Task::new(root.legal_moves(), &last)
    };
    let best = player.search(&root, &task);
    let nodes = last.into_inner().map_or(0, |progress| progress.nodes);
    say(format!(
        "{fen}: depth {depth}, {nodes} nodes, {}",
        G::move_text(best)
    ));
    nodes
}
