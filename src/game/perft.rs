//! Counting the ways a game can go on: the test of every move generator.

use super::Game;
use crate::board::Move;

/// The number of move sequences of exactly `depth` plies from `position`. A
/// finished game has none.
///
/// ```
/// use lodestone::game::{Game, magnetic_cave::MagneticCave, perft};
///
/// assert_eq!(perft(&MagneticCave::startpos(), 3), 4096);
/// ```
pub fn perft<G: Game>(position: &G, depth: u32) -> u64 {
    match depth {
        0 => 1,
        // The last ply need not be played to be counted.
        1 => position.legal_moves().len() as u64,
        _ => position
            .legal_moves()
            .iter()
            .map(|&one| perft(&position.play(one), depth - 1))
            .sum(),
    }
}

/// [`perft`] for each legal move on its own, for a `depth` of at least 1.
pub fn divide<G: Game>(position: &G, depth: u32) -> impl Iterator<Item = (Move, u64)> {
    let position = *position;
    let moves: Vec<Move> = position.legal_moves().to_vec();
    moves
        .into_iter()
        .map(move |one| (one, perft(&position.play(one), depth.saturating_sub(1))))
}
