//! Programs that play, and what their authors need.
//!
//! * [`templates`]: example bots for `new-bot`; [`packages`]: what Python finds in place of the module;
//!   [`missing`]: programs that the machine lacks.
//! * [`check`]: the conformance test.
//! * [`adapter`]: programs made for people as bots; [`bridge`]: engines of other protocols as bots.
//! * [`any_game`]: the built-in players of every game that has a rules program.
//! * [`client`]: the loop of a bot of this program, with its [`responder`].

#[cfg(unix)]
pub(crate) mod adapter;
pub(crate) mod any_game;
pub(crate) mod bridge;
pub mod check;
pub(crate) mod client;
pub(crate) mod missing;
pub(crate) mod packages;
pub(crate) mod responder;
pub(crate) mod templates;
