//! The bot under test: starts it, restarts it and talks to it.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use lodestone::engine::Options;
use lodestone::game::Variant;
use lodestone::protocol::{Command, Dialect, Limits, OptionSpec, Reply};

use super::facts::{Facts, HANDSHAKE};
use super::histogram::Histogram;
use super::positions::Placed;
use super::report::{Event, Finding, Outcome, Report, Trouble, Verdict};
use super::strays::Strays;
use crate::io::interrupt::{Interrupt, Stop};
use crate::io::text::printable;
use crate::player::verdict::{Fault, FaultKind};
use crate::player::{
    EngineSpec, NoAnswer, Origin, StartError, TranscriptBuffer, TranscriptLine, Wait, await_answer,
};
use crate::process::{self, ExitInfo, Opponent, Process, Received};

/// Time for an answer where times are not judged: the assignment's time for a move.
pub const PATIENCE: Duration = Duration::from_secs(3);

/// How long the output is read after each check, for lines that nothing asked for.
const SETTLE: Duration = Duration::from_millis(20);

/// After this time without `uciok`, a second process shows whether the bot only fails to flush.
const START_PATIENCE: Duration = Duration::from_secs(3);

/// How soon an answer that is stuck in a buffer comes after more input, or after its end.
const FLUSH_WAIT: Duration = Duration::from_millis(400);

/// The time for `readyok` after it was missing once.
const SHORT_READY_TIME: Duration = Duration::from_secs(1);

/// Most lines of a check that are kept for its report.
const MAX_EVENTS: usize = 200;

/// Shows what a check is doing.
pub type Progress = Box<dyn Fn(String)>;

/// What the bot said in its handshake.
#[derive(Clone, Debug, Default)]
pub struct Announced {
    /// The lines before `uciok`.
    pub lines: Vec<String>,
    /// The options.
    pub options: Vec<OptionSpec>,
}

/// A legal answer.
#[derive(Clone, Debug)]
pub struct Played {
    /// The move, in lower case as the rules write it.
    pub text: String,
    /// The time that it took.
    pub time: Duration,
}

/// Why no line came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Missing {
    /// The deadline passed.
    Deadline,
    /// The bot exited or closed its output.
    Closed,
    /// It wrote too much.
    Garbage(String),
}

/// When an answer came that was stuck in a buffer of the bot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stuck {
    /// After another line of input.
    UntilInput,
    /// After the end of its input.
    UntilEnd,
}

impl fmt::Display for Stuck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Stuck::UntilInput => "after more input",
            Stuck::UntilEnd => "at the end of its input",
        })
    }
}

/// The bot under test.
pub struct Session {
    spec: EngineSpec,
    variant: Variant,
    interrupt: Arc<Interrupt>,
    process: Option<Process>,
    /// The lines of the current check.
    transcript: TranscriptBuffer,
    check_began: Instant,
    /// The name of the current check.
    current: &'static str,
    announced: Announced,
    strays: Strays,
    /// The number of lines of the transcript that `strays` knows.
    judged: usize,
    times: Histogram,
    ready_time: Duration,
    progress: Progress,
}

impl Session {
    /// A session with a bot that is not running yet.
    pub fn new(spec: EngineSpec, variant: Variant, interrupt: Arc<Interrupt>, progress: Progress) -> Session {
        Session {
            ready_time: spec.start_time,
            spec,
            variant,
            interrupt,
            process: None,
            transcript: TranscriptBuffer::default(),
            check_began: Instant::now(),
            current: "",
            announced: Announced::default(),
            strays: Strays::default(),
            judged: 0,
            times: Histogram::default(),
            progress,
        }
    }

    /// The name of the bot.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.spec.name
    }

    /// The game.
    #[must_use]
    pub const fn variant(&self) -> Variant {
        self.variant
    }

    /// The dialect.
    #[must_use]
    pub const fn dialect(&self) -> Dialect {
        self.spec.dialect
    }

    /// What the bot said in its last handshake.
    #[must_use]
    pub const fn announced(&self) -> &Announced {
        &self.announced
    }

    /// The times of all answers so far.
    #[must_use]
    pub const fn times(&self) -> &Histogram {
        &self.times
    }

    /// The lines so far that nothing asked for.
    #[must_use]
    pub const fn strays(&self) -> &Strays {
        &self.strays
    }

    /// Shows the progress of the current check.
    pub fn show_progress(&self, text: &str) {
        (self.progress)(format!("{}: {text}", self.current));
    }

    /// Runs a check on an idle bot.
    ///
    /// # Errors
    /// The referee stops.
    pub fn run(&mut self, check: &'static Facts, run: fn(&mut Session) -> Verdict) -> Result<Report, Stop> {
        self.transcript.clear();
        self.judged = 0;
        self.check_began = Instant::now();
        self.current = check.name;
        (self.progress)(check.name.to_string());
        let started = if check.name == HANDSHAKE {
            Ok(())
        } else {
            self.start_if_needed()
        };
        let verdict = started.and_then(|()| run(self));
        let took = self.check_began.elapsed();
        let settled = self.judge_lines(check.name);
        let events = events(&self.transcript.lines(), self.check_began);
        let outcome = match verdict {
            Ok(remark) => Outcome::Passed(remark),
            Err(Trouble::Failed(finding)) => {
                self.process = None;
                Outcome::Failed(finding)
            }
            Err(Trouble::Skipped(why)) => Outcome::Skipped(why),
            Err(Trouble::Stopped(stop)) => return Err(stop),
        };
        settled?;
        Ok(Report {
            check,
            outcome,
            took,
            events,
        })
    }

    /// Reads what the bot still writes, and looks for lines that do not belong there.
    ///
    /// # Errors
    /// The referee stops.
    pub fn judge_lines(&mut self, check: &'static str) -> Result<(), Stop> {
        self.settle(SETTLE)?;
        let lines = self.transcript.lines();
        let is_cut = self.transcript.lost() > 0;
        self.strays
            .judge(check, &lines, self.judged, self.check_began, is_cut);
        self.judged = lines.len();
        Ok(())
    }

    /// Shuts the bot down.
    pub fn end(&mut self) {
        process::shut_down(self.process.take().into_iter().collect());
    }

    /// Reads the output for a time.
    ///
    /// # Errors
    /// The referee stops.
    pub fn settle(&mut self, time: Duration) -> Result<(), Stop> {
        match self.await_line(Instant::now() + time, |_| false) {
            Err(Trouble::Stopped(stop)) => Err(stop),
            _ => Ok(()),
        }
    }

    /// Starts the bot again.
    ///
    /// # Errors
    /// It does not complete the handshake, or the referee stops.
    pub fn restart(&mut self) -> Result<(), Trouble> {
        self.end();
        self.start()
    }

    fn start_if_needed(&mut self) -> Result<(), Trouble> {
        let is_running = |process: &mut Process| !process.channel().is_closed() && !process.has_exited();
        if self.process.as_mut().is_some_and(is_running) {
            return Ok(());
        }
        self.start()
    }

    /// Starts the bot and completes the handshake.
    ///
    /// # Errors
    /// It does not complete the handshake, or the referee stops.
    pub fn start(&mut self) -> Result<(), Trouble> {
        self.process = None;
        let process = Process::start(&self.spec.launch, Arc::clone(&self.interrupt));
        let process = process.map_err(|error| {
            let error = StartError::Execution {
                program: self.spec.launch.program.clone(),
                error,
            };
            Finding {
                problem: error.sentence(&self.spec.name),
                expected: "a program that the system can start".into(),
                hint: "start it by hand, and read the error".into(),
                ..Finding::default()
            }
        })?;
        self.process = Some(process);
        let dialect = self.spec.dialect;
        self.announced = Announced::default();
        self.send(&format!("{}\n", dialect.name()));
        let is_greeting = |line: &str| Reply::parse(line) == Ok(Reply::Greeted(dialect));
        let deadline = Instant::now() + self.spec.start_time;
        let early = deadline.min(Instant::now() + START_PATIENCE);
        let mut missing = self.await_line(early, is_greeting)?.err();
        if missing == Some(Missing::Deadline) {
            missing = match self.unflushed_greeting(is_greeting)? {
                true => return Err(self.unflushed(dialect.greeted(), Stuck::UntilEnd).into()),
                false => self.await_line(deadline, is_greeting)?.err(),
            };
        }
        if let Some(missing) = missing {
            return Err(self.no_word(missing, dialect.name(), dialect.greeted(), self.spec.start_time));
        }
        self.read_announcement();
        self.set_options()
    }

    /// Whether a second process writes the greeting once its input is closed.
    fn unflushed_greeting(&mut self, is_greeting: impl Fn(&str) -> bool) -> Result<bool, Trouble> {
        let second = Process::start(&self.spec.launch, Arc::clone(&self.interrupt));
        let Ok(mut second) = second else {
            return Ok(false);
        };
        let channel = second.channel();
        channel.send(&format!("{}\n", self.spec.dialect.name()));
        // The line is in the pipe, or the bot has not read it in this time either.
        channel.receive(Instant::now() + FLUSH_WAIT, None);
        channel.close_stdin();
        let deadline = Instant::now() + START_PATIENCE / 2;
        loop {
            match channel.receive(deadline, None) {
                Received::Line { text, .. } if is_greeting(&text) => return Ok(true),
                Received::Line { .. } => {}
                Received::Stopped(signal) => return Err(signal.into()),
                _ => return Ok(false),
            }
        }
    }

    fn read_announcement(&mut self) {
        for line in self.transcript.lines() {
            if line.origin != Origin::Engine {
                continue;
            }
            if let Ok(Reply::Option(option)) = Reply::parse(&line.text) {
                self.announced.options.push(option);
            }
            self.announced.lines.push(line.text);
        }
    }

    /// Sets the variant, if the bot knows the option, and the user's options.
    fn set_options(&mut self) -> Result<(), Trouble> {
        let variant = (Options::VARIANT.to_string(), self.variant.name().to_string());
        let mut commands = Vec::new();
        if self.announced_option(Options::VARIANT).is_some() {
            commands.push(variant);
        }
        for (name, value) in &self.spec.options {
            if self.announced_option(name).is_none() {
                return Err(Finding {
                    problem: format!("{} announces no option `{name}`", self.spec.name),
                    expected: format!("a line `option name {name} type …` before `uciok`"),
                    hint: "leave the setting out, or announce the option".into(),
                    ..Finding::default()
                }
                .into());
            }
            commands.push((name.clone(), value.clone()));
        }
        for (name, value) in commands {
            self.set_option(&name, &value);
        }
        Ok(())
    }

    /// The announced option with this name, in any letter case.
    #[must_use]
    pub fn announced_option(&self, name: &str) -> Option<&OptionSpec> {
        let mut options = self.announced.options.iter();
        options.find(|option| option.name.eq_ignore_ascii_case(name))
    }

    /// Sends `setoption`.
    pub fn set_option(&mut self, name: &str, value: &str) {
        self.send(&format!("setoption name {name} value {value}\n"));
    }

    /// Sends lines, each with its line end.
    pub fn send(&mut self, lines: &str) {
        let now = Instant::now();
        for line in lines.split_terminator('\n') {
            self.transcript.push(Origin::Referee, now, line);
        }
        if let Some(process) = &mut self.process {
            process.channel().begin_count();
            process.channel().send(lines);
        }
    }

    /// Ends the input of the bot.
    pub fn close_input(&mut self) {
        let remark = "the end of its input";
        self.transcript.push(Origin::Remark, Instant::now(), remark);
        if let Some(process) = &mut self.process {
            process.channel().close_stdin();
        }
    }

    /// Waits for a line. Returns when it came.
    ///
    /// # Errors
    /// The referee stops. The inner error says why no such line came.
    pub fn await_line(
        &mut self,
        deadline: Instant,
        mut is_wanted: impl FnMut(&str) -> bool,
    ) -> Result<Result<Instant, Missing>, Trouble> {
        let Some(process) = &mut self.process else {
            return Ok(Err(Missing::Closed));
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
                Received::Closed => Missing::Closed,
                Received::Overlong => Missing::Garbage("a line longer than 64 KiB".into()),
                Received::Flood => Missing::Garbage("more than 8 MiB without an answer".into()),
                Received::Deadline => Missing::Deadline,
                Received::Stopped(signal) => return Err(signal.into()),
            }));
        }
    }

    /// Sends `isready` after these lines, and waits for `readyok`.
    ///
    /// # Errors
    /// It does not come.
    pub fn ready(&mut self, before: &str) -> Result<(), Trouble> {
        self.send(&format!("{before}isready\n"));
        let allowed = self.ready_time;
        let is_ready = |line: &str| Reply::parse(line) == Ok(Reply::ReadyOk);
        let Err(missing) = self.await_line(Instant::now() + allowed, is_ready)? else {
            return Ok(());
        };
        if missing == Missing::Deadline {
            self.ready_time = self.ready_time.min(SHORT_READY_TIME);
            if let Some(when) = self.buffered(is_ready)? {
                return Err(self.unflushed("readyok", when).into());
            }
        }
        Err(self.no_word(missing, "isready", "readyok", allowed))
    }

    /// Whether a line that is stuck in a buffer of the bot comes with more input, or at the
    /// end of input: the time as a clause. The bot is of no use afterwards.
    fn buffered(&mut self, is_wanted: impl Fn(&str) -> bool) -> Result<Option<Stuck>, Trouble> {
        self.send("isready\n");
        if self.await_line(Instant::now() + FLUSH_WAIT, &is_wanted)?.is_ok() {
            return Ok(Some(Stuck::UntilInput));
        }
        self.close_input();
        let came = self.await_line(Instant::now() + FLUSH_WAIT, &is_wanted)?;
        Ok(came.is_ok().then_some(Stuck::UntilEnd))
    }

    /// Sends a position and `go`, and waits for a legal move.
    ///
    /// # Errors
    /// It does not come within `allowed`.
    pub fn ask(&mut self, placed: &Placed, limits: &Limits, allowed: Duration) -> Result<Played, Trouble> {
        let request = self.request(placed, limits);
        self.ask_with(&[&request], placed, limits, allowed)
    }

    /// The lines `position` and `go`.
    #[must_use]
    pub fn request(&self, placed: &Placed, limits: &Limits) -> String {
        let go = Command::Go(limits.clone());
        format!("{}\n{}\n", placed.command(), go.in_dialect(self.spec.dialect))
    }

    /// Sends these parts of a request, with a pause between them, and waits for a legal move.
    ///
    /// # Errors
    /// It does not come within `allowed`.
    pub fn ask_with(
        &mut self,
        parts: &[&str],
        placed: &Placed,
        limits: &Limits,
        allowed: Duration,
    ) -> Result<Played, Trouble> {
        /// Long enough for a bot to read the part by itself.
        const PAUSE: Duration = Duration::from_millis(50);
        self.settle(Duration::from_millis(1)).map_err(Trouble::Stopped)?;
        let stopped = |stop| Err(Trouble::Stopped(stop));
        let mut asked = Instant::now();
        for (place, part) in parts.iter().enumerate() {
            if place > 0
                && let Err(stop) = self.settle(PAUSE)
            {
                return stopped(stop);
            }
            asked = Instant::now();
            self.send(part);
        }
        let wait = Wait {
            asked,
            allowed,
            margin: Duration::ZERO,
        };
        let position = placed.position();
        let answer = match &mut self.process {
            Some(process) => await_answer(
                process.channel(),
                &wait,
                position,
                &mut Opponent::default(),
                &mut self.transcript,
                None,
            ),
            None => Err(NoAnswer::Closed(None)),
        };
        let fault = match answer {
            Ok(answer) => match position.parse_move(&answer.text) {
                Ok(mv) => {
                    if let Some(limit) = limits.movetime {
                        self.times.add(limit, answer.thought.time);
                    }
                    return Ok(Played {
                        text: position.move_text(mv),
                        time: answer.thought.time,
                    });
                }
                Err(error) => Fault::unplayable(error, &answer.text, position),
            },
            Err(NoAnswer::Stopped(stop)) => return stopped(stop),
            Err(NoAnswer::Closed(_)) => return Err(self.crashed("a legal move").into()),
            Err(NoAnswer::Fault(fault)) => fault,
        };
        if let (Fault::Time { taken, .. }, Some(limit)) = (&fault, limits.movetime) {
            self.times.add(limit, *taken);
        }
        if let Fault::Stall { .. } = fault {
            let is_answer = |line: &str| line.trim_start().starts_with("bestmove");
            if let Some(when) = self.buffered(is_answer)? {
                return Err(self.unflushed("bestmove", when).into());
            }
        }
        Err(self.faulty(&fault, placed).into())
    }

    /// The finding about a fault in a position.
    fn faulty(&self, fault: &Fault, placed: &Placed) -> Finding {
        let position = placed.position();
        let moves = position.legal_moves();
        let example = moves
            .first()
            .map(|&mv| position.move_text(mv))
            .unwrap_or_default();
        let expected = match (fault, moves.len()) {
            (Fault::Time { allowed, .. } | Fault::Stall { allowed, .. }, _) => {
                format!("`bestmove` within {} ms of `go`", allowed.as_millis())
            }
            (_, 1) => format!("`bestmove {example}`, the only legal move"),
            (_, count) => format!("one of {count} legal moves, such as `bestmove {example}`"),
        };
        let hint = match fault {
            Fault::Time { .. } => "read the clock inside the search, and stop some milliseconds early",
            Fault::Stall { .. } => {
                "find out where the bot waits: for more input, in an endless loop, or in a search \
                 that ignores the time"
            }
            Fault::Illegal { .. } => {
                "enter the same `position` line in `lodestone`, then `d`, and compare the board with that of \
                 the bot"
            }
            Fault::Garbage(_) => "print `bestmove`, a space and the move, and nothing else on this line",
            Fault::Crash { .. } => "enter the lines above by hand, and read the error",
        };
        let is_about_rules = matches!(fault, Fault::Illegal { .. } | Fault::Garbage(_));
        Finding {
            problem: fault.sentence(&self.spec.name),
            expected,
            hint: hint.into(),
            fen: is_about_rules.then(|| position.fen()),
            fault: Some(fault.kind()),
            stderr: Vec::new(),
        }
    }

    /// The finding about a bot that has exited instead of giving this answer.
    pub fn crashed(&mut self, expected: &str) -> Finding {
        let exit = self.process.take().map(Process::reap);
        let how = exit.as_ref().map_or("is not running", |exit| exit.how.as_str());
        let hint = match &exit {
            Some(exit) if exit.is_success() => {
                "read input until `quit` or its end, and handle the next line in the same loop"
            }
            _ => "enter the lines above by hand, and read the error",
        };
        Finding {
            problem: format!("{} {how}", self.spec.name),
            expected: expected.into(),
            hint: hint.into(),
            fen: None,
            fault: Some(FaultKind::Crash),
            stderr: exit.map(|exit| exit.stderr).unwrap_or_default(),
        }
    }

    /// The finding about an answer that is stuck in a buffer.
    fn unflushed(&self, word: &str, when: Stuck) -> Finding {
        let (cause, hint) = match when {
            Stuck::UntilInput => (
                "it waits for another line, or does not flush its output",
                "answer each line as soon as it is read, before the next one is read; in C, leave no white \
                 space at the end of a `scanf` format",
            ),
            Stuck::UntilEnd => (
                "it does not flush its output",
                "flush standard output after each line: `print(…, flush=True)` in Python, `System.out.flush()` \
                 in Java, `fflush(stdout)` in C, `std::endl` in C++",
            ),
        };
        Finding {
            problem: format!("{} wrote `{word}` only {when}: {cause}", self.spec.name),
            expected: format!("`{word}` without more input"),
            hint: hint.into(),
            ..Finding::default()
        }
    }

    /// The finding about a word that did not come.
    fn no_word(
        &mut self,
        missing: Missing,
        request: &'static str,
        word: &'static str,
        allowed: Duration,
    ) -> Trouble {
        let expected = format!("`{word}` within {} s of `{request}`", allowed.as_secs_f64());
        let name = self.spec.name.clone();
        let finding = match missing {
            Missing::Closed => self.crashed(&expected),
            Missing::Garbage(what) => Finding {
                problem: format!("{name} wrote {what}"),
                expected,
                hint: "print only the answer".into(),
                ..Finding::default()
            },
            Missing::Deadline => Finding {
                problem: format!("{name} did not write `{word}`{}", self.last_line()),
                expected,
                hint: format!(
                    "print `{word}` when the line `{request}` comes, and flush standard output after it: \
                     `print(…, flush=True)` in Python, `System.out.flush()` in Java, `fflush(stdout)` in C"
                ),
                ..Finding::default()
            },
        };
        finding.into()
    }

    /// What the bot wrote last, as a clause.
    fn last_line(&mut self) -> String {
        let unfinished = self
            .process
            .as_mut()
            .and_then(|process| process.channel().unfinished_line());
        if let Some(line) = unfinished {
            return format!("; its last line, `{}`, has no line end", printable(&line, 60));
        }
        let lines = self.transcript.lines();
        match lines.iter().rfind(|line| line.origin == Origin::Engine) {
            Some(line) => format!("; the last line that it wrote is `{}`", printable(&line.text, 60)),
            None => "; it has written nothing at all".into(),
        }
    }

    /// Waits until the bot has exited or closed its output, and says how it ended; `None` if
    /// it still runs at the deadline.
    ///
    /// # Errors
    /// The referee stops.
    pub fn await_exit(&mut self, deadline: Instant) -> Result<Option<ExitInfo>, Trouble> {
        let came = self.await_line(deadline, |_| false)?;
        if came == Err(Missing::Deadline) {
            return Ok(None);
        }
        Ok(self.process.take().map(Process::reap))
    }

    /// Skips a check that needs a supervisor on systems without one.
    ///
    /// # Errors
    /// This system has none.
    pub fn need_supervisor() -> Result<(), Trouble> {
        if process::Limits::ARE_SUPPORTED {
            Ok(())
        } else {
            Err(Trouble::Skipped("only Linux reports this".into()))
        }
    }

    /// The process of the bot, while it runs.
    pub fn process(&mut self) -> Option<&mut Process> {
        self.process.as_mut()
    }

    /// How often the bot has written a line that begins with this word, in this check.
    #[must_use]
    pub fn count(&self, word: &str) -> usize {
        let begins = |line: &&TranscriptLine| {
            line.origin == Origin::Engine && line.text.split_whitespace().next() == Some(word)
        };
        self.transcript.lines().iter().filter(begins).count()
    }
}

/// The last lines of a transcript.
fn events(lines: &[TranscriptLine], began: Instant) -> Vec<Event> {
    let skipped = lines.len().saturating_sub(MAX_EVENTS);
    let event = |line: &TranscriptLine| Event {
        is_sent: line.origin != Origin::Engine,
        at: line.at.saturating_duration_since(began),
        line: match line.origin {
            Origin::Remark => format!("({})", line.text),
            _ => line.text.clone(),
        },
    };
    lines.iter().skip(skipped).map(event).collect()
}
