//! Bootstrap: resampling of results with replacement.
//!
//! Efron, "Bootstrap Methods: Another Look at the Jackknife", 1979. Pairs are
//! resampled as a whole, which keeps the correlation of their two games.

use std::f64::consts::TAU;

use lodestone::random::Random;

use super::counts::Sample;

/// Resamples all pairs and all single games of `samples`. Returns the points of
/// both players for each sample, the first player's first.
///
/// The resampling is over all samples together, not per sample: the only pair of
/// two players would otherwise have the same result in every resample.
pub fn resample(random: &mut Random, samples: &[Sample]) -> Vec<[f64; 2]> {
    let pairs: Vec<u64> = samples.iter().flat_map(|sample| sample.pairs.bins()).collect();
    let singles = samples.iter().map(|sample| sample.singles);
    let singles: Vec<u64> = singles
        .flat_map(|games| [games.losses, games.draws, games.wins])
        .collect();
    let (pairs, singles) = (multinomial(random, &pairs), multinomial(random, &singles));
    let points = |counts: &[u64]| {
        let half_points = counts.iter().enumerate();
        half_points
            .map(|(half_points, &count)| half_points as f64 / 2.0 * count as f64)
            .sum::<f64>()
    };
    let resampled = pairs.chunks(5).zip(singles.chunks(3));
    resampled
        .map(|(pairs, singles)| {
            let games = 2.0 * pairs.iter().sum::<u64>() as f64 + singles.iter().sum::<u64>() as f64;
            let won = points(pairs) + points(singles);
            [won, games - won]
        })
        .collect()
}

/// A multinomial random vector: the sum of `counts` is the number of trials, and
/// `counts` are the weights.
fn multinomial(random: &mut Random, counts: &[u64]) -> Vec<u64> {
    let mut trials = counts.iter().copied().fold(0, u64::saturating_add);
    let mut weight = trials;
    // The conditional distribution of each component is binomial.
    let component = |&count: &u64| {
        let successes = binomial(random, trials, count, weight);
        trials -= successes;
        weight = weight.saturating_sub(count);
        successes
    };
    counts.iter().map(component).collect()
}

/// Up to this mean, binomial numbers are exact.
const MAX_EXACT_MEAN: f64 = 100.0;

/// A binomial random number: `trials` with success probability `part / whole`.
fn binomial(random: &mut Random, trials: u64, part: u64, whole: u64) -> u64 {
    if trials == 0 || part == 0 {
        return 0;
    }
    if part >= whole {
        return trials;
    }
    if part > whole / 2 {
        return trials - binomial(random, trials, whole - part, whole);
    }
    let probability = part as f64 / whole as f64;
    let mean = trials as f64 * probability;
    if mean <= MAX_EXACT_MEAN {
        binomial_quantile(uniform(random), trials, probability)
    } else {
        binomial_from_normal(normal(random), trials, probability)
    }
}

/// The quantile function of the binomial distribution, by sequential search.
fn binomial_quantile(level: f64, trials: u64, probability: f64) -> u64 {
    let mean = trials as f64 * probability;
    let odds = probability / (1.0 - probability);
    let mut mass = (trials as f64 * (-probability).ln_1p()).exp();
    let mut level = level;
    let mut successes = 0;
    while level >= mass && successes < trials {
        level -= mass;
        successes += 1;
        mass *= odds * (trials - successes + 1) as f64 / successes as f64;
        // The rest is rounding error.
        if mass < 1e-18 && successes as f64 > mean {
            break;
        }
    }
    successes
}

/// Transforms a standard normal number to an approximately binomial one by the
/// Cornish–Fisher expansion up to the skewness.
fn binomial_from_normal(normal: f64, trials: u64, probability: f64) -> u64 {
    let mean = trials as f64 * probability;
    let deviation = (mean * (1.0 - probability)).sqrt();
    let skewness = (1.0 - 2.0 * probability) / deviation;
    let successes = mean + deviation * (normal + (normal * normal - 1.0) * skewness / 6.0);
    (successes.round() as u64).min(trials)
}

/// A uniform random number from 0 (inclusive) to 1 (exclusive).
fn uniform(random: &mut Random) -> f64 {
    (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

/// A standard normal random number. Box and Muller, 1958.
fn normal(random: &mut Random) -> f64 {
    let radius = (-2.0 * (1.0 - uniform(random)).ln()).sqrt();
    radius * (TAU * uniform(random)).cos()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::{Pentanomial, Points, Trinomial};

    /// Mean and variance of `count` random numbers.
    fn moments(count: u64, mut generate: impl FnMut() -> f64) -> (f64, f64) {
        let numbers: Vec<f64> = (0..count).map(|_| generate()).collect();
        let mean = numbers.iter().sum::<f64>() / count as f64;
        let squares: f64 = numbers.iter().map(|value| (value - mean).powi(2)).sum();
        (mean, squares / count as f64)
    }

    #[test]
    fn binomial_has_the_expected_mean_and_variance() {
        let mut random = Random::new(1);
        for (size, part, whole) in [
            (10, 1, 4),
            (100, 3, 4),
            (1_000_000, 1, 1_000_000),
            (5000, 1, 10),
            (2_000_000_000, 2, 3),
        ] {
            let probability = part as f64 / whole as f64;
            let (expected, variance) = (
                size as f64 * probability,
                size as f64 * probability * (1.0 - probability),
            );
            let (mean, spread) = moments(20_000, || binomial(&mut random, size, part, whole) as f64);
            // Five standard errors of the mean and of the variance.
            assert!(
                (mean - expected).abs() < 5.0 * (variance / 20_000.0).sqrt(),
                "{size}: {mean}"
            );
            assert!(
                (spread / variance - 1.0).abs() < 0.07,
                "{size}: {spread} {variance}"
            );
        }
    }

    #[test]
    fn exact_and_approximate_quantiles_agree() {
        // The levels of −3 to 3 standard deviations.
        for (level, normal) in [
            (0.001_350, -3.0),
            (0.022_750, -2.0),
            (0.158_655, -1.0),
            (0.5, 0.0),
            (0.841_345, 1.0),
            (0.977_250, 2.0),
            (0.998_650, 3.0),
        ] {
            for (size, probability) in [(200, 0.5), (1000, 0.1), (100_000, 0.001)] {
                let exact = binomial_quantile(level, size, probability);
                let close = binomial_from_normal(normal, size, probability);
                assert!(exact.abs_diff(close) <= 1, "{size} {level}: {exact} {close}");
            }
        }
    }

    #[test]
    fn sample_without_variance_is_resampled_unchanged() {
        let mut random = Random::new(2);
        assert_eq!(multinomial(&mut random, &[0, 0, 7, 0, 0]), [0, 0, 7, 0, 0]);
        assert_eq!(multinomial(&mut random, &[0; 3]), [0; 3]);
        let huge = multinomial(&mut random, &[u64::MAX, u64::MAX, 1]);
        assert_eq!(huge.into_iter().fold(0, u64::saturating_add), u64::MAX);
    }

    #[test]
    fn single_pair_of_two_players_varies() {
        let pair = |pairs| Sample {
            pairs,
            ..Sample::default()
        };
        let samples = [
            pair(Pentanomial::of_pair([Points::Win, Points::Win])),
            pair(Pentanomial::of_pair([Points::Loss, Points::Draw])),
        ];
        let mut random = Random::new(4);
        let resamples: Vec<Vec<[f64; 2]>> = (0..100).map(|_| resample(&mut random, &samples)).collect();
        // Either pair occurs 0, 1 and 2 times in about 25, 50 and 25 resamples.
        for (points, low, high) in [
            ([[0.0, 0.0], [1.0, 3.0]], 10, 40),
            ([[2.0, 0.0], [0.5, 1.5]], 30, 70),
            ([[4.0, 0.0], [0.0, 0.0]], 10, 40),
        ] {
            let count = resamples.iter().filter(|resample| **resample == points).count();
            assert!((low..=high).contains(&count), "{points:?}: {count}");
        }
    }

    #[test]
    fn resample_has_the_mean_and_variance_of_the_sample() {
        let sample = Sample {
            pairs: Pentanomial {
                loss_loss: 1,
                loss_draw: 2,
                win_loss: 3,
                draw_draw: 1,
                win_draw: 4,
                win_win: 5,
            },
            singles: Trinomial {
                wins: 2,
                draws: 1,
                losses: 1,
            },
        };
        let mut random = Random::new(3);
        let (mean, variance) = moments(50_000, || {
            let [won, lost] = resample(&mut random, &[sample])[0];
            assert!((won + lost - 36.0).abs() < 1e-12);
            won
        });
        // 16 pairs of mean 21/16, 4 games of mean 2.5/4.
        let pair = 16.0 * ((2.0 * 0.25 + 4.0 + 4.0 * 2.25 + 5.0 * 4.0) / 16.0 - (21.0_f64 / 16.0).powi(2));
        let single = 4.0 * (2.25 / 4.0 - (2.5_f64 / 4.0).powi(2));
        assert!((mean - 23.5).abs() < 0.06, "{mean}");
        assert!(
            (variance / (pair + single) - 1.0).abs() < 0.04,
            "{variance} {pair} {single}"
        );
    }
}
