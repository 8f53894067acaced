//! TOML files: match options (`--config`) and players (`--engines`). Their keys and values are read as the
//! words of a command line, so each option is described once.

use std::error::Error;
use std::ffi::OsString;
use std::ops::Range;
use std::path::Path;

use clap::error::ContextKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command, CommandFactory, ValueHint};
use referee_core::failure::Failure;
use referee_core::io::text::unknown;
use referee_core::settings::joined;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::cli::Cli;
use super::json_files;
use super::settings::{LISTS, SEPARATOR, Settings, word_key};
use super::with_keys::ALL_KEYS;
use crate::toml_file::TomlFile;

/// Match options that have no meaning in a file.
pub(super) const NOT_IN_FILES: [&str; 5] = ["accept", "config", "save-config", "help", "version"];

/// Keys whose texts may hold control characters. All others are paths, names, words or numbers.
const FREE_TEXTS: [&str; 4] = ["args", "option", "event", "site"];

/// An option and its values as words of a command line.
#[derive(Clone, Debug)]
pub(crate) struct OptionWords {
    /// The long name; empty for players without an option.
    pub option: String,
    /// None for a flag.
    pub values: Vec<OsString>,
}

impl OptionWords {
    /// The words of a command line that give it.
    pub fn words(&self) -> Vec<OsString> {
        let word = |value: &OsString| match &*self.option {
            "" => value.clone(),
            option => {
                let mut word = OsString::from(format!("--{option}="));
                word.push(value);
                word
            }
        };
        if self.values.is_empty() {
            vec![format!("--{}", self.option).into()]
        } else {
            self.values.iter().map(word).collect()
        }
    }
}

/// The options that were typed behind a command, in the order of its definition.
pub(crate) fn typed(command: &Command, matches: &ArgMatches) -> Vec<OptionWords> {
    let given = |option: &Arg| {
        let id = option.get_id().as_str();
        let is_typed = matches.value_source(id) == Some(ValueSource::CommandLine);
        let is_flag = !option.get_action().takes_values();
        let values = matches.get_raw(id).into_iter().flatten().filter(|_| !is_flag);
        is_typed.then(|| OptionWords {
            option: option.get_long().unwrap_or_default().into(),
            values: values.map(Into::into).collect(),
        })
    };
    command.get_arguments().filter_map(given).collect()
}

/// The options in the file of `--config`, for this command.
pub(crate) fn read_options(path: &Path, command: &Command) -> Result<Vec<OptionWords>, Failure> {
    json_files::read(path, "--config", false, |file| options(file, command))
}

fn options(file: &TomlFile<'_>, command: &Command) -> Result<Vec<OptionWords>, Failure> {
    options_in(file, &file.table()?, command)
}

/// The options of a match in a table of a file.
pub(crate) fn match_options(file: &TomlFile<'_>, table: &DeTable<'_>) -> Result<Vec<OptionWords>, Failure> {
    let mut command = Cli::command();
    command.build();
    let command = command.find_subcommand("match").cloned();
    options_in(file, table, &command.unwrap_or_default())
}

/// The settings of a player in a table, which has other keys as well.
pub(crate) fn player_settings(
    file: &TomlFile<'_>,
    table: &DeTable<'_>,
    others: &[&str],
    place: &Range<usize>,
) -> Result<Settings, Failure> {
    let mut table = table.clone();
    for key in others {
        table.remove(*key);
    }
    for (key, value) in sorted(&table) {
        check_signs(file, key.get_ref(), value)?;
    }
    let check = |list: &str| format!("cmd={list}").parse::<Settings>().map(drop);
    let list = read_list(file, (&table, place.clone()), Some("cmd"), check)?;
    // With its key: the first word of an option has none.
    let list = format!("cmd={list}");
    list.parse().map_err(|why: String| file.wrong(place, &why))
}

/// A number of a file.
pub(crate) fn number(value: &DeValue<'_>) -> Option<f64> {
    let is_number = matches!(value, DeValue::Integer(_) | DeValue::Float(_));
    scalar(value).filter(|_| is_number)?.parse().ok()
}

fn options_in(
    file: &TomlFile<'_>,
    table: &DeTable<'_>,
    command: &Command,
) -> Result<Vec<OptionWords>, Failure> {
    let command = &command.clone().mut_args(|option| option.required(false));
    let mut given = Vec::new();
    for (key, value) in sorted(table) {
        let (name, place) = (key.get_ref().as_ref(), key.span());
        let mut known = command
            .get_arguments()
            .filter(|option| option.get_long().is_some());
        let Some(option) = known.find(|option| option.get_long() == Some(name)) else {
            return Err(file.wrong(&place, &unknown_option(name, command)));
        };
        if NOT_IN_FILES.contains(&name) {
            let why = format!("`{name}` is not allowed in a file; it belongs on the command line");
            return Err(file.wrong(&place, &why));
        }
        check_signs(file, name, value)?;
        given.extend(read_option(file, command, option, (name, value))?);
    }
    let words = given.iter().flat_map(OptionWords::words);
    parsed(command, words).map_err(|error| {
        let names = [ContextKind::PriorArg, ContextKind::InvalidArg];
        let names = names.map(|kind| super::explain::text(&error, kind));
        let [one, other] = names.map(|name| {
            name.split(['=', ' '])
                .next()
                .unwrap_or_default()
                .replace("--", "")
        });
        file.incomplete(&format!("`{one}` cannot be used with `{other}`"))
    })?;
    Ok(given)
}

/// An option that the command does not have, and what was probably meant.
fn unknown_option(name: &str, command: &Command) -> String {
    if command.get_name() == "tune" && super::explain::of_match().contains(&format!("--{name}")) {
        return format!("`{name}` does not apply to `referee tune`");
    }
    let known = command.get_arguments().filter_map(Arg::get_long);
    let known: Vec<&str> = known.filter(|name| !NOT_IN_FILES.contains(name)).collect();
    unknown("key", name, &known)
}

/// Reads one option; `None` for a flag that is off.
fn read_option(
    file: &TomlFile<'_>,
    command: &Command,
    option: &Arg,
    (name, value): (&str, &Spanned<DeValue<'_>>),
) -> Result<Option<OptionWords>, Failure> {
    let wrong = |why: &str| file.wrong(&value.span(), why);
    let given = |values| OptionWords {
        option: name.into(),
        values,
    };
    if !option.get_action().takes_values() {
        return match value.get_ref() {
            DeValue::Boolean(is_on) => Ok(is_on.then(|| given(Vec::new()))),
            _ => Err(wrong("expected true or false")),
        };
    }
    let values = match value.get_ref() {
        DeValue::Array(values) if matches!(option.get_action(), ArgAction::Append) => &values[..],
        _ => std::slice::from_ref(value),
    };
    let long = format!("--{name}");
    let check = |text: &str| {
        let one = given(vec![text.into()]);
        parsed(command, one.words().into_iter()).map_err(|error| reason(&error))
    };
    let read = |value: &Spanned<DeValue<'_>>| -> Result<OsString, Failure> {
        let word = word_key(&long);
        if let DeValue::Table(table) = value.get_ref()
            && (word.is_some() || LISTS.contains(&&*long))
        {
            return Ok(read_list(file, (table, value.span()), word, check)?.into());
        }
        if LISTS.contains(&&*long) {
            return Err(wrong(&format!("expected a table, as in `{name} = {{}}`")));
        }
        let hint = option.get_value_hint();
        let is_path = matches!(
            hint,
            ValueHint::FilePath | ValueHint::DirPath | ValueHint::AnyPath
        );
        let text = match value.get_ref() {
            DeValue::String(text) => text.to_string(),
            _ if is_path => return Err(wrong("expected a path in quotes")),
            value => scalar(value).ok_or_else(|| wrong("expected a string, a number or a boolean"))?,
        };
        if let Some(word) = word
            && ALL_KEYS
                .iter()
                .any(|keys| keys.iter().any(|key| text.contains(&format!(" {key}="))))
        {
            return Err(wrong(&format!(
                "write keys as a table, as in `{name} = {{ {word} = … }}`"
            )));
        }
        check(&text).map_err(|why| wrong(&format!("`{text}`: {why}")))?;
        Ok(text.into())
    };
    let values = values.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    Ok(Some(given(values)).filter(|given| !given.values.is_empty()))
}

/// A table as a list of `KEY=VALUE`, behind the value of the key `word` if there is one. `check` reads the list.
fn read_list(
    file: &TomlFile<'_>,
    (table, place): (&DeTable<'_>, Range<usize>),
    word: Option<&str>,
    check: impl Fn(&str) -> Result<(), String>,
) -> Result<String, Failure> {
    let mut parts: Vec<(Range<usize>, String)> = Vec::new();
    let mut first = None;
    for (key, value) in sorted(table) {
        let (name, place) = (key.get_ref().as_ref(), key.span());
        let wrong = || file.wrong(&value.span(), "expected a string, a number or a boolean");
        match value.get_ref() {
            DeValue::Table(options) if name == "option" => {
                for (option, value) in sorted(options) {
                    if option.get_ref().contains('=') {
                        return Err(file.wrong(&option.span(), "the name of an option cannot contain `=`"));
                    }
                    let text = scalar(value.get_ref()).ok_or_else(wrong)?;
                    parts.push((option.span(), format!("option.{}={text}", option.get_ref())));
                }
            }
            DeValue::Array(words) if name == "args" => {
                let words = words.iter().map(|word| scalar(word.get_ref()));
                let words: Option<Vec<String>> = words.collect();
                let text = joined(words.ok_or_else(wrong)?.iter().map(String::as_str));
                let text = text.map_err(|error| file.wrong(&value.span(), &error.to_string()))?;
                parts.push((place, format!("args={text}")));
            }
            _ if name == "option" => return Err(file.wrong(&value.span(), "expected a table of options")),
            value if Some(name) == word => first = Some(scalar(value).ok_or_else(wrong)?),
            value => parts.push((place, format!("{name}={}", scalar(value).ok_or_else(wrong)?))),
        }
    }
    let text = |count: usize| {
        let parts = parts.iter().take(count).map(|(_, part)| part);
        first
            .iter()
            .chain(parts)
            .map(String::as_str)
            .collect::<Vec<_>>()
            .join(SEPARATOR)
    };
    if let Some(word) = word.filter(|_| first.is_none()) {
        return Err(file.wrong(&place, &format!("the key `{word}` is missing")));
    }
    let Err(why) = check(&text(parts.len())) else {
        return Ok(text(parts.len()));
    };
    // The first part with which there is this error.
    let culprit = (0..=parts.len()).find(|&count| check(&text(count)).err().as_ref() == Some(&why));
    let part = culprit.and_then(|count| parts.get(count.checked_sub(1)?));
    Err(file.wrong(part.map_or(&place, |(place, _)| place), &why))
}

/// A text, number or boolean as a user would type it.
fn scalar(value: &DeValue<'_>) -> Option<String> {
    Some(match value {
        DeValue::String(text) => text.to_string(),
        // The option itself refuses a number that is too large.
        DeValue::Integer(number) => i128::from_str_radix(number.as_str(), number.radix())
            .map_or_else(|_| number.as_str().to_string(), |number| number.to_string()),
        // As a number, so that `1.0` is a whole number and `1.10` the same as `1.1`.
        DeValue::Float(number) => number.as_str().parse::<f64>().ok()?.to_string(),
        DeValue::Boolean(is_on) => is_on.to_string(),
        _ => return None,
    })
}

/// Whether the command accepts these words.
fn parsed(command: &Command, words: impl Iterator<Item = OsString>) -> Result<(), clap::Error> {
    let command = command.clone().no_binary_name(true);
    command.try_get_matches_from(words).map(drop)
}

/// What is wrong with a value.
fn reason(error: &clap::Error) -> String {
    match error.source() {
        Some(source) => match super::explain::key_tip(error) {
            Some(tip) => format!("{source}; {tip}"),
            None => source.to_string(),
        },
        None => format!(
            "expected {}",
            super::explain::text(error, ContextKind::ValidValue).replace(' ', ", ")
        ),
    }
}

/// The entries of a table in the order of the file.
fn sorted<'a, 'b>(
    table: &'a DeTable<'b>,
) -> Vec<(&'a Spanned<toml::de::DeString<'b>>, &'a Spanned<DeValue<'b>>)> {
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    entries
}

/// Checks that there are no control characters in texts that cannot hold them. No argument of a program can
/// hold a NUL character.
fn check_signs(file: &TomlFile<'_>, key: &str, value: &Spanned<DeValue<'_>>) -> Result<(), Failure> {
    let check = |place: Range<usize>, text: &str, is_free: bool| match text
        .chars()
        .find(|sign| *sign == '\0' || sign.is_control() && !is_free)
    {
        None => Ok(()),
        Some(sign) => {
            let shown = sign.escape_debug();
            Err(file.wrong(&place, &format!("a control character (`{shown}`) is not allowed")))
        }
    };
    match value.get_ref() {
        DeValue::String(text) => check(value.span(), text, FREE_TEXTS.contains(&key)),
        DeValue::Array(items) => items.iter().try_for_each(|item| check_signs(file, key, item)),
        DeValue::Table(table) => sorted(table).into_iter().try_for_each(|(name, value)| {
            check(name.span(), name.get_ref(), true)?;
            let key = if key == "option" {
                key
            } else {
                name.get_ref().as_ref()
            };
            check_signs(file, key, value)
        }),
        _ => Ok(()),
    }
}

/// A file of players, as `--engines` takes it.
#[derive(Debug, Default)]
pub(crate) struct Players {
    /// Settings for each of them.
    pub each: Settings,
    pub engine: Vec<Settings>,
}

/// The players in a file of `--engines`; at least one.
pub(crate) fn read_players(path: &Path) -> Result<Players, Failure> {
    json_files::read(path, "--engines", true, players)
}

fn players(file: &TomlFile<'_>) -> Result<Players, Failure> {
    let list = |name: &'static str, action| {
        let settings = clap::value_parser!(Settings);
        Arg::new(name).long(name).action(action).value_parser(settings)
    };
    let command = Command::new("file of players")
        .disable_help_flag(true)
        .arg(list("engine", ArgAction::Append))
        .arg(list("each", ArgAction::Set));
    let mut players = Players::default();
    for given in options(file, &command)? {
        let mut lists = given.values.iter().filter_map(|list| list.to_str()?.parse().ok());
        match &*given.option {
            "each" => players.each = lists.next_back().unwrap_or_default(),
            _ => players.engine = lists.collect(),
        }
    }
    if players.engine.is_empty() {
        return Err(
            file.incomplete("there is no player; add a table [[engine]] with the `cmd` of each player")
        );
    }
    Ok(players)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use sentences::{assert_rows, expect};

    use clap::{Args as _, FromArgMatches as _};

    use super::*;
    use crate::config::cli::MatchArgs;
    use crate::config::save::to_toml;
    use crate::toml_file::{BACKSLASH_HINT, MAX_LENGTH};

    fn command() -> Command {
        MatchArgs::augment_args(Command::new("match")).no_binary_name(true)
    }

    fn given(text: &[u8]) -> Result<Vec<OptionWords>, Failure> {
        options(&TomlFile::new(Path::new("a.toml"), text)?, &command())
    }

    /// The options of a file, and their text in another file.
    fn read(text: &str) -> Result<(MatchArgs, String), Failure> {
        // Editors write a byte order mark.
        let given = given(format!("\u{feff}{text}").as_bytes())?;
        let matches = command()
            .try_get_matches_from(given.iter().flat_map(OptionWords::words))
            .unwrap();
        let args = MatchArgs::from_arg_matches(&matches).unwrap();
        Ok((args, to_toml(&given, &command()).unwrap()))
    }

    /// The error of a file, after its name.
    fn error(text: &[u8]) -> String {
        let failure = given(text).unwrap_err();
        assert!(matches!(failure, Failure::Usage(_)), "{text:?}");
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
            "on-fault" => (
                "{ do = 'random', limit = 3 }",
                &["'loose'", "1", "{ do = 'lose', limit = 3 }", "{ limit = 3 }"],
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
            "games" | "forfeit-after" | "max-plies" => ("3", NOT_POSITIVE),
            "repetition" => ("3", &["1", "'x'"]),
            "rules" => (
                "{ cmd = './a b', timeout = 2, option.size = 5 }",
                &["1", "['a']", "{ cmd = 'a', st = 1 }", "{ timeout = 2 }"],
            ),
            "affinity" => ("'3,5,7-11'", &["'x'", "'3-1'", "''", "[true]"]),
            "ponder" | "no-swap" | "reverse" | "finish-games" | "strict" | "skip-broken" | "board"
            | "quiet" | "json" | "json-moves" | "ascii" => ("true", NOT_BOOLEAN),
            "out" | "html" | "csv" | "faults" | "wrapper" => ("'a b'", NOT_A_PATH),
            other => panic!("the option `{other}` needs samples"),
        }
    }

    #[test]
    #[cfg(unix)] // other shells have other quotes
    fn a_file_holds_settings_as_they_are_typed() {
        let (args, _) = read(
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
        assert_eq!(read("engine = {cmd = 'a'}").unwrap().0.run.engine.len(), 1);
        for (text, games) in [
            ("games = '20'", 20),
            ("games = 2.0", 2),
            ("games = 0x10\n[each]", 16),
        ] {
            assert_eq!(read(text).unwrap().0.games.get(), games, "{text}");
        }
        let inherits = read("[each]\ncmd = 'a'\nnodes = 1e3\n[[engine]]\n[[engine]]")
            .unwrap()
            .0
            .run;
        assert_eq!(inherits.engine, [Settings::default(), Settings::default()]);
        assert_eq!(words(&inherits.each.unwrap()), "cmd=a nodes=1000");
    }

    #[test]
    fn errors_name_the_line_and_a_likely_correction() {
        let table = expect![[r#"
            # my match\n\ngmaes = 3 | , line 3: unknown key `gmaes`; did you mean `games`? keys: engine, each, variant,
            [ecah]\n | , line 1: unknown key `ecah`; did you mean `each`?
            [[engine]]\ncmd = 'a'\n\ndpeth = 3 | , line 4: unknown setting `dpeth`; did you mean `depth`?
            openings = { source = 'a', format = 'epd' } | , line 1: unknown key `format`; the keys are order, start, plies; `format` of other programs: not needed: a book
            [each]\n\nst = 0 | , line 3: `st=0`: expected seconds from 0.001 to 1000000
            [each]\nst = 1\ntc = 2 | , line 3: `tc=2`: `st` and `tc` cannot be combined
            [each]\nargs = "'" | , line 2: `args='`: a quote is not closed
            [each]\ndepth = [1] | , line 2: expected a string, a number or a boolean
            [each]\noption.'a=b' = 1 | , line 2: the name of an option cannot contain `=`
            a = 1\nb = 2\na = 3\n | , line 3: duplicate key
            games = 0 | , line 1: `0`: expected a whole number of at least 1
            \nquiet = 1 | , line 2: expected true or false
            \ncolor = 'blue' | , line 2: `blue`: expected auto, always, never
            a = 1\nb = \n | , line 2:
            \nout = "x\u0000" | , line 2: a control character (`\0`) is not allowed
            \n[each]\na."\u0000" = 1 | , line 3: a control character (`\0`)
        "#]];
        assert_rows(table, |[text]| error(text.replace("\\n", "\n").as_bytes()));
        let others = [
            ("\"\u{1b}\\n\" = 1", ", line 1: "),
            ("\"\\u001b\\n\" = 1", ", line 1: unknown key `\\u{1b}\\n`; "),
        ];
        for (text, message) in others {
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
        assert!(read(r#"engine = [{ cmd = "C:\\new", args = "a\tb", option.File = "\u0041" }]"#).is_ok());
        for text in [r"dir = [1] # '\b'", r"dir = ['a\b']", r#"args = "'\\""#] {
            let error = error(format!("[each]\n{text}").as_bytes());
            assert!(!error.contains("single quotes"), "{error}");
        }
    }

    #[test]
    fn a_file_of_players_holds_nothing_else() {
        let read = |text: &str| players(&TomlFile::new(Path::new("a.toml"), text.as_bytes())?);
        let players = read("[[engine]]\ncmd = 'a'\n[each]\nst = 1\n[[engine]]\ncmd = 'b'").unwrap();
        assert_eq!(players.each, "st=1".parse().unwrap());
        assert_eq!(players.engine, ["a", "b"].map(Settings::of_program));
        let table = expect![[r#"
            games = 3 | a.toml, line 1: unknown key `games`; the keys are engine, each
            [[engin]] | a.toml, line 1: unknown key `engin`; did you mean `engine`?
            [[engine]]\nhash = 1 | a.toml, line 2: unknown setting `hash`;
            | a.toml: there is no player; add a table [[engine]] with the `cmd` of each player
        "#]];
        assert_rows(table, |[text]| {
            let error = read(&text.replace("\\n", "\n")).unwrap_err();
            assert!(matches!(error, Failure::Usage(_)));
            error.to_string()
        });
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
            let _ = read(&words.concat());
        }
    }

    mod slow {
        use super::*;

        #[test]
        #[ignore = "slow: .ci/run"]
        fn a_file_can_hold_every_option() {
            let command = command();
            for option in command.get_arguments().filter_map(Arg::get_long) {
                if NOT_IN_FILES.contains(&option) {
                    let message = format!(", line 1: `{option}` is not allowed in a file");
                    assert!(error(format!("{option} = 'a'").as_bytes()).starts_with(&message));
                    continue;
                }
                let (value, wrong) = samples(option);
                let (_, saved) = read(&format!("{option} = {value}")).unwrap();
                assert!(saved.contains(option), "{option} is not saved");
                assert_eq!(read(&saved).unwrap().1, saved);
                for value in wrong {
                    let error = error(format!("\n{option} = {value}").as_bytes());
                    assert!(error.starts_with(", line 2: "), "{option} = {value}: {error}");
                }
            }
        }

        #[test]
        #[ignore = "slow: .ci/run"]
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

        proptest! {
            #[test]
            #[ignore = "slow: .ci/run"]
            fn any_settings_survive_a_file(
                cmd in "\\PC+",
                args in proptest::collection::vec("[^\0]*", 0..3),
                // One line, as the protocol has it.
                options in proptest::collection::btree_map("[^\\p{Cc}=]+", "[^\\p{Cc}]*", 0..5),
            ) {
                let settings = Settings {
                    cmd: Some(cmd),
                    args: Some(args),
                    options: options.into_iter().collect(),
                    ..Settings::default()
                };
                let value = settings.words().join(SEPARATOR).into();
                let given = OptionWords { option: "engine".into(), values: vec![value] };
                let saved = to_toml(&[given], &command()).unwrap();
                prop_assert_eq!(&read(&saved).unwrap().0.run.engine, &[settings]);
            }
        }
    }
}
