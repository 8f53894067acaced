//! `referee completions SHELL [PROGRAM]`: a script that completes commands, options and values.

use clap::{Arg, ArgAction, Command, CommandFactory};
use clap_complete::Shell;
use lodestone_game::usage;
use referee_core::failure::Failure;
use referee_core::game::Ruleset;

use super::print;
use crate::config::cli::{self, Cli, ProgramArg};
use crate::config::settings::HUMAN;

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
    print(&script)
}

/// The script, with files in addition to the built-in players. A player may be either, and
/// clap completes only one of them.
fn with_files(shell: Shell, script: &str) -> String {
    let players = [&[HUMAN], &Ruleset::all_players()[..]].concat().join(" ");
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

/// The command lines of `referee` and `lodestone`, for man pages.
pub fn command_lines() -> [Command; 2] {
    [Cli::command(), engine_command()]
}

/// The command line of `lodestone`, which reads its arguments itself.
fn engine_command() -> Command {
    let program = Command::new("lodestone")
        .version(lodestone_game::VERSION)
        .about(usage::about())
        .after_help(usage::NOTES)
        .disable_help_subcommand(true);
    let ways = usage::WAYS.iter().filter(|(arguments, _)| !arguments.is_empty());
    ways.fold(program, |program, (arguments, text)| {
        let text = text.replace('\n', " ");
        match arguments.strip_prefix("--") {
            // clap has these.
            Some("help" | "version") => program,
            Some(flag) => program.arg(Arg::new(flag).long(flag).action(ArgAction::SetTrue).help(text)),
            None => program.subcommand(Command::new(*arguments).about(text)),
        }
    })
}
