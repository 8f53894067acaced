//! Move ordering of the solver: a linear policy, fitted to solved positions.
//!
//! The score of a move is a sum of weights: one for each need that contains the cell, one for each
//! need with a cell that the move makes playable, one for the row, and with many empty cells
//! one for the number of the opponent's replies. How the weights were fitted:
//! `research/notes/magnetic-cave.md`.

use lodestone_game::board::{Bitboard, Cell, rows_of};
use lodestone_game::magnetic_cave::lines::LENGTH;

use super::needs::is_horizontal;

/// The factor from weights to units of history.
const SCALE: i32 = 16;

/// The maximum number of cells of a need; larger ones, on other boards, count as these.
const MAX_SIZE: usize = LENGTH as usize;

/// The weights of the needs of one side. By the number of cells − 1, those of
///
/// * a need that contains the cell and is not horizontal, by whether none, one or more of its other
///   cells are playable: 5 · 3,
/// * a horizontal need that contains the cell: 5,
/// * a need that is not horizontal, with a cell that the move makes playable, by whether one of its other
///   cells is playable now: 5 · 2.
type NeedWeights = [i32; 30];

// The places of the second and the third part.
const HORIZONTAL: usize = 3 * MAX_SIZE;
const OPENS: usize = 4 * MAX_SIZE;

/// The weights for the moves of one side in one question, in thousandths of the natural
/// logarithm of a probability.
struct Weights {
    /// The needs of the side to move.
    own: NeedWeights,
    /// The needs of the other side.
    other: NeedWeights,
    /// By the number of empty cells in the row − 1.
    gap: [i32; 8],
    /// By the opponent's replies: 0, 1, up to 3, up to 6, more.
    replies: [i32; 5],
}

/// Few empty cells: by attacker, and by whether the attacker is to move.
static FEW_CELLS: [Weights; 4] = [
    // The first player attacks, the defender moves.
    Weights {
        own: [
            0, 0, 0, 957, 1563, 1563, 83, 338, 338, -418, -334, -334, 0, 0, 0, 0, 1239, -148, -137, -458,
            496, 0, 42, 129, -128, 72, 0, 273, 0, 0,
        ],
        other: [
            0, 0, 0, 1318, 627, 627, 735, 435, 435, 173, 227, 227, 0, 0, 0, 0, 419, 312, 206, 40, 0, 0, -31,
            785, 94, 375, 0, 446, 0, 0,
        ],
        gap: [-123, 2, -285, -85, -1, 163, 72, 256],
        replies: [0; 5],
    },
    // The first player attacks and moves.
    Weights {
        own: [
            0, 0, 0, 1230, 1822, 1822, -711, 657, 657, 0, 91, 91, 0, 0, 0, 0, 733, 160, -109, -239, -276, 0,
            -234, -229, -4, -113, 0, -247, 0, 0,
        ],
        other: [
            0, 0, 0, 928, 701, 701, 710, 594, 594, 1455, 131, 131, 0, 0, 0, 0, 802, -31, -192, -211, 0, 0,
            -532, 195, -239, 81, 0, -324, 0, 0,
        ],
        gap: [-146, -14, -360, 253, 38, 204, -1, 26],
        replies: [0; 5],
    },
    // The second player attacks, the defender moves.
    Weights {
        own: [
            0, 0, 0, 672, 1286, 1286, -234, 178, 178, 0, 491, 491, 0, 0, 0, 0, 510, 472, 7, -4, 1140, 0, 156,
            -176, -124, -102, 0, -158, 0, 0,
        ],
        other: [
            0, 0, 0, 1705, 875, 875, 1339, 701, 701, 318, 701, 701, 0, 0, 0, 0, 1191, 138, 1, -184, 0, 0,
            -63, 1037, -247, 508, 0, 405, 0, 0,
        ],
        gap: [-222, -85, 18, 151, 181, 168, 164, -377],
        replies: [0; 5],
    },
    // The second player attacks and moves.
    Weights {
        own: [
            0, 0, 0, 654, 1565, 1565, -212, 528, 528, 0, 0, 0, 0, 0, 0, 0, 1173, -241, -367, -278, 343, 0,
            168, -297, -248, -201, 0, 0, 0, 0,
        ],
        other: [
            0, 0, 0, 343, 590, 590, -15, -58, -58, 0, 0, 0, 0, 0, 0, 0, 843, 71, -93, -219, 0, 0, -769, -527,
            102, -27, 0, 0, 0, 0,
        ],
        gap: [-429, 66, -423, 349, 440, 372, -231, -143],
        replies: [0; 5],
    },
];

/// Many empty cells: by attacker, and by whether the attacker is to move. The fitted weights times 1.5,
/// which saves nodes beside the history.
static MANY_CELLS: [Weights; 4] = [
    // The first player attacks, the defender moves.
    Weights {
        own: [
            0, 0, 0, 992, 401, 0, 270, 389, 772, -28, 124, 227, -175, -1215, 197, 0, -448, 347, -248, -487,
            -759, 0, 225, 359, 193, 212, 292, 98, 0, -174,
        ],
        other: [
            0, 0, 0, 967, 1018, 0, 770, 365, 258, 853, 516, 133, -175, 776, 17, 0, 793, 270, 332, 65, 0, 0,
            -3, 346, 53, 291, -381, 170, 0, 397,
        ],
        gap: [-224, 138, -341, -141, 9, 98, 136, 285],
        replies: [4013, 983, 113, -452, -996],
    },
    // The first player attacks and moves.
    Weights {
        own: [
            0, 0, 0, 1136, 481, 0, 524, 719, 778, -142, 189, -6, 0, -569, -128, 0, 126, 226, -183, -564,
            -1023, 0, 287, 274, 156, 117, 525, 130, 0, -2219,
        ],
        other: [
            0, 0, 0, 629, 1143, 0, 544, 390, 441, 664, 451, 210, 0, 311, 202, 0, 862, 287, 354, 32, 0, 0, 6,
            -223, -25, 102, 321, 98, 0, 1762,
        ],
        gap: [-326, -97, -564, -81, -51, 198, 74, 213],
        replies: [4169, 433, -28, -858, -1331],
    },
    // The second player attacks, the defender moves.
    Weights {
        own: [
            0, 0, 0, 750, 146, 0, 76, 277, 577, -299, -136, 93, -94, 209, -716, 0, -562, 146, -248, -587,
            -627, 0, 322, 430, 56, 76, 559, 233, 0, 922,
        ],
        other: [
            0, 0, 0, 1221, 975, 0, 958, 531, 365, 646, 581, 307, -94, 592, 892, 0, 866, 354, 233, 50, 0, 0,
            106, 412, 187, 479, 359, 281, 0, -24,
        ],
        gap: [-267, 4, -426, -184, -22, 60, 185, 364],
        replies: [3612, 1244, 278, -549, -1096],
    },
    // The second player attacks and moves.
    Weights {
        own: [
            0, 0, 0, 1393, 1531, 0, 555, 606, 996, 352, 137, -173, 0, 1356, 1302, 0, 1536, 321, -265, -480,
            -118, 0, 199, 427, 267, 389, -478, 93, 0, -807,
        ],
        other: [
            0, 0, 0, 599, 842, 0, 170, 413, -15, 729, -120, 345, 0, -868, 190, 0, 1125, 17, 242, 26, 0, 0,
            -76, 125, 228, -81, 632, 231, 0, 1316,
        ],
        gap: [-234, 592, -298, 120, -155, 160, 167, -144],
        replies: [3350, -637, 1067, -331, -1205],
    },
];

/// What the scores depend on in a position.
#[derive(Clone, Copy, Debug)]
pub struct PolicyPosition<'a> {
    /// The empty cells.
    pub empty: Bitboard,
    /// The playable cells.
    pub playable: Bitboard,
    /// The needs of the side to move, and those of the other side.
    pub needs: [&'a [Bitboard]; 2],
    /// Whether the attacker is to move.
    pub attacks: bool,
}

/// The score of each move on `cells`, by the index of the cell, in units of history. `replies` says
/// for each of these cells how many moves the rules leave the opponent; it is empty if few cells are empty.
pub fn move_scores(
    position: &PolicyPosition<'_>,
    cells: Bitboard,
    replies: impl ExactSizeIterator<Item = (Cell, u32)>,
) -> [i32; 64] {
    let PolicyPosition {
        empty,
        playable,
        needs: [own, other],
        attacks,
    } = *position;
    let weights = if replies.len() == 0 {
        &FEW_CELLS
    } else {
        &MANY_CELLS
    };
    // The first player of the fitted positions moves with an even number of empty cells.
    let is_first_to_move = empty.count().is_multiple_of(2);
    let weights = &weights[2 * usize::from(is_first_to_move != attacks) + usize::from(attacks)];
    let mut scores = [0; 64];
    for cell in cells.cells() {
        let row = empty & rows_of(Bitboard::from(cell));
        scores[cell.index()] = weights.gap[row.count() as usize - 1];
    }
    for (cell, count) in replies {
        scores[cell.index()] += weights.replies[replies_index(count)];
    }
    for (needs, weights) in [(own, &weights.own), (other, &weights.other)] {
        for &need in needs {
            let size = (need.count() as usize).min(MAX_SIZE) - 1;
            let (now, later) = (need & playable, need & !playable);
            let weight = if is_horizontal(need) {
                weights[HORIZONTAL + size]
            } else {
                let opens = weights[OPENS + 2 * size + usize::from(!now.is_empty())];
                for cell in ((later.east() | later.west()) & cells).cells() {
                    scores[cell.index()] += opens;
                }
                // The cell of the move is one of the playable ones.
                weights[3 * size + (now.count() as usize).clamp(1, 3) - 1]
            };
            for cell in (need & cells).cells() {
                scores[cell.index()] += weight;
            }
        }
    }
    scores.map(|score| SCALE * score)
}

/// The index in [`Weights::replies`] of a number of replies.
fn replies_index(count: u32) -> usize {
    match count {
        0 => 0,
        1 => 1,
        2..=3 => 2,
        4..=6 => 3,
        _ => 4,
    }
}

#[cfg(test)]
mod tests {
    use lodestone_game::Game;
    use lodestone_game::board::Side;

    use super::super::solver_position::SolverPosition;
    use super::*;
    use lodestone_game::magnetic_cave::MagneticCave;

    fn position(fen: &str) -> SolverPosition {
        SolverPosition::of(&MagneticCave::from_fen(fen).unwrap()).unwrap()
    }

    fn replies(position: &SolverPosition) -> u32 {
        position.choice(&position.threats()).replies()
    }

    /// The scores of the playable cells of a position, not those of other cells.
    fn scores(fen: &str, attacker: Side, counts_replies: bool) -> (Bitboard, [i32; 64]) {
        let position = position(fen);
        let cells = position.playable();
        let count = |cell: Cell| (cell, replies(&position.play(cell.into())));
        let counts: Vec<_> = cells.cells().filter(|_| counts_replies).map(count).collect();
        (cells, position.move_scores(cells, attacker, counts.into_iter()))
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
        let questions = Side::BOTH.map(|attacker| [false, true].map(|replies| (attacker, replies)));
        for (attacker, counts_replies) in questions.into_iter().flatten() {
            for (fen, mirrored) in fens {
                let (cells, here) = scores(fen, attacker, counts_replies);
                let (_, there) = scores(mirrored, attacker, counts_replies);
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

    #[test]
    fn replies_are_counted_after_threats() {
        let full = "xxooxxoo/ooxxooxx";
        for (fen, index) in [
            // Two threats.
            (format!("{full}/xxooxxoo/xoxxooxx/xxxoxxxx/8/oooo4/oooo4 x"), 0),
            (format!("{full}/{full}/{full}/oooxo3/xxxx4 o"), 1),
            (format!("{full}/{full}/8/8/xoooxooo/xxxoxx2 x"), 3),
            ("8/6oo/x7/xo5x/oxo4x/x6o/xo5x/7o x".into(), 4),
        ] {
            assert_eq!(replies_index(replies(&position(&fen))), index, "{fen}");
        }
    }
}
