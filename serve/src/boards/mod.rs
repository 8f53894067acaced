//! x

use std::sync::Arc;

use axum::Router;

use crate::site::Site;

/// The requests about them.
pub fn routes() -> Router<Arc<Site>> {
    Router::new()
}
