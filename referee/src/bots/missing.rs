//! Programs that a machine lacks: neither a compiler nor an interpreter is a submission's to bring.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use referee_core::system::files::program_names;

/// Compilers, interpreters and tools to build with, perhaps with a version behind their names.
const RUNTIMES: [&str; 44] = [
    "ant", "bun", "c++", "cabal", "cargo", "cc", "clang", "clang++", "cmake", "deno", "dotnet", "g++", "gcc",
    "ghc", "go", "gradle", "java", "javac", "julia", "kotlin", "kotlinc", "lua", "luajit", "make", "mono",
    "mvn", "node", "npm", "nodejs", "ocaml", "ocamlopt", "perl", "php", "pypy", "python", "racket",
    "Rscript", "ruby", "rustc", "sbcl", "scala", "scalac", "swift", "swiftc",
];

/// Where programs of the system are.
const SYSTEM: [&str; 4] = ["/usr", "/bin", "/sbin", "/opt"];

/// Who says that a program is missing.
enum How {
    OfShell,
    OfStarter,
    /// A shell that may not look into a folder of PATH.
    InForbiddenFolder,
}

/// How lines about a missing program end.
const ENDS: [(&str, How); 4] = [
    (": not found", How::OfShell),
    (": command not found", How::OfShell),
    (": No such file or directory", How::OfStarter),
    (": Permission denied", How::InForbiddenFolder),
];

/// The program that a shell, `env` or `make` has not found, if these lines say so.
pub(crate) fn program(lines: &[String]) -> Option<&str> {
    lines.iter().rev().find_map(|line| {
        let line = line.trim();
        let (said, how) = ENDS
            .iter()
            .find_map(|(end, how)| Some((line.strip_suffix(end)?, how)))?;
        let (by, name) = said.rsplit_once(": ").unwrap_or(("", said));
        let name = name.trim_matches(|sign| "`'\"‘’".contains(sign));
        let is_of_starter = match how {
            How::OfShell => true,
            How::OfStarter => ["env", "make", "/usr/bin/env", "nice", "timeout", "xargs"].contains(&by),
            // A redirection to a file reads like this, too.
            How::InForbiddenFolder => !name.contains('/') && (by.ends_with("exec") || is_runtime(name)),
        };
        (is_of_starter && !name.is_empty() && !name.contains(' ')).then_some(name)
    })
}

/// Whether the machine is to have this program, and lacks it: it is a [runtime](RUNTIMES), or the wrapper in this folder
/// has its name in a file. The words of a submission alone do not tell.
pub(crate) fn is_of_machine(name: &str, wrapper: Option<&Path>) -> bool {
    if name.contains('/') {
        return is_of_system(Path::new(name)) && !Path::new(name).exists();
    }
    let is_wanted = is_runtime(name) || wrapper.is_some_and(|folder| contains(folder, name));
    is_wanted && !is_installed(name)
}

/// Whether it is one of these, perhaps with a version.
fn is_runtime(name: &str) -> bool {
    let stem = name.trim_end_matches(|sign: char| sign.is_ascii_digit() || ".-".contains(sign));
    RUNTIMES.contains(&stem)
}

fn is_of_system(path: &Path) -> bool {
    SYSTEM.iter().any(|folder| path.starts_with(folder))
}

/// Whether the system has a program of this name. One in a folder of the user may be hidden from a submission.
fn is_installed(name: &str) -> bool {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let mut folders = std::env::split_paths(&folders).filter(|folder| is_of_system(folder));
    folders.any(|folder| {
        program_names(&folder.join(name))
            .iter()
            .any(|program| program.is_file())
    })
}

/// Whether a file directly in this folder contains the text.
fn contains(folder: &Path, text: &str) -> bool {
    /// Scripts and build files are shorter.
    const MOST: u64 = 1 << 20;
    let has_text = |path: &Path| {
        let mut bytes = Vec::new();
        let read = File::open(path).and_then(|file| file.take(MOST).read_to_end(&mut bytes));
        read.is_ok() && bytes.windows(text.len()).any(|part| part == text.as_bytes())
    };
    let files = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path());
    files.filter(|path| path.is_file()).any(|path| has_text(&path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_program_that_is_missing() {
        for (line, name) in [
            ("/w/prepare: 2: exec: compile-it: not found", Some("compile-it")),
            ("/w/prepare: line 2: javac: command not found", Some("javac")),
            ("env: ‘python9’: No such file or directory", Some("python9")),
            ("make: gcc: No such file or directory", Some("gcc")),
            (
                "/w/prepare: 2: exec: compile-it: Permission denied",
                Some("compile-it"),
            ),
            ("/w/prepare: 2: javac: Permission denied", Some("javac")),
            ("/w/run: 2: ./bot: Permission denied", None),
            ("cat: board.txt: Permission denied", None),
            ("/w/run: 2: cannot create out.txt: Permission denied", None),
            (
                "bot.c:1:10: fatal error: board.h: No such file or directory",
                None,
            ),
            (
                "python3: can't open file 'bot.py': [Errno 2] No such file or directory",
                None,
            ),
            ("Error: Main class Bot not found", None),
            (
                "/w/prepare: 2: exec: compile-it: Permission denied",
                Some("compile-it"),
            ),
            ("/w/prepare: line 2: javac: Permission denied", Some("javac")),
            ("/w/run: line 2: log.txt: Permission denied", None),
            ("/w/run: 3: exec: ./bot: Permission denied", None),
        ] {
            assert_eq!(program(&[line.to_string()]), name, "{line}");
        }
    }

    #[test]
    fn only_what_the_machine_lacks_is_missing() {
        let wrapper = tempfile::tempdir().unwrap();
        fs::write(
            wrapper.path().join("prepare"),
            "#!/bin/sh\nexec pyhton3 build.py\n",
        )
        .unwrap();
        let wrapper = Some(wrapper.path());
        assert!(is_of_machine("python3.99", None) && is_of_machine("g++-99", None));
        assert!(!is_of_machine("pyhton3", None) && is_of_machine("pyhton3", wrapper));
        assert!(!is_of_machine("no-grade-please", wrapper));
        assert!(!is_of_machine("/srv/course/ann/bot", wrapper) && is_of_machine("/usr/bin/node-99", None));
        // A program that reports these as missing is wrong.
        #[cfg(unix)]
        assert!(!is_of_machine("sh", wrapper) && !is_of_machine("/bin/sh", None));
        #[cfg(target_os = "linux")]
        assert!(!is_of_machine("perl", None) || !Path::new("/usr/bin/perl").exists());
    }
}
