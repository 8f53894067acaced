//! Where a match goes: the screen, the result file, the PGN file, the page and the transcripts.

use std::fmt::Display;
use std::path::Path;
use std::sync::Arc;

use referee_core::failure::Failure;
use referee_core::game::Ruleset;
use referee_core::io::files::is_full;
use referee_core::io::interrupt::Interrupt;
use referee_core::io::text::{ShowPath, counted, listed};
use referee_core::results::pgn::{self, MatchPgn};
use referee_core::results::transcripts::TranscriptFolder;
use referee_core::results::{Header, Line, MOST_DIFFERENCES, OpenError, ReadFile, Store};
use referee_core::tournament::Tournament;

use super::display::{self, Event, FEW_GAMES, MatchDisplay, OutputMode};
use super::page_writer::{MatchPage, PageRecords, PageWriter};
use super::plan::MatchPlan;
use super::state::{MatchState, lost_file};
use crate::config::cli::{MatchArgs, OutputFormat, RunArgs, StyleArgs};
use crate::config::save;
use crate::interactive::prompt::Prompt;
use crate::report::page::PageFile;

/// The files and the screen of a match.
pub(crate) struct Outputs<'a> {
    args: &'a RunArgs,
    mode: OutputMode,
    style: StyleArgs,
    has_people: bool,
    /// The file of `--html`.
    page: Option<PageFile>,
    /// Whether the page has transcripts.
    shows_transcripts: bool,
    /// The options that `--save-config` saves.
    config: Option<&'a MatchArgs>,
    /// Whether the match is one of several of a command, which shows the progress of all.
    pub is_part: bool,
}

impl<'a> Outputs<'a> {
    /// The outputs of `referee match`. If a person plays, it shows the boards.
    pub fn of_match(args: &'a MatchArgs, plan: &MatchPlan) -> Result<Outputs<'a>, Failure> {
        let (run, has_people) = (&args.run, plan.has_people());
        check_format(args, has_people)?;
        let is_short = plan.tournament.total() <= FEW_GAMES && plan.slots.count() == 1;
        let mode = if has_people || args.board || is_short {
            OutputMode::Boards
        } else {
            OutputMode::Games
        };
        let outputs = Outputs::of_run(run, mode)?;
        Ok(Outputs {
            mode: match args.output {
                _ if has_people => OutputMode::Boards,
                OutputFormat::Cutechess => OutputMode::Cutechess,
                OutputFormat::Referee => outputs.mode,
            },
            style: args.style,
            has_people,
            config: Some(args),
            ..outputs
        })
    }

    /// The outputs of a run that prints this beside the summary, unless the options say otherwise.
    fn of_run(args: &'a RunArgs, mode: OutputMode) -> Result<Outputs<'a>, Failure> {
        Ok(Outputs {
            args,
            mode: match (args.has_events(), args.quiet) {
                (true, false) => OutputMode::Events,
                (true, true) => OutputMode::LastEvent,
                (false, true) => OutputMode::Summary,
                (false, false) => mode,
            },
            style: StyleArgs::default(),
            has_people: false,
            page: args.html.as_deref().map(PageFile::open).transpose()?,
            shows_transcripts: true,
            config: None,
            is_part: false,
        })
    }

    /// The outputs of a match that is one of several.
    pub fn of_part(args: &'a RunArgs) -> Result<Outputs<'a>, Failure> {
        Ok(Outputs {
            is_part: true,
            ..Outputs::of_run(args, OutputMode::Summary)?
        })
    }

    /// The outputs of `referee tune`.
    pub fn of_tuning(args: &'a RunArgs) -> Result<Outputs<'a>, Failure> {
        Outputs::of_run(args, OutputMode::Progress)
    }

    /// The outputs of `referee ladder`: its page is for everybody. They are checked before the submissions are copied
    /// and started.
    pub fn of_ladder(args: &'a RunArgs) -> Result<Outputs<'a>, Failure> {
        if let Some(folder) = &args.faults {
            TranscriptFolder::open(Some(folder), None, args.seed.get())?;
        }
        args.pgn.as_ref().map_or(Ok(()), |pgn| pgn::check(&pgn.path))?;
        Ok(Outputs {
            shows_transcripts: false,
            ..Outputs::of_run(args, OutputMode::Games)?
        })
    }

    /// Whether nothing is shown besides the results.
    pub const fn is_quiet(&self) -> bool {
        self.args.quiet
    }

    /// The screen of a match. Boards are drawn for people, with `--color` or with `--ascii`; otherwise
    /// they are the plain boards of the protocol.
    pub fn screen(&self, rules: Ruleset, header: &Header, tournament: &Tournament) -> MatchDisplay {
        let style = self.style.board_style();
        let is_styled = self.has_people || style.colour || self.style.ascii;
        let style = Some(style).filter(|_| is_styled);
        let mut screen = MatchDisplay::new(rules, tournament.total(), self.mode, style);
        screen.has_moves = self.args.json_moves;
        // Results may change the number of games.
        screen.has_count = !tournament.is_endless() && !header.schedule.format.properties().has_bracket;
        screen.count(tournament);
        if self.has_people || self.is_part {
            screen.stream = None;
        }
        screen
    }

    /// A prompt for the people of the match.
    pub fn open_prompt(&self, interrupt: &Arc<Interrupt>) -> Result<Prompt, Failure> {
        Prompt::open(self.style.board_style(), interrupt)
    }

    /// Writes the file of `--save-config`.
    pub fn save_config(&self) -> Result<(), Failure> {
        self.config.map_or(Ok(()), |args| {
            let path = args.save_config.as_deref();
            path.map_or(Ok(()), |path| save::write(path, &args.saved))
        })
    }

    /// Prints how many games the result file holds already.
    pub fn print_resumed(&self, header: &Header, tournament: &Tournament) -> Result<(), Failure> {
        let (played, games) = (tournament.played(), tournament.total());
        if self.mode == OutputMode::Events {
            let event = Event::Start {
                header,
                games,
                played,
            };
            return Ok(MatchDisplay::event(&event)?);
        }
        let has_text = !self.is_part && !matches!(self.mode, OutputMode::Cutechess | OutputMode::LastEvent);
        if let (Some(path), 1.., true) = (&self.args.out, played, has_text) {
            let rest = if tournament.is_finished() {
                "nothing is left to play; use another --out file to play again"
            } else {
                "resuming"
            };
            // The file of a part has only its own games.
            display::print(&if tournament.is_endless() {
                format!("{} so far; resuming", counted(played as usize, "game"))
            } else {
                format!(
                    "{played} of {} are in {} already; {rest}",
                    counted(games as usize, "game"),
                    path.shown()
                )
            })?;
        }
        Ok(())
    }
}

/// Checks that the output can have the format of another program.
fn check_format(args: &MatchArgs, has_people: bool) -> Result<(), Failure> {
    if args.output == OutputFormat::Referee {
        return Ok(());
    }
    let others = [
        ("--board", args.board),
        ("--quiet", args.run.quiet),
        ("--json", args.run.has_events()),
    ];
    let why = match others.into_iter().find(|(_, is_on)| *is_on) {
        Some((other, _)) => format!("{other} cannot be used with it"),
        None if has_people => "a human player needs the boards".into(),
        None => return Ok(()),
    };
    Err(Failure::Usage(format!("--output cutechess: {why}")))
}

/// The files of a match in progress.
pub(super) struct Files {
    page: Option<PageWriter>,
    pgn: MatchPgn,
}

impl Files {
    /// Opens all files, and enters the games of the result file. Returns the state of the match.
    pub fn open(
        outputs: &mut Outputs<'_>,
        header: &Header,
        mut state: MatchState,
        read: Option<ReadFile>,
    ) -> Result<(TranscriptFolder, Files, MatchState), Failure> {
        let RunArgs {
            out,
            pgn,
            faults,
            seed,
            ..
        } = outputs.args;
        let transcripts = TranscriptFolder::open(faults.as_deref(), out.as_deref(), seed.get())?;
        let page = outputs.page.take();
        // A page is made from a result file.
        let temporary = page
            .as_ref()
            .filter(|_| out.is_none())
            .map(|_| PageRecords::new());
        let temporary = temporary.transpose()?;
        let out = out
            .clone()
            .or_else(|| temporary.as_ref().map(|file| file.path.clone()));
        let page = page.zip(out.clone()).map(|(file, results)| MatchPage {
            file,
            results,
            rules: state.rules(),
            folders: outputs.shows_transcripts.then(|| transcripts.folders()),
            _temporary: temporary,
        });
        let store = out.map(|path| open_store(&path, read, header, &mut state));
        let store = store.transpose()?;
        let pgn = pgn.as_ref().map(|pgn| pgn.path.as_path());
        let (store, mut pgn) = MatchPgn::open(pgn, store, header, state.rules())?;
        state.store = store;
        state.pgn = pgn.game_by_game.take();
        let page = page.map(PageWriter::start).transpose()?;
        let (page, finished) = page.unzip();
        state.finished = finished;
        Ok((transcripts, Files { page, pgn }, state))
    }

    /// Writes what is written at the end of a match.
    pub fn end(self) -> Result<(), Failure> {
        let exported = self.pgn.write();
        exported.and(self.page.map_or(Ok(()), PageWriter::end))
    }
}

/// Why a ladder does not go on with other options than before.
pub(super) fn other_options(found: &[String]) -> String {
    format!(
        "the ladder was played with other options: {}. Use the same options, or a new file",
        listed(found, MOST_DIFFERENCES, "; ")
    )
}

/// Opens the result file, and enters the games that it holds, unless it has been read.
fn open_store(
    path: &Path,
    read: Option<ReadFile>,
    header: &Header,
    state: &mut MatchState,
) -> Result<Store, Failure> {
    let failure = |error: &dyn Display| Failure::Usage(format!("--out {}: {error}", path.shown()));
    let opened = match read {
        Some(read) => Store::resume(read, header),
        None => Store::open(path, header, |line| state.enter(&line)),
    };
    let is_ladder = !header.schedule.stages.is_empty();
    let (mut store, end) = opened.map_err(|error| match error {
        // The path was right in earlier runs.
        OpenError::Io(error) if is_ladder && is_full(&error) => lost_file(&error),
        OpenError::Different(found) if is_ladder => failure(&other_options(&found)),
        error => failure(&error),
    })?;
    let tournament = &mut state.tournament;
    match (end, tournament.verdict()) {
        // The test had decided, but a crash came before its line was written.
        (None, Some(verdict)) => {
            let end = Line::Sprt(verdict.clone());
            store.append(&end).map_err(|error| failure(&error))?;
        }
        (Some(_), None) => tournament.end_test_undecided(),
        _ => {}
    }
    let plays = !tournament.is_finished();
    store
        .note_programs(header, plays)
        .map_err(|error| failure(&error))?;
    Ok(store)
}
