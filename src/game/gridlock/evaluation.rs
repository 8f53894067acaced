//! The evaluation of Gridlock: room, spare moves, private room. Weights set by hand.

use std::path::Path;

use super::{Gridlock, exact};
use crate::board::{Bitboard, Move, Side};
use crate::game::{Contempt, Evaluate, ExactMove, Game, ReferencePlayer};
use crate::score::{Value, clamp_eval};

/// The value of a cell of room, which decides at the turn limit.
const ROOM: Value = 100;

/// The value of each further move into the same cell: room that another piece still has
/// if one moves away.
const SPARE_MOVE: Value = 8;

/// The value of a cell of room that is not next to an opponent's piece, so the opponent
/// cannot occupy it at once.
const PRIVATE_ROOM: Value = 15;

impl Evaluate for Gridlock {
    type NodeInfo = ();

    const REFERENCE_PLAYERS: &'static [ReferencePlayer<Self>] = &[MOBILITY];

    fn node_info(&self) {}

    fn evaluate(&self, (): &(), _contempt: Option<Contempt>) -> Value {
        let side = self.side_to_move;
        clamp_eval(self.side_value(side) - self.side_value(side.opponent()))
    }

    fn exact_moves(
        &self,
        moves: &[Move],
        rounds: u32,
        may_go_on: &dyn Fn() -> bool,
    ) -> Option<Vec<ExactMove>> {
        exact::exact_moves(self, moves, rounds, may_go_on)
    }

    fn use_table(path: Option<&Path>) -> Result<String, String> {
        exact::use_table(path)
    }

    fn order_hint(&self, mv: Move) -> i32 {
        let next = self.play(mv);
        let mover = self.side_to_move;
        let other = next.room(mover.opponent()).count() as i32;
        let win = if other == 0 { 1000 } else { 0 };
        next.room(mover).count() as i32 - other + win
    }
}

impl Gridlock {
    fn side_value(&self, side: Side) -> Value {
        let room = self.room(side);
        let private = room & !self.room(side.opponent());
        ROOM * room.count() as Value
            + SPARE_MOVE * (self.moves_of(side) - room.count()) as Value
            + PRIVATE_ROOM * private.count() as Value
    }

    /// The number of moves of `side`.
    fn moves_of(&self, side: Side) -> u32 {
        let (pieces, empty) = (self.pieces(side), self.empty());
        let count = |shifted: Bitboard| (shifted & empty).count();
        count(pieces.north()) + count(pieces.south()) + count(pieces.east()) + count(pieces.west())
    }
}

/// The reference player `mobility`: the difference in room, as at the turn limit.
const MOBILITY: ReferencePlayer<Gridlock> = ReferencePlayer {
    name: "mobility",
    evaluate: |position| {
        let decided = position
            .outcome()
            .map_or(0, |outcome| outcome.points_for(Side::First));
        let [first, second] = Side::BOTH.map(|side| position.room(side).count() as i32);
        decided * 1000 + first - second
    },
};
