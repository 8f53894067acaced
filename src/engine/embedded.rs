//! The session in a host that cannot wait, such as a Web Worker.
//!
//! `main` creates the session, writes the table index of the step function, and returns.
//! The instance stays alive. The host then calls the function in the exported table
//! whenever there is input or a search runs. A function pointer is an index into this table.

use std::cell::RefCell;
use std::io::{self, Write};

use super::options::Options;
use super::session::{Session, Status, single_thread};
use super::single_thread::SingleThread;

/// The session waits for input.
const WAITING: i32 = 0;
/// A search runs: call again, even without input.
const SEARCHING: i32 = 1;
/// The session has ended.
const ENDED: i32 = 2;
/// The session has failed; stderr has the error.
const FAILED: i32 = 3;

thread_local! {
    static SESSION: RefCell<Option<Session<SingleThread>>> = const { RefCell::new(None) };
}

/// Creates the session and writes the first line to stdout, `info string step N`: `N` is
/// the table index of the function that the host calls. It takes no argument and returns
/// 0 (waits for input), 1 (searches: call it again), 2 (has ended) or 3 (has failed).
pub fn start(options: Options) -> Result<(), String> {
    // A read of stdin fails with `EAGAIN` if there is no input yet.
    let session = single_thread(
        options,
        Box::new(|lines, _| lines.read_from(&mut io::stdin())),
        true,
        io::stdout(),
    )?;
    SESSION.set(Some(session));
    let index = step as extern "C" fn() -> i32 as usize;
    writeln!(io::stdout(), "info string step {index}").map_err(|error| error.to_string())
}

/// One step of the session; the index of this function is the first line of stdout.
extern "C" fn step() -> i32 {
    SESSION.with_borrow_mut(|slot| {
        let Some(session) = slot else {
            return ENDED;
        };
        match session.run() {
            Ok(Status::Waiting) => WAITING,
            Ok(Status::Searching) => SEARCHING,
            Ok(Status::Ended) => {
                *slot = None;
                ENDED
            }
            Err(error) => {
                log::error!("{error}");
                *slot = None;
                FAILED
            }
        }
    })
}
