//! An engine in the header of a result file.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::io::as_text;
use crate::io::untrusted::Untrusted;
use crate::settings::RecordedSettings;

/// An engine in a header: its effective settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EngineEntry {
    /// The player's name.
    #[serde(deserialize_with = "as_text::printable_name")]
    pub name: String,
    /// Its settings, each a field of the entry.
    #[serde(flatten)]
    pub settings: RecordedSettings,
    /// The submission and its version in a ladder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub submission: Option<Submission>,
    /// The hashes of its program and of the scripts that its arguments name, by their names as
    /// given. They determine no games: a new version of a program may finish a match.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub sha256: BTreeMap<Untrusted, Untrusted>,
}

/// A version of a submission.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Submission {
    /// The name of its folder.
    #[serde(deserialize_with = "as_text::printable_name")]
    pub name: String,
    /// The number of the version, from 1.
    pub version: u64,
    /// The hash of its files.
    pub digest: Untrusted,
}
