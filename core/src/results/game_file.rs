//! Finds a game in any file that holds games. The format follows from the content:
//! a result file, PGN of the referee, or a game saved by hand.

use std::io::{self, BufRead, Read};
use std::path::Path;

use lodestone_game::text::without_byte_order_mark;

use super::header::Header;
use super::pgn::reader::{self as pgn_reader, PgnGame};
use super::reader::{Line, ReadError, Reader};
use super::record::Record;
use super::stored_game;
use super::stored_game::StoredGame;
use crate::game::Ruleset;
use crate::io::files;
use crate::io::text::ShowPath;
use crate::io::untrusted::Untrusted;
use crate::system::files::unreadable;

/// Maximum size of a file that is not a result file, in bytes.
const MAX_FILE: u64 = 64 * 1024 * 1024;

/// What a file holds.
#[derive(Clone, Debug)]
pub enum FileContent {
    /// The game that was asked for, or the only one.
    Game(Box<StoredGame>),
    /// Several games, or none, in file order.
    List(Vec<ListedGame>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedGame {
    /// The number of the game.
    pub id: u64,
    /// The names of the players, the first player's first.
    pub players: [String; 2],
    /// The result, or `*` for a game without an end.
    pub result: String,
    /// The reason of the result, a word of `docs/results.md`.
    pub reason: String,
    /// The number of moves.
    pub plies: usize,
    /// The game, if its rules are built in.
    pub built_in: Option<Ruleset>,
}

/// The built-in game of this name.
fn built_in(name: &str) -> Option<Ruleset> {
    Ruleset::ALL.iter().copied().find(|game| game.name() == name)
}

/// Reads the game with this number from a file, or the only game without a number. If
/// there is no number and not exactly one game, returns the list of games. Of several
/// games with one number, the first one counts, or its first copy with an analysis. `rules` are those of the command
/// (see [`FileGame::new`](crate::game::FileGame::new)).
pub fn read(path: &Path, number: Option<u64>, rules: Option<Ruleset>) -> Result<FileContent, String> {
    let failed = |error: io::Error| unreadable(path, &error);
    let input = files::open_text(path).map_err(failed)?;
    read_from(input, number, rules, &format!("`{}`", path.shown()), &failed)
}

/// The same of the content of a file, which messages call "the file".
pub fn read_text(text: &str, number: Option<u64>, rules: Option<Ruleset>) -> Result<FileContent, String> {
    let text = without_byte_order_mark(text.as_bytes());
    read_from(text, number, rules, "the file", &|error| error.to_string())
}

/// Reads a file that messages call `name`.
fn read_from(
    mut input: impl BufRead,
    number: Option<u64>,
    rules: Option<Ruleset>,
    name: &str,
    failed: &dyn Fn(io::Error) -> String,
) -> Result<FileContent, String> {
    let begin = input.fill_buf().map_err(failed)?.trim_ascii_start();
    let found = if begin.starts_with(b"{") {
        in_result_file(input, number, rules)
    } else {
        let mut bytes = Vec::new();
        input.take(MAX_FILE + 1).read_to_end(&mut bytes).map_err(failed)?;
        if bytes.len() as u64 > MAX_FILE {
            let most = MAX_FILE / 1024 / 1024;
            return Err(format!("{name} is longer than {most} MiB: {FORMATS}"));
        }
        let text = String::from_utf8(bytes).map_err(|_| format!("{name} is not UTF-8 text: {FORMATS}"))?;
        in_text(&text, number, name, rules)
    };
    let (games, chosen) = found.map_err(|why| format!("{name}, {why}"))?;
    match (chosen, number, games) {
        (Some(game), _, _) => Ok(FileContent::Game(Box::new(game))),
        (None, None, Games::Listed(games)) => Ok(FileContent::List(games)),
        (None, number, games) => Err(format!(
            "{name} has no game {}: it holds {}",
            number.unwrap_or_default(),
            numbers(&games.numbers())
        )),
    }
}

/// Reads the game with this number, or the only game. Without a file of this name, the
/// number may be part of the name, as in `my game 2`.
pub fn load(path: &Path, number: Option<u64>, rules: Option<Ruleset>) -> Result<StoredGame, String> {
    let mut longer_name = path.as_os_str().to_owned();
    if let Some(number) = number {
        longer_name.push(format!(" {number}"));
    }
    let (path, number) = if path.exists() || !Path::new(&longer_name).exists() {
        (path, number)
    } else {
        (Path::new(&longer_name), None)
    };
    let games = match read(path, number, rules)? {
        FileContent::Game(game) => return Ok(*game),
        FileContent::List(games) => games,
    };
    let ids: Vec<u64> = games.iter().map(|game| game.id).collect();
    let (file, held) = (path.shown(), numbers(&ids));
    let advice = ids.first().map_or(String::new(), |id| {
        format!(": write the number of a game after its name, such as `{file} {id}`")
    });
    Err(format!("`{file}` holds {held}{advice}"))
}

/// What is right instead of a file without games.
const FORMATS: &str = "games are read from result files (`--out`), PGN files (`--pgn`), and \
                       files that `save` wrote; the game of a transcript is in the result file";

/// The games of a file, and the one with the given number, or the only one without a number.
type Found = (Games, Option<StoredGame>);

/// The games of a file.
enum Games {
    Listed(Vec<ListedGame>),
    /// The numbers alone, where one of them is asked for.
    Numbers(Vec<u64>),
}

impl Games {
    fn numbers(&self) -> Vec<u64> {
        match self {
            Games::Listed(games) => games.iter().map(|game| game.id).collect(),
            Games::Numbers(numbers) => numbers.clone(),
        }
    }
}

/// The most parts of a list of numbers.
const MAX_PARTS: usize = 6;

/// "game 3", "games 1 to 4, 7", "40 games from 1 to 59" or "no games".
pub fn numbers(ids: &[u64]) -> String {
    if ids.is_empty() {
        return "no games".into();
    }
    let mut ids = ids.to_vec();
    ids.sort_unstable();
    ids.dedup();
    let ranges = ids.chunk_by(|one, next| one + 1 == *next);
    let texts: Vec<String> = ranges
        .filter_map(|range| {
            Some(match (range.first()?, range.last()?) {
                (first, last) if first == last => first.to_string(),
                (first, last) => format!("{first} to {last}"),
            })
        })
        .collect();
    match (ids.as_slice(), texts.len()) {
        (&[id], _) => format!("game {id}"),
        (&[first, .., last], parts) if parts > MAX_PARTS => {
            format!("{} games from {first} to {last}", ids.len())
        }
        _ => format!("games {}", texts.join(", ")),
    }
}

fn in_result_file(input: impl BufRead, number: Option<u64>, rules: Option<Ruleset>) -> Result<Found, String> {
    let mut reader = Reader::new(input);
    let mut header: Option<Header> = None;
    let (mut entries, mut numbers) = (Vec::new(), Vec::new());
    // With its line and its header.
    let mut chosen: Option<(u64, Box<Record>, Option<Header>)> = None;
    loop {
        let next = match number {
            Some(number) => reader.next_line_of(number, &mut |other| numbers.push(other)),
            None => reader.next_line(),
        };
        let located = match next {
            Ok(Some(located)) => located,
            // The match still runs, or was killed.
            Ok(None) | Err(ReadError::Torn { .. }) => break,
            Err(error) => return Err(error.to_string()),
        };
        match located.line {
            Line::Header(line) => header = Some(*line),
            Line::Record(record) => {
                match number {
                    Some(_) => numbers.push(record.id),
                    None => entries.push(entry(&record)),
                }
                let is_wanted = number.is_none_or(|number| number == record.id);
                let is_better = chosen
                    .as_ref()
                    .is_none_or(|(_, other, _)| is_analysed_copy(&record, other));
                if is_wanted && is_better {
                    chosen = Some((located.number, record, header.clone()));
                }
            }
            _ => {}
        }
    }
    if header.is_none() && entries.is_empty() && numbers.is_empty() {
        return Err(format!("line 1: neither a header nor a game; {FORMATS}"));
    }
    // An invalid first game does not matter where all are listed.
    let is_wanted = number.is_some() || entries.len() == 1;
    let chosen = chosen.filter(|_| is_wanted).map(|(line, record, header)| {
        StoredGame::from_record(&record, header.as_ref(), rules).map_err(|why| format!("line {line}: {why}"))
    });
    let games = match number {
        Some(_) => Games::Numbers(numbers),
        None => Games::Listed(entries),
    };
    Ok((games, chosen.transpose()?))
}

/// Whether a record is the same game as another one, and only this one has an analysis.
fn is_analysed_copy(record: &Record, other: &Record) -> bool {
    fn players_and_moves(record: &Record) -> (&str, &str, &Untrusted, &[Untrusted]) {
        (&record.first, &record.second, &record.start, &record.moves)
    }
    record.analysis.is_some()
        && other.analysis.is_none()
        && players_and_moves(record) == players_and_moves(other)
}

fn entry(record: &Record) -> ListedGame {
    ListedGame {
        id: record.id,
        players: [record.first.clone(), record.second.clone()],
        result: record.result.to_string(),
        reason: record.reason.shown().to_string(),
        plies: record.moves.len(),
        built_in: built_in(record.variant.raw()),
    }
}

fn in_text(text: &str, number: Option<u64>, name: &str, rules: Option<Ruleset>) -> Result<Found, String> {
    if pgn_reader::is_pgn(text) {
        return in_pgn(text, number, name, rules);
    }
    let saved_game = stored_game::parse(text, rules).map_err(|why| {
        let is_saved_game = text.is_empty() || text.lines().any(|line| line.starts_with("variant:"));
        if is_saved_game {
            why
        } else {
            format!("{why}; {FORMATS}")
        }
    })?;
    let end = saved_game.end.as_ref();
    let listed = ListedGame {
        id: 1,
        players: saved_game.players.clone(),
        result: end.map_or("*".into(), |end| end.result.to_string()),
        reason: end.map_or(String::new(), |end| end.reason.shown().to_string()),
        plies: saved_game.moves.len(),
        built_in: built_in(saved_game.game.name()),
    };
    let is_wanted = number.is_none_or(|number| number == 1);
    Ok((Games::Listed(vec![listed]), is_wanted.then_some(saved_game)))
}

fn in_pgn(text: &str, number: Option<u64>, name: &str, rules: Option<Ruleset>) -> Result<Found, String> {
    let games = pgn_reader::games(text, name)?;
    if let Some(why) = games.iter().find_map(PgnGame::flaw) {
        return Err(why.clone());
    }
    let mut entries = Vec::new();
    let mut chosen = None;
    for (game, place) in games.iter().zip(1..) {
        let id = game.id(place);
        let is_wanted = match number {
            Some(number) => number == id,
            None => games.len() == 1,
        };
        if is_wanted && chosen.is_none() {
            chosen = Some(game.read(place, rules)?);
        }
        entries.push(ListedGame {
            id,
            players: game.players(),
            result: game.result().map_or("*".into(), |result| result.to_string()),
            reason: game
                .tag("Reason")
                .map_or(String::new(), |reason| reason.shown().to_string()),
            plies: game.plies(),
            built_in: game.variant().and_then(built_in),
        });
    }
    Ok((Games::Listed(entries), chosen))
}

#[cfg(test)]
mod tests {
    use sentences::{assert_has, expect};
    use std::fs;

    use lodestone_game::random::Random;
    use tempfile::TempDir;

    use super::*;
    use crate::results::pgn;
    use crate::samples::analysis;
    use crate::samples::header;
    use crate::samples::record;

    /// The content of a file with this text, or the error without the file's path.
    fn content(text: &str, number: Option<u64>) -> Result<FileContent, String> {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("file");
        // Editors write a byte order mark.
        fs::write(&path, format!("\u{feff}{text}")).unwrap();
        let name = format!("`{}`", path.shown());
        read(&path, number, None).map_err(|error| error.replace(&name, "FILE"))
    }

    fn game(text: &str, number: Option<u64>) -> StoredGame {
        match content(text, number).unwrap() {
            FileContent::Game(game) => *game,
            FileContent::List(games) => panic!("{games:?}"),
        }
    }

    fn list(text: &str) -> Vec<ListedGame> {
        match content(text, None).unwrap() {
            FileContent::List(games) => games,
            FileContent::Game(game) => panic!("{game:?}"),
        }
    }

    #[test]
    fn errors_in_a_text_without_a_file_name_no_file() {
        assert_eq!(
            read_text("{\"id\":1}", Some(3), None).unwrap_err(),
            read_text("\u{feff}{\"id\":1}", Some(3), None).unwrap_err()
        );
        for text in [
            "{\"id\":1}\n{}\n",
            "moves: a1\n",
            "[Event \"x\"]\n[Variant \"none\"]\n",
        ] {
            let error = read_text(text, None, None).unwrap_err();
            assert!(error.starts_with("the file, "), "{error}");
        }
    }

    /// The table that the page in a browser and the module for Python are tested with, too.
    #[test]
    fn reads_the_files_of_the_table() {
        let lines = include_str!("../../../tests/lines/games.txt").lines();
        for line in lines.filter(|line| !line.starts_with('#')) {
            let case: serde_json::Value = serde_json::from_str(line).unwrap();
            let text = |key: &str| case[key].as_str().unwrap_or_default();
            match content(text("file"), None) {
                Ok(FileContent::Game(game)) => {
                    let moves: Vec<&str> = game.moves.iter().map(|mv| mv.text.as_str()).collect();
                    let found = [game.game.to_string(), game.position(0).fen(), moves.join(" ")];
                    assert_eq!(found, ["variant", "start", "moves"].map(text), "{line}");
                    let players = case["players"].as_array().map_or(&[][..], Vec::as_slice);
                    assert!(
                        game.seats
                            .iter()
                            .flatten()
                            .map(Untrusted::raw)
                            .eq(players.iter().filter_map(serde_json::Value::as_str)),
                        "{line}: {:?}",
                        game.seats
                    );
                }
                Ok(FileContent::List(games)) => panic!("{line}: {games:?}"),
                Err(why) => {
                    let why = why.strip_prefix("FILE, ").unwrap_or(&why);
                    assert!(
                        case.get("error").is_some() && why.starts_with(text("error")),
                        "{line}: {why}"
                    );
                }
            }
        }
    }

    fn results(ids: &[u64]) -> String {
        let line = |id: &u64| serde_json::to_string(&record(*id, "a", "b")).unwrap() + "\n";
        let records: String = ids.iter().map(line).collect();
        serde_json::to_string(&header()).unwrap() + "\n" + &records
    }

    #[test]
    fn finds_games_of_a_result_file() {
        // Other programs put spaces between, and other fields first.
        let text = results(&[2, 1, 5]).replace("{\"id\":1,", "{ \"id\" : 1 , ");
        expect! {"FILE has no game 3: it holds games 1 to 2, 5"}
            .assert_eq(&content(&text, Some(3)).unwrap_err());
        assert_eq!(game(&text, Some(1)).id, Some(1));
        assert_eq!(game(&text, Some(5)).id, Some(5));
        let games = list(&text);
        assert_eq!(games.iter().map(|game| game.id).collect::<Vec<_>>(), [2, 1, 5]);
        assert_eq!(games[0].players, ["a", "b"]);
        assert_eq!(
            (games[0].result.as_str(), games[0].reason.as_str(), games[0].plies),
            ("1-0", "five", 9)
        );
        assert_eq!(
            game(&results(&[7]), None).id,
            Some(7),
            "the only game needs no number"
        );
        assert_eq!(list(&results(&[])), []);
        let torn = text + "{\"id\":6,\"mo";
        assert_eq!(game(&torn, Some(1)).id, Some(1));
    }

    #[test]
    fn the_copy_with_an_analysis_counts() {
        let analysed = |mut record: Record| {
            record.analysis = Some(Box::new(analysis(&[("", "cp 1", "cp 1"); 8])));
            serde_json::to_string(&record).unwrap() + "\n"
        };
        let copy = analysed(record(1, "a", "b"));
        let is_analysed = |text: &str| game(text, Some(1)).moves[1].analysis.is_some();
        assert!(!is_analysed(&results(&[1, 2])));
        assert!(is_analysed(&(results(&[1, 2]) + &copy)));
        assert!(is_analysed(&(copy + &results(&[1, 2]))));
        // Another game with the same number.
        assert!(!is_analysed(&(results(&[1, 2]) + &analysed(record(1, "b", "a")))));
    }

    #[test]
    fn missing_game_is_named_with_those_that_exist() {
        for (ids, message) in [
            (&[2, 1, 5][..], "FILE has no game 9: it holds games 1 to 2, 5"),
            (&[3], "FILE has no game 9: it holds game 3"),
            (
                &[1, 3, 5, 7, 11, 13, 14],
                "FILE has no game 9: it holds games 1, 3, 5, 7, 11, 13 to 14",
            ),
            (&[], "FILE has no game 9: it holds no games"),
            (
                &[1, 3, 5, 7, 11, 13, 14, 20],
                "FILE has no game 9: it holds 8 games from 1 to 20",
            ),
        ] {
            assert_eq!(content(&results(ids), Some(9)).unwrap_err(), message);
        }
        let saved = "variant: magnetic-cave\nstart: 8/8/8/8/8/8/8/8 x\nmoves: a1\n";
        assert_eq!(game(saved, None).id, None);
        let error = content(saved, Some(4)).unwrap_err();
        assert_eq!(error, "FILE has no game 4: it holds game 1");
    }

    #[test]
    fn errors_name_file_and_line() {
        let wrong = results(&[1, 2]).replace("\"a2\"", "\"d4\"");
        assert_eq!(list(&wrong).len(), 2, "the list does not check moves");
        for (text, begin) in [
            ("{\"header\":1}\n", "FILE, line 1: missing field"),
            (
                "{}\n",
                "FILE, line 1: neither a header nor a game; games are read from",
            ),
            ("[Event \"x\"]\n\n1. e4\n", "FILE, line 1: the game has no tag"),
        ] {
            let error = content(text, None).unwrap_err();
            assert!(error.starts_with(begin), "{error}");
        }
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("bytes");
        fs::write(&path, b"\xff").unwrap();
        let error = read(&path, None, None).unwrap_err();
        assert!(
            error.contains("is not UTF-8 text: games are read from"),
            "{error}"
        );
    }

    #[test]
    fn damaged_files_give_a_game_or_an_error_with_their_name() {
        let pgn = pgn::text(&header(), &record(1, "a", "b"), None);
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("file");
        let name = format!("`{}`", path.shown());
        let mut random = Random::new(1);
        let signs: Vec<char> = "{}[]\":,. \n0129-abhx?ü\u{1b}".chars().collect();
        for text in [results(&[1, 2]), pgn] {
            for _ in 0..300 {
                let mut characters: Vec<char> = text.chars().collect();
                for _ in 0..=random.below(3) {
                    let at = random.below(characters.len() as u64) as usize;
                    match random.below(3) {
                        0 => characters.truncate(at.max(1)),
                        1 => characters[at] = *random.choose(&signs).unwrap(),
                        _ => drop(characters.remove(at)),
                    }
                    if characters.is_empty() {
                        characters.push('x');
                    }
                }
                fs::write(&path, characters.iter().collect::<String>()).unwrap();
                match load(&path, Some(1), None) {
                    Ok(_) => {}
                    Err(error) => assert!(error.contains(&name), "{error}"),
                }
            }
        }
    }

    #[test]
    fn number_may_be_part_of_a_file_name() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("my game");
        fs::write(folder.path().join("my game 2"), results(&[7])).unwrap();
        assert_eq!(load(&path, Some(2), None).unwrap().id, Some(7));
        let error = load(&path, Some(3), None).unwrap_err();
        assert_has(&error, expect! {"game` cannot be read"});
    }

    #[test]
    fn one_game_is_required_by_hand() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("file");
        let name = path.shown();
        fs::write(&path, results(&[1, 2])).unwrap();
        assert_eq!(load(&path, Some(2), None).unwrap().id, Some(2));
        let error = load(&path, None, None).unwrap_err().replace(&name, "NAME");
        expect! {"`NAME` holds games 1 to 2: write the number of a game after its name, such as `NAME 1`"}
            .assert_eq(&error);
    }
}
