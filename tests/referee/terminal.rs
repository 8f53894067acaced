//! A person on a real pseudo-terminal: menu, line editing, Ctrl-C, width,
//! signals, deadlines.

use rustix::process::Signal;

use crate::conversation::{Conversation, TERMINAL};
use crate::support::{Bot, Scene};

const TWO_PEOPLE: &str = "play --first human --second human";
const PROMPT: &str = "Player 1 (■), your move: ";
const CONFIRM_QUIT: &str = "Quit? Ctrl-C again or y quits, Enter continues. [y/N] ";

const CTRL_C: &str = "\x03";
const CTRL_D: &str = "\x04";
const LEFT: &str = "\x1b[D";
const UP: &str = "\x1b[A";
const HOME: &str = "\x1b[H";
const BACKSPACE: &str = "\x7f";

/// Nothing that was shown is wider than the terminal.
fn assert_no_line_is_too_wide(talk: &Conversation) {
    let widest = talk
        .text()
        .lines()
        .map(|line| line.chars().count())
        .max()
        .unwrap();
    assert!(widest <= TERMINAL.1 as usize, "{widest}: {}", talk.text());
}

#[test]
fn a_whole_game_from_the_menu_and_everything_is_on_the_screen() {
    let scene = Scene::new();
    let mut talk = Conversation::on_terminal(&scene, "");
    talk.until("Which game?");
    talk.enter("");
    talk.until("One player or two? [1] ");
    talk.enter("2");
    for text in ["a1", "H1", "a2", "h2", "A3", "h3", "a4", "h4", "a5"] {
        talk.until("your move: ");
        let (line, _) = talk.cursor_line();
        assert!(line.contains("your move:"), "{line}");
        // The whole board is there, and nothing is broken by the width.
        let screen = talk.screen();
        let top = screen.iter().rposition(|line| line.starts_with("8 ")).unwrap();
        for (line, rank) in screen[top..].iter().zip("87654321".chars()) {
            assert!(
                line.starts_with(rank) && line.trim_end().ends_with(rank),
                "{screen:#?}"
            );
        }
        talk.enter(text);
        talk.until(&format!("chose move: {}\n", text.to_uppercase()));
    }
    talk.until("Player 1 won! Thank you for playing!\n");
    talk.until("or another command: ");
    assert_no_line_is_too_wide(&talk);
    talk.enter("");
    let (text, status) = talk.end();
    assert!(status.success(), "{text}");
}

#[test]
fn every_question_of_the_menu_is_narrow_enough() {
    let scene = Scene::new();
    let mut talk = Conversation::on_terminal(&scene, "");
    for question in [
        "Which game?",
        "One player or two?",
        "Are you player 1",
        "How many pieces",
        "What is the turn limit",
        "How strong is",
    ] {
        talk.until(question);
        talk.enter(if question == "Which game?" { "2" } else { "" });
    }
    talk.until("Choose piece to move: ");
    talk.enter("help");
    talk.until("quits, at any question\n");
    talk.enter("level");
    talk.until("`lodestone 0.5`\n");
    talk.enter("moves");
    talk.until(" moves: ");
    talk.until("Choose piece to move: ");
    assert_no_line_is_too_wide(&talk);
    talk.enter("q");
    assert!(talk.end().1.success());
}

#[test]
fn lines_are_edited_remembered_and_completed() {
    let scene = Scene::new();
    let mut talk = Conversation::on_terminal(&scene, TWO_PEOPLE);
    talk.until(PROMPT);
    talk.type_keys("b6");
    talk.until_cursor_line("Player 1 (■), your move: b6");
    talk.type_keys(LEFT);
    talk.type_keys(BACKSPACE);
    talk.until_cursor_line("Player 1 (■), your move: 6");
    talk.type_keys(HOME);
    talk.enter("a");
    talk.until("Player 1 chose move: A6\n");

    talk.until("Player 2 (□), your move: ");
    talk.enter("c6");
    talk.until("C6 touches neither a wall nor a brick\n");
    talk.until("Player 2 (□), your move: ");
    talk.type_keys(UP);
    talk.until_cursor_line("Player 2 (□), your move: c6");
    talk.type_keys(UP);
    talk.until_cursor_line("Player 2 (□), your move: a6");
    talk.type_keys("\x15");
    talk.until_cursor_line("Player 2 (□), your move:");

    // One completion is taken, several are listed; capitals stay capitals.
    talk.type_keys("B6\t");
    talk.until_cursor_line("Player 2 (□), your move: B6");
    talk.type_keys("\x15FL\t");
    talk.until_cursor_line("Player 2 (□), your move: FLIP");
    talk.type_keys("\x15h\t\t");
    talk.until("h8 ");
    talk.until("hint");
    talk.type_keys("\x15mov\t");
    talk.until_cursor_line("Player 2 (□), your move: moves");
    talk.enter("");
    talk.until("16 moves: A8 H8 A7 H7 B6 H6 ");

    // Files are completed behind `save` and `load`.
    scene.file("saved game", "");
    talk.until("Player 2 (□), your move: ");
    talk.type_keys("load sav\t");
    talk.until_cursor_line("Player 2 (□), your move: load saved game");
    talk.enter("");
    talk.until("`saved game`, end of file: the line `variant: …` is missing\n");
    talk.until("Player 2 (□), your move: ");
    talk.type_keys(CTRL_D);
    assert!(talk.end().1.success());
}

#[test]
fn ctrl_c_asks_once_at_every_question() {
    let scene = Scene::new();
    let mut talk = Conversation::on_terminal(&scene, "");
    talk.until("Which game?");
    talk.type_keys(CTRL_C);
    talk.until(CONFIRM_QUIT);
    talk.enter("");
    talk.until("Which game?");
    talk.enter("1");
    talk.until("One player or two?");
    talk.enter("2");
    talk.until(PROMPT);
    talk.type_keys("a");
    talk.type_keys(CTRL_C);
    talk.until(CONFIRM_QUIT);
    talk.enter("n");
    talk.until(PROMPT);
    talk.enter("a8");
    talk.until("Player 1 chose move: A8\n");
    talk.until("Player 2 (□), your move: ");
    talk.type_keys(CTRL_C);
    talk.until(CONFIRM_QUIT);
    talk.enter("y");
    assert_eq!(
        talk.end().1.code(),
        Some(0),
        "a person who says so leaves in peace"
    );

    let mut talk = Conversation::on_terminal(&scene, TWO_PEOPLE);
    talk.until(PROMPT);
    talk.type_keys(CTRL_C);
    talk.until(CONFIRM_QUIT);
    talk.type_keys(CTRL_C);
    assert_eq!(talk.end().1.code(), Some(130));
}

#[test]
fn ctrl_c_asks_while_the_engine_thinks_and_the_game_can_go_on() {
    let scene = Scene::new();
    let bot = scene.bot(
        "bot",
        Bot::thinking("if first_start; then sleep 60; else echo bestmove h1; fi"),
    );
    let mut talk = Conversation::on_terminal(&scene, &format!("play --first human --second {bot}"));
    talk.until(PROMPT);
    talk.enter("a1");
    talk.until("1[■]");
    talk.until("\n\n");
    talk.type_keys(CTRL_C);
    talk.until(CONFIRM_QUIT);
    talk.enter("");
    talk.until("Player 2 chose move: H1\n");
    talk.until(PROMPT);
    talk.enter("undo");
    talk.until("Taken back: A1 H1\n");
    talk.until(PROMPT);
    talk.type_keys(CTRL_D);
    assert!(talk.end().1.success());
    scene.assert_nobody_left();

    let slow = scene.bot("slow", Bot::thinking("sleep 60"));
    let mut talk = Conversation::on_terminal(&scene, &format!("play --first {slow} --second human"));
    talk.until("1 · ");
    talk.until("\n\n");
    talk.type_keys(CTRL_C);
    talk.until(CONFIRM_QUIT);
    talk.type_keys(CTRL_C);
    assert_eq!(talk.end().1.code(), Some(130));
    scene.assert_nobody_left();
}

#[test]
fn ctrl_c_asks_while_advice_is_awaited() {
    let scene = Scene::new();
    let mut talk = Conversation::on_terminal(&scene, TWO_PEOPLE);
    talk.until(PROMPT);
    talk.enter("hint");
    talk.until("hint\n");
    talk.type_keys(CTRL_C);
    talk.until(CONFIRM_QUIT);
    talk.enter("");
    talk.until("Cancelled.\n");
    talk.until(PROMPT);
    talk.enter("hint");
    talk.until("Hint: ");
    talk.until(PROMPT);
    talk.type_keys(CTRL_D);
    assert!(talk.end().1.success());
}

#[test]
fn signals_are_heard_at_the_prompt_and_the_terminal_is_left_as_it_was() {
    let scene = Scene::new();
    for (signal, status) in [(Signal::TERM, 143), (Signal::INT, 130)] {
        let mut talk = Conversation::on_terminal(&scene, TWO_PEOPLE);
        talk.until(PROMPT);
        talk.type_keys("a");
        talk.until_cursor_line("Player 1 (■), your move: a");
        assert!(!talk.terminal_echoes(), "keys come one by one");
        talk.kill(signal);
        if signal == Signal::INT {
            talk.until(CONFIRM_QUIT);
            talk.kill(signal);
        }
        let (_, ended) = talk.finish();
        assert!(talk.terminal_echoes());
        assert_eq!(ended.code(), Some(status));
    }
}

#[test]
fn time_runs_out_at_the_prompt_with_half_a_line_typed() {
    let scene = Scene::new();
    let line = "match --engine cmd=human st=0.4 --engine cmd=random st=5 --games 1 --out games.jsonl";
    let mut talk = Conversation::on_terminal(&scene, line);
    talk.until("human (■), your move: ");
    talk.type_keys("a");
    talk.until("random (□) wins: human gave no move within 0.400 s (0-1, stall)\n");
    talk.until("Score of human vs random: 0 - 1 - 0");
    assert_eq!(talk.end().1.code(), Some(0));
    assert_eq!(scene.records()[0]["reason"], "stall");
}

#[test]
fn a_narrow_terminal_and_one_that_changes_its_size_will_do() {
    let scene = Scene::new();
    let mut talk = Conversation::on_terminal(&scene, TWO_PEOPLE);
    talk.until(PROMPT);
    talk.resize(10, 30);
    talk.enter("a1");
    talk.until("Player 1 chose move: A1\n");
    talk.until("Player 2 (□), your move: ");
    talk.type_keys("this is longer than a line of the terminal");
    talk.resize(24, 20);
    talk.enter("");
    talk.until("is no move");
    talk.until("Player 2 (□), your move: ");
    talk.enter("h1");
    talk.until("Player 2 chose move: H1\n");
    talk.enter("q");
    assert!(talk.end().1.success());
}

#[test]
fn a_terminal_has_colours_unless_they_are_unwanted() {
    let scene = Scene::new();
    let blue = b"\x1b[36m";
    for (line, variables, coloured) in [
        (TWO_PEOPLE.to_string(), [("X", "")], true),
        (TWO_PEOPLE.to_string(), [("NO_COLOR", "1")], false),
        (
            format!("{TWO_PEOPLE} --color never"),
            [("CLICOLOR_FORCE", "1")],
            false,
        ),
        (format!("{TWO_PEOPLE} --color always"), [("NO_COLOR", "1")], true),
    ] {
        let mut talk = Conversation::on_terminal_with(&scene, &line, &variables);
        talk.until(PROMPT);
        talk.enter("a1");
        talk.until("\n1[■]·");
        assert_eq!(
            talk.raw().windows(blue.len()).any(|bytes| bytes == blue),
            coloured,
            "{line} {variables:?}"
        );
        talk.type_keys(CTRL_D);
    }
}

#[test]
fn a_simple_terminal_gets_plain_lines_and_ctrl_c_still_asks() {
    let scene = Scene::new();
    let mut talk = Conversation::on_terminal_with(&scene, TWO_PEOPLE, &[("TERM", "dumb")]);
    talk.until(PROMPT);
    assert!(talk.terminal_echoes(), "the terminal edits by itself");
    talk.enter("a1");
    talk.until("Player 1 chose move: A1\n");
    talk.until("Player 2 (□), your move: ");
    talk.type_keys(CTRL_C);
    talk.until(CONFIRM_QUIT);
    talk.enter("y");
    assert_eq!(talk.end().1.code(), Some(0));
}

#[test]
fn whatever_keys_are_pressed_the_prompt_is_there() {
    let scene = Scene::new();
    let mut talk = Conversation::on_terminal(&scene, TWO_PEOPLE);
    talk.until(PROMPT);
    talk.type_bytes(b"\xff\r");
    talk.until("That is not UTF-8 text.\n");
    talk.until(PROMPT);
    // Pasted, as terminals tell.
    let long = "x".repeat(70_000);
    talk.enter(&format!("\x1b[200~{long}\x1b[201~"));
    talk.until("That line is too long.\n");
    talk.enter("шесть");
    talk.until("`шесть` is no move");
    let mut random = lodestone::random::Random::new(1);
    // All keys but those that leave, suspend or stop the output, and Enter;
    // nor `q`, which leaves where other keys delete what stands beside it.
    let keys: Vec<char> = (1..0x80_u8)
        .map(char::from)
        .filter(|key| !"\x03\x04\x0a\x0d\x11\x13\x1a\x1cqQ".contains(*key))
        .chain("äß中🧲\u{202e}".chars())
        .collect();
    for _ in 0..1000 {
        let line: String = (0..random.below(20))
            .map(|_| *random.choose(&keys).unwrap())
            .collect();
        talk.type_keys(&format!("{line}\r"));
    }
    // Whatever half of a command is open, this ends it.
    talk.type_keys("\x1b\x07\r\x15");
    talk.enter("help");
    talk.until("this list\n");
    talk.type_keys(CTRL_C);
    talk.until(CONFIRM_QUIT);
    talk.enter("y");
    assert!(talk.end().1.success());
}
