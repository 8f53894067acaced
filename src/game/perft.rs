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
    match depth {
        0 => 1,
        // Bulk counting: the last ply is not played.
        1 => position.legal_moves().len() as u64,
        _ => position
            .legal_moves()
            .iter()
            .map(|&mv| perft(&position.play(mv), depth - 1))
            .sum(),
    }
}

/// Depths up to this one take so little time that they are not interrupted.
const UNINTERRUPTED: u32 = 3;

/// [`perft`] that can pause.
pub struct PausingPerft<G> {
    /// The positions whose sequences are not counted yet, with their depths in plies.
    left: Vec<(G, u32)>,
    count: u64,
}

impl<G: Game> PausingPerft<G> {
    /// Counts nothing yet.
    pub fn new(position: G, depth: u32) -> PausingPerft<G> {
        PausingPerft {
            left: vec![(position, depth)],
            count: 0,
        }
    }

    /// Counts until `pauses` returns true, at least one step. Returns the whole count at the
    /// end; `None` if the next call continues.
    pub fn run(&mut self, pauses: impl Fn() -> bool) -> Option<u64> {
        while let Some((position, depth)) = self.left.pop() {
            if depth <= UNINTERRUPTED {
                self.count += perft(&position, depth);
            } else {
                let moves = position.legal_moves();
                self.left
                    .extend(moves.iter().map(|&mv| (position.play(mv), depth - 1)));
            }
            if pauses() {
                return None;
            }
        }
        Some(self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::gridlock::Gridlock;
    use crate::game::magnetic_cave::MagneticCave;

    fn counts_the_same_with_pauses<G: Game>() {
        for depth in 0..=5 {
            let mut count = PausingPerft::new(G::startpos(), depth);
            let found = std::iter::repeat_with(|| count.run(|| true)).flatten().next();
            assert_eq!(found, Some(perft(&G::startpos(), depth)), "depth {depth}");
        }
    }

    #[test]
    fn pauses_do_not_change_the_count() {
        counts_the_same_with_pauses::<MagneticCave>();
        counts_the_same_with_pauses::<Gridlock>();
    }
}
