//! The bot under test: starts it, restarts it and asks it for moves.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use lodestone_game::board::Side;
use lodestone_game::protocol::{Command, Dialect, Limits, Reply, option_names};
use referee_core::failure::Stop;
use referee_core::game::Game;
use referee_core::game::{Position, Ruleset};
use referee_core::io::interrupt::Interrupt;
use referee_core::io::running_clock;
use referee_core::io::text::printable;
use referee_core::io::untrusted::Untrusted;
use referee_core::player::verdict::{Fault, FaultKind};
use referee_core::player::{
    AnnouncedOptions, EngineSpec, Hint, NoAnswer, Protocol, StartError, Surroundings, Wait,
};
use referee_core::process::{self, ExitInfo};

use super::dialogue::{BotDialogue, NoLine};
use super::positions::{Starts, continues};
use super::report::{
    CheckInfo, CheckOutcome, CheckReport, CheckResult, Finding, HANDSHAKE, Times, Trouble, Undecided,
};
use super::terms::Terms;
use crate::bots::packages;
use crate::terminal::progress::Task;

/// How long the output is read after each check, for lines that nothing asked for.
pub(super) const SETTLE: Duration = Duration::from_millis(20);

/// After this time without `uciok`, a second process shows whether the bot only fails to flush.
const START_PATIENCE: Duration = Duration::from_secs(3);

/// How soon an answer that is stuck in a buffer comes after more input, or after its end.
const FLUSH_WAIT: Duration = Duration::from_millis(400);

/// How to flush in some languages.
const HOW_TO_FLUSH: &str = "flush standard output after each line: `print(…, flush=True)` in Python, \
                            `System.out.flush()` in Java, `fflush(stdout)` in C, `std::endl` in C++";

/// The limits of a search for a time.
pub(super) fn short(milliseconds: i64) -> Limits {
    Limits {
        movetime: Some(milliseconds),
        ..Limits::default()
    }
}

/// The bot under test.
pub(crate) struct BotSession {
    pub(super) spec: EngineSpec,
    pub(super) ruleset: Ruleset,
    pub(super) starts: Starts,
    interrupt: Arc<Interrupt>,
    /// The running bot.
    pub(super) dialogue: BotDialogue,
    /// The limits of the match.
    pub(super) terms: Terms,
    /// The name of the current check.
    current: &'static str,
    /// The lines of its last handshake, before `uciok`.
    pub(super) announced: Vec<Untrusted>,
    pub(super) options: AnnouncedOptions,
    /// The times of all answers so far.
    pub(super) times: Times,
    /// Whether the bot does not answer `isready`, which one check reports.
    pub(super) is_never_ready: bool,
    /// Whether the bot has answered `go` once, so that it flushes its output.
    has_answered: bool,
    /// The position of the last request, until a new game.
    last: Option<Game>,
    /// The side that the bot plays in the last game that was begun.
    side: Option<Side>,
    /// The number of games that the process has begun.
    games: u32,
    /// The names of the failed checks.
    failed: Vec<&'static str>,
    /// Shows the progress of the checks.
    pub(super) task: Rc<Task>,
}

impl BotSession {
    /// A session with a bot that is not running yet.
    pub(crate) fn new(
        spec: EngineSpec,
        starts: Starts,
        interrupt: Arc<Interrupt>,
        task: Rc<Task>,
        terms: Terms,
    ) -> BotSession {
        BotSession {
            terms,
            ruleset: starts.ruleset,
            starts,
            dialogue: BotDialogue::new(spec.protocol.is_bridged(), Arc::clone(&interrupt)),
            spec,
            interrupt,
            current: "",
            announced: Vec::new(),
            options: AnnouncedOptions::default(),
            times: Times::default(),
            is_never_ready: false,
            has_answered: false,
            last: None,
            side: None,
            games: 0,
            failed: Vec::new(),
            task,
        }
    }

    /// Whether the check of this name has failed.
    pub(super) fn has_failed(&self, check: &str) -> bool {
        self.failed.contains(&check)
    }

    /// Who stops the referee.
    pub(super) const fn interrupt(&self) -> &Arc<Interrupt> {
        &self.interrupt
    }

    /// Shows the progress of the current check.
    pub(super) fn show_progress(&self, text: &str) {
        self.task.set_detail(format!("{}: {text}", self.current));
    }

    /// Runs a check on an idle bot; again if the referee stood still meanwhile, so that it measured wrong times, or if
    /// the machine may have ended the bot.
    pub(super) fn run(
        &mut self,
        check: &'static CheckInfo,
        run: fn(&mut BotSession) -> CheckResult,
    ) -> Result<CheckReport, Stop> {
        let mut repeats = running_clock::MAX_REPEATS;
        loop {
            let before = running_clock::standstills();
            let known = (self.times.clone(), self.is_never_ready, self.has_answered);
            let mut report = self.run_once(check, run)?;
            let standstills = running_clock::standstills();
            let starved = match &report.outcome {
                CheckOutcome::Failed(finding) if finding.is_of_machine => Some(finding.sentence()),
                _ => None,
            };
            let is_starved = starved.is_some();
            let stood_still = (standstills.count != before.count).then(|| standstills.since(before));
            let Some(why) = starved.or(stood_still) else {
                return Ok(report);
            };
            if repeats == 0 {
                if is_starved {
                    report.outcome = CheckOutcome::Undecided(Undecided::Short);
                    self.failed.retain(|&failed| failed != check.name);
                }
                return Ok(report);
            }
            repeats -= 1;
            log::warn!("{why}; the check `{}` is repeated", check.name);
            (self.times, self.is_never_ready, self.has_answered) = known;
            self.failed.retain(|&failed| failed != check.name);
            self.dialogue.process = None;
        }
    }

    fn run_once(
        &mut self,
        check: &'static CheckInfo,
        run: fn(&mut BotSession) -> CheckResult,
    ) -> Result<CheckReport, Stop> {
        self.dialogue.begin();
        self.current = check.name;
        self.task.set_detail(check.name.to_string());
        let started = if check.name == HANDSHAKE || self.dialogue.is_open() {
            Ok(())
        } else {
            self.start()
        };
        let verdict = started.and_then(|()| run(self));
        let took = running_clock::elapsed(self.dialogue.began);
        let settled = self.dialogue.settle(SETTLE);
        self.dialogue.judge_lines(check.name);
        let mut events = self.dialogue.events();
        let outcome = match verdict {
            Ok(remark) => CheckOutcome::Passed(remark),
            Err(Trouble::Failed(mut finding)) => {
                self.ask_a_new_process(&mut finding)?;
                self.dialogue.process = None;
                self.failed.push(check.name);
                if !finding.evidence.is_empty() {
                    events.clone_from(&finding.evidence);
                }
                CheckOutcome::Failed(finding)
            }
            Err(Trouble::Skipped(why)) => CheckOutcome::Skipped(why),
            Err(Trouble::Undecided(why)) => CheckOutcome::Undecided(why),
            Err(Trouble::Stopped(stop)) => return Err(stop),
        };
        settled?;
        Ok(CheckReport {
            took,
            events,
            ..CheckReport::new(check, self.spec.protocol, outcome)
        })
    }

    /// Shuts the bot down.
    pub(crate) fn end(&mut self) {
        self.dialogue.shut_down();
    }

    /// Starts the bot again.
    pub(super) fn restart(&mut self) -> Result<(), Trouble> {
        self.end();
        self.start()
    }

    /// Starts the bot and completes the handshake.
    pub(super) fn start(&mut self) -> Result<(), Trouble> {
        self.last = None;
        self.games = 0;
        self.announced.clear();
        if let Err(error) = self.dialogue.start(&self.spec.launch) {
            let program = self.spec.launch.program.clone();
            let error = match StartError::execution(&self.spec.name, program, error) {
                StartError::Stopped(stop) => return Err(stop.into()),
                error => error,
            };
            return self.failure(
                &error.clause(),
                "a program that the system can start",
                "start it yourself, and read the error",
            );
        }
        let dialect = self.spec.protocol.dialect();
        self.dialogue.send(&format!("{}\n", dialect.name()));
        let asked = running_clock::now();
        let is_greeting = |line: &str| Reply::parse(line) == Ok(Reply::Greeted(dialect));
        let mut lines = Vec::new();
        let mut is_last = |line: &str| {
            lines.push(Untrusted::from(line));
            is_greeting(line)
        };
        let early = self.spec.start_time.min(START_PATIENCE);
        let mut came = self.dialogue.await_line(early, &mut is_last)?;
        if came == Err(NoLine::Deadline) {
            self.check_protocol()?;
            if self.unflushed_greeting(is_greeting)? {
                return Err(self.unflushed(dialect.greeted(), true));
            }
            let rest = self.spec.start_time.saturating_sub(running_clock::elapsed(asked));
            came = self.dialogue.await_line(rest, &mut is_last)?;
        }
        if let Err(missing) = came {
            let (request, word) = (dialect.name(), dialect.greeted());
            let cause = self.dialogue.cause(request, word);
            let finding = self.no_word(&missing, cause.as_ref(), request, word);
            if missing == NoLine::Deadline {
                self.ask_for_protocol()?;
            }
            return Err(finding.into());
        }
        self.options = AnnouncedOptions::of(lines.iter().map(Untrusted::raw));
        self.announced = lines;
        self.set_options()
    }

    /// Fails if the bot has answered the greeting in another protocol.
    fn check_protocol(&self) -> Result<(), Trouble> {
        let lines = self.dialogue.since_request();
        let other = lines.iter().find_map(|line| self.other_protocol(line.raw()));
        let Some((line, protocol)) = other else {
            return Ok(());
        };
        let (title, name) = (protocol.title(), protocol.name());
        self.failure(
            &format!("answered `{line}`, as programs do that speak {title}"),
            &format!("`{}`", self.spec.protocol.dialect().greeted()),
            &format!("check it with `--proto {name}`, and set `proto={name}` in a match"),
        )
    }

    /// A line that answers a greeting of another protocol, with that protocol.
    fn other_protocol(&self, line: &str) -> Option<(String, Protocol)> {
        let own = self.spec.protocol;
        let protocol = Protocol::of_answer(line).filter(|other| !own.is_bridged() && *other != own)?;
        Some((printable(line.trim(), 60), protocol))
    }

    /// Asks a bot that did not answer whether it speaks another protocol.
    fn ask_for_protocol(&mut self) -> Result<(), Trouble> {
        /// Nobody thinks about a greeting.
        const AT_ONCE: Duration = Duration::from_secs(1);
        if self.spec.protocol.is_bridged() {
            return Ok(());
        }
        self.dialogue.send(&Protocol::greetings());
        let own = self.spec.protocol;
        let is_other = |line: &str| Protocol::of_answer(line).is_some_and(|other| other != own);
        let _ = self.dialogue.await_line(AT_ONCE, is_other)?;
        self.check_protocol()
    }

    /// Whether a second process writes the greeting once its input is closed.
    fn unflushed_greeting(&self, is_greeting: impl Fn(&str) -> bool) -> Result<bool, Trouble> {
        let mut second = BotDialogue::new(self.spec.protocol.is_bridged(), Arc::clone(&self.interrupt));
        if second.start(&self.spec.launch).is_err() {
            return Ok(false);
        }
        second.send(&format!("{}\n", self.spec.protocol.dialect().name()));
        // The line is in the pipe, or the bot has not read it in this time either.
        second.settle(FLUSH_WAIT)?;
        second.close_input();
        Ok(second.await_line(START_PATIENCE / 2, is_greeting)?.is_ok())
    }

    /// Sets the variant, if the bot knows the option, and the user's options.
    fn set_options(&mut self) -> Result<(), Trouble> {
        let name = (option_names::VARIANT.to_string(), self.ruleset.name().to_string());
        let name = self.options.find(option_names::VARIANT).map(|_| &name);
        let mut commands = String::new();
        for (name, value) in name.into_iter().chain(&self.spec.options) {
            match self.options.command(name, value, Some(self.ruleset)) {
                Ok(command) => commands = commands + &command.to_string() + "\n",
                Err(why) => {
                    return self.failure(
                        &why,
                        "settings `option.NAME=VALUE` that fit the lines `option name NAME type …` of the bot",
                        "correct the setting or leave it out, or announce the option",
                    );
                }
            }
        }
        if !commands.is_empty() {
            self.dialogue.send(&commands);
        }
        Ok(())
    }

    /// Begins a new game, unless the position continues the last one, with the same side to move if the bot wants to
    /// know its side. As in a match.
    pub(super) fn prepare(&mut self, placed: &Game) -> Result<(), Trouble> {
        self.need_reachable(placed)?;
        let last = self.last.replace(placed.clone());
        let side = Some(placed.position().side_to_move());
        let is_known = self.side == side || self.options.side(side).is_none();
        if is_known && last.is_some_and(|last| continues(placed, &last)) {
            return Ok(());
        }
        self.new_game(side)
    }

    /// Skips a check of an adapted program that asks about a position in the middle of a game.
    fn need_reachable(&self, placed: &Game) -> Result<(), Trouble> {
        if !self.options.takes_positions() && !placed.line().is_from_startpos() {
            return Err(Trouble::Skipped(
                "the bot announces that it cannot be told positions".into(),
            ));
        }
        let side = placed.position().side_to_move();
        if self.options.only_side().is_some_and(|only| only != side) {
            let why = "the bot announces that it can play only the other side";
            return Err(Trouble::Skipped(why.into()));
        }
        if !self.terms.is_adapted() || self.starts.have(placed) {
            return Ok(());
        }
        let why = "a console program plays only its own games; `whole-game` plays some";
        Err(Trouble::Skipped(why.into()))
    }

    /// Begins a new game, in which the bot plays this side, or both.
    pub(super) fn new_game(&mut self, side: Option<Side>) -> Result<(), Trouble> {
        let commands = self.new_game_commands(side);
        self.ready(&commands)
    }

    /// The lines that begin such a game.
    pub(super) fn new_game_commands(&mut self, side: Option<Side>) -> String {
        (self.games, self.side) = (self.games + 1, side);
        let command = self.options.side(side);
        let command = command.map_or(String::new(), |command| format!("{command}\n"));
        format!("{command}{}\n", self.spec.protocol.dialect().new_game())
    }

    /// Sends `isready` after these lines, and waits for `readyok`. If the check `isready` has
    /// failed, it only waits for a moment.
    pub(super) fn ready(&mut self, before: &str) -> Result<(), Trouble> {
        /// Enough time to read a line.
        const MOMENT: Duration = Duration::from_millis(20);
        self.dialogue.send(&format!("{before}isready\n"));
        if self.is_never_ready {
            return Ok(self.dialogue.settle(MOMENT)?);
        }
        let is_ready = |line: &str| Reply::parse(line) == Ok(Reply::ReadyOk);
        let Err(missing) = self.dialogue.await_line(self.spec.start_time, is_ready)? else {
            return Ok(());
        };
        let cause = self.dialogue.cause("isready", "readyok");
        let cause = cause.filter(|hint| !self.has_answered || !matches!(hint, Hint::NothingSince(..)));
        if missing == NoLine::Deadline {
            self.is_never_ready = self.current == "isready";
            self.check_flush("readyok", &format!("{before}isready\n"), is_ready)?;
        }
        let mut finding = self.no_word(&missing, cause.as_ref(), "isready", "readyok");
        if let Some(first) = before.lines().next() {
            // The engine behind a bridge gets other lines.
            let when = if self.spec.protocol.is_bridged() {
                "in the next game".to_string()
            } else {
                format!("after `{first}`")
            };
            finding.expected = format!("{}, also {when}", finding.expected);
        }
        Err(finding.into())
    }

    /// Fails if the answer to `request`, which has not come, is stuck in a buffer of the bot: it comes with more input,
    /// or at the end of input, and in another process as well. The bot is of no use afterwards.
    fn check_flush(
        &mut self,
        word: &str,
        request: &str,
        is_wanted: impl Fn(&str) -> bool,
    ) -> Result<(), Trouble> {
        /// Another time than in the first process, in which a slow answer may have come just then.
        const SOONER: Duration = Duration::from_millis(1500);
        let Some(is_at_end) = self.is_stuck(&is_wanted)? else {
            return Ok(());
        };
        match self.restart() {
            Err(Trouble::Stopped(stop)) => return Err(stop.into()),
            Err(_) => return Ok(()),
            Ok(()) => {}
        }
        self.dialogue.send(request);
        let is_slow = self.dialogue.await_line(SOONER, &is_wanted)?.is_ok();
        if !is_slow && self.is_stuck(&is_wanted)? == Some(is_at_end) {
            return Err(self.unflushed(word, is_at_end));
        }
        Ok(())
    }

    /// Whether a line comes at once with more input, or only at the end of input.
    fn is_stuck(&mut self, is_wanted: impl Fn(&str) -> bool) -> Result<Option<bool>, Stop> {
        self.dialogue.probe();
        if self.dialogue.await_line(FLUSH_WAIT, &is_wanted)?.is_ok() {
            return Ok(Some(false));
        }
        self.dialogue.close_input();
        let came = self.dialogue.await_line(FLUSH_WAIT, &is_wanted)?;
        // In a bot that has answered before, the end of input ended the search.
        Ok((came.is_ok() && !self.has_answered).then_some(true))
    }

    /// Sends a position and `go`, and waits for a legal move, whose time is not judged: a quick bot takes these
    /// milliseconds. Returns it in lower case.
    pub(super) fn ask(&mut self, placed: &Game, milliseconds: i64) -> Result<Untrusted, Trouble> {
        let limits = self.terms.question(placed, milliseconds);
        self.ask_within(placed, &limits, self.terms.patience(), self.terms.margin())
    }

    /// The same for a check that is not about the rules: accepts an illegal move, too.
    pub(super) fn ask_any(&mut self, placed: &Game, milliseconds: i64) -> Result<(), Trouble> {
        accept_any(self.ask(placed, milliseconds))
    }

    /// The same with these limits, and a time in which the answer must come, perhaps later by a margin.
    pub(super) fn ask_within(
        &mut self,
        placed: &Game,
        limits: &Limits,
        allowed: Duration,
        margin: Duration,
    ) -> Result<Untrusted, Trouble> {
        self.prepare(placed)?;
        let request = self.request(placed, limits);
        self.exchange(&[&request], placed, limits, (allowed, margin))
    }

    /// Sends these parts of a request, with a pause between them, and waits for a legal move, whose time is not judged.
    pub(super) fn ask_with(
        &mut self,
        parts: &[&str],
        placed: &Game,
        limits: &Limits,
    ) -> Result<Untrusted, Trouble> {
        let wait = (self.terms.patience(), self.terms.margin());
        self.exchange(parts, placed, limits, wait)
    }

    /// The lines `position` and `go`.
    pub(super) fn request(&self, placed: &Game, limits: &Limits) -> String {
        let go = Command::Go(limits.clone());
        let go = go.in_dialect(self.spec.protocol.dialect());
        format!("{}\n{go}\n", placed.line())
    }

    /// Sends these parts of a request, with a pause between them, and waits for a legal move within this time, and
    /// this margin.
    fn exchange(
        &mut self,
        parts: &[&str],
        placed: &Game,
        limits: &Limits,
        (allowed, margin): (Duration, Duration),
    ) -> Result<Untrusted, Trouble> {
        /// Long enough for a bot to read the part by itself.
        const PAUSE: Duration = Duration::from_millis(50);
        self.need_reachable(placed)?;
        self.dialogue.settle(Duration::from_millis(1))?;
        let mut asked = running_clock::now();
        for (place, part) in parts.iter().enumerate() {
            if place > 0 {
                self.dialogue.settle(PAUSE)?;
            }
            self.dialogue.measure();
            asked = running_clock::now();
            self.dialogue.send(part);
        }
        let wait = Wait {
            asked,
            allowed,
            margin,
            cpu: None,
            is_clock: false,
        };
        let is_judged = self.current.starts_with("movetime");
        let mut took = |time| {
            if let Some(limit) = limits.movetime {
                self.times.add(limit, time, is_judged);
            }
        };
        let position = placed.position();
        let fault = match self.dialogue.await_answer(&wait, position) {
            Ok(answer) => {
                took(answer.thought.time);
                self.has_answered = true;
                return Ok(answer.mv.text.into());
            }
            Err(NoAnswer::Stopped(stop)) => return Err(stop.into()),
            Err(NoAnswer::Closed(_)) => return Err(self.crashed("a legal move").into()),
            Err(NoAnswer::Resigned) => {
                let why = format!("resigned in the position {}", position.fen());
                // A bot that only resigns has passed nothing.
                return if self.has_answered {
                    Err(Trouble::Skipped(format!("{} {why}", self.spec.name)))
                } else {
                    let hint = "a bot may resign, but it must have answered with a move before";
                    self.failure(&why, "a legal move", hint)
                };
            }
            Err(NoAnswer::Fault(fault)) => fault,
        };
        if let Some(time) = fault.time() {
            took(time);
        }
        // A bot that has answered does flush: it is slow.
        if matches!(fault, Fault::Stall { .. }) && !self.has_answered {
            let is_move = |line: &str| line.trim_start().starts_with("bestmove");
            self.check_flush("bestmove", &parts.concat(), is_move)?;
        }
        Err(of_fault(self, &fault, position).into())
    }

    /// Notes a game that a process of its own has played, as its last one.
    pub(super) fn has_played(&mut self, game: &Game, games: u32) {
        (self.last, self.games) = (Some(game.clone()), games);
    }

    /// Lets a new process answer a position with a move that could not be played, which shows
    /// whether an earlier game is the cause.
    fn ask_a_new_process(&mut self, finding: &mut Finding) -> Result<(), Stop> {
        let is_move = matches!(finding.fault, Some(FaultKind::Illegal | FaultKind::Garbage));
        let Some(placed) = self.last.take().filter(|_| is_move && finding.fen.is_some()) else {
            return Ok(());
        };
        // In its first game, the process is as new as another one.
        if self.games < 2 {
            return Ok(());
        }
        let answer = self.restart().and_then(|()| self.ask(&placed, 100));
        match answer {
            Ok(_) => {
                finding.problem += "; a new process plays a legal move in this position";
                let what = match self.spec.protocol {
                    bridged if bridged.is_bridged() => "game: reset the board when a game begins".to_string(),
                    protocol => format!(
                        "position: set up the board from each `position` line alone, and reset it at `{}`",
                        protocol.dialect().new_game()
                    ),
                };
                finding.hint =
                    format!("unless the bot plays at random, it keeps something of an earlier {what}");
                Ok(())
            }
            Err(Trouble::Stopped(stop)) => Err(stop),
            Err(_) => Ok(()),
        }
    }

    /// The finding about a bot that did this: a clause without its subject.
    pub(super) fn finding(&self, problem: &str, expected: &str, hint: &str) -> Finding {
        Finding::of(&self.spec.name, problem, expected, hint)
    }

    /// The same as the end of a check.
    pub(super) fn failure<T>(&self, problem: &str, expected: &str, hint: &str) -> Result<T, Trouble> {
        Err(self.finding(problem, expected, hint).into())
    }

    /// Waits this long for a line, without which the bot fails.
    pub(super) fn expect(
        &mut self,
        time: Duration,
        is_wanted: impl Fn(&str) -> bool,
        expected: &str,
        hint: &str,
    ) -> Result<Untrusted, Trouble> {
        let came = self.dialogue.await_line(time, is_wanted)?;
        came.map_err(|why| self.missing(&why, "sent no answer", expected, hint).into())
    }

    /// The finding about an expected line that did not come; `silence` says so of a bot that runs.
    pub(super) fn missing(&mut self, why: &NoLine, silence: &str, expected: &str, hint: &str) -> Finding {
        match why {
            NoLine::Closed => self.crashed(expected),
            NoLine::Flood(fault) => {
                let hint = "print only the answer, and fewer `info` lines";
                self.finding(&fault.clause(), expected, hint)
            }
            NoLine::Deadline => self.finding(silence, expected, hint),
        }
    }

    /// An answer that is stuck in a buffer until more input comes, or until its end.
    fn unflushed(&self, word: &str, is_at_end: bool) -> Trouble {
        let (when, hint) = if is_at_end {
            ("at the end of its input: it does not flush its output", "")
        } else {
            (
                "after more input: it does not flush its output, or waits for another line",
                "; in C, a `scanf` format with white space at its end waits for the next line",
            )
        };
        let [problem, expected] = match self.dialogue.asked_by_bridge() {
            None => [
                format!("wrote `{word}` only {when}"),
                format!("`{word}` without more input"),
            ],
            Some(asked) => [
                format!("answered {asked} only {when}"),
                format!("an answer to {asked} without more input"),
            ],
        };
        self.finding(&problem, &expected, &format!("{HOW_TO_FLUSH}{hint}"))
            .into()
    }

    /// The finding about a bot that has exited instead of giving this answer.
    pub(super) fn crashed(&mut self, expected: &str) -> Finding {
        let reported = self.dialogue.output().reported();
        let exit = self.dialogue.reap();
        let is_success = exit.as_ref().is_some_and(ExitInfo::is_success);
        let exit = exit.map(|exit| (exit.how.to_string(), exit.stderr));
        let (how, stderr) = exit.unwrap_or_else(|| ("is not running".into(), Vec::new()));
        let refused = Surroundings::refusing(&self.spec.launch, &stderr).map(Hint::Surroundings);
        let shadowed = packages::shadowed(&stderr, self.spec.launch.dir.as_deref());
        let shadowed = shadowed.or_else(|| packages::clash(&stderr));
        let plain = refused
            .as_ref()
            .and_then(Hint::plain)
            .or_else(|| shadowed.clone());
        let hint = match refused.map(|hint| hint.to_string()).or(shadowed) {
            Some(hint) => hint,
            None if reported.is_some() => "correct what the bot has reported".into(),
            None if is_success => "read lines in a loop until `quit` comes or the input ends".into(),
            None => "enter the lines above by hand, and read the error".into(),
        };
        let how = [Some(how), reported.map(|hint| hint.to_string())];
        let how = how.into_iter().flatten().collect::<Vec<_>>().join("; ");
        let finding = self.finding(&how, expected, &hint);
        Finding {
            plain: plain.map(|plain| format!("{}; {plain}", finding.sentence())),
            fault: Some(FaultKind::Crash),
            stderr,
            ..finding
        }
    }

    /// The finding about a word that did not come.
    fn no_word(&mut self, why: &NoLine, cause: Option<&Hint>, request: &str, word: &str) -> Finding {
        let seconds = self.spec.start_time.as_secs_f64();
        let is_of_machine = cause.is_some_and(Hint::is_of_machine);
        let plain = matches!(why, NoLine::Deadline).then(|| {
            let fault = Fault::Stall {
                what: Some(format!("`{word}`")),
                allowed: self.spec.start_time,
                is_own_doing: false,
                hint: cause.cloned().map(Box::new),
            };
            fault.plain_sentence(&self.spec.name)
        });
        let cause = cause.map(|cause| format!("; {cause}")).unwrap_or_default();
        let [silence, expected, hint] = match self.dialogue.asked_by_bridge() {
            None => [
                format!("did not write `{word}`{cause}"),
                format!("`{word}` within {seconds} s of `{request}`"),
                format!("print `{word}` when the line `{request}` comes, and {HOW_TO_FLUSH}"),
            ],
            Some(asked) => [
                format!("did not answer {asked}{cause}"),
                format!("an answer to {asked} within {seconds} s"),
                format!("answer {asked} as the protocol has it, and {HOW_TO_FLUSH}"),
            ],
        };
        let missing = self.missing(why, &silence, &expected, &hint);
        Finding {
            plain: plain.or(missing.plain),
            is_of_machine,
            ..missing
        }
    }

    /// Skips a check that needs UGI.
    pub(super) fn need_queries(&self) -> Result<(), Trouble> {
        if self.spec.protocol.dialect() == Dialect::Ugi {
            return Ok(());
        }
        let why = "`query` is part of UGI; `--proto ugi` checks it";
        Err(Trouble::Skipped(why.into()))
    }
}

/// Skips a check that needs a supervisor on systems without one.
pub(super) fn need_supervisor() -> Result<(), Trouble> {
    if process::ResourceLimits::ARE_SUPPORTED {
        return Ok(());
    }
    Err(Trouble::Skipped("only Linux reports this".into()))
}

/// Accepts an answer, whatever its move.
pub(super) fn accept_any(answer: Result<Untrusted, Trouble>) -> Result<(), Trouble> {
    match answer {
        Err(Trouble::Failed(finding)) if finding.fen.is_some() => Ok(()),
        answer => answer.map(|_| ()),
    }
}

pub(super) fn of_fault(bot: &BotSession, fault: &Fault, position: &dyn Position) -> Finding {
    let is_bridged = bot.spec.protocol.is_bridged();
    let hint = match fault {
        _ if bot.terms.is_adapted() => "`referee adapt FILE --try` shows the dialogue with the program",
        Fault::Time { .. } => "read the clock inside the search, and stop some milliseconds early",
        Fault::Cpu { .. } => "search less, or with fewer threads and processes: all of them count",
        Fault::Illegal { .. } if is_bridged => {
            "compare the position above with that of the engine after the same lines `>`"
        }
        Fault::Stall { .. } => {
            let answer = if is_bridged {
                "answer the last line `>` above with a move"
            } else {
                "print `bestmove` and a move after each `go`"
            };
            &format!(
                "{answer}, and flush standard output; if the search runs too long, read the clock inside it"
            )
        }
        Fault::Illegal { .. } if bot.ruleset.variant().is_none() => {
            "compare the position above with that of the bot after the same `position` line"
        }
        Fault::Illegal { .. } => {
            "enter the same `position` line in `lodestone`, then `d`, and compare the board with that of the bot"
        }
        Fault::NoMove(_) => "print `bestmove`, a space and the move, such as the one above",
        Fault::Garbage(_) => "print only the answer, and fewer `info` lines",
        Fault::Crash { .. } => "enter the lines above by hand, and read the error",
    };
    let is_about_rules = matches!(fault, Fault::Illegal { .. } | Fault::NoMove(_));
    Finding {
        fen: is_about_rules.then(|| position.fen()),
        plain: Some(fault.plain_sentence(&bot.spec.name)),
        fault: Some(fault.kind()),
        stderr: fault.stderr().to_vec(),
        is_of_machine: fault.is_starved(),
        ..Finding::of(
            &bot.spec.name,
            fault.clause(),
            expected_of(fault, is_bridged, position),
            hint,
        )
    }
}

/// What was expected of a bot in place of this fault.
fn expected_of(fault: &Fault, is_bridged: bool, position: &dyn Position) -> String {
    let (answer, of_go) = if is_bridged {
        ("a move", "")
    } else {
        ("`bestmove`", " of `go`")
    };
    match fault {
        Fault::Time { allowed, .. } | Fault::Stall { allowed, .. } => {
            format!("{answer} within {} ms{of_go}", allowed.as_millis())
        }
        Fault::Cpu { allowed, .. } => {
            format!("{answer} within {} ms of processor time", allowed.as_millis())
        }
        Fault::Illegal { .. } | Fault::NoMove(_) | Fault::Garbage(_) | Fault::Crash { .. } => {
            let moves = position.legal_moves();
            let example = moves.first().map_or("", |mv| mv.text.as_str());
            let word = if is_bridged { "" } else { "bestmove " };
            match moves.len() {
                1 => format!("`{word}{example}`, the only legal move"),
                count => format!("one of {count} legal moves, such as `{word}{example}`"),
            }
        }
    }
}
