//! Threats: cells that complete five, and what they force.

use lodestone_game::Game;
use lodestone_game::board::{Bitboard, Move, Side};
use lodestone_game::magnetic_cave::MagneticCave;
use lodestone_game::magnetic_cave::lines::DIRECTIONS;

use crate::game::Forced;

/// The cells that complete a line of five with bricks of `own`: all cells of the line but
/// that one are in `own`. Includes cells that are occupied or not playable.
pub(crate) fn completing(own: Bitboard) -> Bitboard {
    let mut cells = Bitboard::EMPTY;
    for direction in DIRECTIONS {
        let [a, b, c, d, e] = [0, 1, 2, 3, 4].map(|index| direction.nth(own, index));
        let ab = a & b & direction.starts;
        let de = d & e & direction.starts;
        let cd = c & d;
        cells |= direction.to_nth(b & c & de, 0)
            | direction.to_nth(a & c & de, 1)
            | direction.to_nth(ab & de, 2)
            | direction.to_nth(ab & c & e, 3)
            | direction.to_nth(ab & cd, 4);
    }
    cells
}

/// The threats in a position: the node info of Magnetic Cave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Threats {
    /// By side, the empty cells that would complete five for it.
    pub(crate) completing: [Bitboard; 2],
    /// The playable cells.
    pub(crate) playable: Bitboard,
}

impl Threats {
    /// The threats of a position.
    pub(crate) fn of(position: &MagneticCave) -> Threats {
        let empty = position.empty();
        Threats {
            completing: Side::BOTH.map(|side| completing(position.pieces(side)) & empty),
            playable: position.playable(),
        }
    }

    /// Waiting cells: they would complete five for `side` but are not playable yet.
    pub(crate) fn waiting(&self, side: Side) -> Bitboard {
        self.completing[side.index()] & !self.playable
    }

    /// The playable cells on which a brick of `mover` does not make a waiting cell of the
    /// opponent playable.
    pub(crate) fn safe(&self, mover: Side) -> Bitboard {
        let waiting = self.waiting(mover.opponent());
        self.playable & !(waiting.east() | waiting.west())
    }

    /// What these threats force on the side to move.
    pub(crate) fn forced(&self, mover: Side) -> Forced {
        let [own, other] =
            [mover, mover.opponent()].map(|side| self.completing[side.index()] & self.playable);
        if let Some(cell) = own.first() {
            return Forced::Win(Move::place(cell));
        }
        let answers = match other.count() {
            0 => self.playable,
            1 => other,
            _ => Bitboard::EMPTY,
        };
        let safe = answers & self.safe(mover);
        match (safe.first(), safe.count()) {
            (Some(cell), 1) => Forced::Only(Move::place(cell)),
            (Some(_), _) => Forced::Nothing,
            (None, _) => match other.first().or(self.playable.first()) {
                Some(cell) => Forced::Loss(Move::place(cell)),
                None => Forced::Nothing,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use lodestone_game::random::Random;

    use super::*;
    use crate::game::Evaluate;
    use lodestone_game::magnetic_cave::lines::{LINES, winning_starts};

    #[test]
    fn finds_all_completing_cells() {
        let mut random = Random::new(5);
        for _ in 0..2000 {
            let own = Bitboard(random.next_u64() & random.next_u64());
            if !winning_starts(own).is_empty() {
                continue;
            }
            let expected = LINES.iter().fold(Bitboard::EMPTY, |cells, &line| {
                let missing = line & !own;
                if missing.count() == 1 {
                    cells | missing
                } else {
                    cells
                }
            });
            assert_eq!(completing(own), expected);
        }
    }

    #[test]
    fn recognizes_wins_forced_replies_and_losses() {
        let forced_at = |fen| {
            let position = MagneticCave::from_fen(fen).unwrap();
            Threats::of(&position).forced(position.side_to_move())
        };
        let place = |position: &str, text| {
            Move::place(
                MagneticCave::from_fen(position)
                    .unwrap()
                    .parse_move(text)
                    .unwrap()
                    .to(),
            )
        };
        let win = "xxxx4/oooo4/8/8/8/8/8/8 x";
        assert_eq!(forced_at(win), Forced::Win(place(win, "e8")));
        let only = "xxxx4/ooo5/8/8/8/8/8/8 o";
        assert_eq!(forced_at(only), Forced::Only(place(only, "e8")));
        let loss = "xxxx4/xxxx4/ooo4o/ooo5/8/8/8/8 o";
        assert_eq!(forced_at(loss), Forced::Loss(place(loss, "e8")));
        assert_eq!(forced_at("8/8/8/8/8/8/8/8 x"), Forced::Nothing);
        // Only c7 and e7 are playable, and both make d7 playable for x.
        let zugzwang = "xooxoxxx/oo3oxo/xoxxxoxx/oxoxxxxo/oxoxoxoo/ooxoxxox/xooooxxo/ooxoxoxx o";
        assert_eq!(forced_at(zugzwang), Forced::Loss(place(zugzwang, "c7")));
    }

    /// The moves that win at once.
    fn wins(position: &MagneticCave) -> Vec<Move> {
        let legal = position.legal_moves();
        legal
            .iter()
            .copied()
            .filter(|&mv| {
                position
                    .play(mv)
                    .outcome()
                    .is_some_and(|outcome| outcome.reason == lodestone_game::magnetic_cave::FIVE)
            })
            .collect()
    }

    mod slow {
        use super::*;

        #[test]
        #[ignore = "slow: .ci/run"]
        fn forced_moves_match_a_search_of_two_plies() {
            let mut random = Random::new(6);
            let mut seen = [0; 4];
            for _ in 0..3000 {
                let mut position = MagneticCave::startpos();
                while position.outcome().is_none() {
                    let legal = position.legal_moves();
                    let good: Vec<Move> = legal
                        .iter()
                        .copied()
                        .filter(|&mv| wins(&position.play(mv)).is_empty())
                        .collect();
                    let info = position.node_info();
                    let forced = position.forced(&info);
                    let expected = match (wins(&position)[..].first(), &good[..]) {
                        (Some(_), _) => 0,
                        (None, []) => 1,
                        (None, [only]) => {
                            assert_eq!(forced, Forced::Only(*only), "{}", position.fen());
                            2
                        }
                        (None, good) => {
                            assert_eq!(position.candidates(&info)[..], *good, "{}", position.fen());
                            3
                        }
                    };
                    let kind = match forced {
                        Forced::Win(_) => 0,
                        Forced::Loss(_) => 1,
                        Forced::Only(_) => 2,
                        Forced::Nothing => 3,
                    };
                    assert_eq!(kind, expected, "{}", position.fen());
                    seen[kind] += 1;
                    // Prefer moves that do not lose at once, for longer games.
                    let choice = if good.is_empty() { &legal[..] } else { &good[..] };
                    position = position.play(*random.choose(choice).unwrap());
                }
            }
            assert!(seen.iter().all(|&count| count > 100), "{seen:?}");
        }
    }
}
