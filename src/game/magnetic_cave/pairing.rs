//! Pairing strategy: a static proof that a side, the attacker, cannot win.
//!
//! The defender pairs empty cells so that each open line of the attacker contains a whole
//! pair. It answers a brick on one cell of a pair with a brick on the other, so no line is
//! ever completed. The answer is always playable if the pair is
//!
//! * two cells that are playable now: they stay so until they are taken, or
//! * two neighbours in a row: a brick on one makes the other playable.
//!
//! The defender may play anywhere else: its own brick on a cell of a pair blocks the pair's
//! lines. Proofs: `docs/magnetic-cave.md`.

use super::lines::{DIRECTIONS, Direction, LENGTH};
use crate::board::Bitboard;

/// The search for a pairing strategy.
#[derive(Clone, Copy, Debug)]
pub struct PairingStrategy {
    /// The defender's bricks, which block lines.
    pub blocked: Bitboard,
    /// The empty cells.
    pub empty: Bitboard,
    /// The playable cells.
    pub playable: Bitboard,
}

impl PairingStrategy {
    /// Whether a pairing strategy was found. Pairs may not use `avoided` cells; lines
    /// through a `guarded` cell need no pair.
    pub fn exists(&self, avoided: Bitboard, guarded: Bitboard) -> bool {
        let [row, rest @ ..] = DIRECTIONS;
        let blocked = self.blocked | guarded;
        let playable = self.playable & !avoided;
        let mut lines = PlayableLines::default();
        for direction in rest {
            let starts = open_starts(blocked, direction);
            if !(starts & !at_least_two(playable, direction)).is_empty() {
                return false;
            }
            for start in starts.cells() {
                if !lines.push(direction.line_from(start) & playable) {
                    return false;
                }
            }
        }
        // An attacker with horizontal lines only has one threat at a time, and a defender
        // that may play anywhere can answer it.
        if lines.count == 0 && avoided.is_empty() {
            return true;
        }
        let mut pairs = Pairs::default();
        for start in open_starts(blocked, row).cells() {
            let cells = row.line_from(start) & self.empty & !avoided;
            if !pairs.add_neighbours(cells) {
                return false;
            }
        }
        lines.all().iter().all(|&line| pairs.add(line))
    }

    /// The cells that all lines without a pair have in common, perhaps none. `None` if each
    /// line has a pair. Horizontal lines do not count.
    pub fn common_cells_without_pair(&self) -> Option<Bitboard> {
        let [_, rest @ ..] = DIRECTIONS;
        let mut common = None;
        for direction in rest {
            let starts = open_starts(self.blocked, direction);
            let without = starts & !at_least_two(self.playable, direction);
            for start in without.cells() {
                let line = direction.line_from(start);
                let cells = common.map_or(line, |cells| cells & line);
                if cells.is_empty() {
                    return Some(cells);
                }
                common = Some(cells);
            }
        }
        common
    }
}

/// The first cells of the lines of one direction that contain no `blocked` cell.
fn open_starts(blocked: Bitboard, direction: Direction) -> Bitboard {
    let any = (1..LENGTH).fold(blocked, |any, index| any | direction.nth(blocked, index));
    direction.starts() & !any
}

/// The first cells of the lines that contain at least two of `cells`. Only cells of
/// [`Direction::starts`] are meaningful.
fn at_least_two(cells: Bitboard, direction: Direction) -> Bitboard {
    let mut at_least_one = cells;
    let mut at_least_two = Bitboard::EMPTY;
    for index in 1..LENGTH {
        let next = direction.nth(cells, index);
        at_least_two |= at_least_one & next;
        at_least_one |= next;
    }
    at_least_two
}

/// The playable cells of open lines, in ascending order of their number: lines with little
/// choice get their pairs first.
struct PlayableLines {
    cells: [Bitboard; PlayableLines::CAPACITY],
    count: usize,
}

impl Default for PlayableLines {
    fn default() -> PlayableLines {
        PlayableLines {
            cells: [Bitboard::EMPTY; PlayableLines::CAPACITY],
            count: 0,
        }
    }
}

impl PlayableLines {
    /// With more open lines than this, a pairing strategy is not searched for.
    const CAPACITY: usize = 16;

    /// Inserts a line; `false` if the list is full.
    fn push(&mut self, line: Bitboard) -> bool {
        if self.count == PlayableLines::CAPACITY {
            return false;
        }
        let mut place = self.count;
        while place > 0 && self.cells[place - 1].count() > line.count() {
            self.cells[place] = self.cells[place - 1];
            place -= 1;
        }
        self.cells[place] = line;
        self.count += 1;
        true
    }

    fn all(&self) -> &[Bitboard] {
        &self.cells[..self.count]
    }
}

/// Disjoint pairs of cells.
#[derive(Default)]
struct Pairs {
    list: [Bitboard; Pairs::CAPACITY],
    count: usize,
    used: Bitboard,
}

impl Pairs {
    /// 64 cells have at most 32 disjoint pairs.
    const CAPACITY: usize = 32;

    /// Whether `cells` contain a whole pair already.
    fn cover(&self, cells: Bitboard) -> bool {
        self.list[..self.count]
            .iter()
            .any(|&pair| (pair & !cells).is_empty())
    }

    /// Ensures that `cells` contain a whole pair; `false` if that is impossible.
    fn add(&mut self, cells: Bitboard) -> bool {
        if self.cover(cells) {
            return true;
        }
        let mut free = (cells & !self.used).cells();
        match (free.next(), free.next()) {
            (Some(first), Some(second)) => self.push(Bitboard::from(first) | second.into()),
            _ => false,
        }
    }

    /// Ensures that `cells` contain a whole pair of neighbours in a row, or any earlier
    /// pair; `false` if that is impossible.
    fn add_neighbours(&mut self, cells: Bitboard) -> bool {
        if self.cover(cells) {
            return true;
        }
        let free = cells & !self.used;
        let left = free & free.west();
        match left.first() {
            Some(cell) => {
                let cell = Bitboard::from(cell);
                self.push(cell | cell.east())
            }
            None => false,
        }
    }

    fn push(&mut self, pair: Bitboard) -> bool {
        if self.count == Pairs::CAPACITY {
            return false;
        }
        self.list[self.count] = pair;
        self.count += 1;
        self.used |= pair;
        true
    }
}
