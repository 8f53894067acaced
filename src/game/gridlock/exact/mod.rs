//! Exact play with few pieces, for any turn limit.
//!
//! Nothing is ever captured, so a game with one or two pieces a side stays small: the
//! values of all positions are computed backwards from the turn limit ([`layers`]), in
//! memory and on first need. The values are facts of the game, so one copy serves the whole
//! program.

mod layers;
mod placements;

use std::sync::{Mutex, PoisonError};

use self::layers::{ExactValue, Layers};
use super::Gridlock;
use crate::board::{Bitboard, Move};
use crate::game::{Evaluate, ExactMove, Game};

/// The layers for one and two pieces a side; `None` before their first need.
static LAYERS: [Mutex<Option<Layers>>; 2] = [const { Mutex::new(None) }; 2];

/// Points of a win in [`ExactMove::chance`]; a draw counts half.
const WIN_POINTS: i32 = 1000;

/// See [`Evaluate::exact_moves`].
pub fn exact_moves(
    position: &Gridlock,
    moves: &[Move],
    rounds: u32,
    may_go_on: &dyn Fn() -> bool,
) -> Option<Vec<ExactMove>> {
    let pieces = position.pieces[0].count();
    let table = LAYERS.get(pieces.checked_sub(1)? as usize)?;
    let mut table = table.lock().unwrap_or_else(PoisonError::into_inner);
    let layers = table.get_or_insert_with(|| Layers::new(pieces));
    while !layers.covers(position.plies_left()) {
        if !may_go_on() {
            return None;
        }
        layers.extend();
    }
    moves
        .iter()
        .map(|&mv| {
            let next = position.play(mv);
            let value = value(layers, &next)?.reversed();
            Some(ExactMove {
                mv,
                points: value as i32 - ExactValue::Draw as i32,
                chance: chance_after(layers, &next, rounds)?,
                evaluation: -next.evaluate(&(), None),
            })
        })
        .collect()
}

/// The exact value of a position for its side to move; `None` if its layer is missing.
fn value(layers: &Layers, position: &Gridlock) -> Option<ExactValue> {
    let side = position.side_to_move;
    let pieces: [Bitboard; 2] = [side, side.opponent()].map(|side| position.pieces(side));
    layers.value(pieces, position.plies_left())
}

/// The points, in units of 1 / [`WIN_POINTS`], that the side which moved last can expect
/// from an opponent who replies at random for this many rounds. It plays the best
/// move itself, and both sides play perfectly afterwards.
fn chance_after(layers: &Layers, position: &Gridlock, rounds: u32) -> Option<i32> {
    if rounds == 0 || position.outcome().is_some() {
        let value = value(layers, position)?.reversed();
        return Some(WIN_POINTS / 2 * (value as i32 - ExactValue::Loss as i32));
    }
    let replies = position.generate_moves();
    let mut sum = 0;
    for &reply in replies.iter() {
        let next = position.play(reply);
        sum += best_chance(layers, &next, rounds - 1)?;
    }
    Some(sum / replies.len().max(1) as i32)
}

/// As [`chance_after`], for the side to move.
fn best_chance(layers: &Layers, position: &Gridlock, rounds: u32) -> Option<i32> {
    if rounds == 0 || position.outcome().is_some() {
        return Some(WIN_POINTS / 2 * (value(layers, position)? as i32 - ExactValue::Loss as i32));
    }
    let moves = position.generate_moves();
    let nexts = moves.iter().map(|&mv| position.play(mv));
    let values: Vec<(Gridlock, ExactValue)> = nexts
        .map(|next| Some((next, value(layers, &next)?)))
        .collect::<Option<_>>()?;
    let best = values.iter().map(|&(_, value)| value).min()?;
    let kept = values.iter().filter(|&&(_, value)| value == best);
    kept.map(|(next, _)| chance_after(layers, next, rounds)).max()?
}
