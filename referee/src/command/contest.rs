//! `referee match`: two engines play the games of a schedule.

use std::io::ErrorKind;
use std::path::Path;
use std::time::Duration;

use super::{check_setup, install_interrupt, setup_or_default, shown, start};
use crate::arbiter::{self, Finished, Seat, Stopped};
use crate::cli::MatchArgs;
use crate::clock::{Control, TimeControl};
use crate::failure::Failure;
use crate::games::sparring_partner;
use crate::interrupt::Interrupt;
use crate::player::{Engine, HUMAN};
use crate::results::{Header, Record, Store};
use crate::roster;
use crate::schedule::{Game, Schedule};
use crate::settings::Settings;
use crate::show::{Detail, GameView, Screen, labels};
use crate::tally::Tally;

/// Up to so many games are shown move by move.
const FEW_GAMES: u64 = 2;

/// The time for a move where no engine is named: a newcomer watches and waits
/// for both sides.
const DEMONSTRATION_TIME: Duration = Duration::from_millis(200);

/// Plays a match.
///
/// # Errors
/// Where it cannot begin or does not come to its end. Whoever loses, and why,
/// is no error.
pub fn run(args: &MatchArgs) -> Result<(), Failure> {
    let interrupt = install_interrupt()?;
    let schedule = schedule(args)?;
    let contestants = roster::resolve(&settings(args)?, args.variant)?;
    let [one, other] = contestants.as_slice() else {
        let count = contestants.len();
        return Err(Failure::Usage(format!(
            "a match is between two engines; {count} named"
        )));
    };
    let mut table = Table {
        engines: [
            start(one, args.variant, &interrupt)?,
            start(other, args.variant, &interrupt)?,
        ],
        controls: [one, other].map(|contestant| contestant.control.clone()),
    };
    let store = match &args.out {
        Some(path) => Some(create_store(path, &Header::new(&schedule, &contestants))?),
        None => None,
    };
    let names = [one, other].map(|contestant| contestant.spec.name.clone());
    let mut contest = Contest {
        schedule,
        store,
        screen: Screen::stdout(detail(args)),
        tally: Tally::new(names.clone()),
        names,
    };
    let played = contest.play_all(&mut table, &interrupt);
    contest.close(&table)?;
    played?;
    Engine::dismiss(table.engines);
    Ok(())
}

/// What the user said of the two engines.
fn settings(args: &MatchArgs) -> Result<Vec<Settings>, Failure> {
    let parse = |option: &str, list: &str| {
        Settings::parse(list).map_err(|error| Failure::Usage(format!("{option}: {error}")))
    };
    let mut each = match &args.each {
        Some(list) => parse("--each", list)?,
        None => Settings::default(),
    };
    let mut engines: Vec<Settings> = args.engines.iter().map(|cmd| Settings::of_program(cmd)).collect();
    for list in &args.engine {
        engines.push(parse("--engine", list)?);
    }
    if engines.is_empty() {
        each.time.get_or_insert(TimeControl::Move(DEMONSTRATION_TIME));
        engines = ["lodestone", sparring_partner(args.variant)]
            .map(Settings::of_program)
            .into();
    }
    let engines: Vec<Settings> = engines.into_iter().map(|engine| engine.or(&each)).collect();
    if engines.iter().any(|engine| engine.cmd.as_deref() == Some(HUMAN)) {
        return Err(Failure::Usage(format!(
            "a person plays with `referee play`; a program of that name is `./{HUMAN}`"
        )));
    }
    Ok(engines)
}

fn schedule(args: &MatchArgs) -> Result<Schedule, Failure> {
    check_setup(args.setup, args.variant)?;
    let schedule = Schedule {
        variant: args.variant,
        games: args.games,
        setup: setup_or_default(args.setup),
        openings: args.openings,
        seed: args.seed,
    };
    // What holds for the first opening holds for all: they are drawn alike.
    schedule
        .game(1)
        .map_err(|error| Failure::Usage(format!("--openings: {error}")))?;
    Ok(schedule)
}

fn detail(args: &MatchArgs) -> Detail {
    if args.quiet {
        Detail::Summary
    } else if args.board || args.games <= FEW_GAMES {
        Detail::Boards
    } else {
        Detail::Games
    }
}

fn create_store(path: &Path, header: &Header) -> Result<Store, Failure> {
    let failure = |error: std::io::Error| {
        let hint = match error.kind() {
            ErrorKind::AlreadyExists => "; a result file is never written over",
            _ => "",
        };
        Failure::Usage(format!("--out {}: {error}{hint}", path.display()))
    };
    let mut store = Store::create(path).map_err(failure)?;
    store.append(header).map_err(|error| {
        // Nothing is in it that anybody could miss.
        let _ = std::fs::remove_file(path);
        failure(error)
    })?;
    Ok(store)
}

/// Where games are played, one at a time, by the same two processes.
struct Table {
    engines: [Engine; 2],
    controls: [Control; 2],
}

impl Table {
    fn play(&mut self, game: &Game, view: &mut GameView<'_>) -> Result<Finished, Stopped> {
        let [one, other] = &mut self.engines;
        let [one_control, other_control] = &self.controls;
        let mut seats = [
            Seat {
                player: one,
                control: one_control,
            },
            Seat {
                player: other,
                control: other_control,
            },
        ];
        if game.seats != [0, 1] {
            seats.reverse();
        }
        arbiter::play(&game.opening, &mut seats, view)
    }
}

/// A match, and what has come of it so far.
struct Contest {
    schedule: Schedule,
    names: [String; 2],
    screen: Screen,
    store: Option<Store>,
    tally: Tally,
}

impl Contest {
    fn play_all(&mut self, table: &mut Table, interrupt: &Interrupt) -> Result<(), Failure> {
        for id in 1..=self.schedule.games {
            if let Some(signal) = interrupt.caught() {
                return Err(Failure::Interrupted(signal));
            }
            self.play_one(id, table)?;
            for engine in &mut table.engines {
                if let Some(error) = engine.take_log_error() {
                    return Err(Failure::Output(format!(
                        "stderr of an engine cannot be saved: {error}"
                    )));
                }
            }
        }
        Ok(())
    }

    fn play_one(&mut self, id: u64, table: &mut Table) -> Result<(), Failure> {
        let game = self
            .schedule
            .game(id)
            .map_err(|error| Failure::Usage(error.to_string()))?;
        let names = game.seats.map(|seat| self.names[seat].as_str());
        let title = format!("Game {id} of {}", self.schedule.games);
        let labels = labels(names, game.opening.position.diagram().signs);
        let mut view = shown(self.screen.game(title, labels))?;
        let finished = table.play(&game, &mut view).map_err(failure_of)?;
        if let Some(store) = &mut self.store {
            let record = Record::new(&self.schedule, &game, names, &finished);
            store.append(&record).map_err(|error| lost_file(&error))?;
        }
        self.tally.add(game.seats, &finished.verdict);
        shown(view.ends(&finished, names))
    }

    /// The final score, of a match that was cut short as well.
    fn close(&mut self, table: &Table) -> Result<(), Failure> {
        let strays = self
            .names
            .iter()
            .zip(table.engines.each_ref().map(Engine::strays));
        let strays = strays.filter(|(_, count)| *count > 0);
        let text = strays.fold(self.tally.to_string(), |text, (name, count)| {
            format!("{text}\nLines that {name} wrote out of turn: {count}")
        });
        let saved = self.store.as_ref().map_or(Ok(()), Store::sync);
        shown(self.screen.print(&text))?;
        saved.map_err(|error| lost_file(&error))
    }
}

fn lost_file(error: &std::io::Error) -> Failure {
    Failure::Output(format!("the result file cannot be written any more: {error}"))
}

fn failure_of(stopped: Stopped) -> Failure {
    match stopped {
        Stopped::Interrupted(signal) => Failure::Interrupted(signal),
        Stopped::Quit => Failure::Usage("a player left".into()),
        Stopped::Broken(error) => Failure::of_terminal(&error),
    }
}
