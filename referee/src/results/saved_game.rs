//! Saved games: the start position and the moves, as text that a person can read
//! and write.
//!
//! ```text
//! # A saved game; `load` continues it.
//! variant: magnetic-cave
//! first: human
//! second: easy
//! start: 8/8/8/8/8/8/8/8 x
//! moves: a6 b6 a7
//! ```
//!
//! Each line is `KEY: VALUE`. Every key appears once, in any order. `first` and `second`
//! (`human`, a level, or a player and its seconds per move) and `moves` are optional. Empty lines and lines that begin with `#` are ignored.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use lodestone::board::Move;
use lodestone::game::{AnyPosition, Variant};

use crate::game::Game;
use crate::io::files;
use crate::io::suggest::unknown;
use crate::io::text::printable;
use crate::schedule::openings::Opening;

/// Maximum length of a quotation in an error message, in characters.
const MAX_QUOTE: usize = 40;

/// A saved game.
#[derive(Clone, Debug)]
pub struct SavedGame {
    /// The game.
    pub variant: Variant,
    /// The position before the first move.
    pub start: Box<dyn AnyPosition>,
    /// The legal moves from `start`.
    pub moves: Vec<Move>,
    /// Who played, the first player first: `human`, or a level as a person enters it.
    pub players: [Option<String>; 2],
}

impl SavedGame {
    /// The saved form of a game.
    pub(crate) fn of(variant: Variant, game: &Game) -> SavedGame {
        SavedGame {
            variant,
            start: game.first_position().boxed_clone(),
            moves: game.played().to_vec(),
            players: [None, None],
        }
    }

    /// The start position as an opening without moves.
    pub(crate) fn opening(&self) -> Opening {
        Opening::new(self.variant, self.start.clone(), Vec::new())
    }

    /// Writes the game to a file that does not exist yet.
    pub(crate) fn save_new(&self, path: &Path) -> io::Result<()> {
        files::write_new(path, &self.to_string())
    }

    /// Writes the game to a file and replaces the old one.
    pub(crate) fn save_over(&self, path: &Path) -> io::Result<()> {
        let mut temporary = path.as_os_str().to_owned();
        temporary.push(".new");
        let temporary = PathBuf::from(temporary);
        self.save_new(&temporary)?;
        let renamed = fs::rename(&temporary, path);
        if renamed.is_err() {
            let _ = fs::remove_file(&temporary);
        }
        renamed
    }

    /// Parses a saved game.
    ///
    /// # Errors
    /// A message that names the line.
    pub fn parse(text: &str) -> Result<SavedGame, String> {
        let [mut variant, mut start, mut moves, mut first, mut second] = [None::<Field<'_>>; 5];
        for (line, number) in text.lines().zip(1..) {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let Some((key, text)) = line.split_once(':') else {
                let line = printable(line, MAX_QUOTE);
                return Err(format!("line {number}: expected `KEY: VALUE`, found `{line}`"));
            };
            let key = key.trim_end();
            let slot = match key {
                "variant" => &mut variant,
                "start" => &mut start,
                "moves" => &mut moves,
                "first" => &mut first,
                "second" => &mut second,
                _ => {
                    let key = printable(key, MAX_QUOTE);
                    return Err(format!(
                        "line {number}: unknown key `{key}`; expected variant, first, second, start or \
                         moves"
                    ));
                }
            };
            let text = text.trim();
            if slot.replace(Field { text, number }).is_some() {
                return Err(format!("line {number}: `{key}` appears a second time"));
            }
        }
        let missing = |key: &str| format!("end of file: the line `{key}: …` is missing");
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
            players: [first, second].map(|field| Some(field?.text.to_string())),
        })
    }
}

/// The value of a key, and its line number from 1.
#[derive(Clone, Copy)]
struct Field<'a> {
    text: &'a str,
    number: usize,
}

impl Field<'_> {
    fn variant(self) -> Result<Variant, String> {
        Variant::from_name(self.text).ok_or_else(|| {
            let names: Vec<&str> = Variant::ALL.iter().map(|variant| variant.name()).collect();
            format!("line {}: {}", self.number, unknown("game", self.text, &names))
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
            let mv = position.parse_move(word);
            let mv = mv.map_err(|error| format!("line {}, move {place}: {error}", self.number))?;
            position.play(mv);
            moves.push(mv);
        }
        Ok(moves)
    }
}

impl fmt::Display for SavedGame {
    /// The format that [`SavedGame::parse`] reads.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "# A saved game; `load` continues it.")?;
        writeln!(f, "variant: {}", self.variant)?;
        for (key, player) in ["first", "second"].into_iter().zip(&self.players) {
            if let Some(player) = player {
                writeln!(f, "{key}: {player}")?;
            }
        }
        writeln!(f, "start: {}", self.start.fen())?;
        write!(f, "moves:")?;
        let mut position = self.start.clone();
        for &mv in &self.moves {
            write!(f, " {}", position.move_text(mv))?;
            position.play(mv);
        }
        writeln!(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAME: &str = "variant: magnetic-cave\nstart: 8/8/8/8/8/8/8/8 x\nmoves: a6 b6 H1\n";

    #[test]
    fn written_games_parse() {
        let game = SavedGame::parse(GAME).unwrap();
        assert_eq!(game.moves.len(), 3);
        let text = game.to_string();
        assert!(text.ends_with(&GAME.replace("H1", "h1")), "{text}");
        assert_eq!(SavedGame::parse(&text).unwrap().to_string(), text);

        let text = text.replace("start:", "first: human\nsecond: groups 0.5\nstart:");
        let game = SavedGame::parse(&text).unwrap();
        assert_eq!(
            game.players,
            ["human", "groups 0.5"].map(|name| Some(name.into()))
        );
        assert_eq!(game.to_string(), text);
    }

    #[test]
    fn ignores_order_comments_and_space() {
        let text = "\u{20}# x\r\n\r\n moves :\r\nstart: xo5/7/7/7/7/7/5xo x 0 40\r\nvariant:Gridlock";
        let game = SavedGame::parse(text).unwrap();
        assert_eq!((game.variant, game.moves.len()), (Variant::Gridlock, 0));
    }

    #[test]
    fn errors_name_the_line() {
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
                "line 1: unknown game `chess`; the games are magnetic-cave, gridlock",
            ),
            (
                "moves",
                "mvoes",
                "line 3: unknown key `mvoes`; expected variant, first, second, start or moves",
            ),
            (
                "moves:",
                "moves",
                "line 3: expected `KEY: VALUE`, found `moves a6 b6 H1`",
            ),
            ("moves: a6", "start: a6", "line 3: `start` appears a second time"),
            ("start", "# start", "end of file: the line `start: …` is missing"),
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
    fn overwrites_only_when_asked() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("game");
        let game = SavedGame::parse(GAME).unwrap();
        game.save_new(&path).unwrap();
        assert_eq!(
            game.save_new(&path).unwrap_err().kind(),
            io::ErrorKind::AlreadyExists
        );
        assert_eq!(fs::read_to_string(&path).unwrap(), game.to_string());
        fs::write(&path, "old").unwrap();
        game.save_over(&path).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), game.to_string());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
