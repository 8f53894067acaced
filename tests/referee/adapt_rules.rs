//! `referee adapt --rules`: programs made for people in the games of rules programs.

use std::fs;
use std::process::Command;

use crate::adapt::adapted;
use crate::rules::Rules;
use crate::support::{Scene, assert_has, expect, run};

/// A program made for people, in shell, of a game of three moves: the person's move is read after `Your move:`,
/// and the own move is `$own`.
fn talker(own: &str) -> String {
    format!(
        "#!/bin/sh\nprintf 'Shall I begin? '\nread -r answer\n[ \"$answer\" = y ] && me=0 || me=1\nfor ply in 0 1 2; do\n\
         if [ $((ply % 2)) = $me ]; then echo \"I play {own}.\"\n\
         else printf 'Your move: '; read -r move; echo \"$move\" >> moves; echo \"You play $move.\"; fi\ndone\necho Over.\n"
    )
}

/// A folder `bot` with such a program and its description, and the rules program `game`, whose moves and grid are
/// these.
fn scene(moves: &str, grid: &str, own: &str, description: &str) -> Scene {
    let scene = Scene::new();
    let moves = format!("moves: [ $n -ge 3 ] && say || say {moves}");
    let grid = format!("other: case $line in *grid) {grid} ;; esac");
    scene.script("game", &Rules::of(&format!("{moves} // {grid}")).script());
    scene.folder("bot");
    scene.script("bot/talker", &talker(own));
    let start = "command = './talker'\n[start]\nfirst = 'y'\nsecond = 'n'\n";
    scene.file("bot/adapt.toml", &format!("{start}{description}"));
    scene
}

/// Asserts that the rules ended every game.
fn assert_no_fault(scene: &Scene, count: usize) {
    let mut games = scene.records();
    games.retain(|record| record.get("moves").is_some());
    assert_eq!(games.len(), count);
    assert!(games.iter().all(|game| game["reason"] == "rules"), "{games:?}");
}

/// Plays two games; returns what was typed.
fn typed(scene: &Scene) -> Vec<String> {
    scene
        .referee("adapt bot/adapt.toml --rules ./game --try")
        .succeeds()
        .shows("= no problem in two games\n");
    scene.remove("bot/moves");
    let line = "match bot random --rules ./game --each st=60 --games 2 --quiet --out games.jsonl";
    scene.referee(line).succeeds();
    assert_no_fault(scene, 2);
    scene.text("bot/moves").lines().map(String::from).collect()
}

const GRID: &str = "say columns a b rows 2 1 cells . . . .";

#[test]
fn moves_of_a_rules_program_are_typed_and_read() {
    let move_words = "[move]\nprompt = 'Your move:'\n[answer]\npattern = 'I play {move}'\n";
    for (moves, grid, own, description, expected) in [
        // Whole words, with and without others for them.
        ("a", "", "A", move_words, "a"),
        (
            "pass",
            "",
            "nothing",
            "[words]\npass = 'nothing'\n[move]\n[answer]\npattern = 'I play {move}'\n",
            "nothing",
        ),
        // Cells have the names of the rules, or others.
        ("b2", GRID, "B2", "[answer]\npattern = 'I play {cell}'\n", "b2"),
        (
            "a2b1",
            GRID,
            "x1-y2",
            "[cells]\ncolumns = 'xy'\nrows = '12'\n[move]\nsend = '{to} {from}'\n\
          [answer]\npattern = 'I play {from}-{to}'\n",
            "y2 x1",
        ),
        (
            "a2",
            GRID,
            "row 1, column x",
            "[cells]\ncolumns = 'xy'\nrows = '12'\n[move]\nsend = '{row} {column}'\n\
          [answer]\npattern = 'row {row}, column {column}'\n",
            "1 x",
        ),
        // A move is the name of a column, or more than cells.
        (
            "b",
            GRID,
            "column 2",
            "[cells]\ncolumns = '12'\n[move]\nsend = '{column}'\n[answer]\npattern = 'column {column}'\n",
            "2",
        ),
        (
            "a2b1q",
            GRID,
            "x1y2q",
            "[cells]\ncolumns = 'xy'\nrows = '12'\n[answer]\npattern = 'I play {move}'\n",
            "x1y2q",
        ),
        // The grid says how a cell is called.
        (
            "2,a",
            "say columns a b rows 2 1 names '{row},{column}' cells . . . .",
            "1:x",
            "[cells]\ncolumns = 'xy'\nrows = '12'\nformat = '{row}:{column}'\n[answer]\npattern = 'I play {cell}'\n",
            "1:x",
        ),
        // Words are taken apart by an expression.
        (
            "4-7",
            "",
            "7 from heap 4",
            "[move]\nword = '(?<heap>\\d)-(?<count>\\d)'\nsend = '{heap} {count}'\n\
          [answer]\npattern = 'I play {count} from heap {heap}'\n",
            "4 7",
        ),
        // The program waits for a line after its own move.
        (
            "b2",
            GRID,
            "B2.\"; read -r go; echo \"",
            "[answer]\npattern = 'I play {cell}'\nthen = 'go on'\n",
            "b2",
        ),
        // A part that names a column has the program's name for it.
        (
            "into-b",
            GRID,
            "y",
            "[cells]\ncolumns = 'xy'\n[move]\nword = 'into-(?<column>.)'\nsend = '{column}'\n\
          [answer]\npattern = 'I play {column}'\n",
            "y",
        ),
    ] {
        let scene = scene(moves, grid, own, description);
        // A move of the opponent in each game; the last move ends the game.
        let expected = [expected, expected].join("|");
        let expected: Vec<&str> = expected.split('|').collect();
        assert_eq!(typed(&scene), expected, "{moves}");
    }
}

#[test]
fn a_move_that_cannot_be_typed_or_read_is_explained() {
    let column = "[move]\nsend = '{column}'\n[answer]\npattern = 'I play {move}'\n";
    let scene = scene("pass", GRID, "a1", column);
    scene
        .referee("adapt bot/adapt.toml --rules ./game --try")
        .exits(3)
        .shows("= the program's move: a1\n")
        .says(expect! {"bot/adapt.toml: the program's move a1 cannot be played: the position has 1 legal move: pass"});
    scene.script("bot/talker", &talker("pass"));
    let said = scene
        .referee("adapt bot/adapt.toml --rules ./game --try")
        .exits(3);
    said.says(expect![[r#"the move `pass` has no `{to_column}`, which `send` of [move] types; `pass = "…"` in a table [words] says what to type instead"#]]);
    for (description, error) in [
        (
            "variant = 'gridlock'\n",
            expect! {", line 1: `--rules` gives the game, game; delete this line"},
        ),
        (
            "[board]\n",
            expect! {"[board] is for built-in games; with `--rules`, the `pattern` of [answer] finds the program's move"},
        ),
        (
            "[answer]\npattern = 'I play'\n",
            expect! {"the pattern does not say what the move is; write `{move}` there, or its parts"},
        ),
        (
            "[move]\nword = '(\\d)'\n",
            expect! {"the expression has no group with a name, such as `(?<column>[a-h])`"},
        ),
        (
            "[words]\npass = 3\n",
            expect! {"`pass` must be a string in quotation marks"},
        ),
    ] {
        scene.file(
            "bot/adapt.toml",
            &format!(
                "{}command = './talker'\n{}",
                if description.starts_with("variant") {
                    description
                } else {
                    ""
                },
                if description.starts_with("variant") {
                    column
                } else {
                    description
                }
            ),
        );
        let said = scene
            .referee("adapt bot/adapt.toml --rules ./game --try")
            .exits(2)
            .stderr;
        assert_has(&said, error);
    }
    // Without rules, and in rules without a grid.
    scene.file(
        "bot/adapt.toml",
        "command = './talker'\n[words]\na = 'b'\n[answer]\npattern = '{cell}'\n",
    );
    scene
        .referee("adapt bot/adapt.toml --try")
        .exits(2)
        .says(expect! {"[words] is for the games of `--rules`"});
    scene.script("game", &Rules::default().script());
    scene.file(
        "bot/adapt.toml",
        "command = './talker'\n[cells]\nrows = '12'\n[answer]\npattern = '{move}'\n",
    );
    scene
        .referee("adapt bot/adapt.toml --rules ./game --try")
        .exits(2)
        .says(expect! {"line 3: game draws no grid (`query grid`), so its cells have no names"});
}

/// A program in C plays Connect Four at a terminal, beside rules in Python.
#[test]
#[ignore = "needs Python and C; a step of .ci/run --long"]
fn connect_four_at_a_terminal_plays_whole_games() {
    if ["python3", "cc"]
        .iter()
        .any(|tool| Command::new(tool).arg("--version").output().is_err())
    {
        println!("SKIPPED: python3 or cc is not installed");
        return;
    }
    let scene = Scene::new();
    scene.folder("bots/four");
    for file in fs::read_dir(adapted("four")).unwrap().flatten() {
        fs::copy(file.path(), scene.path("bots/four").join(file.file_name())).unwrap();
    }
    let mut shell = Command::new("sh");
    run(
        shell
            .args(["-c", "cc -O2 -o four four.c"])
            .current_dir(scene.path("bots/four")),
        "",
    )
    .exits(0);
    let rules = adapted("four").join("../../../examples/rules/connect_four.py");
    let mut line = scene.command(
        "match --engines bots --engine cmd=random --each st=60 --games 10 --quiet --out games.jsonl",
    );
    run(line.arg("--rules").arg(&rules), "").exits(0);
    assert_no_fault(&scene, 10);
    scene.assert_no_process_left();
}
