//! `referee adapt`: a program made for people as a bot.

use std::io;

use super::shown;
use crate::adapter::{AdapterSpec, DialogueEnd, run_session, run_trial};
use crate::config::cli::AdaptArgs;
use crate::io::failure::Failure;
use crate::process::adopt_orphans;

/// Speaks the protocol for the program, or tries it.
///
/// # Errors
/// When the file is wrong, or the program does not do what the file says.
pub fn run(args: &AdaptArgs) -> Result<(), Failure> {
    let spec = AdapterSpec::read(&args.file)?;
    adopt_orphans();
    let ended = if args.trial {
        run_trial(&spec, io::stdout().lock()).map(shown)
    } else {
        run_session(&spec).map(Ok)
    };
    match ended {
        Ok(result) => result,
        Err(DialogueEnd::Abandoned) => Ok(()),
        Err(DialogueEnd::Problem { message, screen }) => {
            let file = args.file.display();
            // The message comes last, because the referee shows the last line.
            // A trial has shown them.
            let output = if screen.is_empty() || args.trial {
                String::new()
            } else {
                format!("the program's last output:\n| {}\n", screen.join("\n| "))
            };
            Err(Failure::Start(format!("{output}{file}: {message}")))
        }
    }
}
