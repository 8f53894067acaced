//! The likeliest distribution that has a given mean, or a given mean in units
//! of its standard deviation.
//!
//! All functions take `seen`, the observed shares of `N` evenly spaced values
//! from 0 to 1, each above 0 and together 1. They return, for each value, the
//! observed share divided by the likeliest one, so the likeliest shares p are
//! `seen / divisor`, and the log-likelihood of n observations is
//! −n Σ seen · ln divisor, up to what does not depend on p.
//!
//! Every search halves a bracket that is known to hold a root, and ends after
//! [`HALVINGS`] steps at the latest.

use super::distribution::Distribution;

/// More halvings than it takes to get from any bracket to one float.
const HALVINGS: usize = 200;

/// In so many parts of the possible deviations a maximum is looked for.
const PARTS: usize = 64;

/// A ratio below this is as good as 0: it is less than a millionth of an Elo.
const LEAST_RATIO: f64 = 1e-9;

/// The likeliest distribution of mean `mean`, from above 0 to below 1.
///
/// Van den Bergh, "The Generalized Maximum Likelihood Ratio for the
/// Expectation Value of a Distribution", 2019, proposition 1.1,
/// <https://www.cantate.be/Fishtest/support_MLE_multinomial.pdf>.
pub fn with_mean<const N: usize>(seen: &[f64; N], mean: f64) -> [f64; N] {
    tilt(seen, &Distribution::values().map(|value| value - mean))
}

/// The likeliest distribution whose mean μ and standard deviation σ have
/// (μ − ½) / σ = `ratio`.
///
/// Van den Bergh, "Comments on Normalized Elo", section 4.1,
/// <https://www.cantate.be/Fishtest/normalized_elo_practical.pdf>: at the
/// maximum the constraint may be replaced by its linearisation, in which value a
/// has the slope φ(a) = a − ½ − ½ · ratio · σ · (1 + ((a − μ) / σ)²). That paper
/// and its followers then iterate; but as μ = ½ + ratio · σ, everything depends
/// on σ alone, and σ is right where the distribution that belongs to it has
/// the mean μ. So brackets of σ are halved, and the likeliest of what they hold
/// is taken.
pub fn with_ratio<const N: usize>(seen: &[f64; N], ratio: f64) -> [f64; N] {
    if ratio < 0.0 {
        let mut mirrored = *seen;
        mirrored.reverse();
        let mut divisors = with_ratio(&mirrored, -ratio);
        divisors.reverse();
        return divisors;
    }
    if ratio < LEAST_RATIO {
        return with_mean(seen, 0.5);
    }
    let values: [f64; N] = Distribution::values();
    let slopes = |deviation: f64| {
        let mean = 0.5 + ratio * deviation;
        values.map(|value| {
            let distance = (value - mean) / deviation;
            value - 0.5 - 0.5 * ratio * deviation * (1.0 + distance * distance)
        })
    };
    let divisors = |deviation: f64| tilt(seen, &slopes(deviation));
    let is_too_small = |deviation: f64| {
        if slopes(deviation).iter().all(|&slope| slope <= 0.0) {
            return true;
        }
        let shares = seen.iter().zip(divisors(deviation));
        let shares = shares.map(|(seen, divisor)| seen / divisor);
        let mean: f64 = shares.zip(values).map(|(share, value)| share * value).sum();
        mean > 0.5 + ratio * deviation
    };
    // At the lower end all slopes are below 0 but that of the lowest value above
    // ½, which is 0: nothing but that value could be seen, more than the mean
    // asks for. At the upper end only 0 and 1 could be seen: less than it asks
    // for. In between the mean is continuous.
    let root = (1.0 + ratio * ratio).sqrt();
    let lowest = values.iter().find(|&&value| value > 0.5);
    let low = lowest.map_or(0.5, |value| value - 0.5) * ratio / (root * (root + 1.0));
    let high = 0.5 / root;
    // A large ratio and lopsided counts may give several maxima, such as one
    // with much of ¾ and one with much of 1.
    let edges: [f64; PARTS + 1] =
        std::array::from_fn(|part| low * (high / low).powf(part as f64 / PARTS as f64));
    let mut best = ([1.0; N], f64::NEG_INFINITY);
    let mut before = true;
    for (part, edge) in edges.windows(2).enumerate() {
        let after = part + 1 < PARTS && is_too_small(edge[1]);
        if before && !after {
            let found = divisors(bisect(edge[0], edge[1], is_too_small));
            let likelihood = -seen
                .iter()
                .zip(found)
                .map(|(seen, divisor)| seen * divisor.ln())
                .sum::<f64>();
            if likelihood > best.1 {
                best = (found, likelihood);
            }
        }
        before = after;
    }
    best.0
}

/// The divisors 1 + θφ of the likeliest distribution in which the slopes φ have
/// the mean 0: θ solves Σ seen · φ / (1 + θφ) = 0. All 1 where the slopes do not
/// differ in sign, so that there is no such distribution.
///
/// The root lies between θ = 0 and the pole −1/φ* of the slope φ* whose sign is
/// not that of the observed mean. What is searched for is u = 1 + θφ*, the
/// divisor of that value itself, since it may be so close to 0 that a θ would
/// not tell it from 0.
fn tilt<const N: usize>(seen: &[f64; N], slopes: &[f64; N]) -> [f64; N] {
    let mean: f64 = seen.iter().zip(slopes).map(|(seen, slope)| seen * slope).sum();
    let pole = slopes.iter().copied().fold(0.0, |pole: f64, slope| {
        if mean > 0.0 {
            pole.min(slope)
        } else {
            pole.max(slope)
        }
    });
    if mean == 0.0 || pole == 0.0 {
        return [1.0; N];
    }
    let relative = slopes.map(|slope| slope / pole);
    let divisors = |at: f64| relative.map(|slope| (1.0 - slope) + at * slope);
    // The sum falls from u = 0, where it is infinite, to u = 1. It is above 0 as
    // long as the part of φ* outweighs all that can stand against it.
    let share: f64 = seen
        .iter()
        .zip(&relative)
        .filter(|&(_, &slope)| slope >= 1.0)
        .map(|(seen, _)| seen)
        .sum();
    let against: f64 = seen
        .iter()
        .zip(&relative)
        .map(|(seen, slope)| seen * slope.min(0.0).abs())
        .sum();
    let root = bisect((share / against).min(1.0), 1.0, |at| {
        let terms = seen.iter().zip(&relative).zip(divisors(at));
        terms
            .map(|((seen, slope), divisor)| seen * slope / divisor)
            .sum::<f64>()
            > 0.0
    });
    divisors(root)
}

/// Where `is_before` turns from true to false between `low` and `high`.
fn bisect(mut low: f64, mut high: f64, is_before: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..HALVINGS {
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

    fn moments<const N: usize>(seen: &[f64; N], divisors: [f64; N]) -> (f64, f64, f64) {
        let shares: Vec<f64> = seen
            .iter()
            .zip(divisors)
            .map(|(seen, divisor)| seen / divisor)
            .collect();
        let values: [f64; N] = Distribution::values();
        let of = |power: i32| {
            shares
                .iter()
                .zip(values)
                .map(|(share, value)| share * value.powi(power))
                .sum::<f64>()
        };
        let (size, mean) = (of(0), of(1));
        (size, mean, (of(2) - mean * mean).sqrt())
    }

    /// Shares that are as skewed as they can be, and some that are not.
    const SEEN: [[f64; 5]; 5] = [
        [0.2; 5],
        [0.05, 0.2, 0.4, 0.25, 0.1],
        [1e-12, 1e-12, 1e-12, 1e-12, 1.0 - 4e-12],
        [1.0 - 4e-12, 1e-12, 1e-12, 1e-12, 1e-12],
        [1e-12, 1e-12, 1.0 - 4e-12, 1e-12, 1e-12],
    ];

    #[test]
    fn the_mean_is_the_one_asked_for() {
        for seen in SEEN {
            for wanted in [0.001, 0.1, 0.5, 0.503, 0.9, 0.999] {
                let (size, mean, _) = moments(&seen, with_mean(&seen, wanted));
                assert!((size - 1.0).abs() < 1e-9, "{seen:?} {wanted}: {size}");
                assert!((mean - wanted).abs() < 1e-9, "{seen:?} {wanted}: {mean}");
            }
        }
    }

    #[test]
    fn the_ratio_is_the_one_asked_for() {
        for seen in SEEN {
            for wanted in [-4.0, -0.2, -0.003, 1e-6, 0.02, 0.3, 1.0, 2.9, 4.0] {
                let (size, mean, deviation) = moments(&seen, with_ratio(&seen, wanted));
                assert!((size - 1.0).abs() < 1e-8, "{seen:?} {wanted}: {size}");
                let ratio = (mean - 0.5) / deviation;
                assert!((ratio - wanted).abs() < 1e-6, "{seen:?} {wanted}: {ratio}");
            }
        }
    }

    #[test]
    fn what_has_the_mean_already_stays_as_it_is() {
        let seen = [0.25, 0.5, 0.25];
        assert_eq!(with_mean(&seen, 0.5), [1.0; 3]);
        assert_eq!(with_ratio(&seen, 0.0), [1.0; 3]);
    }
}
