//! A game's solver at the root, in turn with the iterations of the search.

use super::table::{Bound, TableEntry};
use super::thread::SearchThread;
use crate::board::Move;
use crate::game::{Evaluate, RootResult, RootSearch, RootStrategy, SolverFact};
use crate::score::Value;

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

impl RootSearch for SearchThread<'_> {
    fn enter(&mut self) -> bool {
        if self.stopped || self.must_stop() {
            self.stopped = true;
            return false;
        }
        self.nodes += 1;
        self.nodes <= self.solver_limit
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

impl SearchThread<'_> {
    /// Lets the game's solver search until it has its share of all nodes. Returns the move to
    /// play if the results of all lines are proven; they are reported then. A pause sets
    /// `stopped`.
    pub(super) fn solve_root<G: Evaluate>(&mut self, root: &G, moves: &[Move], depth: u32) -> Option<Move> {
        let share = u64::from(G::Root::solver_share(root));
        if share == 0 || depth < MIN_DEPTH || !self.may_solve(root) {
            return None;
        }
        let others = self.nodes - self.solver_nodes;
        let nodes = (others * share / (100 - share)).saturating_sub(self.solver_nodes);
        if nodes < MIN_NODES {
            return None;
        }
        let before = self.nodes;
        let results = self.solve_lines(root, moves, nodes);
        self.solver_nodes += self.nodes - before;
        let results = results?;
        let best = results.first()?.best;
        self.task.observer.publish(&[best]);
        let solved: Vec<_> = results
            .iter()
            .map(|result| self.solved_line(root, result.best))
            .collect();
        if self.task.is_paused() {
            return None;
        }
        let nodes = self.nodes + self.helper_nodes.total();
        for (index, (result, line)) in results.iter().zip(solved).enumerate() {
            self.report_result(root, index, result.points, line, nodes);
        }
        Some(best)
    }

    /// The results of the best moves, one for each line of MultiPV, the best first. Each is the
    /// best of the moves that are not in a line before it.
    fn solve_lines<G: Evaluate>(&mut self, root: &G, moves: &[Move], nodes: u64) -> Option<Vec<RootResult>> {
        let end = self.nodes + nodes;
        let count = self.task.options.multipv.clamp(1, moves.len());
        let (mut rest, mut results) = (moves.to_vec(), Vec::new());
        while results.len() < count {
            let result = self.solve_with(root, &rest, end.saturating_sub(self.nodes))?;
            rest.retain(|&mv| mv != result.best);
            results.push(result);
        }
        Some(results)
    }

    /// Only the main thread solves, and not if `go mate` asks for a distance.
    fn may_solve<G: Evaluate>(&self, root: &G) -> bool {
        self.helper == 0 && !self.asks_for_distance(root)
    }

    /// Whether the solver has had enough nodes for a position with a single move, or has no task.
    pub(super) fn has_tried_to_solve<G: Evaluate>(&self, root: &G) -> bool {
        self.solver_nodes >= ONLY_MOVE_NODES || G::Root::solver_share(root) == 0 || !self.may_solve(root)
    }

    /// The game's solver with this many nodes.
    fn solve_with<G: Evaluate>(&mut self, position: &G, moves: &[Move], nodes: u64) -> Option<RootResult> {
        self.solver_limit = self.nodes + nodes;
        G::Root::solve_root(position, moves, self)
    }

    /// A line of best play that begins with `first`, as far as it is found with few nodes, and
    /// whether it reaches the end of the game.
    fn solved_line<G: Evaluate>(&mut self, root: &G, first: Move) -> (Vec<Move>, bool) {
        let end = self.nodes + self.nodes / LINE_COST_DIVISOR + LINE_NODES;
        let mut line = vec![first];
        let mut position = root.play(first);
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

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::super::task::Progress;
    use super::super::{LastReport, Lodestone, Pause, SearchLimits, Searcher, Task};
    use crate::game::gridlock::Gridlock;
    use crate::game::{Game, Setup};
    use crate::random::Random;
    use crate::score::Score;

    /// x wins, after more than 10,000 nodes of the solver.
    const WON: &str = "oxoxx1o/o1ooooo/xxxoxxo/xxxooxx/o1oooox/xox1xxx/xoooxx1 x 0 1000";

    /// Searches in slices of this time; returns the last report and the number of slices.
    fn search_in_slices(root: &Gridlock, slice: Duration) -> (Progress, u32) {
        let mut player = Lodestone::with_hash(16).unwrap();
        let last = LastReport::default();
        for slices in 1.. {
            // Each slice is longer, because a slow machine gains nothing in the shortest.
            let pause = Pause::at(Instant::now() + slice * slices);
            let task = Task {
                limits: SearchLimits::default(),
                pause: Some(&pause),
                ..Task::new(root.legal_moves(), &last)
            };
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

    #[test]
    fn the_solver_continues_after_a_pause() {
        let root = Gridlock::from_fen(WON).unwrap();
        let (progress, slices) = search_in_slices(&root, Duration::from_millis(1));
        assert_eq!(progress.score, Score::Win(root.plies_left()));
        assert!(slices > 2, "{slices}");
    }

    /// A search within these limits.
    fn search(root: &Gridlock, limits: SearchLimits, megabytes: usize) -> Progress {
        let last = LastReport::default();
        let task = Task {
            limits,
            ..Task::new(root.legal_moves(), &last)
        };
        let best = Lodestone::with_hash(megabytes).unwrap().search(root, &task);
        let progress = last.into_inner().unwrap();
        assert_eq!(progress.line.first(), Some(&best));
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
