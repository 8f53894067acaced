//! `protocol.md` agrees with the code: words, options, players, and dialogues replayed with
//! the real engine.

use std::collections::BTreeSet;

use crate::client::{self, Client};
use lodestone::engine::options::{Options, PlatformLimits};
use lodestone_game::Variant;
use lodestone_game::players;
use lodestone_game::protocol::{Command, Dialect, Info, Limits, OptionKind, Query, Reply, Response};
use lodestone_game::random::Random;
use lodestone_game::score::{Score, ScoreWords};

const DOCUMENT: &str = include_str!("../../protocol.md");

/// The chapter with the table of the players.
const PLAYERS: &str = include_str!("../../docs/matches.md");

/// Every error of the engine, with an example.
const ERRORS: &str = include_str!("errors.md");

/// The text of the section with this title, up to the next one.
fn section(title: &str) -> &'static str {
    let begin = DOCUMENT
        .find(&format!("\n## {title}\n"))
        .unwrap_or_else(|| panic!("no section {title}"));
    let text = &DOCUMENT[begin + 4..];
    text.find("\n## ").map_or(text, |end| &text[..end])
}

/// The cells of the table rows that begin with a word in code style.
fn rows(text: &str) -> Vec<Vec<&str>> {
    text.lines()
        .filter(|line| line.starts_with("| `"))
        .map(|line| line.trim_matches('|').split(" | ").map(str::trim).collect())
        .collect()
}

/// The words in code style of a text, each cut at its first space.
fn code_words(text: &str) -> Vec<&str> {
    text.split('`')
        .skip(1)
        .step_by(2)
        .filter_map(|code| code.split(' ').next())
        .collect()
}

#[test]
fn commands_and_limits_are_those_of_the_code() {
    let rows = rows(section("Commands"));
    let documented: Vec<&str> = rows.iter().flat_map(|row| code_words(row[0])).collect();
    let (_, list) = Command::WORDS.split_once('(').unwrap();
    let mut expected: Vec<&str> = list.trim_end_matches(')').split(", ").collect();
    // `go perft N` has its own row.
    expected.insert(expected.iter().position(|&word| word == "go").unwrap(), "go");
    expected.extend(Limits::WORDS);
    assert_eq!(documented, expected);
    // The code parses the words that it lists.
    for limit in Limits::WORDS {
        let command = match limit {
            "infinite" | "ponder" => format!("go {limit}"),
            "searchmoves" => format!("go {limit} a8"),
            _ => format!("go {limit} 1"),
        };
        let Ok(Command::Go(limits)) = Command::parse(&command) else {
            panic!("{command}")
        };
        assert!(limits.unknown.is_empty(), "{command}");
    }
}

/// Whether a grammar contains this word.
fn says(grammar: &str, word: &str) -> bool {
    grammar.contains(&format!("\"{word}\""))
}

#[test]
fn grammars_have_the_words_of_the_code() {
    let grammar = |title: &str| {
        let (_, rest) = section(title).split_once("```ebnf\n").unwrap();
        rest.split_once("```").unwrap().0
    };
    let (commands, replies) = (grammar("Commands"), grammar("Replies"));
    let (_, list) = Command::WORDS.split_once('(').unwrap();
    let first_words = list.trim_end_matches(')').split(", ");
    let queries = Query::WORDS
        .split([',', ' '])
        .filter(|word| !["", "or"].contains(word));
    for word in first_words.chain(Limits::WORDS).chain(queries) {
        assert!(says(commands, word), "{word}");
    }
    for dialect in Dialect::ALL {
        assert!(says(commands, dialect.name()) && says(commands, dialect.new_game()));
        assert!(says(replies, dialect.greeted()));
        assert!(dialect.clocks().iter().all(|word| says(commands, word)));
    }
    assert!(
        Response::ALL
            .iter()
            .all(|response| says(replies, response.word()))
    );
    // Every field of an `info` line.
    let scores = [Score::Cp(1), Score::Win(1), Score::Loss(1), Score::Draw];
    for score in scores {
        let info = Reply::Info(Info {
            depth: Some(1),
            seldepth: Some(1),
            multipv: Some(1),
            score: Some(score),
            score_words: ScoreWords::Result,
            nodes: Some(1),
            nps: Some(1),
            hashfull: Some(1),
            time: Some(1),
            pv: vec!["1".to_string()],
        });
        let line = info.to_string();
        for word in line.split(' ').filter(|word| word.parse::<u32>().is_err()) {
            assert!(says(replies, word), "{word}");
        }
        assert_eq!(Reply::parse(&line), Ok(info));
    }
}

#[test]
fn options_are_those_that_the_engine_announces() {
    let options = rows(section("Options of lodestone"));
    let announced: Vec<_> = Options::announced(PlatformLimits::THREADS).collect();
    assert_eq!(options.len(), announced.len());
    for (row, option) in options.iter().zip(announced) {
        assert_eq!(row[0], format!("`{}`", option.name));
        match option.kind {
            OptionKind::Spin { default, min, max } => {
                assert_eq!(row[1..3], ["spin", &default]);
                assert!(row[3].starts_with(&format!("{min} to {max}")), "{row:?}");
            }
            OptionKind::Combo { default, .. } => assert_eq!(row[1..3], ["combo", &format!("`{default}`")]),
            OptionKind::Check { default } => assert_eq!(row[1..3], ["check", &format!("`{default}`")]),
            OptionKind::Button => assert_eq!(row[1..3], ["button", "–"]),
            OptionKind::String { default } => assert_eq!(row[1..3], ["string", &format!("`{default}`")]),
        }
    }
    let personality = options.iter().find(|row| row[0] == "`Personality`").unwrap();
    let documented: BTreeSet<&str> = code_words(personality[3]).into_iter().collect();
    let players: BTreeSet<&str> = players::all_names().into_iter().collect();
    assert!(
        documented.is_superset(&players),
        "{documented:?} lack some of {players:?}"
    );
}

#[test]
fn players_are_those_of_the_manual() {
    let (_, table) = PLAYERS.split_once("\n## Built-in players\n").unwrap();
    let (table, _) = table.split_once("\n## ").unwrap();
    for name in players::all_names() {
        let games: Vec<Variant> = Variant::ALL
            .iter()
            .copied()
            .filter(|variant| variant.personalities().contains(&name))
            .collect();
        let expected = if let [variant] = games[..] {
            variant.info().title
        } else {
            assert_eq!(games, Variant::ALL, "{name}");
            "both"
        };
        let row = format!("| `{name}` | {expected}");
        assert!(table.contains(&row), "{row}");
    }
}

/// Whether a line matches a pattern in which `…` stands for any text.
fn matches(pattern: &str, line: &str) -> bool {
    let mut parts = pattern.split('…');
    let first = parts.next().unwrap();
    let Some(mut rest) = line.strip_prefix(first) else {
        return false;
    };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else {
        return rest.is_empty();
    };
    for part in middle {
        let Some((_, behind)) = rest.split_once(part) else {
            return false;
        };
        rest = behind;
    }
    rest.ends_with(last)
}

#[test]
fn patterns_match() {
    assert!(matches("a…c", "abc") && matches("a…c", "ac") && matches("a…", "a") && matches("a", "a"));
    assert!(matches("…b…d…", "abcde"));
    assert!(!matches("a…c", "abcd") && !matches("a", "ab") && !matches("a…b…c", "acb"));
}

#[test]
fn replays_the_dialogues() {
    replay_dialogues(Client::start);
}

#[test]
fn replays_the_dialogues_in_a_single_thread() {
    replay_dialogues(|| Client::start_with(&["--single-thread"]));
}

#[test]
#[ignore = "needs another build of the engine: the environment variable ENGINE has its command"]
fn replays_the_dialogues_with_another_build() {
    let command = std::env::var("ENGINE").expect("ENGINE is set");
    let words: Vec<&str> = command.split(' ').collect();
    replay_dialogues(|| {
        let child = std::process::Command::new(words[0])
            .args(&words[1..])
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn();
        Client::of(child.unwrap())
    });
}

/// Replays the dialogues of the document, each with an engine of its own.
fn replay_dialogues(start: impl Fn() -> Client) {
    let dialogues: Vec<&str> = DOCUMENT.split("```dialogue\n").skip(1).collect();
    assert!(dialogues.len() > 4);
    for dialogue in dialogues {
        let (dialogue, _) = dialogue.split_once("```").unwrap();
        let mut client = start();
        // Whether lines may be omitted before the next expected one.
        let mut is_open = false;
        for line in dialogue.lines() {
            if let Some(said) = line.strip_prefix("> ") {
                client.send(format!("{said}\n"));
            } else if line == "…" {
                is_open = true;
            } else {
                let pattern = line.strip_prefix("< ").unwrap_or_else(|| panic!("{line}"));
                loop {
                    let reply = client.next_line(pattern);
                    if matches(pattern, &reply) {
                        break;
                    }
                    assert!(is_open, "`{reply}` instead of `{pattern}` in\n{dialogue}");
                }
                is_open = false;
            }
        }
    }
}

/// The errors in the table as patterns, each with its example.
fn errors() -> Vec<(&'static str, &'static str)> {
    ERRORS
        .lines()
        .filter(|line| line.starts_with("| `"))
        .map(|line| {
            let (error, cause) = line.trim_matches(['|', ' ']).split_once(" | ").unwrap();
            let quote = if error.starts_with("``") { "``" } else { "`" };
            let error = error.strip_prefix(quote).unwrap().strip_suffix(quote).unwrap();
            (error.trim(), cause)
        })
        .collect()
}

/// The errors with which the engine answers `input`, with these arguments.
fn errors_of(arguments: &[&str], input: Vec<u8>) -> Vec<String> {
    let replies = client::answers_with(arguments, input);
    let errors = replies
        .into_iter()
        .filter_map(|line| line.strip_prefix("info string error: ").map(str::to_string));
    errors.collect()
}

#[test]
fn examples_of_errors_cause_them() {
    assert_examples_cause_errors(&[], errors());
}

#[test]
fn examples_of_errors_cause_them_in_a_single_thread() {
    assert_examples_cause_errors(&["--single-thread"], errors());
}

fn assert_examples_cause_errors(arguments: &[&str], errors: Vec<(&str, &str)>) {
    for (error, cause) in errors {
        let input = match cause {
            "1025 lines during `go perft 30`" => {
                [b"go perft 30\n", "d\n".repeat(1025).as_bytes(), b"stop\n"].concat()
            }
            "a line with a byte 255" => b"uci\xff\n".to_vec(),
            "a longer line" => vec![b'x'; (1 << 20) + 1],
            lines => {
                let codes = lines.split('`').skip(1).step_by(2);
                let mut codes: Vec<&str> = codes.collect();
                if lines.contains(" after ") {
                    codes.reverse();
                }
                codes.join("\n").into_bytes()
            }
        };
        let found = errors_of(arguments, input);
        let (refused, found) = match (&found[..], cause.split_once(" after ")) {
            ([found], None) => (None, found),
            ([refused, found], Some(_)) => (Some(refused), found),
            _ => panic!("{cause}: {found:?}"),
        };
        assert!(matches(error, found), "{cause}: {found}");
        assert!(refused.is_none_or(|refused| found.ends_with(refused)), "{cause}");
    }
}

#[test]
fn errors_of_bad_lines_are_in_the_table() {
    // Not `perft`, which may take very long.
    let words = [
        "uci",
        "ugi",
        "debug",
        "isready",
        "setoption",
        "name",
        "value",
        "position",
        "startpos",
        "fen",
        "moves",
        "go",
        "query",
        "gameover",
        "ponderhit",
        "stop",
        "d",
        "eval",
        "Hash",
        "Clear",
        "Ponder",
        "Threads",
        "UCI_Variant",
        "Personality",
        "MultiPV",
        "gridlock",
        "plain",
        "mobility",
        "true",
        "a8",
        "h8",
        "b5",
        "z9",
        "a1b1",
        "0",
        "-7",
        "3",
        "99999999999999999999",
        "x",
        "8/8/8/8/8/8/8/8",
        "xo5/7/7/7/7/7/5xo",
        "é\u{1b}",
    ];
    let words: Vec<&str> = words.into_iter().chain(Limits::WORDS).collect();
    let table = errors();
    let mut random = Random::new(7);
    let mut input = String::new();
    for _ in 0..20_000 {
        for _ in 0..=random.below(6) {
            input += random.choose(&words).unwrap();
            input.push(' ');
        }
        input += "\nstop\n";
    }
    let mut seen = vec![false; table.len()];
    for error in errors_of(&[], input.into_bytes()) {
        let row = table.iter().position(|(pattern, _)| matches(pattern, &error));
        seen[row.unwrap_or_else(|| panic!("`{error}` is not in the table"))] = true;
    }
    // Guards against lines that test nothing.
    assert!(seen.iter().filter(|&&seen| seen).count() > 15, "{seen:?}");
}

/// The section of each game has its variant name, a board, and the FEN of that board.
#[test]
fn sections_of_games_have_a_board_and_its_fen() {
    for variant in Variant::ALL {
        let text = section(variant.info().title);
        assert!(text.contains(&format!("Variant name `{variant}`")), "{variant}");
        let (board, rest) = text
            .split_once("```\n")
            .and_then(|(_, rest)| rest.split_once("\n```"))
            .unwrap_or_else(|| panic!("no board of {variant}"));
        let fen = rest.split('`').nth(1).expect("a FEN behind the board");
        let input = format!("setoption name UCI_Variant value {variant}\nposition fen {fen}\nd\n");
        assert_eq!(client::answers(input).join("\n"), format!("{board}\nFen: {fen}"));
    }
}
