//! The conversation with a client: one queue in, one [`Speaker`] out.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::bench;
use super::desk::{self, Desk, Go};
#[cfg(unix)]
use super::events::FromDescriptor;
use super::events::{Events, FromThread};
use super::input::Input;
use super::options::{Effect, Options};
use super::running::{Kind, Question};
use super::speaker::Speaker;
use super::watch::Watch;
use super::work::{Event, Job, Mailbox, Workshop};
use crate::protocol::{Command, Dialect, Limits, Reply};
use crate::quoted::escaped;
use crate::search::StopToken;

/// Lines that may wait for the end of a count.
const MOST_DEFERRED: usize = 1024;

/// How long they may be together, in bytes.
const MOST_DEFERRED_BYTES: usize = 16 << 20;

/// How often is shown what a search or count has to say, if nothing else happens.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// Talks to a client on standard input and output until it says `quit` or its
/// input ends, beginning with these options. The exit status is 0, or 1 when
/// standard output cannot be written or the options cannot be had.
pub fn run(options: Options) -> ExitCode {
    #[cfg(unix)]
    let events = FromDescriptor::new(io::stdin());
    #[cfg(not(unix))]
    let events = FromThread::start(io::stdin());
    let talked = events
        .map_err(|error| format!("the input cannot be read: {error}"))
        .and_then(|events| talk(options, events, io::stdout()));
    match talked {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            log::error!("{why}");
            ExitCode::FAILURE
        }
    }
}

/// The same with another input and output. A thread that reads the input may
/// outlive the conversation, until its next line or its end.
///
/// # Errors
/// A sentence, when the output cannot be written or the options cannot be had.
pub fn converse(
    options: Options,
    source: impl io::Read + Send + 'static,
    output: impl Write + Send + 'static,
) -> Result<(), String> {
    let events =
        FromThread::start(source).map_err(|error| format!("no thread to read the input: {error}"))?;
    talk(options, events, output)
}

fn talk(
    options: Options,
    mut events: impl Events,
    output: impl Write + Send + 'static,
) -> Result<(), String> {
    let desk = desk::open(&options)?;
    let talked = Session::new(options, desk, events.mailbox(), Speaker::new(output)).talk(&mut events);
    talked.map_err(|error| format!("the output cannot be written: {error}"))
}

/// A conversation.
struct Session {
    options: Options,
    desk: Box<dyn Desk>,
    workshop: Workshop,
    /// Shared with the worker and the watch, which may have answered a search at
    /// any moment.
    speaker: Arc<Speaker>,
    watch: Watch,
    /// What came in while a count was running.
    deferred: VecDeque<Input>,
    input_ended: bool,
}

/// Whether the conversation goes on.
#[derive(PartialEq, Eq)]
enum Flow {
    GoOn,
    Quit,
}

impl Session {
    fn new(options: Options, desk: Box<dyn Desk>, mailbox: Mailbox, speaker: Speaker) -> Session {
        let speaker = Arc::new(speaker);
        // A worker that outlives the conversation has nobody to answer.
        let for_worker = Arc::downgrade(&speaker);
        let job_ended = move |id| {
            if let Some(speaker) = for_worker.upgrade() {
                speaker.job_ended(id);
                mailbox.put(Event::Done(id));
            }
        };
        let for_watch = Arc::downgrade(&speaker);
        let strike = move || {
            if let Some(speaker) = for_watch.upgrade() {
                speaker.clock_struck();
            }
        };
        Session {
            options,
            desk,
            workshop: Workshop::new(job_ended),
            speaker,
            watch: Watch::start(strike),
            deferred: VecDeque::new(),
            input_ended: false,
        }
    }

    /// Talks until the client says `quit` or its input ends.
    fn talk(&mut self, events: &mut impl Events) -> io::Result<()> {
        loop {
            while !self.speaker.is_counting() {
                let Some(input) = self.deferred.pop_front() else {
                    break;
                };
                if self.hear(input)? == Flow::Quit {
                    return Ok(());
                }
            }
            let is_over = self.input_ended && !self.speaker.is_running();
            // Whoever is awake anyway has a look, so no questions keep it back. Here an
            // answer that was lost is heard of as well, even the last one.
            self.speaker.show_reports()?;
            if is_over {
                return Ok(());
            }
            // When its deadline passes, a search is answered; until then it is
            // heard now and then.
            let deadline = self.speaker.deadline();
            let next_look = self.speaker.is_running().then(|| Instant::now() + LOOK_AGAIN);
            let flow = match events.next(deadline.into_iter().chain(next_look).min()) {
                Some(Event::Input(input)) => self.hear(input)?,
                Some(Event::Done(id)) => {
                    self.speaker.count_ended(id)?;
                    self.rest();
                    Flow::GoOn
                }
                None => {
                    self.speaker.clock_struck();
                    Flow::GoOn
                }
            };
            if flow == Flow::Quit {
                return Ok(());
            }
        }
    }

    /// Deals with something that came in.
    fn hear(&mut self, input: Input) -> io::Result<Flow> {
        log::debug!("heard {input:?}");
        match input {
            Input::Unusable(why) => self.error(&why)?,
            Input::Line(line, _) if line.trim().is_empty() => {}
            Input::Line(line, arrival) => match Command::parse(&line) {
                Ok(command @ (Command::Stop | Command::IsReady)) => return self.obey(command, arrival),
                _ if self.speaker.is_counting() => self.defer(Input::Line(line, arrival))?,
                Ok(command) => return self.obey(command, arrival),
                Err(error) => self.error(&error.to_string())?,
            },
            Input::End if self.speaker.is_counting() => self.deferred.push_back(Input::End),
            Input::End => {
                self.input_ended = true;
                if self.speaker.deadline().is_none() {
                    self.speaker.finish()?;
                }
            }
        }
        Ok(Flow::GoOn)
    }

    /// Keeps a line for the time after the count.
    fn defer(&mut self, input: Input) -> io::Result<()> {
        let bytes: usize = self.deferred.iter().chain([&input]).map(Input::bytes).sum();
        if self.deferred.len() < MOST_DEFERRED && bytes <= MOST_DEFERRED_BYTES {
            self.deferred.push_back(input);
            return Ok(());
        }
        self.error(&format!(
            "{MOST_DEFERRED} lines or {} MiB of them wait for the end of the count already; this one is \
             dropped",
            MOST_DEFERRED_BYTES >> 20
        ))
    }

    /// Carries out a command.
    fn obey(&mut self, command: Command, arrival: Instant) -> io::Result<Flow> {
        match command {
            Command::Greet(dialect) => self.introduce(dialect)?,
            Command::IsReady => self.say(Reply::ReadyOk)?,
            Command::NewGame => self.forget(),
            Command::Query(query) => self.say(Reply::Response(self.desk.answer(query)))?,
            Command::PonderHit => self.ponder_hit(arrival)?,
            Command::SetOption { name, value } => {
                let set = self.set_option(&name, value.as_deref());
                self.report_failure(set)?;
            }
            Command::Position { start, moves } => {
                let set = self.desk.set_position(&start, &moves);
                self.report_failure(set)?;
            }
            Command::Go(limits) => self.go(&limits, arrival)?,
            Command::Perft(depth) => {
                let stop = StopToken::default();
                let job = self.desk.perft(depth, stop.clone());
                self.count(job, stop)?;
            }
            Command::Bench => {
                let stop = StopToken::default();
                let inner = stop.clone();
                let job: Job =
                    Box::new(move |reports| bench::run(&inner, |line| reports.say(Reply::Text(line))));
                self.count(job, stop)?;
            }
            Command::Stop => self.speaker.stop()?,
            Command::Quit => {
                self.speaker.finish()?;
                return Ok(Flow::Quit);
            }
            Command::Display => {
                let text = self.desk.describe();
                self.say(Reply::Text(text))?;
            }
            Command::Eval => {
                let text = self.desk.evaluation();
                self.say(Reply::Text(text))?;
            }
        }
        Ok(Flow::GoOn)
    }

    /// Answers `uci` or `ugi`.
    fn introduce(&mut self, dialect: Dialect) -> io::Result<()> {
        self.speaker.set_dialect(dialect);
        let version = env!("CARGO_PKG_VERSION");
        let mut replies = vec![
            Reply::IdName(format!("Lodestone {version}")),
            Reply::IdAuthor("the Lodestone developers".to_string()),
        ];
        replies.extend(Options::announced().map(Reply::Option));
        replies.push(Reply::Greeted(dialect));
        self.speaker.say(&replies)
    }

    /// Sets an option; what follows from it is done at once or not at all.
    fn set_option(&mut self, name: &str, value: Option<&str>) -> Result<(), String> {
        let mut options = self.options.clone();
        match options.set(name, value)? {
            Effect::OtherGame => self.desk = desk::open(&options)?,
            Effect::OtherPlayer if options != self.options => self.desk.set_player(&options)?,
            Effect::Forget => self.forget(),
            Effect::OtherPlayer | Effect::NextSearch => {}
        }
        self.options = options;
        Ok(())
    }

    /// The next search knows nothing of the last ones.
    fn forget(&mut self) {
        self.desk.forget();
        self.rest();
    }

    /// Does what had to wait for the end of a search.
    fn rest(&mut self) {
        if !self.speaker.is_running() {
            self.desk.rest();
        }
    }

    fn go(&mut self, limits: &Limits, arrival: Instant) -> io::Result<()> {
        if self.speaker.is_running() {
            return self.error("a search is running; it ends with `stop`");
        }
        let begun = self.desk.go(limits, arrival, &self.options);
        if begun.is_ok() && !limits.unknown.is_empty() {
            let words = escaped(&limits.unknown.join(" "));
            self.error(&format!("unknown in `go`, skipped: {words}"))?;
        }
        match begun {
            Err(why) => self.error(&why),
            Ok(Go::GameOver) => {
                // There is nothing to search; the answer may have to wait all
                // the same.
                let kind = Kind::Search(Question::new(limits, arrival, None));
                self.speaker.begin(kind, StopToken::default())?;
                Ok(())
            }
            Ok(Go::Search(search)) => {
                let kind = Kind::Search(Question::new(limits, arrival, Some(&search)));
                self.start(kind, search.job, search.stop)
            }
        }
    }

    /// The time of a search in the opponent's time begins to count.
    fn ponder_hit(&mut self, arrival: Instant) -> io::Result<()> {
        if self.speaker.ponder_hit(arrival)? {
            self.set_watch();
            return Ok(());
        }
        self.error("no search is pondering")
    }

    /// Starts `perft` or `bench`.
    fn count(&mut self, job: Job, stop: StopToken) -> io::Result<()> {
        if self.speaker.is_running() {
            return self.error("a search is running; it ends with `stop`");
        }
        self.start(Kind::Count, job, stop)
    }

    /// Something runs beside the session from now on.
    fn start(&mut self, kind: Kind, job: Job, stop: StopToken) -> io::Result<()> {
        let (id, reports) = self.speaker.begin(kind, stop)?;
        self.set_watch();
        self.workshop.start(id, job, reports);
        Ok(())
    }

    /// The watch waits for the deadline as well, if there is one.
    fn set_watch(&self) {
        if let Some(deadline) = self.speaker.deadline() {
            self.watch.set(deadline);
        }
    }

    fn report_failure(&mut self, result: Result<(), String>) -> io::Result<()> {
        match result {
            Ok(()) => Ok(()),
            Err(why) => self.error(&why),
        }
    }

    /// Tells the client that a line could not be used, and why.
    fn error(&mut self, why: &str) -> io::Result<()> {
        self.say(Reply::InfoString(format!("error: {why}")))
    }

    fn say(&mut self, reply: Reply) -> io::Result<()> {
        self.speaker.say(&[reply])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::speaker::tests::{Heard, search};
    use crate::protocol::{Query, Response, Start};
    use std::thread;

    /// A desk whose searches do `job` and have published `h8`, to be answered
    /// within 20 ms.
    struct BadDesk(fn());

    impl Desk for BadDesk {
        fn set_position(&mut self, _: &Start, _: &[String]) -> Result<(), String> {
            Ok(())
        }
        fn set_player(&mut self, _: &Options) -> Result<(), String> {
            Ok(())
        }
        fn forget(&mut self) {}
        fn rest(&mut self) {}
        fn answer(&self, _: Query) -> Response {
            Response::None
        }
        fn describe(&self) -> String {
            String::new()
        }
        fn evaluation(&self) -> String {
            String::new()
        }
        fn go(&mut self, _: &Limits, _: Instant, _: &Options) -> Result<Go, String> {
            let bad = self.0;
            Ok(Go::Search(search(Box::new(move |_| bad()))))
        }
        fn perft(&self, _: u32, _: StopToken) -> Job {
            Box::new(|_| ())
        }
    }

    /// What a session with this desk says to these lines and the end of input.
    fn replies(desk: BadDesk, lines: &[&str]) -> Vec<String> {
        let text = lines.join("\n") + "\n";
        let mut events = FromThread::start(io::Cursor::new(text)).unwrap();
        let heard = Heard::default();
        let speaker = Speaker::new(heard.clone());
        let mut session = Session::new(Options::default(), Box::new(desk), events.mailbox(), speaker);
        session.talk(&mut events).unwrap();
        heard.lines()
    }

    #[test]
    fn a_search_that_hangs_is_answered_at_the_deadline() {
        let hang = || thread::sleep(Duration::from_hours(1));
        let lines = ["go movetime 30", "isready", "go movetime 5"];
        let busy = "info string error: a search is running; it ends with `stop`";
        assert_eq!(replies(BadDesk(hang), &lines), ["readyok", busy, "bestmove 0:7"]);
    }

    #[test]
    fn a_search_that_panics_is_answered() {
        assert_eq!(
            replies(BadDesk(|| panic!("on purpose")), &["go movetime 30"]),
            ["bestmove 0:7"]
        );
    }

    #[test]
    fn a_search_that_hangs_can_be_stopped_and_followed_by_another() {
        let hang = || thread::sleep(Duration::from_hours(1));
        let lines = ["go", "stop", "stop", "go", "stop", "go movetime 30"];
        assert_eq!(replies(BadDesk(hang), &lines), ["bestmove 0:7"; 3]);
    }
}
