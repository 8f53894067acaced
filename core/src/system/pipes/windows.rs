//! Threads that read and write pipes, in place of `poll`.
//!
//! Each pipe has a thread and a buffer of [`CAPACITY`] bytes. A thread that waits is unparked
//! when a buffer changes.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::windows::io::AsHandle;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use super::common::Interest;

/// Bytes that wait in one direction of one pipe: as many as in a pipe of Linux.
const CAPACITY: usize = 64 * 1024;

/// Size of one read, in bytes.
const READ_SIZE: usize = 16 * 1024;

/// Something that a thread can wait for.
pub type Source<'a> = &'a Event;

/// The buffer of a pipe, or an end alone.
#[derive(Debug, Default)]
pub struct Event(Mutex<EventState>);

/// The state of an event, and who waits for a change.
#[derive(Debug, Default)]
struct EventState {
    bytes: VecDeque<u8>,
    /// No more bytes come, or none are accepted.
    has_ended: bool,
    waiting: Vec<Thread>,
}

impl Event {
    /// The buffer between a pipe and `work`, which runs on a thread of this name.
    fn start(name: &str, work: impl FnOnce(&Event) + Send + 'static) -> io::Result<Arc<Event>> {
        let event = Arc::new(Event::default());
        let theirs = Arc::clone(&event);
        let thread = thread::Builder::new().name(name.into());
        thread.spawn(move || work(&theirs))?;
        Ok(event)
    }

    fn lock(&self) -> MutexGuard<'_, EventState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the state and unparks the threads that wait.
    fn change<T>(&self, change: impl FnOnce(&mut EventState) -> T) -> T {
        let mut state = self.lock();
        let changed = change(&mut state);
        for thread in &state.waiting {
            thread.unpark();
        }
        changed
    }

    /// Ends the source: every wait for it returns.
    pub fn end(&self) {
        self.change(|state| state.has_ended = true);
    }

    /// Whether the process has ended.
    pub fn has_ended(&self) -> bool {
        self.lock().has_ended
    }

    fn is_ready_for(&self, interest: Interest) -> bool {
        let state = self.lock();
        state.has_ended
            || match interest {
                Interest::Input => !state.bytes.is_empty(),
                Interest::Space => state.bytes.len() < CAPACITY,
                Interest::End => false,
            }
    }

    /// Waits for this source alone.
    fn wait_for(&self, interest: Interest) {
        let mut set = WaitSet::default();
        set.watch(Some(self), interest);
        // It cannot fail here.
        let _ = set.wait(None);
    }
}

/// Sources that a thread waits for.
#[derive(Debug, Default)]
pub struct WaitSet<'a> {
    /// Each source, and whether it was ready at the end of the last wait.
    entries: Vec<(Source<'a>, Interest, bool)>,
}

impl<'a> WaitSet<'a> {
    /// Adds a source; returns its index.
    pub fn watch(&mut self, source: Option<Source<'a>>, interest: Interest) -> Option<usize> {
        self.entries.push((source?, interest, false));
        Some(self.entries.len() - 1)
    }

    /// Waits until a source is ready or the time is over; `None` waits without end.
    pub fn wait(&mut self, timeout: Option<Duration>) -> io::Result<()> {
        let until = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        if self.look() {
            return Ok(());
        }
        let this = thread::current();
        for (event, ..) in &self.entries {
            event.lock().waiting.push(this.clone());
        }
        // A change between the look and the registration has unparked no thread.
        while !self.look() {
            let left = until.map(|until| until.saturating_duration_since(Instant::now()));
            match left {
                Some(Duration::ZERO) => break,
                Some(left) => thread::park_timeout(left),
                None => thread::park(),
            }
        }
        for (event, ..) in &self.entries {
            event.lock().waiting.retain(|thread| thread.id() != this.id());
        }
        Ok(())
    }

    /// Notes which sources are ready. Returns whether one is.
    fn look(&mut self) -> bool {
        for (event, interest, is_ready) in &mut self.entries {
            *is_ready = event.is_ready_for(*interest);
        }
        self.entries.iter().any(|(_, _, is_ready)| *is_ready)
    }

    /// Whether the source at this index is ready or has ended.
    pub fn is_ready(&self, index: Option<usize>) -> bool {
        let entry = index.and_then(|index| self.entries.get(index));
        entry.is_some_and(|(_, _, is_ready)| *is_ready)
    }
}

/// The referee's ends of an engine's stdin, stdout and stderr.
pub type Pipes = (Option<Writer>, Option<Reader>, Option<Reader>);

/// Ready once an engine has exited and its output was read.
#[derive(Debug)]
pub struct ExitWatch(pub(crate) Arc<Event>);

impl ExitWatch {
    /// Ready when the process has ended.
    pub fn source(&self) -> Source<'_> {
        &self.0
    }
}

/// The reading end of a pipe.
#[derive(Debug)]
pub struct Reader {
    event: Arc<Event>,
    /// Whether dropping it ends the thread. Standard input has one thread for the process.
    is_owned: bool,
}

impl Reader {
    /// A pipe whose reads return `WouldBlock` when there is nothing to read.
    pub fn new(pipe: impl Read + Send + 'static) -> io::Result<Reader> {
        Ok(Reader {
            event: Event::start("output", |event| fill(event, pipe))?,
            is_owned: true,
        })
    }

    /// Standard input. Its thread belongs to the process, and what one reader leaves the next one
    /// reads.
    pub fn stdin() -> io::Result<Reader> {
        static STDIN: Mutex<Option<Arc<Event>>> = Mutex::new(None);
        let mut stdin = STDIN.lock().unwrap_or_else(PoisonError::into_inner);
        let event = match &*stdin {
            Some(event) => Arc::clone(event),
            None => Event::start("stdin", |event| fill(event, io::stdin()))?,
        };
        *stdin = Some(Arc::clone(&event));
        Ok(Reader {
            event,
            is_owned: false,
        })
    }

    /// The pipe as a source.
    pub fn source(&self) -> Source<'_> {
        &self.event
    }

    /// What tells that the pipe has ended.
    pub fn end(&self) -> impl Fn() -> bool + Send + use<> {
        let event = Arc::clone(&self.event);
        move || event.has_ended()
    }

    /// Moves what was read to the end of `buffer`, as far as its spare capacity goes. Returns the
    /// number of bytes, 0 at the end.
    pub fn append_to(&self, buffer: &mut Vec<u8>) -> io::Result<usize> {
        self.event.change(|state| {
            let count = state.bytes.len().min(buffer.capacity() - buffer.len());
            if count == 0 && !state.has_ended {
                return Err(io::ErrorKind::WouldBlock.into());
            }
            buffer.extend(state.bytes.drain(..count));
            Ok(count)
        })
    }
}

/// Standard error as a file, for what writes to files.
pub fn stderr_file() -> io::Result<File> {
    Ok(io::stderr().as_handle().try_clone_to_owned()?.into())
}

impl Drop for Reader {
    fn drop(&mut self) {
        if self.is_owned {
            self.event.end();
        }
    }
}

/// Reads the pipe into the buffer until its end, or until the reader is dropped.
fn fill(event: &Event, mut pipe: impl Read) {
    let mut chunk = vec![0; READ_SIZE];
    loop {
        let count = match pipe.read(&mut chunk) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Ok(0) | Err(_) => break,
            Ok(count) => count,
        };
        event.wait_for(Interest::Space);
        if event.has_ended() {
            break;
        }
        event.change(|state| state.bytes.extend(chunk.iter().take(count)));
    }
    event.end();
}

/// The writing end of a pipe.
#[derive(Debug)]
pub struct Writer(Arc<Event>);

impl Writer {
    /// A pipe whose writes return `WouldBlock` when the buffer is full.
    pub fn new(pipe: impl Write + Send + 'static) -> io::Result<Writer> {
        Ok(Writer(Event::start("input", |event| empty(event, pipe))?))
    }

    /// The pipe as a source.
    pub fn source(&self) -> Source<'_> {
        &self.0
    }

    /// Hands bytes to the thread. Returns the number of bytes that fit.
    pub fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        self.0.change(|state| {
            let count = bytes.len().min(CAPACITY.saturating_sub(state.bytes.len()));
            if state.has_ended {
                return Err(io::ErrorKind::BrokenPipe.into());
            }
            if count == 0 && !bytes.is_empty() {
                return Err(io::ErrorKind::WouldBlock.into());
            }
            state.bytes.extend(bytes.iter().take(count));
            Ok(count)
        })
    }
}

impl Drop for Writer {
    /// The thread closes the pipe when it has written everything.
    fn drop(&mut self) {
        self.0.end();
    }
}

/// Writes the buffer to the pipe until the writer is dropped or the other end is closed.
fn empty(event: &Event, mut pipe: impl Write) {
    loop {
        event.wait_for(Interest::Input);
        let chunk: Vec<u8> = event.change(|state| state.bytes.drain(..).collect());
        if chunk.is_empty() || pipe.write_all(&chunk).and_then(|()| pipe.flush()).is_err() {
            break;
        }
    }
    event.end();
}

/// Ready once its [`Waker`] was used or dropped.
#[derive(Debug)]
pub(crate) struct Wake(Arc<Event>);

/// Makes a [`Wake`] ready. It is also made ready when the last of its wakers is dropped.
#[derive(Clone, Debug)]
pub(crate) struct Waker(Arc<WakerEvent>);

#[derive(Debug)]
struct WakerEvent(Arc<Event>);

impl Drop for WakerEvent {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// A source that another thread makes ready.
pub(crate) fn wake_pair() -> io::Result<(Wake, Waker)> {
    let event = Arc::new(Event::default());
    Ok((Wake(Arc::clone(&event)), Waker(Arc::new(WakerEvent(event)))))
}

impl Wake {
    pub fn source(&self) -> Source<'_> {
        &self.0
    }

    pub fn is_ready(&self) -> bool {
        self.0.is_ready_for(Interest::Input)
    }

    /// Undoes all wakes.
    pub fn clear(&self) -> io::Result<()> {
        self.0.change(|state| state.bytes.clear());
        Ok(())
    }
}

impl Waker {
    /// Makes the source ready.
    pub fn wake(&self) {
        self.0.0.change(|state| state.bytes.resize(1, 0));
    }

    /// Another waker of the same source.
    pub(crate) fn try_clone(&self) -> io::Result<Waker> {
        Ok(self.clone())
    }
}
