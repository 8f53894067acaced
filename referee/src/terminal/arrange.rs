//! The size of a terminal, and text for it.

use std::io;

use referee_core::io::text::{printable, wrap};
use referee_core::system::terminal::Stream;

/// The width of a terminal in columns; `None` if the stream is not a terminal, or if the
/// terminal does not know its width.
pub fn width(stream: impl Stream) -> Option<usize> {
    let (width, _) = terminal_size::terminal_size_of(stream)?;
    Some(width.0.into())
}

/// A message for standard error. It may quote a file or an engine, so control characters
/// are replaced; on a terminal, its lines are wrapped. Numbers of system errors are left out, because their text is there.
pub fn arranged(message: &str) -> String {
    fitted(&without_error_numbers(&cleaned(message)), io::stderr())
}

/// A message without ` (os error 2)`, except in what it quotes.
fn without_error_numbers(message: &str) -> String {
    const NUMBER: &str = " (os error ";
    let mut text = String::with_capacity(message.len());
    let mut rest = message;
    while let Some((before, after)) = rest.split_once(NUMBER) {
        text += before;
        let line = text.rsplit('\n').next().unwrap_or_default();
        let is_quoted = line.matches('`').count() % 2 == 1 || line.trim_start().starts_with("stderr:");
        match after.split_once(')') {
            Some((number, after)) if !is_quoted && number.bytes().all(|byte| byte.is_ascii_digit()) => {
                rest = after;
            }
            _ => {
                text += NUMBER;
                rest = after;
            }
        }
    }
    text + rest
}

/// Lines of text, each [printable].
pub fn cleaned(lines: &str) -> String {
    let lines = lines.split('\n').map(|line| printable(line, usize::MAX));
    lines.collect::<Vec<_>>().join("\n")
}

/// `text`, wrapped if `stream` is a terminal.
pub fn fitted(text: &str, stream: impl Stream) -> String {
    width(stream).map_or_else(|| text.to_string(), |width| wrap(text, width))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaves_out_numbers_of_system_errors_but_not_in_quotations() {
        for (message, expected) in [
            ("a: No such file (os error 2)", "a: No such file"),
            ("a (os error 2); b (os error 13): c", "a; b: c"),
            (
                "wrote `x (os error 2)` and failed (os error 5)",
                "wrote `x (os error 2)` and failed",
            ),
            (
                "a (os error 2)\n  stderr: b (os error 2)",
                "a\n  stderr: b (os error 2)",
            ),
            ("`a` and `b`: c (os error 2)", "`a` and `b`: c"),
            ("a (os error x) (os error ", "a (os error x) (os error "),
        ] {
            assert_eq!(without_error_numbers(message), expected);
        }
    }
}
