//! Several threads at one search ("Lazy SMP"): each searches the whole tree by
//! itself, and what one finds out the others find in the table. They differ in
//! the depth they begin with, in their ordering, and by chance. The first one
//! answers; the others end with it.

use std::thread;

use super::node_count::NodeCount;
use super::ordering::MoveOrdering;
use super::table::TranspositionTable;
use super::task::{Observer, Progress, SearchLimits, StopToken, Task};
use super::thread::SearchThread;
use crate::board::Move;
use crate::game::Evaluate;

/// A search recurses once a ply, with a list of moves each time.
const STACK: usize = 16 << 20;

/// The threads of one search.
#[derive(Debug)]
pub struct Threads {
    /// Ends the helpers.
    stop: StopToken,
    helped: NodeCount,
}

/// Ends the helpers when the thread that answers has ended, even by a panic:
/// they would be waited for otherwise.
struct StopAtEnd<'a>(&'a StopToken);

impl Drop for StopAtEnd<'_> {
    fn drop(&mut self) {
        self.0.set();
    }
}

/// What helpers find is in the table; they tell nobody.
struct Silent;

impl Observer for Silent {
    fn publish(&self, _line: &[Move]) {}

    fn report(&self, _progress: Progress) {}
}

impl Threads {
    /// The threads of a task.
    pub fn new(task: &Task<'_>) -> Threads {
        Threads {
            stop: StopToken::default(),
            helped: NodeCount::new(task.options.threads.saturating_sub(1)),
        }
    }

    /// Searches with one thread for each of the orderings, of which there is at
    /// least one. Threads that the system does not give are done without.
    pub fn search<G: Evaluate>(
        &self,
        root: &G,
        task: &Task<'_>,
        table: &TranspositionTable,
        orderings: &mut [MoveOrdering],
    ) -> Move {
        let [parts, rest] = shares(task.limits.nodes, orderings.len() as u64);
        let side = root.side_to_move();
        thread::scope(|scope| {
            let mut orderings = orderings.iter_mut();
            let Some(own) = orderings.next() else {
                return task.moves[0];
            };
            let _end = StopAtEnd(&self.stop);
            for (helper, ordering) in (1..).zip(orderings) {
                let task = part_of(task, parts, &self.stop, &Silent);
                let work = move || {
                    let mut search = SearchThread::new(side, &task, table, ordering, (helper, &self.helped));
                    search.iterate(root);
                    self.helped.set(helper, search.nodes);
                };
                let name = format!("helper {helper}");
                let builder = thread::Builder::new().name(name).stack_size(STACK);
                if let Err(error) = builder.spawn_scoped(scope, work) {
                    log::warn!("no thread for helper {helper} of the search: {error}");
                    break;
                }
            }
            let task = part_of(task, rest, &task.stop, task.observer);
            SearchThread::new(side, &task, table, own, (0, &self.helped)).iterate(root)
        })
    }
}

/// The part of a task that one thread does: the same but for the number of nodes.
fn part_of<'a>(
    task: &Task<'_>,
    nodes: Option<u64>,
    stop: &StopToken,
    observer: &'a dyn Observer,
) -> Task<'a> {
    Task {
        moves: task.moves.clone(),
        limits: SearchLimits {
            nodes,
            ..task.limits.clone()
        },
        options: task.options,
        stop: stop.clone(),
        observer,
    }
}

/// How many of `nodes` positions each helper may search, and how many the thread
/// that answers: all of them together no more than that.
fn shares(nodes: Option<u64>, threads: u64) -> [Option<u64>; 2] {
    let part = nodes.map(|nodes| nodes / threads.max(1));
    let rest = nodes.zip(part).map(|(nodes, part)| nodes - part * (threads - 1));
    [part, rest]
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::super::options::SearchOptions;
    use super::super::task::{Deadlines, LastReport};
    use super::*;
    use crate::game::Game;
    use crate::game::gridlock::Gridlock;

    #[test]
    fn helpers_search_with_the_options_and_limits_of_the_task() {
        let observer = LastReport::default();
        let moves = Gridlock::startpos().legal_moves();
        let default = SearchOptions::default();
        // Every field differs from its default, which a copy could fall back to.
        let options = SearchOptions {
            threads: default.threads + 1,
            multipv: default.multipv + 1,
            contempt: default.contempt + 1,
        };
        let task = Task {
            limits: SearchLimits {
                depth: Some(7),
                nodes: Some(1000),
                mate: Some(3),
                deadlines: Deadlines::default(),
            },
            options,
            ..Task::new(moves, &observer)
        };
        let now = Instant::now();
        task.limits.deadlines.set(now, now);
        let stop = StopToken::default();
        let helper = part_of(&task, Some(500), &stop, &Silent);
        assert_eq!(helper.options, options);
        assert_eq!(helper.moves[..], task.moves[..]);
        let limits = &helper.limits;
        assert_eq!(
            (limits.depth, limits.nodes, limits.mate),
            (Some(7), Some(500), Some(3))
        );
        assert_eq!(limits.deadlines.hard(), task.limits.deadlines.hard());
        stop.set();
        assert!(helper.stop.is_set() && !task.stop.is_set());
    }

    #[test]
    fn threads_together_keep_to_the_node_limit() {
        assert_eq!(shares(None, 4), [None, None]);
        assert_eq!(shares(Some(1003), 4), [Some(250), Some(253)]);
        assert_eq!(shares(Some(3), 4), [Some(0), Some(3)]);
    }
}
