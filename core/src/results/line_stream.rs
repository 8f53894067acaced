//! The lines of result files in their order, read by several threads.
//!
//! One thread reads blocks of whole lines, which others parse while it takes the lines before. They are
//! taken in the order of the files, so the outcome does not depend on the number of threads. A few blocks
//! are in memory at a time.

use std::io::{self, BufRead, Read};
use std::num::NonZero;
use std::thread;

use memchr::{memchr, memchr_iter};

use super::{Line, ReadError, read_line};

/// The location of a line in the files of a match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Location {
    /// The index of the part.
    pub(super) part: usize,
    /// The byte offset of the beginning of the line.
    pub(super) start: u64,
    /// The number of lines before it.
    pub(super) lines: u64,
}

/// The size of a block in bytes, if its lines are shorter.
const BLOCK: usize = 256 * 1024;

/// The most threads that parse.
const MAX_THREADS: usize = 8;

/// Whole lines of one file.
pub(crate) struct Block {
    /// The location of the first of them.
    at: Location,
    bytes: Vec<u8>,
}

/// The blocks of an input that begins at this location.
pub fn blocks(mut input: impl BufRead, mut at: Location) -> impl Iterator<Item = io::Result<Block>> {
    std::iter::from_fn(move || {
        let mut block = Block {
            at,
            // With room for the rest of a line.
            bytes: Vec::with_capacity(BLOCK + BLOCK / 8),
        };
        let mut begin = input.by_ref().take(BLOCK as u64);
        let read = begin
            .read_to_end(&mut block.bytes)
            .and_then(|_| input.read_until(b'\n', &mut block.bytes));
        if let Err(error) = read {
            return Some(Err(error));
        }
        at.start += block.bytes.len() as u64;
        at.lines += memchr_iter(b'\n', &block.bytes).count() as u64;
        (!block.bytes.is_empty()).then_some(Ok(block))
    })
}

impl Block {
    /// Parses the lines that are not empty, up to the first wrong one, and reduces them to what is taken.
    fn parse<T>(&self, reduced: &dyn Fn(Line) -> T) -> Vec<(Location, Result<T, ReadError>)> {
        let mut parsed = Vec::new();
        let mut at = self.at;
        let mut rest = self.bytes.as_slice();
        while !rest.is_empty() {
            let (line, next) = rest.split_at(memchr(b'\n', rest).map_or(rest.len(), |end| end + 1));
            rest = next;
            if !line.trim_ascii().is_empty() {
                let read = read_line(line, at.lines + 1);
                let is_wrong = read.is_err();
                parsed.push((at, read.map(reduced)));
                if is_wrong {
                    break;
                }
            }
            at.start += line.len() as u64;
            at.lines += 1;
        }
        parsed
    }
}

/// Parses all blocks and passes what `reduced` makes of their lines to `take`, each with its location.
pub fn read<T: Send, E>(
    mut blocks: impl Iterator<Item = Result<Block, E>>,
    reduced: &(dyn Fn(Line) -> T + Sync),
    mut take: impl FnMut(Location, Result<T, ReadError>) -> Result<(), E>,
) -> Result<(), E> {
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let mut parsed: Vec<Vec<_>> = Vec::new();
    loop {
        let next: Vec<Block> = blocks
            .by_ref()
            .take(threads.min(MAX_THREADS))
            .collect::<Result<_, _>>()?;
        parsed = thread::scope(|scope| {
            let workers: Vec<_> = next
                .iter()
                .map(|block| thread::Builder::new().spawn_scoped(scope, move || block.parse(reduced)))
                .collect();
            for (at, line) in parsed.into_iter().flatten() {
                take(at, line)?;
            }
            let lines = workers
                .into_iter()
                .zip(&next)
                .map(|(worker, block)| match worker {
                    Ok(worker) => worker.join().unwrap_or_default(),
                    // The thread could not be started.
                    Err(_) => block.parse(reduced),
                });
            Ok(lines.collect())
        })?;
        if parsed.is_empty() {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::record;

    /// The ids of the games in a text, which begins in line 4 of its file, or the error.
    fn ids(text: &[u8]) -> Result<Vec<u64>, String> {
        let at = Location {
            part: 0,
            start: 100,
            lines: 3,
        };
        let blocks = blocks(text, at).map(|block| block.map_err(|error| error.to_string()));
        let mut ids = Vec::new();
        read(blocks, &|line| line, |at, line| {
            if let Line::Record(record) = line.map_err(|error| error.to_string())? {
                assert!(text[at.start as usize - 100..].starts_with(b"{\"id\""));
                ids.push(record.id);
            }
            Ok(())
        })
        .map(|()| ids)
    }

    #[test]
    fn lines_keep_their_order() {
        let mut text = String::new();
        let count = 3 * BLOCK as u64 / 400;
        for id in 1..=count {
            text += &serde_json::to_string(&record(id, "a", "b")).unwrap();
            text += if id % 100 == 0 { "\n\n{\"note\":1}\n" } else { "\n" };
        }
        assert!(text.len() > 2 * BLOCK);
        assert_eq!(ids(text.as_bytes()).unwrap(), (1..=count).collect::<Vec<_>>());
        // The last line may lack its line break.
        assert_eq!(ids(text.trim_end().as_bytes()).unwrap().len() as u64, count);
        assert!(ids(b"").unwrap().is_empty());
    }

    #[test]
    fn first_error_is_reported_with_its_line() {
        let good = serde_json::to_string(&record(1, "a", "b")).unwrap();
        let text = format!("{good}\n\n{good}\n[]\nwrong\n");
        let error = ids(text.as_bytes()).unwrap_err();
        assert!(error.starts_with("line 7: invalid length 0"), "{error}");
    }
}
