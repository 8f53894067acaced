//! The reference players: alpha-beta of depth 4 with a simple evaluation, as in the course
//! projects.

use lodestone_game::ReferencePlayer;
use lodestone_game::board::{Move, Side};
use lodestone_game::score::Score;

use crate::game::Evaluate;
use crate::search::{Progress, Searcher, Task};

/// The search depth in plies, as in the course projects.
const DEPTH: u32 = 4;

/// Greater than any evaluation.
const INFINITE: i32 = i32::MAX;

/// Alpha-beta of fixed depth. Iterates over depths 1 to 4, so that it always has a move;
/// given enough time, its move is that of the search to depth 4. Of equal moves it plays
/// the first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FixedDepth<G: 'static> {
    evaluate: fn(&G) -> i32,
}

impl<G: Evaluate> FixedDepth<G> {
    /// A player with this evaluation.
    pub(crate) fn new(player: &ReferencePlayer<G>) -> FixedDepth<G> {
        FixedDepth {
            evaluate: player.evaluate,
        }
    }

    /// The evaluation from the side to move's point of view.
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
        let mut search = FixedDepthSearch {
            player: *self,
            task,
            nodes: 0,
            stopped: false,
        };
        for depth in 1..=task.limits.depth.unwrap_or(DEPTH).min(DEPTH) {
            let mut line = Vec::new();
            let value = search.best_of(root, &task.moves, depth, (-INFINITE, INFINITE), &mut line);
            if search.stopped {
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
                nodes: search.nodes,
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

/// The state of one search.
struct FixedDepthSearch<'a, G: 'static> {
    player: FixedDepth<G>,
    task: &'a Task<'a>,
    nodes: u64,
    stopped: bool,
}

impl<G: Evaluate> FixedDepthSearch<'_, G> {
    /// The value of a position for its side to move. Writes the principal variation to
    /// `line`, last move first.
    fn node(&mut self, position: &G, depth: u32, window: (i32, i32), line: &mut Vec<Move>) -> i32 {
        self.nodes += 1;
        self.stopped |= self.task.must_stop_after(self.nodes);
        let moves = position.legal_moves();
        if depth == 0 || moves.is_empty() || self.stopped {
            return self.player.value(position);
        }
        self.best_of(position, &moves, depth, window, line)
    }

    /// The value of the best of `moves`, which are not empty; `line` as in
    /// [`node`](Self::node).
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
