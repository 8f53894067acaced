//! The command line of `lodestone` as a clap definition, for its man page and its completions.

use clap::{Arg, ArgAction, Command};
use lodestone_program::usage;

/// The definition. It parses nothing: `lodestone` reads its arguments itself.
pub fn engine_command() -> Command {
    let program = Command::new("lodestone")
        .version(lodestone_program::VERSION)
        .about(usage::about())
        .disable_help_subcommand(true);
    let ways = usage::WAYS.iter().filter(|(arguments, _)| !arguments.is_empty());
    ways.fold(program, |program, (arguments, text)| {
        let text = text.replace('\n', " ");
        let word = arguments.split(' ').next().unwrap_or_default();
        match word.strip_prefix("--") {
            // clap has these.
            Some("help" | "version") => program,
            Some(flag) => program.arg(option(flag, "").help(text)),
            None => program.subcommand(subcommand(word).about(text)),
        }
    })
}

/// A command with the options that its help lists.
fn subcommand(name: &'static str) -> Command {
    let help = usage::COMMANDS.iter().find(|(command, _)| *command == name);
    let options = help.into_iter().flat_map(|(_, help)| usage::options(help));
    Command::new(name).args(options.map(|(name, value)| option(name, value)))
}

/// An option; without the name of a value it is a flag. Values called FILE or PATH are files.
fn option(name: &'static str, value: &'static str) -> Arg {
    let option = Arg::new(name).long(name);
    match value {
        "" => option.action(ArgAction::SetTrue),
        "FILE" | "PATH" => option.value_name(value).value_hint(clap::ValueHint::AnyPath),
        _ => option.value_name(value),
    }
}
