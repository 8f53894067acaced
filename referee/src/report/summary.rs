//! What a match came to, for programs as it stands here and for people as
//! [`super::table`] lays it out.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Serialize, Serializer};

use crate::player::Warnings;
use crate::player::verdict::FaultKind;
use crate::results::{Accepted, Header};
use crate::schedule::Format;
use crate::statistics::{Bootstrap, Comparison, Crosstable, Estimate, Rating, RatingRow, Ratings, Trinomial};
use crate::tournament::Tournament;
use crate::tournament::standings::{Meeting, Player};

/// How results are drawn again for the intervals of ratings.
const BOOTSTRAP: Bootstrap = Bootstrap {
    resamples: 1000,
    seed: 1,
};

/// What a match came to.
#[derive(Debug, Serialize)]
pub struct Summary {
    /// The name of the game.
    pub variant: &'static str,
    /// Who plays whom, as `--format` takes it.
    pub format: &'static str,
    /// How many games the schedule has, or the part of it that is played here.
    pub scheduled: u64,
    /// How many of them are over, and counted.
    pub games: u64,
    /// How many of them are no move-by-move repetition of another.
    pub distinct_games: u64,
    /// The players, the best first.
    pub players: Vec<PlayerSummary>,
    /// The players who are connected by games, where there is more than one
    /// such group: the ratings are those of the first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<Vec<String>>,
    /// The games of each two players, those of the best first.
    pub meetings: Vec<MeetingSummary>,
    /// All games, as those who moved first see them.
    pub first_mover: Trinomial,
    /// What moving first is worth.
    pub first_mover_elo: Number3,
    /// The test that may end the match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sprt: Option<SprtSummary>,
    /// The files with what was said in games lost by a fault, those that are
    /// there.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub transcripts: Vec<String>,
    /// The same for the same games with the same results, whatever the order
    /// in which they ended and the time they took.
    pub fingerprint: String,
}

/// A player of a match.
#[derive(Debug, Serialize)]
pub struct PlayerSummary {
    /// Its number, from 0, in the order in which players were named.
    #[serde(skip)]
    pub number: usize,
    /// What it is called.
    pub name: String,
    /// How strong it is, where more than two play: 400 Elo are ten to one, the
    /// mean is 0; a word where there is no number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rating: Option<RatingSummary>,
    /// Wins, draws and losses.
    #[serde(flatten)]
    pub games: Trinomial,
    /// The points of games that counted as won for want of an opponent.
    pub points_off: u64,
    /// All points.
    pub points: f64,
    /// The points of its opponents together.
    pub opponents_points: f64,
    /// How often it moved first.
    pub first_moves: u64,
    /// Milliseconds a move on average.
    pub mean_ms: Option<f64>,
    /// Milliseconds of its longest move.
    pub longest_ms: f64,
    /// Games lost by a fault, or given up because of faults, by kind.
    pub faults: BTreeMap<FaultKind, u64>,
    /// Answers to questions that are not those of the rules, as far as they were
    /// just given: no file keeps them.
    #[serde(skip_serializing_if = "is_zero")]
    pub wrong_claims: u64,
    /// Questions that were not answered; see `wrong_claims`.
    #[serde(skip_serializing_if = "is_zero")]
    pub unanswered: u64,
}

/// A rating of many.
#[derive(Debug, Serialize)]
pub struct RatingSummary {
    /// The rating, or why there is none.
    #[serde(serialize_with = "rating_text")]
    pub elo: Rating,
    /// Where it is expected in 95 of 100 tournaments.
    pub low: Number,
    /// See `low`.
    pub high: Number,
    /// The chance to be stronger than the next in the table.
    pub stronger_than_next: Option<f64>,
}

/// The games of two players, as the first of them sees them.
#[derive(Debug, Serialize)]
pub struct MeetingSummary {
    /// The numbers of both.
    #[serde(skip)]
    pub numbers: [usize; 2],
    /// What they are called.
    pub players: [String; 2],
    /// Wins, draws and losses.
    #[serde(flatten)]
    pub games: Trinomial,
    /// Pairs of games by the points that they brought: 0, ½, 1, 1½, 2.
    pub pentanomial: [u64; 5],
    /// By how many Elo the first is stronger.
    pub elo: Number3,
    /// The same in normalized Elo.
    pub normalized_elo: Number3,
    /// The chance that the first is stronger.
    pub los: Option<f64>,
    /// The numbers that these come from.
    #[serde(skip)]
    pub meeting: Meeting,
    /// The same, not rounded and with its text.
    #[serde(skip)]
    pub comparison: Comparison,
}

/// A sequential test.
#[derive(Debug, Serialize)]
pub struct SprtSummary {
    /// The test, as `--sprt` takes it.
    pub test: String,
    /// The Elo of both hypotheses.
    pub elo: [f64; 2],
    /// The log-likelihood ratio.
    pub llr: f64,
    /// Where H0 and H1 are accepted.
    pub bounds: [f64; 2],
    /// `H0`, `H1` or `inconclusive`, once it is over.
    pub accepted: Option<Accepted>,
}

/// A number that may be infinite (`"inf"`, `"-inf"`) or undefined (null).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Number(pub Option<f64>);

/// An estimate with the ends of its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Number3 {
    /// The estimate.
    pub value: Number,
    /// The lower end.
    pub low: Number,
    /// The upper end.
    pub high: Number,
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Some(value) if value.is_finite() => serializer.serialize_f64(value),
            Some(value) if value > 0.0 => serializer.serialize_str("inf"),
            Some(_) => serializer.serialize_str("-inf"),
            None => serializer.serialize_none(),
        }
    }
}

impl From<Estimate> for Number3 {
    fn from(estimate: Estimate) -> Number3 {
        let interval = estimate.interval();
        Number3 {
            value: Number(estimate.value()),
            low: Number(interval.map(|interval| interval.low)),
            high: Number(interval.map(|interval| interval.high)),
        }
    }
}

#[allow(clippy::trivially_copy_pass_by_ref)] // as serde wants it
const fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// A rating as a number, or in a word.
fn rating_text<S: Serializer>(rating: &Rating, serializer: S) -> Result<S::Ok, S::Error> {
    match rating {
        Rating::Finite(elo) => serializer.serialize_f64(*elo),
        other => serializer.collect_str(other),
    }
}

impl Summary {
    /// What the match has come to so far.
    #[must_use]
    pub fn new(header: &Header, tournament: &Tournament) -> Summary {
        let standings = tournament.standings();
        let Ratings { rows, groups } = ratings(tournament);
        let names = standings.names();
        let order = order(tournament, &rows);
        let players: Vec<PlayerSummary> = order
            .iter()
            .filter_map(|&number| {
                let player = standings.players().get(number)?;
                let row = rows.iter().find(|row| row.player == number);
                Some(PlayerSummary::new(tournament, number, player, row))
            })
            .collect();
        let place = |number: &usize| order.iter().position(|other| other == number);
        let mut meetings: Vec<MeetingSummary> = standings
            .meetings()
            .into_iter()
            .map(|([one, other], meeting)| {
                // Two players stay in the order in which they were named.
                if names.len() == 2 || place(&one) < place(&other) {
                    MeetingSummary::new(names, [one, other], meeting)
                } else {
                    MeetingSummary::new(names, [other, one], meeting.reversed())
                }
            })
            .collect();
        meetings.sort_by_key(|meeting| meeting.numbers.map(|number| place(&number)));
        let first_mover = standings.first_mover();
        Summary {
            variant: header.variant.name(),
            format: header.schedule.format.name(),
            scheduled: tournament.total(),
            games: standings.games(),
            distinct_games: standings.distinct_games(),
            players,
            groups: groups_apart(names, &groups),
            meetings,
            first_mover,
            first_mover_elo: first_mover.comparison().elo.into(),
            sprt: sprt(tournament),
            transcripts: Vec::new(),
            fingerprint: format!("{:016x}", standings.fingerprint()),
        }
    }

    /// The same with the transcripts that stand in these folders.
    #[must_use]
    pub fn with_transcripts(mut self, tournament: &Tournament, folders: &[PathBuf]) -> Summary {
        let paths = tournament.failed().transcripts(folders);
        self.transcripts = paths.iter().map(|path| path.display().to_string()).collect();
        self
    }

    /// The same with what was noticed of the players, by their numbers.
    #[must_use]
    pub fn with_warnings(mut self, warnings: &[Warnings]) -> Summary {
        for player in &mut self.players {
            if let Some(warnings) = warnings.get(player.number) {
                player.wrong_claims = warnings.wrong_claims;
                player.unanswered = warnings.unanswered;
            }
        }
        self
    }

    /// The player with this number.
    #[must_use]
    pub fn player(&self, number: usize) -> Option<&PlayerSummary> {
        self.players.iter().find(|player| player.number == number)
    }
}

/// The ratings where more than two play.
fn ratings(tournament: &Tournament) -> Ratings {
    let players = tournament.standings().names().len();
    if players < 3 {
        return Ratings {
            rows: Vec::new(),
            groups: Vec::new(),
        };
    }
    let mut table = Crosstable::new(players);
    for (numbers, meeting) in tournament.standings().meetings() {
        // The numbers are those of players.
        let _ = table.add(numbers, meeting.sample);
    }
    table.ratings(BOOTSTRAP)
}

/// The names of players who have met, where not all of those who have played
/// are connected by games.
fn groups_apart(names: &[String], groups: &[Vec<usize>]) -> Vec<Vec<String>> {
    let groups: Vec<&Vec<usize>> = groups.iter().filter(|group| group.len() > 1).collect();
    if groups.len() < 2 {
        return Vec::new();
    }
    let name = |&number: &usize| names.get(number).cloned();
    groups
        .into_iter()
        .map(|group| group.iter().filter_map(name).collect())
        .collect()
}

/// The numbers of the players, the best first: by points where everybody has
/// had the same chances, by rating elsewhere.
fn order(tournament: &Tournament, rows: &[RatingRow]) -> Vec<usize> {
    if tournament.calendar().schedule().format == Format::Swiss || rows.is_empty() {
        return tournament.ranking();
    }
    rows.iter().map(|row| row.player).collect()
}

fn sprt(tournament: &Tournament) -> Option<SprtSummary> {
    let (sprt, llr) = tournament.test()?;
    let bounds = sprt.bounds();
    Some(SprtSummary {
        test: sprt.to_string(),
        elo: sprt.elos(),
        llr,
        bounds: [bounds.low, bounds.high],
        accepted: tournament.verdict().map(|verdict| verdict.accepted),
    })
}

impl PlayerSummary {
    fn new(
        tournament: &Tournament,
        number: usize,
        player: &Player,
        row: Option<&RatingRow>,
    ) -> PlayerSummary {
        let names = tournament.standings().names();
        PlayerSummary {
            number,
            name: names.get(number).cloned().unwrap_or_default(),
            rating: row.map(|row| RatingSummary {
                elo: row.rating,
                low: Number(row.interval.map(|interval| interval.low)),
                high: Number(row.interval.map(|interval| interval.high)),
                stronger_than_next: row.los_over_next,
            }),
            games: player.games,
            points_off: tournament.calendar().games_off(number),
            points: tournament.points(number),
            opponents_points: tournament.opponents_points(number),
            first_moves: player.first_moves,
            mean_ms: player.mean_time(),
            longest_ms: player.longest,
            faults: player.faults.clone(),
            wrong_claims: 0,
            unanswered: 0,
        }
    }
}

impl MeetingSummary {
    fn new(names: &[String], numbers: [usize; 2], meeting: Meeting) -> MeetingSummary {
        let comparison = meeting.comparison();
        MeetingSummary {
            numbers,
            players: numbers.map(|number| names.get(number).cloned().unwrap_or_default()),
            games: meeting.games,
            pentanomial: meeting.sample.pairs.bins(),
            elo: comparison.elo.into(),
            normalized_elo: comparison.normalized_elo.into(),
            los: comparison.los,
            meeting,
            comparison,
        }
    }
}
