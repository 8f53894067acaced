//! The files of the page: its own, and those that it shares with the page of a report and the page of
//! the engine in the browser.

use axum::extract::Path;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};

use crate::reply::Refusal;

/// The document.
pub const INDEX: &str = include_str!("../page/index.html");

/// Names files of a folder with their content.
macro_rules! files {
    ($folder:literal: $($name:literal),+ $(,)?) => {
        &[$(($name, include_str!(concat!($folder, $name)))),+]
    };
}

/// The files under `/app/`, in their folders.
const FILES: [&[(&str, &str)]; 3] = [
    files!("../page/": "app.css", "main.js"),
    files!("../../referee/src/report/page/": "board.css", "board.js", "elements.js", "grid.js", "page.css", "rules.js", "scores.js"),
    files!("../../web/page/": "board-view.js", "dialog.js", "drag.js", "marks.js"),
];

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
    ([(CONTENT_TYPE, kind)], *content).into_response()
}
