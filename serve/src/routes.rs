//! Which request does what.

use std::sync::Arc;

use axum::extract::State;
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

/// Everything that the server answers.
pub fn app(site: &Arc<Site>, guard: Arc<Guard>) -> Router {
    let path = guard.path();
    let pages = Router::new()
        .route("/app/{name}", get(assets::file))
        .route("/api/site", get(facts))
        .with_state(Arc::clone(site))
        .merge(boards::routes(Arc::clone(&site.boards)))
        .merge(matches::routes(Arc::clone(&site.matches)))
        .merge(results::routes(Arc::clone(&site.results)));
    Router::new()
        // A nested router does not get the first page with its slash.
        .route(&format!("{path}/"), get(|| async { Html(assets::INDEX) }))
        .nest(&path, pages)
        .fallback(|| async { Refusal::unknown("there is no such page") })
        .method_not_allowed_fallback(|| async {
            (
                StatusCode::METHOD_NOT_ALLOWED,
                Refusal::unknown("this address takes other requests"),
            )
        })
        .layer(middleware::from_fn_with_state(guard, guard::check))
}

async fn facts(State(site): State<Arc<Site>>) -> Json<Value> {
    Json(site.facts())
}
