//! Placements: the sets of cells on which the pieces of one side can stand, numbered, and
//! their images under the symmetries of the board.

use super::super::{BOARD, SYMMETRIES};
use crate::board::{Bitboard, Cell};

/// Images of a placement: itself, and one for each symmetry.
const IMAGES: usize = 1 + SYMMETRIES.len();

/// Cells of the board.
const CELLS: usize = 49;

/// All placements of a fixed number of pieces.
///
/// Numbers follow the combinatorial number system: a placement of cells
/// `c₁ < c₂ < … < cₖ`, counted from 0 along the rows, has the number
/// `C(c₁, 1) + C(c₂, 2) + … + C(cₖ, k)` (Knuth, "The Art of Computer Programming", volume
/// 4A, 7.2.1.3).
pub struct Placements {
    /// By number, the cells.
    sets: Vec<Bitboard>,
    /// `C(n, k)` at `[k - 1][n]`, for the numbers of placements.
    binomials: Vec<[u32; CELLS]>,
    /// By symmetry, then by number, the number of the image.
    images: Vec<Vec<u32>>,
    /// By number, its class and the symmetry that takes it to the class's representative.
    classes: Vec<(u32, u8)>,
    /// By class, the number of its representative, the least of all images.
    representatives: Vec<u32>,
}

impl Placements {
    /// The placements of `pieces` pieces, 1 to 4.
    pub fn new(pieces: u32) -> Placements {
        let binomials: Vec<[u32; CELLS]> = (1..=pieces)
            .map(|k| std::array::from_fn(|n| binomial(n as u32, k)))
            .collect();
        let sets = all_sets(pieces);
        let mut placements = Placements {
            sets,
            binomials,
            images: Vec::new(),
            classes: Vec::new(),
            representatives: Vec::new(),
        };
        placements.images = (0..IMAGES)
            .map(|symmetry| {
                let image = |&cells: &Bitboard| placements.number(apply(symmetry, cells)) as u32;
                placements.sets.iter().map(image).collect()
            })
            .collect();
        for number in 0..placements.sets.len() {
            let images = placements.images.iter().map(|images| images[number]);
            let (least, symmetry) = images.zip(0..).min().unwrap_or_default();
            let class = if least as usize == number {
                placements.representatives.push(least);
                placements.representatives.len() as u32 - 1
            } else {
                placements.classes[least as usize].0
            };
            placements.classes.push((class, symmetry));
        }
        placements
    }

    /// How many placements there are.
    pub fn len(&self) -> usize {
        self.sets.len()
    }

    /// The representative of each class, in the order of the classes.
    pub fn representatives(&self) -> &[u32] {
        &self.representatives
    }

    /// The cells of the placement with this number.
    pub fn cells(&self, number: usize) -> Bitboard {
        self.sets[number]
    }

    /// The number of a placement.
    pub fn number(&self, cells: Bitboard) -> usize {
        let terms = cells.cells().zip(&self.binomials);
        terms.map(|(cell, row)| row[position_of(cell)] as usize).sum()
    }

    /// The class of a placement, and by number the images of all placements under the
    /// symmetry that takes it to its class's representative.
    pub fn class(&self, number: usize) -> (usize, &[u32]) {
        let (class, symmetry) = self.classes[number];
        (class as usize, &self.images[symmetry as usize])
    }
}

/// The place of a cell along the rows, from 0 to 48.
fn position_of(cell: Cell) -> usize {
    cell.row() as usize * 7 + cell.column() as usize
}

/// All sets of `pieces` cells of the board, in the order of their numbers.
fn all_sets(pieces: u32) -> Vec<Bitboard> {
    let mut sets = vec![Bitboard::EMPTY];
    for _ in 0..pieces {
        // The greatest cell counts most, so it is added last.
        let with = |cell: Cell| {
            let cell = Bitboard::from(cell);
            let below = sets.iter().filter(move |set| set.0 < cell.0);
            below.map(move |&set| set | cell)
        };
        sets = BOARD.cells().flat_map(with).collect();
    }
    sets
}

/// The image of a set of cells; symmetry 0 is the identity.
fn apply(symmetry: usize, cells: Bitboard) -> Bitboard {
    match symmetry.checked_sub(1) {
        Some(index) => SYMMETRIES[index](cells),
        None => cells,
    }
}

/// The binomial coefficient `C(n, k)`, for `n` below 49 and `k` up to 4.
fn binomial(n: u32, k: u32) -> u32 {
    (0..k).fold(1, |product, index| {
        product * n.saturating_sub(index) / (index + 1)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_placement_has_its_number() {
        for (pieces, count) in [(1, 49), (2, 1176), (3, 18424)] {
            let placements = Placements::new(pieces);
            assert_eq!(placements.len(), count);
            for number in 0..count {
                assert_eq!(placements.cells(number).count(), pieces);
                assert_eq!(placements.number(placements.cells(number)), number);
            }
        }
    }

    #[test]
    fn images_of_a_placement_share_a_class() {
        let placements = Placements::new(2);
        for number in 0..placements.len() {
            let (class, images) = placements.class(number);
            let representative = placements.representatives()[class];
            assert_eq!(images[number], representative);
            for symmetry in 0..IMAGES {
                let image = placements.number(apply(symmetry, placements.cells(number)));
                assert_eq!(placements.class(image).0, class);
            }
        }
        // Burnside's lemma: the mean number of placements that a symmetry keeps.
        assert_eq!(placements.representatives().len(), (1176 + 4 * 42 + 24) / 8);
        assert_eq!(Placements::new(1).representatives().len(), (49 + 4 * 7 + 3) / 8);
    }
}
