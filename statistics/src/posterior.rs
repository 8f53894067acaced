//! Ratings of players who come and go in versions: the posterior of the Bradley–Terry model with
//! Gaussian priors.
//!
//! A player is a new one, whose rating before its first game is normal around 0, or a new version of
//! another player, whose rating is normal around that of its predecessor. The ratings are the mode of
//! the posterior of all of them; their covariances C follow from the curvature there (Laplace's
//! approximation). So the games of a version also say something about those before and after it. Elo is
//! 400 per factor ten of the odds.
//!
//! The deviation σ of new players is estimated from their ratings r: σ² = Σr² / (n − ΣC/σ²), an update of
//! D. J. C. `MacKay` ("Bayesian Interpolation", 1992). With a wide prior, few games make equal players look
//! different. Only players that are new themselves count, because σ says nothing about new versions. A new
//! player without games adds nothing to either sum (r = 0, C = σ²), and a new version without games changes
//! no other rating, so ratings move by games alone.

use std::convert::Infallible;

use super::curvature::Curvature;
use super::elo::{LOGIT, expected_score, normal_cdf};
use super::estimate::Interval;
use super::samples::{SAMPLES, Samples};

/// The standard deviation of the difference between a version and its predecessor, in Elo. A change may
/// mend a bot, or break it.
const CHANGE: f64 = 150.0;

/// The standard deviation of new players before the first game, in Elo.
const UNKNOWN: f64 = 350.0;

/// A rating that counts like that of one more new player when the deviation is estimated, in Elo, so that
/// a few games of a few players do not make it small.
const TYPICAL: f64 = 200.0;

/// The most new players, from the first on, from whose ratings the deviation is estimated. As many determine it
/// to about 4 %, and more only take time.
const MOST_LEARNT: usize = 256;

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

    /// The standard deviation of new players, in Elo.
    pub const fn deviation(&self) -> f64 {
        self.deviation
    }

    /// Takes a deviation that was learnt before. One that is out of range becomes the nearest in range.
    pub fn set_deviation(&mut self, deviation: f64) {
        self.deviation = deviation.clamp(1.0, UNKNOWN);
    }

    /// Takes the deviation that the [`ratings`] after these games make likely, in hundredths, and begins the next
    /// search with these ratings. It stays as it was if `watch` fails, as in [`Posterior::until`].
    ///
    /// # Errors
    /// Those of `watch`.
    pub fn learn<E: Send>(
        &mut self,
        meetings: &Meetings,
        elos: &[f64],
        watch: impl Fn() -> Result<(), E> + Sync,
    ) -> Result<(), E> {
        let is_new = |player: &usize| self.predecessors[*player].is_none();
        let new: Vec<usize> = (0..self.players()).filter(is_new).take(MOST_LEARNT).collect();
        let groups: Vec<Vec<usize>> = new.iter().map(|&player| vec![player]).collect();
        let posterior = Posterior::until(self, meetings, elos.to_vec(), &groups, None, watch)?;
        let own = precision(self.deviation);
        let (mut squares, mut determined) = (TYPICAL * TYPICAL, 1.0);
        for player in new {
            squares += elos[player].powi(2);
            determined += 1.0 - own * posterior.variance(player);
        }
        // Of players who have won or lost all games, the ratings grow with the deviation.
        let deviation = (squares / determined).sqrt().min(UNKNOWN);
        self.set_deviation((deviation * 100.0).round() / 100.0);
        self.elos.copy_from_slice(elos);
        Ok(())
    }
}

/// The games of a player against one opponent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Meeting {
    opponent: usize,
    games: u32,
    /// The points of the player in these games, doubled.
    half_points: u64,
    /// The games that repeated others move by move. They are not among `games`, since they say nothing new.
    repeats: u32,
}

/// The games of all players.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Meetings {
    /// Those of each player, in the order of opponents: sums over them must not depend on the order in which
    /// games ended.
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
    pub fn add(&mut self, players: [usize; 2], half_points: [u64; 2]) {
        self.enter(players, |meeting, seat| {
            meeting.games += 1;
            meeting.half_points += half_points[seat];
        });
    }

    /// Adds a game that repeats another one move by move; `one` moved first.
    pub fn add_repeat(&mut self, players: [usize; 2]) {
        self.enter(players, |meeting, _| meeting.repeats += 1);
    }

    /// Adds a game of two players to what is known of their meetings, from the point of view of each seat.
    fn enter(&mut self, [one, other]: [usize; 2], add: impl Fn(&mut Meeting, usize)) {
        if let Some(count) = self.first_moves.get_mut(one) {
            *count += 1;
        }
        for (seat, (player, opponent)) in [(one, other), (other, one)].into_iter().enumerate() {
            let Some(meetings) = self.players.get_mut(player) else {
                continue;
            };
            let known = meetings.binary_search_by_key(&opponent, |meeting| meeting.opponent);
            let place = known.unwrap_or_else(|place| {
                let first = Meeting {
                    opponent,
                    ..Meeting::default()
                };
                meetings.insert(place, first);
                place
            });
            add(&mut meetings[place], seat);
        }
    }

    /// The number of games of a player, those included that repeat others.
    pub fn of(&self, player: usize) -> u32 {
        let meetings = self.players[player].iter();
        meetings.map(|meeting| meeting.games + meeting.repeats).sum()
    }

    /// The share of the games of two players that repeat no other game; 1 before their first one.
    pub fn share_of_new(&self, player: usize, opponent: usize) -> f64 {
        let meetings = &self.players[player];
        let known = meetings.binary_search_by_key(&opponent, |meeting| meeting.opponent);
        known.map_or(1.0, |place| {
            let meeting = &meetings[place];
            f64::from(meeting.games) / f64::from(meeting.games + meeting.repeats)
        })
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
    /// The group of each player and its place there.
    places: Vec<Option<(usize, usize)>>,
    covariances: Covariances,
}

/// The covariances of the players of some groups, in squared log-odds.
#[derive(Clone, Debug)]
enum Covariances {
    /// For each group a square matrix.
    Solved(Vec<Vec<Vec<f64>>>),
    Sampled(Samples),
}

/// 95 % of a normal distribution lie within this many standard deviations.
const WIDTH: f64 = 1.96;

impl Posterior {
    /// The covariances at these [`ratings`] of the players of each of the groups, which have no player in
    /// common. With `zero`, of the differences to this player, whose rating becomes 0. Those of more players than
    /// there are samples are sampled.
    pub fn new(
        prior: &Prior,
        meetings: &Meetings,
        elos: Vec<f64>,
        groups: &[Vec<usize>],
        zero: Option<usize>,
    ) -> Posterior {
        let watch = || Ok::<(), Infallible>(());
        let Ok(posterior) = Posterior::until(prior, meetings, elos, groups, zero, watch);
        posterior
    }

    /// The same, until `watch` fails, which is called often and from several threads.
    ///
    /// # Errors
    /// Those of `watch`.
    pub fn until<E: Send>(
        prior: &Prior,
        meetings: &Meetings,
        elos: Vec<f64>,
        groups: &[Vec<usize>],
        zero: Option<usize>,
        watch: impl Fn() -> Result<(), E> + Sync,
    ) -> Result<Posterior, E> {
        let curvature = curvature(prior, meetings, &elos);
        let covariances = if groups.iter().map(Vec::len).sum::<usize>() > SAMPLES {
            Covariances::Sampled(Samples::new(&curvature, groups, zero, watch)?)
        } else {
            Covariances::Solved(curvature.covariances_of(groups, zero, watch)?)
        };
        Ok(Posterior {
            places: places(elos.len(), groups),
            covariances,
            elos: with_zero_at(elos, zero),
        })
    }

    /// The group of a player and its place in the group, both from 0; `None` if it is in no group.
    pub fn place(&self, player: usize) -> Option<(usize, usize)> {
        self.places[player]
    }

    /// The covariance of the ratings of two players, in squared log-odds; 0 if they are in no common group.
    pub fn covariance(&self, one: usize, other: usize) -> f64 {
        match (self.place(one), self.place(other)) {
            (Some((group, one)), Some((same, other))) if group == same => match &self.covariances {
                Covariances::Solved(matrices) => matrices[group][one][other],
                Covariances::Sampled(samples) => samples.covariance(group, [one, other]),
            },
            _ => 0.0,
        }
    }

    /// The variance of the rating of a player, in squared log-odds.
    pub fn variance(&self, player: usize) -> f64 {
        self.covariance(player, player)
    }

    /// The variance of the difference of two ratings, in squared log-odds.
    pub fn variance_of_difference(&self, one: usize, other: usize) -> f64 {
        self.variance(one) + self.variance(other) - 2.0 * self.covariance(one, other)
    }

    /// The 95 % interval of the rating of a player, in Elo.
    pub fn interval(&self, player: usize) -> Interval {
        let width = WIDTH * LOGIT * self.variance(player).max(0.0).sqrt();
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

/// The group of each of this number of players, and its place there.
fn places(players: usize, groups: &[Vec<usize>]) -> Vec<Option<(usize, usize)>> {
    let mut places = vec![None; players];
    for (number, group) in groups.iter().enumerate() {
        for (place, &player) in group.iter().enumerate() {
            places[player] = Some((number, place));
        }
    }
    places
}

/// The ratings as differences to that of one player.
fn with_zero_at(mut elos: Vec<f64>, zero: Option<usize>) -> Vec<f64> {
    if let Some(zero) = zero.and_then(|zero| elos.get(zero).copied()) {
        for elo in &mut elos {
            *elo -= zero;
        }
    }
    elos
}

/// Sweeps over all players until the ratings hardly move.
const MAX_SWEEPS: usize = 200;

/// The largest step that ends the sweeps, in log-odds.
const ROUGH: f64 = 0.01;

/// The steps of Newton's method behind the sweeps, which double the number of right digits.
const MAX_STEPS: usize = 20;

/// The largest step that ends the search, in log-odds. The ratings do not depend on where the search began
/// then, in any digit that is printed.
const PRECISION: f64 = 1e-10;

/// The ratings after these games, in Elo: the mode of the posterior.
pub fn ratings(prior: &Prior, meetings: &Meetings) -> Vec<f64> {
    let mut ratings = prior.elos.clone();
    for _ in 0..MAX_SWEEPS {
        let mut largest = 0.0_f64;
        for player in 0..ratings.len() {
            let (slope, curvature) = slope(prior, meetings, &ratings, player);
            let step = (slope / curvature).clamp(-1.0, 1.0);
            ratings[player] += step * LOGIT;
            largest = largest.max(step.abs());
        }
        if largest < ROUGH {
            break;
        }
    }
    for _ in 0..MAX_STEPS {
        let slopes = (0..ratings.len()).map(|player| {
            let (slope, _) = slope(prior, meetings, &ratings, player);
            [slope]
        });
        let steps = curvature(prior, meetings, &ratings).solve(slopes.collect());
        let largest = steps
            .iter()
            .fold(0.0_f64, |largest, step| largest.max(step[0].abs()));
        let scale = LOGIT * (1.0 / largest).min(1.0);
        for (rating, step) in ratings.iter_mut().zip(&steps) {
            *rating += step[0] * scale;
        }
        if largest < PRECISION {
            break;
        }
    }
    ratings
}

/// The first derivative of the logarithm of the posterior by the rating of a player, and the second one with the
/// other sign; in log-odds.
fn slope(prior: &Prior, meetings: &Meetings, ratings: &[f64], player: usize) -> (f64, f64) {
    let mut curvature = prior.own_precision(player);
    let mut slope = -curvature * ratings[player] / LOGIT;
    let change = precision(CHANGE);
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
    (slope, curvature)
}

/// The information of a game about the difference of two players, in squared log-odds.
pub fn information(expected: f64) -> f64 {
    expected * (1.0 - expected)
}

/// The curvature of the posterior at these ratings, in squared log-odds.
fn curvature(prior: &Prior, meetings: &Meetings, ratings: &[f64]) -> Curvature {
    let change = precision(CHANGE);
    let row = |(player, &rating): (usize, &f64)| {
        let relatives = prior.relatives(player).map(move |relative| (relative, change));
        let met = meetings.players[player].iter().map(move |meeting| {
            let expected = expected_score(rating - ratings[meeting.opponent]);
            (meeting.opponent, f64::from(meeting.games) * information(expected))
        });
        (prior.own_precision(player), relatives.chain(met))
    };
    Curvature::new(ratings.iter().enumerate().map(row))
}

#[cfg(test)]
mod tests {
    use lodestone_game::random::Random;

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

    fn posterior_of(prior: &Prior, meetings: &Meetings, players: &[usize]) -> Posterior {
        let elos = ratings(prior, meetings);
        Posterior::new(prior, meetings, elos, &[players.to_vec()], None)
    }

    /// The covariances of the first group.
    fn matrix(covariances: &Covariances) -> Vec<Vec<f64>> {
        match covariances {
            Covariances::Solved(matrices) => matrices[0].clone(),
            Covariances::Sampled(_) => Vec::new(),
        }
    }

    fn learn(prior: &mut Prior, meetings: &Meetings) {
        let elos = ratings(prior, meetings);
        let watch = || Ok::<(), Infallible>(());
        let Ok(()) = prior.learn(meetings, &elos, watch);
    }

    /// Games end in any order where several are played at a time, and a ladder that was killed goes on with the
    /// same pairings: not even the last bit depends on the order.
    #[test]
    fn the_order_of_games_changes_nothing() {
        for seed in 0..20 {
            let mut random = Random::new(seed);
            let prior = Prior::new(&[None, None, None, None, Some(1), Some(4)]);
            let mut games: Vec<([usize; 2], u64)> = Vec::new();
            for _ in 0..30 {
                let one = random.below(6) as usize;
                games.push(([one, (one + 1 + random.below(5) as usize) % 6], random.below(3)));
            }
            let played = |games: &[([usize; 2], u64)]| {
                let mut meetings = Meetings::new(6);
                for &(players, won) in games {
                    meetings.add(players, [won, 2 - won]);
                }
                let found = posterior_of(&prior, &meetings, &ALL);
                (found.elos, matrix(&found.covariances))
            };
            let expected = played(&games);
            random.shuffle(&mut games);
            assert_eq!(played(&games), expected, "{seed}");
        }
    }

    /// The inverse of a symmetric positive definite matrix, by Gauss–Jordan elimination.
    fn inverse(mut matrix: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
        for pivot in 0..matrix.len() {
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
        matrix
    }

    /// The covariances of versions that come and go are those of the whole matrix, inverted.
    #[test]
    fn covariances_are_those_of_the_dense_inverse() {
        for seed in 0..20 {
            let mut random = Random::new(seed);
            let count = 2 + random.below(60) as usize;
            let mut meetings = Meetings::new(count);
            let known = |player: usize, random: &mut Random| {
                (player > 0 && random.below(3) > 0).then(|| random.below(player as u64) as usize)
            };
            let predecessors: Vec<_> = (0..count).map(|player| known(player, &mut random)).collect();
            for _ in 0..random.below(4000) {
                let one = random.below(count as u64) as usize;
                // Versions meet those of their time.
                let other = (one + 1 + random.below(8) as usize) % count;
                // The first one wins nearly all its games.
                let won = if one == 0 { 2 } else { random.below(3) };
                if one != other {
                    meetings.add([one, other], [won, 2 - won]);
                }
            }
            let prior = Prior::new(&predecessors);
            let elos = ratings(&prior, &meetings);
            let mut dense = vec![vec![0.0; count]; count];
            let curvature = curvature(&prior, &meetings, &elos);
            let mut start = 0;
            for (row, &end) in curvature.ends.iter().enumerate() {
                let scale = |column: usize| curvature.scale[row] * curvature.scale[column];
                dense[row][row] += 1.0 / scale(row);
                for &(column, value) in &curvature.cells[start..end] {
                    dense[row][column as usize] += value / scale(column as usize);
                }
                start = end;
            }
            let dense = inverse(dense);
            let groups = [(0..count).step_by(2).collect(), (1..count).step_by(2).collect()];
            let found = Posterior::new(&prior, &meetings, elos, &groups, None);
            for group in &groups {
                for &one in group {
                    for &other in group {
                        let (cell, expected) = (found.covariance(one, other), dense[one][other]);
                        let size = (dense[one][one] * dense[other][other]).sqrt();
                        assert!((cell - expected).abs() < 1e-6 * size, "{seed}: {one} {other}");
                    }
                }
            }
        }
    }

    /// The widths of sampled intervals are within 10 % of the solved ones, of versions and of players who won all
    /// their games, too; so are those of differences, with and without a player at 0.
    #[test]
    fn sampled_covariances_are_close_to_solved_ones() {
        for (seed, zero) in [(1, None), (2, Some(7)), (3, Some(0))] {
            let mut random = Random::new(seed);
            let predecessors: Vec<_> = (0..600).map(|player: usize| player.checked_sub(400)).collect();
            let mut meetings = Meetings::new(600);
            for game in 0..6000 {
                let [one, other] = [game % 600, random.below(600) as usize];
                let won = if one < 10 { 2 } else { random.below(3) };
                if one != other {
                    meetings.add([one, other], [won, 2 - won]);
                }
            }
            let prior = Prior::new(&predecessors);
            let elos = ratings(&prior, &meetings);
            let groups = [(0..300).collect::<Vec<usize>>(), (300..600).collect()];
            let sampled = Posterior::new(&prior, &meetings, elos.clone(), &groups, zero);
            assert!(matches!(sampled.covariances, Covariances::Sampled(_)));
            let solved = groups
                .clone()
                .map(|group| Posterior::new(&prior, &meetings, elos.clone(), &[group], zero));
            assert_eq!(sampled.elos, solved[0].elos);
            let mut sum = 0.0;
            for player in (0..600).filter(|&player| Some(player) != zero) {
                let solved = &solved[player / 300];
                let ratio = (sampled.variance(player) / solved.variance(player)).sqrt();
                assert!((0.9..1.1).contains(&ratio), "{seed}: {player}: {ratio}");
                sum += ratio;
                let other = if player % 300 < 299 {
                    player + 1
                } else {
                    player - 1
                };
                let [one, two] =
                    [&sampled, solved].map(|one| one.variance_of_difference(player, other).sqrt());
                assert!(
                    (0.85..1.15).contains(&(one / two)),
                    "{seed}: {player}: {one} {two}"
                );
            }
            assert!((sum / 600.0 - 1.0).abs() < 0.01, "{seed}: {}", sum / 600.0);
            assert!(zero.is_none_or(|zero| sampled.variance(zero) == 0.0));
        }
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
        let found = posterior_of(&prior, &meetings, &ALL);
        // A part of them is the same.
        let part = posterior_of(&prior, &meetings, &[5, 0, 3]);
        for (one, other) in [(0, 0), (0, 5), (5, 0), (3, 5)] {
            let difference = part.covariance(one, other) - found.covariance(one, other);
            assert!(difference.abs() < 1e-7, "{one} {other}");
        }
        let curvature = inverse(matrix(&found.covariances));
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
        let found = posterior_of(&prior, &meetings, &[0, 1, 2]);
        assert!(found.elos[0] > 100.0, "{:?}", found.elos);
        assert!((found.elos[2] - found.elos[0]).abs() < 1.0, "{:?}", found.elos);
        let change = (found.variance(2) - found.variance(0)).sqrt() * LOGIT;
        assert!((change - CHANGE).abs() < 0.1, "{change}");
        // What the version shows is also said of its predecessor.
        (0..20).for_each(|_| meetings.add([1, 2], [2, 0]));
        let after = posterior_of(&prior, &meetings, &[]);
        assert!(after.elos[2] < after.elos[1] && after.elos[0] < found.elos[0]);
    }

    /// New players and new versions without games change nothing for those who have played, whatever is learnt;
    /// a new version has the rating of its predecessor and a wider interval.
    #[test]
    fn ratings_move_by_games_alone() {
        for seed in 0..40 {
            let mut random = Random::new(seed);
            let count = 2 + random.below(20) as usize;
            let mut after = Vec::new();
            for player in 0..count as u64 + random.below(40) {
                let is_version = player > 0 && random.below(3) > 0;
                after.push(is_version.then(|| random.below(player) as usize));
            }
            let before = &after[..count];
            let mut meetings = Meetings::new(count);
            for _ in 0..random.below(400) {
                let one = random.below(count as u64) as usize;
                let other = (one + 1 + random.below(count as u64 - 1) as usize) % count;
                let won = if random.below(2) == 0 && one < other {
                    2
                } else {
                    random.below(3)
                };
                meetings.add([one, other], [won, 2 - won]);
            }
            let mut more = meetings.clone();
            more.extend(after.len());
            let mut priors = [Prior::new(before), Prior::new(&after)];
            for _ in 0..5 {
                learn(&mut priors[0], &meetings);
                learn(&mut priors[1], &more);
            }
            let all: Vec<usize> = (0..after.len()).collect();
            let old = posterior_of(&priors[0], &meetings, &all[..count]);
            let new = posterior_of(&priors[1], &more, &all);
            for player in 0..count {
                let moved = new.elos[player] - old.elos[player];
                assert!(moved.abs() < 1e-6, "{seed}: {player} moved by {moved}");
                let [one, other] = [&old, &new].map(|one| one.variance(player));
                assert!((one - other).abs() < 1e-6 * one, "{seed}: {player}");
            }
            for (player, predecessor) in after.iter().enumerate().skip(count) {
                let (elo, variance) = match *predecessor {
                    Some(known) => (new.elos[known], new.variance(known) + precision(CHANGE).recip()),
                    None => (0.0, precision(priors[1].deviation).recip()),
                };
                assert!((new.elos[player] - elo).abs() < 1e-6, "{seed}: {player}");
                assert!(
                    (new.variance(player) - variance).abs() < 1e-5 * variance,
                    "{seed}: {player}"
                );
            }
        }
    }

    #[test]
    fn games_that_repeat_others_say_nothing() {
        let (prior, meetings) = example();
        let mut more = meetings.clone();
        assert!((more.share_of_new(0, 5) - 1.0).abs() < 1e-12);
        let games = more.of(0) + 3;
        (0..3).for_each(|_| more.add_repeat([0, 5]));
        assert_eq!(
            (more.of(0), more.first_moves(0)),
            (games, meetings.first_moves(0) + 3)
        );
        assert!((0.0..1.0).contains(&more.share_of_new(5, 0)));
        assert_eq!(ratings(&prior, &more), ratings(&prior, &meetings));
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
            let mut prior = Prior::new(&[None; 20]);
            for _ in 0..30 {
                learn(&mut prior, &meetings);
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
        let found = posterior_of(&prior, &meetings, &ALL);
        let [ahead, behind] = [found.superiority(0, 3), found.superiority(3, 0)];
        assert!((ahead + behind - 1.0).abs() < 1e-12);
        assert_eq!(ahead > 0.5, found.elos[0] > found.elos[3]);
        let interval = found.interval(0);
        assert!(interval.low < found.elos[0] && found.elos[0] < interval.high);
        // The zero of the scale changes no difference.
        let elos = ratings(&prior, &meetings);
        let moved = Posterior::new(&prior, &meetings, elos, &[ALL.to_vec()], Some(5));
        assert!((moved.superiority(0, 3) - ahead).abs() < 1e-7);
        assert!(moved.elos[5].abs() < 1e-9 && moved.variance(5).abs() < 1e-7);
    }
}
