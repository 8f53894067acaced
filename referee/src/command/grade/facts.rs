//! What was measured of a submission: all that its points and its feedback depend on.

use std::collections::BTreeMap;

use referee_core::player::verdict::FaultKind;
use serde::{Deserialize, Serialize};

/// What was found about a submission.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Facts {
    /// The submission and the course for which this holds.
    #[serde(default)]
    pub key: String,
    /// The hash of the wrapper.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wrapper: Option<String>,
    /// Why its files were not taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
    /// Why it did not play, in words that are the same for all submissions with this cause.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// Whether no required check failed.
    pub passes: bool,
    /// What its author reads about the checks.
    pub report: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<CheckFact>,
    /// The games against each opponent, in the order of the rubric.
    pub matches: Vec<MatchFacts>,
}

/// The result of a check.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct CheckFact {
    pub check: String,
    pub level: String,
    pub status: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    pub ms: f64,
}

/// The games against an opponent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct MatchFacts {
    /// The name of the opponent.
    pub opponent: String,
    /// Why the submission did not play, for its author.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    pub wins: u64,
    pub ties: u64,
    pub losses: u64,
    /// The time of the longest move, with late answers; the limit if no answer came.
    pub longest_ms: f64,
    pub lost_by_fault: u64,
    /// Whether the submission resigned all games before a move of its own.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub only_resigned: bool,
    /// The faults of the submission.
    pub faults: BTreeMap<FaultKind, Faults>,
}

/// Faults of one kind.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Faults {
    pub count: u64,
    /// What its author reads about the first of them.
    pub first: String,
}

impl MatchFacts {
    /// Of a submission that did not play.
    pub fn unplayed(opponent: &str, problem: &str) -> MatchFacts {
        MatchFacts {
            opponent: opponent.into(),
            problem: Some(problem.into()),
            ..MatchFacts::default()
        }
    }

    /// The points of the games, a draw being half a point.
    pub fn points(&self) -> f64 {
        self.wins as f64 + self.ties as f64 / 2.0
    }
}
