//! Signals of an engine and of its supervisor.
//!
//! Some go to whole process groups: from the terminal to its foreground group, from a scheduler to
//! all processes of a job. They address the referee and the engine; the supervisor exits after
//! these.
//!
//! A new process belongs to the referee's group until it has left it, and has no handlers until it
//! installs them. A signal in between would kill it. It therefore starts with these signals
//! blocked; the signal mask survives `exec`.
//!
//! Engines run as the user who runs the referee, and that user may signal all of their own
//! processes. Without a scope of its own an engine could stop its supervisor, the referee or its
//! opponent, and the wrong side would lose.

use std::io;
use std::process::{Child, Command};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;

use landlock::{Ruleset, RulesetAttr, RulesetError, Scope};
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

/// Runs `work` in a thread that, like all processes that it starts, can signal only
/// those processes (Landlock's signal scope, Linux 6.12 and newer; without it nothing
/// is restricted). Others can still signal them. Setuid programs gain no privileges.
pub(crate) fn run_restricted<T: Send>(work: impl FnOnce() -> io::Result<T> + Send) -> io::Result<T> {
    thread::scope(|scope| {
        let restricted = thread::Builder::new().spawn_scoped(scope, || {
            if let Err(error) = restrict() {
                log::debug!("signals are not restricted: {error}");
            }
            work()
        })?;
        let panicked = |_| io::Error::other("the thread that starts an engine panicked");
        restricted.join().map_err(panicked)?
    })
}

/// Restricts this thread, as far as the kernel supports it.
fn restrict() -> Result<(), RulesetError> {
    let ruleset = Ruleset::default().scope(Scope::Signal)?.create()?;
    ruleset.restrict_self().map(drop)
}
