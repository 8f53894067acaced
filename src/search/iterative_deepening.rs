//! Root search: iterative deepening, aspiration windows, MultiPV, the switch to the
//! solver, reporting.

use std::cmp::Reverse;
use std::time::Instant;

use super::shared_proof::SharedProof;
use super::swindle_search::checks_lines;
use super::task::Progress;
use super::thread::{MAX_DEPTH, SearchThread};
use crate::board::Move;
use crate::game::{Evaluate, RootStrategy};
use crate::score::{INFINITE, Score, Value, clamp_eval, is_decisive};

/// Aspiration windows are used from this depth on, in plies. Worth 7 ± 6 Elo
/// (`docs/magnetic-cave-experiments.md`).
const ASPIRATION_DEPTH: u32 = 4;

/// A window that failed is widened by this factor.
const ASPIRATION_GROWTH: Value = 4;

/// A half width beyond which the window is opened completely.
const MAX_ASPIRATION_WIDTH: Value = 1000;

/// Iterations before the switch to the solver. They order the root moves well, and in a
/// drawn position that order decides the move. Measured: `docs/magnetic-cave-experiments.md`.
const ITERATIONS_BEFORE_SOLVER: u32 = 14;

/// The minimum number of iterations before the solver. It is enough once they have
/// searched 1 / [`SOLVER_COST_DIVISOR`] of the solver's expected nodes.
const MIN_ITERATIONS_BEFORE_SOLVER: u32 = 10;

/// Helpers begin the proof after this many iterations, as soon as they know the speed of the
/// search. So it is under way, or done, when the main thread begins it.
const HELPER_ITERATIONS_BEFORE_SOLVER: u32 = 4;

/// See [`MIN_ITERATIONS_BEFORE_SOLVER`].
const SOLVER_COST_DIVISOR: u64 = 3;

/// The same if the limits allow [`AMPLE_BUDGET`] times the solver's expected nodes.
const AMPLE_SOLVER_COST_DIVISOR: u64 = 10;

/// See [`AMPLE_SOLVER_COST_DIVISOR`].
const AMPLE_BUDGET: u64 = 4;

/// With a node limit or deadline, the solver runs if it is expected to need at most this many
/// times the nodes that are left: half of the endgames need less than expected, and a part of
/// the proof also finds better moves.
const MAX_SOLVER_COST: u64 = 3;

/// A game's own solver also runs when this part of the nodes is searched, in percent, if it is
/// expected to need at most [`MAX_LATE_SOLVER_COST`] times the nodes that are left. It seldom
/// finishes then, but finds moves that lose. Measured: `docs/magnetic-cave-experiments.md`.
const LATE_SOLVER_PERCENT: u64 = 30;

/// With a limit, a game's own solver asks first whether the side to move wins only if the
/// iterations before it have at least this value. With less, most positions are draws, and if the
/// time ends early, a move that is proven not to lose is worth more.
const MIN_ATTACK_VALUE: Value = 300;

/// See [`LATE_SOLVER_PERCENT`].
const MAX_LATE_SOLVER_COST: u64 = 30;

/// In games without a solver of their own, the search to the end of the game is expected to
/// need this many times the nodes so far. If there is no time for them, selective iterations
/// come first. Measured: `docs/gridlock.md`.
const END_COST_FACTOR: u64 = 16;

/// Without a node limit or deadline, the solver runs if it is expected to need at most
/// this many nodes. Enough for Magnetic Cave with 40 empty cells.
const MAX_UNLIMITED_SOLVER_NODES: u64 = 10_000_000;

/// Without a node limit or deadline, selective iterations come first if the search to the end of
/// the game is expected to need more than this many nodes.
const MAX_UNLIMITED_END_NODES: u64 = 40_000_000;

/// What a move loses at the root for each time that the position after it occurred in the
/// game: a repetition is no progress.
const REPETITION_PENALTY: Value = 12;

/// A principal variation with its value.
#[derive(Clone, Debug, Default)]
struct RootLine {
    value: Value,
    moves: Vec<Move>,
    seldepth: u32,
}

/// A search that a pause interrupted: what the root keeps until it continues. The rest is
/// in the transposition table.
#[derive(Debug)]
pub(super) struct PausedSearch {
    /// The root moves, the best first.
    moves: Vec<Move>,
    lines: Vec<RootLine>,
    /// The depth of the interrupted iteration, or of the last one.
    depth: u32,
    /// Whether the game's solver was interrupted, not an iteration.
    is_solving: bool,
    /// The number of selective iterations that follow the iteration of this depth.
    selective: u32,
    nodes: u64,
    solver_nodes: u64,
    start: Instant,
}

impl SearchThread<'_> {
    /// Iterative deepening from the first iteration, or from the interrupted one. Returns
    /// the best move when a limit is reached or the result is final. A pause leaves the
    /// state in `paused`.
    pub(super) fn iterate<G: Evaluate>(&mut self, root: &G, paused: &mut Option<PausedSearch>) -> Move {
        if let Some(paused_search) = paused.take() {
            (self.nodes, self.start) = (paused_search.nodes, paused_search.start);
            self.solver_nodes = paused_search.solver_nodes;
            let in_iteration = !paused_search.is_solving;
            return self.deepen(root, paused_search, in_iteration, paused);
        }
        let table_move = self.table.probe(root.table_key()).and_then(|entry| entry.best);
        let moves: Vec<Move> = self
            .ordering
            .picker(root, self.task.moves.clone(), table_move)
            .collect();
        self.task.observer.publish(&moves[..1]);
        if let Some(best) = self.exact_play(root) {
            return best;
        }
        if let Some(plan) = self.ordering.plan.take() {
            self.adopt_plan(root, plan);
        }
        let begin = PausedSearch {
            lines: vec![RootLine::default(); self.task.options.multipv.clamp(1, moves.len())],
            moves,
            // Lazy SMP: helpers start at different depths, so they duplicate less work.
            depth: self.helper % 2,
            is_solving: false,
            selective: 0,
            nodes: self.nodes,
            solver_nodes: 0,
            start: self.start,
        };
        self.deepen(root, begin, false, paused)
    }

    /// The iterations, beginning with that of the state or, unless it is `interrupted`, with
    /// the next one.
    fn deepen<G: Evaluate>(
        &mut self,
        root: &G,
        state: PausedSearch,
        mut interrupted: bool,
        paused: &mut Option<PausedSearch>,
    ) -> Move {
        let PausedSearch {
            mut moves,
            mut lines,
            mut depth,
            mut selective,
            ..
        } = state;
        let deadlines = &self.task.limits.deadlines;
        let mut has_looked = false;
        let max_depth = self.max_depth(root);
        while interrupted || depth < max_depth {
            let mut is_solving = false;
            if !std::mem::take(&mut interrupted) {
                if let Some(best) = self.solve_root(root, &moves, depth) {
                    return best;
                }
                is_solving = self.stopped;
                if is_solving {
                    // Stopped or paused: the state stays as it is.
                } else if selective < G::Root::SELECTIVE_ITERATIONS && self.continues_selectively(root, depth)
                {
                    selective += 1;
                } else {
                    (depth, selective) = (self.next_depth(root, depth, max_depth), 0);
                }
            }
            self.is_selective = selective > 0;
            if is_solving || !self.search_lines(root, &mut moves, depth + selective, &mut lines) {
                let best = self.move_to_play(root, moves[0], lines[0].value);
                if self.task.is_paused() {
                    *paused = Some(PausedSearch {
                        moves,
                        lines,
                        depth,
                        is_solving,
                        selective,
                        nodes: self.nodes,
                        solver_nodes: self.solver_nodes,
                        start: self.start,
                    });
                }
                return best;
            }
            let value = lines[0].value;
            let is_solved = depth >= root.plies_left() && selective == 0;
            if self.looks_for_swindles::<G>(value) {
                self.set_first_moves(root, value, depth + selective, is_solved && value == 0);
                has_looked &= !(is_solved && checks_lines::<G>());
            }
            for (index, line) in lines.iter().enumerate() {
                self.report(root, depth + selective, line, index + 1);
            }
            let is_last = self.next_depth(root, depth, max_depth) >= root.plies_left();
            if self.looks_for_swindles::<G>(value)
                && !has_looked
                && self.is_time_for_swindles::<G>(depth, is_last)
            {
                has_looked = self.find_swindle(root);
            }
            let is_proven = lines.iter().all(|line| is_decisive(line.value));
            let is_only_move =
                moves.len() == 1 && deadlines.hard().is_some() && self.has_tried_to_solve(root);
            if is_proven || is_only_move || deadlines.is_soft_past() {
                break;
            }
        }
        if !has_looked && self.looks_for_swindles::<G>(lines[0].value) {
            self.find_swindle(root);
            if self.swindle.is_some() {
                self.report(root, depth + selective, &lines[0], 1);
            }
        }
        self.move_to_play(root, moves[0], lines[0].value)
    }

    /// The first move of a swindle if the best move has a lost value, else the best move.
    fn move_to_play<G: Evaluate>(&mut self, root: &G, best: Move, value: Value) -> Move {
        match &self.swindle {
            Some(swindle) if self.plays_for_mistakes::<G>(value, swindle.points) => {
                self.ordering.plan = swindle.plan(root);
                swindle.line()[0]
            }
            _ => best,
        }
    }

    /// The line to show and play with this value of the best line: a swindle if it is lost.
    fn line_to_play<'a, G: Evaluate>(&'a self, best: &'a [Move], value: Value) -> &'a [Move] {
        match &self.swindle {
            Some(swindle) if self.plays_for_mistakes::<G>(value, swindle.points) => swindle.line(),
            _ => best,
        }
    }

    /// MultiPV: one iteration per line. Puts the best moves first, in order of value.
    /// Returns whether the iteration was completed.
    fn search_lines<G: Evaluate>(
        &mut self,
        root: &G,
        moves: &mut [Move],
        depth: u32,
        lines: &mut [RootLine],
    ) -> bool {
        let count = lines.len();
        for index in 0..count {
            self.seldepth = 0;
            self.line_index = index;
            let rest = &mut moves[index..];
            let result = if depth == root.plies_left() && !self.is_selective {
                let previous = self.contempt_free(root, depth, &lines[index]);
                self.solver_iteration(root, rest, previous)
            } else {
                self.aspiration_search(root, rest, depth, lines[index].value)
            };
            let Some(value) = result else {
                return false;
            };
            lines[index] = self.root_line(value);
        }
        if !lines.is_sorted_by_key(|line| Reverse(line.value)) {
            // The table learned from earlier lines, so a later one can score higher.
            let mut order: Vec<usize> = (0..count).collect();
            order.sort_by_key(|&index| Reverse(lines[index].value));
            let (old_lines, old_moves) = (lines.to_vec(), moves[..count].to_vec());
            for (index, &old) in order.iter().enumerate() {
                lines[index].clone_from(&old_lines[old]);
                moves[index] = old_moves[old];
            }
            self.task.observer.publish(&lines[0].moves);
        }
        true
    }

    /// The depth of the last useful iteration, given the limits and the length of the
    /// game.
    fn max_depth<G: Evaluate>(&self, root: &G) -> u32 {
        let limits = &self.task.limits;
        let depth = limits.depth.unwrap_or(MAX_DEPTH);
        let mate = limits
            .mate
            .map_or(MAX_DEPTH, |moves| moves.saturating_mul(2).saturating_sub(1));
        depth.min(mate).min(root.plies_left()).clamp(1, MAX_DEPTH)
    }

    /// The depth of the next iteration: one ply more, or the switch to the solver, which
    /// searches to the end of the game, if it is likely to finish in time, or if it uses the rest
    /// of the nodes better.
    fn next_depth<G: Evaluate>(&self, root: &G, depth: u32, max_depth: u32) -> u32 {
        let plies_left = root.plies_left();
        let cost = G::Root::solver_cost(root);
        let budget = self.node_budget();
        let is_ample = budget.is_none_or(|nodes| nodes / AMPLE_BUDGET >= cost);
        let divisor = if is_ample {
            AMPLE_SOLVER_COST_DIVISOR
        } else {
            SOLVER_COST_DIVISOR
        };
        let is_finished = self.shared_proof.is_some_and(SharedProof::is_finished);
        // With helpers, the proof is under way.
        let enough = is_finished
            || is_ample && self.shared_proof.is_some()
            || self.nodes.saturating_mul(divisor) >= cost;
        let is_prepared = depth >= ITERATIONS_BEFORE_SOLVER
            || depth >= MIN_ITERATIONS_BEFORE_SOLVER && enough
            || G::Root::HAS_OWN_SOLVER && self.helper > 0 && depth >= HELPER_ITERATIONS_BEFORE_SOLVER;
        let is_affordable = is_finished || cost <= self.affordable_nodes();
        let is_useful = is_prepared && is_affordable || self.is_late::<G>(cost);
        if max_depth >= plies_left && is_useful {
            plies_left
        } else {
            depth + 1
        }
    }

    /// Whether the game's own solver should use the rest of the nodes, although it is not likely to
    /// finish. `cost` is its expected cost in nodes.
    fn is_late<G: Evaluate>(&self, cost: u64) -> bool {
        G::Root::HAS_OWN_SOLVER
            && self.node_budget().is_some_and(|nodes| {
                let all = self.nodes.saturating_add(nodes);
                self.nodes.saturating_mul(100) >= all.saturating_mul(LATE_SOLVER_PERCENT)
                    && cost <= nodes.saturating_mul(MAX_LATE_SOLVER_COST)
            })
    }

    /// Whether the game's own solver is likely to finish.
    pub(super) fn is_likely_to_prove<G: Evaluate>(&self, root: &G) -> bool {
        self.node_budget()
            .is_none_or(|nodes| G::Root::solver_cost(root) <= nodes)
    }

    /// Whether the iteration after this depth would reach the end of the game, but is not
    /// likely to finish in time: then the same depth with reductions comes first.
    fn continues_selectively<G: Evaluate>(&self, root: &G, depth: u32) -> bool {
        let budget = self.node_budget().unwrap_or(MAX_UNLIMITED_END_NODES);
        depth + 1 == root.plies_left()
            && self.task.limits.mate.is_none()
            && self.nodes.saturating_mul(END_COST_FACTOR) > budget
    }

    /// The greatest expected cost with which the solver runs, in nodes.
    fn affordable_nodes(&self) -> u64 {
        match self.node_budget() {
            Some(nodes) => nodes.saturating_mul(MAX_SOLVER_COST),
            None => MAX_UNLIMITED_SOLVER_NODES,
        }
    }

    /// Estimate of the nodes that can still be searched: from the node limit, the
    /// deadline and the speed so far. `None` without a node limit or deadline.
    pub(super) fn node_budget(&self) -> Option<u64> {
        let limits = &self.task.limits;
        let by_nodes = limits.nodes.map(|limit| limit.saturating_sub(self.nodes));
        let by_time = limits.deadlines.hard().map(|hard| {
            let now = Instant::now();
            let (spent, left) = (now - self.start, hard.saturating_duration_since(now));
            (self.nodes as f64 * left.as_secs_f64() / spent.as_secs_f64().max(1e-6)) as u64
        });
        by_nodes.into_iter().chain(by_time).min()
    }

    /// Solves the root with null windows, best move first: is it a win; if not, is it a
    /// draw; if not, how long is the loss. A game's own solver asks first whether the root is
    /// lost if the `previous` value is negative (with a limit, if it is below
    /// [`MIN_ATTACK_VALUE`]), or if the nodes are likely to end before both questions are answered.
    /// `None` if stopped.
    fn solver_iteration<G: Evaluate>(
        &mut self,
        root: &G,
        moves: &mut [Move],
        previous: Value,
    ) -> Option<Value> {
        if G::Root::HAS_OWN_SOLVER {
            let least = self.node_budget().map_or(0, |_| MIN_ATTACK_VALUE);
            let attacks = previous >= least && self.is_likely_to_prove(root);
            return self.prove_root(root, moves, attacks);
        }
        let depth = root.plies_left();
        for window in [(0, 1), (-1, 0)] {
            let value = self.search_root(root, moves, depth, window);
            if self.stopped {
                return None;
            }
            if value > window.0 {
                // Search the best move again for its principal variation; the table makes
                // this fast.
                self.search_root(root, &mut moves[..1], depth, window);
                return Some(value);
            }
        }
        let value = self.search_root(root, moves, depth, (-INFINITE, 0));
        (!self.stopped).then_some(value)
    }

    /// One iteration with aspiration windows around the previous value. Puts the best
    /// move first. `None` if stopped; a better move found before that is still first.
    fn aspiration_search<G: Evaluate>(
        &mut self,
        root: &G,
        moves: &mut [Move],
        depth: u32,
        previous: Value,
    ) -> Option<Value> {
        let mut width = self.parameters().aspiration_width;
        let (mut alpha, mut beta) = if depth < ASPIRATION_DEPTH {
            (-INFINITE, INFINITE)
        } else {
            (previous - width, previous + width)
        };
        loop {
            let value = self.search_root(root, moves, depth, (alpha, beta));
            if self.stopped {
                return None;
            }
            width *= ASPIRATION_GROWTH;
            let is_wide = width > MAX_ASPIRATION_WIDTH;
            if value <= alpha {
                alpha = if is_wide { -INFINITE } else { alpha - width };
            } else if value >= beta {
                beta = if is_wide { INFINITE } else { beta + width };
            } else {
                return Some(value);
            }
        }
    }

    /// Searches the root moves in order. A new best move is put first, published and
    /// reported.
    fn search_root<G: Evaluate>(
        &mut self,
        root: &G,
        moves: &mut [Move],
        depth: u32,
        window: (Value, Value),
    ) -> Value {
        let (mut alpha, beta) = window;
        let mut best = -INFINITE;
        for index in 0..moves.len() {
            let mv = moves[index];
            let next = root.play(mv);
            let scout_first = index > 0;
            let penalty = self.repetition_penalty(&next, depth);
            let window = (alpha + penalty, beta + penalty);
            let value = self.child(&next, (depth - 1, 0), 1, window, scout_first);
            if self.stopped {
                break;
            }
            let value = if is_decisive(value) {
                value
            } else {
                value - penalty
            };
            best = best.max(value);
            if value > alpha {
                alpha = value;
                self.update_pv(0, mv);
                moves[..=index].rotate_right(1);
                if self.line_index == 0 {
                    if let Some(shared) = self.shared_proof.filter(|_| self.helper == 0) {
                        shared.set_main_best(mv);
                    }
                    let line = self.line_to_play::<G>(&self.pv[0], value);
                    self.task.observer.publish(line);
                }
                if value >= beta {
                    break;
                }
                if scout_first && self.task.options.multipv == 1 {
                    self.report(root, depth, &self.root_line(value), 1);
                }
            }
        }
        best
    }

    /// See [`REPETITION_PENALTY`]. A search to the end of the game has none: its values are
    /// exact.
    fn repetition_penalty<G: Evaluate>(&self, next: &G, depth: u32) -> Value {
        if depth > next.plies_left() {
            0
        } else {
            REPETITION_PENALTY * self.repetitions(next) as Value
        }
    }

    /// The current principal variation with this value.
    fn root_line(&self, value: Value) -> RootLine {
        RootLine {
            value,
            moves: self.pv[0].clone(),
            seldepth: self.seldepth,
        }
    }

    /// Reports a line to the observer; the best line is number 1.
    fn report<G: Evaluate>(&self, root: &G, depth: u32, line: &RootLine, multipv: usize) {
        // A search to the end of the game evaluates and reduces nothing, so a value of 0
        // is a proven draw.
        let is_solved = depth >= root.plies_left() && !self.is_selective;
        let shown_depth = depth.min(root.plies_left());
        let score = if is_solved && line.value == 0 {
            Score::Draw
        } else {
            Score::from_value(self.contempt_free(root, depth, line))
        };
        self.task.observer.report(Progress {
            multipv,
            depth: shown_depth,
            seldepth: line.seldepth.max(shown_depth),
            score,
            nodes: self.nodes + self.helper_nodes.total(),
            hashfull: Some(self.table.hashfull()),
            line: self.line_to_play::<G>(&line.moves, line.value).to_vec(),
        });
    }

    /// The value of a line without contempt: subtracts what contempt added to the
    /// evaluation of its last position, and adds what its first move lost as a repetition.
    fn contempt_free<G: Evaluate>(&self, root: &G, depth: u32, line: &RootLine) -> Value {
        let first = line.moves.first();
        let penalty = first.map_or(0, |&mv| self.repetition_penalty(&root.play(mv), depth));
        let leaf = line.moves.iter().fold(*root, |position, &mv| position.play(mv));
        if is_decisive(line.value) || leaf.outcome().is_some() {
            return line.value;
        }
        let info = leaf.node_info();
        let [with_contempt, without] = [self.contempt, None].map(|contempt| leaf.evaluate(&info, contempt));
        let contempt = if leaf.side_to_move() == root.side_to_move() {
            with_contempt - without
        } else {
            without - with_contempt
        };
        clamp_eval(line.value - contempt + penalty)
    }
}
