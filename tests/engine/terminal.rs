//! The engine in a terminal: a greeting and `help` on stderr, nothing new on stdout.
use sentences::{assert_has, expect};
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::os::fd::AsFd;
use std::process::{ChildStderr, Command, Output, Stdio};

use pty_process::blocking as pty;

const ENGINE: &str = env!("CARGO_BIN_EXE_lodestone-under-test");

/// The next line on stderr.
fn read_line(stderr: &mut BufReader<ChildStderr>) -> String {
    let mut line = String::new();
    assert!(stderr.read_line(&mut line).unwrap() > 0);
    line
}

#[test]
fn greeting_and_help_go_to_stderr_in_a_terminal() {
    let (pty, terminal) = pty::open().unwrap();
    let mut child = pty::Command::new(ENGINE)
        .env_remove("RUST_LOG")
        .stderr(Stdio::piped())
        .spawn(terminal)
        .unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let greeting = [read_line(&mut stderr), read_line(&mut stderr)];
    assert!(greeting[1].contains("`help`"), "{greeting:?}");
    let mut keys = File::from(pty.as_fd().try_clone_to_owned().unwrap());
    keys.write_all(b"help\n").unwrap();
    let mut help = String::new();
    while !help.contains("protocol.md") {
        help += &read_line(&mut stderr);
    }
    assert!(help.contains("go movetime 1000 "), "{help}");
    // Stdout has the terminal's echo and the reply, but no error and no help.
    keys.write_all(b"isready\n").unwrap();
    let mut stdout = BufReader::new(pty).lines();
    let shown: Vec<String> = stdout
        .by_ref()
        .map(Result::unwrap)
        .take_while(|line| line != "readyok")
        .collect();
    assert_eq!(shown, ["help", "isready"]);
    keys.write_all(b"quit\n").unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

/// Checks that this output is that of `help` in a pipe.
fn assert_help_is_unknown(output: &Output) {
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn help_in_a_pipe_is_an_unknown_command() {
    let mut child = Command::new(ENGINE)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"help\n").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_help_is_unknown(&output);
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert!(
        stdout.starts_with("info string error: column 1: expected a command (uci, "),
        "{stdout}"
    );
    assert!(stdout.ends_with(", found `help`\n"), "{stdout}");
}

#[test]
fn no_greeting_with_only_one_terminal() {
    // Stdin is a terminal, stdout a pipe.
    let (pty, terminal) = pty::open().unwrap();
    let child = pty::Command::new(ENGINE)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn(terminal)
        .unwrap();
    File::from(pty.as_fd().try_clone_to_owned().unwrap())
        .write_all(b"help\nquit\n")
        .unwrap();
    assert_help_is_unknown(&child.wait_with_output().unwrap());
    // Stdin is a pipe, stdout a terminal.
    let (_pty, terminal) = pty::open().unwrap();
    let mut child = pty::Command::new(ENGINE)
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn(terminal)
        .unwrap();
    child.stdin.take().unwrap().write_all(b"help\n").unwrap();
    assert_help_is_unknown(&child.wait_with_output().unwrap());
}

#[test]
fn errors_are_messages_of_the_engine() {
    let read_a_folder = |log: &str| {
        let output = Command::new(ENGINE)
            .stdin(File::open("/").unwrap())
            .env("RUST_LOG", log)
            .output()
            .unwrap();
        String::from_utf8(output.stderr).unwrap()
    };
    let message = read_a_folder("");
    assert_has(&message, expect! {"lodestone: error: cannot read the input:"});
    let log = read_a_folder("error");
    assert!(log.contains("ERROR lodestone_game::input] cannot read "), "{log}");
}
