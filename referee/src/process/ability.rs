//! Whether this system can restrict engines as asked.

use std::sync::OnceLock;

use super::sandbox::{Enforced, Refusal, SandboxLevel};

/// What this system enforces at a level other than `Off`. It is tried once.
///
/// # Errors
/// A part is missing; the message says which, and what to do.
pub fn sandbox_ability(level: SandboxLevel) -> Result<Enforced, Refusal> {
    static ON: OnceLock<Result<Enforced, Refusal>> = OnceLock::new();
    static STRICT: OnceLock<Result<Enforced, Refusal>> = OnceLock::new();
    let known = match level {
        SandboxLevel::Strict => &STRICT,
        _ => &ON,
    };
    known.get_or_init(|| probe(level)).clone()
}

#[cfg(target_os = "linux")]
fn probe(level: SandboxLevel) -> Result<Enforced, Refusal> {
    if rustix::process::geteuid().is_root() {
        log::warn!(
            "the referee runs as root: sandboxed engines lose root's capabilities, but their user still owns the \
             system's files. Run the referee as an ordinary user"
        );
    }
    super::supervisor::confined::probe(level)
}

#[cfg(not(target_os = "linux"))]
fn probe(_: SandboxLevel) -> Result<Enforced, Refusal> {
    Err(Refusal(
        "the sandbox needs Linux; play without --sandbox, or in a container".into(),
    ))
}
