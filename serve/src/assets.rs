//! The files of the page: its own, and those that it shares with the page of a report and the page of
//! the engine in the browser.

use axum::extract::Path;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use referee::{code_lines, dense};

use crate::reply::Refusal;

/// The document.
pub const INDEX: &str = include_str!("../page/index.html");

/// Names files of a folder with their content.
macro_rules! files {
    ($folder:expr; $($name:literal),+ $(,)?) => {
        &[$(($name, include_str!(concat!($folder, $name)))),+]
    };
}

/// The files under `/app/`, in their folders. `EMBEDDED` is the root of the repository, or the folder `embedded` of
/// a package: see `build.rs`.
const FILES: [&[(&str, &str)]; 3] = [
    files!("../page/"; "api.js", "app.css", "board-page.js", "fields.js", "game-file.js", "home.js", "main.js",
        "match-form.js", "match-page.js", "report-extra.js", "results.js"),
    files!(concat!(env!("EMBEDDED"), "/referee/src/report/page/"); "board.css", "board.js", "elements.js", "page.css",
        "scores.js", "steps.js"),
    files!(concat!(env!("EMBEDDED"), "/web/page/"); "board-view.js", "clocks.js", "dialog.js", "evaluation.js",
        "file-field.js", "focus.js", "game-view.js", "letters.js", "lines.js", "marks.js", "move-input.js", "move-list.js",
        "named-cells.js", "rules-text.js", "sentences.js", "shown.js", "strips.js", "style.css", "template.js"),
];

/// Whether the name of a file has this ending.
fn ends_with(name: &str, ending: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, own)| own == ending)
}

/// A script or a style without comments and indentation, as the pages in one file have theirs; a style also without the
/// spaces around braces.
fn lean(name: &str, content: &str) -> String {
    if !ends_with(name, "css") {
        return code_lines(content).map(dense).collect();
    }
    let lines: String = code_lines(content).flat_map(|line| [line, "\n"]).collect();
    lines.replace(" { ", "{").replace("; }", "}")
}

/// A file under `/app/`.
pub async fn file(Path(name): Path<String>) -> Response {
    let found = FILES.into_iter().flatten().find(|(known, _)| *known == name);
    let Some((name, content)) = found else {
        return Refusal::unknown("no such file").into_response();
    };
    let kind = match name.rsplit_once('.') {
        Some((_, "css")) => "text/css; charset=utf-8",
        _ => "text/javascript; charset=utf-8",
    };
    ([(CONTENT_TYPE, kind)], lean(name, content)).into_response()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// The most bytes of all scripts and styles as they are served.
    const MAX_BYTES: usize = 110_000;

    #[test]
    fn files_are_small_without_comments() {
        let mut bytes = 0;
        for (name, content) in FILES.into_iter().flatten() {
            let is_open = |line: &&str| {
                let begins_comment = line.trim_start().starts_with("/*") && !line.ends_with("*/");
                begins_comment || line.matches('`').count() % 2 == 1
            };
            assert_eq!(
                content.lines().find(is_open),
                None,
                "{name}: a comment or a text of several lines"
            );
            bytes += lean(name, content).len();
        }
        assert!(bytes <= MAX_BYTES, "{bytes} bytes");
    }

    /// The classes that a function gives its elements.
    fn classes_of(function: &str) -> BTreeSet<&'static str> {
        let scripts = FILES
            .into_iter()
            .flatten()
            .filter(|(name, _)| ends_with(name, "js"));
        let made = scripts.flat_map(|(_, content)| content.split(function).skip(1));
        let named = made.filter_map(|part| part.lines().next()?.split("class: \"").nth(1)?.split('"').next());
        named.flat_map(str::split_whitespace).collect()
    }

    /// A rule for a drawing such as `.sign { width: 1em }` must not meet a word of the same class.
    #[test]
    fn rules_for_drawings_and_for_words_are_apart() {
        let [drawings, words] = ["svg(\"", "el(\""].map(classes_of);
        assert!(drawings.len() > 5 && words.len() > 20, "{drawings:?} {words:?}");
        for class in drawings.intersection(&words) {
            for (name, content) in FILES
                .into_iter()
                .flatten()
                .filter(|(name, _)| ends_with(name, "css"))
            {
                for (at, found) in content.match_indices(&format!(".{class}")) {
                    let is_other = content[at + found.len()..]
                        .starts_with(|next: char| next.is_alphanumeric() || next == '-');
                    let has_kind = content[..at].ends_with(|before: char| before.is_ascii_lowercase());
                    assert!(
                        is_other || has_kind,
                        "{name}: .{class} is the class of drawings and of words"
                    );
                }
            }
        }
    }

    #[test]
    fn every_file_imports_files_that_are_served() {
        let names: Vec<&str> = FILES.into_iter().flatten().map(|(name, _)| *name).collect();
        let mut imports = 0;
        for (name, content) in FILES.into_iter().flatten() {
            for part in content.split(" from \"./").skip(1) {
                let wanted = part.split('"').next().unwrap();
                assert!(names.contains(&wanted), "{name} imports {wanted}");
                imports += 1;
            }
        }
        assert!(imports > 30, "{imports}");
        for part in INDEX.split("=\"app/").skip(1) {
            let wanted = part.split('"').next().unwrap();
            assert!(names.contains(&wanted), "index.html loads {wanted}");
        }
    }
}
