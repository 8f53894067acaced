//! Games as PGN, for rating programs and databases (S. J. Edwards, "Portable
//! Game Notation Specification and Implementation Guide", 1994).
//!
//! The seven required tags are as in the standard; the first player is White.
//! Chess programs accept the files and ignore what is not chess: the moves are in
//! a comment, and the variant and the start position are in tags of our own,
//! because `FEN` and `Variant` imply chess.

use std::fmt::Write;

use super::header::{EngineEntry, Header};
use super::record::Record;
use crate::io::text::{printable, wrapped};
use crate::player::clock::TimeControl;
use crate::player::verdict::FaultKind;
use crate::schedule::Format;

/// The tag of games that were exported from a result file, and can be exported
/// again. Its value is [`source`].
pub const SOURCE_TAG: &str = "ResultFile";

/// The maximum length of a sentence in a tag, in characters: the standard limits
/// lines to 255.
const MAX_SENTENCE: usize = 200;

/// A game as PGN, with a trailing empty line. `header` is that of its match,
/// `source` the value of [`SOURCE_TAG`] for a game from a result file.
#[must_use]
pub fn text(header: &Header, record: &Record, source: Option<&str>) -> String {
    let mut text = String::new();
    let mut tag = |name: &str, value: &str| {
        let _ = writeln!(text, "[{name} \"{}\"]", escaped(value));
    };
    let result = record.result.to_string();
    tag("Event", event(header));
    // Records have no place and date: the same match gives the same text.
    tag("Site", "?");
    tag("Date", "????.??.??");
    tag("Round", &format!("{}.{}", record.round, record.id));
    tag("White", &record.first);
    tag("Black", &record.second);
    tag("Result", &result);
    tag("GameVariant", &record.variant);
    tag("Start", &record.start);
    tag("OpeningPlies", &record.opening_plies.to_string());
    tag("PlyCount", &record.moves.len().to_string());
    for (name, value) in time_controls(header, record) {
        tag(name, &value);
    }
    tag("Termination", termination(&record.reason));
    tag("Reason", &record.reason);
    let detail: String = record.detail.chars().take(MAX_SENTENCE).collect();
    tag("Detail", &detail);
    if let Some(source) = source {
        tag(SOURCE_TAG, source);
    }
    text.push('\n');
    text += &movetext(record, &result);
    text.push('\n');
    text
}

/// Identifies a match, or a shard of it: [`Header::identity`] in hexadecimal,
/// and the shard if there is one.
#[must_use]
pub fn source(header: &Header) -> String {
    let identity = format!("{:016x}", header.identity());
    match &header.schedule.shard {
        Some(shard) => format!("{identity} {shard}"),
        None => identity,
    }
}

/// The value of the tag `Event`.
fn event(header: &Header) -> &'static str {
    match header.schedule.format {
        _ if header.engines.len() == 2 => "Match",
        Format::RoundRobin => "Round robin",
        Format::Gauntlet => "Gauntlet",
        Format::Swiss => "Swiss tournament",
    }
}

/// The time controls in one tag, or in one tag per player if they differ.
fn time_controls(header: &Header, record: &Record) -> Vec<(&'static str, String)> {
    let [first, second] = [&record.first, &record.second].map(|name| {
        let engine = header.engines.iter().find(|engine| engine.name == *name);
        engine.map_or_else(|| "?".into(), time_control)
    });
    if first == second {
        vec![("TimeControl", first)]
    } else {
        vec![
            ("TimeControl", "?".into()),
            ("WhiteTimeControl", first),
            ("BlackTimeControl", second),
        ]
    }
}

/// A time control in the standard's format: `1/SECONDS` for a time per move, a
/// clock, or `-` for none.
fn time_control(engine: &EngineEntry) -> String {
    let time = engine.time;
    match time {
        TimeControl::Move(_) => format!("1/{time}"),
        TimeControl::Clock { .. } => time.to_string(),
        TimeControl::Unlimited => "-".into(),
    }
}

/// The value of the tag `Termination` for a reason of the result file.
fn termination(reason: &str) -> &'static str {
    match FaultKind::from_word(reason) {
        Some(FaultKind::Time | FaultKind::Stall) => "time forfeit",
        Some(FaultKind::Illegal | FaultKind::Garbage) => "rules infraction",
        Some(FaultKind::Crash) => "abandoned",
        Some(FaultKind::Forfeit) => "adjudication",
        None => "normal",
    }
}

/// The numbered moves in a comment, and the result.
fn movetext(record: &Record, result: &str) -> String {
    let second_begins = record.start.split(' ').nth(1) == Some("o");
    let skipped = usize::from(second_begins);
    let mut words = Vec::new();
    for (ply, mv) in record.moves.iter().enumerate() {
        let half_move = ply + skipped;
        if half_move.is_multiple_of(2) {
            words.push(format!("{}.", half_move / 2 + 1));
        } else if ply == 0 {
            words.push("1...".into());
        }
        // A move from a foreign file cannot end the comment.
        words.push(mv.chars().filter(char::is_ascii_alphanumeric).collect());
    }
    if let Some(first) = words.first_mut() {
        first.insert(0, '{');
    }
    if let Some(last) = words.last_mut() {
        last.push('}');
    }
    words.push(result.into());
    wrapped(&words.join(" ")) + "\n"
}

/// Escapes text for the quotes of a tag.
fn escaped(value: &str) -> String {
    printable(value, usize::MAX)
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::header::tests::header;
    use crate::results::record::tests::record;

    #[test]
    fn writes_a_game_as_the_standard_requires() {
        let mut header = header();
        header.engines[1].time = "40/60+0.5".parse().unwrap();
        let text = text(&header, &record(3, "a", "b"), Some("SOURCE"));
        let expected = r#"[Event "Match"]
[Site "?"]
[Date "????.??.??"]
[Round "1.3"]
[White "a"]
[Black "b"]
[Result "1-0"]
[GameVariant "magnetic-cave"]
[Start "8/8/8/8/8/8/8/8 x"]
[OpeningPlies "1"]
[PlyCount "9"]
[TimeControl "?"]
[WhiteTimeControl "1/0.1"]
[BlackTimeControl "40/60+0.5"]
[Termination "normal"]
[Reason "five"]
[Detail "x has five in line, a5 to a1"]
[ResultFile "SOURCE"]

{1. a1 h1 2. a2 h2 3. a3 h3 4. a4 h4 5. a5} 1-0

"#;
        assert_eq!(text, expected);
    }

    #[test]
    fn names_are_escaped() {
        let mut game = record(1, "a\"] \\b", "ü\n[Result \"0-1\"]\t{");
        game.detail = "x".repeat(1000);
        let text = text(&header(), &game, None);
        assert!(text.contains("[White \"a\\\"] \\\\b\"]\n"), "{text}");
        assert!(
            text.contains("[Black \"ü\\\\n[Result \\\"0-1\\\"]\\\\t{\"]\n"),
            "{text}"
        );
        let results = text.lines().filter(|line| line.starts_with("[Result \""));
        assert_eq!(results.count(), 1);
        assert!(text.lines().all(|line| line.chars().count() <= 255), "{text}");
        assert!(text.contains("[TimeControl \"?\"]\n"), "unknown players");
        assert!(!text.contains(SOURCE_TAG));
    }

    #[test]
    fn numbers_and_wraps_moves() {
        let mut game = record(1, "a", "b");
        game.start = "8/8/8/8/8/8/8/8 o".into();
        game.moves.truncate(3);
        game.moves[1] = "h1} 0-1\n{".into();
        assert_eq!(movetext(&game, "0-1"), "{1... a1 2. h101 a2} 0-1\n");
        game.moves.clear();
        assert_eq!(movetext(&game, "0-1"), "0-1\n");
        game.start = "8/8/8/8/8/8/8/8 x".into();
        game.moves = vec!["g4g5".into(); 100];
        let text = movetext(&game, "1/2-1/2");
        let lengths: Vec<usize> = text.lines().map(str::len).collect();
        assert!(lengths.iter().all(|&length| length <= 80), "{lengths:?}");
        assert!(lengths.iter().rev().skip(1).all(|&length| length > 75));
        let tokens: Vec<&str> = text.split_whitespace().collect();
        assert_eq!(tokens.len(), 151);
        assert_eq!(tokens[147..], ["50.", "g4g5", "g4g5}", "1/2-1/2"]);
    }

    #[test]
    fn every_reason_has_a_termination() {
        for (reason, word) in [
            ("five", "normal"),
            ("mobility", "normal"),
            ("resign", "normal"),
            ("time", "time forfeit"),
            ("stall", "time forfeit"),
            ("illegal", "rules infraction"),
            ("garbage", "rules infraction"),
            ("crash", "abandoned"),
            ("forfeit", "adjudication"),
        ] {
            assert_eq!(termination(reason), word, "{reason}");
        }
    }

    #[test]
    fn event_follows_from_the_format() {
        let mut header = header();
        assert_eq!(event(&header), "Match");
        header.engines.push(header.engines[0].clone());
        for (format, name) in [
            (Format::RoundRobin, "Round robin"),
            (Format::Gauntlet, "Gauntlet"),
            (Format::Swiss, "Swiss tournament"),
        ] {
            header.schedule.format = format;
            assert_eq!(event(&header), name);
        }
    }

    #[test]
    fn time_control_without_limit_is_a_dash() {
        let mut engine = header().engines.remove(0);
        engine.time = TimeControl::Unlimited;
        assert_eq!(time_control(&engine), "-");
    }
}
