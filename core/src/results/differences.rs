//! What differs between two headers, in the words that the user types: `--games was 10, now 12`.

use std::fmt;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::io::text::{listed, printable};

/// The most differences that a message names: a ladder with another name differs in each player.
pub const MOST_DIFFERENCES: usize = 4;

/// The most names of a list that are in a message.
const MOST_NAMES: usize = 8;

/// The most characters of another value in a message.
const MOST_CHARACTERS: usize = 300;

/// The characters of a hash that are in a message.
const HASH_CHARACTERS: usize = 8;

/// A field with two values.
pub(super) struct Difference {
    /// The keys of the field in the header, and the names or numbers of items in lists.
    path: Vec<String>,
    old: Value,
    new: Value,
}

impl Difference {
    /// Whether it concerns a player, and not the whole match.
    pub(super) fn is_of_player(&self) -> bool {
        self.path.first().is_some_and(|key| key == "engines")
    }

    /// What the user calls the field.
    fn field(&self) -> String {
        let option = |key: &str| format!("--{}", key.replace('_', "-"));
        let path: Vec<&str> = self.path.iter().map(String::as_str).collect();
        match path[..] {
            ["engines"] => "the list of players".into(),
            ["engines", player, "options", name] => format!("option.{name} of `{player}`"),
            ["engines", player, ref keys @ ..] => {
                format!("{} of `{player}`", keys.join(".").replace('_', "-"))
            }
            ["rules" | "tuning"] | ["rules", "cmd"] | ["tuning", "parameters"] => {
                option(if path[0] == "rules" { "rules" } else { "param" })
            }
            ["rules", "sha256", file] => format!("the hash of `{file}` in --rules"),
            ["rules", "options", name] => format!("option.{name} of --rules"),
            ["rules", ref keys @ ..] => format!("{} of --rules", keys.join(".")),
            ["schedule", "book"] => "the hash of the file of --openings".into(),
            ["schedule", "selection"] => option("openings"),
            ["schedule", key @ ("rounds" | "seeds")] => format!("{key} of --format"),
            ["wrappers", folder] => format!("the hash of --wrapper {folder}"),
            ["schedule" | "tuning", key] | [key] => option(key),
            _ => path.join("."),
        }
    }

    /// Whether the values are hashes.
    fn is_hash(&self) -> bool {
        let keys = ["sha256", "book", "wrappers", "digest"];
        self.path.iter().any(|key| keys.contains(&key.as_str()))
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let (old, new) = (&self.old, &self.new);
        let alike = match (old, new) {
            (Value::Array(old), Value::Array(new)) => {
                old.iter().zip(new).take_while(|(old, new)| old == new).count()
            }
            _ => 0,
        };
        let [old, new] = [old, new].map(|value| match value {
            Value::String(hash) if self.is_hash() => printable(hash, HASH_CHARACTERS),
            value => readable(value, alike),
        });
        write!(f, "{} was {old}, now {new}", self.field())
    }
}

/// The differences between two values, each with its path, which begins with `path`.
pub(super) fn differences<T: Serialize>(path: &[&str], old: &T, new: &T) -> Vec<Difference> {
    let [old, new] = [old, new].map(|value| serde_json::to_value(value).unwrap_or_default());
    let mut found = Vec::new();
    let path = path.iter().map(|&key| key.to_owned()).collect();
    add(path, old, new, &mut found);
    found
}

fn add(path: Vec<String>, old: Value, new: Value, found: &mut Vec<Difference>) {
    let [old, new] = [old, new].map(|value| comparable(&path, value));
    let child = |key: &str| [&path[..], &[printable(key, usize::MAX)]].concat();
    match (old, new) {
        (Value::Object(mut old), Value::Object(mut new)) => {
            for (key, old) in std::mem::take(&mut old) {
                add(child(&key), old, new.remove(&key).unwrap_or_default(), found);
            }
            for (key, new) in new {
                add(child(&key), Value::Null, new, found);
            }
        }
        (Value::Array(old), Value::Array(new)) if old.len() == new.len() => {
            for (index, (old, new)) in old.into_iter().zip(new).enumerate() {
                let name = old.get("name").and_then(Value::as_str).map(str::to_owned);
                let item = name.unwrap_or_else(|| (index + 1).to_string());
                add(child(&item), old, new, found);
            }
        }
        (old, new) if old != new => found.push(Difference { path, old, new }),
        _ => {}
    }
}

/// A value of a header in the form in which it is compared: named options by their names, and words as one text.
fn comparable(path: &[String], value: Value) -> Value {
    let is_options = path.last().is_some_and(|key| key == "options");
    match value {
        Value::Null if is_options => Value::Object(Map::new()),
        Value::Array(pairs) if is_options => {
            let named = pairs.into_iter().filter_map(|pair| match pair {
                Value::Array(pair) => match <[Value; 2]>::try_from(pair) {
                    Ok([Value::String(name), value]) => Some((name, value)),
                    _ => None,
                },
                _ => None,
            });
            Value::Object(named.collect())
        }
        Value::Array(words) if !words.is_empty() && words.iter().all(Value::is_string) => {
            let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
            Value::String(words.join(" "))
        }
        value => value,
    }
}

/// A value in a message. Of a long list, the names after those that are `alike`.
fn readable(value: &Value, alike: usize) -> String {
    match value {
        Value::Null => "not given".into(),
        Value::Bool(value) => if *value { "on" } else { "off" }.into(),
        Value::String(text) if !text.is_empty() => printable(text, MOST_CHARACTERS),
        // A rules program or a tuning, which the other match has not.
        Value::Object(fields) if let Some(words) = fields.get("cmd").or(fields.get("parameters")) => {
            readable(&comparable(&[], words.clone()), alike)
        }
        Value::Array(items) if items.iter().any(|item| item.get("name").is_some()) => {
            let names = items.iter().filter_map(|item| item.get("name")?.as_str());
            let names: Vec<String> = names.map(|name| printable(name, MOST_CHARACTERS)).collect();
            if names.len() <= MOST_NAMES {
                return names.join(", ");
            }
            match names.get(alike..).unwrap_or_default() {
                [] => format!("{} names", names.len()),
                rest => format!(
                    "{} names, from number {} on {}",
                    names.len(),
                    alike + 1,
                    listed(rest, MOST_NAMES, ", ")
                ),
            }
        }
        value => printable(&value.to_string(), MOST_CHARACTERS),
    }
}
