//! The memory of a bot over many moves.

use std::time::{Duration, Instant};

use lodestone::random::Random;

use super::answers::kinds;
use super::commands::short;
use super::positions::{PositionKind, random_position};
use super::report::{CheckResult, Finding, Trouble};
use super::session::{BotSession, PATIENCE};

/// The number of moves.
const MOVES: usize = 200;

/// The time for each of them, in milliseconds.
const MOVE_TIME: i64 = 20;

/// The check ends after this time.
const BUDGET: Duration = Duration::from_secs(6);

/// The windows into which the second half of the moves is divided.
const WINDOWS: usize = 4;

/// The growth that is accepted in one of the windows at least, in bytes. A leak grows in all
/// of them; a table that fills, or a runtime with a garbage collector, does not.
const ACCEPTED_GROWTH: u64 = 10 * MEGABYTE;

const MEGABYTE: u64 = 1024 * 1024;

/// Resident memory of all processes of the bot after half of the moves and after all.
pub fn memory(session: &mut BotSession) -> CheckResult {
    BotSession::need_supervisor()?;
    let mut random = Random::new(6);
    let until = Instant::now() + BUDGET;
    let kinds = kinds(session);
    let mut samples = Vec::new();
    session.restart()?;
    for number in 0..MOVES {
        if Instant::now() > until {
            return Ok(Some(format!(
                "only {number} moves in {} s, because the bot is slow",
                BUDGET.as_secs()
            )));
        }
        session.show_progress(&format!("{number} of {MOVES}"));
        let kind = kinds
            .get(number % kinds.len().max(1))
            .copied()
            .unwrap_or(PositionKind::Moves);
        let placed = random_position(session.variant(), kind, &mut random);
        session.ask_any(&placed, &short(MOVE_TIME), PATIENCE)?;
        samples.extend(session.dialogue.process().and_then(|process| process.memory()));
    }
    judge(session.name(), &samples)
}

/// Looks for growth in all windows of the second half.
fn judge(name: &str, samples: &[u64]) -> CheckResult {
    let megabytes = |bytes: u64| bytes.div_ceil(MEGABYTE);
    let second_half = samples.get(samples.len() / 2..).unwrap_or_default();
    let steps = second_half.len().saturating_sub(1);
    let borders = (0..=WINDOWS).filter_map(|window| second_half.get(steps * window / WINDOWS));
    let borders: Vec<u64> = borders.copied().collect();
    let windows = borders.iter().zip(borders.iter().skip(1));
    let growth = windows.map(|(begin, end)| end.saturating_sub(*begin)).min();
    let (first, last) = (
        borders.first().copied().unwrap_or(0),
        borders.last().copied().unwrap_or(0),
    );
    if growth.unwrap_or(0) <= ACCEPTED_GROWTH {
        return Ok(Some(format!(
            "{} MB after {} moves",
            megabytes(last),
            samples.len()
        )));
    }
    let finding = Finding {
        problem: format!(
            "{name} grew from {} MB to {} MB in the last {steps} moves, and did not stop growing",
            megabytes(first),
            megabytes(last)
        ),
        expected: format!(
            "at most {} MB more in {} moves",
            megabytes(ACCEPTED_GROWTH),
            steps / WINDOWS
        ),
        hint: "free what belongs to a finished search; give a table a fixed size. A Java program may need \
               a limit such as `-Xmx256m`"
            .into(),
        ..Finding::default()
    };
    Err(Trouble::from(finding))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory(megabytes: impl IntoIterator<Item = u64>) -> CheckResult {
        let samples: Vec<u64> = megabytes.into_iter().map(|number| number * MEGABYTE).collect();
        judge("bot", &samples)
    }

    #[test]
    fn steady_growth_is_a_leak() {
        let Err(Trouble::Failed(finding)) = memory((0..200).map(|number| 10 + number)) else {
            panic!("1 MB a move");
        };
        assert_eq!(
            finding.problem,
            "bot grew from 110 MB to 209 MB in the last 99 moves, and did not stop growing"
        );
    }

    #[test]
    fn tables_and_garbage_collectors_are_no_leak() {
        let table = (0..200).map(|number| (number * 3).min(400));
        assert_eq!(memory(table).unwrap().unwrap(), "400 MB after 200 moves");
        assert!(
            memory((0..200).map(|number| 10 + number * 7 % 150)).is_ok(),
            "it is collected"
        );
        assert!(
            memory((0..200).map(|number| if number < 160 { 10 } else { 90 })).is_ok(),
            "a second table"
        );
        assert!(memory([]).is_ok());
    }
}
