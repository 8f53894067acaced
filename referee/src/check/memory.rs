//! The memory of a bot over many moves.

use std::time::{Duration, Instant};

use lodestone::random::Random;

use super::answers::kinds;
use super::commands::short;
use super::positions::{Kind, random_position};
use super::report::{Finding, Trouble, Verdict};
use super::session::{PATIENCE, Session};

/// The number of moves.
const MOVES: usize = 200;

/// The time for each of them, in milliseconds.
const MOVE_TIME: i64 = 20;

/// The check ends after this time.
const BUDGET: Duration = Duration::from_secs(6);

/// The growth in the second half of the moves that is accepted, in bytes. Runtimes with a
/// garbage collector grow for a while.
const ACCEPTED_GROWTH: u64 = 24 * MEGABYTE;

const MEGABYTE: u64 = 1024 * 1024;

/// Resident memory of all processes of the bot after half of the moves and after all.
pub fn memory(session: &mut Session) -> Verdict {
    Session::need_supervisor()?;
    let mut random = Random::new(6);
    let until = Instant::now() + BUDGET;
    let kinds = kinds(session);
    let mut samples = Vec::new();
    session.restart()?;
    for number in 0..MOVES {
        if Instant::now() > until {
            return Ok(Some(format!(
                "only {number} moves in {} s, because its answers are slow",
                BUDGET.as_secs()
            )));
        }
        session.show_progress(&format!("{number} of {MOVES}"));
        let kind = kinds
            .get(number % kinds.len().max(1))
            .copied()
            .unwrap_or(Kind::Moves);
        let placed = random_position(session.variant(), kind, &mut random);
        session.ask_any(&placed, &short(MOVE_TIME), PATIENCE)?;
        samples.extend(session.dialogue.process().and_then(|process| process.memory()));
    }
    judge(session.name(), &samples)
}

/// Compares the memory after half of the moves with that after all of them.
fn judge(name: &str, samples: &[u64]) -> Verdict {
    let half = samples.get(samples.len() / 2).copied().unwrap_or(0);
    let last = samples.last().copied().unwrap_or(0);
    let growth = last.saturating_sub(half);
    let megabytes = |bytes: u64| bytes.div_ceil(MEGABYTE);
    if growth <= ACCEPTED_GROWTH {
        return Ok(Some(format!(
            "{} MB after {} moves",
            megabytes(last),
            samples.len()
        )));
    }
    let moves = samples.len() - samples.len() / 2;
    let finding = Finding {
        problem: format!(
            "{name} grew from {} MB to {} MB in the last {moves} moves",
            megabytes(half),
            megabytes(last)
        ),
        expected: format!("at most {} MB more", megabytes(ACCEPTED_GROWTH)),
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

    #[test]
    fn growth_in_the_second_half_counts() {
        let memory = |megabytes: &[u64]| {
            let samples: Vec<u64> = megabytes.iter().map(|number| number * MEGABYTE).collect();
            judge("bot", &samples)
        };
        assert_eq!(
            memory(&[10, 300, 310, 320]).unwrap().unwrap(),
            "320 MB after 4 moves"
        );
        assert!(memory(&[]).is_ok());
        let Err(Trouble::Failed(finding)) = memory(&[10, 10, 20, 45]) else {
            panic!("25 MB more are too much");
        };
        assert_eq!(
            finding.problem,
            "bot grew from 20 MB to 45 MB in the last 2 moves"
        );
    }
}
