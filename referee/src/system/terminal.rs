//! A terminal: its size, and suspension.
//!
//! * `size`: columns and rows.
//! * `prepare`: whether escape sequences work.
//! * `SuspendKey`, `suspend`: Ctrl-Z.

#[cfg(unix)]
mod unix {
    use std::io;
    use std::os::fd::AsFd;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use rustix::termios::tcgetwinsize;
    use signal_hook::consts::SIGTSTP;

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

    /// Suspends the process until SIGCONT.
    pub fn suspend() -> io::Result<()> {
        signal_hook::low_level::emulate_default_handler(SIGTSTP)
    }

    /// Ctrl-Z (SIGTSTP), as a request that the program grants when it is ready.
    #[derive(Debug)]
    pub struct SuspendKey {
        /// Set by the signal.
        is_requested: Arc<AtomicBool>,
        /// Whether the signal stops the process at once, as it does by default.
        is_default: Arc<AtomicBool>,
    }

    impl SuspendKey {
        /// Takes over the signal for the rest of the process. `None` if the system refuses.
        pub fn handle() -> Option<SuspendKey> {
            let key = SuspendKey {
                is_requested: Arc::default(),
                is_default: Arc::default(),
            };
            signal_hook::flag::register_conditional_default(SIGTSTP, Arc::clone(&key.is_default)).ok()?;
            signal_hook::flag::register(SIGTSTP, Arc::clone(&key.is_requested)).ok()?;
            Some(key)
        }

        /// From now on the signal is a request, or with `is_default` stops the process at once.
        pub fn set_default(&self, is_default: bool) {
            self.is_requested.store(false, Ordering::SeqCst);
            self.is_default.store(is_default, Ordering::SeqCst);
        }

        /// Whether there was a request since the last call.
        pub fn take_request(&self) -> bool {
            self.is_requested.swap(false, Ordering::SeqCst)
        }
    }
}

#[cfg(windows)]
mod windows {
    use std::io;
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

    /// Does nothing: a process cannot be suspended from the keyboard.
    pub fn suspend() -> io::Result<()> {
        Ok(())
    }

    /// Ctrl-Z, which has no such meaning on this system.
    #[derive(Debug)]
    pub struct SuspendKey(());

    impl SuspendKey {
        /// Always `None`.
        pub fn handle() -> Option<SuspendKey> {
            None
        }

        /// Does nothing.
        pub fn set_default(&self, _: bool) {}

        /// Always false.
        pub fn take_request(&self) -> bool {
            false
        }
    }
}

#[cfg(unix)]
pub use unix::*;
#[cfg(windows)]
pub use windows::*;
