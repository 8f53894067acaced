//! From a TOML file to the options or players in it, and what can be wrong.

use std::ffi::OsString;

use super::document::{Document, Entry, Value as Written};
use super::given::{Given, List, Value, words};
use super::options::{Options, Takes};
use crate::config::settings::{self, Settings};
use crate::io::failure::Failure;
use crate::io::suggest;

/// The options about players: their lists hold settings, and a file of players
/// holds no others.
const OF_PLAYERS: [&str; 2] = ["engine", "each"];

/// The options that the file of `--config` gives.
///
/// # Errors
/// One sentence with the line: a key that there is not, or a value that does
/// not fit.
pub fn config(document: &Document, options: &Options) -> Result<Given, Failure> {
    let names: Vec<&str> = options.names().collect();
    let given = read(document, options, &names)?;
    // What stands in the file may fit key by key, and not together.
    options
        .check_all(&given.words(options))
        .map_err(|error| document.incomplete(&error))?;
    Ok(given)
}

/// The lists for each and for one player that a file of `--engines` has.
///
/// # Errors
/// As of [`config`].
pub fn players(document: &Document) -> Result<(Settings, Vec<Settings>), Failure> {
    let mut each = Settings::default();
    let mut all = Vec::new();
    for (name, value) in read(document, &Options::of_match(), &OF_PLAYERS)?.0 {
        let Value::Lists(lists) = value else {
            continue;
        };
        for list in lists {
            let settings = Settings::parse(&settings::joined(&list));
            let settings = settings.map_err(|error| document.incomplete(&error))?;
            match name.as_str() {
                "each" => each = settings,
                _ => all.push(settings),
            }
        }
    }
    if all.is_empty() {
        return Err(document.incomplete("there is no player; each is a table [[engine]] with its `cmd`"));
    }
    Ok((each, all))
}

/// What a document says of the options of these names.
fn read(document: &Document, options: &Options, names: &[&str]) -> Result<Given, Failure> {
    let mut given = Given::default();
    for entry in &document.entries {
        let takes = options
            .takes(&entry.key)
            .filter(|_| names.contains(&entry.key.as_str()));
        let Some(takes) = takes else {
            return Err(document.wrong(entry.line, &unknown(&entry.key, options, names)));
        };
        if let Some(value) = value(document, entry, takes)? {
            options
                .check(&words(&entry.key, &value, options))
                .map_err(|error| document.wrong(entry.line, &error))?;
            given.0.push((entry.key.clone(), value));
        }
    }
    given
        .0
        .sort_by_key(|(name, _)| options.names().position(|known| known == name));
    Ok(given)
}

/// The message about a key that a file cannot hold.
fn unknown(key: &str, options: &Options, names: &[&str]) -> String {
    if options.is_kept_out(key) {
        return format!("`{key}` means nothing in a file; it belongs on the command line");
    }
    suggest::unknown("key", key, names)
}

/// What an entry gives for an option that takes this; `None` where it says that
/// the option is not given.
fn value(document: &Document, entry: &Entry, takes: Takes) -> Result<Option<Value>, Failure> {
    let key = &entry.key;
    let expected = |what: &str, found: &Written, line| {
        document.wrong(line, &format!("`{key}` takes {what}, found {}", found.kind()))
    };
    Ok(match (takes, &entry.value) {
        (Takes::Nothing | Takes::Text { none: true, .. }, Written::Truth(truth)) => {
            truth.then(|| Value::Texts(Vec::new()))
        }
        (Takes::Nothing, other) => return Err(expected("true or false", other, entry.line)),
        (Takes::Text { many: true, .. }, Written::Array(items)) => {
            let mut texts: Vec<OsString> = Vec::new();
            for (line, item) in items {
                let text = text(item).ok_or_else(|| expected("one value or an array of values", item, *line));
                texts.push(text?.into());
            }
            (!texts.is_empty()).then_some(Value::Texts(texts))
        }
        (Takes::Text { many, .. }, one) => {
            let what = if many {
                "one value or an array of values"
            } else {
                "one value"
            };
            let text = text(one).ok_or_else(|| expected(what, one, entry.line))?;
            Some(Value::Texts(vec![text.into()]))
        }
        (Takes::List { .. }, Written::Table(table)) => lists(document, key, &[(entry.line, table)])?,
        (Takes::List { many: true }, Written::Array(items)) => {
            let mut tables = Vec::new();
            for (line, item) in items {
                match item {
                    Written::Table(table) => tables.push((*line, table)),
                    other => return Err(expected(&format!("tables [[{key}]]"), other, *line)),
                }
            }
            lists(document, key, &tables)?
        }
        (Takes::List { many: true }, other) => {
            return Err(expected(&format!("tables [[{key}]]"), other, entry.line));
        }
        (Takes::List { many: false }, other) => {
            return Err(expected(&format!("one table [{key}]"), other, entry.line));
        }
    })
}

/// The text of a single value.
fn text(value: &Written) -> Option<String> {
    match value {
        Written::Text(text) => Some(text.clone()),
        Written::Truth(truth) => Some(truth.to_string()),
        Written::Date | Written::Array(_) | Written::Table(_) => None,
    }
}

/// The lists that these tables of one option are.
fn lists(
    document: &Document,
    option: &str,
    tables: &[(usize, &Vec<Entry>)],
) -> Result<Option<Value>, Failure> {
    let mut lists = Vec::new();
    for &(line, table) in tables {
        let mut list = List::new();
        flatten(document, option, table, "", &mut list)?;
        if OF_PLAYERS.contains(&option) && !list.is_empty() {
            // Each setting fits by itself, which does not say that all do.
            Settings::parse(&settings::joined(&list)).map_err(|error| document.wrong(line, &error))?;
        }
        match option {
            "engine" if list.is_empty() => return Err(document.wrong(line, "a table [[engine]] is empty")),
            _ if list.is_empty() => {}
            _ => lists.push(list),
        }
    }
    Ok((!lists.is_empty()).then_some(Value::Lists(lists)))
}

/// Appends the keys and values of a table; `a.b = 1` is the key `a.b`, however
/// it is written.
fn flatten(
    document: &Document,
    option: &str,
    table: &[Entry],
    prefix: &str,
    list: &mut List,
) -> Result<(), Failure> {
    for entry in table {
        let key = format!("{prefix}{}", entry.key);
        if key.contains('=') {
            let why = format!("no key has an equals sign, as `{key}` has");
            return Err(document.wrong(entry.line, &why));
        }
        let value = match &entry.value {
            Written::Table(inner) => {
                flatten(document, option, inner, &format!("{key}."), list)?;
                continue;
            }
            Written::Array(items) if key == "args" && OF_PLAYERS.contains(&option) => {
                quoted(document, items)?
            }
            other => text(other).ok_or_else(|| {
                document.wrong(
                    entry.line,
                    &format!("`{key}` takes one value, found {}", other.kind()),
                )
            })?,
        };
        let setting = (key, value);
        if OF_PLAYERS.contains(&option) {
            Settings::parse(&settings::joined(std::slice::from_ref(&setting)))
                .map_err(|error| document.wrong(entry.line, &error))?;
        }
        list.push(setting);
    }
    Ok(())
}

/// The arguments of a program in one text, quoted as for a shell.
fn quoted(document: &Document, items: &[(usize, Written)]) -> Result<String, Failure> {
    let mut words = Vec::new();
    for (line, item) in items {
        let word = text(item).ok_or_else(|| {
            let found = item.kind();
            document.wrong(*line, &format!("`args` takes strings, found {found}"))
        })?;
        let word = shlex::try_quote(&word).map_err(|error| document.wrong(*line, &error.to_string()))?;
        words.push(word.into_owned());
    }
    Ok(words.join(" "))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use proptest::prelude::*;

    use super::*;

    fn given(text: &str) -> Result<Given, Failure> {
        let document = Document::parse(Path::new("a.toml"), text.into())?;
        config(&document, &Options::of_match())
    }

    fn error(text: &str) -> String {
        let failure = given(text).unwrap_err();
        assert_eq!(failure.exit_status(), 2, "{text}");
        failure.to_string()
    }

    fn line(text: &str) -> String {
        let words = given(text).unwrap().words(&Options::of_match());
        let words: Vec<String> = words
            .into_iter()
            .map(|word| word.into_string().unwrap())
            .collect();
        words.join(" ").replace('\0', " ")
    }

    #[test]
    fn a_file_becomes_a_command_line() {
        let text = "quiet = true\nboard = false\ngames = 20\nopenings = 'random:2'\n\
                    engines = ['a', 'b']\nout = ''\n\
                    [each]\nst = 0.10\noption.Hash = 32\n\
                    [[engine]]\ncmd = 'x'\nargs = ['-v', 'two words', 3]\n\
                    option.'Clear Hash' = ''\noption.Ponder = true\n\
                    [[engine]]\ncmd = 'y'\nargs = '-v w'\n[engine.option]\nb.c = 1\na = 2\n";
        let text = text.replace("out = ''\n", "");
        assert_eq!(
            line(&text),
            "--engine=cmd=x args=-v 'two words' 3 option.Clear Hash= option.Ponder=true \
             --engine=cmd=y args=-v w option.b.c=1 option.a=2 \
             --each=st=0.10 option.Hash=32 --engines=a --engines=b \
             --games=20 --openings=random:2 --quiet"
        );
        assert_eq!(line("engines = 'a'\n[each]\n"), "--engines=a");
        assert_eq!(line("engines = []"), "");
        assert_eq!(line("engine = [{cmd = 'a'}]"), "--engine=cmd=a");
    }

    /// Each text has an error that begins with the message.
    fn assert_errors(cases: &[(&str, &str)]) {
        for (text, message) in cases {
            let error = error(text);
            assert!(error.starts_with(message), "{text}\n{error}");
        }
    }

    #[test]
    fn a_slip_is_told_with_line_and_what_was_meant() {
        let unknown = error("# my match\n\ngmaes = 3\n");
        assert!(
            unknown.starts_with("a.toml, line 3: unknown key `gmaes`; did you mean `games`? The keys are engine, each, engines, variant, format, rounds, games"),
            "{unknown}"
        );
        assert_errors(&[
            (
                "[ecah]\n",
                "a.toml, line 1: unknown key `ecah`; did you mean `each`? The keys are ",
            ),
            (
                "[[engine]]\ncmd = 'a'\n\ndpeth = 3",
                "a.toml, line 4: unknown setting `dpeth`; did you mean `depth`?",
            ),
            (
                "[each]\nst = 0",
                "a.toml, line 2: `st=0`: expected seconds from 0.001 to 1000000",
            ),
            (
                "[each]\nst = 1\ntc = 2",
                "a.toml, line 1: `tc=2`: `st` and `tc` exclude each other",
            ),
            (
                "[each]\noption.a = 1\noption.'a' = 2",
                "a.toml, line 3: duplicate key",
            ),
            ("\n[[engine]]\n", "a.toml, line 2: a table [[engine]] is empty"),
            (
                "[each]\noption.'a=b' = 1",
                "a.toml, line 2: no key has an equals sign, as `option.a=b` has",
            ),
            (
                "[each]\nargs = [[]]",
                "a.toml, line 2: `args` takes strings, found an array",
            ),
            (
                "[each]\nargs = \"'\"",
                "a.toml, line 2: `args='`: a quote is not closed",
            ),
            (
                "[each]\ndepth = [1]",
                "a.toml, line 2: `depth` takes one value, found an array",
            ),
            ("[each]\ncmd.a = 1", "a.toml, line 2: unknown setting `cmd.a`;"),
        ]);
    }

    #[test]
    fn a_value_that_does_not_fit_is_told_with_its_line() {
        assert_errors(&[
            (
                "each = 3",
                "a.toml, line 1: `each` takes one table [each], found a string or number",
            ),
            (
                "[[each]]\nst = 1",
                "a.toml, line 1: `each` takes one table [each], found an array",
            ),
            (
                "engine = 'a'",
                "a.toml, line 1: `engine` takes tables [[engine]], found a string or number",
            ),
            (
                "engine = [\n'a'\n]",
                "a.toml, line 2: `engine` takes tables [[engine]], found a string or number",
            ),
            (
                "games = [1]",
                "a.toml, line 1: `games` takes one value, found an array",
            ),
            (
                "games = 2026-01-01",
                "a.toml, line 1: `games` takes one value, found a date or time",
            ),
            (
                "games.a = 2",
                "a.toml, line 1: `games` takes one value, found a table",
            ),
            (
                "engines = [\n'a',\n[]]",
                "a.toml, line 3: `engines` takes one value or an array of values, found an array",
            ),
            (
                "games = 0",
                "a.toml, line 1: invalid value '0' for '--games <N>': 0 is not in 1..",
            ),
            (
                "games = true",
                "a.toml, line 1: invalid value 'true' for '--games <N>': invalid digit",
            ),
            (
                "\ncolor = 'blue'",
                "a.toml, line 2: invalid value 'blue' for '--color <WHEN>' [possible values: auto, always, never]",
            ),
            (
                "quiet = 1",
                "a.toml, line 1: `quiet` takes true or false, found a string or number",
            ),
            (
                "config = 'b.toml'",
                "a.toml, line 1: `config` means nothing in a file; it belongs on the command line",
            ),
            (
                "save-config = ''",
                "a.toml, line 1: `save-config` means nothing in a file",
            ),
            ("help = true", "a.toml, line 1: `help` means nothing in a file"),
            (
                "quiet = true\nboard = true",
                "a.toml: the argument '--board' cannot be used with '--quiet'",
            ),
        ]);
    }

    #[test]
    fn a_file_of_players_has_nothing_else() {
        let read = |text: &str| players(&Document::parse(Path::new("a.toml"), text.into()).unwrap());
        let (each, all) = read("[[engine]]\ncmd = 'a'\n[each]\nst = 1\n[[engine]]\ncmd = 'b'").unwrap();
        assert_eq!(each, Settings::parse("st=1").unwrap());
        assert_eq!(all, ["a", "b"].map(Settings::of_program));
        for (text, message) in [
            (
                "games = 3",
                "a.toml, line 1: unknown key `games`; the keys are engine, each",
            ),
            (
                "[[engin]]",
                "a.toml, line 1: unknown key `engin`; did you mean `engine`?",
            ),
            ("[[engine]]\nhash = 1", "a.toml, line 2: unknown setting `hash`;"),
            (
                "",
                "a.toml: there is no player; each is a table [[engine]] with its `cmd`",
            ),
        ] {
            let error = read(text).unwrap_err();
            assert_eq!(error.exit_status(), 2);
            assert!(error.to_string().starts_with(message), "{error}");
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "(?s).*") {
            let _ = given(&text);
        }

        #[test]
        fn no_text_of_the_right_words_makes_it_panic(
            words in proptest::collection::vec(proptest::sample::select(vec![
                "engine", "each", "games", "quiet", "option", "cmd", "args", "st", "=", ".", "\n", "[", "]",
                "[[engine]]\n", "[each]\n", "{", "}", ",", "'a'", "\"", "'", "1", "0.5", "-", "true", "\\u0000",
                " ", "#", "1979-05-27", "0x", "\u{feff}", "\r",
            ]), 0..30)
        ) {
            if let Ok(given) = given(&words.concat()) {
                let _ = given.words(&Options::of_match());
            }
        }
    }
}
