//! SIGINT, SIGTERM and the referee's own stop, as a source to wait for.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use thiserror::Error;

pub use crate::system::interrupt::report_full_files;
use crate::system::interrupt::{self, INTERRUPT, TERMINATE};
use crate::system::pipes::{Interest, Source, WaitSet, Wake, Waker, wake_pair};

/// The signal that stops the process, from [`Interrupt::install`] on. Signals are the process's own, so
/// code that no [`Interrupt`] reaches can look here.
static CAUGHT: OnceLock<Arc<AtomicUsize>> = OnceLock::new();

/// Looks for a signal. A loop that may run for long and waits for nothing calls this in each round.
pub fn check() -> Result<(), Signal> {
    let caught = CAUGHT.get().and_then(|caught| Signal::stored_in(caught));
    caught.map_or(Ok(()), Err)
}

/// A signal that stops the referee.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Signal {
    /// SIGINT, as from Ctrl-C.
    #[error("interrupted")]
    Interrupt,
    /// SIGTERM, as from `kill` or a scheduler.
    #[error("terminated")]
    Terminate,
}

impl Signal {
    /// The exit status by convention, 128 plus the signal's number.
    pub const fn exit_status(self) -> u8 {
        128 + self.number() as u8
    }

    /// The signal whose number is stored.
    fn stored_in(caught: &AtomicUsize) -> Option<Signal> {
        let number = caught.load(Ordering::SeqCst) as i32;
        [Signal::Interrupt, Signal::Terminate]
            .into_iter()
            .find(|signal| signal.number() == number)
    }

    const fn number(self) -> i32 {
        match self {
            Signal::Interrupt => INTERRUPT,
            Signal::Terminate => TERMINATE,
        }
    }
}

/// The request to stop.
///
/// A signal makes a source ready until it is acknowledged. So once a signal has come, every wait
/// for the source returns at once in every thread.
#[derive(Debug)]
pub struct Interrupt {
    wake: Wake,
    waker: Waker,
    /// Number of the last signal; 0 for none.
    caught: Arc<AtomicUsize>,
    /// Whether [`Interrupt::stop`] was called.
    stopped: AtomicBool,
    /// Whether nothing new is to begin, while what runs goes on.
    finishing: Arc<AtomicBool>,
}

impl Interrupt {
    /// Handles SIGINT and SIGTERM for the rest of the process.
    pub fn install() -> io::Result<Interrupt> {
        let interrupt = Interrupt::of_process()?;
        interrupt.stop_at(Signal::Interrupt)?;
        interrupt.stop_at(Signal::Terminate)?;
        Ok(interrupt)
    }

    /// The same, except that the first SIGINT stops nothing: it only lets nothing new begin,
    /// and the user reads `notice`.
    pub fn install_finishing(notice: &'static str) -> io::Result<Interrupt> {
        let interrupt = Interrupt::of_process()?;
        interrupt.stop_at(Signal::Terminate)?;
        let (finishing, caught) = (Arc::clone(&interrupt.finishing), Arc::clone(&interrupt.caught));
        let stop = interrupt.waker.try_clone()?;
        interrupt::act_at(INTERRUPT, move || {
            if finishing.swap(true, Ordering::SeqCst) {
                caught.store(INTERRUPT as usize, Ordering::SeqCst);
                stop.wake();
            } else {
                log::warn!("{notice}");
            }
        })?;
        Ok(interrupt)
    }

    /// The request that [`check`] looks at.
    fn of_process() -> io::Result<Interrupt> {
        let mut interrupt = Interrupt::unreachable()?;
        interrupt.caught = Arc::clone(CAUGHT.get_or_init(Arc::default));
        Ok(interrupt)
    }

    /// Stops everything at this signal.
    fn stop_at(&self, signal: Signal) -> io::Result<()> {
        interrupt::stop_at(signal.number(), &self.caught, &self.waker)
    }

    /// A request that only [`Interrupt::stop`] can make.
    pub fn unreachable() -> io::Result<Interrupt> {
        let (wake, waker) = wake_pair()?;
        Ok(Interrupt {
            wake,
            waker,
            caught: Arc::default(),
            stopped: AtomicBool::new(false),
            finishing: Arc::default(),
        })
    }

    /// Stops everything, like a signal: running games are abandoned.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::SeqCst);
        self.waker.wake();
    }

    /// Looks for a signal, for work that takes long.
    ///
    /// # Errors
    /// [`io::ErrorKind::Interrupted`].
    pub fn go_on(&self) -> io::Result<()> {
        match self.caught() {
            Some(_) => Err(io::ErrorKind::Interrupted.into()),
            None => Ok(()),
        }
    }

    /// Whether everything is to stop.
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::SeqCst) || self.caught().is_some()
    }

    /// Whether nothing new is to begin.
    pub fn is_finishing(&self) -> bool {
        self.finishing.load(Ordering::SeqCst) || self.is_stopped()
    }

    /// From now on a signal ends the process at once: no engine is left to shut down.
    pub fn end_at_the_next() {
        for signal in [Signal::Interrupt, Signal::Terminate] {
            let status = i32::from(signal.exit_status());
            if let Err(error) = interrupt::exit_at(signal.number(), status) {
                log::warn!("a second signal would be ignored: {error}");
            }
        }
    }

    /// The signal that was caught.
    pub fn caught(&self) -> Option<Signal> {
        Signal::stored_in(&self.caught)
    }

    /// The signal that ended a wait; SIGTERM for [`Interrupt::stop`].
    pub fn signal(&self) -> Signal {
        self.caught().unwrap_or(Signal::Terminate)
    }

    /// Clears a SIGINT after the referee has asked the person about it, so that the next
    /// one is noticed. SIGTERM stays.
    pub fn acknowledge(&self) {
        let (caught, none) = (INTERRUPT as usize, 0);
        let _ = self
            .caught
            .compare_exchange(caught, none, Ordering::SeqCst, Ordering::SeqCst);
        while !self.is_stopped() && self.wake.is_ready() {
            if self.wake.clear().is_err() {
                return;
            }
        }
    }

    /// Sleeps for `time` or until the stop. Returns whether it stopped.
    pub fn wait(&self, time: Duration) -> bool {
        let until = Instant::now() + time;
        while !self.is_stopped() {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            let mut set = WaitSet::default();
            let wake = set.watch(Some(self.wake.source()), Interest::Input);
            match set.wait(Some(left)) {
                // The source is still ready after an acknowledged signal.
                Ok(()) if set.is_ready(wake) && !self.is_stopped() => {
                    std::thread::sleep(left.min(Duration::from_millis(1)));
                }
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    log::error!("cannot wait: {error}");
                    break;
                }
            }
        }
        self.is_stopped()
    }

    /// Ready once a signal has come.
    pub fn source(&self) -> Source<'_> {
        self.wake.source()
    }
}

#[cfg(test)]
impl Interrupt {
    /// A shared request that no signal can make.
    pub(crate) fn idle() -> Arc<Interrupt> {
        Arc::new(Interrupt::unreachable().unwrap())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stop_ends_a_wait_early() {
        let interrupt = Interrupt::idle();
        assert!(!interrupt.wait(Duration::from_millis(5)));
        let start = Instant::now();
        std::thread::scope(|scope| {
            let waits = scope.spawn(|| interrupt.wait(Duration::from_mins(1)));
            // It is probably waiting by now.
            std::thread::sleep(Duration::from_millis(50));
            interrupt.stop();
            assert!(waits.join().unwrap());
        });
        assert!(interrupt.wait(Duration::from_mins(1)));
        assert!(start.elapsed() < Duration::from_mins(1));
    }
}
