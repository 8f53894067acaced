//! What differs between systems, each behind one interface; `docs/windows.md` lists it for users.
//!
//! * [`pipes`]: waiting for several pipes at once. Unix has `poll`; on Windows threads read and
//!   write the pipes.
//! * [`processes`]: starting, watching and killing an engine. Unix has process groups and signals,
//!   Windows has job objects.
//! * [`interrupt`]: Ctrl-C and requests to end.
//! * [`terminal`]: size, keys and suspension of a terminal.
//! * [`files`]: programs, locks and names in the file system.
//!
//! Each has a file for Unix and one for Windows, with the same items. What only Linux has is in
//! `process/supervisor`, `process/sandbox` and `process/unsupervised.rs`. `referee adapt` needs
//! pseudo-terminals and exists on Unix only. `tests/modules` checks that no other file knows the
//! system.

pub(crate) mod files;
pub(crate) mod interrupt;
pub mod pipes;
pub mod processes;
pub(crate) mod terminal;
