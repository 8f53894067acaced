//! USI: shogi.

use std::fmt::Write as _;

use lodestone::board::Side;
use lodestone::protocol::{Limits, OptionSpec, Reply, Start};
use referee_core::game::clock::{Control, TimeControl};

use super::cells::{Cells, unsayable};
use super::link::{Link, refused};
use super::{BridgeAnswer, BridgeEnd, Clocks, EngineProtocol, Place};

#[derive(Debug, Default)]
pub(super) struct Usi {
    name: Option<String>,
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

/// A move of the rules as USI writes it.
fn sent(mv: &str, cells: &Cells) -> Result<String, BridgeEnd> {
    let (text, form) = cells.to_engine(mv);
    if is_form(&form, '@') {
        return Ok(text.replace('@', "*"));
    }
    Err(unsayable(mv, &text, "USI", "a move such as `7g7f` or `P*5e`"))
}

/// Two cells with perhaps a promotion, or a drop.
fn is_form(form: &str, drop: char) -> bool {
    matches!(form, "##" | "##+")
        || form.len() == 3
            && form.starts_with(|sign: char| sign.is_ascii_alphabetic())
            && form.ends_with(&format!("{drop}#"))
}

impl EngineProtocol for Usi {
    fn greet(&mut self, wire: &mut Link<'_>) -> Result<(Option<String>, Vec<OptionSpec>), BridgeEnd> {
        wire.send("usi");
        let mut options = Vec::new();
        loop {
            let line = wire.receive()?;
            if line == "usiok" {
                return Ok((self.name.take(), options));
            }
            match Reply::parse(&line) {
                Ok(Reply::Option(option)) => options.push(option),
                Ok(Reply::IdName(name)) => self.name = Some(name),
                _ => {}
            }
        }
    }

    fn takes_positions(&self) -> bool {
        true
    }

    fn set_option(&mut self, name: &str, value: Option<&str>, wire: &mut Link<'_>) -> Result<(), BridgeEnd> {
        let value = value.map(|value| format!(" value {value}"));
        wire.send(&format!("setoption name {name}{}", value.unwrap_or_default()));
        Ok(())
    }

    fn limits(&mut self, control: &Control, wire: &mut Link<'_>) {
        if let TimeControl::Clock { moves, increment, .. } = control.time
            && (moves.is_some() || !increment.is_zero())
        {
            wire.note("is told the time on its clock, but not what is added later: USI cannot express it");
        }
    }

    fn new_game(&mut self, _: &Cells, wire: &mut Link<'_>) -> Result<(), BridgeEnd> {
        wire.ask_until("isready", "readyok")?;
        wire.send("usinewgame");
        Ok(())
    }

    fn go(
        &mut self,
        place: &Place,
        limits: &Limits,
        cells: &Cells,
        wire: &mut Link<'_>,
    ) -> Result<BridgeAnswer, BridgeEnd> {
        let mut line = match &place.start {
            Start::Startpos => "position startpos".to_string(),
            Start::Fen(fen) => format!("position sfen {}", sfen(fen)),
        };
        for (number, mv) in place.moves.iter().enumerate() {
            line += if number == 0 { " moves " } else { " " };
            line += &sent(mv, cells)?;
        }
        wire.send(&line);
        let mover = place.mover();
        let clocks = Clocks::of(limits, mover);
        let mut go = "go".to_string();
        go += &time_words(&clocks, mover);
        for (word, limit) in [("depth", limits.depth.map(u64::from)), ("nodes", limits.nodes)] {
            if let Some(limit) = limit {
                let _ = write!(go, " {word} {limit}");
            }
        }
        wire.send(&go);
        let line = best_move(wire)?;
        let word = line.split_whitespace().nth(1).unwrap_or_default();
        if word == "resign" {
            return Ok(BridgeAnswer::Resigns);
        }
        let (mv, form) = cells.to_rules(word, mover == Side::First);
        if is_form(&form, '*') {
            return Ok(BridgeAnswer::Move(mv.replace('*', "@")));
        }
        let why = if word == "win" {
            ": it claims a win, which the rules do not give here"
        } else {
            ", which is not a move such as `7g7f`"
        };
        Err(refused(&go, &line, why))
    }

    fn stop(&self) -> Option<&'static str> {
        Some("stop")
    }
}

/// Waits for the line `bestmove` or `nobestmove` that ends a search, and passes lines `info` on.
pub(super) fn best_move(wire: &mut Link<'_>) -> Result<String, BridgeEnd> {
    loop {
        let line = wire.receive()?;
        match line.split_whitespace().next() {
            Some("bestmove" | "nobestmove") => return Ok(line),
            Some("info") => wire.client.responder.add(&without_moves(&line)),
            _ => {}
        }
    }
}

/// A line `info` up to its moves, which are not those of the rules.
fn without_moves(line: &str) -> String {
    let cut = [" pv ", " string ", " currmove "]
        .iter()
        .filter_map(|word| line.find(word))
        .min();
    line[..cut.unwrap_or(line.len())].to_string()
}

/// The words of `go` about time. The first player is black.
fn time_words(clocks: &Clocks, mover: Side) -> String {
    if let Some(time) = clocks.of_move {
        return format!(" btime 0 wtime 0 byoyomi {time}");
    }
    if !clocks.is_clock {
        return String::new();
    }
    let (black, white) = match mover {
        Side::First => (clocks.own, clocks.other),
        Side::Second => (clocks.other, clocks.own),
    };
    // GPSShogi ends at `binc`, which is younger than the protocol. Each increment is in these times.
    format!(" btime {} wtime {} byoyomi 0", black.0, white.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_player_has_the_clock_of_black() {
        let limits = Limits {
            wtime: Some(50_000),
            btime: Some(60_000),
            ..Limits::default()
        };
        for mover in Side::BOTH {
            let words = time_words(&Clocks::of(&limits, mover), mover);
            assert_eq!(words, " btime 50000 wtime 60000 byoyomi 0", "{mover:?}");
        }
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
