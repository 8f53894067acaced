//! Reads any number of result files and groups them by match.
//!
//! Files are read twice, first the headers, then the records, so only headers are
//! held in memory. One file is open at a time. A match may still be running: what is appended
//! after the first pass is ignored.

use std::collections::HashMap;
use std::fmt::Display;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Take};
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::counted_game::CountedGame;
pub use super::line_stream::Location;
use super::line_stream::{self, Block};
use crate::failure::Failure;
use crate::io::text::ShowPath;
use crate::io::text::printable;
use crate::results::{Header, Line, ReadError, Reader, Record};
use crate::system::files::{open_regular, unreadable};

/// Why result files cannot be read: a message that names file and line.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
// The message may quote the file.
#[error("{}", printable(.0, usize::MAX))]
pub struct ArchiveError(pub String);

impl From<ArchiveError> for Failure {
    /// An input file is wrong.
    fn from(error: ArchiveError) -> Failure {
        Failure::Usage(error.0)
    }
}

/// One match, from any number of files.
#[derive(Clone, Debug)]
pub struct Match {
    /// The header of the whole schedule, with the largest number of games of all
    /// parts, and the players that are unfit in any of them.
    pub header: Header,
    /// One for each header of the files.
    pub parts: Vec<Part>,
}

/// A line that is read to be counted.
#[allow(clippy::large_enum_variant)] // almost all are games
pub enum CountedLine {
    /// A game, and its record if that was asked for.
    Game(CountedGame, Option<Box<Record>>),
    /// Another line.
    Other(Line),
}

/// The lines of one file that belong to one header.
#[derive(Clone, Debug)]
pub struct Part {
    /// The file.
    pub path: PathBuf,
    pub header: Header,
    /// The byte offsets of the beginning and end of the records.
    range: [u64; 2],
    /// The number of lines before the records.
    lines: u64,
    /// The number of a torn last line.
    pub torn: Option<u64>,
}

/// The matches in these files, in order of their first headers.
pub fn read(paths: &[PathBuf]) -> Result<Vec<Match>, ArchiveError> {
    read_until(paths, &|| false)
}

/// [`read`], which ends with an error when `is_stopped`.
pub fn read_until(paths: &[PathBuf], is_stopped: &dyn Fn() -> bool) -> Result<Vec<Match>, ArchiveError> {
    let mut matches: Vec<Match> = Vec::new();
    // The matches that may be the same as one with this identity.
    let mut alike: HashMap<u64, Vec<usize>> = HashMap::new();
    for path in paths {
        let parts = parts(path, is_stopped)?;
        for part in parts {
            if is_stopped() {
                return Err(ArchiveError("interrupted".into()));
            }
            let alike = alike.entry(part.header.identity()).or_default();
            let same = alike
                .iter()
                .find(|&&known| is_same(&matches[known].header, &part.header));
            match same.and_then(|&known| matches.get_mut(known)) {
                Some(known) if !part.header.schedule.stages.is_empty() => {
                    // Only the last header has all players of a ladder, and those unfit now.
                    if part.header.engines.len() >= known.header.engines.len() {
                        known.header = part.header.without_shard();
                    }
                    known.parts.push(part);
                }
                Some(known) => {
                    let games = &mut known.header.schedule.games;
                    *games = (*games).max(part.header.schedule.games);
                    // The last command names the event.
                    known.header.event = part.header.event.clone().or(known.header.event.take());
                    known.header.site = part.header.site.clone().or(known.header.site.take());
                    for unfit in &part.header.unfit {
                        if !known.header.unfit.iter().any(|known| known.name == unfit.name) {
                            known.header.unfit.push(unfit.clone());
                        }
                    }
                    known.parts.push(part);
                }
                None => {
                    alike.push(matches.len());
                    matches.push(Match {
                        header: part.header.without_shard(),
                        parts: vec![part],
                    });
                }
            }
        }
    }
    Ok(matches)
}

/// Whether two headers belong to one match; the number of games may differ.
fn is_same(one: &Header, other: &Header) -> bool {
    // Most ladders of different players end here, before their headers are copied.
    let mut players = one.engines.iter().zip(&other.engines);
    if players.any(|(one, other)| one.name != other.name) {
        return false;
    }
    let (one, other) = (one.without_shard(), other.without_shard());
    let size = |header: &Header| (header.schedule.games, header.engines.len());
    let (fewer, more) = if size(&one) <= size(&other) {
        (one, other)
    } else {
        (other, one)
    };
    fewer.differences(&more).is_empty()
}

/// The parts of a file, one for each header.
fn parts(path: &Path, is_stopped: &dyn Fn() -> bool) -> Result<Vec<Part>, ArchiveError> {
    let file = open_regular(path).map_err(|error| ArchiveError(unreadable(path, &error)))?;
    let wrong = |why: &dyn Display| ArchiveError(format!("{}: {why}", path.shown()));
    let foreign = |why: &dyn Display| ArchiveError(format!("{} is not a result file ({why})", path.shown()));
    let mut reader = Reader::new(BufReader::with_capacity(READ_SIZE, file));
    let mut parts: Vec<Part> = Vec::new();
    loop {
        // The records are read in the second pass.
        let next = if parts.is_empty() {
            reader.next_line()
        } else {
            reader.next_header_or_end(is_stopped)
        };
        let located = match (next, parts.last_mut()) {
            (Ok(Some(located)), _) => located,
            (Ok(None), Some(part)) => {
                part.range[1] = reader.offset();
                return Ok(parts);
            }
            (Ok(None), None) => return Err(foreign(&"the file is empty")),
            (Err(ReadError::Torn { number, start }), Some(part)) => {
                part.torn = Some(number);
                part.range[1] = start;
                return Ok(parts);
            }
            (Err(error @ ReadError::Invalid { is_header: true, .. }), _) | (Err(error), Some(_)) => {
                return Err(wrong(&error));
            }
            (Err(error), None) => return Err(foreign(&error)),
        };
        if is_stopped() {
            return Err(wrong(&"interrupted"));
        }
        match (located.line, parts.last_mut()) {
            (Line::Header(header), before) => {
                if let Some(part) = before {
                    part.range[1] = located.start;
                }
                header
                    .schedule()
                    .map_err(|why| wrong(&format!("line {}: {why}", located.number)))?;
                parts.push(Part {
                    path: path.to_path_buf(),
                    header: *header,
                    range: [located.end; 2],
                    lines: located.number,
                    torn: None,
                });
            }
            (_, None) => return Err(foreign(&"the first line is not a header")),
            _ => {}
        }
    }
}

/// The size of a read of the first pass, in bytes.
const READ_SIZE: usize = 256 * 1024;

impl Match {
    /// An error in the file of this part.
    fn error(&self, part: usize, why: &dyn Display) -> ArchiveError {
        let path = self.parts.get(part).map(|part| part.path.shown());
        ArchiveError(format!("{}: {why}", path.unwrap_or_default()))
    }

    /// Passes every line after the headers to `take`, with its location. Several threads read them.
    /// It is not generic, so it is compiled once, and with the optimisation of this crate.
    pub fn lines(
        &self,
        take: &mut dyn FnMut(Line, Location) -> Result<(), String>,
    ) -> Result<(), ArchiveError> {
        self.lines_as(&|line| line, take)
    }

    /// [`Match::lines`] with the games counted by the threads that read them, which is quicker.
    /// `keeps_records` passes their records, too.
    pub fn counted_lines(
        &self,
        keeps_records: bool,
        take: &mut dyn FnMut(CountedLine) -> Result<(), String>,
    ) -> Result<(), ArchiveError> {
        let times = self.header.times();
        let counted = |line| match line {
            Line::Record(record) => {
                let game = CountedGame::new(&record, &times);
                CountedLine::Game(game, keeps_records.then_some(record))
            }
            line => CountedLine::Other(line),
        };
        self.lines_as(&counted, &mut |line, _| take(line))
    }

    /// Passes what `reduced` makes of the lines to `take`.
    fn lines_as<T: Send>(
        &self,
        reduced: &(dyn Fn(Line) -> T + Sync),
        take: &mut dyn FnMut(T, Location) -> Result<(), String>,
    ) -> Result<(), ArchiveError> {
        let blocks = self.parts.iter().enumerate().flat_map(|(index, part)| {
            let start = part.start(index);
            let blocks: Box<dyn Iterator<Item = io::Result<Block>>> = match part.rest(&start) {
                Ok(rest) => Box::new(line_stream::blocks(rest, start)),
                Err(error) => Box::new(std::iter::once(Err(error))),
            };
            blocks.map(move |block| block.map_err(|error| self.error(index, &error)))
        });
        line_stream::read(blocks, reduced, |at, line| {
            let line = line.map_err(|error| self.error(at.part, &error))?;
            take(line, at).map_err(|why| self.error(at.part, &format!("line {}: {why}", at.lines + 1)))
        })
    }

    /// The location of each game, in the order of their numbers. Of several copies, the first one with an
    /// analysis counts, or else the first one. Calls `watch` for each line.
    pub(crate) fn locations(
        &self,
        watch: &mut dyn FnMut() -> Result<(), String>,
    ) -> Result<Vec<Location>, ArchiveError> {
        let mut locations = HashMap::new();
        self.lines(&mut |line, location| {
            watch()?;
            if let Line::Record(record) = line {
                let is_analysed = record.analysis.is_some();
                let (known, known_is_analysed) =
                    locations.entry(record.id).or_insert((location, is_analysed));
                if is_analysed && !*known_is_analysed {
                    (*known, *known_is_analysed) = (location, true);
                }
            }
            Ok(())
        })?;
        let mut locations: Vec<_> = locations.into_iter().collect();
        locations.sort_unstable_by_key(|(id, _)| *id);
        Ok(locations.into_iter().map(|(_, (location, _))| location).collect())
    }

    /// The file of a line.
    pub fn path_of(&self, location: &Location) -> &Path {
        let part = self.parts.get(location.part);
        part.map_or(Path::new(""), |part| &part.path)
    }

    pub fn record(&self, location: &Location) -> Result<Record, ArchiveError> {
        let Some(part) = self.parts.get(location.part) else {
            return Err(ArchiveError("there is no such file".into()));
        };
        let error_in = |why: &dyn Display| self.error(location.part, why);
        let rest = part.rest(location).map_err(|error| error_in(&error))?;
        let line = Reader::at(rest, location.lines, location.start)
            .next_line()
            .map_err(|error| error_in(&error))?;
        match line.map(|located| located.line) {
            Some(Line::Record(record)) => Ok(*record),
            _ => Err(error_in(&format!("line {} has changed", location.lines + 1))),
        }
    }
}

impl Part {
    /// The location of the first line.
    fn start(&self, index: usize) -> Location {
        Location {
            part: index,
            start: self.range[0],
            lines: self.lines,
        }
    }

    /// The file from a location to the end of the part.
    fn rest(&self, location: &Location) -> io::Result<BufReader<Take<File>>> {
        let mut file = open_regular(&self.path)?;
        file.seek(SeekFrom::Start(location.start))?;
        Ok(BufReader::new(
            file.take(self.range[1].saturating_sub(location.start)),
        ))
    }
}

#[cfg(test)]
mod tests {
    use sentences::{assert_has, expect};
    use std::fs::{self, OpenOptions};
    use std::io::Write;

    use tempfile::TempDir;

    use super::*;
    use crate::samples::analysis;
    use crate::samples::header;
    use crate::samples::record;
    use crate::schedule::openings::OpeningSource;
    use crate::schedule::{Format, Stage};

    /// The line of a header.
    fn head(change: impl FnOnce(&mut Header)) -> String {
        let mut header = header();
        change(&mut header);
        serde_json::to_string(&header).unwrap() + "\n"
    }

    /// The line of a game.
    fn game(id: u64) -> String {
        serde_json::to_string(&record(id, "a", "b")).unwrap() + "\n"
    }

    /// Files with these texts, and their matches.
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

    /// The ids of the games in file order.
    fn ids(one: &Match) -> Vec<u64> {
        let mut ids = Vec::new();
        one.lines(&mut |line, location| {
            if let Line::Record(record) = line {
                assert_eq!(one.record(&location).unwrap(), *record);
                ids.push(record.id);
            }
            Ok(())
        })
        .unwrap();
        ids
    }

    #[test]
    fn groups_the_parts_of_a_match() {
        let unfit = r#"[{"name":"b","why":"x"},{"name":"a","why":"x"}]"#;
        let short = head(|header| header.unfit = serde_json::from_str(unfit).unwrap())
            + &game(1)
            + "\n{\"note\":1}\n"
            + &game(2);
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
        assert_eq!(matches[0].header.unfit.len(), 2, "each player once");
        assert_eq!(matches[0].parts.len(), 4);
    }

    #[test]
    fn the_last_header_of_a_ladder_has_its_stages() {
        let stages = |count: usize| {
            head(|header| {
                header.schedule.format = Format::Ladder;
                header.schedule.stages = (1..=count)
                    .map(|number| Stage {
                        players: vec![0, 1],
                        rounds: (number < count).then_some(1),
                        unplayed: Vec::new(),
                    })
                    .collect();
            })
        };
        // The second run has the same players, and goes on in a new stage.
        let (_folder, matches) = archive(&[stages(1) + &game(1) + &stages(2) + &game(2)]);
        let matches = matches.unwrap();
        assert_eq!(matches.len(), 1);
        assert_eq!(matches[0].header.schedule.stages.len(), 2);
        assert_eq!(ids(&matches[0]), [1, 2]);
    }

    #[test]
    fn the_copy_with_an_analysis_counts() {
        let mut analysed = record(1, "a", "b");
        analysed.analysis = Some(Box::new(analysis(&[("", "cp 1", "cp 1"); 8])));
        let text = head(|_| ()) + &game(1) + &game(2);
        let other = head(|_| ()) + &(serde_json::to_string(&analysed).unwrap() + "\n") + &game(2);
        for texts in [[text.clone(), other.clone()], [other, text]] {
            let (_folder, matches) = archive(&texts);
            let one = matches.unwrap().remove(0);
            let locations = one.locations(&mut || Ok(())).unwrap();
            let is_analysed: Vec<bool> = locations
                .iter()
                .map(|location| one.record(location).unwrap().analysis.is_some())
                .collect();
            assert_eq!(is_analysed, [true, false]);
        }
    }

    #[test]
    fn separates_two_matches_in_one_file() {
        let text = head(|_| ()) + &game(1) + &head(|header| header.seed = 2) + &game(2);
        let (_folder, matches) = archive(&[text]);
        let matches = matches.unwrap();
        assert_eq!(matches.iter().map(ids).collect::<Vec<_>>(), [[1], [2]]);
    }

    #[test]
    fn ignores_what_a_running_match_appends() {
        let text = head(|_| ()) + &game(1) + "{\"id\":2,\"mo";
        let (folder, matches) = archive(&[text]);
        let one = matches.unwrap().remove(0);
        assert_eq!(one.parts[0].torn, Some(3));
        let file = OpenOptions::new().append(true).open(folder.path().join("0"));
        file.unwrap().write_all(b"ves\":[]}\nwrong\n").unwrap();
        assert_eq!(ids(&one), [1]);
    }

    #[test]
    fn reading_can_be_stopped() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, head(|_| ()) + &game(1) + &game(2)).unwrap();
        let stopped = read_until(&[path], &|| true);
        assert!(stopped.unwrap_err().to_string().ends_with(": interrupted"));
    }

    #[test]
    fn errors_name_file_and_line() {
        let (folder, matches) = archive(&[head(|_| ()) + &game(1) + "\n" + &game(2)]);
        let one = matches.unwrap().remove(0);
        let mut left = 1;
        let refused = one.lines(&mut |_, _| {
            left -= 1;
            if left < 0 { Err("no".into()) } else { Ok(()) }
        });
        let path = folder.path().join("0");
        assert_eq!(
            refused.unwrap_err().to_string(),
            format!("{}: line 4: no", path.shown())
        );
        let location = Location {
            part: 0,
            start: 0,
            lines: 0,
        };
        let error = one.record(&location).unwrap_err().to_string();
        assert_eq!(error, format!("{}: line 1 has changed", path.shown()));
    }

    #[test]
    fn explains_files_that_are_not_result_files() {
        let error = |text: &str| {
            let (folder, matches) = archive(&[text.into()]);
            let read = |all: Vec<Match>| all.iter().try_for_each(|one| one.lines(&mut |_, _| Ok(())));
            let error = matches.and_then(read).unwrap_err().to_string();
            let path = folder.path().join("0").shown();
            let why = error.strip_prefix(&path).unwrap();
            why.trim_start_matches([':', ' ']).to_string()
        };
        for (text, why) in [
            ("", expect! {"is not a result file (the file is empty)"}),
            (
                "some notes\n",
                expect! {"is not a result file (line 1: not JSON: expected value, column 1)"},
            ),
            (
                "{\"header\"",
                expect! {"is not a result file (line 1 is cut off)"},
            ),
            (
                "{}\n",
                expect! {"is not a result file (the first line is not a header)"},
            ),
            (
                &game(1),
                expect! {"is not a result file (the first line is not a header)"},
            ),
            (
                &head(|_| ()).replace("round-robin", "cup"),
                expect! {"line 1: unknown format `cup`; the formats are round-robin, gauntlet, swiss, ladder, knockout, pyramid, column 73"},
            ),
            (
                &head(|_| ()).replace("round-robin", "\\u001b[31mcup\\n"),
                expect! {"line 1: unknown format `\\u{1b}[31mcup\\n`; the formats are round-robin, gauntlet, swiss, ladder, knockout, pyramid, column 85"},
            ),
            (
                &head(|header| {
                    (header.schedule.format, header.schedule.rounds) = (Format::Swiss, Some(1));
                    header.schedule.shard = Some("0/2".parse().unwrap());
                }),
                expect! {"line 1: the format swiss cannot be split into shards"},
            ),
            (
                &head(|header| header.schedule.shard = Some("1/2".parse().unwrap())).replace("1/2", "2/2"),
                expect! {"line 1: shard: expected K/N with K from 0 to N − 1, such as 0/8, column 145"},
            ),
            (
                &(head(|_| ()) + "wrong\n" + &game(1)),
                expect! {"line 2: not JSON: expected value, column 1"},
            ),
        ] {
            why.assert_eq(&error(text));
        }
        let folder = TempDir::new().unwrap();
        let error = read(&[folder.path().to_path_buf()]).unwrap_err().to_string();
        assert_has(&error, expect! {"` cannot be read: it is a folder, not a file"});
        let nowhere = folder.path().join("nowhere");
        let missing = fs::metadata(&nowhere).unwrap_err().to_string();
        let error = read(&[nowhere]).unwrap_err().to_string();
        assert_has(&error, &missing);
        assert_has(&error, expect! {"nowhere` cannot be read:"});
    }
}
