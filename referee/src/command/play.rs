//! `referee play`: a game by hand.

use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use lodestone::board::Side;
use lodestone::game::gridlock::{MAX_PIECES, MAX_TURNS};
use lodestone::game::{Setup, Variant};
use lodestone::personality::DEFAULT;

use super::{check_setup, install_interrupt, shown, start};
use crate::arbiter::{self, Seat, Stopped};
use crate::cli::PlayArgs;
use crate::clock::{Control, TimeControl};
use crate::console::{Console, Leave};
use crate::failure::Failure;
use crate::games::has_setup;
use crate::interrupt::Interrupt;
use crate::player::{Engine, HUMAN, Human, Player};
use crate::roster;
use crate::schedule::Schedule;
use crate::settings::Settings;
use crate::show::{Detail, Screen, labels};

/// Plays one game by hand.
///
/// # Errors
/// Where it cannot begin, or a signal ends it. Leaving early is no error.
pub fn run(args: &PlayArgs) -> Result<(), Failure> {
    match agree_and_play(args) {
        Ok(()) | Err(End::Left) => Ok(()),
        Err(End::Failed(failure)) => Err(failure),
    }
}

/// Why a session ends before its game does.
enum End {
    /// The person left.
    Left,
    /// Something went wrong.
    Failed(Failure),
}

impl From<Failure> for End {
    fn from(failure: Failure) -> End {
        End::Failed(failure)
    }
}

impl From<Leave> for End {
    fn from(leave: Leave) -> End {
        match leave {
            Leave::Quit => End::Left,
            Leave::Interrupted(signal) => End::Failed(Failure::Interrupted(signal)),
            Leave::Broken(error) => End::Failed(Failure::of_terminal(&error)),
        }
    }
}

/// Who is to sit at a place: an engine, or a person where there is none.
type Choice = Option<Settings>;

/// Who sits where.
enum Sitter {
    /// A person.
    Human(Human),
    /// A running engine.
    Engine(Box<Engine>),
}

impl Sitter {
    fn player(&mut self) -> &mut dyn Player {
        match self {
            Sitter::Human(human) => human,
            Sitter::Engine(engine) => engine.as_mut(),
        }
    }

    fn into_engine(self) -> Option<Engine> {
        match self {
            Sitter::Human(_) => None,
            Sitter::Engine(engine) => Some(*engine),
        }
    }
}

impl From<Stopped> for End {
    fn from(stopped: Stopped) -> End {
        match stopped {
            Stopped::Quit => End::Left,
            Stopped::Interrupted(signal) => End::Failed(Failure::Interrupted(signal)),
            Stopped::Broken(error) => End::Failed(Failure::of_terminal(&error)),
        }
    }
}

fn agree_and_play(args: &PlayArgs) -> Result<(), End> {
    check_setup(args.setup, args.variant)?;
    let interrupt = install_interrupt()?;
    let console = Console::stdio(Arc::clone(&interrupt));
    let mut console = console.map_err(|error| Failure::of_terminal(&error))?;
    let mut screen = Screen::stdout(Detail::Boards);

    let choices = choose_players(args, &mut console)?;
    let schedule = Schedule {
        variant: args.variant,
        games: 1,
        setup: choose_setup(args, &mut console)?,
        openings: None,
        seed: args.seed.unwrap_or_else(seed_of_the_moment),
    };
    if has_setup(args.variant) {
        shown(screen.print(&format!("The placement is drawn from seed {}.", schedule.seed)))?;
    }
    let game = schedule
        .game(1)
        .map_err(|error| Failure::Usage(error.to_string()))?;

    let console = Arc::new(Mutex::new(console));
    let signs = game.opening.position.diagram().signs;
    let mut sitters = sit_down(&choices, args.variant, &interrupt, &console, signs)?;
    let names = sitters
        .each_mut()
        .map(|sitter| sitter.player().name().to_string());
    let names = names.each_ref().map(String::as_str);
    let labels = labels(names, signs);
    let mut view = shown(screen.game(args.variant.to_string(), labels))?;
    let control = Control {
        time: TimeControl::Move(args.st),
        ..Control::default()
    };
    let mut seats = sitters.each_mut().map(|sitter| Seat {
        player: sitter.player(),
        control: &control,
    });
    match arbiter::play(&game.opening, &mut seats, &mut view) {
        Ok(finished) => shown(view.ends(&finished, names))?,
        Err(Stopped::Quit) => {}
        // The engines are killed: whoever waits for us wants no farewell.
        Err(stopped) => return Err(stopped.into()),
    }
    Engine::dismiss(sitters.into_iter().filter_map(Sitter::into_engine));
    Ok(())
}

/// Asks for the players that the command does not name.
fn choose_players(args: &PlayArgs, console: &mut Console) -> Result<[Choice; 2], End> {
    let names = args.variant.personalities().join(", ");
    let mut choose = |said: &Option<String>, which: &str, default: &str| -> Result<Choice, End> {
        if let Some(who) = said {
            let choice = choice(who);
            roster::resolve(choice.as_slice(), args.variant)?;
            return Ok(choice);
        }
        let question = format!("Who moves {which}: {HUMAN}, {names} or the path of a program? [{default}]");
        Ok(console.ask(&question, |answer| {
            let choice = choice(if answer.is_empty() { default } else { answer });
            let resolved = roster::resolve(choice.as_slice(), args.variant);
            resolved.map(|_| choice).map_err(|failure| failure.to_string())
        })?)
    };
    let first = choose(&args.first, "first", HUMAN)?;
    let partner = if first.is_none() { DEFAULT } else { HUMAN };
    let second = choose(&args.second, "second", partner)?;
    Ok([first, second])
}

fn choice(who: &str) -> Choice {
    (!who.eq_ignore_ascii_case(HUMAN)).then(|| Settings::of_program(who))
}

/// Asks for pieces and turns where the game has them and the command does not
/// say them.
fn choose_setup(args: &PlayArgs, console: &mut Console) -> Result<Setup, End> {
    let mut setup = Setup::default();
    if !has_setup(args.variant) {
        return Ok(setup);
    }
    let mut choose = |said: Option<u32>, what: &str, most: u32, default: u32| match said {
        Some(number) => Ok(number),
        None => console.ask(&format!("{what}, 1 to {most}? [{default}]"), |answer| {
            let number = if answer.is_empty() {
                Some(default)
            } else {
                answer.parse().ok()
            };
            let number = number.filter(|number| (1..=most).contains(number));
            number.ok_or_else(|| format!("Please give a whole number from 1 to {most}; `{answer}` is none."))
        }),
    };
    setup.pieces = choose(
        args.setup.pieces,
        "How many pieces has each side",
        MAX_PIECES,
        setup.pieces,
    )?;
    setup.turns = choose(
        args.setup.turns,
        "After how many turns does the game end",
        MAX_TURNS,
        setup.turns,
    )?;
    Ok(setup)
}

/// A seed that is short enough to be typed again.
fn seed_of_the_moment() -> u64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    now.map_or(1, |now| u64::from(now.subsec_micros()))
}

/// Starts the engines and gives the people their places.
fn sit_down(
    choices: &[Choice; 2],
    variant: Variant,
    interrupt: &Arc<Interrupt>,
    console: &Arc<Mutex<Console>>,
    signs: [char; 2],
) -> Result<[Sitter; 2], Failure> {
    let engines: Vec<Settings> = choices.iter().flatten().cloned().collect();
    let mut contestants = roster::resolve(&engines, variant)?.into_iter();
    let mut sit = |side: Side| -> Result<Sitter, Failure> {
        let engine = choices[side.index()].as_ref().and_then(|_| contestants.next());
        if let Some(contestant) = engine {
            let engine = start(&contestant, variant, interrupt)?;
            return Ok(Sitter::Engine(Box::new(engine)));
        }
        let name = format!("Player {}", side.index() + 1);
        let question = format!("{name} ({}), your move:", signs[side.index()]);
        Ok(Sitter::Human(Human::new(name, question, Arc::clone(console))))
    };
    Ok([sit(Side::First)?, sit(Side::Second)?])
}
