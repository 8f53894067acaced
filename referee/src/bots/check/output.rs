//! The check of all output.

use lodestone::random::Random;

use super::commands::short;
use super::info::OUTPUT;
use super::positions::{PositionKind, random_position};
use super::report::{CheckResult, Trouble};
use super::session::{BotSession, PATIENCE, SETTLE};

/// Judges the output of all checks before this one, and of a few moves.
pub fn output(session: &mut BotSession) -> CheckResult {
    let mut random = Random::new(9);
    if !session.has_failed("startpos") {
        for _ in 0..3 {
            // Other checks judge the answers themselves.
            let placed = random_position(session.variant(), PositionKind::Moves, &mut random);
            match session.ask_any(&placed, &short(20), PATIENCE) {
                Ok(()) => {}
                Err(Trouble::Stopped(stop)) => return Err(Trouble::Stopped(stop)),
                Err(_) => break,
            }
        }
    }
    session.dialogue.settle(SETTLE).map_err(Trouble::Stopped)?;
    session.dialogue.judge_lines(OUTPUT);
    match session.dialogue.strays().finding(session.name()) {
        Some(finding) => Err(finding.into()),
        None => Ok(None),
    }
}
