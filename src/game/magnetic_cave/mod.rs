//! What the engine knows of Magnetic Cave, whose rules are in [`lodestone_game::magnetic_cave`].

mod cores;
mod evaluation;
pub mod features;
pub mod move_policy;
mod needs;
pub mod network;
mod open_lines;
mod pairing;
mod proof;
pub(crate) mod shallow;
pub mod solver;
pub mod solver_position;
mod threats;
mod yardstick;
mod zugzwang;

pub use evaluation::network_features;
pub use proof::{ProofNode, ProofOrdering, ProofSearch};
pub use solver::proves_win;

#[cfg(test)]
use lodestone_game::Game;
#[cfg(test)]
use lodestone_game::magnetic_cave::MagneticCave;

/// All positions of consecutive random games, including the final ones.
#[cfg(test)]
pub(crate) fn random_positions(seed: u64, count: usize) -> Vec<MagneticCave> {
    let mut random = lodestone_game::random::Random::new(seed);
    let after = |position: &MagneticCave| {
        let moves = position.legal_moves();
        let next = random.choose(&moves).map(|&mv| position.play(mv));
        Some(next.unwrap_or_else(MagneticCave::startpos))
    };
    std::iter::successors(Some(MagneticCave::startpos()), after)
        .take(count)
        .collect()
}

/// The mirrored position, with ranks reversed by bit 0 of `symmetry` and columns by bit 1.
/// Works on the FEN, independently of the bitboards.
#[cfg(test)]
pub(crate) fn mirrored_position(position: &MagneticCave, symmetry: usize) -> MagneticCave {
    let fen = position.fen();
    let (board, mover) = fen.split_once(' ').unwrap_or_default();
    let mut rows: Vec<String> = board.split('/').map(str::to_string).collect();
    if symmetry & 1 != 0 {
        rows.reverse();
    }
    if symmetry & 2 != 0 {
        rows = rows.iter().map(|row| row.chars().rev().collect()).collect();
    }
    let fen = format!("{} {mover}", rows.join("/"));
    MagneticCave::from_fen(&fen).unwrap_or_else(|error| panic!("{fen}: {error}"))
}
