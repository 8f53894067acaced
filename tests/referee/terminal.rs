//! Games by hand on a pseudo-terminal: menu, Ctrl-C, text of any width, lines that are typed ahead.

use std::thread;
use std::time::Duration;

use crate::driver::{CONFIRM_QUIT, CTRL_C, CTRL_D, Driver, OFFER_TO_SAVE, TERMINAL, TWO_PEOPLE};
use crate::support::{Bot, COLUMN_H, Scene, expect};

const PROMPT: &str = "Player 1 (■), your move: ";

#[test]
fn plays_a_whole_game_from_the_menu() {
    let scene = Scene::new();
    let mut program = Driver::on_terminal(&scene, "");
    program.talk(expect![[r#"
        Which game? >
        One player or two? [1] > 2
    "#]]);
    for text in ["a1", "H1", "a2", "h2", "A3", "h3", "a4", "h4", "a5"] {
        program.until("your move: ");
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
    program.talk(expect![[r#"
        Player 1 won! Thank you for playing!
        or another command:
    "#]]);
    let lines = program.text().lines().map(|line| line.chars().count());
    assert!(lines.max().unwrap() <= TERMINAL.1 as usize, "{}", program.text());
    program.enter("");
    program.ends(0);
}

#[test]
fn ctrl_c_at_a_question_asks_whether_to_quit() {
    let scene = Scene::new();
    let mut program = Driver::on_terminal(&scene, "");
    program.talk(expect![[r#"
        Which game?
        ^C
        Quit? Ctrl-C again or y quits, Enter continues. [y/N] >
        Which game? > 1
        One player or two? > 2
        Player 1 (■), your move:
    "#]]);
    program.type_keys("a");
    program.talk(expect![[r#"
        ^C
        Quit? Ctrl-C again or y quits, Enter continues. [y/N] > n
        Player 1 (■), your move: > a8
        Player 1 chose move: A8
        Player 2 (□), your move:
        ^C
        Quit? Ctrl-C again or y quits, Enter continues. [y/N] > y
        does not: >
    "#]]);
    program.ends(0);
}

#[test]
fn ctrl_c_asks_whether_to_quit_while_the_engine_thinks() {
    let scene = Scene::new();
    let go = "if first_start; then sleep 60; else echo bestmove h1; fi";
    let bot = scene.bot("bot", Bot::thinking(go));
    let mut program = Driver::on_terminal(&scene, &format!("play --first human --second {bot}"));
    program.talk(expect![[r#"
        Player 1 (■), your move: > a1
        1[■]
    "#]]);
    program.until("Player 2 (□) thinks …");
    program.talk("^C");
    program.until(CONFIRM_QUIT);
    let screen = program.screen();
    assert!(!screen.iter().any(|row| row.contains("thinks")), "{screen:#?}");
    program.enter("");
    program.talk(expect![[r#"
        Player 2 chose move: H1
        Player 1 (■), your move: > undo
        Taken back: A1 H1
        Player 1 (■), your move:
        ^D
    "#]]);
    program.ends(0);
    scene.assert_no_bot_left();
}

#[test]
fn ctrl_c_cancels_a_hint() {
    let scene = Scene::new();
    let mut program = Driver::on_terminal(&scene, TWO_PEOPLE);
    program.until(PROMPT);
    // A hint takes a second; on a busy machine Ctrl-C may come before or after it.
    let is_cancelled = (0..20).any(|_| {
        program.enter("hint");
        thread::sleep(Duration::from_millis(300));
        program.type_keys(CTRL_C);
        program.until(CONFIRM_QUIT);
        program.enter("");
        program.until(PROMPT).contains("Cancelled.\n")
    });
    assert!(is_cancelled);
    program.talk(expect![[r#"
        > hint
        Hint:
        Player 1 (■), your move: > q
    "#]]);
    program.ends(0);
}

#[test]
fn lines_typed_while_the_engine_thinks_are_the_next_answers() {
    let scene = Scene::new();
    let go = "touch asked; until [ -e go ]; do sleep 0.05; done; echo bestmove h$thinks";
    let bot = scene.bot("bot", Bot::thinking(go));
    let line = format!("play --first human --second {bot} --st 60");
    let mut program = Driver::on_terminal(&scene, &line);
    program.talk(expect! {"Player 1 (■), your move: > a1"});
    scene.wait_for_file("asked");
    program.enter("a2");
    program.enter("quit");
    scene.file("go", "");
    program.talk(expect![[r#"
        Player 2 chose move: H1
        Player 1 (■), your move: a2
        Player 2 chose move: H2
        Player 1 (■), your move: quit
        does not: >
    "#]]);
    program.ends(0);
    scene.assert_no_bot_left();
}

#[test]
fn a_terminal_shows_who_thinks_and_a_pipe_does_not() {
    let scene = Scene::new();
    let go = "echo info depth 7 score cp 35 pv h1 a2; until [ -e go ]; do sleep 0.05; done; echo bestmove h1";
    let bot = scene.bot("bot", Bot::thinking(go));
    let line = format!("play --first human --second {bot} --st 60");
    let mut program = Driver::on_terminal(&scene, &line);
    program.talk(expect! {"Player 1 (■), your move: > a1"});
    program.until("Player 2 (□) thinks …");
    program.until_screen("what it has found", |screen| {
        screen
            .iter()
            .any(|row| row.contains(" | depth 7 | score +0.35 | H1 A2"))
    });
    let is_thinking = |screen: Vec<String>| screen.iter().any(|row| row.contains("thinks"));
    assert!(is_thinking(program.screen()));
    scene.file("go", "");
    program.talk("Player 2 chose move: H1");
    program.until(PROMPT);
    assert!(!is_thinking(program.screen()), "{:#?}", program.screen());
    program.talk(expect![[r#"
        > hint
        lodestone thinks …
        Hint:
        Player 1 (■), your move:
    "#]]);
    program.leaves_unsaved();

    let mut piped = Driver::through_pipes(&scene, &line);
    piped.talk(expect![[r#"
        Player 1 (■), your move: > a1
        Player 2 chose move: H1
        Player 1 (■), your move: > quit
    "#]]);
    assert!(!piped.ends(0).contains("thinks"));
}

#[test]
fn a_clock_ends_a_line_that_has_no_end() {
    let scene = Scene::new();
    let line = "match --engine cmd=human tc=3 name=Ann --engine cmd=random --games 1 --out games.jsonl";
    let mut program = Driver::on_terminal(&scene, line);
    program.until("[0:03.0] Ann (■), your move: ");
    program.type_keys("a");
    program.talk(expect![[r#"
        random (□) wins: Ann sent no move within 3.000 s (0-1, stall)
        Score of Ann vs random: 0 - 1 - 0
    "#]]);
    program.ends(0);
    assert_eq!(scene.records()[0]["reason"], "stall");
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
        program.talk(expect![[r#"
            Player 1 (■), your move: > a1
            1[■]·
        "#]]);
        let found = program.raw().windows(blue.len()).any(|bytes| bytes == blue);
        assert_eq!(found, coloured, "{line} {variable:?}");
        program.type_keys(CTRL_D);
    }
}

#[test]
fn an_error_has_colours_unless_it_may_quote_escape_sequences() {
    let scene = Scene::new();
    for (word, coloured) in [("--bad", true), ("--bad$(printf '\\033[41m')", false)] {
        let mut program = Driver::shell_on_terminal(&scene, &format!("$REFEREE match {word}"), (24, 80));
        program.until("try '--help'.");
        assert_eq!(program.raw().contains(&0x1b), coloured, "{word}");
        program.ends(2);
    }
}

#[test]
fn survives_random_keys() {
    let scene = Scene::new();
    let mut program = Driver::on_terminal(&scene, TWO_PEOPLE);
    program.until(PROMPT);
    program.type_bytes(b"\xff\r");
    program.until("That is not UTF-8 text.\n");
    program.until(PROMPT);
    program.enter("шесть");
    program.until("`шесть` is not a move");
    // With a move in the game, leaving it always offers to save it, also when the random keys play another.
    program.enter("a1");
    program.until("Player 2 (□), your move:");
    let mut random = lodestone_game::random::Random::new(1);
    // All keys except Enter and those that quit, suspend or stop the output. `q` is
    // excluded because it may be left alone on the line, which quits.
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
    // Ends any unfinished line.
    program.type_keys("\x07\r\x15");
    program.enter("help");
    program.until("this list\n");
    program.type_keys(CTRL_C);
    program.talk(&format!("{CONFIRM_QUIT}> y\n{OFFER_TO_SAVE}>"));
    program.ends(0);
}

#[test]
fn plays_several_moves_of_a_line_and_of_a_paste() {
    let scene = Scene::new();
    let mut program = Driver::on_terminal(&scene, TWO_PEOPLE);
    program.talk(expect![[r#"
        your move: > a1 h1, a2
        Player 1 chose move: A1
        Player 2 chose move: H1
        Player 1 chose move: A2
        Player 2 (□), your move:
    "#]]);
    program.enter("h2\nb1 g1\ra3");
    for text in ["H2", "B1", "G1", "A3"] {
        program.until(&format!("chose move: {text}\n"));
    }
    // An illegal move ends the line.
    program.talk(expect![[r#"
        Player 2 (□), your move: > a4 d4 h4 list
        is not a move
        Player 2 (□), your move: > a4 d4 h4
        D4 touches neither a wall nor a brick; the rest of the line, h4, is not played
        Player 1 (■), your move:
    "#]]);
    program.leaves_unsaved();
}

#[test]
fn leaving_a_game_offers_to_save_it() {
    let scene = Scene::new();
    let bot = scene.bot("bot", Bot::thinking(COLUMN_H));
    let mut program = Driver::on_terminal(&scene, &format!("play --first human --second {bot} --st 0.5"));
    program.talk(expect![[r#"
        your move: > a1
        chose move: H1
        your move: > new
        Save this game? A file name saves it, Enter does not: > yes
        Type the name of the file, such as `game.txt`.
        Save this game? A file name saves it, Enter does not: > nowhere/game
        Not saved: `nowhere/game` cannot be written:
        Save this game? A file name saves it, Enter does not: > 'my game'
        Saved to `my game`.
        Player 1 (■), your move:
    "#]]);
    program.talk(expect![[r#"
        > a1
        chose move: H1
        your move: > q
        Save this game? A file name saves it, Enter does not: > n
    "#]]);
    program.ends(0);
    assert!(!scene.path("n").exists(), "`n` is an answer, not a file");
    assert_eq!(
        scene.text("my game"),
        format!(
            "# A saved game; `load` continues it.\nvariant: magnetic-cave\nfirst: human\nsecond: {bot} 0.5\n\
             start: 8/8/8/8/8/8/8/8 x\nmoves: a1 h1\n"
        )
    );

    // The menu asks whether the program may start, and then continues without more questions.
    let mut program = Driver::on_terminal(&scene, "");
    program.talk(expect![[r#"
        [1] > load my game
        The file names the program
        Start it? [y/N] > y
        Magnetic Cave: you are Player 1 (■), the computer (bot) is Player 2 (□).
        Player 1 (■), your move: > q
    "#]]);
    program.ends(0);
    // Otherwise it asks for the players.
    let mut program = Driver::on_terminal(&scene, "");
    program.talk(expect![[r#"
        [1] > load my game
        Start it? [y/N] >
        One player or two? [1] > 2
        Player 1 (■), your move: > q
    "#]]);
    program.ends(0);
}

#[test]
fn loading_a_game_restores_its_level() {
    let scene = Scene::new();
    let failing = scene.bot("failing", Bot::greeting("exit 3"));
    for (name, [first, second], moves) in [
        ("easy", ["easy", "human"], "moves: a6\n"),
        ("wrong", ["esay", "human"], ""),
        ("broken", ["easy", &failing], ""),
    ] {
        let head = format!("variant: magnetic-cave\nfirst: {first}\nsecond: {second}\n");
        scene.file(name, &format!("{head}start: 8/8/8/8/8/8/8/8 x\n{moves}"));
    }
    let mut program = Driver::on_terminal(&scene, TWO_PEOPLE);
    program.talk(expect![[r#"
        your move: > load wrong
        `wrong`: `esay` is neither a level
        did you mean
        your move: > load broken
        Start it? [y/N] > y
        `broken`: failing
        Player 1 (■), your move: > load broken
        Start it? [y/N] >
        Loaded `broken`, a game with 0 moves.
        Player 1 (■), your move: > level
        two people play.
        your move: > a1
        your move: > load easy
        Save this game? A file name saves it, Enter does not: >
        you are Player 2 (□), the computer (easy) is Player 1 (■).
        Loaded `easy`, a game with 1 move.
        Player 2 (□), your move: > level
        The computer is easy: looks one move ahead
        your move:
        ^D
    "#]]);
    program.ends(0);
}

mod long {
    use super::*;

    #[test]
    #[ignore = "long: .ci/run --long"]
    fn text_fits_terminals_of_every_width() {
        for width in [40, 200] {
            let scene = Scene::new();
            let mut program = Driver::on_terminal_of_size(&scene, "", (50, width));
            for question in ["saved game.", "or two?", "player 2", "1 to 24?", "1000?"] {
                program.until(question);
                program.until("] ");
                program.enter(if question == "saved game." { "2" } else { "" });
            }
            program.talk(expect![[r#"
                `lodestone 0.5`
                [3] > what?
                program
                [3] > easy
                Choose piece to move: > help
                question
                Choose piece to move: > rules
                it is a tie.
                Choose piece to move: > moves
                moves:
                Choose piece to move: > level
                `lodestone 0.5`
                Choose piece to move: > level x y
                program
                Choose piece to move: > undo x
                found
                Choose piece to move: > hint
                why
                Choose piece to move: > why
                Line:
                Choose piece to move: > what is this
                commands
                Choose piece to move:
                ^C
                [y/N]
                ^D
            "#]]);
            let text = program.ends(0);
            let raw = String::from_utf8_lossy(program.raw()).to_string();
            let shown = anstream::adapter::strip_str(&raw).to_string();
            let lines = shown.split(['\r', '\n']).map(|line| line.chars().count());
            // Long lines are hard to read.
            let widest = lines.max().unwrap();
            assert!(
                widest <= usize::from(width).min(80),
                "{widest} of {width} columns: {text}"
            );
        }
    }
}
