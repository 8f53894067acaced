//! The rounds of a Swiss tournament that were played before (`--previous`): their results pair the
//! round of a shard.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::config::cli::MatchArgs;
use crate::config::values::Whole;
use crate::io::failure::Failure;
use crate::report::archive::{self, CountedLine};
use crate::results::Header;
use crate::schedule::{Shard, shards_of};
use crate::tournament::Tournament;
use crate::tournament::counted_game::CountedGame;

/// The largest number of missing games in a message.
const MAX_MISSING: usize = 10;

/// Enters the results of the rounds before `--round`, and stops the tournament after that round.
///
/// # Errors
/// If a file cannot be used, or a game of an earlier round is missing.
pub fn enter(args: &MatchArgs, header: &Header, tournament: &mut Tournament) -> Result<(), Failure> {
    let Some(round) = args.round.map(Whole::get) else {
        return Ok(());
    };
    tournament.stop_after(round);
    for record in earlier_games(&args.previous, header)?.values() {
        tournament
            .add_earlier(record)
            .map_err(|why| usage(format!("--previous: {why}")))?;
    }
    let schedule = *tournament.fixtures().schedule();
    let games = schedule.boards().saturating_mul(schedule.games);
    let last = games.saturating_mul(round - 1);
    let missing: Vec<u64> = (1..=last)
        .filter(|&id| !tournament.is_over(id) && !tournament.fixtures().is_void(id))
        .collect();
    // A tournament on one machine plays them now.
    if missing.is_empty() || header.shard() == Shard::WHOLE {
        return Ok(());
    }
    let ids: Vec<String> = missing.iter().take(MAX_MISSING).map(u64::to_string).collect();
    let more = match missing.len().saturating_sub(MAX_MISSING) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let shards = shards_of(&schedule, header.shard().count(), &missing);
    let shards: Vec<String> = shards.iter().take(MAX_MISSING).map(u64::to_string).collect();
    let first = missing.first().map_or(1, |id| (id - 1) / games.max(1) + 1);
    Err(usage(format!(
        "--round {round} is paired by the results of the rounds before it, and {} of their games are not in the files \
         of --previous: {}{more}. Play round {first} in the shards {} of {} first",
        missing.len(),
        ids.join(", "),
        shards.join(", "),
        header.shard().count()
    )))
}

fn usage(why: String) -> Failure {
    Failure::Usage(why)
}

/// The games in the files of `--previous`, by their numbers.
fn earlier_games(previous: &[PathBuf], header: &Header) -> Result<BTreeMap<u64, CountedGame>, Failure> {
    let here = |error: archive::ArchiveError| usage(format!("--previous: {error}"));
    let mut games = BTreeMap::new();
    for one in archive::read(&files(previous)?).map_err(here)? {
        let differences = one.header.differences(&header.without_shard());
        if !differences.is_empty() {
            let path = one.parts().first().map(|part| part.path.display().to_string());
            return Err(usage(format!(
                "--previous {}: it holds another match: {}",
                path.unwrap_or_default(),
                differences.join("; ")
            )));
        }
        let read = one.games(|line| {
            if let CountedLine::Game(game) = line {
                games.entry(game.id).or_insert(game);
            }
            Ok(())
        });
        read.map_err(here)?;
    }
    Ok(games)
}

/// The files, and the files `*.jsonl` of the folders.
fn files(previous: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for path in previous {
        if path.is_dir() {
            let failed = |error: std::io::Error| usage(format!("--previous {}: {error}", path.display()));
            let mut found: Vec<PathBuf> = Vec::new();
            for entry in std::fs::read_dir(path).map_err(failed)? {
                found.push(entry.map_err(failed)?.path());
            }
            found.retain(|path| is_result_file(path));
            found.sort();
            files.extend(found);
        } else {
            files.push(path.clone());
        }
    }
    Ok(files)
}

/// Whether a file of a folder is read: its name ends with `.jsonl`, and it is not empty, as after
/// the first moment of a shard.
fn is_result_file(path: &Path) -> bool {
    let is_named = path.extension().is_some_and(|extension| extension == "jsonl");
    is_named
        && path
            .metadata()
            .is_ok_and(|metadata| metadata.is_file() && metadata.len() > 0)
}
