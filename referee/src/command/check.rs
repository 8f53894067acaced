//! `referee check`: a conformance test for a bot.

use std::io::{self, ErrorKind};
use std::path::Path;
use std::process::ExitCode;
use std::rc::Rc;

use referee_core::failure::Failure;
use referee_core::io::json;
use referee_core::io::text::ShowPath;
use referee_core::system::files::unreadable;

use super::{check_all, install_interrupt, verdict};
use crate::bots::check::report::CheckOutcome;
use crate::bots::check::{self, BotSession, CheckInfo, CheckLevel, OUTPUT, text};
use crate::config::cli::CheckArgs;
use crate::config::roster;
use crate::config::settings::{SEPARATOR, Settings, check_readable};
use crate::config::submissions;
use crate::terminal::progress::Task;
use crate::terminal::width;

/// The width of text that does not go to a terminal.
const WIDTH: usize = 80;

/// Those that choose the game.
const OF_GAME: [&str; 2] = ["--rules", "--variant"];

/// Other options of `check` that would be arguments of the bot if they follow it.
const OWN_OPTIONS: [&str; 7] = [
    "--each",
    "--openings",
    "--only",
    "--proto",
    "--json",
    "--out",
    "--wrapper",
];

/// Checks a bot.
pub fn run(args: &CheckArgs) -> Result<ExitCode, Failure> {
    let selected = check::select(&args.only).map_err(|why| Failure::Usage(format!("--only: {why}")))?;
    if let [folder] = args.command.as_slice()
        && is_of_submissions(args, Path::new(folder))
    {
        check_readable(&args.sandbox.sandbox_read, &[])?;
        let is_fit = check_all::run(args, Path::new(folder), &selected, &install_interrupt()?)?;
        return Ok(verdict(is_fit));
    }
    if let [folder, word, ..] = args.command.as_slice()
        && is_of_submissions(args, Path::new(folder))
    {
        let right = if word.contains('=') {
            format!("a setting of all bots is `--each {word}`")
        } else if Path::new(folder).join(word).exists() {
            let one = Path::new(folder).join(word);
            format!("to check one of them, write `referee check {}`", one.shown())
        } else {
            "only options may follow it, such as `--each st=2`".to_string()
        };
        return Err(Failure::Usage(format!(
            "`{folder}` is a folder of submissions, which has no arguments; found `{word}`; {right}"
        )));
    }
    if let Some(option) = args.option_for_folders() {
        if let [folder] = args.command.as_slice()
            && let Err(error) = std::fs::read_dir(folder)
            && error.kind() == ErrorKind::PermissionDenied
        {
            return Err(Failure::Usage(unreadable(Path::new(folder), &error)));
        }
        return Err(Failure::Usage(format!(
            "{option} is for a folder of submissions, and `{}` is not one",
            args.command.join(" ")
        )));
    }
    let starts = check_all::starts(args.game.variant, args.openings.as_ref())?;
    let mut settings = settings(args)?.or(&args.each.clone().unwrap_or_default());
    settings.proto = args.proto.or(settings.proto);
    let wrapper = args.wrapper.wrapper.as_deref();
    if wrapper.is_some()
        && settings.dir.is_none()
        && settings.cmd.as_deref().is_some_and(|cmd| Path::new(cmd).is_dir())
    {
        settings.wrapper = settings.wrapper.or_else(|| args.wrapper.wrapper.clone());
    }
    submissions::check_used(wrapper, std::slice::from_ref(&settings))?;
    let readable = &args.sandbox.sandbox_read;
    let players = [settings.sandboxed(args.sandbox.level_alone(), readable)];
    check_readable(readable, &players)?;
    let players = roster::resolve(&players, args.game.variant)?;
    let player = players.into_iter().next();
    let terms = player.as_ref().map(check_all::terms_of).unwrap_or_default();
    let spec = player
        .and_then(|player| player.spec)
        .ok_or_else(|| Failure::Usage("a human player cannot be checked; use a program".into()))?;
    let (name, protocol) = (spec.name.clone(), spec.protocol);
    let interrupt = install_interrupt()?;
    let task = Rc::new(Task::start("checks", 0, selected.len() as u64));
    let width = width(io::stdout()).unwrap_or(WIDTH).clamp(40, 100);
    if !args.json {
        task.print(&text::title(&name, args.game.variant, protocol))?;
        if let Some(time) = check::estimate(&terms, &selected) {
            task.print(&check_all::about(time, width))?;
        }
    }
    let mut session = BotSession::new(spec, starts, interrupt, Rc::clone(&task), terms);
    let mut last = None;
    let (summary, stopped) = check::run(&mut session, &selected, |report| {
        if args.json {
            return task.print(&json::line(&report.json()).unwrap_or_default());
        }
        if matches!(report.outcome, CheckOutcome::NotRun(_)) {
            // The summary lists them.
            return Ok(());
        }
        let heading = heading(report.check);
        if last.replace(heading) != Some(heading) {
            task.print(&format!("\n{heading}"))?;
        }
        task.print(&text::report(report, width))
    });
    session.end();
    let is_whole = args.only.is_empty() && stopped.is_none();
    let text = if args.json {
        let json = summary.json(&name, args.game.variant, protocol, stopped.is_some());
        json::line(&json).unwrap_or_default()
    } else {
        format!("\n{}", text::summary(&summary, &name, is_whole, width))
    };
    task.print(&text)?;
    match stopped {
        Some(stop) => Err(stop.into()),
        None => Ok(verdict(summary.is_fit())),
    }
}

/// Whether a folder is one of submissions, and not itself one. If a wrapper starts them, they need no file `run`.
fn is_of_submissions(args: &CheckArgs, folder: &Path) -> bool {
    if args.wrapper.wrapper.is_some() {
        let are_many = submissions::are_wrapped(folder);
        if !are_many && submissions::may_be_many(folder) {
            let shown = folder.shown();
            log::warn!(
                "{shown} contains files next to its folders, so it is checked as one submission; a folder \
                 of submissions contains only folders"
            );
        }
        are_many
    } else {
        submissions::is_of_submissions(folder)
    }
}

/// The bot: a program with arguments, a built-in name, a folder with a file `run`, or
/// settings such as `cmd=java args="-cp . Bot"`.
fn settings(args: &CheckArgs) -> Result<Settings, Failure> {
    // clap asks for at least one word.
    let (program, rest) = args
        .command
        .split_first()
        .map_or(("", &[][..]), |(program, rest)| (program, rest));
    if program.starts_with("cmd=") {
        let wrong = |why: String| Failure::Usage(format!("{program}: {why}"));
        return args.command.join(SEPARATOR).parse().map_err(wrong);
    }
    let is_of = |options: &[&str], word: &str| options.contains(&word.split('=').next().unwrap_or_default());
    // A misplaced option must not start the bot without a sandbox, or check it in another game.
    if let Some(word) = rest.iter().find(|word| is_sandbox(word) || is_of(&OF_GAME, word)) {
        // The settings of rules are separated by NUL here.
        let word = word.split('\0').next().unwrap_or_default();
        return Err(Failure::Usage(format!(
            "`{word}` would be an argument of {program}; write it before the bot, or `cmd={program} args='…'` if the \
             bot needs this argument"
        )));
    }
    if let Some(word) = rest.iter().find(|word| is_of(&OWN_OPTIONS, word)) {
        log::warn!("`{word}` is an argument of {program}; options of `referee check` come before the bot");
    }
    Ok(Settings {
        name: name_of_script(program, rest),
        args: (!rest.is_empty()).then(|| rest.to_vec()),
        ..Settings::of_program(program)
    })
}

fn is_sandbox(word: &str) -> bool {
    word.starts_with("--sandbox") || word.starts_with("sandbox=")
}

/// The name of the file in `python3 bot.py`.
fn name_of_script(program: &str, args: &[String]) -> Option<String> {
    if program.contains('/') {
        return None;
    }
    let script = args.iter().map(Path::new).find(|path| path.is_file())?;
    Some(script.file_stem()?.to_str()?.to_string())
}

/// The heading above a check.
fn heading(check: &CheckInfo) -> &'static str {
    match check.level {
        _ if check.name == OUTPUT => "Recommended, over all checks",
        CheckLevel::Required => "Required",
        CheckLevel::Recommended => "Recommended",
        CheckLevel::Optional => "Optional",
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::*;
    use crate::config::cli::Command;
    use crate::config::command_line;

    fn read(line: &str) -> Result<CheckArgs, String> {
        let words = shlex::split(&format!("referee check {line}")).unwrap();
        let cli = command_line(words.into_iter().map(OsString::from));
        match cli.map_err(|error| format!("{error:?}"))?.command {
            Some(Command::Check(args)) => Ok(*args),
            other => Err(format!("{other:?}")),
        }
    }

    #[test]
    fn options_end_where_the_command_begins() {
        for (line, command) in [
            ("--json ./bot", &["./bot"][..]),
            ("./bot --json", &["./bot", "--json"]),
            ("python3 bot.py --json -v", &["python3", "bot.py", "--json", "-v"]),
            ("--only fen --only stop -- ./bot --x", &["./bot", "--x"]),
            ("cmd=python3 'args=a b'", &["cmd=python3", "args=a b"]),
        ] {
            assert_eq!(read(line).unwrap().command, command);
        }
        assert!(read("").is_err());
        assert!(read("--jsn ./bot").is_err());
        assert_eq!(read("--only fen --only stop x").unwrap().only, ["fen", "stop"]);
    }

    #[test]
    fn bot_is_a_program_or_settings() {
        let words = |line: &str| settings(&read(line).unwrap()).map(|settings| settings.words().join(" "));
        for (line, settings) in [
            ("python3 bot.py -v", "cmd=python3 args=bot.py -v"),
            ("sh Cargo.toml -v", "cmd=sh args=Cargo.toml -v name=Cargo"),
            ("./bot Cargo.toml", "cmd=./bot args=Cargo.toml"),
            (
                "cmd=./bot proto=ugi starttime=20",
                "cmd=./bot proto=ugi starttime=20",
            ),
        ] {
            assert_eq!(words(line).unwrap(), settings);
        }
        let error = words("cmd=./bot dpeth=3").unwrap_err().to_string();
        assert!(error.contains("did you mean `depth`?"));
    }
}
