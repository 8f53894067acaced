//! The checks, in the order in which they run.

use super::info::{CheckInfo, CheckLevel, FEN, HANDSHAKE, LONG_GAME, OUTPUT};
use super::report::CheckResult;
use super::session::BotSession;
use super::{answers, commands, exits, memory, options, output, queries, searches, times};
use crate::io::suggest::unknown;

pub struct Check {
    /// Its name, level and section.
    pub info: CheckInfo,
    /// The checks without which it says nothing. If one of them has failed, it is not run.
    pub needs: &'static [&'static str],
    /// Runs it on an idle bot.
    pub(super) run: fn(&mut BotSession) -> CheckResult,
}

const MINIMUM: &str = "For bot authors: the minimum";
const LINES: &str = "Lines";
const COMMANDS: &str = "Commands";
const REPLIES: &str = "Replies";
const STATES: &str = "States: which commands are allowed when";
const TIME: &str = "Time";
const ERRORS: &str = "Errors";
const QUERIES: &str = "What the referee asks a UGI engine";

const STARTPOS: &str = "startpos";
const ISREADY: &str = "isready";

// What a check needs.
const NOTHING: &[&str] = &[];
const A_MOVE: &[&str] = &[STARTPOS];
const A_READY_BOT: &[&str] = &[STARTPOS, ISREADY];
const A_FEN: &[&str] = &[STARTPOS, FEN];
const A_QUIT: &[&str] = &[STARTPOS, "quit"];
const AN_END: &[&str] = &["end-of-input"];
const GAMES: &[&str] = &[STARTPOS, LONG_GAME, FEN];

const fn check(
    level: CheckLevel,
    name: &'static str,
    section: &'static str,
    title: &'static str,
    needs: &'static [&'static str],
    run: fn(&mut BotSession) -> CheckResult,
) -> Check {
    let info = CheckInfo {
        name,
        level,
        section,
        title,
    };
    Check { info, needs, run }
}

use CheckLevel::{Optional, Recommended, Required};

/// All checks.
#[rustfmt::skip]
pub static CHECKS: [Check; 34] = [
    check(Required, HANDSHAKE, MINIMUM, "answers `uci` with `uciok`", NOTHING, commands::handshake),
    check(Required, OUTPUT, REPLIES, "prints nothing but protocol lines", NOTHING, output::output),
    check(Required, ISREADY, MINIMUM, "answers `isready` with `readyok`", NOTHING, commands::isready),
    check(Required, STARTPOS, MINIMUM, "plays from the start position", NOTHING, answers::startpos),
    check(Required, LONG_GAME, COMMANDS, "follows the moves of whole games", A_MOVE, answers::long_game),
    check(Required, FEN, COMMANDS, "plays from positions given as FEN", A_MOVE, answers::fen),
    check(Required, "random-positions", MINIMUM, "plays legal moves in 200 positions", A_MOVE, answers::random_positions),
    check(Required, "only-move", MINIMUM, "finds the only legal move", A_FEN, answers::only_move),
    check(Required, "movetime-200", TIME, "keeps `go movetime 200`", A_MOVE, times::movetime_200),
    check(Required, "movetime-1000", TIME, "keeps `go movetime 1000`", A_MOVE, times::movetime_1000),
    check(Required, "flush", MINIMUM, "answers without more input", A_MOVE, answers::flush),
    check(Required, "quit", MINIMUM, "exits after `quit`", NOTHING, exits::quit),
    check(Required, "end-of-input", MINIMUM, "exits at the end of its input", NOTHING, exits::end_of_input),
    check(Required, "no-leftovers", MINIMUM, "leaves no process behind", AN_END, exits::no_leftovers),
    check(Recommended, "id", REPLIES, "gives its name with `id name`", NOTHING, options::id),
    check(Recommended, "ucinewgame", MINIMUM, "accepts a new game at any time", A_MOVE, commands::new_game),
    check(Recommended, "unknown-command", LINES, "ignores unknown commands", A_MOVE, commands::unknown_command),
    check(Recommended, "crlf", LINES, "accepts lines that end with CR LF", A_MOVE, commands::crlf),
    check(Recommended, "finished", STATES, "answers `0000` if the game is over", A_MOVE, answers::finished),
    check(Recommended, "increment", TIME, "uses its own clock with increment", A_MOVE, times::increment),
    check(Recommended, "low-clock", TIME, "answers with 60 ms left", A_MOVE, times::low_clock),
    check(Recommended, "movetime-50", TIME, "keeps `go movetime 50`", A_MOVE, times::movetime_50),
    check(Recommended, "stop", STATES, "ends `go infinite` after `stop`", A_MOVE, searches::stop),
    check(Recommended, "stop-idle", STATES, "says nothing to `stop` when idle", A_MOVE, searches::stop_idle),
    check(Recommended, "isready-searching", STATES, "answers `isready` during a search", A_READY_BOT, searches::isready_searching),
    check(Recommended, "quit-searching", STATES, "exits after `quit` during a search", A_QUIT, exits::quit_searching),
    check(Recommended, "two-games", MINIMUM, "plays two games in a row", GAMES, answers::two_games),
    check(Recommended, "memory", MINIMUM, "needs no more memory after 200 moves", A_MOVE, memory::memory),
    check(Optional, "options", REPLIES, "announces well-formed options", NOTHING, options::options),
    check(Optional, "option-ranges", REPLIES, "survives values out of range", A_MOVE, options::option_ranges),
    check(Optional, "depth", COMMANDS, "answers `go depth N`", A_MOVE, searches::depth),
    check(Optional, "nodes", COMMANDS, "answers `go nodes N`", A_MOVE, searches::nodes),
    check(Optional, "broken-position", ERRORS, "survives a broken `position`", A_MOVE, commands::broken_position),
    check(Optional, "queries", QUERIES, "answers `query` as the rules say", NOTHING, queries::queries),
];

/// The checks with these names, in the order of [`CHECKS`]; all checks without names.
pub fn select(names: &[String]) -> Result<Vec<&'static Check>, String> {
    let known: Vec<&str> = CHECKS.iter().map(|check| check.info.name).collect();
    if let Some(name) = names.iter().find(|name| !known.contains(&name.as_str())) {
        return Err(unknown("check", name, &known));
    }
    let is_chosen = |check: &&Check| names.is_empty() || names.iter().any(|name| name == check.info.name);
    Ok(CHECKS.iter().filter(is_chosen).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_levels_are_in_order() {
        let mut names: Vec<&str> = CHECKS.iter().map(|check| check.info.name).collect();
        assert!(CHECKS.is_sorted_by_key(|check| check.info.level));
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), CHECKS.len());
    }

    #[test]
    fn checks_need_only_earlier_ones() {
        for (place, check) in CHECKS.iter().enumerate() {
            let earlier: Vec<&str> = CHECKS[..place].iter().map(|check| check.info.name).collect();
            assert!(
                check.needs.iter().all(|need| earlier.contains(need)),
                "{}",
                check.info.name
            );
        }
    }

    #[test]
    fn every_section_is_a_heading_of_the_protocol() {
        let protocol = include_str!("../../../../protocol.md");
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
    }

    #[test]
    fn manual_lists_every_check() {
        let manual = include_str!("../../../../docs/check.md");
        let documented: Vec<&str> = manual.lines().filter(|line| line.ends_with(" |")).collect();
        let rows = CHECKS.iter().map(|check| {
            let CheckInfo {
                name, level, title, ..
            } = &check.info;
            format!("| `{name}` | {} | {title} |", level.word())
        });
        for row in rows {
            assert!(documented.contains(&row.as_str()), "{row}");
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
        let error = select(&["stopp"]).unwrap_err();
        assert!(
            error
                .starts_with("unknown check `stopp`; did you mean `stop`? The checks are handshake, output,")
        );
    }
}
