//! Makes a bot of an engine that speaks another protocol (`proto`): a bridge is a program between the referee and
//! the engine, and knows no rules.
//!
//! * `link`: the engine as a child, and its lines; everything that is sent and received is shown to the referee.
//! * `cells`: how rules and engine name cells, and the moves made of them.
//! * `end`: why a bridge stops.
//! * `session`: the protocol of the referee, the game so far, and what the engine knows of it.
//! * `gtp`, `xboard`, `usi`, `ucci`, `gomocup`: a protocol each, behind [`EngineProtocol`].
//!
//! For the referee, a failure of the engine is a failure of the bridge: it exits, and its last words on standard error
//! say what the engine did.

mod cells;
mod end;
mod gomocup;
mod gtp;
mod link;
mod session;
mod ucci;
mod usi;
mod xboard;

use lodestone::board::Side;
use lodestone::protocol::{Limits, OptionKind, OptionSpec, Start};

pub(crate) use cells::BoardNames;
use cells::Cells;
pub(crate) use end::BridgeEnd;
use link::Link;
pub(crate) use session::{BridgePlan, run};

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

/// The clock of a request, in milliseconds.
#[derive(Clone, Copy, Debug, Default)]
struct Clocks {
    /// The time for this move alone.
    of_move: Option<u64>,
    /// The mover's time and increment, and those of its opponent.
    own: (u64, u64),
    other: (u64, u64),
    /// The number of moves for which this time is.
    moves_to_go: Option<u32>,
    /// Whether there is a clock.
    is_clock: bool,
}

impl Clocks {
    fn of(limits: &Limits, mover: Side) -> Clocks {
        let number = |time: Option<i64>| time.unwrap_or_default().max(0).unsigned_abs();
        let first = (number(limits.wtime), number(limits.winc));
        let second = (number(limits.btime), number(limits.binc));
        let (own, other) = match mover {
            Side::First => (first, second),
            Side::Second => (second, first),
        };
        Clocks {
            of_move: limits.movetime.map(|time| number(Some(time))),
            own,
            other,
            moves_to_go: limits.movestogo,
            is_clock: limits.wtime.or(limits.btime).is_some(),
        }
    }
}

/// Options of a bridge itself, with texts as values.
fn text_options<const N: usize>(names: [&str; N]) -> Vec<OptionSpec> {
    let option = |name: &str| OptionSpec {
        name: name.to_string(),
        kind: OptionKind::String {
            default: String::new(),
        },
    };
    names.map(option).to_vec()
}

/// A protocol between the bridge and its engine.
trait EngineProtocol {
    /// Greets the engine. Returns what it calls itself, and its options.
    fn greet(&mut self, wire: &mut Link<'_>) -> Result<(Option<String>, Vec<OptionSpec>), BridgeEnd>;

    /// Whether the engine, which has been greeted, can begin at a position that is given as text.
    fn takes_positions(&self) -> bool;

    /// Sets an option that [`EngineProtocol::greet`] has returned.
    fn set_option(&mut self, name: &str, value: Option<&str>, wire: &mut Link<'_>) -> Result<(), BridgeEnd>;

    /// Says what the protocol cannot express of these limits.
    fn limits(&mut self, control: &Control, wire: &mut Link<'_>);

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
