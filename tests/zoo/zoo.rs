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
use lodestone::protocol::{Command, Start};

/// When a bot does what it is here for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum When {
    /// Before it reads anything.
    Start,
    /// Instead of `uciok`.
    Uci,
    /// Instead of `readyok`.
    IsReady,
    /// Instead of a move, from its second one on.
    Think,
    /// After its first move.
    Moved,
    /// When it is told to leave.
    Quit,
}

/// What stands in the way of an answer.
type Deed = fn(&Bot);

/// All animals: their name, and what they do when.
const ZOO: &[(&str, When, Deed)] = &[
    ("exits-at-start", When::Start, |_| exit(3)),
    ("exits-at-uci", When::Uci, |_| exit(3)),
    ("exits-at-isready", When::IsReady, |_| exit(3)),
    ("exits-thinking", When::Think, |_| exit(3)),
    ("exits-after-its-move", When::Moved, |_| exit(0)),
    ("answers-and-exits", When::Think, |bot| {
        bot.say(&bot.good_move());
        exit(0);
    }),
    ("segfaults", When::Think, |_| harm::segfault()),
    ("never-greets", When::Uci, |_| harm::sleep_for_ever()),
    ("never-ready", When::IsReady, |_| harm::sleep_for_ever()),
    ("starts-slowly", When::Start, |_| sleep(delay())),
    ("answers-twice", When::Think, |bot| {
        bot.say(&bot.good_move());
        bot.say(&bot.good_move());
    }),
    ("answers-early", When::IsReady, |bot| {
        bot.say("bestmove a1");
        bot.say("readyok");
        bot.say("bestmove a1");
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
];

/// How slowly `starts-slowly` starts: so many seconds as stand behind its name.
fn delay() -> Duration {
    let seconds = std::env::args().nth(2).and_then(|seconds| seconds.parse().ok());
    Duration::try_from_secs_f64(seconds.unwrap_or(3.0)).unwrap_or_default()
}

/// A bot and the position it was told.
struct Bot {
    position: Box<dyn AnyPosition>,
    last: Option<String>,
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
    };
    if when == When::Start {
        deed(&bot);
    }
    let mut thinks = 0;
    for line in io::stdin().lock().lines() {
        let Ok(line) = line else { return };
        match Command::parse(&line) {
            Ok(Command::Uci) if when == When::Uci => deed(&bot),
            Ok(Command::Uci) => bot.say("uciok"),
            Ok(Command::IsReady) if when == When::IsReady => deed(&bot),
            Ok(Command::IsReady) => bot.say("readyok"),
            Ok(Command::NewGame) => thinks = 0,
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
