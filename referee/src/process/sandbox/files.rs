//! Landlock: which files an engine may use, no TCP, no signals to others.

use std::path::Path;

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, LandlockStatus, Ruleset, RulesetAttr, RulesetCreatedAttr,
    RulesetError, RulesetStatus, Scope, make_bitflags, path_beneath_rules,
};

use super::{Refusal, Sandbox, SandboxLevel, namespaces, places};

/// The newest version that this program knows. Rights that the kernel does not know are
/// left out.
const NEWEST: ABI = ABI::V9;

/// The oldest version that keeps the promises: it confines signals and abstract sockets.
const OLDEST: ABI = ABI::V6;

/// Restricts this process. Returns the version of Landlock that the kernel enforces.
pub fn restrict(sandbox: &Sandbox, scratch: &Path) -> Result<u32, Refusal> {
    let status =
        ruleset(sandbox, scratch).map_err(|error| Refusal(format!("Landlock refuses a rule: {error}")))?;
    decide(status.landlock, status.ruleset != RulesetStatus::NotEnforced)
}

/// The version of Landlock that restricts this process.
fn decide(landlock: LandlockStatus, is_enforced: bool) -> Result<u32, Refusal> {
    let advice = "use Linux 6.12 or newer, or play without --sandbox";
    match landlock {
        LandlockStatus::NotImplemented => Err(Refusal::lacks("Landlock", advice)),
        LandlockStatus::NotEnabled => Err(Refusal::lacks(
            "Landlock to be switched on",
            "start it with `lsm=landlock,…`, or play without --sandbox",
        )),
        LandlockStatus::Available { effective_abi, .. } if effective_abi < OLDEST => Err(Refusal::lacks(
            "Landlock 6, which confines signals and abstract sockets",
            &format!("it has Landlock {}; {advice}", effective_abi as u32),
        )),
        LandlockStatus::Available { .. } if !is_enforced => Err(Refusal::lacks("Landlock", advice)),
        LandlockStatus::Available { effective_abi, .. } => Ok(effective_abi as u32),
    }
}

/// Applies the rules.
fn ruleset(sandbox: &Sandbox, scratch: &Path) -> Result<landlock::RestrictionStatus, RulesetError> {
    let run = make_bitflags!(AccessFs::{Execute | ReadFile | ReadDir});
    let read = make_bitflags!(AccessFs::{ReadFile | ReadDir});
    let write = make_bitflags!(AccessFs::{ReadFile | WriteFile});
    Ruleset::default()
        .handle_access(AccessFs::from_all(NEWEST))?
        .handle_access(AccessNet::from_all(NEWEST))?
        .scope(Scope::from_all(NEWEST))?
        .create()?
        .add_rules(path_beneath_rules(places::PROGRAMS, run))?
        .add_rules(path_beneath_rules(places::configuration(), read))?
        .add_rules(path_beneath_rules(places::MACHINE, read))?
        .add_rules(path_beneath_rules(places::SOURCES, AccessFs::ReadFile))?
        .add_rules(path_beneath_rules(places::SINKS, write))?
        .add_rules(path_beneath_rules(&sandbox.readable, run))?
        .add_rules(path_beneath_rules([scratch], in_scratch()))?
        .add_rules(path_beneath_rules(own_places(sandbox.level), in_scratch()))?
        .add_rules(path_beneath_rules(own_processes(sandbox.level), read))?
        .restrict_self()
}

/// Folders besides the scratch folder in which an engine with its own root may write.
fn own_places(level: SandboxLevel) -> Option<&'static str> {
    (level == SandboxLevel::Strict).then_some(namespaces::SHARED_MEMORY)
}

/// The process list of an engine that has its own.
fn own_processes(level: SandboxLevel) -> Option<&'static str> {
    (level == SandboxLevel::Strict).then_some("/proc")
}

/// What is allowed in the scratch folder: no devices and no sockets.
fn in_scratch() -> BitFlags<AccessFs> {
    let special = make_bitflags!(AccessFs::{MakeChar | MakeBlock | MakeSock | IoctlDev | ResolveUnix});
    AccessFs::from_all(NEWEST) & !special
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_that_do_not_confine_signals_are_refused() {
        let decided = |effective_abi, is_enforced| {
            let landlock = LandlockStatus::Available {
                effective_abi,
                kernel_abi: None,
            };
            decide(landlock, is_enforced).map_err(|refusal| refusal.to_string())
        };
        let old = [ABI::V1, ABI::V2, ABI::V3, ABI::V4, ABI::V5];
        for (number, version) in (1..).zip(old) {
            let error = decided(version, true).unwrap_err();
            assert!(
                error.contains(&format!("it has Landlock {number}; use Linux 6.12 or newer")),
                "{error}"
            );
        }
        let new = [ABI::V6, ABI::V7, ABI::V8, ABI::V9];
        for (number, version) in (6..).zip(new) {
            assert_eq!(decided(version, true), Ok(number));
            let error = decided(version, false).unwrap_err();
            assert!(error.contains("Linux 6.12"), "{error}");
        }
        for (landlock, advice) in [
            (LandlockStatus::NotImplemented, "use Linux 6.12 or newer"),
            (LandlockStatus::NotEnabled, "lsm=landlock"),
        ] {
            let error = decide(landlock, false).unwrap_err().to_string();
            assert!(error.contains(advice), "{error}");
        }
    }
}
