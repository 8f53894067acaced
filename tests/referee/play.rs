//! Games by hand, through pipes.

use std::io::Write;
use std::process::Stdio;
use std::time::{Duration, Instant};

use lodestone::game::{Setup, Variant};
use lodestone::random::Random;
use rustix::process::Signal;

use crate::driver::Driver;
use crate::support::{Bot, Scene, assert_ends, assert_has, assert_has_all, assert_quick, assert_starts};

/// Two people fill columns a and h; the first player wins.
const COLUMNS: &str = "a1\nH1\na2\nh2\nA3\nh3\na4\nh4\na5\n";

#[test]
fn two_people_play_a_whole_game_of_magnetic_cave() {
    let outcome = Scene::new().run_with_input("play --first human --second human", COLUMNS);
    assert_eq!((outcome.status, outcome.stderr.as_str()), (Some(0), ""));
    let shown = &outcome.stdout;
    assert_starts(&shown, "Magnetic Cave: Player 1 (■) against Player 2 (□).\n");
    assert_has(
        &shown,
        "\nPlayer 2 (□), your move: H1\nPlayer 2 chose move: H1\n\n  A B C",
    );
    assert_ends(
        &shown,
        "\n■ has five in line, A5 to A1\nPlayer 1 won! Thank you for playing!\n",
    );
    assert_has(&shown, "\n5(■)· · · · · · · 5\n4(■)· · · · · · □ 4\n");
    assert_eq!(
        shown.matches("8 · · · · · · · · 8\n").count(),
        10,
        "a board after each move"
    );
}

#[test]
fn two_people_play_a_whole_game_of_gridlock() {
    // The placement of seed 3, and random moves.
    let setup = Setup { pieces: 2, turns: 9 };
    let mut random = Random::substream(3, 1);
    let mut position = Variant::Gridlock.random_start(setup, &mut random);
    let mut input = String::new();
    while position.outcome().is_none() {
        let mv = *random.choose(&position.legal_moves()).unwrap();
        input += &(position.move_text(mv) + "\n");
        position.play(mv);
    }
    let outcome = Scene::new().run_with_input(
        "play --variant gridlock --first human --second human --pieces 2 --turns 9 --seed 3",
        &input,
    );
    let ending = position.explain(position.outcome().unwrap());
    let ending = ending.replace("x has", "X has").replace("o has", "O has");
    assert_eq!(outcome.status, Some(0));
    assert_starts(
        &outcome.stdout,
        "Gridlock: Player 1 (X) against Player 2 (O).\nThe seed of the random placement is 3.\n",
    );
    let unmarked = outcome.stdout.replace(['[', ']'], " ");
    assert!(unmarked.contains(&position.diagram().to_string()));
    outcome.shows(&ending);
}

#[test]
fn a_person_plays_either_side_against_an_engine() {
    let scene = Scene::new();
    for (seats, prompt, reply) in [
        (
            "--first human --second random",
            "Player 1 (■), your move: a1",
            " seconds to calculate move\nPlayer 2 chose move: ",
        ),
        (
            "--first random --second human",
            "Player 2 (□), your move: a1",
            " seconds to calculate move\nPlayer 1 chose move: ",
        ),
    ] {
        let outcome = scene
            .run_with_input(&format!("play {seats} --st 0.5"), "a1\na2\nquit\n")
            .succeeds();
        assert!(outcome.stdout.contains(prompt), "{}", outcome.stdout);
        assert!(outcome.stdout.contains(reply), "{}", outcome.stdout);
    }
    let outcome = scene
        .run_with_input("play --first lodestone --second random --st 0.02", "")
        .exits(0);
    assert!(outcome.stdout.contains(" won! "), "{}", outcome.stdout);
}

#[test]
fn asks_for_missing_options_until_the_answer_is_valid() {
    let scene = Scene::new();
    let outcome = scene
        .run_with_input(
            "play --variant gridlock --seed 1",
            "nobody\n./nowhere\nsquares\nHuman\n\nmany\n0\n25\n3\n1001\n\nquit\n",
        )
        .succeeds();
    let asked: Vec<&str> = outcome.stdout.lines().filter(|line| line.contains('?')).collect();
    let first =
        "Who moves first: human, lodestone, mobility, random, plain or the path of a program? [human]";
    let second =
        "Who moves second: human, lodestone, mobility, random, plain or the path of a program? [lodestone]";
    let pieces = "How many pieces does each side have, 1 to 24? [5]";
    let turns = "What is the turn limit, 1 to 1000? [40]";
    assert_eq!(
        asked,
        [
            &format!("{first} nobody"),
            &format!("{first} ./nowhere"),
            &format!("{first} squares"),
            &format!("{first} Human"),
            &format!("{second} "),
            &format!("{pieces} many"),
            &format!("{pieces} 0"),
            &format!("{pieces} 25"),
            &format!("{pieces} 3"),
            &format!("{turns} 1001"),
            &format!("{turns} "),
        ]
    );
    assert_has_all(
        &outcome.stdout,
        [
            "`nobody` is neither a built-in player",
            "`./nowhere` does not exist",
            "the built-in `squares` does not play gridlock",
            "Please enter a whole number from 1 to 24, not `25`.",
            "Please enter a whole number from 1 to 1000, not `1001`.",
        ],
    );
    let start = Variant::Gridlock.random_start(Setup { pieces: 3, turns: 40 }, &mut Random::substream(1, 1));
    outcome.shows(&start.diagram().to_string());
    assert_ends(&outcome.stdout, "Choose piece to move: quit\n");
}

#[test]
fn explains_a_wrong_move_and_asks_again() {
    let long = "a".repeat(200_000);
    let input: Vec<u8> = [
        b"b6\n".as_slice(),
        b"z9\n",
        b"\n",
        b"a1 zz\n",
        b"\xff\xfe\n",
        b"a\x1b[2J\n",
        long.as_bytes(),
        b"\na1\n",
        b"a1\n",
        "ä1\n".as_bytes(),
        b"quit",
    ]
    .concat();
    let scene = Scene::new();
    let mut command = scene.command("play --first human --second human");
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(&input).unwrap();
    let output = child.wait_with_output().unwrap();
    let shown = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{shown}");
    // Joins the lines of wrapped messages.
    let answers = shown
        .replace(",\nsuch", ", such")
        .replace("such\nas", "such as")
        .replace("as\nA6", "as A6");
    let answers: Vec<&str> = answers
        .lines()
        .filter(|line| !line.contains("your move") && !line.contains("chose move"))
        .filter(|line| !line.starts_with(|sign: char| sign == ' ' || sign.is_ascii_digit()))
        .skip(2)
        .filter(|line| !line.is_empty())
        .collect();
    let malformed = |text: &str| {
        format!(
            "`{text}` is no move: expected a column from a to h and a rank from 1 to 8, such as A6; \
             `help` lists the commands"
        )
    };
    assert_eq!(
        answers,
        [
            "B6 touches neither a wall nor a brick",
            &malformed("z9"),
            "Type a move such as A6, or `help`.",
            &malformed("a1 zz"),
            "That is not UTF-8 text.",
            &malformed("a\\u{1b}[2J"),
            "That line is too long.",
            "A1 holds a brick already",
            &malformed("ä1"),
        ]
    );
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
    let ending =
        "\nbot ended with exit status 2; on stderr: `no idea`\nPlayer 1 won! Thank you for playing!\n";
    assert!(outcome.stdout.ends_with(ending), "{}", outcome.stdout);
    scene.assert_no_bot_left();

    let outcome = scene.run_with_input("play --first ./nowhere", "").exits(3);
    assert_eq!(outcome.stdout, "", "asks nothing before the error");
}

#[test]
fn ctrl_c_ends_the_program_at_once() {
    let scene = Scene::new();
    let bot = scene.bot("bot", Bot::thinking("touch waits; sleep 60"));
    let first = format!("play --first {bot} --second human");
    for (line, text) in [
        (&*format!("play --first human --second {bot}"), "your move: "),
        (&first, ""),
        ("play", "? "),
    ] {
        assert_quick(Duration::from_millis(700), || {
            scene.remove("waits");
            let mut program = Driver::through_pipes(&scene, line);
            if text.is_empty() {
                scene.wait_for_file("waits");
            } else {
                program.until(text);
            }
            let sent = Instant::now();
            program.kill(Signal::INT);
            program.ends(130);
            sent.elapsed()
        });
    }
    scene.assert_no_bot_left();
}
