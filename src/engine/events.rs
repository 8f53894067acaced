//! The session's events: lines from the client, and ends of jobs.
//!
//! On Unix the session waits for both in one `poll`. A busy machine may run a woken thread
//! late, so no thread stands between `go` and the session, or between the clock and the
//! answer. On other systems, and for an input without a file descriptor, a thread reads
//! the lines.

use std::io::Read;
#[cfg(unix)]
use std::io::{PipeWriter, Write};
#[cfg(unix)]
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use lodestone_game::input::{Input, read_lines};

use super::job::JobId;

/// Lines that a reading thread may queue; then the client has to wait. Ends of jobs are
/// never held back.
const MAX_QUEUED_LINES: usize = 64;

/// What the session waits for.
#[derive(Debug)]
pub enum SessionEvent {
    /// Something arrived from the client.
    Input(Input),
    /// A job has ended.
    JobEnded(JobId),
    /// There is no event before the host that called the session runs again.
    Return,
}

/// Where the session gets its events.
pub(crate) trait EventSource {
    /// The next event. Returns `None` once the deadline has passed, even if there are
    /// events.
    fn next(&mut self, deadline: Option<Instant>) -> Option<SessionEvent>;

    /// Sends events to this source from other threads.
    fn sender(&self) -> EventSender;
}

/// Sends events to the session.
#[derive(Clone, Debug)]
pub(crate) struct EventSender {
    queue: Sender<SessionEvent>,
    /// The write end of the wake pipe, for a session that waits in `poll`.
    #[cfg(unix)]
    wake_pipe: Option<Arc<PipeWriter>>,
}

impl EventSender {
    /// For a session that waits for this queue only.
    pub(crate) const fn new(queue: Sender<SessionEvent>) -> EventSender {
        EventSender {
            queue,
            #[cfg(unix)]
            wake_pipe: None,
        }
    }

    /// Sends an event. It is lost if the session has ended.
    pub(crate) fn send(&self, event: SessionEvent) {
        let _ = self.queue.send(event);
        // Fails only when the pipe is full, and then the session wakes up anyway.
        #[cfg(unix)]
        if let Some(mut pipe) = self.wake_pipe.as_deref() {
            let _ = pipe.write(&[1]);
        }
    }
}

/// The time left until the deadline; `None` once it has passed.
pub(crate) fn time_left(deadline: Instant) -> Option<Duration> {
    let left = deadline.saturating_duration_since(Instant::now());
    (!left.is_zero()).then_some(left)
}

/// Events whose lines a thread reads.
pub(crate) struct ThreadSource {
    queue: Receiver<SessionEvent>,
    /// One token for each line in the queue.
    queued_lines: Receiver<()>,
    sender: EventSender,
}

impl ThreadSource {
    /// Starts to read. The thread may outlive the session, until its next line or the end
    /// of the input.
    pub(crate) fn start(input: impl Read + Send + 'static) -> std::io::Result<ThreadSource> {
        let (sender, queue) = channel();
        let (line_queued, queued_lines): (SyncSender<()>, _) = sync_channel(MAX_QUEUED_LINES);
        let lines = sender.clone();
        let run = move || {
            read_lines(input, |line| {
                line_queued.send(()).is_ok() && lines.send(SessionEvent::Input(line)).is_ok()
            });
        };
        thread::Builder::new().name("input".to_string()).spawn(run)?;
        Ok(ThreadSource {
            queue,
            queued_lines,
            sender: EventSender::new(sender),
        })
    }
}

impl EventSource for ThreadSource {
    fn next(&mut self, deadline: Option<Instant>) -> Option<SessionEvent> {
        // Holds a sender itself, so the queue never disconnects.
        let event = match deadline {
            None => self.queue.recv().ok(),
            Some(deadline) => self.queue.recv_timeout(time_left(deadline)?).ok(),
        };
        if let Some(SessionEvent::Input(_)) = event {
            let _ = self.queued_lines.try_recv();
        }
        event
    }

    fn sender(&self) -> EventSender {
        self.sender.clone()
    }
}

#[cfg(unix)]
pub(crate) use polled::PollSource;

#[cfg(unix)]
mod polled {
    use std::io::{self, PipeReader, Read};
    use std::os::fd::AsFd;
    use std::sync::Arc;
    use std::sync::mpsc::{Receiver, channel};
    use std::time::Instant;

    use lodestone_game::input::Lines;
    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    use super::{EventSender, EventSource, SessionEvent, time_left};

    /// Events whose lines come from a file descriptor.
    pub(crate) struct PollSource<F> {
        input: F,
        lines: Lines,
        queue: Receiver<SessionEvent>,
        /// Readable while an event is in the queue.
        wake_pipe: PipeReader,
        sender: EventSender,
    }

    impl<F: AsFd> PollSource<F> {
        /// Reads nothing before the first event is asked for.
        pub(crate) fn new(input: F) -> io::Result<PollSource<F>> {
            let (wake_pipe, writer) = io::pipe()?;
            for end in [wake_pipe.as_fd(), writer.as_fd()] {
                rustix::io::ioctl_fionbio(end, true)?;
            }
            let (sender, queue) = channel();
            Ok(PollSource {
                input,
                lines: Lines::default(),
                queue,
                wake_pipe,
                sender: EventSender {
                    queue: sender,
                    wake_pipe: Some(Arc::new(writer)),
                },
            })
        }

        /// Waits until there is something to read; `None` once the deadline has passed.
        fn wait(&mut self, deadline: Option<Instant>) -> Option<()> {
            let timeout = match deadline {
                None => None,
                Some(deadline) => Timespec::try_from(time_left(deadline)?).ok(),
            };
            let mut polled = Vec::with_capacity(2);
            polled.push(PollFd::new(&self.wake_pipe, PollFlags::IN));
            if !self.lines.has_ended() {
                polled.push(PollFd::new(&self.input, PollFlags::IN));
            }
            if let Err(error) = poll(&mut polled, timeout.as_ref()) {
                if error != rustix::io::Errno::INTR {
                    log::error!("cannot wait for input: {error}");
                }
                return Some(());
            }
            let ready: Vec<bool> = polled.iter().map(|fd| !fd.revents().is_empty()).collect();
            if ready.first() == Some(&true) {
                let _ = self.wake_pipe.read(&mut [0; 256]);
            }
            if ready.get(1) == Some(&true) {
                self.lines.read_from(&mut DescriptorReader(&self.input));
            }
            Some(())
        }
    }

    impl<F: AsFd> EventSource for PollSource<F> {
        fn next(&mut self, deadline: Option<Instant>) -> Option<SessionEvent> {
            loop {
                if let Some(deadline) = deadline {
                    time_left(deadline)?;
                }
                if let Ok(event) = self.queue.try_recv() {
                    return Some(event);
                }
                if let Some(input) = self.lines.pop() {
                    return Some(SessionEvent::Input(input));
                }
                self.wait(deadline)?;
            }
        }

        fn sender(&self) -> EventSender {
            self.sender.clone()
        }
    }

    /// Reads from a file descriptor.
    struct DescriptorReader<'a, F>(&'a F);

    impl<F: AsFd> Read for DescriptorReader<'_, F> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            Ok(rustix::io::read(self.0, buffer)?)
        }
    }
}
