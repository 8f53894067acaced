//! What a person sees on a pseudo-terminal: one board that is redrawn in place, clocks, the
//! line about an engine that thinks, and text that fits terminals of any width.

use crate::driver::Driver;
use crate::support::{Bot, Scene};

const TWO_PEOPLE: &str = "play --first human --second human";
const OFFER_TO_SAVE: &str = "Save this game? A file name saves it, Enter does not: ";
const CTRL_D: &str = "\x04";
const CTRL_L: &str = "\x0c";

/// The rows of the screen with the top rank of a board.
fn boards(program: &Driver) -> Vec<usize> {
    let screen = program.screen();
    let is_top = |line: &String| line.starts_with('8') && line.trim_end().ends_with('8');
    (0..screen.len()).filter(|&row| is_top(&screen[row])).collect()
}

/// Quits without saving.
fn quit(mut program: Driver) {
    program.type_keys(CTRL_D);
    program.until("does not: ");
    program.enter("");
    assert!(program.end().1.success());
}

#[test]
fn one_board_is_redrawn_in_place() {
    let scene = Scene::new();
    let mut program = Driver::on_terminal(&scene, TWO_PEOPLE);
    for text in ["a1", "h1", "a2", "h2", "a3"] {
        program.until("your move: ");
        program.enter(text);
        program.until(&format!("chose move: {}\n", text.to_uppercase()));
    }
    program.until("Player 2 (□), your move: ");
    assert_eq!(boards(&program), [3], "{:#?}", program.screen());
    assert!(program.screen()[0].starts_with("Magnetic Cave: Player 1 (■) against"));

    // Wrong lines stay below the board; Ctrl-L removes them and keeps what is typed.
    program.enter("z9");
    program.until("is no move");
    program.until("your move: ");
    program.type_keys("b");
    program.until_cursor_line("Player 2 (□), your move: b");
    program.type_keys(CTRL_L);
    program.until("Player 1 chose move: A3\n");
    program.until_cursor_line("Player 2 (□), your move: b");
    assert_eq!(boards(&program), [3]);
    assert!(!program.screen().iter().any(|line| line.contains("is no move")));
    program.enter("1");
    program.until("Player 2 chose move: B1\n");

    program.until("your move: ");
    program.enter("scroll");
    program.until("Earlier boards stay on the screen.\n");
    program.until("your move: ");
    program.resize(40, 80);
    program.enter("a4");
    program.until("chose move: A4\n");
    program.until("your move: ");
    assert_eq!(boards(&program).len(), 2, "{:#?}", program.screen());
    program.type_keys(CTRL_L);
    program.until("8 · · · · · · · · 8\n");
    program.until("your move: ");
    program.enter("scroll");
    program.until("The board is redrawn in place.\n");
    program.until("your move: ");
    assert_eq!(boards(&program).len(), 1);
    quit(program);
}

#[test]
fn messages_replace_earlier_ones_instead_of_the_board() {
    let scene = Scene::new();
    let mut program = Driver::on_terminal(&scene, TWO_PEOPLE);
    for number in 0..8 {
        program.until("your move: ");
        program.enter(&format!("z{number}"));
        program.until(&format!("`z{number}` is no move"));
        program.until("commands\n");
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
    assert!(program.end().1.success());
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
    program.enter("1");
    program.until("Player 1 chose move: A1\n");
    program.until("your move: ");
    quit(program);
}

#[test]
fn keeps_what_the_terminal_showed_before() {
    let scene = Scene::new();
    let mut program = Driver::on_terminal(&scene, TWO_PEOPLE);
    program.until("your move: ");
    let raw = String::from_utf8_lossy(program.raw()).to_string();
    let clear = raw.find("\x1b[2J").unwrap();
    assert!(
        raw[..clear].matches('\n').count() >= 24,
        "it is scrolled out of sight"
    );
    assert!(!raw.contains("\x1b[?1049h"), "the board stays after the end");
    program.type_keys(CTRL_D);
    assert!(program.end().1.success());
}

#[test]
fn the_clock_runs_in_the_prompt() {
    let scene = Scene::new();
    let bot = scene.bot("bot", Bot::thinking("echo bestmove h$thinks"));
    let line = format!("match --engine cmd=human name=Ann tc=100+1 --engine cmd={bot} tc=300 --games 1");
    let mut program = Driver::on_terminal(&scene, &line);
    program.until("Ann (■) 1:40   bot (□) 5:00\n");
    program.until("[1:40] Ann (■), your move: ");
    program.type_keys("a");
    program.until("[1:39] Ann (■), your move: a");
    program.until_cursor_line("[1:39] Ann (■), your move: a");
    program.type_keys("5");
    program.until("[1:38] Ann (■), your move: a5");
    program.enter("");
    program.until("1. Ann (■) plays a5 in ");
    program.until("Ann (■) 1:39   bot (□) 5:00\n");
    program.until("2. bot (□) plays h1 in ");
    program.until("[1:39] Ann (■), your move: ");
    assert_eq!(boards(&program), [4], "{:#?}", program.screen());
    program.enter("quit");
    assert_eq!(program.end().1.code(), Some(130));
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
    program.until("[0:01] human (■), your move: a");
    program.until("[0:00] human (■), your move: a");
    program.until("random (□) wins: human gave no move within 10.900 s (0-1, stall)\n");
    program.end();
    assert_eq!(scene.records()[0]["reason"], "stall");
}

#[test]
fn a_line_says_what_the_engine_thinks() {
    let scene = Scene::new();
    let bot = scene.bot(
        "bot",
        Bot::thinking(
            "echo info depth 7 score cp 35 pv h1 a1; sleep 1; echo info depth 9 score win 5 pv h1; sleep 1; \
             echo bestmove h$thinks",
        ),
    );
    let line = format!("play --first {bot} --second human --st 60");
    let mut program = Driver::on_terminal(&scene, &line);
    program.until("The computer is thinking: ");
    program.until(" s, depth 7, score +0.35; q quits");
    program.until(" s, depth 9, wins in 5; q quits");
    program.until("Player 1 chose move: H1\n");
    assert!(
        !program.screen().iter().any(|line| line.contains("thinking")),
        "{:#?}",
        program.screen()
    );
    program.until("Player 2 (□), your move: ");
    program.enter("a1");
    program.until(" s, depth 7, ");
    // What is typed meanwhile is the next answer, whole lines and the beginning of one.
    program.type_keys("a2\ra");
    program.until("Player 2 (□), your move: a2\n");
    program.until("Player 2 chose move: A2\n");
    program.until(" s, depth 7, ");
    program.until_cursor_line("Player 2 (□), your move: a");
    program.enter("3");
    program.until("Player 2 chose move: A3\n");
    program.until(" is thinking: ");
    program.type_keys("q");
    program.until(OFFER_TO_SAVE);
    program.enter("");
    assert!(program.end().1.success());
    scene.assert_no_bot_left();

    let outcome = scene.run_with_input(&line, "");
    assert!(!outcome.stdout.contains("thinking"), "{}", outcome.stdout);
}

#[test]
fn plays_several_moves_of_a_line_and_of_a_paste() {
    let scene = Scene::new();
    let mut program = Driver::on_terminal(&scene, TWO_PEOPLE);
    program.until("your move: ");
    program.enter("a1 h1, a2");
    program.until("Player 1 chose move: A1\n");
    program.until("Player 2 chose move: H1\n");
    program.until("Player 1 chose move: A2\n");
    program.until("Player 2 (□), your move: ");
    program.enter("\x1b[200~h2\nb1 g1\ra3\x1b[201~");
    for text in ["H2", "B1", "G1", "A3"] {
        program.until(&format!("chose move: {text}\n"));
    }
    program.until("Player 2 (□), your move: ");
    // An illegal move ends the line.
    program.enter("a4 d4 h4 list");
    program.until("is no move");
    program.until("Player 2 (□), your move: ");
    program.enter("a4 d4 h4");
    program.until("D4 touches neither a wall nor a brick; the rest of the line, h4, is not played\n");
    program.until("Player 1 (■), your move: ");
    quit(program);
}

#[test]
fn leaving_a_game_offers_to_save_it() {
    let scene = Scene::new();
    let bot = scene.bot("bot", Bot::thinking("echo bestmove h$thinks"));
    let mut program = Driver::on_terminal(&scene, &format!("play --first human --second {bot} --st 0.5"));
    program.until("your move: ");
    program.enter("a1");
    program.until("chose move: H1\n");
    program.until("your move: ");
    program.enter("new");
    program.until(OFFER_TO_SAVE);
    program.enter("yes");
    program.until("Type the name of the file, such as `game.txt`.\n");
    program.until(OFFER_TO_SAVE);
    program.enter("nowhere/game");
    program.until("Not saved: `nowhere/game` cannot be written: ");
    program.until(OFFER_TO_SAVE);
    program.enter("'my game'");
    program.until("Saved to `my game`.\n");
    program.until("Player 1 (■), your move: ");
    assert!(
        program.screen().iter().all(|line| !line.contains('[')),
        "{:#?}",
        program.screen()
    );
    program.enter("a1");
    program.until("chose move: H1\n");
    program.until("your move: ");
    program.enter("q");
    program.until(OFFER_TO_SAVE);
    program.enter("n");
    assert!(program.end().1.success());
    assert!(!scene.path("n").exists(), "`n` is an answer, not a file");
    assert_eq!(
        scene.text("my game"),
        format!(
            "# A saved game; `load` continues it.\nvariant: magnetic-cave\nfirst: human\nsecond: {bot} 0.5\n\
             start: 8/8/8/8/8/8/8/8 x\nmoves: a1 h1\n"
        )
    );

    // The menu continues it without more questions.
    let mut program = Driver::on_terminal(&scene, "");
    program.until("[1] ");
    program.enter("load my game");
    program.until("Magnetic Cave: you are Player 1 (■), the computer (bot) is Player 2 (□).\n");
    program.until("Player 1 (■), your move: ");
    program.enter("q");
    assert!(program.end().1.success(), "the file has all moves");
}

#[test]
fn loading_a_game_restores_its_level() {
    let scene = Scene::new();
    scene.file(
        "easy",
        "variant: magnetic-cave\nfirst: easy\nsecond: human\nstart: 8/8/8/8/8/8/8/8 x\nmoves: a6\n",
    );
    scene.file(
        "wrong",
        "variant: magnetic-cave\nfirst: esay\nsecond: human\nstart: 8/8/8/8/8/8/8/8 x\n",
    );
    let failing = Bot::greeting("exit 3");
    let failing = scene.bot("failing", failing);
    scene.file(
        "broken",
        &format!("variant: magnetic-cave\nfirst: easy\nsecond: {failing}\nstart: 8/8/8/8/8/8/8/8 x\n"),
    );
    let mut program = Driver::on_terminal(&scene, TWO_PEOPLE);
    program.until("your move: ");
    program.enter("load wrong");
    program.until("`wrong`: `esay` is neither a level");
    program.until("did you mean");
    program.until("your move: ");
    program.enter("load broken");
    program.until("`broken`: failing ");
    program.until("Player 1 (■), your move: ");
    program.enter("level");
    program.until("two people play.\n");
    program.until("your move: ");
    program.enter("load easy");
    program.until("you are Player 2 (□), the computer (easy) is Player 1 (■).\n");
    program.until("Loaded `easy`, a game with 1 move.\n");
    program.until("Player 2 (□), your move: ");
    program.enter("level");
    program.until("The computer is easy: looks one move ahead\n");
    program.until("your move: ");
    program.type_keys(CTRL_D);
    assert!(program.end().1.success());
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
        program.until("`lodestone 0.5`\n");
        program.until("[3] ");
        program.enter("what?");
        program.until("program\n");
        program.until("[3] ");
        program.enter("easy");
        for (command, end) in [
            ("help", "question\n"),
            ("rules", "it is a tie.\n"),
            ("moves", " moves: "),
            ("level", "`lodestone 0.5`\n"),
            ("level x y", "program\n"),
            ("undo x", "found"),
            ("hint", "why"),
            ("why", "Line: "),
            ("what is this", "commands\n"),
        ] {
            program.until("Choose piece to move: ");
            program.enter(command);
            program.until(end);
        }
        program.until("Choose piece to move: ");
        program.type_keys("\x03");
        program.until("[y/N] ");
        program.type_keys(CTRL_D);
        let (text, status) = program.finish();
        assert!(status.success(), "{text}");
        let raw = String::from_utf8_lossy(program.raw()).to_string();
        let shown = anstream::adapter::strip_str(&raw).to_string();
        let widest = shown
            .split(['\r', '\n'])
            .map(|line| line.chars().count())
            .max()
            .unwrap();
        assert!(
            widest <= usize::from(width),
            "{widest} of {width} columns: {text}"
        );
        if width == 200 {
            assert!(widest <= 80, "long lines are hard to read: {text}");
        }
    }
}
