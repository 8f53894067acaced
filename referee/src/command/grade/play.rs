//! What a submission does: its checks, and its games against the opponents of the rubric, by the code of `referee check`
//! and `referee match`.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use lodestone_game::board::Side;
use referee_core::failure::{Failure, Stop};
use referee_core::io::files::no_temporary_folder;
use referee_core::io::interrupt::Interrupt;
use referee_core::io::text::{ShowPath, printable};
use referee_core::player::Engine;
use referee_core::player::verdict::{FaultKind, OtherEnd, Reason};
use referee_core::results::archive;
use referee_core::results::transcripts::{FailedGame, folder_beside};
use referee_core::results::{Line, Record};

use super::facts::{CheckFact, Facts, MatchFacts};
use super::rubric::{Opponent, Rubric, file_name};
use crate::bots::check::report::{CheckOutcome, CheckReport, HANDSHAKE};
use crate::bots::check::{self, BotSession, Check, CheckLevel, Starts};
use crate::bots::missing;
use crate::command::check_all;
use crate::command::fault_text::{Author, about};
use crate::config::cli::{GameArgs, MatchArgs};
use crate::config::roster::{self, Contestant};
use crate::config::settings::Settings;
use crate::config::submissions;
use crate::feedback::{check_command, error_lines, error_text, is_of_package, of_copy};
use crate::matches::plan::sandboxed;
use crate::matches::{MatchPlan, Outputs, play};
use crate::report::Summary;
use crate::terminal::progress::Task;

/// The name of a submission in its games.
pub(super) const NAME: &str = "your bot";

/// How often games are played again because an opponent committed a fault: each time in a folder of its own.
const REPLAYS: [&str; 2] = ["again", "again-2"];

/// Why there are no facts about a submission.
pub(super) enum NoFacts {
    /// The submission gets no grade: the fault is that of the course or of the machine.
    NoGrade(String),
    /// The command ends.
    Ended(Failure),
}

impl From<Failure> for NoFacts {
    fn from(failure: Failure) -> NoFacts {
        match failure {
            Failure::Stopped(Stop::Signal(_) | Stop::Broken(_)) | Failure::Output(_) => {
                NoFacts::Ended(failure)
            }
            failure => NoFacts::NoGrade(failure.to_string()),
        }
    }
}

fn no_grade<T>(why: impl Into<String>) -> Result<T, NoFacts> {
    Err(NoFacts::NoGrade(why.into()))
}

/// A fault of an opponent. A submission can cause it, by keeping the processors busy, and must not win by it.
enum Played {
    Facts(MatchFacts),
    StaffFault(String),
}

/// A submission that plays.
struct Entrant<'a> {
    player: &'a Settings,
    /// Where its games are kept.
    games: &'a Path,
    author: Author<'a>,
}

/// The conditions under which all submissions play.
pub(super) struct Course<'a> {
    pub rubric: &'a Rubric,
    pub game: GameArgs,
    /// The options of the matches, as those of a match without players.
    pub args: &'a MatchArgs,
    pub starts: Starts,
    pub interrupt: Arc<Interrupt>,
}

impl<'a> Course<'a> {
    /// The course of a rubric, whose rules have been loaded into `args`.
    pub fn new(
        rubric: &'a Rubric,
        args: &'a MatchArgs,
        interrupt: &Arc<Interrupt>,
    ) -> Result<Course<'a>, Failure> {
        let game = args.run.game.clone();
        let starts = check_all::starts(game.variant, args.run.openings.as_ref())?;
        Ok(Course {
            rubric,
            game,
            args,
            starts,
            interrupt: Arc::clone(interrupt),
        })
    }

    /// The command that checks a submission on the student's machine.
    pub fn command(&self) -> String {
        check_command(
            &self.game,
            self.args.run.openings.as_ref(),
            self.args.run.each.as_ref(),
            self.rubric.wrapper.as_deref(),
        )
    }

    /// A player with the settings of [match.each].
    fn contestant(&self, player: &Settings) -> Result<Contestant, Failure> {
        let run = &self.args.run;
        let player = submissions::with_wrapper(player.clone(), self.rubric.wrapper.as_deref());
        let player = player.or(&run.each.clone().unwrap_or_default());
        let players = sandboxed(run, [player].into_iter())?;
        let contestants = roster::resolve_or_skip(&players, self.game.variant)?;
        contestants
            .into_iter()
            .next()
            .ok_or_else(|| Failure::Usage("there is no player".into()))
    }

    /// Runs these checks on a player.
    fn check(&self, player: &Contestant, selected: &[&'static Check]) -> Result<Vec<CheckReport>, Failure> {
        let Some(spec) = player.spec.clone() else {
            return Err(Failure::Start(player.broken.clone().unwrap_or_default()));
        };
        let mut session = BotSession::new(
            spec,
            self.starts.clone(),
            Arc::clone(&self.interrupt),
            Rc::new(Task::hidden()),
            check_all::terms_of(player),
        );
        let mut reports = Vec::new();
        let (_, stopped) = check::run(&mut session, selected, |report| {
            reports.push(report.clone());
            Ok(())
        });
        session.end();
        stopped.map_or(Ok(reports), |stop| Err(stop.into()))
    }

    /// Checks that the course works: its rules, options and opponents. Returns the number of moves of a random game.
    pub fn test(&self) -> Result<usize, Failure> {
        let folder = tempfile::tempdir().map_err(|error| Failure::Output(no_temporary_folder(&error)))?;
        let out = folder.path().join("random.jsonl");
        let names = ["a", "b"].map(|name| Settings {
            name: Some(name.into()),
            ..Settings::of_program("random")
        });
        let (_, records) = self.games(&names, 2, &out)?;
        let moves = records
            .iter()
            .map(|record| record.moves.len() - record.opening_plies.min(record.moves.len()));
        let startpos = check::select(&["startpos".into()]).map_err(Failure::Usage)?;
        for opponent in &self.rubric.opponents {
            let Opponent { name, settings, .. } = opponent;
            let wrong = |why: &str| Failure::Start(format!("the opponent `{name}` cannot play: {why}"));
            let player = self.contestant(settings)?;
            let reports = self.check(&player, &startpos).map_err(|failure| match failure {
                Failure::Start(why) => wrong(&why),
                failure => failure,
            })?;
            for report in &reports {
                if let CheckOutcome::Failed(finding) = &report.outcome {
                    let lines = error_lines(&finding.stderr);
                    let lines = lines.iter().fold(String::new(), |text, line| {
                        text + "\n  " + &printable(line, usize::MAX)
                    });
                    return Err(wrong(&format!("{}{lines}", finding.sentence())));
                }
            }
        }
        Ok(moves.max().unwrap_or_default())
    }

    /// The match of two players, and its records.
    fn games(
        &self,
        players: &[Settings; 2],
        games: u64,
        out: &Path,
    ) -> Result<(Summary, Vec<Record>), Failure> {
        let words = [OsString::from(format!("--games={games}"))];
        let mut args = self.rubric.match_args(&words)?;
        args.run.game = self.game.clone();
        args.run.engine = players.to_vec();
        args.run.out = Some(out.to_path_buf());
        // Only where one of the two needs it.
        let plan = MatchPlan::of_match(&args).or_else(|failure| match failure {
            Failure::Usage(_) if args.wrapper.wrapper.take().is_some() => MatchPlan::of_match(&args),
            failure => Err(failure),
        })?;
        let outputs = Outputs::of_part(&args.run)?;
        let mut end = play(plan, outputs, &self.interrupt)?;
        end.result?;
        let (tournament, _) = end.state.shown();
        let summary = Summary::new(&end.header, tournament);
        let mut records = Vec::new();
        for one in archive::read(&[out.to_path_buf()])? {
            one.lines(&mut |line, _| {
                if let Line::Record(record) = line {
                    records.push(*record);
                }
                Ok(())
            })?;
        }
        records.sort_by_key(|record| record.id);
        Ok((summary, records))
    }

    /// What is found about a submission: `player` starts the copy of it in `folder`, and its games are kept in `games`.
    pub fn facts_of(
        &self,
        player: Result<Settings, String>,
        folder: &Path,
        games: &Path,
    ) -> Result<Facts, NoFacts> {
        let player = match player {
            Ok(player) => player,
            Err(why) => return Ok(self.unplayed(&why, &why, folder)),
        };
        let contestant = self.contestant(&player)?;
        if let Some(why) = &contestant.broken {
            if contestant.lacks_program {
                return no_grade(of_copy(why, folder));
            }
            return Ok(self.unplayed(why, why.lines().next().unwrap_or_default(), folder));
        }
        let selected = check::select(&self.rubric.checks).map_err(NoFacts::NoGrade)?;
        let reports = self.check(&contestant, &selected)?;
        let entrant = Entrant {
            player: &player,
            games,
            author: Author {
                name: NAME,
                folder,
                is_plain: is_of_package(folder) || self.rubric.wrapper.as_deref().is_some_and(is_of_package),
            },
        };
        let mut facts = Facts {
            passes: true,
            ..Facts::default()
        };
        let (mut starts, mut undecided) = (true, Vec::new());
        for report in &reports {
            let is_required = report.check.level == CheckLevel::Required;
            if let (CheckOutcome::Undecided(why), true) = (&report.outcome, is_required) {
                undecided.push((report.check.name, why));
            }
            if let CheckOutcome::Failed(finding) = &report.outcome {
                facts.passes &= !is_required;
                if report.check.name == HANDSHAKE {
                    starts = false;
                    let wrapper = player.wrapper.as_deref();
                    let lacks = missing::program(&finding.stderr);
                    if let Some(name) = lacks.filter(|name| missing::is_of_machine(name, wrapper)) {
                        return no_grade(format!("the program `{name}` is not installed on this machine"));
                    }
                    let error = error_lines(&finding.stderr)
                        .last()
                        .map(|line| line.trim().to_string());
                    facts.cause = Some(error.unwrap_or_else(|| finding.sentence()));
                }
            }
            facts.report += &text_of(report, &entrant.author);
            facts.checks.push(fact_of(report));
        }
        facts.report = of_copy(&facts.report, folder);
        if !facts.passes {
            let _ = write!(
                facts.report,
                "\nTo try it on your machine, with the files of the course:\n  {}\n",
                self.command()
            );
        }
        for opponent in &self.rubric.opponents {
            facts.matches.push(if starts {
                self.against(opponent, &entrant)?
            } else {
                let why = "Your bot does not start, so it has not played: see the first test.\n";
                MatchFacts::unplayed(&opponent.name, why)
            });
        }
        if let Some((check, why)) = undecided.first() {
            // Games are played again when the machine was busy, and at last they count.
            let late = [FaultKind::Time, FaultKind::Stall];
            if !facts
                .matches
                .iter()
                .any(|found| late.iter().any(|kind| found.faults.contains_key(kind)))
            {
                return no_grade(format!("the check `{check}` has no result: {why}"));
            }
            facts.passes = false;
        }
        Ok(facts)
    }

    /// The facts about a submission that cannot be started.
    fn unplayed(&self, why: &str, cause: &str, folder: &Path) -> Facts {
        let report = format!(
            "Your bot cannot be started: {}\n\nTo try it on your machine, with the files of the course:\n  {}\n",
            of_copy(why, folder),
            self.command()
        );
        let cause = of_copy(cause, folder);
        without_games(
            self.rubric,
            &report,
            &cause,
            "Your bot does not start, so it has not played: see the first test.\n",
        )
    }

    /// The games against an opponent; again, the same ones, if that commits a fault.
    fn against(&self, opponent: &Opponent, entrant: &Entrant<'_>) -> Result<MatchFacts, NoFacts> {
        let games = entrant.games;
        let folders = std::iter::once(games.to_path_buf()).chain(REPLAYS.map(|name| games.join(name)));
        let mut last = String::new();
        for (number, place) in folders.enumerate() {
            match self.played(opponent, entrant, &place)? {
                Played::Facts(facts) => return Ok(facts),
                Played::StaffFault(why) => {
                    if number < REPLAYS.len() {
                        log::warn!("games against {} are replayed: {why}", opponent.name);
                    }
                    last = why;
                }
            }
        }
        no_grade(last)
    }

    /// The games against an opponent, which are kept in a folder.
    fn played(&self, opponent: &Opponent, entrant: &Entrant<'_>, games: &Path) -> Result<Played, NoFacts> {
        fs::create_dir_all(games).map_err(|error| Failure::Output(format!("{}: {error}", games.shown())))?;
        let out = games.join(format!("{}.jsonl", file_name(&opponent.name)));
        let players = [entrant.player.clone(), opponent.settings.clone()];
        let (summary, records) = match self.games(&players, opponent.games, &out) {
            Ok(found) => found,
            Err(Failure::Start(why)) => return self.not_started(opponent, &why, entrant.author.folder),
            Err(failure) => return Err(failure.into()),
        };
        let own = summary.players.iter().find(|player| player.name == NAME);
        let mut facts = own.map_or_else(MatchFacts::default, |own| MatchFacts {
            wins: own.games.wins,
            ties: own.games.draws,
            losses: own.games.losses,
            longest_ms: own.longest_ms,
            lost_by_fault: own.faults.values().sum(),
            ..MatchFacts::default()
        });
        facts.opponent.clone_from(&opponent.name);
        let header = archive::read(std::slice::from_ref(&out))
            .map_err(Failure::from)?
            .pop()
            .map(|one| one.header);
        let transcripts = folder_beside(&out);
        for (record, fault) in records
            .iter()
            .flat_map(|record| record.faults.iter().map(move |fault| (record, fault)))
        {
            if record.name(fault.player) != NAME {
                let transcript =
                    FailedGame::of(&record.into()).map(|game| transcripts.join(game.file_name()));
                let place = transcript.filter(|path| path.is_file()).unwrap_or(out);
                return Ok(Played::StaffFault(format!(
                    "{}, see {}",
                    fault.detail.shown(),
                    place.shown()
                )));
            }
            let entry = facts.faults.entry(fault.kind).or_default();
            entry.count += 1;
            if entry.first.is_empty() {
                entry.first = about(
                    &entrant.author,
                    record,
                    fault,
                    (header.as_ref(), self.game.variant),
                    &transcripts,
                )?;
            }
        }
        facts.only_resigned = records.iter().all(|record| {
            Reason::of(record.reason.raw()) == Reason::Other(OtherEnd::Resign) && !has_moved(record)
        });
        Ok(Played::Facts(facts))
    }

    /// A match whose players did not both start: the opponent is tried alone.
    fn not_started(&self, opponent: &Opponent, why: &str, folder: &Path) -> Result<Played, NoFacts> {
        let staff = self.contestant(&opponent.settings)?;
        let spec = staff.spec.ok_or_else(|| NoFacts::NoGrade(why.to_string()))?;
        match roster::start(&spec, self.game.variant, &self.interrupt) {
            Ok(engine) => Engine::dismiss([engine])?,
            Err(failure) => return Err(failure.into()),
        }
        Ok(Played::Facts(MatchFacts::unplayed(
            &opponent.name,
            &format!("{}\n", of_copy(why, folder)),
        )))
    }
}

/// Whether the submission has made a move of its own.
fn has_moved(record: &Record) -> bool {
    let own = Side::BOTH.into_iter().find(|side| record.name(*side) == NAME);
    let movers = record.movers().unwrap_or_default().into_iter();
    movers.skip(record.opening_plies).any(|side| Some(side) == own)
}

/// The facts about a submission that does not play.
pub(super) fn without_games(rubric: &Rubric, report: &str, cause: &str, problem: &str) -> Facts {
    let matches = rubric
        .opponents
        .iter()
        .map(|opponent| MatchFacts::unplayed(&opponent.name, problem));
    Facts {
        report: report.into(),
        cause: Some(cause.into()),
        matches: matches.collect(),
        ..Facts::default()
    }
}

fn fact_of(report: &CheckReport) -> CheckFact {
    let (status, problem) = match &report.outcome {
        CheckOutcome::Passed(_) => ("passed", None),
        CheckOutcome::Failed(finding) => ("failed", Some(finding.sentence())),
        CheckOutcome::Skipped(why) => ("skipped", Some(why.clone())),
        CheckOutcome::Undecided(why) => ("skipped", Some(why.to_string())),
        CheckOutcome::NotRun(_) => ("skipped", None),
    };
    CheckFact {
        check: report.check.name.into(),
        level: report.check.level.word().into(),
        status: status.into(),
        problem,
        ms: report.took.as_micros() as f64 / 1000.0,
    }
}

/// What the author of a bot reads about a check.
fn text_of(report: &CheckReport, author: &Author<'_>) -> String {
    let is_plain = author.is_plain;
    let name = report.check.name;
    match &report.outcome {
        CheckOutcome::Passed(None) => format!("{name}: passed\n"),
        CheckOutcome::Passed(Some(_)) if is_plain => format!("{name}: passed\n"),
        CheckOutcome::Passed(Some(remark)) => format!("{name}: passed: {remark}\n"),
        CheckOutcome::Skipped(why) => format!("{name}: skipped: {why}\n"),
        CheckOutcome::Undecided(why) => format!("{name}: skipped: {why}\n"),
        CheckOutcome::NotRun(failed) => format!("{name}: skipped: not run, because `{failed}` failed\n"),
        CheckOutcome::Failed(finding) => {
            let plain = finding.plain.clone().filter(|_| is_plain);
            let problem = plain.unwrap_or_else(|| finding.sentence());
            let mut text = format!("{name}: failed: {}\n", printable(&problem, usize::MAX));
            if !is_plain {
                let _ = writeln!(text, "  expected: {}", printable(&finding.expected, usize::MAX));
            }
            text += &error_text(&finding.stderr, author.folder);
            if let Some(position) = &finding.fen {
                let _ = writeln!(text, "  position: {}", printable(position, usize::MAX));
            }
            text
        }
    }
}
