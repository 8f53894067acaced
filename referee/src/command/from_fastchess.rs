//! `referee from-fastchess`: our command for one of another program.

use std::ffi::OsString;

use super::shown;
use crate::config::translation::translate;
use crate::config::{CommandLineError, command_line};
use crate::io::failure::Failure;

/// Prints our command for one of fastchess, cutechess-cli or c-chess-cli. Notes about what is
/// left out go to standard error.
///
/// # Errors
/// The command is none of these programs, or the referee does not accept the result.
pub fn run(words: &[String]) -> Result<(), Failure> {
    let translation = translate(words).map_err(Failure::Usage)?;
    match command_line(translation.words.iter().map(OsString::from)) {
        Ok(_) => {}
        Err(CommandLineError::Config(failure)) => return Err(failure),
        Err(CommandLineError::Clap(error)) => {
            let line = translation.line();
            return Err(Failure::Usage(format!(
                "{line}\n{}",
                error.to_string().trim_end()
            )));
        }
    }
    for note in &translation.notes {
        log::warn!("left out: {note}");
    }
    shown(print(&translation.line()))
}

fn print(line: &str) -> std::io::Result<()> {
    use std::io::Write;
    writeln!(std::io::stdout(), "{line}")
}
