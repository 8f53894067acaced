//! What packages contain beside the programs: `referee completions SHELL [PROGRAM]`, a script that
//! completes commands, options and values, and `referee man-pages DIR`, a man page for each command
//! of the referee and one for the engine.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use clap::{Arg, ArgAction, Command};
use clap_complete::Shell;
use clap_mangen::Man;
use clap_mangen::roff::{Inline, Roff, bold, roman};
use lodestone::usage;

use super::shown;
use crate::config::cli::{self, ProgramArg};
use crate::config::help::{self, Notes};
use crate::config::settings::{self, HUMAN};
use crate::game::Ruleset;
use crate::io::failure::Failure;

/// Prints the script for one of the two programs.
pub fn completions(shell: Shell, program: ProgramArg) -> Result<(), Failure> {
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
    let mut stdout = io::stdout();
    shown(stdout.write_all(script.as_bytes()).and_then(|()| stdout.flush()))
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

/// The command line of `lodestone` for its man page and its completions. It parses nothing: `lodestone` reads its arguments itself.
fn engine_command() -> Command {
    let program = Command::new("lodestone")
        .version(lodestone::VERSION)
        .about(usage::about())
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

/// Writes `referee.1`, a page for each visible command, and `lodestone.1`. Pages of an older
/// version are replaced.
pub fn man_pages(folder: &Path) -> Result<(), Failure> {
    let mut command = cli::visible_command().disable_help_subcommand(true);
    command.build();
    let failed = |error: io::Error| Failure::Usage(format!("{}: {error}", folder.display()));
    fs::create_dir_all(folder).map_err(failed)?;
    for command in [&command].into_iter().chain(command.get_subcommands()) {
        let man = man("referee", command);
        let page = page(&man, command).map_err(failed)?;
        fs::write(folder.join(man.get_filename()), page).map_err(failed)?;
    }
    let mut command = engine_command();
    command.build();
    let man = man("lodestone", &command);
    let page = engine_page(&man).map_err(failed)?;
    fs::write(folder.join(man.get_filename()), page).map_err(failed)
}

/// The page of this command of a program, before it is rendered.
fn man(program: &str, command: &Command) -> Man {
    Man::new(command.clone())
        .source(format!("{program} {}", lodestone::VERSION))
        .manual("Lodestone")
}

/// The page up to the synopsis.
fn begun(man: &Man) -> io::Result<Vec<u8>> {
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    Ok(page)
}

fn engine_page(man: &Man) -> io::Result<Vec<u8>> {
    let mut page = begun(man)?;
    let mut roff = Roff::new();
    let ways = usage::WAYS.iter().map(|(arguments, text)| {
        let line = format!("lodestone {arguments}");
        [bold(line.trim_end()), roman(text.replace('\n', " "))]
    });
    section(&mut roff, "DESCRIPTION", ways);
    roff.control("SH", ["SEE ALSO"])
        .text([bold("referee"), roman("(1)")]);
    roff.to_writer(&mut page)?;
    man.render_version_section(&mut page)?;
    Ok(page)
}

/// The page of a command, in the language of roff.
fn page(man: &Man, command: &Command) -> io::Result<Vec<u8>> {
    let mut page = begun(man)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    let name = command.get_name();
    let is_root = name == "referee";
    if is_root {
        man.render_subcommands_section(&mut page)?;
    }
    if let Some(notes) = help::notes(name) {
        sections(&notes).to_writer(&mut page)?;
    }
    man.render_version_section(&mut page)?;
    Ok(page)
}

/// A section of terms, each with its text; nothing without them.
fn section(roff: &mut Roff, title: &str, entries: impl IntoIterator<Item = [Inline; 2]>) {
    let mut entries = entries.into_iter().peekable();
    if entries.peek().is_some() {
        roff.control("SH", [title]);
    }
    for [term, text] in entries {
        roff.control("TP", []).text([term]).text([text]);
    }
}

/// The sections of the notes on a command.
fn sections(notes: &Notes) -> Roff {
    let mut roff = Roff::new();
    if !notes.paragraphs.is_empty() {
        roff.control("SH", ["NOTES"]);
    }
    for paragraph in &notes.paragraphs {
        roff.control("PP", []).text([roman(paragraph)]);
    }
    if notes.has_settings {
        let settings = settings::help().into_iter();
        section(
            &mut roff,
            "SETTINGS OF PLAYERS",
            settings.map(|(setting, text)| [bold(setting), roman(text)]),
        );
    }
    let examples = notes.examples.iter();
    let examples = examples.map(|(purpose, command)| [roman(format!("{purpose}:")), bold(command)]);
    section(&mut roff, "EXAMPLES", examples);
    let statuses = notes.statuses.iter();
    let statuses = statuses.map(|(status, meaning)| [bold(*status), roman(*meaning)]);
    section(&mut roff, "EXIT STATUS", statuses);
    roff
}
