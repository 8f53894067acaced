//! The arguments and the output of `lodestone-solver book`.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{fs, thread};

use lodestone::book::Book;
use lodestone_game::Game;
use lodestone_game::magnetic_cave::MagneticCave;
use lodestone_game::text::quoted;

use super::searches::BookSearches;
use super::tree::{BookQuestion, BookTree};
use crate::arguments::number;

/// The text of `lodestone-solver book --help`. Fits a terminal of 40 columns.
pub const HELP: &str = "\
Compute an opening book for Magnetic
Cave by searches of the engine.

Usage:
  lodestone-solver book --out FILE
      [options]

Options:
  -o, --out FILE
      Write the book to this file, for
      the engine's option BookFile
  --positions N
      Stop at N positions, 1 to 1000000
      [default: 1000]
  --nodes N    Search N nodes for each
      position, from 1 [default: 200000]
  --fen FEN    Start from this position
      [default: the empty board]
  --read FILE  Use the searches in this
      file, too; repeatable
  --threads C  Run C searches at once,
      1 to 1024 [default: the number of
      cores]

The searches are saved in FILE.searches.
The same command resumes an interrupted
run, with the same result. A larger
--positions extends the book. Progress
goes to standard error.

Exit status:
  0  success
  1  a file cannot be used
  2  an argument is wrong";

/// The time between two lines of progress.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(5);

/// The maximum number of positions.
const MAX_POSITIONS: usize = 1_000_000;

/// The book to compute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BookRequest {
    out: PathBuf,
    positions: usize,
    nodes: u64,
    start: MagneticCave,
    read: Vec<PathBuf>,
    threads: usize,
}

impl BookRequest {
    /// Reads the arguments behind `book`.
    ///
    /// # Errors
    /// A sentence that says which argument is wrong.
    pub fn parse(arguments: &[&str]) -> Result<BookRequest, String> {
        let mut request = BookRequest {
            out: PathBuf::new(),
            positions: 1000,
            nodes: 200_000,
            start: MagneticCave::startpos(),
            read: Vec::new(),
            threads: thread::available_parallelism().map_or(1, usize::from),
        };
        for pair in arguments.chunks(2) {
            let &[name, value] = pair else {
                return Err(format!("{} needs a value", quoted(pair[0])));
            };
            match name {
                "-o" | "--out" => request.out = value.into(),
                "--positions" => request.positions = number(name, value, (1, MAX_POSITIONS))?,
                "--nodes" => request.nodes = number(name, value, (1, u64::MAX))?,
                "--fen" => request.start = start(value).map_err(|error| format!("--fen: {error}"))?,
                "--read" => request.read.push(value.into()),
                "--threads" => request.threads = number(name, value, (1, 1024))?,
                _ => return Err(format!("there is no option {}", quoted(name))),
            }
        }
        if request.out.as_os_str().is_empty() {
            return Err("--out is missing".to_string());
        }
        Ok(request)
    }

    /// Computes the book. Progress goes to standard error.
    ///
    /// # Errors
    /// A sentence: a file cannot be used, or there is not enough memory.
    pub fn run(&self) -> Result<(), String> {
        let begin = Instant::now();
        let mut searches = BookSearches::new(self.nodes, self.threads)?;
        for path in &self.read {
            searches.read(path)?;
        }
        searches.open(&with_suffix(&self.out, "searches"))?;
        let mut tree = BookTree::new(self.start, &mut |questions: &[BookQuestion<_>]| {
            searches.answer(questions)
        })?;
        let mut next_progress = PROGRESS_INTERVAL;
        while tree.positions() < self.positions
            && tree.grow(self.positions, &mut |questions: &[BookQuestion<_>]| {
                searches.answer(questions)
            })?
        {
            if begin.elapsed() >= next_progress {
                next_progress = begin.elapsed() + PROGRESS_INTERVAL;
                report(&tree, &searches, begin);
            }
        }
        report(&tree, &searches, begin);
        let text = Book::text(self.nodes, &tree.lines());
        let partial = with_suffix(&self.out, "partial");
        fs::write(&partial, &text)
            .and_then(|()| fs::rename(&partial, &self.out))
            .map_err(|error| format!("{}: it cannot be written: {error}", self.out.display()))?;
        say(&format!("{}: {} bytes", self.out.display(), text.len()));
        Ok(())
    }
}

fn start(fen: &str) -> Result<MagneticCave, String> {
    let start = MagneticCave::from_fen(fen).map_err(|error| error.to_string())?;
    match start.outcome() {
        None => Ok(start),
        Some(_) => Err("the game is over in this position".to_string()),
    }
}

/// The path with a dot and this word behind it.
fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut path = path.as_os_str().to_owned();
    path.push(".");
    path.push(suffix);
    path.into()
}

fn report(tree: &BookTree<MagneticCave>, searches: &BookSearches<MagneticCave>, begin: Instant) {
    let (answered, known) = searches.answered;
    say(&format!(
        "{} positions, {answered} searches ({known} known before), value {}, {:.1} s",
        tree.positions(),
        tree.value(),
        begin.elapsed().as_secs_f64()
    ));
}

fn say(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}
