//! A whole session with the engine.

use std::collections::VecDeque;
use std::io::{self, BufReader, PipeWriter, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use lodestone::engine::{self, Options};
use lodestone_game::protocol::{Command, Dialect, Limits, Reply, Start, option_names};
use lodestone_game::{AnyPosition, Variant};

use super::support::one_line;

/// Maximum number of lines to send.
const MAX_LINES: usize = 40;

/// Maximum time without output before a reply.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The beginning of an error.
const ERROR: &str = "info string error: ";

/// Sends the lines of the input to an engine and checks the replies: exactly one error
/// for each unusable line and none for others, one `bestmove` for each `go`, and the
/// right position for `d`. Skips commands that may take long.
pub fn session(input: &[u8]) -> String {
    let options = Options {
        hash: 1,
        ..Options::default()
    };
    let mut client = Client::start(options);
    // Only before the first line is a byte order mark no error.
    client.send(b"");
    let mut answer = String::new();
    for line in input.split(|&byte| byte == b'\n').take(MAX_LINES) {
        let command = std::str::from_utf8(line).ok().map(Command::parse);
        let command = command.and_then(Result::ok);
        if command.as_ref().is_some_and(is_long) {
            continue;
        }
        answer += &client.check(line, command.as_ref());
        if command == Some(Command::Quit) {
            break;
        }
    }
    client.finish();
    answer
}

/// The running search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Search {
    None,
    /// Ends without `stop`.
    Bounded,
    /// Ends after `stop`.
    Infinite,
    /// Ends after `stop`; after `ponderhit` like one of the others.
    Pondering {
        is_bounded: bool,
    },
}

/// A `go` without an answer.
#[derive(Debug, PartialEq, Eq)]
struct PendingGo {
    /// The allowed answers; empty if the game is over.
    moves: Vec<String>,
    /// The searched position.
    fen: String,
    variant: Variant,
}

/// A client with a model of the state that the engine should have.
struct Client {
    engine: JoinHandle<Result<(), String>>,
    input: Option<PipeWriter>,
    output: Receiver<Vec<u8>>,
    replies: VecDeque<String>,
    options: Options,
    position: Box<dyn AnyPosition>,
    /// Whether the last `position` was refused.
    is_position_refused: bool,
    search: Search,
    dialect: Dialect,
    /// The `go` to answer.
    pending: Option<PendingGo>,
}

/// Sends what the engine writes.
struct Output(Sender<Vec<u8>>);

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let _ = self.0.send(bytes.to_vec());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What the replies to one line contain.
#[derive(Default)]
struct Seen {
    errors: Vec<String>,
    fen: Option<String>,
    responses: Vec<String>,
}

impl Client {
    fn start(options: Options) -> Client {
        let (source, input) = io::pipe().expect("a pipe can be made");
        let (sender, output) = channel();
        let for_engine = options.clone();
        let engine = move || engine::converse(for_engine, BufReader::new(source), Output(sender));
        Client {
            engine: thread::spawn(engine),
            input: Some(input),
            output,
            replies: VecDeque::new(),
            position: options.variant.startpos(),
            options,
            is_position_refused: false,
            search: Search::None,
            dialect: Dialect::default(),
            pending: None,
        }
    }

    /// Sends a line and checks the replies.
    fn check(&mut self, line: &[u8], command: Option<&Command>) -> String {
        let counts = matches!(command, Some(Command::Perft(_)));
        if self.search == Search::Bounded && (counts || matches!(command, Some(Command::Go(_)))) {
            // It may have ended already.
            while self.pending.is_some() {
                self.next_reply().expect("a bounded search ends");
            }
            self.search = Search::None;
        }
        let errors = if let Some(command) = command {
            self.expected_errors(command)
        } else {
            let text = String::from_utf8_lossy(line);
            self.is_position_refused |= text.split_whitespace().next() == Some("position");
            usize::from(!text.trim().is_empty())
        };
        self.send(line);
        let mut seen = Seen::default();
        if counts && errors == 0 {
            self.read(&mut seen, |_, reply| reply.starts_with("Nodes searched: "));
        }
        self.send(b"d");
        if command == Some(&Command::Quit) {
            self.read(&mut seen, |_, _| false);
        } else {
            // `isready` is answered before the lines that wait for the end of a count.
            self.read(&mut seen, |seen, _| seen.fen.is_some());
            assert_eq!(seen.fen, Some(self.position.fen()));
            self.send(b"isready");
            self.read(&mut seen, |_, reply| reply == "readyok");
        }
        assert_eq!(seen.errors.len(), errors, "{:?}", seen.errors);
        if command != Some(&Command::Quit) {
            assert_eq!(seen.responses, self.expected_responses(command));
        }
        match self.search {
            Search::None => assert_eq!(self.pending, None, "no bestmove"),
            Search::Bounded if self.pending.is_none() => self.search = Search::None,
            Search::Bounded => {}
            Search::Infinite | Search::Pondering { .. } => {
                assert!(self.pending.is_some(), "a bestmove before stop");
            }
        }
        let kind = format!("{command:?}");
        let kind: String = kind
            .chars()
            .take_while(|&character| character != ' ' && character != '{')
            .collect();
        format!("{kind} {} ", seen.errors.concat())
    }

    /// The expected number of errors for a command. Applies it to the model.
    fn expected_errors(&mut self, command: &Command) -> usize {
        match command {
            Command::Greet(dialect) => self.dialect = *dialect,
            Command::Stop | Command::Quit => self.search = Search::None,
            Command::PonderHit => match self.search {
                Search::Pondering { is_bounded: true } => self.search = Search::Bounded,
                Search::Pondering { is_bounded: false } => self.search = Search::Infinite,
                _ => return 1,
            },
            Command::SetOption { name, value } => {
                let before = self.options.variant;
                if self.options.set(name, value.as_deref()).is_err() {
                    assert_eq!(self.options.variant, before);
                    return 1;
                }
                if name.eq_ignore_ascii_case(option_names::VARIANT) {
                    self.position = self.options.variant.startpos();
                    self.is_position_refused = false;
                }
            }
            Command::Position { start, moves } => {
                let position = played(self.options.variant, start, moves);
                self.is_position_refused = position.is_none();
                match position {
                    Some(position) => self.position = position,
                    None => return 1,
                }
            }
            Command::Go(limits) => return self.expected_errors_of_go(limits),
            Command::Perft(_) => return usize::from(self.search != Search::None),
            _ => {}
        }
        0
    }

    /// The answers to a query.
    fn expected_responses(&self, command: Option<&Command>) -> Vec<String> {
        let Some(Command::Query(query)) = command else {
            return Vec::new();
        };
        let replies = Reply::to(query, self.position.as_ref());
        replies.iter().map(Reply::to_string).collect()
    }

    fn expected_errors_of_go(&mut self, limits: &Limits) -> usize {
        if self.search != Search::None {
            return 1;
        }
        let legal = self.position.legal_moves();
        let legal: Vec<String> = legal.iter().map(|&mv| self.position.move_text(mv)).collect();
        let listed: Vec<String> = limits
            .searchmoves
            .iter()
            .map(|text| text.to_ascii_lowercase())
            .collect();
        let is_listed = |mv: &String| listed.contains(mv);
        let is_all = !legal.iter().any(is_listed);
        let is_unusable = listed.iter().any(|text| !legal.contains(text));
        let moves = if self.is_position_refused {
            Vec::new()
        } else {
            legal.into_iter().filter(|mv| is_all || is_listed(mv)).collect()
        };
        self.pending = Some(PendingGo {
            moves,
            fen: self.position.fen(),
            variant: self.options.variant,
        });
        self.search = match (limits.ponder, limits.is_bounded()) {
            (true, is_bounded) => Search::Pondering { is_bounded },
            (false, true) => Search::Bounded,
            (false, false) => Search::Infinite,
        };
        if self.is_position_refused {
            return 1;
        }
        [
            !limits.unknown.is_empty(),
            !limits.unusable.is_empty(),
            is_unusable,
        ]
        .map(usize::from)
        .iter()
        .sum()
    }

    fn send(&mut self, line: &[u8]) {
        if let Some(input) = &mut self.input {
            // Fails after `quit`.
            let _ = input.write_all(&[line, b"\n"].concat());
        }
    }

    /// Reads replies until `is_last` holds or the output ends.
    fn read(&mut self, seen: &mut Seen, is_last: impl Fn(&Seen, &str) -> bool) {
        while let Some(reply) = self.next_reply() {
            if let Some(error) = reply.strip_prefix(ERROR) {
                assert!(error.len() < 500, "a long error: {error}");
                seen.errors.push(error.to_string());
            }
            if let Some(fen) = reply.strip_prefix("Fen: ") {
                seen.fen = Some(fen.to_string());
            }
            if reply.split_whitespace().next() == Some("response") {
                seen.responses.push(reply.clone());
            }
            if is_last(seen, &reply) {
                return;
            }
        }
    }

    /// The engine's next line; `None` at the end of its output.
    fn next_reply(&mut self) -> Option<String> {
        if self.replies.is_empty() {
            let bytes = match self.output.recv_timeout(TIMEOUT) {
                Ok(bytes) => bytes,
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) => panic!("the engine is silent"),
            };
            let text = String::from_utf8(bytes).expect("an engine writes UTF-8");
            assert!(text.ends_with('\n'), "a line is written whole: {text:?}");
            self.replies.extend(text.lines().map(str::to_string));
        }
        let reply = self.replies.pop_front()?;
        one_line(&reply);
        match Reply::parse(&reply) {
            Ok(Reply::BestMove { best, ponder }) => {
                let pending = self.pending.take().expect("a bestmove without a go");
                let is_move = pending.moves.contains(&best) || pending.moves.is_empty() && best == "0000";
                assert!(is_move, "{best} for {pending:?}");
                if let Some(ponder) = ponder {
                    assert_eq!(self.dialect, Dialect::Uci);
                    let line = [best, ponder];
                    let position = played(pending.variant, &Start::Fen(pending.fen), &line);
                    assert!(position.is_some(), "{line:?} cannot be played");
                }
            }
            Ok(_) => {}
            Err(error) => panic!("{reply:?} is no reply: {error}"),
        }
        Some(reply)
    }

    /// Ends the input. Searches that still run must be answered.
    fn finish(mut self) {
        self.input = None;
        let mut seen = Seen::default();
        self.read(&mut seen, |_, _| false);
        assert_eq!(seen.errors, [""; 0]);
        assert_eq!(self.pending, None, "no bestmove");
        assert_eq!(self.engine.join().ok(), Some(Ok(())));
    }
}

/// Whether a command may take long.
fn is_long(command: &Command) -> bool {
    match command {
        Command::Bench => true,
        Command::Perft(depth) => *depth > 2,
        Command::Go(limits) => {
            let is_short = !limits.is_bounded()
                || limits.movetime.is_some_and(|time| time <= 5)
                || limits.depth_limit().is_some_and(|depth| depth <= 2)
                || limits.nodes.is_some_and(|nodes| nodes <= 300);
            !is_short
        }
        Command::SetOption { name, value } => {
            let is_large = ["hash", "threads"]
                .iter()
                .any(|large| name.eq_ignore_ascii_case(large));
            let number = value.as_ref().and_then(|value| value.parse().ok());
            is_large && number.is_some_and(|number: i64| number >= 4)
        }
        _ => false,
    }
}

/// The position after these moves; `None` if one is illegal.
fn played(variant: Variant, start: &Start, moves: &[String]) -> Option<Box<dyn AnyPosition>> {
    let mut position = match start {
        Start::Startpos => variant.startpos(),
        Start::Fen(fen) => variant.parse_fen(fen).ok()?,
    };
    for text in moves {
        let mv = position.parse_move(text).ok()?;
        position.play(mv);
    }
    Some(position)
}
