//! The check of all output.

use lodestone::random::Random;

use super::commands::short;
use super::facts::OUTPUT;
use super::positions::random_position;
use super::report::{Trouble, Verdict};
use super::session::{PATIENCE, Session};

/// Judges the output of all checks before this one, and of a few moves.
pub fn output(session: &mut Session) -> Verdict {
    let mut random = Random::new(9);
    for number in 0..3 {
        // The answers themselves are judged by other checks.
        let placed = random_position(session.variant(), number, &mut random);
        match session.ask(&placed, &short(20), PATIENCE) {
            Ok(_) => {}
            Err(Trouble::Stopped(stop)) => return Err(Trouble::Stopped(stop)),
            Err(_) => break,
        }
    }
    session.judge_lines(OUTPUT).map_err(Trouble::Stopped)?;
    match session.strays().finding(session.name()) {
        Some(finding) => Err(finding.into()),
        None => Ok(None),
    }
}
