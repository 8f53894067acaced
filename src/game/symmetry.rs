//! Rotated and mirrored boards.

use crate::board::Bitboard;

/// Rotates or mirrors the board.
pub type Symmetry = fn(Bitboard) -> Bitboard;

/// The canonical image of a board: the least of the board and its images,
/// compared as numbers. All images of a board have the same one.
pub fn least_image(pieces: [Bitboard; 2], symmetries: &[Symmetry]) -> [Bitboard; 2] {
    let images = symmetries.iter().map(|symmetry| pieces.map(symmetry));
    images.fold(pieces, |least, image| {
        let [one, other] = [image, least].map(|pieces| pieces.map(|cells| cells.0));
        if one < other { image } else { least }
    })
}
