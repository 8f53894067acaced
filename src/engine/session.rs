//! One queue in, one writer out: the conversation with a client.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use super::bench;
use super::desk::{self, Desk, Go};
#[cfg(unix)]
use super::events::FromDescriptor;
use super::events::{Events, FromThread};
use super::input::Input;
use super::options::{Effect, Options};
use super::running::{Kind, Question, Running};
use super::work::{Event, Job, JobId, Mailbox, Reports, Workshop};
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
    output: impl Write,
) -> Result<(), String> {
    let events =
        FromThread::start(source).map_err(|error| format!("no thread to read the input: {error}"))?;
    talk(options, events, output)
}

fn talk(options: Options, mut events: impl Events, output: impl Write) -> Result<(), String> {
    let desk = desk::open(&options)?;
    let talked = Session::new(options, desk, events.mailbox(), output).talk(&mut events);
    talked.map_err(|error| format!("the output cannot be written: {error}"))
}

/// A conversation whose replies go to `W`.
struct Session<W> {
    options: Options,
    dialect: Dialect,
    desk: Box<dyn Desk>,
    workshop: Workshop,
    output: W,
    last_job: JobId,
    running: Option<Running>,
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

impl<W: Write> Session<W> {
    fn new(options: Options, desk: Box<dyn Desk>, mailbox: Mailbox, output: W) -> Session<W> {
        Session {
            options,
            dialect: Dialect::default(),
            desk,
            workshop: Workshop::new(mailbox),
            output,
            last_job: 0,
            running: None,
            deferred: VecDeque::new(),
            input_ended: false,
        }
    }

    /// Talks until the client says `quit` or its input ends.
    fn talk(&mut self, events: &mut impl Events) -> io::Result<()> {
        loop {
            while !self.is_counting() {
                let Some(input) = self.deferred.pop_front() else {
                    break;
                };
                if self.hear(input)? == Flow::Quit {
                    return Ok(());
                }
            }
            if self.input_ended && self.running.is_none() {
                return Ok(());
            }
            // Whoever is awake anyway has a look, so no questions keep it back.
            self.show_reports()?;
            // When its deadline passes, a search is answered; until then it is
            // heard now and then.
            let deadline = self.question().and_then(Question::deadline);
            let next_look = self.running.is_some().then(|| Instant::now() + LOOK_AGAIN);
            let flow = match events.next(deadline.into_iter().chain(next_look).min()) {
                Some(Event::Input(input)) => self.hear(input)?,
                Some(Event::Done(id)) => {
                    self.workshop.done(id);
                    self.job_done(id)?;
                    self.rest();
                    Flow::GoOn
                }
                None => {
                    if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                        self.finish()?;
                    }
                    Flow::GoOn
                }
            };
            if flow == Flow::Quit {
                return Ok(());
            }
        }
    }

    /// What has to be answered by `bestmove`.
    fn question(&self) -> Option<&Question> {
        match &self.running {
            Some(Running {
                kind: Kind::Search(question),
                ..
            }) => Some(question),
            _ => None,
        }
    }

    fn question_mut(&mut self) -> Option<&mut Question> {
        match &mut self.running {
            Some(Running {
                kind: Kind::Search(question),
                ..
            }) => Some(question),
            _ => None,
        }
    }

    fn is_current(&self, id: JobId) -> bool {
        self.running.as_ref().is_some_and(|running| running.id == id)
    }

    fn is_counting(&self) -> bool {
        matches!(
            self.running,
            Some(Running {
                kind: Kind::Count,
                ..
            })
        )
    }

    /// Deals with something that came in.
    fn hear(&mut self, input: Input) -> io::Result<Flow> {
        log::debug!("heard {input:?}");
        match input {
            Input::Unusable(why) => self.error(&why)?,
            Input::Line(line, _) if line.trim().is_empty() => {}
            Input::Line(line, arrival) => match Command::parse(&line) {
                Ok(command @ (Command::Stop | Command::IsReady)) => return self.obey(command, arrival),
                _ if self.is_counting() => self.defer(Input::Line(line, arrival))?,
                Ok(command) => return self.obey(command, arrival),
                Err(error) => self.error(&error.to_string())?,
            },
            Input::End if self.is_counting() => self.deferred.push_back(Input::End),
            Input::End => {
                self.input_ended = true;
                if self
                    .question()
                    .is_some_and(|question| question.deadline().is_none())
                {
                    self.finish()?;
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
            Command::IsReady => self.say(&Reply::ReadyOk)?,
            Command::NewGame => self.forget(),
            Command::Query(query) => self.say(&Reply::Response(self.desk.answer(query)))?,
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
            Command::Stop => match &self.running {
                Some(Running {
                    kind: Kind::Count,
                    stop,
                    ..
                }) => stop.set(),
                Some(_) => self.finish()?,
                None => {}
            },
            Command::Quit => {
                self.finish()?;
                return Ok(Flow::Quit);
            }
            Command::Display => {
                let text = self.desk.describe();
                self.say(&Reply::Text(text))?;
            }
            Command::Eval => {
                let text = self.desk.evaluation();
                self.say(&Reply::Text(text))?;
            }
        }
        Ok(Flow::GoOn)
    }

    /// Answers `uci` or `ugi`.
    fn introduce(&mut self, dialect: Dialect) -> io::Result<()> {
        self.dialect = dialect;
        let version = env!("CARGO_PKG_VERSION");
        let mut replies = vec![
            Reply::IdName(format!("Lodestone {version}")),
            Reply::IdAuthor("the Lodestone developers".to_string()),
        ];
        replies.extend(Options::announced().map(Reply::Option));
        replies.push(Reply::Greeted(dialect));
        self.say_all(&replies)
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
        if self.running.is_none() {
            self.desk.rest();
        }
    }

    fn go(&mut self, limits: &Limits, arrival: Instant) -> io::Result<()> {
        if self.running.is_some() {
            return self.error("a search is running; it ends with `stop`");
        }
        let begun = self.desk.go(limits, arrival, &self.options);
        if begun.is_ok() && !limits.unknown.is_empty() {
            let words = escaped(&limits.unknown.join(" "));
            self.error(&format!("unknown in `go`, skipped: {words}"))?;
        }
        match begun {
            Err(why) => return self.error(&why),
            Ok(Go::GameOver) => {
                // There is nothing to search; the answer may have to wait all
                // the same.
                let kind = Kind::Search(Question::new(limits, arrival, None));
                self.begin(kind, StopToken::default());
            }
            Ok(Go::Search(search)) => {
                let kind = Kind::Search(Question::new(limits, arrival, Some(&search)));
                let (id, reports) = self.begin(kind, search.stop);
                self.workshop.start(id, search.job, reports);
            }
        }
        self.finish_if_settled()
    }

    /// The time of a search in the opponent's time begins to count.
    fn ponder_hit(&mut self, arrival: Instant) -> io::Result<()> {
        let was_pondering = self
            .question_mut()
            .is_some_and(|question| question.ponder_hit(arrival));
        if !was_pondering {
            return self.error("no search is pondering");
        }
        self.finish_if_settled()
    }

    /// Starts `perft` or `bench`.
    fn count(&mut self, job: Job, stop: StopToken) -> io::Result<()> {
        if self.running.is_some() {
            return self.error("a search is running; it ends with `stop`");
        }
        let (id, reports) = self.begin(Kind::Count, stop);
        self.workshop.start(id, job, reports);
        Ok(())
    }

    /// Something runs from now on; the number of its job, and where it says what
    /// it has to say.
    fn begin(&mut self, kind: Kind, stop: StopToken) -> (JobId, Reports) {
        self.last_job += 1;
        let (id, reports) = (self.last_job, Reports::default());
        self.running = Some(Running {
            id,
            stop,
            reports: reports.clone(),
            kind,
        });
        (id, reports)
    }

    /// Shows what the search or count has said meanwhile.
    fn show_reports(&mut self) -> io::Result<()> {
        let replies = self.running.as_ref().map(|running| running.reports.take());
        self.say_all(&replies.unwrap_or_default())
    }

    /// A job has ended by itself.
    fn job_done(&mut self, id: JobId) -> io::Result<()> {
        if !self.is_current(id) {
            return Ok(());
        }
        match self.question_mut() {
            None => self.finish(),
            Some(question) => {
                question.search_ended();
                self.finish_if_settled()
            }
        }
    }

    /// Answers a search that has ended and need not wait for the client.
    fn finish_if_settled(&mut self) -> io::Result<()> {
        if self.question().is_some_and(Question::is_settled) {
            self.finish()?;
        }
        Ok(())
    }

    /// Ends what runs: a search is told to stop and answered, whether or not
    /// its thread has noticed.
    fn finish(&mut self) -> io::Result<()> {
        let Some(Running {
            stop, kind, reports, ..
        }) = self.running.take()
        else {
            return Ok(());
        };
        stop.set();
        let mut replies = reports.take();
        if let Kind::Search(question) = kind {
            let (best, ponder) = question.answer();
            // UGI knows no move behind the move.
            let ponder = ponder.filter(|_| self.dialect == Dialect::Uci);
            replies.push(Reply::BestMove { best, ponder });
        }
        self.say_all(&replies)
    }

    fn report_failure(&mut self, result: Result<(), String>) -> io::Result<()> {
        match result {
            Ok(()) => Ok(()),
            Err(why) => self.error(&why),
        }
    }

    /// Tells the client that a line could not be used, and why.
    fn error(&mut self, why: &str) -> io::Result<()> {
        self.say(&Reply::InfoString(format!("error: {why}")))
    }

    /// Says several things in one write.
    fn say_all(&mut self, replies: &[Reply]) -> io::Result<()> {
        if replies.is_empty() {
            return Ok(());
        }
        let lines: Vec<String> = replies.iter().map(Reply::to_string).collect();
        self.write(&(lines.join("\n") + "\n"))
    }

    fn say(&mut self, reply: &Reply) -> io::Result<()> {
        self.write(&format!("{reply}\n"))
    }

    /// The only place that writes to standard output.
    fn write(&mut self, text: &str) -> io::Result<()> {
        log::debug!("said {}", text.trim_end());
        self.output.write_all(text.as_bytes())?;
        self.output.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Cell, Move};
    use crate::engine::desk::Search;
    use crate::engine::time::Budget;
    use crate::engine::work::Published;
    use crate::protocol::{Query, Response, Start};
    use crate::search::Deadlines;
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
            let limit = Duration::from_millis(20);
            Ok(Go::Search(Search {
                job: Box::new(move |_| bad()),
                stop: StopToken::default(),
                published: Published::new(Move::place(Cell::new(0, 7))),
                notation: |one| format!("{}:{}", one.to().row(), one.to().column()),
                budget: Some(Budget {
                    soft: limit,
                    hard: limit,
                }),
                deadlines: Deadlines::default(),
            }))
        }
        fn perft(&self, _: u32, _: StopToken) -> Job {
            Box::new(|_| ())
        }
    }

    /// What a session with this desk says to these lines and the end of input.
    fn replies(desk: BadDesk, lines: &[&str]) -> Vec<String> {
        let text = lines.join("\n") + "\n";
        let mut events = FromThread::start(io::Cursor::new(text)).unwrap();
        let mut session = Session::new(Options::default(), Box::new(desk), events.mailbox(), Vec::new());
        session.talk(&mut events).unwrap();
        String::from_utf8(session.output)
            .unwrap()
            .lines()
            .map(str::to_string)
            .collect()
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
