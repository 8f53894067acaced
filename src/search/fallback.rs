//! What to play before there was time to search: on a busy machine an answer can be
//! due before the thread that searches has run at all.

use crate::board::Move;
use crate::game::{Evaluate, Forced};
use crate::score::{Value, win_in};

/// The first of the best of `moves`, as far as it shows without search: one that wins,
/// or does not lose to the next two plies, and the best judged of these. `None` where
/// there are none. It takes a few microseconds.
pub fn fallback_move<G: Evaluate>(root: &G, moves: &[Move]) -> Option<Move> {
    // The last of equals, hence the reverse.
    let best = moves
        .iter()
        .rev()
        .max_by_key(|&&mv| -static_value(&root.play(mv)));
    best.copied()
}

/// What the position after a move looks like to its side to move.
fn static_value<G: Evaluate>(next: &G) -> Value {
    if let Some(outcome) = next.outcome() {
        return outcome.value_for(next.side_to_move(), 1);
    }
    let info = next.node_info();
    match next.forced(&info) {
        Forced::Win(_) => win_in(2),
        Forced::Loss(_) => -win_in(3),
        Forced::Only(_) | Forced::Nothing => next.evaluate(&info, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Game;
    use crate::game::magnetic_cave::random_positions;

    #[test]
    fn what_is_forced_is_played() {
        let (mut wins, mut replies) = (0, 0);
        for position in random_positions(5, 3000) {
            let Some(mv) = fallback_move(&position, &position.legal_moves()) else {
                assert!(position.outcome().is_some(), "{}", position.fen());
                continue;
            };
            let next = position.play(mv);
            match position.forced(&position.node_info()) {
                Forced::Win(_) => {
                    assert!(next.outcome().is_some(), "{}", position.fen());
                    wins += 1;
                }
                Forced::Only(only) => {
                    assert_eq!(mv, only, "{}", position.fen());
                    replies += 1;
                }
                Forced::Loss(_) | Forced::Nothing => {}
            }
        }
        assert!(wins > 100 && replies > 100, "{wins} wins, {replies} replies");
    }
}
