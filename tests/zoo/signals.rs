//! Harm done with signals, sessions and descriptors, which only Unix has.

use std::os::unix::process::CommandExt;
use std::process::{Command, exit};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::Duration;

use rustix::process::{Signal, getpid, getppid, kill_current_process_group, kill_process};

use crate::harm::sleep_for_ever;

/// Leaves its session and its process group.
pub fn leave_session() {
    let _ = rustix::process::setsid();
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
