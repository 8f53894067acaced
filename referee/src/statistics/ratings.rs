//! Ratings of any number of players on one scale, with intervals.
//!
//! Ratings are in Elo, 400 to a factor of ten in the odds. They are the likeliest
//! ones of Bradley and Terry's model; a tie is half a win and half a loss.
//!
//! Not all players can be rated. The main group are the most players of whom
//! each took points from each, directly or by way of others in the group; among
//! groups of one size the one with the lowest player number, and only within the
//! most players that are connected by games. The mean of the main group is 0,
//! and what can be said of the others is a [`Rating`] without a number.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt;

use lodestone::random::Random;

use super::bootstrap::resample;
use super::bradley_terry::HeadToHead;
use super::counts::{Sample, Trinomial};
use super::estimate::{Interval, format_number};
use super::rating_fit::RatingFit;
use super::reachability::Reachability;

/// Who played whom, and how it went. Players are numbered from 0.
///
/// The order in which records are added does not matter, nor which of the two
/// players is named first: the same games give the same digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Crosstable {
    players: usize,
    /// By the two players' numbers, the lower first, and as that one sees it.
    records: BTreeMap<[usize; 2], Sample>,
}

/// How strong a player is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rating {
    /// So many Elo; the mean of all such ratings is 0.
    Finite(f64),
    /// Above the main group by any distance: a chain of points taken leads from
    /// this player to the group, and none from the group to this player.
    AboveAll,
    /// Below the main group by any distance: a chain leads from the group to
    /// this player, and none back.
    BelowAll,
    /// Not to be compared with the main group: no chain of points taken leads
    /// from the one to the other in either direction.
    Incomparable,
}

/// How often results are drawn again for the intervals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bootstrap {
    /// How many times; without any there are no intervals. 1000 are usual.
    pub resamples: u64,
    /// Decides what is drawn.
    pub seed: u64,
}

/// One player in the table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RatingRow {
    /// The player's number.
    pub player: usize,
    /// How strong it is.
    pub rating: Rating,
    /// Where the rating is expected in 95 of 100 tournaments. An end is infinite
    /// where enough of the results that were drawn again have the player above
    /// or below all; both are, where it could not be compared. `None` for a
    /// rating that is not finite, for a main group of one player, and without
    /// bootstrap.
    pub interval: Option<Interval>,
    /// The chance, from 0 to 1, that the player is stronger than the next in the
    /// table: how often that is so in the results that were drawn again. `None`
    /// for the last player and without bootstrap.
    pub los_over_next: Option<f64>,
    /// All of its games.
    pub games: u64,
    /// Its points of them.
    pub points: f64,
}

/// A table of players, the strongest first.
#[derive(Clone, Debug, PartialEq)]
pub struct Ratings {
    /// Those above all, those with finite ratings, those below all, those that
    /// cannot be compared; equals by their numbers.
    pub rows: Vec<RatingRow>,
    /// The players who are connected by games, whoever won them. The largest
    /// group is first, groups of one size by their lowest number; all but the
    /// first are incomparable with it.
    pub groups: Vec<Vec<usize>>,
}

/// The players of a record do not fit the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidPlayers {
    /// Their numbers.
    pub players: [usize; 2],
    /// How many players there are.
    pub count: usize,
}

impl fmt::Display for InvalidPlayers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [one, other] = self.players;
        let count = self.count;
        write!(
            f,
            "players {one} and {other} cannot have met: expected two different numbers below {count}"
        )
    }
}

impl std::error::Error for InvalidPlayers {}

impl Crosstable {
    /// So many players, and no game yet.
    #[must_use]
    pub const fn new(players: usize) -> Crosstable {
        Crosstable {
            players,
            records: BTreeMap::new(),
        }
    }

    /// Adds what two players played, as the first of them sees it.
    ///
    /// # Errors
    /// Where there is no such player, or both are the same.
    pub fn add(&mut self, players: [usize; 2], record: Sample) -> Result<(), InvalidPlayers> {
        let [one, other] = players;
        if one == other || one.max(other) >= self.players {
            return Err(InvalidPlayers {
                players,
                count: self.players,
            });
        }
        let (key, record) = if one < other {
            ([one, other], record)
        } else {
            ([other, one], record.reversed())
        };
        *self.records.entry(key).or_default() += record;
        Ok(())
    }

    /// What two players played, as the first of them sees it.
    #[must_use]
    pub fn record(&self, players: [usize; 2]) -> Sample {
        let [one, other] = players;
        let find = |key: [usize; 2]| self.records.get(&key).copied().unwrap_or_default();
        if one < other {
            find([one, other])
        } else {
            find([other, one]).reversed()
        }
    }

    /// The table of all players.
    ///
    /// An interval is that of the percentiles 2.5 and 97.5 of the ratings from
    /// results drawn again (Efron's bootstrap), from all pairs of the tournament
    /// together. Pairs are drawn as a whole, so what their two games have in
    /// common is taken into account.
    #[must_use]
    pub fn ratings(&self, bootstrap: Bootstrap) -> Ratings {
        let results: Vec<HeadToHead> = self
            .records
            .iter()
            .map(|(&players, record)| {
                let games = record.games();
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
            // Nobody played anybody.
            Some(group) if group.len() > 1 => group,
            _ => &[],
        };

        let standing = RatingFit::new(group, &results, &vec![0.0; self.players]);
        let ratings = standing.ratings().into_iter().enumerate();
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
        self.add_intervals(&mut rows, group, &standing, bootstrap);
        Ratings { rows, groups }
    }

    /// All games of a player, as that one sees them.
    fn games_of(&self, player: usize) -> Trinomial {
        let mut games = Trinomial::default();
        for (&[one, other], record) in &self.records {
            if player == one {
                games += record.games();
            } else if player == other {
                games += record.games().reversed();
            }
        }
        games
    }

    /// Fills in what results drawn again say.
    fn add_intervals(
        &self,
        rows: &mut [RatingRow],
        group: &[usize],
        standing: &RatingFit,
        bootstrap: Bootstrap,
    ) {
        if bootstrap.resamples == 0 {
            return;
        }
        let records: Vec<Sample> = self.records.values().copied().collect();
        let mut ends: Vec<[Vec<f64>; 2]> = vec![Default::default(); self.players];
        let mut superior = vec![0.0; self.players];
        for time in 0..bootstrap.resamples {
            let mut random = Random::substream(bootstrap.seed, time);
            let results: Vec<HeadToHead> = self
                .records
                .keys()
                .zip(resample(&mut random, &records))
                .map(|(&players, points)| HeadToHead { players, points })
                .collect();
            let drawn = RatingFit::new(group, &results, standing.elos());
            for ([lows, highs], rating) in ends.iter_mut().zip(drawn.ratings()) {
                let (low, high) = rating.ends();
                lows.push(low);
                highs.push(high);
            }
            for (sum, pair) in superior.iter_mut().zip(rows.windows(2)) {
                *sum += drawn.los(pair[0].player, pair[1].player);
            }
        }
        let last = rows.len().saturating_sub(1);
        for (row, sum) in rows.iter_mut().zip(superior).take(last) {
            row.los_over_next = Some(sum / bootstrap.resamples as f64);
        }
        if standing.rated() > 1 {
            for row in rows
                .iter_mut()
                .filter(|row| matches!(row.rating, Rating::Finite(_)))
            {
                row.interval = ends.get_mut(row.player).and_then(percentiles);
            }
        }
    }
}

impl Rating {
    /// The lowest and the highest Elo that this may stand for.
    const fn ends(self) -> (f64, f64) {
        match self {
            Rating::Finite(elo) => (elo, elo),
            Rating::AboveAll => (f64::INFINITY, f64::INFINITY),
            Rating::BelowAll => (f64::NEG_INFINITY, f64::NEG_INFINITY),
            Rating::Incomparable => (f64::NEG_INFINITY, f64::INFINITY),
        }
    }
}

impl fmt::Display for Rating {
    /// Such as `85.55`, `inf`, `-inf` or `undefined`: two decimals, or as many as
    /// are asked for.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let elo = match *self {
            Rating::Incomparable => None,
            rating => Some(rating.ends().0),
        };
        f.write_str(&format_number(elo, f.precision().unwrap_or(2)))
    }
}

impl RatingRow {
    /// The greater, the further up in the table: by what kind of rating it is,
    /// by the rating, and where that says nothing by the share of the points.
    fn rank(&self) -> (u8, f64, f64) {
        let share = self.points / self.games.max(1) as f64;
        match self.rating {
            Rating::AboveAll => (3, 0.0, share),
            Rating::Finite(elo) => (2, elo, share),
            Rating::BelowAll => (1, 0.0, share),
            Rating::Incomparable => (0, 0.0, share),
        }
    }
}

/// From below which 2.5 % of the low ends are to above which 2.5 % of the high
/// ends are.
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

    fn table(players: usize, meetings: &[([usize; 2], Sample)]) -> Crosstable {
        let mut table = Crosstable::new(players);
        for &(players, record) in meetings {
            table.add(players, record).unwrap();
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
    fn the_worked_example_comes_out() {
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

    /// Ordo 1.2.6 prints these for the same games: its scale makes 76 % of the
    /// points 202 Elo.
    #[test]
    fn the_numbers_of_ordo_are_the_same_on_another_scale() {
        let scale = 202.0 / (0.76_f64 / 0.24).ln() / LOGIT;
        assert_all_close(&[scale], &[1.00878], 5e-6);
        let elos: Vec<f64> = elos(&example().ratings(NO_BOOTSTRAP))
            .iter()
            .map(|elo| elo * scale)
            .collect();
        assert_all_close(&elos, &[86.3012, -6.1782, -80.1230], 1e-3);
    }

    #[test]
    fn the_information_of_the_worked_example_comes_out() {
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
    fn two_players_are_as_far_apart_as_their_score_says() {
        let ratings = table(2, &[([1, 0], singles(10, 0, 30))]).ratings(NO_BOOTSTRAP);
        assert_all_close(&elos(&ratings), &[95.424_250_94, -95.424_250_94], 1e-8);
    }

    #[test]
    fn whoever_never_lost_a_point_is_above_all() {
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
    fn groups_that_never_met_have_no_common_scale() {
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
    fn nobody_is_rated_without_games() {
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
    fn players_who_cannot_have_met_are_refused() {
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
    fn records_are_added_up_from_either_side() {
        let mut table = table(2, &[([0, 1], singles(3, 2, 1))]);
        table.add([1, 0], singles(10, 0, 20)).unwrap();
        assert_eq!(table.record([0, 1]), singles(23, 2, 11));
        assert_eq!(table.record([1, 0]), singles(11, 2, 23));
    }

    /// Of two players, the interval must be about that of Elo.
    #[test]
    fn intervals_are_about_as_wide_as_those_of_two_players() {
        let record = Sample {
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
        let ratings = table(2, &[([0, 1], record)]).ratings(Bootstrap {
            resamples: 4000,
            seed: 7,
        });
        let comparison = record.pairs.comparison();
        let interval = comparison.elo.interval().unwrap();
        let row = ratings.rows[0];
        assert_eq!(row.player, 0);
        let drawn = row.interval.unwrap();
        // Half of the difference is on either side of 0.
        assert_all_close(
            &[2.0 * drawn.low, 2.0 * drawn.high],
            &[interval.low, interval.high],
            1.5,
        );
        assert_all_close(&[row.los_over_next.unwrap()], &[comparison.los.unwrap()], 0.004);
    }

    #[test]
    fn pairs_that_hang_together_widen_the_interval() {
        let width = |record: Sample| {
            let ratings = table(2, &[([0, 1], record)]).ratings(Bootstrap {
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
        assert_eq!(width(apart), 0.0, "nothing varied");
    }

    #[test]
    fn an_interval_reaches_into_infinity_where_results_could_have() {
        // A single tie keeps them on one scale; often it is not drawn.
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
    fn counts_of_any_size_are_rated() {
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
    fn the_seed_decides_what_is_drawn() {
        let with = |seed| example().ratings(Bootstrap { resamples: 100, seed });
        assert_eq!(with(1), with(1));
        assert_ne!(with(1), with(2));
    }
}
