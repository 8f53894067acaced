//! UCCI: xiangqi.

use std::fmt::Write as _;

use lodestone::board::Side;
use lodestone::protocol::{Limits, OptionSpec, Reply, Start};
use referee_core::game::clock::Control;

use super::cells::{Cells, unsayable};
use super::link::{Link, refused};
use super::usi::best_move;
use super::{BridgeAnswer, BridgeEnd, Clocks, EngineProtocol, Place};

/// The start position, which older engines know by no word.
const START: &str = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1";

/// The option that makes times milliseconds.
const MILLISECONDS: &str = "usemillisec";

#[derive(Debug, Default)]
pub(super) struct Ucci {
    name: Option<String>,
    has_milliseconds: bool,
}

/// A line `option NAME type …` as UCI has it.
fn option(line: &str) -> Option<OptionSpec> {
    let rest = line.strip_prefix("option ")?;
    let rest = rest.strip_prefix("name ").unwrap_or(rest);
    match Reply::parse(&format!("option name {rest}")) {
        Ok(Reply::Option(option)) => Some(option),
        _ => None,
    }
}

impl EngineProtocol for Ucci {
    fn greet(&mut self, wire: &mut Link<'_>) -> Result<(Option<String>, Vec<OptionSpec>), BridgeEnd> {
        wire.send("ucci");
        let mut options = Vec::new();
        loop {
            let line = wire.receive()?;
            if line == "ucciok" {
                break;
            }
            if let Some(name) = line.strip_prefix("id name ") {
                self.name = Some(name.to_string());
            }
            self.has_milliseconds |= line.starts_with(&format!("option {MILLISECONDS} "));
            options.extend(option(&line));
        }
        options.retain(|option| option.name != MILLISECONDS);
        if self.has_milliseconds {
            wire.send(&format!("setoption {MILLISECONDS} true"));
        }
        Ok((self.name.take(), options))
    }

    fn takes_positions(&self) -> bool {
        true
    }

    fn set_option(&mut self, name: &str, value: Option<&str>, wire: &mut Link<'_>) -> Result<(), BridgeEnd> {
        let value = value.map(|value| format!(" {value}"));
        wire.send(&format!("setoption {name}{}", value.unwrap_or_default()));
        Ok(())
    }

    fn limits(&mut self, _: &Control, _: &mut Link<'_>) {}

    fn new_game(&mut self, _: &Cells, wire: &mut Link<'_>) -> Result<(), BridgeEnd> {
        wire.send("setoption newgame");
        wire.ask_until("isready", "readyok")
    }

    fn go(
        &mut self,
        place: &Place,
        limits: &Limits,
        cells: &Cells,
        wire: &mut Link<'_>,
    ) -> Result<BridgeAnswer, BridgeEnd> {
        let start = match &place.start {
            Start::Startpos => START,
            Start::Fen(fen) => fen,
        };
        let mut line = format!("position fen {start}");
        for (number, mv) in place.moves.iter().enumerate() {
            let (text, form) = cells.to_engine(mv);
            if form != "##" {
                return Err(unsayable(mv, &text, "UCCI", "a move such as `h2e2`"));
            }
            line += if number == 0 { " moves " } else { " " };
            line += &text;
        }
        wire.send(&line);
        let mover = place.mover();
        let clocks = Clocks::of(limits, mover);
        let unit = if self.has_milliseconds { 1 } else { 1000 };
        let mut go = "go".to_string();
        if let Some(time) = clocks.of_move {
            let _ = write!(go, " time {} movestogo 1", (time / unit).max(1));
        } else if clocks.is_clock {
            let _ = write!(go, " time {}", clocks.own.0 / unit);
            let _ = match clocks.moves_to_go {
                Some(count) => write!(go, " movestogo {count}"),
                None => write!(go, " increment {}", clocks.own.1 / unit),
            };
            let _ = write!(go, " opptime {}", clocks.other.0 / unit);
        }
        for (word, limit) in [("depth", limits.depth.map(u64::from)), ("nodes", limits.nodes)] {
            if let Some(limit) = limit.filter(|_| go == "go") {
                let _ = write!(go, " {word} {limit}");
            }
        }
        wire.send(&go);
        let line = best_move(wire)?;
        // `bestmove h2e2 resign` gives up, too.
        if line.starts_with("nobestmove") || line.contains(" resign") {
            return Ok(BridgeAnswer::Resigns);
        }
        let word = line.split_whitespace().nth(1).unwrap_or_default();
        let (mv, form) = cells.to_rules(word, mover == Side::First);
        if form != "##" {
            return Err(refused(&go, &line, ", which is not a move such as `h2e2`"));
        }
        Ok(BridgeAnswer::Move(mv))
    }

    fn stop(&self) -> Option<&'static str> {
        Some("stop")
    }
}
