//! The engine behind a bridge: a child, its lines, and the client's meanwhile.

use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use lodestone_game::input::Input;
use referee_core::io::interrupt::Interrupt;
use referee_core::io::lines::{self, LineBuffer};
use referee_core::io::text::printable;
use referee_core::player::{RECEIVED_BY_BRIDGE, SENT_BY_BRIDGE, UNFINISHED_BY_BRIDGE};
use referee_core::process::{Launch, Process, Received, shortage};
use referee_core::system::pipes::{Reader, stderr_file};

use super::end::BridgeEnd;
use crate::bots::client::Client;

/// A client whose lines are read between those of the engine.
pub(super) type LocalClient = Client<LineBuffer>;

/// How long lines for the referee wait for the answer, with which they are written at once.
const ECHO_WAIT: Duration = Duration::from_millis(20);

/// Lines that say nothing, and are not shown: an empty one, and the response of GTP to a command that was done.
const NOTHING: &str = "";
const ACKNOWLEDGED: &str = "=";

/// How often it is seen whether the engine has begun a line without ending it.
const LOOK: Duration = Duration::from_millis(200);

/// As long as the client waits.
pub(super) const FOREVER: Duration = Duration::from_secs(10_000_000);

/// The most lines that are kept of what the engine writes while nothing is asked.
const MAX_EARLY: usize = 100;

/// The most characters of a line in a message.
const MAX_QUOTE: usize = 100;

/// The most characters of a line that is shown to the referee.
const MAX_SHOWN: usize = 1000;

/// A running engine.
#[derive(Debug)]
pub(super) struct EngineChild {
    process: Process,
    /// Lines that are not sent yet: several of them are one write.
    outbox: String,
    /// The last line sent.
    last_sent: String,
    /// The last line received that is not known to be an answer.
    last_line: Option<String>,
    /// The beginning of a line that the referee has been shown.
    unfinished: Option<String>,
    /// Whether it was told to move at once.
    is_hurried: bool,
    /// Lines that came while nothing was asked, to be shown with the next request.
    early: Vec<String>,
    /// Whether the client's lines have ended.
    has_client_left: bool,
}

impl EngineChild {
    /// Starts the engine. What it writes to standard error goes to that of the bridge.
    pub fn start(program: &str, args: &[String]) -> Result<EngineChild, BridgeEnd> {
        let failed = |error: io::Error| match shortage(&error) {
            Some(what) => BridgeEnd::Short(format!("{program} cannot be started: {what}")),
            None => BridgeEnd::Engine(format!("cannot be started: {error}")),
        };
        let interrupt = Interrupt::unreachable().map_err(failed)?;
        let launch = Launch {
            program: program.into(),
            args: args.to_vec(),
            dir: None,
            stderr: stderr_file().ok().map(|file| Arc::new(file.into())),
            limits: referee_core::process::ResourceLimits::default(),
            sandbox: None,
            // The bridge has one already.
            supervisor: None,
            is_own: false,
        };
        let mut process = Process::start(&launch, Arc::new(interrupt)).map_err(failed)?;
        let input = Reader::stdin().map_err(failed)?;
        process.channel().watch_input(Some(input));
        Ok(EngineChild {
            process,
            outbox: String::new(),
            last_sent: String::new(),
            last_line: None,
            unfinished: None,
            is_hurried: false,
            early: Vec::new(),
            has_client_left: false,
        })
    }

    /// Reads once from the client.
    fn read_client(&mut self, client: &mut LocalClient) {
        match self.process.channel().read_input(&mut client.source) {
            Ok(0) => self.has_client_left = true,
            Ok(_) => {}
            Err(error) if [ErrorKind::WouldBlock, ErrorKind::Interrupted].contains(&error.kind()) => {}
            Err(_) => self.has_client_left = true,
        }
    }

    /// The next line of the client, or its end.
    pub fn input_of(&mut self, client: &mut LocalClient) -> Option<Input> {
        let mut line = client.source.next_line();
        if line.is_none() && self.has_client_left {
            line = client.source.take_rest();
        }
        match line {
            Some(Ok(line)) => Some(Input::Line(lines::text(&line).raw().to_string(), Instant::now())),
            Some(Err(_)) => Some(Input::Unusable {
                error: "a line is too long".into(),
                text: String::new(),
            }),
            None => self.has_client_left.then_some(Input::End),
        }
    }

    /// Waits for the client while nothing is asked. A line of the engine is passed on.
    pub fn wait_idle(&mut self, client: &mut LocalClient, take: impl FnOnce(&str)) {
        self.process.channel().begin_count();
        let until = Instant::now() + FOREVER;
        match self.process.channel().receive_or_input(until, None) {
            Some(Received::Line { text, .. }) if text.raw().trim().is_empty() => {}
            Some(Received::Line { text, .. }) => {
                take(text.raw());
                if self.early.len() < MAX_EARLY {
                    self.early.push(shown(RECEIVED_BY_BRIDGE, text.raw()));
                }
                self.last_line = Some(text.raw().to_string());
            }
            // Blocks until the client says something; the next request finds the end of the engine.
            Some(_) | None => self.read_client(client),
        }
    }

    /// Asks the engine to leave, and waits for a moment.
    pub fn dismiss(mut self, last_words: Option<&str>) {
        if let Some(words) = last_words {
            self.process.channel().send(&format!("{words}\n"));
        }
        referee_core::process::shut_down(vec![self.process]);
    }
}

/// A line for the referee.
fn shown(begin: &str, line: &str) -> String {
    let line = line.trim_end();
    // Most lines are shown as they are, and quickly.
    if line.len() <= MAX_SHOWN && line.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
        return [begin, line].concat();
    }
    format!("{begin}{}", printable(line, MAX_SHOWN))
}

/// The engine and the client, while a protocol speaks.
pub(super) struct Link<'a> {
    pub engine: &'a mut EngineChild,
    pub client: &'a mut LocalClient,
    /// The word that makes the engine move at once.
    pub stop: Option<&'static str>,
}

impl Link<'_> {
    /// Sends a line, at the latest with the next wait.
    pub fn send(&mut self, line: &str) {
        self.engine.outbox.extend([line, "\n"]);
        if line.is_empty() {
            return;
        }
        self.engine.last_sent = line.to_string();
        self.client.responder.add(&shown(SENT_BY_BRIDGE, line));
    }

    /// Sends a piece of a line that does not count as a request.
    pub fn send_piece(&mut self, piece: &str) {
        self.engine.outbox.push_str(piece);
    }

    /// Begins a request: the output for it is counted anew.
    pub fn begin(&mut self) {
        self.engine.process.channel().begin_count();
        self.engine.is_hurried = false;
        (self.engine.last_line, self.engine.unfinished) = (None, None);
        for line in self.engine.early.drain(..) {
            self.client.responder.add(&line);
        }
    }

    /// The last line was an answer as it should be.
    pub fn understood(&mut self) {
        self.engine.last_line = None;
    }

    /// Waits for the next line that is not empty.
    pub fn receive(&mut self) -> Result<String, BridgeEnd> {
        loop {
            if let Some(line) = self.receive_for(FOREVER)?
                && !line.is_empty()
            {
                return Ok(line);
            }
        }
    }

    /// Sends a request and waits for the line that ends its answer.
    pub fn ask_until(&mut self, request: &str, last: &str) -> Result<(), BridgeEnd> {
        self.send(request);
        while self.receive()? != last {}
        Ok(())
    }

    /// Waits for the next line, which may be empty, for this time.
    pub fn receive_for(&mut self, time: Duration) -> Result<Option<String>, BridgeEnd> {
        let until = Instant::now() + time;
        loop {
            self.hurry();
            let text = std::mem::take(&mut self.engine.outbox);
            let channel = self.engine.process.channel();
            if !text.is_empty() {
                channel.send(&text);
            }
            // Of many lines, the first one decides.
            let mut echo_at = self.client.responder.kept_since().map(|since| since + ECHO_WAIT);
            if echo_at.is_some_and(|at| at <= Instant::now()) {
                self.client.responder.flush();
                echo_at = None;
            }
            let next = echo_at
                .map_or(until, |at| at.min(until))
                .min(Instant::now() + LOOK);
            match channel.receive_or_input(next, None) {
                Some(Received::Line { text, .. }) => {
                    let line = text.raw().trim().to_string();
                    if ![NOTHING, ACKNOWLEDGED].contains(&line.as_str()) {
                        self.client.responder.add(&shown(RECEIVED_BY_BRIDGE, &line));
                        self.engine.last_line = Some(line.clone());
                    }
                    return Ok(Some(line));
                }
                Some(Received::Deadline) if next < until => self.show_unfinished(),
                Some(Received::Deadline) => return Ok(None),
                Some(Received::Closed) => return Err(self.ended()),
                Some(Received::Overlong(_)) => return Err(self.wrong("a line of more than 64 KiB")),
                Some(Received::Flood) => return Err(self.wrong("more than 8 MiB without an answer")),
                Some(Received::Stopped(_)) => return Err(BridgeEnd::Left),
                None => self.read_client()?,
            }
        }
    }

    /// Shows the beginning of a line whose end does not come.
    fn show_unfinished(&mut self) {
        let line = self.engine.process.channel().unfinished_line();
        let line = line.map(|line| line.raw().trim().to_string());
        let line = line.filter(|line| !line.is_empty());
        if self.engine.unfinished != line
            && let Some(line) = &line
        {
            self.client.responder.add(&shown(UNFINISHED_BY_BRIDGE, line));
            self.client.responder.flush();
        }
        self.engine.unfinished = line;
    }

    /// Takes the client's lines; those that are not about the search wait.
    fn read_client(&mut self) -> Result<(), BridgeEnd> {
        self.engine.read_client(self.client);
        while let Some(input) = self.engine.input_of(self.client) {
            let is_end = input == Input::End;
            self.client.receive(input);
            if is_end {
                self.engine.process.channel().watch_input(None);
                break;
            }
        }
        // A search with limits is finished at the end of input; `quit` ends it.
        if self.client.has_left && (self.client.is_stopped || self.client.responder.is_answered()) {
            return Err(BridgeEnd::Left);
        }
        Ok(())
    }

    /// Passes a `stop` of the client on.
    fn hurry(&mut self) {
        if self.client.is_stopped
            && !self.client.responder.is_answered()
            && !std::mem::replace(&mut self.engine.is_hurried, true)
            && let Some(word) = self.stop
        {
            self.send(word);
        }
    }

    /// The engine has ended: how, and its last line, which may say why.
    fn ended(&mut self) -> BridgeEnd {
        self.client.responder.flush();
        let (how, _) = self.engine.process.finish();
        let line = self.engine.last_line.as_deref();
        let said = line.map_or(String::new(), |line| {
            format!("; its last line was `{}`", printable(line, MAX_QUOTE))
        });
        let after = printable(&self.engine.last_sent, MAX_QUOTE);
        BridgeEnd::Engine(format!("{how} after `{after}`{said}"))
    }

    /// The last line that was sent.
    pub fn engine_request(&self) -> String {
        self.engine.last_sent.clone()
    }

    /// The engine has written this, a clause, in place of an answer.
    pub fn wrong(&self, what: &str) -> BridgeEnd {
        let asked = printable(&self.engine.last_sent, MAX_QUOTE);
        BridgeEnd::Engine(format!("wrote {what} after `{asked}`"))
    }
}

/// The engine has answered a request with this line, for this reason wrongly.
pub(super) fn refused(request: &str, line: &str, why: &str) -> BridgeEnd {
    let (request, line) = (printable(request, MAX_QUOTE), printable(line, MAX_QUOTE));
    BridgeEnd::Engine(format!("answered `{request}` with `{line}`{why}"))
}
