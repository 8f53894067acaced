//! The reply of an opponent that searches to a small fixed depth with the difference in room,
//! as the course projects do. In lost positions, the search plays for its mistakes.

use super::{Gridlock, MAX_GAIN};
use crate::board::Move;
use crate::game::Game;

/// The search depth in plies, as in the course projects.
const DEPTH: u32 = 4;

/// The value of a finished game, beside the difference in room.
const DECIDED: i32 = 1000;

/// Greater than any value.
const INFINITE: i32 = i32::MAX;

/// The move of the reference player `mobility`: the first one of the greatest value. Adds the
/// positions searched to `nodes`, without the last two plies, which take little time: their
/// values are counted without playing the moves. `None` if the game is over.
pub(super) fn reply(position: &Gridlock, nodes: &mut u64) -> Option<Move> {
    let moves = position.legal_moves();
    let mut order: Vec<(i32, usize)> = (0..moves.len())
        .map(|index| {
            (
                -search(&position.play(moves[index]), 1, -INFINITE, INFINITE, nodes),
                index,
            )
        })
        .collect();
    order.sort_by_key(|&(value, index)| (-value, index));
    let (mut best, mut choice) = (-INFINITE, None);
    for (_, index) in order {
        // An earlier move needs only the same value.
        let alpha = match choice {
            Some(choice) if index < choice => best - 1,
            _ => best,
        };
        let value = -search(&position.play(moves[index]), DEPTH - 1, -INFINITE, -alpha, nodes);
        if value > alpha {
            (best, choice) = (value, Some(index));
        }
    }
    choice.map(|index| moves[index])
}

/// The value of a position for its side to move; alpha-beta, fail-soft.
fn search(position: &Gridlock, depth: u32, mut alpha: i32, beta: i32, nodes: &mut u64) -> i32 {
    *nodes += u64::from(depth > 1);
    let side = position.side_to_move();
    let [own, other] = [side, side.opponent()].map(|side| position.room(side).count() as i32);
    if own == 0 {
        return own - other - DECIDED;
    }
    let difference = own - other;
    match position.plies_left() {
        0 => return DECIDED * difference.signum() + difference,
        1 => {}
        // A move gains little, unless it leaves the opponent no cell.
        _ if depth == 1 && other > 1 && difference + MAX_GAIN as i32 <= alpha => {
            return difference + MAX_GAIN as i32;
        }
        _ => {}
    }
    if depth == 0 {
        return difference;
    }
    let moves = position.generate_moves();
    let mut best = -INFINITE;
    let last_turn = position.plies_left() == 1;
    let mut order = Vec::with_capacity(if depth > 1 { moves.len() } else { 0 });
    position.room_differences(&moves, |mv, [own, other]| {
        let difference = own as i32 - other as i32;
        let value = if other == 0 {
            DECIDED + difference
        } else if last_turn {
            DECIDED * difference.signum() + difference
        } else {
            difference
        };
        best = best.max(value);
        if depth > 1 {
            order.push((-value, mv));
        }
        depth > 1 || best < beta
    });
    if depth == 1 {
        return best;
    }
    order.sort_by_key(|&(value, _)| value);
    best = -INFINITE;
    for (_, mv) in order {
        let value = -search(&position.play(mv), depth - 1, -beta, -alpha, nodes);
        best = best.max(value);
        alpha = alpha.max(value);
        if alpha >= beta {
            break;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Evaluate, Setup};
    use crate::personality::FixedDepth;
    use crate::random::Random;
    use crate::search::{SearchLimits, best_move};

    #[test]
    fn reply_is_the_move_of_mobility() {
        let mut random = Random::new(5);
        let mut mobility = FixedDepth::new(&Gridlock::REFERENCE_PLAYERS[0]);
        for game in 0..24 {
            let setup = Setup {
                pieces: [1, 4, 8, 20][game % 4],
                turns: 7,
            };
            let mut position = Gridlock::random_start(setup, &mut random);
            while let Some(best) = best_move(&mut mobility, &position, SearchLimits::depth(DEPTH)) {
                assert_eq!(reply(&position, &mut 0), Some(best.mv), "{}", position.fen());
                position = position.play(best.mv);
            }
            assert_eq!(reply(&position, &mut 0), None);
        }
    }
}
