//! Signals that go to everybody: from a terminal to the group in front of it,
//! from a scheduler to all processes of a job. They are meant for the referee and
//! the engine; when these have ended, so does the supervisor.
//!
//! A new process belongs to the referee's group until it has left it, and has no
//! handlers until it has made some. A signal in that moment would end it, so it
//! starts with them blocked: that outlives the start of a program.

use std::io;
use std::process::{Child, Command};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use nix::sys::signal::{SigSet, SigmaskHow, Signal};

/// Ctrl-C, Ctrl-\ and Ctrl-Z, the end of a terminal, and `kill` on all.
const FOR_EVERYBODY: [Signal; 5] = [
    Signal::SIGINT,
    Signal::SIGQUIT,
    Signal::SIGTSTP,
    Signal::SIGHUP,
    Signal::SIGTERM,
];

/// Starts a supervisor, for which these signals wait until it calls [`hear`].
///
/// # Errors
/// Where the system cannot execute it.
pub fn spawn(command: &mut Command) -> io::Result<Child> {
    let before = SigSet::from_iter(FOR_EVERYBODY).thread_swap_mask(SigmaskHow::SIG_BLOCK)?;
    let child = command.spawn();
    // The one error that there is, a wrong word for what to do, is not made here.
    let _ = before.thread_set_mask();
    child
}

/// From now on these signals come to this process, and do nothing. A handler is
/// not inherited by the engine, as ignoring or blocking them would be.
///
/// # Errors
/// Where the system refuses a handler.
pub fn hear() -> io::Result<()> {
    for signal in FOR_EVERYBODY {
        signal_hook::flag::register(signal as i32, Arc::new(AtomicBool::new(false)))?;
    }
    Ok(SigSet::from_iter(FOR_EVERYBODY).thread_unblock()?)
}
