//! Books of openings: making, playing and rejecting them.

use rustix::process::Signal;
use serde_json::Value;

use crate::recorded::{moves, text};
use crate::support::{Bot, Scene, assert_rows, expect, joined, run_without_stdout};
use crate::transcripts::on_a_full_disk;

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
    let start = text(record, "start");
    let start = if start == "8/8/8/8/8/8/8/8 x" {
        "startpos"
    } else {
        start
    };
    format!("{start} moves {}", moves(record)[..plies].join(" "))
}

#[test]
fn a_book_contains_the_command_that_made_it() {
    for (variant, window, range) in [
        ("magnetic-cave", "-50..150", -50..=150),
        ("gridlock", "40", -40..=40),
    ] {
        let scene = Scene::new();
        let line = format!("openings --variant {variant} --count 5 --plies 3 --seed 4 --window {window}");
        let made = scene.referee(&format!(
            "{line} --engine nodes=2000 option.Hash=2 --out book.txt"
        ));
        assert_eq!(
            made.says(expect! {"distinct openings sampled: 5 accepted,"})
                .stdout,
            ""
        );
        let book = scene.text("book.txt");
        let command = book.lines().nth(1).unwrap().strip_prefix("# referee ").unwrap();
        assert_eq!(scene.referee(command).exits(0).stdout, book, "{command}");

        let openings = openings(&book);
        assert_eq!(openings.len(), 5);
        assert!(openings.iter().all(|(score, _)| range.contains(score)), "{book}");
        let line = format!("match random random --variant {variant} --openings book.txt --games 12");
        scene
            .referee(&format!(
                "{line} --each st=1 timemargin=5000 --out games.jsonl --quiet"
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
    let line = "openings --plies 1 --window -40..-15 --engine cmd=./evaluator";
    let made = scene.referee(&format!("{line} --count 2")).exits(0);
    made.says(expect! {"4 distinct openings sampled: 2 accepted, 1 outside -40..-15, 1 proven."});
    let openings = openings(&made.stdout);
    assert_eq!([openings[0].0, openings[1].0], [-20, -40]);

    let received = scene.received("evaluator");
    let asked: Vec<&String> = received
        .iter()
        .filter(|line| line.starts_with("position "))
        .collect();
    assert_eq!(asked.len(), 4);
    assert_eq!(asked[1].strip_prefix("position "), Some(openings[0].1));
    let once = ["ucinewgame", "isready", asked[2], "go movetime 60000 nodes 20000"];
    let is_asked_once = received.windows(4).any(|lines| lines == once);
    assert!(
        is_asked_once,
        "the engine starts a new game before each opening: {received:?}"
    );

    // Too few openings leave no book.
    let error = scene
        .referee(&format!("{line} --count 3 --out book.txt"))
        .exits(2);
    error.says(expect! {"2 of 3 openings found, and there seem to be no others (4 distinct openings sampled: 2 accepted, 1 outside -40..-15, 1 proven); try more --plies, a wider --window or a smaller --count"});
    assert_eq!(error.stdout, "");
    assert!(!scene.path("book.txt").exists());

    let limited = "openings --plies 1 --count 1 --window 99 --engine cmd=./evaluator st=2 depth=3";
    scene.referee(limited).exits(0);
    assert_eq!(scene.count("evaluator", "go movetime 2000 depth 3"), 1);
    scene.assert_no_bot_left();
}

#[test]
fn an_engine_without_scores_is_an_error() {
    let table = expect![[r#"
        echo no idea >&2; exit 4 | evaluator ended with exit status 4 stderr: no idea
        echo info score cp 1; echo bestmove d4 | evaluator played d4, which is illegal: d4 touches neither
        echo info score cp 1; echo bestmove 0000 | evaluator wrote `bestmove 0000`, which is not a move:
        legal | evaluator gives no score for `startpos moves
    "#]];
    assert_rows(table, |[go]| {
        let scene = Scene::new();
        scene.bot("evaluator", Bot::thinking(go));
        let outcome = scene
            .referee("openings --engine cmd=./evaluator --out book.txt")
            .exits(3);
        assert_eq!(outcome.stdout, "");
        assert!(!scene.path("book.txt").exists(), "{go} left a book");
        scene.assert_no_bot_left();
        joined(&outcome.stderr)
    });
}

#[test]
fn rejects_a_wrong_book_before_the_first_game() {
    let scene = Scene::new();
    let table = expect![[r#"
        # x¶a1¶a1 h1 c1 | `book.txt`, line 3, column 7: c1 touches neither a wall nor a brick
        startpos moves a1 a1b1 | , line 1, column 19: `a1b1` is not a move
        ¶4o2/1xo2x1/3x3/5o1/1ox4/4x2/2o4 x 0 40 | , line 2, column 1: this is a FEN of gridlock
        a1 h1 a2 h2 a3 h3 a4 h4 a5 | , line 1, column 1: the game is over after this opening
        # nothing¶ | : the book has no openings
        a1¶h1 ␀ | , line 2, column 4: unexpected NUL byte
    "#]];
    assert_rows(table, |[book]| {
        scene.file("book.txt", &(book.replace('¶', "\n").replace('␀', "\0") + "\n"));
        let error = scene.refused("match random plain --openings book.txt --out games.jsonl");
        assert!(!scene.path("games.jsonl").exists());
        error
    });
}

#[test]
fn warns_once_about_openings_that_repeat_a_position() {
    let scene = Scene::new();
    scene.file("book.txt", "a1\nh1\n\na8 a7\nh7 h8\nh8\n");
    let line = "match random random --openings book.txt --games 4 --each st=1 --quiet --out games.jsonl";
    let outcome = scene.referee(line).exits(0);
    outcome.says(expect! {"--openings: `book.txt`: skipped 2 of 5 openings, which lead to the same position as an earlier one, possibly rotated or mirrored; the first is line 2, which repeats line 1"});
    assert_eq!(outcome.stderr.lines().count(), 1);
    for (record, opening) in scene.records().iter().zip(["a1", "a1", "a8 a7", "a8 a7"]) {
        let plies = opening.split(' ').count();
        assert_eq!(beginning(record, plies), format!("startpos moves {opening}"));
    }
}

#[test]
fn never_overwrites_a_book_and_removes_a_partial_one() {
    let scene = Scene::new();
    scene.file("book.txt", "precious\n");
    let outcome = scene
        .referee("openings --count 1 --engine nodes=500 --out book.txt")
        .exits(2);
    outcome.says(expect! {"--out book.txt: the file exists, so it is not overwritten; use a new file"});
    assert_eq!(scene.text("book.txt"), "precious\n");

    let line = "openings --count 200 --plies 6 --window 30000 --engine nodes=200";
    let outcome = on_a_full_disk(&scene, 4, &format!("{line} --out new.txt"));
    outcome.exits(4).says("--out new.txt: File too large");
    assert!(!scene.path("new.txt").exists(), "a partial book looks complete");
    run_without_stdout(&mut scene.command(line)).exits(0);
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
        let referee = scene.start("openings --engine cmd=./evaluator --out book.txt");
        scene.wait_for_file("thinking");
        let outcome = referee.end_by(signal).exits(status);
        assert_eq!(outcome.stderr, format!("referee: {word}\n"));
        assert!(outcome.stdout.is_empty() && !scene.path("book.txt").exists());
        scene.assert_no_bot_left();
    }
}
