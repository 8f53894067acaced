//! What counting cannot see: a small network, learned from games.
//!
//! It looks at each row as a whole (the bricks on its two stacks, the gap
//! between them), at the cells that lines of two, three and four bricks still
//! need, whether they can be played yet, at the zugzwang, at the number of empty cells
//! and at who is to move: [`View::inputs`]. Each input adds its weights to a handful of
//! hidden units; what is above zero in them is weighed once more, by the
//! [stage](View::stage) of the game, and added to weights of the inputs themselves and to
//! the counted value of `evaluation`.
//!
//! The hidden units come in four copies, one for each symmetry of the board, so
//! that a position and its mirror images are worth the same.
//!
//! There is one set of last weights for games between equals and one for each
//! player's games against weaker opponents, which count lines and look four
//! plies ahead. The difference between them is *contempt*: what a position is
//! worth because the opponent may go wrong in it.
//!
//! The weights in `weights.bin` are made by the package `fitting`; its
//! documentation has the commands.

use std::sync::LazyLock;

use super::zugzwang::Standoff;
use crate::board::{Bitboard, Side};
use crate::game::Contempt;
use crate::score::Value;

/// The network that the engine plays with.
pub static NETWORK: LazyLock<Network> = LazyLock::new(|| Network::new(include_bytes!("weights.bin")));

/// Hidden units in each of the four copies.
pub const HIDDEN_SIZE: usize = 4;

/// The symmetries of the board: none, ranks exchanged, columns exchanged, both.
pub const SYMMETRIES: usize = 4;

/// Hidden units of all copies.
const TOTAL_HIDDEN: usize = HIDDEN_SIZE * SYMMETRIES;

/// Stages of the game, each with its own last weights.
pub const OUTPUT_BUCKETS: usize = 4;

/// Sets of last weights: for the first and for the second player's games against
/// weaker opponents, as differences to the third, for games between equals.
pub const HEADS: usize = 3;

/// The last weights of one stage: one for each unit, one for the counted value,
/// and a constant.
pub const OUTPUT_WEIGHTS: usize = HIDDEN_SIZE + 2;

/// In `weights.bin`, one unit of a hidden unit.
pub const HIDDEN_SCALE: f32 = 64.0;

/// Hidden units count up to this.
pub const HIDDEN_LIMIT: f32 = 4.0;

/// [`HIDDEN_LIMIT`] as the network computes with it.
const HIDDEN_MOST: i16 = (HIDDEN_SCALE * HIDDEN_LIMIT) as i16;

/// In `weights.bin`, one unit of log-odds as the weight of an input: as in all
/// values.
pub const INPUT_SCALE: f32 = 400.0;

/// In `weights.bin`, one unit of log-odds in the last weights.
pub const OUTPUT_SCALE: f32 = 1600.0;

/// The size of `weights.bin`: for each input, a byte for each unit and each head;
/// then for each stage and head the last weights, two bytes each.
pub const WEIGHTS_BYTES: usize = INPUTS * (HIDDEN_SIZE + HEADS) + OUTPUT_BUCKETS * HEADS * OUTPUT_WEIGHTS * 2;

/// The contents of a row that a game can reach, in a number of 0 to
/// [`ROW_PATTERNS`] − 1; all others, with bricks that float, are 0.
const ROW_PATTERNS: usize = 2050;

/// A row as a number to base 3: empty, first player's brick, second player's.
const ROWS: usize = 3usize.pow(8);

/// The number of a row's pattern.
static PATTERN: [u16; ROWS] = patterns();

/// A row's bits as the digits of a number to base 3, the lowest bit first.
static TERNARY: [u16; 256] = ternary();

const EMPTY_CELLS: usize = 8 * ROW_PATTERNS;
const MOVER: usize = EMPTY_CELLS + 65;
const STANDOFF: usize = MOVER + 2;
const CELLS: usize = STANDOFF + EIGHTHS * Standoff::KINDS;

/// How many numbers of empty cells are told apart, in eights.
pub const EIGHTHS: usize = 8;

/// The number of inputs.
pub const INPUTS: usize = CELLS + CELL_KINDS * 64;

/// For each side: waiting cells; cells of lines of three, waiting or playable;
/// the same of lines of two.
const CELL_KINDS: usize = 10;

/// What an input describes. `fitting fit --without` leaves a group out, to measure
/// its worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputGroup {
    /// The contents of a row.
    Rows,
    /// The number of empty cells.
    EmptyCells,
    /// The side to move.
    SideToMove,
    /// The kind of [`Standoff`].
    Zugzwang,
    /// Cells that would complete five but are not playable yet.
    Waiting,
    /// Empty cells of open lines with three bricks.
    Threes,
    /// Empty cells of open lines with two bricks.
    Twos,
}

impl InputGroup {
    /// The group of an input, which is less than [`INPUTS`].
    pub const fn of(input: usize) -> InputGroup {
        match input {
            ..EMPTY_CELLS => InputGroup::Rows,
            EMPTY_CELLS..MOVER => InputGroup::EmptyCells,
            MOVER..STANDOFF => InputGroup::SideToMove,
            STANDOFF..CELLS => InputGroup::Zugzwang,
            _ => match (input - CELLS) / (2 * 64) {
                0 => InputGroup::Waiting,
                1 | 2 => InputGroup::Threes,
                _ => InputGroup::Twos,
            },
        }
    }
}

/// What the network is shown of a position.
#[derive(Clone, Copy, Debug)]
pub struct Features {
    /// The bricks by side.
    pub bricks: [Bitboard; 2],
    /// The side to move.
    pub mover: Side,
    /// The cells on which a brick holds.
    pub playable: Bitboard,
    /// By side, the cells that would complete five but are not playable yet.
    pub waiting: [Bitboard; 2],
    /// Who wins the zugzwang as things stand, and how.
    pub standoff: Standoff,
    /// By side, the empty cells of unmixed lines of three bricks that do not lie
    /// along a row.
    pub threes: [Bitboard; 2],
    /// The same of lines of two bricks.
    pub twos: [Bitboard; 2],
}

impl Features {
    /// Calls `see` with each input that is there, 20 to 60 of them.
    #[inline]
    pub fn inputs(&self, mut see: impl FnMut(usize)) {
        let [first, second] = self.bricks.map(|bricks| bricks.0.to_le_bytes());
        for row in 0..8 {
            let bits = [first[row], second[row]].map(usize::from);
            let number = TERNARY[bits[0]] + 2 * TERNARY[bits[1]];
            see(row * ROW_PATTERNS + usize::from(PATTERN[usize::from(number)]));
        }
        see(EMPTY_CELLS + self.empty());
        see(MOVER + self.mover.index());
        see(STANDOFF + self.eighth() * Standoff::KINDS + self.standoff.kind());
        for side in 0..2 {
            let kinds = [
                self.waiting[side],
                self.threes[side] & !self.playable,
                self.threes[side] & self.playable,
                self.twos[side] & !self.playable,
                self.twos[side] & self.playable,
            ];
            for (kind, cells) in kinds.into_iter().enumerate() {
                let from = CELLS + 64 * (2 * kind + side);
                for cell in cells.cells() {
                    see(from + cell.index());
                }
            }
        }
    }

    /// The number of empty cells.
    fn empty(&self) -> usize {
        64 - (self.bricks[0] | self.bricks[1]).count() as usize
    }

    /// The number of empty cells in eights, less than [`EIGHTHS`].
    pub fn eighth(&self) -> usize {
        (self.empty() / 8).min(EIGHTHS - 1)
    }

    /// The stage of the game.
    pub fn stage(&self) -> usize {
        stage(self.empty())
    }
}

/// The stage of the game with so many empty cells.
const fn stage(empty: usize) -> usize {
    match empty {
        44.. => 0,
        34..44 => 1,
        24..34 => 2,
        _ => 3,
    }
}

/// The input that sees in an image of a position what `input` sees in the
/// position itself; `symmetry` is one of [`SYMMETRIES`].
pub fn image(input: usize, symmetry: usize) -> usize {
    let (ranks, columns) = (symmetry & 1 != 0, symmetry & 2 != 0);
    if input < EMPTY_CELLS {
        let (row, pattern) = (input / ROW_PATTERNS, input % ROW_PATTERNS);
        let row = if ranks { 7 - row } else { row };
        let pattern = if columns {
            usize::from(MIRRORED[pattern])
        } else {
            pattern
        };
        row * ROW_PATTERNS + pattern
    } else if input < CELLS {
        input
    } else {
        let flip = if ranks { 0o70 } else { 0 } | if columns { 0o07 } else { 0 };
        CELLS + ((input - CELLS) ^ flip)
    }
}

/// The number of the pattern of a row read from the other end.
static MIRRORED: LazyLock<[u16; ROW_PATTERNS]> = LazyLock::new(|| {
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
});

/// Weights, laid out for speed.
#[derive(Debug)]
pub struct Network {
    /// By input, what it adds to the hidden units of all copies, and behind them what
    /// it is worth in itself, by head.
    inputs: Vec<[i16; WIDTH]>,
    /// By head and stage.
    last: [[OutputLayer; OUTPUT_BUCKETS]; HEADS],
}

/// Hidden units and heads, and some more: whole vectors of the processor.
const WIDTH: usize = TOTAL_HIDDEN + 8;

/// Where the heads among them end.
const HEADS_END: usize = TOTAL_HIDDEN + HEADS;

/// What a position is worth for the first player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NetworkOutput {
    /// Between equals.
    pub between_equals: Value,
    /// How much more (or, counted on by the second player, less) because of the mistakes
    /// that are counted on.
    pub contempt: Value,
}

/// The last weights.
#[derive(Clone, Copy, Debug)]
struct OutputLayer {
    hidden: [i16; TOTAL_HIDDEN],
    counted: i32,
    constant: i32,
}

/// The head for games between equals; the others are differences to it.
pub const NEUTRAL_HEAD: usize = 2;

impl Network {
    /// A network with these weights.
    pub fn new(weights: &[u8; WEIGHTS_BYTES]) -> Network {
        let (by_input, last) = weights.split_at(INPUTS * (HIDDEN_SIZE + HEADS));
        let weight =
            |input: usize, index: usize| i16::from(by_input[input * (HIDDEN_SIZE + HEADS) + index] as i8);
        let of_input = |input: usize| {
            let images: [usize; SYMMETRIES] = std::array::from_fn(|symmetry| image(input, symmetry));
            std::array::from_fn(|index| match index {
                0..TOTAL_HIDDEN => weight(images[index / HIDDEN_SIZE], index % HIDDEN_SIZE),
                TOTAL_HIDDEN..HEADS_END => images
                    .iter()
                    .map(|&image| weight(image, HIDDEN_SIZE + index - TOTAL_HIDDEN))
                    .sum(),
                _ => 0,
            })
        };
        let last_weight = |head: usize, stage: usize, index: usize| {
            let at = 2 * ((stage * HEADS + head) * OUTPUT_WEIGHTS + index);
            i16::from_le_bytes([last[at], last[at + 1]])
        };
        let last = std::array::from_fn(|head| {
            std::array::from_fn(|stage| OutputLayer {
                hidden: std::array::from_fn(|unit| last_weight(head, stage, unit % HIDDEN_SIZE)),
                counted: i32::from(last_weight(head, stage, HIDDEN_SIZE)),
                constant: i32::from(last_weight(head, stage, HIDDEN_SIZE + 1)),
            })
        });
        Network {
            inputs: (0..INPUTS).map(of_input).collect(),
            last,
        }
    }

    /// What a position is worth, given what was counted in it.
    pub fn evaluate(&self, view: &Features, counted: Value, contempt: Option<Contempt>) -> NetworkOutput {
        let mut sums = [0i16; WIDTH];
        view.inputs(|input| {
            for (sum, weight) in sums.iter_mut().zip(self.inputs[input]) {
                *sum = sum.saturating_add(weight);
            }
        });
        let hidden = sums.map(|unit| i32::from(unit.clamp(0, HIDDEN_MOST)));
        let value = |head: usize| {
            let last = &self.last[head][view.stage()];
            let weights = last.hidden.map(i32::from);
            let units: i32 = hidden
                .iter()
                .zip(weights)
                .map(|(unit, weight)| unit * weight)
                .sum();
            let scaled = units / HIDDEN_SCALE as i32 + last.constant;
            i32::from(sums[TOTAL_HIDDEN + head])
                + scaled * INPUT_SCALE as i32 / OUTPUT_SCALE as i32
                + counted * last.counted / OUTPUT_SCALE as i32
        };
        NetworkOutput {
            between_equals: value(NEUTRAL_HEAD),
            contempt: contempt.map_or(0, |Contempt { side, percent }| {
                value(side.index()) * i32::from(percent) / 100
            }),
        }
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

/// Numbers the rows whose empty cells stand side by side.
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::game::magnetic_cave::{MagneticCave, random_positions};
    use crate::game::{Evaluate, Game};

    /// The image of a position, by its FEN.
    fn reflected(position: &MagneticCave, symmetry: usize) -> MagneticCave {
        let fen = position.fen();
        let (board, mover) = fen.split_once(' ').unwrap();
        let mut rows: Vec<String> = board.split('/').map(str::to_string).collect();
        if symmetry & 1 != 0 {
            rows.reverse();
        }
        if symmetry & 2 != 0 {
            rows = rows.iter().map(|row| row.chars().rev().collect()).collect();
        }
        MagneticCave::from_fen(&format!("{} {mover}", rows.join("/"))).unwrap()
    }

    fn inputs(position: &MagneticCave) -> BTreeSet<usize> {
        let mut inputs = BTreeSet::new();
        position
            .network_features()
            .0
            .inputs(|input| assert!(inputs.insert(input)));
        assert!(inputs.iter().all(|&input| input < INPUTS));
        inputs
    }

    #[test]
    fn an_image_of_an_input_is_an_input_of_the_image() {
        for position in random_positions(3, 300) {
            for symmetry in 0..SYMMETRIES {
                let images = inputs(&position)
                    .into_iter()
                    .map(|input| image(input, symmetry))
                    .collect();
                assert_eq!(
                    inputs(&reflected(&position, symmetry)),
                    images,
                    "{}",
                    position.fen()
                );
            }
        }
    }

    #[test]
    fn each_group_has_its_inputs() {
        let count = |group| {
            (0..INPUTS)
                .filter(|&input| InputGroup::of(input) == group)
                .count()
        };
        let counts = [
            (InputGroup::Rows, 8 * ROW_PATTERNS),
            (InputGroup::EmptyCells, 65),
            (InputGroup::SideToMove, 2),
            (InputGroup::Zugzwang, EIGHTHS * Standoff::KINDS),
            (InputGroup::Waiting, 2 * 64),
            (InputGroup::Threes, 4 * 64),
            (InputGroup::Twos, 4 * 64),
        ];
        for (group, expected) in counts {
            assert_eq!(count(group), expected, "{group:?}");
        }
    }

    /// None, and all of each side.
    fn contempts() -> [Option<Contempt>; 3] {
        [None, Some(Side::First), Some(Side::Second)]
            .map(|side| side.map(|side| Contempt { side, percent: 100 }))
    }

    #[test]
    fn a_position_and_its_images_are_worth_the_same() {
        for position in random_positions(3, 300) {
            for contempt in contempts() {
                let worth = |position: &MagneticCave| position.evaluate(&position.node_info(), contempt);
                for symmetry in 0..SYMMETRIES {
                    assert_eq!(
                        worth(&reflected(&position, symmetry)),
                        worth(&position),
                        "{}",
                        position.fen()
                    );
                }
            }
        }
    }

    #[test]
    fn the_network_has_learned_something() {
        let positions = random_positions(3, 300);
        let changed = positions.iter().filter(|position| {
            let (view, counted) = position.network_features();
            let worths = contempts().map(|contempt| NETWORK.evaluate(&view, counted, contempt));
            worths[0].between_equals != counted && worths[1].contempt > 0 && worths[2].contempt < 0
        });
        assert!(changed.count() > 200);
    }
}
