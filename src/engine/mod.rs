//! The engine as a program: the protocol on one side, a player on the other.
//!
//! ```text
//! stdin ──────────────────┐
//!                         ├─▶ session ─▶ stdout
//! worker ─▶ its reports ──┘      │
//!    ▲                           │
//!    └───── a job, a stop token ─┘
//! ```
//!
//! * [`session`](self): the only one who takes events and the only writer of
//!   stdout. Lines are handled in the order in which they came, so nothing is
//!   lost between `go` and `stop`.
//! * [`events`]: waiting for the client, the worker and the clock at once.
//! * [`input`]: lines, bounded and stamped with their arrival.
//! * [`desk`]: the position, the player and the moves of one game; generic
//!   inside, one object outside.
//! * [`player`]: who thinks, and who takes over when a search does not end.
//! * `running`: the search or count that runs, and what its answer waits for.
//! * [`work`]: a job in a thread of its own, and how it reports.
//! * [`time`]: how long to think, a pure function.
//! * [`options`]: what `setoption` sets.
//!
//! The answer does not depend on the search: the best move so far is published,
//! and at the deadline, counted from the arrival of `go`, the session sends it,
//! whether or not the search has ended.

pub mod bench;
pub mod desk;
pub mod events;
pub mod input;
pub mod options;
pub mod player;
mod running;
mod session;
pub mod time;
pub mod work;

pub use options::Options;
pub use session::{converse, run};
