//! The file of a book that is being made. An interrupted book is saved, and the same command
//! continues it.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::Path;

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
pub struct BookFile<'a> {
    /// `None` for standard output.
    path: Option<&'a Path>,
    /// A new file, which is removed unless it is written.
    is_empty: bool,
}

/// The openings of an interrupted book, and its counts.
type Begun = (String, Tally);

impl<'a> BookFile<'a> {
    /// Opens the output of a book that begins with this preface. Returns an interrupted book,
    /// if the file has one.
    pub fn open(path: Option<&'a Path>, preface: &str) -> Result<(BookFile<'a>, Option<Begun>), Failure> {
        let file = |is_empty| BookFile { path, is_empty };
        let Some(path) = path else {
            return Ok((file(false), None));
        };
        let why = match File::create_new(path) {
            Ok(_) => return Ok((file(true), None)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                let bytes = files::read(path, MAX_BOOK_SIZE)
                    .ok()
                    .flatten()
                    .unwrap_or_default();
                match std::str::from_utf8(&bytes).ok().and_then(begun) {
                    Some(begun) if begun.0.starts_with(preface) => return Ok((file(false), Some(begun))),
                    Some(_) => {
                        "an interrupted book of another command; its second line is that command".into()
                    }
                    None => format!("{error}; choose another file, or delete this one"),
                }
            }
            Err(error) => error.to_string(),
        };
        Err(Failure::Usage(format!("--out {}: {why}", path.display())))
    }

    /// Writes a whole book. An error leaves the old content.
    pub fn write(mut self, book: &str) -> Result<(), Failure> {
        let Some(path) = self.path else {
            let mut stdout = io::stdout();
            return shown(stdout.write_all(book.as_bytes()).and_then(|()| stdout.flush()));
        };
        let written = files::replace(path, book);
        self.is_empty &= written.is_err();
        written.map_err(|error| Failure::Output(format!("--out {}: {error}", path.display())))
    }

    /// Saves an interrupted book. Returns the end of a sentence that says where it is.
    pub fn save(self, book: &str, tally: Tally) -> Result<String, Failure> {
        let saved = match self.path {
            None => "written; with `--out FILE` the same command continues an interrupted book".to_string(),
            Some(path) => {
                format!(
                    "saved in {}; run the same command again to continue",
                    path.display()
                )
            }
        };
        self.write(&(book.to_string() + &tally.to_line()))?;
        Ok(saved)
    }
}

impl Drop for BookFile<'_> {
    fn drop(&mut self) {
        if let Some(path) = self.path.filter(|_| self.is_empty) {
            let _ = fs::remove_file(path);
        }
    }
}

/// Splits an interrupted book into its openings and its counts.
fn begun(book: &str) -> Option<Begun> {
    let start = book.trim_end().rfind('\n')? + 1;
    let tally = Tally::from_line(book[start..].trim_end())?;
    Some((book[..start].to_string(), tally))
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

    fn message(result: Result<(BookFile<'_>, Option<Begun>), Failure>) -> String {
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
