//! The sequential probability ratio test: after each pair it says whether the
//! games so far tell the two hypotheses apart.
//!
//! H0 is that the player is `elo0` stronger, H1 that it is `elo1` stronger. The
//! log-likelihood ratio (LLR) compares the likeliest distribution of results
//! under each (a generalised test: Van den Bergh, "A practical introduction to
//! the GSPRT", <https://www.cantate.be/Fishtest/GSPRT_approximation.pdf>, with
//! the exact ratio rather than an approximation). Definitions and defaults are
//! those of fastchess; here the likeliest distributions are found to the last
//! digit, so the ratio may differ from its own in the fourth.

use std::fmt;
use std::str::FromStr;

use super::counts::{Pentanomial, Trinomial};
use super::distribution::Distribution;
use super::elo::{NORMALIZED, expected_score};
use super::estimate::Interval;
use super::likelihood::{with_mean, with_ratio};
use crate::io::nearest::{instead, nearest};

/// What `alpha` and `beta` are where nothing else is said.
pub const DEFAULT_ERROR_RATE: f64 = 0.05;

/// No hypothesis can be further than this from 0 Elo.
pub const MAX_ELO: f64 = 1000.0;

/// Counts of 0 stand for this many, so that no hypothesis is impossible.
const ALMOST_NONE: f64 = 1e-3;

const KEYS: [&str; 5] = ["elo0", "elo1", "alpha", "beta", "model"];

/// What is meant by the Elo of the hypotheses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Model {
    /// Normalized Elo: the score in units of its standard deviation.
    #[default]
    Normalized,
    /// Elo: the score alone.
    Logistic,
    /// `BayesElo`: Elo in a model with a rate of draws, which is estimated. It
    /// knows single games only, so of pairs the games are counted.
    Bayesian,
}

impl Model {
    /// Every model, the default first.
    pub const ALL: [Model; 3] = [Model::Normalized, Model::Logistic, Model::Bayesian];

    /// The word for it.
    #[must_use]
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

impl FromStr for Model {
    type Err = String;

    fn from_str(text: &str) -> Result<Model, String> {
        let found = Model::ALL.into_iter().find(|model| model.name() == text);
        found.ok_or_else(|| {
            let names = Model::ALL.map(Model::name);
            let meant =
                nearest(text, names).map_or(String::new(), |meant| format!("; did you mean `{meant}`?"));
            format!("expected one of {}, found `{text}`{meant}", names.join(", "))
        })
    }
}

/// What the games say of the hypotheses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Not enough yet.
    Continue,
    /// H0: the player is not `elo1` stronger.
    AcceptH0,
    /// H1: the player is more than `elo0` stronger.
    AcceptH1,
}

/// A test, whose numbers fit together.
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
    /// chance to accept H1 where H0 is true, `beta` that to accept H0 where H1
    /// is.
    ///
    /// # Errors
    /// A sentence, unless −[`MAX_ELO`] ≤ `elo0` < `elo1` ≤ [`MAX_ELO`], both
    /// chances are between 0 and 1, and they are less than 1 together.
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
        for (key, risk) in [("alpha", alpha), ("beta", beta)] {
            if !(risk > 0.0 && risk < 1.0) {
                return Err(format!(
                    "`{key}={risk}`: expected a chance between 0 and 1, such as 0.05"
                ));
            }
        }
        if alpha + beta >= 1.0 {
            return Err(format!(
                "`alpha={alpha}` and `beta={beta}` must be less than 1 together"
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

    /// The test that `words` describe, such as `elo0=0 elo1=5 alpha=0.05
    /// beta=0.05 model=normalized`, in any order. `elo0` and `elo1` must be
    /// there; `alpha` and `beta` are 0.05 and the model is `normalized` where
    /// they are not.
    ///
    /// # Errors
    /// A sentence that names the word and what would be right.
    pub fn parse<'a>(words: impl IntoIterator<Item = &'a str>) -> Result<Sprt, String> {
        let (mut elo0, mut elo1, mut alpha, mut beta, mut model) = (None, None, None, None, None);
        for word in words {
            let (key, value) = word
                .split_once('=')
                .ok_or_else(|| format!("expected KEY=VALUE, found `{word}`"))?;
            let is_new = match key {
                "elo0" => elo0.replace(number(word, value)?).is_none(),
                "elo1" => elo1.replace(number(word, value)?).is_none(),
                "alpha" => alpha.replace(number(word, value)?).is_none(),
                "beta" => beta.replace(number(word, value)?).is_none(),
                "model" => {
                    let value = value.parse().map_err(|why: String| format!("`{word}`: {why}"))?;
                    model.replace(value).is_none()
                }
                _ => return Err(unknown_key(key)),
            };
            if !is_new {
                return Err(format!("`{key}` is given twice"));
            }
        }
        let missing = |key: &str| format!("`{key}` is missing; a test is such as `elo0=0 elo1=5`");
        Sprt::new(
            elo0.ok_or_else(|| missing("elo0"))?,
            elo1.ok_or_else(|| missing("elo1"))?,
            alpha.unwrap_or(DEFAULT_ERROR_RATE),
            beta.unwrap_or(DEFAULT_ERROR_RATE),
            model.unwrap_or_default(),
        )
    }

    /// The Elo of H0 and of H1.
    #[must_use]
    pub const fn elos(&self) -> [f64; 2] {
        [self.elo0, self.elo1]
    }

    /// The chances `alpha` and `beta`.
    #[must_use]
    pub const fn error_rates(&self) -> [f64; 2] {
        [self.alpha, self.beta]
    }

    /// What is meant by Elo.
    #[must_use]
    pub const fn model(&self) -> Model {
        self.model
    }

    /// The LLR at which H0 is accepted (`low`, ln(β / (1 − α))) and the one at
    /// which H1 is (`high`, ln((1 − β) / α)). Wald, 1945.
    #[must_use]
    pub fn bounds(&self) -> Interval {
        Interval {
            low: (self.beta / (1.0 - self.alpha)).ln(),
            high: ((1.0 - self.beta) / self.alpha).ln(),
        }
    }

    /// What an LLR decides.
    #[must_use]
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

    /// The log-likelihood ratio of H1 to H0, from games that do not depend on
    /// each other. Finite for any counts; 0 without games.
    #[must_use]
    pub fn llr_of_games(&self, games: &Trinomial) -> f64 {
        match self.model {
            Model::Bayesian => self.bayesian(games),
            Model::Normalized | Model::Logistic => self.llr(&Distribution::from(games)),
        }
    }

    /// The log-likelihood ratio of H1 to H0, from pairs that do not depend on
    /// each other. Finite for any counts; 0 without pairs. [`Model::Bayesian`]
    /// counts the games of the pairs.
    #[must_use]
    pub fn llr_of_pairs(&self, pairs: &Pentanomial) -> f64 {
        match self.model {
            Model::Bayesian => self.bayesian(&pairs.games()),
            Model::Normalized | Model::Logistic => self.llr(&Distribution::from(pairs)),
        }
    }

    fn llr<const N: usize>(&self, seen: &Distribution<N>) -> f64 {
        likelihood_ratio(seen, |shares| {
            self.elos().map(|elo| match self.model {
                Model::Normalized => with_ratio(shares, elo / NORMALIZED * Distribution::<N>::GAMES.sqrt()),
                Model::Logistic | Model::Bayesian => with_mean(shares, expected_score(elo)),
            })
        })
    }

    /// The scores are those of `BayesElo`'s model with the rate of draws that was
    /// observed; a rate can be estimated only where both players won a game.
    fn bayesian(&self, games: &Trinomial) -> f64 {
        if games.wins == 0 || games.losses == 0 {
            return 0.0;
        }
        likelihood_ratio(&Distribution::from(games), |shares| {
            let [lost, _, won] = *shares;
            let draw_elo = draw_elo(lost, won);
            self.elos().map(|elo| {
                let (wins, losses) = (expected_score(elo - draw_elo), expected_score(-elo - draw_elo));
                with_mean(shares, wins + (1.0 - wins - losses) / 2.0)
            })
        })
    }
}

/// n Σ seen · ln(p1 / p0), where `hypotheses` gives the divisors (see
/// `likelihood`) of p0 and p1 for shares seen.
fn likelihood_ratio<const N: usize>(
    seen: &Distribution<N>,
    hypotheses: impl FnOnce(&[f64; N]) -> [[f64; N]; 2],
) -> f64 {
    if seen.size() == 0.0 {
        return 0.0;
    }
    let counts = seen.0.map(|count| if count == 0.0 { ALMOST_NONE } else { count });
    let size: f64 = counts.iter().sum();
    let [zero, one] = hypotheses(&counts.map(|count| count / size));
    let terms = counts.iter().zip(zero.iter().zip(one));
    terms.map(|(count, (zero, one))| count * (zero / one).ln()).sum()
}

/// The Elo by which `BayesElo`'s model makes winning harder, so that players who
/// win and lose these shares of their games tie the others. From 0 upwards.
fn draw_elo(lost: f64, won: f64) -> f64 {
    200.0 * ((1.0 - lost) / lost * (1.0 - won) / won).log10()
}

fn number(word: &str, value: &str) -> Result<f64, String> {
    let number = value.parse().ok().filter(|number: &f64| number.is_finite());
    number.ok_or_else(|| format!("`{word}`: expected a number, found `{value}`"))
}

fn unknown_key(key: &str) -> String {
    format!("a test has no `{key}`; {}", instead(key, &KEYS))
}

impl fmt::Display for Sprt {
    /// As [`Sprt::parse`] takes it.
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
    use crate::statistics::counts::tests::pairs as pentanomial;

    fn test(model: Model, elos: [f64; 2]) -> Sprt {
        let [low, high] = elos;
        Sprt::new(low, high, DEFAULT_ERROR_RATE, DEFAULT_ERROR_RATE, model).unwrap()
    }

    fn parse(line: &str) -> Result<Sprt, String> {
        Sprt::parse(line.split_whitespace())
    }

    /// Wins, losses, draws, as fastchess has them.
    fn games(model: Model, [wins, losses, draws]: [u64; 3], elos: [f64; 2]) -> f64 {
        test(model, elos).llr_of_games(&Trinomial { wins, draws, losses })
    }

    /// LL, LD, WL, DD, WD, WW, as fastchess has them.
    fn pairs(model: Model, counts: [u64; 6], elos: [f64; 2]) -> f64 {
        test(model, elos).llr_of_pairs(&pentanomial(counts))
    }

    #[track_caller]
    fn assert_close(found: f64, wanted: f64, tolerance: f64) {
        assert!((found - wanted).abs() < tolerance, "{found}, not {wanted}");
    }

    #[test]
    fn the_bounds_are_those_of_wald() {
        let sprt = test(Model::Normalized, [0.0, 5.0]);
        let Interval { low, high } = sprt.bounds();
        assert_close(low, -2.944_438_979_166_440_3, 1e-12);
        assert_close(high, 2.944_438_979_166_440_3, 1e-12);
        assert_eq!(sprt.decision(high), Decision::AcceptH1);
        assert_eq!(sprt.decision(low), Decision::AcceptH0);
        assert_eq!(sprt.decision(high - 1e-9), Decision::Continue);
        assert_eq!(sprt.decision(low + 1e-9), Decision::Continue);
        let Interval { low, high } = parse("elo0=0 elo1=5 beta=0.1").unwrap().bounds();
        assert_close(low, -2.251_291_798_6, 1e-10);
        assert_close(high, 2.890_371_757_9, 1e-10);
    }

    #[test]
    fn ratios_of_games() {
        use Model::{Bayesian, Logistic, Normalized};
        let ranges = [[0.0, 5.0], [0.0, 10.0], [-5.0, 0.0]];
        for (model, wanted) in [
            (Logistic, [1.069_887_725_7, 1.976_165_550_9, 1.232_239_909_4]),
            (Normalized, [0.772_861_222_1, 1.463_242_307_8, 0.855_284_836_1]),
        ] {
            for (range, wanted) in ranges.into_iter().zip(wanted) {
                assert_close(games(model, [120, 80, 200], range), wanted, 1e-9);
            }
        }
        assert_close(games(Bayesian, [120, 80, 200], ranges[0]), 0.810_689_174_6, 1e-9);
        for (model, wanted) in [
            (Logistic, 0.133_557_888_9),
            (Normalized, 0.133_553_020_0),
            (Bayesian, 0.133_557_888_9),
        ] {
            assert_close(games(model, [55, 45, 0], ranges[0]), wanted, 1e-6);
        }
        assert_close(games(Logistic, [10, 0, 0], ranges[1]), 0.283_680_766_3, 1e-6);
        assert_close(games(Normalized, [10, 0, 0], ranges[1]), 0.283_627_904_4, 1e-6);
    }

    #[test]
    fn ratios_of_pairs() {
        let ranges = [[0.0, 5.0], [0.0, 10.0], [-5.0, 0.0]];
        for (model, wanted) in [
            (
                Model::Logistic,
                [1.103_914_777_4, 2.016_504_909_5, 1.289_675_216_5],
            ),
            (
                Model::Normalized,
                [0.783_424_341_7, 1.472_989_722_4, 0.877_315_956_1],
            ),
        ] {
            for (range, wanted) in ranges.into_iter().zip(wanted) {
                assert_close(pairs(model, [10, 40, 100, 0, 60, 20], range), wanted, 1e-9);
            }
        }
        let uneven = [20, 0, 55, 0, 0, 25];
        assert_close(pairs(Model::Logistic, uneven, ranges[0]), 0.137_005_271_7, 1e-6);
        assert_close(pairs(Model::Normalized, uneven, ranges[0]), 0.131_018_642_0, 1e-6);
    }

    /// The vectors of fastchess's own tests, which allow 1 %, and the same to
    /// four digits.
    #[test]
    fn the_ratios_of_fastchess_come_out() {
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
    fn the_usual_approximations_are_near_but_not_the_ratio() {
        let (mean, variance, size) = (0.55, 0.1225, 400.0_f64);
        let [zero, one] = [0.0, 5.0].map(expected_score);
        let simple = size * (one - zero) * (2.0 * mean - zero - one) / (2.0 * variance);
        let [from_zero, from_one] = [zero, one].map(|score| variance + (mean - score) * (mean - score));
        let better = size / 2.0 * (from_zero / from_one).ln();
        assert_close(simple, 1.090_186_073_6, 1e-9);
        assert_close(better, 1.071_246_157_6, 1e-9);
        let llr = games(Model::Logistic, [120, 80, 200], [0.0, 5.0]);
        assert_close(llr / simple, 1.0, 0.02);
        assert_close(llr / better, 1.0, 0.002);
        let other = games(Model::Logistic, [80, 120, 200], [-5.0, 0.0]);
        assert_close(other, -1.069_887_725_7, 1e-9);
    }

    #[test]
    fn the_rate_of_ties_has_its_elo() {
        assert_close(draw_elo(0.2, 0.3), 194.007_355_32, 1e-8);
        assert_close(draw_elo(0.45, 0.55), 0.0, 1e-12);
    }

    #[test]
    fn of_several_maxima_the_likeliest_counts() {
        // Under H1 ¾ may be seen often (log-likelihood −283.04) or 1 (−316.56).
        let llr = pairs(Model::Normalized, [0, 0, 564, 0, 11, 0], [75.92077, 193.599]);
        assert_close(llr, -204.708_92, 1e-4);
    }

    #[test]
    fn without_games_there_is_no_ratio() {
        for model in Model::ALL {
            assert_eq!(games(model, [0; 3], [0.0, 5.0]), 0.0);
            assert_eq!(pairs(model, [0; 6], [0.0, 5.0]), 0.0);
        }
        assert_eq!(games(Model::Bayesian, [10, 0, 3], [0.0, 5.0]), 0.0);
        assert_eq!(games(Model::Bayesian, [0, 10, 3], [0.0, 5.0]), 0.0);
    }

    #[test]
    fn the_bayesian_model_counts_the_games_of_pairs() {
        let from_pairs = pairs(Model::Bayesian, [10, 40, 60, 40, 60, 20], [0.0, 5.0]);
        let from_games = games(Model::Bayesian, [160, 120, 180], [0.0, 5.0]);
        assert_eq!(from_pairs, from_games);
        assert!(from_pairs > 0.5, "{from_pairs}");
    }

    #[test]
    fn a_player_against_itself_approaches_h0() {
        // Every pair of a deterministic player against itself is even.
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

    #[test]
    fn extreme_counts_and_hypotheses_have_finite_ratios() {
        let counts = [0, 1, 1_000_000_000, u64::MAX];
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

    #[test]
    fn tests_are_read_and_written() {
        let sprt = parse("elo1=5.5 elo0=-1.75").unwrap();
        assert_eq!(
            sprt,
            Sprt::new(-1.75, 5.5, 0.05, 0.05, Model::Normalized).unwrap()
        );
        let text = "elo0=-1.75 elo1=5.5 alpha=0.01 beta=0.1 model=bayesian";
        assert_eq!(parse(text).unwrap().to_string(), text);
    }

    #[test]
    fn tests_that_make_no_sense_are_explained() {
        for (line, why) in [
            ("elo0=0", "`elo1` is missing; a test is such as `elo0=0 elo1=5`"),
            ("elo1=5", "`elo0` is missing; a test is such as `elo0=0 elo1=5`"),
            ("elo0=5 elo1=5", "`elo0=5` must be less than `elo1=5`"),
            ("elo0=0 elo1=2000", "`elo1=2000`: expected Elo from -1000 to 1000"),
            ("elo0=x elo1=5", "`elo0=x`: expected a number, found `x`"),
            ("elo0=nan elo1=5", "`elo0=nan`: expected a number, found `nan`"),
            ("elo0=0 elo0=0 elo1=5", "`elo0` is given twice"),
            ("elo0 elo1=5", "expected KEY=VALUE, found `elo0`"),
            (
                "elo0=0 elo1=5 alpha=0",
                "`alpha=0`: expected a chance between 0 and 1, such as 0.05",
            ),
            (
                "elo0=0 elo1=5 beta=1",
                "`beta=1`: expected a chance between 0 and 1, such as 0.05",
            ),
            (
                "elo0=0 elo1=5 alpha=0.5 beta=0.5",
                "`alpha=0.5` and `beta=0.5` must be less than 1 together",
            ),
            (
                "elo0=0 elo1=5 aplha=0.1",
                "a test has no `aplha`; did you mean `alpha`? There are elo0, elo1, alpha, beta, model",
            ),
            (
                "elo0=0 elo1=5 model=normalised",
                "`model=normalised`: expected one of normalized, logistic, bayesian, \
                 found `normalised`; did you mean `normalized`?",
            ),
        ] {
            assert_eq!(parse(line).unwrap_err(), why, "{line}");
        }
    }
}
