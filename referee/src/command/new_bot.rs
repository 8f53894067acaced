//! `referee new-bot`: writes a bot to start from, in a folder for `--engines`.

use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::{Component, MAIN_SEPARATOR, Path};

use super::shown;
use crate::bots::templates::Template;
use crate::config::cli::NewBotArgs;
use crate::io::failure::Failure;
use crate::io::terminal::arranged;
use crate::io::text;
use crate::io::text::shown_path;
use crate::system::files::make_executable;

/// Writes the bot and shows the next commands.
pub fn run(args: &NewBotArgs) -> Result<(), Failure> {
    let (template, folder) = (args.language, args.folder.as_path());
    write(template, folder)?;
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<_> = std::env::split_paths(&path).collect();
    let missing = template.missing_tools(&folders);
    if !missing.is_empty() {
        let missing: Vec<String> = missing.iter().map(|tool| format!("`{tool}`")).collect();
        let (verb, tools) = (
            if missing.len() == 1 { "is" } else { "are" },
            missing.join(" and "),
        );
        let note = format!(
            "referee: note: {tools} {verb} not installed here; the bot needs {}",
            template.requirement
        );
        // A closed stderr is not a failure.
        let _ = writeln!(io::stderr(), "{}", arranged(&note));
    }
    shown(io::stdout().write_all(next_steps(template, folder).as_bytes()))
}

/// Writes the files of the bot.
fn write(template: &Template, folder: &Path) -> Result<(), Failure> {
    let failure = |error: io::Error| Failure::Usage(format!("{}: {error}", folder.display()));
    let refusal = |what: &str| {
        let shown = folder.display();
        Failure::Usage(format!(
            "{shown} {what}; name a new folder, so that nothing is overwritten"
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
    let (name, script) = template.script();
    let run = folder.join(name);
    fs::write(folder.join(template.file), template.source).map_err(failure)?;
    fs::write(&run, script).map_err(failure)?;
    make_executable(&run).map_err(failure)
}

/// What was written, and the commands to try next.
fn next_steps(template: &Template, folder: &Path) -> String {
    let Template { name, file, .. } = template;
    let (script, _) = template.script();
    let shown = as_path(folder);
    let run = text::quoted(&format!("{shown}{MAIN_SEPARATOR}{script}"));
    let bot = text::quoted(&shown);
    format!(
        "Wrote a bot ({name}) to {shown}: {file} and the script {script}.\n\
         The places to improve are `evaluate` and `search` in {file}.\n\
         \n\
         Start it once; a compiled language is compiled then:\n\
         \x20 echo uci | {run}\n\
         Check it:\n\
         \x20 referee check {bot}\n\
         Play ten games:\n\
         \x20 referee match {bot} random --each st=0.5 --games 10 --openings random:2\n"
    )
}

/// The folder in commands, without a `/` at its end. A single word gets a `./`, so that it is
/// neither an option nor the name of a built-in player.
fn as_path(folder: &Path) -> String {
    let clean: std::path::PathBuf = folder.components().collect();
    let is_word = matches!(folder.components().next(), Some(Component::Normal(_)));
    let prefix = if is_word { Path::new(".") } else { Path::new("") };
    shown_path(&prefix.join(clean))
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;
    use crate::bots::templates::TEMPLATES;

    #[test]
    fn writes_a_submission_in_every_language() {
        let scene = TempDir::new().unwrap();
        for template in &TEMPLATES {
            let folder = scene.path().join("course").join(template.name);
            write(template, &folder).unwrap();
            let source = fs::read_to_string(folder.join(template.file)).unwrap();
            assert_eq!(source, template.source);
            let (script, _) = template.script();
            assert!(crate::system::files::is_executable(&folder.join(script)));
            assert_eq!(fs::read_dir(&folder).unwrap().count(), 2);
        }
    }

    #[test]
    fn overwrites_nothing() {
        let script = TEMPLATES[0].script().0;
        let scene = TempDir::new().unwrap();
        let folder = scene.path().join("bot");
        fs::create_dir(&folder).unwrap();
        write(&TEMPLATES[0], &folder).unwrap();
        let before = fs::read(folder.join(script)).unwrap();
        let error = write(&TEMPLATES[1], &folder).unwrap_err();
        assert_eq!(error.exit_status(), 2);
        let why = "is not empty; name a new folder, so that nothing is overwritten";
        assert_eq!(error.to_string(), format!("{} {why}", folder.display()));
        assert_eq!(fs::read(folder.join(script)).unwrap(), before);
        let error = write(&TEMPLATES[1], &folder.join(script)).unwrap_err();
        let why = format!("{script} is a file; name a new folder");
        assert!(error.to_string().contains(&why), "{error}");
        let error = write(&TEMPLATES[1], &folder.join(script).join("below")).unwrap_err();
        assert_eq!(error.exit_status(), 2, "{error}");
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
            let steps = next_steps(&TEMPLATES[4], Path::new(folder));
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
