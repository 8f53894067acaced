//! `referee tune`: tunes spin options of an engine by games of the engine against itself.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

use super::plan::Plan;
use super::{contest, shown};
use crate::config::cli::{MatchArgs, TuneArgs};
use crate::config::roster::{self, Contestant};
use crate::config::settings::Settings;
use crate::game::adjudication::Rules;
use crate::io::failure::Failure;
use crate::io::files;
use crate::io::interrupt::Interrupt;
use crate::io::shell;
use crate::io::terminal;
use crate::play::display::{Event, MatchDisplay, OutputMode, TunedOptions};
use crate::play::live_page::LivePage;
use crate::play::{MatchState, Runner};
use crate::report::page::PageFile;
use crate::report::plot;
use crate::report::text_table::{Column, TextTable};
use crate::results::Header;
use crate::results::pgn::MatchPgn;
use crate::results::transcripts::TranscriptFolder;
use crate::results::tuning::Gains;
use crate::results::tuning::{PLAYERS, Parameter, Tuner, Tuning};
use crate::tournament::Tournament;

/// How the SVG file of `--plot` begins. Only such a file is overwritten.
const SVG_START: &[u8] = b"<svg ";

/// The most bytes of an existing file of `--plot`.
const MAX_PLOT: u64 = 1 << 24;

/// Tunes options, with the log of the games.
pub fn run(args: &TuneArgs) -> Result<(), Failure> {
    contest::logged(&args.game, || tune(args))
}

fn tune(args: &TuneArgs) -> Result<(), Failure> {
    let game = &args.game;
    let interrupt = contest::install(game)?;
    let settings = settings(args)?;
    let mut contestants = roster::resolve(&settings, game.variant)?;
    contest::set_limits(&mut contestants, game)?;
    contest::check_slots(game, &contestants)?;
    contest::check_page(game)?;
    check_batch(args);
    let page = game.html.as_deref().map(PageFile::open).transpose()?;
    let cores = contest::cores(&game.affinity, contest::slots(game))?;
    if let Some(path) = &args.plot {
        check_plot(path)?;
    }
    let tuning = Tuning {
        iterations: args.iterations.get(),
        batch: args.batch.get(),
        gains: Gains {
            alpha: args.alpha,
            gamma: args.gamma,
            a_ratio: args.a_ratio,
        },
        parameters: parameters(args, &contestants, &interrupt)?,
    };
    let mut plan = Plan::new(game, &contestants)?;
    plan.header.schedule.games = 2 * tuning.iterations;
    plan.header.tuning = Some(tuning.clone());
    let mut tuner = Tuner::new(tuning, plan.header.seed);
    let mut tournament = plan.tournament()?;
    let transcripts = TranscriptFolder::open(game.faults.as_deref(), game.out.as_deref(), game.seed.get())?;
    let page = page.map(|file| LivePage::start(file, &plan.header, transcripts.folders()));
    let page = page.transpose()?;
    let mut listener = page.as_ref().map(LivePage::listener);
    let store = match &game.out {
        Some(path) => Some(contest::open_store(
            path,
            &plan.header,
            &mut tournament,
            |record| {
                tuner.add_game(record.pair, record.result, &record.first);
                if let Some(listener) = &mut listener {
                    listener(record);
                }
            },
        )?),
        None => None,
    };
    let (store, mut pgn) = MatchPgn::open(game.pgn.as_ref().map(|pgn| &*pgn.path), store, &plan.header)?;
    let screen = screen(game, &tournament);
    let is_over = tournament.is_finished();
    let state = MatchState::new(tournament, plan.openings, store, screen)
        .with_pgn(pgn.game_by_game.take())
        .with_listener(listener)
        .recording(game.record.clone())
        .tuning(tuner);
    let slots = contest::slots(game);
    let mut runner = Runner::new(
        &contestants,
        slots,
        cores,
        state,
        &transcripts,
        Arc::clone(&interrupt),
    );
    runner.set_strict(game.strict);
    if let Some(page) = &page {
        runner.set_running(page.running());
    }
    if plan.rules != Rules::default() {
        runner.set_adjudication(plan.rules.clone(), contest::solver(game)?);
    }
    let played = play(&runner, game, &contestants, &plan.header, page.as_ref(), is_over);
    let (mut state, _, left) = runner.shut_down();
    let played = played.and(left);
    // All engines have ended, so the next signal can end the referee at once.
    Interrupt::end_at_the_next();
    if matches!(played, Err(Failure::Start(_) | Failure::Usage(_))) {
        state.abandon();
        return played;
    }
    let closed = state.close();
    let exported = pgn.write();
    let paged = page.map_or(Ok(()), |page| page.end(contest::page_end(state.shown().0)));
    let plotted = write_plot(args, &state);
    close(args, &mut state)?;
    played.and(closed).and(exported).and(paged).and(plotted)
}

/// Starts the engines and plays the games, unless the tuning `is_over`.
fn play(
    runner: &Runner<'_>,
    game: &MatchArgs,
    contestants: &[Contestant],
    header: &Header,
    page: Option<&LivePage>,
    is_over: bool,
) -> Result<(), Failure> {
    if !is_over {
        roster::all_started(runner.start().into_iter().map(|(_, failure)| failure))?;
        if let Some(run) = contest::sandbox_run(contestants)? {
            runner.note_run(&run)?;
        }
    }
    runner.show(|tournament, screen| contest::print_resumed(game, header, tournament, screen))?;
    if is_over {
        return Ok(());
    }
    if let Some(page) = page {
        runner.show(|tournament, _| {
            page.begin(header, tournament);
            Ok(())
        })?;
    }
    runner.play()
}

/// The settings of both players: those of the only engine, under other names.
fn settings(args: &TuneArgs) -> Result<[Settings; 2], Failure> {
    let MatchArgs {
        programs,
        engine,
        each,
        ..
    } = &args.game;
    let named = programs.iter().map(|cmd| Settings::of_program(cmd));
    let engines: Vec<Settings> = named.chain(engine.iter().cloned()).collect();
    let usage = |why: String| Err(Failure::Usage(why));
    let [engine] = &engines[..] else {
        return usage(format!(
            "one engine is tuned, and {} are named; it plays against itself",
            engines.len()
        ));
    };
    let settings = match each {
        Some(each) => engine.clone().or(each),
        None => engine.clone(),
    };
    let settings = contest::restricted(settings, &args.game);
    contest::check_readable(&args.game.sandbox_read, std::slice::from_ref(&settings))?;
    if settings.is_human() {
        return usage("a person has no options to tune; name an engine".into());
    }
    if let Some(name) = &settings.name {
        return usage(format!(
            "`name={name}` does not apply: the players of a tuning are called {} and {}",
            PLAYERS[0], PLAYERS[1]
        ));
    }
    let mut seen: Vec<String> = Vec::new();
    for Parameter { name, .. } in &args.parameters {
        let is_same = |other: &str| other.eq_ignore_ascii_case(name);
        if seen.iter().any(|other| is_same(other)) {
            return usage(format!("--param {name} is given twice"));
        }
        if settings.options.iter().any(|(option, _)| is_same(option)) {
            return usage(format!("`{name}` is tuned by --param and set by `option.{name}`"));
        }
        seen.push(name.clone());
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
    let announced = roster::announced_options(spec, args.game.variant, interrupt)?;
    let check = |parameter: &Parameter| {
        let mut parameter = parameter.clone();
        let checked = parameter.check(&announced);
        checked
            .map(|()| parameter)
            .map_err(|why| Failure::Usage(format!("--param: the engine {why}")))
    };
    args.parameters.iter().map(check).collect()
}

/// Warns if there are slots without games, or if all games would be the same.
fn check_batch(args: &TuneArgs) {
    let (slots, batch) = (contest::slots(&args.game) as u64, args.batch.get());
    if slots > 2 * batch {
        log::warn!(
            "--concurrency {slots}: a batch has {} games, so the other slots wait; --batch {} uses all",
            2 * batch,
            slots.div_ceil(2)
        );
    }
    if args.game.openings.is_none() && !args.game.variant.info().has_setup {
        log::warn!(
            "without --openings, all games begin with the same position; `--openings random:6` makes them differ"
        );
    }
}

/// Checks that `--plot` overwrites nothing but a plot.
fn check_plot(path: &Path) -> Result<(), Failure> {
    let here = |why: &dyn std::fmt::Display| Failure::Usage(format!("--plot {}: {why}", path.display()));
    match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(here(&error)),
        Ok(found) if !found.is_file() => Ok(()),
        Ok(_) => match files::read(path, MAX_PLOT).map_err(|why| here(&why))? {
            Some(text) if text.is_empty() || text.starts_with(SVG_START) => Ok(()),
            _ => Err(here(
                &"the file exists and is no SVG file, so it is not overwritten",
            )),
        },
    }
}

/// What the games print.
fn screen(args: &MatchArgs, tournament: &Tournament) -> MatchDisplay {
    let mode = if args.json {
        OutputMode::Events
    } else if args.quiet {
        OutputMode::Summary
    } else {
        OutputMode::Progress
    };
    let screen = MatchDisplay::new(args.variant, tournament.total(), mode, None);
    screen.rated_every(args.rating_interval.get())
}

fn write_plot(args: &TuneArgs, state: &MatchState) -> Result<(), Failure> {
    let (Some(path), Some(tuner)) = (&args.plot, state.tuner()) else {
        return Ok(());
    };
    let written = fs::write(path, plot::svg(tuner));
    written.map_err(|error| Failure::Output(format!("--plot {}: {error}", path.display())))
}

/// Prints the values, and how to use them or to resume.
fn close(args: &TuneArgs, state: &mut MatchState) -> Result<(), Failure> {
    let Some(tuner) = state.tuner().cloned() else {
        return Ok(());
    };
    let (tournament, screen) = state.shown();
    if screen.mode() == OutputMode::Events {
        return shown(screen.event(&Event::Tuned {
            values: TunedOptions::new(&tuner),
            settings: words(&tuner),
        }));
    }
    let mut text = table(&tuner).fit(terminal::width(io::stdout()).unwrap_or(usize::MAX));
    let games = tournament.standings.meeting(0, 1).games;
    let _ = write!(
        text,
        "\n\n{} of {} iterations, {} games; {} won {}, drew {} and lost {}.",
        tuner.done(),
        tuner.tuning().iterations,
        tournament.played(),
        PLAYERS[0],
        games.wins,
        games.draws,
        games.losses
    );
    let faults = tournament.failed.count();
    if faults > 0 {
        let _ = write!(
            text,
            "\nGames lost by a fault, which count like the others: {faults}."
        );
    }
    let words: Vec<String> = words(&tuner).iter().map(|word| shell::quoted(word)).collect();
    let _ = write!(
        text,
        "\n\nAs settings for `referee match`:\n  {}",
        words.join(" ")
    );
    if !tournament.is_finished() {
        let stopped = format!(
            "\n\nStopped after {} of {} games. ",
            tournament.played(),
            tournament.total()
        );
        text.push_str(&contest::resume_text(&stopped, args.game.out.as_deref()));
    }
    shown(screen.print(&text))
}

/// The values as settings of a player.
fn words(tuner: &Tuner) -> Vec<String> {
    tuner
        .rounded()
        .map(|(name, value)| format!("option.{name}={value}"))
        .collect()
}

/// A row for each parameter.
fn table(tuner: &Tuner) -> TextTable {
    let parameters = &tuner.tuning().parameters;
    let column = |heading: &str, cell: &dyn Fn(usize, &Parameter) -> String| {
        let cells = parameters.iter().enumerate().map(|(index, one)| cell(index, one));
        Column::new(heading, cells)
    };
    TextTable {
        numbers: column("", &|index, _| (index + 1).to_string()),
        names: column("Parameter", &|_, one| one.name.clone()),
        groups: vec![
            vec![
                column("Start", &|_, one| one.start.to_string()),
                column("Value", &|index, _| {
                    tuner
                        .values()
                        .get(index)
                        .map_or_else(String::new, |value| format!("{value:.2}"))
                }),
            ],
            vec![
                column("Min", &|_, one| one.min.to_string()),
                column("Max", &|_, one| one.max.to_string()),
            ],
            vec![
                column("C_END", &|_, one| one.c_end.to_string()),
                column("R_END", &|_, one| one.r_end.to_string()),
            ],
        ],
    }
}
