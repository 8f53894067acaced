//! What grades depend on but the submissions: the rubric without its points, and the files that it names.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use referee_core::failure::Failure;
use referee_core::io::files;
use referee_core::io::text::ShowPath;
use sha2::{Digest as _, Sha256};

use super::rubric::Rubric;
use crate::config::settings::SEPARATOR;
use crate::config::submissions::RUN;
use crate::config::versions;

/// The current folder, which may have been deleted.
pub(super) fn current_folder() -> Result<PathBuf, Failure> {
    std::env::current_dir().map_err(|error| Failure::Usage(format!("the current folder: {error}")))
}

/// A state of a course.
pub(super) struct Identity {
    /// A hash of all that the games depend on but the submission and the wrapper.
    pub course: String,
    /// That of the wrapper.
    pub wrapper: Option<String>,
    /// The files and folders of the course.
    pub files: Vec<PathBuf>,
}

impl Identity {
    /// The state of a course as it is now.
    pub fn of(rubric: &Rubric, stop: &dyn Fn() -> io::Result<()>) -> Result<Identity, Failure> {
        let texts = rubric.identity();
        let mut found = found(&texts)?;
        let wrapper = rubric.wrapper.as_deref().map(Path::canonicalize);
        let wrapper = wrapper.transpose()?;
        if let Some(wrapper) = &wrapper {
            found.remove(wrapper);
        }
        let here = current_folder()?;
        let mut digest = Sha256::new();
        for text in &texts {
            digest.update(text);
            digest.update("\n");
        }
        for path in &found {
            digest.update(
                path.strip_prefix(&here)
                    .unwrap_or(path)
                    .as_os_str()
                    .as_encoded_bytes(),
            );
            digest.update(digest_of(path, stop)?);
        }
        Ok(Identity {
            course: files::hexadecimal(digest),
            wrapper: wrapper
                .as_deref()
                .map(|wrapper| digest_of(wrapper, stop))
                .transpose()?,
            files: found.into_iter().chain(wrapper).collect(),
        })
    }

    /// The key of a submission with this hash.
    pub fn key(&self, submission: &str) -> String {
        let mut digest = Sha256::new();
        digest.update(format!("{submission} {}", self.course));
        files::hexadecimal(digest)
    }
}

fn digest_of(path: &Path, stop: &dyn Fn() -> io::Result<()>) -> Result<String, Failure> {
    let digest = if path.is_dir() {
        versions::digest(path, stop)
    } else {
        files::sha256(path)
    };
    digest.map_err(|error| Failure::Usage(format!("{}: {error}", path.shown())))
}

/// The files and folders that these texts or a word in them name, and what a program reads beside itself.
fn found(texts: &[String]) -> Result<BTreeSet<PathBuf>, Failure> {
    let here = current_folder()?.canonicalize()?;
    let is_end = |sign: char| sign.is_whitespace() || sign == '=' || SEPARATOR.contains(sign);
    let words = texts
        .iter()
        .flat_map(|text| text.split(is_end).chain([text.as_str()]));
    let mut found = BTreeSet::new();
    for word in words.filter(|word| !word.is_empty()).collect::<BTreeSet<_>>() {
        let Ok(mut path) = Path::new(word).canonicalize() else {
            continue;
        };
        let parent = path.parent().map(Path::to_path_buf).unwrap_or_default();
        let is_below = parent != here && parent.starts_with(&here);
        if path.is_file() && (path.file_name().is_some_and(|name| name == RUN) || is_below) {
            path = parent;
        } else if let Some(extension) = path.extension().filter(|_| path.is_file()) {
            let beside = fs::read_dir(&parent)?.flatten().map(|entry| entry.path());
            found.extend(beside.filter(|other| other.extension() == Some(extension) && other.is_file()));
        }
        if !here.starts_with(&path) {
            found.insert(path);
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_course_has_the_folders_of_its_bots_and_the_files_that_its_programs_read() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir(root.join("staff")).unwrap();
        for name in ["staff/run", "game.py", "board.py", "notes.txt"] {
            fs::write(root.join(name), "").unwrap();
        }
        let texts = ["staff/run", "game.py"].map(|name| format!("cmd={}", root.join(name).to_str().unwrap()));
        let expected = ["staff", "game.py", "board.py"].map(|name| root.join(name));
        assert_eq!(found(&texts).unwrap(), BTreeSet::from(expected));
    }
}
