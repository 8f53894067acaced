//! Where a match is played: so many games at a time, each in a slot of its own
//! with a thread of its own, so that nothing that happens in one game delays
//! another.
//!
//! * [`Ledger`]: who plays next, and what came of it; shared by all slots.
//! * [`Pool`]: engines that wait for their next game.
//!
//! People play in the one slot that runs in the main thread, because they share
//! a terminal with it; so do games that are shown move by move.

mod ledger;
mod pool;

pub use ledger::{Ledger, Next};
pub use pool::Pool;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use lodestone::game::AnyPosition;

use crate::arbiter::{self, Finished, Played, Watcher};
use crate::config::roster::{self, Contestant};
use crate::display::Detail;
use crate::interactive::human::{Human, Sitter, seats};
use crate::io::failure::Failure;
use crate::io::interrupt::{Interrupt, Stop};
use crate::openings::Opening;
use crate::player::verdict::Verdict;
use crate::player::{Engine, Player, Remarks};
use crate::process::keep_on_core;
use crate::results::transcripts::Evidence;
use crate::schedule::Fixture;

/// A match that is being played.
pub struct Hall<'a> {
    contestants: &'a [Contestant],
    slots: usize,
    /// The core of each slot, where each has its own.
    cores: Option<Vec<usize>>,
    interrupt: Arc<Interrupt>,
    ledger: Mutex<Ledger>,
    /// A game is over, or no more begin.
    changed: Condvar,
    pool: Pool,
    evidence: &'a Evidence,
    /// What was noticed of each player.
    remarks: Mutex<Vec<Remarks>>,
}

/// Nobody looks on.
struct Nobody;

impl Watcher for Nobody {
    fn begins(&mut self, _: &dyn AnyPosition, _: &[String]) -> std::io::Result<()> {
        Ok(())
    }

    fn moved(&mut self, _: &Played<'_>) -> std::io::Result<()> {
        Ok(())
    }
}

impl<'a> Hall<'a> {
    /// A hall for `slots` games at a time; `cores` are those of the slots,
    /// where each has its own; `evidence` gets what was said in games that were
    /// lost by a fault.
    pub fn new(
        contestants: &'a [Contestant],
        slots: usize,
        cores: Option<Vec<usize>>,
        ledger: Ledger,
        evidence: &'a Evidence,
        interrupt: Arc<Interrupt>,
    ) -> Hall<'a> {
        Hall {
            pool: Pool::new(ledger.variant(), Arc::clone(&interrupt), cores.is_some()),
            remarks: Mutex::new(vec![Remarks::default(); contestants.len()]),
            contestants,
            slots,
            cores,
            evidence,
            interrupt,
            ledger: Mutex::new(ledger),
            changed: Condvar::new(),
        }
    }

    /// Plays what is to be played. The people among the players sit at the
    /// terminal, by their numbers.
    ///
    /// # Errors
    /// Where an engine does not start before the first game, or the match does
    /// not come to its end.
    pub fn play(&self, people: &mut HashMap<usize, Human>) -> Result<(), Failure> {
        let failures = Mutex::new(Vec::new());
        self.in_slots(people, |slot, _| {
            let failed = self.start_engines(slot);
            failures
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .extend(failed);
        });
        let mut failures = failures.into_inner().unwrap_or_else(PoisonError::into_inner);
        failures.sort_by_key(|(player, _)| *player);
        roster::all_started(failures.into_iter().map(|(_, failure)| failure))?;
        self.in_slots(people, |slot, people| self.play_games(slot, people));
        let failure = self.ledger().take_failure();
        let signal = self.interrupt.caught().map(Failure::from);
        failure.or(signal).map_or(Ok(()), Err)
    }

    /// Ends the engines, in peace unless the match was cut short, and gives back
    /// the books, what was noticed of each player, and whether all that the
    /// engines said at their end was saved.
    pub fn leave(self) -> (Ledger, Vec<Remarks>, Result<(), Failure>) {
        let mut left = Ok(());
        let ledger = self.ledger.into_inner().unwrap_or_else(PoisonError::into_inner);
        if self.interrupt.caught().is_some() {
            drop(self.pool);
        } else if let Some(error) = self.pool.dismiss() {
            left = Err(lost_stderr(&error));
        }
        let remarks = self.remarks.into_inner().unwrap_or_else(PoisonError::into_inner);
        (ledger, remarks, left)
    }

    /// Does the same in every slot at the same time; in the main thread where
    /// there is only one.
    fn in_slots(
        &self,
        people: &mut HashMap<usize, Human>,
        work: impl Fn(usize, &mut HashMap<usize, Human>) + Sync,
    ) {
        if self.slots == 1 {
            self.pin(0);
            work(0, people);
            return;
        }
        thread::scope(|scope| {
            for slot in 0..self.slots {
                let work = &work;
                let body = move || {
                    self.pin(slot);
                    work(slot, &mut HashMap::new());
                };
                let thread = thread::Builder::new().name(format!("slot {slot}"));
                if let Err(error) = thread.spawn_scoped(scope, body) {
                    let why = format!("a game slot cannot have its thread: {error}");
                    self.ledger().fail(Failure::Output(why));
                    return;
                }
            }
        });
    }

    /// Keeps this thread, and the engines that it starts, on the core of its
    /// slot.
    fn pin(&self, slot: usize) {
        let Some(&core) = self.cores.as_ref().and_then(|cores| cores.get(slot)) else {
            return;
        };
        if let Err(error) = keep_on_core(core) {
            log::warn!("slot {slot} cannot be kept on core {core}: {error}");
        }
    }

    /// Starts this slot's share of the engines, so that one that does not
    /// start is found before the first game.
    fn start_engines(&self, slot: usize) -> Vec<(usize, Failure)> {
        let mut failed = Vec::new();
        let variant = self.ledger().variant();
        for (player, contestant) in self.contestants.iter().enumerate() {
            let Some(spec) = contestant.spec.as_ref().filter(|_| player % self.slots == slot) else {
                continue;
            };
            match roster::start(spec, variant, &self.interrupt) {
                Ok(engine) => self.pool.put(player, slot, engine),
                Err(failure) => failed.push((player, failure)),
            }
        }
        failed
    }

    /// Plays games until there are no more.
    fn play_games(&self, slot: usize, people: &mut HashMap<usize, Human>) {
        loop {
            let next = {
                let mut ledger = self.ledger();
                loop {
                    if self.interrupt.is_stopped() {
                        return;
                    }
                    match ledger.next_game() {
                        Next::Wait => {
                            ledger = self.changed.wait(ledger).unwrap_or_else(PoisonError::into_inner);
                        }
                        Next::Again => {
                            if ledger.is_over_early() {
                                self.interrupt.stop();
                            }
                            // The next round may be paired now.
                            self.changed.notify_all();
                        }
                        Next::Over => return,
                        Next::Game(game) => break game,
                    }
                }
            };
            let (fixture, opening) = *next;
            self.play_game(slot, &fixture, &opening, people);
            self.changed.notify_all();
        }
    }

    fn play_game(
        &self,
        slot: usize,
        fixture: &Fixture,
        opening: &Opening,
        people: &mut HashMap<usize, Human>,
    ) {
        let Some((mut sitters, controls)) = self.sit_down(slot, fixture, people) else {
            return;
        };
        let outcome = self.watch(fixture).and_then(|mut watcher| {
            let mut seats = seats(&mut sitters, &controls);
            arbiter::play(opening, &mut seats, watcher.as_mut())
        });
        let transcript = match &outcome {
            Ok(finished) => self.keep_evidence(fixture, opening, finished, &mut sitters),
            Err(_) => None,
        };
        let log_error = sitters.iter_mut().find_map(Sitter::take_log_error);
        self.stand_up(slot, fixture, sitters, people);
        let mut ledger = self.ledger();
        match outcome {
            Ok(finished) => {
                if let Err(failure) = ledger.finish(fixture, opening, &finished, transcript.as_deref()) {
                    ledger.fail(failure);
                }
            }
            Err(stopped) => {
                ledger.drop_game();
                // A signal may only mean that a failure elsewhere ends the match; `play` asks.
                if !matches!(stopped, Stop::Signal(_)) {
                    ledger.fail(stopped.into());
                }
            }
        }
        if let Some(error) = log_error {
            ledger.fail(lost_stderr(&error));
        }
        if ledger.is_over_early() {
            // What the others play is not wanted any more.
            self.interrupt.stop();
        }
    }

    /// Who plays a game, and on what terms, the first player first.
    fn sit_down(
        &self,
        slot: usize,
        fixture: &Fixture,
        people: &mut HashMap<usize, Human>,
    ) -> Option<([Sitter; 2], [crate::player::clock::Control; 2])> {
        let [first, second] = fixture.seats;
        let (one, other) = (self.contestants.get(first)?, self.contestants.get(second)?);
        let mut sit = |player: usize, contestant: &Contestant| match &contestant.spec {
            Some(spec) => {
                let mut engine = self.pool.take(player, slot, spec);
                if !self.remarks().get(player).is_none_or(Remarks::is_asked) {
                    engine.ask_nothing();
                }
                Some(Sitter::Engine(Box::new(engine)))
            }
            None => people.remove(&player).map(Sitter::Human),
        };
        let sitters = [sit(first, one)?, sit(second, other)?];
        Some((sitters, [one.control.clone(), other.control.clone()]))
    }

    /// Writes what was said in a game that was lost by a fault, where that is
    /// wanted; gives back the file.
    fn keep_evidence(
        &self,
        fixture: &Fixture,
        opening: &Opening,
        finished: &Finished,
        sitters: &mut [Sitter; 2],
    ) -> Option<PathBuf> {
        let Verdict::Fault { .. } = finished.verdict else {
            return None;
        };
        let record = self.ledger().record_of(fixture, opening, finished)?;
        let [first, second] = sitters;
        let said = [first.conversation(), second.conversation()];
        self.evidence.write(&record, &said)
    }

    /// The game is over: engines wait for the next.
    fn stand_up(
        &self,
        slot: usize,
        fixture: &Fixture,
        sitters: [Sitter; 2],
        people: &mut HashMap<usize, Human>,
    ) {
        for (player, sitter) in fixture.seats.into_iter().zip(sitters) {
            match sitter {
                Sitter::Human(human) => {
                    people.insert(player, human);
                }
                Sitter::Engine(mut engine) => {
                    engine.forget_game();
                    self.remark(player, fixture, &mut engine);
                    self.pool.put(player, slot, *engine);
                }
            }
        }
    }

    /// Counts what was noticed of an engine in a game, and tells of it: people
    /// of the first of its kind, programs of each.
    fn remark(&self, player: usize, fixture: &Fixture, engine: &mut Engine) {
        let claims = engine.take_claims();
        let mut new = Vec::new();
        if let Some(remarks) = self.remarks().get_mut(player) {
            remarks.strays += engine.take_strays();
            new.extend(claims.iter().filter(|claim| remarks.count(claim)));
        }
        for claim in new {
            log::warn!("game {}: {}", fixture.id, claim.sentence(engine.name()));
        }
        if claims.is_empty() {
            return;
        }
        let mut ledger = self.ledger();
        for claim in &claims {
            if let Err(failure) = ledger.claimed(fixture.id, engine.name(), claim) {
                ledger.fail(failure);
            }
        }
    }

    fn remarks(&self) -> MutexGuard<'_, Vec<Remarks>> {
        self.remarks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Who shows the moves of a game, if anybody does.
    fn watch(&self, fixture: &Fixture) -> Result<Box<dyn Watcher>, Stop> {
        let mut ledger = self.ledger();
        if ledger.screen.detail() != Detail::Boards {
            return Ok(Box::new(Nobody));
        }
        let names = ledger.tournament.names_of(fixture).map(String::from);
        let view = ledger
            .screen
            .game(fixture.id, names.each_ref().map(String::as_str))?;
        Ok(Box::new(view))
    }

    fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn lost_stderr(error: &dyn std::fmt::Display) -> Failure {
    Failure::Output(format!("stderr of an engine cannot be saved: {error}"))
}
