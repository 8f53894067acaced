//! Whether this system can restrict engines as asked.

use std::sync::OnceLock;

use super::sandbox::{Enforced, Refusal, SandboxLevel};
use super::supervisor;

/// What this system enforces at a level other than `Off`. It is tried once.
pub fn sandbox_ability(level: SandboxLevel) -> Result<Enforced, Refusal> {
    static ON: OnceLock<Result<Enforced, Refusal>> = OnceLock::new();
    static STRICT: OnceLock<Result<Enforced, Refusal>> = OnceLock::new();
    let known = match level {
        SandboxLevel::Strict => &STRICT,
        _ => &ON,
    };
    known.get_or_init(|| supervisor::probe(level)).clone()
}
