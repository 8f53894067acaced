//! Ctrl-C and requests to end.
//!
//! * `stop_at`: notes a signal and wakes a thread.
//! * `act_at`: runs an action at each signal.
//! * `exit_at`: ends the process at a signal.
//! * `report_full_files`: makes a signal of the system an error of the write that caused it.
//!
//! Windows has no signals. There Ctrl-C, Ctrl-Break and the closing of the console count as
//! [`INTERRUPT`], and [`TERMINATE`] never comes.

/// The number of the signal that Ctrl-C sends (POSIX).
pub(crate) const INTERRUPT: i32 = 2;

/// The number of the signal that `kill` sends (POSIX).
pub(crate) const TERMINATE: i32 = 15;

#[cfg(unix)]
mod unix {
    use std::io::{self, Read};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, AtomicUsize};

    use crate::system::pipes::Waker;

    /// From now on, a file that reaches a limit of its size (`ulimit -f`) is a write error, as a full disk is. A
    /// handler does this, because ignored signals are inherited: what this process starts is ended by the signal, as
    /// usual.
    pub fn report_full_files() -> io::Result<()> {
        signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default())?;
        Ok(())
    }

    /// From now on, each `signal` stores its number in `caught` and then wakes.
    pub(crate) fn stop_at(signal: i32, caught: &Arc<AtomicUsize>, waker: &Waker) -> io::Result<()> {
        // Handlers run in this order, so a woken thread finds the number.
        signal_hook::flag::register_usize(signal, Arc::clone(caught), signal as usize)?;
        signal_hook::low_level::pipe::register(signal, waker.try_clone()?.into_pipe())?;
        Ok(())
    }

    /// From now on, each `signal` runs `action` on a thread of its own.
    pub(crate) fn act_at(signal: i32, mut action: impl FnMut() + Send + 'static) -> io::Result<()> {
        let (mut signals, waker) = io::pipe()?;
        signal_hook::low_level::pipe::register(signal, waker)?;
        let thread = std::thread::Builder::new().name("signals".into());
        thread.spawn(move || {
            let mut byte = [0];
            loop {
                match signals.read_exact(&mut byte) {
                    Ok(()) => action(),
                    Err(error) => return log::error!("cannot listen for signals: {error}"),
                }
            }
        })?;
        Ok(())
    }

    /// From now on, `signal` ends the process with this exit status.
    pub(crate) fn exit_at(signal: i32, status: i32) -> io::Result<()> {
        let armed = Arc::new(AtomicBool::new(true));
        signal_hook::flag::register_conditional_shutdown(signal, status, armed)?;
        Ok(())
    }
}

#[cfg(windows)]
mod windows {
    use std::io;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::{Arc, Mutex, OnceLock, PoisonError};

    use super::INTERRUPT;
    use crate::system::pipes::Waker;

    /// What Ctrl-C does, in order.
    type Actions = Mutex<Vec<Box<dyn FnMut() + Send>>>;

    static ACTIONS: Actions = Mutex::new(Vec::new());

    /// Files have no limit of their size.
    pub fn report_full_files() -> io::Result<()> {
        Ok(())
    }

    /// From now on, each `signal` stores its number in `caught` and then wakes.
    pub(crate) fn stop_at(signal: i32, caught: &Arc<AtomicUsize>, waker: &Waker) -> io::Result<()> {
        let (caught, waker) = (Arc::clone(caught), waker.try_clone()?);
        act_at(signal, move || {
            caught.store(signal as usize, Ordering::SeqCst);
            waker.wake();
        })
    }

    /// From now on, each `signal` runs `action` on a thread of its own.
    pub(crate) fn act_at(signal: i32, action: impl FnMut() + Send + 'static) -> io::Result<()> {
        static HANDLER: OnceLock<Result<(), String>> = OnceLock::new();
        if signal != INTERRUPT {
            return Ok(());
        }
        let mut actions = ACTIONS.lock().unwrap_or_else(PoisonError::into_inner);
        actions.push(Box::new(action));
        drop(actions);
        let handler = HANDLER.get_or_init(|| ctrlc::set_handler(act).map_err(|error| error.to_string()));
        handler.clone().map_err(io::Error::other)
    }

    fn act() {
        let mut actions = ACTIONS.lock().unwrap_or_else(PoisonError::into_inner);
        for action in actions.iter_mut() {
            action();
        }
    }

    /// From now on, `signal` ends the process with this exit status.
    pub(crate) fn exit_at(signal: i32, status: i32) -> io::Result<()> {
        act_at(signal, move || std::process::exit(status))
    }
}

#[cfg(unix)]
pub use unix::*;
#[cfg(windows)]
pub use windows::*;
