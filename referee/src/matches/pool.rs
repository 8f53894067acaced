//! Players that wait for their next game. An engine's process stays for the
//! whole match.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use referee_core::game::Ruleset;
use referee_core::io::interrupt::Interrupt;
use referee_core::player::{Engine, EngineSpec, Player};
use referee_core::process;

/// The most engines that wait at a time. The one that has waited longest is
/// shut down first; its next game starts it again.
pub const MAX_IDLE: usize = 64;

/// The players that wait, the one that has waited longest first.
pub struct Pool {
    ruleset: Ruleset,
    interrupt: Arc<Interrupt>,
    /// Whether an engine stays in the slot that started it, on that slot's core.
    by_slot: bool,
    idle: Mutex<Vec<Idle>>,
}

struct Idle {
    contestant: usize,
    slot: usize,
    player: Box<dyn Player>,
}

impl Pool {
    /// An empty pool.
    pub const fn new(ruleset: Ruleset, interrupt: Arc<Interrupt>, by_slot: bool) -> Pool {
        Pool {
            ruleset,
            interrupt,
            by_slot,
            idle: Mutex::new(Vec::new()),
        }
    }

    /// The player of this contestant for a game in this slot: a waiting one, or
    /// a new engine, which starts when the game begins. `None` for a person who
    /// is not in the pool.
    pub fn take(&self, contestant: usize, slot: usize, spec: Option<&EngineSpec>) -> Option<Box<dyn Player>> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let place = idle
            .iter()
            .rposition(|idle| idle.contestant == contestant && (idle.slot == slot || !self.by_slot));
        match place {
            Some(place) => Some(idle.remove(place).player),
            None => Some(Box::new(Engine::new(
                spec?.clone(),
                self.ruleset,
                Arc::clone(&self.interrupt),
            ))),
        }
    }

    /// Returns a player to the pool.
    pub fn put(&self, contestant: usize, slot: usize, player: Box<dyn Player>) {
        let oldest = {
            let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
            idle.push(Idle {
                contestant,
                slot,
                player,
            });
            // A person cannot be started again.
            let mut engines = (0..idle.len()).filter(|&place| idle[place].player.is_restartable());
            let oldest = engines.next();
            let is_full = engines.count() + 1 > MAX_IDLE;
            oldest.filter(|_| is_full).map(|place| idle.remove(place))
        };
        // Outside the lock: a shutdown takes a moment.
        let process = oldest.and_then(|mut idle| idle.player.take_process());
        if let Some(error) = process.and_then(|process| process::shut_down(vec![process])) {
            log::error!("cannot save the stderr of an engine: {error}");
        }
    }

    /// Shuts all engines down gracefully, at the same time. Returns an error of
    /// saving an engine's stderr.
    pub fn shut_down(self) -> Option<io::Error> {
        let idle = self.idle.into_inner().unwrap_or_else(PoisonError::into_inner);
        process::shut_down(
            idle.into_iter()
                .filter_map(|mut idle| idle.player.take_process())
                .collect(),
        )
    }
}
