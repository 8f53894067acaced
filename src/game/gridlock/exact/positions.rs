//! The numbering of positions that makes the computation of a layer bit-parallel.
//!
//! A symmetry of the board maps a position to one of the same value. So each position has an
//! image in which the opponent's pieces stand on the representative of their class. The side
//! to move then has the image of a representative under one of the eight symmetries. Hence a
//! position is three numbers: the opponent's class, a symmetry, and the class of the side to
//! move. The values of a layer are a bit for each triple, in this order.
//!
//! A row of 64-bit words belongs to an opponent's class and a symmetry, and has a bit for each
//! class of the side to move. Undoing the symmetry shows the same row from another side: the
//! opponent has the image of a representative, and the side to move has a representative. So
//! the rows after the moves of a placement are where the next layer looks, word by word.

use lodestone_game::board::Bitboard;
use lodestone_game::gridlock::BOARD;

use super::placements::{CELLS, IMAGES, Placements, apply, position_of};

/// Words that are computed together; a row is a multiple of it. Four words with two bits a
/// position are a line of the cache.
pub(crate) const TILE: usize = 4;

/// Positions in a word.
pub(crate) const WORD: usize = 64;

/// All positions with a fixed number of pieces.
pub struct Positions {
    /// The placements of one side.
    pub placements: Placements,
    /// Words of a row.
    pub(crate) width: usize,
    /// By cell, the classes whose representative has a piece there, as a row.
    occupied: Vec<Vec<u64>>,
}

/// The place of a position in a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Index {
    /// The opponent's class.
    pub class: usize,
    /// The word among those of the class.
    pub word: usize,
    /// The bit in the word.
    pub bit: usize,
}

impl Positions {
    /// The positions with 1 to 4 pieces a side.
    pub fn new(pieces: u32) -> Positions {
        let placements = Placements::new(pieces);
        let representatives = &placements.representatives;
        let width = representatives.len().div_ceil(WORD).next_multiple_of(TILE);
        let mut occupied = vec![vec![0; width]; CELLS];
        for (class, cells) in representatives.iter().enumerate() {
            for cell in cells.cells() {
                occupied[position_of(cell)][class / WORD] |= 1 << (class % WORD);
            }
        }
        Positions {
            placements,
            width,
            occupied,
        }
    }

    /// The number of classes.
    pub fn classes(&self) -> usize {
        self.placements.representatives.len()
    }

    /// Words of a class: a row for each symmetry.
    pub fn class_words(&self) -> usize {
        IMAGES * self.width
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.classes() * IMAGES
    }

    /// The place of a position. `own` are the pieces of the side to move.
    pub fn index(&self, own: Bitboard, other: Bitboard) -> Index {
        let place = self.placements.place(other);
        let own = apply(self.placements.inverse(place.symmetry), own);
        let own = self.placements.place(own);
        Index {
            class: place.class as usize,
            word: own.symmetry as usize * self.width + own.class as usize / WORD,
            bit: own.class as usize % WORD,
        }
    }

    /// The row in which the opponent has the pieces `other` and the side to move has
    /// representatives.
    pub(crate) fn row_against(&self, other: Bitboard) -> usize {
        let place = self.placements.place(other);
        place.class as usize * IMAGES + self.placements.inverse(place.symmetry)
    }

    /// A word of the classes whose representative shares no cell with `cells`.
    pub(crate) fn disjoint(&self, cells: Bitboard, word: usize) -> u64 {
        let occupied = cells.cells().map(|cell| self.occupied[position_of(cell)][word]);
        !occupied.fold(0, |all, word| all | word)
    }

    /// The placements of the side to move in a word of a class: the word's place in the class
    /// decides the symmetry and the classes.
    pub(crate) fn placements_in(&self, word: usize) -> impl Iterator<Item = Bitboard> + '_ {
        let (symmetry, first) = (word / self.width, word % self.width * WORD);
        let representatives = &self.placements.representatives;
        let end = (first + WORD).min(representatives.len());
        let inside = representatives.get(first..end).unwrap_or_default();
        inside.iter().map(move |&cells| apply(symmetry, cells))
    }
}

/// The moves of `own` on a board without an opponent: the target, and the pieces after the
/// move.
pub(crate) fn moves_of(own: Bitboard) -> impl Iterator<Item = (Bitboard, Bitboard)> {
    own.cells().flat_map(move |from| {
        let from = Bitboard::from(from);
        let targets = (from.neighbours() & BOARD & !own).cells();
        targets.map(move |to| {
            let to = Bitboard::from(to);
            (to, own ^ from ^ to)
        })
    })
}
