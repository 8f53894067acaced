//! When a side can be kept from winning by answering in pairs.
//!
//! The opponent pairs up empty cells so that each line that is still open to the
//! side holds a whole pair, and answers a brick on one cell of a pair with one on
//! the other. Then no line is ever completed. For this the answer must be
//! playable, and it is, if the pair is
//!
//! * two cells that are playable now: they stay so until they are taken, or
//! * two neighbours in a row: the brick on one makes the other playable.
//!
//! What else the opponent plays does not matter: a brick on one cell of a pair
//! blocks the pair's lines for good.

use super::lines::{DIRECTIONS, Direction, LENGTH};
use crate::board::Bitboard;

/// What is seen of a side that is to be held.
#[derive(Clone, Copy, Debug)]
pub struct Held {
    /// The opponent's bricks, which close lines.
    pub blocked: Bitboard,
    /// The cells without a brick.
    pub empty: Bitboard,
    /// Those on which a brick holds.
    pub playable: Bitboard,
}

impl Held {
    /// Whether pairs hold the side, where pairs may not have any of the `avoided`
    /// cells, and lines through a `guarded` cell need none.
    pub fn by_pairs(&self, avoided: Bitboard, guarded: Bitboard) -> bool {
        let [row, rest @ ..] = DIRECTIONS;
        let blocked = self.blocked | guarded;
        let playable = self.playable & !avoided;
        let mut lines = Lines::default();
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
        // A side with lines along rows only has one threat at a time, and who may
        // play anywhere can answer it.
        if lines.count == 0 && avoided.is_empty() {
            return true;
        }
        let mut pairs = Pairs::default();
        for start in open_starts(blocked, row).cells() {
            let needed = row.line_from(start) & self.empty & !avoided;
            if !pairs.add_neighbours(needed) {
                return false;
            }
        }
        lines.all().iter().all(|&line| pairs.add(line))
    }

    /// The cells, maybe none, that all those lines go through that hold no pair and do
    /// not lie along a row; `None` where there is no such line.
    pub fn without_pair(&self) -> Option<Bitboard> {
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

/// The first cells of the lines of one direction that are not blocked.
fn open_starts(blocked: Bitboard, direction: Direction) -> Bitboard {
    let any = (1..LENGTH).fold(blocked, |any, index| any | direction.nth(blocked, index));
    direction.starts() & !any
}

/// On the first cells of lines: whether two cells of the line are among `cells`.
fn at_least_two(cells: Bitboard, direction: Direction) -> Bitboard {
    let mut one = cells;
    let mut two = Bitboard::EMPTY;
    for index in 1..LENGTH {
        let next = direction.nth(cells, index);
        two |= one & next;
        one |= next;
    }
    two
}

/// The playable cells of open lines, those with fewer first.
struct Lines {
    cells: [Bitboard; Lines::MOST],
    count: usize,
}

impl Default for Lines {
    fn default() -> Lines {
        Lines {
            cells: [Bitboard::EMPTY; Lines::MOST],
            count: 0,
        }
    }
}

impl Lines {
    /// With more lines than this, pairs are not looked for.
    const MOST: usize = 16;

    /// Whether there was room for one more.
    fn push(&mut self, line: Bitboard) -> bool {
        if self.count == Lines::MOST {
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

/// Disjoint pairs.
#[derive(Default)]
struct Pairs {
    found: [Bitboard; Pairs::MOST],
    count: usize,
    used: Bitboard,
}

impl Pairs {
    const MOST: usize = 32;

    /// Whether a pair lies in `cells` already.
    fn hold(&self, cells: Bitboard) -> bool {
        self.found[..self.count]
            .iter()
            .any(|&pair| (pair & !cells).is_empty())
    }

    /// Takes a pair of free cells of a line, where none of the pairs lies in it.
    fn add(&mut self, line: Bitboard) -> bool {
        if self.hold(line) {
            return true;
        }
        let mut free = (line & !self.used).cells();
        match (free.next(), free.next()) {
            (Some(one), Some(other)) => self.push(Bitboard::from(one) | other.into()),
            _ => false,
        }
    }

    /// The same of neighbours in a row.
    fn add_neighbours(&mut self, needed: Bitboard) -> bool {
        if self.hold(needed) {
            return true;
        }
        let free = needed & !self.used;
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
        if self.count == Pairs::MOST {
            return false;
        }
        self.found[self.count] = pair;
        self.count += 1;
        self.used |= pair;
        true
    }
}
