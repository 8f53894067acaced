//! A match for programs: one line of JSON an event (`--json`).

use std::time::Duration;

use serde::Serialize;

use super::status::time_left;
use super::summary::{Number, Summary};
use crate::results::{Header, Record};
use crate::tournament::Tournament;

/// What happened.
#[derive(Debug, Serialize)]
#[serde(tag = "event", rename_all = "lowercase")]
pub enum Event<'a> {
    /// The match begins, or goes on.
    Start {
        /// What is played.
        header: &'a Header,
        /// How many games there are.
        games: u64,
        /// How many of them are over.
        played: u64,
    },
    /// A game is over: its record, as in the result file.
    Game(&'a Record),
    /// How far the match is, after each game.
    Status {
        /// How many games there are.
        games: u64,
        /// How many of them are over.
        played: u64,
        /// How many seconds the others may take.
        seconds_left: Option<u64>,
        /// The points of each player, by their numbers.
        points: Vec<f64>,
        /// The log-likelihood ratio of the test, if there is one.
        llr: Option<Number>,
    },
    /// The match is over, or was cut short.
    End(&'a Summary),
}

impl Event<'_> {
    /// How far the match is.
    #[must_use]
    pub fn status(tournament: &Tournament, per_game: Option<Duration>) -> Event<'static> {
        let players = 0..tournament.standings().names().len();
        Event::Status {
            games: tournament.total(),
            played: tournament.played(),
            seconds_left: time_left(tournament, per_game).map(|left| left.as_secs()),
            points: players.map(|player| tournament.points(player)).collect(),
            llr: tournament.test().map(|(_, llr)| Number(Some(llr))),
        }
    }
}
