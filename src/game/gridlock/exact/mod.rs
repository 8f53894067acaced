//! Exact play with few pieces, for any turn limit.
//!
//! Nothing is ever captured, so a game with few pieces stays small: the values of all
//! positions are computed backwards from the turn limit. With one or two pieces a side this
//! happens in memory and on first need. With three, `lodestone-solver tables` computes a file ([`Table`]).
//! The values are facts of the game, so one copy serves the whole program.

pub mod changes;
pub mod file;
pub mod layer;
mod placements;
pub mod positions;
pub mod table;

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use lodestone_game::board::{Bitboard, Move, Side};
use lodestone_game::gridlock::Gridlock;
use lodestone_game::score::Value;
use lodestone_game::{Game, Setup};

use self::layer::{ExactValue, Layers};
use self::table::Table;
use crate::game::Evaluate;

/// The most pieces a side of a table in a file.
pub const MAX_TABLE_PIECES: u32 = 3;

/// A move with its exact result, for the side that plays it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExactMove {
    /// The move.
    pub(crate) mv: Move,
    /// With best play of both sides: 1 for a win, 0 for a draw, −1 for a loss.
    pub(crate) points: i32,
    /// The points to expect from an opponent who replies at random for some rounds, from 0
    /// for a loss to 1000 for a win.
    pub(crate) chance: i32,
    /// The static evaluation of the position after the move.
    pub(crate) evaluation: Value,
}

/// The layers for one and two pieces a side; `None` before their first need.
static LAYERS: [Mutex<Option<Layers>>; 2] = [const { Mutex::new(None) }; 2];

/// The table of the option `TablePath`.
static TABLE: Mutex<Option<Table>> = Mutex::new(None);

/// Points of a win in [`ExactMove::chance`]; a draw counts half.
const WIN_POINTS: i32 = 1000;

/// Opens a file of exact values, or closes it. Returns what the file answers, in a few words.
pub(crate) fn use_table(path: Option<&Path>) -> Result<String, String> {
    let Some(path) = path else {
        *lock(&TABLE) = None;
        return Ok(String::new());
    };
    let opened = Table::open(path);
    let result = match &opened {
        Ok(table) => Ok(describe(table)),
        Err(error) => Err(error.clone()),
    };
    *lock(&TABLE) = opened.ok();
    result
}

/// What a table answers, in a few words.
pub fn describe(table: &Table) -> String {
    let pieces = table.pieces;
    let turns = match table.max_turns() {
        Some(max) => format!("up to {max} turns left"),
        None => "any number of turns left".to_string(),
    };
    format!("gridlock with {pieces} pieces a side, {turns}")
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Where exact values come from.
enum ExactSource<'a> {
    Layers(&'a Layers),
    Table(&'a mut Table),
}

impl ExactSource<'_> {
    /// The exact value of a position for its side to move; `None` if it is not known.
    fn value(&mut self, position: &Gridlock) -> Option<ExactValue> {
        let side = position.side_to_move();
        let pieces: [Bitboard; 2] = [side, side.opponent()].map(|side| position.pieces(side));
        match self {
            ExactSource::Layers(layers) => layers.value(pieces, position.plies_left()),
            ExactSource::Table(table) => table.value(pieces, position.plies_left()),
        }
    }
}

/// The exact result of each of these legal moves, where every position that can follow is known.
/// `None` if it is not, or if `may_go_on` returns false before the values are there; a later call
/// then finds more of them. Opponents who reply at random for `rounds` rounds decide
/// [`ExactMove::chance`].
pub fn exact_moves(
    position: &Gridlock,
    moves: &[Move],
    rounds: u32,
    may_go_on: &dyn Fn() -> bool,
) -> Option<Vec<ExactMove>> {
    let pieces = position.pieces(Side::First).count();
    let Some(layers) = LAYERS.get(pieces.checked_sub(1)? as usize) else {
        let mut table = lock(&TABLE);
        let source = ExactSource::Table(table.as_mut()?);
        return rank(position, moves, rounds, may_go_on, source);
    };
    let mut layers = lock(layers);
    let layers = layers.get_or_insert_with(|| Layers::new(pieces));
    while !layers.covers(position.plies_left()) {
        if !may_go_on() {
            return None;
        }
        layers.extend();
    }
    rank(position, moves, rounds, may_go_on, ExactSource::Layers(layers))
}

/// Computes the values that stay in memory.
pub(crate) fn prepare() {
    for (pieces, layers) in (1..).zip(&LAYERS) {
        let mut layers = lock(layers);
        let layers = layers.get_or_insert_with(|| Layers::new(pieces));
        while !layers.covers(Setup::MAX_TURNS) {
            layers.extend();
        }
    }
}

/// The exact results of these moves. If `may_go_on` returns false before all chances are
/// known, no move has one.
fn rank(
    position: &Gridlock,
    moves: &[Move],
    rounds: u32,
    may_go_on: &dyn Fn() -> bool,
    mut source: ExactSource<'_>,
) -> Option<Vec<ExactMove>> {
    let mut exact = Vec::new();
    for &mv in moves {
        let next = position.play(mv);
        let value = source.value(&next)?.reversed();
        exact.push(ExactMove {
            mv,
            points: value as i32 - ExactValue::Draw as i32,
            chance: 0,
            evaluation: -next.evaluate(&next.node_info(), None),
        });
    }
    let chance = |&mv: &Move| chance_after(&mut source, &position.play(mv), rounds, may_go_on);
    let chances: Option<Vec<i32>> = moves.iter().map(chance).collect();
    for (exact, chance) in exact.iter_mut().zip(chances.unwrap_or_default()) {
        exact.chance = chance;
    }
    Some(exact)
}

/// The points, in units of 1 / [`WIN_POINTS`], that the side which moved last can expect
/// from an opponent who replies at random for this many rounds. It plays the best
/// move itself, and both sides play perfectly afterwards. `None` if `may_go_on` returned false.
fn chance_after(
    source: &mut ExactSource<'_>,
    position: &Gridlock,
    rounds: u32,
    may_go_on: &dyn Fn() -> bool,
) -> Option<i32> {
    if rounds == 0 || position.outcome().is_some() {
        let value = source.value(position)?.reversed();
        return Some(WIN_POINTS / 2 * (value as i32 - ExactValue::Loss as i32));
    }
    if !may_go_on() {
        return None;
    }
    let replies = position.generate_moves();
    let mut sum = 0;
    for &reply in replies.iter() {
        let next = position.play(reply);
        sum += best_chance(source, &next, rounds - 1, may_go_on)?;
    }
    Some(sum / replies.len().max(1) as i32)
}

/// As [`chance_after`], for the side to move.
fn best_chance(
    source: &mut ExactSource<'_>,
    position: &Gridlock,
    rounds: u32,
    may_go_on: &dyn Fn() -> bool,
) -> Option<i32> {
    if rounds == 0 || position.outcome().is_some() {
        return Some(WIN_POINTS / 2 * (source.value(position)? as i32 - ExactValue::Loss as i32));
    }
    let mut nexts = Vec::new();
    for &mv in position.generate_moves().iter() {
        let next = position.play(mv);
        nexts.push((source.value(&next)?, next));
    }
    let best = nexts.iter().map(|&(value, _)| value).min()?;
    nexts.retain(|&(value, _)| value == best);
    let chances = nexts
        .iter()
        .map(|(_, next)| chance_after(source, next, rounds, may_go_on));
    chances.max()?
}
