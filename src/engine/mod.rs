//! The engine as a program: the protocol on one side, a searcher on the other.
//!
//! A `go` flows one way:
//!
//! ```text
//! stdin ─▶ session ─▶ state ─▶ job ─▶ worker ─▶ responder ─▶ stdout
//! ```
//!
//! * `session`: takes events in the order in which they arrive and executes commands.
//! * `events`: waits for the client, for ends of jobs and for the clock at once.
//! * [`options`]: what `setoption` sets.
//! * `state`: the position and its searcher. Turns a `go` into a job.
//! * `job`: a search or count, and the `go` that it answers.
//! * `worker`: what the session needs from the system: events, and a thread that runs jobs.
//! * `single_thread`: a platform without threads, on which jobs run in slices.
//! * `embedded`: the session for a host that cannot wait, such as a browser.
//! * `search_job`: what a worker runs for `go`, with the searcher from the slot.
//! * `responder`: the single writer of stdout. Answers each `go` exactly once. A second thread, its
//!   timer, waits for the deadline.
//! * [`mod@bench`]: fixed work whose node count is a checksum of the search.
//!
//! The answer does not depend on the search. The best move so far is published, at first
//! a fallback move found without search. At the deadline, counted from the arrival of
//! `go`, the responder sends it, even if the search still runs.

pub mod bench;
#[cfg(target_family = "wasm")]
pub mod embedded;
mod events;
mod job;
pub mod options;
mod responder;
mod search_job;
mod session;
mod single_thread;
mod state;
mod worker;

pub use options::Options;
pub use session::{Status, converse, run, run_in_single_thread, run_player};
