//! The file by which a submission says that its `run` speaks another protocol.

use std::path::Path;

use referee_core::failure::Failure;
use referee_core::io::as_text::Text;
use referee_core::io::text::unknown;
use referee_core::player::Protocol;
use referee_core::system::files::is_file;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::bots::bridge::{END_OF_LINE, INIT};
use crate::toml_file::TomlFile;

/// Its name in the folder.
pub(super) const PROTO_FILE: &str = "proto.toml";

/// The keys of `[cells]`, with the options of a bridge that they set.
const CELLS: [(&str, &str); 3] = [("columns", "Columns"), ("rows", "Rows"), ("format", "Cell")];

/// What the file says: the protocol, and options of the bridge.
pub(super) type ProtoFile = (Protocol, Vec<(String, String)>);

/// Reads the file of a folder; `None` if there is none.
pub(super) fn read(folder: &Path) -> Result<Option<ProtoFile>, String> {
    let path = folder.join(PROTO_FILE);
    if !is_file(&path)? {
        return Ok(None);
    }
    let file = TomlFile::read(&path).map_err(|error| error.to_string())?;
    parse(&file).map(Some).map_err(|error| error.to_string())
}

fn parse(file: &TomlFile<'_>) -> Result<ProtoFile, Failure> {
    let (mut proto, mut options, mut init) = (None, Vec::new(), None);
    for (key, value) in file.table()? {
        match (&**key.get_ref(), value.get_ref()) {
            ("proto", _) => {
                let read = text(file, &value).map(|name| Protocol::read(&name))?;
                proto = Some(read.map_err(|why| file.wrong(&value.span(), &format!("`proto`: {why}")))?);
            }
            ("init", DeValue::Array(lines)) => {
                let lines: Vec<String> = lines
                    .iter()
                    .map(|line| text(file, line))
                    .collect::<Result<_, _>>()?;
                init = Some((INIT.to_string(), lines.join(END_OF_LINE)));
            }
            ("init", _) => init = Some((INIT.to_string(), text(file, &value)?)),
            ("cells", DeValue::Table(cells)) => options = cell_options(file, cells)?,
            (other, _) => {
                let why = unknown("key", other, &["proto", "init", "[cells]"]);
                return Err(file.wrong(&key.span(), &why));
            }
        }
    }
    let proto = proto.ok_or_else(|| file.incomplete("`proto` is missing, for example `proto = \"gtp\"`"))?;
    if !options.is_empty() && !proto.is_bridged() {
        return Err(file.incomplete("`[cells]` is for a protocol that is translated, such as gtp"));
    }
    if init.is_some() && !proto.has_init() {
        return Err(file.incomplete("`init` is for gtp and xboard; other protocols have options"));
    }
    options.extend(init);
    Ok((proto, options))
}

fn cell_options(file: &TomlFile<'_>, cells: &DeTable<'_>) -> Result<Vec<(String, String)>, Failure> {
    let mut options = Vec::new();
    for (key, value) in cells {
        let known = CELLS.iter().find(|(name, _)| **name == **key.get_ref());
        let (_, option) = known.ok_or_else(|| {
            let why = unknown("key", key.get_ref(), &CELLS.map(|(name, _)| name));
            file.wrong(&key.span(), &why)
        })?;
        options.push(((*option).to_string(), text(file, value)?));
    }
    Ok(options)
}

fn text(file: &TomlFile<'_>, value: &Spanned<DeValue<'_>>) -> Result<String, Failure> {
    match value.get_ref() {
        DeValue::String(text) if !text.contains(char::is_control) => Ok(text.to_string()),
        _ => Err(file.wrong(&value.span(), "expected a string in quotation marks, on one line")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sentences::{assert_rows, expect};

    #[test]
    fn reads_a_protocol_and_names_of_cells() {
        let read = |text: &str| {
            let file = TomlFile::new(Path::new("proto.toml"), text.as_bytes())?;
            parse(&file)
        };
        let (proto, options) =
            read("proto = 'gtp'\n[cells]\ncolumns = 'abc'\nformat = '{row}{column}'\n").unwrap();
        assert_eq!(proto, Protocol::Gtp);
        let expected = [("Columns", "abc"), ("Cell", "{row}{column}")];
        assert_eq!(options, expected.map(|(name, value)| (name.into(), value.into())));
        let (_, options) = read("proto = 'xboard'\ninit = ['random', 'sd 4']").unwrap();
        assert_eq!(options, [("Init".to_string(), "random\\nsd 4".to_string())]);
        let table = expect![[r#"
            | proto.toml: `proto` is missing, for example `proto = "gtp"`
            proto = 'gpt'
                | proto.toml, line 1: `proto`: expected `uci`, `ugi`, `gtp`, `xboard`, `usi`, `ucci`, `gomocup` or `uai`
            proto = 3 | proto.toml, line 1: expected a string in quotation marks, on one line
            proto = 'gtp'¶[cell]¶ | proto.toml, line 2: unknown key `cell`; the keys are proto, init, [cells]
            proto = 'usi'¶init = ['a'] | proto.toml: `init` is for gtp and xboard; other protocols have options
            proto = 'ugi'¶[cells]¶rows = '12'¶
                | proto.toml: `[cells]` is for a protocol that is translated, such as gtp
        "#]];
        assert_rows(table, |[text]| {
            read(&text.replace('¶', "\n")).unwrap_err().to_string()
        });
    }
}
