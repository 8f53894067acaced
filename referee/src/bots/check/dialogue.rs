//! The dialogue with a running bot: its pipes, and a transcript with times.

use std::sync::Arc;
use std::time::{Duration, Instant};

use lodestone::game::AnyPosition;

use super::report::{DialogueLine, Trouble};
use super::strays::{Strays, is_protocol};
use crate::io::interrupt::{Interrupt, Stop};
use crate::player::{
    Answer, Expected, Hint, NoAnswer, Origin, Output, TranscriptBuffer, TranscriptLine, Wait, await_answer,
};
use crate::process::{self, ExitInfo, Launch, Opponent, Process, Received};

/// Most lines of a check that are kept for its report.
const MAX_EVENTS: usize = 200;

/// Why no line came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoLine {
    /// The deadline passed.
    Deadline,
    /// The bot exited or closed its output.
    Closed,
    /// It wrote too much.
    Garbage(String),
}

/// The process of the bot, and the lines of the current check. The memory for both is
/// bounded.
pub struct BotDialogue {
    interrupt: Arc<Interrupt>,
    process: Option<Process>,
    transcript: TranscriptBuffer,
    /// When the current check began.
    began: Instant,
    /// The number of lines of the transcript that have been judged.
    judged: usize,
    strays: Strays,
}

impl BotDialogue {
    /// A dialogue without a process.
    pub fn new(interrupt: Arc<Interrupt>) -> BotDialogue {
        BotDialogue {
            interrupt,
            process: None,
            transcript: TranscriptBuffer::default(),
            began: Instant::now(),
            judged: 0,
            strays: Strays::default(),
        }
    }

    /// Forgets the lines of the last check. Times count from now on.
    pub fn begin(&mut self) {
        self.transcript.clear();
        self.judged = 0;
        self.began = Instant::now();
    }

    /// Time since the start of the check.
    pub fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    /// Starts a process. The last one is killed.
    pub fn start(&mut self, launch: &Launch) -> std::io::Result<()> {
        self.process = None;
        self.process = Some(Process::start(launch, Arc::clone(&self.interrupt))?);
        Ok(())
    }

    /// Kills the process.
    pub fn kill(&mut self) {
        self.process = None;
    }

    /// Shuts the process down as a match does.
    pub fn shut_down(&mut self) {
        process::shut_down(self.process.take().into_iter().collect());
    }

    /// Kills a process that is about to exit, and says how it ended; `None` without a process.
    pub fn reap(&mut self) -> Option<ExitInfo> {
        self.process.take().map(Process::reap)
    }

    /// The process, while it runs.
    pub fn process(&mut self) -> Option<&mut Process> {
        self.process.as_mut()
    }

    /// Whether the bot runs and has not closed its output.
    pub fn is_open(&mut self) -> bool {
        let is_open = |process: &mut Process| !process.channel().is_closed() && !process.has_exited();
        self.process.as_mut().is_some_and(is_open)
    }

    /// Sends lines, each with its line end, in one write.
    pub fn send(&mut self, lines: &str) {
        self.send_as(Origin::Referee, lines);
    }

    /// Sends `isready` to see whether an answer comes then. It is no request of its own in the
    /// report.
    pub fn probe(&mut self) {
        self.send_as(Origin::Remark, "isready\n");
    }

    fn send_as(&mut self, origin: Origin, lines: &str) {
        let now = Instant::now();
        for line in lines.split_terminator('\n') {
            self.transcript.push(origin, now, line);
        }
        if let Some(process) = &mut self.process {
            process.channel().begin_count();
            process.channel().send(lines);
        }
    }

    /// Ends the input of the bot.
    pub fn close_input(&mut self) {
        let remark = "end of input";
        self.transcript.push(Origin::Remark, Instant::now(), remark);
        if let Some(process) = &mut self.process {
            process.channel().close_stdin();
        }
    }

    /// Waits for a line. Returns when it came.
    pub fn await_line(
        &mut self,
        deadline: Instant,
        mut is_wanted: impl FnMut(&str) -> bool,
    ) -> Result<Result<Instant, NoLine>, Trouble> {
        let Some(process) = &mut self.process else {
            return Ok(Err(NoLine::Closed));
        };
        loop {
            return Ok(Err(match process.channel().receive(deadline, None) {
                Received::Line { text, at } => {
                    self.transcript.push(Origin::Engine, at, &text);
                    if is_wanted(&text) {
                        return Ok(Ok(at));
                    }
                    continue;
                }
                Received::Closed => NoLine::Closed,
                Received::Overlong => NoLine::Garbage("a line longer than 64 KiB".into()),
                Received::Flood => NoLine::Garbage("more than 8 MiB without an answer".into()),
                Received::Deadline => NoLine::Deadline,
                Received::Stopped(signal) => return Err(signal.into()),
            }));
        }
    }

    /// Reads the output for a time.
    pub fn settle(&mut self, time: Duration) -> Result<(), Stop> {
        match self.await_line(Instant::now() + time, |_| false) {
            Err(Trouble::Stopped(stop)) => Err(stop),
            _ => Ok(()),
        }
    }

    /// Waits for `bestmove` as in a match.
    pub fn await_answer(&mut self, wait: &Wait, position: &dyn AnyPosition) -> Result<Answer, NoAnswer> {
        let Some(process) = &mut self.process else {
            return Err(NoAnswer::Closed(None));
        };
        let (channel, mut opponent) = (process.channel(), Opponent::default());
        await_answer(channel, wait, position, &mut opponent, &mut self.transcript, None)
    }

    /// A likely cause of a missing word, as a clause; from what the bot has written since the
    /// request.
    pub fn cause(&mut self, request: &'static str, word: &'static str) -> Option<Hint> {
        let channel = self.process.as_mut()?.channel();
        if !channel.has_written() {
            return Some(Hint::Unflushed);
        }
        let (unfinished, stderr) = (channel.unfinished_line(), channel.stderr_tail());
        let mut output = Output::default();
        for line in self.since_request() {
            output.push(line);
        }
        output.hint(request, Expected::Word(word), unfinished, &stderr)
    }

    /// The lines of the bot since the last line that was sent.
    pub fn since_request(&self) -> Vec<String> {
        let lines = self.transcript.lines();
        let request = lines.iter().rposition(|line| line.origin == Origin::Referee);
        let after = lines.into_iter().skip(request.map_or(0, |place| place + 1));
        let of_bot = after.filter(|line| line.origin == Origin::Engine);
        of_bot.map(|line| line.text).collect()
    }

    /// How often the bot has written a line that begins with this word, in this check.
    pub fn count(&self, word: &str) -> usize {
        let begins = |line: &&TranscriptLine| {
            line.origin == Origin::Engine && line.text.split_whitespace().next() == Some(word)
        };
        self.transcript.lines().iter().filter(begins).count()
    }

    /// The first line in this check that is not one of the protocol.
    pub fn first_text(&self) -> Option<String> {
        let is_text = |line: &TranscriptLine| line.origin == Origin::Engine && !is_protocol(&line.text);
        let mut lines = self.transcript.lines().into_iter();
        lines.find(is_text).map(|line| line.text)
    }

    /// Looks for lines that do not belong on standard output.
    pub fn judge_lines(&mut self, check: &'static str) {
        let lines = self.transcript.lines();
        let is_cut = self.transcript.lost > 0;
        self.strays.judge(check, &lines, self.judged, self.began, is_cut);
        self.judged = lines.len();
    }

    /// Leaves the lines so far to the current check: [`BotDialogue::judge_lines`] skips them.
    pub fn claim_lines(&mut self) {
        self.judged = self.transcript.lines().len();
    }

    /// The lines found by [`BotDialogue::judge_lines`].
    pub const fn strays(&self) -> &Strays {
        &self.strays
    }

    /// The last lines of this check.
    pub fn events(&self) -> Vec<DialogueLine> {
        let lines = self.transcript.lines();
        let skipped = lines.len().saturating_sub(MAX_EVENTS);
        let event = |line: &TranscriptLine| DialogueLine {
            is_sent: line.origin != Origin::Engine,
            at: line.at.saturating_duration_since(self.began),
            line: match line.origin {
                Origin::Remark => format!("({})", line.text),
                _ => line.text.clone(),
            },
        };
        lines.iter().skip(skipped).map(event).collect()
    }
}
