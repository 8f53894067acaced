//! The engine as a program: the protocol on one side, a player on the other.
//!
//! ```text
//! stdin ─▶ session ──────────────────┐
//!           │   ▲                     │
//!     a job,│   │it has ended         ├─▶ speaker ─▶ stdout
//! stop token▼   │                     │
//!          worker ─▶ reports, answer ─┘
//! ```
//!
//! * [`session`](self): the only one who takes events. Lines are handled in the
//!   order in which they came, so nothing is lost between `go` and `stop`.
//! * `speaker`: the only writer of stdout, for the session, the worker and the
//!   watch; each search is answered once, by whichever of them comes first.
//! * [`events`]: waiting for the client, the worker and the clock at once.
//! * [`input`]: lines, bounded and stamped with their arrival.
//! * [`desk`]: the position, the player and the moves of one game; generic
//!   inside, one object outside.
//! * [`player`]: who thinks, and who takes over when a search does not end.
//! * `running`: the search or count that runs, and what its answer waits for.
//! * [`work`]: a job in a thread of its own, and how it reports.
//! * `watch`: a thread that waits for the deadline as the session does.
//! * [`time`]: how long to think, a pure function.
//! * [`options`]: what `setoption` sets.
//!
//! The answer does not depend on the search: the best move so far is published, at
//! first the one that looks best without search, and at the deadline, counted from the
//! arrival of `go`, the session sends it, whether or not the search has ended. On a
//! busy machine the session may be woken late, so a search that ends before is
//! answered by its own thread, and the watch sleeps until the deadline as well: the
//! first to be awake answers.

pub mod bench;
pub mod desk;
pub mod events;
pub mod input;
pub mod options;
pub mod player;
mod running;
mod session;
mod speaker;
pub mod time;
mod watch;
pub mod work;

pub use options::Options;
pub use session::{converse, run};
