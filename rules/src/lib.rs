//! Turns a type with the rules of a game into a rules program for `referee`.
//!
//! Implement the five methods of [`Rules`] that have no default, and give [`run`] a value of your type:
//!
//! ```no_run
//! use referee_rules::{GameResult, Rules, run};
//!
//! /// Take one, two or three sticks. The player who takes the last stick wins.
//! struct Sticks;
//!
//! impl Rules for Sticks {
//!     type Position = (u32, bool); // the sticks, and whether the first player is to move
//!
//!     fn start(&self) -> (u32, bool) {
//!         (21, true)
//!     }
//!
//!     fn turn(&self, position: &(u32, bool)) -> bool {
//!         position.1
//!     }
//!
//!     fn moves(&self, position: &(u32, bool)) -> Vec<String> {
//!         (1..=position.0.min(3)).map(|count| count.to_string()).collect()
//!     }
//!
//!     fn play(&self, position: &(u32, bool), mv: &str) -> (u32, bool) {
//!         (position.0 - mv.parse::<u32>().unwrap_or_default(), !position.1)
//!     }
//!
//!     fn result(&self, position: &(u32, bool)) -> Option<GameResult> {
//!         (position.0 == 0).then(|| GameResult::win(!position.1))
//!     }
//! }
//!
//! fn main() {
//!     run(Sticks);
//! }
//! ```
//!
//! Standard output belongs to the protocol, so print with `eprintln!`. A panic ends the program, and a match shows its
//! message.

use std::cell::OnceCell;
use std::fmt::Write as _;
use std::io::{self, Read, Write};
use std::ops::RangeInclusive;

/// The longest line that is read, in bytes.
const MAX_LINE: usize = 1 << 20;

/// How much is read at once, in bytes.
const CHUNK: usize = 1 << 16;

/// The most moves that an error lists.
const MAX_LISTED: usize = 8;

/// The most characters of a word in an error.
const MAX_QUOTED: usize = 40;

/// The beginning of a line about something that cannot be used.
const ERROR: &str = "info string error: ";

/// Commands of an engine that mean nothing to rules.
const IGNORED: [&str; 8] = [
    "ucinewgame",
    "uginewgame",
    "debug",
    "register",
    "stop",
    "ponderhit",
    "quit",
    "",
];

/// How a game ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GameResult {
    /// The first player has won.
    FirstWins,
    /// The second player has won.
    SecondWins,
    /// The game is a draw.
    Draw,
}

impl GameResult {
    /// The win of the first player or of the second one.
    pub fn win(is_first: bool) -> GameResult {
        if is_first {
            GameResult::FirstWins
        } else {
            GameResult::SecondWins
        }
    }

    fn word(result: Option<GameResult>) -> &'static str {
        match result {
            Some(GameResult::FirstWins) => "p1win",
            Some(GameResult::SecondWins) => "p2win",
            Some(GameResult::Draw) => "draw",
            None => "none",
        }
    }
}

/// The rules of a game for two players. The first five methods are required. Each of the others answers one more
/// query, or leaves it unanswered by default.
pub trait Rules {
    /// A position of the game, with everything that the rules depend on.
    type Position;

    /// The start of the game.
    fn start(&self) -> Self::Position;

    /// Whether the first player is to move. Turns need not alternate.
    fn turn(&self, position: &Self::Position) -> bool;

    /// The legal moves of a game that is not over, in any order: words without white space. A pass is a move, too.
    fn moves(&self, position: &Self::Position) -> Vec<String>;

    /// The position after a legal move.
    fn play(&self, position: &Self::Position, mv: &str) -> Self::Position;

    /// The result; `None` for a game that is not over.
    fn result(&self, position: &Self::Position) -> Option<GameResult>;

    /// The name of the game.
    fn name(&self) -> String {
        let path = std::any::type_name::<Self>();
        path.rsplit("::").next().unwrap_or(path).to_string()
    }

    /// The position as text in one line, which [`Rules::from_fen`] reads. A game has both methods or none of them.
    fn fen(&self, _position: &Self::Position) -> Option<String> {
        None
    }

    /// The position with this text.
    ///
    /// # Errors
    /// It is not the text of a position. The error says what is wrong and what was expected.
    #[allow(clippy::wrong_self_convention)] // The game has the options.
    fn from_fen(&self, _text: &str) -> Result<Self::Position, String> {
        Err("this game has no FEN; expected `position startpos`, then perhaps `moves …`".into())
    }

    /// Why the game is over, in words.
    fn reason(&self, _position: &Self::Position) -> Option<String> {
        None
    }

    /// The points of both players.
    fn score(&self, _position: &Self::Position) -> Option<(String, String)> {
        None
    }

    /// The cells of the board.
    fn grid(&self, _position: &Self::Position) -> Option<Grid> {
        None
    }

    /// The board as lines of text; the grid if there is no such method.
    fn board(&self, position: &Self::Position) -> Option<String> {
        self.grid(position).map(|grid| grid.drawn())
    }

    /// A start position for this seed, for games that have texts of positions.
    fn setup(&self, _seed: u64) -> Option<Self::Position> {
        None
    }

    /// A legal move as people write it, such as `Nf3` for `g1f3`: a word that means no other move of the position.
    fn notation(&self, _position: &Self::Position, _mv: &str) -> Option<String> {
        None
    }

    /// The legal move that people write as this text, such as `e1g1` for `0-0`; only for games with a notation.
    fn parse(&self, _position: &Self::Position, _text: &str) -> Option<String> {
        None
    }

    /// Whether a move is legal, if there is a faster way than to search the list.
    fn is_legal(&self, position: &Self::Position, mv: &str) -> bool {
        self.moves(position).iter().any(|legal| legal == mv)
    }

    /// Whether [`Rules::proven`] can have a result, for example because tables have been loaded.
    fn proves(&self) -> bool {
        false
    }

    /// The result of a game that is not over if both sides play perfectly; `None` if it is not known.
    fn proven(&self, _position: &Self::Position) -> Option<GameResult> {
        None
    }

    /// The options of the program, which are fields of the game.
    fn options(&mut self) -> Vec<Setting<'_>> {
        Vec::new()
    }

    /// Uses the options after one of them has been set, for example loads the file that it names.
    ///
    /// # Errors
    /// They cannot be used, so the option gets its old value back.
    fn use_options(&mut self) -> Result<(), String> {
        Ok(())
    }
}

/// A board of cells for reports and browsers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    columns: Vec<String>,
    rows: Vec<String>,
    cells: Vec<String>,
    has_lines: bool,
    cell_names: String,
}

impl Grid {
    /// A board with the names of columns and rows as words, and its cells row by row from the top left. A cell is
    /// `.` if it is empty, `x` or `o` with a piece of the first or second player, perhaps with a symbol (`xK`), or
    /// another word to show. A column or row whose name ends in `|` or `_` is narrow, and has the walls between
    /// cells.
    pub fn new<C: Into<String>>(columns: &str, rows: &str, cells: impl IntoIterator<Item = C>) -> Grid {
        let words = |text: &str| text.split_whitespace().map(str::to_string).collect();
        Grid {
            columns: words(columns),
            rows: words(rows),
            cells: cells.into_iter().map(Into::into).collect(),
            has_lines: false,
            cell_names: String::new(),
        }
    }

    /// The cells are the crossings of lines.
    #[must_use]
    pub fn with_lines(self) -> Grid {
        Grid {
            has_lines: true,
            ..self
        }
    }

    /// Moves call a cell so, such as `{row},{column}` for `2,3` instead of `c2`.
    #[must_use]
    pub fn with_cell_names(self, format: &str) -> Grid {
        Grid {
            cell_names: format.to_string(),
            ..self
        }
    }

    /// The answer to `query grid`.
    fn words(&self) -> String {
        let first = if self.has_lines { "lines" } else { "columns" };
        let names = match self.cell_names.as_str() {
            "" => String::new(),
            format => format!(" names {format}"),
        };
        let [columns, rows, cells] = [&self.columns, &self.rows, &self.cells].map(|words| words.join(" "));
        format!("{first} {columns} rows {rows}{names} cells {cells}")
    }

    /// The board as text.
    fn drawn(&self) -> String {
        let is_narrow = |name: &str| name.chars().count() > 1 && name.ends_with(['|', '_']);
        let width = self.columns.len().max(1);
        let shown = |(index, cell): (usize, &String)| {
            let column = self
                .columns
                .get(index % width)
                .is_some_and(|name| is_narrow(name));
            let row = self.rows.get(index / width).is_some_and(|name| is_narrow(name));
            let wall = match (column, row) {
                (false, false) => return cell.clone(),
                (true, false) => "|",
                (false, true) => "-",
                (true, true) => "+",
            };
            if cell == "." { " " } else { wall }.to_string()
        };
        let texts: Vec<String> = self.cells.iter().enumerate().map(shown).collect();
        let label = |name: &String| {
            if is_narrow(name) {
                String::new()
            } else {
                name.clone()
            }
        };
        let columns: Vec<String> = self.columns.iter().map(label).collect();
        let rows: Vec<String> = self.rows.iter().map(label).collect();
        let longest = |words: &[String]| words.iter().map(|word| word.chars().count()).max().unwrap_or(0);
        let (size, edge) = (longest(&columns).max(longest(&texts)) + 1, longest(&rows));
        let padded = |word: &String| format!("{word:>size$}");
        let aligned = |words: &[String]| -> String { words.iter().map(padded).collect() };
        let header = format!("{:edge$}{}", "", aligned(&columns));
        let mut lines = vec![header.clone()];
        for (row, cells) in rows.iter().zip(texts.chunks(width)) {
            lines.push(
                format!("{row:>edge$}{} {row}", aligned(cells))
                    .trim_end()
                    .to_string(),
            );
        }
        lines.push(header);
        lines.join("\n")
    }
}

/// An option of the program: its name, the field of the game that has its value, and the allowed values.
#[derive(Debug)]
pub struct Setting<'a> {
    name: &'static str,
    value: Value<'a>,
}

#[derive(Debug)]
enum Value<'a> {
    Check(&'a mut bool),
    Spin(&'a mut i64, RangeInclusive<i64>),
    Combo(&'a mut String, &'static [&'static str]),
    Text(&'a mut String),
}

impl<'a> Setting<'a> {
    /// An option that is true or false.
    pub fn check(name: &'static str, field: &'a mut bool) -> Setting<'a> {
        Setting {
            name,
            value: Value::Check(field),
        }
    }

    /// A whole number.
    pub fn spin(name: &'static str, field: &'a mut i64, allowed: RangeInclusive<i64>) -> Setting<'a> {
        Setting {
            name,
            value: Value::Spin(field, allowed),
        }
    }

    /// One of these words.
    pub fn combo(name: &'static str, field: &'a mut String, allowed: &'static [&'static str]) -> Setting<'a> {
        Setting {
            name,
            value: Value::Combo(field, allowed),
        }
    }

    /// Any text in one line.
    pub fn text(name: &'static str, field: &'a mut String) -> Setting<'a> {
        Setting {
            name,
            value: Value::Text(field),
        }
    }

    /// The line that announces the option.
    fn announced(&self) -> String {
        let kind = match &self.value {
            Value::Check(field) => format!("check default {field}"),
            Value::Spin(field, allowed) => {
                format!(
                    "spin default {field} min {} max {}",
                    allowed.start(),
                    allowed.end()
                )
            }
            Value::Combo(field, allowed) => {
                format!("combo default {field} var {}", allowed.join(" var "))
            }
            Value::Text(_) => format!("string default {}", self.shown()),
        };
        format!("option name {} type {kind}", self.name)
    }

    /// The value as `setoption` has it.
    fn shown(&self) -> String {
        match &self.value {
            Value::Check(field) => field.to_string(),
            Value::Spin(field, _) => field.to_string(),
            Value::Text(field) if field.is_empty() => "<empty>".into(),
            Value::Combo(field, _) | Value::Text(field) => (*field).clone(),
        }
    }

    /// Sets the value. The error has the allowed values.
    fn set(&mut self, text: &str) -> Result<(), String> {
        match &mut self.value {
            Value::Check(field) => match text.to_lowercase().as_str() {
                "true" => **field = true,
                "false" => **field = false,
                _ => return Err("false, true".into()),
            },
            Value::Spin(field, allowed) => match text.parse() {
                Ok(number) if allowed.contains(&number) => **field = number,
                _ => return Err(format!("{} to {}", allowed.start(), allowed.end())),
            },
            Value::Combo(field, allowed) => {
                let found = allowed.iter().find(|word| word.eq_ignore_ascii_case(text));
                **field = found.ok_or_else(|| allowed.join(", "))?.to_string();
            }
            Value::Text(field) => **field = if text == "<empty>" { "" } else { text }.to_string(),
        }
        Ok(())
    }
}

/// Answers questions about the rules of this game on standard input, until `quit` or the end of the input.
pub fn run<G: Rules>(game: G) {
    // Who does not read the answers does not want them.
    let _ = serve(game, &mut io::stdin().lock(), &mut io::stdout().lock());
}

/// Answers the lines of `input`: all complete lines that have arrived, with one write. [`run`] calls it for the standard
/// streams.
///
/// # Errors
/// The input cannot be read, or the output not written.
pub fn serve<G: Rules>(game: G, input: &mut impl Read, output: &mut impl Write) -> io::Result<()> {
    let mut program = Program::new(game);
    let mut open: Vec<u8> = Vec::new();
    let mut chunk = vec![0; CHUNK];
    loop {
        let count = match input.read(&mut chunk) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            count => count?,
        };
        let is_end = count == 0;
        open.extend_from_slice(&chunk[..count]);
        if is_end && !open.is_empty() {
            open.push(b'\n');
        }
        let mut is_running = true;
        let mut begin = 0;
        while is_running && let Some(length) = open[begin..].iter().position(|&byte| byte == b'\n') {
            is_running = program.handle(&open[begin..begin + length]);
            begin += length + 1;
        }
        open.drain(..begin);
        // Enough to see that a line is too long.
        open.truncate(MAX_LINE + 1);
        output.write_all(program.replies.as_bytes())?;
        output.flush()?;
        program.replies.clear();
        if is_end || !is_running {
            return Ok(());
        }
    }
}

/// A position, with what has been asked about it.
struct Node<G: Rules> {
    position: G::Position,
    result: Option<GameResult>,
    listed: OnceCell<Vec<String>>,
}

impl<G: Rules> Node<G> {
    fn new(game: &G, position: G::Position) -> Node<G> {
        Node {
            result: game.result(&position),
            position,
            listed: OnceCell::new(),
        }
    }

    /// The legal moves; none after the end.
    fn moves(&self, game: &G) -> &[String] {
        self.listed.get_or_init(|| match self.result {
            Some(_) => Vec::new(),
            None => game.moves(&self.position),
        })
    }

    fn is_legal(&self, game: &G, mv: &str) -> bool {
        match self.listed.get() {
            Some(listed) => listed.iter().any(|legal| legal == mv),
            None => self.result.is_none() && game.is_legal(&self.position, mv),
        }
    }

    /// The position after the move with this number.
    fn after(&self, game: &G, mv: &str, number: usize) -> Result<Node<G>, String> {
        if self.result.is_some() {
            let quoted = quote(mv);
            return Err(format!(
                "move {number}: {quoted} cannot be played: the game is over"
            ));
        }
        if !self.is_legal(game, mv) {
            let quoted = quote(mv);
            let expected = some(self.moves(game));
            return Err(format!(
                "move {number}: {quoted} is not a legal move; expected {expected}"
            ));
        }
        Ok(Node::new(game, game.play(&self.position, mv)))
    }
}

/// A rules program: answers the lines of standard input.
struct Program<G: Rules> {
    game: G,
    /// The start of the game, as `position` names it, and the moves since then.
    start: String,
    moves: Vec<String>,
    /// The start and the position after each move.
    nodes: Vec<Node<G>>,
    /// Why the last `position` was not used.
    refusal: Option<String>,
    replies: String,
}

impl<G: Rules> Program<G> {
    fn new(game: G) -> Program<G> {
        let start = Node::new(&game, game.start());
        Program {
            game,
            start: "startpos".into(),
            moves: Vec::new(),
            nodes: vec![start],
            refusal: None,
            replies: String::new(),
        }
    }

    fn restart(&mut self) {
        (self.start, self.moves, self.refusal) = ("startpos".into(), Vec::new(), None);
        self.nodes = vec![Node::new(&self.game, self.game.start())];
    }

    fn reply(&mut self, line: &str) {
        self.replies.push_str(line);
        self.replies.push('\n');
    }

    /// Executes a line; false after `quit`.
    fn handle(&mut self, line: &[u8]) -> bool {
        let text = decoded(line);
        let words: Vec<&str> = text.as_deref().unwrap_or_default().split_whitespace().collect();
        let (command, arguments) = words
            .split_first()
            .map_or(("", &[][..]), |(first, rest)| (*first, rest));
        let done = match (&text, command) {
            (Err(why), _) => Err(why.clone()),
            (_, "uci" | "ugi") => {
                self.introduce();
                self.reply(&format!("{command}ok"));
                Ok(())
            }
            (_, "isready") => {
                self.reply("readyok");
                Ok(())
            }
            (_, "setoption") => self.set_option(arguments),
            (_, "position") => self.set_position(arguments),
            (_, "query") => self.query(arguments),
            (_, command) if IGNORED.contains(&command) => Ok(()),
            (_, command) => Err(format!(
                "expected ugi, uci, isready, setoption, position, query or quit, found {}",
                quote(command)
            )),
        };
        if let Err(why) = done {
            if line.starts_with(b"position") {
                self.refusal = Some(why.clone());
            }
            self.reply(&format!("{ERROR}{}", printable(&why)));
        }
        command != "quit"
    }

    fn introduce(&mut self) {
        let name = self.game.name();
        self.reply(&format!("id name {}", printable(&name)));
        let options: Vec<String> = self.game.options().iter().map(Setting::announced).collect();
        for line in options {
            self.reply(&line);
        }
    }

    fn set_option(&mut self, words: &[&str]) -> Result<(), String> {
        let is_value = |word: &&str| *word == "value";
        let end = words.iter().position(is_value).unwrap_or(words.len());
        let wanted = words.get(1..end).unwrap_or_default().join(" ");
        let text = words.get(end + 1..).unwrap_or_default().join(" ");
        let mut options = self.game.options();
        let names: Vec<&str> = options.iter().map(|option| option.name).collect();
        let is_wanted = |option: &&mut Setting| option.name.eq_ignore_ascii_case(&wanted);
        let found = options.iter_mut().find(is_wanted);
        let (Some(option), Some(&"name")) = (found, words.first()) else {
            let names = if names.is_empty() {
                "none".into()
            } else {
                names.join(", ")
            };
            return Err(format!(
                "there is no option {}; there are: {names}",
                quote(&wanted)
            ));
        };
        let (name, old) = (option.name, option.shown());
        option
            .set(&text)
            .map_err(|expected| format!("option {name}: expected {expected}, found {}", quote(&text)))?;
        drop(options);
        let used = self.game.use_options();
        if used.is_err() {
            for option in self
                .game
                .options()
                .iter_mut()
                .filter(|option| option.name == name)
            {
                // It was the value before.
                let _ = option.set(&old);
            }
            let _ = self.game.use_options();
        }
        self.restart();
        used.map_err(|why| format!("option {name}: {why}"))
    }

    fn set_position(&mut self, words: &[&str]) -> Result<(), String> {
        let end = words
            .iter()
            .position(|word| *word == "moves")
            .unwrap_or(words.len());
        let start = words[..end].join(" ");
        let moves = words.get(end + 1..).unwrap_or_default();
        let same = if start == self.start {
            let both = moves.iter().zip(&self.moves);
            both.take_while(|(new, old)| new == old).count()
        } else {
            let node = self.begin(&words[..end])?;
            (self.start, self.nodes) = (start, vec![node]);
            0
        };
        self.moves.truncate(same);
        self.nodes.truncate(same + 1);
        for mv in &moves[same..] {
            let Some(last) = self.nodes.last() else { break };
            let next = last.after(&self.game, mv, self.nodes.len())?;
            self.nodes.push(next);
            self.moves.push((*mv).to_string());
        }
        self.refusal = None;
        Ok(())
    }

    /// The position before the moves.
    fn begin(&self, words: &[&str]) -> Result<Node<G>, String> {
        match words {
            ["startpos"] => Ok(Node::new(&self.game, self.game.start())),
            ["fen", text @ ..] => {
                let text = text.join(" ");
                let position = self.game.from_fen(&text);
                let position = position.map_err(|why| format!("FEN {}: {why}", quote(&text)))?;
                Ok(Node::new(&self.game, position))
            }
            _ => Err("expected `position startpos` or `position fen TEXT`, then perhaps `moves …`".into()),
        }
    }

    fn query(&mut self, words: &[&str]) -> Result<(), String> {
        if let Some(refusal) = &self.refusal {
            return Err(format!(
                "no answer, because the last `position` was refused: {refusal}"
            ));
        }
        match self.answer(words)? {
            // The lines of a board; an empty answer is a line, too.
            Some(answer) => answer.split('\n').for_each(|line| {
                let line = format!("response {line}");
                self.reply(line.trim_end());
            }),
            None => eprintln!("unknown query: {}", quote(&words.join(" "))),
        }
        Ok(())
    }

    /// The answer to a query; `None` if there is none.
    fn answer(&self, words: &[&str]) -> Result<Option<String>, String> {
        let (Some(node), Some((query, arguments))) = (self.nodes.last(), words.split_first()) else {
            return Ok(None);
        };
        let (game, position) = (&self.game, &node.position);
        let truth = |is_true: bool| Some(is_true.to_string());
        let argument = arguments.join(" ");
        let has_fen = || game.fen(position).is_some();
        Ok(match *query {
            "gameover" => truth(node.result.is_some()),
            "p1turn" => truth(game.turn(position)),
            "result" => Some(GameResult::word(node.result).into()),
            "moves" => Some(node.moves(game).join(" ")),
            "notation" => {
                let moves = node.moves(game).iter();
                let asked = moves.filter(|mv| arguments.is_empty() || **mv == argument);
                let written: Option<Vec<String>> = asked.map(|mv| game.notation(position, mv)).collect();
                written.map(|words| words.join(" "))
            }
            "parse" => {
                let has_notation = || {
                    let mut moves = node.moves(game).iter();
                    moves.all(|mv| game.notation(position, mv).is_some())
                };
                let read = node
                    .result
                    .is_none()
                    .then(|| game.parse(position, &argument))
                    .flatten();
                read.or_else(|| has_notation().then(|| "none".to_string()))
            }
            "islegal" => truth(node.is_legal(game, &argument)),
            "fen" => game.fen(position),
            "reason" if node.result.is_none() => Some("none".into()),
            "reason" => Some(game.reason(position).unwrap_or_else(|| "none".into())),
            "score" => game
                .score(position)
                .map(|(first, second)| format!("{first} {second}")),
            "board" => game.board(position),
            "grid" => game.grid(position).map(|grid| grid.words()),
            "proven" if game.proves() => {
                let result = node.result.or_else(|| game.proven(position));
                Some(GameResult::word(result).into())
            }
            "setup" if has_fen() => {
                let seed = argument.parse().map_err(|_| {
                    format!("query setup: expected a whole number, found {}", quote(&argument))
                })?;
                game.setup(seed).and_then(|start| game.fen(&start))
            }
            _ => None,
        })
    }
}

/// The text of a line.
fn decoded(line: &[u8]) -> Result<String, String> {
    if line.len() > MAX_LINE {
        return Err(format!("a line has more than {MAX_LINE} bytes"));
    }
    String::from_utf8(line.to_vec()).map_err(|error| {
        let byte = error.utf8_error().valid_up_to() + 1;
        format!("a line is not UTF-8 text: byte {byte} of it is wrong")
    })
}

/// A text in one line, with control characters as their numbers.
fn printable(text: &str) -> String {
    let mut line = String::new();
    for sign in text.split_whitespace().collect::<Vec<_>>().join(" ").chars() {
        if sign.is_control() {
            let _ = write!(line, "\\u{{{:x}}}", u32::from(sign));
        } else {
            line.push(sign);
        }
    }
    line
}

/// The beginning of a text.
fn quote(text: &str) -> String {
    match text.char_indices().nth(MAX_QUOTED) {
        Some((end, _)) => format!("`{}…`", &text[..end]),
        None => format!("`{text}`"),
    }
}

/// The first words of a list.
fn some(words: &[String]) -> String {
    let listed = words[..words.len().min(MAX_LISTED)].join(", ");
    match words.len().saturating_sub(MAX_LISTED) {
        0 => listed,
        more => format!("{listed} or {more} more"),
    }
}
