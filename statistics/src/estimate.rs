//! Estimates with confidence intervals.
//!
//! Nothing in [`statistics`](super) returns NaN. A number is either
//!
//! * finite;
//! * infinite, such as the Elo of a player who won every game: printed `inf` or
//!   `-inf`;
//! * without an interval, from too few games: printed `too few games`;
//! * undefined by the counts: `None` or [`Estimate::Undefined`], printed
//!   `undefined`.

use std::fmt;

/// The range from `low` to `high`; either may be infinite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Interval {
    /// Half the width; `None` if an end is infinite.
    pub fn half_width(&self) -> Option<f64> {
        let width = self.high - self.low;
        width.is_finite().then_some(width / 2.0)
    }
}

impl fmt::Display for Interval {
    /// Such as `[-inf, 12.30]`. The precision defaults to two decimals.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decimals = f.precision().unwrap_or(2);
        let [low, high] = [self.low, self.high].map(|end| format_number(Some(end), decimals));
        write!(f, "[{low}, {high}]")
    }
}

/// An estimate with its 95 % confidence interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Estimate {
    /// The counts do not determine a value.
    Undefined,
    /// A value from too few games for an interval.
    TooFewGames {
        /// The point estimate, possibly infinite.
        value: f64,
    },
    /// A value and its confidence interval.
    Known {
        /// The point estimate, possibly infinite.
        value: f64,
        /// The 95 % confidence interval.
        interval: Interval,
    },
}

impl Estimate {
    /// The value; `None` if undefined.
    pub const fn value(&self) -> Option<f64> {
        match *self {
            Estimate::Undefined => None,
            Estimate::TooFewGames { value } | Estimate::Known { value, .. } => Some(value),
        }
    }

    /// The interval; `None` if the value is undefined, or from too few games.
    pub const fn interval(&self) -> Option<Interval> {
        match *self {
            Estimate::Undefined | Estimate::TooFewGames { .. } => None,
            Estimate::Known { interval, .. } => Some(interval),
        }
    }

    /// The margin of error, printed after `+/-`: half the width of the interval.
    /// `None` without an interval, or if it is infinite.
    #[cfg(test)]
    pub fn error(&self) -> Option<f64> {
        self.interval()?.half_width()
    }
}

impl fmt::Display for Estimate {
    /// Such as `34.86 +/- 24.11`, `190.85 [-12.30, inf]`, `too few games` or
    /// `undefined`. The precision defaults to two decimals.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decimals = f.precision().unwrap_or(2);
        let (value, interval) = match self {
            Estimate::Undefined => return f.write_str(&format_number(None, decimals)),
            Estimate::TooFewGames { .. } => return f.write_str("too few games"),
            Estimate::Known { value, interval } => (*value, interval),
        };
        f.write_str(&format_number(Some(value), decimals))?;
        match interval.half_width() {
            Some(error) => write!(f, " +/- {}", format_number(Some(error), decimals)),
            None => write!(f, " {interval:.decimals$}"),
        }
    }
}

/// Formats a number with `decimals` decimals, as `inf`, `-inf` or `undefined`.
/// Never prints `-0.00`.
pub fn format_number(value: Option<f64>, decimals: usize) -> String {
    match value {
        None => "undefined".to_string(),
        Some(value) => {
            let text = format!("{value:.decimals$}");
            match text.strip_prefix('-') {
                Some(zero) if zero.bytes().all(|byte| matches!(byte, b'0' | b'.')) => zero.to_string(),
                _ => text,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(value: f64, low: f64, high: f64) -> Estimate {
        Estimate::Known {
            value,
            interval: Interval { low, high },
        }
    }

    #[test]
    fn formats_finite_infinite_and_undefined_estimates() {
        let inf = f64::INFINITY;
        for (estimate, text) in [
            (known(34.86, 10.91, 59.14), "34.86 +/- 24.12"),
            (known(-0.001, -1.0, 1.0), "0.00 +/- 1.00"),
            (known(190.848, -12.3, inf), "190.85 [-12.30, inf]"),
            (known(-190.848, -inf, 12.3), "-190.85 [-inf, 12.30]"),
            (known(inf, 182.73, inf), "inf [182.73, inf]"),
            (known(-inf, -inf, -182.73), "-inf [-inf, -182.73]"),
            (Estimate::TooFewGames { value: 0.0 }, "too few games"),
            (Estimate::Undefined, "undefined"),
        ] {
            assert_eq!(estimate.to_string(), text);
        }
        assert_eq!(format!("{:.1}", known(1.0, -inf, 2.0)), "1.0 [-inf, 2.0]");
        assert_eq!(known(inf, 182.73, inf).error(), None);
        let few = Estimate::TooFewGames { value: 190.85 };
        assert_eq!(
            (few.value(), few.interval(), few.error()),
            (Some(190.85), None, None)
        );
        assert_eq!(format_number(Some(-0.4), 0), "0");
        assert_eq!(format_number(Some(-0.01), 2), "-0.01");
    }
}
