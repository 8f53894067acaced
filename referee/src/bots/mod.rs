//! For people who write bots: example bots, a conformance test, and programs made for people as bots.

#[cfg(unix)]
pub(crate) mod adapter;
pub mod check;
pub(crate) mod templates;
