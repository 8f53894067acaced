//! `referee verify`: replays the games of result files, by the same or by other rules.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use lodestone::board::Side;
use lodestone::game::GameResult;

use super::{claims, verdict};
use crate::config::cli::VerifyArgs;
use crate::config::rules_settings::RulesSettings;
use crate::config::settings::SEPARATOR;
use crate::game::adjudication::ADJUDICATED;
use crate::game::{MoveError, Position, Ruleset};
use crate::io::failure::Failure;
use crate::io::files;
use crate::io::interrupt::Stop;
use crate::io::progress::Task;
use crate::io::text::{ShowPath, counted, join, printable};
use crate::io::untrusted::Untrusted;
use crate::player::verdict::FaultKind;
use crate::results::{Line, Reader, Record, RulesEntry};
use crate::rules::external::RULES;

/// Reasons of games that other than the rules have ended.
const OTHER_ENDS: [&str; 4] = [ADJUDICATED, "resign", "limit", "repetition"];

/// What was replayed.
#[derive(Debug, Default)]
struct Replayed {
    games: u64,
    moves: usize,
    /// The files and numbers of the games that differ, and files that differ otherwise.
    different: BTreeSet<(PathBuf, Option<u64>)>,
}

impl Replayed {
    /// Prints a difference, which may quote the file.
    fn differs(&mut self, path: &Path, game: Option<u64>, why: &str, task: &Task) -> io::Result<()> {
        self.different.insert((path.to_path_buf(), game));
        let game = game.map_or(String::new(), |id| format!("game {id}: "));
        task.print(&format!("{}: {game}{}", path.shown(), printable(why, usize::MAX)))
    }
}

/// Replays all games.
pub fn run(args: &VerifyArgs) -> Result<ExitCode, Failure> {
    let task = Task::start("games", 0, 0);
    let mut replayed = Replayed::default();
    for path in &args.files {
        verify_file(path, args, &task, &mut replayed)?;
    }
    claims::check(&args.files, args.rules.loaded.is_some(), &mut |(
        path,
        game,
        why,
    )| {
        replayed
            .differs(&path, game, &why, &task)
            .map_err(|error| error.to_string())
    })?;
    let Replayed {
        games,
        moves,
        different,
    } = replayed;
    let [games, moves] =
        [(games as usize, "game"), (moves, "move")].map(|(count, noun)| counted(count, noun));
    let differ = match different.len() {
        0 => "none differs".to_string(),
        1 => "1 differs".to_string(),
        count => format!("{count} differ"),
    };
    task.print(&format!("{games} replayed, {moves}: {differ}"))?;
    Ok(verdict(different.is_empty()))
}

/// Replays the games of a file, and prints those that differ.
fn verify_file(path: &Path, args: &VerifyArgs, task: &Task, replayed: &mut Replayed) -> Result<(), Failure> {
    let wrong = |why: String| Failure::Usage(format!("{}: {why}", path.shown()));
    let input = files::open_text(path).map_err(|error| wrong(error.to_string()))?;
    let mut reader = Reader::new(input);
    while let Some(located) = reader.next_line().map_err(|error| wrong(error.to_string()))? {
        let record = match located.line {
            Line::Header(header) => {
                if let Some(program) = header.rules {
                    compare_program(&program, args, wrong)?;
                }
                continue;
            }
            Line::Record(record) => record,
            _ => continue,
        };
        let rules = match args.rules.loaded {
            Some(rules) => rules,
            None => Ruleset::of_file(record.variant.raw(), None).map_err(wrong)?,
        };
        replayed.games += 1;
        replayed.moves += record.moves.len();
        if let Some(difference) = difference(&record, rules)? {
            replayed.differs(path, Some(record.id), &difference, task)?;
        }
        task.set(replayed.games);
    }
    Ok(())
}

/// Compares the rules program that the user has given with that of a file. Warns if it is the same command, but the
/// program has changed.
fn compare_program(
    program: &RulesEntry,
    args: &VerifyArgs,
    wrong: impl Fn(String) -> Failure,
) -> Result<(), Failure> {
    let (Some(settings), Some(rules)) = (&args.rules.settings, args.rules.loaded) else {
        return Err(wrong(rules_needed(program, args)));
    };
    if program
        .cmd
        .iter()
        .map(Untrusted::raw)
        .eq(settings.words.iter().map(String::as_str))
    {
        for change in program.changes(&settings.entry(rules)?) {
            log::warn!("{change}");
        }
    }
    Ok(())
}

/// Why a file cannot be verified without the rules program of its games. A file starts nothing, so the user has to
/// give the program.
fn rules_needed(program: &RulesEntry, args: &VerifyArgs) -> String {
    let why = "its games were played by a rules program, and no program is started because a file names it";
    // Words that are options would be taken for those of the command.
    let words: Vec<&str> = program.cmd.iter().map(Untrusted::raw).collect();
    let settings = words.join(SEPARATOR).parse::<RulesSettings>();
    if settings.is_err() || words.iter().any(|word| word.starts_with('-')) {
        return format!("{why}; give the program with `--rules`");
    }
    let files: Vec<String> = args.files.iter().map(|path| path.shown()).collect();
    let before = ["referee", "verify"]
        .into_iter()
        .chain(files.iter().map(String::as_str));
    let command = join(&before.chain(["--rules"]).chain(words).collect::<Vec<_>>());
    format!(
        "{why}. If you trust this program, run:\n  {}",
        printable(&command, usize::MAX)
    )
}

/// How a game differs by these rules from its record; `None` if it does not.
fn difference(record: &Record, rules: Ruleset) -> Result<Option<String>, Failure> {
    let differs = |why: String| Ok(Some(why));
    let mut position = match rules.parse_fen(record.start.raw()) {
        Ok(position) => position,
        Err(error) => match rules.failure() {
            Some(why) => return Err(failed(Stop::Rules(why))),
            None => return differs(format!("its start is no position: {}", error.message)),
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
    let is_by_rules = !OTHER_ENDS.contains(&word) && FaultKind::from_word(word).is_none();
    match (position.outcome(), is_by_rules) {
        (None, true) => Some(format!(
            "it is not over after move {plies}, but the record says {was} ({reason})"
        )),
        (Some(outcome), true) if outcome.result != was || !is_same_reason(outcome.reason.0, word) => {
            let end = end(position).unwrap_or_default();
            Some(format!("it ends {end}, but the record says {was} ({reason})"))
        }
        (None, false) if ["time", "illegal"].contains(&word) && was != GameResult::Win(mover.opponent()) => {
            Some(format!(
                "player {} had the move, but the record says {was} ({reason})",
                mover.index() + 1
            ))
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
