//! Signals.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize};

use crate::system::pipes::Waker;

/// From now on, each `signal` stores its number in `caught` and then wakes.
pub fn stop_at(signal: i32, caught: &Arc<AtomicUsize>, waker: &Waker) -> io::Result<()> {
    // Handlers run in this order, so a woken thread finds the number.
    signal_hook::flag::register_usize(signal, Arc::clone(caught), signal as usize)?;
    signal_hook::low_level::pipe::register(signal, waker.try_clone()?.into_pipe())?;
    Ok(())
}

/// From now on, each `signal` runs `action` on a thread of its own.
pub fn act_at(signal: i32, mut action: impl FnMut() + Send + 'static) -> io::Result<()> {
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
pub fn exit_at(signal: i32, status: i32) -> io::Result<()> {
    let armed = Arc::new(AtomicBool::new(true));
    signal_hook::flag::register_conditional_shutdown(signal, status, armed)?;
    Ok(())
}
