//! The file of `--save-config`: the options that were given, for `--config`.

use std::ffi::OsString;
use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::Path;

use clap::{ArgAction, Command};
use referee_core::failure::Failure;
use referee_core::io::files;
use referee_core::io::text::ShowPath;
use referee_core::system::files::split_words;
use serde::{Serialize, Serializer};
use toml::Value;

use super::file::{NOT_IN_FILES, OptionWords};
use super::settings::{LISTS, SEPARATOR, word_key};

/// The first line of a file that `--save-config` writes.
const HEADING: &str = "# A match. `referee match --config` and the path of this file play it.\n";

/// A value of a file, whose tables keep their order.
enum Saved {
    Value(Value),
    Array(Vec<Saved>),
    Table(Vec<(String, Saved)>),
}

impl Serialize for Saved {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Saved::Value(value) => value.serialize(serializer),
            Saved::Array(values) => values.serialize(serializer),
            Saved::Table(entries) => serializer.collect_map(entries.iter().map(|(key, value)| (key, value))),
        }
    }
}

/// The text of a file with these options.
pub(crate) fn to_toml(given: &[OptionWords], command: &Command) -> Result<String, String> {
    let mut entries = Vec::new();
    for OptionWords { option, values } in given {
        let long = format!("--{option}");
        let value = |text: &OsString| {
            let text = text.to_str().ok_or("path contains invalid UTF-8 characters")?;
            Ok::<_, String>(match word_key(&long) {
                Some(word) if text.contains(SEPARATOR) => table(&format!("{word}={text}")),
                None if LISTS.contains(&&*long) => table(text),
                None if option.is_empty() => table(&format!("cmd={text}")),
                _ => typed_value(text),
            })
        };
        let mut values = values.iter().map(value).collect::<Result<Vec<_>, _>>()?;
        let known = command
            .get_arguments()
            .find(|known| known.get_long() == Some(option));
        let is_one = known.is_some_and(|known| !matches!(known.get_action(), ArgAction::Append));
        let value = match values.len() {
            0 => Saved::Value(Value::Boolean(true)),
            1 if is_one => values.remove(0),
            _ => Saved::Array(values),
        };
        if !NOT_IN_FILES.contains(&&**option) {
            let name = if option.is_empty() { "engine" } else { option };
            entries.push((name.to_string(), value));
        }
    }
    let text = toml::to_string(&Saved::Table(entries)).map_err(|error| error.to_string())?;
    Ok(format!("{HEADING}{text}"))
}

/// A list of `KEY=VALUE` as a table.
fn table(list: &str) -> Saved {
    let (mut entries, mut options) = (Vec::new(), Vec::new());
    for (key, text) in list.split(SEPARATOR).filter_map(|pair| pair.split_once('=')) {
        match (key.strip_prefix("option."), split_words(text)) {
            (Some(option), _) => options.push((option.to_string(), typed_value(text))),
            (None, Some(words)) if key == "args" => {
                let words = words.into_iter().map(|word| Saved::Value(Value::String(word)));
                entries.push((key.to_string(), Saved::Array(words.collect())));
            }
            _ => entries.push((key.to_string(), typed_value(text))),
        }
    }
    if !options.is_empty() {
        entries.push(("option".into(), Saved::Table(options)));
    }
    Saved::Table(entries)
}

/// A text as a boolean or a number where that keeps it.
fn typed_value(text: &str) -> Saved {
    let value = text.parse().map(Value::Integer);
    let value = value.or_else(|_| text.parse().map(Value::Boolean));
    let value = value.or_else(|_| text.parse().map(Value::Float));
    let value = value.ok().filter(|value| value.to_string() == text);
    Saved::Value(value.unwrap_or_else(|| Value::String(text.into())))
}

/// Writes the file of `--save-config`. A file that holds the same text already is left
/// alone.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), Failure> {
    write_new(path, text).map_err(|error| {
        let hint = match error.kind() {
            ErrorKind::AlreadyExists => "; a file with other content is never overwritten",
            _ => "",
        };
        Failure::Usage(format!("--save-config {}: {error}{hint}", path.shown()))
    })
}

fn write_new(path: &Path, text: &str) -> io::Result<()> {
    let Err(error) = files::write_new(path, text) else {
        return Ok(());
    };
    match fs::metadata(path) {
        // A device or a pipe, which may never end when it is read, or a file with nothing in it.
        Ok(old) if !old.is_file() || old.len() == 0 => {
            files::append_to(path, false)?.write_all(text.as_bytes())
        }
        Ok(old)
            if old.len() == text.len() as u64 && fs::read(path).is_ok_and(|old| old == text.as_bytes()) =>
        {
            Ok(())
        }
        _ => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_saved_file_is_written_once() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("a.toml");
        fs::write(&path, "").unwrap();
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

        let given = OptionWords {
            option: "out".into(),
            values: vec![OsString::from_vec(b"b\xff".to_vec())],
        };
        let error = to_toml(&[given], &Command::new("match")).unwrap_err();
        assert_eq!(error, "path contains invalid UTF-8 characters");
    }
}
