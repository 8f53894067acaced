//! A number that was estimated, and how far it may be off.
//!
//! Three things can happen to a number made of counts, and none of them is "not
//! a number" (NaN), which nothing in [`statistics`](super) returns:
//!
//! * it is finite;
//! * it is infinite, such as the Elo of a player who won every game: then it is
//!   [`f64::INFINITY`] or its negative, and is printed `inf` or `-inf`;
//! * the counts do not say it: then it is `None` or [`Estimate::Undefined`], and
//!   is printed `undefined`.

use std::fmt;

/// From `low` to `high`; either may be infinite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Interval {
    /// Half of the distance between the ends; `None` where one is infinite.
    #[must_use]
    pub fn half_width(&self) -> Option<f64> {
        let width = self.high - self.low;
        width.is_finite().then_some(width / 2.0)
    }
}

impl fmt::Display for Interval {
    /// Such as `[-inf, 12.30]`: two decimals, or as many as are asked for.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decimals = f.precision().unwrap_or(2);
        let [low, high] = [self.low, self.high].map(|end| format_number(Some(end), decimals));
        write!(f, "[{low}, {high}]")
    }
}

/// An estimate with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Estimate {
    /// The counts do not say.
    Undefined,
    /// A value, perhaps infinite, and the interval around it.
    Known {
        /// The estimate itself.
        value: f64,
        /// Where the truth is expected, in 95 of 100 matches.
        interval: Interval,
    },
}

impl Estimate {
    /// The value; `None` where it is undefined.
    #[must_use]
    pub const fn value(&self) -> Option<f64> {
        match *self {
            Estimate::Undefined => None,
            Estimate::Known { value, .. } => Some(value),
        }
    }

    /// The interval; `None` where the value is undefined.
    #[must_use]
    pub const fn interval(&self) -> Option<Interval> {
        match *self {
            Estimate::Undefined => None,
            Estimate::Known { interval, .. } => Some(interval),
        }
    }

    /// What is printed behind `+/-`: half the width of the interval. `None`
    /// where the value is undefined or the interval reaches into infinity.
    #[must_use]
    pub fn error(&self) -> Option<f64> {
        self.interval()?.half_width()
    }
}

impl fmt::Display for Estimate {
    /// Such as `34.86 +/- 24.11`, `190.85 [-12.30, inf]`, `-inf` or `undefined`:
    /// two decimals, or as many as are asked for.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decimals = f.precision().unwrap_or(2);
        f.write_str(&format_number(self.value(), decimals))?;
        let Estimate::Known { value, interval } = self else {
            return Ok(());
        };
        match interval.half_width() {
            Some(error) => write!(f, " +/- {}", format_number(Some(error), decimals)),
            None if value.is_infinite() => Ok(()),
            None => write!(f, " {interval:.decimals$}"),
        }
    }
}

/// A number as people read it: so many decimals, `inf`, `-inf` or `undefined`,
/// and no `-0.00`.
#[must_use]
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
    fn estimates_are_printed_as_people_read_them() {
        let inf = f64::INFINITY;
        for (estimate, text) in [
            (known(34.86, 10.91, 59.14), "34.86 +/- 24.12"),
            (known(-0.001, -1.0, 1.0), "0.00 +/- 1.00"),
            (known(190.848, -12.3, inf), "190.85 [-12.30, inf]"),
            (known(-190.848, -inf, 12.3), "-190.85 [-inf, 12.30]"),
            (known(inf, inf, inf), "inf"),
            (known(-inf, -inf, -inf), "-inf"),
            (Estimate::Undefined, "undefined"),
        ] {
            assert_eq!(estimate.to_string(), text);
        }
        assert_eq!(format!("{:.1}", known(1.0, -inf, 2.0)), "1.0 [-inf, 2.0]");
        assert_eq!(known(inf, inf, inf).error(), None);
        assert_eq!(format_number(Some(-0.4), 0), "0");
        assert_eq!(format_number(Some(-0.01), 2), "-0.01");
    }
}
