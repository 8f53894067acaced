//! What a kernel enforces, or why it cannot.

use std::fmt;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// What the kernel enforces for sandboxed engines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Enforced {
    /// Release of the kernel, as `uname -r` prints it.
    pub kernel: String,
    /// The version of Landlock's interface that is in use.
    pub landlock: u32,
}

impl Enforced {
    /// What this kernel enforces with this version of Landlock.
    #[cfg(target_os = "linux")]
    pub(crate) fn new(landlock: u32) -> Enforced {
        Enforced {
            kernel: kernel(),
            landlock,
        }
    }
}

impl fmt::Display for Enforced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Landlock {}, Linux {}", self.landlock, self.kernel)
    }
}

/// Release of the running kernel.
#[cfg(target_os = "linux")]
pub fn kernel() -> String {
    let name = rustix::system::uname();
    name.release().to_string_lossy().into_owned()
}

/// A part of the sandbox that is missing, and what to do.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{0}")]
pub struct Refusal(pub String);

impl Refusal {
    /// The part that this kernel lacks; `needed` says what would have it.
    #[cfg(target_os = "linux")]
    pub(crate) fn lacks(part: &str, needed: &str) -> Refusal {
        Refusal(format!(
            "the sandbox needs {part}, which this kernel ({}) does not offer: {needed}",
            kernel()
        ))
    }
}
