//! The arguments and the output of `lodestone solve`.

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::board_position::BoardPosition;
use super::board_rules::BoardRules;
use super::checkpoint::{AnswerLine, Checkpoint, read_answers};
use super::openings::openings;
use super::proof_table::ProofTable;
use super::prover::{KnownAnswers, ProofObserver, ProvenAnswer, Prover, ProverProgress};
use super::value::BoardValue;
use crate::arguments::{number, shard};
use crate::board::Side;
use crate::text::quoted;

/// The text of `lodestone solve --help`. Fits a terminal of 40 columns.
pub const HELP: &str = "\
Computes the exact value of Magnetic
Cave on a board of any size.

Usage:
  lodestone solve --width W --height H
      --connect K [options]

Options:
  --width W    columns, 1 to 8
  --height H   rows, 1 to 8
  --connect K  bricks in line that win,
      1 to 8
  --fen FEN    start from this position,
      such as 4/1x2/4/4 with o to move:
      --fen 'x3/4/4/4 o'
  --checkpoint FILE
      append answers to FILE, and
      continue from those that it has
  --read FILE  use the answers of FILE
      too; may be repeated
  --hash MB    memory for proofs, 1 to
      65536; 256 by default
  --nodes N    stop after N positions,
      with those of earlier runs
  --plies P    solve all openings of P
      plies instead, 1 to 64; mirror
      images are the same opening
  --shard K/N  of these openings, only
      part K of N, from 0; N is 1 to
      1000000

Prints the value for the side to move,
the positions searched and the time,
earlier runs included. Progress goes to
standard error. The exit status is 0, 1
if --nodes ended the search or a file
cannot be used, 2 for wrong arguments.";

/// An answer that cost at least this number of positions is written to the file. More answers
/// make a larger file, fewer repeat more work after an interruption.
const MIN_WORK: u64 = 20_000;

/// The time between two lines of progress.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(5);

/// The maximum number of parts.
const MAX_SHARDS: u32 = 1_000_000;

/// What to solve.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SolveRequest {
    start: BoardPosition,
    checkpoint: Option<PathBuf>,
    read: Vec<PathBuf>,
    hash: usize,
    nodes: Option<u64>,
    plies: Option<u32>,
    shard: (u32, u32),
}

impl SolveRequest {
    /// Reads the arguments behind `solve`.
    ///
    /// # Errors
    /// A sentence that says which argument is wrong.
    pub fn parse(arguments: &[&str]) -> Result<SolveRequest, String> {
        let (mut width, mut height, mut connect) = (None, None, None);
        let (mut fen, mut has_shard) = (None, false);
        let mut request = SolveRequest {
            start: BoardPosition::start(BoardRules {
                width: 1,
                height: 1,
                connect: 1,
            }),
            checkpoint: None,
            read: Vec::new(),
            hash: 256,
            nodes: None,
            plies: None,
            shard: (0, 1),
        };
        for pair in arguments.chunks(2) {
            let name = pair[0];
            let size = |value| number(name, value, (1, BoardRules::MAX)).map(Some);
            let [_, value] = *pair else {
                return Err(if name.starts_with("--") {
                    format!("{} needs a value", quoted(name))
                } else {
                    format!("expected an option, found {}", quoted(name))
                });
            };
            match name {
                "--width" => width = size(value)?,
                "--height" => height = size(value)?,
                "--connect" => connect = size(value)?,
                "--fen" => fen = Some(value),
                "--checkpoint" => request.checkpoint = Some(value.into()),
                "--read" => request.read.push(value.into()),
                "--hash" => request.hash = number(name, value, (1, 65_536))?,
                "--nodes" => request.nodes = Some(number(name, value, (1, u64::MAX))?),
                "--plies" => request.plies = Some(number(name, value, (1, 64))?),
                "--shard" => {
                    has_shard = true;
                    request.shard = shard(value, MAX_SHARDS)?;
                }
                _ => return Err(format!("there is no option {}", quoted(name))),
            }
        }
        let given = |name: &str, size: Option<u32>| size.ok_or_else(|| format!("{name} is missing"));
        let rules = BoardRules {
            width: given("--width", width)?,
            height: given("--height", height)?,
            connect: given("--connect", connect)?,
        };
        request.start = match fen {
            Some(fen) => BoardPosition::from_fen(rules, fen).map_err(|error| format!("--fen: {error}"))?,
            None => BoardPosition::start(rules),
        };
        if has_shard && request.plies.is_none() {
            return Err("--shard needs --plies".to_string());
        }
        Ok(request)
    }

    /// Solves what was asked for, and prints the result. Progress goes to standard error.
    /// Returns whether everything was solved.
    ///
    /// # Errors
    /// A sentence: a file cannot be used, or there is not enough memory.
    pub fn run(&self, out: &mut dyn Write) -> Result<bool, String> {
        let rules = self.start.rules;
        let (mut known, mut nodes) = (KnownAnswers::default(), 0);
        let mut run = Run {
            start: Instant::now(),
            earlier: Duration::ZERO,
            limit: self.nodes,
            checkpoint: None,
            question: String::new(),
            next_progress: PROGRESS_INTERVAL,
            error: None,
        };
        let add = |known: &mut KnownAnswers, answers: &[AnswerLine]| {
            for answer in answers {
                known.add(&answer.position, answer.attacker, answer.wins);
            }
        };
        for path in &self.read {
            add(&mut known, &read_answers(path, rules)?);
        }
        if let Some(path) = &self.checkpoint {
            let (checkpoint, answers) = Checkpoint::open(path, rules)?;
            add(&mut known, &answers);
            run.checkpoint = Some(checkpoint);
            if let Some(last) = answers.last() {
                nodes = last.nodes;
                run.earlier = Duration::from_millis(last.millis);
                run.say(&format!("continues from {} answers", answers.len()));
            }
        }
        let table = ProofTable::new(self.hash)
            .ok_or_else(|| format!("--hash: there is no memory for {} MB", self.hash))?;
        let mut prover = Prover::new(table, &known, &mut run, nodes);
        let print = |out: &mut dyn Write, line: String| {
            writeln!(out, "{line}").map_err(|error| format!("standard output cannot be written: {error}"))
        };
        let BoardRules {
            width,
            height,
            connect,
        } = rules;
        let columns = plural(u64::from(width), "column");
        let rows = plural(u64::from(height), "row");
        print(out, format!("board: {columns}, {rows}, {connect} in line"))?;
        let is_solved = match self.plies {
            None => {
                let value = prover.value(&self.start);
                print(
                    out,
                    format!("value: {}", value.map_or("unknown", BoardValue::word)),
                )?;
                value.is_some()
            }
            Some(plies) => {
                let all = openings(&self.start, plies);
                let (index, count) = self.shard;
                let part = all.iter().skip(index as usize).step_by(count as usize);
                let (mut values, mut expected) = ([0; 3], 0);
                for opening in part {
                    expected += 1;
                    let Some(value) = prover.value(opening) else {
                        break;
                    };
                    values[value as usize] += 1;
                    print(out, format!("opening: {} {}", opening.fen(), value.word()))?;
                }
                let [wins, draws, losses] = values;
                let solved = plural(wins + draws + losses, "opening");
                print(
                    out,
                    format!(
                        "{solved} of {}: {wins} win, {draws} draw, {losses} lose for the side to move",
                        all.len()
                    ),
                )?;
                wins + draws + losses == expected
            }
        };
        nodes = prover.nodes();
        if let Some(error) = run.error {
            return Err(error);
        }
        print(out, format!("nodes: {nodes}"))?;
        print(out, format!("time: {:.3} s", run.time().as_secs_f64()))?;
        Ok(is_solved)
    }
}

/// A number with a noun: "1 row", "2 rows".
fn plural(count: u64, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// A run of the command: its time, its limit and its file.
struct Run {
    start: Instant,
    /// The time of earlier runs.
    earlier: Duration,
    limit: Option<u64>,
    checkpoint: Option<Checkpoint>,
    question: String,
    next_progress: Duration,
    /// Why the run cannot continue.
    error: Option<String>,
}

impl Run {
    fn time(&self) -> Duration {
        self.earlier + self.start.elapsed()
    }

    fn say(&self, line: &str) {
        let _ = writeln!(io::stderr(), "{:.0} s: {line}", self.time().as_secs_f64());
    }

    fn append(&mut self, answer: &ProvenAnswer) {
        let line = AnswerLine {
            position: answer.position,
            attacker: answer.attacker,
            wins: answer.wins,
            work: answer.work,
            nodes: answer.nodes,
            millis: self.time().as_millis() as u64,
        };
        if let Some(checkpoint) = &mut self.checkpoint
            && let Err(error) = checkpoint.append(&line)
        {
            self.error = Some(error);
        }
    }
}

impl ProofObserver for Run {
    fn on_question(&mut self, attacker: Side, horizon: u32) {
        self.question = format!("can {} win within {horizon} plies?", attacker.letter());
    }

    fn on_answer(&mut self, answer: &ProvenAnswer) {
        self.append(answer);
    }

    fn on_proof(&mut self, answer: &ProvenAnswer) -> bool {
        if answer.work >= MIN_WORK {
            self.append(answer);
        }
        self.error.is_none()
    }

    fn on_progress(&mut self, progress: ProverProgress<'_>) -> bool {
        if self.start.elapsed() >= self.next_progress {
            self.next_progress = self.start.elapsed() + PROGRESS_INTERVAL;
            let trail = progress
                .trail
                .iter()
                .map(|(index, count)| format!(" {index}/{count}"));
            self.say(&format!(
                "{:.1} million positions; {} moves{}",
                progress.nodes as f64 / 1e6,
                self.question,
                trail.collect::<String>()
            ));
        }
        self.limit.is_none_or(|limit| progress.nodes < limit)
    }
}
