//! What a person sees on a pseudo-terminal: one board that is redrawn in place, clocks, the
//! line about an engine that thinks, and text that fits terminals of any width.

use crate::driver::{CTRL_D, CTRL_L, Driver, OFFER_TO_SAVE, TWO_PEOPLE};
use crate::support::{Bot, COLUMN_H, Scene};

/// The rows of the screen with the top rank of a board.
fn boards(program: &Driver) -> Vec<usize> {
    let screen = program.screen();
    let is_top = |line: &String| line.starts_with('8') && line.trim_end().ends_with('8');
    (0..screen.len()).filter(|&row| is_top(&screen[row])).collect()
}

#[test]
fn one_board_is_redrawn_in_place() {
    let scene = Scene::new();
    let mut program = Driver::on_terminal(&scene, TWO_PEOPLE);
    program.until("your move: ");
    let raw = String::from_utf8_lossy(program.raw()).to_string();
    let clear = raw.find("\x1b[2J").unwrap();
    let scrolled = raw[..clear].matches('\n').count();
    assert!(
        scrolled >= 24,
        "what the terminal showed before is scrolled out of sight"
    );
    assert!(!raw.contains("\x1b[?1049h"), "the board stays after the end");
    for text in ["a1", "h1", "a2", "h2", "a3"] {
        program.enter(text);
        program.until(&format!("chose move: {}\n", text.to_uppercase()));
        program.until("your move: ");
    }
    assert_eq!(boards(&program), [3], "{:#?}", program.screen());
    assert!(program.screen()[0].starts_with("Magnetic Cave: Player 1 (■) against"));

    // Wrong lines stay below the board; Ctrl-L removes them and keeps what is typed.
    program.talk(
        "> z9
         is no move
         your move:",
    );
    program.type_keys("b");
    program.until_cursor_line("Player 2 (□), your move: b");
    program.type_keys(CTRL_L);
    program.until("Player 1 chose move: A3\n");
    program.until_cursor_line("Player 2 (□), your move: b");
    assert_eq!(boards(&program), [3]);
    assert!(!program.screen().iter().any(|line| line.contains("is no move")));
    program.talk(
        "> 1
         Player 2 chose move: B1
         your move: > scroll
         Earlier boards stay on the screen.
         your move:",
    );
    program.resize(40, 80);
    program.talk(
        "> a4
         chose move: A4
         your move:",
    );
    assert_eq!(boards(&program).len(), 2, "{:#?}", program.screen());
    program.talk(
        "^L
         8 · · · · · · · · 8
         your move: > scroll
         The board is redrawn in place.
         your move:",
    );
    assert_eq!(boards(&program).len(), 1);
    program.leaves_unsaved();
}

#[test]
fn messages_replace_earlier_ones_instead_of_the_board() {
    let scene = Scene::new();
    let mut program = Driver::on_terminal(&scene, TWO_PEOPLE);
    for number in 0..8 {
        program.talk(&format!(
            "your move: > z{number}
             `z{number}` is no move
             commands"
        ));
    }
    program.until("your move: ");
    program.until_cursor_line("Player 1 (■), your move:");
    assert_eq!(boards(&program), [3], "{:#?}", program.screen());
    let screen = program.screen().join("\n");
    assert!(
        screen.contains("`z7` is") && !screen.contains("`z0` is"),
        "{screen}"
    );
    program.type_keys(CTRL_D);
    program.ends(0);
}

#[test]
fn redraws_after_a_change_of_size() {
    let scene = Scene::new();
    let mut program = Driver::on_terminal(&scene, TWO_PEOPLE);
    program.until("your move: ");
    program.type_keys("a");
    program.until_cursor_line("Player 1 (■), your move: a");
    program.resize(24, 40);
    program.until("Magnetic Cave: Player 1 (■) against\nPlayer 2 (□).\n");
    program.until("Type a move, or `help` for a list of\ncommands.\n");
    program.until_cursor_line("Player 1 (■), your move: a");
    assert_eq!(boards(&program), [4], "{:#?}", program.screen());
    program.talk(
        "> 1
         Player 1 chose move: A1
         your move:",
    );
    // Even a line that is longer than the terminal.
    program.type_keys("this is longer than a line of the terminal");
    program.resize(24, 20);
    program.talk(
        ">
         is no move
         move: > h1
         H1",
    );
    program.leaves_unsaved();
}

#[test]
fn the_clock_runs_in_the_prompt() {
    let scene = Scene::new();
    let bot = scene.bot("bot", Bot::thinking(COLUMN_H));
    let line = format!("match --engine cmd=human name=Ann tc=100+1 --engine cmd={bot} tc=300 --games 1");
    let mut program = Driver::on_terminal(&scene, &line);
    program.until("Ann (■) 1:40   bot (□) 5:00\n");
    program.until("[1:40] Ann (■), your move: ");
    program.type_keys("a");
    program.until("[1:39] Ann (■), your move: a");
    program.until_cursor_line("[1:39] Ann (■), your move: a");
    program.type_keys("5");
    program.until("[1:38] Ann (■), your move: a5");
    program.talk(
        ">
         1. Ann (■) plays a5 in
         Ann (■) 1:39   bot (□) 5:00
         2. bot (□) plays h1 in
         [1:39] Ann (■), your move:",
    );
    assert_eq!(boards(&program), [4], "{:#?}", program.screen());
    program.enter("quit");
    program.ends(130);
}

#[test]
fn warns_before_the_time_is_over() {
    let scene = Scene::new();
    let line = "match --engine cmd=human st=10.9 --engine cmd=random st=5 --games 1 --out games.jsonl";
    let mut program = Driver::on_terminal(&scene, line);
    program.until("[0:11] human (■), your move: ");
    program.type_keys("a");
    program.until("10 seconds are left.\n");
    program.until("[0:10] human (■), your move: a");
    let raw = String::from_utf8_lossy(program.raw()).to_string();
    assert!(raw.contains("\x1b[1;31m[0:10]"), "the last seconds are red");
    // The deadline ends the half-typed line.
    program.talk(
        "[0:01] human (■), your move: a
         [0:00] human (■), your move: a
         random (□) wins: human gave no move within 10.900 s (0-1, stall)
         Score of human vs random: 0 - 1 - 0",
    );
    program.ends(0);
    assert_eq!(scene.records()[0]["reason"], "stall");
}

#[test]
fn a_line_says_what_the_engine_thinks() {
    let scene = Scene::new();
    let go = "echo info depth 7 score cp 35 pv h1 a1; sleep 1; echo info depth 9 score win 5 pv h1; sleep 1; \
              echo bestmove h$thinks";
    let bot = scene.bot("bot", Bot::thinking(go));
    let line = format!("play --first {bot} --second human --st 60");
    let mut program = Driver::on_terminal(&scene, &line);
    program.talk(
        "The computer is thinking:
         s, depth 7, score +0.35; q quits
         s, depth 9, wins in 5; q quits
         Player 1 chose move: H1",
    );
    let screen = program.screen();
    assert!(
        !screen.iter().any(|line| line.contains("thinking")),
        "{screen:#?}"
    );
    program.talk(
        "Player 2 (□), your move: > a1
         s, depth 7,",
    );
    // What is typed meanwhile is the next answer, whole lines and the beginning of one.
    program.type_keys("a2\ra");
    program.talk(
        "Player 2 (□), your move: a2
         Player 2 chose move: A2
         s, depth 7,",
    );
    program.until_cursor_line("Player 2 (□), your move: a");
    program.talk(
        "> 3
         Player 2 chose move: A3
         is thinking:",
    );
    program.type_keys("q");
    program.until(OFFER_TO_SAVE);
    program.enter("");
    program.ends(0);
    scene.assert_no_bot_left();

    let outcome = scene.run_with_input(&line, "");
    assert!(!outcome.stdout.contains("thinking"), "{}", outcome.stdout);
}

#[test]
fn plays_several_moves_of_a_line_and_of_a_paste() {
    let scene = Scene::new();
    let mut program = Driver::on_terminal(&scene, TWO_PEOPLE);
    program.talk(
        "your move: > a1 h1, a2
         Player 1 chose move: A1
         Player 2 chose move: H1
         Player 1 chose move: A2
         Player 2 (□), your move:",
    );
    program.enter("\x1b[200~h2\nb1 g1\ra3\x1b[201~");
    for text in ["H2", "B1", "G1", "A3"] {
        program.until(&format!("chose move: {text}\n"));
    }
    // An illegal move ends the line.
    program.talk(
        "Player 2 (□), your move: > a4 d4 h4 list
         is no move
         Player 2 (□), your move: > a4 d4 h4
         D4 touches neither a wall nor a brick; the rest of the line, h4, is not played
         Player 1 (■), your move:",
    );
    program.leaves_unsaved();
}

#[test]
fn leaving_a_game_offers_to_save_it() {
    let scene = Scene::new();
    let bot = scene.bot("bot", Bot::thinking(COLUMN_H));
    let mut program = Driver::on_terminal(&scene, &format!("play --first human --second {bot} --st 0.5"));
    program.talk(
        "your move: > a1
         chose move: H1
         your move: > new
         Save this game? A file name saves it, Enter does not: > yes
         Type the name of the file, such as `game.txt`.
         Save this game? A file name saves it, Enter does not: > nowhere/game
         Not saved: `nowhere/game` cannot be written:
         Save this game? A file name saves it, Enter does not: > 'my game'
         Saved to `my game`.
         Player 1 (■), your move:",
    );
    let screen = program.screen();
    assert!(screen.iter().all(|line| !line.contains('[')), "{screen:#?}");
    program.talk(
        "> a1
         chose move: H1
         your move: > q
         Save this game? A file name saves it, Enter does not: > n",
    );
    program.ends(0);
    assert!(!scene.path("n").exists(), "`n` is an answer, not a file");
    assert_eq!(
        scene.text("my game"),
        format!(
            "# A saved game; `load` continues it.\nvariant: magnetic-cave\nfirst: human\nsecond: {bot} 0.5\n\
             start: 8/8/8/8/8/8/8/8 x\nmoves: a1 h1\n"
        )
    );

    // The menu continues it without more questions, and the file has all moves.
    let mut program = Driver::on_terminal(&scene, "");
    program.talk(
        "[1] > load my game
         Magnetic Cave: you are Player 1 (■), the computer (bot) is Player 2 (□).
         Player 1 (■), your move: > q",
    );
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
    program.talk(
        "your move: > load wrong
         `wrong`: `esay` is neither a level
         did you mean
         your move: > load broken
         `broken`: failing
         Player 1 (■), your move: > level
         two people play.
         your move: > load easy
         you are Player 2 (□), the computer (easy) is Player 1 (■).
         Loaded `easy`, a game with 1 move.
         Player 2 (□), your move: > level
         The computer is easy: looks one move ahead
         your move:
         ^D",
    );
    program.ends(0);
}

#[test]
fn text_fits_terminals_of_every_width() {
    for width in [40, 60, 80, 200] {
        let scene = Scene::new();
        let mut program = Driver::on_terminal_of_size(&scene, "", (50, width));
        for question in ["saved game.", "or two?", "player 2", "1 to 24?", "1000?"] {
            program.until(question);
            program.until("] ");
            program.enter(if question == "saved game." { "2" } else { "" });
        }
        program.talk(
            "`lodestone 0.5`
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
             ^D",
        );
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
