//! Lines, text, files, signals and the exit status: what every other module may use.

pub(crate) mod as_text;
pub mod failure;
pub(crate) mod files;
pub mod interrupt;
pub(crate) mod key_values;
pub mod lines;
pub mod log_file;
pub mod progress;
pub mod running_clock;
pub mod sprt;
pub mod terminal;
pub(crate) mod text;
pub(crate) mod toml_file;
