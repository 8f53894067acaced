//! The players of `--engines`: the submissions in a folder, or the tables of a file.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use referee_core::failure::Failure;
use referee_core::game::Ruleset;
use referee_core::io::text::{ShowPath, is_printable, printable, quoted};
use referee_core::process::Submissions;
use referee_core::results::UnfitPlayer;
use referee_core::system::files::{
    is_executable, is_file, is_left_out, look, no_program, not_executable, program_names, quote,
};

use super::file::{Players, read_players};
use super::json_files::is_json;
use super::own_files;
use super::proto_file;
use super::settings::{ADAPT_COMMAND, HUMAN, OWN_COMMAND, Settings};

/// The executable file of a submission.
pub(crate) const RUN: &str = "run";

/// The file that makes a bot of a submission which is a program for people. It replaces
/// [`RUN`].
pub(crate) const ADAPTER: &str = "adapt.toml";

/// The players in these folders and files, in this order. Their own settings come
/// first, then `each`, then the table `[each]` of their file. Also the submissions that are left
/// out, after a call of `warn`: a name cannot be printed, a link leads to [other people's files](own_files), or,
/// unless `with_broken`, there is no executable file `run`. A `wrapper` starts all submissions.
pub fn players(
    sources: &[PathBuf],
    each: &Settings,
    wrapper: Option<&Path>,
    with_broken: bool,
    warn: fn(&UnfitPlayer),
) -> Result<(Vec<Settings>, Vec<UnfitPlayer>), Failure> {
    let (mut players, mut left_out) = (Vec::new(), Vec::new());
    for source in sources {
        let found = if source.is_dir() {
            let of_folder = of_folder(source, wrapper, with_broken, warn);
            let (engine, unusable) =
                of_folder.map_err(|why| Failure::Usage(format!("--engines {}: {why}", source.shown())))?;
            left_out.extend(unusable);
            Players {
                engine,
                ..Players::default()
            }
        } else {
            check_extension(source)?;
            read_players(source)?
        };
        let engines = found.engine.into_iter();
        let engines = engines.map(|own| own.or(each).or(&found.each));
        players.extend(engines.map(|engine| with_wrapper(engine, wrapper)));
    }
    Ok((players, left_out))
}

/// Rejects a program, which is likely meant for `--engine`.
fn check_extension(source: &Path) -> Result<(), Failure> {
    let is_toml = source
        .extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("toml"));
    if is_toml || is_json(source) || !source.exists() {
        return Ok(());
    }
    let shown = source.shown();
    let command = quoted(&format!("cmd={shown}"));
    Err(Failure::Usage(format!(
        "--engines {shown}: expected a folder of submissions or a file that ends in .toml or .json; \
         for a program, use `--engine {command}`"
    )))
}

/// The submissions in a folder, sorted by the bytes of their names, and those that are left out as in [`players`].
///
/// # Errors
/// Why there is none, without the name of the folder.
pub fn of_folder(
    folder: &Path,
    wrapper: Option<&Path>,
    with_broken: bool,
    warn: fn(&UnfitPlayer),
) -> Result<(Vec<Settings>, Vec<UnfitPlayer>), String> {
    let unreadable = |error: std::io::Error| error.to_string();
    let entries = std::fs::read_dir(folder).map_err(unreadable)?;
    look(&folder.join(RUN))?;
    let mut names = entries
        .map(|entry| entry.map(|entry| entry.file_name()))
        .collect::<Result<Vec<_>, _>>()
        .map_err(unreadable)?;
    names.sort();
    let folders = names
        .iter()
        .filter(|name| is_visible(name))
        .map(|name| folder.join(name));
    // What the system does not tell is no file: its reason is given below.
    let is_folder =
        |path: &PathBuf| look(path).map_or(true, |found| found.is_some_and(|found| found.is_dir()));
    let folders: Vec<PathBuf> = folders.filter(is_folder).collect();
    let (mut players, mut left_out) = (Vec::new(), Vec::new());
    for (path, problem) in folders.iter().zip(own_files::problems(folder, &folders, &[])) {
        let name = path.file_name().unwrap_or_default();
        let start = || submission(path, name.to_str(), wrapper, with_broken);
        match problem.map_or_else(start, |problem| Err(problem.why)) {
            Ok(player) => players.push(player),
            Err(why) => {
                let name = name.to_string_lossy().into_owned();
                left_out.push(UnfitPlayer::new(name, why));
                left_out.last().into_iter().for_each(warn);
            }
        }
    }
    if players.is_empty() {
        let mut below = names.iter().map(|name| folder.join(name));
        let meant = below.find(|folder| has_submissions(folder) && wrapper.is_none());
        let hint = meant.map_or(String::new(), |meant| {
            format!("; did you mean `{}`?", meant.shown())
        });
        let with = match wrapper {
            Some(_) => String::new(),
            None => format!(" with an executable `{RUN}` or an `{ADAPTER}`"),
        };
        return Err(format!(
            "no submissions found; a submission is a subfolder{with}{hint}"
        ));
    }
    Ok((players, left_out))
}

/// Whether a folder has the program of a submission, which may be broken.
pub(crate) fn is_submission(folder: &Path) -> bool {
    let programs = program_names(&folder.join(RUN));
    programs.iter().any(|program| program.is_file()) || folder.join(ADAPTER).is_file()
}

/// What a sandbox has to know of them, of which these are the players' folders.
pub(crate) fn submissions_of<'a>(players: &'a [PathBuf], own: Option<&'a Path>) -> Submissions<'a> {
    Submissions {
        players,
        own,
        is_one: is_submission,
    }
}

/// Whether a name in a folder counts: it is not hidden, and not that of a cache.
fn is_visible(name: &OsStr) -> bool {
    !name.as_encoded_bytes().starts_with(b".") && !is_left_out(name)
}

/// Whether a folder is one of submissions that a wrapper starts, and not itself one: there are only folders in it.
pub(crate) fn are_wrapped(folder: &Path) -> bool {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut entries = entries.filter(|entry| is_visible(&entry.file_name())).peekable();
    entries.peek().is_some() && entries.all(|entry| entry.path().is_dir())
}

/// Whether it may be one although there are also files in it: it has two folders or more.
pub(crate) fn may_be_many(folder: &Path) -> bool {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| is_visible(&entry.file_name()) && entry.path().is_dir());
    folders.take(2).count() == 2
}

/// Whether a folder is one for `--engines`.
pub(crate) fn has_submissions(folder: &Path) -> bool {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut folders = entries.into_iter().map(|entry| entry.path());
    // One that cannot be looked into may be a submission.
    folders.any(|folder| is_submission(&folder) || look(&folder.join(RUN)).is_err())
}

/// Whether this is a folder of submissions, and not itself one.
pub(crate) fn is_of_submissions(folder: &Path) -> bool {
    !is_submission(folder) && has_submissions(folder)
}

/// The player of a submission, if its folder is given as a program; without a name of its own.
pub(crate) fn in_folder(given: &Settings) -> Result<Option<Settings>, String> {
    let Some(cmd) = given.cmd.as_deref() else {
        return Ok(None);
    };
    let folder = Path::new(cmd);
    match (&given.wrapper, &given.dir) {
        (Some(wrapper), None) => return wrapped(given, folder, wrapper).map(Some),
        (Some(_), Some(_)) => {
            return Err(
                "`dir` cannot be combined with `wrapper`, which starts the submission in the folder \
                 `cmd`"
                    .into(),
            );
        }
        (None, Some(_)) => return Ok(None),
        (None, None) => {}
    }
    let is_taken = Ruleset::all_players().contains(&cmd) || [HUMAN, OWN_COMMAND].contains(&cmd);
    if is_taken || !is_submission(folder) {
        return Ok(None);
    }
    let player = submission(folder, Some(RUN), None, true)?;
    let own = Settings {
        cmd: None,
        ..given.clone()
    };
    Ok(Some(Settings {
        name: given.name.clone(),
        ..own.or(&player)
    }))
}

/// The player whose submission is a folder, started by the `run` of a wrapper.
fn wrapped(given: &Settings, folder: &Path, wrapper: &Path) -> Result<Settings, String> {
    if !look(folder)?.is_some_and(|found| found.is_dir()) {
        return Err(format!(
            "`{}` is not a folder, and the wrapper `{}` starts the submission in a folder",
            folder.shown(),
            wrapper.shown()
        ));
    }
    check_apart(folder, wrapper)?;
    let run = wrapper.join(RUN);
    let Some(cmd) = run.to_str() else {
        let wrapper = printable(&wrapper.to_string_lossy(), usize::MAX);
        return Err(format!(
            "`{wrapper}` has a name that cannot be printed; rename it"
        ));
    };
    if let Some(why) = problem(wrapper, cmd)? {
        return Err(format!("the wrapper: {why}"));
    }
    Ok(Settings {
        cmd: Some(cmd.to_string()),
        dir: Some(folder.to_path_buf()),
        ..given.clone()
    })
}

/// The settings with this wrapper, if they name the folder of a submission without a program of its own.
pub fn with_wrapper(mut given: Settings, wrapper: Option<&Path>) -> Settings {
    let is_bare = |cmd: &str| Path::new(cmd).is_dir() && !is_submission(Path::new(cmd));
    if given.wrapper.is_none() && given.dir.is_none() && given.cmd.as_deref().is_some_and(is_bare) {
        given.wrapper = wrapper.map(PathBuf::from);
    }
    given
}

/// Checks that a wrapper starts one of these players.
pub fn check_used(wrapper: Option<&Path>, players: &[Settings]) -> Result<(), Failure> {
    let is_used = players.iter().any(|player| player.wrapper.is_some());
    match wrapper.filter(|_| !is_used) {
        None => Ok(()),
        Some(wrapper) => Err(Failure::Usage(format!(
            "--wrapper {}: there is nothing to start; a wrapper starts the submissions of `--engines DIR`, \
             and players that are folders without a file `{RUN}`",
            wrapper.shown()
        ))),
    }
}

/// Checks that a wrapper and a submission do not contain each other: all players may read the wrapper.
fn check_apart(folder: &Path, wrapper: &Path) -> Result<(), String> {
    let (Ok(submission), Ok(of_wrapper)) = (folder.canonicalize(), wrapper.canonicalize()) else {
        return Ok(());
    };
    let what = if submission == of_wrapper {
        "is the wrapper"
    } else if submission.starts_with(&of_wrapper) {
        "is inside the wrapper"
    } else if of_wrapper.starts_with(&submission) {
        "contains the wrapper"
    } else {
        return Ok(());
    };
    Err(format!(
        "`{}` {what}, which all players may read; keep the wrapper and the submissions in separate folders",
        folder.shown()
    ))
}

/// The most bytes of a name: it is part of the names of files, such as reports and transcripts.
pub(crate) const MAX_NAME: usize = 200;

/// The player of a submission's folder, or why it is not one.
pub(crate) fn submission(
    folder: &Path,
    name: Option<&str>,
    wrapper: Option<&Path>,
    with_broken: bool,
) -> Result<Settings, String> {
    let is_fit = |name: &&str| !name.trim().is_empty() && name.chars().all(is_printable);
    if name.is_some_and(|name| name.len() > MAX_NAME) {
        let shown = printable(&folder.to_string_lossy(), usize::MAX);
        return Err(format!(
            "`{shown}` has a name of more than {MAX_NAME} bytes; rename it"
        ));
    }
    let (run, adapter) = (folder.join(RUN), folder.join(ADAPTER));
    let (Some(name), Some(cmd), Some(path)) = (name.filter(is_fit), run.to_str(), adapter.to_str()) else {
        let shown = printable(&folder.to_string_lossy(), usize::MAX);
        return Err(format!("`{shown}` has a name that cannot be printed; rename it"));
    };
    if let (Some(wrapper), Some(cmd)) = (wrapper, folder.to_str()) {
        check_apart(folder, wrapper)?;
        return Ok(Settings {
            wrapper: Some(wrapper.to_path_buf()),
            name: Some(name.to_string()),
            ..Settings::of_program(cmd)
        });
    }
    if is_file(&adapter)? {
        // Its `dir` is relative to the file, and the file to our own folder.
        return Ok(Settings {
            args: Some(vec![ADAPT_COMMAND.into(), path.into()]),
            name: Some(name.to_string()),
            ..Settings::of_program(OWN_COMMAND)
        });
    }
    match problem(folder, cmd)? {
        Some(why) if !with_broken => Err(why),
        _ => {
            let (proto, options) = proto_file::read(folder)?.unzip();
            Ok(Settings {
                dir: Some(folder.to_path_buf()),
                name: Some(name.to_string()),
                proto,
                options: options.unwrap_or_default(),
                ..Settings::of_program(cmd)
            })
        }
    }
}

/// Why `run`, the program of a submission's folder, cannot be executed.
fn problem(folder: &Path, run: &str) -> Result<Option<String>, String> {
    let shown = folder.shown();
    let run = Path::new(run);
    let mut programs = program_names(run).into_iter();
    if programs.any(|program| program.is_file() && is_executable(&program)) {
        return Ok(None);
    }
    Ok(Some(match look(run)? {
        None => match inner(folder) {
            Some(inner) => {
                let up = move_up(&inner, folder);
                format!(
                    "{shown} has no file `{RUN}`; the submission is in {}, so {up}",
                    inner.shown()
                )
            }
            None => match (misnamed(folder), archive_in(folder)) {
                (Some(misnamed), _) => misnamed,
                (None, Some(archive)) => format!(
                    "{shown} has no file `{RUN}`, but an archive `{archive}`; unpack it there, or make all \
                     submissions with `referee collect`"
                ),
                (None, None) => format!("{shown} {}", no_program(run)),
            },
        },
        Some(found) if found.is_dir() => {
            format!("`{RUN}` in {shown} is a folder; it must be an executable file")
        }
        Some(_) => format!("`{RUN}` in {shown} {}", not_executable(run)),
    }))
}

/// What is wrong with a submission whose program has almost the right name, such as `Run` or `run.py`.
pub(super) fn misnamed(folder: &Path) -> Option<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    let is_meant = |path: &&PathBuf| {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        stem.trim().eq_ignore_ascii_case(RUN) && path.is_file()
    };
    let meant = paths.iter().find(is_meant)?;
    let name = meant.file_name().unwrap_or_default().shown();
    let is_of_windows = meant.extension().is_some_and(|ending| {
        let endings = ["bat", "cmd", "exe", "ps1"];
        endings.iter().any(|known| ending.eq_ignore_ascii_case(known))
    });
    if is_of_windows && !cfg!(windows) {
        return Some(format!(
            "{} has no file `{RUN}`, but `{name}`, which only Windows runs; add a script `{RUN}` for this system",
            folder.shown()
        ));
    }
    let word = |path: &Path| quote(&path.to_string_lossy()).unwrap_or_default();
    let (folder, run, meant) = (folder.shown(), word(&folder.join(RUN)), word(meant));
    Some(format!(
        "{folder} has no file `{RUN}`, but a file `{name}`; rename it: `mv {meant} {run}`"
    ))
}

/// What is wrong with a folder of folders, none of which is a submission.
pub(super) fn without_submissions(folder: &Path) -> Option<String> {
    if !are_wrapped(folder) {
        return None;
    }
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    folders.sort();
    let hint = folders.iter().find_map(|folder| misnamed(folder));
    let hint = hint.map_or(String::new(), |hint| format!("; {hint}"));
    Some(format!(
        "`{}`: no submissions found; a submission is a subfolder with an executable `{RUN}` or an `{ADAPTER}`{hint}",
        folder.shown()
    ))
}

/// The name of an archive in a folder.
fn archive_in(folder: &Path) -> Option<String> {
    const ENDINGS: [&str; 8] = [".zip", ".tar", ".gz", ".tgz", ".bz2", ".xz", ".rar", ".7z"];
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().shown()).collect();
    names.sort();
    let is_archive = |name: &String| {
        ENDINGS
            .iter()
            .any(|ending| name.to_ascii_lowercase().ends_with(ending))
    };
    names.into_iter().find(is_archive)
}

/// The folder inside that is the submission: archives often add one around what they hold, and unpacking them another.
pub(super) fn inner(folder: &Path) -> Option<PathBuf> {
    /// The most folders around a submission.
    const MAX_AROUND: usize = 3;
    let mut folder = folder.to_path_buf();
    for _ in 0..MAX_AROUND {
        let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
        let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        let folders = folders.filter(|entry| !is_left_out(&entry.file_name()));
        let folders: Vec<PathBuf> = folders.map(|entry| entry.path()).collect();
        let mut programs = folders.iter().filter(|folder| is_submission(folder));
        match (programs.next(), programs.next(), folders.as_slice()) {
            (Some(found), None, _) => return Some(found.clone()),
            (None, _, [only]) => folder.clone_from(only),
            _ => return None,
        }
    }
    None
}

/// How what is in `inner` gets to the folder around it, as an order.
pub(super) fn move_up(inner: &Path, folder: &Path) -> String {
    let quoted = |path: &Path| quote(&path.to_string_lossy()).unwrap_or_default();
    let (from, to) = (quoted(inner), quoted(folder));
    if cfg!(windows) {
        return format!("move it up, to {to}");
    }
    format!("move it up: `mv {from}/* {}/`", to.trim_end_matches('/'))
}

#[cfg(test)]
mod tests {
    use sentences::{assert_has, assert_rows, expect};
    use std::fs;

    use tempfile::TempDir;

    use super::*;
    use referee_core::samples::settings as parse;
    use referee_core::system::files::make_executable;

    /// A folder with these folders in it, each with a file `run`, which may be executable.
    fn folder(names: &[(&str, bool)]) -> TempDir {
        let folder = TempDir::new().unwrap();
        for (name, is_program) in names {
            let submission = folder.path().join(name);
            fs::create_dir(&submission).unwrap();
            let run = submission.join(RUN);
            if *is_program {
                let run = program_names(&run).pop().unwrap();
                fs::write(&run, "#!/bin/sh\n").unwrap();
                make_executable(&run).unwrap();
            } else {
                fs::write(&run, "#!/bin/sh\n").unwrap();
            }
        }
        folder
    }

    #[test]
    fn submissions_are_players_in_the_order_of_their_names() {
        let folder = folder(&[
            ("b10", true),
            ("b9", true),
            ("B", true),
            ("two words", true),
            (".hidden", true),
            ("plain", false),
        ]);
        let root = folder.path();
        fs::write(root.join("notes.txt"), "").unwrap();
        fs::create_dir(root.join("empty")).unwrap();
        fs::create_dir_all(root.join("nested/run")).unwrap();
        let (players, left_out) = players(&[root.into()], &parse("st=0.5"), None, false, |_| {}).unwrap();
        assert_eq!(
            left_out.iter().map(|unfit| &unfit.name).collect::<Vec<_>>(),
            ["empty", "nested", "plain"]
        );
        let named = |name: &str| Settings {
            cmd: root.join(name).join(RUN).to_str().map(String::from),
            dir: Some(root.join(name)),
            name: Some(name.into()),
            ..parse("st=0.5")
        };
        assert_eq!(players, ["B", "b10", "b9", "two words"].map(named));
    }

    #[test]
    fn submission_with_an_adapter_is_an_adapted_program() {
        let folder = folder(&[("alice", true), ("bob", false)]);
        let root = folder.path();
        fs::write(root.join("bob/adapt.toml"), "").unwrap();
        let (players, _) = players(&[root.into()], &parse("st=2"), None, false, |_| {}).unwrap();
        let path = root.join("bob").join(ADAPTER);
        let bob = Settings {
            args: Some(vec!["adapt".into(), path.to_str().unwrap().into()]),
            ..parse("cmd=referee name=bob st=2")
        };
        assert_eq!(players[1], bob);
        assert_eq!(players[0].name.as_deref(), Some("alice"));
    }

    #[test]
    #[cfg(unix)] // permissions, and names that Windows does not allow
    fn explains_how_to_fix_a_submission() {
        let folder = folder(&[("plain", false), ("bell\x07", true), (" ", true), ("it's", false)]);
        let root = folder.path();
        let shown = root.shown();
        fs::create_dir(root.join("empty")).unwrap();
        fs::create_dir_all(root.join("nested/run")).unwrap();
        let why = |name: &str| {
            let why = submission(&root.join(name), Some(name), None, false).unwrap_err();
            why.replace(&shown, "ROOT")
        };
        for name in ["Run", "run.py", "run "] {
            fs::create_dir_all(root.join(name)).unwrap();
            fs::write(root.join(name).join(name), "").unwrap();
        }
        fs::create_dir_all(root.join("folder/run.d")).unwrap();
        fs::create_dir(root.join("windows")).unwrap();
        fs::write(root.join("windows/run.bat"), "").unwrap();
        let error = players(&[root.into()], &Settings::default(), None, false, |_| {}).unwrap_err();
        assert!(matches!(error, Failure::Usage(_)));
        expect! {"--engines ROOT: no submissions found; a submission is a subfolder with an executable `run` or an `adapt.toml`"}
            .assert_eq(&error.to_string().replace(&shown, "ROOT"));
        // As archives and file managers leave them.
        for (name, inner) in [
            ("one", "one/one-main/run"),
            ("two", "two/a b/main/run"),
            ("mac", "mac/bot/adapt.toml"),
        ] {
            let inner = root.join(inner);
            fs::create_dir_all(inner.parent().unwrap()).unwrap();
            fs::create_dir_all(root.join(name).join("__MACOSX/x")).unwrap();
            fs::write(inner, "").unwrap();
        }
        assert_rows(
            expect![[r#"
                plain | `run` in ROOT/plain is not executable; run `chmod +x ROOT/plain/run`
                it's | run `chmod +x "ROOT/it's/run"`
                empty | ROOT/empty has no file `run`; add a script
                folder | ROOT/folder has no file `run`; add a script
                Run | has no file `run`, but a file `Run`; rename it: `mv ROOT/Run/Run ROOT/Run/run`
                run.py | has no file `run`, but a file `run.py`; rename it: `mv ROOT/run.py/run.py ROOT/run.py/run`
                run\s | has no file `run`, but a file `run `; rename it: `mv 'ROOT/run /run ' 'ROOT/run /run'`
                windows | but `run.bat`, which only Windows runs; add a script `run` for this system
                nested | nested is a folder; it must be an executable file
                bell\a | `ROOT/bell\u{7}` has a name that cannot be printed; rename it
                \s | rename it
                one | the submission is in ROOT/one/one-main, so move it up: `mv ROOT/one/one-main/* ROOT/one/`
                two | the submission is in ROOT/two/a b/main, so move it up: `mv 'ROOT/two/a b/main'/* ROOT/two/`
                mac | the submission is in ROOT/mac/bot, so move it up: `mv ROOT/mac/bot/* ROOT/mac/`
            "#]],
            |[name]| why(&name.replace("\\s", " ").replace("\\a", "\x07")),
        );
        assert!(
            submission(root, None, None, false)
                .unwrap_err()
                .ends_with("rename it")
        );
        fs::create_dir_all(root.join("several/a")).unwrap();
        fs::create_dir_all(root.join("several/b")).unwrap();
        for name in ["a", "b"] {
            fs::write(root.join("several").join(name).join(RUN), "").unwrap();
        }
        assert!(why("several").ends_with("/several/run`"));
    }

    #[test]
    fn own_settings_override_each_and_the_file() {
        let folder = TempDir::new().unwrap();
        let file = folder.path().join("course.toml");
        fs::write(
            &file,
            "[each]\ntc = 60\ndepth = 4\noption.Hash = 1\n\
             [[engine]]\ncmd = 'a'\n[[engine]]\ncmd = 'b'\ndepth = 9\noption.hash = 2\n",
        )
        .unwrap();
        let (players, _) =
            players(&[file.clone(), file], &parse("st=1 nodes=7"), None, false, |_| {}).unwrap();
        let mut a = parse("cmd=a st=1 nodes=7 depth=4 option.Hash=1");
        a.inherited = 1;
        let b = parse("cmd=b st=1 nodes=7 depth=9 option.hash=2");
        assert_eq!(players, [a.clone(), b.clone(), a, b]);
    }

    #[test]
    fn explains_a_path_that_is_neither_a_folder_nor_toml() {
        let error = |path: &str| {
            let error = players(&[path.into()], &Settings::default(), None, false, |_| {}).unwrap_err();
            assert!(matches!(error, Failure::Usage(_)));
            error.to_string()
        };
        let missing = fs::metadata("nowhere").unwrap_err();
        assert!(missing.to_string().ends_with("(os error 2)"), "{missing}");
        for path in ["nowhere.toml", "nowhere"] {
            assert_eq!(error(path), format!("`{path}` cannot be read: {missing}"));
        }
        assert_has(
            error("/bin/sh"),
            expect! {"for a program, use `--engine cmd=/bin/sh`"},
        );
    }
}
