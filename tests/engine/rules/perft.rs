//! Perft counts, pinned.

use lodestone_game::gridlock::Gridlock;
use lodestone_game::magnetic_cave::MagneticCave;
use lodestone_game::{Game, perft};

use super::figures::{DRAW, INITIAL, PLAYER1_WINS, PLAYER2_WINS};
use super::{at, rules};
use naive::Position;

/// A FEN, and the number of move sequences of 1, 2, 3, … plies.
type Perft = (&'static str, &'static [u64]);

const CAVE_PERFT: &[Perft] = &[
    // The start: 16 to the power of the depth, until a win is possible.
    (
        "8/8/8/8/8/8/8/8 x",
        &[16, 256, 4096, 65_536, 1_048_576, 16_777_216, 268_435_456],
    ),
    // Both sides have four in a row: a win ends the game.
    ("xxxx4/oooo4/8/8/8/8/8/8 x", &[16, 240, 3616, 54_471]),
    // Floating bricks: more than two playable cells in a row.
    ("8/8/2xo4/8/5x2/3o4/8/8 x", &[22, 480, 10_388, 223_016]),
    ("x1x1x1x1/1o1o1o1o/8/8/8/3x4/8/8 o", &[22, 476, 10_132]),
    ("8/1oxo4/oxxxx2o/8/3o4/8/8/6x1 o", &[20, 396, 7406, 144_054]),
    // Two rows left, and one cell left.
    (
        "xoxoxoxo/xoxoxoxo/xoxoxoxo/oxoxoxox/oxoxoxox/oxoxoxox/xoxo4/8 x",
        &[4, 16, 64, 224],
    ),
    (
        "xxooxxoo/ooxxooxx/xxooxxoo/ooxxooxx/xxooxxoo/ooxxooxx/xxooxxoo/1oxxooxx o",
        &[1, 0],
    ),
    // Finished: five, and a full board.
    ("8/4oxox/xoxo4/xxo5/xo6/o7/8/8 x", &[0, 0]),
    (
        "xxooxxoo/ooxxooxx/xxooxxoo/ooxxooxx/xxooxxoo/ooxxooxx/xxooxxoo/ooxxooxx x",
        &[0, 0],
    ),
];

const GRIDLOCK_PERFT: &[Perft] = &[
    (INITIAL, &[18, 288, 5104, 81_355]),
    (DRAW, &[0, 0]),
    (PLAYER1_WINS, &[0, 0]),
    (PLAYER2_WINS, &[0, 0]),
    // The same boards with turns left, with either side to move.
    ("xo3ox/ox3ox/6o/7/3x3/7/7 x 0 40", &[6, 46, 360, 3357]),
    ("xxo4/xxo4/oo5/7/5oo/4oxx/4oxx o 10 40", &[12, 12, 156, 696]),
    // The turn limit ends the game after two plies, and after one.
    ("xo5/ox5/7/7/x6/oox4/xo5 o 38 40", &[4, 32, 0, 0]),
    ("x6/7/7/7/7/7/6o o 0 1", &[2, 0, 0]),
    // One piece per side, and 24 per side around one empty cell.
    ("x6/7/7/7/7/7/6o x 7 1000", &[2, 4, 12, 36, 108, 324]),
    (
        "xoxoxox/oxoxoxo/xoxoxox/oxo1xox/oxoxoxo/xoxoxox/oxoxoxo x 0 1000",
        &[2, 5, 13, 32, 72, 139],
    ),
    (
        "xoxoxox/oxoxoxo/xoxoxox/oxo1oxo/xoxoxox/oxoxoxo/xoxoxox x 0 1000",
        &[0, 0],
    ),
];

fn assert_perft<G: Game>(table: &[Perft]) {
    for (fen, counts) in table {
        let position = at::<G>(fen);
        let twin = Position::parse(rules::<G>(), fen).unwrap();
        for (depth, &count) in (1..).zip(*counts) {
            assert_eq!(perft(&position, depth), count, "depth {depth} of {fen}");
            if count < 20_000 {
                assert_eq!(twin.perft(depth), count, "the twin at depth {depth} of {fen}");
            }
        }
    }
}

#[test]
fn perft_of_gridlock() {
    assert_perft::<Gridlock>(GRIDLOCK_PERFT);
}

mod slow {
    use super::*;

    #[test]
    #[ignore = "slow: .ci/run"]
    fn perft_of_magnetic_cave() {
        assert_perft::<MagneticCave>(CAVE_PERFT);
    }
}
