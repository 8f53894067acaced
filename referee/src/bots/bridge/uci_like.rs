//! Protocols that UCI was the model of: USI (shogi), UCCI (xiangqi) and UAI (Ataxx). [`Family`] has what they differ
//! in.

use lodestone_game::protocol::{Limits, OptionSpec, Reply, Start};
use referee_core::player::Protocol;

use super::cells::{Cells, Shape, unsayable};
use super::link::{Link, refused};
use super::scores::{self, Mates};
use super::wording::{self, Unit, Wording};
use super::{BridgeAnswer, BridgeEnd, EngineProtocol, Place};

/// What one of these protocols has of its own.
#[derive(Debug)]
pub(super) struct Family {
    wording: &'static Wording,
    greeting: &'static str,
    /// What ends the answer to the greeting.
    greeted: &'static str,
    /// The lines before a game.
    new_game: [&'static str; 2],
    /// What is before the name and the value of an option.
    option: [&'static str; 2],
    start: fn(&Start) -> String,
    /// The moves that the protocol has, and some of them for messages.
    shapes: &'static [Shape],
    examples: &'static str,
    /// A drop of the rules as the engine has it, and the other way round.
    drop: [char; 2],
    mates: Mates,
}

const IS_READY: &str = "isready";

/// A pass in UAI.
const PASS: &str = "0000";

/// The option of UCCI that makes times milliseconds.
const MILLISECONDS: &str = "usemillisec";

pub(super) static USI: Family = Family {
    wording: &wording::USI,
    greeting: "usi",
    greeted: "usiok",
    new_game: [IS_READY, "usinewgame"],
    option: ["name ", " value "],
    start: |start| match start {
        Start::Startpos => "startpos".to_string(),
        Start::Fen(fen) => format!("sfen {}", sfen(fen)),
    },
    shapes: &[Shape::Step, Shape::Promotion, Shape::Drop],
    examples: "`7g7f` or `P*5e`",
    drop: ['@', '*'],
    mates: Mates::Plies,
};

pub(super) static UCCI: Family = Family {
    wording: &wording::UCCI,
    greeting: "ucci",
    greeted: "ucciok",
    new_game: ["setoption newgame", IS_READY],
    option: ["", " "],
    // Older engines know the start by no word.
    start: |start| match start {
        Start::Startpos => {
            "fen rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1".to_string()
        }
        Start::Fen(fen) => format!("fen {fen}"),
    },
    shapes: &[Shape::Step],
    examples: "`h2e2`",
    drop: ['@', '@'],
    mates: Mates::Moves,
};

pub(super) static UAI: Family = Family {
    wording: &wording::UAI,
    greeting: "uai",
    greeted: "uaiok",
    new_game: ["uainewgame", IS_READY],
    option: ["name ", " value "],
    start: |start| match start {
        Start::Startpos => "startpos".to_string(),
        Start::Fen(fen) => format!("fen {fen}"),
    },
    shapes: &[Shape::Cell, Shape::Step, Shape::Pass],
    examples: "`g2`, `a1c3` or `0000`",
    drop: ['@', '@'],
    mates: Mates::Moves,
};

#[derive(Debug)]
pub(super) struct UciLike {
    family: &'static Family,
    /// That of the family, perhaps in another unit.
    wording: Wording,
}

impl UciLike {
    pub fn new(family: &'static Family) -> UciLike {
        UciLike {
            family,
            wording: *family.wording,
        }
    }

    /// A move of the rules as the protocol writes it.
    fn sent(&self, mv: &str, cells: &Cells) -> Result<String, BridgeEnd> {
        let [ours, theirs] = self.family.drop;
        let (text, shape) = cells.to_engine(mv);
        match shape {
            shape if !self.family.shapes.contains(&shape) => {
                let expected = format!("a move such as {}", self.family.examples);
                Err(unsayable(mv, &text, self.wording.protocol, &expected))
            }
            Shape::Pass => Ok(PASS.to_string()),
            Shape::Drop => Ok(text.replace(ours, &theirs.to_string())),
            _ => Ok(text),
        }
    }

    /// Waits for the line `bestmove` or `nobestmove` that ends a search, and passes lines `info` on.
    fn best_move(&self, wire: &mut Link<'_>) -> Result<String, BridgeEnd> {
        loop {
            let line = wire.receive()?;
            match line.split_whitespace().next() {
                Some("bestmove" | "nobestmove") => return Ok(line),
                Some("info") => {
                    if let Some(info) = scores::info(&line, self.family.mates) {
                        wire.client.responder.add(&info);
                    }
                }
                _ => {}
            }
        }
    }
}

/// A line `option [name] NAME type …`: UCCI has no word `name`.
fn option(line: &str) -> Option<OptionSpec> {
    let rest = line.strip_prefix("option ")?;
    let rest = rest.strip_prefix("name ").unwrap_or(rest);
    match Reply::parse(&format!("option name {rest}")) {
        Ok(Reply::Option(option)) => Some(option),
        _ => None,
    }
}

impl EngineProtocol for UciLike {
    fn wording(&self) -> &Wording {
        &self.wording
    }

    fn greet(&mut self, wire: &mut Link<'_>) -> Result<(Option<String>, Vec<OptionSpec>), BridgeEnd> {
        wire.send(self.family.greeting);
        let (mut name, mut options) = (None, Vec::new());
        loop {
            let line = wire.receive()?;
            if line == self.family.greeted {
                break;
            }
            if let Some(own) = line.strip_prefix("id name ") {
                name = Some(own.trim().to_string());
            }
            options.extend(option(&line));
        }
        if self.wording.protocol == Protocol::Ucci {
            let count = options.len();
            options.retain(|option| option.name != MILLISECONDS);
            if options.len() == count {
                self.wording.unit = Unit::Seconds;
            } else {
                self.set_option(MILLISECONDS, Some("true"), wire)?;
            }
        }
        Ok((name, options))
    }

    fn takes_positions(&self) -> bool {
        true
    }

    fn set_option(&mut self, name: &str, value: Option<&str>, wire: &mut Link<'_>) -> Result<(), BridgeEnd> {
        let [before_name, before_value] = self.family.option;
        let value = value.map_or(String::new(), |value| format!("{before_value}{value}"));
        wire.send(&format!("setoption {before_name}{name}{value}"));
        Ok(())
    }

    fn new_game(&mut self, _: &Cells, wire: &mut Link<'_>) -> Result<(), BridgeEnd> {
        for line in self.family.new_game {
            if line == IS_READY {
                wire.ask_until(line, "readyok")?;
            } else {
                wire.send(line);
            }
        }
        Ok(())
    }

    fn go(
        &mut self,
        place: &Place,
        limits: &Limits,
        cells: &Cells,
        wire: &mut Link<'_>,
    ) -> Result<BridgeAnswer, BridgeEnd> {
        let mut line = format!("position {}", (self.family.start)(&place.start));
        for (number, mv) in place.moves.iter().enumerate() {
            line += if number == 0 { " moves " } else { " " };
            line += &self.sent(mv, cells)?;
        }
        wire.send(&line);
        let mover = place.mover();
        let go = self.wording.told(limits, mover).go();
        wire.send(&go);
        let line = self.best_move(wire)?;
        let mut words = line.split_whitespace().skip(1);
        let word = words.next().unwrap_or_default();
        // `nobestmove` and `bestmove h2e2 resign` of UCCI give up, too.
        if word == "resign" || line.starts_with("nobestmove") || words.any(|word| word == "resign") {
            return Ok(BridgeAnswer::Resigns);
        }
        let (mv, shape) = cells.to_rules(word, mover);
        if self.family.shapes.contains(&shape) {
            let [ours, theirs] = self.family.drop;
            let mv = if shape == Shape::Drop {
                mv.replace(theirs, &ours.to_string())
            } else {
                mv
            };
            return Ok(BridgeAnswer::Move(mv));
        }
        let why = match word {
            "win" => ": it claims a win, which the rules do not give here".to_string(),
            _ => format!(", which is not a move such as {}", self.family.examples),
        };
        Err(refused(&go, &line, &why))
    }

    fn stop(&self) -> Option<&'static str> {
        Some("stop")
    }
}

/// The text of a position of shogi as SFEN: the pieces in hand are a word of their own, the first player is black.
fn sfen(fen: &str) -> String {
    let mut words = fen.split_whitespace();
    let board = words.next().unwrap_or_default();
    let (board, hand) = board.split_once('[').unwrap_or((board, ""));
    let hand = hand.trim_end_matches(']');
    let mover = if words.next() == Some("b") { "w" } else { "b" };
    let mut counted = String::new();
    let mut pieces: Vec<char> = hand.chars().filter(char::is_ascii_alphabetic).collect();
    pieces.sort_unstable();
    for group in pieces.chunk_by(|one, other| one == other) {
        if group.len() > 1 {
            counted += &group.len().to_string();
        }
        counted.push(group[0]);
    }
    if counted.is_empty() {
        counted.push('-');
    }
    format!("{board} {mover} {counted} 1")
}

#[cfg(test)]
mod tests {
    use super::super::cells::{BoardNames, CellOptions, Naming};
    use super::*;

    #[test]
    fn writes_a_drop_as_the_protocol_does() {
        let cells = Cells::new(Naming::Same, &BoardNames::default(), &CellOptions::default());
        let sent = UciLike::new(&USI).sent("P@e5", &cells);
        assert_eq!(sent.ok().as_deref(), Some("P*e5"));
    }

    #[test]
    fn writes_positions_as_sfen() {
        for (fen, expected) in [
            (
                "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL[-] w 0 1",
                "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
            ),
            (
                "9/9/9/9/4k4/9/9/9/4K4[PPbP] b 0 7",
                "9/9/9/9/4k4/9/9/9/4K4 w 3Pb 1",
            ),
        ] {
            assert_eq!(sfen(fen), expected);
        }
    }
}
