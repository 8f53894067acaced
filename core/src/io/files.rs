//! Files named by the user: their names as people type them; files that are read whole in bounded
//! memory, and written whole or not at all. Hashes of texts and files, which never change: files and runs
//! of different versions are compared by them.

use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{env, fmt, process, thread};

use lodestone_game::random::mix;
use lodestone_game::text::{after_byte_order_mark, text_start};
use sha2::{Digest as _, Sha256};
use thiserror::Error;

use crate::io::interrupt;
use crate::io::text::ShowPath;
use crate::system::files::{
    Held, create_nameless, give_name, hold, is_mount_point, keep_owner, open_locked, open_regular, real_path,
    try_append, unreadable,
};

/// Reads a text file without its byte order mark; `None` if it is longer than `most` bytes.
pub fn read(path: &Path, most: u64) -> Result<Option<Vec<u8>>, String> {
    let failed = |error: io::Error| unreadable(path, &error);
    let mut bytes = Vec::new();
    let file = open_regular(path).map_err(failed)?;
    file.take(most + 1).read_to_end(&mut bytes).map_err(failed)?;
    let is_whole = bytes.len() as u64 <= most;
    bytes.drain(..bytes.len() - text_start(&bytes).map_err(failed)?.len());
    Ok(is_whole.then_some(bytes))
}

/// Opens a text file after its byte order mark.
pub fn open_text(path: &Path) -> io::Result<BufReader<File>> {
    after_byte_order_mark(open_regular(path)?)
}

/// Opens a file, a device or a pipe for appending, and creates a missing file if `creates`. Waits [`READER_TIME`] for a
/// reader of the pipe, or for a signal.
pub fn append_to(path: &Path, creates: bool) -> io::Result<File> {
    let until = Instant::now() + READER_TIME;
    loop {
        interrupt::check().map_err(io::Error::other)?;
        if let Some(file) = try_append(path, creates)? {
            return Ok(file);
        }
        if Instant::now() >= until {
            return Err(io::Error::other(
                "no program is reading from this pipe; start the reader first, or use a regular file",
            ));
        }
        thread::sleep(INTERVAL);
    }
}

/// What a file is that another referee writes to.
pub(crate) const IN_USE: &str = "another referee is writing to it";

/// How long to wait for a file locked by another process. A child that a killed
/// referee was just starting holds the lock until its `exec`.
const LOCK_TIMEOUT: Duration = Duration::from_secs(1);

/// Tries to lock a file until it is locked; `None` if another process keeps it.
fn locked<T>(mut attempt: impl FnMut() -> Result<T, TryLockError>) -> io::Result<Option<T>> {
    let deadline = Instant::now() + LOCK_TIMEOUT;
    loop {
        interrupt::check().map_err(io::Error::other)?;
        match attempt() {
            Ok(locked) => return Ok(Some(locked)),
            Err(TryLockError::WouldBlock) if Instant::now() < deadline => thread::sleep(INTERVAL),
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
}

/// Opens a file for appending, creates a missing one, and locks it against other referees until it is closed; `None`
/// if one of them writes to it. A device or a pipe is opened as by [`append_to`]. No link is followed to one that is
/// `beside` the file of a user.
pub(crate) fn append_alone(path: &Path, beside: bool) -> io::Result<Option<File>> {
    let is_device = || fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir());
    if !beside && is_device() {
        // Nobody else's lines are in it, and a pipe that is opened for reading, too, would have a reader.
        return append_to(path, false).map(Some);
    }
    locked(|| open_locked(path, beside))
}

/// Locks a folder against other referees until the file is closed, by a file of this name in it; `None` if one of them
/// works in it.
///
/// # Errors
/// The file cannot be made.
pub fn lock_folder(folder: &Path, name: &str) -> io::Result<Option<File>> {
    let path = folder.join(name);
    // A pipe would wait for a reader.
    if path.symlink_metadata().is_ok_and(|found| !found.is_file()) {
        return Err(io::Error::other(format!("{name} in it is not a file; remove it")));
    }
    let file = File::options().create(true).append(true).open(path)?;
    let is_held = locked(|| match file.try_lock() {
        // Some network file systems have no locks.
        Err(TryLockError::Error(_)) => Ok(()),
        tried => tried,
    });
    Ok(is_held?.map(|()| file))
}

/// How long a pipe may have no reader, whose program is started beside this one.
const READER_TIME: Duration = Duration::from_secs(5);

/// The interval between looks for the reader of a pipe, or at a lock.
const INTERVAL: Duration = Duration::from_millis(20);

/// What to do if nothing can be written to the folder for temporary files, as the end of a sentence; empty if it can.
pub fn temporary_folder_hint() -> String {
    let folder = env::temp_dir();
    let probe = folder.join(format!("referee-probe-{}", process::id()));
    match File::create_new(&probe) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            let is_missing = error.kind() == io::ErrorKind::NotFound;
            let first = if is_missing {
                "create it"
            } else {
                "make sure that you can write to it"
            };
            let (folder, variable) = (folder.shown(), if cfg!(windows) { "TMP" } else { "TMPDIR" });
            format!(
                "; {folder} is the folder for temporary files: {first}, or choose another folder with the variable \
                 {variable}"
            )
        }
        _ => {
            // What stays behind is empty.
            let _ = fs::remove_file(&probe);
            String::new()
        }
    }
}

/// Says that no folder for temporary files can be made.
pub fn no_temporary_folder(error: &io::Error) -> String {
    let hint = temporary_folder_hint();
    format!("no temporary folder can be made: {error}{hint}")
}

/// Writes a new file.
pub fn write_new(path: &Path, text: &str) -> io::Result<()> {
    let mut file = File::create_new(path)?;
    file.write_all(text.as_bytes()).inspect_err(|_| {
        let _ = fs::remove_file(path);
    })
}

/// A file that holds only whole pieces: a failed write is undone.
#[derive(Debug)]
pub(crate) struct AppendOnly {
    /// The path that the user gave.
    pub path: PathBuf,
    file: File,
    /// Total length of the pieces, in bytes.
    length: u64,
}

impl AppendOnly {
    /// Wraps a file opened for appending that holds `length` bytes.
    pub fn new(path: &Path, file: File, length: u64) -> AppendOnly {
        AppendOnly {
            path: path.to_path_buf(),
            file,
            length,
        }
    }

    /// Appends a piece.
    pub fn append(&mut self, piece: &[u8]) -> io::Result<()> {
        if let Err(error) = self.file.write_all(piece) {
            // A device or a pipe keeps nothing that could be cut off.
            if self.is_file()
                && let Err(why) = self.file.set_len(self.length)
            {
                let path = self.path.shown();
                log::error!(
                    "{path}: {error}; its last line may be torn, because it cannot be cut off: {why}"
                );
            }
            return Err(error);
        }
        self.length += piece.len() as u64;
        Ok(())
    }

    /// Removes all pieces.
    pub fn clear(&mut self) -> io::Result<()> {
        self.file.set_len(0)?;
        self.length = 0;
        Ok(())
    }

    /// The path, the file and its length in bytes.
    pub fn into_parts(self) -> (PathBuf, File, u64) {
        (self.path, self.file, self.length)
    }

    pub const fn file(&self) -> &File {
        &self.file
    }

    pub const fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Deletes the file, unless it is a device or a pipe.
    pub fn remove(self) {
        if self.is_file()
            && let Err(error) = fs::remove_file(&self.path)
        {
            log::warn!("{}: {error}", self.path.shown());
        }
    }

    fn is_file(&self) -> bool {
        self.file.metadata().is_ok_and(|metadata| metadata.is_file())
    }
}

/// A file that a command writes at its end: checked before it begins, and replaced when the new
/// one is complete. Until then, no other referee may write it.
#[derive(Debug)]
pub struct Target {
    /// Where it will be.
    pub path: PathBuf,
    /// Keeps other referees of this machine from writing it.
    _held: Held,
    /// A device or a pipe, which is written to but not replaced.
    device: Option<File>,
    /// Where the new content is written first: the path, unless no file can be created in its folder.
    draft: PathBuf,
}

/// Why a target was not written.
#[derive(Debug, Error)]
pub enum TargetError {
    #[error(transparent)]
    /// The content could not be written.
    Write(#[from] io::Error),
    /// What was to be written cannot be read.
    #[error("{0}")]
    Read(String),
}

impl Target {
    /// Checks that `path` can be written. `check` refuses an old file that has another content.
    pub fn open(path: &Path, check: impl FnOnce(File) -> io::Result<()>) -> io::Result<Target> {
        let mut target = Target {
            path: path.to_path_buf(),
            _held: Held::default(),
            device: None,
            draft: path.to_path_buf(),
        };
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Ok(metadata) if !metadata.is_file() => {
                target.device = Some(append_to(path, false)?);
                return Ok(target);
            }
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let real = real_path(path);
        let mut name = Digest::new();
        name.add(real.as_os_str().as_encoded_bytes());
        let lock = env::temp_dir().join(format!("referee-{name}.lock"));
        let held = locked(|| hold(&lock))?.ok_or_else(|| io::Error::other(IN_USE))?;
        target = Target {
            _held: held,
            ..target
        };
        let is_old = path.exists();
        if is_old {
            let old = open_regular(path)?;
            if old.metadata()?.len() > 0 {
                check(old)?;
            }
            // A symbolic link is kept; its target is replaced.
            target.path = fs::canonicalize(path)?;
            target.draft.clone_from(&target.path);
        }
        match check_draft(&target.draft) {
            Err(error) if is_old && is_closed(&error) && try_append(&target.path, false).is_ok() => {
                target.draft = std::env::temp_dir().join(target.path.file_name().unwrap_or_default());
                check_draft(&target.draft)?;
            }
            checked => checked?,
        }
        if is_old && is_mount_point(&target.path) {
            try_append(&target.path, false)?;
        }
        Ok(target)
    }

    /// The same for a file that begins with `beginning`. `refused` says why another one is kept.
    pub fn open_own(path: &Path, beginning: &[u8], refused: &str) -> io::Result<Target> {
        Target::open(path, |mut old| {
            let mut found = vec![0; beginning.len()];
            match old.read_exact(&mut found) {
                Ok(()) if found == beginning => Ok(()),
                _ => Err(refusal(refused)),
            }
        })
    }

    /// Writes the file. The old one is kept after an error.
    pub fn write(
        &self,
        write: impl FnOnce(&mut dyn Write) -> Result<(), TargetError>,
    ) -> Result<(), TargetError> {
        if let Some(device) = &self.device {
            let mut out = BufWriter::new(device);
            write(&mut out)?;
            return Ok(out.flush()?);
        }
        let draft = TemporaryFile::new(&self.draft)?;
        let mut out = BufWriter::new(&draft.file);
        write(&mut out)?;
        out.flush()?;
        drop(out);
        if self.draft == self.path {
            Ok(draft.replace(&self.path)?)
        } else {
            Ok(draft.write_into(&self.path)?)
        }
    }
}

/// Replaces a file by this text, or creates it. An error leaves the old content.
pub fn replace(path: &Path, text: &str) -> io::Result<()> {
    let draft = TemporaryFile::new(path)?;
    (&draft.file).write_all(text.as_bytes())?;
    draft.replace(path)
}

/// Checks that a file can be written beside `target`.
pub fn check_draft(target: &Path) -> io::Result<()> {
    TemporaryFile::new(target).map(drop)
}

/// Whether no file can be created in a folder, although others in it may be written.
fn is_closed(error: &io::Error) -> bool {
    use io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem};
    matches!(error.kind(), PermissionDenied | ReadOnlyFilesystem)
}

/// Whether a write failed because there is no room.
pub fn is_full(error: &io::Error) -> bool {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    matches!(error.kind(), FileTooLarge | QuotaExceeded | StorageFull)
}

/// Why an old file is not replaced.
pub fn refusal(why: &str) -> io::Error {
    io::Error::other(format!("{why}, so it is not overwritten; use a new file"))
}

/// The number of drafts of one target that may have been left by others.
const MAX_DRAFTS: u32 = 100;

/// A temporary file in the folder of the target. Where the system can, it has no name, so that nothing of it stays
/// however the process ends. One with a name is deleted on drop unless it has replaced the target.
#[derive(Debug)]
struct TemporaryFile {
    path: Option<PathBuf>,
    file: File,
}

/// Gives a draft a name beside `target` that no file has.
fn named<T>(target: &Path, make: impl Fn(&Path) -> io::Result<T>) -> io::Result<(PathBuf, T)> {
    let mut name = OsString::from(".");
    let Some(last) = target.file_name() else {
        return Err(io::ErrorKind::IsADirectory.into());
    };
    name.push(last);
    name.push(format!(".{}", std::process::id()));
    // Never a file that is there: somebody may have put a link of this name into the folder.
    for number in 0.. {
        let mut name = name.clone();
        name.push(format!("-{number}.tmp"));
        let path = target.with_file_name(name);
        match make(&path) {
            Ok(found) => return Ok((path, found)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < MAX_DRAFTS => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

impl TemporaryFile {
    /// An empty draft beside `target`.
    fn new(target: &Path) -> io::Result<TemporaryFile> {
        let folder = target.parent().filter(|folder| *folder != Path::new(""));
        match create_nameless(folder.unwrap_or(Path::new("."))) {
            Ok(file) if target.file_name().is_some() => Ok(TemporaryFile { path: None, file }),
            _ => TemporaryFile::with_name(target),
        }
    }

    fn with_name(target: &Path) -> io::Result<TemporaryFile> {
        let mut options = File::options();
        options.read(true).write(true).create_new(true);
        let (path, file) = named(target, |path| options.open(path))?;
        Ok(TemporaryFile {
            path: Some(path),
            file,
        })
    }

    /// Gives a draft without a name one, just before it is renamed. Its content is copied where that cannot be done.
    fn named(mut self, target: &Path) -> io::Result<(PathBuf, TemporaryFile)> {
        if let Some(path) = self.path.clone() {
            return Ok((path, self));
        }
        if let Ok((path, ())) = named(target, |path| give_name(&self.file, path)) {
            self.path = Some(path.clone());
            return Ok((path, self));
        }
        let copy = TemporaryFile::with_name(target)?;
        (&self.file).rewind()?;
        io::copy(&mut &self.file, &mut &copy.file)?;
        let old = self.file.metadata()?;
        keep_owner(&copy.file, &old)?;
        copy.file.set_permissions(old.permissions())?;
        copy.file.sync_all()?;
        copy.named(target)
    }

    /// Syncs the file and renames it to the target. Owner, group and permissions of an old file stay; where they
    /// cannot be kept, or where the file is mounted there, its content is overwritten.
    fn replace(self, target: &Path) -> io::Result<()> {
        if let Ok(old) = fs::metadata(target) {
            if keep_owner(&self.file, &old).is_err() && self.write_into(target).is_ok() {
                return Ok(());
            }
            self.file.set_permissions(old.permissions())?;
        }
        self.file.sync_all()?;
        let (path, draft) = self.named(target)?;
        match fs::rename(&path, target) {
            Err(error) if error.kind() == io::ErrorKind::ResourceBusy => draft.write_into(target),
            renamed => renamed,
        }
    }

    /// Overwrites the content of the target.
    fn write_into(&self, target: &Path) -> io::Result<()> {
        let mut to = File::options().write(true).open(target)?;
        (&self.file).rewind()?;
        let length = io::copy(&mut &self.file, &mut to)?;
        to.set_len(length)?;
        to.sync_all()
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        // Fails after a rename.
        if let Some(path) = &self.path {
            let _ = fs::remove_file(path);
        }
    }
}

/// The file of a typed name. Quotes around it and backslashes before spaces are removed as
/// in a shell, `~/` is the home folder; spaces need no quotes.
pub fn typed_file(typed: &str) -> PathBuf {
    let typed = typed.trim();
    let is_quoted = typed.contains(['"', '\'', '\\']);
    let words = is_quoted.then(|| shlex::split(typed)).flatten();
    match words.as_deref() {
        Some([name]) => expand_home(name),
        // An apostrophe or a backslash of the name itself.
        _ => expand_home(typed),
    }
}

/// Replaces `~` at the beginning by the home folder.
fn expand_home(name: &str) -> PathBuf {
    let rest = name
        .strip_prefix('~')
        .filter(|rest| rest.is_empty() || rest.starts_with('/'));
    match (rest, std::env::home_dir()) {
        (Some(rest), Some(home)) => home.join(rest.trim_start_matches('/')),
        _ => PathBuf::from(name),
    }
}

/// The SHA-256 hash of a file, as `sha256sum` prints it.
pub fn sha256(path: &Path) -> io::Result<String> {
    let mut digest = Sha256::new();
    add_content(&mut digest, &mut open_regular(path)?)?;
    Ok(hexadecimal(digest))
}

/// Adds the content of a file to a hash.
pub fn add_content(digest: &mut Sha256, file: &mut impl Read) -> io::Result<()> {
    let mut part = vec![0; 1 << 16];
    loop {
        match file.read(&mut part)? {
            0 => return Ok(()),
            length => digest.update(&part[..length]),
        }
    }
}

/// A hash as hexadecimal digits.
pub fn hexadecimal(digest: Sha256) -> String {
    let digits = |text: String, byte: &u8| text + &format!("{byte:02x}");
    digest.finalize().iter().fold(String::new(), digits)
}

/// FNV-1a with 64 bits.
///
/// Fowler, Noll, Vo and Eastlake, "The FNV Non-Cryptographic Hash Algorithm".
#[derive(Clone, Copy, Debug)]
pub(crate) struct Digest(u64);

impl Digest {
    /// The hash of the empty text.
    pub const fn new() -> Digest {
        Digest(0xcbf2_9ce4_8422_2325)
    }

    /// Adds more text.
    pub fn add(&mut self, text: impl AsRef<[u8]>) {
        for &byte in text.as_ref() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    /// The hash as a number.
    pub const fn value(self) -> u64 {
        self.0
    }
}

impl fmt::Display for Digest {
    /// Sixteen hexadecimal digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// A 64-bit hash of a sequence of texts. Its values must never change: old
/// files hold them.
pub fn digest(texts: impl IntoIterator<Item = impl AsRef<[u8]>>) -> u64 {
    let mut digest = Digest::new();
    for text in texts {
        digest.add(text);
        // No text contains a line break, so the separator is unambiguous.
        digest.add("\n");
    }
    mix(digest.value())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn a_draft_has_no_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("page.html");
        let names = || fs::read_dir(folder.path()).unwrap().count();
        for text in ["old", "new"] {
            let target = Target::open(&path, |_| Ok(())).unwrap();
            let before = names();
            let written = target.write(|out| {
                out.write_all(text.as_bytes())?;
                out.flush()?;
                assert_eq!(names(), before);
                Ok(())
            });
            written.unwrap();
            assert_eq!((fs::read_to_string(&path).unwrap().as_str(), names()), (text, 1));
        }
    }

    #[test]
    #[cfg(unix)]
    fn a_target_has_one_writer_from_its_check_to_its_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("page.html");
        let open = || Target::open(&path, |_| Err(refusal("there is a page")));
        let target = open().unwrap();
        assert_eq!(open().unwrap_err().to_string(), IN_USE);
        assert!(!path.exists(), "nobody sees a file without content");
        target.write(|out| Ok(out.write_all(b"page")?)).unwrap();
        assert_eq!(open().unwrap_err().to_string(), IN_USE, "it may be written again");
        drop(target);
        let why = open().unwrap_err().to_string();
        assert!(why.starts_with("there is a page"), "{why}");
    }

    #[test]
    fn accepts_quotes_spaces_and_the_home_folder() {
        let home = std::env::home_dir().unwrap();
        for (typed, name) in [
            ("game.txt", PathBuf::from("game.txt")),
            (" my game ", "my game".into()),
            ("\"my game\"", "my game".into()),
            ("'my game'", "my game".into()),
            ("my\\ game", "my game".into()),
            ("Ann's game", "Ann's game".into()),
            ("~/games/1", home.join("games/1")),
            ("\"~/my game\"", home.join("my game")),
            ("~", home),
            ("~ann/game", "~ann/game".into()),
        ] {
            assert_eq!(typed_file(typed), name, "{typed}");
        }
    }
}

#[cfg(test)]
mod digest_tests {
    use super::*;

    #[test]
    fn sha256_matches_the_published_test_vectors() {
        let file = tempfile::NamedTempFile::new().unwrap();
        for (text, digest) in [
            (
                "abc".into(),
                "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
            ),
            // More than is read at a time.
            (
                "a".repeat(1_000_000),
                "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0",
            ),
        ] {
            std::fs::write(file.path(), text).unwrap();
            assert_eq!(sha256(file.path()).unwrap(), digest);
        }
    }

    #[test]
    fn matches_the_published_test_vector() {
        let mut digest = Digest::new();
        digest.add("foobar");
        assert_eq!(digest.to_string(), "85944171f73967e8");
    }

    #[test]
    fn hash_has_not_changed() {
        assert_eq!(digest(["a", "b"]), 0xf530_fe92_7de6_7a30);
    }
}
