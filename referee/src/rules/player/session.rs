//! The protocol side of a built-in player: commands in, one `bestmove` for each `go` out.

use std::collections::VecDeque;
use std::io;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use lodestone::board::Side;
use lodestone::engine::Options;
use lodestone::engine::input::{Input, read_lines};
use lodestone::engine::time::budget;
use lodestone::protocol::{
    Command, Info, Limits, OptionKind, OptionSpec, Query, Reply, Response, StateQuery,
};
use lodestone::random::{Random, checksum};

use super::RulesPlayer;
use super::responder::{Responder, say};
use super::search::{Ended, Host, search};
use super::tree::Node;
use crate::game::PositionLine;
use crate::io::text::printable;
use crate::player::REPORTED_ERROR;
use crate::rules::program::RulesState;
use crate::rules::{RulesError, RulesProgram};

/// Default of the option `Seed`.
const DEFAULT_SEED: u32 = 1;

/// Playouts of a `go` whose limits mean nothing here, such as `depth 3`.
const DEFAULT_PLAYOUTS: u64 = 1000;

/// Plies for which a clock has to last.
const PLIES_LEFT: u32 = 60;

/// The part of the upper bound that a move on a clock gets, its share: the bound is 2.5 shares, for
/// a search that has to finish an iteration. This one can end at any time.
const CLOCK_PART: f64 = 0.4;

/// Interval between `info` lines.
const INFO_INTERVAL: Duration = Duration::from_secs(1);

/// Lines that the reading thread may queue; then the client has to wait.
const MAX_QUEUED: usize = 64;

/// Commands that may wait for the end of a search.
const MAX_DEFERRED: usize = 1024;

/// Maximum length of an error, in characters.
const MAX_ERROR: usize = 1000;

/// Plays for the client on standard input until it leaves.
///
/// # Errors
/// The rules program fails.
pub(crate) fn run(player: RulesPlayer, rules: &mut RulesProgram) -> Result<(), RulesError> {
    let mut session = Session {
        player,
        rules,
        client: Client::start(Responder::start()),
        line: PositionLine::start(),
        seed: DEFAULT_SEED,
        tree: None,
        slowest: Duration::ZERO,
    };
    while let Some((command, arrival)) = session.client.next() {
        session.execute(command, arrival)?;
    }
    Ok(())
}

/// A player in a dialogue.
#[derive(Debug)]
struct Session<'a> {
    player: RulesPlayer,
    rules: &'a mut RulesProgram,
    client: Client,
    /// The client's position.
    line: PositionLine,
    seed: u32,
    /// The tree of the last search, and its position.
    tree: Option<(PositionLine, Node)>,
    /// The longest time of an answer of the rules program, halved after each search.
    slowest: Duration,
}

impl Session<'_> {
    fn execute(&mut self, command: Command, arrival: Instant) -> Result<(), RulesError> {
        match command {
            Command::Greet(dialect) => {
                let name = format!("{} {}", self.player.name(), lodestone::VERSION);
                say(&Reply::IdName(name));
                say(&Reply::Option(OptionSpec {
                    name: Options::SEED.to_string(),
                    kind: OptionKind::Spin {
                        default: DEFAULT_SEED.to_string(),
                        min: u32::MIN.to_string(),
                        max: u32::MAX.to_string(),
                    },
                }));
                say(&Reply::Greeted(dialect));
            }
            Command::IsReady => say(&Reply::ReadyOk),
            Command::NewGame => self.tree = None,
            Command::SetOption { name, value } => self.set_option(&name, &value.unwrap_or_default()),
            Command::Position { start, moves } => self.line = PositionLine::of(start, moves),
            Command::Go(limits) => {
                self.client.is_held = is_held(&limits);
                self.client.is_stopped = self.client.is_held && self.client.has_left;
                self.client.responder.begin();
                let best = self.answer(&limits, arrival)?;
                if self.client.is_held {
                    self.client.wait_for_stop();
                }
                self.client.responder.finish(best);
            }
            Command::Query(Query::State(query)) => self.reply(query)?,
            Command::Query(_)
            | Command::Debug(_)
            | Command::Register
            | Command::PonderHit
            | Command::Stop
            | Command::Quit => {}
            Command::Perft(_) | Command::Display | Command::Eval | Command::Bench => {
                report(&format!("`{command}` is no command of this player"));
            }
        }
        Ok(())
    }

    fn set_option(&mut self, name: &str, value: &str) {
        if !name.eq_ignore_ascii_case(Options::SEED) {
            report(&format!(
                "there is no option `{name}`; there is {}",
                Options::SEED
            ));
        } else if let Ok(seed) = value.parse() {
            self.seed = seed;
            self.tree = None;
        } else {
            let expected = format!("a whole number from 0 to {}", u32::MAX);
            report(&format!(
                "option {}: expected {expected}, found `{value}`",
                Options::SEED
            ));
        }
    }

    /// Answers a question of UGI.
    fn reply(&mut self, query: StateQuery) -> Result<(), RulesError> {
        let line = self.line.clone();
        if let Some(state) = self.accepted(&line)? {
            let result = state.result.filter(|_| state.is_over);
            say(&Reply::Response(Response::to(
                query,
                state.side_to_move(),
                result,
            )));
        }
        Ok(())
    }

    /// The state of the client's position. One that the rules program refuses is reported.
    fn accepted(&mut self, line: &PositionLine) -> Result<Option<RulesState>, RulesError> {
        match self.ask(line) {
            Err(RulesError::Refused(error)) => {
                let error = error.trim_start_matches(REPORTED_ERROR);
                report(&format!("the rules program refuses the position: {error}"));
                Ok(None)
            }
            state => state.map(Some),
        }
    }

    /// Asks about a position, and measures the time.
    fn ask(&mut self, line: &PositionLine) -> Result<RulesState, RulesError> {
        let begin = Instant::now();
        let state = self.rules.state(line)?;
        self.slowest = self.slowest.max(begin.elapsed());
        self.rules.consistent(line, state)
    }

    /// The best move; `0000` if there is none.
    fn answer(&mut self, limits: &Limits, arrival: Instant) -> Result<String, RulesError> {
        let line = self.line.clone();
        // Numbers that depend only on the seed and the position, so a match can be reproduced.
        let mut random = Random::substream(self.seed.into(), checksum(line.to_string().as_bytes()));
        let best = match self.player {
            RulesPlayer::Random => {
                let state = self.accepted(&line)?.filter(|state| !state.is_over);
                state.and_then(|state| random.choose(&state.moves).cloned())
            }
            RulesPlayer::Mcts => match self.root(&line, &mut random)? {
                None => None,
                Some(root) => self.search(limits, arrival, line, root, &mut random)?,
            },
        };
        Ok(best.unwrap_or_else(|| "0000".to_string()))
    }

    /// The position in the last tree, if it goes on from there, or else a new node.
    fn root(&mut self, line: &PositionLine, random: &mut Random) -> Result<Option<Node>, RulesError> {
        if let Some((last, tree)) = self.tree.take()
            && let Some(since) = line.moves_since(&last)
        {
            let mut moves = since.into_iter();
            if let Some(root) = moves.try_fold(tree, Node::into_child) {
                return Ok(Some(root));
            }
        }
        let state = self.accepted(line)?;
        Ok(state.map(|state| Node::new(state, random)))
    }

    /// Searches a position. The best move; `None` after the end of the game.
    fn search(
        &mut self,
        limits: &Limits,
        arrival: Instant,
        line: PositionLine,
        mut root: Node,
        random: &mut Random,
    ) -> Result<Option<String>, RulesError> {
        let max_playouts = match limits.nodes.filter(|_| !is_held(limits)) {
            Some(nodes) => nodes,
            None if has_time(limits) || is_held(limits) => u64::MAX,
            None => DEFAULT_PLAYOUTS,
        };
        let time = time_for_move(limits, root.side());
        let deadline = time.and_then(|time| arrival.checked_add(time));
        self.client.responder.set_deadline(deadline, root.best_move());
        if !root.is_over() && !root.has_one_move() {
            let mut turn = Turn {
                session: self,
                arrival,
                time,
                next_info: arrival + INFO_INTERVAL,
            };
            let playouts = search(&mut turn, line.clone(), &mut root, max_playouts, random)?;
            if playouts > 0 || root.proof().is_some() {
                self.client.responder.report(&progress(&root, playouts, arrival));
            }
        }
        self.slowest /= 2;
        let best = root.best_move().map(str::to_string);
        self.tree = Some((line, root));
        Ok(best)
    }
}

/// Whether the answer waits for `stop`.
fn is_held(limits: &Limits) -> bool {
    limits.ponder || !limits.is_bounded()
}

fn has_time(limits: &Limits) -> bool {
    limits.movetime.or(limits.wtime).or(limits.btime).is_some()
}

/// The time of an answer from the arrival of `go`; `None` without a time limit.
fn time_for_move(limits: &Limits, side: Side) -> Option<Duration> {
    let budget = budget(limits, side, PLIES_LEFT, &Options::default());
    let time = budget.filter(|_| !is_held(limits))?.hard;
    Some(if limits.movetime.is_some() {
        time
    } else {
        time.mul_f64(CLOCK_PART)
    })
}

/// A search for one answer.
struct Turn<'a, 'b> {
    session: &'a mut Session<'b>,
    arrival: Instant,
    time: Option<Duration>,
    next_info: Instant,
}

impl Host for Turn<'_, '_> {
    fn state(&mut self, line: &PositionLine) -> Result<RulesState, Ended> {
        self.check()?;
        self.session.ask(line).map_err(|error| match error {
            RulesError::Refused(error) => {
                let problem = format!("refuses a move that it has listed: `{error}`");
                let expected = "no reply to `position`";
                Ended::Failed(self.session.rules.fault(&problem, expected, Some(line)))
            }
            error => Ended::Failed(error),
        })
    }

    /// Keeps time for one more answer of the rules program, as slow as the slowest.
    fn check(&mut self) -> Result<(), Ended> {
        self.session.client.receive_all();
        let is_late = self.time.is_some_and(|time| {
            let reserve = self.session.slowest.min(time / 2);
            self.arrival.elapsed() + reserve >= time
        });
        let client = &self.session.client;
        if is_late || client.is_stopped || client.responder.is_answered() {
            return Err(Ended::Due);
        }
        Ok(())
    }

    fn progress(&mut self, root: &Node, playouts: u64) {
        let responder = &self.session.client.responder;
        responder.set_best(root.best_move());
        if Instant::now() >= self.next_info {
            self.next_info = Instant::now() + INFO_INTERVAL;
            responder.report(&progress(root, playouts, self.arrival));
        }
    }
}

/// An `info` line; its nodes are playouts.
fn progress(root: &Node, playouts: u64, arrival: Instant) -> Reply {
    let pv = root.principal_variation();
    Reply::Info(Info {
        depth: Some(pv.len() as u32),
        score: Some(root.score()),
        nodes: Some(playouts),
        time: Some(arrival.elapsed().as_millis() as u64),
        pv,
        ..Info::default()
    })
}

/// The client, on standard input.
#[derive(Debug)]
struct Client {
    lines: Receiver<Input>,
    responder: Responder,
    /// Commands that arrived during a search.
    deferred: VecDeque<(Command, Instant)>,
    /// Whether the search in progress waits for `stop`.
    is_held: bool,
    /// Whether it is to be answered now.
    is_stopped: bool,
    /// Whether the input has ended or `quit` has come.
    has_left: bool,
}

impl Client {
    /// Reads standard input in a thread, which ends with the process.
    fn start(responder: Responder) -> Client {
        let (sender, lines) = sync_channel(MAX_QUEUED);
        thread::spawn(move || read_lines(io::stdin(), |input| sender.send(input).is_ok()));
        Client {
            lines,
            responder,
            deferred: VecDeque::new(),
            is_held: false,
            is_stopped: false,
            has_left: false,
        }
    }

    /// Waits for a command and the time of its arrival. `None` after `quit` and at the end of input.
    fn next(&mut self) -> Option<(Command, Instant)> {
        loop {
            if let Some(command) = self.deferred.pop_front() {
                return Some(command);
            }
            if self.has_left {
                return None;
            }
            let input = self.lines.recv().unwrap_or(Input::End);
            match self.parsed(input) {
                Some((Command::Quit, _)) => self.has_left = true,
                Some(command) => return Some(command),
                None => {}
            }
        }
    }

    /// The command in a line, if it has one.
    fn parsed(&mut self, input: Input) -> Option<(Command, Instant)> {
        match input {
            Input::Line(line, _) if line.trim().is_empty() => {}
            Input::Line(line, arrival) => match Command::parse(&line) {
                Ok(command) => return Some((command, arrival)),
                Err(error) => report(&error.to_string()),
            },
            Input::Unusable { error, .. } => report(&error),
            Input::End => {
                self.has_left = true;
                // A bounded search finishes.
                self.is_stopped |= self.is_held;
            }
        }
        None
    }

    /// Reads what has arrived during a search. What follows its answer is read afterwards.
    fn receive_all(&mut self) {
        while !self.responder.is_answered()
            && let Ok(input) = self.lines.try_recv()
        {
            self.receive(input);
        }
    }

    fn wait_for_stop(&mut self) {
        while !self.is_stopped {
            let input = self.lines.recv().unwrap_or(Input::End);
            self.receive(input);
        }
    }

    /// Handles a line during a search.
    fn receive(&mut self, input: Input) {
        match self.parsed(input) {
            None => {}
            Some((Command::IsReady, _)) => say(&Reply::ReadyOk),
            Some((Command::Stop | Command::PonderHit, _)) => self.is_stopped = true,
            Some((Command::Quit, _)) => {
                self.is_stopped = true;
                self.has_left = true;
            }
            Some((Command::Go(_), _)) if !self.responder.is_answered() => {
                report("a search is running; it ends with `stop`");
            }
            Some(_) if self.deferred.len() == MAX_DEFERRED => {
                report(&format!(
                    "{MAX_DEFERRED} lines wait for the end of the search already; this one is dropped"
                ));
            }
            Some(command) => self.deferred.push_back(command),
        }
    }
}

/// Reports an error to the client.
pub(crate) fn report(why: &str) {
    let lines: Vec<&str> = why.lines().map(str::trim).collect();
    let text = printable(&lines.join("; "), MAX_ERROR);
    say(&Reply::InfoString(format!("error: {text}")));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_is_that_of_the_move_or_a_share_of_the_clock() {
        for (go, side, time) in [
            ("go movetime 1000", Side::First, Some(980)),
            ("go wtime 30020 btime 1", Side::First, Some(1000)),
            ("go p1time 1 p2time 30020 p2inc 500", Side::Second, Some(1500)),
            ("go wtime 1020 movestogo 1", Side::First, Some(400)),
            ("go wtime 0 btime 0", Side::First, Some(0)),
            ("go movetime 1000 infinite", Side::First, None),
            ("go ponder movetime 1000", Side::First, None),
            ("go nodes 5", Side::First, None),
        ] {
            let Command::Go(limits) = Command::parse(go).unwrap() else {
                panic!("{go}");
            };
            let time = time.map(Duration::from_millis);
            assert_eq!(time_for_move(&limits, side), time, "{go}");
        }
    }
}
