//! Files: opening books, configurations, results and saved games.

use std::cell::OnceCell;
use std::ffi::OsString;
use std::fs;
use std::io::Cursor;
use std::path::PathBuf;

use lodestone_game::Setup;
use referee::{CommandLineError, GameSummary, Settings, command_line, submissions};
use referee_core::results::analysis::MISTAKE;
use referee_core::results::game_file::FileContent;
use referee_core::results::{Header, Line, ReadError, Reader, StoredGame, archive, game_file, stored_game};
use referee_core::schedule::openings::{OpeningSource, Openings};
use referee_core::tournament::Tournament;
use tempfile::TempDir;

use super::support::{of_each, one_line, text};

/// Writes a file to a folder of this thread.
fn file(name: &str, content: &[u8]) -> PathBuf {
    thread_local! {
        static FOLDER: OnceCell<TempDir> = const { OnceCell::new() };
    }
    FOLDER.with(|folder| {
        let folder = folder.get_or_init(|| TempDir::new().expect("a temporary folder can be made"));
        let path = folder.path().join(name);
        fs::write(&path, content).expect("a file can be written");
        path
    })
}

/// Checks that an error is one line and names its file. Returns it without the name.
fn error_of(error: &impl std::fmt::Display, path: &std::path::Path) -> String {
    let error = one_line(error);
    let name = path.display().to_string();
    assert!(error.contains(&name), "{error} does not name its file");
    error.replace(&name, "")
}

/// An opening book: its openings, printed, are a book of the same openings. Errors name
/// line and column.
pub fn book(input: &[u8]) -> String {
    of_each(|variant| {
        let path = file("book", input);
        let open = |path: &PathBuf| {
            Openings::new(
                variant.into(),
                Setup::default(),
                Some(&OpeningSource::File(path.to_string_lossy().into_owned().into())),
                1,
            )
        };
        let mut openings = match open(&path) {
            Ok(openings) => openings,
            Err(error) => {
                let error = error_of(&error, &path);
                let is_placed = error.contains(", line ") || error.contains("the book has no openings");
                assert!(is_placed, "{error} names no line");
                return error;
            }
        };
        let count = openings.distinct_count().unwrap_or_default();
        assert!(count > 0, "a book without openings");
        let lines: Vec<String> = (1..=count)
            .map(|number| openings.get(number).expect("the number is in range").to_string())
            .collect();
        let again = open(&file("again", lines.join("\n").as_bytes())).expect("printed text can be parsed");
        assert_eq!(again.digest(), openings.digest(), "{lines:?}");
        assert_eq!(again.note(), None, "{lines:?}");
        format!(
            "{} notes, {}",
            usize::from(openings.note().is_some()),
            if count > 1 { "some" } else { "one" }
        )
    })
}

/// A file of `--config`: the output of `--save-config`, read and saved again, stays the
/// same. Errors are one line and name the file.
pub fn config(input: &[u8]) -> String {
    let path = file("config.toml", input);
    let saved = |path: &PathBuf| {
        let mut words: Vec<OsString> = ["referee", "match", "--save-config", "saved.toml", "--config"]
            .map(OsString::from)
            .to_vec();
        words.push(path.into());
        let cli = match command_line(words) {
            Ok(cli) => cli,
            Err(CommandLineError::Config(failure)) => return Err(error_of(&failure, path)),
            Err(CommandLineError::Clap(error)) => panic!("not an error of the file: {error}"),
        };
        match cli.command {
            Some(referee::Command::Match(args)) => Ok(args.saved),
            other => panic!("another command: {other:?}"),
        }
    };
    match saved(&path) {
        Ok(written) => {
            let again = saved(&file("again.toml", written.as_bytes()));
            assert_eq!(again.as_ref(), Ok(&written));
            let keys = written
                .lines()
                .filter_map(|line| line.split_once('='))
                .map(|(key, _)| key);
            keys.collect::<String>()
        }
        Err(error) => error,
    }
}

/// A file of `--engines`: errors are one line and name the file.
pub fn engines(input: &[u8]) -> String {
    let path = file("engines.toml", input);
    match submissions::players(
        std::slice::from_ref(&path),
        &Settings::default(),
        None,
        false,
        |_| {},
    ) {
        Ok((players, _)) => {
            assert!(!players.is_empty(), "a file without players");
            for player in &players {
                let name = player.name.as_deref().unwrap_or("-");
                assert!(!name.chars().any(char::is_control), "{name:?} cannot be printed");
            }
            let last = players
                .last()
                .map(|player| format!("{player:?}"))
                .unwrap_or_default();
            last.matches("Some").collect()
        }
        Err(error) => error_of(&error, &path),
    }
}

/// A result file: its lines, the tournament of its header, and the archive of `referee
/// report`. Errors name the line.
pub fn results(input: &[u8]) -> String {
    let mut reader = Reader::new(Cursor::new(input));
    let mut last: Option<Header> = None;
    let mut tournament: Option<Tournament> = None;
    let mut answer = String::new();
    loop {
        match reader.next_line() {
            Ok(None) => break,
            Ok(Some(placed)) => match placed.line {
                Line::Header(header) => {
                    assert_eq!(header.differences(&header), [""; 0]);
                    if let Some(last) = &last {
                        header.differences(last).iter().for_each(|difference| {
                            one_line(difference);
                        });
                    }
                    tournament = match Tournament::new(&header) {
                        Ok(tournament) => Some(tournament),
                        Err(error) => {
                            answer += &error;
                            None
                        }
                    };
                    last = Some(*header);
                }
                Line::Record(record) => {
                    if let Some(tournament) = &mut tournament {
                        match tournament.add(&record) {
                            Ok(()) => answer += "game, ",
                            Err(error) => answer += &error,
                        }
                    }
                }
                Line::Pairings(pairings) => {
                    if let Some(tournament) = &mut tournament {
                        tournament.take_pairings(&pairings);
                    }
                    answer += "pairings, ";
                }
                Line::Sprt(_) => answer += "end, ",
                Line::Run(_) => answer += "run, ",
                Line::Sandbox(_) => answer += "sandbox, ",
                Line::Other => answer += "other, ",
            },
            Err(error) => {
                assert!(!matches!(error, ReadError::Io(_)), "{error}");
                let error = one_line(error);
                assert!(error.starts_with("line "), "{error}");
                answer += &error;
                break;
            }
        }
    }
    if let Some(tournament) = tournament {
        assert_eq!(tournament.ranking().len(), tournament.standings.names.len());
        answer += if tournament.is_finished() { " finished" } else { "" };
    }
    answer + &archived(input)
}

/// Reads a result file like `referee report`. Returns the error, if any.
fn archived(input: &[u8]) -> String {
    let path = file("results", input);
    let matches = match archive::read(std::slice::from_ref(&path)) {
        Ok(matches) => matches,
        Err(error) => return error_of(&error, &path),
    };
    for each in matches {
        let mut places = Vec::new();
        let lines = each.lines(&mut |line, place| {
            if let Line::Record(record) = line {
                places.push((place, record));
            }
            Ok(())
        });
        if let Err(error) = lines {
            return error_of(&error, &path);
        }
        for (place, record) in places.iter().take(8) {
            assert_eq!(each.record(place).as_ref(), Ok(record.as_ref()));
            if let (Ok(game), Some(analysis)) =
                (StoredGame::from_record(record, None, None), &record.analysis)
            {
                let summary = GameSummary::new(&game, analysis, "Game 1", MISTAKE);
                assert!(summary.text.lines().all(|line| !line.contains(char::is_control)));
            }
        }
    }
    String::new()
}

/// A saved game: printed and parsed, it stays the same. Errors name the line.
pub fn transcript(input: &[u8]) -> String {
    let printed = |game: &StoredGame| {
        let moves: Vec<String> = game.moves.iter().map(|played| played.text.clone()).collect();
        let seats = game
            .seats
            .each_ref()
            .map(|seat| Some(seat.as_ref()?.raw().to_string()));
        let rules = game.game.rules().expect("a saved game has rules");
        stored_game::text(rules, game.position(0), &moves, &seats)
    };
    match stored_game::parse(&text(input), None) {
        Ok(game) => {
            let again = stored_game::parse(&printed(&game), None).expect("printed text can be parsed");
            assert_eq!(printed(&again), printed(&game));
            assert_eq!(again.moves, game.moves);
            format!("{} moves of {}", game.moves.len(), game.game)
        }
        Err(error) => {
            let error = one_line(error);
            let is_placed = error.starts_with("line ") || error.starts_with("end of file");
            assert!(is_placed, "{error} names no line");
            error
        }
    }
}

/// A file that `show` and `load` read: its games can be replayed. Errors are one line and
/// name the file.
pub fn game(input: &[u8]) -> String {
    let path = file("game", input);
    let answers = [None, Some(1)].map(|number| match game_file::read(&path, number, None) {
        Ok(FileContent::Game(game)) => {
            let plies = game.moves.len();
            let last = game.position(plies);
            assert!(game.end.is_some() || last.outcome().is_none(), "{}", last.fen());
            let scores = game.moves.iter().filter_map(|played| played.score).count();
            let mistakes = game.moves.iter().filter_map(|played| played.mistake).count();
            let times = game.clocks(plies).iter().flatten().count();
            format!(
                "{} of {plies} moves, {times} clocks, {} scores, {} mistakes",
                game.game,
                scores.min(1),
                mistakes.min(1)
            )
        }
        Ok(FileContent::List(games)) => {
            assert!(number.is_none() && games.len() != 1, "{games:?}");
            format!("{} games", games.len().min(2))
        }
        Err(error) => error_of(&error, &path),
    });
    answers.join("; ")
}
