//! Events of the console.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::common::INTERRUPT;
use crate::system::pipes::Waker;

/// What Ctrl-C does, in order.
type Actions = Mutex<Vec<Box<dyn FnMut() + Send>>>;

static ACTIONS: Actions = Mutex::new(Vec::new());

/// From now on, each `signal` stores its number in `caught` and then wakes.
pub fn stop_at(signal: i32, caught: &Arc<AtomicUsize>, waker: &Waker) -> io::Result<()> {
    let (caught, waker) = (Arc::clone(caught), waker.try_clone()?);
    act_at(signal, move || {
        caught.store(signal as usize, Ordering::SeqCst);
        waker.wake();
    })
}

/// From now on, each `signal` runs `action` on a thread of its own.
pub fn act_at(signal: i32, action: impl FnMut() + Send + 'static) -> io::Result<()> {
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
pub fn exit_at(signal: i32, status: i32) -> io::Result<()> {
    act_at(signal, move || std::process::exit(status))
}
