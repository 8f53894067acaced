//! The plan of one run of a ladder.

use std::collections::HashMap;
use std::fmt::Display;
use std::path::Path;

use referee_core::failure::Failure;
use referee_core::game::Ruleset;
use referee_core::io::text::{ShowPath, there_are};
use referee_core::io::untrusted::Untrusted;
use referee_core::results::{
    EngineEntry, Header, Line, LockedFile, OpenError, ReadFile, ScheduleEntry, UnfitPlayer, read_content,
};
use referee_core::schedule::openings::{OpeningSource, Openings, Selection};
use referee_core::schedule::{Format, LadderRounds, Stage};
use referee_core::system::files::{look, open_regular};
use referee_core::tournament::Tournament;

use super::limit::{EndOfRun, RunLimit};
use super::outputs::other_options;
use super::plan::{MatchPlan, RunSpecifics, Starts, check_slots, header, usage};
use crate::config::cli::LadderArgs;
use crate::config::roster::Contestant;
use crate::config::values::WholeNumber;
use crate::config::with_keys::BookOption;

/// The games of a pairing: both players move first.
const GAMES: u64 = 2;

/// The random moves of the default openings, so that no two rounds begin alike.
const OPENING_PLIES: u32 = 4;

/// The players of a ladder, those who do not play in this run included.
#[derive(Debug)]
pub(crate) struct LadderPlayers {
    pub contestants: Vec<Contestant>,
    /// The submissions that cannot play in this run.
    pub unfit: Vec<UnfitPlayer>,
}

impl LadderPlayers {
    /// The players with these entries, and after them the new ones.
    pub fn new(past: &[EngineEntry], playing: Vec<Contestant>, unfit: Vec<UnfitPlayer>) -> LadderPlayers {
        let places: HashMap<&str, usize> = past.iter().map(|known| &*known.name).zip(0..).collect();
        let absent = past.iter().map(|known| Contestant::absent(known.clone()));
        let mut contestants: Vec<Contestant> = absent.collect();
        for player in playing {
            match places
                .get(&*player.name)
                .and_then(|&place| contestants.get_mut(place))
            {
                Some(place) => *place = player,
                None => contestants.push(player),
            }
        }
        LadderPlayers { contestants, unfit }
    }

    /// The numbers of those who play in this run.
    pub fn playing(&self) -> Vec<usize> {
        let players = self.contestants.iter().enumerate();
        let playing = players.filter(|(_, player)| player.past.is_none());
        playing.map(|(number, _)| number).collect()
    }
}

/// A ladder so far.
#[derive(Debug)]
pub(crate) struct Past {
    /// Its last header.
    pub header: Header,
    pub tournament: Tournament,
    /// How often each player had crashed or hung before the last run.
    failures: Vec<u64>,
}

impl Past {
    /// Reads the file of a ladder without locking it; `None` without a game or a header.
    pub fn look(path: &Path) -> Result<Option<Past>, Failure> {
        if look(path)
            .map_err(|why| Failure::Usage(format!("--out: {why}")))?
            .is_none()
        {
            return Ok(None);
        }
        Past::read(path, |take| {
            read_content(&mut open_regular(path)?, take).map(drop)
        })
        .map(|(past, ())| past)
    }

    /// Reads the file of a ladder to go on in it.
    pub fn open(locked: LockedFile, path: &Path) -> Result<(Option<Past>, ReadFile), Failure> {
        Past::read(path, |take| locked.read(take))
    }

    fn read<T>(
        path: &Path,
        read: impl FnOnce(&mut dyn FnMut(Line) -> Result<(), OpenError>) -> Result<T, OpenError>,
    ) -> Result<(Option<Past>, T), Failure> {
        let usage = |why: &dyn Display| Failure::Usage(format!("--out {}: {why}", path.shown()));
        let mut past = None;
        let file = read(&mut |line| Past::enter(&mut past, line).map_err(OpenError::Invalid));
        let file = file.map_err(|error| usage(&error))?;
        let missing = past
            .as_ref()
            .and_then(|past| past.tournament.missing_before_others());
        if let Some(missing) = missing {
            return Err(usage(&format!(
                "game {missing} is missing, and later games depend on its result; a ladder cannot continue \
                 without it"
            )));
        }
        Ok((past, file))
    }

    /// Whether a player has crashed or hung since the last line of the file that begins a run.
    pub fn has_failed_in_last_run(&self, player: usize) -> bool {
        let before = self.failures.get(player).copied().unwrap_or_default();
        self.failures_of(player) > before
    }

    fn failures_of(&self, player: usize) -> u64 {
        let faults = self.tournament.standings.players.get(player);
        let faults = faults.into_iter().flat_map(|stats| &stats.faults);
        let failures = faults.filter(|(kind, _)| kind.about().may_not_start);
        failures.map(|(_, count)| count).sum()
    }

    fn begin_run(&mut self) {
        let players = 0..self.header.engines.len();
        self.failures = players.map(|player| self.failures_of(player)).collect();
    }

    fn enter(past: &mut Option<Past>, line: Line) -> Result<(), String> {
        match (line, past) {
            (Line::Header(header), _) if header.schedule.stages.is_empty() => {
                Err("it holds a match, not a ladder; use a new file".into())
            }
            (Line::Header(header), past @ None) => {
                *past = Some(Past {
                    tournament: Tournament::new(&header)?,
                    header: *header,
                    failures: Vec::new(),
                });
                Ok(())
            }
            (Line::Header(header), Some(past)) if past.header.differences(&header).is_empty() => {
                past.header = *header;
                past.tournament.go_on(&past.header)?;
                past.begin_run();
                Ok(())
            }
            (Line::Sandbox(_), Some(past)) => {
                past.begin_run();
                Ok(())
            }
            (Line::Header(_), Some(_)) => Err("it holds several matches; use a new file".into()),
            (Line::Record(record), Some(past)) => past.tournament.add(&record),
            (Line::Pairings(pairings), Some(past)) => {
                past.tournament.take_pairings(&pairings);
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

/// Checks that a ladder goes on with the same options, before a submission is started. These contestants play.
pub(crate) fn check_options(
    args: &LadderArgs,
    past: &Past,
    playing: Vec<Contestant>,
    openings: &Openings,
) -> Result<(), Failure> {
    let players = LadderPlayers::new(&past.header.engines, playing, Vec::new());
    let schedule = ScheduleEntry {
        games: GAMES,
        stages: past.header.schedule.stages.clone(),
        book: openings.digest().map(Untrusted::from),
        ..ScheduleEntry::of_format(Format::Ladder)
    };
    let kind = RunSpecifics {
        past: Some((past.header.clone(), past.tournament.played())),
        ..RunSpecifics::default()
    };
    let now = header(&args.run, schedule, kind, &players.contestants)?;
    match past.header.differences(&now) {
        found if found.is_empty() => Ok(()),
        found => {
            let out = args.run.out.as_deref().unwrap_or(Path::new(""));
            usage(format!("--out {}: {}", out.shown(), other_options(&found)))
        }
    }
}

/// The stages with this one as the last: those so far, if the same players go on.
pub(crate) fn stages(past: Option<&Tournament>, playing: Vec<usize>) -> Vec<Stage> {
    let calendar = past.map(Tournament::calendar);
    let last = calendar.and_then(|calendar| calendar.schedule().stages.last());
    let mut stages = match (calendar, last) {
        (Some(calendar), Some(last)) if last.players == playing && last.rounds.is_none() => {
            return calendar.schedule().stages.clone();
        }
        (calendar, _) => {
            let ladder = calendar.and_then(|calendar| calendar.ladder());
            ladder.map_or(Vec::new(), LadderRounds::closed_stages)
        }
    };
    stages.push(Stage::open(playing));
    stages
}

impl MatchPlan {
    /// The plan of a run of `referee ladder` with these players, the stages of the ladder, and the ladder so far.
    pub fn of_ladder(
        args: &LadderArgs,
        players: LadderPlayers,
        openings: Openings,
        stages: Vec<Stage>,
        past: Option<Past>,
        end: EndOfRun,
    ) -> Result<MatchPlan, Failure> {
        let run = &args.run;
        let count = stages.last().map_or(0, |stage| stage.players.len());
        if let Some(first) = args.settle.filter(|first| first.get() >= count as u64) {
            return usage(format!(
                "--settle {first}: {}; choose fewer places",
                there_are(count, "player")
            ));
        }
        check_slots(run, &players.contestants, false, false)?;
        let schedule = ScheduleEntry {
            games: GAMES,
            stages,
            ..ScheduleEntry::of_format(Format::Ladder)
        };
        let kind = RunSpecifics {
            starts: Starts::Later,
            left_out: players.unfit,
            past: past
                .as_ref()
                .map(|past| (past.header.clone(), past.tournament.played())),
            ..RunSpecifics::default()
        };
        let mut plan = MatchPlan::new(run, players.contestants, openings, schedule, kind)?;
        if let Some(past) = past.filter(|past| past.header.differences(&plan.header).is_empty()) {
            plan.tournament = past.tournament;
            plan.tournament.go_on(&plan.header).map_err(Failure::Usage)?;
        }
        plan.limit = RunLimit {
            games: args.games.map(WholeNumber::get),
            end: Some(end),
            settle: args.settle.map(WholeNumber::get),
            shard: args.shard,
            ..RunLimit::default()
        };
        Ok(plan)
    }
}

/// The openings of a ladder without `--openings`: none if the starts of the game differ.
pub(crate) fn default_openings(rules: Ruleset) -> Option<BookOption> {
    (!rules.has_random_start()).then(|| BookOption {
        source: OpeningSource::Random(OPENING_PLIES),
        selection: Selection::default(),
    })
}
