//! `query notation`: the moves of a rules program as people write them, in PGN, books and `show`.

use crate::rules::Rules;
use crate::support::{Outcome, Scene, assert_has, assert_lacks, assert_rows, expect};

/// The notation of `Rules::default()`: `A+` and `B` for `a` and `b`.
const LETTERS: &str = r#"other: case $line in
    "query notation") [ $n -ge 3 ] && say || say A+ B ;; *"notation a") say A+ ;; *"notation b") say B ;; esac"#;

/// A folder with the rules program `game`, whose code for optional queries is `code`.
fn scene(code: &str) -> Scene {
    let scene = Scene::new();
    scene.script("game", &Rules::of(code).script());
    scene
}

fn play(scene: &Scene, options: &str) -> Outcome {
    scene.referee(&format!(
        "match random random --rules ./game --each st=100 --quiet {options}"
    ))
}

/// A file of another program, with what is in such files.
const FOREIGN: &str = "[Event \"?\"]\n[Site \"x\"]\n\n1. A+ {b b [%clk 1]\n[%eval 2] (b)} (1. B (1. A B) A) 1... B $1 *\n\n\
                       [Event \"?\"]\n\n1 B! ; the second\n1-0\n";

#[test]
fn pgn_of_people_is_read_and_written() {
    let scene = scene(LETTERS);
    scene
        .referee("rules ./game --games 5")
        .succeeds()
        .shows(expect! {"ok    notation        one word for each move in"});
    scene.file("book.pgn", FOREIGN);
    play(
        &scene,
        "--openings book.pgn --out games.jsonl --pgn games.pgn --games 4",
    )
    .succeeds();
    let text = scene.text("games.pgn");
    assert_has(
        &text,
        "[GameVariant \"game\"]\n[Variant \"game\"]\n[OpeningPlies \"2\"]",
    );
    for (part, count) in [
        ("\n1. A+ B 2. ", 2),
        ("\n1. B {", 0),
        ("\n1. B 1... ", 0),
        ("\n1. B ", 2),
        ("[FEN ", 0),
    ] {
        assert_eq!(text.matches(part).count(), count, "{part} in {text}");
    }
    let shown = scene
        .referee("show games.jsonl --game 1 --rules ./game")
        .succeeds()
        .stdout;
    assert_has(&shown, "plays A+ for ");
    let shown = scene.referee("show games.jsonl --game 1").succeeds().stdout;
    assert_has(&shown, "plays a for ");
    // What was written is read: as a game, as openings, and written again by another command.
    let shown = scene
        .referee("show games.pgn --game 1 --rules ./game")
        .succeeds()
        .stdout;
    assert_has(&shown, "plays A+ for ");
    play(&scene, "--openings games.pgn plies=2 --out again.jsonl --games 2").exits(0);
    let moves = &scene.results("again.jsonl")[1]["moves"];
    assert_eq!([&moves[0], &moves[1]], ["a", "b"]);
    scene
        .referee("report games.jsonl --pgn report.pgn --rules ./game")
        .succeeds();
    assert_eq!(scene.text("report.pgn"), text);
    // Each game as it ends, without a result file; lines of a book may have the same words.
    scene.file("book.txt", "startpos moves A+ b\nB A\n");
    play(&scene, "--openings book.txt --pgn live.pgn --games 4").succeeds();
    assert_eq!(scene.text("live.pgn").matches("\n1. A+ B 2. ").count(), 2);
    assert_eq!(scene.text("live.pgn").matches("\n1. B A+ 2. ").count(), 2);
}

#[test]
fn what_is_left_out_of_a_book_is_named() {
    let scene = scene(LETTERS);
    let games = "[Event \"C:\\games\\\"] [Site x]\n\n1. A { an end is missing *\n\n[Event \"?\"]\n\n\
                 1. B { one } *\n";
    scene.file("book.pgn", games);
    let outcome = play(&scene, "--openings book.pgn").exits(0);
    outcome.says(expect! {"`book.pgn`: skipped what is not a tag: line 1: expected a tag such as `[Round \"1.1\"]`, found `[Site x]`"});
    outcome.says(expect! {"`book.pgn`, line 3: the comment that begins here contains a line `[Event \"`"});
}

#[test]
fn wrong_moves_are_refused_in_the_notation_of_people() {
    let scene = scene(LETTERS);
    scene.file("book.pgn", "[Event \"?\"]\n\n1. A C *\n");
    let said = play(&scene, "--openings book.pgn").exits(2).stderr;
    assert_has(
        &said,
        expect! {"`book.pgn`, game 1, line 3: `C` cannot be played: the position has 2 legal moves: A+ B"},
    );
    // A bot writes moves as the protocol has them.
    scene.script(
        "bot",
        "#!/bin/sh\nwhile read -r line; do case $line in uci) echo uciok ;; isready) echo readyok ;;\n\
                  go*) echo bestmove A+ ;; quit) exit ;; esac; done\n",
    );
    scene
        .referee("match ./bot random --rules ./game --each st=100 --games 2 --quiet --out games.jsonl")
        .succeeds();
    assert_eq!(scene.results("games.jsonl")[1]["reason"], "illegal");
}

#[test]
fn wrong_notation_is_a_fault_of_the_rules_but_loses_no_game() {
    let table = expect![[r#"
        A
            | lists 2 moves, but answers `query notation` with 1 word; expected one word for each move, in the same order
        A A | writes `A` for `a` and for `b` (`query notation`); expected a word that means one move
        b a | writes `b` for `a` and for `b` (`query notation`); expected a word that means one move
    "#]];
    assert_rows(table, |[answer]| {
        let code = format!("other: case $line in \"query notation\"*) say {answer} ;; esac");
        let scene = scene(&code);
        let checked = scene.referee("rules ./game --games 5").exits(1);
        checked
            .shows("  FAIL  game ")
            .shows("\n        position startpos");
        let said = play(&scene, "--out games.jsonl --pgn games.pgn");
        assert_eq!(
            said.exits(0)
                .stderr
                .matches("from game 1 on, the PGN file has the moves as the protocol")
                .count(),
            usize::from(answer != "A")
        );
        checked.stdout
    });
    let code = "other: case $line in \"query notation\") say A B ;; *notation*) say B ;; esac";
    let outcome = scene(code).referee("rules ./game --games 5");
    outcome.exits(1).shows(expect! {"answers `query notation` with `A` for `a`, but `query notation a` with `B`; expected the same word"});
}

#[test]
fn a_notation_that_pgn_cannot_have_is_not_written() {
    let scene =
        scene("other: case $line in *\"notation a\") say 'A(1)' ;; *notation*) say 'A(1)' 'B(1)' ;; esac");
    play(&scene, "--openings book.txt --pgn games.pgn").exits(2);
    scene.file("book.txt", "moves a a\n");
    play(&scene, "--openings book.txt --pgn games.pgn").succeeds();
    let text = scene.text("games.pgn");
    assert_has(&text, "\n{1. a a 2. ");
    assert_lacks(&text, "A(1)");
}

/// Without `query notation`: `alpha` is `a`, and `gamma` is wrongly read.
const PARSER: &str = r#"other: case $line in "query parse alpha") say a ;; "query parse gamma") say c ;; "query parse"*) say none ;; esac"#;

#[test]
fn rules_may_read_what_people_write() {
    let scene = scene(PARSER);
    scene
        .referee("rules ./game --games 5")
        .succeeds()
        .shows("moves parse\n");
    scene.file("book.pgn", "[Event \"?\"]\n\n1. alpha$1 B *\n");
    play(&scene, "--openings book.pgn --out games.jsonl").succeeds();
    let moves = &scene.results("games.jsonl")[1]["moves"];
    assert_eq!([&moves[0], &moves[1]], ["a", "b"]);
    scene.file("book.pgn", "[Event \"?\"]\n\n1. beta *\n");
    let said = play(&scene, "--openings book.pgn").exits(2).stderr;
    assert_has(
        &said,
        expect! {"`beta` cannot be played: the position has 2 legal moves: a b"},
    );
    scene.file("book.pgn", "[Event \"?\"]\n\n1. gamma *\n");
    let said = play(&scene, "--openings book.pgn").exits(5).stderr;
    assert_has(
        &said,
        expect! {"game answered `query parse gamma` with `c`; expected a legal move, or `none`"},
    );
    // At the prompt, too.
    scene
        .run_with_input(
            "play --rules ./game --first human --second random",
            "alpha\nbeta\nquit\n",
        )
        .succeeds()
        .shows("2 legal moves: a b");
}
