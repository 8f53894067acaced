//! The player `lodestone`.

use super::iterative_deepening::PausedSearch;
use super::lazy_smp;
use super::ordering::MoveOrdering;
use super::table::{NoMemory, TranspositionTable};
use super::task::{Searcher, Task};
use super::thread::MAX_PLY;
use crate::board::Move;
use crate::game::{Evaluate, RootStrategy};

/// The player `lodestone`: principal variation search on several threads.
#[derive(Debug)]
pub struct Lodestone {
    table: TranspositionTable,
    /// Move ordering by thread, kept between searches.
    orderings: Vec<MoveOrdering>,
    /// The search that a pause interrupted.
    paused: Option<PausedSearch>,
}

impl Lodestone {
    /// A player with a transposition table of this size, in megabytes of 2²⁰ bytes.
    ///
    /// # Errors
    /// There is not enough memory.
    pub fn with_hash(megabytes: usize) -> Result<Lodestone, NoMemory> {
        TranspositionTable::new(megabytes).map(Lodestone::new)
    }

    /// A player that uses this transposition table.
    pub fn new(table: TranspositionTable) -> Lodestone {
        Lodestone {
            table,
            orderings: Vec::new(),
            paused: None,
        }
    }
}

impl<G: Evaluate> Searcher<G> for Lodestone {
    fn search(&mut self, root: &G, task: &Task<'_>) -> Move {
        self.table.new_search();
        self.orderings
            .resize_with(task.options.threads.max(1), || MoveOrdering::new(MAX_PLY));
        self.orderings.iter_mut().for_each(MoveOrdering::new_search);
        self.paused = None;
        lazy_smp::search(root, task, &self.table, &mut self.orderings, &mut self.paused)
    }

    fn resume(&mut self, root: &G, task: &Task<'_>) -> Move {
        if self.paused.is_none() {
            return self.search(root, task);
        }
        lazy_smp::search(root, task, &self.table, &mut self.orderings, &mut self.paused)
    }

    fn can_resume(&self) -> bool {
        true
    }

    fn new_game(&mut self) {
        self.table.clear();
        self.orderings.iter_mut().for_each(MoveOrdering::clear);
    }

    fn evaluate(&self, position: &G) -> Option<i32> {
        Some(position.evaluate(&position.node_info(), None))
    }

    fn exact_points(&self, position: &G) -> Option<i32> {
        let exact = G::Root::exact_moves(position, &position.legal_moves(), 0, &|| true)?;
        exact.iter().map(|exact| exact.points).max()
    }

    fn prepare(&self) {
        self.table.reserve();
        G::Root::prepare();
    }

    fn has_learned_evaluation(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::super::limits::{Pause, SearchLimits};
    use super::super::options::SearchOptions;
    use super::super::task::{LastReport, Progress};
    use super::*;
    use crate::game::gridlock::Gridlock;
    use crate::game::magnetic_cave::MagneticCave;

    /// Searches the start position to this depth in slices of this time. Returns the last
    /// report and the number of slices.
    fn search_in_slices<G: Evaluate>(depth: u32, multipv: usize, slice: Option<Duration>) -> (Progress, u32) {
        let root = G::startpos();
        let mut player = Lodestone::with_hash(16).unwrap();
        let last = LastReport::default();
        for slices in 1.. {
            let pause = slice.map(|slice| Pause::at(Instant::now() + slice));
            let task = Task {
                limits: SearchLimits::depth(depth),
                options: SearchOptions {
                    multipv,
                    ..SearchOptions::default()
                },
                pause: pause.as_ref(),
                ..Task::new(root.legal_moves(), &last)
            };
            if slices == 1 {
                player.search(&root, &task);
            } else {
                player.resume(&root, &task);
            }
            if !task.is_paused() {
                return (last.into_inner().unwrap(), slices);
            }
        }
        unreachable!()
    }

    /// Each slice searches at least 1,024 nodes, and the count includes all of them.
    fn assert_resumes<G: Evaluate>(depth: u32, multipv: usize) {
        let (whole, _) = search_in_slices::<G>(depth, multipv, None);
        let (sliced, count) = search_in_slices::<G>(depth, multipv, Some(Duration::from_millis(4)));
        assert!(count > 2, "{count}");
        assert_eq!((sliced.depth, whole.depth), (depth, depth));
        assert!(sliced.nodes > 1024 * u64::from(count - 1), "{count} {sliced:?}");
    }

    #[test]
    fn a_paused_search_continues_to_its_depth() {
        assert_resumes::<MagneticCave>(15, 1);
        assert_resumes::<MagneticCave>(12, 3);
        assert_resumes::<Gridlock>(14, 1);
    }

    #[test]
    #[ignore = "a measurement: `cargo test --release --lib slices_cost -- --ignored --nocapture`"]
    fn slices_cost_few_nodes() {
        fn row<G: Evaluate>(depth: u32) {
            let (whole, _) = search_in_slices::<G>(depth, 1, None);
            println!("{}: depth {depth}, {} nodes", G::INFO.name, whole.nodes);
            for milliseconds in [1, 5, 10, 20, 40, 80, 160] {
                let slice = Duration::from_millis(milliseconds);
                let (sliced, count) = search_in_slices::<G>(depth, 1, Some(slice));
                let percent = 100 * sliced.nodes / whole.nodes;
                println!("slices of {milliseconds} ms: {count}, {percent} % of the nodes");
            }
        }
        row::<MagneticCave>(20);
        row::<Gridlock>(18);
    }
}
