//! Lines, text, files, signals and the exit status: what every other module may use.

pub mod as_text;
pub mod failure;
pub mod files;
pub mod interrupt;
pub mod json;
pub mod key_values;
pub mod lines;
pub mod log_file;
pub mod progress;
pub mod running_clock;
pub mod sprt;
pub mod stderr;
pub mod terminal;
pub mod text;
pub mod toml_file;
pub mod untrusted;
