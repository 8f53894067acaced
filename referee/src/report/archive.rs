//! Result files that are read again, while their matches run or later: which
//! of them belong to one match, and the games of each.
//!
//! Files are read twice, first their headers, then their games, so nothing but
//! the headers is held. Only what was there the first time counts; a match may
//! go on meanwhile.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom, Take};
use std::path::{Path, PathBuf};

use crate::io::text::printable;
use crate::results::{Header, Line, ReadError, Reader, Record};
use crate::tournament::Tournament;

/// Why there is no match in some files: a sentence that names file and line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArchiveError(pub String);

impl std::fmt::Display for ArchiveError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // A header may name anything.
        f.write_str(&printable(&self.0, usize::MAX))
    }
}

impl std::error::Error for ArchiveError {}

/// The games of one match, in any number of files.
#[derive(Clone, Debug)]
pub struct Match {
    /// What was played: the whole schedule, with the most games that any part
    /// has.
    pub header: Header,
    parts: Vec<Part>,
}

/// What stands behind a header.
#[derive(Clone, Debug)]
pub struct Part {
    /// The file.
    pub path: PathBuf,
    /// The header.
    pub header: Header,
    /// Where the games begin and end, in bytes.
    range: [u64; 2],
    /// How many lines stand before them.
    lines: u64,
    /// The number of a last line that is cut off.
    pub torn: Option<u64>,
}

/// Where a line stands in the files of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    part: usize,
    /// Where it begins, in bytes.
    start: u64,
    /// How many lines stand before it.
    lines: u64,
}

/// The matches in these files, in their order.
///
/// # Errors
/// Where a file cannot be read or is no result file.
pub fn read(paths: &[PathBuf]) -> Result<Vec<Match>, ArchiveError> {
    let mut matches: Vec<Match> = Vec::new();
    for path in paths {
        let parts = parts(path).map_err(|why| ArchiveError(format!("{}: {why}", path.display())))?;
        for part in parts {
            let same = matches.iter_mut().find(|one| is_same(&one.header, &part.header));
            match same {
                Some(one) => {
                    one.header.schedule.games = one.header.schedule.games.max(part.header.schedule.games);
                    one.parts.push(part);
                }
                None => matches.push(Match {
                    header: part.header.without_shard(),
                    parts: vec![part],
                }),
            }
        }
    }
    Ok(matches)
}

/// Whether two headers are of parts of one match, one perhaps with more games.
fn is_same(one: &Header, other: &Header) -> bool {
    let (one, other) = (one.without_shard(), other.without_shard());
    let (fewer, more) = if one.schedule.games <= other.schedule.games {
        (one, other)
    } else {
        (other, one)
    };
    fewer.differences(&more).is_empty()
}

/// What stands behind each header of a file.
fn parts(path: &Path) -> Result<Vec<Part>, String> {
    let file = File::open(path).map_err(|error| error.to_string())?;
    let is_file = file.metadata().map_err(|error| error.to_string())?.is_file();
    if !is_file {
        return Err("it is read twice, so it must be a file".into());
    }
    let foreign = |why: &dyn std::fmt::Display| format!("this is no result file ({why})");
    let mut reader = Reader::new(BufReader::new(file));
    let mut parts: Vec<Part> = Vec::new();
    loop {
        let placed = match reader.next_line() {
            Ok(Some(placed)) => placed,
            Ok(None) => break,
            Err(error) => {
                let part = parts.last_mut();
                match (error, part) {
                    (ReadError::Torn { number, .. }, Some(part)) => part.torn = Some(number),
                    (error @ ReadError::InvalidHeader { .. }, _) | (error, Some(_)) => {
                        return Err(error.to_string());
                    }
                    (error, None) => return Err(foreign(&error)),
                }
                break;
            }
        };
        match (placed.line, parts.last_mut()) {
            (Line::Header(header), _) => {
                check(&header).map_err(|why| format!("line {}: {why}", placed.number))?;
                parts.push(Part {
                    path: path.to_path_buf(),
                    header: *header,
                    range: [placed.end; 2],
                    lines: placed.number,
                    torn: None,
                });
            }
            (_, Some(part)) => part.range[1] = placed.end,
            (_, None) => return Err(foreign(&"its first line is no header")),
        }
    }
    if parts.is_empty() {
        return Err(foreign(&"it is empty"));
    }
    Ok(parts)
}

/// Whether a header describes a match.
fn check(header: &Header) -> Result<(), String> {
    Tournament::new(header).map(|_| ())
}

impl Match {
    /// What stands behind each of its headers.
    #[must_use]
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Hands out every line behind the headers, and where it stands.
    ///
    /// # Errors
    /// Where a file cannot be read, or as `take` says of a line.
    pub fn lines(&self, mut take: impl FnMut(Line, Place) -> Result<(), String>) -> Result<(), ArchiveError> {
        for (index, part) in self.parts.iter().enumerate() {
            let wrong = |why: &dyn std::fmt::Display| ArchiveError(format!("{}: {why}", part.path.display()));
            let mut place = Place {
                part: index,
                start: part.range[0],
                lines: part.lines,
            };
            let mut reader = part.reader(&place).map_err(|error| wrong(&error))?;
            while let Some(placed) = reader.next_line().map_err(|error| wrong(&error))? {
                take(placed.line, place).map_err(|why| wrong(&format!("line {}: {why}", placed.number)))?;
                (place.start, place.lines) = (placed.end, placed.number);
            }
        }
        Ok(())
    }

    /// The game at this place.
    ///
    /// # Errors
    /// Where it cannot be read, or is there no more.
    pub fn record(&self, place: &Place) -> Result<Record, ArchiveError> {
        let Some(part) = self.parts.get(place.part) else {
            return Err(ArchiveError("there is no such file".into()));
        };
        let wrong = |why: &dyn std::fmt::Display| ArchiveError(format!("{}: {why}", part.path.display()));
        let mut reader = part.reader(place).map_err(|error| wrong(&error))?;
        let line = reader.next_line().map_err(|error| wrong(&error))?;
        match line.map(|placed| placed.line) {
            Some(Line::Record(record)) => Ok(*record),
            _ => Err(wrong(&format!("line {} has changed meanwhile", place.lines + 1))),
        }
    }
}

impl Part {
    /// Reads from a place on to the end of the part.
    fn reader(&self, place: &Place) -> std::io::Result<Reader<BufReader<Take<File>>>> {
        let mut file = File::open(&self.path)?;
        file.seek(SeekFrom::Start(place.start))?;
        let rest = file.take(self.range[1].saturating_sub(place.start));
        Ok(Reader::at(BufReader::new(rest), place.lines, place.start))
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, OpenOptions};
    use std::io::Write;

    use tempfile::TempDir;

    use super::*;
    use crate::openings::OpeningSource;
    use crate::results::header_tests::header;
    use crate::results::tests::record;
    use crate::schedule::Format;

    /// A header as its line.
    fn head(change: impl FnOnce(&mut Header)) -> String {
        let mut header = header();
        change(&mut header);
        serde_json::to_string(&header).unwrap() + "\n"
    }

    /// A game as its line.
    fn game(id: u64) -> String {
        serde_json::to_string(&record(id, "a", "b")).unwrap() + "\n"
    }

    /// Files with these texts, and what is read from them.
    fn archive(texts: &[String]) -> (TempDir, Result<Vec<Match>, ArchiveError>) {
        let folder = TempDir::new().unwrap();
        let paths: Vec<PathBuf> = (0..texts.len())
            .map(|number| folder.path().join(number.to_string()))
            .collect();
        for (path, text) in paths.iter().zip(texts) {
            fs::write(path, text).unwrap();
        }
        let matches = read(&paths);
        (folder, matches)
    }

    /// The numbers of the games, in the order in which they stand.
    fn ids(one: &Match) -> Vec<u64> {
        let mut ids = Vec::new();
        one.lines(|line, place| {
            if let Line::Record(record) = line {
                assert_eq!(one.record(&place).unwrap(), *record, "found again at its place");
                ids.push(record.id);
            }
            Ok(())
        })
        .unwrap();
        ids
    }

    #[test]
    fn parts_of_a_match_are_found_together() {
        let short = head(|_| ()) + &game(1) + "\n{\"note\":1}\n" + &game(2);
        let other = head(|header| header.seed = 2) + &game(3);
        let long = head(|header| {
            header.schedule.games = 12;
            header.schedule.openings = Some(OpeningSource::File("b/book.txt".into()));
            header.schedule.shard = Some("1/2".parse().unwrap());
        }) + &game(4);
        let grown = short.clone() + &head(|header| header.schedule.games = 20) + &game(5);
        let (_folder, matches) = archive(&[long, other, short, grown]);
        let matches = matches.unwrap();
        assert_eq!(matches.len(), 2);
        assert_eq!(ids(&matches[0]), [4, 1, 2, 1, 2, 5]);
        assert_eq!(ids(&matches[1]), [3]);
        assert_eq!(matches[0].header.schedule.games, 20);
        assert_eq!(matches[0].header.schedule.shard, None);
        assert_eq!(matches[0].parts().len(), 4);
    }

    #[test]
    fn two_matches_in_one_file_stay_apart() {
        let text = head(|_| ()) + &game(1) + &head(|header| header.seed = 2) + &game(2);
        let (_folder, matches) = archive(&[text]);
        let matches = matches.unwrap();
        assert_eq!(matches.iter().map(ids).collect::<Vec<_>>(), [[1], [2]]);
    }

    #[test]
    fn a_match_may_go_on_meanwhile() {
        let text = head(|_| ()) + &game(1) + "{\"id\":2,\"mo";
        let (folder, matches) = archive(&[text]);
        let one = matches.unwrap().remove(0);
        assert_eq!(one.parts()[0].torn, Some(3));
        let file = OpenOptions::new().append(true).open(folder.path().join("0"));
        file.unwrap().write_all(b"ves\":[]}\nwrong\n").unwrap();
        assert_eq!(ids(&one), [1]);
    }

    #[test]
    fn a_line_that_is_refused_is_named() {
        let (folder, matches) = archive(&[head(|_| ()) + &game(1) + "\n" + &game(2)]);
        let one = matches.unwrap().remove(0);
        let mut left = 1;
        let refused = one.lines(|_, _| {
            left -= 1;
            if left < 0 { Err("no".into()) } else { Ok(()) }
        });
        let path = folder.path().join("0");
        assert_eq!(
            refused.unwrap_err().to_string(),
            format!("{}: line 4: no", path.display())
        );
        let place = Place {
            part: 0,
            start: 0,
            lines: 0,
        };
        let error = one.record(&place).unwrap_err().to_string();
        assert_eq!(error, format!("{}: line 1 has changed meanwhile", path.display()));
    }

    #[test]
    fn what_is_no_result_file_is_told() {
        let error = |text: &str| {
            let (_folder, matches) = archive(&[text.into()]);
            let error = matches.unwrap_err().to_string();
            error.split_once(": ").unwrap().1.to_string()
        };
        for (text, why) in [
            ("", "this is no result file (it is empty)"),
            (
                "some notes\n",
                "this is no result file (line 1: expected value, column 1)",
            ),
            ("{\"header\"", "this is no result file (line 1 is cut off)"),
            ("{}\n", "this is no result file (its first line is no header)"),
            (&game(1), "this is no result file (its first line is no header)"),
            (
                &head(|_| ()).replace("round-robin", "cup"),
                "line 1: unknown format `cup`, column 73",
            ),
            (
                &head(|_| ()).replace("round-robin", "\\u001b[31mcup\\n"),
                "line 1: unknown format `\u{fffd}[31mcup\u{fffd}`, column 85",
            ),
            (
                &head(|header| {
                    header.schedule.format = Format::Swiss;
                    header.schedule.rounds = Some(2);
                    header.schedule.shard = Some("0/2".parse().unwrap());
                }),
                "line 1: a Swiss tournament has no parts",
            ),
            (
                &head(|header| header.schedule.shard = Some("1/2".parse().unwrap())).replace("1/2", "2/2"),
                "line 1: shard: expected K/N with K from 0 to N − 1, such as 0/8, column 145",
            ),
            (
                &(head(|_| ()) + "wrong\n" + &game(1)),
                "line 2: expected value, column 1",
            ),
        ] {
            assert_eq!(error(text), why, "{text}");
        }
        let folder = TempDir::new().unwrap();
        let error = read(&[folder.path().to_path_buf()]).unwrap_err().to_string();
        assert!(
            error.ends_with(": it is read twice, so it must be a file"),
            "{error}"
        );
        let error = read(&[folder.path().join("nowhere")]).unwrap_err().to_string();
        assert!(error.contains("nowhere: No such file or directory"), "{error}");
    }
}
