//! Commands with which the referee starts itself: as a built-in player, and as the supervisor and
//! the launcher of an engine.

use std::process::ExitCode;
use std::sync::Arc;

use lodestone_game::{Variant, players};
use referee_core::failure::Failure;
use referee_core::failure::Stop;
use referee_core::io::interrupt::Interrupt;
use referee_core::io::text::unknown;
use referee_core::process::supervisor::internal_command;
use referee_core::rules::{RulesError, RulesProgram};
use referee_core::system::processes::clear_keys;

use crate::bots::any_game::{self, RulesPlayer};
use crate::bots::client::report;
use crate::config::roster;
use crate::config::rules_settings::RulesSettings;
use crate::exit_status::ExitStatus;

/// What plays a built-in game as the player with this name, on standard input and output.
pub type BuiltInPlayer = fn(Variant, &'static str) -> ExitCode;

/// `referee builtin NAME`: speaks the protocol as the player of this name. Built-in players are
/// child processes, as all engines are.
pub fn builtin(name: &str, player: BuiltInPlayer) -> Result<ExitCode, Failure> {
    let names = players::all_names();
    let known = names.iter().copied().find(|known| *known == name);
    let (Some(personality), Some(variant)) = (known, players::variant_of(name)) else {
        return Err(Failure::Usage(unknown("built-in player", name, &names)));
    };
    let ended = player(variant, personality);
    if ended == ExitCode::SUCCESS {
        return Ok(ended);
    }
    // It has said what it lacks: memory or a thread.
    Ok(ExitStatus::MachineFailed.into())
}

/// `referee builtin NAME RULES`: the same in the game of a rules program, with settings as for
/// `referee rules`. The player starts a copy of the program for itself.
pub fn builtin_by_rules(name: &str, words: &[String]) -> Result<ExitCode, Failure> {
    let names = RulesPlayer::ALL.map(RulesPlayer::name);
    let player = RulesPlayer::from_name(name);
    let player = player.ok_or_else(|| Failure::Usage(unknown("built-in player", name, &names)))?;
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let settings = RulesSettings::read(&words).map_err(Failure::Usage)?;
    let spec = settings.spec()?;
    // Signals end the player at once, and the end of its process ends the program.
    let interrupt = Arc::new(Interrupt::unreachable()?);
    let process = match roster::start_rules(&spec, &interrupt) {
        Ok(started) => started.process,
        Err(failure @ Failure::Stopped(_)) => return Err(failure),
        Err(failure) => return Err(failed(name, &failure.to_string())),
    };
    let mut program = match RulesProgram::probe(spec.name, process, settings.timeout) {
        Ok(program) => program,
        Err(error) => return Err(failed(name, &sentence(&error))),
    };
    if !program.known().knows("moves") {
        return Err(failed(name, &format!("{name} needs an answer to `query moves`")));
    }
    program.ask_only_required();
    match any_game::run(player, &mut program) {
        Ok(()) => program.dismiss(),
        Err(RulesError::Stopped(stop @ Stop::Short(_))) => return Err(stop.into()),
        Err(error) => return Err(failed(name, &sentence(&error))),
    }
    Ok(ExitCode::SUCCESS)
}

fn sentence(error: &RulesError) -> String {
    match error {
        RulesError::Fault(fault) => fault.to_string(),
        RulesError::Refused(error) => format!("the program with the rules refuses a position: {error}"),
        RulesError::Stopped(stop) => stop.to_string(),
    }
}

/// The failure of the rules of a player. The client reads the cause, too.
fn failed(name: &str, cause: &str) -> Failure {
    report(cause);
    Stop::Rules(format!("the rules program failed, asked by {name}: {cause}")).into()
}

/// The command that deletes the keys of the user who runs it: `grade --user` runs it after a bot of this user.
pub(super) const CLEAR_KEYS: &str = "clear-keys";

/// Supervises or launches an engine; `None` for other commands.
pub fn supervise(command: &str) -> Option<Result<ExitCode, Failure>> {
    if command == CLEAR_KEYS {
        clear_keys();
        return Some(Ok(ExitCode::SUCCESS));
    }
    let ended = internal_command(command)?;
    Some(ended.map(|()| ExitCode::SUCCESS).map_err(|error| {
        Failure::Usage(format!(
            "`{command}` is an internal command; it needs a socket as standard input: {error}"
        ))
    }))
}
