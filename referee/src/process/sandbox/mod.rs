//! The sandbox of an engine: what it may read, write and call.
//!
//! A [`Sandbox`] is the plan for one engine, made before it starts. On Linux a launcher
//! applies it to itself and then becomes the engine, so it costs nothing per move:
//!
//! * [`policy`]: which folders an engine may read; the levels.
//! * `places`: files and folders of the system that every engine may read.
//! * `interpreter`: the program that runs a script, and where it is installed.
//! * `files`: Landlock rules; `syscalls`: seccomp filters; `limits`: resource limits and
//!   capabilities; `environment`: the variables.
//! * `namespaces`: a root folder, process list and network of its own.
//! * `scratch`: the private folder of an engine.
//! * `refusal`: why this kernel cannot do what was asked for.

#[cfg(target_os = "linux")]
mod environment;
#[cfg(target_os = "linux")]
mod files;
pub mod interpreter;
#[cfg(target_os = "linux")]
mod limits;
#[cfg(target_os = "linux")]
pub mod namespaces;
mod places;
mod policy;
mod refusal;
#[cfg(target_os = "linux")]
pub mod scratch;
#[cfg(target_os = "linux")]
mod syscalls;

pub use policy::{Purpose, Sandbox, SandboxLevel};
pub use refusal::{Enforced, Refusal};

#[cfg(target_os = "linux")]
mod apply {
    use std::path::Path;
    use std::process::Command;

    use super::{Enforced, Refusal, Sandbox, environment, files, limits, syscalls};
    use crate::process::limits::Limits;

    /// Restricts this process, and all that it starts, for good. `scratch` is its private
    /// folder. Returns what the kernel enforces.
    pub fn restrict(sandbox: &Sandbox, limits: Limits, scratch: &Path) -> Result<Enforced, Refusal> {
        limits::set(sandbox.level, limits)?;
        limits::drop_capabilities()?;
        let landlock = files::restrict(sandbox, scratch)?;
        syscalls::restrict(sandbox.level)?;
        Ok(Enforced::new(landlock))
    }

    /// Gives a command the short environment of a sandboxed engine.
    pub fn set_environment(command: &mut Command, sandbox: &Sandbox, scratch: &Path) {
        command.env_clear().envs(environment::variables(sandbox, scratch));
    }
}

#[cfg(target_os = "linux")]
pub use apply::{restrict, set_environment};
