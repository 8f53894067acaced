//! Restricts the signals of an engine to its own processes.
//!
//! Engines run as the user who runs the referee, and that user may signal all of their
//! own processes. Without this scope an engine could stop its supervisor, the referee
//! or its opponent, and the wrong side would lose.

use std::io;
use std::thread;

use landlock::{Ruleset, RulesetAttr, RulesetError, Scope};

/// Runs `work` in a thread that, like all processes that it starts, can signal only
/// those processes (Landlock's signal scope, Linux 6.12 and newer; without it nothing
/// is restricted). Others can still signal them. Setuid programs gain no privileges.
pub fn run_restricted<T: Send>(work: impl FnOnce() -> io::Result<T> + Send) -> io::Result<T> {
    thread::scope(|scope| {
        let restricted = scope.spawn(|| {
            if let Err(error) = restrict() {
                log::debug!("signals are not restricted: {error}");
            }
            work()
        });
        let panicked = |_| io::Error::other("the thread that starts an engine panicked");
        restricted.join().map_err(panicked)?
    })
}

/// Restricts this thread, as far as the kernel supports it.
fn restrict() -> Result<(), RulesetError> {
    let ruleset = Ruleset::default().scope(Scope::Signal)?.create()?;
    ruleset.restrict_self().map(drop)
}
