//! What a user asks for, as a page sends it and as it is kept beside the result file.

use std::io;
use std::path::{Path, PathBuf};

use referee_core::system::files::Folder;
use serde::{Deserialize, Serialize};

use crate::files::{read_json, write_json};

/// The largest file with a form, in bytes.
const MAX_FILE: u64 = 64 * 1024;

/// The longest name of a file, in characters.
const MAX_NAME: usize = 64;

/// What a job does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Form {
    /// A match or a tournament.
    Match(MatchForm),
    /// A run of a ladder.
    Ladder(MatchForm),
    /// The analysis of finished games.
    Analysis(AnalysisForm),
}

/// The form that starts a match or a ladder.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct MatchForm {
    /// The ids of the players.
    pub players: Vec<String>,
    /// The format, without keys.
    pub format: Option<String>,
    /// The games of each pairing, or of the run of a ladder.
    pub games: Option<u64>,
    /// The time of each move.
    pub seconds: Option<f64>,
    /// The protocol of the programs for which the command line of the server gives none.
    pub proto: Option<String>,
    /// The number of games at the same time.
    pub concurrency: Option<u64>,
    /// The number of random moves that begin each game.
    pub openings: Option<u64>,
    /// More options, as on the command line.
    pub words: String,
}

/// The form that starts an analysis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AnalysisForm {
    /// The name of the result file.
    pub file: String,
    /// The id of the player that analyses.
    pub player: String,
    /// The time of each position.
    pub seconds: f64,
    /// The number of the only game, if not all are analysed.
    pub game: Option<u64>,
}

impl Form {
    /// The subcommand that does it.
    pub const fn subcommand(&self) -> &'static str {
        match self {
            Form::Match(_) => "match",
            Form::Ladder(_) => "ladder",
            Form::Analysis(_) => "analyze",
        }
    }

    /// The word for pages.
    pub const fn kind(&self) -> &'static str {
        match self {
            Form::Analysis(_) => "analysis",
            _ => self.subcommand(),
        }
    }
}

/// Whether a job runs, or how it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// It runs.
    Running,
    /// It was interrupted and can go on.
    Paused,
    /// A user ended it for good.
    Stopped,
    /// All games are over.
    Finished,
    /// It ended by an error.
    Failed,
}

/// A form with what is known of its job after the server ended. Nothing but the form decides what a
/// request starts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SavedJob {
    /// What the job does.
    pub form: Form,
    /// How it ended.
    pub state: Phase,
    /// The number of its games, if known.
    pub games: u64,
}

impl SavedJob {
    /// Reads the form of this name; `None` if there is none.
    pub fn read(folder: &Path, stem: &str) -> Option<SavedJob> {
        read_json(&Folder::open(folder).ok()?, &format!("{stem}{SAVED}"), MAX_FILE).ok()
    }

    /// Writes it, whole or not at all.
    pub fn write(&self, folder: &Path, stem: &str) -> io::Result<()> {
        write_json(folder, &saved_path(folder, stem), self)
    }
}

/// The end of the name of a form's file.
pub const SAVED: &str = ".serve.json";

/// The file of the form of this name.
pub fn saved_path(folder: &Path, stem: &str) -> PathBuf {
    folder.join(format!("{stem}{SAVED}"))
}

/// The result file of this name.
pub fn result_path(folder: &Path, stem: &str) -> PathBuf {
    folder.join(format!("{stem}.jsonl"))
}

/// The name of a job without `.jsonl`, if it is the name of a file in one folder on every system.
pub fn stem(name: &str) -> Result<&str, String> {
    let stem = name.strip_suffix(".jsonl").unwrap_or(name);
    let is_plain = |sign: char| sign.is_ascii_alphanumeric() || "_.-".contains(sign);
    if stem.len() > MAX_NAME {
        return Err(format!("The name is too long; {MAX_NAME} characters are allowed"));
    }
    if !stem.starts_with(|sign: char| sign.is_ascii_alphanumeric())
        || !stem.chars().all(is_plain)
        || stem.ends_with('.')
    {
        return Err(
            "A name has letters from a to z, digits, `_`, `-` and `.`, and begins with a letter or a digit"
                .into(),
        );
    }
    let base = stem.split('.').next().unwrap_or_default().to_ascii_uppercase();
    let device = base.strip_prefix("COM").or_else(|| base.strip_prefix("LPT"));
    let is_device =
        device.is_some_and(|number| number.len() == 1 && number.bytes().all(|byte| byte.is_ascii_digit()));
    if is_device || ["CON", "PRN", "AUX", "NUL"].contains(&&*base) {
        return Err(format!(
            "`{stem}` is the name of a device on Windows; choose another name"
        ));
    }
    Ok(stem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_plain_files() {
        for name in ["games", "games.jsonl", "2026-11-27_a.b", "x"] {
            assert_eq!(stem(name), Ok(name.strip_suffix(".jsonl").unwrap_or(name)));
        }
        let long = "a".repeat(300);
        for name in [
            "",
            ".",
            "..",
            "../x",
            "a/b",
            "a\\b",
            "/etc/passwd",
            "a\0b",
            ".hidden",
            "-x",
            "a b",
            "ä",
            "CON",
            "con.x",
            "nul",
            "Com1",
            "LPT9.a",
            "a.",
            ".jsonl",
            &long,
        ] {
            assert!(stem(name).is_err(), "{name}");
        }
    }

    #[test]
    fn a_form_is_read_as_it_was_written() {
        let folder = tempfile::TempDir::new().unwrap();
        let form = r#"{"kind":"match","players":["builtin:random"],"seconds":0.5,"words":"--strict"}"#;
        let saved = SavedJob {
            form: serde_json::from_str(form).unwrap(),
            state: Phase::Paused,
            games: 4,
        };
        saved.write(folder.path(), "a").unwrap();
        assert_eq!(SavedJob::read(folder.path(), "a"), Some(saved));
        assert_eq!(SavedJob::read(folder.path(), "b"), None);
    }
}
