//! How to start an engine; files that the system does not start, and what to do instead.

use std::env::consts::EXE_SUFFIX;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::sandbox::Sandbox;
use super::sandbox::places::{Interpreter, interpreter_of};
use crate::io::stderr::StderrFile;
use crate::io::text::ShowPath;
use crate::system::files::{
    PYTHON, STARTS_SCRIPTS, is_executable, look, not_executable, open_regular, quote, wrong_program,
};
use crate::system::processes::ResourceLimits;

/// The hidden subcommand that runs a built-in engine.
pub const BUILTIN_COMMAND: &str = "builtin";

/// The hidden subcommand that translates between the referee and an engine of another protocol.
pub const BRIDGE_COMMAND: &str = "bridge";

/// How to start an engine.
#[derive(Clone, Debug)]
pub struct Launch {
    /// The executable, as a path that is valid from any folder.
    pub program: PathBuf,
    /// Command-line arguments.
    pub args: Vec<String>,
    /// The working folder; the referee's own by default.
    pub dir: Option<PathBuf>,
    /// Where a copy of its stderr goes.
    pub stderr: Option<Arc<StderrFile>>,
    /// Resource limits; they need a supervisor.
    pub limits: ResourceLimits,
    /// How it is restricted; needs a supervisor.
    pub sandbox: Option<Sandbox>,
    /// The program to start as the engine's supervisor: the referee itself, see
    /// [`own_program`](crate::system::processes::own_program). `None` on systems without supervisors.
    pub supervisor: Option<PathBuf>,
    /// Whether it is the referee itself, as a built-in player or an adapter: then its exit status tells who has
    /// failed.
    pub is_own: bool,
}

impl Launch {
    /// Whether it starts a built-in player that asks a rules program: `builtin NAME RULES`.
    pub(crate) fn asks_rules(&self) -> bool {
        self.is_own && self.args.len() > 2 && self.args[0] == BUILTIN_COMMAND
    }

    /// Whether it starts a bridge to an engine of another protocol.
    pub(crate) fn is_bridge(&self) -> bool {
        self.is_own && self.args.first().is_some_and(|word| word == BRIDGE_COMMAND)
    }

    /// All arguments. An adapter gets the sandbox and the limits of its program, too.
    pub(crate) fn all_args(&self) -> Vec<String> {
        let mut args = self.args.clone();
        let Some(sandbox) = self.sandbox.as_ref().filter(|sandbox| sandbox.is_for_adapter) else {
            return args;
        };
        args.push(format!("--sandbox={}", sandbox.level));
        let folders = sandbox.readable.iter();
        args.extend(folders.map(|folder| format!("--sandbox-read={}", folder.shown())));
        let mut limits = self.limits;
        let limits = limits.named().into_iter();
        args.extend(limits.filter_map(|(name, limit)| Some(format!("--{name}={}", (*limit)?))));
        args
    }
}

/// Bytes read from the beginning of a file: the first line of any script, and all of one that starts
/// a program.
const HEAD_LENGTH: u64 = 4096;

/// Whether the system tries to start the file at `path`. A script whose first line has a
/// Windows line end, or names a missing interpreter, would fail with a misleading error.
pub fn can_be_started(path: &Path) -> bool {
    let head = head(path);
    is_executable(path)
        && !is_utf16(&head)
        && !has_windows_line_ends(&head)
        && why_no_interpreter(path).is_none()
}

/// The interpreter in the first line of a script, if this machine does not have it.
pub fn missing_interpreter(path: &Path) -> Option<String> {
    why_no_interpreter(path)?;
    Some(interpreter_of(path)?.program.to_string_lossy().into_owned())
}

/// Why the interpreter in the first line of a script cannot be started, as a clause that follows
/// the path of the script.
fn why_no_interpreter(path: &Path) -> Option<String> {
    if !STARTS_SCRIPTS {
        return None;
    }
    let Interpreter {
        program,
        is_from_path,
    } = interpreter_of(path)?;
    let shown = program.shown();
    if is_from_path && program.is_relative() {
        Some(format!(
            "needs `{shown}`, which is not a program in PATH; install it, or correct the shebang line"
        ))
    } else if program.is_relative() {
        None
    } else {
        match look(&program) {
            Ok(Some(_)) => None,
            Ok(None) => Some(format!(
                "needs `{shown}`, which does not exist; correct its shebang line, for example to \
                 `#!/usr/bin/env python3`"
            )),
            Err(why) => Some(format!("needs `{shown}`: {why}")),
        }
    }
}

/// Why the system does not start the file at `path`, and what to do instead, as a clause
/// that follows its path. For a file that [cannot be started](can_be_started), or whose
/// start failed.
pub fn why_not_started(path: &Path) -> String {
    wrong_kind(path).unwrap_or_else(|| {
        if is_executable(path) {
            wrong_program()
        } else {
            not_executable(path)
        }
    })
}

/// A sentence about a script that a program starts, according to its own text or its arguments, and
/// that has Windows line endings. The error of the system speaks of a missing file.
pub(crate) fn windows_script(launch: &Launch) -> Option<String> {
    let text = head(&launch.program);
    let text = String::from_utf8_lossy(if text.starts_with(b"#!") { &text } else { b"" });
    let is_end = |sign: char| sign.is_whitespace() || "'\"`;&|()".contains(sign);
    let words = text.split(is_end).chain(launch.args.iter().map(String::as_str));
    let dir = launch.dir.as_deref().unwrap_or(Path::new(""));
    let mut files = words.filter(|word| !word.is_empty()).map(|word| dir.join(word));
    let script = files.find(|file| has_windows_line_ends(&head(file)))?;
    Some(format!("`{}` {}", script.shown(), windows_line_ends(&script)))
}

/// What is wrong with a script that has Windows line endings, as a clause that follows its path.
fn windows_line_ends(path: &Path) -> String {
    let path = path.to_string_lossy();
    format!(
        "has Windows line endings (CRLF), so the system cannot find the interpreter in its shebang line; \
         `sed -i 's/\\r$//' {}` removes them",
        quote(&path).unwrap_or_default()
    )
}

/// What the file is instead of a program.
fn wrong_kind(path: &Path) -> Option<String> {
    let head = head(path);
    let shown = path.shown();
    if has_windows_line_ends(&head) {
        return Some(windows_line_ends(path));
    }
    if STARTS_SCRIPTS && is_utf16(&head) {
        let path = path.to_string_lossy();
        let quoted = quote(&path).unwrap_or_default();
        return Some(format!(
            "is saved as UTF-16, as some Windows editors do, but a script must be UTF-8; \
             `iconv -f utf-16 -t utf-8 {quoted} > run.utf-8` converts it"
        ));
    }
    if STARTS_SCRIPTS && head.starts_with(b"\xef\xbb\xbf#!") {
        return Some(format!(
            "begins with a byte order mark, which some Windows editors add, so the system cannot find the \
             interpreter in its shebang line; `sed -i '1s/^\\xef\\xbb\\xbf//' {}` removes it",
            quote(&path.to_string_lossy()).unwrap_or_default()
        ));
    }
    if STARTS_SCRIPTS && head.starts_with(b"#!") {
        return why_no_interpreter(path).filter(|_| is_executable(path));
    }
    let stem = path.file_stem()?.to_string_lossy();
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let folder = parent.unwrap_or(Path::new(".")).shown();
    let start = |cmd: &str, args: String| format!("start it with the settings `cmd={cmd} args=\"{args}\"`");
    let source = |language: &str, compiler: &str| {
        format!(
            "is {language} source code; compile it, for example with `{compiler} -o {folder}/{stem}{EXE_SUFFIX} \
             {shown}`, and use `{folder}/{stem}{EXE_SUFFIX}`"
        )
    };
    let extension = path.extension()?.to_string_lossy().to_lowercase();
    let is_windows = head.starts_with(b"MZ");
    Some(match extension.as_str() {
        "class" => {
            let start = start("java", format!("-cp {folder} {stem}"));
            format!("is a Java class; {start}")
        }
        "java" => {
            let start = start("java", format!("-cp {folder} {stem}"));
            format!("is Java source code; compile it with `javac {shown}`, then {start}")
        }
        "jar" => format!("is a Java archive; {}", start("java", format!("-jar {shown}"))),
        "c" => source("C", "cc -O2"),
        "cc" | "cpp" | "cxx" => source("C++", "c++ -O2"),
        "go" => source("Go", "go build"),
        "hs" => source("Haskell", "ghc -O2"),
        "rs" | "toml" if let Some(advice) = path.ancestors().skip(1).take(3).find_map(cargo_advice) => {
            format!("is a source file of Rust; {advice}")
        }
        "rs" => source("Rust", "rustc -O"),
        _ if STARTS_SCRIPTS && is_windows => "is a Windows program; build it for this system".to_string(),
        extension => {
            let interpreter = interpreter(extension)?;
            let start = start(interpreter, shown.clone());
            if STARTS_SCRIPTS {
                format!(
                    "has no shebang line: add `#!/usr/bin/env {interpreter}` as its first line, or {start}"
                )
            } else {
                format!("is a script, which Windows does not start; {start}")
            }
        }
    })
}

/// How to get the program of a folder with a package of Rust; `None` if there is none.
pub fn cargo_advice(folder: &Path) -> Option<String> {
    let manifest = folder.join("Cargo.toml");
    manifest.is_file().then(|| {
        format!(
            "compile it with `cargo build --release --manifest-path {}`, and use the program in `{}`",
            manifest.shown(),
            folder.join("target").join("release").shown()
        )
    })
}

/// Whether this is the beginning of a text in UTF-16, in either order of bytes.
fn is_utf16(head: &[u8]) -> bool {
    head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff")
}

/// Whether this is the beginning of a script whose first line ends with a carriage return.
fn has_windows_line_ends(head: &[u8]) -> bool {
    let first_line = head.split(|&byte| byte == b'\n').next();
    STARTS_SCRIPTS && head.starts_with(b"#!") && first_line.is_some_and(|line| line.ends_with(b"\r"))
}

/// The program that runs scripts with this extension.
fn interpreter(extension: &str) -> Option<&'static str> {
    Some(match extension {
        "py" => PYTHON,
        "js" | "mjs" | "cjs" => "node",
        "lua" => "lua",
        "php" => "php",
        "pl" => "perl",
        "rb" => "ruby",
        "sh" => "sh",
        _ => return None,
    })
}

/// The first bytes of a file; none if it cannot be read.
fn head(path: &Path) -> Vec<u8> {
    let mut head = Vec::new();
    if let Ok(file) = open_regular(path) {
        let _ = file.take(HEAD_LENGTH).read_to_end(&mut head);
    }
    head
}

#[cfg(test)]
mod tests {
    // `tests/every_system` has the messages of Windows.
    #![cfg(unix)]
    #![allow(clippy::mixed_attributes_style)]

    use super::*;
    use crate::system::files::make_executable;
    use sentences::{assert_rows, expect};

    #[test]
    fn names_a_missing_interpreter() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bot");
        let table = expect![[r#"
            #!/no-such-folder/python3
                | needs `/no-such-folder/python3`, which does not exist; correct its shebang line, for example to `#!/usr/bin/env python3`
            #!/usr/bin/env no-such-program
                | needs `no-such-program`, which is not a program in PATH; install it, or correct the shebang line
        "#]];
        assert_rows(table, |[line]| {
            std::fs::write(&path, format!("{line}\n")).unwrap();
            make_executable(&path).unwrap();
            assert!(!can_be_started(&path), "{line}");
            why_not_started(&path)
        });
        // Where the second one is depends on the working folder.
        for line in ["#!/bin/sh\n", "#!tools/run\n"] {
            std::fs::write(&path, line).unwrap();
            assert!(can_be_started(&path), "{line}");
        }
    }

    #[test]
    fn says_how_to_start_each_kind_of_file() {
        let folder = tempfile::tempdir().unwrap();
        let table = expect![[r#"
            Bot.class | Ê | is a Java class; start it with the settings `cmd=java args="-cp DIR Bot"`
            Bot.java | class Bot {}
                | is Java source code; compile it with `javac DIR/Bot.java`, then start it with the settings `cmd=java args="-cp DIR Bot"`
            Bot.jar | PK | is a Java archive; start it with the settings `cmd=java args="-jar DIR/Bot.jar"`
            Bot.py | import sys
                | has no shebang line: add `#!/usr/bin/env python3` as its first line, or start it with the settings `cmd=python3 args="DIR/Bot.py"`
            bot.js | | has no shebang line: add `#!/usr/bin/env node` as its first line, or start it with the settings `cmd=node args="DIR/bot.js"`
            bot.py | #!/usr/bin/env python3¶ | is not executable; run `chmod +x DIR/bot.py`
            bot | text | is not executable; run `chmod +x DIR/bot`
            crlf.py | #!/usr/bin/env python3\r¶import sys\r¶
                | has Windows line endings (CRLF), so the system cannot find the interpreter in its shebang line; `sed -i 's/\r$//' DIR/crlf.py` removes them
            bom | \u{feff}#!/bin/sh¶
                | begins with a byte order mark, which some Windows editors add, so the system cannot find the interpreter in its shebang line; `sed -i '1s/^\xef\xbb\xbf//' DIR/bom` removes it
            bot.exe | MZ | is a Windows program; build it for this system
            bot.cpp | int main() {}
                | is C++ source code; compile it, for example with `c++ -O2 -o DIR/bot DIR/bot.cpp`, and use `DIR/bot`
        "#]];
        assert_rows(table, |[name, content]| {
            let path = folder.path().join(name);
            let content = content
                .replace('¶', "\n")
                .replace("\\r", "\r")
                .replace("\\u{feff}", "\u{feff}");
            std::fs::write(&path, content).unwrap();
            why_not_started(&path).replace(&folder.path().shown(), "DIR")
        });
        assert!(why_not_started(Path::new("Bot.java")).ends_with("`cmd=java args=\"-cp . Bot\"`"));
    }
}
