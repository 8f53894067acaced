//! Elo difference of two players, from games or from pairs of games.
//!
//! Definitions follow fastchess (<https://github.com/Disservin/fastchess>,
//! `elo_wdl.cpp` and `elo_pentanomial.cpp`), so results are directly comparable. There are
//! two exceptions. Fewer than [`MIN_OBSERVATIONS`] give no interval. If all observations
//! are equal, the interval of fastchess has no width, and ours follows from the rule of three.

use std::f64::consts::FRAC_1_SQRT_2;

use super::counts::{Distribution, Pentanomial, Trinomial};
use super::estimate::{Estimate, Interval};

/// Elo per unit of log-odds: 400 / ln 10.
pub const LOGIT: f64 = 173.717_792_761_300_73;

/// Normalized Elo of a score one standard deviation (of a game) above ½:
/// 800 / ln 10.
pub const NORMALIZED: f64 = 2.0 * LOGIT;

/// The expected score of a player who is `elo` stronger, from 0 to 1:
/// 1 / (1 + 10^(−elo / 400)).
pub fn expected_score(elo: f64) -> f64 {
    1.0 / (1.0 + (-elo / LOGIT).exp())
}

/// The Elo difference for an expected score: the inverse of
/// [`expected_score`]. +∞ for scores of 1 or more, −∞ for 0 or less.
pub fn elo_of_score(score: f64) -> f64 {
    if score <= 0.0 {
        f64::NEG_INFINITY
    } else if score >= 1.0 {
        f64::INFINITY
    } else {
        LOGIT * (score / (1.0 - score)).ln()
    }
}

/// The minimum number of games, or of pairs, for an interval. The normal approximation of
/// the mean is too narrow for fewer.
pub const MIN_OBSERVATIONS: u64 = 10;

/// If all of n observations are equal, the share q of other outcomes satisfies
/// (1 − q)ⁿ ≥ 5 % with this confidence (Hanley and Lippman-Hand, "If Nothing Goes Wrong, Is
/// Everything All Right?", 1983: the rule of three, q ≤ 3 / n).
const SURE: f64 = 0.95;

/// The 97.5 % quantile: 95 % of a normal distribution lies within this many
/// standard deviations of its mean.
pub const Z95: f64 = 1.959_963_984_540_054;

/// Φ(z), the cumulative distribution function, with full relative precision in
/// both tails.
pub fn normal_cdf(z: f64) -> f64 {
    libm::erfc(-z * FRAC_1_SQRT_2) / 2.0
}

/// The strength of one player relative to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    /// The mean score per game, from 0 to 1; `None` without games.
    pub score: Option<f64>,
    /// The standard error of the score; `None` without games.
    pub standard_error: Option<f64>,
    /// The Elo difference. Its interval is that of the score converted to Elo,
    /// so it is asymmetric in general.
    pub elo: Estimate,
    /// The normalized Elo difference: the score in units of its standard
    /// deviation. Undefined if the variance is 0.
    pub normalized_elo: Estimate,
    /// The likelihood of superiority: the probability that the player is the
    /// stronger one, from 0 to 1. `None` if the variance is 0, or from too few games.
    pub los: Option<f64>,
}

impl Trinomial {
    /// Compares the two players, assuming independent games.
    pub fn comparison(&self) -> Comparison {
        compare(&Distribution::from(self))
    }
}

impl Pentanomial {
    /// Compares the two players, assuming independent pairs. The two games of a
    /// pair may depend on each other.
    pub fn comparison(&self) -> Comparison {
        compare(&Distribution::from(self))
    }
}

fn compare<const N: usize>(observed: &Distribution<N>) -> Comparison {
    let Some(score) = observed.mean() else {
        return Comparison {
            score: None,
            standard_error: None,
            elo: Estimate::Undefined,
            normalized_elo: Estimate::Undefined,
            los: None,
        };
    };
    let variance = observed.variance(score);
    let standard_error = (variance / observed.size()).sqrt();
    let varies = standard_error > 0.0;
    let is_enough = observed.size() >= MIN_OBSERVATIONS as f64;
    let scores = if varies {
        let margin = Z95 * standard_error;
        [score - margin, score + margin]
    } else {
        let others = 1.0 - (1.0 - SURE).powf(1.0 / observed.size());
        [score - others * score, score + others * (1.0 - score)]
    };
    let estimate = |scale: &dyn Fn(f64) -> f64| {
        let value = scale(score);
        let [low, high] = scores.map(scale);
        if is_enough {
            Estimate::Known {
                value,
                interval: Interval { low, high },
            }
        } else {
            Estimate::TooFewGames { value }
        }
    };
    let normalized = |score: f64| NORMALIZED * (score - 0.5) / (Distribution::<N>::GAMES * variance).sqrt();
    Comparison {
        score: Some(score),
        standard_error: Some(standard_error),
        elo: estimate(&elo_of_score),
        normalized_elo: if varies {
            estimate(&normalized)
        } else {
            Estimate::Undefined
        },
        los: (varies && is_enough).then(|| normal_cdf((score - 0.5) / standard_error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{assert_all_close, assert_close, pentanomial};

    fn games(wins: u64, losses: u64, draws: u64) -> Comparison {
        Trinomial { wins, draws, losses }.comparison()
    }

    /// Pairs in fastchess's order: LL, LD, WL, DD, WD, WW.
    fn pairs(counts: [u64; 6]) -> Comparison {
        pentanomial(counts).comparison()
    }

    /// Elo and its error, normalized Elo and its error, LOS.
    fn numbers(comparison: &Comparison) -> [f64; 5] {
        let Comparison {
            elo,
            normalized_elo,
            los,
            ..
        } = comparison;
        [elo, normalized_elo]
            .iter()
            .flat_map(|estimate| [estimate.value().unwrap(), estimate.error().unwrap()])
            .chain(*los)
            .collect::<Vec<_>>()
            .try_into()
            .unwrap()
    }

    #[test]
    fn elo_of_score_inverts_expected_score() {
        assert_close(LOGIT, 400.0 / 10.0_f64.ln(), 1e-12);
        assert_close(NORMALIZED, 347.435_585_522_601_46, 1e-12);
        assert_close(expected_score(400.0), 10.0 / 11.0, 1e-15);
        assert_close(elo_of_score(0.75), 190.848_501_89, 1e-8);
        for elo in [-3000.0, -20.0, 0.0, 0.5, 700.0] {
            assert_close(elo_of_score(expected_score(elo)), elo, 1e-6);
        }
    }

    #[test]
    fn compares_games_as_in_the_reference() {
        let comparison = games(120, 80, 200);
        assert_close(comparison.score.unwrap(), 0.55, 1e-15);
        assert_close(comparison.standard_error.unwrap(), 0.0175, 1e-15);
        assert_close(comparison.standard_error.unwrap().powi(2) * 400.0, 0.1225, 1e-15);
        let Interval { low, high } = comparison.elo.interval().unwrap();
        assert_all_close(&[low, high], &[10.913_503_33, 59.141_893_95], 1e-8);
        assert_all_close(
            &numbers(&comparison),
            &[
                34.860_070_29,
                24.114_195_31,
                49.633_655_07,
                34.048_061_73,
                0.997_862_633,
            ],
            1e-8,
        );
        assert_eq!(comparison.elo.to_string(), "34.86 +/- 24.11");
    }

    #[test]
    fn compares_pairs_as_in_the_reference() {
        let comparison = pairs([10, 40, 100, 0, 60, 20]);
        let error = comparison.standard_error.unwrap();
        assert_close(comparison.score.unwrap(), 0.543_478_260_9, 1e-10);
        assert_close(error, 0.015_865_227_16, 1e-11);
        assert_close(error * error * 230.0, 0.057_892_249_53, 1e-11);
        let Interval { low, high } = comparison.elo.interval().unwrap();
        assert_all_close(&[low, high], &[8.606_340_567, 52.208_445_92], 1e-8);
        assert_all_close(
            &numbers(&comparison),
            &[
                30.288_285_58,
                21.801_052_68,
                44.393_690_69,
                31.749_981_27,
                0.996_932_479,
            ],
            1e-8,
        );
        let split = pairs([10, 40, 37, 63, 60, 20]);
        assert_eq!(split, comparison, "WL and DD share a bin");
    }

    #[test]
    fn matches_the_test_vectors_of_fastchess() {
        assert_all_close(
            &numbers(&games(136, 96, 111)),
            &[40.70, 30.43, 49.77, 36.77, 0.9960],
            0.005,
        );
        let numbers_of = |comparison: Comparison| numbers(&comparison);
        let [_, _, normalized, error, los] = numbers_of(games(76, 89, 123));
        assert_all_close(&[normalized, error], &[-20.76, 40.13], 0.005);
        assert_close(los, 0.1553, 5e-5);
        let [_, _, normalized, error, _] = numbers_of(games(34, 356, 0));
        assert_all_close(&[normalized, error], &[-508.44, 34.48], 0.005);
        let [elo, elo_error, normalized, error, _] = numbers_of(pairs([34, 54, 31, 32, 64, 75]));
        assert_all_close(
            &[elo, elo_error, normalized, error],
            &[55.58, 27.65, 57.94, 28.28],
            0.005,
        );
        let [elo, elo_error, normalized, error, los] = numbers_of(pairs([332, 433, 457, 41, 333, 334]));
        assert_all_close(
            &[elo, elo_error, normalized, error],
            &[-8.64, 10.33, -9.17, 10.96],
            0.005,
        );
        assert_close(los, 0.0505, 5e-5);
        let los = games(136, 96, 111).los.unwrap();
        assert_close(los, 0.9960, 5e-5);
    }

    #[test]
    fn everything_is_undefined_without_games() {
        let comparison = games(0, 0, 0);
        assert_eq!(comparison, Pentanomial::default().comparison());
        assert_eq!(comparison.score, None);
        assert_eq!(comparison.standard_error, None);
        assert_eq!(comparison.elo, Estimate::Undefined);
        assert_eq!(comparison.normalized_elo, Estimate::Undefined);
        assert_eq!(comparison.los, None);
    }

    #[test]
    fn elo_is_infinite_for_a_perfect_score() {
        for (comparison, text) in [
            (games(10, 0, 0), "inf [182.73, inf]"),
            (games(0, 10, 0), "-inf [-inf, -182.73]"),
            (pairs([0, 0, 0, 0, 0, 10]), "inf [182.73, inf]"),
            (pairs([0, 0, 0, 0, 0, 9]), "too few games"),
        ] {
            assert_eq!(comparison.elo.to_string(), text);
            assert!(comparison.elo.value().unwrap().is_infinite());
            assert_eq!(comparison.elo.error(), None);
            assert_eq!(comparison.normalized_elo, Estimate::Undefined);
            assert_eq!(comparison.los, None);
        }
    }

    #[test]
    fn interval_end_is_infinite_outside_of_possible_scores() {
        let comparison = games(9, 1, 0);
        assert_eq!(comparison.elo.to_string(), "381.70 [158.99, inf]");
        assert_eq!(comparison.elo.error(), None);
        assert_eq!(games(1, 9, 0).elo.to_string(), "-381.70 [-inf, -158.99]");
        assert!(comparison.normalized_elo.error().is_some());
    }

    #[test]
    fn few_games_give_no_interval() {
        for comparison in [games(2, 2, 0), games(5, 4, 0), pairs([1, 2, 1, 1, 3, 1])] {
            assert_eq!(comparison.elo.to_string(), "too few games");
            assert_eq!(comparison.normalized_elo.to_string(), "too few games");
            assert_eq!((comparison.elo.interval(), comparison.los), (None, None));
            assert!(comparison.elo.value().unwrap().is_finite());
            assert!(comparison.standard_error.is_some());
        }
        assert!(games(5, 5, 0).elo.interval().is_some());
        assert!(games(5, 5, 0).los.is_some());
    }

    #[test]
    fn interval_of_equal_results_has_a_width() {
        for comparison in [
            games(0, 0, 10),
            pairs([0, 0, 0, 10, 0, 0]),
            pairs([0, 0, 10, 0, 0, 0]),
        ] {
            assert_eq!(comparison.score, Some(0.5));
            // 5 % is the probability of ten equal results if the others have a share of
            // 25.9 %.
            assert_close(
                comparison.elo.error().unwrap(),
                elo_of_score(0.5 + 0.258_866 / 2.0),
                1e-3,
            );
            assert_eq!(comparison.normalized_elo, Estimate::Undefined);
            assert_eq!(comparison.los, None);
        }
        let many = pairs([0, 0, 1000, 0, 0, 0]).elo.error().unwrap();
        assert_close(many, 1.039, 1e-3);
    }

    #[test]
    fn cdf_matches_published_tables() {
        for (z, probability) in [
            (0.0, 0.5),
            (1.0, 0.841_344_746_068_542_9),
            (2.0, 0.977_249_868_051_820_8),
            (2.999_999, 0.998_650_097_536_514_8),
            (3.0, 0.998_650_101_968_369_9),
            (4.0, 0.999_968_328_758_166_9),
        ] {
            assert!((normal_cdf(z) - probability).abs() < 1e-14, "{z}");
            assert!((normal_cdf(-z) - (1.0 - probability)).abs() < 1e-14, "-{z}");
        }
        assert!((normal_cdf(Z95) - 0.975).abs() < 1e-15);
        let far = 6.220_960_574_271_819e-16;
        assert!(
            (normal_cdf(-8.0) / far - 1.0).abs() < 1e-12,
            "the tail keeps its relative precision"
        );
        assert_eq!(normal_cdf(f64::INFINITY), 1.0);
        assert_eq!(normal_cdf(f64::NEG_INFINITY), 0.0);
    }
}
