//! The games to analyse, from the result files of one match.

use std::collections::BTreeMap;
use std::path::PathBuf;

use referee_core::failure::Failure;
use referee_core::game::Ruleset;
use referee_core::results::archive::{self, Location, Match};
use referee_core::results::game_file::numbers;
use referee_core::results::{EngineEntry, Line, Record, SprtVerdict, StoredGame};

use crate::command::check_rules;
use crate::config::cli::RulesArg;

/// The games of a match, and where they stand.
#[derive(Debug)]
pub struct Games {
    pub one: Match,
    /// Its rules.
    pub rules: Ruleset,
    /// The verdict of the test that ended it.
    pub end: Option<SprtVerdict>,
    pub list: Vec<ListedGame>,
}

#[derive(Clone, Debug)]
pub struct ListedGame {
    location: Location,
    /// Its number in the file.
    pub id: u64,
    /// The number of positions to search.
    pub positions: u64,
    pub analysed_by: Option<EngineEntry>,
}

impl Games {
    /// Lists the games of the files in the order of their schedule, or the one with this number. Of two
    /// copies of a game, one with an analysis has priority.
    pub fn read(files: &[PathBuf], number: Option<u64>, given: &RulesArg) -> Result<Games, Failure> {
        let mut matches = archive::read(files)?;
        let (Some(one), true) = (matches.pop(), matches.is_empty()) else {
            let count = matches.len() + 1;
            return Err(Failure::Usage(format!(
                "the files belong to {count} matches; analyse one at a time"
            )));
        };
        let game = one.header.game(given.loaded);
        check_rules(given, [game.rules()])?;
        let rules = game.rules().ok_or_else(|| {
            Failure::Usage(format!(
                "the rules of {game} are those of a program; name it with `--rules`"
            ))
        })?;
        let mut games: BTreeMap<u64, ListedGame> = BTreeMap::new();
        let mut end = None;
        one.lines(&mut |line, location| {
            match line {
                Line::Record(record) => {
                    let known = games.get(&record.id);
                    if known.is_some_and(|known| known.analysed_by.is_some() || record.analysis.is_none()) {
                        return Ok(());
                    }
                    let game = StoredGame::from_record(&record, Some(&one.header), given.loaded)?;
                    let moves = game.moves.len().saturating_sub(game.opening_plies) as u64;
                    let listed = ListedGame {
                        location,
                        id: record.id,
                        positions: if moves == 0 { 0 } else { moves + 1 },
                        analysed_by: record.analysis.map(|analysis| analysis.engine),
                    };
                    games.insert(record.id, listed);
                }
                Line::Sprt(verdict) => end = Some(verdict),
                _ => {}
            }
            Ok(())
        })?;
        let ids: Vec<u64> = games.keys().copied().collect();
        let wanted = games
            .into_values()
            .filter(|game| number.is_none_or(|number| number == game.id));
        let list: Vec<ListedGame> = wanted.collect();
        match (number, ids.as_slice()) {
            (_, []) => Err(Failure::Usage("the files hold no games".into())),
            (Some(number), ids) if list.is_empty() => Err(Failure::Usage(format!(
                "there is no game {number}: the files hold {}",
                numbers(ids)
            ))),
            _ => Ok(Games {
                one,
                rules,
                end,
                list,
            }),
        }
    }

    /// Reads a game.
    pub fn load(&self, game: &ListedGame) -> Result<(Record, StoredGame), Failure> {
        let record = self.one.record(&game.location)?;
        let game = StoredGame::from_record(&record, Some(&self.one.header), Some(self.rules));
        Ok((record, game.map_err(Failure::Usage)?))
    }
}
