//! The plan of a match: arguments, files and players in which everything is checked and nothing is
//! text.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::sync::Arc;
use std::thread::available_parallelism;
use std::time::Duration;

use lodestone_game::Setup;
use lodestone_game::players;
use referee_core::failure::Failure;
use referee_core::game::adjudication::{ProveRule, Rules};
use referee_core::game::clock::TimeControl;
use referee_core::game::{ExternalProgram, Ruleset};
use referee_core::io::as_text::Text as _;
use referee_core::io::files::temporary_folder_hint;
use referee_core::io::interrupt::Interrupt;
use referee_core::io::text::{counted, there_are};
use referee_core::io::untrusted::Untrusted;
use referee_core::player::EngineSpec;
use referee_core::process::{SandboxLevel, sandbox_ability};
use referee_core::results::pgn::reader as pgn_reader;
use referee_core::results::tuning::{Gains, Parameter, Tuning};
use referee_core::results::{
    EngineEntry, Header, ReadFile, SandboxRun, ScheduleEntry, UnfitPlayer, VERSION, unfit_in,
};
use referee_core::schedule::openings::{BookText, OpeningError, OpeningSource, Openings};
use referee_core::schedule::{Format, swiss};
use referee_core::settings::RecordedSettings;
use referee_core::system::files::open_regular;
use referee_core::system::processes::is_root;
use referee_core::tournament::Tournament;
use referee_core::tournament::tuner::{PLAYERS, Tuner};
use referee_statistics::{Model, Sprt};

use super::accept;
use super::limit::RunLimit;
use super::slots::Slots;
use crate::config::cli::{MatchArgs, RunArgs, TuneArgs};
use crate::config::roster::{self, Contestant};
use crate::config::settings::{self, Settings};
use crate::config::values::Affinity;
use crate::config::values::WholeNumber;
use crate::config::with_keys::BookOption;
use crate::config::{lookalikes, submissions};

/// The time for a move in a match without named engines. It is short, because a person
/// watches.
const DEMONSTRATION_TIME: Duration = Duration::from_millis(200);

/// The transposition table of the solver, in MB. Its size decides which proofs succeed.
const SOLVER_HASH: u64 = 16;

/// The default number of rounds of a ladder.
const LADDER_ROUNDS: u64 = 20;

/// The default of `--games` is less, and no sequential test decides within it.
const MIN_SPRT_GAMES: u64 = 4;

/// A match to play.
pub struct MatchPlan {
    /// What identifies it.
    pub header: Header,
    /// The players, in the order of the header.
    pub contestants: Vec<Contestant>,
    /// Its state before the first game.
    pub tournament: Tournament,
    /// The openings of its games.
    pub openings: Openings,
    /// The rules that end games before their end, and the program that proves results.
    pub adjudication: Option<(Rules, Option<EngineSpec>)>,
    /// The values that the games tune.
    pub tuner: Option<Tuner>,
    /// The places where games are played at the same time.
    pub slots: Slots,
    /// What restricts the engines in this run, if any is restricted.
    pub sandbox: Option<SandboxRun>,
    /// Whether the first warning about an engine ends the match.
    pub is_strict: bool,
    /// What happens if engines do not start.
    pub starts: Starts,
    /// When this run ends before the match.
    pub limit: RunLimit,
    /// The result file, if it has been read: its games are in the tournament.
    pub read: Option<ReadFile>,
}

/// What happens if engines do not start before the first game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Starts {
    /// The command ends.
    #[default]
    All,
    /// The match is played without them.
    SkippingBroken,
    /// They start with their first games: it was tried before.
    Later,
}

/// What `MatchPlan::new` has to know beside the options of all runs and the schedule.
#[derive(Default)]
pub(super) struct RunSpecifics {
    pub ponder: bool,
    pub starts: Starts,
    pub tuning: Option<Tuning>,
    pub left_out: Vec<UnfitPlayer>,
    /// The last header of the result file and the number of its games, if it has been read.
    pub past: Option<(Header, u64)>,
}

impl MatchPlan {
    /// The plan of `referee match`.
    pub fn of_match(args: &MatchArgs) -> Result<MatchPlan, Failure> {
        // The pattern names every option, so a new one must be added here: as part of the match's
        // identity, or as no part of it.
        let &MatchArgs {
            ref run,
            format,
            games,
            no_swap,
            reverse,
            forfeit_after,
            shard,
            ponder,
            skip_broken: skips_broken,
            board,
            // In `schedule`.
            sprt: _,
            // In `contestants`.
            submissions: _,
            wrapper: _,
            // Not part of the match's identity.
            csv: _,
            save_config: _,
            saved: _,
            output: _,
            style: _,
        } = args;
        let (players, left_out) = players(args)?;
        // Those that are broken are named later, together with those that do not answer.
        let contestants = roster::resolve_or_skip(&players, run.game.variant)?;
        let players = contestants.len();
        let schedule = ScheduleEntry {
            games: games.get(),
            rounds: rounds(args, players)?,
            seeds: seeds(args, players)?,
            no_swap,
            reverse,
            forfeit_after: forfeit_after.map(WholeNumber::get),
            sprt: sprt(args, players)?,
            shard,
            ..ScheduleEntry::of_format(format.format)
        };
        if run.finish_games && contestants.iter().any(Contestant::is_person) {
            return usage(
                "--finish-games is for matches of programs; a human player ends a running game with `resign`",
            );
        }
        check_slots(run, &contestants, ponder, board)?;
        let kind = RunSpecifics {
            ponder,
            starts: if skips_broken {
                Starts::SkippingBroken
            } else {
                Starts::All
            },
            left_out,
            ..RunSpecifics::default()
        };
        MatchPlan::new(run, contestants, openings_of(run)?, schedule, kind)
    }

    /// The plan of `referee tune`. Starts the engine for the list of its options.
    pub fn of_tuning(args: &TuneArgs, interrupt: &Arc<Interrupt>) -> Result<MatchPlan, Failure> {
        let run = &args.run;
        let contestants = roster::resolve(&players_of_tuning(args)?, run.game.variant)?;
        check_slots(run, &contestants, false, false)?;
        check_batch(args);
        let tuning = Tuning {
            iterations: args.iterations.get(),
            batch: args.batch.get(),
            gains: Gains {
                alpha: args.alpha,
                gamma: args.gamma,
                a_ratio: args.a_ratio,
            },
            parameters: parameters(args, &contestants, interrupt)?,
        };
        let schedule = ScheduleEntry {
            games: 2 * tuning.iterations,
            ..ScheduleEntry::of_format(Format::RoundRobin)
        };
        let kind = RunSpecifics {
            tuning: Some(tuning),
            ..RunSpecifics::default()
        };
        MatchPlan::new(run, contestants, openings_of(run)?, schedule, kind)
    }

    pub(super) fn new(
        run: &RunArgs,
        mut contestants: Vec<Contestant>,
        openings: Openings,
        mut schedule: ScheduleEntry,
        kind: RunSpecifics,
    ) -> Result<MatchPlan, Failure> {
        for spec in contestants
            .iter_mut()
            .filter_map(|contestant| contestant.spec.as_mut())
        {
            spec.ponder = kind.ponder;
        }
        warn_of(&openings);
        schedule.book = openings.digest().map(Untrusted::from);
        let game = run.game.variant;
        if let Some(rule) = run.prove
            && game.variant().is_none()
        {
            refuse_proofs(game, rule)?;
        }
        if let (Some(count), Some(why)) = (run.repetition, never_recurs(game)) {
            log::warn!("--repetition {count} has no effect: {why}");
        }
        let starts = kind.starts;
        let header = header(run, schedule, kind, &contestants)?;
        let rules = header.applied_adjudication();
        warn_of_few(&openings, &header.schedule);
        let tuning = header.tuning.clone();
        Ok(MatchPlan {
            tournament: Tournament::new(&header).map_err(Failure::Usage)?,
            tuner: tuning.map(|tuning| Tuner::new(tuning, header.seed)),
            adjudication: if rules == Rules::default() {
                None
            } else {
                let is_built_in = game.variant().is_some();
                let solver = rules
                    .prove
                    .filter(|_| is_built_in)
                    .map(|_| solver(game))
                    .transpose()?;
                Some((rules, solver))
            },
            slots: Slots::new(run.concurrency.get() as usize, &run.affinity)?,
            sandbox: sandbox_run(&contestants)?,
            is_strict: run.strict,
            starts,
            limit: RunLimit::default(),
            read: None,
            header,
            contestants,
            openings,
        })
    }

    /// Whether a person plays.
    pub fn has_people(&self) -> bool {
        self.contestants.iter().any(Contestant::is_person)
    }
}

/// The header. The pattern names every option, as in [`MatchPlan::of_match`].
pub(super) fn header(
    run: &RunArgs,
    mut schedule: ScheduleEntry,
    kind: RunSpecifics,
    contestants: &[Contestant],
) -> Result<Header, Failure> {
    let &RunArgs {
        ref game,
        seed,
        draw,
        resign,
        prove,
        max_plies,
        repetition,
        ref openings,
        ref record,
        ref out,
        ref pgn,
        // In `setup`.
        setup: _,
        // In `accepted`.
        accept: _,
        // In `contestants`.
        programs: _,
        engine: _,
        each: _,
        sandbox: _,
        on_fault: _,
        // Not part of the match's identity.
        strict: _,
        finish_games: _,
        concurrency: _,
        affinity: _,
        faults: _,
        html: _,
        log: _,
        config: _,
        quiet: _,
        json: _,
        json_moves: _,
    } = run;
    let ruleset = game.variant;
    let rules = game
        .rules
        .settings
        .as_ref()
        .map(|settings| settings.entry(ruleset));
    let source = openings.as_ref().map(|openings| openings.source.clone());
    schedule.openings = source.filter(|source| *source != OpeningSource::Random(0));
    let selection = openings.as_ref().map(|openings| openings.selection);
    schedule.selection = selection.filter(|selection| !selection.is_default());
    let setup = Some(run.setup.of(ruleset)?).filter(|_| ruleset.info().has_setup);
    schedule.pieces = setup.map(|Setup { pieces, .. }| pieces);
    schedule.turns = setup.map(|Setup { turns, .. }| turns);
    let mut engines: Vec<EngineEntry> = contestants.iter().map(engine_entry).collect();
    let mut wrappers = BTreeMap::new();
    let playing = engines.iter_mut().zip(contestants);
    for (engine, contestant) in playing.filter(|(_, contestant)| contestant.past.is_none()) {
        if let Some(out) = out {
            engine.sha256 = contestant.digests();
            engine.sha256.extend(contestant.folder_digest(out));
            let is_new = |wrapper: &Untrusted| !wrappers.contains_key(wrapper);
            if engine.settings.wrapper().as_ref().is_some_and(is_new) {
                wrappers.extend(contestant.wrapper_digest()?);
            }
        }
    }
    let mut header = Header {
        header: VERSION,
        variant: ruleset.name().into(),
        rules: rules.transpose()?,
        seed: seed.get(),
        schedule,
        memory: None,
        max_processes: None,
        ponder: kind.ponder,
        record: record.clone(),
        event: pgn
            .as_ref()
            .and_then(|pgn| pgn.event.as_deref())
            .map(Untrusted::from),
        site: pgn
            .as_ref()
            .and_then(|pgn| pgn.site.as_deref())
            .map(Untrusted::from),
        adjudication: Rules {
            draw,
            resign,
            prove,
            max_plies: max_plies.map(WholeNumber::get),
            repetition: repetition.map(WholeNumber::get),
        },
        tuning: kind.tuning,
        wrappers,
        accepted: Vec::new(),
        engines,
        unfit: Vec::new(),
    };
    accept::take_over(&mut header, run, kind.past)?;
    // The marks of the file hold for the whole match, but for one run of a ladder only.
    if let Some(path) = out.as_ref().filter(|_| header.schedule.stages.is_empty()) {
        header.unfit = unfit_in(path, &header);
    }
    let is_new = |unfit: &UnfitPlayer| header.unfit.iter().all(|known| known.name != unfit.name);
    let left_out: Vec<UnfitPlayer> = kind.left_out.into_iter().filter(is_new).collect();
    header.unfit.extend(left_out);
    Ok(header)
}

pub(super) fn usage<T>(why: impl Into<String>) -> Result<T, Failure> {
    Err(Failure::Usage(why.into()))
}

/// The settings of all players, with those of `--each`, and the submissions that are left out.
fn players(args: &MatchArgs) -> Result<(Vec<Settings>, Vec<UnfitPlayer>), Failure> {
    let run = &args.run;
    let mut each = run.each.clone().unwrap_or_default();
    let wrapper = args.wrapper.wrapper.as_deref();
    let named = named(run).into_iter();
    let mut engines: Vec<Settings> = named
        .map(|engine| submissions::with_wrapper(engine, wrapper))
        .collect();
    // Players named one by one come first; in a gauntlet, the first one plays all others.
    let (found, left_out) =
        submissions::players(&args.submissions, &each, wrapper, args.skip_broken, |unfit| {
            log::warn!("not in the match: {}", unfit.why.shown());
        })?;
    engines.extend(found);
    lookalikes::warn(engines.iter().filter_map(|engine| engine.name.as_deref()));
    submissions::check_used(wrapper, &engines)?;
    if engines.is_empty() {
        each.time.get_or_insert(TimeControl::Move(DEMONSTRATION_TIME));
        engines = ["lodestone", run.game.variant.info().default_opponent]
            .map(Settings::of_program)
            .into();
    }
    if let [only] = &engines[..] {
        let name = only.name.as_ref().or(only.cmd.as_ref());
        let others = [run.game.variant.info().default_opponent, "random"];
        let other = others.iter().find(|other| only.cmd.as_deref() != Some(**other));
        return usage(format!(
            "a match needs two players, but only `{}` was given; add an opponent, for example the built-in \
             player `{}`",
            name.map_or("", String::as_str),
            other.unwrap_or(&others[0])
        ));
    }
    let engines: Vec<Settings> = engines.into_iter().map(|engine| engine.or(&each)).collect();
    if each.args.is_some() && engines.iter().all(|engine| engine.args.is_none()) {
        return usage("no player takes the `args` of `--each`: all are built in");
    }
    Ok((sandboxed(run, engines.into_iter())?, left_out))
}

/// The players that are named one by one.
pub(crate) fn named(run: &RunArgs) -> Vec<Settings> {
    let programs = run.programs.iter().map(|cmd| Settings::of_program(cmd));
    programs.chain(run.engine.iter().cloned()).collect()
}

/// These players with `--sandbox` and `--on-fault`.
pub(crate) fn sandboxed(
    run: &RunArgs,
    engines: impl Iterator<Item = Settings>,
) -> Result<Vec<Settings>, Failure> {
    let level = run.sandbox.level(|| level_in(run.out.as_deref()?));
    let engines = engines.map(|engine| {
        let mut engine = engine.sandboxed(level, &run.sandbox.sandbox_read);
        if !engine.is_human() {
            engine.on_fault = engine.on_fault.or(run.on_fault);
        }
        engine
    });
    let engines: Vec<Settings> = engines.collect();
    settings::check_readable(&run.sandbox.sandbox_read, &engines)?;
    Ok(engines)
}

/// The lowest level of the sandboxes in the first header of a result file.
pub fn level_in(out: &Path) -> Option<SandboxLevel> {
    let mut line = Vec::new();
    let file = open_regular(out).ok()?.take(MAX_HEADER);
    BufReader::new(file).read_until(b'\n', &mut line).ok()?;
    let header: Header = serde_json::from_slice(&line).ok()?;
    header
        .engines
        .iter()
        .filter_map(|engine| engine.settings.sandbox())
        .min()
}

/// The most bytes of a header that are read.
const MAX_HEADER: u64 = 64 << 20;

/// The settings of both players of a tuning: those of the only engine, under other names.
fn players_of_tuning(args: &TuneArgs) -> Result<[Settings; 2], Failure> {
    let engines = named(&args.run);
    let [engine] = &engines[..] else {
        return usage(format!(
            "`tune` takes one engine, which plays against itself, but found {}",
            engines.len()
        ));
    };
    let each = args.run.each.clone().unwrap_or_default();
    let settings = sandboxed(&args.run, [engine.clone().or(&each)].into_iter())?;
    let settings = settings.into_iter().next().unwrap_or_default();
    if settings.is_human() {
        return usage("a human player has no options to tune; use an engine");
    }
    if let Some(name) = &settings.name {
        return usage(format!(
            "`name={name}` does not apply: the players of a tuning are called {} and {}",
            PLAYERS[0], PLAYERS[1]
        ));
    }
    for (index, Parameter { name, .. }) in args.parameters.iter().enumerate() {
        let is_same = |other: &str| other.eq_ignore_ascii_case(name);
        if args.parameters[..index].iter().any(|other| is_same(&other.name)) {
            return usage(format!("--param {name} is given twice"));
        }
        if settings.options.iter().any(|(option, _)| is_same(option)) {
            return usage(format!("`{name}` is tuned by --param and set by `option.{name}`"));
        }
    }
    Ok(PLAYERS.map(|name| Settings {
        name: Some(name.into()),
        ..settings.clone()
    }))
}

/// The parameters, checked against the options that the engine announces.
fn parameters(
    args: &TuneArgs,
    contestants: &[Contestant],
    interrupt: &Arc<Interrupt>,
) -> Result<Vec<Parameter>, Failure> {
    let spec = contestants.iter().find_map(|contestant| contestant.spec.as_ref());
    let spec = spec.ok_or_else(|| Failure::Start("the engine is not a program".into()))?;
    let announced = roster::announced_options(spec, args.run.game.variant, interrupt)?;
    let mut parameters = args.parameters.clone();
    for parameter in &mut parameters {
        let checked = parameter.check(&announced);
        checked.map_err(|why| Failure::Usage(format!("--param: the engine {why}")))?;
    }
    Ok(parameters)
}

/// Warns if there are slots without games, or if all games would be the same.
fn check_batch(args: &TuneArgs) {
    let (slots, batch) = (args.run.concurrency.get(), args.batch.get());
    if slots > 2 * batch {
        log::warn!(
            "--concurrency {slots}: a batch has {}, so the other slots wait; --batch {} uses all",
            counted(2 * batch as usize, "game"),
            slots.div_ceil(2)
        );
    }
    if args.run.openings.is_none() && !args.run.game.variant.info().has_setup {
        log::warn!(
            "without --openings, all games begin with the same position; `--openings random:6` makes them differ"
        );
    }
}

/// The openings of these settings.
pub(crate) fn openings_of(run: &RunArgs) -> Result<Openings, Failure> {
    let setup = run.setup.of(run.game.variant)?;
    openings(run.game.variant, run.openings.as_ref(), setup, run.seed.get())
}

/// The openings of a match, of which the first one is tested: all come from the same source.
pub(crate) fn openings(
    game: Ruleset,
    option: Option<&BookOption>,
    setup: Setup,
    seed: u64,
) -> Result<Openings, Failure> {
    let failed = |error: OpeningError| error.failure("--openings");
    let mut openings = match option {
        None => Openings::new(game, setup, None, seed),
        Some(option) => match &option.source {
            OpeningSource::File(path) => BookText::read(path.raw().as_ref())
                .map_err(OpeningError::Book)
                .and_then(|text| {
                    let games = pgn_reader::openings(text.bytes(), game, &format!("`{}`", path.shown()));
                    let games =
                        games.map_err(|why| OpeningError::Book(format!("`{}`, {why}", path.shown())))?;
                    let text = match games {
                        Some((games, is_ours)) => text.with_games(games, is_ours),
                        None => text,
                    };
                    Openings::of_book(&text, game, option.selection, seed)
                }),
            source @ OpeningSource::Random(_) => Openings::new(game, setup, Some(source), seed),
        },
    }
    .map_err(failed)?;
    openings.get(1).map_err(failed)?;
    Ok(openings)
}

/// Shows what there is to say of them.
pub(crate) fn warn_of(openings: &Openings) {
    if let Some(note) = openings.note() {
        log::warn!("--openings: {note}");
    }
}

/// Says before the first game that a sequential test runs out of openings, of which it uses each once.
fn warn_of_few(openings: &Openings, schedule: &ScheduleEntry) {
    let count = openings.distinct_count().filter(|_| schedule.sprt.is_some());
    let most = count.map(|count| count.saturating_mul(if schedule.no_swap { 1 } else { 2 }));
    if let Some(most) = most.filter(|most| *most < schedule.games) {
        log::warn!(
            "--openings: {most} of {} games have an opening of their own, and --sprt then ends without a decision",
            schedule.games
        );
    }
}

/// Why no position of the game is found to occur again; `None` if one can be.
fn never_recurs(game: Ruleset) -> Option<String> {
    match game.variant() {
        Some(_) => Some(format!("no position of {game} occurs twice in a game")),
        None if game.has_text() => None,
        None => Some(format!(
            "{game} does not answer `query fen`, and only the texts of positions show that one occurs again"
        )),
    }
}

/// Refuses `--prove` for a game whose rules know no results before the end, and limits that mean nothing to those that
/// do.
fn refuse_proofs(game: Ruleset, rule: ProveRule) -> Result<(), Failure> {
    if !game.proves() {
        let options = game.program().map(ExternalProgram::defaults).unwrap_or_default();
        // Such as the folder of tables.
        let empty = options
            .iter()
            .filter(|(_, value)| ["", "<empty>"].contains(&value.as_str()));
        let unset: Vec<String> = empty
            .map(|(name, _)| format!("; is `option.{name}=…` missing?"))
            .collect();
        let unset = unset.concat();
        return usage(format!(
            "--prove needs a solver, or rules that answer `query proven`, and those of {game} do not{unset}"
        ));
    }
    let default = ProveRule::read("").map_err(Failure::Usage)?;
    let limits = |rule: ProveRule| (rule.empty, rule.nodes, rule.time);
    if limits(rule) == limits(default) {
        return Ok(());
    }
    usage(format!(
        "--prove: `empty`, `nodes` and `st` are limits of a solver; the rules of {game} know results themselves, so \
         only `result` applies"
    ))
}

/// The program that proves results for the referee.
fn solver(ruleset: Ruleset) -> Result<EngineSpec, Failure> {
    let settings = Settings {
        options: vec![("Hash".into(), SOLVER_HASH.to_string())],
        ..Settings::of_program(players::DEFAULT)
    };
    let contestants = roster::resolve(&[settings], ruleset)?;
    let spec = contestants.into_iter().find_map(|contestant| contestant.spec);
    spec.ok_or_else(|| Failure::Start("the solver is not a program".into()))
}

/// A contestant as the header describes it.
pub fn engine_entry(contestant: &Contestant) -> EngineEntry {
    if let Some(past) = &contestant.past {
        return EngineEntry::clone(past);
    }
    EngineEntry {
        name: contestant.name.clone(),
        settings: RecordedSettings::new(&contestant.settings, &contestant.control),
        submission: contestant.submission.clone(),
        sha256: BTreeMap::new(),
    }
}

/// The number of rounds of a Swiss tournament.
fn rounds(args: &MatchArgs, players: usize) -> Result<Option<u64>, Failure> {
    let format = args.format.format;
    if format.follows_results() && args.sprt.is_some() {
        return usage(format!(
            "--sprt tests two engines against each other; `--format {format}` does not support it"
        ));
    }
    if format.follows_results() && args.shard.is_some() {
        return usage(format!(
            "--shard: each round of `--format {format}` depends on all earlier results, so it cannot be split"
        ));
    }
    if !format.properties().has_rounds {
        return Ok(None);
    }
    if args.reverse {
        return usage(format!(
            "--reverse: `--format {format}` balances the colours of each player itself"
        ));
    }
    if format.properties().has_stages {
        return Ok(Some(args.format.rounds.unwrap_or(LADDER_ROUNDS)));
    }
    let rounds = args.format.rounds.unwrap_or(swiss::default_rounds(players));
    let most = swiss::max_rounds(players);
    if rounds > most {
        return usage(format!(
            "--format swiss rounds={rounds}: {players} players have all met after {}",
            counted(most as usize, "round")
        ));
    }
    Ok(Some(rounds))
}

/// The number of players that meet all others in a gauntlet, if given.
fn seeds(args: &MatchArgs, players: usize) -> Result<Option<u64>, Failure> {
    match args.format.seeds {
        Some(seeds) if seeds >= players as u64 => usage(format!(
            "--format gauntlet seeds={seeds}: at least one of the {players} players must not be a seed"
        )),
        // One is the default: the same match.
        seeds => Ok(seeds.filter(|&seeds| seeds > 1)),
    }
}

/// The test that may end the match.
fn sprt(args: &MatchArgs, players: usize) -> Result<Option<Sprt>, Failure> {
    if args.sprt.is_none() {
        return Ok(None);
    }
    if players > 2 {
        return usage(format!(
            "--sprt tests two engines against each other; found {players}"
        ));
    }
    if args.no_swap {
        return usage("--sprt counts pairs of games with colours swapped, and --no-swap plays none");
    }
    if args.shard.is_some() {
        return usage("--sprt needs all games in order, so the match cannot be split with --shard");
    }
    if args.games.get() < MIN_SPRT_GAMES {
        log::warn!(
            "--sprt cannot decide within {} games; raise the limit, for example to `--games 20000`",
            args.games
        );
    }
    if args.sprt.is_some_and(|sprt| sprt.model() == Model::Bayesian) {
        log::warn!(
            "--sprt: with `model=bayesian`, the LLR is 0 until both players have won a game; \
             `model=normalized` also decides a one-sided match"
        );
    }
    Ok(args.sprt)
}

/// What restricts the engines in this run; `None` without a sandboxed engine.
fn sandbox_run(contestants: &[Contestant]) -> Result<Option<SandboxRun>, Failure> {
    let specs = contestants
        .iter()
        .filter_map(|contestant| contestant.spec.as_ref());
    let levels = specs.filter_map(|spec| Some(spec.launch.sandbox.as_ref()?.level));
    let levels: Vec<SandboxLevel> = levels.collect::<BTreeSet<_>>().into_iter().collect();
    let Some(&highest) = levels.last() else {
        return Ok(None);
    };
    let enforced = sandbox_ability(highest)
        .map_err(|refusal| Failure::Usage(format!("{refusal}{}", temporary_folder_hint())))?;
    Ok(Some(SandboxRun {
        levels,
        enforced,
        root: is_root(),
    }))
}

/// Checks that this many games can be played at the same time.
pub(super) fn check_slots(
    run: &RunArgs,
    contestants: &[Contestant],
    ponder: bool,
    board: bool,
) -> Result<(), Failure> {
    let slots = run.concurrency.get();
    if ponder && run.affinity != Affinity::Off {
        return usage(
            "--affinity gives a game one core, and with --ponder both of its engines think at the same time",
        );
    }
    if slots > 1 && contestants.iter().any(Contestant::is_person) {
        return usage(format!(
            "--concurrency {slots}: a human player plays one game at a time"
        ));
    }
    if slots > 1 && board {
        return usage(format!(
            "--board shows one game at a time, and --concurrency {slots} plays more"
        ));
    }
    let mut threads: Vec<u64> = contestants.iter().map(threads).collect();
    threads.sort_unstable_by_key(|&threads| Reverse(threads));
    let searching = threads.iter().take(if ponder { 2 } else { 1 });
    let searches = slots * searching.sum::<u64>();
    let cores = available_parallelism().map_or(searches, |cores| cores.get() as u64);
    if searches > cores && searches > 1 {
        let pondering = if ponder { " with --ponder" } else { "" };
        let (threads, who) = match threads.first() {
            Some(threads @ 2..) => (format!(" and `option.Threads={threads}`"), "threads"),
            _ => (String::new(), "engines"),
        };
        log::warn!(
            "--concurrency {slots}{pondering}{threads}: {}, so {who} take time from each other; \
             the results may suffer",
            there_are(cores as usize, "core")
        );
    }
    Ok(())
}

/// The number of threads that a player is set to use.
fn threads(contestant: &Contestant) -> u64 {
    let mut options = contestant.settings.options.iter();
    let set = options.rfind(|(name, _)| name.eq_ignore_ascii_case("Threads"));
    set.and_then(|(_, value)| value.parse::<u32>().ok())
        .map_or(1, u64::from)
}
