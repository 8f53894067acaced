//! The arguments and the output of `lodestone-solver solve`.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use lodestone_game::board::Side;
use lodestone_game::text::{self, quoted};

use super::board_position::{BoardPosition, BoardRules, BoardValue, openings};
use super::certificate::{CertificateEntries, CertificateWriter};
use super::checker::{CheckProgress, CheckedAnswers, MAX_ENDING_CELLS, check_certificate};
use super::checkpoint::{AnswerLine, Checkpoint, read_answers};
use super::prover::{KnownAnswers, ProofObserver, ProofTable, ProvenAnswer, Prover, ProverProgress};
use crate::arguments::{number, shard};

/// Without `--endings`, a certificate leaves positions with up to this many empty cells to the checker.
const DEFAULT_ENDING_CELLS: u32 = 10;

/// The text of `lodestone-solver solve --help`. Fits a terminal of 40 columns.
pub const HELP: &str = "\
Compute the exact value of Magnetic Cave
on a board of up to 8 by 8 cells.

Usage:
  lodestone-solver solve --width W
      --height H --connect K [options]
  lodestone-solver solve --check FILE
      [options]

Options:
  --width W    Use W columns, 1 to 8
  --height H   Use H rows, 1 to 8
  --connect K  Connect K bricks to win,
      1 to 8
  --fen FEN    Start from this position,
      such as 'x3/4/4/4 o'
  --checkpoint FILE
      Append answers to this file, and
      resume from it
  --read FILE  Use the answers or the
      certificate in this file, too;
      repeatable
  --certificate FILE
      Write a proof to this file
  --endings N  Leave positions with up
      to N empty cells to the checker,
      0 to 16 [default: 10]
  --hash MB    Use MB megabytes for
      proofs, 1 to 65536 [default: 256]
  --nodes N    Stop after N positions,
      with those of earlier runs
  --plies P    Solve all openings of P
      plies instead, 1 to 64; mirror
      images are the same opening
  --shard K/N  Solve only part K of N of
      these openings, or check only part
      K of N of the answers; K from 0,
      N from 1 to 1000000

Check a certificate instead:
  --check FILE Verify all answers in
      this file by the rules alone
  --samples N  Check N random answers
      instead of all
  --seed N     Set the seed of these
      random answers [default: 1]

Prints the value for the side to move,
the number of positions searched and the
time, earlier runs included. Progress
goes to standard error.

Exit status:
  0  success
  1  --nodes ended the search, or a file
     cannot be used or is wrong
  2  an argument is wrong";

/// An answer that cost at least this number of positions is written to the file. More answers
/// make a larger file, fewer repeat more work after an interruption.
const MIN_WORK: u64 = 20_000;

/// The time between two lines of progress.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(5);

/// The maximum number of parts.
const MAX_SHARDS: u32 = 1_000_000;

/// What to solve, or to check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SolveRequest {
    /// Compute values.
    Values(ValuesRequest),
    /// Check a certificate.
    Check(CheckRequest),
}

impl SolveRequest {
    /// Reads the arguments behind `solve`.
    ///
    /// # Errors
    /// A sentence that says which argument is wrong.
    pub fn parse(arguments: &[&str]) -> Result<SolveRequest, String> {
        let mut pairs = Vec::new();
        for pair in arguments.chunks(2) {
            match *pair {
                [name, value] => pairs.push((name, value)),
                [name] if name.starts_with("--") => return Err(format!("{} needs a value", quoted(name))),
                _ => return Err(format!("expected an option, found {}", quoted(pair[0]))),
            }
        }
        if pairs.iter().any(|&(name, _)| name == "--check") {
            CheckRequest::parse(&pairs).map(SolveRequest::Check)
        } else {
            ValuesRequest::parse(&pairs).map(SolveRequest::Values)
        }
    }

    /// Does what was asked for, and prints the result. Progress goes to standard error. Returns
    /// whether everything was solved.
    ///
    /// # Errors
    /// A sentence: a file cannot be used or is wrong, or there is not enough memory.
    pub fn run(&self, out: &mut dyn Write) -> Result<bool, String> {
        match self {
            SolveRequest::Values(request) => request.run(out),
            SolveRequest::Check(request) => request.run(out).map(|()| true),
        }
    }
}

/// A certificate to check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckRequest {
    path: PathBuf,
    selection: CheckedAnswers,
}

impl CheckRequest {
    fn parse(pairs: &[(&str, &str)]) -> Result<CheckRequest, String> {
        let mut path = PathBuf::new();
        let (mut samples, mut seed, mut part) = (None, 1, None);
        for &(name, value) in pairs {
            match name {
                "--check" => path = value.into(),
                "--samples" => samples = Some(number(name, value, (1, usize::MAX))?),
                "--seed" => seed = number(name, value, (0, u64::MAX))?,
                "--shard" => part = Some(shard(value, MAX_SHARDS)?),
                _ => return Err(format!("--check has no option {}", quoted(name))),
            }
        }
        let selection = match (samples, part) {
            (Some(_), Some(_)) => return Err("--samples and --shard cannot be combined".to_string()),
            (Some(count), None) => CheckedAnswers::Random { count, seed },
            (None, Some((index, count))) => CheckedAnswers::Part { index, count },
            (None, None) => CheckedAnswers::All,
        };
        Ok(CheckRequest { path, selection })
    }

    fn run(&self, out: &mut dyn Write) -> Result<(), String> {
        let start = Instant::now();
        let mut timer = ProgressTimer::new(start);
        let mut on_progress = |progress| {
            if timer.is_due() {
                let millions = |answers| format!("{:.1}", answers as f64 / 1e6);
                let text = match progress {
                    CheckProgress::Read(answers) => format!("{} million answers read", millions(answers)),
                    CheckProgress::Verified(answers, all) => {
                        format!(
                            "{} of {} million answers checked",
                            millions(answers),
                            millions(all)
                        )
                    }
                };
                say(start.elapsed(), &text);
            }
        };
        let open = || text::open(&self.path);
        let report = check_certificate(open, self.selection, &mut on_progress)
            .map_err(|error| format!("{}: {error}", self.path.display()))?;
        let [width, height, connect] = report.size;
        print_board(out, width as u64, height as u64, connect as u64)?;
        for value in &report.values {
            print(out, &format!("value: {value}"))?;
        }
        let (answers, verified) = (report.answers, report.verified);
        let checked = match self.selection {
            CheckedAnswers::Part { index, count } => {
                format!("{verified} of {answers} answers, part {index}/{count}")
            }
            CheckedAnswers::Random { seed, .. } if verified < answers => {
                format!("{verified} of {answers} answers, seed {seed}")
            }
            _ => format!("all {answers} answers"),
        };
        print(out, &format!("checked: {checked}"))
    }
}

/// What to solve.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValuesRequest {
    start: BoardPosition,
    checkpoint: Option<PathBuf>,
    read: Vec<PathBuf>,
    certificate: Option<PathBuf>,
    endings: Option<u32>,
    hash: usize,
    nodes: Option<u64>,
    plies: Option<u32>,
    shard: (u32, u32),
}

impl ValuesRequest {
    fn parse(pairs: &[(&str, &str)]) -> Result<ValuesRequest, String> {
        let (mut width, mut height, mut connect) = (None, None, None);
        let (mut fen, mut has_shard) = (None, false);
        let mut request = ValuesRequest {
            start: BoardPosition::start(BoardRules {
                width: 1,
                height: 1,
                connect: 1,
            }),
            checkpoint: None,
            read: Vec::new(),
            certificate: None,
            endings: None,
            hash: 256,
            nodes: None,
            plies: None,
            shard: (0, 1),
        };
        for &(name, value) in pairs {
            let size = |value| number(name, value, (1, BoardRules::MAX)).map(Some);
            match name {
                "--width" => width = size(value)?,
                "--height" => height = size(value)?,
                "--connect" => connect = size(value)?,
                "--fen" => fen = Some(value),
                "--checkpoint" => request.checkpoint = Some(value.into()),
                "--read" => request.read.push(value.into()),
                "--certificate" => request.certificate = Some(value.into()),
                "--endings" => request.endings = Some(number(name, value, (0, MAX_ENDING_CELLS as u32))?),
                "--hash" => request.hash = number(name, value, (1, 65_536))?,
                "--nodes" => request.nodes = Some(number(name, value, (1, u64::MAX))?),
                "--plies" => request.plies = Some(number(name, value, (1, 64))?),
                "--shard" => {
                    has_shard = true;
                    request.shard = shard(value, MAX_SHARDS)?;
                }
                "--samples" | "--seed" => return Err(format!("{name} needs --check")),
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
        if request.endings.is_some() && request.certificate.is_none() {
            return Err("--endings needs --certificate".to_string());
        }
        if has_shard && request.plies.is_none() {
            return Err("--shard needs --plies".to_string());
        }
        Ok(request)
    }

    fn run(&self, out: &mut dyn Write) -> Result<bool, String> {
        let rules = self.start.rules;
        let (mut known, mut nodes) = (KnownAnswers::default(), 0);
        let mut entries = CertificateEntries::default();
        let start = Instant::now();
        let mut run = Run {
            start,
            earlier: Duration::ZERO,
            limit: self.nodes,
            checkpoint: None,
            attacker: Side::First,
            certified: 0,
            timer: ProgressTimer::new(start),
            error: None,
        };
        let add = |known: &mut KnownAnswers, answers: &[AnswerLine]| {
            for answer in answers {
                known.add(&answer.position, answer.attacker, answer.wins);
            }
        };
        for path in &self.read {
            let text = read_text(path)?;
            let is_certificate = entries.add(&text, rules);
            if !is_certificate.map_err(|error| format!("{}: {error}", path.display()))? {
                add(&mut known, &read_answers(path, rules)?);
            }
        }
        entries.add_claims_to(&mut known);
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
        let writer = self.certificate.as_ref();
        let ending_cells = self.endings.unwrap_or(DEFAULT_ENDING_CELLS);
        let mut writer = writer
            .map(|path| CertificateWriter::create(path, (rules, ending_cells), &entries))
            .transpose()?;
        let mut prover = Prover::new(table, &known, &mut run, nodes);
        let BoardRules {
            width,
            height,
            connect,
        } = rules;
        print_board(out, width.into(), height.into(), connect.into())?;
        let is_solved = match self.plies {
            None => {
                let value = prover.value(&self.start);
                print(
                    out,
                    &format!("value: {}", value.map_or("unknown", BoardValue::word)),
                )?;
                is_certified(writer.as_mut(), &mut prover, &self.start, value)?
            }
            Some(plies) => self.solve_openings(plies, &mut prover, writer.as_mut(), out)?,
        };
        nodes = prover.nodes();
        if let Some(error) = run.error {
            return Err(error);
        }
        if let Some(writer) = writer
            && is_solved
        {
            let answers = plural(writer.finish()?, "answer");
            print(out, &format!("certificate: {answers}"))?;
        }
        print(out, &format!("nodes: {nodes}"))?;
        print(out, &format!("time: {:.3} s", run.time().as_secs_f64()))?;
        Ok(is_solved)
    }

    /// Solves the openings of this shard. Returns whether all were solved.
    fn solve_openings(
        &self,
        plies: u32,
        prover: &mut Prover<'_, Run>,
        mut writer: Option<&mut CertificateWriter<'_>>,
        out: &mut dyn Write,
    ) -> Result<bool, String> {
        let all = openings(&self.start, plies);
        let (index, count) = self.shard;
        let part = all.iter().skip(index as usize).step_by(count as usize);
        let (mut values, mut expected) = ([0; 3], 0);
        for opening in part {
            expected += 1;
            let Some(value) = prover.value(opening) else {
                break;
            };
            if !is_certified(writer.as_deref_mut(), prover, opening, Some(value))? {
                break;
            }
            values[value as usize] += 1;
            print(out, &format!("opening: {} {}", opening.fen(), value.word()))?;
        }
        let [wins, draws, losses] = values;
        let solved = plural(wins + draws + losses, "opening");
        print(
            out,
            &format!(
                "{solved} of {}: {wins} win, {draws} draw, {losses} lose for the side to move",
                all.len()
            ),
        )?;
        Ok(wins + draws + losses == expected)
    }
}

/// Adds a value to the certificate, if there is one. Returns whether the value is known and its
/// certificate complete.
fn is_certified(
    writer: Option<&mut CertificateWriter<'_>>,
    prover: &mut Prover<'_, Run>,
    position: &BoardPosition,
    value: Option<BoardValue>,
) -> Result<bool, String> {
    match (writer, value) {
        (Some(writer), Some(value)) => writer.add_claim(prover, position, value),
        (_, value) => Ok(value.is_some()),
    }
}

/// The text of a file; bytes that are no UTF-8 are replaced.
fn read_text(path: &Path) -> Result<String, String> {
    let bytes = fs::read(path).map_err(|error| format!("{}: it cannot be read: {error}", path.display()))?;
    Ok(String::from_utf8_lossy(text::without_byte_order_mark(&bytes)).into_owned())
}

fn print(out: &mut dyn Write, line: &str) -> Result<(), String> {
    writeln!(out, "{line}").map_err(|error| format!("standard output cannot be written: {error}"))
}

fn print_board(out: &mut dyn Write, width: u64, height: u64, connect: u64) -> Result<(), String> {
    let (columns, rows) = (plural(width, "column"), plural(height, "row"));
    print(out, &format!("board: {columns}, {rows}, {connect} in line"))
}

/// A number with a noun: "1 row", "2 rows".
fn plural(count: u64, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// Writes a line of progress.
fn say(time: Duration, line: &str) {
    let _ = writeln!(io::stderr(), "{:.0} s: {line}", time.as_secs_f64());
}

/// Says when the next line of progress is due.
struct ProgressTimer {
    next: Instant,
}

impl ProgressTimer {
    fn new(start: Instant) -> ProgressTimer {
        ProgressTimer {
            next: start + PROGRESS_INTERVAL,
        }
    }

    fn is_due(&mut self) -> bool {
        let now = Instant::now();
        let is_due = now >= self.next;
        if is_due {
            self.next = now + PROGRESS_INTERVAL;
        }
        is_due
    }
}

/// A run of the command: its time, its limit and its file.
struct Run {
    start: Instant,
    /// The time of earlier runs.
    earlier: Duration,
    limit: Option<u64>,
    checkpoint: Option<Checkpoint>,
    /// The side of the current question.
    attacker: Side,
    /// The answers of the certificate.
    certified: u64,
    timer: ProgressTimer,
    /// Why the run cannot continue.
    error: Option<String>,
}

impl Run {
    fn time(&self) -> Duration {
        self.earlier + self.start.elapsed()
    }

    fn say(&self, line: &str) {
        say(self.time(), line);
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
    fn on_question(&mut self, attacker: Side) {
        self.attacker = attacker;
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

    fn on_certified(&mut self, answers: u64) {
        self.certified = answers;
    }

    fn on_progress(&mut self, progress: ProverProgress<'_>) -> bool {
        if self.timer.is_due() {
            let trail = progress
                .trail
                .iter()
                .map(|(index, count)| format!(" {index}/{count}"));
            let certified = match self.certified {
                0 => String::new(),
                answers => format!(", {:.1} million answers", answers as f64 / 1e6),
            };
            self.say(&format!(
                "{:.1} million positions{certified}; can {} win? moves{}",
                progress.nodes as f64 / 1e6,
                self.attacker.letter(),
                trail.collect::<String>()
            ));
        }
        self.limit.is_none_or(|limit| progress.nodes < limit)
    }
}
