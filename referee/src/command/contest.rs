//! `referee match`: two players, engines or people, play the games of a
//! schedule.

use std::cell::RefCell;
use std::io::ErrorKind;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use super::{check_setup, install_interrupt, open_table, setup_or_default, shown};
use crate::arbiter::{self, Finished, Stopped};
use crate::cli::MatchArgs;
use crate::clock::{Control, TimeControl};
use crate::config;
use crate::failure::Failure;
use crate::games::sparring_partner;
use crate::hand::human::{Human, Sitter, seats};
use crate::hand::table::SharedTable;
use crate::interrupt::{Interrupt, Signal};
use crate::openings::Openings;
use crate::player::Engine;
use crate::results::{Header, Record, Store};
use crate::roster::{self, Contestant, start};
use crate::schedule::{Game, Schedule};
use crate::settings::{HUMAN, Settings};
use crate::show::{Detail, GameView, Look, Screen};
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
    let (schedule, openings) = schedule(args)?;
    let contestants = roster::resolve(&settings(args)?, args.variant)?;
    let [one, other] = contestants.as_slice() else {
        let count = contestants.len();
        return Err(Failure::Usage(format!(
            "a match is between two engines; {count} named"
        )));
    };
    let (sitters, controls) = sit_down([one, other], args, &interrupt)?;
    let mut seats = Seats { sitters, controls };
    config::save(args)?;
    let store = match &args.out {
        Some(path) => Some(create_store(path, &Header::new(&schedule, &contestants))?),
        None => None,
    };
    let names = [one, other].map(|contestant| contestant.name.clone());
    let has_people = contestants.iter().any(|contestant| contestant.spec.is_none());
    let mut contest = Contest {
        schedule,
        openings,
        store,
        screen: Screen::stdout(detail(args, has_people), look(args, has_people)),
        tally: Tally::new(names.clone()),
        names,
    };
    let played = contest.play_all(&mut seats, &interrupt);
    contest.close(&seats)?;
    played?;
    Engine::dismiss(seats.sitters.into_iter().filter_map(Sitter::into_engine));
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
    let mut engines = config::submissions::players(&args.submissions, &each)?;
    engines.extend(args.engines.iter().map(|cmd| Settings::of_program(cmd)));
    for list in &args.engine {
        engines.push(parse("--engine", list)?);
    }
    if engines.is_empty() {
        each.time.get_or_insert(TimeControl::Move(DEMONSTRATION_TIME));
        engines = ["lodestone", sparring_partner(args.variant)]
            .map(Settings::of_program)
            .into();
    }
    for person in engines.iter().filter(|engine| engine.is_human()) {
        if let Some(key) = person.key_of_programs() {
            return Err(Failure::Usage(format!(
                "`{key}` means nothing for a person; a program of the name {HUMAN} is `./{HUMAN}`"
            )));
        }
    }
    Ok(engines.into_iter().map(|engine| engine.or(&each)).collect())
}

/// Starts the engines and gives the people their places, at one keyboard.
fn sit_down(
    contestants: [&Contestant; 2],
    args: &MatchArgs,
    interrupt: &Arc<Interrupt>,
) -> Result<([Sitter; 2], [Control; 2]), Failure> {
    let mut shared: Option<SharedTable> = None;
    let mut sit = |contestant: &Contestant| -> Result<Sitter, Failure> {
        if let Some(spec) = &contestant.spec {
            return Ok(Sitter::Engine(Box::new(start(spec, args.variant, interrupt)?)));
        }
        let table = if let Some(table) = &shared {
            Rc::clone(table)
        } else {
            let table = open_table(args.look, interrupt)?;
            Rc::clone(shared.insert(Rc::new(RefCell::new(table))))
        };
        Ok(Sitter::Human(Human::new(
            contestant.name.clone(),
            args.variant,
            table,
        )))
    };
    let [one, other] = contestants;
    let sitters = [sit(one)?, sit(other)?];
    Ok((sitters, contestants.map(|contestant| contestant.control.clone())))
}

/// How boards are drawn: marked where there are people or colours, plainly
/// otherwise.
fn look(args: &MatchArgs, has_people: bool) -> Option<Look> {
    let look = Look::new(args.look);
    (has_people || look.colour || args.look.ascii).then_some(look)
}

fn schedule(args: &MatchArgs) -> Result<(Schedule, Openings), Failure> {
    check_setup(args.setup, args.variant)?;
    let schedule = Schedule {
        variant: args.variant,
        games: args.games,
        setup: setup_or_default(args.setup),
        openings: args.openings.clone(),
        seed: args.seed,
    };
    let openings = schedule
        .openings()
        .map_err(|error| Failure::Usage(format!("--openings: {error}")))?;
    for note in openings.notes() {
        log::warn!("--openings: {note}");
    }
    Ok((schedule, openings))
}

/// How much is shown. A person sees the board, whatever else is wanted.
fn detail(args: &MatchArgs, has_people: bool) -> Detail {
    if has_people {
        Detail::Boards
    } else if args.quiet {
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

/// Who plays, one game at a time, always the same processes.
struct Seats {
    sitters: [Sitter; 2],
    controls: [Control; 2],
}

impl Seats {
    fn play(&mut self, game: &Game, view: &mut GameView<'_>) -> Result<Finished, Stopped> {
        let mut seats = seats(&mut self.sitters, &self.controls);
        if game.seats != [0, 1] {
            seats.reverse();
        }
        arbiter::play(&game.opening, &mut seats, view)
    }
}

/// A match, and what has come of it so far.
struct Contest {
    schedule: Schedule,
    openings: Openings,
    names: [String; 2],
    screen: Screen,
    store: Option<Store>,
    tally: Tally,
}

impl Contest {
    fn play_all(&mut self, seats: &mut Seats, interrupt: &Interrupt) -> Result<(), Failure> {
        for id in 1..=self.schedule.games {
            if let Some(signal) = interrupt.caught() {
                return Err(Failure::Interrupted(signal));
            }
            self.play_one(id, seats)?;
            for sitter in &mut seats.sitters {
                if let Some(error) = sitter.take_log_error() {
                    return Err(Failure::Output(format!(
                        "stderr of an engine cannot be saved: {error}"
                    )));
                }
            }
        }
        Ok(())
    }

    fn play_one(&mut self, id: u64, seats: &mut Seats) -> Result<(), Failure> {
        let game = self
            .schedule
            .game(id, &mut self.openings)
            .map_err(|error| Failure::Usage(error.to_string()))?;
        let names = game.seats.map(|seat| self.names[seat].as_str());
        let title = format!("Game {id} of {}", self.schedule.games);
        let mut view = shown(self.screen.game(title, self.schedule.variant, names))?;
        let finished = seats.play(&game, &mut view).map_err(failure_of)?;
        if let Some(store) = &mut self.store {
            let record = Record::new(&self.schedule, &game, names, &finished);
            store.append(&record).map_err(|error| lost_file(&error))?;
        }
        self.tally.add(game.seats, &finished.verdict);
        shown(view.ends(&finished, names))
    }

    /// The final score, of a match that was cut short as well.
    fn close(&mut self, seats: &Seats) -> Result<(), Failure> {
        let strays = self.names.iter().zip(
            seats
                .sitters
                .each_ref()
                .map(|sitter| sitter.engine().map_or(0, Engine::strays)),
        );
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
        // A match that a person leaves is cut short, as by Ctrl-C.
        Stopped::Quit => Failure::Interrupted(Signal::Interrupt),
        Stopped::Broken(error) => Failure::of_terminal(&error),
    }
}
