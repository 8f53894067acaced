//! The build script: the version with and without git.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::folder::Folder;

/// A new empty folder in the folder of the test.
fn inside(folder: &Folder, name: &str) -> PathBuf {
    let path = folder.file(name);
    fs::create_dir(&path).unwrap();
    path
}

/// The compiled build script.
fn build_script(folder: &Path) -> PathBuf {
    let program = folder.join("build-script");
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".into());
    let status = Command::new(rustc)
        .args(["--edition", "2024", "-o"])
        .arg(&program)
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("../game/build.rs"))
        .status()
        .unwrap();
    assert!(status.success());
    program
}

/// The output of the build script in a folder.
fn output(script: &Path, folder: &Path, profile: &str, commit: &str) -> String {
    let output = Command::new(script)
        .current_dir(folder)
        .env("CARGO_PKG_VERSION", "1.2.3")
        .env("TARGET", "cpu-vendor-system")
        .env("PROFILE", profile)
        .env("LODESTONE_COMMIT", commit)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The version in this output.
fn version(output: &str) -> &str {
    let mut lines = output.lines();
    lines
        .find_map(|line| line.strip_prefix("cargo:rustc-env=LODESTONE_VERSION="))
        .unwrap()
}

/// The lines that make cargo run the script again.
fn watched(output: &str) -> Vec<&str> {
    let lines = output.lines();
    lines
        .filter_map(|line| line.strip_prefix("cargo:rerun-if-changed="))
        .collect()
}

#[test]
fn version_names_the_commit_if_it_is_known() {
    let folder = Folder::new("version");
    let tools = inside(&folder, "tools");
    let script = build_script(&tools);
    // The folder is inside of this repository, whose commit it must not take.
    let bare = inside(&folder, "without-git");
    let text = output(&script, &bare, "release", "");
    assert_eq!(version(&text), "1.2.3 (cpu-vendor-system)");
    assert_eq!(watched(&text), ["build.rs"]);

    let given = output(&script, &bare, "release", "feed");
    assert_eq!(version(&given), "1.2.3 (feed, cpu-vendor-system)");

    let packaged = inside(&folder, "packaged");
    fs::write(
        packaged.join(".cargo_vcs_info.json"),
        "{\n  \"git\": {\n    \"sha1\": \"0123456789abcdef0123456789abcdef01234567\"\n  }\n}",
    )
    .unwrap();
    let text = output(&script, &packaged, "release", "");
    assert_eq!(version(&text), "1.2.3 (0123456789ab, cpu-vendor-system)");

    let debug = output(&script, &packaged, "debug", "");
    assert_eq!(version(&debug), "1.2.3 (debug build, cpu-vendor-system)");
    assert_eq!(
        watched(&debug),
        ["build.rs"],
        "a commit does not compile everything again"
    );
}

#[test]
fn version_follows_the_commits_of_a_checkout() {
    let folder = Folder::new("version-of-checkout");
    let tools = inside(&folder, "tools");
    let script = build_script(&tools);
    let checkout = inside(&folder, "checkout");
    let git = |arguments: &[&str]| {
        let output = Command::new("git")
            .args(["-c", "user.name=a", "-c", "user.email=a@example.org"])
            .args(arguments)
            .current_dir(&checkout)
            .output()
            .ok()?;
        assert!(output.status.success(), "{output:?}");
        Some(String::from_utf8(output.stdout).unwrap().trim().to_string())
    };
    if git(&["init", "-q"]).is_none() {
        println!("SKIPPED: there is no git");
        return;
    }
    // As the package `game` is in this repository.
    let package = checkout.join("package");
    fs::create_dir(&package).unwrap();
    let text = output(&script, &package, "release", "");
    assert_eq!(version(&text), "1.2.3 (cpu-vendor-system)", "no commit yet");
    for number in ["1", "2"] {
        fs::write(checkout.join("file"), number).unwrap();
        git(&["add", "file"]).unwrap();
        git(&["commit", "-q", "-m", number]).unwrap();
        let commit = git(&["rev-parse", "--short=12", "HEAD"]).unwrap();
        let text = output(&script, &package, "release", "");
        assert_eq!(version(&text), format!("1.2.3 ({commit}, cpu-vendor-system)"));
        let watched = watched(&text);
        assert!(watched.len() >= 2, "{watched:?}");
        for path in watched.into_iter().filter(|path| *path != "build.rs") {
            assert!(
                package.join(path).exists(),
                "a missing file runs the script every time: {path}"
            );
        }
    }
}
