//! Root search: iterative deepening, aspiration windows, MultiPV, reporting.

use std::cmp::Reverse;

use lodestone_game::board::Move;
use lodestone_game::score::{INFINITE, Score, Value, clamp_eval, is_decisive};

use super::task::Progress;
use super::thread::{MAX_DEPTH, RootLine, RootState, RootStrategy, SearchThread};

/// Aspiration windows are used from this depth on, in plies. Worth 7 ± 6 Elo
/// (`research/notes/magnetic-cave.md`).
const ASPIRATION_DEPTH: u32 = 4;

/// A window that failed is widened by this factor.
const ASPIRATION_GROWTH: Value = 4;

/// A half width beyond which the window is opened completely.
const MAX_ASPIRATION_WIDTH: Value = 1000;

/// What a move loses at the root for each time that the position after it occurred in the
/// game: a repetition is no progress.
const REPETITION_PENALTY: Value = 12;

impl<G: RootStrategy> SearchThread<'_, G> {
    /// Iterative deepening from the first iteration, or from the interrupted one. Returns
    /// the best move when a limit is reached or the result is final. A pause leaves the
    /// state in `paused`.
    pub(super) fn iterate(&mut self, paused: &mut Option<RootState>) -> Move {
        if let Some(state) = paused.take() {
            (self.nodes, self.start) = (state.nodes, state.start);
            return self.deepen(state, paused);
        }
        let root = self.root;
        let table_move = self.table.probe(root.table_key()).and_then(|entry| entry.best);
        let picker = self.ordering.picker(&root, self.task.moves.clone(), table_move);
        let moves: Vec<Move> = picker.collect();
        self.task.observer.publish(&moves[..1]);
        if let Some(best) = G::begin(self) {
            return best;
        }
        let state = RootState {
            lines: vec![RootLine::default(); self.task.options.multipv.clamp(1, moves.len())],
            moves,
            // Lazy SMP: helpers start at different depths, so they duplicate less work.
            depth: self.helper % 2,
            selective: 0,
            max_depth: self.max_depth(),
            is_interrupted: false,
            nodes: 0,
            start: self.start,
        };
        self.deepen(state, paused)
    }

    /// The iterations, beginning with that of the state if it was interrupted, else with the next
    /// one.
    fn deepen(&mut self, mut state: RootState, paused: &mut Option<RootState>) -> Move {
        let deadlines = &self.task.limits.deadlines;
        while state.is_interrupted || state.depth < state.max_depth {
            if !state.is_interrupted
                && let Some(best) = G::next_iteration(self, &mut state)
            {
                return best;
            }
            // The strategy may have been interrupted.
            state.is_interrupted = !self.stopped;
            self.is_selective = state.selective > 0;
            if self.stopped || !self.search_lines(&mut state) {
                let best = G::finish(self, &state);
                if self.task.is_paused() {
                    state.nodes = self.nodes;
                    *paused = Some(state);
                }
                return best;
            }
            state.is_interrupted = false;
            G::after_iteration(self, &state);
            let is_proven = state.lines.iter().all(|line| is_decisive(line.value));
            let is_only_move =
                state.moves.len() == 1 && deadlines.hard().is_some() && G::may_play_only_move(self);
            if is_proven || is_only_move || deadlines.is_soft_past() {
                break;
            }
        }
        G::finish(self, &state)
    }

    /// MultiPV: one iteration per line. Puts the best moves first, in order of value.
    /// Returns whether the iteration was completed.
    fn search_lines(&mut self, state: &mut RootState) -> bool {
        let depth = state.depth + state.selective;
        let RootState { moves, lines, .. } = state;
        let count = lines.len();
        for index in 0..count {
            self.seldepth = 0;
            self.line_index = index;
            let rest = &mut moves[index..];
            let result = if depth == self.root.plies_left() && !self.is_selective {
                let previous = self.contempt_free(&lines[index]);
                G::solve(self, rest, previous)
            } else {
                self.aspiration_search(rest, depth, lines[index].value)
            };
            let Some(value) = result else {
                return false;
            };
            let line = self.root_line(value, depth);
            let is_new_best = index == 0 && line.moves.first() != lines[0].moves.first();
            put_line(lines, index, line);
            if index == 0 && self.task.options.multipv > 1 {
                self.task.observer.publish(&lines[0].moves);
                if is_new_best {
                    // The search may stop before all lines are known.
                    self.report_lines(lines);
                }
            }
        }
        if !lines.is_sorted_by_key(|line| Reverse(line.value)) {
            // The table learned from earlier lines, so a later one can score higher.
            let mut order: Vec<usize> = (0..count).collect();
            order.sort_by_key(|&index| Reverse(lines[index].value));
            let (old_lines, old_moves) = (lines.clone(), moves[..count].to_vec());
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
    fn max_depth(&self) -> u32 {
        let limits = &self.task.limits;
        let depth = limits.depth.unwrap_or(MAX_DEPTH);
        let mate = limits
            .mate
            .map_or(MAX_DEPTH, |moves| moves.saturating_mul(2).saturating_sub(1));
        depth.min(mate).min(self.root.plies_left()).clamp(1, MAX_DEPTH)
    }

    /// Solves the root with null windows, best move first: is it a win; if not, is it a
    /// draw; if not, how long is the loss. `None` if stopped.
    pub(super) fn solve_root(&mut self, moves: &mut [Move]) -> Option<Value> {
        let depth = self.root.plies_left();
        for window in [(0, 1), (-1, 0)] {
            let value = self.search_root(moves, depth, window);
            if self.stopped {
                return None;
            }
            if value > window.0 {
                // Search the best move again for its principal variation; the table makes
                // this fast.
                self.search_root(&mut moves[..1], depth, window);
                return Some(value);
            }
        }
        let value = self.search_root(moves, depth, (-INFINITE, 0));
        (!self.stopped).then_some(value)
    }

    /// One iteration with aspiration windows around the previous value. Puts the best
    /// move first. `None` if stopped; a better move found before that is still first.
    fn aspiration_search(&mut self, moves: &mut [Move], depth: u32, previous: Value) -> Option<Value> {
        let mut width = self.parameters().aspiration_width;
        let (mut alpha, mut beta) = if depth < ASPIRATION_DEPTH {
            (-INFINITE, INFINITE)
        } else {
            (previous - width, previous + width)
        };
        loop {
            let value = self.search_root(moves, depth, (alpha, beta));
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

    /// Searches the root moves in order. A new best move is put first; without MultiPV, it is published
    /// and reported.
    fn search_root(&mut self, moves: &mut [Move], depth: u32, window: (Value, Value)) -> Value {
        let (mut alpha, beta) = window;
        let mut best = -INFINITE;
        for index in 0..moves.len() {
            let mv = moves[index];
            let next = self.root.play(mv);
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
                    if self.helper == 0 {
                        self.team.set_main_best(mv);
                    }
                    if self.task.options.multipv == 1 {
                        self.task.observer.publish(G::line(self, &self.pv[0], value));
                    }
                }
                if value >= beta {
                    break;
                }
                if scout_first && self.task.options.multipv == 1 {
                    self.report(&self.root_line(value, depth), 1);
                }
            }
        }
        best
    }

    /// See [`REPETITION_PENALTY`]. A search to the end of the game has none: its values are
    /// exact.
    fn repetition_penalty(&self, next: &G, depth: u32) -> Value {
        if depth > next.plies_left() {
            0
        } else {
            REPETITION_PENALTY * self.repetitions(next) as Value
        }
    }

    /// The current principal variation with this value.
    fn root_line(&self, value: Value, depth: u32) -> RootLine {
        RootLine {
            value,
            moves: self.pv[0].clone(),
            depth,
            is_solved: depth >= self.root.plies_left() && !self.is_selective,
            seldepth: self.seldepth,
        }
    }

    /// Reports the lines that are known.
    pub(crate) fn report_lines(&self, lines: &[RootLine]) {
        let known = lines.iter().filter(|line| !line.moves.is_empty());
        for (line, number) in known.zip(1..) {
            self.report(line, number);
        }
    }

    /// Reports a line to the observer; the best line is number 1.
    pub(crate) fn report(&self, line: &RootLine, multipv: usize) {
        let shown_depth = line.depth.min(self.root.plies_left());
        let score = if line.is_solved && line.value == 0 {
            Score::Draw
        } else {
            Score::from_value(self.contempt_free(line))
        };
        self.task.observer.report(Progress {
            multipv,
            depth: shown_depth,
            seldepth: line.seldepth.max(shown_depth),
            score,
            nodes: self.nodes + self.team.helper_nodes(),
            hashfull: Some(self.table.hashfull()),
            line: G::line(self, &line.moves, line.value).to_vec(),
        });
    }

    /// The value of a line without contempt: subtracts what contempt added to the
    /// evaluation of its last position, and adds what its first move lost as a repetition.
    fn contempt_free(&self, line: &RootLine) -> Value {
        let root = self.root;
        let first = line.moves.first();
        let penalty = first.map_or(0, |&mv| self.repetition_penalty(&root.play(mv), line.depth));
        let leaf = line.moves.iter().fold(root, |position, &mv| position.play(mv));
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

/// Puts a new line of MultiPV at this rank. The lines behind it, of the last iteration, move down, without
/// one that begins with the same move.
fn put_line(lines: &mut [RootLine], rank: usize, line: RootLine) {
    let is_same = |old: &RootLine| old.moves.first() == line.moves.first();
    let old = lines[rank..].iter().position(is_same);
    let last = old.map_or(lines.len() - 1, |old| rank + old);
    lines[rank..=last].rotate_right(1);
    lines[rank] = line;
}

#[cfg(test)]
mod tests {
    use lodestone_game::Game;
    use lodestone_game::magnetic_cave::MagneticCave;

    use super::*;

    #[test]
    fn a_move_begins_one_line_only() {
        let moves = MagneticCave::startpos().legal_moves();
        let line = |number: usize, value| RootLine {
            value,
            moves: vec![moves[number]],
            ..RootLine::default()
        };
        let mut lines = [line(0, 30), line(1, 20), line(2, 10)];
        put_line(&mut lines, 0, line(1, 40));
        let found: Vec<(Move, Value)> = lines.iter().map(|line| (line.moves[0], line.value)).collect();
        assert_eq!(found, [(moves[1], 40), (moves[0], 30), (moves[2], 10)]);
        // A new move drives out the last line.
        put_line(&mut lines, 1, line(3, 35));
        let found: Vec<Move> = lines.iter().map(|line| line.moves[0]).collect();
        assert_eq!(found, [moves[1], moves[3], moves[0]]);
    }
}
