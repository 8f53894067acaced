//! Perft: counting move sequences, the test of every move generator.

use super::rules::Game;

/// The number of move sequences of exactly `depth` plies from `position`; 0 for
/// a finished game, unless `depth` is 0.
///
/// ```
/// use lodestone::game::{Game, magnetic_cave::MagneticCave, perft};
///
/// assert_eq!(perft(&MagneticCave::startpos(), 3), 4096);
/// ```
pub fn perft<G: Game>(position: &G, depth: u32) -> u64 {
    perft_unless(position, depth, &|| false).unwrap_or_default()
}

/// Depths up to this one take so little time that they are not interrupted.
const UNINTERRUPTED: u32 = 3;

/// [`perft`], or `None` as soon as `stopped` returns true.
pub fn perft_unless<G: Game>(position: &G, depth: u32, stopped: &dyn Fn() -> bool) -> Option<u64> {
    match depth {
        0 => Some(1),
        // Bulk counting: the last ply is not played.
        1 => Some(position.legal_moves().len() as u64),
        _ if depth > UNINTERRUPTED && stopped() => None,
        _ => position
            .legal_moves()
            .iter()
            .map(|&mv| perft_unless(&position.play(mv), depth - 1, stopped))
            .sum(),
    }
}
