//! Messages of the referee on standard error.

use std::io;

use crate::io::terminal;
use crate::io::text::{printable, wrap};
use crate::system::terminal::Stream;

/// A message for standard error. It may quote a file or an engine, so control characters
/// are replaced; on a terminal, its lines are wrapped.
#[must_use]
pub fn arranged(message: &str) -> String {
    let lines: Vec<String> = message
        .split('\n')
        .map(|line| printable(line, usize::MAX))
        .collect();
    fitted(&lines.join("\n"), io::stderr())
}

/// `text`, wrapped if `stream` is a terminal.
#[must_use]
pub fn fitted(text: &str, stream: impl Stream) -> String {
    terminal::width(stream).map_or_else(|| text.to_string(), |width| wrap(text, width))
}
