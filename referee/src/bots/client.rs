//! The client of a bot, on standard input and output: commands in, one `bestmove` for each `go` out.

use std::collections::VecDeque;
use std::time::Instant;

use lodestone_game::input::Input;
use lodestone_game::protocol::{Command, Limits, OptionSpec, Query, Reply, Start};
use referee_core::io::text::printable;

use super::responder::{Responder, say};

/// Commands that may wait for the end of a search.
const MAX_DEFERRED: usize = 1024;

/// Maximum length of an error, in characters.
pub(crate) const MAX_ERROR: usize = 1000;

/// What a bot does with commands. A client reads its lines from an `Input`.
pub(crate) trait Bot {
    type Input;
    type Error;

    /// Its name, and the options that it announces.
    fn introduce(
        &mut self,
        client: &mut Client<Self::Input>,
    ) -> Result<(String, Vec<OptionSpec>), Self::Error>;

    /// Waits for the next line.
    fn next_input(&mut self, client: &mut Client<Self::Input>) -> Input;

    /// Waits until a `go` can be answered in time.
    fn prepare(&mut self, _client: &mut Client<Self::Input>) -> Result<(), Self::Error> {
        Ok(())
    }

    fn new_game(&mut self) -> Result<(), Self::Error>;

    fn set_option(
        &mut self,
        name: &str,
        value: &str,
        client: &mut Client<Self::Input>,
    ) -> Result<(), Self::Error>;

    fn set_position(&mut self, start: Start, moves: Vec<String>);

    /// The best move; `0000` if there is none.
    fn think(
        &mut self,
        limits: &Limits,
        arrival: Instant,
        client: &mut Client<Self::Input>,
    ) -> Result<String, Self::Error>;

    fn answer(&mut self, query: &Query) -> Result<(), Self::Error>;

    /// The position for a person.
    fn display(&self) -> Option<String> {
        None
    }
}

/// Plays for the client until it leaves.
pub(crate) fn serve<B: Bot>(bot: &mut B, client: &mut Client<B::Input>) -> Result<(), B::Error> {
    while let Some((command, arrival)) = client.next(bot) {
        match command {
            Command::Greet(dialect) => {
                let (name, options) = bot.introduce(client)?;
                say(&Reply::IdName(name));
                for option in options {
                    say(&Reply::Option(option));
                }
                say(&Reply::Greeted(dialect));
            }
            Command::IsReady => {
                bot.prepare(client)?;
                say(&Reply::ReadyOk);
            }
            Command::NewGame => bot.new_game()?,
            Command::SetOption { name, value } => {
                bot.set_option(&name, &value.unwrap_or_default(), client)?;
            }
            Command::Position { start, moves } => bot.set_position(start, moves),
            Command::Go(limits) => {
                client.is_held = is_held(&limits);
                client.is_stopped = client.is_held && client.has_left;
                client.responder.begin();
                let best = bot.think(&limits, arrival, client)?;
                while client.is_held && !client.is_stopped {
                    let input = bot.next_input(client);
                    client.receive(input);
                }
                client.responder.finish(best);
            }
            Command::Query(query) => bot.answer(&query)?,
            Command::Debug(_) | Command::Register | Command::PonderHit | Command::Stop | Command::Quit => {}
            Command::Perft(_) | Command::Display | Command::Eval | Command::Bench => {
                match bot.display().filter(|_| command == Command::Display) {
                    Some(text) => say(&Reply::Text(text)),
                    None => report(&format!("`{command}` is not a command of this player")),
                }
            }
        }
    }
    Ok(())
}

/// Whether the answer waits for `stop`.
pub(crate) fn is_held(limits: &Limits) -> bool {
    limits.ponder || !limits.is_bounded()
}

#[derive(Debug)]
pub(crate) struct Client<S> {
    pub source: S,
    pub responder: Responder,
    /// Commands that wait for their turn.
    deferred: VecDeque<(Command, Instant)>,
    /// Whether the search in progress still needs a `stop`.
    is_held: bool,
    /// Whether it is to be answered now.
    pub is_stopped: bool,
    /// Whether the input has ended or `quit` has come.
    pub has_left: bool,
}

impl<S> Client<S> {
    pub fn new(source: S, responder: Responder) -> Client<S> {
        Client {
            source,
            responder,
            deferred: VecDeque::new(),
            is_held: false,
            is_stopped: false,
            has_left: false,
        }
    }

    /// Waits for a command and the time of its arrival. `None` after `quit` and at the end of input.
    fn next<B: Bot<Input = S>>(&mut self, bot: &mut B) -> Option<(Command, Instant)> {
        loop {
            if let Some(command) = self.deferred.pop_front() {
                return Some(command);
            }
            if self.has_left {
                return None;
            }
            let input = bot.next_input(self);
            self.receive(input);
        }
    }

    /// Whether the answer of the search in progress can still reach the client.
    pub const fn is_waiting(&self) -> bool {
        !(self.has_left && self.is_held)
    }

    /// Parses a line. During a search, some commands take effect at once.
    pub fn receive(&mut self, input: Input) {
        let (line, arrival) = match input {
            Input::Line(line, arrival) => (line, arrival),
            Input::Unusable { error, .. } => return report(&error),
            Input::End => {
                self.has_left = true;
                // A bounded search finishes.
                self.is_stopped |= self.is_held;
                return;
            }
        };
        if line.trim().is_empty() {
            return;
        }
        let is_searching = !self.responder.is_answered();
        match Command::parse(&line) {
            Err(error) => report(&error.to_string()),
            Ok(Command::Quit) => {
                self.has_left = true;
                self.is_held = true;
                self.is_stopped = true;
            }
            Ok(Command::IsReady) if is_searching => say(&Reply::ReadyOk),
            Ok(Command::Stop | Command::PonderHit) if is_searching => {
                self.is_held = false;
                self.is_stopped = true;
            }
            Ok(Command::Go(_)) if is_searching => report("a search is running; it ends with `stop`"),
            Ok(_) if self.deferred.len() == MAX_DEFERRED => report(&format!(
                "{MAX_DEFERRED} lines wait for the end of the search already; this one is dropped"
            )),
            Ok(command) => self.deferred.push_back((command, arrival)),
        }
    }
}

/// Reports an error to the client.
pub(crate) fn report(why: &str) {
    let lines: Vec<&str> = why.lines().map(str::trim).collect();
    let text = printable(&lines.join("; "), MAX_ERROR);
    say(&Reply::InfoString(format!("error: {text}")));
}
