//! `poll`, and descriptors that do not block.

use std::fs::File;
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;

use rustix::buffer::spare_capacity;
use rustix::event::{PollFd, PollFlags, Timespec};

use super::common::Interest;

/// Something that a thread can wait for.
pub type Source<'a> = BorrowedFd<'a>;

/// Sources that a thread waits for.
#[derive(Debug, Default)]
pub struct WaitSet<'a> {
    entries: Vec<PollFd<'a>>,
}

impl<'a> WaitSet<'a> {
    /// Adds a source; returns its index.
    pub fn watch(&mut self, source: Option<Source<'a>>, interest: Interest) -> Option<usize> {
        let events = match interest {
            Interest::Input => PollFlags::IN,
            Interest::Space => PollFlags::OUT,
            Interest::End => PollFlags::empty(),
        };
        self.entries.push(PollFd::from_borrowed_fd(source?, events));
        Some(self.entries.len() - 1)
    }

    /// Waits until a source is ready or the time is over; `None` waits without end.
    pub fn wait(&mut self, timeout: Option<Duration>) -> io::Result<()> {
        let timeout = timeout.map(|timeout| Timespec {
            tv_sec: i64::try_from(timeout.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: timeout.subsec_nanos().into(),
        });
        rustix::event::poll(&mut self.entries, timeout.as_ref())?;
        Ok(())
    }

    /// Whether the source at this index is ready or has ended.
    pub fn is_ready(&self, index: Option<usize>) -> bool {
        let entry = index.and_then(|index| self.entries.get(index));
        entry.is_some_and(|entry| !entry.revents().is_empty())
    }
}

/// The referee's ends of an engine's stdin, stdout and stderr.
pub type Pipes = (Option<Writer>, Option<Reader>, Option<Reader>);

/// Readable once an engine has exited.
#[derive(Debug)]
pub struct ExitWatch(OwnedFd);

impl From<OwnedFd> for ExitWatch {
    fn from(watch: OwnedFd) -> ExitWatch {
        ExitWatch(watch)
    }
}

impl ExitWatch {
    /// Ready when the process has ended.
    pub fn source(&self) -> Source<'_> {
        self.0.as_fd()
    }
}

/// The reading end of a pipe.
#[derive(Debug)]
pub struct Reader(OwnedFd);

impl Reader {
    /// A pipe whose reads return `WouldBlock` when there is nothing to read.
    pub fn new(pipe: impl Into<OwnedFd>) -> io::Result<Reader> {
        let pipe = pipe.into();
        rustix::io::ioctl_fionbio(&pipe, true)?;
        Ok(Reader(pipe))
    }

    /// Standard input, which is never made non-blocking: wait for it first.
    pub fn stdin() -> io::Result<Reader> {
        Ok(Reader(io::stdin().as_fd().try_clone_to_owned()?))
    }

    /// The pipe as a source.
    pub fn source(&self) -> Source<'_> {
        self.0.as_fd()
    }

    /// Reads once into the spare capacity of `buffer`. Returns the number of bytes, 0 at the end.
    pub fn append_to(&self, buffer: &mut Vec<u8>) -> io::Result<usize> {
        Ok(rustix::io::read(&self.0, spare_capacity(buffer))?)
    }
}

/// Standard error as a file, for what writes to files.
pub fn stderr_file() -> io::Result<File> {
    Ok(io::stderr().as_fd().try_clone_to_owned()?.into())
}

/// The writing end of a pipe.
#[derive(Debug)]
pub struct Writer(OwnedFd);

impl Writer {
    /// A pipe whose writes return `WouldBlock` when it is full.
    pub fn new(pipe: impl Into<OwnedFd>) -> io::Result<Writer> {
        let pipe = pipe.into();
        rustix::io::ioctl_fionbio(&pipe, true)?;
        Ok(Writer(pipe))
    }

    /// The pipe as a source.
    pub fn source(&self) -> Source<'_> {
        self.0.as_fd()
    }

    /// Writes once. Returns the number of bytes that the pipe accepted.
    pub fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        Ok(rustix::io::write(&self.0, bytes)?)
    }
}

/// Ready once its [`Waker`] was used or dropped.
#[derive(Debug)]
pub(crate) struct Wake(PipeReader);

/// Makes a [`Wake`] ready. It is also made ready when the last of its wakers is dropped.
#[derive(Debug)]
pub(crate) struct Waker(PipeWriter);

/// A source that another thread makes ready.
pub(crate) fn wake_pair() -> io::Result<(Wake, Waker)> {
    let (wake, waker) = io::pipe()?;
    Ok((Wake(wake), Waker(waker)))
}

impl Wake {
    pub fn source(&self) -> Source<'_> {
        self.0.as_fd()
    }

    pub fn is_ready(&self) -> bool {
        let mut set = [PollFd::new(&self.0, PollFlags::IN)];
        let at_once = Timespec::default();
        rustix::event::poll(&mut set, Some(&at_once)).is_ok_and(|ready| ready > 0)
    }

    /// Undoes up to 64 wakes.
    pub fn clear(&self) -> io::Result<()> {
        let mut bytes = [0; 64];
        (&self.0).read(&mut bytes).map(drop)
    }
}

impl Waker {
    /// Makes the source ready.
    pub fn wake(&self) {
        // A full pipe is readable, too.
        let _ = (&self.0).write(&[0]);
    }

    /// Another waker of the same source.
    pub(crate) fn try_clone(&self) -> io::Result<Waker> {
        self.0.try_clone().map(Waker)
    }

    pub(crate) fn into_pipe(self) -> PipeWriter {
        self.0
    }
}
