//! The events of a match for programs: one JSON object per line (`--json`).

use std::collections::BTreeMap;
use std::time::Duration;

use referee_core::results::{Header, Record};
use referee_core::tournament::Tournament;
use referee_core::tournament::tuner::Tuner;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::status::time_left;
use crate::report::{Number, Summary};
use crate::view::{GameView, MoveView};

/// An event as the referee writes it.
pub(crate) type Event<'a> = AnyEvent<&'a str, &'a GameView, &'a Header, &'a Record, &'a Summary>;

/// An event as other programs read it; they have no use for the summary.
pub type ReadEvent = AnyEvent<String, GameView, Box<Header>, Box<Record>, IgnoredAny>;

/// An event: with names, games, headers, records and summaries of these types.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "lowercase")]
pub enum AnyEvent<N, V, H, R, S> {
    /// The match begins or resumes.
    Start {
        /// The header of the result file.
        header: H,
        /// The number of games of the match.
        games: u64,
        /// The number of finished games.
        played: u64,
    },
    /// A game begins, with `--json-moves`.
    Begin {
        /// The number of the game.
        id: u64,
        /// The names of the players, the first player's first.
        players: [N; 2],
        /// The game up to its opening.
        #[serde(flatten)]
        game: V,
        /// The boards of a game by a rules program, as objects.
        #[serde(skip_serializing_if = "Option::is_none")]
        boards: Option<Vec<Value>>,
    },
    /// A move, with `--json-moves`.
    Move {
        /// The number of the game.
        id: u64,
        #[serde(flatten)]
        last: MoveView,
        /// The board of a game by a rules program, as an object.
        board: Value,
    },
    /// A game is over. The fields are those of its record.
    Game(R),
    /// The progress of the match, after each game.
    Status {
        /// The number of games of the match.
        games: u64,
        /// The number of finished games.
        played: u64,
        /// The estimated time of the remaining games, in seconds.
        seconds_left: Option<u64>,
        /// The points of each player, in the order of the header.
        points: Vec<f64>,
        /// The log-likelihood ratio of the SPRT, if there is one.
        #[serde(skip_deserializing)]
        llr: Option<Number>,
    },
    /// A batch of iterations of `referee tune` is over.
    Tuning(TunedOptions),
    /// `referee tune` is over, or was interrupted.
    Tuned {
        #[serde(flatten)]
        values: TunedOptions,
        /// The values as settings of a player, rounded.
        settings: Vec<String>,
    },
    /// The match is over, or was interrupted.
    End(S),
}

/// The values of tuned options.
#[derive(Debug, Serialize, Deserialize)]
pub struct TunedOptions {
    /// The number of finished iterations.
    pub iteration: u64,
    /// The number of iterations of the tuning.
    pub iterations: u64,
    /// The values by option.
    pub values: BTreeMap<String, f64>,
}

impl Event<'_> {
    /// The event of the values of tuned options.
    pub fn tuning(tuner: &Tuner) -> Event<'static> {
        Event::Tuning(TunedOptions::new(tuner))
    }

    /// The event of the progress. `per_game` is the average time of a game.
    pub fn status(tournament: &Tournament, per_game: Option<Duration>) -> Event<'static> {
        let players = 0..tournament.standings.names.len();
        Event::Status {
            games: tournament.total(),
            played: tournament.played(),
            seconds_left: time_left(tournament, per_game).map(|left| left.as_secs()),
            points: players.map(|player| tournament.points(player)).collect(),
            llr: tournament.test().map(|(_, llr)| Number(Some(llr))),
        }
    }
}

impl TunedOptions {
    /// The values after the finished iterations.
    pub fn new(tuner: &Tuner) -> TunedOptions {
        let tuning = &tuner.tuning;
        let names = tuning.parameters.iter().map(|parameter| parameter.name.clone());
        TunedOptions {
            iteration: tuner.done(),
            iterations: tuning.iterations,
            values: names.zip(tuner.values().iter().copied()).collect(),
        }
    }
}
