//! The course projects' players: alpha-beta of four plies on a simple
//! evaluation, as most students write it.

use crate::board::{Move, Side};
use crate::game::{Evaluate, ReferencePlayer};
use crate::score::Score;
use crate::search::{Progress, Searcher, Task};

/// How deep these players look, in plies.
const DEPTH: u32 = 4;

/// More than any evaluation.
const INFINITE: i32 = i32::MAX;

/// Alpha-beta of fixed depth. It looks one ply deep, then two, up to four, so
/// that it has an answer when time is short; with time enough its move is that
/// of the deepest look alone. Of equals it takes the first.
#[derive(Clone, Copy, Debug)]
pub struct FixedDepth<G: 'static> {
    evaluate: fn(&G) -> i32,
}

impl<G: Evaluate> FixedDepth<G> {
    /// The player that a game describes.
    pub fn new(player: &ReferencePlayer<G>) -> FixedDepth<G> {
        FixedDepth {
            evaluate: player.evaluate,
        }
    }

    /// The evaluation for the side to move.
    fn value(self, position: &G) -> i32 {
        let value = (self.evaluate)(position);
        match position.side_to_move() {
            Side::First => value,
            Side::Second => -value,
        }
    }
}

impl<G: Evaluate> Searcher<G> for FixedDepth<G> {
    fn search(&mut self, root: &G, task: &Task<'_>) -> Move {
        let mut best = task.moves[0];
        task.observer.publish(&[best]);
        let mut look = FixedDepthSearch {
            player: *self,
            task,
            nodes: 0,
            stopped: false,
        };
        for depth in 1..=task.limits.depth.unwrap_or(DEPTH).min(DEPTH) {
            let mut line = Vec::new();
            let value = look.best_of(root, &task.moves, depth, (-INFINITE, INFINITE), &mut line);
            if look.stopped {
                break;
            }
            line.reverse();
            best = line.first().copied().unwrap_or(best);
            task.observer.publish(&line);
            task.observer.report(Progress {
                multipv: 1,
                depth,
                seldepth: depth,
                score: Score::Cp(value),
                nodes: look.nodes,
                hashfull: None,
                line,
            });
        }
        best
    }

    fn new_game(&mut self) {}

    fn evaluate(&self, position: &G) -> Option<i32> {
        Some(self.value(position))
    }
}

/// One search while it runs.
struct FixedDepthSearch<'a, G: 'static> {
    player: FixedDepth<G>,
    task: &'a Task<'a>,
    nodes: u64,
    stopped: bool,
}

impl<G: Evaluate> FixedDepthSearch<'_, G> {
    /// The value of a position for its side to move, and the best line into
    /// `line`, its last move first.
    fn node(&mut self, position: &G, depth: u32, window: (i32, i32), line: &mut Vec<Move>) -> i32 {
        self.nodes += 1;
        self.stopped |= self.task.must_stop_after(self.nodes);
        let moves = position.legal_moves();
        if depth == 0 || moves.is_empty() || self.stopped {
            return self.player.value(position);
        }
        self.best_of(position, &moves, depth, window, line)
    }

    /// The value of the best of `moves`, at least one.
    fn best_of(
        &mut self,
        position: &G,
        moves: &[Move],
        depth: u32,
        (mut alpha, beta): (i32, i32),
        line: &mut Vec<Move>,
    ) -> i32 {
        let mut best = -INFINITE;
        for &mv in moves {
            let mut rest = Vec::new();
            let value = -self.node(&position.play(mv), depth - 1, (-beta, -alpha), &mut rest);
            if self.stopped {
                break;
            }
            if value > best {
                best = value;
                rest.push(mv);
                *line = rest;
            }
            alpha = alpha.max(value);
            if alpha >= beta {
                break;
            }
        }
        best
    }
}
