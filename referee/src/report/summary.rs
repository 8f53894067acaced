//! The summary of a match: serialised for programs, formatted for people by
//! [`super::table`].

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use lodestone_game::random::Random;
use referee_core::io::interrupt;
use referee_core::io::text::ShowPath;
use referee_core::player::verdict::FaultKind;
use referee_core::results::counted_game::PonderCounts;
use referee_core::results::facts::FactMeans;
use referee_core::results::{Accepted, AnalysisTally, Header, UnfitPlayer};
use referee_core::schedule::RankedBy;
use referee_core::tournament::Tournament;
use referee_core::tournament::standings::Place;
use referee_core::tournament::standings::{Meeting, PlayerStats};
use referee_statistics::posterior::Posterior;
use referee_statistics::{Crosstable, Estimate, Ratings, Sample, Sampling, Trinomial, Watch};
use serde::ser::SerializeStruct as _;
use serde::{Serialize, Serializer};

/// The samples for the intervals of a match.
pub fn sampling(tournament: &Tournament) -> Sampling<'static> {
    let standings = &tournament.standings;
    Sampling::of(standings.names.len(), standings.meetings.all.len(), &|index| {
        let mut random = Random::substream(1, index);
        Box::new(move || random.next_u64())
    })
}

/// The time that the intervals get after a signal.
const PATIENCE: Duration = Duration::from_millis(500);

/// The summary of a match.
#[derive(Debug, Serialize)]
pub struct Summary {
    /// The name of the variant.
    pub variant: String,
    /// What people call the game.
    #[serde(skip)]
    pub game: String,
    /// The tournament format, a value of `--format`.
    pub format: &'static str,
    /// What decides the places.
    #[serde(skip)]
    pub ranked_by: RankedBy,
    /// The number of games of the schedule, or of the shard.
    pub scheduled: u64,
    /// The number of games that count.
    pub games: u64,
    /// The number of those games that repeat no other game move by move.
    pub distinct_games: u64,
    /// The number of those games that were ended by adjudication, if any.
    #[serde(skip_serializing_if = "is_zero")]
    pub adjudicated: u64,
    /// The players, the best first.
    pub players: Vec<PlayerSummary>,
    /// The players that did not start and have no games.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unfit: Vec<UnfitPlayer>,
    /// The groups of players connected by games, if there are several. Only players
    /// of the first group have ratings.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<Vec<String>>,
    /// The games of each pairing, those of the best players first.
    pub meetings: Vec<MeetingSummary>,
    /// All games from the first player's point of view.
    pub first_mover: Trinomial,
    /// The first-move advantage in Elo.
    #[serde(serialize_with = "estimate")]
    pub first_mover_elo: Estimate,
    /// The sequential test.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sprt: Option<SprtSummary>,
    /// The paths of existing transcripts of games lost by a fault.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub transcripts: Vec<String>,
    /// A hash of the games and their results. It depends neither on their order
    /// nor on the times.
    pub fingerprint: String,
}

/// A player of a match.
#[derive(Debug, Serialize)]
pub struct PlayerSummary {
    /// The player's number, from 0, in the order of the command line.
    #[serde(skip)]
    pub number: usize,
    /// The player's place in the table.
    #[serde(skip)]
    pub place: Place,
    /// The player's name.
    pub name: String,
    /// The rank, from 1. Players with equal scores have the same rank.
    pub rank: usize,
    /// Whether it is a reference player of a ladder, which takes no place from the submissions.
    #[serde(rename = "reference", skip_serializing_if = "std::ops::Not::not")]
    pub is_reference: bool,
    /// The rating, in matches of more than two players.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rating: Option<RatingSummary>,
    /// Wins, draws and losses.
    #[serde(flatten)]
    pub games: Trinomial,
    /// The points of byes.
    #[serde(rename = "points_off")]
    pub bye_points: u64,
    /// The total score.
    pub points: f64,
    /// The sum of the opponents' points (Buchholz).
    pub opponents_points: f64,
    /// The number of games as first player.
    pub first_moves: u64,
    /// The average time per move in milliseconds.
    pub mean_ms: Option<f64>,
    /// The time of the longest move in milliseconds, with late answers.
    pub longest_ms: f64,
    /// Whether that is the limit of a move for which no answer came.
    #[serde(skip)]
    pub is_longest_open: bool,
    /// The number of moves over the limit of a move (`st`, `first`) that were played within `timemargin`.
    #[serde(skip_serializing_if = "is_zero")]
    pub over_limit: u64,
    /// Means over what is recorded beside the times.
    #[serde(flatten)]
    pub means: FactMeans,
    /// Games lost by a fault or forfeited, by kind.
    pub faults: BTreeMap<FaultKind, u64>,
    /// Faults in whose place a random move was played, by kind.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub replaced: BTreeMap<FaultKind, u64>,
    /// The searches in the opponents' time, with `--ponder`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ponder: Option<PonderCounts>,
    /// The counts over its analysed moves, after `referee analyze`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub analysis: Option<AnalysisTally>,
}

#[derive(Debug, Default, Serialize)]
pub struct RatingSummary {
    /// The rating in Elo; `undefined` if no games connect the player with the rated ones, or if the player of a
    /// ladder has [none](Tournament::is_unrated).
    #[serde(serialize_with = "number_or_undefined")]
    pub elo: Option<f64>,
    /// The lower end of the 95 % confidence interval.
    pub low: Number,
    /// The upper end of the interval.
    pub high: Number,
    /// The likelihood of superiority over the next player in the table.
    pub stronger_than_next: Option<f64>,
}

/// The games of two players, from the first one's point of view.
#[derive(Debug, Serialize)]
pub struct MeetingSummary {
    /// The players' numbers.
    #[serde(skip)]
    pub numbers: [usize; 2],
    /// The players' names.
    pub players: [String; 2],
    /// Wins, draws and losses.
    #[serde(flatten)]
    pub games: Trinomial,
    /// Pairs of games with 0, ½, 1, 1½ and 2 points.
    pub pentanomial: [u64; 5],
    /// The Elo difference.
    #[serde(serialize_with = "estimate")]
    pub elo: Estimate,
    /// The normalized Elo difference.
    #[serde(serialize_with = "estimate")]
    pub normalized_elo: Estimate,
    /// The likelihood of superiority.
    pub los: Option<f64>,
    /// The games for statistics.
    #[serde(skip)]
    pub sample: Sample,
}

/// The state of a sequential test.
#[derive(Debug, Serialize)]
pub struct SprtSummary {
    /// The test, a value of `--sprt`.
    pub test: String,
    /// `elo0` and `elo1`.
    pub elo: [f64; 2],
    /// The log-likelihood ratio.
    pub llr: f64,
    /// The bounds of the LLR at which H0 and H1 are accepted.
    pub bounds: [f64; 2],
    /// The outcome, if the test is over.
    pub accepted: Option<Accepted>,
}

/// A number that may be infinite (`"inf"`, `"-inf"`) or undefined (null).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Number(pub Option<f64>);

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

/// Serialises an estimate with its 95 % confidence interval.
fn estimate<S: Serializer>(estimate: &Estimate, serializer: S) -> Result<S::Ok, S::Error> {
    let interval = estimate.interval();
    let mut fields = serializer.serialize_struct("Estimate", 3)?;
    fields.serialize_field("value", &Number(estimate.value()))?;
    fields.serialize_field("low", &Number(interval.map(|interval| interval.low)))?;
    fields.serialize_field("high", &Number(interval.map(|interval| interval.high)))?;
    fields.end()
}

#[allow(clippy::trivially_copy_pass_by_ref)] // required by serde
const fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// Serialises a rating as a number or a word.
#[allow(clippy::ref_option, clippy::trivially_copy_pass_by_ref)] // required by serde
fn number_or_undefined<S: Serializer>(elo: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    match elo {
        Some(elo) => serializer.serialize_f64(*elo),
        None => serializer.serialize_str("undefined"),
    }
}

impl Summary {
    /// The summary of the games so far. After a signal, the intervals of the ratings get [`PATIENCE`], and
    /// are left out if that is not enough.
    pub fn new(header: &Header, tournament: &Tournament) -> Summary {
        let begin = Instant::now();
        let watch = &mut |_| {
            if begin.elapsed() < PATIENCE {
                Ok(())
            } else {
                interrupt::check().map_err(|signal| signal.to_string())
            }
        };
        let sampling = sampling(tournament);
        let ratings = RatedPlayers::new(tournament, sampling, watch);
        let ratings = ratings.or_else(|_| RatedPlayers::new(tournament, Sampling::NONE, &mut |_| Ok(())));
        Summary::of_rated(header, tournament, &ratings.unwrap_or(RatedPlayers::None))
    }

    /// The summary of the games so far. Calls `watch` often, with the number of the sample of
    /// [`sampling`].
    pub fn watched(
        header: &Header,
        tournament: &Tournament,
        watch: &mut Watch<'_>,
    ) -> Result<Summary, String> {
        let sampling = sampling(tournament);
        let ratings = RatedPlayers::new(tournament, sampling, watch)?;
        Ok(Summary::of_rated(header, tournament, &ratings))
    }

    fn of_rated(header: &Header, tournament: &Tournament, ratings: &RatedPlayers) -> Summary {
        let standings = &tournament.standings;
        let names = &standings.names;
        let ranking = tournament.ranking();
        let next = ranking.iter().skip(1).map(Some).chain([None]);
        let players: Vec<PlayerSummary> = ranking
            .iter()
            .zip(next)
            .filter_map(|(&place, next)| {
                let player = standings.players.get(place.player)?;
                let is_rated = |place: &Place| !tournament.is_unrated(place.player);
                let mut rating = ratings.of(place, next.filter(|next| is_rated(next)));
                if !is_rated(&place) {
                    rating = rating.map(|_| RatingSummary::default());
                }
                Some(PlayerSummary::new(tournament, place, player, rating))
            })
            .collect();
        // The places of the players in the table.
        let mut places = vec![names.len(); names.len()];
        for (place, ranked) in ranking.iter().enumerate() {
            places[ranked.player] = place;
        }
        let meetings = standings.meetings.all.iter();
        let mut meetings: Vec<([usize; 2], Meeting)> = meetings
            .map(|(&[one, other], &meeting)| {
                // Two players keep the order of the command line.
                if names.len() == 2 || places[one] < places[other] {
                    ([one, other], meeting)
                } else {
                    ([other, one], meeting.reversed())
                }
            })
            .collect();
        // In the order of the table, for which a million meetings are not compared.
        for seat in [1, 0] {
            let mut of_place = vec![Vec::new(); names.len() + 1];
            for meeting in meetings {
                of_place[places[meeting.0[seat]]].push(meeting);
            }
            meetings = of_place.into_iter().flatten().collect();
        }
        let meetings = meetings.into_iter();
        let meetings = meetings.map(|(numbers, meeting)| MeetingSummary::new(names, numbers, meeting));
        let groups = match ratings {
            RatedPlayers::Fitted(ratings) => groups_apart(names, &ratings.groups),
            _ => Vec::new(),
        };
        Summary {
            variant: header.variant.clone(),
            game: header.game(None).label().into(),
            format: header.schedule.format.name(),
            ranked_by: header.schedule.format.properties().ranked_by,
            scheduled: tournament.total(),
            games: standings.games(),
            distinct_games: standings.distinct_games(),
            adjudicated: standings.adjudicated,
            players,
            unfit: header.unfit.clone(),
            groups,
            meetings: meetings.collect(),
            first_mover: standings.first_mover,
            first_mover_elo: standings.first_mover_sample.comparison().elo,
            sprt: sprt(tournament),
            transcripts: Vec::new(),
            fingerprint: format!("{:016x}", standings.fingerprint),
        }
    }

    /// Adds the transcripts in these folders.
    pub fn with_transcripts(mut self, tournament: &Tournament, folders: &[PathBuf]) -> Summary {
        let paths = tournament.failed.transcripts(folders);
        self.transcripts = paths.iter().map(|path| path.shown()).collect();
        self
    }

    /// The games between two players by their numbers, from the first one's point of view.
    pub fn games_by_players(&self) -> HashMap<[usize; 2], Trinomial> {
        let both = self.meetings.iter().flat_map(|meeting| {
            let [one, other] = meeting.numbers;
            [
                ([one, other], meeting.games),
                ([other, one], meeting.games.reversed()),
            ]
        });
        both.collect()
    }

    /// The player with this number.
    pub fn player(&self, number: usize) -> Option<&PlayerSummary> {
        self.players.iter().find(|player| player.number == number)
    }
}

/// The ratings of a match.
enum RatedPlayers {
    /// Two players need none.
    None,
    Fitted(Ratings),
    /// Those of a ladder, which decide its order.
    Ladder(Posterior),
}

impl RatedPlayers {
    fn new(
        tournament: &Tournament,
        sampling: Sampling,
        watch: &mut Watch<'_>,
    ) -> Result<RatedPlayers, String> {
        let players = tournament.standings.names.len();
        if let Some(ladder) = tournament.calendar().ladder() {
            let shown: Vec<usize> = (0..players)
                .filter(|&player| tournament.takes_part(player))
                .collect();
            return Ok(RatedPlayers::Ladder(ladder.posterior(&[shown])));
        }
        if players < 3 {
            return Ok(RatedPlayers::None);
        }
        let mut table = Crosstable::new(players);
        for (&numbers, meeting) in &tournament.standings.meetings.all {
            table.add(numbers, meeting.sample);
        }
        table.try_ratings(sampling, watch).map(RatedPlayers::Fitted)
    }

    /// The rating of the player at `place`, compared with the player at the `next` place.
    fn of(&self, place: Place, next: Option<&Place>) -> Option<RatingSummary> {
        let player = place.player;
        let (elo, interval, superiority) = match self {
            RatedPlayers::None => return None,
            RatedPlayers::Fitted(ratings) => {
                let rating = ratings.players.get(player).copied().flatten();
                (
                    rating.map(|rating| rating.elo),
                    rating.and_then(|rating| rating.interval),
                    next.and_then(|next| ratings.superiority(player, next.player)),
                )
            }
            RatedPlayers::Ladder(posterior) => (
                posterior.elos.get(player).copied(),
                Some(posterior.interval(player)),
                next.map(|next| posterior.superiority(player, next.player)),
            ),
        };
        Some(RatingSummary {
            elo,
            low: Number(interval.map(|interval| interval.low)),
            high: Number(interval.map(|interval| interval.high)),
            stronger_than_next: superiority,
        })
    }
}

/// The names of the players of each connected group; empty if there is only one
/// group. Players without games are left out.
fn groups_apart(names: &[String], groups: &[Vec<usize>]) -> Vec<Vec<String>> {
    let name = |&number: &usize| names.get(number).cloned();
    let groups = groups.iter().filter(|group| group.len() > 1);
    let groups: Vec<Vec<String>> = groups
        .map(|group| group.iter().filter_map(name).collect())
        .collect();
    if groups.len() < 2 { Vec::new() } else { groups }
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
        place: Place,
        player: &PlayerStats,
        rating: Option<RatingSummary>,
    ) -> PlayerSummary {
        let number = place.player;
        let names = &tournament.standings.names;
        PlayerSummary {
            number,
            place,
            name: names.get(number).cloned().unwrap_or_default(),
            rank: place.rank,
            is_reference: place.is_reference,
            rating,
            games: player.games,
            bye_points: tournament.calendar().bye_games(number),
            points: tournament.points(number),
            opponents_points: tournament.opponents_points(number),
            first_moves: player.first_moves,
            mean_ms: player.counts.mean_time(),
            longest_ms: player.counts.longest,
            is_longest_open: player.counts.is_longest_open,
            over_limit: player.counts.over_limit,
            means: player.counts.facts.means(),
            faults: player.faults.clone(),
            replaced: player.counts.replaced(),
            ponder: player.counts.ponder,
            analysis: tournament.analyses.of_player(number).cloned(),
        }
    }

    /// The points of games in per cent of the possible ones, without byes; `None` without
    /// games.
    pub fn percent(&self) -> Option<f64> {
        let games = self.games.games();
        (games > 0).then(|| 100.0 * self.games.points() / games as f64)
    }

    /// The time of the longest move in milliseconds; `None` without moves.
    pub fn longest(&self) -> Option<f64> {
        (self.longest_ms > 0.0).then_some(self.longest_ms)
    }

    /// The number of moves for which no answer came.
    pub fn unanswered(&self) -> u64 {
        let stalls = [&self.faults, &self.replaced].map(|faults| faults.get(&FaultKind::Stall));
        stalls.into_iter().flatten().sum()
    }

    /// The rating in Elo.
    pub fn elo(&self) -> Option<f64> {
        self.rating.as_ref()?.elo
    }

    /// The 95 % confidence interval of the rating.
    pub fn interval(&self) -> Option<[f64; 2]> {
        let rating = self.rating.as_ref()?;
        Some([rating.low.0?, rating.high.0?])
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
            elo: comparison.elo,
            normalized_elo: comparison.normalized_elo,
            los: comparison.los,
            sample: meeting.sample,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use referee_core::results::facts::means;
    use referee_core::samples::{play, tournament};

    use super::*;

    #[test]
    fn the_manual_lists_the_fields_of_a_player() {
        let (header, mut tournament) = tournament(3, 2, |_| ());
        play(&mut tournament, &["1-0"; 6]);
        let mut summary = Summary::new(&header, &tournament);
        // Whatever may be left out is there.
        let player = &mut summary.players[0];
        player.is_reference = true;
        player.over_limit = 1;
        player.replaced = BTreeMap::from([(FaultKind::Time, 1)]);
        player.ponder = Some(PonderCounts::default());
        player.analysis = Some(AnalysisTally::default());
        let json = serde_json::to_value(player).unwrap();
        let fields = json.as_object().into_iter().flat_map(serde_json::Map::keys);
        let fields = fields.map(String::as_str).chain(means().map(|mean| mean.name));
        let manual = include_str!("../../../docs/results.md");
        let (_, table) = manual.split_once("\nA player in `players`:\n\n").unwrap();
        let rows = table.lines().take_while(|line| line.starts_with('|'));
        let cells = rows.filter_map(|row| row.strip_prefix("| `")?.split(" |").next());
        let names = cells.flat_map(|cell| cell.split(", ").map(|name| name.trim_matches('`')));
        assert_eq!(names.collect::<BTreeSet<_>>(), fields.collect::<BTreeSet<_>>());
    }
}
