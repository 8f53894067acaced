//! The versions of submissions in a ladder.
//!
//! A version is a name and the hash of all files. A ladder plays with a copy of each version, so
//! neither what its games write nor a new submission during a run changes what plays.

use std::collections::{HashMap, HashSet};
use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use referee_core::failure::Failure;
use referee_core::io::files;
use referee_core::io::text::ShowPath;
use referee_core::results::{EngineEntry, Submission, UnfitPlayer};
use referee_core::system::files::{
    Folder, copy_link, is_executable, is_left_out, look, make_executable, open_inside,
};

use super::own_files::MAX_DEPTH;
use super::settings::Settings;
use super::{lookalikes, submissions};
use sha2::{Digest as _, Sha256};

/// What the name of an unfinished copy begins with. Players of a folder have no such names.
const UNFINISHED: &str = ".copy-";

/// The largest size of a submission, in bytes: reading and copying more takes the time of games.
pub(crate) const MAX_LENGTH: u64 = 1 << 30;

/// The most files, folders and links in a submission, for the same reason.
pub(crate) const MAX_FILES: usize = 50_000;

/// The number of hexadecimal digits of a hash.
const DIGITS: usize = 32;

/// A version that takes part in a run.
#[derive(Clone, Debug)]
pub(crate) struct Version {
    /// The name as a player.
    pub player: String,
    pub submission: Submission,
    /// The folder of the submission.
    pub original: PathBuf,
    /// The settings that start its copy.
    pub settings: Settings,
}

/// The names of the submissions in a folder, and those that are no player; of `only` these, unless it is empty.
fn submitted(
    folder: &Path,
    only: &[String],
    wrapper: Option<&Path>,
) -> Result<(Vec<String>, Vec<UnfitPlayer>), Failure> {
    let found = look(folder).map_err(Failure::Usage)?;
    if !found.is_some_and(|found| found.is_dir()) {
        return Err(Failure::Usage(format!(
            "{}: this is not a folder; a ladder rates the submissions in a folder",
            folder.shown()
        )));
    }
    let submitted = submissions::of_folder(folder, wrapper, false, |_| {});
    let (submitted, mut left_out) =
        submitted.map_err(|why| Failure::Usage(format!("{}: {why}", folder.shown())))?;
    lookalikes::warn(submitted.iter().filter_map(|settings| settings.name.as_deref()));
    let is_wanted = |name: &str| only.is_empty() || only.iter().any(|wanted| wanted == name);
    let names: Vec<String> = submitted
        .into_iter()
        .filter_map(|settings| settings.name)
        .collect();
    let is_there =
        |wanted: &&String| names.contains(wanted) || left_out.iter().any(|one| one.name == **wanted);
    if let Some(missing) = only.iter().find(|wanted| !is_there(wanted)) {
        let missing = Path::new(missing).shown();
        return Err(Failure::Usage(format!(
            "--only {missing}: there is no such submission in {}; give the name of its folder",
            folder.shown()
        )));
    }
    left_out.retain(|one| is_wanted(&one.name));
    Ok((
        names.into_iter().filter(|name| is_wanted(name)).collect(),
        left_out,
    ))
}

/// The versions of the submissions in `folder`, and the submissions that are no player. Copies what is new
/// to the folder `copies`, and deletes the copies of versions that are replaced. `known` are the players of
/// the ladder so far, `taken` the names of those beside the submissions, and `only` the submissions that count, unless it
/// is empty. A `wrapper` starts the copies. `stop` is asked between files.
pub(crate) fn take(
    folder: &Path,
    copies: &Path,
    known: &[EngineEntry],
    (taken, only): (&[String], &[String]),
    wrapper: Option<&Path>,
    stop: &dyn Fn() -> io::Result<()>,
) -> Result<(Vec<Version>, Vec<UnfitPlayer>), Failure> {
    let (names, mut left_out) = submitted(folder, only, wrapper)?;
    let lost = |error: io::Error| Failure::Output(format!("{}: {error}", copies.shown()));
    fs::create_dir_all(copies).map_err(lost)?;
    let known = EarlierPlayers::new(known);
    let mut taken: HashSet<String> = taken.iter().cloned().collect();
    let mut versions: Vec<Version> = Vec::new();
    for name in names {
        let original = folder.join(&name);
        let mut refuse = |why: String| {
            left_out.push(UnfitPlayer::new(name.clone(), why));
        };
        if is_called_as_a_version(&name) {
            refuse(format!(
                "`{}` has the name of a version of another submission; rename the folder",
                original.shown()
            ));
            continue;
        }
        // What a link leads to may change, and belong to somebody else.
        let folder = match Folder::open_real(&original) {
            Ok(folder) => folder,
            Err(error) => {
                let advice = if original.is_symlink() {
                    "; copy the submission itself there, with `cp -rP`"
                } else {
                    ""
                };
                refuse(format!("`{}`: {error}{advice}", original.shown()));
                continue;
            }
        };
        let files = folder.path(&original);
        let submission = match digest(&files, stop) {
            Ok(digest) => known.version(&name, digest),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Err(lost(error)),
            Err(error) => {
                refuse(format!("`{}` cannot be read: {error}", original.shown()));
                continue;
            }
        };
        let player = match submission.version {
            1 => name.clone(),
            number => format!("{name} v{number}"),
        };
        let entry = known.players.get(&*player);
        let is_other = entry.is_some_and(|entry| entry.submission.as_ref() != Some(&submission));
        if is_other || taken.contains(&player) {
            refuse(format!("another player is called `{player}`; rename the folder"));
            continue;
        }
        let copy = copies.join(&player);
        let is_new = match entry {
            // A version that has not played yet may be replaced.
            None => true,
            Some(_) => !is_copy(&copy, &submission, stop).map_err(lost)?,
        };
        if is_new {
            match copy_whole(&files, &copy, stop) {
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => return Err(lost(error)),
                Err(error) if files::is_full(&error) => return Err(lost(error)),
                Err(error) => {
                    refuse(format!("`{}` cannot be copied: {error}", original.shown()));
                    continue;
                }
            }
        }
        match submissions::submission(&copy, Some(&player), wrapper, false) {
            Ok(settings) => {
                taken.insert(player.clone());
                versions.push(Version {
                    player,
                    submission,
                    original,
                    settings,
                });
            }
            Err(why) => refuse(why),
        }
    }
    delete_others(copies, &versions).map_err(lost)?;
    Ok((versions, left_out))
}

/// Whether a submission is called like the second version of another one, `ann v2`.
fn is_called_as_a_version(name: &str) -> bool {
    // Blanks of any kind look like the one in a version's name, and none is seen at the end.
    let mut words = name.split_whitespace();
    let number = words.next_back().and_then(|last| last.strip_prefix('v'));
    let is_number = |number: &str| !number.is_empty() && number.chars().all(char::is_numeric);
    words.next().is_some() && number.is_some_and(is_number)
}

/// The players of a ladder so far.
struct EarlierPlayers<'a> {
    /// By their names.
    players: HashMap<&'a str, &'a EngineEntry>,
    /// The versions of each submission, by its name.
    versions: HashMap<&'a str, Vec<&'a Submission>>,
}

impl<'a> EarlierPlayers<'a> {
    fn new(entries: &'a [EngineEntry]) -> EarlierPlayers<'a> {
        let mut versions: HashMap<&str, Vec<&Submission>> = HashMap::new();
        for submission in entries.iter().filter_map(|entry| entry.submission.as_ref()) {
            versions.entry(&submission.name).or_default().push(submission);
        }
        let players = entries.iter().map(|entry| (&*entry.name, entry)).collect();
        EarlierPlayers { players, versions }
    }

    /// The version of a submission with this hash: a known one, or the next.
    fn version(&self, name: &str, digest: String) -> Submission {
        let own = self.versions.get(name).map_or(&[][..], Vec::as_slice);
        let same = own.iter().find(|known| known.digest == *digest);
        same.map_or_else(
            || Submission {
                name: name.into(),
                version: own
                    .iter()
                    .map(|known| known.version)
                    .max()
                    .unwrap_or(0)
                    .saturating_add(1),
                digest: digest.into(),
            },
            |same| (*same).clone(),
        )
    }
}

/// What a folder holds: its files, in the order of their paths.
fn walk(
    folder: &Path,
    below: &Path,
    visit: &mut impl FnMut(&Path, &Metadata) -> io::Result<()>,
) -> io::Result<()> {
    // With the name of the file, which may be deep inside.
    let failed = |path: &Path, error: io::Error| {
        let name = path.shown();
        io::Error::new(error.kind(), format!("`{name}`: {error}"))
    };
    let entries = fs::read_dir(folder.join(below)).map_err(|error| failed(below, error))?;
    let mut names = entries
        .map(|entry| entry.map(|entry| entry.file_name()))
        .collect::<io::Result<Vec<_>>>()?;
    names.sort();
    for name in names.iter().filter(|name| !is_left_out(name)) {
        let path = below.join(name);
        let metadata = fs::symlink_metadata(folder.join(&path))?;
        if metadata.is_dir() && path.components().count() >= MAX_DEPTH {
            return Err(io::Error::other(format!(
                "more than {MAX_DEPTH} folders in each other"
            )));
        }
        visit(&path, &metadata).map_err(|error| failed(&path, error))?;
        if metadata.is_dir() {
            walk(folder, &path, visit)?;
        }
    }
    Ok(())
}

/// The hash of the names, contents and permissions of all files, but for what [`copy_whole`] leaves out: pipes, sockets
/// and devices.
pub(crate) fn digest(folder: &Path, stop: &dyn Fn() -> io::Result<()>) -> io::Result<String> {
    let (mut length, mut count, mut digest) = (0, 0, Sha256::new());
    walk(folder, Path::new(""), &mut |path, metadata| {
        stop()?;
        count += 1;
        if count > MAX_FILES {
            return Err(io::Error::other(format!(
                "the submission has more than {MAX_FILES} files"
            )));
        }
        length += metadata.len();
        if length > MAX_LENGTH {
            return Err(io::Error::other(format!(
                "the submission is larger than {} GB",
                MAX_LENGTH >> 30
            )));
        }
        let name = path.as_os_str().as_encoded_bytes();
        let kind = if metadata.is_symlink() {
            "link"
        } else if metadata.is_dir() {
            "folder"
        } else if !metadata.is_file() {
            return Ok(());
        } else if is_executable(&folder.join(path)) {
            "program"
        } else {
            "file"
        };
        // The size of a folder is a matter of its file system. This is the usual one.
        let size = if metadata.is_dir() { 4096 } else { metadata.len() };
        // Lengths, so that no two folders have the same bytes.
        digest.update(format!("{kind} {} {size}\n", name.len()));
        digest.update(name);
        if metadata.is_symlink() {
            let target = fs::read_link(folder.join(path))?;
            digest.update(target.as_os_str().as_encoded_bytes());
        } else if metadata.is_file() {
            let mut file = open_inside(folder, path)?.take(metadata.len());
            files::add_content(&mut digest, &mut file)?;
        }
        Ok(())
    })?;
    let mut text = files::hexadecimal(digest);
    text.truncate(DIGITS);
    Ok(text)
}

/// Whether a folder is still the copy of a version: it may have come with the file of a stranger, and a bot without
/// a sandbox may write to it.
pub(crate) fn is_copy(
    copy: &Path,
    version: &Submission,
    stop: &dyn Fn() -> io::Result<()>,
) -> io::Result<bool> {
    if !fs::symlink_metadata(copy).is_ok_and(|metadata| metadata.is_dir()) {
        return Ok(false);
    }
    let found = digest(copy, stop);
    stop()?;
    Ok(found.is_ok_and(|found| version.digest == *found))
}

/// Copies a folder completely or not at all.
pub(crate) fn copy_whole(original: &Path, copy: &Path, stop: &dyn Fn() -> io::Result<()>) -> io::Result<()> {
    let name = copy.file_name().unwrap_or_default().to_string_lossy();
    let unfinished = copy.with_file_name(format!("{UNFINISHED}{name}"));
    remove(&unfinished)?;
    fs::create_dir(&unfinished)?;
    let copied = walk(original, Path::new(""), &mut |path, metadata| {
        stop()?;
        let (from, to) = (original.join(path), unfinished.join(path));
        if metadata.is_symlink() {
            copy_link(&from, &to)
        } else if metadata.is_dir() {
            fs::create_dir(to)
        } else if metadata.is_file() {
            // Nothing but its content, its time, and whether it is a program: no setuid.
            let mut file = open_inside(original, path)?.take(metadata.len());
            let mut copied = File::create_new(&to)?;
            io::copy(&mut file, &mut copied)?;
            keep_time(metadata, &copied);
            if is_executable(&from) {
                make_executable(&to)
            } else {
                Ok(())
            }
        } else {
            Ok(())
        }
    });
    let replaced = copied.and_then(|()| {
        remove(copy)?;
        fs::rename(&unfinished, copy)
    });
    replaced.inspect_err(|_| {
        let _ = fs::remove_dir_all(&unfinished);
    })
}

/// Gives a copy the time of its original, where the file system has such times: a script compiles what is newer than
/// its program.
pub(crate) fn keep_time(original: &fs::Metadata, copy: &File) {
    let _ = original.modified().and_then(|time| copy.set_modified(time));
}

/// Deletes what has this name, if anything has; of a link, only the link.
fn remove(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
        Ok(metadata) if metadata.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
    }
}

/// Deletes all copies but those of `versions`.
fn delete_others(copies: &Path, versions: &[Version]) -> io::Result<()> {
    let kept: HashSet<&str> = versions.iter().map(|version| &*version.player).collect();
    for entry in fs::read_dir(copies)? {
        let entry = entry?;
        let is_kept = entry.file_name().to_str().is_some_and(|name| kept.contains(name));
        if !is_kept && entry.file_type()?.is_dir() {
            fs::remove_dir_all(entry.path())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use sentences::{assert_has, expect};
    use tempfile::TempDir;

    use super::*;
    use referee_core::samples::header;

    fn write(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// A folder with submissions, and an empty one for copies.
    fn folders(names: &[&str]) -> (TempDir, PathBuf, PathBuf) {
        let root = TempDir::new().unwrap();
        let (submissions, copies) = (root.path().join("in"), root.path().join("out"));
        for name in names {
            let run = submissions
                .join(name)
                .join(if cfg!(windows) { "run.bat" } else { "run" });
            write(&run, "#!/bin/sh\n");
            make_executable(&run).unwrap();
        }
        (root, submissions, copies)
    }

    fn players(versions: &[Version]) -> Vec<&str> {
        versions.iter().map(|version| &*version.player).collect()
    }

    /// The players of a ladder with these versions.
    fn known(versions: &[Version]) -> Vec<EngineEntry> {
        let entry = |version: &Version| EngineEntry {
            name: version.player.clone(),
            submission: Some(version.submission.clone()),
            ..header().engines.remove(0)
        };
        versions.iter().map(entry).collect()
    }

    #[test]
    fn a_change_makes_a_version() {
        let (_root, submissions, copies) = folders(&["alice", "bob"]);
        write(&submissions.join("bob/lib/data"), "x");
        let (first, _) = take(&submissions, &copies, &[], (&[], &[]), None, &|| Ok(())).unwrap();
        assert_eq!(players(&first), ["alice", "bob"]);
        let mut all = known(&first);
        // What tools write does not count, and what games write to a copy is gone in the next run.
        write(&submissions.join("alice/__pycache__/bot.pyc"), "x");
        write(&submissions.join("bob/.git/config"), "x");
        for left in [
            ".DS_Store",
            "lib/._run",
            "Thumbs.db",
            "Desktop.ini",
            "__MACOSX/bob/._run",
        ] {
            write(&submissions.join("bob").join(left), "x");
        }
        write(&copies.join("alice/log.txt"), "x");
        let (same, _) = take(&submissions, &copies, &all, (&[], &[]), None, &|| Ok(())).unwrap();
        assert_eq!(players(&same), ["alice", "bob"]);
        assert!(!copies.join("alice/log.txt").exists());

        write(&submissions.join("alice/data/book.txt"), "x");
        let (second, _) = take(&submissions, &copies, &all, (&[], &[]), None, &|| Ok(())).unwrap();
        assert_eq!(players(&second), ["alice v2", "bob"]);
        assert_eq!(second[0].submission.version, 2);
        let run = second[0].settings.cmd.as_deref().unwrap();
        assert!(Path::new(run).starts_with(copies.join("alice v2")), "{run}");
        assert!(copies.join("alice v2/data/book.txt").is_file() && !copies.join("alice").exists());
        all.extend(known(&second[..1]));

        // The first version again, and bob has left.
        fs::remove_dir_all(submissions.join("alice/data")).unwrap();
        fs::remove_dir_all(submissions.join("bob")).unwrap();
        let (third, _) = take(&submissions, &copies, &all, (&[], &[]), None, &|| Ok(())).unwrap();
        assert_eq!(players(&third), ["alice"]);
        assert!(!copies.join("bob").exists() && !copies.join("alice v2").exists());
    }

    #[test]
    fn every_file_counts() {
        let (_root, submissions, _) = folders(&["a"]);
        let folder = submissions.join("a");
        let mut seen = HashSet::new();
        let mut is_new = || seen.insert(digest(&folder, &|| Ok(())).unwrap());
        assert!(is_new() && !is_new());
        write(&folder.join("c"), "c");
        assert!(is_new());
        fs::rename(folder.join("c"), folder.join("b")).unwrap();
        assert!(is_new(), "another name");
        write(&folder.join("b"), "cd");
        assert!(is_new());
        fs::rename(folder.join("b"), folder.join("bc")).unwrap();
        write(&folder.join("bc"), "d");
        assert!(is_new());
        fs::create_dir(folder.join("empty")).unwrap();
        assert!(is_new());
        #[cfg(unix)]
        {
            make_executable(&folder.join("bc")).unwrap();
            assert!(is_new());
            std::os::unix::fs::symlink("bc", folder.join("link")).unwrap();
            assert!(is_new());
        }
        assert!(seen.iter().all(|digest| digest.len() == DIGITS), "{seen:?}");
    }

    #[test]
    #[cfg(unix)] // permissions
    fn says_what_is_no_player() {
        let (_root, submissions, copies) = folders(&["alice", "alice v2", "bob", "tool"]);
        fs::remove_file(submissions.join("bob/run")).unwrap();
        let (first, left_out) = take(&submissions, &copies, &[], (&[], &[]), None, &|| Ok(())).unwrap();
        assert_eq!(players(&first), ["alice", "tool"]);
        let names: Vec<_> = left_out.iter().map(|unfit| &*unfit.name).collect();
        assert_eq!(names, ["bob", "alice v2"]);
        write(&submissions.join("alice/more"), "");
        let taken = ["tool".to_string()];
        let (second, left_out) = take(
            &submissions,
            &copies,
            &known(&first),
            (&taken, &[]),
            None,
            &|| Ok(()),
        )
        .unwrap();
        assert_eq!(players(&second), ["alice v2"]);
        expect! {"another player is called `tool`; rename the folder"}
            .assert_eq(&left_out[2].why.shown().to_string());
        // A pipe is neither read nor copied, so it makes no other version.
        rustix::fs::mkfifoat(
            rustix::fs::CWD,
            submissions.join("tool/pipe"),
            rustix::fs::Mode::RUSR,
        )
        .unwrap();
        let (third, _) = take(
            &submissions,
            &copies,
            &known(&first),
            (&[], &[]),
            None,
            &|| Ok(()),
        )
        .unwrap();
        assert_eq!(players(&third), ["alice v2", "tool"]);
        assert!(!copies.join("tool/pipe").exists());
    }

    #[test]
    #[cfg(unix)] // links
    fn a_submission_that_is_a_link_is_no_player() {
        let (root, submissions, copies) = folders(&["ann"]);
        let elsewhere = root.path().join("home");
        fs::rename(submissions.join("ann"), &elsewhere).unwrap();
        std::os::unix::fs::symlink(&elsewhere, submissions.join("ann")).unwrap();
        let (versions, left_out) = take(&submissions, &copies, &[], (&[], &[]), None, &|| Ok(())).unwrap();
        assert!(versions.is_empty() && !copies.join("ann").exists());
        let why = left_out[0].why.raw();
        assert!(
            why.contains("it is a link") && why.ends_with("with `cp -rP`"),
            "{why}"
        );
    }

    #[test]
    #[cfg(target_os = "linux")] // permissions, links, and their exchange
    fn copies_are_of_own_files_and_have_no_other_permissions() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        use std::sync::atomic::{AtomicBool, Ordering};

        use rustix::fs::{CWD, RenameFlags, renameat_with};

        let (_root, submissions, copies) = folders(&["ann", "eve"]);
        for name in ["ann", "eve"] {
            write(&submissions.join(name).join("lib/bot"), name);
            write(&submissions.join(name).join("bot"), name);
        }
        let run = submissions.join("eve/run");
        fs::set_permissions(&run, fs::Permissions::from_mode(0o6777)).unwrap();
        // A link that takes the place of a file or folder is not followed.
        for name in ["bot", "lib"] {
            symlink(
                submissions.join("ann").join(name),
                submissions.join(format!(".{name}")),
            )
            .unwrap();
        }
        fs::create_dir_all(&copies).unwrap();
        let is_over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    for name in ["bot", "lib"] {
                        let (own, link) = (
                            submissions.join("eve").join(name),
                            submissions.join(format!(".{name}")),
                        );
                        for _ in 0..2 {
                            renameat_with(CWD, &own, CWD, &link, RenameFlags::EXCHANGE).unwrap();
                        }
                    }
                }
            });
            for number in 0..300 {
                let _ = copy_whole(
                    &submissions.join("eve"),
                    &copies.join(number.to_string()),
                    &|| Ok(()),
                );
            }
            is_over.store(true, Ordering::Relaxed);
        });
        for number in 0..300 {
            let copy = copies.join(number.to_string());
            let files = ["bot", "lib/bot"].map(|name| copy.join(name));
            for file in files
                .iter()
                .filter(|file| file.is_file() && file.canonicalize().unwrap() == **file)
            {
                assert_eq!(fs::read_to_string(file).unwrap(), "eve");
            }
        }
        copy_whole(&submissions.join("eve"), &copies.join("last"), &|| Ok(())).unwrap();
        let mode = |name: &str| {
            fs::metadata(copies.join("last").join(name))
                .unwrap()
                .permissions()
                .mode()
        };
        assert_eq!((mode("run") & 0o7777, mode("bot") & 0o7111), (0o755, 0));
    }

    #[test]
    fn an_unfinished_copy_is_made_again() {
        let (_root, submissions, copies) = folders(&["a"]);
        write(&copies.join(".copy-a/torn"), "x");
        let (versions, _) = take(&submissions, &copies, &[], (&[], &[]), None, &|| Ok(())).unwrap();
        assert_eq!(players(&versions), ["a"]);
        assert_eq!(fs::read_dir(&copies).unwrap().count(), 1);
        assert!(!copies.join("a/torn").exists());
    }

    mod slow {
        use super::*;

        #[test]
        #[ignore = "slow: .ci/run"]
        fn a_submission_has_a_limit_of_files() {
            let (_root, submissions, copies) = folders(&["ann", "eve"]);
            for number in 0..MAX_FILES {
                fs::write(submissions.join("eve").join(number.to_string()), "").unwrap();
            }
            let (versions, left_out) =
                take(&submissions, &copies, &[], (&[], &[]), None, &|| Ok(())).unwrap();
            assert_eq!(players(&versions), ["ann"]);
            assert_has(
                left_out[0].why.shown().to_string(),
                expect! {"the submission has more than 50000 files"},
            );
        }
    }
}
