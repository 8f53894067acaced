//! x

use std::sync::Arc;

use axum::Router;

use crate::site::Site;

/// A file of the folder.
pub fn path(_folder: &std::path::Path, _name: &str) -> Option<std::path::PathBuf> {
    None
}

/// The requests about them.
pub fn routes() -> Router<Arc<Site>> {
    Router::new()
}
