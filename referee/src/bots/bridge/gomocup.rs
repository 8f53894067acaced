//! The protocol of Gomocup and Piskvork: Gomoku and Renju.

use lodestone_game::protocol::{Limits, OptionSpec};

use super::cells::{Cells, Shape, unsayable};
use super::link::{Link, refused};
use super::wording::{self, Wording};
use super::{BridgeAnswer, BridgeEnd, EngineProtocol, Place, TextOptions};

/// The options of the bridge: the size of the board, and `INFO rule`.
const SIZE: &str = "size";
const RULE: &str = "rule";

/// The size of the board if neither the rules nor an option give one.
const DEFAULT_SIZE: usize = 15;

#[derive(Debug)]
pub(super) struct Gomocup {
    options: TextOptions<2>,
    /// The time settings that the engine knows.
    settings: Vec<String>,
}

impl Gomocup {
    pub fn new() -> Gomocup {
        Gomocup {
            options: TextOptions::new([SIZE, RULE]),
            settings: Vec::new(),
        }
    }

    /// Waits for an answer, past messages.
    fn answer(wire: &mut Link<'_>) -> Result<String, BridgeEnd> {
        loop {
            let line = wire.receive()?;
            let word = line.split_whitespace().next().unwrap_or_default();
            if !["MESSAGE", "DEBUG", "SUGGEST"].contains(&word.to_ascii_uppercase().as_str()) {
                return Ok(line);
            }
        }
    }
}

/// The cell of an answer such as `7,7` or `7, 7`. Some brains write facts behind it.
fn cell_of(line: &str) -> Option<String> {
    let (column, row) = line.split_once(',')?;
    let row = row.split_whitespace().next()?;
    Some(format!("{},{row}", column.trim()))
}

impl EngineProtocol for Gomocup {
    fn wording(&self) -> &Wording {
        &wording::GOMOCUP
    }

    /// The protocol has no greeting; `ABOUT` is optional.
    fn greet(&mut self, wire: &mut Link<'_>) -> Result<(Option<String>, Vec<OptionSpec>), BridgeEnd> {
        wire.send("ABOUT");
        let line = Gomocup::answer(wire)?;
        let value = |key: &str| {
            let (_, value) = line.split_once(&format!("{key}=\""))?;
            value.split('"').next()
        };
        let name = [value("name"), value("version")];
        let name: Vec<&str> = name.into_iter().flatten().collect();
        Ok((
            Some(name.join(" ")).filter(|name| !name.is_empty()),
            self.options.specs(),
        ))
    }

    fn takes_positions(&self) -> bool {
        false
    }

    fn set_option(&mut self, name: &str, value: Option<&str>, _: &mut Link<'_>) -> Result<(), BridgeEnd> {
        self.options.set(name, value);
        Ok(())
    }

    fn new_game(&mut self, cells: &Cells, wire: &mut Link<'_>) -> Result<(), BridgeEnd> {
        let size = cells.width.unwrap_or(DEFAULT_SIZE).to_string();
        let start = format!("START {}", self.options.get(SIZE).unwrap_or(&size));
        wire.send(&start);
        let line = Gomocup::answer(wire)?;
        if !line.to_ascii_uppercase().starts_with("OK") {
            return Err(refused(&start, &line, ", expected `OK`"));
        }
        if let Some(rule) = self.options.get(RULE) {
            wire.send(&format!("INFO rule {rule}"));
        }
        self.settings.clear();
        Ok(())
    }

    fn go(
        &mut self,
        place: &Place,
        limits: &Limits,
        cells: &Cells,
        wire: &mut Link<'_>,
    ) -> Result<BridgeAnswer, BridgeEnd> {
        let cell = |mv: &String| match cells.to_engine(mv) {
            (text, Shape::Cell) => Ok(text),
            (text, _) => Err(unsayable(
                mv,
                &text,
                wording::GOMOCUP.protocol,
                "a cell such as `7,7`",
            )),
        };
        if place.known.is_none() {
            self.new_game(cells, wire)?;
        }
        let told = wording::GOMOCUP.told(limits, place.mover());
        let settings = told.new_settings(&mut self.settings, limits);
        for line in settings.iter().chain(&told.each_move) {
            wire.send(line);
        }
        let request = match (place.known, place.moves.as_slice(), place.new_moves()) {
            (Some(0), [], _) => "BEGIN".to_string(),
            (Some(known), _, [mv]) if known > 0 || place.moves.len() == 1 => format!("TURN {}", cell(mv)?),
            _ => {
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
        let found = cell_of(&line).map(|cell| cells.to_rules(&cell, place.mover()));
        if let Some((mv, Shape::Cell)) = found {
            return Ok(BridgeAnswer::Move(mv));
        }
        let why = format!(", which is not a cell such as `{}`", cells.example());
        Err(refused(&request, &line, &why))
    }

    fn end(&self) -> Option<&'static str> {
        Some("END")
    }
}
