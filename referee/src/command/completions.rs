//! `referee completions SHELL [PROGRAM]`: a script that completes commands, options and values.

use std::io::Write;

use clap_complete::Shell;
use lodestone::personality;

use super::engine_command::engine_command;
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
