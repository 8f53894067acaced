//! The program `referee-serve`, which `referee serve` starts: a local web server to play, to start and watch
//! matches, and to look at results. For every other command it is the same program as `referee`: it starts itself
//! to play matches.
//!
//! From the bottom up; each module imports only those above it:
//!
//! * [`system`]: what differs between systems.
//! * [`connections`]: how many there may be.
//! * [`reply`]: errors as answers; [`live`]: a state for a web socket.
//! * [`files`]: the list of the result files.
//! * [`assets`]: the files of the page.
//! * [`guard`]: who may ask, for every request.
//! * [`known`]: the players that the pages may start.
//! * [`boards`]: games by hand, a thread for each.
//! * [`mod@matches`]: matches as child processes, and their state for spectators.
//! * [`results`]: the files of the folder of results.
//! * [`site`]: what all requests share; [`routes`]: which request does what.
//! * [`listen`]: connections and their time limits.

#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::todo)
)]

mod assets;
mod boards;
mod connections;
mod files;
mod guard;
mod known;
mod listen;
mod live;
mod matches;
mod reply;
mod results;
mod routes;
#[cfg(test)]
mod samples;
mod site;
mod system;

use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use referee::ServeArgs;
use referee_core::failure::{Failure, Stop};
use referee_core::io::interrupt::Interrupt;
use referee_core::io::text::ShowPath;
use tempfile::NamedTempFile;

use crate::guard::Guard;
use crate::site::Site;

/// How long the browser of `--open` may take to come before a warning says that it has not.
const BROWSER_TIME: Duration = Duration::from_secs(10);

/// musl's own allocator makes a report 1.5 times slower (docs/notes/packages.md).
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;

fn main() -> ExitCode {
    let Ok(words) = system::prepare(std::env::args_os()) else {
        return ExitCode::FAILURE;
    };
    if let Some(ended) = referee::supervise(words.clone()) {
        return ended;
    }
    referee::init_logging();
    referee::run_with(words, lodestone::engine::run_player, Some(run))
}

/// Serves the pages until a signal comes.
fn run(args: &ServeArgs) -> Result<(), Failure> {
    let interrupt = Interrupt::install();
    let interrupt =
        interrupt.map_err(|error| Failure::Output(format!("cannot listen for signals: {error}")))?;
    let interrupt = Arc::new(interrupt);
    let site = Arc::new(Site::open(args, &interrupt)?);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| Failure::Output(format!("the server cannot be started: {error}")))?;
    let listener = runtime.block_on(listen::open(args.listen))?;
    let guard = Guard::new(listener.address, &args.allowed_hosts)?;
    let address = guard.address();
    let mut out = std::io::stdout();
    // A reader that closes the pipe early is not a failure.
    let _ = writeln!(out, "{address}").and_then(|()| out.flush());
    if let Some(others) = guard.address_for_others() {
        log::warn!(
            "other machines can connect with {others}; anyone who has this address can start the players of \
             this command, and the connection is not encrypted"
        );
    }
    let opened = args.open.then(|| open_browser(&args.results, &address));
    if let Some(Err(error)) = &opened {
        log::warn!("no browser can be opened: {error}");
    }
    if let Some(Ok(file)) = &opened {
        let (guard, path) = (Arc::clone(&guard), file.path().shown());
        runtime.spawn(async move {
            tokio::time::sleep(BROWSER_TIME).await;
            if !guard.was_opened() {
                log::warn!(
                    "the browser has not opened the page; open the address above yourself. A browser from Snap or \
                     Flatpak may not be allowed to read {path}: they read neither hidden folders nor /tmp"
                );
            }
        });
    }
    let app = routes::app(&site, guard);
    runtime.spawn(listen::serve(listener, app));
    let ended = site.wait();
    site.shut_down();
    runtime.shutdown_background();
    drop(opened);
    Err(Failure::Stopped(Stop::Signal(ended)))
}

/// Opens the address in the browser, through a file that only this user can read: other users see the
/// arguments of a program, and the address has the key. The file is deleted when it is dropped.
fn open_browser(folder: &Path, address: &str) -> io::Result<NamedTempFile> {
    let mut file = tempfile::Builder::new()
        .prefix("open-")
        .suffix(".html")
        .tempfile_in(folder)?;
    write!(
        file,
        "<!doctype html><meta http-equiv=\"refresh\" content=\"0; url={address}\">"
    )?;
    file.flush()?;
    open::that_detached(file.path().canonicalize()?)?;
    Ok(file)
}
