//! Lines, text, files and signals: what every other module may use.

pub mod as_text;
pub mod files;
pub mod interrupt;
pub mod json;
pub mod key_values;
pub mod lines;
pub mod log_file;
pub mod running_clock;
pub mod stderr;
pub mod text;
pub mod untrusted;
