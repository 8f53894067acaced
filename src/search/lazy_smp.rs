//! Lazy SMP: several threads search the same root and share the transposition table. They
//! differ in their starting depth, their move ordering, and their timing. In proofs by a game's
//! own solver they also avoid searching the same position at the same time, see
//! [`SharedProof`]. The main thread returns the move; the helpers stop with it.

use std::thread;

use super::iterative_deepening::PausedSearch;
use super::limits::{SearchLimits, StopToken};
use super::ordering::MoveOrdering;
use super::shared_proof::{NodeCount, SharedProof};
use super::table::TranspositionTable;
use super::task::{Observer, Progress, Task};
use super::thread::SearchThread;
use crate::board::Move;
use crate::game::{Evaluate, RootStrategy};

/// Stack size of a helper, in bytes. The search recurses once per ply, with a move list
/// in each frame.
const STACK: usize = 16 << 20;

/// Stops the helpers when the main thread ends, even by a panic; the scope would wait for
/// them forever otherwise.
struct StopOnDrop<'a>(&'a StopToken);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.set();
    }
}

/// The observer of a helper: its results are in the table, so it reports nothing.
struct Silent;

impl Observer for Silent {
    fn publish(&self, _line: &[Move]) {}

    fn report(&self, _progress: Progress) {}
}

/// Searches with one thread per move ordering, of which there is at least one. If the
/// system refuses a thread, the search runs with fewer. The main thread continues `paused`.
pub fn search<G: Evaluate>(
    root: &G,
    task: &Task<'_>,
    table: &TranspositionTable,
    orderings: &mut [MoveOrdering],
    paused: &mut Option<PausedSearch>,
) -> Move {
    let [helper_limit, main_limit] = node_limits(task.limits.nodes, orderings.len() as u64);
    let helper_nodes = NodeCount::new(orderings.len().saturating_sub(1));
    let shared_proof =
        (G::Root::HAS_OWN_SOLVER && orderings.len() > 1).then(|| SharedProof::new(orderings.len()));
    let shared_proof = shared_proof.as_ref();
    let stop_helpers = StopToken::default();
    let side = root.side_to_move();
    let mut orderings = orderings.iter_mut();
    let Some(main_ordering) = orderings.next() else {
        return task.moves[0];
    };
    thread::scope(|scope| {
        let _stop = StopOnDrop(&stop_helpers);
        for (helper, ordering) in (1..).zip(orderings) {
            let task = thread_task(task, helper_limit, &stop_helpers, &Silent);
            let helper_nodes = &helper_nodes;
            let work = move || {
                let mut search = SearchThread::new(side, &task, table, ordering, (helper, helper_nodes));
                search.shared_proof = shared_proof;
                search.iterate(root, &mut None);
                helper_nodes.set(helper, search.nodes);
            };
            let builder = thread::Builder::new().name(format!("helper {helper}"));
            if let Err(error) = builder.stack_size(STACK).spawn_scoped(scope, work) {
                log::warn!("no thread for helper {helper} of the search: {error}");
                break;
            }
        }
        let task = Task {
            pause: task.pause,
            ..thread_task(task, main_limit, &task.stop, task.observer)
        };
        let mut search = SearchThread::new(side, &task, table, main_ordering, (0, &helper_nodes));
        search.shared_proof = shared_proof;
        search.iterate(root, paused)
    })
}

/// The task of one thread: moves, limits and options are those of the whole search,
/// except for the node limit. It has no pause.
fn thread_task<'a>(
    task: &Task<'_>,
    nodes: Option<u64>,
    stop: &StopToken,
    observer: &'a dyn Observer,
) -> Task<'a> {
    Task {
        moves: task.moves.clone(),
        earlier: task.earlier.clone(),
        opponent: task.opponent,
        limits: SearchLimits {
            nodes,
            ..task.limits.clone()
        },
        options: task.options,
        stop: stop.clone(),
        pause: None,
        observer,
    }
}

/// The node limits of each helper and of the main thread; their sum over all threads is
/// `nodes`.
fn node_limits(nodes: Option<u64>, threads: u64) -> [Option<u64>; 2] {
    let helper = nodes.map(|nodes| nodes / threads.max(1));
    let main = nodes
        .zip(helper)
        .map(|(nodes, part)| nodes - part * (threads - 1));
    [helper, main]
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::super::limits::Deadlines;
    use super::super::options::SearchOptions;
    #[cfg(feature = "tune")]
    use super::super::options::SearchParameters;
    use super::super::swindle::ShallowOpponent;
    use super::super::task::LastReport;
    use super::*;
    use crate::game::Game;
    use crate::game::gridlock::Gridlock;

    #[test]
    fn helpers_get_all_options_and_limits() {
        let observer = LastReport::default();
        let moves = Gridlock::startpos().legal_moves();
        let default = SearchOptions::default();
        // No field has its default, so a field that is not copied is noticed.
        let options = SearchOptions {
            threads: default.threads + 1,
            multipv: default.multipv + 1,
            contempt: default.contempt + 1,
            #[cfg(feature = "tune")]
            parameters: SearchParameters {
                aspiration_width: default.parameters.aspiration_width + 1,
                ..default.parameters
            },
        };
        let task = Task {
            earlier: vec![1, 2],
            opponent: ShallowOpponent {
                model: 1,
                expected: 3,
            },
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
        let helper = thread_task(&task, Some(500), &stop, &Silent);
        assert_eq!(helper.options, options);
        assert_eq!(helper.moves[..], task.moves[..]);
        assert_eq!(helper.earlier, task.earlier);
        assert_eq!(helper.opponent, task.opponent);
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
    fn node_limits_of_all_threads_add_up() {
        assert_eq!(node_limits(None, 4), [None, None]);
        assert_eq!(node_limits(Some(1003), 4), [Some(250), Some(253)]);
        assert_eq!(node_limits(Some(3), 4), [Some(0), Some(3)]);
    }
}
