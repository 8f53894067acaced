//! Checks of searches without a time limit, of commands during a search, and of the end of a bot.

use std::time::Duration;

use lodestone_game::protocol::{Limits, Reply};
use referee_core::io::running_clock;
use referee_core::io::untrusted::Untrusted;
use referee_core::player::verdict::FaultKind;
use referee_core::process::{Exit, ExitInfo, Process};

use super::commands::AT_ONCE;
use super::dialogue::NoLine;
use super::report::{CheckResult, LONG_GAME, STARTPOS, Trouble};
use super::session::{BotSession, need_supervisor};

/// How long a search runs before a command interrupts it.
const SEARCH_TIME: Duration = Duration::from_millis(150);

const READ_WHILE_SEARCHING: &str = "read input in a second thread, and let the search look at a flag that \
                                    this thread sets";

/// Starts a search, and lets it run for a moment. Returns its answer, if it has ended by itself.
fn begin_search(bot: &mut BotSession, limits: &Limits) -> Result<Result<Untrusted, NoLine>, Trouble> {
    let placed = bot.starts.first();
    bot.prepare(&placed)?;
    let request = bot.request(&placed, limits);
    bot.dialogue.send(&request);
    Ok(bot.dialogue.await_line(SEARCH_TIME, is_answer)?)
}

/// Starts a search without a limit, and lets it run for a moment. Returns whether it has not
/// ended by itself.
fn begin_infinite(bot: &mut BotSession) -> Result<bool, Trouble> {
    let limits = Limits {
        infinite: true,
        ..Limits::default()
    };
    match begin_search(bot, &limits)? {
        Err(NoLine::Deadline) => Ok(true),
        Ok(_) => Ok(false),
        Err(why) => Err(bot.missing(&why, "", "a search until `stop`", "").into()),
    }
}

fn is_answer(line: &str) -> bool {
    line.split_whitespace().next() == Some("bestmove")
}

/// `go infinite`, then `stop`.
pub(super) fn stop(bot: &mut BotSession) -> CheckResult {
    if !begin_infinite(bot)? {
        return bot.failure(
            "ended `go infinite` before `stop`",
            "no `bestmove` before `stop`",
            "search until `stop`, or keep the answer until then; a match never sends `go infinite`, but \
             analysis does",
        );
    }
    bot.dialogue.send("stop\n");
    let expected = "`bestmove` within 1 s of `stop`";
    let answer = bot.expect(AT_ONCE, is_answer, expected, READ_WHILE_SEARCHING)?;
    let is_move = match Reply::parse(answer.raw()) {
        // Another check is about the moves of `position`.
        Ok(Reply::BestMove { best, .. }) => {
            bot.has_failed(LONG_GAME) || bot.starts.first().position().parse_move(&best).is_ok()
        }
        _ => false,
    };
    if is_move {
        return Ok(None);
    }
    bot.failure(
        &format!("wrote `{}`, which is not a legal move", answer.cut(60)),
        "`bestmove` with the best move so far",
        "keep the best move of the last finished iteration",
    )
}

/// `stop` without a search.
pub(super) fn stop_idle(bot: &mut BotSession) -> CheckResult {
    bot.ask_any(&bot.starts.first(), 20)?;
    bot.dialogue.send("stop\n");
    let came = bot.dialogue.await_line(SEARCH_TIME, is_answer)?;
    bot.dialogue.claim_lines();
    match came {
        Ok(_) => bot.failure(
            "answered `stop` although it was not searching",
            "no reply",
            "ignore `stop` unless a search runs; the client would take the line for the answer to its next `go`",
        ),
        Err(NoLine::Closed) => Err(bot.crashed("no reply").into()),
        Err(_) => {
            bot.ready("")?;
            Ok(None)
        }
    }
}

/// `isready` during a search of one second.
pub(super) fn isready_searching(bot: &mut BotSession) -> CheckResult {
    const EXPECTED: &str = "`readyok` at once, then `bestmove`";
    let limits = bot.terms.question(&bot.starts.first(), 1000);
    if begin_search(bot, &limits)?.is_ok() {
        return Ok(Some("its search ended before `isready` was sent".into()));
    }
    let asked = running_clock::now();
    bot.dialogue.send("isready\n");
    let time = Duration::from_secs(1) + bot.terms.patience();
    let is_ready = |line: &str| line.trim() == "readyok";
    let is_wanted = |line: &str| is_ready(line) || is_answer(line);
    let line = bot.expect(time, is_wanted, EXPECTED, READ_WHILE_SEARCHING)?;
    if !is_ready(line.raw()) {
        let problem = if running_clock::elapsed(asked) < SEARCH_TIME * 3 {
            "ended its search when `isready` came"
        } else {
            "answered only after its search when `isready` came"
        };
        return bot.failure(problem, EXPECTED, READ_WHILE_SEARCHING);
    }
    let (expected, hint) = (
        "`bestmove` after `readyok`",
        "continue the search after `isready`",
    );
    bot.expect(time, is_answer, expected, hint)?;
    Ok(None)
}

/// `go depth N`.
pub(super) fn depth(bot: &mut BotSession) -> CheckResult {
    ask_bounded(
        bot,
        &[1, 2, 3].map(|depth| Limits {
            depth: Some(depth),
            ..Limits::default()
        }),
    )
}

/// `go nodes N`.
pub(super) fn nodes(bot: &mut BotSession) -> CheckResult {
    ask_bounded(
        bot,
        &[1, 1000].map(|nodes| Limits {
            nodes: Some(nodes),
            ..Limits::default()
        }),
    )
}

/// Asks for searches that end by themselves, without a time.
fn ask_bounded(bot: &mut BotSession, limits: &[Limits]) -> CheckResult {
    let placed = bot.starts.first();
    for limits in limits {
        let asked = bot.ask_within(&placed, limits, bot.terms.patience(), Duration::ZERO);
        asked.map_err(|trouble| {
            trouble.map(|finding| {
                if finding.fault == Some(FaultKind::Stall) {
                    finding.expected = "a search that ends at this limit".into();
                    finding.hint =
                        "end the search at this limit; without a time, nothing else ends it".into();
                }
            })
        })?;
    }
    Ok(None)
}

/// `quit` after a move.
pub(super) fn quit(bot: &mut BotSession) -> CheckResult {
    play_a_move(bot)?;
    bot.dialogue.send("quit\n");
    let hint = "leave the loop that reads input when `quit` comes";
    Ok(remark(&await_exit(bot, "`quit`", hint)?))
}

/// End of input without `quit`, as when the referee is gone.
pub(super) fn end_of_input(bot: &mut BotSession) -> CheckResult {
    play_a_move(bot)?;
    bot.dialogue.close_input();
    let hint = "exit when reading finds no more line; otherwise the bot runs on after its match";
    Ok(remark(&await_exit(bot, "the end of its input", hint)?))
}

/// A remark about an exit that is not a success.
fn remark(exit: &ExitInfo) -> Option<String> {
    (!exit.is_success()).then(|| format!("it {}", exit.how))
}

/// `quit` during a search.
pub(super) fn quit_searching(bot: &mut BotSession) -> CheckResult {
    let is_searching = match begin_infinite(bot) {
        Err(Trouble::Failed(_)) if bot.has_failed("stop") => {
            return Err(Trouble::Skipped("`stop` has failed in the same way".into()));
        }
        result => result?,
    };
    bot.dialogue.send("quit\n");
    let hint = "read input in a second thread; after `quit`, exit without waiting for the search";
    await_exit(bot, "`quit`", hint)?;
    Ok((!is_searching).then(|| "its search ended before `quit` was sent".into()))
}

/// No descendant outlives the bot.
pub(super) fn no_leftovers(bot: &mut BotSession) -> CheckResult {
    need_supervisor()?;
    play_a_move(bot)?;
    if let Some(process) = &mut bot.dialogue.process {
        Process::count_leftovers(process);
    }
    bot.dialogue.close_input();
    let exit = await_exit(
        bot,
        "the end of its input",
        "exit when reading finds no more line",
    )?;
    let count = match exit.leftovers {
        None | Some(0) => return Ok(None),
        Some(1) => "a process".to_string(),
        Some(count) => format!("{count} processes"),
    };
    bot.failure(
        &format!("exited and left {count} behind"),
        "no process that it has started",
        "end all child processes before the exit; in a shell script, start the program with `exec`",
    )
}

/// A move, so that all parts of the bot are running.
fn play_a_move(bot: &mut BotSession) -> Result<(), Trouble> {
    if bot.has_failed(STARTPOS) {
        return Ok(());
    }
    bot.ask_any(&bot.starts.first(), 50)
}

/// How the bot exits after this event.
fn await_exit(bot: &mut BotSession, event: &str, hint: &str) -> Result<ExitInfo, Trouble> {
    /// Time from the event to the exit.
    const EXIT_TIME: Duration = Duration::from_secs(2);
    let seconds = EXIT_TIME.as_secs();
    let problem = if bot.dialogue.await_line(EXIT_TIME, |_| false)? == Err(NoLine::Deadline) {
        format!("still runs {seconds} s after {event}")
    } else {
        match bot.dialogue.reap() {
            // It may close its output on the way out.
            Some(exit) if exit.how != Exit::ClosedOutput => return Ok(exit),
            Some(_) => format!("closed its output after {event}, but did not exit"),
            None => format!("still runs {seconds} s after {event}"),
        }
    };
    bot.failure(&problem, &format!("it exits within {seconds} s of {event}"), hint)
}
