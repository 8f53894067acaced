//! What the engines of a match reported, on average (`--record`).

use serde::Serialize;

use crate::results::Facts;

/// A weighted mean.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Mean {
    sum: f64,
    weight: f64,
}

impl Mean {
    fn add(&mut self, value: f64, weight: f64) {
        self.sum += value * weight;
        self.weight += weight;
    }

    /// Adds the values of another mean.
    fn merge(&mut self, other: Mean) {
        self.sum += other.sum;
        self.weight += other.weight;
    }

    /// The mean; `None` without values.
    fn value(self) -> Option<f64> {
        (self.weight > 0.0).then(|| self.sum / self.weight)
    }
}

/// Sums over the recorded facts of one player's moves.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct FactSums {
    depth: Mean,
    nps: Mean,
    latency: Mean,
    time_left: Mean,
}

/// Means over the recorded facts of one player's moves; `None` where nothing is recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[allow(clippy::struct_field_names)] // their names in JSON
pub(crate) struct FactMeans {
    /// Depth of a move, in plies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_depth: Option<f64>,
    /// Nodes per second; each move counts by its time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_nps: Option<f64>,
    /// Measured minus reported time of a move, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_latency_ms: Option<f64>,
    /// Time on the clock after the last move of a game, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_time_left_ms: Option<f64>,
}

impl FactSums {
    /// Adds every second move of a game after its opening, from this one on. `ms` are the times
    /// of all its moves after the opening.
    pub(crate) fn add(&mut self, all: &Facts, ms: &[f64], first_move: usize) {
        if all.is_empty() {
            return;
        }
        let mut time_left = None;
        for (index, &ms) in ms.iter().enumerate().skip(first_move).step_by(2) {
            let facts = all.of_move(index);
            if let Some(depth) = facts.depth {
                self.depth.add(depth.into(), 1.0);
            }
            if let Some(nps) = facts.nps {
                self.nps.add(nps as f64, ms);
            }
            if let Some(latency) = facts.latency {
                self.latency.add(latency, 1.0);
            }
            time_left = facts.timeleft.or(time_left);
        }
        if let Some(time_left) = time_left {
            self.time_left.add(time_left, 1.0);
        }
    }

    /// Adds the sums of another game.
    pub(crate) fn merge(&mut self, other: &FactSums) {
        self.depth.merge(other.depth);
        self.nps.merge(other.nps);
        self.latency.merge(other.latency);
        self.time_left.merge(other.time_left);
    }

    pub(crate) fn means(&self) -> FactMeans {
        FactMeans {
            mean_depth: self.depth.value(),
            mean_nps: self.nps.value(),
            mean_latency_ms: self.latency.value(),
            mean_time_left_ms: self.time_left.value(),
        }
    }
}

impl FactMeans {
    /// Whether nothing is recorded.
    pub(crate) fn is_empty(&self) -> bool {
        *self == FactMeans::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::tests::record;

    #[test]
    fn means_of_every_second_move() {
        let mut game = record(1, "a", "b");
        game.ms = vec![1.0, 9.0, 3.0];
        game.facts.depth = Some(vec![Some(4), Some(50), Some(7)]);
        game.facts.nps = Some(vec![Some(1000), Some(9), Some(3000)]);
        game.facts.latency = Some(vec![Some(-1.0), Some(9.0), None]);
        game.facts.timeleft = Some(vec![Some(800.0), Some(9.0), Some(600.0)]);
        let mut sums = FactSums::default();
        assert!(sums.means().is_empty());
        sums.add(&game.facts, &game.ms, 0);
        let means = sums.means();
        assert_eq!(means.mean_depth, Some(5.5));
        assert_eq!(means.mean_nps, Some(2500.0), "weighted with the times");
        assert_eq!(means.mean_latency_ms, Some(-1.0));
        assert_eq!(means.mean_time_left_ms, Some(600.0), "after the last move only");
        // A second game with more time left.
        game.facts.timeleft = Some(vec![Some(900.0), None, None]);
        sums.add(&game.facts, &game.ms, 0);
        assert_eq!(sums.means().mean_time_left_ms, Some(750.0));
    }
}
