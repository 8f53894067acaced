//! The command `lodestone tables`: exact values of Gridlock with few pieces, into files.

mod builder;
mod shards;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;
use std::{fs, thread};

use lodestone::game::Setup;
use lodestone::game::gridlock::exact::positions::Positions;
use lodestone::game::gridlock::exact::table::Table;
use lodestone::game::gridlock::exact::{MAX_TABLE_PIECES, describe};
use lodestone::random::Random;
use lodestone::text::quoted;

use self::builder::{LayerReport, TableBuilder};
use self::shards::{Shard, compare};
use crate::arguments::{number, shard};

/// The text of `lodestone tables --help`. Fits a terminal of 40 columns.
pub const HELP: &str = "\
Computes exact values of Gridlock with
few pieces a side.

Usage:
  lodestone tables --pieces N --out FILE
      compute a table for the engine's
      option TablePath, or resume it
  lodestone tables --pieces N
      --out FOLDER --layer T --shard K/N
      compute a part of the values with
      T turns left, from the files of
      all parts with T - 1 turns left

Options:
  --pieces N   pieces a side, 1 to 3 (up
      to 4 with --layer)
  --out PATH   the file, or the folder
      for the files of --layer
  --turns T    end at T turns left, 0 to
      1000; without it, at the turn from
      which the values repeat
  --layer T    turns left, 0 to 1000
  --shard K/N  which part, from 0; N is
      1 to 100; 0/1 by default
  --check S    compare S random
      positions with plain search, 0 to
      1000000; 1000 by default
  --threads C  1 to 1024; by default,
      the number of cores

A run that was interrupted continues if
you repeat the command. Progress goes to
standard error. The exit status is 0, 1
if a file cannot be used or a value is
wrong, 2 for wrong arguments.";

/// The most pieces a side of a layer that is computed in shards.
const MAX_LAYER_PIECES: u32 = 4;

/// The maximum number of parts of a layer.
const MAX_SHARDS: u32 = 100;

/// Plies of the plain search that checks values of a table.
const CHECK_DEPTH: u32 = 2;

/// Values of a layer are checked by a plain search to the end, up to this many turns left.
const MAX_CHECKED_TURNS: u32 = 4;

/// The seed of the sample that is checked.
const CHECK_SEED: u64 = 1;

/// What to compute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    pieces: u32,
    out: PathBuf,
    turns: Option<u32>,
    layer: Option<u32>,
    shard: Option<(u32, u32)>,
    check: u32,
    threads: usize,
}

impl Request {
    /// Reads the arguments behind `tables`.
    ///
    /// # Errors
    /// A sentence that says which argument is wrong.
    pub fn parse(arguments: &[&str]) -> Result<Request, String> {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let mut request = Request {
            pieces: 0,
            out: PathBuf::new(),
            turns: None,
            layer: None,
            shard: None,
            check: 1000,
            threads: cores,
        };
        for pair in arguments.chunks(2) {
            let &[name, value] = pair else {
                return Err(format!("{} needs a value", quoted(pair[0])));
            };
            let in_range = |min, max| number(name, value, (min, max));
            match name {
                "--pieces" => request.pieces = in_range(1, MAX_LAYER_PIECES)?,
                "--out" => request.out = PathBuf::from(value),
                "--turns" => request.turns = Some(in_range(0, Setup::MAX_TURNS)?),
                "--layer" => request.layer = Some(in_range(0, Setup::MAX_TURNS)?),
                "--shard" => request.shard = Some(shard(value, MAX_SHARDS)?),
                "--check" => request.check = in_range(0, 1_000_000)?,
                "--threads" => request.threads = in_range(1, 1024)? as usize,
                _ => return Err(format!("there is no option {}", quoted(name))),
            }
        }
        if request.pieces == 0 {
            Err("--pieces is missing".to_string())
        } else if request.out.as_os_str().is_empty() {
            Err("--out is missing".to_string())
        } else if request.layer.is_none() && request.shard.is_some() {
            Err("--shard needs --layer".to_string())
        } else if request.layer.is_some() && request.turns.is_some() {
            Err("--turns and --layer exclude each other".to_string())
        } else if request.layer.is_none() && request.pieces > MAX_TABLE_PIECES {
            Err(format!(
                "a table has at most {MAX_TABLE_PIECES} pieces a side; --layer computes layers of more"
            ))
        } else {
            Ok(request)
        }
    }

    /// Computes what was asked for. Progress goes to standard error.
    ///
    /// # Errors
    /// A sentence: a file cannot be used, or a value differs from plain search.
    pub fn run(&self) -> Result<(), String> {
        match self.layer {
            Some(turns) => self.layer(turns),
            None => self.table(),
        }
    }

    fn table(&self) -> Result<(), String> {
        let start = Instant::now();
        if !self.out.exists() {
            self.build()?;
        }
        let of_file = |error: String| format!("{}: {error}", self.out.display());
        let mut table = Table::open(&self.out).map_err(of_file)?;
        let max_turns = table.max_turns();
        if table.pieces() != self.pieces
            || max_turns.is_some_and(|max| self.turns.is_none_or(|turns| turns > max))
        {
            let holds = describe(&table);
            return Err(of_file(format!(
                "it holds {holds}; remove it to compute another table"
            )));
        }
        let mut random = Random::new(CHECK_SEED);
        let limits = (self.pieces, max_turns.unwrap_or(Setup::MAX_TURNS));
        compare(
            limits,
            CHECK_DEPTH,
            self.check,
            &mut random,
            &mut |pieces, turns| table.value(pieces, turns),
        )
        .map_err(of_file)?;
        let bytes = fs::metadata(&self.out).map_or(0, |data| data.len());
        progress(&format!(
            "{}: {}; {bytes} bytes; {} positions agree with plain search; {:.1} s",
            self.out.display(),
            describe(&table),
            self.check,
            start.elapsed().as_secs_f64()
        ));
        if let Some((first, period)) = table.period() {
            progress(&format!(
                "from {first} turns left on, the values repeat every {period} turns"
            ));
        }
        Ok(())
    }

    /// Computes the file of a table.
    fn build(&self) -> Result<(), String> {
        let mut builder = TableBuilder::open(self.pieces, &self.out, self.threads)?;
        progress(&format!(
            "{} threads, {} MB of memory and the compressed layers",
            self.threads,
            builder.memory() >> 20
        ));
        if let Some(turns) = builder.turns() {
            progress(&format!("continues behind turn {turns}"));
        }
        let is_done = |builder: &TableBuilder| {
            let reached = |turns| builder.turns().is_some_and(|known| known >= turns);
            builder.repeats() || self.turns.is_some_and(reached)
        };
        while !is_done(&builder) {
            let start = Instant::now();
            let reports = builder.step()?;
            let seconds = start.elapsed().as_secs_f64() / reports.len().max(1) as f64;
            for LayerReport { turns, counts } in reports {
                progress(&layer_line(turns, counts, seconds));
            }
        }
        builder.finish()
    }

    fn layer(&self, turns: u32) -> Result<(), String> {
        let start = Instant::now();
        let (index, count) = self.shard.unwrap_or((0, 1));
        let pieces = self.pieces;
        let shard = Shard {
            pieces,
            turns,
            index,
            count,
        };
        let path = shard.path(&self.out);
        if path.exists() {
            progress(&format!("{}: it is there already", path.display()));
            return Ok(());
        }
        fs::create_dir_all(&self.out)
            .map_err(|error| format!("{}: it cannot be made: {error}", self.out.display()))?;
        let positions = Positions::new(pieces);
        progress(&format!(
            "{} threads, {} MB of memory",
            self.threads,
            shard.memory(&positions) >> 20
        ));
        let values = shard.compute(positions, &self.out, self.threads)?;
        let mut checked = 0;
        if turns <= MAX_CHECKED_TURNS {
            checked = values.check(turns, self.check, CHECK_SEED)?;
        }
        shard.write(&values, &self.out)?;
        progress(&layer_line(turns, values.counts(), start.elapsed().as_secs_f64()));
        progress(&format!(
            "{}: {} bytes; {checked} positions agree with plain search",
            path.display(),
            size_of_file(&path)
        ));
        Ok(())
    }
}

fn size_of_file(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |data| data.len())
}

fn layer_line(turns: u32, [losses, draws, wins]: [u64; 3], seconds: f64) -> String {
    format!("turns left {turns}: {wins} wins, {draws} draws, {losses} losses; {seconds:.2} s")
}

fn progress(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Request, String> {
        Request::parse(&line.split_whitespace().collect::<Vec<_>>())
    }

    #[test]
    fn reads_arguments() {
        let request = parse("--pieces 4 --out d --layer 2 --shard 3/4 --check 7 --threads 2").unwrap();
        assert_eq!(
            (request.pieces, request.layer, request.shard),
            (4, Some(2), Some((3, 4)))
        );
        assert_eq!((request.check, request.threads), (7, 2));
        for (line, error) in [
            ("--out f", "--pieces is missing"),
            ("--pieces 3", "--out is missing"),
            ("--pieces", "`--pieces` needs a value"),
            (
                "--pieces 5 --out f",
                "--pieces: expected a whole number from 1 to 4, found `5`",
            ),
            (
                "--pieces 4 --out f",
                "a table has at most 3 pieces a side; --layer computes layers of more",
            ),
            ("--pieces 3 --out f --shard 0/2", "--shard needs --layer"),
            (
                "--pieces 3 --out f --layer 1 --turns 2",
                "--turns and --layer exclude each other",
            ),
            ("--pieces 3 --out f --frob 1", "there is no option `--frob`"),
            (
                "--pieces 3 --out f --layer 1 --shard 2/2",
                "--shard: expected K/N with K from 0 to N - 1 and N from 1 to 100, found `2/2`",
            ),
        ] {
            assert_eq!(parse(line).unwrap_err(), error, "{line}");
        }
    }
}
