//! A platform without threads: the session and its jobs take turns in one thread.
//!
//! A job runs in slices. Between two of them the session reads its input, so `stop`,
//! `isready` and `ponderhit` wait for at most one slice.

use std::io::Read;
#[cfg(any(unix, target_os = "wasi"))]
use std::os::fd::AsFd;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use lodestone_game::input::Lines;

use super::events::{SessionEvent, time_left};
use super::job::{JobId, Work};
use super::responder::Responder;
use super::worker::Platform;

/// How long a job runs before the session reads its input again. `docs/notes/browser.md` has the
/// measurements.
const SLICE: Duration = Duration::from_millis(40);

/// How the session waits for input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// Not at all.
    No,
    /// For this time.
    For(Duration),
    /// Until there is input.
    Forever,
}

/// Where a session without threads gets its input: reads once if there is something to read within
/// the time. Returns whether it has read.
pub(crate) type InputReader = Box<dyn FnMut(&mut Lines, Wait) -> bool>;

/// Reads from a file descriptor.
#[cfg(any(unix, target_os = "wasi"))]
pub(crate) fn polled(mut input: impl Read + AsFd + 'static) -> InputReader {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    /// How long a poll takes that finds nothing. The poll of Node's WASI never finds input if it
    /// may take no time.
    const SHORTEST_POLL: Duration = Duration::from_millis(if cfg!(target_os = "wasi") { 1 } else { 0 });

    let is_ready = |input: &_, wait| {
        let timeout = match wait {
            Wait::No => SHORTEST_POLL,
            Wait::For(time) => time,
            // Waiting forever means to read.
            Wait::Forever => return true,
        };
        let mut polled = [PollFd::new(input, PollFlags::IN)];
        match poll(&mut polled, Timespec::try_from(timeout).ok().as_ref()) {
            Ok(_) => !polled[0].revents().is_empty(),
            Err(error) => {
                if error != rustix::io::Errno::INTR {
                    log::debug!("cannot wait for input: {error}");
                }
                false
            }
        }
    };
    Box::new(move |lines, wait| {
        let is_ready = is_ready(&input, wait);
        if is_ready {
            lines.read_from(&mut input);
        }
        is_ready
    })
}

/// Reads from an input that cannot be polled: a job ends before the next read.
#[cfg(not(any(unix, target_os = "wasi")))]
pub(crate) fn polled(mut input: impl Read + 'static) -> InputReader {
    Box::new(move |lines, wait| {
        if wait != Wait::No {
            lines.read_from(&mut input);
        }
        wait != Wait::No
    })
}

/// A session and its jobs in one thread.
pub(crate) struct SingleThread {
    read: InputReader,
    /// Whether `read` never waits, because only the caller of the session brings input.
    has_host: bool,
    lines: Lines,
    responder: Arc<Responder>,
    /// The job that runs.
    job: Option<(JobId, Work)>,
    /// Whether the host must run before the next slice.
    has_run_slice: bool,
}

impl SingleThread {
    /// Takes lines from this input and reports ends of jobs to the responder.
    pub(crate) fn new(read: InputReader, has_host: bool, responder: &Arc<Responder>) -> SingleThread {
        SingleThread {
            read,
            has_host,
            lines: Lines::default(),
            responder: Arc::clone(responder),
            job: None,
            has_run_slice: false,
        }
    }

    /// Runs a slice of the job. Returns its event if it has ended.
    fn run_slice(&mut self) -> Option<SessionEvent> {
        let (id, work) = self.job.as_mut()?;
        let id = *id;
        let has_ended = catch_unwind(AssertUnwindSafe(|| work(Some(SLICE)))).unwrap_or_else(|_| {
            log::error!("job {id} panicked; its best move so far is played");
            true
        });
        if !has_ended {
            return None;
        }
        self.job = None;
        self.responder.job_ended(id);
        Some(SessionEvent::JobEnded(id))
    }
}

impl Platform for SingleThread {
    fn next(&mut self, deadline: Option<Instant>) -> Option<SessionEvent> {
        loop {
            let wait = match deadline {
                None => Wait::Forever,
                Some(deadline) => Wait::For(time_left(deadline)?),
            };
            if let Some(input) = self.lines.pop() {
                return Some(SessionEvent::Input(input));
            }
            let wait = if self.job.is_some() { Wait::No } else { wait };
            if !self.lines.has_ended() && (self.read)(&mut self.lines, wait) {
                continue;
            }
            let must_return = self.job.is_none() || self.has_run_slice;
            if self.has_host && must_return {
                self.has_run_slice = false;
                return Some(SessionEvent::Return);
            }
            self.has_run_slice = true;
            if let Some(event) = self.run_slice() {
                return Some(event);
            }
        }
    }

    /// Replaces a job, which has been answered then.
    fn start(&mut self, id: JobId, work: Work) {
        self.job = Some((id, work));
    }

    fn is_working(&self) -> bool {
        self.job.is_some()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;
    use std::io;
    use std::sync::Mutex;

    use lodestone_game::input::Input;
    use lodestone_game::protocol::Reply;

    use super::*;
    use crate::engine::job::Job;
    use crate::engine::responder::tests::Written;

    /// Input that arrives in parts: one after each time that there is nothing to read.
    struct Parts(VecDeque<&'static str>);

    impl Read for Parts {
        fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
            match self.0.pop_front() {
                Some("") => Err(io::ErrorKind::WouldBlock.into()),
                Some(part) => {
                    bytes[..part.len()].copy_from_slice(part.as_bytes());
                    Ok(part.len())
                }
                None => Ok(0),
            }
        }
    }

    fn line(event: Option<SessionEvent>) -> String {
        match event {
            Some(SessionEvent::Input(Input::Line(line, _))) => line,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn input_is_read_between_two_slices() {
        let written = Written::default();
        let responder = Responder::without_timer(written.clone());
        let mut input = Parts(VecDeque::from(["a\nb", "\n", "", "c\n", "", "d\n", "", ""]));
        let read = Box::new(move |lines: &mut Lines, _| lines.read_from(&mut input));
        let mut platform = SingleThread::new(read, true, &responder);
        let slices = Arc::new(Mutex::new(Vec::new()));
        let record = Arc::clone(&slices);
        let (job, work) = Job::in_slices(None, move |_, reports, slice| {
            record.lock().unwrap().push(slice);
            reports.push(Reply::ReadyOk);
            record.lock().unwrap().len() == 3
        });
        assert_eq!([(); 2].map(|()| line(platform.next(None))), ["a", "b"]);
        assert!(matches!(platform.next(None), Some(SessionEvent::Return)));
        assert!(!platform.is_working());
        let id = responder.begin(job).unwrap();
        platform.start(id, work);
        assert!(platform.is_working());
        assert_eq!(line(platform.next(None)), "c");
        // One slice, then the host runs; it may bring a line.
        assert_eq!(line(platform.next(None)), "d");
        assert_eq!(slices.lock().unwrap().len(), 1);
        assert!(matches!(platform.next(None), Some(SessionEvent::Return)));
        assert_eq!(slices.lock().unwrap().len(), 1);
        assert!(matches!(
            platform.next(None),
            Some(SessionEvent::Input(Input::End))
        ));
        assert!(matches!(platform.next(None), Some(SessionEvent::Return)));
        assert!(responder.is_running());
        assert!(matches!(platform.next(None), Some(SessionEvent::JobEnded(ended)) if ended == id));
        assert!(!platform.is_working() && !responder.is_running());
        assert_eq!(*slices.lock().unwrap(), [Some(SLICE); 3]);
        assert_eq!(written.lines(), ["readyok"; 3]);
    }

    #[test]
    #[cfg(any(unix, target_os = "wasi"))] // elsewhere a read waits for input
    fn a_deadline_interrupts_the_slices() {
        let responder = Responder::without_timer(io::sink());
        let (reader, _writer) = io::pipe().unwrap();
        let mut platform = SingleThread::new(polled(reader), false, &responder);
        let deadline = || Some(Instant::now() + Duration::from_millis(20));
        assert!(platform.next(deadline()).is_none());
        let (job, work) = Job::in_slices(None, |_, _, _| {
            std::thread::sleep(Duration::from_millis(2));
            false
        });
        platform.start(responder.begin(job).unwrap(), work);
        assert!(platform.next(deadline()).is_none());
        assert!(platform.is_working());
    }
}
