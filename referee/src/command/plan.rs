//! The plan of a match: its header, openings and rules, from the options and the players.

use std::collections::BTreeMap;

use lodestone::game::Setup;
use lodestone::protocol::Dialect;

use super::{check_setup, setup_or_default};
use crate::config::cli::MatchArgs;
use crate::config::roster::{self, Contestant};
use crate::config::settings::Settings;
use crate::config::values::Whole;
use crate::game::adjudication::Rules;
use crate::io::failure::Failure;
use crate::player::DEFAULT_START_TIME;
use crate::process::SandboxLevel;
use crate::results::pgn::reader as pgn_reader;
use crate::results::{EngineEntry, Header, ScheduleEntry, VERSION};
use crate::schedule::openings::{BookText, OpeningError, OpeningSource, Openings};
use crate::schedule::{Format, swiss};
use crate::statistics::Sprt;
use crate::tournament::Tournament;

/// The match to play.
pub struct Plan {
    /// What identifies it.
    pub header: Header,
    /// The rules of adjudication.
    pub rules: Rules,
    /// The openings of its games.
    pub openings: Openings,
}

impl Plan {
    pub fn new(args: &MatchArgs, contestants: &[Contestant]) -> Result<Plan, Failure> {
        check_setup(args.setup, args.variant)?;
        let usage = Failure::Usage;
        let setup = setup_or_default(args.setup);
        let rounds = rounds(args, contestants.len())?;
        let sprt = sprt(args, contestants.len())?;
        let rules = Rules {
            draw: args.draw,
            resign: args.resign,
            prove: args.prove,
            checks_claims: args.check_claims,
        };
        let mut openings =
            match_openings(args, setup).map_err(|error| usage(format!("--openings: {error}")))?;
        // All openings come from the same source, so the first one tests it.
        openings
            .get(1)
            .map_err(|error| usage(format!("--openings: {error}")))?;
        for note in openings.notes() {
            log::warn!("--openings: {note}");
        }
        let setup = Some(setup).filter(|_| args.variant.info().has_setup);
        let schedule = ScheduleEntry {
            format: args.format.format,
            games: args.games.get(),
            rounds,
            seeds: seeds(args, contestants.len())?,
            no_swap: args.no_swap,
            reverse: args.reverse,
            openings: args.openings.as_ref().map(|openings| openings.source.clone()),
            selection: args
                .openings
                .as_ref()
                .map(|openings| openings.selection)
                .filter(|selection| !selection.is_default()),
            book: openings.digest(),
            pieces: setup.map(|Setup { pieces, .. }| pieces),
            turns: setup.map(|Setup { turns, .. }| turns),
            forfeit_after: args.forfeit_after.map(Whole::get),
            sprt,
            shard: args.shard,
        };
        Ok(Plan {
            header: header(args, schedule, &rules, contestants),
            rules,
            openings,
        })
    }

    pub fn tournament(&self) -> Result<Tournament, Failure> {
        Tournament::new(&self.header).map_err(Failure::Usage)
    }
}

fn match_openings(args: &MatchArgs, setup: Setup) -> Result<Openings, OpeningError> {
    let Some(option) = &args.openings else {
        return Openings::new(args.variant, setup, None, args.seed.get());
    };
    let OpeningSource::File(path) = &option.source else {
        return Openings::new(args.variant, setup, Some(&option.source), args.seed.get());
    };
    let text = BookText::read(path).map_err(OpeningError::Book)?;
    let games = pgn_reader::openings(text.bytes(), args.variant);
    let games = games.map_err(|why| OpeningError::Book(format!("`{}`, {why}", path.display())))?;
    let text = match games {
        Some(lines) => text.with_games(&lines),
        None => text,
    };
    Openings::of_book(&text, args.variant, option.selection, args.seed.get())
}

/// The header. The pattern names every option, so a new one must be added here: as part
/// of the match's identity, or as no part of it.
fn header(args: &MatchArgs, schedule: ScheduleEntry, rules: &Rules, contestants: &[Contestant]) -> Header {
    let &MatchArgs {
        variant,
        seed,
        memory,
        max_processes,
        ponder,
        ref record,
        ref pgn,
        ref out,
        // In the rules of adjudication.
        draw: _,
        resign: _,
        prove: _,
        // In `schedule`.
        format: _,
        rounds: _,
        games: _,
        no_swap: _,
        reverse: _,
        openings: _,
        setup: _,
        sprt: _,
        forfeit_after: _,
        shard: _,
        // In `contestants`.
        programs: _,
        engine: _,
        each: _,
        submissions: _,
        sandbox: _,
        sandbox_read: _,
        cpu_time: _,
        // Not part of the match's identity.
        check_claims: _,
        skip_broken: _,
        finish_games: _,
        strict: _,
        concurrency: _,
        wait: _,
        affinity: _,
        html: _,
        faults: _,
        config: _,
        save_config: _,
        board: _,
        quiet: _,
        json: _,
        output: _,
        log: _,
        rating_interval: _,
        style: _,
    } = args;
    let mut engines: Vec<EngineEntry> = contestants.iter().map(engine_entry).collect();
    if out.is_some() {
        for (engine, contestant) in engines.iter_mut().zip(contestants) {
            engine.sha256 = roster::digests(&contestant.settings);
        }
    }
    Header {
        header: VERSION,
        variant,
        seed: seed.get(),
        schedule,
        memory: memory.map(Whole::get),
        max_processes: max_processes.map(Whole::get),
        ponder,
        record: record.clone(),
        event: pgn.as_ref().and_then(|pgn| pgn.event.clone()),
        site: pgn.as_ref().and_then(|pgn| pgn.site.clone()),
        draw: rules.draw,
        resign: rules.resign,
        prove: rules.prove,
        tuning: None,
        engines,
        unfit: Vec::new(),
    }
}

/// A contestant as the header describes it. The pattern names every setting, as in
/// [`header`].
pub(super) fn engine_entry(contestant: &Contestant) -> EngineEntry {
    let control = &contestant.control;
    let Settings {
        cmd,
        args,
        dir,
        proto,
        options,
        start_time,
        restart,
        // In `control`, with their defaults.
        time: _,
        depth: _,
        nodes: _,
        margin: _,
        // In the contestant, with its default.
        name: _,
        sandbox,
        sandbox_read,
        cpu_time,
        // Not part of the match's identity.
        stderr: _,
    } = contestant.settings.clone();
    EngineEntry {
        name: contestant.name.clone(),
        cmd: cmd.unwrap_or_default(),
        args: args.unwrap_or_default(),
        dir,
        proto: proto.filter(|&proto| proto != Dialect::default()),
        options,
        time: control.time,
        depth: control.depth,
        nodes: control.nodes,
        timemargin: control.margin.as_millis() as u64,
        starttime: start_time.filter(|time| *time != DEFAULT_START_TIME),
        restart: restart.unwrap_or_default(),
        sandbox: sandbox.filter(|level| *level != SandboxLevel::Off),
        sandbox_read,
        cpu_time,
        sha256: BTreeMap::new(),
    }
}

/// The number of rounds of a Swiss tournament.
fn rounds(args: &MatchArgs, players: usize) -> Result<Option<u64>, Failure> {
    let usage = |why: String| Err(Failure::Usage(why));
    match (args.format.format, args.rounds.map(Whole::get)) {
        (format, _) if format.follows_results() && args.sprt.is_some() => usage(format!(
            "--sprt tests two engines against each other; `--format {format}` cannot have it"
        )),
        (format, _) if format.follows_results() && args.shard.is_some() => usage(format!(
            "--shard: each round of `--format {format}` depends on all earlier results, so it cannot be split"
        )),
        (Format::RoundRobin | Format::Gauntlet | Format::Pyramid | Format::Knockout, None) => Ok(None),
        (Format::RoundRobin | Format::Gauntlet | Format::Pyramid | Format::Knockout, Some(_)) => usage(
            "--rounds is for `--format swiss`; for ten rounds of two games between two players, write `--games 20`".into(),
        ),
        (Format::Swiss, _) if args.reverse => {
            usage("--reverse: a Swiss tournament balances the colours of each player itself".into())
        }
        (Format::Swiss, rounds) => {
            let rounds = rounds.unwrap_or(swiss::default_rounds(players));
            let most = swiss::max_rounds(players);
            if rounds > most {
                return usage(format!(
                    "--rounds {rounds}: {players} players have all met after {most} rounds"
                ));
            }
            Ok(Some(rounds))
        }
    }
}

/// The number of players that meet all others in a gauntlet, if given.
fn seeds(args: &MatchArgs, players: usize) -> Result<Option<u64>, Failure> {
    match args.format.seeds {
        Some(seeds) if seeds >= players as u64 => Err(Failure::Usage(format!(
            "--format gauntlet seeds={seeds}: at least one of the {players} players must be no seed"
        ))),
        // One is the default: the same match.
        seeds => Ok(seeds.filter(|&seeds| seeds > 1)),
    }
}

/// The test that may end the match.
fn sprt(args: &MatchArgs, players: usize) -> Result<Option<Sprt>, Failure> {
    let Some(sprt) = args.sprt else {
        return Ok(None);
    };
    if players > 2 {
        return Err(Failure::Usage(format!(
            "--sprt tests two engines against each other; {players} named"
        )));
    }
    if args.no_swap {
        return Err(Failure::Usage(
            "--sprt counts pairs of games with colours swapped, and --no-swap plays none".into(),
        ));
    }
    if args.shard.is_some() {
        return Err(Failure::Usage(
            "--sprt needs all games in order, so the match cannot be split with --shard".into(),
        ));
    }
    Ok(Some(sprt))
}
