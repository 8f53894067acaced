//! The bots of the zoo: what each does, and when.

use std::process::exit;
use std::thread::sleep;
use std::time::Duration;

#[cfg(unix)]
use rustix::process::Signal;

use crate::bot::Bot;
use crate::{harm, signals};

/// When a bot misbehaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// Before it reads anything.
    Start,
    /// Instead of `uciok` or `ugiok`.
    Greet,
    /// Instead of `readyok`.
    IsReady,
    /// Instead of a move, from its second move on.
    Think,
    /// At `ucinewgame`, before the answer.
    NewGame,
    /// After its first move.
    Moved,
    /// At `quit`.
    Quit,
}

/// A bot that is correct until the moment of its misbehaviour. Its name says what it does.
pub struct Animal {
    pub name: &'static str,
    pub when: When,
    pub deed: fn(&mut Bot),
}

impl Animal {
    pub fn named(name: &str) -> Option<&'static Animal> {
        ZOO.iter().find(|animal| animal.name == name)
    }
}

const fn animal(name: &'static str, when: When, deed: fn(&mut Bot)) -> Animal {
    Animal { name, when, deed }
}

/// All of them.
pub const ZOO: &[Animal] = &[
    animal("exits-at-uci", When::Greet, |_| exit(3)),
    animal("exits-at-isready", When::IsReady, |_| exit(3)),
    animal("exits-thinking", When::Think, |_| exit(3)),
    animal("exits-after-its-move", When::Moved, |_| exit(0)),
    animal("answers-and-exits", When::Think, |bot| {
        let answer = bot.good_move();
        bot.say(&answer);
        exit(0);
    }),
    #[cfg(unix)]
    animal("segfaults", When::Think, |_| signals::segfault()),
    animal("answers-early", When::IsReady, |bot| {
        bot.say("bestmove a1\nreadyok\nbestmove a1");
    }),
    animal("answers-late", When::Think, |bot| {
        sleep(Duration::from_millis(700));
        let answer = bot.good_move();
        bot.say(&answer);
    }),
    animal("hangs", When::Think, |_| harm::sleep_for_ever()),
    animal("talks-and-hangs", When::Think, |bot| {
        loop {
            bot.say("info depth 1 score cp 1");
            sleep(Duration::from_millis(50));
        }
    }),
    animal("moves-for-the-other-side", When::Think, |bot| {
        let other = bot.move_of_the_other_side();
        bot.say(&format!("bestmove {other}"));
    }),
    animal("plays-an-illegal-move", When::Think, |bot| {
        let illegal = bot.illegal_move();
        bot.say(&format!("bestmove {illegal}"));
    }),
    animal("plays-the-last-move-again", When::Think, |bot| {
        let last = bot.last_move();
        bot.say(&format!("bestmove {last}"));
    }),
    animal("shouts", When::Think, |bot| {
        bot.say(&format!("bestmove {}", bot.first_move().to_uppercase()));
    }),
    animal("says-more", When::Think, |bot| {
        bot.say(&format!("{} ponder and so on", bot.good_move()));
    }),
    animal("has-no-line-end", When::Think, |bot| {
        bot.bytes(bot.good_move().as_bytes());
        harm::sleep_for_ever();
    }),
    animal("has-no-line-end-and-exits", When::Think, |bot| {
        bot.bytes(bot.good_move().as_bytes());
        exit(0);
    }),
    animal("plays-nonsense", When::Think, |bot| bot.say("bestmove e2e4q")),
    animal("plays-nothing", When::Think, |bot| bot.say("bestmove")),
    animal("resigns-by-0000", When::Think, |bot| bot.say("bestmove 0000")),
    animal("plays-nul", When::Think, |bot| bot.bytes(b"bestmove \0\0\0\n")),
    animal("is-no-text", When::Think, |bot| bot.bytes(b"bestmove \xff\xfe\n")),
    animal("writes-garbage", When::Think, |bot| {
        bot.bytes(
            &(0..60_000)
                .map(|byte| (byte * 7 % 251) as u8)
                .filter(|&byte| byte != b'\n')
                .collect::<Vec<_>>(),
        );
        bot.say("");
        let answer = bot.good_move();
        bot.say(&answer);
    }),
    animal("never-ends-its-line", When::Think, |bot| {
        loop {
            bot.bytes(&[b'a'; 64 * 1024]);
        }
    }),
    animal("floods", When::Think, |bot| {
        loop {
            bot.bytes("info string and so on and on\n".repeat(1000).as_bytes());
        }
    }),
    animal("writes-byte-by-byte", When::Think, |bot| {
        for byte in bot.good_move().bytes().chain([b'\n']) {
            bot.bytes(&[byte]);
            sleep(Duration::from_millis(5));
        }
    }),
    animal("drips-for-ever", When::Think, |bot| {
        loop {
            bot.bytes(b"a");
            sleep(Duration::from_millis(20));
        }
    }),
    animal("floods-stderr", When::Think, |bot| {
        harm::flood_stderr();
        let answer = bot.good_move();
        bot.say(&answer);
    }),
    #[cfg(unix)]
    animal("closes-its-input", When::Moved, |_| signals::close_stdin()),
    #[cfg(unix)]
    animal("closes-its-output", When::Think, |_| {
        signals::close_stdout();
        harm::sleep_for_ever();
    }),
    animal("never-reads", When::Moved, |_| harm::sleep_for_ever()),
    #[cfg(unix)]
    animal("stops-itself", When::Think, |_| signals::stop()),
    animal("ignores-sigterm", When::Start, |_| signals::ignore_sigterm()),
    animal("refuses-to-quit", When::Quit, |_| harm::sleep_for_ever()),
    animal("leaves-a-child", When::Think, |_| {
        harm::child("sleeps");
        exit(0);
    }),
    animal("leaves-a-stubborn-child", When::Quit, |_| harm::child("stubborn")),
    animal("leaves-a-child-with-a-session", When::Think, |bot| {
        harm::child("session");
        let answer = bot.good_move();
        bot.say(&answer);
    }),
    animal("forks-on", When::Think, |_| {
        harm::fork_on(Duration::ZERO);
        harm::sleep_for_ever();
    }),
    animal("eats-memory", When::Think, |_| harm::eat_memory()),
    animal("spins", When::Think, |_| harm::spin()),
    animal("greets-unasked", When::Start, |bot| bot.say("uciok")),
    animal("is-ready-twice", When::IsReady, |bot| bot.say("readyok\nreadyok")),
    animal("has-many-options", When::Greet, |bot| {
        for number in 0..5000 {
            bot.say(&format!("option name Option {number} type string default x"));
        }
        bot.say(&format!(
            "option name Long type string default {}",
            "x".repeat(60_000)
        ));
        bot.say("uciok");
    }),
    animal("has-a-strange-name", When::Greet, |bot| {
        bot.say("id name \x1b[2J\x1b[31m\u{202e}eman\r\0\nid author\nuciok");
    }),
    animal("floods-the-greeting", When::Greet, |bot| {
        // Long lines: the referee reads all of them within the time of a handshake on a busy machine, too.
        let line = format!("id name {}\n", "and so on ".repeat(400));
        loop {
            bot.bytes(line.as_bytes());
        }
    }),
    animal("answers-ucinewgame", When::NewGame, |bot| bot.say("readyok")),
    animal("hangs-at-ucinewgame", When::NewGame, |_| harm::sleep_for_ever()),
    animal("shouts-the-command", When::Think, |bot| {
        bot.say(&bot.good_move().to_uppercase());
    }),
    animal("writes-with-tabs", When::Think, |bot| {
        bot.say(&format!(" \t bestmove \t  {} \t \r", bot.first_move()));
    }),
    animal("pauses-in-its-move", When::Think, |bot| {
        let text = bot.good_move();
        let (one, other) = text.split_at(5);
        bot.bytes(one.as_bytes());
        sleep(Duration::from_millis(20));
        bot.say(other);
    }),
    animal("has-no-move", When::Think, |bot| bot.say("bestmove (none)")),
    animal("colours-its-move", When::Think, |bot| {
        bot.say(&format!("bestmove \x1b[31m{}\x1b[0m", bot.first_move()));
    }),
    animal("hides-its-move", When::Think, |bot| {
        bot.say(&format!("info string {}", bot.good_move()));
    }),
    animal("writes-absurd-numbers", When::Think, |bot| {
        bot.say("info depth 99999999999999999999 seldepth -1 nodes 1e9 score cp 999999999999 time -5 pv");
        bot.say("info score win 4000000000 hashfull 18446744073709551616 score");
        let answer = bot.good_move();
        bot.say(&answer);
    }),
    #[cfg(unix)]
    animal("becomes-another", When::Think, |_| signals::become_another()),
    #[cfg(unix)]
    animal("kills-its-group", When::Think, |_| signals::kill_group()),
    #[cfg(unix)]
    animal("kills-its-parent", When::Think, |_| {
        signals::turn_on_parent(Signal::KILL);
    }),
    #[cfg(unix)]
    animal("stops-its-parent", When::Think, |_| {
        signals::turn_on_parent(Signal::STOP);
    }),
    animal("makes-zombies", When::Think, |bot| {
        harm::make_zombies();
        let answer = bot.good_move();
        bot.say(&answer);
    }),
    animal("leaves-a-daemon", When::Think, |_| {
        harm::child("daemon");
        exit(0);
    }),
    animal("forks-slowly", When::Think, |_| {
        harm::fork_on(Duration::from_millis(10));
        harm::sleep_for_ever();
    }),
    animal("lets-a-child-eat", When::Think, |_| {
        harm::child("eats");
        harm::sleep_for_ever();
    }),
    animal("writes-a-colon", When::Think, |bot| {
        bot.say(&format!("bestmove: {}", bot.first_move()));
    }),
    animal("prompts-before-its-answer", When::Think, |bot| {
        bot.say(&format!("> {}", bot.good_move()));
    }),
    animal("writes-for-people", When::Think, |bot| {
        let mv = bot.first_move().to_uppercase();
        bot.say(&format!("  a b c d\n8 . . . .\nMy move: {mv}"));
    }),
    animal("writes-a-move-and-exits", When::Think, |bot| {
        bot.say(&bot.first_move());
        exit(0);
    }),
    animal("thinks-aloud", When::Think, |bot| {
        bot.say("thinking\nstill thinking");
    }),
    animal("asks-for-a-move", When::Think, |bot| bot.bytes(b"Enter move: ")),
    animal("asks-for-a-move-at-its-start", When::Greet, |bot| {
        bot.bytes(b"Enter move: ");
    }),
    animal("answers-isready-with-a-move", When::IsReady, |bot| {
        bot.say("bestmove a1");
    }),
    animal("breaks-off-its-answer", When::Think, |bot| {
        bot.bytes(b"bestmove a");
        eprintln!("Oops");
        exit(3);
    }),
    animal("spaces-its-move", When::Think, |bot| {
        let mv = bot.first_move().to_uppercase();
        let (column, row) = mv.split_at(1);
        bot.say(&format!("bestmove {column} {row}"));
    }),
    animal("prints-a-traceback", When::Think, |_| {
        eprintln!("Traceback (most recent call last):\n  File \"bot.py\", line 3\nIndexError: list index");
        exit(1);
    }),
    animal("throws-in-java", When::Think, |_| {
        eprintln!("Exception in thread \"main\" java.lang.Error: no\n\tat Bot.main(Bot.java:3)");
        exit(1);
    }),
    animal("reports-an-error-and-exits", When::Think, |bot| {
        bot.say("info string error: line 3 calls exit");
        exit(0);
    }),
    animal("reports-an-illegal-move", When::Think, |bot| {
        let mv = bot.last_move();
        bot.say(&format!("info string error: I chose {mv}\nbestmove {mv}"));
    }),
    animal("talks-to-itself", When::Think, |bot| {
        eprintln!("bestmove is what it looks for");
        let mv = bot.first_move();
        bot.say(&format!("board:\n8 x . . .\nEnter move: \nbestmove {mv}\r"));
    }),
];
