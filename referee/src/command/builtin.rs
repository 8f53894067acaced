//! `referee builtin NAME`: the referee as an engine. Built-in players are child processes,
//! as all engines are.

use std::process::ExitCode;

use lodestone::engine::{self, Options};
use lodestone::personality;

use crate::io::failure::Failure;
use crate::io::suggest::unknown;

/// Speaks the protocol as the player of this name.
pub fn run(name: &str) -> Result<ExitCode, Failure> {
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
