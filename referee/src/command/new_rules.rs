//! `referee new-rules`: writes a small game in Python and a bot for it, to change.

use std::path::MAIN_SEPARATOR;

use referee_core::failure::Failure;
use referee_core::io::text;
use referee_core::system::files::{PYTHON, STARTS_SCRIPTS};

use super::new_bot::{
    EXAMPLE_IMPORT, GAME_FILE, MODULE, as_path, bot_files, module_files, note_missing_tools, write,
};
use super::print;
use crate::bots::templates::Template;
use crate::config::cli::NewRulesArgs;
use crate::embedded;

/// Writes the game and shows the next commands.
pub fn run(args: &NewRulesArgs) -> Result<(), Failure> {
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
