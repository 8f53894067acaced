//! The size of a terminal, and text for it.

use std::io;

use crate::io::text::{printable, wrap};
use crate::system::terminal::Stream;

/// The width of a terminal in columns; `None` if the stream is not a terminal, or if the
/// terminal does not know its width.
pub fn width(stream: impl Stream) -> Option<usize> {
    let (width, _) = terminal_size::terminal_size_of(stream)?;
    Some(width.0.into())
}

/// A message for standard error. It may quote a file or an engine, so control characters
/// are replaced; on a terminal, its lines are wrapped.
pub fn arranged(message: &str) -> String {
    fitted(&cleaned(message), io::stderr())
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
