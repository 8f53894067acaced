//! What a bot in a sandbox must be able to do.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::Command;
use std::thread;

use crate::list::report;

/// What a bot does; an error says that the sandbox is too strict.
type Deed = fn() -> io::Result<()>;

/// A private folder.
fn folder(variable: &str) -> io::Result<PathBuf> {
    std::env::var_os(variable)
        .map(PathBuf::from)
        .ok_or(io::ErrorKind::NotFound.into())
}

fn check(is_right: bool) -> io::Result<()> {
    if is_right {
        Ok(())
    } else {
        Err(io::ErrorKind::InvalidData.into())
    }
}

const DEEDS: &[(&str, Deed)] = &[
    ("read-own-folder", || {
        check(fs::read_to_string("book.txt")? == "book")?;
        fs::read_dir(".").map(drop)
    }),
    ("read-own-program", || {
        fs::read(std::env::current_exe()?).map(drop)
    }),
    ("write-home", || {
        let path = folder("HOME")?.join("a/b");
        fs::create_dir_all(&path)?;
        fs::write(path.join("c"), "text")?;
        fs::rename(path.join("c"), folder("HOME")?.join("d"))?;
        check(fs::read_to_string(folder("HOME")?.join("d"))? == "text")?;
        fs::remove_dir_all(folder("HOME")?.join("a"))
    }),
    ("write-temporary-file", || {
        fs::write(folder("TMPDIR")?.join("e"), "text")
    }),
    ("run-own-script", || {
        let path = folder("HOME")?.join("script");
        fs::write(&path, "echo text")?;
        check(Command::new("/bin/sh").arg(&path).output()?.stdout == b"text\n")
    }),
    ("start-process", || {
        check(Command::new("sh").args(["-c", "exit 3"]).status()?.code() == Some(3))
    }),
    ("kill-own-process", || {
        let mut child = Command::new("sleep").arg("60").spawn()?;
        child.kill()?;
        check(child.wait()?.code().is_none())
    }),
    ("threads", || {
        let threads: Vec<_> = (0..20).map(|_| thread::Builder::new().spawn(|| 1)).collect();
        let mut sum = 0;
        for thread in threads {
            sum += thread?.join().unwrap_or(0);
        }
        check(sum == 20)
    }),
    ("pipes", || {
        let (mut reader, mut writer) = io::pipe()?;
        writer.write_all(b"text")?;
        drop(writer);
        let mut text = String::new();
        reader.read_to_string(&mut text)?;
        check(text == "text")
    }),
    ("socket-pair", || {
        let (mut one, mut other) = UnixStream::pair()?;
        one.write_all(b"text")?;
        let mut bytes = [0; 4];
        other.read_exact(&mut bytes)?;
        check(&bytes == b"text")
    }),
    ("devices", || {
        File::options().write(true).open("/dev/null")?.write_all(b"x")?;
        let mut bytes = [1; 16];
        File::open("/dev/zero")?.read_exact(&mut bytes)?;
        check(bytes == [0; 16])?;
        File::open("/dev/urandom")?.read_exact(&mut bytes)
    }),
    ("count-cores", || thread::available_parallelism().map(drop)),
    ("read-machine", || fs::read("/proc/cpuinfo").map(drop)),
    ("own-limits", || {
        use rustix::process::{Resource, getrlimit, setrlimit};
        Ok(setrlimit(Resource::Nofile, getrlimit(Resource::Nofile))?)
    }),
    ("hold-no-capabilities", || {
        check(rustix::thread::capabilities(None)?.permitted.is_empty())
    }),
    ("lock-own-file", || {
        let file = File::create(folder("HOME")?.join("lock"))?;
        let operation = rustix::fs::FlockOperation::LockExclusive;
        Ok(rustix::fs::fcntl_lock(&file, operation)?)
    }),
    ("pin-itself", || {
        let cores = rustix::thread::sched_getaffinity(None)?;
        Ok(rustix::thread::sched_setaffinity(None, &cores)?)
    }),
];

/// Tries all of it.
pub fn try_all() {
    for (name, deed) in DEEDS {
        match deed() {
            Ok(()) => report(name, "works"),
            Err(error) => report(name, &format!("fails: {error}")),
        }
    }
}

/// Talks to itself by TCP at a port that all such bots have, under the name of its machine, and keeps the port until
/// it ends. Ends at once if that fails.
pub fn serve_at_a_fixed_port() {
    const PORT: u16 = 47_010;
    let served = || -> io::Result<TcpListener> {
        let listener = TcpListener::bind(("127.0.0.1", PORT))?;
        let machine = rustix::system::uname();
        let name = machine.nodename().to_str().map_err(io::Error::other)?;
        let mut client = TcpStream::connect((name, PORT))?;
        let (mut server, _) = listener.accept()?;
        client.set_nodelay(true)?;
        client.write_all(b"text")?;
        let mut bytes = [0; 4];
        server.read_exact(&mut bytes)?;
        check(&bytes == b"text")?;
        Ok(listener)
    };
    match served() {
        Ok(listener) => std::mem::forget(listener),
        Err(error) => {
            eprintln!("no port: {error}");
            std::process::exit(9);
        }
    }
}
