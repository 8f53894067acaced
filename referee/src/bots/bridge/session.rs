//! The bridge as a bot.

use std::time::Instant;

use lodestone_game::input::Input;
use lodestone_game::protocol::{Limits, OptionKind, OptionSpec, Query, Start};
use referee_core::game::clock::Control;
use referee_core::io::lines::LineBuffer;
use referee_core::player::{BRIDGE_NOTE, NO_FEN, Protocol, is_pass};

use super::cells::{CellOptions, Cells, Naming, split_names};
use super::gomocup::Gomocup;
use super::gtp::Gtp;
use super::link::{EngineChild, Link, LocalClient};
use super::uci_like::{self, UciLike};
use super::xboard::Xboard;
use super::{BoardNames, BridgeAnswer, BridgeEnd, EngineProtocol, Place, TextOptions};
use crate::bots::client::{Bot, Client, report, serve};
use crate::bots::responder::Responder;

/// The options of every bridge: the names of the engine's cells.
const CELL_OPTIONS: [&str; 3] = ["Columns", "Rows", "Cell"];

/// The option of bridges for GTP and `XBoard` with lines for the engine, which begin each game, and what is between two.
pub(crate) const INIT: &str = "Init";
pub(crate) const END_OF_LINE: &str = "\\n";

#[derive(Debug)]
pub(crate) struct BridgePlan {
    pub protocol: Protocol,
    /// The engine.
    pub program: String,
    pub args: Vec<String>,
    /// The names of the rules.
    pub board: BoardNames,
    /// The limits of the player in its match.
    pub control: Control,
}

/// Plays for the client until it leaves.
pub(crate) fn run(plan: &BridgePlan) -> Result<(), BridgeEnd> {
    let (protocol, naming): (Box<dyn EngineProtocol>, Naming) = match plan.protocol {
        Protocol::Gtp => (Box::new(Gtp::new()), Naming::WithoutI),
        Protocol::Xboard => (Box::<Xboard>::default(), Naming::Same),
        Protocol::Usi => (Box::new(UciLike::new(&uci_like::USI)), Naming::Shogi),
        Protocol::Ucci => (Box::new(UciLike::new(&uci_like::UCCI)), Naming::FromZero),
        Protocol::Uai => (Box::new(UciLike::new(&uci_like::UAI)), Naming::Same),
        Protocol::Gomocup => (Box::new(Gomocup::new()), Naming::Numbers),
        Protocol::Uci | Protocol::Ugi => return Ok(()),
    };
    let mut session = BridgeSession {
        plan,
        protocol,
        naming,
        engine: EngineChild::start(&plan.program, &plan.args)?,
        own_options: TextOptions::new(CELL_OPTIONS),
        cells: None,
        place: Place {
            start: Start::Startpos,
            moves: Vec::new(),
            known: None,
        },
        is_new_game: false,
        has_game: false,
        has_told_limits: false,
    };
    let mut client = Client::new(LineBuffer::default(), Responder::default());
    match serve(&mut session, &mut client) {
        Ok(()) | Err(BridgeEnd::Left) => {
            session.engine.dismiss(session.protocol.end());
            Ok(())
        }
        Err(end) => {
            client.responder.flush();
            Err(end)
        }
    }
}

/// The bridge and its engine.
struct BridgeSession<'a> {
    plan: &'a BridgePlan,
    protocol: Box<dyn EngineProtocol>,
    naming: Naming,
    engine: EngineChild,
    own_options: TextOptions<3>,
    /// `None` until all options are set.
    cells: Option<Cells>,
    place: Place,
    /// Whether the client has said that a game begins, and the engine does not know it yet.
    is_new_game: bool,
    /// Whether the engine plays a game.
    has_game: bool,
    has_told_limits: bool,
}

impl BridgeSession<'_> {
    /// Lets the protocol speak.
    fn speak<T>(
        &mut self,
        client: &mut LocalClient,
        speak: impl FnOnce(&mut dyn EngineProtocol, &mut Link<'_>) -> Result<T, BridgeEnd>,
    ) -> Result<T, BridgeEnd> {
        let stop = self.protocol.stop();
        let mut wire = Link {
            engine: &mut self.engine,
            client,
            stop,
        };
        wire.begin();
        speak(self.protocol.as_mut(), &mut wire)
    }
}

impl Bot for BridgeSession<'_> {
    type Input = LineBuffer;
    type Error = BridgeEnd;

    fn introduce(&mut self, client: &mut LocalClient) -> Result<(String, Vec<OptionSpec>), BridgeEnd> {
        let (name, mut options) = self.speak(client, |protocol, wire| protocol.greet(wire))?;
        options.extend(self.own_options.specs());
        if self.plan.protocol.has_init() {
            options.extend(TextOptions::new([INIT]).specs());
        }
        if !self.protocol.takes_positions() {
            options.push(OptionSpec {
                name: NO_FEN.to_string(),
                kind: OptionKind::Check { default: true },
            });
        }
        let name = name.unwrap_or_else(|| format!("engine behind {}", self.plan.protocol.name()));
        Ok((name, options))
    }

    /// Meanwhile, the output of the engine is read, so that it does not block.
    fn next_input(&mut self, client: &mut LocalClient) -> Input {
        loop {
            if let Some(input) = self.engine.input_of(client) {
                return input;
            }
            let protocol = &mut self.protocol;
            self.engine.wait_idle(client, |line| protocol.idle(line));
        }
    }

    /// Begins the game, because no clock runs now.
    fn prepare(&mut self, client: &mut LocalClient) -> Result<(), BridgeEnd> {
        if !std::mem::replace(&mut self.has_told_limits, true) {
            let control = &self.plan.control;
            let notes = self.protocol.wording().notes(control);
            for note in notes.iter().chain(&self.protocol.more_notes(control)) {
                client.responder.add(&format!("{BRIDGE_NOTE}{note}"));
            }
        }
        if self.is_new_game {
            self.begin_game(client)?;
        }
        Ok(())
    }

    fn new_game(&mut self) -> Result<(), BridgeEnd> {
        self.is_new_game = true;
        Ok(())
    }

    fn set_option(&mut self, name: &str, value: &str, client: &mut LocalClient) -> Result<(), BridgeEnd> {
        let filled = Some(value.trim()).filter(|value| !value.is_empty());
        if self.own_options.set(name, filled) {
            self.cells = None;
            return Ok(());
        }
        if self.plan.protocol.has_init() && name.eq_ignore_ascii_case(INIT) {
            let lines = filled.unwrap_or_default().split(END_OF_LINE).map(str::trim);
            let lines: Vec<String> = lines.filter(|line| !line.is_empty()).map(String::from).collect();
            return self.protocol.set_init(lines);
        }
        let value = Some(value).filter(|value| !value.is_empty());
        self.speak(client, |protocol, wire| protocol.set_option(name, value, wire))
    }

    fn set_position(&mut self, start: Start, moves: Vec<String>) {
        let is_same = start == self.place.start
            && self.place.known.is_some_and(|known| {
                let same = |(one, other): (&String, &String)| one == other || is_pass(one) && is_pass(other);
                moves.len() >= known && moves.iter().zip(&self.place.moves[..known]).all(same)
            });
        self.place = Place {
            start,
            moves,
            known: self.place.known.filter(|_| is_same),
        };
    }

    fn think(&mut self, limits: &Limits, _: Instant, client: &mut LocalClient) -> Result<String, BridgeEnd> {
        if matches!(self.place.start, Start::Fen(_)) && !self.protocol.takes_positions() {
            let why = "plays from the start position only, because it cannot be told another one";
            return Err(BridgeEnd::Engine(why.into()));
        }
        if self.is_new_game || !self.has_game {
            let place = std::mem::replace(&mut self.place, Place::start());
            self.begin_game(client)?;
            self.set_position(place.start, place.moves);
        }
        let cells = self.cells.take().unwrap_or_else(|| self.new_cells());
        let place = std::mem::replace(&mut self.place, Place::start());
        let answer = self.speak(client, |protocol, wire| protocol.go(&place, limits, &cells, wire));
        (self.cells, self.place) = (Some(cells), place);
        match answer? {
            BridgeAnswer::Resigns => {
                // What the engine thinks of the position now is not known.
                self.place.known = None;
                Ok("resign".to_string())
            }
            BridgeAnswer::Move(mv) => {
                self.place.moves.push(mv.clone());
                self.place.known = Some(self.place.moves.len());
                Ok(mv)
            }
        }
    }

    fn answer(&mut self, query: &Query) -> Result<(), BridgeEnd> {
        report(&format!("`{query}` is not answered: a bridge has no rules"));
        Ok(())
    }
}

impl BridgeSession<'_> {
    fn new_cells(&self) -> Cells {
        let [columns, rows, format] = CELL_OPTIONS.map(|name| self.own_options.get(name));
        let options = CellOptions {
            columns: columns.map(split_names),
            rows: rows.map(split_names),
            format: format.map(String::from),
        };
        Cells::new(self.naming, &self.plan.board, &options)
    }

    fn begin_game(&mut self, client: &mut LocalClient) -> Result<(), BridgeEnd> {
        let cells = self.cells.take().unwrap_or_else(|| self.new_cells());
        let ready = self.speak(client, |protocol, wire| protocol.new_game(&cells, wire));
        self.cells = Some(cells);
        ready?;
        (self.is_new_game, self.has_game) = (false, true);
        self.place = Place {
            known: Some(0),
            ..Place::start()
        };
        Ok(())
    }
}

impl Place {
    /// The start of a game that the engine does not know.
    const fn start() -> Place {
        Place {
            start: Start::Startpos,
            moves: Vec::new(),
            known: None,
        }
    }
}
