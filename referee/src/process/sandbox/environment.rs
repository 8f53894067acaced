//! The environment variables of a sandboxed engine.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use super::Sandbox;

/// Variables that are passed on.
const KEPT: [&str; 6] = ["LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "TERM", "TZ"];

/// Variables that name the scratch folder.
const SCRATCH: [&str; 4] = ["HOME", "TMPDIR", "TMP", "TEMP"];

/// The search path without folders that the engine may read.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// All variables of a sandboxed engine.
pub fn variables(sandbox: &Sandbox, scratch: &Path) -> Vec<(OsString, OsString)> {
    let kept = KEPT
        .iter()
        .filter_map(|name| Some((OsString::from(name), std::env::var_os(name)?)));
    let scratch = SCRATCH.map(|name| (OsString::from(name), scratch.as_os_str().to_owned()));
    let user = ["USER", "LOGNAME"].map(|name| (OsString::from(name), OsString::from("engine")));
    let path = std::env::var_os("PATH").and_then(|path| readable_path(sandbox, &path));
    let path = (OsString::from("PATH"), path.unwrap_or_else(|| PATH.into()));
    kept.chain(scratch).chain(user).chain([path]).collect()
}

/// The folders of a search path that the engine may read; `None` if there are none.
fn readable_path(sandbox: &Sandbox, path: &OsStr) -> Option<OsString> {
    let folders = std::env::split_paths(path);
    let readable = folders.filter(|folder| folder.canonicalize().is_ok_and(|folder| sandbox.allows(&folder)));
    std::env::join_paths(readable)
        .ok()
        .filter(|path| !path.is_empty())
}
