//! `referee verify`: replays the games of result files, by the same or by other rules.

use std::path::Path;
use std::process::ExitCode;

use lodestone::board::Side;
use lodestone::text;

use super::verdict;
use crate::config::cli::VerifyArgs;
use crate::config::rules_settings::RulesSettings;
use crate::game::adjudication::ADJUDICATED;
use crate::game::{MoveError, Position, Ruleset};
use crate::io::failure::Failure;
use crate::io::interrupt::Stop;
use crate::io::progress::Task;
use crate::io::text::{counted, printable, shown_path};
use crate::player::verdict::FaultKind;
use crate::results::{Header, Line, Reader, Record};
use crate::rules::external::RULES;

/// Reasons of games that other than the rules have ended.
const OTHER_ENDS: [&str; 4] = [ADJUDICATED, "resign", "limit", "repetition"];

/// What was replayed.
#[derive(Debug, Default)]
struct Replayed {
    games: u64,
    moves: usize,
    different: u64,
}

/// Replays all games.
pub fn run(args: &VerifyArgs) -> Result<ExitCode, Failure> {
    let task = Task::start("games", 0, 0);
    let mut replayed = Replayed::default();
    for path in &args.files {
        verify_file(path, args.rules.loaded, &task, &mut replayed)?;
    }
    let Replayed {
        games,
        moves,
        different,
    } = replayed;
    let [games, moves] =
        [(games as usize, "game"), (moves, "move")].map(|(count, noun)| counted(count, noun));
    let differ = match different {
        0 => "none differs".to_string(),
        1 => "1 differs".to_string(),
        count => format!("{count} differ"),
    };
    task.print(&format!("{games} replayed, {moves}: {differ}"))?;
    Ok(verdict(different == 0))
}

/// Replays the games of a file, and prints those that differ.
fn verify_file(
    path: &Path,
    rules: Option<Ruleset>,
    task: &Task,
    replayed: &mut Replayed,
) -> Result<(), Failure> {
    let wrong = |why: String| Failure::Usage(format!("{}: {why}", path.display()));
    let input = text::open(path).map_err(|error| wrong(error.to_string()))?;
    let mut reader = Reader::new(input);
    let mut by_header: Option<(Box<Header>, Ruleset)> = None;
    while let Some(located) = reader.next_line().map_err(|error| wrong(error.to_string()))? {
        let record = match located.line {
            Line::Header(header) if rules.is_none() => {
                // A match that was resumed can have several headers with the same rules.
                let is_same = |(last, _): &(Box<Header>, Ruleset)| {
                    last.variant == header.variant && last.rules == header.rules
                };
                if !by_header.as_ref().is_some_and(is_same) {
                    let loaded = rules_of(&header).map_err(|why| wrong(why.to_string()))?;
                    if let Some((_, earlier)) = by_header.replace((header, loaded)) {
                        earlier.close();
                    }
                }
                continue;
            }
            Line::Record(record) => record,
            _ => continue,
        };
        let rules = match rules.or(by_header.as_ref().map(|(_, loaded)| *loaded)) {
            Some(rules) => rules,
            None => Ruleset::of_file(&record.variant, None).map_err(wrong)?,
        };
        replayed.games += 1;
        replayed.moves += record.moves.len();
        if let Some(difference) = difference(&record, rules)? {
            replayed.different += 1;
            task.print(&format!("{}: game {}: {difference}", shown_path(path), record.id))?;
        }
        task.set(replayed.games);
    }
    if let Some((_, loaded)) = by_header {
        loaded.close();
    }
    Ok(())
}

/// The rules by which the games of a file were played. The command line of a file is not trusted: its
/// program runs in a sandbox.
fn rules_of(header: &Header) -> Result<Ruleset, Failure> {
    let Some(entry) = &header.rules else {
        return Ok(header.variant);
    };
    let settings: RulesSettings = entry
        .cmd
        .join(crate::config::settings::SEPARATOR)
        .parse()
        .map_err(Failure::Usage)?;
    let settings = settings.sandboxed().map_err(|why| {
        Failure::Usage(format!(
            "its rules came from `{}`, which a sandbox must run, because a file named it: {why}; `--rules` names a \
             program that you trust",
            printable(&entry.cmd.join(" "), usize::MAX)
        ))
    })?;
    let rules = settings.load().map_err(|failure| match failure {
        Failure::Start(why) => Failure::Start(format!(
            "{why}\nIt runs in a sandbox, because a file named it; `--rules` names a program that you trust"
        )),
        failure => failure,
    })?;
    for change in entry.changes(&settings.entry(rules)?) {
        log::warn!("{change}");
    }
    Ok(rules)
}

/// How a game differs by these rules from its record; `None` if it does not.
fn difference(record: &Record, rules: Ruleset) -> Result<Option<String>, Failure> {
    let differs = |why: String| Ok(Some(why));
    let mut position = match rules.parse_fen(&record.start) {
        Ok(position) => position,
        Err(error) => match rules.failure() {
            Some(why) => return Err(failed(Stop::Rules(why))),
            None => return differs(format!("its start is no position: {}", error.message)),
        },
    };
    // Other rules may write positions otherwise.
    let has_same_texts = position.fen() == record.start && rules.name() == record.variant;
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
        let mv = match position.parse_move(text) {
            Ok(mv) => mv,
            Err(MoveError::Stopped(stop)) => return Err(failed(stop)),
            Err(error) => {
                let text = printable(text, 40);
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
    let (was, reason) = (record.result, &record.reason);
    let is_by_rules = !OTHER_ENDS.contains(&reason.as_str()) && FaultKind::from_word(reason).is_none();
    match (position.outcome(), is_by_rules) {
        (None, true) => Some(format!(
            "it is not over after move {plies}, but the record says {was} ({reason})"
        )),
        (Some(outcome), true) if outcome.result != was || !is_same_reason(outcome.reason.0, reason) => {
            let end = end(position).unwrap_or_default();
            Some(format!("it ends {end}, but the record says {was} ({reason})"))
        }
        (Some(_), false) => {
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
    let [was, is] = [record.last.clone()?, position.fen()].map(|text| printable(&text, usize::MAX));
    if was != is {
        return Some(format!(
            "its last position is `{is}`, but the record says `{was}`"
        ));
    }
    let (was, is) = (record.points.as_ref()?, position.points()?);
    (*was != is).then(|| format!("its points are `{is}`, but the record says `{was}`"))
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
