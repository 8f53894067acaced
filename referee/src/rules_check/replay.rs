//! Games as records replayed by rules, perhaps other ones.

use std::path::Path;

use lodestone_game::GameResult;
use lodestone_game::board::Side;
use referee_core::failure::Failure;
use referee_core::failure::Stop;
use referee_core::game::{MoveError, Position, Ruleset};
use referee_core::io::files;
use referee_core::io::text::{ShowPath, printable};
use referee_core::player::verdict::{FaultKind, Reason};
use referee_core::results::{Line, ReadError, Reader, Record};
use referee_core::rules::external::RULES;

/// The games of a file that differ by these rules, each with its number and how it differs.
pub(crate) fn differing(path: &Path, rules: Ruleset) -> Result<Vec<(u64, String)>, Failure> {
    let wrong = |why: String| Failure::Usage(format!("{}: {why}", path.shown()));
    let input = files::open_text(path).map_err(|error| wrong(error.to_string()))?;
    let mut reader = Reader::new(input);
    let mut found = Vec::new();
    loop {
        let located = match reader.next_line() {
            Ok(Some(located)) => located,
            // The game of a torn line is played again.
            Ok(None) | Err(ReadError::Torn { .. }) => return Ok(found),
            Err(error) => return Err(wrong(error.to_string())),
        };
        if let Line::Record(record) = located.line
            && let Some(why) = difference(&record, rules)?
        {
            found.push((record.id, why));
        }
    }
}

/// How a game differs by these rules from its record; `None` if it does not.
pub(crate) fn difference(record: &Record, rules: Ruleset) -> Result<Option<String>, Failure> {
    let differs = |why: String| Ok(Some(why));
    let mut position = match rules.parse_fen(record.start.raw()) {
        Ok(position) => position,
        Err(error) => match rules.failure() {
            Some(why) => return Err(failed(Stop::Rules(why))),
            None => return differs(format!("its start is not a position: {}", error.message)),
        },
    };
    // Other rules may write positions otherwise.
    let has_same_texts = record.start == *position.fen() && record.variant == *rules.name();
    let mut turns = match record.turns() {
        Ok(turns) => turns,
        Err(why) => return differs(why),
    };
    if turns.is_empty() && record.last.is_some() {
        // In a game of a rules program, the players moved in turn.
        turns.extend(Side::BOTH.iter().cycle().take(record.moves.len()));
    }
    for (index, text) in record.moves.iter().enumerate() {
        let number = index + 1;
        if let Some(end) = end(position.as_ref()) {
            return differs(format!(
                "it is over after move {index}, {end}, but the record goes on"
            ));
        }
        let mover = position.side_to_move();
        if turns.get(index).is_some_and(|side| *side != mover) {
            let player = mover.index() + 1;
            return differs(format!(
                "move {number} is player {player}'s, but the record has the other one"
            ));
        }
        let mv = match position.parse_move(text.raw()) {
            Ok(mv) => mv,
            Err(MoveError::Stopped(stop)) => return Err(failed(stop)),
            Err(error) => {
                let text = text.cut(40);
                return differs(format!("move {number}, {text}, cannot be played: {error}"));
            }
        };
        position = position.after(&mv).map_err(failed)?;
    }
    let difference = end_difference(record, position.as_ref());
    Ok(difference.or_else(|| text_difference(record, position.as_ref()).filter(|_| has_same_texts)))
}

/// How the end of a game differs.
fn end_difference(record: &Record, position: &dyn Position) -> Option<String> {
    let plies = record.moves.len();
    let (was, word, reason) = (record.result, record.reason.raw(), record.reason.shown());
    let mover = position.side_to_move();
    match (position.outcome(), Reason::of(word)) {
        (None, Reason::Rules) => Some(format!(
            "it is not over after move {plies}, but the record says {was} ({reason})"
        )),
        (Some(outcome), Reason::Rules)
            if outcome.result != was || !is_same_reason(outcome.reason.0, word) =>
        {
            let end = end(position).unwrap_or_default();
            Some(format!("it ends {end}, but the record says {was} ({reason})"))
        }
        (None, Reason::Fault(FaultKind::Time | FaultKind::Illegal))
            if was != GameResult::Win(mover.opponent()) =>
        {
            Some(format!(
                "player {} had the move, but the record says {was} ({reason})",
                mover.index() + 1
            ))
        }
        (Some(_), Reason::Fault(_) | Reason::Other(_)) => {
            let end = end(position).unwrap_or_default();
            Some(format!(
                "it is over after move {plies}, {end}, but the record says {was} ({reason})"
            ))
        }
        _ => None,
    }
}

/// Whether two rules can give these reasons for the same end: those of a program have only one.
fn is_same_reason(one: &str, other: &str) -> bool {
    one == other || [one, other].contains(&RULES.0)
}

/// How the last position and its points differ, of those that both give.
fn text_difference(record: &Record, position: &dyn Position) -> Option<String> {
    let (was, is) = (
        record.last.as_ref()?.shown().to_string(),
        printable(&position.fen(), usize::MAX),
    );
    if was != is {
        return Some(format!(
            "its last position is `{is}`, but the record says `{was}`"
        ));
    }
    let (was, is) = (record.points.as_ref()?, position.points()?);
    (*was != *is).then(|| format!("its points are `{is}`, but the record says `{}`", was.shown()))
}

/// How the rules end a game, in words.
fn end(position: &dyn Position) -> Option<String> {
    let outcome = position.outcome()?;
    let reason = position.explain(outcome);
    Some(format!("{} ({}: {reason})", outcome.result, outcome.reason))
}

fn failed(stop: Stop) -> Failure {
    Failure::Stopped(stop)
}
