//! A zoo of bots that do everything wrong, one by name: `zoo NAME`. They play
//! both games with the first legal move until they do what they are here for.
//!
//! `tests/referee/zoo.rs` says what the referee makes of each.

mod harm;

use std::io::{self, BufRead, Write};
use std::process::exit;
use std::thread::sleep;
use std::time::Duration;

use lodestone::game::{AnyPosition, Variant};
use lodestone::protocol::{Command, Query, Response, Start};

/// When a bot does what it is here for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum When {
    /// Before it reads anything.
    Start,
    /// Instead of `uciok` or `ugiok`.
    Greet,
    /// Instead of `readyok`.
    IsReady,
    /// Instead of a move, from its second one on.
    Think,
    /// After its first move.
    Moved,
    /// Instead of the right answer to a question, which only UGI has.
    Query,
    /// When it is told to leave.
    Quit,
}

/// What stands in the way of an answer.
type Deed = fn(&Bot);

/// All animals: their name, and what they do when.
const ZOO: &[(&str, When, Deed)] = &[
    ("exits-at-start", When::Start, |_| exit(3)),
    ("exits-at-uci", When::Greet, |_| exit(3)),
    ("exits-at-isready", When::IsReady, |_| exit(3)),
    ("exits-thinking", When::Think, |_| exit(3)),
    ("exits-after-its-move", When::Moved, |_| exit(0)),
    ("answers-and-exits", When::Think, |bot| {
        bot.say(&bot.good_move());
        exit(0);
    }),
    ("segfaults", When::Think, |_| harm::segfault()),
    ("never-greets", When::Greet, |_| harm::sleep_for_ever()),
    ("never-ready", When::IsReady, |_| harm::sleep_for_ever()),
    ("starts-slowly", When::Start, |_| sleep(Duration::from_secs(3))),
    // In one write: what came after the next `go` would be its answer.
    ("answers-twice", When::Think, |bot| {
        bot.say(&format!("{0}\n{0}", bot.good_move()));
    }),
    ("answers-early", When::IsReady, |bot| {
        bot.say("bestmove a1\nreadyok\nbestmove a1");
    }),
    ("answers-late", When::Think, |bot| {
        sleep(Duration::from_millis(700));
        bot.say(&bot.good_move());
    }),
    ("hangs", When::Think, |_| harm::sleep_for_ever()),
    ("talks-and-hangs", When::Think, |bot| {
        loop {
            bot.say("info depth 1 score cp 1");
            sleep(Duration::from_millis(50));
        }
    }),
    ("moves-for-the-other-side", When::Think, |bot| {
        bot.say(&bot.move_of_the_other_side());
    }),
    ("plays-an-illegal-move", When::Think, |bot| {
        bot.say(&bot.illegal_move());
    }),
    ("plays-the-last-move-again", When::Think, |bot| {
        bot.say(&bot.last_move());
    }),
    ("shouts", When::Think, |bot| {
        bot.say(&format!("bestmove {}", bot.first_move().to_uppercase()));
    }),
    ("says-more", When::Think, |bot| {
        bot.say(&format!("{} ponder and so on", bot.good_move()));
    }),
    ("has-no-line-end", When::Think, |bot| {
        bot.write(bot.good_move().as_bytes());
        harm::sleep_for_ever();
    }),
    ("has-no-line-end-and-exits", When::Think, |bot| {
        bot.write(bot.good_move().as_bytes());
        exit(0);
    }),
    ("plays-nonsense", When::Think, |bot| bot.say("bestmove e2e4q")),
    ("plays-nothing", When::Think, |bot| bot.say("bestmove")),
    ("resigns-by-0000", When::Think, |bot| bot.say("bestmove 0000")),
    ("plays-nul", When::Think, |bot| bot.write(b"bestmove \0\0\0\n")),
    ("is-no-text", When::Think, |bot| bot.write(b"bestmove \xff\xfe\n")),
    ("writes-garbage", When::Think, |bot| {
        bot.write(
            &(0..60_000)
                .map(|byte| (byte * 7 % 251) as u8)
                .filter(|&byte| byte != b'\n')
                .collect::<Vec<_>>(),
        );
        bot.say("");
        bot.say(&bot.good_move());
    }),
    ("never-ends-its-line", When::Think, |bot| {
        loop {
            bot.write(&[b'a'; 64 * 1024]);
        }
    }),
    ("floods", When::Think, |bot| {
        loop {
            bot.write("info string and so on and on\n".repeat(1000).as_bytes());
        }
    }),
    ("writes-byte-by-byte", When::Think, |bot| {
        for byte in bot.good_move().bytes().chain([b'\n']) {
            bot.write(&[byte]);
            sleep(Duration::from_millis(5));
        }
    }),
    ("drips-for-ever", When::Think, |bot| {
        loop {
            bot.write(b"a");
            sleep(Duration::from_millis(20));
        }
    }),
    ("floods-stderr", When::Think, |bot| {
        harm::flood_stderr();
        bot.say(&bot.good_move());
    }),
    ("closes-its-input", When::Moved, |_| harm::close_stdin()),
    ("closes-its-output", When::Think, |_| {
        harm::close_stdout();
        harm::sleep_for_ever();
    }),
    ("never-reads", When::Moved, |_| harm::sleep_for_ever()),
    ("stops-itself", When::Think, |_| harm::stop()),
    ("ignores-sigterm", When::Start, |_| harm::ignore_sigterm()),
    ("refuses-to-quit", When::Quit, |_| harm::sleep_for_ever()),
    ("leaves-a-child", When::Think, |_| {
        harm::child("sleeps");
        exit(0);
    }),
    ("leaves-a-stubborn-child", When::Quit, |_| harm::child("stubborn")),
    ("leaves-a-child-with-a-session", When::Think, |bot| {
        harm::child("session");
        bot.say(&bot.good_move());
    }),
    ("forks-on", When::Think, |_| {
        harm::fork_on();
        harm::sleep_for_ever();
    }),
    ("eats-memory", When::Think, |_| harm::eat_memory()),
    ("spins", When::Think, |_| harm::spin()),
    ("greets-in-uci", When::Greet, |bot| bot.say("uciok")),
    ("lies-about-the-result", When::Query, |bot| {
        if bot.question == Some(Query::Result) {
            bot.say("response p2win");
        } else {
            bot.say(&bot.right_answer());
        }
    }),
    ("answers-nonsense", When::Query, |bot| {
        bot.say("response \x1b[31mwho knows");
    }),
    ("answers-questions-twice", When::Query, |bot| {
        bot.say(&format!("{0}\n{0}", bot.right_answer()));
    }),
    ("answers-no-query", When::Query, |_| ()),
    ("exits-at-a-query", When::Query, |_| exit(3)),
    ("hangs-at-a-query", When::Query, |_| harm::sleep_for_ever()),
    ("floods-at-a-query", When::Query, |bot| {
        loop {
            bot.write(b"response true\n".repeat(1000).as_slice());
        }
    }),
];

/// A bot and the position it was told.
struct Bot {
    position: Box<dyn AnyPosition>,
    last: Option<String>,
    /// What it was last asked.
    question: Option<Query>,
}

impl Bot {
    #[allow(clippy::unused_self)] // it is the bot who writes
    fn write(&self, bytes: &[u8]) {
        let mut out = io::stdout().lock();
        if out.write_all(bytes).and_then(|()| out.flush()).is_err() {
            exit(0);
        }
    }

    fn say(&self, line: &str) {
        self.write(format!("{line}\n").as_bytes());
    }

    fn first_move(&self) -> String {
        let moves = self.position.legal_moves();
        moves
            .first()
            .map_or("0000".into(), |&one| self.position.move_text(one))
    }

    fn good_move(&self) -> String {
        format!("bestmove {}", self.first_move())
    }

    fn right_answer(&self) -> String {
        let result = self.position.outcome().map(|outcome| outcome.result);
        let response = self
            .question
            .map(|question| Response::to(question, self.position.side_to_move(), result));
        response.map_or_else(String::new, |response| format!("response {}", response.word()))
    }

    fn last_move(&self) -> String {
        format!("bestmove {}", self.last.clone().unwrap_or("a1".into()))
    }

    /// In the middle of the board, where nothing holds a brick and nobody moves
    /// to.
    fn illegal_move(&self) -> String {
        let is_gridlock = self.position.fen().split(' ').count() > 2;
        format!("bestmove {}", if is_gridlock { "a1g7" } else { "d4" })
    }

    /// A move of the opponent, found by letting it move in this position.
    fn move_of_the_other_side(&self) -> String {
        let fen = self.position.fen();
        let mut words: Vec<String> = fen.split(' ').map(String::from).collect();
        words[1] = if words[1] == "x" { "o" } else { "x" }.into();
        let turned = Variant::Gridlock.parse_fen(&words.join(" "));
        let text = turned.ok().and_then(|position| {
            let moves = position.legal_moves();
            moves.first().map(|&one| position.move_text(one))
        });
        text.map_or_else(|| self.last_move(), |text| format!("bestmove {text}"))
    }

    /// Takes over the position of a `position` line.
    fn set(&mut self, start: &Start, moves: &[String]) {
        let position = match start {
            Start::Startpos => Some(Variant::MagneticCave.startpos()),
            Start::Fen(fen) => Variant::ALL
                .iter()
                .find_map(|variant| variant.parse_fen(fen).ok()),
        };
        let Some(mut position) = position else { return };
        for text in moves {
            if let Ok(one) = position.parse_move(text) {
                position.play(one);
            }
        }
        self.position = position;
        self.last = moves.last().cloned();
    }
}

fn main() {
    let name = std::env::args().nth(1).unwrap_or_default();
    if harm::is_child(&name) {
        return;
    }
    let Some(&(_, when, deed)) = ZOO.iter().find(|(animal, ..)| *animal == name) else {
        for (animal, ..) in ZOO {
            println!("{animal}");
        }
        return;
    };
    let mut bot = Bot {
        position: Variant::MagneticCave.startpos(),
        last: None,
        question: None,
    };
    if when == When::Start {
        deed(&bot);
    }
    let mut thinks = 0;
    for line in io::stdin().lock().lines() {
        let Ok(line) = line else { return };
        match Command::parse(&line) {
            Ok(Command::Greet(_)) if when == When::Greet => deed(&bot),
            Ok(Command::Greet(dialect)) => bot.say(dialect.greeted()),
            Ok(Command::IsReady) if when == When::IsReady => deed(&bot),
            Ok(Command::IsReady) => bot.say("readyok"),
            Ok(Command::NewGame) => thinks = 0,
            Ok(Command::Query(question)) => {
                bot.question = Some(question);
                if when == When::Query {
                    deed(&bot);
                } else {
                    bot.say(&bot.right_answer());
                }
            }
            Ok(Command::Position { start, moves }) => bot.set(&start, &moves),
            Ok(Command::Go(_)) => {
                thinks += 1;
                if when == When::Think && thinks > 1 {
                    deed(&bot);
                    continue;
                }
                bot.say(&bot.good_move());
                if when == When::Moved {
                    deed(&bot);
                }
            }
            Ok(Command::Quit) if when == When::Quit => deed(&bot),
            Ok(Command::Quit) => return,
            _ => {}
        }
    }
    if when == When::Quit {
        deed(&bot);
    }
}
