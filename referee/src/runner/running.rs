//! The games in progress, as another thread sees them.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lodestone::game::AnyPosition;

use crate::arbiter::{Played, Watcher};
use crate::io::interrupt::Stop;
use crate::player::{ThinkingObserver, TimesLeft};
use crate::results::Record;

/// The games in progress.
#[derive(Clone, Debug, Default)]
pub struct RunningGames(Arc<Mutex<BTreeMap<u64, Record>>>);

impl RunningGames {
    /// The games up to their last moves, by number; see [`Record::unfinished`].
    #[must_use]
    pub fn records(&self) -> Vec<Record> {
        self.lock().values().cloned().collect()
    }

    /// A watcher that also keeps the moves of a game here until it is dropped. `record` is
    /// the game after its opening.
    pub(super) fn follow(&self, record: Record, watcher: Box<dyn Watcher>) -> Box<dyn Watcher> {
        Box::new(Follower {
            id: record.id,
            beginning: Some(record),
            games: self.clone(),
            watcher,
        })
    }

    /// No thread holds this lock while it waits for anything.
    fn lock(&self) -> MutexGuard<'_, BTreeMap<u64, Record>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Keeps the moves of one game.
struct Follower {
    id: u64,
    /// The game after its opening, until it begins.
    beginning: Option<Record>,
    games: RunningGames,
    watcher: Box<dyn Watcher>,
}

impl Watcher for Follower {
    fn begins(
        &mut self,
        position: &dyn AnyPosition,
        opening: &[String],
        clocks: TimesLeft,
    ) -> Result<(), Stop> {
        if let Some(record) = self.beginning.take() {
            self.games.lock().insert(self.id, record);
        }
        self.watcher.begins(position, opening, clocks)
    }

    fn moved(&mut self, played: &Played<'_>) -> io::Result<()> {
        if let Some(record) = self.games.lock().get_mut(&self.id) {
            record.push(played.text, played.thought);
        }
        self.watcher.moved(played)
    }

    fn observer(&mut self) -> Option<&mut dyn ThinkingObserver> {
        self.watcher.observer()
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        self.games.lock().remove(&self.id);
    }
}
