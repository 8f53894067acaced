//! The bot: input, time, choice of a move, output.

use std::io::{self, BufWriter, Stdout, Write};
use std::process::{Child, Command as Process, Stdio, exit};
use std::sync::mpsc::RecvTimeoutError;
use std::thread;
use std::time::{Duration, Instant};

use clap::ValueEnum;
use lodestone_game::board::{Cell, Side};
use lodestone_game::protocol::{Command, Dialect, Limits, Query, Response, Start, StateQuery};
use lodestone_game::{AnyPosition, MoveError, Variant};

use crate::Lines;
use crate::animals::{Animal, When};
use crate::fault::{Fault, Habit};
use crate::harm::{CHILD, LONG, sleep_for_ever};

/// The spin option: its name, smallest and largest value.
const HASH: (&str, i64, i64) = ("Hash", 1, 1024);

pub struct Bot {
    fault: Option<Fault>,
    habit: Option<Habit>,
    animal: Option<&'static Animal>,
    out: BufWriter<Stdout>,
    variant: Variant,
    position: Box<dyn AnyPosition>,
    /// Moves from the start position that `position` contains, if the bot keeps its board.
    played: usize,
    search: Option<Search>,
    /// Answers to `isready` that wait for the end of the search.
    ready_later: u32,
    answers: usize,
    /// Answers in this game.
    thinks: usize,
    /// Games that it has played move by move.
    games: u32,
    /// How many `position` commands continued the game, and the moves of the last one.
    continued: u32,
    moves: Vec<String>,
    memory: Vec<Vec<u8>>,
    children: Vec<Child>,
}

/// A running search.
struct Search {
    /// `None`: until `stop`.
    deadline: Option<Instant>,
}

/// Exits as a program with an error does.
fn fail() -> ! {
    eprintln!("IndexError: list index out of range");
    exit(1);
}

/// The delay of `starts-slowly`, in seconds, may follow its name.
fn delay() -> Duration {
    let seconds = std::env::args().nth(2).and_then(|seconds| seconds.parse().ok());
    Duration::try_from_secs_f64(seconds.unwrap_or(0.5)).unwrap_or_default()
}

fn ms(number: u64) -> Duration {
    Duration::from_millis(number)
}

/// A limit of `go` in milliseconds.
fn limit(number: Option<i64>) -> Option<Duration> {
    number.map(|number| ms(number.max(0) as u64))
}

impl Bot {
    /// The bot of this name.
    pub fn named(name: &str) -> Option<Bot> {
        let fault = Fault::from_str(name, false).ok();
        let habit = Habit::from_str(name, false).ok();
        let animal = Animal::named(name);
        if fault.is_none() && habit.is_none() && animal.is_none() {
            return None;
        }
        let variant = Variant::default();
        Some(Bot {
            fault,
            habit,
            animal,
            out: BufWriter::with_capacity(1 << 16, io::stdout()),
            variant,
            position: variant.startpos(),
            played: 0,
            search: None,
            ready_later: 0,
            answers: 0,
            thinks: 0,
            games: 0,
            continued: 0,
            moves: Vec::new(),
            memory: Vec::new(),
            children: Vec::new(),
        })
    }

    fn has(&self, fault: Fault) -> bool {
        self.fault == Some(fault)
    }

    fn does(&self, habit: Habit) -> bool {
        self.habit == Some(habit)
    }

    /// Misbehaves if it is the moment of its misbehaviour.
    fn misbehaves(&mut self, when: When) -> bool {
        let animal = self.animal.filter(|animal| animal.when == when);
        if let Some(animal) = animal {
            (animal.deed)(self);
        }
        animal.is_some()
    }

    /// Writes these bytes at once.
    pub fn bytes(&mut self, bytes: &[u8]) {
        if self.out.write_all(bytes).and_then(|()| self.out.flush()).is_err() {
            exit(0);
        }
    }

    /// Writes a line that stays in the buffer.
    fn write(&mut self, line: &str) {
        let end = if self.does(Habit::WritesCrlf) {
            "\r\n"
        } else {
            "\n"
        };
        let _ = write!(self.out, "{line}{end}");
    }

    pub fn say(&mut self, line: &str) {
        self.write(line);
        if !self.has(Fault::NeverFlushes) && self.out.flush().is_err() {
            exit(0);
        }
    }

    /// Plays until the end of input or `quit`.
    pub fn run(mut self, lines: &mut Lines) {
        self.start();
        loop {
            let deadline = self.search.as_ref().and_then(|search| search.deadline);
            if deadline.is_some_and(|deadline| deadline <= Instant::now()) {
                self.answer();
                continue;
            }
            match lines.next(deadline) {
                Ok(line) => self.read(&line),
                Err(RecvTimeoutError::Timeout) => self.answer(),
                Err(RecvTimeoutError::Disconnected) => {
                    let now = Instant::now();
                    thread::sleep(deadline.map_or(Duration::ZERO, |end| end.saturating_duration_since(now)));
                    self.end_of_input();
                }
            }
        }
    }

    fn start(&mut self) {
        self.misbehaves(When::Start);
        match self.fault {
            Some(Fault::ExitsAtStart) => fail(),
            Some(Fault::Banner) => self.say("Faulty 1.0 by the tests"),
            Some(Fault::LeavesChild) => self.start_child("sleeps"),
            Some(Fault::LeavesChildInSession) => self.start_child("session"),
            _ => {}
        }
        match self.habit {
            Some(Habit::StartsSlowly) => thread::sleep(delay()),
            Some(Habit::EndsItsChild) => self.start_child("sleeps"),
            _ => {}
        }
    }

    fn start_child(&mut self, kind: &str) {
        let Ok(program) = std::env::current_exe() else {
            return;
        };
        let child = Process::new(program)
            .args([CHILD, kind])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        self.children.extend(child);
    }

    fn end_of_input(&mut self) -> ! {
        match self.fault {
            Some(Fault::SleepsAtEndOfInput) => sleep_for_ever(),
            Some(Fault::LoopsAtEndOfInput) => {
                let start = Instant::now();
                while start.elapsed() < LONG {}
            }
            _ => {}
        }
        self.leave();
    }

    fn leave(&mut self) -> ! {
        self.misbehaves(When::Quit);
        if self.search.is_some() {
            self.answer();
        }
        let _ = self.out.flush();
        if self.does(Habit::EndsItsChild) {
            for child in &mut self.children {
                let _ = child.kill();
                let _ = child.wait();
            }
        }
        exit(i32::from(self.does(Habit::ExitsWithOne)));
    }

    fn read(&mut self, line: &str) {
        let mut line = line;
        if self.has(Fault::NoCrlf) && line.ends_with('\r') {
            return;
        }
        if line.len() > 255 {
            match self.fault {
                Some(Fault::ExitsAtLongLine) => fail(),
                Some(Fault::ShortLineBuffer) => line = line[..255].rsplit_once(' ').unwrap_or_default().0,
                _ => {}
            }
        }
        match Command::parse(line) {
            Ok(command) => self.execute(command),
            Err(_) if line.trim().is_empty() => {}
            Err(_) if line.trim_start().starts_with("position") => self.reject_position(line),
            Err(error) => {
                if self.has(Fault::ExitsAtUnknownCommand) {
                    fail();
                }
                let prefix = if self.has(Fault::ReportsUnknownCommand) {
                    "unknown command"
                } else {
                    "info string error"
                };
                self.say(&format!("{prefix}: {error}"));
            }
        }
    }

    fn execute(&mut self, command: Command) {
        match command {
            Command::Greet(dialect) => self.greet(dialect),
            Command::IsReady => self.is_ready(),
            Command::NewGame => self.new_game(),
            Command::SetOption { name, value } => self.set_option(&name, value.as_deref()),
            Command::Position { start, moves } => {
                if let Err(error) = self.set_position(&start, &moves) {
                    self.reject_position(&error);
                }
            }
            Command::Go(_) if self.search.is_some() => self.say("info string error: a search is running"),
            Command::Go(limits) => self.go(&limits),
            Command::Stop if self.search.is_some() => {
                if self.does(Habit::StopsSlowly) {
                    thread::sleep(ms(100));
                }
                if self.has(Fault::IllegalAtStop) {
                    self.search = None;
                    self.write("bestmove z9");
                } else if !self.has(Fault::IgnoresStop) {
                    self.answer();
                }
            }
            Command::Stop if self.has(Fault::AnswersIdleStop) => self.answer(),
            Command::Query(Query::State(query)) => self.respond(query),
            Command::Quit => self.quit(),
            _ => {}
        }
    }

    fn greet(&mut self, dialect: Dialect) {
        if self.misbehaves(When::Greet) {
            return;
        }
        match self.fault {
            Some(Fault::NoUciok) => return,
            Some(Fault::LateUciok) => thread::sleep(ms(12_000)),
            _ => {}
        }
        match self.fault {
            Some(Fault::NoId) => {}
            Some(Fault::IdWithoutName) => self.write("id Faulty 1.0"),
            _ => {
                self.write("id name Faulty 1.0");
                self.write("id author the tests");
            }
        }
        if !self.does(Habit::NoOptions) {
            let (hash, min, max) = HASH;
            let games: Vec<String> = Variant::ALL
                .iter()
                .map(|variant| format!("var {variant}"))
                .collect();
            let first = Variant::default();
            self.write(&format!(
                "option name UCI_Variant type combo default {first} {}",
                games.join(" ")
            ));
            self.write(&match self.fault {
                Some(Fault::SpinWithoutRange) => format!("option name {hash} type spin default 16"),
                Some(Fault::DefaultOutOfRange) => {
                    format!("option name {hash} type spin default 0 min {min} max {max}")
                }
                _ => format!("option name {hash} type spin default 16 min {min} max {max}"),
            });
            self.write("option name Clear Hash type button");
            self.write("option name Verbose type check default false");
            self.write("option name Book type string default <empty>");
        }
        self.say(match self.fault {
            Some(Fault::WrongUciok) => "UCIOK",
            Some(Fault::UciokForUgi) => "uciok",
            _ => dialect.greeted(),
        });
    }

    fn is_ready(&mut self) {
        if self.misbehaves(When::IsReady) {
            return;
        }
        if self.does(Habit::SlowReadyok) {
            thread::sleep(ms(50));
        }
        match self.fault {
            Some(Fault::NoReadyok) => {}
            Some(Fault::WrongReadyok) => self.say("ready"),
            Some(Fault::NoReadyokWhileSearching) if self.search.is_some() => self.ready_later += 1,
            Some(Fault::IsreadyEndsSearch) if self.search.is_some() => {
                self.answer();
                self.say("readyok");
            }
            _ => self.say("readyok"),
        }
    }

    fn new_game(&mut self) {
        self.games += u32::from(self.continued > 3);
        self.continued = 0;
        self.thinks = 0;
        self.misbehaves(When::NewGame);
        match self.fault {
            Some(Fault::ExitsAtNewGame) => fail(),
            _ if self.does(Habit::ExitsAtSecondGame) && self.games > 0 => fail(),
            Some(Fault::KeepsBoard) => {}
            _ => {
                self.played = 0;
                self.position = self.variant.startpos();
            }
        }
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) {
        let (hash, min, max) = HASH;
        let error = if name.eq_ignore_ascii_case("UCI_Variant") {
            let variant = value.and_then(Variant::from_name);
            if let Some(variant) = variant {
                self.variant = variant;
                self.position = variant.startpos();
                self.played = 0;
            }
            variant.is_none().then(|| "there is no such game".to_string())
        } else if name.eq_ignore_ascii_case(hash) {
            let number = value.and_then(|value| value.trim().parse::<i64>().ok());
            let is_in_range = number.is_some_and(|number| (min..=max).contains(&number));
            (!is_in_range).then(|| format!("{hash} is a number from {min} to {max}"))
        } else if name.eq_ignore_ascii_case("Verbose") {
            let is_flag = matches!(value.map(str::trim), Some("true" | "false"));
            (!is_flag).then(|| "Verbose is true or false".to_string())
        } else if ["clear hash", "book"].contains(&name.to_ascii_lowercase().as_str()) {
            None
        } else {
            Some(format!("there is no option {name}"))
        };
        let Some(error) = error else { return };
        match self.fault {
            Some(Fault::ExitsAtOptionRange) => fail(),
            Some(Fault::HangsAtOptionRange) => sleep_for_ever(),
            _ => self.say(&format!("info string error: {error}")),
        }
    }

    /// The position that the bot believes in.
    fn set_position(&mut self, start: &Start, moves: &[String]) -> Result<(), String> {
        let is_next = moves.starts_with(&self.moves) && (1..=2).contains(&(moves.len() - self.moves.len()));
        self.continued += u32::from(is_next);
        self.moves = moves.to_vec();
        if *start == Start::Startpos && (self.has(Fault::KeepsBoard) || self.does(Habit::KeepsBoardOfGame)) {
            let new = moves.get(self.played..).unwrap_or_default();
            for text in new {
                let mv = self
                    .position
                    .parse_move(text)
                    .map_err(|error| error.to_string())?;
                self.position.play(mv);
            }
            self.played += new.len();
            return Ok(());
        }
        let is_fen = *start != Start::Startpos;
        let startpos = self.variant.startpos().fen();
        let fen = match start {
            Start::Startpos => startpos.clone(),
            Start::Fen(fen) => fen.clone(),
        };
        // An error in the input is one whatever the fault.
        let mut position = self.parse(&fen)?;
        for text in moves {
            let mv = position.parse_move(text).map_err(|error| error.to_string())?;
            position.play(mv);
        }
        let mut words: Vec<&str> = fen.split(' ').collect();
        let flipped = words[0].split('/').rev().collect::<Vec<_>>().join("/");
        let mut moves = moves;
        match self.fault {
            Some(Fault::ExitsAtFen) if is_fen => fail(),
            Some(Fault::OnlyStartpos) => words = startpos.split(' ').collect(),
            Some(Fault::FlipsFen) if is_fen => words[0] = &flipped,
            Some(Fault::IgnoresMoves) => moves = &[],
            Some(Fault::LastMoveOnly) => moves = &moves[moves.len().saturating_sub(1)..],
            Some(Fault::IgnoresMovesAfterFen) if is_fen => moves = &[],
            Some(Fault::IgnoresTurnLimit) if words.len() > 3 => words[3] = "1000",
            _ => {}
        }
        // What the fault makes of a correct line may be wrong in turn.
        if let Ok(believed) = self.parse(&words.join(" ")) {
            position = believed;
        }
        for text in moves {
            if let Ok(mv) = position.parse_move(text) {
                position.play(mv);
            }
        }
        if self.has(Fault::IgnoresSideToMove) {
            let fen = position.fen().replace(" o ", " x ");
            position = self.parse(&fen).unwrap_or(position);
        }
        self.position = position;
        Ok(())
    }

    fn parse(&self, fen: &str) -> Result<Box<dyn AnyPosition>, String> {
        self.variant.parse_fen(fen).map_err(|error| error.to_string())
    }

    fn reject_position(&mut self, error: &str) {
        match self.fault {
            Some(Fault::ExitsAtBrokenPosition) => fail(),
            Some(Fault::HangsAtBrokenPosition) => sleep_for_ever(),
            _ => self.say(&format!("info string error: {error}")),
        }
    }

    fn go(&mut self, limits: &Limits) {
        match self.fault {
            Some(Fault::ExitsAtGo) => fail(),
            Some(Fault::NoAnswer) => return,
            Some(Fault::ExitsAtDepth) if limits.depth.is_some() => fail(),
            Some(Fault::ExitsAtInfinite) if !limits.is_bounded() => fail(),
            Some(Fault::ExitsAtIncrement) if limits.winc.is_some() => fail(),
            Some(Fault::DebugLine) => self.say("thinking about the position"),
            Some(Fault::LeaksMemory) => self.memory.push(vec![1; 1 << 20]),
            _ => {}
        }
        match self.habit {
            Some(Habit::FillsTable) if self.memory.len() < 100 => self.memory.push(vec![1; 320 << 10]),
            Some(Habit::CollectsGarbage) => {
                if self.memory.len() == 50 {
                    self.memory.clear();
                }
                self.memory.push(vec![1; 1 << 20]);
            }
            _ => {}
        }
        let deadline = self.time(limits).map(|time| Instant::now() + time);
        self.search = Some(Search { deadline });
    }

    /// How long the bot thinks; `None`: until `stop`.
    fn time(&self, limits: &Limits) -> Option<Duration> {
        if !limits.is_bounded() || limits.ponder {
            return None;
        }
        let movetime = limit(limits.movetime);
        let clocks = [limit(limits.wtime), limit(limits.btime)];
        let increments = [limit(limits.winc), limit(limits.binc)];
        let mine = usize::from(self.position.side_to_move() == Side::Second);
        let clock = clocks[mine];
        let increment = increments[mine].unwrap_or_default();
        let is_timed = movetime.is_some() || clock.is_some();
        let quick = Duration::ZERO;
        // The others answer before a client can see them search.
        let is_seen_searching = (self.has(Fault::NoReadyokWhileSearching)
            || self.has(Fault::IsreadyEndsSearch))
            && movetime >= Some(ms(500));
        Some(match (self.fault, movetime, clock) {
            (Some(Fault::IgnoresDepth), ..) if limits.depth.is_some() && !is_timed => return None,
            (Some(Fault::IgnoresNodes), ..) if limits.nodes.is_some() && !is_timed => return None,
            (Some(Fault::AlwaysHalfSecond), ..) => ms(500),
            (Some(Fault::HundredMsLate), Some(time), _) => time + ms(100),
            (Some(Fault::LateAtOneSecond), Some(time), _) if time >= ms(1000) => time + ms(100),
            (Some(Fault::LongMinimum), Some(_), _) => ms(150),
            (Some(Fault::IgnoresClock), _, Some(_)) => ms(3000),
            (Some(Fault::OpponentsClock), _, Some(_)) => clocks[1 - mine].unwrap_or_default() / 4,
            (Some(Fault::SpendsIncrementEarly), _, Some(time)) => time / 20 + increment,
            (Some(Fault::SlowOnEmptyClock), _, Some(time)) => ms(150).max(time / 40),
            _ if !self.does(Habit::UsesItsTime) && !is_seen_searching => quick,
            (_, Some(time), _) => (time * 19 / 20).saturating_sub(ms(10)),
            (_, _, Some(time)) => (time / 20 + increment).min((time / 2).saturating_sub(ms(10))),
            _ => quick,
        })
    }

    /// Ends the search with its answer.
    fn answer(&mut self) {
        self.search = None;
        self.answers += 1;
        self.thinks += 1;
        if self.thinks > 1 && self.misbehaves(When::Think) {
            return;
        }
        if self.does(Habit::WritesInfo) {
            self.write("info string thinking about the position");
            for depth in 1..50 {
                self.write(&format!(
                    "info depth {depth} seldepth {depth} score cp 12 nodes 1000 time 1"
                ));
            }
        }
        if self.does(Habit::WritesToStderr) {
            eprintln!("bestmove is what it looks for");
        }
        match self.choice() {
            None => {}
            Some(mv) => self.write_answer(&mv),
        }
        self.misbehaves(When::Moved);
        for _ in 0..std::mem::take(&mut self.ready_later) {
            self.say("readyok");
        }
    }

    fn write_answer(&mut self, mv: &str) {
        let reply = if self.does(Habit::NamesReply) {
            " ponder a1"
        } else {
            ""
        };
        let mv = if self.does(Habit::UpperCaseMoves) {
            mv.to_ascii_uppercase()
        } else {
            mv.to_string()
        };
        let line = format!("bestmove {mv}{reply}");
        match self.fault {
            Some(Fault::MoveWithoutBestmove) => self.say(&mv),
            Some(Fault::CapitalBestmove) => self.say(&format!("Bestmove {mv}")),
            Some(Fault::AnswersOnStderr) => eprintln!("{line}"),
            Some(Fault::NumbersForMove) => self.say("bestmove 0 3"),
            Some(Fault::UnflushedBestmove) => self.write(&line),
            // In one write: a line after the next `go` would count as its answer.
            Some(Fault::TwoBestmoves) => self.say(&format!("{line}\n{line}")),
            Some(Fault::PrintsBoard) => {
                let board = self.position.diagram().to_string();
                self.say(&line);
                self.say(&board);
            }
            _ => self.say(&line),
        }
    }

    /// The move to answer, `None` for no answer.
    fn choice(&self) -> Option<String> {
        let moves = self.position.legal_moves();
        let texts: Vec<String> = moves.iter().map(|&mv| self.position.move_text(mv)).collect();
        let illegal = self.illegal_move();
        let is_finished = texts.is_empty();
        Some(match self.fault {
            Some(Fault::PlaysOnWhenFinished) if is_finished => illegal,
            Some(Fault::SilentWhenFinished) if is_finished => return None,
            Some(Fault::ExitsWhenFinished) if is_finished => fail(),
            _ if is_finished => "0000".to_string(),
            Some(Fault::AlwaysIllegal) => illegal,
            Some(Fault::IllegalEveryHundredth) if self.answers.is_multiple_of(100) => illegal,
            Some(Fault::IllegalInSecondGame) if self.games > 0 => illegal,
            Some(Fault::ExitsOnFewMoves) if texts.len() < 7 => fail(),
            Some(Fault::PassesOnOnlyMove) if texts.len() == 1 => "0000".to_string(),
            Some(Fault::VerticalSupport) => self.vertical().unwrap_or_else(|| texts[0].clone()),
            Some(Fault::WrapsAroundEdge) => self.wrapped().unwrap_or_else(|| texts[0].clone()),
            _ => texts[0].clone(),
        })
    }

    pub fn first_move(&self) -> String {
        let moves = self.position.legal_moves();
        let text = |&mv| self.position.move_text(mv);
        moves.first().map_or("0000".into(), text)
    }

    pub fn good_move(&self) -> String {
        format!("bestmove {}", self.first_move())
    }

    pub fn last_move(&self) -> String {
        self.moves.last().cloned().unwrap_or("a1".into())
    }

    /// A move of the opponent, found by passing the turn.
    pub fn move_of_the_other_side(&self) -> String {
        let fen = self.position.fen();
        let (from, to) = [(" x ", " o "), (" o ", " x ")][usize::from(fen.contains(" o "))];
        let turned = self.parse(&fen.replace(from, to)).ok();
        let text = turned.and_then(|position| Some(position.move_text(*position.legal_moves().first()?)));
        text.unwrap_or_else(|| self.last_move())
    }

    /// A move of the right form that cannot be played.
    pub fn illegal_move(&self) -> String {
        let cell = |index: u16| self.position.cell_text(Cell::from_index(index as u8));
        let from = |index| Some(index).filter(|_| self.variant.info().slides).map(cell);
        // The centre first.
        let mut texts =
            (35..64 * 64).map(|number| from(number / 64).unwrap_or_default() + &cell(number % 64));
        let is_illegal = |text: &String| matches!(self.position.parse_move(text), Err(MoveError::Illegal(_)));
        texts.find(is_illegal).unwrap_or_default()
    }

    /// The cells of each row of the FEN, from the first row on; `.` for an empty cell.
    fn rows(&self) -> Vec<Vec<char>> {
        let fen = self.position.fen();
        let rows = fen.split(' ').next().unwrap_or_default().split('/');
        let cells = |cell: char| match cell.to_digit(10) {
            Some(empty) => vec!['.'; empty as usize],
            None => vec![cell],
        };
        rows.map(|row| row.chars().flat_map(cells).collect()).collect()
    }

    /// A cell above or below a brick, which is no legal move of Magnetic Cave.
    fn vertical(&self) -> Option<String> {
        let rows = self.rows();
        let is_brick = |row: usize, column: usize| rows.get(row).is_some_and(|row| row[column] != '.');
        let mut cells = (0..8).flat_map(|row| (0..8).map(move |column| (row, column)));
        cells.find_map(|(row, column)| {
            let text = format!("{}{}", (b'a' + column as u8) as char, 8 - row);
            let is_supported = is_brick(row + 1, column) || row > 0 && is_brick(row - 1, column);
            let is_wrong = self.position.parse_move(&text).is_err();
            (rows[row][column] == '.' && is_supported && is_wrong).then_some(text)
        })
    }

    /// A step in Gridlock from the right edge to the left edge of the next row.
    fn wrapped(&self) -> Option<String> {
        let rows = self.rows();
        let mine = if self.position.side_to_move() == Side::First {
            'x'
        } else {
            'o'
        };
        (0..6).find_map(|row| {
            let name = |row: usize| (b'a' + row as u8) as char;
            let can_wrap = rows[row][6] == mine && rows[row + 1][0] == '.';
            can_wrap.then(|| format!("{}7{}1", name(row), name(row + 1)))
        })
    }

    fn respond(&mut self, query: StateQuery) {
        let result = self.position.outcome().map(|outcome| outcome.result);
        let response = Response::to(query, self.position.side_to_move(), result);
        let response = match (self.fault, query) {
            (Some(Fault::NoResponse), _) => return,
            (Some(Fault::WrongTurn), StateQuery::FirstToMove)
            | (Some(Fault::WrongResult), StateQuery::Result) => opposite(response),
            _ => response,
        };
        self.say(&format!("response {}", response.word()));
    }

    fn quit(&mut self) {
        match self.fault {
            Some(Fault::IgnoresQuit) => {}
            Some(Fault::IgnoresQuitWhileSearching) if self.search.is_some() => sleep_for_ever(),
            _ => self.leave(),
        }
    }
}

fn opposite(response: Response) -> Response {
    match response {
        Response::True => Response::False,
        Response::False => Response::True,
        Response::FirstWins => Response::SecondWins,
        Response::SecondWins => Response::FirstWins,
        other => other,
    }
}
