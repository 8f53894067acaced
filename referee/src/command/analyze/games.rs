//! The games to analyse, from any number of files.

use std::collections::BTreeMap;
use std::io::BufRead;
use std::path::{Path, PathBuf};

use lodestone::text;

use crate::game::Ruleset;
use crate::io::failure::Failure;
use crate::io::text::shown_path;
use crate::results::archive::{self, Location, Match};
use crate::results::game_file::{self, FileContent, numbers};
use crate::results::{EngineEntry, Header, Line, Record, SprtVerdict, StoredGame};

/// The games of the files, and where they stand.
#[derive(Debug, Default)]
pub struct GameList {
    matches: Vec<Match>,
    /// The verdict of the test that ended each match.
    ends: Vec<Option<SprtVerdict>>,
    pub games: Vec<ListedGame>,
}

#[derive(Clone, Debug)]
pub struct ListedGame {
    source: Source,
    /// Its number in the file.
    pub id: Option<u64>,
    /// The game that is played.
    pub variant: Ruleset,
    /// The number of positions to search.
    pub positions: u64,
    /// The engine that has analysed it.
    pub analysed_by: Option<EngineEntry>,
}

#[derive(Clone, Debug)]
enum Source {
    /// A record of a result file.
    Record { played: usize, location: Location },
    /// Another file that `referee show` reads.
    File { path: PathBuf, number: Option<u64> },
}

/// A game with its record, if it comes from a result file.
#[derive(Debug)]
pub struct LoadedGame {
    pub record: Option<Record>,
    pub game: StoredGame,
}

impl GameList {
    /// Lists the games of the files, those of result files first and in the order of their
    /// schedule. `number` chooses one game of each file. Of two copies of a game, one with an
    /// analysis has priority.
    pub fn read(files: &[PathBuf], number: Option<u64>) -> Result<GameList, Failure> {
        let mut paths = Vec::new();
        let mut others = Vec::new();
        for path in files {
            if is_result_file(path)? {
                paths.push(path.clone());
            } else {
                others.push(path);
            }
        }
        let usage = |error: archive::ArchiveError| Failure::Usage(error.to_string());
        let matches = archive::read(&paths).map_err(usage)?;
        let mut list = GameList::default();
        let mut ids = Vec::new();
        for (played, one) in matches.iter().enumerate() {
            let (games, end) = games_of(one, played).map_err(usage)?;
            ids.extend(games.keys().copied());
            let is_wanted = |id: &u64| number.is_none_or(|number| number == *id);
            list.games.extend(
                games
                    .into_iter()
                    .filter_map(|(id, game)| is_wanted(&id).then_some(game)),
            );
            list.ends.push(end);
        }
        list.matches = matches;
        for path in others {
            list.games.extend(games_in(path, number).map_err(Failure::Usage)?);
        }
        if let (Some(number), true) = (number, list.games.is_empty()) {
            let held = numbers(&ids);
            return Err(Failure::Usage(format!(
                "there is no game {number}: the files hold {held}"
            )));
        }
        Ok(list)
    }

    /// The header of the only match, and the verdict of the test that ended it.
    pub fn only_match(&self) -> Result<(&Header, Option<&SprtVerdict>), String> {
        let is_record = |game: &ListedGame| matches!(game.source, Source::Record { .. });
        match (self.matches.as_slice(), self.ends.as_slice()) {
            ([one], [end]) if self.games.iter().all(is_record) => Ok((&one.header, end.as_ref())),
            ([] | [_], _) => Err("only games of result files are written; \
                                  PGN, transcripts and saved games have no records"
                .into()),
            (many, _) => Err(format!(
                "the files are of {} matches; give each match an output of its own",
                many.len()
            )),
        }
    }

    /// The name of a game in messages.
    pub fn label(&self, game: &ListedGame) -> String {
        let number = game
            .id
            .map_or_else(|| "The game".into(), |id| format!("Game {id}"));
        let path = match &game.source {
            Source::File { path, .. } => Some(path),
            Source::Record { played, .. } if self.matches.len() > 1 => {
                self.matches[*played].parts.first().map(|part| &part.path)
            }
            Source::Record { .. } => None,
        };
        path.map_or(number.clone(), |path| format!("{number} of {}", shown_path(path)))
    }

    /// Reads a game.
    pub fn load(&self, game: &ListedGame) -> Result<LoadedGame, Failure> {
        match &game.source {
            Source::Record { played, location } => {
                let one = &self.matches[*played];
                let record = one.record(location);
                let record = record.map_err(|error| Failure::Usage(error.to_string()))?;
                let stored = StoredGame::from_record(&record, Some(&one.header));
                Ok(LoadedGame {
                    game: stored.map_err(Failure::Usage)?,
                    record: Some(record),
                })
            }
            Source::File { path, number } => {
                let game = game_file::load(path, *number).map_err(Failure::Usage)?;
                Ok(LoadedGame { record: None, game })
            }
        }
    }
}

/// The games of a match by their numbers, and the verdict that ended it.
fn games_of(
    one: &Match,
    played: usize,
) -> Result<(BTreeMap<u64, ListedGame>, Option<SprtVerdict>), archive::ArchiveError> {
    let mut games: BTreeMap<u64, ListedGame> = BTreeMap::new();
    let mut end = None;
    one.lines(|line, location| {
        match line {
            Line::Record(record) => {
                let known = games.get(&record.id);
                if known.is_some_and(|known| known.analysed_by.is_some() || record.analysis.is_none()) {
                    return Ok(());
                }
                let game = StoredGame::from_record(&record, Some(&one.header))?;
                let listed = ListedGame {
                    source: Source::Record { played, location },
                    id: Some(record.id),
                    variant: game.variant,
                    positions: positions(&game),
                    analysed_by: record.analysis.map(|analysis| analysis.engine),
                };
                games.insert(record.id, listed);
            }
            Line::Sprt(verdict) => end = Some(verdict),
            _ => {}
        }
        Ok(())
    })?;
    Ok((games, end))
}

/// The games of a file that is no result file.
fn games_in(path: &Path, number: Option<u64>) -> Result<Vec<ListedGame>, String> {
    let listed = |game: &StoredGame, number| ListedGame {
        source: Source::File {
            path: path.to_path_buf(),
            number,
        },
        id: game.id,
        variant: game.variant,
        positions: positions(game),
        analysed_by: None,
    };
    match game_file::read(path, number)? {
        FileContent::Game(game) => Ok(vec![listed(&game, number)]),
        FileContent::List(entries) => entries
            .iter()
            .map(|entry| Ok(listed(&game_file::load(path, Some(entry.id))?, Some(entry.id))))
            .collect(),
    }
}

/// The number of positions that the analysis of a game searches.
fn positions(game: &StoredGame) -> u64 {
    match game.moves.len().saturating_sub(game.opening_plies) {
        0 => 0,
        moves => moves as u64 + 1,
    }
}

/// Whether a file begins like a result file.
fn is_result_file(path: &Path) -> Result<bool, Failure> {
    let failed = |error: std::io::Error| Failure::Usage(format!("{}: {error}", path.display()));
    let mut input = text::open(path).map_err(failed)?;
    let begin = input.fill_buf().map_err(failed)?.trim_ascii_start();
    Ok(begin.is_empty() || begin.starts_with(b"{"))
}
