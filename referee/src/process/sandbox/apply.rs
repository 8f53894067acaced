//! Restricts this process for good: files, system calls, resources, capabilities; and the
//! variables of an engine.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::Command;

use rustix::io::Errno;
use rustix::process::{Resource, Rlimit};
use rustix::thread::{CapabilitySet, CapabilitySets};

use super::policy::{Enforced, Refusal, Sandbox, SandboxLevel, kernel};
use super::{files, scratch, syscalls};
use crate::system::processes::Limits;

/// Restricts this process, and all that it starts, for good. `scratch` is its private
/// folder. Returns what the kernel enforces.
pub fn restrict(sandbox: &Sandbox, limits: Limits, scratch: &Path) -> Result<Enforced, Refusal> {
    limit_resources(sandbox.level, limits)?;
    drop_capabilities()
        .map_err(|error| Refusal(format!("the sandbox cannot give up root's capabilities: {error}")))?;
    let landlock = files::restrict(sandbox, scratch)?;
    syscalls::restrict(sandbox.level)?;
    Ok(Enforced {
        kernel: kernel(),
        landlock,
    })
}

/// Variables that are passed on.
const KEPT: [&str; 6] = ["LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "TERM", "TZ"];

/// Variables that name the scratch folder.
const SCRATCH: [&str; 4] = ["HOME", "TMPDIR", "TMP", "TEMP"];

/// The search path without folders that the engine may read.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// Gives a command the short environment of a sandboxed engine.
pub fn set_environment(command: &mut Command, sandbox: &Sandbox, scratch: &Path) {
    let kept = KEPT
        .iter()
        .filter_map(|name| Some((OsString::from(name), std::env::var_os(name)?)));
    let scratch = SCRATCH.map(|name| (OsString::from(name), scratch.as_os_str().to_owned()));
    let user = ["USER", "LOGNAME"].map(|name| (OsString::from(name), OsString::from("engine")));
    let path = std::env::var_os("PATH").and_then(|path| readable_path(sandbox, &path));
    let path = (OsString::from("PATH"), path.unwrap_or_else(|| PATH.into()));
    let variables = kept.chain(scratch).chain(user).chain([path]);
    command.env_clear().envs(variables);
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
fn limit_resources(level: SandboxLevel, limits: Limits) -> Result<(), Refusal> {
    let mut wanted = vec![
        (Resource::Core, 0),
        (Resource::Memlock, 0),
        (Resource::Msgqueue, 0),
        (Resource::Rtprio, 0),
        (Resource::Fsize, scratch::MAX_BYTES),
        (Resource::Nofile, MAX_OPEN_FILES),
    ];
    if let Some(seconds) = limits.cpu_time {
        wanted.push((Resource::Cpu, seconds + CPU_GRACE));
    }
    // Counted per user, except inside a user namespace.
    if let (SandboxLevel::Strict, Some(processes)) = (level, limits.processes) {
        wanted.push((Resource::Nproc, processes + THREADS));
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

/// Threads of an engine that are no processes of their own; the system counts both. Java
/// has 20 on two cores.
const THREADS: u64 = 448;

/// Gives up all capabilities, which only root has, also for programs that are started later.
fn drop_capabilities() -> Result<(), Errno> {
    rustix::thread::set_no_new_privs(true)?;
    let held = rustix::thread::capabilities(None)?;
    if held.permitted.is_empty() {
        return Ok(());
    }
    for number in 0..u64::BITS {
        match rustix::thread::remove_capability_from_bounding_set(CapabilitySet::from_bits_retain(
            1 << number,
        )) {
            Ok(()) => {}
            // Beyond the last capability of this kernel.
            Err(Errno::INVAL) => break,
            Err(error) => return Err(error),
        }
    }
    rustix::thread::clear_ambient_capability_set()?;
    rustix::thread::set_capabilities(
        None,
        CapabilitySets {
            effective: CapabilitySet::empty(),
            permitted: CapabilitySet::empty(),
            inheritable: CapabilitySet::empty(),
        },
    )
}
