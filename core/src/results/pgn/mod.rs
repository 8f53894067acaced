//! Games as PGN, for rating programs and databases (S. J. Edwards, "Portable
//! Game Notation Specification and Implementation Guide", 1994).
//!
//! The seven required tags are as in the standard; the first player is White.
//! A game by rules with a notation for people is ordinary PGN, with the tags `Variant`, `FEN` and `SetUp`.
//! Of others, chess programs ignore what is not chess: the moves are in
//! a comment, and the variant and the start position are in tags of our own,
//! because `FEN` and `Ruleset` imply chess.

mod file;
pub mod reader;

pub use file::{Appender, Export, MatchPgn, Notation, check};

use std::fmt::Write;

use jiff::Timestamp;
use lodestone_game::board::Side;
use lodestone_game::score::Score;

use super::analysis::Analysis;
use super::engine_entry::EngineEntry;
use super::facts::{self, FactValue, MoveFacts};
use super::header::Header;
use super::record::{Record, WrittenMoves};
use crate::game::STARTPOS;
use crate::game::clock::TimeControl;
use crate::io::text::{is_printable, printable, wrapped};
use crate::io::untrusted::Untrusted;
use crate::player::verdict::{OtherEnd, Reason};

/// The tag of games that were exported from a result file, and can be exported
/// again. Its value is [`source`].
pub(crate) const SOURCE_TAG: &str = "ResultFile";

/// The maximum length of a sentence in a tag, in characters: the standard limits
/// lines to 255.
const MAX_SENTENCE: usize = 200;

/// A game as PGN, with a trailing empty line. `header` is that of its match,
/// `source` the value of [`SOURCE_TAG`] for a game from a result file.
pub fn text(header: &Header, record: &Record, source: Option<&str>) -> String {
    let mut text = String::new();
    let mut tag = |name: &str, value: &str| {
        let _ = writeln!(text, "[{name} \"{}\"]", escaped(value));
    };
    let result = record.result.to_string();
    let label = |label: &Option<Untrusted>, default: &str| match label {
        Some(label) => label.raw().chars().take(MAX_SENTENCE).collect(),
        None => default.to_string(),
    };
    tag("Event", &label(&header.event, event(header)));
    tag("Site", &label(&header.site, "?"));
    let date = |time: Timestamp| time.strftime("%Y.%m.%d").to_string();
    tag("Date", &record.started.map_or("????.??.??".into(), date));
    tag("Round", &format!("{}.{}", record.round, record.id));
    tag("White", &record.first);
    tag("Black", &record.second);
    tag("Result", &result);
    tag("GameVariant", record.variant.raw());
    match &record.written {
        None => tag("Start", record.start.raw()),
        Some(written) => ordinary_tags(header, record, written)
            .iter()
            .for_each(|(name, value)| tag(name, value)),
    }
    tag("OpeningPlies", &record.opening_plies.to_string());
    tag("PlyCount", &record.moves.len().to_string());
    if let (Some(started), Some(ended)) = (record.started, record.ended) {
        // The tags of fastchess, with its time zone.
        let seconds = (ended.as_second() - started.as_second()).max(0);
        let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
        let zoned = |time: Timestamp| time.strftime("%Y-%m-%dT%H:%M:%S +0000").to_string();
        tag("UTCDate", &date(started));
        tag("UTCTime", &started.strftime("%H:%M:%S").to_string());
        tag("GameStartTime", &zoned(started));
        tag("GameEndTime", &zoned(ended));
        tag("GameDuration", &format!("{hours:02}:{minutes:02}:{seconds:02}"));
    }
    for (name, value) in time_controls(header, record) {
        tag(name, &value);
    }
    tag("Termination", termination(record.reason.raw()));
    tag("Reason", record.reason.raw());
    let detail: String = record.detail.raw().chars().take(MAX_SENTENCE).collect();
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
pub fn source(header: &Header) -> String {
    let identity = format!("{:016x}", header.identity());
    match &header.schedule.shard {
        Some(shard) => format!("{identity} {shard}"),
        None => identity,
    }
}

/// The tags of variant and start of a game with a notation. A game from the usual start has none for it.
fn ordinary_tags(header: &Header, record: &Record, written: &WrittenMoves) -> Vec<(&'static str, String)> {
    let rules = header.rules.as_ref();
    let name = record.variant.raw();
    let version = rules.and_then(|rules| rules.version.as_ref());
    let mut tags = vec![("Variant", version.map_or(name, Untrusted::raw).to_string())];
    match record.start.raw() {
        _ if written.is_from_startpos => {}
        start if start.starts_with(STARTPOS) => tags.push(("Start", start.to_string())),
        start => tags.extend([("FEN", start.to_string()), ("SetUp", "1".into())]),
    }
    tags
}

/// The value of the tag `Event` without `event`.
fn event(header: &Header) -> &'static str {
    if header.engines.len() == 2 {
        return "Match";
    }
    header.schedule.format.properties().event
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

/// A time control in the standard's format: `1/SECONDS` for a time per move, a clock, or `-` for none.
fn time_control(engine: &EngineEntry) -> String {
    let time = engine.settings.time();
    match time {
        TimeControl::Move(_) | TimeControl::FirstMove { .. } => format!("1/{time}"),
        TimeControl::Clock { .. } => time.to_string(),
        TimeControl::Unlimited => "-".into(),
    }
}

/// The value of the tag `Termination` for a reason of the result file.
fn termination(reason: &str) -> &'static str {
    match Reason::of(reason) {
        Reason::Fault(kind) => kind.about().termination,
        Reason::Other(OtherEnd::Adjudicated) => "adjudication",
        Reason::Other(OtherEnd::Resign | OtherEnd::Limit | OtherEnd::Repetition) | Reason::Rules => "normal",
    }
}

/// The numbered moves, in a comment unless they are in the notation of people, and the result. Facts of a move
/// are a comment of their own behind it, so the next move begins another comment.
fn movetext(record: &Record, result: &str) -> String {
    let movers = record.movers().unwrap_or_default();
    let skipped = usize::from(movers.first() == Some(&Side::Second)) + 2 * (first_number(record) - 1);
    let has_facts = facts::kept(record).next().is_some()
        || record.analysis.is_some()
        || record.replaced().next().is_some()
        || record.written.is_some();
    let [begin, end] = if record.written.is_some() {
        ["", ""]
    } else {
        ["{", "}"]
    };
    let mut text = String::new();
    let mut is_open = false;
    for (ply, mv) in record.moves.iter().enumerate() {
        let half_move = ply + skipped;
        let (number, begins) = (half_move / 2 + 1, half_move.is_multiple_of(2));
        text += if is_open { " " } else { begin };
        if begins {
            let _ = write!(text, "{number}. ");
        } else if !is_open {
            let _ = write!(text, "{number}... ");
        }
        let written = record.written.as_ref().and_then(|written| written.moves.get(ply));
        let mv = written.map_or(mv.raw(), String::as_str);
        // A move from a foreign file cannot end the comment.
        text.extend(
            mv.chars()
                .filter(|&sign| is_printable(sign) && !" {}".contains(sign)),
        );
        is_open = true;
        let played = ply.checked_sub(record.opening_plies).filter(|_| has_facts);
        if let Some(comment) = played.and_then(|played| comment(record, played)) {
            let _ = write!(text, "{end} {{{comment}}} ");
            is_open = false;
        }
    }
    if is_open {
        text += end;
        text.push(' ');
    }
    text += result;
    wrapped(&text) + "\n"
}

/// The number of the first move: that of the start in ordinary PGN, if it is a FEN such as `… w - - 1 45`.
fn first_number(record: &Record) -> usize {
    let words: Vec<&str> = record.start.raw().split_whitespace().collect();
    let number = match words.as_slice() {
        [_, "w" | "b", _, _, .., plies, number] if plies.parse::<u32>().is_ok() => number.parse::<u16>().ok(),
        _ => None,
    };
    let number = number.filter(|_| record.written.is_some());
    number.map_or(1, |number| number.max(1).into())
}

/// Score, depth and time of a move after the opening, then the other recorded facts and the
/// analysis, in the format of cutechess-cli and fastchess: `+0.34/7 0.302s, n=1234`. Without a
/// score the time comes first, as in cutechess-cli. `None` if the record has no such move.
fn comment(record: &Record, index: usize) -> Option<String> {
    let seconds = |ms: f64| format!("{:.3}s", ms / 1000.0);
    let time = seconds(*record.ms.get(index)?);
    let score = record.score.get(index).and_then(Option::as_ref);
    let score = score
        .and_then(|score| score.raw().parse::<Score>().ok())
        .map(score_text);
    let depth = record.depth.as_ref().and_then(|depths| *depths.get(index)?);
    let evaluation = match (score, depth) {
        (Some(score), Some(depth)) => format!("{score}/{depth} "),
        (Some(score), None) => format!("{score} "),
        (None, _) => String::new(),
    };
    // Text from a foreign file cannot end the comment.
    let kept = |text: &Untrusted| -> String {
        let is_kept = |sign: &char| sign.is_ascii_alphanumeric() || [' ', '-'].contains(sign);
        text.raw().chars().filter(is_kept).collect()
    };
    let analysis = record.analysis.as_deref();
    let of_analysis = |name: &str, values: fn(&Analysis) -> &[Option<Untrusted>]| {
        let value = values(analysis?).get(index)?.as_ref()?;
        Some(format!("{name}=\"{}\"", kept(value)))
    };
    let number = record.opening_plies + index + 1;
    let fault = record.replaced().find(|fault| fault.number == number);
    let facts = MoveFacts::of(record, index);
    let mut facts: Vec<_> = facts
        .iter()
        .filter_map(|(fact, value)| Some((fact.pgn?, value)))
        .collect();
    facts.sort_by_key(|((place, _), _)| *place);
    let facts = facts.into_iter().map(|((_, name), value)| match value {
        FactValue::Count(count) => format!("{name}={count}"),
        FactValue::Time(ms) => format!("{name}={}", seconds(*ms)),
        FactValue::Line(line) => format!("{name}=\"{}\"", kept(line)),
    });
    let judged = [
        of_analysis("best", |analysis| &analysis.best),
        of_analysis("before", |analysis| &analysis.before),
        of_analysis("after", |analysis| &analysis.after),
    ];
    let fault = fault.map(|fault| format!("random, fault={}", fault.kind));
    let words = [evaluation + &time].into_iter().chain(fault);
    let words = words.chain(facts).chain(judged.into_iter().flatten());
    Some(words.collect::<Vec<_>>().join(", "))
}

/// A score in pawns, or the plies to a proven result: `+0.34`, `+M5`, `-M4`.
fn score_text(score: Score) -> String {
    match score {
        Score::Cp(value) => format!("{:+.2}", f64::from(value) / 100.0),
        Score::Win(plies) => format!("+M{plies}"),
        Score::Loss(plies) => format!("-M{plies}"),
        Score::Draw => "+0.00".into(),
    }
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
    use std::collections::BTreeSet;

    use crate::player::verdict::{FaultKind, all_reasons};
    use crate::samples::{analysis, fault, header, record, recorded};
    use crate::schedule::Format;

    #[test]
    fn writes_a_game_as_the_standard_requires() {
        let mut header = header();
        header.engines[1].settings = recorded("cmd=b tc=40/60+0.5");
        let mut game = record(3, "a", "b");
        let undated = text(&header, &game, Some("SOURCE"));
        assert!(undated.contains("[Date \"????.??.??\"]\n"), "{undated}");
        assert!(
            !undated.contains("UTC") && !undated.contains("[GameStartTime "),
            "{undated}"
        );
        game.started = Some("2026-11-26T22:30:00Z".parse().unwrap());
        game.ended = Some("2026-11-27T00:01:02Z".parse().unwrap());
        let text = text(&header, &game, Some("SOURCE"));
        let expected = r#"[Event "Match"]
[Site "?"]
[Date "2026.11.26"]
[Round "1.3"]
[White "a"]
[Black "b"]
[Result "1-0"]
[GameVariant "magnetic-cave"]
[Start "8/8/8/8/8/8/8/8 x"]
[OpeningPlies "1"]
[PlyCount "9"]
[UTCDate "2026.11.26"]
[UTCTime "22:30:00"]
[GameStartTime "2026-11-26T22:30:00 +0000"]
[GameEndTime "2026-11-27T00:01:02 +0000"]
[GameDuration "01:31:02"]
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
        // The clock was set back meanwhile.
        std::mem::swap(&mut game.started, &mut game.ended);
        let text = self::text(&header, &game, None);
        assert!(text.contains("[GameDuration \"00:00:00\"]\n"), "{text}");
    }

    #[test]
    fn event_and_site_are_tags() {
        let mut header = header();
        header.event = Some("Cup \"26\"".into());
        header.site = Some("x".repeat(1000).into());
        let text = text(&header, &record(1, "a", "b"), None);
        assert!(
            text.starts_with("[Event \"Cup \\\"26\\\"\"]\n[Site \"xxx"),
            "{text}"
        );
        assert!(text.lines().all(|line| line.chars().count() <= 255), "{text}");
        // They determine no games.
        assert_eq!(source(&header), source(&crate::samples::header()));
    }

    #[test]
    fn names_are_escaped() {
        let mut game = record(1, "a\"] \\b", "ü\n[Result \"0-1\"]\t{");
        game.detail = "x".repeat(1000).into();
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

    fn written(moves: &[&str]) -> WrittenMoves {
        WrittenMoves {
            moves: moves.iter().map(ToString::to_string).collect(),
            is_from_startpos: false,
        }
    }

    #[test]
    fn the_first_number_is_that_of_the_fen() {
        let mut game = record(1, "a", "b");
        game.moves = vec!["e2e4".into(), "e7e5".into()];
        let mut first = |start: &str, is_ordinary: bool| {
            game.start = start.into();
            game.turns = Some(if start.contains(" b ") { "21" } else { "12" }.into());
            game.written = is_ordinary.then(|| written(&["e4", "e5"]));
            let text = movetext(&game, "*");
            text[..text.find('e').unwrap()].to_string()
        };
        assert_eq!(first("8/8 w - - 1 45", true), "45. ");
        assert_eq!(first("8/8 b - - 1 45", true), "45... ");
        assert_eq!(first("8/8 w - - 3+3 0 7", true), "7. ");
        for start in [
            "8/8 w - - 1 0",
            "8/8 w - - 1 x",
            "8/8 w - - 1 70000",
            "startpos",
            "8/8 w 5 6",
        ] {
            assert_eq!(first(start, true), "1. ", "{start}");
        }
        assert_eq!(first("8/8 w - - 1 45", false), "{1. ");
    }

    #[test]
    fn numbers_and_wraps_moves() {
        let mut game = record(1, "a", "b");
        game.start = "8/8/8/8/8/8/8/8 o".into();
        game.moves.truncate(3);
        game.moves[1] = "h1} 0-1\n{".into();
        assert_eq!(movetext(&game, "0-1"), "{1... a1 2. h10-1 a2} 0-1\n");
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
    fn moves_as_people_write_them_stand_outside_of_comments() {
        let mut game = record(1, "a", "b");
        game.start = "8/8 b 7".into();
        game.turns = Some("212".into());
        game.moves.truncate(3);
        game.ms = vec![302.0, 1.25];
        game.written = Some(written(&["e5", "Nf3", "O-O"]));
        let text = text(&header(), &game, None);
        assert!(
            text.contains(
                "[Variant \"magnetic-cave\"]\n[FEN \"8/8 b 7\"]\n[SetUp \"1\"]\n[OpeningPlies \"1\"]\n"
            ),
            "{text}"
        );
        assert!(
            text.ends_with("\n\n1... e5 2. Nf3 {0.302s} 2... O-O {0.001s} 1-0\n\n"),
            "{text}"
        );
        assert!(!text.contains("[Start "), "{text}");
    }

    #[test]
    fn recorded_facts_are_comments_behind_their_moves() {
        let mut game = record(1, "a", "b");
        game.moves.truncate(4);
        game.opening_plies = 1;
        game.ms = vec![302.0, 1.25, 0.0];
        game.score = ["cp 34", "loss 4"].map(|score| Some(score.into())).into();
        game.score.push(None);
        game.depth = Some(vec![Some(7), None, Some(3)]);
        game.nodes = Some(vec![Some(1234), None, None]);
        game.timeleft = Some(vec![Some(59_698.0), None, None]);
        game.latency = Some(vec![Some(-0.25), None, None]);
        game.pv = Some(vec![Some("h1 a2} \"".into()), None, None]);
        game.faults = vec![fault(3, Side::First, FaultKind::Time, None)];
        assert_eq!(
            movetext(&game, "1-0").replace('\n', " "),
            "{1. a1 h1} {+0.34/7 0.302s, tl=59.698s, latency=-0.000s, n=1234, pv=\"h1 a2 \"} \
             {2. a2} {-M4 0.001s, random, fault=time} {2... h2} {0.000s} 1-0 "
        );
        game.moves.truncate(1);
        game.ms.clear();
        assert_eq!(movetext(&game, "1-0"), "{1. a1} 1-0\n");
    }

    #[test]
    fn every_reason_has_a_termination_of_the_standard() {
        let all = all_reasons();
        for reason in &all {
            let known = [
                "normal",
                "time forfeit",
                "rules infraction",
                "abandoned",
                "adjudication",
            ];
            assert!(known.contains(&termination(reason)), "{reason}");
        }
        let normal = all.into_iter().filter(|reason| termination(reason) == "normal");
        let by_rules = [
            "resign",
            "limit",
            "repetition",
            "five",
            "full",
            "blocked",
            "mobility",
            "rules",
        ];
        assert_eq!(normal.collect::<BTreeSet<_>>(), BTreeSet::from(by_rules));
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
            (Format::Pyramid, "Pyramid"),
            (Format::Knockout, "Knockout"),
        ] {
            header.schedule.format = format;
            assert_eq!(event(&header), name);
        }
    }

    #[test]
    fn time_control_without_limit_is_a_dash() {
        let engine = serde_json::from_str(r#"{"name":"a","cmd":"human"}"#).unwrap();
        assert_eq!(time_control(&engine), "-");
    }

    #[test]
    fn an_analysis_stands_in_the_comments() {
        let mut game = record(1, "a", "b");
        game.moves.truncate(3);
        game.ms = vec![302.0, 1.25];
        game.score.truncate(2);
        let moves = [("b7", "win 19", "draw 0"), ("", "cp -5} {", "")];
        game.analysis = Some(Box::new(analysis(&moves)));
        let text = movetext(&game, "1-0").replace('\n', " ");
        assert_eq!(
            text,
            "{1. a1 h1} {0.302s, best=\"b7\", before=\"win 19\", after=\"draw 0\"} \
             {2. a2} {0.001s, before=\"cp -5 \"} 1-0 "
        );
    }
}
