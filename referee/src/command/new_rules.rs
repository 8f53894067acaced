//! `referee new-rules`: writes a small game to change, in Python with a bot for it, or in Rust.

use std::path::{MAIN_SEPARATOR, Path};

use referee_core::failure::Failure;
use referee_core::io::text;
use referee_core::system::files::{PYTHON, STARTS_SCRIPTS};

use super::new_bot::{
    EXAMPLE_IMPORT, GAME_FILE, MODULE, as_path, bot_files, module_files, note_missing_tools, write,
};
use super::print;
use crate::bots::templates::{RulesLanguage, Template};
use crate::config::cli::NewRulesArgs;
use crate::embedded;

/// The library in the sources of the repository, and in those of a new game.
const LIBRARY: [&str; 2] = ["use referee_rules::", "use crate::rules::"];

/// The package of a game in Rust. It belongs to no workspace around it.
fn package(name: &str) -> String {
    format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n")
}

/// The name of the package of this folder, which becomes that of the game's program.
fn package_name(folder: &Path) -> String {
    let name = folder
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .to_lowercase();
    let is_usable = name.starts_with(|sign: char| sign.is_ascii_lowercase())
        && name.chars().all(|sign| sign.is_ascii_alphanumeric() || "_-".contains(sign))
        // Cargo has folders of these names beside its programs; `core` and `std` are crates.
        && !["deps", "build", "examples", "incremental", "core", "std", "test"].contains(&name.as_str());
    if is_usable { name } else { "game".into() }
}

/// Writes the game and shows the next commands.
pub fn run(args: &NewRulesArgs) -> Result<(), Failure> {
    match args.language {
        RulesLanguage::Python => in_python(args),
        RulesLanguage::Rust => in_rust(args),
    }
}

fn in_rust(args: &NewRulesArgs) -> Result<(), Failure> {
    let name = package_name(&args.folder);
    let of_game = |source: &str| source.replace(LIBRARY[0], LIBRARY[1]);
    let module = format!("#[allow(dead_code)]\nmod rules;\n\n{}", LIBRARY[1]);
    let main = of_game(embedded::EXAMPLE_GAME_IN_RUST).replacen(LIBRARY[1], &module, 1);
    let readme = format!(
        "# A game\n\n\
         `src/main.rs` has the rules. `src/rules.rs` is the library that speaks the protocol; leave it unchanged. The \
         game needs Rust 1.88 or later.\n\n\
         ```\n{}```\n",
        rust_commands(".", &name)
    );
    let files = [
        ("Cargo.toml", package(&name)),
        ("src/main.rs", main),
        ("src/rules.rs", of_game(embedded::RUST_LIBRARY)),
        ("README.md", readme),
    ];
    let files: Vec<_> = files
        .into_iter()
        .map(|(name, text)| (name.into(), text, false))
        .collect();
    write(&args.folder, &files)?;
    let shown_folder = as_path(&args.folder);
    let steps = format!(
        "Wrote a game to {shown_folder}: src/main.rs with the rules, src/rules.rs for the protocol, Cargo.toml and \
         README.md.\n\
         Change the rules in src/main.rs.\n\
         \n{}",
        rust_commands(&shown_folder, &name)
    );
    print(&steps)
}

/// The next commands for a game in Rust.
fn rust_commands(folder: &str, name: &str) -> String {
    let inside = |name: &str| text::quoted(&format!("{folder}{MAIN_SEPARATOR}{name}"));
    let program = [
        "target",
        "release",
        &format!("{name}{}", std::env::consts::EXE_SUFFIX),
    ];
    let game = inside(&program.join(std::path::MAIN_SEPARATOR_STR));
    format!(
        "Compile the rules:\n\
         \x20 cargo build --release --manifest-path {}\n\
         Check them:\n\
         \x20 referee rules {game}\n\
         Play ten games:\n\
         \x20 referee match random mcts --each st=0.1 --games 10 --rules {game}\n",
        inside("Cargo.toml")
    )
}

fn in_python(args: &NewRulesArgs) -> Result<(), Failure> {
    let python = Template::read("python").map_err(Failure::Usage)?;
    let (script, _) = python.script();
    let source = embedded::EXAMPLE_GAME_BOT.replace(EXAMPLE_IMPORT, "from game import Game\n");
    let readme = format!(
        "# A game\n\n\
         `{GAME_FILE}` has the rules, and `bot.py` is a bot that imports them; `{script}` starts it. \
         The folder `{MODULE}` is the Python package that speaks the protocol; leave it unchanged.\n\n\
         ```\n{}```\n",
        commands(".", script)
    );
    let mut others = vec![
        (GAME_FILE.to_string(), embedded::EXAMPLE_GAME.to_string(), true),
        ("README.md".to_string(), readme, false),
    ];
    others.extend(module_files());
    write(&args.folder, &bot_files(python, source, others))?;
    note_missing_tools(python);
    let shown_folder = as_path(&args.folder);
    let steps = format!(
        "Wrote a game to {shown_folder}: {GAME_FILE} with the rules, {MODULE} for the protocol, bot.py and \
         its script {script}, and README.md.\n\
         Change the rules in {GAME_FILE}, and `choose` in bot.py.\n\
         \n{}",
        commands(&shown_folder, script)
    );
    print(&steps)
}

/// The next commands. The script of the bot has a name of its own in its folder.
fn commands(folder: &str, script: &str) -> String {
    let inside = |name: &str| text::quoted(&format!("{folder}{MAIN_SEPARATOR}{name}"));
    let bot = if folder == "." {
        inside(script)
    } else {
        text::quoted(folder)
    };
    let mut game = inside(GAME_FILE);
    if !STARTS_SCRIPTS {
        game = format!("cmd={PYTHON} {}", text::quoted(&format!("args={game}")));
    }
    format!(
        "Check the rules:\n\
         \x20 referee rules {game}\n\
         Check the bot:\n\
         \x20 referee check --rules {game} {bot}\n\
         Play ten games:\n\
         \x20 referee match {bot} random --each st=0.5 --games 10 --rules {game}\n"
    )
}
