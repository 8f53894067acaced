//! A seat of a board: a person, or a program that is started.

use std::sync::Arc;
use std::time::Duration;

use referee::{
    Answer, Control, Game, Interrupt, NoMove, Player, Stop, TimeControl, Turn, prepare_engine, shut_down,
    start_engine,
};

use super::order::GameClock;
use super::state::SeatView;
use crate::known::{HUMAN, Known, Offer};

/// The most bytes of a transcript on the page.
const MAX_TRANSCRIPT: usize = 20_000;

/// How long the players of a board may think.
#[derive(Clone, Copy, Debug)]
pub struct Times {
    /// The clock of both, if there is one.
    pub clock: Option<GameClock>,
    /// The time per move of programs that have no time of their own.
    pub per_move: Duration,
}

/// A person, who is asked by the page.
struct Person;

impl Player for Person {
    fn name(&self) -> &'static str {
        "person"
    }

    fn think(&mut self, _: &Game, _: &mut Turn<'_>) -> Result<Answer, NoMove> {
        Err(NoMove::Stopped(Stop::Quit))
    }
}

/// A seat.
pub struct Seat {
    /// The program; `None` for a person.
    pub known: Option<Known>,
    /// The player.
    pub player: Box<dyn Player>,
    /// Its limits.
    pub control: Control,
}

impl Seat {
    /// The player with this id, which is started now or before its first move.
    ///
    /// # Errors
    /// There is no such player, or it cannot be started. The sentence says so.
    pub fn new(
        id: &str,
        offer: &Offer,
        times: Times,
        interrupt: &Arc<Interrupt>,
        starts: bool,
    ) -> Result<Seat, String> {
        if id == HUMAN {
            return Ok(Seat::person(times));
        }
        let clock = times.clock.map(GameClock::control);
        let known = offer.find(id).ok_or_else(|| no_player(id))?;
        let mut settings = known.settings.clone();
        settings.time = clock
            .or(settings.time)
            .or(Some(TimeControl::Move(times.per_move)));
        let seed = u64::from(rand_seed());
        let make = if starts { start_engine } else { prepare_engine };
        let (engine, control) =
            make(&settings, offer.rules, seed, interrupt).map_err(|failure| failure.to_string())?;
        Ok(Seat {
            known: Some(known),
            player: Box::new(engine),
            control,
        })
    }

    /// A person.
    pub fn person(times: Times) -> Seat {
        let clock = times.clock.map(GameClock::control);
        Seat {
            known: None,
            player: Box::new(Person),
            control: Control {
                time: clock.unwrap_or(TimeControl::Unlimited),
                ..Control::default()
            },
        }
    }

    /// Whether a person plays.
    pub const fn is_human(&self) -> bool {
        self.known.is_none()
    }

    /// The id of its player.
    pub fn id(&self) -> &str {
        self.known.as_ref().map_or(HUMAN, |known| &known.id)
    }

    /// The seat for the page. `piece` is what a person plays with.
    pub fn view(&self, piece: &str) -> SeatView {
        let person = || format!("person ({piece})");
        SeatView {
            id: self.id().to_string(),
            name: self
                .known
                .as_ref()
                .map_or_else(person, |known| known.name.clone()),
            is_human: self.is_human(),
        }
    }

    /// Ends the program. It starts again before its next move.
    pub fn stop_program(&mut self) {
        shut_down(self.player.take_process().into_iter().collect());
    }

    /// The dialogue with the program in this game.
    pub fn transcript(&mut self) -> Option<String> {
        let transcript = self.player.transcript()?;
        let mut text = String::new();
        for line in &transcript.lines {
            text.extend([line.origin.sign(), ' ']);
            text += &line.text;
            text.push('\n');
        }
        if !transcript.stderr.is_empty() {
            text += "# standard error:\n";
            text += &transcript.stderr.join("\n");
        }
        // The end has what went wrong.
        let from = text.ceil_char_boundary(text.len().saturating_sub(MAX_TRANSCRIPT));
        Some(text.split_off(from))
    }
}

/// The seats as the arbiter takes them.
pub fn seats(seats: &mut [Seat; 2]) -> [referee::Seat<'_>; 2] {
    seats.each_mut().map(|seat| referee::Seat {
        player: seat.player.as_mut(),
        control: &seat.control,
    })
}

/// Why there is no player with an id.
pub fn no_player(id: &str) -> String {
    if id == HUMAN {
        return "a person gives no advice".into();
    }
    let shown: String = id.chars().take(60).collect();
    format!("there is no player `{shown}`; it may have been removed from its folder")
}

/// A seed for players that move at random.
pub fn rand_seed() -> u32 {
    let mut bytes = [0; 4];
    // Without random numbers, all games are alike.
    let _ = getrandom::fill(&mut bytes);
    u32::from_le_bytes(bytes)
}
