//! The options that a page may add to a command.
//!
//! [`read`] takes only options of fixed lists. [`check`] looks at what the command line has made of them. So no
//! request names a program or a file.

use referee::{Cli, Command, CommandLineError, Settings, command_line};

/// Options without a value, or with one after an equals sign.
const SWITCHES: [&str; 7] = [
    "--affinity",
    "--finish-games",
    "--no-swap",
    "--ponder",
    "--reverse",
    "--skip-broken",
    "--strict",
];

/// Options with a value.
const VALUES: [&str; 13] = [
    "--concurrency",
    "--forfeit-after",
    "--games",
    "--hours",
    "--max-plies",
    "--openings",
    "--pieces",
    "--record",
    "--repetition",
    "--seed",
    "--settle",
    "--turns",
    "--until",
];

/// Options with a list of `KEY=VALUE`, perhaps after a word.
const LISTS: [&str; 6] = ["--draw", "--each", "--format", "--prove", "--resign", "--sprt"];

/// The settings of players, besides `option.NAME`.
const SETTINGS: [&str; 10] = [
    "st",
    "tc",
    "depth",
    "nodes",
    "timemargin",
    "starttime",
    "restart",
    "cpu-time",
    "memory",
    "max-processes",
];

/// The longest text of options, in bytes.
const MAX_TEXT: usize = 4000;

/// The words of a text, in which only the options above stand.
///
/// # Errors
/// A sentence about the first word that is not allowed.
pub fn read(text: &str, subcommand: &str) -> Result<Vec<String>, String> {
    if text.len() > MAX_TEXT {
        return Err(format!(
            "The options are too long; {MAX_TEXT} characters are allowed"
        ));
    }
    let words = shlex::split(text).ok_or("A quote in the options is not closed")?;
    let (mut last, mut is_value_missing) = ("", false);
    for word in &words {
        let value = if word.starts_with('-') {
            last = name(word);
            let has_value = LISTS.contains(&last) || VALUES.contains(&last);
            if !has_value && !SWITCHES.contains(&last) {
                return Err(refusal(last, word, subcommand));
            }
            let value = word.strip_prefix("-j").or_else(|| word.strip_prefix(last));
            let value = value.filter(|value| !value.is_empty());
            is_value_missing = has_value && value.is_none();
            value.map(|value| value.strip_prefix('=').unwrap_or(value))
        } else if std::mem::take(&mut is_value_missing) || LISTS.contains(&last) && word.contains('=') {
            Some(word.as_str())
        } else {
            return Err(no_option(word));
        };
        let file = value.filter(|value| last == "--openings" && !value.starts_with("random:"));
        if let Some(file) = file {
            return Err(format!(
                "--openings: expected `random:PLIES`, found `{file}`; only the command line may name a file"
            ));
        }
    }
    Ok(words)
}

/// The long name of an option.
pub fn name(word: &str) -> &str {
    match word.strip_prefix("-j") {
        Some(_) => "--concurrency",
        None => word.split('=').next().unwrap_or_default(),
    }
}

fn no_option(word: &str) -> String {
    format!("`{word}` belongs to no option; players are chosen above, and no other word is allowed")
}

/// Checks what the command line has made of the options.
///
/// # Errors
/// A sentence about a program, or about a setting that only the command line may set.
pub fn check(cli: &Cli) -> Result<(), String> {
    let run = match &cli.command {
        Some(Command::Match(args)) => &args.run,
        Some(Command::Ladder(args)) => &args.run,
        _ => return Ok(()),
    };
    if let Some(program) = run.programs.first() {
        return Err(no_option(program));
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
            None if SETTINGS.contains(&key) => {}
            _ => {
                let all = SETTINGS.join(", ");
                return Err(format!(
                    "--each: the page may not set `{key}`, only {all}, option.NAME"
                ));
            }
        }
    }
    Ok(())
}

/// Why an option is not allowed.
fn refusal(name: &str, word: &str, subcommand: &str) -> String {
    let why = match name {
        "--engine" | "--first" | "--second" => "players are chosen above, and no request names a program",
        "--engines" => "the command line of the server names the folders of players",
        "--out" | "-o" => "the name above is that of the file",
        "--rules" | "--variant" => "the game is that of the server",
        "--sandbox" | "--sandbox-read" => "the command line of the server sets the sandbox",
        "--log" | "--pgn" | "--html" | "--faults" | "--csv" | "--feedback" | "--save-config" => {
            "it writes a file, which only the command line may name"
        }
        "--config" => "it reads a file, which only the command line may name",
        "--shard" => "it is for several machines; use the command line",
        "--board" | "--quiet" | "-q" | "--json" | "--json-moves" | "--output" | "--color" | "--ascii" => {
            "the page shows the match"
        }
        _ => "",
    };
    if !why.is_empty() {
        return format!("{name} is not for the page: {why}");
    }
    let known = || command_line(["referee", subcommand, word].map(Into::into)).err();
    // The command line would read the file.
    let error = if name.starts_with("--config") {
        None
    } else {
        known()
    };
    match error {
        Some(error) if name != "--" => sentence(&error),
        _ => format!("`{word}` is not for the page"),
    }
}

/// The error of a command line as one line.
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
    use super::*;

    /// Reads a text as the command of a page does.
    fn checked(text: &str, begin: &[&str]) -> Result<(), String> {
        let words = read(text, begin[0])?;
        let begin = ["referee"].iter().chain(begin).map(Into::into);
        let cli = command_line(begin.chain(words.iter().map(Into::into)));
        check(&cli.map_err(|error| sentence(&error))?)
    }

    #[test]
    fn allowed_options_are_taken() {
        for text in [
            "",
            "--games 4 --seed=7 -j 2",
            "-j4",
            "-j=4",
            "--openings random:4",
            "--openings=random:4",
            "--format swiss rounds=5",
            "--format=gauntlet seeds=2 --strict",
            "--each st=0.5 depth=3 option.Hash=16 option.Value=-1.5 option.On=true",
            "--each=tc=40/60+0.5 'option.Clear Hash=true'",
            "--prove --resign movecount=3 score=600 twosided=true",
            "--sprt elo0=-1.5 elo1=5 model=logistic",
            "--affinity --record depth,nodes",
            "--affinity=0-3",
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
            ("--engine cmd=/bin/sh", "players are chosen above"),
            ("--engine=cmd=/bin/sh", "players are chosen above"),
            ("--engines /tmp", "folders of players"),
            ("--out x.jsonl", "the name above"),
            ("-o x.jsonl", "the name above"),
            ("--log /tmp/x", "it writes a file"),
            ("--log=/tmp/x", "it writes a file"),
            ("--config /tmp/x.toml", "it reads a file"),
            ("--each cmd=/bin/sh", "may not set `cmd`"),
            ("--each=cmd=/bin/sh", "may not set `cmd`"),
            ("--each st=1 args=x", "may not set `args`"),
            ("--each dir=/", "may not set `dir`"),
            ("--each stderr=x", "may not set `stderr`"),
            ("--each sandbox=off", "may not set `sandbox`"),
            ("--each sandbox-read=/", "may not set `sandbox-read`"),
            ("--each proto=ugi", "may not set `proto`"),
            ("--each option.Log=/tmp/x", "expected a number, `true` or `false`"),
            ("--each option.a/b=1", "--each"),
            ("--each option.=1", "--each"),
            ("--each x", "--each"),
            ("--each st=1 ./evil=x", "`./evil=x` belongs to no option"),
            ("--each st=1 evil", "`evil` belongs to no option"),
            ("--openings /etc/passwd", "only the command line may name a file"),
            ("--openings=/etc/passwd", "only the command line may name a file"),
            ("--openings=", "only the command line may name a file"),
            ("--openings random:4 order=random", "belongs to no option"),
            ("--openings random:x", "random:x"),
            ("--format /etc/passwd", "invalid value"),
            ("--affinity=/x", "invalid value"),
            ("--affinity 3", "belongs to no option"),
            ("--record ../x", "invalid value"),
            ("--rules ./x", "the game is that of the server"),
            ("--shard 0/2", "several machines"),
            ("--quiet", "the page shows the match"),
            ("--sandbox=off", "sets the sandbox"),
            ("--configx=/tmp/x", "is not for the page"),
            ("-- --engine", "is not for the page"),
            ("random", "belongs to no option"),
            ("st=1", "belongs to no option"),
            ("--strict random", "belongs to no option"),
            ("--games 4 random", "belongs to no option"),
            ("--games", "value is required"),
            ("--games x", "expected a whole number"),
            ("--games -4", "unexpected argument '-4'"),
            ("--games 2 --games 4", "multiple times"),
            ("--strict=true", "unexpected value"),
            ("--games '4", "is not closed"),
            ("--gam 4", "unexpected argument '--gam'"),
            ("--conc 4", "unexpected argument '--conc'"),
        ] {
            for begin in [&["match"] as &[&str], &["ladder", ".", "--out=x"]] {
                let error = checked(text, begin).expect_err(text);
                assert!(error.contains(part) || begin.len() > 1, "{text}: {error}");
            }
        }
    }
}
