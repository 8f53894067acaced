//! Mean and variance of many observations, and the difference of two means.

use super::estimate::Interval;
use super::normal::normal_cdf;

/// Count, mean and variance of observations, without the observations.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Moments {
    count: u64,
    mean: f64,
    /// The sum of the squared distances from the mean.
    squares: f64,
}

impl Moments {
    /// Adds an observation (B. Welford, "Note on a Method for Calculating Corrected Sums of Squares
    /// and Products", 1962).
    pub fn add(&mut self, value: f64) {
        self.count += 1;
        let distance = value - self.mean;
        self.mean += distance / self.count as f64;
        self.squares += distance * (value - self.mean);
    }

    /// The number of observations.
    #[must_use]
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// The moments of the observations of both.
    #[must_use]
    pub fn merged(&self, other: &Moments) -> Moments {
        let count = self.count + other.count;
        if count == 0 {
            return *self;
        }
        let [own, others] = [self.count, other.count].map(|count| count as f64);
        let distance = other.mean - self.mean;
        Moments {
            count,
            mean: self.mean + distance * others / count as f64,
            squares: self.squares + other.squares + distance * distance * own * others / count as f64,
        }
    }

    /// The moments of these observations without those of `part`.
    #[must_use]
    pub fn without(&self, part: &Moments) -> Moments {
        let count = self.count.saturating_sub(part.count);
        if count == 0 {
            return Moments::default();
        }
        let [all, of_part, rest] = [self.count, part.count, count].map(|count| count as f64);
        let mean = (all * self.mean - of_part * part.mean) / rest;
        let distance = part.mean - mean;
        let squares = self.squares - part.squares - distance * distance * of_part * rest / all;
        Moments {
            count,
            mean,
            squares: squares.max(0.0),
        }
    }

    /// The estimated variance of the mean.
    fn variance_of_mean(&self) -> f64 {
        let count = self.count as f64;
        self.squares / (count - 1.0) / count
    }
}

/// The interval for the difference of two means, which misses it with the probability `rate`. Each
/// needs two or more observations (B. Welch, "The Generalization of 'Student's' Problem when
/// Several Different Population Variances are Involved", 1947).
#[must_use]
pub fn difference_of_means(one: &Moments, other: &Moments, rate: f64) -> Interval {
    let difference = one.mean - other.mean;
    let variances = [one, other].map(Moments::variance_of_mean);
    let variance = variances[0] + variances[1];
    let share = |variance: f64, moments: &Moments| variance * variance / (moments.count as f64 - 1.0);
    let freedom = variance * variance / (share(variances[0], one) + share(variances[1], other));
    let half_width = if variance > 0.0 {
        t_quantile(1.0 - rate / 2.0, freedom) * variance.sqrt()
    } else {
        0.0
    };
    Interval {
        low: difference - half_width,
        high: difference + half_width,
    }
}

/// A quantile of Student's distribution, at least ½, approximated by that of the normal distribution
/// (D. Wallace, "Bounds on Normal Approximations to Student's and the Chi-Square Distributions",
/// 1959).
fn t_quantile(probability: f64, freedom: f64) -> f64 {
    let z = normal_quantile(probability) * (8.0 * freedom + 3.0) / (8.0 * freedom + 1.0);
    (freedom * (z * z / freedom).exp_m1()).sqrt()
}

/// A quantile of the normal distribution, from 0 to 8, by bisection.
fn normal_quantile(probability: f64) -> f64 {
    let (mut low, mut high) = (0.0, 8.0);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        // The complement keeps its precision.
        if normal_cdf(-middle) > 1.0 - probability {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moments(values: &[f64]) -> Moments {
        let mut moments = Moments::default();
        for &value in values {
            moments.add(value);
        }
        moments
    }

    fn assert_close(one: Moments, other: Moments) {
        assert_eq!(one.count, other.count);
        assert!((one.mean - other.mean).abs() < 1e-12, "{one:?} {other:?}");
        assert!((one.squares - other.squares).abs() < 1e-12, "{one:?} {other:?}");
    }

    #[test]
    fn parts_are_added_and_removed() {
        let (one, other) = (moments(&[1.0, 4.0, 4.5]), moments(&[-2.0, 7.0]));
        let all = moments(&[1.0, 4.0, 4.5, -2.0, 7.0]);
        assert_close(one.merged(&other), all);
        assert_close(all.without(&other), one);
        assert_close(all.without(&all), Moments::default());
        assert_close(Moments::default().merged(&one), one);
        assert!(
            (all.mean - 2.9).abs() < 1e-12 && (all.squares - 48.2).abs() < 1e-12,
            "{all:?}"
        );
    }

    #[test]
    fn quantiles_match_published_tables() {
        for (probability, freedom, quantile) in [
            (0.975, 5.0, 2.570_582),
            (0.975, 10.0, 2.228_139),
            (0.995, 10.0, 3.169_273),
            (0.975, 1e6, 1.959_966),
        ] {
            let found = t_quantile(probability, freedom);
            assert!(
                (found / quantile - 1.0).abs() < 3e-3,
                "{probability} {freedom}: {found}"
            );
        }
    }

    #[test]
    fn interval_of_a_difference() {
        // Both variances of the mean are 1, with 8 degrees of freedom.
        let values = |shift: f64| [-3.0, -1.0, 0.0, 1.0, 3.0].map(|value| value + shift);
        let Interval { low, high } =
            difference_of_means(&moments(&values(5.0)), &moments(&values(1.0)), 0.05);
        let half = 2.306_004 * 2_f64.sqrt();
        assert!(
            (low - (4.0 - half)).abs() < 0.01 && (high - (4.0 + half)).abs() < 0.01,
            "{low} {high}"
        );
        let equal = moments(&[2.0, 2.0]);
        assert_eq!(
            difference_of_means(&equal, &equal, 0.05),
            Interval { low: 0.0, high: 0.0 }
        );
    }
}
