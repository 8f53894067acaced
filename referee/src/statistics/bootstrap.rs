//! The Bayesian bootstrap: the results of a tournament with random weights.
//!
//! Rubin, "The Bayesian Bootstrap", 1981. Each observation has an independent random
//! weight with mean 1. An observation is a pair of games, or a single game. A pair has one
//! weight, which keeps the correlation of its two games.

use std::f64::consts::TAU;

use lodestone::random::Random;

use super::counts::Sample;

/// The points of both players of `sample` with random weights, the first player's first.
///
/// The weights have the variance 1 / `correction`. Below 1, `correction` widens the
/// intervals of small samples.
pub fn reweighted(random: &mut Random, sample: &Sample, correction: f64) -> [f64; 2] {
    let singles = sample.singles;
    let pairs = points(random, &sample.pairs.bins(), correction);
    let singles = points(random, &[singles.losses, singles.draws, singles.wins], correction);
    [pairs[0] + singles[0], pairs[1] + singles[1]]
}

/// The weighted points of both players from counts of observations with 0, ½, 1, … points
/// for the first player.
fn points(random: &mut Random, counts: &[u64], correction: f64) -> [f64; 2] {
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
pub fn gamma(random: &mut Random, shape: f64) -> f64 {
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
    use crate::statistics::{Pentanomial, Trinomial};

    /// Mean and variance of `count` random numbers.
    fn moments(count: u64, mut generate: impl FnMut() -> f64) -> (f64, f64) {
        let numbers: Vec<f64> = (0..count).map(|_| generate()).collect();
        let mean = numbers.iter().sum::<f64>() / count as f64;
        let squares: f64 = numbers.iter().map(|value| (value - mean).powi(2)).sum();
        (mean, squares / count as f64)
    }

    #[test]
    fn gamma_has_the_expected_mean_and_variance() {
        let mut random = Random::new(1);
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
        assert_eq!(reweighted(&mut Random::new(4), &Sample::default(), 1.0), [0.0; 2]);
    }
}
