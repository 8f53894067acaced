//! The options that a page may add to a command.
//!
//! [`read`] takes only options of a fixed list. [`check`] looks at what the command line has made of them. So no
//! request names a program or a file.

use referee::{Cli, Command, CommandLineError, Settings};
use referee_core::io::text::unknown;
use referee_core::settings::{Purpose, Setting};

/// The options of a text. What has a field of its own in the form is not among them.
const OPTIONS: [&str; 23] = [
    "--affinity",
    "--draw",
    "--each",
    "--finish-games",
    "--forfeit-after",
    "--format",
    "--hours",
    "--max-plies",
    "--no-swap",
    "--on-fault",
    "--pieces",
    "--ponder",
    "--prove",
    "--record",
    "--repetition",
    "--resign",
    "--reverse",
    "--seed",
    "--settle",
    "--sprt",
    "--strict",
    "--turns",
    "--until",
];

/// The longest text of options, in bytes.
const MAX_TEXT: usize = 4000;

/// The words of a text, in which only the options above stand.
pub fn read(text: &str) -> Result<Vec<String>, String> {
    if text.len() > MAX_TEXT {
        return Err(format!(
            "The options are too long; {MAX_TEXT} characters are allowed"
        ));
    }
    let words = shlex::split(text).ok_or("A quote in the options is not closed")?;
    let names = words.iter().filter(|word| word.starts_with('-'));
    let mut names = names.map(|word| word.split('=').next().unwrap_or_default());
    match names.find(|name| !OPTIONS.contains(name)) {
        None => Ok(words),
        Some(name) if !is_option(name) => Err(unknown("option", name, &OPTIONS)),
        Some(name) => Err(format!(
            "{name} cannot be set here: some options have their own fields, and programs, files and the game \
             are chosen on the command line of the server. Expected one of {}",
            OPTIONS.join(", ")
        )),
    }
}

/// Whether a match or a ladder has this option.
fn is_option(name: &str) -> bool {
    let [referee, _] = referee::command_lines();
    ["match", "ladder"].into_iter().any(|command| {
        let command = referee.find_subcommand(command);
        command.is_some_and(|command| {
            command
                .get_arguments()
                .any(|argument| match name.strip_prefix("--") {
                    Some(long) => argument.get_long() == Some(long),
                    None => argument.get_short() == name.chars().nth(1),
                })
        })
    })
}

/// Checks what the command line has made of the options.
pub fn check(cli: &Cli) -> Result<(), String> {
    let run = match &cli.command {
        Some(Command::Match(args)) => &args.run,
        Some(Command::Ladder(args)) => &args.run,
        _ => return Ok(()),
    };
    if let Some(program) = run.programs.first() {
        return Err(format!(
            "`{program}` belongs to no option; players are chosen above, and no other word is allowed"
        ));
    }
    for word in run.each.iter().flat_map(Settings::words) {
        let (key, value) = word.split_once('=').unwrap_or((&word, ""));
        let is_plain = |sign: char| sign.is_ascii_alphanumeric() || "_- ".contains(sign);
        match key.strip_prefix("option.") {
            Some(name) if !name.is_empty() && name.chars().all(is_plain) => {
                if !["true", "false"].contains(&value) && !value.parse().is_ok_and(f64::is_finite) {
                    return Err(format!(
                        "--each {key}: expected a number, `true` or `false`, found `{value}`; only the command line \
                         may set a text"
                    ));
                }
            }
            None if Setting::find(key).is_some_and(|setting| setting.is_for(Purpose::Pages)) => {}
            _ => {
                let all: Vec<&str> = Setting::of(Purpose::Pages).map(|setting| setting.key).collect();
                let all = all.join(", ");
                return Err(format!("--each: the page may not set `{key}`, only {all}"));
            }
        }
    }
    Ok(())
}

pub fn sentence(error: &CommandLineError) -> String {
    let text = match error {
        CommandLineError::Clap(error) => error.render().to_string(),
        CommandLineError::Config(failure) => failure.to_string(),
    };
    let text = text.split("\n\nUsage:").next().unwrap_or_default();
    let text = text.split("\n\nFor more information").next().unwrap_or_default();
    let text = text.strip_prefix("error: ").unwrap_or(text);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use referee::command_line;

    use super::*;

    /// Reads a text as the command of a page does.
    fn checked(text: &str, begin: &[&str]) -> Result<(), String> {
        let words = read(text)?;
        let begin = ["referee"].iter().chain(begin).map(Into::into);
        let cli = command_line(begin.chain(words.iter().map(Into::into)));
        check(&cli.map_err(|error| sentence(&error))?)
    }

    #[test]
    fn allowed_options_are_taken() {
        for text in [
            "",
            "--seed=7 --finish-games",
            "--format swiss rounds=5",
            "--format=gauntlet seeds=2 --strict",
            "--each st=0.5 depth=3 option.Hash=16 option.Value=-1.5 option.On=true",
            "--each=tc=40/60+0.5 'option.Clear Hash=true'",
            "--prove --resign movecount=3 score=600 twosided=true",
            "--sprt elo0=-1.5 elo1=5 model=logistic",
            "--affinity --record depth,nodes",
            "--affinity=0-3",
            "--on-fault random limit=3",
            "--each st=1 first=2 onfault=random:3",
            "--each proto=xboard",
        ] {
            assert_eq!(checked(text, &["match"]), Ok(()), "{text}");
        }
        assert_eq!(checked(&" ".repeat(MAX_TEXT), &["match"]), Ok(()));
        assert!(checked(&" ".repeat(MAX_TEXT + 1), &["match"]).is_err());
        let ladder = ["ladder", ".", "--out=x"];
        assert_eq!(checked("--hours 0.5 --until 06:00 --settle 3", &ladder), Ok(()));
    }

    #[test]
    fn refuses_what_names_files_or_programs() {
        for (text, part) in [
            ("--engine cmd=/bin/sh", "--engine cannot be set here"),
            ("--engine=cmd=/bin/sh", "--engine cannot be set here"),
            ("--engines /tmp", "cannot be set here"),
            ("--out x.jsonl", "cannot be set here"),
            ("-o x.jsonl", "cannot be set here"),
            ("--foo", "unknown option `--foo`\n"),
            ("--seeed 3", "unknown option `--seeed`; did you mean `--seed`?\n"),
            ("--log /tmp/x", "cannot be set here"),
            ("--log=/tmp/x", "cannot be set here"),
            ("--config /tmp/x.toml", "cannot be set here"),
            ("--each cmd=/bin/sh", "may not set `cmd`"),
            ("--each=cmd=/bin/sh", "may not set `cmd`"),
            ("--each st=1 args=x", "may not set `args`"),
            ("--each dir=/", "may not set `dir`"),
            ("--each stderr=x", "may not set `stderr`"),
            ("--each sandbox=off", "may not set `sandbox`"),
            ("--each sandbox-read=/", "may not set `sandbox-read`"),
            ("--each option.Log=/tmp/x", "expected a number, `true` or `false`"),
            ("--each option.a/b=1", "--each"),
            ("--each option.=1", "--each"),
            ("--each x", "--each"),
            ("--each st=1 ./evil=x", "./evil"),
            ("--each st=1 evil worse", "`evil` belongs to no option"),
            ("--openings /etc/passwd", "cannot be set here"),
            ("--openings=/etc/passwd", "cannot be set here"),
            ("--openings=", "cannot be set here"),
            ("--openings random:4", "cannot be set here"),
            ("--format /etc/passwd", "invalid value"),
            ("--affinity=/x", "invalid value"),
            ("--affinity 3", "belongs to no option"),
            ("--record ../x", "invalid value"),
            ("--rules ./x", "cannot be set here"),
            ("--shard 0/2", "cannot be set here"),
            ("--quiet", "cannot be set here"),
            ("--sandbox=off", "cannot be set here"),
            ("--configx=/tmp/x", "unknown option `--configx`"),
            ("-- --engine", "unknown option `--`"),
            ("random", "belongs to no option"),
            ("st=1", "is a setting, not a player"),
            ("--strict random", "belongs to no option"),
            ("--seed 4 random", "belongs to no option"),
            ("--seed", "value is required"),
            ("--max-plies x", "expected a whole number"),
            ("--seed -4", "unknown option `-4`"),
            ("--seed 2 --seed 4", "multiple times"),
            ("--strict=true", "unexpected value"),
            ("--seed '4", "is not closed"),
            ("--games 4", "some options have their own fields"),
            ("--see 4", "unknown option `--see`; did you mean `--seed`?"),
        ] {
            for begin in [&["match"] as &[&str], &["ladder", ".", "--out=x"]] {
                let error = checked(text, begin).expect_err(text);
                assert!(error.contains(part) || begin.len() > 1, "{text}: {error}");
            }
        }
    }
}
