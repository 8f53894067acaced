//! Which request does what.

use std::sync::Arc;

use axum::extract::{DefaultBodyLimit, State};
use axum::http::StatusCode;
use axum::middleware;
use axum::response::Html;
use axum::routing::get;
use axum::{Json, Router};
use serde_json::Value;

use crate::guard::{self, Guard};
use crate::reply::Refusal;
use crate::site::Site;
use crate::{assets, boards, matches, results};

/// The largest body of a request, in bytes: a saved game.
const MAX_BODY: usize = 1024 * 1024;

/// Everything that the server answers.
pub fn app(site: Arc<Site>, guard: Arc<Guard>) -> Router {
    Router::new()
        .route("/", get(|| async { Html(assets::INDEX) }))
        .route("/app/{name}", get(assets::file))
        .route("/api/site", get(facts))
        .merge(boards::routes())
        .merge(matches::routes())
        .merge(results::routes())
        .fallback(|| async { Refusal::unknown("there is no such page") })
        .method_not_allowed_fallback(|| async {
            (
                StatusCode::METHOD_NOT_ALLOWED,
                Refusal::unknown("this address takes other requests"),
            )
        })
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .layer(middleware::from_fn_with_state(guard, guard::check))
        .with_state(site)
}

async fn facts(State(site): State<Arc<Site>>) -> Json<Value> {
    Json(site.facts())
}
