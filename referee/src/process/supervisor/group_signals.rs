//! Signals to whole process groups: from the terminal to its foreground group, from a
//! scheduler to all processes of a job. They address the referee and the engine; the
//! supervisor exits after these.
//!
//! A new process belongs to the referee's group until it has left it, and has no
//! handlers until it installs them. A signal in between would kill it. It therefore
//! starts with these signals blocked; the signal mask survives `exec`.

use std::io;
use std::process::{Child, Command};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use nix::sys::signal::{SigSet, SigmaskHow, Signal};

/// Ctrl-C, Ctrl-\, Ctrl-Z, hang-up of the terminal, and a plain `kill`.
const GROUP_SIGNALS: [Signal; 5] = [
    Signal::SIGINT,
    Signal::SIGQUIT,
    Signal::SIGTSTP,
    Signal::SIGHUP,
    Signal::SIGTERM,
];

/// Starts a supervisor with these signals blocked until it calls [`ignore`].
pub fn spawn(command: &mut Command) -> io::Result<Child> {
    let before = SigSet::from_iter(GROUP_SIGNALS).thread_swap_mask(SigmaskHow::SIG_BLOCK)?;
    let child = command.spawn();
    // Fails only for an invalid `how` argument.
    let _ = before.thread_set_mask();
    child
}

/// Unblocks these signals and handles them by doing nothing. Unlike ignored or blocked
/// signals, a handler is not inherited by the engine.
pub fn ignore() -> io::Result<()> {
    for signal in GROUP_SIGNALS {
        signal_hook::flag::register(signal as i32, Arc::new(AtomicBool::new(false)))?;
    }
    Ok(SigSet::from_iter(GROUP_SIGNALS).thread_unblock()?)
}
