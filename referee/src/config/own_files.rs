//! Whether the files of submissions are their own: no link leads to another person's file, which would play in
//! their name.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use referee_core::failure::Stop;
use referee_core::io::interrupt;
use referee_core::io::text::{ShowPath, printable};
use referee_core::system::files::{identity, owner};

/// The most folders in each other.
pub(crate) const MAX_DEPTH: usize = 100;

/// The most links of a submission, and the most names in the path that one of them leads to: whoever follows a link to
/// a link walks through all of these.
const MAX_LINKS: usize = 5000;
const MAX_PARTS: usize = 100;

/// Folders of the system, which hold no submission: links may lead there.
const SYSTEM: [&str; 9] = [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/nix/store",
    "/gnu/store",
];

/// Names of programs to which links may lead, as in a virtual environment, perhaps with a version behind them.
const RUNTIMES: [&str; 4] = ["python", "pypy", "node", "java"];

/// The most characters of a target in a message.
const MAX_QUOTE: usize = 200;

/// Folders in which installers of Python and Node put packages, perhaps without a copy of their own.
const PACKAGES: [&str; 2] = ["site-packages", "node_modules"];

/// The files with several names (hard links), each with the number of its names and those that were found: the
/// place of the submission, and the path in it.
type Shared = HashMap<[u64; 2], (u64, Vec<(usize, PathBuf)>)>;

/// Why a submission is not made of its own files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NotOwn {
    pub why: String,
    /// Whether somebody else's files would play, and perhaps without the author's doing.
    pub is_shared: bool,
}

/// Why each of these submissions, which are in `folder`, is not made of its own files; `None` for all others. `course`
/// are files that belong to nobody of them.
pub(crate) fn problems(folder: &Path, submissions: &[PathBuf], course: &[PathBuf]) -> Vec<Option<NotOwn>> {
    let mut shared = Shared::new();
    let own = |is_shared| move |why| NotOwn { why, is_shared };
    let check = |(place, submission): (usize, &PathBuf)| {
        let problem = linked(folder, submission, submissions).map(own(true));
        problem.or_else(|| {
            in_submission(submission, place, &mut shared)
                .err()
                .map(own(false))
        })
    };
    let mut problems: Vec<Option<NotOwn>> = submissions.iter().enumerate().map(check).collect();
    let mut of_course = HashMap::new();
    for path in course {
        add_linked(path, &mut of_course);
    }
    // In an order of their own, so that the same files always get the same message.
    let mut shared: Vec<_> = shared.into_iter().collect();
    shared.sort_by(|one, other| one.1.cmp(&other.1));
    for (file, (names, found)) in shared {
        if let Some(same) = of_course.get(&file) {
            for (place, path) in &found {
                let (path, same) = (submissions[*place].join(path).shown(), same.shown());
                problems[*place].get_or_insert_with(|| {
                    own(true)(format!(
                        "`{path}` and `{same}` are one file (a hard link); unpack the submission again"
                    ))
                });
            }
            continue;
        }
        // Packages have more names, in the store of an installer.
        let is_of_package =
            |(_, path): &(usize, PathBuf)| path.iter().any(|part| PACKAGES.iter().any(|name| part == *name));
        if names != found.len() as u64 && found.iter().all(is_of_package) {
            continue;
        }
        // The owner of a file has not linked it. If neither is the owner, both are in doubt.
        let owns = |place: usize, path: &Path| {
            let submission = &submissions[place];
            owner(submission) == owner(&submission.join(path))
        };
        let is_told = found.iter().any(|(place, path)| !owns(*place, path));
        for (place, path) in &found {
            let Some((other, name)) = found.iter().find(|(other, _)| other != place) else {
                continue;
            };
            if is_told && owns(*place, path) {
                continue;
            }
            problems[*place].get_or_insert_with(|| {
                let same = submissions[*other].join(name).shown();
                let path = submissions[*place].join(path).shown();
                own(true)(format!("`{path}` and `{same}` are one file (a hard link); unpack both submissions again, each in its own folder"))
            });
        }
    }
    problems
}

/// Notes the files with several names in a file or folder.
fn add_linked(path: &Path, found: &mut HashMap<[u64; 2], PathBuf>) {
    let Ok(metadata) = path.symlink_metadata() else {
        return;
    };
    if metadata.is_dir() {
        let entries = fs::read_dir(path).into_iter().flatten().flatten();
        entries.for_each(|entry| add_linked(&entry.path(), found));
    } else if let Some((file, _)) = identity(&metadata).filter(|(_, names)| *names > 1 && metadata.is_file())
    {
        found.insert(file, path.to_path_buf());
    }
}

/// Why a submission whose folder is a link is not its own: it leads to another one, or to all of them.
fn linked(folder: &Path, submission: &Path, submissions: &[PathBuf]) -> Option<String> {
    if !submission.is_symlink() {
        return None;
    }
    let (folder, real) = (folder.canonicalize().ok()?, submission.canonicalize().ok()?);
    let leads_to = |other: &PathBuf| {
        let other = other
            .canonicalize()
            .ok()
            .filter(|other| !folder.starts_with(other));
        other.is_some_and(|other| real.starts_with(other))
    };
    let mut others = submissions.iter().filter(|other| *other != submission);
    (folder.starts_with(&real) || others.any(leads_to)).then(|| {
        let (submission, real) = (submission.shown(), real.shown());
        format!(
            "`{submission}` is a link to `{real}`, which contains other people's files; copy the \
            submission to its own folder"
        )
    })
}

/// Looks at all links in a submission, and notes the files with several names.
fn in_submission(submission: &Path, place: usize, shared: &mut Shared) -> Result<(), String> {
    let failed = |path: &Path, why: &dyn std::fmt::Display| format!("`{}`: {why}", path.shown());
    let root = submission
        .canonicalize()
        .map_err(|error| failed(submission, &error))?;
    let mut links = Links::new(root);
    let mut open = vec![PathBuf::new()];
    while let Some(below) = open.pop() {
        let entries = match fs::read_dir(submission.join(&below)) {
            Ok(entries) => entries,
            // The bot cannot read it, either.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => continue,
            // It has just been replaced, which the copying notices.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(failed(&submission.join(below), &error)),
        };
        for entry in entries.flatten() {
            let path = below.join(entry.file_name());
            let Ok(metadata) = entry.metadata() else {
                continue;
            };
            if metadata.is_symlink() {
                let target = fs::read_link(entry.path()).map_err(|error| failed(&entry.path(), &error))?;
                links
                    .check(&path, &target)
                    .map_err(|why| failed(&entry.path(), &why))?;
            } else if metadata.is_dir() {
                if path.components().count() >= MAX_DEPTH {
                    return Err(failed(
                        submission,
                        &format!("more than {MAX_DEPTH} folders in each other"),
                    ));
                }
                open.push(path);
            } else if let Some((file, names)) = identity(&metadata).filter(|(_, names)| *names > 1) {
                shared
                    .entry(file)
                    .or_insert((names, Vec::new()))
                    .1
                    .push((place, path));
            }
        }
    }
    Ok(())
}

/// The links of a submission, of which there is a limit.
pub(crate) struct Links {
    /// The real path of its folder.
    root: PathBuf,
    count: usize,
}

impl Links {
    pub fn new(root: PathBuf) -> Links {
        Links { root, count: 0 }
    }

    /// Checks a link of this path in the folder.
    pub fn check(&mut self, path: &Path, target: &Path) -> Result<(), String> {
        interrupt::check().map_err(|signal| Stop::from(signal).to_string())?;
        self.count += 1;
        if self.count > MAX_LINKS {
            return Err(format!(
                "there are more than {MAX_LINKS} links; put the files themselves there"
            ));
        }
        if target.components().count() > MAX_PARTS {
            return Err(format!(
                "this is a link to a path of more than {MAX_PARTS} names; put the file itself there"
            ));
        }
        if leads_out(&self.root, path, target) {
            let target = printable(&target.to_string_lossy(), MAX_QUOTE);
            return Err(format!(
                "this is a link to `{target}`, outside of the submission; put the file itself there"
            ));
        }
        Ok(())
    }
}

/// Whether a link leads to what may be another person's file, here or in a copy of the submission. `root` is the
/// real path of its folder, and `path` that of the link in it.
fn leads_out(root: &Path, path: &Path, target: &Path) -> bool {
    let real = root.join(path).canonicalize();
    if target.is_relative() {
        // Where it leads by its words: `../ann/bot.py` is ann's in a copy, even if it is not here.
        let mut depth = path.components().count() - 1;
        for part in target.components() {
            match part {
                Component::ParentDir if depth == 0 => return true,
                Component::ParentDir => depth -= 1,
                Component::Normal(_) => depth += 1,
                _ => {}
            }
        }
        if real.as_ref().is_ok_and(|real| real.starts_with(root)) {
            return false;
        }
    }
    let Ok(real) = real else {
        // Where it will lead is known only without a way back.
        let goes_back = target
            .components()
            .skip_while(|part| *part == Component::ParentDir);
        let goes_back = goes_back.into_iter().any(|part| part == Component::ParentDir);
        return goes_back || target.is_absolute() && !is_system(target) && !is_runtime(target);
    };
    let is_near = root.parent().is_some_and(|near| real.starts_with(near));
    !is_system(&real) && (is_near || real.is_dir() || !is_runtime(&real))
}

fn is_system(path: &Path) -> bool {
    SYSTEM.iter().any(|folder| path.starts_with(folder))
}

/// Whether a path ends with the name of a [runtime](RUNTIMES).
fn is_runtime(path: &Path) -> bool {
    let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
    let name = name.trim_end_matches(|sign: char| sign.is_ascii_digit() || sign == '.');
    RUNTIMES.contains(&name)
}

#[cfg(test)]
mod tests {
    // Links are those of Unix.
    #![cfg(unix)]
    #![allow(clippy::mixed_attributes_style)]

    use sentences::expect;
    use std::os::unix::fs::symlink;

    use tempfile::TempDir;

    use super::*;

    fn problems_of(folder: &Path, submissions: &[PathBuf]) -> Vec<Option<String>> {
        let problems = problems(folder, submissions, &[]).into_iter();
        problems
            .map(|problem| problem.map(|problem| problem.why))
            .collect()
    }

    /// A folder `in` with submissions of these names, each with a file `run`.
    fn folder(names: &[&str]) -> (TempDir, PathBuf, Vec<PathBuf>) {
        let root = TempDir::new().unwrap();
        let folder = root.path().join("in");
        let submissions: Vec<PathBuf> = names.iter().map(|name| folder.join(name)).collect();
        for submission in &submissions {
            fs::create_dir_all(submission.join("lib")).unwrap();
            fs::write(submission.join("run"), "").unwrap();
        }
        (root, folder, submissions)
    }

    #[test]
    fn links_inside_and_to_the_system_are_allowed() {
        let (_root, folder, submissions) = folder(&["ann"]);
        let ann = &submissions[0];
        for (target, name) in [
            ("lib", "lib64"),
            ("../run", "lib/up"),
            ("lib/nothing-yet", "broken"),
            ("/usr/bin/env", "env"),
            ("/bin/no-such-program", "old"),
            ("/opt/homebrew/bin/python3.12", "python3"),
            ("python3", "python"),
        ] {
            symlink(target, ann.join(name)).unwrap();
        }
        assert_eq!(problems_of(&folder, &submissions), [None]);
    }

    #[test]
    fn links_that_lead_out_are_refused() {
        let (root, folder, submissions) = folder(&["ann", "eve"]);
        let (ann, eve) = (&submissions[0], &submissions[1]);
        fs::write(folder.join("python3"), "").unwrap();
        symlink(".", eve.join("here")).unwrap();
        let own = eve.join("run");
        for target in [
            "../ann/run",
            ann.join("run").to_str().unwrap(),
            "../ann",
            "../nobody-yet/run",
            "../eve/run", // in a copy, the folder of another one
            own.to_str().unwrap(),
            "here/../../ann/run",
            "here/../../nobody-yet",
            "/etc/passwd",
            "/usr/../etc/passwd",
            "/usr/../home/nobody-yet",
            "/proc/self/environ",
            "/",
            "..",
            "../python3",
            root.path().to_str().unwrap(),
        ] {
            for link in ["x", "lib/x"] {
                let target = if link == "x" || target.starts_with('/') {
                    target.into()
                } else {
                    format!("../{target}")
                };
                symlink(&target, eve.join(link)).unwrap();
                let found = problems_of(&folder, &submissions);
                let shown = format!(
                    "`{}`: this is a link to `{target}`, outside",
                    eve.join(link).shown()
                );
                assert!(
                    found[1].as_ref().is_some_and(|why| why.starts_with(&shown)),
                    "{target}: {found:?}"
                );
                assert_eq!(found[0], None);
                fs::remove_file(eve.join(link)).unwrap();
            }
        }
        assert_eq!(problems_of(&folder, &submissions), [None, None]);
    }

    #[test]
    fn a_submission_is_no_link_to_another_one() {
        let (root, folder, mut submissions) = folder(&["ann"]);
        fs::create_dir_all(root.path().join("home/zoe/run")).unwrap();
        for (target, name) in [
            ("ann", "eve"),
            ("ann/lib", "gil"),
            (".", "all"),
            ("..", "more"),
            ("../home/zoe", "zoe"),
        ] {
            symlink(target, folder.join(name)).unwrap();
            submissions.push(folder.join(name));
        }
        let found = problems_of(&folder, &submissions);
        let is_refused: Vec<bool> = found.iter().map(Option::is_some).collect();
        assert_eq!(is_refused, [false, true, true, true, true, false], "{found:?}");
        assert!(
            found[1].as_ref().unwrap().contains("in/eve` is a link to `"),
            "{found:?}"
        );
        symlink("../home/zoe", folder.join("twin")).unwrap();
        submissions.push(folder.join("twin"));
        let found = problems_of(&folder, &submissions);
        assert!(found[5].is_some() && found[6].is_some(), "{found:?}");
    }

    #[test]
    fn a_file_of_two_submissions_is_refused() {
        let (root, folder, submissions) = folder(&["ann", "bob", "eve"]);
        fs::hard_link(submissions[0].join("run"), submissions[2].join("lib/mine")).unwrap();
        fs::hard_link(submissions[1].join("run"), submissions[1].join("again")).unwrap();
        // Packages of an installer, with one more name in its store.
        fs::write(root.path().join("store"), "").unwrap();
        for submission in &submissions {
            let packages = submission.join("venv/lib/site-packages");
            fs::create_dir_all(&packages).unwrap();
            fs::hard_link(root.path().join("store"), packages.join("a.py")).unwrap();
        }
        // One more name elsewhere does not help.
        fs::hard_link(submissions[0].join("run"), root.path().join("third")).unwrap();
        let found = problems_of(&folder, &submissions);
        assert_eq!(found[1], None);
        for (place, own, other) in [
            (0, "in/ann/run", "in/eve/lib/mine"),
            (2, "in/eve/lib/mine", "in/ann/run"),
        ] {
            let why = found[place].as_ref().unwrap();
            assert!(
                why.contains(&format!("{own}` and `")) && why.contains(&format!("{other}` are one file")),
                "{why}"
            );
        }
    }

    #[test]
    fn links_have_a_limit() {
        let (_root, folder, submissions) = folder(&["ann"]);
        let ann = &submissions[0];
        let mut links = Links::new(ann.canonicalize().unwrap());
        for _ in 0..MAX_LINKS {
            links.check(Path::new("link"), Path::new("run")).unwrap();
        }
        let why = links.check(Path::new("link"), Path::new("run")).unwrap_err();
        expect! {"there are more than 5000 links; put the files themselves there"}.assert_eq(&why);
        symlink("lib/../".repeat(60) + "run", ann.join("link")).unwrap();
        let found = problems_of(&folder, &submissions);
        let end = "link`: this is a link to a path of more than 100 names; put the file itself there";
        assert!(found[0].as_ref().unwrap().ends_with(end), "{found:?}");
    }

    #[test]
    fn folders_in_folders_have_a_limit() {
        let (_root, folder, submissions) = folder(&["ann", "eve"]);
        let deep = |count| submissions[1].join(vec!["d"; count].join("/"));
        fs::create_dir_all(deep(MAX_DEPTH - 1)).unwrap();
        assert_eq!(problems_of(&folder, &submissions), [None, None]);
        fs::create_dir_all(deep(MAX_DEPTH)).unwrap();
        let found = problems_of(&folder, &submissions);
        assert!(
            found[0].is_none()
                && found[1]
                    .as_ref()
                    .unwrap()
                    .ends_with("more than 100 folders in each other")
        );
    }
}
