//! What differs between systems, each behind one interface; `docs/windows.md` lists it for users.
//!
//! * [`pipes`]: waiting for several pipes at once. Unix has `poll`; on Windows threads read and
//!   write the pipes.
//! * [`processes`]: starting, watching and killing an engine. Unix has process groups and signals,
//!   Windows has job objects.
//! * [`interrupt`]: Ctrl-C and requests to end.
//! * [`terminal`]: whether a terminal knows escape sequences.
//! * [`files`]: programs, locks and names in the file system.
//! * [`groups`]: the memory that a container leaves.
//! * [`clock`]: the time with that in which the machine sleeps.
//!
//! Each has a part for Unix and one for Windows, with the same items. What only Linux has is in
//! `process/supervisor`, `process/sandbox` and `process/unsupervised.rs`. `referee adapt` needs
//! pseudo-terminals and exists on Unix only. `tests/engine/modules` checks that no other file knows the
//! system.

pub mod clock;
pub mod files;
pub mod groups;
pub mod interrupt;
pub mod terminal;

/// Pipes, and waiting for several of them at once.
///
/// * `Source`: something that a thread can wait for.
/// * `WaitSet`: a set of sources; its `wait` returns when one of them is ready.
/// * `Reader`, `Writer`: ends of pipes that never block.
/// * `wake_pair`: a source that another thread makes ready.
/// * `ExitWatch`: becomes ready when an engine has exited.
pub mod pipes {
    mod common;
    #[cfg(unix)]
    mod unix;
    #[cfg(windows)]
    mod windows;

    pub use common::*;
    #[cfg(unix)]
    pub use unix::*;
    #[cfg(windows)]
    pub use windows::*;
}

/// Processes: starting an engine, watching it, and killing it with its descendants.
///
/// * `ProcessTree`, `Tree`: an engine and the processes that it started.
/// * `Exit`, `exit_of`: how a process ended.
/// * `available_cores`, `pin_to_core`: which cores a process may use.
/// * `own_program`, `is_root`, `is_no_program`, `shortage`, `raise_open_files`, `inherited_limit`,
///   `killed_for_memory`, `limit_of_processor_time`.
/// * `Work` and `Effort`: what an engine did; `EndedProcesses`: what is known of its processes that have ended.
pub mod processes {
    mod common;
    mod ended;
    mod exit;
    #[cfg(unix)]
    mod unix;
    #[cfg(windows)]
    mod windows;

    pub use common::*;
    pub use ended::*;
    pub use exit::*;
    #[cfg(unix)]
    pub use unix::*;
    #[cfg(windows)]
    pub use windows::*;
}
