//! How long a sequential test takes.
//!
//! The LLR of a test is nearly a Brownian motion: with t = (μ − ½) / σ of a pair, a pair adds
//! (t1 − t0) · (t − (t0 + t1) / 2) on average, with variance (t1 − t0)². Source: Van den Bergh,
//! "A practical introduction to the GSPRT". The first exit of a Brownian motion from an interval
//! has a closed form (Wald, 1945).

use lodestone::random::Random;

use super::counts::Pentanomial;
use super::distribution::Distribution;
use super::elo::{NORMALIZED, expected_score};
use super::estimate::Interval;
use super::sprt::{Model, Sprt};

/// The weight of one pair, spread evenly over all outcomes, which is added to the counts. It
/// keeps the deviation of a small sample from being 0.
const PRIOR: f64 = 1.0;

/// The number of simulated tests for a quantile.
const SIMULATIONS: usize = 2000;

/// The seed of the simulation.
const SEED: u64 = 1;

/// The steps of a simulated test of expected length.
const STEPS: f64 = 500.0;

/// The strength at which a length is expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truth {
    /// The player is `elo0` stronger.
    H0,
    /// Halfway between both hypotheses, where a test is longest on average.
    Between,
    /// The player is `elo1` stronger.
    H1,
}

impl Truth {
    /// All of them, the weakest first.
    pub const ALL: [Truth; 3] = [Truth::H0, Truth::Between, Truth::H1];
}

/// The expected length of a test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TestLength {
    /// The mean number of pairs.
    pub mean: f64,
    /// The number of pairs within which nine of ten tests end.
    pub ninety: f64,
}

/// The LLR as a Brownian motion.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Motion {
    /// The mean change by a pair.
    drift: f64,
    /// The variance of the change by a pair.
    variance: f64,
    bounds: Interval,
}

/// The lengths of a test against an opponent with these results, at each [`Truth`].
pub fn lengths(sprt: &Sprt, pairs: &Pentanomial) -> [TestLength; 3] {
    let [t0, t1] = t_values(sprt, pairs);
    Truth::ALL.map(|truth| {
        let t = match truth {
            Truth::H0 => t0,
            Truth::Between => f64::midpoint(t0, t1),
            Truth::H1 => t1,
        };
        let motion = Motion {
            drift: (t1 - t0) * (t - f64::midpoint(t0, t1)),
            variance: (t1 - t0).powi(2),
            bounds: sprt.bounds(),
        };
        TestLength {
            mean: motion.mean_exit(),
            ninety: motion.quantile_of_exit(0.9),
        }
    })
}

/// The factor between a length and the ends of its 95 % interval, because the sample that it is
/// computed from is small; 1 if the length does not depend on the sample.
pub fn uncertainty(sprt: &Sprt, pairs: &Pentanomial) -> f64 {
    if sprt.model() == Model::Normalized {
        return 1.0;
    }
    let sample = with_prior(pairs);
    let mean = sample.mean().unwrap_or(0.5);
    let variance = sample.variance(mean);
    let fourth = sample.0.iter().zip(Distribution::<5>::values());
    let fourth: f64 = fourth.map(|(count, value)| count * (value - mean).powi(4)).sum();
    // The length is proportional to the variance of a pair, whose logarithm has this deviation.
    let kurtosis = fourth / sample.size() / variance.powi(2);
    (1.96 * ((kurtosis - 1.0).max(0.0) / sample.size()).sqrt()).exp()
}

fn with_prior(pairs: &Pentanomial) -> Distribution<5> {
    Distribution(Distribution::from(pairs).0.map(|count| count + PRIOR / 5.0))
}

/// (μ − ½) / σ of a pair under both hypotheses.
fn t_values(sprt: &Sprt, pairs: &Pentanomial) -> [f64; 2] {
    let sample = with_prior(pairs);
    let deviation = sample.variance(sample.mean().unwrap_or(0.5)).sqrt();
    sprt.elos().map(|elo| match sprt.model() {
        Model::Normalized => elo / NORMALIZED * Distribution::<5>::GAMES.sqrt(),
        // BayesElo counts single games, of which a pair has two. Near 0, the model differs from
        // the logistic one by a factor only.
        Model::Logistic => (expected_score(elo) - 0.5) / deviation,
        Model::Bayesian => {
            let games = pairs.games();
            let counts = [games.losses, games.draws, games.wins].map(|count| count as f64 + PRIOR / 3.0);
            let size: f64 = counts.iter().sum();
            let [loss, _, win] = counts.map(|count| count / size);
            let draw_elo = 200.0 * ((1.0 - loss) / loss * (1.0 - win) / win).log10();
            let (win, loss) = (expected_score(elo - draw_elo), expected_score(-elo - draw_elo));
            let score = f64::midpoint(1.0, win - loss);
            let variance = (win + loss - (win - loss).powi(2)) / 4.0;
            (score - 0.5) / variance.sqrt() * Distribution::<5>::GAMES.sqrt()
        }
    })
}

impl Motion {
    /// The mean time of the first exit.
    fn mean_exit(&self) -> f64 {
        let Interval { low, high } = self.bounds;
        let rate = 2.0 * self.drift / self.variance;
        if (rate * (high - low)).abs() < 1e-6 {
            return -low * high / self.variance;
        }
        let above = (1.0 - (-rate * low).exp()) / ((-rate * high).exp() - (-rate * low).exp());
        (high * above + low * (1.0 - above)) / self.drift
    }

    /// The time within which this share of the tests ends, by simulation.
    fn quantile_of_exit(&self, share: f64) -> f64 {
        let step = self.mean_exit() / STEPS;
        let (drift, deviation) = (self.drift * step, (self.variance * step).sqrt());
        let mut exits: Vec<f64> = (0..SIMULATIONS)
            .map(|number| {
                let mut random = Random::substream(SEED, number as u64);
                let (mut llr, mut steps) = (0.0, 0.0);
                while llr > self.bounds.low && llr < self.bounds.high {
                    llr += drift + deviation * normal(&mut random);
                    steps += 1.0;
                }
                steps * step
            })
            .collect();
        exits.sort_by(f64::total_cmp);
        exits[((SIMULATIONS as f64 * share) as usize).min(SIMULATIONS - 1)]
    }
}

/// A random number of the standard normal distribution (Box and Muller, 1958).
fn normal(random: &mut Random) -> f64 {
    let mut uniform = || ((random.next_u64() >> 11) as f64 + 0.5) / (1u64 << 53) as f64;
    let radius = (-2.0 * uniform().ln()).sqrt();
    radius * (std::f64::consts::TAU * uniform()).cos()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::Decision;

    /// Counts of pairs with 0, ½, 1, 1½ and 2 points.
    fn sample([none, half, even, more, all]: [u64; 5]) -> Pentanomial {
        Pentanomial {
            loss_loss: none,
            loss_draw: half,
            draw_draw: even,
            win_draw: more,
            win_win: all,
            ..Pentanomial::default()
        }
    }

    fn test(words: &str) -> Sprt {
        Sprt::parse(words.split(' ')).unwrap()
    }

    #[test]
    fn a_motion_without_drift_leaves_after_the_product_of_its_bounds() {
        let motion = Motion {
            drift: 0.0,
            variance: 0.25,
            bounds: Interval { low: -2.0, high: 3.0 },
        };
        assert!((motion.mean_exit() - 24.0).abs() < 1e-9);
        let almost = Motion {
            drift: 1e-5,
            ..motion
        };
        assert!((almost.mean_exit() - 24.0).abs() < 1e-2, "{}", almost.mean_exit());
    }

    /// Without drift, between bounds L apart, the time has an exponential tail: nine of ten
    /// tests end within 2 ln(40/π) / π² · L².
    #[test]
    fn nine_of_ten_motions_end_within_the_closed_form() {
        let motion = Motion {
            drift: 0.0,
            variance: 1.0,
            bounds: Interval { low: -3.0, high: 3.0 },
        };
        let (found, expected) = (motion.quantile_of_exit(0.9), 18.56);
        assert!((found / expected - 1.0).abs() < 0.08, "{found}");
    }

    #[test]
    fn a_strong_drift_leads_straight_to_a_bound() {
        let motion = Motion {
            drift: 1.0,
            variance: 0.01,
            bounds: Interval { low: -3.0, high: 3.0 },
        };
        assert!((motion.mean_exit() - 3.0).abs() < 1e-9);
        let ninety = motion.quantile_of_exit(0.9);
        assert!((3.0..3.5).contains(&ninety), "{ninety}");
    }

    #[test]
    fn tests_of_normalized_elo_do_not_depend_on_draws() {
        let sprt = test("elo0=0 elo1=10");
        let few = lengths(&sprt, &sample([20, 20, 20, 20, 20]));
        let many = lengths(&sprt, &sample([1, 5, 88, 5, 1]));
        assert_eq!(few, many);
        let pairs = sample([1, 5, 88, 5, 1]);
        assert!((uncertainty(&sprt, &pairs) - 1.0).abs() < 1e-12);
        assert!(uncertainty(&test("elo0=0 elo1=10 model=logistic"), &pairs) > 1.2);
    }

    #[test]
    fn fewer_draws_make_a_logistic_test_longer() {
        let sprt = test("elo0=0 elo1=10 model=logistic");
        let few = lengths(&sprt, &sample([200, 200, 200, 200, 200]))[0].mean;
        let many = lengths(&sprt, &sample([0, 50, 900, 50, 0]))[0].mean;
        assert!(few > 10.0 * many, "{few} {many}");
    }

    /// Real tests of random pairs. Their LLR is computed after every eighth pair only, so it
    /// passes its bound by 0.583 standard deviations of eight pairs on average (Siegmund, 1985).
    #[test]
    fn real_tests_have_the_predicted_length() {
        const TESTS: u64 = 20;
        let shares = [1, 4, 9, 4, 2];
        let counts = sample(shares.map(|share| share * 1000));
        for words in [
            "elo0=0 elo1=60",
            "elo0=0 elo1=40 model=logistic",
            "elo0=0 elo1=60 model=bayesian",
        ] {
            let sprt = test(words);
            let [t0, t1] = t_values(&sprt, &counts);
            let observed = with_prior(&counts);
            let score = observed.mean().unwrap();
            let t = (score - 0.5) / observed.variance(score).sqrt();
            let motion = Motion {
                drift: (t1 - t0) * (t - f64::midpoint(t0, t1)),
                variance: (t1 - t0).powi(2),
                bounds: Interval {
                    low: sprt.bounds().low - 0.583 * (t1 - t0) * 8f64.sqrt(),
                    high: sprt.bounds().high + 0.583 * (t1 - t0) * 8f64.sqrt(),
                },
            };
            let lengths = (0..TESTS).map(|seed| played(&sprt, shares, seed));
            let mean = lengths.sum::<u64>() as f64 / TESTS as f64;
            let predicted = motion.mean_exit();
            assert!(
                (mean / predicted - 1.0).abs() < 0.3,
                "{words}: {mean}, not {predicted}"
            );
        }
    }

    /// The number of pairs until the test decides, with random pairs from these shares.
    fn played(sprt: &Sprt, shares: [u64; 5], seed: u64) -> u64 {
        let mut random = Random::substream(7, seed);
        let mut pairs = Pentanomial::default();
        for count in 1..100_000 {
            let mut place = random.below(shares.iter().sum());
            let outcome = shares.iter().position(|&share| {
                let is_here = place < share;
                place = place.wrapping_sub(share);
                is_here
            });
            let mut outcomes = [0; 5];
            outcomes[outcome.unwrap()] = 1;
            pairs += sample(outcomes);
            if count % 8 == 0 && sprt.decision(sprt.llr_of_pairs(&pairs)) != Decision::Continue {
                return count;
            }
        }
        panic!("no decision");
    }
}
