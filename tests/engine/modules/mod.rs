//! Imports point one way: no cycle between the modules of any package.
//!
//! The test reads every source file, follows `crate::`, `self::` and `super::`
//! paths through re-exports to the file that defines the item, and compares the
//! entries of each folder: files, and folders with all that is in them. A folder's own
//! `mod.rs` counts too, but re-exports of its children do not.

mod source;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

use source::{Package, Reference};

/// The source folders of all packages, and the benchmark with modules.
const PACKAGES: [&str; 10] = [
    "game/src",
    "src",
    "research/solver/src",
    "core/src",
    "referee/src",
    "serve/src",
    "statistics/src",
    "research/fitting/src",
    "fuzz/src",
    "referee/benches/relay",
];

/// References between the entries of one folder: from, to, and an example of each.
type Graph = BTreeMap<String, BTreeMap<String, Reference>>;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

#[test]
fn no_import_cycles() {
    let mut found = String::new();
    for package in PACKAGES {
        let package = Package::read(&Path::new(ROOT).join(package));
        assert!(package.file_count() > 3, "the package was not found");
        found += &cycles(&package);
    }
    assert!(found.is_empty(), "modules import each other in cycles:\n{found}");
}

/// `.ci/run` runs the modules `slow`, and `.ci/run --long` the modules `long`.
#[test]
fn ignored_tests_are_in_the_modules_that_ci_runs() {
    for (file, module) in [("steps.sh", "slow"), ("long-steps.sh", "long")] {
        let steps = std::fs::read_to_string(Path::new(ROOT).join(".ci").join(file)).unwrap();
        assert!(steps.contains(&format!("-- --ignored {module}::")), "{file}");
    }
    let folders = PACKAGES.iter().chain(&["tests", "serve/tests", "rules", "chess"]);
    let texts = folders.flat_map(|folder| source::texts(&Path::new(ROOT).join(folder)));
    for (name, text) in texts {
        let mut module = "";
        for line in text.lines().map(str::trim_start) {
            module = line
                .strip_prefix("mod ")
                .and_then(|line| line.strip_suffix(" {"))
                .unwrap_or(module);
            let reason = line
                .strip_prefix("#[ignore = \"")
                .and_then(|line| line.strip_suffix("\"]"));
            let group = reason.and_then(|reason| reason.split_once(": .ci/run"));
            let of_module = ["slow", "long"].contains(&module).then_some(module);
            if reason.is_some() {
                assert_eq!(group.map(|(group, _)| group), of_module, "{name}: {line}");
            }
        }
    }
}

/// The sources of the referee: names, and texts.
fn referee_texts() -> impl Iterator<Item = (String, String)> {
    let folders = ["core/src", "referee/src"].map(|folder| Path::new(ROOT).join(folder));
    folders.into_iter().flat_map(|folder| source::texts(&folder))
}

/// Files of the referee that may know the system: folders end with `/`.
const SYSTEM_FILES: [&str; 8] = [
    "system/",
    // Linux only.
    "process/supervisor/",
    "process/sandbox/",
    // Unix only.
    "bots/adapter/",
    // They choose the module for the system.
    "process/mod.rs",
    "command/mod.rs",
    "bots/mod.rs",
    "lib.rs",
];

#[test]
fn only_the_system_modules_know_the_system() {
    const WORDS: [&str; 8] = [
        "rustix::",
        "signal_hook::",
        "libc::",
        "std::os::",
        "cfg(unix",
        "cfg(windows",
        "cfg(not(unix",
        "target_os",
    ];
    let mut checked = 0;
    let mut found = String::new();
    for (name, text) in referee_texts() {
        if SYSTEM_FILES.iter().any(|known| name.starts_with(known)) {
            continue;
        }
        checked += 1;
        let program = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
        for (number, line) in program.lines().enumerate() {
            if WORDS.iter().any(|word| line.contains(word)) {
                let _ = writeln!(found, "  {name}:{}: {}", number + 1, line.trim());
            }
        }
    }
    assert!(checked > 100, "the sources were not found");
    assert!(found.is_empty(), "move this to core/src/system:\n{found}");
}

/// Files of the referee with deadlines and times of players: folders end with `/`.
const TIMED: [&str; 8] = [
    "player/",
    "arbiter/",
    "by_hand/",
    "interactive/",
    "bots/check/",
    "process/channel.rs",
    "rules/program.rs",
    "rules/external.rs",
];

#[test]
fn players_have_the_clock_that_stands_still_with_the_referee() {
    let mut found = String::new();
    for (name, text) in referee_texts() {
        if !TIMED.iter().any(|timed| name.starts_with(timed)) {
            continue;
        }
        let program = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
        for (number, line) in program.lines().enumerate() {
            if line.contains("Instant::now()") || line.contains(".elapsed()") {
                let _ = writeln!(found, "  {name}:{}: {}", number + 1, line.trim());
            }
        }
    }
    assert!(found.is_empty(), "use `running_clock`:\n{found}");
}

#[test]
fn finds_cycles_through_super_re_exports_and_macros() {
    let package = |files: &[(&str, &str)]| Package::from_texts(files.iter().copied());
    let lib = ("lib.rs", "pub mod a;\npub mod b;\n");
    let a = ("a/mod.rs", "mod inner;\nmod other;\npub use inner::Thing;\n");
    let inner = ("a/inner.rs", "pub struct Thing;\n");
    for (b, other) in [
        ("use crate::a::Thing;", "fn f() { super::super::b::g(); }"),
        (
            "use super::a;\nfn g() { let _ = a::Thing; }",
            "use crate::b;\nfn f() { b::g(); }",
        ),
        (
            "fn g() { println!(\"{:?}\", crate::a::Thing); }",
            "pub use crate::b::*;",
        ),
    ] {
        let files = [lib, a, inner, ("a/other.rs", other), ("b.rs", b)];
        let found = cycles(&package(&files));
        assert!(
            found.contains("a -> b.rs") && found.contains("b.rs -> a"),
            "{b}: {found}"
        );
        assert!(found.contains("a/other.rs:1"), "{found}");
        // Imports of tests do not count, and one direction alone is no cycle.
        let test = format!("#[cfg(test)]\nmod tests {{ {other} }}");
        for (b, other) in [(b, test.as_str()), ("", other)] {
            let files = [lib, a, inner, ("a/other.rs", other), ("b.rs", b)];
            assert_eq!(cycles(&package(&files)), "", "{b} {other}");
        }
    }
    // Between two files of a folder, found through the folder's re-export.
    let sibling = ("a/other.rs", "use super::Thing;\npub fn other() {}");
    let back = (
        "a/inner.rs",
        "pub struct Thing;\nfn f() { super::other::other() }",
    );
    let found = cycles(&package(&[lib, a, back, sibling, ("b.rs", "")]));
    assert!(found.contains("a/inner.rs -> a/other.rs"), "{found}");
}

/// Every cycle of a package as text, with the lines that make it; empty without one.
fn cycles(package: &Package) -> String {
    let mut graphs: BTreeMap<String, Graph> = BTreeMap::new();
    for reference in package.references() {
        let (folder, from, to) = entries(&reference.from, &reference.to);
        if from != to {
            let targets = graphs.entry(folder).or_default().entry(from).or_default();
            targets.entry(to).or_insert(reference);
        }
    }
    let mut text = String::new();
    for (folder, graph) in &graphs {
        for (from, targets) in graph {
            for (to, reference) in targets {
                // Part of a cycle if there is a path back.
                if reachable(graph, to).contains(from.as_str()) {
                    let Reference {
                        from: file,
                        line,
                        path,
                        ..
                    } = reference;
                    let _ = writeln!(text, "  {folder}{from} -> {folder}{to}: {file}:{line}: {path}");
                }
            }
        }
    }
    text
}

/// The folder that two files share, and the entries of it that hold them.
fn entries(from: &str, to: &str) -> (String, String, String) {
    let (from, to): (Vec<&str>, Vec<&str>) = (from.split('/').collect(), to.split('/').collect());
    let shared = from
        .iter()
        .zip(&to)
        .take_while(|(one, other)| one == other)
        .count();
    // A folder and its own `mod.rs` are distinguished only inside the folder.
    let shared = shared.min(from.len() - 1).min(to.len() - 1);
    let folder = from[..shared]
        .iter()
        .fold(String::new(), |folder, part| folder + part + "/");
    (folder, from[shared].into(), to[shared].into())
}

/// All entries that can be reached from this one.
fn reachable<'a>(graph: &'a Graph, start: &'a str) -> BTreeSet<&'a str> {
    let mut found = BTreeSet::new();
    let mut waiting = vec![start];
    while let Some(entry) = waiting.pop() {
        if found.insert(entry) {
            waiting.extend(
                graph
                    .get(entry)
                    .into_iter()
                    .flat_map(BTreeMap::keys)
                    .map(String::as_str),
            );
        }
    }
    found
}
