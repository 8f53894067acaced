//! Engines as child processes: started in a process group of their own, on Linux
//! under a [`supervisor`], talked to through a [`Channel`], and gone with all
//! their children when their [`Process`] is dropped.

mod channel;
mod keeper;
mod launch;
mod limits;
mod os;
mod silence;
#[cfg(target_os = "linux")]
pub mod supervisor;
mod tail;

pub use channel::{Channel, MOST_OUTPUT, Opponent, Received};
pub use launch::{Launch, own_program};
pub use limits::{Limits, Overuse};
pub use os::{is_executable, keep_on_core, own_cores};

use std::io;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use self::keeper::Keeper;
use self::os::GLANCE;
use crate::io::interrupt::Interrupt;

/// How a process came to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ending {
    /// As the end of a sentence that begins with the engine's name.
    pub how: String,
    /// The last lines of its stderr.
    pub stderr: Vec<String>,
    /// Why its stderr could not be copied to a file, if that failed.
    pub log_error: Option<String>,
}

/// A running engine.
#[derive(Debug)]
pub struct Process {
    /// `None` once all are gone.
    keeper: Option<Keeper>,
    channel: Channel,
}

impl Process {
    /// Starts an engine.
    ///
    /// # Errors
    /// Where the system cannot execute the program.
    pub fn start(launch: &Launch, interrupt: Arc<Interrupt>) -> io::Result<Process> {
        let (keeper, pipes) = Keeper::start(launch)?;
        let exit = keeper.exit_watch();
        let process = Process {
            keeper: Some(keeper),
            channel: Channel::new(pipes, exit, launch.stderr.clone(), interrupt),
        };
        process.channel.set_nonblocking()?;
        Ok(process)
    }

    /// The pipes to it.
    pub fn channel(&mut self) -> &mut Channel {
        &mut self.channel
    }

    /// Ends a process that failed, after a moment in which it may end by
    /// itself, and says how it went.
    #[must_use]
    pub fn bury(mut self) -> Ending {
        /// Between closing its pipes and its end, a process that dies needs
        /// next to nothing; a core dump may take a while.
        const MOMENT: Duration = Duration::from_millis(300);
        let until = Instant::now() + MOMENT;
        while !self.has_ended() && Instant::now() < until {
            self.channel.drain();
            thread::sleep(GLANCE);
        }
        let by_itself = self.has_ended();
        let how = self.kill();
        self.channel.drain();
        let how = how.filter(|_| by_itself);
        let how = how.unwrap_or_else(|| "closed its output".to_string());
        Ending {
            how,
            stderr: self.channel.stderr_tail(),
            log_error: self.channel.take_log_error().map(|error| error.to_string()),
        }
    }

    fn has_ended(&self) -> bool {
        self.keeper.as_ref().is_none_or(Keeper::has_ended)
    }

    /// Ends the engine and its descendants at once. How it had ended.
    fn kill(&mut self) -> Option<String> {
        self.keeper.take()?.finish()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A step of asking a process to end, and how long after `quit` it is taken.
type Step = (Duration, fn(&mut Process));

/// What an engine hears that does not leave by itself.
const LADDER: [Step; 2] = [
    (Duration::from_millis(300), |process| {
        process.channel.close_stdin();
    }),
    (Duration::from_millis(550), |process| {
        if let Some(keeper) = &mut process.keeper {
            keeper.terminate();
        }
    }),
];

/// After this the processes that are left are killed.
const LADDER_ENDS: Duration = Duration::from_millis(800);

/// Ends engines in peace: `quit`, then the end of input, then SIGTERM, then
/// SIGKILL, all of them at the same time and within a second. Gives back why the
/// stderr of one could not be copied to a file, if that failed.
pub fn shut_down(mut processes: Vec<Process>) -> Option<io::Error> {
    let start = Instant::now();
    for process in &mut processes {
        process.channel.send("quit\n");
    }
    let mut log_error = None;
    let mut steps = LADDER.into_iter().peekable();
    loop {
        let waited = start.elapsed();
        let is_time_up = waited >= LADDER_ENDS;
        if is_time_up {
            // All at the same time, before each is waited for.
            let keepers = processes.iter().filter_map(|process| process.keeper.as_ref());
            keepers.for_each(Keeper::kill);
        }
        // Dropping one kills what is left of its children.
        processes.retain_mut(|process| {
            let leaves = process.has_ended() || is_time_up;
            if leaves {
                // Its last words.
                process.channel.drain();
                log_error = log_error.take().or(process.channel.take_log_error());
            }
            !leaves
        });
        if processes.is_empty() {
            return log_error;
        }
        while let Some((_, step)) = steps.next_if(|(after, _)| waited >= *after) {
            processes.iter_mut().for_each(step);
        }
        // Nobody may be stuck in a write to a full pipe.
        for process in &mut processes {
            process.channel.drain();
        }
        thread::sleep(GLANCE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(code: &str) -> Process {
        let launch = Launch {
            program: "/bin/sh".into(),
            args: vec!["-c".into(), code.into()],
            dir: None,
            stderr: None,
            limits: Limits::default(),
            supervisor: None,
        };
        Process::start(&launch, Interrupt::idle()).unwrap()
    }

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(10)
    }

    fn line(received: Received) -> String {
        match received {
            Received::Line { text, .. } => text,
            other => panic!("{other:?} is no line"),
        }
    }

    #[test]
    fn more_than_the_pipe_holds_is_sent_while_waiting() {
        let mut reader = shell("head -c 3000000 | wc -c");
        reader.channel().send(&"a".repeat(3_000_000));
        assert_eq!(line(reader.channel().receive(soon(), None)).trim(), "3000000");
    }

    #[test]
    fn an_engine_that_never_reads_does_not_hold_us_up() {
        let mut deaf = shell("exec sleep 60");
        let start = Instant::now();
        deaf.channel().send(&"a".repeat(3_000_000));
        let received = deaf.channel().receive(start + Duration::from_millis(200), None);
        assert_eq!(received, Received::Deadline);
        let waited = start.elapsed();
        assert!((200..1000).contains(&waited.as_millis()), "{waited:?}");
    }

    #[test]
    fn an_engine_that_closes_its_input_may_still_speak() {
        let mut closed = shell("exec <&-; sleep 0.2; echo bestmove a1; sleep 60");
        std::thread::sleep(Duration::from_millis(100));
        closed.channel().send(&"a".repeat(100_000));
        assert_eq!(line(closed.channel().receive(soon(), None)), "bestmove a1");
    }

    #[test]
    fn the_time_of_a_line_is_when_its_end_came() {
        let start = Instant::now();
        let mut slow = shell("printf best; sleep 0.3; echo move");
        match slow.channel().receive(soon(), None) {
            Received::Line { text, at } => {
                assert_eq!(text, "bestmove");
                assert!(at >= start + Duration::from_millis(300));
            }
            other => panic!("{other:?}"),
        }
    }

    /// What is noticed of `opponent` while another engine thinks, until `enough`.
    fn overhear<'a>(
        opponent: &'a mut Process,
        enough: impl Fn(&Opponent<'a>, Duration) -> bool,
    ) -> Opponent<'a> {
        let mut thinks = shell("exec sleep 60");
        let start = Instant::now();
        let mut opponent = Opponent {
            channel: Some(opponent.channel()),
            gone_at: None,
        };
        while !enough(&opponent, start.elapsed()) {
            let moment = Instant::now() + Duration::from_millis(20);
            assert_eq!(
                thinks.channel().receive(moment, Some(&mut opponent)),
                Received::Deadline
            );
            assert!(start.elapsed() < Duration::from_secs(10));
        }
        opponent
    }

    #[test]
    fn a_rival_that_writes_more_than_a_pipe_holds_can_end() {
        let mut leaves = shell("yes | head -n 500000");
        overhear(&mut leaves, |opponent, _| opponent.gone_at.is_some());
        assert_eq!(leaves.channel().discard_pending(), Some((500_000, "y".into())));
    }

    #[test]
    fn a_rival_that_writes_without_end_is_made_to_wait() {
        let mut babbles = shell("yes");
        let half = Duration::from_millis(500);
        let opponent = overhear(&mut babbles, |_, waited| waited > half);
        assert!(opponent.gone_at.is_none());
        assert!(!was_silent(babbles.channel()), "nobody looked at what it wrote");
        let (lines, _) = babbles.channel().discard_pending().unwrap();
        assert!(lines < 4_000_000, "{lines} lines were read");
    }

    /// Whether an engine was last seen to be silent, however long ago.
    fn was_silent(channel: &Channel) -> bool {
        let then = Instant::now().checked_sub(A_WHILE).unwrap();
        channel.silence.lasts(then)
    }

    /// So long ago that everybody has done what they do at once.
    const A_WHILE: Duration = Duration::from_millis(200);

    /// How many lines of `opponent` are thrown away after an engine has thought that
    /// answers while it is first waited for, and after `pause`.
    fn discarded_behind_a_think(opponent: &mut Process, pause: Duration) -> Option<(u64, String)> {
        let mut thinks = shell("echo bestmove a1; exec sleep 60");
        thread::sleep(A_WHILE);
        let mut overheard = Opponent {
            channel: Some(opponent.channel()),
            gone_at: None,
        };
        let received = thinks.channel().receive(soon(), Some(&mut overheard));
        assert_eq!(line(received), "bestmove a1");
        thread::sleep(pause);
        opponent.channel().discard_pending()
    }

    #[test]
    fn what_comes_after_a_silence_was_seen_is_no_answer() {
        let mut late = shell("sleep 0.4; echo bestmove d4; exec sleep 60");
        let discarded = discarded_behind_a_think(&mut late, 3 * A_WHILE);
        assert_eq!(discarded, Some((1, "bestmove d4".into())));
    }

    #[test]
    fn nobody_is_silent_whose_pipe_holds_more_than_one_reading() {
        let mut babbles = shell("yes | head -n 25000; exec sleep 60");
        let discarded = discarded_behind_a_think(&mut babbles, Duration::ZERO);
        assert_eq!(discarded, Some((25_000, "y".into())));
    }

    #[test]
    fn a_silence_ends_when_something_is_asked() {
        let mut hasty = shell("read line; echo readyok; sleep 0.05; echo bestmove d4; exec sleep 60");
        // Seen however fast it answers.
        let later = Instant::now() + Duration::from_mins(1);
        hasty.channel().silence.seen(later);
        assert!(hasty.channel().silence.lasts(later));
        assert_eq!(hasty.channel().discard_pending(), None);
        hasty.channel().send("isready\n");
        assert_eq!(line(hasty.channel().receive(soon(), None)), "readyok");
        thread::sleep(A_WHILE);
        assert_eq!(hasty.channel().discard_pending(), Some((1, "bestmove d4".into())));
    }

    #[test]
    fn a_silence_is_seen_while_another_engine_thinks() {
        let mut overheard = shell("echo bestmove d4; exec sleep 60");
        let mut thinks = shell("sleep 0.3; echo bestmove a1; exec sleep 60");
        let mut opponent = Opponent {
            channel: Some(overheard.channel()),
            gone_at: None,
        };
        assert_eq!(
            line(thinks.channel().receive(soon(), Some(&mut opponent))),
            "bestmove a1"
        );
        let channel = overheard.channel();
        assert!(was_silent(channel));
        // What was overheard before is still told of.
        assert_eq!(channel.discard_pending(), Some((1, "bestmove d4".into())));
    }

    #[test]
    fn a_silence_that_was_seen_is_believed() {
        let mut hasty = shell("echo bestmove d4; exec sleep 60");
        thread::sleep(A_WHILE);
        let channel = hasty.channel();
        channel.silence.seen(Instant::now() + Duration::from_mins(1));
        assert_eq!(channel.discard_pending(), None);
        channel.silence.end();
        assert_eq!(channel.discard_pending(), Some((1, "bestmove d4".into())));
    }

    #[test]
    fn engines_leave_in_peace_and_together() {
        let start = Instant::now();
        let polite = || shell("read line; [ $line = quit ] && sleep 0.1");
        shut_down((0..5).map(|_| polite()).collect());
        assert!(
            start.elapsed() < Duration::from_millis(290),
            "{:?}",
            start.elapsed()
        );

        let start = Instant::now();
        let stubborn = || shell("trap '' TERM; while :; do sleep 0.05; echo no; done");
        shut_down((0..5).map(|_| stubborn()).collect());
        assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
    }

    #[test]
    fn the_end_of_a_process_is_described() {
        let ending = |code| {
            let mut process = shell(code);
            assert_eq!(process.channel().receive(soon(), None), Received::Closed);
            process.bury()
        };
        assert_eq!(
            ending("echo one >&2; echo two >&2; exit 3"),
            Ending {
                how: "ended with exit status 3".into(),
                stderr: vec!["one".into(), "two".into()],
                log_error: None,
            }
        );
        assert_eq!(ending("kill -TERM $$").how, "was ended by signal 15 (SIGTERM)");
        assert_eq!(ending("exec >&-; sleep 60").how, "closed its output");
    }
}
