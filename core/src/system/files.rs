//! Programs, locks and names in the file system.

use std::ffi::OsStr;
use std::fs::{File, Metadata, OpenOptions, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

pub use lodestone_game::text::open_regular;
use lodestone_game::text::{printable, regular};
#[cfg(unix)]
use rustix::fs::OFlags;
use shlex::QuoteError;
#[cfg(unix)]
use std::os::unix::fs::OpenOptionsExt;

/// Extensions of the files that `CreateProcess` of Windows starts, `.bat` and `.cmd` through
/// `cmd.exe`.
const EXTENSIONS: [&str; 4] = ["exe", "com", "bat", "cmd"];

/// Whether the first line of a script names the program that runs it.
pub const STARTS_SCRIPTS: bool = cfg!(unix);

/// The usual name of Python.
pub const PYTHON: &str = if cfg!(unix) { "python3" } else { "python" };

/// The usual name of a compiler for C.
pub const CC: &str = if cfg!(unix) { "cc" } else { "gcc" };

/// The usual name of a compiler for C++.
pub const CXX: &str = if cfg!(unix) { "c++" } else { "g++" };

/// Whether the file at `path` is executable: on Windows, whether its extension is one of a program.
pub fn is_executable(path: &Path) -> bool {
    #[cfg(unix)]
    return rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok();
    #[cfg(windows)]
    {
        let extension = path.extension().unwrap_or_default();
        let is_program = |known: &&str| extension.eq_ignore_ascii_case(known);
        path.is_file() && EXTENSIONS.iter().any(is_program)
    }
}

/// What desktops and tools leave in folders, which belongs to no submission: caches of Python, repositories of Git, and
/// files of macOS and Windows.
const LEFT_OUT: [&str; 6] = [
    "__pycache__",
    ".git",
    "__MACOSX",
    ".DS_Store",
    "Thumbs.db",
    "desktop.ini",
];

/// What the names of files begin with in which macOS keeps attributes of others.
const ATTRIBUTES: &[u8] = b"._";

/// Whether a file or folder of this name is [left out](LEFT_OUT) of submissions.
pub fn is_left_out(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(ATTRIBUTES)
        || LEFT_OUT.iter().any(|other| name.eq_ignore_ascii_case(other))
}

/// What has this name, through links; `None` if nothing has.
///
/// # Errors
/// The system does not tell, for example because this account cannot look into the folder. The sentence says why.
pub fn look(path: &Path) -> Result<Option<Metadata>, String> {
    match path.metadata() {
        Ok(found) => Ok(Some(found)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        Err(error) => Err(unreadable(path, &error)),
    }
}

/// Whether there is a file of this name, through links.
pub fn is_file(path: &Path) -> Result<bool, String> {
    Ok(look(path)?.is_some_and(|found| found.is_file()))
}

/// Why a file or folder cannot be read, as a sentence with its path, or with that of the folder around it that cannot
/// be entered.
pub fn unreadable(path: &Path, error: &io::Error) -> String {
    let is_refused = error.kind() == ErrorKind::PermissionDenied;
    let folders = path
        .ancestors()
        .skip(1)
        .filter(|folder| !folder.as_os_str().is_empty());
    let closed = folders.filter(|folder| is_refused && folder.join(".").symlink_metadata().is_err());
    let closed = closed.last().unwrap_or(path).to_string_lossy();
    let why = format!("`{}` cannot be read: {error}", printable(&closed, usize::MAX));
    if cfg!(windows) || !is_refused {
        return why;
    }
    let quoted = shlex::try_quote(&closed).unwrap_or_default();
    format!("{why}; its owner can let other accounts read it with `chmod -R a+rX {quoted}`")
}

/// Whether the permissions of a file or folder do not let this account read it.
pub fn is_refused(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use rustix::fs::{Access, access};
        access(path, Access::READ_OK) == Err(rustix::io::Errno::ACCESS)
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        false
    }
}

/// Whether all users may write to a folder, as to `/tmp`.
pub(crate) fn is_open_to_all(folder: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        folder
            .metadata()
            .is_ok_and(|found| found.permissions().mode() & 0o002 != 0)
    }
    #[cfg(not(unix))]
    {
        let _ = folder;
        false
    }
}

/// The space of a folder's file system that an ordinary user may still use, in bytes; `None` if that is not known, or
/// nothing can be written there.
pub(crate) fn free_space(folder: &Path) -> Option<u64> {
    #[cfg(unix)]
    {
        let system = rustix::fs::statvfs(folder).ok()?;
        let is_read_only = system.f_flag.contains(rustix::fs::StatVfsMountFlags::RDONLY);
        if is_read_only {
            return None;
        }
        system.f_bavail.checked_mul(system.f_frsize)
    }
    #[cfg(not(unix))]
    {
        let _ = folder;
        None
    }
}

/// Makes a folder that only this user can enter, whatever permissions the files in it get; none if there is one. On
/// Windows, it has the permissions of the folder around it.
pub fn make_private_folder(path: &Path) -> io::Result<()> {
    let builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    let builder = {
        let mut private = builder;
        std::os::unix::fs::DirBuilderExt::mode(&mut private, 0o700);
        private
    };
    match builder.create(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        made => made,
    }
}

/// Lets the user read a folder and what is in it. Nothing to do on Windows.
pub fn make_accessible(folder: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = folder.symlink_metadata()?.permissions().mode();
        if mode & 0o700 != 0o700 {
            return std::fs::set_permissions(folder, std::fs::Permissions::from_mode(mode | 0o700));
        }
    }
    folder.try_exists().map(drop)
}

/// Makes a file executable for everybody. On Windows the extension decides.
pub fn make_executable(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755))
    }
    #[cfg(windows)]
    path.try_exists().map(drop)
}

/// A folder that somebody else may have filled: no link in it is followed.
#[derive(Debug)]
pub struct Folder {
    #[cfg(unix)]
    handle: File,
    #[cfg(windows)]
    path: PathBuf,
}

impl Folder {
    /// Opens the folder of a user, who may have made a link to it.
    pub fn open(path: &Path) -> io::Result<Folder> {
        #[cfg(unix)]
        return Ok(Folder {
            handle: reading(OFlags::DIRECTORY).open(path)?,
        });
        #[cfg(windows)]
        Ok(Folder {
            path: path.to_path_buf(),
        })
    }

    /// A path to this folder, also if something else takes its place meanwhile (on Linux; elsewhere the path that it was
    /// opened with, `opened`).
    pub fn path(&self, opened: &Path) -> PathBuf {
        #[cfg(target_os = "linux")]
        {
            use std::os::fd::AsRawFd;
            let _ = opened;
            PathBuf::from(format!("/proc/self/fd/{}", self.handle.as_raw_fd()))
        }
        #[cfg(not(target_os = "linux"))]
        opened.to_path_buf()
    }

    /// Opens a folder that belongs to a file, such as that of its transcripts. It may have come with the file, so it
    /// must not be a link.
    pub fn open_real(path: &Path) -> io::Result<Folder> {
        let link = || io::Error::other("it is a link, and only folders are used here");
        #[cfg(unix)]
        return match reading(OFlags::DIRECTORY | OFlags::NOFOLLOW).open(path) {
            Ok(handle) => Ok(Folder { handle }),
            Err(_) if path.is_symlink() => Err(link()),
            Err(error) => Err(error),
        };
        #[cfg(windows)]
        if path.is_symlink() {
            Err(link())
        } else {
            Folder::open(path)
        }
    }

    /// Opens a regular file for reading. `name` has no separators.
    pub fn file(&self, name: &str) -> io::Result<File> {
        if Path::new(name).file_name() != Some(name.as_ref()) {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        #[cfg(unix)]
        {
            let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
            let file = rustix::fs::openat(&self.handle, name, flags, rustix::fs::Mode::empty())?;
            regular(file.into())
        }
        #[cfg(windows)]
        {
            let path = self.path.join(name);
            if path.is_symlink() {
                return Err(io::Error::other("it is a link"));
            }
            open_regular(&path)
        }
    }
}

/// Opens a file, a pipe or a device for appending, and creates a missing file if `creates`. This never waits:
/// `Ok(None)` means that nobody reads the pipe yet.
pub(crate) fn try_append(path: &Path, creates: bool) -> io::Result<Option<File>> {
    let mut options = OpenOptions::new();
    options.append(true).create(creates);
    #[cfg(unix)]
    {
        options.custom_flags(OFlags::NONBLOCK.bits() as i32);
        match options.open(path) {
            Ok(file) => {
                let flags = rustix::fs::fcntl_getfl(&file)?;
                rustix::fs::fcntl_setfl(&file, flags - OFlags::NONBLOCK)?;
                Ok(Some(file))
            }
            Err(error) if error.raw_os_error() == Some(rustix::io::Errno::NXIO.raw_os_error()) => Ok(None),
            Err(error) => Err(error),
        }
    }
    #[cfg(windows)]
    options.open(path).map(Some)
}

/// How files are opened for reading, with further flags of the system.
#[cfg(unix)]
fn reading(flags: OFlags) -> OpenOptions {
    let mut options = OpenOptions::new();
    options
        .read(true)
        .custom_flags((flags | OFlags::NONBLOCK).bits() as i32);
    options
}

/// Makes a new file that only this user can read; on Windows the folder decides.
pub fn create_private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    options.mode(0o600);
    options.write(true).create_new(true).open(path)
}

/// Opens a file in a folder for reading. No link in its path is followed, also if one takes the place of a file
/// or folder in this moment; where the system has no such call, this holds for the file itself (other Unix
/// systems), or not (Windows).
pub fn open_inside(folder: &Path, path: &Path) -> io::Result<File> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{Mode, OFlags, ResolveFlags, open, openat2};
        use rustix::io::Errno;

        let how = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let inside = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
        let base = open(
            folder,
            OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC,
            Mode::empty(),
        )?;
        match openat2(base, path, how, Mode::empty(), inside) {
            // Before Linux 5.6, and in old containers.
            Err(Errno::NOSYS | Errno::PERM) => {}
            opened => return Ok(opened?.into()),
        }
    }
    #[cfg(unix)]
    {
        use rustix::fs::{Mode, OFlags, open};

        let how = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOFOLLOW;
        Ok(open(folder.join(path), how, Mode::empty())?.into())
    }
    #[cfg(windows)]
    File::open(folder.join(path))
}

/// Creates a file in a folder that has no name and disappears when it is closed, unless it gets one.
pub(crate) fn create_nameless(folder: &Path) -> io::Result<File> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{Mode, OFlags, open};
        let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
        Ok(open(folder, flags, Mode::from_raw_mode(0o666))?.into())
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = folder;
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// Gives such a file a name in its folder.
pub(crate) fn give_name(file: &File, path: &Path) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{AtFlags, CWD, linkat};
        use std::os::fd::AsRawFd as _;
        let own = format!("/proc/self/fd/{}", file.as_raw_fd());
        Ok(linkat(CWD, own.as_str(), CWD, path, AtFlags::SYMLINK_FOLLOW)?)
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = (file, path);
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// Gives a new file the owner and the group of an old one.
pub(crate) fn keep_owner(file: &File, old: &Metadata) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, fchown};
        let new = file.metadata()?;
        if (new.uid(), new.gid()) != (old.uid(), old.gid()) {
            fchown(file, Some(old.uid()), Some(old.gid()))?;
        }
    }
    let _ = (file, old);
    Ok(())
}

/// Whether something is mounted at this path, so that it cannot be replaced. Before Linux 5.8 and on other systems
/// this is not known.
pub(crate) fn is_mount_point(path: &Path) -> bool {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{AtFlags, CWD, StatxAttributes, StatxFlags, statx};
        let found = statx(CWD, path, AtFlags::empty(), StatxFlags::BASIC_STATS);
        found.is_ok_and(|found| found.stx_attributes.contains(StatxAttributes::MOUNT_ROOT))
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = path;
        false
    }
}

/// The user who owns a file or folder. `None` on Windows, and if there is none.
pub fn owner(path: &Path) -> Option<u32> {
    #[cfg(unix)]
    return Some(std::os::unix::fs::MetadataExt::uid(&path.metadata().ok()?));
    #[cfg(windows)]
    {
        let _ = path;
        None
    }
}

/// Whether a file or folder belongs to this user or to root, so that no other user can change it; also if the system
/// does not tell.
pub fn is_own(path: &Path) -> bool {
    #[cfg(unix)]
    let own = [0, rustix::process::geteuid().as_raw()];
    #[cfg(windows)]
    let own = [0; 2];
    owner(path).is_none_or(|owner| own.contains(&owner))
}

/// What tells a file from all others of this machine, whatever its names are, and the number of its names (hard
/// links). `None` on Windows.
pub fn identity(metadata: &Metadata) -> Option<([u64; 2], u64)> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        Some(([metadata.dev(), metadata.ino()], metadata.nlink()))
    }
    #[cfg(windows)]
    {
        let _ = metadata;
        None
    }
}

/// Whether two paths are one file, however they are written: also if there is none yet. Devices and pipes, which many
/// may write to, are no files.
pub fn is_same_file(one: &Path, other: &Path) -> bool {
    let known = |path: &Path| path.metadata().ok();
    match (known(one), known(other)) {
        (Some(one), Some(other)) if !one.is_file() || !other.is_file() => false,
        (Some(found), Some(found_there)) => match (identity(&found), identity(&found_there)) {
            (Some((found, _)), Some((found_there, _))) => found == found_there,
            _ => one.canonicalize().ok() == other.canonicalize().ok(),
        },
        (None, None) => real_path(one) == real_path(other),
        _ => false,
    }
}

/// The most links that lead to each other.
const MAX_LINKS: usize = 40;

/// The path of a file, which may not be there yet, without links and `..` in it.
pub(crate) fn real_path(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path_behind(path, 0))
}

fn path_behind(path: &Path, links: usize) -> PathBuf {
    let folder = path.parent().unwrap_or(Path::new("")).join(".");
    if let Ok(target) = path.read_link()
        && links < MAX_LINKS
    {
        return path_behind(&folder.join(target), links + 1);
    }
    match (folder.canonicalize(), path.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => path.to_path_buf(),
    }
}

/// Makes a symbolic link.
pub fn make_link(target: &Path, path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    return std::os::unix::fs::symlink(target, path);
    #[cfg(windows)]
    {
        let _ = (target, path);
        Err(io::Error::other("it has a link; put the file itself there"))
    }
}

/// Gives a file or folder to a user. Nothing to do on Windows.
pub fn give_to(path: &Path, uid: u32) -> io::Result<()> {
    #[cfg(unix)]
    return std::os::unix::fs::chown(path, Some(uid), None);
    #[cfg(windows)]
    {
        let _ = (path, uid);
        Ok(())
    }
}

/// Lets all users go through a folder, but not list it. Nothing to do on Windows.
pub fn make_passable(folder: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o711))
    }
    #[cfg(windows)]
    folder.try_exists().map(drop)
}

/// Copies a symbolic link; on Windows the file that it names.
pub fn copy_link(from: &Path, to: &Path) -> io::Result<()> {
    #[cfg(unix)]
    return std::os::unix::fs::symlink(std::fs::read_link(from)?, to);
    #[cfg(windows)]
    if from.is_file() {
        std::fs::copy(from, to).map(drop)
    } else {
        Ok(())
    }
}

/// Why a file that is not executable is not started, as a clause that follows its path.
pub fn not_executable(path: &Path) -> String {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        /// The bits that let the owner, the group or others execute a file.
        const EXECUTE: u32 = 0o111;
        let is_program = path
            .metadata()
            .is_ok_and(|found| found.permissions().mode() & EXECUTE != 0);
        #[cfg(target_os = "linux")]
        let is_noexec = rustix::fs::statvfs(path)
            .is_ok_and(|system| system.f_flag.contains(rustix::fs::StatVfsMountFlags::NOEXEC));
        #[cfg(not(target_os = "linux"))]
        let is_noexec = false;
        if !path.is_file() {
            "is a device or a pipe, not a program".into()
        } else if is_noexec {
            "is on a file system where no program can be started (`noexec`); copy it to another".into()
        } else if is_program {
            let path = path.to_string_lossy();
            let quoted = shlex::try_quote(&path).unwrap_or_default();
            format!(
                "is not executable for this account; its owner can change that with `chmod a+rx {quoted}`"
            )
        } else {
            format!("is not executable; {}", how_to_make_executable(path))
        }
    }
    #[cfg(windows)]
    {
        let _ = path;
        "is not a program; Windows starts files that end in .exe, .com, .bat or .cmd".into()
    }
}

/// What is wrong with a folder without this program, as a clause that follows its path.
pub fn no_program(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let name = printable(&name, usize::MAX);
    if cfg!(unix) {
        let then = how_to_make_executable(path);
        format!("has no file `{name}`; add a script that starts the bot, then {then}")
    } else {
        format!("has no program `{name}.exe`, `{name}.bat` or `{name}.cmd`")
    }
}

fn how_to_make_executable(path: &Path) -> String {
    let path = path.to_string_lossy();
    let quoted = shlex::try_quote(&path).unwrap_or_default();
    format!("run `chmod +x {quoted}`")
}

/// Why an executable file is not started, as a clause that follows its path.
pub(crate) fn wrong_program() -> String {
    if cfg!(unix) {
        "is not a program for this system; a script needs a shebang line such as `#!/usr/bin/env python3`"
            .into()
    } else {
        "is not a program for this version of Windows".into()
    }
}

/// The words of a command line, quoted as for a shell. `None` if a quote is not closed. On Windows a
/// backslash is a character like any other.
pub fn split_words(line: &str) -> Option<Vec<String>> {
    if cfg!(unix) {
        return shlex::split(line);
    }
    let mut escaped = String::with_capacity(line.len());
    let mut quote = None;
    for sign in line.chars() {
        match (sign, quote) {
            ('\\', None | Some('"')) => escaped.push('\\'),
            ('\'' | '"', None) => quote = Some(sign),
            (sign, Some(open)) if sign == open => quote = None,
            _ => {}
        }
        escaped.push(sign);
    }
    shlex::split(&escaped)
}

/// A word, quoted for a shell and for [`split_words`] where it is needed.
pub fn quote(word: &str) -> Result<String, QuoteError> {
    if cfg!(unix) {
        return shlex::try_quote(word).map(Into::into);
    }
    let is_plain = |sign: char| sign.is_ascii_alphanumeric() || "=._-/+:,@%\\".contains(sign);
    if word.contains('\0') {
        Err(QuoteError::Nul)
    } else if !word.is_empty() && word.chars().all(is_plain) {
        Ok(word.to_string())
    } else if word.contains('"') {
        Ok(format!("'{}'", word.replace('\'', "'\"'\"'")))
    } else {
        Ok(format!("\"{word}\""))
    }
}

/// Whether a command names a file rather than a program in PATH.
pub fn has_path(command: &str) -> bool {
    command.contains('/') || cfg!(windows) && command.contains('\\')
}

/// The files that `name` may mean, in order: itself, and on Windows with each extension of programs.
pub fn program_names(name: &Path) -> Vec<PathBuf> {
    let mut names = vec![name.to_path_buf()];
    if cfg!(windows) {
        names.extend(EXTENSIONS.map(|extension| name.with_added_extension(extension)));
    }
    names
}

/// Opens a file for appending, creates a missing one, and locks it against other processes until it is closed. On
/// Windows they may read it. One that is `beside` the file of a user may have come with it: it must not be a link, nor
/// have another name.
pub fn open_locked(path: &Path, beside: bool) -> Result<File, TryLockError> {
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(true);
    if beside && path.is_symlink() {
        let why = "it is a link, and only files are used here; remove it";
        return Err(TryLockError::Error(io::Error::other(why)));
    }
    #[cfg(unix)]
    {
        if beside {
            options.custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits() as i32);
        }
        let mut file = options.open(path).map_err(TryLockError::Error)?;
        if beside {
            file = regular(file).map_err(TryLockError::Error)?;
            let metadata = file.metadata().map_err(TryLockError::Error)?;
            if identity(&metadata).is_some_and(|(_, names)| names > 1) {
                let why = "the file has another name, too (a hard link); remove it";
                return Err(TryLockError::Error(io::Error::other(why)));
            }
        }
        match file.try_lock() {
            // Some network file systems have no locks.
            Err(TryLockError::Error(error)) => log::debug!(
                "{} cannot be locked: {error}",
                printable(&path.to_string_lossy(), usize::MAX)
            ),
            locked => locked?,
        }
        Ok(file)
    }
    #[cfg(windows)]
    {
        const SHARE_READ: u32 = 1;
        const SHARE_DELETE: u32 = 4;
        const SHARING_VIOLATION: i32 = 32;
        std::os::windows::fs::OpenOptionsExt::share_mode(&mut options, SHARE_READ | SHARE_DELETE);
        options.open(path).map_err(|error| match error.raw_os_error() {
            Some(SHARING_VIOLATION) => TryLockError::WouldBlock,
            _ => TryLockError::Error(error),
        })
    }
}

/// A lock of this machine, which ends with the process at the latest. Without a file, nothing is locked: on Windows, and
/// where no such file can be made.
#[derive(Debug, Default)]
pub(crate) struct Held(Option<(PathBuf, File)>);

impl Drop for Held {
    fn drop(&mut self) {
        if let Some((path, _)) = &self.0 {
            // A process that waits for the lock checks that the file still has its name.
            let _ = std::fs::remove_file(path);
        }
    }
}

/// Locks a file that exists for this only, and makes it.
pub(crate) fn hold(path: &Path) -> Result<Held, TryLockError> {
    #[cfg(unix)]
    {
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true).mode(0o600);
        options.custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits() as i32);
        let Ok(file) = options.open(path) else {
            return Ok(Held::default());
        };
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => return Err(TryLockError::WouldBlock),
            // Some network file systems have no locks.
            Err(TryLockError::Error(_)) | Ok(()) => {}
        }
        let place = |found: io::Result<Metadata>| Some(identity(&found.ok()?)?.0);
        if place(path.symlink_metadata()) != place(file.metadata()) {
            // Removed in this moment.
            return Err(TryLockError::WouldBlock);
        }
        Ok(Held(Some((path.to_path_buf(), file))))
    }
    #[cfg(windows)]
    {
        let _ = path;
        Ok(Held::default())
    }
}

/// The name of this machine, if the system tells it.
pub fn host_name() -> Option<String> {
    if cfg!(windows) {
        return std::env::var("COMPUTERNAME").ok();
    }
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    name.or_else(|| std::env::var("HOSTNAME").ok())
}

#[cfg(all(test, unix))]
mod tests {
    use std::io::Read;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn finds_two_names_of_one_file() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir(at("d")).unwrap();
        std::fs::write(at("old"), "").unwrap();
        std::fs::write(at("other"), "").unwrap();
        std::fs::hard_link(at("old"), at("hard")).unwrap();
        for (target, link) in [
            ("old", "soft"),
            ("new", "to-new"),
            ("to-new", "again"),
            ("round", "round"),
        ] {
            symlink(target, at(link)).unwrap();
        }
        symlink(folder.path(), at("d/up")).unwrap();
        for (one, other, expected) in [
            ("old", "./old", true),
            ("old", "d/../old", true),
            ("old", "d/up/old", true),
            ("old", "hard", true),
            ("old", "soft", true),
            ("old", "other", false),
            ("old", "new", false),
            ("new", "d/../new", true),
            ("new", "d/up/new", true),
            ("new", "to-new", true),
            ("again", "new", true),
            ("new", "newer", false),
            ("no-folder/new", "no-folder/new", true),
            ("round", "new", false),
            ("d", "d", false),
        ] {
            assert_eq!(is_same_file(&at(one), &at(other)), expected, "{one} {other}");
            assert_eq!(is_same_file(&at(other), &at(one)), expected, "{other} {one}");
        }
        let device = Path::new("/dev/null");
        assert!(!is_same_file(device, device));
    }

    #[test]
    fn opens_regular_files_only() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("file"), "text").unwrap();
        symlink(at("file"), at("link")).unwrap();
        symlink(folder.path(), at("folder")).unwrap();
        let mode = rustix::fs::Mode::from_bits_retain(0o600);
        // A reader of this pipe would wait for a writer.
        rustix::fs::mkfifoat(rustix::fs::CWD, at("pipe"), mode).unwrap();
        let why = |name: &str| open_regular(&at(name)).unwrap_err().to_string();
        for name in ["file", "link"] {
            let mut text = String::new();
            open_regular(&at(name))
                .unwrap()
                .read_to_string(&mut text)
                .unwrap();
            assert_eq!(text, "text");
        }
        assert_eq!(why("pipe"), "it is a pipe; save what it holds in a file first");
        assert_eq!(why("."), "it is a folder, not a file");
        assert_eq!(
            open_regular(Path::new("/dev/null")).unwrap_err().to_string(),
            "it is a device, not a file"
        );

        let all = Folder::open(&at("folder")).unwrap();
        all.file("file").unwrap();
        for name in ["link", "pipe", "folder", ".", "..", "./file", "file/", "", "none"] {
            assert!(all.file(name).is_err(), "{name}");
        }
        Folder::open_real(folder.path()).unwrap();
        Folder::open_real(&at("folder")).unwrap_err();
        Folder::open(&at("file")).unwrap_err();
    }
}
