//! The console of Windows. It edits lines itself, so the referee reads whole lines there.

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
