//! Maximum likelihood ratings of the Bradley–Terry model.
//!
//! Bradley and Terry, "Rank Analysis of Incomplete Block Designs", 1952: the
//! expected score of a player rated r against one rated s is 1 / (1 + e^(s − r)).
//! A draw counts as half a win and half a loss. At the maximum of the likelihood,
//! each player's expected points equal its actual points.

use super::sparse::{self, Accuracy, Lanes, Symmetric};

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
/// That of `watch`, which is called often.
pub fn fit(
    results: &[HeadToHead],
    start: &[f64],
    precision: f64,
    watch: &mut dyn FnMut() -> Result<(), String>,
) -> Result<Vec<f64>, String> {
    let mut ratings = centred(start);
    let mut likelihood = log_likelihood(results, &ratings);
    for _ in 0..MAX_STEPS {
        let gradient = gradient(results, &ratings).into_iter().map(|part| [part]);
        let step = Information::new(results, &ratings).solve(gradient.collect(), watch)?;
        let step = centred(&step.into_iter().map(|[part]| part).collect::<Vec<_>>());
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

/// A step that is not exact yet is still one of ascent, and the next one mends it.
const ACCURACY: Accuracy = Accuracy {
    residual: 1e-3,
    iterations: 1000,
};

/// The Fisher information, the negative Hessian of the log-likelihood. It has an entry for each of the results only,
/// so the time of a product does not grow with the square of the players. It has no inverse, since ratings may all
/// move by a constant.
pub struct Information {
    /// The information of each result about the difference of its two players.
    weights: Vec<([usize; 2], f64)>,
    /// The information about each player, if the ratings of all others were known.
    pub diagonal: Vec<f64>,
    scale: Vec<f64>,
}

impl Information {
    /// The information of these results at these ratings.
    pub fn new(results: &[HeadToHead], ratings: &[f64]) -> Information {
        let mut diagonal = vec![0.0; ratings.len()];
        let weight = |result: &HeadToHead| {
            let difference = difference(ratings, result.players);
            let games: f64 = result.points.iter().sum();
            let weight = games / (1.0 + difference.exp()) / (1.0 + (-difference).exp());
            for player in result.players {
                diagonal[player] += weight;
            }
            (result.players, weight)
        };
        let weights = results.iter().map(weight).collect();
        let largest = diagonal
            .iter()
            .fold(f64::MIN_POSITIVE, |one, other| one.max(*other));
        // Information that is lost by rounding.
        let scale = |entry: &f64| entry.max(1e-15 * largest).sqrt().recip();
        Information {
            weights,
            scale: diagonal.iter().map(scale).collect(),
            diagonal,
        }
    }

    /// The changes of the ratings to which these gradients lead, whose sums are 0.
    ///
    /// # Errors
    /// That of `watch`.
    pub fn solve<const COUNT: usize>(
        &self,
        gradients: Vec<Lanes<COUNT>>,
        watch: &mut dyn FnMut() -> Result<(), String>,
    ) -> Result<Vec<Lanes<COUNT>>, String> {
        sparse::solve(self, gradients, ACCURACY, watch)
    }
}

impl Symmetric for Information {
    fn scale(&self) -> &[f64] {
        &self.scale
    }

    fn times<const COUNT: usize>(
        &self,
        vector: &[Lanes<COUNT>],
        product: &mut [Lanes<COUNT>],
    ) -> Lanes<COUNT> {
        let scaled = vector.iter().zip(&self.scale);
        let scaled: Vec<Lanes<COUNT>> = scaled.map(|(row, scale)| row.map(|cell| cell * scale)).collect();
        product.fill([0.0; COUNT]);
        for &([one, other], weight) in &self.weights {
            for lane in 0..COUNT {
                let flow = weight * (scaled[one][lane] - scaled[other][lane]);
                product[one][lane] += flow;
                product[other][lane] -= flow;
            }
        }
        let mut along = [0.0; COUNT];
        for ((product, scale), own) in product.iter_mut().zip(&self.scale).zip(vector) {
            for lane in 0..COUNT {
                product[lane] *= scale;
                along[lane] += product[lane] * own[lane];
            }
        }
        along
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elo::{LOGIT, expected_score};
    use crate::tests::assert_all_close;

    fn fitted(results: &[HeadToHead], start: &[f64]) -> Vec<f64> {
        fit(results, start, FULL_PRECISION, &mut || Ok(())).unwrap()
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
