//! The sandbox of an engine: what it may read, write and call.
//!
//! A [`Sandbox`] is the plan for one engine, made before it starts. On Linux a launcher
//! applies it to itself and then becomes the engine, so it costs nothing per move:
//!
//! * [`policy`]: which folders an engine may read; the levels; why this kernel cannot do what was
//!   asked for.
//! * [`places`]: files and folders of the system that every engine may read, and interpreters.
//! * `apply`: restricts a process, with Landlock and limits; `syscalls`: a seccomp filter, from the lists in
//!   `calls`.
//! * `namespaces`: a root folder, process list and network of its own.
//! * `scratch`: the private folder of an engine; `held`: what its processes hold and nobody else sees.

#[cfg(target_os = "linux")]
mod apply;
#[cfg(target_os = "linux")]
mod calls;
#[cfg(target_os = "linux")]
pub mod held;
#[cfg(target_os = "linux")]
pub mod namespaces;
pub mod places;
mod policy;
#[cfg(target_os = "linux")]
pub mod scratch;
#[cfg(target_os = "linux")]
mod syscalls;

pub(crate) use policy::{ControlGroups, Enforced};
pub use policy::{Purpose, Refusal, Sandbox, SandboxLevel};

#[cfg(target_os = "linux")]
pub(crate) use apply::{restrict, set_environment};

/// What the name of a scratch folder begins with.
pub(crate) const SCRATCH: &str = "referee-engine-";
