//! The adapter as a bot.

use std::io;
use std::os::fd::BorrowedFd;
use std::time::{Duration, Instant};

use lodestone_game::Variant;
use lodestone_game::board::Side;
use lodestone_game::input::{Input, Lines};
use lodestone_game::protocol::{Limits, OptionKind, OptionSpec, Query, Reply, Start};
use referee_core::io::text::printable;
use referee_core::player::{SIDE, START_ONLY, side_value};

use super::game::{AdaptedGame, FIRST_OUTPUT_WAIT, GameEnd, GameObserver, problem, start_program};
use super::line::Line;
use super::program::{AdaptedProgram, wait};
use super::spec::AdapterSpec;
use crate::bots::client::{Bot, Client, MAX_ERROR, report, serve};
use crate::bots::responder::{Responder, say};

/// The option that selects the game.
const VARIANT_OPTION: &str = "UCI_Variant";

/// A client whose lines are read between those of the program.
type LocalClient = Client<Lines>;

/// Plays games for the client until it leaves.
pub(crate) fn run(spec: &AdapterSpec) -> Result<(), GameEnd> {
    let mut session = AdapterSession {
        spec,
        line: Line::startpos(spec.rules),
        game: None,
        started: None,
    };
    let mut client = Client::new(Lines::default(), Responder::default());
    match serve(&mut session, &mut client) {
        Err(GameEnd::Problem { message, screen }) => {
            report(&message);
            Err(GameEnd::Problem { message, screen })
        }
        Err(GameEnd::Short(why)) => {
            report(&why);
            Err(GameEnd::Short(why))
        }
        Ok(()) | Err(GameEnd::Abandoned) => Ok(()),
    }
}

/// The adapter and its game.
#[derive(Debug)]
struct AdapterSession<'a> {
    spec: &'a AdapterSpec,
    line: Line,
    game: Option<AdaptedGame<'a>>,
    /// The program of the next game.
    started: Option<AdaptedProgram>,
}

impl Bot for AdapterSession<'_> {
    type Input = Lines;
    type Error = GameEnd;

    fn introduce(&mut self, _: &mut LocalClient) -> Result<(String, Vec<OptionSpec>), GameEnd> {
        let game = self.spec.rules.name().to_string();
        let game = OptionSpec {
            name: VARIANT_OPTION.to_string(),
            kind: OptionKind::Combo {
                default: game.clone(),
                choices: vec![game],
            },
        };
        let start_only = (!self.spec.takes_placement).then(|| OptionSpec {
            name: START_ONLY.to_string(),
            kind: OptionKind::Check { default: true },
        });
        // The only value of the option is the only side.
        let side = self.spec.plays.map(|side| OptionSpec {
            name: SIDE.to_string(),
            kind: OptionKind::Combo {
                default: side_value(side).to_string(),
                choices: vec![side_value(side).to_string()],
            },
        });
        let options = std::iter::once(game).chain(start_only).chain(side).collect();
        Ok((format!("adapter {}", lodestone_game::VERSION), options))
    }

    /// Meanwhile, the output of the program is read, so that it does not block.
    fn next_input(&mut self, client: &mut LocalClient) -> Input {
        loop {
            if let Some(input) = client.source.pop() {
                return input;
            }
            let mut program = match &mut self.game {
                Some(game) => Some(&mut game.program),
                None => self.started.as_mut(),
            };
            let has_input = wait(program.as_deref_mut(), Some(rustix::stdio::stdin()), None);
            if let Some(program) = program {
                let new = program.read();
                client.printed(&new);
            }
            if has_input {
                client.source.read_from(&mut io::stdin().lock());
            }
        }
    }

    /// Waits until the program for the next game has started, because no clock runs now.
    fn prepare(&mut self, client: &mut LocalClient) -> Result<(), GameEnd> {
        let until = Instant::now() + FIRST_OUTPUT_WAIT;
        while let Some(program) = &mut self.started {
            let new = program.read();
            client.printed(&new);
            let left = until.saturating_duration_since(Instant::now());
            if program.written > 0 || program.is_closed || left.is_zero() {
                break;
            }
            wait(Some(program), None, Some(left));
        }
        Ok(())
    }

    fn new_game(&mut self) -> Result<(), GameEnd> {
        self.game = None;
        self.started = None;
        if self.spec.has_fixed_command() {
            let start = self.spec.rules.startpos();
            self.started = Some(start_program(self.spec, start.as_ref(), Side::First)?);
        }
        Ok(())
    }

    /// Accepts the game that the program plays. Another one is a problem, because the client
    /// would send its positions.
    fn set_option(&mut self, name: &str, value: &str, _: &mut LocalClient) -> Result<(), GameEnd> {
        let ruleset = self.spec.rules;
        if self.spec.plays.is_some() && name.eq_ignore_ascii_case(SIDE) {
            return Ok(());
        }
        if !name.eq_ignore_ascii_case(VARIANT_OPTION) {
            report(&format!("there is no option `{}`", printable(name, MAX_NAME)));
            return Ok(());
        }
        if value.eq_ignore_ascii_case(ruleset.name()) {
            self.line = Line::startpos(ruleset);
            return Ok(());
        }
        if Variant::from_name(&value.to_lowercase()).is_none() {
            report(&format!("there is no variant `{}`", printable(value, MAX_NAME)));
            return Ok(());
        }
        Err(problem(format!(
            "this program plays {ruleset}, not {value}; its file says so (key `variant`)"
        )))
    }

    fn set_position(&mut self, start: Start, moves: Vec<String>) {
        match Line::parse(self.spec.rules, &start, &moves, &self.line) {
            Ok(line) => self.line = line,
            Err(why) => report(&why),
        }
    }

    fn think(
        &mut self,
        limits: &Limits,
        arrival: Instant,
        client: &mut LocalClient,
    ) -> Result<String, GameEnd> {
        // Lines that arrived with `go` are not seen by `poll` any more.
        if !client.receive_all() {
            return Err(GameEnd::Abandoned);
        }
        match self.line.position().outcome() {
            Some(_) => Ok("0000".to_string()),
            None => self.program_move(limits, arrival, client),
        }
    }

    fn answer(&mut self, query: &Query) -> Result<(), GameEnd> {
        if let Some(position) = self.line.position().built_in() {
            Reply::to(query, position).iter().for_each(say);
        }
        Ok(())
    }

    fn display(&self) -> Option<String> {
        let position = self.line.position();
        Some(format!("{}\nFen: {}", position.board(), position.fen()))
    }
}

impl AdapterSession<'_> {
    /// The program's move in the client's position.
    fn program_move(
        &mut self,
        limits: &Limits,
        arrival: Instant,
        client: &mut LocalClient,
    ) -> Result<String, GameEnd> {
        if let Some(mv) = self.game.as_ref().and_then(|game| game.known_answer(&self.line)) {
            return Ok(mv.text);
        }
        let side = self.line.position().side_to_move();
        if let Some(only) = self.spec.plays.filter(|only| *only != side) {
            let [only, other] = [only, side].map(Side::ordinal);
            return Err(problem(format!(
                "this program plays only as the {only} player, as its file says (key `plays`), and not as the {other}"
            )));
        }
        let continuation = self.game.as_ref().and_then(|game| game.continuation(&self.line));
        // One process at a time: another game ends the old one.
        let old = self.game.take().filter(|_| continuation.is_some());
        let mut game = match old {
            Some(game) => game,
            None => AdaptedGame::start(self.spec, self.started.take(), &self.line, client)?,
        };
        if let Some(mv) = continuation {
            game.opponent_moves(mv, client)?;
        }
        let clock = match side {
            Side::First => limits.wtime,
            Side::Second => limits.btime,
        };
        let allowed = limits.movetime.or(clock).filter(|_| limits.is_bounded());
        let allowed = allowed.map(|time| Duration::from_millis(time.max(0) as u64));
        // What was typed before counts, too.
        let left = allowed.map(|allowed| allowed.saturating_sub(arrival.elapsed()));
        let answer = game.await_answer(left, client)?;
        if let Some(why) = answer.problem {
            let text = format!("the program's answer {} cannot be played: {why}", answer.text);
            say(&Reply::InfoString(printable(&text, MAX_ERROR)));
        } else if game.game.position().outcome().is_none() {
            self.game = Some(game);
        }
        Ok(answer.text)
    }
}

/// Maximum length of a name that an error repeats, in characters.
const MAX_NAME: usize = 40;

impl LocalClient {
    /// Receives all lines that were read during a search. Returns whether it goes on.
    fn receive_all(&mut self) -> bool {
        while let Some(input) = self.source.pop() {
            self.receive(input);
        }
        self.is_waiting()
    }
}

impl GameObserver for LocalClient {
    fn input(&self) -> Option<BorrowedFd<'_>> {
        // After its end, the input would be readable for ever.
        (!self.source.has_ended()).then(rustix::stdio::stdin)
    }

    /// The game goes on after the end of input if the search ends by itself.
    fn on_input(&mut self) -> bool {
        self.source.read_from(&mut io::stdin().lock());
        self.receive_all()
    }

    fn typed(&mut self, line: &str) {
        log::debug!("typed: {}", printable(line, MAX_ERROR));
    }

    fn printed(&mut self, text: &str) {
        for line in text.lines() {
            log::debug!("printed: {}", printable(line, MAX_ERROR));
        }
    }

    fn late(&mut self, why: &str) -> bool {
        report(why);
        !self.has_left
    }
}
