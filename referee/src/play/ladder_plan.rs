//! The plan of one run of a ladder.

use std::path::Path;

use super::limit::RunLimit;
use super::plan::{LadderEntry, MatchPlan, RunSpecifics, Starts, check_slots, usage};
use crate::config::cli::LadderArgs;
use crate::config::roster::Contestant;
use crate::config::values::WholeNumber;
use crate::config::with_keys::BookOption;
use crate::io::failure::Failure;
use crate::results::{EngineEntry, Header, ScheduleEntry, UnfitPlayer, archive};
use crate::schedule::openings::{OpeningSource, Selection};
use crate::schedule::{Format, Stage};
use crate::tournament::Tournament;

/// The games of a pairing: both players move first.
const GAMES: u64 = 2;

/// The random moves of the default openings, so that no two rounds begin alike.
const OPENING_PLIES: u32 = 4;

/// The players of a ladder, those who do not play in this run included.
#[derive(Debug)]
pub(crate) struct LadderPlayers {
    pub contestants: Vec<Contestant>,
    /// Their entries, in the same order.
    pub entries: Vec<LadderEntry>,
    /// The submissions that cannot play in this run.
    pub unfit: Vec<UnfitPlayer>,
}

impl LadderPlayers {
    /// The players with these names, and after them the new ones.
    pub fn new(
        past: &[EngineEntry],
        playing: Vec<(Contestant, LadderEntry)>,
        unfit: Vec<UnfitPlayer>,
    ) -> LadderPlayers {
        let mut playing = playing;
        let (mut contestants, mut entries) = (Vec::new(), Vec::new());
        for known in past {
            let place = playing
                .iter()
                .position(|(contestant, _)| contestant.name == known.name);
            let (contestant, entry) = place.map_or_else(
                || {
                    let absent = LadderEntry::Absent(Box::new(known.clone()));
                    (Contestant::absent(known.name.clone()), absent)
                },
                |place| playing.remove(place),
            );
            contestants.push(contestant);
            entries.push(entry);
        }
        let (more, others): (Vec<_>, Vec<_>) = playing.into_iter().unzip();
        contestants.extend(more);
        entries.extend(others);
        LadderPlayers {
            contestants,
            entries,
            unfit,
        }
    }

    /// The numbers of those who play in this run.
    pub fn playing(&self) -> Vec<usize> {
        let entries = self.entries.iter().enumerate();
        let playing = entries.filter(|(_, entry)| !matches!(entry, LadderEntry::Absent(_)));
        playing.map(|(number, _)| number).collect()
    }
}

/// A ladder so far: its last header and its games; `None` if the file does not exist or is empty.
///
/// # Errors
/// It holds something else.
pub(crate) fn past(path: &Path) -> Result<Option<(Header, Tournament)>, Failure> {
    if path.metadata().is_ok_and(|metadata| metadata.len() == 0) || !path.exists() {
        return Ok(None);
    }
    let usage = |why: String| Failure::Usage(format!("--out {}: {why}", path.display()));
    let found =
        archive::read(&[path.to_path_buf()]).map_err(|error| Failure::Usage(format!("--out {error}")))?;
    let [one] = &found[..] else {
        return Err(usage("it holds several matches; give a new file".into()));
    };
    if one.header.schedule.stages.is_empty() {
        return Err(usage("it holds a match, not a ladder; give a new file".into()));
    }
    let mut tournament = Tournament::new(&one.header).map_err(usage)?;
    let read = one.games(|line| match line {
        archive::CountedLine::Game(game) => tournament.add_game(game),
        archive::CountedLine::Other(_) => Ok(()),
    });
    read.map_err(|error| Failure::Usage(format!("--out {error}")))?;
    if let Some(missing) = tournament.missing_before_others() {
        return Err(usage(format!(
            "game {missing} is missing, and later games depend on its result; a ladder cannot go on without it"
        )));
    }
    Ok(Some((one.header.clone(), tournament)))
}

/// The stages with this one as the last: those so far, if the same players go on.
pub(crate) fn stages(past: Option<&Tournament>, playing: Vec<usize>) -> Vec<Stage> {
    let fixtures = past.map(Tournament::fixtures);
    let last = fixtures.and_then(|fixtures| fixtures.schedule().stages.last());
    let mut stages = match (fixtures, last) {
        (Some(fixtures), Some(last)) if last.players == playing && last.rounds.is_none() => {
            return fixtures.schedule().stages.clone();
        }
        (Some(fixtures), _) => fixtures.closed_stages(),
        (None, _) => Vec::new(),
    };
    stages.push(Stage::open(playing));
    stages
}

impl MatchPlan {
    /// The plan of a run of `referee ladder` with these players, and the stages of the ladder.
    pub fn of_ladder(
        args: &LadderArgs,
        players: LadderPlayers,
        stages: Vec<Stage>,
    ) -> Result<MatchPlan, Failure> {
        let run = &args.run;
        let count = stages.last().map_or(0, |stage| stage.players.len());
        if let Some(first) = args.settle.filter(|first| first.get() >= count as u64) {
            return usage(format!(
                "--settle {first}: there are {count} players; name fewer places than that"
            ));
        }
        check_slots(run, &players.contestants, false, false)?;
        let kind = RunSpecifics {
            starts: Starts::Later,
            left_out: players.unfit,
            ladder: Some(players.entries),
            ..RunSpecifics::of_schedule(ScheduleEntry {
                games: GAMES,
                stages,
                ..ScheduleEntry::of_format(Format::Ladder)
            })
        };
        let mut plan = MatchPlan::new(run, players.contestants, kind)?;
        plan.limit = RunLimit {
            games: args.games.map(WholeNumber::get),
            time: args.hours,
            until: args.until.map(next).transpose()?,
            settle: args.settle.map(WholeNumber::get),
            shard: args.shard,
            ..RunLimit::default()
        };
        Ok(plan)
    }
}

/// The openings of a ladder without `--openings`: none if the game has a set-up, which differs.
pub(crate) fn default_openings(has_setup: bool) -> Option<BookOption> {
    (!has_setup).then(|| BookOption {
        source: OpeningSource::Random(OPENING_PLIES),
        selection: Selection::default(),
    })
}

/// The next time at which the clocks of this place show this time of the day.
fn next(time: jiff::civil::Time) -> Result<jiff::Timestamp, Failure> {
    let now = jiff::Zoned::now();
    let failed = |error: jiff::Error| Failure::Usage(format!("--until: {error}"));
    let today = now.with().time(time).build().map_err(failed)?;
    let next = if today <= now {
        today.tomorrow().map_err(failed)?
    } else {
        today
    };
    Ok(next.timestamp())
}
