//! Plays the games of a match in parallel slots, one thread per slot, so that no game
//! delays another.
//!
//! Games that are shown move by move, and games with a person, run in the only
//! slot, on the main thread.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use lodestone_game::board::Side;
use lodestone_game::random::Random;
use referee_core::arbiter::adjudicator::Adjudicator;
use referee_core::arbiter::{self, OnFault, Replacement, Seat};
use referee_core::failure::Failure;
use referee_core::failure::Stop;
use referee_core::game::MoveSequence;
use referee_core::game::adjudication::Rules;
use referee_core::game::clock::Control;
use referee_core::io::interrupt::{Interrupt, Signal};
use referee_core::io::log_file;
use referee_core::io::running_clock;
use referee_core::io::text::ShowPath;
use referee_core::player::{Engine, EngineSpec, Player, lost_stderr};
use referee_core::process;
use referee_core::results::pgn::Notation;
use referee_core::results::transcripts::TranscriptFolder;
use referee_core::results::{Header, Record, SandboxRun};
use referee_core::schedule::ScheduledGame;
use referee_core::tournament::Tournament;

use super::pool::Pool;
use super::slots::Slots;
use super::state::{MatchState, NextGame};
use crate::config::roster::{self, Contestant, NotStarted};
use crate::terminal::progress::{Notice, Stream, Task};

/// A match in progress.
pub struct Runner<'a> {
    pub contestants: &'a [Contestant],
    slots: Slots,
    pub interrupt: Arc<Interrupt>,
    state: Mutex<MatchState>,
    /// Signalled when a game ends or no more games start.
    changed: Condvar,
    pub pool: Pool,
    transcripts: &'a TranscriptFolder,
    /// The seed of the match, from which moves in place of missing ones are drawn.
    pub seed: u64,
    /// Whether the first warning about an engine ends the match.
    pub is_strict: bool,
    /// The rules that end games before their end, and the solver, if they need one.
    pub adjudication: Option<(Rules, Option<EngineSpec>)>,
}

/// The two players of a game, the first player first.
type Players = [Box<dyn Player>; 2];

impl<'a> Runner<'a> {
    /// A runner of games in these slots; `transcripts` receives the transcripts of games lost by a
    /// fault.
    pub fn new(
        contestants: &'a [Contestant],
        slots: Slots,
        state: MatchState,
        transcripts: &'a TranscriptFolder,
        interrupt: Arc<Interrupt>,
    ) -> Runner<'a> {
        Runner {
            pool: Pool::new(state.rules(), Arc::clone(&interrupt), slots.are_pinned()),
            contestants,
            slots,
            transcripts,
            seed: 0,
            is_strict: false,
            adjudication: None,
            interrupt,
            state: Mutex::new(state),
            changed: Condvar::new(),
        }
    }

    /// Starts all engines that are not unfit. Returns the contestants that fail, in
    /// ascending order.
    pub fn start(&self) -> Result<Vec<(usize, NotStarted)>, Failure> {
        let failures = Mutex::new(Vec::new());
        let options = Mutex::new(Vec::new());
        // Not beside a person, nor where nothing but the summary is asked for.
        let is_quiet = self.state().screen.stream != Some(Stream::Stdout);
        let task = Task::unless(is_quiet, "engines started", self.contestants.len() as u64);
        let done = AtomicU64::new(0);
        self.in_slots(|slot| {
            let failed = self.start_engines(slot, &options, &|| {
                task.set(done.fetch_add(1, Ordering::Relaxed) + 1);
            });
            failures
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .extend(failed);
        });
        let mut failures = failures.into_inner().unwrap_or_else(PoisonError::into_inner);
        failures.sort_by_key(|(contestant, _)| *contestant);
        if failures.is_empty() {
            roster::check_inherited(&options.into_inner().unwrap_or_else(PoisonError::into_inner))?;
        }
        Ok(failures)
    }

    /// Marks the engines that do not start as unfit, as the header says.
    pub fn mark_unfit(&self, header: &Header) -> Result<(), Failure> {
        self.state().mark_unfit(header)
    }

    /// Records what restricts the engines in this run.
    pub fn note_run(&self, run: &SandboxRun) -> Result<(), Failure> {
        self.state().note_run(run)
    }

    /// Whether a game is finished.
    pub fn has_games(&self) -> bool {
        self.state().tournament.played() > 0
    }

    /// Shows something outside the games.
    pub fn show(&self, show: impl FnOnce(&Tournament) -> Result<(), Failure>) -> Result<(), Failure> {
        show(&self.state().tournament)
    }

    /// Plays all games that are left.
    pub fn play(&self) -> Result<(), Failure> {
        self.state().begin()?;
        self.in_slots(|slot| self.play_games(slot));
        let failure = self.state().take_failure();
        // With `--finish-games`, a signal that has left no game out does not matter.
        let is_cut = self.interrupt.is_finishing() && !self.state().tournament.is_finished();
        let signal = self.interrupt.caught().or(is_cut.then_some(Signal::Interrupt));
        failure.or(signal.map(Failure::from)).map_or(Ok(()), Err)
    }

    /// Shuts the engines down, gracefully unless the match was interrupted.
    /// Returns the state, and an error if an engine's stderr could not be saved.
    pub fn shut_down(self, is_quiet: bool) -> (MatchState, Result<(), Failure>) {
        let mut state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        state.screen.end();
        let _notice = Notice::show("stopping the engines", is_quiet);
        let mut saved = Ok(());
        if self.interrupt.caught().is_some() {
            drop(self.pool);
        } else if let Some(error) = self.pool.shut_down() {
            saved = Err(lost_stderr(&error));
        }
        (state, saved)
    }

    /// Runs `work` in every slot at once.
    fn in_slots(&self, work: impl Fn(usize) + Sync) {
        self.slots.run(work, |failure| self.state().fail(failure));
    }

    /// Starts this slot's share of the engines, so that a broken one is found
    /// before the first game. Adds the options of all players, and calls `tried` after each engine.
    fn start_engines(
        &self,
        slot: usize,
        options: &Mutex<Vec<(String, Option<String>)>>,
        tried: &dyn Fn(),
    ) -> Vec<(usize, NotStarted)> {
        let mut failed = Vec::new();
        let (ruleset, far_starts, own) = {
            let state = self.state();
            let far_starts = state.far_starts().clone();
            let calendar = state.tournament.calendar();
            let share = (slot..self.contestants.len()).step_by(self.slots.count());
            let own: Vec<usize> = share.filter(|&index| !calendar.is_unfit(index)).collect();
            (state.rules(), far_starts, own)
        };
        for index in own {
            let Some(spec) = &self.contestants[index].spec else {
                continue;
            };
            let started = roster::start_for(spec, ruleset, &far_starts, &self.interrupt);
            match started.and_then(|engine| self.seated(index, spec, engine)) {
                Ok(engine) => {
                    let mut options = options.lock().unwrap_or_else(PoisonError::into_inner);
                    options.extend(engine.inherited_options());
                    self.pool.put(index, slot, Box::new(engine));
                }
                Err(failure) => failed.push((index, failure)),
            }
            tried();
        }
        failed
    }

    /// Refuses an engine that can play only one side if a game of the schedule gives it the other one.
    fn seated(&self, index: usize, spec: &EngineSpec, engine: Engine) -> Result<Engine, NotStarted> {
        /// Each pairing has had its first games by then.
        const LOOKED_AT: u64 = 100_000;
        let Some(side) = engine.only_side() else {
            return Ok(engine);
        };
        let found = {
            let state = self.state();
            let calendar = state.tournament.calendar();
            let seat = side.opponent().index();
            let is_other = |id: &u64| calendar.get(*id).is_some_and(|game| game.seats[seat] == index);
            (1..=state.tournament.total().min(LOOKED_AT)).find(is_other)
        };
        let Some(id) = found else { return Ok(engine) };
        let _ = Engine::dismiss([engine]);
        Err(NotStarted::of_one_side(spec, side, Some(id)))
    }

    /// Plays games until none are left. The solvers of the slot live as long.
    fn play_games(&self, slot: usize) {
        let mut adjudicator = self.adjudication.as_ref().map(|(rules, solver)| {
            let ruleset = self.state().rules();
            Adjudicator::new(rules.clone(), solver.as_ref(), ruleset, &self.interrupt)
        });
        self.play_next_games(slot, adjudicator.as_mut());
        if let Some(adjudicator) = adjudicator.filter(|_| self.interrupt.caught().is_none()) {
            // The stderr of a solver goes to no file.
            let _ = Engine::dismiss(adjudicator.into_engine());
        }
    }

    fn play_next_games(&self, slot: usize, mut adjudicator: Option<&mut Adjudicator>) {
        loop {
            let next = {
                let mut state = self.state();
                loop {
                    if self.interrupt.is_finishing() {
                        return;
                    }
                    match state.next_game(slot) {
                        NextGame::Wait => {
                            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                        }
                        NextGame::Retry => {
                            if state.is_over_early() {
                                self.interrupt.stop();
                            }
                            // The next Swiss round may have been paired.
                            self.changed.notify_all();
                        }
                        NextGame::Over => return,
                        NextGame::Play(game) => break game,
                    }
                }
            };
            let (scheduled, opening) = *next;
            let mut repeats = running_clock::MAX_REPEATS;
            while !self.play_game(slot, &scheduled, &opening, adjudicator.as_deref_mut(), repeats) {
                repeats -= 1;
            }
            self.changed.notify_all();
        }
    }

    /// The record of a finished game; with the moves as people write them, if PGN is written game by game.
    fn record_of(&self, scheduled: &ScheduledGame, finished: &arbiter::Finished) -> Record {
        let (mut record, rules, has_pgn) = {
            let state = self.state();
            (
                state.record_of(scheduled, finished),
                state.rules(),
                state.pgn.is_some(),
            )
        };
        if has_pgn {
            // After a signal, the moves are written as the protocol has them.
            let _ = Notation::default().add(&mut record, rules);
        }
        record
    }

    /// Plays a game. Returns whether it is over: if a standstill of the referee could have changed it, or the machine may
    /// have ended a program or has no processor for it, it is to be played again, at most `repeats` times.
    fn play_game(
        &self,
        slot: usize,
        scheduled: &ScheduledGame,
        opening: &MoveSequence,
        adjudicator: Option<&mut Adjudicator>,
        repeats: u32,
    ) -> bool {
        log_file::set_context(slot, scheduled.id);
        let Some((mut players, controls)) = self.acquire(slot, scheduled) else {
            let mut state = self.state();
            let names = state.tournament.names_of(scheduled).join(" and ");
            state.drop_game();
            state.fail(Failure::Usage(format!(
                "game {} is between {names}, who do not both play now",
                scheduled.id
            )));
            return true;
        };
        let names = || self.state().tournament.names_of(scheduled).map(String::from);
        log::info!("game {} begins: {}", scheduled.id, names().join(" against "));
        let before = running_clock::standstills();
        let observer = self.state().observer(scheduled);
        let outcome = observer.and_then(|mut observer| {
            let mut seats = seats(&mut players, &controls, self.replacements(scheduled));
            arbiter::play(opening, &mut seats, observer.as_mut(), adjudicator, repeats > 0)
        });
        let outcome = outcome.map(|finished| {
            let record = self.record_of(scheduled, &finished);
            let mut remark = finished.verdict.stderr_tail();
            let fault = record
                .faults
                .first()
                .map(|fault| fault.detail.shown().to_string());
            if fault.is_some()
                && let Some(path) = self.save_transcript(&record, &mut players)
            {
                let _ = write!(remark, "\n  transcript: {}", path.shown());
            }
            (record, remark, fault)
        });
        let is_void = match outcome {
            Err(Stop::Standstill | Stop::Starved(_)) => true,
            // Such a try has taken long enough.
            Err(Stop::Busy(_)) => repeats == running_clock::MAX_REPEATS,
            _ => false,
        };
        let (log_error, warning) = self.release(slot, scheduled, players, is_void);
        let mut state = self.state();
        let is_strict = self.is_strict && !state.is_over_early();
        match outcome {
            Ok((record, remark, fault)) => {
                let Record {
                    result,
                    reason,
                    detail,
                    ..
                } = &record;
                log::info!(
                    "game {}: {result}, {}: {}",
                    scheduled.id,
                    reason.shown(),
                    detail.shown()
                );
                if let Err(failure) = state.finish(&record, &remark) {
                    state.fail(failure);
                }
                if let Some(why) = fault.or(warning).filter(|_| is_strict) {
                    let game = scheduled.id;
                    state.fail(Failure::Warning(format!("--strict: game {game}: {why}")));
                }
            }
            Err(stop) if is_void => {
                let why = match stop {
                    Stop::Starved(why) | Stop::Busy(why) => why,
                    _ => running_clock::standstills().since(before),
                };
                state.replayed += 1;
                log::warn!(
                    "{why}; game {} will be replayed{}, and no bot is penalised",
                    scheduled.id,
                    if repeats == 1 { " for the last time" } else { "" }
                );
            }
            Err(stop) => {
                state.drop_game();
                // Not a failure if the referee stopped the game itself: the match is over.
                let is_own = self.interrupt.is_stopped() && self.interrupt.caught().is_none();
                if !is_own {
                    state.fail(match stop {
                        Stop::Busy(why) => {
                            Stop::Busy(format!("{why}; game {} was not played", scheduled.id)).into()
                        }
                        stop => stop.into(),
                    });
                }
            }
        }
        if let Some(error) = log_error {
            state.fail(lost_stderr(&error));
        }
        if state.is_over_early() {
            // Stops the games in the other slots.
            self.interrupt.stop();
        }
        !is_void
    }

    /// Takes the two players of a game from the pool, with their time controls.
    fn acquire(&self, slot: usize, scheduled: &ScheduledGame) -> Option<(Players, [Control; 2])> {
        let acquire = |index: usize| {
            let contestant = self.contestants.get(index)?;
            let mut player = self.pool.take(index, slot, contestant.spec.as_ref())?;
            let mut options = self.state().options_of(index, scheduled);
            options.extend(contestant.seed_of_game(self.seed, scheduled.id));
            player.configure(&options);
            Some((player, contestant.control.clone()))
        };
        let [first, second] = scheduled.seats;
        let ((first, first_control), (second, second_control)) = (acquire(first)?, acquire(second)?);
        Some(([first, second], [first_control, second_control]))
    }

    /// What draws the moves of both players in place of those that they do not make.
    fn replacements(&self, scheduled: &ScheduledGame) -> [Option<Replacement>; 2] {
        Side::BOTH.map(|side| {
            let contestant = self.contestants.get(scheduled.seats[side.index()])?;
            let stream = 2 * scheduled.id + side.index() as u64;
            let OnFault::Random { limit } = contestant.settings.on_fault? else {
                return None;
            };
            Some(Replacement::new(limit, Random::substream(self.seed, stream)))
        })
    }

    /// Saves the transcript of a game with a fault, if the game still counts; returns its path.
    fn save_transcript(&self, record: &Record, players: &mut Players) -> Option<PathBuf> {
        if self.state().tournament.verdict().is_some() {
            return None;
        }
        let transcripts = players.each_mut().map(|player| player.transcript());
        self.transcripts.write(record, &transcripts)
    }

    /// Returns the players of a finished game to the pool. Gives back an error
    /// of saving an engine's stderr, and the first warning about an engine; a game that `is_void` has none.
    fn release(
        &self,
        slot: usize,
        scheduled: &ScheduledGame,
        players: Players,
        is_void: bool,
    ) -> (Option<String>, Option<String>) {
        let (mut log_error, mut warning) = (None, None);
        let mut finished = Vec::new();
        for (index, mut player) in scheduled.seats.into_iter().zip(players) {
            let notes = player.end_game();
            if !is_void {
                if notes.unsolicited > 0 {
                    *self.state().unsolicited.entry(index).or_default() += notes.unsolicited;
                }
                warning = warning.or_else(|| notes.warning(player.name()));
            }
            log_error = log_error.or(notes.log_error);
            let settings = self.contestants.get(index).map(|contestant| &contestant.settings);
            if settings.is_some_and(|settings| settings.restart == Some(true)) {
                finished.extend(player.take_process());
            }
            self.pool.put(index, slot, player);
        }
        if !finished.is_empty() {
            log_error = log_error.or(process::shut_down(finished).map(|error| error.to_string()));
        }
        (log_error, warning)
    }

    fn state(&self) -> MutexGuard<'_, MatchState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The players as the arbiter seats them.
fn seats<'a>(
    players: &'a mut Players,
    controls: &'a [Control; 2],
    replacements: [Option<Replacement>; 2],
) -> [Seat<'a>; 2] {
    let [first, second] = players;
    let [first_control, second_control] = controls;
    let [first_replacement, second_replacement] = replacements;
    [
        Seat {
            player: first.as_mut(),
            control: first_control,
            replacement: first_replacement,
        },
        Seat {
            player: second.as_mut(),
            control: second_control,
            replacement: second_replacement,
        },
    ]
}
