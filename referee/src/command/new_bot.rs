//! `referee new-bot`: writes a bot to start from, in a folder for `--engines`.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fmt::Display;
use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::{Component, MAIN_SEPARATOR, Path, PathBuf};

use referee_core::failure::Failure;
use referee_core::io::files;
use referee_core::io::text;
use referee_core::io::text::ShowPath;
use referee_core::system::files::{is_executable, make_executable, split_words};

use super::print;
use crate::bots::templates::Template;
use crate::config::cli::NewBotArgs;
use crate::config::rules_settings::RulesSettings;
use crate::config::settings::SEPARATOR;
use crate::embedded::{self, ExampleBot};
use crate::terminal::arranged;

/// The import of the rules in [`embedded::EXAMPLE_GAME_BOT`].
pub(super) const EXAMPLE_IMPORT: &str = "from tic_tac_toe import Game\n";

/// The rules of a game in Python, beside a bot.
pub(super) const GAME_FILE: &str = "game.py";

/// The source of a bot in Python.
const BOT_FILE: &str = "bot.py";

/// The folder of the Python module that speaks the protocol.
pub(super) const MODULE: &str = "referee";

/// A file to write: its name, text, and whether it is a program.
pub(super) type NewFile = (String, String, bool);

/// Writes the bot and shows the next commands.
pub fn run(args: &NewBotArgs) -> Result<(), Failure> {
    let (template, folder) = (args.language, args.folder.as_path());
    let rules: Vec<&str> = args
        .rules
        .iter()
        .flat_map(|words| words.split(SEPARATOR))
        .collect();
    if !rules.is_empty() && python_file(&rules)?.is_none() {
        RulesSettings::read(&rules)
            .map_err(|why| Failure::Usage(format!("--rules: {why}")))?
            .spec()?;
    }
    let files = bot(template, &rules, args.single_file)?;
    write(folder, &files)?;
    if files.iter().any(|(name, ..)| name == GAME_FILE)
        && let Some((file, _)) = python_file(&rules)?
    {
        note_imports(&file);
    }
    note_missing_tools(template);
    let steps = next_steps(template, folder, &rules, &files);
    print(&steps)
}

/// Prints a note about the tools of a bot that are not installed.
pub(super) fn note_missing_tools(template: &Template) {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<_> = std::env::split_paths(&path).collect();
    let missing = template.missing_tools(&folders);
    if !missing.is_empty() {
        let missing: Vec<String> = missing.iter().map(|tool| format!("`{tool}`")).collect();
        let (verb, tools) = (
            if missing.len() == 1 { "is" } else { "are" },
            missing.join(" and "),
        );
        note(&format!(
            "{tools} {verb} not installed here; the bot needs {}",
            template.requirement
        ));
    }
}

/// The files of a bot, for the game of a rules program if these words name one.
fn bot(template: &Template, rules: &[&str], single_file: bool) -> Result<Vec<NewFile>, Failure> {
    let uses_module = template.bot.file == BOT_FILE && !single_file;
    if rules.is_empty() {
        let (source, module) = if uses_module {
            (embedded::PYTHON_BOT, module_files())
        } else {
            (template.bot.source, Vec::new())
        };
        return Ok(bot_files(template, source.to_string(), module));
    }
    match python_file(rules)? {
        Some((file, args)) if uses_module => importing_bot(template, &file, args),
        python => {
            if uses_module && python.is_none() {
                let rules = rules.join(" ");
                note(&format!(
                    "`{rules}` is not a file in Python, so the bot does not import the rules"
                ));
            }
            Ok(bot_files(template, template.bot.any_game.to_string(), Vec::new()))
        }
    }
}

/// A bot that takes its game from a rules program in Python, with a copy of the program.
fn importing_bot(template: &Template, file: &Path, args: Vec<String>) -> Result<Vec<NewFile>, Failure> {
    let wrong = |why: &dyn Display| Failure::Usage(format!("--rules: {}: {why}", file.shown()));
    let rules = files::open_text(file).and_then(io::read_to_string);
    let rules = rules.map_err(|error| wrong(&error))?;
    let words = [GAME_FILE.to_string()].into_iter().chain(args);
    let words: Vec<String> = words.map(|word| format!("{word:?}")).collect();
    let source = embedded::EXAMPLE_GAME_BOT
        .replace(EXAMPLE_IMPORT, "")
        .replace("import WIN\n", "import WIN, game_of\n")
        .replace("= Game()\n", &format!("= game_of({})\n", words.join(", ")));
    let mut others = module_files();
    others.push((GAME_FILE.to_string(), rules, is_executable(file)));
    Ok(bot_files(template, source, others))
}

/// Prints a note about the modules beside a program in Python that it imports, and that a copy lacks.
fn note_imports(file: &Path) {
    let folder = file.parent().unwrap_or(Path::new(""));
    let place = |name: &str| {
        let [file, package] = [format!("{name}.py"), format!("{name}{MAIN_SEPARATOR}")];
        let mut places = [file, package].into_iter();
        places.find(|place| folder.join(place).exists())
    };
    let text = files::open_text(file)
        .and_then(io::read_to_string)
        .unwrap_or_default();
    let imports = text.lines().filter_map(|line| {
        let line = line.trim_start();
        let modules = line.strip_prefix("import ");
        modules.or_else(|| line.strip_prefix("from ")?.split(" import").next())
    });
    let modules = imports.flat_map(|modules| modules.split(','));
    let names = modules.filter_map(|module| module.trim_start().split(['.', ' ']).next());
    let missing: BTreeSet<String> = names
        .filter(|name| !name.is_empty() && *name != MODULE)
        .filter_map(place)
        .collect();
    if !missing.is_empty() {
        let names: Vec<String> = missing.iter().map(|name| format!("`{name}`")).collect();
        let them = if missing.len() == 1 { "it" } else { "them" };
        note(&format!(
            "{GAME_FILE} imports {}: copy {them} from the folder of the rules, too",
            names.join(" and ")
        ));
    }
}

/// The source of a rules program in Python, and its arguments.
fn python_file(rules: &[&str]) -> Result<Option<(PathBuf, Vec<String>)>, Failure> {
    let value = |key: &str| rules.iter().find_map(|word| word.strip_prefix(key));
    let command = value("cmd=").or(rules.first().copied()).unwrap_or_default();
    let args = split_words(value("args=").unwrap_or_default()).unwrap_or_default();
    let mut words = [command.to_string()].into_iter().chain(args);
    let Some(file) = words.find(|word| Path::new(word).extension() == Some(OsStr::new("py"))) else {
        return Ok(None);
    };
    let dir = Path::new(value("dir=").unwrap_or_default());
    let mut places = [PathBuf::from(&file), dir.join(&file)].into_iter();
    let found = places.find(|place| place.is_file());
    let found = found.ok_or_else(|| Failure::Usage(format!("--rules: `{file}` is not a file")))?;
    Ok(Some((found, words.collect())))
}

/// The files of the Python module for a bot or a rules program.
pub(super) fn module_files() -> Vec<NewFile> {
    let file = |(name, text): &(&str, &str)| (format!("{MODULE}/{name}"), (*text).to_string(), false);
    embedded::PYTHON_MODULE.iter().map(file).collect()
}

fn note(text: &str) {
    // A closed stderr is not a failure.
    let _ = writeln!(io::stderr(), "{}", arranged(&format!("referee: note: {text}")));
}

/// The files of a bot: its source, the script that starts it, and others.
pub(super) fn bot_files(template: &Template, source: String, others: Vec<NewFile>) -> Vec<NewFile> {
    let (name, script) = template.script();
    let own = [
        (template.bot.file.to_string(), source, false),
        (name.to_string(), script, true),
    ];
    own.into_iter().chain(others).collect()
}

/// Writes files to a new or empty folder.
pub(super) fn write(folder: &Path, files: &[NewFile]) -> Result<(), Failure> {
    let failure = |error: io::Error| Failure::Usage(format!("{}: {error}", folder.shown()));
    let refusal = |what: &str| {
        let shown = folder.shown();
        Failure::Usage(format!(
            "{shown} {what}; choose a new folder, so that nothing is overwritten"
        ))
    };
    if folder.is_file() {
        return Err(refusal("is a file"));
    }
    match fs::read_dir(folder).map(|mut entries| entries.next().is_some()) {
        Ok(false) => {}
        Ok(true) => return Err(refusal("is not empty")),
        Err(error) if error.kind() == ErrorKind::NotFound => fs::create_dir_all(folder).map_err(failure)?,
        Err(error) if error.kind() == ErrorKind::NotADirectory => return Err(refusal("is a file")),
        Err(error) => return Err(failure(error)),
    }
    for (name, text, is_program) in files {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap_or(folder)).map_err(failure)?;
        fs::write(&path, text).map_err(failure)?;
        if *is_program {
            make_executable(&path).map_err(failure)?;
        }
    }
    Ok(())
}

/// What was written, and the commands to try next.
fn next_steps(template: &Template, folder: &Path, rules: &[&str], files: &[NewFile]) -> String {
    let ExampleBot { name, file, .. } = template.bot;
    let (script, _) = template.script();
    let shown = as_path(folder);
    let has = |part: &str| files.iter().any(|(name, ..)| name.starts_with(part));
    let run = text::quoted(&format!("{shown}{MAIN_SEPARATOR}{script}"));
    let bot = text::quoted(&shown);
    let (places, check, game) = if rules.is_empty() {
        (
            "Improve `evaluate` and `search`",
            String::new(),
            " --openings random:2".to_string(),
        )
    } else {
        let words: Vec<String> = rules.iter().map(|word| text::quoted(word)).collect();
        let game = format!("--rules {}", words.join(" "));
        let place = if has(GAME_FILE) {
            "Improve `choose`"
        } else {
            "Add the rules of the game and the choice of a move to `choose`"
        };
        (place, format!("{game} "), format!(" {game}"))
    };
    let notes = [
        (
            MODULE,
            format!("The folder {MODULE} is the Python package; leave it unchanged.\n"),
        ),
        (GAME_FILE, format!("{GAME_FILE} is a copy of the rules.\n")),
    ];
    let notes: String = notes
        .into_iter()
        .filter(|(part, _)| has(part))
        .map(|(_, note)| note)
        .collect();
    format!(
        "Wrote a bot ({name}) to {shown}: {file} and the script {script}.\n\
         {notes}{places} in {file}.\n\
         \n\
         Start it once (this compiles it if its language needs that):\n\
         \x20 echo uci | {run}\n\
         Check it:\n\
         \x20 referee check {check}{bot}\n\
         Play ten games:\n\
         \x20 referee match {bot} random --each st=0.5 --games 10{game}\n"
    )
}

/// The folder in commands, without a `/` at its end. A single word gets a `./`, so that it is
/// neither an option nor the name of a built-in player.
pub(super) fn as_path(folder: &Path) -> String {
    let clean: std::path::PathBuf = folder.components().collect();
    let is_word = matches!(folder.components().next(), Some(Component::Normal(_)));
    let prefix = if is_word { Path::new(".") } else { Path::new("") };
    prefix.join(clean).shown()
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;
    use crate::bots::templates::TEMPLATES;

    fn files(template: &Template) -> Vec<NewFile> {
        bot_files(template, template.bot.source.to_string(), Vec::new())
    }

    #[test]
    fn writes_a_submission_in_every_language() {
        let scene = TempDir::new().unwrap();
        for template in &TEMPLATES {
            let folder = scene.path().join("course").join(template.bot.name);
            write(&folder, &files(template)).unwrap();
            let source = fs::read_to_string(folder.join(template.bot.file)).unwrap();
            assert_eq!(source, template.bot.source);
            let (script, _) = template.script();
            assert!(referee_core::system::files::is_executable(&folder.join(script)));
            assert_eq!(fs::read_dir(&folder).unwrap().count(), 2);
        }
    }

    #[test]
    fn overwrites_nothing() {
        let script = TEMPLATES[0].script().0;
        let scene = TempDir::new().unwrap();
        let folder = scene.path().join("bot");
        fs::create_dir(&folder).unwrap();
        write(&folder, &files(&TEMPLATES[0])).unwrap();
        let before = fs::read(folder.join(script)).unwrap();
        let error = write(&folder, &files(&TEMPLATES[1])).unwrap_err();
        assert!(matches!(error, Failure::Usage(_)));
        let why = "is not empty; choose a new folder, so that nothing is overwritten";
        assert_eq!(error.to_string(), format!("{} {why}", folder.shown()));
        assert_eq!(fs::read(folder.join(script)).unwrap(), before);
        let error = write(&folder.join(script), &files(&TEMPLATES[1])).unwrap_err();
        let why = format!("{script} is a file; choose a new folder");
        assert!(error.to_string().contains(&why), "{error}");
        let error = write(&folder.join(script).join("below"), &files(&TEMPLATES[1])).unwrap_err();
        assert!(matches!(error, Failure::Usage(_)), "{error}");
    }

    #[test]
    #[cfg(unix)] // `tests/every_system` has those of Windows
    fn commands_fit_a_shell() {
        for (folder, bot, run) in [
            ("mybot", "./mybot", "./mybot/run"),
            ("random/", "./random", "./random/run"),
            ("../my bot", "'../my bot'", "'../my bot/run'"),
            ("/a/b", "/a/b", "/a/b/run"),
        ] {
            let steps = next_steps(&TEMPLATES[4], Path::new(folder), &[], &[]);
            for part in [
                format!("\n  echo uci | {run}\n"),
                format!("\n  referee check {bot}\n"),
                format!("\n  referee match {bot} random "),
            ] {
                assert!(steps.contains(&part), "{steps}");
            }
        }
    }
}
