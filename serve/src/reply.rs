//! Errors as answers: `{"error": "sentence"}`.

use std::fmt::Display;

use axum::Json;
use axum::extract::rejection::JsonRejection;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

/// An answer, or why there is none.
pub type Reply<T = Json<Value>> = Result<T, Refusal>;

/// Why a request is refused.
#[derive(Debug)]
pub struct Refusal(StatusCode, String);

/// Why a request is refused, for a browser that would show a page.
#[derive(Clone, Debug)]
pub struct Sentence(pub String);

impl Refusal {
    /// The request is wrong; the sentence is for the user.
    pub fn wrong(why: impl Display) -> Refusal {
        Refusal(StatusCode::UNPROCESSABLE_ENTITY, why.to_string())
    }

    /// What the request names does not exist.
    pub fn unknown(what: impl Display) -> Refusal {
        Refusal(StatusCode::NOT_FOUND, what.to_string())
    }

    /// The requester may not ask this.
    pub fn forbidden(why: impl Display) -> Refusal {
        Refusal(StatusCode::FORBIDDEN, why.to_string())
    }

    /// The request has too many bytes.
    pub fn too_large(why: impl Display) -> Refusal {
        Refusal(StatusCode::PAYLOAD_TOO_LARGE, why.to_string())
    }

    /// There are too many of something.
    pub fn too_many(why: impl Display) -> Refusal {
        Refusal(StatusCode::TOO_MANY_REQUESTS, why.to_string())
    }

    /// The server failed.
    pub fn failed(why: impl Display) -> Refusal {
        Refusal(StatusCode::INTERNAL_SERVER_ERROR, why.to_string())
    }
}

/// The body of a request.
pub fn body<T>(body: Result<Json<T>, JsonRejection>) -> Result<T, Refusal> {
    body.map(|Json(value)| value)
        .map_err(|rejection| Refusal(rejection.status(), rejection.body_text()))
}

/// Runs what may wait for files on a thread of its own.
pub async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Refusal> {
    let ended = tokio::task::spawn_blocking(work).await;
    ended.map_err(|_| Refusal::failed("the server failed; its log says why"))?
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let mut response = (self.0, Json(json!({"error": self.1}))).into_response();
        response.extensions_mut().insert(Sentence(self.1));
        response
    }
}
