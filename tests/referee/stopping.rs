//! Every way to stop at every place of a game by hand and of a match with a person, on a
//! pseudo-terminal, and its exit status.

use rustix::process::Signal;

use crate::driver::Driver;
use crate::support::{Bot, Scene};

const CONFIRM_QUIT: &str = "continues. [y/N] ";
const OFFER_TO_SAVE: &str = "Save this game? A file name saves it, Enter does not: ";

/// A place where a person can stop the program.
struct Place {
    name: &'static str,
    /// The command; `BOT` is a bot that thinks for a minute.
    line: &'static str,
    /// Texts to wait for, and what to enter then.
    way: &'static [(&'static str, &'static str)],
    /// The text that shows that the place is reached.
    marker: &'static str,
    /// The status after quitting: 0 by hand, 130 in a match.
    quit: i32,
    /// Whether Ctrl-C asks whether to quit. Elsewhere it stops at once.
    asks: bool,
}

const PLACES: [Place; 10] = [
    Place {
        name: "the first question of the menu",
        line: "",
        way: &[],
        marker: "saved game. [1] ",
        quit: 0,
        asks: true,
    },
    Place {
        name: "the last question of the menu",
        line: "",
        way: &[("saved game. [1] ", ""), ("two? [1] ", ""), ("[black] ", "")],
        marker: "How strong is the computer? [3] ",
        quit: 0,
        asks: true,
    },
    Place {
        name: "the prompt",
        line: "play --first human --second human",
        way: &[],
        marker: "your move: ",
        quit: 0,
        asks: true,
    },
    Place {
        name: "the second step of a move",
        line: "play --variant gridlock --first human --second human --pieces 1 --turns 9",
        way: &[
            ("choose piece to move: ", "load slide"),
            ("choose piece to move: ", "a1"),
        ],
        marker: "Choose the new position for a1: ",
        quit: 0,
        asks: true,
    },
    Place {
        name: "while the computer thinks",
        line: "play --first BOT --second human",
        way: &[],
        marker: " is thinking: ",
        quit: 0,
        asks: true,
    },
    Place {
        name: "after the game",
        line: "play --first human --second human",
        way: &[("your move: ", "resign")],
        marker: "or another command: ",
        quit: 0,
        asks: true,
    },
    Place {
        name: "the prompt of a match",
        line: "match human BOT --games 2",
        way: &[],
        marker: "your move: ",
        quit: 130,
        asks: true,
    },
    Place {
        name: "the prompt of a match on the clock",
        line: "match --engine cmd=human tc=100 --engine cmd=BOT --games 2",
        way: &[],
        marker: "your move: ",
        quit: 130,
        asks: true,
    },
    Place {
        name: "between two games of a match",
        line: "match human BOT --games 2",
        way: &[("your move: ", "resign")],
        marker: "Enter starts game 2: ",
        quit: 130,
        asks: true,
    },
    Place {
        name: "while the opponent thinks in a match",
        line: "match --engine cmd=BOT st=60 --engine cmd=human --games 2",
        way: &[],
        marker: " is thinking: ",
        quit: 130,
        asks: false,
    },
];

/// A way to stop.
#[derive(Clone, Copy, Debug)]
enum Way {
    /// `q`, with Enter at a question.
    Quit,
    /// Ctrl-D.
    End,
    /// Ctrl-C, then `y`.
    ConfirmedCtrlC,
    /// Ctrl-C twice.
    CtrlCTwice,
    /// Ctrl-C, then Ctrl-D.
    CtrlCThenEnd,
    /// SIGINT twice.
    Interrupts,
    /// SIGTERM.
    Terminate,
}

const WAYS: [Way; 7] = [
    Way::Quit,
    Way::End,
    Way::ConfirmedCtrlC,
    Way::CtrlCTwice,
    Way::CtrlCThenEnd,
    Way::Interrupts,
    Way::Terminate,
];

/// Stops a program at a place; returns the expected status.
fn stop(program: &mut Driver, place: &Place, way: Way) -> i32 {
    let confirm = |program: &mut Driver| {
        if place.asks {
            program.until(CONFIRM_QUIT);
        }
    };
    let asks = place.asks;
    match way {
        Way::Quit => {
            program.type_keys("q\r");
            place.quit
        }
        Way::End => {
            program.type_keys("\x04");
            place.quit
        }
        Way::ConfirmedCtrlC => {
            program.type_keys("\x03");
            confirm(program);
            if asks {
                program.enter("y");
            }
            place.quit
        }
        Way::CtrlCTwice => {
            program.type_keys("\x03");
            confirm(program);
            if asks {
                program.type_keys("\x03");
            }
            130
        }
        Way::CtrlCThenEnd => {
            program.type_keys("\x03");
            confirm(program);
            if asks {
                program.type_keys("\x04");
            }
            place.quit
        }
        Way::Interrupts => {
            program.kill(Signal::INT);
            confirm(program);
            if asks {
                program.kill(Signal::INT);
            }
            130
        }
        Way::Terminate => {
            program.kill(Signal::TERM);
            143
        }
    }
}

#[test]
fn every_way_to_stop_gives_its_status_at_every_place() {
    for place in &PLACES {
        for way in WAYS {
            let scene = Scene::new();
            let bot = scene.bot("bot", Bot::thinking("sleep 60"));
            scene.file("slide", "variant: gridlock\nstart: x6/7/7/7/7/7/6o x 0 40\n");
            let mut program = Driver::on_terminal(&scene, &place.line.replace("BOT", &bot));
            for (text, answer) in place.way {
                program.until(text);
                program.enter(answer);
            }
            program.until(place.marker);
            let expected = stop(&mut program, place, way);
            let (text, status) = program.finish();
            assert_eq!(status.code(), Some(expected), "{}, {way:?}: {text}", place.name);
            let word = match expected {
                130 => "referee: interrupted\n",
                143 => "referee: terminated\n",
                _ => "",
            };
            assert!(text.ends_with(word), "{}, {way:?}: {text}", place.name);
            assert_eq!(
                text.contains("referee: "),
                expected != 0,
                "{}, {way:?}: {text}",
                place.name
            );
            assert!(program.terminal_echoes(), "{}, {way:?}", place.name);
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
        let mut program = Driver::on_terminal(&scene, "play --first human --second human");
        program.until("your move: ");
        program.enter("a1");
        program.until("Player 2 (□), your move: ");
        program.type_keys("\x04");
        program.until(OFFER_TO_SAVE);
        program.type_keys(keys);
        if let Some(keys) = confirmation {
            program.until(CONFIRM_QUIT);
            program.type_keys(keys);
        }
        assert_eq!(program.end().1.code(), Some(status), "{keys:?} {confirmation:?}");
    }
}

#[test]
fn a_hint_can_be_stopped() {
    let scene = Scene::new();
    let mut program = Driver::on_terminal(&scene, "play --first human --second human");
    program.until("your move: ");
    program.enter("hint");
    program.until(" is thinking: ");
    program.type_keys("q");
    assert_eq!(program.end().1.code(), Some(0));
}
