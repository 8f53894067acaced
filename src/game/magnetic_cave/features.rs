//! The inputs of the [network](super::network).
//!
//! Each input is 0 or 1. They describe, in this order:
//!
//! 1. the contents of each row, as one pattern per row,
//! 2. the number of empty cells,
//! 3. the side to move,
//! 4. the zugzwang, by the number of empty cells,
//! 5. cells that complete five for a side but are not playable yet,
//! 6. cells of open lines with three and two bricks, playable or not.

use std::ops::Range;
use std::sync::LazyLock;

use super::zugzwang::Zugzwang;
use crate::board::{Bitboard, Side};

/// The number of inputs.
pub const INPUTS: usize = FIRST_CELL + CELL_KINDS * 64;

/// The symmetries of the board: identity, ranks reversed, columns reversed, both.
pub const SYMMETRIES: usize = 4;

/// Phases of the game: the number of empty cells divided by 8.
pub const PHASES: usize = 8;

/// Output buckets: phases with output weights of their own.
pub const OUTPUT_BUCKETS: usize = 4;

/// The first input of each group; rows begin at 0.
const FIRST_EMPTY_COUNT: usize = 8 * ROW_PATTERNS;
const FIRST_MOVER: usize = FIRST_EMPTY_COUNT + 65;
const FIRST_ZUGZWANG: usize = FIRST_MOVER + 2;
const FIRST_CELL: usize = FIRST_ZUGZWANG + PHASES * Zugzwang::KINDS;
const FIRST_THREE: usize = FIRST_CELL + 2 * 64;
const FIRST_TWO: usize = FIRST_THREE + 4 * 64;

/// Inputs per cell. For each side: waiting; in a line of three, not playable or playable;
/// in a line of two, not playable or playable.
const CELL_KINDS: usize = 10;

/// Rows that can occur in a game, plus 1: pattern 0 is every row with a brick that has no
/// support.
const ROW_PATTERNS: usize = 2050;

/// Rows as numbers to base 3: empty, first player's brick, second player's brick.
const ROWS: usize = 3usize.pow(8);

/// The pattern of a row, 0 to [`ROW_PATTERNS`] − 1.
static PATTERN: [u16; ROWS] = patterns();

/// The pattern of the mirrored row.
static MIRRORED_PATTERN: LazyLock<[u16; ROW_PATTERNS]> = LazyLock::new(mirrored_patterns);

/// The bits of a row as digits to base 3, the lowest bit first.
static TERNARY: [u16; 256] = ternary();

/// Inputs that describe one thing. `fitting fit --without NAME` leaves them out, to measure
/// their worth.
#[derive(Clone, Debug)]
pub struct InputGroup {
    /// The name on the command line.
    pub name: &'static str,
    /// What the inputs describe.
    pub description: &'static str,
    /// The numbers of the inputs.
    pub inputs: Range<usize>,
}

/// All groups. Together they hold each input once.
pub const INPUT_GROUPS: [InputGroup; 7] = [
    InputGroup::new("rows", "the contents of each row", 0..FIRST_EMPTY_COUNT),
    InputGroup::new(
        "empty-cells",
        "the number of empty cells",
        FIRST_EMPTY_COUNT..FIRST_MOVER,
    ),
    InputGroup::new("side-to-move", "the side to move", FIRST_MOVER..FIRST_ZUGZWANG),
    InputGroup::new(
        "zugzwang",
        "the side that wins the zugzwang, and how",
        FIRST_ZUGZWANG..FIRST_CELL,
    ),
    InputGroup::new(
        "waiting",
        "cells that would complete five but are not playable yet",
        FIRST_CELL..FIRST_THREE,
    ),
    InputGroup::new(
        "threes",
        "empty cells of open lines with three bricks",
        FIRST_THREE..FIRST_TWO,
    ),
    InputGroup::new(
        "twos",
        "empty cells of open lines with two bricks",
        FIRST_TWO..INPUTS,
    ),
];

impl InputGroup {
    const fn new(name: &'static str, description: &'static str, inputs: Range<usize>) -> InputGroup {
        InputGroup {
            name,
            description,
            inputs,
        }
    }
}

/// The features of a position, from which its inputs follow.
#[derive(Clone, Copy, Debug)]
pub struct Features {
    /// The bricks by side.
    pub bricks: [Bitboard; 2],
    /// The side to move.
    pub mover: Side,
    /// The playable cells.
    pub playable: Bitboard,
    /// By side, the cells that would complete five but are not playable yet.
    pub waiting: [Bitboard; 2],
    /// Who wins the zugzwang, and how.
    pub zugzwang: Zugzwang,
    /// By side, the empty cells of open lines with three bricks; without horizontal lines.
    pub threes: [Bitboard; 2],
    /// By side, the empty cells of open lines with two bricks; without horizontal lines.
    pub twos: [Bitboard; 2],
}

impl Features {
    /// Calls `visit` with each active input; a position has 20 to 60 of them.
    #[inline]
    pub fn active_inputs(&self, mut visit: impl FnMut(usize)) {
        let [first, second] = self.bricks.map(|bricks| bricks.0.to_le_bytes());
        for row in 0..8 {
            let bits = [first[row], second[row]].map(usize::from);
            let number = TERNARY[bits[0]] + 2 * TERNARY[bits[1]];
            visit(row * ROW_PATTERNS + usize::from(PATTERN[usize::from(number)]));
        }
        visit(FIRST_EMPTY_COUNT + self.empty_count());
        visit(FIRST_MOVER + self.mover.index());
        visit(FIRST_ZUGZWANG + self.phase() * Zugzwang::KINDS + self.zugzwang.kind());
        for side in 0..2 {
            let kinds = [
                self.waiting[side],
                self.threes[side] & !self.playable,
                self.threes[side] & self.playable,
                self.twos[side] & !self.playable,
                self.twos[side] & self.playable,
            ];
            for (kind, cells) in kinds.into_iter().enumerate() {
                let first_input = FIRST_CELL + 64 * (2 * kind + side);
                for cell in cells.cells() {
                    visit(first_input + cell.index());
                }
            }
        }
    }

    fn empty_count(&self) -> usize {
        64 - (self.bricks[0] | self.bricks[1]).count() as usize
    }

    /// The phase of the game, less than [`PHASES`]; 0 is the end.
    pub fn phase(&self) -> usize {
        (self.empty_count() / 8).min(PHASES - 1)
    }

    /// The output bucket of the position, less than [`OUTPUT_BUCKETS`]; 0 is the opening.
    pub fn output_bucket(&self) -> usize {
        match self.empty_count() {
            44.. => 0,
            34..44 => 1,
            24..34 => 2,
            _ => 3,
        }
    }
}

/// The input that corresponds to `input` in a mirrored position. Bit 0 of `symmetry`
/// reverses the ranks, bit 1 the columns.
pub fn mirrored_input(input: usize, symmetry: usize) -> usize {
    let (ranks, columns) = (symmetry & 1 != 0, symmetry & 2 != 0);
    if input < FIRST_EMPTY_COUNT {
        let (row, pattern) = (input / ROW_PATTERNS, input % ROW_PATTERNS);
        let row = if ranks { 7 - row } else { row };
        let pattern = if columns {
            usize::from(MIRRORED_PATTERN[pattern])
        } else {
            pattern
        };
        row * ROW_PATTERNS + pattern
    } else if input < FIRST_CELL {
        input
    } else {
        let flip = if ranks { 0o70 } else { 0 } | if columns { 0o07 } else { 0 };
        FIRST_CELL + ((input - FIRST_CELL) ^ flip)
    }
}

const fn ternary() -> [u16; 256] {
    let mut ternary = [0; 256];
    let mut bits = 0;
    while bits < 256 {
        let mut bit = 0;
        while bit < 8 {
            ternary[bits] = ternary[bits] * 3 + (bits >> bit & 1) as u16;
            bit += 1;
        }
        bits += 1;
    }
    ternary
}

/// Numbers the rows that have at most one gap: bricks are supported from the walls.
const fn patterns() -> [u16; ROWS] {
    let mut patterns = [0; ROWS];
    let mut next = 1;
    let mut row = 0;
    while row < ROWS {
        let (mut rest, mut gaps, mut in_gap, mut digit) = (row, 0, false, 0);
        while digit < 8 {
            let empty = rest % 3 == 0;
            if empty && !in_gap {
                gaps += 1;
            }
            in_gap = empty;
            rest /= 3;
            digit += 1;
        }
        if gaps < 2 {
            patterns[row] = next;
            next += 1;
        }
        row += 1;
    }
    assert!(next as usize == ROW_PATTERNS);
    patterns
}

fn mirrored_patterns() -> [u16; ROW_PATTERNS] {
    let mut mirrored = [0; ROW_PATTERNS];
    for (row, &pattern) in PATTERN.iter().enumerate() {
        let (mut rest, mut reversed) = (row, 0);
        for _ in 0..8 {
            reversed = reversed * 3 + rest % 3;
            rest /= 3;
        }
        mirrored[usize::from(pattern)] = PATTERN[reversed];
    }
    mirrored[0] = 0;
    mirrored
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::game::Game;
    use crate::game::magnetic_cave::{MagneticCave, mirrored_position, random_positions};

    fn active_inputs(position: &MagneticCave) -> BTreeSet<usize> {
        let mut inputs = BTreeSet::new();
        let (features, _) = position.network_features();
        features.active_inputs(|input| assert!(inputs.insert(input)));
        assert!(inputs.iter().all(|&input| input < INPUTS));
        inputs
    }

    #[test]
    fn mirrored_inputs_are_the_inputs_of_the_mirrored_position() {
        for position in random_positions(3, 300) {
            for symmetry in 0..SYMMETRIES {
                let mirrored = active_inputs(&position)
                    .into_iter()
                    .map(|input| mirrored_input(input, symmetry))
                    .collect();
                assert_eq!(
                    active_inputs(&mirrored_position(&position, symmetry)),
                    mirrored,
                    "{}",
                    position.fen()
                );
            }
        }
    }

    #[test]
    fn groups_hold_each_input_once() {
        let mut next = 0;
        for group in INPUT_GROUPS {
            assert_eq!(group.inputs.start, next, "{}", group.name);
            next = group.inputs.end;
        }
        assert_eq!(next, INPUTS);
        let sizes = INPUT_GROUPS.map(|group| group.inputs.len());
        let zugzwang = PHASES * Zugzwang::KINDS;
        assert_eq!(sizes, [8 * ROW_PATTERNS, 65, 2, zugzwang, 2 * 64, 4 * 64, 4 * 64]);
    }
}
