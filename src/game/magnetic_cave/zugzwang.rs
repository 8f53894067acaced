//! Zugzwang: which side runs out of harmless moves first.
//!
//! A *waiting cell* would complete five for a side but is not playable yet. It lies
//! strictly inside its row's gap, and a brick beside it makes it playable for the other
//! side. So each row with waiting cells has a *core*: its waiting cells, the cells between them, and
//! one cell on either side. All other empty cells are neutral. When they are full, the side to move
//! must open a core at one of its ends. What follows is forced: as long as a brick makes a
//! waiting cell playable, the other side completes five there, or has to block it.
//!
//! So the waiting cells make up a small game of their own, which is searched to its end here; new
//! waiting cells do not occur in it. Of the neutral cells, only their parity matters: a move in one
//! of them is answered by a move in another.
//!
//! Example: a row with one waiting cell, `·w·`. Its owner opens it without harm: the opponent must
//! block, the third cell follows, and the opponent is in zugzwang. The opponent who opens it loses.

use lodestone_game::Game;
use lodestone_game::board::{Bitboard, Side};
use lodestone_game::magnetic_cave::MagneticCave;

use super::cores::{Core, Cores, Opened, rows_with_cells};

/// The cores of a position, and the side that wins by them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Zugzwang {
    /// By side, the number of rows in which only this side has a waiting cell.
    own: [u32; 2],
    /// The number of rows in which both sides have one.
    shared: u32,
    /// The side to move once all neutral cells are full.
    to_move: Side,
    /// The side that wins if no other waiting cells arise.
    pub(crate) winner: Option<Side>,
}

impl Zugzwang {
    /// The number of kinds, see [`kind`](Self::kind).
    pub(crate) const KINDS: usize = 3 * 2 * 3 * 4 * 2;

    /// The zugzwang of a position if these are the waiting cells, by side.
    pub(crate) fn of(position: &MagneticCave, cells: [Bitboard; 2]) -> Zugzwang {
        let mut neutral = position.empty().count();
        let (mut own, mut shared) = ([0, 0], 0);
        let mut cores = Cores::default();
        for (_, in_row) in rows_with_cells(cells) {
            let core = Core::of(in_row);
            neutral = neutral.saturating_sub(core.len);
            // Without room, a core does not count.
            cores.push(core);
            match in_row.map(|cells| cells != 0) {
                [true, true] => shared += 1,
                [first, _] => own[usize::from(!first)] += 1,
            }
        }
        let is_odd = !neutral.is_multiple_of(2);
        let mover = position.side_to_move();
        Zugzwang {
            own,
            shared,
            to_move: if is_odd { mover.opponent() } else { mover },
            winner: match (CoreGame { cores, is_odd }).points(mover) {
                0 => None,
                points if points > 0 => Some(mover),
                _ => Some(mover.opponent()),
            },
        }
    }

    /// The side to move once all neutral cells are full.
    pub(crate) fn side_to_move(&self) -> Side {
        self.to_move
    }

    /// The kind of this zugzwang, less than [`KINDS`](Self::KINDS): the winner, the side to move, at
    /// most two cores of the first player, three of the second, and one shared.
    pub(crate) fn kind(&self) -> usize {
        let [first, second] = [self.own[0].min(2), self.own[1].min(3)].map(|count| count as usize);
        let shared = usize::from(self.shared > 0);
        let winner = self.winner.map_or(2, Side::index);
        (((winner * 2 + shared) * 3 + first) * 4 + second) * 2 + self.to_move.index()
    }
}

/// What one more waiting cell would change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Outlook {
    winner: Option<Side>,
    /// By side, its best result with one more waiting cell of its own, see [`points_for`].
    best: [usize; 2],
    mover: Side,
}

impl Outlook {
    /// The number of kinds, see [`kind`](Self::kind).
    pub(crate) const KINDS: usize = 3 * 3 * 3 * 2;

    /// The outlook of a position with these waiting cells and this zugzwang, given the cells that a
    /// move of a side makes waiting cells, by side.
    pub(crate) fn of(
        position: &MagneticCave,
        waiting: [Bitboard; 2],
        zugzwang: &Zugzwang,
        new: [Bitboard; 2],
    ) -> Outlook {
        let best = Side::BOTH.map(|side| {
            let index = side.index();
            let mut best = points_for(side, zugzwang.winner);
            for cell in (new[index] & !waiting[index]).cells() {
                if best == 2 {
                    break;
                }
                let mut more = waiting;
                more[index] |= Bitboard::from(cell);
                best = best.max(points_for(side, Zugzwang::of(position, more).winner));
            }
            best
        });
        Outlook {
            winner: zugzwang.winner,
            best,
            mover: position.side_to_move(),
        }
    }

    /// The kind of this outlook, less than [`KINDS`](Self::KINDS).
    pub(crate) fn kind(&self) -> usize {
        let winner = self.winner.map_or(2, Side::index);
        ((winner * 3 + self.best[0]) * 3 + self.best[1]) * 2 + self.mover.index()
    }
}

/// The result for a side: 0 for a loss, 1 for a draw, 2 for a win.
fn points_for(side: Side, winner: Option<Side>) -> usize {
    winner.map_or(1, |winner| 2 * usize::from(winner == side))
}

/// The cores, and whether the number of neutral cells is odd.
#[derive(Clone, Copy, Debug)]
struct CoreGame {
    cores: Cores,
    is_odd: bool,
}

impl CoreGame {
    /// The result for the side to move: 1 for a win, 0 for a draw, -1 for a loss.
    fn points(&self, side: Side) -> i32 {
        self.simple_points(side)
            .unwrap_or_else(|| self.searched_points(side))
    }

    /// The result if all cores are simple: the two sides open their own cores in turn,
    /// and the one that runs out of them first loses if another core is left.
    fn simple_points(&self, side: Side) -> Option<i32> {
        let opener = if self.is_odd { side.opponent() } else { side };
        let [own, other, shared] = self.cores.simple_counts(opener)?;
        let points = if own > other {
            i32::from(own - other - 1 + shared > 0)
        } else {
            -i32::from(other - own + shared > 0)
        };
        Some(if opener == side { points } else { -points })
    }

    /// The result by a search to the end.
    fn searched_points(&self, side: Side) -> i32 {
        let mut best = -1;
        let cores = self.cores.all();
        for (index, &core) in cores.iter().enumerate() {
            if cores[..index].contains(&core) {
                continue;
            }
            best = best.max(self.points_after(index, core.open(side), side));
            let reversed = core.reversed();
            if best < 1 && reversed != core {
                best = best.max(self.points_after(index, reversed.open(side), side));
            }
            if best == 1 {
                return 1;
            }
        }
        if self.is_odd {
            let next = CoreGame {
                is_odd: false,
                ..*self
            };
            best = best.max(-next.points(side.opponent()));
        }
        best
    }

    /// The result for `side`, which has opened the core with this index.
    fn points_after(&self, index: usize, opening: Opened, side: Side) -> i32 {
        let (winner_or_mover, points) = match opening {
            Opened::Win(winner) => (winner, 1),
            Opened::Rest { mover, core, neutral } => {
                let next = CoreGame {
                    cores: self.cores.after_opening(index, core),
                    is_odd: self.is_odd ^ !neutral.is_multiple_of(2),
                };
                (mover, next.points(mover))
            }
        };
        if winner_or_mover == side { points } else { -points }
    }
}

#[cfg(test)]
mod tests {
    use lodestone_game::board::Cell;
    use lodestone_game::random::Random;

    use super::*;
    use crate::game::magnetic_cave::cores::reference::{plain_points, random_rows};
    use crate::game::magnetic_cave::threats::Threats;

    /// The waiting cells by side, and the winner of the zugzwang.
    fn waiting(fen: &str) -> ([Bitboard; 2], Option<Side>) {
        let position = MagneticCave::from_fen(fen).unwrap();
        let cells = Side::BOTH.map(|side| Threats::of(&position).waiting(side));
        (cells, Zugzwang::of(&position, cells).winner)
    }

    #[test]
    fn one_core_wins_for_the_first_player_only() {
        // d4 completes column d, for x and then for o. With either side to move, the 61
        // cells outside the core leave the second player to open it.
        let (cells, winner) = waiting("3x3o/3x3o/3x4/3x4/8/8/7o/7o x");
        assert_eq!(cells, [Bitboard::from(Cell::new(4, 3)), Bitboard::EMPTY]);
        assert_eq!(winner, Some(Side::First));
        assert_eq!(waiting("3x3o/3x3o/3x4/3x4/8/8/7o/x6o o").1, Some(Side::First));
        assert_eq!(waiting("3o3x/3o3x/3o4/3o4/8/8/7x/7x x").1, None);
    }

    #[test]
    fn two_cores_win_for_their_owner() {
        let both = "x2o3x/x2o3x/3o4/3o4/5o2/5o2/x4o1x/x4o1x x";
        assert_eq!(waiting(both).1, Some(Side::Second));
        let colours_exchanged = "o2x3o/o2x3o/3x4/3x4/5x2/5x2/o4x1o/o4x1o x";
        // The first player, in zugzwang, uses up one of its own cores; then the second
        // player must open the other.
        assert_eq!(waiting(colours_exchanged).1, Some(Side::First));
    }

    #[test]
    fn results_match_plain_search() {
        let mut random = Random::new(14);
        let mut counts = [0; 3];
        for _ in 0..3000 {
            let (rows, waiting) = random_rows(&mut random);
            let mut cores = Cores::default();
            for in_row in waiting {
                assert!(cores.push(Core::of(in_row)));
            }
            let neutral = random.below(4) as u32;
            let game = CoreGame {
                cores,
                is_odd: neutral % 2 == 1,
            };
            for side in Side::BOTH {
                let points = game.points(side);
                assert_eq!(
                    points,
                    plain_points(&rows, neutral, side),
                    "{rows:?} {neutral} {side:?}"
                );
                counts[(points + 1) as usize] += 1;
            }
        }
        assert!(counts.iter().all(|&count| count > 200), "{counts:?}");
    }

    #[test]
    fn a_waiting_cell_between_two_of_the_opponent_is_worth_nothing() {
        // b7 and d7 are those of x, c7 of o: only x can open the row. The same in row 2.
        let (cells, winner) = waiting("8/8/xxoxo2o/oxox2oo/xxox3x/xxoxo2o/8/8 o");
        assert_eq!(cells.map(Bitboard::count), [4, 2]);
        assert_eq!(winner, Some(Side::First));
    }

    #[test]
    fn one_more_waiting_cell_changes_the_outlook() {
        let position = MagneticCave::from_fen("3x3o/3x3o/3x4/8/8/8/8/7o x").unwrap();
        let none = [Bitboard::EMPTY; 2];
        let zugzwang = Zugzwang::of(&position, none);
        let outlook = |new| Outlook::of(&position, none, &zugzwang, new);
        assert_eq!(outlook(none).best, [1, 1]);
        let cell = Bitboard::from(Cell::new(4, 3));
        assert_eq!(outlook([cell, Bitboard::EMPTY]).best, [2, 1]);
        assert_eq!(outlook([Bitboard::EMPTY, cell]).best, [1, 1]);
        let kinds = [outlook(none), outlook([cell, Bitboard::EMPTY])].map(|outlook| outlook.kind());
        assert_eq!(kinds, [(2 * 9 + 4) * 2, (2 * 9 + 7) * 2]);
    }
}
