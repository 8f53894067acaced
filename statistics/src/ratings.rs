//! Ratings of any number of players on one scale, with confidence intervals.
//!
//! The model is that of Bradley and Terry in Elo: 400 Elo are odds of ten to one. A draw
//! counts as half a win and half a loss.
//!
//! The prior is one virtual draw of each player against the field, a virtual player whose
//! own rating is fitted too. `BayesElo` and Whole-History Rating (Coulom, 2008) use such
//! priors. It keeps the rating of a player finite who won or lost every game, or whose
//! opponents did. The ratings maximise the posterior probability.
//!
//! Players are rated if games connect them: the largest group of such players, and among
//! groups of equal size the one with the lowest player number. Its mean rating is 0. The
//! other players have no rating, because nothing compares them with the group.
//!
//! The intervals of few players come from the Bayesian bootstrap (Rubin, "The Bayesian Bootstrap",
//! 1981): each observation has an independent random weight with mean 1. An observation is a pair of
//! games, or a single game. A pair has one weight, which keeps the correlation of its two games.
//!
//! Those of many players follow from the curvature H of the logarithm of the posterior and from the
//! variances J of the same weighted observations: the covariances of the ratings are H⁻¹ J H⁻¹ (Huber,
//! "The Behavior of Maximum Likelihood Estimates under Nonstandard Conditions", 1967). Both agree where
//! there are many games, and no matrix of all pairs of players is needed: random gradients g with the
//! covariances J are turned into changes H⁻¹ g of the ratings, whose spread is measured.

use std::collections::BTreeMap;
use std::f64::consts::TAU;

use super::bradley_terry::{FULL_PRECISION, HeadToHead, Information, fit};
use super::counts::Sample;
use super::elo::{LOGIT, Z95, expected_score, normal_cdf};
use super::estimate::Interval;

/// The points of each side of the virtual draw.
const VIRTUAL_POINTS: f64 = 0.5;

/// The precision of the ratings of a resample, in log-odds: 0.02 Elo.
const RESAMPLE_PRECISION: f64 = 1e-4;

/// The results of all pairs of players. Players are numbered from 0.
///
/// Ratings do not depend on the order in which results are added, nor on which
/// player is named first, not even in the last digit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Crosstable {
    players: usize,
    /// The results from the first player's point of view. The key is the players,
    /// the lower number first.
    samples: BTreeMap<[usize; 2], Sample>,
}

/// What is called often, with the number of a sample, and stops a calculation by an error.
pub type Watch<'a> = dyn FnMut(u64) -> Result<(), String> + 'a;

/// An endless sequence of random 64-bit numbers.
pub type Stream = Box<dyn FnMut() -> u64>;

/// How intervals are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Ratings fitted to results with random weights: right for few games too, whose intervals are far from
    /// symmetrical.
    Resampling,
    /// Random changes of the results, and the changes of the ratings to which they lead by the curvature.
    Curvature,
}

/// The most players and pairings together whose intervals are resampled: those of fifty players who have all met.
/// They cost less than a second.
pub const MOST_RESAMPLED: usize = 1300;

/// More players and pairings together than this get fewer samples, so that those of a million take seconds.
const MANY_RESULTS: usize = 200_000;

/// The samples from which intervals are computed.
#[derive(Clone, Copy)]
pub struct Sampling<'a> {
    /// What is sampled.
    pub method: Method,
    /// The number of samples. With 0 there are no intervals.
    pub samples: u64,
    /// The random numbers of a sample, from its number.
    pub random: &'a dyn Fn(u64) -> Stream,
}

impl<'a> Sampling<'a> {
    /// No samples, and so no intervals.
    pub const NONE: Sampling<'static> = Sampling {
        method: Method::Resampling,
        samples: 0,
        random: &|_| Box::new(|| 0),
    };

    /// The samples for this number of players and pairings.
    pub const fn of(players: usize, pairings: usize, random: &'a dyn Fn(u64) -> Stream) -> Sampling<'a> {
        let size = players + pairings;
        let (method, samples) = if size > MOST_RESAMPLED {
            // A width is right to 3 % and better. The more opponents, the more of it is known without samples.
            let samples = if size > MANY_RESULTS { 128 } else { 512 };
            (Method::Curvature, samples)
        } else {
            (Method::Resampling, 1000)
        };
        Sampling {
            method,
            samples,
            random,
        }
    }
}

/// A player's rating.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rating {
    /// The rating in Elo. The mean of all ratings is 0.
    pub elo: f64,
    /// The 95 % confidence interval; `None` without samples.
    pub interval: Option<Interval>,
}

/// The ratings of all players.
#[derive(Clone, Debug, PartialEq)]
pub struct Ratings {
    /// The ratings by player number; `None` for players outside the first group, or if no
    /// games were played.
    pub players: Vec<Option<Rating>>,
    /// The groups of players connected by games, whatever their results. The
    /// largest group comes first, groups of equal size are ordered by their lowest
    /// player number.
    pub groups: Vec<Vec<usize>>,
    /// What [`Ratings::samples`] are.
    method: Method,
    /// By player number, the player's Elo in each resample, or its changes; empty without a rating.
    samples: Vec<Vec<f64>>,
}

impl Crosstable {
    /// A table of `players` players without games.
    pub const fn new(players: usize) -> Crosstable {
        Crosstable {
            players,
            samples: BTreeMap::new(),
        }
    }

    /// Adds games between two different players, from the first one's point of view.
    pub fn add(&mut self, players: [usize; 2], sample: Sample) {
        let [one, other] = players;
        debug_assert!(one != other && one.max(other) < self.players, "{players:?}");
        let (key, sample) = if one < other {
            ([one, other], sample)
        } else {
            ([other, one], sample.reversed())
        };
        *self.samples.entry(key).or_default() += sample;
    }

    /// The ratings of all players. Calls `watch` often, with the number of the sample, from 0.
    ///
    /// Intervals are between the percentiles 2.5 and 97.5 of the ratings in the resamples, or 1.96 standard
    /// deviations of the changes to both sides.
    ///
    /// # Errors
    /// Those of `watch`.
    pub fn try_ratings(&self, sampling: Sampling<'_>, watch: &mut Watch<'_>) -> Result<Ratings, String> {
        let groups = self.groups();
        let group: &[usize] = match groups.first() {
            Some(group) if group.len() > 1 => group,
            // There are no games.
            _ => &[],
        };
        let model = PriorModel::new(self, group);
        let start = vec![0.0; group.len() + 1];
        let results = model.results(|meeting| {
            let games = meeting.map(|meeting| meeting.sample.games());
            games.map_or([VIRTUAL_POINTS; 2], |games| {
                [games.points(), games.reversed().points()]
            })
        });
        let fitted = fit(&results, &start, FULL_PRECISION, &mut || watch(0))?;
        let found = match sampling.method {
            Method::Resampling => model.resamples(&fitted, sampling, watch)?,
            Method::Curvature => model.changes(&results, &fitted, sampling, watch)?,
        };
        let (mut players, mut samples) = (vec![None; self.players], vec![Vec::new(); self.players]);
        for ((&player, elo), own) in group.iter().zip(elos(&fitted)).zip(found) {
            let interval = match sampling.method {
                Method::Resampling => percentiles(&own),
                Method::Curvature => around(elo, &own),
            };
            players[player] = Some(Rating { elo, interval });
            samples[player] = own;
        }
        Ok(Ratings {
            players,
            groups,
            method: sampling.method,
            samples,
        })
    }

    /// The groups of players connected by games: see [`Ratings::groups`].
    fn groups(&self) -> Vec<Vec<usize>> {
        // For each player a lower one of its group; the lowest one has itself.
        let mut lower: Vec<usize> = (0..self.players).collect();
        for (&[one, other], sample) in &self.samples {
            if sample.games().games() > 0 {
                let [one, other] = [one, other].map(|player| lowest(&mut lower, player));
                lower[one.max(other)] = one.min(other);
            }
        }
        let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for player in 0..self.players {
            groups.entry(lowest(&mut lower, player)).or_default().push(player);
        }
        let mut groups: Vec<Vec<usize>> = groups.into_values().collect();
        groups.sort_by_key(|group| std::cmp::Reverse(group.len()));
        groups
    }
}

/// The lowest player of the group of `player`. Halves the way there for the next search.
fn lowest(lower: &mut [usize], mut player: usize) -> usize {
    while lower[player] != player {
        lower[player] = lower[lower[player]];
        player = lower[player];
    }
    player
}

/// The games within a group of players, and the prior. Players are numbered from 0 in the
/// order of the group; the next number is the field.
struct PriorModel {
    meetings: Vec<Meeting>,
    players: usize,
}

/// The games of two players.
struct Meeting {
    players: [usize; 2],
    sample: Sample,
    /// See [`reweighted`].
    correction: f64,
}

impl PriorModel {
    fn new(table: &Crosstable, group: &[usize]) -> PriorModel {
        let within = |&player: &usize| group.binary_search(&player).ok();
        let mut meetings: Vec<Meeting> = table
            .samples
            .iter()
            .filter_map(|([one, other], &sample)| {
                Some(Meeting {
                    players: [within(one)?, within(other)?],
                    sample,
                    correction: 1.0,
                })
            })
            .collect();
        // The number of independent observations of each player.
        let mut observations = vec![0_u64; group.len()];
        for Meeting { players, sample, .. } in &meetings {
            let count = sample.pairs.pairs().saturating_add(sample.singles.games());
            for &player in players {
                observations[player] = observations[player].saturating_add(count);
            }
        }
        // As in an unbiased variance, where the sum of squares is divided by n − 1.
        for Meeting {
            players, correction, ..
        } in &mut meetings
        {
            let count = observations[players[0]].min(observations[players[1]]).max(2);
            *correction = 1.0 - 1.0 / count as f64;
        }
        PriorModel {
            meetings,
            players: group.len(),
        }
    }

    /// The results of all meetings and the virtual draws behind them. `points` gives the points of each meeting,
    /// and without one those of a virtual draw.
    fn results(&self, mut points: impl FnMut(Option<&Meeting>) -> [f64; 2]) -> Vec<HeadToHead> {
        let mut results = Vec::with_capacity(self.meetings.len() + self.players);
        for meeting in &self.meetings {
            results.push(HeadToHead {
                players: meeting.players,
                points: points(Some(meeting)),
            });
        }
        results.extend((0..self.players).map(|player| HeadToHead {
            players: [player, self.players],
            points: points(None),
        }));
        results
    }

    /// The Elo of each player, fitted to results with random weights.
    fn resamples(
        &self,
        fitted: &[f64],
        sampling: Sampling<'_>,
        watch: &mut Watch<'_>,
    ) -> Result<Vec<Vec<f64>>, String> {
        let mut found = vec![Vec::new(); self.players];
        for index in 0..sampling.samples {
            let random = &mut (sampling.random)(index);
            let results = self.results(|meeting| match meeting {
                Some(meeting) => reweighted(random, &meeting.sample, meeting.correction),
                None => [(); 2].map(|()| gamma(random, VIRTUAL_POINTS)),
            });
            let ratings = fit(&results, fitted, RESAMPLE_PRECISION, &mut || watch(index))?;
            for (own, elo) in found.iter_mut().zip(elos(&ratings)) {
                own.push(elo);
            }
        }
        Ok(found)
    }

    /// Random changes of the Elo of each player around the ratings that were fitted to `results`.
    ///
    /// The variance of a player's changes is known except for what comes from the ratings of its opponents: that of
    /// its own results, divided by the square of its own curvature. So only the rest is taken from the samples.
    fn changes(
        &self,
        results: &[HeadToHead],
        fitted: &[f64],
        sampling: Sampling<'_>,
        watch: &mut Watch<'_>,
    ) -> Result<Vec<Vec<f64>>, String> {
        let information = Information::new(results, fitted);
        let variances = self.variances(fitted);
        let mut own_variances = vec![0.0; fitted.len()];
        for (result, variance) in results.iter().zip(&variances) {
            for player in result.players {
                own_variances[player] += variance;
            }
        }
        let deviations: Vec<f64> = variances.into_iter().map(f64::sqrt).collect();
        let (mut squares, mut own_squares) = (vec![0.0; self.players], vec![0.0; self.players]);
        let mut found = vec![Vec::with_capacity(sampling.samples as usize); self.players];
        for first in (0..sampling.samples).step_by(LANES) {
            let gradients = random_gradients(results, &deviations, fitted.len(), |lane| {
                (sampling.random)(first + lane)
            });
            for (player, own) in own_squares.iter_mut().enumerate() {
                let changes = gradients[player].map(|part| part / information.diagonal[player]);
                *own += changes.map(|change| change * change).iter().sum::<f64>();
            }
            let changes = information.solve(gradients, &mut || watch(first))?;
            for lane in 0..LANES {
                let lane: Vec<f64> = changes.iter().map(|change| change[lane]).collect();
                for (player, elo) in elos(&lane).into_iter().enumerate() {
                    squares[player] += (elo / LOGIT).powi(2);
                    found[player].push(elo);
                }
            }
        }
        for (player, changes) in found.iter_mut().enumerate() {
            let known = own_variances[player] / information.diagonal[player].powi(2);
            let sampled = squares[player] / changes.len() as f64;
            let variance = sampled - own_squares[player] / changes.len() as f64 + known;
            let factor = (variance / sampled).max(0.25).sqrt();
            if factor.is_finite() {
                for change in changes {
                    *change *= factor;
                }
            }
        }
        Ok(found)
    }

    /// The variance of the points of each of the results, which are weighted as in a resample, around what these
    /// ratings expect.
    fn variances(&self, fitted: &[f64]) -> Vec<f64> {
        let expected = |[one, other]: [usize; 2]| expected_score((fitted[one] - fitted[other]) * LOGIT);
        let of_meeting = |meeting: &Meeting| {
            let Sample { pairs, singles } = meeting.sample;
            let singles = [singles.losses, singles.draws, singles.wins];
            let expected = expected(meeting.players);
            (squares(&pairs.bins(), expected) + squares(&singles, expected)) / meeting.correction
        };
        let virtual_draw = |player: usize| {
            let expected = expected([player, self.players]);
            VIRTUAL_POINTS * (expected.powi(2) + (1.0 - expected).powi(2))
        };
        let draws = (0..self.players).map(virtual_draw);
        self.meetings.iter().map(of_meeting).chain(draws).collect()
    }
}

/// How many samples of [`PriorModel::changes`] are made at once.
const LANES: usize = 8;

/// Gradients in which each result has changed by plus or minus its deviation.
fn random_gradients(
    results: &[HeadToHead],
    deviations: &[f64],
    players: usize,
    random: impl Fn(u64) -> Stream,
) -> Vec<[f64; LANES]> {
    let mut streams: Vec<Stream> = (0..LANES as u64).map(random).collect();
    let mut gradients = vec![[0.0; LANES]; players];
    let bits = u64::BITS as usize;
    for (results, deviations) in results.chunks(bits).zip(deviations.chunks(bits)) {
        let words: Vec<u64> = streams.iter_mut().map(|stream| stream()).collect();
        for ((result, deviation), bit) in results.iter().zip(deviations).zip(0..) {
            let [one, other] = result.players;
            for (lane, word) in words.iter().enumerate() {
                let change = if (word >> bit) & 1 == 0 {
                    *deviation
                } else {
                    -deviation
                };
                gradients[one][lane] += change;
                gradients[other][lane] -= change;
            }
        }
    }
    gradients
}

/// The sum of squared differences between points and what is expected of each game, from counts of observations with
/// 0, ½, 1, … points.
fn squares(counts: &[u64], expected: f64) -> f64 {
    let games = (counts.len() - 1) as f64 / 2.0;
    let counted = counts.iter().enumerate();
    let square = |(half_points, &count): (usize, &u64)| {
        count as f64 * (half_points as f64 / 2.0 - games * expected).powi(2)
    };
    counted.map(square).sum()
}

/// The Elo of each player, with mean 0, from the ratings of the players and of the field.
fn elos(fitted: &[f64]) -> Vec<f64> {
    let Some((_, players)) = fitted.split_last() else {
        return Vec::new();
    };
    let mean = players.iter().sum::<f64>() / players.len() as f64;
    players.iter().map(|rating| (rating - mean) * LOGIT).collect()
}

impl Ratings {
    /// The likelihood of superiority of `one` over `other`, from 0 to 1: the share of
    /// resamples that rate it higher, or the probability of a normal distribution with the variance of the changes
    /// of the difference. `None` if one has no rating, or without samples.
    pub fn superiority(&self, one: usize, other: usize) -> Option<f64> {
        let difference = || Some((*self.players.get(one)?)?.elo - (*self.players.get(other)?)?.elo);
        let difference = difference()?;
        let (one, other) = (self.samples.get(one)?, self.samples.get(other)?);
        let count = one.len();
        if count == 0 || other.len() != count {
            return None;
        }
        if self.method == Method::Curvature {
            let changes = one.iter().zip(other).map(|(one, other)| one - other);
            let deviation = (changes.map(|change| change * change).sum::<f64>() / count as f64).sqrt();
            return Some(normal_cdf(difference / deviation.max(f64::MIN_POSITIVE)));
        }
        let above = one
            .iter()
            .zip(other)
            .map(|(one, other)| match one.total_cmp(other) {
                std::cmp::Ordering::Greater => 1.0,
                std::cmp::Ordering::Equal => 0.5,
                std::cmp::Ordering::Less => 0.0,
            });
        Some(above.sum::<f64>() / count as f64)
    }
}

/// The interval around a rating, from its changes; `None` without changes.
fn around(elo: f64, changes: &[f64]) -> Option<Interval> {
    let squares: f64 = changes.iter().map(|change| change * change).sum();
    let width = Z95 * (squares / changes.len() as f64).sqrt();
    (!changes.is_empty()).then_some(Interval {
        low: elo - width,
        high: elo + width,
    })
}

/// The range from the 2.5 % to the 97.5 % quantile; `None` without numbers.
fn percentiles(numbers: &[f64]) -> Option<Interval> {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    let outside = (sorted.len() as f64 * 0.025) as usize;
    Some(Interval {
        low: *sorted.get(outside)?,
        high: *sorted.iter().rev().nth(outside)?,
    })
}

/// The points of both players of `sample` with random weights, the first player's first.
///
/// The weights have the variance 1 / `correction`. Below 1, `correction` widens the
/// intervals of small samples.
fn reweighted(random: &mut Stream, sample: &Sample, correction: f64) -> [f64; 2] {
    let singles = sample.singles;
    let pairs = points(random, &sample.pairs.bins(), correction);
    let singles = points(random, &[singles.losses, singles.draws, singles.wins], correction);
    [pairs[0] + singles[0], pairs[1] + singles[1]]
}

/// The weighted points of both players from counts of observations with 0, ½, 1, … points
/// for the first player.
fn points(random: &mut Stream, counts: &[u64], correction: f64) -> [f64; 2] {
    let half_points = 0..counts.len();
    let total = counts.len() as f64 - 1.0;
    let mut points = [0.0; 2];
    for (half_points, &count) in half_points.zip(counts).filter(|&(_, &count)| count > 0) {
        // The sum of the weights of equal observations.
        let weight = gamma(random, count as f64 * correction) / correction;
        points[0] += weight * half_points as f64 / 2.0;
        points[1] += weight * (total - half_points as f64) / 2.0;
    }
    points
}

/// A gamma random number with scale 1. `shape` is positive.
///
/// Marsaglia and Tsang, "A Simple Method for Generating Gamma Variables", 2000.
fn gamma(random: &mut Stream, shape: f64) -> f64 {
    if shape < 1.0 {
        return gamma(random, shape + 1.0) * (1.0 - uniform(random)).powf(1.0 / shape);
    }
    let centre = shape - 1.0 / 3.0;
    let spread = 1.0 / (9.0 * centre).sqrt();
    loop {
        let normal = normal(random);
        let cube = (1.0 + spread * normal).powi(3);
        let accepted = normal * normal / 2.0 + centre * (1.0 - cube + cube.ln());
        // The logarithm is NaN for a negative cube, and the comparison false.
        if (1.0 - uniform(random)).ln() < accepted {
            return centre * cube;
        }
    }
}

/// A uniform random number from 0 (inclusive) to 1 (exclusive).
fn uniform(random: &mut Stream) -> f64 {
    (random() >> 11) as f64 / (1_u64 << 53) as f64
}

/// A standard normal random number. Box and Muller, 1958.
fn normal(random: &mut Stream) -> f64 {
    let radius = (-2.0 * (1.0 - uniform(random)).ln()).sqrt();
    radius * (TAU * uniform(random)).cos()
}

#[cfg(test)]
pub(crate) mod tests {
    use lodestone_game::random::Random;

    use super::*;
    use crate::elo::elo_of_score;
    use crate::tests::{assert_all_close, pentanomial};
    use crate::{Pentanomial, Points, Trinomial};

    const BOOTSTRAP: Sampling<'static> = resampling(1000, &|index| stream(1, index));

    /// Samples of weighted results.
    pub(crate) const fn resampling(samples: u64, random: &dyn Fn(u64) -> Stream) -> Sampling<'_> {
        Sampling {
            method: Method::Resampling,
            samples,
            random,
        }
    }

    /// The random numbers of a resample for a seed.
    pub(crate) fn stream(seed: u64, index: u64) -> Stream {
        boxed(Random::substream(seed, index))
    }

    impl Crosstable {
        pub(crate) fn ratings(&self, sampling: Sampling<'_>) -> Ratings {
            self.try_ratings(sampling, &mut |_| Ok(())).unwrap()
        }
    }

    fn boxed(mut random: Random) -> Stream {
        Box::new(move || random.next_u64())
    }

    fn singles(wins: u64, draws: u64, losses: u64) -> Sample {
        Sample {
            singles: Trinomial { wins, draws, losses },
            ..Sample::default()
        }
    }

    fn table(players: usize, samples: &[([usize; 2], Sample)]) -> Crosstable {
        let mut table = Crosstable::new(players);
        for &(players, sample) in samples {
            table.add(players, sample);
        }
        table
    }

    /// In a gauntlet, a newcomer has fewer games than its opponent.
    #[test]
    fn the_correction_of_a_meeting_is_that_of_the_player_with_fewer_results() {
        let table = table(3, &[([0, 1], singles(5, 0, 5)), ([0, 2], singles(1, 0, 3))]);
        let model = PriorModel::new(&table, &[0, 1, 2]);
        let corrections = model
            .meetings
            .iter()
            .map(|meeting| (meeting.players, meeting.correction));
        assert_eq!(corrections.collect::<Vec<_>>(), [([0, 1], 0.9), ([0, 2], 0.75)]);
    }

    /// A–B 12–8, A–C 15–5, B–C 11½–8½.
    fn example() -> Crosstable {
        table(
            3,
            &[
                ([0, 1], singles(12, 0, 8)),
                ([0, 2], singles(15, 0, 5)),
                ([1, 2], singles(11, 1, 8)),
            ],
        )
    }

    /// Elo by player; NaN without a rating.
    fn all_elos(ratings: &Ratings) -> Vec<f64> {
        let elos = ratings.players.iter();
        elos.map(|rating| rating.map_or(f64::NAN, |rating| rating.elo))
            .collect()
    }

    /// The maximum likelihood ratings are 85.55, −6.12 and −79.43.
    #[test]
    fn prior_hardly_changes_ratings_from_many_games() {
        let elos = all_elos(&example().ratings(Sampling::NONE));
        assert_all_close(&elos, &[83.94, -6.01, -77.93], 0.05);
        let far = table(
            3,
            &[
                ([0, 1], singles(1200, 0, 800)),
                ([0, 2], singles(1500, 0, 500)),
                ([1, 2], singles(1150, 0, 850)),
            ],
        );
        let elos = all_elos(&far.ratings(Sampling::NONE));
        assert_all_close(&elos, &[85.55, -6.12, -79.43], 0.05);
    }

    #[test]
    fn separated_players_have_finite_ratings_and_wide_intervals() {
        // Players 0 and 1 won every game against the others, and 5 lost every game.
        let mut samples = vec![([0, 1], singles(2, 0, 2))];
        for strong in [0, 1] {
            samples.extend((2..6).map(|weak| ([strong, weak], singles(4, 0, 0))));
        }
        samples.extend([
            ([2, 3], singles(2, 1, 1)),
            ([2, 4], singles(2, 0, 2)),
            ([3, 4], singles(2, 0, 2)),
        ]);
        samples.extend((2..5).map(|better| ([better, 5], singles(4, 0, 0))));
        let ratings = table(6, &samples).ratings(BOOTSTRAP);
        let found: Vec<Rating> = ratings.players.iter().copied().map(Option::unwrap).collect();
        let sum: f64 = found.iter().map(|rating| rating.elo).sum();
        assert!(sum.abs() < 1e-6, "{sum}");
        for rating in &found {
            let interval = rating.interval.unwrap();
            assert!(
                interval.low < rating.elo && rating.elo < interval.high,
                "{rating:?}"
            );
            assert!(interval.low > -3000.0 && interval.high < 3000.0, "{rating:?}");
        }
        // The lead of the strong players is uncertain upwards.
        let lead = found[0].interval.unwrap();
        assert!(lead.high - found[0].elo > 150.0, "{lead}");
        for (better, worse) in [(0, 2), (1, 4), (2, 5), (4, 5)] {
            assert!(found[better].elo > found[worse].elo + 100.0);
            assert!(ratings.superiority(better, worse).unwrap() > 0.99);
        }
        let [even, level] = [ratings.superiority(0, 1), ratings.superiority(1, 0)].map(Option::unwrap);
        assert!(
            (even + level - 1.0).abs() < 1e-12 && (even - 0.5).abs() < 0.1,
            "{even}"
        );
    }

    /// Between two players, the virtual draws against the field act like a path of two
    /// draws: a win is finite.
    #[test]
    fn a_single_win_has_a_finite_rating() {
        let ratings = table(2, &[([0, 1], singles(1, 0, 0))]).ratings(BOOTSTRAP);
        let winner = ratings.players[0].unwrap();
        assert!(winner.elo > 50.0 && winner.elo < 400.0, "{winner:?}");
        let interval = winner.interval.unwrap();
        assert!(interval.low < 20.0 && interval.high > 500.0, "{interval}");
    }

    #[test]
    fn unconnected_players_have_no_rating() {
        let ratings = table(
            6,
            &[
                ([0, 1], singles(1, 0, 1)),
                ([2, 3], singles(2, 0, 1)),
                ([4, 3], singles(1, 0, 1)),
                ([0, 5], Sample::default()),
            ],
        )
        .ratings(BOOTSTRAP);
        assert_eq!(ratings.groups, [vec![2, 3, 4], vec![0, 1], vec![5]]);
        let rated: Vec<bool> = ratings.players.iter().map(Option::is_some).collect();
        assert_eq!(rated, [false, false, true, true, true, false]);
        assert_eq!(ratings.superiority(0, 1), None);
        assert_eq!(ratings.superiority(2, 0), None);
        assert_eq!(ratings.superiority(2, 9), None);
        assert!(ratings.superiority(2, 3).is_some());
    }

    /// One player beats all others: few results for many players. The time must not grow with the cube of the players.
    #[test]
    fn rates_thousands_of_players() {
        let games: Vec<_> = (1..2000).map(|other| ([0, other], singles(1, 0, 0))).collect();
        let ratings = table(2000, &games).ratings(resampling(3, &|index| stream(1, index)));
        let elos = all_elos(&ratings);
        assert!(elos[0] > elos[1] + 200.0, "{} {}", elos[0], elos[1]);
        assert!(elos[1..].iter().all(|elo| (elo - elos[1]).abs() < 1e-6));
    }

    #[test]
    fn players_without_games_have_no_rating() {
        for table in [Crosstable::new(3), table(3, &[([0, 1], Sample::default())])] {
            let ratings = table.ratings(BOOTSTRAP);
            assert_eq!(ratings.groups, [[0], [1], [2]]);
            assert_eq!(ratings.players, [None; 3]);
        }
        assert!(Crosstable::new(0).ratings(Sampling::NONE).players.is_empty());
    }

    /// For two players, the bootstrap interval is close to the analytic one.
    #[test]
    fn interval_of_two_players_is_close_to_that_of_elo() {
        let sample = Sample {
            pairs: pentanomial([10, 40, 100, 0, 60, 20]),
            ..Sample::default()
        };
        let ratings = table(2, &[([0, 1], sample)]).ratings(resampling(4000, &|index| stream(7, index)));
        let comparison = sample.pairs.comparison();
        let interval = comparison.elo.interval().unwrap();
        let bootstrapped = ratings.players[0].unwrap().interval.unwrap();
        // Each rating is half of the difference from 0.
        assert_all_close(
            &[2.0 * bootstrapped.low, 2.0 * bootstrapped.high],
            &[interval.low, interval.high],
            1.5,
        );
        let superiority = ratings.superiority(0, 1).unwrap();
        assert_all_close(&[superiority], &[comparison.los.unwrap()], 0.004);
    }

    #[test]
    fn correlation_within_pairs_widens_the_interval() {
        let width = |sample: Sample| {
            let ratings = table(2, &[([0, 1], sample)]).ratings(BOOTSTRAP);
            let interval = ratings.players[0].unwrap().interval.unwrap();
            interval.half_width().unwrap()
        };
        let mut together = Sample::default();
        let mut apart = Sample::default();
        for _ in 0..20 {
            for pair in [[Points::Win; 2], [Points::Loss; 2]] {
                together.pairs += Pentanomial::of_pair(pair);
            }
            for pair in [[Points::Win, Points::Loss]; 2] {
                apart.pairs += Pentanomial::of_pair(pair);
            }
        }
        let alone = width(singles(40, 0, 40));
        assert!(width(together) > 1.3 * alone);
        assert!(width(apart) < 0.2 * alone, "the pairs do not vary");
    }

    #[test]
    fn rates_counts_of_any_size() {
        let meetings = [
            ([0, 1], singles(u64::MAX, 1, 0)),
            ([1, 2], singles(1, 0, u64::MAX)),
            ([2, 3], singles(1, 1, 1)),
        ];
        let ratings = table(4, &meetings).ratings(resampling(10, &|index| stream(1, index)));
        let elos = all_elos(&ratings);
        let most = elo_of_score(1.0 - 1.0 / u64::MAX as f64).max(8000.0);
        assert!(elos[0] - elos[1] > 1000.0 && elos[0] - elos[1] < most, "{elos:?}");
        assert!(
            ratings
                .players
                .iter()
                .flatten()
                .all(|rating| rating.interval.is_some())
        );
    }

    #[test]
    fn intervals_depend_on_the_seed() {
        let with = |seed| example().ratings(resampling(100, &|index| stream(seed, index)));
        assert_eq!(with(1), with(1));
        assert_ne!(with(1), with(2));
    }

    #[test]
    fn watch_can_stop_the_resampling() {
        let mut seen = Vec::new();
        let stopped = example().try_ratings(BOOTSTRAP, &mut |index| {
            seen.push(index);
            if index < 3 { Ok(()) } else { Err("stop".into()) }
        });
        seen.dedup();
        assert_eq!((stopped, seen), (Err("stop".into()), vec![0, 1, 2, 3]));
    }

    /// Mean and variance of `count` random numbers.
    fn moments(count: u64, mut generate: impl FnMut() -> f64) -> (f64, f64) {
        let numbers: Vec<f64> = (0..count).map(|_| generate()).collect();
        let mean = numbers.iter().sum::<f64>() / count as f64;
        let squares: f64 = numbers.iter().map(|value| (value - mean).powi(2)).sum();
        (mean, squares / count as f64)
    }

    #[test]
    fn gamma_has_the_expected_mean_and_variance() {
        let mut random = boxed(Random::new(1));
        for shape in [0.5, 0.9, 1.0, 3.5, 100.0, 1e19] {
            let (mean, variance) = moments(40_000, || gamma(&mut random, shape));
            // Five standard errors of the mean and of the variance.
            assert!(
                (mean - shape).abs() < 5.0 * (shape / 40_000.0).sqrt(),
                "{shape}: {mean}"
            );
            let error = ((2.0 + 6.0 / shape) / 40_000.0).sqrt();
            assert!(
                (variance / shape - 1.0).abs() < 5.0 * error,
                "{shape}: {variance}"
            );
        }
    }

    #[test]
    fn weighted_points_have_the_mean_and_variance_of_the_sample() {
        let sample = Sample {
            pairs: pentanomial([1, 2, 3, 1, 4, 5]),
            ..singles(2, 1, 1)
        };
        let mut random = boxed(Random::new(3));
        let squares = 2.0 * 0.25 + 4.0 + 4.0 * 2.25 + 5.0 * 4.0 + 2.25;
        for correction in [1.0, 0.5] {
            let [mut lost, mut count] = [0.0; 2];
            let (mean, variance) = moments(50_000, || {
                let points = reweighted(&mut random, &sample, correction);
                lost += points[1];
                count += 1.0;
                points[0]
            });
            assert!((mean - 23.5).abs() < 0.2, "{mean}");
            assert!((lost / count - 12.5_f64).abs() < 0.2, "{lost}");
            assert!((variance * correction / squares - 1.0).abs() < 0.04, "{variance}");
        }
    }

    #[test]
    fn sample_without_games_has_no_points() {
        assert_eq!(
            reweighted(&mut boxed(Random::new(4)), &Sample::default(), 1.0),
            [0.0; 2]
        );
    }
}
