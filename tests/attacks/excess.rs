//! Bots that take too much, or end by a refused call. All of it is bounded.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Once;
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

/// Misbehaves as the bot of this name does while it thinks.
pub fn commit(name: &str) {
    match name {
        "fills-the-disk" => fill_the_disk(),
        "makes-many-files" => make_many_files(),
        "hides-files-deep" => hide_files_deep(),
        "writes-one-large-file" => {
            let megabyte = vec![1; 1 << 20];
            let file = fs::File::create(home().join("large"));
            for _ in 0..80 {
                let Ok(mut file) = file.as_ref() else { break };
                if let Err(error) = std::io::Write::write_all(&mut file, &megabyte) {
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

/// Starts many processes, and threads until the system refuses one. Keeps all of them.
pub fn crowd() {
    for _ in 0..40 {
        if let Err(error) = Command::new("sleep").arg("60").spawn() {
            eprintln!("processes fail: {error}");
        }
    }
    let started = (0..600).take_while(|_| {
        let thread = thread::Builder::new().stack_size(1 << 16);
        thread.spawn(|| sleep(Duration::from_mins(1))).is_ok()
    });
    eprintln!("threads {}", started.count());
}

fn home() -> PathBuf {
    std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default()
}

fn fill_the_disk() {
    let megabytes = vec![1; 8 << 20];
    for number in 0..20 {
        if let Err(error) = fs::write(home().join(number.to_string()), &megabytes) {
            eprintln!("disk: {error}");
            return;
        }
    }
    sleep(Duration::from_secs(1));
}

fn make_many_files() {
    for number in 0..6000 {
        if let Err(error) = fs::write(home().join(number.to_string()), "") {
            eprintln!("files: {error}");
            return;
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
