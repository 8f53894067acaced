//! Games by hand on a pseudo-terminal: menu, line editing, Ctrl-C, width, signals,
//! deadlines.

use rustix::process::Signal;

use crate::driver::{Driver, TERMINAL};
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

/// Asserts that no line is wider than the terminal.
fn assert_no_line_is_too_wide(program: &Driver) {
    let widest = program
        .text()
        .lines()
        .map(|line| line.chars().count())
        .max()
        .unwrap();
    assert!(widest <= TERMINAL.1 as usize, "{widest}: {}", program.text());
}

/// Answers the offer to save the game with no, and waits for the end.
fn end_unsaved(mut program: Driver) -> (String, std::process::ExitStatus) {
    program.until("does not: ");
    program.enter("");
    program.end()
}

#[test]
fn plays_a_whole_game_from_the_menu() {
    let scene = Scene::new();
    let mut program = Driver::on_terminal(&scene, "");
    program.until("Which game?");
    program.enter("");
    program.until("One player or two? [1] ");
    program.enter("2");
    for text in ["a1", "H1", "a2", "h2", "A3", "h3", "a4", "h4", "a5"] {
        program.until("your move: ");
        let (line, _) = program.cursor_line();
        assert!(line.contains("your move:"), "{line}");
        // The whole board is on the screen, and no row is wrapped.
        let screen = program.screen();
        let top = screen.iter().rposition(|line| line.starts_with("8 ")).unwrap();
        for (line, rank) in screen[top..].iter().zip("87654321".chars()) {
            assert!(
                line.starts_with(rank) && line.trim_end().ends_with(rank),
                "{screen:#?}"
            );
        }
        program.enter(text);
        program.until(&format!("chose move: {}\n", text.to_uppercase()));
    }
    program.until("Player 1 won! Thank you for playing!\n");
    program.until("or another command: ");
    assert_no_line_is_too_wide(&program);
    program.enter("");
    let (text, status) = program.end();
    assert!(status.success(), "{text}");
}

#[test]
fn every_question_of_the_menu_fits_the_terminal() {
    let scene = Scene::new();
    let mut program = Driver::on_terminal(&scene, "");
    for question in [
        "Which game?",
        "One player or two?",
        "Are you player 1",
        "How many pieces",
        "What is the turn limit",
        "How strong is",
    ] {
        program.until(question);
        program.enter(if question == "Which game?" { "2" } else { "" });
    }
    program.until("Choose piece to move: ");
    program.enter("help");
    program.until("quits, at any question\n");
    program.enter("level");
    program.until("`lodestone 0.5`\n");
    program.enter("moves");
    program.until(" moves: ");
    program.until("Choose piece to move: ");
    assert_no_line_is_too_wide(&program);
    program.enter("q");
    assert!(program.end().1.success());
}

#[test]
fn edits_recalls_and_completes_lines() {
    let scene = Scene::new();
    let mut program = Driver::on_terminal(&scene, TWO_PEOPLE);
    program.until(PROMPT);
    program.type_keys("b6");
    program.until_cursor_line("Player 1 (■), your move: b6");
    program.type_keys(LEFT);
    program.type_keys(BACKSPACE);
    program.until_cursor_line("Player 1 (■), your move: 6");
    program.type_keys(HOME);
    program.enter("a");
    program.until("Player 1 chose move: A6\n");

    program.until("Player 2 (□), your move: ");
    program.enter("c6");
    program.until("C6 touches neither a wall nor a brick\n");
    program.until("Player 2 (□), your move: ");
    program.type_keys(UP);
    program.until_cursor_line("Player 2 (□), your move: c6");
    program.type_keys(UP);
    program.until_cursor_line("Player 2 (□), your move: a6");
    program.type_keys("\x15");
    program.until_cursor_line("Player 2 (□), your move:");

    // Tab completes a unique word and lists several; capitals stay capitals.
    program.type_keys("B6\t");
    program.until_cursor_line("Player 2 (□), your move: B6");
    program.type_keys("\x15FL\t");
    program.until_cursor_line("Player 2 (□), your move: FLIP");
    program.type_keys("\x15h\t\t");
    program.until("h8 ");
    program.until("hint");
    program.type_keys("\x15mov\t");
    program.until_cursor_line("Player 2 (□), your move: moves");
    program.enter("");
    program.until("16 moves: A8 H8 A7 H7 B6 H6 ");

    // Tab completes files after `save` and `load`.
    scene.file("saved game", "");
    program.until("Player 2 (□), your move: ");
    program.type_keys("load sav\t");
    program.until_cursor_line("Player 2 (□), your move: load saved game");
    program.enter("");
    program.until("`saved game`, end of file: the line `variant: …` is missing\n");
    program.until("Player 2 (□), your move: ");
    program.type_keys(CTRL_D);
    assert!(end_unsaved(program).1.success());
}

#[test]
fn ctrl_c_at_a_question_asks_whether_to_quit() {
    let scene = Scene::new();
    let mut program = Driver::on_terminal(&scene, "");
    program.until("Which game?");
    program.type_keys(CTRL_C);
    program.until(CONFIRM_QUIT);
    program.enter("");
    program.until("Which game?");
    program.enter("1");
    program.until("One player or two?");
    program.enter("2");
    program.until(PROMPT);
    program.type_keys("a");
    program.type_keys(CTRL_C);
    program.until(CONFIRM_QUIT);
    program.enter("n");
    program.until(PROMPT);
    program.enter("a8");
    program.until("Player 1 chose move: A8\n");
    program.until("Player 2 (□), your move: ");
    program.type_keys(CTRL_C);
    program.until(CONFIRM_QUIT);
    program.enter("y");
    assert_eq!(end_unsaved(program).1.code(), Some(0), "quitting is not an error");

    let mut program = Driver::on_terminal(&scene, TWO_PEOPLE);
    program.until(PROMPT);
    program.type_keys(CTRL_C);
    program.until(CONFIRM_QUIT);
    program.type_keys(CTRL_C);
    assert_eq!(program.end().1.code(), Some(130));
}

#[test]
fn ctrl_c_asks_whether_to_quit_while_the_engine_thinks() {
    let scene = Scene::new();
    let bot = scene.bot(
        "bot",
        Bot::thinking("if first_start; then sleep 60; else echo bestmove h1; fi"),
    );
    let mut program = Driver::on_terminal(&scene, &format!("play --first human --second {bot}"));
    program.until(PROMPT);
    program.enter("a1");
    program.until("1[■]");
    program.until("\n\n");
    program.type_keys(CTRL_C);
    program.until(CONFIRM_QUIT);
    program.enter("");
    program.until("Player 2 chose move: H1\n");
    program.until(PROMPT);
    program.enter("undo");
    program.until("Taken back: A1 H1\n");
    program.until(PROMPT);
    program.type_keys(CTRL_D);
    assert!(program.end().1.success());
    scene.assert_no_bot_left();

    let slow = scene.bot("slow", Bot::thinking("sleep 60"));
    let mut program = Driver::on_terminal(&scene, &format!("play --first {slow} --second human"));
    program.until("1 · ");
    program.until("\n\n");
    program.type_keys(CTRL_C);
    program.until(CONFIRM_QUIT);
    program.type_keys(CTRL_C);
    assert_eq!(program.end().1.code(), Some(130));
    scene.assert_no_bot_left();
}

#[test]
fn ctrl_c_cancels_a_hint() {
    let scene = Scene::new();
    let mut program = Driver::on_terminal(&scene, TWO_PEOPLE);
    program.until(PROMPT);
    // A hint takes a second; on a busy machine Ctrl-C may come after it.
    let is_cancelled = (0..20).any(|_| {
        program.enter("hint");
        program.until(" is thinking: ");
        program.type_keys(CTRL_C);
        program.until(CONFIRM_QUIT);
        program.enter("");
        program.until(PROMPT).contains("Cancelled.\n")
    });
    assert!(is_cancelled);
    program.enter("hint");
    program.until("Hint: ");
    program.until(PROMPT);
    program.type_keys(CTRL_D);
    assert!(program.end().1.success());
}

#[test]
fn signals_end_the_prompt_and_restore_the_terminal() {
    let scene = Scene::new();
    for (signal, status) in [(Signal::TERM, 143), (Signal::INT, 130)] {
        let mut program = Driver::on_terminal(&scene, TWO_PEOPLE);
        program.until(PROMPT);
        program.type_keys("a");
        program.until_cursor_line("Player 1 (■), your move: a");
        assert!(!program.terminal_echoes(), "the terminal is in raw mode");
        program.kill(signal);
        if signal == Signal::INT {
            program.until(CONFIRM_QUIT);
            program.kill(signal);
        }
        let (_, ended) = program.finish();
        assert!(program.terminal_echoes());
        assert_eq!(ended.code(), Some(status));
    }
}

#[test]
fn the_deadline_ends_a_half_typed_line() {
    let scene = Scene::new();
    let line = "match --engine cmd=human st=0.4 --engine cmd=random st=5 --games 1 --out games.jsonl";
    let mut program = Driver::on_terminal(&scene, line);
    program.until("human (■), your move: ");
    program.type_keys("a");
    program.until("random (□) wins: human gave no move within 0.400 s (0-1, stall)\n");
    program.until("Score of human vs random: 0 - 1 - 0");
    assert_eq!(program.end().1.code(), Some(0));
    assert_eq!(scene.records()[0]["reason"], "stall");
}

#[test]
fn works_on_a_terminal_that_becomes_narrow() {
    let scene = Scene::new();
    let mut program = Driver::on_terminal(&scene, TWO_PEOPLE);
    program.until(PROMPT);
    program.resize(10, 30);
    program.enter("a1");
    program.until("Player 1 chose move: A1\n");
    program.until("Player 2 (□), your move: ");
    program.type_keys("this is longer than a line of the terminal");
    program.resize(24, 20);
    program.enter("");
    program.until("is no move");
    program.until("move: ");
    program.enter("h1");
    program.until("H1\n");
    program.enter("q");
    assert!(end_unsaved(program).1.success());
}

#[test]
fn uses_colours_unless_they_are_off() {
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
        let mut program = Driver::on_terminal_with(&scene, &line, &variables);
        program.until(PROMPT);
        program.enter("a1");
        program.until("\n1[■]·");
        assert_eq!(
            program.raw().windows(blue.len()).any(|bytes| bytes == blue),
            coloured,
            "{line} {variables:?}"
        );
        program.type_keys(CTRL_D);
    }
}

#[test]
fn reads_plain_lines_on_a_dumb_terminal() {
    let scene = Scene::new();
    let mut program = Driver::on_terminal_with(&scene, TWO_PEOPLE, &[("TERM", "dumb")]);
    program.until(PROMPT);
    assert!(program.terminal_echoes(), "the terminal edits the line");
    program.enter("a1");
    program.until("Player 1 chose move: A1\n");
    program.until("Player 2 (□), your move: ");
    program.type_keys(CTRL_C);
    program.until(CONFIRM_QUIT);
    program.enter("y");
    assert_eq!(program.end().1.code(), Some(0));
}

#[test]
fn survives_random_keys() {
    let scene = Scene::new();
    let mut program = Driver::on_terminal(&scene, TWO_PEOPLE);
    program.until(PROMPT);
    program.type_bytes(b"\xff\r");
    program.until("That is not UTF-8 text.\n");
    program.until(PROMPT);
    // A bracketed paste.
    let long = "x".repeat(70_000);
    program.enter(&format!("\x1b[200~{long}\x1b[201~"));
    program.until("That line is too long.\n");
    program.enter("шесть");
    program.until("`шесть` is no move");
    let mut random = lodestone::random::Random::new(1);
    // All keys except Enter and those that quit, suspend or stop the output. `q` is
    // excluded because editing keys may leave it alone on the line, which quits.
    let keys: Vec<char> = (1..0x80_u8)
        .map(char::from)
        .filter(|key| !"\x03\x04\x0a\x0d\x11\x13\x1a\x1cqQ".contains(*key))
        .chain("äß中🧲\u{202e}".chars())
        .collect();
    for _ in 0..1000 {
        let line: String = (0..random.below(20))
            .map(|_| *random.choose(&keys).unwrap())
            .collect();
        program.type_keys(&format!("{line}\r"));
    }
    // Ends any unfinished editing command.
    program.type_keys("\x1b\x07\r\x15");
    program.enter("help");
    program.until("this list\n");
    program.type_keys(CTRL_C);
    program.until(CONFIRM_QUIT);
    program.enter("y");
    assert!(program.end().1.success());
}
