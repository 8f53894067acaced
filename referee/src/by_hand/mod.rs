//! A game by hand without a screen: who plays, moves, undo, the end. The terminal ([`interactive`]) and
//! the boards of `referee serve` show it.
//!
//! * [`HandGame`]: the game and its seats.
//! * [`level`]: how strong the computer is; [`make_program`]: its program.
//!
//! [`interactive`]: crate::interactive

pub mod level;

use std::sync::Arc;
use std::time::{Duration, Instant};

use lodestone_game::Setup;
use lodestone_game::board::Side;
use lodestone_game::protocol::option_names;
use referee_core::arbiter;
use referee_core::failure::Failure;
use referee_core::failure::Stop;
use referee_core::game::clock::{Control, TimeControl};
use referee_core::game::{Game, GameMove, Observer, Ruleset};
use referee_core::io::interrupt::Interrupt;
use referee_core::io::running_clock;
use referee_core::player::verdict::Verdict;
use referee_core::player::{Answer, Engine, NoMove, Player, Turn};
use referee_core::process::{self, BUILTIN_COMMAND};
use referee_core::results::stored_game;
use referee_core::schedule::openings::Openings;

use crate::config::roster::{self, Contestant};
use crate::config::settings::Settings;

/// Time margin of built-in engines: they keep their time, so only a busy machine can make them
/// late, and a person should not win by that.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// A person. Moves come through [`HandGame::play`].
struct AwaitedPerson;

impl Player for AwaitedPerson {
    fn name(&self) -> &'static str {
        "person"
    }

    fn think(&mut self, _: &Game, _: &mut Turn<'_>) -> Result<Answer, NoMove> {
        Err(NoMove::Stopped(Stop::Quit))
    }
}

/// Who plays a side. `P` says which program it is.
pub struct HandSeat<P> {
    /// The program; `None` for a person.
    pub program: Option<P>,
    /// The player.
    pub player: Box<dyn Player>,
    /// Its limits.
    pub control: Control,
}

impl<P> HandSeat<P> {
    /// A person with this time.
    pub fn person(time: TimeControl) -> HandSeat<P> {
        HandSeat {
            program: None,
            player: Box::new(AwaitedPerson),
            control: Control {
                time,
                ..Control::default()
            },
        }
    }

    /// A program with its limits.
    pub fn program(program: P, (engine, control): (Engine, Control)) -> HandSeat<P> {
        HandSeat {
            program: Some(program),
            player: Box::new(engine),
            control,
        }
    }

    /// Whether a person plays.
    pub const fn is_human(&self) -> bool {
        self.program.is_none()
    }
}

/// A game and its players, who may change.
pub struct HandGame<P> {
    /// The players, the first one first.
    pub seats: [HandSeat<P>; 2],
    game: Game,
    /// Whether the programs have to be prepared for the game.
    is_new: bool,
    /// When the turn of the side to move began.
    asked: Instant,
}

impl<P> HandGame<P> {
    /// A game whose programs are prepared before their first moves.
    pub fn new(seats: [HandSeat<P>; 2], game: Game) -> HandGame<P> {
        running_clock::watch();
        HandGame {
            seats,
            game,
            is_new: true,
            asked: running_clock::now(),
        }
    }

    /// The game now.
    pub const fn game(&self) -> &Game {
        &self.game
    }

    /// The side to move.
    pub fn mover(&self) -> Side {
        self.game.position().side_to_move()
    }

    /// Whether a person is to move.
    pub fn asks_person(&self) -> bool {
        self.seats[self.mover().index()].is_human()
    }

    /// Begins the turn of the side to move anew.
    pub fn ask_again(&mut self) {
        self.asked = running_clock::now();
    }

    /// The time that the side to move has left on its clock. The clocks start with the second move.
    pub fn time_left(&self) -> Option<Duration> {
        let left = self.game.game_clocks()[self.mover().index()]?;
        if self.game.moves().is_empty() {
            return Some(left);
        }
        Some(left.saturating_sub(running_clock::elapsed(self.asked)))
    }

    /// Asks the program to move. Plays its move, or returns the verdict.
    ///
    /// # Errors
    /// The search was stopped. The program starts again before its next move.
    pub fn think(&mut self, observer: &mut dyn Observer) -> Result<Option<Verdict>, Stop> {
        let mover = self.mover();
        let result = self.next_move(observer);
        if result.is_err() {
            // Nothing is known of its search.
            self.seats[mover.index()].player.reset();
        }
        self.is_new = !matches!(result, Ok(None));
        self.ask_again();
        result
    }

    fn next_move(&mut self, observer: &mut dyn Observer) -> Result<Option<Verdict>, Stop> {
        let mut seats = self.seats.each_mut().map(|seat| arbiter::Seat {
            player: seat.player.as_mut(),
            control: &seat.control,
            replacement: None,
        });
        if self.is_new
            && let Some(verdict) = arbiter::begin(&mut seats, false)?
        {
            return Ok(Some(verdict));
        }
        arbiter::next_move(&mut self.game, &mut seats, observer, false)
    }

    /// Plays a move of the person to move.
    ///
    /// # Errors
    /// The rules sent no answer; nothing is played.
    pub fn play(&mut self, mv: GameMove) -> Result<(), Stop> {
        self.game.play(mv, running_clock::elapsed(self.asked).into())?;
        self.ask_again();
        Ok(())
    }

    /// The number of moves that stay if the last `count` moves of people, and all moves after them, are
    /// taken back.
    ///
    /// # Errors
    /// People have moved less often: this number of times.
    pub fn undo(&self, count: usize) -> Result<usize, usize> {
        let movers: Vec<Side> = self.game.movers().collect();
        let own = (self.game.opening_plies()..movers.len()).rev();
        let own: Vec<usize> = own
            .filter(|&ply| self.seats[movers[ply].index()].is_human())
            .take(count)
            .collect();
        own.get(count.saturating_sub(1)).copied().ok_or(own.len())
    }

    /// Keeps this number of moves, and goes on from there.
    pub fn keep(&mut self, moves: usize) {
        while self.game.moves().len() > moves && self.game.take_back() {}
        self.ask_again();
    }

    /// Who gives up the game by resigning: the only person, or the side to move of two; `None` if two
    /// programs play.
    pub fn resigns(&self) -> Option<Side> {
        match self.seats.each_ref().map(HandSeat::is_human) {
            [true, true] => Some(self.mover()),
            [true, false] => Some(Side::First),
            [false, true] => Some(Side::Second),
            [false, false] => None,
        }
    }

    /// Seats a player in place of the present one. The game goes on.
    pub fn seat(&mut self, side: Side, seat: HandSeat<P>) {
        let mut replaced = std::mem::replace(&mut self.seats[side.index()], seat);
        process::shut_down(replaced.player.take_process().into_iter().collect());
        self.is_new = true;
        self.ask_again();
    }

    /// Begins another game.
    pub fn begin(&mut self, game: Game) {
        self.game = game;
        self.is_new = true;
        self.ask_again();
    }

    /// Ends the programs. They start again when the game goes on.
    pub fn stop_programs(&mut self) {
        let players = self.seats.iter_mut().map(|seat| seat.player.as_mut());
        process::shut_down(players.filter_map(Player::take_process).collect());
        self.is_new = true;
    }

    /// The game as a file; `players` say who continues it.
    pub fn text(&self, rules: Ruleset, players: [String; 2]) -> String {
        let (start, moves) = (self.game.first_position(), self.game.moves());
        stored_game::text(rules, start, moves, &players.map(Some))
    }
}

/// A new game. In a game with a set-up, the seed decides the placement.
///
/// # Errors
/// There is no such placement, or the rules sent no answer.
pub fn new_game(rules: Ruleset, setup: Setup, times: [TimeControl; 2], seed: u64) -> Result<Game, Failure> {
    let opening = Openings::new(rules, setup, None, seed)
        .and_then(|mut openings| openings.get(1))
        .map_err(|error| error.failure("the start"))?;
    Ok(Game::new(&opening, times).by_hand())
}

/// A program that plays or gives advice, and its limits. It starts now, or before its first game. `seed` is
/// for a player that moves at random.
///
/// # Errors
/// There is no such program, or it cannot be started.
pub fn make_program(
    settings: &Settings,
    ruleset: Ruleset,
    seed: u64,
    interrupt: &Arc<Interrupt>,
    starts: bool,
) -> Result<(Engine, Control), Failure> {
    let resolved = roster::resolve(std::slice::from_ref(settings), ruleset)?;
    let contestant = resolved.into_iter().next().unwrap_or_default();
    let needs_seed = contestant.needs_seed();
    let Contestant {
        spec: Some(mut spec),
        mut control,
        ..
    } = contestant
    else {
        return Err(Failure::Usage("`human` is not an engine".to_string()));
    };
    if needs_seed {
        // Otherwise it would play the same moves in every session.
        let seed = u64::from(seed as u32).to_string();
        spec.options.push((option_names::SEED.to_string(), seed));
    }
    if spec.launch.args.first().is_some_and(|arg| arg == BUILTIN_COMMAND) {
        control.margin = control.margin.max(PATIENCE);
    }
    let engine = if starts {
        roster::start(&spec, ruleset, interrupt)?
    } else {
        Engine::new(spec, ruleset, Arc::clone(interrupt))
    };
    Ok((engine, control))
}
