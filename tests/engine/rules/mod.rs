//! Tests of the rules, through the public interface.
//!
//! * `figures`: the boards printed in the course assignments.
//! * `perft`: counts of move sequences.
//! * `errors`: messages for wrong FENs and moves.
//! * `facts`: whether each game's `GameInfo` agrees with its rules.
//! * `comparison`: everything else, against the naive twin in `tests/naive`.
//!
//! Properties of all positions (round trips, symmetries, keys) are in
//! `properties.rs`.

mod comparison;
mod errors;
mod facts;
mod figures;
mod perft;

use lodestone_game::{Game, Outcome};
use naive::Rules;

/// The naive twin of the game `G`.
fn rules<G: Game>() -> Rules {
    Rules::of(G::INFO.name)
}

/// Parses a valid FEN.
fn at<G: Game>(fen: &str) -> G {
    G::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"))
}

/// The position after legal `moves`, separated by spaces.
fn after<G: Game>(start: G, moves: &str) -> G {
    moves.split(' ').fold(start, |position, text| {
        let mv = position
            .parse_move(text)
            .unwrap_or_else(|error| panic!("{text}: {error}"));
        position.play(mv)
    })
}

/// An outcome as in a result file: `1-0 five`.
fn words(outcome: Option<Outcome>) -> Option<String> {
    outcome.map(|outcome| format!("{} {}", outcome.result, outcome.reason))
}
