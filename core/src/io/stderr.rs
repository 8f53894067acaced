//! What programs write to standard error: a file that keeps it, and which of its lines names the error.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::io::files;

/// The most that a command appends to a file of one player.
const MOST_KEPT: u64 = 64 << 20;

/// A file that keeps the standard error of a player.
#[derive(Debug)]
pub struct StderrFile {
    file: File,
    left: AtomicU64,
}

impl StderrFile {
    /// Opens a file, at its end.
    pub fn open(path: &Path) -> io::Result<StderrFile> {
        Ok(files::append_to(path, true)?.into())
    }

    /// Appends what a program wrote, as long as it is not too much. All its processes share the limit.
    pub(crate) fn append(&self, bytes: &[u8]) -> io::Result<()> {
        let after = |left: u64| Some(left.saturating_sub(bytes.len() as u64));
        let left = self
            .left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, after);
        let left = left.unwrap_or(0);
        let kept = bytes.get(..left as usize).unwrap_or(bytes);
        (&self.file).write_all(kept)?;
        if left > 0 && left <= bytes.len() as u64 {
            let most = MOST_KEPT >> 20;
            writeln!(
                &self.file,
                "\n{OWN_ERROR}more than {most} MiB of standard error: the rest is not kept"
            )?;
        }
        Ok(())
    }
}

/// How the referee itself begins an error.
pub const OWN_ERROR: &str = "referee: ";

impl From<File> for StderrFile {
    fn from(file: File) -> StderrFile {
        StderrFile {
            file,
            left: MOST_KEPT.into(),
        }
    }
}

/// Words of lines that name an error, in many languages.
const HEADLINES: [&str; 14] = [
    "Error:",
    "Error)",
    "Exception:",
    "Exception in thread",
    "StackOverflowError",
    "OutOfMemoryError",
    "panic:",
    "panicked at",
    "atal error",
    "terminate called",
    "Assertion",
    "lua: ",
    "Unhandled ",
    "Uncaught ",
];

/// Whether a line names an error by a word that languages use for that.
pub fn is_headline(line: &str) -> bool {
    !is_of_trace(line) && HEADLINES.iter().any(|word| line.contains(word))
}

/// Whether a line belongs to a stack trace, or is a note after it.
fn is_of_trace(line: &str) -> bool {
    // A tab is escaped here.
    let text = line.trim_start().trim_start_matches("\\t");
    [
        "| ",
        "at ",
        "... ",
        "from ",
        "File \"",
        "note: ",
        "Node.js v",
        "[C]: ",
        "#0 ",
        "thrown in ",
    ]
    .iter()
    .any(|start| text.starts_with(start))
}

/// The line that names the error in what a crashed program has written: the last one that does so by its words, or
/// else the last one that belongs neither to a stack trace nor to a note after it.
pub fn error_line(stderr: &[String]) -> Option<&String> {
    // An adapter's own message stands behind the output of its program.
    if let Some(own) = stderr.last().filter(|line| line.starts_with(OWN_ERROR)) {
        return Some(own);
    }
    // Tcl puts its error before the stack trace.
    if let Some(trace) = stderr.iter().position(|line| line.trim() == "while executing") {
        return stderr.get(trace.checked_sub(1)?);
    }
    if let Some(place) = stderr.iter().rposition(|line| is_headline(line)) {
        // Rust puts the message into the next line.
        let is_before = stderr[place].contains("panicked at") && stderr[place].ends_with(':');
        return stderr.get(place + usize::from(is_before)).or(stderr.get(place));
    }
    let is_other = |line: &&String| !line.trim().is_empty() && !is_of_trace(line);
    stderr.iter().rev().find(is_other)
}

/// The lines of what a program has written that say most: the last ones, or those from its error on, if a long stack
/// trace follows it.
pub fn excerpt<L: AsRef<str>>(stderr: &[L], most: usize) -> &[L] {
    let last = stderr.len().saturating_sub(most);
    let error = stderr.iter().rposition(|line| is_headline(line.as_ref()));
    let begin = error.map_or(last, |error| error.min(last));
    &stderr[begin..stderr.len().min(begin + most)]
}

/// How far before the last error an earlier one may be, in lines.
const NEAR: usize = 80;

/// An error before the one of [`error_line`]: its cause, or that of a child, after which a program ends with words of its
/// own.
pub(crate) fn earlier_error(stderr: &[String]) -> Option<&String> {
    let last = stderr.iter().rposition(|line| is_headline(line))?;
    let near = &stderr[last.saturating_sub(NEAR)..last];
    let earlier = near
        .iter()
        .rfind(|line| is_headline(line) && !line.contains("panicked at"));
    earlier.filter(|earlier| **earlier != stderr[last])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_keeps_a_bounded_part() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        std::fs::write(&path, "before\n").unwrap();
        let file = StderrFile {
            left: 4.into(),
            ..StderrFile::open(&path).unwrap()
        };
        for text in ["ab\n", "cdef", "gh"] {
            file.append(text.as_bytes()).unwrap();
        }
        let note = "referee: more than 64 MiB of standard error: the rest is not kept\n";
        assert_eq!(
            std::fs::read_to_string(&path).unwrap(),
            format!("before\nab\nc\n{note}")
        );
    }

    #[test]
    fn finds_the_error_of_a_child_before_the_last_words_of_its_parent() {
        let lines = |text: &str| -> Vec<String> { text.lines().map(String::from).collect() };
        let both = lines(
            "Traceback (most recent call last):\n  File \"agent.py\", line 3\nIndexError: list index\n\
             Traceback (most recent call last):\n  File \"bot.py\", line 9\nRuntimeError: the agent has ended",
        );
        assert_eq!(error_line(&both).unwrap(), "RuntimeError: the agent has ended");
        assert_eq!(earlier_error(&both).unwrap(), "IndexError: list index");
        assert_eq!(earlier_error(&both[3..]), None);
        assert_eq!(
            earlier_error(&lines("no book\nEOFError: x\nmore\nEOFError: x")),
            None
        );
    }

    #[test]
    fn finds_the_error_in_a_stack_trace() {
        for (stderr, line) in [
            (
                &[
                    "Traceback (most recent call last):",
                    "  File \"bot.py\", line 3",
                    "IndexError: list index",
                ][..],
                Some("IndexError: list index"),
            ),
            (
                &[
                    "Exception in thread \"main\" java.lang.X: no",
                    "\\tat Bot.main(Bot.java:3)",
                ],
                Some("Exception in thread \"main\" java.lang.X: no"),
            ),
            (
                &[
                    "thread 'main' panicked at src/main.rs:5:10:",
                    "no move",
                    "note: run with `RUST_BACKTRACE=1`",
                ],
                Some("no move"),
            ),
            (
                &[
                    "ReferenceError: x is not defined",
                    "    at f (bot.js:1:1)",
                    "Node.js v20.1.0",
                ],
                Some("ReferenceError: x is not defined"),
            ),
            (
                &[
                    "panic: index out of range",
                    "",
                    "goroutine 1 [running]:",
                    "\\t/bot.go:12 +0x1d",
                    "exit status 2",
                ],
                Some("panic: index out of range"),
            ),
            (
                &[
                    "bot.rb:3:in `f': undefined method (NoMethodError)",
                    "  x.y",
                    "   ^^^",
                    "\\tfrom bot.rb:9:in `<main>'",
                ],
                Some("bot.rb:3:in `f': undefined method (NoMethodError)"),
            ),
            (
                &[
                    "PHP Fatal error:  Uncaught Exception: no",
                    "Stack trace:",
                    "#0 {main}",
                    "  thrown in bot.php on line 3",
                ],
                Some("PHP Fatal error:  Uncaught Exception: no"),
            ),
            (
                &["lua: bot.lua:3: no move", "stack traceback:", "\\t[C]: in ?"],
                Some("lua: bot.lua:3: no move"),
            ),
            (
                &["ValueError: bad board:", ". . .", ". x ."],
                Some("ValueError: bad board:"),
            ),
            (
                &[
                    "can't read \"x\"",
                    "    while executing",
                    "\"puts $x\"",
                    "    (file \"run\" line 3)",
                ],
                Some("can't read \"x\""),
            ),
            (&["Warning: slow", "no book"], Some("no book")),
            (&[], None),
        ] {
            let stderr: Vec<String> = stderr.iter().map(|line| (*line).to_string()).collect();
            assert_eq!(error_line(&stderr).map(String::as_str), line);
        }
    }

    #[test]
    fn an_excerpt_begins_with_the_error_before_its_stack_trace() {
        let lines = [
            "a",
            "b",
            "thread 'main' panicked at x.rs:1:1:",
            "no row",
            "stack backtrace:",
            "0: x",
            "1: y",
        ];
        assert_eq!(excerpt(&lines, 3), &lines[2..5]);
        assert_eq!(excerpt(&lines, 9), &lines);
        let lines = ["Traceback", "File \"x.py\"", "ValueError: no row"];
        assert_eq!(excerpt(&lines, 2), &lines[1..]);
        assert_eq!(excerpt(&["a", "b"], 1), ["b"]);
    }
}
