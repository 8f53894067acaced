//! PGN files.
//!
//! * [`Export`] writes a file from result files, at once and in the order of the
//!   schedule. It replaces only an older export of the same match.
//! * [`Appender`] appends each finished game to a new file, for matches without a
//!   result file.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use lodestone_game::text::without_byte_order_mark;

use super::{SOURCE_TAG, source, text};
use crate::failure::Failure;
use crate::failure::Stop;
use crate::game::Ruleset;
use crate::io::files::{AppendOnly, IN_USE, Target, TargetError, append_alone, refusal};
use crate::io::text::ShowPath;
use crate::results::archive::{self, Match};
use crate::results::{Header, Record, Store};
use crate::schedule::Shard;

/// Upper bound of the size of a game's tags in bytes.
const MAX_TAGS: u64 = 1024 * 1024;

/// The PGN output of a match.
#[derive(Debug, Default)]
pub struct MatchPgn {
    /// All games at the end, from the result file that keeps them.
    at_the_end: Option<(Export, PathBuf, Ruleset)>,
    /// Each game as it ends, without a result file.
    pub game_by_game: Option<Appender>,
}

impl MatchPgn {
    /// Opens the output to `path`, if there is one. If that fails, removes a result file without
    /// games. `rules` are those of the match.
    pub fn open(
        path: Option<&Path>,
        store: Option<Store>,
        header: &Header,
        rules: Ruleset,
    ) -> Result<(Option<Store>, MatchPgn), Failure> {
        let Some(path) = path else {
            return Ok((store, MatchPgn::default()));
        };
        // A device or a pipe keeps nothing.
        let out = store.as_ref().map(|store| store.lines.path.clone());
        let opened = if let Some(out) = out.filter(|out| out.is_file()) {
            Export::open(path, header).map(|export| MatchPgn {
                at_the_end: Some((export, out, rules)),
                game_by_game: None,
            })
        } else {
            let appender = Appender::open(path, header.clone());
            appender
                .map_err(|error| unusable(path, &error))
                .map(|appender| MatchPgn {
                    at_the_end: None,
                    game_by_game: Some(appender),
                })
        };
        match opened {
            Ok(pgn) => Ok((store, pgn)),
            Err(failure) => {
                if let Some(store) = store {
                    store.remove_if_empty();
                }
                Err(failure)
            }
        }
    }

    /// Writes the games of the result file, if they are written at the end.
    pub fn write(&self) -> Result<(), Failure> {
        let Some((export, out, rules)) = &self.at_the_end else {
            return Ok(());
        };
        let matches = archive::read(std::slice::from_ref(out));
        let matches = matches.map_err(|error| failed(&error.to_string()))?;
        export.write(&matches, Some(*rules), &mut || Ok(()))
    }
}

fn unusable(path: &Path, error: &io::Error) -> Failure {
    Failure::Usage(format!("--pgn {}: {error}", path.shown()))
}

fn failed(why: &str) -> Failure {
    Failure::Output(format!("the games cannot be written as PGN: {why}"))
}

/// An export of result files to a PGN file.
#[derive(Debug)]
pub struct Export {
    target: Target,
    /// The shard of the games; `None` for the whole match.
    shard: Option<Shard>,
}

impl Export {
    /// Checks that the games of a match, or of its shard, can be exported to
    /// `path`. Called before the first game is played.
    pub fn open(path: &Path, header: &Header) -> Result<Export, Failure> {
        let shard = header.schedule.shard;
        let target = Target::open(path, |old| {
            let old = exported(old)?;
            let whole = source(&header.without_shard());
            let is_part = shard.is_none() && old.split(' ').next() == Some(&whole);
            if old != source(header) && !is_part {
                return Err(refusal("it holds the games of another match or shard"));
            }
            Ok(())
        });
        let target = target.map_err(|error| unusable(path, &error))?;
        Ok(Export { target, shard })
    }

    /// Writes the games of these matches, match by match in the order of their
    /// schedules, each once; calls `watch` before each game. The old file is replaced when
    /// the new one is complete, and kept if there are no games or after an error. `rules` are those of the command.
    pub fn write(
        &self,
        matches: &[Match],
        rules: Option<Ruleset>,
        watch: &mut dyn FnMut() -> Result<(), String>,
    ) -> Result<(), Failure> {
        let locations = matches.iter().map(|one| one.locations(watch));
        let index: Vec<_> = locations
            .collect::<Result<_, _>>()
            .map_err(|error| failed(&error.to_string()))?;
        if index.iter().all(Vec::is_empty) {
            return Ok(());
        }
        let read = |error: archive::ArchiveError| TargetError::Read(error.to_string());
        let mut notation = Notation::default();
        let written = self.target.write(|out| {
            for (one, locations) in matches.iter().zip(index) {
                let mut part = one.header.clone();
                part.schedule.shard = self.shard;
                let source = source(&part);
                let rules = one.header.game(rules).rules();
                for location in locations {
                    watch().map_err(TargetError::Read)?;
                    let mut record = one.record(&location).map_err(read)?;
                    if let Some(rules) = rules {
                        notation
                            .add(&mut record, rules)
                            .map_err(|stop| TargetError::Read(stop.to_string()))?;
                    }
                    out.write_all(text(&one.header, &record, Some(&source)).as_bytes())?;
                }
            }
            Ok(())
        });
        written.map_err(|error| match error {
            TargetError::Write(error) => failed(&format!("{}: {error}", self.target.path.shown())),
            TargetError::Read(why) => failed(&why),
        })
    }
}

/// Asks for the notation of games, until the rules fail.
#[derive(Debug, Default)]
pub struct Notation {
    has_failed: bool,
}

impl Notation {
    /// Adds the notation, if the rules have one.
    pub fn add(&mut self, record: &mut Record, rules: Ruleset) -> Result<(), Stop> {
        if self.has_failed {
            return Ok(());
        }
        match record.add_notation(rules) {
            Err(Stop::Rules(why)) => {
                let id = record.id;
                log::warn!(
                    "from game {id} on, the PGN file has the moves as the protocol writes them: {why}"
                );
                self.has_failed = true;
                Ok(())
            }
            added => added,
        }
    }
}

/// Checks that games can be exported to `path`, of whatever match an older export is.
pub fn check(path: &Path) -> Result<(), Failure> {
    let target = Target::open(path, |old| exported(old).map(drop));
    target.map(drop).map_err(|error| unusable(path, &error))
}

/// The source of an old export.
fn exported(old: File) -> io::Result<String> {
    source_of(old)?.ok_or_else(|| refusal("it was not exported from a result file"))
}

/// The source of the first game of a PGN file.
fn source_of(file: File) -> io::Result<Option<String>> {
    let mut tags = BufReader::new(file.take(MAX_TAGS));
    let mut line = Vec::new();
    let begin = format!("[{SOURCE_TAG} \"");
    loop {
        line.clear();
        tags.read_until(b'\n', &mut line)?;
        let text = String::from_utf8_lossy(without_byte_order_mark(&line));
        if !text.starts_with('[') {
            return Ok(None);
        }
        if let Some(value) = text.strip_prefix(&begin) {
            return Ok(value.split('"').next().map(String::from));
        }
    }
}

/// A new PGN file to which games are appended.
#[derive(Debug)]
pub struct Appender {
    games: AppendOnly,
    header: Header,
}

impl Appender {
    /// Creates a file for the games of a match.
    pub fn open(path: &Path, header: Header) -> io::Result<Appender> {
        let file = append_alone(path, false)?.ok_or_else(|| io::Error::other(IN_USE))?;
        let metadata = file.metadata()?;
        if metadata.is_file() && metadata.len() > 0 {
            return Err(refusal("it is not empty"));
        }
        Ok(Appender {
            games: AppendOnly::new(path, file, 0),
            header,
        })
    }

    /// Appends a game.
    pub fn append(&mut self, record: &Record) -> io::Result<()> {
        let text = text(&self.header, record, None);
        self.games.append(text.as_bytes())
    }

    /// Deletes the file if it has no games.
    pub fn remove_if_empty(self) {
        if self.games.is_empty() {
            self.games.remove();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use tempfile::TempDir;

    use super::*;
    use crate::samples::header;
    use crate::samples::record;

    fn game(id: u64) -> Record {
        let names = if id % 2 == 1 { ["a", "b"] } else { ["b", "a"] };
        record(id, names[0], names[1])
    }

    /// Writes a result file with these games; returns its matches.
    fn archive(folder: &TempDir, header: &Header, ids: &[u64]) -> Vec<Match> {
        let mut text = serde_json::to_string(header).unwrap() + "\n";
        for &id in ids {
            text += &(serde_json::to_string(&game(id)).unwrap() + "\n");
        }
        let path = folder.path().join("a.jsonl");
        fs::write(&path, text).unwrap();
        archive::read(&[path]).unwrap()
    }

    /// Exports games of the match of this header.
    fn export(folder: &TempDir, path: &Path, header: &Header, ids: &[u64]) -> Result<(), String> {
        let matches = archive(folder, header, ids);
        let export = Export::open(path, header).map_err(|error| error.to_string())?;
        export
            .write(&matches, None, &mut || Ok(()))
            .map_err(|error| error.to_string())
    }

    fn names_in(folder: &TempDir) -> Vec<String> {
        let entries = fs::read_dir(folder.path()).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn exports_games_once_in_schedule_order() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("a.pgn");
        export(&folder, &path, &header(), &[]).unwrap();
        assert_eq!(names_in(&folder), ["a.jsonl"], "no file without games");
        export(&folder, &path, &header(), &[3, 1, 2, 1]).unwrap();
        let source = source(&header());
        let expected = [1, 2, 3].map(|id| text(&header(), &game(id), Some(&source)));
        assert_eq!(fs::read_to_string(&path).unwrap(), expected.concat());
        assert_eq!(
            names_in(&folder),
            ["a.jsonl", "a.pgn"],
            "no temporary file is left"
        );
    }

    #[test]
    fn replaces_only_an_export() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("a.pgn");
        for text in [
            "notes",
            "[Event \"x\"]\n\n1. e4 *\n",
            "[Event \"x\"]\n\n[ResultFile \"",
            &text(&header(), &game(1), None),
        ] {
            fs::write(&path, text).unwrap();
            let error = export(&folder, &path, &header(), &[1]).unwrap_err();
            assert!(
                error.contains("it was not exported from a result file, "),
                "{error}"
            );
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        fs::write(&path, "").unwrap();
        export(&folder, &path, &header(), &[1]).unwrap();
    }

    #[test]
    fn whole_match_replaces_a_shard() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("a.pgn");
        let shard = |text: &str| {
            let mut header = header();
            header.schedule.shard = Some(text.parse().unwrap());
            header
        };
        export(&folder, &path, &shard("0/2"), &[1, 2]).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(&format!("[ResultFile \"{} 0/2\"]\n", source(&header()))));
        assert!(Export::open(&path, &shard("0/2")).is_ok());
        assert!(Export::open(&path, &shard("1/2")).is_err());
        export(&folder, &path, &header(), &[1, 2]).unwrap();
        assert!(
            Export::open(&path, &shard("0/2")).is_err(),
            "a shard does not replace the whole"
        );
    }

    #[test]
    fn stopped_export_keeps_the_old_file() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("a.pgn");
        export(&folder, &path, &header(), &[1]).unwrap();
        let old = fs::read(&path).unwrap();
        let matches = archive(&folder, &header(), &[1, 2, 3]);
        let mut games = 0;
        // Three games are located, then written.
        let stopped = Export::open(&path, &header())
            .unwrap()
            .write(&matches, None, &mut || {
                games += 1;
                if games < 5 {
                    Ok(())
                } else {
                    Err("interrupted".into())
                }
            });
        assert!(stopped.unwrap_err().to_string().ends_with(": interrupted"));
        assert_eq!(fs::read(&path).unwrap(), old);
        assert_eq!(names_in(&folder), ["a.jsonl", "a.pgn"]);
    }

    #[test]
    #[cfg(unix)] // on Windows links need a privilege
    fn keeps_links_and_devices() {
        let folder = TempDir::new().unwrap();
        fs::create_dir(folder.path().join("deep")).unwrap();
        let (target, link) = (folder.path().join("deep/a.pgn"), folder.path().join("a.pgn"));
        fs::write(&target, "").unwrap();
        std::os::unix::fs::symlink(&target, &link).unwrap();
        export(&folder, &link, &header(), &[1]).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert!(fs::metadata(&target).unwrap().len() > 0);

        export(&folder, Path::new("/dev/null"), &header(), &[1]).unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
        if Path::new("/dev/full").exists() {
            let error = export(&folder, Path::new("/dev/full"), &header(), &[1]).unwrap_err();
            assert!(error.contains("/dev/full: No space left"), "{error}");
        }
    }

    #[test]
    fn appends_games_to_a_new_file_only() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("a.pgn");
        Appender::open(&path, header()).unwrap().remove_if_empty();
        assert!(names_in(&folder).is_empty());
        let mut appender = Appender::open(&path, header()).unwrap();
        for id in [2, 1] {
            appender.append(&game(id)).unwrap();
        }
        appender.remove_if_empty();
        let expected = [2, 1].map(|id| text(&header(), &game(id), None)).concat();
        assert_eq!(fs::read_to_string(&path).unwrap(), expected);
        let error = Appender::open(&path, header()).unwrap_err().to_string();
        assert!(error.starts_with("it is not empty, "), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), expected);
    }
}
