//! What was said in games that were lost by a fault: a file a game in a folder
//! of the match, so that whoever wrote the engine can see what happened.
//!
//! A file's name follows from the game's record, so a report finds it. TranscriptFolder
//! is not worth a match: what cannot be written is told of once.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use lodestone::board::Side;

use crate::io::failure::Failure;
use crate::player::verdict::FaultKind;
use crate::player::{Origin, Transcript, TranscriptLine};
use crate::results::Record;

/// More transcripts than this are not written in one run: an engine that fails
/// always would fill the disk.
const MOST_FILES: u64 = 1000;

/// What stands at the end of the result file's name, in place of its own ending,
/// in the name of its folder.
const ENDING: &str = "faults";

/// So many signs of an engine's name are taken into a file's name.
const LONGEST_NAME: usize = 60;

/// A game that was lost by a fault.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Failed {
    /// Its place in the schedule.
    id: u64,
    /// Who lost it.
    culprit: String,
    /// How.
    kind: FaultKind,
}

impl Failed {
    /// The game of this record, if it was played, and lost by a fault.
    pub fn of(record: &Record) -> Option<Failed> {
        let culprit = match record.culprit()? {
            Side::First => &record.first,
            Side::Second => &record.second,
        };
        let kind = FaultKind::from_word(&record.reason).filter(|kind| *kind != FaultKind::Forfeit)?;
        Some(Failed {
            id: record.id,
            culprit: culprit.clone(),
            kind,
        })
    }

    /// The name of the file with what was said in it.
    pub fn file_name(&self) -> String {
        let sign = |sign: char| {
            let is_plain = sign.is_ascii_alphanumeric() || matches!(sign, '-' | '_' | '.');
            if is_plain { sign } else { '_' }
        };
        let name: String = self.culprit.chars().take(LONGEST_NAME).map(sign).collect();
        format!("game-{:06}-{name}-{}.txt", self.id, self.kind)
    }
}

/// The games of a match that were lost by faults: those with the smallest
/// numbers, no more than a run writes of.
#[derive(Clone, Debug, Default)]
pub struct FailedGames(BTreeSet<Failed>);

impl FailedGames {
    /// Takes a record into account.
    pub fn enter(&mut self, record: &Record) {
        self.0.extend(Failed::of(record));
        if self.0.len() as u64 > MOST_FILES {
            self.0.pop_last();
        }
    }

    /// The transcripts that are there, in the first of these folders that has
    /// one of a game, in the order of the games.
    pub fn transcripts(&self, folders: &[PathBuf]) -> Vec<PathBuf> {
        let files = self.0.iter().map(Failed::file_name);
        let path = |name: String| {
            let mut paths = folders.iter().map(|folder| folder.join(&name));
            paths.find(|path| path.is_file())
        };
        files.filter_map(path).collect()
    }
}

/// The folder that belongs to a result file: beside it and called like it.
pub fn folder_beside(results: &Path) -> PathBuf {
    results.with_extension(ENDING)
}

/// Where transcripts of a match go.
#[derive(Debug)]
pub struct TranscriptFolder {
    folder: Option<PathBuf>,
    seed: u64,
    /// Whether the folder was made for this match before its first fault.
    is_new: bool,
    /// How many were written, or `None` once one could not be.
    written: Mutex<Option<u64>>,
}

impl TranscriptFolder {
    /// Transcripts of a match with this seed go to `folder`, which is made if it
    /// is not there; else beside the result file, if there is one, once there is
    /// something to write; else nowhere.
    ///
    /// # Errors
    /// Where that cannot be.
    pub fn open(
        folder: Option<&Path>,
        results: Option<&Path>,
        seed: u64,
    ) -> Result<TranscriptFolder, Failure> {
        let evidence = |folder, is_new| TranscriptFolder {
            folder,
            seed,
            is_new,
            written: Mutex::new(Some(0)),
        };
        if let Some(folder) = folder {
            let is_new = !folder.exists();
            let opened = fs::create_dir_all(folder).and_then(|()| try_folder(folder));
            opened.map_err(|error| Failure::Usage(format!("--faults {}: {error}", folder.display())))?;
            return Ok(evidence(Some(folder.to_path_buf()), is_new));
        }
        // A device or a pipe has nothing beside it.
        let is_kept = |path: &&Path| path.is_file() || !path.exists();
        let beside = results.filter(is_kept).map(folder_beside);
        if let Some(folder) = beside.as_deref().filter(|folder| folder.exists()) {
            let opened = fs::read_dir(folder).and_then(|_| try_folder(folder));
            opened.map_err(|error| {
                Failure::Usage(format!(
                    "transcripts of games lost by a fault would go to {}: {error}; \
                     `--faults DIR` names another folder",
                    folder.display()
                ))
            })?;
        }
        Ok(evidence(beside, false))
    }

    /// The folder, if there is one.
    pub fn folders(&self) -> Vec<PathBuf> {
        self.folder.iter().cloned().collect()
    }

    /// Writes what was said in a game that was lost by a fault, the first
    /// player's side first; gives back where it stands. A failure is told of
    /// once, and nothing is written after it.
    pub fn write(&self, record: &Record, said: &[Option<Transcript>; 2]) -> Option<PathBuf> {
        let path = self.folder.as_ref()?.join(Failed::of(record)?.file_name());
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        let count = (*written)?;
        if count == MOST_FILES {
            log::warn!("{MOST_FILES} transcripts of lost games are enough; no more are written");
            *written = None;
            return None;
        }
        match write(&path, &transcript(record, self.seed, said)) {
            Ok(()) => {
                *written = Some(count + 1);
                Some(path)
            }
            Err(error) => {
                *written = None;
                log::warn!(
                    "no transcripts of lost games are written any more: {}: {error}",
                    path.display()
                );
                None
            }
        }
    }
}

impl Drop for TranscriptFolder {
    /// Takes the folder away where it was made for nothing.
    fn drop(&mut self) {
        if let Some(folder) = self.folder.as_ref().filter(|_| self.is_new) {
            // It stays where something is in it.
            let _ = fs::remove_dir(folder);
        }
    }
}

/// Whether files can be made in a folder, which only making one tells for sure.
fn try_folder(folder: &Path) -> io::Result<()> {
    let probe = folder.join(format!(".referee-{}", std::process::id()));
    fs::write(&probe, "")?;
    fs::remove_file(&probe)
}

/// A file in full or none.
fn write(path: &Path, text: &str) -> io::Result<()> {
    path.parent().map_or(Ok(()), fs::create_dir_all)?;
    fs::write(path, text).inspect_err(|_| {
        // What is left of it would look like all there was.
        let _ = fs::remove_file(path);
    })
}

/// One line of the transcript with whose it is.
struct Entry<'a> {
    name: &'a str,
    said: &'a TranscriptLine,
    /// The time since the engine was last sent something, for what it wrote.
    after: Option<Duration>,
}

/// What was said in a game, for people.
fn transcript(record: &Record, seed: u64, said: &[Option<Transcript>; 2]) -> String {
    let names = [record.first.as_str(), record.second.as_str()];
    let mut text = heading(record, seed);
    let mut entries: Vec<Entry<'_>> = Vec::new();
    for (name, said) in names.into_iter().zip(said) {
        let Some(said) = said else {
            let _ = writeln!(text, "# {name} is a person");
            continue;
        };
        if said.lost > 0 {
            let lost = said.lost;
            let _ = writeln!(text, "# {lost} earlier lines to and from {name} are left out");
        }
        entries.extend(timed(name, &said.lines));
    }
    entries.sort_by_key(|entry| entry.said.at);
    if let Some(begin) = entries.first().map(|entry| entry.said.at) {
        for entry in &entries {
            text += &entry.line(begin);
        }
    }
    for (name, said) in names.into_iter().zip(said) {
        let stderr = said.as_ref().map_or(&[][..], |said| &said.stderr);
        if !stderr.is_empty() {
            let _ = writeln!(text, "\nWhat {name} last wrote to stderr:");
            for line in stderr {
                let _ = writeln!(text, "  {line}");
            }
        }
    }
    text
}

fn heading(record: &Record, seed: u64) -> String {
    let Record {
        id,
        variant,
        round,
        first,
        second,
        start,
        moves,
        opening_plies,
        result,
        reason,
        detail,
        ..
    } = record;
    let (opening, played) = moves.split_at_checked(*opening_plies).unwrap_or((moves, &[]));
    format!(
        "Game {id} (round {round}) of {variant}: {first} against {second}\n\
         Result: {result}, {reason}: {detail}\n\
         Seed: {seed}\n\
         Start: {start}\n\
         Opening: {}\n\
         Moves: {}\n\
         \n\
         # milliseconds since the first line, and since the engine was last sent something;\n\
         # > sent to it, < written by it\n",
        listed(opening),
        listed(played)
    )
}

fn listed(moves: &[String]) -> String {
    if moves.is_empty() {
        "none".into()
    } else {
        moves.join(" ")
    }
}

/// The lines of one engine, each with the time since it was asked.
fn timed<'a>(name: &'a str, lines: &'a [TranscriptLine]) -> impl Iterator<Item = Entry<'a>> {
    let mut asked: Option<Instant> = None;
    lines.iter().map(move |said| {
        if said.origin == Origin::Referee {
            asked = Some(said.at);
        }
        Entry {
            name,
            said,
            after: asked
                .filter(|_| said.origin != Origin::Referee)
                .map(|asked| said.at.saturating_duration_since(asked)),
        }
    })
}

impl Entry<'_> {
    fn line(&self, begin: Instant) -> String {
        let Entry { name, said, after } = self;
        let milliseconds = |time: Duration| format!("{:.3}", time.as_secs_f64() * 1000.0);
        let since_begin = milliseconds(said.at.saturating_duration_since(begin));
        let after = after.map_or(String::new(), milliseconds);
        let sign = match said.origin {
            Origin::Referee => '>',
            Origin::Engine => '<',
            Origin::Remark => '#',
        };
        let text = tame(&said.text);
        let cut = match said.cut {
            0 => String::new(),
            count => format!("… ({count} more bytes)"),
        };
        format!("{since_begin:>12} {after:>10} {sign} {name}: {text}{cut}\n")
    }
}

/// Text that does nothing to a terminal.
fn tame(text: &str) -> String {
    let tame = |sign: char| {
        let is_tame = !sign.is_control() || sign == '\t';
        if is_tame { sign } else { '\u{fffd}' }
    };
    text.chars().map(tame).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::tests::record;

    fn lost(id: u64, reason: &str) -> Record {
        let mut one = record(id, "my bot/ü", "b");
        one.result = "0-1".parse().unwrap();
        one.reason = reason.into();
        one.detail = "it failed".into();
        one
    }

    fn said(origin: Origin, at: Instant, text: &str) -> TranscriptLine {
        TranscriptLine {
            origin,
            at,
            text: text.into(),
            cut: 0,
        }
    }

    #[test]
    fn the_name_of_a_file_follows_from_the_record() {
        let name = |record: &Record| Failed::of(record).map(|failed| failed.file_name());
        assert_eq!(
            name(&lost(17, "crash")).unwrap(),
            "game-000017-my_bot__-crash.txt"
        );
        let mut other = lost(1_234_567, "time");
        other.result = "1-0".parse().unwrap();
        assert_eq!(name(&other).unwrap(), "game-1234567-b-time.txt");
        for reason in ["five", "forfeit", "resign"] {
            assert_eq!(name(&lost(1, reason)), None, "{reason}");
        }
    }

    #[test]
    fn both_conversations_are_told_in_the_order_of_time() {
        let start = Instant::now();
        let at = |milliseconds| start + Duration::from_millis(milliseconds);
        let one = Transcript {
            lost: 3,
            lines: vec![
                said(Origin::Referee, at(0), "isready"),
                said(Origin::Engine, at(5), "ready\x1b[2Jok"),
                TranscriptLine {
                    cut: 7,
                    ..said(Origin::Engine, at(1250), "info")
                },
            ],
            stderr: vec!["out of ideas".into()],
        };
        let other = Transcript {
            lost: 0,
            lines: vec![
                said(Origin::Referee, at(2), "isready"),
                said(Origin::Remark, at(4), "gone"),
            ],
            stderr: Vec::new(),
        };
        let text = transcript(&lost(17, "crash"), 5, &[Some(one), Some(other)]);
        let (heading, rest) = text.split_once("written by it\n").unwrap();
        assert!(heading.starts_with("Game 17 (round 1) of magnetic-cave: my bot/ü against b\n"));
        assert!(
            heading.contains("\nResult: 0-1, crash: it failed\nSeed: 5\n"),
            "{heading}"
        );
        let expected = "\
# 3 earlier lines to and from my bot/ü are left out
       0.000            > my bot/ü: isready
       2.000            > b: isready
       4.000      2.000 # b: gone
       5.000      5.000 < my bot/ü: ready\u{fffd}[2Jok
    1250.000   1250.000 < my bot/ü: info… (7 more bytes)

What my bot/ü last wrote to stderr:
  out of ideas
";
        assert_eq!(rest, expected);
    }

    #[test]
    fn opening_and_moves_stand_apart() {
        let mut one = lost(1, "crash");
        one.moves = ["a1", "a2", "a3"].map(String::from).into();
        one.opening_plies = 2;
        let text = transcript(&one, 1, &[None, None]);
        assert!(text.contains("\nOpening: a1 a2\nMoves: a3\n"), "{text}");
        assert!(text.contains("\n# b is a person\n"), "{text}");
        one.opening_plies = 0;
        assert!(heading(&one, 1).contains("\nOpening: none\nMoves: a1 a2 a3\n"));
    }

    #[test]
    fn a_folder_is_made_when_it_is_needed_and_files_are_found_again() {
        let scene = tempfile::tempdir().unwrap();
        let results = scene.path().join("games.jsonl");
        fs::write(&results, "").unwrap();
        let evidence = TranscriptFolder::open(None, Some(&results), 1).unwrap();
        let folder = scene.path().join("games.faults");
        assert!(!folder.exists());
        let one = lost(17, "crash");
        let path = evidence.write(&one, &[None, None]).unwrap();
        assert_eq!(path, folder.join("game-000017-my_bot__-crash.txt"));
        assert!(fs::read_to_string(&path).unwrap().starts_with("Game 17 "));

        let mut failed = FailedGames::default();
        for record in [&lost(18, "crash"), &one, &lost(3, "five")] {
            failed.enter(record);
        }
        let folders = [scene.path().to_path_buf(), folder.clone()];
        assert_eq!(failed.transcripts(&folders), [path]);
        drop(evidence);
        assert!(folder.exists());
    }

    #[test]
    fn a_folder_that_cannot_be_is_found_out_before() {
        let scene = tempfile::tempdir().unwrap();
        let results = scene.path().join("games.jsonl");
        let file = scene.path().join("games.faults");
        fs::write(&results, "").unwrap();
        fs::write(&file, "").unwrap();
        let error = |folder: Option<&Path>| TranscriptFolder::open(folder, Some(&results), 1).unwrap_err();
        assert!(
            error(None)
                .to_string()
                .contains("`--faults DIR` names another folder")
        );
        assert!(error(Some(&file)).to_string().starts_with("--faults "));
        let other = scene.path().join("a/b");
        drop(TranscriptFolder::open(Some(&other), Some(&results), 1).unwrap());
        assert!(!other.exists(), "nothing was put into it");
    }

    #[test]
    fn so_many_transcripts_are_enough() {
        let scene = tempfile::tempdir().unwrap();
        let evidence = TranscriptFolder::open(Some(scene.path()), None, 1).unwrap();
        let mut failed = FailedGames::default();
        for id in 1..=MOST_FILES + 1 {
            let one = lost(id, "crash");
            failed.enter(&one);
            assert_eq!(evidence.write(&one, &[None, None]).is_some(), id <= MOST_FILES);
        }
        assert_eq!(failed.0.len() as u64, MOST_FILES);
        assert_eq!(fs::read_dir(scene.path()).unwrap().count() as u64, MOST_FILES);
    }
}
