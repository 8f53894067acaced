//! Messages of the programs on standard error.

use std::env;
use std::io::Write;

use log::{Level, LevelFilter};

pub use env_logger::Target;

/// Writes log messages to `output`, usually standard error.
///
/// Warnings and errors are messages of the program: "NAME: warning: …". With `RUST_LOG`,
/// the levels that it names are a log with times and module paths instead.
///
/// `arrange` changes the text of a message before it is written, such as to wrap it. `also`
/// receives every message up to [`log::max_level`], whether it is written or not.
pub fn init(program: &'static str, arrange: fn(&str) -> String, output: Target, also: fn(&log::Record<'_>)) {
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
    let tee = Tee {
        written: builder.build(),
        also,
    };
    log::set_max_level(tee.written.filter());
    // Fails only if there is a logger already.
    let _ = log::set_boxed_logger(Box::new(tee));
}

/// Passes messages on to two receivers.
struct Tee {
    written: env_logger::Logger,
    also: fn(&log::Record<'_>),
}

impl log::Log for Tee {
    fn enabled(&self, _: &log::Metadata<'_>) -> bool {
        // Each receiver decides for itself.
        true
    }

    fn log(&self, record: &log::Record<'_>) {
        // It filters by level and module.
        self.written.log(record);
        (self.also)(record);
    }

    fn flush(&self) {
        self.written.flush();
    }
}
