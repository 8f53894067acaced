//! Tests of the engine from outside, and of the documents and modules of the project.

#![allow(missing_docs)]

mod bad_input;
mod book;
#[path = "../books/mod.rs"]
mod books;
#[path = "../client/mod.rs"]
mod client;
mod dialogue;
mod documents;
#[path = "../folder/mod.rs"]
mod folder;
mod gridlock_exact;
mod gridlock_sessions;
mod modules;
#[path = "../printed_games/mod.rs"]
mod printed_games;
mod properties;
mod protocol;
mod protocol_document;
mod proven;
mod races;
mod rules;
mod searches;
#[cfg(unix)]
mod terminal;
mod ugi_referee;
mod version;
