//! The zoo of bad bots: `zoo NAME`. Without arguments it lists the names.
//!
//! Each bot is correct, for both games and dialects, but for one thing: a fault, or an unusual habit that is none
//! (`fault.rs`), or a misdeed, most often at its second move (`animals.rs`). `table.rs` has what becomes of it, and `said/`
//! what the referee says of it.
//!
//! Bad programs that are elsewhere, because more than a bot is needed:
//! * `tests/attacks`: the outcomes of hundreds of attacks are a table of the sandbox.
//! * `tests/autograder/hostile.py`: hand-ins that attack graders, on a machine with other users.
//! * `tests/page/hostile.test.mjs`: names and transcripts as markup, in a browser.
//! * `tests/referee/broken_rules.rs`, `tests/rules_programs/zoo.sh`: rules programs, of which no ladder or feedback speaks.
//! * `tests/referee/your_bot.rs`: the Python bot that the manual changes, and what the manual quotes.
//! * `tests/referee/faults.rs`, `mistakes.rs`: what a second bot, a limit, a file or the end of a match brings about.

mod animals;
mod bot;
mod fault;
mod harm;
#[cfg(unix)]
mod signals;

/// There are no signals and sessions.
#[cfg(not(unix))]
mod signals {
    pub fn ignore_sigterm() {}

    pub fn leave_session() {}
}

use std::io::{self, BufRead};
use std::process::exit;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Instant;

use clap::ValueEnum;

use self::animals::ZOO;
use self::bot::Bot;
use self::fault::{Fault, Habit};

/// The lines of standard input. A thread reads each of them when it is asked for, so that a bot reads while it thinks,
/// but not after it has stopped reading.
struct Lines {
    ask: Sender<()>,
    read: Receiver<String>,
    is_asked: bool,
}

impl Lines {
    fn new() -> Lines {
        let (ask, asked) = channel();
        let (sender, read) = channel();
        thread::spawn(move || {
            let mut input = io::stdin().lock().split(b'\n');
            for () in asked {
                let Some(Ok(line)) = input.next() else { return };
                if sender.send(String::from_utf8_lossy(&line).into_owned()).is_err() {
                    return;
                }
            }
        });
        Lines {
            ask,
            read,
            is_asked: false,
        }
    }

    /// The next line, if it comes before the deadline.
    fn next(&mut self, deadline: Option<Instant>) -> Result<String, RecvTimeoutError> {
        if !self.is_asked {
            let _ = self.ask.send(());
        }
        let line = match deadline {
            Some(deadline) => self
                .read
                .recv_timeout(deadline.saturating_duration_since(Instant::now())),
            None => self.read.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        self.is_asked = line == Err(RecvTimeoutError::Timeout);
        line
    }
}

fn list<T: ValueEnum>(kind: &str) {
    for value in T::value_variants().iter().filter_map(T::to_possible_value) {
        let help = value.get_help().map(ToString::to_string).unwrap_or_default();
        println!("{kind}\t{}\t{help}", value.get_name());
    }
}

fn main() {
    let Some(name) = std::env::args().nth(1) else {
        list::<Fault>("fault");
        for animal in ZOO {
            println!("fault\t{}\t{}", animal.name, animal.name.replace('-', " "));
        }
        list::<Habit>("habit");
        return;
    };
    if name == harm::CHILD {
        harm::be_a_child();
    }
    let Some(bot) = Bot::named(&name) else {
        eprintln!("there is no bot `{name}` in the zoo");
        exit(2);
    };
    bot.run(&mut Lines::new());
}
