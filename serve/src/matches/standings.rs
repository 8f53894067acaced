//! The standings of a match, as counters.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::records::GameEntry;

/// Reasons of games that a fault decided, each a loss of its player.
const FAULTS: [&str; 6] = ["time", "stall", "illegal", "garbage", "crash", "forfeit"];

/// The results of a player.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Standing {
    name: String,
    points: f64,
    played: u64,
    won: u64,
    drawn: u64,
    lost: u64,
    faults: u64,
}

/// The results of all players.
#[derive(Debug, Default)]
pub struct Standings(BTreeMap<String, Standing>);

impl Standings {
    /// The number of players.
    pub fn players(&self) -> usize {
        self.0.len()
    }

    /// Adds a player without games, if it is new.
    pub fn player(&mut self, name: &str) -> &mut Standing {
        let standing = self.0.entry(name.into()).or_default();
        if standing.name.is_empty() {
            standing.name = name.into();
        }
        standing
    }

    /// All players, the best first: by points, or by their share where players have played different numbers of
    /// games.
    pub fn sorted(&self, by_share: bool) -> Vec<&Standing> {
        let mut all: Vec<&Standing> = self.0.values().collect();
        let value = |standing: &Standing| {
            let games = if by_share { standing.played.max(1) } else { 1 };
            standing.points / games as f64
        };
        all.sort_by(|one, other| value(other).total_cmp(&value(one)));
        all
    }

    /// Counts a finished game.
    pub fn add(&mut self, entry: &GameEntry<'_>) {
        let points = match &*entry.result {
            "1-0" => [1.0, 0.0],
            "0-1" => [0.0, 1.0],
            _ => [0.5, 0.5],
        };
        let is_fault = FAULTS.contains(&&*entry.reason);
        for (name, points) in [&entry.first, &entry.second].into_iter().zip(points) {
            let standing = self.player(name);
            standing.points += points;
            standing.played += 1;
            if points > 0.5 {
                standing.won += 1;
            } else if points < 0.5 {
                standing.lost += 1;
                standing.faults += u64::from(is_fault);
            } else {
                standing.drawn += 1;
            }
        }
    }
}
