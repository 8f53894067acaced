//! What goes wrong with a file or a folder, or around a command.

use std::fs::{self, File, Permissions};
use std::os::unix::fs::{FileExt, PermissionsExt, symlink};
use std::process::Command;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use referee_core::io::files::Target;

use super::places::{COMMANDS, OUT_BY_ANOTHER_SPELLING, PYTHON, Place, Way, input_of, scene};
use crate::support::Scene;

/// What has to happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// The command does what it was asked.
    Works,
    /// The command ends before its first game, and changes nothing.
    Refused,
    /// The output fails, at the latest at the end.
    Fails,
    /// The command ends as if all had been read, and says nothing.
    Silent,
    /// The command does what it can, and says what is unusual.
    Said,
    /// The command ends, whatever it has found.
    Ends,
}

use Expected::{Ends, Fails, Refused, Said, Silent, Works};

/// What goes wrong with the file or folder of an option.
pub struct Trouble {
    pub name: &'static str,
    /// Whether the command runs as somebody who owns nothing, because root may do everything.
    pub is_of_nobody: bool,
    /// Whether only the name of the path is unusual.
    is_name: bool,
    /// What has to happen; `None` where it means nothing.
    expected: fn(&Place) -> Option<Expected>,
    /// Makes the trouble, and returns the path.
    make: fn(&Scene, &Place) -> String,
}

impl Trouble {
    pub fn is_large(&self) -> bool {
        self.name == LARGE
    }

    pub fn expected(&self, place: &Place) -> Option<Expected> {
        let is_python = place.command == PYTHON;
        let is_here = COMMANDS.contains(&place.command.as_str())
            || place.command == "new-bot"
            || is_python && *HAS_PYTHON;
        // What it reads is a program's description, which works only with the program.
        let is_adapter = place.command == "adapt";
        let is_meant = |expected: &Expected| !is_adapter || *expected == Refused;
        if !is_here && !is_adapter && place.way != Way::MakesFolder {
            return None;
        }
        if let Way::Starts(_) = place.way {
            let is_right = self.is_name || self.name == "a link";
            // Games of a file, and these players, are of another game.
            let is_named = ["report", "show", "analyze", "check", "tune"].contains(&&*place.command);
            let expected = if is_right { Works } else { Refused };
            let is_cell = is_right && !is_named || PROGRAMS.contains(&self.name);
            return when(is_cell, expected).filter(is_meant);
        }
        if place.is_toml() && !self.is_name {
            return None;
        }
        let expected = (self.expected)(place).filter(is_meant);
        let needs_sandbox = place.id.starts_with("sandbox") && expected != Some(Refused);
        // The lines of the other commands have no sandbox.
        let has_line = ["match", "play", "serve"].contains(&&*place.command) && place.id == "sandbox_read";
        expected.filter(|_| !needs_sandbox || has_line && *HAS_SANDBOX)
    }
}

/// Whether there is a Python that reads results.
static HAS_PYTHON: LazyLock<bool> = LazyLock::new(|| {
    let is_new = "import sys; sys.exit(sys.version_info < (3, 9))";
    let status = Command::new("python3").args(["-c", is_new]).status();
    status.is_ok_and(|status| status.success())
});

/// Whether the kernel has a sandbox.
static HAS_SANDBOX: LazyLock<bool> = LazyLock::new(|| {
    let line = "match random random --games 1 --each depth=1 --max-plies 2 --quiet --sandbox";
    scene().referee(line).status == Some(0)
});

/// A folder in which a trouble has been made.
pub struct Cell {
    is_changing: bool,
    pub scene: Scene,
    pub path: String,
    /// Locked until the end of the cell.
    _held: Option<(File, Target)>,
}

impl Cell {
    pub fn new(place: &Place, trouble: &Trouble) -> Cell {
        let scene = scene();
        let path = (trouble.make)(&scene, place);
        if trouble.is_of_nobody {
            fs::set_permissions(scene.path(""), Permissions::from_mode(0o777)).unwrap();
        }
        let held = (trouble.name == IN_USE).then(|| {
            let file = File::open(scene.path(&path)).unwrap();
            file.try_lock().unwrap();
            (file, Target::open(&scene.path(&path), |_| Ok(())).unwrap())
        });
        Cell {
            scene,
            path,
            is_changing: trouble.name == CHANGES,
            _held: held,
        }
    }

    /// Does something, while the file changes if this is the trouble: it is cut, and written again.
    pub fn changing<T>(&self, run: impl FnOnce() -> T) -> T {
        let path = self.scene.path(&self.path);
        let file = self.is_changing.then(|| {
            let content = fs::read(&path).unwrap();
            (File::options().write(true).open(&path).unwrap(), content)
        });
        let is_done = AtomicBool::new(false);
        thread::scope(|scope| {
            if let Some((file, content)) = &file {
                scope.spawn(|| {
                    while !is_done.load(Ordering::Relaxed) {
                        file.set_len(content.len() as u64 / 2).unwrap();
                        file.write_all_at(content, 0).unwrap();
                    }
                });
            }
            let result = run();
            is_done.store(true, Ordering::Relaxed);
            result
        })
    }
}

/// The troubles with a program.
const PROGRAMS: [&str; 7] = [
    "missing",
    "a folder",
    "a link to nothing, to read",
    "a link to itself",
    "a device, to read",
    "another file, to write",
    "a file as a folder",
];

const CHANGES: &str = "changes while it is read";

const LARGE: &str = "100 MB";

const IN_USE: &str = "two runs at the same time";

/// What is read: in a text file, of any kind, in a folder.
const fn reads_text(place: &Place) -> bool {
    matches!(place.way, Way::Reads(_))
}

const fn reads_file(place: &Place) -> bool {
    matches!(place.way, Way::Reads(_) | Way::ReadsBytes(_))
}

const fn writes_file(place: &Place) -> bool {
    matches!(place.way, Way::Writes | Way::Appends | Way::AddsToAny)
}

const fn writes_folder(place: &Place) -> bool {
    matches!(place.way, Way::WritesFolder | Way::MakesFolder)
}

/// A word where something holds.
fn when(holds: bool, expected: Expected) -> Option<Expected> {
    holds.then_some(expected)
}

/// The sample under this name with its ending; for an output, the name alone.
fn named(scene: &Scene, place: &Place, name: &str) -> String {
    let Some(sample) = place.sample() else {
        return name.into();
    };
    let name = with_ending(sample, name);
    let mut copy = Command::new("cp");
    copy.arg("-R")
        .args(["--", sample, &format!("./{name}")])
        .current_dir(scene.path(""));
    assert!(copy.status().unwrap().success(), "{sample} {name}");
    name
}

/// A name with the ending of the sample, which may say what the file is.
fn with_ending(sample: &str, name: &str) -> String {
    match sample.split_once('.') {
        Some((_, ending)) => format!("{name}.{ending}"),
        None => name.into(),
    }
}

/// A folder with two submissions of these names.
fn twins(scene: &Scene, names: [&str; 2]) -> String {
    for name in names {
        scene.folder(&format!("twins/{name}"));
        fs::copy(
            scene.path("subs/ada/run"),
            scene.path(&format!("twins/{name}/run")),
        )
        .unwrap();
    }
    "twins".into()
}

/// Whether these are submissions of several people.
fn are_submissions(place: &Place) -> bool {
    place.id == "submissions" || ["ladder folder", "grade folder", "collect inbox"].contains(&&*place.name())
}

/// The sample with other bytes.
fn changed(scene: &Scene, place: &Place, change: impl Fn(Vec<u8>) -> Vec<u8>) -> String {
    let sample = place.sample().unwrap();
    let bytes = fs::read(scene.path(sample)).unwrap();
    let name = with_ending(sample, "changed");
    fs::write(scene.path(&name), change(bytes)).unwrap();
    name
}

/// A path with this name.
const fn name(name: &'static str, make: fn(&Scene, &Place) -> String) -> Trouble {
    Trouble {
        name,
        is_of_nobody: false,
        is_name: true,
        expected: |_| Some(Works),
        make,
    }
}

/// A trouble of an ordinary user.
const fn row(
    name: &'static str,
    expected: fn(&Place) -> Option<Expected>,
    make: fn(&Scene, &Place) -> String,
) -> Trouble {
    Trouble {
        name,
        is_of_nobody: false,
        is_name: false,
        expected,
        make,
    }
}

pub static TROUBLES: [Trouble; 39] = [
    row(
        "byte order mark",
        |place| when(reads_text(place), Works),
        |scene, place| changed(scene, place, |bytes| [b"\xef\xbb\xbf".to_vec(), bytes].concat()),
    ),
    row(
        "CRLF",
        |place| when(reads_text(place), Works),
        |scene, place| {
            changed(scene, place, |bytes| {
                String::from_utf8(bytes).unwrap().replace('\n', "\r\n").into()
            })
        },
    ),
    row(
        "no final newline",
        |place| when(reads_text(place), Works),
        |scene, place| changed(scene, place, |bytes| bytes.trim_ascii_end().to_vec()),
    ),
    row(
        "UTF-16",
        |place| when(reads_text(place), Refused),
        |scene, place| {
            changed(scene, place, |bytes| {
                let units = String::from_utf8(bytes).unwrap();
                let units = std::iter::once(0xfeff).chain(units.encode_utf16());
                units.flat_map(u16::to_le_bytes).collect()
            })
        },
    ),
    row(
        "not UTF-8",
        |place| when(reads_text(place), Refused),
        |scene, place| changed(scene, place, |bytes| [b"\xffx\xfe\n".to_vec(), bytes].concat()),
    ),
    row(
        "empty",
        // An empty TOML file has no options, and a program can see that there are no games.
        |place| {
            when(
                reads_file(place),
                if place.id == "config" || place.command == PYTHON && place.id == "read" {
                    Works
                } else {
                    Refused
                },
            )
        },
        |scene, place| changed(scene, place, |_| Vec::new()),
    ),
    row(
        "the file of another command",
        |place| when(reads_file(place), Refused),
        |_, place| {
            if place.sample() == Some("games.jsonl") {
                "players.toml"
            } else {
                "games.jsonl"
            }
            .into()
        },
    ),
    row(
        "missing",
        |place| {
            when(
                reads_file(place) || matches!(place.way, Way::ReadsFolder(_)),
                Refused,
            )
        },
        |_, _| "missing".into(),
    ),
    row(
        "a folder",
        |place| {
            when(
                reads_file(place) && place.id != "submissions" || writes_file(place),
                Refused,
            )
        },
        |scene, _| {
            scene.folder("folder");
            "folder".into()
        },
    ),
    row(
        "a link",
        |place| when(place.sample().is_some(), Works),
        |scene, place| {
            let sample = place.sample().unwrap();
            let name = with_ending(sample, "link");
            symlink(sample, scene.path(&name)).unwrap();
            name
        },
    ),
    row(
        "a link to nothing, to read",
        |place| when(place.sample().is_some(), Refused),
        |scene, _| {
            symlink("nothing", scene.path("dangling")).unwrap();
            "dangling".into()
        },
    ),
    row(
        "a link to itself",
        |place| when(place.way != Way::MakesFolder, Refused),
        |scene, _| {
            symlink("circle", scene.path("circle")).unwrap();
            "circle".into()
        },
    ),
    row(
        "a pipe, to read",
        |place| when(reads_file(place), Refused),
        |scene, _| {
            let mode = rustix::fs::Mode::from_bits_retain(0o600);
            rustix::fs::mkfifoat(rustix::fs::CWD, scene.path("pipe"), mode).unwrap();
            "pipe".into()
        },
    ),
    row(
        "a device, to read",
        |place| when(reads_file(place), Refused),
        |_, _| "/dev/null".into(),
    ),
    Trouble {
        name: "unreadable",
        is_of_nobody: true,
        is_name: false,
        expected: |place| when(reads_file(place), Refused),
        make: |scene, place| {
            let path = changed(scene, place, |bytes| bytes);
            fs::set_permissions(scene.path(&path), Permissions::from_mode(0o000)).unwrap();
            path
        },
    },
    Trouble {
        name: "read-only folder",
        is_of_nobody: true,
        is_name: false,
        expected: |place| when(writes_file(place) || writes_folder(place), Refused),
        make: |scene, _| {
            scene.folder("closed");
            fs::set_permissions(scene.path("closed"), Permissions::from_mode(0o555)).unwrap();
            "closed/new".into()
        },
    },
    row(
        "missing folder",
        |place| when(writes_file(place), Refused),
        |_, _| "missing/new".into(),
    ),
    row(
        "a file as a folder",
        |_| Some(Refused),
        |_, _| "book.txt/new".into(),
    ),
    row(
        "full disk",
        |place| when(writes_file(place) && place.way != Way::AddsToAny, Fails),
        |_, _| "/dev/full".into(),
    ),
    row(
        "existing and empty",
        |place| when(writes_file(place) && place.id != "save_config", Works),
        |scene, _| {
            scene.file("empty", "");
            "empty".into()
        },
    ),
    row(
        "another file, to write",
        |place| when(writes_file(place) && place.way != Way::AddsToAny, Refused),
        |scene, _| {
            scene.file("notes", "Do not lose me.\n");
            "notes".into()
        },
    ),
    row(
        "the program of a bot, to write",
        |place| when(writes_file(place), Refused),
        |_, _| "subs/ada/run".into(),
    ),
    row(
        "a file instead of a folder",
        |place| {
            when(
                writes_folder(place) || matches!(place.way, Way::ReadsFolder(_)),
                Refused,
            )
        },
        |_, _| "book.txt".into(),
    ),
    row(
        "the input by another spelling",
        |place| when(writes_file(place) && input_of(&place.command).is_some(), Refused),
        |_, place| format!("./subs/../{}", input_of(&place.command).unwrap_or_default()),
    ),
    row(
        "another output by another spelling",
        |place| {
            let has_results = ["match", "ladder", "tune"].contains(&place.command.as_str());
            when(has_results && place.id != "out" && writes_file(place), Refused)
        },
        |_, _| OUT_BY_ANOTHER_SPELLING.into(),
    ),
    row(
        "the input by a link",
        |place| when(writes_file(place) && input_of(&place.command).is_some(), Refused),
        |scene, place| {
            symlink(input_of(&place.command).unwrap(), scene.path("alias")).unwrap();
            "alias".into()
        },
    ),
    row(
        IN_USE,
        |place| {
            let is_locked = place.id != "save_config" && place.way != Way::AddsToAny;
            when(writes_file(place) && is_locked, Refused)
        },
        |scene, _| {
            scene.file("held", "");
            "held".into()
        },
    ),
    row(
        CHANGES,
        |place| when(reads_file(place), Ends),
        |scene, place| changed(scene, place, |bytes| bytes),
    ),
    row(
        LARGE,
        |place| when(reads_file(place), Refused),
        |scene, place| {
            let path = changed(scene, place, |bytes| bytes);
            let file = File::options().write(true).open(scene.path(&path)).unwrap();
            file.set_len(100 << 20).unwrap();
            path
        },
    ),
    row(
        "names that differ only in case",
        |place| when(are_submissions(place), Said),
        |scene, _| twins(scene, ["ada", "Ada"]),
    ),
    row(
        "names that differ only in blanks",
        |place| when(are_submissions(place), Said),
        |scene, _| twins(scene, ["ada", "ada "]),
    ),
    row(
        "names that differ only in Unicode form",
        |place| when(are_submissions(place), Said),
        |scene, _| twins(scene, ["Zo\u{eb}", "Zoe\u{308}"]),
    ),
    name("blank", |scene, place| named(scene, place, "a b")),
    name("quote", |scene, place| named(scene, place, "it's \"a\"")),
    name("percent", |scene, place| named(scene, place, "100%s%20")),
    name("umlaut", |scene, place| named(scene, place, "Eröffnung")),
    name("leading dash", |scene, place| named(scene, place, "-a")),
    name("equals sign", |scene, place| named(scene, place, "a=b")),
    name("long", |scene, place| named(scene, place, &"n".repeat(200))),
];

/// What is around a command.
pub struct Surroundings {
    pub name: &'static str,
    /// A shell script whose arguments are the command.
    pub script: &'static str,
    /// What has to happen to a command; `None` where it means nothing.
    pub expected: fn(&str) -> Option<Expected>,
}

/// The commands whose output is all that they do.
const PRINTING: [&str; 4] = ["report", "show", "verify", "openings"];

// Others mean nothing for some commands.
#[allow(clippy::unnecessary_wraps)]
fn works(_: &str) -> Option<Expected> {
    Some(Works)
}

pub static SURROUNDINGS: [Surroundings; 11] = [
    Surroundings {
        name: "no HOME",
        script: "unset HOME; exec \"$@\"",
        expected: works,
    },
    Surroundings {
        name: "no folder for temporary files",
        script: "TMPDIR=$PWD/missing exec \"$@\"",
        expected: |command| {
            let needs = ["serve", "grade"].contains(&command);
            Some(if needs { Fails } else { Works })
        },
    },
    Surroundings {
        name: "LC_ALL=C",
        script: "LC_ALL=C exec \"$@\"",
        expected: works,
    },
    Surroundings {
        name: "closed standard error",
        script: "exec \"$@\" 2>&-",
        expected: works,
    },
    Surroundings {
        name: "closed standard input",
        script: "exec \"$@\" <&-",
        expected: works,
    },
    Surroundings {
        name: "full standard output",
        script: "exec \"$@\" > /dev/full",
        // A server goes on without its address, and grades are files.
        expected: |command| when(!["serve", "grade"].contains(&command), Fails),
    },
    Surroundings {
        name: "a reader that has ended",
        // The pipe of a program that has ended before the first line comes.
        script: "mkfifo p; true < p & exec 3> p; wait; \"$@\" >&3; s=$?; rm p; exit $s",
        expected: |command| when(PRINTING.contains(&command), Silent),
    },
    Surroundings {
        name: "deleted working directory",
        script: "mkdir gone; cd gone; rmdir ../gone; exec \"$@\"",
        expected: |command| {
            let others = ["analyze", "ladder", "check", "grade", "collect", "serve"];
            let reads = PRINTING[..3].contains(&command) || others.contains(&command);
            Some(if reads { Refused } else { Works })
        },
    },
    Surroundings {
        name: "another time zone",
        script: "TZ=XXX-14 exec \"$@\"",
        expected: works,
    },
    Surroundings {
        name: "standard input that is not UTF-8",
        script: "printf '\\377\\376\\0x\\n' | \"$@\"",
        expected: |command| when(command == "play", Works),
    },
    Surroundings {
        name: "standard input of 100 MB without a line",
        script: "head -c 100000000 /dev/zero | \"$@\"",
        expected: |command| when(command == "play", Works),
    },
];
