//! Messages of the programs on standard error.

use std::env;
use std::io::Write;

pub use env_logger::Target;
use log::{Level, LevelFilter};

/// Writes log messages to `output`, usually standard error.
///
/// Warnings and errors are messages of the program: "NAME: warning: …". With `RUST_LOG`,
/// the levels that it names are a log with times and module paths instead.
///
/// `arrange` changes the text of a message before it is written, such as to wrap it.
pub fn init(program: &'static str, arrange: fn(&str) -> String, output: Target) {
    let mut builder = env_logger::Builder::from_default_env();
    builder.target(output);
    if env::var_os("RUST_LOG").is_none_or(|filter| filter.is_empty()) {
        builder
            .filter_level(LevelFilter::Warn)
            .format(move |out, record| {
                let kind = match record.level() {
                    Level::Error => "error",
                    _ => "warning",
                };
                let message = format!("{program}: {kind}: {}", record.args());
                writeln!(out, "{}", arrange(&message))
            });
    }
    builder.init();
}
