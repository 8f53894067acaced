//! The root strategy of Gridlock: exact values with few pieces, a solver for crowded boards, and
//! selective iterations before the search to the end of the game.

use std::cmp::Reverse;
use std::path::Path;
use std::time::Instant;

use lodestone_game::Game;
use lodestone_game::board::Move;
use lodestone_game::gridlock::Gridlock;
use lodestone_game::score::{Score, Value};

use super::swindle::{self, PlaysForMistakes, SwindleLimits, Swindles};
use crate::game::gridlock::crowded::{self, CrowdedSearch, RootResult, SolverFact};
use crate::game::gridlock::exact::{self, ExactMove};
use crate::game::gridlock::shallow;
use crate::search::table::{Bound, TableEntry};
use crate::search::{Progress, RootState, RootStrategy, SearchThread, ShallowOpponent};

/// Rounds of random replies that decide between moves of the same exact result. Three rounds take
/// too long for 0.1 s a move: 8 moves a position are 2 million positions.
const ROUNDS: u32 = 2;

/// The search waits for exact results until this part of its time is left.
const MIN_REST_DIVISOR: u32 = 4;

/// The solver does not begin with fewer nodes than this.
const MIN_NODES: u64 = 2000;

/// Iterations before the solver, in plies. They order the moves: among moves of the same
/// result, the first one is played.
const MIN_DEPTH: u32 = 4;

/// The solver gets this many nodes before an only move is played without a result.
const ONLY_MOVE_NODES: u64 = 50_000;

/// The line that shows a result costs at most this part of the nodes so far, ...
const LINE_COST_DIVISOR: u64 = 4;

/// ... and this many nodes more.
const LINE_NODES: u64 = 20_000;

/// The maximum number of selective iterations: if there is no time for the search to the end of
/// the game, iterations of the same depth with reductions come first. Each is one ply deeper,
/// so that moves that are reduced more still reach the end.
const SELECTIVE_ITERATIONS: u32 = 4;

/// The search to the end of the game is expected to need this many times the nodes so far. If there
/// is no time for them, selective iterations come first. Measured: `research/notes/gridlock.md`.
const END_COST_FACTOR: u64 = 16;

/// Without a node limit or deadline, selective iterations come first if the search to the end of
/// the game is expected to need more than this many nodes.
const MAX_UNLIMITED_END_NODES: u64 = 40_000_000;

/// What the strategy of one thread remembers.
#[derive(Debug, Default)]
pub struct GridlockMemory {
    /// Nodes of the solver of crowded boards.
    solver_nodes: u64,
    /// It stops at this number of nodes of the thread.
    solver_limit: u64,
    swindles: Swindles,
}

impl PlaysForMistakes for Gridlock {
    // Measured: `research/notes/gridlock.md`.
    const LIMITS: SwindleLimits = SwindleLimits {
        draw: &[-750, -600, -375, -187, -100],
        win: &[-750, -600, -300, 100, 400, 500],
        first_move: None,
    };

    const MODELS: usize = 1;

    fn shallow_reply(&self, _model: usize, nodes: &mut u64) -> Option<Move> {
        shallow::reply(self, nodes)
    }

    fn swindles(memory: &GridlockMemory) -> &Swindles {
        &memory.swindles
    }

    fn swindles_mut(memory: &mut GridlockMemory) -> &mut Swindles {
        &mut memory.swindles
    }
}

impl RootStrategy for Gridlock {
    type Memory = GridlockMemory;

    fn exact_points(&self) -> Option<i32> {
        let exact = exact::exact_moves(self, &self.legal_moves(), 0, &|| true)?;
        exact.iter().map(|exact| exact.points).max()
    }

    fn prepare() {
        exact::prepare();
    }

    fn use_table(path: Option<&Path>) -> Result<String, String> {
        exact::use_table(path)
    }

    fn shallow_opponent(played: &[(Gridlock, Move)]) -> ShallowOpponent {
        swindle::shallow_opponent(played)
    }

    fn new_search(threads: &mut [GridlockMemory]) {
        for memory in threads {
            memory.solver_nodes = 0;
            memory.swindles.new_search();
        }
    }

    fn begin(search: &mut SearchThread<'_, Gridlock>) -> Option<Move> {
        let exact = search.exact_play();
        if exact.is_none() {
            swindle::begin(search);
        }
        exact
    }

    fn next_iteration(search: &mut SearchThread<'_, Gridlock>, state: &mut RootState) -> Option<Move> {
        if let Some(best) = search.solve_crowded(state) {
            return Some(best);
        }
        if search.stopped {
            // Stopped or paused: the state stays as it is.
        } else if state.selective < SELECTIVE_ITERATIONS && search.continues_selectively(state.depth) {
            state.selective += 1;
        } else {
            (state.depth, state.selective) = (state.depth + 1, 0);
        }
        None
    }

    fn after_iteration(search: &mut SearchThread<'_, Gridlock>, state: &RootState) {
        swindle::after_iteration(search, state);
    }

    /// The solver has had enough nodes for a position with a single move, or has no task.
    fn may_play_only_move(search: &SearchThread<'_, Gridlock>) -> bool {
        search.memory.solver_nodes >= ONLY_MOVE_NODES
            || crowded::solver_share(&search.root) == 0
            || !search.may_solve()
    }

    fn line<'a>(search: &'a SearchThread<'_, Gridlock>, best: &'a [Move], value: Value) -> &'a [Move] {
        swindle::line(search, best, value)
    }

    fn finish(search: &mut SearchThread<'_, Gridlock>, state: &RootState) -> Move {
        swindle::finish(search, state)
    }
}

impl CrowdedSearch for SearchThread<'_, Gridlock> {
    fn enter(&mut self) -> bool {
        SearchThread::enter(self) && self.nodes <= self.memory.solver_limit
    }

    fn find(&self, key: u64) -> Option<SolverFact> {
        let entry = self.table.probe(key)?;
        Some(SolverFact {
            best: entry.best,
            code: entry.value as u16,
            depth: entry.depth as u8,
        })
    }

    fn store(&mut self, key: u64, fact: SolverFact) {
        let entry = TableEntry {
            best: fact.best,
            // The table stores the lower 16 bits.
            value: Value::from(fact.code as i16),
            bound: Bound::Exact,
            depth: fact.depth.into(),
        };
        self.table.store(key, entry);
    }
}

impl SearchThread<'_, Gridlock> {
    /// Whether `go mate` asks for a shorter win than one by the end of the game. Exact results
    /// have no distance.
    fn asks_for_distance(&self) -> bool {
        let mate = self.task.limits.mate;
        mate.is_some_and(|moves| self.root.plies_left() >= moves.saturating_mul(2))
    }

    /// The best move by exact results, reported; `None` if they are not known. Only the main
    /// thread answers.
    fn exact_play(&mut self) -> Option<Move> {
        if self.helper > 0 || self.asks_for_distance() {
            return None;
        }
        let start = self.start;
        let may_go_on = || {
            let hard = self.task.limits.deadlines.hard();
            let rest = hard.map(|hard| hard.saturating_duration_since(start) / MIN_REST_DIVISOR);
            let latest = hard.zip(rest).and_then(|(hard, rest)| hard.checked_sub(rest));
            let is_late = latest.is_some_and(|latest| Instant::now() >= latest);
            !is_late && !self.task.must_stop()
        };
        let mut ranked = exact::exact_moves(&self.root, &self.task.moves, ROUNDS, &may_go_on)?;
        ranked.sort_by_key(rank);
        self.nodes += ranked.len() as u64;
        let count = self.task.options.multipv.clamp(1, ranked.len());
        for (index, best) in ranked[..count].iter().enumerate() {
            if index == 0 {
                self.task.observer.publish(&[best.mv]);
            }
            let (line, is_whole) = exact_line(&self.root, best.mv, &may_go_on);
            self.report_result(index, best.points, (line, is_whole), self.nodes);
        }
        ranked.first().map(|best| best.mv)
    }

    /// Reports the known result of a line of MultiPV, of which the first one has `index` 0, and
    /// whether this line reaches the end of the game.
    fn report_result(&self, index: usize, points: i32, (line, is_whole): (Vec<Move>, bool), nodes: u64) {
        if index == 0 {
            self.task.observer.publish(&line);
        }
        let plies_left = self.root.plies_left();
        self.task.observer.report(Progress {
            multipv: index + 1,
            depth: plies_left,
            seldepth: line.len() as u32,
            score: match points {
                1 => Score::Win(plies_left),
                0 => Score::Draw,
                _ if is_whole => Score::Loss(line.len() as u32),
                _ => Score::Loss(plies_left),
            },
            nodes,
            hashfull: Some(self.table.hashfull()),
            line,
        });
    }

    /// Whether the iteration after this depth would reach the end of the game, but is not
    /// likely to finish in time: then the same depth with reductions comes first.
    fn continues_selectively(&self, depth: u32) -> bool {
        let budget = self.node_budget().unwrap_or(MAX_UNLIMITED_END_NODES);
        depth + 1 == self.root.plies_left()
            && self.task.limits.mate.is_none()
            && self.nodes.saturating_mul(END_COST_FACTOR) > budget
    }

    /// Lets the solver of crowded boards search until it has its share of all nodes. Returns the move to
    /// play if the results of all lines are proven; they are reported then. A pause sets
    /// `stopped`.
    fn solve_crowded(&mut self, state: &RootState) -> Option<Move> {
        let share = u64::from(crowded::solver_share(&self.root));
        if share == 0 || state.depth < MIN_DEPTH || !self.may_solve() {
            return None;
        }
        let others = self.nodes - self.memory.solver_nodes;
        let nodes = (others * share / (100 - share)).saturating_sub(self.memory.solver_nodes);
        if nodes < MIN_NODES {
            return None;
        }
        let before = self.nodes;
        let results = self.solve_lines(&state.moves, nodes);
        self.memory.solver_nodes += self.nodes - before;
        let results = results?;
        let best = results.first()?.best;
        self.task.observer.publish(&[best]);
        let solved: Vec<_> = results
            .iter()
            .map(|result| self.solved_line(result.best))
            .collect();
        if self.task.is_paused() {
            return None;
        }
        let nodes = self.nodes + self.team.helper_nodes();
        for (index, (result, line)) in results.iter().zip(solved).enumerate() {
            self.report_result(index, result.points, line, nodes);
        }
        Some(best)
    }

    /// The results of the best moves, one for each line of MultiPV, the best first. Each is the
    /// best of the moves that are not in a line before it.
    fn solve_lines(&mut self, moves: &[Move], nodes: u64) -> Option<Vec<RootResult>> {
        let (root, end) = (self.root, self.nodes + nodes);
        let count = self.task.options.multipv.clamp(1, moves.len());
        let (mut rest, mut results) = (moves.to_vec(), Vec::new());
        while results.len() < count {
            let result = self.solve_with(&root, &rest, end.saturating_sub(self.nodes))?;
            rest.retain(|&mv| mv != result.best);
            results.push(result);
        }
        Some(results)
    }

    /// Only the main thread solves, and not if `go mate` asks for a distance.
    fn may_solve(&self) -> bool {
        self.helper == 0 && !self.asks_for_distance()
    }

    /// The game's solver with this many nodes.
    fn solve_with(&mut self, position: &Gridlock, moves: &[Move], nodes: u64) -> Option<RootResult> {
        self.memory.solver_limit = self.nodes + nodes;
        crowded::solve(position, moves, self)
    }

    /// A line of best play that begins with `first`, as far as it is found with few nodes, and
    /// whether it reaches the end of the game.
    fn solved_line(&mut self, first: Move) -> (Vec<Move>, bool) {
        let end = self.nodes + self.nodes / LINE_COST_DIVISOR + LINE_NODES;
        let mut line = vec![first];
        let mut position = self.root.play(first);
        while position.outcome().is_none() {
            let moves = position.legal_moves();
            let nodes = end.saturating_sub(self.nodes);
            let Some(result) = self.solve_with(&position, &moves, nodes) else {
                return (line, false);
            };
            line.push(result.best);
            position = position.play(result.best);
        }
        (line, true)
    }
}

/// Sorts the best move first; equal moves stay in their order.
fn rank(exact: &ExactMove) -> Reverse<(i32, i32, i32)> {
    Reverse((exact.points, exact.chance, exact.evaluation))
}

/// A line of best play that begins with `first`, and whether it reaches the end of the game. It
/// ends early when `may_go_on` returns false: the values of a file may have to be read.
fn exact_line(root: &Gridlock, first: Move, may_go_on: &dyn Fn() -> bool) -> (Vec<Move>, bool) {
    let mut line = vec![first];
    let mut position = root.play(first);
    loop {
        let moves = position.legal_moves();
        let Some(ranked) = exact::exact_moves(&position, &moves, 0, &|| false) else {
            return (line, false);
        };
        let Some(best) = ranked.iter().min_by_key(|exact| rank(exact)) else {
            return (line, true);
        };
        if !may_go_on() {
            return (line, false);
        }
        line.push(best.mv);
        position = position.play(best.mv);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use lodestone_game::gridlock::Gridlock;
    use lodestone_game::random::Random;
    use lodestone_game::score::Score;
    use lodestone_game::{Game, Setup};

    use crate::search::{
        LastReport, Lodestone, Progress, SearchLimits, Searcher, Task, best_move, search_in_slices,
        with_thread,
    };

    /// x wins, after more than 10,000 nodes of the solver.
    const WON: &str = "oxoxx1o/o1ooooo/xxxoxxo/xxxooxx/o1oooox/xox1xxx/xoooxx1 x 0 1000";

    #[test]
    fn the_solver_continues_after_a_pause() {
        let root = Gridlock::from_fen(WON).unwrap();
        // Each slice is longer, because a slow machine gains nothing in the shortest.
        let slice = |number| Some(Duration::from_millis(1) * number);
        let (progress, slices) = search_in_slices(&root, (SearchLimits::default(), 1), slice);
        assert_eq!(progress.score, Score::Win(root.plies_left()));
        assert!(slices > 2, "{slices}");
    }

    /// A search within these limits.
    fn search(root: &Gridlock, limits: SearchLimits, megabytes: usize) -> Progress {
        let mut player = Lodestone::with_hash(megabytes).unwrap();
        let best = best_move(&mut player, root, limits).unwrap();
        let progress = best.report.unwrap();
        assert_eq!(progress.line.first(), Some(&best.mv));
        progress
    }

    #[test]
    fn a_crowded_board_is_solved_far_from_the_turn_limit() {
        let root = Gridlock::from_fen(WON).unwrap();
        let progress = search(&root, SearchLimits::nodes(500_000), 16);
        assert_eq!(progress.score, Score::Win(1000));
        // The line is legal, and its last position is won.
        let mut position = root;
        for mv in progress.line {
            assert!(position.legal_moves().contains(&mv));
            position = position.play(mv);
        }
        // The opponent's view, with limits that leave room for nothing else.
        let lost = root.play(search(&root, SearchLimits::nodes(500_000), 16).line[0]);
        let progress = search(&lost, SearchLimits::nodes(500_000), 16);
        assert!(matches!(progress.score, Score::Loss(_)), "{progress:?}");
    }

    #[test]
    fn an_only_move_has_its_result() {
        // The only move loses; a search of one ply does not see it.
        let fen = "oxxoxoo/1ooxoox/xxxoxxx/ooxxxox/xxoxxoo/oxoxoxx/xoooooo x 0 40";
        let root = Gridlock::from_fen(fen).unwrap();
        assert_eq!(root.legal_moves().len(), 1);
        let progress = search(&root, SearchLimits::time(Duration::from_mins(1)), 16);
        assert!(matches!(progress.score, Score::Loss(_)), "{progress:?}");
    }

    #[test]
    fn an_only_move_of_a_sparse_board_is_played_at_once() {
        let root = Gridlock::from_fen("6o/7/7/7/7/xo5/xxo4 x 0 40").unwrap();
        assert_eq!(root.legal_moves().len(), 1);
        let limits = SearchLimits {
            nodes: Some(50_000),
            ..SearchLimits::time(Duration::from_mins(1))
        };
        assert_eq!(search(&root, limits, 1).depth, 1);
    }

    #[test]
    fn a_search_for_a_distance_is_not_selective() {
        let root = Gridlock::from_fen(WON).unwrap();
        let is_selective = |mate| {
            let limits = SearchLimits {
                mate,
                ..SearchLimits::default()
            };
            with_thread(&root, limits, |search| {
                search.nodes = u64::MAX;
                search.continues_selectively(root.plies_left() - 1)
            })
        };
        assert_eq!([None, Some(3)].map(is_selective), [true, false]);
    }

    #[test]
    fn a_stopped_search_shows_an_exact_result_without_its_line() {
        let root = Gridlock::from_fen("7/7/7/7/7/7/xo5 x 0 40").unwrap();
        assert_eq!(root.legal_moves().len(), 1);
        // Its values stay in memory.
        assert_eq!(search(&root, SearchLimits::default(), 1).line.len(), 40);
        let last = LastReport::default();
        let task = Task::new(root.legal_moves(), &last);
        task.stop.set();
        let mut player = Lodestone::with_hash(1).unwrap();
        let best = player.search(&root, &task);
        assert_eq!(last.into_inner().unwrap().line, [best]);
    }

    #[test]
    #[ignore = "a measurement: `cargo test --release --lib crowded_starts -- --ignored --nocapture`"]
    fn crowded_starts_solved_in_a_minute() {
        fn setting(name: &str, default: u64) -> u64 {
            std::env::var(name).map_or(default, |text| text.parse().unwrap())
        }
        let seconds = setting("CROWDED_SECONDS", 60);
        let nodes = setting("CROWDED_NODES", 0);
        let starts = setting("CROWDED_STARTS", 10);
        let only_turns = setting("CROWDED_TURNS", 0);
        let [least, most] =
            [("CROWDED_MIN", 18), ("CROWDED_MAX", 24)].map(|(name, default)| setting(name, default));
        for pieces in (least..=most).rev() {
            for turns in [20, 60, 200] {
                if ![0, u64::from(turns)].contains(&only_turns) {
                    continue;
                }
                let mut random = Random::new(1000 * pieces + u64::from(turns));
                let (mut results, mut costs, mut open_nodes) = ([0; 4], Vec::new(), 0);
                for _ in 0..starts {
                    let setup = Setup {
                        pieces: pieces as u32,
                        turns,
                    };
                    let root = Gridlock::random_start(setup, &mut random);
                    let limits = match nodes {
                        0 => SearchLimits::time(Duration::from_secs(seconds)),
                        _ => SearchLimits::nodes(nodes),
                    };
                    let progress = search(&root, limits, 256);
                    let index = match progress.score {
                        Score::Win(_) => 0,
                        Score::Draw => 1,
                        Score::Loss(_) => 2,
                        Score::Cp(_) => 3,
                    };
                    results[index] += 1;
                    if index < 3 {
                        costs.push(progress.nodes);
                    } else {
                        open_nodes += progress.nodes;
                    }
                }
                costs.sort_unstable();
                let [won, drawn, lost, open] = results;
                let median = costs.get(costs.len() / 2);
                println!(
                    "{pieces} pieces, {turns} turns: {won} won, {drawn} drawn, {lost} lost, {open} open; \
                     median of the solved ones: {median:?} nodes; mean of the open ones: {} nodes",
                    open_nodes / open.max(1)
                );
            }
        }
    }
}
