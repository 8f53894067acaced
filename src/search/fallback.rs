//! The fallback move: the best move without search. On a busy machine an answer can be
//! due before the search thread has run at all.

use crate::board::Move;
use crate::game::{Evaluate, Forced};
use crate::score::{Value, win_in};

/// The static best move: it wins at once, or avoids a loss within two plies, or else has
/// the best static evaluation; the first of equals. `None` if `moves` is empty. Takes a
/// few microseconds.
pub fn fallback_move<G: Evaluate>(root: &G, moves: &[Move]) -> Option<Move> {
    // `max_by_key` returns the last of equals, hence the reverse.
    let best = moves
        .iter()
        .rev()
        .max_by_key(|&&mv| -static_value(&root.play(mv)));
    best.copied()
}

/// The value of the position after one ply, for its side to move, without search.
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
    fn plays_wins_and_forced_replies() {
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
