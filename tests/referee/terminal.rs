//! Games by hand on a pseudo-terminal: menu, line editing, Ctrl-C, width, signals.

use rustix::process::Signal;

use crate::driver::{CONFIRM_QUIT, CTRL_C, CTRL_D, Driver, OFFER_TO_SAVE, TERMINAL, TWO_PEOPLE};
use crate::support::{Bot, Scene};

const PROMPT: &str = "Player 1 (■), your move: ";

const LEFT: &str = "\x1b[D";
const UP: &str = "\x1b[A";
const HOME: &str = "\x1b[H";
const BACKSPACE: &str = "\x7f";

#[test]
fn plays_a_whole_game_from_the_menu() {
    let scene = Scene::new();
    let mut program = Driver::on_terminal(&scene, "");
    program.talk(
        "Which game? >
         One player or two? [1] > 2",
    );
    for text in ["a1", "H1", "a2", "h2", "A3", "h3", "a4", "h4", "a5"] {
        program.until("your move: ");
        let (line, _) = program.cursor_line();
        assert!(line.contains("your move:"), "{line}");
        // The whole board is on the screen, and no row is wrapped.
        let screen = program.screen();
        let top = screen.iter().rposition(|line| line.starts_with("8 ")).unwrap();
        for (line, rank) in screen[top..].iter().zip("87654321".chars()) {
            let is_row = line.starts_with(rank) && line.trim_end().ends_with(rank);
            assert!(is_row, "{screen:#?}");
        }
        program.enter(text);
        program.until(&format!("chose move: {}\n", text.to_uppercase()));
    }
    program.talk(
        "Player 1 won! Thank you for playing!
         or another command:",
    );
    let lines = program.text().lines().map(|line| line.chars().count());
    assert!(lines.max().unwrap() <= TERMINAL.1 as usize, "{}", program.text());
    program.enter("");
    program.ends(0);
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
    program.talk(
        "> a
         Player 1 chose move: A6
         Player 2 (□), your move: > c6
         C6 touches neither a wall nor a brick
         Player 2 (□), your move:",
    );
    // Tab completes a unique word and lists several; capitals stay capitals.
    for (keys, line) in [
        (UP, " c6"),
        (UP, " a6"),
        ("\x15", ""),
        ("B6\t", " B6"),
        ("\x15FL\t", " FLIP"),
    ] {
        program.type_keys(keys);
        program.until_cursor_line(&format!("Player 2 (□), your move:{line}"));
    }
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
    program.talk(
        ">
         `saved game`, end of file: the line `variant: …` is missing
         Player 2 (□), your move:",
    );
    program.leaves_unsaved();
}

#[test]
fn ctrl_c_at_a_question_asks_whether_to_quit() {
    let scene = Scene::new();
    let mut program = Driver::on_terminal(&scene, "");
    program.talk(
        "Which game?
         ^C
         Quit? Ctrl-C again or y quits, Enter continues. [y/N] >
         Which game? > 1
         One player or two? > 2
         Player 1 (■), your move:",
    );
    program.type_keys("a");
    program.talk(
        "^C
         Quit? Ctrl-C again or y quits, Enter continues. [y/N] > n
         Player 1 (■), your move: > a8
         Player 1 chose move: A8
         Player 2 (□), your move:
         ^C
         Quit? Ctrl-C again or y quits, Enter continues. [y/N] > y
         does not: >",
    );
    program.ends(0);
}

#[test]
fn ctrl_c_asks_whether_to_quit_while_the_engine_thinks() {
    let scene = Scene::new();
    let go = "if first_start; then sleep 60; else echo bestmove h1; fi";
    let bot = scene.bot("bot", Bot::thinking(go));
    let mut program = Driver::on_terminal(&scene, &format!("play --first human --second {bot}"));
    program.talk(
        "Player 1 (■), your move: > a1
         1[■]",
    );
    program.until("\n\n");
    program.talk(
        "^C
         Quit? Ctrl-C again or y quits, Enter continues. [y/N] >
         Player 2 chose move: H1
         Player 1 (■), your move: > undo
         Taken back: A1 H1
         Player 1 (■), your move:
         ^D",
    );
    program.ends(0);
    scene.assert_no_bot_left();
}

#[test]
fn ctrl_c_and_q_cancel_a_hint() {
    let scene = Scene::new();
    let mut program = Driver::on_terminal(&scene, TWO_PEOPLE);
    program.until(PROMPT);
    // A hint takes a second; on a busy machine Ctrl-C may come after it.
    let is_cancelled = (0..20).any(|_| {
        program.talk(
            "> hint
             is thinking:
             ^C",
        );
        program.until(CONFIRM_QUIT);
        program.enter("");
        program.until(PROMPT).contains("Cancelled.\n")
    });
    assert!(is_cancelled);
    program.talk(
        "> hint
         Hint:
         Player 1 (■), your move: > hint
         is thinking:",
    );
    program.type_keys("q");
    program.ends(0);
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
        program.ends(status);
        assert!(program.terminal_echoes());
    }
}

#[test]
fn uses_colours_unless_they_are_off() {
    let scene = Scene::new();
    let blue = b"\x1b[36m";
    for (option, variable, coloured) in [
        ("", ("X", ""), true),
        ("", ("NO_COLOR", "1"), false),
        (" --color never", ("CLICOLOR_FORCE", "1"), false),
        (" --color always", ("NO_COLOR", "1"), true),
    ] {
        let line = format!("{TWO_PEOPLE}{option}");
        let mut program = Driver::on_terminal_with(&scene, &line, &[variable]);
        program.talk(
            "Player 1 (■), your move: > a1
             1[■]·",
        );
        let found = program.raw().windows(blue.len()).any(|bytes| bytes == blue);
        assert_eq!(found, coloured, "{line} {variable:?}");
        program.type_keys(CTRL_D);
    }
}

#[test]
fn reads_plain_lines_on_a_dumb_terminal() {
    let scene = Scene::new();
    let mut program = Driver::on_terminal_with(&scene, TWO_PEOPLE, &[("TERM", "dumb")]);
    program.until(PROMPT);
    assert!(program.terminal_echoes(), "the terminal edits the line");
    program.talk(
        "> a1
         Player 1 chose move: A1
         Player 2 (□), your move:
         ^C
         Quit? Ctrl-C again or y quits, Enter continues. [y/N] > y",
    );
    program.ends(0);
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
    // With a move in the game, leaving it always offers to save it, also when the random keys play another.
    program.enter("a1");
    program.until("Player 2 (□), your move:");
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
    program.talk(&format!("{CONFIRM_QUIT}> y\n{OFFER_TO_SAVE}>"));
    program.ends(0);
}
