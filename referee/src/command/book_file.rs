//! The file of a book that is being made. An interrupted book is saved, and the same command
//! continues it.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use super::shown;
use crate::io::failure::Failure;
use crate::io::files;
use crate::schedule::openings::MAX_BOOK_SIZE;

/// The number of openings accepted and rejected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Scores in the window.
    pub accepted: u64,
    /// Scores outside the window.
    pub outside: u64,
    /// Proven wins, losses and draws.
    pub proven: u64,
}

impl Tally {
    /// The number of openings that were evaluated.
    pub const fn sampled(self) -> u64 {
        self.accepted + self.outside + self.proven
    }

    /// The last line of an interrupted book.
    fn to_line(self) -> String {
        let Tally {
            accepted,
            outside,
            proven,
        } = self;
        format!(
            "# Incomplete: {accepted} accepted, {outside} outside, {proven} proven; the same command continues it.\n"
        )
    }

    /// The counts of [`Tally::to_line`].
    fn from_line(line: &str) -> Option<Tally> {
        let mut numbers = line.split([' ', ',']).filter_map(|word| word.parse().ok());
        let tally = Tally {
            accepted: numbers.next()?,
            outside: numbers.next()?,
            proven: numbers.next()?,
        };
        (tally.to_line().trim_end() == line).then_some(tally)
    }
}

/// Where a book is written.
pub enum BookFile {
    /// Standard output.
    Stdout,
    /// A new file, removed unless it is written.
    New {
        path: PathBuf,
        file: File,
        is_written: bool,
    },
    /// An interrupted book.
    Begun(PathBuf),
}

impl BookFile {
    /// Opens the output of a book that begins with this preface. Returns an interrupted book,
    /// if the file has one, and its counts.
    pub fn open(path: Option<&Path>, preface: &str) -> Result<(BookFile, Option<(String, Tally)>), Failure> {
        let Some(path) = path else {
            return Ok((BookFile::Stdout, None));
        };
        let failure = |why: String| Failure::Usage(format!("--out {}: {why}", path.display()));
        let error = match File::create_new(path) {
            Ok(file) => {
                let new = BookFile::New {
                    path: path.to_path_buf(),
                    file,
                    is_written: false,
                };
                return Ok((new, None));
            }
            Err(error) => error,
        };
        if error.kind() != ErrorKind::AlreadyExists {
            return Err(failure(error.to_string()));
        }
        let bytes = files::read(path, MAX_BOOK_SIZE)
            .ok()
            .flatten()
            .unwrap_or_default();
        let begun = std::str::from_utf8(&bytes).ok().and_then(begun);
        match begun {
            Some(begun) if begun.0.starts_with(preface) => {
                Ok((BookFile::Begun(path.to_path_buf()), Some(begun)))
            }
            Some(_) => Err(failure(
                "an interrupted book of another command; its second line is that command".into(),
            )),
            None => Err(failure(format!(
                "{error}; choose another file, or delete this one"
            ))),
        }
    }

    /// Writes a whole book.
    pub fn write(mut self, book: &str) -> Result<(), Failure> {
        let result = match &mut self {
            BookFile::Stdout => {
                let mut stdout = io::stdout();
                return shown(stdout.write_all(book.as_bytes()).and_then(|()| stdout.flush()));
            }
            BookFile::New { file, is_written, .. } => {
                let result = file.write_all(book.as_bytes()).and_then(|()| file.sync_all());
                *is_written = result.is_ok();
                result
            }
            BookFile::Begun(path) => replace(path, book),
        };
        result.map_err(|error| Failure::Output(format!("--out {}: {error}", self.path().display())))
    }

    /// Saves an interrupted book. Returns the end of a sentence that says where it is.
    pub fn save(self, book: &str, tally: Tally) -> Result<String, Failure> {
        let saved = match self.path() {
            path if path.as_os_str().is_empty() => {
                "written; with `--out FILE` the same command continues an interrupted book".to_string()
            }
            path => format!(
                "saved in {}; run the same command again to continue",
                path.display()
            ),
        };
        self.write(&(book.to_string() + &tally.to_line()))?;
        Ok(saved)
    }

    /// The path; empty for standard output.
    fn path(&self) -> &Path {
        match self {
            BookFile::Stdout => Path::new(""),
            BookFile::New { path, .. } | BookFile::Begun(path) => path,
        }
    }
}

impl Drop for BookFile {
    fn drop(&mut self) {
        if let BookFile::New {
            path,
            is_written: false,
            ..
        } = self
        {
            let _ = fs::remove_file(path);
        }
    }
}

/// Splits an interrupted book into its openings and its counts.
fn begun(book: &str) -> Option<(String, Tally)> {
    let start = book.trim_end().rfind('\n')? + 1;
    let tally = Tally::from_line(book[start..].trim_end())?;
    Some((book[..start].to_string(), tally))
}

/// Replaces the content of a file in one step, so that an error leaves the old content.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    let mut name = path.as_os_str().to_owned();
    name.push(".new");
    let new = PathBuf::from(name);
    let written = File::create(&new).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.sync_all()
    });
    let replaced = written.and_then(|()| fs::rename(&new, path));
    if replaced.is_err() {
        let _ = fs::remove_file(&new);
    }
    replaced
}

#[cfg(test)]
mod tests {
    use super::*;

    const PREFACE: &str = "# A book\n# referee openings\n";
    const TALLY: Tally = Tally {
        accepted: 2,
        outside: 30,
        proven: 4,
    };

    fn message(result: Result<(BookFile, Option<(String, Tally)>), Failure>) -> String {
        result.err().unwrap().to_string()
    }

    #[test]
    fn continues_an_interrupted_book() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book");
        let open = || BookFile::open(Some(&path), PREFACE);
        let book = format!("{PREFACE}# cp 1\na1\n# cp 2\na2\n");
        let (file, begun) = open().unwrap();
        assert_eq!(begun, None);
        let saved = file.save(&book, TALLY).unwrap();
        assert!(saved.starts_with("saved in "), "{saved}");
        assert_eq!(
            fs::read_to_string(&path).unwrap(),
            format!("{book}# Incomplete: 2 accepted, 30 outside, 4 proven; the same command continues it.\n")
        );

        let (file, begun) = open().unwrap();
        assert_eq!(begun, Some((book.clone(), TALLY)));
        drop(file);
        let (file, _) = open().unwrap();
        file.write(&book).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), book);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn keeps_files_that_are_not_interrupted_books_of_the_command() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book");
        for (text, expected) in [
            (
                format!("# B book\n{}", TALLY.to_line()),
                "an interrupted book of another command",
            ),
            (format!("{PREFACE}# cp 1\na1\n"), "File exists"),
            (
                format!("{PREFACE}# Incomplete: 2 accepted, 30 outside, proven; the same"),
                "File exists",
            ),
            (String::new(), "File exists"),
        ] {
            fs::write(&path, &text).unwrap();
            let message = message(BookFile::open(Some(&path), PREFACE));
            assert!(message.contains(expected), "{message}");
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
    }
}
