//! The library in a few lines: lists the legal moves, plays one, and asks the engine.
//!
//! ```sh
//! cargo run --example library
//! ```

use std::error::Error;
use std::time::Duration;

use lodestone::search::{Lodestone, RootStrategy, SearchLimits, best_move};
use lodestone_game::Diagram;
use lodestone_game::gridlock::Gridlock;
use lodestone_game::magnetic_cave::MagneticCave;

fn main() -> Result<(), Box<dyn Error>> {
    play::<MagneticCave>("a8")?;
    play::<Gridlock>("f5f6")
}

/// Plays `first` in the start position and the engine's answer.
fn play<G: RootStrategy>(first: &str) -> Result<(), Box<dyn Error>> {
    let mut position = G::startpos();
    let moves: Vec<String> = position
        .legal_moves()
        .iter()
        .map(|&mv| G::move_text(mv))
        .collect();
    println!("Legal moves: {}", moves.join(" "));
    position = position.play(position.parse_move(first)?);
    let mut engine = Lodestone::with_hash(16)?; // megabytes
    let limits = SearchLimits::time(Duration::from_millis(100));
    let best = best_move(&mut engine, &position, limits).ok_or("the game is over")?;
    position = position.play(best.mv);
    println!("{first}, {}:\n{}", G::move_text(best.mv), Diagram::of(&position));
    Ok(())
}

#[test]
fn the_example_runs() {
    main().unwrap();
}
