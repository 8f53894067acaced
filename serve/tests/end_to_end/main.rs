//! Tests of the real server, over HTTP.

#![allow(missing_docs)]

mod attacks;
mod boards;
mod matches;
mod support;
