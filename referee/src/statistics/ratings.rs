//! Ratings of any number of players on one scale, with confidence intervals.
//!
//! Ratings are maximum likelihood estimates of the Bradley–Terry model in Elo: 400
//! Elo are odds of ten to one. A draw counts as half a win and half a loss.
//!
//! Only comparable players are rated: the main component is the largest strongly
//! connected component of the graph "took points from" (see `reachability`),
//! within the largest set of players connected by games. Among components of
//! equal size, the one with the lowest player number is taken. Its mean rating is
//! 0. All other players have a [`Rating`] without a number.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use lodestone::random::Random;
use thiserror::Error;

use super::bootstrap::resample;
use super::bradley_terry::HeadToHead;
use super::counts::{Sample, Trinomial};
use super::estimate::Interval;
use super::rating::Rating;
use super::rating_fit::RatingFit;
use super::reachability::Reachability;

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

/// Parameters of the bootstrap for the intervals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bootstrap {
    /// The number of resamples, usually 1000. With 0 there are no intervals.
    pub resamples: u64,
    /// The seed of the random generator.
    pub seed: u64,
}

/// A row of the rating table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RatingRow {
    /// The player's number.
    pub player: usize,
    /// The player's rating.
    pub rating: Rating,
    /// The 95 % confidence interval. An end is infinite if the player is above or
    /// below all in enough resamples; a resample with an incomparable player
    /// counts for both ends. `None` if the rating is not finite, the main
    /// component has one player, or there are no resamples.
    pub interval: Option<Interval>,
    /// The likelihood of superiority over the next player in the table, from 0 to
    /// 1: the share of resamples that rate the player above it. `None` for the
    /// last player and without resamples.
    pub los_over_next: Option<f64>,
    /// The number of the player's games.
    pub games: u64,
    /// The player's points.
    pub points: f64,
}

/// The rating table.
#[derive(Clone, Debug, PartialEq)]
pub struct Ratings {
    /// The strongest player first: players above all, with finite ratings, below
    /// all, incomparable; equal ones by number.
    pub rows: Vec<RatingRow>,
    /// The groups of players connected by games, whatever their results. The
    /// largest group comes first, groups of equal size are ordered by their lowest
    /// player number. The other groups are incomparable with the first.
    pub groups: Vec<Vec<usize>>,
}

/// Two players that cannot have met: unknown to the table, or identical.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "players {} and {} cannot have met: expected two different numbers below {count}",
    players[0],
    players[1]
)]
pub struct InvalidPlayers {
    /// The players' numbers.
    pub players: [usize; 2],
    /// The number of players in the table.
    pub count: usize,
}

impl Crosstable {
    /// A table of `players` players without games.
    #[must_use]
    pub const fn new(players: usize) -> Crosstable {
        Crosstable {
            players,
            samples: BTreeMap::new(),
        }
    }

    /// Adds games between two players, from the first one's point of view.
    ///
    /// # Errors
    /// If a player is unknown, or both are the same.
    pub fn add(&mut self, players: [usize; 2], sample: Sample) -> Result<(), InvalidPlayers> {
        let [one, other] = players;
        if one == other || one.max(other) >= self.players {
            return Err(InvalidPlayers {
                players,
                count: self.players,
            });
        }
        let (key, sample) = if one < other {
            ([one, other], sample)
        } else {
            ([other, one], sample.reversed())
        };
        *self.samples.entry(key).or_default() += sample;
        Ok(())
    }

    /// The games between two players, from the first one's point of view.
    #[must_use]
    pub fn sample(&self, players: [usize; 2]) -> Sample {
        let [one, other] = players;
        let find = |key: [usize; 2]| self.samples.get(&key).copied().unwrap_or_default();
        if one < other {
            find([one, other])
        } else {
            find([other, one]).reversed()
        }
    }

    /// The rating table.
    ///
    /// Intervals are between the percentiles 2.5 and 97.5 of the bootstrap
    /// distribution (Efron). All pairs of the tournament are resampled together,
    /// each as a whole, which keeps the correlation of their two games.
    #[must_use]
    pub fn ratings(&self, bootstrap: Bootstrap) -> Ratings {
        let results: Vec<HeadToHead> = self
            .samples
            .iter()
            .map(|(&players, sample)| {
                let games = sample.games();
                HeadToHead {
                    players,
                    points: [games.points(), games.reversed().points()],
                }
            })
            .collect();
        let met = results
            .iter()
            .filter(|result| result.points.iter().sum::<f64>() > 0.0);
        let met = met.flat_map(
            |&HeadToHead {
                 players: [one, other],
                 ..
             }| [[one, other], [other, one]],
        );
        let groups = Reachability::new(self.players, met).components();
        let group: &[usize] = match groups.first() {
            // There are no games.
            Some(group) if group.len() > 1 => group,
            _ => &[],
        };

        let fit = RatingFit::new(group, &results, &vec![0.0; self.players]);
        let ratings = fit.ratings().into_iter().enumerate();
        let mut rows: Vec<RatingRow> = ratings
            .map(|(player, rating)| {
                let games = self.games_of(player);
                RatingRow {
                    player,
                    rating,
                    interval: None,
                    los_over_next: None,
                    games: games.games(),
                    points: games.points(),
                }
            })
            .collect();
        rows.sort_by(|one, other| other.rank().partial_cmp(&one.rank()).unwrap_or(Ordering::Equal));
        self.add_intervals(&mut rows, group, &fit, bootstrap);
        Ratings { rows, groups }
    }

    /// All games of a player.
    fn games_of(&self, player: usize) -> Trinomial {
        let mut games = Trinomial::default();
        for (&[one, other], sample) in &self.samples {
            if player == one {
                games += sample.games();
            } else if player == other {
                games += sample.games().reversed();
            }
        }
        games
    }

    /// Sets the intervals and likelihoods of superiority.
    fn add_intervals(&self, rows: &mut [RatingRow], group: &[usize], fit: &RatingFit, bootstrap: Bootstrap) {
        if bootstrap.resamples == 0 {
            return;
        }
        let samples: Vec<Sample> = self.samples.values().copied().collect();
        let mut ends: Vec<[Vec<f64>; 2]> = vec![Default::default(); self.players];
        let mut above_next = vec![0.0; self.players];
        for index in 0..bootstrap.resamples {
            let mut random = Random::substream(bootstrap.seed, index);
            let results: Vec<HeadToHead> = self
                .samples
                .keys()
                .zip(resample(&mut random, &samples))
                .map(|(&players, points)| HeadToHead { players, points })
                .collect();
            let resampled = RatingFit::new(group, &results, fit.elos());
            for ([lows, highs], rating) in ends.iter_mut().zip(resampled.ratings()) {
                let (low, high) = rating.ends();
                lows.push(low);
                highs.push(high);
            }
            for (sum, pair) in above_next.iter_mut().zip(rows.windows(2)) {
                *sum += resampled.is_above(pair[0].player, pair[1].player);
            }
        }
        let last = rows.len().saturating_sub(1);
        for (row, sum) in rows.iter_mut().zip(above_next).take(last) {
            row.los_over_next = Some(sum / bootstrap.resamples as f64);
        }
        if fit.rated() > 1 {
            for row in rows
                .iter_mut()
                .filter(|row| matches!(row.rating, Rating::Finite(_)))
            {
                row.interval = ends.get_mut(row.player).and_then(percentiles);
            }
        }
    }
}

impl RatingRow {
    /// The sort key, the greatest first: the kind of rating, the rating, the score.
    fn rank(&self) -> (u8, f64, f64) {
        let score = self.points / self.games.max(1) as f64;
        match self.rating {
            Rating::AboveAll => (3, 0.0, score),
            Rating::Finite(elo) => (2, elo, score),
            Rating::BelowAll => (1, 0.0, score),
            Rating::Incomparable => (0, 0.0, score),
        }
    }
}

/// The 2.5 % quantile of the low ends and the 97.5 % quantile of the high ends.
fn percentiles([lows, highs]: &mut [Vec<f64>; 2]) -> Option<Interval> {
    lows.sort_by(f64::total_cmp);
    highs.sort_by(f64::total_cmp);
    let outside = (lows.len() as f64 * 0.025) as usize;
    Some(Interval {
        low: *lows.get(outside)?,
        high: *highs.iter().rev().nth(outside)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::bradley_terry::{information, solve};
    use crate::statistics::elo::{LOGIT, expected_score};
    use crate::statistics::normal::{Z95, normal_cdf};
    use crate::statistics::{Pentanomial, Points};

    const NO_BOOTSTRAP: Bootstrap = Bootstrap {
        resamples: 0,
        seed: 0,
    };

    fn singles(wins: u64, draws: u64, losses: u64) -> Sample {
        Sample {
            singles: Trinomial { wins, draws, losses },
            ..Sample::default()
        }
    }

    fn table(players: usize, samples: &[([usize; 2], Sample)]) -> Crosstable {
        let mut table = Crosstable::new(players);
        for &(players, sample) in samples {
            table.add(players, sample).unwrap();
        }
        table
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

    fn elos(ratings: &Ratings) -> Vec<f64> {
        let mut elos = vec![f64::NAN; ratings.rows.len()];
        for row in &ratings.rows {
            if let Rating::Finite(elo) = row.rating {
                elos[row.player] = elo;
            }
        }
        elos
    }

    #[track_caller]
    fn assert_all_close(found: &[f64], wanted: &[f64], tolerance: f64) {
        assert_eq!(found.len(), wanted.len());
        for (found, wanted) in found.iter().zip(wanted) {
            assert!((found - wanted).abs() < tolerance, "{found}, not {wanted}");
        }
    }

    #[test]
    fn ratings_match_the_worked_example() {
        let ratings = example().ratings(NO_BOOTSTRAP);
        let elos = elos(&ratings);
        assert_all_close(&elos, &[85.549_66, -6.124_37, -79.425_30], 1e-5);

        let expected = |one: usize, other: usize| 20.0 * expected_score(elos[one] - elos[other]);
        assert_all_close(
            &[expected(0, 1), expected(0, 2), expected(1, 2)],
            &[12.579_01, 14.420_99, 12.079_01],
            1e-5,
        );
        let of_all = [
            expected(0, 1) + expected(0, 2),
            expected(1, 0) + expected(1, 2),
            expected(2, 0) + expected(2, 1),
        ];
        let points: Vec<f64> = ratings.rows.iter().map(|row| row.points).collect();
        assert_eq!(points, [27.0, 19.5, 13.5]);
        assert_all_close(&of_all, &points, 1e-8);
        assert!(
            ratings
                .rows
                .iter()
                .all(|row| row.games == 40 && row.interval.is_none())
        );
        assert_eq!(ratings.groups, [[0, 1, 2]]);
    }

    /// The output of Ordo 1.2.6 for the same games. On its scale, a score of 76 %
    /// is 202 Elo.
    #[test]
    fn ratings_match_ordo_up_to_its_scale() {
        let scale = 202.0 / (0.76_f64 / 0.24).ln() / LOGIT;
        assert_all_close(&[scale], &[1.00878], 5e-6);
        let elos: Vec<f64> = elos(&example().ratings(NO_BOOTSTRAP))
            .iter()
            .map(|elo| elo * scale)
            .collect();
        assert_all_close(&elos, &[86.3012, -6.1782, -80.1230], 1e-3);
    }

    #[test]
    fn fisher_information_matches_the_worked_example() {
        let results = [
            ([0, 1], [12.0, 8.0]),
            ([0, 2], [15.0, 5.0]),
            ([1, 2], [11.5, 8.5]),
        ]
        .map(|(players, points)| HeadToHead { players, points });
        let ratings: Vec<f64> = elos(&example().ratings(NO_BOOTSTRAP))
            .iter()
            .map(|elo| elo / LOGIT)
            .collect();
        let covariances: Vec<Vec<f64>> = (0..3)
            .map(|player| {
                let right = (0..3).map(|other| f64::from(u8::from(other == player)) - 1.0 / 3.0);
                solve(information(&results, &ratings), right.collect())
            })
            .collect();
        let errors: Vec<f64> = (0..3)
            .map(|player| Z95 * covariances[player][player].sqrt() * LOGIT)
            .collect();
        assert_all_close(&errors, &[77.066, 73.836, 76.580], 5e-4);
        let variance = covariances[0][0] + covariances[1][1] - 2.0 * covariances[0][1];
        let error = variance.sqrt() * LOGIT;
        assert_all_close(&[error], &[66.361], 5e-4);
        let lead = (ratings[0] - ratings[1]) * LOGIT;
        assert_all_close(&[normal_cdf(lead / error)], &[0.916_428], 1e-6);
    }

    #[test]
    fn rating_difference_of_two_players_follows_from_the_score() {
        let ratings = table(2, &[([1, 0], singles(10, 0, 30))]).ratings(NO_BOOTSTRAP);
        assert_all_close(&elos(&ratings), &[95.424_250_94, -95.424_250_94], 1e-8);
    }

    #[test]
    fn player_without_a_lost_point_is_above_all() {
        let ratings = table(
            6,
            &[
                ([0, 1], singles(3, 1, 2)),
                ([0, 2], singles(2, 0, 1)),
                ([3, 0], singles(4, 0, 0)),
                ([4, 2], singles(0, 0, 4)),
            ],
        )
        .ratings(NO_BOOTSTRAP);
        let order: Vec<usize> = ratings.rows.iter().map(|row| row.player).collect();
        assert_eq!(order, [3, 0, 1, 2, 4, 5]);
        let kinds: Vec<Rating> = [0, 4, 5].map(|place| ratings.rows[place].rating).to_vec();
        assert_eq!(kinds, [Rating::AboveAll, Rating::BelowAll, Rating::Incomparable]);
        assert_eq!(ratings.groups, [vec![0, 1, 2, 3, 4], vec![5]]);
        let texts: Vec<String> = ratings.rows.iter().map(|row| row.rating.to_string()).collect();
        assert_eq!(texts, ["inf", "59.62", "1.17", "-60.79", "-inf", "undefined"]);
    }

    #[test]
    fn unconnected_groups_have_no_common_scale() {
        let ratings = table(
            5,
            &[
                ([0, 1], singles(1, 0, 1)),
                ([2, 3], singles(2, 0, 1)),
                ([4, 3], singles(1, 0, 1)),
            ],
        )
        .ratings(NO_BOOTSTRAP);
        assert_eq!(ratings.groups, [vec![2, 3, 4], vec![0, 1]]);
        let incomparable: Vec<usize> = ratings
            .rows
            .iter()
            .filter(|row| row.rating == Rating::Incomparable)
            .map(|row| row.player)
            .collect();
        assert_eq!(incomparable, [0, 1]);
    }

    #[test]
    fn players_without_games_are_incomparable() {
        for table in [Crosstable::new(3), table(3, &[([0, 1], Sample::default())])] {
            let ratings = table.ratings(Bootstrap {
                resamples: 10,
                seed: 1,
            });
            assert_eq!(ratings.groups, [[0], [1], [2]]);
            assert!(ratings.rows.iter().all(|row| row.rating == Rating::Incomparable));
            assert!(ratings.rows.iter().all(|row| row.interval.is_none()));
        }
        assert!(Crosstable::new(0).ratings(NO_BOOTSTRAP).rows.is_empty());
    }

    #[test]
    fn rejects_unknown_and_identical_players() {
        let mut table = Crosstable::new(3);
        for players in [[0, 3], [1, 1], [7, 0]] {
            assert_eq!(table.add(players, singles(1, 0, 0)).unwrap_err().players, players);
        }
        assert_eq!(
            table.add([0, 3], Sample::default()).unwrap_err().to_string(),
            "players 0 and 3 cannot have met: expected two different numbers below 3"
        );
        assert_eq!(table, Crosstable::new(3));
    }

    #[test]
    fn adds_samples_from_either_point_of_view() {
        let mut table = table(2, &[([0, 1], singles(3, 2, 1))]);
        table.add([1, 0], singles(10, 0, 20)).unwrap();
        assert_eq!(table.sample([0, 1]), singles(23, 2, 11));
        assert_eq!(table.sample([1, 0]), singles(11, 2, 23));
    }

    /// For two players, the bootstrap interval is close to the analytic one.
    #[test]
    fn interval_of_two_players_is_close_to_that_of_elo() {
        let sample = Sample {
            pairs: Pentanomial {
                loss_loss: 10,
                loss_draw: 40,
                win_loss: 100,
                draw_draw: 0,
                win_draw: 60,
                win_win: 20,
            },
            ..Sample::default()
        };
        let ratings = table(2, &[([0, 1], sample)]).ratings(Bootstrap {
            resamples: 4000,
            seed: 7,
        });
        let comparison = sample.pairs.comparison();
        let interval = comparison.elo.interval().unwrap();
        let row = ratings.rows[0];
        assert_eq!(row.player, 0);
        let bootstrapped = row.interval.unwrap();
        // Each rating is half of the difference from 0.
        assert_all_close(
            &[2.0 * bootstrapped.low, 2.0 * bootstrapped.high],
            &[interval.low, interval.high],
            1.5,
        );
        assert_all_close(&[row.los_over_next.unwrap()], &[comparison.los.unwrap()], 0.004);
    }

    #[test]
    fn correlation_within_pairs_widens_the_interval() {
        let width = |sample: Sample| {
            let ratings = table(2, &[([0, 1], sample)]).ratings(Bootstrap {
                resamples: 1000,
                seed: 1,
            });
            ratings.rows[0].interval.unwrap().half_width().unwrap()
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
        assert_eq!(width(apart), 0.0, "no variance");
    }

    #[test]
    fn interval_is_infinite_where_resamples_are() {
        // A single draw makes the ratings finite; many resamples lack it.
        let ratings = table(2, &[([0, 1], singles(9, 1, 0))]).ratings(Bootstrap {
            resamples: 500,
            seed: 1,
        });
        let [first, second] = ratings.rows[..] else {
            panic!("{ratings:?}");
        };
        assert!(matches!(first.rating, Rating::Finite(elo) if elo > 0.0));
        let [one, other] = [first, second].map(|row| row.interval.unwrap());
        assert!(
            one.low.is_finite() && other.low == f64::NEG_INFINITY,
            "{one} {other}"
        );
        assert_eq!(first.los_over_next, Some(1.0));
    }

    #[test]
    fn rates_counts_of_any_size() {
        let meetings = [
            ([0, 1], singles(u64::MAX, 1, 0)),
            ([1, 2], singles(1, 0, u64::MAX)),
            ([2, 3], singles(1, 1, 1)),
        ];
        let ratings = table(4, &meetings).ratings(Bootstrap {
            resamples: 10,
            seed: 1,
        });
        let lead = 400.0 * (2.0 * u64::MAX as f64).log10();
        let elos = elos(&ratings);
        assert_all_close(&[(elos[0] - elos[1]) / lead], &[1.0], 1e-6);
        assert!(ratings.rows.iter().all(|row| row.interval.is_some()));
    }

    #[test]
    fn intervals_depend_on_the_seed() {
        let with = |seed| example().ratings(Bootstrap { resamples: 100, seed });
        assert_eq!(with(1), with(1));
        assert_ne!(with(1), with(2));
    }
}
