//! `referee adapt`: a program made for people as a bot.

use referee_core::failure::Failure;
use referee_core::failure::Stop;
use referee_core::io::files::temporary_folder_hint;
use referee_core::io::text::ShowPath;
use referee_core::process::{ResourceLimits, SandboxLevel, adopt_orphans, sandbox_ability};

use crate::bots::adapter::{AdapterSpec, GameEnd, run_session, run_trial};
use crate::config::cli::AdaptArgs;
use crate::config::submissions::submissions_of;
use crate::config::values::WholeNumber;

/// Speaks the protocol for the program, or tries it.
pub fn run(args: &AdaptArgs) -> Result<(), Failure> {
    let mut spec = AdapterSpec::read(&args.file, args.rules.loaded)?;
    confine(&mut spec, args)?;
    adopt_orphans();
    let ended = if args.trial {
        run_trial(&spec)
    } else {
        run_session(&spec).map(Ok)
    };
    match ended {
        Ok(written) => Ok(written?),
        Err(GameEnd::Abandoned) => Ok(()),
        Err(GameEnd::Short(why)) => Err(Stop::Short(why).into()),
        Err(GameEnd::Problem { message, screen }) => {
            let file = args.file.shown();
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

/// Puts the program into the sandbox of the options.
fn confine(spec: &mut AdapterSpec, args: &AdaptArgs) -> Result<(), Failure> {
    let mut given = ResourceLimits {
        memory: args.memory.map(WholeNumber::get),
        processes: args.max_processes.map(WholeNumber::get),
        cpu_time: args.cpu_time.map(WholeNumber::get),
    };
    let readable = &args.sandbox.sandbox_read;
    let level = args
        .sandbox
        .level_alone()
        .filter(|level| *level != SandboxLevel::Off);
    let Some(level) = level else {
        if readable.is_empty() && given == ResourceLimits::default() {
            return Ok(());
        }
        let names = given.named().map(|(name, _)| format!("--{name}")).join(", ");
        return Err(Failure::Usage(format!(
            "--sandbox-read, {names} are for a program in a sandbox; --sandbox puts it into one"
        )));
    };
    // In a match the referee has tried it.
    if args.trial {
        sandbox_ability(level)
            .map_err(|refusal| format!("--sandbox={level}: {refusal}{}", temporary_folder_hint()))
            .map_err(Failure::Usage)?;
    }
    spec.confine(
        level,
        readable,
        given.or(ResourceLimits::of(true)),
        submissions_of(&[], None),
    )
    .map_err(|why| Failure::Start(format!("{}: {why}", args.file.shown())))
}
