//! Covariances of many players from random samples: as many systems of equations are solved for ten thousand
//! players as for a thousand.
//!
//! The curvature is a sum, with one part for each game, prior and change of a version. If the part of each is
//! counted with a random sign and the root of its weight, the covariances of the sums are the curvature, and those
//! of the solutions are its inverse (perturb and optimise; G. Papandreou and A. Yuille, "Gaussian sampling by
//! local perturbations", 2010). A variance is then right to 4 % of the part that comes from the opponents'
//! uncertainty: the part that a player's own games leave is known.

use super::curvature::{Curvature, LANES, in_threads};
use super::sparse::Lanes;

/// How many samples are drawn.
pub const SAMPLES: usize = 512;

/// Samples of the ratings of some groups of players around their most likely values.
#[derive(Clone, Debug)]
pub struct Samples {
    /// The players of each group.
    groups: Vec<Vec<Sampled>>,
}

/// What is known of a player.
#[derive(Clone, Debug)]
struct Sampled {
    /// The changes in all samples, in log-odds.
    changes: Vec<f64>,
    /// The variance, in squared log-odds.
    variance: f64,
    /// What a covariance of the player gains because another one has the rating 0.
    shift: f64,
}

impl Samples {
    /// Those of the players of these groups; of the differences to `zero`, if there is one.
    ///
    /// # Errors
    /// Those of `watch`, which is called often and from several threads.
    pub fn new<E: Send>(
        curvature: &Curvature,
        groups: &[Vec<usize>],
        zero: Option<usize>,
        watch: impl Fn() -> Result<(), E> + Sync,
    ) -> Result<Samples, E> {
        let players: Vec<usize> = groups.concat();
        let alone = |player: usize| curvature.scale[player].powi(2);
        let sample = |&number: &u64| {
            watch()?;
            let gradients = curvature.random_gradients(Signs(number << u32::BITS));
            let of_own = |&player: &usize| gradients[player].map(|part| part * alone(player));
            let own: Vec<Lanes<LANES>> = players.iter().map(of_own).collect();
            let solved = curvature.solve(gradients);
            let changes: Vec<Lanes<LANES>> = players.iter().map(|&player| solved[player]).collect();
            Ok((changes, own))
        };
        let numbers: Vec<u64> = (0..(SAMPLES / LANES) as u64).collect();
        let drawn = in_threads(&numbers, sample)?;
        let with_zero = zero.map(|zero| (zero, curvature.column(zero)));
        let of_player = |(place, player): (usize, usize)| {
            let changes: Vec<f64> = drawn.iter().flat_map(|(changes, _)| changes[place]).collect();
            let own: Vec<f64> = drawn.iter().flat_map(|(_, own)| own[place]).collect();
            // The variance of what the player's own games leave is known, and so its error in these samples.
            let variance = mean_product(&changes, &changes) - mean_product(&own, &own) + alone(player);
            let shift = match &with_zero {
                Some((zero, column)) => column[*zero] / 2.0 - column[player],
                None => 0.0,
            };
            Sampled {
                changes,
                variance: match zero {
                    Some(zero) if zero == player => 0.0,
                    _ => variance.max(alone(player)) + 2.0 * shift,
                },
                shift,
            }
        };
        let mut all = players.iter().copied().enumerate().map(of_player);
        let groups = groups
            .iter()
            .map(|group| all.by_ref().take(group.len()).collect());
        Ok(Samples {
            groups: groups.collect(),
        })
    }

    /// The covariance of two players of a group, by their places there, in squared log-odds.
    pub fn covariance(&self, group: usize, [one, other]: [usize; 2]) -> f64 {
        if one == other {
            return self.groups[group][one].variance;
        }
        let [one, other] = [one, other].map(|place| &self.groups[group][place]);
        mean_product(&one.changes, &other.changes) + one.shift + other.shift
    }
}

/// The mean product of the changes in all samples.
fn mean_product(one: &[f64], other: &[f64]) -> f64 {
    let mut sums = [0.0; LANES];
    for (one, other) in one.chunks_exact(LANES).zip(other.chunks_exact(LANES)) {
        for lane in 0..LANES {
            sums[lane] += one[lane] * other[lane];
        }
    }
    sums.iter().sum::<f64>() / SAMPLES as f64
}

/// Random signs, the same in each run: those of `SplitMix64` (G. Steele, D. Lea and C. Flood, 2014).
struct Signs(u64);

impl Signs {
    /// A sign for each lane.
    fn next(&mut self) -> Lanes<LANES> {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^= word >> 31;
        std::array::from_fn(|lane| if (word >> lane) & 1 == 0 { 1.0 } else { -1.0 })
    }
}

impl Curvature {
    /// Right sides of [`Curvature::solve`] whose covariances are the curvature.
    fn random_gradients(&self, mut signs: Signs) -> Vec<Lanes<LANES>> {
        let mut gradients = vec![[0.0; LANES]; self.scale.len()];
        let mut start = 0;
        for (player, &end) in self.ends.iter().enumerate() {
            let own = self.own[player].sqrt();
            let signs_of_prior = signs.next();
            for lane in 0..LANES {
                gradients[player][lane] += signs_of_prior[lane] * own;
            }
            for &(other, value) in &self.cells[start..end] {
                let other = other as usize;
                // Each part is in the rows of both players.
                if other < player {
                    continue;
                }
                let root = (-value / (self.scale[player] * self.scale[other])).sqrt();
                for (lane, sign) in signs.next().into_iter().enumerate() {
                    gradients[player][lane] += sign * root;
                    gradients[other][lane] -= sign * root;
                }
            }
            start = end;
        }
        gradients
    }
}
