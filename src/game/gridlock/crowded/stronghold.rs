//! Results that hold for any number of turns, found by counting.

use lodestone_game::board::Bitboard;
use lodestone_game::gridlock::BOARD;

/// The cells of `within` that are connected to `seeds`.
fn flood(seeds: Bitboard, within: Bitboard) -> Bitboard {
    let mut reached = seeds & within;
    loop {
        let more = (reached | reached.neighbours()) & within;
        if more == reached {
            return reached;
        }
        reached = more;
    }
}

/// Each cell of a set, as a set.
fn single_cells(cells: Bitboard) -> impl Iterator<Item = Bitboard> {
    cells.cells().map(Bitboard::from)
}

/// Whether the owner of `own` gets at least this result (1 for a win, 0 for a draw) with any
/// number of turns left, whichever side is to move, by a strategy that needs no search. False
/// if this is not known.
///
/// The cells of the opponent, and the holes connected with them, are *open*. The other holes
/// are *closed*: only the owner's pieces touch them. If one of them has an own neighbour that
/// touches no open cell, the owner can move this piece to and fro for ever. Then the open
/// cells stay the same, because only the opponent moves in them. The closed holes count for
/// the owner. An open hole counts for the opponent alone only on an open cell that no own
/// piece touches, so in each connected part of the open cells, at most as many holes as there
/// are such cells. If there is no open hole at all, the opponent has no move.
pub(crate) fn holds(own: Bitboard, other: Bitboard, points: i32) -> bool {
    let holes = BOARD & !(own | other);
    let open = flood(other.neighbours() & holes, holes | other) | other;
    let closed = holes & !open;
    let Some(count) = closed_room(own, open, closed) else {
        return false;
    };
    let (open_holes, exclusive) = (holes & open, open & !own.neighbours());
    if open_holes.is_empty() {
        return true;
    }
    if count - open_holes.count().min(exclusive.count()) as i32 >= points {
        return true;
    }
    let (mut rest, mut lost) = (open, 0);
    while let Some(cell) = rest.first() {
        let part = flood(cell.into(), rest);
        rest &= !part;
        lost += (part & open_holes).count().min((part & exclusive).count()) as i32;
    }
    count - lost >= points
}

/// The closed holes that count for the owner while a piece moves to and fro; `None` if no
/// piece can.
fn closed_room(own: Bitboard, open: Bitboard, closed: Bitboard) -> Option<i32> {
    let before = (closed & own.neighbours()).count() as i32;
    let pieces = own & !open.neighbours() & closed.neighbours();
    let mut most = None;
    for from in single_cells(pieces) {
        for to in single_cells(from.neighbours() & closed) {
            let both = from | to;
            let after = ((closed ^ both) & (own ^ both).neighbours()).count() as i32;
            if after >= before {
                return Some(before);
            }
            most = most.max(Some(after));
        }
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The cells with this letter.
    fn cells(board: &str, letter: char) -> Bitboard {
        let rows = (0..).zip(board.split('/'));
        let cells = rows.flat_map(|(row, letters)| {
            (0..)
                .zip(letters.chars())
                .map(move |(column, found)| (row, column, found))
        });
        let bits = cells
            .filter(|&(_, _, found)| found == letter)
            .map(|(row, column, _)| 1 << (8 * row + column));
        Bitboard(bits.sum())
    }

    /// What [`holds`] says for x and for o, for a win and for a draw.
    fn held(board: &str) -> [[bool; 2]; 2] {
        let [x, o] = ['x', 'o'].map(|letter| cells(board, letter));
        [[x, o], [o, x]].map(|[own, other]| [1, 0].map(|points| holds(own, other, points)))
    }

    #[test]
    fn a_stronghold_wins_if_the_opponent_can_own_no_hole() {
        // a1 is closed, and the piece on a2 touches no o. There is no other hole.
        let alone = ".xxxxxx/xxxxxxx/xxxxxxx/xxxoooo/ooooooo/ooooooo/ooooooo";
        assert_eq!(held(alone), [[true, true], [false, false]]);
        // The hole on a7 can leave the cells beside x.
        let both = ".xxxxxx/xxxxxxx/xxxxxxx/xxxoooo/ooooooo/ooooooo/oooooo.";
        assert_eq!(held(both), [[false, true], [false, true]]);
        // The hole on d4 cannot: all four cells of its part touch x.
        let narrow = ".xxxxxx/xxxxxxx/xxxxxxx/xxx.oxx/xxxooxx/xxxxxxx/xxxxxxx";
        assert_eq!(held(narrow), [[true, true], [false, false]]);
    }

    #[test]
    fn without_a_piece_that_can_move_to_and_fro_nothing_is_held() {
        // Both pieces beside a1 touch o.
        let board = ".xoxxxx/xoxxxxx/oxxxxxx/xxxoooo/ooooooo/ooooooo/oooo.xx";
        assert_eq!(held(board)[0], [false, false]);
    }

    #[test]
    fn a_hole_without_an_own_neighbour_does_not_count() {
        // b2 touches only holes.
        let board = "x.xxxxx/...xxxx/x.xxxxx/xxxxooo/ooo.ooo/ooo.ooo/ooo.ooo";
        let [own, other] = ['x', 'o'].map(|letter| cells(board, letter));
        assert!(holds(own, other, 1));
        let open = other | cells(board, '.') & Bitboard(0xffff_ffff_0000_0000);
        let closed = cells(board, '.') & !open;
        assert_eq!((closed.count(), closed_room(own, open, closed)), (5, Some(4)));
    }
}
