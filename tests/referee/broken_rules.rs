//! Rules programs with the usual mistakes, in `referee rules` and in matches: positions that change,
//! moves in a set, answers that are none, texts with counters, and programs that keep the referee busy.

use expect_test::expect;
use rustix::process::Signal;

use crate::recorded::{column, moves};
use crate::rules::Rules;
use crate::support::{Outcome, Scene, assert_lacks, assert_rows_by};
use crate::zoo::redacted;

/// A match of two random players by the rules of `game`.
const MATCH: &str = "match --rules ./game random random --each st=100 --quiet --out games.jsonl";

/// The moves in another order in each process.
const UNORDERED: &str = "order='a b c d e'; if [ -e odd ]; then rm odd; order='e d c b a'; else : > odd; fi";

fn scene(rules: &Rules) -> Scene {
    let scene = Scene::new();
    scene.script("game", &rules.script());
    scene
}

fn check(rules: &Rules) -> Outcome {
    scene(rules).referee("rules ./game --games 5")
}

/// A game of twelve moves, in each of which there are five.
fn long() -> Rules<'static> {
    Rules {
        start: UNORDERED,
        gameover: "[ $n -ge 12 ] && say true || say false",
        result: "[ $n -ge 12 ] && say p1win || say none",
        moves: "[ $n -ge 12 ] && say || say $order",
        ..Rules::default()
    }
}

/// What the check of a program finds, without the parts of its report that are the same for all.
fn found(rules: &Rules) -> String {
    let outcome = check(rules);
    let mut is_found = false;
    let mut found = format!("exit status {}\n", outcome.status.unwrap());
    for line in outcome.stdout.lines() {
        // Numbers follow their names in columns.
        let is_more = line.starts_with("        ") && !line.trim().contains("  ");
        is_found = line.starts_with("  FAIL") || line.starts_with("  warn") || is_found && is_more;
        if is_found {
            found += &redacted(line);
            found.push('\n');
        }
    }
    found
}

#[test]
fn mistakes_are_found_and_explained() {
    // In the first positions of some, all is right, as in a program whose positions change when it plays a move.
    let later = "[ $n = 0 ] && games=$((games + 1))";
    let of_position = |moves| Rules {
        position: later,
        moves,
        ..Rules::default()
    };
    let said = [
        ("no mistake", Rules::default()),
        (
            "more moves in later games",
            of_position("[ $n -ge 3 ] && say || { [ ${games:-0} -gt 15 -a $n -gt 0 ] && say a b c || say a b; }"),
        ),
        (
            "no moves in later games",
            of_position("[ $n -ge 3 -o ${games:-0} -gt 15 -a $n -gt 0 ] && say || say a b"),
        ),
        ("no moves", of_position("[ $n -ge 2 ] && say || say a b")),
        ("moves in another order", long()),
        (
            "games that end at once",
            Rules::of(
                "gameover: [ $n -ge 1 ] && say true || say false // result: [ $n -ge 1 ] && say p1win || say none // \
                 moves: [ $n -ge 1 ] && say || say a b",
            ),
        ),
        (
            "moves that are no words",
            Rules::of("moves: echo 'TypeError: sequence item 0: expected str instance, int found' >&2; exit 1"),
        ),
        ("unknown to all other queries", Rules::of("other: say unknown")),
        ("a question to all other queries", Rules::of("other: say \"what is $line?\"")),
        (
            "answers in no form of theirs",
            Rules::of("other: case $line in *islegal*) say maybe ;; *parse*) say a ;; esac"),
        ),
        ("unknown to moves", Rules::of("other: say unknown // moves: say unknown")),
    ]
    .map(|(what, rules)| format!("{what}: {}\n", found(&rules)));
    let said = said.concat();
    expect![[r#"
        no mistake: exit status 0
          warn  text            `query fen` has no answer: no position can be given as text

        more moves in later games: exit status 1
          warn  text            `query fen` has no answer: no position can be given as text
          FAIL  game answers `query moves` with `3 moves; only here: c`, but in a second process, after other questions, with `2 moves`; expected the same answer
                position startpos moves b b
                the usual cause: `play` changes the position that it gets, as where a copy of the outer list keeps the old inner lists; or a position is not complete, and the rest is a variable or chance

        no moves in later games: exit status 1
          warn  text            `query fen` has no answer: no position can be given as text
          FAIL  game answers `gameover` with `false`, but lists no move; expected a move, such as `pass` for a player who cannot move otherwise, or the end of the game
                position startpos moves b
                the usual cause: `play` changes the position that it gets, as where a copy of the outer list keeps the old inner lists; or a position is not complete, and the rest is a variable or chance

        no moves: exit status 1
          warn  text            `query fen` has no answer: no position can be given as text
          FAIL  game answers `gameover` with `false`, but lists no move; expected a move, such as `pass` for a player who cannot move otherwise, or the end of the game
                position startpos moves b a

        moves in another order: exit status 0
          warn  text            `query fen` has no answer: no position can be given as text
          warn  order           N positions have their moves in another order in a second process, as the order of a set changes with each process; the referee sorts moves, a bot with the same list must do so, too; the first: position startpos moves c e b e

        games that end at once: exit status 0
          warn  short games     random games end after 1.0 moves (mean); the usual cause: `play` changes the position that it gets, as where a copy of the outer list keeps the old inner lists; or a position is not complete, and the rest is a variable or chance
          warn  text            `query fen` has no answer: no position can be given as text

        moves that are no words: exit status 1
          FAIL  game ended with exit status 1; expected an answer
                position startpos
                stderr: TypeError: sequence item 0: expected str instance, int found
                moves are words, such as `str(move)` for a number

        unknown to all other queries: exit status 0
          warn  islegal         `query islegal no-move` was answered with `unknown`, which is not an answer: it is not asked again
          warn  fen             `query fen` was answered with `unknown`, which is not an answer: it is not asked again
          warn  reason          `query reason` was answered with `unknown`, which is not an answer: it is not asked again
          warn  score           `query score` was answered with `unknown`, which is not an answer: it is not asked again
          warn  notation        `query notation` was answered with `unknown`, which is not an answer: it is not asked again
          warn  parse           `query parse no-move` was answered with `unknown`, which is not an answer: it is not asked again
          warn  board           `query board` was answered with `unknown`, which is not an answer: it is not asked again
          warn  grid            `query grid` was answered with `unknown`, which is not an answer: it is not asked again
          warn  setup           `query setup 1` was answered with `unknown`, which is not an answer: it is not asked again
          warn  text            `query fen` has no answer: no position can be given as text

        a question to all other queries: exit status 0
          warn  islegal         `query islegal no-move` was answered with `what is query islegal no-move?`, which is not an answer: it is not asked again
          warn  fen             `query fen` was answered with `what is query fen?`, which is not an answer: it is not asked again
          warn  reason          `query reason` was answered with `what is query reason?`, which is not an answer: it is not asked again
          warn  score           `query score` was answered with `what is query score?`, which is not an answer: it is not asked again
          warn  notation        `query notation` was answered with `what is query notation?`, which is not an answer: it is not asked again
          warn  parse           `query parse no-move` was answered with `what is query parse no-move?`, which is not an answer: it is not asked again
          warn  board           `query board` was answered with `what is query board?`, which is not an answer: it is not asked again
          warn  grid            `query grid` was answered with `what is query grid?`, which is not an answer: it is not asked again
          warn  setup           `query setup 1` was answered with `what is query setup 1?`, which is not an answer: it is not asked again
          warn  text            `query fen` has no answer: no position can be given as text

        answers in no form of theirs: exit status 0
          warn  islegal         `query islegal no-move` was answered with `maybe`, which is not an answer: it is not asked again
          warn  parse           `query parse no-move` was answered with `a`, which is not an answer: it is not asked again
          warn  text            `query fen` has no answer: no position can be given as text

        unknown to moves: exit status 1
          FAIL  game does not answer `query moves`, which is required; expected a line `response …` before `readyok`
                position startpos

    "#]].assert_eq(&said);
}

#[test]
fn second_process_is_asked_every_query() {
    let once = "if [ -e odd ]; then rm odd; word=two start=' moves a'; else : > odd; word=one start=; fi";
    let mut said = String::new();
    for query in ["reason", "score", "board", "grid", "setup"] {
        let word = if query == "setup" {
            "startpos$start"
        } else {
            "$word"
        };
        let other = format!("case $line in 'query '{query}*) say \"{word}\" ;; esac");
        said += &found(&Rules {
            start: once,
            other: &other,
            ..Rules::default()
        });
    }
    expect![[r#"
        exit status 1
          warn  text            `query fen` has no answer: no position can be given as text
          FAIL  game answers `query reason` with `one`, but in a second process, after other questions, with `two`; expected the same answer
                position startpos moves a a a
                the usual cause: `play` changes the position that it gets, as where a copy of the outer list keeps the old inner lists; or a position is not complete, and the rest is a variable or chance
        exit status 1
          warn  text            `query fen` has no answer: no position can be given as text
          FAIL  game answers `query score` with `one`, but in a second process, after other questions, with `two`; expected the same answer
                position startpos moves a a a
                the usual cause: `play` changes the position that it gets, as where a copy of the outer list keeps the old inner lists; or a position is not complete, and the rest is a variable or chance
        exit status 1
          warn  text            `query fen` has no answer: no position can be given as text
          FAIL  game answers `query board` with `one`, but in a second process, after other questions, with `two`; expected the same answer
                position startpos moves a a a
                the usual cause: `play` changes the position that it gets, as where a copy of the outer list keeps the old inner lists; or a position is not complete, and the rest is a variable or chance
        exit status 1
          warn  text            `query fen` has no answer: no position can be given as text
          warn  grid            11 answers to `query grid` cannot be drawn; the first: position startpos (expected `columns` or `lines`, found `one`)
          FAIL  game answers `query grid` with `one`, but in a second process, after other questions, with `two`; expected the same answer
                position startpos moves a a a
                the usual cause: `play` changes the position that it gets, as where a copy of the outer list keeps the old inner lists; or a position is not complete, and the rest is a variable or chance
        exit status 1
          warn  text            `query fen` has no answer: no position can be given as text
          FAIL  game answers `query setup 464909068` with `startpos`, but in a second process with `startpos moves a`; expected the same start for the same seed
    "#]].assert_eq(&said);
}

#[test]
fn order_of_moves_changes_no_game() {
    let scene = scene(&long());
    let play = |games: u32, out: &str| {
        let line = MATCH.replace("games.jsonl", out);
        scene
            .referee(&format!("{line} --games {games} --openings random:4"))
            .exits(0);
        scene.results(out)
    };
    let whole = play(2, "whole.jsonl");
    // A second run of the program begins with the other order.
    std::fs::remove_file(scene.path("odd")).unwrap_or_else(|_| scene.file("odd", ""));
    play(1, "parts.jsonl");
    let parts = play(2, "parts.jsonl");
    let records = |lines: &[serde_json::Value]| -> Vec<serde_json::Value> {
        lines
            .iter()
            .filter(|line| line["moves"].is_array())
            .cloned()
            .collect()
    };
    let (whole, parts) = (records(&whole), records(&parts));
    assert_eq!(whole.len(), 2);
    for (one, other) in whole.iter().zip(&parts) {
        assert_eq!(moves(one), moves(other));
    }
    // Both games of a pair begin alike, also if the match was resumed between them.
    assert_eq!(moves(&parts[0])[..4], moves(&parts[1])[..4]);
}

/// Older programs answer each query that they do not know.
#[test]
fn query_whose_first_answer_is_none_is_not_offered() {
    for answer in ["say unknown", "say \"what is $line?\"", "say"] {
        let rules = Rules {
            other: answer,
            ..Rules::default()
        };
        let outcome = check(&rules).succeeds();
        outcome.shows("  ok    queries         gameover p1turn result moves\n");
        let scene = scene(&rules);
        scene
            .referee(&format!("{MATCH} --games 2 --openings random:1"))
            .exits(0);
        let records = scene.records();
        assert_eq!(column(&records, "reason"), ["rules"; 2], "{answer}");
        assert!(
            moves(&records[0]).len() == 3 && records[0]["start"] == "startpos",
            "{records:?}"
        );
    }
}

#[test]
fn answer_that_is_none_ends_a_match_at_once() {
    let table = expect![[r#"
        gameover: say maybe
        ¦ referee: the rules program failed: game answered `query gameover` with `response maybe`; expected `true` or `false`¶        position startpos
        other: case $line in *setup*) say over ;; *fen) say "text $n" ;; esac // position: [ "$3" != over ] || n=3
        ¦ with `over`, where the game is over; expected a start of the game
    "#]];
    assert_rows_by('¦', table, |[codes]| {
        let outcome = scene(&Rules::of(codes)).referee(&format!("{MATCH} --games 2"));
        outcome.exits(5).stderr.replace('\n', "¶")
    });
}

#[test]
fn repetition_without_effect_is_named() {
    let line = format!("{MATCH} --games 1 --repetition 3");
    let outcome = scene(&long()).referee(&line).exits(0);
    outcome.says(expect! {"warning: --repetition 3 has no effect: game does not answer `query fen`"});
    let cycle = |text: &'static str| Rules {
        other: text,
        ..long()
    };
    let counted = cycle("[ \"$line\" != 'query fen' ] || say \"$((n % 4)) after $n moves\"");
    let counts = scene(&counted).referee(&line).exits(0);
    counts.says(expect! {"warning: --repetition 3 cannot detect repetitions in this game: up to move "});
    // The same without the number.
    let scene = scene(&cycle("[ \"$line\" != 'query fen' ] || say \"place $((n % 4))\""));
    let outcome = scene.referee(&line).exits(0);
    assert_lacks(&outcome.stderr, "--repetition");
    assert_eq!(column(&scene.records(), "reason"), ["repetition"]);
    let built_in = line.replace("--rules ./game", "--variant gridlock");
    let outcome = Scene::new().referee(&built_in).exits(0);
    outcome.says(expect! {"warning: --repetition 3 has no effect: no position of gridlock occurs twice"});
}

/// Each command is in a loop or a question that would take minutes.
#[test]
fn signals_end_what_takes_long() {
    // Random moves always end the game, and each takes its time.
    let short = Rules {
        gameover: "[ $n -ge 2 ] && say true || say false",
        result: "[ $n -ge 2 ] && say p1win || say none",
        moves: "[ $n = 1 ] && { : > waits; sleep 0.2; }; [ $n -ge 2 ] && say || say a b",
        ..Rules::default()
    };
    let hangs = Rules {
        moves: "[ $n = 2 ] && { : > waits; exec sleep 600; }; say a b",
        ..Rules::default()
    };
    let rules = "--rules ./game timeout=600";
    for (game, line) in [
        (
            &short,
            format!("match {rules} random random --games 2 --openings random:2 --quiet"),
        ),
        (&short, format!("openings {rules} --plies 2")),
        (
            &hangs,
            format!("match {rules} random random --games 2 --openings random:3 --quiet"),
        ),
        (&hangs, "rules ./game timeout=600".to_string()),
        (&hangs, format!("play {rules} --first random --second random")),
        (&hangs, format!("check {rules} -- random")),
    ] {
        for signal in [Signal::INT, Signal::TERM] {
            let scene = scene(game);
            let referee = scene.start(&line);
            scene.wait_for_file("waits");
            let status = if signal == Signal::INT { 130 } else { 143 };
            referee.end_by(signal).exits(status);
            scene.assert_no_process_left();
        }
    }
}
