//! The likeliest ratings of players, from the points they took from each other.
//!
//! Bradley and Terry, "Rank Analysis of Incomplete Block Designs", 1952: a
//! player rated r expects 1 / (1 + e^(s − r)) points of a game with one rated s.
//! A tie counts as half a win and half a loss. At the maximum of the likelihood
//! each player's expected points are its actual points.

/// The points of two players against each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeadToHead {
    /// Their numbers, from 0.
    pub players: [usize; 2],
    /// What each took from the other.
    pub points: [f64; 2],
}

/// A step as long as this is cut down: so much log-odds are a score of 99.97 %.
const LONGEST_STEP: f64 = 8.0;

/// Steps shorter than this, in log-odds, change no digit that is format_number.
const SHORTEST_STEP: f64 = 1e-10;

/// Newton's method takes about ten steps, and two for each digit that the most
/// uneven score is away from 100 %.
const MOST_STEPS: usize = 500;

/// The ratings with the highest likelihood, in log-odds (1 is 400 / ln 10 Elo)
/// and with the mean 0.
///
/// Finite only where every player is connected with every other by chains of
/// points taken, in both directions: see `reachability`. `start` has a guess for each
/// player; it decides the time this takes, not the result.
///
/// Newton's method. Where a step makes the likelihood smaller, half of it is
/// tried; the likelihood is concave, so this ends at its only maximum.
pub fn fit(results: &[HeadToHead], start: &[f64]) -> Vec<f64> {
    let mut ratings = centred(start);
    let mut likelihood = log_likelihood(results, &ratings);
    for _ in 0..MOST_STEPS {
        let step = solve(information(results, &ratings), gradient(results, &ratings));
        let length = step.iter().fold(0.0, |length: f64, part| length.max(part.abs()));
        let mut share = (LONGEST_STEP / length).min(1.0);
        loop {
            let moved = ratings
                .iter()
                .zip(&step)
                .map(|(rating, part)| rating + share * part);
            let moved = centred(&moved.collect::<Vec<_>>());
            let reached = log_likelihood(results, &moved);
            // Close to the maximum rounding may make it seem smaller.
            if reached >= likelihood - 1e-12 * likelihood.abs() {
                (ratings, likelihood) = (moved, reached);
                break;
            }
            share /= 2.0;
            if share * length < SHORTEST_STEP {
                return ratings;
            }
        }
        if length < SHORTEST_STEP {
            break;
        }
    }
    ratings
}

fn centred(ratings: &[f64]) -> Vec<f64> {
    let mean = ratings.iter().sum::<f64>() / ratings.len() as f64;
    ratings.iter().map(|rating| rating - mean).collect()
}

/// How much better the first of two players is rated.
fn lead(ratings: &[f64], players: [usize; 2]) -> f64 {
    ratings[players[0]] - ratings[players[1]]
}

fn log_likelihood(results: &[HeadToHead], ratings: &[f64]) -> f64 {
    let terms = results.iter().map(|result| {
        let lead = lead(ratings, result.players);
        let [won, lost] = result.points;
        // ln(1 / (1 + e^−lead)), without overflow.
        let chance = |lead: f64| lead.min(0.0) - (-lead.abs()).exp().ln_1p();
        won * chance(lead) + lost * chance(-lead)
    });
    terms.sum()
}

/// Actual minus expected points of each player.
fn gradient(results: &[HeadToHead], ratings: &[f64]) -> Vec<f64> {
    let mut gradient = vec![0.0; ratings.len()];
    for result in results {
        let lead = lead(ratings, result.players);
        let [won, lost] = result.points;
        let surplus = won / (1.0 + lead.exp()) - lost / (1.0 + (-lead).exp());
        let [one, other] = result.players;
        gradient[one] += surplus;
        gradient[other] -= surplus;
    }
    gradient
}

/// The Fisher information of the ratings, that is minus the second derivatives
/// of the log-likelihood, and one entry the same everywhere: it makes the
/// matrix regular, and a solution's mean 0 if that of the right side is.
pub fn information(results: &[HeadToHead], ratings: &[f64]) -> Vec<Vec<f64>> {
    let size = ratings.len();
    let mut matrix = vec![vec![0.0; size]; size];
    let mut total = 0.0;
    for result in results {
        let lead = lead(ratings, result.players);
        let games: f64 = result.points.iter().sum();
        let known = games / (1.0 + lead.exp()) / (1.0 + (-lead).exp());
        let [one, other] = result.players;
        matrix[one][one] += known;
        matrix[other][other] += known;
        matrix[one][other] -= known;
        matrix[other][one] -= known;
        total += known;
    }
    let everywhere = total / (size * size) as f64;
    for entry in matrix.iter_mut().flatten() {
        *entry += everywhere;
    }
    matrix
}

/// The solution of `matrix` · x = `right`, for a symmetric matrix that is
/// positive definite but perhaps for rounding (Cholesky). A pivot that rounding
/// spoilt is replaced by a small one, which leaves x a direction of ascent.
pub fn solve(mut matrix: Vec<Vec<f64>>, right: Vec<f64>) -> Vec<f64> {
    let size = right.len();
    let largest = (0..size).fold(f64::MIN_POSITIVE, |largest: f64, place| {
        largest.max(matrix[place][place])
    });
    let mut solution = right;
    // The lower triangle becomes L of matrix = L · Lᵀ, and the right side y of
    // L · y = right.
    for row in 0..size {
        let (above, below) = matrix.split_at_mut(row);
        let own = &mut below[0];
        for (column, other) in above.iter().enumerate() {
            let sum: f64 = own[..column]
                .iter()
                .zip(other)
                .map(|(one, other)| one * other)
                .sum();
            own[column] = (own[column] - sum) / other[column];
        }
        let squares: f64 = own[..row].iter().map(|entry| entry * entry).sum();
        own[row] = (own[row] - squares).max(1e-15 * largest).sqrt();
        let sum: f64 = own[..row]
            .iter()
            .zip(&solution)
            .map(|(one, other)| one * other)
            .sum();
        solution[row] = (solution[row] - sum) / own[row];
    }
    for row in (0..size).rev() {
        solution[row] /= matrix[row][row];
        let own = solution[row];
        for (place, entry) in solution[..row].iter_mut().zip(&matrix[row]) {
            *place -= entry * own;
        }
    }
    solution
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_system_is_solved() {
        let matrix = vec![vec![4.0, 2.0, 0.6], vec![2.0, 5.0, 1.0], vec![0.6, 1.0, 3.0]];
        let wanted = [1.0, -2.0, 0.5];
        let right = matrix
            .iter()
            .map(|row| row.iter().zip(wanted).map(|(entry, part)| entry * part).sum())
            .collect();
        for (found, wanted) in solve(matrix, right).iter().zip(wanted) {
            assert!((found - wanted).abs() < 1e-14);
        }
    }

    #[test]
    fn a_chain_of_uneven_scores_is_fitted() {
        // Each player lost half a point of a million to the next.
        let chain: Vec<HeadToHead> = (0..20)
            .map(|player| HeadToHead {
                players: [player, player + 1],
                points: [999_999.5, 0.5],
            })
            .collect();
        let ratings = fit(&chain, &[0.0; 21]);
        let step = (999_999.5_f64 / 0.5).ln();
        for pair in ratings.windows(2) {
            assert!((pair[0] - pair[1] - step).abs() < 1e-6, "{pair:?}");
        }
    }

    #[test]
    fn the_start_does_not_decide_the_result() {
        let results = [([0, 1], [3.0, 1.0]), ([1, 2], [2.5, 1.5]), ([2, 0], [1.0, 1.0])]
            .map(|(players, points)| HeadToHead { players, points });
        let near = fit(&results, &[0.0; 3]);
        let far = fit(&results, &[-30.0, 5.0, 40.0]);
        for (near, far) in near.iter().zip(far) {
            assert!((near - far).abs() < 1e-12, "{near} {far}");
        }
    }
}
