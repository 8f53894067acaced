//! Compares exact values with a plain search.

use lodestone::board::{Bitboard, Side};
use lodestone::game::gridlock::Gridlock;
use lodestone::game::gridlock::exact::layer::ExactValue;
use lodestone::game::{Game, Setup};
use lodestone::random::Random;

/// Where the values beyond the depth of the search come from: the pieces of the side to move
/// and of the opponent, and the turns left.
pub type Source<'a> = dyn FnMut([Bitboard; 2], u32) -> Option<ExactValue> + 'a;

/// Compares this many random positions with up to `max_turns` turns left with a plain search
/// of `depth` plies, which uses the values of `source` where the game goes on.
///
/// # Errors
/// A sentence that names a position whose value differs or is missing.
pub fn compare(
    (pieces, max_turns): (u32, u32),
    depth: u32,
    samples: u32,
    random: &mut Random,
    source: &mut Source<'_>,
) -> Result<(), String> {
    for _ in 0..samples {
        let turns = 1 + random.below(u64::from(max_turns.clamp(1, Setup::MAX_TURNS))) as u32;
        let mut position = Gridlock::random_start(Setup { pieces, turns }, random);
        if random.below(2) == 0 {
            position = position.with_turns_left(Side::Second, turns);
        }
        compare_one(&position, depth, source)?;
    }
    Ok(())
}

/// Compares one position with a plain search.
///
/// # Errors
/// As [`compare`].
pub fn compare_one(position: &Gridlock, depth: u32, source: &mut Source<'_>) -> Result<(), String> {
    let found = value_in(position, source);
    let expected = search(position, depth, source);
    if found.is_some() && found == expected {
        return Ok(());
    }
    Err(format!(
        "{}: the value is {found:?}, a plain search finds {expected:?}",
        position.fen()
    ))
}

fn value_in(position: &Gridlock, source: &mut Source<'_>) -> Option<ExactValue> {
    let side = position.side_to_move();
    let pieces = [side, side.opponent()].map(|side| position.pieces(side));
    source(pieces, position.plies_left())
}

/// Plain minimax by the rules, with values of the source after `depth` plies.
fn search(position: &Gridlock, depth: u32, source: &mut Source<'_>) -> Option<ExactValue> {
    if let Some(outcome) = position.outcome() {
        return Some(match outcome.points_for(position.side_to_move()) {
            1 => ExactValue::Win,
            0 => ExactValue::Draw,
            _ => ExactValue::Loss,
        });
    }
    if depth == 0 {
        return value_in(position, source);
    }
    let mut next = Vec::new();
    for &mv in position.generate_moves().iter() {
        next.push(search(&position.play(mv), depth - 1, source)?);
    }
    Some(ExactValue::of_next(next.into_iter()))
}
