//! Maximum likelihood ratings of the Bradley–Terry model.
//!
//! Bradley and Terry, "Rank Analysis of Incomplete Block Designs", 1952: the
//! expected score of a player rated r against one rated s is 1 / (1 + e^(s − r)).
//! A draw counts as half a win and half a loss. At the maximum of the likelihood,
//! each player's expected points equal its actual points.

/// The points of two players against each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeadToHead {
    /// The two players, numbered from 0.
    pub players: [usize; 2],
    pub points: [f64; 2],
}

/// The maximum change of a rating per step, in log-odds: an expected score of
/// 99.97 %.
const MAX_STEP: f64 = 8.0;

/// A precision in log-odds that changes no printed digit.
pub const FULL_PRECISION: f64 = 1e-10;

/// Newton's method takes about ten steps, plus two for each digit by which the
/// most uneven score is below 100 %.
const MAX_STEPS: usize = 500;

/// The maximum likelihood ratings in log-odds (1 is 400 / ln 10 Elo), with mean
/// 0.
///
/// They are finite only if a chain of points leads from each player to every other one: a
/// took points from b, b from c, and so on (Ford, "Solution of a Ranking Problem from
/// Binary Comparisons", 1957). `start` is an initial guess for each player; it affects the
/// running time, not the result. The iteration ends when no rating changes by
/// `precision` or more, in log-odds.
///
/// Newton's method with steps that are nearly exact, and halved where they are too long. The log-likelihood is concave, so the
/// method converges to its only maximum.
///
/// # Errors
/// Those of `watch`, which is called often.
pub fn fit<E>(
    results: &[HeadToHead],
    start: &[f64],
    precision: f64,
    watch: &mut impl FnMut() -> Result<(), E>,
) -> Result<Vec<f64>, E> {
    let mut ratings = centred(start);
    let mut likelihood = log_likelihood(results, &ratings);
    for _ in 0..MAX_STEPS {
        let step = centred(&solve(results, &ratings, gradient(results, &ratings), watch)?);
        let length = step.iter().fold(0.0, |length: f64, part| length.max(part.abs()));
        let mut scale = (MAX_STEP / length).min(1.0);
        loop {
            let next = ratings
                .iter()
                .zip(&step)
                .map(|(rating, part)| rating + scale * part);
            let next = centred(&next.collect::<Vec<_>>());
            let reached = log_likelihood(results, &next);
            // Allow for rounding errors close to the maximum.
            if reached >= likelihood - 1e-12 * likelihood.abs() {
                (ratings, likelihood) = (next, reached);
                break;
            }
            scale /= 2.0;
            if scale * length < precision {
                return Ok(ratings);
            }
        }
        if length < precision {
            break;
        }
    }
    Ok(ratings)
}

fn centred(ratings: &[f64]) -> Vec<f64> {
    let mean = ratings.iter().sum::<f64>() / ratings.len() as f64;
    ratings.iter().map(|rating| rating - mean).collect()
}

/// The rating difference of two players.
fn difference(ratings: &[f64], players: [usize; 2]) -> f64 {
    ratings[players[0]] - ratings[players[1]]
}

fn log_likelihood(results: &[HeadToHead], ratings: &[f64]) -> f64 {
    let terms = results.iter().map(|result| {
        let difference = difference(ratings, result.players);
        let [won, lost] = result.points;
        // ln(1 / (1 + e^−difference)), without overflow.
        let chance = |difference: f64| difference.min(0.0) - (-difference.abs()).exp().ln_1p();
        won * chance(difference) + lost * chance(-difference)
    });
    terms.sum()
}

/// The gradient of the log-likelihood: actual minus expected points.
fn gradient(results: &[HeadToHead], ratings: &[f64]) -> Vec<f64> {
    let mut gradient = vec![0.0; ratings.len()];
    for result in results {
        let difference = difference(ratings, result.players);
        let [won, lost] = result.points;
        let surplus = won / (1.0 + difference.exp()) - lost / (1.0 + (-difference).exp());
        let [one, other] = result.players;
        gradient[one] += surplus;
        gradient[other] -= surplus;
    }
    gradient
}

/// The largest error of a step, relative to the gradient, that ends its computation. The next step mends it.
const RESIDUAL: f64 = 1e-3;

/// The most iterations for a step: a few for most results. A step that is not exact yet is still one of ascent.
const MAX_ITERATIONS: usize = 1000;

/// Solves `information` · x = `right`. The Fisher information, the negative Hessian of the log-likelihood, has an entry
/// for each of the `results` only, so the time does not grow with the square of the players. The sum of `right` is 0,
/// and x is one of many solutions, which differ by a constant.
///
/// Hestenes and Stiefel, "Methods of Conjugate Gradients for Solving Linear Systems", 1952, with the diagonal as
/// preconditioner.
fn solve<E>(
    results: &[HeadToHead],
    ratings: &[f64],
    right: Vec<f64>,
    watch: &mut impl FnMut() -> Result<(), E>,
) -> Result<Vec<f64>, E> {
    let (mut weights, mut diagonal) = (Vec::with_capacity(results.len()), vec![0.0; ratings.len()]);
    for result in results {
        let difference = difference(ratings, result.players);
        let games: f64 = result.points.iter().sum();
        let weight = games / (1.0 + difference.exp()) / (1.0 + (-difference).exp());
        for player in result.players {
            diagonal[player] += weight;
        }
        weights.push((result.players, weight));
    }
    let largest = diagonal
        .iter()
        .fold(f64::MIN_POSITIVE, |one, other| one.max(*other));
    // Information that is lost by rounding.
    let scale: Vec<f64> = diagonal
        .iter()
        .map(|entry| entry.max(1e-15 * largest).recip())
        .collect();
    let scaled = |rest: &[f64]| {
        rest.iter()
            .zip(&scale)
            .map(|(rest, scale)| rest * scale)
            .collect::<Vec<f64>>()
    };
    let product =
        |one: &[f64], other: &[f64]| one.iter().zip(other).map(|(one, other)| one * other).sum::<f64>();
    let mut rest = right;
    let mut solution = vec![0.0; rest.len()];
    let mut direction = scaled(&rest);
    let mut size = product(&rest, &direction);
    let enough = size * RESIDUAL * RESIDUAL;
    for _ in 0..MAX_ITERATIONS {
        watch()?;
        let mut image = vec![0.0; rest.len()];
        for &([one, other], weight) in &weights {
            let flow = weight * (direction[one] - direction[other]);
            image[one] += flow;
            image[other] -= flow;
        }
        let step = size / product(&direction, &image);
        if !step.is_finite() {
            break;
        }
        for (place, part) in solution.iter_mut().zip(&direction) {
            *place += step * part;
        }
        for (place, part) in rest.iter_mut().zip(&image) {
            *place -= step * part;
        }
        let next = scaled(&rest);
        let next_size = product(&rest, &next);
        if next_size <= enough {
            break;
        }
        let factor = next_size / size;
        for (place, next) in direction.iter_mut().zip(&next) {
            *place = next + factor * *place;
        }
        size = next_size;
    }
    Ok(solution)
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;
    use crate::elo::{LOGIT, expected_score};
    use crate::tests::assert_all_close;

    fn fitted(results: &[HeadToHead], start: &[f64]) -> Vec<f64> {
        let Ok(ratings) = fit(results, start, FULL_PRECISION, &mut || Ok::<(), Infallible>(()));
        ratings
    }

    /// A–B 12–8, A–C 15–5, B–C 11½–8½.
    fn example() -> Vec<HeadToHead> {
        let results = [
            ([0, 1], [12.0, 8.0]),
            ([0, 2], [15.0, 5.0]),
            ([1, 2], [11.5, 8.5]),
        ];
        let results = results.map(|(players, points)| HeadToHead { players, points });
        results.to_vec()
    }

    /// The ratings of the example in Elo.
    fn example_elos() -> Vec<f64> {
        let ratings = fitted(&example(), &[0.0; 3]);
        ratings.iter().map(|rating| rating * LOGIT).collect()
    }

    #[test]
    fn ratings_match_the_worked_example() {
        let elos = example_elos();
        assert_all_close(&elos, &[85.549_66, -6.124_37, -79.425_30], 1e-5);
        let expected = |one: usize, other: usize| 20.0 * expected_score(elos[one] - elos[other]);
        assert_all_close(
            &[expected(0, 1), expected(0, 2), expected(1, 2)],
            &[12.579_01, 14.420_99, 12.079_01],
            1e-5,
        );
        let sums = [
            expected(0, 1) + expected(0, 2),
            expected(1, 0) + expected(1, 2),
            expected(2, 0) + expected(2, 1),
        ];
        assert_all_close(&sums, &[27.0, 19.5, 13.5], 1e-8);
    }

    #[test]
    fn fits_a_chain_of_uneven_scores() {
        // Each player concedes half a point in a million games to the next.
        let chain: Vec<HeadToHead> = (0..20)
            .map(|player| HeadToHead {
                players: [player, player + 1],
                points: [999_999.5, 0.5],
            })
            .collect();
        let ratings = fitted(&chain, &[0.0; 21]);
        let step = (999_999.5_f64 / 0.5).ln();
        for pair in ratings.windows(2) {
            assert!((pair[0] - pair[1] - step).abs() < 1e-6, "{pair:?}");
        }
    }

    #[test]
    fn fit_does_not_depend_on_the_start() {
        let results = [([0, 1], [3.0, 1.0]), ([1, 2], [2.5, 1.5]), ([2, 0], [1.0, 1.0])]
            .map(|(players, points)| HeadToHead { players, points });
        let near = fitted(&results, &[0.0; 3]);
        let far = fitted(&results, &[-30.0, 5.0, 40.0]);
        for (near, far) in near.iter().zip(far) {
            assert!((near - far).abs() < 1e-12, "{near} {far}");
        }
    }
}
