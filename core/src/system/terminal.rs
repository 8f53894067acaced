//! Streams that may be terminals, and whether escape sequences work there.

#[cfg(unix)]
pub use std::os::fd::AsFd as Stream;
#[cfg(windows)]
pub use std::os::windows::io::AsHandle as Stream;

/// Prepares the terminal of the process for escape sequences. Returns whether it knows them.
pub fn prepare() -> bool {
    #[cfg(unix)]
    return std::env::var_os("TERM").is_none_or(|term| term != "dumb");
    #[cfg(windows)]
    anstyle_query::windows::enable_ansi_colors().unwrap_or(false)
}
