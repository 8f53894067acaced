//! Messages of the referee on standard error.

use std::io;

use crate::io::terminal;
use crate::io::text::{printable, wrap};
use crate::system::terminal::Stream;

/// A message for standard error. It may quote a file or an engine, so control characters
/// are replaced; on a terminal, its lines are wrapped.
pub fn arranged(message: &str) -> String {
    fitted(&cleaned(message), io::stderr())
}

/// Lines of text, each [printable].
pub(crate) fn cleaned(lines: &str) -> String {
    let lines = lines.split('\n').map(|line| printable(line, usize::MAX));
    lines.collect::<Vec<_>>().join("\n")
}

/// `text`, wrapped if `stream` is a terminal.
pub(crate) fn fitted(text: &str, stream: impl Stream) -> String {
    terminal::width(stream).map_or_else(|| text.to_string(), |width| wrap(text, width))
}
