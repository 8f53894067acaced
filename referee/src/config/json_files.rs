//! JSON files of other programs, `engines.json` of cutechess and `config.json` of fastchess, as the TOML that replaces
//! them.

use std::fmt::Write as _;
use std::io::{self, Read};
use std::path::Path;

use lodestone_game::text::text_start;
use referee_core::failure::Failure;
use referee_core::io::text::ShowPath;
use referee_core::system::files::{open_regular, unreadable};
use serde_json::Value;

use crate::toml_file::{MAX_LENGTH, TomlFile};

/// What `read` makes of the file that an option names, a TOML file or a JSON file of another program. With
/// `only_players`, the other options of a JSON file do not count.
pub(super) fn read<T>(
    path: &Path,
    option: &str,
    only_players: bool,
    read: impl Fn(&TomlFile<'_>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    if !is_json(path) {
        return read(&TomlFile::read(path)?);
    }
    let name = path.shown();
    let failed = |why: String| Failure::Usage(format!("{option} {name}: {why}"));
    let mut text = Vec::new();
    let refused = |error: io::Error| Failure::Usage(unreadable(path, &error));
    let file = open_regular(path).map_err(refused)?;
    file.take(MAX_LENGTH).read_to_end(&mut text).map_err(refused)?;
    let text = text_start(&text).map_err(|error| failed(error.to_string()))?;
    let json = serde_json::from_slice(text).map_err(|error| failed(error.to_string()))?;
    let Some((toml, left_out)) = toml_of(&json, only_players) else {
        return Err(failed(
            "expected `engines.json` of cutechess, a list of engines with `command`, or `config.json` of fastchess, with \
             `engines`"
                .into(),
        ));
    };
    if !left_out.is_empty() {
        log::warn!("{option} {name}: not used: {}", left_out.join(", "));
    }
    read(&TomlFile::new(path, toml.as_bytes())?).map_err(|failure| match failure {
        // Its lines are not those of the file.
        Failure::Usage(why) => Failure::Usage(format!("{why}; the file was read as this TOML:\n\n{toml}")),
        failure => failure,
    })
}

/// Whether a file has a name of JSON.
pub(super) fn is_json(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("json"))
}

/// A TOML text, and what has no counterpart in it.
type Converted = (String, Vec<String>);

/// The TOML of a file; `None` if it is none of those that are known.
fn toml_of(json: &Value, only_players: bool) -> Option<Converted> {
    let engines = json.get("engines").unwrap_or(json).as_array()?;
    let mut converted = Converted::default();
    if !only_players && json.is_object() {
        options(json, &mut converted);
    }
    for engine in engines {
        player(engine, &mut converted)?;
    }
    Some(converted)
}

/// A text in quotes, as both languages write it.
fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// The text under a key, if there is one.
fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key)?.as_str().filter(|text| !text.is_empty())
}

/// The number under a key, if it is above 0.
fn number(value: &Value, key: &str) -> Option<f64> {
    value.get(key)?.as_f64().filter(|number| *number > 0.0)
}

fn is_on(value: &Value, key: &str) -> bool {
    value.get(key).is_some_and(|value| *value == true)
}

/// The options of a match of fastchess.
fn options(json: &Value, (toml, left_out): &mut Converted) {
    let null = Value::Null;
    let part = |key: &str| json.get(key).unwrap_or(&null);
    let games = number(json, "games").unwrap_or(2.0) * number(json, "rounds").unwrap_or(1.0);
    let _ = writeln!(toml, "games = {games}");
    if let Some(count) = number(json, "concurrency") {
        let _ = writeln!(toml, "concurrency = {count}");
    }
    if is_on(json, "noswap") {
        *toml += "no-swap = true\n";
    }
    // Enumerations are written as numbers: 1 is a gauntlet, 0 a random order.
    if number(json, "type") == Some(1.0) {
        *toml += "format = \"gauntlet\"\n";
    }
    let opening = part("opening");
    if let Some(file) = text(opening, "file") {
        let order = match opening.get("order").and_then(Value::as_u64) {
            Some(0) => "random",
            _ => "sequential",
        };
        let _ = write!(
            toml,
            "openings = {{ source = {}, order = \"{order}\"",
            quoted(file)
        );
        for key in ["start", "plies"] {
            let _ = number(opening, key).map(|number| write!(toml, ", {key} = {number}"));
        }
        *toml += " }\n";
    }
    if let Some(file) = text(part("pgn"), "file") {
        let _ = writeln!(toml, "pgn = {}", quoted(file));
    }
    if is_on(part("maxmoves"), "enabled")
        && let Some(moves) = number(part("maxmoves"), "move_count")
    {
        let _ = writeln!(toml, "max-plies = {}", 2.0 * moves);
    }
    let tables: [(&str, &[(&str, &str)]); 3] = [
        (
            "sprt",
            &[
                ("elo0", "elo0"),
                ("elo1", "elo1"),
                ("alpha", "alpha"),
                ("beta", "beta"),
                ("model", "model"),
            ],
        ),
        (
            "draw",
            &[
                ("move_number", "movenumber"),
                ("move_count", "movecount"),
                ("score", "score"),
            ],
        ),
        (
            "resign",
            &[
                ("move_count", "movecount"),
                ("score", "score"),
                ("twosided", "twosided"),
            ],
        ),
    ];
    for (name, keys) in tables {
        let table = part(name);
        if is_on(table, "enabled") {
            let pairs = keys
                .iter()
                .filter_map(|(key, own)| Some(format!("{own} = {}", table.get(key)?)));
            let _ = writeln!(toml, "{name} = {{ {} }}", pairs.collect::<Vec<_>>().join(", "));
        }
    }
    if is_on(part("tb_adjudication"), "enabled") {
        left_out.push("tb_adjudication".into());
    }
    if number(json, "variant").is_some() {
        left_out.push("variant (give the rules of Chess960 with `option.UCI_Chess960=true`)".into());
    }
}

/// An engine of cutechess or fastchess.
fn player(engine: &Value, (toml, left_out): &mut Converted) -> Option<()> {
    let name = text(engine, "name");
    let cmd = text(engine, "cmd").or_else(|| text(engine, "command"))?;
    let mut line = |key: &str, value: &str| {
        let _ = writeln!(toml, "{key} = {value}");
    };
    line("\n[[engine]]\ncmd", &quoted(cmd));
    let texts = [
        ("name", name),
        ("args", text(engine, "args")),
        (
            "dir",
            text(engine, "dir").or_else(|| text(engine, "workingDirectory")),
        ),
        ("proto", text(engine, "protocol")),
        ("stderr", text(engine, "stderrFile")),
        (
            "restart",
            text(engine, "restart").filter(|restart| *restart == "on"),
        ),
    ];
    for (key, value) in texts {
        if let Some(value) = value {
            line(key, &quoted(value));
        }
    }
    if is_on(engine, "restart") {
        line("restart", "\"on\"");
    }
    let null = Value::Null;
    let limit = engine.get("limit").unwrap_or(&null);
    let tc = limit.get("tc").unwrap_or(&null);
    let seconds = |key: &str| number(tc, key).map(|ms| ms / 1000.0);
    if let Some(time) = seconds("time") {
        let moves = number(tc, "moves").map_or(String::new(), |moves| format!("{moves}/"));
        let increment = seconds("increment").map_or(String::new(), |increment| format!("+{increment}"));
        line("tc", &format!("\"{moves}{time}{increment}\""));
    }
    let numbers = [
        ("st", seconds("fixed_time")),
        ("timemargin", number(tc, "timemargin")),
        ("nodes", number(limit, "nodes")),
        ("depth", number(limit, "plies")),
    ];
    for (key, value) in numbers {
        if let Some(value) = value {
            line(key, &value.to_string());
        }
    }
    for option in engine
        .get("options")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        // A pair, or an object with its name.
        let value = option
            .get(1)
            .or_else(|| option.get("value"))
            .filter(|value| !value.is_null());
        if let (Some(key), Some(value)) = (option.get(0).or_else(|| option.get("name"))?.as_str(), value) {
            line(&format!("option.{}", quoted(key)), &value.to_string());
        }
    }
    let others = ["initStrings", "ponder", "pondering", "whitepov"];
    let is_used = |key: &&str| !matches!(engine.get(key), None | Some(Value::Null | Value::Bool(false)));
    let others = others.into_iter().filter(is_used);
    let others = others.map(|key| format!("`{key}` of {}", name.unwrap_or(cmd)));
    left_out.extend(others);
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn converted(json: &str, only_players: bool) -> Option<Converted> {
        toml_of(&serde_json::from_str(json).unwrap(), only_players)
    }

    #[test]
    fn engines_of_cutechess_are_players() {
        let json = r#"[{"name": "Sloppy", "command": "sloppy", "protocol": "uci", "workingDirectory": "C:\\x", "initStrings": ["a"],
            "options": [{"name": "Hash", "type": "spin", "value": 16, "default": 1}, {"name": "Clear", "value": null}]},
            {"command": "b", "restart": "auto", "whitepov": false}]"#;
        let toml = "\n[[engine]]\ncmd = \"sloppy\"\nname = \"Sloppy\"\ndir = \"C:\\\\x\"\nproto = \"uci\"\noption.\"Hash\" = 16\n\
                    \n[[engine]]\ncmd = \"b\"\n";
        let left_out = vec!["`initStrings` of Sloppy".to_string()];
        assert_eq!(converted(json, true), Some((toml.into(), left_out)));
        assert_eq!(converted("[{\"name\": \"a\"}]", true), None);
        assert_eq!(converted("{\"a\": 1}", false), None);
    }

    #[test]
    fn configuration_of_fastchess_is_a_match() {
        let json = r#"{"resign": {"move_count": 6, "score": 500, "twosided": false, "enabled": true},
            "draw": {"move_number": 0, "enabled": false}, "maxmoves": {"move_count": 100, "enabled": true},
            "opening": {"file": "a.epd", "order": 0, "plies": -1, "start": 3}, "pgn": {"file": ""},
            "sprt": {"alpha": 0.05, "elo0": 0.0, "model": "normalized", "enabled": true}, "tb_adjudication": {"enabled": true},
            "type": 1, "games": 2, "rounds": 5, "concurrency": 4, "noswap": false, "engines": [{"name": "a", "cmd": "./a",
            "args": "", "dir": "", "restart": true, "options": [["Hash", "16"]], "limit": {"tc": {"increment": 100,
            "fixed_time": 0, "time": 10000, "moves": 40, "timemargin": 20}, "nodes": 0, "plies": 9}}], "stats": {}}"#;
        let match_options = "games = 10\nconcurrency = 4\nformat = \"gauntlet\"\n\
             openings = { source = \"a.epd\", order = \"random\", start = 3 }\nmax-plies = 200\n\
             sprt = { elo0 = 0.0, alpha = 0.05, model = \"normalized\" }\n\
             resign = { movecount = 6, score = 500, twosided = false }\n";
        let players = "\n[[engine]]\ncmd = \"./a\"\nname = \"a\"\nrestart = \"on\"\ntc = \"40/10+0.1\"\ntimemargin = 20\ndepth = 9\n\
             option.\"Hash\" = \"16\"\n";
        let left_out = vec!["tb_adjudication".to_string()];
        assert_eq!(
            converted(json, false),
            Some((format!("{match_options}{players}"), left_out))
        );
        assert_eq!(converted(json, true), Some((players.into(), Vec::new())));
    }
}
