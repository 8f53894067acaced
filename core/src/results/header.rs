//! The header, the first line of a result file: the game, the schedule and the
//! engines.
//!
//! It holds everything that determines the games, and labels that do not ([`Header::without_labels`]), such as the
//! engines that did not start. Two headers describe the same match if [`Header::differences`] finds none; then their
//! [`Header::identity`] is equal. `python/referee/results.py` has the same rule for its users.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

use super::differences::{Difference, differences};
use super::engine_entry::EngineEntry;
use super::facts::FactFields;
use crate::game::adjudication::Rules;
use crate::game::clock::TimeControl;
use crate::game::{FileGame, Ruleset, title_of};
use crate::io::as_text::{self, Text};
use crate::io::files::digest;
use crate::io::text::printable;
use crate::io::untrusted::Untrusted;
use crate::process::ResourceLimits;
use crate::results::tuning::Tuning;
use crate::schedule::openings::{OpeningSource, Selection};
use crate::schedule::{Format, Schedule, Shard, Stage};
use crate::statistics::Sprt;

/// The version of the file format.
pub const VERSION: u32 = 1;

/// The default of `--max-plies` for a rules program.
const MAX_PLIES: u64 = 2000;

/// The most games of a round whose pairings follow results: each of them is looked at when the round ends. A thousand
/// players with ten thousand games each take a second.
const MAX_ROUND: u64 = 10_000_000;

/// The first line of a result file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// The version of the file format.
    pub header: u32,
    /// The name of the game.
    #[serde(deserialize_with = "name_of_game")]
    pub variant: String,
    /// The rules program, if the game is not built in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules: Option<RulesEntry>,
    /// The seed of all random numbers.
    pub seed: u64,
    pub schedule: ScheduleEntry,
    /// The memory limit of every program in MB, in files of version 0.4: [`Header::checked`] gives it to their entries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<u64>,
    /// The limit on the processes of every program, likewise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_processes: Option<u64>,
    /// Whether engines that offer it think in the opponent's time (`--ponder`).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ponder: bool,
    /// What else the records keep of each move (`--record`). It determines no games.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "as_text::optional")]
    pub record: Option<FactFields>,
    /// The name of the event in PGN (`--pgn`). It determines no games.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<Untrusted>,
    /// The place of the event in PGN (`--pgn`). It determines no games.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub site: Option<Untrusted>,
    /// What ends games early, as it was asked for.
    #[serde(flatten)]
    pub adjudication: Rules,
    /// What the games tune (`referee tune`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tuning: Option<Tuning>,
    /// The hashes of the folders that start submissions (`--wrapper`), by their names as given.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub wrappers: BTreeMap<Untrusted, Untrusted>,
    /// The programs of earlier games that have changed since (`--accept`), in the order of the changes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub accepted: Vec<ProgramChange>,
    /// The players.
    pub engines: Vec<EngineEntry>,
    /// The players that did not start (`--skip-broken`), whose games are not played, and the
    /// submissions that are no player.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unfit: Vec<UnfitPlayer>,
}

/// A rules program in a header.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RulesEntry {
    /// The name of the game.
    #[serde(deserialize_with = "as_text::printable_name")]
    pub name: String,
    /// What the program calls itself, with its options.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<Untrusted>,
    /// The same before it had them, as in the files of version 0.4.0.
    #[serde(skip)]
    pub greeting: Option<Untrusted>,
    /// The program and its settings, as after `--rules`.
    pub cmd: Vec<Untrusted>,
    /// The names and values of the options that were set.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<(Untrusted, Untrusted)>,
    /// The hashes of the program and of the files that belong to it, by their names as given.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub sha256: BTreeMap<Untrusted, Untrusted>,
}

/// Programs that have changed during a match, as they were before.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProgramChange {
    /// The number of games that were played with them.
    pub after: u64,
    /// The rules program, if that has changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules: Option<RulesEntry>,
    /// The hashes of the wrappers that have changed.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub wrappers: BTreeMap<Untrusted, Untrusted>,
}

impl RulesEntry {
    /// What people call the game.
    pub fn title(&self) -> String {
        let version = self.version.as_ref().map(|version| version.shown().to_string());
        title_of(
            self.cmd.iter().map(Untrusted::raw),
            &self.name,
            version.as_deref(),
        )
        .to_string()
    }

    /// What has changed from this program to another one, one sentence each.
    pub fn changes(&self, now: &RulesEntry) -> Vec<String> {
        let changes = differences(&["rules"], self, &now.named_as(self));
        changes.iter().map(ToString::to_string).collect()
    }

    /// This program as an older file has it: with its name before its options were set, and without further files.
    fn named_as(&self, old: &RulesEntry) -> RulesEntry {
        let mut named = self.clone();
        // Files of earlier versions have no modules. A new one is imported by a file that has changed.
        named.sha256.retain(|file, _| old.sha256.contains_key(file));
        if self.greeting.is_some() && self.greeting == old.version {
            named.version.clone_from(&old.version);
        }
        named
    }
}

/// Any game, a built-in one in any letter case.
fn name_of_game<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let name = String::deserialize(deserializer)?;
    let built_in = Ruleset::from_name(&name);
    Ok(built_in.map_or_else(|| printable(&name, usize::MAX), |rules| rules.name().into()))
}

/// A player that did not start before the first game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnfitPlayer {
    /// The player's name.
    #[serde(deserialize_with = "as_text::printable_name")]
    pub name: String,
    /// The cause, as a sentence.
    pub why: Untrusted,
    /// The same as a clause that follows the name, if the sentence begins with a name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clause: Option<Untrusted>,
    /// The same for the author of a submission, who may know no protocol, if it differs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plain: Option<Untrusted>,
    /// The hash of all that decides whether a submission of a ladder starts, if it did not. It is tried again
    /// only if this changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tried: Option<Untrusted>,
}

impl UnfitPlayer {
    /// A player that is left out in this run only.
    pub fn new(name: impl Into<String>, why: impl Into<Untrusted>) -> UnfitPlayer {
        UnfitPlayer {
            name: name.into(),
            why: why.into(),
            clause: None,
            plain: None,
            tried: None,
        }
    }

    /// The cause in one line, to be shown beside the name.
    pub fn beside_name(&self) -> String {
        self.clause.as_ref().unwrap_or(&self.why).first_line()
    }
}

/// The schedule in a header.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ScheduleEntry {
    /// The tournament format (`--format`).
    #[serde(with = "as_text")]
    pub format: Format,
    /// The number of games per pairing.
    pub games: u64,
    /// The number of rounds of a Swiss tournament, or of a ladder without stages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rounds: Option<u64>,
    /// Who played which rounds of a ladder (`referee ladder`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stages: Vec<Stage>,
    /// The number of players that meet all others in a gauntlet (`seeds`), if given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seeds: Option<u64>,
    /// Whether each opening is played once (`--no-swap`).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub no_swap: bool,
    /// Whether all colours are swapped (`--reverse`).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reverse: bool,
    /// The source of openings (`--openings`).
    #[serde(default, skip_serializing_if = "Option::is_none", with = "as_text::optional")]
    pub openings: Option<OpeningSource>,
    /// The keys of `--openings` that select openings of the book, if there are any.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "as_text::optional")]
    pub selection: Option<Selection>,
    /// The hash of the opening book, which identifies it under any path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub book: Option<Untrusted>,
    /// Pieces a side, in variants with that option.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pieces: Option<u32>,
    /// The turn limit, in variants with that option.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turns: Option<u32>,
    /// The number of consecutive faults after which a pairing is forfeited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forfeit_after: Option<u64>,
    /// The test that may end the match (`--sprt`).
    #[serde(default, skip_serializing_if = "Option::is_none", with = "as_text::optional")]
    pub sprt: Option<Sprt>,
    /// The part of the schedule in this file (`--shard`); all of it if absent.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "as_text::optional")]
    pub shard: Option<Shard>,
}

impl ScheduleEntry {
    /// One game for each pairing in this format.
    pub fn of_format(format: Format) -> ScheduleEntry {
        ScheduleEntry {
            format,
            games: 1,
            ..ScheduleEntry::default()
        }
    }

    /// The source of the openings with what selects them, if there is one.
    pub fn openings_text(&self) -> Option<String> {
        let openings = self.openings.as_ref()?;
        Some(match &self.selection {
            Some(selection) => format!("{openings} {selection}"),
            None => openings.to_string(),
        })
    }
}

impl Header {
    /// The header with the limits of all programs in their entries.
    pub(crate) fn checked(mut self) -> Result<Header, String> {
        if self.rules.is_none() {
            Ruleset::read(&self.variant)?;
        }
        let of_all = ResourceLimits {
            memory: self.memory.take(),
            processes: self.max_processes.take(),
            ..ResourceLimits::default()
        };
        for engine in &mut self.engines {
            engine.settings.limit_program(of_all);
        }
        Ok(self)
    }

    /// What ends games early, with the limit of a rules program, whose games might not end.
    pub fn applied_adjudication(&self) -> Rules {
        let mut rules = self.adjudication.clone();
        if self.rules.is_some() {
            rules.max_plies.get_or_insert(MAX_PLIES);
        }
        rules
    }

    /// The game of its records, by the rules of the command (see [`FileGame::new`]).
    ///
    /// # Errors
    /// A record has another name, and there is no such game.
    pub fn game_named(&self, name: &str, rules: Option<Ruleset>) -> Result<FileGame, String> {
        let title = self.rules.as_ref().map(RulesEntry::title);
        FileGame::new(name, title.as_deref(), rules)
    }

    /// The game, by the rules of the command.
    pub fn game(&self, rules: Option<Ruleset>) -> FileGame {
        let unknown = |_| FileGame::Unknown {
            name: self.variant.clone(),
            title: self.variant.clone(),
        };
        self.game_named(&self.variant, rules).unwrap_or_else(unknown)
    }

    /// The parameters of the schedule.
    pub(crate) fn schedule(&self) -> Result<Schedule, String> {
        let entry = &self.schedule;
        let players = self.engines.len();
        let properties = entry.format.properties();
        let stages = match properties.has_stages {
            true if entry.stages.is_empty() => vec![self.only_stage()],
            true => entry.stages.clone(),
            false => Vec::new(),
        };
        let rounds = if properties.has_rounds && entry.stages.is_empty() {
            entry.rounds.unwrap_or(0)
        } else {
            1
        };
        let seeds = entry.seeds.unwrap_or(1);
        let has_games = entry.games > 0 && rounds > 0 && (1..players as u64).contains(&seeds);
        if !has_games {
            return Err("the schedule has no games".into());
        }
        let mut numbers = stages.iter().flat_map(|stage| &stage.players);
        if let Some(number) = numbers.find(|&&number| number >= players) {
            return Err(format!(
                "`stages` has the player {number}, and there are {players} players"
            ));
        }
        if entry.format.follows_results() && entry.games > MAX_ROUND / players.max(1) as u64 {
            return Err(format!(
                "{} games for each pairing are too many for the format {}: a round has at most {MAX_ROUND}",
                entry.games, entry.format
            ));
        }
        if entry.format.follows_results() && self.shard() != Shard::WHOLE {
            return Err(format!("the format {} cannot be split into shards", entry.format));
        }
        Ok(Schedule {
            format: entry.format,
            players,
            games: entry.games,
            rounds,
            stages,
            predecessors: self.predecessors(),
            anchor: self.anchor(),
            seeds: seeds as usize,
            no_swap: entry.no_swap,
            reverse: entry.reverse,
        })
    }

    /// The only stage of a ladder whose players stay the same.
    fn only_stage(&self) -> Stage {
        let fit = self.is_unfit().into_iter().enumerate();
        Stage {
            players: fit
                .filter_map(|(player, is_unfit)| (!is_unfit).then_some(player))
                .collect(),
            rounds: Some(self.schedule.rounds.unwrap_or(0)),
            unplayed: Vec::new(),
        }
    }

    /// Whether each player is beside the submissions of a ladder.
    pub(crate) fn references(&self) -> Vec<bool> {
        let is_ladder = !self.schedule.stages.is_empty();
        let engines = self.engines.iter();
        engines
            .map(|engine| is_ladder && engine.submission.is_none())
            .collect()
    }

    /// The first of these players, which has the rating 0.
    fn anchor(&self) -> Option<usize> {
        self.references()
            .into_iter()
            .position(|is_reference| is_reference)
    }

    /// For each player the one of which it is a new version: the last one before it.
    fn predecessors(&self) -> Vec<Option<usize>> {
        let mut last = HashMap::new();
        let players = self.engines.iter().enumerate();
        let before = players.map(|(player, engine)| last.insert(&*engine.submission.as_ref()?.name, player));
        before.collect()
    }

    /// The part of the schedule in this file.
    pub fn shard(&self) -> Shard {
        self.schedule.shard.unwrap_or(Shard::WHOLE)
    }

    /// The names of the players, in the order of their numbers.
    pub fn names(&self) -> Vec<String> {
        self.engines.iter().map(|engine| engine.name.clone()).collect()
    }

    /// The time controls of the players, by name.
    pub(crate) fn times(&self) -> HashMap<String, TimeControl> {
        let engines = self.engines.iter();
        engines
            .map(|engine| (engine.name.clone(), engine.settings.time()))
            .collect()
    }

    /// Whether each player is unfit, in the order of their numbers.
    pub fn is_unfit(&self) -> Vec<bool> {
        let is_unfit = |engine: &EngineEntry| self.unfit.iter().any(|unfit| unfit.name == engine.name);
        self.engines.iter().map(is_unfit).collect()
    }

    /// The differences that make `other` a different match, one sentence each.
    ///
    /// A larger number of games (`--games`) is the same match, except in Swiss and knockout
    /// tournaments, where it changes the pairings; so are more players and stages of a ladder, and a book under another
    /// path.
    pub fn differences(&self, other: &Header) -> Vec<String> {
        let [mut one, mut other] = [self, other].map(Header::without_labels);
        let may_grow =
            self.schedule.format == other.schedule.format && !self.schedule.format.follows_results();
        if may_grow && other.schedule.games > self.schedule.games {
            other.schedule.games = self.schedule.games;
        }
        if self.may_go_on_as(&other) {
            other.engines.truncate(one.engines.len());
            one.schedule.stages.clear();
            other.schedule.stages.clear();
        }
        // The same book under another path.
        if self.schedule.book.is_some() && self.schedule.book == other.schedule.book {
            other.schedule.openings.clone_from(&self.schedule.openings);
        }
        if let (Some(now), Some(old)) = (&other.rules, &one.rules) {
            other.rules = Some(now.named_as(old));
        }
        let mut found = differences(&[], &one, &other);
        // What concerns the whole match comes first: a message names only some.
        found.sort_by_key(Difference::is_of_player);
        found.iter().map(ToString::to_string).collect()
    }

    /// Whether `other` may be the same ladder, later: with more players and stages.
    fn may_go_on_as(&self, other: &Header) -> bool {
        let [one, other] = [self, other].map(|header| (header.schedule.stages.len(), header.engines.len()));
        one.0 > 0 && other.0 > 0 && one.1 <= other.1
    }

    /// Whether a file with this header last needs no new one for a run with the header `now` of the same
    /// match.
    pub(crate) fn is_current(&self, now: &Header) -> bool {
        let is_same_ladder = now.schedule.stages.is_empty()
            || (&self.schedule.stages, &self.unfit) == (&now.schedule.stages, &now.unfit);
        self.schedule.games == now.schedule.games
            && self.record == now.record
            && self.accepted == now.accepted
            && (&self.event, &self.site) == (&now.event, &now.site)
            && is_same_ladder
    }

    /// Which programs have changed since `last`, the last header of the same match, after which this many games were
    /// played; `None` if none has.
    pub fn changed_since(&self, last: &Header, games: u64) -> Option<ProgramChange> {
        let (now, old) = (self.rules.as_ref(), last.rules.as_ref());
        let rules = now.zip(old).filter(|(now, old)| !old.changes(now).is_empty());
        // The same command, of which only the content is another.
        let rules = rules.filter(|(now, old)| now.cmd == old.cmd && now.name == old.name);
        let has_changed = |(path, digest): &(&Untrusted, &Untrusted)| {
            self.wrappers.get(*path).is_some_and(|now| now != *digest)
        };
        let wrappers = last.wrappers.iter().filter(has_changed);
        let changed = ProgramChange {
            after: games,
            rules: rules.map(|(_, old)| old.clone()),
            wrappers: wrappers
                .map(|(path, digest)| (path.clone(), digest.clone()))
                .collect(),
        };
        (changed.rules.is_some() || !changed.wrappers.is_empty()).then_some(changed)
    }

    /// The header with the programs of its first games.
    fn original(&self) -> Header {
        let mut header = self.clone();
        for change in std::mem::take(&mut header.accepted).into_iter().rev() {
            header.rules = change.rules.or(header.rules);
            header.wrappers.extend(change.wrappers);
        }
        header
    }

    /// The header without what determines no games. Which engines started is a result, not a part of the
    /// command.
    fn without_labels(&self) -> Header {
        let mut header = Header {
            record: None,
            event: None,
            site: None,
            unfit: Vec::new(),
            ..self.original()
        };
        for engine in &mut header.engines {
            engine.sha256.clear();
        }
        if let Some(rules) = &mut header.rules {
            rules.cmd.retain(|word| !word.raw().starts_with("timeout="));
        }
        header
    }

    /// Each player with its files and those of `other`, a header of the same match; without those
    /// that are unfit here.
    fn files<'a>(&'a self, other: &'a Header) -> impl Iterator<Item = [&'a EngineEntry; 2]> {
        let pairs = self.engines.iter().zip(&other.engines).zip(self.is_unfit());
        pairs.filter_map(|((now, other), is_unfit)| (!is_unfit).then_some([now, other]))
    }

    /// Whether no file of a player differs from those in `other`, a header of the same match.
    pub(crate) fn has_files_of(&self, other: &Header) -> bool {
        self.files(other).all(|[now, other]| now.sha256 == other.sha256)
    }

    /// Each player whose program is not that of `last`, the header of the last run, as the beginning of a
    /// sentence.
    pub(crate) fn changed_programs<'a>(&'a self, last: &'a Header) -> impl Iterator<Item = String> {
        self.files(last).filter_map(|[now, last]| {
            let files = last.sha256.iter().filter(|(file, digest)| {
                let now = now.sha256.get(*file);
                now.is_some_and(|now| now != *digest)
            });
            let files: Vec<String> = files.map(|(file, _)| format!("`{}`", file.shown())).collect();
            let (name, changed) = (&now.name, files.join(", "));
            (!files.is_empty())
                .then(|| format!("`{name}` has changed since the last run of this match ({changed})"))
        })
    }

    /// Why the records of `other` cannot follow those of this header in one file: they would
    /// have other fields.
    pub(crate) fn other_fields(&self, other: &Header) -> Option<String> {
        let name = |header: &Header| match &header.record {
            Some(fields) => format!("`--record {fields}`"),
            None => "no `--record`".into(),
        };
        (self.record != other.record)
            .then(|| format!("it was written with {}, now {}", name(self), name(other)))
    }

    /// A hash of the header without what may differ between the files of a match: equal for all of them. What
    /// [`Header::differences`] allows is left out here.
    pub(crate) fn identity(&self) -> u64 {
        let mut header = self.without_shard().without_labels();
        if !header.schedule.format.follows_results() {
            header.schedule.games = 0;
        }
        if !header.schedule.stages.is_empty() {
            header.schedule.stages.clear();
            header.engines.clear();
        }
        if header.schedule.book.is_some() {
            header.schedule.openings = None;
        }
        digest([serde_json::to_string(&header).unwrap_or_default().as_str()])
    }

    /// The header of the whole match: files of several machines must agree in it.
    pub(crate) fn without_shard(&self) -> Header {
        let mut header = self.clone();
        header.schedule.shard = None;
        header
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{header, recorded};
    use sentences::{assert_rows, expect};

    /// The header of a match with every field, as the first version wrote it.
    const FULL: &str = concat!(
        r#"{"header":1,"variant":"gridlock","seed":7,"schedule":{"format":"gauntlet","games":4,"#,
        r#""rounds":3,"openings":"random:4","book":"0123","pieces":5,"turns":40,"forfeit_after":2,"#,
        r#""sprt":"elo0=-1.75 elo1=5 alpha=0.05 beta=0.1 model=normalized","shard":"1/2"},"memory":512,"#,
        r#""max_processes":8,"engines":[{"name":"a","cmd":"./a","args":["-v"],"dir":"/bots","proto":"ugi","#,
        r#""options":[["Hash","32"]],"st":"0.05","depth":3,"nodes":1000,"timemargin":20,"starttime":"2.5"},"#,
        r#"{"name":"b","cmd":"b","tc":"40/60.25+0.5","timemargin":0},"#,
        r#"{"name":"c","cmd":"human","timemargin":0}]}"#
    );

    #[test]
    fn header_round_trips_byte_for_byte() {
        let text = serde_json::to_string(&header()).unwrap();
        assert_eq!(serde_json::from_str::<Header>(&text).unwrap(), header());
        assert_eq!(header().schedule().unwrap().total(), 10);
        let full: Header = serde_json::from_str(FULL).unwrap();
        assert_eq!(serde_json::to_string(&full).unwrap(), FULL);
        let rules = concat!(
            r#","draw":"movenumber=20 movecount=4 score=10","resign":"movecount=3 score=600 twosided=true","#,
            r#""prove":"empty=30 nodes=5000 result=win","engines":"#
        );
        let with_rules = FULL.replace(r#","engines":"#, rules);
        let full: Header = serde_json::from_str(&with_rules).unwrap();
        assert_eq!(serde_json::to_string(&full).unwrap(), with_rules);
    }

    #[test]
    fn games_of_a_rules_program_have_a_limit() {
        let mut header = header();
        assert_eq!(header.applied_adjudication(), Rules::default());
        header.rules = Some(serde_json::from_str(r#"{"name":"nim","cmd":["nim"]}"#).unwrap());
        assert_eq!(header.applied_adjudication().max_plies, Some(MAX_PLIES));
        header.adjudication.max_plies = Some(9);
        assert_eq!(header.applied_adjudication().max_plies, Some(9));
    }

    #[test]
    fn a_difference_of_long_lists_names_the_first_players_that_differ() {
        let of = |count: usize| {
            let mut one = header();
            let engine = one.engines[0].clone();
            let named = |number: usize| EngineEntry {
                name: format!("p{number}"),
                ..engine.clone()
            };
            one.engines = (0..count).map(named).collect();
            one
        };
        expect! {"the list of players was 2000 names, from number 1991 on p1990, p1991, p1992, p1993, p1994, p1995, p1996, p1997, and 2 more, now 1990 names"}
            .assert_eq(&of(2000).differences(&of(1990)).join("\n"));
        expect! {"the list of players was p0, p1, p2, now p0, p1"}
            .assert_eq(&of(3).differences(&of(2)).join("\n"));
    }

    #[test]
    fn a_difference_of_the_whole_match_comes_before_those_of_players() {
        let read = |text: &str| serde_json::from_str::<Header>(text).unwrap();
        let changed = FULL
            .replace(r#""args":["-v"]"#, r#""args":["-v","9"]"#)
            .replace(r#""seed":7"#, r#""seed":8"#);
        assert_eq!(
            read(FULL).differences(&read(&changed)),
            ["--seed was 7, now 8", "args of `a` was -v, now -v 9"]
        );
    }

    #[test]
    fn limits_of_all_programs_are_those_of_each() {
        let old: Header = serde_json::from_str(FULL).unwrap();
        let entry = |limits: &str| {
            let [all, own] = [
                r#""memory":512,"max_processes":8,"#,
                r#""nodes":1000,"timemargin":20,"starttime":"2.5""#,
            ];
            let new = FULL.replace(all, "").replace(own, &format!("{own}{limits}"));
            serde_json::from_str::<Header>(&new.replace(
                r#""tc":"40/60.25+0.5","timemargin":0"#,
                &format!(r#""tc":"40/60.25+0.5","timemargin":0{limits}"#),
            ))
            .unwrap()
        };
        let limits = r#","memory":512,"max_processes":8"#;
        let old = old.checked().unwrap();
        assert_eq!(old.differences(&entry(limits)), [""; 0]);
        assert_eq!(old.identity(), entry(limits).identity());
        let changed = entry(&limits.replace('8', "9"));
        assert_eq!(
            old.differences(&changed),
            [
                "max-processes of `a` was 8, now 9",
                "max-processes of `b` was 8, now 9"
            ]
        );
    }

    #[test]
    fn header_with_an_invalid_value_is_rejected() {
        let table = expect![[r#"
            gridlock | chess | unknown variant `chess`; the variants are magnetic-cave, gridlock
            gauntlet | cup | unknown format `cup`; the formats are round-robin, gauntlet,
            ugi | cecp | proto: expected `uci`, `ugi`, `gtp`,
            random:4 | random:0 | openings: expected `random:PLIES` with 1 to 1000 plies;
            1/2 | 2/2 | shard: expected K/N with K from 0 to N − 1, such as 0/8
            elo0=-1.75 | elo0=6 | sprt: `elo0=6` must be less than `elo1=5`
            "0.05" | "fast" | st: expected seconds from 0.001 to 1000000, such as
            40/60.25+0.5 | 60+ | tc: expected [MOVES/]SECONDS[+INC] such as 60+0.5 or
            "dir":"/bots" | "tc":"60" | tc: `st` and `tc` cannot be combined
            "2.5" | "0" | starttime: expected seconds from 0.001 to 1000000, such as 3 or 0.05, found `0`
        "#]];
        assert_rows(table, |[valid, invalid]| {
            let text = FULL.replace(valid, invalid);
            let header = serde_json::from_str::<Header>(&text).map_err(|error| error.to_string());
            header.and_then(Header::checked).unwrap_err()
        });
    }

    /// A change of a header, and whether the match is still the same. What `differences` allows for resuming,
    /// `identity` has to leave out, or the files of one match are reported as two.
    #[test]
    fn what_may_change_in_a_match_is_the_same_for_resuming_and_for_reports() {
        type Change = fn(&mut Header);
        let changes: [(bool, Format, Change); 13] = [
            (true, Format::RoundRobin, |header| header.schedule.games = 12),
            (true, Format::RoundRobin, |header| {
                header.schedule.openings = Some(OpeningSource::File("b/book.txt".into()));
            }),
            (true, Format::RoundRobin, |header| {
                header.engines[0].sha256.insert("./a".into(), "00".into());
            }),
            (true, Format::RoundRobin, |header| {
                header.event = Some("cup".into());
            }),
            (true, Format::RoundRobin, |header| {
                header.site = Some("lab".into());
            }),
            (true, Format::RoundRobin, |header| {
                header.record = Some("depth".parse().unwrap());
            }),
            (true, Format::RoundRobin, |header| {
                header
                    .unfit
                    .push(serde_json::from_str(r#"{"name":"a","why":"x"}"#).unwrap());
            }),
            (false, Format::RoundRobin, |header| {
                header.schedule.book = Some("4567".into());
            }),
            (false, Format::RoundRobin, |header| {
                header.engines[0].settings =
                    recorded("cmd=./a args=-v option.Hash=32 st=0.1 timemargin=0 memory=512");
            }),
            (false, Format::RoundRobin, |header| header.seed = 2),
            (false, Format::RoundRobin, |header| {
                header.engines[1].name = "c".into();
            }),
            (false, Format::Swiss, |header| header.schedule.games = 12),
            (false, Format::Knockout, |header| header.schedule.games = 12),
        ];
        for (number, (is_same, format, change)) in changes.into_iter().enumerate() {
            let mut one = header();
            one.schedule.format = format;
            let mut other = one.clone();
            change(&mut other);
            assert_eq!(one.differences(&other).is_empty(), is_same, "{number}");
            assert_eq!(one.identity() == other.identity(), is_same, "{number}");
            // The part of another machine.
            other.schedule.shard = Some("1/2".parse().unwrap());
            assert_eq!(one.identity() == other.identity(), is_same, "{number}");
        }
        let mut larger = header();
        larger.schedule.games = 12;
        assert_eq!(larger.differences(&header()), ["--games was 12, now 10"]);
        larger.schedule.book = Some("4567".into());
        let moved = Some(OpeningSource::File("b/book.txt".into()));
        larger.schedule.openings = moved;
        assert_eq!(header().differences(&larger).len(), 2, "the book and its path");
        let wrapped = |hash: &str| {
            let mut header = header();
            header.wrappers.insert("wrap".into(), hash.into());
            header
        };
        let found = wrapped("01").differences(&wrapped("02"));
        assert_eq!(found, ["the hash of --wrapper wrap was 01, now 02"]);
    }

    #[test]
    fn rejects_a_schedule_without_games_or_with_too_many() {
        for change in [
            |header: &mut Header| header.schedule.games = 0,
            |header: &mut Header| drop(header.engines.pop()),
            |header: &mut Header| header.schedule.seeds = Some(0),
            |header: &mut Header| header.schedule.seeds = Some(2),
            |header: &mut Header| {
                header.schedule.format = Format::Swiss;
                header.schedule.rounds = Some(1);
                header.schedule.games = 10_000_000_000;
            },
        ] {
            let mut other = header();
            change(&mut other);
            assert!(other.schedule().is_err());
        }
    }
}
