//! A game's own solver at the root: the result of a position, a move that keeps it, and a
//! line that shows it.

use super::thread::SearchThread;
use crate::board::{Bitboard, Move, Side};
use crate::game::{Evaluate, Forced, Outcome, ProofOrdering, ProofSearch};
use crate::score::{Value, win_in};

/// The line that shows a result costs at most this part of the nodes that proved it ...
const LINE_COST_DIVISOR: u64 = 4;

/// ... and this many nodes more.
const LINE_NODES: u64 = 20_000;

impl ProofSearch for SearchThread<'_> {
    fn enter(&mut self) -> bool {
        if self.stopped || self.must_stop() {
            self.stopped = true;
            return false;
        }
        self.nodes += 1;
        self.table.grow_proofs(self.nodes);
        self.nodes <= self.proof_limit
    }

    fn find(&self, place: u64, tag: impl Fn(Bitboard) -> u64) -> Option<Bitboard> {
        self.table
            .find_proof(place, |cells| tag(Bitboard(cells)))
            .map(Bitboard)
    }

    fn store(&mut self, place: u64, tag: u64, cells: Bitboard, empty: u32) {
        self.table.store_proof(place, tag, cells.0, empty);
    }

    fn ordering(&mut self) -> &mut ProofOrdering {
        &mut self.proof_ordering
    }
}

impl SearchThread<'_> {
    /// Proves the result of an unfinished root by the game's own solver, for these moves: a
    /// win, a draw or a loss, in at most as many plies as are left. Puts a move with this
    /// result first, and the line that it begins into the principal variation. `None` if
    /// stopped; then no move that comes first is proven to lose while another one is not.
    pub(super) fn prove_root<G: Evaluate>(&mut self, root: &G, moves: &mut [Move]) -> Option<Value> {
        let (side, before) = (root.side_to_move(), self.nodes);
        for index in 0..moves.len() {
            if self.is_won(&root.play(moves[index]), side)? {
                moves[..=index].rotate_right(1);
                self.prove_line(root, moves[0], Some(side), self.nodes - before);
                return Some(win_in(last_win(root, side)));
            }
        }
        for _ in 0..moves.len() {
            if !self.is_won(&root.play(moves[0]), side.opponent())? {
                self.prove_line(root, moves[0], None, self.nodes - before);
                return Some(0);
            }
            // The next move may be better; after the last one, all come in the old order.
            moves.rotate_left(1);
            self.publish_line(vec![moves[0]]);
        }
        let winner = side.opponent();
        self.prove_line(root, moves[0], Some(winner), self.nodes - before);
        // A loss is as long as its line, if that reaches the end.
        let end = self.pv[0].iter().fold(*root, |position, &mv| position.play(mv));
        let plies = match end.outcome() {
            Some(_) => self.pv[0].len() as u32,
            None => last_win(root, winner),
        };
        Some(-win_in(plies))
    }

    /// Whether `side` wins a position, which may be finished. `None` if stopped.
    fn is_won<G: Evaluate>(&mut self, position: &G, side: Side) -> Option<bool> {
        match position.outcome() {
            Some(outcome) => Some(is_win(outcome, side)),
            None => position.proves_win(side, self),
        }
    }

    /// Makes the principal variation: `first`, then moves that keep the result, as long as
    /// they are found with few nodes.
    fn prove_line<G: Evaluate>(&mut self, root: &G, first: Move, winner: Option<Side>, nodes: u64) {
        self.proof_limit = self.nodes + nodes / LINE_COST_DIVISOR + LINE_NODES;
        let mut line = vec![first];
        let mut position = root.play(first);
        while let Some(mv) = self.keeping_move(&position, winner) {
            line.push(mv);
            position = position.play(mv);
        }
        self.proof_limit = u64::MAX;
        // The result is proven already, so a stop in between does not matter to it.
        self.publish_line(line);
    }

    /// Makes and publishes the principal variation.
    fn publish_line(&mut self, line: Vec<Move>) {
        if self.line_index == 0 {
            self.task.observer.publish(&line);
        }
        self.pv[0] = line;
    }

    /// A move that keeps the result, the most promising one for a side that has lost. `None`
    /// after the last move, or if the nodes for it are used up.
    fn keeping_move<G: Evaluate>(&mut self, position: &G, winner: Option<Side>) -> Option<Move> {
        if position.outcome().is_some() {
            return None;
        }
        let side = position.side_to_move();
        let info = position.node_info();
        let moves = match position.forced(&info) {
            Forced::Win(mv) | Forced::Only(mv) | Forced::Loss(mv) => return Some(mv),
            Forced::Nothing => position.candidates(&info),
        };
        let mut picker = self.ordering.picker(position, moves, None);
        match winner {
            Some(winner) if winner != side => picker.next(),
            _ => {
                for mv in picker {
                    let next = position.play(mv);
                    let is_kept = match winner {
                        Some(winner) => self.is_won(&next, winner)?,
                        None => !self.is_won(&next, side.opponent())?,
                    };
                    if is_kept {
                        return Some(mv);
                    }
                }
                None
            }
        }
    }
}

fn is_win(outcome: Outcome, side: Side) -> bool {
    outcome.points_for(side) > 0
}

/// The number of plies after which `side` can win at the latest.
fn last_win<G: Evaluate>(root: &G, side: Side) -> u32 {
    let left = root.plies_left();
    // The side to move makes the moves with odd numbers.
    let is_odd = left % 2 == 1;
    if is_odd == (side == root.side_to_move()) {
        left
    } else {
        left.saturating_sub(1)
    }
}
