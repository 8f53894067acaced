//! Restricts this process for good: files, system calls, resources, capabilities; and the
//! variables of an engine.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::Command;

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, LandlockStatus, RestrictionStatus, Ruleset, RulesetAttr,
    RulesetCreatedAttr, RulesetError, RulesetStatus, Scope, make_bitflags, path_beneath_rules,
};
use rustix::io::Errno;
use rustix::process::{Resource, Rlimit};
use rustix::thread::{CapabilitySet, CapabilitySets};

use super::policy::{Enforced, Refusal, Sandbox, SandboxLevel, kernel};
use super::{namespaces, places, scratch, syscalls};
use crate::system::processes::{ResourceLimits, max_threads};

/// Restricts this process, and all that it starts, for good. `scratch` is its private
/// folder. `is_apart` says whether it has its own user namespace. Returns what the kernel enforces.
pub(crate) fn restrict(
    sandbox: &Sandbox,
    limits: ResourceLimits,
    scratch: &Path,
    is_apart: bool,
) -> Result<Enforced, Refusal> {
    limit_resources(limits, is_apart)?;
    drop_capabilities()
        .map_err(|error| Refusal(format!("the sandbox cannot give up root's capabilities: {error}")))?;
    let landlock = restrict_files(sandbox, scratch)?;
    syscalls::restrict(sandbox.level)?;
    Ok(Enforced {
        kernel: kernel().into(),
        landlock,
        cgroup: None,
    })
}

/// Variables that are passed on.
const KEPT: [&str; 6] = ["LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "TERM", "TZ"];

/// Variables that name the scratch folder.
const SCRATCH: [&str; 4] = ["HOME", "TMPDIR", "TMP", "TEMP"];

/// The search path without folders that the engine may read.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// Gives a command the short environment of a sandboxed engine.
pub(crate) fn set_environment(command: &mut Command, sandbox: &Sandbox, scratch: &Path) {
    let path = std::env::var_os("PATH").and_then(|path| readable_path(sandbox, &path));
    command
        .env_clear()
        .envs(
            KEPT.iter()
                .filter_map(|name| Some((name, std::env::var_os(name)?))),
        )
        .envs(SCRATCH.map(|name| (name, scratch)))
        .envs(["USER", "LOGNAME"].map(|name| (name, "engine")))
        .env("PATH", path.unwrap_or_else(|| PATH.into()));
}

/// The folders of a search path that the engine may read; `None` if there are none.
fn readable_path(sandbox: &Sandbox, path: &OsStr) -> Option<OsString> {
    let folders = std::env::split_paths(path);
    let readable = folders.filter(|folder| folder.canonicalize().is_ok_and(|folder| sandbox.allows(&folder)));
    std::env::join_paths(readable)
        .ok()
        .filter(|path| !path.is_empty())
}

/// Open files of a process. Java and Node.js start with 32.
const MAX_OPEN_FILES: u64 = 256;

/// The resource limits of this process and each that it starts. There is none on address
/// space: Java and Node.js reserve gigabytes that they never use.
fn limit_resources(limits: ResourceLimits, is_apart: bool) -> Result<(), Refusal> {
    let mut wanted = vec![
        (Resource::Core, 0),
        (Resource::Memlock, 0),
        (Resource::Msgqueue, 0),
        (Resource::Rtprio, 0),
        (Resource::Sigpending, MAX_SIGNALS),
        (Resource::Fsize, scratch::MAX_BYTES),
        (Resource::Nofile, MAX_OPEN_FILES),
    ];
    if let Some(seconds) = limits.cpu_time {
        wanted.push((Resource::Cpu, seconds + CPU_GRACE));
    }
    // Counted per user, except inside a user namespace.
    if let Some(threads) = max_threads(limits).filter(|_| is_apart) {
        wanted.push((Resource::Nproc, threads + THREADS_GRACE));
    }
    for (resource, most) in wanted {
        let old = rustix::process::getrlimit(resource);
        let most = old.maximum.map_or(most, |maximum| maximum.min(most));
        let limit = Rlimit {
            current: Some(most),
            maximum: Some(most),
        };
        rustix::process::setrlimit(resource, limit)
            .map_err(|error| Refusal(format!("the sandbox cannot limit {resource:?}: {error}")))?;
    }
    Ok(())
}

/// Seconds of processor time beyond the limit. The supervisor ends the engine earlier, and says
/// why; the system ends it without a reason.
const CPU_GRACE: u64 = 2;

/// Threads beyond the limit. The supervisor ends the engine, and says why; a start that the system refuses ends
/// most programs without a reason.
const THREADS_GRACE: u64 = 64;

/// Pending signals and timers of a user, who may have tens of thousands. One engine could take all of them.
const MAX_SIGNALS: u64 = 1024;

/// Gives up all capabilities, which only root has, also for programs that are started later.
fn drop_capabilities() -> Result<(), Errno> {
    rustix::thread::set_no_new_privs(true)?;
    let held = rustix::thread::capabilities(None)?;
    if held.permitted.is_empty() {
        return Ok(());
    }
    for number in 0..u64::BITS {
        let capability = CapabilitySet::from_bits_retain(1 << number);
        match rustix::thread::remove_capability_from_bounding_set(capability) {
            Ok(()) => {}
            // Beyond the last capability of this kernel.
            Err(Errno::INVAL) => break,
            Err(error) => return Err(error),
        }
    }
    rustix::thread::clear_ambient_capability_set()?;
    let [effective, permitted, inheritable] = [CapabilitySet::empty(); 3];
    let none = CapabilitySets {
        effective,
        permitted,
        inheritable,
    };
    rustix::thread::set_capabilities(None, none)
}

/// The newest version that this program knows. Rights that the kernel does not know are
/// left out.
const NEWEST: ABI = ABI::V9;

/// The oldest version that keeps the promises: it confines signals and abstract sockets.
const OLDEST: ABI = ABI::V6;

/// Restricts files, network and signals with Landlock. Returns the version that the kernel enforces.
fn restrict_files(sandbox: &Sandbox, scratch: &Path) -> Result<u32, Refusal> {
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
fn ruleset(sandbox: &Sandbox, scratch: &Path) -> Result<RestrictionStatus, RulesetError> {
    let run = make_bitflags!(AccessFs::{Execute | ReadFile | ReadDir});
    let read = make_bitflags!(AccessFs::{ReadFile | ReadDir});
    let write = make_bitflags!(AccessFs::{ReadFile | WriteFile});
    // An engine with its own root has its own shared memory and process list.
    let has_root = sandbox.level == SandboxLevel::Strict;
    let ruleset = Ruleset::default().handle_access(AccessFs::from_all(NEWEST))?;
    // And a network that leads nowhere else.
    let ruleset = if has_root {
        ruleset
    } else {
        ruleset.handle_access(AccessNet::from_all(NEWEST))?
    };
    ruleset
        .scope(unreachable())?
        .create()?
        .add_rules(path_beneath_rules(places::PROGRAMS, run))?
        .add_rules(path_beneath_rules(places::configuration(), read))?
        .add_rules(path_beneath_rules(places::MACHINE, read))?
        .add_rules(path_beneath_rules(places::SOURCES, AccessFs::ReadFile))?
        .add_rules(path_beneath_rules(places::SINKS, write))?
        .add_rules(path_beneath_rules(&sandbox.readable, run))?
        .add_rules(path_beneath_rules([scratch], in_scratch()))?
        .add_rules(path_beneath_rules(&sandbox.writable, in_scratch()))?
        .add_rules(path_beneath_rules(
            has_root.then_some(namespaces::SHARED_MEMORY),
            in_scratch(),
        ))?
        .add_rules(path_beneath_rules(has_root.then_some("/proc"), read))?
        .restrict_self()
}

/// What cannot be reached outside of the sandbox.
fn unreachable() -> BitFlags<Scope> {
    Scope::from_all(NEWEST)
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
    fn a_search_path_has_the_readable_folders_alone() {
        let sandbox = Sandbox::of_adapter(SandboxLevel::On, None, &[]).unwrap();
        let readable = |path: &str| readable_path(&sandbox, path.as_ref());
        assert_eq!(readable("/root:/usr/bin:/nowhere:/bin").unwrap(), "/usr/bin:/bin");
        assert_eq!(readable("/nowhere"), None);
    }

    #[test]
    fn processes_and_abstract_sockets_outside_are_unreachable() {
        for wanted in [Scope::Signal, Scope::AbstractUnixSocket] {
            assert!(unreachable().contains(wanted), "{wanted:?}");
        }
    }

    #[test]
    fn only_variables_of_language_terminal_and_time_zone_are_passed_on() {
        for name in KEPT {
            let is_of_language = ["LANG", "LANGUAGE"].contains(&name) || name.starts_with("LC_");
            assert!(is_of_language || ["TERM", "TZ"].contains(&name), "{name}");
        }
    }

    #[test]
    fn the_scratch_folder_takes_files_but_no_devices_and_sockets() {
        let allowed = in_scratch();
        for wrong in [
            AccessFs::MakeChar,
            AccessFs::MakeBlock,
            AccessFs::MakeSock,
            AccessFs::IoctlDev,
            AccessFs::ResolveUnix,
        ] {
            assert!(!allowed.contains(wrong), "{wrong:?}");
        }
        for needed in [
            AccessFs::Execute,
            AccessFs::ReadFile,
            AccessFs::WriteFile,
            AccessFs::Truncate,
            AccessFs::MakeReg,
            AccessFs::MakeDir,
            AccessFs::RemoveFile,
        ] {
            assert!(allowed.contains(needed), "{needed:?}");
        }
    }

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
