//! The rules of both games, seen from the outside.
//!
//! * `figures`: what the course assignments print, board by board.
//! * `perft`: counts of move sequences; a position more is a line more.
//! * `errors`: what is said of a FEN or a move that cannot be.
//! * `facts`: whether each game's `GameInfo` agrees with its rules.
//! * `comparison`: everything else, by comparison with the naive twin in
//!   `tests/naive` on thousands of positions.
//!
//! What holds for all positions at once (round trips, symmetries, keys) is in
//! `tests/properties.rs`.

mod comparison;
mod errors;
mod facts;
mod figures;
#[path = "../naive/mod.rs"]
mod naive;
mod perft;
#[path = "../printed_games/mod.rs"]
mod printed_games;

use lodestone::game::{Game, Outcome};
use naive::Rules;

/// The naive twin of the game `G`.
fn rules<G: Game>() -> Rules {
    match G::INFO.name {
        "magnetic-cave" => Rules::MagneticCave,
        "gridlock" => Rules::Gridlock,
        other => panic!("the naive twin does not know {other}"),
    }
}

/// The position of a FEN that must be a good one.
fn at<G: Game>(fen: &str) -> G {
    G::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"))
}

/// The position after `moves`, separated by spaces, each of which must be legal.
fn after<G: Game>(start: G, moves: &str) -> G {
    moves.split(' ').fold(start, |position, text| {
        let mv = position
            .parse_move(text)
            .unwrap_or_else(|error| panic!("{text}: {error}"));
        position.play(mv)
    })
}

/// An outcome in the words of a result file: `1-0 five`.
fn words(outcome: Option<Outcome>) -> Option<String> {
    outcome.map(|outcome| format!("{} {}", outcome.result, outcome.reason))
}
