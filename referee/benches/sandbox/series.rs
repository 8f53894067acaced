//! Times of the same thing at several levels, measured in turns.

use std::time::Duration;

/// The times at one level, one a round.
#[derive(Clone, Debug, Default)]
pub struct Series(pub Vec<f64>);

impl Series {
    /// Adds the time of a round.
    pub fn add(&mut self, time: Duration) {
        self.0.push(time.as_secs_f64());
    }

    /// The fastest round, in seconds.
    pub fn best(&self) -> f64 {
        self.0.iter().copied().fold(f64::INFINITY, f64::min)
    }

    /// The median round, in seconds; there is at least one.
    pub fn median(&self) -> f64 {
        median(self.0.clone())
    }

    /// The median of the differences from `base` within a round, in seconds.
    pub fn more_than(&self, base: &Series) -> f64 {
        let pairs = self.0.iter().zip(&base.0);
        median(pairs.map(|(time, base)| time - base).collect())
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
