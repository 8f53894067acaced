//! The protocol of Gomocup and Piskvork: Gomoku and Renju.

use lodestone::board::Side;
use lodestone::protocol::{Limits, OptionSpec};
use referee_core::game::clock::Control;

use super::cells::{Cells, unsayable};
use super::link::{Link, refused};
use super::{BridgeAnswer, BridgeEnd, Clocks, EngineProtocol, Place, text_options};

/// The options of the bridge: the size of the board, and `INFO rule`.
const SIZE: &str = "size";
const RULE: &str = "rule";

/// The size of the board if neither the rules nor an option give one.
const DEFAULT_SIZE: usize = 15;

#[derive(Debug, Default)]
pub(super) struct Gomocup {
    size: Option<String>,
    rule: Option<String>,
    /// Whether the engine has a board.
    has_started: bool,
}

impl Gomocup {
    /// Waits for an answer, past messages.
    fn answer(wire: &mut Link<'_>) -> Result<String, BridgeEnd> {
        loop {
            let line = wire.receive()?;
            let word = line
                .split_whitespace()
                .next()
                .unwrap_or_default()
                .to_ascii_uppercase();
            if !["MESSAGE", "DEBUG", "SUGGEST"].contains(&word.as_str()) {
                return Ok(line);
            }
        }
    }

    fn ask_ok(wire: &mut Link<'_>, request: &str) -> Result<(), BridgeEnd> {
        wire.send(request);
        let line = Gomocup::answer(wire)?;
        if line.to_ascii_uppercase().starts_with("OK") {
            return Ok(());
        }
        Err(refused(request, &line, ", expected `OK`"))
    }
}

impl EngineProtocol for Gomocup {
    /// The protocol has no greeting; `ABOUT` is optional.
    fn greet(&mut self, wire: &mut Link<'_>) -> Result<(Option<String>, Vec<OptionSpec>), BridgeEnd> {
        wire.send("ABOUT");
        let line = Gomocup::answer(wire)?;
        let value = |key: &str| {
            Some(
                line.split_once(&format!("{key}=\""))?
                    .1
                    .split('"')
                    .next()?
                    .to_string(),
            )
        };
        let name = [value("name"), value("version")]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>();
        Ok((
            Some(name.join(" ")).filter(|name| !name.is_empty()),
            text_options([SIZE, RULE]),
        ))
    }

    fn takes_positions(&self) -> bool {
        false
    }

    fn set_option(&mut self, name: &str, value: Option<&str>, _: &mut Link<'_>) -> Result<(), BridgeEnd> {
        let place = if name.eq_ignore_ascii_case(SIZE) {
            &mut self.size
        } else {
            &mut self.rule
        };
        *place = value.map(String::from);
        Ok(())
    }

    fn limits(&mut self, control: &Control, wire: &mut Link<'_>) {
        if control.depth.or(control.nodes.map(|_| 0)).is_some() {
            wire.note("is not told `depth` and `nodes`: the protocol of Gomocup has no such limits");
        }
    }

    fn new_game(&mut self, cells: &Cells, wire: &mut Link<'_>) -> Result<(), BridgeEnd> {
        let size = cells.width.unwrap_or(DEFAULT_SIZE).to_string();
        let size = self.size.as_ref().unwrap_or(&size);
        Gomocup::ask_ok(wire, &format!("START {size}"))?;
        if let Some(rule) = &self.rule {
            wire.send(&format!("INFO rule {rule}"));
        }
        self.has_started = true;
        Ok(())
    }

    fn go(
        &mut self,
        place: &Place,
        limits: &Limits,
        cells: &Cells,
        wire: &mut Link<'_>,
    ) -> Result<BridgeAnswer, BridgeEnd> {
        let clocks = Clocks::of(limits, place.mover());
        if let Some(time) = clocks.of_move {
            wire.send(&format!("INFO timeout_turn {time}"));
            wire.send("INFO timeout_match 0");
        } else if clocks.is_clock {
            wire.send(&format!("INFO timeout_match {}", clocks.own.0));
            wire.send(&format!("INFO time_left {}", clocks.own.0));
        }
        let cell = |mv: &String| {
            let (text, form) = cells.to_engine(mv);
            if form == "#" {
                return Ok(text);
            }
            Err(unsayable(
                mv,
                &text,
                "the protocol of Gomocup",
                "a cell such as `7,7`",
            ))
        };
        let request = match (place.known, place.moves.as_slice(), place.new_moves()) {
            (Some(0), [], _) => "BEGIN".to_string(),
            (Some(known), _, [mv]) if known > 0 || place.moves.len() == 1 => format!("TURN {}", cell(mv)?),
            _ => {
                if place.known.is_none() {
                    self.new_game(cells, wire)?;
                }
                wire.send("BOARD");
                for (number, mv) in place.moves.iter().enumerate() {
                    let is_own = (place.moves.len() - number).is_multiple_of(2);
                    wire.send(&format!("{},{}", cell(mv)?, if is_own { 1 } else { 2 }));
                }
                "DONE".to_string()
            }
        };
        wire.send(&request);
        let line = Gomocup::answer(wire)?;
        // Some brains write facts behind the cell.
        let cell = line.split_whitespace().next().unwrap_or_default();
        let (mv, form) = cells.to_rules(cell, place.mover() == Side::First);
        if form == "#" {
            return Ok(BridgeAnswer::Move(mv));
        }
        let why = format!(", which is not a cell such as `{}`", cells.example());
        Err(refused(&request, &line, &why))
    }

    fn end(&self) -> Option<&'static str> {
        Some("END")
    }
}
