//! `--feedback`: a text for each submission, which its author may see.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt::{Display, Write as _};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use lodestone_game::GameResult;
use lodestone_game::board::Side;
use referee_core::failure::Failure;
use referee_core::game::Ruleset;
use referee_core::game::clock::TimeControl;
use referee_core::io::files;
use referee_core::io::interrupt::Interrupt;
use referee_core::io::text::{ShowPath, counted, milliseconds, printable, wrap};
use referee_core::io::untrusted::joined;
use referee_core::player::Engine;
use referee_core::player::verdict::FaultKind;
use referee_core::results::analysis::MISTAKE;
use referee_core::results::archive::{self, Location, Match};
use referee_core::results::{
    Analysis, Header, Line, Record, RecordedFault, StoredGame, Submission, UnfitPlayer,
};
use referee_core::system::files::look;
use referee_core::tournament::Tournament;
use referee_statistics::posterior::Posterior;

use super::analyses::{self, Analyses};
use super::files::{copies, not_written, transcripts_of};
use crate::command::analyze::{Analyst, AnalystSpec, GameSummary};
use crate::command::fault_text::{Author, about};
use crate::command::in_order;
use crate::config::cli::LadderArgs;
use crate::config::settings::Settings;
use crate::feedback::{FileNames, WIDTH, check_command, is_of_package, not_playing, of_copy};
use crate::matches::limit::EndOfRun;
use crate::report::{PlayerSummary, Summary};
use crate::terminal::progress::Task;

/// The most kinds of faults and slow moves that a text names.
const MOST: [usize; 2] = [5, 5];

/// The most mistakes of a game that a text names.
const MOST_MISTAKES: usize = 8;

/// What follows the name of a submission in the first line of a text.
const VERSION: &str = ", version ";
const NOT_PLAYING: &str = ": not in the last run";

/// The time of an analysis for each position.
const ANALYSIS_TIME: Duration = Duration::from_millis(50);

/// About how long a game takes to analyse: thirty moves.
pub(super) const ANALYSIS_OF_GAME: Duration = Duration::from_millis(30 * 50);

/// A game of a player, from its point of view.
struct SeenGame {
    id: u64,
    location: Location,
    opponent: String,
    side: Side,
    has_lost: bool,
    /// The fault by which the player lost.
    fault: Option<FaultKind>,
    /// Its faults in whose place random moves were played.
    replaced: Vec<RecordedFault>,
    /// Its longest move: milliseconds, and the number of the move.
    slowest: Option<(f64, usize)>,
}

impl SeenGame {
    fn new(record: &Record, side: Side, location: Location) -> SeenGame {
        let movers = record.movers().unwrap_or_default();
        let times = record.ms.iter().zip(record.opening_plies..);
        let own = times.filter(|&(_, ply)| movers.get(ply) == Some(&side));
        let faults = record.faults.iter().filter(|fault| fault.player == side);
        // The time of a move that never came is only that of the wait for it.
        let faults = faults.filter(|fault| fault.kind != FaultKind::Stall);
        let late = faults.filter_map(|fault| Some((fault.ms?, fault.number)));
        SeenGame {
            id: record.id,
            location,
            opponent: record.name(side.opponent()).to_string(),
            side,
            has_lost: record.result == GameResult::Win(side.opponent()),
            fault: record
                .fault()
                .and_then(|(loser, kind)| (loser == side).then_some(kind)),
            replaced: record
                .replaced()
                .filter(|fault| fault.player == side)
                .cloned()
                .collect(),
            slowest: own
                .map(|(&ms, ply)| (ms, ply + 1))
                .chain(late)
                .max_by(|one, other| one.0.total_cmp(&other.0)),
        }
    }
}

/// The faults in whose place random moves were played; of each kind the last one.
fn replaced(games: &[SeenGame]) -> String {
    let all = games
        .iter()
        .flat_map(|game| game.replaced.iter().map(move |fault| (game, fault)));
    let mut kinds: BTreeMap<FaultKind, (usize, String)> = BTreeMap::new();
    for (game, fault) in all {
        let (count, last) = kinds.entry(fault.kind).or_default();
        *count += 1;
        *last = format!(
            "game {}, move {}: {}",
            game.id,
            fault.number,
            fault.detail.shown()
        );
    }
    let line = |(kind, (count, last)): (FaultKind, (usize, String))| {
        let moves = counted(count, "random move");
        format!("  {kind}: {moves} played instead, so the game continued. The last one is {last}\n")
    };
    kinds.into_iter().map(line).collect()
}

/// The text of a submission that cannot play.
fn unfit_text(args: &LadderArgs, UnfitPlayer { name, why, plain, .. }: &UnfitPlayer) -> String {
    let run = &args.run;
    let why = of_copy(plain.as_ref().unwrap_or(why).raw(), &args.folder.join(name));
    let command = check_command(
        &run.game,
        run.openings.as_ref(),
        run.each.as_ref(),
        args.wrapper.wrapper.as_deref(),
    );
    not_playing(
        &format!("{}{NOT_PLAYING}", printable(name, usize::MAX)),
        &why,
        &command,
    )
}

/// The text of a submission that was deleted.
fn deleted_text(name: &str) -> String {
    format!(
        "{}{NOT_PLAYING}\n\nThe submission was deleted.\n",
        printable(name, usize::MAX)
    )
}

/// Writes the texts of submissions that cannot play, where too few can.
pub(super) fn write_unfit(args: &LadderArgs, folder: &Path, unfit: &[UnfitPlayer]) -> Result<(), Failure> {
    let mut texts = Texts::new(folder);
    for one in unfit {
        let path = texts.path(&one.name);
        texts.write(&path, &one.name, &unfit_text(args, one));
    }
    texts.ended
}

/// The games, points and ratings of all players when the run began; no rating of those that have none.
pub(super) struct Before(Vec<(u64, f64, Option<f64>)>);

impl Before {
    pub fn of(tournament: &Tournament) -> Before {
        let ladder = tournament.calendar().ladder();
        let elos = ladder.map_or_else(Vec::new, |ladder| ladder.posterior(&[]).elos);
        let players = tournament.standings.players.iter().enumerate();
        let known = players.map(|(number, player)| {
            let elo = elos.get(number).copied();
            let elo = elo.filter(|_| !tournament.is_unrated(number));
            (player.games.games(), player.games.points(), elo)
        });
        Before(known.collect())
    }
}

/// What all texts need.
struct Feedback<'a> {
    header: &'a Header,
    tournament: &'a Tournament,
    posterior: Posterior,
    before: Option<Before>,
    games: Match,
    /// The numbers of all players.
    numbers: HashMap<&'a str, usize>,
    /// The games of the players in the table, by name.
    seen: HashMap<String, Vec<SeenGame>>,
    transcripts: PathBuf,
    /// The folder of the copies that play.
    copies: PathBuf,
    /// Whether a wrapper is made with the Python package.
    is_plain: bool,
    analyst: AnalystSpec,
    /// The rules of the game.
    rules: Ruleset,
    /// The most losses that a text reviews.
    reviews: usize,
    /// Those of earlier runs.
    analyses: Analyses,
    /// The versions of each submission: their numbers as players, and as versions.
    versions: HashMap<&'a str, Vec<(usize, u64)>>,
    /// The number of submissions in the table.
    submissions: usize,
    end: EndOfRun,
    /// The number of games that are left for the next run to analyse.
    left: AtomicUsize,
    interrupt: &'a Arc<Interrupt>,
}

/// Creates the folder.
pub(super) fn open(folder: &Path, args: &LadderArgs) -> Result<PathBuf, Failure> {
    let usage = |why: &dyn Display| Failure::Usage(format!("--feedback {}: {why}", folder.shown()));
    if folder.exists() && !folder.is_dir() {
        return Err(usage(&"this is a file; the feedback needs a folder"));
    }
    fs::create_dir_all(folder).map_err(|error| usage(&error))?;
    files::check_draft(&folder.join("referee")).map_err(|error| usage(&error))?;
    if folder.canonicalize().ok() == args.folder.canonicalize().ok() {
        return Err(usage(
            &"this is the folder of the submissions; the feedback needs a separate folder",
        ));
    }
    Ok(folder.to_path_buf())
}

/// The texts of a folder, one for each submission.
struct Texts<'a> {
    folder: &'a Path,
    used: FileNames,
    /// The first failure. The other texts are written.
    ended: Result<(), Failure>,
}

impl<'a> Texts<'a> {
    fn new(folder: &'a Path) -> Texts<'a> {
        Texts {
            folder,
            used: FileNames::default(),
            ended: Ok(()),
        }
    }

    fn path(&mut self, name: &str) -> PathBuf {
        self.folder.join(self.used.of(name))
    }

    /// Writes a text, unless a file that is none of these texts is in its place.
    fn write(&mut self, path: &Path, name: &str, text: &str) {
        let refused = |why: &dyn Display| not_written("--feedback", path, why);
        let is_own = |old: Option<Vec<u8>>| {
            let old = old.unwrap_or_default();
            let old = String::from_utf8_lossy(&old);
            let rest = old.strip_prefix(&printable(name, usize::MAX));
            rest.is_some_and(|rest| rest.starts_with(VERSION) || rest.starts_with(NOT_PLAYING))
        };
        let mut is_same = false;
        let is_free = match look(path) {
            Ok(None) => Ok(true),
            Ok(Some(_)) => files::read(path, MAX_TEXT).map(|old| {
                is_same = old.as_deref() == Some(text.as_bytes());
                is_own(old)
            }),
            Err(why) => Err(why),
        };
        let written = match is_free {
            _ if is_same => Ok(()),
            Ok(true) => files::replace(path, text).map_err(|error| refused(&error)),
            Ok(false) => Err(refused(
                &"this file is not feedback on the submission, so it is not overwritten",
            )),
            Err(why) => Err(refused(&why)),
        };
        if let Err(failure) = written {
            log::error!("{failure}");
            if self.ended.is_ok() {
                self.ended = Err(failure);
            }
        }
    }
}

/// What is read of an older text, in bytes: its beginning decides whether it is one of these.
const MAX_TEXT: u64 = 16 << 20;

/// A submission that plays: its version, and its results.
type Subject<'a> = (&'a Submission, &'a PlayerSummary);

/// Writes a text for each submission in the folder of the ladder, those included that cannot play.
pub(super) fn write(
    args: &LadderArgs,
    folder: &Path,
    out: &Path,
    (header, summary, tournament): (&Header, &Summary, &Tournament),
    before: Option<Before>,
    end: EndOfRun,
    interrupt: &Arc<Interrupt>,
) -> Result<(), Failure> {
    let mut feedback = Feedback::new(args, out, (header, summary, tournament), end, interrupt)?;
    feedback.before = before;
    let submission = |number: usize| header.engines.get(number)?.submission.as_ref();
    let mut texts = Texts::new(folder);
    // Those that play come first, so that the names of their files stay.
    let mut subjects: Vec<(PathBuf, Subject<'_>)> = Vec::new();
    for player in &summary.players {
        if let Some(one) = submission(player.number) {
            subjects.push((texts.path(&one.name), (one, player)));
        }
    }
    let slots = (args.run.concurrency.get() as usize).min(subjects.len());
    let mut here: HashSet<&str> = subjects.iter().map(|(_, (one, _))| &*one.name).collect();
    // The analyses of the others take long.
    for one in &header.unfit {
        let path = texts.path(&one.name);
        let text = unfit_text(args, one) + &feedback.versions(&one.name);
        texts.write(&path, &one.name, &text);
        here.insert(&one.name);
    }
    let known: BTreeSet<&str> = feedback.versions.keys().copied().collect();
    for name in known.into_iter().filter(|name| !here.contains(name)) {
        let path = texts.path(name);
        if path.exists() {
            texts.write(&path, name, &(deleted_text(name) + &feedback.versions(name)));
        }
    }
    let task = Task::unless(args.run.quiet, "feedback files", subjects.len() as u64);
    let done = AtomicU64::new(0);
    let (ended, analysts) = in_order::run(
        subjects.len(),
        (0..slots).map(|_| None).collect(),
        |analyst, number| {
            let (_, (submission, player)) = &subjects[number];
            let text = feedback.of_player(submission, player, analyst);
            task.set(done.fetch_add(1, Ordering::Relaxed) + 1);
            Ok(text)
        },
        || {},
        |number, text| {
            let (path, (submission, _)) = &subjects[number];
            texts.write(path, &submission.name, &text);
            Ok(())
        },
    );
    let dismissed = Engine::dismiss(analysts.into_iter().flatten().map(|analyst| analyst.engine));
    drop(task);
    match feedback.left.into_inner() {
        0 => feedback.analyses.tidy(),
        left => log::warn!(
            "--feedback: the time of the run ran out; the next run analyses {}",
            counted(left, "more game")
        ),
    }
    ended.and(texts.ended).and(dismissed)
}

impl<'a> Feedback<'a> {
    fn new(
        args: &LadderArgs,
        out: &Path,
        (header, summary, tournament): (&'a Header, &'a Summary, &'a Tournament),
        end: EndOfRun,
        interrupt: &'a Arc<Interrupt>,
    ) -> Result<Feedback<'a>, Failure> {
        let games = archive::read(&[out.to_path_buf()])?
            .pop()
            .ok_or_else(|| Failure::Usage("the file of the ladder is gone".into()))?;
        let in_table: HashSet<&str> = summary.players.iter().map(|player| &*player.name).collect();
        let mut seen: HashMap<String, Vec<SeenGame>> = HashMap::new();
        games.lines(&mut |line, location| {
            if let Line::Record(record) = line {
                for (side, name) in Side::BOTH.into_iter().zip([&record.first, &record.second]) {
                    if in_table.contains(&**name) {
                        let game = SeenGame::new(&record, side, location);
                        seen.entry(name.clone()).or_default().push(game);
                    }
                }
            }
            Ok(())
        })?;
        let names = header.engines.iter().map(|engine| engine.name.as_str());
        let each: Vec<Vec<usize>> = (0..header.engines.len()).map(|player| vec![player]).collect();
        let settings = Settings {
            time: Some(TimeControl::Move(ANALYSIS_TIME)),
            ..Settings::default()
        };
        let rules = args.run.game.variant;
        let analyst = AnalystSpec::new(settings, rules)?;
        let mut versions: HashMap<&str, Vec<(usize, u64)>> = HashMap::new();
        for (number, engine) in header.engines.iter().enumerate() {
            if let Some(one) = &engine.submission {
                versions.entry(&one.name).or_default().push((number, one.version));
            }
        }
        let ladder = tournament.calendar().ladder();
        let ladder = ladder.ok_or_else(|| Failure::Usage("the file is not of a ladder".into()))?;
        let posterior = ladder.posterior(&each);
        let submissions = summary.players.iter().filter(|player| !player.is_reference);
        Ok(Feedback {
            analyses: Analyses::open(analyses::beside(out), &analyst.entry, header),
            versions,
            submissions: submissions.count(),
            end,
            left: AtomicUsize::new(0),
            posterior,
            before: None,
            numbers: names.zip(0..).collect(),
            header,
            rules,
            tournament,
            games,
            seen,
            transcripts: transcripts_of(args, out),
            copies: copies(out),
            is_plain: args.wrapper.wrapper.as_deref().is_some_and(is_of_package),
            reviews: args.reviews.get() as usize,
            analyst,
            interrupt,
        })
    }

    /// The text of a submission that plays.
    fn of_player(
        &self,
        submission: &Submission,
        player: &PlayerSummary,
        analyst: &mut Option<Analyst>,
    ) -> String {
        let Submission { name, version, .. } = submission;
        let title = format!("{name}{VERSION}{version}\n\n");
        let games = player.games.games();
        if games == 0 {
            return title + "This version has not played yet.\n" + &self.versions(name);
        }
        let zero = self.tournament.calendar().schedule().anchor;
        let zero = zero.and_then(|player| self.header.engines.get(player));
        let zero = zero.map_or("new players on average are rated".into(), |one| {
            format!("{} is rated", one.name)
        });
        let rating = if self.tournament.is_unrated(player.number) {
            "No rating: this version won or drew no game by its own moves".into()
        } else {
            format!(
                "Rating {}, where {zero} 0; a player rated 100 points higher scores 64 % on average",
                self.rating(player.number)
            )
        };
        let mut text = format!(
            "Place {} of {}. {rating}.\n\
             {} of this version: {} won, {} drawn, {} lost.\n",
            player.place,
            counted(self.submissions, "submission"),
            counted(games as usize, "game"),
            player.games.wins,
            player.games.draws,
            player.games.losses
        );
        text += &self.change(player).unwrap_or_default();
        text += &self.versions(name);
        let games = self.seen.get(&player.name).map_or(&[][..], Vec::as_slice);
        text += &self.faults(player, games);
        text += &slow_moves(games);
        if player.over_limit > 0 {
            let moves = counted(player.over_limit as usize, "move");
            let _ = writeln!(text, "  Over the limit, but within the tolerance: {moves}");
        }
        title + &wrap(&text, WIDTH) + &self.losses(&player.name, games, analyst)
    }

    /// Why the rating of a version has changed in this run: its new games, or only those of others.
    fn change(&self, player: &PlayerSummary) -> Option<String> {
        let (games, points, was) = *self.before.as_ref()?.0.get(player.number)?;
        let now = self.posterior.elos.get(player.number)?;
        let new = player.games.games().saturating_sub(games) as usize;
        let was = was.filter(|_| games > 0);
        let rated = was.map_or(String::new(), |was| format!(", and was rated {was:.0} before"));
        if new > 0 {
            let points = player.games.points() - points;
            let new = counted(new, "game");
            return Some(format!(
                "In the last run, it got {} in {new}{rated}.\n",
                counted_points(points)
            ));
        }
        was.filter(|was| (was - now).abs() >= 1.0).map(|was| {
            format!("It played no game in the last run: its rating was {was:.0}, and only games of others changed it.\n")
        })
    }

    /// A rating with its interval, if there is one.
    fn rating(&self, number: usize) -> String {
        if self.tournament.is_unrated(number) {
            return "no rating".into();
        }
        let interval = self.posterior.interval(number);
        let elo = self.posterior.elos.get(number).copied().unwrap_or_default();
        format!(
            "{elo:.0} (95 % interval {:.0} to {:.0})",
            interval.low, interval.high
        )
    }

    /// The rating of a submission over its versions, if there are several.
    fn versions(&self, name: &str) -> String {
        let own = self.versions.get(name).map_or(&[][..], Vec::as_slice);
        let mut text = String::from("\nRating over versions\n");
        for &(number, version) in own {
            let played = self.tournament.standings.players.get(number);
            let games = played.map_or(0, |player| player.games.games());
            let points = played.map_or(0.0, |player| player.games.points());
            let rating = self.rating(number);
            let _ = writeln!(
                text,
                "  version {version}: {rating}, {points} points of {games} games"
            );
        }
        if own.len() < 2 { String::new() } else { text }
    }

    /// The games that the player lost by a fault; of each kind the last one with its transcript.
    fn faults(&self, player: &PlayerSummary, games: &[SeenGame]) -> String {
        let mut text = String::from("\nFaults\n");
        if player.faults.is_empty() {
            text += "  No game was lost by a fault.\n";
        }
        text += &replaced(games);
        for (kind, count) in player.faults.iter().take(MOST[0]) {
            let last = games.iter().rfind(|game| game.fault == Some(*kind));
            let record = last.and_then(|last| self.games.record(&last.location).ok());
            let (Some(last), Some(record)) = (last, record) else {
                continue;
            };
            let _ = writeln!(
                text,
                "  {kind}: {}. {} The last one, against {}:",
                counted(*count as usize, "game"),
                kind.about().advice,
                last.opponent,
            );
            for line in self.last_fault(&record, last.side, &player.name).lines() {
                let _ = writeln!(text, "    {line}");
            }
        }
        text
    }

    /// What its author reads about the fault by which a player lost a game.
    fn last_fault(&self, record: &Record, side: Side, name: &str) -> String {
        let author = Author {
            name,
            folder: &self.copies.join(name),
            is_plain: self.is_plain || is_of_package(&self.copies.join(name)),
        };
        let fault = record.faults.iter().rfind(|fault| fault.player == side);
        let text = fault.map(|fault| {
            about(
                &author,
                record,
                fault,
                (Some(self.header), self.rules),
                &self.transcripts,
            )
        });
        text.and_then(Result::ok)
            .unwrap_or_else(|| format!("game {}: {}", record.id, record.detail.shown()))
    }

    /// The rating of a player of any version.
    fn elo(&self, name: &str) -> Option<f64> {
        let number = *self.numbers.get(name)?;
        let elo = self.posterior.elos.get(number).copied();
        elo.filter(|_| !self.tournament.is_unrated(number))
    }

    /// The most instructive losses: against the weakest opponents, each once.
    fn losses(&self, name: &str, games: &[SeenGame], analyst: &mut Option<Analyst>) -> String {
        let lost = instructive(games, |opponent| self.elo(opponent));
        if self.reviews == 0 {
            return String::new();
        }
        let mut text = String::from("\nLosses to review: those against the weakest opponents\n");
        if lost.is_empty() {
            let has_faults = games.iter().any(|game| game.fault.is_some());
            text += if has_faults {
                "  None: all losses were faults.\n"
            } else {
                "  None: no game was lost.\n"
            };
            return text;
        }
        text += "  A win is 1 point, a draw ½. Scores are those of the side to move, and +4.00 stands for \
            0.73\n  \
                 points. `win in 3 plies` counts the moves of both sides. Where nothing is proven, the best move \
                 is an\n  \
                 estimate. Send the line with `position` to your bot to set up the end of the game.\n";
        for (game, opponent) in lost.into_iter().take(self.reviews) {
            let Ok(record) = self.games.record(&game.location) else {
                continue;
            };
            let rated = self.elo(name).map_or_else(String::new, |own| {
                let than = if own >= opponent { "lower" } else { "higher" };
                format!(", which is rated {:.0} {than}", (own - opponent).abs())
            });
            let _ = writeln!(
                text,
                "\n  Game {} as {} player against {}{rated}: {}",
                game.id,
                ["first", "second"][game.side.index()],
                game.opponent,
                record.detail.shown()
            );
            if record.moves.len() <= record.opening_plies + 1 {
                text += "    The opening had decided it.\n";
            } else {
                for line in self.mistakes(&record, game.side, analyst) {
                    let _ = writeln!(text, "    {line}");
                }
            }
            let position = if record.start == *self.rules.startpos().fen() {
                "startpos".into()
            } else {
                format!("fen {}", record.start.shown())
            };
            let _ = writeln!(text, "    position {position} moves {}", joined(&record.moves));
        }
        text
    }

    /// What an engine says of the player's moves in a game; nothing if it cannot be analysed.
    fn mistakes(&self, record: &Record, side: Side, analyst: &mut Option<Analyst>) -> Vec<String> {
        let Some((engine, own)) = self.analysed(record, side, analyst) else {
            let later = "The time of the run ran out; the next run analyses this game.";
            return Vec::from_iter(self.is_stopped().then(|| later.into()));
        };
        if own.is_empty() {
            return vec![format!(
                "{engine} finds no mistake of at least {MISTAKE} expected points"
            )];
        }
        let mut lines = vec![format!("Mistakes that {engine} finds:")];
        lines.extend(own.iter().take(MOST_MISTAKES).map(|line| format!("  {line}")));
        if own.len() > MOST_MISTAKES {
            lines.push(format!("  and {} later ones", own.len() - MOST_MISTAKES));
        }
        lines
    }

    /// Whether no more games are analysed.
    fn is_stopped(&self) -> bool {
        self.end.is_over() || self.interrupt.caught().is_some()
    }

    /// The engine that has analysed a game, and the mistakes of this side that it found; `None` if there is none, or it
    /// is left for the next run.
    fn analysed(
        &self,
        record: &Record,
        side: Side,
        analyst: &mut Option<Analyst>,
    ) -> Option<(String, Vec<String>)> {
        let mut game = StoredGame::from_record(record, Some(self.header), Some(self.rules)).ok()?;
        let kept = || self.analyses.of(record);
        let known = record.analysis.as_deref().cloned().or_else(kept);
        let known = known.filter(|known| game.set_analysis(known).is_ok());
        let analysis = known.or_else(|| self.new_analysis(record, &mut game, analyst))?;
        let mut summary = GameSummary::new(&game, &analysis, "", MISTAKE);
        let own = std::mem::take(&mut summary.mistakes[side.index()]);
        Some((analysis.engine_with_limits(), own))
    }

    /// Analyses a game, and keeps the analysis for later runs.
    fn new_analysis(
        &self,
        record: &Record,
        game: &mut StoredGame,
        analyst: &mut Option<Analyst>,
    ) -> Option<Analysis> {
        if self.is_stopped() {
            self.left.fetch_add(1, Ordering::Relaxed);
            return None;
        }
        let engine = match analyst.take() {
            Some(engine) => engine,
            None => Analyst::start(self.analyst.clone(), self.interrupt).ok()?,
        };
        let label = format!("game {}", record.id);
        let found = analyst.insert(engine).analyse(game, &label, &|| {}).ok()??;
        game.set_analysis(&found).ok()?;
        self.analyses.keep(record, &found);
        Some(found)
    }
}

/// The games that were lost by moves: against the weakest opponents first, of each the last one; with its rating.
fn instructive(games: &[SeenGame], elo: impl Fn(&str) -> Option<f64>) -> Vec<(&SeenGame, f64)> {
    let lost = games.iter().filter(|game| game.has_lost && game.fault.is_none());
    let mut lost: Vec<(&SeenGame, f64)> = lost
        .filter_map(|game| Some((game, elo(&game.opponent)?)))
        .collect();
    lost.sort_by(|one, other| one.1.total_cmp(&other.1).then(other.0.id.cmp(&one.0.id)));
    let mut met = HashSet::new();
    lost.retain(|(game, _)| met.insert(&game.opponent));
    lost
}

/// A number of points as people write it.
fn counted_points(points: f64) -> String {
    format!(
        "{points} point{}",
        if (points - 1.0).abs() < 0.1 { "" } else { "s" }
    )
}

/// The player's slowest moves, each of another game.
fn slow_moves(games: &[SeenGame]) -> String {
    let mut slow: Vec<(f64, usize, &SeenGame)> = games
        .iter()
        .filter_map(|game| game.slowest.map(|(ms, number)| (ms, number, game)))
        .collect();
    slow.sort_by(|one, other| other.0.total_cmp(&one.0));
    let mut text = String::from("\nSlowest moves\n");
    if slow.is_empty() {
        text += "  No move was made.\n";
    }
    for (ms, number, game) in slow.into_iter().take(MOST[1]) {
        let time = Duration::try_from_secs_f64(ms / 1000.0).unwrap_or_default();
        let _ = writeln!(
            text,
            "  {}: move {number} of game {} against {}",
            milliseconds(time),
            game.id,
            game.opponent
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use referee_core::samples::{fault, record};
    use sentences::expect;

    use super::*;

    #[test]
    fn moves_and_faults_are_those_of_the_player() {
        use FaultKind::{Illegal, Stall, Time};

        // After one move of the opening, `b` is the first to think: for 1.5, 3.25, 1 and 1 ms.
        let mut game = record(3, "a", "b");
        game.faults = vec![
            fault(3, Side::First, Time, Some(700.0)),
            fault(4, Side::Second, Stall, Some(900.0)),
            fault(6, Side::Second, Illegal, None),
            fault(8, Side::Second, Illegal, None),
        ];
        game.reason = "time".into();
        let [one, other] = Side::BOTH.map(|side| [SeenGame::new(&game, side, Location::default())]);
        for (seen, opponent, lost, slowest, moves) in [
            (
                &one,
                "b",
                None,
                (700.0, 3),
                ["time: 1 random move played", "game 3, move 3: why", ""],
            ),
            (
                &other,
                "a",
                Some(Time),
                (3.25, 4),
                [
                    "illegal: 2 random moves played",
                    "game 3, move 8: why",
                    "stall: 1 random move played",
                ],
            ),
        ] {
            let [game] = seen;
            assert_eq!(
                (&*game.opponent, game.has_lost, game.fault, game.slowest),
                (opponent, lost.is_some(), lost, Some(slowest))
            );
            let text = replaced(seen);
            assert!(moves.iter().all(|part| text.contains(part)), "{text}");
            assert_eq!(text.lines().count(), if lost.is_some() { 2 } else { 1 }, "{text}");
        }
        expect![[r#"

            Slowest moves
              700.000 ms: move 3 of game 3 against b
        "#]]
        .assert_eq(&slow_moves(&one));
    }

    #[test]
    fn the_last_loss_against_each_of_the_weakest_is_reviewed() {
        let lost = |(id, first)| SeenGame::new(&record(id, first, "me"), Side::Second, Location::default());
        let games = [(1, "ann"), (2, "bob"), (3, "ann"), (4, "cem"), (5, "bob")].map(lost);
        let elo = |name: &str| match name {
            "ann" => Some(100.0),
            "bob" => Some(-100.0),
            _ => None,
        };
        let found: Vec<u64> = instructive(&games, elo).iter().map(|(game, _)| game.id).collect();
        assert_eq!(found, [5, 3]);
    }
}
