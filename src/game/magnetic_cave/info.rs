//! The facts of Magnetic Cave.

use crate::game::{EndReason, GameInfo};

/// Five or more bricks of one colour in line.
pub const FIVE: EndReason = EndReason("five");

/// The board is full.
pub const FULL: EndReason = EndReason("full");

/// See [`GameInfo`].
pub const INFO: GameInfo = GameInfo {
    name: "magnetic-cave",
    title: "Magnetic Cave",
    summary: "bricks stick to walls and bricks; five in line win",
    columns: "abcdefgh",
    rows: "87654321",
    signs: ['■', '□'],
    colours: Some(["black", "white"]),
    shows_capitals: true,
    move_form: "a cell",
    sample_move: "a6",
    slides: false,
    has_setup: false,
    default_opponent: "squares",
    end_reasons: &[FIVE, FULL],
    // Openings, middle games with threats, an endgame.
    bench: &[
        ("8/8/8/8/8/8/8/8 x", 9),
        ("8/xo6/5xxx/oo6/8/8/o7/8 x", 9),
        ("oo4xx/xo3xox/xox4x/o7/o6o/6oo/xo6/xx4xo x", 10),
        ("xo3ooo/x5xx/ooox2xx/ox4xo/x5ox/ooxo1oxx/ooxxxoox/6xo x", 13),
    ],
};
