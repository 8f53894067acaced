//! The protocol side of the adapter.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::os::fd::BorrowedFd;
use std::time::{Duration, Instant};

use lodestone::board::Side;
use lodestone::engine::input::{Input, Lines};
use lodestone::game::Variant;
use lodestone::protocol::{Command, Dialect, Limits, OptionKind, OptionSpec, Reply};

use super::game::{AdaptedGame, FIRST_OUTPUT_WAIT, GameEnd, GameObserver, problem, start_program};
use super::line::Line;
use super::program::{AdaptedProgram, wait};
use super::spec::AdapterSpec;
use crate::io::text::printable;

/// The option that selects the game.
const VARIANT_OPTION: &str = "UCI_Variant";

/// Maximum length of an error on standard output, in characters.
const MAX_ERROR: usize = 1000;

/// The client, on standard input and output.
#[derive(Debug, Default)]
struct Client {
    lines: Lines,
    /// Commands that wait for their turn.
    deferred: VecDeque<Command>,
    search: SearchState,
    /// Whether the input has ended or `quit` has come.
    has_left: bool,
}

/// What a search in progress waits for, beside the program's move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum SearchState {
    /// No search is in progress.
    #[default]
    Idle,
    /// It answers at once.
    Bounded,
    /// It answers after `stop` or `ponderhit`.
    Held,
}

/// Plays games for the client until it leaves.
pub(crate) fn run(spec: &AdapterSpec) -> Result<(), GameEnd> {
    let mut session = AdapterSession {
        spec,
        line: Line::startpos(spec.variant),
        game: None,
        started: None,
    };
    let mut client = Client::default();
    while let Some(command) = session.next_command(&mut client) {
        match session.execute(command, &mut client) {
            Err(GameEnd::Abandoned) => return Ok(()),
            Err(GameEnd::Problem { message, screen }) => {
                report(&message);
                return Err(GameEnd::Problem { message, screen });
            }
            Ok(()) => {}
        }
    }
    Ok(())
}

/// The adapter as a bot.
#[derive(Debug)]
struct AdapterSession<'a> {
    spec: &'a AdapterSpec,
    line: Line,
    game: Option<AdaptedGame<'a>>,
    /// The program of the next game.
    started: Option<AdaptedProgram>,
}

impl AdapterSession<'_> {
    /// Waits for a command. Meanwhile, the output of the program is read, so that it does not
    /// block. `None` after `quit` and at the end of input.
    fn next_command(&mut self, client: &mut Client) -> Option<Command> {
        loop {
            if let Some(command) = client.deferred.pop_front() {
                return Some(command);
            }
            if client.has_left {
                return None;
            }
            if let Some(input) = client.lines.pop() {
                client.receive(input);
            } else {
                self.wait(client);
            }
        }
    }

    /// Waits for input of the client or output of the program, which is read.
    fn wait(&mut self, client: &mut Client) {
        let mut program = match &mut self.game {
            Some(game) => Some(&mut game.program),
            None => self.started.as_mut(),
        };
        let has_input = wait(program.as_deref_mut(), Some(rustix::stdio::stdin()), None);
        if let Some(program) = program {
            let new = program.read();
            client.printed(&new);
        }
        if has_input {
            client.lines.read_from(&mut io::stdin().lock());
        }
    }

    fn execute(&mut self, command: Command, client: &mut Client) -> Result<(), GameEnd> {
        match command {
            Command::Greet(dialect) => self.greet(dialect),
            Command::IsReady => {
                self.warm_up(client);
                say(&Reply::ReadyOk);
            }
            Command::NewGame => {
                self.game = None;
                self.started = None;
                if self.spec.has_fixed_command() {
                    let start = self.spec.variant.startpos();
                    self.started = Some(start_program(self.spec, start.as_ref(), Side::First)?);
                }
            }
            Command::SetOption { name, value } => self.set_option(&name, value.as_deref())?,
            Command::Position { start, moves } => match Line::parse(self.spec.variant, &start, &moves) {
                Ok(line) => self.line = line,
                Err(why) => report(&why),
            },
            Command::Go(limits) => return self.go(&limits, client),
            Command::Query(query) => {
                for reply in Reply::to(&query, self.line.position()) {
                    say(&reply);
                }
            }
            Command::Display => {
                let position = self.line.position();
                let text = format!("{}\nFen: {}", position.diagram(), position.fen());
                say(&Reply::Text(text));
            }
            Command::PonderHit | Command::Stop | Command::Debug(_) | Command::Register => {}
            Command::Quit => client.has_left = true,
            Command::Perft(_) | Command::Eval | Command::Bench => {
                report(&format!("`{command}` is no command of an adapted program"));
            }
        }
        Ok(())
    }

    fn greet(&self, dialect: Dialect) {
        let variant = self.spec.variant.name().to_string();
        say(&Reply::IdName(format!("adapter {}", lodestone::VERSION)));
        say(&Reply::Option(OptionSpec {
            name: VARIANT_OPTION.to_string(),
            kind: OptionKind::Combo {
                default: variant.clone(),
                choices: vec![variant],
            },
        }));
        say(&Reply::Greeted(dialect));
    }

    /// Accepts the game that the program plays. Another one is a problem, because the client
    /// would send its positions.
    fn set_option(&mut self, name: &str, value: Option<&str>) -> Result<(), GameEnd> {
        let variant = self.spec.variant;
        let value = value.unwrap_or_default();
        if !name.eq_ignore_ascii_case(VARIANT_OPTION) {
            report(&format!("there is no option `{}`", printable(name, MAX_NAME)));
            return Ok(());
        }
        if value.eq_ignore_ascii_case(variant.name()) {
            self.line = Line::startpos(variant);
            return Ok(());
        }
        if Variant::from_name(&value.to_lowercase()).is_none() {
            report(&format!("there is no variant `{}`", printable(value, MAX_NAME)));
            return Ok(());
        }
        Err(problem(format!(
            "this program plays {variant}, not {value}; its file says so (key `variant`)"
        )))
    }

    /// Waits until the program for the next game has started, because no clock runs now.
    fn warm_up(&mut self, client: &mut Client) {
        let until = Instant::now() + FIRST_OUTPUT_WAIT;
        while let Some(program) = &mut self.started {
            let new = program.read();
            client.printed(&new);
            let left = until.saturating_duration_since(Instant::now());
            if program.written > 0 || program.is_closed || left.is_zero() {
                return;
            }
            wait(Some(program), None, Some(left));
        }
    }

    /// Answers a `go`.
    fn go(&mut self, limits: &Limits, client: &mut Client) -> Result<(), GameEnd> {
        let is_bounded = limits.is_bounded() && !limits.ponder;
        client.search = if is_bounded {
            SearchState::Bounded
        } else {
            SearchState::Held
        };
        // Lines that arrived with `go` are not seen by `poll` any more.
        if !client.receive_all() {
            return Err(GameEnd::Abandoned);
        }
        let position = self.line.position();
        let best = match position.outcome() {
            Some(_) => "0000".to_string(),
            None => self.answer(limits, position.side_to_move(), client)?,
        };
        while client.search == SearchState::Held && !client.has_left {
            match client.lines.pop() {
                Some(input) => client.receive(input),
                None => self.wait(client),
            }
        }
        client.search = SearchState::Idle;
        say(&Reply::BestMove { best, ponder: None });
        Ok(())
    }

    /// The program's move in the client's position.
    fn answer(&mut self, limits: &Limits, side: Side, client: &mut Client) -> Result<String, GameEnd> {
        let asked = Instant::now();
        if let Some(mv) = self.game.as_ref().and_then(|game| game.known_answer(&self.line)) {
            return Ok(self.line.position().move_text(mv));
        }
        let continuation = self.game.as_ref().and_then(|game| game.continuation(&self.line));
        // One process at a time: another game ends the old one.
        let old = self.game.take().filter(|_| continuation.is_some());
        let mut game = match old {
            Some(game) => game,
            None => AdaptedGame::start(self.spec, self.started.take(), &self.line, client)?,
        };
        if let Some(mv) = continuation {
            game.opponent_moves(mv, client)?;
        }
        let clock = match side {
            Side::First => limits.wtime,
            Side::Second => limits.btime,
        };
        let allowed = limits.movetime.or(clock).filter(|_| limits.is_bounded());
        let allowed = allowed.map(|time| Duration::from_millis(time.max(0) as u64));
        // What was typed before counts, too.
        let left = allowed.map(|allowed| allowed.saturating_sub(asked.elapsed()));
        let answer = game.await_answer(left, client)?;
        if let Some(why) = answer.problem {
            let text = format!("the program's answer {} cannot be played: {why}", answer.text);
            say(&Reply::InfoString(printable(&text, MAX_ERROR)));
        } else if game.game.position().outcome().is_none() {
            self.game = Some(game);
        }
        Ok(answer.text)
    }
}

/// Maximum length of a name that an error repeats, in characters.
const MAX_NAME: usize = 40;

impl Client {
    /// Parses a line. Some commands take effect at once, even during a search.
    fn receive(&mut self, input: Input) {
        let line = match input {
            Input::Line(line, _) => line,
            Input::Unusable { error, .. } => return report(&error),
            Input::End => {
                self.has_left = true;
                return;
            }
        };
        if line.trim().is_empty() {
            return;
        }
        match Command::parse(&line) {
            Err(error) => report(&error.to_string()),
            Ok(command) if self.search == SearchState::Idle => self.deferred.push_back(command),
            Ok(Command::IsReady) => say(&Reply::ReadyOk),
            Ok(Command::Stop | Command::PonderHit) => self.search = SearchState::Bounded,
            Ok(Command::Quit) => {
                self.search = SearchState::Held;
                self.has_left = true;
            }
            Ok(Command::Go(_)) => report("a search is in progress"),
            Ok(command) => self.deferred.push_back(command),
        }
    }

    /// Parses all lines that were read during a search. Returns whether it goes on.
    fn receive_all(&mut self) -> bool {
        while let Some(input) = self.lines.pop() {
            self.receive(input);
        }
        !self.has_left || self.search == SearchState::Bounded
    }
}

/// Reports an error to the client.
fn report(why: &str) {
    let text = format!("error: {}", printable(why, MAX_ERROR));
    say(&Reply::InfoString(text));
}

/// Writes a reply. If the client is gone, its input ends as well.
fn say(reply: &Reply) {
    let mut out = io::stdout().lock();
    let _ = writeln!(out, "{reply}").and_then(|()| out.flush());
}

impl GameObserver for Client {
    fn input(&self) -> Option<BorrowedFd<'_>> {
        // After its end, the input would be readable for ever.
        (!self.lines.has_ended()).then(rustix::stdio::stdin)
    }

    /// The game goes on after the end of input if the search ends by itself.
    fn on_input(&mut self) -> bool {
        self.lines.read_from(&mut io::stdin().lock());
        self.receive_all()
    }

    fn typed(&mut self, line: &str) {
        log::debug!("typed: {}", printable(line, MAX_ERROR));
    }

    fn printed(&mut self, text: &str) {
        for line in text.lines() {
            log::debug!("printed: {}", printable(line, MAX_ERROR));
        }
    }

    fn late(&mut self, why: &str) -> bool {
        report(why);
        !self.has_left
    }
}
