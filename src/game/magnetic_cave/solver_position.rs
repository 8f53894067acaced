//! Positions of the solver: needs, idle rows, static bounds, and the keys of proofs.
//!
//! Proofs: `research/magnetic-cave.md`.

use lodestone_game::Game;
use lodestone_game::board::{Bitboard, Cell, Side, first_of, is_single, is_subset, without_first};
use lodestone_game::magnetic_cave::{MagneticCave, playable};
use lodestone_game::random::mix;

use super::cores::strategy_cores;
use super::move_policy::{PolicyPosition, move_scores};
use super::needs::{MAX_NEEDS, Needs};
use super::pairing::{PairingStrategy, paired_rows, relevant_cells};

/// A position as far as it matters for the result: the empty cells, and the needs of both
/// sides, of which each side has at most `N`. Needs in paired rows are left out.
#[derive(Clone, Copy, Debug)]
pub struct SolverPosition<const N: usize = MAX_NEEDS> {
    empty: Bitboard,
    mover: Side,
    needs: [Needs<N>; 2],
}

/// What can be seen of a position without search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SolverThreats {
    playable: Bitboard,
    /// The empty cells that are not idle.
    live: Bitboard,
    /// By side, the cells that complete five for it: playable, and not playable yet.
    completing: [Bitboard; 2],
    waiting: [Bitboard; 2],
}

/// What the rules leave the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// It completes five on this cell.
    Win(Bitboard),
    /// All moves to search, and what excludes the others. No move: the opponent completes
    /// five.
    Moves {
        /// The moves.
        cells: Bitboard,
        /// Waiting cells and threats of the opponent.
        excluded_by: Bitboard,
    },
}

impl Choice {
    /// The number of moves to search, 0 for a win.
    pub(crate) fn replies(&self) -> u32 {
        match self {
            Choice::Win(_) => 0,
            Choice::Moves { cells, .. } => cells.count(),
        }
    }
}

/// Different numbers for the needs of the two sides in a hash.
const SIDE_NUMBERS: [u64; 2] = [0x9e37_79b9_7f4a_7c15, 0xd1b5_4a32_d192_ed03];

/// A random odd factor.
const HASH_FACTOR: u64 = 0xa076_1d64_78bd_642f;

/// The key of the proofs of one question for one side, see [`SolverPosition::proof_key`].
#[derive(Clone, Copy, Debug)]
pub struct ProofKey {
    /// The side whose goal is proven.
    side: Side,
    /// A hash of the question and of all needs of the other side.
    hash: u64,
    /// The cells of these needs.
    cells: Bitboard,
}

impl SolverPosition<MAX_NEEDS> {
    /// The solver position for an unfinished position. `None` if there are too many needs.
    pub fn of(position: &MagneticCave) -> Option<Self> {
        let empty = position.empty();
        let needs = Side::BOTH.map(|side| Needs::of(empty, position.pieces(side.opponent())));
        SolverPosition::with_needs(empty, position.side_to_move(), needs)
    }

    /// The solver position for an unfinished position with other lines, such as those of a smaller
    /// board: all cells outside it count as filled, like the wall. The side to move counts as
    /// [`Side::First`] if the number of empty cells is even, because parity decides what the solver
    /// knows about zugzwang. `bricks` are those of the side to move and those of the other side.
    /// `None` if there are too many needs.
    pub fn with_lines(lines: &[Bitboard], empty: Bitboard, bricks: [Bitboard; 2]) -> Option<Self> {
        let [own, other] = [bricks[1], bricks[0]].map(|blocked| {
            let open = lines.iter().filter(|&&line| (line & blocked).is_empty());
            Needs::minimal(open.map(|&line| line & empty))
        });
        if empty.count().is_multiple_of(2) {
            SolverPosition::with_needs(empty, Side::First, [own, other])
        } else {
            SolverPosition::with_needs(empty, Side::Second, [other, own])
        }
    }

    fn with_needs(
        empty: Bitboard,
        mover: Side,
        [first, second]: [Option<Needs<MAX_NEEDS>>; 2],
    ) -> Option<Self> {
        let mut position = SolverPosition {
            empty,
            mover,
            needs: [first?, second?],
        };
        position.remove_paired_rows();
        Some(position)
    }
}

impl<const N: usize> SolverPosition<N> {
    /// A full board.
    pub(crate) const NONE: SolverPosition<N> = SolverPosition {
        empty: Bitboard::EMPTY,
        mover: Side::First,
        needs: [Needs::NONE; 2],
    };

    /// The same position with another capacity for needs; `None` if they are too many for it.
    pub(crate) fn with_capacity<const M: usize>(&self) -> Option<SolverPosition<M>> {
        let [first, second] = &self.needs;
        Some(SolverPosition {
            empty: self.empty,
            mover: self.mover,
            needs: [first.with_capacity()?, second.with_capacity()?],
        })
    }

    /// The side to move.
    pub fn side_to_move(&self) -> Side {
        self.mover
    }

    /// The playable cells.
    pub(crate) fn playable(&self) -> Bitboard {
        playable(!self.empty)
    }

    /// The number of empty cells.
    pub fn plies_left(&self) -> u32 {
        self.empty.count()
    }

    /// The minimal needs of a side.
    pub fn needs(&self, side: Side) -> &Needs<N> {
        &self.needs[side.index()]
    }

    /// The position after a brick of the side to move on `cell`, which does not complete
    /// five.
    #[must_use]
    pub fn play(&self, cell: Bitboard) -> SolverPosition<N> {
        let mut next = SolverPosition::NONE;
        next.set_next(self, cell);
        next
    }

    /// Makes this the position after such a brick on `before`. To copy a new position takes
    /// longer than to make it in its place.
    pub(crate) fn set_next(&mut self, before: &SolverPosition<N>, cell: Bitboard) {
        let (own, other) = (before.mover.index(), before.mover.opponent().index());
        self.empty = before.empty & !cell;
        self.mover = before.mover.opponent();
        self.needs[own].set_after_own(&before.needs[own], cell);
        self.needs[other].set_without(&before.needs[other], cell);
        self.remove_paired_rows();
    }

    fn remove_paired_rows(&mut self) {
        let rows = paired_rows(self.empty, &self.needs);
        if !rows.is_empty() {
            for needs in &mut self.needs {
                needs.remove(rows);
            }
        }
    }

    /// The threats of this position.
    pub fn threats(&self) -> SolverThreats {
        let playable = self.playable();
        let mut live = Bitboard::EMPTY;
        let mut single = [Bitboard::EMPTY; 2];
        for (needs, single) in self.needs.iter().zip(&mut single) {
            for &need in needs.all() {
                live |= need;
                *single |= if is_single(need) { need } else { Bitboard::EMPTY };
            }
        }
        SolverThreats {
            playable,
            live: relevant_cells(self.empty, live),
            completing: single.map(|cells| cells & playable),
            waiting: single.map(|cells| cells & !playable),
        }
    }

    /// What the rules leave the side to move. All moves on idle cells only pass the turn,
    /// and two such moves cancel each other out. So one of them is enough, and none if the
    /// number of idle cells is even.
    pub fn choice(&self, threats: &SolverThreats) -> Choice {
        let (own, other) = (self.mover.index(), self.mover.opponent().index());
        let win = threats.completing[own];
        if !win.is_empty() {
            return Choice::Win(first_of(win));
        }
        let threat = threats.completing[other];
        let more = without_first(threat);
        if !more.is_empty() {
            return Choice::Moves {
                cells: Bitboard::EMPTY,
                excluded_by: first_of(threat) | first_of(more),
            };
        }
        let answers = if threat.is_empty() {
            threats.playable
        } else {
            threat
        };
        let waiting = threats.waiting[other];
        let beside = waiting.east() | waiting.west();
        let mut excluded_by = threat;
        for cell in (answers & beside).cells() {
            let cell = Bitboard::from(cell);
            let opened = waiting & (cell.east() | cell.west());
            if (opened & excluded_by).is_empty() {
                excluded_by |= first_of(opened);
            }
        }
        let safe = answers & !beside;
        let mut cells = safe & threats.live;
        if !(self.empty & !threats.live).count().is_multiple_of(2) {
            cells |= first_of(safe & !threats.live);
        }
        Choice::Moves { cells, excluded_by }
    }

    /// The scores of moves for the question whether `attacker` can win, see [`move_scores`].
    pub(crate) fn move_scores(
        &self,
        cells: Bitboard,
        attacker: Side,
        replies: impl ExactSizeIterator<Item = (Cell, u32)>,
    ) -> [i32; 64] {
        let needs = [self.mover, self.mover.opponent()].map(|side| self.needs(side).all());
        let position = PolicyPosition {
            empty: self.empty,
            playable: self.playable(),
            needs,
            attacks: self.mover == attacker,
        };
        move_scores(&position, cells, replies)
    }

    /// A static proof that `side` cannot win, called only if there are several [`choices`](Self::choice). `None`
    /// without such a proof, else the waiting cells of the other side that it uses.
    pub fn held(&self, side: Side, threats: &SolverThreats) -> Option<Bitboard> {
        self.strategy(side.opponent(), false, threats)
    }

    /// A static proof that `side` wins, called only if there are several [`choices`](Self::choice). `None` without
    /// such a proof, else the waiting cells that it uses.
    pub fn won(&self, side: Side, threats: &SolverThreats) -> Option<Bitboard> {
        self.strategy(side, true, threats)
    }

    /// A strategy of `holder`, which wants to win, or not to lose: pairs, and the cores of waiting
    /// cells, where it has a strategy of its own.
    fn strategy(&self, holder: Side, wins: bool, threats: &SolverThreats) -> Option<Bitboard> {
        let own = threats.waiting[holder.index()];
        if wins && own.is_empty() {
            return None;
        }
        let pairing = self.pairing_against(holder.opponent(), threats);
        let guarded = threats.waiting[holder.opponent().index()];
        let Some(common) = pairing.common_cells_without_pair(guarded) else {
            return self.strategy_with(&pairing, (holder, wins), own, guarded);
        };
        let inner = self.empty & self.empty.east() & self.empty.west();
        let mut more = (common & inner).cells().map(Bitboard::from);
        more.find_map(|more| self.strategy_with(&pairing, (holder, wins), own, guarded | more))
    }

    /// A strategy with these guarded cells; the own waiting cells that it uses.
    fn strategy_with(
        &self,
        pairing: &PairingStrategy<'_>,
        (holder, wins): (Side, bool),
        own: Bitboard,
        guarded: Bitboard,
    ) -> Option<Bitboard> {
        let fewer = guarded | guarded.east() | guarded.west();
        let mut is_possible = None;
        let mut exists = |used: Bitboard| {
            let cores = strategy_cores((used, guarded), (holder, wins), self.mover, self.empty);
            cores.is_some_and(|cores| {
                *is_possible.get_or_insert_with(|| pairing.exists(fewer, guarded))
                    && (fewer == cores || pairing.exists(cores, guarded))
            })
        };
        if !wins && exists(Bitboard::EMPTY) {
            return Some(Bitboard::EMPTY);
        }
        if guarded.is_empty() && !wins {
            return None;
        }
        let mut firsts = own;
        while !firsts.is_empty() {
            let first = first_of(firsts);
            if exists(first) {
                return Some(first);
            }
            firsts = without_first(firsts);
            for second in firsts.cells() {
                let both = first | Bitboard::from(second);
                if exists(both) {
                    return Some(both);
                }
            }
        }
        (own.count() > 2 && exists(own)).then_some(own)
    }

    fn pairing_against(&self, attacker: Side, threats: &SolverThreats) -> PairingStrategy<'_> {
        PairingStrategy {
            needs: self.needs(attacker).all(),
            playable: threats.playable,
        }
    }

    /// The key of proofs that `side` reaches its goal: `attacker` wins, or if `side` is the
    /// other side, `attacker` does not win. Such a proof depends on all needs of the other
    /// side, but only on some needs of `side` itself.
    pub fn proof_key(&self, attacker: Side, side: Side) -> ProofKey {
        let other = side.opponent().index();
        let question = mix((attacker.index() * 4 + side.index() * 2 + self.mover.index()) as u64 + 1);
        let (mut hash, mut cells) = (question, Bitboard::EMPTY);
        for &need in self.needs[other].all() {
            cells |= need;
            hash = hash.wrapping_add(need_hash(need, other));
        }
        ProofKey { side, hash, cells }
    }

    /// The place of these proofs in the table.
    pub(crate) fn place(&self, key: &ProofKey) -> u64 {
        mix(key.hash ^ mix(relevant_cells(self.empty, key.cells).0))
    }

    /// A hash of the question and of all that its answer depends on, not 0, given the keys of its
    /// proofs by side: positions with the same key have the same proofs.
    pub(crate) fn search_key(&self, [first, second]: &[ProofKey; 2]) -> u64 {
        let cells = relevant_cells(self.empty, first.cells | second.cells);
        mix(first.hash ^ second.hash.rotate_left(32) ^ mix(cells.0)) | 1
    }

    /// The tag of a proof that uses only those needs of its side that lie in `used`: a hash
    /// of all that it depends on.
    pub fn tag(&self, key: &ProofKey, used: Bitboard) -> u64 {
        let side = key.side.index();
        let (mut hash, mut cells) = (key.hash ^ mix(used.0), key.cells);
        for &need in self.needs[side].all() {
            let is_used = is_subset(need, used);
            cells |= if is_used { need } else { Bitboard::EMPTY };
            hash = hash.wrapping_add(if is_used { need_hash(need, side) } else { 0 });
        }
        mix(hash ^ !mix(relevant_cells(self.empty, cells).0))
    }
}

/// A hash of a need of a side: both halves of a product, so that all bits of the need count.
fn need_hash(need: Bitboard, side: usize) -> u64 {
    let product = u128::from(need.0 ^ SIDE_NUMBERS[side]) * u128::from(HASH_FACTOR);
    product as u64 ^ (product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use lodestone_game::magnetic_cave::lines::DIRECTIONS;

    use super::super::random_positions;
    use super::*;

    #[test]
    fn the_lines_of_the_whole_board_give_the_same_position() {
        let mut lines = Vec::new();
        for direction in DIRECTIONS {
            lines.extend(direction.starts.cells().map(|cell| direction.line_from(cell)));
        }
        let of_both = |position: SolverPosition| {
            let needs = Side::BOTH.map(|side| position.needs(side).all().to_vec());
            (position.mover, needs)
        };
        for position in random_positions(6, 300) {
            let mover = position.side_to_move();
            let bricks = [mover, mover.opponent()].map(|side| position.pieces(side));
            let with_lines = SolverPosition::with_lines(&lines, position.empty(), bricks);
            assert_eq!(
                SolverPosition::of(&position).map(of_both),
                with_lines.map(of_both),
                "{}",
                position.fen()
            );
        }
    }
}
