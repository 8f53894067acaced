//! Engines as child processes.
//!
//! An engine runs in its own process group, on Linux under a [`supervisor`]. A
//! [`Channel`] holds its pipes. Dropping its [`Process`] kills it and all its
//! descendants.

mod channel;
mod program;
mod sandbox;
#[cfg_attr(not(target_os = "linux"), path = "unsupervised.rs")]
pub mod supervisor;

pub use channel::{Channel, MAX_OUTPUT};
pub use channel::{Opponent, Received};
pub(crate) use program::windows_script;
pub use program::{BRIDGE_COMMAND, BUILTIN_COMMAND, Launch};
pub use program::{can_be_started, cargo_advice, missing_interpreter, why_not_started};
pub(crate) use sandbox::Enforced;
pub(crate) use sandbox::SCRATCH;
pub use sandbox::places::{Submissions, is_interpreter};
pub use sandbox::{Purpose, Sandbox, SandboxLevel};
pub use supervisor::adopt_orphans;

pub use crate::system::processes::ResourceLimits;

use std::io;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use sandbox::Refusal;

use crate::io::interrupt::Interrupt;
use crate::io::running_clock;
use crate::io::stderr::OWN_ERROR;
use crate::system::pipes::{Pipes, Source};
pub(crate) use crate::system::processes::{Effort, unforeseen};
use crate::system::processes::{Ending, POLL_INTERVAL, ProcessTree, Tree, free_memory, killed_for_memory};
pub use crate::system::processes::{Exit, Work, shortage};

/// Starts an engine: under a supervisor on Linux, otherwise with what the system has.
fn start(launch: &Launch) -> io::Result<(Box<dyn ProcessTree>, Pipes)> {
    if let Some(program) = &launch.supervisor {
        return supervisor::start(launch, program);
    }
    let mut command = Command::new(&launch.program);
    command
        .args(&launch.args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    if let Some(dir) = &launch.dir {
        command.current_dir(dir);
    }
    let (tree, pipes) = Tree::start(command, launch.limits)?;
    Ok((Box::new(tree), pipes))
}

/// The exit status of the referee, also as a player or a bridge, when a program cannot be started or does not do what
/// its protocol says.
pub const START_FAILED: u8 = 3;

/// The same when the machine fails: an output, or something that a program needs.
pub const MACHINE_FAILED: u8 = 4;

/// The same when the rules program fails.
pub const RULES_FAILED: u8 = 5;

/// Starts a program whose standard input, output and error are a terminal.
pub fn start_on_terminal(launch: &Launch, terminal: Source<'_>) -> io::Result<Box<dyn ProcessTree>> {
    let program = launch.supervisor.as_ref().ok_or(io::ErrorKind::Unsupported)?;
    supervisor::start_on_terminal(launch, program, terminal)
}

/// Kills all processes of an engine and waits for them. If it `is_ending`, because it has closed its
/// terminal, it first gets a short time to exit, or to be killed by its supervisor, which takes time
/// on a busy machine. Returns how it had ended before.
pub fn end(tree: Box<dyn ProcessTree>, is_ending: bool) -> Option<Exit> {
    let until = Instant::now() + Duration::from_secs(2);
    while is_ending && !tree.has_exited() && Instant::now() < until {
        thread::sleep(POLL_INTERVAL);
    }
    tree.finish().how
}

/// The same for the only child of this process, which leads its own process group. After
/// [`adopt_orphans`] it kills all its descendants, too.
pub fn kill_with_descendants(child: &mut Child, is_ending: bool) -> Option<ExitStatus> {
    let until = Instant::now() + Duration::from_millis(300);
    let status = loop {
        match child.try_wait() {
            Ok(None) if is_ending && Instant::now() < until => thread::sleep(POLL_INTERVAL),
            status => break status.ok().flatten(),
        }
    };
    supervisor::kill_all(child, status.is_none());
    status
}

/// What this system enforces at a level other than `Off`. It is tried once.
pub fn sandbox_ability(level: SandboxLevel) -> Result<Enforced, Refusal> {
    static ON: OnceLock<Result<Enforced, Refusal>> = OnceLock::new();
    static STRICT: OnceLock<Result<Enforced, Refusal>> = OnceLock::new();
    let known = match level {
        SandboxLevel::Strict => &STRICT,
        _ => &ON,
    };
    known.get_or_init(|| supervisor::probe(level)).clone()
}

/// How a process ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExitInfo {
    /// How it ended, or that it closed its output.
    pub how: Exit,
    /// The last lines of its stderr.
    pub stderr: Vec<String>,
    /// The number of its descendants that outlived it, after [`Process::count_leftovers`].
    pub leftovers: Option<u64>,
    /// Why its stderr could not be copied to a file.
    pub log_error: Option<String>,
    /// Whether a signal killed it, and since its start the system has killed a program for lack of memory.
    pub is_out_of_memory: bool,
    /// Whether memory is free again without it: at least half of what was free at its start.
    pub leaves_memory: bool,
}

impl ExitInfo {
    /// Whether the engine exited on its own with this status.
    pub(crate) fn has_status(&self, status: u8) -> bool {
        self.how == Exit::Status(status.into())
    }

    /// Whether the engine was ended by SIGKILL, which the referee did not send.
    pub(crate) fn was_killed(&self) -> bool {
        matches!(self.how, Exit::Signal(_)) && self.how.is_by_kill()
    }

    /// Of a bridge that has failed: its last words say how its engine did, as a clause that follows the name.
    fn take_words_of_bridge(&mut self) {
        let last = self.stderr.last().and_then(|line| line.strip_prefix(OWN_ERROR));
        if let Some(words) = last.filter(|_| self.has_status(START_FAILED)) {
            self.how = Exit::Told(words.to_string());
            self.stderr.pop();
        }
    }

    /// Whether the engine exited on its own with status 0.
    pub fn is_success(&self) -> bool {
        self.has_status(0)
    }
}

/// The pauses before a start is tried again on a machine that is short of something.
const PAUSES: [Duration; 4] = [
    Duration::from_millis(500),
    Duration::from_secs(1),
    Duration::from_secs(2),
    Duration::from_secs(4),
];

/// A running engine.
#[derive(Debug)]
pub struct Process {
    /// `None` once every process has been killed.
    tree: Option<Box<dyn ProcessTree>>,
    channel: Channel,
    /// How many programs the system had killed for lack of memory before its start.
    killed_before: Option<u64>,
    /// The memory that was free before its start, in bytes.
    free_before: Option<u64>,
    /// Whether it is a bridge, which says how its engine failed.
    is_bridge: bool,
}

impl Process {
    /// Starts an engine. If the machine is short of something, this tries again for some seconds: other programs may
    /// end meanwhile.
    ///
    /// # Errors
    /// The system cannot execute the program, or [lacks something](shortage) for that.
    pub fn start(launch: &Launch, interrupt: Arc<Interrupt>) -> io::Result<Process> {
        running_clock::watch();
        let free_before = free_memory();
        let mut pauses = PAUSES.into_iter();
        let (tree, pipes) = loop {
            match start(launch) {
                Ok(started) => break started,
                Err(error) => {
                    let what = shortage(&error);
                    let (Some(pause), Some(what)) = (pauses.next(), what) else {
                        return Err(error);
                    };
                    if pause == PAUSES[0] {
                        log::warn!("{what}; retrying for some seconds");
                    }
                    if interrupt.wait(pause) {
                        return Err(error);
                    }
                }
            }
        };
        let exit = tree.exit_watch();
        let channel = Channel::new(pipes, exit, launch.stderr.clone(), interrupt);
        Ok(Process {
            tree: Some(tree),
            channel,
            killed_before: killed_for_memory(),
            free_before,
            is_bridge: launch.is_bridge(),
        })
    }

    /// A process that has ended. Its output is still to be read.
    pub fn ended(channel: Channel) -> Process {
        Process {
            tree: None,
            channel,
            killed_before: None,
            free_before: None,
            is_bridge: false,
        }
    }

    /// Its pipes.
    pub fn channel(&mut self) -> &mut Channel {
        &mut self.channel
    }

    /// Kills a failed process and says how it had ended. It first has a short time to exit on its own. The second
    /// value is the number of its descendants that outlived it.
    pub fn finish(&mut self) -> (Exit, Option<u64>) {
        /// Time from closing the pipes to the exit. Usually next to none; a core dump or a busy
        /// machine takes longer.
        const EXIT_WAIT: Duration = Duration::from_secs(3);
        let until = running_clock::now() + EXIT_WAIT;
        while !self.has_exited() && running_clock::now() < until {
            self.channel.drain();
            thread::sleep(POLL_INTERVAL);
        }
        let has_exited = self.has_exited();
        let ending = self.kill();
        self.channel.drain();
        let how = ending.how.filter(|_| has_exited);
        let how = how.unwrap_or(Exit::ClosedOutput);
        (how, ending.leftovers.filter(|_| has_exited))
    }

    /// The same, with all that is known of its end.
    pub fn reap(mut self) -> ExitInfo {
        let (how, leftovers) = self.finish();
        let is_out_of_memory = how.is_by_kill() && self.killed_before < killed_for_memory();
        let leaves = |(before, now)| now >= before / 2;
        let mut exit = ExitInfo {
            is_out_of_memory,
            leaves_memory: is_out_of_memory && self.free_before.zip(free_memory()).is_none_or(leaves),
            how,
            stderr: self.channel.stderr_tail(),
            leftovers,
            log_error: self.channel.take_log_error().map(|error| error.to_string()),
        };
        if self.is_bridge {
            exit.take_words_of_bridge();
        }
        exit
    }

    /// Ends a process that has failed but runs: end of input and SIGTERM, then a moment in which it can write what it knows
    /// of its own children, then SIGKILL. Its output is still to be read.
    pub fn stop(&mut self) {
        const MOMENT: Duration = Duration::from_millis(500);
        self.channel.close_stdin();
        self.tree.iter_mut().for_each(|tree| tree.terminate());
        let until = Instant::now() + MOMENT;
        while !self.has_exited() && Instant::now() < until {
            self.channel.drain();
            thread::sleep(POLL_INTERVAL);
        }
        self.kill();
    }

    /// Asks for [`ExitInfo::leftovers`], which needs a supervisor.
    pub fn count_leftovers(&mut self) {
        if let Some(tree) = &mut self.tree {
            tree.count_leftovers();
        }
    }

    /// Resident memory of the engine and its descendants that is not backed by files, in
    /// bytes; `None` without a supervisor.
    pub fn memory(&self) -> Option<u64> {
        self.tree.as_ref()?.memory()
    }

    /// What the engine and its descendants have done so far; `None` without a supervisor.
    pub fn work(&self) -> Option<Work> {
        self.tree.as_ref()?.work()
    }

    /// That the engine has filled its scratch folder, as a clause that follows its name, if that is known now.
    pub(crate) fn excess_of_files(&self) -> Option<String> {
        self.tree.as_ref()?.excess_of_files()
    }

    /// Whether the engine itself has exited.
    pub fn has_exited(&self) -> bool {
        self.tree.as_ref().is_none_or(|tree| tree.has_exited())
    }

    /// Kills the engine and its descendants. Returns how the engine had ended before.
    fn kill(&mut self) -> Ending {
        self.tree.take().map(ProcessTree::finish).unwrap_or_default()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A shutdown step, and the time after `quit` at which it happens.
type ShutdownStep = (Duration, fn(&mut Process));

/// The steps for an engine that ignores `quit`: end of input, then SIGTERM. One that saves something first has the
/// second that the manual promises.
const SHUTDOWN_STEPS: [ShutdownStep; 2] = [
    (Duration::from_millis(300), |process| {
        process.channel.close_stdin();
    }),
    (Duration::from_secs(1), |process| {
        if let Some(tree) = &mut process.tree {
            tree.terminate();
        }
    }),
];

/// Time after `quit` at which the remaining processes are killed.
const SHUTDOWN_TIME: Duration = Duration::from_millis(1250);

/// Shuts engines down together: `quit`, then end of input, then SIGTERM after a second, then
/// SIGKILL. Returns an error of copying an engine's stderr to its file.
pub fn shut_down(mut processes: Vec<Process>) -> Option<io::Error> {
    let start = Instant::now();
    for process in &mut processes {
        process.channel.send("quit\n");
    }
    let mut log_error = None;
    let mut steps = SHUTDOWN_STEPS.into_iter().peekable();
    loop {
        let waited = start.elapsed();
        let is_time_up = waited >= SHUTDOWN_TIME;
        if is_time_up {
            // All at the same time; dropping them below waits for each.
            let trees = processes.iter().filter_map(|process| process.tree.as_ref());
            trees.for_each(|tree| tree.kill());
        }
        // Dropping a process kills its remaining children.
        processes.retain_mut(|process| {
            let leaves = process.has_exited() || is_time_up;
            if leaves {
                // Its last lines on stderr.
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
        // An engine that blocks in a write to a full pipe could not exit.
        for process in &mut processes {
            process.channel.drain();
        }
        thread::sleep(POLL_INTERVAL);
    }
}

#[cfg(test)]
mod tests {
    // The engines are scripts for `/bin/sh`. `tests/every_system` has others.
    #![cfg(unix)]
    #![allow(clippy::mixed_attributes_style)]

    use super::*;
    use crate::io::text::ShowPath;
    use crate::samples;

    pub(super) fn shell(code: &str) -> Process {
        Process::start(&samples::shell(code), Interrupt::idle()).unwrap()
    }

    /// Whether a killed process is said to have used up the memory, of which this much was free before.
    #[cfg(target_os = "linux")]
    #[test]
    fn memory_that_is_free_again_was_used_by_the_process() {
        for (free_before, is_own) in [(Some(1), true), (None, true), (Some(u64::MAX), false)] {
            let mut process = shell("kill -KILL $$");
            // The system has killed something since.
            (process.killed_before, process.free_before) = (None, free_before);
            let exit = process.reap();
            assert!(exit.is_out_of_memory);
            assert_eq!(exit.leaves_memory, is_own, "{free_before:?}");
        }
        let mut process = shell("exit 0");
        process.killed_before = None;
        assert!(!process.reap().leaves_memory);
    }

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(10)
    }

    /// Its output is in the pipe then.
    pub(super) fn wait_for_exit(process: &Process) {
        while !process.has_exited() {
            thread::sleep(POLL_INTERVAL);
        }
    }

    fn line(received: Received) -> String {
        match received {
            Received::Line { text, .. } => text.raw().to_string(),
            other => panic!("{other:?} is no line"),
        }
    }

    #[test]
    fn sends_more_than_a_pipe_holds_while_waiting() {
        let mut reader = shell("head -c 3000000 | wc -c");
        reader.channel().send(&"a".repeat(3_000_000));
        assert_eq!(line(reader.channel().receive(soon(), None)).trim(), "3000000");
    }

    #[test]
    fn engine_that_never_reads_does_not_block_sending() {
        let mut engine = shell("exec sleep 60");
        engine.channel().send(&"a".repeat(3_000_000));
        let deadline = Instant::now() + A_WHILE;
        assert_eq!(engine.channel().receive(deadline, None), Received::Deadline);
        assert!(Instant::now() >= deadline);
        assert!(!engine.has_exited(), "sending took a minute");
    }

    #[test]
    fn engine_with_closed_input_can_still_answer() {
        let mut closed = shell("exec <&-; sleep 0.2; echo bestmove a1; sleep 60");
        std::thread::sleep(Duration::from_millis(100));
        closed.channel().send(&"a".repeat(100_000));
        assert_eq!(line(closed.channel().receive(soon(), None)), "bestmove a1");
    }

    #[test]
    fn line_time_is_when_its_end_arrived() {
        let start = Instant::now();
        let mut slow = shell("printf best; sleep 0.3; echo move");
        match slow.channel().receive(soon(), None) {
            Received::Line { text, at, .. } => {
                assert_eq!(text, "bestmove");
                assert!(at >= start + Duration::from_millis(300));
            }
            other => panic!("{other:?}"),
        }
    }

    /// Drains `opponent` while another engine thinks, until `enough`.
    fn drain_output<'a>(
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
            assert!(start.elapsed() < Duration::from_mins(1));
        }
        opponent
    }

    #[test]
    fn drained_opponent_can_exit() {
        let mut leaves = shell("yes | head -n 500000");
        drain_output(&mut leaves, |opponent, _| opponent.gone_at.is_some());
        assert_eq!(leaves.channel().discard_pending(), Some((500_000, "y".into())));
    }

    #[test]
    fn opponent_that_floods_is_blocked_by_its_pipe() {
        let mut babbles = shell("yes");
        let half = Duration::from_millis(500);
        let opponent = drain_output(&mut babbles, |_, waited| waited > half);
        assert!(opponent.gone_at.is_none());
        assert!(
            !was_silent(babbles.channel()),
            "its output was not read to the end"
        );
        let (lines, _) = babbles.channel().discard_pending().unwrap();
        assert!(lines < 4_000_000, "{lines} lines were read");
    }

    /// Whether the last look at an engine's output found it empty, at any time.
    fn was_silent(channel: &Channel) -> bool {
        let then = Instant::now().checked_sub(A_WHILE).unwrap();
        channel.silence.lasts(then)
    }

    /// Long enough for every engine here to have done its immediate work.
    const A_WHILE: Duration = Duration::from_millis(200);

    /// The lines of `opponent` that are discarded after another engine's search and its own end; that
    /// engine answers during the first wait.
    fn discarded_after_search(opponent: &mut Process) -> Option<(u64, String)> {
        let mut thinks = shell("echo bestmove a1; exec sleep 60");
        thread::sleep(A_WHILE);
        let mut drained = Opponent {
            channel: Some(opponent.channel()),
            gone_at: None,
        };
        let received = thinks.channel().receive(soon(), Some(&mut drained));
        assert_eq!(line(received), "bestmove a1");
        wait_for_exit(opponent);
        let found = opponent.channel().discard_pending();
        found.map(|(count, first)| (count, first.raw().to_string()))
    }

    #[test]
    fn output_after_an_empty_pipe_is_still_discarded() {
        let mut late = shell("sleep 0.4; echo bestmove d4");
        let discarded = discarded_after_search(&mut late);
        assert_eq!(discarded, Some((1, "bestmove d4".into())));
    }

    #[test]
    fn full_pipe_does_not_count_as_empty() {
        let mut babbles = shell("yes | head -n 25000");
        wait_for_exit(&babbles);
        let discarded = discarded_after_search(&mut babbles);
        assert_eq!(discarded, Some((25_000, "y".into())));
    }

    #[test]
    fn request_ends_the_empty_pipe_observation() {
        let mut hasty = shell("read line; echo readyok; sleep 0.05; echo bestmove d4");
        // In the future, so that the engine cannot answer before it.
        let later = Instant::now() + Duration::from_mins(1);
        hasty.channel().silence.seen(later);
        assert!(hasty.channel().silence.lasts(later));
        assert_eq!(hasty.channel().discard_pending(), None);
        hasty.channel().send("isready\n");
        assert_eq!(line(hasty.channel().receive(soon(), None)), "readyok");
        wait_for_exit(&hasty);
        assert_eq!(hasty.channel().discard_pending(), Some((1, "bestmove d4".into())));
    }

    #[test]
    fn empty_pipe_is_noticed_while_the_opponent_thinks() {
        let mut drained = shell("echo bestmove d4; exec sleep 60");
        let mut thinks = shell("sleep 0.3; echo bestmove a1; exec sleep 60");
        let mut opponent = Opponent {
            channel: Some(drained.channel()),
            gone_at: None,
        };
        assert_eq!(
            line(thinks.channel().receive(soon(), Some(&mut opponent))),
            "bestmove a1"
        );
        let channel = drained.channel();
        assert!(was_silent(channel));
        // Lines drained earlier are still counted.
        assert_eq!(channel.discard_pending(), Some((1, "bestmove d4".into())));
    }

    #[test]
    fn lines_that_came_with_an_answer_are_discarded_without_another_look() {
        let mut hasty = shell("echo bestmove a1; echo bestmove d4");
        wait_for_exit(&hasty);
        let channel = hasty.channel();
        assert_eq!(line(channel.receive(soon(), None)), "bestmove a1");
        channel.silence.seen(Instant::now() + Duration::from_mins(1));
        assert_eq!(channel.discard_pending(), Some((1, "bestmove d4".into())));
    }

    #[test]
    fn recent_empty_pipe_is_not_read_again() {
        let mut hasty = shell("echo bestmove d4");
        wait_for_exit(&hasty);
        let channel = hasty.channel();
        channel.silence.seen(Instant::now() + Duration::from_mins(1));
        assert_eq!(channel.discard_pending(), None);
        channel.silence.end();
        assert_eq!(channel.discard_pending(), Some((1, "bestmove d4".into())));
    }

    #[test]
    #[cfg(target_os = "linux")] // nanoseconds of `date`
    fn an_engine_has_a_second_to_end() {
        let folder = tempfile::tempdir().unwrap();
        let ended = folder.path().join("ended");
        let code = format!(
            "read line; s=$(date +%s%N); trap 'e=$(date +%s%N); echo $(((e - s) / 1000000)) > {}; exit' TERM; \
             while :; do sleep 0.01; done",
            ended.shown()
        );
        // A busy machine delays some of them.
        let had = (0..10).any(|_| {
            shut_down(vec![shell(&code)]);
            let had = std::fs::read_to_string(&ended).unwrap_or_default();
            had.trim().parse::<u64>().is_ok_and(|had| had > 900)
        });
        assert!(had, "SIGTERM came before");
    }

    #[test]
    fn engines_shut_down_gracefully_and_together() {
        // Each waits for the `quit` of all others. On a busy machine, some are killed before.
        let all_leave = || {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().to_string_lossy();
            let code = format!(
                "read line; [ $line = quit ] && : > {path}/$$
                 while [ $(ls {path} | wc -l) -lt 5 ]; do sleep 0.02; done; : > {path}/left-$$"
            );
            shut_down((0..5).map(|_| shell(&code)).collect());
            std::fs::read_dir(folder.path()).unwrap().count() == 10
        };
        assert!((0..10).any(|_| all_leave()));
        let stubborn = "trap '' TERM; while :; do sleep 0.05; echo no; done";
        shut_down((0..5).map(|_| shell(stubborn)).collect());
    }
}
