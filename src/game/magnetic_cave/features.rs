//! The inputs of the [network](super::network).
//!
//! Each input is 0 or 1. They describe, in this order:
//!
//! 1. the number of empty cells,
//! 2. the side to move,
//! 3. the zugzwang, by the number of empty cells,
//! 4. prospects: waiting cells, and cells that a move makes waiting cells,
//! 5. force: lines of three that force a reply, and forks,
//! 6. the outlook: the zugzwang with one more waiting cell, by the number of empty cells,
//! 7. cells that complete five for a side but are not playable yet,
//! 8. cells of open lines with three and two bricks, playable or not.

use std::ops::Range;

use lodestone_game::board::{Bitboard, Cell, Side};

use super::open_lines::Threes;
use super::zugzwang::{Outlook, Zugzwang};

/// The number of inputs.
pub const INPUTS: usize = FIRST_CELL + CELL_KINDS * 64;

/// The symmetries of the board: identity, ranks reversed, columns reversed, both.
pub const SYMMETRIES: usize = 4;

/// Phases of the game: the number of empty cells divided by 8.
pub(crate) const PHASES: usize = 8;

/// Output buckets: phases with output weights of their own.
pub const OUTPUT_BUCKETS: usize = 4;

/// The first input of each group; the numbers of empty cells begin at 0.
const FIRST_MOVER: usize = 65;
const FIRST_ZUGZWANG: usize = FIRST_MOVER + 2;
const FIRST_PROSPECT: usize = FIRST_ZUGZWANG + PHASES * Zugzwang::KINDS;
const FIRST_FORCE: usize = FIRST_PROSPECT + PROSPECTS;
const FIRST_OUTLOOK: usize = FIRST_FORCE + FORCES;
const FIRST_CELL: usize = FIRST_OUTLOOK + PHASES * Outlook::KINDS;

/// Inputs for waiting cells and cells that can become waiting cells.
const PROSPECTS: usize = 3 * 4 * 3 * 3 * 2 * 2;

/// Inputs for forcing lines and forks.
const FORCES: usize = 3 * 3 * 3 * 3 * 2;
const FIRST_THREE: usize = FIRST_CELL + 2 * 64;
const FIRST_TWO: usize = FIRST_THREE + 4 * 64;

/// Inputs per cell. For each side: waiting; in a line of three, not playable or playable;
/// in a line of two, not playable or playable.
const CELL_KINDS: usize = 10;

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
pub const INPUT_GROUPS: [InputGroup; 9] = [
    InputGroup::new("empty-cells", "the number of empty cells", 0..FIRST_MOVER),
    InputGroup::new("side-to-move", "the side to move", FIRST_MOVER..FIRST_ZUGZWANG),
    InputGroup::new(
        "zugzwang",
        "the side that wins the zugzwang, and how",
        FIRST_ZUGZWANG..FIRST_PROSPECT,
    ),
    InputGroup::new(
        "prospects",
        "waiting cells, and cells that a move makes waiting cells",
        FIRST_PROSPECT..FIRST_FORCE,
    ),
    InputGroup::new(
        "force",
        "lines of three that force a reply, and forks",
        FIRST_FORCE..FIRST_OUTLOOK,
    ),
    InputGroup::new(
        "outlook",
        "the side that wins the zugzwang with one more waiting cell",
        FIRST_OUTLOOK..FIRST_CELL,
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
    /// The empty cells.
    pub(crate) empty: Bitboard,
    /// The side to move.
    pub(crate) mover: Side,
    /// The playable cells.
    pub(crate) playable: Bitboard,
    /// By side, the cells that would complete five but are not playable yet.
    pub(crate) waiting: [Bitboard; 2],
    /// Who wins the zugzwang, and how.
    pub(crate) zugzwang: Zugzwang,
    /// Who wins it with one more waiting cell.
    pub(crate) outlook: Outlook,
    /// By side, the empty cells of open lines with three bricks; without horizontal lines.
    pub(crate) threes: [Threes; 2],
    /// By side, the empty cells of open lines with two bricks; without horizontal lines.
    pub twos: [Bitboard; 2],
}

impl Features {
    /// Calls `visit` with each active input; a position has 10 to 50 of them.
    #[inline]
    pub fn active_inputs(&self, mut visit: impl FnMut(usize)) {
        visit(self.empty_count());
        visit(FIRST_MOVER + self.mover.index());
        visit(FIRST_ZUGZWANG + self.phase() * Zugzwang::KINDS + self.zugzwang.kind());
        visit(FIRST_PROSPECT + self.prospect());
        visit(FIRST_FORCE + self.force());
        visit(FIRST_OUTLOOK + self.phase() * Outlook::KINDS + self.outlook.kind());
        for side in 0..2 {
            let first_inputs = [FIRST_CELL, FIRST_THREE, FIRST_TWO].map(|first| first + 64 * side);
            for cell in self.waiting[side].cells() {
                visit(first_inputs[0] + cell.index());
            }
            for cell in self.threes[side].cells.cells() {
                visit(first_inputs[1] + self.playable_offset(cell) + cell.index());
            }
            for cell in self.twos[side].cells() {
                visit(first_inputs[2] + self.playable_offset(cell) + cell.index());
            }
        }
    }

    /// The inputs of playable cells come after those of all others of their kind, of both sides.
    fn playable_offset(&self, cell: Cell) -> usize {
        128 * usize::from(self.playable.contains(cell))
    }

    /// The waiting cells of both sides, the cells that one move makes waiting cells, the side to
    /// move and the one after all neutral cells.
    fn prospect(&self) -> usize {
        let waiting = self.waiting.map(|cells| cells.count() as usize);
        let [first, second] =
            [0, 1].map(|side| ((self.threes[side].waiting & !self.waiting[side]).count() as usize).min(2));
        let cells = (waiting[0].min(2) * 4 + waiting[1].min(3)) * 9 + first * 3 + second;
        (cells * 2 + self.mover.index()) * 2 + self.zugzwang.side_to_move().index()
    }

    /// The forcing lines and forks of both sides, and the side to move.
    fn force(&self) -> usize {
        let forcing = [0, 1].map(|side| (self.threes[side].forcing as usize).min(2));
        let forks = [0, 1].map(|side| (self.threes[side].forks.count() as usize).min(2));
        let cells = (forcing[0] * 3 + forcing[1]) * 9 + forks[0] * 3 + forks[1];
        cells * 2 + self.mover.index()
    }

    fn empty_count(&self) -> usize {
        self.empty.count() as usize
    }

    /// The phase of the game, less than [`PHASES`]; 0 is the end.
    pub(crate) fn phase(&self) -> usize {
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
    if input < FIRST_CELL {
        input
    } else {
        let flip = if ranks { 0o70 } else { 0 } | if columns { 0o07 } else { 0 };
        FIRST_CELL + ((input - FIRST_CELL) ^ flip)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use lodestone_game::Game;
    use lodestone_game::magnetic_cave::MagneticCave;

    use super::*;
    use crate::game::magnetic_cave::{mirrored_position, network_features, random_positions};

    fn active_inputs(position: &MagneticCave) -> BTreeSet<usize> {
        let mut inputs = BTreeSet::new();
        let (features, _) = network_features(position);
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
        let [zugzwang, outlook] = [Zugzwang::KINDS, Outlook::KINDS].map(|kinds| PHASES * kinds);
        assert_eq!(
            sizes,
            [
                65,
                2,
                zugzwang,
                PROSPECTS,
                FORCES,
                outlook,
                2 * 64,
                4 * 64,
                4 * 64
            ]
        );
    }
}
