//! What `match`, `tune` and `ladder` share: checks before the first game, the log, signals, and sentences at the end.

use std::io;
use std::path::Path;
use std::sync::Arc;

use referee_core::failure::Failure;
use referee_core::io::files::Target;
use referee_core::io::interrupt::Interrupt;
use referee_core::io::log_file;
use referee_core::io::text::{ShowPath, counted};

use super::{install_interrupt, installed};
use crate::config::cli::RunArgs;
use crate::config::with_keys::LogOption;
use crate::terminal::fitted;

/// What a user reads at the first Ctrl-C with `--finish-games`.
const FINISHING: &str =
    "no new game is started; the running games are finished. Press Ctrl-C again to drop them";

/// The file of `--csv`. It replaces only one that begins like it.
pub(super) fn table_file(path: &Path, beginning: &str, refused: &str) -> Result<Target, Failure> {
    let target = Target::open_own(path, beginning.as_bytes(), refused);
    target.map_err(|error| Failure::Usage(format!("--csv {}: {error}", path.shown())))
}

/// Writes the file of `--csv`.
pub(super) fn write_table(file: &Target, text: &str) -> Result<(), Failure> {
    let written = file.write(|out| Ok(out.write_all(text.as_bytes())?));
    written.map_err(|error| Failure::Output(format!("--csv {}: {error}", file.path.shown())))
}

/// Plays games, with their log.
pub(super) fn with_log(
    log: Option<&LogOption>,
    play: impl FnOnce() -> Result<(), Failure>,
) -> Result<(), Failure> {
    let Some(log) = log else {
        return play();
    };
    let here = |error: io::Error| format!("--log {}: {error}", log.path.shown());
    log_file::open(&log.path, log.level, log.engines).map_err(|error| Failure::Usage(here(error)))?;
    let played = play();
    if let Err(failure) = &played {
        log::info!("the match ends: {failure}");
    }
    let logged = log_file::close().map_err(|error| Failure::Output(here(error)));
    played.and(logged)
}

/// Listens for the signals that stop games.
pub(super) fn install(run: &RunArgs) -> Result<Arc<Interrupt>, Failure> {
    if run.finish_games {
        installed(Interrupt::install_finishing(FINISHING))
    } else {
        install_interrupt()
    }
}

/// How often games were played again because of the machine, and what to do.
pub(super) fn replayed_text(count: u64) -> String {
    match count {
        0 => String::new(),
        count => fitted(
            &format!(
                "\nReplayed because of the machine (see the warnings): {}. If it was busy, play fewer games \
                 at a time \
                 (`--concurrency`), or run nothing else during the match.",
                counted(count as usize, "game")
            ),
            io::stdout(),
        ),
    }
}

/// How to resume a match, behind the sentence that says where it stopped.
pub(super) fn resume_text(stopped: &str, out: Option<&Path>) -> String {
    let advice = match out {
        None => "Nothing was saved; with `--out FILE.jsonl` a match can be resumed.".to_string(),
        Some(path) => format!(
            "They are saved in {}; run the same command again to resume.",
            path.shown()
        ),
    };
    fitted(&format!("{stopped}{advice}"), io::stdout())
}
