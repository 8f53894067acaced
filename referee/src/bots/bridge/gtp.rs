//! GTP: Go, Hex, Gomoku and other games on cells.

use std::collections::HashSet;

use lodestone::board::Side;
use lodestone::protocol::{Limits, OptionSpec};
use referee_core::game::clock::{Control, TimeControl};
use referee_core::io::text::time;

use super::cells::{Cells, unsayable};
use super::link::{FOREVER, Link, refused};
use super::{BridgeAnswer, BridgeEnd, Clocks, EngineProtocol, Place, text_options};

/// What is sent before each game.
const SIZE: &str = "size";
const KOMI: &str = "komi";

#[derive(Debug, Default)]
pub(super) struct Gtp {
    /// The commands that the engine knows.
    known: HashSet<String>,
    size: Option<String>,
    komi: Option<String>,
    /// The time settings that it knows.
    settings: Option<String>,
}

/// A response: the text behind `=`, or the line with `?`.
type Response = Result<String, String>;

impl Gtp {
    /// Reads one response: from `=` or `?` to an empty line. Other lines before it do not count.
    fn response(wire: &mut Link<'_>) -> Result<Response, BridgeEnd> {
        let first = loop {
            let line = wire.receive()?;
            if line.starts_with(['=', '?']) {
                break line;
            }
        };
        let text = first.trim_start_matches(|sign: char| sign == '=' || sign.is_ascii_digit());
        let mut text = text.trim().to_string();
        while let Some(line) = wire.receive_for(FOREVER)? {
            if line.is_empty() {
                break;
            }
            text.push('\n');
            text.push_str(&line);
        }
        wire.understood();
        Ok(if first.starts_with('?') {
            Err(first)
        } else {
            Ok(text)
        })
    }

    /// Sends a command and waits for its response.
    fn ask(wire: &mut Link<'_>, command: &str) -> Result<Response, BridgeEnd> {
        wire.send(command);
        Gtp::response(wire)
    }

    /// The same of a command that the engine has to understand.
    fn order(wire: &mut Link<'_>, command: &str) -> Result<String, BridgeEnd> {
        Gtp::ask(wire, command)?.map_err(|line| refused(command, &line, ""))
    }

    /// The command that tells the time of a game.
    fn time_settings(clocks: &Clocks) -> Option<String> {
        if let Some(time) = clocks.of_move {
            return Some(format!("time_settings 0 {} 1", seconds(time)));
        }
        let (main, _) = clocks.own;
        clocks.is_clock.then(|| match clocks.moves_to_go {
            Some(moves) => format!("time_settings 0 {} {moves}", main / 1000),
            None => format!("time_settings {} 0 0", main / 1000),
        })
    }
}

/// Whole seconds, at least one: less would be none.
const fn seconds(milliseconds: u64) -> u64 {
    let seconds = milliseconds / 1000;
    if seconds == 0 { 1 } else { seconds }
}

impl EngineProtocol for Gtp {
    fn greet(&mut self, wire: &mut Link<'_>) -> Result<(Option<String>, Vec<OptionSpec>), BridgeEnd> {
        Gtp::order(wire, "protocol_version")?;
        let commands = Gtp::order(wire, "list_commands")?;
        self.known = commands.split_whitespace().map(String::from).collect();
        let name = Gtp::ask(wire, "name")?.unwrap_or_default();
        let version = Gtp::ask(wire, "version")?.unwrap_or_default();
        let name = format!("{name} {version}").trim().to_string();
        Ok((
            Some(name).filter(|name| !name.is_empty()),
            text_options([SIZE, KOMI]),
        ))
    }

    fn takes_positions(&self) -> bool {
        false
    }

    fn set_option(&mut self, name: &str, value: Option<&str>, _: &mut Link<'_>) -> Result<(), BridgeEnd> {
        let place = if name.eq_ignore_ascii_case(SIZE) {
            &mut self.size
        } else {
            &mut self.komi
        };
        *place = value.map(String::from);
        Ok(())
    }

    fn limits(&mut self, control: &Control, wire: &mut Link<'_>) {
        if control.depth.or(control.nodes.map(|_| 0)).is_some() {
            wire.note("is not told `depth` and `nodes`: GTP has no such limits");
        }
        let word = match control.time {
            TimeControl::Move(each) | TimeControl::FirstMove { each, .. } => {
                let sent = seconds(each.as_millis() as u64);
                if sent * 1000 != each.as_millis() as u64 {
                    let each = time(each);
                    wire.note(&format!(
                        "is told {sent} s for a move of {each}: GTP counts whole seconds"
                    ));
                }
                "time_settings"
            }
            TimeControl::Clock { increment, .. } => {
                if !increment.is_zero() {
                    wire.note("is not told the increment of its clock: GTP has none; it is told its time at each move");
                }
                "time_left"
            }
            TimeControl::Unlimited => return,
        };
        if !self.known.contains(word) {
            wire.note(&format!("is not told its time: it has no command `{word}`"));
        }
    }

    fn new_game(&mut self, cells: &Cells, wire: &mut Link<'_>) -> Result<(), BridgeEnd> {
        if let Some(size) = self.size.clone().or(cells.width.map(|width| width.to_string())) {
            Gtp::order(wire, &format!("boardsize {size}"))?;
        }
        Gtp::order(wire, "clear_board")?;
        if let Some(komi) = &self.komi {
            Gtp::order(wire, &format!("komi {komi}"))?;
        }
        self.settings = None;
        Ok(())
    }

    fn go(
        &mut self,
        place: &Place,
        limits: &Limits,
        cells: &Cells,
        wire: &mut Link<'_>,
    ) -> Result<BridgeAnswer, BridgeEnd> {
        let mover = place.mover();
        // All is sent at once, and the responses come in the same order.
        let mut commands = Vec::new();
        if place.known.is_none() {
            commands.push("clear_board".to_string());
        }
        let first_new = place.known.unwrap_or_default();
        for (number, mv) in place.new_moves().iter().enumerate() {
            let colour = colour([Side::First, Side::Second][(first_new + number) % 2]);
            commands.push(format!("play {colour} {}", vertex(mv, cells)?));
        }
        let clocks = Clocks::of(limits, mover);
        let settings = Gtp::time_settings(&clocks).filter(|_| self.known.contains("time_settings"));
        if settings.is_some()
            && (self.settings.is_none() || clocks.of_move.is_some() && settings != self.settings)
        {
            commands.extend(settings.clone());
            self.settings = settings;
        }
        // A time for each move begins anew by itself.
        if clocks.is_clock && clocks.of_move.is_none() && self.known.contains("time_left") {
            let (left, stones) = (clocks.own.0 / 1000, clocks.moves_to_go.unwrap_or_default());
            commands.push(format!("time_left {} {left} {stones}", colour(mover)));
        }
        let request = format!("genmove {}", colour(mover));
        for command in &commands {
            wire.send(command);
        }
        wire.send(&request);
        for command in &commands {
            if let Err(line) = Gtp::response(wire)?
                && !command.starts_with("time")
            {
                let why = if command.starts_with("play") {
                    ", but the move is legal"
                } else {
                    ""
                };
                return Err(refused(command, &line, why));
            }
        }
        let answer = Gtp::response(wire)?.map_err(|line| refused(&request, &line, ""))?;
        let word = answer.split_whitespace().next().unwrap_or_default();
        if word.eq_ignore_ascii_case("resign") {
            return Ok(BridgeAnswer::Resigns);
        }
        let (mv, form) = cells.to_rules(&word.to_lowercase(), mover == Side::First);
        if form == "pass" || (form.contains('#') && form.chars().all(|sign| "#-:x".contains(sign))) {
            return Ok(BridgeAnswer::Move(mv));
        }
        let why = format!(
            ", which is not a cell such as `{}`",
            cells.example().to_uppercase()
        );
        Err(refused(&request, &answer, &why))
    }
}

const fn colour(side: Side) -> &'static str {
    match side {
        Side::First => "b",
        Side::Second => "w",
    }
}

/// A move of the rules as GTP writes it.
fn vertex(mv: &str, cells: &Cells) -> Result<String, BridgeEnd> {
    let (text, form) = cells.to_engine(mv);
    if form.eq_ignore_ascii_case("pass") {
        return Ok("pass".to_string());
    }
    if form.contains('#') && form.chars().all(|sign| "#-:x".contains(sign)) {
        return Ok(text.to_uppercase());
    }
    Err(unsayable(
        mv,
        &text,
        "GTP",
        &format!("a cell such as `{}`", cells.example().to_uppercase()),
    ))
}
