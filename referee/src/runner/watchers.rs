//! Who watches the games: the terminal, a person who plays, and the page of the match.

use lodestone::game::AnyPosition;

use super::running::RunningGames;
use super::state::MatchState;
use crate::arbiter::{Played, Watcher};
use crate::display::OutputMode;
use crate::io::interrupt::Stop;
use crate::openings::Opening;
use crate::player::TimesLeft;
use crate::results::Record;
use crate::schedule::Fixture;

/// Makes the watcher of a game from its number, the number of games, and the names of the
/// players.
type SpectatorFactory = dyn Fn((u64, u64), [&str; 2]) -> Box<dyn Watcher> + Send + Sync;

/// Makes the watchers of the games.
#[derive(Default)]
pub struct Watchers {
    /// For games that a person plays on a terminal.
    pub spectators: Option<Box<SpectatorFactory>>,
    /// Where the games in progress are kept for another thread.
    pub running: Option<RunningGames>,
}

impl Watchers {
    /// Shows the moves of a game, and keeps them for the page of the match.
    ///
    /// # Errors
    /// The output failed, or a person stops.
    pub fn watcher(
        &self,
        state: &mut MatchState,
        fixture: &Fixture,
        opening: &Opening,
    ) -> Result<Box<dyn Watcher>, Stop> {
        let watcher = self.display(state, fixture)?;
        let Some(running) = &self.running else {
            return Ok(watcher);
        };
        let names = state.tournament.names_of(fixture);
        let record = Record::unfinished(state.variant(), fixture, opening, names);
        Ok(running.follow(record, watcher))
    }

    /// Shows the moves of a game, with `--board`.
    fn display(&self, state: &mut MatchState, fixture: &Fixture) -> Result<Box<dyn Watcher>, Stop> {
        let names = state.tournament.names_of(fixture).map(String::from);
        let names = names.each_ref().map(String::as_str);
        if state.screen.mode() != OutputMode::Boards {
            state.screen.game_starts(fixture.id, names)?;
            return Ok(Box::new(NoWatcher));
        }
        if let Some(spectators) = &self.spectators {
            return Ok(spectators((fixture.id, state.tournament.total()), names));
        }
        Ok(state.screen.game(fixture.id, names)?)
    }
}

/// A watcher that shows nothing.
struct NoWatcher;

impl Watcher for NoWatcher {
    fn begins(&mut self, _: &dyn AnyPosition, _: &[String], _: TimesLeft) -> Result<(), Stop> {
        Ok(())
    }

    fn moved(&mut self, _: &Played<'_>) -> std::io::Result<()> {
        Ok(())
    }
}
