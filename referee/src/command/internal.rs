//! Commands with which the referee starts itself: as a built-in player, and as the supervisor and
//! the launcher of an engine.

use std::process::ExitCode;

use lodestone::engine::{self, Options};
use lodestone::personality;

use crate::io::failure::Failure;
use crate::io::text::unknown;
use crate::process::supervisor::internal_command;

/// `referee builtin NAME`: speaks the protocol as the player of this name. Built-in players are
/// child processes, as all engines are.
pub fn builtin(name: &str) -> Result<ExitCode, Failure> {
    let names = personality::all_names();
    let known = names.iter().copied().find(|known| *known == name);
    let (Some(personality), Some(variant)) = (known, personality::variant_of(name)) else {
        return Err(Failure::Usage(unknown("built-in player", name, &names)));
    };
    Ok(engine::run(Options {
        variant,
        personality,
        ..Options::default()
    }))
}

/// Supervises or launches an engine; `None` for other commands.
pub fn supervise(command: &str) -> Option<Result<ExitCode, Failure>> {
    let ended = internal_command(command)?;
    Some(ended.map(|()| ExitCode::SUCCESS).map_err(|error| {
        Failure::Usage(format!(
            "`{command}` is an internal command; it needs a socket as standard input: {error}"
        ))
    }))
}
