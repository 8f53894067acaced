//! Cores: the empty cells of a row that neither side likes to touch, because a brick there
//! makes a waiting cell playable.

use lodestone_game::board::{Bitboard, Side, rows_of};

/// The core of a row. Bit 0 is its left end, which is neutral, as is the right end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Core {
    /// By side, the waiting cells.
    pub(crate) waiting: [u8; 2],
    /// The number of cells.
    pub(crate) len: u32,
}

/// What follows when a core is opened.
#[derive(Clone, Copy, Debug)]
pub enum Opened {
    /// This side completes five.
    Win(Side),
    /// The forced moves end.
    Rest {
        /// The side to move.
        mover: Side,
        /// What is left of the core.
        core: Option<Core>,
        /// The number of empty cells of the row that are neutral now.
        neutral: u32,
    },
}

impl Core {
    /// The number of cells of a simple core, which has a single cell between its ends.
    const SIMPLE: u32 = 3;

    /// The core of a row with these waiting cells, of which there is at least one.
    pub(crate) fn of(waiting: [u8; 2]) -> Core {
        let all = waiting[0] | waiting[1];
        let left = all.trailing_zeros();
        Core {
            waiting: waiting.map(|cells| (cells >> left) << 1),
            len: u8::BITS - all.leading_zeros() - left + 2,
        }
    }

    /// The same core with its ends exchanged.
    pub(crate) fn reversed(self) -> Core {
        Core {
            waiting: self.waiting.map(|cells| cells.reverse_bits() >> (8 - self.len)),
            ..self
        }
    }

    /// `side` plays the left end; both sides play the forced moves that follow.
    pub(crate) fn open(self, side: Side) -> Opened {
        let (mut mover, mut played) = (side.opponent(), 1);
        loop {
            let has = |side: Side| self.waiting[side.index()] >> played & 1 == 1;
            if has(mover) {
                return Opened::Win(mover);
            }
            if !has(mover.opponent()) {
                break;
            }
            mover = mover.opponent();
            played += 1;
        }
        let rest = self.waiting.map(|cells| cells >> played);
        let core = (rest != [0, 0]).then(|| Core::of(rest));
        Opened::Rest {
            mover,
            core,
            neutral: self.len - played - core.map_or(0, |core| core.len),
        }
    }
}

/// The maximum number of cores in a list. More are rare, and would cost time.
const MAX_CORES: usize = 4;

/// A list of cores.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cores {
    list: [Core; MAX_CORES],
    count: usize,
}

impl Cores {
    /// Adds a core; `false` if the list is full.
    pub(crate) fn push(&mut self, core: Core) -> bool {
        let Some(place) = self.list.get_mut(self.count) else {
            return false;
        };
        *place = core;
        self.count += 1;
        true
    }

    /// The cores, in no particular order.
    pub(crate) fn all(&self) -> &[Core] {
        &self.list[..self.count]
    }

    /// The list after the core with this index was opened and `rest` is left of it.
    #[must_use]
    pub(crate) fn after_opening(&self, index: usize, rest: Option<Core>) -> Cores {
        let mut next = *self;
        if let Some(rest) = rest {
            next.list[index] = rest;
        } else {
            next.count -= 1;
            next.list[index] = next.list[next.count];
        }
        next
    }

    /// The numbers of cores in which only `side`, only the other side, and both complete five. `None` unless all cores
    /// are simple.
    pub(crate) fn simple_counts(&self, side: Side) -> Option<[i32; 3]> {
        let [mut own, mut other, mut shared] = [0; 3];
        for core in self.all() {
            if core.len != Core::SIMPLE {
                return None;
            }
            match [side, side.opponent()].map(|side| core.waiting[side.index()] != 0) {
                [true, true] => shared += 1,
                [true, false] => own += 1,
                _ => other += 1,
            }
        }
        Some([own, other, shared])
    }
}

/// The rows that contain any of these cells, and their cells, by side.
pub(crate) fn rows_with_cells(cells: [Bitboard; 2]) -> impl Iterator<Item = (u32, [u8; 2])> {
    let mut rest = cells[0] | cells[1];
    std::iter::from_fn(move || {
        let row = u32::from(rest.first()?.row());
        rest &= !Bitboard(0xff << (8 * row));
        Some((row, cells.map(|cells| (cells.0 >> (8 * row)) as u8)))
    })
}

// A strategy for the cores of a position: one side, the *holder*, touches them only when no other
// cell is left, and reaches its goal whatever the other side does there.
//
// Proof: `research/notes/magnetic-cave.md`.

/// The cells of all cores, if `holder` has a strategy that reaches its goal: it wins, or it does not lose. `own`
/// are waiting cells of the holder, `guarded` cells are those which the other side must not get; the left and
/// right neighbours of all of these are empty. `empty` are all empty cells.
pub(crate) fn strategy_cores(
    (own, guarded): (Bitboard, Bitboard),
    (holder, wins): (Side, bool),
    mover: Side,
    empty: Bitboard,
) -> Option<Bitboard> {
    let all = own | guarded;
    let is_against_parity = |cores: Bitboard| {
        let is_odd = !(empty & !cores).count().is_multiple_of(2);
        (mover == holder) != is_odd
    };
    if rows_of(all).count() == 8 * all.count() {
        let cores = all | all.east() | all.west();
        let margin = (own & !guarded).count() as i32 - (guarded & !own).count() as i32;
        let has_shared = !(own & guarded).is_empty();
        let needed = needed_margin(has_shared, wins, is_against_parity(cores));
        return (margin >= needed).then_some(cores);
    }
    let mut completing = [own, guarded];
    completing.rotate_right(holder.index());
    let strategy = CoreStrategy::of(completing, holder, wins)?;
    let cores = strategy.cells;
    strategy.succeeds(is_against_parity(cores)).then_some(cores)
}

/// If all cores are simple: by how many the cores in which only the holder completes five must outnumber
/// those in which only the other side does. `has_shared` says whether both do in a core, `is_against_parity` whether the
/// holder is to move with an even number of neutral cells, or the other side with an odd one.
fn needed_margin(has_shared: bool, wins: bool, is_against_parity: bool) -> i32 {
    let needed = match (has_shared, wins) {
        (true, _) => 0,
        (false, true) => 1,
        (false, false) => -1,
    };
    needed + i32::from(is_against_parity)
}

/// The cores, and what the holder wants.
#[derive(Clone, Copy, Debug)]
struct CoreStrategy {
    cores: Cores,
    /// All cells of the cores.
    cells: Bitboard,
    holder: Side,
    /// Whether the holder wants to win, or not to lose.
    wins: bool,
}

impl CoreStrategy {
    /// The cores of the rows with cells that complete five, by side. Those of the holder must complete
    /// five for it; the other side counts as the winner if it plays one of its own. `None` if there are too many
    /// cores.
    fn of(completing: [Bitboard; 2], holder: Side, wins: bool) -> Option<CoreStrategy> {
        let (mut cores, mut cells) = (Cores::default(), Bitboard::EMPTY);
        for (row, in_row) in rows_with_cells(completing) {
            let core = Core::of(in_row);
            if !cores.push(core) {
                return None;
            }
            let left = 8 * row + (in_row[0] | in_row[1]).trailing_zeros() - 1;
            cells |= Bitboard(((1 << core.len) - 1) << left);
        }
        Some(CoreStrategy {
            cores,
            cells,
            holder,
            wins,
        })
    }

    /// Whether the holder reaches its goal. `is_against_parity` as in [`needed_margin`].
    fn succeeds(&self, is_against_parity: bool) -> bool {
        self.simple_result(is_against_parity)
            .unwrap_or_else(|| self.searched_result(is_against_parity))
    }

    /// The same by a search of all openings.
    fn searched_result(&self, is_against_parity: bool) -> bool {
        if self.cores.all().is_empty() {
            return !self.wins;
        }
        if is_against_parity {
            // Perhaps the holder finds no neutral cell. If it finds one, it plays there, and an odd number is
            // left for the other side.
            self.survives_openings(true) && self.has_opening()
        } else {
            // The holder always finds a neutral cell, and leaves an even number for the other side.
            self.survives_openings(false)
        }
    }

    /// The same by a formula, if all cores are simple.
    fn simple_result(&self, is_against_parity: bool) -> Option<bool> {
        let [own, other, shared] = self.cores.simple_counts(self.holder)?;
        Some(own - other >= needed_margin(shared > 0, self.wins, is_against_parity))
    }

    /// Whether the holder reaches its goal after each opening of the other side, with an odd or an even number
    /// of neutral cells.
    fn survives_openings(&self, is_odd: bool) -> bool {
        let opener = self.holder.opponent();
        self.cores.all().iter().enumerate().all(|(index, &core)| {
            self.succeeds_after(index, core.open(opener), is_odd)
                && self.succeeds_after(index, core.reversed().open(opener), is_odd)
        })
    }

    /// Whether the holder can open a core when no neutral cell is left.
    fn has_opening(&self) -> bool {
        self.cores.all().iter().enumerate().any(|(index, &core)| {
            self.succeeds_after(index, core.open(self.holder), false)
                || self.succeeds_after(index, core.reversed().open(self.holder), false)
        })
    }

    /// Whether the holder reaches its goal after the opening of the core with this index, with an odd or an even
    /// number of neutral cells before it.
    fn succeeds_after(&self, index: usize, opening: Opened, is_odd: bool) -> bool {
        match opening {
            Opened::Win(winner) => winner == self.holder,
            Opened::Rest { mover, core, neutral } => {
                let cores = self.cores.after_opening(index, core);
                let is_odd = is_odd ^ !neutral.is_multiple_of(2);
                CoreStrategy { cores, ..*self }.succeeds((mover == self.holder) != is_odd)
            }
        }
    }
}

/// The game of the cores by plain search, for tests.
#[cfg(test)]
pub mod reference {
    use lodestone_game::board::Side;
    use lodestone_game::random::Random;

    /// The result for `side`, by plain search: each row is a string of cells, each a set of the sides
    /// that complete five there, played from both ends; `neutral` cells lie elsewhere.
    pub(crate) fn plain_points(rows: &[Vec<u8>], neutral: u32, side: Side) -> i32 {
        let other = side.opponent();
        let completes = |cell: u8, side: Side| cell >> side.index() & 1 == 1;
        let mut moves = Vec::new();
        for (index, row) in rows.iter().enumerate() {
            for (cell, rest) in [row.split_first(), row.split_last()].into_iter().flatten() {
                moves.push((*cell, index, rest.to_vec()));
            }
        }
        if moves.iter().any(|&(cell, ..)| completes(cell, side)) {
            return 1;
        }
        if moves.iter().any(|&(cell, ..)| completes(cell, other)) {
            moves.retain(|&(cell, ..)| completes(cell, other));
        } else if neutral > 0 {
            moves.push((0, rows.len(), Vec::new()));
        }
        let points = moves.into_iter().map(|(_, index, rest)| {
            let mut next = rows.to_vec();
            match next.get_mut(index) {
                Some(row) => *row = rest,
                None => return -plain_points(rows, neutral - 1, other),
            }
            -plain_points(&next, neutral, other)
        });
        points.max().unwrap_or(0)
    }

    /// Up to three random rows for [`plain_points`] with at most nine cells, and the waiting cells of each, by side.
    pub(crate) fn random_rows(random: &mut Random) -> (Vec<Vec<u8>>, Vec<[u8; 2]>) {
        let (mut rows, mut waiting, mut left) = (Vec::new(), Vec::new(), 9);
        for _ in 0..=random.below(3) {
            let inner = 1 + random.below(4) as usize;
            if inner + 2 > left {
                break;
            }
            left -= inner + 2;
            let mut row: Vec<u8> = (0..inner).map(|_| random.below(4) as u8).collect();
            for end in [0, inner - 1] {
                row[end] = row[end].max(1 + random.below(3) as u8);
            }
            waiting.push([0, 1].map(|side| {
                let bits = row.iter().enumerate();
                bits.fold(0, |cells, (at, cell)| cells | (cell >> side & 1) << (at + 1))
            }));
            row.insert(0, 0);
            row.push(0);
            rows.push(row);
        }
        (rows, waiting)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn core_extends_one_cell_beyond_its_waiting_cells() {
        let core = |waiting, len| Core { waiting, len };
        assert_eq!(Core::of([0b0000_1000, 0]), core([0b010, 0], 3));
        assert_eq!(Core::of([0b0000_1000, 0b0001_0000]), core([0b0010, 0b0100], 4));
        assert_eq!(Core::of([0b0010_0100, 0]), core([0b01_0010, 0], 6));
        assert_eq!(core([0b0010, 0b0100], 4).reversed(), core([0b0100, 0b0010], 4));
    }

    #[test]
    fn each_row_with_cells_comes_once() {
        let cells = [1 << 7 | 1 << 16 | 1 << 23, 1 << 23 | 0b101 << 61].map(Bitboard);
        let rows: Vec<_> = rows_with_cells(cells).collect();
        assert_eq!(rows, [(0, [0x80, 0]), (2, [0x81, 0x80]), (7, [0, 0xa0])]);
    }
}

#[cfg(test)]
mod core_strategy_tests {
    use lodestone_game::random::Random;

    use super::super::cores::reference::{plain_points, random_rows};
    use super::*;

    /// [`strategy_cores`] for cells that complete five, by side.
    fn found_cores(
        completing: [Bitboard; 2],
        (holder, wins): (Side, bool),
        mover: Side,
        empty: Bitboard,
    ) -> Option<Bitboard> {
        let [own, guarded] = [holder, holder.opponent()].map(|side| completing[side.index()]);
        strategy_cores((own, guarded), (holder, wins), mover, empty)
    }

    /// A strategy reaches its goal against every play of a plain search. There is one for most goals that
    /// plain search reaches.
    #[test]
    fn strategies_reach_their_goals_in_plain_search() {
        let mut random = Random::new(15);
        let (mut found, mut all) = ([0; 2], [0; 2]);
        for _ in 0..3000 {
            let (rows, waiting) = random_rows(&mut random);
            let completing = [0, 1].map(|side| {
                let rows = waiting.iter().enumerate();
                rows.fold(Bitboard::EMPTY, |cells, (row, in_row)| {
                    cells | Bitboard(u64::from(in_row[side]) << (8 * row))
                })
            });
            let neutral = random.below(4) as u32;
            for (holder, mover) in Side::BOTH
                .into_iter()
                .flat_map(|side| [(side, side), (side, side.opponent())])
            {
                let points = plain_points(&rows, neutral, mover) * if mover == holder { 1 } else { -1 };
                for wins in [false, true] {
                    let strategy = CoreStrategy::of(completing, holder, wins).unwrap();
                    let cells: usize = rows.iter().map(Vec::len).sum();
                    assert_eq!(strategy.cells.count(), cells as u32, "{rows:?}");
                    let succeeds = strategy.succeeds((mover == holder) != (neutral % 2 == 1));
                    let empty = strategy.cells | Bitboard(((1 << neutral) - 1) << 56);
                    assert_eq!(
                        found_cores(completing, (holder, wins), mover, empty),
                        succeeds.then_some(strategy.cells),
                        "{rows:?} {neutral} {holder:?} {mover:?} {wins}"
                    );
                    let is_reached = points >= i32::from(wins);
                    assert!(
                        is_reached || !succeeds,
                        "{rows:?} {neutral} {holder:?} {mover:?} {wins}"
                    );
                    found[usize::from(wins)] += u32::from(succeeds);
                    all[usize::from(wins)] += u32::from(is_reached);
                }
            }
        }
        assert!(found[0] > 3000 && found[1] > 3000, "{found:?}");
        for (found, all) in found.into_iter().zip(all) {
            assert!(10 * found > 9 * all, "{found} of {all}");
        }
    }

    /// The formula for cores with a single cell says the same as the search.
    #[test]
    fn formula_for_simple_cores_matches_the_search() {
        let mut counts = [0; 2];
        for kinds in 0..64 {
            let mut completing = [Bitboard::EMPTY; 2];
            for row in 0..3 {
                for (side, cells) in completing.iter_mut().enumerate() {
                    let has = kinds >> (2 * row + side) & 1;
                    *cells |= Bitboard(has << (8 * row + 3));
                }
            }
            for (holder, wins) in Side::BOTH
                .into_iter()
                .flat_map(|side| [(side, false), (side, true)])
            {
                let strategy = CoreStrategy::of(completing, holder, wins).unwrap();
                for (mover, is_odd) in Side::BOTH
                    .into_iter()
                    .flat_map(|side| [(side, false), (side, true)])
                {
                    let is_against_parity = (mover == holder) != is_odd;
                    let formula = strategy.simple_result(is_against_parity).unwrap();
                    assert_eq!(
                        formula,
                        strategy.searched_result(is_against_parity),
                        "{strategy:?} {mover:?} {is_odd}"
                    );
                    let empty = strategy.cells | Bitboard(u64::from(is_odd) << 56);
                    assert_eq!(
                        found_cores(completing, (holder, wins), mover, empty),
                        formula.then_some(strategy.cells),
                        "{strategy:?} {mover:?} {is_odd}"
                    );
                    counts[usize::from(formula)] += 1;
                }
            }
        }
        assert!(counts.iter().all(|&count| count > 100), "{counts:?}");
    }
}
