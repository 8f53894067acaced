//! `referee match`: engines, or people, play the games of a schedule.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use std::sync::Arc;
use std::thread::available_parallelism;
use std::time::Duration;

use lodestone::personality;

use super::plan::Plan;
use super::{install_interrupt, installed, open_prompt, shown};
use crate::config;
use crate::config::cli::{MatchArgs, OutputFormat};
use crate::config::cpus::Affinity;
use crate::config::roster::{self, Contestant};
use crate::config::settings::Settings;
use crate::config::values::Whole;
use crate::game::adjudication::Rules;
use crate::game::clock::TimeControl;
use crate::game::drawing::BoardStyle;
use crate::interactive::human::Human;
use crate::interactive::prompt::SharedPrompt;
use crate::interactive::spectator::Spectator;
use crate::io::failure::Failure;
use crate::io::interrupt::Interrupt;
use crate::io::log_file;
use crate::io::messages::fitted;
use crate::io::shell;
use crate::io::terminal;
use crate::io::text::{is_printable, shown_path};
use crate::play::display::{Event, MatchDisplay, OutputMode};
use crate::play::live_page::{LivePage, PageEnd};
use crate::play::{MatchState, Runner};
use crate::player::{EngineSpec, Warnings};
use crate::process::{Limits, SandboxLevel, sandbox_ability};
use crate::report::page::PageFile;
use crate::report::{Summary, table};
use crate::results::pgn::MatchPgn;
use crate::results::transcripts::TranscriptFolder;
use crate::results::{Header, Record, SandboxRun, SprtEnd, Store, Unfit, unfit_in};
use crate::schedule::Format;
use crate::system::processes::available_cores;
use crate::tournament::Tournament;

/// The largest match that is shown move by move, in games.
const FEW_GAMES: u64 = 2;

/// The time for a move in a match without named engines. It is short, because a person
/// watches.
const DEMONSTRATION_TIME: Duration = Duration::from_millis(200);

/// What a user reads at the first Ctrl-C with `--finish-games`.
const FINISHING: &str =
    "no new game begins; the running games are played to their ends. Ctrl-C again drops them";

/// The transposition table of the solver, in MB. Its size decides which proofs succeed.
const SOLVER_HASH: u64 = 16;

/// Plays a match, with its log.
pub fn run(args: &MatchArgs) -> Result<(), Failure> {
    logged(args, || play(args))
}

/// Plays games, with their log.
pub(super) fn logged(args: &MatchArgs, play: impl FnOnce() -> Result<(), Failure>) -> Result<(), Failure> {
    let Some(log) = &args.log else {
        return play();
    };
    let here = |error: std::io::Error| format!("--log {}: {error}", log.path.display());
    log_file::open(&log.path, log.level, log.engines).map_err(|error| Failure::Usage(here(error)))?;
    let played = play();
    if let Err(failure) = &played {
        log::info!("the match ends: {failure}");
    }
    let logged = log_file::close().map_err(|error| Failure::Output(here(error)));
    played.and(logged)
}

/// Plays a match.
fn play(args: &MatchArgs) -> Result<(), Failure> {
    let interrupt = install(args)?;
    let (contestants, left_out) = contestants(args)?;
    let mut plan = Plan::new(args, &contestants)?;
    let has_people = contestants.iter().any(Contestant::is_person);
    check(args, &contestants)?;
    let page = args.html.as_deref().map(PageFile::open).transpose()?;
    let cores = cores(&args.affinity, slots(args))?;
    if let Some(path) = &args.out {
        // The marks of the file hold for the whole match.
        plan.header.unfit = unfit_in(path, &plan.header);
    }
    let is_new = |unfit: &Unfit| plan.header.unfit.iter().all(|known| known.name != unfit.name);
    let left_out: Vec<Unfit> = left_out.into_iter().filter(is_new).collect();
    plan.header.unfit.extend(left_out);
    let mut tournament = plan.tournament()?;
    let transcripts = TranscriptFolder::open(args.faults.as_deref(), args.out.as_deref(), args.seed.get())?;
    let page = page.map(|file| LivePage::start(file, &plan.header, transcripts.folders()));
    let page = page.transpose()?;
    let mut listener = page.as_ref().map(LivePage::listener);
    let seen = |record: &Record| {
        if let Some(listener) = &mut listener {
            listener(record);
        }
    };
    let store = args
        .out
        .as_deref()
        .map(|path| open_store(path, &plan.header, &mut tournament, seen));
    let store = store.transpose()?;
    let (store, mut pgn) = MatchPgn::open(args.pgn.as_ref().map(|pgn| &*pgn.path), store, &plan.header)?;
    let screen = display(args, has_people, &tournament);
    let is_over = tournament.is_finished();
    let state = MatchState::new(tournament, plan.openings, store, screen)
        .with_pgn(pgn.game_by_game.take())
        .with_listener(listener)
        .recording(args.record.clone());
    let mut runner = Runner::new(
        &contestants,
        slots(args),
        cores,
        state,
        &transcripts,
        Arc::clone(&interrupt),
    )
    .with_pause(Duration::from_millis(args.wait.get()));
    runner.set_strict(args.strict);
    if let Some(page) = &page {
        runner.set_running(page.running());
    }
    if plan.rules != Rules::default() {
        runner.set_adjudication(plan.rules.clone(), solver(args)?);
    }
    add_people(&mut runner, &contestants, args, &interrupt)?;
    let started = if is_over {
        Ok(())
    } else {
        start(&runner, &contestants, args, &mut plan.header)
    };
    // Not a command whose engines do not start.
    let started = started.and_then(|()| config::file::save(args));
    let sandbox = sandbox_run(&contestants)?;
    let started = match &sandbox {
        Some(run) if !is_over => started.and_then(|()| runner.note_run(run)),
        _ => started,
    };
    let played = started.and_then(|()| {
        runner.show(|tournament, screen| print_resumed(args, &plan.header, tournament, screen))?;
        if is_over {
            return Ok(());
        }
        if let Some(page) = &page {
            runner.show(|tournament, _| {
                page.begin(&plan.header, tournament);
                Ok(())
            })?;
        }
        runner.play()
    });
    let (mut state, warnings, left) = runner.shut_down();
    let played = played.and(left);
    // All engines have ended, so the next signal can end the referee at once.
    Interrupt::end_at_the_next();
    if matches!(played, Err(Failure::Start(_) | Failure::Usage(_))) {
        state.abandon();
        return played;
    }
    let closed = state.close();
    let exported = pgn.write();
    let shown = page.map_or(Ok(()), |page| page.end(page_end(state.shown().0)));
    let saved = closed.and(exported).and(shown);
    if let (Err(_), Err(failure)) = (&played, &saved) {
        log::error!("{failure}");
    }
    close(
        args,
        &plan.header,
        &contestants,
        &mut state,
        &warnings,
        &transcripts.folders(),
        sandbox.as_ref(),
    )?;
    played.and(saved)
}

/// Listens for the signals that stop games.
pub(super) fn install(args: &MatchArgs) -> Result<Arc<Interrupt>, Failure> {
    if args.finish_games {
        installed(Interrupt::install_finishing(FINISHING))
    } else {
        install_interrupt()
    }
}

/// The players, with their limits, and the submissions that are left out.
fn contestants(args: &MatchArgs) -> Result<(Vec<Contestant>, Vec<Unfit>), Failure> {
    let (settings, left_out) = settings(args)?;
    // `start` names those that are broken, together with those that do not answer.
    let mut contestants = roster::resolve_or_skip(&settings, args.variant)?;
    set_limits(&mut contestants, args)?;
    Ok((contestants, left_out))
}

/// Checks the options that depend on each other.
fn check(args: &MatchArgs, contestants: &[Contestant]) -> Result<(), Failure> {
    let has_people = contestants.iter().any(Contestant::is_person);
    check_output(args, has_people)?;
    check_slots(args, contestants)?;
    if has_people && args.finish_games {
        return Err(Failure::Usage(
            "--finish-games is for matches of programs; a person ends a running game with `resign`".into(),
        ));
    }
    check_page(args)
}

/// Checks that the page has a file of its own.
pub(super) fn check_page(args: &MatchArgs) -> Result<(), Failure> {
    let others = [
        ("--out", args.out.as_ref()),
        ("--pgn", args.pgn.as_ref().map(|pgn| &pgn.path)),
        ("--log", args.log.as_ref().map(|log| &log.path)),
    ];
    if let Some(page) = &args.html
        && let Some((other, _)) = others.into_iter().find(|(_, path)| *path == Some(page))
    {
        return Err(Failure::Usage(format!(
            "--html {}: this is the file of {other}; the page replaces its file",
            page.display()
        )));
    }
    Ok(())
}

/// The output of the match.
fn display(args: &MatchArgs, has_people: bool, tournament: &Tournament) -> MatchDisplay {
    let mode = output_mode(args, has_people, tournament);
    let style = board_style(args, has_people);
    let screen = MatchDisplay::new(args.variant, tournament.total(), mode, style)
        .rated_every(args.rating_interval.get())
        .watched((!has_people).then(|| args.style.board_style()));
    match args.format.format {
        Format::Knockout => screen.without_count(),
        _ => screen,
    }
}

/// What the last page says of the end of the match.
pub(super) fn page_end(tournament: &Tournament) -> PageEnd {
    let (played, games) = (tournament.played(), tournament.total());
    PageEnd {
        tournament: tournament.clone(),
        note: (!tournament.is_finished())
            .then(|| format!("The match was stopped after {played} of {games} games.")),
    }
}

/// What restricts the engines in this run; `None` without a sandboxed engine.
pub(super) fn sandbox_run(contestants: &[Contestant]) -> Result<Option<SandboxRun>, Failure> {
    let specs = contestants
        .iter()
        .filter_map(|contestant| contestant.spec.as_ref());
    let levels = specs.filter_map(|spec| Some(spec.launch.sandbox.as_ref()?.level));
    let levels: Vec<SandboxLevel> = levels.collect::<BTreeSet<_>>().into_iter().collect();
    let Some(&highest) = levels.last() else {
        return Ok(None);
    };
    let enforced = sandbox_ability(highest).map_err(|refusal| Failure::Usage(refusal.to_string()))?;
    Ok(Some(SandboxRun::new(&levels, enforced)))
}

/// Starts the engines. With `--skip-broken`, those that do not start before the first game
/// are marked as unfit.
fn start(
    runner: &Runner<'_>,
    contestants: &[Contestant],
    args: &MatchArgs,
    header: &mut Header,
) -> Result<(), Failure> {
    let is_marked = header.is_unfit();
    let missing = contestants.iter().enumerate().filter_map(|(index, contestant)| {
        let why = contestant.broken.as_ref().filter(|_| !is_marked[index])?;
        let sentence = format!("{} cannot be started: {why}", contestant.name);
        Some((index, Failure::Start(sentence)))
    });
    let mut failures: Vec<(usize, Failure)> = missing.chain(runner.start()).collect();
    failures.sort_by_key(|(index, _)| *index);
    let is_skipped = |failure: &Failure| matches!(failure, Failure::Start(_));
    let may_skip = args.skip_broken && !runner.has_games();
    if failures.is_empty() || !may_skip || !failures.iter().all(|(_, failure)| is_skipped(failure)) {
        return roster::all_started(failures.into_iter().map(|(_, failure)| failure));
    }
    for (index, failure) in &failures {
        header.unfit.push(Unfit {
            name: contestants[*index].name.clone(),
            why: failure.to_string(),
        });
    }
    let tournament = Tournament::new(header).map_err(Failure::Usage)?;
    if tournament.is_finished() {
        let broken = roster::all_started(failures.into_iter().map(|(_, failure)| failure));
        return broken.map_err(|failure| match failure {
            Failure::Start(why) => Failure::Start(format!("no game can be played: {why}")),
            failure => failure,
        });
    }
    for (_, failure) in failures {
        log::warn!("not in the match: {failure}");
    }
    runner.mark_unfit(header)
}

/// Sets the memory and process limits of each engine, and whether it ponders.
pub(super) fn set_limits(contestants: &mut [Contestant], args: &MatchArgs) -> Result<(), Failure> {
    let (memory, processes) = (args.memory.map(Whole::get), args.max_processes.map(Whole::get));
    if (memory.is_some() || processes.is_some()) && !Limits::ARE_SUPPORTED {
        return Err(Failure::Usage(
            "--memory and --max-processes need Linux: this system does not report what an engine uses".into(),
        ));
    }
    for spec in contestants
        .iter_mut()
        .filter_map(|contestant| contestant.spec.as_mut())
    {
        let limits = &mut spec.launch.limits;
        limits.memory = memory.or(limits.memory);
        limits.processes = processes.or(limits.processes);
        spec.ponder = args.ponder;
    }
    Ok(())
}

/// The program that proves results for the referee.
pub(super) fn solver(args: &MatchArgs) -> Result<EngineSpec, Failure> {
    let settings = Settings {
        options: vec![("Hash".into(), SOLVER_HASH.to_string())],
        ..Settings::of_program(personality::DEFAULT)
    };
    let contestants = roster::resolve(&[settings], args.variant)?;
    let spec = contestants.into_iter().find_map(|contestant| contestant.spec);
    spec.ok_or_else(|| Failure::Start("the solver is not a program".into()))
}

/// The settings of all players, with those of `--each`, and the submissions that are left out.
pub fn settings(args: &MatchArgs) -> Result<(Vec<Settings>, Vec<Unfit>), Failure> {
    let mut each = args.each.clone().unwrap_or_default();
    let named = args.programs.iter().map(|cmd| Settings::of_program(cmd));
    let mut engines: Vec<Settings> = named.chain(args.engine.iter().cloned()).collect();
    // Players named one by one come first; in a gauntlet, the first one plays all others.
    let (submissions, left_out) = config::submissions::players(&args.submissions, &each, args.skip_broken)?;
    engines.extend(submissions);
    if engines.is_empty() {
        each.time.get_or_insert(TimeControl::Move(DEMONSTRATION_TIME));
        engines = ["lodestone", args.variant.info().default_opponent]
            .map(Settings::of_program)
            .into();
    }
    if let [only] = &engines[..] {
        let name = only.name.as_ref().or(only.cmd.as_ref());
        return Err(Failure::Usage(format!(
            "a match needs two or more players; `{}` is the only one. Name an opponent, such as the built-in player \
             `random`",
            name.map_or("", String::as_str)
        )));
    }
    let engines = engines.into_iter().map(|engine| engine.or(&each));
    let engines: Vec<Settings> = engines.map(|engine| restricted(engine, args)).collect();
    check_readable(&args.sandbox_read, &engines)?;
    Ok((engines, left_out))
}

/// The settings of a player with the sandbox and the processor time of a match.
pub(super) fn restricted(engine: Settings, args: &MatchArgs) -> Settings {
    engine
        .sandboxed(args.sandbox, &args.sandbox_read)
        .with_cpu_time(args.cpu_time.map(Whole::get))
}

/// Checks that a player has a sandbox for which the folders of `--sandbox-read` are.
pub(super) fn check_readable(folders: &[PathBuf], engines: &[Settings]) -> Result<(), Failure> {
    let has_sandbox = |engine: &Settings| engine.sandbox.is_some_and(|level| level != SandboxLevel::Off);
    if folders.is_empty() || engines.iter().any(has_sandbox) {
        return Ok(());
    }
    Err(Failure::Usage(
        "--sandbox-read is for engines in a sandbox, and none is; --sandbox puts all into one".into(),
    ))
}

/// The number of games to play at a time.
pub(super) fn slots(args: &MatchArgs) -> usize {
    args.concurrency.get() as usize
}

/// Checks that this many games can be played at a time.
pub(super) fn check_slots(args: &MatchArgs, contestants: &[Contestant]) -> Result<(), Failure> {
    let slots = slots(args);
    let has_people = contestants.iter().any(Contestant::is_person);
    if args.ponder && args.affinity != Affinity::Off {
        return Err(Failure::Usage(
            "--affinity gives a game one core, and with --ponder both of its engines think at the same time"
                .into(),
        ));
    }
    let mut threads: Vec<u64> = contestants.iter().map(threads).collect();
    threads.sort_unstable_by_key(|&threads| Reverse(threads));
    let searching = threads.iter().take(if args.ponder { 2 } else { 1 });
    let searches = slots as u64 * searching.sum::<u64>();
    if searches == 1 {
        return Ok(());
    }
    if has_people && slots > 1 {
        return Err(Failure::Usage(format!(
            "--concurrency {slots}: a person plays one game at a time"
        )));
    }
    if args.board && slots > 1 {
        return Err(Failure::Usage(format!(
            "--board shows one game at a time, and --concurrency {slots} plays more"
        )));
    }
    let cores = available_parallelism().map_or(searches, |cores| cores.get() as u64);
    if searches > cores {
        let pondering = if args.ponder { " with --ponder" } else { "" };
        let (threads, who) = match threads.first() {
            Some(threads @ 2..) => (format!(" and `option.Threads={threads}`"), "threads"),
            _ => (String::new(), "engines"),
        };
        log::warn!(
            "--concurrency {slots}{pondering}{threads}: there are {cores} cores, so {who} take time from each other; \
             the results may suffer"
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

/// The cores of the slots, at least one each; `None` without `--affinity`.
pub(super) fn cores(affinity: &Affinity, slots: usize) -> Result<Option<Vec<usize>>, Failure> {
    let usage = |why: String| Failure::Usage(format!("--affinity: {why}"));
    let available = || available_cores().map_err(|error| usage(error.to_string()));
    let (cores, owner) = match affinity {
        Affinity::Off => return Ok(None),
        Affinity::Any => (available()?, "this machine has"),
        Affinity::Cores(cores) => {
            let available = available()?;
            if let Some(core) = cores.iter().find(|core| !available.contains(core)) {
                let names: Vec<String> = available.iter().map(ToString::to_string).collect();
                return Err(usage(format!(
                    "there is no core {core}; the cores are {}",
                    names.join(", ")
                )));
            }
            (cores.clone(), "the list has")
        }
    };
    if slots > cores.len() {
        return Err(usage(format!(
            "{slots} games at a time need a core each; {owner} {}",
            cores.len()
        )));
    }
    Ok(Some(cores))
}

/// Adds the people among the contestants. They share one terminal.
fn add_people(
    runner: &mut Runner<'_>,
    contestants: &[Contestant],
    args: &MatchArgs,
    interrupt: &Arc<Interrupt>,
) -> Result<(), Failure> {
    let mut shared: Option<SharedPrompt> = None;
    for (index, contestant) in contestants.iter().enumerate() {
        if !contestant.is_person() {
            continue;
        }
        let prompt = match &shared {
            Some(prompt) => prompt.clone(),
            None => shared
                .insert(SharedPrompt::new(open_prompt(args.style, interrupt)?))
                .clone(),
        };
        let person = Human::new(contestant.name.clone(), args.variant, prompt);
        runner.add_person(index, Box::new(person));
    }
    let variant = args.variant;
    if let Some(prompt) = shared.filter(|prompt| prompt.lock().console.edits_lines()) {
        runner.set_spectators(move |number, names| {
            Box::new(Spectator::new(prompt.clone(), variant, number, names))
        });
    }
    Ok(())
}

/// How boards are drawn: for people, with `--color` or `--ascii`; `None` for the plain
/// board of the protocol.
fn board_style(args: &MatchArgs, has_people: bool) -> Option<BoardStyle> {
    let style = args.style.board_style();
    (has_people || style.colour || args.style.ascii).then_some(style)
}

/// Checks that the output can have the format of another program.
fn check_output(args: &MatchArgs, has_people: bool) -> Result<(), Failure> {
    if args.output == OutputFormat::Referee {
        return Ok(());
    }
    let others = [
        ("--board", args.board),
        ("--quiet", args.quiet),
        ("--json", args.json),
    ];
    let other = others.into_iter().find(|(_, is_on)| *is_on);
    let why = match other {
        Some((other, _)) => format!("{other} cannot be used with it"),
        None if has_people => "a person needs the boards".into(),
        None => return Ok(()),
    };
    Err(Failure::Usage(format!("--output cutechess: {why}")))
}

/// What the match prints. If a person plays, it shows the boards.
fn output_mode(args: &MatchArgs, has_people: bool, tournament: &Tournament) -> OutputMode {
    if has_people {
        OutputMode::Boards
    } else if args.json {
        OutputMode::Events
    } else if args.output == OutputFormat::Cutechess {
        OutputMode::Cutechess
    } else if args.quiet {
        OutputMode::Summary
    } else if args.board || (tournament.total() <= FEW_GAMES && slots(args) == 1) {
        OutputMode::Boards
    } else {
        OutputMode::Games
    }
}

/// Opens the result file, and enters the games that it holds. `seen` receives each of them once.
pub(super) fn open_store(
    path: &Path,
    header: &Header,
    tournament: &mut Tournament,
    mut seen: impl FnMut(&Record),
) -> Result<Store, Failure> {
    let failure =
        |error: &dyn std::fmt::Display| Failure::Usage(format!("--out {}: {error}", path.display()));
    let opened = Store::open(path, header, |record| {
        if !tournament.is_over(record.id) {
            seen(&record);
        }
        tournament.add(record)
    });
    let (mut store, end) = opened.map_err(|error| failure(&error))?;
    match (end, tournament.verdict()) {
        // The test had decided, but a crash came before its line was written.
        (None, Some(verdict)) => {
            let end = SprtEnd {
                sprt: verdict.clone(),
            };
            store.append(&end).map_err(|error| failure(&error))?;
        }
        (Some(_), None) => tournament.end_test_undecided(),
        _ => {}
    }
    if !tournament.is_finished() {
        store.note_programs(header).map_err(|error| failure(&error))?;
    }
    Ok(store)
}

/// Prints how many games the result file holds already.
pub(super) fn print_resumed(
    args: &MatchArgs,
    header: &Header,
    tournament: &Tournament,
    screen: &mut MatchDisplay,
) -> Result<(), Failure> {
    let (played, games) = (tournament.played(), tournament.total());
    if screen.mode() == OutputMode::Events {
        return shown(screen.event(&Event::Start {
            header,
            games,
            played,
        }));
    }
    if let (Some(path), 1.., true) = (&args.out, played, screen.mode() != OutputMode::Cutechess) {
        let rest = if tournament.is_finished() {
            "nothing is left to play"
        } else {
            "resuming"
        };
        shown(screen.print(&format!(
            "{played} of {games} games are in {} already; {rest}",
            shown_path(path)
        )))?;
    }
    Ok(())
}

/// Prints the summary, and how to resume a match that was stopped.
fn close(
    args: &MatchArgs,
    header: &Header,
    contestants: &[Contestant],
    state: &mut MatchState,
    warnings: &[Warnings],
    transcripts: &[PathBuf],
    sandbox: Option<&SandboxRun>,
) -> Result<(), Failure> {
    let (tournament, screen) = state.shown();
    let summary = Summary::new(header, tournament)
        .with_transcripts(tournament, transcripts)
        .with_warnings(warnings);
    if screen.mode() == OutputMode::Events {
        return shown(screen.event(&Event::End(&summary)));
    }
    if screen.mode() == OutputMode::Cutechess {
        return shown(screen.match_over(tournament));
    }
    let mut text = table::summary(header, tournament, &summary, terminal::width(std::io::stdout()));
    if let Some(run) = sandbox {
        let _ = write!(text, "\n{run}");
    }
    text.push_str(&fitted(&warning_counts(contestants, warnings), std::io::stdout()));
    if !tournament.is_finished() {
        let (played, games) = (tournament.played(), tournament.total());
        let stopped = format!("\nStopped after {played} of {games} games. ");
        text.push_str(&resume_text(&stopped, args.out.as_deref()));
    }
    shown(screen.print(&text))
}

/// A line for each kind of warning that an engine caused.
fn warning_counts(contestants: &[Contestant], warnings: &[Warnings]) -> String {
    let mut text = String::new();
    for (contestant, warnings) in contestants.iter().zip(warnings) {
        let name = &contestant.name;
        for (what, count) in [
            (
                format!("Lines that {name} wrote out of turn"),
                warnings.unsolicited,
            ),
            (
                format!("Answers of {name} that contradict the rules"),
                warnings.wrong_claims,
            ),
            (
                format!("Questions that {name} did not answer"),
                warnings.unanswered,
            ),
        ] {
            if count > 0 {
                let _ = write!(text, "\n{what}: {count}");
            }
        }
    }
    text
}

/// How to resume a match, behind the sentence that says where it stopped. The command stays
/// one line, so that a person can copy it.
pub(super) fn resume_text(stopped: &str, out: Option<&Path>) -> String {
    let Some(path) = out else {
        let advice = "Nothing was saved; with `--out FILE.jsonl` a match can be resumed.";
        return fitted(&format!("{stopped}{advice}"), std::io::stdout());
    };
    let saved = format!(
        "{stopped}They are saved in {}; run the same command again to resume",
        shown_path(path)
    );
    match command_line() {
        Some(command) => fitted(&format!("{saved}:"), std::io::stdout()) + "\n  " + &command,
        None => fitted(&format!("{saved}."), std::io::stdout()),
    }
}

/// The command line, quoted for a shell; `None` if it cannot be printed.
fn command_line() -> Option<String> {
    let words: Option<Vec<String>> = std::env::args_os().map(|word| word.into_string().ok()).collect();
    let words = words.filter(|words| words.iter().all(|word| word.chars().all(is_printable)))?;
    Some(shell::join(&words.iter().map(String::as_str).collect::<Vec<_>>()))
}
