//! What happens at the root: deeper and deeper iterations, the leap to the exact
//! result where it is near, and what the observer hears.

use std::cmp::Reverse;
use std::time::Instant;

use super::task::Progress;
use super::thread::{DEEPEST, SearchThread};
use crate::board::Move;
use crate::game::Evaluate;
use crate::score::{INFINITE, Score, Value, clamp_eval, is_decisive};

/// A window around the last iteration's value is opened from this depth on.
const ASPIRATION_DEPTH: u32 = 4;

/// Half the width of the first such window.
const ASPIRATION_WIDTH: Value = 24;

/// Iterations before the one that goes to the end of the game: they bring the
/// moves into a good order, and in a tie it is their order that decides.
const PREPARATION: u32 = 14;

/// Fewer iterations are enough, but not fewer than this, ...
const SHORT_PREPARATION: u32 = 10;

/// ... once they have taken this part of what the exact search is expected to take.
const PREPARATION_SHARE: u64 = 4;

/// An exact search that is expected to need no more positions than this is made
/// even where nothing bounds the search.
const UNBOUNDED_EXACT: u64 = 20_000_000;

/// One of the best lines of a position, as an iteration found it.
#[derive(Clone, Debug, Default)]
struct Line {
    value: Value,
    moves: Vec<Move>,
    seldepth: u32,
}

impl SearchThread<'_> {
    /// Searches deeper and deeper until a bound is reached or nothing is left
    /// to find out.
    pub(super) fn iterate<G: Evaluate>(&mut self, root: &G) -> Move {
        let known = self.table.probe(root.table_key()).and_then(|entry| entry.best);
        let mut moves: Vec<Move> = self.ordering.rank(root, self.task.moves.clone(), known).collect();
        self.task.observer.publish(&moves[..1]);
        let deadlines = &self.task.limits.deadlines;
        let deepest = self.deepest(root);
        let mut lines = vec![Line::default(); self.task.options.multipv.clamp(1, moves.len())];
        // Helpers that begin at different depths get into each other's way less.
        let mut depth = self.helper % 2;
        while depth < deepest {
            depth = self.next_depth(root, depth, deepest);
            if !self.find_lines(root, &mut moves, depth, &mut lines) {
                break;
            }
            for (place, line) in lines.iter().enumerate() {
                self.report(root, depth, line, place + 1);
            }
            let decided = lines.iter().all(|line| is_decisive(line.value));
            let single = moves.len() == 1 && deadlines.hard().is_some();
            if decided || single || deadlines.is_soft_past() {
                break;
            }
        }
        moves[0]
    }

    /// One iteration for each of the lines: searches the moves at the root to
    /// `depth` and puts the best ones first, in order. Whether it came to its
    /// end.
    fn find_lines<G: Evaluate>(
        &mut self,
        root: &G,
        moves: &mut [Move],
        depth: u32,
        lines: &mut [Line],
    ) -> bool {
        let count = lines.len();
        for place in 0..count {
            self.seldepth = 0;
            self.place = place;
            let rest = &mut moves[place..];
            let found = if depth == root.plies_left() {
                self.exact_iteration(root, rest)
            } else {
                self.iteration(root, rest, depth, lines[place].value)
            };
            let Some(value) = found else {
                return false;
            };
            lines[place] = self.found(value);
        }
        if !lines.is_sorted_by_key(|line| Reverse(line.value)) {
            // What was learned of the first lines may have made a later one
            // better than they are.
            let mut order: Vec<usize> = (0..count).collect();
            order.sort_by_key(|&place| Reverse(lines[place].value));
            let (old_lines, old_moves) = (lines.to_vec(), moves[..count].to_vec());
            for (place, &old) in order.iter().enumerate() {
                lines[place].clone_from(&old_lines[old]);
                moves[place] = old_moves[old];
            }
            self.task.observer.publish(&lines[0].moves);
        }
        true
    }

    /// The depth of the last iteration that can find out anything that was
    /// asked for.
    fn deepest<G: Evaluate>(&self, root: &G) -> u32 {
        let limits = &self.task.limits;
        let asked = limits.depth.unwrap_or(DEEPEST);
        let mate = limits
            .mate
            .map_or(DEEPEST, |moves| moves.saturating_mul(2).saturating_sub(1));
        asked.min(mate).min(root.plies_left()).clamp(1, DEEPEST)
    }

    /// The depth of the iteration after one of `depth`: one more, or all the
    /// way to the end of the longest game, where that is likely to be done in
    /// time.
    fn next_depth<G: Evaluate>(&self, root: &G, depth: u32, deepest: u32) -> u32 {
        let end = root.plies_left();
        let cost = root.solver_cost();
        let prepared = depth >= PREPARATION
            || depth >= SHORT_PREPARATION && self.nodes.saturating_mul(PREPARATION_SHARE) >= cost;
        if prepared && deepest >= end && cost <= self.affordable() {
            end
        } else {
            depth + 1
        }
    }

    /// How many positions can still be searched, as far as the bounds and the
    /// speed until now tell.
    fn affordable(&self) -> u64 {
        let limits = &self.task.limits;
        let by_nodes = limits.nodes.map(|most| most.saturating_sub(self.nodes));
        let by_time = limits.deadlines.hard().map(|hard| {
            let now = Instant::now();
            let (spent, left) = (now - self.begin, hard.saturating_duration_since(now));
            (self.nodes as f64 * left.as_secs_f64() / spent.as_secs_f64().max(1e-6)) as u64
        });
        by_nodes
            .into_iter()
            .chain(by_time)
            .min()
            .unwrap_or(UNBOUNDED_EXACT)
    }

    /// The exact result, searched to the end of the longest game, best move
    /// first: is it a win; if not, at least a tie; if not, how long does it
    /// last. `None` if it had to stop.
    fn exact_iteration<G: Evaluate>(&mut self, root: &G, moves: &mut [Move]) -> Option<Value> {
        let depth = root.plies_left();
        for window in [(0, 1), (-1, 0)] {
            let value = self.root(root, moves, depth, window);
            if self.stopped {
                return None;
            }
            if value > window.0 {
                // Once more for the line, which the table makes short work of.
                self.root(root, &mut moves[..1], depth, window);
                return Some(value);
            }
        }
        let value = self.root(root, moves, depth, (-INFINITE, 0));
        (!self.stopped).then_some(value)
    }

    /// One iteration: searches the moves at the root to `depth` and puts the
    /// best one first. `None` if it had to stop; a better move that was found
    /// until then stands first all the same.
    fn iteration<G: Evaluate>(
        &mut self,
        root: &G,
        moves: &mut [Move],
        depth: u32,
        last: Value,
    ) -> Option<Value> {
        let mut width = ASPIRATION_WIDTH;
        let (mut alpha, mut beta) = if depth < ASPIRATION_DEPTH {
            (-INFINITE, INFINITE)
        } else {
            (last - width, last + width)
        };
        loop {
            let value = self.root(root, moves, depth, (alpha, beta));
            if self.stopped {
                return None;
            }
            width *= 4;
            if value <= alpha {
                alpha = if width > 1000 { -INFINITE } else { alpha - width };
            } else if value >= beta {
                beta = if width > 1000 { INFINITE } else { beta + width };
            } else {
                return Some(value);
            }
        }
    }

    /// Searches the moves at the root in their order. A move that is better
    /// than those before it is put first, published and reported.
    fn root<G: Evaluate>(
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
            let late = index > 0;
            let value = self.child(&next, (depth - 1, 0), 1, (alpha, beta), late);
            if self.stopped {
                break;
            }
            best = best.max(value);
            if value > alpha {
                alpha = value;
                self.extend_line(0, mv);
                moves[..=index].rotate_right(1);
                if self.place == 0 {
                    self.task.observer.publish(&self.lines[0]);
                }
                if value >= beta {
                    break;
                }
                if late && self.task.options.multipv == 1 {
                    self.report(root, depth, &self.found(value), 1);
                }
            }
        }
        best
    }

    /// The line that was found last, with its value.
    fn found(&self, value: Value) -> Line {
        Line {
            value,
            moves: self.lines[0].clone(),
            seldepth: self.seldepth,
        }
    }

    /// Tells the observer how far the search has come with one of the lines,
    /// the best being number 1.
    fn report<G: Evaluate>(&self, root: &G, depth: u32, line: &Line, multipv: usize) {
        // Nothing was judged or reduced when the search reached the end of the
        // longest game, so that even a tie is proven.
        let exhaustive = depth >= root.plies_left();
        let score = if exhaustive && line.value == 0 {
            Score::Draw
        } else {
            Score::from_value(self.contempt_free(root, line))
        };
        self.task.observer.report(Progress {
            multipv,
            depth,
            seldepth: line.seldepth.max(depth),
            score,
            nodes: self.nodes + self.helped.total(),
            hashfull: Some(self.table.fullness()),
            line: line.moves.clone(),
        });
    }

    /// The value of a line, as it is between equals.
    fn contempt_free<G: Evaluate>(&self, root: &G, line: &Line) -> Value {
        let leaf = line.moves.iter().fold(*root, |position, &mv| position.play(mv));
        if is_decisive(line.value) || leaf.outcome().is_some() {
            return line.value;
        }
        let info = leaf.node_info();
        let [hopeful, sober] = [self.contempt, None].map(|contempt| leaf.evaluate(&info, contempt));
        let hope = if leaf.side_to_move() == root.side_to_move() {
            hopeful - sober
        } else {
            sober - hopeful
        };
        clamp_eval(line.value - hope)
    }
}
