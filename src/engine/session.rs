//! One queue in, one writer out: the conversation with a client.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Write};
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, Sender, channel, sync_channel};
use std::thread;
use std::time::Instant;

use super::bench;
use super::desk::{self, Desk, Go, Search};
use super::input::{Input, read_lines};
use super::options::Options;
use super::work::{self, Event, Job, JobId};
use crate::protocol::{Command, Limits, Reply};
use crate::quoted::escaped;
use crate::search::StopToken;

/// Lines of input that may wait in the queue; the client has to wait then. Jobs
/// never wait: a search could not end while the session waits for its end.
const MOST_WAITING: usize = 64;

/// Lines that may wait for the end of a count.
const MOST_DEFERRED: usize = 1024;

/// How long they may be together, in bytes.
const MOST_DEFERRED_BYTES: usize = 16 << 20;

/// What a finished position's `bestmove` says.
const NO_MOVE: &str = "0000";

/// Talks to a client on standard input and output until it says `quit` or its
/// input ends, beginning with these options. The exit status is 0, or 1 when
/// standard output cannot be written or the options cannot be had.
pub fn run(options: Options) -> ExitCode {
    match converse(options, BufReader::new(io::stdin()), io::stdout()) {
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
    source: impl BufRead + Send + 'static,
    output: impl Write,
) -> Result<(), String> {
    let desk = desk::open(&options)?;
    let (sender, queue) = channel();
    let (places, taken) = sync_channel(MOST_WAITING);
    let input = sender.clone();
    let reading = move || {
        read_lines(source, |line| {
            places.send(()).is_ok() && input.send(Event::Input(line)).is_ok()
        });
    };
    let input_thread = thread::Builder::new().name("input".to_string());
    input_thread
        .spawn(reading)
        .map_err(|error| format!("no thread to read the input: {error}"))?;
    let talked = Session::new(options, desk, sender, output).talk(&queue, &taken);
    talked.map_err(|error| format!("the output cannot be written: {error}"))
}

/// A conversation whose replies go to `W`.
struct Session<W> {
    options: Options,
    desk: Box<dyn Desk>,
    /// Given to each job.
    sender: Sender<Event>,
    output: W,
    last_job: JobId,
    running: Option<Running>,
    /// What came in while a count was running.
    deferred: VecDeque<Input>,
    input_ended: bool,
}

/// What runs beside the session.
struct Running {
    id: JobId,
    stop: StopToken,
    kind: Kind,
}

enum Kind {
    /// A search, to be answered by `bestmove`.
    Search {
        /// What to answer, asked at the moment of the answer.
        answer: Box<dyn Fn() -> String>,
        /// The answer is due.
        deadline: Option<Instant>,
        /// The answer has to wait for `stop`, even when the search has ended.
        waits_for_stop: bool,
    },
    /// `perft` or `bench`: what comes in meanwhile is looked at afterwards.
    Count,
}

/// Whether the conversation goes on.
#[derive(PartialEq, Eq)]
enum Flow {
    GoOn,
    Quit,
}

impl<W: Write> Session<W> {
    fn new(options: Options, desk: Box<dyn Desk>, sender: Sender<Event>, output: W) -> Session<W> {
        Session {
            options,
            desk,
            sender,
            output,
            last_job: 0,
            running: None,
            deferred: VecDeque::new(),
            input_ended: false,
        }
    }

    /// Talks until the client says `quit` or its input ends. For each line read
    /// from the queue, one of the places `taken` in it becomes free.
    fn talk(&mut self, queue: &Receiver<Event>, taken: &Receiver<()>) -> io::Result<()> {
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
            let flow = match self.next_event(queue) {
                Some(Event::Input(input)) => {
                    let _ = taken.try_recv();
                    self.hear(input)?
                }
                Some(Event::Said(id, reply)) => {
                    if self.is_current(id) {
                        self.say(&reply)?;
                    }
                    Flow::GoOn
                }
                Some(Event::Done(id)) => {
                    self.job_done(id)?;
                    Flow::GoOn
                }
                None => {
                    self.finish()?;
                    Flow::GoOn
                }
            };
            if flow == Flow::Quit {
                return Ok(());
            }
        }
    }

    /// The next event, or `None` when the deadline of the search comes first.
    fn next_event(&self, queue: &Receiver<Event>) -> Option<Event> {
        let deadline = match &self.running {
            Some(Running {
                kind: Kind::Search { deadline, .. },
                ..
            }) => *deadline,
            _ => None,
        };
        // The session holds a sender itself, so the queue never disconnects.
        match deadline {
            None => queue.recv().ok(),
            Some(deadline) => queue
                .recv_timeout(deadline.saturating_duration_since(Instant::now()))
                .ok(),
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
                if let Some(Running {
                    kind: Kind::Search { deadline: None, .. },
                    ..
                }) = self.running
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
            Command::Uci => self.introduce()?,
            Command::IsReady => self.say(&Reply::ReadyOk)?,
            Command::NewGame => self.desk.new_game(),
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
                    Box::new(move |courier| bench::run(&inner, |line| courier.say(Reply::Text(line))));
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

    /// Answers `uci`.
    fn introduce(&mut self) -> io::Result<()> {
        let version = env!("CARGO_PKG_VERSION");
        let mut replies = vec![
            Reply::IdName(format!("Lodestone {version}")),
            Reply::IdAuthor("the Lodestone developers".to_string()),
        ];
        replies.extend(Options::announced().map(Reply::Option));
        replies.push(Reply::UciOk);
        let lines: Vec<String> = replies.iter().map(Reply::to_string).collect();
        self.write(&(lines.join("\n") + "\n"))
    }

    /// Sets an option; what follows from it is done at once or not at all.
    fn set_option(&mut self, name: &str, value: Option<&str>) -> Result<(), String> {
        let mut options = self.options.clone();
        options.set(name, value)?;
        let same_player = Options {
            move_overhead: self.options.move_overhead,
            ..options.clone()
        } == self.options;
        if name.eq_ignore_ascii_case(Options::VARIANT) {
            self.desk = desk::open(&options)?;
        } else if !same_player {
            self.desk.set_player(&options)?;
        }
        self.options = options;
        Ok(())
    }

    fn go(&mut self, limits: &Limits, arrival: Instant) -> io::Result<()> {
        if self.running.is_some() {
            return self.error("a search is running; it ends with `stop`");
        }
        let waits_for_stop = !limits.is_bounded();
        let begun = self.desk.go(limits, arrival, &self.options);
        if begun.is_ok() && !limits.unknown.is_empty() {
            let words = escaped(&limits.unknown.join(" "));
            self.error(&format!("unknown in `go`, skipped: {words}"))?;
        }
        match begun {
            Err(why) => self.error(&why),
            Ok(Go::GameOver) if !waits_for_stop => self.answer(NO_MOVE),
            Ok(Go::GameOver) => {
                // Nothing to search; the answer waits for `stop` all the same.
                self.start(
                    Box::new(|_| ()),
                    StopToken::default(),
                    Kind::Search {
                        answer: Box::new(|| NO_MOVE.to_string()),
                        deadline: None,
                        waits_for_stop,
                    },
                );
                Ok(())
            }
            Ok(Go::Search(Search {
                job,
                stop,
                published,
                notation,
                deadline,
            })) => {
                let answer = move || published.get().map_or(NO_MOVE.to_string(), notation);
                self.start(
                    job,
                    stop,
                    Kind::Search {
                        answer: Box::new(answer),
                        deadline,
                        waits_for_stop,
                    },
                );
                Ok(())
            }
        }
    }

    /// Starts `perft` or `bench`.
    fn count(&mut self, job: Job, stop: StopToken) -> io::Result<()> {
        if self.running.is_some() {
            return self.error("a search is running; it ends with `stop`");
        }
        self.start(job, stop, Kind::Count);
        Ok(())
    }

    fn start(&mut self, job: Job, stop: StopToken, kind: Kind) {
        self.last_job += 1;
        let id = self.last_job;
        self.running = Some(Running { id, stop, kind });
        work::start(id, &self.sender, job);
    }

    /// A job has ended by itself.
    fn job_done(&mut self, id: JobId) -> io::Result<()> {
        if !self.is_current(id) {
            return Ok(());
        }
        match &self.running {
            Some(Running {
                kind: Kind::Search {
                    waits_for_stop: true, ..
                },
                ..
            }) => Ok(()),
            _ => self.finish(),
        }
    }

    /// Ends what runs: a search is told to stop and answered, whether or not
    /// its thread has noticed.
    fn finish(&mut self) -> io::Result<()> {
        let Some(Running { stop, kind, .. }) = self.running.take() else {
            return Ok(());
        };
        stop.set();
        match kind {
            Kind::Search { answer, .. } => self.answer(&answer()),
            Kind::Count => Ok(()),
        }
    }

    fn answer(&mut self, best: &str) -> io::Result<()> {
        self.say(&Reply::BestMove {
            best: best.to_string(),
            ponder: None,
        })
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
    use std::time::Duration;

    use super::*;
    use crate::board::{Cell, Move};
    use crate::engine::work::Published;
    use crate::protocol::Start;

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
        fn new_game(&mut self) {}
        fn describe(&self) -> String {
            String::new()
        }
        fn evaluation(&self) -> String {
            String::new()
        }
        fn go(&mut self, _: &Limits, arrival: Instant, _: &Options) -> Result<Go, String> {
            let bad = self.0;
            Ok(Go::Search(Search {
                job: Box::new(move |_| bad()),
                stop: StopToken::default(),
                published: Published::new(Move::place(Cell::new(0, 7))),
                notation: |one| format!("{}:{}", one.to().row(), one.to().column()),
                deadline: Some(arrival + Duration::from_millis(20)),
            }))
        }
        fn perft(&self, _: u32, _: StopToken) -> Job {
            Box::new(|_| ())
        }
    }

    /// What a session with this desk says to these lines and the end of input.
    fn replies(desk: BadDesk, lines: &[&str]) -> Vec<String> {
        let (sender, queue) = channel();
        let (_places, taken) = sync_channel(MOST_WAITING);
        for line in lines {
            sender
                .send(Event::Input(Input::Line(line.to_string(), Instant::now())))
                .unwrap();
        }
        sender.send(Event::Input(Input::End)).unwrap();
        let mut session = Session::new(Options::default(), Box::new(desk), sender, Vec::new());
        session.talk(&queue, &taken).unwrap();
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
