//! Makes a bot of an engine that speaks another protocol (`proto`): a bridge is a program between the referee and
//! the engine, and knows no rules.
//!
//! * `link`: the engine as a child, and its lines; everything that is sent and received is shown to the referee.
//! * `cells`: how rules and engine name cells, and the moves made of them.
//! * `end`: why a bridge stops.
//! * `session`: the protocol of the referee, the game so far, and what the engine knows of it.
//! * `wording`: what each protocol says of limits; `scores`: what engines say of positions.
//! * `gtp`, `xboard`, `gomocup`, `uci_like` (USI, UCCI, UAI): the protocols, behind [`EngineProtocol`].
//!
//! For the referee, a failure of the engine is a failure of the bridge: it exits, and its last words on standard error
//! say what the engine did.

mod cells;
mod end;
mod gomocup;
mod gtp;
mod link;
mod scores;
mod session;
mod uci_like;
mod wording;
mod xboard;

use lodestone_game::board::Side;
use lodestone_game::protocol::{Limits, OptionKind, OptionSpec, Start};

pub(crate) use cells::BoardNames;
use cells::Cells;
pub(crate) use end::BridgeEnd;
use link::Link;
pub(crate) use session::{BridgePlan, END_OF_LINE, INIT, run};
pub(crate) use wording::Wording;

use referee_core::game::clock::Control;

/// What the engine answers to a request for a move.
enum BridgeAnswer {
    /// A move as the rules write it.
    Move(String),
    /// It gives up.
    Resigns,
}

/// A position as the referee names it, and how much of it the engine knows.
#[derive(Debug)]
struct Place {
    start: Start,
    moves: Vec<String>,
    /// The number of moves that the engine has seen; `None` if it knows another game.
    known: Option<usize>,
}

impl Place {
    /// The player whose turn it is, if sides alternate. The second word of most texts of positions names who moves
    /// there.
    fn mover(&self) -> Side {
        let first = match &self.start {
            Start::Fen(fen) if matches!(fen.split_whitespace().nth(1), Some("b" | "o")) => Side::Second,
            _ => Side::First,
        };
        if self.moves.len().is_multiple_of(2) {
            first
        } else {
            first.opponent()
        }
    }

    /// The moves that the engine has not seen.
    fn new_moves(&self) -> &[String] {
        self.moves
            .get(self.known.unwrap_or_default()..)
            .unwrap_or_default()
    }
}

/// Options of a bridge itself, with texts as values.
#[derive(Debug)]
struct TextOptions<const N: usize> {
    names: [&'static str; N],
    values: [Option<String>; N],
}

impl<const N: usize> TextOptions<N> {
    fn new(names: [&'static str; N]) -> TextOptions<N> {
        TextOptions {
            names,
            values: [const { None }; N],
        }
    }

    fn specs(&self) -> Vec<OptionSpec> {
        let option = |name: &str| OptionSpec {
            name: name.to_string(),
            kind: OptionKind::String {
                default: String::new(),
            },
        };
        self.names.map(option).to_vec()
    }

    fn place(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|own| own.eq_ignore_ascii_case(name))
    }

    fn get(&self, name: &str) -> Option<&str> {
        self.values[self.place(name)?].as_deref()
    }

    /// Sets an option. Returns whether it is one of these.
    fn set(&mut self, name: &str, value: Option<&str>) -> bool {
        let place = self.place(name);
        if let Some(place) = place {
            self.values[place] = value.map(String::from);
        }
        place.is_some()
    }
}

/// A protocol between the bridge and its engine.
trait EngineProtocol {
    /// Greets the engine. Returns what it calls itself, and its options.
    fn greet(&mut self, wire: &mut Link<'_>) -> Result<(Option<String>, Vec<OptionSpec>), BridgeEnd>;

    /// Whether the engine, which has been greeted, can begin at a position that is given as text.
    fn takes_positions(&self) -> bool;

    /// Sets an option that [`EngineProtocol::greet`] has returned.
    fn set_option(&mut self, name: &str, value: Option<&str>, wire: &mut Link<'_>) -> Result<(), BridgeEnd>;

    /// What the protocol says of limits.
    fn wording(&self) -> &Wording;

    /// What this engine cannot be told of these limits although its protocol has words for it: a clause.
    fn more_notes(&self, _: &Control) -> Option<String> {
        None
    }

    /// Takes lines of the user that begin each game.
    fn set_init(&mut self, _: Vec<String>) -> Result<(), BridgeEnd> {
        Ok(())
    }

    /// Begins a game at the start position, and waits until the engine is ready.
    fn new_game(&mut self, cells: &Cells, wire: &mut Link<'_>) -> Result<(), BridgeEnd>;

    /// Tells the engine the moves that it has not seen, and asks for its own.
    fn go(
        &mut self,
        place: &Place,
        limits: &Limits,
        cells: &Cells,
        wire: &mut Link<'_>,
    ) -> Result<BridgeAnswer, BridgeEnd>;

    /// Takes a line that came while nothing was asked.
    fn idle(&mut self, _line: &str) {}

    /// What makes the engine move at once, if the protocol has a word for that.
    fn stop(&self) -> Option<&'static str> {
        None
    }

    /// What ends the engine, before `quit`.
    fn end(&self) -> Option<&'static str> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_and_the_number_of_moves_say_who_is_to_move() {
        for (fen, moves, mover) in [
            ("1/9 w", 0, Side::First),
            ("1/9 b", 0, Side::Second),
            ("8/8 o", 1, Side::First),
        ] {
            let place = Place {
                start: Start::Fen(fen.into()),
                moves: vec!["a1".into(); moves],
                known: None,
            };
            assert_eq!(place.mover(), mover, "{fen}");
        }
    }
}
