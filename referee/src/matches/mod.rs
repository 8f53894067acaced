//! Plays a match: a plan, in which everything is checked, and outputs give games, files and an end.
//!
//! A match has four nouns:
//!
//! * [`MatchPlan`]: a match to play, with all that its command says, checked before the first game.
//! * [`MatchState`]: a match while it is played: what the slots share, with its file and its screen.
//! * [`Tournament`]: the results alone, from records, played now or read: standings, and which games
//!   are left.
//! * [`archive::Match`](referee_core::results::archive::Match): a match on the disk: a header, and the places
//!   of its records in any number of files.
//!
//! The rest:
//!
//! * [`Outputs`]: the files and the screen; [`play`]: the whole of a match; [`MatchEnd`]: what is left
//!   of it.
//! * `accept`: a match that goes on with changed rules or wrappers.
//! * `runner`: plays the games in parallel slots; `state`: what all slots share; `pool`: players
//!   that wait for their next game, and what their games show about them.
//! * [`display`]: what people and programs see while the games run; `page_writer`: the page.

mod accept;
pub(crate) mod display;
pub(crate) mod ladder_plan;
pub(crate) mod limit;
mod outputs;
mod page_writer;
pub(crate) mod plan;
mod pool;
mod runner;
mod slots;
mod state;

pub(crate) use outputs::Outputs;
use plan::Starts;
pub(crate) use plan::{MatchPlan, engine_entry, openings, warn_of};
pub(crate) use state::MatchState;

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::config::roster::{self, Contestant, NotStarted};
use crate::interactive::human::PersonAtPrompt;
use crate::interactive::prompt::SharedPrompt;
use crate::report::table;
use crate::terminal::progress::Notice;
use outputs::Files;
use referee_core::failure::Failure;
use referee_core::game::Ruleset;
use referee_core::io::interrupt::Interrupt;
use referee_core::results::{Header, SandboxRun};
use referee_core::tournament::Tournament;
use runner::Runner;

/// What is left of a match when its games have ended.
pub(crate) struct MatchEnd {
    /// The header, with the marks of engines that did not start.
    pub header: Header,
    pub contestants: Vec<Contestant>,
    /// The results, and the screen.
    pub state: MatchState,
    /// The folders of transcripts.
    pub transcripts: Vec<PathBuf>,
    pub sandbox: Option<SandboxRun>,
    /// Whether all games were played and saved.
    pub result: Result<(), Failure>,
}

/// Plays the games of a plan that are not in the result file yet.
///
/// # Errors
/// Before the first game: a file cannot be used, or an engine does not start. Later failures are in
/// [`MatchEnd::result`].
pub(crate) fn play(
    plan: MatchPlan,
    mut outputs: Outputs<'_>,
    interrupt: &Arc<Interrupt>,
) -> Result<MatchEnd, Failure> {
    let MatchPlan {
        mut header,
        contestants,
        tournament,
        openings,
        adjudication,
        tuner,
        slots,
        sandbox,
        is_strict,
        starts,
        limit,
        read,
    } = plan;
    let (began, slot_count) = (Instant::now(), slots.count());
    let rules = openings.rules();
    let screen = outputs.screen(rules, &header, &tournament);
    let mut state = MatchState::new(tournament, openings, screen, tuner, header.record.clone());
    state.limit = limit;
    let playing = contestants.iter().filter(|player| player.past.is_none());
    state.keeps_pairs = playing.count() > pool::MAX_IDLE;
    let (transcripts, files, state) = Files::open(&mut outputs, &header, state, read)?;
    let is_over = state.tournament.is_finished();
    let mut runner = Runner::new(&contestants, slots, state, &transcripts, Arc::clone(interrupt));
    runner.is_strict = is_strict;
    runner.seed = header.seed;
    runner.adjudication = adjudication;
    let started = if is_over {
        outputs.save_config()
    } else {
        add_people(&mut runner, &outputs, rules)
            .and_then(|()| start(&runner, starts, &mut header))
            // Not a command whose engines do not start.
            .and_then(|()| outputs.save_config())
            .and_then(|()| sandbox.as_ref().map_or(Ok(()), |run| runner.note_run(run)))
    };
    let played = started.and_then(|()| {
        runner.show(|tournament| outputs.print_resumed(&header, tournament))?;
        if is_over {
            return Ok(());
        }
        runner.play()
    });
    // Matches at the same time share the program.
    if !outputs.is_part {
        warn_of_slow_rules(rules, began.elapsed() * slot_count as u32);
    }
    let (mut state, left) = runner.shut_down(outputs.is_quiet());
    let played = played.and(left);
    if !outputs.is_part {
        // All engines have ended, so the next signal can end the referee at once.
        Interrupt::end_at_the_next();
    }
    if let Err(failure @ (Failure::Start(_) | Failure::Usage(_))) = played {
        state.abandon();
        return Err(failure);
    }
    let notice = Notice::show("writing the files of the match", outputs.is_quiet());
    let saved = state.close().and(files.end());
    drop(notice);
    if let (Err(_), Err(failure)) = (&played, &saved) {
        log::error!("{failure}");
    }
    Ok(MatchEnd {
        transcripts: transcripts.folders(),
        header,
        contestants,
        state,
        sandbox,
        result: played.and(saved),
    })
}

/// The share of the time of a match from which a rules program is slow.
const SLOW_SHARE: f64 = 0.25;

/// The time of its answers from which a rules program can be slow.
const SLOW_TIME: Duration = Duration::from_secs(5);

/// The mean time of an answer from which a rules program can be slow.
const SLOW_ANSWER: Duration = Duration::from_millis(1);

/// Warns if the answers of the rules program took much of the time that all slots had together.
fn warn_of_slow_rules(rules: Ruleset, time: Duration) {
    let Some(program) = rules.program() else { return };
    let (asked, questions) = program.time_asked();
    let share = asked.as_secs_f64() / time.as_secs_f64();
    let each = asked.as_secs_f64() / questions.max(1) as f64;
    if asked > SLOW_TIME && share > SLOW_SHARE && each > SLOW_ANSWER.as_secs_f64() {
        log::warn!(
            "the rules program {rules} took {:.0} % of the time of the match, {:.1} ms for each position",
            share * 100.0,
            each * 1000.0
        );
    }
}

/// Starts the engines. If the match skips broken ones, those that do not start before the first game
/// are marked as unfit.
fn start(runner: &Runner<'_>, starts: Starts, header: &mut Header) -> Result<(), Failure> {
    if starts == Starts::Later {
        return Ok(());
    }
    let is_marked = header.is_unfit();
    let contestants = runner.contestants;
    let missing = contestants.iter().enumerate().filter_map(|(index, contestant)| {
        let why = contestant.broken.as_ref().filter(|_| !is_marked[index])?;
        Some((index, NotStarted::of_broken(&contestant.name, why)))
    });
    let mut failures: Vec<(usize, NotStarted)> = missing.chain(runner.start()?).collect();
    failures.sort_by_key(|(index, _)| *index);
    let is_skipped = |error: &NotStarted| matches!(error.failure, Failure::Start(_));
    let all_started = |failures: Vec<(usize, NotStarted)>| {
        roster::all_started(failures.into_iter().map(|(_, error)| error.failure))
    };
    let may_skip = starts == Starts::SkippingBroken && !runner.has_games();
    if failures.is_empty() || !may_skip || !failures.iter().all(|(_, error)| is_skipped(error)) {
        return all_started(failures);
    }
    header
        .unfit
        .extend(failures.iter().map(|(_, error)| error.unfit()));
    let tournament = Tournament::new(header).map_err(Failure::Usage)?;
    if tournament.is_finished() {
        return all_started(failures).map_err(|failure| match failure {
            Failure::Start(why) => Failure::Start(format!("no game can be played: {why}")),
            failure => failure,
        });
    }
    for (_, error) in failures.iter().take(table::MAX_UNFIT) {
        log::warn!("not in the match: {}", error.failure);
    }
    let rest = failures.len().saturating_sub(table::MAX_UNFIT);
    if rest > 0 {
        log::warn!("not in the match: {rest} more, which are listed in the header of the result file");
    }
    runner.mark_unfit(header)
}

/// Adds the people among the contestants. They share one terminal.
fn add_people(runner: &mut Runner<'_>, outputs: &Outputs<'_>, rules: Ruleset) -> Result<(), Failure> {
    let mut shared: Option<SharedPrompt> = None;
    for (index, contestant) in runner.contestants.iter().enumerate() {
        if !contestant.is_person() {
            continue;
        }
        let prompt = match &shared {
            Some(prompt) => prompt.clone(),
            None => shared
                .insert(Arc::new(Mutex::new(outputs.open_prompt(&runner.interrupt)?)))
                .clone(),
        };
        let person = PersonAtPrompt::new(contestant.name.clone(), rules, prompt);
        runner.pool.put(index, 0, Box::new(person));
    }
    Ok(())
}
