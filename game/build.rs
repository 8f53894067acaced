//! Sets `LODESTONE_VERSION`: the version with the commit and the target.
//!
//! The commit comes from the environment variable `LODESTONE_COMMIT`, from the file that
//! `cargo package` adds, or from git. Without any of them it is left out. A build without
//! optimisation is a "debug build" and names no commit, so that a commit does not compile
//! everything again.

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

/// The characters of a commit to show.
const LENGTH: usize = 12;

fn main() {
    for variable in ["LODESTONE_COMMIT", "PROFILE"] {
        println!("cargo:rerun-if-env-changed={variable}");
    }
    // Without any file, cargo would run this script after each change in the package.
    println!("cargo:rerun-if-changed=build.rs");
    let get = |variable: &str| env::var(variable).unwrap_or_default();
    let given = Some(get("LODESTONE_COMMIT")).filter(|commit| !commit.is_empty());
    let commit = given.or_else(|| {
        let is_debug = get("PROFILE") == "debug";
        if is_debug {
            Some("debug build".into())
        } else {
            packaged().or_else(from_git)
        }
    });
    let details: Vec<String> = commit.into_iter().chain([get("TARGET")]).collect();
    let version = format!("{} ({})", get("CARGO_PKG_VERSION"), details.join(", "));
    println!("cargo:rustc-env=LODESTONE_VERSION={version}");
}

/// The commit that `cargo package` has noted.
fn packaged() -> Option<String> {
    let text = fs::read_to_string(".cargo_vcs_info.json").ok()?;
    let (_, rest) = text.split_once("\"sha1\"")?;
    let commit = rest.split('"').nth(1)?;
    Some(commit.chars().take(LENGTH).collect())
}

/// The commit of a checkout. A folder inside of a foreign repository is not a checkout.
fn from_git() -> Option<String> {
    if !Path::new("../.git").exists() {
        return None;
    }
    let git = |arguments: &[&str]| {
        let output = Command::new("git").args(arguments).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        let text = text.trim();
        (output.status.success() && !text.is_empty()).then(|| text.to_string())
    };
    let commit = git(&["rev-parse", &format!("--short={LENGTH}"), "HEAD"])?;
    // Both change with a commit; a file that is missing would run this script every time.
    for name in ["HEAD", "logs/HEAD"] {
        if let Some(path) = git(&["rev-parse", "--git-path", name]).filter(|path| Path::new(path).exists()) {
            println!("cargo:rerun-if-changed={path}");
        }
    }
    Some(commit)
}
