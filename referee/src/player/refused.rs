//! What the system refused to an engine that has exited.

use crate::player::hint::Hint;
use crate::process::{Launch, Sandbox, SandboxLevel, windows_script};

/// How languages word a refused call.
const SIGNS: [&str; 8] = [
    "Permission denied",
    "PermissionError",
    "AccessDenied",
    "Operation not permitted",
    "EACCES",
    "EPERM",
    "Read-only file system",
    // The compiler of Java, which does not say which folder.
    "could not create parent directories",
];

/// How they word a file that a root folder of its own does not have.
const MISSING: [&str; 3] = ["No such file or directory", "ENOENT", "NoSuchFile"];

/// What its sandbox refused, or a script with Windows line ends that it could not start.
pub fn hint(launch: &Launch, stderr: &[String]) -> Option<Box<Hint>> {
    let of_script = || windows_script(launch).map(|what| Box::new(Hint::WindowsScript(what)));
    of_sandbox(launch.sandbox.as_ref(), stderr).or_else(of_script)
}

/// What a sandboxed engine was refused, if its last lines on stderr show it.
fn of_sandbox(sandbox: Option<&Sandbox>, stderr: &[String]) -> Option<Box<Hint>> {
    let sandbox = sandbox?;
    let missing: &[&str] = match sandbox.level {
        SandboxLevel::Strict => &MISSING,
        _ => &[],
    };
    let mut signs = SIGNS.iter().chain(missing);
    let mut lines = stderr.iter().rev();
    let line = lines.find(|line| signs.clone().any(|sign| line.contains(sign)))?;
    let is_missing = !SIGNS.iter().any(|sign| line.contains(sign)) && signs.any(|sign| line.contains(sign));
    let folder = hidden_folder(line, sandbox);
    if is_missing && folder.is_none() {
        return None;
    }
    Some(Box::new(Hint::Refused {
        folder,
        summary: sandbox.summary(),
    }))
}

/// The folder of the first path in a line that the engine may not read.
fn hidden_folder(line: &str, sandbox: &Sandbox) -> Option<String> {
    let is_end = |c: char| c.is_whitespace() || "'\"`:,;()[]<>".contains(c);
    let paths = line.split(is_end).filter(|word| word.starts_with('/'));
    let mut hidden = paths.filter(|path| !sandbox.allows(std::path::Path::new(path)));
    let path = std::path::Path::new(hidden.next()?);
    let folder = path.parent().filter(|folder| folder.parent().is_some())?;
    Some(folder.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_the_folder_that_is_hidden() {
        let sandbox = |level| Sandbox {
            level,
            folder: None,
            readable: vec!["/bots/a".into()],
            is_for_adapter: false,
        };
        let folder = |level, line: &str| {
            let hint = of_sandbox(Some(&sandbox(level)), &["first".into(), line.into()]);
            hint.map(|hint| match *hint {
                Hint::Refused { folder, .. } => folder,
                other => panic!("{other:?}"),
            })
        };
        let [on, strict] = [SandboxLevel::On, SandboxLevel::Strict];
        let denied = "PermissionError: [Errno 13] Permission denied: '/home/u/book/b.txt'";
        assert_eq!(folder(on, denied), Some(Some("/home/u/book".into())));
        assert_eq!(folder(on, "socket: Operation not permitted"), Some(None));
        let own = "Error: EACCES: permission denied, open '/bots/a/log'";
        assert_eq!(folder(on, own), Some(None));
        let missing = "[Errno 2] No such file or directory: '/home/u/b.txt'";
        assert_eq!(folder(on, missing), None);
        assert_eq!(folder(strict, missing), Some(Some("/home/u".into())));
        let java = "error: error while writing Bot: could not create parent directories";
        assert_eq!(folder(on, java), Some(None));
        assert_eq!(folder(on, "panicked"), None);
        assert_eq!(of_sandbox(None, &[denied.into()]), None);
    }
}
