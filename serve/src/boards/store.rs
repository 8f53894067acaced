//! Boards as files of the folder of results, so that a crash of the server loses no move.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use referee_core::game::Ruleset;
use referee_core::system::files::Folder;
use serde::{Deserialize, Serialize};

use super::order::GameClock;
use super::state::Over;
use crate::files::{read_json, write_json};
use referee_core::io::text::ShowPath;

/// The folder of boards in the folder of results.
const FOLDER: &str = "boards";

/// The largest number of a board. A page can add 1 to it.
const MAX_NUMBER: u64 = 1_000_000_000;

/// The largest file of a board, in bytes.
const MAX_FILE: u64 = 4 * 1024 * 1024;

/// A board in a file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SavedBoard {
    /// The ids of the players.
    pub players: [String; 2],
    /// Their names when it was saved.
    pub names: [String; 2],
    pub clock: Option<GameClock>,
    /// The time per move of programs, in milliseconds.
    pub per_move: u64,
    /// Pieces and turns, in a game with a set-up.
    pub setup: (u32, u32),
    /// The game, as `referee play` saves it.
    pub text: String,
    /// The milliseconds of each move.
    pub ms: Vec<u64>,
    /// How the game ended.
    pub over: Option<Over>,
}

/// The folder of boards.
#[derive(Clone, Debug)]
pub struct BoardFolder(PathBuf);

impl BoardFolder {
    /// The folder of boards in the folder of results.
    pub fn new(results: &Path) -> BoardFolder {
        BoardFolder(results.join(FOLDER))
    }

    fn file(&self, id: u64) -> PathBuf {
        self.0.join(format!("{id}.json"))
    }

    /// Writes a board; a crash meanwhile leaves the old file.
    pub fn save(&self, id: u64, saved: &SavedBoard) -> io::Result<()> {
        fs::create_dir_all(&self.0)?;
        Folder::open_real(&self.0)?;
        write_json(&self.0, &self.file(id), saved)
    }

    /// Removes a board.
    pub fn remove(&self, id: u64) {
        // A board that was never saved has no file.
        let _ = Folder::open_real(&self.0).and_then(|_| fs::remove_file(self.file(id)));
    }

    /// All boards of this game. A file that cannot be read is left alone, with a warning.
    pub fn load(&self, rules: Ruleset) -> Vec<(u64, SavedBoard)> {
        let mut found = Vec::new();
        let Ok(folder) = Folder::open_real(&self.0) else {
            return found;
        };
        for (id, name) in self.files(&folder) {
            match read_json::<SavedBoard>(&folder, &name, MAX_FILE) {
                Ok(saved) if saved.text.contains(&format!("\nvariant: {rules}\n")) => found.push((id, saved)),
                // A board of another game waits for a server of that game.
                Ok(_) => {}
                Err(error) => log::warn!("{} is not a board: {error}", self.0.join(name).shown()),
            }
        }
        found
    }

    /// The largest number of all boards, those of other games included.
    pub fn last(&self) -> u64 {
        let folder = Folder::open_real(&self.0);
        let last = folder
            .ok()
            .and_then(|folder| self.files(&folder).map(|(id, _)| id).max());
        last.unwrap_or(0)
    }

    /// The files of boards in the folder, with their numbers.
    fn files(&self, folder: &Folder) -> impl Iterator<Item = (u64, String)> + use<> {
        let entries = fs::read_dir(folder.path(&self.0)).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        names.filter_map(|name| Some((number(&name)?, name)))
    }
}

/// The number of the board in a file of this name.
fn number(name: &str) -> Option<u64> {
    let number = name.strip_suffix(".json")?.parse().ok();
    number.filter(|number| *number <= MAX_NUMBER)
}
