//! Engines that wait for their next game. A process stays for the whole match,
//! so that nobody waits for the same program to start again and again.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use lodestone::game::Variant;

use crate::io::interrupt::Interrupt;
use crate::player::{Engine, EngineSpec};

/// No more engines than this wait for a game: with more players than this,
/// those who have waited longest are started again for their next game.
const MOST_IDLE: usize = 64;

/// The engines that wait, whoever waits longest first.
#[derive(Debug)]
pub struct Pool {
    variant: Variant,
    interrupt: Arc<Interrupt>,
    /// Whether an engine stays with the slot that started it, which has its
    /// own core.
    by_slot: bool,
    idle: Mutex<Vec<Idle>>,
}

#[derive(Debug)]
struct Idle {
    player: usize,
    slot: usize,
    engine: Engine,
}

impl Pool {
    /// A pool in which nobody waits.
    pub const fn new(variant: Variant, interrupt: Arc<Interrupt>, by_slot: bool) -> Pool {
        Pool {
            variant,
            interrupt,
            by_slot,
            idle: Mutex::new(Vec::new()),
        }
    }

    /// An engine of this player for a game in this slot: one that waits, or
    /// else one that is started when the game begins.
    pub fn take(&self, player: usize, slot: usize, spec: &EngineSpec) -> Engine {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let place = idle
            .iter()
            .rposition(|idle| idle.player == player && (idle.slot == slot || !self.by_slot));
        match place {
            Some(place) => idle.remove(place).engine,
            None => Engine::new(spec.clone(), self.variant, Arc::clone(&self.interrupt)),
        }
    }

    /// Lets an engine wait for its next game.
    pub fn put(&self, player: usize, slot: usize, engine: Engine) {
        let oldest = {
            let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
            idle.push(Idle { player, slot, engine });
            (idle.len() > MOST_IDLE).then(|| idle.remove(0))
        };
        // Leaving takes a moment, in which nobody else should wait.
        if let Some(error) = Engine::dismiss(oldest.map(|idle| idle.engine)) {
            log::error!("stderr of an engine cannot be saved: {error}");
        }
    }

    /// Ends all of them in peace; gives back why the stderr of one could not be
    /// copied to a file, if that failed.
    pub fn dismiss(self) -> Option<io::Error> {
        let idle = self.idle.into_inner().unwrap_or_else(PoisonError::into_inner);
        Engine::dismiss(idle.into_iter().map(|idle| idle.engine))
    }
}
