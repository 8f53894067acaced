//! Matches by the rules of a program: its faults, those of bots, and what a result file proves.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use regex_lite::Regex;
use serde_json::json;

use crate::recorded::{assert_complete, column, games, line_of, moves, text};
use crate::rules::house_of_games;
use crate::support::{
    Bot, Outcome, Scene, assert_has, assert_lacks, assert_rows, assert_starts, expect, for_all, rows, run,
};

/// A rules program with one fault. Its game has six moves `a` or `b`.
const ZOO: &str = include_str!("../rules_programs/zoo.sh");

/// Two bots that play `a` and `b`. The second of two games begins with b a b a, where most faults show.
const BOTS: &str = "--engine cmd=./a --engine cmd=./b --each st=100 --out games.jsonl --quiet";

/// A folder with the program and both bots.
fn scene() -> Scene {
    let scene = Scene::new();
    scene.script("zoo.sh", ZOO);
    for name in ["a", "b"] {
        scene.bot(name, Bot::thinking(&format!("echo bestmove {name}")));
    }
    scene
}

impl Scene {
    /// Plays games of both bots by `--rules` with these words.
    fn play(&self, rules: &str, options: &str) -> Outcome {
        self.referee(&format!("match --rules {rules} {BOTS} {options}"))
    }
}

/// The faults with their settings and verdicts: `refused` before the first game, `plays`, `warns` and
/// plays, `stops` the match, or `again`: the program is started again, and stops the match if that does
/// not help.
const FAULTS: &str = "
    ends-at-once | timeout=60 | refused
    never-greets | starttime=0.3 | refused
    answers-no-query | timeout=60 | refused
    refuses-the-start | timeout=60 | refused
    ends | timeout=60 | again
    ends-once | timeout=60 | warns
    ends-and-does-not-start | timeout=60 | again
    ends-in-a-line | timeout=60 | again
    closes-its-output | timeout=60 | again
    hangs | timeout=2 | again
    hangs-once | timeout=2 | warns
    hangs-in-a-line | timeout=2 | again
    is-slow | timeout=60 | warns
    writes-a-long-line | timeout=60 | again
    writes-megabytes | timeout=60 | again
    writes-a-flood | timeout=60 | again
    chatters | timeout=60 | again
    writes-other-lines | timeout=60 | plays
    writes-no-move | timeout=60 | stops
    writes-nul | timeout=60 | stops
    writes-escapes | timeout=60 | stops
    writes-latin-1 | timeout=60 | again
    writes-0000 | timeout=60 | plays
    writes-a-wrong-gameover | timeout=60 | stops
    writes-a-wrong-p1turn | timeout=60 | stops
    writes-a-wrong-result | timeout=60 | stops
    writes-no-text | timeout=60 | stops
    writes-escapes-in-text | timeout=60 | stops
    has-no-answer | timeout=60 | stops
    has-two-answers | timeout=60 | stops
    is-ready-twice | timeout=60 | stops
    refuses-a-move | timeout=60 | stops
    has-a-move-twice | timeout=60 | stops
    has-no-move | timeout=60 | stops
    has-a-long-move | timeout=60 | plays
    has-an-early-result | timeout=60 | warns
    is-over-without-result | timeout=60 | stops
    moves-after-the-end | timeout=60 | plays
    moves-twice | timeout=60 | plays
    does-not-read-its-text | timeout=60 | plays
    has-changing-text | timeout=60 | plays
    never-ends | timeout=60 | limit
";

/// The exit status of a verdict, and the numbers of warnings and errors.
fn consequences(verdict: &str) -> (i32, usize, usize) {
    match verdict {
        "refused" => (3, 0, 1),
        "plays" | "limit" => (0, 0, 0),
        "warns" => (0, 1, 0),
        "stops" => (5, 0, 1),
        "again" => (5, 1, 1),
        _ => panic!("{verdict} is no verdict"),
    }
}

/// Asserts that a text has one part a number of times.
#[track_caller]
fn assert_count(text: &str, part: &str, count: usize) {
    assert_eq!(text.matches(part).count(), count, "{part:?} in {text}");
}

#[test]
fn every_fault_has_its_verdict() {
    let said_of: Mutex<BTreeMap<&str, String>> = Mutex::default();
    for_all(&rows::<3>(FAULTS), |&[fault, settings, verdict]| {
        let scene = scene();
        let rules = format!("./zoo.sh args={fault} {settings}");
        let options = if verdict == "limit" {
            "--games 2 --max-plies 9"
        } else {
            "--games 2"
        };
        let outcome = scene.play(&rules, options);
        let (status, warnings, errors) = consequences(verdict);
        let outcome = outcome.exits(status);
        // One sentence for each, without control characters. On a busy machine any program is slow.
        let is_slow = |line: &&str| line.contains("of the time of the match") && fault != "is-slow";
        let (slow, lines): (Vec<&str>, Vec<&str>) = outcome.stderr.lines().partition(is_slow);
        assert!(slow.len() <= 1, "{outcome:?}");
        let said = lines.join("\n");
        assert_count(&said, "referee: warning: ", warnings);
        assert_count(&said, "referee: ", warnings + errors);
        if let Some(sentence) = lines.first() {
            let of_machine = Regex::new("; it has written nothing .*|[0-9]+ % .*").unwrap();
            let sentence = of_machine.replace(sentence, "…").into_owned();
            said_of.lock().unwrap().insert(fault, sentence);
        }
        assert_lacks(outcome.stderr.replace('\n', ""), "panicked");
        assert!(
            !outcome.stderr.contains(|c: char| c.is_control() && c != '\n'),
            "{outcome:?}"
        );
        // It is never a fault of a bot.
        assert_lacks(&outcome.stdout, "Faults of");
        scene.assert_no_process_left();
        if verdict == "refused" {
            return assert!(!scene.path("games.jsonl").exists(), "{fault}");
        }
        let records = scene.records();
        if status == 0 {
            let reason = if verdict == "limit" { "limit" } else { "rules" };
            return assert_eq!(column(&records, "reason"), [reason; 2], "{fault}");
        }
        // The game before the fault is in the file, and the position is printed.
        assert_eq!(column(&records, "reason"), ["rules"], "{fault}");
        outcome.says(expect! {"position startpos moves b a b a"});
        outcome.says(expect! {"referee: the rules program failed:"});
        outcome.shows(expect! {"Stopped after 1 of 2 games. They are saved in games.jsonl; run the same command again to resume."});
        // The same command plays the rest.
        scene.file("mended", "");
        scene.script("zoo.sh", ZOO);
        scene.play(&rules, options).succeeds();
        let games = games(&scene, "games.jsonl");
        assert_complete(&games, 2);
        assert_eq!(moves(&games[&1]), ["a", "b", "a", "b", "a", "b"], "{fault}");
        assert_eq!(moves(&games[&2]), ["b", "a", "b", "a", "b", "a"], "{fault}");
    });
    let said_of = said_of.into_inner().unwrap();
    let lines = said_of
        .iter()
        .map(|(fault, sentence)| format!("{fault}: {sentence}\n"));
    expect![[r#"
        answers-no-query: referee: --rules: zoo does not answer `query gameover`, which is required; expected a line `response …` before `readyok`
        chatters: referee: warning: zoo wrote more than 8 MiB without `readyok`; expected the answers and `readyok`
        closes-its-output: referee: warning: zoo closed its output; expected an answer
        ends: referee: warning: zoo ended with exit status 3; expected an answer
        ends-and-does-not-start: referee: warning: zoo ended with exit status 3; expected an answer
        ends-at-once: referee: the rules program: zoo did not complete the handshake: it ended with exit status 3
        ends-in-a-line: referee: warning: zoo ended with exit status 3; expected an answer
        ends-once: referee: warning: zoo ended with exit status 3; expected an answer
        hangs: referee: warning: zoo did not write `readyok` within 2.0s after `query gameover`, `query p1turn`, `query result`, `query moves`, `query fen`, `query reason`, `query score`; expected the answers and `readyok`, flushed; `timeout=SECONDS` gives more time
        hangs-in-a-line: referee: warning: zoo did not write `readyok` within 2.0s after `query gameover`, `query p1turn`, `query result`, `query moves`, `query fen`, `query reason`, `query score`; expected the answers and `readyok`, flushed; `timeout=SECONDS` gives more time
        hangs-once: referee: warning: zoo did not write `readyok` within 2.0s after `query gameover`, `query p1turn`, `query result`, `query moves`, `query fen`, `query reason`, `query score`; expected the answers and `readyok`, flushed; `timeout=SECONDS` gives more time
        has-a-move-twice: referee: the rules program failed: zoo answered `query moves` with `response a b a`; expected each move once; `a` is listed twice
        has-an-early-result: referee: warning: zoo answers `query result` before the end of the game, which does not count: position startpos moves a
        has-no-answer: referee: the rules program failed: zoo wrote 6 lines `response …` to 7 queries (gameover, p1turn, result, moves, fen, reason, score) in one batch; expected one line for each, as when asked alone
        has-no-move: referee: the rules program failed: zoo answers `gameover` with `false`, but lists no move; expected a move, such as `pass` for a player who cannot move otherwise, or the end of the game
        has-two-answers: referee: the rules program failed: zoo wrote 8 lines `response …` to 7 queries (gameover, p1turn, result, moves, fen, reason, score) in one batch; expected one line for each, as when asked alone
        is-over-without-result: referee: the rules program failed: zoo answers `gameover` with `true`, but `result` with `none`; expected `p1win`, `p2win` or `draw`
        is-ready-twice: referee: the rules program failed: zoo wrote 0 lines `response …` to 7 queries (gameover, p1turn, result, moves, fen, reason, score) in one batch; expected one line for each, as when asked alone
        is-slow: referee: warning: the rules program zoo took …
        never-greets: referee: the rules program: zoo did not complete the handshake: it sent no `ugiok` within 0.300 s…
        refuses-a-move: referee: the rules program failed: zoo refuses `a`, a move that it has listed: `a cannot be played`; expected no reply to `position`
        refuses-the-start: referee: --rules: zoo refuses the position: `what is startpos`; expected no reply to `position`
        writes-a-flood: referee: warning: zoo wrote more than 8 MiB without `readyok`; expected the answers and `readyok`
        writes-a-long-line: referee: warning: zoo wrote a line of more than 64 KiB; expected a shorter line
        writes-a-wrong-gameover: referee: the rules program failed: zoo answered `query gameover` with `response maybe`; expected `true` or `false`
        writes-a-wrong-p1turn: referee: the rules program failed: zoo answered `query p1turn` with `response first`; expected `true` or `false`
        writes-a-wrong-result: referee: the rules program failed: zoo answered `query result` with `response 1-0`; expected `p1win`, `p2win`, `draw` or `none`
        writes-escapes: referee: the rules program failed: zoo answered `query moves` with `response a \u{1b}[31mb`; expected words that can be moves; `\u{1b}[31mb` cannot
        writes-escapes-in-text: referee: the rules program failed: zoo answered `query fen` with `response \u{1b}[31m`; expected the text of the position, without control characters
        writes-latin-1: referee: warning: zoo wrote a line that is not UTF-8 text: `response a �`; expected UTF-8 text
        writes-megabytes: referee: warning: zoo wrote a line of more than 64 KiB; expected a shorter line
        writes-no-move: referee: the rules program failed: zoo answered `query moves` with `response a (none)`; expected words that can be moves; `(none)` cannot
        writes-no-text: referee: the rules program failed: zoo answered `query fen` with `response `; expected the text of the position, without control characters
        writes-nul: referee: the rules program failed: zoo answered `query moves` with `response a b\0c`; expected words that can be moves; `b\0c` cannot
    "#]]
    .assert_eq(&lines.collect::<String>());
}

/// The verdicts.
const DOCUMENT: &str = include_str!("../../docs/notes/rules.md");

#[test]
fn the_document_has_every_fault_and_its_verdict() {
    for [fault, _, verdict] in rows::<3>(FAULTS) {
        let mut lines = DOCUMENT
            .lines()
            .filter(|line| line.contains(&format!("`{fault}`")));
        let (Some(line), None) = (lines.next(), lines.next()) else {
            panic!("{fault} is not in one row of docs/notes/rules.md");
        };
        let expected = match verdict {
            "refused" => "status 3",
            "plays" => "| the match continues |",
            "limit" => "`--max-plies`",
            "warns" => "the match continues, with a warning |",
            "stops" => "| the match stops |",
            _ => "| it is restarted; if that does not help, the match stops |",
        };
        assert_has(line, expected);
    }
    let faults = ZOO
        .lines()
        .filter_map(|line| line.trim().strip_prefix('\'')?.split_once(": "));
    for (fault, _) in faults {
        assert_has(DOCUMENT, format!("`{fault}`"));
    }
}

#[test]
fn fault_in_one_slot_leaves_the_games_of_the_others() {
    let scene = scene();
    let rules = "./zoo.sh args=ends";
    scene.play(rules, "--games 8 -j 4").exits(5);
    let before = games(&scene, "games.jsonl");
    assert!(before.values().all(|game| game["first"] == "a"), "{before:?}");
    scene.file("mended", "");
    scene.play(rules, "--games 8").exits(0);
    let after = games(&scene, "games.jsonl");
    assert_complete(&after, 8);
    assert!(
        before
            .iter()
            .all(|(id, game)| after[id]["moves"] == game["moves"])
    );
}

/// It asks a copy of the program, here about all positions of the game.
#[test]
fn built_in_player_does_not_lose_by_a_fault_of_the_rules() {
    for_all(&["ends", "writes-a-wrong-result", "refuses-a-move"], |fault| {
        let scene = scene();
        let line =
            format!("match --rules ./zoo.sh args={fault} --engine cmd=mcts nodes=200 --engine cmd=./b");
        let play = || {
            scene.referee(&format!(
                "{line} --each st=100 --games 2 --quiet --out games.jsonl"
            ))
        };
        let outcome = play().exits(5);
        outcome.says(expect! {"referee: the rules program failed, asked by mcts: zoo"});
        outcome.says(expect! {"position startpos moves b a b a"});
        assert_lacks(&outcome.stdout, "Faults of");
        assert_eq!(scene.records(), [json!(null); 0]);
        scene.file("mended", "");
        play().succeeds();
        assert_complete(&games(&scene, "games.jsonl"), 2);
    });
}

/// What the rules program has written speaks of a limit that the machine may have.
#[test]
fn built_in_player_does_not_lose_by_rules_that_lack_memory() {
    let scene = scene();
    let said = "MemoryError: Too many open files";
    let short = ZOO.replace("out of luck", said);
    assert_ne!(short, ZOO);
    scene.script("zoo.sh", &short);
    let line = "match --rules ./zoo.sh args=ends --engine cmd=mcts nodes=200 --engine cmd=./b --each st=100 --games 2";
    let outcome = scene.referee(line).exits(5);
    outcome.says(expect! {"referee: the rules program failed, asked by mcts: zoo"});
    outcome.says(said);
    assert_lacks(&outcome.stdout, "Faults of");
}

/// Before the first game, and in commands that only read games.
#[test]
fn failure_outside_a_game_has_the_same_status() {
    let scene = scene();
    scene.play("./zoo.sh", "--games 2").succeeds();
    scene.file("book.txt", "after a b\n");
    let players = "--engine cmd=./a --engine cmd=./b --quiet";
    let table = expect![[r#"
        match --openings book.txt PLAYERS | ends-at-a-text
            | referee: the rules program failed: zoo ended with exit status 3; expected an answer
        match PLAYERS | names-a-wrong-start | the rules program failed: zoo answered `query setup
        verify games.jsonl | ends-at-a-text | the rules program failed: zoo ended with exit status 3
        verify games.jsonl | refuses-a-move | the rules program failed: zoo refuses `a`, a move that it has listed
        show games.jsonl --game 1 | ends-at-a-text | the rules program failed: zoo ended with exit status 3
        analyze games.jsonl --engine cmd=mcts nodes=1 | ends-at-a-text | the rules program failed: zoo ended with exit status 3
    "#]];
    assert_rows(table, |[command, fault]| {
        let command = command.replace("PLAYERS", players);
        let line = format!("{command} --rules ./zoo.sh args={fault}");
        let error = scene.referee(&line).exits(5).stderr;
        let is_error = |line: &&str| line.starts_with("referee: ") && !line.contains("warning");
        assert_eq!(error.lines().filter(is_error).count(), 1, "{error}");
        error
    });
}

#[test]
fn file_says_by_which_rules_its_games_were_played() {
    let scene = scene();
    scene.file("table.txt", "1");
    let rules = "./zoo.sh args=moves-twice option.Length=5 files=table.txt";
    scene.play(rules, "--games 1").succeeds();
    let lines = scene.results("games.jsonl");
    let (header, record) = (&lines[0]["rules"], &lines[1]);
    let words: Vec<&str> = rules.split(' ').collect();
    assert_eq!(
        [
            &header["name"],
            &header["version"],
            &header["cmd"],
            &header["options"]
        ],
        [
            &json!("zoo"),
            &json!("Zoo"),
            &json!(words),
            &json!([["Length", "5"]])
        ]
    );
    let digest = "6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b";
    assert_eq!(header["sha256"]["table.txt"], digest);
    assert_eq!(text(&header["sha256"], "./zoo.sh").len(), digest.len());
    assert_eq!(lines[0]["variant"], "zoo");
    for (field, value) in [
        ("start", "after"),
        ("turns", "11221"),
        ("result", "1-0"),
        ("reason", "rules"),
        ("detail", "six moves are played"),
        ("final", "after a a b b a"),
        ("points", "5 0"),
    ] {
        assert_eq!(record[field], value, "{record}");
    }
}

#[test]
fn game_has_its_name_with_its_options_everywhere() {
    let scene = Scene::new();
    scene.script("game", &house_of_games(false));
    let line = "match random random --rules ./game option.game=stones --each st=10 --out games.jsonl";
    let html = "--html games.html --quiet";
    scene.referee(&format!("{line} {html} --games 2")).succeeds();
    let name = "House of stones";
    assert_eq!(scene.results("games.jsonl")[0]["rules"]["version"], name);
    assert_has(
        scene.text("games.html"),
        format!("<title>random vs random-2, {name}</title>"),
    );
    let check = "check --rules ./game option.game=stones --only handshake random";
    scene
        .referee(check)
        .exits(0)
        .shows(format!("Checking random: {name}, UCI"));
    // Version 0.4.0 has asked for the name before the options.
    let old = scene.text("games.jsonl").replace(name, "House of nought");
    scene.file("games.jsonl", &old);
    scene.referee(&format!("{line} {html} --games 4")).succeeds();
    scene.file("games.jsonl", &old.replace("House of nought", "House of cards"));
    let outcome = scene.referee(&format!("{line} --quiet --games 4")).exits(2);
    outcome.says(expect! {"version of --rules was House of cards, now House of stones"});
}

#[test]
fn a_missing_rules_program_is_no_missing_player() {
    let scene = Scene::new();
    for (rules, advice) in [
        ("gridlok", "did you mean `gridlock`?"),
        ("x", "`referee new-rules FOLDER`"),
    ] {
        let outcome = scene
            .referee(&format!("match random random --rules {rules}"))
            .exits(3);
        outcome.says(advice);
        outcome.says(expect! {"built-in games: magnetic-cave, gridlock"});
        assert_lacks(&outcome.stderr, "player");
    }
}

#[test]
fn rules_of_chess_are_a_program_beside_the_referee_or_in_path() {
    let scene = Scene::new();
    scene.folder("programs");
    scene.program("programs/referee", env!("CARGO_BIN_EXE_referee"));
    let chess = |rest: &str| {
        let mut command = Command::new(scene.path("programs/referee"));
        command.args("match random random --games 2 --quiet --out games.jsonl --rules chess".split(' '));
        command.args(rest.split_whitespace());
        command
            .current_dir(scene.path(""))
            .env("PATH", scene.path("path"));
        run(&mut command, "")
    };
    let outcome = chess("").exits(3);
    outcome.says(expect! {"the program `referee-chess` with the rules of chess is not installed"});
    outcome.says(expect! {"`cargo install --locked --path chess`"});
    assert!(!scene.path("games.jsonl").exists());
    // Any program can stand in for it.
    for folder in ["path", "programs"] {
        scene.folder(folder);
        scene.script(&format!("{folder}/referee-chess"), ZOO);
        chess("args=good").exits(0);
        let header: serde_json::Value =
            serde_json::from_str(scene.text("games.jsonl").lines().next().unwrap()).unwrap();
        assert_eq!(header["variant"], "chess");
        assert_eq!(header["rules"]["cmd"], json!(["chess", "args=good"]));
        let hashes = header["rules"]["sha256"].as_object().unwrap();
        let program = match folder {
            "path" => PathBuf::from("referee-chess"),
            folder => scene.path(folder).join("referee-chess"),
        };
        assert!(hashes.keys().any(|path| Path::new(path) == program), "{hashes:?}");
        scene.remove("games.jsonl");
    }
}

#[test]
fn openings_in_the_notation_of_other_programs_are_explained() {
    let scene = scene();
    let line = "--games 2 --openings book.pgn plies=2";
    scene.file(
        "book.pgn",
        "[Event \"?\"]\n\n1. a b *\n\n[Event \"?\"]\n\n1. a Nf3 *\n",
    );
    let said = scene.play("./zoo.sh", line).exits(2).stderr;
    let expected = "`book.pgn`, game 2, line 7: `Nf3` cannot be played: the position has 2 legal moves: a b; another program \
                    wrote this PGN, and these rules do not answer `query notation`: write each \
                    opening as a line `startpos moves …`, with moves as the rules write them\n";
    assert!(said.ends_with(expected), "{said}");
    // The same moves in a file of this program are a mistake in the file.
    scene.file("book.pgn", "[GameVariant \"zoo\"]\n\n1. a Nf3 *\n");
    let said = scene.play("./zoo.sh", line).exits(2).stderr;
    assert_has(
        &said,
        expect! {"`Nf3` cannot be played: the position has 2 legal moves: a b"},
    );
    // Moves as the rules write them are read.
    scene.file("book.pgn", "[Event \"?\"]\n\n1. a b *\n");
    scene.play("./zoo.sh", line).succeeds();
}

#[test]
fn a_wrong_line_behind_the_checked_ones_is_left_out() {
    let scene = scene();
    let book = |others: &str| scene.file("book.txt", &("a b\n".repeat(1000) + others));
    book("a C\nb a\n");
    let said = scene
        .play("./zoo.sh", "--games 6 --openings book.txt")
        .exits(0)
        .stderr;
    let note = "only the first 1000 of 1002 openings have been checked; a wrong one behind them is left out with a \
                warning when it is its turn\n";
    assert_has(&said, note);
    let warning = "--openings: `book.txt`, line 1001, column 3: `C` cannot be played: the position has 2 legal \
                   moves: a b; line 1 is played instead\n";
    assert_eq!(said.matches(warning).count(), 1, "{said}");
    let results = scene.results("games.jsonl");
    let openings: Vec<String> = results[1..]
        .iter()
        .map(|game| moves(game)[..2].concat())
        .collect();
    assert_eq!(openings, ["ab", "ab", "ab", "ab", "ba", "ba"]);
    // One that takes its place comes from the end of the book.
    book("a C\nb a\nb b\na a\n");
    scene.remove("games.jsonl");
    let said = scene
        .play("./zoo.sh", "--games 4 --openings book.txt")
        .exits(0)
        .stderr;
    assert_has(&said, "line 1003 is played instead\n");
    // A failure of the rules is not one of the book.
    scene.remove("games.jsonl");
    book("x\n");
    let rules = "./zoo.sh args=ends-at-a-text";
    let said = scene.play(rules, "--games 4 --openings book.txt").exits(5).stderr;
    assert_has(
        &said,
        expect! {"zoo ended with exit status 3; expected an answer"},
    );
}

#[test]
fn other_rules_do_not_resume_a_match() {
    let scene = scene();
    scene.file("table.txt", "1");
    let rules = "./zoo.sh files=table.txt option.Length=5";
    scene.play(rules, "--games 1").succeeds();
    let saved = scene.text("games.jsonl");
    let refused = |rules: &str, options: &str, change: &str| {
        let outcome = scene.play(rules, options).exits(2);
        outcome.says("--out games.jsonl: ").says(change);
        assert_eq!(scene.text("games.jsonl"), saved);
    };
    let other = "./zoo.sh files=table.txt option.Length=6";
    refused(other, "--games 2", "option.Length of --rules was 5, now 6");
    refused(
        "./zoo.sh option.Length=5",
        "--games 2",
        "the hash of `table.txt` in --rules was 6b86b273",
    );
    refused(rules, "--games 2 --max-plies 3", "--max-plies was");
    scene.file("table.txt", "2");
    refused(
        rules,
        "--games 2",
        "the hash of `table.txt` in --rules was 6b86b273",
    );
    scene.file("table.txt", "1");
    scene.script("zoo.sh", &ZOO.replace("p1win", "p2win"));
    refused(rules, "--games 2", "the hash of `./zoo.sh` in --rules was ");
    scene.script("zoo.sh", ZOO);
    // More time for an answer is no other rule.
    scene.play(&format!("{rules} timeout=50"), "--games 2").succeeds();
    assert_complete(&games(&scene, "games.jsonl"), 2);
}

#[test]
fn parts_of_a_match_give_the_games_of_the_whole() {
    let scene = scene();
    let play = |options: &str| {
        let line = "match --rules ./zoo.sh --engine cmd=./a --engine cmd=./b --each st=100 --games 8";
        scene
            .referee(&format!("{line} --openings random:3 --quiet {options}"))
            .exits(0)
            .stdout
    };
    let whole = play("-j 1");
    let fingerprint = line_of(&whole, "Fingerprint: ");
    assert_eq!(line_of(&play("-j 4"), "Fingerprint: "), fingerprint);
    for shard in 0..2 {
        play(&format!("--shard {shard}/2 --out shard-{shard}.jsonl"));
    }
    // The rules program is not needed any more.
    scene.remove("zoo.sh");
    let report = scene.referee("report shard-0.jsonl shard-1.jsonl").succeeds();
    assert_eq!(line_of(&report.stdout, "Fingerprint: "), fingerprint);
    report.shows(expect! {"Score of a vs b: 4 - 4 - 0 [0.500] 8"});
}

#[test]
fn verify_finds_what_was_changed() {
    let scene = scene();
    scene.play("./zoo.sh args=moves-twice", "--games 2").succeeds();
    let verify = |file: &str| scene.referee(&format!("verify {file} --rules ./zoo.sh args=moves-twice"));
    verify("games.jsonl")
        .succeeds()
        .shows(expect! {"2 games replayed, 12 moves: none differs"});
    let good = scene.text("games.jsonl");
    let first = "forged.jsonl: game 1: ";
    let table = expect![[r#"
        1-0 | 0-1 | it ends 1-0 (rules: six moves are played), but the record says 0-1 (rules)
        "reason":"rules" | "reason":"resign" | it is over after move 6, 1-0 (rules: six moves
        ["a","a" | ["b","a" | its last position is `after b a b b a a`, but the record says
        ["a","a" | ["c","a" | move 1, c, cannot be played: the position has 2 legal moves: a b
        112211 | 1122x1 | `turns`: expected digits 1 and 2, found `x`
        112211 | 121212 | move 2 is player 1's, but the record has the other one
        "final":"after a | "final":"after b | but the record says `after b a b b a a`
        "6 0" | "7 0" | its points are `6 0`, but the record says `7 0`
        "after" | "after a" | move 2 is player 2's, but the record has the other one
    "#]];
    assert_rows(table, |[from, to]| {
        let forged = good.replacen(from, to, 1);
        assert_ne!(forged, good, "{from}");
        scene.file("forged.jsonl", &forged);
        let outcome = verify("forged.jsonl").exits(1);
        outcome.shows(first).shows(": 1 differs\n");
        assert_eq!(outcome.stderr, "");
        outcome.stdout
    });
}

#[test]
fn rules_that_no_game_needs_are_refused() {
    let scene = scene();
    scene
        .referee("match random random --games 2 --each depth=1 --max-plies 2 --quiet --out built-in.jsonl")
        .succeeds();
    for command in ["report", "show", "show --game 1", "analyze --engine depth=1"] {
        let line = format!("{command} built-in.jsonl --rules ./zoo.sh");
        scene.referee(&line).exits(2).says(
            expect! {"--rules: the games are of magnetic-cave, whose rules are built in; leave out --rules"},
        );
    }
}

#[test]
fn verify_by_other_rules() {
    let scene = scene();
    scene.play("./zoo.sh", "--games 2").succeeds();
    let verify = |words: &str| scene.referee(&format!("verify games.jsonl --rules {words}"));
    // Another program that writes positions otherwise, and gives no points.
    let other = ZOO
        .replace("say \"after$moves\"", "say \"after:$moves\"")
        .replace("say \"$n 0\"", ":");
    scene.script("other.sh", &other);
    for words in ["./other.sh", "./other.sh name=zoo"] {
        verify(words).succeeds().shows("none differs");
    }
    let mended = ZOO.replace("-ge $last ] && say p1win", "-ge $last ] && say draw");
    scene.script("mended.sh", &mended);
    let outcome = verify("./mended.sh").exits(1);
    outcome.shows(
        expect! {"game 1: it ends 1/2-1/2 (rules: six moves are played), but the record says 1-0 (rules)"},
    );
    outcome.shows(expect! {"2 games replayed, 12 moves: 2 differ"});
    verify("./zoo.sh option.Length=4")
        .exits(1)
        .shows(expect! {"it is over after move 4, 1-0 "});
    verify("./zoo.sh option.Length=8")
        .exits(1)
        .shows(expect! {"it is not over after move 6, but"});
    let outcome = verify("./zoo.sh args=does-not-read-its-text").exits(1);
    outcome.shows(expect! {"its start is not a position: what is fen"});
    let outcome = verify("./zoo.sh args=moves-twice").exits(1);
    outcome.shows(expect! {"game 1: move 2 is player 1's, but the record has the other one"});
    let outcome = verify("./zoo.sh args=has-changing-text").exits(1);
    outcome.shows(expect! {"after a b a b a b`, but the record says `after a b a b a b`"});
    verify("./zoo.sh args=ends-at-once").exits(3);
    let outcome = verify("./zoo.sh args=ends").exits(5);
    outcome.says(expect! {"position fen after moves b a b a"});
    scene
        .referee("verify games.jsonl --rules gridlock")
        .exits(1)
        .shows(expect! {"its start is not a position"});
    scene.file("broken.jsonl", "{\"header\":1");
    scene
        .referee("verify broken.jsonl --rules ./zoo.sh")
        .exits(2)
        .says(expect! {"broken.jsonl is not a result file (line 1 is cut off)"});
    scene
        .referee("verify missing.jsonl --rules ./zoo.sh")
        .exits(2)
        .says("missing.jsonl");
}

#[test]
fn verify_asks_for_the_program_of_the_file() {
    let scene = scene();
    scene.play("./zoo.sh option.Length=6", "--games 2").succeeds();
    let outcome = scene.referee("verify games.jsonl").exits(2);
    let command = "verify games.jsonl --rules ./zoo.sh option.Length=6";
    outcome.says(expect! {"the name in a file is not enough to start a program"});
    outcome.says(format!("\n  referee {command}\n"));
    let outcome = scene.referee(command).exits(0);
    outcome.shows(expect! {"2 games replayed, 12 moves: none differs"});
    assert_lacks(&outcome.stderr, "sha256");
    scene.script("zoo.sh", &ZOO.replace("p1win", "p2win"));
    let outcome = scene.referee(command).exits(1);
    outcome
        .says(expect! {"warning: the hash of `./zoo.sh` in --rules was"})
        .shows("2 differ\n");
}

#[test]
#[cfg(target_os = "linux")]
fn rules_program_plays_in_a_sandbox() {
    if !crate::sandbox::offers("on") {
        return;
    }
    let scene = scene();
    // It cannot write where it is.
    let writes = ZOO.replace("while read", ": > written\nwhile read");
    scene.script("zoo.sh", &writes);
    scene.play("./zoo.sh", "--games 1").succeeds();
    scene.path("written").metadata().unwrap();
    scene.remove("written");
    scene.remove("games.jsonl");
    scene.play("./zoo.sh sandbox=on", "--games 1").exits(0);
    assert_eq!(column(&scene.records(), "reason"), ["rules"]);
    assert!(!scene.path("written").exists());
}

/// The game of a rules program may have the name of a built-in one.
#[test]
fn game_with_the_name_of_a_built_in_one_keeps_its_own_rules() {
    let scene = scene();
    scene.script("gridlock.sh", ZOO);
    scene.play("./gridlock.sh", "--games 2").succeeds();
    assert_eq!(scene.results("games.jsonl")[0]["variant"], "gridlock");
    scene
        .referee("report games.jsonl")
        .succeeds()
        .shows(expect! {"Score of a vs b: 1 - 1 - 0 [0.500] 2"});
    scene
        .referee("show games.jsonl --game 1")
        .succeeds()
        .shows(expect! {"six moves are played"});
    let verify = |rules: &str| scene.referee(&format!("verify games.jsonl --rules {rules}"));
    verify("./gridlock.sh").succeeds().shows("none differs");
    verify("gridlock")
        .exits(1)
        .shows(expect! {"its start is not a position"});
    let line = "match --variant gridlock random random --games 2 --out games.jsonl";
    scene.referee(line).exits(2).says(" --rules was ");
    scene
        .referee("match --variant gridlock random random --games 2 --quiet --out other.jsonl")
        .exits(0);
    let report = |options: &str| scene.referee(&format!("report other.jsonl {options}")).succeeds();
    assert_eq!(report("--rules ./gridlock.sh").stdout, report("").stdout);
}

/// The fault of the first player, which answers `go` so.
#[test]
fn bots_lose_by_their_own_faults() {
    let faults = rows::<3>(
        "echo bestmove c | illegal | x played c, which is illegal: the position has 2 legal moves: a b
         echo bestmove a2 | illegal | x played a2, which is illegal: the position has 2 legal moves: a b
         echo bestmove resign | resign | x resigned
         echo bestmove 0000 | garbage | x wrote `bestmove 0000`, which is not a move: 2 legal moves can be played, such as `a`
         echo 'bestmove (none)' | garbage | x wrote `bestmove (none)`, which is not a move: 2 legal moves can
         echo bestmove | garbage | x wrote `bestmove`, which is not a move: a move is a word, such as `a`
         printf 'bestmove a\\000\\n' | illegal | x played a\\0, which is illegal: the position has 2 legal moves: a b
         exit 3 | crash | x ended with exit status 3",
    );
    for_all(&faults, |&[go, reason, detail]| {
        let scene = scene();
        scene.bot("x", Bot::thinking(go));
        let line = "match --rules ./zoo.sh --engine cmd=./x --engine cmd=./b --each st=100 --games 1 --quiet";
        scene.referee(&format!("{line} --out games.jsonl")).exits(0);
        let record = scene.first_game();
        assert_eq!(
            [&record["result"], &record["reason"]],
            ["0-1", reason],
            "{record}"
        );
        assert_starts(text(&record, "detail"), detail);
        assert_eq!(record["moves"], json!([]));
        assert_eq!(record["final"], "after");
        let verify = scene.referee("verify games.jsonl --rules ./zoo.sh");
        verify
            .succeeds()
            .shows(expect! {"1 game replayed, 0 moves: none differs"});
    });
}

/// A move in another letter case is the listed one, unless it could be two.
#[test]
fn letter_case_of_a_move_matters_only_between_two_moves() {
    let scene = scene();
    scene.bot("a", Bot::thinking("echo bestmove A"));
    scene.play("./zoo.sh", "--games 1").succeeds();
    assert_eq!(moves(&scene.first_game()), ["a", "b", "a", "b", "a", "b"]);
    scene.remove("games.jsonl");
    scene.script("zoo.sh", &ZOO.replace("say a b", "say a b B"));
    scene.bot("a", Bot::thinking("echo bestmove B"));
    scene.play("./zoo.sh", "--games 1").succeeds();
    assert_eq!(moves(&scene.first_game()), ["B", "b", "B", "b", "B", "b"]);
}

#[test]
fn bots_receive_the_game_and_the_options_that_they_announce() {
    let announce = "echo option name Length type spin default 6 min 2 max 20; echo uciok";
    let variants = "echo option name UCI_Variant type combo default chess var chess";
    for (bot, sent) in [
        (format!("{variants} var zoo; "), true),
        (format!("{variants}; "), false),
        (String::new(), false),
    ] {
        let scene = scene();
        scene.bot(
            "a",
            Bot {
                go: "echo bestmove a",
                ..Bot::greeting(&format!("{bot}{announce}"))
            },
        );
        scene
            .play("./zoo.sh option.Length=4 args=none", "--games 1")
            .exits(0);
        assert_eq!(moves(&scene.first_game()).len(), 4);
        let count = |line: &str| scene.count("a", line);
        assert_eq!(
            count("setoption name UCI_Variant value zoo"),
            usize::from(sent),
            "{bot}"
        );
        assert_eq!(count("setoption name Length value 4"), 1, "{bot}");
        assert_eq!(count("position startpos moves a b"), 1);
        assert_lacks(scene.text("b.received"), "setoption");
    }
}
