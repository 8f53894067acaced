//! Tests of the engine from outside, in one program, because each would compile the search anew.

#![allow(missing_docs)]

mod bad_input;
mod book;
#[path = "../books/mod.rs"]
mod books;
#[path = "../client/mod.rs"]
mod client;
mod dialogue;
mod documents;
mod gridlock_exact;
mod gridlock_sessions;
mod modules;
#[path = "../naive/mod.rs"]
mod naive;
#[path = "../printed_games/mod.rs"]
mod printed_games;
mod properties;
mod protocol;
mod protocol_document;
mod proven;
mod races;
mod rules;
#[cfg(unix)]
mod terminal;
mod ugi_referee;
mod version;
