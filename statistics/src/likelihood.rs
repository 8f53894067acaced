//! Maximum likelihood estimates of an outcome distribution with a given mean, or
//! with a given t-value: (mean − ½) / standard deviation.
//!
//! All functions take `observed`, the relative frequencies p̂ of `N` evenly
//! spaced outcomes from 0 to 1, each above 0, with sum 1. They return the ratios
//! p̂ / p, where p is the estimate. The log-likelihood of n observations is then
//! −n Σ p̂ · ln ratio, up to a constant.
//!
//! All roots are found by bisection, with at most [`MAX_BISECTIONS`] steps.

use super::counts::Distribution;

/// Enough bisections to reduce any bracket to adjacent floats.
const MAX_BISECTIONS: usize = 200;

/// The range of standard deviations is searched for maxima in this many parts.
const PARTS: usize = 64;

/// A smaller t-value is treated as 0; it is less than a millionth of an Elo.
const MIN_T_VALUE: f64 = 1e-9;

/// The estimate with the given mean, between 0 and 1 exclusive.
///
/// Van den Bergh, "The Generalized Maximum Likelihood Ratio for the
/// Expectation Value of a Distribution", 2019, proposition 1.1,
/// <https://www.cantate.be/Fishtest/support_MLE_multinomial.pdf>.
pub fn mle_with_mean<const N: usize>(observed: &[f64; N], mean: f64) -> [f64; N] {
    mle_with_constraint(observed, &Distribution::values().map(|value| value - mean))
}

/// The estimate whose mean μ and standard deviation σ satisfy
/// (μ − ½) / σ = `t_value`.
///
/// Van den Bergh, "Comments on Normalized Elo", section 4.1,
/// <https://www.cantate.be/Fishtest/normalized_elo_practical.pdf>: at the
/// maximum the constraint is equivalent to its linearisation
/// Σ p · φ = 0, with φ(a) = a − ½ − ½ · t · σ · (1 + ((a − μ) / σ)²).
///
/// The paper solves this by fixed-point iteration. Since μ = ½ + t · σ, only σ is
/// unknown, and it is correct where the estimate for σ has the mean μ. We find
/// all such σ by bisection and keep the one with the highest likelihood.
pub fn mle_with_t_value<const N: usize>(observed: &[f64; N], t_value: f64) -> [f64; N] {
    if t_value < 0.0 {
        let mut mirrored = *observed;
        mirrored.reverse();
        let mut ratios = mle_with_t_value(&mirrored, -t_value);
        ratios.reverse();
        return ratios;
    }
    if t_value < MIN_T_VALUE {
        return mle_with_mean(observed, 0.5);
    }
    let values: [f64; N] = Distribution::values();
    let constraint = |deviation: f64| {
        let mean = 0.5 + t_value * deviation;
        values.map(|value| {
            let distance = (value - mean) / deviation;
            value - 0.5 - 0.5 * t_value * deviation * (1.0 + distance * distance)
        })
    };
    let ratios = |deviation: f64| mle_with_constraint(observed, &constraint(deviation));
    let is_too_small = |deviation: f64| {
        if constraint(deviation).iter().all(|&phi| phi <= 0.0) {
            return true;
        }
        let estimate = observed.iter().zip(ratios(deviation));
        let estimate = estimate.map(|(observed, ratio)| observed / ratio);
        let mean: f64 = estimate.zip(values).map(|(share, value)| share * value).sum();
        mean > 0.5 + t_value * deviation
    };
    // At the lower end φ is 0 for the lowest outcome above ½ and negative for all
    // others: only that outcome has a share, and the mean is too large. At the
    // upper end only 0 and 1 have shares, and the mean is too small. In between
    // the mean is continuous.
    let root = (1.0 + t_value * t_value).sqrt();
    let lowest = values.iter().find(|&&value| value > 0.5);
    let low = lowest.map_or(0.5, |value| value - 0.5) * t_value / (root * (root + 1.0));
    let high = 0.5 / root;
    // A large t-value with skewed counts may have several local maxima.
    let edges: [f64; PARTS + 1] =
        std::array::from_fn(|part| low * (high / low).powf(part as f64 / PARTS as f64));
    let mut best = ([1.0; N], f64::NEG_INFINITY);
    let mut low_is_too_small = true;
    for (part, edge) in edges.windows(2).enumerate() {
        let high_is_too_small = part + 1 < PARTS && is_too_small(edge[1]);
        if low_is_too_small && !high_is_too_small {
            let found = ratios(bisect(edge[0], edge[1], is_too_small));
            let likelihood = -observed
                .iter()
                .zip(found)
                .map(|(observed, ratio)| observed * ratio.ln())
                .sum::<f64>();
            if likelihood > best.1 {
                best = (found, likelihood);
            }
        }
        low_is_too_small = high_is_too_small;
    }
    best.0
}

/// The ratios 1 + θφ of the estimate under the linear constraint Σ p · φ = 0. The
/// Lagrange multiplier θ solves Σ p̂ · φ / (1 + θφ) = 0. All ratios are 1 if φ has
/// only one sign, as no distribution satisfies the constraint then.
///
/// θ lies between 0 and the pole −1/φ*, where φ* is the extreme value of φ with
/// the sign opposite to Σ p̂ · φ. The unknown is u = 1 + θφ*, the ratio at φ*,
/// since θ itself loses all precision close to the pole.
fn mle_with_constraint<const N: usize>(observed: &[f64; N], phi: &[f64; N]) -> [f64; N] {
    let mean: f64 = observed.iter().zip(phi).map(|(share, phi)| share * phi).sum();
    let extreme = phi.iter().copied().fold(0.0, |extreme: f64, phi| {
        if mean > 0.0 {
            extreme.min(phi)
        } else {
            extreme.max(phi)
        }
    });
    if mean == 0.0 || extreme == 0.0 {
        return [1.0; N];
    }
    let relative = phi.map(|phi| phi / extreme);
    let ratios = |u: f64| relative.map(|phi| (1.0 - phi) + u * phi);
    // The sum decreases from +∞ at u = 0. A lower bound of its root: the share at
    // φ* still outweighs all terms of the opposite sign.
    let positive: f64 = observed
        .iter()
        .zip(&relative)
        .filter(|&(_, &phi)| phi >= 1.0)
        .map(|(share, _)| share)
        .sum();
    let negative: f64 = observed
        .iter()
        .zip(&relative)
        .map(|(share, phi)| share * phi.min(0.0).abs())
        .sum();
    let root = bisect((positive / negative).min(1.0), 1.0, |u| {
        let terms = observed.iter().zip(&relative).zip(ratios(u));
        terms
            .map(|((share, phi), ratio)| share * phi / ratio)
            .sum::<f64>()
            > 0.0
    });
    ratios(root)
}

/// The point between `low` and `high` where `is_before` changes to false.
fn bisect(mut low: f64, mut high: f64, is_before: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..MAX_BISECTIONS {
        let middle = f64::midpoint(low, high);
        if middle <= low || middle >= high {
            break;
        }
        *(if is_before(middle) { &mut low } else { &mut high }) = middle;
    }
    f64::midpoint(low, high)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sum, mean and standard deviation of the estimate.
    fn moments<const N: usize>(observed: &[f64; N], ratios: [f64; N]) -> (f64, f64, f64) {
        let shares: Vec<f64> = observed
            .iter()
            .zip(ratios)
            .map(|(observed, ratio)| observed / ratio)
            .collect();
        let values: [f64; N] = Distribution::values();
        let of = |power: i32| {
            shares
                .iter()
                .zip(values)
                .map(|(share, value)| share * value.powi(power))
                .sum::<f64>()
        };
        let (sum, mean) = (of(0), of(1));
        (sum, mean, (of(2) - mean * mean).sqrt())
    }

    /// Frequencies with and without extreme skew.
    const OBSERVED: [[f64; 5]; 5] = [
        [0.2; 5],
        [0.05, 0.2, 0.4, 0.25, 0.1],
        [1e-12, 1e-12, 1e-12, 1e-12, 1.0 - 4e-12],
        [1.0 - 4e-12, 1e-12, 1e-12, 1e-12, 1e-12],
        [1e-12, 1e-12, 1.0 - 4e-12, 1e-12, 1e-12],
    ];

    #[test]
    fn estimate_has_the_requested_mean() {
        for observed in OBSERVED {
            for wanted in [0.001, 0.1, 0.5, 0.503, 0.9, 0.999] {
                let (sum, mean, _) = moments(&observed, mle_with_mean(&observed, wanted));
                assert!((sum - 1.0).abs() < 1e-9, "{observed:?} {wanted}: {sum}");
                assert!((mean - wanted).abs() < 1e-9, "{observed:?} {wanted}: {mean}");
            }
        }
    }

    #[test]
    fn estimate_has_the_requested_t_value() {
        for observed in OBSERVED {
            for wanted in [-4.0, -0.2, -0.003, 1e-6, 0.02, 0.3, 1.0, 2.9, 4.0] {
                let (sum, mean, deviation) = moments(&observed, mle_with_t_value(&observed, wanted));
                assert!((sum - 1.0).abs() < 1e-8, "{observed:?} {wanted}: {sum}");
                let t_value = (mean - 0.5) / deviation;
                assert!(
                    (t_value - wanted).abs() < 1e-6,
                    "{observed:?} {wanted}: {t_value}"
                );
            }
        }
    }

    #[test]
    fn estimate_equals_the_observation_where_the_constraint_holds() {
        let observed = [0.25, 0.5, 0.25];
        assert_eq!(mle_with_mean(&observed, 0.5), [1.0; 3]);
        assert_eq!(mle_with_t_value(&observed, 0.0), [1.0; 3]);
    }
}
