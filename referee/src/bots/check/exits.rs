//! Checks of the end of a bot. Each of them ends it.

use std::time::{Duration, Instant};

use super::commands::short;
use super::positions::Placed;
use super::report::{CheckResult, Finding, Trouble};
use super::searches::start_infinite;
use super::session::{BotSession, PATIENCE};
use crate::process::{ExitInfo, Process};

/// Time from `quit`, or the end of input, to the exit.
const EXIT_TIME: Duration = Duration::from_secs(2);

/// `quit` after a move.
pub fn quit(session: &mut BotSession) -> CheckResult {
    play_a_move(session)?;
    session.dialogue.send("quit\n");
    let exit = exit(
        session,
        "`quit`",
        "leave the loop that reads input when `quit` comes",
    )?;
    Ok(remark(&exit))
}

/// End of input without `quit`, as when the referee is gone.
pub fn end_of_input(session: &mut BotSession) -> CheckResult {
    play_a_move(session)?;
    session.dialogue.close_input();
    let hint = "exit when reading finds no more line; otherwise the bot runs on after its match";
    let exit = exit(session, "the end of its input", hint)?;
    Ok(remark(&exit))
}

/// `quit` during a search.
pub fn quit_searching(session: &mut BotSession) -> CheckResult {
    let is_searching = match start_infinite(session) {
        Err(Trouble::Failed(_)) if session.has_failed("stop") => {
            return Err(Trouble::Skipped("`stop` has failed in the same way".into()));
        }
        result => result?,
    };
    session.dialogue.send("quit\n");
    let hint = "read input in a second thread; after `quit`, exit without waiting for the search";
    exit(session, "`quit`", hint)?;
    let ended = "its search ended before `quit` was sent";
    Ok((!is_searching).then(|| ended.into()))
}

/// No descendant outlives the bot.
pub fn no_leftovers(session: &mut BotSession) -> CheckResult {
    BotSession::need_supervisor()?;
    play_a_move(session)?;
    if let Some(process) = session.dialogue.process() {
        Process::count_leftovers(process);
    }
    session.dialogue.close_input();
    let exit = exit(
        session,
        "the end of its input",
        "exit when reading finds no more line",
    )?;
    let count = match exit.leftovers {
        None | Some(0) => return Ok(None),
        Some(1) => "a process".to_string(),
        Some(count) => format!("{count} processes"),
    };
    Err(Finding {
        problem: format!("{} exited and left {count} behind", session.name()),
        expected: "no process that it has started".into(),
        hint: "end all child processes before the exit; in a shell script, start the program with `exec`"
            .into(),
        ..Finding::default()
    }
    .into())
}

/// A move, so that all parts of the bot are running.
fn play_a_move(session: &mut BotSession) -> Result<(), Trouble> {
    if session.has_failed("startpos") {
        return Ok(());
    }
    session.ask_any(&Placed::startpos(session.variant()), &short(50), PATIENCE)
}

fn exit(session: &mut BotSession, event: &str, hint: &str) -> Result<ExitInfo, Trouble> {
    let name = session.name().to_string();
    let problem = match session.await_exit(Instant::now() + EXIT_TIME)? {
        // It may close its output on the way out.
        Some(exit) if exit.how != CLOSED => return Ok(exit),
        Some(_) => format!("{name} closed its output after {event}, but did not exit"),
        None => format!("{name} still runs {} s after {event}", EXIT_TIME.as_secs()),
    };
    Err(Finding {
        problem,
        expected: format!("it exits within {} s of {event}", EXIT_TIME.as_secs()),
        hint: hint.into(),
        ..Finding::default()
    }
    .into())
}

/// What [`ExitInfo::how`] says of a bot that still runs.
const CLOSED: &str = "closed its output";

/// A remark about an exit that is not a success.
fn remark(exit: &ExitInfo) -> Option<String> {
    (!exit.is_success()).then(|| format!("it {}", exit.how))
}
