//! What all requests share.

use std::fmt::Display;
use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use referee::{DEFAULT_LEVEL, ServeArgs};
use referee_core::failure::Failure;
use referee_core::game::Ruleset;
use referee_core::io::files;
use referee_core::io::interrupt::{Interrupt, Signal};
use serde_json::{Value, json};

use crate::boards::Boards;
use crate::boards::board::Context;
use crate::boards::store::BoardFolder;
use crate::known::{KnownPlayer, OfferedPlayers};
use crate::matches::Matches;
use crate::results::Results;
use referee_core::io::text::ShowPath;

/// What all requests share.
#[derive(Debug)]
pub struct Site {
    /// The game, the players and the folder of results.
    pub offer: Arc<OfferedPlayers>,
    /// Games by hand.
    pub boards: Arc<Boards>,
    pub matches: Arc<Matches>,
    /// The result files.
    pub results: Arc<Results>,
    interrupt: Arc<Interrupt>,
    /// Held until the server ends: another one would write the same boards.
    _lock: File,
}

/// The file that the server of a folder locks.
const LOCK: &str = ".referee-serve.lock";

/// Makes the folder of results if it is missing, and locks it.
fn lock(folder: &Path) -> Result<File, Failure> {
    let failed = |why: &dyn Display| Failure::Usage(format!("--results {}: {why}", folder.shown()));
    if folder.exists() && !folder.is_dir() {
        return Err(failed(&"it is not a folder"));
    }
    fs::create_dir_all(folder).map_err(|error| failed(&error))?;
    let held = files::lock_folder(folder, LOCK).map_err(|error| failed(&error))?;
    held.ok_or_else(|| failed(&"another `referee serve` uses this folder; choose another one"))
}

impl Site {
    /// What a command line asks for.
    pub fn open(args: &ServeArgs, interrupt: &Arc<Interrupt>) -> Result<Site, Failure> {
        let offer = Arc::new(OfferedPlayers::new(args)?);
        let lock = lock(&args.results)?;
        let context = Context {
            offer: Arc::clone(&offer),
            folder: BoardFolder::new(&args.results),
            interrupt: Arc::clone(interrupt),
        };
        let matches = Matches::new(Arc::clone(&offer));
        Ok(Site {
            boards: Boards::open(context),
            offer,
            results: Results::new(Arc::clone(&matches))?,
            matches,
            interrupt: Arc::clone(interrupt),
            _lock: lock,
        })
    }

    /// What a page has to know at its start.
    pub fn facts(&self) -> Value {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        facts(self.offer.rules, &self.offer.list(), &self.offer.results, cores)
    }

    /// Ends all games and matches; what was played is saved.
    pub fn shut_down(&self) {
        self.boards.close();
        self.matches.shut_down();
        self.results.shut_down();
    }

    pub fn wait(&self) -> Signal {
        while !self.interrupt.wait(Duration::from_hours(1)) {}
        self.interrupt.signal()
    }
}

/// What a page has to know at its start.
pub fn facts(rules: Ruleset, players: &[KnownPlayer], results: &Path, cores: usize) -> Value {
    let mut game = rules.to_json();
    if let Some(program) = rules.program() {
        let words = program.words().join(" ");
        let version = program.version();
        let name = version.map_or(String::new(), |version| format!(", {version}"));
        game["rules"] = json!([format!("The rules are those of the program {words}{name}.")]);
    }
    json!({
        "game": game,
        "players": players,
        "defaults": {"opponent": format!("level:{DEFAULT_LEVEL}"), "adviser": format!("builtin:{}", rules.strongest())},
        "results": results,
        "cores": cores,
    })
}
