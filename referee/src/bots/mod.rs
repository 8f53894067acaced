//! For people who write bots: example bots, a conformance test, programs made for people and engines of other protocols as bots, and the
//! `client` of the bots in this program, with its `responder`; `packages`: what Python finds in place of the module.

#[cfg(unix)]
pub(crate) mod adapter;
pub(crate) mod bridge;
pub mod check;
pub(crate) mod client;
pub(crate) mod packages;
pub(crate) mod responder;
pub(crate) mod templates;
