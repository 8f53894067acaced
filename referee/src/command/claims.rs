//! What the records of result files claim beside their moves: the players, reasons that other than the rules give, and
//! the end of a sequential test. The header of their match says what can be so.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use lodestone_game::GameResult;
use referee_core::io::interrupt;
use referee_core::player::verdict::{FaultKind, OtherEnd, Reason};
use referee_core::results::archive::{ArchiveError, Match};
use referee_core::results::{Header, Line, Record, SprtVerdict};
use referee_core::tournament::Tournament;

/// A claim that cannot be true: the file, the game or none, and what is wrong.
pub type WrongClaim = (PathBuf, Option<u64>, String);

/// Passes each wrong claim of these matches to `take`. `by_other_rules`: the user has given the rules.
pub fn check(
    matches: &[Match],
    by_other_rules: bool,
    take: &mut dyn FnMut(WrongClaim) -> Result<(), String>,
) -> Result<(), ArchiveError> {
    matches
        .iter()
        .try_for_each(|one| check_match(one, by_other_rules, take))
}

fn check_match(
    one: &Match,
    by_other_rules: bool,
    take: &mut dyn FnMut(WrongClaim) -> Result<(), String>,
) -> Result<(), ArchiveError> {
    let mut header = one.header.clone();
    // Which pairings were forfeited is in the records.
    header.schedule.forfeit_after = None;
    let mut tournament = Tournament::new(&header).map_err(ArchiveError)?;
    let mut seen: HashMap<(&Path, (u64, bool)), u64> = HashMap::new();
    let mut ends: Vec<(&Path, SprtVerdict)> = Vec::new();
    one.lines(&mut |line, location| {
        interrupt::check().map_err(|signal| signal.to_string())?;
        let path = one.path_of(&location);
        match line {
            Line::Record(mut record) => {
                let id = Some(record.id);
                let mut wrong = |why| take((path.to_path_buf(), id, why));
                // A copy may have got an analysis.
                let copy = (record.id, record.analysis.is_some());
                let copies = seen.entry((path, copy)).or_insert(0_u64);
                *copies += 1;
                match *copies {
                    1 => {}
                    2 => return wrong("it is in the file more than once".into()),
                    _ => return Ok(()),
                }
                if let Some(why) = reason_difference(&record, &one.header) {
                    wrong(why)?;
                }
                if by_other_rules {
                    // Their game may have another name.
                    record.variant = header.variant.as_str().into();
                }
                tournament.add(&record).or_else(wrong)
            }
            Line::Pairings(pairings) => {
                tournament.take_pairings(&pairings);
                Ok(())
            }
            Line::Sprt(end) => {
                ends.push((path, end));
                Ok(())
            }
            _ => Ok(()),
        }
    })?;
    for (path, end) in ends {
        if tournament.contradicts(&end) {
            let why = format!(
                "a line says that the test was decided after {} pairs, but the games do not decide it so",
                end.pairs
            );
            take((path.to_path_buf(), None, why)).map_err(ArchiveError)?;
        }
    }
    Ok(())
}

/// Why a game of this match cannot have ended for the reason of its record.
fn reason_difference(record: &Record, header: &Header) -> Option<String> {
    let (reason, plies) = (record.reason.raw(), record.moves.len());
    let (rules, is_draw) = (header.applied_adjudication(), record.result == GameResult::Draw);
    let was_given_up = record.moves.len() == record.opening_plies;
    let (can_be, option) = match Reason::of(reason) {
        Reason::Other(OtherEnd::Limit) => (
            is_draw && rules.max_plies.is_some_and(|limit| plies as u64 >= limit),
            "--max-plies",
        ),
        Reason::Other(OtherEnd::Repetition) => (is_draw && rules.repetition.is_some(), "--repetition"),
        Reason::Other(OtherEnd::Adjudicated) if is_draw => {
            (rules.draw.is_some() || rules.prove.is_some(), "--draw")
        }
        Reason::Other(OtherEnd::Adjudicated) => (rules.resign.is_some() || rules.prove.is_some(), "--resign"),
        Reason::Fault(FaultKind::Forfeit) => (
            !is_draw && was_given_up && header.schedule.forfeit_after.is_some(),
            "--forfeit-after",
        ),
        Reason::Other(OtherEnd::Resign) | Reason::Fault(_) => (!is_draw, "a loser"),
        Reason::Rules => return None,
    };
    let result = record.result;
    (!can_be).then(|| {
        format!("it cannot have ended {result} ({reason}) after {plies} moves: {option} gives no such end")
    })
}
