//! Games by hand, through pipes.

use lodestone_game::random::Random;
use lodestone_game::{Setup, Variant};
use rustix::process::Signal;

use crate::driver::{Driver, TWO_PEOPLE};
use crate::support::{Bot, Scene, assert_ends, assert_has, expect, joined};

#[test]
fn asks_for_missing_options_until_the_answer_is_valid() {
    let scene = Scene::new();
    let mut program = Driver::through_pipes(&scene, "play --variant gridlock --seed 1");
    let script = expect![[r#"
        Who moves first: human, lodestone, mobility, random, plain or the path of a program? [human] > nobody
        `nobody` is neither a file nor a program in PATH nor a built-in player
        Who moves first: human, lodestone, mobility, random, plain or the path of a program? [human] > ./nowhere
        `./nowhere` does not exist
        Who moves first: human, lodestone, mobility, random, plain or the path of a program? [human] > squares
        the built-in `squares` does not play gridlock
        Who moves first: human, lodestone, mobility, random, plain or the path of a program? [human] > Human
        Who moves second: human, lodestone, mobility, random, plain or the path of a program? [lodestone] >
        How many pieces does each side have, 1 to 24? [5] > many
        How many pieces does each side have, 1 to 24? [5] > 0
        How many pieces does each side have, 1 to 24? [5] > 25
        Please enter a whole number from 1 to 24, not `25`.
        How many pieces does each side have, 1 to 24? [5] > 3
        What is the turn limit, 1 to 1000? [40] > 1001
        Please enter a whole number from 1 to 1000, not `1001`.
        What is the turn limit, 1 to 1000? [40] >
        Choose piece to move: > quit
    "#]];
    program.talk(script);
    let shown = program.ends(0);
    let questions = shown.lines().filter(|line| line.contains('?')).count();
    assert_eq!(questions, 11, "{shown}");
    let start = Variant::Gridlock.random_start(Setup { pieces: 3, turns: 40 }, &mut Random::substream(1, 1));
    assert_has(&shown, start.diagram().to_string());
    assert_ends(&shown, "Choose piece to move: quit\n");
}

#[test]
fn explains_a_wrong_move_and_asks_again() {
    let mut program = Driver::through_pipes(&Scene::new(), TWO_PEOPLE);
    program.talk(expect![[r#"
        > b6
        B6 touches neither a wall nor a brick
        > z9
        `z9` is not a move: expected a column from a to h and a rank from 1 to 8, such as A6; `help` lists the commands
        >
        Type a move such as A6, or `help`.
        > a1 zz
        `a1 zz` is not a move: expected a column
        > ä1
        `ä1` is not a move: expected a column
        > a1
        > a1
        A1 holds a brick already
    "#]]);
    program.type_bytes(b"\xff\xfe\na\x1b[2J\n");
    program.enter(&"a".repeat(200_000));
    program.talk(expect![[r#"
        That is not UTF-8 text.
        `a\u{1b}[2J` is not a move: expected a column
        That line is too long.
    "#]]);
    program.type_keys("quit");
    program.close();
    let shown = program.ends(0);
    assert_eq!(shown.matches("your move:").count(), 11, "{shown}");
    assert_eq!(shown.matches(" chose move").count(), 1);
}

#[test]
fn quits_cleanly_at_every_question() {
    let scene = Scene::new();
    let answers = ["human\n", "random\n", "5\n", "40\n"];
    for known in 0..=answers.len() {
        for end in ["", "quit\n", "QUIT", " Quit \n"] {
            let input = answers[..known].concat() + end;
            scene.run_with_input("play --variant gridlock", &input).succeeds();
        }
    }
}

#[test]
fn reports_an_engine_that_fails() {
    let scene = Scene::new();
    let bot = scene.bot("bot", Bot::thinking("echo 'no idea' >&2; exit 2"));
    let outcome = scene
        .run_with_input(&format!("play --first human --second {bot}"), "a1\n")
        .exits(0);
    assert_has(
        joined(&outcome.stdout),
        expect! {"bot ended with exit status 2; on stderr: `no idea` Player 1 won! Thank you for playing!"},
    );
    scene.assert_no_bot_left();

    let outcome = scene.run_with_input("play --first ./nowhere", "").exits(3);
    assert_eq!(outcome.stdout, "", "asks nothing before the error");
    let engines = "play --first lodestone --second random --st 0.02";
    scene.run_with_input(engines, "").exits(0).shows(" won! ");
}

#[test]
fn ctrl_c_ends_the_program_at_once() {
    let scene = Scene::new();
    scene.bot("bot", Bot::thinking("touch waits; sleep 60; touch slept"));
    for (line, text) in [
        ("play --first human --second ./bot", "your move: "),
        ("play --first ./bot --second human", ""),
        ("play", "? "),
    ] {
        let mut program = Driver::through_pipes(&scene, line);
        if text.is_empty() {
            scene.wait_for_file("waits");
        } else {
            program.until(text);
        }
        program.kill(Signal::INT);
        program.ends(130);
        assert!(!scene.path("slept").exists());
        scene.remove("waits");
    }
    scene.assert_no_bot_left();
}
