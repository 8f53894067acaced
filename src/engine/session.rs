//! The session: takes events in the order in which they arrive and executes commands.

use std::collections::VecDeque;
use std::io;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use lodestone_game::Variant;
use lodestone_game::input::Input;

use super::bench::Bench;

use lodestone_game::protocol::{Command, Dialect, Limits, Reply};
use lodestone_game::text::{MAX_QUOTE, printable, quoted};

#[cfg(unix)]
use super::events::PollSource;
use super::events::{EventSource, SessionEvent, ThreadSource};
use super::job::{Job, JobId, PendingSearch, Work};
use super::options::{Effect, Options, PlatformLimits};
use super::responder::Responder;
use super::single_thread::{InputReader, SingleThread, polled};
use super::state::{EngineState, new_state, use_table};
use super::worker::{Platform, WithThreads};

/// Lines that may wait for the end of `perft` or `bench`.
const MAX_DEFERRED_LINES: usize = 1024;

/// Their total length, in bytes.
const MAX_DEFERRED_BYTES: usize = 16 << 20;

/// Interval at which reports of a running job are written.
const REPORT_INTERVAL: Duration = Duration::from_millis(50);

/// Speaks the protocol on stdin and stdout until `quit` or the end of input, starting
/// with these options. In a terminal it prints a greeting on stderr, and `help` prints
/// the first commands there.
///
/// The exit status is 0, or 1 if stdout cannot be written or there is not enough memory
/// for the options.
pub fn run(options: Options) -> ExitCode {
    #[cfg(unix)]
    let events = PollSource::new(io::stdin());
    #[cfg(not(unix))]
    let events = ThreadSource::start(io::stdin());
    let session = events
        .map_err(|error| format!("cannot read the input: {error}"))
        .and_then(|events| with_threads(options, events, io::stdout()));
    run_on_stdio(session)
}

/// [`run`] as the player with this name in a game.
pub fn run_player(variant: Variant, personality: &'static str) -> ExitCode {
    run(Options {
        variant,
        personality,
        ..Options::default()
    })
}

/// Like [`run`] in a single thread: the search pauses to let the session read its input.
/// For systems without threads.
pub fn run_in_single_thread(options: Options) -> ExitCode {
    run_on_stdio(single_thread(options, polled(io::stdin()), false, io::stdout()))
}

fn run_on_stdio(session: Result<Session<impl Platform>, String>) -> ExitCode {
    let result = session.and_then(|mut session| {
        session.is_interactive = io::stdin().is_terminal() && io::stdout().is_terminal();
        if session.is_interactive {
            greet();
        }
        session.run()
    });
    match result {
        Ok(_) => ExitCode::SUCCESS,
        Err(error) => {
            log::error!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Like [`run`], with another input and output. The thread that reads the input may
/// outlive the session, until its next line or the end of input.
///
/// # Errors
/// The output cannot be written, or there is not enough memory for the options.
pub fn converse(
    options: Options,
    input: impl io::Read + Send + 'static,
    output: impl Write + Send + 'static,
) -> Result<(), String> {
    let events =
        ThreadSource::start(input).map_err(|error| format!("no thread to read the input: {error}"))?;
    with_threads(options, events, output)?.run().map(|_| ())
}

fn with_threads<E: EventSource>(
    options: Options,
    events: E,
    output: impl Write + Send + 'static,
) -> Result<Session<WithThreads<E>>, String> {
    let state = new_state(&options)?;
    let responder = Responder::start(output);
    let platform = WithThreads::new(events, &responder);
    Ok(Session::new(options, state, platform, responder))
}

pub(super) fn single_thread(
    mut options: Options,
    read: InputReader,
    has_host: bool,
    output: impl Write + Send + 'static,
) -> Result<Session<SingleThread>, String> {
    options.platform = PlatformLimits::SINGLE_THREAD;
    let state = new_state(&options)?;
    let responder = Responder::without_timer(output);
    let platform = SingleThread::new(read, has_host, &responder);
    Ok(Session::new(options, state, platform, responder))
}

/// Why a session returned to its host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// After `quit`, or at the end of input.
    Ended,
    /// Nothing to do until there is input.
    Waiting,
    /// A search runs.
    Searching,
}

pub(super) struct Session<P> {
    options: Options,
    state: Box<dyn EngineState>,
    /// Why the last `position` could not be used; `None` if it was.
    refused_position: Option<String>,
    platform: P,
    responder: Arc<Responder>,
    /// The number of a running `perft` or `bench`.
    counting: Option<JobId>,
    /// Input that waits for its end.
    deferred: VecDeque<Input>,
    input_ended: bool,
    has_quit: bool,
    /// Whether `help` is a command.
    is_interactive: bool,
}

impl<P: Platform> Session<P> {
    fn new(
        options: Options,
        state: Box<dyn EngineState>,
        platform: P,
        responder: Arc<Responder>,
    ) -> Session<P> {
        Session {
            options,
            state,
            refused_position: None,
            platform,
            responder,
            counting: None,
            deferred: VecDeque::new(),
            input_ended: false,
            has_quit: false,
            is_interactive: false,
        }
    }

    /// Handles events until `quit`, or until the input and the last search have ended, or
    /// until the host must run.
    pub(super) fn run(&mut self) -> Result<Status, String> {
        let status = self.handle_events();
        status.map_err(|error| format!("cannot write the output: {error}"))
    }

    fn handle_events(&mut self) -> io::Result<Status> {
        while !self.has_quit {
            if self.counting.is_none()
                && let Some(input) = self.deferred.pop_front()
            {
                self.handle_input(input)?;
                continue;
            }
            let is_running = self.responder.is_running();
            // Also fails if the worker could not write its answer, even the last one.
            self.responder.write_reports()?;
            if self.input_ended && !is_running {
                break;
            }
            let next_look = is_running.then(|| Instant::now() + REPORT_INTERVAL);
            let deadline = self.responder.due().into_iter().chain(next_look).min();
            match self.platform.next(deadline) {
                Some(SessionEvent::Input(input)) => self.handle_input(input)?,
                Some(SessionEvent::JobEnded(id)) => {
                    self.counting = self.counting.filter(|&counting| counting != id);
                    self.run_deferred();
                }
                Some(SessionEvent::Return) => {
                    self.responder.on_deadline();
                    self.responder.write_reports()?;
                    return Ok(if self.platform.is_working() {
                        Status::Searching
                    } else {
                        Status::Waiting
                    });
                }
                None => self.responder.on_deadline(),
            }
        }
        Ok(Status::Ended)
    }

    fn handle_input(&mut self, input: Input) -> io::Result<()> {
        log::debug!("received {input:?}");
        match input {
            Input::Unusable { error, text } => self.reject(&text, &error),
            Input::Line(line, _) if line.trim().is_empty() => Ok(()),
            Input::Line(line, _) if self.is_interactive && line.trim() == "help" => {
                help();
                Ok(())
            }
            Input::Line(line, arrival) => match Command::parse(&line) {
                Ok(command @ (Command::Stop | Command::IsReady)) => self.execute(command, arrival),
                _ if self.counting.is_some() => self.defer(Input::Line(line, arrival)),
                Ok(command) => self.execute(command, arrival),
                Err(error) => self.reject(&line, &error.to_string()),
            },
            Input::End if self.counting.is_some() => {
                self.deferred.push_back(Input::End);
                Ok(())
            }
            Input::End => {
                self.input_ended = true;
                // A search with a time limit runs until its end.
                match self.responder.due() {
                    Some(_) => Ok(()),
                    None => self.responder.stop(),
                }
            }
        }
    }

    /// Reports a line that is no command.
    fn reject(&mut self, line: &str, error: &str) -> io::Result<()> {
        if line.split_whitespace().next() == Some("position") {
            self.refused_position = Some(error.to_string());
        }
        self.error(error)
    }

    /// Keeps a line until `perft` or `bench` has ended.
    fn defer(&mut self, input: Input) -> io::Result<()> {
        let bytes: usize = self.deferred.iter().chain([&input]).map(Input::bytes).sum();
        if self.deferred.len() < MAX_DEFERRED_LINES && bytes <= MAX_DEFERRED_BYTES {
            self.deferred.push_back(input);
            return Ok(());
        }
        self.error(&format!(
            "{MAX_DEFERRED_LINES} lines or {} MiB of them wait for the end of the count already; this one is \
             dropped",
            MAX_DEFERRED_BYTES >> 20
        ))
    }

    fn execute(&mut self, command: Command, arrival: Instant) -> io::Result<()> {
        match command {
            Command::Greet(dialect) => self.identify(dialect),
            Command::Debug(_) | Command::Register => Ok(()),
            Command::IsReady => {
                if !self.responder.is_running() {
                    self.state.prepare();
                }
                self.write(Reply::ReadyOk)
            }
            Command::NewGame => {
                self.new_game();
                Ok(())
            }
            Command::Query(query) => self.responder.write(&self.state.answer(&query)),
            Command::PonderHit => self.ponder_hit(arrival),
            Command::SetOption { name, value } => match self.set_option(&name, value.as_deref()) {
                Ok(notes) => {
                    let notes: Vec<Reply> = notes.into_iter().map(Reply::InfoString).collect();
                    self.responder.write(&notes)
                }
                Err(error) => self.error(&error),
            },
            Command::Position { start, moves } => {
                self.refused_position = self.state.set_position(&start, &moves).err();
                self.report(self.refused_position.as_deref())
            }
            Command::Go(_) | Command::Perft(_) | Command::Bench if self.responder.is_running() => {
                self.error("a search is running; it ends with `stop`")
            }
            Command::Go(limits) => self.go(&limits, arrival),
            Command::Perft(depth) => self.start(self.state.perft(depth)),
            Command::Bench => {
                let mut bench = Bench::default();
                self.start(Job::in_slices(None, move |stop, reports, slice| {
                    // A pause within a search would change its node count.
                    loop {
                        let has_ended = bench.step(stop, &mut |line| reports.push(Reply::Text(line)));
                        if has_ended || slice.is_some() {
                            return has_ended;
                        }
                    }
                }))
            }
            Command::Stop => self.responder.stop(),
            Command::Quit => {
                self.has_quit = true;
                self.responder.stop()
            }
            Command::Display => self.write(Reply::Text(self.state.describe())),
            Command::Eval => self.write(Reply::Text(self.state.evaluation())),
        }
    }

    /// Answers `uci` or `ugi`.
    fn identify(&mut self, dialect: Dialect) -> io::Result<()> {
        self.responder.set_dialect(dialect);
        let version = env!("CARGO_PKG_VERSION");
        let mut replies = vec![
            Reply::IdName(format!("Lodestone {version}")),
            Reply::IdAuthor("the Lodestone developers".to_string()),
        ];
        replies.extend(Options::announced(self.options.platform).map(Reply::Option));
        replies.push(Reply::Greeted(dialect));
        self.responder.write(&replies)
    }

    /// Sets an option and applies it, or changes nothing. Returns notes for the client:
    /// about a file, and about the player if the change makes another than the chosen one play.
    fn set_option(&mut self, name: &str, value: Option<&str>) -> Result<Vec<String>, String> {
        let mut options = self.options.clone();
        let mut notes = Vec::new();
        match options.set(name, value)? {
            Effect::NewVariant => {
                self.state = new_state(&options)?;
                if options.own_book {
                    notes.extend(self.state.set_book(&options));
                }
                self.refused_position = None;
            }
            Effect::NewSearcher if options != self.options => self.state.set_searcher(&options)?,
            Effect::NewGame => self.new_game(),
            Effect::NewTable => notes.extend(use_table(options.table_path.as_deref())),
            Effect::NewBook => notes.extend(self.state.set_book(&options)),
            Effect::NewSearcher | Effect::NextSearch => {}
        }
        let choice = |options: &Options| (options.variant, options.personality);
        let has_changed = choice(&options) != choice(&self.options);
        self.options = options;
        notes.extend(self.options.why_not_chosen_player().filter(|_| has_changed));
        Ok(notes)
    }

    fn new_game(&mut self) {
        self.state.new_game();
        self.run_deferred();
    }

    /// Does what the state deferred while a job ran.
    fn run_deferred(&mut self) {
        if !self.responder.is_running() {
            self.state.run_deferred();
        }
    }

    /// Starts a search.
    fn go(&mut self, limits: &Limits, arrival: Instant) -> io::Result<()> {
        if let Some(error) = &self.refused_position {
            self.error(&format!(
                "no move, because the last `position` was refused: {error}"
            ))?;
            let search = PendingSearch::without_move(limits, arrival);
            return self.start(Job::new(Some(search), |_, _| ()));
        }
        let (job, unusable) = self.state.search(limits, arrival, &self.options);
        if !limits.unknown.is_empty() {
            let words = printable(&limits.unknown.join(" "), MAX_QUOTE);
            self.error(&format!("unknown in `go`, skipped: {words}"))?;
        }
        if let [(text, expected), more @ ..] = &limits.unusable[..] {
            let text = quoted(text);
            let more = match more.len() {
                0 => String::new(),
                count => format!(" (and {count} more)"),
            };
            self.error(&format!(
                "unusable in `go`, skipped: {text}; expected {expected}{more}"
            ))?;
        }
        self.report(unusable.as_deref())?;
        self.start(job)
    }

    /// Starts a job: the responder takes over the answer, the worker the work.
    fn start(&mut self, (job, work): (Job, Work)) -> io::Result<()> {
        let is_count = job.search.is_none();
        let id = self.responder.begin(job)?;
        self.counting = is_count.then_some(id);
        self.platform.start(id, work);
        Ok(())
    }

    fn ponder_hit(&mut self, arrival: Instant) -> io::Result<()> {
        if self.responder.ponder_hit(arrival)? {
            return Ok(());
        }
        self.error("no search is pondering")
    }

    fn report(&self, error: Option<&str>) -> io::Result<()> {
        error.map_or(Ok(()), |error| self.error(error))
    }

    /// Tells the client why a line cannot be used.
    fn error(&self, error: &str) -> io::Result<()> {
        self.write(Reply::InfoString(format!("error: {error}")))
    }

    fn write(&self, reply: Reply) -> io::Result<()> {
        self.responder.write(&[reply])
    }
}

// Help on stderr for a person who starts the engine in a terminal.

/// Shows the greeting.
pub(crate) fn greet() {
    let games = Variant::list(|info| info.title);
    show(&format!(
        "Lodestone plays {games}. It reads commands, one per line.\n\
         Type `help` for the first commands, `quit` to leave. To play against it, start `referee`.\n"
    ));
}

/// Explains the first commands.
pub(crate) fn help() {
    let sample = Variant::default().info().sample_move;
    let games = Variant::list(|info| info.name);
    show(&format!(
        "d                                       show the board\n\
         position startpos moves {sample:<15} set up the position after these moves\n\
         go movetime 1000                        search for 1000 ms and answer with the best move\n\
         go infinite                             search until `stop`\n\
         stop                                    end the search and answer with the best move\n\
         setoption name UCI_Variant value GAME   switch the game: {games}\n\
         uci                                     list all options\n\
         quit                                    leave\n\
         protocol.md describes all commands.\n"
    ));
}

/// Writes to stderr, because stdout carries protocol lines only.
fn show(text: &str) {
    // A closed stderr is no reason to stop.
    let _ = io::stderr().write_all(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use lodestone_game::input::Lines;
    use lodestone_game::protocol::{Query, Response, Start};

    use super::*;
    use crate::engine::events::EventSender;
    use crate::engine::responder::tests::{Written, search};
    use std::sync::mpsc::{Receiver, Sender, channel};
    use std::thread;

    /// A state whose searches run this function and have published `0:7`.
    struct FakeState(fn());

    impl EngineState for FakeState {
        fn set_position(&mut self, _: &Start, _: &[String]) -> Result<(), String> {
            Ok(())
        }
        fn set_searcher(&mut self, _: &Options) -> Result<(), String> {
            Ok(())
        }
        fn set_book(&mut self, _: &Options) -> Option<String> {
            None
        }
        fn new_game(&mut self) {}
        fn run_deferred(&mut self) {}
        fn prepare(&self) {}
        fn answer(&self, _: &Query) -> Vec<Reply> {
            vec![Reply::Response(Response::None)]
        }
        fn describe(&self) -> String {
            String::new()
        }
        fn evaluation(&self) -> String {
            String::new()
        }
        fn search(
            &mut self,
            limits: &Limits,
            arrival: Instant,
            _: &Options,
        ) -> ((Job, Work), Option<String>) {
            let run = self.0;
            (search(limits, arrival, move |_| run()), None)
        }
        fn perft(&self, _: u32) -> (Job, Work) {
            let run = self.0;
            Job::new(None, move |_, reports| {
                run();
                reports.push(Reply::Text("counted".to_string()));
            })
        }
    }

    /// The replies of a session with this state to these lines and the end of input.
    fn replies(state: FakeState, lines: &[&str]) -> Vec<String> {
        let text = lines.join("\n") + "\n";
        let events = ThreadSource::start(io::Cursor::new(text)).unwrap();
        let written = Written::default();
        let responder = Responder::start(written.clone());
        let platform = WithThreads::new(events, &responder);
        let mut session = Session::new(Options::default(), Box::new(state), platform, responder);
        assert_eq!(session.run().unwrap(), Status::Ended);
        written.lines()
    }

    /// The replies without threads.
    fn single_thread_replies(state: FakeState, lines: &[&str]) -> Vec<String> {
        let text = lines.join("\n") + "\n";
        let written = Written::default();
        let responder = Responder::without_timer(written.clone());
        let mut input = io::Cursor::new(text.into_bytes());
        let read = Box::new(move |lines: &mut Lines, _| lines.read_from(&mut input));
        let platform = SingleThread::new(read, false, &responder);
        let mut session = Session::new(Options::default(), Box::new(state), platform, responder);
        assert_eq!(session.run().unwrap(), Status::Ended);
        written.lines()
    }

    #[test]
    fn lines_after_a_count_wait_for_its_end() {
        let count = || thread::sleep(Duration::from_millis(5));
        let lines = [
            "go perft 1",
            "query result",
            "go perft 2",
            "go movetime 30",
            "quit",
        ];
        let expected = ["counted", "response none", "counted", "bestmove 0:7"];
        assert_eq!(replies(FakeState(count), &lines), expected);
        assert_eq!(single_thread_replies(FakeState(count), &lines), expected);
    }

    /// Events from a queue.
    struct Queue(Sender<SessionEvent>, Receiver<SessionEvent>);

    impl EventSource for Queue {
        fn next(&mut self, _: Option<Instant>) -> Option<SessionEvent> {
            self.1.recv_timeout(REPORT_INTERVAL).ok()
        }

        fn sender(&self) -> EventSender {
            EventSender::new(self.0.clone())
        }
    }

    #[test]
    fn the_late_end_of_an_earlier_job_does_not_end_a_count() {
        let count = || thread::sleep(Duration::from_millis(5));
        let (sender, receiver) = channel();
        let events = Queue(sender, receiver);
        let line = |line: &str| SessionEvent::Input(Input::Line(line.to_string(), Instant::now()));
        let earlier = 0;
        for event in [
            line("go perft 1"),
            SessionEvent::JobEnded(earlier),
            line("query result"),
            line("quit"),
        ] {
            events.sender().send(event);
        }
        let written = Written::default();
        let responder = Responder::start(written.clone());
        let state = Box::new(FakeState(count));
        let platform = WithThreads::new(events, &responder);
        let mut session = Session::new(Options::default(), state, platform, responder);
        session.run().unwrap();
        assert_eq!(written.lines(), ["counted", "response none"]);
    }

    #[test]
    fn a_search_that_panics_is_answered() {
        let state = || FakeState(|| panic!("on purpose"));
        for replies in [replies, single_thread_replies] {
            assert_eq!(replies(state(), &["go movetime 30"]), ["bestmove 0:7"]);
        }
    }

    #[test]
    fn a_search_that_hangs_can_be_stopped_and_followed_by_another() {
        let hang = || thread::sleep(Duration::from_hours(1));
        let lines = ["go", "stop", "stop", "go", "stop", "go movetime 30"];
        assert_eq!(replies(FakeState(hang), &lines), ["bestmove 0:7"; 3]);
    }

    mod slow {
        use super::*;

        #[test]
        #[ignore = "slow: .ci/run"]
        fn a_search_that_hangs_is_answered_at_the_deadline() {
            let hang = || thread::sleep(Duration::from_hours(1));
            let lines = ["go movetime 2000", "isready", "go movetime 5"];
            let busy = "info string error: a search is running; it ends with `stop`";
            assert_eq!(
                replies(FakeState(hang), &lines),
                ["readyok", busy, "bestmove 0:7"]
            );
        }
    }
}
