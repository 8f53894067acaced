//! Input and checks shared by the targets.

use std::io::{Seek, Write};
#[cfg(unix)]
use std::os::fd::OwnedFd as OwnedFile;
#[cfg(windows)]
use std::os::windows::io::OwnedHandle as OwnedFile;
use std::process::ChildStdout;
use std::sync::Arc;

use lodestone_game::Variant;
use lodestone_game::text::is_printable;
use referee_core::io::interrupt::Interrupt;
use referee_core::process::Channel;
use referee_core::system::pipes::Reader as PipeReader;

/// A file or a pipe, as the output of an engine.
pub fn output_of(source: impl Into<OwnedFile>) -> PipeReader {
    PipeReader::new(ChildStdout::from(source.into())).expect("a pipe can be made")
}

/// The channel of a program whose whole output is written in advance.
pub fn channel_of(output: &[u8]) -> Channel {
    let mut file = tempfile::tempfile().expect("a temporary file can be made");
    file.write_all(output).expect("a temporary file can be written");
    file.rewind().expect("a file can be rewound");
    let interrupt = Arc::new(Interrupt::unreachable().expect("a pipe can be made"));
    Channel::new((None, Some(output_of(file)), None), None, None, interrupt)
}

/// The input as text, decoded like the lines of engines.
pub fn text(input: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(input)
}

/// The first line of the input, as text.
pub fn line(input: &[u8]) -> String {
    let line = input.split(|&byte| byte == b'\n').next().unwrap_or_default();
    text(line).into_owned()
}

/// Checks that a message is one printable line, and returns it.
pub fn one_line(error: impl std::fmt::Display) -> String {
    let error = error.to_string();
    assert!(
        error.chars().all(is_printable),
        "an unprintable character in {error:?}"
    );
    assert!(!error.is_empty(), "an empty error");
    error
}

/// The answers for each game.
pub fn of_each(answer: impl FnMut(Variant) -> String) -> String {
    let answers: Vec<String> = Variant::ALL.iter().copied().map(answer).collect();
    answers.join("; ")
}

/// The bytes with each `~` replaced by this number of letters, until the result has
/// `max` bytes.
pub fn stretched(bytes: &[u8], letters: usize, max: usize) -> Vec<u8> {
    let mut stretched = Vec::new();
    for &byte in bytes {
        match byte {
            b'~' if stretched.len() < max => stretched.resize(stretched.len() + letters, b'a'),
            b'~' => {}
            _ => stretched.push(byte),
        }
    }
    stretched
}
