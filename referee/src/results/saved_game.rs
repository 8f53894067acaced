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

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use lodestone::game::{AnyPosition, Variant};

use super::stored_game::StoredGame;
use crate::io::files;
use crate::io::suggest::unknown;
use crate::io::text::printable;

/// Maximum length of a quotation in an error message, in characters.
const MAX_QUOTE: usize = 40;

/// Writes a saved game over the file of another one.
pub(crate) fn save_over(path: &Path, text: &str) -> io::Result<()> {
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(".new");
    let temporary = PathBuf::from(temporary);
    files::write_new(&temporary, text)?;
    fs::rename(&temporary, path).inspect_err(|_| {
        let _ = fs::remove_file(&temporary);
    })
}

/// The text of a saved game, as [`parse`] reads it. `seats` are its players, the first player's
/// first.
pub fn text(
    variant: Variant,
    start: &dyn AnyPosition,
    moves: &[String],
    seats: &[Option<String>; 2],
) -> String {
    let mut text = format!("# A saved game; `load` continues it.\nvariant: {variant}\n");
    for (key, player) in ["first", "second"].into_iter().zip(seats) {
        if let Some(player) = player {
            let _ = writeln!(text, "{key}: {player}");
        }
    }
    let _ = write!(text, "start: {}\nmoves:", start.fen());
    for mv in moves {
        let _ = write!(text, " {mv}");
    }
    text + "\n"
}

/// Parses a saved game.
///
/// # Errors
/// A message that names the line.
pub fn parse(text: &str) -> Result<StoredGame, String> {
    // The value of each key, and its line number from 1.
    let [mut variant, mut start, mut moves, mut first, mut second] = [None::<(&str, usize)>; 5];
    for (line, number) in text.lines().zip(1..) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let Some((key, value)) = line.split_once(':') else {
            let line = printable(line, MAX_QUOTE);
            return Err(format!("line {number}: expected `KEY: VALUE`, found `{line}`"));
        };
        let key = key.trim_end();
        let field = match key {
            "variant" => &mut variant,
            "start" => &mut start,
            "moves" => &mut moves,
            "first" => &mut first,
            "second" => &mut second,
            _ => {
                let key = printable(key, MAX_QUOTE);
                return Err(format!(
                    "line {number}: unknown key `{key}`; expected variant, first, second, start or moves"
                ));
            }
        };
        if field.replace((value.trim(), number)).is_some() {
            return Err(format!("line {number}: `{key}` appears a second time"));
        }
    }
    let missing = |key: &str| format!("end of file: the line `{key}: …` is missing");
    let (name, number) = variant.ok_or_else(|| missing("variant"))?;
    let variant = Variant::from_name(name).ok_or_else(|| {
        let names: Vec<&str> = Variant::ALL.iter().map(|variant| variant.name()).collect();
        format!("line {number}: {}", unknown("game", name, &names))
    })?;
    let (fen, number) = start.ok_or_else(|| missing("start"))?;
    let start = variant.parse_fen(fen);
    let mut game = StoredGame::new(variant, start.map_err(|error| format!("line {number}: {error}"))?);
    let (moves, number) = moves.unwrap_or_default();
    for (word, place) in moves.split_whitespace().zip(1..) {
        game.push(word)
            .map_err(|error| format!("line {number}, move {place}: {error}"))?;
    }
    game.seats = [first, second].map(|field| Some(field?.0.to_string()));
    if let [Some(first), Some(second)] = &game.seats {
        game.players = [first.clone(), second.clone()];
    }
    game.end = game.end_by_rules();
    Ok(game)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(game: &StoredGame) -> String {
        let moves: Vec<String> = game.moves.iter().map(|played| played.text.clone()).collect();
        text(game.variant, game.position(0), &moves, &game.seats)
    }

    const GAME: &str = "variant: magnetic-cave\nstart: 8/8/8/8/8/8/8/8 x\nmoves: a6 b6 H1\n";

    #[test]
    fn written_games_parse() {
        let game = parse(GAME).unwrap();
        assert_eq!(game.moves.len(), 3);
        let text = written(&game);
        assert!(text.ends_with(&GAME.replace("H1", "h1")), "{text}");
        assert_eq!(written(&parse(&text).unwrap()), text);

        let text = text.replace("start:", "first: human\nsecond: groups 0.5\nstart:");
        let game = parse(&text).unwrap();
        assert_eq!(game.seats, ["human", "groups 0.5"].map(|name| Some(name.into())));
        assert_eq!(written(&game), text);
    }

    #[test]
    fn ignores_order_comments_and_space() {
        let text = "\u{20}# x\r\n\r\n moves :\r\nstart: xo5/7/7/7/7/7/5xo x 0 40\r\nvariant:Gridlock";
        let game = parse(text).unwrap();
        assert_eq!((game.variant, game.moves.len()), (Variant::Gridlock, 0));
    }

    #[test]
    fn errors_name_the_line() {
        let error = |from: &str, to: &str| parse(&GAME.replace(from, to)).unwrap_err();
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
                "line 1: unknown game `chess`; the games are ",
            ),
            (
                "moves",
                "mvoes",
                "line 3: unknown key `mvoes`; expected variant, first, ",
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
            parse(over).unwrap_err(),
            "line 3, move 1: a1b1 cannot be played: the game is over"
        );
    }

    #[test]
    fn replaces_the_file_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("game");
        fs::write(&path, "old").unwrap();
        save_over(&path, GAME).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), GAME);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
