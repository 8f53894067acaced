//! `referee analyze`: goes through finished games with an engine.
//!
//! * [`GameList`]: the games of the files, several at a time, delivered in their order.
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

use serde::Serialize;

use crate::command::in_order;
use crate::command::{install_interrupt, shown};
use crate::config::cli::AnalyzeArgs;
use crate::config::roster;
use crate::config::settings::Settings;
use crate::config::values::Positive;
use crate::game::clock::TimeControl;
use crate::io::failure::Failure;
use crate::io::interrupt::{Interrupt, Stop};
use crate::io::progress::Task;
use crate::io::terminal;
use crate::io::terminal::arranged;
use crate::play::engine_entry;
use crate::player::Engine;
use crate::report::analysis_table;
use crate::results::{Analysis, AnalysisTally, EngineEntry, OpenError, Record, SprtEnd, Store, StoredGame};
pub(crate) use analyst::{Analyst, AnalystSpec};
use games::{GameList, ListedGame, LoadedGame};
pub use summary::GameSummary;
use summary::{PlayerRows, move_table};

/// The default time for each position.
const DEFAULT_TIME: Duration = Duration::from_millis(500);

/// How much later than its time an answer is accepted by default. No game is lost by it.
pub(crate) const DEFAULT_MARGIN: Duration = Duration::from_secs(10);

/// Analyses the games of the files, except those that are analysed already.
pub(crate) fn run(args: &AnalyzeArgs) -> Result<(), Failure> {
    let settings = engine_settings(args)?;
    let list = GameList::read(&args.files, args.game.map(Positive::get))?;
    let specs = specs(&settings, &list)?;
    let Some(entry) = specs.first().map(|spec| spec.entry.clone()) else {
        return Err(Failure::Usage("the files hold no games".into()));
    };
    let interrupt = install_interrupt()?;
    let mut saved = HashMap::new();
    let open = |path| OutputFile::open(path, args, &list, &entry, &mut saved);
    let mut output = Output {
        args,
        list: &list,
        file: args.out.as_deref().map(open).transpose()?,
        rows: PlayerRows::default(),
        failed: 0,
    };
    let analysts = Analysts {
        list: &list,
        specs: &specs,
        entry: &entry,
        saved: &saved,
        interrupt: &interrupt,
    };
    let ended = output.take_all(&analysts);
    output.close(ended)
}

/// The settings of the engine, with defaults for the program and its limit.
fn engine_settings(args: &AnalyzeArgs) -> Result<Settings, Failure> {
    let usage = |why: &str| Err(Failure::Usage(why.into()));
    let mut settings = args.engine.clone().unwrap_or_default();
    if settings.is_human() {
        return usage("--engine: a person gives no scores; name a program");
    }
    if !matches!(settings.time, None | Some(TimeControl::Move(_))) {
        return usage("--engine: `tc` is a clock for a whole game; give `st`, `depth` or `nodes`");
    }
    if settings.restart.is_some() {
        return usage("--engine: `restart` is for matches; leave it out");
    }
    match (args.st, settings.time) {
        (Some(_), Some(_)) => return usage("--st: `--engine` has a time of its own, `st`; give only one"),
        (Some(time), None) => settings.time = Some(TimeControl::Move(time)),
        (None, None) if settings.depth.is_none() && settings.nodes.is_none() => {
            settings.time = Some(TimeControl::Move(DEFAULT_TIME));
        }
        (None, _) => {}
    }
    Ok(settings)
}

/// How to start the engine for each game in the list.
fn specs(settings: &Settings, list: &GameList) -> Result<Vec<AnalystSpec>, Failure> {
    let mut specs: Vec<AnalystSpec> = Vec::new();
    for game in &list.games {
        let variant = game.variant;
        if specs.iter().any(|spec| spec.variant == variant) {
            continue;
        }
        if variant.is_recorded() {
            return Err(Failure::Usage(format!(
                "the rules of {variant} are those of a program; name it with `--rules`"
            )));
        }
        let mut settings = settings.clone();
        settings.cmd.get_or_insert(variant.strongest().to_string());
        for mut contestant in roster::resolve(&[settings.clone()], variant)? {
            contestant.control.time = settings.time.unwrap_or(TimeControl::Unlimited);
            let entry = engine_entry(&contestant);
            contestant.control.margin = settings.margin.unwrap_or(DEFAULT_MARGIN);
            specs.extend(contestant.spec.map(|engine| AnalystSpec {
                engine,
                variant,
                control: contestant.control,
                entry,
            }));
        }
    }
    Ok(specs)
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
    /// Creates the file, or opens that of an earlier run, whose games are added to `saved`.
    fn open(
        path: &'a Path,
        args: &AnalyzeArgs,
        list: &GameList,
        entry: &EngineEntry,
        saved: &mut HashMap<u64, GameSummary>,
    ) -> Result<OutputFile<'a>, Failure> {
        let usage = |why: String| Failure::Usage(format!("--out {}: {why}", path.display()));
        let out = path.canonicalize().ok();
        let mut inputs = args.files.iter().map(|file| file.canonicalize().ok());
        if out.is_some() && inputs.any(|file| file == out) {
            return Err(usage(
                "this is one of the files to analyse; give a new file".into(),
            ));
        }
        let (header, _) = list.only_match().map_err(usage)?;
        let opened = Store::open(path, header, |record| {
            let summary = saved_game(&record, entry, args.threshold)?;
            saved.insert(record.id, summary);
            Ok(())
        });
        let (store, end) = opened.map_err(|error| match error {
            OpenError::Different(_) => usage("it holds the games of another match; give a new file".into()),
            error => usage(error.to_string()),
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

    /// Completes the file. `end` is the verdict of the test that ended the match.
    fn close(mut self, end: Option<&SprtEnd>) -> Result<(), Failure> {
        let written = match end.filter(|_| !self.has_end) {
            Some(end) => self.store.append(end),
            None => Ok(()),
        };
        let written = written.and_then(|()| self.store.sync());
        written.map_err(|error| self.lost(&error))?;
        self.store.remove_if_empty();
        Ok(())
    }

    fn lost(&self, error: &io::Error) -> Failure {
        Failure::Output(format!("{}: {error}", self.path.display()))
    }
}

/// The summary of a game that an earlier run wrote.
fn saved_game(record: &Record, entry: &EngineEntry, threshold: f64) -> Result<GameSummary, String> {
    let id = record.id;
    let analysis = record.analysis.as_ref();
    let analysis = analysis
        .ok_or_else(|| format!("game {id} has no analysis: this is the file of a match; give a new file"))?;
    if let Some(difference) = difference(&analysis.engine, entry) {
        return Err(format!(
            "game {id} was analysed with {difference}; run that command again to resume it, or give a new file"
        ));
    }
    let game = StoredGame::from_record(record, None)?;
    GameSummary::new(&game, analysis, &format!("Game {id}"), threshold)
}

/// The settings of an old analysis, if they are not those of the new one.
fn difference(old: &EngineEntry, new: &EngineEntry) -> Option<String> {
    if old == new {
        return None;
    }
    let texts = [old, new].map(|entry| (entry.name.clone(), entry.limits()));
    let [(old_name, old_limits), (new_name, new_limits)] = texts;
    Some(if old_name == new_name && old_limits == new_limits {
        format!("other settings of {old_name}")
    } else {
        format!("{old_name} ({old_limits}), not {new_name} ({new_limits})")
    })
}

/// The engines of all slots.
struct Analysts<'a> {
    list: &'a GameList,
    specs: &'a [AnalystSpec],
    entry: &'a EngineEntry,
    /// The games that an earlier run wrote.
    saved: &'a HashMap<u64, GameSummary>,
    interrupt: &'a Arc<Interrupt>,
}

/// The engine of one slot, once it has a game.
type Slot = Option<Analyst>;

/// A game that is ready to be shown.
enum Ready {
    /// An earlier run wrote it.
    Saved(Box<GameSummary>),
    /// Its analysis is `None` if the engine failed.
    New(Box<(LoadedGame, Option<Analysis>)>),
}

impl Analysts<'_> {
    /// One slot for each game at a time; the engine of the first slot runs. No engine starts
    /// without a game to search.
    fn start(&self, slots: u64) -> Result<Vec<Slot>, Failure> {
        let is_searched = |game: &&ListedGame| !self.is_analysed(game) && self.saved(game).is_none();
        let searched: Vec<_> = self.list.games.iter().filter(is_searched).collect();
        let slots = slots.min(searched.len() as u64).max(1);
        let mut slots: Vec<Slot> = (0..slots).map(|_| None).collect();
        for spec in self.specs.iter().rev() {
            // An engine that plays only one of the games is found before the first game.
            if searched
                .iter()
                .any(|game| game.variant == spec.variant && game.positions > 0)
            {
                self.analyst(&mut slots[0], spec)?;
            }
        }
        Ok(slots)
    }

    /// Whether a file holds the same analysis of this game.
    fn is_analysed(&self, game: &ListedGame) -> bool {
        game.analysed_by.as_ref() == Some(self.entry)
    }

    /// What an earlier run wrote of this game.
    fn saved(&self, game: &ListedGame) -> Option<&GameSummary> {
        self.saved.get(&game.id?)
    }

    /// The engine of a slot, for this game.
    fn analyst<'s>(&self, slot: &'s mut Slot, spec: &AnalystSpec) -> Result<&'s mut Analyst, Failure> {
        if slot
            .as_ref()
            .is_none_or(|analyst| analyst.spec.variant != spec.variant)
        {
            dismiss([slot.take()]);
            *slot = Some(Analyst::start(spec.clone(), self.interrupt)?);
        }
        // Just set.
        slot.as_mut().ok_or_else(|| Stop::Quit.into())
    }

    /// Analyses a game, if that was not done before.
    fn analyse(&self, slot: &mut Slot, game: &ListedGame, step: &dyn Fn()) -> Result<Ready, Failure> {
        if let Some(summary) = self.saved(game) {
            return Ok(Ready::Saved(Box::new(summary.clone())));
        }
        let loaded = self.list.load(game)?;
        let known = loaded.record.as_ref().filter(|_| self.is_analysed(game));
        if let Some(analysis) = known.and_then(|record| record.analysis.as_deref()).cloned() {
            return Ok(Ready::New(Box::new((loaded, Some(analysis)))));
        }
        if game.positions == 0 {
            let analysis = Analysis::empty(self.entry.clone());
            return Ok(Ready::New(Box::new((loaded, Some(analysis)))));
        }
        let spec = self.specs.iter().find(|spec| spec.variant == game.variant);
        let spec = spec.ok_or_else(|| Failure::Usage("there is no such engine".into()))?;
        let label = self.list.label(game);
        let analysis = self.analyst(slot, spec)?.analyse(&loaded.game, &label, step)?;
        Ok(Ready::New(Box::new((loaded, analysis))))
    }
}

/// Shuts engines down. Returns an error of copying an engine's stderr to its file.
fn dismiss(slots: impl IntoIterator<Item = Slot>) -> Option<io::Error> {
    Engine::dismiss(slots.into_iter().flatten().map(|analyst| analyst.engine))
}

/// What the command shows and writes.
struct Output<'a> {
    args: &'a AnalyzeArgs,
    list: &'a GameList,
    file: Option<OutputFile<'a>>,
    rows: PlayerRows,
    /// The number of games without an analysis.
    failed: usize,
}

impl Output<'_> {
    /// Analyses and shows all games.
    fn take_all(&mut self, analysts: &Analysts) -> Result<(), Failure> {
        let games = &self.list.games;
        let searched = games.iter().filter(|game| !analysts.is_analysed(game));
        let count = |games: &mut dyn Iterator<Item = &ListedGame>| games.map(|game| game.positions).sum();
        let total = count(&mut searched.clone());
        let done = AtomicU64::new(count(&mut searched.filter(|game| analysts.saved(game).is_some())));
        let slots = analysts.start(self.args.concurrency.get())?;
        let task = Task::start("positions", done.load(Ordering::SeqCst), total);
        let step = || task.set(done.fetch_add(1, Ordering::SeqCst) + 1);
        let (ended, slots) = in_order::run(
            games.len(),
            slots,
            |slot, number| analysts.analyse(slot, &games[number], &step),
            || analysts.interrupt.stop(),
            |number, ready| match ready {
                Ready::Saved(summary) => self.show(&summary, &task),
                Ready::New(new) => self.take(&games[number], new.0, new.1, &task),
            },
        );
        drop(task);
        let dismissed = dismiss(slots);
        ended?;
        match dismissed {
            Some(error) => Err(Failure::Output(format!(
                "cannot save the stderr of an engine: {error}"
            ))),
            None => Ok(()),
        }
    }

    /// Saves and shows a game.
    fn take(
        &mut self,
        game: &ListedGame,
        loaded: LoadedGame,
        analysis: Option<Analysis>,
        task: &Task,
    ) -> Result<(), Failure> {
        let Some(analysis) = analysis else {
            self.failed += 1;
            return Ok(());
        };
        let threshold = self.args.threshold;
        let summary = GameSummary::new(&loaded.game, &analysis, &self.list.label(game), threshold);
        let mut summary = summary.map_err(Failure::Usage)?;
        if self.args.game.is_some() {
            let table = move_table(&loaded.game, &analysis, threshold).map_err(Failure::Usage)?;
            summary.text = format!("{table}\n\n{}", summary.text);
        }
        if let (Some(file), Some(mut record)) = (&mut self.file, loaded.record) {
            record.analysis = Some(Box::new(analysis));
            file.append(&record)?;
        }
        self.show(&summary, task)
    }

    fn show(&mut self, summary: &GameSummary, task: &Task) -> Result<(), Failure> {
        self.rows.add(summary);
        let GameSummary { text, json, .. } = summary;
        shown(task.print(if self.args.json { json } else { text }))
    }

    /// Completes the output, also after a failure.
    fn close(mut self, ended: Result<(), Failure>) -> Result<(), Failure> {
        if let Some(file) = self.file.take() {
            if ended.is_err() {
                let message = match file.games {
                    0 => "No games are saved".to_string(),
                    saved => format!(
                        "{saved} of {} games are saved in {}; run the same command again to resume",
                        self.list.games.len(),
                        file.path.display()
                    ),
                };
                // A closed stderr is not a failure.
                let _ = writeln!(io::stderr(), "{}", arranged(&message));
            }
            let is_complete = ended.is_ok() && self.args.game.is_none() && self.failed == 0;
            let end = self.list.only_match().ok().and_then(|(_, end)| end);
            let closed = file.close(end.filter(|_| is_complete));
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
            serde_json::json!({ "players": rows }).to_string()
        } else {
            let rows = rows.iter().map(|(name, tally)| (name.as_str(), tally));
            format!("\n{}", analysis_table(rows, terminal::width(io::stdout())))
        };
        let mut out = io::stdout().lock();
        shown(writeln!(out, "{text}").and_then(|()| out.flush()))?;
        match self.failed {
            0 => Ok(()),
            1 => Err(Failure::Start("1 game could not be analysed".into())),
            failed => Err(Failure::Start(format!("{failed} games could not be analysed"))),
        }
    }
}
