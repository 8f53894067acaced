//! Counting the ways a game can go on: the test of every move generator.

use super::Game;

/// The number of move sequences of exactly `depth` plies from `position`. A
/// finished game has none.
///
/// ```
/// use lodestone::game::{Game, magnetic_cave::MagneticCave, perft};
///
/// assert_eq!(perft(&MagneticCave::startpos(), 3), 4096);
/// ```
pub fn perft<G: Game>(position: &G, depth: u32) -> u64 {
    perft_unless(position, depth, &|| false).unwrap_or_default()
}

/// Below this depth a count is over in no time and is not interrupted.
const UNINTERRUPTED: u32 = 3;

/// [`perft`], or `None` as soon as `stopped` says so.
pub fn perft_unless<G: Game>(position: &G, depth: u32, stopped: &dyn Fn() -> bool) -> Option<u64> {
    match depth {
        0 => Some(1),
        // The last ply need not be played to be counted.
        1 => Some(position.legal_moves().len() as u64),
        _ if depth > UNINTERRUPTED && stopped() => None,
        _ => position
            .legal_moves()
            .iter()
            .map(|&mv| perft_unless(&position.play(mv), depth - 1, stopped))
            .sum(),
    }
}
