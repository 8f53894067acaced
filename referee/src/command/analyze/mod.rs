//! `referee analyze`: goes through finished games with an engine.
//!
//! * [`Games`]: the games of the files, in the order of their schedule.
//! * [`Analyst`]: searches the positions of one game with an engine process, and joins what it found to
//!   the values of the moves.
//! * [`GameSummary`]: the mistakes of a game, as text and JSON.

mod analyst;
mod games;
mod summary;

use std::collections::HashMap;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use referee_core::failure::Failure;
use referee_core::game::Ruleset;
use referee_core::game::clock::TimeControl;
use referee_core::io::interrupt::Interrupt;
use referee_core::io::json;
use referee_core::io::text::ShowPath;
use referee_core::io::text::counted;
use referee_core::player::Engine;
use referee_core::results::{
    Analysis, AnalysisTally, EngineEntry, Line, OpenError, Record, Store, StoredGame,
};
use serde::Serialize;

use crate::command::{in_order, install_interrupt, print};
use crate::config::cli::AnalyzeArgs;
use crate::config::settings::Settings;
use crate::config::values::Positive;
use crate::report::analysis_table;
use crate::terminal;
use crate::terminal::arranged;
use crate::terminal::progress::Task;
pub(crate) use analyst::{Analyst, AnalystSpec};
use games::{Games, ListedGame};
pub use summary::GameSummary;
use summary::{PlayerRows, move_table};

/// The default time for each position.
const DEFAULT_TIME: Duration = Duration::from_millis(500);

/// Analyses the games of the files, except those that are analysed already.
pub(crate) fn run(args: &AnalyzeArgs) -> Result<(), Failure> {
    let settings = engine_settings(args)?;
    let games = Games::read(&args.files, args.game.map(Positive::get), &args.rules)?;
    let spec = AnalystSpec::new(settings, games.rules)?;
    let interrupt = install_interrupt()?;
    let mut saved = HashMap::new();
    let file = args.out.as_deref();
    let file = file.map(|path| OutputFile::open(path, &games, &spec.entry, &mut saved));
    let mut output = Output {
        args,
        file: file.transpose()?,
        rows: PlayerRows::default(),
        failed: 0,
    };
    let analysts = Analysts {
        games: &games,
        spec: &spec,
        saved: &saved,
        interrupt: &interrupt,
    };
    let ended = output.take_all(&analysts);
    output.close(&games, ended)
}

/// The settings of the engine, with a default limit.
fn engine_settings(args: &AnalyzeArgs) -> Result<Settings, Failure> {
    let usage = |why: &str| Err(Failure::Usage(why.into()));
    let mut settings = args.engine.clone().unwrap_or_default();
    if settings.is_human() {
        return usage("--engine: a human player gives no scores; use a program");
    }
    if !matches!(settings.time, None | Some(TimeControl::Move(_))) {
        return usage("--engine: `tc` is a clock for a whole game; use `st`, `depth` or `nodes`");
    }
    if settings.restart.is_some() {
        return usage("--engine: `restart` is for matches; leave it out");
    }
    match (args.st, settings.time) {
        (Some(_), Some(_)) => {
            return usage(
                "--st: `--engine` already sets the time, `st`; use only one of \
            them",
            );
        }
        (Some(time), None) => settings.time = Some(TimeControl::Move(time)),
        (None, None) if settings.depth.is_none() && settings.nodes.is_none() => {
            settings.time = Some(TimeControl::Move(DEFAULT_TIME));
        }
        (None, _) => {}
    }
    Ok(settings)
}

/// The result file of `--out`.
struct OutputFile<'a> {
    path: &'a Path,
    store: Store,
    /// The number of games in the file.
    games: usize,
    /// Whether the file has the verdict of a test.
    has_end: bool,
}

impl<'a> OutputFile<'a> {
    /// Creates the file, or opens that of an earlier run, whose analyses are added to `saved`.
    fn open(
        path: &'a Path,
        games: &Games,
        entry: &EngineEntry,
        saved: &mut HashMap<u64, Analysis>,
    ) -> Result<OutputFile<'a>, Failure> {
        let usage = |why: &str| Failure::Usage(format!("--out {}: {why}", path.shown()));
        let opened = Store::open(path, &games.one.header, |line| {
            if let Line::Record(record) = line {
                saved.insert(record.id, saved_analysis(&record, entry, games.rules)?);
            }
            Ok(())
        });
        let (store, end) = opened.map_err(|error| match error {
            OpenError::Different(_) => usage("it holds the games of another match; use a new file"),
            error => usage(&error.to_string()),
        })?;
        Ok(OutputFile {
            path,
            store,
            games: saved.len(),
            has_end: end.is_some(),
        })
    }

    fn append(&mut self, record: &Record) -> Result<(), Failure> {
        self.games += 1;
        let written = self.store.append_game(record);
        written.map_err(|error| self.lost(&error))
    }

    /// Completes the file, with the verdict of the test that ended the match if all games are analysed.
    fn close(mut self, games: &Games, is_complete: bool) -> Result<(), Failure> {
        let end = games.end.clone().filter(|_| is_complete && !self.has_end);
        let written = end.map_or(Ok(()), |end| self.store.append(&Line::Sprt(end)));
        let written = written.and_then(|()| self.store.sync());
        written.map_err(|error| self.lost(&error))?;
        self.store.remove_if_empty();
        Ok(())
    }

    fn lost(&self, error: &io::Error) -> Failure {
        Failure::Output(format!("{}: {error}", self.path.shown()))
    }
}

/// The analysis of a game that an earlier run wrote.
fn saved_analysis(record: &Record, entry: &EngineEntry, rules: Ruleset) -> Result<Analysis, String> {
    let id = record.id;
    let analysis = record.analysis.as_deref();
    let analysis = analysis
        .ok_or_else(|| format!("game {id} has no analysis: this is the file of a match; use a new file"))?;
    if let Some(difference) = difference(&analysis.engine, entry) {
        return Err(format!(
            "game {id} was analysed with {difference}; run that command again to resume it, or use a new file"
        ));
    }
    StoredGame::from_record(record, None, Some(rules))?;
    Ok(analysis.clone())
}

/// The settings of an old analysis, if they are not those of the new one.
fn difference(old: &EngineEntry, new: &EngineEntry) -> Option<String> {
    if old == new {
        return None;
    }
    let texts = [old, new].map(|entry| (entry.name.clone(), entry.settings.limits()));
    let [(old_name, old_limits), (new_name, new_limits)] = texts;
    Some(if old_name == new_name && old_limits == new_limits {
        format!("other settings of {old_name}")
    } else {
        format!("{old_name} ({old_limits}), not {new_name} ({new_limits})")
    })
}

/// The engines of all slots.
struct Analysts<'a> {
    games: &'a Games,
    spec: &'a AnalystSpec,
    /// The analyses that an earlier run wrote.
    saved: &'a HashMap<u64, Analysis>,
    interrupt: &'a Arc<Interrupt>,
}

/// The engine of one slot, once it has a game.
type Slot = Option<Analyst>;

impl Analysts<'_> {
    /// Whether a file has the same analysis of this game.
    fn is_analysed(&self, game: &ListedGame) -> bool {
        game.analysed_by.as_ref() == Some(&self.spec.entry)
    }

    /// One slot for each game at a time; the engine of the first slot runs. No engine starts
    /// without a game to search.
    fn start(&self, slots: u64) -> Result<Vec<Slot>, Failure> {
        let games = self.games.list.iter();
        let searched = games.filter(|game| !self.is_analysed(game) && !self.saved.contains_key(&game.id));
        let (number, positions) =
            searched.fold((0, 0), |(number, sum), game| (number + 1, sum + game.positions));
        let mut slots: Vec<Slot> = (0..slots.min(number).max(1)).map(|_| None).collect();
        if positions > 0 {
            slots[0] = Some(Analyst::start(self.spec.clone(), self.interrupt)?);
        }
        Ok(slots)
    }

    /// Analyses a game, if that was not done before. The analysis is `None` if the engine failed.
    fn analyse(
        &self,
        slot: &mut Slot,
        listed: &ListedGame,
        step: &dyn Fn(),
    ) -> Result<(Record, StoredGame, Option<Analysis>), Failure> {
        let (record, game) = self.games.load(listed)?;
        let known = record.analysis.as_deref().filter(|_| self.is_analysed(listed));
        let analysis = if let Some(known) = self.saved.get(&listed.id).or(known) {
            Some(known.clone())
        } else if listed.positions == 0 {
            Some(Analysis::empty(self.spec.entry.clone()))
        } else {
            let analyst = match slot.take() {
                Some(analyst) => analyst,
                None => Analyst::start(self.spec.clone(), self.interrupt)?,
            };
            let label = format!("Game {}", listed.id);
            slot.insert(analyst).analyse(&game, &label, step)?
        };
        Ok((record, game, analysis))
    }
}

/// What the command shows and writes.
struct Output<'a> {
    args: &'a AnalyzeArgs,
    file: Option<OutputFile<'a>>,
    rows: PlayerRows,
    /// The number of games without an analysis.
    failed: usize,
}

impl Output<'_> {
    /// Analyses and shows all games.
    fn take_all(&mut self, analysts: &Analysts) -> Result<(), Failure> {
        let games = &analysts.games.list;
        let searched = games.iter().filter(|game| !analysts.is_analysed(game));
        let total = searched.clone().map(|game| game.positions).sum();
        let saved = searched.filter(|game| analysts.saved.contains_key(&game.id));
        let done = AtomicU64::new(saved.map(|game| game.positions).sum());
        let slots = analysts.start(self.args.concurrency.get())?;
        let task = Task::start("positions", done.load(Ordering::SeqCst), total);
        let step = || task.set(done.fetch_add(1, Ordering::SeqCst) + 1);
        let (ended, slots) = in_order::run(
            games.len(),
            slots,
            |slot, number| analysts.analyse(slot, &games[number], &step),
            || analysts.interrupt.stop(),
            |_, (record, game, found)| {
                let Some(found) = found else {
                    self.failed += 1;
                    return Ok(());
                };
                let is_saved = analysts.saved.contains_key(&record.id);
                self.take(record, game, found, is_saved, &task)
            },
        );
        drop(task);
        let dismissed = Engine::dismiss(slots.into_iter().flatten().map(|analyst| analyst.engine));
        ended.and(dismissed)
    }

    /// Shows a game, and saves it unless it is saved already.
    fn take(
        &mut self,
        mut record: Record,
        mut game: StoredGame,
        analysis: Analysis,
        is_saved: bool,
        task: &Task,
    ) -> Result<(), Failure> {
        let threshold = self.args.threshold;
        let label = format!("Game {}", record.id);
        game.set_analysis(&analysis).map_err(Failure::Usage)?;
        let mut summary = GameSummary::new(&game, &analysis, &label, threshold);
        if self.args.game.is_some() {
            summary.text = format!("{}\n\n{}", move_table(&game, threshold), summary.text);
        }
        if let Some(file) = self.file.as_mut().filter(|_| !is_saved) {
            record.analysis = Some(Box::new(analysis));
            file.append(&record)?;
        }
        self.rows.add(&summary);
        Ok(task.print(if self.args.json {
            &summary.json
        } else {
            &summary.text
        })?)
    }

    /// Completes the output, also after a failure.
    fn close(mut self, games: &Games, ended: Result<(), Failure>) -> Result<(), Failure> {
        if let Some(file) = self.file.take() {
            if ended.is_err() {
                let message = match file.games {
                    0 => "No games are saved".to_string(),
                    saved => format!(
                        "{saved} of {} games are saved in {}; run the same command again to resume",
                        games.list.len(),
                        file.path.shown()
                    ),
                };
                // A closed stderr is not a failure.
                let _ = writeln!(io::stderr(), "{}", arranged(&message));
            }
            let is_complete = ended.is_ok() && self.args.game.is_none() && self.failed == 0;
            let closed = file.close(games, is_complete);
            ended.and(closed)?;
        } else {
            ended?;
        }
        self.finish()
    }

    /// Shows the counts of the players.
    fn finish(&self) -> Result<(), Failure> {
        #[derive(Serialize)]
        struct Row<'a> {
            name: &'a str,
            #[serde(flatten)]
            tally: &'a AnalysisTally,
        }
        let rows = &self.rows.0;
        let text = if self.args.json {
            let rows: Vec<_> = rows.iter().map(|(name, tally)| Row { name, tally }).collect();
            json::line(&serde_json::json!({ "players": rows })).unwrap_or_default()
        } else {
            let rows = rows.iter().map(|(name, tally)| (name.as_str(), tally));
            format!("\n{}", analysis_table(rows, terminal::width(io::stdout())))
        };
        print(&(text + "\n"))?;
        match self.failed {
            0 => Ok(()),
            failed => Err(Failure::Start(format!(
                "{} could not be analysed",
                counted(failed, "game")
            ))),
        }
    }
}
