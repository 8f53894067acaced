//! The requests about matches.

use std::sync::Arc;

use axum::extract::rejection::JsonRejection;
use axum::extract::{Path, State, WebSocketUpgrade};
use axum::response::Response;
use axum::routing::{get, post};
use axum::{Extension, Json, Router};
use serde::Deserialize;
use serde_json::json;

use super::Matches;
use super::form::{Form, Phase};
use crate::connections::Connection;
use crate::live;
use crate::reply::{Refusal, Reply, blocking, body};

/// The requests about matches.
pub fn routes(matches: Arc<Matches>) -> Router {
    Router::new()
        .route("/api/matches", get(list).post(start))
        .route("/api/matches/{name}", post(act))
        .route("/live/match/{name}", get(watch))
        .with_state(matches)
}

/// A form with its name.
#[derive(Deserialize)]
struct Start {
    name: String,
    #[serde(flatten)]
    form: Form,
}

/// What to do with a job.
#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "lowercase")]
enum JobAction {
    Pause,
    Stop,
    Resume,
    Remove,
}

async fn list(State(matches): State<Arc<Matches>>) -> Reply {
    let all = blocking(move || Ok(matches.list())).await?;
    Ok(Json(json!({"matches": all})))
}

async fn start(State(matches): State<Arc<Matches>>, form: Result<Json<Start>, JsonRejection>) -> Reply {
    let Start { name, form } = body(form)?;
    let name = blocking(move || matches.start(&name, form)).await?;
    Ok(Json(json!({"name": name})))
}

async fn act(
    State(matches): State<Arc<Matches>>,
    Path(name): Path<String>,
    action: Result<Json<JobAction>, JsonRejection>,
) -> Reply {
    let action = body(action)?;
    let act = move || match action {
        JobAction::Pause => matches.end(&name, Phase::Paused),
        JobAction::Stop => matches.end(&name, Phase::Stopped),
        JobAction::Resume => matches.resume(&name),
        JobAction::Remove => matches.remove(&name),
    };
    blocking(act).await?;
    Ok(Json(json!({})))
}

async fn watch(
    State(matches): State<Arc<Matches>>,
    Path(name): Path<String>,
    Extension(connection): Extension<Connection>,
    upgrade: WebSocketUpgrade,
) -> Result<Response, Refusal> {
    let texts = blocking(move || Ok(matches.find(&name).ok().map(|job| job.follow()))).await?;
    Ok(live::answer(upgrade, connection, texts))
}
