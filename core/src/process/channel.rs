//! The pipes to one engine.
//!
//! Only the wait in [`Channel::receive`] blocks, and never beyond its deadline: not
//! when the engine floods its output, and not when it leaves its input unread.

use std::collections::VecDeque;
use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use crate::io::interrupt::{Interrupt, Signal};
use crate::io::lines::{self, LineBuffer, Overlong};
use crate::io::running_clock;
use crate::io::stderr::{StderrFile, is_headline};
use crate::io::text::printable;
use crate::io::untrusted::Untrusted;
use crate::system::pipes::{ExitWatch, Interest, Pipes, Reader, Source, WaitSet, Wake, Writer, wake_pair};

/// Most output in one search, in bytes. More is a fault (garbage).
pub const MAX_OUTPUT: usize = 8 * 1024 * 1024;

/// Upper bound, in bytes, on output drained between two moves. Larger than any pipe
/// buffer, so stale output is gone; finite, so an engine that never stops writing
/// cannot stall the game.
const MAX_DRAINED: usize = 2 * 1024 * 1024;

/// Time limit for that draining.
const MAX_DRAIN_TIME: Duration = Duration::from_millis(100);

/// Most lines that are kept while an engine thinks in the opponent's time.
const MAX_HELD: usize = 4096;

/// Smallest pipe buffer, in bytes.
const PIPE_PAGE: usize = 4 * 1024;

/// The result of a wait for an engine.
#[derive(Debug, PartialEq, Eq)]
pub enum Received {
    /// A whole line.
    Line {
        /// The line without its line end.
        text: Untrusted,
        /// When the read returned that held the line end.
        at: Instant,
        /// Whether it has a line end. Only the last line before the output ends may have none.
        is_ended: bool,
    },
    /// The process exited or closed its output, and all of it was read.
    Closed,
    /// The beginning of a line longer than [`lines::LONGEST_LINE`].
    Overlong(Untrusted),
    /// More than [`MAX_OUTPUT`] since the last [`Channel::discard_pending`].
    Flood,
    /// The deadline passed first.
    Deadline,
    /// The referee stops.
    Stopped(Signal),
}

/// The opponent's engine while the other side thinks. Its output is drained as it
/// comes, so that a full pipe of stale output does not block it when its turn comes.
/// Its exit is noticed.
#[derive(Debug, Default)]
pub struct Opponent<'a> {
    /// Its pipes while they are open; `None` for a person.
    pub channel: Option<&'a mut Channel>,
    /// When it was found to have exited or closed its output.
    pub gone_at: Option<Instant>,
}

/// The referee's side of an engine's pipes.
#[derive(Debug)]
pub struct Channel {
    stdin: Option<Writer>,
    stdout: Option<Reader>,
    stderr: Option<Reader>,
    /// Ready once the process has exited.
    exit: Option<ExitWatch>,
    /// Whether the engine had closed its input when something was sent.
    is_deaf: bool,
    /// Sent, but not yet accepted by the pipe.
    outbox: Vec<u8>,
    lines: LineBuffer,
    /// Whether the engine ever wrote to stdout.
    has_written: bool,
    /// Bytes read since the last [`Channel::discard_pending`].
    received: usize,
    /// How many of them were drained.
    drained: usize,
    /// The lines discarded since then: their number, and the first of them.
    discarded: Option<(u64, Untrusted)>,
    /// Whether the engine thinks in the opponent's time: its lines are kept.
    is_pondering: bool,
    /// These lines, for [`Channel::receive`] at its turn.
    held: VecDeque<Received>,
    /// The first of them that is a `bestmove`.
    early_answer: Option<Untrusted>,
    /// Whether its pipe was empty while the opponent was thinking.
    pub(super) silence: Silence,
    /// When the last read returned.
    read_at: Instant,
    tail: Tail,
    log: Option<StderrLog>,
    interrupt: Arc<Interrupt>,
    /// What a bridge also waits for: lines of its own client.
    input: Option<Reader>,
}

/// The file that receives a copy of stderr.
#[derive(Debug)]
struct StderrLog {
    file: Arc<StderrFile>,
    failed: Option<io::Error>,
}

/// What a wait found ready.
struct Ready {
    interrupt: bool,
    input: bool,
    /// Stdout, stderr, stdin and exit of the engine.
    engine: [bool; 4],
    /// Stdout and exit of the opponent.
    opponent: [bool; 2],
}

impl Opponent<'_> {
    /// Does `work`, such as to wait for a person's move, while a thread drains the output.
    pub fn drained_during<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let Ok((wake, waker)) = wake_pair() else {
            return work();
        };
        thread::scope(|scope| {
            let thread = thread::Builder::new().name("drain".into());
            // Without a thread, the output waits in its pipe.
            let _ = thread.spawn_scoped(scope, move || self.drain_until(&wake));
            let done = work();
            drop(waker);
            done
        })
    }

    /// Drains its output, and notices its exit, until the other end of `wake` is closed.
    fn drain_until(&mut self, wake: &Wake) {
        while let Some(channel) = &mut self.channel {
            let mut set = WaitSet::default();
            let stop = set.watch(Some(wake.source()), Interest::Input);
            let engine = channel.watch(&mut set, channel.interest());
            match set.wait(None) {
                Ok(()) => {}
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(_) => return,
            }
            if set.is_ready(stop) {
                return;
            }
            let [stdout, stderr, stdin, exit] = engine.map(|place| set.is_ready(place));
            if stderr {
                channel.read_stderr();
            }
            if stdin {
                channel.flush();
            }
            if stdout || exit {
                self.drain_output(exit);
            }
        }
    }

    /// What to wait for. An engine that writes without end is only watched for its
    /// hang-up: it blocks until its pipe is read again, and costs the other side no time.
    fn interest(&self) -> Interest {
        let channel = self.channel.as_ref();
        channel.map_or(Interest::End, |channel| channel.interest())
    }

    /// Notes an empty pipe. Ignored for an engine whose output is not watched; see
    /// [`Opponent::interest`].
    fn note_silence(&mut self, at: Instant) {
        let is_watched = self.interest() == Interest::Input;
        if let Some(channel) = self.channel.as_deref_mut().filter(|_| is_watched) {
            channel.silence.seen(at);
        }
    }

    /// Drains its output, and notices its exit.
    fn drain_output(&mut self, has_exited: bool) {
        let Some(channel) = &mut self.channel else {
            return;
        };
        let hung_up = !channel.may_drain();
        // Everything from an engine that has exited, one read from a running one.
        while channel.may_drain() && channel.drain_output() && has_exited {}
        if hung_up || has_exited || channel.is_closed() {
            // Not its turn, so its output cannot be an answer.
            channel.stdout = None;
            self.channel = None;
            self.gone_at = Some(running_clock::now());
        }
    }
}

impl Channel {
    /// A channel over these pipes, whose reads and writes do not block.
    pub fn new(
        (stdin, stdout, stderr): Pipes,
        exit: Option<ExitWatch>,
        log: Option<Arc<StderrFile>>,
        interrupt: Arc<Interrupt>,
    ) -> Channel {
        Channel {
            stdin,
            stdout,
            stderr,
            exit,
            is_deaf: false,
            outbox: Vec::new(),
            lines: LineBuffer::default(),
            has_written: false,
            received: 0,
            drained: 0,
            discarded: None,
            is_pondering: false,
            held: VecDeque::new(),
            early_answer: None,
            silence: Silence::default(),
            read_at: running_clock::now(),
            tail: Tail::default(),
            log: log.map(|file| StderrLog { file, failed: None }),
            interrupt,
            input: None,
        }
    }

    /// Lets [`Channel::receive_or_input`] also return when there is something to read here, until `None` is given.
    pub fn watch_input(&mut self, input: Option<Reader>) {
        self.input = input;
    }

    /// Reads once from that input. Returns the number of bytes, 0 at its end.
    pub fn read_input(&self, buffer: &mut LineBuffer) -> io::Result<usize> {
        self.input
            .as_ref()
            .map_or(Ok(0), |input| lines::read_from(input, buffer))
    }

    /// Sends whole lines in one write. What the pipe does not accept is written during the
    /// next wait.
    pub fn send(&mut self, lines: &str) {
        self.silence.end();
        self.outbox.extend_from_slice(lines.as_bytes());
        self.flush();
    }

    /// Closes the engine's input.
    pub fn close_stdin(&mut self) {
        self.stdin = None;
        self.outbox.clear();
    }

    /// Waits for the next line until `deadline`. Output does not extend the deadline.
    pub fn receive(&mut self, deadline: Instant, mut opponent: Option<&mut Opponent<'_>>) -> Received {
        loop {
            if let Some(received) = self.receive_or_input(deadline, opponent.as_deref_mut()) {
                return received;
            }
        }
    }

    /// The same; `None` once the input of [`Channel::watch_input`] can be read.
    pub fn receive_or_input(
        &mut self,
        deadline: Instant,
        mut opponent: Option<&mut Opponent<'_>>,
    ) -> Option<Received> {
        if let Some(held) = self.held.pop_front() {
            return Some(held);
        }
        loop {
            if let Some(line) = self.lines.next_line() {
                return Some(self.line(line, true));
            }
            if self.has_flooded() {
                return Some(Received::Flood);
            }
            if self.stdout.is_none() {
                let rest = self.lines.take_rest();
                return Some(rest.map_or(Received::Closed, |line| self.line(line, false)));
            }
            let left = deadline.saturating_duration_since(running_clock::now());
            if left.is_zero() {
                return Some(Received::Deadline);
            }
            let ready = match self.wait(left, opponent.as_deref()) {
                Ok(ready) => ready,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => {
                    log::error!("cannot wait for an engine: {error}");
                    return Some(Received::Closed);
                }
            };
            let at = running_clock::now();
            let [stdout, stderr, stdin, exit] = ready.engine;
            let may_have_more = (stdout || exit) && self.read_stdout();
            if exit && !may_have_more {
                // The process has exited and its pipe is empty. A child of it may hold the pipe
                // open; the referee does not wait for that.
                self.stdout = None;
            }
            if stderr {
                self.read_stderr();
            }
            if stdin {
                self.flush();
            }
            match (&mut opponent, ready.opponent) {
                (Some(opponent), [false, false]) => opponent.note_silence(at),
                (Some(opponent), [_, has_exited]) => opponent.drain_output(has_exited),
                (None, _) => {}
            }
            if ready.interrupt {
                return Some(Received::Stopped(self.interrupt.signal()));
            }
            if ready.input {
                return None;
            }
        }
    }

    /// Begins a new count of bytes for [`Received::Flood`], and keeps the output so far.
    pub const fn begin_count(&mut self) {
        self.received = 0;
        self.drained = 0;
    }

    /// Discards the output so far, so that it cannot be taken for an answer to the next
    /// request. Returns the number of lines, and the first of them.
    pub(crate) fn discard_pending(&mut self) -> Option<(u64, Untrusted)> {
        if self.silence.lasts(running_clock::now()) {
            self.discard_buffered();
        } else {
            self.discard_pipe();
        }
        (self.received, self.drained) = (0, 0);
        self.held.clear();
        self.early_answer = None;
        self.discarded.take()
    }

    /// Keeps the lines that come while the opponent thinks, the last `MAX_HELD` of them. They
    /// count towards [`MAX_OUTPUT`] of the whole search.
    pub(crate) fn begin_pondering(&mut self) {
        self.is_pondering = true;
    }

    /// At the engine's turn, reads what has come so far; [`Channel::receive`] returns it.
    /// Returns the first `bestmove` among these lines, which is early.
    pub(crate) fn end_pondering(&mut self) -> Option<Untrusted> {
        while self.may_drain() && self.drain_output() {}
        self.is_pondering = false;
        self.early_answer.take()
    }

    /// Whether there was more output than [`MAX_OUTPUT`] in one search.
    pub(crate) const fn has_flooded(&self) -> bool {
        self.received > MAX_OUTPUT
    }

    /// What to wait for in its output while the opponent thinks; see
    /// [`Opponent::interest`].
    const fn interest(&self) -> Interest {
        if self.may_drain() {
            Interest::Input
        } else {
            Interest::End
        }
    }

    /// Whether output is read while the opponent thinks.
    const fn may_drain(&self) -> bool {
        if self.is_pondering {
            !self.has_flooded()
        } else {
            self.drained < MAX_DRAINED
        }
    }

    /// Keeps the complete lines in the buffer.
    fn hold_lines(&mut self) {
        while let Some(line) = self.lines.next_line() {
            let line = self.line(line, true);
            if let Received::Line { text, .. } = &line
                && text.raw().split_whitespace().next() == Some("bestmove")
            {
                self.early_answer.get_or_insert_with(|| text.clone());
            }
            if self.held.len() == MAX_HELD {
                self.held.pop_front();
            }
            self.held.push_back(line);
        }
    }

    /// Reads and discards until the pipe is empty.
    fn discard_pipe(&mut self) {
        let until = running_clock::now() + MAX_DRAIN_TIME;
        self.drained = 0;
        loop {
            while self.drained < MAX_DRAINED && self.drain_output() {}
            // With that much output, the engine may have been blocked by a full pipe; what it
            // writes now is stale, too.
            let was_full = (PIPE_PAGE..MAX_DRAINED).contains(&self.drained);
            if !was_full || running_clock::now() >= until || !self.has_more_soon() {
                break;
            }
        }
    }

    /// Reads once and discards the lines. Returns whether there may be more.
    fn drain_output(&mut self) -> bool {
        let before = self.received;
        self.silence.end();
        let may_have_more = self.read_stdout();
        if self.is_pondering {
            self.hold_lines();
        } else {
            self.drained += self.received - before;
            self.discard_buffered();
        }
        may_have_more
    }

    /// Discards the lines in the buffer.
    fn discard_buffered(&mut self) {
        if let Some((count, first)) = self.lines.discard() {
            let (lines, _) = self.discarded.get_or_insert_with(|| (0, lines::text(&first)));
            *lines += count;
        }
    }

    /// Whether the engine writes within 2 ms.
    fn has_more_soon(&self) -> bool {
        let Some(stdout) = &self.stdout else {
            return false;
        };
        let mut set = WaitSet::default();
        let stdout = set.watch(Some(stdout.source()), Interest::Input);
        set.wait(Some(Duration::from_millis(2))).is_ok() && set.is_ready(stdout)
    }

    /// Reads pending output and keeps only the tail of stderr. For an engine that is about
    /// to exit and must not block on a full pipe.
    pub(crate) fn drain(&mut self) {
        /// Enough reads to empty any pipe.
        const ROUNDS: usize = 32;
        for _ in 0..ROUNDS {
            let more = [self.drain_output(), self.read_stderr()];
            if more == [false, false] {
                return;
            }
        }
    }

    /// Whether the output is closed and read to its end.
    pub fn is_closed(&self) -> bool {
        self.stdout.is_none()
    }

    /// Whether the engine has ever written to stdout.
    pub const fn has_written(&self) -> bool {
        self.has_written
    }

    /// The start of a line whose end has not come.
    pub fn unfinished_line(&self) -> Option<Untrusted> {
        self.lines.unfinished().map(lines::text)
    }

    /// Whether the engine had closed its input, so that something that was sent never reached it.
    pub(crate) const fn is_deaf(&self) -> bool {
        self.is_deaf
    }

    /// The last lines on stderr.
    pub fn stderr_tail(&self) -> Vec<String> {
        self.tail.lines_since(0)
    }

    /// Number of bytes that the engine has written to stderr, for [`Channel::stderr_since`].
    pub(crate) const fn stderr_total(&self) -> u64 {
        self.tail.total
    }

    /// The last lines on stderr after this many bytes.
    pub(crate) fn stderr_since(&self, total: u64) -> Vec<String> {
        self.tail.lines_since(total)
    }

    /// The error of copying stderr to its file; returned once.
    pub(crate) fn take_log_error(&mut self) -> Option<io::Error> {
        self.log.as_mut().and_then(|log| log.failed.take())
    }

    fn line(&self, line: Result<Vec<u8>, Overlong>, is_ended: bool) -> Received {
        match line {
            Ok(line) => Received::Line {
                text: lines::text(&line),
                at: self.read_at,
                is_ended,
            },
            Err(Overlong(beginning)) => Received::Overlong(lines::text(&beginning)),
        }
    }

    fn wait(&self, timeout: Duration, opponent: Option<&Opponent<'_>>) -> io::Result<Ready> {
        let mut set = WaitSet::default();
        let interrupt = set.watch(Some(self.interrupt.source()), Interest::Input);
        let input = set.watch(self.input.as_ref().map(Reader::source), Interest::Input);
        let engine = self.watch(&mut set, Interest::Input);
        let interest = opponent.map_or(Interest::End, Opponent::interest);
        let opponent = opponent.and_then(|opponent| opponent.channel.as_deref());
        let opponent = [
            set.watch(opponent.and_then(Channel::output), interest),
            set.watch(opponent.and_then(Channel::exit), Interest::Input),
        ];
        set.wait(Some(timeout))?;
        Ok(Ready {
            interrupt: set.is_ready(interrupt),
            input: set.is_ready(input),
            engine: engine.map(|place| set.is_ready(place)),
            opponent: opponent.map(|place| set.is_ready(place)),
        })
    }

    /// Adds stdout, stderr, stdin and the exit to what is waited for.
    fn watch<'a>(&'a self, set: &mut WaitSet<'a>, interest: Interest) -> [Option<usize>; 4] {
        let stdin = self.stdin.as_ref().filter(|_| !self.outbox.is_empty());
        [
            set.watch(self.output(), interest),
            set.watch(self.stderr.as_ref().map(Reader::source), Interest::Input),
            set.watch(stdin.map(Writer::source), Interest::Space),
            set.watch(self.exit(), Interest::Input),
        ]
    }

    fn output(&self) -> Option<Source<'_>> {
        self.stdout.as_ref().map(Reader::source)
    }

    fn exit(&self) -> Option<Source<'_>> {
        self.exit.as_ref().map(ExitWatch::source)
    }

    /// Reads once from stdout. Returns whether there may be more.
    fn read_stdout(&mut self) -> bool {
        let Some(stdout) = &self.stdout else {
            return false;
        };
        match lines::read_from(stdout, &mut self.lines) {
            Ok(0) => {
                self.stdout = None;
                false
            }
            Ok(length) => {
                self.read_at = running_clock::now();
                self.received += length;
                self.has_written = true;
                true
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => true,
            Err(error) if error.kind() == ErrorKind::WouldBlock => false,
            Err(error) => {
                log::error!("cannot read from an engine: {error}");
                self.stdout = None;
                false
            }
        }
    }

    /// Reads once from stderr. Returns whether there may be more.
    fn read_stderr(&mut self) -> bool {
        let Some(stderr) = &self.stderr else {
            return false;
        };
        let mut chunk = Vec::with_capacity(STDERR_READ);
        match stderr.append_to(&mut chunk) {
            Ok(length) if length > 0 => {
                self.tail.push(&chunk);
                if let Some(log) = self.log.as_mut().filter(|log| log.failed.is_none()) {
                    log.failed = log.file.append(&chunk).err();
                }
                true
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => false,
            Err(error) if error.kind() == ErrorKind::Interrupted => true,
            Ok(_) | Err(_) => {
                self.stderr = None;
                false
            }
        }
    }

    /// Writes as much of the outbox as the pipe accepts.
    fn flush(&mut self) {
        while let Some(stdin) = self.stdin.as_ref().filter(|_| !self.outbox.is_empty()) {
            match stdin.write(&self.outbox) {
                Ok(length) => {
                    self.outbox.drain(..length);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                // The engine closed its input, which alone is no fault: it may still answer.
                Err(error) => {
                    self.is_deaf = error.kind() == ErrorKind::BrokenPipe;
                    self.close_stdin();
                }
            }
        }
    }
}

/// Bytes per read from stderr.
const STDERR_READ: usize = 4 * 1024;

/// How long an observation holds. Longer than the time from an answer to the next
/// request; shorter than a stopped terminal may block the output of a move.
const SILENCE_LASTS: Duration = Duration::from_millis(1);

/// When an engine's pipe was last found empty, which saves a read before the next request.
///
/// While one engine thinks, every `poll` also watches the opponent's output. If that was empty,
/// nothing has to be discarded before the opponent's next request. The observation expires after
/// [`SILENCE_LASTS`], or when the referee sends the engine something.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Silence {
    /// `None` once the engine has received or written something.
    seen_at: Option<Instant>,
}

impl Silence {
    /// Notes that its pipe was empty at `at`.
    pub const fn seen(&mut self, at: Instant) {
        self.seen_at = Some(at);
    }

    /// Forgets the observation: the engine received or wrote something.
    pub const fn end(&mut self) {
        self.seen_at = None;
    }

    /// Whether its pipe counts as empty.
    pub fn lasts(&self, now: Instant) -> bool {
        self.seen_at
            .is_some_and(|at| now.saturating_duration_since(at) < SILENCE_LASTS)
    }
}

/// Minimum number of bytes kept; the maximum is twice as many. A stack overflow of Java has a thousand lines after the
/// one that names it.
const KEPT_STDERR: usize = 64 * 1024;

/// Maximum number of lines; those that name an error are kept longer.
const MAX_STDERR_LINES: usize = 240;

/// Maximum length of a line, in characters.
const MAX_STDERR_LINE: usize = 400;

/// The last few kilobytes of stderr.
#[derive(Debug, Default)]
struct Tail {
    bytes: Vec<u8>,
    /// Number of bytes in the whole stream so far.
    total: u64,
}

impl Tail {
    /// Appends output.
    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        self.total += bytes.len() as u64;
        if self.bytes.len() > 2 * KEPT_STDERR {
            self.bytes.drain(..self.bytes.len() - KEPT_STDERR);
        }
    }

    /// The last lines after this many bytes of the stream.
    pub(crate) fn lines_since(&self, total: u64) -> Vec<String> {
        let new = (self.total.saturating_sub(total) as usize).min(self.bytes.len());
        let text = String::from_utf8_lossy(&self.bytes[self.bytes.len() - new..]);
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        let (earlier, last) = lines.split_at(lines.len().saturating_sub(MAX_STDERR_LINES));
        let headline = earlier.iter().rfind(|line| is_headline(line));
        let lines = headline.into_iter().chain(last);
        lines.map(|line| printable(line, MAX_STDERR_LINE)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn observation_expires() {
        let now = Instant::now();
        let mut silence = Silence::default();
        assert!(!silence.lasts(now), "no observation yet");
        silence.seen(now);
        assert!(silence.lasts(now + SILENCE_LASTS / 2));
        assert!(!silence.lasts(now + SILENCE_LASTS));
        silence.end();
        assert!(!silence.lasts(now));
    }

    #[cfg(unix)]
    #[test]
    fn a_flood_during_the_search_of_the_opponent_leaves_no_stale_answer() {
        use crate::process::tests::{shell, wait_for_exit};

        let mut floods = shell("echo bestmove d4");
        wait_for_exit(&floods);
        floods.channel().drained = MAX_DRAINED;
        assert_eq!(
            floods.channel().discard_pending(),
            Some((1, "bestmove d4".into()))
        );
    }

    #[test]
    #[cfg(unix)] // elsewhere, a thread reads the pipe
    fn an_engine_that_has_written_has_more_output() {
        let (output, mut engine) = io::pipe().unwrap();
        let pipes = (None, Some(Reader::new(output).unwrap()), None);
        let channel = Channel::new(pipes, None, None, Interrupt::idle());
        assert!(!channel.has_more_soon());
        io::Write::write_all(&mut engine, b"info\n").unwrap();
        assert!(channel.has_more_soon());
    }

    #[test]
    fn keeps_the_last_lines_in_bounded_memory() {
        let mut tail = Tail::default();
        for number in 0..10_000 {
            tail.push(format!("line {number}\n\n").as_bytes());
        }
        assert!(tail.bytes.len() <= 2 * KEPT_STDERR);
        let lines = tail.lines_since(0);
        assert!(lines.len() > 200);
        assert_eq!(lines.last().unwrap(), "line 9999");
        let total = tail.total;
        assert_eq!(tail.lines_since(total).len(), 0);
        tail.push(b"one\ntwo\n");
        assert_eq!(tail.lines_since(total), ["one", "two"]);
    }
}
