//! Bots that take too much, or end by a refused call. All of it is bounded.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Once;
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

/// Misbehaves as the bot of this name does while it thinks.
pub fn commit(name: &str) {
    match name {
        "fills-the-disk" => fill_the_disk(),
        "makes-many-files" => make_many_files(),
        "hides-files-deep" => hide_files_deep(),
        "crowds" | "starts-threads" => crowd(),
        "fills-sockets" => fill_sockets(),
        "maps-deleted-files" => {
            static ONCE: Once = Once::new();
            ONCE.call_once(map_deleted_files);
        }
        "takes-memory-under-a-strange-name" => take_memory_under_a_strange_name(),
        "takes-watches" => {
            static ONCE: Once = Once::new();
            ONCE.call_once(|| {
                if let Err(error) = take_watches() {
                    eprintln!("watches: {error}");
                }
            });
        }
        "takes-locks" => take_locks(),
        "runs-unreadable-program" => {
            if let Err(error) = run_unreadable_program() {
                eprintln!("unreadable: {error}");
            }
            sleep(Duration::from_secs(1));
        }
        "writes-one-large-file" => {
            let megabyte = vec![1; 1 << 20];
            let file = fs::File::create(home().join("large"));
            for _ in 0..80 {
                let Ok(mut file) = file.as_ref() else { break };
                if let Err(error) = file.write_all(&megabyte) {
                    eprintln!("large file: {error}");
                    break;
                }
            }
        }
        "forks" => {
            for _ in 0..100 {
                if let Err(error) = Command::new("sleep").arg("20").spawn() {
                    eprintln!("fork: {error}");
                    break;
                }
            }
            sleep(Duration::from_secs(3));
        }
        "burns" => {
            let until = Instant::now() + Duration::from_secs(50);
            while Instant::now() < until {}
        }
        "burns-in-children" => burn_in_children(),
        "burns-in-short-children" => burn_in_short_children(),
        "allowed-at-go" => {
            static ONCE: Once = Once::new();
            ONCE.call_once(crate::allowed::try_all);
        }
        "needs-a-book" => {
            let path = std::env::args().nth(2).unwrap_or_default();
            if let Err(error) = fs::read(&path) {
                eprintln!("cannot read {path}: {error}");
                std::process::exit(1);
            }
        }
        _ => {}
    }
}

/// Starts some processes, and threads until the system refuses one. Keeps all of them.
fn crowd() {
    for _ in 0..40 {
        if let Err(error) = Command::new("sleep").arg("60").spawn() {
            eprintln!("processes fail: {error}");
        }
    }
    let started = (0..3000).take_while(|_| {
        let thread = thread::Builder::new().stack_size(1 << 16);
        thread.spawn(|| sleep(Duration::from_mins(1))).is_ok()
    });
    eprintln!("threads {}", started.count());
    sleep(Duration::from_secs(1));
}

/// Gives itself a name that is not UTF-8, and uses 300 MB. The touched pages are kept.
fn take_memory_under_a_strange_name() {
    let name = c"\xff\xfe";
    if let Err(error) = rustix::thread::set_name(name) {
        eprintln!("name: {error}");
    }
    let pages = vec![1; 300 << 20];
    sleep(Duration::from_secs(2));
    std::hint::black_box(pages);
}

/// Watches one pipe by many descriptors in many sets.
fn take_watches() -> io::Result<()> {
    use rustix::event::epoll;

    let (reader, _writer) = io::pipe()?;
    let sets = (0..120).map(|_| Ok(epoll::create(epoll::CreateFlags::CLOEXEC)?));
    let sets = sets.collect::<io::Result<Vec<_>>>()?;
    let readers = (0..100)
        .map(|_| reader.try_clone())
        .collect::<io::Result<Vec<_>>>()?;
    for set in &sets {
        for reader in &readers {
            epoll::add(set, reader, epoll::EventData::new_u64(1), epoll::EventFlags::IN)?;
        }
    }
    sleep(Duration::from_secs(3));
    Ok(())
}

/// Locks many files, each as a whole.
fn take_locks() {
    let files: Vec<File> = (0..100)
        .map_while(|number| File::create(home().join(format!("lock{number}"))).ok())
        .collect();
    for file in &files {
        if let Err(error) = rustix::fs::fcntl_lock(file, rustix::fs::FlockOperation::LockExclusive) {
            eprintln!("lock: {error}");
        }
    }
    sleep(Duration::from_secs(3));
}

/// Fills pairs of sockets in several processes.
fn fill_sockets() {
    let mut pairs = Vec::new();
    while let Ok((mut one, other)) = UnixStream::pair() {
        let _ = one.set_nonblocking(true);
        while one.write(&[1; 8192]).is_ok() {}
        pairs.push((one, other));
    }
    // The first of them starts others.
    if std::env::args().len() < 4 {
        drop(pairs.pop());
        let program = std::env::current_exe().unwrap_or_default();
        for _ in 0..4 {
            let _ = Command::new(&program)
                .args(["fills-sockets", "as", "child"])
                .spawn();
        }
    }
    sleep(Duration::from_secs(2));
}

/// Uses processor time in children, one after the other. For a test that lets this process ignore their ends.
fn burn_in_children() {
    let program = std::env::current_exe().unwrap_or_default();
    for _ in 0..40 {
        let child = Command::new(&program)
            .args(["burn-a-while", "as", "child"])
            .spawn();
        // An error says that there is no child any more.
        let _ = child.and_then(|mut child| child.wait());
    }
}

/// The same in many children, each of which ends before it has used a hundredth of a second.
fn burn_in_short_children() {
    let program = std::env::current_exe().unwrap_or_default();
    let until = Instant::now() + Duration::from_secs(100);
    while Instant::now() < until {
        let start = |_| {
            Command::new(&program)
                .args(["burn-a-moment", "as", "child"])
                .spawn()
        };
        let children: Vec<_> = (0..4).map(start).collect();
        for mut child in children.into_iter().flatten() {
            let _ = child.wait();
        }
    }
}

/// Uses so many milliseconds of processor time, fewer than a thousand.
pub fn burn(milliseconds: i64) {
    let time = || rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    while time().tv_sec == 0 && time().tv_nsec < milliseconds * 1_000_000 {}
}

/// Runs a program that cannot be read for a while.
fn run_unreadable_program() -> io::Result<()> {
    let path = home().join("hidden");
    let mut options = OpenOptions::new();
    let mut copy = options.write(true).create_new(true).mode(0o111).open(&path)?;
    io::copy(&mut File::open("/bin/sleep")?, &mut copy)?;
    drop(copy);
    Command::new(&path).arg("60").spawn().map(drop)
}

/// Where a library may be.
const LIBRARIES: [&str; 4] = [
    "/lib/x86_64-linux-gnu/libm.so.6",
    "/lib/aarch64-linux-gnu/libm.so.6",
    "/lib64/libm.so.6",
    "/usr/lib/libm.so.6",
];

/// Deletes libraries that programs have loaded.
fn map_deleted_files() {
    let mut children = Vec::new();
    for number in 0..20 {
        let copy = home().join(number.to_string());
        let copied = LIBRARIES.iter().find_map(|library| fs::read(library).ok());
        let written = copied.map(|library| fs::write(&copy, library));
        // The shell stays, with the library, and says when it has started.
        let child = Command::new("sh")
            .args(["-c", "echo; read line"])
            .env("LD_PRELOAD", &copy)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn();
        let Ok(mut child) = child else {
            eprintln!("mapped: {written:?}, {child:?}");
            continue;
        };
        let _ = child.stdout.as_mut().map(|output| output.read(&mut [0]));
        let _ = fs::remove_file(&copy);
        children.push(child);
    }
    sleep(Duration::from_secs(1));
}

fn home() -> PathBuf {
    std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default()
}

fn fill_the_disk() {
    let megabytes = vec![1; 8 << 20];
    for number in 0..20 {
        if let Err(error) = fs::write(home().join(number.to_string()), &megabytes) {
            eprintln!("disk: {error}");
            break;
        }
    }
    sleep(Duration::from_secs(1));
}

fn make_many_files() {
    for number in 0..6000 {
        if let Err(error) = fs::write(home().join(number.to_string()), "") {
            eprintln!("files: {error}");
            break;
        }
    }
    sleep(Duration::from_secs(1));
}

/// Fills folders in each other whose path is longer than any path may be.
fn hide_files_deep() {
    let name = "d".repeat(250);
    let deeper = || fs::create_dir(&name).and_then(|()| std::env::set_current_dir(&name));
    let is_deep = std::env::set_current_dir(home()).and_then(|()| (0..20).try_for_each(|_| deeper()));
    let megabytes = vec![1; 8 << 20];
    let mut numbers = 0..10;
    let written = numbers.try_for_each(|number| fs::write(number.to_string(), &megabytes));
    if let Err(error) = is_deep.and(written) {
        eprintln!("deep: {error}");
        return;
    }
    sleep(Duration::from_secs(1));
}
