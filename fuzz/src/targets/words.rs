//! Text: FENs, moves and lines of the protocol; command lines of the referee, and values of its
//! options.

use std::ffi::OsString;
use std::fmt::{Debug, Display};
use std::str::FromStr;

use lodestone_game::AnyPosition;
use lodestone_game::protocol::{Command, ParseError, Reply};
use referee::{CommandLineError, SEPARATOR, Settings, command_line, gather};
use referee_core::game::clock::{TimeControl, parse_seconds};
use referee_core::schedule::Shard;
use referee_core::schedule::openings::OpeningSource;
use referee_statistics::{Pentanomial, Trinomial};

use super::support::{line, of_each, one_line, text};

/// A FEN: printed and parsed, it stays the same. So does each legal move. An error
/// names a character of the text.
pub fn fen(input: &[u8]) -> String {
    let line = line(input);
    of_each(|variant| match variant.parse_fen(&line) {
        Ok(position) => {
            let printed = position.fen();
            let again = variant.parse_fen(&printed);
            let again = again.unwrap_or_else(|error| panic!("{printed} is not parsed: {error}"));
            assert_eq!(again.fen(), printed);
            assert_eq!(again.key(), position.key(), "{printed}");
            assert_eq!(again.outcome(), position.outcome(), "{printed}");
            let moves = all_moves(position.as_ref());
            position.diagram();
            format!("{moves} moves, {:?}", position.outcome())
        }
        Err(error) => {
            let length = line.chars().count();
            assert!((1..=length + 1).contains(&error.character), "{error}");
            one_line(error)
        }
    })
}

/// Plays every move of a position. Returns roughly how many there are.
fn all_moves(position: &dyn AnyPosition) -> &'static str {
    let moves = position.legal_moves();
    assert_eq!(
        moves.is_empty(),
        position.outcome().is_some(),
        "a game is over if and only if there is no move"
    );
    for mv in moves.iter().copied() {
        let written = position.move_text(mv);
        assert_eq!(position.parse_move(&written), Ok(mv));
        let mut next = position.boxed_clone();
        next.play(mv);
        assert!(next.plies_left() < position.plies_left());
    }
    match moves.len() {
        0 => "no",
        1..4 => "few",
        _ => "many",
    }
}

/// A line to an engine: printed and parsed, it stays the same.
pub fn command(input: &[u8]) -> String {
    let line = line(input);
    match Command::parse(&line) {
        Ok(command) => {
            let printed = command.to_string();
            assert_eq!(Command::parse(&printed).as_ref(), Ok(&command), "{printed:?}");
            kind(&format!("{command:?}"))
        }
        Err(error) => self::error(&error, &line),
    }
}

/// A line from an engine: printed and parsed, it stays the same. An error about its
/// move is one line.
pub fn reply(input: &[u8]) -> String {
    let line = line(input);
    match Reply::parse(&line) {
        Ok(reply) => {
            let printed = reply.to_string();
            assert_eq!(Reply::parse(&printed).as_ref(), Ok(&reply), "{printed:?}");
            if let Reply::BestMove { best, .. } = &reply {
                return of_each(|variant| match variant.startpos().parse_move(best) {
                    Ok(_) => "a move".to_string(),
                    Err(error) => one_line(error),
                });
            }
            kind(&format!("{reply:?}"))
        }
        Err(error) => self::error(&error, &line),
    }
}

/// A game as words, one move each: legal moves are played; an error about another word
/// is one line.
pub fn moves(input: &[u8]) -> String {
    let line = line(input);
    of_each(|variant| {
        let mut position = variant.startpos();
        let mut played = 0;
        for word in line.split_whitespace() {
            let mv = match position.parse_move(word) {
                Ok(mv) => mv,
                Err(error) => return one_line(error),
            };
            let fen = position.fen();
            assert!(position.legal_moves().contains(&mv), "{word} in {fen}");
            position.play(mv);
            played += 1;
        }
        match position.outcome() {
            Some(outcome) => one_line(position.explain(outcome)),
            None if played == 0 => "no move".into(),
            None => "unfinished".into(),
        }
    })
}

/// The name of an enum variant and the number of its optional values.
fn kind(debug: &str) -> String {
    let name = debug
        .split(|character: char| !character.is_ascii_alphabetic())
        .next();
    let fields = debug.matches("Some(").count();
    format!("{} {}", name.unwrap_or_default(), "field ".repeat(fields.min(12)))
}

/// A parse error: one line, with a column of the text.
fn error(error: &ParseError, line: &str) -> String {
    let length = line.chars().count();
    assert!((1..=length + 1).contains(&error.column), "{error} in {line:?}");
    one_line(error)
}

/// The lines of the input as arguments.
fn words(input: &[u8]) -> Vec<OsString> {
    let text = text(input).replace('\0', " ");
    text.lines().map(OsString::from).collect()
}

/// A list of `KEY=VALUE`: printed and parsed, it stays the same.
pub fn settings(input: &[u8]) -> String {
    let start = ["--engine"].map(OsString::from);
    let gathered = gather(start.into_iter().chain(words(input)));
    let list = gathered
        .first()
        .and_then(|list| list.to_str())
        .unwrap_or_default();
    let list = list.strip_prefix("--engine=").unwrap_or_default();
    match list.parse::<Settings>() {
        Ok(settings) => {
            let again = settings.words().join(SEPARATOR);
            assert_eq!(again.parse().as_ref(), Ok(&settings), "{again}");
            let _ = settings.control();
            let merged = settings.clone().or(&settings);
            assert_eq!(merged.time, settings.time);
            format!("{settings:?}").matches("Some").collect()
        }
        Err(error) => error,
    }
}

/// A whole command line. It is only parsed, but a `--config` file is read.
pub fn arguments(input: &[u8]) -> String {
    let start = ["referee"].map(OsString::from);
    match command_line(start.into_iter().chain(words(input))) {
        Ok(cli) => {
            let shown = format!("{cli:?}");
            let fields = shown.split(|character: char| !character.is_ascii_alphabetic() && character != '_');
            fields.take(60).collect()
        }
        Err(CommandLineError::Clap(error)) => format!("{:?}", error.kind()),
        Err(CommandLineError::Config(error)) => error.to_string(),
    }
}

/// Parses a value: printed and parsed, it stays the same. Returns the error.
fn round_trip<T>(line: &str) -> String
where
    T: FromStr<Err = String> + Display + PartialEq + Debug,
{
    match line.parse::<T>() {
        Ok(value) => {
            let printed = value.to_string();
            // Names of files are escaped for people.
            if !printed.contains('\\') {
                assert_eq!(printed.parse().as_ref(), Ok(&value), "{printed}");
            }
            String::new()
        }
        Err(error) => error,
    }
}

/// Times, shards and sources of openings: printed and parsed, they stay the same.
pub fn limits(input: &[u8]) -> String {
    let line = line(input);
    let seconds = parse_seconds(&line);
    if let Ok(seconds) = &seconds {
        let printed = TimeControl::Move(*seconds).to_string();
        assert_eq!(parse_seconds(&printed).as_ref(), Ok(seconds), "{printed}");
    }
    [
        round_trip::<TimeControl>(&line),
        seconds.err().unwrap_or_default(),
        round_trip::<Shard>(&line),
        round_trip::<OpeningSource>(&line),
    ]
    .join("; ")
}

/// A sequential test: printed and parsed, it stays the same, and its log-likelihood
/// ratio is a number.
pub fn sprt(input: &[u8]) -> String {
    let line = line(input);
    match referee_core::results::sprt::read(&line) {
        Ok(sprt) => {
            let printed = sprt.to_string();
            assert_eq!(referee_core::results::sprt::read(&printed), Ok(sprt), "{printed}");
            let bounds = sprt.bounds();
            assert!(bounds.low < bounds.high, "{printed}: {bounds:?}");
            let games = Trinomial {
                wins: 30,
                draws: 5,
                losses: 20,
            };
            let pairs = Pentanomial {
                loss_loss: 1,
                loss_draw: 3,
                win_loss: 7,
                draw_draw: 2,
                win_draw: 5,
                win_win: 2,
            };
            for llr in [sprt.llr_of_games(&games), sprt.llr_of_pairs(&pairs)] {
                assert!(!llr.is_nan(), "{printed}");
                let _ = sprt.decision(llr);
            }
            sprt.model().to_string()
        }
        Err(error) => error,
    }
}
