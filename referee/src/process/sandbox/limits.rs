//! Resource limits of each process, and no capabilities.

use rustix::io::Errno;
use rustix::process::{Resource, Rlimit};
use rustix::thread::{CapabilitySet, CapabilitySets};

use super::{Refusal, SandboxLevel};
use crate::process::limits::Limits;
use crate::process::sandbox::scratch;

/// Open files of a process. Java and Node.js start with 32.
const MAX_OPEN_FILES: u64 = 256;

/// The resource limits of this process and each that it starts. There is none on address
/// space: Java and Node.js reserve gigabytes that they never use.
pub fn set(level: SandboxLevel, limits: Limits) -> Result<(), Refusal> {
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
pub fn drop_capabilities() -> Result<(), Refusal> {
    let dropped = drop_all();
    dropped.map_err(|error| Refusal(format!("the sandbox cannot give up root's capabilities: {error}")))
}

fn drop_all() -> Result<(), Errno> {
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
