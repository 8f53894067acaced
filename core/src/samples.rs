//! Headers, records and matches for tests.

#![allow(clippy::unwrap_used, clippy::missing_panics_doc)]

use lodestone_game::board::Side;
use serde_json::{Value, json};

use crate::io::key_values::SEPARATOR;
use crate::io::untrusted::Untrusted;
use crate::player::verdict::FaultKind;
use crate::process::{Launch, ResourceLimits};
use crate::results::facts::{FACTS, FactMeans};
use crate::results::{Analysis, Header, Record, RecordedFault, VERSION};
use crate::settings::{RecordedSettings, Settings};
use crate::tournament::Tournament;

/// The header of a match between `a` and `b`.
pub fn header() -> Header {
    header_of(&["a", "b"])
}

/// The header of a match between players of these names.
pub fn header_of(names: &[&str]) -> Header {
    let engine = |name: &&str| {
        let cmd = format!("./{name}");
        let options = [["Hash", "32"]];
        json!({"name": name, "cmd": cmd, "args": ["-v"], "options": options, "st": "0.1", "timemargin": 0})
    };
    let engines: Vec<Value> = names.iter().map(engine).collect();
    let schedule = json!({"format": "round-robin", "games": 10, "openings": "a/book.txt", "book": "0123"});
    serde_json::from_value(json!({
        "header": VERSION, "variant": "magnetic-cave", "seed": 1, "schedule": schedule, "engines": engines
    }))
    .unwrap()
}

/// These settings, such as `cmd=a st=1`.
pub fn settings(words: &str) -> Settings {
    words.replace(' ', SEPARATOR).parse().unwrap()
}

/// What a file has of these settings.
pub fn recorded(words: &str) -> RecordedSettings {
    let settings = settings(words);
    RecordedSettings::new(&settings, &settings.control())
}

/// These means, by their names.
pub fn means(known: &[(&str, f64)]) -> FactMeans {
    FactMeans(FACTS.each_ref().map(|fact| {
        let mut known = known.iter();
        let mean = fact.mean.as_ref()?;
        known.find_map(|(name, value)| (*name == mean.name).then_some(*value))
    }))
}

/// A game won by `first`.
pub fn record(id: u64, first: &str, second: &str) -> Record {
    let record = serde_json::from_value(json!({
        "id": id, "variant": "magnetic-cave", "round": 1, "pair": id.div_ceil(2),
        "first": "", "second": "", "start": "8/8/8/8/8/8/8/8 x",
        "moves": ["a1", "h1", "a2", "h2", "a3", "h3", "a4", "h4", "a5"], "opening_plies": 1,
        "ms": [1.5, 2.0, 3.25, 0.001, 1.0, 1.0, 1.0, 1.0], "score": vec![None::<String>; 8],
        "result": "1-0", "reason": "five", "detail": "x has five in line, a5 to a1",
    }));
    // Reading would make names printable.
    Record {
        first: first.into(),
        second: second.into(),
        ..record.unwrap()
    }
}

/// A fault at this move, counted from 1.
pub fn fault(number: usize, player: Side, kind: FaultKind, ms: Option<f64>) -> RecordedFault {
    RecordedFault {
        number,
        player,
        kind,
        detail: "why".into(),
        plain: None,
        ms,
    }
}

/// An engine that is a script for `/bin/sh`.
pub fn shell(code: &str) -> Launch {
    Launch {
        program: "/bin/sh".into(),
        args: vec!["-c".into(), code.into()],
        dir: None,
        stderr: None,
        limits: ResourceLimits::default(),
        sandbox: None,
        supervisor: None,
        is_own: false,
    }
}

/// An analysis of moves with these best moves and values.
pub fn analysis(moves: &[(&str, &str, &str)]) -> Analysis {
    let text = |text: &str| (!text.is_empty()).then(|| Untrusted::from(text));
    Analysis {
        engine: header().engines.remove(0),
        best: moves.iter().map(|(best, _, _)| text(best)).collect(),
        before: moves.iter().map(|(_, before, _)| text(before)).collect(),
        after: moves.iter().map(|(_, _, after)| text(after)).collect(),
        depth: vec![Some(7); moves.len()],
        pv: moves.iter().map(|(best, _, _)| text(best)).collect(),
    }
}

/// A match with this number of players and games, and a changed header.
pub fn tournament(players: usize, games: u64, change: impl Fn(&mut Header)) -> (Header, Tournament) {
    let names = (0..players).map(|number| match number {
        ..26 => char::from(b'a' + number as u8).to_string(),
        _ => format!("p{number}"),
    });
    let names: Vec<String> = names.collect();
    let mut header = header_of(&names.iter().map(String::as_str).collect::<Vec<_>>());
    header.schedule.games = games;
    change(&mut header);
    let tournament = Tournament::new(&header).unwrap();
    (header, tournament)
}

/// The record of a game of the schedule. No two ids have the same moves.
pub fn game(tournament: &Tournament, id: u64, result: &str) -> Record {
    let scheduled = tournament.calendar().get(id).unwrap();
    let [first, second] = tournament.names_of(&scheduled);
    let mut record = record(id, first, second);
    record.pair = scheduled.pair;
    record.round = scheduled.round;
    record.result = result.parse().unwrap();
    record.moves.push(format!("game {id}").into());
    record
}

/// Adds games with these results, in the order of the schedule.
pub fn play(tournament: &mut Tournament, results: &[&str]) {
    for (id, result) in (1..).zip(results) {
        enter(tournament, id, result);
    }
}

/// Adds one game.
pub fn enter(tournament: &mut Tournament, id: u64, result: &str) {
    let record = game(tournament, id, result);
    tournament.add(&record).unwrap();
}
