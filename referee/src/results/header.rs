//! The first line of a result file: what was played with which engines.
//!
//! It holds all that decides the games, and nothing of how they were shown, so
//! two headers are the same exactly where the match is.

use std::path::PathBuf;

use lodestone::game::Variant;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::record::digest;
use crate::io::text::printable;
use crate::schedule::{Format, Schedule, Shard};

/// The version of the format.
pub const VERSION: u32 = 1;

/// The first line: what was played with which engines.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// The version of the format.
    pub header: u32,
    /// The name of the game.
    pub variant: String,
    /// What everything drawn by chance is drawn from.
    pub seed: u64,
    /// Which games there are.
    pub schedule: ScheduleEntry,
    /// How much memory each engine may have, as `--memory` takes it; without
    /// limit where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<u64>,
    /// How many processes each engine may be, as `--max-processes` takes it;
    /// without limit where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_processes: Option<u64>,
    /// Who plays.
    pub engines: Vec<EngineEntry>,
}

/// The schedule in a header.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScheduleEntry {
    /// Who plays whom, as `--format` takes it.
    pub format: String,
    /// How many games a pairing has.
    pub games: u64,
    /// How many rounds a Swiss tournament has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rounds: Option<u64>,
    /// Where the openings come from, as `--openings` takes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub openings: Option<String>,
    /// What the book of openings holds, as a digest: another path to the same
    /// book is no other match.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub book: Option<String>,
    /// Pieces a side, where the variant asks for them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pieces: Option<u32>,
    /// The turn limit, where the variant asks for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turns: Option<u32>,
    /// After how many faults in a row a pairing is given up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forfeit_after: Option<u64>,
    /// The test that may end the match, as `--sprt` takes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sprt: Option<String>,
    /// The part of the schedule that this file is for, as `--shard` takes it;
    /// the whole where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<String>,
}

/// An engine in a header: the settings in force, under their keys.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EngineEntry {
    /// What it is called.
    pub name: String,
    /// The path or built-in name, as it was given, or `human`.
    pub cmd: String,
    /// Arguments of the program.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// The folder in which it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dir: Option<PathBuf>,
    /// How it is spoken to, where that is not UCI.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proto: Option<String>,
    /// The options that were set, each a name and a value.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<(String, String)>,
    /// Seconds a move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub st: Option<String>,
    /// The clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tc: Option<String>,
    /// Plies to search.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// Positions to search.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// Milliseconds by which an answer may be late.
    #[serde(default)]
    pub timemargin: u64,
    /// Seconds to greet and to get ready for a game, where they are not those
    /// that hold by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub starttime: Option<String>,
}

impl Header {
    /// The game that is played.
    ///
    /// # Errors
    /// Where there is no such game.
    pub fn variant(&self) -> Result<Variant, String> {
        Variant::from_name(&self.variant).ok_or_else(|| format!("there is no game `{}`", self.variant))
    }

    /// What decides who plays whom.
    ///
    /// # Errors
    /// Where the header describes no schedule.
    pub fn schedule(&self) -> Result<Schedule, String> {
        let entry = &self.schedule;
        let format = Format::from_name(&entry.format)
            .ok_or_else(|| format!("there is no format `{}`", entry.format))?;
        let rounds = match format {
            Format::Swiss => entry.rounds.unwrap_or(0),
            Format::RoundRobin | Format::Gauntlet => 1,
        };
        let has_games = entry.games > 0 && rounds > 0 && self.engines.len() >= 2;
        if !has_games {
            return Err("the schedule has no games".into());
        }
        Ok(Schedule {
            format,
            players: self.engines.len(),
            games: entry.games,
            rounds,
        })
    }

    /// The part of the schedule that the file is for.
    ///
    /// # Errors
    /// Where the header names none.
    pub fn shard(&self) -> Result<Shard, String> {
        let shard = self.schedule.shard.as_deref();
        shard.map_or(Ok(Shard::WHOLE), |text| {
            text.parse().map_err(|error| format!("shard: {error}"))
        })
    }

    /// What the players are called, in the order of their numbers.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.engines.iter().map(|engine| engine.name.clone()).collect()
    }

    /// Where another header differs in what decides the games, each as a
    /// sentence; more games than here (`--games`) are no difference, except in
    /// a Swiss tournament, whose rounds would not be the same.
    #[must_use]
    pub fn differences(&self, other: &Header) -> Vec<String> {
        let mut other = other.clone();
        let may_grow =
            self.schedule.format == other.schedule.format && self.schedule.format != Format::Swiss.name();
        if may_grow && other.schedule.games > self.schedule.games {
            other.schedule.games = self.schedule.games;
        }
        // The same book by another path.
        if self.schedule.book.is_some() && self.schedule.book == other.schedule.book {
            other.schedule.openings.clone_from(&self.schedule.openings);
        }
        let values = [self, &other].map(|header| serde_json::to_value(header).unwrap_or_default());
        let mut found = Vec::new();
        differences("", &values[0], &values[1], &mut found);
        found
    }

    /// A number that is the same for all files of a match, those of other parts
    /// or with fewer games included.
    #[must_use]
    pub fn identity(&self) -> u64 {
        let mut header = self.without_part();
        if header.schedule.format != Format::Swiss.name() {
            header.schedule.games = 0;
        }
        if header.schedule.book.is_some() {
            header.schedule.openings = None;
        }
        digest([serde_json::to_string(&header).unwrap_or_default().as_str()])
    }

    /// The same match with another part of its schedule or another number of
    /// games: what files of different machines must agree in.
    #[must_use]
    pub fn without_part(&self) -> Header {
        let mut header = self.clone();
        header.schedule.shard = None;
        header
    }
}

/// Adds what differs between two values, with where it stands.
fn differences(path: &str, one: &Value, other: &Value, found: &mut Vec<String>) {
    let below = |key: &str| {
        if path.is_empty() {
            key.to_string()
        } else {
            format!("{path}.{key}")
        }
    };
    match (one, other) {
        (Value::Object(fields), Value::Object(others)) => {
            let new = others.keys().filter(|key| !fields.contains_key(*key));
            for key in fields.keys().chain(new) {
                let value =
                    |object: &serde_json::Map<String, Value>| object.get(key).cloned().unwrap_or_default();
                differences(&below(key), &value(fields), &value(others), found);
            }
        }
        (Value::Array(items), Value::Array(others)) if items.len() == others.len() => {
            for (index, (one, other)) in items.iter().zip(others).enumerate() {
                let name = one.get("name").and_then(Value::as_str);
                let place = name.map_or_else(
                    || (index + 1).to_string(),
                    |name| format!("`{}`", printable(name, usize::MAX)),
                );
                differences(&format!("{path} {place}"), one, other, found);
            }
        }
        _ if one != other => found.push(format!("{path} was {}, now {}", shown(one), shown(other))),
        _ => {}
    }
}

/// A value as a person would write it.
fn shown(value: &Value) -> String {
    match value {
        Value::Null => "not given".into(),
        Value::Array(items) if items.iter().any(|item| item.get("name").is_some()) => {
            let names: Vec<&str> = items
                .iter()
                .filter_map(|item| item.get("name")?.as_str())
                .collect();
            printable(&names.join(", "), usize::MAX)
        }
        value => value.to_string(),
    }
}

impl EngineEntry {
    /// How it is spoken to, where that is not UCI, and what bounds its thinking,
    /// in a few words.
    #[must_use]
    pub fn limits(&self) -> String {
        let limits = [
            ("proto", self.proto.clone()),
            ("st", self.st.clone()),
            ("tc", self.tc.clone()),
            ("depth", self.depth.map(|depth| depth.to_string())),
            ("nodes", self.nodes.map(|nodes| nodes.to_string())),
        ];
        let said: Vec<String> = limits
            .into_iter()
            .filter_map(|(key, value)| Some(format!("{key}={}", value?)))
            .collect();
        said.join(" ")
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn header() -> Header {
        header_of(&["a", "b"])
    }

    /// The header of a match between players of these names.
    pub(crate) fn header_of(names: &[&str]) -> Header {
        let engine = |name: &&str| EngineEntry {
            name: (*name).into(),
            cmd: format!("./{name}"),
            args: vec!["-v".into()],
            dir: None,
            proto: None,
            options: vec![("Hash".into(), "32".into())],
            st: Some("0.1".into()),
            tc: None,
            depth: None,
            nodes: None,
            timemargin: 0,
            starttime: None,
        };
        Header {
            header: VERSION,
            variant: "magnetic-cave".into(),
            seed: 1,
            schedule: ScheduleEntry {
                format: "round-robin".into(),
                games: 10,
                rounds: None,
                openings: Some("a/book.txt".into()),
                book: Some("0123".into()),
                pieces: None,
                turns: None,
                forfeit_after: None,
                sprt: None,
                shard: None,
            },
            memory: None,
            max_processes: None,
            engines: names.iter().map(engine).collect(),
        }
    }

    #[test]
    fn a_header_is_read_as_it_was_written() {
        let text = serde_json::to_string(&header()).unwrap();
        assert_eq!(serde_json::from_str::<Header>(&text).unwrap(), header());
        assert_eq!(header().schedule().unwrap().total(), 10);
    }

    #[test]
    fn every_difference_is_named() {
        let mut other = header();
        assert!(header().differences(&other).is_empty());
        other.seed = 2;
        other.schedule.pieces = Some(3);
        other.schedule.forfeit_after = Some(2);
        other.memory = Some(512);
        other.max_processes = Some(64);
        other.engines[1].options[0].1 = "64".into();
        other.engines[0].proto = Some("ugi".into());
        other.engines[1].st = None;
        other.engines[1].tc = Some("60".into());
        assert_eq!(
            header().differences(&other),
            [
                "engines `a`.proto was not given, now \"ugi\"",
                "engines `b`.options 1 2 was \"32\", now \"64\"",
                "engines `b`.st was \"0.1\", now not given",
                "engines `b`.tc was not given, now \"60\"",
                "schedule.forfeit_after was not given, now 2",
                "schedule.pieces was not given, now 3",
                "seed was 1, now 2",
                "max_processes was not given, now 64",
                "memory was not given, now 512",
            ]
        );
        let mut other = header();
        other.engines.pop();
        assert_eq!(header().differences(&other), ["engines was a, b, now a"]);
    }

    #[test]
    fn a_match_may_grow_and_its_book_may_move() {
        let mut other = header();
        other.schedule.games = 12;
        other.schedule.openings = Some("b/book.txt".into());
        assert!(header().differences(&other).is_empty());
        assert_eq!(other.differences(&header()), ["schedule.games was 12, now 10"]);
        other.schedule.book = Some("4567".into());
        assert_eq!(header().differences(&other).len(), 2);

        let mut swiss = header();
        swiss.schedule.format = "swiss".into();
        let mut other = swiss.clone();
        other.schedule.games = 12;
        assert_eq!(swiss.differences(&other), ["schedule.games was 10, now 12"]);
    }

    #[test]
    fn a_match_has_one_identity() {
        let mut other = header();
        other.schedule.games = 12;
        other.schedule.openings = Some("b/book.txt".into());
        other.schedule.shard = Some("1/2".into());
        assert_eq!(header().identity(), other.identity());
        other.memory = Some(512);
        assert_ne!(header().identity(), other.identity());
        other.memory = None;
        other.seed = 2;
        assert_ne!(header().identity(), other.identity());

        let mut swiss = header();
        swiss.schedule.format = "swiss".into();
        let mut other = swiss.clone();
        other.schedule.games = 12;
        assert_ne!(swiss.identity(), other.identity());
    }

    #[test]
    fn a_header_without_games_is_refused() {
        let mut other = header();
        other.schedule.games = 0;
        assert!(other.schedule().is_err());
        let mut other = header();
        other.engines.pop();
        assert!(other.schedule().is_err());
        let mut other = header();
        other.schedule.format = "cup".into();
        assert_eq!(other.schedule().unwrap_err(), "there is no format `cup`");
    }
}
