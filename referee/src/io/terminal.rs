//! Properties of a terminal.

use std::os::fd::AsFd;

use rustix::termios::tcgetwinsize;

/// The width of a terminal in columns; `None` if the stream is not a terminal, or if the
/// terminal does not know its width.
#[must_use]
pub fn width(stream: impl AsFd) -> Option<usize> {
    let size = tcgetwinsize(stream).ok()?;
    Some(size.ws_col.into()).filter(|&columns| columns > 0)
}

/// The number of rows of a terminal; `None` as for [`width`].
#[must_use]
pub fn rows(stream: impl AsFd) -> Option<usize> {
    let size = tcgetwinsize(stream).ok()?;
    Some(size.ws_row.into()).filter(|&rows| rows > 0)
}
