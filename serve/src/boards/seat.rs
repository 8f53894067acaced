//! A seat of a board: a person, or a program that is started.

use std::sync::Arc;
use std::time::Duration;

use referee::{HandSeat, make_program};
use referee_core::game::clock::TimeControl;
use referee_core::io::interrupt::Interrupt;

use super::order::GameClock;
use super::state::SeatView;
use crate::known::{HUMAN, KnownPlayer, OfferedPlayers};

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

pub type BoardSeat = HandSeat<KnownPlayer>;

/// The player with this id, which is started now or before its first move.
pub fn seat(
    id: &str,
    offer: &OfferedPlayers,
    times: Times,
    interrupt: &Arc<Interrupt>,
    starts: bool,
) -> Result<BoardSeat, String> {
    if id == HUMAN {
        return Ok(person(times));
    }
    let clock = times.clock.map(GameClock::control);
    let known = offer.find(id).ok_or_else(|| no_player(id))?;
    let mut settings = known.settings.clone();
    settings.time = clock
        .or(settings.time)
        .or(Some(TimeControl::Move(times.per_move)));
    let seed = u64::from(rand_seed());
    let program = make_program(&settings, offer.rules, seed, interrupt, starts);
    Ok(BoardSeat::program(
        known,
        program.map_err(|failure| failure.to_string())?,
    ))
}

pub fn person(times: Times) -> BoardSeat {
    let clock = times.clock.map(GameClock::control);
    BoardSeat::person(clock.unwrap_or(TimeControl::Unlimited))
}

/// The id of the player.
pub fn id(seat: &BoardSeat) -> &str {
    seat.program.as_ref().map_or(HUMAN, |known| &known.id)
}

/// The seat for the page.
pub fn view(seat: &BoardSeat) -> SeatView {
    let known = seat.program.as_ref();
    SeatView {
        id: id(seat).to_string(),
        name: known.map_or_else(|| "Person".into(), |known| known.name.clone()),
        is_human: seat.is_human(),
    }
}

/// The dialogue with the program in this game.
pub fn transcript(seat: &mut BoardSeat) -> Option<String> {
    let transcript = seat.player.transcript()?;
    let mut text = String::new();
    for line in &transcript.lines {
        text.extend([line.origin.sign(), ' ']);
        text += &line.text.shown().to_string();
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

/// Why there is no player with an id.
pub fn no_player(id: &str) -> String {
    if id == HUMAN {
        return "a human player gives no advice".into();
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
