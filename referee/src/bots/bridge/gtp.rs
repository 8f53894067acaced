//! GTP: Go, Hex, Gomoku and other games on cells.

use std::collections::HashSet;

use lodestone_game::board::Side;
use lodestone_game::protocol::{Limits, OptionSpec};
use referee_core::game::clock::{Control, TimeControl};
use referee_core::io::text::printable;

use super::cells::{Cells, Shape, unsayable};
use super::link::{FOREVER, Link, refused};
use super::wording::{self, Wording};
use super::{BridgeAnswer, BridgeEnd, EngineProtocol, Place, TextOptions};

/// What is sent before each game.
const SIZE: &str = "size";
const KOMI: &str = "komi";

/// The moves of the protocol.
const SHAPES: [Shape; 4] = [Shape::Cell, Shape::Step, Shape::Cells, Shape::Pass];

#[derive(Debug)]
pub(super) struct Gtp {
    /// The commands that the engine knows.
    known: HashSet<String>,
    options: TextOptions<2>,
    /// Lines of the user before each game.
    init: Vec<String>,
    /// The time settings that it knows.
    settings: Vec<String>,
    /// A line that began the next response while the one before was read.
    next: Option<String>,
}

/// A response: the text behind `=`, or the line with `?`.
type Response = Result<String, String>;

fn begins_response(line: &str) -> bool {
    line.starts_with(['=', '?'])
}

impl Gtp {
    pub fn new() -> Gtp {
        Gtp {
            known: HashSet::new(),
            options: TextOptions::new([SIZE, KOMI]),
            init: Vec::new(),
            settings: Vec::new(),
            next: None,
        }
    }

    /// The first line of the next response. Other lines before it, such as the rest of the last one, do not count.
    fn first_line(&mut self, wire: &mut Link<'_>) -> Result<String, BridgeEnd> {
        if let Some(line) = self.next.take() {
            return Ok(line);
        }
        loop {
            let line = wire.receive()?;
            if begins_response(&line) {
                wire.understood();
                return Ok(line);
            }
        }
    }

    /// Reads one response of a line. Its end is not awaited: some engines forget the empty line.
    fn response(&mut self, wire: &mut Link<'_>) -> Result<Response, BridgeEnd> {
        let line = self.first_line(wire)?;
        let text = line.trim_start_matches(|sign: char| sign == '=' || sign.is_ascii_digit());
        Ok(if line.starts_with('?') {
            Err(line)
        } else {
            Ok(text.trim().to_string())
        })
    }

    /// The same of lines, up to an empty one or the next response.
    fn long_response(&mut self, wire: &mut Link<'_>) -> Result<Response, BridgeEnd> {
        let mut response = self.response(wire)?;
        while let Some(line) = wire.receive_for(FOREVER)?.filter(|line| !line.is_empty()) {
            if begins_response(&line) {
                self.next = Some(line);
                break;
            }
            if let Ok(text) = &mut response {
                *text = format!("{text}\n{line}");
            }
        }
        wire.understood();
        Ok(response)
    }

    /// Sends a command that the engine has to understand, and waits for its response.
    fn order(&mut self, wire: &mut Link<'_>, command: &str) -> Result<String, BridgeEnd> {
        wire.send(command);
        self.response(wire)?.map_err(|line| refused(command, &line, ""))
    }
}

impl EngineProtocol for Gtp {
    fn wording(&self) -> &Wording {
        &wording::GTP
    }

    fn greet(&mut self, wire: &mut Link<'_>) -> Result<(Option<String>, Vec<OptionSpec>), BridgeEnd> {
        self.order(wire, "protocol_version")?;
        // The response after the list shows its end if no empty line does.
        let list = "list_commands";
        for command in [list, "name", "version"] {
            wire.send(command);
        }
        let commands = self
            .long_response(wire)?
            .map_err(|line| refused(list, &line, ""))?;
        self.known = commands.split_whitespace().map(String::from).collect();
        let name = self.response(wire)?.unwrap_or_default();
        let version = self.response(wire)?.unwrap_or_default();
        let name = format!("{name} {version}").trim().to_string();
        Ok((Some(name).filter(|name| !name.is_empty()), self.options.specs()))
    }

    fn takes_positions(&self) -> bool {
        false
    }

    fn set_option(&mut self, name: &str, value: Option<&str>, _: &mut Link<'_>) -> Result<(), BridgeEnd> {
        self.options.set(name, value);
        Ok(())
    }

    fn set_init(&mut self, lines: Vec<String>) -> Result<(), BridgeEnd> {
        let command = |line: &String| line.split(' ').next().unwrap_or_default().to_string();
        if let Some(unknown) = lines.iter().map(command).find(|word| !self.known.contains(word)) {
            let unknown = printable(&unknown, 60);
            let why = format!("has no command `{unknown}`, with which a line of `init` begins");
            return Err(BridgeEnd::Engine(why));
        }
        self.init = lines;
        Ok(())
    }

    /// An engine that has no command for its time is not told it.
    fn more_notes(&self, control: &Control) -> Option<String> {
        let word = match control.time {
            TimeControl::Move(_) | TimeControl::FirstMove { .. } => "time_settings",
            TimeControl::Clock { .. } => "time_left",
            TimeControl::Unlimited => return None,
        };
        (!self.known.contains(word)).then(|| format!("is not told its time: it has no command `{word}`"))
    }

    fn new_game(&mut self, cells: &Cells, wire: &mut Link<'_>) -> Result<(), BridgeEnd> {
        let width = cells.width.map(|width| width.to_string());
        let size = self.options.get(SIZE).map(String::from).or(width);
        let komi = self.options.get(KOMI).map(|komi| format!("komi {komi}"));
        let mut commands: Vec<String> = size.map(|size| format!("boardsize {size}")).into_iter().collect();
        commands.push("clear_board".to_string());
        commands.extend(komi.into_iter().chain(self.init.iter().cloned()));
        for command in commands {
            self.order(wire, &command)?;
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
        let mover = place.mover();
        if place.known.is_none() {
            self.new_game(cells, wire)?;
        }
        // All is sent at once, and the responses come in the same order.
        let mut commands = Vec::new();
        let first_new = place.known.unwrap_or_default();
        for (number, mv) in place.new_moves().iter().enumerate() {
            let colour = colour([Side::First, Side::Second][(first_new + number) % 2]);
            commands.push(format!("play {colour} {}", vertex(mv, cells)?));
        }
        let told = wording::GTP.told(limits, mover);
        commands.extend(told.new_settings(&mut self.settings, limits));
        commands.extend(told.each_move);
        let knows = |command: &String| {
            let word = command.split(' ').next().unwrap_or_default();
            !word.starts_with("time") || self.known.contains(word)
        };
        commands.retain(knows);
        let request = format!("genmove {}", colour(mover));
        for command in commands.iter().chain([&request]) {
            wire.send(command);
        }
        for command in &commands {
            if let Err(line) = self.response(wire)?
                && !command.starts_with("time")
            {
                return Err(refused(command, &line, ", but the move is legal"));
            }
        }
        let mut answer = self
            .response(wire)?
            .map_err(|line| refused(&request, &line, ""))?;
        if answer.is_empty() {
            answer = wire.receive()?;
        }
        let word = answer.split_whitespace().next().unwrap_or_default();
        if word.eq_ignore_ascii_case("resign") {
            return Ok(BridgeAnswer::Resigns);
        }
        let (mv, shape) = cells.to_rules(&word.to_lowercase(), mover);
        if SHAPES.contains(&shape) {
            return Ok(BridgeAnswer::Move(mv));
        }
        let example = cells.example().to_uppercase();
        let why = format!(", which is not a cell such as `{example}`");
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
    let (text, shape) = cells.to_engine(mv);
    match shape {
        Shape::Pass => Ok("pass".to_string()),
        shape if SHAPES.contains(&shape) => Ok(text.to_uppercase()),
        _ => {
            let expected = format!("a cell such as `{}`", cells.example().to_uppercase());
            Err(unsayable(mv, &text, wording::GTP.protocol, &expected))
        }
    }
}
