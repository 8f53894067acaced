//! Properties of a terminal.

use crate::system::terminal::{Stream, size};

/// The width of a terminal in columns; `None` if the stream is not a terminal, or if the
/// terminal does not know its width.
pub fn width(stream: impl Stream) -> Option<usize> {
    let (columns, _) = size(&stream)?;
    Some(columns.into()).filter(|&columns| columns > 0)
}

/// The number of rows of a terminal; `None` as for [`width`].
pub fn rows(stream: impl Stream) -> Option<usize> {
    let (_, rows) = size(&stream)?;
    Some(rows.into()).filter(|&rows| rows > 0)
}
