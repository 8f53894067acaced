//! Results as they might have been: counts drawn again from themselves.
//!
//! Efron, "Bootstrap Methods: Another Look at the Jackknife", 1979. A pair is
//! drawn as a whole, so what its two games have in common stays.

use std::f64::consts::TAU;

use lodestone::random::Random;

use super::counts::Sample;

/// The points that both players of each record could have taken, the first
/// player's first: as many pairs and as many single games as there are in all
/// records together, each drawn from all that were played.
///
/// They are not drawn record by record: two players who met for one pair only
/// would always have its result again, as if it were certain.
pub fn resample(random: &mut Random, records: &[Sample]) -> Vec<[f64; 2]> {
    let pairs: Vec<u64> = records.iter().flat_map(|record| record.pairs.bins()).collect();
    let singles = records.iter().map(|record| record.singles);
    let singles: Vec<u64> = singles
        .flat_map(|games| [games.losses, games.draws, games.wins])
        .collect();
    let (pairs, singles) = (multinomial(random, &pairs), multinomial(random, &singles));
    let points = |counts: &[u64]| {
        let halves = counts.iter().enumerate();
        halves
            .map(|(halves, &count)| halves as f64 / 2.0 * count as f64)
            .sum::<f64>()
    };
    let drawn = pairs.chunks(5).zip(singles.chunks(3));
    drawn
        .map(|(pairs, singles)| {
            let games = 2.0 * pairs.iter().sum::<u64>() as f64 + singles.iter().sum::<u64>() as f64;
            let won = points(pairs) + points(singles);
            [won, games - won]
        })
        .collect()
}

/// As many as `counts` together, each drawn from `counts` with replacement.
fn multinomial(random: &mut Random, counts: &[u64]) -> Vec<u64> {
    let mut left = counts.iter().copied().fold(0, u64::saturating_add);
    let mut weight = left;
    let draw = |&count: &u64| {
        // Of those left, each is of this kind with the same chance.
        let drawn = binomial(random, left, count, weight);
        left -= drawn;
        weight = weight.saturating_sub(count);
        drawn
    };
    counts.iter().map(draw).collect()
}

/// Up to this mean the binomial distribution is drawn from exactly.
const EXACT_MEAN: f64 = 100.0;

/// How many of `size` draws succeed, each with the chance `part` / `whole`.
fn binomial(random: &mut Random, size: u64, part: u64, whole: u64) -> u64 {
    if size == 0 || part == 0 {
        return 0;
    }
    if part >= whole {
        return size;
    }
    if part > whole / 2 {
        return size - binomial(random, size, whole - part, whole);
    }
    let chance = part as f64 / whole as f64;
    let mean = size as f64 * chance;
    if mean <= EXACT_MEAN {
        by_inversion(uniform(random), size, chance)
    } else {
        by_normal(normal(random), size, chance)
    }
}

/// The smallest number of successes that is reached with the chance `level`.
fn by_inversion(level: f64, size: u64, chance: f64) -> u64 {
    let mean = size as f64 * chance;
    let odds = chance / (1.0 - chance);
    let mut exactly = (size as f64 * (-chance).ln_1p()).exp();
    let mut level = level;
    let mut successes = 0;
    while level >= exactly && successes < size {
        level -= exactly;
        successes += 1;
        exactly *= odds * (size - successes + 1) as f64 / successes as f64;
        // What is left is rounding.
        if exactly < 1e-18 && successes as f64 > mean {
            break;
        }
    }
    successes
}

/// The same for many draws, from a normal number: the expansion of Cornish and
/// Fisher to the skewness.
fn by_normal(normal: f64, size: u64, chance: f64) -> u64 {
    let mean = size as f64 * chance;
    let deviation = (mean * (1.0 - chance)).sqrt();
    let skewness = (1.0 - 2.0 * chance) / deviation;
    let drawn = mean + deviation * (normal + (normal * normal - 1.0) * skewness / 6.0);
    (drawn.round() as u64).min(size)
}

/// From 0 to below 1.
fn uniform(random: &mut Random) -> f64 {
    (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

/// Mean 0, variance 1. Box and Muller, 1958.
fn normal(random: &mut Random) -> f64 {
    let radius = (-2.0 * (1.0 - uniform(random)).ln()).sqrt();
    radius * (TAU * uniform(random)).cos()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::{Pentanomial, Points, Trinomial};

    /// Mean and variance of what `draw` gives.
    fn moments(count: u64, mut draw: impl FnMut() -> f64) -> (f64, f64) {
        let drawn: Vec<f64> = (0..count).map(|_| draw()).collect();
        let mean = drawn.iter().sum::<f64>() / count as f64;
        let squares: f64 = drawn.iter().map(|value| (value - mean).powi(2)).sum();
        (mean, squares / count as f64)
    }

    #[test]
    fn binomial_numbers_have_their_mean_and_variance() {
        let mut random = Random::new(1);
        for (size, part, whole) in [
            (10, 1, 4),
            (100, 3, 4),
            (1_000_000, 1, 1_000_000),
            (5000, 1, 10),
            (2_000_000_000, 2, 3),
        ] {
            let chance = part as f64 / whole as f64;
            let (expected, variance) = (size as f64 * chance, size as f64 * chance * (1.0 - chance));
            let (mean, spread) = moments(20_000, || binomial(&mut random, size, part, whole) as f64);
            // Five standard errors, and as many of the variance.
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
    fn exact_and_approximate_draws_agree_where_they_meet() {
        // The levels of −3 to 3 deviations.
        for (level, normal) in [
            (0.001_350, -3.0),
            (0.022_750, -2.0),
            (0.158_655, -1.0),
            (0.5, 0.0),
            (0.841_345, 1.0),
            (0.977_250, 2.0),
            (0.998_650, 3.0),
        ] {
            for (size, chance) in [(200, 0.5), (1000, 0.1), (100_000, 0.001)] {
                let exact = by_inversion(level, size, chance);
                let close = by_normal(normal, size, chance);
                assert!(exact.abs_diff(close) <= 1, "{size} {level}: {exact} {close}");
            }
        }
    }

    #[test]
    fn what_never_varied_is_drawn_as_it_was() {
        let mut random = Random::new(2);
        assert_eq!(multinomial(&mut random, &[0, 0, 7, 0, 0]), [0, 0, 7, 0, 0]);
        assert_eq!(multinomial(&mut random, &[0; 3]), [0; 3]);
        let most = multinomial(&mut random, &[u64::MAX, u64::MAX, 1]);
        assert_eq!(most.into_iter().fold(0, u64::saturating_add), u64::MAX);
    }

    #[test]
    fn the_one_pair_of_two_players_is_not_certain() {
        let pair = |pairs| Sample {
            pairs,
            ..Sample::default()
        };
        let records = [
            pair(Pentanomial::of_pair([Points::Win, Points::Win])),
            pair(Pentanomial::of_pair([Points::Loss, Points::Draw])),
        ];
        let mut random = Random::new(4);
        let drawn: Vec<Vec<[f64; 2]>> = (0..100).map(|_| resample(&mut random, &records)).collect();
        // Each pair never, once and twice, about 25, 50 and 25 times.
        for (seen, low, high) in [
            ([[0.0, 0.0], [1.0, 3.0]], 10, 40),
            ([[2.0, 0.0], [0.5, 1.5]], 30, 70),
            ([[4.0, 0.0], [0.0, 0.0]], 10, 40),
        ] {
            let times = drawn.iter().filter(|drawn| **drawn == seen).count();
            assert!((low..=high).contains(&times), "{seen:?}: {times}");
        }
    }

    #[test]
    fn a_record_is_drawn_as_often_as_it_was_seen() {
        let record = Sample {
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
            let [won, lost] = resample(&mut random, &[record])[0];
            assert!((won + lost - 36.0).abs() < 1e-12);
            won
        });
        // 16 pairs of mean 21 / 16 and 4 games of mean 2.5 / 4, and their
        // variances.
        let pair = 16.0 * ((2.0 * 0.25 + 4.0 + 4.0 * 2.25 + 5.0 * 4.0) / 16.0 - (21.0_f64 / 16.0).powi(2));
        let single = 4.0 * (2.25 / 4.0 - (2.5_f64 / 4.0).powi(2));
        assert!((mean - 23.5).abs() < 0.06, "{mean}");
        assert!(
            (variance / (pair + single) - 1.0).abs() < 0.04,
            "{variance} {pair} {single}"
        );
    }
}
