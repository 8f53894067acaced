//! The lines of a result file.

use std::path::PathBuf;
use std::time::Duration;

use serde::Serialize;

use crate::arbiter::Finished;
use crate::clock::TimeControl;
use crate::games::has_setup;
use crate::roster::Contestant;
use crate::schedule::{Game, Schedule};

/// The first line: what was played with which engines. Holds all that decides
/// the games, and nothing of how they were shown.
#[derive(Debug, Serialize)]
pub struct Header {
    /// The version of the format.
    pub header: u32,
    /// The name of the game.
    pub variant: &'static str,
    /// What everything drawn by chance is drawn from.
    pub seed: u64,
    /// Which games there are.
    pub schedule: ScheduleEntry,
    /// Who plays.
    pub engines: Vec<EngineEntry>,
}

/// The schedule in a header.
#[derive(Debug, Serialize)]
pub struct ScheduleEntry {
    /// How many games.
    pub games: u64,
    /// Where the openings come from, as `--openings` takes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub openings: Option<String>,
    /// Pieces a side, where the variant asks for them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pieces: Option<u32>,
    /// The turn limit, where the variant asks for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turns: Option<u32>,
}

/// An engine in a header: the settings in force, under their keys.
#[derive(Debug, Serialize)]
pub struct EngineEntry {
    /// What it is called.
    pub name: String,
    /// The path or built-in name, as it was given, or `human`.
    pub cmd: String,
    /// Arguments of the program.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// The folder in which it runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dir: Option<PathBuf>,
    /// The UCI options that were set, each a name and a value.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<(String, String)>,
    /// Seconds a move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub st: Option<String>,
    /// The clock.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tc: Option<String>,
    /// Plies to search.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// Positions to search.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// Milliseconds by which an answer may be late.
    pub timemargin: u64,
}

impl Header {
    /// The header of a match.
    pub fn new(schedule: &Schedule, contestants: &[Contestant]) -> Header {
        let setup = has_setup(schedule.variant).then_some(schedule.setup);
        Header {
            header: 1,
            variant: schedule.variant.name(),
            seed: schedule.seed,
            schedule: ScheduleEntry {
                games: schedule.games,
                openings: schedule.openings.as_ref().map(ToString::to_string),
                pieces: setup.map(|setup| setup.pieces),
                turns: setup.map(|setup| setup.turns),
            },
            engines: contestants.iter().map(EngineEntry::new).collect(),
        }
    }
}

impl EngineEntry {
    fn new(contestant: &Contestant) -> EngineEntry {
        let settings = contestant.settings.clone();
        let control = &contestant.control;
        let time = Some(control.time.to_string());
        let (st, tc) = match control.time {
            TimeControl::Move(_) => (time, None),
            TimeControl::Clock { .. } => (None, time),
            TimeControl::Unlimited => (None, None),
        };
        EngineEntry {
            name: contestant.name.clone(),
            cmd: settings.cmd.unwrap_or_default(),
            args: settings.args.unwrap_or_default(),
            dir: settings.dir,
            options: settings.options,
            st,
            tc,
            depth: control.depth,
            nodes: control.nodes,
            timemargin: control.margin.as_millis() as u64,
        }
    }
}

/// A finished game.
#[derive(Debug, Serialize)]
pub struct Record {
    /// The game's place in the schedule, from 1.
    pub id: u64,
    /// The name of the game.
    pub variant: &'static str,
    /// The round of the tournament, from 1.
    pub round: u64,
    /// Shared by the two games of one opening with colours swapped.
    pub pair: u64,
    /// Who moved first.
    pub first: String,
    /// Who moved second.
    pub second: String,
    /// FEN before the first of `moves`.
    pub start: String,
    /// Every legal move from `start`, lower case.
    pub moves: Vec<String>,
    /// How many of `moves` came from the opening.
    pub opening_plies: usize,
    /// For each move after the opening, the milliseconds it took.
    pub ms: Vec<f64>,
    /// For each move after the opening, what its player last said of it.
    pub score: Vec<Option<String>>,
    /// `1-0`, `0-1` or `1/2-1/2`.
    pub result: String,
    /// Why, as a word.
    pub reason: String,
    /// Why, as a sentence.
    pub detail: String,
}

impl Record {
    /// The record of `game` between players of these `names`, the first
    /// player's name first.
    pub fn new(schedule: &Schedule, game: &Game, names: [&str; 2], finished: &Finished) -> Record {
        let [first, second] = names.map(String::from);
        let thoughts = &finished.thoughts;
        Record {
            id: game.id,
            variant: schedule.variant.name(),
            round: game.round,
            pair: game.pair,
            first,
            second,
            start: game.opening.position.fen(),
            moves: finished.moves.clone(),
            opening_plies: game.opening.moves.len(),
            ms: thoughts
                .iter()
                .map(|thought| milliseconds(thought.time))
                .collect(),
            score: thoughts
                .iter()
                .map(|thought| thought.score.map(|score| score.to_string()))
                .collect(),
            result: finished.verdict.result().to_string(),
            reason: finished.verdict.reason(),
            detail: finished.verdict.detail(names),
        }
    }
}

/// Milliseconds with three decimals.
fn milliseconds(time: Duration) -> f64 {
    time.as_micros() as f64 / 1000.0
}
