//! The bots of the zoo: what each does, and when.

use std::process::exit;
use std::thread::sleep;
use std::time::Duration;

#[cfg(unix)]
use rustix::process::Signal;

use crate::{Bot, harm, signals};

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

/// An answer, and what accompanies it.
type Deed = fn(&Bot);

/// All bots: name, moment and behaviour.
pub const ZOO: &[(&str, When, Deed)] = &[
    ("exits-at-start", When::Start, |_| exit(3)),
    ("exits-at-uci", When::Greet, |_| exit(3)),
    ("exits-at-isready", When::IsReady, |_| exit(3)),
    ("exits-thinking", When::Think, |_| exit(3)),
    ("exits-after-its-move", When::Moved, |_| exit(0)),
    ("answers-and-exits", When::Think, |bot| {
        bot.say(&bot.good_move());
        exit(0);
    }),
    #[cfg(unix)]
    ("segfaults", When::Think, |_| signals::segfault()),
    ("never-greets", When::Greet, |_| harm::sleep_for_ever()),
    ("never-ready", When::IsReady, |_| harm::sleep_for_ever()),
    ("starts-slowly", When::Start, |_| sleep(delay())),
    // In one write: a line after the next `go` would count as its answer.
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
    #[cfg(unix)]
    ("closes-its-input", When::Moved, |_| signals::close_stdin()),
    #[cfg(unix)]
    ("closes-its-output", When::Think, |_| {
        signals::close_stdout();
        harm::sleep_for_ever();
    }),
    ("never-reads", When::Moved, |_| harm::sleep_for_ever()),
    #[cfg(unix)]
    ("stops-itself", When::Think, |_| signals::stop()),
    ("ignores-sigterm", When::Start, |_| signals::ignore_sigterm()),
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
        harm::fork_on(Duration::ZERO);
        harm::sleep_for_ever();
    }),
    ("eats-memory", When::Think, |_| harm::eat_memory()),
    ("spins", When::Think, |_| harm::spin()),
    ("greets-unasked", When::Start, |bot| bot.say("uciok")),
    ("is-ready-twice", When::IsReady, |bot| bot.say("readyok\nreadyok")),
    ("has-many-options", When::Greet, |bot| {
        for number in 0..5000 {
            bot.say(&format!("option name Option {number} type string default x"));
        }
        bot.say(&format!(
            "option name Long type string default {}",
            "x".repeat(60_000)
        ));
        bot.say("uciok");
    }),
    ("has-a-strange-name", When::Greet, |bot| {
        bot.say("id name \x1b[2J\x1b[31m\u{202e}eman\r\0\nid author\nuciok");
    }),
    ("floods-the-greeting", When::Greet, |bot| {
        // Long lines: the referee reads all of them within the time of a handshake on a busy machine, too.
        let line = format!("id name {}\n", "and so on ".repeat(400));
        loop {
            bot.write(line.as_bytes());
        }
    }),
    ("answers-ucinewgame", When::NewGame, |bot| bot.say("readyok")),
    ("exits-at-ucinewgame", When::NewGame, |_| exit(3)),
    ("hangs-at-ucinewgame", When::NewGame, |_| harm::sleep_for_ever()),
    ("shouts-the-command", When::Think, |bot| {
        bot.say(&bot.good_move().to_uppercase());
    }),
    ("writes-with-tabs", When::Think, |bot| {
        bot.say(&format!(" \t bestmove \t  {} \t \r", bot.first_move()));
    }),
    ("pauses-in-its-move", When::Think, |bot| {
        let text = bot.good_move();
        let (one, other) = text.split_at(5);
        bot.write(one.as_bytes());
        sleep(Duration::from_millis(20));
        bot.say(other);
    }),
    ("has-no-move", When::Think, |bot| bot.say("bestmove (none)")),
    ("colours-its-move", When::Think, |bot| {
        bot.say(&format!("bestmove \x1b[31m{}\x1b[0m", bot.first_move()));
    }),
    ("hides-its-move", When::Think, |bot| {
        bot.say(&format!("info string {}", bot.good_move()));
    }),
    ("answers-on-stderr", When::Think, |bot| {
        eprintln!("{}", bot.good_move());
    }),
    ("writes-absurd-numbers", When::Think, |bot| {
        bot.say("info depth 99999999999999999999 seldepth -1 nodes 1e9 score cp 999999999999 time -5 pv");
        bot.say("info score win 4000000000 hashfull 18446744073709551616 score");
        bot.say(&bot.good_move());
    }),
    #[cfg(unix)]
    ("becomes-another", When::Think, |_| signals::become_another()),
    #[cfg(unix)]
    ("kills-its-group", When::Think, |_| signals::kill_group()),
    #[cfg(unix)]
    ("kills-its-parent", When::Think, |_| {
        signals::turn_on_parent(Signal::KILL);
    }),
    #[cfg(unix)]
    ("stops-its-parent", When::Think, |_| {
        signals::turn_on_parent(Signal::STOP);
    }),
    ("makes-zombies", When::Think, |bot| {
        harm::make_zombies();
        bot.say(&bot.good_move());
    }),
    ("leaves-a-daemon", When::Think, |_| {
        harm::child("daemon");
        exit(0);
    }),
    ("forks-slowly", When::Think, |_| {
        harm::fork_on(Duration::from_millis(10));
        harm::sleep_for_ever();
    }),
    ("lets-a-child-eat", When::Think, |_| {
        harm::child("eats");
        harm::sleep_for_ever();
    }),
    ("greets-in-uci", When::Greet, |bot| bot.say("uciok")),
];

/// The delay of `starts-slowly`, in seconds, follows its name.
fn delay() -> Duration {
    let seconds = std::env::args().nth(2).and_then(|seconds| seconds.parse().ok());
    Duration::try_from_secs_f64(seconds.unwrap_or(3.0)).unwrap_or_default()
}
