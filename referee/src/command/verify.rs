//! `referee verify`: replays the games of result files, by the same or by other rules.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use referee_core::failure::Failure;
use referee_core::game::Ruleset;
use referee_core::io::as_text::Text;
use referee_core::io::files;
use referee_core::io::interrupt;
use referee_core::io::text::{ShowPath, counted, join, printable};
use referee_core::io::untrusted::Untrusted;
use referee_core::results::archive;
use referee_core::results::{Line, Reader, RulesEntry};

use super::{claims, verdict};
use crate::config::cli::VerifyArgs;
use crate::config::rules_settings::RulesSettings;
use crate::config::settings::SEPARATOR;
use crate::rules_check::replay::difference;
use crate::terminal::progress::Task;

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
    let matches = archive::read_until(&args.files, &|| interrupt::check().is_err())?;
    let task = Task::start("games", 0, 0);
    let mut replayed = Replayed::default();
    for path in &args.files {
        verify_file(path, args, &task, &mut replayed)?;
    }
    claims::check(&matches, args.rules.loaded.is_some(), &mut |(path, game, why)| {
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
    let mut program = None;
    while let Some(located) = reader.next_line().map_err(|error| wrong(error.to_string()))? {
        let record = match located.line {
            Line::Header(header) => {
                // One that was accepted during the match takes the place of the program before.
                if header.accepted.is_empty() {
                    compare_program(program.as_ref(), args, wrong)?;
                }
                program = header.rules;
                if args.rules.loaded.is_none() {
                    compare_program(program.as_ref(), args, wrong)?;
                }
                continue;
            }
            Line::Record(record) => record,
            _ => continue,
        };
        let rules = match args.rules.loaded {
            Some(rules) => rules,
            None => Ruleset::read(record.variant.raw()).map_err(wrong)?,
        };
        replayed.games += 1;
        replayed.moves += record.moves.len();
        if let Some(difference) = difference(&record, rules)? {
            replayed.differs(path, Some(record.id), &difference, task)?;
        }
        task.set(replayed.games);
    }
    compare_program(program.as_ref(), args, wrong)
}

/// Compares the rules program that the user has given with that of a file. Warns if it is the same command, but the
/// program has changed.
fn compare_program(
    program: Option<&RulesEntry>,
    args: &VerifyArgs,
    wrong: impl Fn(String) -> Failure,
) -> Result<(), Failure> {
    let Some(program) = program else {
        return Ok(());
    };
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
    let why = "its games were played with a rules program, and the name in a file is not enough to start a \
        program";
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
