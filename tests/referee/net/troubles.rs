//! What goes wrong with a file or a folder, or around a command.

use std::fs::{self, File, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Command;

use referee_core::io::files::Target;

use super::places::{OUT_BY_ANOTHER_SPELLING, Place, Way, input_of, scene};
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
}

use Expected::{Fails, Refused, Silent, Works};

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
    pub fn expected(&self, place: &Place) -> Option<Expected> {
        let is_here = super::places::COMMANDS.contains(&place.command.as_str());
        // What it reads is a program's description, which works only with the program.
        let is_adapter = place.command == "adapt";
        if !is_here && !is_adapter && place.way != Way::MakesFolder {
            return None;
        }
        let is_meant = |expected: &Expected| !is_adapter || *expected == Refused;
        if place.way == Way::Starts {
            return PROGRAMS.contains(&self.name).then_some(Refused);
        }
        if place.is_toml() && !self.is_name {
            return None;
        }
        // A folder for a sandbox, which not every kernel has.
        let expected = (self.expected)(place).filter(is_meant);
        expected.filter(|expected| *expected == Refused || place.id != "sandbox_read")
    }
}

/// A folder in which a trouble has been made.
pub struct Cell {
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
            _held: held,
        }
    }
}

/// The troubles with a program; names and permissions of programs have their own tests.
const PROGRAMS: [&str; 7] = [
    "missing",
    "a folder",
    "a link to nothing, to read",
    "a link to itself",
    "a device, to read",
    "another file, to write",
    "a file as a folder",
];

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

const fn is_somewhere(place: &Place) -> bool {
    !matches!(place.way, Way::Elsewhere)
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
        expected: |place| when(is_somewhere(place), Works),
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

pub static TROUBLES: [Trouble; 34] = [
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
        // An empty TOML file has no options.
        |place| {
            when(
                reads_file(place),
                if place.id == "config" { Works } else { Refused },
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
        |place| when(is_somewhere(place) && place.sample().is_some(), Works),
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
            symlink("nothing", scene.path("link")).unwrap();
            "link".into()
        },
    ),
    row(
        "a link to itself",
        |place| when(is_somewhere(place) && place.way != Way::MakesFolder, Refused),
        |scene, _| {
            symlink("link", scene.path("link")).unwrap();
            "link".into()
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
            fs::set_permissions(scene.path(&path), Permissions::from_mode(0o0)).unwrap();
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
        |place| when(is_somewhere(place), Refused),
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

fn works(_: &str) -> Option<Expected> {
    Some(Works)
}

pub static SURROUNDINGS: [Surroundings; 9] = [
    Surroundings {
        name: "no HOME",
        script: "unset HOME; exec \"$@\"",
        expected: works,
    },
    Surroundings {
        name: "no folder for temporary files",
        script: "TMPDIR=$PWD/missing exec \"$@\"",
        expected: works,
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
        expected: |_| Some(Fails),
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
            let reads = PRINTING[..3].contains(&command) || ["analyze", "ladder", "check"].contains(&command);
            Some(if reads { Refused } else { Works })
        },
    },
    Surroundings {
        name: "another time zone",
        script: "TZ=XXX-14 exec \"$@\"",
        expected: works,
    },
];
