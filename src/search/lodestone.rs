//! The player `lodestone`.

use super::lazy_smp;
use super::ordering::MoveOrdering;
use super::table::{NoMemory, TranspositionTable};
use super::task::{Searcher, Task};
use super::thread::MAX_PLY;
use crate::board::Move;
use crate::game::Evaluate;

/// The player `lodestone`: principal variation search on several threads.
#[derive(Debug)]
pub struct Lodestone {
    table: TranspositionTable,
    /// Move ordering by thread, kept between searches.
    orderings: Vec<MoveOrdering>,
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
        }
    }
}

impl<G: Evaluate> Searcher<G> for Lodestone {
    fn search(&mut self, root: &G, task: &Task<'_>) -> Move {
        self.table.new_search();
        self.orderings
            .resize_with(task.options.threads.max(1), || MoveOrdering::new(MAX_PLY));
        self.orderings.iter_mut().for_each(MoveOrdering::new_search);
        lazy_smp::search(root, task, &self.table, &mut self.orderings)
    }

    fn new_game(&mut self) {
        self.table.clear();
        self.orderings.iter_mut().for_each(MoveOrdering::clear);
    }

    fn evaluate(&self, position: &G) -> Option<i32> {
        Some(position.evaluate(&position.node_info(), None))
    }
}
