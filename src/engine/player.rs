//! Who thinks: one player, used by one search at a time, whom a search that does
//! not end cannot keep from the next one.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

use super::options::Options;
use crate::game::{Evaluate, Yardstick};
use crate::personality::{self, SearcherSettings};
use crate::search::{Searcher, StopToken};

/// A player, locked while it thinks.
type Player<G> = Arc<Mutex<Box<dyn Searcher<G>>>>;

/// How long the search before may take at most to notice that it was stopped: far
/// more than it needs, because on a busy machine its thread may have to wait.
pub const PATIENCE: Duration = Duration::from_millis(50);

/// How often it is asked meanwhile.
const ASK_AGAIN: Duration = Duration::from_micros(50);

/// Where the player sits. Nothing but [`Chair::think`] ever waits, so that the
/// session, which holds one end, is free to listen and to answer.
pub struct Chair<G> {
    player: Mutex<Player<G>>,
}

/// The player of these options.
fn call<G: Evaluate + Yardstick>(options: &Options) -> Result<Player<G>, String> {
    let ingredients = SearcherSettings {
        hash: options.hash,
        seed: options.seed,
    };
    let searcher =
        personality::make_searcher(options.personality, ingredients).map_err(|error| error.to_string())?;
    let searcher = searcher.ok_or_else(|| format!("{} does not play {}", options.personality, G::NAME))?;
    Ok(Arc::new(Mutex::new(searcher)))
}

impl<G: Evaluate + Yardstick> Chair<G> {
    /// A chair with the player of these options.
    ///
    /// # Errors
    /// There is not enough memory for its table.
    pub fn new(options: &Options) -> Result<Chair<G>, String> {
        Ok(Chair {
            player: Mutex::new(call(options)?),
        })
    }

    /// Puts the player of other options into the chair. One that still thinks
    /// leaves when its search has ended.
    ///
    /// # Errors
    /// There is not enough memory for its table; nothing is changed then.
    pub fn replace(&self, options: &Options) -> Result<(), String> {
        let fresh = call(options)?;
        self.seat(&fresh);
        Ok(())
    }

    /// The player forgets what it has learned; `false` where it is busy.
    pub fn forget(&self) -> bool {
        let player = self.seated();
        let forgetful = player.try_lock().map(|mut player| player.new_game());
        forgetful.is_ok()
    }

    /// What the player says of a position.
    ///
    /// # Errors
    /// It is busy.
    pub fn evaluate(&self, position: &G) -> Result<Option<i32>, Busy> {
        let player = self.seated();
        let player = player.try_lock().map_err(|_| Busy)?;
        Ok(player.evaluate(position))
    }

    /// Lets the player think. If it does not come back within `patience` from the
    /// search before, or that one panicked, another one takes its place, the
    /// player of these options. `None` where the search was stopped before it
    /// began.
    ///
    /// # Errors
    /// There is not enough memory for another one.
    pub fn think<T>(
        &self,
        options: &Options,
        (stop, patience): (&StopToken, Duration),
        thought: impl FnOnce(&mut dyn Searcher<G>) -> T,
    ) -> Result<Option<T>, String> {
        let seated = self.seated();
        let fresh;
        let mut player = match wait_for(&seated, stop, patience) {
            Some(player) => player,
            None if stop.is_set() => return Ok(None),
            None => {
                // No warning: beside busy processes a move of a few milliseconds cannot
                // wait, and nothing is lost but what the player remembered.
                log::info!("the player of an earlier search does not end: a new one takes its place");
                fresh = call(options)?;
                self.seat(&fresh);
                fresh.lock().unwrap_or_else(PoisonError::into_inner)
            }
        };
        Ok(Some(thought(player.as_mut())))
    }

    fn seated(&self) -> Player<G> {
        Arc::clone(&self.player.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn seat(&self, fresh: &Player<G>) {
        let mut player = self.player.lock().unwrap_or_else(PoisonError::into_inner);
        *player = Arc::clone(fresh);
    }
}

/// The player thinks.
#[derive(Clone, Copy, Debug)]
pub struct Busy;

/// The player, as soon as it is free, unless the search for which it is wanted was
/// stopped meanwhile. A search that was just answered may take a
/// moment to end; one that does not belongs to an abandoned thread, and a player
/// whose search panicked cannot be trusted.
fn wait_for<'a, T>(player: &'a Mutex<T>, stop: &StopToken, patience: Duration) -> Option<MutexGuard<'a, T>> {
    let patience = Instant::now() + patience;
    while !stop.is_set() {
        match player.try_lock() {
            Ok(player) => return Some(player),
            Err(TryLockError::WouldBlock) if Instant::now() < patience => thread::sleep(ASK_AGAIN),
            Err(_) => return None,
        }
    }
    None
}
