//! Errors as answers: `{"error": "sentence"}`.

use std::fmt::Display;

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

/// An answer, or why there is none.
pub type Reply<T = Json<Value>> = Result<T, Refusal>;

/// Why a request is refused.
#[derive(Debug)]
pub struct Refusal(StatusCode, String);

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

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        (self.0, Json(json!({"error": self.1}))).into_response()
    }
}
