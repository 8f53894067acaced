//! Transcripts of games with a fault: one file per game, for the authors of
//! engines.
//!
//! The file name follows from the game's record, so a report finds the file.
//! Transcripts are optional: a write error stops them with a warning, and the
//! match continues.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{fs, io};

use crate::failure::Failure;
use crate::io::files;
use crate::io::text::ShowPath;
use crate::io::text::printable;
use crate::io::untrusted::{Untrusted, joined};
use crate::player::verdict::FaultKind;
use crate::player::{Origin, Transcript, TranscriptLine};
use crate::results::Record;
use crate::results::counted_game::CountedGame;
use crate::system::files::Folder;

/// The maximum number of transcripts per run: an engine that always fails would
/// fill the disk.
const MAX_FILES: u64 = 1000;

/// What is read of a transcript, in bytes. The longest one that is written, with all its characters escaped, is
/// shorter.
const MAX_LENGTH: u64 = 4 * 1024 * 1024;

/// The extension of the folder, which replaces that of the result file.
const EXTENSION: &str = "faults";

/// The maximum length of an engine's name in a file name, in characters.
const MAX_NAME: usize = 60;

/// A game with a fault.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FailedGame {
    /// The number of the game in the schedule.
    id: u64,
    /// The name of the player at fault.
    culprit: String,
    kind: FaultKind,
}

impl FailedGame {
    /// The game, if a player committed a fault while it was played.
    pub fn of(game: &CountedGame) -> Option<FailedGame> {
        let (culprit, kind) = game.failure()?;
        (kind != FaultKind::Forfeit).then(|| FailedGame {
            id: game.id,
            culprit: game.names[culprit.index()].clone(),
            kind,
        })
    }

    /// The file name of the transcript.
    pub fn file_name(&self) -> String {
        let safe = |character: char| {
            let is_safe = character.is_ascii_alphanumeric() || matches!(character, '-' | '_' | '.');
            if is_safe { character } else { '_' }
        };
        let name: String = self.culprit.chars().take(MAX_NAME).map(safe).collect();
        format!("game-{:06}-{name}-{}.txt", self.id, self.kind)
    }

    /// The transcript in this folder; `None` if there is none. The folder may have come with a result file, so
    /// links are not followed.
    pub fn transcript(&self, folder: &Path) -> Option<String> {
        let mut text = Vec::new();
        let file = Folder::open_real(folder).and_then(|folder| folder.file(&self.file_name()));
        file.ok()?.take(MAX_LENGTH).read_to_end(&mut text).ok()?;
        Some(String::from_utf8_lossy(&text).into_owned())
    }
}

/// The first games of a match with a fault, at most `MAX_FILES`, in order.
#[derive(Clone, Debug, Default)]
pub struct FailedGames(Vec<FailedGame>);

impl FailedGames {
    /// Adds a game, if there is one.
    pub(crate) fn enter(&mut self, game: Option<FailedGame>) {
        if let Some(game) = game
            && let Err(place) = self.0.binary_search(&game)
        {
            self.0.insert(place, game);
            self.0.truncate(MAX_FILES as usize);
        }
    }

    /// The paths of existing transcripts, by game number. For each game the first
    /// of `folders` that has its transcript counts.
    pub fn transcripts(&self, folders: &[PathBuf]) -> Vec<PathBuf> {
        let files = self.0.iter().map(FailedGame::file_name);
        let is_file = |path: &PathBuf| path.symlink_metadata().is_ok_and(|found| found.is_file());
        let path = |name: String| {
            let mut paths = folders.iter().map(|folder| folder.join(&name));
            paths.find(is_file)
        };
        files.filter_map(path).collect()
    }
}

/// The transcript folder of a result file: next to it, with the same stem.
pub fn folder_beside(results: &Path) -> PathBuf {
    results.with_extension(EXTENSION)
}

/// The transcript folder that the user named: what a link to it leads to.
pub fn folder_given(folder: &Path) -> PathBuf {
    let target = folder.is_symlink().then(|| folder.canonicalize().ok()).flatten();
    target.unwrap_or_else(|| folder.to_path_buf())
}

/// The folder for the transcripts of a match.
#[derive(Debug)]
pub struct TranscriptFolder {
    folder: Option<PathBuf>,
    seed: u64,
    /// Whether [`TranscriptFolder::open`] created the folder.
    is_new: bool,
    /// The number of transcripts written; `None` after an error.
    written: Mutex<Option<u64>>,
}

impl TranscriptFolder {
    /// Uses `folder`, which is created at once. Without it, uses a folder next to
    /// the result file, which is created with the first transcript. With neither,
    /// no transcripts are written. `seed` is that of the match.
    pub fn open(
        folder: Option<&Path>,
        results: Option<&Path>,
        seed: u64,
    ) -> Result<TranscriptFolder, Failure> {
        let transcripts = |folder, is_new| TranscriptFolder {
            folder,
            seed,
            is_new,
            written: Mutex::new(Some(0)),
        };
        if let Some(folder) = folder {
            let is_new = !folder.exists();
            let opened = fs::create_dir_all(folder).and_then(|()| check_writable(folder));
            opened.map_err(|error| Failure::Usage(format!("--faults {}: {error}", folder.shown())))?;
            return Ok(transcripts(Some(folder.to_path_buf()), is_new));
        }
        // A device or a pipe has no folder next to it.
        let is_kept = |path: &&Path| path.is_file() || !path.exists();
        let beside = results.filter(is_kept).map(folder_beside);
        if let Some(folder) = beside
            .as_deref()
            .filter(|folder| folder.symlink_metadata().is_ok())
        {
            // A link might lead anywhere: the folder may have come with the result file.
            let opened = Folder::open_real(folder).and_then(|_| check_writable(folder));
            opened.map_err(|error| {
                Failure::Usage(format!(
                    "transcripts of games lost by a fault would go to {}: {error}; \
                     choose another folder with `--faults DIR`",
                    folder.shown()
                ))
            })?;
        }
        Ok(transcripts(beside, false))
    }

    /// The folder, if transcripts are written.
    pub fn folders(&self) -> Vec<PathBuf> {
        self.folder.iter().cloned().collect()
    }

    /// Writes the transcripts of a game with a fault, the first
    /// player's first; `None` stands for a person. Returns the path of the file.
    /// After an error, logs a warning and writes no more transcripts.
    pub fn write(&self, record: &Record, transcripts: &[Option<Transcript>; 2]) -> Option<PathBuf> {
        let path = self
            .folder
            .as_ref()?
            .join(FailedGame::of(&record.into())?.file_name());
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        let count = (*written)?;
        if count == MAX_FILES {
            log::warn!("{MAX_FILES} transcripts of lost games were written; there will be no more");
            *written = None;
            return None;
        }
        match write(&path, &text(record, self.seed, transcripts)) {
            Ok(()) => {
                *written = Some(count + 1);
                Some(path)
            }
            Err(error) => {
                *written = None;
                log::warn!(
                    "no more transcripts of lost games are written: {}: {error}",
                    path.shown()
                );
                None
            }
        }
    }
}

impl Drop for TranscriptFolder {
    /// Deletes the folder if it was created here and is empty.
    fn drop(&mut self) {
        if let Some(folder) = self.folder.as_ref().filter(|_| self.is_new) {
            // Fails if the folder is not empty.
            let _ = fs::remove_dir(folder);
        }
    }
}

/// Checks that files can be created in a folder, by creating one.
fn check_writable(folder: &Path) -> io::Result<()> {
    files::check_draft(&folder.join("referee"))
}

/// Writes a file completely or not at all.
fn write(path: &Path, text: &str) -> io::Result<()> {
    path.parent().map_or(Ok(()), fs::create_dir_all)?;
    files::replace(path, text)
}

/// The transcripts of both players as the text of one file.
fn text(record: &Record, seed: u64, transcripts: &[Option<Transcript>; 2]) -> String {
    let names = [record.first.as_str(), record.second.as_str()];
    let mut text = heading(record, seed);
    let milliseconds = |time: Duration| format!("{:.3}", time.as_secs_f64() * 1000.0);
    // Each line with the name of its engine, and the time since the last command if it is output.
    let mut lines: Vec<(&TranscriptLine, &str, String)> = Vec::new();
    for (name, transcript) in names.into_iter().zip(transcripts) {
        let Some(transcript) = transcript else {
            let _ = writeln!(text, "# {name} is a human player");
            continue;
        };
        if transcript.lost > 0 {
            let lost = transcript.lost;
            let _ = writeln!(text, "# {lost} earlier lines of {name} are omitted");
        }
        let mut command: Option<Instant> = None;
        for line in &transcript.lines {
            if line.origin == Origin::Referee {
                command = Some(line.at);
            }
            let latency = command.filter(|_| line.origin != Origin::Referee);
            let latency = latency.map(|command| line.at.saturating_duration_since(command));
            lines.push((line, name, latency.map_or(String::new(), milliseconds)));
        }
    }
    lines.sort_by_key(|(line, ..)| line.at);
    let start = lines.first().map(|(line, ..)| line.at);
    for (line, name, latency) in lines {
        let since_start = start.map_or(Duration::ZERO, |start| line.at.saturating_duration_since(start));
        text += &line_text(line, name, &milliseconds(since_start), &latency);
    }
    for (name, transcript) in names.into_iter().zip(transcripts) {
        let stderr = transcript
            .as_ref()
            .map_or(&[][..], |transcript| &transcript.stderr);
        if !stderr.is_empty() {
            let _ = writeln!(text, "\n{}", heading_of_stderr(name));
            for line in stderr {
                let _ = writeln!(text, "{STDERR_INDENT}{line}");
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
        "Game {id} (round {round}) of {}: {first} against {second}\n\
         Result: {result}, {}: {}\n\
         Seed: {seed}\n\
         Start: {}\n\
         Opening: {}\n\
         Moves: {}\n\
         \n\
         # milliseconds since the first line, milliseconds since the last command,\n\
         # > command, < output of the engine\n",
        variant.shown(),
        reason.shown(),
        detail.shown(),
        start.shown(),
        line_of(opening),
        line_of(played)
    )
}

fn line_of(moves: &[Untrusted]) -> String {
    if moves.is_empty() {
        "none".into()
    } else {
        joined(moves)
    }
}

/// A line of a transcript, with the times since the first line and since the last command.
fn line_text(line: &TranscriptLine, name: &str, since_start: &str, latency: &str) -> String {
    let sign = line.origin.sign();
    // Tabs are harmless here.
    let parts = line
        .text
        .raw()
        .split('\t')
        .map(|part| printable(part, usize::MAX));
    let text = parts.collect::<Vec<_>>().join("\t");
    let cut = match line.cut {
        0 => String::new(),
        count => format!("… ({count} more bytes)"),
    };
    format!("{since_start:>12} {latency:>10} {sign} {name}: {text}{cut}\n")
}

/// The sign of a line of the dialogue, `>` or `<`, and what follows it: the inverse of [`line_text`].
fn without_times(line: &str) -> Option<(char, &str)> {
    let is_time = |sign: char| sign.is_ascii_digit() || sign == '.';
    let mut rest = line.trim_start();
    if !rest.starts_with(is_time) {
        return None;
    }
    for _ in 0..2 {
        rest = rest.trim_start_matches(is_time).trim_start();
    }
    let signs = [Origin::Referee, Origin::Engine].map(Origin::sign);
    let sign = rest.chars().next().filter(|sign| signs.contains(sign))?;
    Some((sign, rest[1..].strip_prefix(' ')?))
}

/// What is before each line of stderr.
const STDERR_INDENT: &str = "  ";

/// What is above the lines on stderr of a player.
fn heading_of_stderr(name: &str) -> String {
    format!("Last lines of {name} on stderr:")
}

/// What a transcript has of one player.
pub struct PlayerLines {
    /// The lines to the player, `> go …`, and from it, `< bestmove …`.
    pub dialogue: Vec<String>,
    /// The last lines on stderr.
    pub stderr: Vec<String>,
}

impl PlayerLines {
    /// Those of the player of this name, without their times.
    pub fn of(transcript: &str, name: &str) -> PlayerLines {
        let own = |line| {
            let (sign, rest) = without_times(line)?;
            let text = rest.strip_prefix(name)?.strip_prefix(": ")?;
            Some(format!("{sign} {text}"))
        };
        let heading = heading_of_stderr(name);
        let stderr = transcript.lines().skip_while(|line| *line != heading).skip(1);
        let stderr = stderr.map_while(|line| line.strip_prefix(STDERR_INDENT));
        PlayerLines {
            dialogue: transcript.lines().filter_map(own).collect(),
            stderr: stderr.map(String::from).collect(),
        }
    }

    /// The lines since the last `go`, or a few more.
    pub fn last(&self) -> Vec<&str> {
        /// At least this many lines are shown, if there are that many.
        const LEAST: usize = 12;
        let go = self.dialogue.iter().rposition(|line| line.starts_with("> go"));
        let first = self.dialogue.len().saturating_sub(LEAST);
        let shown = &self.dialogue[go.map_or(first, |go| go.min(first))..];
        shown.iter().map(String::as_str).collect()
    }

    /// What a wrapper has given its program since the last question, and the answer: `> input.txt | …`.
    pub fn notes(&self) -> Vec<&str> {
        let last = self.dialogue.iter().rposition(|line| line.starts_with("> go"));
        let since = &self.dialogue[last.unwrap_or_default()..];
        let notes = since
            .iter()
            .filter_map(|line| line.strip_prefix("< info string "));
        notes
            .filter(|note| note.starts_with("> ") || note.starts_with("< "))
            .collect()
    }
}

/// The largest number of transcripts of one player and one kind of fault on a page.
const MAX_TRANSCRIPTS: usize = 2;

/// The largest size of a transcript on a page, in bytes. Of a longer one, the beginning and
/// the end are kept.
const MAX_TRANSCRIPT: usize = 24 * 1024;

/// What is kept of the beginning of a long transcript, in bytes.
const TRANSCRIPT_HEAD: usize = 2 * 1024;

/// The transcripts of a match by game number: of each player and kind of fault, the first
/// `MAX_TRANSCRIPTS` that exist.
pub fn excerpts(failed: &FailedGames, folders: &[PathBuf]) -> HashMap<u64, String> {
    let mut texts = HashMap::new();
    let mut counts: HashMap<_, usize> = HashMap::new();
    for game in &failed.0 {
        let count = counts.entry((game.culprit.as_str(), game.kind)).or_default();
        if *count >= MAX_TRANSCRIPTS {
            continue;
        }
        if let Some(text) = folders.iter().find_map(|folder| game.transcript(folder)) {
            *count += 1;
            texts.insert(game.id, shortened(&text));
        }
    }
    texts
}

/// The lines of a transcript, made safe to show; the beginning and the end of a long one.
fn shortened(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(|line| printable(line, usize::MAX)).collect();
    let size = |line: &String| line.len() + 1;
    if lines.iter().map(size).sum::<usize>() <= MAX_TRANSCRIPT {
        return lines.join("\n");
    }
    let fitting = |lines: &mut dyn Iterator<Item = &String>, max: usize| {
        let mut used = 0;
        lines
            .take_while(|line| {
                used += size(line);
                used <= max
            })
            .count()
    };
    let head = fitting(&mut lines.iter(), TRANSCRIPT_HEAD);
    let tail = fitting(&mut lines[head..].iter().rev(), MAX_TRANSCRIPT - TRANSCRIPT_HEAD);
    let omitted = lines.len() - head - tail;
    let mut kept = lines[..head].to_vec();
    kept.push(format!("[{omitted} lines are left out]"));
    kept.extend_from_slice(&lines[lines.len() - tail..]);
    kept.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::record;
    use sentences::{assert_has, expect};

    fn lost(id: u64, reason: &str) -> Record {
        let mut game = record(id, "my bot/ü", "b");
        game.result = "0-1".parse().unwrap();
        game.reason = reason.into();
        game.detail = "it failed".into();
        game
    }

    fn line(origin: Origin, at: Instant, text: &str) -> TranscriptLine {
        TranscriptLine {
            origin,
            at,
            text: text.into(),
            cut: 0,
        }
    }

    #[test]
    fn file_name_follows_from_the_record() {
        let name = |record: &Record| FailedGame::of(&record.into()).map(|failed| failed.file_name());
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
    fn merges_both_transcripts_by_time() {
        let start = Instant::now();
        let at = |milliseconds| start + Duration::from_millis(milliseconds);
        let first = Transcript {
            lost: 3,
            lines: vec![
                line(Origin::Referee, at(0), "isready"),
                line(Origin::Engine, at(5), "ready\x1b[2J\tok"),
                TranscriptLine {
                    cut: 7,
                    ..line(Origin::Engine, at(1250), "info")
                },
            ],
            stderr: vec!["out of ideas".into()],
        };
        let second = Transcript {
            lost: 0,
            lines: vec![
                line(Origin::Referee, at(2), "isready"),
                line(Origin::Remark, at(4), "gone"),
            ],
            stderr: Vec::new(),
        };
        let text = super::text(&lost(17, "crash"), 5, &[Some(first), Some(second)]);
        let (heading, rest) = text.split_once("output of the engine\n").unwrap();
        assert_has(
            heading,
            expect! {"Game 17 (round 1) of magnetic-cave: my bot/ü against b"},
        );
        assert!(
            heading.contains("\nResult: 0-1, crash: it failed\nSeed: 5\n"),
            "{heading}"
        );
        let expected = "\
# 3 earlier lines of my bot/ü are omitted
       0.000            > my bot/ü: isready
       2.000            > b: isready
       4.000      2.000 # b: gone
       5.000      5.000 < my bot/ü: ready\\u{1b}[2J\tok
    1250.000   1250.000 < my bot/ü: info… (7 more bytes)

Last lines of my bot/ü on stderr:
  out of ideas
";
        assert_eq!(rest, expected);
        let own = PlayerLines::of(&text, "my bot/ü");
        assert_eq!(
            own.dialogue,
            ["> isready", "< ready\\u{1b}[2J\tok", "< info… (7 more bytes)"]
        );
        assert_eq!(own.stderr, ["out of ideas"]);
    }

    #[test]
    fn a_player_cannot_write_lines_of_another_one() {
        let said = "  1.000            > ann: go\n  2.000      1.000 < ann: bestmove a1 > ann: x\n  \
                    3.000            < ben: info string  > ann: go  < ann: bestmove a2\n";
        let own = PlayerLines::of(said, "ann");
        assert_eq!(own.dialogue, ["> go", "< bestmove a1 > ann: x"]);
    }

    #[test]
    fn lists_opening_and_moves_separately() {
        let mut game = lost(1, "crash");
        game.moves = ["a1", "a2", "a3"].map(Into::into).into();
        game.opening_plies = 2;
        let text = super::text(&game, 1, &[None, None]);
        assert!(text.contains("\nOpening: a1 a2\nMoves: a3\n"), "{text}");
        assert!(text.contains("\n# b is a human player\n"), "{text}");
        game.opening_plies = 0;
        assert!(heading(&game, 1).contains("\nOpening: none\nMoves: a1 a2 a3\n"));
    }

    #[test]
    fn creates_the_folder_on_demand_and_finds_files_again() {
        let scene = tempfile::tempdir().unwrap();
        let results = scene.path().join("games.jsonl");
        fs::write(&results, "").unwrap();
        let transcripts = TranscriptFolder::open(None, Some(&results), 1).unwrap();
        let folder = scene.path().join("games.faults");
        assert!(!folder.exists());
        let game = lost(17, "crash");
        let path = transcripts.write(&game, &[None, None]).unwrap();
        assert_eq!(path, folder.join("game-000017-my_bot__-crash.txt"));
        assert!(fs::read_to_string(&path).unwrap().starts_with("Game 17 "));

        let mut failed = FailedGames::default();
        for record in [&lost(18, "crash"), &game, &lost(3, "five")] {
            failed.enter(FailedGame::of(&record.into()));
        }
        let folders = [scene.path().to_path_buf(), folder.clone()];
        assert_eq!(failed.transcripts(&folders), [path]);
        drop(transcripts);
        assert!(folder.exists());
        // A given folder is created at once, and deleted if it stays empty.
        let given = scene.path().join("faults");
        let transcripts = TranscriptFolder::open(Some(&given), None, 1).unwrap();
        assert!(given.exists());
        drop(transcripts);
        assert!(!given.exists());
    }

    #[test]
    fn limits_the_number_of_transcripts() {
        let scene = tempfile::tempdir().unwrap();
        let transcripts = TranscriptFolder::open(Some(scene.path()), None, 1).unwrap();
        let mut failed = FailedGames::default();
        for id in 1..=MAX_FILES + 1 {
            let game = lost(id, "crash");
            failed.enter(FailedGame::of(&(&game).into()));
            assert_eq!(transcripts.write(&game, &[None, None]).is_some(), id <= MAX_FILES);
        }
        assert_eq!(failed.0.len() as u64, MAX_FILES);
        assert_eq!(fs::read_dir(scene.path()).unwrap().count() as u64, MAX_FILES);
    }

    #[test]
    fn long_transcripts_keep_both_ends() {
        let lines: Vec<String> = (0..10_000).map(|number| format!("line {number}\n")).collect();
        let text = lines.concat();
        let short = shortened(&text);
        assert!(short.len() <= MAX_TRANSCRIPT + 40, "{}", short.len());
        assert!(short.starts_with("line 0\nline 1\n") && short.ends_with("\nline 9999"));
        assert!(short.contains(" lines are left out]\n"));
        assert_eq!(shortened("a\u{1b}[31m\nb\n"), "a\\u{1b}[31m\nb");
    }
}
