//! Checks of searches without a time limit, and of commands during a search.

use std::time::{Duration, Instant};

use lodestone::protocol::{Limits, Reply};

use super::commands::{AT_ONCE, short};
use super::dialogue::NoLine;
use super::info::LONG_GAME;
use super::positions::Placed;
use super::report::{CheckResult, Finding, Trouble};
use super::session::{BotSession, PATIENCE};
use crate::player::verdict::FaultKind;

/// How long a search runs before a command interrupts it.
const SEARCH_TIME: Duration = Duration::from_millis(150);

/// Limits of a search that runs until `stop`.
pub(super) fn infinite() -> Limits {
    Limits {
        infinite: true,
        ..Limits::default()
    }
}

/// Starts a search without a limit, and lets it run for a moment. Returns whether it has not
/// ended by itself.
pub(super) fn start_infinite(session: &mut BotSession) -> Result<bool, Trouble> {
    let placed = Placed::startpos(session.variant());
    session.prepare(&placed)?;
    let request = session.request(&placed, &infinite());
    session.dialogue.send(&request);
    match session
        .dialogue
        .await_line(Instant::now() + SEARCH_TIME, is_answer)?
    {
        Err(NoLine::Deadline) => Ok(true),
        Ok(_) => Ok(false),
        Err(NoLine::Closed) => Err(session.crashed("a search until `stop`").into()),
        Err(NoLine::Garbage(what)) => Err(Finding {
            problem: format!("{} wrote {what}", session.name()),
            expected: "a search until `stop`".into(),
            hint: "print fewer `info` lines".into(),
            ..Finding::default()
        }
        .into()),
    }
}

pub(super) fn is_answer(line: &str) -> bool {
    line.split_whitespace().next() == Some("bestmove")
}

/// `go infinite`, then `stop`.
pub fn stop(session: &mut BotSession) -> CheckResult {
    if !start_infinite(session)? {
        return Err(Finding {
            problem: format!("{} ended `go infinite` before `stop`", session.name()),
            expected: "no `bestmove` before `stop`".into(),
            hint:
                "search until `stop`, or keep the answer until then; a match never sends `go infinite`, but \
                   analysis does"
                    .into(),
            ..Finding::default()
        }
        .into());
    }
    session.dialogue.send("stop\n");
    let mut answer = String::new();
    let came = session.dialogue.await_line(Instant::now() + AT_ONCE, |line| {
        answer = line.to_string();
        is_answer(line)
    })?;
    if came.is_err() {
        return Err(missing(
            session,
            came.err(),
            "`bestmove` within 1 s of `stop`",
            READ_WHILE_SEARCHING,
        ));
    }
    let placed = Placed::startpos(session.variant());
    let is_move = match Reply::parse(&answer) {
        Ok(Reply::BestMove { best, .. }) => match placed.position().parse_move(&best) {
            Ok(_) => true,
            // Another check is about the moves of `position`.
            Err(_) if session.has_failed(LONG_GAME) => true,
            Err(_) => false,
        },
        _ => false,
    };
    if !is_move {
        return Err(Finding {
            problem: format!(
                "{} wrote `{}`, which is not a legal move",
                session.name(),
                answer.trim()
            ),
            expected: "`bestmove` with the best move so far".into(),
            hint: "keep the best move of the last finished iteration".into(),
            ..Finding::default()
        }
        .into());
    }
    Ok(None)
}

const READ_WHILE_SEARCHING: &str = "read input in a second thread, and let the search look at a flag that \
                                    this thread sets";

/// `stop` without a search.
pub fn stop_idle(session: &mut BotSession) -> CheckResult {
    let placed = Placed::startpos(session.variant());
    session.ask_any(&placed, &short(20), PATIENCE)?;
    session.dialogue.send("stop\n");
    let came = session
        .dialogue
        .await_line(Instant::now() + SEARCH_TIME, is_answer)?;
    session.dialogue.claim_lines();
    match came {
        Ok(_) => Err(Finding {
            problem: format!("{} answered `stop` although it was not searching", session.name()),
            expected: "no reply".into(),
            hint: "ignore `stop` unless a search runs; the client would take the line for the answer to its next \
                   `go`"
                .into(),
            ..Finding::default()
        }
        .into()),
        Err(NoLine::Closed) => Err(session.crashed("no reply").into()),
        Err(_) => {
            session.ready("")?;
            Ok(None)
        }
    }
}

/// `isready` during a search of one second.
pub fn isready_searching(session: &mut BotSession) -> CheckResult {
    let placed = Placed::startpos(session.variant());
    session.prepare(&placed)?;
    let request = session.request(&placed, &short(1000));
    session.dialogue.send(&request);
    let began = Instant::now();
    if session
        .dialogue
        .await_line(began + SEARCH_TIME, is_answer)?
        .is_ok()
    {
        return Ok(Some("its search ended before `isready` was sent".into()));
    }
    session.dialogue.send("isready\n");
    let mut is_first = false;
    let deadline = began + Duration::from_secs(1) + PATIENCE;
    let came = session.dialogue.await_line(deadline, |line| {
        is_first = line.trim() == "readyok";
        is_first || is_answer(line)
    })?;
    if came.is_err() {
        return Err(missing(
            session,
            came.err(),
            "`readyok` at once, then `bestmove`",
            READ_WHILE_SEARCHING,
        ));
    }
    if !is_first {
        let problem = if began.elapsed() < SEARCH_TIME * 4 {
            "ended its search"
        } else {
            "answered only after its search"
        };
        return Err(Finding {
            problem: format!("{} {problem} when `isready` came", session.name()),
            expected: "`readyok` at once, then `bestmove`".into(),
            hint: READ_WHILE_SEARCHING.into(),
            ..Finding::default()
        }
        .into());
    }
    match session.dialogue.await_line(deadline, is_answer)? {
        Ok(_) => Ok(None),
        Err(why) => Err(missing(
            session,
            Some(why),
            "`bestmove` after `readyok`",
            "continue the search after `isready`",
        )),
    }
}

/// `go depth N`.
pub fn depth(session: &mut BotSession) -> CheckResult {
    let placed = Placed::startpos(session.variant());
    for depth in 1..=3 {
        let limits = Limits {
            depth: Some(depth),
            ..Limits::default()
        };
        ask_bounded(session, &placed, &limits)?;
    }
    Ok(None)
}

/// `go nodes N`.
pub fn nodes(session: &mut BotSession) -> CheckResult {
    let placed = Placed::startpos(session.variant());
    for nodes in [1, 1000] {
        let limits = Limits {
            nodes: Some(nodes),
            ..Limits::default()
        };
        ask_bounded(session, &placed, &limits)?;
    }
    Ok(None)
}

/// Asks for a search that ends by itself, without a time.
fn ask_bounded(session: &mut BotSession, placed: &Placed, limits: &Limits) -> Result<(), Trouble> {
    session
        .ask(placed, limits, PATIENCE)
        .map_err(|trouble| match trouble {
            Trouble::Failed(mut finding) if finding.fault == Some(FaultKind::Stall) => {
                finding.expected = "a search that ends at this limit".into();
                finding.hint = "end the search at this limit; without a time, nothing else ends it".into();
                Trouble::Failed(finding)
            }
            trouble => trouble,
        })?;
    Ok(())
}

/// The failure of a bot that does not write what is expected.
pub(super) fn missing(session: &mut BotSession, why: Option<NoLine>, expected: &str, hint: &str) -> Trouble {
    let problem = match why {
        Some(NoLine::Closed) => return session.crashed(expected).into(),
        Some(NoLine::Garbage(what)) => format!("wrote {what}"),
        _ => "gave no answer".to_string(),
    };
    Finding {
        problem: format!("{} {problem}", session.name()),
        expected: expected.into(),
        hint: hint.into(),
        ..Finding::default()
    }
    .into()
}
