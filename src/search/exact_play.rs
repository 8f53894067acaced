//! Play where the game knows the exact result of every move: no search is needed. Among
//! moves of the same result, the one that gives the opponent most opportunities for
//! mistakes comes first.

use std::cmp::Reverse;
use std::time::Instant;

use super::task::Progress;
use super::thread::SearchThread;
use crate::board::Move;
use crate::game::{Evaluate, ExactMove, RootStrategy};
use crate::score::Score;

/// Rounds of random replies that decide between moves of the same result. Three rounds take
/// too long for 0.1 s a move: 8 moves a position are 2 million positions.
const ROUNDS: u32 = 2;

/// The search waits for exact results until this part of its time is left.
const MIN_REST_DIVISOR: u32 = 4;

impl SearchThread<'_> {
    /// Whether `go mate` asks for a shorter win than one by the end of the game. Exact results
    /// have no distance.
    pub(super) fn asks_for_distance<G: Evaluate>(&self, root: &G) -> bool {
        let mate = self.task.limits.mate;
        mate.is_some_and(|moves| root.plies_left() >= moves.saturating_mul(2))
    }

    /// The best move by exact results, reported; `None` if they are not known. Only the main
    /// thread answers.
    pub(super) fn exact_play<G: Evaluate>(&mut self, root: &G) -> Option<Move> {
        if self.helper > 0 || self.asks_for_distance(root) {
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
        let mut ranked = G::Root::exact_moves(root, &self.task.moves, ROUNDS, &may_go_on)?;
        ranked.sort_by_key(rank);
        self.nodes += ranked.len() as u64;
        let count = self.task.options.multipv.clamp(1, ranked.len());
        for (index, best) in ranked[..count].iter().enumerate() {
            if index == 0 {
                self.task.observer.publish(&[best.mv]);
            }
            let (line, is_whole) = exact_line(root, best.mv, &may_go_on);
            self.report_result(root, index, best.points, (line, is_whole), self.nodes);
        }
        ranked.first().map(|best| best.mv)
    }

    /// Reports the known result of a line of MultiPV, of which the first one has `index` 0, and
    /// whether this line reaches the end of the game.
    pub(super) fn report_result<G: Evaluate>(
        &self,
        root: &G,
        index: usize,
        points: i32,
        (line, is_whole): (Vec<Move>, bool),
        nodes: u64,
    ) {
        if index == 0 {
            self.task.observer.publish(&line);
        }
        self.task.observer.report(Progress {
            multipv: index + 1,
            depth: root.plies_left(),
            seldepth: line.len() as u32,
            score: match points {
                1 => Score::Win(root.plies_left()),
                0 => Score::Draw,
                _ if is_whole => Score::Loss(line.len() as u32),
                _ => Score::Loss(root.plies_left()),
            },
            nodes,
            hashfull: Some(self.table.hashfull()),
            line,
        });
    }
}

/// Sorts the best move first; equal moves stay in their order.
fn rank(exact: &ExactMove) -> Reverse<(i32, i32, i32)> {
    Reverse((exact.points, exact.chance, exact.evaluation))
}

/// A line of best play that begins with `first`, and whether it reaches the end of the game. It
/// ends early when `may_go_on` returns false: the values of a file may have to be read.
fn exact_line<G: Evaluate>(root: &G, first: Move, may_go_on: &dyn Fn() -> bool) -> (Vec<Move>, bool) {
    let mut line = vec![first];
    let mut position = root.play(first);
    loop {
        let moves = position.legal_moves();
        let Some(ranked) = G::Root::exact_moves(&position, &moves, 0, &|| false) else {
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
