//! The command `lodestone-solver tables`: exact values of Gridlock with few pieces, into files.

mod builder;

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Instant;
use std::{fs, thread};

use lodestone::game::gridlock::exact::layer::ExactValue;
use lodestone::game::gridlock::exact::table::Table;
use lodestone::game::gridlock::exact::{MAX_TABLE_PIECES, describe};
use lodestone_game::board::{Bitboard, Side};
use lodestone_game::gridlock::Gridlock;
use lodestone_game::random::Random;
use lodestone_game::text::quoted;
use lodestone_game::{Game, Setup};

use self::builder::{LayerReport, TableBuilder};
use crate::arguments::number;

/// The text of `lodestone-solver tables --help`. Fits a terminal of 40 columns.
pub const HELP: &str = "\
Compute exact values of Gridlock with
few pieces a side.

Usage:
  lodestone-solver tables --pieces N
      --out FILE [options]

Options:
  --pieces N   Place N pieces a side,
      1 to 3
  -o, --out FILE
      Write the table to this file, for
      the engine's option TablePath
  --turns T    Stop at T turns left, 0
      to 1000 [default: the turn from
      which the values repeat]
  --check S    Compare S random
      positions with a plain search,
      0 to 1000000 [default: 1000]
  --threads C  Use C threads, 1 to 1024
      [default: the number of cores]

The same command resumes an interrupted
run. Progress goes to standard error.

Exit status:
  0  success
  1  a file cannot be used, or a value
     is wrong
  2  an argument is wrong";

/// Plies of the plain search that checks values of a table.
const CHECK_DEPTH: u32 = 2;

/// The seed of the sample that is checked.
const CHECK_SEED: u64 = 1;

/// What to compute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    pieces: u32,
    out: PathBuf,
    turns: Option<u32>,
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
            check: 1000,
            threads: cores,
        };
        for pair in arguments.chunks(2) {
            let &[name, value] = pair else {
                return Err(format!("{} needs a value", quoted(pair[0])));
            };
            let in_range = |min, max| number(name, value, (min, max));
            match name {
                "--pieces" => request.pieces = in_range(1, MAX_TABLE_PIECES)?,
                "-o" | "--out" => request.out = PathBuf::from(value),
                "--turns" => request.turns = Some(in_range(0, Setup::MAX_TURNS)?),
                "--check" => request.check = in_range(0, 1_000_000)?,
                "--threads" => request.threads = in_range(1, 1024)? as usize,
                _ => return Err(format!("there is no option {}", quoted(name))),
            }
        }
        if request.pieces == 0 {
            Err("--pieces is missing".to_string())
        } else if request.out.as_os_str().is_empty() {
            Err("--out is missing".to_string())
        } else {
            Ok(request)
        }
    }

    /// Computes the table, and compares a sample with a plain search. Progress goes to standard error.
    ///
    /// # Errors
    /// A sentence: a file cannot be used, or a value differs from plain search.
    pub fn run(&self) -> Result<(), String> {
        let start = Instant::now();
        if !self.out.exists() {
            self.build()?;
        }
        let of_file = |error: String| format!("{}: {error}", self.out.display());
        let mut table = Table::open(&self.out).map_err(of_file)?;
        let max_turns = table.max_turns();
        if table.pieces != self.pieces
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
}

fn layer_line(turns: u32, [losses, draws, wins]: [u64; 3], seconds: f64) -> String {
    format!("turns left {turns}: {wins} wins, {draws} draws, {losses} losses; {seconds:.2} s")
}

fn progress(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// Where the values beyond the depth of the search come from: the pieces of the side to move
/// and of the opponent, and the turns left.
type DeepValues<'a> = dyn FnMut([Bitboard; 2], u32) -> Option<ExactValue> + 'a;

/// Compares this many random positions with up to `max_turns` turns left with a plain search
/// of `depth` plies, which uses the values of `source` where the game goes on.
///
/// # Errors
/// A sentence that names a position whose value differs or is missing.
fn compare(
    (pieces, max_turns): (u32, u32),
    depth: u32,
    samples: u32,
    random: &mut Random,
    source: &mut DeepValues<'_>,
) -> Result<(), String> {
    for _ in 0..samples {
        let turns = 1 + random.below(u64::from(max_turns.clamp(1, Setup::MAX_TURNS))) as u32;
        let mut position = Gridlock::random_start(Setup { pieces, turns }, random);
        if random.below(2) == 0 {
            position = position.with_turns_left(Side::Second, turns);
        }
        compare_one(&position, depth, source)?;
    }
    Ok(())
}

/// Compares one position with a plain search.
fn compare_one(position: &Gridlock, depth: u32, source: &mut DeepValues<'_>) -> Result<(), String> {
    let found = value_in(position, source);
    let expected = search(position, depth, source);
    if found.is_some() && found == expected {
        return Ok(());
    }
    Err(format!(
        "{}: the value is {found:?}, a plain search finds {expected:?}",
        position.fen()
    ))
}

fn value_in(position: &Gridlock, source: &mut DeepValues<'_>) -> Option<ExactValue> {
    let side = position.side_to_move();
    let pieces = [side, side.opponent()].map(|side| position.pieces(side));
    source(pieces, position.plies_left())
}

/// Plain minimax by the rules, with values of the source after `depth` plies.
fn search(position: &Gridlock, depth: u32, source: &mut DeepValues<'_>) -> Option<ExactValue> {
    if let Some(outcome) = position.outcome() {
        return Some(match outcome.points_for(position.side_to_move()) {
            1 => ExactValue::Win,
            0 => ExactValue::Draw,
            _ => ExactValue::Loss,
        });
    }
    if depth == 0 {
        return value_in(position, source);
    }
    let mut next = Vec::new();
    for &mv in position.generate_moves().iter() {
        next.push(search(&position.play(mv), depth - 1, source)?);
    }
    Some(ExactValue::of_next(next.into_iter()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sentences::{assert_rows, expect};

    fn parse(line: &str) -> Result<Request, String> {
        Request::parse(&line.split_whitespace().collect::<Vec<_>>())
    }

    #[test]
    fn reads_arguments() {
        let request = parse("--pieces 3 -o d --turns 2 --check 7 --threads 2").unwrap();
        assert_eq!((request.pieces, request.turns), (3, Some(2)));
        assert_eq!(request.out, PathBuf::from("d"));
        assert_eq!((request.check, request.threads), (7, 2));
        let table = expect![[r#"
            --out f | --pieces is missing
            --pieces 3 | --out is missing
            --pieces | `--pieces` needs a value
            --pieces 5 --out f | --pieces: expected a whole number from 1 to 3, found `5`
            --pieces 3 --out f --frob 1 | there is no option `--frob`
        "#]];
        assert_rows(table, |[line]| parse(line).unwrap_err());
    }
}
