//! The lines of result files in their order, read by several threads.
//!
//! One thread reads blocks of whole lines. The others parse them. The lines are taken in the order
//! of the files, so the outcome does not depend on the number of threads. A few blocks are in memory
//! at a time.

use std::io::{self, Read};
use std::num::NonZero;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use crate::results::counted_game::CountedGame;
use crate::results::{Line, ReadError, read_line};

/// The size of a block in bytes, if its lines are shorter.
const BLOCK: usize = 256 * 1024;

/// The most threads that parse.
const MAX_THREADS: usize = 8;

/// A line behind a header.
#[derive(Clone, Debug, PartialEq)]
#[allow(clippy::large_enum_variant)] // nearly all lines are games
pub(crate) enum CountedLine {
    /// A finished game.
    Game(CountedGame),
    /// Any other line.
    Other(Line),
}

/// Whole lines of one file.
pub struct Block {
    /// The index of the part that they belong to.
    part: usize,
    bytes: Vec<u8>,
    /// The number of lines before them.
    lines: u64,
}

/// The blocks of a file.
pub struct Blocks<R> {
    input: R,
    /// The beginning of the next block.
    rest: Vec<u8>,
    /// The number of lines read.
    lines: u64,
}

impl<R: Read> Blocks<R> {
    /// The blocks of an input that begins after this many lines of its file.
    pub const fn new(input: R, lines: u64) -> Blocks<R> {
        Blocks {
            input,
            rest: Vec::new(),
            lines,
        }
    }

    /// The next lines; `None` at the end. They are lines of this part.
    pub fn next_block(&mut self, part: usize) -> io::Result<Option<Block>> {
        let mut bytes = std::mem::take(&mut self.rest);
        loop {
            let old = bytes.len();
            let read = (&mut self.input).take(BLOCK as u64).read_to_end(&mut bytes)?;
            if read == 0 {
                break;
            }
            if let Some(end) = memchr::memrchr(b'\n', &bytes[old..]) {
                self.rest = bytes.split_off(old + end + 1);
                break;
            }
        }
        if bytes.is_empty() {
            return Ok(None);
        }
        let lines = self.lines;
        self.lines += memchr::memchr_iter(b'\n', &bytes).count() as u64;
        Ok(Some(Block { part, bytes, lines }))
    }
}

/// A parsed line and its number.
type Parsed = (u64, Result<CountedLine, ReadError>);

/// The lines of a block, with its part.
type Lines = (usize, Vec<Parsed>);

impl Block {
    fn parse(&self) -> Lines {
        let mut parsed = Vec::new();
        for (line, number) in self
            .bytes
            .split_inclusive(|&byte| byte == b'\n')
            .zip(self.lines + 1..)
        {
            if line.trim_ascii().is_empty() {
                continue;
            }
            let read = match CountedGame::parse(line) {
                Some(game) => Ok(CountedLine::Game(game)),
                None => read_line(line, number).map(|line| match line {
                    Line::Record(record) => CountedLine::Game(CountedGame::from(&*record)),
                    line => CountedLine::Other(line),
                }),
            };
            let is_wrong = read.is_err();
            parsed.push((number, read));
            if is_wrong {
                break;
            }
        }
        (self.part, parsed)
    }
}

/// Parses all blocks and passes their lines to `take`, each with its part and its number. Block
/// by block, the threads take turns.
pub fn read<E>(
    mut next: impl FnMut() -> Result<Option<Block>, E>,
    mut take: impl FnMut(usize, u64, Result<CountedLine, ReadError>) -> Result<(), E>,
) -> Result<(), E> {
    let threads = thread::available_parallelism()
        .map_or(1, NonZero::get)
        .min(MAX_THREADS);
    let mut take_all = |(part, lines): Lines| {
        let mut lines = lines.into_iter();
        lines.try_for_each(|(number, line)| take(part, number, line))
    };
    thread::scope(|scope| {
        // A thread ends when its channel is dropped.
        let mut workers: Vec<(Sender<Block>, Receiver<Lines>)> = Vec::new();
        let (mut given, mut taken) = (0, 0);
        let mut take_until = |end: usize, workers: &[(_, Receiver<Lines>)], last: Option<Lines>| {
            while taken < end {
                let lines = workers
                    .get(taken % threads)
                    .and_then(|(_, lines)| lines.recv().ok());
                taken += 1;
                lines.map_or(Ok(()), &mut take_all)?;
            }
            last.map_or(Ok(()), &mut take_all)
        };
        while let Some(block) = next()? {
            if workers.len() < threads && workers.len() == given {
                let (blocks, queue) = channel::<Block>();
                let (done, lines) = channel();
                let parse = move || queue.into_iter().try_for_each(|block| done.send(block.parse()));
                let started = thread::Builder::new().spawn_scoped(scope, parse);
                workers.extend(started.is_ok().then_some((blocks, lines)));
            }
            let Some((blocks, _)) = workers.get(given % threads) else {
                // The thread could not be started.
                take_until(given, &workers, Some(block.parse()))?;
                continue;
            };
            let _ = blocks.send(block);
            given += 1;
            take_until(given.saturating_sub(2 * threads), &workers, None)?;
        }
        take_until(given, &workers, None)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::tests::record;

    /// The ids of the games in a text, in blocks of this file, or the error.
    fn ids(text: &[u8]) -> Result<Vec<u64>, String> {
        let mut blocks = Blocks::new(text, 3);
        let mut ids = Vec::new();
        read(
            || blocks.next_block(0).map_err(|error| error.to_string()),
            |_, _, line| {
                if let CountedLine::Game(game) = line.map_err(|error| error.to_string())? {
                    ids.push(game.id);
                }
                Ok(())
            },
        )
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
