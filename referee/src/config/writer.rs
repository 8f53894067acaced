//! What was given, as the text of a file for `--config`.

use std::ffi::OsStr;
use std::fmt::Write;

use super::given::{Given, List, Value};
use super::options::Options;
use crate::io::failure::Failure;

/// How every such file begins.
const HEADING: &str = "# A match. `referee match --config` and the path of this file play it.\n";

/// The text that `--config` reads as the same options.
///
/// # Errors
/// Where a path is no UTF-8, which no TOML file can hold.
pub fn text(given: &Given, options: &Options) -> Result<String, Failure> {
    let mut keys = String::new();
    let mut tables = String::new();
    for (name, value) in &given.0 {
        match value {
            Value::Texts(texts) => {
                let texts = texts.iter().map(|text| {
                    let text: &OsStr = text;
                    text.to_str().ok_or_else(|| {
                        Failure::Usage(format!(
                            "--save-config: no file can hold `--{name} {}`, which is not UTF-8",
                            text.display()
                        ))
                    })
                });
                let texts = texts.collect::<Result<Vec<&str>, Failure>>()?;
                // Writing to a string does not fail.
                let _ = writeln!(keys, "{} = {}", key(name), one_or_many(&texts));
            }
            Value::Lists(lists) => {
                let header = if options.can_repeat(name) {
                    format!("[[{}]]", key(name))
                } else {
                    format!("[{}]", key(name))
                };
                for list in lists {
                    let _ = write!(tables, "\n{header}\n{}", table(list));
                }
            }
        }
    }
    Ok(format!("{HEADING}{keys}{tables}"))
}

fn one_or_many(texts: &[&str]) -> String {
    match texts {
        [] => "true".to_string(),
        [one] => scalar(one),
        many => {
            let many: Vec<String> = many.iter().map(|text| scalar(text)).collect();
            format!("[{}]", many.join(", "))
        }
    }
}

fn table(list: &List) -> String {
    let line = |(name, value): &(String, String)| {
        let name = match name.split_once('.') {
            Some((group, name)) => format!("{}.{}", key(group), key(name)),
            None => key(name),
        };
        let value = match value.as_str() {
            "true" | "false" => value.clone(),
            _ => scalar(value),
        };
        format!("{name} = {value}\n")
    };
    list.iter().map(line).collect()
}

/// A number where it would be read as the same text, else a string.
fn scalar(text: &str) -> String {
    if is_whole(text) || is_decimal(text) {
        text.to_string()
    } else {
        string(text)
    }
}

/// Whether every TOML reader takes the text for a whole number, and would write
/// it alike.
fn is_whole(text: &str) -> bool {
    text.parse::<i64>().is_ok_and(|number| number.to_string() == text)
}

fn is_decimal(text: &str) -> bool {
    text.split_once('.').is_some_and(|(whole, fraction)| {
        is_whole(whole) && !fraction.is_empty() && fraction.bytes().all(|byte| byte.is_ascii_digit())
    })
}

fn key(name: &str) -> String {
    let is_bare = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    if !name.is_empty() && name.bytes().all(is_bare) {
        name.to_string()
    } else {
        string(name)
    }
}

/// A basic string of TOML.
fn string(text: &str) -> String {
    let mut written = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => written.extend(['\\', letter]),
            '\n' => written.push_str("\\n"),
            '\t' => written.push_str("\\t"),
            _ if letter.is_control() => {
                let _ = write!(written, "\\u{:04X}", u32::from(letter));
            }
            _ => written.push(letter),
        }
    }
    written.push('"');
    written
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt;
    use std::path::Path;

    use proptest::collection::{btree_map, vec};
    use proptest::prelude::*;

    use super::super::document::Document;
    use super::super::reader;
    use super::*;

    fn list(pairs: &[(&str, &str)]) -> List {
        pairs
            .iter()
            .map(|(key, value)| ((*key).to_string(), (*value).to_string()))
            .collect()
    }

    fn given() -> Given {
        let texts = |texts: &[&str]| Value::Texts(texts.iter().map(OsString::from).collect());
        let engines = [
            list(&[
                ("cmd", "my \"bots\"\\a.py"),
                ("args", "-v 'two words'"),
                ("option.Clear Hash", ""),
                ("option.a.b", "007"),
                ("option.Hash", "32"),
                ("option.Ponder", "false"),
                ("st", "0.10"),
            ]),
            list(&[("cmd", "human"), ("stderr", "\u{e4}\t\u{7f}\u{85}")]),
        ];
        Given(vec![
            ("engine".into(), Value::Lists(engines.into())),
            (
                "each".into(),
                Value::Lists(vec![list(&[("st", "0.05"), ("option.Hash", "16")])]),
            ),
            ("engines".into(), texts(&["subs", "more.toml"])),
            ("games".into(), texts(&["20"])),
            ("out".into(), texts(&["true"])),
            ("quiet".into(), Value::Texts(Vec::new())),
        ])
    }

    #[test]
    fn a_file_reads_as_somebody_would_write_it() {
        let written = text(&given(), &Options::of_match()).unwrap();
        let expected = r#"# A match. `referee match --config` and the path of this file play it.
engines = ["subs", "more.toml"]
games = 20
out = "true"
quiet = true

[[engine]]
cmd = "my \"bots\"\\a.py"
args = "-v 'two words'"
option."Clear Hash" = ""
option."a.b" = "007"
option.Hash = 32
option.Ponder = false
st = 0.10

[[engine]]
cmd = "human"
stderr = "ä\t\u007F\u0085"

[each]
st = 0.05
option.Hash = 16
"#;
        assert_eq!(written, expected);
    }

    fn read(text: &str) -> Given {
        let document = Document::parse(Path::new("a.toml"), text.into()).unwrap();
        reader::config(&document, &Options::of_match()).unwrap()
    }

    #[test]
    fn what_is_written_is_read_as_it_was() {
        let written = text(&given(), &Options::of_match()).unwrap();
        let read = read(&written);
        assert_eq!(text(&read, &Options::of_match()).unwrap(), written);
        assert_eq!(read.0.len(), given().0.len());
        assert!(given().0.iter().all(|option| read.0.contains(option)), "{read:?}");
    }

    #[test]
    fn a_path_that_is_no_text_is_told() {
        let path = OsString::from_vec(b"b\xff".to_vec());
        let given = Given(vec![("out".into(), Value::Texts(vec![path]))]);
        let error = text(&given, &Options::of_match()).unwrap_err();
        assert_eq!(error.exit_status(), 2);
        assert_eq!(
            error.to_string(),
            "--save-config: no file can hold `--out b\u{fffd}`, which is not UTF-8"
        );
    }

    proptest! {
        #[test]
        fn any_text_survives(
            path in "[^\0]+",
            numbers in vec("-?[0-9]{1,20}(\\.[0-9]{1,4})?", 1..4),
            options in btree_map("[^=\0]+", "[^\0]*", 1..5),
        ) {
            let texts = |texts: &[String]| Value::Texts(texts.iter().map(OsString::from).collect());
            let options = options.into_iter().map(|(name, value)| (format!("option.{name}"), value));
            let given = Given(vec![
                ("each".into(), Value::Lists(vec![options.collect()])),
                ("engines".into(), texts(&numbers)),
                ("out".into(), texts(&[path])),
            ]);
            prop_assert_eq!(read(&text(&given, &Options::of_match()).unwrap()), given);
        }
    }
}
