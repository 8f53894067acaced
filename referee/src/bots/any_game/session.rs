//! A built-in player as a bot, and the time of its searches.

use std::io;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use lodestone_game::board::Side;
use lodestone_game::input::{Input, read_lines};
use lodestone_game::protocol::{
    Info, Limits, OptionKind, OptionSpec, Query, Reply, Response, Start, option_names,
};
use lodestone_game::random::{Random, checksum};
use lodestone_game::time::{TimeOptions, budget};
use referee_core::failure::Stop;
use referee_core::game::PositionLine;
use referee_core::rules::program::RulesState;
use referee_core::rules::{RulesError, RulesProgram};

use super::RulesPlayer;
use super::search::{Ended, Host, search};
use super::tree::Node;
use crate::bots::client::{Bot, Client, is_held, report, serve};
use crate::bots::responder::{Responder, say};

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

/// Plays for the client on standard input until it leaves.
pub(crate) fn run(player: RulesPlayer, rules: &mut RulesProgram) -> Result<(), RulesError> {
    let (sender, lines) = sync_channel(MAX_QUEUED);
    // Both threads end with the process.
    let reader = thread::Builder::new();
    let reading = reader.spawn(move || read_lines(io::stdin(), |input| sender.send(input).is_ok()));
    let started = reading.and_then(|_| Responder::start());
    let short = |error| RulesError::Stopped(Stop::Short(format!("no thread can be started: {error}")));
    let mut client = Client::new(lines, started.map_err(short)?);
    let mut session = RulesBot {
        player,
        rules,
        line: PositionLine::start(),
        seed: DEFAULT_SEED,
        tree: None,
        slowest: Duration::ZERO,
    };
    serve(&mut session, &mut client)
}

/// A client whose lines a thread reads.
type LocalClient = Client<Receiver<Input>>;

/// A player in a dialogue.
#[derive(Debug)]
struct RulesBot<'a> {
    player: RulesPlayer,
    rules: &'a mut RulesProgram,
    /// The client's position.
    line: PositionLine,
    seed: u32,
    /// The tree of the last search, and its position.
    tree: Option<(PositionLine, Node)>,
    /// The longest time of an answer of the rules program, halved after each search.
    slowest: Duration,
}

impl Bot for RulesBot<'_> {
    type Input = Receiver<Input>;
    type Error = RulesError;

    fn introduce(&mut self, _: &mut LocalClient) -> Result<(String, Vec<OptionSpec>), RulesError> {
        let option = OptionSpec {
            name: option_names::SEED.to_string(),
            kind: OptionKind::Spin {
                default: DEFAULT_SEED.to_string(),
                min: u32::MIN.to_string(),
                max: u32::MAX.to_string(),
            },
        };
        Ok((
            format!("{} {}", self.player.name(), lodestone_game::VERSION),
            vec![option],
        ))
    }

    fn next_input(&mut self, client: &mut LocalClient) -> Input {
        client.source.recv().unwrap_or(Input::End)
    }

    fn new_game(&mut self) -> Result<(), RulesError> {
        self.tree = None;
        Ok(())
    }

    fn set_option(&mut self, name: &str, value: &str, _: &mut LocalClient) -> Result<(), RulesError> {
        let seed = option_names::SEED;
        if !name.eq_ignore_ascii_case(seed) {
            report(&format!("there is no option `{name}`; there is {seed}"));
        } else if let Ok(seed) = value.parse() {
            self.seed = seed;
            self.tree = None;
        } else {
            let expected = format!("a whole number from 0 to {}", u32::MAX);
            report(&format!("option {seed}: expected {expected}, found `{value}`"));
        }
        Ok(())
    }

    fn set_position(&mut self, start: Start, moves: Vec<String>) {
        self.line = PositionLine::of(start, moves);
    }

    fn think(
        &mut self,
        limits: &Limits,
        arrival: Instant,
        client: &mut LocalClient,
    ) -> Result<String, RulesError> {
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
                Some(root) => self.search(limits, arrival, client, root, &mut random)?,
            },
        };
        Ok(best.unwrap_or_else(|| "0000".to_string()))
    }

    fn answer(&mut self, query: &Query) -> Result<(), RulesError> {
        let line = self.line.clone();
        if let Query::State(query) = query
            && let Some(state) = self.accepted(&line)?
        {
            let result = state.result.filter(|_| state.is_over);
            say(&Reply::Response(Response::to(
                *query,
                state.side_to_move(),
                result,
            )));
        }
        Ok(())
    }
}

impl RulesBot<'_> {
    /// The state of the client's position. One that the rules program refuses is reported.
    fn accepted(&mut self, line: &PositionLine) -> Result<Option<RulesState>, RulesError> {
        match self.ask(line) {
            Err(RulesError::Refused(error)) => {
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

    /// The position in the last tree, if it goes on from there, or else a new node.
    fn root(&mut self, line: &PositionLine, random: &mut Random) -> Result<Option<Node>, RulesError> {
        if let Some((last, tree)) = self.tree.take()
            && let Some(since) = line.moves_since(&last)
        {
            let mut moves = since.iter();
            if let Some(root) = moves.try_fold(tree, |node, mv| node.into_child(mv)) {
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
        client: &mut LocalClient,
        mut root: Node,
        random: &mut Random,
    ) -> Result<Option<String>, RulesError> {
        let line = self.line.clone();
        let max_playouts = match limits.nodes.filter(|_| !is_held(limits)) {
            Some(nodes) => nodes,
            None if has_time(limits) || is_held(limits) => u64::MAX,
            None => DEFAULT_PLAYOUTS,
        };
        let time = time_for_move(limits, root.side());
        let deadline = time.and_then(|time| arrival.checked_add(time));
        client.responder.set_deadline(deadline, root.best_move());
        if !root.is_over() && !root.has_one_move() {
            let mut turn = Turn {
                session: self,
                client,
                arrival,
                time,
                next_info: arrival + INFO_INTERVAL,
            };
            let playouts = search(&mut turn, line.clone(), &mut root, max_playouts, random)?;
            if playouts > 0 || root.proof().is_some() {
                client.responder.report(&progress(&root, playouts, arrival));
            }
        }
        self.slowest /= 2;
        let best = root.best_move().map(str::to_string);
        self.tree = Some((line, root));
        Ok(best)
    }
}

fn has_time(limits: &Limits) -> bool {
    limits.movetime.or(limits.wtime).or(limits.btime).is_some()
}

/// The time of an answer from the arrival of `go`; `None` without a time limit.
fn time_for_move(limits: &Limits, side: Side) -> Option<Duration> {
    let budget = budget(limits, side, PLIES_LEFT, TimeOptions::default());
    let time = budget.filter(|_| !is_held(limits))?.hard;
    Some(if limits.movetime.is_some() {
        time
    } else {
        time.mul_f64(CLOCK_PART)
    })
}

/// A search for one answer.
struct Turn<'a, 'b> {
    session: &'a mut RulesBot<'b>,
    client: &'a mut LocalClient,
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
        while !self.client.responder.is_answered()
            && let Ok(input) = self.client.source.try_recv()
        {
            self.client.receive(input);
        }
        let is_late = self.time.is_some_and(|time| {
            let reserve = self.session.slowest.min(time / 2);
            self.arrival.elapsed() + reserve >= time
        });
        if is_late || self.client.is_stopped || self.client.responder.is_answered() {
            return Err(Ended::Due);
        }
        Ok(())
    }

    fn progress(&mut self, root: &Node, playouts: u64) {
        let responder = &self.client.responder;
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

#[cfg(test)]
mod tests {
    use lodestone_game::protocol::Command;

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
            assert_eq!(has_time(&limits), go.contains("time"), "{go}");
        }
    }
}
