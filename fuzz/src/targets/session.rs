//! A whole conversation with the engine.

use std::collections::VecDeque;
use std::io::{self, BufReader, PipeWriter, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use lodestone::engine::{self, Options};
use lodestone::game::{AnyPosition, Variant};
use lodestone::protocol::{Command, Dialect, Limits, Reply, Start};

use super::pieces::one_line;

/// No more lines of an input are sent.
const MOST_LINES: usize = 40;

/// An engine that says nothing for so long has broken its promise.
const PATIENCE: Duration = Duration::from_secs(10);

/// How an error begins.
const ERROR: &str = "info string error: ";

/// The lines of the input, said to an engine by a client that knows what has to
/// come: exactly one error for a line that cannot be used, none for another, one
/// `bestmove` for each `go`, and the position that `d` shows is the one that
/// there has to be. Work that may take long is not asked for.
pub fn session(input: &[u8]) -> String {
    let options = Options {
        hash: 1,
        ..Options::default()
    };
    let mut client = Client::start(options);
    let mut answer = String::new();
    for line in input.split(|&byte| byte == b'\n').take(MOST_LINES) {
        let command = std::str::from_utf8(line).ok().map(Command::parse);
        let command = command.and_then(Result::ok);
        if command.as_ref().is_some_and(is_long) {
            continue;
        }
        answer += &client.say(line, command.as_ref());
        if command == Some(Command::Quit) {
            break;
        }
    }
    client.leave();
    answer
}

/// What the engine does beside listening.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Search {
    None,
    /// It ends by itself.
    Bounded,
    /// It waits for `stop`.
    Infinite,
    /// It waits for `stop` or `ponderhit`, and is then one of the others.
    Pondering {
        is_bounded: bool,
    },
}

/// A `go` that has no answer yet.
#[derive(Debug, PartialEq, Eq)]
struct Owed {
    /// The moves that it may answer; none where the game is over.
    moves: Vec<String>,
    /// The position that was searched.
    fen: String,
    variant: Variant,
}

/// Somebody who talks to an engine and knows how it has to stand.
struct Client {
    engine: JoinHandle<Result<(), String>>,
    input: Option<PipeWriter>,
    output: Receiver<Vec<u8>>,
    replies: VecDeque<String>,
    options: Options,
    position: Box<dyn AnyPosition>,
    search: Search,
    dialect: Dialect,
    /// `None` once it is answered.
    owed: Option<Owed>,
}

/// Hands over what is written.
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

/// What the engine said, as far as it was read at once.
#[derive(Default)]
struct TranscriptLine {
    errors: Vec<String>,
    fen: Option<String>,
}

impl Client {
    fn start(options: Options) -> Client {
        let (source, input) = io::pipe().expect("there is a pipe");
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
            search: Search::None,
            dialect: Dialect::default(),
            owed: None,
        }
    }

    /// Says a line and looks at what comes of it.
    fn say(&mut self, line: &[u8], command: Option<&Command>) -> String {
        let counts = matches!(command, Some(Command::Perft(_)));
        if self.search == Search::Bounded && (counts || matches!(command, Some(Command::Go(_)))) {
            // Whether it has ended already is chance.
            while self.owed.is_some() {
                self.next_reply().expect("a search that is bounded ends");
            }
            self.search = Search::None;
        }
        let errors = match command {
            Some(command) => self.errors_of(command),
            None => usize::from(std::str::from_utf8(line).map_or(true, |line| !line.trim().is_empty())),
        };
        self.send(line);
        let mut said = TranscriptLine::default();
        if counts && errors == 0 {
            self.read(&mut said, |_, reply| reply.starts_with("Nodes searched: "));
        }
        self.send(b"d");
        if command == Some(&Command::Quit) {
            self.read(&mut said, |_, _| false);
        } else {
            // `isready` overtakes what waits for the end of a count.
            self.read(&mut said, |said, _| said.fen.is_some());
            assert_eq!(said.fen, Some(self.position.fen()));
            self.send(b"isready");
            self.read(&mut said, |_, reply| reply == "readyok");
        }
        assert_eq!(said.errors.len(), errors, "{:?}", said.errors);
        match self.search {
            Search::None => assert_eq!(self.owed, None, "no bestmove"),
            Search::Bounded if self.owed.is_none() => self.search = Search::None,
            Search::Bounded => {}
            Search::Infinite | Search::Pondering { .. } => {
                assert!(self.owed.is_some(), "a bestmove before it was wanted");
            }
        }
        let kind = format!("{command:?}");
        let kind: String = kind.chars().take_while(|sign| !" {".contains(*sign)).collect();
        format!("{kind} {} ", said.errors.concat())
    }

    /// How many errors a command has to bring; it is carried out here as well.
    fn errors_of(&mut self, command: &Command) -> usize {
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
                if name.eq_ignore_ascii_case(Options::VARIANT) {
                    self.position = self.options.variant.startpos();
                }
            }
            Command::Position { start, moves } => match played(self.options.variant, start, moves) {
                Some(position) => self.position = position,
                None => return 1,
            },
            Command::Go(limits) => return self.errors_of_go(limits),
            Command::Perft(_) => return usize::from(self.search != Search::None),
            _ => {}
        }
        0
    }

    fn errors_of_go(&mut self, limits: &Limits) -> usize {
        let wanted: Result<Vec<_>, _> = limits
            .searchmoves
            .iter()
            .map(|text| self.position.parse_move(text))
            .collect();
        let Ok(wanted) = wanted else {
            return 1;
        };
        if self.search != Search::None {
            return 1;
        }
        let legal = self.position.legal_moves();
        let candidates = legal.iter().filter(|mv| wanted.is_empty() || wanted.contains(mv));
        self.owed = Some(Owed {
            moves: candidates.map(|&mv| self.position.move_text(mv)).collect(),
            fen: self.position.fen(),
            variant: self.options.variant,
        });
        self.search = match (limits.ponder, limits.is_bounded()) {
            (true, is_bounded) => Search::Pondering { is_bounded },
            (false, true) => Search::Bounded,
            (false, false) => Search::Infinite,
        };
        usize::from(!limits.unknown.is_empty())
    }

    fn send(&mut self, line: &[u8]) {
        if let Some(input) = &mut self.input {
            // It may have quit.
            let _ = input.write_all(&[line, b"\n"].concat());
        }
    }

    /// Reads up to a reply for which `is_last` holds, or to the end.
    fn read(&mut self, said: &mut TranscriptLine, is_last: impl Fn(&TranscriptLine, &str) -> bool) {
        while let Some(reply) = self.next_reply() {
            if let Some(error) = reply.strip_prefix(ERROR) {
                assert!(error.len() < 500, "a long error: {error}");
                said.errors.push(error.to_string());
            }
            if let Some(fen) = reply.strip_prefix("Fen: ") {
                said.fen = Some(fen.to_string());
            }
            if is_last(said, &reply) {
                return;
            }
        }
    }

    /// The next line of the engine's; `None` once there are no more.
    fn next_reply(&mut self) -> Option<String> {
        if self.replies.is_empty() {
            let bytes = match self.output.recv_timeout(PATIENCE) {
                Ok(bytes) => bytes,
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) => panic!("the engine says nothing"),
            };
            let text = String::from_utf8(bytes).expect("an engine writes UTF-8");
            assert!(text.ends_with('\n'), "a line is written whole: {text:?}");
            self.replies.extend(text.lines().map(str::to_string));
        }
        let reply = self.replies.pop_front()?;
        one_line(&reply);
        match Reply::parse(&reply) {
            Ok(Reply::BestMove { best, ponder }) => {
                let owed = self.owed.take().expect("a bestmove that nobody asked for");
                let is_move = owed.moves.contains(&best) || owed.moves.is_empty() && best == "0000";
                assert!(is_move, "{best} for {owed:?}");
                if let Some(ponder) = ponder {
                    assert_eq!(self.dialect, Dialect::Uci);
                    let line = [best, ponder];
                    let position = played(owed.variant, &Start::Fen(owed.fen), &line);
                    assert!(position.is_some(), "{line:?} cannot be played");
                }
            }
            Ok(_) => {}
            Err(error) => panic!("{reply:?} is no reply: {error}"),
        }
        Some(reply)
    }

    /// Ends the input; what still runs is answered.
    fn leave(mut self) {
        self.input = None;
        let mut said = TranscriptLine::default();
        self.read(&mut said, |_, _| false);
        assert_eq!(said.errors, [""; 0]);
        assert_eq!(self.owed, None, "no bestmove");
        assert_eq!(self.engine.join().ok(), Some(Ok(())));
    }
}

/// Whether a command may keep the engine busy for long.
fn is_long(command: &Command) -> bool {
    match command {
        Command::Bench => true,
        Command::Perft(depth) => *depth > 2,
        Command::Go(limits) => {
            let is_short = !limits.is_bounded()
                || limits.movetime.is_some_and(|time| time <= 5)
                || limits.depth.is_some_and(|depth| depth <= 2)
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

/// The position after moves, if they can be played.
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
