//! Books of openings: making, playing and rejecting them.

use std::process::{Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::support::{Bot, Scene, assert_starts, run, run_without_stdout};

/// The openings of a book, each with its score.
fn openings(book: &str) -> Vec<(i32, &str)> {
    let lines: Vec<&str> = book.lines().skip(3).collect();
    let (pairs, rest) = lines.as_chunks::<2>();
    assert!(rest.is_empty(), "{book}");
    let score = |line: &str| line.strip_prefix("# cp ").unwrap().parse().unwrap();
    pairs.iter().map(|[above, line]| (score(above), *line)).collect()
}

/// The opening of a record as a line of a book. `plies` is its length.
fn beginning(record: &Value, plies: usize) -> String {
    let start = record["start"].as_str().unwrap();
    let start = if start == "8/8/8/8/8/8/8/8 x" {
        "startpos"
    } else {
        start
    };
    let moves = record["moves"].as_array().unwrap();
    let moves: Vec<&str> = moves[..plies].iter().map(|mv| mv.as_str().unwrap()).collect();
    format!("{start} moves {}", moves.join(" "))
}

#[test]
fn a_book_contains_the_command_that_made_it() {
    for (variant, window, low, high) in [
        ("magnetic-cave", "-50..150", -50, 150),
        ("gridlock", "40", -40, 40),
    ] {
        let scene = Scene::new();
        let made = scene.referee(&format!(
            "openings --variant {variant} --count 5 --plies 3 --seed 4 --window {window} \
             --engine nodes=2000 option.Hash=2 --out book.txt"
        ));
        assert_eq!(
            (made.status, made.stdout.as_str()),
            (Some(0), ""),
            "{}",
            made.stderr
        );
        made.says(" distinct openings sampled: 5 accepted, ");
        let book = scene.text("book.txt");
        let command = book.lines().nth(1).unwrap().strip_prefix("# referee ").unwrap();
        let again = scene.referee(command);
        assert_eq!(
            (again.status, again.stdout.as_str()),
            (Some(0), book.as_str()),
            "{command}"
        );

        let openings = openings(&book);
        assert_eq!(openings.len(), 5);
        assert!(
            openings.iter().all(|(score, _)| (low..=high).contains(score)),
            "{book}"
        );
        scene
            .referee(&format!(
                "match random random --variant {variant} --openings book.txt --games 12 --each st=1 \
             timemargin=5000 --out games.jsonl --quiet"
            ))
            .succeeds();
        // The sixth pair repeats the first opening.
        for (index, record) in scene.records().iter().enumerate() {
            let (_, opening) = openings[index / 2 % 5];
            assert_eq!(beginning(record, 3), opening);
            assert_eq!(record["opening_plies"], 3);
        }
    }
}

/// Scores the first opening +10, the second +20, and so on, and the third as a proven
/// loss, for the side to move.
const EVALUATOR: &str = "[ $games = 3 ] && echo info score loss 4 || echo info score cp ${games}0; legal";

#[test]
fn skips_openings_outside_the_window() {
    let scene = Scene::new();
    scene.bot("evaluator", Bot::thinking(EVALUATOR));
    // There are four openings of one ply. The second player is to move after it.
    let made = scene.referee("openings --plies 1 --count 2 --window -40..-15 --engine cmd=./evaluator");
    assert_eq!(
        (made.status, made.stderr.as_str()),
        (
            Some(0),
            "4 distinct openings sampled: 2 accepted, 1 outside -40..-15, 1 proven.\n"
        )
    );
    let openings = openings(&made.stdout);
    assert_eq!([openings[0].0, openings[1].0], [-20, -40]);

    let received = scene.received("evaluator");
    let received: Vec<&str> = received.iter().map(String::as_str).collect();
    let asked: Vec<&str> = received
        .iter()
        .copied()
        .filter(|line| line.starts_with("position "))
        .collect();
    assert_eq!(asked.len(), 4);
    assert_eq!(asked[1].strip_prefix("position "), Some(openings[0].1));
    let once: Vec<&str> = ["ucinewgame", "isready", asked[2], "go movetime 60000 nodes 20000"].into();
    assert!(
        received.windows(4).any(|lines| lines == once),
        "the engine starts a new game before each opening: {received:?}"
    );

    scene
        .referee("openings --plies 1 --count 1 --window 99 --engine cmd=./evaluator st=2 depth=3")
        .exits(0);
    assert_eq!(
        scene
            .received("evaluator")
            .iter()
            .filter(|line| *line == "go movetime 2000 depth 3")
            .count(),
        1
    );
    scene.assert_no_bot_left();
}

#[test]
fn too_few_openings_leave_no_book() {
    let scene = Scene::new();
    scene.bot("evaluator", Bot::thinking(EVALUATOR));
    let outcome = scene
        .referee("openings --plies 1 --count 3 --window -40..-15 --engine cmd=./evaluator --out book.txt");
    assert_eq!((outcome.status, outcome.stdout.as_str()), (Some(2), ""));
    assert_eq!(
        outcome.stderr,
        "referee: 2 of 3 openings found, and there seem to be no others (4 distinct openings sampled: 2 accepted, \
         1 outside -40..-15, 1 proven); try more --plies, a wider --window or a smaller --count\n"
    );
    assert!(!scene.path("book.txt").exists());
}

#[test]
fn an_engine_without_scores_is_an_error() {
    for (go, message) in [
        (
            "echo no idea >&2; exit 4",
            "evaluator ended with exit status 4\n  stderr: no idea\n",
        ),
        (
            "echo info score cp 1; echo bestmove d4",
            "evaluator played d4, which is illegal: d4 touches neither",
        ),
        (
            "echo info score cp 1; echo bestmove 0000",
            "evaluator wrote `bestmove 0000`, which is not a move: ",
        ),
        ("legal", "evaluator gives no score for `startpos moves "),
    ] {
        let scene = Scene::new();
        scene.bot("evaluator", Bot::thinking(go));
        let outcome = scene.referee("openings --engine cmd=./evaluator --out book.txt");
        assert_eq!((outcome.status, outcome.stdout.as_str()), (Some(3), ""));
        assert!(outcome.stderr.contains(message), "{go}: {}", outcome.stderr);
        assert!(!scene.path("book.txt").exists(), "{go} left a book");
        scene.assert_no_bot_left();
    }
}

#[test]
fn rejects_a_wrong_book_before_the_first_game() {
    let scene = Scene::new();
    for (name, book, message) in [
        (
            "illegal",
            "# x\na1\na1 h1 c1\n",
            "`illegal`, line 3, column 7: c1 touches neither a wall nor a brick",
        ),
        (
            "unknown",
            "startpos moves a1 a1b1\n",
            "`unknown`, line 1, column 19: `a1b1` is no move",
        ),
        (
            "other",
            "\n4o2/1xo2x1/3x3/5o1/1ox4/4x2/2o4 x 0 40\n",
            "line 2, column 1: this is a FEN of gridlock",
        ),
        (
            "over",
            "a1 h1 a2 h2 a3 h3 a4 h4 a5\n",
            "line 1, column 1: the game is over after this opening",
        ),
        ("empty", "# nothing\n\n", "`empty`: the book has no openings"),
        (
            "zero",
            "a1\nh1 \0",
            "`zero`, line 2, column 4: unexpected NUL byte",
        ),
    ] {
        scene.file(name, book);
        let outcome = scene.referee(&format!("match random plain --openings {name} --out games.jsonl"));
        assert_eq!((outcome.status, outcome.stdout.as_str()), (Some(2), ""), "{name}");
        assert_starts(&outcome.stderr, "referee: --openings: `");
        assert!(outcome.stderr.contains(message), "{name}: {}", outcome.stderr);
        assert!(!scene.path("games.jsonl").exists());
    }
}

#[test]
fn warns_once_about_openings_that_repeat_a_position() {
    let scene = Scene::new();
    scene.file("book.txt", "a1\nh1\n\na8 a7\nh7 h8\nh8\n");
    let outcome = scene
        .referee("match random random --openings book.txt --games 4 --each st=1 --quiet --out games.jsonl")
        .exits(0);
    let warning = "--openings: `book.txt`: skipped 2 of 5 openings, which lead to the same position as an earlier \
                   one, possibly rotated or mirrored; the first is line 2, which repeats line 1\n";
    assert!(outcome.stderr.ends_with(warning), "{}", outcome.stderr);
    assert_eq!(outcome.stderr.lines().count(), 1);
    let records = scene.records();
    let beginnings: Vec<String> = [(0, 1), (1, 1), (2, 2), (3, 2)]
        .map(|(game, plies)| beginning(&records[game], plies))
        .into();
    assert_eq!(
        beginnings,
        [
            "startpos moves a1",
            "startpos moves a1",
            "startpos moves a8 a7",
            "startpos moves a8 a7"
        ]
    );
}

#[test]
fn never_overwrites_a_book_and_removes_a_partial_one() {
    let scene = Scene::new();
    scene.file("book.txt", "precious\n");
    let outcome = scene
        .referee("openings --count 1 --engine nodes=500 --out book.txt")
        .exits(2);
    outcome.says("--out book.txt: File exists");
    assert!(outcome.stderr.contains("choose another file, or delete this one"));
    assert_eq!(scene.text("book.txt"), "precious\n");

    let words = "openings --count 200 --plies 6 --window 30000 --engine nodes=200";
    let limited = format!(
        "trap '' XFSZ; ulimit -f 4; exec '{}' {words} --out new.txt",
        env!("CARGO_BIN_EXE_referee")
    );
    let mut command = Command::new("sh");
    command.args(["-c", &limited]).current_dir(scene.path(""));
    run(&mut command, "")
        .exits(4)
        .says("--out new.txt: File too large");
    assert!(!scene.path("new.txt").exists(), "a partial book looks complete");

    let mut command = scene.command(words);
    run_without_stdout(&mut command).exits(4);
}

#[test]
fn a_signal_ends_it_without_a_book() {
    for (signal, status, word) in [
        (Signal::INT, 130, "interrupted"),
        (Signal::TERM, 143, "terminated"),
    ] {
        let scene = Scene::new();
        scene.bot(
            "evaluator",
            Bot::thinking("touch thinking; trap '' TERM; sleep 60"),
        );
        let mut command = scene.command("openings --engine cmd=./evaluator --out book.txt");
        let child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        scene.wait_for_file("thinking");
        kill_process(Pid::from_child(&child), signal).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(status));
        assert_eq!(
            String::from_utf8(output.stderr).unwrap(),
            format!("referee: {word}\n")
        );
        assert!(output.stdout.is_empty() && !scene.path("book.txt").exists());
        scene.assert_no_bot_left();
    }
}
