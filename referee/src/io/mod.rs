//! Lines, text, files, signals and the exit status: what every other module may use.

pub mod append_only;
pub mod as_text;
pub mod digest;
pub mod draft;
pub mod failure;
pub mod file_name;
pub mod files;
pub mod interrupt;
pub mod key_values;
pub mod lines;
pub mod log_file;
pub mod messages;
pub mod shell;
pub mod suggest;
pub mod suspension;
pub mod terminal;
pub mod text;
