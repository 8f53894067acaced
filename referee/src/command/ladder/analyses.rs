//! The analyses of `--feedback`, kept beside the file of the ladder: a run analyses only games that no run before has.
//!
//! Each line has one analysis, and what it is of: a hash of the game, of the engine and of its limits. A line that is
//! damaged, or of anything else, is never found, and what is found is checked against its game like an analysis in a
//! result file.

use std::collections::HashMap;
use std::fs::{File, TryLockError};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use referee_core::io::files;
use referee_core::io::json;
use referee_core::io::text::ShowPath;
use referee_core::results::{Analysis, EngineEntry, Header, Record};
use referee_core::system::files::open_locked;
use serde::{Deserialize, Serialize};

use sha2::{Digest as _, Sha256};

/// The longest line that is read, in bytes: a game of ten thousand moves.
const MAX_LINE: u64 = 4 << 20;

/// The most that is kept, in bytes: the games of a hundred thousand texts.
const MAX_FILE: u64 = 1 << 30;

/// The analyses of a ladder.
pub(super) struct Analyses {
    path: PathBuf,
    /// What all analyses depend on.
    common: String,
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    /// The lines by the hash of what they are of, and whether a text of this run has used them.
    lines: HashMap<String, (String, bool)>,
    /// `None` if it cannot be written.
    file: Option<File>,
}

/// A line of the file.
#[derive(Serialize, Deserialize)]
struct KeptAnalysis<A> {
    of: String,
    analysis: A,
}

impl Analyses {
    /// Reads the file. One that cannot be used is a warning: all games are analysed then.
    pub fn open(path: PathBuf, engine: &EngineEntry, header: &Header) -> Analyses {
        let mut kept = Kept::default();
        match open_locked(&path, true) {
            Ok(file) => {
                read(&file, &mut kept.lines);
                kept.file = Some(file);
            }
            Err(error) => {
                let why = match error {
                    TryLockError::Error(error) => error.to_string(),
                    TryLockError::WouldBlock => "another program is using it".into(),
                };
                log::warn!("{}: no analysis is kept for the next run: {why}", path.shown());
            }
        }
        let texts = (json::line(engine), json::line(&(&header.variant, &header.rules)));
        let (engine, rules) = (texts.0.unwrap_or_default(), texts.1.unwrap_or_default());
        Analyses {
            common: format!("{}\n{engine}\n{rules}\n", env!("CARGO_PKG_VERSION")),
            path,
            kept: Mutex::new(kept),
        }
    }

    /// The analysis of a game, if it is known.
    pub fn of(&self, game: &Record) -> Option<Analysis> {
        let mut kept = self.lock();
        let (line, is_used) = kept.lines.get_mut(&self.digest(game))?;
        *is_used = true;
        let line: KeptAnalysis<Analysis> = serde_json::from_str(line).ok()?;
        Some(line.analysis)
    }

    /// Keeps an analysis for later runs, if it has a value for each move.
    pub fn keep(&self, game: &Record, analysis: &Analysis) {
        if !analysis.best.iter().all(Option::is_some) {
            return;
        }
        let of = self.digest(game);
        let line = json::line(&KeptAnalysis {
            of: of.clone(),
            analysis,
        });
        let Ok(line) = line else { return };
        let mut kept = self.lock();
        if let Some(file) = &mut kept.file
            && let Err(error) = file.write_all(format!("{line}\n").as_bytes())
        {
            log::warn!("{}: no further analysis is kept: {error}", self.path.shown());
            kept.file = None;
        }
        kept.lines.insert(of, (line, true));
    }

    /// Deletes what no text has used, if that is more than half. Not where texts were left out.
    pub fn tidy(self) {
        let Kept { lines, file } = self.kept.into_inner().unwrap_or_else(PoisonError::into_inner);
        let used = lines.values().filter(|(_, is_used)| *is_used);
        if file.is_none() || 2 * used.clone().count() >= lines.len() {
            return;
        }
        let text: String = used.flat_map(|(line, _)| [line, "\n"]).collect();
        if let Err(error) = files::replace(&self.path, &text) {
            log::warn!("{}: {error}", self.path.shown());
        }
    }

    fn digest(&self, game: &Record) -> String {
        let mut digest = Sha256::new();
        digest.update(&self.common);
        let numbers = format!("{} {}\n", game.opening_plies, game.start.raw());
        digest.update(numbers);
        for mv in &game.moves {
            digest.update(mv.raw());
            digest.update(" ");
        }
        files::hexadecimal(digest)
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Where the analyses of a ladder are.
pub(super) fn beside(out: &Path) -> PathBuf {
    out.with_extension("analyses")
}

/// Reads the lines that are whole. The last one may be torn: the next one then begins a line of its own.
fn read(file: &File, lines: &mut HashMap<String, (String, bool)>) {
    let mut input = BufReader::new(file.take(MAX_FILE));
    let mut ends_torn = false;
    loop {
        let mut bytes = Vec::new();
        match input.by_ref().take(MAX_LINE).read_until(b'\n', &mut bytes) {
            Ok(0) | Err(_) => break,
            Ok(_) => ends_torn = !bytes.ends_with(b"\n"),
        }
        let line = String::from_utf8(bytes).unwrap_or_default();
        if let Ok(KeptAnalysis { of, .. }) =
            serde_json::from_str::<KeptAnalysis<serde::de::IgnoredAny>>(&line)
        {
            lines.insert(of, (line.trim_end().to_string(), false));
        }
    }
    if ends_torn {
        let mut file = file;
        // What cannot be written now is said with the next analysis.
        let _ = file.write_all(b"\n");
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use referee_core::samples::{header, record};

    fn analysis() -> Analysis {
        referee_core::samples::analysis(&[("a1", "cp 5", "cp 5"), ("a2", "cp 5", "cp 1")])
    }

    /// The analyses of this file by the engine with this name.
    fn opened(path: &Path, engine: &str) -> Analyses {
        let mut entry = header().engines.remove(0);
        entry.name = engine.into();
        Analyses::open(path.to_path_buf(), &entry, &header())
    }

    #[test]
    fn only_whole_lines_of_the_same_game_and_engine_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ladder.analyses");
        let (game, mut other) = (record(1, "a", "b"), record(2, "a", "b"));
        other.moves.pop();
        let found = analysis();
        assert!(found.best.iter().all(Option::is_some), "{found:?}");
        let first = opened(&path, "x");
        assert_eq!(first.of(&game), None);
        first.keep(&game, &found);
        let mut torn = found.clone();
        torn.best[0] = None;
        first.keep(&other, &torn);
        drop(first);
        assert_eq!(opened(&path, "x").of(&game), Some(found.clone()));
        assert_eq!(opened(&path, "x").of(&other), None);
        assert_eq!(opened(&path, "y").of(&game), None);

        // A kill tears the last line, and the next one begins behind it.
        let whole = fs::read_to_string(&path).unwrap();
        for end in [1, whole.len() / 2, whole.len() - 2] {
            fs::write(&path, &whole[..end]).unwrap();
            let again = opened(&path, "x");
            assert_eq!(again.of(&game), None, "{end}");
            again.keep(&game, &found);
            drop(again);
            assert_eq!(opened(&path, "x").of(&game), Some(found.clone()), "{end}");
        }
        fs::write(&path, whole.replace("\"best\"", "\"worst\"")).unwrap();
        assert_eq!(opened(&path, "x").of(&game), None);
    }

    #[test]
    fn what_is_not_used_is_deleted_once_it_is_most() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ladder.analyses");
        let games = [10, 11, 12, 13, 14].map(|start: u64| {
            let mut game = record(1, "a", "b");
            game.start = start.to_string().into();
            game
        });
        let first = opened(&path, "x");
        for game in &games[..4] {
            first.keep(game, &analysis());
        }
        drop(first);
        for (used, new, left) in [(2, 0, 4), (1, 1, 2)] {
            let run = opened(&path, "x");
            games[..used]
                .iter()
                .for_each(|game| assert!(run.of(game).is_some()));
            games[4..4 + new]
                .iter()
                .for_each(|game| run.keep(game, &analysis()));
            run.tidy();
            assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), left);
        }
        for kept in [0, 4] {
            assert!(opened(&path, "x").of(&games[kept]).is_some());
        }
    }

    #[test]
    #[cfg(unix)] // links
    fn no_link_is_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (path, target) = (folder.path().join("ladder.analyses"), folder.path().join("mine"));
        fs::write(&target, "mine").unwrap();
        std::os::unix::fs::symlink(&target, &path).unwrap();
        opened(&path, "x").keep(&record(1, "a", "b"), &analysis());
        assert_eq!(fs::read_to_string(&target).unwrap(), "mine");
    }
}
