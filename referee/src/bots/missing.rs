//! Programs that a machine lacks: neither a compiler nor an interpreter is a submission's to bring.

use std::path::Path;

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

/// Whether the machine is to have this program: it is that of a wrapper, which calls it by its name, or a
/// [runtime](RUNTIMES), which a submission calls.
pub(crate) fn is_of_machine(name: &str, is_wrapped: bool) -> bool {
    if name.contains('/') {
        return SYSTEM.iter().any(|folder| Path::new(name).starts_with(folder));
    }
    is_wrapped || is_runtime(name)
}

/// Whether it is one of these, perhaps with a version.
fn is_runtime(name: &str) -> bool {
    let stem = name.trim_end_matches(|sign: char| sign.is_ascii_digit() || ".-".contains(sign));
    RUNTIMES.contains(&stem)
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
        assert!(is_of_machine("python3.12", false) && is_of_machine("g++-12", false));
        assert!(!is_of_machine("pyhton3", false) && is_of_machine("pyhton3", true));
        assert!(!is_of_machine("/srv/course/ann/bot", true) && is_of_machine("/usr/bin/node", false));
    }
}
