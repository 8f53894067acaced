//! The checks, in the order in which they run.

use super::facts::{Facts, HANDSHAKE, Level, OUTPUT};
use super::report::Verdict;
use super::session::Session;
use super::{answers, commands, exits, memory, options, output, queries, searches, times};
use crate::io::suggest::unknown;

/// One check.
pub struct Check {
    /// Its name, level and section.
    pub facts: Facts,
    /// Runs it on an idle bot.
    pub(super) run: fn(&mut Session) -> Verdict,
}

const MINIMUM: &str = "For bot authors: the minimum";
const LINES: &str = "Lines";
const COMMANDS: &str = "Commands";
const REPLIES: &str = "Replies";
const STATES: &str = "States: which commands are allowed when";
const TIME: &str = "Time";
const ERRORS: &str = "Errors";
const QUERIES: &str = "What the referee asks a UGI engine";

const fn check(
    level: Level,
    name: &'static str,
    section: &'static str,
    title: &'static str,
    run: fn(&mut Session) -> Verdict,
) -> Check {
    let facts = Facts {
        name,
        level,
        section,
        title,
    };
    Check { facts, run }
}

use Level::{Optional, Recommended, Required};

/// All checks.
#[rustfmt::skip]
pub static CHECKS: [Check; 34] = [
    check(Required, HANDSHAKE, MINIMUM, "answers `uci` with `uciok`", commands::handshake),
    check(Required, OUTPUT, REPLIES, "prints nothing but protocol lines", output::output),
    check(Required, "isready", MINIMUM, "answers `isready` with `readyok`", commands::isready),
    check(Required, "startpos", MINIMUM, "plays from the start position", answers::startpos),
    check(Required, "long-game", COMMANDS, "follows the moves of whole games", answers::long_game),
    check(Required, "fen", COMMANDS, "plays from positions given as FEN", answers::fen),
    check(Required, "random-positions", MINIMUM, "plays legal moves in 200 positions", answers::random_positions),
    check(Required, "only-move", MINIMUM, "finds the only legal move", answers::only_move),
    check(Required, "movetime-200", TIME, "keeps `go movetime 200`", times::movetime_200),
    check(Required, "movetime-1000", TIME, "keeps `go movetime 1000`", times::movetime_1000),
    check(Required, "flush", MINIMUM, "answers without more input", answers::flush),
    check(Required, "quit", MINIMUM, "exits after `quit`", exits::quit),
    check(Required, "end-of-input", MINIMUM, "exits at the end of its input", exits::end_of_input),
    check(Required, "no-leftovers", MINIMUM, "leaves no process behind", exits::no_leftovers),
    check(Recommended, "id", REPLIES, "gives its name with `id name`", options::id),
    check(Recommended, "ucinewgame", MINIMUM, "accepts a new game at any time", commands::new_game),
    check(Recommended, "unknown-command", LINES, "ignores unknown commands", commands::unknown_command),
    check(Recommended, "crlf", LINES, "accepts lines that end with CR LF", commands::crlf),
    check(Recommended, "finished", STATES, "answers `0000` if the game is over", answers::finished),
    check(Recommended, "increment", TIME, "uses its own clock with increment", times::increment),
    check(Recommended, "low-clock", TIME, "answers with 60 ms left", times::low_clock),
    check(Recommended, "movetime-50", TIME, "keeps `go movetime 50`", times::movetime_50),
    check(Recommended, "stop", STATES, "ends `go infinite` after `stop`", searches::stop),
    check(Recommended, "stop-idle", STATES, "says nothing to `stop` when idle", searches::stop_idle),
    check(Recommended, "isready-searching", STATES, "answers `isready` during a search", searches::isready_searching),
    check(Recommended, "quit-searching", STATES, "exits after `quit` during a search", exits::quit_searching),
    check(Recommended, "two-games", MINIMUM, "plays two games in a row", answers::two_games),
    check(Recommended, "memory", MINIMUM, "needs no more memory after 200 moves", memory::memory),
    check(Optional, "options", REPLIES, "announces well-formed options", options::options),
    check(Optional, "option-ranges", REPLIES, "survives values out of range", options::option_ranges),
    check(Optional, "depth", COMMANDS, "answers `go depth N`", searches::depth),
    check(Optional, "nodes", COMMANDS, "answers `go nodes N`", searches::nodes),
    check(Optional, "broken-position", ERRORS, "survives a broken `position`", commands::broken_position),
    check(Optional, "queries", QUERIES, "answers `query` as the rules say", queries::queries),
];

/// The checks with these names, in the order of [`CHECKS`]; all checks without names.
///
/// # Errors
/// A name is unknown.
pub fn select(names: &[String]) -> Result<Vec<&'static Check>, String> {
    let known: Vec<&str> = CHECKS.iter().map(|check| check.facts.name).collect();
    if let Some(name) = names.iter().find(|name| !known.contains(&name.as_str())) {
        return Err(unknown("check", name, &known));
    }
    let is_chosen = |check: &&Check| names.is_empty() || names.iter().any(|name| name == check.facts.name);
    Ok(CHECKS.iter().filter(is_chosen).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_levels_are_in_order() {
        let mut names: Vec<&str> = CHECKS.iter().map(|check| check.facts.name).collect();
        assert!(CHECKS.is_sorted_by_key(|check| check.facts.level));
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), CHECKS.len());
    }

    #[test]
    fn every_section_is_a_heading_of_the_protocol() {
        let protocol = include_str!("../../../protocol.md");
        for check in &CHECKS {
            let mut headings = protocol.lines().filter(|line| line.starts_with("##"));
            let is_section = |line: &str| line.trim_start_matches('#').trim() == check.facts.section;
            assert!(
                headings.any(is_section),
                "{}: {}",
                check.facts.name,
                check.facts.section
            );
        }
    }

    #[test]
    fn manual_lists_every_check() {
        let manual = include_str!("../../../docs/check.md");
        let documented: Vec<&str> = manual.lines().filter(|line| line.ends_with(" |")).collect();
        let rows = CHECKS.iter().map(|check| {
            let Facts {
                name, level, title, ..
            } = &check.facts;
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
            super::select(&names)
                .map(|checks| checks.iter().map(|check| check.facts.name).collect::<Vec<_>>())
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
