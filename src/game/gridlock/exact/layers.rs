//! Exact values by turns left, in memory. Layer `t` holds the value of every position with
//! `t` turns left; it follows from layer `t - 1` alone. So when a layer equals an earlier one,
//! all further layers repeat with that period, and a few layers answer every turn limit.

use super::layer::{ExactValue, Followers, Layer};
use super::positions::Positions;
use crate::board::Bitboard;

/// The exact values of all positions with a fixed number of pieces, as far as they are
/// computed.
pub struct Layers {
    positions: Positions,
    followers: Followers,
    /// By turns left, from 0.
    by_turns: Vec<Layer>,
    /// The layer that follows the last one, once the layers repeat.
    repeats_at: Option<usize>,
}

impl Layers {
    /// No layers yet, for 1 to 3 pieces a side.
    pub(crate) fn new(pieces: u32) -> Layers {
        let positions = Positions::new(pieces);
        Layers {
            followers: Followers::new(&positions),
            positions,
            by_turns: Vec::new(),
            repeats_at: None,
        }
    }

    /// Whether the values for this many turns left are known.
    pub(crate) fn covers(&self, turns_left: u32) -> bool {
        self.layer_index(turns_left).is_some()
    }

    /// Turns left after which the values repeat, and the period; `None` until it is found.
    #[cfg(test)]
    pub(crate) fn period(&self) -> Option<(usize, usize)> {
        self.repeats_at.map(|start| (start, self.by_turns.len() - start))
    }

    /// Computes the next layer. Does nothing once the layers repeat.
    pub(crate) fn extend(&mut self) {
        if self.repeats_at.is_some() {
            return;
        }
        let layer = match self.by_turns.last() {
            Some(last) => last.next(&self.positions, &self.followers, 1),
            None => Layer::first(&self.positions, 1),
        };
        self.repeats_at = self.by_turns.iter().position(|earlier| *earlier == layer);
        if self.repeats_at.is_none() {
            self.by_turns.push(layer);
        }
    }

    /// The value of a position; `None` if its layer is not computed yet. `pieces` are those of
    /// the side to move, then the opponent's.
    pub(crate) fn value(&self, [own, other]: [Bitboard; 2], turns_left: u32) -> Option<ExactValue> {
        let layer = &self.by_turns[self.layer_index(turns_left)?];
        Some(layer.value(&self.positions, self.positions.index(own, other)))
    }

    fn layer_index(&self, turns_left: u32) -> Option<usize> {
        let (turns, count) = (turns_left as usize, self.by_turns.len());
        match self.repeats_at {
            _ if turns < count => Some(turns),
            Some(start) => Some(start + (turns - start) % (count - start)),
            None => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Side;
    use crate::game::gridlock::Gridlock;
    use crate::game::{Game, Setup};
    use crate::random::Random;

    /// Plain minimax.
    fn minimax(position: &Gridlock) -> ExactValue {
        if let Some(outcome) = position.outcome() {
            return match outcome.points_for(position.side_to_move()) {
                1 => ExactValue::Win,
                0 => ExactValue::Draw,
                _ => ExactValue::Loss,
            };
        }
        let moves = position.generate_moves();
        let values = moves.iter().map(|&mv| minimax(&position.play(mv)));
        values.min().map_or(ExactValue::Loss, ExactValue::reversed)
    }

    fn value(layers: &Layers, position: &Gridlock) -> Option<ExactValue> {
        let side = position.side_to_move();
        let pieces = [side, side.opponent()].map(|side| position.pieces(side));
        layers.value(pieces, position.plies_left())
    }

    #[test]
    fn agrees_with_minimax() {
        let mut random = Random::new(7);
        let mut seen = [0; 3];
        for (pieces, turns) in [(1, 9), (2, 5u32)] {
            let mut layers = Layers::new(pieces);
            for _ in 0..=turns {
                layers.extend();
            }
            for _ in 0..400 {
                let setup = Setup {
                    pieces,
                    turns: 1 + random.below(u64::from(turns)) as u32,
                };
                let start = Gridlock::random_start(setup, &mut random);
                let after = start.play(start.generate_moves()[0]);
                for position in [start, after] {
                    let expected = minimax(&position);
                    assert_eq!(value(&layers, &position), Some(expected), "{}", position.fen());
                    seen[expected as usize - 1] += 1;
                }
            }
        }
        assert!(seen.iter().all(|&count| count > 20), "{seen:?}");
    }

    #[test]
    fn layers_repeat() {
        // The figures of the table in `docs/gridlock.md`.
        for (pieces, period) in [(1, (4, 1)), (2, (34, 4))] {
            let mut layers = Layers::new(pieces);
            while layers.period().is_none() {
                layers.extend();
            }
            assert_eq!(layers.period(), Some(period));
            assert!(layers.covers(1000));
        }
    }

    #[test]
    fn a_period_answers_every_turn_limit() {
        let mut layers = Layers::new(2);
        let mut random = Random::new(3);
        let starts: Vec<Gridlock> = (0..100)
            .map(|_| Gridlock::random_start(Setup { pieces: 2, turns: 40 }, &mut random))
            .collect();
        while layers.period().is_none() {
            layers.extend();
        }
        // A layer beyond those that are stored, one step of minimax from its predecessor.
        for start in starts {
            let pieces = Side::BOTH.map(|side| start.pieces(side));
            for turns in [38, 39, 61, 200, 999] {
                let children = start.generate_moves();
                let values = children.iter().map(|&mv| {
                    let next = start.play(mv);
                    let pieces = [Side::Second, Side::First].map(|side| next.pieces(side));
                    layers.value(pieces, turns - 1)
                });
                let best = values.min().flatten().map(ExactValue::reversed);
                assert_eq!(layers.value(pieces, turns), best, "{} {turns}", start.fen());
            }
        }
    }
}
