//! Makes submissions of what students have sent: folders and archives, as learning platforms export them.

mod archive;
mod refusal;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use referee_core::io::files::is_full;
use referee_core::io::text::{ShowPath, printable};
use referee_core::system::files::is_left_out;
use tempfile::TempDir;

use crate::config::prepared::make_programs;
use crate::config::submissions::{ADAPTER, MAX_NAME, RUN, is_submission};
use crate::config::versions::{self, copy_whole, keep_time};
use crate::config::{lookalikes, own_files};
pub(crate) use archive::ending;
pub(crate) use refusal::Refusal;

/// The most archives in each other that are unpacked.
const MOST_ARCHIVES: usize = 3;

/// The file that makes a folder a Python package.
const PACKAGE: &str = "__init__.py";

/// What students add to an archive, and no program needs.
const DOCUMENTS: [&str; 7] = ["txt", "md", "pdf", "html", "doc", "docx", "odt"];

/// What was done with a submission.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Done {
    New,
    Replaced,
    Unchanged,
    /// It was not collected. An earlier submission of the student may still be there.
    Refused {
        why: Refusal,
        has_earlier: bool,
    },
    /// It is in the folder, and no longer in the inbox.
    Gone,
}

impl Done {
    /// Whether an earlier submission of the student stays.
    pub fn has_earlier(&self) -> bool {
        matches!(
            self,
            Done::Refused {
                has_earlier: true,
                ..
            }
        )
    }
}

/// What a student has sent, and what was done with it.
pub(crate) struct Collected {
    pub name: String,
    /// The files or folders in the inbox.
    pub sent: Vec<PathBuf>,
    /// The archive that was in it, if it was that.
    pub inner: Option<String>,
    /// An earlier one with the same files.
    pub same_as: Option<String>,
    pub done: Done,
}

/// Whether an archive or a folder of this name is a late submission, as Canvas marks those.
pub(crate) fn is_late(name: &str) -> bool {
    name.split('_').any(|word| word == "LATE")
}

/// The student in a name that Moodle makes: of a folder, `Ann Ash_123_assignsubmission_file`, or of a file, with `_` and
/// its own name after that. Other names are the student's.
fn student(name: &str) -> &str {
    let of_moodle = || {
        let (start, end) = name.split_once("_assignsubmission_file")?;
        let (student, number) = start.rsplit_once('_')?;
        let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        (is_number && !student.is_empty() && (end.is_empty() || end.starts_with('_'))).then_some(student)
    };
    of_moodle().unwrap_or(name)
}

/// Names submissions after their students, unless two students have the same name, or an earlier submission has the
/// longer one.
fn named_after_students(
    sent: BTreeMap<String, Vec<PathBuf>>,
    folder: &Path,
) -> BTreeMap<String, Vec<PathBuf>> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for name in sent.keys() {
        *counts.entry(student(name).to_string()).or_default() += 1;
    }
    let name_of = |name: String| match student(&name) {
        short if counts[short] == 1 && !folder.join(&name).exists() => short.to_string(),
        _ => name,
    };
    sent.into_iter()
        .map(|(name, paths)| (name_of(name), paths))
        .collect()
}

/// Collects all submissions of an inbox into a folder, in the order of their names. `report` is told of each one.
pub(crate) fn collect(
    inbox: &Path,
    folder: &Path,
    wrapper: Option<&Path>,
    stop: &dyn Fn() -> io::Result<()>,
    report: &mut dyn FnMut(Collected) -> io::Result<()>,
) -> io::Result<()> {
    let here =
        |place: &Path, error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", place.shown()));
    let mut sent: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for entry in fs::read_dir(inbox).map_err(|error| here(inbox, error))? {
        let name = entry?.file_name();
        if name.as_encoded_bytes().starts_with(b".") || is_left_out(&name) {
            continue;
        }
        let path = inbox.join(&name);
        let name = name.to_string_lossy();
        let ending = archive::ending(&name).filter(|_| !path.is_dir());
        let name = &name[..name.len() - ending.map_or(0, str::len)];
        sent.entry(name.to_string()).or_default().push(path);
    }
    let sent = named_after_students(sent, folder);
    fs::create_dir_all(folder).map_err(|error| here(folder, error))?;
    let mut present = BTreeSet::new();
    for entry in fs::read_dir(folder).map_err(|error| here(folder, error))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if !name.starts_with('.') && entry.file_type()?.is_dir() {
            present.insert(name);
        }
    }
    let all: BTreeSet<&str> = sent.keys().chain(&present).map(String::as_str).collect();
    lookalikes::warn(all);
    let folders: Vec<PathBuf> = sent
        .values()
        .flatten()
        .filter(|path| path.is_dir() && !path.is_symlink())
        .cloned()
        .collect();
    let problems = own_files::problems(inbox, &folders, &[]);
    let problems: BTreeMap<&PathBuf, String> = folders
        .iter()
        .zip(problems)
        .filter_map(|(folder, why)| Some((folder, why?.why)))
        .collect();
    for name in present.iter().filter(|name| !sent.contains_key(*name)) {
        report(Collected {
            name: name.clone(),
            sent: Vec::new(),
            inner: None,
            same_as: None,
            done: Done::Gone,
        })?;
    }
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    for (name, mut paths) in sent {
        stop()?;
        paths.sort();
        // In the folder, so that what is made can be moved.
        let scratch = tempfile::Builder::new().prefix(".collect-").tempdir_in(folder)?;
        let made = only_one(&name, &paths, &problems, &scratch, wrapper, stop);
        stop()?;
        let has_earlier = present.contains(&name);
        let (inner, same_as, done) =
            match made.and_then(|made| Ok((keep(&made, &folder.join(&name), stop)?, made))) {
                Ok((done, made)) => {
                    let first = names.entry(made.digest).or_insert_with(|| name.clone());
                    let same_as = (*first != name).then(|| first.clone());
                    (made.inner, same_as, done)
                }
                Err(error) if is_full(&error) => return Err(here(folder, error)),
                Err(error) => (
                    None,
                    None,
                    Done::Refused {
                        why: error
                            .downcast()
                            .unwrap_or_else(|error| Refusal::new(error.to_string(), "", "")),
                        has_earlier,
                    },
                ),
            };
        report(Collected {
            name,
            sent: paths,
            inner,
            same_as,
            done,
        })?;
    }
    Ok(())
}

/// A submission that was made in a scratch folder.
struct Made {
    place: PathBuf,
    digest: String,
    inner: Option<String>,
}

/// Puts a submission into its folder, unless it is there already.
fn keep(made: &Made, folder: &Path, stop: &dyn Fn() -> io::Result<()>) -> io::Result<Done> {
    let Made { place, digest, .. } = made;
    if folder.symlink_metadata().is_err() {
        return fs::rename(place, folder).map(|()| Done::New);
    }
    if !folder.is_symlink() && versions::digest(folder, stop).ok().as_ref() == Some(digest) {
        return Ok(Done::Unchanged);
    }
    let old = place.with_extension("old");
    fs::rename(folder, &old)?;
    fs::rename(place, folder).map(|()| Done::Replaced)
}

/// The submission that was sent under a name. Several are one only if they are equal: nobody knows whose the name is.
fn only_one(
    name: &str,
    sent: &[PathBuf],
    problems: &BTreeMap<&PathBuf, String>,
    scratch: &TempDir,
    wrapper: Option<&Path>,
    stop: &dyn Fn() -> io::Result<()>,
) -> io::Result<Made> {
    let is_odd = name.trim_matches('.').trim().is_empty() || name.trim() != name;
    if is_odd || name.len() > MAX_NAME || [RUN, ADAPTER].iter().any(|own| own.eq_ignore_ascii_case(name)) {
        let why = format!("a submission cannot be called `{}`", printable(name, MAX_NAME));
        return Err(Refusal::new(why, "give it another name", "Submit it under another name.").into());
    }
    let mut all: Vec<Made> = Vec::new();
    for (number, path) in sent.iter().enumerate() {
        if let Some(why) = problems.get(path) {
            return Err(Refusal::new(why, "", "").into());
        }
        let scratch = scratch.path().join(number.to_string());
        fs::create_dir(&scratch)?;
        all.push(made_of(path, &scratch, wrapper, stop)?);
    }
    if all.windows(2).any(|two| two[0].digest != two[1].digest) {
        let why = format!(
            "they differ, and each would be the submission `{}`",
            printable(name, MAX_NAME)
        );
        let student = "Tell your instructor which one is yours.";
        return Err(Refusal::new(why, "rename or delete the wrong ones", student).into());
    }
    all.into_iter()
        .next()
        .ok_or_else(|| io::ErrorKind::NotFound.into())
}

/// Makes a submission in an empty folder.
fn made_of(
    sent: &Path,
    scratch: &Path,
    wrapper: Option<&Path>,
    stop: &dyn Fn() -> io::Result<()>,
) -> io::Result<Made> {
    if sent.is_symlink() {
        let why = "it is a link, which could lead to other people's files";
        let (instructor, student) = (
            "copy the files themselves, with `cp -rP`",
            "Submit the files themselves.",
        );
        return Err(Refusal::new(why, instructor, student).into());
    }
    let mut place = scratch.join("0");
    let mut inner = None;
    if sent.is_dir() {
        versions::digest(sent, stop)?;
        copy_whole(sent, &place, stop)?;
    } else if archive::ending(&sent.file_name().unwrap_or_default().to_string_lossy()).is_some() {
        place = unpacked(sent, place, stop)?;
    } else {
        let why = format!(
            "it is neither a folder nor an archive ({})",
            archive::ENDINGS.join(", ")
        );
        return Err(Refusal::new(why, "", "Submit a .zip with all your files.").into());
    }
    for number in 1..=MOST_ARCHIVES {
        let Some(archive) = only_archive(&place)? else {
            break;
        };
        place = unpacked(&archive, scratch.join(number.to_string()), stop)?;
        inner = archive.file_name().map(OsStr::shown);
    }
    if visible(&place)?.is_empty() {
        return Err(Refusal::new("it is empty", "", "Submit your files.").into());
    }
    for path in wrapper.map_or(Ok(Vec::new()), visible)? {
        let own = place.join(path.file_name().unwrap_or_default());
        remove(&own)?;
        copy(&path, &own)?;
    }
    let digest = versions::digest(&place, stop)?;
    Ok(Made { place, digest, inner })
}

/// Unpacks an archive, and returns the folder that has its files: often one folder is around all of them. A Python
/// package stays in its folder, by whose name it is imported.
fn unpacked(archive: &Path, to: PathBuf, stop: &dyn Fn() -> io::Result<()>) -> io::Result<PathBuf> {
    fs::create_dir(&to)?;
    archive::unpack(archive, &to, stop)?;
    // Archives of Windows do not tell which files are programs.
    make_programs(&to)?;
    let mut place = to;
    for _ in 0..MOST_ARCHIVES {
        match visible(&place)?.as_slice() {
            [only] if only.is_dir() && !only.is_symlink() && !only.join(PACKAGE).exists() => {
                place.clone_from(only);
            }
            _ => break,
        }
    }
    Ok(place)
}

/// The archive that is the submission: the only one in a folder that has nothing else but documents.
fn only_archive(folder: &Path) -> io::Result<Option<PathBuf>> {
    let is_archive = |path: &&PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        archive::ending(&name).is_some() && path.is_file() && !path.is_symlink()
    };
    let is_document = |path: &&PathBuf| {
        let extension = path.extension().and_then(OsStr::to_str).unwrap_or_default();
        path.is_file()
            && DOCUMENTS
                .iter()
                .any(|known| known.eq_ignore_ascii_case(extension))
    };
    let entries = visible(folder)?;
    let (archives, others): (Vec<&PathBuf>, Vec<&PathBuf>) = entries.iter().partition(is_archive);
    if is_submission(folder) || !others.iter().all(is_document) {
        return Ok(None);
    }
    match archives.as_slice() {
        [] => Ok(None),
        [only] => Ok(Some((*only).clone())),
        several => {
            let names: Vec<String> = several
                .iter()
                .filter_map(|path| Some(format!("`{}`", path.file_name()?.shown())))
                .collect();
            let why = format!("it contains several archives: {}", names.join(", "));
            Err(Refusal::new(why, "delete the older ones", "Submit one archive.").into())
        }
    }
}

/// What is in a folder, but for what tools and desktops leave there; in the order of the names.
fn visible(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path()));
    let mut entries = entries.collect::<io::Result<Vec<_>>>()?;
    entries.retain(|path| !path.file_name().is_some_and(is_left_out));
    entries.sort();
    Ok(entries)
}

fn remove(path: &Path) -> io::Result<()> {
    match path.symlink_metadata() {
        Err(_) => Ok(()),
        Ok(found) if found.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
    }
}

/// Copies a file or folder of the course; what links lead to instead of the links.
pub(crate) fn copy(from: &Path, to: &Path) -> io::Result<()> {
    if !from.is_dir() {
        fs::copy(from, to)?;
        if let (Ok(original), Ok(copy)) = (from.metadata(), File::open(to)) {
            keep_time(&original, &copy);
        }
        return Ok(());
    }
    fs::create_dir(to)?;
    for path in visible(from)? {
        copy(&path, &to.join(path.file_name().unwrap_or_default()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_folder_that_is_too_large_is_copied() {
        let folder = TempDir::new().unwrap();
        let [sent, scratch] = ["sent", "scratch"].map(|name| folder.path().join(name));
        fs::create_dir(&sent).unwrap();
        fs::create_dir(&scratch).unwrap();
        let file = File::create(sent.join("data")).unwrap();
        file.set_len(versions::MAX_LENGTH + 1).unwrap();
        let error = made_of(&sent, &scratch, None, &|| Ok(())).err().unwrap();
        assert!(error.to_string().contains("larger than 1 GB"), "{error}");
        assert_eq!(fs::read_dir(&scratch).unwrap().count(), 0);
    }
}
