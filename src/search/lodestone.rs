//! The player `lodestone`, and lazy SMP: several threads search the same root and share the
//! transposition table. They differ in their starting depth, their move ordering, and their timing.
//! The main thread returns the move; the helpers stop with it.

use std::thread;

use lodestone_game::board::Move;

use super::ordering::MoveOrdering;
use super::table::{NoMemory, TranspositionTable};
use super::task::{Observer, SearchLimits, Searcher, Silent, StopToken, Task};
use super::thread::{MAX_PLY, RootState, RootStrategy, SearchThread, Team};

/// The player `lodestone`: principal variation search on several threads.
#[derive(Debug)]
pub struct Lodestone<G: RootStrategy> {
    table: TranspositionTable,
    /// Move ordering by thread, kept between searches.
    orderings: Vec<MoveOrdering>,
    /// What the root strategy remembers, by thread.
    memories: Vec<G::Memory>,
    /// The search that a pause interrupted.
    paused: Option<RootState>,
}

impl<G: RootStrategy> Lodestone<G> {
    /// A player with a transposition table of this size, in megabytes of 2²⁰ bytes.
    ///
    /// # Errors
    /// There is not enough memory.
    pub fn with_hash(megabytes: usize) -> Result<Lodestone<G>, NoMemory> {
        Ok(Lodestone {
            table: TranspositionTable::new(megabytes)?,
            orderings: Vec::new(),
            memories: Vec::new(),
            paused: None,
        })
    }

    /// Searches with one thread per move ordering, of which there is at least one. If the
    /// system refuses a thread, the search runs with fewer. The main thread continues a paused
    /// search.
    fn run(&mut self, root: &G, task: &Task<'_>) -> Move {
        let [helper_limit, main_limit] = node_limits(task.limits.nodes, self.orderings.len() as u64);
        let team = Team::new(self.orderings.len() - 1);
        let stop_helpers = StopToken::default();
        let table = &self.table;
        let mut threads = self.orderings.iter_mut().zip(&mut self.memories);
        let Some(main) = threads.next() else {
            return task.moves[0];
        };
        thread::scope(|scope| {
            let _stop = StopOnDrop(&stop_helpers);
            for (helper, memory) in (1..).zip(threads) {
                let task = thread_task(task, helper_limit, &stop_helpers, &Silent);
                let team = &team;
                let work = move || {
                    let mut search = SearchThread::new(*root, &task, table, memory, (helper, team));
                    search.iterate(&mut None);
                    team.set_nodes(helper, search.nodes);
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
            SearchThread::new(*root, &task, table, main, (0, &team)).iterate(&mut self.paused)
        })
    }
}

impl<G: RootStrategy> Searcher<G> for Lodestone<G> {
    fn search(&mut self, root: &G, task: &Task<'_>) -> Move {
        self.table.new_search();
        let threads = task.options.threads.max(1);
        self.orderings.resize_with(threads, || MoveOrdering::new(MAX_PLY));
        self.orderings.iter_mut().for_each(MoveOrdering::new_search);
        self.memories.resize_with(threads, G::Memory::default);
        G::new_search(&mut self.memories);
        self.paused = None;
        self.run(root, task)
    }

    fn resume(&mut self, root: &G, task: &Task<'_>) -> Move {
        if self.paused.is_none() {
            return self.search(root, task);
        }
        self.run(root, task)
    }

    fn can_resume(&self) -> bool {
        true
    }

    fn new_game(&mut self) {
        self.table.clear();
        self.orderings.iter_mut().for_each(MoveOrdering::clear);
        self.memories.clear();
    }

    fn evaluate(&self, position: &G) -> Option<i32> {
        Some(position.evaluate(&position.node_info(), None))
    }

    fn exact_points(&self, position: &G) -> Option<i32> {
        position.exact_points()
    }

    fn prepare(&self) {
        self.table.reserve();
        G::prepare();
    }

    fn has_learned_evaluation(&self) -> bool {
        G::IS_LEARNED
    }
}

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

/// The task of one thread: that of the whole search, except for the node limit, and without a pause.
fn thread_task<'a>(
    task: &Task<'a>,
    nodes: Option<u64>,
    stop: &StopToken,
    observer: &'a dyn Observer,
) -> Task<'a> {
    Task {
        limits: SearchLimits {
            nodes,
            ..task.limits.clone()
        },
        stop: stop.clone(),
        pause: None,
        observer,
        ..task.clone()
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
pub(crate) mod tests {
    use std::collections::BTreeMap;
    use std::sync::Mutex;
    use std::time::{Duration, Instant};

    use lodestone_game::Game;
    use lodestone_game::gridlock::Gridlock;
    use lodestone_game::magnetic_cave::MagneticCave;

    use super::super::task::{LastReport, Pause, Progress};
    use super::*;

    /// Searches in slices, of which number N takes `slice(N)`. Returns the last report and the number of
    /// slices.
    pub(crate) fn search_in_slices<G: RootStrategy>(
        root: &G,
        (limits, multipv): (SearchLimits, usize),
        slice: impl Fn(u32) -> Option<Duration>,
    ) -> (Progress, u32) {
        let mut player = Lodestone::with_hash(16).unwrap();
        let last = LastReport::default();
        for slices in 1.. {
            let pause = slice(slices).map(|slice| Pause::at(Instant::now() + slice));
            let mut task = Task::new(root.legal_moves(), &last);
            (task.limits, task.pause) = (limits.clone(), pause.as_ref());
            task.options.multipv = multipv;
            if slices == 1 {
                player.search(root, &task);
            } else {
                player.resume(root, &task);
            }
            if !task.is_paused() {
                return (last.into_inner().unwrap(), slices);
            }
        }
        unreachable!()
    }

    /// Each slice searches at least 1,024 nodes, and the count includes all of them.
    fn assert_resumes<G: RootStrategy>(depth: u32, multipv: usize) {
        let search = (SearchLimits::depth(depth), multipv);
        let (sliced, count) = search_in_slices(&G::startpos(), search, |_| Some(Duration::from_millis(4)));
        assert!(count > 2, "{count}");
        assert_eq!(sliced.depth, depth);
        assert!(sliced.nodes > 1024 * u64::from(count - 1), "{count} {sliced:?}");
    }

    /// The last report of each line of MultiPV, and the published move.
    #[derive(Default)]
    struct LastLines {
        lines: Mutex<BTreeMap<usize, Progress>>,
        published: Mutex<Option<Move>>,
    }

    impl Observer for LastLines {
        fn publish(&self, line: &[Move]) {
            *self.published.lock().unwrap() = Some(line[0]);
        }

        fn report(&self, progress: Progress) {
            self.lines.lock().unwrap().insert(progress.multipv, progress);
        }
    }

    #[test]
    fn the_lines_of_an_interrupted_search_begin_with_its_best_move() {
        let mut player = Lodestone::with_hash(16).unwrap();
        let root = MagneticCave::from_fen("x7/8/8/8/8/8/8/8 o").unwrap();
        for multipv in [2, 4] {
            for nodes in (20..4_000).step_by(19) {
                let last = LastLines::default();
                let mut task = Task::new(root.legal_moves(), &last);
                task.limits = SearchLimits::nodes(nodes);
                task.options.multipv = multipv;
                player.new_game();
                let best = player.search(&root, &task);
                assert_eq!(last.published.into_inner().unwrap(), Some(best), "{nodes} nodes");
                let lines: Vec<Progress> = last.lines.into_inner().unwrap().into_values().collect();
                let mut moves: Vec<Move> = lines.iter().map(|line| line.line[0]).collect();
                assert!(moves.is_empty() || moves[0] == best, "{nodes} nodes");
                assert!(
                    lines.is_sorted_by(|line, next| line.depth >= next.depth),
                    "{lines:?}"
                );
                moves.sort_unstable_by_key(|mv| mv.to_bits());
                moves.dedup();
                assert_eq!(moves.len(), lines.len(), "{lines:?}");
            }
        }
    }

    #[test]
    #[ignore = "a measurement: `cargo test --release --lib slices_cost -- --ignored --nocapture`"]
    fn slices_cost_few_nodes() {
        fn row<G: RootStrategy>(depth: u32) {
            let search = |slice| search_in_slices(&G::startpos(), (SearchLimits::depth(depth), 1), |_| slice);
            let (whole, _) = search(None);
            println!("{}: depth {depth}, {} nodes", G::INFO.name, whole.nodes);
            for milliseconds in [1, 5, 10, 20, 40, 80, 160] {
                let slice = Duration::from_millis(milliseconds);
                let (sliced, count) = search(Some(slice));
                let percent = 100 * sliced.nodes / whole.nodes;
                println!("slices of {milliseconds} ms: {count}, {percent} % of the nodes");
            }
        }
        row::<MagneticCave>(20);
        row::<Gridlock>(18);
    }

    #[test]
    fn helpers_have_a_node_limit_and_a_stop_of_their_own() {
        let last = LastReport::default();
        let task = Task::new(Gridlock::startpos().legal_moves(), &last);
        let stop = StopToken::default();
        let helper = thread_task(&task, Some(500), &stop, &Silent);
        assert_eq!((helper.limits.nodes, task.limits.nodes), (Some(500), None));
        stop.set();
        assert!(helper.stop.is_set() && !task.stop.is_set());
    }

    #[test]
    fn node_limits_of_all_threads_add_up() {
        assert_eq!(node_limits(None, 4), [None, None]);
        assert_eq!(node_limits(Some(1003), 4), [Some(250), Some(253)]);
        assert_eq!(node_limits(Some(3), 4), [Some(0), Some(3)]);
    }

    mod slow {
        use super::*;

        #[test]
        #[ignore = "slow: .ci/run"]
        fn a_paused_search_continues_to_its_depth() {
            assert_resumes::<MagneticCave>(15, 1);
            assert_resumes::<MagneticCave>(12, 3);
            assert_resumes::<Gridlock>(14, 1);
        }
    }
}
