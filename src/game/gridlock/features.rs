//! The inputs of the [network](super::network): counts for both sides, the number of pieces,
//! and the turns left.

use lodestone_game::Game;
use lodestone_game::board::Bitboard;
use lodestone_game::gridlock::{BOARD, Gridlock};

/// Counts for one side, in the order of [`Features::counts`]:
///
/// 0. room: distinct empty cells next to its pieces,
/// 1. private room: room that is not next to a piece of the opponent,
/// 2. moves,
/// 3. cells that it reaches within two moves of one piece,
/// 4. cells that it reaches before the opponent, by a flood fill from both sides at a time,
/// 5. cells that only it can ever reach while the pieces of the opponent stand still,
/// 6. pieces that are shut in,
/// 7. pieces with one exit,
/// 8. pieces on the rim,
/// 9. pieces in the corners,
/// 10. pieces next to a piece of the same side,
/// 11. pieces next to a piece of the opponent.
pub const COUNTS: usize = 12;

/// Counts are divided by this, so that they are about 1.
pub const COUNT_SCALE: f32 = 8.0;

/// Inputs: the counts of both sides, then what depends only on pieces and turns:
/// pieces, empty cells, turns left by three curves, and which side moves last.
pub const INPUTS: usize = 2 * COUNTS + GLOBALS;

/// The index of the moves among the counts.
const MOVES: usize = 2;

/// More turns left count as this many, or as one fewer, with the same side moving last.
pub(crate) const MAX_TURNS: u32 = 201;

/// Inputs that do not depend on where the pieces stand.
pub(crate) const GLOBALS: usize = 8;

/// Groups of numbers of pieces with direct weights of their own.
pub const PIECE_BUCKETS: usize = 6;

/// The features of a position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Features {
    /// By side, the side to move first.
    pub counts: [[u32; COUNTS]; 2],
    /// Pieces of a side.
    pub(crate) pieces: u32,
    /// Turns left, at most [`MAX_TURNS`].
    pub(crate) turns_left: u32,
}

impl Features {
    /// The features of a position.
    #[inline]
    pub fn of(position: &Gridlock) -> Features {
        let mover = position.side_to_move();
        let sides = [position.pieces(mover), position.pieces(mover.opponent())];
        let empty = position.empty();
        let beside = [spread(sides[0]), spread(sides[1])];
        let room = [beside[0] & empty, beside[1] & empty];
        let reached_first = race(room, empty);
        let connected = [flood(room[0], empty), flood(room[1], empty)];
        let (free, two_exits) = (spread(empty), with_two_exits(empty));
        let mut sets = [[Bitboard::EMPTY; COUNTS + 3]; 2];
        for side in 0..2 {
            let (own, other) = (sides[side], 1 - side);
            // The moves are four sets of cells, one for each direction.
            let (north, south) = (Bitboard(own.0 >> 8) & empty, Bitboard(own.0 << 8) & empty);
            let (west, east) = (Bitboard(own.0 >> 1) & empty, Bitboard(own.0 << 1) & empty);
            sets[side] = [
                room[side],
                room[side] & !room[other],
                north,
                (room[side] | spread(room[side])) & empty,
                reached_first[side],
                connected[side] & !connected[other],
                own & !free,
                own & free & !two_exits,
                own & RIM,
                own & CORNERS,
                own & beside[side],
                own & beside[other],
                south,
                west,
                east,
            ];
        }
        // Loops, because `map` on arrays of this size is not inlined.
        let mut counts = [[0; COUNTS]; 2];
        for (counts, sets) in counts.iter_mut().zip(&sets) {
            for (count, set) in counts.iter_mut().zip(sets) {
                *count = set.count();
            }
            for set in &sets[COUNTS..] {
                counts[MOVES] += set.count();
            }
        }
        Features {
            counts,
            ..Features::empty(sides[0].count(), position.plies_left())
        }
    }

    /// Features without counts.
    pub(super) const fn empty(pieces: u32, turns_left: u32) -> Features {
        Features {
            counts: [[0; COUNTS]; 2],
            pieces,
            // Further from the end, only the side that moves last matters.
            turns_left: if turns_left < MAX_TURNS {
                turns_left
            } else {
                MAX_TURNS - (MAX_TURNS + turns_left) % 2
            },
        }
    }

    /// The network's inputs.
    #[inline]
    pub fn inputs(&self) -> [f32; INPUTS] {
        let mut inputs = [0.0; INPUTS];
        let counts = self.counts.iter().flatten();
        for (input, &count) in inputs.iter_mut().zip(counts) {
            *input = count as f32 / COUNT_SCALE;
        }
        let (turns, near) = (self.turns_left as f32, self.nearness());
        let last = self.last_mover();
        let pieces = self.pieces as f32 / 24.0;
        inputs[2 * COUNTS..].copy_from_slice(&[
            pieces,
            pieces * pieces,
            near,
            near * near,
            16.0 / (16.0 + turns),
            turns.min(200.0) / 200.0,
            last,
            last * near,
        ]);
        inputs
    }

    /// How near the turn limit is: 1 with no turn left, a half with four.
    pub(crate) fn nearness(&self) -> f32 {
        4.0 / (4.0 + self.turns_left as f32)
    }

    /// 1 if the side to move makes the last move, −1 if the opponent does.
    pub(crate) fn last_mover(&self) -> f32 {
        if self.turns_left % 2 == 1 { 1.0 } else { -1.0 }
    }

    /// The group of the number of pieces, less than [`PIECE_BUCKETS`].
    pub fn piece_bucket(&self) -> usize {
        match self.pieces {
            ..=2 => 0,
            3..=4 => 1,
            5..=8 => 2,
            9..=13 => 3,
            14..=17 => 4,
            _ => 5,
        }
    }
}

/// The cells on the rim of the board.
const RIM: Bitboard = Bitboard(BOARD.0 & !(Bitboard::corner(5, 5).0 << 9));

/// The corners of the board.
const CORNERS: Bitboard = Bitboard(1 | 1 << 6 | 1 << 48 | 1 << 54);

/// The neighbours of these cells of the board, and perhaps cells outside the board: its
/// columns 0 to 6 need no masks against cells that wrap to the next row.
const fn spread(cells: Bitboard) -> Bitboard {
    Bitboard(cells.0 << 1 | cells.0 >> 1 | cells.0 << 8 | cells.0 >> 8)
}

/// The cells with two empty neighbours or more.
fn with_two_exits(empty: Bitboard) -> Bitboard {
    let [west, east] = [empty.0 << 1, empty.0 >> 1].map(Bitboard);
    let [north, south] = [empty.0 << 8, empty.0 >> 8].map(Bitboard);
    (north & south) | (east & west) | ((north | south) & (east | west))
}

/// The empty cells that a side can reach, from `room`.
fn flood(room: Bitboard, empty: Bitboard) -> Bitboard {
    let mut reached = room;
    loop {
        let next = reached | (spread(reached) & empty);
        if next == reached {
            return reached;
        }
        reached = next;
    }
}

/// The cells that each side reaches before the other, if both advance one cell at a time.
fn race(room: [Bitboard; 2], empty: Bitboard) -> [Bitboard; 2] {
    let mut fronts = room;
    let mut free = empty & !(room[0] | room[1]);
    let mut first = [room[0] & !room[1], room[1] & !room[0]];
    while !free.is_empty() {
        let next = [spread(fronts[0]) & free, spread(fronts[1]) & free];
        let reached = next[0] | next[1];
        if reached.is_empty() {
            break;
        }
        first = [first[0] | (next[0] & !next[1]), first[1] | (next[1] & !next[0])];
        free &= !reached;
        fronts = next;
    }
    first
}
