//! Where the session's events come from: a client's lines, and the end of jobs.
//!
//! On Unix the session waits for both by itself, in one `poll`. Whenever a thread
//! is woken, a busy machine may keep it waiting; so nobody stands between `go`
//! and the session, nor between the clock and the answer. Elsewhere, and for an
//! input that is no descriptor, a thread reads and passes the lines on.

use std::io::Read;
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::thread;
use std::time::Instant;

use super::input::read_lines;
use super::work::{Event, Mailbox};

/// Lines of input that may wait in the queue; the client has to wait then. Jobs
/// never wait: a search could not end while the session waits for its end.
const MOST_WAITING: usize = 64;

/// What the session waits for.
pub trait Events {
    /// The next event, or `None` once the deadline has passed, whatever else has
    /// come.
    fn next(&mut self, deadline: Option<Instant>) -> Option<Event>;

    /// Where jobs say that they have ended.
    fn mailbox(&self) -> Mailbox;
}

/// How long there is until the deadline; `None` where it has passed.
fn until(deadline: Instant) -> Option<std::time::Duration> {
    let left = deadline.saturating_duration_since(Instant::now());
    (!left.is_zero()).then_some(left)
}

/// Lines that a thread of its own reads.
pub struct FromThread {
    queue: Receiver<Event>,
    /// One for each line in the queue.
    places: Receiver<()>,
    mailbox: Mailbox,
}

impl FromThread {
    /// Begins to read. The thread may outlive the session, until its next line or
    /// the end of the source.
    ///
    /// # Errors
    /// Where there is no thread.
    pub fn start(source: impl Read + Send + 'static) -> std::io::Result<FromThread> {
        let (sender, queue) = channel();
        let (taken, places): (SyncSender<()>, _) = sync_channel(MOST_WAITING);
        let input = sender.clone();
        let reading = move || {
            read_lines(source, |line| {
                taken.send(()).is_ok() && input.send(Event::Input(line)).is_ok()
            });
        };
        thread::Builder::new().name("input".to_string()).spawn(reading)?;
        Ok(FromThread {
            queue,
            places,
            mailbox: Mailbox::new(sender),
        })
    }
}

impl Events for FromThread {
    fn next(&mut self, deadline: Option<Instant>) -> Option<Event> {
        // The mailbox here holds a sender, so the queue never disconnects.
        let event = match deadline {
            None => self.queue.recv().ok(),
            Some(deadline) => self.queue.recv_timeout(until(deadline)?).ok(),
        };
        if let Some(Event::Input(_)) = event {
            let _ = self.places.try_recv();
        }
        event
    }

    fn mailbox(&self) -> Mailbox {
        self.mailbox.clone()
    }
}

#[cfg(unix)]
pub use polled::FromDescriptor;

#[cfg(unix)]
mod polled {
    use std::io::{self, PipeReader, Read};
    use std::os::fd::AsFd;
    use std::sync::mpsc::{Receiver, channel};
    use std::time::Instant;

    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    use super::{Events, until};
    use crate::engine::input::Lines;
    use crate::engine::work::{Event, Mailbox};

    /// Lines from a descriptor.
    pub struct FromDescriptor<F> {
        source: F,
        lines: Lines,
        queue: Receiver<Event>,
        /// Readable when something is in the queue.
        bell: PipeReader,
        mailbox: Mailbox,
    }

    impl<F: AsFd> FromDescriptor<F> {
        /// Nothing is read before the first event is asked for.
        ///
        /// # Errors
        /// Where the system gives no pipe.
        pub fn new(source: F) -> io::Result<FromDescriptor<F>> {
            let (bell, rope) = io::pipe()?;
            for end in [bell.as_fd(), rope.as_fd()] {
                rustix::io::ioctl_fionbio(end, true)?;
            }
            let (sender, queue) = channel();
            Ok(FromDescriptor {
                source,
                lines: Lines::default(),
                queue,
                bell,
                mailbox: Mailbox::with_bell(sender, rope),
            })
        }

        /// Waits until something has come or the deadline has passed.
        fn wait(&mut self, deadline: Option<Instant>) -> Option<()> {
            let timeout = match deadline {
                None => None,
                Some(deadline) => Timespec::try_from(until(deadline)?).ok(),
            };
            let mut set = Vec::with_capacity(2);
            set.push(PollFd::new(&self.bell, PollFlags::IN));
            if !self.lines.has_ended() {
                set.push(PollFd::new(&self.source, PollFlags::IN));
            }
            if let Err(error) = poll(&mut set, timeout.as_ref()) {
                if error != rustix::io::Errno::INTR {
                    log::error!("cannot wait for the input: {error}");
                }
                return Some(());
            }
            let ready = set.iter().map(|entry| !entry.revents().is_empty());
            let ready: Vec<bool> = ready.collect();
            if ready.first() == Some(&true) {
                // However often it was rung.
                let _ = self.bell.read(&mut [0; 256]);
            }
            if ready.get(1) == Some(&true) {
                self.lines.read_from(&mut Bytes(&self.source));
            }
            Some(())
        }
    }

    impl<F: AsFd> Events for FromDescriptor<F> {
        fn next(&mut self, deadline: Option<Instant>) -> Option<Event> {
            loop {
                if let Some(deadline) = deadline {
                    until(deadline)?;
                }
                if let Ok(event) = self.queue.try_recv() {
                    return Some(event);
                }
                if let Some(input) = self.lines.pop() {
                    return Some(Event::Input(input));
                }
                self.wait(deadline)?;
            }
        }

        fn mailbox(&self) -> Mailbox {
            self.mailbox.clone()
        }
    }

    /// What stands behind a descriptor.
    struct Bytes<'a, F>(&'a F);

    impl<F: AsFd> Read for Bytes<'_, F> {
        fn read(&mut self, space: &mut [u8]) -> io::Result<usize> {
            Ok(rustix::io::read(self.0, space)?)
        }
    }
}
