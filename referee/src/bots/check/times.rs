//! Checks of time.

use std::time::Duration;

use lodestone::board::Side;
use lodestone::protocol::Limits;
use lodestone::random::Random;

use super::commands::short;
use super::positions::Placed;
use super::report::{CheckResult, Finding, Trouble};
use super::session::BotSession;
use crate::player::verdict::FaultKind;

/// `go movetime 50` in three positions.
pub fn movetime_50(session: &mut BotSession) -> CheckResult {
    movetime(session, 50, 3)
}

/// `go movetime 200` in three positions.
pub fn movetime_200(session: &mut BotSession) -> CheckResult {
    movetime(session, 200, 3)
}

/// `go movetime 1000` in two positions.
pub fn movetime_1000(session: &mut BotSession) -> CheckResult {
    movetime(session, 1000, 2)
}

fn movetime(session: &mut BotSession, milliseconds: i64, count: usize) -> CheckResult {
    let mut random = Random::new(4);
    let mut placed = Placed::startpos(session.variant());
    let mut remark = None;
    for _ in 0..count {
        let late = ask_again(session, &placed, &short(milliseconds), milliseconds)?;
        remark = remark.or(late);
        placed.play_randomly(8, &mut random);
    }
    Ok(remark)
}

/// Asks again after a late answer: on a busy machine it may not be the bot's fault. The bot
/// fails if all answers are late.
fn ask_again(session: &mut BotSession, placed: &Placed, limits: &Limits, allowed: i64) -> CheckResult {
    /// With six busy processes on two cores, half of the answers of a good bot are late.
    const MOST: u32 = 8;
    let time = Duration::from_millis(allowed.unsigned_abs());
    let mut first: Option<Box<Finding>> = None;
    for late in 0..MOST {
        match (session.ask_any(placed, limits, time), &first) {
            (Ok(()), None) => return Ok(None),
            (Ok(()), Some(finding)) => {
                let answer = if late == 1 { "the second" } else { "a later" };
                return Ok(Some(format!("{}; {answer} answer came in time", finding.problem)));
            }
            (Err(Trouble::Failed(finding)), _) if finding.fault == Some(FaultKind::Time) => {
                first.get_or_insert(finding);
            }
            (Err(trouble), _) => return Err(trouble),
        }
    }
    let mut finding = first.unwrap_or_default();
    let (problem, others) = (&finding.problem, MOST - 1);
    finding.problem = format!("{problem}; {others} more answers were late, too");
    Err(Trouble::Failed(finding))
}

/// Gives a late bot this hint.
fn with_hint(verdict: CheckResult, hint: &str) -> CheckResult {
    verdict.map_err(|trouble| match trouble {
        Trouble::Failed(mut finding) if matches!(finding.fault, Some(FaultKind::Time | FaultKind::Stall)) => {
            finding.hint = hint.into();
            Trouble::Failed(finding)
        }
        trouble => trouble,
    })
}

/// The clock of the bot, in milliseconds. The other one is long, and so is the increment: only
/// what is on the clock counts.
const OWN_CLOCK: i64 = 500;

/// Clocks with increment: the bot's own clock is short, the other one is long.
pub fn increment(session: &mut BotSession) -> CheckResult {
    let mut placed = Placed::startpos(session.variant());
    for own in [Side::First, Side::Second] {
        let (mut times, mut increments) = ([60_000; 2], [0; 2]);
        times[own.index()] = OWN_CLOCK;
        increments[own.index()] = 2 * OWN_CLOCK;
        let limits = clocks(times, increments);
        let late = with_hint(
            ask_again(session, &placed, &limits, OWN_CLOCK),
            "use the clock of the side to move: `wtime` and `winc` are the first player's, `btime` and `binc` \
             the second player's; the increment comes after the move",
        )?;
        if late.is_some() {
            return Ok(late);
        }
        placed.play_randomly(1, &mut Random::new(5));
    }
    Ok(None)
}

/// A clock that is nearly empty.
pub fn low_clock(session: &mut BotSession) -> CheckResult {
    let placed = Placed::startpos(session.variant());
    with_hint(
        ask_again(session, &placed, &clocks([60; 2], [0; 2]), 60),
        "divide the time that is left, without a minimum for a move, and keep some milliseconds in reserve",
    )
}

fn clocks(times: [i64; 2], increments: [i64; 2]) -> Limits {
    let [wtime, btime] = times;
    let [winc, binc] = increments;
    Limits {
        wtime: Some(wtime),
        btime: Some(btime),
        winc: Some(winc),
        binc: Some(binc),
        ..Limits::default()
    }
}
