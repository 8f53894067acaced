//! Reads the options that a page adds to a command.

use std::iter::Peekable;

use referee::config::{CommandLineError, command_line};

use super::allowed::{ALLOWED, Follows, Key, OPTION, is_option_name, shown_key};

use Follows::{Keyed, List, Maybe, Nothing, One};

/// The longest text of options, in bytes.
const MAX_TEXT: usize = 4000;

/// An option with its words, as they stand in a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    /// Its long name.
    pub name: &'static str,
    /// The option and what follows it.
    pub words: Vec<String>,
}

/// Reads the options of a text, each of which the subcommand may have. The words are built anew, so that
/// only what was checked is in them.
///
/// # Errors
/// A sentence about the first word that is not allowed.
pub fn read(text: &str, subcommand: &str) -> Result<Vec<Given>, String> {
    if text.len() > MAX_TEXT {
        return Err(format!(
            "The options are too long; {MAX_TEXT} characters are allowed"
        ));
    }
    // NUL separates the words of lists inside a command.
    if text.chars().any(char::is_control) {
        return Err("The options hold a control character".into());
    }
    let words = shlex::split(text).ok_or("A quote in the options is not closed")?;
    let mut words = words.iter().map(String::as_str).peekable();
    let mut all: Vec<Given> = Vec::new();
    while let Some(word) = words.next() {
        if !word.starts_with('-') {
            return Err(format!(
                "`{word}` belongs to no option; players are chosen above, and no other word is allowed"
            ));
        }
        let (name, attached) = split(word);
        let allowed = ALLOWED.iter().find(|(known, _)| *known == name);
        let (name, follows) = allowed.ok_or_else(|| refusal(name, word, subcommand))?;
        if all.iter().any(|given| given.name == *name) {
            return Err(format!("{name} is given twice"));
        }
        let words = take(name, *follows, attached, &mut words)?;
        all.push(Given { name, words });
    }
    Ok(all)
}

/// The name of an option, and what stands in the same word.
fn split(word: &str) -> (&str, Option<&str>) {
    match word.strip_prefix("-j") {
        Some("") => ("--concurrency", None),
        Some(value) => ("--concurrency", Some(value.strip_prefix('=').unwrap_or(value))),
        None => word
            .split_once('=')
            .map_or((word, None), |(name, value)| (name, Some(value))),
    }
}

/// The words of one option.
fn take<'a>(
    name: &str,
    follows: Follows,
    attached: Option<&'a str>,
    words: &mut Peekable<impl Iterator<Item = &'a str>>,
) -> Result<Vec<String>, String> {
    let mut next = || attached.or_else(|| words.next_if(|word| !word.starts_with('-')));
    let missing = || format!("{name} needs a value");
    match follows {
        Nothing if attached.is_some() => Err(format!("{name} takes no value")),
        Nothing => Ok(vec![name.into()]),
        Maybe(value) => match attached {
            Some(text) => Ok(vec![format!("{name}={}", value.check(name, text)?)]),
            None => Ok(vec![name.into()]),
        },
        One(value) => {
            let text = next().ok_or_else(missing)?;
            Ok(vec![format!("{name}={}", value.check(name, text)?)])
        }
        Keyed(value, keys) => {
            let text = next().ok_or_else(missing)?;
            let first = format!("{name}={}", value.check(name, text)?);
            let list = list(name, keys, None, words)?;
            Ok([vec![first], list].concat())
        }
        List(keys) => Ok([vec![name.into()], list(name, keys, attached, words)?].concat()),
    }
}

/// A list of `KEY=VALUE`.
fn list<'a>(
    name: &str,
    keys: &[Key],
    attached: Option<&'a str>,
    words: &mut Peekable<impl Iterator<Item = &'a str>>,
) -> Result<Vec<String>, String> {
    let rest = std::iter::from_fn(|| words.next_if(|word| !word.starts_with('-')));
    let pairs = attached.into_iter().chain(rest);
    pairs.map(|pair| checked_pair(name, keys, pair)).collect()
}

fn checked_pair(name: &str, keys: &[Key], pair: &str) -> Result<String, String> {
    let (key, text) = pair
        .split_once('=')
        .ok_or_else(|| format!("{name}: expected KEY=VALUE, found `{pair}`"))?;
    let is_option = key.strip_prefix(OPTION).is_some_and(is_option_name);
    let found = keys.iter().find(|(known, _)| {
        if *known == OPTION {
            is_option
        } else {
            key == *known
        }
    });
    let Some((_, value)) = found else {
        let names: Vec<String> = keys.iter().map(|(known, _)| shown_key(known)).collect();
        return Err(format!(
            "{name}: the page may not set `{key}`, only {}",
            names.join(", ")
        ));
    };
    Ok(format!("{key}={}", value.check(&format!("{name} {key}"), text)?))
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

    fn words(text: &str) -> Result<String, String> {
        let all = read(text, "match")?;
        Ok(all
            .iter()
            .flat_map(|given| given.words.clone())
            .collect::<Vec<_>>()
            .join(" "))
    }

    #[test]
    fn allowed_options_are_written_anew() {
        for (text, expected) in [
            ("", ""),
            ("--games 4 --seed=7 -j 2", "--games=4 --seed=7 --concurrency=2"),
            ("-j4", "--concurrency=4"),
            ("-j=4", "--concurrency=4"),
            ("--openings random:4", "--openings=random:4"),
            ("--format swiss rounds=5", "--format=swiss rounds=5"),
            (
                "--format=gauntlet seeds=2 --strict",
                "--format=gauntlet seeds=2 --strict",
            ),
            (
                "--each st=0.5 depth=3 option.Hash=16",
                "--each st=0.5 depth=3 option.Hash=16",
            ),
            (
                "--each=tc=40/60+0.5 'option.Clear Hash=true'",
                "--each tc=40/60+0.5 option.Clear Hash=true",
            ),
            (
                "--prove --resign movecount=3 score=600 twosided=true",
                "--prove --resign movecount=3 score=600 twosided=true",
            ),
            (
                "--sprt elo0=-1.5 elo1=5 model=logistic",
                "--sprt elo0=-1.5 elo1=5 model=logistic",
            ),
            (
                "--affinity --record depth,nodes",
                "--affinity --record=depth,nodes",
            ),
            ("--affinity=0-3", "--affinity=0-3"),
        ] {
            assert_eq!(words(text).as_deref(), Ok(expected), "{text}");
        }
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
            ("--each st=1 args=x", "may not set `args`"),
            ("--each dir=/", "may not set `dir`"),
            ("--each stderr=x", "may not set `stderr`"),
            ("--each sandbox=off", "may not set `sandbox`"),
            ("--each sandbox-read=/", "may not set `sandbox-read`"),
            ("--each option.Log=/tmp/x", "expected a number, `true` or `false`"),
            ("--each option.a/b=1", "may not set `option.a/b`"),
            ("--each option.=1", "may not set `option.`"),
            ("--each x", "expected KEY=VALUE"),
            ("--openings /etc/passwd", "only the command line may name a file"),
            ("--openings=/etc/passwd", "only the command line may name a file"),
            ("--openings random:4 order=random", "belongs to no option"),
            ("--format /etc/passwd", "expected words in lower case"),
            ("--affinity=/x", "numbers of cores"),
            ("--affinity 3", "belongs to no option"),
            ("--record ../x", "expected words in lower case"),
            ("--rules ./x", "the game is that of the server"),
            ("--sandbox=off", "sets the sandbox"),
            ("--configx=/tmp/x", "is not for the page"),
            ("-- --engine", "is not for the page"),
            ("random", "belongs to no option"),
            ("--games", "needs a value"),
            ("--games x", "expected a whole number"),
            ("--games -4", "needs a value"),
            ("--games 2 --games 4", "given twice"),
            ("--strict=true", "takes no value"),
            ("--games '4", "is not closed"),
            ("--each \"st=1\0cmd=x\"", "control character"),
            ("--gam 4", "unexpected argument '--gam'"),
            ("--conc 4", "unexpected argument '--conc'"),
        ] {
            let error = words(text).expect_err(text);
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
