//! `referee show`: one game in a pipe and on a pseudo-terminal, and lists of games.

use crate::driver::Driver;
use crate::support::{
    Bot, Scene, assert_ends, assert_has, assert_rows, assert_starts, expect, run_without_stdout,
};

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
    let text = scene.referee("show games.jsonl --game 2").succeeds().stdout;
    assert!(!text.contains('\x1b'));
    assert_eq!(text.matches("\n8 ").count(), 10, "{text}");
    for part in [
        "Game 2 of games.jsonl: Magnetic Cave\na (■) against b (□)\n\n",
        "\n\nMove 1 of 9: the opening plays a1 for a (■)\nClocks: a (■) 1:00\n  a b",
        "\n\nMove 2 of 9: b (□) plays h1\n0.002 s, score +0.50\n\
         Blunder: the score of b (□) fell from +0.50 to -3.50\n",
        "\n\nMove 3 of 9: a (■) plays a2\n2.500 s\nClocks: a (■) 0:58.5\n",
        "\n3[■]· · · · · · · 3\n",
        "\n1(■)· · · · · · □ 1\n  a b c d e f g h\n\na (■) wins: ■ has five in line, a5 to a1 (1-0, five)\n",
    ] {
        assert_has(&text, part);
    }
    let ascii = scene.referee("show games.jsonl --game 2 --ascii").stdout;
    assert!(
        ascii.is_ascii() && ascii.contains("\n1(X)- - - - - - O 1\n"),
        "{ascii}"
    );
    scene
        .referee("show games.jsonl --game 2 --color always")
        .shows("\x1b[36m■");
    run_without_stdout(&mut scene.command("show games.jsonl --game 2")).exits(0);

    // All boards fit a terminal.
    let mut program = Driver::on_terminal_of_size(&scene, "show games.jsonl --game 2", (24, 40));
    let text = program.ends(0);
    assert_eq!(text.matches("\n8 ").count(), 10);
    assert!(text.lines().all(|line| line.chars().count() <= 40), "{text}");
    assert_has(&text, "a5 to a1\n(1-0, five)\n");
}

#[test]
fn lists_the_games_unless_there_is_only_one() {
    let list = scene(&[1, 2]).referee("show games.jsonl").succeeds();
    let rows = "id first second result reason moves\n 1 a          b    1-0   five     9\n";
    assert_starts(&list.stdout, rows);
    list.shows(expect! {"`referee show games.jsonl --game 1`"});
    let game = scene(&[7]).referee("show games.jsonl");
    assert_starts(&game.stdout, "Game 7 of games.jsonl: ");
    let none = scene(&[]).referee("show games.jsonl");
    assert_eq!(none.stdout, "games.jsonl holds no games.\n");
}

#[test]
fn shows_games_of_every_format_and_variant() {
    let scene = Scene::new();
    scene.bot("bot", Bot::thinking("[ $thinks = 3 ] && exit 3; legal"));
    let line = "match ./bot random --each st=1 --openings random:2 --out games.jsonl --pgn games.pgn --quiet";
    scene.referee(line).exits(0);
    let shown = |words: &str| scene.referee(&format!("show {words}")).exits(0).stdout;
    let end = "\nrandom (■) wins: bot ended with exit status 3 (1-0, crash)\n";
    let [whole, of_pgn] = ["games.jsonl", "games.pgn"].map(|file| shown(&format!("{file} --game 2")));
    let boards = |text: &str| -> Vec<String> {
        assert_ends(text, end);
        let is_row =
            |line: &&str| line.starts_with(|label: char| label.is_ascii_digit()) && !line.contains(" s");
        text.lines().filter(is_row).map(String::from).collect()
    };
    assert_eq!(boards(&of_pgn), boards(&whole));
    let transcript = "show games.faults/game-000002-bot-crash.txt";
    scene.assert_refused(
        transcript,
        expect! {"the game of a transcript is in the result file"},
    );

    scene.file(
        "saved",
        "variant: magnetic-cave\nstart: 8/8/8/8/8/8/8/8 x\nmoves: a1 h1\n",
    );
    let saved = shown("saved");
    assert_starts(&saved, "saved: Magnetic Cave\nPlayer 1 (■) against");
    assert_ends(&saved, "\nThe game is not finished\n");

    let line =
        "match random random --variant gridlock --pieces 2 --turns 4 --games 1 --out grid.jsonl --quiet";
    scene.referee(line).exits(0);
    let grid = shown("grid.jsonl");
    assert_eq!(grid.matches("\na ").count(), 5, "{grid}");
    assert!(
        grid.contains("-1/2, mobility)\n") || grid.contains(" wins: "),
        "{grid}"
    );
}

#[test]
fn errors_say_what_would_be_right() {
    let scene = scene(&[1, 2, 5]);
    scene.file("notes.txt", "to do\n");
    scene.file(
        "bad.jsonl",
        &format!("{HEADER}\n{}\n", record(3).replace("\"a2\"", "\"d4\"")),
    );
    let table = expect![[r#"
        games.jsonl --game 9 | `games.jsonl` has no game 9: it holds games 1 to 2, 5
        games.jsonl --game 0 | --game
        nothing --game 1 | `nothing` cannot be read: No such file
        . --game 1 | `.` cannot be read: it is a folder, not a file
        notes.txt | `notes.txt`, line 1: expected `KEY: VALUE`, found `to do`; games are read from result files (`--out`), PGN files (`--pgn`), and files that `save` wrote; the game of a transcript is in the result file
        bad.jsonl | `bad.jsonl`, line 2: move 3: d4 touches neither a wall nor a brick
    "#]];
    assert_rows(table, |[words]| scene.refused(&format!("show {words}")));
}
