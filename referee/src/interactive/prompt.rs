//! The prompt: shows the board, and asks for a move or a command.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use lodestone_game::{AnyPosition, GameInfo};
use referee_core::failure::Failure;
use referee_core::game::{Game, GameMove, MoveError, Position};
use referee_core::io::interrupt::Interrupt;
use referee_core::io::text::{clock, printable};

use super::commands::{self, PromptCommand};
use super::console::{Console, NoInput};
use super::layout::table;
use super::messages::Messages;
use crate::view::drawing::{BoardDrawing, BoardStyle};

/// The prompt of one or two people.
pub struct Prompt {
    /// The keyboard and the screen.
    pub console: Console,
    /// How boards are drawn.
    pub style: BoardStyle,
    /// The board is upside down.
    flipped: bool,
    /// The text of a position and the piece that was chosen in it, if a command
    /// came instead of the target.
    chosen: Option<(String, String)>,
    /// Moves that were entered in one line and are still to be played.
    queued: VecDeque<String>,
}

/// A prompt that two players can share.
pub type SharedPrompt = Arc<Mutex<Prompt>>;

/// What a person sees at the prompt.
#[derive(Clone, Copy)]
pub struct View<'a> {
    pub game: &'a Game,
    pub messages: &'a Messages,
    /// In a match, people get no help and cannot take moves back.
    pub in_match: bool,
}

impl<'a> View<'a> {
    /// A game that is no match.
    pub const fn by_hand(game: &'a Game, messages: &'a Messages) -> View<'a> {
        View {
            game,
            messages,
            in_match: false,
        }
    }

    fn position(self) -> &'a dyn Position {
        self.game.position()
    }

    /// The facts of the game.
    fn info(self) -> &'static GameInfo {
        self.position().info()
    }
}

/// The time of a person for one move.
#[derive(Clone, Copy, Debug, Default)]
pub struct MoveTime {
    /// The time on the clock.
    pub left: Option<Duration>,
    /// When the person loses without an answer. Later than the end of that time.
    pub deadline: Option<Instant>,
}

/// What a person entered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entered {
    /// A legal move.
    Move(GameMove),
    Command(PromptCommand),
}

impl Prompt {
    /// A prompt on standard input and output.
    pub fn open(style: BoardStyle, interrupt: &Arc<Interrupt>) -> Result<Prompt, Failure> {
        Ok(Prompt {
            console: Console::stdio(style.ascii, Arc::clone(interrupt))?,
            style,
            flipped: false,
            chosen: None,
            queued: VecDeque::new(),
        })
    }

    /// Asks the person called `who` until the answer is a legal move or a command. After the cell
    /// of a piece, asks for its target; an empty line goes back to the choice of the piece.
    pub fn ask(&mut self, who: &str, view: View<'_>, time: MoveTime) -> Result<Entered, NoInput> {
        let time_left = time.left.map(|left| format!("[{}] ", clock(left)));
        let time_left = time_left.unwrap_or_default();
        let key = view.position().fen();
        let chosen = self.chosen.take().filter(|(chosen_in, _)| *chosen_in == key);
        let mut piece = chosen.map_or(String::new(), |(_, piece)| piece);
        loop {
            let text = match (view.info().slides, who) {
                _ if !piece.is_empty() => format!("Choose the new position for {piece}:"),
                (false, _) => format!("{who}, your move:"),
                (true, "") => "Choose piece to move:".to_string(),
                (true, _) => format!("{who}, choose piece to move:"),
            };
            let question = time_left.clone() + &text;
            let line = if piece.is_empty() {
                self.next_line(&question, time.deadline, view)?
            } else {
                self.console.ask_line(&question, time.deadline)?
            };
            let entered = match PromptCommand::parse(&line) {
                _ if line.is_empty() && !piece.is_empty() => {
                    piece.clear();
                    continue;
                }
                Some(Ok(command)) => {
                    self.chosen = Some((key, piece)).filter(|(_, piece)| !piece.is_empty());
                    return Ok(Entered::Command(command));
                }
                Some(Err(why)) => Err(why),
                None if piece.is_empty() => {
                    let Some(entered) = read_move(&line, view).transpose() else {
                        piece = without_separators(&line).to_lowercase();
                        continue;
                    };
                    entered
                }
                None => read_target(&piece, &line, view),
            };
            match entered {
                Ok(mv) => return Ok(Entered::Move(mv)),
                Err(why) => self.refuse(&why)?,
            }
        }
    }

    /// The next of the queued moves, or a line that the person types. Of a line with several
    /// moves, all but the first are queued.
    fn next_line(
        &mut self,
        question: &str,
        deadline: Option<Instant>,
        view: View<'_>,
    ) -> Result<String, NoInput> {
        if let Some(text) = self.queued.pop_front() {
            self.console.print(&format!("{question} {text}"))?;
            return Ok(text);
        }
        let line = self.console.ask_line(question, deadline)?;
        let Some(moves) = several_moves(&line, view) else {
            return Ok(line);
        };
        self.queued = moves.into();
        Ok(self.queued.pop_front().unwrap_or_default())
    }

    /// Prints why a line has no effect, and drops what was entered after it.
    fn refuse(&mut self, why: &str) -> io::Result<()> {
        let rest = Vec::from(std::mem::take(&mut self.queued)).join(" ");
        if rest.is_empty() {
            return self.console.print_message(why);
        }
        let message = format!("{why}; the rest of the line, {rest}, is not played");
        self.console.print_message(&message)
    }

    /// Drops moves that were entered in one line and are not played yet.
    pub fn forget_moves(&mut self) {
        self.queued.clear();
    }

    /// Shows a message about what led to a position, and the board.
    pub fn show_position(&mut self, view: View<'_>, message: &str) -> io::Result<()> {
        self.print_board(view, Vec::new(), message)
    }

    /// Executes a command that only shows something; returns `false` for others.
    pub fn try_show(&mut self, command: &PromptCommand, view: View<'_>) -> io::Result<bool> {
        let messages = view.messages;
        match command {
            PromptCommand::Help => {
                let sample = messages.shown(&sample_move(view.position()));
                let title = format!("Type a move such as {sample}, or:");
                let list = table(&commands::help(view.in_match), Console::width());
                self.console.print(&format!("{title}\n{list}"))?;
            }
            PromptCommand::Board => self.show_position(view, "")?,
            PromptCommand::Flip => {
                self.flipped = !self.flipped;
                self.show_position(view, "")?;
            }
            PromptCommand::Moves => self.show_moves(view)?,
            PromptCommand::List => self.console.print(&messages.numbered(view.game.moves()))?,
            PromptCommand::Rules => self.show_rules(messages)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Explains the game: its rules, and a finished game as an example.
    fn show_rules(&mut self, messages: &Messages) -> io::Result<()> {
        let info = messages.ruleset.info();
        let mut text = vec![info.title.to_string()];
        text.extend(info.rules.iter().map(|text| messages.for_people(text)));
        if messages.ruleset.variant().is_none() {
            let program = messages.ruleset.words().join(" ");
            text.push(format!("The rules are those of the program {program}."));
            return self.console.print(&text.join("\n"));
        }
        let (fen, sentence) = info.example;
        if let Ok(position) = messages.ruleset.parse_fen(fen) {
            let mut drawing = BoardDrawing::new(position.as_ref(), self.style);
            drawing.in_capitals = messages.in_capitals;
            text.extend([format!("\n{drawing}\n"), messages.for_people(sentence)]);
        }
        self.console.print(&text.join("\n"))
    }

    /// Lists all legal moves and marks their target cells on the board.
    fn show_moves(&mut self, view: View<'_>) -> io::Result<()> {
        let position = view.position();
        let moves = position.legal_moves();
        self.print_board(view, position.built_in().map(targets).unwrap_or_default(), "")?;
        let texts = view.messages.move_list(moves.iter().map(|mv| mv.text.as_str()));
        self.console.print(&match moves.len() {
            0 if position.outcome().is_none() => {
                "The rules program does not list the legal moves.".to_string()
            }
            0 => "There are no legal moves: the game is over.".to_string(),
            1 => format!("The only move: {texts}"),
            count => format!("{count} moves: {texts}"),
        })
    }

    fn print_board(&mut self, view: View<'_>, open: Vec<usize>, message: &str) -> io::Result<()> {
        let mut drawing = BoardDrawing::of_game(view.game, self.style);
        (drawing.flipped, drawing.open) = (self.flipped, open);
        drawing.in_capitals = view.messages.in_capitals;
        let drawn = if drawing.is_empty() {
            view.messages.numbered(view.game.moves())
        } else {
            drawing.to_string()
        };
        let turns_left = match view.position().plies_left() {
            _ if !view.info().has_setup => String::new(),
            1 => "One turn is left.\n".to_string(),
            turns => format!("{turns} turns are left.\n"),
        };
        if !message.is_empty() {
            self.console.print(message)?;
        }
        self.console.print(&format!("\n{drawn}\n{turns_left}"))
    }
}

/// Maximum length of a wrong move in a message, in characters.
const MAX_MOVE_TEXT: usize = 40;

/// Parses a line that is not a command: a move, or `None` for the cell of a piece that can move.
fn read_move(line: &str, view: View<'_>) -> Result<Option<GameMove>, String> {
    if line.is_empty() {
        let sample = view.messages.shown(&sample_move(view.position()));
        return Err(format!("Type a move such as {sample}, or `help`."));
    }
    let two_steps = view.info().slides;
    let text = if two_steps {
        without_separators(line)
    } else {
        line.to_string()
    };
    // No move is as long as the limit; the error message quotes the text.
    let text = printable(&text, MAX_MOVE_TEXT);
    let error = match view.position().parse_written(&text) {
        Ok(mv) => return Ok(Some(mv)),
        Err(MoveError::Malformed(_)) if two_steps => match view.position().parse_piece(&text) {
            Ok(_) => return Ok(None),
            Err(error) => error,
        },
        Err(error) => error,
    };
    let hint = match (&error, PromptCommand::suggestion(line, view.in_match)) {
        (MoveError::Illegal(_), _) => String::new(),
        (_, Some(command)) => format!("; did you mean `{command}`?"),
        (_, None) => "; `help` lists the commands".to_string(),
    };
    Err(view.messages.for_people(&error.to_string()) + &hint)
}

/// The indices of the cells to which moves lead.
fn targets(position: &dyn AnyPosition) -> Vec<usize> {
    let (diagram, moves) = (position.diagram(), position.legal_moves());
    moves.iter().map(|mv| diagram.index(mv.to())).collect()
}

/// A move as an example: that of the game, or the first legal one.
fn sample_move(position: &dyn Position) -> String {
    match position.info().sample_move {
        "" => position
            .legal_moves()
            .first()
            .map_or(String::new(), |mv| mv.text.clone()),
        sample => sample.to_string(),
    }
}

/// The moves of a line with at least two; `None` for other lines. Only their form is
/// checked.
fn several_moves(line: &str, view: View<'_>) -> Option<Vec<String>> {
    let position = view.position();
    let is_move = |text: &str| {
        let parsed = position.parse_move(text);
        !matches!(parsed, Err(MoveError::Malformed(_)))
    };
    // What a move looks like is known of the built-in games only.
    let first = line.split_whitespace().next().unwrap_or_default();
    if position.built_in().is_none() && position.parse_written(first).is_err() {
        return None;
    }
    let words: Vec<String> = line
        .split(|sign: char| sign.is_whitespace() || sign == ',' || sign == ';')
        .map(|word| match position.built_in() {
            Some(_) => without_separators(word),
            None => word.to_string(),
        })
        .filter(|word| !word.is_empty())
        .collect();
    let mut moves = Vec::new();
    let mut rest = words.as_slice();
    while let [word, others @ ..] = rest {
        rest = others;
        if is_move(word) {
            moves.push(word.clone());
        } else if let [next, others @ ..] = others
            && view.info().slides
            && is_move(&format!("{word}{next}"))
        {
            moves.push(format!("{word}{next}"));
            rest = others;
        } else {
            return None;
        }
    }
    (moves.len() > 1).then_some(moves)
}

/// Parses the target of a piece, or the whole move again.
fn read_target(piece: &str, line: &str, view: View<'_>) -> Result<GameMove, String> {
    let target = printable(&without_separators(line), MAX_MOVE_TEXT);
    let error = match view.position().parse_move(&target) {
        Ok(mv) => return Ok(mv),
        Err(error @ (MoveError::Illegal(_) | MoveError::Stopped(_))) => error,
        Err(MoveError::Malformed(_)) => match view.position().parse_move(&(piece.to_string() + &target)) {
            Ok(mv) => return Ok(mv),
            Err(MoveError::Illegal(why)) => MoveError::Illegal(why),
            // Not a cell: the error message of a piece fits best.
            Err(error) => view.position().parse_piece(&target).err().unwrap_or(error),
        },
    };
    Err(view.messages.for_people(&error.to_string()))
}

/// Turns `c4 d4`, `c4-d4` and `c4 to d4` into `c4d4`.
fn without_separators(line: &str) -> String {
    line.split(|sign: char| sign.is_whitespace() || sign == '-')
        .filter(|word| !word.eq_ignore_ascii_case("to"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use referee_core::game::Ruleset;

    #[test]
    fn accepts_separators_in_a_move() {
        for text in ["c4d4", "c4 d4", " C4-D4", "c4 - d4", "c4 to d4", "c4 TO d4"] {
            assert_eq!(without_separators(text).to_lowercase(), "c4d4", "{text}");
        }
    }

    #[test]
    fn slides_says_whether_moves_have_two_cells() {
        for ruleset in Ruleset::ALL {
            let start = ruleset.startpos();
            let moves = start.built_in().unwrap().legal_moves();
            let slides = moves.iter().any(|mv| mv.from() != mv.to());
            assert_eq!(ruleset.info().slides, slides);
        }
    }
}
