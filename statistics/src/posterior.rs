//! Ratings of players who come and go in versions: the posterior of the Bradley–Terry model with
//! Gaussian priors.
//!
//! A player is a new one, whose rating before its first game is normal around 0, or a new version of
//! another player, whose rating is normal around that of its predecessor. The ratings are the mode of
//! the posterior of all of them; their covariances C follow from the curvature there (Laplace's
//! approximation). So the games of a version also say something about those before and after it. Elo is
//! 400 per factor ten of the odds.
//!
//! The deviation σ of new players is estimated from the ratings r of those who play:
//! σ² = Σr² / (n − ΣC/σ²), an update of D. J. C. `MacKay` ("Bayesian Interpolation", 1992). With a wide
//! prior, few games make equal players look different.

use std::convert::Infallible;

use super::elo::{LOGIT, expected_score, normal_cdf};
use super::estimate::Interval;

/// The standard deviation of the difference between a version and its predecessor, in Elo. A change may
/// mend a bot, or break it.
const CHANGE: f64 = 150.0;

/// The standard deviation of new players before the first game, in Elo.
const UNKNOWN: f64 = 350.0;

/// A rating that counts like that of one more new player when the deviation is estimated, in Elo, so that
/// a few games of a few players do not make it small.
const TYPICAL: f64 = 200.0;

/// The reciprocal of the variance in log-odds, of a standard deviation in Elo.
fn precision(deviation: f64) -> f64 {
    (LOGIT / deviation).powi(2)
}

/// What is known of the players before their first games, and where the search for their ratings begins.
#[derive(Clone, Debug, PartialEq)]
pub struct Prior {
    /// The standard deviation of new players, in Elo.
    deviation: f64,
    /// Of which player each one is a new version.
    predecessors: Vec<Option<usize>>,
    /// The new versions of each player.
    successors: Vec<Vec<usize>>,
    /// The ratings so far.
    elos: Vec<f64>,
}

impl Prior {
    /// Players of which each is a new version of an earlier one, or new.
    pub fn new(predecessors: &[Option<usize>]) -> Prior {
        let mut prior = Prior {
            deviation: UNKNOWN,
            predecessors: Vec::new(),
            successors: Vec::new(),
            elos: Vec::new(),
        };
        prior.extend(predecessors);
        prior
    }

    /// Adds more players.
    pub fn extend(&mut self, predecessors: &[Option<usize>]) {
        for &predecessor in predecessors {
            let player = self.elos.len();
            let known = predecessor.filter(|&predecessor| predecessor < player);
            self.elos.push(known.map_or(0.0, |known| self.elos[known]));
            self.successors.push(Vec::new());
            self.predecessors.push(known);
            if let Some(known) = known {
                self.successors[known].push(player);
            }
        }
    }

    /// The number of players.
    pub const fn players(&self) -> usize {
        self.elos.len()
    }

    /// The players whose ratings are close to that of `player`: its predecessor and its new versions.
    fn relatives(&self, player: usize) -> impl Iterator<Item = usize> + '_ {
        let successors = self.successors[player].iter().copied();
        self.predecessors[player].into_iter().chain(successors)
    }

    /// The precision of the rating of a player itself; 0 for a new version, which has only that of its
    /// difference to its predecessor.
    fn own_precision(&self, player: usize) -> f64 {
        self.predecessors[player].map_or_else(|| precision(self.deviation), |_| 0.0)
    }

    /// Takes the deviation that the ratings of `players` make likely, and begins the next search with these
    /// ratings.
    pub fn learn(&mut self, posterior: &Posterior, players: &[usize]) {
        let own = precision(self.deviation);
        let (mut squares, mut determined) = (TYPICAL * TYPICAL, 1.0);
        for &player in players {
            squares += posterior.elos[player].powi(2);
            determined += 1.0 - own * posterior.variance(player);
        }
        // Of players who have won or lost all games, the ratings grow with the deviation.
        self.deviation = (squares / determined).sqrt().min(UNKNOWN);
        self.elos.clone_from(&posterior.elos);
    }
}

/// The games of a player against one opponent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Meeting {
    opponent: usize,
    games: u32,
    /// The points of the player, doubled.
    half_points: u64,
}

/// The games of all players.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Meetings {
    players: Vec<Vec<Meeting>>,
    /// The number of games in which each player moved first.
    first_moves: Vec<u32>,
}

impl Meetings {
    /// No games of this number of players.
    pub fn new(players: usize) -> Meetings {
        Meetings {
            players: vec![Vec::new(); players],
            first_moves: vec![0; players],
        }
    }

    /// Makes room for this number of players.
    pub fn extend(&mut self, players: usize) {
        self.players.resize(players.max(self.players.len()), Vec::new());
        self.first_moves.resize(self.players.len(), 0);
    }

    /// Adds a game with the half points of both players, 2 in all; `one` moved first.
    pub fn add(&mut self, [one, other]: [usize; 2], half_points: [u64; 2]) {
        if let Some(count) = self.first_moves.get_mut(one) {
            *count += 1;
        }
        for (player, opponent, half_points) in [(one, other, half_points[0]), (other, one, half_points[1])] {
            let Some(meetings) = self.players.get_mut(player) else {
                continue;
            };
            match meetings.iter_mut().find(|meeting| meeting.opponent == opponent) {
                Some(meeting) => {
                    meeting.games += 1;
                    meeting.half_points += half_points;
                }
                None => meetings.push(Meeting {
                    opponent,
                    games: 1,
                    half_points,
                }),
            }
        }
    }

    /// The number of games of a player.
    pub fn of(&self, player: usize) -> u32 {
        self.players[player].iter().map(|meeting| meeting.games).sum()
    }

    /// The number of games in which a player moved first.
    pub fn first_moves(&self, player: usize) -> u32 {
        self.first_moves[player]
    }
}

/// Ratings and how certain they are.
#[derive(Clone, Debug)]
pub struct Posterior {
    /// The ratings in Elo.
    pub elos: Vec<f64>,
    /// Their covariances, in squared log-odds.
    pub covariances: Vec<Vec<f64>>,
}

/// 95 % of a normal distribution lie within this many standard deviations.
const WIDTH: f64 = 1.96;

impl Posterior {
    /// The ratings after these games, with the covariances of `players`; those of others are 0.
    pub fn new(prior: &Prior, meetings: &Meetings, players: &[usize]) -> Posterior {
        let Ok(posterior) = Posterior::until(prior, meetings, players, || Ok::<(), Infallible>(()));
        posterior
    }

    /// The same, until `watch` fails, which is called often.
    ///
    /// # Errors
    /// Those of `watch`.
    pub fn until<E>(
        prior: &Prior,
        meetings: &Meetings,
        players: &[usize],
        watch: impl Fn() -> Result<(), E>,
    ) -> Result<Posterior, E> {
        let elos = ratings(prior, meetings);
        let covariances = covariances(prior, meetings, &elos, players, watch)?;
        Ok(Posterior { elos, covariances })
    }

    /// The same ratings with that of `player` as 0.
    #[must_use]
    pub fn relative_to(mut self, player: usize) -> Posterior {
        let zero = self.elos[player];
        let with = self.covariances[player].clone();
        self.elos.iter_mut().for_each(|elo| *elo -= zero);
        for (row, own) in self.covariances.iter_mut().zip(&with) {
            for (cell, other) in row.iter_mut().zip(&with) {
                *cell += with[player] - own - other;
            }
        }
        self
    }

    /// The variance of the rating of a player, in squared log-odds.
    pub fn variance(&self, player: usize) -> f64 {
        self.covariances[player][player]
    }

    /// The variance of the difference of two ratings, in squared log-odds.
    pub fn variance_of_difference(&self, one: usize, other: usize) -> f64 {
        self.variance(one) + self.variance(other) - 2.0 * self.covariances[one][other]
    }

    /// The 95 % interval of the rating of a player, in Elo.
    pub fn interval(&self, player: usize) -> Interval {
        let width = WIDTH * LOGIT * self.variance(player).sqrt();
        Interval {
            low: self.elos[player] - width,
            high: self.elos[player] + width,
        }
    }

    /// How much the expected regret of ordering two players by their ratings falls with the variance of
    /// their difference: half the density of that difference at 0.
    pub fn density_of_tie(&self, one: usize, other: usize) -> f64 {
        let deviation = self.variance_of_difference(one, other).sqrt();
        let distance = (self.elos[one] - self.elos[other]) / (LOGIT * deviation);
        (-distance * distance / 2.0).exp() / deviation
    }

    /// The probability that `one` is stronger than `other`.
    pub fn superiority(&self, one: usize, other: usize) -> f64 {
        let deviation = LOGIT * self.variance_of_difference(one, other).sqrt();
        normal_cdf((self.elos[one] - self.elos[other]) / deviation)
    }
}

/// Sweeps over all players until the ratings stand still.
const MAX_SWEEPS: usize = 200;

/// The largest step that ends the search, in log-odds: 0.02 Elo.
const PRECISION: f64 = 1e-4;

/// The ratings after these games, in Elo: the mode of the posterior.
pub fn ratings(prior: &Prior, meetings: &Meetings) -> Vec<f64> {
    let mut ratings = prior.elos.clone();
    let change = precision(CHANGE);
    for _ in 0..MAX_SWEEPS {
        let mut largest = 0.0_f64;
        for player in 0..ratings.len() {
            let mut curvature = prior.own_precision(player);
            let mut slope = -curvature * ratings[player] / LOGIT;
            for relative in prior.relatives(player) {
                slope += change * (ratings[relative] - ratings[player]) / LOGIT;
                curvature += change;
            }
            for meeting in &meetings.players[player] {
                let games = f64::from(meeting.games);
                let expected = expected_score(ratings[player] - ratings[meeting.opponent]);
                slope += meeting.half_points as f64 / 2.0 - games * expected;
                curvature += games * information(expected);
            }
            let step = (slope / curvature).clamp(-1.0, 1.0);
            ratings[player] += step * LOGIT;
            largest = largest.max(step.abs());
        }
        if largest < PRECISION {
            break;
        }
    }
    ratings
}

/// The information of a game about the difference of two players, in squared log-odds.
pub fn information(expected: f64) -> f64 {
    expected * (1.0 - expected)
}

/// The covariances of the ratings of `players`, in squared log-odds: a part of the inverse of the curvature
/// of the posterior at its mode.
fn covariances<E>(
    prior: &Prior,
    meetings: &Meetings,
    ratings: &[f64],
    players: &[usize],
    watch: impl Fn() -> Result<(), E>,
) -> Result<Vec<Vec<f64>>, E> {
    let count = ratings.len();
    let mut curvature = vec![vec![0.0; count]; count];
    let change = precision(CHANGE);
    for player in 0..count {
        curvature[player][player] += prior.own_precision(player);
        for relative in prior.relatives(player) {
            curvature[player][player] += change;
            curvature[player][relative] -= change;
        }
        for meeting in &meetings.players[player] {
            let expected = expected_score(ratings[player] - ratings[meeting.opponent]);
            let of_pair = f64::from(meeting.games) * information(expected);
            curvature[player][player] += of_pair;
            curvature[player][meeting.opponent] -= of_pair;
        }
    }
    let mut is_asked = vec![false; count];
    for &player in players {
        is_asked[player] = true;
    }
    eliminate(&mut curvature, &is_asked, &watch)?;
    let part = players
        .iter()
        .map(|&one| players.iter().map(|&other| curvature[one][other]).collect());
    let mut covariances = vec![vec![0.0; count]; count];
    for (&one, row) in players.iter().zip(inverse(part.collect(), watch)?) {
        players
            .iter()
            .zip(row)
            .for_each(|(&other, cell)| covariances[one][other] = cell);
    }
    Ok(covariances)
}

/// Eliminates all rows and columns but those that are asked for, so that the inverse of the rest is the same
/// part of the inverse of all (Schur complement). Players who have left met few others, so most cells are
/// empty.
fn eliminate<E>(
    matrix: &mut [Vec<f64>],
    is_asked: &[bool],
    watch: impl Fn() -> Result<(), E>,
) -> Result<(), E> {
    for pivot in (0..matrix.len()).filter(|&pivot| !is_asked[pivot]) {
        watch()?;
        let row = std::mem::take(&mut matrix[pivot]);
        let met = |&other: &usize| other != pivot && row[other] != 0.0 && (is_asked[other] || other > pivot);
        let others: Vec<usize> = (0..row.len()).filter(met).collect();
        for &other in &others {
            let factor = row[other] / row[pivot];
            for &column in &others {
                matrix[other][column] -= factor * row[column];
            }
        }
    }
    Ok(())
}

/// The inverse of a symmetric positive definite matrix, by Gauss–Jordan elimination, which needs no
/// pivots then.
fn inverse<E>(mut matrix: Vec<Vec<f64>>, watch: impl Fn() -> Result<(), E>) -> Result<Vec<Vec<f64>>, E> {
    for pivot in 0..matrix.len() {
        watch()?;
        let scale = 1.0 / matrix[pivot][pivot];
        matrix[pivot][pivot] = 1.0;
        matrix[pivot].iter_mut().for_each(|cell| *cell *= scale);
        let row = matrix[pivot].clone();
        for (number, other) in matrix.iter_mut().enumerate() {
            if number != pivot {
                let factor = std::mem::take(&mut other[pivot]);
                for (cell, of_pivot) in other.iter_mut().zip(&row) {
                    *cell -= factor * of_pivot;
                }
            }
        }
    }
    Ok(matrix)
}

#[cfg(test)]
mod tests {
    use lodestone::random::Random;

    use super::*;

    const ALL: [usize; 6] = [0, 1, 2, 3, 4, 5];

    /// Games of six players, of whom the last two are versions of others.
    fn example() -> (Prior, Meetings) {
        let mut random = Random::new(1);
        let mut meetings = Meetings::new(6);
        for _ in 0..60 {
            let one = random.below(6) as usize;
            let other = (one + 1 + random.below(5) as usize) % 6;
            let won = random.below(3);
            meetings.add([one, other], [won, 2 - won]);
        }
        (Prior::new(&[None, None, None, None, Some(1), Some(4)]), meetings)
    }

    /// The logarithm of the posterior, by its definition.
    fn posterior(prior: &Prior, meetings: &Meetings, elos: &[f64]) -> f64 {
        let normal = |difference: f64, deviation: f64| -(difference / deviation).powi(2) / 2.0;
        let mut sum = 0.0;
        for (player, predecessor) in prior.predecessors.iter().enumerate() {
            sum += match predecessor {
                None => normal(elos[player], prior.deviation),
                Some(predecessor) => normal(elos[player] - elos[*predecessor], CHANGE),
            };
        }
        for (player, meetings) in meetings.players.iter().enumerate() {
            for meeting in meetings {
                let won = expected_score(elos[player] - elos[meeting.opponent]);
                let points = meeting.half_points as f64 / 2.0;
                let both = points * won.ln() + (f64::from(meeting.games) - points) * (1.0 - won).ln();
                // Each game is counted from both sides.
                sum += both / 2.0;
            }
        }
        sum
    }

    #[test]
    fn ratings_are_the_mode_of_the_posterior() {
        let (prior, meetings) = example();
        let elos = ratings(&prior, &meetings);
        let best = posterior(&prior, &meetings, &elos);
        for player in 0..6 {
            for step in [-2.0, 2.0] {
                let mut other = elos.clone();
                other[player] += step;
                assert!(posterior(&prior, &meetings, &other) < best, "{player} {step}");
            }
        }
    }

    /// The inverse of the covariances has the second derivatives of the posterior, taken by differences.
    #[test]
    fn covariances_follow_from_the_curvature() {
        let (prior, meetings) = example();
        let found = Posterior::new(&prior, &meetings, &ALL);
        // A part of them is the same.
        let part = Posterior::new(&prior, &meetings, &[5, 0, 3]);
        for (one, other) in [(0, 0), (0, 5), (5, 0), (3, 5)] {
            let difference = part.covariances[one][other] - found.covariances[one][other];
            assert!(difference.abs() < 1e-12, "{one} {other}");
        }
        let curvature = inverse(found.covariances.clone(), || Ok::<(), Infallible>(())).unwrap();
        let step = 0.01 * LOGIT;
        for one in 0..6 {
            for other in 0..6 {
                let at = |signs: [f64; 2]| {
                    let mut elos = found.elos.clone();
                    elos[one] += signs[0] * step;
                    elos[other] += signs[1] * step;
                    posterior(&prior, &meetings, &elos)
                };
                let crossed = at([1.0, 1.0]) - at([1.0, -1.0]) - at([-1.0, 1.0]) + at([-1.0, -1.0]);
                let expected = -crossed / 4.0 / 0.01_f64.powi(2);
                assert!((curvature[one][other] - expected).abs() < 1e-3, "{one} {other}");
            }
        }
    }

    #[test]
    fn a_new_version_begins_where_its_predecessor_is() {
        let mut meetings = Meetings::new(3);
        (0..20).for_each(|_| meetings.add([0, 1], [2, 0]));
        let prior = Prior::new(&[None, None, Some(0)]);
        let found = Posterior::new(&prior, &meetings, &[0, 1, 2]);
        assert!(found.elos[0] > 100.0, "{:?}", found.elos);
        assert!((found.elos[2] - found.elos[0]).abs() < 1.0, "{:?}", found.elos);
        let change = (found.variance(2) - found.variance(0)).sqrt() * LOGIT;
        assert!((change - CHANGE).abs() < 0.1, "{change}");
        // What the version shows is also said of its predecessor.
        (0..20).for_each(|_| meetings.add([1, 2], [2, 0]));
        let after = Posterior::new(&prior, &meetings, &[]);
        assert!(after.elos[2] < after.elos[1] && after.elos[0] < found.elos[0]);
    }

    #[test]
    fn equal_players_have_a_narrow_prior() {
        let mut random = Random::new(3);
        let deviation = |strength: f64, random: &mut Random| {
            let mut meetings = Meetings::new(20);
            for game in 0..400_usize {
                let (one, other) = (game % 20, (game % 20 + 1 + game / 20 % 19) % 20);
                let expected = expected_score(strength * (one as f64 - other as f64));
                let won = (random.below(1 << 30) as f64) < expected * f64::from(1 << 30);
                meetings.add([one, other], if won { [2, 0] } else { [0, 2] });
            }
            let (mut prior, all) = (Prior::new(&[None; 20]), (0..20).collect::<Vec<_>>());
            for _ in 0..30 {
                let posterior = Posterior::new(&prior, &meetings, &all);
                prior.learn(&posterior, &all);
            }
            prior.deviation
        };
        // The true deviations are 0 and 115.
        let found = [0.0, 20.0].map(|strength| deviation(strength, &mut random));
        assert!(found[0] < 85.0 && (90.0..160.0).contains(&found[1]), "{found:?}");
    }

    #[test]
    fn superiority_follows_from_the_difference() {
        let (prior, meetings) = example();
        let found = Posterior::new(&prior, &meetings, &ALL);
        let [ahead, behind] = [found.superiority(0, 3), found.superiority(3, 0)];
        assert!((ahead + behind - 1.0).abs() < 1e-12);
        assert_eq!(ahead > 0.5, found.elos[0] > found.elos[3]);
        let interval = found.interval(0);
        assert!(interval.low < found.elos[0] && found.elos[0] < interval.high);
        // The zero of the scale changes no difference.
        let moved = found.clone().relative_to(5);
        assert!((moved.superiority(0, 3) - ahead).abs() < 1e-9);
        assert!(moved.elos[5].abs() < 1e-9 && moved.variance(5).abs() < 1e-9);
    }
}
