//! The player `lodestone`.

use super::lazy_smp::Threads;
use super::ordering::MoveOrdering;
use super::table::TranspositionTable;
use super::task::{Searcher, Task};
use super::thread::LONGEST_LINE;
use crate::board::Move;
use crate::game::Evaluate;

/// The player `lodestone`.
#[derive(Debug)]
pub struct Lodestone {
    table: TranspositionTable,
    /// One for each thread of the last search.
    orderings: Vec<MoveOrdering>,
}

impl Lodestone {
    /// A player with an empty memory that remembers positions in `table`.
    pub fn new(table: TranspositionTable) -> Lodestone {
        Lodestone {
            table,
            orderings: Vec::new(),
        }
    }
}

impl<G: Evaluate> Searcher<G> for Lodestone {
    fn search(&mut self, root: &G, task: &Task<'_>) -> Move {
        self.table.next_search();
        self.orderings
            .resize_with(task.options.threads.max(1), || MoveOrdering::new(LONGEST_LINE));
        self.orderings.iter_mut().for_each(MoveOrdering::next_search);
        let threads = Threads::new(task);
        threads.search(root, task, &self.table, &mut self.orderings)
    }

    fn new_game(&mut self) {
        self.table.clear();
        self.orderings.iter_mut().for_each(MoveOrdering::clear);
    }

    fn evaluate(&self, position: &G) -> Option<i32> {
        Some(position.evaluate(&position.node_info(), None))
    }
}
