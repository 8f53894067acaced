//! TOML files: match options (`--config`, `--save-config`) and players (`--engines`).

use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::ops::Range;
use std::path::Path;

use clap::Command;
use serde::Deserialize;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::cli::{MatchArgs, RunArgs};
use super::settings::Settings;
use super::values::one_or_many;
use crate::io::failure::Failure;
use crate::io::files;
use crate::io::suggest::unknown;
use crate::io::toml_file::TomlFile;

/// The first line of a file that `--save-config` writes.
const HEADING: &str = "# A match. `referee match --config` and the path of this file play it.\n";

/// Match options that have no meaning in a file.
const NOT_IN_FILES: [&str; 2] = ["config", "save-config"];

/// Keys whose texts may hold control characters. All others are paths, names, words or numbers.
const FREE_TEXTS: [&str; 4] = ["args", "option", "event", "site"];

/// The options in the file of `--config`; defaults for the rest.
pub(crate) fn read_match(path: &Path) -> Result<MatchArgs, Failure> {
    match_args(&TomlFile::read(path, "--config")?)
}

/// The options of a tuning in the file of `--config`.
pub(crate) fn read_for_tuning(path: &Path) -> Result<RunArgs, Failure> {
    let file = TomlFile::read(path, "--config")?;
    check_keys(&file, &refs(&names_of::<RunArgs>()), "`referee tune`")?;
    run_args(&file)
}

/// A file of players, as `--engines` takes it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Players {
    /// Settings for each of them.
    pub each: Settings,
    #[serde(deserialize_with = "one_or_many")]
    pub engine: Vec<Settings>,
}

/// The players in a file of `--engines`; at least one.
pub(crate) fn read_players(path: &Path) -> Result<Players, Failure> {
    let file = TomlFile::read(path, "--engines")?;
    players(&file)
}

/// The text of the file that holds these options.
///
/// # Errors
/// When a path is not UTF-8.
pub fn to_toml(args: &MatchArgs) -> Result<String, Failure> {
    let text = toml::to_string(args).map_err(|error| {
        let path = args.save_config.as_deref().unwrap_or(Path::new(""));
        Failure::Usage(format!("--save-config {}: {error}", path.display()))
    })?;
    Ok(format!("{HEADING}{text}"))
}

/// Writes the file of `--save-config`. A file that holds the same text already is left
/// alone.
pub(crate) fn save(args: &MatchArgs) -> Result<(), Failure> {
    let Some(path) = &args.save_config else {
        return Ok(());
    };
    write_new(path, &to_toml(args)?).map_err(|error| {
        let hint = match error.kind() {
            ErrorKind::AlreadyExists => "; a file with other content is never overwritten",
            _ => "",
        };
        Failure::Usage(format!("--save-config {}: {error}{hint}", path.display()))
    })
}

fn write_new(path: &Path, text: &str) -> io::Result<()> {
    match files::write_new(path, text) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            let old = fs::metadata(path)?;
            if !old.is_file() {
                // A device or a pipe, which may never end when it is read.
                return OpenOptions::new()
                    .write(true)
                    .open(path)?
                    .write_all(text.as_bytes());
            }
            let is_same =
                old.len() == text.len() as u64 && fs::read(path).is_ok_and(|old| old == text.as_bytes());
            if is_same { Ok(()) } else { Err(error) }
        }
        written => written,
    }
}

fn match_args(file: &TomlFile<'_>) -> Result<MatchArgs, Failure> {
    check_keys(file, &refs(&names_of::<MatchArgs>()), "")?;
    // serde cannot read the flattened groups together with the rest without losing
    // the lines of errors.
    let args = MatchArgs {
        run: run_args(file)?,
        style: file.parse()?,
        ..file.parse()?
    };
    if args.board && (args.run.quiet || args.run.json) {
        let other = if args.run.quiet { "quiet" } else { "json" };
        return Err(file.incomplete(&format!("`board` cannot be used with `{other}`")));
    }
    Ok(args)
}

fn run_args(file: &TomlFile<'_>) -> Result<RunArgs, Failure> {
    let args = RunArgs {
        setup: file.parse()?,
        ..file.parse()?
    };
    if args.quiet && args.json {
        return Err(file.incomplete("`quiet` cannot be used with `json`"));
    }
    Ok(args)
}

fn refs(names: &[String]) -> Vec<&str> {
    names.iter().map(String::as_str).collect()
}

/// The long options of a group.
fn names_of<T: clap::Args>() -> Vec<String> {
    let command = T::augment_args(Command::new("match"));
    let options = command.get_arguments().filter_map(|option| option.get_long());
    options.map(String::from).collect()
}

fn players(file: &TomlFile<'_>) -> Result<Players, Failure> {
    check_keys(file, &["engine", "each"], "a file of players")?;
    let players: Players = file.parse()?;
    if players.engine.is_empty() {
        return Err(
            file.incomplete("there is no player; add a table [[engine]] with the `cmd` of each player")
        );
    }
    Ok(players)
}

/// Checks that there are only known keys, and no control characters in texts that cannot
/// hold them. The file is for this purpose.
fn check_keys(file: &TomlFile<'_>, known: &[&str], purpose: &str) -> Result<(), Failure> {
    let is_known = |key: &str| known.contains(&key);
    let table = DeTable::parse(file.text()).map_err(|error| file.error_of(&error))?;
    let mut entries: Vec<_> = table.get_ref().iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    for (key, value) in entries {
        let (span, key) = (key.span(), key.get_ref().as_ref());
        if NOT_IN_FILES.contains(&key) && is_known(key) {
            let why = format!("`{key}` is not allowed in a file; it belongs on the command line");
            return Err(file.wrong(&span, &why));
        }
        if !is_known(key) {
            let why = match super::explain::instead_of(&format!("--{key}")) {
                Some(tip) => format!("unknown key `{key}`; {tip}"),
                None if names_of::<MatchArgs>().iter().any(|name| name == key) => {
                    format!("`{key}` does not apply to {purpose}")
                }
                None => {
                    let known = known.iter().filter(|name| !NOT_IN_FILES.contains(name));
                    unknown("key", key, &known.copied().collect::<Vec<_>>())
                }
            };
            return Err(file.wrong(&span, &why));
        }
        if let Some((place, control)) = control(key, value) {
            let shown = control.escape_debug();
            let why = format!("a control character (`{shown}`) is not allowed");
            return Err(file.wrong(&place, &why));
        }
    }
    Ok(())
}

/// The first control character in the value of a key that cannot hold it, and its place. No
/// argument of a program can hold a NUL character.
fn control(key: &str, value: &Spanned<DeValue<'_>>) -> Option<(Range<usize>, char)> {
    match value.get_ref() {
        DeValue::String(text) => text
            .chars()
            .find(|sign| *sign == '\0' || sign.is_control() && !FREE_TEXTS.contains(&key))
            .map(|sign| (value.span(), sign)),
        DeValue::Array(items) => items.iter().find_map(|item| control(key, item)),
        DeValue::Table(table) => table.iter().find_map(|(name, value)| {
            let in_name = name.get_ref().contains('\0').then(|| (name.span(), '\0'));
            let key = if key == "option" {
                key
            } else {
                name.get_ref().as_ref()
            };
            in_name.or_else(|| control(key, value))
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use clap::Args as _;

    use super::*;
    use crate::io::toml_file::{BACKSLASH_HINT, MAX_LENGTH};

    fn read(text: &str) -> Result<MatchArgs, Failure> {
        // Editors write a byte order mark.
        match_args(&TomlFile::new(
            Path::new("a.toml"),
            format!("\u{feff}{text}").as_bytes(),
        )?)
    }

    /// The error of a file, after its name.
    fn error(text: &[u8]) -> String {
        let file = TomlFile::new(Path::new("a.toml"), text);
        let failure = file.and_then(|file| match_args(&file)).unwrap_err();
        assert_eq!(failure.exit_status(), 2, "{text:?}");
        let error = failure.to_string();
        assert!(!error.contains(char::is_control), "{error}");
        error.strip_prefix("a.toml").unwrap().to_string()
    }

    /// A valid value of an option, different from its default; and invalid values.
    fn samples(option: &str) -> (&'static str, &'static [&'static str]) {
        const NOT_POSITIVE: &[&str] = &["0", "-1", "x", "''", "[1]", "true", "1.5"];
        const NOT_BOOLEAN: &[&str] = &["1", "'true'", "[true]"];
        const NOT_A_PATH: &[&str] = &["1", "['a']", "true"];
        const NOT_SETTINGS: &[&str] = &["1", "{ dpeth = 1 }", "{ st = 0 }", "{ st = 1, tc = 1 }"];
        match option {
            "engine" => ("[{ cmd = 'a', option.Hash = 1 }, { cmd = 'b' }]", NOT_SETTINGS),
            "each" => ("{ st = 1, args = ['a b', 'c'] }", NOT_SETTINGS),
            "draw" => (
                "{ movenumber = 20, movecount = 4, score = 10 }",
                &["1", "{ score = [1] }"],
            ),
            "resign" => (
                "{ movecount = 3, score = 600, twosided = true }",
                &["true", "{ score = {} }"],
            ),
            "prove" => ("{ empty = 30 }", &["1", "true", "{ empty = [1] }"]),
            "sprt" => ("{ elo0 = 0, elo1 = 5.5 }", &["1", "{ elo0 = [1] }"]),
            "engines" => ("['a', 'b.toml']", &["1", "[1]", "[['a']]"]),
            "variant" => ("'gridlock'", &["'chess'", "1"]),
            "format" => (
                "{ name = 'gauntlet', seeds = 2 }",
                &["'swis'", "1", "{ name = 'swiss', seeds = 2 }", "{ seeds = 2 }"],
            ),
            "pgn" => (
                "{ file = 'a b', event = 'A B' }",
                &["1", "['a']", "{ file = 'a', evnt = 'b' }"],
            ),
            "log" => (
                "{ file = 'a b', level = 'debug', engines = 'on' }",
                &["1", "{ file = 'a', level = 'loud' }", "{ level = 'debug' }"],
            ),
            "openings" => (
                "{ source = 'a b', order = 'random', start = 2, plies = 3 }",
                &[
                    "''",
                    "'random:0'",
                    "['a']",
                    "1",
                    "{ order = 'random' }",
                    "{ source = 'random:3', start = 2 }",
                    "{ source = 'a', strat = 2 }",
                ],
            ),
            "shard" => ("'1/2'", &["''", "'2/2'", "0"]),
            "sandbox" => ("'strict'", &["'none'", "true"]),
            "sandbox-read" => ("['/a', 'b']", &["1", "[1]"]),
            "output" => ("'cutechess'", &["'fastchess'", "1"]),
            "color" => ("'always'", &["'blue'", "1"]),
            "record" => ("'nodes,depth'", &["''", "'dpeth'", "['depth']", "1"]),
            "seed" => ("18446744073709551615", &["-1", "'x'", "1.5"]),
            "pieces" => ("24", &["0", "25", "'x'"]),
            "turns" => ("1000", &["0", "1001", "'x'"]),
            "concurrency" => ("1024", &["0", "1025", "'x'"]),
            "games" | "forfeit-after" => ("3", NOT_POSITIVE),
            "affinity" => ("'3,5,7-11'", &["'x'", "'3-1'", "''", "[true]"]),
            "ponder" | "no-swap" | "reverse" | "finish-games" | "strict" | "check-claims" | "skip-broken"
            | "board" | "quiet" | "json" | "ascii" => ("true", NOT_BOOLEAN),
            "out" | "html" | "faults" => ("'a b'", NOT_A_PATH),
            other => panic!("the option `{other}` needs samples"),
        }
    }

    /// The options of `referee match`, as clap knows them.
    fn options() -> Vec<String> {
        let command = MatchArgs::augment_args(Command::new("match"));
        let options = command.get_arguments().filter_map(|option| option.get_long());
        options.map(String::from).collect()
    }

    #[test]
    fn a_file_can_hold_every_option() {
        for option in options() {
            if NOT_IN_FILES.contains(&option.as_str()) {
                let message = format!(", line 1: `{option}` is not allowed in a file");
                assert!(error(format!("{option} = 'a'").as_bytes()).starts_with(&message));
                continue;
            }
            let (value, wrong) = samples(&option);
            let args = read(&format!("{option} = {value}")).unwrap();
            let saved = to_toml(&args).unwrap();
            assert_ne!(
                saved,
                to_toml(&MatchArgs::default()).unwrap(),
                "{option} is not saved"
            );
            assert_eq!(to_toml(&read(&saved).unwrap()).unwrap(), saved);
            for value in wrong {
                let error = error(format!("\n{option} = {value}").as_bytes());
                assert!(error.starts_with(", line 2: "), "{option} = {value}: {error}");
            }
        }
    }

    #[test]
    #[cfg(unix)] // other shells have other quotes
    fn a_file_holds_settings_as_they_are_typed() {
        let args = read(
            "quiet = true\nboard = false\nengines = 'a'\n[each]\nst = 0.10\noption.Hash = 32\n\
             [[engine]]\ncmd = 'x'\nargs = ['-v', 'two words', 3]\n\
             option.'Clear Hash' = ''\noption.Ponder = true\n\
             [[engine]]\ncmd = 'y'\nargs = '-v w'\n[engine.option]\nb = 1\na = 2\n",
        )
        .unwrap();
        let words = |settings: &Settings| settings.words().join(" ");
        assert_eq!(
            args.run.engine.iter().map(words).collect::<Vec<_>>(),
            [
                "cmd=x args=-v 'two words' 3 option.Clear Hash= option.Ponder=true",
                "cmd=y args=-v w option.b=1 option.a=2"
            ]
        );
        assert_eq!(words(&args.run.each.unwrap()), "st=0.1 option.Hash=32");
        assert_eq!(args.submissions, [Path::new("a")]);
        assert!(args.run.quiet && !args.board);
        assert_eq!(read("engine = {cmd = 'a'}").unwrap().run.engine.len(), 1);
        assert_eq!(read("games = '20'").unwrap().games.get(), 20);
    }

    #[test]
    fn errors_name_the_line_and_a_likely_correction() {
        for (text, message) in [
            (
                "# my match\n\ngmaes = 3\n",
                ", line 3: unknown key `gmaes`; did you mean `games`? The keys are engine, each, variant, ",
            ),
            ("round = 2\n", ", line 1: unknown key `round`; one process plays "),
            ("[ecah]\n", ", line 1: unknown key `ecah`; did you mean `each`? "),
            (
                "[[engine]]\ncmd = 'a'\n\ndpeth = 3",
                ", line 4: unknown setting `dpeth`; did you mean `depth`? ",
            ),
            (
                "[each]\n\nst = 0",
                ", line 3: `st=0`: expected seconds from 0.001 to 1000000",
            ),
            (
                "[each]\nst = 1\ntc = 2",
                ", line 3: `tc=2`: `st` and `tc` exclude each other",
            ),
            (
                "[each]\nargs = \"'\"",
                ", line 2: `args='`: a quote is not closed",
            ),
            (
                "[each]\ndepth = [1]",
                ", line 2: invalid type: sequence, expected a string, a number or a boolean",
            ),
            ("a = 1\nb = 2\na = 3\n", ", line 3: duplicate key"),
            (
                "games = 0",
                ", line 1: `0`: expected a whole number of at least 1",
            ),
            (
                "\nquiet = 1",
                ", line 2: invalid type: integer `1`, expected a boolean",
            ),
            (
                "\ncolor = 'blue'",
                ", line 2: unknown variant `blue`, expected one of `auto`, `always`, `never`",
            ),
            ("a = 1\nb = \n", ", line 2: "),
            (
                "\nout = \"x\\u0000\"",
                ", line 2: a control character (`\\0`) is not allowed",
            ),
            (
                "\n[each]\na.\"\\u0000\" = 1",
                ", line 3: a control character (`\\0`)",
            ),
            ("\"\u{1b}\\n\" = 1", ", line 1: "),
            ("\"\\u001b\\n\" = 1", ", line 1: unknown key `\\u{1b}\\n`; "),
        ] {
            let error = error(text.as_bytes());
            assert!(error.starts_with(message), "{text}\n{error}");
        }
        assert_eq!(error(b"a = 1\nb = '\xff'\n"), ", line 2: the text is not UTF-8");
    }

    #[test]
    fn a_backslash_in_double_quotes_is_explained() {
        for path in [r"C:\new", r"C:\Users", r"C:\xyz", r"bots\plain", r"bots\tiny"] {
            for text in [
                format!("[each]\ndir = \"{path}\""),
                format!("[[engine]]\ncmd = \"{path}\""),
                format!("\nengines = ['a', \"{path}\"]"),
            ] {
                let error = error(text.as_bytes());
                assert!(
                    error.starts_with(", line 2: ") && error.ends_with(BACKSLASH_HINT),
                    "{text}: {error}"
                );
            }
            assert!(read(&format!("[each]\ndir = '{path}'")).is_ok());
        }
        assert!(read(r#"engine = [{ cmd = "C:\\new", args = "a\tb", option.File = "\n" }]"#).is_ok());
        for text in [r"dir = [1] # '\b'", r#"args = "'\\""#] {
            let error = error(format!("[each]\n{text}").as_bytes());
            assert!(!error.contains("single quotes"), "{error}");
        }
    }

    #[test]
    fn length_and_depth_are_limited() {
        let longest = MAX_LENGTH as usize;
        assert!(read(&"\n".repeat(longest - "\u{feff}".len())).is_ok());
        assert_eq!(
            error(&vec![b'\n'; longest + 1]),
            ": the file is longer than 1 MiB"
        );
        for deep in ["a.", "[", "{a="] {
            let text = format!("a = {}", deep.repeat(longest / deep.len() - 10));
            assert!(error(text.as_bytes()).starts_with(", line 1: "), "{deep}");
        }
        let path = format!("{}a = 1", "a.".repeat(longest / 2 - 10));
        assert_eq!(error(path.as_bytes()), ", line 1: recursion limit");
        let header = format!("[{}a]\n", "a.".repeat(79)).repeat(10);
        assert!(error(header.as_bytes()).starts_with(", line "));
    }

    #[test]
    fn a_file_of_players_holds_nothing_else() {
        let read = |text: &str| players(&TomlFile::new(Path::new("a.toml"), text.as_bytes())?);
        let players = read("[[engine]]\ncmd = 'a'\n[each]\nst = 1\n[[engine]]\ncmd = 'b'").unwrap();
        assert_eq!(players.each, "st=1".parse().unwrap());
        assert_eq!(players.engine, ["a", "b"].map(Settings::of_program));
        for (text, message) in [
            (
                "games = 3",
                "a.toml, line 1: `games` does not apply to a file of players",
            ),
            (
                "[[engin]]",
                "a.toml, line 1: unknown key `engin`; did you mean `engine`?",
            ),
            ("[[engine]]\nhash = 1", "a.toml, line 2: unknown setting `hash`;"),
            (
                "",
                "a.toml: there is no player; add a table [[engine]] with the `cmd` of each player",
            ),
        ] {
            let error = read(text).unwrap_err();
            assert_eq!(error.exit_status(), 2);
            assert!(error.to_string().starts_with(message), "{error}");
        }
    }

    #[test]
    fn a_saved_file_is_written_once() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("a.toml");
        write_new(&path, "a").unwrap();
        write_new(&path, "a").unwrap();
        assert_eq!(
            write_new(&path, "b").unwrap_err().kind(),
            ErrorKind::AlreadyExists
        );
        assert_eq!(fs::read(&path).unwrap(), b"a");
    }

    #[test]
    #[cfg(unix)]
    fn a_path_that_is_not_utf_8_cannot_be_saved() {
        use std::os::unix::ffi::OsStringExt;

        let args = MatchArgs {
            run: RunArgs {
                out: Some(std::ffi::OsString::from_vec(b"b\xff".to_vec()).into()),
                ..RunArgs::default()
            },
            save_config: Some("a.toml".into()),
            ..MatchArgs::default()
        };
        let error = to_toml(&args).unwrap_err();
        assert_eq!(error.exit_status(), 2);
        assert_eq!(
            error.to_string(),
            "--save-config a.toml: path contains invalid UTF-8 characters"
        );
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "(?s).*") {
            let _ = read(&text);
        }

        #[test]
        fn no_text_of_the_right_words_makes_it_panic(
            words in proptest::collection::vec(proptest::sample::select(vec![
                "engine", "each", "games", "quiet", "option", "cmd", "args", "st", "=", ".", "\n", "[", "]",
                "[[engine]]\n", "[each]\n", "{", "}", ",", "'a'", "\"", "'", "1", "0.5", "-", "true", "\\u0000",
                " ", "#", "1979-05-27", "0x", "\u{feff}", "\r",
            ]), 0..30)
        ) {
            if let Ok(args) = read(&words.concat()) {
                to_toml(&args).unwrap();
            }
        }
    }
}
