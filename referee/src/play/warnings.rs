//! The warnings about the engines of a match.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::game::adjudication::ClaimReport;
use crate::player::{Claim, GameNotes, Warnings};
use crate::schedule::Fixture;

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
