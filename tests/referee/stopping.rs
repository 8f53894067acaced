//! Every way to stop at every place of a game by hand and of a match with a person, on a
//! pseudo-terminal, and its exit status.

use rustix::process::Signal;

use crate::driver::{CONFIRM_QUIT, Driver, OFFER_TO_SAVE, TWO_PEOPLE};
use crate::support::{Bot, Scene, expect};

/// A place where a person can stop the program.
struct Place {
    /// The command; `BOT` is a bot that thinks for a minute.
    line: &'static str,
    /// The way there: what to wait for, and what to enter.
    way: &'static str,
    /// The status after quitting: 0 by hand, 130 in a match.
    quit: i32,
}

const fn place(line: &'static str, way: &'static str, quit: i32) -> Place {
    Place { line, way, quit }
}

/// The way to a bot that thinks.
const THINKS: &str = "a bot thinks";

const PLACES: [Place; 9] = [
    // The first and the last question of the menu.
    place("", "saved game. [1]", 0),
    place(
        "",
        "saved game. [1] >
         two? [1] >
         [black] >
         How strong is the computer? [3]",
        0,
    ),
    // The prompt, the second step of a move, an engine that thinks, and after the game.
    place(TWO_PEOPLE, "your move:", 0),
    place(
        "play --variant gridlock --first human --second human --pieces 1 --turns 9",
        "choose piece to move: > load slide
         choose piece to move: > a1
         Choose the new position for a1:",
        0,
    ),
    place("play --first BOT --second human", THINKS, 0),
    place(
        TWO_PEOPLE,
        "your move: > resign
         or another command:",
        0,
    ),
    // The same in a match, with and without a clock.
    place("match human BOT --games 2", "your move:", 130),
    place(
        "match --engine cmd=human tc=100 --engine cmd=BOT --games 2",
        "your move:",
        130,
    ),
    place(OPPONENT_THINKS, THINKS, 130),
];

/// Here, Ctrl-C stops at once. Elsewhere it asks whether to quit.
const OPPONENT_THINKS: &str = "match --engine cmd=BOT st=60 --engine cmd=human --games 2";

/// A way to stop: keys or a signal, an answer to the question whether to quit, and the status, which
/// is that of quitting by default.
type Way = (
    Result<&'static str, Signal>,
    Option<Result<&'static str, Signal>>,
    Option<i32>,
);

const WAYS: [Way; 7] = [
    (Ok("q\r"), None, None),
    (Ok("\x04"), None, None),
    (Ok("\x03"), Some(Ok("y\r")), None),
    (Ok("\x03"), Some(Ok("\x03")), Some(130)),
    (Ok("\x03"), Some(Ok("\x04")), None),
    (Err(Signal::INT), Some(Err(Signal::INT)), Some(130)),
    (Err(Signal::TERM), None, Some(143)),
];

fn send(program: &mut Driver, stop: Result<&str, Signal>) {
    match stop {
        Ok(keys) => program.type_keys(keys),
        Err(signal) => program.kill(signal),
    }
}

#[test]
fn every_way_to_stop_gives_its_status_at_every_place() {
    for place in &PLACES {
        for way in WAYS {
            let scene = Scene::new();
            let bot = scene.bot("bot", Bot::thinking("touch thinks; sleep 60"));
            scene.file("slide", "variant: gridlock\nstart: x6/7/7/7/7/7/6o x 0 40\n");
            let line = place.line.replace("BOT", &bot);
            println!("{line}: {way:?}");
            let mut program = Driver::on_terminal(&scene, &line);
            let (stop, answer, status) = way;
            if place.way != THINKS {
                program.talk(place.way);
            } else if matches!(stop, Ok("q\r" | "\x04")) {
                // Read after the bot has moved.
                continue;
            } else {
                scene.wait_for_file("thinks");
            }
            send(&mut program, stop);
            if let Some(answer) = answer.filter(|_| place.line != OPPONENT_THINKS) {
                program.until(CONFIRM_QUIT);
                send(&mut program, answer);
            }
            let status = status.unwrap_or(place.quit);
            let text = program.ends(status);
            let word = match status {
                130 => "referee: interrupted\n",
                143 => "referee: terminated\n",
                _ => "",
            };
            assert!(text.ends_with(word), "{text}");
            assert_eq!(text.contains("referee: "), status != 0, "{text}");
            scene.assert_no_bot_left();
        }
    }
}

#[test]
fn the_offer_to_save_keeps_the_status() {
    let scene = Scene::new();
    for (keys, confirmation, status) in [
        ("\r", None, 0),
        ("q\r", None, 0),
        ("\x04", None, 0),
        ("\x03", Some("\x03"), 130),
        ("\x03", Some("y\r"), 0),
    ] {
        let mut program = Driver::on_terminal(&scene, TWO_PEOPLE);
        program.talk(expect![[r#"
            your move: > a1
            Player 2 (□), your move:
            ^D
        "#]]);
        program.until(OFFER_TO_SAVE);
        program.type_keys(keys);
        if let Some(keys) = confirmation {
            program.until(CONFIRM_QUIT);
            program.type_keys(keys);
        }
        program.ends(status);
    }
}
