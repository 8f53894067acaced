//! What keeps an engine's signals among its own processes.
//!
//! Engines run as the user who runs the referee, who may send any signal to any
//! process of his. An engine that stopped its supervisor, the referee or its
//! opponent would get away with it, and the wrong side would be blamed.

use std::io;
use std::thread;

use landlock::{Ruleset, RulesetAttr, RulesetError, Scope};

/// Does some work in a thread that, like all processes that it starts, may send
/// signals to no process but those: Linux from 6.12 on keeps that, and before
/// nothing is kept. Everybody else may send signals to them, and privileges that
/// the file of a program would add (setuid) are not added.
///
/// # Errors
/// Those of the work.
pub fn work_behind<T: Send>(work: impl FnOnce() -> io::Result<T> + Send) -> io::Result<T> {
    thread::scope(|scope| {
        let fenced = scope.spawn(|| {
            if let Err(error) = close() {
                log::debug!("signals are not kept in: {error}");
            }
            work()
        });
        let panicked = |_| io::Error::other("the thread that starts an engine panicked");
        fenced.join().map_err(panicked)?
    })
}

/// Closes the fence around this thread; does what the kernel can do of it.
fn close() -> Result<(), RulesetError> {
    let ruleset = Ruleset::default().scope(Scope::Signal)?.create()?;
    ruleset.restrict_self().map(drop)
}
