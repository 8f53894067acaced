//! Who observes the games: the terminal, and the page of the match.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use lodestone::protocol::Info;

use super::state::MatchState;
use crate::game::Ruleset;
use crate::game::{Game, NoObserver, Observer};
use crate::io::interrupt::Stop;
use crate::play::display::OutputMode;
use crate::results::Record;
use crate::schedule::Fixture;

/// Makes the observers of the games.
#[derive(Default)]
pub struct Observers {
    /// Where the games in progress are kept for another thread.
    pub running: Option<RunningGames>,
}

impl Observers {
    /// Shows the moves of a game, and keeps them for the page of the match.
    pub fn observer(&self, state: &mut MatchState, fixture: &Fixture) -> Result<Box<dyn Observer>, Stop> {
        let observer = display(state, fixture)?;
        let Some(running) = &self.running else {
            return Ok(observer);
        };
        let names = state.tournament.names_of(fixture).map(String::from);
        Ok(running.follow(state.variant(), fixture, names, observer))
    }
}

/// Shows the moves of a game, with `--board`.
fn display(state: &mut MatchState, fixture: &Fixture) -> Result<Box<dyn Observer>, Stop> {
    let names = state.tournament.names_of(fixture).map(String::from);
    let names = names.each_ref().map(String::as_str);
    if let Some(events) = state.screen.move_events(fixture.id, names) {
        return Ok(events);
    }
    if state.screen.mode() != OutputMode::Boards {
        state.screen.game_starts(fixture.id, names)?;
        return Ok(Box::new(NoObserver));
    }
    Ok(state.screen.game(fixture.id, names)?)
}

/// The games in progress.
#[derive(Clone, Debug, Default)]
pub struct RunningGames(Arc<Mutex<BTreeMap<u64, Record>>>);

impl RunningGames {
    /// The games up to their last moves, by number.
    pub fn records(&self) -> Vec<Record> {
        self.lock().values().cloned().collect()
    }

    /// An observer that also keeps a game here until it is dropped.
    pub(super) fn follow(
        &self,
        variant: Ruleset,
        fixture: &Fixture,
        names: [String; 2],
        observer: Box<dyn Observer>,
    ) -> Box<dyn Observer> {
        Box::new(Follower {
            variant,
            fixture: *fixture,
            names,
            games: self.clone(),
            observer,
        })
    }

    /// No thread holds this lock while it waits for anything.
    fn lock(&self) -> MutexGuard<'_, BTreeMap<u64, Record>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Keeps the moves of one game.
struct Follower {
    variant: Ruleset,
    fixture: Fixture,
    names: [String; 2],
    games: RunningGames,
    observer: Box<dyn Observer>,
}

impl Observer for Follower {
    fn begins(&mut self, game: &Game) -> Result<(), Stop> {
        let names = self.names.each_ref().map(String::as_str);
        let record = Record::new(self.variant, &self.fixture, names, game, None);
        self.games.lock().insert(self.fixture.id, record);
        self.observer.begins(game)
    }

    fn asks(&mut self, game: &Game) -> bool {
        self.observer.asks(game)
    }

    fn thinking(&mut self, elapsed: Duration, info: &Info) -> Result<(), Stop> {
        self.observer.thinking(elapsed, info)
    }

    fn moved(&mut self, game: &Game) -> io::Result<()> {
        if let (Some(record), Some(played)) = (self.games.lock().get_mut(&self.fixture.id), game.last()) {
            record.push(&played);
        }
        self.observer.moved(game)
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        self.games.lock().remove(&self.fixture.id);
    }
}
