//! Files and folders of the system that every sandboxed engine may read; the program that runs a
//! script, and where it is installed.

use std::io::Read;
use std::path::{Component, Path, PathBuf};

use crate::io::text::ShowPath;
use crate::system::files::{is_executable, is_own, open_regular};

/// Folders of programs and libraries, read and executed.
pub const PROGRAMS: [&str; 9] = [
    "/usr",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/bin",
    "/sbin",
    "/nix/store",
    "/gnu/store",
];

/// Files and folders that programs read when they start. `/etc` as a whole holds secrets.
#[cfg(target_os = "linux")]
const CONFIGURATION: [&str; 25] = [
    "/etc/alternatives",
    "/etc/crypto-policies",
    "/etc/debian_version",
    "/etc/fonts",
    "/etc/group",
    "/etc/host.conf",
    "/etc/hosts",
    "/etc/inputrc",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/ld.so.preload",
    "/etc/locale.alias",
    "/etc/localtime",
    "/etc/mime.types",
    "/etc/mono",
    "/etc/nsswitch.conf",
    "/etc/os-release",
    "/etc/passwd",
    "/etc/perl",
    "/etc/pki/java",
    "/etc/ssl/certs",
    "/etc/ssl/openssl.cnf",
    "/etc/terminfo",
    "/etc/timezone",
];

/// Beginnings of the names of further such folders in `/etc`.
#[cfg(target_os = "linux")]
const RUNTIMES: [&str; 4] = ["java", "python", "php", "lua"];

/// What runtimes read to find the number of cores and the memory. A rule on `/proc/self`
/// would not hold: the kernel makes its inodes anew.
#[cfg(target_os = "linux")]
pub(crate) const MACHINE: [&str; 13] = [
    "/proc/cpuinfo",
    "/proc/filesystems",
    "/proc/loadavg",
    "/proc/meminfo",
    "/proc/stat",
    "/proc/uptime",
    "/proc/version",
    "/proc/sys/kernel/osrelease",
    "/proc/sys/kernel/ngroups_max",
    "/proc/sys/kernel/cap_last_cap",
    "/proc/sys/vm",
    "/sys/devices/system/cpu",
    "/sys/kernel/mm/transparent_hugepage",
];

/// Devices that are read. A mapping of `/dev/zero` that could be written would be shared memory without a file.
#[cfg(target_os = "linux")]
pub(crate) const SOURCES: [&str; 3] = ["/dev/urandom", "/dev/random", "/dev/zero"];

/// Devices that are read and written.
#[cfg(target_os = "linux")]
pub(crate) const SINKS: [&str; 2] = ["/dev/null", "/dev/full"];

/// Whether a path is in a folder of the system's programs and libraries.
pub fn is_system(path: &Path) -> bool {
    PROGRAMS.iter().any(|folder| path.starts_with(folder))
}

/// The files and folders of `/etc` that exist here.
#[cfg(target_os = "linux")]
pub fn configuration() -> Vec<PathBuf> {
    let entries = std::fs::read_dir("/etc").into_iter().flatten().flatten();
    let of_runtimes = entries.filter(|entry| {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        RUNTIMES.iter().any(|runtime| name.starts_with(runtime))
    });
    let of_runtimes: Vec<PathBuf> = of_runtimes.map(|entry| entry.path()).collect();
    CONFIGURATION
        .map(PathBuf::from)
        .into_iter()
        .chain(of_runtimes)
        .collect()
}

/// Bytes of the first line of a script that the system reads.
const MAX_FIRST_LINE: u64 = 256;

/// The interpreter in the first line of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Interpreter {
    pub program: PathBuf,
    /// Whether the user's PATH leads to it. Otherwise the script itself names it, and the author
    /// of a script must not choose what it may read.
    pub is_from_path: bool,
}

/// The interpreter of the script at `path`; `None` for other files.
pub(crate) fn interpreter_of(path: &Path) -> Option<Interpreter> {
    let mut head = Vec::new();
    open_regular(path)
        .ok()?
        .take(MAX_FIRST_LINE)
        .read_to_end(&mut head)
        .ok()?;
    let line = head.split(|&byte| byte == b'\n').next()?.strip_prefix(b"#!")?;
    let line = String::from_utf8_lossy(line);
    let mut words = line.split_whitespace();
    let program = words.next()?;
    if Path::new(program).file_name()? != "env" {
        return Some(Interpreter {
            program: program.into(),
            is_from_path: false,
        });
    }
    let name = words.find(|word| !word.starts_with('-') && !word.contains('='))?;
    Some(Interpreter {
        program: in_path(name).unwrap_or_else(|| name.into()),
        is_from_path: true,
    })
}

/// Bytes of a script in which paths of runtimes are looked for.
const MAX_SCRIPT: u64 = 16 * 1024;

/// What may be read of an installation of Python, Node or Java. Other files may be beside it.
const PARTS: [&str; 7] = ["bin", "lib", "lib64", "include", "conf", "release", "pyvenv.cfg"];

/// The folders and files of the Python, Node or Java that the script at `path` names, such as those of
/// `/srv/venv` in `exec /srv/venv/bin/python bot.py`, and of what it links to. Only the [`PARTS`] of
/// an installation, and none that was submitted: the author of a script must not choose what it may read.
pub(crate) fn runtimes_of(path: &Path, submissions: Submissions<'_>) -> Vec<PathBuf> {
    let mut text = Vec::new();
    let is_read = open_regular(path).and_then(|file| file.take(MAX_SCRIPT).read_to_end(&mut text));
    if is_read.is_err() || !text.starts_with(b"#!") {
        return Vec::new();
    }
    let text = String::from_utf8_lossy(&text);
    let is_end = |c: char| c.is_whitespace() || "'\"!=;&|()".contains(c);
    let programs = text
        .split(is_end)
        .filter(|word| word.starts_with('/'))
        .map(PathBuf::from)
        .filter(|program| !program.components().any(|part| part == Component::ParentDir));
    let own = path.parent().unwrap_or(path);
    programs
        .flat_map(|program| runtime_named(&program, own, submissions))
        .collect()
}

/// The same of a program that the author of the files in the folder `own` names.
pub(crate) fn runtime_named(program: &Path, own: &Path, submissions: Submissions<'_>) -> Vec<PathBuf> {
    let target = program.canonicalize().ok().filter(|target| target != program);
    let programs = [Some(program.to_path_buf()), target].into_iter().flatten();
    let mut prefixes: Vec<PathBuf> = programs.filter_map(|program| runtime(&program)).collect();
    prefixes.retain(|prefix| {
        let why = if is_submitted(prefix, own, submissions) {
            "may be those of another submission"
        } else if !is_own(prefix) || !is_own(program) {
            "belong to another user"
        } else {
            return true;
        };
        log::warn!(
            "{} names the programs in {}, which {why}: the sandbox does not show them; `--sandbox-read {1}` does",
            own.shown(),
            prefix.shown()
        );
        false
    });
    prefixes.iter().flat_map(|prefix| parts_of(prefix)).collect()
}

/// What is known of submissions, in which students choose the names of files. All paths are without links.
#[derive(Clone, Copy, Debug)]
pub struct Submissions<'a> {
    /// The folders of all players.
    pub players: &'a [PathBuf],
    /// That of the player who is started.
    pub own: Option<&'a Path>,
    /// Whether a folder is a submission.
    pub is_one: fn(&Path) -> bool,
}

impl Submissions<'_> {
    /// Whether there are submissions besides `own` in an installation, or one of its parts is a submission. `bin` may
    /// contain a program `run`.
    fn are_in(self, prefix: &Path, own: Option<&Path>) -> bool {
        let Ok(prefix) = prefix.canonicalize() else {
            return true;
        };
        let is_other = |folder: &Path| Some(folder) != own;
        let mut parts = PARTS[1..].iter().chain(&["versions"]);
        let beside = own.filter(|own| own.parent() == Some(&prefix));
        let beside = beside.into_iter().flat_map(|_| std::fs::read_dir(&prefix));
        let mut beside = beside.flatten().flatten().map(|entry| entry.path());
        parts.any(|part| (self.is_one)(&prefix.join(part)))
            || self
                .players
                .iter()
                .any(|player| is_other(player) && player.starts_with(&prefix))
            || beside.any(|folder| is_other(&folder) && (self.is_one)(&folder))
    }
}

/// Whether an installation is part of a submission other than that in the folder `own`, or contains submissions. Beside
/// `own` it may lie, as `venv` beside a bot, unless there are other submissions.
fn is_submitted(prefix: &Path, own: &Path, submissions: Submissions<'_>) -> bool {
    let (Ok(prefix), Ok(own)) = (prefix.canonicalize(), own.canonicalize()) else {
        return true;
    };
    if prefix.starts_with(&own) {
        return false;
    }
    let around = own.parent().unwrap_or(&own);
    let is_around = prefix.starts_with(around)
        && (prefix.parent() != Some(around) || submissions.are_in(around, Some(&own)));
    is_around
        || own.starts_with(&prefix)
        || submissions.are_in(&prefix, Some(&own))
        || (submissions.is_one)(&prefix.join(PARTS[0]))
        || prefix.ancestors().any(submissions.is_one)
        || submissions
            .players
            .iter()
            .any(|player| prefix.starts_with(player))
}

/// `P` of `P/bin/python`, and likewise of Node and Java, if it is installed there.
fn runtime(program: &Path) -> Option<PathBuf> {
    let name = program.file_name()?.to_str()?;
    let headers = format!("include/{name}");
    let signs: &[&str] = match name {
        "node" => &[&headers, "lib/node_modules"],
        "java" => &["lib/modules", "release"],
        _ if name.starts_with("python") => &["pyvenv.cfg", "lib/libpython3.so", &headers],
        _ => return None,
    };
    installed(program, "bin", signs).filter(|_| program.is_file())
}

/// The [`PARTS`] that exist in `prefix`, and are no links out of it.
fn parts_of(prefix: &Path) -> Vec<PathBuf> {
    let Ok(real) = prefix.canonicalize() else {
        return Vec::new();
    };
    let is_inside = |part: &PathBuf| part.canonicalize().is_ok_and(|part| part.starts_with(&real));
    PARTS
        .map(|part| prefix.join(part))
        .into_iter()
        .filter(is_inside)
        .collect()
}

/// `P` of the program `P/FOLDER/x`, if one of these files is in `P`. Not of the system's programs.
fn installed(program: &Path, folder: &str, signs: &[&str]) -> Option<PathBuf> {
    let prefix = program.parent().filter(|path| path.ends_with(folder))?.parent()?;
    let is_installed = signs.iter().any(|name| prefix.join(name).exists());
    (is_installed && !is_system(program)).then(|| prefix.to_path_buf())
}

/// A program in the user's PATH.
fn in_path(name: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders)
        .map(|folder| folder.join(name))
        .find(|program| program.is_file() && is_executable(program))
}

/// Whether a program is one of the system, or installed with a language: its arguments name what it runs.
pub fn is_interpreter(program: &Path, submissions: Submissions<'_>) -> bool {
    is_system(program) || !prefixes(program, false, submissions).is_empty()
}

/// The folders in which a program `P/bin/x` is installed: `P`, and the folder behind its
/// links if the user's PATH leads to it. The author of a submission could link to any folder.
/// Empty for the system's programs.
pub(crate) fn prefixes(program: &Path, is_from_path: bool, submissions: Submissions<'_>) -> Vec<PathBuf> {
    let behind_links = program.canonicalize().ok().filter(|_| is_from_path);
    let mut found: Vec<PathBuf> = [Some(program.to_path_buf()), behind_links]
        .into_iter()
        .flatten()
        .filter(|program| {
            is_from_path || is_language(program) && !program.parent().is_some_and(submissions.is_one)
        })
        .filter_map(|program| prefix(&program, submissions))
        .collect();
    found.dedup();
    found.into_iter().flat_map(without_private_files).collect()
}

/// `P` of `P/bin/x`, if a language is installed there, or of `P/shims/x` of pyenv, rbenv and
/// others, which choose a version in `P/versions`. Not if there are submissions in `P`: their names are the choice
/// of students.
fn prefix(program: &Path, submissions: Submissions<'_>) -> Option<PathBuf> {
    installed(program, "bin", &["lib", "lib64", "pyvenv.cfg"])
        .or_else(|| installed(program, "shims", &["versions"]))
        .filter(|prefix| !submissions.are_in(prefix, submissions.own))
}

/// The languages whose programs may be given by their paths. Other programs, and those of students, are no
/// installation just because of the names of their folders.
const LANGUAGES: [&str; 24] = [
    "bun", "deno", "dotnet", "elixir", "erl", "escript", "guile", "java", "julia", "lua", "luajit", "mono",
    "node", "ocaml", "perl", "php", "pypy", "python", "racket", "Rscript", "ruby", "sbcl", "scala", "swipl",
];

/// Whether a program has the name of a language, perhaps with a version.
fn is_language(program: &Path) -> bool {
    let name = program
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default();
    let is_version = |c: char| c.is_ascii_digit() || ".-".contains(c);
    LANGUAGES.contains(&name.trim_end_matches(is_version))
}

/// What may be read of an installation: all of it. But `~/.local` also holds what programs keep for the user,
/// such as passwords and messages.
fn without_private_files(prefix: PathBuf) -> Vec<PathBuf> {
    let private = std::env::var_os("HOME").map(|home| Path::new(&home).join(".local").canonicalize());
    let is_private =
        matches!((private, prefix.canonicalize()), (Some(Ok(private)), Ok(prefix)) if private == prefix);
    if is_private {
        parts_of(&prefix)
    } else {
        vec![prefix]
    }
}

#[cfg(test)]
mod tests {
    // The sandbox needs Linux.
    #![cfg(unix)]
    #![allow(clippy::mixed_attributes_style)]

    use super::*;

    const NONE: Submissions<'static> = Submissions {
        players: &[],
        own: None,
        is_one: |folder| folder.join("run").is_file(),
    };

    #[test]
    #[cfg(target_os = "linux")]
    fn no_place_of_the_system_holds_secrets() {
        let readable: Vec<PathBuf> = PROGRAMS
            .into_iter()
            .chain(MACHINE)
            .chain(SOURCES)
            .chain(SINKS)
            .map(PathBuf::from)
            .collect();
        for secret in [
            "/etc/shadow",
            "/etc/gshadow",
            "/etc/sudoers",
            "/etc/ssl/private/key.pem",
            "/etc/pki/tls/private/key.pem",
            "/etc/ssh/ssh_host_ed25519_key",
            "/etc/NetworkManager/system-connections/home",
            "/etc/krb5.keytab",
            "/root/.ssh/id_ed25519",
            "/home/ann/.ssh/id_ed25519",
            "/var/lib/private",
            "/var/spool/cron/ann",
            "/run/secrets/token",
            "/tmp/other",
            "/dev/shm/other",
            "/dev/mem",
            "/dev/kmsg",
            "/proc/1/environ",
            "/proc/kcore",
            "/sys/kernel/debug",
        ] {
            let shows = |place: &PathBuf| Path::new(secret).starts_with(place);
            let place = readable
                .iter()
                .chain(&configuration())
                .find(|place| shows(place))
                .cloned();
            assert_eq!(place, None, "{secret}");
        }
    }

    #[test]
    fn finds_the_interpreter_of_a_script() {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("bot");
        for (line, program, is_from_path) in [
            ("#!/bin/sh", Some("/bin/sh"), false),
            ("#! /opt/x/bin/python3 -u", Some("/opt/x/bin/python3"), false),
            ("#!/usr/bin/env no-such-program", Some("no-such-program"), true),
            (
                "#!/usr/bin/env -S A=1 no-such-program -u",
                Some("no-such-program"),
                true,
            ),
            ("import sys", None, false),
        ] {
            std::fs::write(&script, format!("{line}\nx\n")).unwrap();
            let expected = program.map(|program| Interpreter {
                program: program.into(),
                is_from_path,
            });
            assert_eq!(interpreter_of(&script), expected, "{line}");
        }
    }

    #[test]
    fn scripts_name_runtimes_and_no_other_folders() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().canonicalize().unwrap();
        for (file, text) in [
            ("real/bin/python3.11", ""),
            ("real/include/python3.11/Python.h", ""),
            ("real/grades", ""),
            ("venv/pyvenv.cfg", ""),
            ("private/bin/python3", ""),
            ("private/bin/secret", ""),
            ("private/include/secret.h", ""),
            ("linked/bin/python3", ""),
            ("linked/pyvenv.cfg", ""),
        ] {
            std::fs::create_dir_all(folder.join(file).parent().unwrap()).unwrap();
            std::fs::write(folder.join(file), text).unwrap();
        }
        std::fs::create_dir(folder.join("venv/bin")).unwrap();
        std::os::unix::fs::symlink(folder.join("real/bin/python3.11"), folder.join("venv/bin/python"))
            .unwrap();
        std::os::unix::fs::symlink(folder.join("private"), folder.join("linked/lib")).unwrap();
        let run = folder.join("run");
        let found = |text: &str| {
            std::fs::write(&run, text.replace('~', folder.to_str().unwrap())).unwrap();
            runtimes_of(&run, NONE)
        };
        let both = ["venv/bin", "venv/pyvenv.cfg", "real/bin", "real/include"].map(|name| folder.join(name));
        let linked = ["linked/bin", "linked/pyvenv.cfg"].map(|name| folder.join(name));
        assert_eq!(found("#!~/linked/bin/python3\n"), linked);
        assert_eq!(found("#!/bin/sh\nexec ~/venv/bin/python bot.py\n"), both);
        assert_eq!(found("#!~/venv/bin/python\n"), both);
        for other in [
            "~/venv/bin/python",
            "#!/bin/sh\n~/private/bin/python3\n~/private/bin/secret ~/venv ~/venv/bin/none /usr/bin/python3\n",
            "#!/bin/sh\n# ~/real/../venv/bin/python\n",
        ] {
            assert_eq!(found(other), Vec::<PathBuf>::new(), "{other}");
        }
    }

    #[test]
    fn names_of_submissions_make_no_installation() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().canonicalize().unwrap();
        let write = |file: &str| {
            let path = folder.join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        };
        for name in ["bin", "lib", "include", "pyvenv.cfg", "shims", "versions"] {
            for file in ["run", "python3", "venv/pyvenv.cfg", "venv/bin/python"] {
                write(&format!("bots/{name}/{file}"));
            }
        }
        write("course/env/pyvenv.cfg");
        write("course/env/bin/python");
        write("course/bot/run");
        write("course/broken/venv/pyvenv.cfg");
        write("course/broken/venv/bin/python");
        let [bots, course] = ["bots", "course"].map(|name| folder.join(name));
        let none: [PathBuf; 0] = [];
        for program in ["bin/run", "bin/python3", "shims/python3", "shims/run"] {
            for is_from_path in [false, true] {
                assert_eq!(
                    prefixes(&bots.join(program), is_from_path, NONE),
                    none,
                    "{program}"
                );
            }
        }
        let named = |own: &str, program: &str| runtime_named(&folder.join(program), &folder.join(own), NONE);
        for own in ["bots/lib", "course/bot", "bots/bin"] {
            for program in ["bots/bin/python3", "bots/include/venv/bin/python"] {
                assert_eq!(named(own, program), none, "{own} names {program}");
            }
        }
        assert_eq!(named("course/bot", "course/broken/venv/bin/python"), none);
        // A bot's own files are readable anyway.
        assert_eq!(named("bots/bin", "bots/bin/venv/bin/python").len(), 2);
        let found = [course.join("env/bin"), course.join("env/pyvenv.cfg")];
        assert_eq!(named("course/bot", "course/env/bin/python"), found);
        assert_eq!(named("bots/bin", "course/env/bin/python"), found);
        // Root can try it with another user, who could change the environment later.
        let owned_by = |id| std::os::unix::fs::chown(course.join("env"), Some(id), None);
        let own = rustix::process::geteuid().as_raw();
        if own == 0 && owned_by(61_234).is_ok() {
            assert_eq!(named("course/bot", "course/env/bin/python"), none);
            owned_by(own).unwrap();
        }
        // One other submission is enough.
        for file in ["eve/run", "ann/run", "venv/pyvenv.cfg", "venv/bin/python"] {
            write(&format!("pair/{file}"));
        }
        assert_eq!(named("pair/eve", "pair/venv/bin/python"), none);
        std::fs::remove_file(folder.join("pair/ann/run")).unwrap();
        assert_eq!(named("pair/eve", "pair/venv/bin/python").len(), 2);
        // One that a wrapper starts is known as a player.
        let players = ["pair/ann", "pair/eve"].map(|name| folder.join(name));
        let submissions = Submissions {
            players: &players,
            own: Some(&players[1]),
            ..NONE
        };
        let with =
            |program: &str| runtime_named(&folder.join(program), &folder.join("pair/eve"), submissions);
        assert_eq!(with("pair/venv/bin/python"), none);
        for file in ["elsewhere/pyvenv.cfg", "elsewhere/bin/python"] {
            write(file);
        }
        assert_eq!(with("elsewhere/bin/python").len(), 2);
        let players = [folder.join("elsewhere/cy")];
        let submissions = Submissions {
            players: &players,
            ..NONE
        };
        let python = folder.join("elsewhere/bin/python");
        assert_eq!(
            runtime_named(&python, &folder.join("pair/eve"), submissions),
            none
        );
        assert_eq!(prefixes(&python, true, submissions), none);
        assert_eq!(prefixes(&python, true, NONE).len(), 1);
        // A course with programs of its own.
        for program in ["wrapper/run", "staff/run", "notes/a", "data/a", "inbox/ann/a"] {
            write(&format!("course/{program}"));
        }
        assert_eq!(named("bots/bin", "course/env/bin/python"), found);
    }

    #[test]
    fn programs_are_languages_by_their_names() {
        for name in [
            "python",
            "python3",
            "python3.11",
            "pypy3.10-7.3",
            "node",
            "lua5.4",
        ] {
            assert!(is_language(&Path::new("/x").join(name)), "{name}");
        }
        for name in ["run", "bot.py", "pythonista", "my-node", "3.11", ""] {
            assert!(!is_language(&Path::new("/x").join(name)), "{name}");
        }
    }

    #[test]
    fn prefix_needs_an_installed_language() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().canonicalize().unwrap();
        std::fs::create_dir(folder.join("bin")).unwrap();
        let program = folder.join("bin/python3");
        std::os::unix::fs::symlink("/bin/sh", &program).unwrap();
        assert_eq!(prefixes(&program, true, NONE), Vec::<PathBuf>::new());
        std::fs::write(folder.join("pyvenv.cfg"), "").unwrap();
        assert_eq!(prefixes(&program, true, NONE), std::slice::from_ref(&folder));
        assert_eq!(
            prefixes(Path::new("/usr/bin/env"), true, NONE),
            Vec::<PathBuf>::new()
        );

        std::fs::create_dir_all(folder.join(".pyenv/shims")).unwrap();
        let shim = folder.join(".pyenv/shims/python3");
        std::fs::write(&shim, "").unwrap();
        assert_eq!(prefixes(&shim, true, NONE), Vec::<PathBuf>::new());
        std::fs::create_dir(folder.join(".pyenv/versions")).unwrap();
        assert_eq!(prefixes(&shim, true, NONE), [folder.join(".pyenv")]);
    }
}
