//! The reply of an opponent that searches to a small fixed depth with the difference in room,
//! as the course projects do. In lost positions, the search plays for its mistakes.

use lodestone_game::Game;
use lodestone_game::board::Move;
use lodestone_game::gridlock::{Gridlock, MAX_GAIN};

use super::evaluation::best_gain;

/// The search depth in plies, as in the course projects.
const DEPTH: u32 = 4;

/// The value of a finished game, beside the difference in room.
const DECIDED: i32 = 1000;

/// Greater than any value.
const INFINITE: i32 = i32::MAX;

/// The move of the reference player `mobility`: the first one of the greatest value. Adds the
/// positions searched to `nodes`, without the last two plies, which take little time: their
/// values are counted without playing the moves. `None` if the game is over.
pub fn reply(position: &Gridlock, nodes: &mut u64) -> Option<Move> {
    let moves = position.legal_moves();
    let mut children = children(position, &moves);
    for child in &mut children {
        child.value = -search(
            &position.play(child.mv),
            child.rooms,
            1,
            (-INFINITE, INFINITE),
            nodes,
        );
    }
    children.sort_by_key(|child| (-child.value, child.index));
    let (mut best, mut choice) = (-INFINITE, None);
    for Child { mv, index, rooms, .. } in children {
        // An earlier move needs only the same value.
        let alpha = match choice {
            Some((choice, _)) if index < choice => best - 1,
            _ => best,
        };
        let window = (-INFINITE, -alpha);
        let value = -search(&position.play(mv), rooms, DEPTH - 1, window, nodes);
        if value > alpha {
            (best, choice) = (value, Some((index, mv)));
        }
    }
    choice.map(|(_, mv)| mv)
}

/// A move, and the position after it.
struct Child {
    /// The value of the position after the move, if the search ended there, for the side that
    /// moves.
    value: i32,
    /// The number of the move in the list of moves.
    index: usize,
    mv: Move,
    /// The room of both sides after it, that of the side to move there first.
    rooms: [u32; 2],
}

/// The position after each of these legal moves.
fn children(position: &Gridlock, moves: &[Move]) -> Vec<Child> {
    let is_last = position.plies_left() == 1;
    let mut children = Vec::with_capacity(moves.len());
    position.room_differences(moves, |mv, [own, other]| {
        let difference = own as i32 - other as i32;
        children.push(Child {
            value: if other == 0 {
                DECIDED + difference
            } else if is_last {
                DECIDED * difference.signum() + difference
            } else {
                difference
            },
            index: children.len(),
            mv,
            rooms: [other, own],
        });
        true
    });
    children
}

/// The value of a position for its side to move, whose room comes first; alpha-beta, fail-soft.
fn search(position: &Gridlock, rooms: [u32; 2], depth: u32, window: (i32, i32), nodes: &mut u64) -> i32 {
    *nodes += u64::from(depth > 1);
    let [own, other] = rooms.map(|room| room as i32);
    if own == 0 {
        return own - other - DECIDED;
    }
    let (mut alpha, beta) = window;
    let difference = own - other;
    match position.plies_left() {
        0 => return DECIDED * difference.signum() + difference,
        _ if depth == 0 => return difference,
        // A move leaves the opponent no cell only if it has one at most.
        _ if depth > 1 || other <= 1 => {}
        // A move gains little.
        2.. if difference + MAX_GAIN as i32 <= alpha => return difference + MAX_GAIN as i32,
        plies_left => {
            let best = difference + best_gain(position);
            let is_last = plies_left == 1;
            return if is_last {
                DECIDED * best.signum() + best
            } else {
                best
            };
        }
    }
    let mut children = children(position, &position.generate_moves());
    if depth == 1 {
        return children
            .iter()
            .map(|child| child.value)
            .max()
            .unwrap_or(-INFINITE);
    }
    let mut best = -INFINITE;
    // Most often, the first move decides: so they are not sorted.
    while let Some(index) = (0..children.len()).max_by_key(|&index| children[index].value) {
        let Child { mv, rooms, .. } = children.swap_remove(index);
        let value = -search(&position.play(mv), rooms, depth - 1, (-beta, -alpha), nodes);
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
    use lodestone_game::Setup;
    use lodestone_game::random::Random;

    use super::*;
    use crate::personality::FixedDepth;
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
