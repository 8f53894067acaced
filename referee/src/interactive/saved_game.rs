//! A game as a file: where it began and what was played, as text that a person
//! can read and write.
//!
//! ```text
//! # A game by hand; `load` takes it.
//! variant: magnetic-cave
//! start: 8/8/8/8/8/8/8/8 x
//! moves: a6 b6 a7
//! ```
//!
//! One `KEY: VALUE` a line, each key once, in any order; `moves` may be missing.
//! Empty lines and lines that begin with `#` mean nothing.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use lodestone::board::Move;
use lodestone::game::{AnyPosition, Variant};

use crate::arbiter::Game;
use crate::io::files;
use crate::io::text::printable;
use crate::openings::Opening;

/// The longest file that is read, in bytes: several times the longest game.
const MAX_FILE: u64 = 64 * 1024;

/// How much of a wrong word is repeated, in characters.
const SHOWN: usize = 40;

/// A game that was saved.
#[derive(Clone, Debug)]
pub struct SavedGame {
    /// Which game it is.
    pub variant: Variant,
    /// Where it began.
    pub start: Box<dyn AnyPosition>,
    /// What was played.
    pub moves: Vec<Move>,
}

impl SavedGame {
    /// Everything of a game that is saved.
    #[must_use]
    pub fn of(variant: Variant, game: &Game) -> SavedGame {
        SavedGame {
            variant,
            start: game.first_position().boxed_clone(),
            moves: game.played().to_vec(),
        }
    }

    /// The game behind this opening is the one that was saved.
    #[must_use]
    pub fn opening(&self) -> Opening {
        Opening::new(self.variant, self.start.clone(), Vec::new())
    }

    /// Reads a game from a file.
    ///
    /// # Errors
    /// A sentence that says what is wrong, in which line.
    pub fn load(path: &Path) -> Result<SavedGame, String> {
        let name = path.display();
        let bytes = files::read(path, MAX_FILE)?.ok_or_else(|| {
            let most = MAX_FILE / 1024;
            format!("`{name}` is no saved game: it is longer than {most} KiB")
        })?;
        let text =
            String::from_utf8(bytes).map_err(|_| format!("`{name}` is no saved game: it is no text"))?;
        SavedGame::parse(&text).map_err(|error| format!("`{name}`, {error}"))
    }

    /// Writes the game to a file that does not exist yet.
    ///
    /// # Errors
    /// Where it exists or cannot be written. Nothing is left behind then.
    pub fn save_new(&self, path: &Path) -> io::Result<()> {
        files::write_new(path, &self.to_string())
    }

    /// Writes the game in place of whatever file is there.
    ///
    /// # Errors
    /// Where it cannot be written; what was there is there still.
    pub fn save_over(&self, path: &Path) -> io::Result<()> {
        let mut beside = path.as_os_str().to_owned();
        beside.push(".new");
        let beside = PathBuf::from(beside);
        self.save_new(&beside)?;
        let renamed = fs::rename(&beside, path);
        if renamed.is_err() {
            let _ = fs::remove_file(&beside);
        }
        renamed
    }

    /// The game that a text describes.
    ///
    /// # Errors
    /// Says in which line what is wrong.
    pub fn parse(text: &str) -> Result<SavedGame, String> {
        let [mut variant, mut start, mut moves] = [None::<Field<'_>>; 3];
        for (line, number) in text.lines().zip(1..) {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let Some((key, text)) = line.split_once(':') else {
                let line = printable(line, SHOWN);
                return Err(format!("line {number}: expected `KEY: VALUE`, found `{line}`"));
            };
            let key = key.trim_end();
            let slot = match key {
                "variant" => &mut variant,
                "start" => &mut start,
                "moves" => &mut moves,
                _ => {
                    let key = printable(key, SHOWN);
                    return Err(format!(
                        "line {number}: the keys are variant, start and moves; there is no `{key}`"
                    ));
                }
            };
            let text = text.trim();
            if slot.replace(Field { text, number }).is_some() {
                return Err(format!("line {number}: `{key}` is said a second time"));
            }
        }
        let missing = |key: &str| format!("the end: a line `{key}: …` is missing");
        let variant = variant.ok_or_else(|| missing("variant"))?.variant()?;
        let start = start.ok_or_else(|| missing("start"))?.position(variant)?;
        let moves = match moves {
            Some(value) => value.moves(start.as_ref())?,
            None => Vec::new(),
        };
        Ok(SavedGame {
            variant,
            start,
            moves,
        })
    }
}

/// What stands behind a key, and in which line, from 1.
#[derive(Clone, Copy)]
struct Field<'a> {
    text: &'a str,
    number: usize,
}

impl Field<'_> {
    fn variant(self) -> Result<Variant, String> {
        Variant::from_name(self.text).ok_or_else(|| {
            let found = printable(self.text, SHOWN);
            let names = Variant::list(|info| info.name);
            format!("line {}: the games are {names}; found `{found}`", self.number)
        })
    }

    fn position(self, variant: Variant) -> Result<Box<dyn AnyPosition>, String> {
        let position = variant.parse_fen(self.text);
        position.map_err(|error| format!("line {}: {error}", self.number))
    }

    fn moves(self, start: &dyn AnyPosition) -> Result<Vec<Move>, String> {
        let mut position = start.boxed_clone();
        let mut moves = Vec::new();
        for (word, place) in self.text.split_whitespace().zip(1..) {
            let one = position.parse_move(word);
            let one = one.map_err(|error| format!("line {}, move {place}: {error}", self.number))?;
            position.play(one);
            moves.push(one);
        }
        Ok(moves)
    }
}

impl fmt::Display for SavedGame {
    /// As it is read.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "# A game by hand; `load` takes it.")?;
        writeln!(f, "variant: {}", self.variant)?;
        writeln!(f, "start: {}", self.start.fen())?;
        write!(f, "moves:")?;
        let mut position = self.start.clone();
        for &one in &self.moves {
            write!(f, " {}", position.move_text(one))?;
            position.play(one);
        }
        writeln!(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAME: &str = "variant: magnetic-cave\nstart: 8/8/8/8/8/8/8/8 x\nmoves: a6 b6 H1\n";

    #[test]
    fn what_is_written_is_read() {
        let game = SavedGame::parse(GAME).unwrap();
        assert_eq!(game.moves.len(), 3);
        let text = game.to_string();
        assert!(text.ends_with(&GAME.replace("H1", "h1")), "{text}");
        assert_eq!(SavedGame::parse(&text).unwrap().to_string(), text);
    }

    #[test]
    fn order_comments_and_space_mean_nothing() {
        let text = "\u{20}# x\r\n\r\n moves :\r\nstart: xo5/7/7/7/7/7/5xo x 0 40\r\nvariant:Gridlock";
        let game = SavedGame::parse(text).unwrap();
        assert_eq!((game.variant, game.moves.len()), (Variant::Gridlock, 0));
    }

    #[test]
    fn errors_say_where() {
        let error = |from: &str, to: &str| SavedGame::parse(&GAME.replace(from, to)).unwrap_err();
        for (from, to, expected) in [
            (
                "b6",
                "c6",
                "line 3, move 2: c6 touches neither a wall nor a brick",
            ),
            ("b6", "b9", "line 3, move 2: `b9` is no move: expected a column"),
            ("8 x", "8 y", "line 2: FEN, character 17: the side to move is"),
            (
                "magnetic-cave",
                "chess",
                "line 1: the games are magnetic-cave and gridlock; found `chess`",
            ),
            (
                "moves",
                "mvoes",
                "line 3: the keys are variant, start and moves; there is no `mvoes`",
            ),
            (
                "moves:",
                "moves",
                "line 3: expected `KEY: VALUE`, found `moves a6 b6 H1`",
            ),
            ("moves: a6", "start: a6", "line 3: `start` is said a second time"),
            ("start", "# start", "the end: a line `start: …` is missing"),
        ] {
            let message = error(from, to);
            assert!(message.starts_with(expected), "{message}");
        }
        let over = "variant: gridlock\nstart: xo3ox/ox3ox/6o/7/3x3/7/7 x 40 40\nmoves: a1b1";
        assert_eq!(
            SavedGame::parse(over).unwrap_err(),
            "line 3, move 1: a1b1 cannot be played: the game is over"
        );
    }

    #[test]
    fn only_files_of_a_sensible_size_are_read_and_none_is_written_over_unasked() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("game");
        let game = SavedGame::parse(GAME).unwrap();
        game.save_new(&path).unwrap();
        assert_eq!(
            game.save_new(&path).unwrap_err().kind(),
            io::ErrorKind::AlreadyExists
        );
        assert_eq!(SavedGame::load(&path).unwrap().to_string(), game.to_string());

        fs::write(&path, "#".repeat(MAX_FILE as usize + 1)).unwrap();
        let error = SavedGame::load(&path).unwrap_err();
        assert!(error.ends_with("it is longer than 64 KiB"), "{error}");
        game.save_over(&path).unwrap();
        assert_eq!(SavedGame::load(&path).unwrap().to_string(), game.to_string());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);

        let error = SavedGame::load(folder.path()).unwrap_err();
        assert!(error.ends_with("is no file"), "{error}");
        fs::write(&path, b"\xff").unwrap();
        assert!(SavedGame::load(&path).unwrap_err().ends_with("it is no text"));
        let error = SavedGame::load(&folder.path().join("nowhere")).unwrap_err();
        assert!(error.contains("No such file"), "{error}");
    }
}
