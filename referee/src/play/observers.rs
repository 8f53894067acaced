//! Who observes the games: the terminal, or a person who plays.

use super::state::MatchState;
use crate::game::{NoObserver, Observer};
use crate::io::interrupt::Stop;
use crate::play::display::OutputMode;
use crate::schedule::Fixture;

/// Makes the observer of a game from its number, the number of games, and the names of the
/// players.
type SpectatorFactory = dyn Fn((u64, u64), [&str; 2]) -> Box<dyn Observer> + Send + Sync;

/// Makes the observers of the games.
#[derive(Default)]
pub struct Observers {
    /// For games that a person plays on a terminal.
    pub spectators: Option<Box<SpectatorFactory>>,
}

impl Observers {
    /// Shows the moves of a game, with `--board`.
    pub fn observer(&self, state: &mut MatchState, fixture: &Fixture) -> Result<Box<dyn Observer>, Stop> {
        let names = state.tournament.names_of(fixture).map(String::from);
        let names = names.each_ref().map(String::as_str);
        if let Some(events) = state.screen.move_events(fixture.id, names) {
            return Ok(events);
        }
        if state.screen.mode() != OutputMode::Boards {
            state.screen.game_starts(fixture.id, names)?;
            return Ok(Box::new(NoObserver));
        }
        if let Some(spectators) = &self.spectators {
            return Ok(spectators((fixture.id, state.tournament.total()), names));
        }
        Ok(state.screen.game(fixture.id, names)?)
    }
}
