//! A client of the engine: starts the real program and uses its pipes.

#![allow(dead_code)] // each test binary uses its part

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

/// Time limit of an answer; far more than an engine needs on a busy machine.
const PATIENCE: Duration = Duration::from_mins(1);

/// The engine's command.
pub fn engine() -> Command {
    Command::new(env!("CARGO_BIN_EXE_lodestone-under-test"))
}

/// The engine's output for this whole input. It must exit with 0 and log nothing.
pub fn answers(input: impl Into<Vec<u8>>) -> Vec<String> {
    answers_with(&[], input)
}

/// Like [`answers`], for an engine with these arguments.
pub fn answers_with(arguments: &[&str], input: impl Into<Vec<u8>>) -> Vec<String> {
    let mut child = spawn(arguments);
    let mut stdin = child.stdin.take().unwrap();
    let input = input.into();
    let writer = thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().unwrap();
    // Fails if the engine quits before it has read everything.
    let _ = writer.join().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(str::to_string)
        .collect()
}

/// Starts the engine with pipes for input and outputs.
pub fn spawn(arguments: &[&str]) -> Child {
    engine()
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// The number after `name` in an `info` line.
pub fn field(line: &str, name: &str) -> Option<u64> {
    let mut words = line.split(' ');
    words.find(|&word| word == name)?;
    words.next()?.parse().ok()
}

/// The kind of the last score, as points: 1, 0 or −1.
pub fn points(replies: &[String]) -> Option<i32> {
    let line = replies.iter().rev().find(|line| line.contains(" score "))?;
    match line.split(" score ").nth(1)?.split(' ').next()? {
        "win" => Some(1),
        "draw" => Some(0),
        "loss" => Some(-1),
        _ => None,
    }
}

/// A running engine, killed on drop.
pub struct Client {
    child: Child,
    /// `None` once it is closed.
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Client {
    /// Starts the engine.
    pub fn start() -> Client {
        Client::start_with(&[])
    }

    /// Starts the engine with these arguments.
    pub fn start_with(arguments: &[&str]) -> Client {
        Client::of(spawn(arguments))
    }

    /// The client of this engine, which has pipes for input and output.
    pub fn of(mut child: Child) -> Client {
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().unwrap();
        let (sender, lines) = channel();
        thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Client { child, stdin, lines }
    }

    /// Sends this text in one write.
    pub fn send(&mut self, text: impl AsRef<[u8]>) {
        let stdin = self.stdin.as_mut().expect("it is open");
        stdin.write_all(text.as_ref()).unwrap();
    }

    /// Ends the engine's input.
    pub fn close(&mut self) {
        self.stdin = None;
    }

    /// The engine's process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Waits for the engine to exit; returns whether its status is 0.
    pub fn ends_with_status_0(&mut self) -> bool {
        self.close();
        self.child.wait().unwrap().success()
    }

    /// Peak memory of the engine, in KiB; `None` on systems that do not report it.
    pub fn peak_memory(&self) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
        peak.trim().strip_suffix(" kB")?.parse().ok()
    }

    /// The next line; `wanted` is for the message if there is none.
    pub fn next_line(&self, wanted: &str) -> String {
        let line = self.lines.recv_timeout(PATIENCE);
        line.unwrap_or_else(|error| panic!("{error}: no `{wanted}`"))
    }

    /// All lines up to and including the first that starts with `start`.
    pub fn until(&mut self, start: &str) -> Vec<String> {
        let mut seen = Vec::new();
        loop {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(line) => seen.push(line),
                Err(error) => panic!("{error} before `{start}`, after {seen:#?}"),
            }
            if seen.last().is_some_and(|line| line.starts_with(start)) {
                return seen;
            }
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
