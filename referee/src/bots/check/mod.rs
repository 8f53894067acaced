//! `referee check`: a conformance test for a bot in any language.
//!
//! * [`CHECKS`]: all checks, each with its function; [`run`] runs them.
//! * `dialogue`: the process of the bot, with all lines and their times; `session`: starts the
//!   bot, restarts it and asks it for moves.
//! * `positions`: the positions that it must answer.
//! * [`report`]: what a check found, also as JSON; [`text`] renders it for people.
//! * `terms`: the limits of the match. `titles`: the words of each protocol.
//! * `moves`, `commands`, `searches`, `whole_game`: the functions, by subject.
//!
//! Each check starts with a bot that is running and idle. After a failed check the bot is
//! restarted, so that one fault does not make the following checks fail.

mod commands;
mod dialogue;
mod moves;
mod positions;
pub(crate) mod report;
mod searches;
mod session;
mod terms;
pub(crate) mod text;
mod titles;
mod whole_game;

use std::time::Duration;

use std::io;

pub(crate) use self::positions::Starts;
use self::report::CheckLevel::{Optional, Recommended, Required};
pub(crate) use self::report::OUTPUT;
pub use self::report::{CheckInfo, CheckLevel};
use self::report::{
    CheckOutcome, CheckReport, CheckResult, CheckSummary, FEN, HANDSHAKE, LONG_GAME, STARTPOS, WHOLE_GAME,
};
pub(crate) use self::session::BotSession;
pub(crate) use self::terms::Terms;
use referee_core::failure::Stop;
use referee_core::io::text::unknown;

/// A check: what it is about, and its function.
#[derive(Clone, Copy)]
pub struct Check {
    /// Its name, level and section.
    pub info: CheckInfo,
    /// The checks without which it says nothing. If one of them has failed, it is not run.
    needs: &'static [&'static str],
    /// Runs it on an idle bot.
    run: fn(&mut BotSession) -> CheckResult,
}

const ISREADY: &str = "isready";

const MINIMUM: &str = "For bot authors: the minimum";
const LINES: &str = "Lines";
const COMMANDS: &str = "Commands";
const REPLIES: &str = "Replies";
const STATES: &str = "States: which commands are allowed when";
const TIME: &str = "Time";
const ERRORS: &str = "Errors";
const QUERIES: &str = "UCI and UGI";

// What a check needs.
const NOTHING: &[&str] = &[];
const A_MOVE: &[&str] = &[STARTPOS];
const A_READY_BOT: &[&str] = &[STARTPOS, ISREADY];
const A_FEN: &[&str] = &[STARTPOS, FEN];
const A_QUIT: &[&str] = &[STARTPOS, "quit"];
const AN_END: &[&str] = &["end-of-input"];
const A_GAME: &[&str] = &[STARTPOS, LONG_GAME];

const fn check(
    level: CheckLevel,
    name: &'static str,
    section: &'static str,
    title: &'static str,
    needs: &'static [&'static str],
    run: fn(&mut BotSession) -> CheckResult,
) -> Check {
    let info = CheckInfo {
        level,
        name,
        section,
        title,
        is_of_uci: false,
    };
    Check { info, needs, run }
}

/// A check of what only the bridge in front of a program of another protocol answers, or of what that protocol has no
/// word for.
const fn of_uci(mut check: Check) -> Check {
    check.info.is_of_uci = true;
    check
}

/// All checks, in the order in which they run.
#[rustfmt::skip]
pub static CHECKS: [Check; 35] = [
    check(Required, HANDSHAKE, MINIMUM, "answers `uci` with `uciok`", NOTHING, commands::handshake),
    of_uci(check(Required, ISREADY, MINIMUM, "answers `isready` with `readyok`", NOTHING, commands::isready)),
    check(Required, STARTPOS, MINIMUM, "plays from the start position", NOTHING, moves::startpos),
    check(Required, LONG_GAME, COMMANDS, "follows the moves of whole games", A_MOVE, moves::long_game),
    check(Required, "random-positions", MINIMUM, "plays legal moves in 200 positions", A_GAME, moves::random_positions),
    check(Required, "movetime", TIME, "answers within the time of a move", A_MOVE, moves::match_time),
    check(Required, "flush", MINIMUM, "answers without more input", A_MOVE, moves::flush),
    check(Required, WHOLE_GAME, MINIMUM, "plays four games to their end", A_GAME, whole_game::whole_game),
    of_uci(check(Recommended, OUTPUT, REPLIES, "prints nothing but protocol lines", NOTHING, commands::output)),
    check(Recommended, FEN, COMMANDS, "plays from positions given as FEN", A_MOVE, moves::fen),
    check(Recommended, "only-move", MINIMUM, "finds the only legal move", A_FEN, moves::only_move),
    check(Recommended, "movetime-200", TIME, "answers within `go movetime 200`", A_MOVE, |bot| moves::movetime(bot, 200, 3)),
    check(Recommended, "movetime-1000", TIME, "answers within `go movetime 1000`", A_MOVE, |bot| moves::movetime(bot, 1000, 2)),
    check(Recommended, "quit", MINIMUM, "exits after `quit`", NOTHING, searches::quit),
    check(Recommended, "end-of-input", MINIMUM, "exits at the end of its input", NOTHING, searches::end_of_input),
    check(Recommended, "no-leftovers", MINIMUM, "leaves no process behind", AN_END, searches::no_leftovers),
    of_uci(check(Recommended, "id", REPLIES, "gives its name with `id name`", NOTHING, commands::id)),
    check(Recommended, "ucinewgame", MINIMUM, "accepts a new game at any time", A_MOVE, commands::new_game),
    of_uci(check(Recommended, "unknown-command", LINES, "ignores unknown commands", A_MOVE, commands::unknown_command)),
    of_uci(check(Recommended, "crlf", LINES, "accepts lines that end with CR LF", A_MOVE, commands::crlf)),
    of_uci(check(Recommended, "finished", STATES, "answers `0000` if the game is over", A_MOVE, moves::finished)),
    check(Recommended, "increment", TIME, "uses its own clock with increment", A_MOVE, moves::increment),
    check(Recommended, "low-clock", TIME, "answers with 60 ms left", A_MOVE, moves::low_clock),
    check(Recommended, "movetime-50", TIME, "answers within `go movetime 50`", A_MOVE, |bot| moves::movetime(bot, 50, 3)),
    of_uci(check(Recommended, "stop", STATES, "ends `go infinite` after `stop`", A_MOVE, searches::stop)),
    of_uci(check(Recommended, "stop-idle", STATES, "says nothing to `stop` when idle", A_MOVE, searches::stop_idle)),
    of_uci(check(Recommended, "isready-searching", STATES, "answers `isready` during a search", A_READY_BOT, searches::isready_searching)),
    of_uci(check(Recommended, "quit-searching", STATES, "exits after `quit` during a search", A_QUIT, searches::quit_searching)),
    check(Recommended, "memory", MINIMUM, "needs no more memory after 200 moves", A_MOVE, moves::memory),
    of_uci(check(Optional, "options", REPLIES, "announces well-formed options", NOTHING, commands::options)),
    check(Optional, "option-ranges", REPLIES, "survives values out of range", A_MOVE, commands::option_ranges),
    check(Optional, "depth", COMMANDS, "answers `go depth N`", A_MOVE, searches::depth),
    check(Optional, "nodes", COMMANDS, "answers `go nodes N`", A_MOVE, searches::nodes),
    of_uci(check(Optional, "broken-position", ERRORS, "survives a broken `position`", A_MOVE, commands::broken_position)),
    check(Optional, "queries", QUERIES, "answers `query` as the rules say", NOTHING, commands::queries),
];

/// The checks with these names, in the order in which they run; all checks without names.
pub(crate) fn select(names: &[String]) -> Result<Vec<&'static Check>, String> {
    let known: Vec<&str> = CHECKS.iter().map(|check| check.info.name).collect();
    if let Some(name) = names.iter().find(|name| !known.contains(&name.as_str())) {
        return Err(unknown("check", name, &known));
    }
    let is_chosen = |check: &&Check| names.is_empty() || names.iter().any(|name| name == check.info.name);
    Ok(CHECKS.iter().filter(is_chosen).collect())
}

/// How long these checks take a bot that uses its time up, about; `None` without a set limit of time.
pub(crate) fn estimate(terms: &Terms, selected: &[&Check]) -> Option<Duration> {
    let names: Vec<&str> = selected.iter().map(|check| check.info.name).collect();
    terms.estimate(&names, CHECKS.len())
}

/// Runs these checks in their order, and passes on each report as soon as the check
/// ends. `output` is the last one, because it judges the lines of all others. The handshake always
/// runs; if it fails, no other check does. Nor does a check that needs another one that has failed.
///
/// Returns the summary, and why the run stopped early.
pub(crate) fn run(
    session: &mut BotSession,
    selected: &[&'static Check],
    mut finished: impl FnMut(&CheckReport) -> io::Result<()>,
) -> (CheckSummary, Option<Stop>) {
    let is_selected = |check: &Check| selected.iter().any(|other| other.info.name == check.info.name);
    let mut summary = CheckSummary::default();
    let (mut done, mut stopped) = (0, None);
    let handshake = Some(&CHECKS[0]).filter(|check| !is_selected(check));
    let all = handshake.into_iter().chain(selected.iter().copied());
    let (last, others): (Vec<&Check>, Vec<&Check>) = all.partition(|check| check.info.name == OUTPUT);
    for check in others.into_iter().chain(last) {
        let name = check.info.name;
        let mut needs = [HANDSHAKE].into_iter().chain(check.needs.iter().copied());
        let protocol = session.spec.protocol;
        let report = if let Some(failed) = needs.find(|need| session.has_failed(need)) {
            CheckReport::new(&check.info, protocol, CheckOutcome::NotRun(failed))
        } else if check.info.title_in(protocol).is_none() {
            let why = format!("not checked of programs that speak {}", protocol.title());
            CheckReport::new(&check.info, protocol, CheckOutcome::Skipped(why))
        } else {
            session.task.set(done);
            match session.run(&check.info, check.run) {
                Ok(report) => report,
                Err(stop) => {
                    stopped = Some(stop);
                    break;
                }
            }
        };
        if is_selected(check) || session.has_failed(name) {
            done += 1;
            summary.add(&report);
            if let Err(error) = finished(&report) {
                stopped = Some(error.into());
                break;
            }
        }
    }
    summary.times = session.times.clone();
    (summary, stopped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_levels_in_order_and_needs_earlier() {
        assert!(CHECKS.is_sorted_by_key(|check| check.info.level));
        for (place, check) in CHECKS.iter().enumerate() {
            let earlier: Vec<&str> = CHECKS[..place].iter().map(|check| check.info.name).collect();
            assert!(!earlier.contains(&check.info.name), "{}", check.info.name);
            let is_earlier = check.needs.iter().all(|need| earlier.contains(need));
            assert!(is_earlier, "{}", check.info.name);
        }
    }

    #[test]
    fn protocol_has_every_section_and_the_manual_every_check() {
        let protocol = include_str!("../../../../protocol.md");
        let manual = include_str!("../../../../docs/check.md");
        for check in &CHECKS {
            let mut headings = protocol.lines().filter(|line| line.starts_with("##"));
            let is_section = |line: &str| line.trim_start_matches('#').trim() == check.info.section;
            assert!(
                headings.any(is_section),
                "{}: {}",
                check.info.name,
                check.info.section
            );
        }
        for level in [Required, Recommended, Optional] {
            let names = CHECKS.iter().filter(|check| check.info.level == level);
            let names: Vec<String> = names.map(|check| format!("`{}`", check.info.name)).collect();
            let row = format!("| {} | {} |", level.word(), names.join(", "));
            assert!(manual.lines().any(|line| line == row), "{row}");
        }
    }

    #[test]
    fn selects_by_name_in_the_order_of_the_list() {
        let select = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|name| (*name).to_string()).collect();
            super::select(&names).map(|checks| checks.iter().map(|check| check.info.name).collect::<Vec<_>>())
        };
        assert_eq!(select(&[]).unwrap().len(), CHECKS.len());
        assert_eq!(select(&["stop", "fen", "fen"]).unwrap(), ["fen", "stop"]);
        let error = select(&["fen", "stopp", "fenn"]).unwrap_err();
        let expected = "unknown check `stopp`; did you mean `stop`?\n  checks: handshake, isready,";
        assert!(error.starts_with(expected));
    }
}
