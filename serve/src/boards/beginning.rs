//! How a board begins: what a page asks for, checked.

use std::ops::RangeInclusive;
use std::path::Path;
use std::time::Duration;

use lodestone_game::Setup;
use referee::begin_game;
use referee_core::game::clock::TimeControl;
use referee_core::game::{Game, Ruleset};
use referee_core::results::game_file::FileContent;
use referee_core::results::{StoredGame, game_file};

use super::order::{GameClock, NewBoard};
use super::seat::{Times, rand_seed};
use crate::files;
use crate::reply::{Refusal, Reply};

/// The time per move of programs, if the page does not say.
const DEFAULT_TIME: Duration = Duration::from_secs(3);

/// The times per move that a page may choose, in seconds.
const TIMES: RangeInclusive<f64> = 0.01..=3600.0;

/// How long the players may think.
pub fn times(new: &NewBoard) -> Reply<Times> {
    if let Some(why) = new.clock.and_then(GameClock::problem) {
        return Err(Refusal::wrong(why));
    }
    let per_move = match new.seconds {
        None => DEFAULT_TIME,
        Some(seconds) if TIMES.contains(&seconds) => Duration::from_secs_f64(seconds),
        Some(_) => {
            return Err(Refusal::wrong(
                "a program can have 0.01 to 3600 seconds for a move",
            ));
        }
    };
    Ok(Times {
        clock: new.clock,
        per_move,
    })
}

/// Pieces and turns.
pub fn setup(new: &NewBoard) -> Reply<(u32, u32)> {
    let default = Setup::default();
    let (pieces, turns) = (
        new.pieces.unwrap_or(default.pieces),
        new.turns.unwrap_or(default.turns),
    );
    if (1..=Setup::MAX_PIECES).contains(&pieces) && (1..=Setup::MAX_TURNS).contains(&turns) {
        return Ok((pieces, turns));
    }
    Err(Refusal::wrong(format!(
        "a side can have 1 to {} pieces, and a game 1 to {} turns",
        Setup::MAX_PIECES,
        Setup::MAX_TURNS
    )))
}

/// A new game; in a game with a set-up, with another placement each time.
pub fn new_game(
    rules: Ruleset,
    (pieces, turns): (u32, u32),
    times: [TimeControl; 2],
) -> Result<Game, String> {
    let setup = Setup { pieces, turns };
    begin_game(rules, setup, times, rand_seed().into()).map_err(|failure| failure.to_string())
}

/// The game that a new board continues.
pub fn stored(new: &NewBoard, results: &Path, rules: Ruleset) -> Reply<Option<StoredGame>> {
    let game = match (&new.saved, &new.file) {
        (None, None) => return Ok(None),
        (Some(text), _) => {
            // The page knows the name of the file.
            game_file::read_text(text, new.game, Some(rules)).and_then(|content| match content {
                FileContent::Game(game) => Ok(*game),
                FileContent::List(games) => Err(format!(
                    "the file holds {} games: choose a file with a single game",
                    games.len()
                )),
            })
        }
        (None, Some(name)) => {
            let file = files::find(results, name);
            let file = file.ok_or_else(|| Refusal::unknown("there is no such file"))?;
            game_file::load(&file.path, new.game, Some(rules))
        }
    };
    let game = game.map_err(Refusal::wrong)?;
    if game.game.rules() != Some(rules) {
        return Err(Refusal::wrong(format!(
            "it is a game of {}, and this server plays {rules}",
            game.game
        )));
    }
    Ok(Some(game))
}
