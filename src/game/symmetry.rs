//! Which positions are the same but for turning and mirroring the board.

use crate::board::Bitboard;

/// One way to turn or mirror the board.
pub type Symmetry = fn(Bitboard) -> Bitboard;

/// Of the cells of both sides and their images, the least by the numbers of the
/// bitboards: whichever image it is given, it gives the same one.
pub fn least_image(pieces: [Bitboard; 2], symmetries: &[Symmetry]) -> [Bitboard; 2] {
    let images = symmetries.iter().map(|symmetry| pieces.map(symmetry));
    images.fold(pieces, |least, image| {
        let [one, other] = [image, least].map(|pieces| pieces.map(|cells| cells.0));
        if one < other { image } else { least }
    })
}
