//! A lock on a file that also works between machines, where `flock` may be local.
//!
//! The lock of `games.jsonl` is a chain of files. The first is `games.jsonl.lock`. A lock file
//! that was given up by its holder has a successor, whose name contains the random key of its
//! predecessor. The last file of the chain is the lock. Each file is created exclusively, with its
//! content, so exactly one process can succeed a holder: nothing is ever replaced.
//!
//! The holder writes a counter into its file every few seconds. Another process that finds the file
//! watches whether the counter changes, on its own clock. On the holder's own machine it looks
//! for the process instead. A holder that could not renew its lock in time competes for it like
//! any other process. `docs/results.md` argues why two processes never hold the lock.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, ErrorKind, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::io::digest::Digest;
use crate::io::text::printable;
use crate::system::files::{self, machine, start_of};

/// The largest lock file that is read, in bytes.
const MAX_SIZE: u64 = 4096;

/// The longest chain that is followed; each lost holder adds a file.
const MAX_CHAIN: usize = 10_000;

/// How a lock is timed. `beat` < `lease` < `stale`.
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    /// The time between two renewals.
    pub beat: Duration,
    /// How long the holder may write after the beginning of its last renewal.
    pub lease: Duration,
    /// How long a lock must not change before another process succeeds its holder.
    pub stale: Duration,
}

impl Default for Timing {
    fn default() -> Timing {
        Timing {
            beat: Duration::from_secs(5),
            lease: Duration::from_secs(20),
            stale: Duration::from_secs(30),
        }
    }
}

/// The process that holds a lock: the content of a lock file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    /// The name of its machine.
    pub host: String,
    /// Its process id there.
    pub pid: u32,
    /// What identifies the boot of the machine and the space of its process ids; `None` where the
    /// system does not tell.
    machine: Option<String>,
    /// When the process started, in ticks since the boot; `None` where the system does not tell.
    start: Option<u64>,
    /// A random key.
    key: String,
    /// The number of renewals, in 16 digits: the content keeps its length.
    beat: String,
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "process {} on {}", self.pid, printable(&self.host, usize::MAX))
    }
}

/// Why a lock is not held.
#[derive(Debug, Error)]
pub enum LockError {
    /// Another process holds it.
    #[error("another referee is writing to it: {0}")]
    Held(Box<Holder>),
    /// Another process holds it, and its file is unreadable.
    #[error("another referee is writing to it")]
    HeldByUnknown,
    /// The caller did not want to wait any longer.
    #[error("stopped")]
    Stopped,
    /// The lock was renewed too late, and another process took it.
    #[error("this referee was suspended, and another one has taken over the file")]
    Lost,
    /// A lock file cannot be read or written.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// A lock that this process holds.
#[derive(Debug)]
pub struct FileLock {
    head: PathBuf,
    timing: Timing,
    /// The lock file of this process.
    own: PathBuf,
    holder: Holder,
    /// The beginning of the last renewal on [`clock`].
    renewed: Duration,
}

/// One file of a chain.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Link {
    path: PathBuf,
    content: Vec<u8>,
}

/// The outcome of watching a lock.
enum Watched {
    /// The holder has renewed it.
    Renewed,
    /// It is gone, or has a successor.
    Gone,
    /// The holder does not renew it.
    Stale,
}

impl FileLock {
    /// Locks the file `path`. Waits for a lock whose holder may be lost, at most
    /// [`Timing::stale`]; ends early when `is_stopped` returns true.
    ///
    /// # Errors
    /// If another process holds the lock, or a lock file cannot be written.
    pub fn acquire(
        path: &Path,
        timing: Timing,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<FileLock, LockError> {
        let head = with_suffix(path, ".lock");
        loop {
            let chain = chain(&head)?;
            let own = match chain.last() {
                None => head.clone(),
                Some(end) => {
                    match end.watch(timing, is_stopped)? {
                        Watched::Renewed => return Err(end.held()),
                        Watched::Gone => continue,
                        Watched::Stale => {}
                    }
                    end.successor(&head)
                }
            };
            let lock = FileLock::new(head.clone(), own, timing);
            if lock.create()? && lock.is_anchored(&chain)? && lock.is_valid() {
                return Ok(lock);
            }
        }
    }

    /// A lock whose file does not exist yet.
    fn new(head: PathBuf, own: PathBuf, timing: Timing) -> FileLock {
        FileLock {
            head,
            own,
            holder: Holder::this_process(),
            renewed: clock(),
            timing,
        }
    }

    /// Creates the own file. Returns whether it did not exist.
    fn create(&self) -> io::Result<bool> {
        create_with_content(&self.own, &self.holder.content()?, &self.holder.key)
    }

    /// Whether the own file is at the end of this chain. Removes it if not: the chain has been
    /// released meanwhile.
    fn is_anchored(&self, before: &[Link]) -> io::Result<bool> {
        let now = chain(&self.head)?;
        let is_anchored = now.len() == before.len() + 1
            && now
                .iter()
                .zip(before)
                .all(|(now, before)| now.path == before.path && now.key() == before.key())
            && now.last().is_some_and(|end| end.key() == self.holder.key);
        if !is_anchored {
            let _ = fs::remove_file(&self.own);
        }
        Ok(is_anchored)
    }

    /// Whether the lock was renewed in time.
    fn is_valid(&self) -> bool {
        clock().saturating_sub(self.renewed) < self.timing.lease
    }

    /// Renews the lock if it is time.
    ///
    /// # Errors
    /// If its file cannot be written, which may be temporary.
    pub fn renew(&mut self) -> io::Result<()> {
        let begun = clock();
        // A lock that was renewed too late may be about to have a successor.
        if !self.is_valid() || begun.saturating_sub(self.renewed) < self.timing.beat {
            return Ok(());
        }
        let mut file = OpenOptions::new().read(true).write(true).open(&self.own)?;
        let mut content = Vec::new();
        (&file).take(MAX_SIZE).read_to_end(&mut content)?;
        // The open file is the own one, whatever happens to its name from now on.
        if key(&content) != self.holder.key {
            return Err(io::Error::other("another process has written the lock file"));
        }
        let beat = self.holder.beat.parse::<u64>().unwrap_or(0).wrapping_add(1);
        self.holder.beat = format!("{beat:016}");
        file.rewind()?;
        file.write_all(&self.holder.content()?)?;
        // Network file systems pass the content on when the file is closed.
        drop(file);
        if self.is_valid() {
            self.renewed = begun;
        }
        Ok(())
    }

    /// Confirms before a write that this process holds the lock. A lock that was not renewed in
    /// time is taken again.
    ///
    /// # Errors
    /// If another process has taken it.
    pub fn confirm(&mut self) -> Result<(), LockError> {
        if self.is_valid() {
            return Ok(());
        }
        let before = chain(&self.head)?;
        let end = before.last().filter(|end| end.key() == self.holder.key);
        let own = end.ok_or(LockError::Lost)?.successor(&self.head);
        let again = FileLock::new(self.head.clone(), own, self.timing);
        if !(again.create()? && again.is_anchored(&before)? && again.is_valid()) {
            return Err(LockError::Lost);
        }
        // The old lock is no longer valid, so that dropping it releases nothing.
        *self = again;
        Ok(())
    }
}

impl Drop for FileLock {
    /// Removes the chain, the head first: without its head, a chain is no lock.
    fn drop(&mut self) {
        // Later it may belong to another process.
        if !self.is_valid() {
            return;
        }
        let Ok(chain) = chain(&self.head) else {
            return;
        };
        if chain.last().is_none_or(|end| end.key() != self.holder.key) {
            return;
        }
        for link in chain {
            if let Err(error) = fs::remove_file(&link.path) {
                log::debug!("{}: {error}", link.path.display());
                return;
            }
        }
    }
}

impl Holder {
    fn this_process() -> Holder {
        let mut random = RandomState::new().build_hasher();
        random.write_u128(clock().as_nanos());
        let pid = std::process::id();
        Holder {
            host: host_name(),
            pid,
            machine: machine(),
            start: start_of(pid),
            key: format!("{:016x}", random.finish()),
            beat: format!("{:016}", 0),
        }
    }

    fn content(&self) -> io::Result<Vec<u8>> {
        let mut content = serde_json::to_vec(self)?;
        content.push(b'\n');
        Ok(content)
    }

    /// Whether its process runs; `None` if it is on another machine, or cannot be found out.
    fn is_running(&self) -> Option<bool> {
        if self.machine.is_none() || self.machine != machine() || self.host != host_name() {
            return None;
        }
        if !files::is_running(self.pid)? {
            return Some(false);
        }
        let (start, now) = (self.start?, start_of(self.pid)?);
        Some(start == now)
    }
}

impl Link {
    fn holder(&self) -> Option<Holder> {
        serde_json::from_slice(&self.content).ok()
    }

    fn key(&self) -> String {
        key(&self.content)
    }

    /// The lock file that succeeds this one.
    fn successor(&self, head: &Path) -> PathBuf {
        with_suffix(head, &format!(".{}", self.key()))
    }

    fn held(&self) -> LockError {
        match self.holder() {
            Some(holder) => LockError::Held(Box::new(holder)),
            None => LockError::HeldByUnknown,
        }
    }

    /// Watches whether the holder renews this lock.
    fn watch(&self, timing: Timing, is_stopped: &dyn Fn() -> bool) -> Result<Watched, LockError> {
        match self.holder().and_then(|holder| holder.is_running()) {
            Some(true) => return Ok(Watched::Renewed),
            Some(false) => return Ok(Watched::Stale),
            None => {}
        }
        let step = timing.beat / 10;
        let mut watched = Duration::ZERO;
        while watched < timing.stale {
            if is_stopped() {
                return Err(LockError::Stopped);
            }
            let begin = Instant::now();
            std::thread::sleep(step);
            match read(&self.path)? {
                Some(content) if content == self.content => {}
                Some(content) if key(&content) == self.key() => return Ok(Watched::Renewed),
                _ => return Ok(Watched::Gone),
            }
            // A process that was itself suspended has not watched in that time.
            watched += begin.elapsed().min(2 * step);
        }
        Ok(Watched::Stale)
    }
}

/// The files of the chain that begins with `head`.
fn chain(head: &Path) -> io::Result<Vec<Link>> {
    let mut links: Vec<Link> = Vec::new();
    let mut path = head.to_path_buf();
    while let Some(content) = read(&path)? {
        let link = Link { path, content };
        path = link.successor(head);
        links.push(link);
        if links.len() > MAX_CHAIN {
            return Err(io::Error::other("too many lock files"));
        }
    }
    Ok(links)
}

/// The content of a lock file; `None` if there is none.
fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut content = Vec::new();
    file.take(MAX_SIZE).read_to_end(&mut content)?;
    Ok(Some(content))
}

/// The random key in the content of a lock file, or a digest of a content without one.
fn key(content: &[u8]) -> String {
    match serde_json::from_slice::<Holder>(content) {
        Ok(holder) if holder.key.bytes().all(|byte| byte.is_ascii_hexdigit()) => holder.key,
        _ => {
            let mut digest = Digest::new();
            digest.add(&String::from_utf8_lossy(content));
            digest.to_string()
        }
    }
}

/// Creates a file with this content; false if it exists. The file never exists without its
/// content where the file system has hard links. The attempt succeeds for one process only, also
/// on network file systems.
fn create_with_content(path: &Path, content: &[u8], key: &str) -> io::Result<bool> {
    let new = with_suffix(path, &format!(".{key}.new"));
    let linked = fs::write(&new, content).and_then(|()| match fs::hard_link(&new, path) {
        Ok(()) => Ok(true),
        Err(error) => {
            // The answer of a file server may have been lost, after it did its work.
            let is_linked = read(path).is_ok_and(|found| found.as_deref() == Some(content));
            if is_linked { Ok(true) } else { Err(error) }
        }
    });
    let _ = fs::remove_file(&new);
    match linked {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
        Err(error) if matches!(error.kind(), ErrorKind::Unsupported | ErrorKind::PermissionDenied) => {
            create_without_links(path, content)
        }
        linked => linked,
    }
}

/// The same on a file system without hard links.
fn create_without_links(path: &Path, content: &[u8]) -> io::Result<bool> {
    match File::create_new(path) {
        Ok(mut file) => file.write_all(content).map(|()| true),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error),
    }
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_os_string();
    name.push(suffix);
    name.into()
}

/// A clock that also runs while the machine sleeps, if the system has one. It never goes back.
fn clock() -> Duration {
    static START: std::sync::LazyLock<Instant> = std::sync::LazyLock::new(Instant::now);
    files::uptime().unwrap_or_else(|| START.elapsed())
}

/// The name of this machine.
#[must_use]
pub fn host_name() -> String {
    let name = files::host_name().map(|name| name.trim().to_string());
    name.filter(|name| !name.is_empty())
        .unwrap_or_else(|| "unknown".into())
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::thread;

    use tempfile::TempDir;

    use super::*;

    const QUICK: Timing = Timing {
        beat: Duration::from_millis(100),
        lease: Duration::from_millis(600),
        stale: Duration::from_millis(1200),
    };

    fn acquire(path: &Path) -> Result<FileLock, LockError> {
        FileLock::acquire(path, QUICK, &|| false)
    }

    /// The lock file of a holder elsewhere, which does not renew it.
    fn leave_stale_lock(path: &Path) -> Holder {
        let mut holder = Holder::this_process();
        holder.host = "elsewhere".into();
        fs::write(with_suffix(path, ".lock"), holder.content().unwrap()).unwrap();
        holder
    }

    fn files(folder: &TempDir) -> usize {
        fs::read_dir(folder.path()).unwrap().count()
    }

    #[test]
    fn lock_excludes_others_until_it_is_released() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("games.jsonl");
        let lock = acquire(&path).unwrap();
        let refused = acquire(&path).unwrap_err();
        let expected = format!("another referee is writing to it: {}", lock.holder);
        assert_eq!(refused.to_string(), expected);
        drop(lock);
        assert_eq!(files(&folder), 0);
        drop(acquire(&path).unwrap());
    }

    #[test]
    fn lock_of_an_ended_process_is_taken_at_once() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("games.jsonl");
        let mut child = std::process::Command::new(std::env::current_exe().unwrap())
            .arg("--help")
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        let mut holder = Holder::this_process();
        (holder.pid, holder.start) = (child.id(), Some(1));
        child.wait().unwrap();
        if holder.machine.is_none() {
            return;
        }
        fs::write(with_suffix(&path, ".lock"), holder.content().unwrap()).unwrap();
        let begin = Instant::now();
        let lock = FileLock::acquire(&path, Timing::default(), &|| false).unwrap();
        assert!(begin.elapsed() < Timing::default().stale);
        assert_eq!(files(&folder), 2, "the chain");
        assert!(matches!(acquire(&path), Err(LockError::Held(_))));
        drop(lock);
        assert_eq!(files(&folder), 0);
    }

    #[test]
    fn renewed_lock_of_another_machine_is_respected() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("games.jsonl");
        let mut lock = acquire(&path).unwrap();
        lock.holder.host = "elsewhere".into();
        fs::write(&lock.own, lock.holder.content().unwrap()).unwrap();
        thread::scope(|scope| {
            let other = scope.spawn(|| acquire(&path));
            while !other.is_finished() {
                lock.renew().unwrap();
                thread::sleep(QUICK.beat / 2);
            }
            let refused = other.join().unwrap().unwrap_err();
            assert!(refused.to_string().ends_with(" on elsewhere"), "{refused}");
        });
        assert!(lock.confirm().is_ok());
    }

    #[test]
    #[cfg_attr(windows, ignore = "Wine deletes a file that another thread has open too late")]
    fn one_of_many_takes_over_a_stale_lock() {
        for round in 0..5 {
            let folder = TempDir::new().unwrap();
            let path = folder.path().join("games.jsonl");
            leave_stale_lock(&path);
            if round % 2 == 1 {
                // Without a readable content.
                fs::write(with_suffix(&path, ".lock"), "").unwrap();
            }
            let taken = Mutex::new(Vec::new());
            thread::scope(|scope| {
                for _ in 0..8 {
                    scope.spawn(|| {
                        if let Ok(lock) = acquire(&path) {
                            taken.lock().unwrap().push(lock);
                        }
                    });
                }
            });
            assert_eq!(taken.lock().unwrap().len(), 1);
            drop(taken);
            assert_eq!(files(&folder), 0);
        }
    }

    #[test]
    fn suspended_holder_continues_only_without_a_successor() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("games.jsonl");
        let mut lock = acquire(&path).unwrap();
        lock.holder.host = "elsewhere".into();
        fs::write(&lock.own, lock.holder.content().unwrap()).unwrap();
        // Nothing has happened while it was suspended.
        thread::sleep(QUICK.lease);
        assert!(!lock.is_valid());
        lock.renew().unwrap();
        assert!(!lock.is_valid(), "it is too late to renew");
        lock.confirm().unwrap();
        assert!(lock.is_valid());
        assert_eq!(files(&folder), 2);
        // Another process takes over.
        lock.holder.host = "elsewhere".into();
        fs::write(&lock.own, lock.holder.content().unwrap()).unwrap();
        let other = acquire(&path).unwrap();
        assert!(matches!(lock.confirm(), Err(LockError::Lost)));
        drop(lock);
        assert_eq!(files(&folder), 3, "a lost lock removes nothing");
        drop(other);
        assert_eq!(files(&folder), 0);
    }

    #[test]
    fn wait_for_a_stale_lock_can_be_stopped() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("games.jsonl");
        leave_stale_lock(&path);
        let begin = Instant::now();
        let stopped = FileLock::acquire(&path, Timing::default(), &|| true);
        assert!(matches!(stopped, Err(LockError::Stopped)));
        assert!(begin.elapsed() < Timing::default().lease);
    }

    #[test]
    fn works_without_hard_links() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("lock");
        assert!(create_without_links(&path, b"a").unwrap());
        assert!(!create_without_links(&path, b"b").unwrap());
        assert_eq!(fs::read(&path).unwrap(), b"a");
    }
}
