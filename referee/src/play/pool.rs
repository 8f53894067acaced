//! Players that wait for their next game. An engine's process stays for the
//! whole match.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::game::Ruleset;
use crate::game::adjudication::ClaimReport;
use crate::io::interrupt::Interrupt;
use crate::player::{Claim, Engine, EngineSpec, GameNotes, Player, Warnings};
use crate::process;
use crate::schedule::Fixture;

/// The most engines that wait at a time. The one that has waited longest is
/// shut down first; its next game starts it again.
const MAX_IDLE: usize = 64;

/// The players that wait, the one that has waited longest first.
pub struct Pool {
    variant: Ruleset,
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
    pub const fn new(variant: Ruleset, interrupt: Arc<Interrupt>, by_slot: bool) -> Pool {
        Pool {
            variant,
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
                self.variant,
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

/// The warnings of all games so far, by contestant. Each kind is logged once per engine.
pub struct WarningLog {
    counted: Mutex<Vec<Warnings>>,
}

impl WarningLog {
    /// A log for this number of contestants.
    pub fn new(contestants: usize) -> WarningLog {
        WarningLog {
            counted: Mutex::new(vec![Warnings::default(); contestants]),
        }
    }

    /// Whether queries are still sent to an engine.
    pub fn answers_queries(&self, contestant: usize) -> bool {
        let counted = self.lock();
        counted.get(contestant).is_none_or(Warnings::answers_queries)
    }

    /// Adds what one game has shown about an engine, `name`.
    pub fn add_notes(&self, contestant: usize, fixture: &Fixture, name: &str, notes: &GameNotes) {
        let mut new: Vec<&Claim> = Vec::new();
        if let Some(warnings) = self.lock().get_mut(contestant) {
            warnings.unsolicited += notes.unsolicited;
            new.extend(notes.claims.iter().filter(|claim| warnings.count(claim)));
        }
        for claim in new {
            log::warn!("game {}: {}", fixture.id, claim.sentence(name));
        }
    }

    /// Adds the first wrong claim or illegal line of each player of a game. Returns the first
    /// one of this game. `name` has the names by contestant.
    pub fn add_claims<'a>(
        &self,
        fixture: &Fixture,
        claims: &ClaimReport,
        name: impl Fn(usize) -> Option<&'a str>,
    ) -> Option<String> {
        let mut first = None;
        for (&contestant, remark) in fixture.seats.iter().zip(&claims.remarks) {
            let (Some(remark), Some(name)) = (remark, name(contestant)) else {
                continue;
            };
            let sentence = format!("{name} {remark}");
            let is_new = self
                .lock()
                .get_mut(contestant)
                .is_some_and(|warnings| !std::mem::replace(&mut warnings.has_false_claims, true));
            if is_new {
                log::warn!("game {}: {sentence}", fixture.id);
            }
            first.get_or_insert(sentence);
        }
        first
    }

    /// The warnings by contestant.
    pub fn into_inner(self) -> Vec<Warnings> {
        self.counted.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Warnings>> {
        self.counted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
