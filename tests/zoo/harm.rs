//! Harmful behaviour. All of it is bounded, so that a broken referee does not take the
//! machine down.

use std::io::Write;
use std::process::{Command, Stdio, exit};
use std::thread;
use std::time::{Duration, Instant};

use crate::signals;

/// The argument of a child process; the next one says what the child does.
pub const CHILD: &str = "child";

/// Longer than any test.
pub const LONG: Duration = Duration::from_mins(2);

/// Upper bound on a bot's processes.
const MOST_CHILDREN: usize = 300;

/// Upper bound on allocated memory, in bytes.
const MOST_MEMORY: usize = 1 << 30;

pub fn sleep_for_ever() -> ! {
    thread::sleep(LONG);
    exit(99);
}

/// About 100 MB. Under Wine, where a pipe is slow, 5 MB.
pub fn flood_stderr() {
    let line = [b'e'; 1000];
    let lines = if cfg!(windows) { 5_000 } else { 100_000 };
    let mut err = std::io::stderr().lock();
    for _ in 0..lines {
        if err.write_all(&line).and_then(|()| err.write_all(b"\n")).is_err() {
            return;
        }
    }
}

/// Starts the zoo again as a child that inherits this bot's pipes.
pub fn child(kind: &str) {
    let Ok(zoo) = std::env::current_exe() else { return };
    let _ = Command::new(zoo).args([CHILD, kind]).stdin(Stdio::null()).spawn();
    thread::sleep(Duration::from_millis(50));
}

/// The process that a bot has started.
pub fn be_a_child() -> ! {
    match std::env::args().nth(2).as_deref() {
        Some("stubborn") => signals::ignore_sigterm(),
        Some("session") => signals::leave_session(),
        Some("daemon") => {
            signals::leave_session();
            child("stubborn");
            exit(0);
        }
        Some("eats") => eat_memory(),
        Some("ends") => exit(0),
        // For the tests of what outlives a referee.
        Some("starts-a-holder") => child("holder"),
        Some("holder") => hold_lock(),
        _ => {}
    }
    sleep_for_ever();
}

/// Starts children with a pause between them.
pub fn fork_on(pause: Duration) {
    for _ in 0..MOST_CHILDREN {
        thread::sleep(pause);
        let Ok(zoo) = std::env::current_exe() else { return };
        let child = Command::new(zoo)
            .args([CHILD, "session"])
            .stdin(Stdio::null())
            .spawn();
        if child.is_err() {
            return;
        }
    }
}

/// Locks the file `held` in the working folder.
fn hold_lock() {
    let file = std::fs::File::create("held");
    if let Ok(file) = file {
        let _ = file.lock();
        sleep_for_ever();
    }
}

pub fn eat_memory() {
    const BITE: usize = 16 << 20;
    let mut eaten: Vec<Vec<u8>> = Vec::new();
    while eaten.len() * BITE < MOST_MEMORY {
        eaten.push(vec![1; BITE]);
        thread::sleep(Duration::from_millis(2));
    }
    sleep_for_ever();
}

/// Keeps all cores busy for two seconds without an answer.
pub fn spin() {
    let cores = thread::available_parallelism().map_or(2, std::num::NonZero::get);
    let until = Instant::now() + Duration::from_secs(2);
    for _ in 0..cores {
        thread::spawn(move || while Instant::now() < until {});
    }
    sleep_for_ever();
}

/// Leaves some zombies.
pub fn make_zombies() {
    let Ok(zoo) = std::env::current_exe() else { return };
    for _ in 0..20 {
        let _ = Command::new(&zoo)
            .args([CHILD, "ends"])
            .stdin(Stdio::null())
            .spawn();
    }
}
