//! `referee completions SHELL [PROGRAM]`: a script that completes commands, options and values.

use std::io::Write;

use clap::{Arg, ArgAction, Command};
use clap_complete::Shell;
use lodestone::personality;
use lodestone_program::usage;

use super::shown;
use crate::config::cli::{self, ProgramArg};
use crate::config::settings::HUMAN;
use crate::io::failure::Failure;

/// Prints the script for one of the two programs.
pub fn run(shell: Shell, program: ProgramArg) -> Result<(), Failure> {
    let mut generated = Vec::new();
    let mut command = match program {
        ProgramArg::Referee => cli::visible_command(),
        ProgramArg::Lodestone => engine_command(),
    };
    let name = command.get_name().to_string();
    clap_complete::generate(shell, &mut command, name, &mut generated);
    let mut script = String::from_utf8_lossy(&generated).into_owned();
    if program == ProgramArg::Referee {
        script = with_files(shell, &script);
    }
    let mut stdout = std::io::stdout();
    shown(stdout.write_all(script.as_bytes()).and_then(|()| stdout.flush()))
}

/// The script, with files in addition to the built-in players. A player may be either, and
/// clap completes only one of them.
fn with_files(shell: Shell, script: &str) -> String {
    let players = [&[HUMAN], &personality::all_names()[..]].concat().join(" ");
    match shell {
        Shell::Zsh => {
            let function = format!(
                "_referee_players() {{\n    \
                 _alternative 'players:built-in player:({players})' 'files:program:_files'\n}}\n\n"
            );
            // Two colons would end the completion of options after the first argument.
            let script = script.replace("\n'*::", "\n'*:");
            let script = script.replace(&format!(":({players})"), ":_referee_players");
            script.replacen("_referee() {", &format!("{function}_referee() {{"), 1)
        }
        Shell::Fish => {
            let words = script.replace("-r -f -a \"human", "-r -F -a \"human");
            let matches = "complete -c referee -n \"__fish_referee_using_subcommand match\"";
            format!("{words}{matches} -a \"{players}\"\n")
        }
        _ => script.to_string(),
    }
}

/// The command line of `lodestone` for its man page and its completions. It parses nothing: `lodestone` reads its arguments itself.
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
