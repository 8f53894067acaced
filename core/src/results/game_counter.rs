//! Counts the games of a result file that grows: what was counted is not read again.

use std::collections::{HashMap, HashSet};
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use fixedbitset::FixedBitSet;

use super::header::Header;
use super::reader::{Line, ReadError, Reader};
use crate::system::files::open_regular;

/// How much of the end of what was counted shows that a file has only grown, in bytes.
const TAIL: u64 = 256;

/// The largest number of a game that is kept as one bit.
const MOST_BITS: u64 = 1 << 24;

/// The size of the pieces in which a file is read, in bytes.
const PIECE: usize = 1 << 18;

/// The games of a file so far.
#[derive(Debug, Default)]
pub struct GameCounter {
    /// The largest number of players of a match.
    pub players: usize,
    /// Whether the rules come from a program.
    pub has_rules: bool,
    /// The games of each match of the file, by the identities of their headers.
    matches: HashMap<u64, Ids>,
    /// The match of the last header.
    current: Option<u64>,
    /// The bytes and lines that were counted, and the last of these bytes.
    bytes: u64,
    lines: u64,
    tail: Vec<u8>,
}

/// Numbers of games.
#[derive(Debug, Default)]
struct Ids {
    small: FixedBitSet,
    large: HashSet<u64>,
}

impl Ids {
    fn insert(&mut self, id: u64) {
        if id < MOST_BITS {
            self.small.grow_and_insert(id as usize);
        } else {
            self.large.insert(id);
        }
    }

    fn count(&self) -> u64 {
        (self.small.count_ones(..) + self.large.len()) as u64
    }
}

impl GameCounter {
    /// The number of games; one that stands in the file twice counts once.
    pub fn games(&self) -> u64 {
        self.matches.values().map(Ids::count).sum()
    }

    /// Counts what has been appended to the file, or all of it if it is another one.
    ///
    /// # Errors
    /// It cannot be read, or a line is not one of a result file: what is in front of it is counted.
    pub fn read(&mut self, path: &Path) -> Result<(), ReadError> {
        let mut file = open_regular(path).map_err(ReadError::Io)?;
        if !self.has_counted(&mut file).map_err(ReadError::Io)? {
            *self = GameCounter::default();
            file.rewind().map_err(ReadError::Io)?;
        }
        let mut reader = Reader::at(BufReader::with_capacity(PIECE, &file), self.lines, self.bytes);
        let mut passed = Vec::new();
        let whole = loop {
            let next = reader.next_line_of(0, &mut |id| passed.push(id));
            self.add(&mut passed);
            match next {
                Ok(None) => break [reader.offset(), reader.lines()],
                Err(ReadError::Torn { start, number }) => break [start, number - 1],
                Err(error) => return Err(error),
                Ok(Some(located)) => {
                    match located.line {
                        Line::Header(header) => self.begin(&header),
                        Line::Record(record) => self.add(&mut vec![record.id]),
                        _ => {}
                    }
                    if !located.is_ended {
                        break [located.start, located.number - 1];
                    }
                }
            }
        };
        self.note(&file, whole).map_err(ReadError::Io)
    }

    /// Begins a match, or goes on with it.
    fn begin(&mut self, header: &Header) {
        let identity = header.identity();
        self.matches.entry(identity).or_default();
        self.current = Some(identity);
        self.players = self.players.max(header.engines.len());
        self.has_rules |= header.rules.is_some();
    }

    /// Adds games to the current match.
    fn add(&mut self, games: &mut Vec<u64>) {
        let current = self.current.and_then(|current| self.matches.get_mut(&current));
        let games = games.drain(..);
        if let Some(ids) = current {
            games.for_each(|id| ids.insert(id));
        }
    }

    /// Whether the file still has what was counted.
    fn has_counted(&self, file: &mut (impl Read + Seek)) -> io::Result<bool> {
        file.seek(SeekFrom::Start(self.bytes - self.tail.len() as u64))?;
        let mut found = Vec::new();
        file.take(self.tail.len() as u64).read_to_end(&mut found)?;
        Ok(found == self.tail)
    }

    /// Notes how far the file was counted.
    fn note(&mut self, mut file: impl Read + Seek, [bytes, lines]: [u64; 2]) -> io::Result<()> {
        (self.bytes, self.lines) = (bytes, lines);
        let length = bytes.min(TAIL);
        self.tail.clear();
        file.seek(SeekFrom::Start(bytes - length))?;
        file.take(length).read_to_end(&mut self.tail).map(drop)
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, OpenOptions};
    use std::io::Write as _;

    use super::*;
    use crate::samples::{header, header_of, record};

    fn line(value: &impl serde::Serialize) -> String {
        serde_json::to_string(value).unwrap() + "\n"
    }

    #[test]
    fn counts_what_is_new_and_begins_again_with_another_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        let game = |id| line(&record(id, "a", "b"));
        let mut counter = GameCounter::default();
        let mut count = || {
            counter.read(&path).unwrap();
            (counter.games(), counter.players, counter.has_rules, counter.bytes)
        };
        let mut text = line(&header()) + &game(1) + &game(1 << 40);
        fs::write(&path, &text).unwrap();
        let players = header().engines.len();
        assert_eq!(count(), (2, players, false, text.len() as u64));
        assert_eq!(count(), (2, players, false, text.len() as u64));
        // A game that is being written, a repeated one, and what is no game.
        let whole = text.len() as u64;
        let append = |more: &str| {
            let mut file = OpenOptions::new().append(true).open(&path).unwrap();
            file.write_all(more.as_bytes()).unwrap();
        };
        let third = game(3);
        append(&third[..20]);
        assert_eq!(count(), (2, players, false, whole));
        append(
            &(third[20..].to_string() + &game(1) + "{\"id\":9,\"note\":1}\n" + &game(4).replace(':', ": ")),
        );
        assert_eq!(count().0, 4);
        // Another match.
        let mut other = header_of(&["a", "b", "c"]);
        other.rules = Some(serde_json::from_str(r#"{"name":"nim","cmd":["nim"]}"#).unwrap());
        append(&(line(&other) + &game(1) + &line(&header())));
        let (games, most, has_rules, _) = count();
        assert_eq!((games, most, has_rules), (5, 3, true));
        // The last line without its break, which comes later.
        append(game(2).trim_end());
        assert_eq!(count().0, 6);
        append("\n");
        assert_eq!(count().0, 6);
        // Another file: a longer and a shorter one.
        text = fs::read_to_string(&path).unwrap().replace("\"id\":4", "\"id\":5") + &game(7);
        fs::write(&path, line(&other) + &text).unwrap();
        assert_eq!(count().0, 7);
        fs::write(&path, line(&header()) + &game(1)).unwrap();
        assert_eq!(count().0, 1);
        fs::write(&path, "").unwrap();
        assert_eq!(count(), (0, 0, false, 0));
    }

    #[test]
    fn a_line_that_was_torn_has_one_number() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        let (begin, second) = (
            line(&header()) + &line(&record(1, "a", "b")),
            line(&record(2, "b", "a")),
        );
        let mut counter = GameCounter::default();
        for text in [
            begin.clone() + &second[..20],
            begin.clone() + &second[..40],
            begin.clone() + second.trim_end(),
            begin.clone() + &second,
        ] {
            fs::write(&path, text).unwrap();
            counter.read(&path).unwrap();
        }
        fs::write(&path, begin + &second + "garbage\n").unwrap();
        let error = counter.read(&path).unwrap_err().to_string();
        assert!(error.starts_with("line 4: "), "{error}");
    }
}
