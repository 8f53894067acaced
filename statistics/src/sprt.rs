//! The generalised sequential probability ratio test (GSPRT).
//!
//! H0: the player is `elo0` stronger. H1: the player is `elo1` stronger. The
//! log-likelihood ratio (LLR) compares the maximum likelihood distributions of
//! results under both hypotheses: Van den Bergh, "A practical introduction to the
//! GSPRT", <https://www.cantate.be/Fishtest/GSPRT_approximation.pdf>. We compute
//! the exact ratio, not the approximation.
//!
//! Definitions and defaults follow fastchess. fastchess stops its iteration early,
//! so its LLR may differ from ours in the fourth digit.

use std::fmt;

use super::counts::{Distribution, Pentanomial, Trinomial};
use super::elo::{NORMALIZED, expected_score};
use super::estimate::Interval;
use super::likelihood::{mle_with_mean, mle_with_t_value};

/// The default of `alpha` and `beta`.
pub const DEFAULT_ERROR_RATE: f64 = 0.05;

/// The largest absolute value of `elo0` and `elo1`.
pub const MAX_ELO: f64 = 1000.0;

/// Replaces counts of 0, so that no hypothesis has zero likelihood (as in
/// fastchess).
const ZERO_COUNT: f64 = 1e-3;

/// The meaning of Elo in the hypotheses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Model {
    /// Normalized Elo: the score in units of its standard deviation.
    #[default]
    Normalized,
    /// Logistic Elo: depends on the score alone.
    Logistic,
    /// `BayesElo`: a model with an estimated draw rate. It is defined for single
    /// games only, so pairs are counted as games.
    Bayesian,
}

impl Model {
    /// All models, the default first.
    pub const ALL: [Model; 3] = [Model::Normalized, Model::Logistic, Model::Bayesian];

    /// The name on the command line and in files.
    pub const fn name(self) -> &'static str {
        match self {
            Model::Normalized => "normalized",
            Model::Logistic => "logistic",
            Model::Bayesian => "bayesian",
        }
    }
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The outcome of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The LLR is between the bounds: more games are needed.
    Continue,
    /// H0 is accepted: the player is not `elo1` stronger.
    AcceptH0,
    /// H1 is accepted: the player is more than `elo0` stronger.
    AcceptH1,
}

/// The parameters of a test, validated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sprt {
    elo0: f64,
    elo1: f64,
    alpha: f64,
    beta: f64,
    model: Model,
}

impl Sprt {
    /// A test of `elo0` against `elo1`, in Elo of the `model`. `alpha` is the
    /// probability of accepting H1 if H0 is true (type I error), `beta` that of
    /// accepting H0 if H1 is true (type II error).
    ///
    /// # Errors
    /// A sentence that names the wrong parameter.
    pub fn new(elo0: f64, elo1: f64, alpha: f64, beta: f64, model: Model) -> Result<Sprt, String> {
        for (key, elo) in [("elo0", elo0), ("elo1", elo1)] {
            if !(-MAX_ELO..=MAX_ELO).contains(&elo) {
                return Err(format!(
                    "`{key}={elo}`: expected Elo from -{MAX_ELO} to {MAX_ELO}"
                ));
            }
        }
        if elo0 >= elo1 {
            return Err(format!("`elo0={elo0}` must be less than `elo1={elo1}`"));
        }
        for (key, rate) in [("alpha", alpha), ("beta", beta)] {
            if !(rate > 0.0 && rate < 1.0) {
                return Err(format!(
                    "`{key}={rate}`: expected a probability between 0 and 1, such as 0.05"
                ));
            }
        }
        if alpha + beta >= 1.0 {
            return Err(format!(
                "the sum of `alpha={alpha}` and `beta={beta}` must be less than 1"
            ));
        }
        Ok(Sprt {
            elo0,
            elo1,
            alpha,
            beta,
            model,
        })
    }

    /// `elo0` and `elo1`.
    pub const fn elos(&self) -> [f64; 2] {
        [self.elo0, self.elo1]
    }

    /// The meaning of Elo.
    pub const fn model(&self) -> Model {
        self.model
    }

    /// H0 is accepted at an LLR of `low` = ln(β / (1 − α)) or less, H1 at `high`
    /// = ln((1 − β) / α) or more. Source: Wald, 1945.
    pub fn bounds(&self) -> Interval {
        Interval {
            low: (self.beta / (1.0 - self.alpha)).ln(),
            high: ((1.0 - self.beta) / self.alpha).ln(),
        }
    }

    /// The outcome for an LLR.
    pub fn decision(&self, llr: f64) -> Decision {
        let Interval { low, high } = self.bounds();
        if llr >= high {
            Decision::AcceptH1
        } else if llr <= low {
            Decision::AcceptH0
        } else {
            Decision::Continue
        }
    }

    /// The LLR of H1 over H0, assuming independent games. Finite for any counts;
    /// 0 without games.
    pub fn llr_of_games(&self, games: &Trinomial) -> f64 {
        match self.model {
            Model::Bayesian => self.bayesian(games),
            Model::Normalized | Model::Logistic => self.llr(&Distribution::from(games)),
        }
    }

    /// The LLR of H1 over H0, assuming independent pairs. Finite for any counts;
    /// 0 without pairs. [`Model::Bayesian`] counts the games of the pairs.
    pub fn llr_of_pairs(&self, pairs: &Pentanomial) -> f64 {
        match self.model {
            Model::Bayesian => self.bayesian(&pairs.games()),
            Model::Normalized | Model::Logistic => self.llr(&Distribution::from(pairs)),
        }
    }

    fn llr<const N: usize>(&self, observed: &Distribution<N>) -> f64 {
        likelihood_ratio(observed, |frequencies| {
            self.elos().map(|elo| match self.model {
                Model::Normalized => {
                    mle_with_t_value(frequencies, elo / NORMALIZED * Distribution::<N>::GAMES.sqrt())
                }
                Model::Logistic | Model::Bayesian => mle_with_mean(frequencies, expected_score(elo)),
            })
        })
    }

    /// Expected scores follow `BayesElo`'s model with the observed draw Elo. It
    /// is defined only if both players won a game; otherwise the LLR is 0.
    fn bayesian(&self, games: &Trinomial) -> f64 {
        if games.wins == 0 || games.losses == 0 {
            return 0.0;
        }
        likelihood_ratio(&Distribution::from(games), |frequencies| {
            let [losses, _, wins] = *frequencies;
            let draw_elo = draw_elo(losses, wins);
            self.elos().map(|elo| {
                let win = expected_score(elo - draw_elo);
                let loss = expected_score(-elo - draw_elo);
                mle_with_mean(frequencies, win + (1.0 - win - loss) / 2.0)
            })
        })
    }
}

/// n Σ p̂ · ln(p1 / p0). For the frequencies p̂, `hypotheses` returns the ratios
/// p̂ / p0 and p̂ / p1 of the maximum likelihood estimates (see `likelihood`).
fn likelihood_ratio<const N: usize>(
    observed: &Distribution<N>,
    hypotheses: impl FnOnce(&[f64; N]) -> [[f64; N]; 2],
) -> f64 {
    if observed.size() == 0.0 {
        return 0.0;
    }
    let counts = observed
        .0
        .map(|count| if count == 0.0 { ZERO_COUNT } else { count });
    let size: f64 = counts.iter().sum();
    let [h0, h1] = hypotheses(&counts.map(|count| count / size));
    let terms = counts.iter().zip(h0.iter().zip(h1));
    terms.map(|(count, (h0, h1))| count * (h0 / h1).ln()).sum()
}

/// `BayesElo`'s drawelo parameter for these shares of losses and wins; at least 0.
/// A larger value means more draws.
fn draw_elo(losses: f64, wins: f64) -> f64 {
    200.0 * ((1.0 - losses) / losses * (1.0 - wins) / wins).log10()
}

impl fmt::Display for Sprt {
    /// A list such as `elo0=0 elo1=5 alpha=0.05 beta=0.05 model=normalized`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Sprt {
            elo0,
            elo1,
            alpha,
            beta,
            model,
        } = self;
        write!(
            f,
            "elo0={elo0} elo1={elo1} alpha={alpha} beta={beta} model={model}"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{assert_close, pentanomial};

    fn test(model: Model, elos: [f64; 2]) -> Sprt {
        let [low, high] = elos;
        Sprt::new(low, high, DEFAULT_ERROR_RATE, DEFAULT_ERROR_RATE, model).unwrap()
    }

    /// The LLR of wins, losses and draws, in fastchess's order.
    fn games(model: Model, [wins, losses, draws]: [u64; 3], elos: [f64; 2]) -> f64 {
        test(model, elos).llr_of_games(&Trinomial { wins, draws, losses })
    }

    /// The LLR of LL, LD, WL, DD, WD and WW, in fastchess's order.
    fn pairs(model: Model, counts: [u64; 6], elos: [f64; 2]) -> f64 {
        test(model, elos).llr_of_pairs(&pentanomial(counts))
    }

    #[test]
    fn bounds_follow_walds_formula() {
        let sprt = test(Model::Normalized, [0.0, 5.0]);
        let Interval { low, high } = sprt.bounds();
        assert_close(low, -2.944_438_979_166_440_3, 1e-12);
        assert_close(high, 2.944_438_979_166_440_3, 1e-12);
        assert_eq!(sprt.decision(high), Decision::AcceptH1);
        assert_eq!(sprt.decision(low), Decision::AcceptH0);
        assert_eq!(sprt.decision(high - 1e-9), Decision::Continue);
        assert_eq!(sprt.decision(low + 1e-9), Decision::Continue);
        let Interval { low, high } = Sprt::new(0.0, 5.0, 0.05, 0.1, Model::Normalized)
            .unwrap()
            .bounds();
        assert_close(low, -2.251_291_798_6, 1e-10);
        assert_close(high, 2.890_371_757_9, 1e-10);
    }

    /// The test vectors of fastchess, whose tests allow 1 %, and exact values to
    /// four digits.
    #[test]
    fn llr_matches_the_test_vectors_of_fastchess() {
        use Model::{Bayesian, Logistic, Normalized};
        for (model, counts, elos, theirs, exact) in [
            (Normalized, [36433, 36027, 68692], [0.0, 2.0], 0.92, 0.9233),
            (Normalized, [10871, 10650, 20431], [-1.75, 0.25], 2.30, 2.2975),
            (Normalized, [4250, 0, 0], [0.0, 10.0], 120.56, 120.5483),
            (Logistic, [21404, 21184, 40708], [0.5, 2.5], -1.57, -1.5719),
            (Logistic, [57433, 57030, 106_593], [0.0, 2.0], -2.59, -2.5930),
            (Bayesian, [68965, 68526, 128_429], [0.0, 2.0], -1.26, -1.2622),
            (Bayesian, [21629, 21484, 41111], [0.5, 2.5], -1.13, -1.1306),
        ] {
            let llr = games(model, counts, elos);
            assert_close(llr / theirs, 1.0, 0.01);
            assert_close(llr, exact, 5.1e-5);
        }
        for (model, counts, elos, theirs, exact) in [
            (
                Normalized,
                [365, 16618, 36029, 200, 16974, 390],
                [0.0, 2.0],
                2.25,
                2.2504,
            ),
            (
                Normalized,
                [127, 4883, 10311, 401, 5150, 104],
                [-1.75, 0.25],
                3.01,
                3.0102,
            ),
            (Normalized, [0, 0, 0, 0, 0, 5550], [0.0, 5.0], 111.82, 111.7976),
            (
                Logistic,
                [223, 9863, 20279, 1000, 10037, 246],
                [0.5, 2.5],
                -3.07,
                -3.0741,
            ),
            (
                Logistic,
                [871, 26175, 55003, 980, 26678, 821],
                [0.0, 2.0],
                -4.98,
                -4.9787,
            ),
        ] {
            let llr = pairs(model, counts, elos);
            assert_close(llr / theirs, 1.0, 0.01);
            assert_close(llr, exact, 5.1e-5);
        }
    }

    #[test]
    fn draw_elo_matches_reference_values() {
        assert_close(draw_elo(0.2, 0.3), 194.007_355_32, 1e-8);
        assert_close(draw_elo(0.45, 0.55), 0.0, 1e-12);
    }

    #[test]
    fn uses_the_global_maximum_of_the_likelihood() {
        // H1 has a local maximum with most weight on ¾ (log-likelihood −283.04)
        // and one with most weight on 1 (−316.56).
        let llr = pairs(Model::Normalized, [0, 0, 564, 0, 11, 0], [75.92077, 193.599]);
        assert_close(llr, -204.708_92, 1e-4);
    }

    #[test]
    fn llr_is_zero_without_games() {
        for model in Model::ALL {
            assert_eq!(games(model, [0; 3], [0.0, 5.0]), 0.0);
            assert_eq!(pairs(model, [0; 6], [0.0, 5.0]), 0.0);
        }
        assert_eq!(games(Model::Bayesian, [10, 0, 3], [0.0, 5.0]), 0.0);
        assert_eq!(games(Model::Bayesian, [0, 10, 3], [0.0, 5.0]), 0.0);
    }

    #[test]
    fn bayesian_model_counts_the_games_of_pairs() {
        let from_pairs = pairs(Model::Bayesian, [10, 40, 60, 40, 60, 20], [0.0, 5.0]);
        let from_games = games(Model::Bayesian, [160, 120, 180], [0.0, 5.0]);
        assert_eq!(from_pairs, from_games);
        assert!(from_pairs > 0.5, "{from_pairs}");
    }

    #[test]
    fn deterministic_self_play_accepts_h0() {
        // Every pair of a deterministic player against itself scores 1 point.
        for model in [Model::Normalized, Model::Logistic] {
            let mut last = 0.0;
            for even in [1, 2, 10, 100, 1000, 1_000_000] {
                let llr = pairs(model, [0, 0, even, 0, 0, 0], [0.0, 20.0]);
                assert!(llr.is_finite() && llr < last, "{model} {even}: {llr}");
                last = llr;
            }
            let sprt = test(model, [0.0, 20.0]);
            assert_eq!(sprt.decision(last), Decision::AcceptH0);
        }
    }

    mod slow {
        use super::*;

        #[test]
        #[ignore = "slow: .ci/run"]
        fn llr_is_finite_for_extreme_counts_and_hypotheses() {
            let counts = [0, 1, u64::MAX];
            for model in Model::ALL {
                for elos in [
                    [0.0, 5.0],
                    [-MAX_ELO, MAX_ELO],
                    [999.0, 1000.0],
                    [-1e-9, 0.0],
                    [0.0, 1e-300],
                ] {
                    for place in 0..6 {
                        for one in counts {
                            for other in counts {
                                let mut all = [one; 6];
                                all[place] = other;
                                let llr = pairs(model, all, elos);
                                assert!(llr.is_finite(), "{model} {elos:?} {all:?}: {llr}");
                                let [few @ .., _, _, _] = all;
                                let llr = games(model, few, elos);
                                assert!(llr.is_finite(), "{model} {elos:?} {few:?}: {llr}");
                            }
                        }
                    }
                }
            }
        }
    }
}
