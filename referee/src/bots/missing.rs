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

/// The program that a shell, `env` or `make` has not found, if these lines say so.
pub(crate) fn program(lines: &[String]) -> Option<&str> {
    lines.iter().rev().find_map(|line| {
        let line = line.trim();
        let end = |end: &str| line.strip_suffix(end);
        let not_found = end(": not found").or_else(|| end(": command not found"));
        // What a shell says if it may not look into a folder of PATH.
        let (said, is_denied) = match end(": Permission denied") {
            Some(said) => (said, true),
            None => (not_found.or_else(|| end(": No such file or directory"))?, false),
        };
        let (by, name) = said.rsplit_once(": ").unwrap_or(("", said));
        let place = by.rsplit(": ").next().unwrap_or_default();
        let is_place = place == "exec" || place.trim_start_matches("line ").parse::<u32>().is_ok();
        let is_of_shell = not_found.is_some() || is_denied && is_place && !name.contains('/');
        let is_of_starter =
            is_of_shell || ["env", "make", "/usr/bin/env", "nice", "timeout", "xargs"].contains(&by);
        let name = name.trim_matches(|sign| "`'\"‘’".contains(sign));
        (is_of_starter && !name.is_empty() && !name.contains(' ')).then_some(name)
    })
}

/// Whether the machine is to have this program: it is that of a wrapper, which calls it by its name, or a
/// [runtime](RUNTIMES), which a submission calls.
pub(crate) fn is_of_machine(name: &str, is_wrapped: bool) -> bool {
    if name.contains('/') {
        return SYSTEM.iter().any(|folder| Path::new(name).starts_with(folder));
    }
    let stem = name.trim_end_matches(|sign: char| sign.is_ascii_digit() || ".-".contains(sign));
    is_wrapped || RUNTIMES.contains(&stem)
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
        ] {
            assert_eq!(program(&[line.to_string()]), name, "{line}");
        }
        assert!(is_of_machine("python3.12", false) && is_of_machine("g++-12", false));
        assert!(!is_of_machine("pyhton3", false) && is_of_machine("pyhton3", true));
        assert!(!is_of_machine("/srv/course/ann/bot", true) && is_of_machine("/usr/bin/node", false));
    }
}
