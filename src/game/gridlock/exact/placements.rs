//! Placements: the sets of cells on which the pieces of one side can stand, in classes of
//! placements that are images of each other under the symmetries of the board.

use lodestone_game::board::{Bitboard, Cell};
use lodestone_game::gridlock::{BOARD, SYMMETRIES};

/// Images of a placement: itself (symmetry 0), and one for each other symmetry.
pub(crate) const IMAGES: usize = 1 + SYMMETRIES.len();

/// Cells of the board.
pub(crate) const CELLS: usize = 49;

/// Cells that no symmetry maps to themselves.
const ASYMMETRIC: Bitboard = Bitboard(0x0406);

/// All placements of a fixed number of pieces.
pub struct Placements {
    /// `C(n, k)` at `[k - 1][n]`, for the numbers of placements.
    binomials: Vec<[u32; CELLS]>,
    /// By class, the placement with the least number.
    pub(crate) representatives: Vec<Bitboard>,
    /// By class, its number of different placements.
    pub(crate) sizes: Vec<u32>,
    /// By number.
    places: Vec<Place>,
    /// By symmetry, the symmetry that undoes it.
    inverses: [usize; IMAGES],
}

/// Where a placement stands in its class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The number of the class.
    pub(crate) class: u32,
    /// The first symmetry that takes the representative of the class to this placement.
    pub(crate) symmetry: u8,
}

impl Placements {
    /// The placements of `pieces` pieces, 1 to 4.
    pub(crate) fn new(pieces: u32) -> Placements {
        let mut placements = Placements {
            binomials: (1..=pieces)
                .map(|k| std::array::from_fn(|n| binomial(n as u32, k)))
                .collect(),
            representatives: Vec::new(),
            sizes: Vec::new(),
            places: Vec::new(),
            inverses: inverses(),
        };
        let sets = all_sets(pieces);
        let mut places: Vec<Option<Place>> = vec![None; sets.len()];
        for (number, &cells) in sets.iter().enumerate() {
            if places[number].is_some() {
                continue;
            }
            let class = placements.representatives.len() as u32;
            let mut size = 0;
            for symmetry in 0..IMAGES {
                let place = &mut places[placements.number(apply(symmetry, cells))];
                if place.is_none() {
                    let symmetry = symmetry as u8;
                    *place = Some(Place { class, symmetry });
                    size += 1;
                }
            }
            placements.representatives.push(cells);
            placements.sizes.push(size);
        }
        placements.places = places.into_iter().flatten().collect();
        placements
    }

    /// The place of a placement.
    pub(crate) fn place(&self, cells: Bitboard) -> Place {
        self.places[self.number(cells)]
    }

    /// The symmetry that undoes `symmetry`.
    pub(crate) fn inverse(&self, symmetry: u8) -> usize {
        self.inverses[symmetry as usize]
    }

    /// The number of a placement, by the combinatorial number system: a placement of cells
    /// `c₁ < c₂ < … < cₖ`, counted from 0 along the rows, has the number
    /// `C(c₁, 1) + C(c₂, 2) + … + C(cₖ, k)` (Knuth, "The Art of Computer Programming",
    /// volume 4A, 7.2.1.3).
    fn number(&self, cells: Bitboard) -> usize {
        let terms = cells.cells().zip(&self.binomials);
        terms.map(|(cell, row)| row[position_of(cell)] as usize).sum()
    }
}

/// The place of a cell along the rows, from 0 to 48.
pub(crate) fn position_of(cell: Cell) -> usize {
    cell.row() as usize * 7 + cell.column() as usize
}

/// The image of a set of cells; symmetry 0 is the identity.
pub(crate) fn apply(symmetry: usize, cells: Bitboard) -> Bitboard {
    match symmetry.checked_sub(1) {
        Some(index) => SYMMETRIES[index](cells),
        None => cells,
    }
}

/// By symmetry, the symmetry that undoes it.
fn inverses() -> [usize; IMAGES] {
    std::array::from_fn(|symmetry| {
        let image = apply(symmetry, ASYMMETRIC);
        let undoes = |&other: &usize| apply(other, image) == ASYMMETRIC;
        (0..IMAGES).find(undoes).unwrap_or_default()
    })
}

/// All sets of `pieces` cells of the board, in the order of their numbers.
fn all_sets(pieces: u32) -> Vec<Bitboard> {
    let mut sets = vec![Bitboard::EMPTY];
    for _ in 0..pieces {
        // The greatest cell counts most, so it is added last. The sets below a cell come
        // before all others.
        let with = |cell: Cell| {
            let cell = Bitboard::from(cell);
            let below = sets.iter().take_while(move |set| set.0 < cell.0);
            below.map(move |&set| set | cell)
        };
        sets = BOARD.cells().flat_map(with).collect();
    }
    sets
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
            assert_eq!(placements.places.len(), count);
            assert_eq!(placements.sizes.iter().sum::<u32>() as usize, count);
            for (number, &cells) in all_sets(pieces).iter().enumerate() {
                assert_eq!(cells.count(), pieces);
                assert_eq!(placements.number(cells), number);
            }
        }
    }

    #[test]
    fn a_place_names_the_placement() {
        let placements = Placements::new(2);
        for &cells in &all_sets(2) {
            let place = placements.place(cells);
            let representative = placements.representatives[place.class as usize];
            assert_eq!(apply(place.symmetry as usize, representative), cells);
            assert_eq!(apply(placements.inverse(place.symmetry), cells), representative);
            for symmetry in 0..IMAGES {
                assert_eq!(placements.place(apply(symmetry, cells)).class, place.class);
            }
        }
        // Burnside's lemma: the mean number of placements that a symmetry keeps.
        assert_eq!(placements.representatives.len(), (1176 + 4 * 42 + 24) / 8);
        assert_eq!(Placements::new(1).representatives.len(), (49 + 4 * 7 + 3) / 8);
    }
}
