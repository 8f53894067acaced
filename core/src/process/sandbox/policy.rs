//! Which folders an engine may read, and in which it runs.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::places::{self, Submissions, is_system};
use crate::io::text::ShowPath;
use crate::io::untrusted::Untrusted;

/// How an engine is restricted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SandboxLevel {
    /// Not at all.
    Off,
    /// Landlock, seccomp, limits and a clean environment.
    On,
    /// Also a root folder, process list and network of its own.
    Strict,
}

impl SandboxLevel {
    /// All levels, from the weakest.
    pub const ALL: [SandboxLevel; 3] = [SandboxLevel::Off, SandboxLevel::On, SandboxLevel::Strict];

    /// The level as users write it.
    pub const fn name(self) -> &'static str {
        match self {
            SandboxLevel::Off => "off",
            SandboxLevel::On => "on",
            SandboxLevel::Strict => "strict",
        }
    }
}

impl fmt::Display for SandboxLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for SandboxLevel {
    type Err = String;

    fn from_str(text: &str) -> Result<SandboxLevel, String> {
        let found = SandboxLevel::ALL.into_iter().find(|level| level.name() == text);
        found.ok_or_else(|| "expected `on`, `strict` or `off`".to_string())
    }
}

/// What a sandboxed engine may read and where it runs, besides the system's programs and
/// its scratch folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sandbox {
    /// `On` or `Strict`.
    pub level: SandboxLevel,
    /// The folder in which it runs; `None` for its scratch folder. This and the next are paths, as strings
    /// of the system: the supervisor gets them in a message, and they need not be UTF-8.
    pub folder: Option<OsString>,
    /// Files and folders that it may read and execute, with all in them.
    pub readable: Vec<OsString>,
    /// One of these that it may also write, with the limits of its scratch folder.
    pub writable: Option<OsString>,
    /// Whether the program is our adapter. It runs outside the sandbox, and starts another program
    /// inside.
    pub is_for_adapter: bool,
}

/// What to start in a sandbox.
#[derive(Clone, Copy, Debug)]
pub struct Purpose<'a> {
    /// Its name, for messages.
    pub name: &'a str,
    /// The executable, as an absolute path.
    pub program: &'a Path,
    /// Whether it was found in the user's PATH.
    pub is_from_path: bool,
    /// Whether `cmd` is a built-in player: only its program is readable.
    pub is_builtin: bool,
    /// The folder given as `dir`.
    pub dir: Option<&'a Path>,
    /// The folders of `--sandbox-read`.
    pub readable: &'a [PathBuf],
    /// What no script may name: programs of other submissions.
    pub submissions: Submissions<'a>,
}

impl Sandbox {
    /// The sandbox of an engine. Makes its own folder absolute in `args`, because it does not
    /// run in the referee's folder.
    pub fn plan(level: SandboxLevel, purpose: Purpose<'_>, args: &mut [String]) -> Result<Sandbox, String> {
        let mut sandbox = Sandbox::with_folders(level, purpose.readable)?;
        if purpose.is_builtin {
            sandbox.readable.push(purpose.program.into());
            return Ok(sandbox);
        }
        let is_interpreter = sandbox.own_prefixes(purpose);
        let script = if is_interpreter && purpose.dir.is_none() {
            script(args)
        } else {
            None
        };
        match (purpose.dir, &script) {
            (Some(dir), _) => sandbox.own_dir(dir)?,
            (None, Some(script)) => sandbox.own(script, purpose.name),
            (None, None) if is_interpreter => {}
            (None, None) => sandbox.own(purpose.program, purpose.name),
        }
        sandbox.check_program(purpose.program)?;
        sandbox.check_interpreter(purpose)?;
        Ok(sandbox)
    }

    /// The sandbox of an adapter, whose arguments name the file `description`. The adapter plans
    /// that of its program with [`Sandbox::of_adapted`]; this one tells what that may read.
    pub fn of_adapter(
        level: SandboxLevel,
        description: Option<&Path>,
        readable: &[PathBuf],
    ) -> Result<Sandbox, String> {
        let mut sandbox = Sandbox::with_folders(level, readable)?;
        sandbox.allow_public(description.and_then(|file| file.parent()?.canonicalize().ok()));
        sandbox.is_for_adapter = true;
        Ok(sandbox)
    }

    /// The sandbox of a program that an adapter starts in `dir`. It may read `folder`, which holds the
    /// file that describes it: the author of that file must not choose what the program reads.
    pub fn of_adapted(
        level: SandboxLevel,
        purpose: Purpose<'_>,
        folder: &Path,
        dir: &Path,
    ) -> Result<Sandbox, String> {
        let real = |path: &Path| {
            let found = path.canonicalize();
            found.map_err(|error| format!("{}: {error}", path.shown()))
        };
        let (folder, dir) = (real(folder)?, real(dir)?);
        let own = folder.clone();
        let mut sandbox = Sandbox::with_folders(level, purpose.readable)?;
        if !sandbox.allows(&folder) {
            if holds_private_files(&folder) {
                let folder = folder.shown();
                return Err(format!(
                    "the sandbox would show the program all of {folder}, which contains other files, too: \
                     move the program to its own folder, or allow it with `--sandbox-read {folder}`"
                ));
            }
            sandbox.readable.push(folder.into());
        }
        if !sandbox.allows(&dir) {
            let dir = dir.shown();
            return Err(format!(
                "its `dir`, {dir}, is not readable inside the sandbox; `--sandbox-read {dir}` allows it"
            ));
        }
        sandbox.folder = Some(dir.into());
        if purpose.is_from_path {
            sandbox.own_prefixes(purpose);
        } else {
            sandbox.allow_public(places::runtime_named(purpose.program, &own, purpose.submissions));
            let target = purpose.program.canonicalize();
            if target.is_ok_and(|target| !sandbox.allows(&target)) {
                return Err(not_readable(purpose.program, purpose.program));
            }
        }
        sandbox.check_program(purpose.program)?;
        sandbox.check_interpreter(purpose)?;
        Ok(sandbox)
    }

    /// Lets the program write to the folder in which it runs.
    pub fn make_writable(&mut self) {
        self.writable.clone_from(&self.folder);
    }

    /// A sandbox with the folders of `--sandbox-read` alone.
    fn with_folders(level: SandboxLevel, folders: &[PathBuf]) -> Result<Sandbox, String> {
        let mut sandbox = Sandbox {
            level,
            folder: None,
            readable: Vec::new(),
            writable: None,
            is_for_adapter: false,
        };
        for folder in folders {
            let found = folder.canonicalize();
            let found = found.map_err(|error| format!("--sandbox-read {}: {error}", folder.shown()))?;
            if found == Path::new("/") {
                return Err("--sandbox-read /: this would allow reading all files".to_string());
            }
            sandbox.readable.push(found.into());
        }
        Ok(sandbox)
    }

    /// Allows where the program is installed, if it is an interpreter of the user. Returns whether it
    /// is one, or one of the system.
    fn own_prefixes(&mut self, purpose: Purpose<'_>) -> bool {
        let real = |path: &Path| path.parent()?.canonicalize().ok();
        let folder = purpose.dir.and_then(|dir| dir.canonicalize().ok());
        let is_own =
            folder.is_some_and(|dir| real(purpose.program).is_some_and(|path| path.starts_with(dir)));
        if is_own {
            return false;
        }
        let prefixes = places::prefixes(purpose.program, purpose.is_from_path, purpose.submissions);
        let is_interpreter = is_system(purpose.program) || !prefixes.is_empty();
        self.allow_public(prefixes);
        is_interpreter
    }

    /// Allows those of these folders that hold no private files.
    fn allow_public(&mut self, folders: impl IntoIterator<Item = PathBuf>) {
        for folder in folders {
            let folder = OsString::from(folder);
            if !self.readable.contains(&folder) && !holds_private_files(Path::new(&folder)) {
                self.readable.push(folder);
            }
        }
    }

    /// Allows the folder that the user gave as `dir`.
    fn own_dir(&mut self, dir: &Path) -> Result<(), String> {
        let shown = dir.shown();
        let folder = dir
            .canonicalize()
            .map_err(|error| format!("`dir={shown}`: {error}"))?;
        if holds_home(&folder) {
            return Err(format!(
                "`dir={shown}` would show a sandboxed engine your home folder; move the engine to its own \
                 folder"
            ));
        }
        self.folder = Some(folder.clone().into());
        self.readable.push(folder.into());
        Ok(())
    }

    /// Allows the folder of a program or script, or the folder itself. Of a folder with other
    /// people's files only the program is allowed.
    fn own(&mut self, path: &Path, name: &str) {
        let folder = if path.is_dir() { Some(path) } else { path.parent() };
        let Some(folder) = folder.and_then(|folder| folder.canonicalize().ok()) else {
            return;
        };
        if !holds_private_files(&folder) {
            self.folder = Some(folder.clone().into());
            self.readable.push(folder.into());
        } else if path.is_file() {
            log::warn!(
                "{name} is in {}, which contains other files, too, so the sandbox shows it only {}. To \
                 show it a whole folder, move it to its own folder or use `dir={}`",
                folder.shown(),
                path.shown(),
                folder.shown()
            );
            let file = path.file_name().map(|file| folder.join(file));
            self.readable.extend(file.map(OsString::from));
        }
    }

    /// Checks that the program itself is readable. A link that leads out of its folder is not
    /// followed: its author could name any file.
    fn check_program(&mut self, program: &Path) -> Result<(), String> {
        let Ok(target) = program.canonicalize() else {
            return Ok(());
        };
        if self.allows(&target) {
            return Ok(());
        }
        let folder = program.parent().and_then(|folder| folder.canonicalize().ok());
        if target.parent() == folder.as_deref() && !program.is_symlink() {
            self.readable.push(target.into());
            return Ok(());
        }
        Err(not_readable(program, &target))
    }

    /// Checks that the interpreter of a script is readable.
    fn check_interpreter(&mut self, purpose: Purpose<'_>) -> Result<(), String> {
        let script = purpose.program;
        let Some(interpreter) = places::interpreter_of(script) else {
            return Ok(());
        };
        self.allow_public(places::runtimes_of(script, purpose.submissions));
        let Ok(target) = interpreter.program.canonicalize() else {
            return Ok(());
        };
        if interpreter.is_from_path {
            self.allow_public(places::prefixes(&interpreter.program, true, purpose.submissions));
        }
        if self.allows(&target) {
            return Ok(());
        }
        Err(not_readable(script, &interpreter.program))
    }

    /// The path of a program inside the sandbox. A root folder of its own has the engine's own
    /// files only by their real paths, without `..` and links to folders.
    pub fn path_inside(&self, program: &Path) -> PathBuf {
        let real = with_real_folder(program);
        let is_own = |folder: &OsString| real.starts_with(folder);
        if self.folder.iter().any(is_own) || self.readable.iter().any(|path| real == Path::new(path)) {
            real
        } else {
            program.to_path_buf()
        }
    }

    /// Whether an engine may read this file; the path has no links.
    pub(crate) fn allows(&self, path: &Path) -> bool {
        is_system(path) || self.readable.iter().any(|readable| path.starts_with(readable))
    }

    /// What the engine may do, as a clause for people.
    pub(crate) fn summary(&self) -> String {
        let readable: Vec<String> = self.readable.iter().map(|path| path.shown()).collect();
        let readable = match readable.as_slice() {
            [] => String::new(),
            paths => format!(" and {}", paths.join(", ")),
        };
        let network = match self.level {
            SandboxLevel::Strict => "its network leads nowhere, and it",
            _ => "it has no network and",
        };
        format!(
            "it may read the system's programs{readable}, and write only in the folder that HOME and TMPDIR name; \
             {network} cannot signal or trace other processes. `--sandbox-read DIR` allows reading \
             another folder, and `prepare` of a wrapper compiles beforehand"
        )
    }
}

/// What the kernel enforces for sandboxed engines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Enforced {
    /// Release of the kernel, as `uname -r` prints it.
    pub kernel: Untrusted,
    /// The version of Landlock's interface that is in use.
    pub landlock: u32,
    /// What control groups do; `None` in files of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cgroup: Option<ControlGroups>,
}

/// What control groups do for the engines of a referee.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ControlGroups {
    /// None can be made.
    None,
    /// They count processor time and end all processes.
    Counted,
    /// They also limit memory and threads.
    Limited,
}

impl fmt::Display for Enforced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let groups = match self.cgroup {
            None => "",
            Some(ControlGroups::None) => ", no cgroup",
            Some(ControlGroups::Counted) => ", cgroup without limits",
            Some(ControlGroups::Limited) => ", cgroup",
        };
        write!(
            f,
            "Landlock {}, Linux {}{groups}",
            self.landlock,
            self.kernel.shown()
        )
    }
}

/// Release of the running kernel.
#[cfg(target_os = "linux")]
pub(super) fn kernel() -> String {
    let name = rustix::system::uname();
    name.release().to_string_lossy().into_owned()
}

/// A part of the sandbox that is missing, and what to do.
#[derive(Clone, Debug, Error, PartialEq, Eq, Serialize, Deserialize)]
#[error("{0}")]
pub struct Refusal(pub String);

impl Refusal {
    /// The part that this kernel lacks; `needed` says what would have it.
    #[cfg(target_os = "linux")]
    pub(crate) fn lacks(part: &str, needed: &str) -> Refusal {
        Refusal(format!(
            "the sandbox needs {part}, which this kernel ({}) does not offer: {needed}",
            kernel()
        ))
    }
}

/// The sentence about a file that a start needs.
fn not_readable(program: &Path, file: &Path) -> String {
    let folder = file.parent().unwrap_or(file).shown();
    format!(
        "cannot start {} inside the sandbox: {folder} is not readable there; `--sandbox-read {folder}` allows it",
        program.shown()
    )
}

/// The script or folder that the arguments of an interpreter name: the first file or folder
/// that exists. Makes it absolute.
fn script(args: &mut [String]) -> Option<PathBuf> {
    let argument = args
        .iter_mut()
        .find(|argument| !argument.starts_with('-') && Path::new(argument.as_str()).exists())?;
    let path = with_real_folder(&std::path::absolute(argument.as_str()).ok()?);
    if let Some(text) = path.to_str() {
        *argument = text.to_string();
    }
    Some(path)
}

/// An absolute path without `..` and links before its last part.
fn with_real_folder(path: &Path) -> PathBuf {
    let folder = path.parent().and_then(|folder| folder.canonicalize().ok());
    let real = folder.zip(path.file_name());
    real.map_or_else(|| path.to_path_buf(), |(folder, name)| folder.join(name))
}

/// Whether a folder is, or contains, the referee's working folder, the home folder, the
/// folder of temporary files or the root; true if it cannot be found.
fn holds_private_files(folder: &Path) -> bool {
    let Ok(folder) = &folder.canonicalize() else {
        return true;
    };
    let here = std::env::current_dir();
    let temporary = std::env::temp_dir();
    let private = here.iter().chain([&temporary]);
    let mut private = private.filter_map(|path| path.canonicalize().ok());
    holds_home(folder) || private.any(|path| path.starts_with(folder))
}

/// Whether a folder is, or contains, the home folder or the root.
fn holds_home(folder: &Path) -> bool {
    let home = std::env::var_os("HOME").and_then(|home| PathBuf::from(home).canonicalize().ok());
    folder == Path::new("/") || home.is_some_and(|home| home.starts_with(folder))
}

#[cfg(test)]
mod tests {
    // The sandbox needs Linux.
    #![cfg(unix)]
    #![allow(clippy::mixed_attributes_style)]

    use std::os::unix::fs::PermissionsExt;

    use sentences::expect;

    use super::*;

    fn purpose(program: &Path) -> Purpose<'_> {
        Purpose {
            name: "bot",
            program,
            is_from_path: false,
            is_builtin: false,
            dir: None,
            readable: &[],
            submissions: Submissions {
                players: &[],
                own: None,
                is_one: |folder| folder.join("run").is_file(),
            },
        }
    }

    fn executable(path: &Path, text: &str) {
        std::fs::write(path, text).unwrap();
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    #[test]
    fn own_folder_is_that_of_the_program_or_script() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().canonicalize().unwrap();
        let bot = folder.join("bot");
        executable(&bot, "#!/bin/sh\n");
        let sandbox = Sandbox::plan(SandboxLevel::On, purpose(&bot), &mut []).unwrap();
        assert_eq!(sandbox.folder.as_deref(), Some(folder.as_os_str()));
        assert!(sandbox.allows(&folder.join("data")));
        assert!(sandbox.allows(Path::new("/usr/bin/x")));
        assert!(!sandbox.allows(Path::new("/etc/shadow")));

        let mut args = [String::from("-u"), bot.shown(), "more".into()];
        let sandbox = Sandbox::plan(SandboxLevel::On, purpose(Path::new("/bin/sh")), &mut args).unwrap();
        assert_eq!(sandbox.folder, Some(folder.into()));
    }

    #[test]
    fn an_interpreter_of_the_user_is_readable_and_runs_in_the_folder_of_its_script() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().canonicalize().unwrap();
        for file in ["venv/bin/python", "venv/pyvenv.cfg", "ann/bot.py"] {
            std::fs::create_dir_all(folder.join(file).parent().unwrap()).unwrap();
            executable(&folder.join(file), "");
        }
        let python = folder.join("venv/bin/python");
        let mut args = [folder.join("ann/bot.py").shown()];
        let sandbox = Sandbox::plan(SandboxLevel::On, purpose(&python), &mut args).unwrap();
        assert_eq!(sandbox.folder, Some(folder.join("ann").into()));
        assert!(sandbox.allows(&folder.join("venv/pyvenv.cfg")));
    }

    #[test]
    fn own_program_has_its_real_path_inside() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().canonicalize().unwrap();
        std::fs::create_dir(folder.join("bots")).unwrap();
        executable(&folder.join("bots/run"), "#!/bin/sh\n");
        std::os::unix::fs::symlink(folder.join("bots"), folder.join("link")).unwrap();
        for path in ["bots/run", "link/run", "bots/../bots/run"] {
            let program = folder.join(path);
            let sandbox = Sandbox::plan(SandboxLevel::On, purpose(&program), &mut []).unwrap();
            assert_eq!(sandbox.path_inside(&program), folder.join("bots/run"));
            let mut args = [program.shown()];
            Sandbox::plan(SandboxLevel::On, purpose(Path::new("/bin/sh")), &mut args).unwrap();
            assert_eq!(args[0], folder.join("bots/run").shown());
        }
        let sandbox = Sandbox::plan(SandboxLevel::On, purpose(Path::new("/bin/sh")), &mut []).unwrap();
        assert_eq!(sandbox.path_inside(Path::new("/bin/sh")), Path::new("/bin/sh"));
    }

    #[test]
    fn working_folder_of_the_referee_stays_hidden() {
        let mut args = [String::from("Cargo.toml")];
        let sandbox = Sandbox::plan(SandboxLevel::On, purpose(Path::new("/bin/sh")), &mut args).unwrap();
        let here = std::env::current_dir().unwrap();
        assert_eq!(sandbox.folder, None);
        assert!(sandbox.allows(&here.join("Cargo.toml")));
        assert!(!sandbox.allows(&here.join("src")));
        assert_eq!(args[0], here.join("Cargo.toml").shown());
    }

    #[test]
    fn scripts_and_links_cannot_choose_what_they_read() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().canonicalize().unwrap();
        for name in ["bot", "private"] {
            std::fs::create_dir(folder.join(name)).unwrap();
        }
        std::fs::create_dir_all(folder.join("private/bin")).unwrap();
        std::fs::create_dir_all(folder.join("private/lib")).unwrap();
        let secret = folder.join("private/bin/secret");
        executable(&secret, "secret");
        let bot = folder.join("bot/run");
        executable(&bot, &format!("#!{}\n", secret.shown()));
        let error = Sandbox::plan(SandboxLevel::On, purpose(&bot), &mut []).unwrap_err();
        let private = folder.join("private/bin");
        let error = error
            .replace(&bot.shown(), "BOT")
            .replace(&private.shown(), "PRIVATE");
        expect! {"cannot start BOT inside the sandbox: PRIVATE is not readable there; `--sandbox-read PRIVATE` allows it"}
            .assert_eq(&error);
        let allowed = Purpose {
            readable: &[private],
            ..purpose(&bot)
        };
        Sandbox::plan(SandboxLevel::On, allowed, &mut []).unwrap();
        std::fs::remove_file(&bot).unwrap();
        std::os::unix::fs::symlink(&secret, &bot).unwrap();
        let error = Sandbox::plan(SandboxLevel::On, purpose(&bot), &mut []).unwrap_err();
        assert!(error.contains("is not readable there"), "{error}");
    }

    #[test]
    fn description_of_a_program_cannot_choose_what_it_reads() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().canonicalize().unwrap();
        for file in [
            "bots/ann/run",
            "bots/ann/venv/pyvenv.cfg",
            "bots/eve/adapt.toml",
            "venv/pyvenv.cfg",
        ] {
            std::fs::create_dir_all(folder.join(file).parent().unwrap()).unwrap();
            std::fs::write(folder.join(file), "").unwrap();
        }
        let own = folder.join("bots/eve");
        let plan = |program: &str| {
            let program = folder.join(program);
            std::fs::create_dir_all(program.parent().unwrap()).unwrap();
            executable(&program, "");
            Sandbox::of_adapted(SandboxLevel::On, purpose(&program), &own, &own)
        };
        let error = plan("bots/ann/venv/bin/python").unwrap_err();
        assert!(error.contains("ann/venv/bin is not readable there"), "{error}");
        let readable = plan("venv/bin/python").unwrap().readable;
        let expected = [
            own.clone(),
            folder.join("venv/bin"),
            folder.join("venv/pyvenv.cfg"),
        ];
        assert_eq!(readable, expected.map(OsString::from));
    }

    #[test]
    fn folders_that_hold_files_of_others_are_private() {
        let here = std::env::current_dir().unwrap();
        let temporary = std::env::temp_dir();
        for folder in [
            &here,
            here.parent().unwrap(),
            &temporary,
            Path::new("/"),
            Path::new("/nowhere"),
        ] {
            assert!(holds_private_files(folder), "{folder:?}");
        }
        if let Some(home) = std::env::home_dir() {
            assert!(holds_private_files(&home));
        }
        let own = tempfile::tempdir().unwrap();
        assert!(!holds_private_files(own.path()));
    }

    #[test]
    fn dir_is_never_the_home_folder() {
        for dir in ["/", "/usr/.."] {
            let purpose = Purpose {
                dir: Some(Path::new(dir)),
                ..purpose(Path::new("/bin/sh"))
            };
            let error = Sandbox::plan(SandboxLevel::On, purpose, &mut []).unwrap_err();
            assert!(error.contains("home folder"), "{error}");
        }
    }
}
