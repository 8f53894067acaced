//! Several threads at one search ("Lazy SMP"): each searches the whole tree by
//! itself, and what one finds out the others find in the table. They differ in
//! the depth they begin with, in their ordering, and by chance. The first one
//! answers; the others end with it.

use std::sync::atomic::{AtomicU64, Ordering as MemoryOrdering};
use std::thread;

use super::ordering::MoveOrdering;
use super::principal_variation::SearchThread;
use super::table::TranspositionTable;
use super::task::{Observer, Progress, SearchLimits, StopToken, Task};
use crate::board::Move;
use crate::game::Evaluate;

/// A search recurses once a ply, with a list of moves each time.
const STACK: usize = 16 << 20;

/// The positions searched by the helpers, one count for each of them, each in a
/// line of the processor's cache of its own.
#[derive(Debug, Default)]
pub struct NodeCount(Vec<Padded>);

#[derive(Debug, Default)]
#[repr(align(64))]
struct Padded(AtomicU64);

impl NodeCount {
    /// Thread number `helper`, from 1, has searched so many.
    pub fn set(&self, helper: u32, nodes: u64) {
        if let Some(Padded(count)) = self.0.get(helper as usize - 1) {
            count.store(nodes, MemoryOrdering::Relaxed);
        }
    }

    /// What all of them have told.
    pub fn total(&self) -> u64 {
        let counts = self.0.iter();
        counts
            .map(|Padded(count)| count.load(MemoryOrdering::Relaxed))
            .sum()
    }
}

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
        let mut counts = Vec::new();
        counts.resize_with(task.threads.saturating_sub(1), Padded::default);
        Threads {
            stop: StopToken::default(),
            helped: NodeCount(counts),
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
        let part = |nodes| SearchLimits {
            nodes,
            ..task.limits.clone()
        };
        let side = root.side_to_move();
        thread::scope(|scope| {
            let mut orderings = orderings.iter_mut();
            let Some(own) = orderings.next() else {
                return task.moves[0];
            };
            let _end = StopAtEnd(&self.stop);
            for (helper, ordering) in (1..).zip(orderings) {
                let (moves, limits) = (task.moves.clone(), part(parts));
                let (multipv, contempt) = (task.multipv, task.contempt);
                let work = move || {
                    let task = Task {
                        limits,
                        multipv,
                        contempt,
                        stop: self.stop.clone(),
                        ..Task::new(moves, &Silent)
                    };
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
            let task = Task {
                moves: task.moves.clone(),
                limits: part(rest),
                stop: task.stop.clone(),
                ..*task
            };
            SearchThread::new(side, &task, table, own, (0, &self.helped)).iterate(root)
        })
    }
}

/// How many of `nodes` positions each helper may search, and how many the thread
/// that answers: all of them together no more than that.
fn shares(nodes: Option<u64>, threads: u64) -> [Option<u64>; 2] {
    let part = nodes.map(|nodes| nodes / threads.max(1));
    let rest = nodes.zip(part).map(|(nodes, part)| nodes - part * (threads - 1));
    [part, rest]
}
