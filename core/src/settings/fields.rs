//! The values of the settings of one player.

use std::path::PathBuf;
use std::time::Duration;

use crate::arbiter::OnFault;
use crate::game::clock::TimeControl;
use crate::player::Protocol;
use crate::process::{ResourceLimits, SandboxLevel};

/// The settings of one player; `None` for those that are not given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// A path, a built-in name, or `human`.
    pub cmd: Option<String>,
    /// Arguments of the program.
    pub args: Option<Vec<String>>,
    /// The folder in which it runs.
    pub dir: Option<PathBuf>,
    /// The folder whose `run` starts the submission in the folder `cmd`.
    pub wrapper: Option<PathBuf>,
    /// Its name in the results.
    pub name: Option<String>,
    pub proto: Option<Protocol>,
    /// Engine options to set, in this order.
    pub options: Vec<(String, String)>,
    /// How many of them, the first ones, are those of all players.
    pub inherited: usize,
    /// The time for one move (`st`) or for several (`tc`).
    pub time: Option<TimeControl>,
    /// Another time for the first move of a game, beside `st`.
    pub first: Option<Duration>,
    /// The depth limit, in plies.
    pub depth: Option<u32>,
    /// The node limit.
    pub nodes: Option<u64>,
    /// How much later than its time an answer is accepted.
    pub margin: Option<Duration>,
    /// What its faults do.
    pub on_fault: Option<OnFault>,
    /// The time for `uciok`, and for each `readyok`.
    pub start_time: Option<Duration>,
    /// Whether each game has a new process.
    pub restart: Option<bool>,
    /// How it is restricted.
    pub sandbox: Option<SandboxLevel>,
    /// More folders that it may read in its sandbox.
    pub sandbox_read: Vec<PathBuf>,
    /// The limits on what its processes use together.
    pub limits: ResourceLimits,
    /// The limit on their processor time for one move.
    pub cpu_move: Option<Duration>,
    /// The file that gets a copy of its stderr.
    pub stderr: Option<PathBuf>,
}
