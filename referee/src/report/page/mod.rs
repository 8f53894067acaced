//! A match as one page of HTML: tables, charts, and all games to step through.
//!
//! The page loads nothing. `page.html` is its frame; `board.css`, then `page.css` its style; the script is
//! the modules of `SCRIPT` in this order, joined here, because the referee is built without Node and so without a
//! bundler. A Content-Security-Policy allows this style and this script by their hashes, and nothing else.
//!
//! * `tables` and `overview`: the tables and charts of the overview, which need no script;
//!   `charts` draws, `outcome` says who won, and `words` what the words mean.
//! * [`history`]: the development of Elo and of the log-likelihood ratio, and what games have in
//!   common.
//! * `model`: what the script knows of players and pairings; [`GameMaker`]: of the games.
//! * [`EmbeddedEngine`]: an engine in the page, which analyses positions.
//! * `html`: names and other texts of a result file come from other people. The templates are of `maud`, because one
//!   forgotten call of our own escaping would let them in.

pub(super) mod charts;
mod games;
mod history;
mod html;
mod model;
mod outcome;
mod overview;
mod tables;
mod words;

use std::collections::HashSet;
use std::io::{self, BufWriter, IntoInnerError, Read as _, Write};
use std::path::Path;

use referee_core::failure::Failure;
use referee_core::io::files;
use referee_core::io::files::{Target, TargetError, refusal};
use referee_core::io::text::ShowPath;

use self::games::GameMaker;
use self::html::{link_prefix, printed};
use self::model::MatchData;
use crate::embedded::{self, ENGINE_WORKER};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use maud::{Markup, html};
use sha2::{Digest as _, Sha256};

pub(crate) use self::history::{History, PageMatch};

/// The frame. Words in double braces are replaced.
const FRAME: &str = include_str!("page.html");

/// The files of the style, in order.
const STYLE: [&str; 2] = [include_str!("board.css"), include_str!("page.css")];

/// A module of the script: the name by which others import it, and its file.
type Module = (&'static str, &'static str);

/// The modules of the script, each after those that it imports.
const SCRIPT: [Module; 9] = [
    ("scores", include_str!("scores.js")),
    ("elements", include_str!("elements.js")),
    ("board", include_str!("board.js")),
    ("steps", include_str!("steps.js")),
    ("data", include_str!("data.js")),
    ("charts", include_str!("charts.js")),
    ("lists", include_str!("lists.js")),
    ("viewer", include_str!("viewer.js")),
    ("main", include_str!("main.js")),
];

/// The source of an inline style or script in a Content-Security-Policy.
fn csp_source(content: &str) -> String {
    format!("'sha256-{}'", BASE64.encode(Sha256::digest(content)))
}

/// The links to the lists of games of this number of matches.
fn games_links(matches: usize) -> Markup {
    html! {
        @for number in 1..=matches {
            a class="only-script" href={ "#" (link_prefix(number)) "games" } {
                "Games" @if matches > 1 { " of match " (number) }
            }
            "\n"
        }
    }
}

/// The modules of a page's script, in order.
fn modules(has_engine: bool) -> impl Iterator<Item = &'static Module> {
    let (viewer, main) = SCRIPT.split_at(SCRIPT.len() - 1);
    let engine = ENGINE_SCRIPT.iter().filter(move |_| has_engine);
    viewer.iter().chain(engine).chain(main)
}

/// The script as it stands on the page.
fn script(has_engine: bool) -> String {
    let modules = modules(has_engine).map(|(name, file)| scoped(name, file));
    modules.fold("\"use strict\";\n".into(), |script, module| script + &module)
}

/// The style as it stands on the page. It has no texts, so that spaces beside these signs mean nothing.
fn style() -> String {
    let lines: String = STYLE
        .into_iter()
        .flat_map(code_lines)
        .flat_map(|line| [line, "\n"])
        .collect();
    let dense = |style: String, sign: &str| {
        let style = style.replace(&format!("{sign} "), sign);
        style.replace(&format!("{sign}\n"), sign)
    };
    let style = ["{", "}", ";", ",", ":"].into_iter().fold(lines, dense);
    style.replace(" {", "{").replace(";}", "}")
}

/// A module as a constant: the result of a function that has the module's names in its scope. It takes what the module
/// imports from other constants, and returns what it exports. An `import` and an `export` have a line each, as
/// `scripts/format.mjs` writes them.
fn scoped(name: &str, file: &str) -> String {
    let code: String = code_lines(file).map(|line| dense(&scoped_line(line))).collect();
    format!("const {} = (() => {{\n{code}}})();\n", constant(name))
}

/// A line without spaces beside signs outside its texts, and without its end where no statement can end. A line with
/// texts of other kinds, or perhaps a regular expression, keeps its spaces.
pub fn dense(line: &str) -> String {
    let has_others = line.contains(['\'', '`', '/', '\\']);
    let parts = line.split('"').enumerate().map(|(at, part)| {
        let mut part = part.to_string();
        if at % 2 == 0 && !has_others {
            for sign in [
                "=", "(", ")", "{", "}", ",", ";", "?", ":", "<", ">", "&", "|", "*",
            ] {
                part = part
                    .replace(&format!(" {sign}"), sign)
                    .replace(&format!("{sign} "), sign);
            }
        }
        part
    });
    let dense = parts.collect::<Vec<_>>().join("\"");
    let is_open = line.ends_with(['{', '(', '[', ',', ';']);
    dense + if is_open { "" } else { "\n" }
}

fn scoped_line(line: &str) -> String {
    let dense = |names: &str| names.replace(' ', "");
    if let Some((names, other)) = import(line) {
        return format!("const{}={};", dense(names), constant(other));
    }
    match line.strip_prefix("export ") {
        Some(names) => format!("return{}", dense(names)),
        None => line.into(),
    }
}

/// The constant of a module. Names of the modules themselves have no `$`.
fn constant(name: &str) -> String {
    format!("${}", name.replace('-', "_"))
}

/// The names of an `import` in their braces, and the module that they come from.
fn import(line: &str) -> Option<(&str, &str)> {
    let line = line.strip_prefix("import ")?.strip_suffix(".js\";")?;
    line.split_once(" from \"./")
}

/// The lines of a script or a style without comments and indentation. A comment has a line of its own, and no line is
/// inside a text.
pub fn code_lines(file: &str) -> impl Iterator<Item = &str> {
    let lines = file.lines().map(str::trim_start);
    lines.filter(|line| !line.is_empty() && !line.starts_with("//") && !line.starts_with("/*"))
}

/// What a page of the referee begins with.
const BEGINNING: &[u8] = b"<!doctype html>\n<!-- A page of the referee of Lodestone -->";

/// The file of a page. It replaces only another page.
#[derive(Debug)]
pub struct PageFile(Target);

impl PageFile {
    /// Checks that the page of `--html` can be written to `path`.
    pub fn open(path: &Path) -> Result<PageFile, Failure> {
        let target = Target::open(path, |old| {
            let mut beginning = Vec::new();
            old.take(BEGINNING.len() as u64).read_to_end(&mut beginning)?;
            if beginning == BEGINNING {
                return Ok(());
            }
            Err(refusal("it is not an HTML report"))
        });
        target
            .map(PageFile)
            .map_err(|error| Failure::Usage(format!("--html {}: {error}", path.shown())))
    }

    /// Writes the page of these matches, see [`write`].
    pub fn write(&self, matches: &[PageMatch], engine: Option<&EmbeddedEngine>) -> Result<(), Failure> {
        self.0
            .write(|out| write(out, matches, engine))
            .map_err(|error| Failure::Output(format!("the page cannot be written: {error}")))
    }
}

/// Writes the page of these matches. `engine` analyses positions on the page.
pub fn write(
    out: &mut dyn Write,
    matches: &[PageMatch],
    engine: Option<&EmbeddedEngine>,
) -> Result<(), TargetError> {
    let (style, script) = (style(), script(engine.is_some()));
    let title = match matches {
        [one] => one.title(),
        _ => format!("{} matches", matches.len()),
    };
    let overview = html! {
        @for (one, number) in matches.iter().zip(1..) {
            (tables::section(one, number, matches.len() == 1))
        }
    };
    // The frame is split at its words, so replaced text is never searched for words.
    for (index, part) in FRAME.split("{{").enumerate() {
        let (word, rest) = match index {
            0 => ("", part),
            _ => part.split_once("}}").unwrap_or(("", part)),
        };
        match word {
            "style-source" => out.write_all(csp_source(&style).as_bytes())?,
            "script-source" => {
                out.write_all(csp_source(&script).as_bytes())?;
                if engine.is_some() {
                    out.write_all(b" 'wasm-unsafe-eval'")?;
                }
            }
            "worker-source" if engine.is_some() => out.write_all(b" worker-src blob:;")?,
            "engine" => {
                if let Some(engine) = engine {
                    out.write_all(engine.elements().as_bytes())?;
                }
            }
            "title" => out.write_all(printed(html! { (title) }).as_bytes())?,
            "games" => out.write_all(games_links(matches.len()).0.as_bytes())?,
            "version" => out.write_all(env!("CARGO_PKG_VERSION").as_bytes())?,
            "style" => out.write_all(style.as_bytes())?,
            "words" => out.write_all(words::list().0.as_bytes())?,
            "overview" => out.write_all(printed(html! { (overview) }).as_bytes())?,
            "data" => write_data(out, matches)?,
            "script" => out.write_all(script.as_bytes())?,
            _ => {}
        }
        out.write_all(rest.as_bytes())?;
    }
    Ok(())
}

/// The level of compression: higher ones take several times as long and save a tenth.
const COMPRESSION: u32 = 4;

/// The bytes that are compressed at a time: each time costs.
const BUFFER: usize = 64 * 1024;

/// Writes the JSON of all matches, game by game, compressed and in base64.
fn write_data(out: &mut dyn Write, matches: &[PageMatch]) -> Result<(), TargetError> {
    let encoder = ZlibEncoder::new(Vec::new(), Compression::new(COMPRESSION));
    let mut json = BufWriter::with_capacity(BUFFER, encoder);
    json.write_all(b"{\"matches\":[")?;
    for (index, one) in matches.iter().enumerate() {
        let separator = if index > 0 { "," } else { "" };
        write!(json, "{separator}{{\"match\":")?;
        serde_json::to_writer(&mut json, &MatchData::new(one)).map_err(io::Error::from)?;
        write!(json, ",\"games\":[")?;
        let mut maker = GameMaker::new(one.header, one.rules, one.boards_time);
        let mut written: HashSet<u64> = HashSet::new();
        let read = (one.records)(&mut |record| {
            // Of two copies, the analysed one counts.
            let is_worse = record.analysis.is_none() && one.history.is_analysed(record.id);
            let is_held = one.held.as_ref().is_none_or(|held| held.contains(&record.id));
            if is_worse || !is_held || !written.insert(record.id) {
                return Ok(());
            }
            let separator = if written.len() > 1 { ",\n" } else { "\n" };
            // Nothing fails in memory.
            json.write_all(separator.as_bytes())
                .and_then(|()| json.write_all(&maker.json(record)?))
                .map_err(|error| error.to_string())
        });
        read.map_err(TargetError::Read)?;
        json.write_all(b"]}")?;
    }
    json.write_all(b"]}")?;
    let encoder = json.into_inner().map_err(IntoInnerError::into_error)?;
    Ok(out.write_all(BASE64.encode(encoder.finish()?).as_bytes())?)
}

/// The longest module, in bytes. That of the engine has 2 MB.
const MAX_MODULE: u64 = 64 << 20;

/// What a WebAssembly module begins with.
const MAGIC: &[u8] = b"\0asm";

/// The modules of the script that only a page with an engine needs.
const ENGINE_SCRIPT: [Module; 5] = [
    ("engine", embedded::ENGINE_DRIVER),
    ("lazy-engine", embedded::PAGE_ENGINE),
    ("connect", embedded::PAGE_CONNECT),
    ("analysis", embedded::PAGE_ANALYSIS),
    ("analyse", include_str!("analyse.js")),
];

/// An engine as a WebAssembly module, which a page contains.
#[derive(Clone, Debug)]
pub struct EmbeddedEngine {
    /// The module in base64.
    module: String,
}

impl EmbeddedEngine {
    /// Reads a module.
    pub fn read(path: &Path) -> Result<EmbeddedEngine, String> {
        let name = path.shown();
        let bytes = files::read(path, MAX_MODULE)?;
        let bytes = bytes.ok_or_else(|| format!("`{name}` is too long for an engine"))?;
        if !bytes.starts_with(MAGIC) {
            return Err(format!(
                "`{name}` is not a WebAssembly module; `bash web/build.sh` makes `web/dist/lodestone.wasm`"
            ));
        }
        Ok(EmbeddedEngine {
            module: BASE64.encode(bytes),
        })
    }

    /// The elements that the script reads: the worker and the module.
    pub fn elements(&self) -> String {
        let element =
            |id: &str, content: &str| format!("<script type=\"text/plain\" id=\"{id}\">{content}</script>\n");
        element("engine-worker", ENGINE_WORKER) + &element("engine", &self.module)
    }
}

#[cfg(test)]
mod tests {
    use flate2::read::ZlibDecoder;
    use sentences::{assert_has, expect};
    use serde_json::{Value, json};

    use super::*;
    use crate::report::Summary;
    use referee_core::results::{Header, Record};
    use referee_core::samples::{analysis, game, tournament};
    use referee_core::tournament::Tournament;
    use std::collections::HashMap;

    include!("../../../../tests/lines/sample.rs");

    /// The largest size of the script, in bytes.
    const MAX_SCRIPT: usize = 40_000;

    /// The page of a match with these names of players, whose first game is lost by a fault.
    fn page_of(names: &[&str], detail: &str) -> String {
        page_with(names, detail, |_| "1-0")
    }

    /// The same, with a result for each two players.
    fn page_with(names: &[&str], detail: &str, result: fn([usize; 2]) -> &'static str) -> String {
        let (mut header, _) = tournament(names.len(), 4, |_| ());
        for (engine, name) in header.engines.iter_mut().zip(names) {
            engine.name = (*name).into();
        }
        page_of_games(&header, detail, None, |record| {
            let seat = |name: &str| names.iter().position(|one| *one == name).unwrap();
            record.result = result([seat(&record.first), seat(&record.second)])
                .parse()
                .unwrap();
            if record.id == 1 {
                record.reason = "crash".into();
                record.detail = detail.into();
            }
        })
    }

    /// The page of a match that the first players win, whose games are changed, with all games or those that are `held`.
    fn page_of_games(
        header: &Header,
        detail: &str,
        held: Option<HashSet<u64>>,
        change: impl Fn(&mut Record),
    ) -> String {
        let mut tournament = Tournament::new(header).unwrap();
        let mut history = History::new(header);
        let mut records = Vec::new();
        for id in 1..=tournament.total() {
            let mut record = game(&tournament, id, "1-0");
            change(&mut record);
            history.add(&record);
            tournament.add(&record).unwrap();
            records.push(record);
        }
        let summary = Summary::new(header, &tournament);
        let one = PageMatch {
            header,
            tournament: &tournament,
            summary: &summary,
            history: &history,
            notes: vec![detail.into()],
            runs: &["on (Landlock 7)".into()],
            held,
            transcripts: HashMap::from([(1, detail.to_string())]),
            boards_time: None,
            rules: None,
            records: Box::new(move |take| records.iter().try_for_each(&mut *take)),
        };
        let mut out = Vec::new();
        write(&mut out, &[one], None).unwrap();
        String::from_utf8(out).unwrap()
    }

    /// What stands between two texts.
    fn between<'a>(page: &'a str, begin: &str, end: &str) -> &'a str {
        let (_, rest) = page.split_once(begin).unwrap();
        rest.split_once(end).unwrap().0
    }

    fn data_of(page: &str) -> Value {
        let data = BASE64.decode(between(page, "id=\"data\">", "</script>"));
        serde_json::from_reader(ZlibDecoder::new(&*data.unwrap())).unwrap()
    }

    /// All fields of games are there, but for the moves as people write them, which only rules programs give.
    #[test]
    fn sample_of_the_data() {
        let (header, _) = tournament(2, 20, |_| ());
        let mut header = json!(header);
        for engine in header["engines"].as_array_mut().unwrap() {
            engine["tc"] = "60+1".into();
            engine.as_object_mut().unwrap().remove("st");
        }
        let header = serde_json::from_value(header).unwrap();
        let page = page_of_games(&header, "why", Some(HashSet::from([1, 2])), |record| {
            // The last move of the other games is not legal.
            if record.id > 1 {
                record.result = if record.id == 4 { "1/2-1/2" } else { "1-0" }.parse().unwrap();
                return;
            }
            record.moves.pop();
            record.score[1] = Some("cp 300".into());
            record.score[3] = Some("cp -300".into());
            record.depth = Some(vec![Some(7); 8]);
            record.nodes = Some(vec![Some(1234); 8]);
            record.pv = Some(vec![Some("h1 a2".into()); 8]);
            let best = ["h8", "a2", "h2", "a3", "h3", "a4", "h4", "a5"];
            let mut analysis = analysis(&best.map(|best| (best, "cp 12", "cp -300")));
            analysis.pv = best.map(|best| Some(format!("{best} b1").into())).into();
            record.analysis = Some(Box::new(analysis));
            record.reason = "crash".into();
            record.points = Some("2".into());
            let fault = json!({"move": 3, "player": 1, "reason": "illegal", "detail": "why", "ms": 1});
            record.faults = vec![serde_json::from_value(fault).unwrap()];
        });
        compare_sample("report", &data_of(&page));
    }

    #[test]
    fn a_cell_of_the_crosstable_has_the_games_of_its_row_and_leads_to_the_pairing() {
        // The better player comes first in the table, and wins all games.
        let better_wins = |[first, second]: [usize; 2]| if first < second { "1-0" } else { "0-1" };
        let page = page_with(&["a", "b", "c"], "d", better_wins);
        let table = between(&page, "aria-label=\"Crosstable\"", "</table>");
        let rows = table.split("<tr>").filter(|row| row.contains("scope=\"row\""));
        let cells = |row: &str| -> Vec<String> {
            let links = row.split("<a href=\"#pairing-").skip(1);
            let cell = |link: &str| {
                let (pairing, rest) = link.split_once('"').unwrap();
                format!("{pairing}: {}", between(rest, "title=\"", "\">"))
            };
            links.map(cell).collect()
        };
        let rows: Vec<Vec<String>> = rows.map(cells).collect();
        let [won, lost] = ["4 won, 0 drawn, 0 lost", "0 won, 0 drawn, 4 lost"];
        let expected = [
            [format!("1-2: {won}"), format!("1-3: {won}")],
            [format!("1-2: {lost}"), format!("2-3: {won}")],
            [format!("1-3: {lost}"), format!("2-3: {lost}")],
        ];
        assert_eq!(rows, expected);
    }

    #[test]
    fn the_policy_allows_only_this_style_and_script() {
        let page = page_of(&["a", "b", "c"], "d");
        let policy = between(&page, "Content-Security-Policy\" content=\"", "\"");
        let style = csp_source(between(&page, "<style>", "</style>"));
        let script = csp_source(between(&page, "<script>", "</script>"));
        assert_eq!(
            policy,
            format!(
                "default-src 'none'; style-src {style}; script-src {script}; base-uri 'none'; form-action 'none'"
            )
        );
        assert_eq!(page.matches("<script").count(), 2, "the data and the script");
        // As `printf a | openssl sha256 -binary | base64` has it.
        expect! {"'sha256-ypeBEsobvcr6wjGzmiPcTaeG7/gUfE5yuYB3ha/uSLs='"}.assert_eq(&csp_source("a"));
    }

    #[test]
    fn the_page_loads_nothing() {
        let page = page_of(&["a", "b"], "d");
        // The namespace of SVG is a name, not an address.
        let page = page.replace("http://www.w3.org/2000/svg", "");
        for word in [
            "http:",
            "https:",
            "//cdn",
            "url(",
            "@import",
            "src=",
            "fetch(",
            "XMLHttpRequest",
            "innerHTML",
            "eval(",
        ] {
            assert!(!page.contains(word), "{word}");
        }
    }

    #[test]
    fn names_and_messages_are_never_markup() {
        let hostile = "</script><script>alert(1)</script><img src=x onerror='alert(2)'>\"&\u{2028}";
        let page = page_of(&[hostile, "<!--", "]]>\u{202e}"], hostile);
        assert_eq!(page.matches("<script").count(), 2);
        assert_eq!(page.matches("</script").count(), 2);
        for markup in ["<img", "\u{2028}", "\u{202e}"] {
            assert!(!page.contains(markup), "{markup}");
        }
        assert_eq!(page.matches("<!--").count(), 1, "the comment of the frame");
        let data = data_of(&page);
        let name = data["matches"][0]["match"]["players"][0]["name"]
            .as_str()
            .unwrap();
        assert!(name.starts_with("</script><script>alert(1)"), "{name}");
    }

    #[test]
    fn the_script_is_small() {
        let script = script(false);
        assert!(script.len() <= MAX_SCRIPT, "{} bytes", script.len());
        assert!(script.starts_with("\"use strict\";\n"));
    }

    #[test]
    fn modules_import_what_earlier_ones_export() {
        let mut exports: HashMap<&str, Vec<&str>> = HashMap::new();
        let mut imported = 0;
        let words = |names: &'static str| {
            names
                .trim_matches(['{', '}', ' ', ';'])
                .split(", ")
                .collect::<Vec<_>>()
        };
        for (name, file) in modules(true) {
            for line in code_lines(file) {
                assert!(
                    !line.starts_with("import ") || import(line).is_some(),
                    "{name}: {line}"
                );
                let Some((names, other)) = import(line) else {
                    continue;
                };
                let known = exports
                    .get(other)
                    .unwrap_or_else(|| panic!("{name} is before {other}"));
                for word in words(names) {
                    assert!(known.contains(&word), "{other} does not export {word} for {name}");
                    imported += 1;
                }
            }
            let exported = code_lines(file).filter_map(|line| line.strip_prefix("export "));
            assert!(exports.insert(name, exported.flat_map(words).collect()).is_none());
        }
        assert!(imported > 50, "{imported}");
    }

    #[test]
    fn spaces_of_texts_stay() {
        assert_eq!(dense("f(a, \"b, c = d\");"), "f(a,\"b, c = d\");");
        assert_eq!(dense("const a = `b, ${c}`"), "const a = `b, ${c}`\n");
    }

    #[test]
    fn modules_have_scopes() {
        let file =
            "// Words.\nimport { a, b } from \"./other-one.js\";\n\nconst c = a(b);\n\nexport { c };\n";
        expect![[r#"
            const $this = (() => {
            const{a,b}=$other_one;const c=a(b);return{c};})();
        "#]]
        .assert_eq(&scoped("this", file));
    }

    #[test]
    fn the_frame_leaves_no_word_unreplaced() {
        let page = page_of(&["{{data}}", "b"], "{{script}}");
        let frame = page.replace("{{data}}", "").replace("{{script}}", "");
        assert!(!frame.contains("{{"), "only names have braces");
    }

    #[test]
    fn worker_does_not_end_its_element() {
        for end in ["</script", "<!--"] {
            assert!(!ENGINE_WORKER.to_lowercase().contains(end), "{end}");
        }
    }

    #[test]
    fn refuses_a_file_that_is_no_module() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("engine.wasm");
        let error = EmbeddedEngine::read(&path).unwrap_err();
        assert!(error.contains("engine.wasm` cannot be read"), "{error}");
        std::fs::write(&path, "text").unwrap();
        let error = EmbeddedEngine::read(&path).unwrap_err();
        assert_has(&error, expect! {"engine.wasm` is not a WebAssembly module"});
        std::fs::write(&path, b"\0asm\x01\0\0\0").unwrap();
        let engine = EmbeddedEngine::read(&path).unwrap();
        assert!(engine.elements().contains("id=\"engine\">AGFzbQEAAAA=</script>"));
    }
}
