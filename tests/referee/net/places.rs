//! What enters or leaves: each option of each command that names a file or a folder, the settings of players that do, and
//! the same options in a file of `--config`.

use std::any::TypeId;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use clap::{Arg, CommandFactory, ValueHint};
use referee::Cli;
use referee_core::settings;

use crate::support::Scene;

/// What a command does with the path of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Reads a text file, of which this is a right one.
    Reads(&'static str),
    /// Reads a file that is no text.
    ReadsBytes(&'static str),
    /// Writes a file.
    Writes,
    /// Adds to a file, which may have lines of its own kind.
    Appends,
    /// Adds to any file.
    AddsToAny,
    /// Reads a folder, of which this is a right one.
    ReadsFolder(&'static str),
    /// Writes files into a folder.
    WritesFolder,
    /// Makes a folder.
    MakesFolder,
    /// Starts a program, of which this is a right one.
    Starts(&'static str),
}

/// What the commands do with the path of each option. One with a command before it is of this command alone.
const WAYS: [(&str, Way); 36] = [
    ("adapt file", Way::Reads("adapt.toml")),
    ("analyze files", Way::Reads("games.jsonl")),
    ("check out", Way::WritesFolder),
    ("collect folder", Way::WritesFolder),
    ("collect inbox", Way::ReadsFolder("subs")),
    ("config", Way::Reads("config.toml")),
    ("csv", Way::Writes),
    ("embed_engine", Way::ReadsBytes("engine.wasm")),
    ("faults", Way::WritesFolder),
    ("feedback", Way::WritesFolder),
    ("grade folder", Way::ReadsFolder("subs")),
    ("grade out", Way::WritesFolder),
    ("grade results", Way::Writes),
    ("grade rubric", Way::Reads("rubric.toml")),
    ("html", Way::Writes),
    ("ladder folder", Way::ReadsFolder("subs")),
    ("ladder config", Way::Reads("ladder.toml")),
    ("tune config", Way::Reads("ladder.toml")),
    ("log", Way::Appends),
    ("new-bot folder", Way::MakesFolder),
    ("new-rules folder", Way::MakesFolder),
    ("openings", Way::Reads("book.txt")),
    ("out", Way::Appends),
    ("openings out", Way::Writes),
    ("pgn", Way::Writes),
    ("plot", Way::Writes),
    ("report faults", Way::ReadsFolder("faults")),
    ("report files", Way::Reads("games.jsonl")),
    ("rules", Way::Starts("rules")),
    ("sandbox_read", Way::ReadsFolder("subs")),
    ("save_config", Way::Writes),
    ("serve results", Way::WritesFolder),
    ("show file", Way::Reads("games.jsonl")),
    ("submissions", Way::Reads("players.toml")),
    ("verify files", Way::Reads("games.jsonl")),
    ("wrapper", Way::ReadsFolder("wrapper")),
];

/// What is done with the path of each setting of players.
const SETTINGS: [(&str, Way); 5] = [
    ("cmd", Way::Starts("program")),
    ("dir", Way::ReadsFolder("subs/ada")),
    ("wrapper", Way::ReadsFolder("wrapper")),
    ("sandbox-read", Way::ReadsFolder("subs")),
    ("stderr", Way::AddsToAny),
];

/// The values of settings that are paths, as the help writes them.
const PATHS: [&str; 4] = ["PROGRAM", "FOLDER", "FILE", "DIR"];

/// The settings of players that name a file or a folder.
fn settings() -> impl Iterator<Item = &'static str> {
    let paths = settings::SETTINGS
        .iter()
        .filter(|setting| PATHS.iter().any(|path| setting.value.starts_with(path)));
    paths.map(|setting| setting.key)
}

/// How a path is given.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Form {
    /// As a word without an option.
    Word,
    /// As an option of this name.
    Option(String),
    /// As a setting of a player.
    Setting(&'static str),
    /// As an option in the file of `--config`.
    Toml(String),
}

/// Another spelling of the result file that a command writes, too.
pub const OUT_BY_ANOTHER_SPELLING: &str = "./subs/../l.jsonl";

/// The commands whose places are in the net.
pub const COMMANDS: [&str; 13] = [
    "match", "ladder", "tune", "check", "openings", "report", "show", "verify", "analyze", "grade",
    "collect", "play", "serve",
];

/// The Python package, and its functions that read result files.
pub const PYTHON: &str = "python";
pub const PYTHON_READS: [&str; 2] = ["read", "ratings"];

/// A command line that works, without the option `id`.
pub fn base(command: &str, id: &str) -> String {
    let line = match (command, id) {
        ("match", "wrapper") => "match random --engines subs --games 1 --each depth=1 --max-plies 2 --quiet",
        ("match", "sandbox_read") => {
            "match random random --games 1 --each depth=1 --max-plies 2 --quiet --sandbox"
        }
        ("match", _) => "match random random --games 1 --each depth=1 --max-plies 2 --quiet",
        ("ladder", "out") => "ladder subs --games 1 --each depth=1 --max-plies 2 --sandbox=off --quiet",
        ("ladder", _) => {
            "ladder subs --games 1 --each depth=1 --max-plies 2 --sandbox=off --quiet --out l.jsonl"
        }
        ("tune", _) => {
            "tune lodestone --param MultiPV=2,1,5,1 --iterations 1 --each depth=1 --max-plies 2 --quiet"
        }
        ("check", "out") => "check --only handshake subs",
        ("check", "wrapper") => "check --only handshake subs/ada",
        ("check", _) => "check --only handshake subs/ada/run",
        ("openings", "rules") => "openings --count 1 --plies 2 --engine cmd=mcts nodes=1",
        ("openings", _) => "openings --count 1 --plies 2 --engine depth=1",
        ("report", _) => "report games.jsonl",
        ("show", _) => "show games.jsonl --game 1",
        ("verify", _) => "verify games.jsonl",
        ("analyze", _) => "analyze games.jsonl --game 1 --engine depth=1",
        ("grade", "results") => "grade rubric.toml subs/ada",
        ("grade", "out") => "grade rubric.toml subs",
        ("grade", _) => "grade rubric.toml subs --out grades",
        ("collect", "folder") => "collect subs",
        ("collect", _) => "collect subs collected",
        ("play", "sandbox_read") => "play --first random --second random --sandbox",
        ("play", _) => "play --first random --second random",
        (PYTHON, _) => "games.jsonl",
        ("serve", "wrapper") => "serve --engines subs",
        ("serve", "sandbox_read") => "serve --sandbox",
        ("new-bot", "rules") => "new-bot python made",
        ("new-bot", _) => "new-bot python",
        (command, _) => command,
    };
    line.to_string()
}

/// The file that a base line reads, if it reads one.
pub fn input_of(command: &str) -> Option<&'static str> {
    ["report", "show", "verify", "analyze"]
        .contains(&command)
        .then_some("games.jsonl")
}

/// An option of a command that names a file or a folder.
#[derive(Clone, Debug)]
pub struct Place {
    pub command: String,
    pub id: String,
    form: Form,
    pub way: Way,
}

impl Place {
    pub fn name(&self) -> String {
        if self.is_toml() {
            format!("{} {} of a file", self.command, self.id)
        } else {
            format!("{} {}", self.command, self.id)
        }
    }

    /// The option as messages write it.
    pub fn option(&self) -> String {
        match &self.form {
            Form::Option(long) | Form::Toml(long) => format!("--{long}"),
            Form::Setting(key) => (*key).to_string(),
            Form::Word => String::new(),
        }
    }

    /// Whether the path is in the file of `--config`, where only its spelling is another one.
    pub fn is_toml(&self) -> bool {
        matches!(self.form, Form::Toml(_))
    }

    /// The words of the command line with this path, and the files that belong to them.
    pub fn words(&self, scene: &Scene, path: &str) -> Vec<String> {
        let line = base(&self.command, &self.id);
        let mut words: Vec<String> = line.split(' ').map(String::from).collect();
        let is_sample = |word: &String| Path::new(word.as_str()) == Path::new(self.sample().unwrap_or(""));
        if path == OUT_BY_ANOTHER_SPELLING && self.command != "ladder" {
            words.push("--out=l.jsonl".into());
        }
        match &self.form {
            // The file of the base line is another one.
            Form::Word => match words.iter().position(is_sample) {
                Some(place) => words[place] = as_word(path),
                None => words.push(as_word(path)),
            },
            Form::Setting(key) => {
                let program = std::fs::canonicalize(scene.path("subs/ada/run")).unwrap();
                let program = program.display().to_string();
                let program = match *key {
                    "cmd" => path,
                    "wrapper" => "subs/ada",
                    _ => &program,
                };
                let mut settings = vec![format!("cmd={program}"), "name=a".into()];
                settings.extend((*key != "cmd").then(|| format!("{key}={path}")));
                settings.extend((*key == "sandbox-read").then(|| "sandbox=on".into()));
                let others = ["--engine", "cmd=random", "--engine"].map(String::from);
                words.splice(1..3, others.into_iter().chain(settings));
            }
            Form::Toml(long) => {
                let text = serde_json::to_string(path).unwrap();
                scene.file("net.toml", &format!("{long} = {text}\n"));
                words.push("--config=net.toml".into());
            }
            Form::Option(long) => {
                // Without it, the option has nothing to do.
                if self.id == "embed_engine" {
                    words.push("--html=embedding.html".into());
                }
                words.insert(1, format!("--{long}={path}"));
            }
        }
        words
    }

    /// A right file or folder.
    pub fn sample(&self) -> Option<&'static str> {
        match self.way {
            Way::Reads(sample) | Way::ReadsBytes(sample) | Way::ReadsFolder(sample) | Way::Starts(sample) => {
                Some(sample)
            }
            _ => None,
        }
    }
}

/// Whether an option names files or folders.
fn is_path(option: &Arg) -> bool {
    let hint = option.get_value_hint();
    option.get_value_parser().type_id() == TypeId::of::<PathBuf>()
        || matches!(
            hint,
            ValueHint::AnyPath | ValueHint::FilePath | ValueHint::DirPath
        )
}

/// All places of the command line.
///
/// # Panics
/// Nobody has said what is done with the path of an option.
pub fn places() -> Vec<Place> {
    let mut definition = Cli::command();
    definition.build();
    let commands = definition
        .get_subcommands()
        .filter(|command| !command.is_hide_set());
    let mut places = Vec::new();
    for command in commands.filter(|command| command.get_name() != "help") {
        for option in command.get_arguments().filter(|option| is_path(option)) {
            let (name, id) = (command.get_name(), option.get_id().as_str());
            let find = |wanted: &str| WAYS.iter().find(|(known, _)| *known == wanted);
            let way = find(&format!("{name} {id}")).or_else(|| find(id));
            let (_, way) = way.unwrap_or_else(|| panic!("add `{name} {id}` to WAYS"));
            let place = |form| Place {
                command: name.into(),
                id: id.into(),
                form,
                way: *way,
            };
            places.push(place(
                option
                    .get_long()
                    .map_or(Form::Word, |long| Form::Option(long.into())),
            ));
            if let Some(long) = option
                .get_long()
                .filter(|long| name == "match" && *long != "config" && *long != "save-config")
            {
                places.push(place(Form::Toml(long.into())));
            }
        }
    }
    places.extend(PYTHON_READS.map(|function| Place {
        command: PYTHON.into(),
        id: function.into(),
        form: Form::Word,
        way: Way::Reads("games.jsonl"),
    }));
    for key in settings() {
        let way = SETTINGS.iter().find(|(known, _)| *known == key);
        let (_, way) = way.unwrap_or_else(|| panic!("add `{key}` to SETTINGS"));
        places.push(Place {
            command: "match".into(),
            id: format!("{key}="),
            form: Form::Setting(key),
            way: *way,
        });
    }
    places
}

/// The result file that commands read.
static GAMES: LazyLock<String> = LazyLock::new(|| {
    let scene = Scene::new();
    let line = "match random random --games 2 --each depth=1 --max-plies 4 --quiet --out games.jsonl";
    scene.referee(line).exits(0);
    scene.text("games.jsonl")
});

/// What submissions are graded on.
const RUBRIC: &str = r#"
[match]
sandbox = "off"
max-plies = 2

[match.each]
depth = 1

[fitness]
points = 1
only = ["startpos"]

[[opponent]]
cmd = "random"
games = 2
points = 1

[faults]
points = 1
each = 1
"#;

/// A script that is this built-in engine.
fn script(engine: &str) -> String {
    let referee = env!("CARGO_BIN_EXE_referee");
    format!("#!/bin/sh\nexec '{referee}' builtin {engine}\n")
}

/// A folder with right files and folders.
pub fn scene() -> Scene {
    let scene = Scene::new();
    scene.file("games.jsonl", &GAMES);
    scene.file("config.toml", "seed = 3\n\n[each]\ndepth = 1\n");
    scene.file("ladder.toml", "seed = 3\n");
    scene.file("rubric.toml", RUBRIC);
    scene.file(
        "players.toml",
        "[[engine]]\ncmd = \"random\"\nname = \"another\"\n",
    );
    scene.file("book.txt", "startpos moves a1\nstartpos moves h1\n");
    scene.file("adapt.toml", "program = \"cat\"\n");
    scene.file("engine.wasm", "\0asm\u{1}\0\0\0");
    for name in ["subs/ada", "subs/ben", "wrapper"] {
        scene.folder(name);
        scene.script(&format!("{name}/run"), &script("random"));
    }
    scene.script("program", &script("random"));
    scene.script("rules", &script("lodestone"));
    scene.folder("faults");
    scene
}

/// A path that is no option.
fn as_word(path: &str) -> String {
    if path.starts_with('-') {
        format!("./{path}")
    } else {
        path.to_string()
    }
}
