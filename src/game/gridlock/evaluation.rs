//! What the search needs to know about Gridlock.

use super::features::Features;
use super::network::NETWORK;
use super::{Gridlock, MAX_GAIN};
use crate::board::{Move, Side};
use crate::game::{Contempt, Evaluate, Forced, Game, ReferencePlayer};
use crate::random::mix;
use crate::score::Value;

impl Evaluate for Gridlock {
    type NodeInfo = ();

    const REFERENCE_PLAYERS: &'static [ReferencePlayer<Self>] = &[MOBILITY];

    fn node_info(&self) {}

    /// A move wins at once if it takes the opponent's last cell, and the cell it leaves does
    /// not help the opponent.
    fn forced(&self, (): &()) -> Forced {
        let mover = self.side_to_move;
        let last = self.room(mover.opponent());
        if last.count() != 1 {
            return Forced::Nothing;
        }
        let beside_other = self.pieces(mover.opponent()).neighbours();
        let helpers = self.pieces(mover) & last.neighbours() & !beside_other;
        match (helpers.first(), last.first()) {
            (Some(from), Some(to)) => Forced::Win(Move::slide(from, to)),
            _ => Forced::Nothing,
        }
    }

    fn repetition_key(&self) -> Option<u64> {
        let [first, second] = self.pieces.map(|pieces| pieces.0);
        Some(mix(first ^ mix(second << 1 | self.side_to_move as u64)))
    }

    /// The sign of the own room minus the opponent's after the best move.
    fn last_move_points(&self) -> Option<i32> {
        if self.plies_left() != 1 {
            return None;
        }
        let mover = self.side_to_move;
        let [own, other] = [mover, mover.opponent()].map(|side| self.room(side).count());
        if own + MAX_GAIN < other {
            return Some(-1);
        }
        let difference = own as i32 - other as i32;
        Some((difference + self.best_gain()).signum())
    }

    fn evaluate(&self, (): &(), _contempt: Option<Contempt>) -> Value {
        NETWORK.evaluate(&Features::of(self))
    }

    fn order_hint(&self, mv: Move) -> i32 {
        let mut hint = 0;
        self.order_hints(&[mv], |_, value| hint = value);
        hint
    }

    fn order_hints(&self, moves: &[Move], mut visit: impl FnMut(Move, i32)) {
        self.room_differences(moves, |mv, [own, other]| {
            let win = if other == 0 { 1000 } else { 0 };
            visit(mv, own as i32 - other as i32 + win);
            true
        });
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Setup;
    use crate::random::Random;

    /// Random positions with this many turns left, either side to move.
    fn positions(turns: u32) -> impl Iterator<Item = Gridlock> {
        let mut random = Random::new(6);
        std::iter::repeat_with(move || {
            let pieces = 1 + random.below(24) as u32;
            let start = Gridlock::random_start(
                Setup {
                    pieces,
                    turns: turns + 1,
                },
                &mut random,
            );
            let moves = start.generate_moves();
            start.play(*random.choose(&moves).unwrap_or(&moves[0]))
        })
        .filter(|position| position.outcome().is_none())
    }

    #[test]
    fn last_move_is_the_best_result_of_all_moves() {
        let mut seen = [0; 3];
        for position in positions(1).take(3000) {
            let side = position.side_to_move();
            let after = |mv| {
                position
                    .play(mv)
                    .outcome()
                    .map(|outcome| outcome.points_for(side))
            };
            let moves = position.legal_moves();
            let best = moves.iter().filter_map(|&mv| after(mv)).max();
            assert_eq!(position.last_move_points(), best, "{}", position.fen());
            seen[(best.unwrap() + 1) as usize] += 1;
        }
        assert!(seen.iter().all(|&count| count > 50), "{seen:?}");
    }

    #[test]
    fn forced_is_a_move_that_leaves_the_opponent_no_move() {
        let (mut wins, mut others) = (0, 0);
        for position in positions(9).take(20_000) {
            let wins_at_once = |mv: Move| position.play(mv).outcome().is_some();
            let has_win = position.legal_moves().iter().any(|&mv| wins_at_once(mv));
            if let Forced::Win(mv) = position.forced(&()) {
                let moves = position.legal_moves();
                assert!(moves.contains(&mv) && wins_at_once(mv), "{}", position.fen());
                wins += 1;
            } else {
                assert!(!has_win, "{}", position.fen());
                others += 1;
            }
        }
        assert!(wins > 50 && others > 50, "{wins} wins, {others} others");
    }

    #[test]
    fn hints_and_rooms_are_those_after_the_move() {
        for position in positions(9).take(300) {
            let side = position.side_to_move();
            let moves = position.legal_moves();
            let mut visited = Vec::new();
            position.room_differences(&moves, |mv, rooms| {
                let next = position.play(mv);
                assert_eq!(rooms, [side, side.opponent()].map(|side| next.room(side).count()));
                visited.push(mv);
                true
            });
            assert_eq!(visited, moves.to_vec());
        }
    }
}
