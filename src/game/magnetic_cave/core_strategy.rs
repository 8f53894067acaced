//! A strategy for the cores of a position: one side, the *holder*, touches them only when no other
//! cell is left, and reaches its goal whatever the other side does there.
//!
//! Proof: `docs/magnetic-cave.md`.

use super::cores::{Core, Opening};
use crate::board::{Bitboard, Side};
use crate::cell_sets::rows_of;

/// With more cores than this, a strategy is not searched for.
const MAX_CORES: usize = 4;

/// The cells of all cores, if `holder` has a strategy that reaches its goal: it wins, or it does not lose. `own`
/// are waiting cells of the holder, `guarded` cells are those which the other side must not get; the left and
/// right neighbours of all of these are empty. `empty` are all empty cells.
pub fn winning_cores(
    (own, guarded): (Bitboard, Bitboard),
    (holder, wins): (Side, bool),
    mover: Side,
    empty: Bitboard,
) -> Option<Bitboard> {
    let all = own | guarded;
    let is_odd = |cores: Bitboard| !(empty & !cores).count().is_multiple_of(2);
    if rows_of(all).count() == 8 * all.count() {
        let cores = all | all.east() | all.west();
        let margin = (own & !guarded).count() as i32 - (guarded & !own).count() as i32;
        let has_shared = !(own & guarded).is_empty();
        let needed = needed_margin(has_shared, wins, (mover == holder) != is_odd(cores));
        return (margin >= needed).then_some(cores);
    }
    let mut completing = [own, guarded];
    completing.rotate_right(holder.index());
    let strategy = CoreStrategy::of(completing, holder, wins)?;
    let cores = strategy.cells;
    strategy.succeeds(mover, is_odd(cores)).then_some(cores)
}

/// If each core has a single cell between its ends: by how many the cores in which only the holder completes five must outnumber
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
    list: [Core; MAX_CORES],
    count: usize,
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
        let mut strategy = CoreStrategy {
            list: [Core::default(); MAX_CORES],
            count: 0,
            cells: Bitboard::EMPTY,
            holder,
            wins,
        };
        let mut rest = completing[0] | completing[1];
        while let Some(cell) = rest.first() {
            let shift = 8 * cell.row();
            let row = Bitboard(0xff << shift);
            let in_row = rest & row;
            rest &= !row;
            let core = Core::of(completing.map(|cells| (cells.0 >> shift) as u8));
            *strategy.list.get_mut(strategy.count)? = core;
            strategy.count += 1;
            let left = in_row.0.trailing_zeros() - 1;
            strategy.cells |= Bitboard(((1 << core.len) - 1) << left);
        }
        Some(strategy)
    }

    /// Whether the holder reaches its goal, with an odd or an even number of neutral cells.
    fn succeeds(&self, mover: Side, is_odd: bool) -> bool {
        let is_holder = mover == self.holder;
        self.simple_result(is_holder, is_odd)
            .unwrap_or_else(|| self.searched_result(is_holder, is_odd))
    }

    /// The same by a search of all openings.
    fn searched_result(&self, is_holder: bool, is_odd: bool) -> bool {
        if self.count == 0 {
            return !self.wins;
        }
        match (is_holder, is_odd) {
            // The holder plays a neutral cell, so an even number is left for the other side.
            (true, true) | (false, false) => self.survives_openings(false),
            // Perhaps there is no neutral cell. If there is one, it plays there.
            (true, false) => self.survives_openings(true) && self.has_opening(),
            (false, true) => self.survives_openings(true) && self.succeeds(self.holder, false),
        }
    }

    /// The same by a formula, if each core has a single cell between its ends.
    fn simple_result(&self, is_holder: bool, is_odd: bool) -> Option<bool> {
        let (mut margin, mut shared) = (0, false);
        for core in &self.list[..self.count] {
            if core.len != Core::SIMPLE {
                return None;
            }
            let own = core.waiting[self.holder.index()] != 0;
            let other = core.waiting[self.holder.opponent().index()] != 0;
            margin += i32::from(own) - i32::from(other);
            shared |= own && other;
        }
        Some(margin >= needed_margin(shared, self.wins, is_holder != is_odd))
    }

    /// Whether the holder reaches its goal after each opening of the other side.
    fn survives_openings(&self, is_odd: bool) -> bool {
        let opener = self.holder.opponent();
        self.list[..self.count].iter().enumerate().all(|(index, &core)| {
            self.succeeds_after(index, core.open(opener), opener, is_odd)
                && self.succeeds_after(index, core.reversed().open(opener), opener, is_odd)
        })
    }

    /// Whether the holder can open a core when no neutral cell is left.
    fn has_opening(&self) -> bool {
        let opener = self.holder;
        self.list[..self.count].iter().enumerate().any(|(index, &core)| {
            self.succeeds_after(index, core.open(opener), opener, false)
                || self.succeeds_after(index, core.reversed().open(opener), opener, false)
        })
    }

    /// Whether the holder reaches its goal after the opening of the core with this index.
    fn succeeds_after(&self, index: usize, opening: Opening, opener: Side, is_odd: bool) -> bool {
        let (played, rest, neutral) = match opening {
            Opening::Win(winner) => return winner == self.holder,
            Opening::Rest(played, rest, neutral) => (played, rest, neutral),
        };
        let mut next = *self;
        if let Some(rest) = rest {
            next.list[index] = rest;
        } else {
            next.count -= 1;
            next.list[index] = next.list[next.count];
        }
        let mover = if played.is_multiple_of(2) {
            opener
        } else {
            opener.opponent()
        };
        next.succeeds(mover, is_odd ^ !neutral.is_multiple_of(2))
    }
}

#[cfg(test)]
mod tests {
    use super::super::cores::reference::{plain_points, random_rows};
    use super::*;
    use crate::random::Random;

    /// A strategy that succeeds, does so against all play in a plain search. Most goals that can be
    /// reached are reached by a strategy.
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
                    let succeeds = strategy.succeeds(mover, neutral % 2 == 1);
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
                    let formula = strategy.simple_result(mover == holder, is_odd).unwrap();
                    assert_eq!(
                        formula,
                        strategy.searched_result(mover == holder, is_odd),
                        "{strategy:?} {mover:?} {is_odd}"
                    );
                    counts[usize::from(formula)] += 1;
                }
            }
        }
        assert!(counts.iter().all(|&count| count > 100), "{counts:?}");
    }
}
