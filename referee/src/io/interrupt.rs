//! SIGINT and SIGTERM, and the referee's own wish to end, as something that can
//! be waited for beside a pipe.

use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};
use signal_hook::consts::{SIGINT, SIGTERM};

/// A signal that ends the referee.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// SIGINT, which Ctrl-C sends.
    Interrupt,
    /// SIGTERM, which `kill` and a cluster's scheduler send.
    Terminate,
}

impl Signal {
    /// The exit status that tells a shell of this signal.
    #[must_use]
    pub const fn exit_status(self) -> u8 {
        128 + self.number() as u8
    }

    /// What happened to the referee, as a word.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Signal::Interrupt => "interrupted",
            Signal::Terminate => "terminated",
        }
    }

    const fn number(self) -> i32 {
        match self {
            Signal::Interrupt => SIGINT,
            Signal::Terminate => SIGTERM,
        }
    }
}

/// Why the referee ends something early, through no fault of a player.
#[derive(Debug)]
pub enum Stop {
    /// A signal, or the match is over for another reason.
    Signal(Signal),
    /// The person at the keyboard leaves.
    Quit,
    /// Standard output or the terminal fails.
    Broken(io::Error),
}

impl From<Signal> for Stop {
    fn from(signal: Signal) -> Stop {
        Stop::Signal(signal)
    }
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Stop {
        Stop::Broken(error)
    }
}

/// Whether the referee was asked to end.
///
/// The signal handlers write into a pipe that nobody reads, so that once a
/// signal came, every `poll` on it, in whatever thread, returns at once; until
/// the signal is acknowledged, if it ever is.
#[derive(Debug)]
pub struct Interrupt {
    wake: PipeReader,
    waker: PipeWriter,
    /// The number of the last signal; 0 before.
    caught: Arc<AtomicUsize>,
    /// Whether the referee itself wants everything to end.
    stopped: AtomicBool,
}

impl Interrupt {
    /// Takes over SIGINT and SIGTERM for the rest of the process.
    ///
    /// # Errors
    /// Where the system gives no pipe or no handler.
    pub fn install() -> io::Result<Interrupt> {
        let interrupt = Interrupt::deaf()?;
        for signal in [Signal::Interrupt, Signal::Terminate] {
            let number = signal.number();
            // Handlers run in this order: whoever is woken finds the number.
            signal_hook::flag::register_usize(number, Arc::clone(&interrupt.caught), number as usize)?;
            signal_hook::low_level::pipe::register(number, interrupt.waker.try_clone()?)?;
        }
        Ok(interrupt)
    }

    /// One that no signal reaches.
    ///
    /// # Errors
    /// Where the system gives no pipe.
    pub fn deaf() -> io::Result<Interrupt> {
        let (wake, waker) = io::pipe()?;
        Ok(Interrupt {
            wake,
            waker,
            caught: Arc::default(),
            stopped: AtomicBool::new(false),
        })
    }

    /// Wakes everybody who waits, as a signal does, but for no signal's sake:
    /// what goes on is not wanted any more.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::SeqCst);
        // A full pipe wakes as well.
        let _ = (&self.waker).write(&[0]);
    }

    /// Whether everything is to end, for whatever reason.
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::SeqCst) || self.caught().is_some()
    }

    /// From now on a signal ends the process at once, with its status: nobody is
    /// left who would have to be told.
    pub fn end_at_the_next(&self) {
        for signal in [Signal::Interrupt, Signal::Terminate] {
            let status = i32::from(signal.exit_status());
            let armed = Arc::new(AtomicBool::new(true));
            let armed = signal_hook::flag::register_conditional_shutdown(signal.number(), status, armed);
            if let Err(error) = armed {
                log::warn!("a second signal would not be heard: {error}");
            }
        }
    }

    /// The signal that came, if one did.
    pub fn caught(&self) -> Option<Signal> {
        let number = self.caught.load(Ordering::SeqCst) as i32;
        [Signal::Interrupt, Signal::Terminate]
            .into_iter()
            .find(|signal| signal.number() == number)
    }

    /// The signal that ended a wait; SIGTERM stands for [`Interrupt::stop`].
    pub fn signal(&self) -> Signal {
        self.caught().unwrap_or(Signal::Terminate)
    }

    /// Forgets a SIGINT that was answered by a question, so that the next one
    /// is noticed. SIGTERM is never forgotten.
    pub fn acknowledge(&self) {
        let (caught, none) = (SIGINT as usize, 0);
        let _ = self
            .caught
            .compare_exchange(caught, none, Ordering::SeqCst, Ordering::SeqCst);
        while !self.is_stopped() && self.is_awake() {
            let mut bytes = [0; 64];
            if (&self.wake).read(&mut bytes).is_err() {
                return;
            }
        }
    }

    /// Waits for so long, or until everything is to end; says whether it is.
    pub fn wait(&self, time: Duration) -> bool {
        let until = Instant::now() + time;
        while !self.is_stopped() {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            let timeout = Timespec {
                tv_sec: i64::try_from(left.as_secs()).unwrap_or(i64::MAX),
                tv_nsec: left.subsec_nanos().into(),
            };
            let mut set = [PollFd::new(&self.wake, PollFlags::IN)];
            match rustix::event::poll(&mut set, Some(&timeout)) {
                // Woken by what has been answered already.
                Ok(ready) if ready > 0 && !self.is_stopped() => {
                    std::thread::sleep(left.min(Duration::from_millis(1)));
                }
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(error) => {
                    log::error!("cannot wait: {error}");
                    break;
                }
            }
        }
        self.is_stopped()
    }

    /// Whether something is in the pipe.
    fn is_awake(&self) -> bool {
        let mut set = [PollFd::new(&self.wake, PollFlags::IN)];
        let at_once = Timespec::default();
        rustix::event::poll(&mut set, Some(&at_once)).is_ok_and(|ready| ready > 0)
    }
}

impl AsFd for Interrupt {
    /// Readable once a signal came. Not to be read from.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.wake.as_fd()
    }
}

#[cfg(test)]
impl Interrupt {
    /// One that no signal reaches, for as many as like.
    pub(crate) fn idle() -> Arc<Interrupt> {
        Arc::new(Interrupt::deaf().unwrap())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_ends_early_where_everything_is_to_end() {
        let interrupt = Interrupt::idle();
        assert!(!interrupt.wait(Duration::from_millis(5)));
        let start = Instant::now();
        std::thread::scope(|scope| {
            let waits = scope.spawn(|| interrupt.wait(Duration::from_mins(1)));
            // It waits by now, most likely.
            std::thread::sleep(Duration::from_millis(50));
            interrupt.stop();
            assert!(waits.join().unwrap());
        });
        assert!(interrupt.wait(Duration::from_mins(1)));
        assert!(start.elapsed() < Duration::from_mins(1));
    }
}
