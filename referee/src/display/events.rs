//! A match for programs: one line of JSON an event (`--json`).

use std::time::Duration;

use serde::Serialize;

use super::status::time_left;
use crate::player::{Claim, Claimed};
use crate::report::{Number, Summary};
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
    /// An engine answered a question about a position otherwise than the rules.
    Claim {
        /// The number of the game.
        game: u64,
        /// Who did.
        player: &'a str,
        /// The word behind `query`.
        question: &'static str,
        /// The FEN of the position.
        position: &'a str,
        /// What stood behind `response`; null where no answer came.
        answer: Option<&'a str>,
        /// The answer of the rules.
        rules: &'static str,
    },
    /// The match is over, or was cut short.
    End(&'a Summary),
}

impl<'a> Event<'a> {
    /// What `player` claimed in a game.
    #[must_use]
    pub fn claim(game: u64, player: &'a str, claim: &'a Claim) -> Event<'a> {
        Event::Claim {
            game,
            player,
            question: claim.question.word(),
            position: &claim.position,
            answer: match &claim.answer {
                Claimed::Other(answer) => Some(answer),
                Claimed::Nothing(_) => None,
            },
            rules: claim.rules.word(),
        }
    }

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
