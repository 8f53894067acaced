//! A line about one run of the command of a match. It belongs to no game, so older programs
//! skip it.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::process::{Enforced, SandboxLevel};
use crate::system::processes::is_root;

/// What restricted the engines in one run of the command: the games up to the next such line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SandboxRun {
    /// What the kernel enforced.
    pub sandbox: SandboxFacts,
}

/// The levels in use, and what the kernel enforced.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SandboxFacts {
    /// The levels of the engines.
    pub levels: Vec<String>,
    /// Kernel and version of Landlock.
    #[serde(flatten)]
    pub enforced: Enforced,
    /// Whether the referee ran as root.
    pub root: bool,
}

impl SandboxRun {
    /// The line about a run at these levels.
    pub(crate) fn new(levels: &[SandboxLevel], enforced: Enforced) -> SandboxRun {
        SandboxRun {
            sandbox: SandboxFacts {
                levels: levels.iter().map(ToString::to_string).collect(),
                enforced,
                root: is_root(),
            },
        }
    }
}

impl fmt::Display for SandboxRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SandboxFacts {
            levels,
            enforced,
            root,
        } = &self.sandbox;
        let root = if *root { ", as root" } else { "" };
        write!(f, "Sandbox: {} ({enforced}{root})", levels.join(" and "))
    }
}
