//! A strategy for the cores of a position: one side, the *holder*, touches them only when no other
//! cell is left, and reaches its goal whatever the other side does there.
//!
//! Proof: `docs/magnetic-cave.md`.

use super::cores::{Core, Cores, Opening, rows_with_cells};
use crate::board::{Bitboard, Side, rows_of};

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
    fn succeeds_after(&self, index: usize, opening: Opening, is_odd: bool) -> bool {
        match opening {
            Opening::Win(winner) => winner == self.holder,
            Opening::Rest { mover, core, neutral } => {
                let cores = self.cores.after_opening(index, core);
                let is_odd = is_odd ^ !neutral.is_multiple_of(2);
                CoreStrategy { cores, ..*self }.succeeds((mover == self.holder) != is_odd)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::cores::reference::{plain_points, random_rows};
    use super::*;
    use crate::random::Random;

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
