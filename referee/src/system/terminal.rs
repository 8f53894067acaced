//! A terminal and its size.
//!
//! * `size`: columns and rows.
//! * `prepare`: whether escape sequences work.

#[cfg(unix)]
mod unix {
    use std::os::fd::AsFd;

    use rustix::termios::tcgetwinsize;

    /// A stream that may be a terminal.
    pub(crate) trait Stream: AsFd {}
    impl<T: AsFd> Stream for T {}

    /// The columns and rows of a terminal, 0 if it does not know them; `None` for any other stream.
    pub fn size(stream: &impl Stream) -> Option<(u16, u16)> {
        let size = tcgetwinsize(stream).ok()?;
        Some((size.ws_col, size.ws_row))
    }

    /// Prepares the terminal of the process for escape sequences. Returns whether it knows them.
    pub fn prepare() -> bool {
        std::env::var_os("TERM").is_none_or(|term| term != "dumb")
    }
}

#[cfg(windows)]
mod windows {
    use std::os::windows::io::AsHandle;

    /// A stream that may be a terminal.
    pub(crate) trait Stream: AsHandle {}
    impl<T: AsHandle> Stream for T {}

    /// The columns and rows of the console; `None` for any other stream.
    pub fn size(stream: &impl Stream) -> Option<(u16, u16)> {
        let (width, height) = terminal_size::terminal_size_of(stream.as_handle())?;
        Some((width.0, height.0))
    }

    /// Prepares the console for escape sequences. Returns whether it knows them.
    pub fn prepare() -> bool {
        anstyle_query::windows::enable_ansi_colors().unwrap_or(false)
    }
}

#[cfg(unix)]
pub use unix::*;
#[cfg(windows)]
pub use windows::*;
