//! `referee show`: one game in a pipe and on a pseudo-terminal, and lists of games.

use crate::driver::Driver;
use crate::support::{Bot, Scene, assert_ends, assert_has_all, assert_starts, run_without_stdout};

const START: &str = "8/8/8/8/8/8/8/8 x";

/// A header of a match between `a`, with a clock, and `b`.
const HEADER: &str = r#"{"header":1,"variant":"magnetic-cave","seed":1,"schedule":{"format":"round-robin","games":2},"engines":[{"name":"a","cmd":"./a","tc":"60+1","timemargin":0},{"name":"b","cmd":"./b","st":"1","timemargin":0}]}"#;

/// A record: `a` wins with five in column a. Its third move is a blunder of `b`.
fn record(id: u64) -> String {
    format!(
        r#"{{"id":{id},"variant":"magnetic-cave","round":1,"pair":1,"first":"a","second":"b","start":"{START}","moves":["a1","h1","a2","h2","a3","h3","a4","h4","a5"],"opening_plies":1,"ms":[1.5,2500,3,4,5,6,7,8],"score":["cp 50",null,"cp -350","cp 90",null,"win 3","loss 2","win 1"],"result":"1-0","reason":"five","detail":"x has five in line, a5 to a1"}}"#
    )
}

/// A scene with a result file of these games.
fn scene(ids: &[u64]) -> Scene {
    let scene = Scene::new();
    let records: String = ids.iter().map(|&id| record(id) + "\n").collect();
    scene.file("games.jsonl", &format!("{HEADER}\n{records}"));
    scene
}

#[test]
fn prints_all_boards_and_facts_in_a_pipe() {
    let scene = scene(&[1, 2]);
    let outcome = scene.referee("show games.jsonl --game 2").succeeds();
    let text = outcome.stdout;
    assert!(!text.contains('\x1b'));
    assert_eq!(text.matches("\n8 ").count(), 10, "{text}");
    assert_has_all(
        &text,
        [
            "Game 2 of games.jsonl: Magnetic Cave\na (■) against b (□)\n\n",
            "\n\nMove 1 of 9: a (■) plays A1\nOpening move\nClocks: a (■) 1:00\n  A B",
            "\n\nMove 2 of 9: b (□) plays H1\n0.002 s, score +0.50\n\
         Blunder: the score of b (□) fell from +0.50 to -3.50\n",
            "\n\nMove 3 of 9: a (■) plays A2\n2.500 s\nClocks: a (■) 0:58.5\n",
            "\n3[■]· · · · · · · 3\n",
            "\n1(■)· · · · · · □ 1\n  A B C D E F G H\n\na (■) wins: ■ has five in line, A5 to A1 (1-0, five)\n",
        ],
    );
    let ascii = scene.referee("show games.jsonl --game 2 --ascii").stdout;
    assert!(
        ascii.is_ascii() && ascii.contains("\n1(X)- - - - - - O 1\n"),
        "{ascii}"
    );
    let coloured = scene.referee("show games.jsonl --game 2 --color always").stdout;
    assert!(coloured.contains("\x1b[36m■"), "{coloured}");
    let mut command = scene.command("show games.jsonl --game 2");
    run_without_stdout(&mut command).exits(4);
}

#[test]
fn lists_the_games_unless_there_is_only_one() {
    let outcome = scene(&[1, 2]).referee("show games.jsonl");
    assert_eq!((outcome.status, outcome.stderr.as_str()), (Some(0), ""));
    assert_starts(
        &outcome.stdout,
        "id  first  second  result  reason  moves\n \
              1  a      b       1-0     five        9\n",
    );
    assert!(outcome.stdout.contains("`referee show games.jsonl --game 1`"));
    let outcome = scene(&[7]).referee("show games.jsonl");
    assert_starts(&outcome.stdout, "Game 7 of games.jsonl: ");
    let outcome = scene(&[]).referee("show games.jsonl");
    assert_eq!(outcome.stdout, "games.jsonl holds no games.\n");
}

#[test]
fn shows_games_of_every_format_and_variant() {
    let scene = Scene::new();
    scene.bot("bot", Bot::thinking("[ $thinks = 3 ] && exit 3; legal"));
    let line = "match --engine cmd=./bot --engine cmd=random --each st=1 --openings random:2 \
                --out games.jsonl --pgn games.pgn --quiet";
    scene.referee(line).exits(0);
    let end = "\nrandom (■) wins: bot ended with exit status 3 (1-0, crash)\n";
    let whole = scene.referee("show games.jsonl --game 2").stdout;
    assert!(whole.ends_with(end), "{whole}");
    let boards = |text: &str| -> Vec<String> {
        let lines = text
            .lines()
            .filter(|line| line.starts_with(|label: char| label.is_ascii_digit()));
        lines
            .filter(|line| !line.contains(" s"))
            .map(String::from)
            .collect()
    };
    let outcome = scene.referee("show games.pgn --game 2").exits(0);
    assert!(outcome.stdout.ends_with(end), "{}", outcome.stdout);
    assert_eq!(boards(&outcome.stdout), boards(&whole));
    let transcript = "games.faults/game-000002-bot-crash.txt";
    scene.assert_refused(
        &format!("show {transcript}"),
        "the game of a transcript is in the result file",
    );

    scene.file(
        "saved",
        "variant: magnetic-cave\nstart: 8/8/8/8/8/8/8/8 x\nmoves: a1 h1\n",
    );
    let outcome = scene.referee("show saved");
    assert_starts(&outcome.stdout, "saved: Magnetic Cave\nPlayer 1 (■) against");
    assert_ends(&outcome.stdout, "\nThe game has no end yet\n");

    let line =
        "match random random --variant gridlock --pieces 2 --turns 4 --games 1 --out grid.jsonl --quiet";
    scene.referee(line).exits(0);
    let outcome = scene.referee("show grid.jsonl");
    assert_eq!(outcome.stdout.matches("\na ").count(), 5, "{outcome:?}");
    assert!(outcome.stdout.contains("-1/2, mobility)\n") || outcome.stdout.contains(" wins: "));
}

#[test]
fn errors_say_what_would_be_right() {
    let scene = scene(&[1, 2, 5]);
    scene.file("notes.txt", "to do\n");
    scene.file(
        "bad.jsonl",
        &format!("{HEADER}\n{}\n", record(3).replace("\"a2\"", "\"d4\"")),
    );
    for (arguments, error) in [
        (
            "games.jsonl --game 9",
            "`games.jsonl` has no game 9: it holds games 1 to 2, 5\n",
        ),
        ("games.jsonl --game 0", "--game"),
        ("nothing --game 1", "`nothing` cannot be read: No such file"),
        (". --game 1", "`.` is not a file\n"),
        (
            "notes.txt",
            "`notes.txt`, line 1: expected `KEY: VALUE`, found `to do`; games are read from result files (`--out`), \
             PGN files (`--pgn`), and files that `save` wrote; the game of a transcript is in the result file\n",
        ),
        (
            "bad.jsonl",
            "`bad.jsonl`, line 2: move 3: d4 touches neither a wall nor a brick\n",
        ),
    ] {
        let outcome = scene.referee(&format!("show {arguments}"));
        assert_eq!(
            (outcome.status, outcome.stdout.as_str()),
            (Some(2), ""),
            "{arguments}"
        );
        assert!(outcome.stderr.contains(error), "{arguments}: {}", outcome.stderr);
    }
}

#[test]
fn a_terminal_shows_all_boards_in_its_width() {
    let scene = scene(&[2]);
    let mut program = Driver::on_terminal_of_size(&scene, "show games.jsonl", (24, 40));
    let text = program.ends(0);
    assert_eq!(text.matches("\n8 ").count(), 10);
    assert!(text.lines().all(|line| line.chars().count() <= 40), "{text}");
    assert!(text.contains("A5 to A1\n(1-0, five)\n"), "{text}");
}
