//! The pipes to one engine: lines out, lines in, each wait with one deadline.
//!
//! Nothing here blocks but the one `poll` in [`Channel::receive`], and that
//! not beyond its deadline, whatever the engine prints or leaves unread.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::process::{ChildStderr, ChildStdin, ChildStdout};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;

use super::os;
use super::silence::Silence;
use super::tail::Tail;
use crate::io::interrupt::{Interrupt, Signal};
use crate::io::lines::{LineBuffer, Overlong};

/// More output than this in one think, in bytes, is no answer any more.
pub const MOST_OUTPUT: usize = 8 * 1024 * 1024;

/// How much is thrown away at most between two thinks, in bytes: more than any
/// pipe holds, so that all that was there is gone, yet an engine that never
/// stops writing does not hold up the game.
const MOST_DISCARDED: usize = 2 * 1024 * 1024;

/// So long that may take.
const LONGEST_DISCARDING: Duration = Duration::from_millis(100);

/// The least that a pipe holds, in bytes.
const PIPE_PAGE: usize = 4 * 1024;

/// What came of waiting for an engine.
#[derive(Debug, PartialEq, Eq)]
pub enum Received {
    /// One line.
    Line {
        /// The line without its end.
        text: String,
        /// When the read returned that held the line's end.
        at: Instant,
    },
    /// The process has ended or closed its output, and everything that it
    /// wrote has been taken.
    Closed,
    /// A line longer than [`crate::io::lines::LONGEST_LINE`].
    Overlong,
    /// More than [`MOST_OUTPUT`] since the last [`Channel::discard_pending`].
    Flood,
    /// The deadline passed.
    Deadline,
    /// The referee is asked to end.
    Interrupted(Signal),
}

/// The other side's engine, overheard while one side thinks. What it writes is
/// thrown away as it comes, so that it is not stuck in a full pipe with old
/// output when its turn comes; and it is noticed when it ends.
#[derive(Debug, Default)]
pub struct Opponent<'a> {
    /// Its pipes, as long as they are open; `None` for who has none.
    pub channel: Option<&'a mut Channel>,
    /// When it was seen to have closed its output or ended.
    pub gone_at: Option<Instant>,
}

/// Our ends of standard input, output and error of an engine.
pub type Pipes = (Option<ChildStdin>, Option<ChildStdout>, Option<ChildStderr>);

/// Our ends of an engine's three pipes.
#[derive(Debug)]
pub struct Channel {
    stdin: Option<ChildStdin>,
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
    /// Readable once the process has ended; see [`super::keeper::Keeper::exit_watch`].
    exit: Option<OwnedFd>,
    /// What the engine has not taken yet of what was sent.
    outbox: Vec<u8>,
    lines: LineBuffer,
    /// Whether anything was ever read from stdout.
    has_spoken: bool,
    /// Bytes read since the last [`Channel::discard_pending`].
    heard: usize,
    /// How many of them were thrown away as they came.
    overheard: usize,
    /// The lines thrown away since then: how many, and the first of them.
    discarded: Option<(u64, String)>,
    /// What is known of its output while it is not its turn.
    pub(super) silence: Silence,
    /// When the last read returned.
    read_at: Instant,
    tail: Tail,
    log: Option<StderrLog>,
    interrupt: Arc<Interrupt>,
}

/// The file that gets a copy of what an engine writes to stderr.
#[derive(Debug)]
struct StderrLog {
    file: Arc<File>,
    /// The first error of writing to it.
    failed: Option<io::Error>,
}

/// Which descriptors a `poll` found ready, and when it returned.
#[allow(clippy::struct_excessive_bools)] // one for each descriptor
struct Ready {
    at: Instant,
    interrupt: bool,
    stdout: bool,
    stderr: bool,
    stdin: bool,
    exit: bool,
    opponent: bool,
    opponent_exit: bool,
}

/// So many descriptors a `poll` waits for at most: those of [`Ready`].
const MOST_WATCHED: usize = 7;

/// What one `poll` waits for.
struct PollSet<'fd> {
    entries: Vec<PollFd<'fd>>,
}

impl<'fd> PollSet<'fd> {
    /// Adds a descriptor, if there is one; gives back its place.
    fn watch(&mut self, fd: Option<BorrowedFd<'fd>>, events: PollFlags) -> Option<usize> {
        self.entries.push(PollFd::from_borrowed_fd(fd?, events));
        Some(self.entries.len() - 1)
    }

    /// Whether something happened to the descriptor at this place.
    fn is_ready(&self, place: Option<usize>) -> bool {
        let entry = place.and_then(|place| self.entries.get(place));
        entry.is_some_and(|entry| !entry.revents().is_empty())
    }
}

impl Opponent<'_> {
    /// What to wait for at its output. Of one that writes without end only the
    /// hang-up: it has to wait until its pipe is read again, and costs the
    /// other side no more time.
    fn events(&self) -> PollFlags {
        match &self.channel {
            Some(channel) if channel.overheard < MOST_DISCARDED => PollFlags::IN,
            _ => PollFlags::empty(),
        }
    }

    /// Nothing had happened to it at this moment. That says nothing of the output
    /// of one that was not looked at; see [`Opponent::events`].
    fn said_nothing(&mut self, at: Instant) {
        let is_watched = !self.events().is_empty();
        if let Some(channel) = self.channel.as_deref_mut().filter(|_| is_watched) {
            channel.silence.seen(at);
        }
    }

    /// Something happened at its output, or it ended.
    fn overhear(&mut self, has_ended: bool) {
        let Some(channel) = &mut self.channel else {
            return;
        };
        let hung_up = channel.overheard >= MOST_DISCARDED;
        // All that is left of one that has ended, a little of one that goes on.
        while channel.overheard < MOST_DISCARDED && channel.overhear() && has_ended {}
        if hung_up || has_ended || channel.is_closed() {
            // It is not its turn, so nothing that it has written can count.
            channel.stdout = None;
            self.channel = None;
            self.gone_at = Some(Instant::now());
        }
    }
}

impl Channel {
    /// The channel over these pipes; see [`Channel::set_nonblocking`].
    pub fn new(
        (stdin, stdout, stderr): Pipes,
        exit: Option<OwnedFd>,
        log: Option<Arc<File>>,
        interrupt: Arc<Interrupt>,
    ) -> Channel {
        Channel {
            stdin,
            stdout,
            stderr,
            exit,
            outbox: Vec::new(),
            lines: LineBuffer::default(),
            has_spoken: false,
            heard: 0,
            overheard: 0,
            discarded: None,
            silence: Silence::default(),
            read_at: Instant::now(),
            tail: Tail::default(),
            log: log.map(|file| StderrLog { file, failed: None }),
            interrupt,
        }
    }

    /// Makes reading and writing return at once.
    ///
    /// # Errors
    /// Where the system refuses.
    pub fn set_nonblocking(&self) -> io::Result<()> {
        self.stdin.as_ref().map_or(Ok(()), os::set_nonblocking)?;
        self.stdout.as_ref().map_or(Ok(()), os::set_nonblocking)?;
        self.stderr.as_ref().map_or(Ok(()), os::set_nonblocking)
    }

    /// Sends whole lines in one write. What the pipe does not take now goes
    /// out while we wait for the answer.
    pub fn send(&mut self, lines: &str) {
        self.silence.end();
        self.outbox.extend_from_slice(lines.as_bytes());
        self.flush();
    }

    /// Tells the engine that nothing more will come.
    pub fn close_stdin(&mut self) {
        self.stdin = None;
        self.outbox.clear();
    }

    /// Waits for the next line until `deadline`, which no output puts off.
    pub fn receive(&mut self, deadline: Instant, mut opponent: Option<&mut Opponent<'_>>) -> Received {
        loop {
            if let Some(line) = self.lines.next_line() {
                return self.line(line);
            }
            if self.heard > MOST_OUTPUT {
                return Received::Flood;
            }
            if self.stdout.is_none() {
                let rest = self.lines.take_rest();
                return rest.map_or(Received::Closed, |line| self.line(line));
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Received::Deadline;
            }
            let ready = match self.poll(left, opponent.as_deref()) {
                Ok(ready) => ready,
                Err(Errno::INTR) => continue,
                Err(error) => {
                    log::error!("cannot wait for an engine: {error}");
                    return Received::Closed;
                }
            };
            let may_have_more = (ready.stdout || ready.exit) && self.read_stdout();
            if ready.exit && !may_have_more {
                // The process is gone and its pipe is empty. Its children may
                // hold the pipe open for ever, which is not waited for.
                self.stdout = None;
            }
            if ready.stderr {
                self.read_stderr();
            }
            if ready.stdin {
                self.flush();
            }
            match &mut opponent {
                Some(opponent) if ready.opponent || ready.opponent_exit => {
                    opponent.overhear(ready.opponent_exit)
                }
                Some(opponent) => opponent.said_nothing(ready.at),
                None => {}
            }
            if ready.interrupt {
                return Received::Interrupted(self.interrupt.signal());
            }
        }
    }

    /// Throws away what the engine has written so far, so that nothing of it
    /// is taken for an answer to what is sent next. Gives back how many lines
    /// that is, and the first of them.
    pub fn discard_pending(&mut self) -> Option<(u64, String)> {
        if self.silence.lasts(Instant::now()) {
            self.discard_buffered();
        } else {
            self.discard_written();
        }
        (self.heard, self.overheard) = (0, 0);
        self.discarded.take()
    }

    /// Reads until nothing is left, and throws it away.
    fn discard_written(&mut self) {
        let until = Instant::now() + LONGEST_DISCARDING;
        self.overheard = 0;
        loop {
            while self.overheard < MOST_DISCARDED && self.overhear() {}
            // Whoever wrote that much may have been waiting for room in the
            // pipe, and what it still has to say is as old.
            let was_full = (PIPE_PAGE..MOST_DISCARDED).contains(&self.overheard);
            if !was_full || Instant::now() >= until || !self.more_comes() {
                break;
            }
        }
    }

    /// Reads once and throws away what came. Whether there may be more.
    fn overhear(&mut self) -> bool {
        let before = self.heard;
        self.silence.end();
        let may_have_more = self.read_stdout();
        self.overheard += self.heard - before;
        self.discard_buffered();
        may_have_more
    }

    /// Throws away what was read and not taken.
    fn discard_buffered(&mut self) {
        if let Some((count, first)) = self.lines.discard() {
            let (lines, _) = self.discarded.get_or_insert((0, first));
            *lines += count;
        }
    }

    /// Whether the engine writes something in the next moment.
    fn more_comes(&self) -> bool {
        let Some(stdout) = &self.stdout else {
            return false;
        };
        let moment = Timespec {
            tv_sec: 0,
            tv_nsec: 2_000_000,
        };
        let mut set = [PollFd::new(stdout, PollFlags::IN)];
        rustix::event::poll(&mut set, Some(&moment)).is_ok_and(|ready| ready > 0)
    }

    /// Reads some of what is there and keeps only the tail of stderr: for an
    /// engine that is about to be gone and must not be stuck in a full pipe.
    pub fn drain(&mut self) {
        /// More than a pipe holds, in rounds of reading.
        const ROUNDS: usize = 32;
        for _ in 0..ROUNDS {
            let more = [self.overhear(), self.read_stderr()];
            if more == [false, false] {
                return;
            }
        }
    }

    /// Whether the output has been closed and all of it been taken.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.stdout.is_none()
    }

    /// Whether the engine has written anything to stdout since its start.
    pub const fn has_spoken(&self) -> bool {
        self.has_spoken
    }

    /// What the engine has written of a line that has no end yet.
    pub fn unfinished_line(&self) -> Option<String> {
        self.lines.unfinished()
    }

    /// The last lines that the engine wrote to stderr.
    #[must_use]
    pub fn stderr_tail(&self) -> Vec<String> {
        self.tail.lines()
    }

    /// Why stderr could not be copied to its file, if that failed; told once.
    pub fn take_log_error(&mut self) -> Option<io::Error> {
        self.log.as_mut().and_then(|log| log.failed.take())
    }

    fn line(&self, line: Result<String, Overlong>) -> Received {
        line.map_or(Received::Overlong, |text| Received::Line {
            text,
            at: self.read_at,
        })
    }

    /// One `poll` on everything that can happen.
    fn poll(&self, timeout: Duration, opponent: Option<&Opponent<'_>>) -> Result<Ready, Errno> {
        let stdin = self.stdin.as_ref().filter(|_| !self.outbox.is_empty());
        let mut set = PollSet {
            entries: Vec::with_capacity(MOST_WATCHED),
        };
        let interrupt = set.watch(Some(self.interrupt.as_fd()), PollFlags::IN);
        let stdout = set.watch(self.stdout_fd(), PollFlags::IN);
        let stderr = set.watch(self.stderr.as_ref().map(AsFd::as_fd), PollFlags::IN);
        let stdin = set.watch(stdin.map(AsFd::as_fd), PollFlags::OUT);
        let exit = set.watch(self.exit_fd(), PollFlags::IN);
        let events = opponent.map_or(PollFlags::empty(), Opponent::events);
        let opponent = opponent.and_then(|opponent| opponent.channel.as_deref());
        let opponent_exit = set.watch(opponent.and_then(Channel::exit_fd), PollFlags::IN);
        let opponent = set.watch(opponent.and_then(Channel::stdout_fd), events);

        let timeout = Timespec {
            tv_sec: i64::try_from(timeout.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: timeout.subsec_nanos().into(),
        };
        rustix::event::poll(&mut set.entries, Some(&timeout))?;
        Ok(Ready {
            at: Instant::now(),
            interrupt: set.is_ready(interrupt),
            stdout: set.is_ready(stdout),
            stderr: set.is_ready(stderr),
            stdin: set.is_ready(stdin),
            exit: set.is_ready(exit),
            opponent: set.is_ready(opponent),
            opponent_exit: set.is_ready(opponent_exit),
        })
    }

    fn stdout_fd(&self) -> Option<BorrowedFd<'_>> {
        self.stdout.as_ref().map(AsFd::as_fd)
    }

    fn exit_fd(&self) -> Option<BorrowedFd<'_>> {
        self.exit.as_ref().map(AsFd::as_fd)
    }

    /// Reads once from stdout. Whether there may be more.
    fn read_stdout(&mut self) -> bool {
        let Some(stdout) = &self.stdout else {
            return false;
        };
        match self.lines.fill(|space| rustix::io::read(stdout, space)) {
            Ok(0) => {
                self.stdout = None;
                false
            }
            Ok(length) => {
                self.read_at = Instant::now();
                self.heard += length;
                self.has_spoken = true;
                true
            }
            Err(Errno::INTR) => true,
            Err(Errno::AGAIN) => false,
            Err(error) => {
                log::error!("cannot read from an engine: {error}");
                self.stdout = None;
                false
            }
        }
    }

    /// Reads once from stderr. Whether there may be more.
    fn read_stderr(&mut self) -> bool {
        let Some(stderr) = &self.stderr else {
            return false;
        };
        let mut chunk = [0; STDERR_READ];
        match rustix::io::read(stderr, &mut chunk) {
            Ok(length) if length > 0 => {
                let chunk = chunk.get(..length).unwrap_or_default();
                self.tail.push(chunk);
                if let Some(log) = self.log.as_mut().filter(|log| log.failed.is_none()) {
                    log.failed = (&*log.file).write_all(chunk).err();
                }
                true
            }
            Err(Errno::AGAIN) => false,
            Err(Errno::INTR) => true,
            Ok(_) | Err(_) => {
                self.stderr = None;
                false
            }
        }
    }

    /// Writes what the pipe takes of the outbox.
    fn flush(&mut self) {
        while let Some(stdin) = self.stdin.as_ref().filter(|_| !self.outbox.is_empty()) {
            match rustix::io::write(stdin, &self.outbox) {
                Ok(length) => {
                    self.outbox.drain(..length);
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return,
                // The engine closed its input. It may still have something to
                // say, so that is no verdict yet.
                Err(_) => self.close_stdin(),
            }
        }
    }
}

/// How much is read from stderr at once, in bytes.
const STDERR_READ: usize = 4 * 1024;
