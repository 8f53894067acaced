//! A terminal: its size, keys, and suspension. The console of Windows edits lines itself, so the
//! referee reads whole lines there.
//!
//! * `size`: columns and rows.
//! * `prepare`: whether escape sequences work.
//! * `Keys`: keys that are typed while no line is read.
//! * `wake_editor`: ends the wait of the line editor for keys.
//! * `SuspendKey`, `suspend`: Ctrl-Z.

#[cfg(unix)]
mod unix {
    use std::io;
    use std::os::fd::{AsFd, OwnedFd};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use rustix::io::Errno;
    use rustix::process::{Signal, getpid, kill_process};
    use rustix::termios::{
        LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcgetwinsize, tcsetattr,
    };
    use signal_hook::consts::SIGTSTP;

    /// The most bytes that are read at a time.
    const CHUNK: usize = 1024;

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

    /// Reads keys at once and without echo. Ctrl-C still sends a signal. Dropping it restores the
    /// terminal.
    pub struct Keys {
        input: OwnedFd,
        before: Termios,
    }

    impl Keys {
        /// Takes over the terminal on standard input.
        pub fn take_over() -> io::Result<Keys> {
            let input = io::stdin().as_fd().try_clone_to_owned()?;
            let before = tcgetattr(&input)?;
            let mut modes = before.clone();
            modes.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO);
            modes.special_codes[SpecialCodeIndex::VMIN] = 0;
            modes.special_codes[SpecialCodeIndex::VTIME] = 0;
            tcsetattr(&input, OptionalActions::Now, &modes)?;
            Ok(Keys { input, before })
        }

        /// The bytes that were typed since the last call. Does not wait.
        pub fn read(&self) -> io::Result<Vec<u8>> {
            let mut typed = Vec::new();
            loop {
                let mut chunk = [0; CHUNK];
                match rustix::io::read(&self.input, &mut chunk) {
                    Ok(0) | Err(Errno::INTR | Errno::AGAIN) => return Ok(typed),
                    Ok(count) => typed.extend_from_slice(&chunk[..count]),
                    Err(error) => return Err(error.into()),
                }
            }
        }
    }

    impl Drop for Keys {
        fn drop(&mut self) {
            // Of a terminal that has gone, nothing needs to be restored.
            let _ = tcsetattr(&self.input, OptionalActions::Now, &self.before);
        }
    }

    /// Ends the wait of the line editor for keys, with SIGINT to this process. May be lost while the
    /// editor installs its handler. Returns whether the system sent it.
    pub fn wake_editor() -> bool {
        kill_process(getpid(), Signal::INT).is_ok()
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
    use std::time::Duration;

    use crossterm::event::{self, Event, KeyCode, KeyEventKind, KeyModifiers};
    use crossterm::terminal::{disable_raw_mode, enable_raw_mode};

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
        crossterm::ansi_support::supports_ansi()
    }

    /// Reads keys at once and without echo. Dropping it restores the console.
    pub struct Keys(());

    impl Keys {
        /// Takes over the console.
        pub fn take_over() -> io::Result<Keys> {
            enable_raw_mode()?;
            Ok(Keys(()))
        }

        /// The text that was typed since the last call, as bytes of a terminal. Does not wait.
        pub fn read(&self) -> io::Result<Vec<u8>> {
            let mut typed = String::new();
            while event::poll(Duration::ZERO)? {
                let Event::Key(key) = event::read()? else {
                    continue;
                };
                if key.kind == KeyEventKind::Release {
                    continue;
                }
                match key.code {
                    KeyCode::Char(letter) if key.modifiers.contains(KeyModifiers::CONTROL) => {
                        // The control characters of ASCII; Ctrl-Z ends input as Ctrl-D does.
                        let letter = if letter == 'z' { 'd' } else { letter };
                        typed.push(char::from(letter as u8 & 0x1f));
                    }
                    KeyCode::Char(letter) => typed.push(letter),
                    KeyCode::Enter => typed.push('\n'),
                    KeyCode::Backspace => typed.push('\x08'),
                    _ => {}
                }
            }
            Ok(typed.into_bytes())
        }
    }

    impl Drop for Keys {
        fn drop(&mut self) {
            let _ = disable_raw_mode();
        }
    }

    /// Does nothing: the line editor is not used.
    pub fn wake_editor() -> bool {
        false
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
