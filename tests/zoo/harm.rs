//! Harmful behaviour. All of it is bounded, so that a broken referee does not take the
//! machine down.

use std::io::Write;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio, exit};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Signal, getpid, getppid, kill_current_process_group, kill_process};

/// Longer than any test, in seconds.
const LONG: Duration = Duration::from_mins(2);

/// Upper bound on the zoo's processes.
const MOST_CHILDREN: usize = 300;

/// Upper bound on allocated memory, in bytes.
const MOST_MEMORY: usize = 1 << 30;

pub fn sleep_for_ever() {
    thread::sleep(LONG);
    exit(99);
}

pub fn segfault() {
    // The first one removes Rust's handler for stack overflows.
    for _ in 0..3 {
        let _ = kill_process(getpid(), Signal::SEGV);
    }
    sleep_for_ever();
}

/// Stops itself with SIGSTOP; nothing continues it.
pub fn stop() {
    let _ = kill_process(getpid(), Signal::STOP);
    sleep_for_ever();
}

pub fn ignore_sigterm() {
    let seen = Arc::new(AtomicBool::new(false));
    let _ = signal_hook::flag::register(signal_hook::consts::SIGTERM, seen);
}

/// About 100 MB.
pub fn flood_stderr() {
    let line = [b'e'; 1000];
    let mut err = std::io::stderr().lock();
    for _ in 0..100_000 {
        if err.write_all(&line).and_then(|()| err.write_all(b"\n")).is_err() {
            return;
        }
    }
}

pub fn close_stdin() {
    let null = std::fs::File::open("/dev/null");
    if let Ok(null) = null {
        let _ = rustix::stdio::dup2_stdin(null);
    }
    sleep_for_ever();
}

pub fn close_stdout() {
    let null = std::fs::OpenOptions::new().write(true).open("/dev/null");
    if let Ok(null) = null {
        let _ = rustix::stdio::dup2_stdout(null);
    }
}

/// Starts the zoo again as a child that inherits this bot's pipes.
pub fn child(kind: &str) {
    let Ok(zoo) = std::env::current_exe() else { return };
    let _ = Command::new(zoo)
        .args(["child", kind])
        .stdin(Stdio::null())
        .spawn();
    thread::sleep(Duration::from_millis(50));
}

/// Whether this process is such a child; a child does not return.
pub fn is_child(name: &str) -> bool {
    if name != "child" {
        return false;
    }
    match std::env::args().nth(2).as_deref() {
        Some("stubborn") => ignore_sigterm(),
        Some("session") => {
            let _ = rustix::process::setsid();
        }
        Some("daemon") => {
            let _ = rustix::process::setsid();
            child("stubborn");
            exit(0);
        }
        Some("eats") => eat_memory(),
        Some("ends") => exit(0),
        _ => {}
    }
    sleep_for_ever();
    true
}

/// Starts children with a pause between them.
pub fn fork_on(pause: Duration) {
    for _ in 0..MOST_CHILDREN {
        thread::sleep(pause);
        let Ok(zoo) = std::env::current_exe() else { return };
        let child = Command::new(zoo)
            .args(["child", "session"])
            .stdin(Stdio::null())
            .spawn();
        if child.is_err() {
            return;
        }
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
            .args(["child", "ends"])
            .stdin(Stdio::null())
            .spawn();
    }
}

/// Replaces itself by another program with the same pipes.
pub fn become_another() {
    let error = Command::new("sleep").arg("120").exec();
    eprintln!("{error}");
    exit(4);
}

pub fn kill_group() {
    let _ = kill_current_process_group(Signal::KILL);
    sleep_for_ever();
}

/// The parent of a bot may be the referee.
pub fn turn_on_parent(signal: Signal) {
    if let Some(parent) = getppid() {
        let _ = kill_process(parent, signal);
    }
    thread::sleep(Duration::from_millis(100));
    exit(4);
}
