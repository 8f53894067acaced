//! The files of the folder of results: the list, and their pages.
//!
//! * [`pages`]: the page of a file, as `referee report` writes it.
//!
//! A request names a file of the list; no name becomes a path.

mod pages;

use std::fs::{self, File};
use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::http::{HeaderName, HeaderValue};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use referee_core::failure::Failure;
use referee_core::io::files::no_temporary_folder;
use referee_core::results::folder_beside;
use referee_core::system::files::{Folder, open_regular};
use serde_json::{Value, json};
use tokio_util::io::ReaderStream;

use self::pages::{Pages, Waiting, Writer};
use crate::files::{self, Counts, ResultFile};
use crate::matches::Matches;
use crate::reply::{Refusal, Reply, blocking};

/// The length of the pieces in which a file is sent, in bytes.
const PIECE: usize = 64 * 1024;

/// The result files of the server.
#[derive(Debug)]
pub struct Results {
    matches: Arc<Matches>,
    pages: Pages,
}

impl Results {
    /// The result files of the folder of these matches.
    pub fn new(matches: Arc<Matches>) -> Result<Arc<Results>, Failure> {
        let pages = Pages::new().map_err(|error| Failure::Output(no_temporary_folder(&error)))?;
        Ok(Arc::new(Results { matches, pages }))
    }

    /// Deletes what is temporary, when the server ends.
    pub fn shut_down(&self) {
        self.pages.delete();
    }

    fn list(&self) -> Vec<Value> {
        let files = files::list(&self.matches.offer.results);
        let counts = self.matches.counts.soon(&files);
        let entries = files.iter().zip(counts);
        let entry =
            |(file, counts): (&ResultFile, _)| entry(file, counts, self.matches.is_running(&file.name));
        entries.map(entry).collect()
    }

    /// The page of a file, which a child process writes.
    fn written(&self, file: &ResultFile, writer: &Writer) -> Result<(File, String), Refusal> {
        let has_rules = self.matches.counts.counts(file).has_rules;
        let words = self.matches.offer.rules.words();
        self.pages
            .write(file, if has_rules { words } else { &[] }, writer)
    }

    fn find(&self, name: &str) -> Result<ResultFile, Refusal> {
        let found = files::find(&self.matches.offer.results, name);
        found.ok_or_else(|| Refusal::unknown("There is no such result file"))
    }
}

/// A file in the list; without counts, its games are still being counted.
pub fn entry(file: &ResultFile, counts: Option<Counts>, is_running: bool) -> Value {
    json!({
        "name": file.name, "bytes": file.stamp.0, "modified": file.modified(),
        "games": counts.map(|counts| counts.games), "players": counts.map(|counts| counts.players),
        "isRunning": is_running,
    })
}

/// The requests about result files.
pub fn routes(results: Arc<Results>) -> Router {
    Router::new()
        .route("/api/results", get(list))
        .route("/results/{name}", get(page))
        .route("/results/{name}/file", get(file))
        .route("/results/{name}/transcript/{game}", get(transcript))
        .with_state(results)
}

async fn list(State(results): State<Arc<Results>>) -> Reply {
    let all = blocking(move || Ok(results.list())).await?;
    Ok(Json(json!({"files": all})))
}

async fn page(State(results): State<Arc<Results>>, Path(name): Path<String>) -> Result<Response, Refusal> {
    let (file, known) = {
        let results = Arc::clone(&results);
        let look = move || {
            let file = results.find(&name)?;
            let known = results.pages.known(&file);
            Ok((file, known))
        };
        blocking(look).await?
    };
    let (page, policy) = if let Some(known) = known {
        known
    } else {
        let permit = results.pages.permit().await;
        let writer = Arc::new(Writer::default());
        let _waiting = Waiting(Arc::clone(&writer));
        let write = move || {
            let page = results.written(&file, &writer);
            drop(permit);
            page
        };
        blocking(write).await?
    };
    let policy = HeaderValue::from_str(&policy).map_err(Refusal::failed)?;
    Ok(answer(
        [(CONTENT_SECURITY_POLICY, policy)],
        "text/html; charset=utf-8",
        page,
    ))
}

async fn file(State(results): State<Arc<Results>>, Path(name): Path<String>) -> Result<Response, Refusal> {
    let open = move || {
        let file = results.find(&name)?;
        let opened = open_regular(&file.path).map_err(Refusal::failed)?;
        Ok((file.name, opened))
    };
    let (name, file) = blocking(open).await?;
    // Both names without signs that end or escape the quoted text.
    let ascii: String = name
        .chars()
        .map(|sign| {
            if sign.is_ascii() && !"\"\\%".contains(sign) {
                sign
            } else {
                '_'
            }
        })
        .collect();
    let disposition =
        HeaderValue::from_str(&format!("attachment; filename=\"{ascii}\"")).map_err(Refusal::failed)?;
    Ok(answer(
        [(CONTENT_DISPOSITION, disposition)],
        "application/jsonl",
        file,
    ))
}

/// The transcript of a game that was lost by a fault.
async fn transcript(
    State(results): State<Arc<Results>>,
    Path((name, game)): Path<(String, u64)>,
) -> Result<Response, Refusal> {
    let open = move || {
        let path = folder_beside(&results.find(&name)?.path);
        let none = |_| Refusal::unknown("There is no transcript of this game");
        let folder = Folder::open_real(&path).map_err(none)?;
        let begin = format!("game-{game:06}-");
        let mut names = fs::read_dir(path)
            .map_err(none)?
            .flatten()
            .map(|entry| entry.file_name());
        let found = names.find(|name| name.to_string_lossy().starts_with(&begin));
        folder
            .file(&found.unwrap_or_default().to_string_lossy())
            .map_err(none)
    };
    let file = blocking(open).await?;
    let shown = HeaderValue::from_static("inline");
    Ok(answer(
        [(CONTENT_DISPOSITION, shown)],
        "text/plain; charset=utf-8",
        file,
    ))
}

fn answer(headers: [(HeaderName, HeaderValue); 1], kind: &'static str, file: File) -> Response {
    let pieces = ReaderStream::with_capacity(tokio::fs::File::from_std(file), PIECE);
    let mut response = (headers, Body::from_stream(pieces)).into_response();
    response
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}
