//! An engine process that speaks UCI or UGI.

use std::sync::Arc;
use std::time::Duration;

use lodestone_game::GameResult;
use lodestone_game::board::Side;
use lodestone_game::protocol::{Command, Dialect, Limits, Reply, option_names};

use super::answer::{NoAnswer, Wait, await_answer, await_stop, flood, overlong};
use super::diagnosis::{Output, State, is_error};
use super::options::{AnnouncedOptions, CHESS960, spelled};
use super::pass::with_passes;
use super::start_error::StartError;
use super::{Answer, GameNotes, Gauge, NoMove, Origin, Player, Transcript, TranscriptBuffer, Turn};
use crate::failure::{Failure, Stop};
use crate::game::Ruleset;
use crate::game::clock::{LONGEST, deduct};
use crate::game::{FarStarts, Game, PonderOutcome, Thought};
use crate::io::interrupt::Interrupt;
use crate::io::running_clock;
use crate::io::stderr::error_line;
use crate::io::text::printable;
use crate::io::untrusted::Untrusted;
use crate::player::Protocol;
use crate::player::Surroundings;
use crate::player::hint::{Hint, quoted};
use crate::player::verdict::Fault;
use crate::process::{self, Channel, Launch, Opponent, Process, Received, Work};
use crate::process::{MACHINE_FAILED, RULES_FAILED};

/// The time of quick answers after which what an engine does is measured again: at most the default margin of a move.
const MAX_UNMEASURED: Duration = Duration::from_millis(50);

/// Default time limit for the handshake (`uciok`) and for `readyok`.
pub const DEFAULT_START_TIME: Duration = Duration::from_secs(10);

/// How a bridge says, before `readyok`, what its engine cannot be told: a clause that follows its name.
pub const BRIDGE_NOTE: &str = "info string note: ";

/// Maximum number of warnings about the options of an engine.
const MAX_OPTION_WARNINGS: usize = 8;

/// Everything needed to start an engine.
#[derive(Clone, Debug)]
pub struct EngineSpec {
    /// Its name.
    pub name: String,
    /// The program.
    pub launch: Launch,
    /// The protocol.
    pub protocol: Protocol,
    /// Options to set, in this order.
    pub options: Vec<(String, String)>,
    /// How many of them, the first ones, are set only if the engine announces them.
    pub inherited: usize,
    /// Time limit for `uciok`, and for each `readyok`.
    pub start_time: Duration,
    /// Whether it thinks in the opponent's time, if it offers that.
    pub ponder: bool,
}

/// An engine, running or to be restarted.
#[derive(Debug)]
pub struct Engine {
    spec: EngineSpec,
    /// The game that it is told; `None` for a rules program.
    ruleset: Option<Ruleset>,
    interrupt: Arc<Interrupt>,
    /// `None` after a fault, until the next game.
    process: Option<Process>,
    /// The transcript since the last game.
    transcript: TranscriptBuffer,
    /// The stderr tail of the process that failed in this game.
    stderr_tail: Vec<String>,
    /// How often its start has failed since it last played a move.
    failed_starts: u32,
    /// The notes about the current game so far, without options.
    notes: GameNotes,
    /// The first unsolicited line in this game that is a `bestmove`.
    extra_answer: Option<Untrusted>,
    /// Whether the user was warned of the first one.
    has_warned: bool,
    /// Whether the user is warned at all.
    is_heard: bool,
    /// Whether this process thinks in the opponent's time.
    ponders: bool,
    /// What it had done at the last measurement before a request.
    last_work: Option<Work>,
    /// The time of its answers since then.
    unmeasured: Duration,
    /// Its processor time at its last answer, unless that was quick.
    at_rest: Option<Duration>,
    /// The result of its last game, if it was told: it may write what it likes about that.
    told: Option<GameResult>,
    /// The reply that it expects to its last move.
    expected: Option<String>,
    /// Its own word for a pass, if the rules have another one: it is told passes so.
    own_pass: Option<&'static str>,
    /// The moves of the position that it thinks about in the opponent's time.
    pondering: Option<Vec<String>>,
    /// What the process calls itself.
    id_name: Option<String>,
    /// The options that the process announces.
    announced: AnnouncedOptions,
    /// Options that the process does not have yet.
    new_options: Vec<(String, String)>,
    /// Sentences about its options that were shown to the user.
    option_warnings: Vec<String>,
}

/// A rules program that has completed its handshake.
#[derive(Debug)]
pub struct StartedRules {
    /// The running process.
    pub process: Process,
    /// What it calls itself.
    pub version: Option<String>,
    /// The options that it announces.
    pub announced: AnnouncedOptions,
}

/// The failure when the stderr of an engine could not be copied to its file.
pub fn lost_stderr(error: &dyn std::fmt::Display) -> Failure {
    Failure::Output(format!("cannot save the stderr of an engine: {error}"))
}

impl Engine {
    /// An engine that starts when its first game begins.
    pub fn new(spec: EngineSpec, ruleset: Ruleset, interrupt: Arc<Interrupt>) -> Engine {
        Engine {
            transcript: TranscriptBuffer::logged(&spec.name),
            spec,
            ruleset: Some(ruleset),
            interrupt,
            process: None,
            stderr_tail: Vec::new(),
            failed_starts: 0,
            notes: GameNotes::default(),
            extra_answer: None,
            has_warned: false,
            is_heard: true,
            ponders: false,
            last_work: None,
            unmeasured: LONGEST,
            at_rest: None,
            told: None,
            expected: None,
            own_pass: None,
            pondering: None,
            id_name: None,
            announced: AnnouncedOptions::default(),
            new_options: Vec::new(),
            option_warnings: Vec::new(),
        }
    }

    /// The same engine, whose notes are returned and not shown.
    #[must_use]
    pub const fn unheard(mut self) -> Engine {
        self.is_heard = false;
        self
    }

    /// Starts an engine and completes the handshake.
    ///
    /// # Errors
    /// It cannot be started, does not answer the handshake, or does not take an option.
    pub fn start(
        spec: &EngineSpec,
        ruleset: Ruleset,
        interrupt: &Arc<Interrupt>,
    ) -> Result<Engine, StartError> {
        let mut engine = Engine::new(spec.clone(), ruleset, Arc::clone(interrupt));
        engine.launch().map(|()| engine)
    }

    /// Starts an engine for a match with these openings.
    ///
    /// # Errors
    /// Those of [`Engine::start`], or it cannot play them.
    pub fn start_for(
        spec: &EngineSpec,
        ruleset: Ruleset,
        openings: &FarStarts,
        interrupt: &Arc<Interrupt>,
    ) -> Result<Engine, StartError> {
        let engine = Engine::start(spec, ruleset, interrupt)?;
        match engine.announced.refusal(openings, ruleset) {
            None => Ok(engine),
            Some(why) => {
                let _ = Engine::dismiss([engine]);
                Err(StartError::Refused(why))
            }
        }
    }

    /// The only side that it can play.
    pub fn only_side(&self) -> Option<Side> {
        self.announced.only_side()
    }

    /// Starts an engine, and returns the options that it announces.
    pub fn announced_options(
        spec: EngineSpec,
        ruleset: Ruleset,
        interrupt: Arc<Interrupt>,
    ) -> Result<AnnouncedOptions, StartError> {
        let mut engine = Engine::new(spec, ruleset, interrupt);
        engine.launch()?;
        let announced = std::mem::take(&mut engine.announced);
        // What it wrote to stderr matters only if it fails.
        let _ = Engine::dismiss([engine]);
        Ok(announced)
    }

    /// Starts a rules program. It receives its options, but no game.
    pub fn start_rules(spec: EngineSpec, interrupt: Arc<Interrupt>) -> Result<StartedRules, StartError> {
        let mut engine = Engine::new(spec, Ruleset::default(), interrupt);
        engine.ruleset = None;
        engine.launch()?;
        // A launched engine has a process.
        let process = engine.process.take();
        let process = process.ok_or_else(|| StartError::NoHandshake(engine.crash()))?;
        Ok(StartedRules {
            process,
            version: engine.id_name,
            announced: engine.announced,
        })
    }

    /// Why its stderr could not be copied to a file.
    pub fn take_log_error(&mut self) -> Option<String> {
        self.notes.log_error.take().or_else(|| {
            let error = self.process.as_mut()?.channel().take_log_error()?;
            Some(error.to_string())
        })
    }

    /// Shuts engines down together: they have a second to end.
    ///
    /// # Errors
    /// The stderr of an engine could not be copied to its file.
    pub fn dismiss(engines: impl IntoIterator<Item = Engine>) -> Result<(), Failure> {
        let processes = engines.into_iter().filter_map(|engine| engine.process);
        process::shut_down(processes.collect()).map_or(Ok(()), |error| Err(lost_stderr(&error)))
    }

    /// Starts a process and makes it ready; pauses first after failed starts.
    fn launch(&mut self) -> Result<(), StartError> {
        let pause = pause_before_start(self.failed_starts);
        if !pause.is_zero() && self.interrupt.wait(pause) {
            return Err(StartError::Stopped(self.interrupt.signal().into()));
        }
        let process = Process::start(&self.spec.launch, Arc::clone(&self.interrupt));
        let failed = |error| match self.interrupt.caught() {
            Some(signal) => StartError::Stopped(signal.into()),
            None => StartError::execution(&self.spec.name, self.spec.launch.program.clone(), error),
        };
        self.process = Some(process.map_err(failed)?);
        (self.unmeasured, self.at_rest) = (LONGEST, None);
        self.announced = self.handshake()?;
        let mut commands = match self.option_commands() {
            Err(StartError::Option(why)) => return Err(StartError::Option(self.with_late_option(why))),
            commands => commands?,
        };
        self.new_options.clear();
        commands.push(Command::IsReady);
        self.configure_with(&commands)
    }

    /// Handshake: `uci` or `ugi`, and the options up to `uciok` or `ugiok`.
    fn handshake(&mut self) -> Result<AnnouncedOptions, StartError> {
        let (own, dialect) = (self.spec.protocol, self.spec.protocol.dialect());
        let (mut options, mut spoken, mut id_name) = (AnnouncedOptions::default(), None, None);
        let greeted = self.exchange(
            &[Command::Greet(dialect)],
            dialect.greeted(),
            |line| match Reply::parse(line) {
                Ok(Reply::Greeted(greeted)) if greeted == dialect => true,
                Ok(Reply::IdName(name)) => {
                    id_name = Some(name);
                    false
                }
                reply => {
                    options.add(line, reply);
                    spoken = spoken.take().or_else(|| other_protocol(line, own));
                    false
                }
            },
        );
        self.id_name = id_name;
        greeted.map(|()| options).map_err(|mut error| {
            if let StartError::NoHandshake(Fault::Stall { hint, .. }) = &mut error
                && !own.is_bridged()
            {
                let asked = || self.process.as_mut().and_then(|process| recognised(process, own));
                *hint = match (spoken.or_else(asked), hint.take()) {
                    (Some(other), _) => Some(Box::new(other)),
                    (None, Some(cause))
                        if matches!(*cause, Hint::Unflushed(_)) && dialect == Dialect::Ugi =>
                    {
                        Some(Box::new(Hint::Mute))
                    }
                    (None, cause) => cause,
                };
            }
            error
        })
    }

    /// Why it does not take an option, and the first line about options that it writes after the handshake.
    fn with_late_option(&mut self, why: String) -> String {
        let mut late = None;
        let is_last = |line: &str| {
            if late.is_none() && matches!(Reply::parse(line), Ok(Reply::Option(_))) {
                late = Some(quoted(&line.trim().into()));
            }
            Reply::parse(line) == Ok(Reply::ReadyOk)
        };
        // What it says of its options is all that is wanted.
        let _ = self.exchange(&[Command::IsReady], "readyok", is_last);
        let Some(late) = late else { return why };
        let greeted = self.spec.protocol.dialect().greeted();
        format!("{why}; after `{greeted}`, which ends the list of its options, it wrote {late}")
    }

    /// The options for all players, each with a sentence about this one if it does not know the option.
    pub fn inherited_options(&self) -> impl Iterator<Item = (String, Option<String>)> + '_ {
        self.spec
            .options
            .iter()
            .take(self.spec.inherited)
            .map(|(name, _)| {
                let missing = self.announced.require(name, |_| true).err();
                (
                    name.clone(),
                    missing.map(|why| format!("{} {why}", self.spec.name)),
                )
            })
    }

    /// The commands that set the variant and the user's options.
    fn option_commands(&mut self) -> Result<Vec<Command>, StartError> {
        let announces = |name| self.announced.find(name).is_some();
        let game = self.ruleset.map_or_else(Vec::new, |game| self.options_of(game));
        let known = self
            .spec
            .options
            .iter()
            .enumerate()
            .filter(|(number, (name, _))| *number >= self.spec.inherited || announces(name));
        let mut own = self.spec.options.iter();
        let own_ponder = own.rfind(|(name, _)| name.eq_ignore_ascii_case(option_names::PONDER));
        let may_ponder = self.spec.ponder
            && self.spec.protocol.dialect() == Dialect::Uci
            && announces(option_names::PONDER);
        self.ponders = may_ponder && own_ponder.is_none_or(|(_, value)| value.eq_ignore_ascii_case("true"));
        let ponder = (option_names::PONDER.to_string(), "true".to_string());
        let ponder = (self.ponders && own_ponder.is_none()).then_some(&ponder);
        let options = game.iter().chain(ponder).chain(known.map(|(_, option)| option));
        let commands = self.commands(options)?;
        if let (Some(game), true) = (self.ruleset, game.is_empty()) {
            let name = &self.spec.name;
            if let Some(why) = self.announced.unreadable(option_names::VARIANT) {
                self.warn_of_options(format!("{name} {why}; so it does not receive the game, {game}"));
            } else if game.variant().is_some() && announces(CHESS960) {
                self.warn_of_options(format!(
                    "{name} announces `{CHESS960}`, so it plays chess and not {game}; give the rules of chess with \
                     `--rules`"
                ));
            }
        }
        Ok(commands)
    }

    /// The options that tell the engine its game: its name, and the options of a rules program. Of a
    /// game that is not built in, they are those that the engine announces and that are not set
    /// otherwise.
    fn options_of(&self, game: Ruleset) -> Vec<(String, String)> {
        let name = (option_names::VARIANT.to_string(), game.name().to_string());
        let Some(program) = game.program() else {
            let is_announced = self.announced.find(option_names::VARIANT).is_some();
            return is_announced.then_some(name).into_iter().collect();
        };
        let is_own = |name: &str| {
            self.spec
                .options
                .iter()
                .any(|(own, _)| own.eq_ignore_ascii_case(name))
        };
        let takes = |(name, value): &(String, String)| {
            let option = self.announced.find(name).filter(|_| !is_own(name));
            option.is_some_and(|option| spelled(&option.kind, value).is_some())
        };
        let options = program.options().iter().chain(program.defaults()).cloned();
        [name].into_iter().chain(options).filter(takes).collect()
    }

    /// The commands that set these options.
    fn commands<'a>(
        &self,
        options: impl IntoIterator<Item = &'a (String, String)>,
    ) -> Result<Vec<Command>, StartError> {
        let command = |(name, value): &(String, String)| self.announced.command(name, value, self.ruleset);
        let commands = options.into_iter().map(command);
        commands.collect::<Result<_, _>>().map_err(StartError::Option)
    }

    /// The commands before each game.
    fn new_game(&mut self, side: Option<Side>) -> Result<(), StartError> {
        let new_options = std::mem::take(&mut self.new_options);
        let mut commands = self.commands(&new_options)?;
        commands.extend(self.announced.side(side));
        commands.extend([Command::NewGame, Command::IsReady]);
        self.configure_with(&commands)
    }

    /// Sends commands that end with `isready`, and waits for `readyok`. Warns of an error that
    /// the engine reports after `setoption`.
    fn configure_with(&mut self, commands: &[Command]) -> Result<(), StartError> {
        let sets_options = matches!(commands.first(), Some(Command::SetOption { .. }));
        let is_bridge = self.spec.launch.is_bridge();
        let (mut errors, mut notes) = (Vec::new(), Vec::new());
        let ready = self.exchange(commands, "readyok", |line| {
            if sets_options && errors.len() < MAX_OPTION_WARNINGS && is_error(line) {
                errors.push(printable(line.trim(), 300));
            }
            if let Some(note) = line.strip_prefix(BRIDGE_NOTE).filter(|_| is_bridge) {
                notes.push(printable(note, 300));
            }
            Reply::parse(line) == Ok(Reply::ReadyOk)
        });
        for note in notes {
            self.warn_of_options(format!("{} {note}", self.spec.name));
        }
        for error in errors {
            self.warn_of_options(format!("{} answered `setoption` with `{error}`", self.spec.name));
        }
        ready
    }

    /// Shows a sentence about the engine's options, once.
    fn warn_of_options(&mut self, sentence: String) {
        let shown = &mut self.option_warnings;
        if shown.len() < MAX_OPTION_WARNINGS && !shown.contains(&sentence) {
            if self.is_heard {
                log::warn!("{sentence}");
            }
            shown.push(sentence);
        }
    }

    /// Sends commands and reads replies until `is_last` accepts one, which should be `word`.
    fn exchange(
        &mut self,
        commands: &[Command],
        word: &'static str,
        mut is_last: impl FnMut(&str) -> bool,
    ) -> Result<(), StartError> {
        let Some(process) = &mut self.process else {
            return Err(StartError::NoHandshake(self.crash()));
        };
        let dialect = self.spec.protocol.dialect();
        let text = commands.iter().fold(String::new(), |text, command| {
            text + &command.in_dialect(dialect).to_string() + "\n"
        });
        let asked = running_clock::now();
        let stderr_before = process.channel().stderr_total();
        let mut output = Output::default();
        process.channel().send(&text);
        self.transcript.push_lines(Origin::Referee, asked, &text);
        let last = asked + self.spec.start_time;
        let mut deadline = last;
        let mut gauge = Gauge::new(asked, self.spec.start_time, None);
        loop {
            let until = gauge.next_look(deadline);
            let fault = match process.channel().receive(until, None) {
                Received::Line { text, at, .. } => {
                    self.transcript.push(Origin::Engine, at, text.raw());
                    if is_last(text.raw()) {
                        return Ok(());
                    }
                    output.push(text);
                    continue;
                }
                Received::Stopped(signal) => return Err(StartError::Stopped(signal.into())),
                Received::Closed => {
                    return Err(StartError::NoHandshake(self.crash_after(output.last_words())));
                }
                Received::Deadline if until < deadline => {
                    gauge.look(running_clock::now(), process, true);
                    continue;
                }
                Received::Deadline => {
                    let now = running_clock::now();
                    let extended = gauge.extended(last, now, process);
                    let named = |stop| StartError::Stopped(of_busy_machine(stop, &self.spec.name));
                    if let Some(later) = extended.map_err(named)? {
                        deadline = later;
                        continue;
                    }
                    let effort = gauge.effort(now, process);
                    let state = State::of(process.channel(), stderr_before, effort);
                    // The author of a program behind a bridge does not know the referee's words.
                    let to = output
                        .asked()
                        .map(|request| format!("answer to {}", quoted(request)));
                    Fault::Stall {
                        what: Some(to.unwrap_or_else(|| format!("`{word}`"))),
                        allowed: self.spec.start_time,
                        is_own_doing: effort.is_some_and(|effort| effort.is_own_doing),
                        hint: output
                            .hint_of_missing_word(process, asked, request_of(commands), word, state)
                            .map(Box::new),
                    }
                }
                Received::Overlong(beginning) => overlong(&beginning),
                Received::Flood => flood(output.last()),
            };
            return Err(StartError::NoHandshake(fault));
        }
    }

    /// Discards and counts unsolicited lines. The log shows the first.
    fn discard_unsolicited(&mut self) {
        let unsolicited = self
            .process
            .as_mut()
            .and_then(|process| process.channel().discard_pending());
        if let Some((count, first)) = unsolicited {
            self.count_unsolicited(count, &first);
        }
    }

    fn count_unsolicited(&mut self, count: u64, first: &Untrusted) {
        if !std::mem::replace(&mut self.has_warned, true) && self.is_heard {
            log::warn!(
                "unexpected output from {}: `{}` (ignored). Send exactly one `bestmove` per `go`",
                self.spec.name,
                first.cut(60)
            );
        }
        let remark = format!("unexpected lines: {count}, the first `{}`", first.cut(60));
        self.transcript
            .push(Origin::Remark, running_clock::now(), &remark);
        self.notes.unsolicited += count;
        if first.raw().starts_with("bestmove") {
            self.extra_answer.get_or_insert_with(|| first.clone());
        }
    }

    /// The fault of a missing answer, or the reason to stop.
    fn miss(&mut self, why: NoAnswer, wait: &Wait, game: &Game) -> NoMove {
        let fault = match why {
            NoAnswer::Stopped(stop) => {
                let stop = of_busy_machine(stop, &self.spec.name);
                if matches!(stop, Stop::Busy(_)) {
                    // Its search may go on.
                    self.reset();
                }
                return stop.into();
            }
            NoAnswer::Resigned => return NoMove::Resigned,
            NoAnswer::Closed(cause) => self.crash_after(cause.map(|cause| *cause)),
            NoAnswer::Fault(mut fault) => {
                let extra_answer = self.extra_answer.as_ref();
                match &mut fault {
                    Fault::Time { hint, .. } => {
                        let extra = extra_answer.map(|line| Box::new(Hint::ExtraAnswer(line.clone())));
                        *hint = extra.or(hint.take());
                    }
                    Fault::Illegal { text, hint, .. } => {
                        // The bot's own words say more, unless they may be about another `go`.
                        let is_own = |hint: &mut Box<Hint>| {
                            matches!(**hint, Hint::Reported(..)) && extra_answer.is_none()
                        };
                        let reported = hint.take_if(is_own);
                        let cause = || Hint::for_illegal(game, text.raw(), self.spec.protocol, extra_answer);
                        *hint = reported.or_else(|| cause().map(Box::new)).or(hint.take());
                    }
                    _ => {}
                }
                fault
            }
        };
        NoMove::Fault {
            fault,
            at: running_clock::now().min(wait.deadline()),
        }
    }

    /// `position` and `go` for this turn.
    fn request(&self, game: &Game, limits: Limits) -> String {
        let go = Command::Go(limits);
        let mut line = game.line().to_string();
        if let Some(pass) = self.own_pass {
            line = with_passes(&line, pass);
        }
        format!("{line}\n{}\n", go.in_dialect(self.spec.protocol.dialect()))
    }

    /// What to send at its turn to an engine that thinks about the position after `moves`:
    /// `ponderhit`, or after its answer to `stop` the position of the turn. A `bestmove` that
    /// came before answers nothing. The time for the answer to `stop` is part of the turn.
    /// Also returns the outcome of the search, unless it has answered.
    fn next_request(
        &mut self,
        moves: &[String],
        game: &Game,
        turn: &mut Turn<'_>,
        wait: &Wait,
        gauge: &mut Gauge,
    ) -> Result<(String, Option<PonderOutcome>), NoAnswer> {
        let Some(process) = &mut self.process else {
            return Err(NoAnswer::Closed(None));
        };
        let channel = process.channel();
        let early_answer = channel.end_pondering();
        if channel.has_flooded() {
            return Err(NoAnswer::Fault(flood(None)));
        }
        if let Some(answer) = early_answer {
            self.discard_unsolicited();
            self.count_unsolicited(1, &answer);
            return Ok((self.request(game, turn.limits.clone()), None));
        }
        if game.moves() == moves {
            return Ok(("ponderhit\n".to_string(), Some(PonderOutcome::Hit)));
        }
        channel.send("stop\n");
        self.transcript.push_lines(Origin::Referee, wait.asked, "stop\n");
        await_stop(process, wait, gauge, &mut turn.opponent, &mut self.transcript)?;
        self.discard_unsolicited();
        let mut limits = turn.limits.clone();
        deduct(
            &mut limits,
            game.position().side_to_move(),
            running_clock::elapsed(wait.asked),
        );
        Ok((self.request(game, limits), Some(PonderOutcome::Miss)))
    }

    /// What the engine has done before a request, and the time of its answers since that was measured. After quick
    /// answers it is what was known before them, as if it had waited all of their time: a measurement takes about as long
    /// as such an answer.
    fn work_before(&mut self, is_pondering: bool) -> (Option<Work>, Duration) {
        // The next answer may be missing.
        let quick = std::mem::replace(&mut self.unmeasured, LONGEST);
        if quick < MAX_UNMEASURED && !is_pondering {
            let known = self.last_work.clone();
            return (known.map(|work| work.before_waits_of(quick)), quick);
        }
        self.last_work = self.process.as_ref().and_then(Process::work);
        (self.last_work.clone(), Duration::ZERO)
    }

    /// Ends a search in the opponent's time after the game. A process that does not answer
    /// `stop` is killed, and the next game starts a new one.
    fn stop_pondering(&mut self) {
        self.expected = None;
        let pondering = self.pondering.take();
        let (Some(process), Some(_)) = (&mut self.process, pondering) else {
            return;
        };
        if process.channel().end_pondering().is_none() {
            process.channel().send("stop\n");
            let wait = Wait {
                asked: running_clock::now(),
                allowed: Duration::ZERO,
                margin: Duration::ZERO,
                cpu: None,
                is_clock: false,
            };
            let mut gauge = Gauge::new(wait.asked, wait.allowed, process.work());
            let mut opponent = Opponent::default();
            let stopped = await_stop(process, &wait, &mut gauge, &mut opponent, &mut self.transcript);
            // Any answer will do: no clock runs.
            if !matches!(stopped, Ok(()) | Err(NoAnswer::Fault(Fault::Time { .. }))) {
                self.reset();
                return;
            }
        }
        process.channel().discard_pending();
    }

    /// The same of one whose output suggests a cause. What surrounds a program is known, and an error on stderr tells more
    /// than another line.
    fn crash_after(&mut self, cause: Option<Hint>) -> Fault {
        let mut fault = self.crash();
        if let (Fault::Crash { hint, stderr, .. }, Some(cause)) = (&mut fault, cause) {
            let is_likelier = match &cause {
                Hint::Wrote(_) => hint.is_none() && error_line(stderr).is_none(),
                Hint::Reported(..) => hint.as_deref().is_none_or(|hint| *hint == Hint::EarlyExit),
                _ => true,
            };
            if is_likelier {
                *hint = Some(Box::new(cause));
            }
        }
        fault
    }

    /// The fault of a process that closed its output.
    fn crash(&mut self) -> Fault {
        let Some(exit) = self.process.take().map(Process::reap) else {
            return Fault::crash("is not running".to_string());
        };
        self.stderr_tail.clone_from(&exit.stderr);
        let launch = &self.spec.launch;
        // The referee itself, as a player, tells who has failed.
        let is_of_rules = launch.asks_rules() && exit.has_status(RULES_FAILED);
        let is_short = launch.is_own && exit.has_status(MACHINE_FAILED);
        let hint = if is_of_rules {
            Some(Hint::RulesFailed)
        } else if is_short {
            Some(Hint::MachineFailed)
        } else if let Some(surroundings) = Surroundings::of_end(launch, &exit) {
            Some(Hint::Surroundings(surroundings))
        } else {
            exit.is_success().then_some(Hint::EarlyExit)
        };
        let hint = hint.map(Box::new);
        self.notes.log_error = self.notes.log_error.take().or(exit.log_error);
        Fault::Crash {
            how: exit.how.to_string(),
            stderr: exit.stderr,
            hint,
        }
    }
}

impl Player for Engine {
    fn name(&self) -> &str {
        &self.spec.name
    }

    fn begin(&mut self, side: Option<Side>) -> Result<(), NoMove> {
        let may_write = self.told.take().is_some();
        if let Some(process) = &mut self.process {
            if may_write {
                process.channel().discard_pending();
            } else {
                self.discard_unsolicited();
            }
            match self.new_game(side) {
                // It exited after its last answer, which costs only a restart.
                Err(StartError::NoHandshake(Fault::Crash { how, .. })) => {
                    if self.is_heard {
                        log::warn!("Between two games, {} {how}; it is restarted", self.spec.name);
                    }
                    self.notes.exit = Some(how);
                }
                result => return Ok(result?),
            }
        }
        let started = self.launch().and_then(|()| self.new_game(side));
        if matches!(&started, Err(error) if !matches!(error, StartError::Stopped(_))) {
            self.failed_starts = self.failed_starts.saturating_add(1);
        }
        Ok(started?)
    }

    fn learn_result(&mut self, game: &Game, result: GameResult) {
        let Some(command) = self.announced.result(result).filter(|_| self.process.is_some()) else {
            return;
        };
        self.discard_unsolicited();
        self.stop_pondering();
        let Some(process) = &mut self.process else { return };
        let request = format!("{}\n{command}\n", game.line());
        process.channel().send(&request);
        self.transcript
            .push_lines(Origin::Referee, running_clock::now(), &request);
        self.told = Some(result);
    }

    fn think(&mut self, game: &Game, turn: &mut Turn<'_>) -> Result<Answer, NoMove> {
        let pondering = self.pondering.take();
        if pondering.is_none() {
            self.discard_unsolicited();
        }
        let (before, unmeasured) = self.work_before(pondering.is_some());
        let wait = Wait {
            asked: running_clock::now(),
            allowed: turn.time.unwrap_or(LONGEST),
            margin: turn.margin,
            cpu: turn.cpu,
            is_clock: turn.limits.wtime.is_some(),
        };
        let mut gauge = Gauge::new(wait.asked, wait.allowed, before);
        let (request, pondered) = match pondering {
            None => (self.request(game, turn.limits.clone()), None),
            Some(moves) => match self.next_request(&moves, game, turn, &wait, &mut gauge) {
                Ok(request) => request,
                Err(why) => return Err(self.miss(why, &wait, game)),
            },
        };
        let mut process = self.process.as_mut();
        let Some(process) = process.take_if(|process| !process.channel().is_closed()) else {
            return Err(NoMove::Fault {
                fault: self.crash(),
                at: wait.asked,
            });
        };
        process.channel().send(&request);
        // The copy is made while the engine thinks.
        self.transcript.push_lines(Origin::Referee, wait.asked, &request);
        let answer = await_answer(
            process,
            &wait,
            gauge,
            game.position(),
            &mut turn.opponent,
            &mut self.transcript,
            turn.observer.as_deref_mut(),
        );
        match answer {
            Ok(mut answer) => {
                self.failed_starts = 0;
                let time = answer.thought.time + answer.thought.waited;
                self.unmeasured = unmeasured + time;
                let is_slow = time >= MAX_UNMEASURED;
                let work = is_slow.then(|| process.work()).flatten();
                self.at_rest = work.map(|work| work.computed);
                self.expected.clone_from(&answer.expected);
                self.own_pass = self.own_pass.or(answer.own_pass);
                answer.thought.pondered = pondered;
                Ok(answer)
            }
            Err(why) => Err(self.miss(why, &wait, game)),
        }
    }

    fn ponder(&mut self, game: &Game, mut limits: Limits) {
        let Some(reply) = self.expected.take().filter(|_| self.ponders) else {
            return;
        };
        let Ok(mv) = game.position().parse_move(&reply) else {
            return;
        };
        let mut game = game.clone();
        if game.play(mv, Thought::default()).is_err() {
            return;
        }
        if game.position().outcome().is_some() {
            return;
        }
        self.discard_unsolicited();
        limits.ponder = true;
        let request = self.request(&game, limits);
        let channel = self.process.as_mut().map(Process::channel);
        let Some(channel) = channel.filter(|channel| !channel.is_closed()) else {
            return;
        };
        channel.begin_pondering();
        channel.send(&request);
        self.transcript
            .push_lines(Origin::Referee, running_clock::now(), &request);
        self.pondering = Some(game.moves().to_vec());
    }

    fn channel(&mut self) -> Option<&mut Channel> {
        self.process.as_mut().map(Process::channel)
    }

    fn computed_out_of_turn(&self) -> Duration {
        let work = self.process.as_ref().and_then(Process::work);
        let Some(work) = work.filter(|_| self.pondering.is_none()) else {
            return Duration::ZERO;
        };
        let by_turns = || {
            let before = self.last_work.as_ref()?.computed;
            let in_turns = self.unmeasured.saturating_mul(work.processors?.count);
            Some(before.saturating_add(in_turns))
        };
        let before = self.at_rest.or_else(by_turns);
        before.map_or(Duration::ZERO, |before| work.computed.saturating_sub(before))
    }

    fn exit_fault(&mut self) -> Option<Fault> {
        Some(self.crash())
    }

    fn configure(&mut self, options: &[(String, String)]) {
        for (name, value) in options {
            let known = &mut self.spec.options;
            match known
                .iter_mut()
                .find(|(known, _)| known.eq_ignore_ascii_case(name))
            {
                Some((_, old)) if old == value => continue,
                Some((_, old)) => old.clone_from(value),
                None => known.push((name.clone(), value.clone())),
            }
            self.new_options.push((name.clone(), value.clone()));
        }
    }

    fn reset(&mut self) {
        (self.expected, self.pondering) = (None, None);
        let Some(mut process) = self.process.take() else {
            return;
        };
        let channel = process.channel();
        if let Some(line) = channel.unfinished_line() {
            let remark = format!("an unfinished line: `{}`", line.shown());
            self.transcript
                .push(Origin::Remark, running_clock::now(), &remark);
        }
        process.stop();
        let channel = process.channel();
        channel.drain();
        self.stderr_tail = channel.stderr_tail();
        let log_error = channel.take_log_error().map(|error| error.to_string());
        self.notes.log_error = self.notes.log_error.take().or(log_error);
    }

    fn transcript(&mut self) -> Option<Transcript> {
        if let Some(sandbox) = &self.spec.launch.sandbox {
            let remark = format!("sandbox {}: {}", sandbox.level, sandbox.summary());
            self.transcript
                .push(Origin::Remark, running_clock::now(), &remark);
        }
        let stderr = match &mut self.process {
            Some(process) => process.channel().stderr_tail(),
            None => self.stderr_tail.clone(),
        };
        Some(Transcript {
            lost: self.transcript.lost,
            lines: self.transcript.lines(),
            stderr,
        })
    }

    fn end_game(&mut self) -> GameNotes {
        self.stop_pondering();
        self.transcript.clear();
        self.stderr_tail.clear();
        self.extra_answer = None;
        GameNotes {
            log_error: self.take_log_error(),
            option_warning: self.option_warnings.first().cloned(),
            ..std::mem::take(&mut self.notes)
        }
    }

    fn is_restartable(&self) -> bool {
        true
    }

    fn take_process(&mut self) -> Option<Process> {
        self.process.take()
    }
}

/// The stop with the name of the program that waited for a processor.
fn of_busy_machine(stop: Stop, name: &str) -> Stop {
    match stop {
        Stop::Busy(what) => Stop::Busy(format!("{name} {what}")),
        stop => stop,
    }
}

/// The hint at another protocol than its own, if this line answers a greeting of one.
fn other_protocol(line: &str, own: Protocol) -> Option<Hint> {
    let protocol = Protocol::of_answer(line).filter(|protocol| *protocol != own)?;
    Some(Hint::OtherProtocol(line.trim().into(), protocol))
}

/// Asks a program that did not answer whether it speaks another protocol. It is of no use afterwards.
fn recognised(process: &mut Process, own: Protocol) -> Option<Hint> {
    /// Nobody thinks about a greeting.
    const PATIENCE: Duration = Duration::from_secs(1);
    let channel = process.channel();
    channel.send(&Protocol::greetings());
    let until = running_clock::now() + PATIENCE;
    while let Received::Line { text, .. } = channel.receive(until, None) {
        if let Some(other) = other_protocol(text.raw(), own) {
            return Some(other);
        }
    }
    None
}

/// What the last of these commands asks for, in a word.
fn request_of(commands: &[Command]) -> &'static str {
    match commands.last() {
        Some(Command::Greet(dialect)) => dialect.name(),
        _ => "isready",
    }
}

/// The pause before an engine is started again after this number of failed starts in a row: each
/// doubles it. The cause may be temporary, such as a full disk; and a program that always exits at
/// once must not take the time of the others.
fn pause_before_start(failures: u32) -> Duration {
    const FIRST: Duration = Duration::from_millis(100);
    const LONGEST: Duration = Duration::from_secs(2);
    match failures.checked_sub(1) {
        Some(times) => FIRST.saturating_mul(2_u32.saturating_pow(times)).min(LONGEST),
        None => Duration::ZERO,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_failed_start_doubles_the_pause_up_to_a_bound() {
        let pauses = [0, 1, 2, 3, 4, 5, 6, 7, 108].map(|failures| pause_before_start(failures).as_millis());
        assert_eq!(pauses, [0, 100, 200, 400, 800, 1600, 2000, 2000, 2000]);
    }
}
