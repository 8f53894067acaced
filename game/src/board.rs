//! Sides, cells, bitboards and moves: small values that all games share.
//!
//! Every board lies on the same 8×8 grid, row 0 at the top and column 0 at the left:
//! `bit = 8 * row + column`.
//!
//! ```text
//!  0  1  2  3  4  5  6  7
//!  8  9 10 11 12 13 14 15
//!  …
//! 56 57 58 59 60 61 62 63
//! ```
//!
//! A smaller board is the upper left corner of the grid, selected by a mask.
//!
//! ```
//! use lodestone_game::board::{Bitboard, Cell, Move};
//!
//! let cell = Cell::new(1, 2);
//! assert_eq!((cell.row(), cell.column()), (1, 2));
//! assert_eq!(Bitboard::from(cell).west().cells().next(), Some(Cell::new(1, 1)));
//! assert_eq!(Move::slide(cell, Cell::new(0, 2)).to(), Cell::new(0, 2));
//! ```

use std::fmt;
use std::num::NonZeroU16;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, Deref, DerefMut, Not};

/// One of the two players.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// Moves first: ■ in Magnetic Cave, X in Gridlock, `x` in a FEN.
    First,
    /// Moves second: □ in Magnetic Cave, O in Gridlock, `o` in a FEN.
    Second,
}

impl Side {
    /// Both sides, the first player first: `BOTH[side.index()] == side`.
    pub const BOTH: [Side; 2] = [Side::First, Side::Second];

    /// The other side.
    #[must_use]
    #[inline]
    pub const fn opponent(self) -> Side {
        match self {
            Side::First => Side::Second,
            Side::Second => Side::First,
        }
    }

    /// 0 for the first player, 1 for the second.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The side in sentences.
    #[inline]
    pub const fn ordinal(self) -> &'static str {
        match self {
            Side::First => "first",
            Side::Second => "second",
        }
    }

    /// This side's letter in a FEN.
    #[inline]
    pub const fn letter(self) -> char {
        match self {
            Side::First => 'x',
            Side::Second => 'o',
        }
    }
}

/// A cell of the grid, 0 to 63.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cell(u8);

impl Cell {
    /// The cell in `row` (0 is the top) and `column` (0 is the left), both modulo 8.
    #[inline]
    pub const fn new(row: u8, column: u8) -> Cell {
        Cell((row & 7) << 3 | (column & 7))
    }

    /// The cell with the index `8 * row + column`, modulo 64.
    #[inline]
    pub const fn from_index(index: u8) -> Cell {
        Cell(index & 63)
    }

    /// `8 * row + column`.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// 0 (top) to 7.
    #[inline]
    pub const fn row(self) -> u8 {
        self.0 >> 3
    }

    /// 0 (left) to 7.
    #[inline]
    pub const fn column(self) -> u8 {
        self.0 & 7
    }
}

/// A set of cells, one bit per cell.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Bitboard(pub u64);

impl Bitboard {
    /// The empty set.
    pub const EMPTY: Bitboard = Bitboard(0);

    /// All cells of `column` (0 to 7).
    #[inline]
    pub const fn column(column: u32) -> Bitboard {
        Bitboard(0x0101_0101_0101_0101 << column)
    }

    /// The upper left rectangle of `rows` × `columns` cells, each 1 to 8.
    #[inline]
    pub const fn corner(rows: u32, columns: u32) -> Bitboard {
        let row = (1u64 << columns) - 1;
        let mut cells = 0;
        let mut index = 0;
        while index < rows {
            cells |= row << (8 * index);
            index += 1;
        }
        Bitboard(cells)
    }

    /// Whether the set is empty.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The number of cells in the set.
    #[inline]
    pub const fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether `cell` is in the set.
    #[inline]
    pub const fn contains(self, cell: Cell) -> bool {
        self.0 >> cell.0 & 1 == 1
    }

    /// Shifts the set one row up; cells of the top row are lost.
    #[must_use]
    #[inline]
    pub const fn north(self) -> Bitboard {
        Bitboard(self.0 >> 8)
    }

    /// Shifts the set one row down; cells of row 7 are lost.
    #[must_use]
    #[inline]
    pub const fn south(self) -> Bitboard {
        Bitboard(self.0 << 8)
    }

    /// Shifts the set one column to the right; cells of column 7 are lost.
    #[must_use]
    #[inline]
    pub const fn east(self) -> Bitboard {
        Bitboard((self.0 & !Bitboard::column(7).0) << 1)
    }

    /// Shifts the set one column to the left; cells of column 0 are lost.
    #[must_use]
    #[inline]
    pub const fn west(self) -> Bitboard {
        Bitboard((self.0 & !Bitboard::column(0).0) >> 1)
    }

    /// Flips a board of `rows` rows, 1 to 8, upside down.
    #[must_use]
    #[inline]
    pub const fn upside_down(self, rows: u32) -> Bitboard {
        Bitboard(self.0.swap_bytes() >> (8 * (8 - rows)))
    }

    /// Mirrors a board of `columns` columns, 1 to 8, left to right.
    #[must_use]
    #[inline]
    pub const fn mirrored(self, columns: u32) -> Bitboard {
        Bitboard(self.0.reverse_bits().swap_bytes() >> (8 - columns))
    }

    /// Exchanges rows and columns.
    ///
    /// Source: Warren, "Hacker's Delight", 2nd edition, 7-3. Swaps bits within 2×2
    /// blocks, then 2×2 blocks within 4×4 blocks, then 4×4 blocks.
    #[must_use]
    #[inline]
    pub const fn transposed(self) -> Bitboard {
        let cells = Bitboard::exchange(self.0, 7, 0x00aa_00aa_00aa_00aa);
        let cells = Bitboard::exchange(cells, 14, 0x0000_cccc_0000_cccc);
        Bitboard(Bitboard::exchange(cells, 28, 0x0000_0000_f0f0_f0f0))
    }

    /// Swaps each bit of `mask` with the bit `shift` places higher (a delta swap).
    #[inline]
    const fn exchange(bits: u64, shift: u32, mask: u64) -> u64 {
        let differ = (bits ^ (bits >> shift)) & mask;
        bits ^ differ ^ (differ << shift)
    }

    /// The orthogonal neighbours of the set's cells. A cell of the set is included only
    /// if it is adjacent to another cell of the set.
    #[must_use]
    #[inline]
    pub const fn neighbours(self) -> Bitboard {
        Bitboard(self.north().0 | self.south().0 | self.east().0 | self.west().0)
    }

    /// The cells in ascending order of their index.
    #[inline]
    pub fn cells(self) -> Cells {
        Cells(self.0)
    }

    /// The cell with the lowest index.
    #[inline]
    pub const fn first(self) -> Option<Cell> {
        if self.0 == 0 {
            None
        } else {
            Some(Cell(self.0.trailing_zeros() as u8))
        }
    }
}

impl From<Cell> for Bitboard {
    #[inline]
    fn from(cell: Cell) -> Bitboard {
        Bitboard(1 << cell.0)
    }
}

impl BitAnd for Bitboard {
    type Output = Bitboard;
    #[inline]
    fn bitand(self, other: Bitboard) -> Bitboard {
        Bitboard(self.0 & other.0)
    }
}

impl BitAndAssign for Bitboard {
    #[inline]
    fn bitand_assign(&mut self, other: Bitboard) {
        self.0 &= other.0;
    }
}

impl BitOr for Bitboard {
    type Output = Bitboard;
    #[inline]
    fn bitor(self, other: Bitboard) -> Bitboard {
        Bitboard(self.0 | other.0)
    }
}

impl BitOrAssign for Bitboard {
    #[inline]
    fn bitor_assign(&mut self, other: Bitboard) {
        self.0 |= other.0;
    }
}

impl BitXor for Bitboard {
    type Output = Bitboard;
    #[inline]
    fn bitxor(self, other: Bitboard) -> Bitboard {
        Bitboard(self.0 ^ other.0)
    }
}

impl Not for Bitboard {
    type Output = Bitboard;
    #[inline]
    fn not(self) -> Bitboard {
        Bitboard(!self.0)
    }
}

impl fmt::Debug for Bitboard {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Bitboard({:#018x})", self.0)
    }
}

/// Iterator over the cells of a [`Bitboard`], in ascending order.
#[derive(Clone, Debug)]
pub struct Cells(u64);

impl Iterator for Cells {
    type Item = Cell;

    #[inline]
    fn next(&mut self) -> Option<Cell> {
        let cell = Bitboard(self.0).first()?;
        self.0 &= self.0 - 1;
        Some(cell)
    }
}

/// A move of any game: a brick placed on a cell, or a piece moved from one cell to
/// another. The representation is never zero, so `Option<Move>` has the same size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move(NonZeroU16);

impl Move {
    /// Bit 15, always set, keeps the representation from being zero.
    const TAG: NonZeroU16 = NonZeroU16::MIN.saturating_add(0x7fff);

    /// Places a brick on `to`.
    #[inline]
    pub const fn place(to: Cell) -> Move {
        Move::slide(to, to)
    }

    /// Moves the piece on `from` to `to`.
    #[inline]
    pub const fn slide(from: Cell, to: Cell) -> Move {
        Move(Move::TAG.saturating_add((from.0 as u16) << 6 | to.0 as u16))
    }

    /// The origin of a moved piece; equal to [`Move::to`] for a placed brick.
    #[inline]
    pub const fn from(self) -> Cell {
        Cell((self.0.get() >> 6) as u8 & 63)
    }

    /// The target cell.
    #[inline]
    pub const fn to(self) -> Cell {
        Cell(self.0.get() as u8 & 63)
    }

    /// The move as a number, never zero.
    #[inline]
    pub const fn to_bits(self) -> u16 {
        self.0.get()
    }

    /// Inverse of [`Move::to_bits`]; `None` for a number that encodes no move.
    #[inline]
    pub const fn from_bits(bits: u16) -> Option<Move> {
        match NonZeroU16::new(bits) {
            Some(number) if bits >> 12 == 0b1000 => Some(Move(number)),
            _ => None,
        }
    }
}

/// The moves of one position, stored inline without allocation.
#[derive(Clone)]
pub struct MoveList {
    moves: [Move; MoveList::CAPACITY],
    length: usize,
}

impl Default for MoveList {
    /// No moves.
    #[inline]
    fn default() -> MoveList {
        MoveList {
            moves: [Move::place(Cell(0)); MoveList::CAPACITY],
            length: 0,
        }
    }
}

impl MoveList {
    /// More than the moves of any position: Magnetic Cave has 64 cells, and Gridlock's
    /// 7×7 board has 84 pairs of adjacent cells.
    pub const CAPACITY: usize = 96;

    /// Appends a move. A full list stays unchanged; no position has more than
    /// [`MoveList::CAPACITY`] moves.
    #[inline]
    pub fn push(&mut self, mv: Move) {
        debug_assert!(
            self.length < MoveList::CAPACITY,
            "more moves than any position has"
        );
        if let Some(slot) = self.moves.get_mut(self.length) {
            *slot = mv;
            self.length += 1;
        }
    }
}

impl Deref for MoveList {
    type Target = [Move];
    #[inline]
    fn deref(&self) -> &[Move] {
        &self.moves[..self.length]
    }
}

impl DerefMut for MoveList {
    #[inline]
    fn deref_mut(&mut self) -> &mut [Move] {
        &mut self.moves[..self.length]
    }
}

impl fmt::Debug for MoveList {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl FromIterator<Move> for MoveList {
    #[inline]
    fn from_iter<I: IntoIterator<Item = Move>>(moves: I) -> MoveList {
        let mut list = MoveList::default();
        for mv in moves {
            list.push(mv);
        }
        list
    }
}

/// Whether all of `smaller` are in `larger`.
#[inline]
pub fn is_subset(smaller: Bitboard, larger: Bitboard) -> bool {
    (smaller & !larger).is_empty()
}

/// The first of `cells`, perhaps none.
#[inline]
pub fn first_of(cells: Bitboard) -> Bitboard {
    Bitboard(cells.0 & cells.0.wrapping_neg())
}

/// All of `cells` but the first.
#[inline]
pub fn without_first(cells: Bitboard) -> Bitboard {
    Bitboard(cells.0 & cells.0.wrapping_sub(1))
}

/// Whether there is exactly one cell.
#[inline]
pub fn is_single(cells: Bitboard) -> bool {
    !cells.is_empty() && without_first(cells).is_empty()
}

/// All cells of the rows that contain any of `cells`.
#[inline]
pub fn rows_of(cells: Bitboard) -> Bitboard {
    const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let high = (((cells.0 & LOW) + LOW) | cells.0) & !LOW;
    Bitboard((high >> 7) * 0xff)
}

/// A full adder for each cell: the digits 1 and 2 of the number of these sets that contain it.
#[inline]
pub fn full_adder(a: Bitboard, b: Bitboard, c: Bitboard) -> (Bitboard, Bitboard) {
    let half = a ^ b;
    (half ^ c, (a & b) | (half & c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn move_bits_round_trip() {
        for from in 0..64 {
            for to in 0..64 {
                let mv = Move::slide(Cell(from), Cell(to));
                assert_eq!((mv.from(), mv.to()), (Cell(from), Cell(to)));
                assert_eq!(Move::from_bits(mv.to_bits()), Some(mv));
            }
        }
        assert_eq!(Move::from_bits(0), None);
        assert_eq!(Move::from_bits(0x7fff), None);
        assert_eq!(Move::from_bits(0x9000), None);
    }

    #[test]
    fn symmetries_map_each_cell() {
        for size in [7, 8] {
            for (row, column) in (0..size).flat_map(|row| (0..size).map(move |column| (row, column))) {
                let cell = |row, column| Bitboard::from(Cell::new(row, column));
                let (original, last) = (cell(row, column), size - 1);
                assert_eq!(original.upside_down(size as u32), cell(last - row, column));
                assert_eq!(original.mirrored(size as u32), cell(row, last - column));
                assert_eq!(original.transposed(), cell(column, row));
            }
        }
    }

    #[test]
    fn shifts_do_not_wrap() {
        let corners = Bitboard::corner(1, 1) | Bitboard::from(Cell::new(7, 7));
        assert_eq!(corners.east(), Bitboard::from(Cell::new(0, 1)));
        assert_eq!(corners.west(), Bitboard::from(Cell::new(7, 6)));
        assert_eq!(corners.north(), Bitboard::from(Cell::new(6, 7)));
        assert_eq!(corners.south(), Bitboard::from(Cell::new(1, 0)));
    }
}
