//! The starts before the games of a run: what is new is tried once.

use std::collections::{BTreeMap, HashSet};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use referee_core::failure::Failure;
use referee_core::game::FarStarts;
use referee_core::io::files;
use referee_core::io::interrupt::Interrupt;
use referee_core::io::json;
use referee_core::io::text::ShowPath;
use referee_core::io::untrusted::Untrusted;
use referee_core::player::verdict::Fault;
use referee_core::player::{Engine, EngineSpec};
use referee_core::results::UnfitPlayer;

use crate::command::in_order;
use crate::config::cli::LadderArgs;
use crate::config::roster::{self, Contestant, NotStarted};
use crate::config::versions::{self, Version};
use crate::feedback::{error_text, is_of_package, of_copy};
use crate::matches::engine_entry;
use crate::matches::ladder_plan::Past;
use crate::matches::limit::EndOfRun;
use crate::terminal::progress::Task;
use sha2::{Digest as _, Sha256};

/// What a submission did that does not start, for its author.
fn for_author(fault: &Fault, spec: &EngineSpec, args: &LadderArgs) -> Option<String> {
    let folder = spec.launch.dir.as_deref()?;
    let wrapper = args.wrapper.wrapper.as_deref();
    let is_plain = is_of_package(folder) || wrapper.is_some_and(is_of_package);
    let sentence = if is_plain {
        fault.plain_sentence("Your bot")
    } else {
        fault.sentence("Your bot")
    };
    let text = format!("{sentence}\n{}", error_text(fault.stderr(), folder));
    Some(of_copy(text.trim_end(), folder))
}

/// What earlier runs have tried.
pub(super) struct Tried<'a> {
    /// The names of the players that start.
    sound: HashSet<&'a str>,
    /// What did not start.
    failed: BTreeMap<&'a Untrusted, &'a UnfitPlayer>,
}

impl<'a> Tried<'a> {
    /// The submissions that have taken part and neither crashed nor hung in the last run: only a game could show
    /// that an unchanged one does not start any more. With `--accept`, what did not start is tried again.
    pub fn new(past: Option<&'a Past>, args: &LadderArgs) -> Tried<'a> {
        let Some(past) = past else {
            return Tried {
                sound: HashSet::new(),
                failed: BTreeMap::new(),
            };
        };
        let header = &past.header;
        let unfit: HashSet<&str> = header.unfit.iter().map(|unfit| &*unfit.name).collect();
        let sound = header.engines.iter().enumerate().filter(|(player, entry)| {
            let submission = entry.submission.as_ref();
            submission.is_some_and(|submission| !unfit.contains(&*submission.name))
                && !past.has_failed_in_last_run(*player)
        });
        let failed = header.unfit.iter().filter(|_| !args.run.accept);
        Tried {
            sound: sound.map(|(_, entry)| entry.name.as_str()).collect(),
            failed: failed
                .filter_map(|unfit| Some((unfit.tried.as_ref()?, unfit)))
                .collect(),
        }
    }
}

/// Starts all players once that are not known to start or to fail, several at a time. `versions` are those of the
/// last `contestants`. Returns for each player why it does not start: without the hash of what was tried if the machine
/// may be the cause, so that the next run tries it again.
pub(super) fn start_all(
    args: &LadderArgs,
    (contestants, versions): (&[Contestant], &[Version]),
    tried: &Tried<'_>,
    (far_starts, end): (&FarStarts, EndOfRun),
    interrupt: &Arc<Interrupt>,
) -> Result<Vec<Option<UnfitPlayer>>, Failure> {
    let (mut problems, mut options) = (Vec::new(), Vec::new());
    let wrapper = wrapper_digest(args, interrupt)?;
    let beside = contestants.len() - versions.len();
    let key_of = |number: usize| {
        let version = versions.get(number.checked_sub(beside)?)?;
        key(&contestants[number], version, &wrapper)
    };
    let is_known = |player: &Contestant| player.spec.is_none() || tried.sound.contains(&*player.name);
    let unknown = contestants.iter().filter(|player| !is_known(player)).count();
    let task = Task::unless(args.run.quiet, "new players tried", unknown as u64);
    let done = AtomicU64::new(0);
    let (ended, _) = in_order::run(
        contestants.len(),
        vec![(); args.run.concurrency.get() as usize],
        |(), number| {
            let contestant = &contestants[number];
            let Some(spec) = &contestant.spec else {
                let problem = |why| UnfitPlayer::new(&*contestant.name, why);
                return Ok((contestant.broken.clone().map(problem), Vec::new()));
            };
            if tried.sound.contains(&*contestant.name) {
                // Some player knew the options when it was started.
                let known = spec.options.iter().map(|(name, _)| (name.clone(), None));
                return Ok((None, known.collect()));
            }
            let key = key_of(number);
            let known = key.as_ref().and_then(|key| tried.failed.get(key));
            let failed = |problem| Ok((Some(problem), Vec::new()));
            let outcome = if let Some(known) = known {
                failed((*known).clone())
            } else if key.is_some() && end.is_over() {
                failed(UnfitPlayer::new(
                    &*contestant.name,
                    "it was not tried, because the time of the run ran out",
                ))
            } else {
                let started = roster::start_for(spec, args.run.game.variant, far_starts, interrupt);
                match started {
                    Ok(engine) => {
                        let options = engine.inherited_options().collect();
                        let side = engine.only_side();
                        Engine::dismiss([engine])?;
                        match side {
                            None => Ok((None, options)),
                            Some(side) => failed(UnfitPlayer {
                                tried: key,
                                ..NotStarted::of_one_side(spec, side, None).unfit()
                            }),
                        }
                    }
                    Err(error) => match error.failure {
                        Failure::Start(_) | Failure::Usage(_) => failed(UnfitPlayer {
                            plain: (error.fault.as_ref())
                                .and_then(|fault| for_author(fault, spec, args))
                                .map(Untrusted::from),
                            tried: key.filter(|_| error.is_lasting),
                            ..error.unfit()
                        }),
                        failure => Err(failure),
                    },
                }
            };
            task.set(done.fetch_add(1, Ordering::Relaxed) + 1);
            outcome
        },
        || interrupt.stop(),
        |_, (problem, known)| {
            problems.push(problem);
            options.extend(known);
            Ok(())
        },
    );
    ended?;
    drop(task);
    roster::check_inherited(&options)?;
    Ok(problems)
}

/// The hash of the wrapper; empty without one.
fn wrapper_digest(args: &LadderArgs, interrupt: &Interrupt) -> Result<String, Failure> {
    let Some(wrapper) = &args.wrapper.wrapper else {
        return Ok(String::new());
    };
    let failed = |error: io::Error| Failure::Usage(format!("the wrapper `{}`: {error}", wrapper.shown()));
    versions::digest(wrapper, &|| interrupt.go_on()).map_err(failed)
}

/// All that decides whether a version starts, as far as it can be known: its files and settings, the wrapper, and
/// this program.
fn key(player: &Contestant, version: &Version, wrapper: &str) -> Option<Untrusted> {
    let mut digest = Sha256::new();
    let settings = json::line(&engine_entry(player)).ok()?;
    let parts = [
        env!("CARGO_PKG_VERSION"),
        version.submission.digest.raw(),
        wrapper,
        &settings,
    ];
    for part in parts {
        digest.update(part);
        digest.update("\n");
    }
    Some(files::hexadecimal(digest).into())
}
