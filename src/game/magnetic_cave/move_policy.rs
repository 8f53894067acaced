//! Move ordering of the solver: a linear policy, fitted to solved positions.
//!
//! The score of a move is a sum of weights: one for each need that contains the cell, one for each
//! need with a cell that the move makes playable, and one for the row. How the weights were
//! fitted: `docs/magnetic-cave.md`.

use super::lines::LENGTH;
use super::needs::is_horizontal;
use super::solver_position::SolverPosition;
use crate::board::{Bitboard, Side};
use crate::cell_sets::{rows_of, without_first};

/// The factor from weights to units of history.
const SCALE: i32 = 16;

/// The maximum number of cells of a need.
const MAX_SIZE: usize = LENGTH as usize;

/// Weights of the needs of one side, by the number of their cells − 1.
struct NeedWeights {
    /// A need that contains the cell and is not horizontal, by whether at least two of its cells
    /// are playable.
    contains: [[i32; 2]; MAX_SIZE],
    /// A horizontal need that contains the cell.
    horizontal: [i32; MAX_SIZE],
    /// A need that is not horizontal, with a cell that the move makes playable, by whether one of
    /// its other cells is playable now.
    opens: [[i32; 2]; MAX_SIZE],
}

/// The weights for the moves of one side in one question, in thousandths of the natural
/// logarithm of a probability.
struct Weights {
    /// The needs of the side to move.
    own: NeedWeights,
    /// The needs of the other side.
    other: NeedWeights,
    /// By the number of empty cells in the row − 1.
    gap: [i32; 8],
}

/// By attacker, and by whether the attacker is to move.
static WEIGHTS: [Weights; 4] = [
    // The first player attacks, the defender moves.
    Weights {
        own: NeedWeights {
            contains: [[0, 0], [957, 1563], [83, 338], [-418, -334], [0, 0]],
            horizontal: [0, 1239, -148, -137, -458],
            opens: [[496, 0], [42, 129], [-128, 72], [0, 273], [0, 0]],
        },
        other: NeedWeights {
            contains: [[0, 0], [1318, 627], [735, 435], [173, 227], [0, 0]],
            horizontal: [0, 419, 312, 206, 40],
            opens: [[0, 0], [-31, 785], [94, 375], [0, 446], [0, 0]],
        },
        gap: [-123, 2, -285, -85, -1, 163, 72, 256],
    },
    // The first player attacks and moves.
    Weights {
        own: NeedWeights {
            contains: [[0, 0], [1230, 1822], [-711, 657], [0, 91], [0, 0]],
            horizontal: [0, 733, 160, -109, -239],
            opens: [[-276, 0], [-234, -229], [-4, -113], [0, -247], [0, 0]],
        },
        other: NeedWeights {
            contains: [[0, 0], [928, 701], [710, 594], [1455, 131], [0, 0]],
            horizontal: [0, 802, -31, -192, -211],
            opens: [[0, 0], [-532, 195], [-239, 81], [0, -324], [0, 0]],
        },
        gap: [-146, -14, -360, 253, 38, 204, -1, 26],
    },
    // The second player attacks, the defender moves.
    Weights {
        own: NeedWeights {
            contains: [[0, 0], [672, 1286], [-234, 178], [0, 491], [0, 0]],
            horizontal: [0, 510, 472, 7, -4],
            opens: [[1140, 0], [156, -176], [-124, -102], [0, -158], [0, 0]],
        },
        other: NeedWeights {
            contains: [[0, 0], [1705, 875], [1339, 701], [318, 701], [0, 0]],
            horizontal: [0, 1191, 138, 1, -184],
            opens: [[0, 0], [-63, 1037], [-247, 508], [0, 405], [0, 0]],
        },
        gap: [-222, -85, 18, 151, 181, 168, 164, -377],
    },
    // The second player attacks and moves.
    Weights {
        own: NeedWeights {
            contains: [[0, 0], [654, 1565], [-212, 528], [0, 0], [0, 0]],
            horizontal: [0, 1173, -241, -367, -278],
            opens: [[343, 0], [168, -297], [-248, -201], [0, 0], [0, 0]],
        },
        other: NeedWeights {
            contains: [[0, 0], [343, 590], [-15, -58], [0, 0], [0, 0]],
            horizontal: [0, 843, 71, -93, -219],
            opens: [[0, 0], [-769, -527], [102, -27], [0, 0], [0, 0]],
        },
        gap: [-429, 66, -423, 349, 440, 372, -231, -143],
    },
];

/// The score of each move on `cells` for the question whether `attacker` can win, by the index
/// of the cell, in units of history.
pub fn move_scores<const N: usize>(
    position: &SolverPosition<N>,
    cells: Bitboard,
    attacker: Side,
) -> [i32; 64] {
    let mover = position.side_to_move();
    let weights = &WEIGHTS[2 * attacker.index() + usize::from(mover == attacker)];
    let (empty, playable) = (position.empty(), position.playable());
    let mut scores = [0; 64];
    for cell in cells.cells() {
        let row = empty & rows_of(Bitboard::from(cell));
        scores[cell.index()] = weights.gap[row.count() as usize - 1];
    }
    for (side, weights) in [(mover, &weights.own), (mover.opponent(), &weights.other)] {
        for &need in position.needs(side).all() {
            let size = need.count() as usize - 1;
            let (now, later) = (need & playable, need & !playable);
            let weight = if is_horizontal(need) {
                weights.horizontal[size]
            } else {
                let opens = weights.opens[size][usize::from(!now.is_empty())];
                for cell in ((later.east() | later.west()) & cells).cells() {
                    scores[cell.index()] += opens;
                }
                weights.contains[size][usize::from(!without_first(now).is_empty())]
            };
            for cell in (need & cells).cells() {
                scores[cell.index()] += weight;
            }
        }
    }
    scores.map(|score| SCALE * score)
}

#[cfg(test)]
mod tests {
    use super::super::MagneticCave;
    use super::*;
    use crate::board::Cell;
    use crate::game::Game;

    /// The scores of the playable cells of a position, not those of other cells.
    fn scores(fen: &str, attacker: Side) -> (Bitboard, [i32; 64]) {
        let position: SolverPosition = SolverPosition::of(&MagneticCave::from_fen(fen).unwrap()).unwrap();
        let cells = position.playable();
        (cells, move_scores(&position, cells, attacker))
    }

    #[test]
    fn mirrored_positions_have_mirrored_scores() {
        let fens = [
            (
                "oxo5/4oxxx/xx6/oxoxoxox/ooxoxox1/xo5o/8/o5ox x",
                "5oxo/xxxo4/6xx/xoxoxoxo/1xoxoxoo/o5ox/8/xo5o x",
            ),
            (
                "8/6oo/x7/xo5x/oxo4x/x6o/xo5x/7o x",
                "8/oo6/7x/x5ox/x4oxo/o6x/x5ox/o7 x",
            ),
        ];
        for attacker in Side::BOTH {
            for (fen, mirrored) in fens {
                let (cells, here) = scores(fen, attacker);
                let (_, there) = scores(mirrored, attacker);
                let image = |cell: Cell| Cell::new(cell.row(), 7 - cell.column());
                for cell in cells.cells() {
                    assert_eq!(here[cell.index()], there[image(cell).index()], "{fen} {cell:?}");
                }
                let distinct: std::collections::HashSet<i32> =
                    cells.cells().map(|cell| here[cell.index()]).collect();
                assert!(distinct.len() > 3, "{fen}: {distinct:?}");
            }
        }
    }
}
